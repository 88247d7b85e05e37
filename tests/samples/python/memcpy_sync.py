#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Copies that are done when the call returns: a numpy array to the device and back.

    scripts/anpu-run /usr/bin/python3 tests/samples/python/memcpy_sync.py
"""
import sys

import numpy as np

import acl


def check(ret):
    if ret != acl.ACL_SUCCESS:
        sys.exit("error %d: %s" % (ret, acl.get_recent_err_msg()))


check(acl.init())
check(acl.rt.set_device(0))
there, back = np.arange(1000, dtype=np.float32), np.zeros(1000, dtype=np.float32)
size = there.nbytes

device, ret = acl.rt.malloc(size, acl.ACL_MEM_MALLOC_HUGE_FIRST)
check(ret)
check(acl.rt.memcpy(device, size, acl.util.numpy_to_ptr(there), size, acl.ACL_MEMCPY_HOST_TO_DEVICE))
check(acl.rt.memcpy(acl.util.numpy_to_ptr(back), size, device, size, acl.ACL_MEMCPY_DEVICE_TO_HOST))
print("equal:", bool((there == back).all()))

check(acl.rt.free(device))
check(acl.rt.reset_device(0))
check(acl.finalize())
