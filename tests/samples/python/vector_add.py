#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The first program of README.md in Python: adds two vectors on the NPU, call by call as in C.

    scripts/anpu-run /usr/bin/python3 tests/samples/python/vector_add.py [OPERATORS.o]
"""
import struct
import sys

import acl


def check(result):
    """The values that a call returned, without the error code behind them."""
    values = result if isinstance(result, tuple) else (result,)
    if values[-1] != acl.ACL_SUCCESS:
        sys.exit("error %d: %s" % (values[-1], acl.get_recent_err_msg()))
    return values[0] if len(values) == 2 else values[:-1]


path = sys.argv[1] if len(sys.argv) > 1 else "build/operators/vadd.o"
n = 3
a, b = struct.pack("3f", 1, 2, 3), struct.pack("3f", 10, 20, 30)

check(acl.init())
check(acl.rt.set_device(0))
x, y, z = (check(acl.rt.malloc(len(a), acl.ACL_MEM_MALLOC_HUGE_FIRST)) for _ in range(3))
check(acl.rt.memcpy(x, len(a), acl.util.bytes_to_ptr(a), len(a), acl.ACL_MEMCPY_HOST_TO_DEVICE))
check(acl.rt.memcpy(y, len(b), acl.util.bytes_to_ptr(b), len(b), acl.ACL_MEMCPY_HOST_TO_DEVICE))
binary = check(acl.rt.binary_load_from_file(path))
add = check(acl.rt.binary_get_function(binary, "vadd_f32"))

arguments = struct.pack("QQQI4x", x, y, z, n)
check(acl.rt.launch_kernel_with_host_args(add, 1, 0, None, acl.util.bytes_to_ptr(arguments), len(arguments), [], 0))
check(acl.rt.synchronize_stream(0))

c = bytes(len(a))
check(acl.rt.memcpy(acl.util.bytes_to_ptr(c), len(c), z, len(c), acl.ACL_MEMCPY_DEVICE_TO_HOST))
print("%g %g %g" % struct.unpack("3f", c))
check(acl.rt.binary_unload(binary))
for pointer in (x, y, z):
    check(acl.rt.free(pointer))
check(acl.rt.reset_device(0))
check(acl.finalize())
