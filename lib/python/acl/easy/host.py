# SPDX-License-Identifier: MIT
"""Arrays in pinned host memory."""

from typing import Any

from . import display
from ._buffer import HostMemory
from .array import numbers
from .device import Device
from .dtypes import DType, dtype
from .memory import Memory
from .shaped import Shaped
from .source import count, shape_of, source_of

__all__ = ["HostArray"]

DLPACK_CPU = 1


class HostArray(HostMemory, Shaped):
    """Numbers in pinned host memory, which the device copies from and to without the processor: asynchronous copies need
    it. Other libraries look at the same memory without a copy: numpy.asarray(h) or h.numpy(), memoryview(h),
    numpy.from_dlpack(h). The memory stays until the last of them is gone.
    """

    def __init__(self, device: Device, shape: Any, kind: Any) -> None:
        super().__init__()
        self.dtype: DType = dtype(kind)
        self.shape = shape_of(shape)
        if not count(self.shape):
            raise ValueError("pinned memory has at least one element: shape %s" % (self.shape,))
        self.nbytes = count(self.shape) * self.dtype.itemsize
        self.memory = Memory(device, self.nbytes, host=True)
        # bfloat16 shows as uint16, which has the same bits
        self._map(self.memory.ptr, self.nbytes, self.dtype.code or "H", self.dtype.itemsize, self.shape,
                  self.dtype.dlpack, 8 * self.dtype.itemsize)

    @classmethod
    def _of(cls, device: Device, source: Any, kind: Any) -> "HostArray":
        if isinstance(source, (int, tuple)):
            return cls(device, source, kind)
        found = source_of(source)
        array = cls(device, found.shape, found.dtype)
        array._bytes()[:] = memoryview(found.keep[0]).cast("B")
        return array

    def _bytes(self) -> memoryview:
        # Type checkers know of classes with a buffer from Python 3.12 on
        data: Any = self
        return memoryview(data).cast("B")

    def close(self) -> None:
        """Gives the memory back. BufferError if a numpy array or a memoryview still looks at it."""
        if self._unmap() is not None:
            self.memory.close()

    def numpy(self) -> Any:
        """A numpy array that looks at the same memory; queued copies on it are waited for first."""
        import numpy
        self.memory.settle()
        return numpy.asarray(self)

    def tolist(self) -> Any:
        """The numbers as nested lists; queued copies are waited for first."""
        self.memory.settle()
        return numbers(bytes(self._bytes()), self.dtype, self.shape)

    @property
    def __array_interface__(self) -> "dict[str, Any]":
        return {"version": 3, "shape": self.shape, "typestr": self.dtype.typestr, "data": (self.ptr, False)}

    def __dlpack_device__(self) -> "tuple[int, int]":
        return DLPACK_CPU, 0

    def __dlpack__(self, stream: Any = None, **_: Any) -> Any:
        if stream is not None:
            raise BufferError("host memory has no streams: call __dlpack__() without one")
        return self._dlpack()

    def __repr__(self) -> str:
        return "<HostArray %s of %s, pinned for device %d>" % (self.shape, self.dtype, self.device.index)

    def _repr_html_(self) -> str:
        return display.table("Pinned host array", [
            ("shape", str(self.shape)), ("type", str(self.dtype)), ("size", display.size(self.nbytes)),
            ("state", "closed" if self.memory.closed else "open")])
