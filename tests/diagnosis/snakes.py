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


def py_int_for_float():
    out = tensor(64)
    launch("fill", 0, out, 2, 64)  # BUG py_int_for_float
    tell(acl.rt.synchronize_stream(0))
    acl.rt.free(out)


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


def py_small_array():
    out, host = device(64), np.zeros(8, np.float32)
    tell(acl.rt.memcpy(out, 64, host.ctypes.data, 64, H2D))  # BUG py_small_array
    acl.rt.free(out)


def py_gaps():
    host = np.arange(64, dtype=np.float32).reshape(8, 8)[:, ::2]
    out = device(host.nbytes)
    tell(acl.rt.memcpy(out, host.nbytes, host.ctypes.data, host.nbytes, H2D))  # BUG py_gaps
    acl.rt.free(out)


def py_temporary():
    out = device(64)
    address = acl.util.bytes_to_ptr(bytes(64))  # MADE py_temporary
    tell(acl.rt.memcpy(out, 64, address, 64, H2D))  # BUG py_temporary
    acl.rt.free(out)


def py_arrays_right():
    out, large, text = device(64), np.zeros(64, np.float32), bytes(64)
    part, turned = large[8:24], large.reshape(8, 8).T
    acl.rt.memcpy(out, 64, part.ctypes.data, 64, H2D)
    acl.rt.memcpy(out, 64, turned.ctypes.data, 64, H2D)
    tell(acl.rt.memcpy(out, 64, acl.util.bytes_to_ptr(text), 64, H2D))
    acl.rt.free(out)


def py_unfinished():
    tell(0)
    sys.exit(0)


def py_early_view():
    stream, _ = acl.rt.create_stream()
    out, (host, _) = tensor(1024), acl.rt.malloc_host(4096)
    acl.rt.memcpy_async(host, 4096, out, 4096, D2H, stream)  # CALL py_early_view
    acl.util.ptr_to_bytes(host, 4096)  # BUG py_early_view
    tell(acl.rt.synchronize_stream(stream))
    acl.rt.destroy_stream(stream)
    acl.rt.free_host(host)
    acl.rt.free(out)


def py_array_ends():
    stream, _ = acl.rt.create_stream()
    out, host = tensor(1 << 16), np.zeros(1 << 16, np.float32)
    acl.rt.memcpy_async(out, host.nbytes, host.ctypes.data, host.nbytes, H2D, stream)  # BUG py_array_ends
    del host
    tell(acl.rt.synchronize_stream(stream))
    acl.rt.destroy_stream(stream)
    acl.rt.free(out)


def py_array_stays():
    stream, _ = acl.rt.create_stream()
    out, host = tensor(1 << 16), np.zeros(1 << 16, np.float32)
    acl.rt.memcpy_async(out, host.nbytes, host.ctypes.data, host.nbytes, H2D, stream)
    tell(acl.rt.synchronize_stream(stream))
    del host
    acl.rt.destroy_stream(stream)
    acl.rt.free(out)


def py_view_long():
    host, _ = acl.rt.malloc_host(64)
    acl.util.ptr_to_numpy(host, (1024, 1024), 11)  # BUG py_view_long
    tell(acl.rt.free_host(host))


def py_view_device():
    out = device(64)  # MADE py_view_device
    acl.util.ptr_to_numpy(out, (16,), 11)  # BUG py_view_device
    tell(acl.rt.free(out))


def py_view_freed():
    host, _ = acl.rt.malloc_host(64)
    view = acl.util.ptr_to_numpy(host, (16,), 11)
    acl.rt.free_host(host)  # FREED py_view_freed
    print(view[0])  # BUG py_view_freed


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


def py_no_init():
    acl.rt.reset_device(0)
    acl.finalize()
    tell(acl.rt.set_device(0))  # BUG py_no_init
    acl.rt.reset_device(0)


def py_easy():
    from acl import easy  # pylint: disable=import-outside-toplevel
    with easy.Device() as npu:
        try:
            npu.load(KERNELS).fill(np.zeros(100, np.float32), 0, 101)  # BUG py_easy
            npu.synchronize()
        except easy.AclError as error:
            print(f"CODE {error.code}\n{error}", flush=True)


def main():
    acl.init()  # CALL py_unfinished
    acl.rt.set_device(0)
    globals()[sys.argv[1]]()
    acl.finalize()


main()
