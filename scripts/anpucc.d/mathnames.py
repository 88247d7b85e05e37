# SPDX-License-Identifier: MIT
"""Kernels that are called like a function of <math.h>: sin, exp, round. The operator sees the function by an overload whose symbol has
a prefix, so that the kernel has the plain symbol for itself; the run-time library's function gets that symbol."""
import re

from mix import change_names, with_headers
from runtime import LIBM, everything

PREFIX = "anpu_math_"
KERNEL = re.compile(r"\b__global__\b[^;{}]*?\bvoid\s+(\w+)\s*\(")
ROUNDING = {"floor", "ceil", "trunc", "round", "roundeven", "rint", "nearbyint", "fdim", "sincos", "lround", "lrint"}


def names_taken(source, options):
    """Names of functions of <math.h> that kernels of a source have."""
    folders = [o[2:] for o in options if o.startswith("-I") and len(o) > 2]
    folders += [after for before, after in zip(options, options[1:]) if before == "-I"]
    kernels = set(KERNEL.findall(with_headers(source, folders, set())))
    if not kernels & (LIBM | ROUNDING):
        return []
    return sorted(kernels & (LIBM | ROUNDING) & set(everything()))


def header(names):
    """What a source is given before everything else."""
    out = [f"#define {name} {PREFIX}{name}" for name in names] + ["#include <math.h>"]
    for name in names:
        out += [f"#undef {name}", f'extern decltype({PREFIX}{name}) {name} __asm__("{PREFIX}{name}");']
    return "\n".join(out) + "\n"


def rename(path, names):
    """Gives the functions in an object of the run-time library the other names."""
    wanted = {name.encode() for name in names}
    change_names(path, lambda name, defined: PREFIX.encode() + name if name in wanted else name)


def plain(names):
    """Undefined symbols as the sources of the run-time library call them."""
    return [name[len(PREFIX):] if name.startswith(PREFIX) else name for name in names]
