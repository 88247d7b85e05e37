#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The same with acl.easy: nothing to give back, errors are exceptions.

    scripts/anpu-run /usr/bin/python3 tests/samples/python/easy_add.py [OPERATORS.o]
"""
import sys

from acl import easy

path = sys.argv[1] if len(sys.argv) > 1 else "build/operators/vadd.o"

with easy.Device() as npu:
    add = npu.load(path).vadd_f32
    print(add)
    z = npu.empty(3)
    add(npu.array([1.0, 2.0, 3.0]), npu.array([10.0, 20.0, 30.0]), z, 3)
    print(*z.tolist())
    try:
        add(z, z, npu.empty(3, "int32"), 3)
    except TypeError as error:
        print(error)
