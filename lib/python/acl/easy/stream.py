# SPDX-License-Identifier: MIT
"""Streams and events."""

import threading
from types import TracebackType
from typing import TYPE_CHECKING, Any, Callable, Optional, Type

import acl

from . import display
from .device import NOT_SUPPORTED, Device, Resource
from .errors import AclError, at_exit, call, failed, name_of

if TYPE_CHECKING:
    from .graph import Graph

__all__ = ["Event", "Stream"]

FOREVER = float("inf")
TIMEOUT = 507046
_current = threading.local()


def _stack() -> "list[Stream]":
    found: "Optional[list[Stream]]" = getattr(_current, "stack", None)
    if found is None:
        found = _current.stack = []
    return found


def stream_of(device: Device, stream: "Optional[Stream]") -> "Stream":
    """The stream that work goes to: the one that was named, else that of the innermost with statement of this thread,
    else the device's default stream."""
    if stream is None:
        for entered in reversed(_stack()):
            if entered.device is device:
                return entered
        return device.default_stream
    if stream.device is not device:
        raise ValueError("this stream belongs to device %d, but the work to device %d"
                         % (stream.device.index, device.index))
    return stream


class Stream(Resource):
    """A queue of work, which runs in its order. In a with statement it is where work of this thread goes; at the end of
    that the work is waited for and the stream is given back.

        with npu.stream() as s:
            add(x, y, z, n)
    """

    def __init__(self, device: Device, priority: int = 0) -> None:
        device.activate()
        self.handle = int(call(acl.rt.create_stream_with_config, priority, 0) if priority
                          else call(acl.rt.create_stream))
        self._begin()
        super().__init__(device)

    def _begin(self) -> None:
        # Numbers of pieces of work: the last one that was queued, and the last one that is known to be done
        self._queued = 0
        self._done: float = 0
        self._graph: "Optional[Graph]" = None
        # A failure of work that was waited for where it could not be raised
        self._failure: Optional[AclError] = None

    @classmethod
    def _default(cls, device: Device) -> "Stream":
        stream = cls.__new__(cls)
        stream.handle = 0
        stream._begin()
        stream.device = device
        stream._closed = False
        return stream

    def _give_back(self) -> None:
        try:
            self._finish()
        finally:
            self._done = FOREVER
            self.device._release(acl.rt.destroy_stream, self.handle)

    def _finish(self) -> None:
        """Waits for work that nobody has waited for, so that a failure of it is told."""
        if self._failure is not None or self._done < self._queued:
            self._wait(acl.rt.synchronize_stream, self.handle)

    def _wait(self, function: Callable[..., int], *arguments: int) -> None:
        queued = self._queued
        code = function(*arguments)
        if code == TIMEOUT:
            raise failed(code, name_of(function))
        self._done = max(self._done, queued)
        failure, self._failure = self._failure, None
        if failure is not None:
            raise failure
        if code != 0:
            raise failed(code, name_of(function))

    def _wait_quietly(self, ticket: int) -> bool:
        """Waits for a piece of work when something is given back; a failure is raised by the next synchronize().
        False if it is not possible here, in a callback."""
        if self._done < ticket:
            queued = self._queued
            code = acl.rt.synchronize_stream(self.handle)
            if code == NOT_SUPPORTED:
                acl.get_recent_err_msg()
                return False
            if code != 0:
                self._failure = failed(code, "acl.rt.synchronize_stream")
            self._done = max(self._done, queued)
        return True

    def close(self) -> None:
        """Waits for the work and gives the stream back. The default stream stays as long as its device."""
        if self.handle:
            super().close()

    def __del__(self) -> None:
        if getattr(self, "handle", 0):
            super().__del__()

    def _use(self) -> int:
        """Its handle, for a call that puts work into it."""
        self._alive()
        self.device.activate()
        return self.handle

    def _ticket(self) -> int:
        """The number of the piece of work that was queued just now."""
        self._queued += 1
        return self._queued

    def synchronize(self, timeout: Optional[float] = None) -> None:
        """Waits for the work; AclError if it failed, with code 507046 if it takes longer than timeout seconds."""
        handle = self._use()
        if timeout is None:
            self._wait(acl.rt.synchronize_stream, handle)
        else:
            self._wait(acl.rt.synchronize_stream_with_timeout, handle, max(1, round(timeout * 1000)))

    @property
    def done(self) -> bool:
        """Whether all work is done."""
        return bool(call(acl.rt.stream_query, self._use()) == 0)

    def record(self, event: "Optional[Event]" = None) -> "Event":
        """Puts an event behind the work so far: a new one, or the one that is given."""
        event = event or Event(self.device)
        event.record(self)
        return event

    def wait(self, event: "Event") -> None:
        """Lets the work that follows wait for an event of any stream of the device."""
        event._alive()
        call(acl.rt.stream_wait_event, self._use(), event.handle)

    def call(self, function: Callable[..., Any], *arguments: Any) -> None:
        """Queues function(*arguments) as work of the stream: a thread of the runtime runs it, and the work behind it
        waits. It must not allocate, launch or wait; an exception in it goes to sys.unraisablehook."""
        call(acl.rt.launch_host_func, self._use(), _run, [function, arguments])
        self._ticket()

    def __enter__(self) -> "Stream":
        self._alive()
        _stack().append(self)
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        _stack().remove(self)
        at_exit(self.close, error)

    def __repr__(self) -> str:
        if self.closed:
            return "<Stream, closed>"
        name = "Stream 0x%x" % self.handle if self.handle else "default stream"
        return "<%s of device %d%s>" % (name, self.device.index, ", recording" if self._graph else "")

    def _repr_html_(self) -> str:
        state = "closed" if self.closed else "recording" if self._graph else "open"
        return display.table("Stream", [("device", str(self.device.index)), ("handle", hex(self.handle)),
                                        ("state", state), ("work queued", str(self._queued))])


def _run(call_and_arguments: "list[Any]") -> None:
    function, arguments = call_and_arguments
    function(*arguments)


class Event(Resource):
    """A mark in a stream: to wait for it, and to take the time between two.

        begin = s.record(); ...; end = s.record(); end.synchronize(); print(end - begin, "ms")
    """

    def __init__(self, device: Device) -> None:
        device.activate()
        self.handle = int(call(acl.rt.create_event))
        super().__init__(device)

    def _give_back(self) -> None:
        self.device._release(acl.rt.destroy_event, self.handle)

    def _use(self) -> int:
        self._alive()
        self.device.activate()
        return self.handle

    def record(self, stream: Optional[Stream] = None) -> None:
        """Marks the end of the stream's work so far."""
        handle = self._use()
        target = stream_of(self.device, stream)
        call(acl.rt.record_event, handle, target._use())
        target._ticket()

    def synchronize(self) -> None:
        """Waits until the stream's work has come to the event."""
        call(acl.rt.synchronize_event, self._use())

    @property
    def done(self) -> bool:
        """Whether the work has come to it; False before it is recorded."""
        return bool(call(acl.rt.query_event_status, self._use()) == 1)

    def __sub__(self, begin: "Event") -> float:
        """Milliseconds from begin to this event; both must be done."""
        begin._alive()
        return float(call(acl.rt.event_elapsed_time, begin.handle, self._use()))

    def __repr__(self) -> str:
        return "<Event, closed>" if self.closed else "<Event 0x%x of device %d>" % (self.handle, self.device.index)

    def _repr_html_(self) -> str:
        return display.table("Event", [("device", str(self.device.index)), ("state", "closed" if self.closed else "open")])
