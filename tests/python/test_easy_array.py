# SPDX-License-Identifier: MIT
"""acl.easy: arrays of the device and of pinned host memory."""

import array
import gc
import io
import struct
import sys

import pytest

from acl import easy
from conftest import ok

TYPES = ["float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "bool"]


# To the device and back ------------------------------------------------------------------------------

@pytest.mark.parametrize("name", TYPES)
def test_numpy_there_and_back(npu, name):
    numpy = pytest.importorskip("numpy", reason="python3-numpy is missing")
    data = (numpy.arange(24) % 7).astype(name).reshape(2, 3, 4)
    x = npu.array(data)
    assert x.shape == (2, 3, 4) and x.dtype == name and x.dtype == data.dtype and x.nbytes == data.nbytes
    assert (x.numpy() == data).all() and x.numpy().dtype == data.dtype
    assert x.tolist() == data.tolist()


@pytest.mark.parametrize("name", TYPES)
def test_lists_there_and_back(npu, name):
    data = [[0, 1, 1], [1, 0, 1]]
    assert npu.array(data, dtype=name).tolist() == data


def test_lists_choose_a_type(npu):
    assert npu.array([1.5]).dtype == "float32"
    assert npu.array([1, 2]).dtype == "int32"
    assert npu.array([1, 2.5]).dtype == "float32"
    assert npu.array([True]).dtype == "bool"
    assert npu.array(7).shape == () and npu.array(7).item() == 7


def test_bfloat16_rounds_to_even(npu):
    x = npu.array([1.0, 1.00390625, 1.01171875, -2.5, float("inf")], dtype="bfloat16")
    assert x.tolist() == [1.0, 1.0, 1.015625, -2.5, float("inf")]
    assert x.tobytes()[:2] == b"\x80\x3f" and x.nbytes == 10


def test_buffers_without_numpy(npu):
    assert npu.array(array.array("h", [1, -2])).tolist() == [1, -2]
    assert npu.array(b"ab").tolist() == [97, 98]
    assert npu.array(struct.pack("<2f", 1.5, 2.5), dtype="float32").tolist() == [1.5, 2.5]
    target = array.array("d", [0, 0])
    npu.array(array.array("d", [3, 4])).copy_to(target)
    assert list(target) == [3, 4]


def test_what_is_not_contiguous(npu):
    numpy = pytest.importorskip("numpy", reason="python3-numpy is missing")
    data = numpy.arange(12, dtype="f4").reshape(3, 4)
    assert (npu.array(data.T).numpy() == data.T).all()
    assert (npu.array(data[:, ::2]).numpy() == data[:, ::2]).all()
    with pytest.raises(ValueError, match="not contiguous"):
        npu.array(data.T).copy_to(data.T)


def test_wrong_sources(npu):
    numpy = pytest.importorskip("numpy", reason="python3-numpy is missing")
    with pytest.raises(TypeError, match="buffer format '>f'"):
        npu.array(numpy.zeros(2, ">f4"))
    with pytest.raises(TypeError):
        npu.array(numpy.zeros(2, "c16"))
    with pytest.raises(ValueError, match="different lengths"):
        npu.array([[1, 2], [3]])
    with pytest.raises(OverflowError, match="300 does not fit into uint8"):
        npu.array([300], dtype="uint8")
    with pytest.raises(TypeError, match="no element type"):
        npu.empty(3, "complex64")
    with pytest.raises(ValueError, match="negative"):
        npu.empty((2, -1))
    with pytest.raises(ValueError, match="shape and type must be the same"):
        npu.empty(3).copy_from([1, 2])
    with pytest.raises(ValueError, match="read-only"):
        npu.zeros(2, "uint8").copy_to(b"ab")


def test_empty_arrays(npu):
    x = npu.empty((0, 3))
    assert x.tolist() == [] and x.nbytes == 0 and len(x) == 0
    x.fill(1)
    x.copy_from(npu.empty((0, 3)))


# Filling and parts -----------------------------------------------------------------------------------

@pytest.mark.parametrize("name, value", [("float32", 1.5), ("float32", 0), ("int8", -3), ("float16", 2.5), ("uint16", 513),
                                         ("float64", 1.25), ("int64", -2), ("uint64", 1 << 63), ("bool", True)])
def test_fill(npu, name, value):
    x = npu.full((3, 5), value, name)
    assert x.tolist() == [[value] * 5] * 3
    with npu.stream() as s:
        x.fill(0, stream=s)
    assert x.tolist() == [[0] * 5] * 3


def test_parts(npu):
    x = npu.array([[1, 2], [3, 4], [5, 6]])
    assert x[1].tolist() == [3, 4] and x[-1][0] == 5 and len(x) == 3
    assert x[1:].tolist() == [[3, 4], [5, 6]] and x[2:1].tolist() == [] and x[...] is x
    x[0] = [7, 8]
    x[1:3] = npu.array([[9, 9], [9, 9]])
    x[1][1] = 0
    assert x.tolist() == [[7, 8], [9, 0], [9, 9]] and [row.tolist() for row in x][0] == [7, 8]
    assert x.reshape(2, -1).tolist() == [[7, 8, 9], [0, 9, 9]] and x.reshape((6,)).shape == (6,)
    assert x.view("float32").dtype == "float32" and x.view("int16").shape == (3, 4)
    for wrong in (3, -4, slice(None, None, 2), (1, 1), "a"):
        with pytest.raises(IndexError):
            x[wrong]
    with pytest.raises(ValueError, match="6 elements do not fit"):
        x.reshape(4)


def test_parts_keep_the_memory(npu):
    x = npu.array([1, 2, 3])[1:]
    gc.collect()
    assert x.tolist() == [2, 3]


def test_device_to_device(npu):
    x, y = npu.array([1, 2, 3]), npu.zeros(3, "int32")
    y.copy_from(x)
    assert y.tolist() == [1, 2, 3] and npu.array(y).tolist() == [1, 2, 3]
    with npu.stream() as s:
        y.fill(0, stream=s)
        y[1:].copy_from(x[:2], stream=s)
    assert y.tolist() == [0, 1, 2]


def test_memory_is_given_back(npu):
    before = npu.memory[0]
    for _ in range(20):
        npu.empty(8 << 20, "uint8")
    assert npu.memory[0] == before
    x = npu.empty(8 << 20, "uint8")
    assert npu.memory[0] < before
    x.close()
    assert npu.memory[0] == before
    with pytest.raises(RuntimeError, match="given back"):
        x.ptr
    assert "closed" in repr(x)


def test_arrays_end_with_their_device():
    with easy.Device() as npu:
        x = npu.array([1, 2])
    assert x.memory.closed and "closed" in repr(x)
    with pytest.raises(RuntimeError, match="device 0 was closed"):
        x.tolist()


# Pinned memory -----------------------------------------------------------------------------------------

def test_host_array_is_a_buffer(npu):
    h = npu.host_array((2, 3), "int16")
    view = memoryview(h)
    assert view.format == "h" and view.shape == (2, 3) and not view.readonly
    view[1, 2] = -5
    assert h.tolist()[1][2] == -5 and len(h) == 2
    assert "pinned" in repr(h) and "int16" in h._repr_html_()
    with pytest.raises(BufferError, match="1 view still looks at its memory"):
        h.close()
    view.release()
    h.close()
    with pytest.raises(ValueError, match="given back"):
        h.ptr
    with pytest.raises(ValueError, match="given back"):
        memoryview(h)


def test_host_array_is_pinned(npu, runtime):
    h = npu.host_array(16)
    attributes = ok(runtime.rt.pointer_get_attributes(h.ptr)) if hasattr(runtime.rt, "pointer_get_attributes") else None
    assert attributes is None or attributes["location"]["type"] == runtime.ACL_MEM_LOCATION_TYPE_HOST


def test_host_array_in_numpy(npu):
    numpy = pytest.importorskip("numpy", reason="python3-numpy is missing")
    h = npu.host_array(numpy.arange(6, dtype="f4").reshape(2, 3))
    a, b, c = numpy.asarray(h), numpy.from_dlpack(h), numpy.array(h, copy=False)
    a[0, 0] = 9
    assert b[0, 0] == 9 and c[0, 0] == 9 and h.tolist() == [[9, 1, 2], [3, 4, 5]]
    assert h.__array_interface__["typestr"] == "<f4" and h.__dlpack_device__() == (1, 0)
    del a, b, c
    gc.collect()
    h.close()


def test_dlpack_that_nobody_takes(npu):
    h = npu.host_array(4)
    h.__dlpack__()
    gc.collect()
    h.close()


def test_device_arrays_refuse_dlpack(npu):
    x = npu.zeros(2)
    assert x.__dlpack_device__() == (12, 0)
    with pytest.raises(BufferError, match="copy it with x.numpy"):
        x.__dlpack__()


def test_host_memory_outlives_its_device():
    numpy = pytest.importorskip("numpy", reason="python3-numpy is missing")
    with easy.Device() as npu:
        h = npu.host_array(1 << 20, "uint8")
        a = h.numpy()
        a[:] = 5
    assert h.tolist()[:2] == [5, 5] and a.sum() == 5 << 20
    del h
    gc.collect()
    assert a[-1] == 5
    del a
    gc.collect()
    with easy.Device() as npu:
        assert npu.array([1]).tolist() == [1]


def test_asynchronous_copies(npu):
    numpy = pytest.importorskip("numpy", reason="python3-numpy is missing")
    there, back = npu.host_array(numpy.arange(1 << 16, dtype="i4")), npu.host_array(1 << 16, "int32")
    x = npu.empty(1 << 16, "int32")
    s = npu.stream()
    x.copy_from(there, stream=s)
    x.copy_to(back, stream=s)
    assert x.memory.busy and back.memory.busy and "queued" in repr(x)
    assert (back.numpy() == there.numpy()).all()
    assert not x.memory.busy
    s.close()


def test_memory_in_use_waits_before_it_is_given_back(npu):
    s = npu.stream()
    h = npu.host_array(1 << 20, "uint8")
    for _ in range(8):
        npu.empty(1 << 20, "uint8").copy_from(h, stream=s)
    h.close()
    s.close()


# Showing, progress --------------------------------------------------------------------------------------

def test_repr(npu):
    assert repr(npu.array([1.5, 2])) == "<Array (2,) of float32 on device 0: [1.5, 2]>"
    assert repr(npu.zeros((2, 5), "int8")).endswith("[0, 0, 0, 0, 0, 0, ...]>")
    assert "<table>" in npu.zeros(1)._repr_html_()


def test_html_is_escaped():
    from acl.easy import display
    assert "<script>" not in display.table("<script>", [("<script>", "<script>")]) + display.grid("<script>", ["<script>"], [])


def test_progress(npu, monkeypatch):
    pytest.importorskip("tqdm", reason="python3-tqdm is missing")
    out = io.StringIO()
    monkeypatch.setattr(sys, "stderr", out)
    x = npu.array(bytes(40 << 20), progress=True)
    assert "to device" in out.getvalue() and "100%" in out.getvalue()
    assert x.tobytes() == bytes(40 << 20)


def test_progress_without_tqdm(npu, monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    assert npu.array(b"abc", progress=True).tobytes() == b"abc"


def test_array_for_numpy(npu):
    numpy = pytest.importorskip("numpy", reason="python3-numpy is missing")
    x = npu.array([1, 2, 3])
    assert numpy.asarray(x).sum() == 6 and numpy.asarray(x, "f8").dtype == "f8"
    assert npu.empty_like(numpy.zeros((2, 2), "u1")).dtype == "uint8"
