#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Events: a stream waits for another one, and the time between two events.

    scripts/anpu-run /usr/bin/python3 tests/samples/python/events.py
"""
import sys

import acl


def check(result):
    values = result if isinstance(result, tuple) else (result,)
    if values[-1] != acl.ACL_SUCCESS:
        sys.exit("error %d: %s" % (values[-1], acl.get_recent_err_msg()))
    return values[0] if len(values) == 2 else values[:-1]


check(acl.init())
check(acl.rt.set_device(0))
first, second = check(acl.rt.create_stream()), check(acl.rt.create_stream())
size = 1 << 20
memory = check(acl.rt.malloc(size, acl.ACL_MEM_MALLOC_HUGE_FIRST))

# create -> record -> wait in the other stream -> reset
filled = check(acl.rt.create_event())
check(acl.rt.memset_async(memory, size, 7, size, first))
check(acl.rt.record_event(filled, first))
check(acl.rt.stream_wait_event(second, filled))
check(acl.rt.reset_event(filled, second))
check(acl.rt.synchronize_stream(second))
print("the second stream has waited for the first")
check(acl.rt.destroy_event(filled))

# create -> record both in one stream -> synchronise the stream -> time
start, end = check(acl.rt.create_event()), check(acl.rt.create_event())
check(acl.rt.record_event(start, first))
check(acl.rt.memset_async(memory, size, 8, size, first))
check(acl.rt.record_event(end, first))
check(acl.rt.synchronize_event(end))
check(acl.rt.synchronize_stream(first))
status = check(acl.rt.query_event(end))
print("complete:", status == acl.ACL_EVENT_STATUS_COMPLETE)
ms = check(acl.rt.event_elapsed_time(start, end))
print("milliseconds are a", type(ms).__name__, "of 0 or more:", ms >= 0)

check(acl.rt.synchronize_device())
check(acl.rt.destroy_event(start))
check(acl.rt.destroy_event(end))
check(acl.rt.free(memory))
check(acl.rt.destroy_stream(first))
check(acl.rt.destroy_stream(second))
check(acl.rt.reset_device(0))
check(acl.finalize())
