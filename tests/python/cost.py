#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What a call through the module acl costs, beside a call of Python that does nothing and beside the same call from C.

usage: tests/python/cost [--direct]     in the VM, or with the device model in the process

The call that does nothing is a function of tests/python/cost.c, which is a module of Python, too; so are the loops of
the same calls from C. Each number is the least of many short rounds.
"""

import ctypes
import struct
import sys
import time

import acl

ROUNDS = 300


class Cost:
    """Nanoseconds of one call, at best of some rounds; each is so short that it often runs without a pause."""

    def __init__(self, one, count):
        self.one, self.count, self.best = one, count, float("inf")

    def round(self):
        self.best = min(self.best, self.one(self.count))


def from_python(function):
    def one(count):
        numbers = range(count)
        start = time.perf_counter_ns()
        for _ in numbers:
            function()
        return (time.perf_counter_ns() - start) / count

    return one


def loop(count):
    numbers = range(count)
    start = time.perf_counter_ns()
    for _ in numbers:
        pass
    return (time.perf_counter_ns() - start) / count


def from_c(function, *arguments):
    function.restype = ctypes.c_double
    values = [ctypes.c_void_p(a) for a in arguments]
    return lambda count: function(count, *values)


def main():
    sys.path.insert(0, sys.argv[2])
    import cost_in_c  # pylint: disable=import-outside-toplevel
    loops = ctypes.CDLL(cost_in_c.__file__)
    assert acl.init() == 0 and acl.rt.set_device(0) == 0
    stream, device = acl.rt.create_stream()[0], acl.rt.malloc(4096, 0)[0]
    binary = acl.rt.binary_load_from_file(sys.argv[1], [])[0]
    kernel = acl.rt.binary_get_function(binary, "nothing")[0]
    args = acl.rt.malloc(64, 0)[0]
    data = bytes(4096)
    host = acl.util.bytes_to_ptr(data)
    launch, memcpy = acl.rt.launch_kernel, acl.rt.memcpy

    def some_launches(count):
        start = time.perf_counter_ns()
        for _ in range(count):
            launch(kernel, 1, args, 8, stream)
        return (time.perf_counter_ns() - start) / count

    def some_copies(count):
        start = time.perf_counter_ns()
        for _ in range(count):
            memcpy(device, 4096, host, 4096, 1)
        return (time.perf_counter_ns() - start) / count

    empty, nothing = Cost(loop, 1000), Cost(from_python(cost_in_c.nothing), 1000)
    get_device, get_device_c = Cost(from_python(acl.rt.get_device), 1000), Cost(from_c(loops.cost_get_device), 1000)
    copy, copy_c = Cost(some_copies, 100), Cost(from_c(loops.cost_memcpy, device, host), 100)
    launches, launches_c = Cost(some_launches, 64), Cost(from_c(loops.cost_launch, kernel, args, stream), 64)
    for _ in range(ROUNDS):
        for cost in empty, nothing, get_device, get_device_c, copy, copy_c, launches, launches_c:
            cost.round()
            assert acl.rt.synchronize_stream(stream) == 0
    floor, device_cost = nothing.best - empty.best, get_device.best - empty.best
    print("a call that does nothing     %8.1f ns" % floor)
    print("get_device                   %8.1f ns, %4.2f times that; %.1f ns in C" %
          (device_cost, device_cost / floor, get_device_c.best))
    for name, python, c in ("memcpy of 4 KiB", copy.best, copy_c.best), ("launch_kernel", launches.best, launches_c.best):
        taken = python - empty.best
        print("%-16s             %8.1f ns, %8.1f in C; beyond the floor %4.2f times C" % (name, taken, c, (taken - floor) / c))


main()
