# SPDX-License-Identifier: MIT
"""What the tests of the Python module share."""

import os
import signal
import sys

import pytest

# A shell that runs the tests in the background lets them ignore Ctrl-C, and Python then never raises KeyboardInterrupt
signal.signal(signal.SIGINT, signal.default_int_handler)

TOP = os.environ.get("TOP") or os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
if not any(os.path.exists(os.path.join(place, "acl", "_acl.abi3.so")) for place in sys.path):
    sys.path.insert(0, os.path.join(TOP, "build/python"))


def ok(code):
    """A call of the exact layer succeeded; gives its values without the code."""
    import acl
    values = code if isinstance(code, tuple) else (code,)
    assert values[-1] == 0, "%d: %s" % (values[-1], acl.get_recent_err_msg())
    return values[0] if len(values) == 2 else values[:-1] or None


@pytest.fixture(scope="session")
def operators():
    """The directory of the sample operators."""
    return os.path.join(TOP, "build/operators")


@pytest.fixture(scope="session")
def runtime():
    """acl, initialised for all tests; finalised with the process."""
    import acl
    assert acl.init() in (0, 100002)
    return acl


@pytest.fixture
def device(runtime):
    """acl with device 0 set for one test."""
    ok(runtime.rt.set_device(0))
    yield runtime
    ok(runtime.rt.reset_device(0))


@pytest.fixture
def npu(runtime):
    """acl.easy's device 0 for one test."""
    from acl import easy
    with easy.Device(0) as found:
        yield found
