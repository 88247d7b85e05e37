# SPDX-License-Identifier: MIT
"""The kernels of an operator file and their parameters, read from its records .ascend.meta.<kernel>.

The layout of the records is described in include/anpu/anpu_isa.h. The file is not trusted: what lies outside of it is
refused with a ValueError.
"""

import struct
from typing import Iterator, NamedTuple, Optional

from .dtypes import DType, from_c

__all__ = ["KernelInfo", "Parameter", "read_kernels"]

PREFIX = ".ascend.meta."
HALVES = ("_mix_aic", "_mix_aiv")
KERNEL_TYPE, PARAMS, PARAM_NAMES, PARAM_TYPES = 1, 0x8001, 0x8002, 0x8004
CORES = {2: "cube", 3: "vector", 4: "mix", 5: "mix"}
QUALIFIERS = ("const", "volatile", "restrict", "__restrict", "__gm__")


class Parameter(NamedTuple):
    """A parameter of a kernel.

    name: as in the source, or "" if the file does not tell
    type: in C, for example "const float *", or ""
    offset, size: bytes in the argument block
    pointer: whether it is an address of device memory
    """
    name: str
    type: str
    offset: int
    size: int
    pointer: bool

    @property
    def words(self) -> "list[str]":
        return self.type.replace("*", " * ").split()

    @property
    def read_only(self) -> bool:
        """Whether the kernel says that it does not write where the pointer points to."""
        words = self.words
        return self.pointer and "*" in words and "const" in words[:words.index("*")]

    @property
    def dtype(self) -> Optional[DType]:
        """The element type of a pointer or the type of a value; None: not one of the simple types."""
        words = [w for w in self.words if w not in QUALIFIERS]
        if self.pointer and words and words[-1] == "*":
            words.pop()
        return from_c(" ".join(words))

    def __str__(self) -> str:
        kind = self.type or ("pointer" if self.pointer else "value of %d bytes" % self.size)
        if kind.endswith("*"):
            return kind[:-1].rstrip() + " *" + self.name
        return "%s %s" % (kind, self.name) if self.name else kind


class KernelInfo(NamedTuple):
    """A kernel of an operator file.

    core: "any", "cube", "vector" or "mix"
    parameters: None if the file does not describe them
    args_size: bytes of the argument block
    """
    name: str
    core: str
    parameters: "Optional[tuple[Parameter, ...]]"
    args_size: int


def _part(data: bytes, offset: int, size: int, what: str) -> bytes:
    if offset < 0 or size < 0 or offset + size > len(data):
        raise ValueError("the operator file is cut off: %s at %d with %d bytes lies outside of its %d bytes"
                         % (what, offset, size, len(data)))
    return data[offset:offset + size]


def _sections(data: bytes) -> "Iterator[tuple[str, bytes]]":
    """Names and contents of the sections with records."""
    if data[:6] != b"\x7fELF\x02\x01":
        raise ValueError("this is no operator file: it does not begin as a 64-bit little-endian ELF file does; "
                         "anpucc makes operator files")
    offset, = struct.unpack("<Q", _part(data, 40, 8, "the ELF header"))
    entry, count, names_at = struct.unpack("<HHH", _part(data, 58, 6, "the ELF header"))
    if not count:
        return
    if entry < 64 or names_at >= count:
        raise ValueError("the operator file's section table is damaged")
    table = [struct.unpack("<IIQQQQIIQQ", _part(data, offset + i * entry, 64, "a section header")) for i in range(count)]
    names = _part(data, table[names_at][4], table[names_at][5], "the section names")
    for section in table:
        name = names[section[0]:].split(b"\0", 1)[0].decode("utf-8", "replace")
        if name.startswith(PREFIX):
            yield name[len(PREFIX):], _part(data, section[4], section[5], "section " + name)


def _strings(value: bytes) -> "list[str]":
    return [s.decode("utf-8", "replace") for s in value.split(b"\0")]


def _parameters(records: "dict[int, bytes]") -> "Optional[tuple[Parameter, ...]]":
    layout = records.get(PARAMS)
    if layout is None or len(layout) % 8:
        return None
    names, types = _strings(records.get(PARAM_NAMES, b"")), _strings(records.get(PARAM_TYPES, b""))
    found = []
    for i, (offset, size, kind) in enumerate(struct.iter_unpack("<HHB3x", layout)):
        found.append(Parameter(names[i] if i < len(names) else "", types[i] if i < len(types) else "",
                               offset, size, kind == 1))
    return tuple(found)


def _kernel(name: str, content: bytes) -> KernelInfo:
    records, at = {}, 0
    while at + 4 <= len(content):
        kind, length = struct.unpack_from("<HH", content, at)
        records[kind] = _part(content, at + 4, length, "a record of kernel " + name)
        at += 4 + length
    core = "any"
    if len(records.get(KERNEL_TYPE, b"")) == 4:
        core = CORES.get(struct.unpack("<I", records[KERNEL_TYPE])[0], "any")
    parameters = _parameters(records)
    size = max([p.offset + max(p.size, 8) for p in parameters or ()] + [0])
    return KernelInfo(name, core, parameters, (size + 7) // 8 * 8)


def read_kernels(data: bytes) -> "dict[str, KernelInfo]":
    """The kernels of an operator file by name; a pair NAME_mix_aic and NAME_mix_aiv is the one kernel NAME."""
    kernels: "dict[str, KernelInfo]" = {}
    for name, content in _sections(data):
        for half in HALVES:
            if name.endswith(half):
                name = name[:-len(half)]
        info = _kernel(name, content)
        known = kernels.get(name)
        if known is None or known.parameters is None:
            kernels[name] = info
    return kernels
