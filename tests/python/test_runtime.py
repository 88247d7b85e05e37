# SPDX-License-Identifier: MIT
"""acl and acl.rt: start and end, devices, contexts, streams, events, notifies, limits."""

import ctypes
import subprocess
import sys
import threading
import time

import acl
import pytest
from conftest import TOP, ok

OPS = TOP + "/build/tests/libacl/ops.o"


@pytest.fixture
def stream(device):
    made = ok(acl.rt.create_stream())
    yield made
    assert acl.rt.destroy_stream(made) in (0, 107017)


def alone(code, *arguments):
    """Runs code in a process of its own; gives what it prints."""
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_init_and_finalize():
    out = alone("""
import acl, os, tempfile
calls = []
assert acl.init_callback_register(0, lambda config, data: calls.append(("init", config, data)), 5) == 0
hook = lambda data: calls.append(("finalize", data)) or 0
assert acl.finalize_callback_register(1, hook, [6]) == 0
print(acl.init(), acl.init(""), acl.init(None), acl.finalize_reference(), acl.finalize_reference())
print(acl.finalize(), acl.finalize(), acl.get_recent_err_msg() != "", calls)
assert acl.finalize_callback_unregister(1, hook) == 0 and acl.finalize_callback_unregister(1, hook) == 100000
assert acl.init_callback_unregister(0, print) == 100000
file = tempfile.NamedTemporaryFile("w", suffix=".json")
print('{"defaultDevice": {"default_device": "0"}}', file=file, flush=True)
print(acl.init("/nowhere/acl.json"), acl.init(file.name.encode()), acl.rt.malloc(64, 0)[1], acl.finalize())
""")
    assert out.splitlines() == ["0 100002 100002 (2, 0) (1, 0)", "0 100037 True [('init', '', 5), ('finalize', [6])]",
                                "100003 0 0 0"]


def test_versions_and_names(device):
    assert acl.get_soc_name() == acl.rt.get_soc_name() and acl.get_soc_name()
    assert acl.get_version() == acl.rt.get_version() == (1, 17, 0, 0)
    assert ok(acl.sys_get_version_str("runtime")) == "1.17.0" and ok(acl.sys_get_version_num("runtime")) > 0
    assert ok(acl.sys_get_cann_version(1))["version"].startswith("1.17")
    attributes = ok(acl.get_cann_attribute_list())
    assert attributes and all(acl.get_cann_attribute(a)[0] in (0, 1) for a in attributes)
    assert acl.data_type_size(acl.ACL_FLOAT) == 4
    assert acl.float16_to_float(acl.float_to_float16(1.5)) == 1.5
    assert acl.app_log(acl.ACL_DEBUG, "100 %s are no format") is None


def test_errors_of_this_thread(device):
    assert acl.rt.malloc(0, 0) == (0, 100000)
    assert acl.rt.free(0) == 100000
    assert acl.rt.peek_at_last_error(0) == acl.rt.get_last_error(0)
    assert "aclrtFree" in acl.get_recent_err_msg() and acl.get_recent_err_msg() == ""
    assert acl.rt.get_last_error(0) == 0


def test_devices(device):
    count = ok(acl.rt.get_device_count())
    assert count >= 1 and ok(acl.rt.get_device()) == 0 and ok(acl.rt.get_run_mode()) == acl.ACL_HOST
    assert acl.rt.set_device(count) == 107001 and acl.rt.set_device(-1) == 107001
    assert ok(acl.rt.get_device_info(0, acl.ACL_DEV_ATTR_AICORE_CORE_NUM)) > 0
    assert ok(acl.get_device_capability(0, acl.ACL_DEVICE_INFO_AI_CORE_NUM)) > 0
    assert acl.rt.get_device_capability(0, acl.ACL_FEATURE_SYSTEM_MEMQ_EVENT_CROSS_DEV)[1] == 0
    assert ok(acl.rt.query_device_status(0)) == acl.ACL_RT_DEVICE_STATUS_NORMAL
    bus = ok(acl.rt.device_get_pci_bus_id(0, 32))
    assert ok(acl.rt.device_get_by_pci_bus_id(bus)) == 0 and acl.rt.device_get_pci_bus_id(0, 0)[1] != 0
    assert len(ok(acl.rt.device_get_uuid(0))) == 16
    use = ok(acl.rt.get_device_utilization_rate(0))
    assert set(use) == {"cube_utilization", "vector_utilization", "aicpu_utilization", "memory_utilization", "utilization_extend"}
    for translate in (acl.rt.get_logic_dev_id_by_user_dev_id, acl.rt.get_phy_dev_id_by_logic_dev_id,
                      acl.rt.get_logic_dev_id_by_phy_dev_id, acl.rt.get_phy_dev_id_by_user_dev_id,
                      acl.rt.get_user_dev_id_by_logic_dev_id, acl.rt.get_user_dev_id_by_phy_dev_id):
        assert ok(translate(0)) == 0 and translate(99)[1] != 0
    assert len(ok(acl.rt.device_get_host_atomic_capabilities([0, 5, 9], 0))) == 3
    assert acl.rt.device_get_p2p_atomic_capabilities([0], 0, 0)[1] in (0, 100000, 107000, 207000)
    assert acl.rt.device_can_access_peer(0, 99)[1] == 107001 and acl.rt.device_enable_peer_access(99, 0) == 107001
    assert acl.rt.device_disable_peer_access(99) == 107001 and acl.rt.device_peer_access_status(0, 99)[1] == 107001
    least, greatest = ok(acl.rt.device_get_stream_priority_range())
    assert least >= greatest
    assert acl.rt.get_devices_topo(0, 0)[1] in (0, 100000, 107000)
    mode = ok(acl.rt.get_device_sat_mode())
    assert acl.rt.set_device_sat_mode(mode) == 0 and acl.rt.set_device_sat_mode(77) == 100000
    assert acl.rt.set_ts_device(0) == 0 and acl.rt.device_l2_cache_flush(0) == 0
    assert ok(acl.rt.device_get_bare_tgid()) > 0
    assert ok(acl.rt.get_error_verbose(0))["error_type"] == acl.ACL_RT_NO_ERROR
    assert acl.rt.host_mem_map_capabilities(0, acl.ACL_RT_HAC_TYPE_SDMA)[1] == 0
    assert acl.rt.synchronize_device() == 0 and acl.rt.synchronize_device_with_timeout(1000) == 0
    assert acl.rt.synchronize_device_with_timeout(0) == 100000


def test_reset_counts(runtime):
    assert acl.rt.set_device(0) == 0 and acl.rt.set_device(0) == 0
    assert acl.rt.reset_device(0) == 0 and ok(acl.rt.get_device()) == 0
    assert acl.rt.reset_device_force(0) == 0 and acl.rt.reset_device_force(0) != 0
    assert acl.rt.get_device() == (0, 107002)


def test_contexts(device):
    default = ok(acl.rt.get_context())
    made = ok(acl.rt.create_context(0))
    assert ok(acl.rt.get_current_context()) == made != default
    assert ok(acl.rt.ctx_get_current_default_stream())
    assert acl.rt.set_context(default) == 0 and acl.rt.set_current_context(made) == 0
    assert acl.rt.ctx_set_sys_param_opt(0, 1) == 0 and ok(acl.rt.ctx_get_sys_param_opt(0)) == 1
    assert acl.rt.set_sys_param_opt(0, 1) == 0 and ok(acl.rt.get_sys_param_opt(0)) == 1
    assert ok(acl.rt.ctx_get_float_overflow_addr())
    assert ok(acl.rt.get_primary_ctx_state(0))[1] == 1
    assert acl.rt.destroy_context(made) == 0 and acl.rt.destroy_context(made) == 107017
    assert acl.rt.set_context(default) == 0 and acl.rt.destroy_context(default) != 0
    with pytest.raises(TypeError, match="context must be int, not NoneType"):
        acl.rt.set_context(None)


def test_a_new_thread_has_no_context(device):
    found = []
    thread = threading.Thread(target=lambda: found.append(acl.rt.get_context()))
    thread.start()
    thread.join()
    assert found == [(0, 107002)]


def test_streams(stream):
    assert ok(acl.rt.stream_query(stream)) == acl.ACL_STREAM_STATUS_COMPLETE
    assert acl.rt.synchronize_stream(stream) == 0 and acl.rt.synchronize_stream(0) == 0
    assert acl.rt.synchronize_stream_with_timeout(stream, -1) == 0 and acl.rt.synchronize_stream_with_timeout(stream, 0) == 100000
    assert ok(acl.rt.stream_get_id(stream)) >= 0 and ok(acl.rt.stream_get_flags(stream)) == 0
    assert acl.rt.stream_get_priority(stream)[1] == 0 and ok(acl.rt.get_stream_available_num()) > 0
    other = ok(acl.rt.create_stream_with_config(0, acl.ACL_STREAM_FAST_LAUNCH | acl.ACL_STREAM_FAST_SYNC))
    assert acl.rt.stream_stop(other) == 0 and acl.rt.stream_abort(other) == 0 and acl.rt.destroy_stream_force(other) == 0
    assert acl.rt.destroy_stream(other) == 107017 and acl.rt.destroy_stream(0) == 100000
    assert acl.rt.persistent_task_clean(stream) in (0, 107003, 207000, 100000, 107000)


def test_stream_attributes(stream):
    assert acl.rt.set_stream_failure_mode(stream, 1) == 0
    assert ok(acl.rt.get_stream_attribute(stream, acl.ACL_STREAM_ATTR_FAILURE_MODE)) == 1
    assert acl.rt.set_stream_attribute(stream, acl.ACL_STREAM_ATTR_USER_CUSTOM_TAG, 77) == 0
    assert ok(acl.rt.get_stream_attribute(stream, acl.ACL_STREAM_ATTR_USER_CUSTOM_TAG)) == 77
    assert acl.rt.set_stream_attribute(stream, 99, 1) == 100000
    with pytest.raises(OverflowError, match="value is 4294967296"):
        acl.rt.set_stream_attribute(stream, acl.ACL_STREAM_ATTR_USER_CUSTOM_TAG, 2**32)
    assert acl.rt.set_stream_overflow_switch(stream, 1) in (0, 207000)
    assert acl.rt.get_stream_overflow_switch(stream)[1] == 0


def test_stream_options(device):
    handle = acl.rt.create_stream_config_handle()
    value = (1).to_bytes(4, "little")
    assert acl.rt.set_stream_config_opt(handle, acl.ACL_RT_STREAM_PRIORITY, acl.util.bytes_to_ptr(value), 4) == 0
    made = ok(acl.rt.create_stream_v2(handle))
    assert ok(acl.rt.stream_get_priority(made)) == 1
    assert acl.rt.destroy_stream_config_handle(handle) == 0 and acl.rt.destroy_stream(made) == 0


def test_events(stream):
    start, end = ok(acl.rt.create_event()), ok(acl.rt.create_event())
    assert ok(acl.rt.query_event_status(start)) == acl.ACL_EVENT_RECORDED_STATUS_NOT_READY
    assert acl.rt.record_event(start, stream) == 0 and acl.rt.record_event(end, stream) == 0
    assert acl.rt.synchronize_event(end) == 0 and acl.rt.synchronize_event_with_timeout(end, 1000) == 0
    assert ok(acl.rt.query_event(end)) == acl.ACL_EVENT_STATUS_COMPLETE
    elapsed = ok(acl.rt.event_elapsed_time(start, end))
    assert isinstance(elapsed, float) and elapsed >= 0
    assert acl.rt.event_elapsed_time(end, start)[1] in (0, 107007)
    assert ok(acl.rt.event_get_timestamp(end)) > 0 and acl.rt.get_event_id(end)[1] in (0, 207000)
    assert ok(acl.rt.get_event_avail_num()) > 0
    assert acl.rt.stream_wait_event(0, end) == 0 and acl.rt.synchronize_stream(0) == 0
    assert acl.rt.query_event_wait_status(end)[1] == 0
    assert acl.rt.reset_event(end, 0) == 0 and acl.rt.synchronize_stream(0) == 0
    assert acl.rt.destroy_event(start) == 0 and acl.rt.destroy_event(end) == 0
    for gone in (lambda: acl.rt.record_event(end, stream), lambda: acl.rt.destroy_event(end), lambda: acl.rt.query_event(end)[1],
                 lambda: acl.rt.synchronize_event(end), lambda: acl.rt.stream_wait_event(stream, end)):
        assert gone() == 107017


def test_event_flags(stream):
    event = ok(acl.rt.create_event_with_flag(acl.ACL_EVENT_SYNC))
    assert acl.rt.stream_wait_event_with_timeout(stream, event, 60) == 0
    assert acl.rt.record_event_with_flag(event, 0, acl.ACL_EVENT_RECORD_DEFAULT) == 0
    assert acl.rt.synchronize_stream(stream) == 0
    assert acl.rt.stream_wait_event_with_flag(stream, event, 60, acl.ACL_EVENT_WAIT_DEFAULT) == 0
    assert acl.rt.event_get_timestamp(event)[1] != 0
    assert acl.rt.destroy_event(event) == 0
    event = ok(acl.rt.create_event_ex_with_flag(acl.ACL_EVENT_SYNC))
    assert acl.rt.reset_event(event, stream) != 0 and acl.rt.destroy_event(event) == 0
    assert acl.rt.create_event_with_flag(0x8000)[1] == 100000
    assert acl.rt.set_op_wait_timeout(0) == 0


def test_waits_time_out(stream):
    word = ok(acl.rt.malloc(64, 0))
    assert acl.rt.memset(word, 64, 0, 64) == 0
    assert acl.rt.value_wait(word, 1, 0, stream) == 0
    event = ok(acl.rt.create_event())
    assert acl.rt.record_event(event, stream) == 0
    assert ok(acl.rt.stream_query(stream)) == acl.ACL_STREAM_STATUS_NOT_READY
    assert acl.rt.synchronize_stream_with_timeout(stream, 10) == 507046
    assert acl.rt.synchronize_event_with_timeout(event, 10) == 507047
    assert acl.rt.synchronize_device_with_timeout(10) == 507046
    assert ok(acl.rt.query_event(event)) == acl.ACL_EVENT_STATUS_NOT_READY
    assert acl.rt.value_write(word, 1, 0, 0) == 0 and acl.rt.synchronize_stream(stream) == 0
    assert acl.rt.destroy_event(event) == 0 and acl.rt.free(word) == 0


def test_notifies(stream):
    notify = ok(acl.rt.create_notify(0))
    assert acl.rt.get_notify_id(notify)[1] == 0
    assert acl.rt.wait_and_reset_notify(notify, stream, 0) == 0 and acl.rt.record_notify(notify, 0) == 0
    assert acl.rt.synchronize_stream(stream) == 0 and acl.rt.notify_batch_reset([notify]) == 0
    assert acl.rt.destroy_notify(notify) == 0 and acl.rt.destroy_notify(notify) == 107017
    assert acl.rt.notify_batch_reset([notify]) == 107017
    counter = ok(acl.rt.cnt_notify_create(0))
    assert acl.rt.cnt_notify_get_id(counter)[1] == 0
    assert acl.rt.cnt_notify_wait_with_timeout(counter, stream, {"mode": 3, "value": 2, "timeout": 60, "is_clear": 1}) == 0
    for _ in range(2):
        assert acl.rt.cnt_notify_record(counter, 0, {"mode": acl.ACL_RT_CNT_NOTIFY_RECORD_ADD_MODE, "value": 1}) == 0
    assert acl.rt.synchronize_stream(stream) == 0 and acl.rt.cnt_notify_reset(counter, stream) == 0
    assert acl.rt.cnt_notify_destroy(counter) == 0


def test_limits(stream):
    assert acl.rt.set_op_execute_timeout(100) == 0 and ok(acl.rt.get_op_execute_timeout()) == 100000
    assert acl.rt.set_op_execute_timeout_with_ms(50000) == 0 and ok(acl.rt.set_op_execute_timeout_v2(10**7)) >= 10**7
    assert ok(acl.rt.get_op_timeout_interval()) > 0
    assert acl.rt.device_get_limit(acl.ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE)[1] in (0, 207000)
    assert acl.rt.device_set_limit(99, 1) == 100000
    cores = ok(acl.rt.get_device_res_limit(0, acl.ACL_RT_DEV_RES_VECTOR_CORE))
    assert cores > 0 and acl.rt.set_device_res_limit(0, acl.ACL_RT_DEV_RES_VECTOR_CORE, cores) == 0
    assert acl.rt.reset_device_res_limit(0) == 0
    assert acl.rt.set_stream_res_limit(stream, acl.ACL_RT_DEV_RES_VECTOR_CORE, 1) == 0
    assert ok(acl.rt.get_stream_res_limit(stream, acl.ACL_RT_DEV_RES_VECTOR_CORE)) == 1
    assert acl.rt.use_stream_res_in_current_thread(stream) == 0
    assert ok(acl.rt.get_res_in_current_thread(acl.ACL_RT_DEV_RES_VECTOR_CORE)) == 1
    assert acl.rt.unuse_stream_res_in_current_thread(stream) == 0 and acl.rt.reset_stream_res_limit(stream) == 0


def test_overflow(stream):
    status = ok(acl.rt.malloc(512, 0))
    assert acl.rt.reset_overflow_status(stream) == 0 and acl.rt.get_overflow_status(status, 64, stream) == 0
    assert acl.rt.reset_float_overflow_status(stream) == 0 and acl.rt.get_float_overflow_status(status, 64, stream) == 0
    assert acl.rt.npu_clear_float_over_flow_status(0, stream) == 0
    assert acl.rt.npu_get_float_over_flow_status(status, 64, 0, stream) == 0
    assert acl.rt.synchronize_stream(stream) == 0 and acl.rt.free(status) == 0


def test_hooks_of_states(runtime):
    seen = []
    assert acl.rt.reg_device_state_callback("py", lambda *a: seen.append(("device", *a)), "x") == 0
    assert acl.rt.reg_stream_state_callback("py", lambda *a: seen.append(("stream", *a)), "y") == 0
    assert acl.rt.set_device(0) == 0
    made = ok(acl.rt.create_stream())
    assert acl.rt.destroy_stream(made) == 0
    assert acl.rt.reset_device(0) == 0
    assert ("device", 0, acl.ACL_RT_DEVICE_STATE_SET_POST, "x") in seen and ("stream", made, 1, "y") in seen
    assert ("stream", made, acl.ACL_RT_STREAM_STATE_DESTROY_PRE, "y") in seen
    assert acl.rt.reg_device_state_callback("py", None, None) == 0 and acl.rt.reg_stream_state_callback("py", None, None) == 0
    count = len(seen)
    assert acl.rt.set_device(0) == 0 and acl.rt.reset_device(0) == 0 and len(seen) == count


def test_task_abort(stream):
    seen = []
    assert acl.rt.set_device_task_abort_callback("py", lambda *a: seen.append(a) or 0, "z") == 0
    assert acl.rt.device_task_abort(0, 1000) == 0
    assert [a[1] for a in seen] == [acl.ACL_RT_DEVICE_TASK_ABORT_PRE, acl.ACL_RT_DEVICE_TASK_ABORT_POST] and seen[0][3] == "z"
    assert acl.rt.set_device_task_abort_callback("py", None, None) == 0


def test_data_buffers(runtime):
    buffer = acl.create_data_buffer(4096, 64)
    assert acl.get_data_buffer_addr(buffer) == 4096
    assert acl.get_data_buffer_size(buffer) == acl.get_data_buffer_size_v2(buffer) == 64
    assert acl.update_data_buffer(buffer, 8192, 32) == 0 and acl.get_data_buffer_addr(buffer) == 8192
    assert acl.destroy_data_buffer(buffer) == 0 and acl.destroy_data_buffer(0) == 100000


def test_last_task(stream):
    assert acl.rt.record_event(0, stream) != 0
    assert acl.rt.get_thread_last_task_id()[1] in (0, 107000, 207000)
    mark = ctypes.create_string_buffer(b"a mark", 18)
    assert acl.rt.prof_trace(ctypes.addressof(mark), 18, 0) == 0 and acl.rt.prof_trace(ctypes.addressof(mark), 19, 0) == 107000


def test_lock_of_python_is_free_in_waits(stream):
    """A thread counts while another one waits in the library."""
    counted, stop = [0], []

    def count():
        while not stop:
            counted[0] += 1
            time.sleep(0.001)

    word = ok(acl.rt.malloc(64, 0))
    assert acl.rt.memset(word, 64, 0, 64) == 0 and acl.rt.value_wait(word, 1, 0, stream) == 0
    thread = threading.Thread(target=count)
    thread.start()
    before = counted[0]
    assert acl.rt.synchronize_stream_with_timeout(stream, 300) == 507046
    assert counted[0] > before + 10
    stop.append(1)
    thread.join()
    assert acl.rt.value_write(word, 1, 0, 0) == 0 and acl.rt.synchronize_stream(stream) == 0 and acl.rt.free(word) == 0
