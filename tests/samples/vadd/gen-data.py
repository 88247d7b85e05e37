#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Makes files of random numbers for vadd.

usage: gen-data.py COUNT FILE... [--seed=N] [--range=LOW,HIGH]
FILE ends in .f32 or .f16 for raw little-endian elements, anything else is text. The numbers depend only on
seed, count, range and the position of the file on the command line."""
import random
import struct
import sys


def write(path, values):
    kind = {"f32": "f", "f16": "e"}.get(path.rsplit(".", 1)[-1])
    if kind:
        data = struct.pack(f"<{len(values)}{kind}", *values)
    else:
        data = "".join(f"{v:.6g}\n" for v in values).encode()
    with open(path, "wb") as file:
        file.write(data)


def main(args):
    seed, low, high = 1, -100.0, 100.0
    files = []
    try:
        for arg in args:
            if arg.startswith("--seed="):
                seed = int(arg[7:])
            elif arg.startswith("--range="):
                low, high = (float(v) for v in arg[8:].split(","))
            else:
                files.append(arg)
        count = int(files.pop(0))
        if count < 1 or not files:
            raise ValueError
    except (ValueError, IndexError):
        sys.exit(__doc__)
    for number, path in enumerate(files):
        source = random.Random(seed * 1000 + number)
        try:
            write(path, [source.uniform(low, high) for _ in range(count)])
        except OSError as err:
            sys.exit(f"gen-data.py: cannot write '{path}': {err.strerror}")
        except OverflowError:
            sys.exit(f"gen-data.py: numbers from {low} to {high} do not fit into '{path}'")


main(sys.argv[1:])
