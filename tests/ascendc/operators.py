# SPDX-License-Identifier: MIT
"""Inputs and references of the operators in operators/. A case is a name, blocks, arguments, expected results."""
import os
import random
import struct
import subprocess

CODES = {"f32": "f", "f16": "e", "s32": "i", "u32": "I", "s16": "h", "u16": "H", "s8": "b", "u8": "B", "s64": "q"}


class Tensor:
    """Elements of a type; want is what the operator shall leave there, None if it does not matter."""
    def __init__(self, kind, values, want=None, tolerance=0.0):
        self.kind, self.values, self.want, self.tolerance = kind, list(values), want, tolerance

    def data(self):
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


def run(op, name, obj, tmp):
    """Runs the cases of the operator of that name; yields the case and what was wrong."""
    for case, kernel, blocks, args in globals()[name]():
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
        got = struct.unpack(f"<{len(arg.values)}{CODES[arg.kind]}", file.read())
    for j, (have, want) in enumerate(zip(got, arg.want)):
        if have != want and not abs(have - want) <= arg.tolerance * max(1.0, abs(want)) and (have == have or want == want):
            return f"argument {i}: element {j} is {have}, expected {want} (tolerance {arg.tolerance})"
    return ""
