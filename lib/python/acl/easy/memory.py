# SPDX-License-Identifier: MIT
"""Memory, and how to know which streams still use something."""

import acl

from .device import Device, Resource, runtime_ended
from .errors import call
from .stream import Stream

__all__ = ["Memory", "Used"]

HUGE_FIRST = 0


class Used(Resource):
    """What work in streams uses: memory, operators, graphs. It is given back when that work is done."""

    def __init__(self, device: Device) -> None:
        self._busy: "dict[Stream, int]" = {}
        super().__init__(device)

    def use(self, stream: Stream, ticket: int) -> None:
        """The stream's piece of work number ticket uses this."""
        if stream._graph is not None:
            stream._graph._keep(self)
        else:
            self._busy[stream] = ticket

    @property
    def busy(self) -> bool:
        """Whether work that uses it is perhaps not done."""
        self._busy = {s: t for s, t in self._busy.items() if s._done < t}
        return bool(self._busy)

    def settle(self) -> None:
        """Waits for the work that uses it."""
        if self.busy:
            for stream in list(self._busy):
                stream.synchronize()
            self._busy = {}


class Memory(Used):
    """Device memory, or pinned host memory."""

    def __init__(self, device: Device, nbytes: int, host: bool = False) -> None:
        device.activate()
        device._release_deferred()
        # The runtime refuses 0 bytes
        size = max(nbytes, 1)
        self.ptr = int(call(acl.rt.malloc_host, size) if host else call(acl.rt.malloc, size, HUGE_FIRST))
        self.nbytes = nbytes
        self.host = host
        super().__init__(device)

    def _give_back(self) -> None:
        self.device._release(acl.rt.free_host if self.host else acl.rt.free, self.ptr, self._busy)

    def _outlives(self) -> bool:
        return self.host

    def __del__(self) -> None:
        if not getattr(self, "_closed", True) and self.host and self.device.closed:
            self._give_back_late()
        else:
            super().__del__()

    def _give_back_late(self) -> None:
        """Gives host memory back whose device was closed before. When Python ends, the process does it."""
        self._closed = True
        if not runtime_ended():
            call(acl.rt.free_host, self.ptr)
            self.device._last_look(self)

    def close(self) -> None:
        """Gives it back; once more does nothing."""
        if not self._closed and self.host and self.device.closed:
            self._give_back_late()
        else:
            super().close()
