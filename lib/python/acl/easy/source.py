# SPDX-License-Identifier: MIT
"""Host data of any kind as an address, a type and a shape."""

from typing import Any, NamedTuple, Optional, Sequence

from ._buffer import address
from .dtypes import DType, dtype, from_format

__all__ = ["Source", "shape_of", "source_of", "target_of"]


class Source(NamedTuple):
    """Contiguous host memory.

    ptr, nbytes: where it is
    dtype, shape: what is there
    keep: must stay alive as long as ptr is used
    """
    ptr: int
    nbytes: int
    dtype: DType
    shape: "tuple[int, ...]"
    keep: Any


def shape_of(shape: Any) -> "tuple[int, ...]":
    """A shape from a number or a sequence of numbers."""
    numbers = (shape,) if hasattr(shape, "__index__") else tuple(shape)
    result = tuple(n.__index__() for n in numbers)
    if any(n < 0 for n in result):
        raise ValueError("a shape has no negative numbers: %r" % (result,))
    return result


def count(shape: "Sequence[int]") -> int:
    """Elements of a shape."""
    n = 1
    for length in shape:
        n *= length
    return n


def _view(data: Any) -> "tuple[memoryview, DType]":
    """A view of an object with a buffer, and its element type."""
    kind: Optional[DType] = None
    if getattr(getattr(data, "dtype", None), "name", "") == "bfloat16" and hasattr(data, "view"):
        # NumPy has no buffer format for it
        kind, data = dtype("bfloat16"), data.view("uint16")
    view = memoryview(data)
    own: Any = getattr(data, "dtype", None)
    if kind is None and isinstance(own, DType):
        kind = own
    kind = kind or from_format(view.format)
    if kind is None or kind.itemsize != view.itemsize:
        raise TypeError("elements of buffer format '%s' cannot be on a device: use a simple type in the machine's "
                        "order of bytes, for example numpy.float32" % view.format)
    return view, kind


def _from_view(view: memoryview, kind: DType, keep: Any) -> Source:
    return Source(address(view) if view.nbytes else 0, view.nbytes, kind, tuple(view.shape or ()), (view, keep))


def _flatten(data: Any, numbers: "list[Any]") -> "tuple[int, ...]":
    """Appends the numbers of nested sequences and returns their shape."""
    if not isinstance(data, (list, tuple, range)):
        numbers.append(data)
        return ()
    shapes = [_flatten(part, numbers) for part in data]
    if any(s != shapes[0] for s in shapes):
        raise ValueError("the lists have different lengths: %s" % ", ".join(str(s) for s in shapes[:4]))
    return (len(shapes),) + (shapes[0] if shapes else ())


def _from_numbers(data: Any, wanted: Optional[DType]) -> Source:
    numbers: "list[Any]" = []
    shape = _flatten(data, numbers)
    if wanted is None:
        if all(isinstance(n, bool) for n in numbers):
            wanted = dtype("bool")
        elif all(hasattr(n, "__index__") for n in numbers):
            wanted = dtype("int32")
        else:
            wanted = dtype("float32")
    packed = b"".join(wanted.pack(n) for n in numbers)
    return _from_view(memoryview(packed), wanted, packed)._replace(shape=shape)


def source_of(data: Any, wanted: Any = None) -> Source:
    """Data to be copied to the device: something with a buffer (numpy arrays, bytes, array.array), or numbers in lists.

    wanted: the element type; numpy arrays are converted to it, other buffers must have it or be bytes
    """
    kind = dtype(wanted) if wanted is not None else None
    if isinstance(data, (list, tuple, range, int, float)):
        return _from_numbers(data, kind)
    if kind is not None and hasattr(data, "astype") and getattr(data, "dtype", None) != kind and kind.name != "bfloat16":
        data = data.astype(kind.numpy)
    try:
        view, own = _view(data)
    except TypeError:
        converted = data.__array__() if hasattr(data, "__array__") else data
        if converted is data:
            raise
        return source_of(converted, wanted)
    if not view.c_contiguous:
        view = memoryview(view.tobytes()).cast("B")
        source = _from_view(view, own, data)._replace(shape=tuple(data.shape))
    else:
        source = _from_view(view, own, data)
    if kind is None or kind == own:
        return source
    if own.name not in ("uint8", "uint16") or source.nbytes % kind.itemsize or own.itemsize not in (1, kind.itemsize):
        raise TypeError("these are elements of %s, not of %s: convert them before" % (own, kind))
    shape = (source.nbytes // kind.itemsize,) if own.itemsize != kind.itemsize else source.shape
    return source._replace(dtype=kind, shape=shape)


def target_of(data: Any) -> Source:
    """Writable contiguous host memory to copy to."""
    view, kind = _view(data)
    if view.readonly:
        raise ValueError("the destination is read-only: a numpy array or a bytearray can be written")
    if not view.c_contiguous:
        raise ValueError("the destination is not contiguous: copy to a new array, then assign")
    return _from_view(view, kind, data)
