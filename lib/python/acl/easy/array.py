# SPDX-License-Identifier: MIT
"""Arrays in device memory."""

import struct
from typing import Any, Iterator, Optional, Union

import acl

from . import display
from .device import Device
from .dtypes import DType, dtype
from .errors import AclError, call
from .memory import Memory
from .shaped import Shaped
from .source import Source, count, shape_of, source_of, target_of
from .stream import Stream, stream_of

__all__ = ["Array"]

HOST_TO_DEVICE, DEVICE_TO_HOST, DEVICE_TO_DEVICE = 1, 2, 3
DLPACK_EXTENSION_DEVICE = 12
PIECE = 16 << 20
SHOWN = 6


class Array(Shaped):
    """Numbers in device memory, in C order. Made by npu.array(), npu.empty(), npu.zeros() and npu.full().

    x.numpy() copies to the host; x[2:5] is a part of the same memory; x[2:5] = numbers copies to the device. Memory is
    given back when no array refers to it any more. Copies without a stream wait for queued work on the array first.
    """

    def __init__(self, memory: Memory, kind: DType, shape: "tuple[int, ...]", offset: int = 0) -> None:
        self.memory = memory
        self.dtype = kind
        self.shape = shape
        self._offset = offset

    @classmethod
    def _empty(cls, device: Device, shape: Any, kind: Any) -> "Array":
        kind, shape = dtype(kind), shape_of(shape)
        return cls(Memory(device, count(shape) * kind.itemsize), kind, shape)

    @classmethod
    def _of(cls, device: Device, source: Any, kind: Any, stream: Optional[Stream], progress: Optional[bool]) -> "Array":
        if isinstance(source, Array):
            array = cls._empty(device, source.shape, source.dtype)
            array.copy_from(source, stream, progress)
            return array
        found = source_of(source, kind)
        array = cls._empty(device, found.shape, found.dtype)
        array._upload(found, stream, progress, pinned_memory(source))
        return array

    # Properties --------------------------------------------------------------------------------------

    @property
    def ptr(self) -> int:
        """Its device address, for functions of acl.rt."""
        self.memory._alive()
        return self.memory.ptr + self._offset

    @property
    def nbytes(self) -> int:
        return self.size * self.dtype.itemsize

    def close(self) -> None:
        """Gives the memory back, also that of other arrays which are parts of it."""
        self.memory.close()

    # Copies ------------------------------------------------------------------------------------------

    def _pieces(self, source: Source, kind: int, what: str, progress: Optional[bool]) -> None:
        """A synchronous copy, in pieces if somebody looks at the progress."""
        self.memory.settle()
        self.device.activate()
        host, device, left = source.ptr, self.ptr, self.nbytes
        with display.Progress(left, what, progress) as bar:
            while left:
                n = min(left, PIECE) if bar.bar is not None else left
                if kind == HOST_TO_DEVICE:
                    call(acl.rt.memcpy, device, left, host, n, kind)
                else:
                    call(acl.rt.memcpy, host, left, device, n, kind)
                bar.add(n)
                host, device, left = host + n, device + n, left - n

    def _queue(self, dst: int, src: int, kind: int, stream: Stream, other: Optional[Memory]) -> None:
        """An asynchronous copy; both memories are in use until it is done."""
        if self.nbytes:
            call(acl.rt.memcpy_async, dst, self.nbytes, src, self.nbytes, kind, stream._use())
            ticket = stream._ticket()
            for memory in (self.memory, other):
                if memory is not None:
                    memory.use(stream, ticket)

    def _same_size(self, other: Any, what: str) -> None:
        if other.nbytes != self.nbytes or other.dtype != self.dtype:
            raise ValueError("%s has %s of %s, but this array %s of %s: shape and type must be the same"
                             % (what, other.shape, other.dtype, self.shape, self.dtype))

    def _upload(self, source: Source, stream: Optional[Stream], progress: Optional[bool], pinned: Optional[Memory]) -> None:
        if stream is None:
            self._pieces(source, HOST_TO_DEVICE, "to device", progress)
        else:
            # Pageable memory is copied before the call returns
            self._queue(self.ptr, source.ptr, HOST_TO_DEVICE, stream_of(self.device, stream), pinned)

    def copy_from(self, source: Any, stream: Optional[Stream] = None, progress: Optional[bool] = None) -> None:
        """Fills it with the numbers of a numpy array, a list, a host array or another device array.

        stream: the copy becomes work of the stream; only from pinned memory (npu.host_array()) and from device arrays does the
        call return before it is done. progress: a bar of tqdm, True or False, None if the copy is long and a
        terminal is there.
        """
        if isinstance(source, Array):
            self._same_size(source, "the source")
            if stream is None:
                self.memory.settle()
                source.memory.settle()
                self.device.activate()
                if self.nbytes:
                    call(acl.rt.memcpy, self.ptr, self.nbytes, source.ptr, self.nbytes, DEVICE_TO_DEVICE)
            else:
                self._queue(self.ptr, source.ptr, DEVICE_TO_DEVICE, stream_of(self.device, stream), source.memory)
            return
        found = source_of(source, self.dtype)
        self._same_size(found, "the source")
        self._upload(found, stream, progress, pinned_memory(source))

    def copy_to(self, target: Any, stream: Optional[Stream] = None, progress: Optional[bool] = None) -> None:
        """Copies the numbers into a numpy array, a bytearray or a host array; the parameters are those of copy_from()."""
        found = target_of(target)
        if found.nbytes != self.nbytes or (found.dtype != self.dtype and found.dtype.itemsize not in
                                           (1, self.dtype.itemsize)):
            self._same_size(found, "the destination")
        if stream is None:
            self._pieces(found, DEVICE_TO_HOST, "to host", progress)
        else:
            self._queue(found.ptr, self.ptr, DEVICE_TO_HOST, stream_of(self.device, stream), pinned_memory(target))

    def numpy(self, progress: Optional[bool] = None) -> Any:
        """A numpy array with a copy; bfloat16 comes as the bits in uint16."""
        import numpy
        result = numpy.empty(self.shape, self.dtype.numpy)
        self.copy_to(result, None, progress)
        return result

    def __array__(self, kind: Any = None, copy: Optional[bool] = None) -> Any:
        if copy is False:
            raise ValueError("numpy cannot look into device memory: there has to be a copy")
        result = self.numpy()
        return result if kind is None else result.astype(kind)

    def tobytes(self) -> bytes:
        """A copy as bytes."""
        data = bytearray(self.nbytes)
        self.copy_to(data)
        return bytes(data)

    def tolist(self) -> Any:
        """The numbers as nested lists."""
        return numbers(self.tobytes(), self.dtype, self.shape)

    def item(self) -> Union[int, float, bool]:
        """The only element."""
        if self.size != 1:
            raise ValueError("item() is for one element, and this array has %d" % self.size)
        number: Union[int, float, bool] = numbers(self.tobytes(), self.dtype, ())
        return number

    def fill(self, value: Any, stream: Optional[Stream] = None) -> None:
        """Sets all elements to a number."""
        pattern = self.dtype.pack(value)
        if not self.nbytes:
            return
        target = stream_of(self.device, stream) if stream is not None else None
        if target is None:
            self.memory.settle()
            self.device.activate()
        words = pattern * (4 // len(pattern)) if len(pattern) < 4 else pattern
        if len(set(pattern)) == 1:
            self._fill(acl.rt.memset, acl.rt.memset_async, pattern[0], self.nbytes, target)
        elif len(words) == 4 and self.nbytes % 4 == 0 and self.ptr % 4 == 0:
            self._fill(acl.rt.memset_d32, acl.rt.memset_d32_async, int.from_bytes(words, "little"), self.nbytes // 4, target)
        else:
            self._upload(source_of(pattern * self.size, self.dtype), stream, False, None)

    def _fill(self, at_once: Any, queued: Any, value: int, n: int, stream: Optional[Stream]) -> None:
        if stream is None:
            call(at_once, self.ptr, self.nbytes, value, n)
        else:
            call(queued, self.ptr, self.nbytes, value, n, stream._use())
            self.memory.use(stream, stream._ticket())

    # Parts -------------------------------------------------------------------------------------------

    def reshape(self, *shape: Any) -> "Array":
        """The same memory with another shape; one number may be -1."""
        wanted = list(shape[0] if len(shape) == 1 and not hasattr(shape[0], "__index__") else shape)
        if wanted.count(-1) == 1:
            rest = count([n for n in wanted if n != -1])
            wanted[wanted.index(-1)] = self.size // rest if rest else 0
        result = shape_of(wanted)
        if count(result) != self.size:
            raise ValueError("%d elements do not fit the shape %s" % (self.size, result))
        return Array(self.memory, self.dtype, result, self._offset)

    def view(self, kind: Any) -> "Array":
        """The same memory with another type of elements; the last dimension changes if their size does."""
        wanted = dtype(kind)
        if wanted.itemsize == self.dtype.itemsize:
            return Array(self.memory, wanted, self.shape, self._offset)
        last = (self.shape[-1] if self.shape else 1) * self.dtype.itemsize
        if not self.shape or last % wanted.itemsize:
            raise ValueError("rows of %d bytes are no elements of %s" % (last, wanted))
        return Array(self.memory, wanted, self.shape[:-1] + (last // wanted.itemsize,), self._offset)

    def _part(self, index: Any) -> "Array":
        if index is Ellipsis:
            return self
        if not self.shape:
            raise IndexError("a single number has no parts")
        length = self.shape[0]
        row = count(self.shape[1:]) * self.dtype.itemsize
        if isinstance(index, slice):
            begin, end, step = index.indices(length)
            if step != 1:
                raise IndexError("parts of a device array have no gaps: the step must be 1, not %d" % step)
            return Array(self.memory, self.dtype, (max(0, end - begin),) + self.shape[1:], self._offset + begin * row)
        if not hasattr(index, "__index__"):
            raise IndexError("device arrays take a number or a slice as index, not %s; x[1][2] goes deeper"
                             % type(index).__name__)
        at = index.__index__()
        if not -length <= at < length:
            raise IndexError("index %d is outside of the %d elements" % (at, length))
        return Array(self.memory, self.dtype, self.shape[1:], self._offset + at % length * row)

    def __getitem__(self, index: Any) -> Any:
        part = self._part(index)
        return part if part.shape or index is Ellipsis else part.item()

    def __setitem__(self, index: Any, value: Any) -> None:
        part = self._part(index)
        if isinstance(value, (int, float)) or not getattr(value, "shape", True):
            part.fill(value if isinstance(value, (int, float)) else value.item())
        else:
            part.copy_from(value)

    def __iter__(self) -> "Iterator[Any]":
        return (self[i] for i in range(len(self)))

    # Other libraries -----------------------------------------------------------------------------------

    def __dlpack_device__(self) -> "tuple[int, int]":
        return DLPACK_EXTENSION_DEVICE, self.device.index

    def __dlpack__(self, stream: Any = None, **_: Any) -> Any:
        raise BufferError("DLPack has no number for the memory of this device: copy it with x.numpy(), or into "
                          "npu.host_array(), which DLPack can hand on")

    # Showing -------------------------------------------------------------------------------------------

    def _contents(self) -> str:
        """A few elements, if they can be had without waiting for work."""
        if self.memory.closed or self.device.closed:
            return "closed"
        if self.memory.busy:
            return "work is queued on it"
        if self.device._captures:
            return "while work is recorded"
        try:
            flat = self.reshape(self.size)
            first = flat[:SHOWN].tolist()
        except AclError as error:
            return "cannot be read: %d" % error.code
        return "[%s%s]" % (", ".join("%g" % n if isinstance(n, float) else str(n) for n in first),
                           ", ..." if self.size > SHOWN else "")

    def __repr__(self) -> str:
        return "<Array %s of %s on device %d: %s>" % (self.shape, self.dtype, self.device.index, self._contents())

    def _repr_html_(self) -> str:
        return display.table("Array on device %d" % self.device.index, [
            ("shape", str(self.shape)), ("type", str(self.dtype)), ("size", display.size(self.nbytes)),
            ("elements", self._contents())])


def pinned_memory(source: Any) -> Optional[Memory]:
    """The memory of a host array, which asynchronous copies use after the call; None for all else."""
    from .host import HostArray
    return source.memory if isinstance(source, HostArray) else None


def numbers(data: bytes, kind: DType, shape: "tuple[int, ...]") -> Any:
    """Bytes as nested lists of numbers."""
    if kind.name == "bfloat16":
        # The upper half of a float32
        data = b"".join(b"\0\0" + data[i:i + 2] for i in range(0, len(data), 2))
        kind = dtype("float32")
    if not count(shape):
        return _empty_lists(shape)
    flat: "list[Any]" = [value for value, in struct.iter_unpack("<" + kind.code, data)]
    for length in reversed(shape[1:]):
        flat = [flat[i:i + length] for i in range(0, len(flat), length)]
    return flat if shape else flat[0]


def _empty_lists(shape: "tuple[int, ...]") -> "list[Any]":
    return [] if shape[0] == 0 else [_empty_lists(shape[1:]) for _ in range(shape[0])]
