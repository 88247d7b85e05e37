# SPDX-License-Identifier: MIT
"""Messages of the library name lines of Python."""
import gc
import threading

import acl
import pytest
from acl import easy


def line_of_free(pointer):
    assert acl.rt.free(pointer) == 0
    return line_of_free.__code__.co_firstlineno + 1


def test_a_freed_pointer_names_the_lines(device):  # pylint: disable=unused-argument
    pointer, code = acl.rt.malloc(64, 0)
    assert code == 0
    line = line_of_free(pointer)
    assert acl.rt.free(pointer) == 107000
    text = acl.get_recent_err_msg()
    assert f"aclrtFree() in line_of_free() at {__file__}:{line}" in text
    assert f"aclrtMalloc() in test_a_freed_pointer_names_the_lines() at {__file__}:" in text


def test_easy_names_its_caller(npu, operators):
    kernel = npu.load(f"{operators}/bad.o").bad_trap
    with pytest.raises(easy.AclError) as failed:
        kernel()
        npu.synchronize()
    line = test_easy_names_its_caller.__code__.co_firstlineno + 3
    assert f"in test_easy_names_its_caller() at {__file__}:{line}" in failed.value.sentence


class Launcher:
    """Garbage whose finaliser launches, too."""

    def __init__(self, launch, codes):
        self.launch, self.codes, self.me = launch, codes, self

    def __del__(self):
        self.codes.append((threading.get_ident(), self.launch()))


def test_garbage_is_not_collected_while_a_place_is_found(device, operators):  # pylint: disable=unused-argument
    """It would be within a launch, which holds the stream."""
    binary, code = acl.rt.binary_load_from_file(f"{operators}/vadd.o", None)
    assert code == 0
    function, code = acl.rt.binary_get_function(binary, "vadd_f32")
    assert code == 0
    memory, code = acl.rt.malloc(32, 0)
    assert code == 0
    assert acl.rt.memset(memory, 32, 0, 32) == 0  # the arguments: no elements
    codes = []

    def launch():
        return acl.rt.launch_kernel(function, 1, memory, 32, 0)

    def launch_behind_garbage():
        Launcher(launch, codes)
        return acl.rt.launch_kernel(function, 1, memory, 32, 0)

    before = gc.get_threshold()
    try:
        for threshold in range(1, 40):
            gc.set_threshold(threshold)
            for _ in range(20):
                assert launch_behind_garbage() == 0
    finally:
        gc.set_threshold(*before)
    gc.collect()
    # a thread that another test has left may collect some, and has no context
    assert len(codes) == 780
    assert [code for thread, code in codes if thread == threading.get_ident() and code] == []
    assert acl.rt.synchronize_stream(0) == 0
    assert acl.rt.free(memory) == 0
    assert acl.rt.binary_unload(binary) == 0
