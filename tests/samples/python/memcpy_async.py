#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Copies as work of a stream: they need pinned host memory, which numpy sees by its address.

    scripts/anpu-run /usr/bin/python3 tests/samples/python/memcpy_async.py
"""
import sys

import numpy as np

import acl

NPY_FLOAT32 = 11


def check(ret):
    if ret != acl.ACL_SUCCESS:
        sys.exit("error %d: %s" % (ret, acl.get_recent_err_msg()))


check(acl.init())
check(acl.rt.set_device(0))
stream, ret = acl.rt.create_stream()
check(ret)
n = 1000
size = 4 * n

source, ret = acl.rt.malloc_host(size)
check(ret)
target, ret = acl.rt.malloc_host(size)
check(ret)
device, ret = acl.rt.malloc(size, acl.ACL_MEM_MALLOC_HUGE_FIRST)
check(ret)
there = acl.util.ptr_to_numpy(source, (n,), NPY_FLOAT32)
back = acl.util.ptr_to_numpy(target, (n,), NPY_FLOAT32)
there[:] = np.arange(n)

check(acl.rt.memcpy_async(device, size, source, size, acl.ACL_MEMCPY_HOST_TO_DEVICE, stream))
check(acl.rt.memcpy_async(target, size, device, size, acl.ACL_MEMCPY_DEVICE_TO_HOST, stream))
check(acl.rt.synchronize_stream(stream))
print("equal:", bool((there == back).all()))

# numpy must not look at the memory any more when it is given back.
del there, back
check(acl.rt.free_host(source))
check(acl.rt.free_host(target))
check(acl.rt.free(device))
check(acl.rt.destroy_stream(stream))
check(acl.rt.reset_device(0))
check(acl.finalize())
