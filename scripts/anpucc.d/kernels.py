# SPDX-License-Identifier: MIT
"""Finds the kernels of a linked operator and what its debug information says about their parameters."""
from dataclasses import dataclass, field

from elftools.elf.elffile import ELFFile

from errors import OperatorError
from ctypes_of import CTypes

KERNEL_SECTION = ".anpu.kernel"
ATTR_SECTION = ".anpu.attr"
MAX_ARGS = 65535
# The halves of a MIX kernel by their names, and the records that each half has for itself (anpu_isa.h)
CUBE_HALF, VECTOR_HALF = "_mix_aic", "_mix_aiv"
KERNEL_TYPE, STACK_SIZE, CLUSTER = 1, 8, 0x8007
OWN_RECORDS = (KERNEL_TYPE, STACK_SIZE)


@dataclass
class Param:
    """One parameter of a kernel: its C type for the thunk and its place in the argument block."""
    name: str
    declaration: str
    size: int
    align: int
    pointer: bool
    text: str
    offset: int = 0


@dataclass
class Kernel:
    """One kernel."""
    symbol: str
    address: int
    size: int
    where: str = ""
    params: list = field(default_factory=list)
    records: dict = field(default_factory=dict)
    alias: str = ""

    @property
    def args_size(self):
        return sum(slots(p.size) for p in self.params)


def slots(size):
    """Bytes that a value of size takes in the argument block: whole 8-byte slots, at least one."""
    return max(8, (size + 7) // 8 * 8)


def read_kernels(path, types: CTypes, halves=None):
    """The kernels in the linked image at path, by address, with parameters from its DWARF. halves: each was compiled once for the cube
    unit and once for the vector unit; {name: value of the record KERNEL_TYPE} of those that a declaration gives to one unit."""
    with open(path, "rb") as file:
        elf = ELFFile(file)
        found = {k.address: k for k in symbols(elf)}
        if not elf.has_dwarf_info():
            raise OperatorError("the compiler wrote no debug information, which tells the parameters "
                                "of kernels; do not pass -g0 or -gline-tables-only")
        describe(elf, found, types)
        attributes(elf, found)
    for kernel in found.values():
        lay_out(kernel)
    if halves is not None:
        found = {k.address: k for k in found.values() if keeps_half(k, halves)}
    check_pairs({k.symbol: k for k in found.values()})
    return sorted(found.values(), key=lambda k: k.address)


def symbols(elf):
    index = next(i for i, s in enumerate(elf.iter_sections()) if s.name == KERNEL_SECTION)
    for sym in elf.get_section_by_name(".symtab").iter_symbols():
        if sym["st_shndx"] == index and sym["st_info"]["type"] == "STT_FUNC":
            yield Kernel(sym.name, sym["st_value"], sym["st_size"])


def lay_out(kernel):
    """Gives each parameter its offset: every one starts at a slot of 8 bytes (anpu_isa.h)."""
    offset = 0
    for param in kernel.params:
        param.offset = offset
        offset += slots(param.size)
    if offset > MAX_ARGS:
        raise OperatorError(f"kernel '{kernel.symbol}' ({kernel.where}) has {offset} bytes of "
                            f"parameters, more than {MAX_ARGS}; pass a pointer to the data instead")


def keeps_half(kernel, declared):
    """Whether a half of a kernel is needed: a kernel that says that it runs on one unit only has its half for that unit, by its own
    name."""
    kind = int.from_bytes(kernel.records.get(KERNEL_TYPE, b""), "little")
    kind = kind or next((value for name, value in declared.items() if is_called(kernel, name)), 0)
    suffix = {2: CUBE_HALF, 3: VECTOR_HALF}.get(kind, "")
    if suffix and kernel.symbol.endswith(suffix):
        kernel.alias = kernel.symbol[:-len(suffix)]
    return not suffix or bool(kernel.alias)


def is_called(kernel, name):
    """Whether a kernel's symbol is that of a function name, mangled or not, perhaps of a half."""
    plain = next((kernel.symbol[:-len(half)] for half in (CUBE_HALF, VECTOR_HALF) if kernel.symbol.endswith(half)), kernel.symbol)
    return bool(name) and (plain == name or f"{len(name)}{name}" in plain)


def check_pairs(kernels):
    """The halves of a MIX kernel are launched as one: with the same arguments, by the records of the cube half."""
    for name, aic in kernels.items():
        aiv = kernels.get(name[:-len(CUBE_HALF)] + VECTOR_HALF) if name.endswith(CUBE_HALF) else None
        if not aiv:
            continue
        where = f"'{aic.symbol}' ({aic.where}) and '{aiv.symbol}' ({aiv.where}), the halves of a MIX kernel,"
        if [(p.size, p.pointer) for p in aic.params] != [(p.size, p.pointer) for p in aiv.params]:
            raise OperatorError(f"{where} have different parameters; both get the same block of arguments, so declare "
                                f"the same ones")
        for kind, value in aiv.records.items():
            if kind not in OWN_RECORDS and aic.records.get(kind) != value:
                raise OperatorError(f"{where} have different ANPU_KERNEL_META records of type {kind}; write it in the "
                                    f"cube half, which counts for both")
        wrong = [k for k, types in ((aic, (3, 5)), (aiv, (2, 4)))
                 if int.from_bytes(k.records.get(KERNEL_TYPE, b""), "little") in types]
        if wrong:
            raise OperatorError(f"'{wrong[0].symbol}' ({wrong[0].where}) has the ANPU_META_KERNEL_TYPE of the other half "
                                f"of a MIX kernel")


def describe(elf, found, types):
    """Fills in where the kernels are and their parameters."""
    missing = set(found)
    dwarf = elf.get_dwarf_info()
    for unit in dwarf.iter_CUs():
        for die in unit.get_top_DIE().iter_children():
            function_dies(die, dwarf, found, missing, types)
    for address in missing:
        raise OperatorError(f"the debug information does not describe kernel "
                            f"'{found[address].symbol}'; kernels must be written in C or C++ (call "
                            f"an assembly function from one)")


def function_dies(die, dwarf, found, missing, types):
    if die.tag in ("DW_TAG_namespace", "DW_TAG_structure_type", "DW_TAG_class_type"):
        for child in die.iter_children():
            function_dies(child, dwarf, found, missing, types)
        return
    if die.tag != "DW_TAG_subprogram" or "DW_AT_low_pc" not in die.attributes:
        return
    kernel = found.get(die.attributes["DW_AT_low_pc"].value)
    if kernel is None:
        return
    missing.discard(kernel.address)
    origin = die
    while "DW_AT_abstract_origin" in origin.attributes:
        origin = origin.get_DIE_from_attribute("DW_AT_abstract_origin")
    declared = origin
    if "DW_AT_specification" in origin.attributes:
        declared = origin.get_DIE_from_attribute("DW_AT_specification")
    kernel.where = location(declared, dwarf)
    check_function(kernel, declared)
    kernel.params = [parameter(kernel, i, child, types)
                     for i, child in enumerate(parameters(kernel, origin))]


def location(die, dwarf):
    """file:line of a declaration."""
    if "DW_AT_decl_file" not in die.attributes or "DW_AT_decl_line" not in die.attributes:
        return "unknown line"
    lines = dwarf.line_program_for_CU(die.cu)
    files = lines.header["file_entry"]
    index = die.attributes["DW_AT_decl_file"].value - (0 if lines.header["version"] >= 5 else 1)
    name = files[index].name.decode(errors="replace") if index < len(files) else "?"
    return f"{name}:{die.attributes['DW_AT_decl_line'].value}"


def check_function(kernel, die):
    if "DW_AT_type" in die.attributes:
        raise OperatorError(f"kernel '{kernel.symbol}' ({kernel.where}) returns a value; a kernel "
                            f"must return void and write its results through a pointer parameter")
    if "DW_AT_object_pointer" in die.attributes:
        raise OperatorError(f"kernel '{kernel.symbol}' ({kernel.where}) is a member function; a "
                            f"kernel must be a free or static member function")


def parameters(kernel, die):
    for child in die.iter_children():
        if child.tag == "DW_TAG_unspecified_parameters":
            raise OperatorError(f"kernel '{kernel.symbol}' ({kernel.where}) takes a variable number "
                                f"of arguments (or none are declared: write 'void'); a kernel's "
                                f"parameters must be fixed")
        if child.tag == "DW_TAG_formal_parameter":
            yield child


def parameter(kernel, index, die, types):
    name = die.attributes["DW_AT_name"].value.decode() if "DW_AT_name" in die.attributes else ""
    what = (f"parameter {index + 1} " + (f"'{name}' " if name else "") +
            f"of kernel '{kernel.symbol}' ({kernel.where})")
    ctype = types.of(die.get_DIE_from_attribute("DW_AT_type"), what)
    return Param(name, ctype.text, ctype.size, ctype.align, ctype.pointer, ctype.label)


def attributes(elf, found):
    """Meta records that the sources ask for with ANPU_KERNEL_META (anpu_intrin.h): {address in the
    kernel's body, u16 type, u16 length, u32 value}."""
    section = elf.get_section_by_name(ATTR_SECTION)
    data = section.data() if section else b""
    for at in range(0, len(data), 16):
        address = int.from_bytes(data[at:at + 8], "little")
        kind = int.from_bytes(data[at + 8:at + 10], "little")
        length = int.from_bytes(data[at + 10:at + 12], "little")
        for kernel in found.values():
            if kernel.address <= address < kernel.address + kernel.size:
                value = data[at + 12:at + 12 + length]
                # a statement has 32 bits: x | y << 8 | z << 16
                kernel.records[kind] = b"".join(bytes((n, 0, 0, 0)) for n in value[:3]) if kind == CLUSTER else value
                break
        else:
            raise OperatorError("ANPU_KERNEL_META stands in a function that is not a kernel (and "
                                "was not inlined into one); move it into the kernel's body")
