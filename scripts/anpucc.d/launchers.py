# SPDX-License-Identifier: MIT
"""--launchers: for the host program a header aclrtlaunch_KERNEL.h per kernel, and one C source with their
functions and the operator itself, so that ACLRT_LAUNCH_KERNEL(KERNEL)(blocks, stream, arguments...) works."""
import os
import re

from errors import OperatorError

HOST = os.path.join(os.path.dirname(os.path.realpath(__file__)), "host")
# Words that cannot be the name of a parameter in C or C++, or are the launcher's own.
TAKEN = set("""alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl const
constexpr const_cast continue decltype default delete do double dynamic_cast else enum explicit export extern
false float for friend goto if inline int long mutable namespace new noexcept not not_eq nullptr operator or
or_eq private protected public register reinterpret_cast restrict return short signed sizeof static
static_assert static_cast struct switch template this thread_local throw true try typedef typeid typename
union unsigned using virtual void volatile wchar_t while xor xor_eq blockDim stream args func err""".split())

HEADER = """/* Made by anpucc from {where}. */
#ifndef ACLRTLAUNCH_{symbol}_H
#define ACLRTLAUNCH_{symbol}_H

#include <stdbool.h>
#include <stdint.h>

#include <acl/acl.h>
{includes}
#ifndef ACLRT_LAUNCH_KERNEL
#define ACLRT_LAUNCH_KERNEL(kernel) aclrtlaunch_##kernel
#endif

#ifdef __cplusplus
extern "C" {{
#endif

/* Loads the operator when it is first used on a device. Returns an aclError */
{prototype};

#ifdef __cplusplus
}}
#endif

#endif
"""

SOURCE = """/* Made by anpucc from {sources}: what launches its kernels, with the operator inside. */
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

{includes}

{module}
static const unsigned char image[] __attribute__((aligned(8))) = {{
{image}
}};

static const char *const names[] = {{ {names} }};

static struct anpu_module module = {{
	image, sizeof(image), {count}, names, PTHREAD_MUTEX_INITIALIZER, {{ NULL }}, {{ NULL }}
}};
{functions}"""

FUNCTION = """
{prototype}
{{
	{args}
	aclrtFuncHandle func;
	aclError err = anpu_module_find(&module, {number}, &func);

	return (uint32_t)(err ? err : aclrtLaunchKernelWithArgsArray(func, blockDim, stream, NULL, {pass_}));
}}
"""


def host_type(kernel, param, includes):
    """How a parameter is declared for the host."""
    if param.pointer:
        return "void *"
    if param.declaration in ("_Float16", "long double") or param.declaration.startswith("_Complex"):
        if param.declaration == "_Float16":
            return "aclFloat16 "
        raise OperatorError(f"parameter '{param.name}' of kernel '{kernel.symbol}' ({kernel.where}) has type "
                            f"'{param.text}', which the host's C and C++ do not share; pass a pointer")
    if re.match(r"(struct|union) anpu_t\d", param.declaration):
        if not includes:
            raise OperatorError(f"parameter '{param.name}' of kernel '{kernel.symbol}' ({kernel.where}) is the "
                                f"structure '{param.text}': name the header that declares it for the host "
                                f"with --launcher-include=HEADER")
        return param.text + " "
    return param.declaration + " "


def parameter_names(kernel):
    """Names that are different, and none that C or C++ keeps for itself."""
    names = []
    for number, param in enumerate(kernel.params):
        name = param.name or f"arg{number}"
        while name in TAKEN or name in names:
            name += "_"
        names.append(name)
    return names


def prototype(kernel, includes):
    params = [host_type(kernel, p, includes) + name
              for p, name in zip(kernel.params, parameter_names(kernel))]
    return (f"uint32_t aclrtlaunch_{kernel.symbol}(" +
            ", ".join(["uint32_t blockDim", "aclrtStream stream"] + params) + ")")


def function(number, kernel, includes):
    names = parameter_names(kernel)
    values = ", ".join("&" + name for name in names)
    return FUNCTION.format(prototype=prototype(kernel, includes), number=number,
                           args=f"void *args[] = {{ {values} }};" if names else "/* no arguments */",
                           pass_="args" if names else "NULL")


def check_launchers(kernels, opts):
    """Refuses what has no launcher, before anything is written."""
    for kernel in kernels:
        prototype(kernel, opts.launcher_includes)


def write_launchers(kernels, opts):
    """The headers and the source into opts.launchers."""
    os.makedirs(opts.launchers, exist_ok=True)
    includes = "".join(f'#include "{name}"\n' for name in opts.launcher_includes)
    for kernel in kernels:
        text = HEADER.format(symbol=kernel.symbol, where=kernel.where, includes=includes,
                             prototype=prototype(kernel, includes))
        write(os.path.join(opts.launchers, f"aclrtlaunch_{kernel.symbol}.h"), text)
    with open(opts.output, "rb") as file:
        image = file.read()
    rows = ("\t" + ", ".join(str(byte) for byte in image[at:at + 24]) + ","
            for at in range(0, len(image), 24))
    with open(os.path.join(HOST, "module.h"), encoding="utf-8") as file:
        module = file.read()
    text = SOURCE.format(
        module=module,
        sources=", ".join(os.path.basename(s) for s in opts.sources), count=len(kernels),
        includes="\n".join(f'#include "aclrtlaunch_{k.symbol}.h"' for k in kernels), image="\n".join(rows),
        names=", ".join(f'"{k.symbol}"' for k in kernels),
        functions="".join(function(i, k, includes) for i, k in enumerate(kernels)))
    base = os.path.splitext(os.path.basename(opts.output))[0]
    write(os.path.join(opts.launchers, f"{base}_launchers.c"), text)


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
