# SPDX-License-Identifier: MIT
"""Inputs and references of the operators in operators/. A case is a name, blocks, arguments, expected results."""
import math
import os
import random
import struct
import subprocess

import batch
import matmul
import more_operators
import sync

CODES = {"f32": "f", "f16": "e", "s32": "i", "u32": "I", "s16": "h", "u16": "H", "s8": "b", "u8": "B", "s64": "q"}


class Tensor:
    """Elements of a type; want is what the operator shall leave there, None if it does not matter."""
    def __init__(self, kind, values, want=None, tolerance=0.0):
        self.kind, self.values, self.want, self.tolerance = kind, list(values), want, tolerance

    def data(self):
        if self.kind == "bf16":
            # the upper halves of fp32 numbers; the tests take numbers that bfloat16 has
            return b"".join(struct.pack("<f", v)[2:] for v in self.values)
        return struct.pack(f"<{len(self.values)}{CODES[self.kind]}", *self.values)


def rounded(kind, values):
    """The numbers as the type has them."""
    values = list(values)
    code = f"<{len(values)}{CODES[kind]}"
    return list(struct.unpack(code, struct.pack(code, *values)))


def rand(kind, n, low=-4.0, high=4.0, seed=1):
    source = random.Random(seed)
    return rounded(kind, (source.uniform(low, high) for _ in range(n)))


def add_custom():
    for blocks, length, tile in ((1, 16, 16), (8, 2048, 128), (3, 496, 112)):
        n = blocks * length
        x, y = rand("f16", n, seed=1), rand("f16", n, seed=2)
        z = rounded("f16", (a + b for a, b in zip(x, y)))
        yield (f"{blocks} blocks of {length} in tiles of {tile}", "add_custom", blocks,
               [Tensor("f16", x), Tensor("f16", y), Tensor("f16", [0] * n, z), length, tile])


def leaky_relu_custom():
    for blocks, n, tile in ((1, 1, 64), (3, 1000, 64), (5, 4097, 512)):
        x = rand("f32", n, seed=n)
        slope = rounded("f32", [0.3])[0]
        y = rounded("f32", (v if v > 0 else v * slope for v in x))
        tiling = Tensor("u8", struct.pack("<IIf", n, tile, slope))
        yield (f"{n} elements in {blocks} blocks", "leaky_relu_custom", blocks,
               [Tensor("f32", x), Tensor("f32", [0] * n, y), "null", tiling])


def softmax_custom():
    for blocks, rows, cols in ((1, 1, 1), (2, 5, 33), (3, 7, 1000)):
        x = rand("f32", rows * cols, -20, 20, seed=cols)
        want = []
        for row in range(rows):
            part = x[row * cols:(row + 1) * cols]
            most = max(part)
            exps = [math.exp(v - most) for v in part]
            want += [v / sum(exps) for v in exps]
        yield (f"{rows} rows of {cols}", "softmax_custom", blocks,
               [Tensor("f32", x), Tensor("f32", [0] * len(x), want, 1e-6), rows, cols])


def gelu_custom():
    for blocks, n in ((1, 5), (4, 5000)):
        x = rand("f16", n, -8, 8, seed=n)
        y = [v / (1 + math.exp(-1.5957691 * (v + 0.044715 * v ** 3))) for v in x]
        yield (f"{n} elements", "gelu_custom", blocks, [Tensor("f16", x), Tensor("f16", [0] * n, y, 1e-3), n])


def reduce_sum_custom():
    for blocks, n in ((1, 3), (4, 9999), (3, 4096)):
        x = [random.Random(i).randrange(-64, 64) / 4 for i in range(n)]
        yield (f"{n} elements in {blocks} blocks", "reduce_sum_custom", blocks,
               [Tensor("f32", x), Tensor("f32", [0], [sum(x)]), n])


def layer_norm_custom():
    for blocks, rows, cols in ((1, 2, 8), (2, 5, 100), (4, 4, 777)):
        x, gamma, beta = rand("f32", rows * cols, seed=1), rand("f32", cols, seed=2), rand("f32", cols, seed=3)
        want = []
        for row in range(rows):
            part = x[row * cols:(row + 1) * cols]
            mean = sum(part) / cols
            scale = 1 / math.sqrt(sum((v - mean) ** 2 for v in part) / cols + 1e-5)
            want += [(v - mean) * scale * g + b for v, g, b in zip(part, gamma, beta)]
        yield (f"{rows} rows of {cols}", "layer_norm_custom", blocks,
               [Tensor("f32", x), Tensor("f32", gamma), Tensor("f32", beta), Tensor("f32", [0] * len(x), want, 1e-5),
                "null", Tensor("u8", struct.pack("<IIf", rows, cols, 1e-5))])


def topk_custom():
    for n, k in ((8, 3), (100, 100), (1024, 17)):
        x = [v / 8 for v in random.Random(n).sample(range(-9999, 9999), n)]
        order = sorted(range(n), key=lambda i: -x[i])[:k]
        yield (f"{k} of {n}", "topk_custom", 1,
               [Tensor("f32", x), Tensor("f32", [0] * k, [x[i] for i in order]), Tensor("u32", [0] * k, order), n, k])


def matmul_custom():
    for m, n, k in ((16, 16, 16), (32, 48, 64), (64, 32, 128)):
        a = [random.Random(i).randrange(-8, 8) / 2 for i in range(m * k)]
        b = [random.Random(-i - 1).randrange(-8, 8) / 2 for i in range(k * n)]
        c = [sum(a[i * k + p] * b[p * n + j] for p in range(k)) for i in range(m) for j in range(n)]
        yield (f"{m} x {n} x {k}", "matmul_custom", 1,
               [Tensor("f16", a), Tensor("f16", b), Tensor("f32", [0] * (m * n), c), m, n, k])


def matmul_leaky_relu():
    for blocks, k in ((1, 16), (3, 64)):
        m, n = 32 * blocks, 32
        a = [random.Random(i).randrange(-8, 8) / 2 for i in range(m * k)]
        b = [random.Random(-i - 1).randrange(-8, 8) / 2 for i in range(k * n)]
        c = [sum(a[i * k + p] * b[p * n + j] for p in range(k)) for i in range(m) for j in range(n)]
        yield (f"{blocks} blocks, k {k}", "matmul_leaky_relu", blocks,
               [Tensor("f16", a), Tensor("f16", b), Tensor("f32", [0] * (m * n), [v if v > 0 else v / 4 for v in c]), k, 0.25])


def logistic(x):
    return 1 / (1 + math.exp(-x)) if x > -700 else 0.0


def gelu(x):
    return x * logistic(1.5957691216 * (x + 0.044715 * x ** 3))


def faster_gelu2(x):
    return x * (math.copysign(1, x) * (-0.1444 * (min(abs(0.7071 * x), 1.769) - 1.769) ** 2 + 0.5) + 0.5)


def digamma(x):
    if x < 0.5:
        return digamma(1 - x) - math.pi / math.tan(math.pi * x)
    total = 0.0
    while x < 20:
        total -= 1 / x
        x += 1
    return total + math.log(x) - 1 / (2 * x) - 1 / (12 * x ** 2) + 1 / (120 * x ** 4) - 1 / (252 * x ** 6)


def power(a, b):
    if a < 0 and b != int(b):
        return math.nan
    return math.pow(a, b)


# By number in math_custom.cpp: name, reference, bounds of x and y, largest error of float
MATH = (
    ("Atan", lambda x, y: math.atan(x), (-9, 9), (0, 1), 3e-7), ("Asin", lambda x, y: math.asin(x), (-1, 1), (0, 1), 5e-7),
    ("Acos", lambda x, y: math.acos(x), (-1, 1), (0, 1), 5e-7), ("Sinh", lambda x, y: math.sinh(x), (-9, 9), (0, 1), 2e-6),
    ("Cosh", lambda x, y: math.cosh(x), (-9, 9), (0, 1), 2e-6), ("Asinh", lambda x, y: math.asinh(x), (-50, 50), (0, 1), 5e-7),
    ("Acosh", lambda x, y: math.acosh(x), (1, 50), (0, 1), 5e-7), ("Atanh", lambda x, y: math.atanh(x), (-.99, .99), (0, 1), 2e-6),
    ("Erfc", lambda x, y: math.erfc(x), (-4, 4), (0, 1), 1e-6), ("Lgamma", lambda x, y: math.lgamma(x), (-3.9, 30), (0, 1), 8e-6),
    ("Digamma", lambda x, y: digamma(x), (-3.9, 30), (0, 1), 3e-5), ("Power", lambda x, y: power(x, y), (0.1, 4), (-4, 4), 2e-6),
    ("Power by a number", lambda x, y: power(x, 2.5), (0, 9), (0, 1), 2e-6),
    ("Power of a number", lambda x, y: power(1.5, x), (-9, 9), (0, 1), 2e-6),
    ("Sign", lambda x, y: (x > 0) - (x < 0), (-2, 2), (0, 1), 0), ("FasterGelu", lambda x, y: x * logistic(1.702 * x), (-8, 8), (0, 1), 2e-6),
    ("FasterGeluV2", lambda x, y: faster_gelu2(x), (-8, 8), (0, 1), 1e-6), ("Gelu", lambda x, y: gelu(x), (-8, 8), (0, 1), 2e-6),
    ("GeGLU", lambda x, y: x * gelu(y), (-4, 4), (-4, 4), 3e-6), ("ReGlu", lambda x, y: x * max(y, 0), (-4, 4), (-4, 4), 1e-7),
    ("SwiGLU", lambda x, y: x * y * logistic(1.5 * y), (-4, 4), (-4, 4), 2e-6),
    ("Swish", lambda x, y: x * logistic(x / 2), (-8, 8), (0, 1), 2e-6), ("Silu", lambda x, y: x * logistic(x), (-8, 8), (0, 1), 2e-6),
    ("Sigmoid", lambda x, y: logistic(x), (-20, 20), (0, 1), 1e-6), ("Tan", lambda x, y: math.tan(x), (-1.4, 1.4), (0, 1), 1e-6),
    ("Fmod", lambda x, y: math.fmod(x, y), (-20, 20), (7, 8), 2e-6), ("Log2", lambda x, y: math.log2(x), (0.1, 100), (0, 1), 5e-7),
    ("Log10", lambda x, y: math.log10(x), (0.1, 100), (0, 1), 5e-7), ("Frac", lambda x, y: x - math.trunc(x), (-9, 9), (0, 1), 0),
    ("Round", lambda x, y: math.copysign(math.floor(abs(x) + 0.5), x), (-9, 9), (0, 1), 0), ("Rint", lambda x, y: round(x), (-9, 9), (0, 1), 0),
    ("Exp", lambda x, y: math.exp(x), (-9, 9), (0, 1), 2e-7), ("Tanh", lambda x, y: math.tanh(x), (-9, 9), (0, 1), 2e-7),
    ("Erf", lambda x, y: math.erf(x), (-3, 3), (0, 1), 2e-7), ("Log", lambda x, y: math.log(x), (0.1, 100), (0, 1), 2e-7),
)


def math_custom():
    for which, (name, function, xs, ys, tolerance) in enumerate(MATH):
        for kind, kernel, n, blocks in (("f32", "math_float", 1301, 2), ("f16", "math_half", 77, 1)):
            x, y = rand(kind, n, *xs, seed=which), rand(kind, n, *ys, seed=-which - 1)
            if name == "Power" and kind == "f32":
                x[:8], y[:8] = [-2.0, -2.0, -0.5, 0.0, 0.0, -1.5, 1.0, -3.0], [3.0, 2.0, -3.0, 2.0, 0.0, 0.5, 9.0, 0.0]
            z = [function(a, b) for a, b in zip(x, y)]
            yield (f"{name} of {kind}", kernel, blocks,
                   [Tensor(kind, x), Tensor(kind, y), Tensor(kind, [0] * n, z, tolerance if kind == "f32" else 1e-3), n, which])


def run(op, name, obj, tmp):
    """Runs the cases of the operator of that name; yields the case and what was wrong."""
    more = more_operators.cases(Tensor, rand, rounded)
    named = more.get(name) or globals().get(name)
    for case, kernel, blocks, args in named() if named else next(getattr(m, name) for m in (matmul, batch, sync) if hasattr(m, name))(Tensor):
        yield case, one(op, obj, tmp, kernel, blocks, args)


def one(op, obj, tmp, kernel, blocks, args):
    command = [op, "--check", "--cast", f"--blocks={blocks}"]
    words, results = [], []
    for i, arg in enumerate(args):
        if not isinstance(arg, Tensor):
            words.append(str(arg))
            continue
        path = os.path.join(tmp, f"in{i}")
        with open(path, "wb") as file:
            file.write(arg.data())
        words.append(f"{arg.kind}[{len(arg.values)}]=@{path}")
        if arg.want is not None:
            out = os.path.join(tmp, f"out{i}")
            command.append(f"--write={i}={out}")
            results.append((i, arg, out))
    done = subprocess.run(command + [obj, kernel] + words, capture_output=True, encoding="utf-8", check=False)
    if done.returncode:
        return done.stdout + done.stderr
    return "\n".join(filter(None, (differs(i, arg, out) for i, arg, out in results)))


def differs(i, arg, path):
    """What is wrong with a result, or nothing."""
    with open(path, "rb") as file:
        data = file.read()
    if arg.kind == "bf16":
        got = [struct.unpack("<f", b"\0\0" + data[i:i + 2])[0] for i in range(0, len(data), 2)]
    else:
        got = struct.unpack(f"<{len(arg.values)}{CODES[arg.kind]}", data)
    for j, (have, want) in enumerate(zip(got, arg.want)):
        if have != want and not abs(have - want) <= arg.tolerance * max(1.0, abs(want)) and (have == have or want == want):
            return f"argument {i}: element {j} is {have}, expected {want} (tolerance {arg.tolerance})"
    return ""
