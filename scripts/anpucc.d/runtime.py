# SPDX-License-Identifier: MIT
"""The run-time library: what clang calls behind the user's back and what a freestanding program may
expect. Each rt/*.c names its functions in a line '/* provides: ... */'; it is compiled only if needed."""
import os
import re

RT = os.path.join(os.path.dirname(os.path.realpath(__file__)), "rt")
# The compiler must not turn the loop of memcpy into a call of memcpy.
FLAGS = ["-O2", "-fno-builtin", "-std=gnu11", "-Wall", "-Wextra", "-Werror"]


def sources_for(names):
    """The run-time sources that define any of names."""
    wanted = set(names)
    found = []
    for file in sorted(os.listdir(RT)):
        if file.endswith(".c") and wanted & set(provided(os.path.join(RT, file))):
            found.append(os.path.join(RT, file))
    return found


def provided(path):
    with open(path, encoding="utf-8") as file:
        match = re.search(r"/\* provides: (.*?)\*/", file.read(), re.S)
    return match.group(1).replace("*", " ").split() if match else []


def everything():
    """All functions of the run-time library."""
    return sorted(name for file in os.listdir(RT) if file.endswith(".c")
                  for name in provided(os.path.join(RT, file)))


LIBM = set("""sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh exp exp2 expm1 exp10 log log2 log10
log1p pow cbrt hypot erf erfc tgamma lgamma fmod remainder ldexp frexp modf logb ilogb scalbn nextafter""".split())
HEAP = {"malloc", "calloc", "realloc", "free", "aligned_alloc", "_Znwm", "_Znam", "_ZdlPv", "_ZdlPvm",
        "_ZdaPv", "_ZdaPvm"}
STDIO = {"printf", "puts", "putchar", "fprintf", "sprintf", "snprintf", "vprintf", "putc", "fputs", "fputc", "fwrite",
         "stdout", "stderr", "_ZSt4cout"}
PROCESS = {"exit": "anpu_exit()", "_exit": "anpu_exit()", "abort": "anpu_trap()", "__assert_fail": "anpu_assert()"}


def likely_cause(name):
    """Why a symbol is probably undefined and what to do about it, as the end of a sentence."""
    plain = name.split("(")[0]
    stem = plain[:-1] if plain[-1:] in "fl" and plain[:-1] in LIBM else plain
    if stem in LIBM:
        return ("the AI core's scalar unit has no mathematical library beyond include/anpu/libc/math.h: "
                "compute it with the vector unit (anpu_vun()) or write the function into the operator")
    if plain in HEAP or plain.startswith(("operator new", "operator delete")):
        return "operators have no heap: use the scratchpads, the stack, or memory that the host passes in"
    if plain in STDIO or plain.startswith("std::"):
        return "operators have no C or C++ library: print with anpu_print()"
    if plain in PROCESS:
        return f"operators have no process: use {PROCESS[plain]}"
    if plain.startswith("__atomic_") or plain.startswith("__sync_"):
        return "the AI core has atomic instructions of 4 and 8 bytes, and no larger ones"
    if re.fullmatch(r"__\w+tf\w*|__\w+tf2|__trunc\w+|__extend\w+", plain):
        return "the AI core does not compute with long double: use double"
    if plain.startswith("__cxa_guard"):
        return ("a variable 'static' in a function needs a constructor at run time: make it constexpr or "
                "not static")
    if plain.startswith(("__cxa_", "_Unwind", "__gxx_personality")):
        return "operators have no C++ run-time library (exceptions, pure virtual calls, exit handlers)"
    if plain.startswith("__tls_"):
        return "operators cannot have thread-local variables"
    return "it is declared but no source defines it: name every source file, and check extern \"C\""
