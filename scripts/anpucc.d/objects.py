# SPDX-License-Identifier: MIT
"""What the compiled objects of an operator contain: kernels, symbols, and what cannot be in one."""
from dataclasses import dataclass, field

from elftools.elf.elffile import ELFFile

from errors import OperatorError
from kernels import KERNEL_SECTION

R_RISCV_RELATIVE = 3
RELOCS = {1: "R_RISCV_32", 2: "R_RISCV_64", 4: "R_RISCV_COPY", 5: "R_RISCV_JUMP_SLOT", 58: "R_RISCV_IRELATIVE"}
CAUSES = {1: "a 32-bit variable is initialised with an address, which has 64 bits",
          58: "attribute ifunc is not for operators, call the function you want"}
INIT_SECTIONS = (".init_array", ".ctors", ".preinit_array", ".fini_array", ".dtors")
# Variables of a block (__BLOCK_LOCAL__ of Ascend C) lie in its stack window, behind the state of Ascend C
BLOCK_SECTION = ".tbss.anpu_block"
BLOCK_AT, BLOCK_BYTES = 256, 1024


@dataclass
class Symbols:
    """Symbols of a set of objects."""
    defined: set = field(default_factory=set)
    undefined: dict = field(default_factory=dict)
    kernels: list = field(default_factory=list)
    variables: list = field(default_factory=list)
    of_block: bool = False

    def missing(self):
        return {name: source for name, source in self.undefined.items() if name not in self.defined}


def scan(path, source, into, threads=False):
    """Adds an object's symbols to into; refuses what the AI core has no place for."""
    with open(path, "rb") as file:
        elf = ELFFile(file)
        check_sections(elf, source)
        names = [s.name for s in elf.iter_sections()]
        for sym in elf.get_section_by_name(".symtab").iter_symbols():
            bind, kind, index = sym["st_info"]["bind"], sym["st_info"]["type"], sym["st_shndx"]
            if kind == "STT_TLS" and isinstance(index, int) and names[index].startswith(BLOCK_SECTION):
                into.of_block = True
            elif kind == "STT_TLS" and not threads:
                raise OperatorError(f"{source}: '{sym.name}' is thread-local, which operators cannot "
                                    f"have; use a local variable (every block has its own) or memory "
                                    f"that is indexed by the block number")
            if isinstance(index, int) and names[index].startswith(KERNEL_SECTION) and kind == "STT_FUNC":
                if bind == "STB_LOCAL":
                    raise OperatorError(f"{source}: kernel '{sym.name}' is static, so no host program "
                                        f"could find it; remove 'static' or the anonymous namespace")
                into.kernels.append(sym.name)
            if bind == "STB_LOCAL" or not sym.name:
                continue
            if index == "SHN_UNDEF":
                if bind != "STB_WEAK":
                    into.undefined.setdefault(sym.name, source)
            else:
                into.defined.add(sym.name)
                if kind == "STT_OBJECT" and bind == "STB_GLOBAL":
                    into.variables.append(sym.name)


def check_sections(elf, source):
    for section in elf.iter_sections():
        if not section.name.startswith(INIT_SECTIONS) or not section["sh_size"]:
            continue
        if section.name.startswith((".fini", ".dtors")):
            raise OperatorError(f"{source} has functions that should run when the program ends "
                                f"(attribute destructor), but nothing ends an operator's program: do "
                                f"the work at the end of the kernel")
        names = constructed(elf)
        raise OperatorError(f"{source} has global variables that need a constructor at run time"
                            f"{names}, but nothing runs before a kernel: make them constexpr, or "
                            f"construct them inside the kernel")


def constructed(elf):
    """The names of variables in zeroed storage, as a hint to which one has the constructor."""
    zeroed = [i for i, s in enumerate(elf.iter_sections()) if s["sh_type"] == "SHT_NOBITS"]
    names = [s.name for s in elf.get_section_by_name(".symtab").iter_symbols()
             if s["st_info"]["type"] == "STT_OBJECT" and s["st_shndx"] in zeroed]
    return " (" + ", ".join(demangled(n) for n in names[:3]) + ")" if names else ""


def demangled(name):
    """The plain name inside a simple mangled variable name like _ZL4name."""
    for lead in ("_ZL", "_ZN", "_Z"):
        rest = name[len(lead):]
        digits = rest[:len(rest) - len(rest.lstrip("0123456789"))]
        if name.startswith(lead) and digits:
            return rest[len(digits):len(digits) + int(digits)]
    return name


def check_image(path, threads=False):
    """Refuses a linked operator that a loader could not place: only relative relocations may be left."""
    with open(path, "rb") as file:
        elf = ELFFile(file)
        for section in elf.iter_sections():
            if section["sh_type"] not in ("SHT_RELA", "SHT_REL") or not section["sh_flags"] & 2:
                continue
            for reloc in section.iter_relocations():
                kind = reloc["r_info_type"]
                if kind != R_RISCV_RELATIVE:
                    raise OperatorError(f"unsupported relocation {RELOCS.get(kind, f'of type {kind}')} at "
                                        f"0x{reloc['r_offset']:x} of the linked operator: loaders know only "
                                        f"R_RISCV_RELATIVE; {CAUSES.get(kind, 'report it with the source')}")
        for segment in elf.iter_segments():
            if segment["p_type"] != "PT_TLS" or threads:
                continue
            if segment["p_memsz"] > BLOCK_BYTES or segment["p_align"] > BLOCK_AT:
                raise OperatorError(f"variables of a block (__BLOCK_LOCAL__) take {segment['p_memsz']} bytes, aligned to {segment['p_align']}; "
                                    f"there are {BLOCK_BYTES}, aligned to {BLOCK_AT}: use memory that the block's number indexes")
        return elf.header["e_type"]
