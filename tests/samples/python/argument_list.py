#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Loading and running an operator with an argument list: values, a placeholder whose data travels along, an update.

    scripts/anpucc -o polynomial.o tests/samples/arguments/arguments.op.c
    scripts/anpu-run /usr/bin/python3 tests/samples/python/argument_list.py polynomial.o
"""
import ctypes
import struct
import sys

import acl


def check(result):
    values = result if isinstance(result, tuple) else (result,)
    if values[-1] != acl.ACL_SUCCESS:
        sys.exit("error %d: %s" % (values[-1], acl.get_recent_err_msg()))
    return values[0] if len(values) == 2 else values[:-1]


def append(arguments, layout, value):
    data = struct.pack(layout, value)
    return check(acl.rt.kernel_args_append(arguments, acl.util.bytes_to_ptr(data), len(data)))


# Runtime resources
check(acl.init())
check(acl.rt.set_device(0))
stream = check(acl.rt.create_stream())
numbers = struct.pack("4f", 0, 1, 2, 3)
x = check(acl.rt.malloc(16, acl.ACL_MEM_MALLOC_HUGE_FIRST))
y = check(acl.rt.malloc(16, acl.ACL_MEM_MALLOC_HUGE_FIRST))
check(acl.rt.memcpy(x, 16, acl.util.bytes_to_ptr(numbers), 16, acl.ACL_MEMCPY_HOST_TO_DEVICE))

# The operator
binary = check(acl.rt.binary_load_from_file(sys.argv[1]))
polynomial = check(acl.rt.binary_get_function(binary, "polynomial"))

# polynomial(x, y, coefficients, degree, n): the coefficients are a placeholder
arguments = check(acl.rt.kernel_args_init(polynomial))
append(arguments, "Q", x)
append(arguments, "Q", y)
coefficients = check(acl.rt.kernel_args_append_place_holder(arguments))
degree = append(arguments, "I", 2)
append(arguments, "I", 4)
table = struct.pack("3f", 1, 10, 100)
buffer = check(acl.rt.kernel_args_get_place_holder_buffer(arguments, coefficients, len(table)))
ctypes.memmove(buffer, table, len(table))
check(acl.rt.kernel_args_finalize(arguments))


def run():
    check(acl.rt.launch_kernel_with_config(polynomial, 1, stream, None, arguments, None))
    check(acl.rt.synchronize_stream(stream))
    result = bytes(16)
    check(acl.rt.memcpy(acl.util.bytes_to_ptr(result), 16, y, 16, acl.ACL_MEMCPY_DEVICE_TO_HOST))
    print("%g %g %g %g" % struct.unpack("4f", result))


run()
# Another degree; after an update the list has to be finalised again
one = struct.pack("I", 1)
check(acl.rt.kernel_args_para_update(arguments, degree, acl.util.bytes_to_ptr(one), len(one)))
check(acl.rt.kernel_args_finalize(arguments))
run()

check(acl.rt.binary_unload(binary))
check(acl.rt.free(x))
check(acl.rt.free(y))
check(acl.rt.destroy_stream(stream))
check(acl.rt.reset_device(0))
check(acl.finalize())
