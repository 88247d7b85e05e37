# SPDX-License-Identifier: MIT
"""Functions of the program that the library calls; Ctrl-C, fork, the end of Python, sub-interpreters, leaks."""

import gc
import os
import signal
import subprocess
import sys
import threading
import time
import tracemalloc
import weakref

import acl
import pytest
from conftest import ok

BLOCK, NO_BLOCK = acl.ACL_CALLBACK_BLOCK, acl.ACL_CALLBACK_NO_BLOCK


@pytest.fixture
def stream(device):
    made = ok(acl.rt.create_stream())
    yield made
    assert acl.rt.destroy_stream(made) in (0, 107017)


@pytest.fixture
def server(stream):
    """A thread as the documents start it, which serves the stream."""
    stop, codes = [], set()

    def serve(arguments):
        while not arguments[0]:
            codes.add(acl.rt.process_report(100))

    thread = ok(acl.util.start_thread(serve, [stop]))
    assert acl.rt.subscribe_report(thread, stream) == 0
    yield thread
    acl.rt.unsubscribe_report(thread, stream)
    stop.append(True)
    assert acl.util.stop_thread(thread) == 0 and acl.util.stop_thread(thread) == 100000
    assert codes <= {0, 507012, 107012}


@pytest.fixture
def word(device):
    """A word of device memory that is 0."""
    made = ok(acl.rt.malloc(64, 0))
    assert acl.rt.memset(made, 64, 0, 64) == 0
    yield made
    assert acl.rt.free(made) == 0


def alone(code, status=0, timeout=120):
    """Runs code in a process of its own that has a device; gives output and errors."""
    start = "import acl, os, signal, sys, threading, time\nassert acl.init() == 0 and acl.rt.set_device(0) == 0\n"
    done = subprocess.run([sys.executable, "-c", start + code], capture_output=True, text=True, check=False, timeout=timeout)
    assert done.returncode == status, "%d: %s%s" % (done.returncode, done.stdout, done.stderr)
    return done.stdout, done.stderr


def test_sequence_of_the_document(stream, server):
    """launch_callback with a list; a blocking one holds synchronize_stream until it has returned."""
    seen = []

    def callback(user_data):
        time.sleep(0.2)
        seen.append((user_data, threading.get_ident()))

    data = ["a", "b"]
    assert acl.rt.launch_callback(callback, data, BLOCK, stream) == 0
    assert acl.rt.synchronize_stream(stream) == 0
    assert seen == [(data, server)] and seen[0][0] is data
    assert acl.rt.launch_callback(callback, None, NO_BLOCK, stream) == 0 and acl.rt.synchronize_stream(stream) == 0
    assert acl.rt.launch_callback(callback, [], 7, stream) == 100000
    assert acl.rt.subscribe_report(server, stream) == 107011 and acl.rt.subscribe_report(0, stream) == 107000
    assert acl.rt.unsubscribe_report(1, stream) == 107012 and acl.rt.process_report(1) == 107012 and acl.rt.process_report(0) == 100000


def test_without_a_thread(stream):
    assert acl.rt.launch_callback(print, [], BLOCK, stream) == 107015
    assert acl.rt.unsubscribe_report(threading.get_ident(), stream) == 107011


def test_thread_of_threading(stream):
    """A thread's ident is its number, as for one of start_thread; here it is this thread."""
    seen = []
    assert acl.rt.subscribe_report(threading.get_ident(), stream) == 0
    assert acl.rt.launch_callback(seen.append, 5, BLOCK, stream) == 0
    assert acl.rt.process_report(60000) == 0 and seen == [5] and acl.rt.process_report(10) == 507012
    assert acl.rt.synchronize_stream(stream) == 0
    assert acl.rt.unsubscribe_report(threading.get_ident(), stream) == 0


def test_host_functions(stream):
    seen = []
    assert acl.rt.launch_host_func(stream, lambda a: seen.append((a, threading.get_ident())), "x") == 0
    assert acl.rt.synchronize_stream(stream) == 0
    assert seen[0][0] == "x" and seen[0][1] != threading.get_ident()
    assert acl.rt.subscribe_host_func(threading.get_ident(), stream) == 0
    assert acl.rt.launch_host_func(stream, seen.append, "y") == 0 and acl.rt.process_host_func(60000) == 0
    assert acl.rt.synchronize_stream(stream) == 0 and seen[1] == "y"
    assert acl.rt.unsubscribe_host_func(threading.get_ident(), stream) == 0


def test_forbidden_inside(stream):
    seen = []

    def callback(unused):
        seen.extend([acl.rt.malloc(64, 0)[1], acl.rt.synchronize_stream(stream), acl.rt.launch_host_func(stream, print, 0)])

    assert acl.rt.launch_host_func(stream, callback, None) == 0 and acl.rt.synchronize_stream(stream) == 0
    assert seen == [207000] * 3


def test_failures_are_told_and_counted(stream, server, monkeypatch):
    told = []
    monkeypatch.setattr(sys, "unraisablehook", lambda failure: told.append((failure.exc_type, failure.object, failure.exc_traceback)))

    def fails(unused):
        raise LookupError("lost")

    def exits(unused):
        sys.exit(3)

    before = acl.util.callback_failures()
    for launch in (lambda f: acl.rt.launch_callback(f, [], BLOCK, stream), lambda f: acl.rt.launch_host_func(stream, f, 0)):
        for function in (fails, exits):
            made = ok(acl.rt.create_stream())
            assert acl.rt.launch_host_func(made, function, 0) == 0
            assert acl.rt.synchronize_stream(made) == 0 and acl.rt.destroy_stream(made) == 0
    assert acl.rt.launch_callback(fails, [], BLOCK, stream) == 0 and acl.rt.synchronize_stream(stream) == 0
    assert acl.util.callback_failures() == before + 5
    assert [t[:2] for t in told] == [(LookupError, fails), (SystemExit, exits)] * 2 + [(LookupError, fails)]
    assert all(t[2] is not None for t in told)


class Argument:
    """Something that weak references can see the end of."""


def let_go(reference, what):
    """What the library has dropped is dropped in Python with the next call of it."""
    deadline = time.monotonic() + 20
    while reference() is not None and time.monotonic() < deadline:
        ok(acl.rt.get_device())
        acl.rt.synchronize_device()
        gc.collect()
        time.sleep(0.01)
    assert reference() is None, what


def test_references_go_with_the_call(stream, server):
    for launch in (lambda f, a: acl.rt.launch_callback(f, a, BLOCK, stream), lambda f, a: acl.rt.launch_callback(f, a, NO_BLOCK, stream)):
        argument = Argument()
        reference = weakref.ref(argument)
        assert launch(lambda a: None, argument) == 0
        del argument
        assert acl.rt.synchronize_stream(stream) == 0
        let_go(reference, "after it has run")
    argument = Argument()
    reference = weakref.ref(argument)
    assert acl.rt.launch_callback(lambda a: None, argument, 9, stream) == 100000
    del argument
    assert reference() is None


@pytest.mark.parametrize("end", [acl.rt.stream_abort, acl.rt.destroy_stream_force])
def test_references_go_with_the_stream(device, word, end):
    made, seen = ok(acl.rt.create_stream()), []
    argument = Argument()
    reference = weakref.ref(argument)
    assert acl.rt.value_wait(word, 1, 0, made) == 0
    assert acl.rt.launch_host_func(made, seen.append, argument) == 0
    del argument
    gc.collect()
    assert reference() is not None, "as long as it can run"
    assert end(made) == 0
    let_go(reference, "after the stream dropped it")
    assert seen == [] and acl.rt.destroy_stream(made) in (0, 107017)


@pytest.mark.parametrize("wait", ["synchronize_stream(s)", "synchronize_stream_with_timeout(s, 60000)", "synchronize_device()",
                                  "synchronize_device_with_timeout(60000)", "synchronize_event(e)",
                                  "synchronize_event_with_timeout(e, 60000)", "process_report(-1)", "process_report(60000)"])
def test_interrupt(device, word, wait):
    """Ctrl-C ends a wait within 100 ms; 2 s is for a loaded machine, and the time is printed."""
    s, e = ok(acl.rt.create_stream()), ok(acl.rt.create_event())
    assert acl.rt.value_wait(word, 1, 0, s) == 0 and acl.rt.record_event(e, s) == 0
    assert acl.rt.subscribe_report(threading.get_ident(), s) == 0
    sent = []

    def interrupt():
        time.sleep(0.3)
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    with pytest.raises(KeyboardInterrupt):
        thread.start()
        eval("acl.rt." + wait, {"acl": acl, "s": s, "e": e})  # pylint: disable=eval-used
    late = time.monotonic() - sent[0]
    thread.join()
    print("interrupted after %.1f ms" % (late * 1000))
    assert acl.rt.synchronize_stream_with_timeout(s, 10) == 507046, "the stream goes on"
    assert acl.rt.value_write(word, 1, 0, 0) == 0 and acl.rt.synchronize_stream(s) == 0
    assert acl.rt.destroy_event(e) == 0 and acl.rt.destroy_stream(s) == 0


def test_signal_that_raises_nothing(stream, word):
    """A handler that returns does not end the wait."""
    seen = []
    old = signal.signal(signal.SIGUSR1, lambda *a: seen.append(acl.rt.value_write(word, 1, 0, 0)))
    assert acl.rt.value_wait(word, 1, 0, stream) == 0
    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGUSR1))
    timer.start()
    assert acl.rt.synchronize_stream(stream) == 0 and seen == [0]
    timer.join()
    signal.signal(signal.SIGUSR1, old)


def test_interrupt_in_a_callback(stream):
    """Raised in a callback of this thread it is told, and reaches this thread, too."""
    out, errors = alone("""
s = acl.rt.create_stream()[0]
def callback(unused):
    raise KeyboardInterrupt
assert acl.rt.subscribe_report(threading.get_ident(), s) == 0
assert acl.rt.launch_callback(callback, [], 0, s) == 0
try:
    acl.rt.process_report(10000)
    time.sleep(1)
except KeyboardInterrupt:
    print("interrupted", acl.util.callback_failures())
""")
    assert out == "interrupted 1\n" and "KeyboardInterrupt" in errors


def test_end_with_work_in_flight(device):
    """Callbacks that are queued, that run and that wait; a thread in process_report; tasks that do not end."""
    out, errors = alone("""
s, t = acl.rt.create_stream()[0], acl.rt.create_stream()[0]
w = acl.rt.malloc(64, 0)[0]
acl.rt.memset(w, 64, 0, 64)
begun, told = threading.Event(), threading.Event()
def slow(n):
    begun.set()
    told.wait()
    time.sleep(0.3)
    print("returned", n, flush=True)
def serve(unused):
    while True:
        acl.rt.process_report(-1)
tid = acl.util.start_thread(serve, [])[0]
assert acl.rt.subscribe_report(tid, t) == 0
assert acl.rt.launch_host_func(s, slow, 1) == 0
for i in range(100):
    assert acl.rt.launch_host_func(s, slow, i + 2) == 0
assert acl.rt.value_wait(w, 1, 0, t) == 0
assert acl.rt.launch_callback(slow, "never", 1, t) == 0
begun.wait()
print("end", flush=True)
told.set()
""")
    lines = out.splitlines()
    assert lines[0] == "end" and "returned never" not in lines and 1 <= len(lines) <= 50 and errors == ""


def test_end_by_exit_and_signal(device):
    code = "s = acl.rt.create_stream()[0]\nfor i in range(50): acl.rt.launch_host_func(s, time.sleep, 0.01)\n"
    assert alone(code + "sys.exit(5)", 5) == ("", "")
    assert alone(code + "os._exit(6)", 6) == ("", "")
    alone(code + "os.kill(os.getpid(), signal.SIGTERM)", -signal.SIGTERM)
    out, errors = alone(code + "raise KeyError(7)", 1)
    assert out == "" and errors.endswith("KeyError: 7\n")


def test_fork(device):
    """The child has no device; its calls say so, it ends by itself, and the parent goes on."""
    out, errors = alone("""
s = acl.rt.create_stream()[0]
seen = []
begun, go = threading.Event(), threading.Event()
def hold(unused):
    begun.set()
    go.wait()
assert acl.rt.launch_host_func(s, hold, 0) == 0
begun.wait()
pid = os.fork()
if not pid:
    codes = [acl.rt.synchronize_stream(s), acl.rt.malloc(64, 0)[1], acl.rt.launch_host_func(s, print, 0), acl.rt.set_device(0)]
    print("child", all(codes), "fork" in acl.get_recent_err_msg(), flush=True)
    sys.exit(4)
print("parent", os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
go.set()
assert acl.rt.launch_host_func(s, seen.append, 1) == 0
print(acl.rt.synchronize_stream(s), seen)
""")
    assert out.splitlines() == ["child True True", "parent 4", "0 [1]"], out + errors


def test_sub_interpreters_are_refused(device):
    interpreters = pytest.importorskip("_xxsubinterpreters", reason="this Python makes no sub-interpreters")
    # another test may have put the source's folder, which has no extension, in front
    path = [os.path.dirname(os.path.dirname(acl.__file__))] + sys.path
    made = interpreters.create()
    with pytest.raises(Exception, match="main interpreter only|ImportError"):
        interpreters.run_string(made, "import sys; sys.path[:] = %r\nimport acl" % path)
    interpreters.destroy(made)


def test_imported_twice():
    out = subprocess.run([sys.executable, "-c", """
import sys
import acl
first = acl.init
for name in [n for n in sys.modules if n == "acl" or n.startswith("acl.")]:
    del sys.modules[name]
import acl
print(acl.init is not first, acl.init(), acl.rt.set_device)
"""], capture_output=True, text=True, check=True).stdout
    assert out.startswith("True 0 <built-in")


def resident():
    with open("/proc/self/statm", encoding="ascii") as f:
        return int(f.read().split()[1]) * 4096


def test_leaks(stream, server, word):
    """What Python and the process hold does not grow with calls that succeed and calls that fail."""
    data = b"x" * 64
    ptr = acl.util.bytes_to_ptr(data)
    cfg = [{"id": 7, "value": 1}]
    location = {"id": 0, "type": 1}

    def fails(error, call, *arguments):
        try:
            call(*arguments)
        except error:
            return
        raise AssertionError

    def once():
        made = acl.rt.create_stream()[0]
        event = acl.rt.create_event()[0]
        acl.rt.record_event(event, made)
        acl.rt.launch_callback(lambda a: None, [1], BLOCK, stream)
        acl.rt.launch_host_func(made, lambda a: None, {})
        acl.rt.launch_callback(lambda a: None, [1], 9, stream)
        acl.rt.memcpy(word, 64, ptr, 64, 1)
        acl.util.ptr_to_bytes(ptr, 64)
        acl.rt.pointer_get_attributes(word)
        acl.rt.get_device_utilization_rate(0)
        acl.rt.get_mem_usage_info(0, 16)
        acl.rt.device_get_pci_bus_id(0, 32)
        acl.rt.launch_kernel_with_config(0, 1, 0, cfg, 0, 0)
        acl.rt.malloc_physical(0, {"location": location}, 0)
        acl.rt.memcpy_batch([word], [64], [ptr], [64], [{"dstLoc": location}], [0])
        acl.rt.binary_load_from_file("missing", [])
        acl.rt.set_exception_info_callback(lambda a: None)
        acl.rt.set_exception_info_callback(None)
        acl.destroy_data_buffer(acl.create_data_buffer(word, 64))
        fails(TypeError, acl.rt.memcpy, word)
        fails(TypeError, acl.rt.memcpy, word, 64, "a", 64, 1)
        fails(OverflowError, acl.rt.memcpy, word, -1, ptr, 64, 1)
        fails(ValueError, acl.rt.malloc_physical, 0, {"x": 1}, 0)
        fails(OverflowError, acl.rt.memcpy_batch, [word], [1 << 70], [ptr], [64], [], [])
        fails(ValueError, acl.rt.launch_kernel_with_config, 0, 1, 0, cfg + [{}], 0, 0)
        acl.rt.synchronize_stream(stream)
        acl.rt.synchronize_stream(made)
        acl.rt.destroy_event(event)
        acl.rt.destroy_stream(made)
        acl.get_recent_err_msg()

    for _ in range(20):
        once()
    gc.collect()
    # Where the module counts as python3-dbg does: tests/python/host builds it so
    count = sys.gettotalrefcount if "COUNTED" in os.environ else lambda: 0
    tracemalloc.start()
    before, references, size = tracemalloc.get_traced_memory()[0], count(), resident()
    for _ in range(100):
        once()
    gc.collect()
    grown = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    print("grown by %d bytes of Python, %d references, %d bytes of the process" % (grown, count() - references, resident() - size))
    assert grown < 20000 and count() - references < 200 and resident() - size < 4 << 20


def test_many_callbacks_in_threads(device):
    """Four streams served by two threads, launched into by four others."""
    stop, seen, failed = [], [], []

    def serve(unused):
        while not stop:
            acl.rt.process_report(50)

    servers = [ok(acl.util.start_thread(serve, [])) for _ in range(2)]
    streams = [ok(acl.rt.create_stream()) for _ in range(4)]
    context = ok(acl.rt.get_context())

    def launch(n):
        try:
            assert acl.rt.set_context(context) == 0
            for i in range(50):
                assert acl.rt.launch_callback(seen.append, (n, i), i & 1, streams[n]) == 0
            assert acl.rt.synchronize_stream(streams[n]) == 0
        except BaseException as error:  # pylint: disable=broad-except
            failed.append(error)

    for n, made in enumerate(streams):
        assert acl.rt.subscribe_report(servers[n & 1], made) == 0
    threads = [threading.Thread(target=launch, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    stop.append(1)
    assert failed == [] and [acl.util.stop_thread(s) for s in servers] == [0, 0]
    assert all([i for m, i in seen if m == n] == list(range(50)) for n in range(4))
    assert all(acl.rt.destroy_stream(s) == 0 for s in streams)
