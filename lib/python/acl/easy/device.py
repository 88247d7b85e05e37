# SPDX-License-Identifier: MIT
"""Devices, and what every object that belongs to one has in common."""

import atexit
import itertools
import threading
import weakref
from types import TracebackType
from typing import TYPE_CHECKING, Any, Callable, Mapping, Optional, Type, TypeVar

import acl

from . import display
from .errors import AclError, at_exit, call, failed, name_of

if TYPE_CHECKING:
    from .array import Array
    from .graph import Graph
    from .host import HostArray
    from .operators import Operators
    from .stream import Event, Stream

__all__ = ["Device", "device_count", "current_device"]

REPEAT_INITIALIZE = 100002
NOT_SUPPORTED = 207000
HBM = 1
AICORE_COUNT = 101

_lock = threading.RLock()
_open: "list[Device]" = []
_begun = _ended = False
# Host memory that outlived its device's close()
_lingering: "set[int]" = set()
_thread = threading.local()
Self = TypeVar("Self", bound="Resource")


def _begin() -> None:
    """Starts the runtime once, and gives everything back when Python ends."""
    global _begun
    with _lock:
        if _begun:
            return
        ours = acl.init()
        if ours not in (0, REPEAT_INITIALIZE):
            raise failed(ours, "acl.init")
        atexit.register(_end, ours == 0)
        _begun = True


def _end(ours: bool) -> None:
    """When Python ends. Host arrays that are still alive may be looked at until the very end, so the runtime, which
    would take their memory away, then ends with the process."""
    global _ended
    devices = list(_open)
    for device in reversed(devices):
        device.close()
    _ended = True
    if ours and not _lingering:
        acl.finalize()


def runtime_ended() -> bool:
    """Whether Python ends and the devices were given back."""
    return _ended


def device_count() -> int:
    """How many devices there are."""
    _begin()
    return int(call(acl.rt.get_device_count))


def current_device() -> "Device":
    """The device that functions without a device use: the last one that was opened here and not closed."""
    with _lock:
        if not _open:
            raise RuntimeError("no device is open: write 'with acl.easy.Device() as npu:' around this, "
                               "or npu = acl.easy.Device() before")
        return _open[-1]


class Resource:
    """Something that belongs to a device and has to be given back: by close(), at the end of a with statement, when
    nothing refers to it any more, or with its device."""

    def __init__(self, device: "Device") -> None:
        self.device = device
        self._closed = False
        device._adopt(self)

    def _give_back(self) -> None:
        raise NotImplementedError

    @property
    def closed(self) -> bool:
        """Whether it was given back."""
        return self._closed

    def close(self) -> None:
        """Gives it back; once more does nothing."""
        if not self._closed:
            self._closed = True
            self.device.activate()
            self._give_back()

    def _alive(self) -> None:
        if self._closed:
            raise RuntimeError("this %s was given back" % type(self).__name__)

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        self.close()

    def __del__(self) -> None:
        # _closed is missing if the constructor failed
        if not getattr(self, "_closed", True) and not self.device.closed:
            self.close()

    def _outlives(self) -> bool:
        """Whether it stays when its device is closed: pinned memory, which Python may still look at."""
        return False


class Device:
    """An NPU. Opened when it is made; given back by close(), at the end of a with statement or when Python ends,
    together with everything that was made on it. Only pinned host memory stays until nothing looks at it any more.

        with acl.easy.Device(0) as npu:
            x = npu.array([1.0, 2.0])
    """

    def __init__(self, index: int = 0) -> None:
        _begin()
        self.index = index
        self._closed = True
        call(acl.rt.set_device, index)
        self._context = int(call(acl.rt.get_context))
        self._serial = itertools.count()
        self._resources: "weakref.WeakValueDictionary[int, Resource]" = weakref.WeakValueDictionary()
        self._deferred: "list[tuple[Callable[..., Any], int, Mapping[Stream, int]]]" = []
        self._lingering: "set[int]" = set()
        self._captures = 0
        self._closed = False
        from .stream import Stream
        self.default_stream: "Stream" = Stream._default(self)
        with _lock:
            _open.append(self)

    # Life ------------------------------------------------------------------------------------------

    def _adopt(self, resource: Resource) -> None:
        if self._closed:
            raise RuntimeError("device %d was closed" % self.index)
        self._resources[next(self._serial)] = resource

    def _release(self, function: Callable[..., Any], handle: int, busy: "Mapping[Stream, int]" = {}) -> None:
        """Gives a handle back when the streams have done the work that uses it, which is a number for each.

        Later, if it cannot be now: in a callback, and while a stream is recorded, which waiting would spoil.
        """
        if self._captures == 0 and all(stream._wait_quietly(ticket) for stream, ticket in busy.items()):
            code = function(handle)
            if code == 0:
                return
            if code != NOT_SUPPORTED:
                raise failed(code, name_of(function))
            acl.get_recent_err_msg()
        self._deferred.append((function, handle, busy))

    def _release_deferred(self) -> None:
        """To be called where memory is taken, so that what was deferred does not pile up."""
        if self._deferred and self._captures == 0:
            waiting, self._deferred = self._deferred, []
            for function, handle, busy in waiting:
                self._release(function, handle, busy)

    @property
    def closed(self) -> bool:
        """Whether it was given back."""
        return self._closed

    def close(self) -> None:
        """Gives back everything that was made on the device, newest first, then the device."""
        if self._closed:
            return
        self.activate()
        first: Optional[AclError] = None
        for _, resource in sorted(self._resources.items(), reverse=True):
            if resource._outlives():
                self._lingering.add(id(resource))
                _lingering.add(id(resource))
                continue
            try:
                resource.close()
            except AclError as error:
                # Work that failed is told when its stream is given back; what is left must be given back all the same.
                first = first or error
        try:
            self.default_stream._finish()
            self._release_deferred()
        except AclError as error:
            first = first or error
        self._closed = True
        with _lock:
            _open.remove(self)
        if not self._lingering:
            self._reset(first)
        elif first is not None:
            raise first

    def _reset(self, first: Optional[AclError] = None) -> None:
        code = acl.rt.reset_device(self.index)
        if first is not None:
            raise first
        if code != 0:
            raise failed(code, "acl.rt.reset_device")

    def _last_look(self, resource: Resource) -> None:
        """Host memory that outlived close() is gone; behind the last one the device goes, too."""
        self._lingering.discard(id(resource))
        _lingering.discard(id(resource))
        if not self._lingering:
            self._reset()

    def __enter__(self) -> "Device":
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        at_exit(self.close, error)

    def activate(self) -> None:
        """Makes this the device of the calling thread. Methods of its objects do this by themselves."""
        if self._closed:
            raise RuntimeError("device %d was closed" % self.index)
        code = acl.rt.set_context(self._context)
        if code != 0:
            raise failed(code, "acl.rt.set_context")

    # Properties --------------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """What acl.get_soc_name() calls it."""
        return str(acl.get_soc_name())

    @property
    def cores(self) -> int:
        """AI cores."""
        return int(call(acl.rt.get_device_info, self.index, AICORE_COUNT))

    @property
    def memory(self) -> "tuple[int, int]":
        """Bytes of its memory that are free, and all of them."""
        self.activate()
        free, total = call(acl.rt.get_mem_info, HBM)
        return int(free), int(total)

    # Objects on it ----------------------------------------------------------------------------------

    def synchronize(self, timeout: Optional[float] = None) -> None:
        """Waits for all work of the device; AclError with code 507046 if that takes longer than timeout seconds."""
        self.activate()
        if timeout is None:
            call(acl.rt.synchronize_device)
        else:
            call(acl.rt.synchronize_device_with_timeout, max(1, round(timeout * 1000)))

    def array(self, source: Any, dtype: Any = None, stream: "Optional[Stream]" = None,
              progress: Optional[bool] = None) -> "Array":
        """A device array with a copy of numbers: a numpy array, a list, anything with a buffer, another array.

        A list of floats gives float32, a list of integers int32, unless dtype says something else.
        """
        from .array import Array
        return Array._of(self, source, dtype, stream, progress)

    def empty(self, shape: Any, dtype: Any = "float32") -> "Array":
        """A device array whose elements are not set."""
        from .array import Array
        return Array._empty(self, shape, dtype)

    def full(self, shape: Any, value: Any, dtype: Any = "float32") -> "Array":
        """A device array whose elements all are value."""
        array = self.empty(shape, dtype)
        array.fill(value)
        return array

    def zeros(self, shape: Any, dtype: Any = "float32") -> "Array":
        """A device array of zeros."""
        return self.full(shape, 0, dtype)

    def empty_like(self, other: Any) -> "Array":
        """A device array of the shape and type of another one, or of a numpy array."""
        return self.empty(other.shape, other.dtype)

    def host_array(self, source: Any, dtype: Any = "float32") -> "HostArray":
        """Pinned host memory, which asynchronous copies need: a shape, or a numpy array to copy."""
        from .host import HostArray
        return HostArray._of(self, source, dtype)

    def stream(self, priority: int = 0) -> "Stream":
        """A new stream."""
        from .stream import Stream
        return Stream(self, priority)

    def event(self) -> "Event":
        """A new event, for time and for waiting."""
        from .stream import Event
        return Event(self)

    def load(self, path: Any) -> "Operators":
        """The operators of a file made by anpucc, or of its contents as bytes."""
        from .operators import Operators
        return Operators(self, path)

    def capture(self, stream: "Optional[Stream]" = None) -> "Graph":
        """Records work instead of running it: with npu.capture() as graph: ...; then graph.run()."""
        from .graph import Graph
        return Graph(self, stream)

    def __repr__(self) -> str:
        if self._closed:
            return "<Device %d, closed>" % self.index
        free, total = self.memory
        return "<Device %d: %s, %d AI cores, %s of %s free>" % (
            self.index, self.name, self.cores, display.size(free), display.size(total))

    def _repr_html_(self) -> str:
        if self._closed:
            return display.table("Device %d" % self.index, [("state", "closed")])
        free, total = self.memory
        return display.table("Device %d" % self.index, [
            ("name", self.name), ("AI cores", str(self.cores)),
            ("memory", "%s, %s free" % (display.size(total), display.size(free)))])
