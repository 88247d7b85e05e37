#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Every intrinsic of anpu_intrin.h encodes what the tables of anpu_isa.h say; speaks TAP.

For each function a wrapper with the same parameters is compiled, so that they are in a0, a1 ... in their order;
the instruction in the wrapper must then name these registers at the places of the table."""
import os
import re
import subprocess
import sys
import tempfile

TOP = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..")
sys.path.insert(0, os.path.join(TOP, "scripts", "anpucc.d"))
sys.dont_write_bytecode = True

from elftools.elf.elffile import ELFFile  # noqa: E402

from isa import Isa, include_dir  # noqa: E402
from toolchain import Toolchain  # noqa: E402

A0 = 10
TESTS = [0, 0]


def result(good, name, note=""):
    TESTS[0] += 1
    TESTS[1] += not good
    print(f"{'ok' if good else 'not ok'} {TESTS[0]} - {name}")
    if not good and note:
        print(f"# {note}")


def prototypes(header):
    """Hand-written functions: name to parameter declarations."""
    found = {}
    for name, params in re.findall(r"^ANPU_INLINE (?:__attribute__\S+ )?void anpu_(\w+)\(([^)]*)\)", header, re.M):
        params = " ".join(params.split())
        found[name] = [] if params == "void" else params.split(", ")
    return found


def compile_wrappers(wrappers):
    """Compiles {function: C text}; returns {function: instruction words}."""
    with tempfile.TemporaryDirectory() as tmp:
        source, out = os.path.join(tmp, "w.c"), os.path.join(tmp, "w.o")
        with open(source, "w", encoding="utf-8") as file:
            file.write("#include <anpu/anpu_intrin.h>\n" + "\n".join(wrappers.values()) + "\n")
        tools = Toolchain()
        subprocess.run(tools.compile_command(source, out, ["-I", include_dir(), "-O2", "-fvisibility=default"], "c"),
                       check=True)
        words = {}
        with open(out, "rb") as file:
            elf = ELFFile(file)
            for section in elf.iter_sections():
                if section.name.startswith(".text."):
                    data = section.data()
                    words[section.name[6:]] = [int.from_bytes(data[i:i + 4], "little") for i in range(0, len(data), 4)]
        return words


def wrapper(function, params, returns="void"):
    """A function w_NAME with the same parameters that calls anpu_NAME."""
    names = [re.search(r"(\w+)$", p).group(1) for p in params]
    call = f"anpu_{function}({', '.join(names)});"
    return (f"{returns} w_{function}({', '.join(params) or 'void'}) "
            f"{{ {'return ' if returns != 'void' else ''}{call} }}")


def tile_word(opcode, number, regs):
    rs1, rs2, rs3, rd = regs
    return rs3 << 27 | (number >> 3) << 25 | rs2 << 20 | rs1 << 15 | (number & 7) << 12 | rd << 7 | opcode


def registers(roles):
    """The registers of a row: a0, a1 ... for what is a parameter, x0 for '0'."""
    regs, following = [], A0
    for role in roles:
        regs.append(0 if role == "0" else following)
        following += role != "0"
    return regs


def check_tiles(isa, functions):
    opcode = isa.constant("ANPU_OPC_TILE")
    rows = isa.table("ANPU_TILE_OPS")
    wrappers = {}
    for name, *_ in rows:
        wrappers[f"tile_{name}"] = wrapper(f"tile_{name}", ["uint64_t a", "uint64_t b", "uint64_t c", "uint64_t d"])
        if name.lower() in functions:
            wrappers[name.lower()] = wrapper(name.lower(), functions[name.lower()])
    words = compile_wrappers(wrappers)
    for name, number, _, *roles in rows:
        roles = roles[:4]
        want = tile_word(opcode, int(number), [A0, A0 + 1, A0 + 2, A0 + 3])
        got = words.get(f"w_tile_{name}", [])
        result(want in got, f"anpu_tile_{name}", f"wanted {want:08x} in {[f'{w:08x}' for w in got]}")
        low = name.lower()
        if low not in functions:
            result(False, f"anpu_{low}", "no such function in anpu_intrin.h")
            continue
        want = tile_word(opcode, int(number), registers(roles))
        got = words[f"w_{low}"]
        result(want in got, f"anpu_{low}", f"wanted {want:08x} in {[f'{w:08x}' for w in got]}")


# Functions for operations whose name is not the operation's, with their parameters as they reach registers
SYS_NAMES = {"PRINT": "print_bytes", "ASSERT": "assert_text"}


def check_system(isa, functions):
    opcode = isa.constant("ANPU_OPC_SYS")
    rows = isa.table("ANPU_SYS_OPS")
    wrappers = {}
    for name, *_ in rows:
        wrappers[f"sys_{name}"] = wrapper(f"sys_{name}", ["uint64_t a", "uint64_t b"])
        low = SYS_NAMES.get(name, name.lower())
        if low in functions:
            wrappers[low] = wrapper(low, functions[low])
    words = compile_wrappers(wrappers)
    for name, number, *_ in rows:
        want = int(number) << 25 | (A0 + 1) << 20 | A0 << 15 | opcode
        result(want in words.get(f"w_sys_{name}", []), f"anpu_sys_{name}", f"wanted {want:08x}")
        low = SYS_NAMES.get(name, name.lower())
        # Operands are packed from parameters, so only operation and destination are fixed.
        found = [w for w in words.get(f"w_{low}", []) if w & 0xfe007fff == int(number) << 25 | opcode]
        result(len(found) == 1, f"anpu_{low}", "no such function, or another operation in it")


def check_csrs(isa):
    rows = isa.table("ANPU_CSRS")
    wrappers = {}
    for name, _, access, *_ in rows:
        wrappers[f"csr_{name}"] = wrapper(f"csr_{name}", [], "uint64_t")
        if access == "RW":
            wrappers[f"set_csr_{name}"] = wrapper(f"set_csr_{name}", ["uint64_t value"])
    words = compile_wrappers(wrappers)
    for name, number, access, *_ in rows:
        read = int(number, 0) << 20 | 2 << 12 | A0 << 7 | 0x73
        result(read in words[f"w_csr_{name}"], f"anpu_csr_{name}", f"wanted {read:08x}")
        if access == "RW":
            write = int(number, 0) << 20 | A0 << 15 | 1 << 12 | 0x73
            result(write in words[f"w_set_csr_{name}"], f"anpu_set_csr_{name}", f"wanted {write:08x}")


def check_ids(isa):
    numbers = {row[0]: int(row[1], 0) for row in isa.table("ANPU_CSRS")}
    readers = {"block_idx": "blockidx", "block_num": "blocknum", "sub_block_idx": "subblockidx",
               "sub_block_num": "subblocknum", "core_id": "coreid", "core_num": "cores", "grid_x": "gridx",
               "grid_y": "gridy", "grid_z": "gridz", "task_id": "taskid", "ub_end": "dynbase", "cycles": "cycle",
               "time_ns": "time"}
    words = compile_wrappers({f: wrapper(f, [], "uint64_t") for f in readers})
    for function, csr in readers.items():
        found = any(w >> 20 == numbers[csr] and w & 0xff07f == 0x2073 for w in words[f"w_{function}"])
        result(found, f"anpu_{function} reads {csr}")


def main():
    isa = Isa()
    with open(os.path.join(include_dir(), "anpu", "anpu_intrin.h"), encoding="utf-8") as file:
        functions = prototypes(file.read())
    check_tiles(isa, functions)
    check_system(isa, functions)
    check_csrs(isa)
    check_ids(isa)
    print(f"1..{TESTS[0]}")
    return 1 if TESTS[1] else 0


sys.exit(main())
