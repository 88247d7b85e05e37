# SPDX-License-Identifier: MIT
"""Names of Ascend C that sources written for another version of it have: headers of the library by paths that are not here, and classes
of their own that are called like functions which the API has got since."""
import os
import re

from isa import include_dir
from mix import folders_of, with_headers

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*["<]((?:[\w.]+/)*\w+\.h)[">]', re.M)
# All of the library is declared by kernel_operator.h; the headers of single functions are called like this
PART = re.compile(r"(?:^|.*/)kernel_operator_\w+\.h$|^(?:\.\./)*(?:lib|adv_api)/(?:activation|broadcast|filter|index|math|matmul|matrix|"
                  r"normalization|pad|quantization|quantize|reduce|select|sigmoid|sort|transpose|utils)/[\w/]+\.h$")
# Functions that classes were called like before they were in the API are in this header
LATE = ("adv", "logic.h")
FUNCTION = re.compile(r"^(?:template <[^\n]*> )?ASCENDC_FN void (\w+)\(", re.M)


def headers(text, options, folder):
    """Options for headers of single functions that a source includes and that are in none of its folders: they are made in folder."""
    places = folders_of(options) + [os.path.join(include_dir(), "ascendc")]
    wanted = [name for name in dict.fromkeys(INCLUDE.findall(text)) if PART.match(name) and ".." not in name and
              not any(os.path.isfile(os.path.join(place, name)) for place in places)]
    for name in wanted:
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write("#pragma once\n#include <kernel_operator.h>\n")
    return ["-idirafter", folder] if wanted else []


def taken(text):
    """Functions of the API that a source has classes of its own by the names of, and does not call."""
    if "IsFinite" not in text and "IsInf" not in text and not re.search(r"\b(?:class|struct)\s+(?:IsNan|Where|SinCos|Logical|Bitwise)", text):
        return []
    with open(os.path.join(include_dir(), "ascendc", *LATE), encoding="utf-8") as file:
        names = set(FUNCTION.findall(file.read()))
    own = set(re.findall(r"\b(?:class|struct)\s+(\w+)\s*(?:final\s*)?[{:]", text)) & names
    return sorted(name for name in own if not re.search(rf"\bAscendC::{name}\b", text))


def without(names):
    """What a source is given before everything else: the API under other names, for functions that it does not mean."""
    return "".join(f"#define {name} anpu_api_{name}\n" for name in names) + "#include <kernel_operator.h>\n" + \
        "".join(f"#undef {name}\n" for name in names)


def flags_for(source, options, tmp, number):
    """Options for a source of Ascend C by the names that it uses."""
    text = with_headers(source, folders_of(options), set())
    flags = headers(text, options, os.path.join(tmp, f"{number}-headers"))
    names = taken(text)
    if names:
        path = os.path.join(tmp, f"{number}-names.h")
        with open(path, "w", encoding="utf-8") as file:
            file.write(without(names))
        flags += ["-include", path]
    return flags
