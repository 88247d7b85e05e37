#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""An operator called with numpy arrays: what is const goes to the device, all else also comes back.

    scripts/anpu-run /usr/bin/python3 tests/samples/python/numpy_operator.py [OPERATORS.o]
"""
import sys

import numpy as np

from acl import easy

path = sys.argv[1] if len(sys.argv) > 1 else "build/operators/softmax.o"
rows, columns = 4, 100
x = np.random.default_rng(1).normal(size=(rows, columns)).astype(np.float32)
y = np.empty_like(x)

with easy.Device() as npu:
    npu.load(path).softmax_f32(x, y, rows, columns, blocks=rows)

expected = np.exp(x - x.max(axis=1, keepdims=True))
expected /= expected.sum(axis=1, keepdims=True)
print("rows sum to", *(round(float(s), 4) for s in y.sum(axis=1)))
print("as numpy computes it:", np.allclose(y, expected, rtol=1e-3, atol=1e-5))
