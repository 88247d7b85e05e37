#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Programs of the catalogue in Python, a function each: snakes.py NAME. See bugs.c."""
import os
import subprocess
import sys
import threading
import time

import acl
import numpy as np

KERNELS = "build/tests/diagnosis/kernels.o"
H2D, D2H = 1, 2


def tell(code):
    print(f"CODE {code}\n{acl.get_recent_err_msg()}", flush=True)


def device(size):
    pointer, code = acl.rt.malloc(size, 0)
    assert not code
    return pointer


def tensor(count):
    pointer, host = device(4 * count), np.arange(count, dtype=np.float32)
    acl.rt.memcpy(pointer, host.nbytes, host.ctypes.data, host.nbytes, H2D)
    return pointer


def launch(name, stream, *values):
    binary, _ = acl.rt.binary_load_from_file(KERNELS, None)
    function, _ = acl.rt.binary_get_function(binary, name)
    args = np.array(values, dtype=np.uint64)
    return acl.rt.launch_kernel_with_host_args(function, 1, stream, [], args.ctypes.data, args.nbytes, [], 0)


def py_behind():
    out = tensor(100)
    launch("fill", 0, out, 0, 101)  # CALL py_behind
    tell(acl.rt.synchronize_stream(0))


def py_host_pointer():
    host = np.zeros(16, np.float32)
    launch("null_store", 0, host.ctypes.data)  # CALL py_host_pointer
    tell(acl.rt.synchronize_stream(0))


def py_freed():
    out = device(4 << 20)
    acl.rt.free(out)  # FREED py_freed
    launch("null_store", 0, out)
    tell(acl.rt.synchronize_stream(0))


def py_twice():
    out = device(64)
    acl.rt.free(out)  # FREED py_twice
    tell(acl.rt.free(out))


def py_early():
    stream, _ = acl.rt.create_stream()
    out, host = tensor(64), np.zeros(64, np.float32)
    launch("fill", stream, out, 0, 64)
    tell(acl.rt.memcpy(host.ctypes.data, 256, out, 256, D2H))  # BUG py_early
    acl.rt.synchronize_stream(stream)
    acl.rt.destroy_stream(stream)
    acl.rt.free(out)


def py_unwritten():
    out, host = device(64), np.zeros(16, np.float32)  # MADE py_unwritten
    tell(acl.rt.memcpy(host.ctypes.data, 64, out, 64, D2H))  # BUG py_unwritten
    acl.rt.free(out)


def py_kind():
    out, host = tensor(16), np.zeros(16, np.float32)
    tell(acl.rt.memcpy(host.ctypes.data, 64, out, 64, H2D))  # BUG py_kind
    acl.rt.free(out)


def py_leak():
    tensor(64)  # MADE py_leak
    tell(acl.rt.synchronize_stream(0))


def wait_for(stream):
    acl.rt.set_device(0)
    acl.rt.synchronize_stream(stream)  # CALL py_hangs


def py_hangs():
    stream, _ = acl.rt.create_stream()
    event, _ = acl.rt.create_event()
    acl.rt.stream_wait_event(stream, event)  # BUG py_hangs
    threading.Thread(target=wait_for, args=(stream,), daemon=True).start()
    tell(0)
    report = ""
    for _ in range(100):
        report = subprocess.run(["scripts/anpu-smi", "hang", str(os.getpid())], capture_output=True, text=True, check=False).stdout
        if "wait_for" in report:
            break
        time.sleep(0.1)
    print(report, flush=True)
    os._exit(0)


def py_easy():
    from acl import easy  # pylint: disable=import-outside-toplevel
    with easy.Device() as npu:
        try:
            npu.load(KERNELS).fill(np.zeros(100, np.float32), 0, 101)  # BUG py_easy
            npu.synchronize()
        except easy.AclError as error:
            print(f"CODE {error.code}\n{error}", flush=True)


def main():
    acl.init()
    acl.rt.set_device(0)
    globals()[sys.argv[1]]()
    acl.finalize()


main()
