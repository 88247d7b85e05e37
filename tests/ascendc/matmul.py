# SPDX-License-Identifier: MIT
"""Inputs and references of the operators that multiply matrices by Matmul<>."""
import math
import os
import random
import re
import struct
import subprocess
import tempfile

HEADERS = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..", "include", "ascendc")
TRANS_A, TRANS_B, STEPS, ADD, QUANT_ONE, QUANT_EACH = 1, 2, 4, 8, 16, 32


def tiling(**fields):
    """The bytes of a TCubeTiling; what is not given is 0."""
    with open(os.path.join(HEADERS, "kernel_tiling", "kernel_tiling.h"), encoding="utf-8") as file:
        # of a field with two names, the first
        text = re.sub(r"union \{\s*int32_t (\w+)[^}]*\};", r"int32_t \1;", file.read())
    text = re.search(r"struct TCubeTiling \{(.*?)\}", text, re.S).group(1)
    names = re.findall(r"(\w+)[,;]", text)
    assert set(fields) <= set(names)
    return struct.pack(f"<{len(names)}i", *(fields.get(name, 0) for name in names))


def shape(m, n, k, single, base, **more):
    return tiling(M=m, N=n, Ka=k, Kb=k, singleCoreM=single[0], singleCoreN=single[1], singleCoreK=k, baseM=base[0],
                  baseN=base[1], baseK=base[2], usedCoreNum=1, stepM=1, stepN=1, stepKa=1, stepKb=1, depthA1=1, depthB1=1,
                  **more)


def host_tilings(sizes):
    """Tilings that the host's library makes for (m, n, k, cores, type, bias), or why there are none."""
    here = os.path.dirname(os.path.realpath(__file__))
    with tempfile.TemporaryDirectory() as tmp:
        program = os.path.join(tmp, "tiling")
        subprocess.run(["g++", "-std=c++17", "-Wall", "-Wextra", "-Werror", "-I", os.path.dirname(HEADERS), "-I", HEADERS, "-o", program,
                        os.path.join(here, "host", "matmul_tiling.cpp")], check=True)
        for size in sizes:
            yield subprocess.run([program] + [str(int(v)) for v in size] + ["-1", "-1"], check=True, capture_output=True).stdout
        rounded = subprocess.run([program, "9", "9", "9", "1", "1", "0", "17", "1"], check=True, capture_output=True).stdout
        assert rounded == subprocess.run([program, "9", "9", "9", "1", "1", "0", "32", "16"], check=True, capture_output=True).stdout, \
            "baseM of 17 and baseN of 1"


def numbers(count, seed, whole):
    """Small numbers whose sums of products are exact in fp32, so that results do not depend on the order."""
    source = random.Random(seed)
    return [source.randrange(-8, 9) for _ in range(count)] if whole else [source.randrange(-8, 9) / 4 for _ in range(count)]


def product(a, b, m, n, k):
    """m x k times k x n, row by row."""
    columns = [b[j::n] for j in range(n)]
    return [sum(x * y for x, y in zip(a[i * k:(i + 1) * k], column)) for i in range(m) for column in columns]


def transposed(values, rows, cols):
    return [values[i * cols + j] for j in range(cols) for i in range(rows)]


def fractals(values, rows, cols):
    """Row-major to NZ of 16-bit elements: columns of 16, each as high as the matrix; sizes are multiples of 16."""
    return [values[i * cols + c * 16 + j] for c in range(cols // 16) for i in range(rows) for j in range(16)]


def nibbles(values):
    """Bytes of 4-bit numbers, the first of a pair in the low half."""
    return [a & 15 | (b & 15) << 4 for a, b in zip(values[::2], values[1::2])]


def half(value):
    return struct.unpack("<e", struct.pack("<e", value))[0]


# kernel: types of the elements of A and B, of C, of the bias
KINDS = {"matmul_f16": ("f16", "f32", "f32"), "matmul_f16_f16": ("f16", "f16", "f16"), "matmul_bf16": ("bf16", "f32", "f32"),
         "matmul_f32": ("f32", "f32", "f32"), "matmul_s8": ("s8", "s32", "s32"), "matmul_s8_f16": ("s8", "f16", "s32"),
         "matmul_s8_s8": ("s8", "s8", "s32"), "matmul_s4": ("u8", "s32", "s32"), "matmul_s4_f16": ("u8", "f16", "s32")}


def scaled(kernel, c, scales):
    """What quantisation makes of sums; scales are powers of two, so that it rounds once."""
    n = len(scales)
    values = [v * scales[i % n] for i, v in enumerate(c)]
    if kernel.endswith("_f16"):
        return [half(v) for v in values]
    return [max(-128, min(127, round(v))) for v in values]


def case(Tensor, kernel, how, m, n, k, single, base, bias=True, data=None):
    """Arguments of a kernel and what it shall give."""
    whole = kernel.startswith(("matmul_s8", "matmul_s4"))
    a, b, add = numbers(m * k, m, whole), numbers(k * n, n, whole), numbers(n, k, whole)
    stored = nibbles if kernel.startswith("matmul_s4") else list
    if stored is nibbles:
        a, b = ([min(v, 7) for v in values] for values in (a, b))
    c = product(a, b, m, n, k)
    if bias:
        c = [v + add[i % n] for i, v in enumerate(c)]
    scales = [2.0 ** (j % 3 - 5) for j in range(n)] if how & QUANT_EACH else [2.0 ** -4] * n
    if how & (QUANT_ONE | QUANT_EACH):
        c = scaled(kernel, c, scales)
    elif kernel == "matmul_f16_f16":
        c = [half(v) for v in c]
    before = [1] * (m * n)
    if how & ADD:
        c = [v + 1 for v in c]
    kinds = KINDS[kernel]
    blocks = -(-m // single[0]) * -(-n // single[1])
    # the word of a scale: the bits of the fp32 number; bit 46 says that results are signed
    words = [struct.unpack("<I", struct.pack("<f", s))[0] | 1 << 46 for s in scales]
    return blocks, [Tensor(kinds[0], stored(transposed(a, m, k) if how & TRANS_A else a)),
                    Tensor(kinds[0], stored(transposed(b, k, n) if how & TRANS_B else b)), Tensor(kinds[2], add),
                    Tensor(kinds[1], before, c), Tensor("s64", words), how, "null",
                    Tensor("u8", data or shape(m, n, k, single, base, isBias=int(bias)))]


def matmul_types(Tensor):
    cases = [("matmul_f16", TRANS_A * ta + TRANS_B * tb, 50, 70, 100, (32, 48), (16, 32, 32)) for ta in (0, 1) for tb in (0, 1)]
    cases += [(kernel, TRANS_A * ta + TRANS_B * tb, 37, 45, 75, (37, 45), (48, 48, 32))
              for kernel in ("matmul_f32", "matmul_s8") for ta in (0, 1) for tb in (0, 1)]
    cases += [("matmul_f16", STEPS | ADD, 40, 64, 700, (40, 64), (32, 32, 64)), ("matmul_f16", STEPS, 1, 17, 33, (1, 17), (16, 32, 32)),
              ("matmul_bf16", 0, 33, 40, 50, (16, 40), (16, 16, 16)), ("matmul_bf16", TRANS_A | TRANS_B, 33, 40, 50, (33, 40), (48, 48, 16)),
              ("matmul_f16_f16", STEPS, 20, 40, 50, (20, 40), (16, 16, 16)), ("matmul_s8_f16", QUANT_ONE, 35, 50, 64, (35, 50), (48, 64, 64)),
              ("matmul_s8_f16", QUANT_EACH, 35, 50, 64, (32, 32), (16, 16, 64)), ("matmul_s8_s8", QUANT_ONE, 35, 50, 64, (35, 50), (48, 64, 64)),
              ("matmul_s8_s8", QUANT_EACH | STEPS, 35, 64, 70, (35, 64), (48, 32, 64))]
    # rows of 4-bit elements are whole bytes; parts begin at whole bytes too
    cases += [("matmul_s4", TRANS_A * ta + TRANS_B * tb, 38, 82, 150, (20, 50), (32, 64, 128)) for ta in (0, 1) for tb in (0, 1)]
    cases += [("matmul_s4", TRANS_B | STEPS | ADD, 36, 100, 1300, (36, 100), (48, 112, 64)),
              ("matmul_s4_f16", TRANS_B | QUANT_ONE, 35, 50, 64, (35, 50), (48, 64, 64))]
    for kernel, how, m, n, k, single, base in cases:
        blocks, args = case(Tensor, kernel, how, m, n, k, single, base)
        yield f"{kernel}, {m} x {n} x {k}, how {how}", kernel, blocks, args
    sizes = [("matmul_f16", 50, 70, 100, 4, 1), ("matmul_s8", 37, 45, 75, 3, 2), ("matmul_f32", 100, 20, 40, 6, 0), ("matmul_s4", 40, 48, 256, 2, 29)]
    tilings = host_tilings([size[1:] + (True,) for size in sizes])
    for (kernel, m, n, k, cores, _), data in zip(sizes, tilings):
        used, single = struct.unpack("<i", data[:4])[0], struct.unpack("<ii", data[20:28])
        blocks, args = case(Tensor, kernel, STEPS, m, n, k, single, None, data=data)
        assert blocks == used <= cores
        yield f"{kernel}, {m} x {n} x {k} as the host shares it out among {cores}", kernel, blocks, args
    a, b = numbers(48 * 64, 1, False), numbers(64 * 32, 2, False)
    c = product(a, b, 48, 32, 64)
    yield "matmul_nz, 48 x 32 x 64", "matmul_nz", 3, [
        Tensor("f16", fractals(a, 48, 64)), Tensor("f16", fractals(b, 64, 32)), Tensor("f32", [0] * 32),
        Tensor("f32", [0] * (48 * 32), fractals(c, 48, 32)), Tensor("s64", [0] * 32), 0, "null",
        Tensor("u8", shape(48, 32, 64, (16, 32), (16, 16, 32)))]


def matmul_leaky_relu_api(Tensor):
    for blocks, m, n, k, single, base in ((1, 64, 32, 40, (32, 32), (16, 16, 16)), (3, 96, 128, 64, (48, 64), (16, 32, 64)),
                                          (2, 32, 48, 16, (32, 16), (32, 16, 16))):
        a, b, bias = numbers(m * k, 1, False), numbers(k * n, 2, False), numbers(n, 3, False)
        c = [v + bias[i % n] for i, v in enumerate(product(a, b, m, n, k))]
        data = bytearray(shape(m, n, k, single, base, isBias=1))
        used = m // single[0] * (n // single[1])
        data[:4] = struct.pack("<i", used)
        yield f"{used} parts of {single[0]} x {single[1]} in {blocks} blocks", "matmul_leaky_relu_api", blocks, [
            Tensor("f16", a), Tensor("f16", b), Tensor("f32", bias), Tensor("f32", [0] * (m * n), [v if v > 0 else v / 4 for v in c]),
            0.25, "null", Tensor("u8", bytes(data))]


def attention(q, k, v, s1, s2, d, scale):
    """softmax(q k^T scale) v of one head."""
    out = []
    for i in range(s1):
        scores = [scale * sum(x * y for x, y in zip(q[i * d:(i + 1) * d], k[j * d:(j + 1) * d])) for j in range(s2)]
        most = max(scores)
        weights = [math.exp(s - most) for s in scores]
        total = sum(weights)
        out += [sum(w * v[j * d + c] for j, w in enumerate(weights)) / total for c in range(d)]
    return out


def flash_attention(Tensor):
    for kind, heads, s1, s2, d, blocks in (("f16", 2, 40, 150, 32, 2), ("bf16", 3, 33, 64, 16, 1), ("f16", 1, 5, 7, 64, 1)):
        scale = d ** -0.5
        q, k, v = (numbers(heads * n * d, seed, False) for n, seed in ((s1, 1), (s2, 2), (s2, 3)))
        want = []
        for h in range(heads):
            want += attention(q[h * s1 * d:(h + 1) * s1 * d], k[h * s2 * d:(h + 1) * s2 * d], v[h * s2 * d:(h + 1) * s2 * d],
                              s1, s2, d, scale)
        data = struct.pack("<IIIIf", heads, s1, s2, d, scale)
        data += shape(s1, s2, d, (32, 64), (32, 64, d)) + shape(32, d, 64, (32, d), (32, d, 64))
        yield f"{kind}, {heads} heads, {s1} x {s2} x {d}", "flash_attention_" + kind, blocks, [
            Tensor(kind, q), Tensor(kind, k), Tensor(kind, v), Tensor(kind, [0] * len(want), want, 0.02 if kind == "bf16" else 2e-3),
            Tensor("u8", bytes(blocks * 2 * 32 * 64 * 2)), Tensor("u8", data)]
