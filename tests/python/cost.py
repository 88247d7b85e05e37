#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What a call through the module acl costs, beside a call of Python that does nothing and beside the same call from C.

usage: scripts/anpu-run --no-tty --env PYTHONPATH=build/python /usr/bin/python3 tests/python/cost.py build/tests/libacl/ops.o

The call that does nothing is sys.getrecursionlimit(), a C function without arguments. The same calls from C are loops of
tests/python/cost.c, which is compiled before:
  cc -O2 -shared -fPIC -Iinclude -o build/tests/python/cost.so tests/python/cost.c -Lbuild/lib -lascendcl
"""

import ctypes
import os
import struct
import sys
import time

import acl

ROUNDS = 7


def best(function, count):
    """Nanoseconds of one call, at best of some rounds; the loop's own time is taken off."""
    lowest = None
    for _ in range(ROUNDS):
        numbers = range(count)
        start = time.perf_counter_ns()
        for _ in numbers:
            pass
        empty = time.perf_counter_ns() - start
        start = time.perf_counter_ns()
        for _ in numbers:
            function()
        taken = (time.perf_counter_ns() - start - empty) / count
        lowest = taken if lowest is None else min(lowest, taken)
    return lowest


def best_in_c(function, count, *arguments):
    function.restype = ctypes.c_double
    return min(function(count, *arguments) for _ in range(ROUNDS))


def main():
    loops = ctypes.CDLL(os.path.join(os.path.dirname(sys.argv[1]), "..", "python", "cost.so"))
    assert acl.init() == 0 and acl.rt.set_device(0) == 0
    stream, device = acl.rt.create_stream()[0], acl.rt.malloc(4096, 0)[0]
    binary = acl.rt.binary_load_from_file(sys.argv[1], [])[0]
    kernel = acl.rt.binary_get_function(binary, "nothing")[0]
    args = acl.rt.malloc(64, 0)[0]
    data = bytes(4096)
    host = acl.util.bytes_to_ptr(data)
    get_device, launch, memcpy, sync = acl.rt.get_device, acl.rt.launch_kernel, acl.rt.memcpy, acl.rt.synchronize_stream

    def some_launches():
        for _ in range(64):
            launch(kernel, 1, args, 8, stream)

    floor = best(sys.getrecursionlimit, 200000)
    device_cost = best(get_device, 200000)
    device_c = best_in_c(loops.cost_get_device, 200000)
    memcpy_cost = best(lambda: memcpy(device, 4096, host, 4096, 1), 5000)
    memcpy_c = best_in_c(loops.cost_memcpy, 5000, ctypes.c_void_p(device), ctypes.c_void_p(host))
    lowest = None
    for _ in range(40):
        start = time.perf_counter_ns()
        some_launches()
        taken = (time.perf_counter_ns() - start) / 64
        lowest = taken if lowest is None else min(lowest, taken)
        assert sync(stream) == 0
    launch_c = min(loops_launch(loops, kernel, args, stream, sync) for _ in range(40))
    print("a call that does nothing     %8.1f ns" % floor)
    print("get_device                   %8.1f ns, %4.2f times that; %.1f ns in C" % (device_cost, device_cost / floor, device_c))
    print("memcpy of 4 KiB              %8.1f ns, %8.1f in C; beyond the floor %4.2f times C"
          % (memcpy_cost, memcpy_c, (memcpy_cost - floor) / memcpy_c))
    print("launch_kernel                %8.1f ns, %8.1f in C; beyond the floor %4.2f times C"
          % (lowest, launch_c, (lowest - floor) / launch_c))


def loops_launch(loops, kernel, args, stream, sync):
    loops.cost_launch.restype = ctypes.c_double
    taken = loops.cost_launch(64, ctypes.c_void_p(kernel), ctypes.c_void_p(args), ctypes.c_void_p(stream))
    assert sync(stream) == 0
    return taken


main()
