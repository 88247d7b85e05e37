#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Functions of Python in a stream, run by a thread that the program has for them; a hook for operators that fail.

    scripts/anpu-run /usr/bin/python3 tests/samples/python/callbacks.py [OPERATORS.o]
"""
import struct
import sys
import threading

import acl

path = sys.argv[1] if len(sys.argv) > 1 else "build/operators/bad.o"


def check(result):
    values = result if isinstance(result, tuple) else (result,)
    if values[-1] != acl.ACL_SUCCESS:
        sys.exit("error %d: %s" % (values[-1], acl.get_recent_err_msg()))
    return values[0] if len(values) == 2 else values[:-1]


def serve(arguments):
    """The thread: waits for callbacks and runs them, until it is told to stop."""
    context, stop = arguments
    check(acl.rt.set_context(context))
    while not stop.is_set():
        acl.rt.process_report(100)      # milliseconds; returns 507012 if nothing came


def callback(user_data_list):
    print("callback", user_data_list[0])


check(acl.init())
check(acl.rt.set_device(0))
stream = check(acl.rt.create_stream())
stop = threading.Event()
thread_id = check(acl.util.start_thread(serve, [check(acl.rt.get_context()), stop]))
check(acl.rt.subscribe_report(thread_id, stream))
for number in range(3):
    check(acl.rt.launch_callback(callback, [number], acl.ACL_CALLBACK_BLOCK, stream))
check(acl.rt.synchronize_stream(stream))
check(acl.rt.unsubscribe_report(thread_id, stream))
stop.set()
check(acl.util.stop_thread(thread_id))


def hook(info):
    """Runs in a thread of the runtime when an operator fails; info is valid only here."""
    told.append((acl.rt.get_task_id_from_exception_info(info), acl.rt.get_stream_id_from_exception_info(info),
                 acl.rt.get_thread_id_from_exception_info(info)))
    came.set()


told, came = [], threading.Event()
check(acl.rt.set_exception_info_callback(hook))
binary = check(acl.rt.binary_load_from_file(path))
bad_write = check(acl.rt.binary_get_function(binary, "bad_write"))
arguments = struct.pack("QI4x", 0x1000, 5)
check(acl.rt.launch_kernel_with_host_args(bad_write, 1, stream, None, acl.util.bytes_to_ptr(arguments), len(arguments), [], 0))
print("the operator failed with", acl.rt.synchronize_stream(stream))
came.wait()
task, stream_id, thread = told[0]
print("the hook knows the stream:", stream_id == check(acl.rt.stream_get_id(stream)))
check(acl.rt.set_exception_info_callback(None))
check(acl.rt.binary_unload(binary))
check(acl.rt.destroy_stream(stream))
check(acl.rt.reset_device(0))
check(acl.finalize())
