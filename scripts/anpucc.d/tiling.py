# SPDX-License-Identifier: MIT
"""The tiling structures of an operator project for the AI core: what BEGIN_TILING_DATA_DEF and the macros behind it say
in a header of op_host, whose other declarations are the host's."""
import os
import re

from isa import include_dir

COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
PART = re.compile(r"^[ \t]*#[ \t]*define[ \t]+\w+[ \t]+[-+*/() \t\w]+$|"
                  r"\b(?:static\s+)?(?:constexpr|const)\s+u?int\w*\s+\w+\s*=\s*[^;{}]*;|"
                  r"\bBEGIN_TILING_DATA_DEF\s*\([^)]*\)|\bTILING_DATA_FIELD_DEF(?:_ARR|_STRUCT)?\s*\([^)]*\)\s*;?|"
                  r"\bEND_TILING_DATA_DEF\b\s*;?|\bREGISTER_TILING_DATA_CLASS\s*\([^)]*\)\s*;?", re.M)


def ours():
    """The names of the structures that kernel_tiling/kernel_tiling.h has; operators repeat some of them in their op_host."""
    with open(os.path.join(include_dir(), "ascendc", "kernel_tiling", "kernel_tiling.h"), encoding="utf-8") as file:
        return set(re.findall(r"^struct (\w+) \{", file.read(), re.M))


def structures(path, registers=True):
    """The text of a header with the structures of the header at path. If registers, the first class that is registered is the one
    that GET_TILING_DATA reads."""
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        text = COMMENT.sub(" ", file.read())
    out, registered, defined = ['#include "register/tilingdata_base.h"', '#include "kernel_tiling/kernel_tiling.h"'], not registers, set()
    known, skipped = ours(), False
    for part in PART.findall(text):
        part = part.strip()
        name = re.match(r"REGISTER_TILING_DATA_CLASS\s*\(\s*\w+\s*,\s*(\w+)", part)
        begins = re.match(r"BEGIN_TILING_DATA_DEF\s*\(\s*(\w+)", part)
        skipped = begins.group(1) in known if begins else skipped
        if skipped and not name:
            continue
        if begins:
            defined.add(begins.group(1))
        if name:
            if registered or name.group(1) not in defined:
                continue
            registered = True
        if part.startswith("END_TILING_DATA_DEF"):
            part = "END_TILING_DATA_DEF;"
        out.append(part)
    return "\n".join(out) + "\n"
