# SPDX-License-Identifier: MIT
"""More operators of operators/, whose cases operators.py runs: norms, embeddings, moves, casts, drop-out, Adam."""
import math
import random
import struct


def cases(tensor, rand, rounded):
    """{file: function that yields its cases}, made of operators.py's parts."""
    def rms_norm_custom():
        for blocks, rows, cols in ((1, 1, 5), (3, 7, 100), (4, 9, 1024)):
            x, gamma = rand("f16", rows * cols, seed=cols), rand("f16", cols, seed=2)
            want = []
            for row in range(rows):
                part = x[row * cols:(row + 1) * cols]
                scale = 1 / math.sqrt(sum(v * v for v in part) / cols + 1e-5)
                want += [v * scale * g for v, g in zip(part, gamma)]
            yield (f"{rows} rows of {cols}", "rms_norm_custom", blocks,
                   [tensor("f16", x), tensor("f16", gamma), tensor("f16", [0] * len(x), want, 1e-3), rows, cols])

    def rotary_custom():
        for blocks, rows, dim in ((1, 1, 16), (3, 10, 128)):
            x = rand("f32", rows * dim, seed=dim)
            angles = [row * 10000 ** (-2 * (i % (dim // 2)) / dim) for row in range(rows) for i in range(dim)]
            cos, sin = rounded("f32", map(math.cos, angles)), rounded("f32", map(math.sin, angles))
            want = []
            for i, value in enumerate(x):
                j = i % dim
                other = -x[i + dim // 2] if j < dim // 2 else x[i - dim // 2]
                want.append(value * cos[i] + other * sin[i])
            yield (f"{rows} rows of {dim}", "rotary_custom", blocks,
                   [tensor("f32", x), tensor("f32", cos), tensor("f32", sin), tensor("f32", [0] * len(x), want, 1e-6), rows, dim])

    def gather_custom():
        for blocks, entries, n, dim in ((1, 3, 4, 7), (3, 50, 33, 100)):
            table = rand("f16", entries * dim, seed=n)
            index = [random.Random(i).randrange(-1, entries + 1) for i in range(n)]
            want = [v for i in index for v in (table[i * dim:(i + 1) * dim] if 0 <= i < entries else [0] * dim)]
            yield (f"{n} of {entries} rows of {dim}", "gather_custom", blocks,
                   [tensor("f16", table), tensor("s32", index), tensor("f16", [9] * len(want), want), entries, n, dim])

    def transpose_custom():
        for blocks, rows, cols in ((1, 16, 16), (2, 33, 17), (3, 5, 100)):
            x = rand("f16", rows * cols, seed=rows)
            want = [x[r * cols + c] for c in range(cols) for r in range(rows)]
            yield (f"{rows} x {cols}", "transpose_custom", blocks, [tensor("f16", x), tensor("f16", [0] * len(x), want), rows, cols])

    def cast_custom():
        modes = {1: round, 2: math.floor, 3: math.ceil, 4: lambda v: math.copysign(math.floor(abs(v) + 0.5), v), 5: math.trunc}
        x = [i / 4 for i in range(-900, 900, 7)] + [0.5, -0.5, 1.5, 2.5]
        for kernel, kind, least, most in (("cast_f32_s32", "s32", -2 ** 31, 2 ** 31 - 1), ("cast_f32_s16", "s16", -2 ** 15, 2 ** 15 - 1),
                                          ("cast_f16_s8", "s8", -128, 127)):
            for mode, function in modes.items():
                source = "f16" if "f16" in kernel else "f32"
                want = [min(max(int(function(v)), least), most) for v in x]
                yield (f"{kernel} in mode {mode}", kernel, 2, [tensor(source, x), tensor(kind, [0] * len(x), want), len(x), mode])
        y = rand("f32", 700, -9, 9)
        yield "cast_f32_f16", "cast_f32_f16", 1, [tensor("f32", y), tensor("f16", [0] * 700, rounded("f16", y)), 700, 1]
        yield "cast_f16_f32", "cast_f16_f32", 1, [tensor("f16", rounded("f16", y)), tensor("f32", [0] * 700, rounded("f16", y)), 700, 0]
        whole = list(range(-300, 300))
        yield "cast_s32_f32", "cast_s32_f32", 2, [tensor("s32", whole), tensor("f32", [0] * 600, whole), 600, 1]
        yield "cast_u8_f16", "cast_u8_f16", 1, [tensor("u8", range(256)), tensor("f16", [0] * 256, range(256)), 256, 0]

    def dropout_custom():
        for blocks, n in ((1, 8), (3, 1707)):
            x = rand("f32", n, seed=n)
            bits = bytes(random.Random(n).randrange(256) for _ in range((n + 7) // 8))
            want = [v / 0.75 if bits[i // 8] >> i % 8 & 1 else 0 for i, v in enumerate(x)]
            yield (f"{n} elements", "dropout_custom", blocks,
                   [tensor("f32", x), tensor("u8", bits), tensor("f32", [0] * n, want, 1e-6), n, 0.75])

    def adam_custom():
        rate, beta1, beta2, epsilon, step = 1e-2, 0.9, 0.999, 1e-8, 3
        for blocks, n in ((1, 1), (3, 2500)):
            g, m, p = (rand("f32", n, seed=s) for s in (1, 2, 3))
            v = [abs(a) for a in rand("f32", n, seed=4)]
            m2 = [beta1 * a + (1 - beta1) * b for a, b in zip(m, g)]
            v2 = [beta2 * a + (1 - beta2) * b * b for a, b in zip(v, g)]
            c1, c2 = 1 / (1 - beta1 ** step), 1 / (1 - beta2 ** step)
            p2 = [a - rate * c1 * b / (math.sqrt(c2 * c) + epsilon) for a, b, c in zip(p, m2, v2)]
            yield (f"{n} parameters", "adam_custom", blocks,
                   [tensor("f32", g), tensor("f32", m, m2, 1e-6), tensor("f32", v, v2, 1e-6), tensor("f32", p, p2, 1e-6), "null",
                    tensor("u8", struct.pack("<Iffffff", n, rate, beta1, beta2, epsilon, c1, c2))])

    def select_custom():
        for blocks, n in ((1, 1), (1, 64), (3, 1003)):
            x, y = rand("f32", n, seed=n), rand("f32", n, seed=n + 1)
            yield (f"{n} numbers", "select_custom", blocks,
                   [tensor("f32", x), tensor("f32", y), tensor("f32", [0] * n, list(map(min, x, y))),
                    tensor("f32", [0] * n, list(map(max, x, y))), n])

    return {function.__name__: function for function in (rms_norm_custom, rotary_custom, gather_custom, transpose_custom, cast_custom,
                                                         dropout_custom, adam_custom, select_custom)}
