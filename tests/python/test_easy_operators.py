# SPDX-License-Identifier: MIT
"""acl.easy: operators as functions."""

import gc
import inspect
import os
import subprocess
import sys
import threading

import pytest

from acl import easy
from conftest import TOP


@pytest.fixture
def add(npu, operators):
    return npu.load(os.path.join(operators, "vadd.o")).vadd_f32


def test_vector_add(npu, add):
    x, y, z = npu.array([1.0, 2, 3]), npu.array([10.0, 20, 30]), npu.empty(3)
    add(x, y, z, 3)
    assert z.tolist() == [11, 22, 33]
    add(x, x, z, n=3, blocks=3)
    assert z.tolist() == [2, 4, 6]
    add(n=3, z=z, y=y, x=y)
    assert z.tolist() == [20, 40, 60]


def test_numpy_arguments(npu, add):
    numpy = pytest.importorskip("numpy", reason="python3-numpy is missing")
    x = numpy.arange(1000, dtype="f4")
    z = numpy.zeros_like(x)
    add(x, 2 * x, z, 1000, blocks=8)
    assert (z == 3 * x).all()
    wide = numpy.zeros((1000, 2), "f4")
    add(x, x, wide[:, 0], 1000)
    assert (wide[:, 0] == 2 * x).all() and not wide[:, 1].any()


def test_pinned_arguments(npu, add):
    h = npu.host_array((4,))
    with memoryview(h) as view:
        view[0] = 1.5
    z = npu.zeros(4)
    add(h, h, z, 1)
    assert z.tolist() == [3, 0, 0, 0]
    add(z, z, h, 4)
    assert h.tolist() == [6, 0, 0, 0]


def test_half_and_values(npu, operators):
    ops = npu.load(os.path.join(operators, "vmul.o"))
    x, z = npu.array([1.0, 2, 3], dtype="float16"), npu.empty(3, "float16")
    ops.vmul_f16(x, x, z, 3, 0.5)
    assert z.tolist() == [0.5, 2, 4.5]
    out = npu.zeros(1, "uint64")
    npu.load(os.path.join(operators, "scalar.o")).int_loop(out, 3)
    assert out.item() != 0


def test_bfloat16_is_taken_for_uint16(npu, operators):
    a = npu.array([[1.0, 2.0], [3.0, 4.0]], dtype="bfloat16")
    c = npu.empty((2, 2))
    npu.load(os.path.join(operators, "matmul.o")).matmul_bf16(a, a, c, 2, 2, 2)
    assert c.tolist() == [[7, 10], [15, 22]]


def test_wrong_arguments(npu, add):
    x, z = npu.zeros(3), npu.zeros(3)
    with pytest.raises(TypeError, match=r"argument 1 \(const float \*y\) points to float32, but the array has int32"):
        add(x, npu.zeros(3, "int32"), z, 3)
    with pytest.raises(TypeError, match="vadd_f32 takes 4 arguments, but 3 were given: vadd_f32\\(const float"):
        add(x, x, z)
    with pytest.raises(TypeError, match="unknown argument 'm'; it is vadd_f32"):
        add(x, x, z, m=3)
    with pytest.raises(TypeError, match="several values"):
        add(x, x, z, 3, n=3)
    with pytest.raises(OverflowError, match=r"argument 3 \(uint32_t n\) does not take -1: it does not fit"):
        add(x, x, z, -1)
    with pytest.raises(TypeError, match="does not take float"):
        add(x, x, z, 1.5)
    with pytest.raises(TypeError, match="takes an array, not str"):
        add(x, x, "z", 3)
    with pytest.raises(ValueError, match="may be written by the operator, but bytes is read-only"):
        add(x, x, bytes(12), 3)
    with pytest.raises(TypeError, match="points to float32, but the array has uint8"):
        add(bytes(12), x, z, 3)
    with easy.Device(0) as other:
        with pytest.raises(ValueError, match="is an array of device 0, but the operator"):
            add(x, other.zeros(3), z, 3)
    with pytest.raises(easy.AclError) as caught:
        add(x, x, z, 3, blocks=0)
    assert caught.value.function == "acl.rt.launch_kernel_with_host_args" and caught.value.sentence
    with pytest.raises(OverflowError):
        add(x, x, z, 3, blocks=1 << 32)


def test_names(npu, operators):
    ops = npu.load(os.path.join(operators, "vadd.o"))
    assert list(ops) == ["vadd_f32", "vadd_f16"] and len(ops) == 2 and "vadd_f16" in ops and "vadd_f16" in dir(ops)
    assert ops["vadd_f32"] is ops.vadd_f32
    with pytest.raises(AttributeError, match="did you mean 'vadd_f32'"):
        ops.vadd_f33
    with pytest.raises(KeyError, match="has no kernel 'nothing_like_it'; it has vadd_f32, vadd_f16"):
        ops["nothing_like_it"]
    assert "vadd_f16" in repr(ops) and "<td" in ops._repr_html_()
    kernel = ops.vadd_f32
    assert repr(kernel).startswith("<Kernel vadd_f32(const float *x, ") and "uint32_t" in kernel._repr_html_()
    assert "uint32_t n" in inspect.getdoc(kernel)


def test_files_that_are_none(npu, tmp_path):
    with pytest.raises(FileNotFoundError):
        npu.load("no-such-file.o")
    with pytest.raises(ValueError, match="anpucc makes operator files"):
        npu.load(b"text")
    bad = tmp_path / "bad.o"
    bad.write_bytes(open(sys.executable, "rb").read(4096))
    with pytest.raises((ValueError, easy.AclError)):
        npu.load(bad)


def test_operators_from_bytes(npu, operators):
    with open(os.path.join(operators, "vadd.o"), "rb") as file:
        ops = npu.load(file.read())
    z = npu.zeros(1)
    ops.vadd_f32(npu.array([2.0]), npu.array([3.0]), z, 1)
    assert z.item() == 5


def test_operators_stay_while_they_run(npu, operators):
    s = npu.stream()
    for i in range(20):
        z = npu.zeros(1)
        npu.load(os.path.join(operators, "vadd.o")).vadd_f32(npu.full(1, i), npu.full(1, 1), z, 1, stream=s)
        gc.collect()
    s.synchronize()
    assert z.item() == 20
    s.close()


def test_faults_are_told_when_they_are_waited_for(npu, operators):
    bad = npu.load(os.path.join(operators, "bad.o"))
    s = npu.stream()
    bad.bad_write(0x1000, 5, stream=s)
    with pytest.raises(easy.AclError) as caught:
        s.synchronize()
    error = caught.value
    assert error.code == 507015 and error.name and "bad_write" in error.sentence
    s.close()


def test_faults_are_not_lost(operators):
    with pytest.raises(easy.AclError) as caught:
        with easy.Device() as npu:
            npu.load(os.path.join(operators, "bad.o")).bad_write(0x1000, 5)
    assert caught.value.code == 507015
    with pytest.raises(ZeroDivisionError):
        with easy.Device() as npu:
            npu.load(os.path.join(operators, "bad.o")).bad_write(0x1000, 5)
            1 / 0


def test_faults_of_freed_memory_are_not_lost(npu, operators):
    s = npu.stream()
    x = npu.zeros(1, "uint32")
    npu.load(os.path.join(operators, "bad.o")).bad_read(0x1000, x, stream=s)
    del x
    gc.collect()
    with pytest.raises(easy.AclError):
        s.synchronize()
    s.close()


def test_operators_in_a_graph(npu, add):
    x, z = npu.array([1.0, 2]), npu.zeros(2)
    with npu.capture() as graph:
        add(x, z, z, 2)
        with pytest.raises(TypeError, match="has to be a device array while work is recorded"):
            add(bytearray(8), z, z, 2)
    del x
    gc.collect()
    graph.run(times=5)
    assert z.tolist() == [5, 10]


def test_functions_in_a_stream(npu, add):
    seen = []
    z = npu.zeros(1)
    with npu.stream() as s:
        add(npu.full(1, 1), npu.full(1, 2), z, 1)
        s.call(seen.append, "behind the operator")
        s.call(lambda *numbers: seen.append(sum(numbers)), 1, 2, 3)
    assert seen == ["behind the operator", 6]


def test_exception_in_a_function_of_a_stream(npu, monkeypatch):
    caught = []
    monkeypatch.setattr(sys, "unraisablehook", caught.append)
    with npu.stream() as s:
        s.call(lambda: 1 / 0)
    assert len(caught) == 1 and caught[0].exc_type is ZeroDivisionError


def test_memory_that_goes_in_a_function_of_a_stream(npu):
    before = npu.memory[0]
    x = [npu.empty(4 << 20)]
    with npu.stream() as s:
        s.call(x.clear)
    npu.empty(1)
    assert not x and npu.memory[0] >= before - (1 << 20)


def test_launches_of_many_threads(npu, add):
    results = []

    def work(number):
        z = npu.zeros(64)
        with npu.stream():
            for _ in range(20):
                add(npu.full(64, number), z, z, 64)
        results.append(z.tolist() == [20.0 * number] * 64)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [True] * 4


def test_metadata_as_anpu_op_tells_it(operators):
    """The reader of operator files in Python and the one in C agree about every sample operator."""
    import json
    tool = os.path.join(TOP, "build/tools/anpu-op")
    if not os.path.exists(tool):
        pytest.skip("anpu-op is not built: make tools")
    for name in sorted(os.listdir(operators)):
        if not name.endswith(".o"):
            continue
        path = os.path.join(operators, name)
        told = json.loads(subprocess.run([tool, "--json", "--list", path], check=True, capture_output=True).stdout)
        with open(path, "rb") as file:
            kernels = easy.read_kernels(file.read())
        assert sorted(k["name"] for k in told) == sorted(kernels)
        for kernel in told:
            ours = kernels[kernel["name"]]
            assert ours.core == kernel["core"]
            assert [(p.name, p.type, p.size, p.pointer) for p in ours.parameters] == [
                (p["name"], p["type"], p["size"], p["pointer"]) for p in kernel["parameters"]]


def test_damaged_metadata_is_refused(operators):
    with open(os.path.join(operators, "vadd.o"), "rb") as file:
        data = file.read()
    for length in range(0, len(data), max(1, len(data) // 40)):
        with pytest.raises(ValueError):
            easy.read_kernels(data[:length])
    table = int.from_bytes(data[40:48], "little")
    for at in range(40, 64):
        easy_or_error(data[:at] + bytes([data[at] ^ 0xff]) + data[at + 1:])
    for at in range(table, len(data), 7):
        easy_or_error(data[:at] + bytes([data[at] ^ 0x5a]) + data[at + 1:])


def easy_or_error(data):
    try:
        easy.read_kernels(data)
    except ValueError:
        pass
