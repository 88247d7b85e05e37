# SPDX-License-Identifier: MIT
import numpy as np

x = np.random.uniform(-4, 4, [10, 100]).astype(np.float16)
x.tofile("./input/input_x.bin")
(x * 2).tofile("./output/golden.bin")
