# SPDX-License-Identifier: MIT
"""Graphs: work that was recorded once and runs many times."""

from types import TracebackType
from typing import Optional, Type

import acl

from . import display
from .device import Device
from .errors import at_exit, call
from .memory import Used
from .stream import Stream, _stack, stream_of

__all__ = ["Graph"]

THREAD_LOCAL = 1


class Graph(Used):
    """Recorded work. What is queued inside of the with statement does not run but is recorded; afterwards run() and
    launch() run it, as often as wanted. The arrays in it stay alive as long as the graph.

        with npu.capture() as graph:
            add(x, y, z, n)
        graph.run()

    Without a stream, capture() records a stream of its own.
    """

    def __init__(self, device: Device, stream: Optional[Stream] = None) -> None:
        self.handle = 0
        self._own = stream is None
        self._stream = stream or Stream(device)
        stream_of(device, self._stream)
        self._kept: "dict[int, Used]" = {}
        self._recording = False
        super().__init__(device)

    def _give_back(self) -> None:
        if self._recording:
            self._end()
        if self.handle:
            self.device._release(acl.mdl.ri_destroy, self.handle, self._busy)
        if self._own:
            self._stream.close()

    def _keep(self, used: Used) -> None:
        """The recorded work uses this."""
        self._kept[id(used)] = used

    def _end(self) -> None:
        self._recording = False
        self._stream._graph = None
        self.device._captures -= 1
        self.handle = int(call(acl.mdl.ri_capture_end, self._stream._use()))

    def __enter__(self) -> "Graph":
        self._alive()
        if self._recording or self.handle:
            raise RuntimeError("a graph is recorded once; capture() gives a new one")
        call(acl.mdl.ri_capture_begin, self._stream._use(), THREAD_LOCAL)
        self.device._captures += 1
        self._recording = True
        self._stream._graph = self
        _stack().append(self._stream)
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        _stack().remove(self._stream)
        # an error that leaves the with statement is why the recording is void
        at_exit(self._end, error)

    def _recorded(self) -> int:
        self._alive()
        if not self.handle:
            raise RuntimeError("this graph is not recorded: put the work into 'with npu.capture() as graph:'")
        return self.handle

    def launch(self, stream: Optional[Stream] = None) -> None:
        """Queues the recorded work in a stream."""
        handle = self._recorded()
        target = stream_of(self.device, stream)
        call(acl.mdl.ri_execute_async, handle, target._use())
        ticket = target._ticket()
        for used in [self, *self._kept.values()]:
            used.use(target, ticket)

    def run(self, times: int = 1, stream: Optional[Stream] = None) -> None:
        """Runs the recorded work and waits for it."""
        target = stream_of(self.device, stream)
        for _ in range(times):
            self.launch(target)
        target.synchronize()

    @property
    def _state(self) -> str:
        return ("closed" if self.closed else "recording" if self._recording else
                "recorded" if self.handle else "not recorded yet")

    def __repr__(self) -> str:
        return "<Graph of device %d, %s>" % (self.device.index, self._state)

    def _repr_html_(self) -> str:
        return display.table("Graph", [("device", str(self.device.index)), ("state", self._state),
                                       ("uses", str(len(self._kept)))])
