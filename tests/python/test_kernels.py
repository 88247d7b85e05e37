# SPDX-License-Identifier: MIT
"""acl.rt and acl.mdl: operators, argument lists, the ways to launch, exceptions, graphs."""

import ctypes
import gc
import struct
import threading
import weakref

import acl
import pytest
from conftest import TOP, ok
from test_memory import get, memory, put, stream  # noqa: F401  pylint: disable=unused-import

OPS = TOP + "/build/tests/libacl/ops.o"
GLOBAL = acl.ACL_MODEL_RI_CAPTURE_MODE_GLOBAL


@pytest.fixture
def binary(device):
    made = ok(acl.rt.binary_load_from_file(OPS, []))
    yield made
    assert acl.rt.binary_unload(made) == 0


@pytest.fixture
def kernel(binary):
    """A function that finds a kernel by its name."""
    return lambda name: ok(acl.rt.binary_get_function(binary, name))


def host(*words):
    """Bytes of 64-bit arguments, and their address."""
    data = struct.pack("<%dQ" % len(words), *words)
    return data, acl.util.bytes_to_ptr(data)


def word(address):
    return int.from_bytes(get(address, 8), "little")


def store(kernel, stream, address, value):
    """Launches the kernel 'store'."""
    data, ptr = host(address, value)
    assert acl.rt.launch_kernel_with_host_args(kernel("store"), 1, stream, [], ptr, len(data), [], 0) == 0


def test_binaries(device, tmp_path):
    with open(OPS, "rb") as f:
        image = f.read()
    options = [{"type": acl.ACL_RT_BINARY_LOAD_OPT_LAZY_LOAD, "value": 1}]
    for made in (acl.rt.binary_load_from_file(OPS.encode(), options), acl.rt.binary_load_from_file(OPS),
                 acl.rt.binary_load_from_data(acl.util.bytes_to_ptr(image), len(image), options),
                 acl.rt.binary_load_from_data(acl.util.bytes_to_ptr(image), len(image))):
        binary = ok(made)
        function = ok(acl.rt.binary_get_function(binary, "store"))
        assert ok(acl.rt.get_function_name(function, 64)) == "store" and ok(acl.rt.function_get_binary(function)) == binary
        assert acl.rt.get_function_name(function, 2)[1] != 0 and ok(acl.rt.function_get_param_count(function)) == 2
        assert ok(acl.rt.function_get_param_info(function, 1)) == (8, 8)
        assert acl.rt.get_function_attribute(function, acl.ACL_FUNC_ATTR_KERNEL_TYPE)[1] == 0
        assert ok(acl.rt.get_function_size(function))[0] > 0 and ok(acl.rt.get_function_addr(function))
        assert acl.rt.function_get_avail_dyn_ubuf_per_block(function, 0)[1] in (0, 207000)
        assert ok(acl.rt.binary_get_dev_address(binary))[1] > 0
        assert acl.rt.binary_get_function(binary, "missing")[1] != 0
        assert acl.rt.binary_get_function_by_entry(binary, 12345)[1] != 0
        assert acl.rt.binary_get_global(binary, "no such variable") == (0, 0, 107042)
        assert acl.rt.binary_unload(binary) == 0 and acl.rt.binary_unload(binary) == 107017
    old = acl.rt.create_binary(acl.util.bytes_to_ptr(image), len(image))
    binary = ok(acl.rt.binary_load(old))
    assert acl.rt.destroy_binary(old) == 0 and acl.rt.binary_unload(binary) == 0
    assert acl.rt.binary_load_from_file(str(tmp_path / "missing.o"), [])[1] != 0
    assert acl.rt.check_arch_compatibility(acl.get_soc_name()) == (1, 0)
    assert acl.rt.get_hardware_sync_addr()[1] == 0
    for symbol in (acl.rt.get_func_by_symbol(4096), acl.rt.get_symbol_address(4096), acl.rt.get_symbol_size(4096)):
        assert symbol[1] != 0
    assert acl.rt.memcpy_to_symbol(4096, 4096, 8, 0, 1) != 0 and acl.rt.memcpy_to_symbol_async(4096, 4096, 8, 0, 1, 0) != 0
    assert acl.rt.memcpy_from_symbol(4096, 8, 4096, 8, 0, 2) != 0
    assert acl.rt.memcpy_from_symbol_async(4096, 8, 4096, 8, 0, 2, 0) != 0


def test_sequence_of_the_document(stream, memory, kernel):
    """Concepts and Usage: init, append, place holder, finalize, launch with config, update, launch again."""
    out = memory()
    function = kernel("sum_behind")
    args = ok(acl.rt.kernel_args_init(function))
    data, ptr = host(out, 3)
    assert acl.rt.kernel_args_append(args, ptr, 8)[1] == 0
    place = ok(acl.rt.kernel_args_append_place_holder(args))
    count = ok(acl.rt.kernel_args_append(args, ptr + 8, 8))
    buffer = ok(acl.rt.kernel_args_get_place_holder_buffer(args, place, 24))
    ctypes.memmove(buffer, struct.pack("<3Q", 5, 6, 7), 24)
    assert acl.rt.kernel_args_append(args, ptr, 8)[1] == 207000
    assert acl.rt.kernel_args_finalize(args) == 0
    assert acl.rt.launch_kernel_with_config(function, 1, stream, [{"id": acl.ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT, "value": 60}], args, 0) == 0
    assert acl.rt.synchronize_stream(stream) == 0 and word(out) == 18
    two, ptr = host(2)
    assert acl.rt.kernel_args_para_update(args, count, ptr, 8) == 0 and acl.rt.kernel_args_finalize(args) == 0
    assert acl.rt.launch_kernel_with_config(function, 1, stream, [], args, 0) == 0
    assert acl.rt.synchronize_stream(stream) == 0 and word(out) == 11


def test_arguments_in_own_memory(stream, memory, kernel):
    out, function = memory(), kernel("store")
    block = bytearray(ok(acl.rt.kernel_args_get_handle_mem_size(function)))
    room = bytearray(ok(acl.rt.kernel_args_get_mem_size(function, 16)))
    args = acl.util.bytes_out_to_ptr(block)
    assert acl.rt.kernel_args_init_by_user_mem(function, args, acl.util.bytes_out_to_ptr(room), len(room)) == 0
    data, ptr = host(out, 41)
    assert acl.rt.kernel_args_append(args, ptr, 8)[1] == 0 and acl.rt.kernel_args_append(args, ptr + 8, 8)[1] == 0
    assert acl.rt.kernel_args_finalize(args) == 0 and acl.rt.launch_kernel_with_config(function, 1, stream, None, args) == 0
    assert acl.rt.synchronize_stream(stream) == 0 and word(out) == 41


def test_launches(stream, memory, kernel):
    out, args, function = memory(), memory(), kernel("store")
    data, ptr = host(out, 1)
    put(args, data)
    assert acl.rt.launch_kernel(function, 1, args, 16, stream) == 0 and acl.rt.synchronize_stream(stream) == 0 and word(out) == 1
    put(args, struct.pack("<2Q", out, 2))
    assert acl.rt.launch_kernel_v2(function, 1, args, 16, [], stream) == 0 and acl.rt.synchronize_stream(stream) == 0
    assert word(out) == 2
    values = [host(out), host(3)]
    assert acl.rt.launch_kernel_with_args_array(function, 1, stream, [], [v[1] for v in values]) == 0
    assert acl.rt.synchronize_stream(stream) == 0 and word(out) == 3
    with pytest.raises(ValueError, match="args has 1 items, and the kernel has 2 parameters"):
        acl.rt.launch_kernel_with_args_array(function, 1, stream, [], [values[0][1]])
    with pytest.raises(ValueError, match="at most 128 parameters"):
        acl.rt.launch_kernel_with_args_array(function, 1, stream, [], [0] * 200)
    values = [host(out), host(4)]
    simt = acl.rt.launch_simt_kernel_with_args_array
    assert simt(function, [1, 1, 1], [1, 1, 1], 0, stream, [], [v[1] for v in values]) == 0
    assert acl.rt.synchronize_stream(stream) == 0 and word(out) == 4
    assert simt(function, [1, 0, 1], [1, 1, 1], 0, stream, [], [v[1] for v in values]) == acl.ACL_ERROR_INVALID_PARAM
    packed = host(out, 5)
    whole = acl.rt.launch_simt_kernel_with_host_args
    assert whole(function, [1, 1, 1], [1, 1, 1], 0, stream, [], packed[1], 16, [], 0) == 0
    assert acl.rt.synchronize_stream(stream) == 0 and word(out) == 5
    assert whole(function, [1, 1, 1], [1, 1, 1], 0, stream, [], packed[1], 8, [], 0) == acl.ACL_ERROR_RT_PARAM_INVALID
    with pytest.raises(ValueError, match="block_dim must be three numbers"):
        simt(function, [1, 1, 1], [1, 1], 0, stream, [], [v[1] for v in values])
    with pytest.raises(ValueError, match="args has 1 items, and the kernel has 2 parameters"):
        simt(function, [1, 1, 1], [1, 1, 1], 0, stream, [], [values[0][1]])
    data, ptr = host(out, 0, 2, 20, 30)
    assert acl.rt.launch_kernel_with_host_args(kernel("sum_behind"), 1, stream, [], ptr, 40, [{"addrOffset": 8, "dataOffset": 24}], 1) == 0
    assert acl.rt.synchronize_stream(stream) == 0 and word(out) == 50
    for wrong, code in ((acl.rt.launch_kernel(0, 1, args, 16, stream), 107017), (acl.rt.launch_kernel(function, 0, args, 16, stream), 100000),
                        (acl.rt.launch_kernel(function, 1, 0, 16, stream), 100000), (acl.rt.launch_kernel(function, 1, ptr, 16, stream), 107000)):
        assert wrong in (code, 100000), acl.get_recent_err_msg()


def fail(kernel, stream):
    data, ptr = host(0x10)
    assert acl.rt.launch_kernel_with_host_args(kernel("read_at"), 1, stream, [], ptr, 8, [], 0) == 0
    assert acl.rt.synchronize_stream(stream) == 507015


def test_exceptions(stream, kernel, binary):
    seen = []

    def note(name):
        def callback(info, *data):
            seen.append((name, *data, acl.rt.get_stream_id_from_exception_info(info), acl.rt.get_task_id_from_exception_info(info),
                         acl.rt.get_thread_id_from_exception_info(info), acl.rt.get_device_id_from_exception_info(info),
                         acl.rt.get_error_code_from_exception_info(info), acl.rt.get_args_from_exception_info(info)[2],
                         acl.rt.get_func_handle_from_exception_info(info)[1], info))
        return callback

    one, two = note("set"), note("registered")
    assert acl.rt.set_exception_info_callback(one) == 0
    assert acl.rt.exception_info_callback_register(two) == 0 and acl.rt.exception_info_callback_register(two) == 0
    assert acl.rt.binary_set_exception_callback(binary, note("binary"), "data") == 0
    assert acl.rt.exception_info_callback_register(None) == 107000
    fail(kernel, stream)
    assert sorted(s[0] for s in seen) == ["binary", "registered", "set"]
    first = next(s for s in seen if s[0] == "set")
    assert first[1] == ok(acl.rt.stream_get_id(stream)) and first[4] == 0 and first[5] == 507015
    assert next(s for s in seen if s[0] == "binary")[1] == "data"
    # the information is gone with the callback
    assert acl.rt.get_error_code_from_exception_info(first[-1]) == 0xFFFFFFFF
    assert acl.rt.get_stream_id_from_exception_info(0) == acl.rt.get_task_id_from_exception_info(123) == 0xFFFFFFFF
    assert acl.rt.set_exception_info_callback(None) == 0 and acl.rt.exception_info_callback_unregister(two) == 0
    assert acl.rt.exception_info_callback_unregister(one) == 0 and acl.rt.exception_info_callback_unregister(None) == 107000
    assert acl.rt.binary_set_exception_callback(binary, None, None) == 0
    del seen[:]
    fail(kernel, stream)
    assert seen == []


def test_exception_callbacks_are_let_go(stream, kernel):
    def callback(info):
        pass

    gone = weakref.ref(callback)
    assert acl.rt.set_exception_info_callback(callback) == 0 and acl.rt.exception_info_callback_register(callback) == 0
    assert acl.rt.set_exception_info_callback(None) == 0 and acl.rt.exception_info_callback_unregister(callback) == 0
    binary = ok(acl.rt.binary_load_from_file(OPS))
    assert acl.rt.binary_set_exception_callback(binary, callback, None) == 0 and acl.rt.binary_unload(binary) == 0
    del callback
    gc.collect()
    assert gone() is None


def test_graphs(stream, memory, kernel, tmp_path):
    out, calls, ends = memory(), [], []
    assert ok(acl.mdl.ri_capture_get_info(stream))[0] == acl.ACL_MODEL_RI_CAPTURE_STATUS_NONE
    assert acl.mdl.ri_capture_begin(stream, GLOBAL) == 0
    store(kernel, stream, out, 5)
    assert acl.rt.cache_last_task_op_info(acl.util.bytes_to_ptr(b"op"), 2) == 0
    assert acl.rt.cache_last_task_extend_info("extended", 8) == 0
    assert acl.rt.launch_host_func(stream, calls.append, 1) == 0
    assert ok(acl.mdl.ri_capture_get_info(stream))[0] == acl.ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE
    tasks = ok(acl.mdl.ri_get_tasks_by_stream(stream))
    graph = ok(acl.mdl.ri_capture_end(stream))
    assert len(tasks) == 2 and len(ok(acl.mdl.ri_get_streams(graph))) == 1
    tasks = ok(acl.mdl.ri_get_tasks_by_stream(ok(acl.mdl.ri_get_streams(graph))[0]))
    assert ok(acl.mdl.ri_task_get_type(tasks[0])) == acl.ACL_MODEL_RI_TASK_KERNEL and acl.mdl.ri_task_get_seq_id(tasks[0])[1] == 0
    params = ok(acl.mdl.ri_task_get_params(tasks[0]))
    assert params["type"] == acl.ACL_MODEL_RI_TASK_KERNEL and params["num_blocks"] == 1 and params["func_handle"] == kernel("store")
    assert acl.mdl.ri_kernel_task_get_attribute(tasks[0], acl.ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE)[1] in (0, 107000, 207000)
    end = ends.append
    assert acl.mdl.ri_destroy_register_callback(graph, end, "end") == 0 and acl.mdl.ri_destroy_register_callback(graph, print, 0) == 0
    assert acl.mdl.ri_destroy_unregister_callback(graph, print) == 0 and acl.mdl.ri_destroy_unregister_callback(graph, len) == 107000
    for n in range(3):
        assert acl.rt.memset(out, 8, 0, 8) == 0
        assert (acl.mdl.ri_execute(graph, -1) if n else acl.mdl.ri_execute_async(graph, stream)) == 0
        assert acl.rt.synchronize_stream(stream) == 0 and word(out) == 5 and len(calls) == n + 1
    data, ptr = host(out, 6)
    assert acl.mdl.ri_task_set_params(tasks[0], {**params, "args": ptr, "is_host_args": 1, "args_size": 16}) == 0, acl.get_recent_err_msg()
    assert acl.mdl.ri_update(graph) == 0 and acl.mdl.ri_execute(graph, 10000) == 0 and word(out) == 6
    with pytest.raises(ValueError, match="no key 'blocks'"):
        acl.mdl.ri_task_set_params(tasks[0], {"blocks": 1})
    assert acl.mdl.ri_task_disable(tasks[0]) == 0
    assert acl.mdl.ri_set_name(graph, "sum") == 0 and ok(acl.mdl.ri_get_name(graph, 64)) == "sum" and acl.mdl.ri_get_id(graph)[1] == 0
    assert acl.mdl.ri_debug_json_print(graph, str(tmp_path / "graph.json"), 0) == 0 and (tmp_path / "graph.json").read_text()
    assert acl.mdl.ri_debug_print(graph) == 0 and acl.mdl.ri_abort(graph) == 0
    assert acl.mdl.ri_destroy(graph) == 0 and ends == ["end"] and acl.mdl.ri_destroy(graph) == 107017


def test_functions_in_graphs_live_as_long(stream):
    class Argument:
        pass

    argument = Argument()
    gone = weakref.ref(argument)
    assert acl.mdl.ri_capture_begin(stream, GLOBAL) == 0
    assert acl.rt.launch_host_func(stream, lambda a: None, argument) == 0
    graph = ok(acl.mdl.ri_capture_end(stream))
    del argument
    assert acl.mdl.ri_execute(graph, -1) == 0
    gc.collect()
    assert gone() is not None and acl.mdl.ri_destroy(graph) == 0
    assert acl.rt.synchronize_stream(stream) == 0
    gc.collect()
    assert gone() is None


def test_groups_and_modes(stream, memory, kernel):
    out = memory()
    assert acl.mdl.ri_capture_thread_exchange_mode(acl.ACL_MODEL_RI_CAPTURE_MODE_RELAXED) == (GLOBAL, 0)
    assert acl.mdl.ri_capture_thread_exchange_mode(GLOBAL) == (acl.ACL_MODEL_RI_CAPTURE_MODE_RELAXED, 0)
    assert acl.mdl.ri_capture_begin(stream, GLOBAL) == 0 and acl.mdl.ri_capture_task_grp_begin(stream) == 0
    store(kernel, stream, out, 1)
    group = ok(acl.mdl.ri_capture_task_grp_end(stream))
    graph = ok(acl.mdl.ri_capture_end(stream))
    other = ok(acl.rt.create_stream())
    assert acl.mdl.ri_capture_task_update_begin(other, group) == 0
    store(kernel, other, out, 2)
    assert acl.mdl.ri_capture_task_update_end(other) == 0
    assert acl.mdl.ri_execute(graph, -1) == 0 and word(out) == 2
    assert acl.rt.destroy_stream(other) == 0 and acl.mdl.ri_destroy(graph) == 0


def test_built_graphs(device, memory, kernel):
    out = memory()
    persistent = acl.ACL_STREAM_PERSISTENT
    a, b = ok(acl.rt.create_stream_with_config(0, persistent)), ok(acl.rt.create_stream_with_config(0, persistent))
    graph = ok(acl.mdl.ri_build_begin(0))
    assert acl.mdl.ri_bind_stream(graph, a, acl.ACL_MODEL_STREAM_FLAG_HEAD) == 0
    assert acl.mdl.ri_bind_stream(graph, b, acl.ACL_MODEL_STREAM_FLAG_DEFAULT) == 0
    label = ok(acl.rt.create_label())
    assert acl.rt.set_label(label, a) == 0
    labels = ok(acl.rt.create_label_list([label]))
    store(kernel, a, out, 4)
    assert acl.rt.active_stream(b, a) == 0
    store(kernel, b, out + 8, 5)
    assert acl.mdl.ri_end_task(graph, b) == 0 and acl.mdl.ri_build_end(graph, 0) == 0, acl.get_recent_err_msg()
    assert acl.mdl.ri_execute(graph, 10000) == 0 and (word(out), word(out + 8)) == (4, 5)
    assert acl.rt.switch_label_by_index(0, 1, labels, a) != 0
    assert acl.rt.switch_stream(0, 0, 0, 0, a, b, a) != 0
    assert acl.mdl.ri_unbind_stream(graph, b) == 0 and acl.mdl.ri_unbind_stream(graph, a) == 0
    assert acl.mdl.ri_destroy(graph) == 0
    assert acl.rt.destroy_label_list(labels) == 0 and acl.rt.destroy_label(label) == 0
    assert acl.rt.destroy_stream(a) == 0 and acl.rt.destroy_stream(b) == 0


def test_conditions(stream, memory, kernel):
    out = memory()
    assert acl.mdl.ri_capture_begin(stream, GLOBAL) == 0
    graph = ok(acl.mdl.ri_capture_get_info(stream))[1]
    handle = ok(acl.mdl.ri_cond_handle_create(graph, 1, acl.ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT))
    assert ok(acl.mdl.ri_cond_handle_get_cond_ptr(handle))
    bodies = ok(acl.mdl.ri_add_cond_task({"handle": handle, "type": acl.ACL_MODEL_RI_COND_TYPE_IF, "size": 1}, stream, 0))
    assert len(bodies) == 1
    body = ok(acl.rt.create_stream())
    assert acl.mdl.ri_capture_to_model_ri_begin(body, bodies[0], GLOBAL) == 0
    store(kernel, body, out, 9)
    assert acl.mdl.ri_capture_end(body)[1] == 0
    graph = ok(acl.mdl.ri_capture_end(stream))
    assert acl.mdl.ri_execute(graph, 10000) == 0 and word(out) == 9
    assert acl.mdl.ri_destroy(graph) == 0 and acl.rt.destroy_stream(body) == 0
    with pytest.raises(ValueError, match="no key 'kind'"):
        acl.mdl.ri_add_cond_task({"kind": 1}, stream, 0)


def test_launches_in_threads(device, memory, kernel):
    out, context, failed = memory(64), ok(acl.rt.get_context()), []

    def work(n):
        try:
            assert acl.rt.set_context(context) == 0
            mine = ok(acl.rt.create_stream())
            for i in range(50):
                store(kernel, mine, out + 8 * n, i)
            assert acl.rt.synchronize_stream(mine) == 0 and acl.rt.destroy_stream(mine) == 0
        except BaseException as error:  # pylint: disable=broad-except
            failed.append(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == [] and [word(out + 8 * n) for n in range(4)] == [49] * 4


@pytest.mark.parametrize("threads", [1, 3])
def test_a_full_stream_lets_python_run(kernel, memory, stream, threads):
    """Launches keep Python's lock, but not while they wait for room behind a function that needs Python."""
    launch, begun, go, codes = acl.rt.launch_kernel, threading.Event(), threading.Event(), []
    address, nothing = memory(64), kernel("nothing")

    def fill():
        acl.rt.set_device(0)
        codes.extend({launch(nothing, 1, address, 8, stream) for _ in range(6000 // threads)})
        acl.rt.reset_device(0)

    def wait(unused):
        begun.set()
        go.wait()

    assert acl.rt.launch_host_func(stream, wait, None) == 0 and begun.wait(60)
    more = [threading.Thread(target=fill) for _ in range(threads - 1)]
    timer = threading.Timer(0.3, go.set)
    for thread in [timer] + more:
        thread.start()
    fill()
    for thread in [timer] + more:
        thread.join()
    assert acl.rt.synchronize_stream(stream) == 0 and set(codes) == {0}
