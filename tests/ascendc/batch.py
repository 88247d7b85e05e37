# SPDX-License-Identifier: MIT
"""Inputs and references of the operators that multiply batches of matrices."""
import math
import random
import struct

from matmul import numbers, product, shape, transposed


def interleaved(matrices, rows, cols):
    """Matrices as BSNGD has them: row by row of all."""
    return [v for i in range(rows) for m in matrices for v in m[i * cols:(i + 1) * cols]]


def matmul_batch(Tensor):
    m, n, k = 20, 24, 33
    for batch_a, batch_b in ((4, 4), (2, 4), (3, 1)):
        a = [numbers(m * k, i, False) for i in range(batch_a)]
        b = [numbers(k * n, 50 + i, False) for i in range(batch_b)]
        most = max(batch_a, batch_b)
        c = [product(a[i * batch_a // most], b[i * batch_b // most], m, n, k) for i in range(most)]
        stored_b = [transposed(x, k, n) for x in b]
        flat = [v for x in c for v in x]
        yield f"batch_normal, {batch_a} and {batch_b}", "batch_normal", 1, [
            Tensor("f16", sum(a, [])), Tensor("f16", sum(stored_b, [])), Tensor("f32", [0] * len(flat), flat), batch_a, batch_b,
            Tensor("u8", shape(m, n, k, (m, n), (16, 32, 32)))]
        want = interleaved(c, m, n)
        layouts = {"ALayoutInfoB": 1, "ALayoutInfoS": m, "ALayoutInfoN": batch_a, "ALayoutInfoG": 1, "ALayoutInfoD": k,
                   "BLayoutInfoB": 1, "BLayoutInfoS": n, "BLayoutInfoN": batch_b, "BLayoutInfoG": 1, "BLayoutInfoD": k,
                   "CLayoutInfoB": 1, "CLayoutInfoS1": m, "CLayoutInfoN": most, "CLayoutInfoG": 1, "CLayoutInfoS2": n}
        yield f"batch_bsngd, {batch_a} and {batch_b}", "batch_bsngd", 1, [
            Tensor("f16", interleaved(a, m, k)), Tensor("f16", interleaved(stored_b, n, k)), Tensor("f32", [0] * len(want), want),
            batch_a, batch_b, Tensor("u8", shape(m, n, k, (m, n), (32, 16, 16), **layouts))]
    for blocks, count in ((1, 3), (3, 7)):
        a, b, bias = numbers(count * m * k, 1, False), numbers(count * k * n, 2, False), numbers(n, 3, False)
        want = []
        for i in range(count):
            part = product(a[i * m * k:(i + 1) * m * k], b[i * k * n:(i + 1) * k * n], m, n, k)
            want += [v + bias[j % n] for j, v in enumerate(part)]
        yield f"batch_steps, {count} in {blocks} blocks", "batch_steps", blocks, [
            Tensor("f16", a), Tensor("f16", b), Tensor("f32", bias), Tensor("f32", [0] * len(want), want), count,
            Tensor("u8", shape(m, n, k, (m, n), (32, 32, 64)))]


def convolution(x, f, c1, h, w, cout, kernel, stride, pad):
    """x: NC1HWC0 of one image; f: rows by channel plane, filter row and column, channel; the result row by row of pixels."""
    kh, kw = kernel
    out = []
    for y in range((h + 2 * pad - kh) // stride + 1):
        for z in range((w + 2 * pad - kw) // stride + 1):
            sums = [0.0] * cout
            for c in range(c1):
                for i in range(kh):
                    for j in range(kw):
                        row, col = y * stride + i - pad, z * stride + j - pad
                        if not (0 <= row < h and 0 <= col < w):
                            continue
                        for e in range(16):
                            pixel = x[((c * h + row) * w + col) * 16 + e]
                            at = (((c * kh + i) * kw + j) * 16 + e) * cout
                            for o in range(cout):
                                sums[o] += pixel * f[at + o]
            out += sums
    return out


def conv_custom(Tensor):
    for blocks, c1, h, w, cout, kernel, stride, pad in ((1, 1, 5, 7, 16, (3, 3), 1, 1), (2, 2, 6, 5, 32, (2, 3), 2, 0)):
        x = numbers(blocks * c1 * h * w * 16, 1, False)
        f = numbers(c1 * kernel[0] * kernel[1] * 16 * cout, 2, False)
        size, want = c1 * h * w * 16, []
        for i in range(blocks):
            want += convolution(x[i * size:(i + 1) * size], f, c1, h, w, cout, kernel, stride, pad)
        tiling = struct.pack("<4H4B", c1, h, w, cout, kernel[0], kernel[1], stride, pad)
        yield f"{blocks} images of {h} x {w} x {16 * c1}, {kernel[0]} x {kernel[1]} to {cout}", "conv_custom", blocks, [
            Tensor("f16", x), Tensor("f16", f), Tensor("f32", [0] * len(want), want), Tensor("u8", tiling)]


def moe_routing(Tensor):
    for blocks, tokens, experts, k in ((1, 1, 4, 1), (3, 50, 29, 6), (4, 17, 32, 2)):
        source = random.Random(tokens)
        scores = [v / 8 for _ in range(tokens) for v in source.sample(range(-40, 40), experts)]
        weights, chosen, counts = [], [], [0] * experts
        for token in range(tokens):
            row = scores[token * experts:(token + 1) * experts]
            best = sorted(range(experts), key=lambda e, r=row: -r[e])[:k]
            exps = [math.exp(row[e] - row[best[0]]) for e in best]
            weights += [v / sum(exps) for v in exps]
            chosen += best
            for e in best:
                counts[e] += 1
        yield f"{tokens} tokens, {k} of {experts} experts, {blocks} blocks", "moe_routing", blocks, [
            Tensor("f32", scores), Tensor("f32", [0] * len(weights), weights, 1e-6), Tensor("u32", [0] * len(chosen), chosen),
            Tensor("s32", [0] * experts, counts), tokens, experts, k]
