# SPDX-License-Identifier: MIT
"""acl.easy: devices, errors."""

import pytest

from acl import easy


def test_device_tells_what_it_is(npu):
    free, total = npu.memory
    assert 0 < free <= total
    assert npu.cores >= 1
    assert npu.name in repr(npu) and "AI cores" in repr(npu)
    assert "<table>" in npu._repr_html_()


def test_devices_are_counted():
    assert easy.device_count() == 1


def test_device_that_is_not_there():
    with pytest.raises(easy.AclError) as caught:
        easy.Device(7)
    assert caught.value.code == 107001
    assert caught.value.name == "ACL_ERROR_RT_INVALID_DEVICEID"
    assert caught.value.function == "acl.rt.set_device"
    assert "7" in caught.value.sentence
    assert str(caught.value).startswith("acl.rt.set_device() returned 107001 (ACL_ERROR_RT_INVALID_DEVICEID): ")


def test_closed_device_says_so(npu):
    npu.close()
    assert npu.closed and repr(npu) == "<Device 0, closed>"
    npu.close()
    with pytest.raises(RuntimeError, match="device 0 was closed"):
        npu.empty(3)


def test_current_device(npu):
    assert easy.current_device() is npu
    with easy.Device(0) as inner:
        assert easy.current_device() is inner
    assert easy.current_device() is npu


def test_no_current_device(runtime):
    with pytest.raises(RuntimeError, match="no device is open"):
        easy.current_device()
