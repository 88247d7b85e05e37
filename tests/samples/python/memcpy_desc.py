#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A copy that reads its addresses from a descriptor in device memory.

    scripts/anpu-run /usr/bin/python3 tests/samples/python/memcpy_desc.py
"""
import sys

import acl


def check(result):
    values = result if isinstance(result, tuple) else (result,)
    if values[-1] != acl.ACL_SUCCESS:
        sys.exit("error %d: %s" % (values[-1], acl.get_recent_err_msg()))
    return values[0] if len(values) == 2 else values[:-1]


KIND = acl.ACL_MEMCPY_INNER_DEVICE_TO_DEVICE
text = b"copied by a descriptor"

check(acl.init())
check(acl.rt.set_device(0))
stream = check(acl.rt.create_stream())

size = check(acl.rt.get_memcpy_desc_size(KIND))
desc = check(acl.rt.malloc(size, acl.ACL_MEM_MALLOC_HUGE_FIRST))
source = check(acl.rt.malloc(len(text), acl.ACL_MEM_MALLOC_HUGE_FIRST))
target = check(acl.rt.malloc(len(text), acl.ACL_MEM_MALLOC_HUGE_FIRST))
check(acl.rt.memcpy(source, len(text), acl.util.bytes_to_ptr(text), len(text), acl.ACL_MEMCPY_HOST_TO_DEVICE))
check(acl.rt.set_memcpy_desc(desc, KIND, source, target, len(text), None))
check(acl.rt.memcpy_async_with_desc(desc, KIND, stream))
check(acl.rt.synchronize_stream(stream))

result = bytes(len(text))
check(acl.rt.memcpy(acl.util.bytes_to_ptr(result), len(text), target, len(text), acl.ACL_MEMCPY_DEVICE_TO_HOST))
print(result.decode())

for pointer in (desc, source, target):
    check(acl.rt.free(pointer))
check(acl.rt.destroy_stream(stream))
check(acl.rt.reset_device(0))
check(acl.finalize())
