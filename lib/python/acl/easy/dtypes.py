# SPDX-License-Identifier: MIT
"""Element types of arrays, by the names that NumPy gives them; NumPy itself is not needed."""

import struct
from typing import Any, NamedTuple, Optional

__all__ = ["DType", "dtype"]


class DType(NamedTuple):
    """An element type; equal to its name and to NumPy's type of that name.

    name: NumPy's name, for example "float32"; "bfloat16" has none there
    code: its letter in the module struct, "" for bfloat16
    itemsize: bytes
    typestr: NumPy's short form, for example "<f4"
    dlpack: DLPack's number of its kind
    """
    name: str
    code: str
    itemsize: int
    typestr: str
    dlpack: int

    def __eq__(self, other: object) -> bool:
        if isinstance(other, DType):
            return self.name == other.name
        try:
            return dtype(other).name == self.name
        except TypeError:
            return False

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return self.name

    def __str__(self) -> str:
        return self.name

    @property
    def is_float(self) -> bool:
        return self.dlpack in (FLOAT, BFLOAT)

    @property
    def numpy(self) -> Any:
        """NumPy's type for the same bits: uint16 for bfloat16."""
        import numpy
        return numpy.dtype(self.typestr)

    def pack(self, value: Any) -> bytes:
        """A number as it lies in memory. OverflowError if it does not fit, TypeError if it is none."""
        if self.name == "bfloat16":
            return _bfloat16(float(value))
        if self.is_float:
            return struct.pack("<" + self.code, float(value))
        if self.code == "?":
            return struct.pack("<?", bool(value))
        number = value.__index__() if hasattr(value, "__index__") else None
        if number is None:
            raise TypeError("%s takes an integer, not %s" % (self.name, type(value).__name__))
        try:
            return struct.pack("<" + self.code, number)
        except struct.error as error:
            raise OverflowError("%d does not fit into %s" % (number, self.name)) from error


INT, UINT, FLOAT, BFLOAT, BOOL = 0, 1, 2, 4, 6

ALL = [
    DType("float32", "f", 4, "<f4", FLOAT), DType("float16", "e", 2, "<f2", FLOAT),
    DType("bfloat16", "", 2, "<u2", BFLOAT), DType("float64", "d", 8, "<f8", FLOAT),
    DType("int8", "b", 1, "|i1", INT), DType("int16", "h", 2, "<i2", INT),
    DType("int32", "i", 4, "<i4", INT), DType("int64", "q", 8, "<i8", INT),
    DType("uint8", "B", 1, "|u1", UINT), DType("uint16", "H", 2, "<u2", UINT),
    DType("uint32", "I", 4, "<u4", UINT), DType("uint64", "Q", 8, "<u8", UINT),
    DType("bool", "?", 1, "|b1", BOOL),
]
_BY_NAME = {t.name: t for t in ALL}
_BY_TYPESTR = {t.typestr: t for t in ALL if t.name != "bfloat16"}
_BY_TYPESTR.update({t.typestr.lstrip("<|"): t for t in ALL if t.name != "bfloat16"})
# As the buffer protocol has them; l and L are long
_BY_CODE = {t.code: t for t in ALL if t.code}
_BY_CODE.update({"l": _BY_NAME["int64"], "L": _BY_NAME["uint64"], "n": _BY_NAME["int64"], "N": _BY_NAME["uint64"],
                 "c": _BY_NAME["uint8"]})
_BY_OBJECT = {float: _BY_NAME["float64"], int: _BY_NAME["int64"], bool: _BY_NAME["bool"]}

# C types that anpucc writes into operator files
_C = {
    "float": "float32", "double": "float64", "half": "float16", "_Float16": "float16", "__fp16": "float16",
    "__bf16": "bfloat16", "bfloat16_t": "bfloat16", "signed char": "int8", "short": "int16", "int": "int32",
    "long": "int64", "long int": "int64", "long long": "int64", "long long int": "int64", "short int": "int16",
    "unsigned char": "uint8", "unsigned short": "uint16", "unsigned int": "uint32", "unsigned": "uint32",
    "unsigned long": "uint64", "unsigned long int": "uint64", "unsigned long long": "uint64", "size_t": "uint64",
    "uintptr_t": "uint64", "intptr_t": "int64", "ptrdiff_t": "int64", "char": "uint8", "_Bool": "bool", "bool": "bool",
}
_C.update({kind + str(bits) + "_t": kind + str(bits) for kind in ("int", "uint") for bits in (8, 16, 32, 64)})


def _bfloat16(value: float) -> bytes:
    """Rounded to nearest, ties to even, as the device does."""
    bits, = struct.unpack("<I", struct.pack("<f", value))
    if value != value:
        return struct.pack("<H", (bits >> 16) | 0x40)
    return struct.pack("<H", (bits + 0x7fff + ((bits >> 16) & 1)) >> 16)


def dtype(of: Any) -> DType:
    """The element type that is meant by a name ("float32", "f4", "<f4"), a type of NumPy or one of float, int, bool."""
    if isinstance(of, DType):
        return of
    if isinstance(of, str):
        found = _BY_NAME.get(of) or _BY_TYPESTR.get(of)
        if found:
            return found
    elif isinstance(of, type) and of in _BY_OBJECT:
        return _BY_OBJECT[of]
    else:
        # numpy.dtype has the name itself, numpy.float32 is a class of that name, and so is ml_dtypes.bfloat16
        typestr = getattr(of, "str", None)
        name = getattr(of, "name", None) or getattr(of, "__name__", None)
        if name == "bool_":
            name = "bool"
        if name in _BY_NAME and not (isinstance(typestr, str) and typestr.startswith(">")):
            return _BY_NAME[name]
    raise TypeError("%r is no element type of device arrays; these are: %s" % (of, ", ".join(t.name for t in ALL)))


def from_format(code: str) -> Optional[DType]:
    """The type of a buffer's format, for example "<f" or "=l"; None if it is none of ours."""
    return _BY_CODE.get(code.lstrip("@=<")) if code else _BY_NAME["uint8"]


def from_c(name: str) -> Optional[DType]:
    """The type of a C type's name, without qualifiers; None: not a simple one."""
    return _BY_NAME.get(_C.get(name, ""))
