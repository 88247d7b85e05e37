# SPDX-License-Identifier: MIT
"""acl.rt: memory of device and host, copies, virtual memory, sharing, pools, allocators; acl.util."""

import ctypes
import mmap
import os
import subprocess
import sys

import acl
import pytest
from conftest import ok

MIB = 1 << 20
DEVICE = {"id": 0, "type": acl.ACL_MEM_LOCATION_TYPE_DEVICE}
HOST = {"id": 0, "type": acl.ACL_MEM_LOCATION_TYPE_HOST}
PHYSICAL = {"handleType": acl.ACL_MEM_HANDLE_TYPE_NONE, "allocationType": acl.ACL_MEM_ALLOCATION_TYPE_PINNED,
            "memAttr": acl.ACL_HBM_MEM_HUGE, "location": DEVICE, "reserve": 0}


@pytest.fixture
def stream(device):
    made = ok(acl.rt.create_stream())
    yield made
    assert acl.rt.destroy_stream(made) == 0


@pytest.fixture
def memory(device):
    """A function that allocates device memory for one test."""
    made = []

    def allocate(size=4096):
        made.append(ok(acl.rt.malloc(size, acl.ACL_MEM_MALLOC_HUGE_FIRST)))
        return made[-1]

    yield allocate
    for address in made:
        assert acl.rt.free(address) == 0


def put(address, data):
    assert acl.rt.memcpy(address, len(data), acl.util.bytes_to_ptr(data), len(data), acl.ACL_MEMCPY_HOST_TO_DEVICE) == 0


def get(address, size):
    out = bytearray(size)
    assert acl.rt.memcpy(acl.util.bytes_out_to_ptr(out), size, address, size, acl.ACL_MEMCPY_DEVICE_TO_HOST) == 0
    return bytes(out)


def test_kinds_of_memory(device):
    for made in (acl.rt.malloc(4096, 0), acl.rt.malloc_align32(4096, 0), acl.rt.malloc_cached(4096, 0),
                 acl.rt.malloc_with_cfg(4096, 0, {}), acl.rt.malloc_with_cfg(4096, 0, None),
                 acl.rt.malloc_with_cfg(4096, 0, {"attrs": [{"attr": acl.ACL_RT_MEM_ATTR_MODULE_ID, "value": 33}], "numAttrs": 1}),
                 acl.rt.malloc_with_cfg(4096, 0, [{"attr": acl.ACL_RT_MEM_ATTR_MODULE_ID, "value": 33}]),
                 acl.rt.malloc_for_task_scheduler(4096, 0, {})):
        address = ok(made)
        assert ok(acl.rt.pointer_get_attributes(address))["location"] == DEVICE
        assert ok(acl.rt.check_mem_type([address], 2, 0)) in (0, 1)
        assert acl.rt.mem_flush(address, 64) == 0 and acl.rt.mem_invalidate(address, 64) == 0
        base, size = ok(acl.rt.mem_get_address_range(address + 8))
        assert base <= address and size >= 4096
        assert acl.rt.free(address) == 0 and acl.rt.free(address) != 0
    assert acl.rt.free_with_dev_sync(ok(acl.rt.malloc(64, 0))) == 0
    assert acl.rt.malloc(1 << 50, 0) == (0, 207001)
    free, total = ok(acl.rt.get_mem_info(acl.ACL_HBM_MEM))
    assert 0 < free <= total
    uses, count = ok(acl.rt.get_mem_usage_info(0, 64))
    assert len(uses) == count and all(set(u) == {"name", "cur_mem_size", "mem_peak_size"} for u in uses)
    assert acl.rt.mem_p2p_map(0, 64, 1, 0) != 0


def test_host_memory(device):
    address = ok(acl.rt.malloc_host(4096))
    assert ok(acl.rt.pointer_get_attributes(address))["location"]["type"] == acl.ACL_MEM_LOCATION_TYPE_HOST
    assert ok(acl.rt.host_get_device_pointer(address, 0))
    assert acl.rt.free_host(address) == 0 and acl.rt.free_host(0) == 100000
    assert acl.rt.free_host_with_dev_sync(ok(acl.rt.malloc_host_with_cfg(4096, {}))) == 0
    pages = mmap.mmap(-1, 4096)
    page = acl.util.bytes_out_to_ptr(pages)
    assert ok(acl.rt.host_register(page, 4096, acl.ACL_HOST_REGISTER_MAPPED)) and acl.rt.host_unregister(page) == 0
    assert acl.rt.host_register_v2(page, 4096, acl.ACL_HOST_REG_MAPPED) == 0 and acl.rt.host_unregister(page) == 0
    assert acl.rt.host_unregister(page) != 0 and acl.rt.host_register(page + 1, 64, 0)[1] != 0


def test_copies(stream, memory):
    a, b = memory(), memory()
    data = bytes(range(256)) * 16
    put(a, data)
    assert acl.rt.memcpy(b, 4096, a, 4096, acl.ACL_MEMCPY_DEVICE_TO_DEVICE) == 0 and get(b, 4096) == data
    out = bytearray(4096)
    assert acl.rt.memcpy_async(acl.util.bytes_out_to_ptr(out), 4096, a, 4096, acl.ACL_MEMCPY_DEVICE_TO_HOST, stream) == 0
    assert acl.rt.synchronize_stream(stream) == 0 and bytes(out) == data
    assert acl.rt.memset(a, 4096, 7, 16) == 0 and get(a, 17) == b"\7" * 16 + b"\20"
    assert acl.rt.memset_async(a, 4096, 9, 16, stream) == 0
    assert acl.rt.memset_d32(a + 64, 4032, 0x01020304, 2) == 0 and acl.rt.memset_d32_async(a + 72, 4024, 5, 1, stream) == 0
    assert acl.rt.synchronize_stream(stream) == 0
    assert get(a, 80)[:16] == b"\11" * 16 and get(a, 80)[64:] == b"\4\3\2\1\4\3\2\1\5\0\0\0" + data[76:80]
    kind = acl.ACL_MEMCPY_DEVICE_TO_DEVICE
    assert acl.rt.memcpy_async_with_condition(b, 4096, a, 64, kind, stream) in (0, 207000, 100000)
    assert acl.rt.synchronize_stream(stream) == 0
    for wrong in (acl.rt.memcpy(0, 64, a, 64, 3), acl.rt.memcpy(b, 64, 0, 64, 3), acl.rt.memcpy(b, 64, a, 64, 99)):
        assert wrong == 100000
    assert acl.rt.memcpy(b, 32, a, 64, 3) == 107000 and acl.rt.memset(0, 1, 0, 1) == 100000


def test_rectangles(stream, memory):
    a = memory()
    data = bytes(range(64))
    assert acl.rt.memcpy2d(a, 16, acl.util.bytes_to_ptr(data), 8, 8, 8, acl.ACL_MEMCPY_HOST_TO_DEVICE) == 0
    assert acl.rt.memcpy_2d is not None and get(a + 16, 8) == data[8:16]
    out = bytearray(64)
    assert acl.rt.memcpy2d_async(acl.util.bytes_out_to_ptr(out), 8, a, 16, 8, 8, acl.ACL_MEMCPY_DEVICE_TO_HOST, stream) == 0
    assert acl.rt.synchronize_stream(stream) == 0 and bytes(out) == data
    assert acl.rt.memcpy2d(a, 4, acl.util.bytes_to_ptr(data), 8, 8, 8, 1) != 0


def test_copy_by_descriptor(stream, memory):
    """The sequence of the document of memcpy_async_with_desc."""
    kind = acl.ACL_MEMCPY_INNER_DEVICE_TO_DEVICE
    source, target, desc = memory(), memory(), memory()
    put(source, b"descriptor")
    assert ok(acl.rt.get_memcpy_desc_size(kind)) in (32, 64)
    assert acl.rt.set_memcpy_desc(desc, kind, source, target, 10, 0) == (desc, 0)
    assert acl.rt.memcpy_async_with_desc(desc, kind, stream) == 0 and acl.rt.synchronize_stream(stream) == 0
    assert get(target, 10) == b"descriptor"
    assert acl.rt.memcpy_async_with_desc(desc, 1, stream) != 0 and acl.rt.memcpy_async_with_desc(desc, kind, 0) == 100000
    assert acl.rt.set_memcpy_desc(0, kind, source, target, 10, 0)[1] == 100000


def test_batches(stream, memory):
    a, b = memory(), memory()
    data = [bytes([i]) * 16 for i in range(4)]
    attrs = [{"dstLoc": DEVICE, "src_loc": HOST}]
    arguments = ([a + 16 * i for i in range(4)], [16] * 4, [acl.util.bytes_to_ptr(d) for d in data], [16] * 4, attrs, [0])
    assert acl.rt.memcpy_batch(*arguments)[1] == 0 and get(a, 64) == b"".join(data)
    arguments = ([b + 16 * i for i in range(4)], *arguments[1:])
    assert acl.rt.memcpy_batch_v2(*arguments) == 0 and get(b, 64) == b"".join(data)
    pinned = ok(acl.rt.malloc_host(64))
    ctypes.memmove(pinned, b"p" * 64, 64)
    arguments = ([a], [64], [pinned], [64], attrs, [0])
    assert acl.rt.memcpy_batch_async(*arguments, stream)[1] == 0 and acl.rt.memcpy_batch_async_v2(*arguments, stream) == 0
    assert acl.rt.synchronize_stream(stream) == 0 and get(a, 64) == b"p" * 64
    assert acl.rt.memcpy_batch([], [], [], [], [], [])[1] == 100000 and acl.rt.free_host(pinned) == 0


def test_copy_with_offset(stream, memory):
    a, b, words = memory(), memory(), memory()
    put(a, bytes(range(64)))
    put(words, a.to_bytes(8, "little") + b.to_bytes(8, "little"))
    ret = acl.rt.memcpy_async_with_offset(words + 8, 4096, 16, words, 8, 32, acl.ACL_MEMCPY_DEVICE_TO_DEVICE, stream)
    if ret == 0:
        assert acl.rt.synchronize_stream(stream) == 0 and get(b + 16, 8) == bytes(range(32, 40))
    else:
        assert ret in (100000, 107000, 207000)


def test_reductions_and_caches(stream, memory):
    a, b = memory(), memory()
    put(a, (5).to_bytes(4, "little"))
    put(b, (7).to_bytes(4, "little"))
    assert acl.rt.reduce_async(b, a, 4, acl.ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, acl.ACL_INT32, stream, 0) == 0
    assert acl.rt.synchronize_stream(stream) == 0 and get(b, 4) == (12).to_bytes(4, "little")
    assert acl.rt.cmo_async(a, 64, acl.ACL_RT_CMO_TYPE_PREFETCH, stream) == 0
    size = ok(acl.rt.cmo_get_desc_size())
    desc = memory(size)
    assert acl.rt.cmo_set_desc(desc, a, 64) == 0
    assert acl.rt.cmo_async_with_desc(desc, acl.ACL_RT_CMO_TYPE_PREFETCH, stream, 0) == 0
    assert acl.rt.synchronize_stream(stream) == 0


def test_random_numbers(stream, memory):
    result, counter = memory(), memory()
    assert acl.rt.memset(counter, 4096, 0, 4096) == 0 and acl.rt.memset(result, 4096, 0, 4096) == 0
    task = {"dataType": acl.ACL_FLOAT, "randomResultAddr": result, "random_counter_addr": counter,
            "randomNumFuncParaInfo": {"funcType": acl.ACL_RT_RANDOM_NUM_FUNC_TYPE_UNIFORM_DIS,
                                      "paramInfo": {"min": {"valueOrAddr": 2.0, "size": 4}, "max": {"valueOrAddr": 3.0, "size": 4}}},
            "randomSeed": {"valueOrAddr": 1, "size": 8}, "randomNum": {"valueOrAddr": 16, "size": 8}}
    assert acl.rt.random_num_async(task, stream, 0) == 0, acl.get_recent_err_msg()
    assert acl.rt.synchronize_stream(stream) == 0
    assert all(2 <= x <= 3 for x in memoryview(get(result, 64)).cast("f"))
    with pytest.raises(ValueError, match="no key 'seed'"):
        acl.rt.random_num_async({"seed": 1}, stream)


def test_managed_memory(stream):
    address = ok(acl.rt.mem_alloc_managed(2 * MIB, acl.ACL_RT_MEM_ATTACH_GLOBAL))
    assert acl.rt.mem_managed_advise(address, 2 * MIB, acl.ACL_MEM_ADVISE_SET_READ_MOSTLY, {"type": 1, "id": 0}) == 0
    assert ok(acl.rt.mem_managed_get_attr(acl.ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, address, 2 * MIB, 4)) == 1
    assert isinstance(ok(acl.rt.mem_managed_get_attr(acl.ACL_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, address, 2 * MIB, 8)), list)
    kinds = [acl.ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, acl.ACL_MEM_RANGE_ATTRIBUTE_ACCESSED_BY]
    values = ok(acl.rt.mem_managed_get_attrs(kinds, address, 2 * MIB, [4, 8]))
    assert values[0] == 1 and len(values[1]) == 2
    assert acl.rt.mem_managed_prefetch_async(address, 2 * MIB, {"type": 1, "id": 0}, 0, stream) == 0
    assert acl.rt.mem_managed_prefetch_batch_async([address], [2 * MIB], [{"type": 1, "id": 0}], [0], 0, stream) == 0
    assert acl.rt.synchronize_stream(stream) == 0 and acl.rt.free(address) == 0


def test_virtual_memory(device):
    size = ok(acl.rt.mem_get_allocation_granularity(PHYSICAL, acl.ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM))
    handle = ok(acl.rt.malloc_physical(size, PHYSICAL, 0))
    assert ok(acl.rt.mem_get_allocation_properties_from_handle(handle))["location"] == DEVICE
    address = ok(acl.rt.reserve_mem_address(size, 0, 0, 1))
    assert acl.rt.map_mem(address, size, 0, handle, 0) == 0
    assert acl.rt.mem_set_access(address, size, [{"flags": acl.ACL_RT_MEM_ACCESS_FLAGS_READWRITE, "location": DEVICE}]) == 0
    assert ok(acl.rt.mem_get_access(address, DEVICE)) == acl.ACL_RT_MEM_ACCESS_FLAGS_READWRITE
    put(address, b"mapped")
    assert get(address, 6) == b"mapped"
    again = ok(acl.rt.mem_retain_allocation_handle(address))
    assert acl.rt.free_physical(again) == 0
    assert acl.rt.unmap_mem(address) == 0 and acl.rt.mem_map_no_access(address, size, 0, handle, 0) == 0
    assert acl.rt.unmap_mem(address) == 0 and acl.rt.release_mem_address(address) == 0
    other = ok(acl.rt.reserve_mem_address_no_uc_memory(size, 0, 0, 1))
    assert acl.rt.release_mem_address(other) == 0 and acl.rt.release_mem_address(other) != 0
    assert acl.rt.free_physical(handle) == 0 and acl.rt.free_physical(handle) == 107017
    assert acl.rt.malloc_physical(size, PHYSICAL, 1)[1] == 100000


IMPORT = """
import acl, sys
acl.init(), acl.rt.set_device(0)
address, ret = acl.rt.ipc_mem_import_by_key(sys.argv[1], 0)
out = bytearray(6)
acl.rt.memcpy(acl.util.bytes_out_to_ptr(out), 6, address, 6, 2)
print(ret, bytes(out), acl.rt.ipc_mem_close(sys.argv[1]))
"""


@pytest.mark.skipif(os.environ.get("ANPU_DEVICE") == "direct", reason="each process has devices of its own")
def test_shared_memory(device, memory):
    address = memory(2 * MIB)
    key = ok(acl.rt.ipc_mem_get_export_key(address, 2 * MIB, 65, acl.ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION))
    assert isinstance(key, str) and key
    assert acl.rt.ipc_mem_set_import_pid(key, [os.getpid()]) in (0, 100000, 107000, 207000)
    assert acl.rt.ipc_mem_import_by_key("nothing", 0)[1] != 0
    assert acl.rt.ipc_mem_import_by_key(key, 0)[1] in (0, 107000, 207000)
    put(address, b"shared")
    done = subprocess.run([sys.executable, "-c", IMPORT, key], capture_output=True, text=True, check=False, timeout=120)
    assert done.stdout == "0 b'shared' 0\n", done.stderr
    assert acl.rt.ipc_mem_close(key) == 0
    with pytest.raises(ValueError, match="len is"):
        acl.rt.ipc_mem_get_export_key(address, 2 * MIB, 1 << 40, 0)
    handle = ok(acl.rt.malloc_physical(2 * MIB, PHYSICAL, 0))
    share = ok(acl.rt.mem_export_to_shareable_handle(handle, 0, 1))
    assert acl.rt.mem_set_pid_to_shareable_handle(share, [os.getpid()]) == 0
    assert acl.rt.mem_import_from_shareable_handle(share, 0) == (0, 107000), "it is for other processes"
    default = acl.ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT
    share = ok(acl.rt.mem_export_to_shareable_handle_v2(handle, 1, default))
    assert acl.rt.mem_set_pid_to_shareable_handle_v2(share, default, [os.getpid()]) == 0
    assert acl.rt.mem_import_from_shareable_handle_v2(share, default, 0) == (0, 107000)
    fabric = acl.ACL_MEM_SHARE_HANDLE_TYPE_FABRIC
    assert isinstance(acl.rt.mem_export_to_shareable_handle_v2(handle, 1, fabric)[0], bytes)
    with pytest.raises(ValueError, match="shareable_handle has 1 bytes and must have 128"):
        acl.rt.mem_import_from_shareable_handle_v2(b"x", fabric, 0)
    with pytest.raises(TypeError, match="shareable_handle must be bytes, not int"):
        acl.rt.mem_import_from_shareable_handle_v2(1, fabric, 0)
    assert acl.rt.free_physical(handle) == 0


def test_shared_events_and_notifies(stream):
    event = ok(acl.rt.create_event_ex_with_flag(acl.ACL_EVENT_IPC))
    name = ok(acl.rt.ipc_get_event_handle(event))
    assert isinstance(name, bytes) and len(name) == acl.ACL_IPC_EVENT_HANDLE_SIZE
    assert acl.rt.ipc_open_event_handle(bytes(64))[1] != 0
    with pytest.raises(ValueError, match="handle has 3 bytes and must have 64"):
        acl.rt.ipc_open_event_handle(b"abc")
    assert acl.rt.ipc_open_event_handle(name)[1] in (0, 107000, 207000, 107017)
    assert acl.rt.record_event(event, stream) == 0 and acl.rt.synchronize_event(event) == 0
    assert acl.rt.destroy_event(event) == 0
    notify = ok(acl.rt.create_notify(0))
    key = ok(acl.rt.notify_get_export_key(notify, 65, 0))
    assert acl.rt.notify_set_import_pid(notify, [os.getpid()]) == 0
    assert acl.rt.notify_import_by_key(key, 0)[1] in (0, 107000, 207000) and acl.rt.notify_import_by_key("nothing", 0)[1] != 0
    assert acl.rt.destroy_notify(notify) == 0


def test_pools(stream):
    pool = ok(acl.rt.mem_pool_create({"allocType": 0, "handle_type": 0, "location": DEVICE, "maxSize": 0}))
    assert acl.rt.mem_pool_set_attr(pool, acl.ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD, 1 << 33) == 0
    assert ok(acl.rt.mem_pool_get_attr(pool, acl.ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD)) == 1 << 33
    assert ok(acl.rt.mem_pool_get_attr(pool, acl.ACL_RT_MEM_POOL_REUSE_ALLOW_OPPORTUNISTIC)) == 1
    address = ok(acl.rt.mem_pool_malloc_async(4096, pool, stream))
    assert ok(acl.rt.mem_pool_get_attr(pool, acl.ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT)) >= 4096
    assert acl.rt.mem_pool_free_async(address, stream) == 0 and acl.rt.synchronize_stream(stream) == 0
    assert acl.rt.mem_pool_trim_to(pool, 0) == 0 and acl.rt.mem_pool_destroy(pool) == 0
    assert acl.rt.mem_pool_destroy(pool) == 107017 and acl.rt.mem_pool_malloc_async(64, pool, stream)[1] == 107017


def test_allocators(stream):
    desc = acl.rt.allocator_create_desc()
    functions = [lambda obj, size: 1, lambda obj, block: None, lambda obj, size, near: 2, lambda block: 3]
    assert acl.rt.allocator_set_obj_to_desc(desc, 77) == 0
    assert acl.rt.allocator_set_alloc_func_to_desc(desc, functions[0]) == 0
    assert acl.rt.allocator_set_free_func_to_desc(desc, functions[1]) == 0
    assert acl.rt.allocator_set_alloc_advise_func_to_desc(desc, functions[2]) == 0
    assert acl.rt.allocator_set_get_addr_from_block_func_to_desc(desc, functions[3]) == 0
    assert acl.rt.allocator_register(stream, desc) == 0
    assert acl.rt.allocator_get_by_stream(stream) == (desc, 77, *functions, 0)
    assert acl.rt.allocator_destroy_desc(desc) == 0 and acl.rt.allocator_get_by_stream(stream)[2] is functions[0]
    assert acl.rt.allocator_unregister(stream) == 0 and acl.rt.allocator_get_by_stream(stream)[-1] == 107000
    assert acl.rt.allocator_set_alloc_func_to_desc(desc, functions[0]) == 107017
    # sets of functions come back
    for _ in range(20):
        desc = acl.rt.allocator_create_desc()
        assert acl.rt.allocator_set_alloc_func_to_desc(desc, print) == 0 and acl.rt.allocator_destroy_desc(desc) == 0


def test_util_bytes():
    data = b"some bytes"
    assert acl.util.ptr_to_bytes(acl.util.bytes_to_ptr(data), len(data)) == data
    out = bytearray(4)
    ctypes.memmove(acl.util.bytes_out_to_ptr(out), b"abcd", 4)
    assert out == b"abcd" and acl.util.bytes_to_ptr(out) == acl.util.bytes_out_to_ptr(out)
    assert acl.util.ptr_to_bytes(0, 0) == b""
    for call, error in ((lambda: acl.util.bytes_to_ptr("x"), TypeError), (lambda: acl.util.bytes_out_to_ptr(memoryview(b"x")), TypeError),
                        (lambda: acl.util.ptr_to_bytes(0, 1), ValueError), (lambda: acl.util.ptr_to_bytes(1, 1 << 63), OverflowError),
                        (lambda: acl.util.ptr_to_bytes("a", 1), TypeError), (lambda: acl.util.bytes_to_ptr(), TypeError)):
        with pytest.raises(error, match=r"^acl\.util\."):
            call()
    vector = (ctypes.c_size_t * 3)(acl.util.bytes_to_ptr(data), acl.util.bytes_to_ptr(data) + 4, 0)
    assert acl.util.vector_to_bytes(ctypes.addressof(vector)) == data[:4]
    with pytest.raises(ValueError):
        acl.util.vector_to_bytes(0)


def test_util_numpy():
    numpy = pytest.importorskip("numpy", reason="python3-numpy is missing")
    array = numpy.arange(12, dtype=numpy.int32).reshape(3, 4)
    address = acl.util.numpy_to_ptr(array)
    assert address == array.ctypes.data
    over = acl.util.ptr_to_numpy(address, (3, 4), 5)
    assert (over == array).all() and over.dtype == array.dtype
    over[0, 0] = 99
    assert array[0, 0] == 99
    same, out = acl.util.numpy_contiguous_to_ptr(array)
    assert same == address and out is array
    moved, out = acl.util.numpy_contiguous_to_ptr(array.T)
    assert moved != address and moved == out.ctypes.data and (out == array.T).all()
    for number, name in ((1, "int8"), (2, "uint8"), (7, "int64"), (11, "float32"), (12, "float64"), (23, "float16")):
        assert acl.util.ptr_to_numpy(address, (1,), number).dtype == numpy.dtype(name)
    assert acl.util.ptr_to_numpy(address, (0, 4), 5).shape == (0, 4)
    for call, error in ((lambda: acl.util.ptr_to_numpy(0, (1,), 5), ValueError), (lambda: acl.util.ptr_to_numpy(address, 1, 5), TypeError),
                        (lambda: acl.util.ptr_to_numpy(address, (1,), 17), ValueError),
                        (lambda: acl.util.ptr_to_numpy(address, (1 << 62, 8), 5), (ValueError, OverflowError)),
                        (lambda: acl.util.ptr_to_numpy(address, (-1,), 5), ValueError),
                        (lambda: acl.util.numpy_to_ptr(3), TypeError), (lambda: acl.util.numpy_contiguous_to_ptr([1]), TypeError)):
        with pytest.raises(error):
            call()
    assert acl.data_type_size(numpy.int64(0)) == 4


def test_memory_for_pictures(device):
    address = ok(acl.media.dvpp_malloc(4096))
    put(address, b"picture!")
    assert get(address, 8) == b"picture!" and acl.media.dvpp_free(address) == 0 and acl.media.dvpp_free(address) != 0
    assert acl.media.dvpp_malloc(0)[1] == 100000
    with pytest.raises(OverflowError, match=r"acl.media.dvpp_malloc\(\): size is -1"):
        acl.media.dvpp_malloc(-1)
    with pytest.raises(TypeError, match=r"acl.media.dvpp_free\(\) takes 1 argument \(dev_ptr\)"):
        acl.media.dvpp_free()
