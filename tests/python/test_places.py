# SPDX-License-Identifier: MIT
"""Messages of the library name lines of Python."""
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
