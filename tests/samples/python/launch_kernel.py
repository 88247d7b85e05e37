#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""An operator whose arguments lie in device memory: acl.rt.launch_kernel(), then acl.rt.launch_kernel_v2() with attributes.

    scripts/anpu-run /usr/bin/python3 tests/samples/python/launch_kernel.py [OPERATORS.o]
"""
import struct
import sys

import acl


def check(result):
    values = result if isinstance(result, tuple) else (result,)
    if values[-1] != acl.ACL_SUCCESS:
        sys.exit("error %d: %s" % (values[-1], acl.get_recent_err_msg()))
    return values[0] if len(values) == 2 else values[:-1]


def to_device(data):
    pointer = check(acl.rt.malloc(len(data), acl.ACL_MEM_MALLOC_HUGE_FIRST))
    check(acl.rt.memcpy(pointer, len(data), acl.util.bytes_to_ptr(data), len(data), acl.ACL_MEMCPY_HOST_TO_DEVICE))
    return pointer


path = sys.argv[1] if len(sys.argv) > 1 else "build/operators/vadd.o"
check(acl.init())
check(acl.rt.set_device(0))
stream = check(acl.rt.create_stream())
binary = check(acl.rt.binary_load_from_file(path))
add = check(acl.rt.binary_get_function(binary, "vadd_f32"))

x = to_device(struct.pack("4f", 1, 2, 3, 4))
y = to_device(struct.pack("4f", 100, 200, 300, 400))
arguments = struct.pack("QQQI4x", x, y, y, 4)
block = to_device(arguments)
check(acl.rt.launch_kernel(add, 1, block, len(arguments), stream))
# Batch scheduling: all blocks start together; at most 10 seconds
attributes = [{"id": acl.ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE, "value": 1},
              {"id": acl.ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT, "value": 10}]
check(acl.rt.launch_kernel_v2(add, 2, block, len(arguments), attributes, stream))
check(acl.rt.synchronize_stream(stream))

result = bytes(16)
check(acl.rt.memcpy(acl.util.bytes_to_ptr(result), 16, y, 16, acl.ACL_MEMCPY_DEVICE_TO_HOST))
print("%g %g %g %g" % struct.unpack("4f", result))

for pointer in (x, y, block):
    check(acl.rt.free(pointer))
check(acl.rt.binary_unload(binary))
check(acl.rt.destroy_stream(stream))
check(acl.rt.reset_device(0))
check(acl.finalize())
