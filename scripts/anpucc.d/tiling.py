# SPDX-License-Identifier: MIT
"""The tiling structures of an operator project for the AI core: what BEGIN_TILING_DATA_DEF and the macros behind it say
in a header of op_host, whose other declarations are the host's."""
import os
import re
import zlib

from isa import include_dir

COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
PART = re.compile(r"^[ \t]*#[ \t]*define[ \t]+\w+[ \t]+[-+*/() \t\w]+$|"
                  r"\b(?:(?:static|inline|constexpr|const)\s+)+(?:unsigned|size_t|u?int\w*)(?:\s+int)?\s+\w+\s*=\s*[^;{}()]*;|"
                  r"\bBEGIN_TILING_DATA_DEF\s*\([^)]*\)|\bTILING_DATA_FIELD_DEF(?:_ARR|_STRUCT)?\s*\([^)]*\)\s*;?|"
                  r"\bEND_TILING_DATA_DEF\b\s*;?|\bREGISTER_TILING_DATA_CLASS\s*\([^)]*\)\s*;?", re.M)
CONSTANT = re.compile(r"(?:static|inline|constexpr|const)\b[^=]*?(\w+)\s*=")
KERNEL = re.compile(r"\b__global__\b[^;{}()]*?(\w+)\s*\(")
REGISTERED = re.compile(r"\bREGISTER_TILING_DATA_CLASS\s*\(\s*(\w+)\s*,\s*(\w+)")


def ours():
    """The names of the structures that kernel_tiling/kernel_tiling.h has; operators repeat some of them in their op_host."""
    with open(os.path.join(include_dir(), "ascendc", "kernel_tiling", "kernel_tiling.h"), encoding="utf-8") as file:
        return set(re.findall(r"^struct (\w+) \{", file.read(), re.M))


def text_of(path):
    """A source without its comments."""
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        return COMMENT.sub(" ", file.read())


def kernels_in(sources):
    """Names that kernels of these sources may have: those that stand there, and those of the files."""
    names = [name for source in sources for name in KERNEL.findall(text_of(source))]
    return names + [os.path.splitext(os.path.basename(source))[0] for source in sources]


def plain(name):
    """A name without what an operator's and its kernel's differ in: AddCustom, add_custom."""
    return name.replace("_", "").lower()


def class_of(headers, kernels, key):
    """The class that GET_TILING_DATA reads: the one registered for the operator of a kernel and this tiling key, for that operator,
    or the first one that is registered."""
    found, known = [], ours()
    for text in map(text_of, headers):
        defined = set(re.findall(r"\bBEGIN_TILING_DATA_DEF\s*\(\s*(\w+)", text)) - known
        found += [(plain(operator), name) for operator, name in REGISTERED.findall(text) if name in defined]
    wanted = [plain(kernel) + key.rstrip("ULul") for kernel in kernels if key] + [plain(kernel) for kernel in kernels]
    own = [name for one in wanted for operator, name in found if operator == one]
    return (own + [name for _, name in found] + [""])[0]


def structures(path, read):
    """The text of a header with the structures of the header at path; GET_TILING_DATA reads the class of the name read, if it is there."""
    text = text_of(path)
    out, registered, defined = ['#include "register/tilingdata_base.h"', '#include "kernel_tiling/kernel_tiling.h"'], False, set()
    known, skipped, constants = ours(), False, []
    for part in PART.findall(text):
        part = part.strip()
        name = REGISTERED.match(part)
        begins = re.match(r"BEGIN_TILING_DATA_DEF\s*\(\s*(\w+)", part)
        skipped = begins.group(1) in known if begins else skipped
        if skipped and not name:
            continue
        if begins:
            defined.add(begins.group(1))
        if name:
            if registered or name.group(2) not in defined or name.group(2) != read:
                continue
            registered = True
        constant = CONSTANT.match(part)
        if constant:
            # a kernel may have a constant of its own by that name, and so may another header
            constants.append(constant.group(1))
            out.append(f"#define {constants[-1]} anpu_tiling_{zlib.crc32(path.encode()):x}_{constants[-1]}")
        if part.startswith("END_TILING_DATA_DEF"):
            part = "END_TILING_DATA_DEF;"
        out.append(part)
    return "\n".join(out + [f"#undef {name}" for name in constants]) + "\n"
