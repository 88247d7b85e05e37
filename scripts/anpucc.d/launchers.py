# SPDX-License-Identifier: MIT
"""--launchers: for the host program a header aclrtlaunch_KERNEL.h per kernel, and one C source with their
functions and the operator itself, so that ACLRT_LAUNCH_KERNEL(KERNEL)(blocks, stream, arguments...) works."""
import copy
import os
import re

from errors import OperatorError
from kernels import CUBE_HALF, VECTOR_HALF

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
{wrapper}
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


# A structure by value whose header is not known here: C++ takes what the caller has, of the right size, or a pointer to it
WRAPPER = """
#ifdef __cplusplus
#ifndef ANPU_STRUCTURE
#define ANPU_STRUCTURE
/* A structure, or a pointer to one, from a caller: how many bytes it has (0: not known), and where they are */
template <class T> struct anpu_structure {{
	enum {{ bytes = sizeof(T) }};
	static void *at(T &value) {{ return &value; }}
}};
template <class T> struct anpu_structure<T *> {{
	enum {{ bytes = sizeof(T) }};
	static void *at(T *pointer) {{ return const_cast<void *>(static_cast<const void *>(pointer)); }}
}};
template <> struct anpu_structure<void *> {{
	enum {{ bytes = 0 }};
	static void *at(void *pointer) {{ return pointer; }}
}};
template <> struct anpu_structure<uint8_t *> : anpu_structure<void *> {{}};
#endif
{template}
inline uint32_t aclrtlaunch_{symbol}({params})
{{
	{asserts}
	void *args[] = {{ {values} }};

	return anpulaunch_{symbol}(blockDim, stream, args);
}}
#else
#error "kernel {symbol} takes a structure by value, which C cannot declare here: anpucc --launcher-include=HEADER names its header"
#endif
"""

BY_ADDRESS = """
#ifdef __cplusplus
extern "C"
#endif
{prototype}
{{
	aclrtFuncHandle func;
	aclError err = anpu_module_find(&module, {number}, &func);

	return (uint32_t)(err ? err : aclrtLaunchKernelWithArgsArray(func, blockDim, stream, NULL, args));
}}
"""


def is_structure(param):
    return not param.pointer and bool(re.match(r"(struct|union) anpu_t\d", param.declaration))


def by_address(kernel, includes):
    """Whether the launcher takes the arguments' addresses: no header is given that declares its structures."""
    return not includes and any(is_structure(p) for p in kernel.params)


def wrapper(kernel, includes):
    """C++'s function in front of a launcher that takes addresses."""
    if not by_address(kernel, includes):
        return ""
    names, params, types, asserts, values = parameter_names(kernel), ["uint32_t blockDim", "aclrtStream stream"], [], [], []
    for param, name in zip(kernel.params, names):
        if is_structure(param):
            given = f"anpu_T{len(types)}"
            types.append(f"class {given}")
            params.append(f"{given} {name}")
            asserts.append(f"static_assert(anpu_structure<{given}>::bytes == {param.size} || anpu_structure<{given}>::bytes == 0,\n\t\t"
                           f'"argument {name} is the structure {param.text} of {param.size} bytes, or a pointer to one");')
            values.append(f"anpu_structure<{given}>::at({name})")
        else:
            params.append(host_type(kernel, param, includes) + name)
            values.append("&" + name)
    return WRAPPER.format(template=f"template <{', '.join(types)}>", symbol=kernel.symbol, params=", ".join(params),
                          asserts="\n\t".join(asserts), values=", ".join(values))


def host_type(kernel, param, includes):
    """How a parameter is declared for the host."""
    if param.pointer:
        return "void *"
    if param.declaration in ("_Float16", "long double") or param.declaration.startswith("_Complex"):
        if param.declaration == "_Float16":
            return "aclFloat16 "
        raise OperatorError(f"parameter '{param.name}' of kernel '{kernel.symbol}' ({kernel.where}) has type "
                            f"'{param.text}', which the host's C and C++ do not share; pass a pointer")
    if is_structure(param):
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
    if by_address(kernel, includes):
        for param in kernel.params:
            host_type(kernel, param, includes)
        return f"uint32_t anpulaunch_{kernel.symbol}(uint32_t blockDim, aclrtStream stream, void **args)"
    params = [host_type(kernel, p, includes) + name
              for p, name in zip(kernel.params, parameter_names(kernel))]
    return (f"uint32_t aclrtlaunch_{kernel.symbol}(" +
            ", ".join(["uint32_t blockDim", "aclrtStream stream"] + params) + ")")


def function(number, kernel, includes):
    if by_address(kernel, includes):
        return BY_ADDRESS.format(prototype=prototype(kernel, includes), number=number)
    names = parameter_names(kernel)
    values = ", ".join("&" + name for name in names)
    return FUNCTION.format(prototype=prototype(kernel, includes), number=number,
                           args=f"void *args[] = {{ {values} }};" if names else "/* no arguments */",
                           pass_="args" if names else "NULL")


def launched(kernels):
    """The kernels that a host program names: the two halves of a MIX kernel are one, of the name without their endings."""
    symbols, out = {kernel.symbol for kernel in kernels}, []
    for kernel in kernels:
        if kernel.symbol.endswith(CUBE_HALF) and kernel.symbol[:-len(CUBE_HALF)] + VECTOR_HALF in symbols:
            kernel = copy.copy(kernel)
            kernel.symbol = kernel.symbol[:-len(CUBE_HALF)]
        elif kernel.symbol.endswith(VECTOR_HALF) and kernel.symbol[:-len(VECTOR_HALF)] + CUBE_HALF in symbols:
            continue
        out.append(kernel)
    return out


def check_launchers(kernels, opts):
    """Refuses what has no launcher, before anything is written."""
    for kernel in launched(kernels):
        prototype(kernel, opts.launcher_includes)


def write_launchers(kernels, opts):
    """The headers and the source into opts.launchers."""
    os.makedirs(opts.launchers, exist_ok=True)
    kernels = launched(kernels)
    includes = "".join(f'#include "{name}"\n' for name in opts.launcher_includes)
    for kernel in kernels:
        text = HEADER.format(symbol=kernel.symbol, where=kernel.where, includes=includes,
                             prototype=prototype(kernel, includes), wrapper=wrapper(kernel, includes))
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
        includes="\n".join(["#include <stdint.h>", "#include <acl/acl.h>"] + [
            f'#ifdef __cplusplus\nextern "C"\n#endif\n{prototype(k, includes)};' if by_address(k, includes) else f'#include "aclrtlaunch_{k.symbol}.h"'
            for k in kernels]), image="\n".join(rows),
        names=", ".join(f'"{k.symbol}"' for k in kernels),
        functions="".join(function(i, k, includes) for i, k in enumerate(kernels)))
    base = os.path.splitext(os.path.basename(opts.output))[0]
    write(os.path.join(opts.launchers, f"{base}_launchers.c"), text)


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
