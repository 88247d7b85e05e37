# SPDX-License-Identifier: MIT
"""Sources with kernel<<<blocks, nullptr, stream>>>(...): such a call is the host's. For the AI core it is
taken out; for the host (--host=FILE) clang compiles the source as it does CUDA's, with the operator embedded."""
import os
import re
import shutil
import struct
import subprocess

from errors import OperatorError
from isa import include_dir

HERE = os.path.join(os.path.dirname(os.path.realpath(__file__)), "host")
# Comments and strings, which may contain anything; then what begins and ends the angle brackets of a call, which formatters that do
# not know them write with a space: << <blocks, nullptr, stream>> >(...).
TOKENS = re.compile(r'//[^\n]*|/\*.*?\*/|R"([^ ()\\]{0,16})\(.*?\)\1"|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|'
                    r'<<\s*<|>>\s*>\s*\(|[()]', re.S)
LOCAL = ["__cudaRegisterFatBinary", "__cudaRegisterFatBinaryEnd", "__cudaUnregisterFatBinary",
         "__cudaRegisterFunction", "__cudaPushCallConfiguration", "__cudaPopCallConfiguration",
         "cudaLaunchKernel", "anpu_launched"]
STUB = "__device_stub__"
# In code for the AI core a call does nothing, but names the kernel, so that a template is instantiated.
NO_CALL = ("template <class... A> struct anpu_no_call { template <class... B> int operator()(B &&...) { return 0; } }; "
           "template <class... A> anpu_no_call<A...> anpu_host_calls(A &&...) { return {}; }\n")


def find_calls(text):
    """Where calls of kernels are: lists of four places, the kernel's name, <<< and >>>( as pairs of begin and end, and the last )."""
    found, level, calls = [], 0, []
    for token in TOKENS.finditer(text):
        word = token.group()
        if word.startswith("<<"):
            name = re.search(r"[A-Za-z_](?:[\w:]|\s*##\s*)*\s*(?:<[^;{}]*>)?\s*$", text[:token.start()][-400:])
            if name:
                start = max(0, token.start() - 400) + name.start()
                calls.append((level, [start, token.span()]))
        elif word.startswith(">>") and calls and calls[-1][0] == level and len(calls[-1][1]) == 2:
            calls[-1][1].append(token.span())
            level += 1
        elif word == "(":
            level += 1
        elif word == ")":
            level -= 1
            if calls and calls[-1][0] == level and len(calls[-1][1]) == 3:
                found.append(calls.pop()[1] + [token.start()])
    return sorted(found)


def has_calls(path):
    """Does the source call kernels in that form?"""
    with open(path, encoding="utf-8", errors="replace") as file:
        return bool(find_calls(file.read()))


def rewrite(source, copy, device):
    """A copy of the source without such calls, for the AI core, or with their result, for the host. Lines stay
    where they are."""
    with open(source, encoding="utf-8", errors="surrogateescape") as file:
        text = file.read()
    changes = []
    for start, opens, closes, end in find_calls(text):
        if device:
            name = text[start:opens[0]].strip()
            changes += [(start, opens[1], f"anpu_host_calls({name}, "), (*closes, ")(")]
        else:
            changes += [(start, start, "("), (*opens, "<<<"), (*closes, ">>>("), (end + 1, end + 1, ", anpu_launched())")]
    out, at = [(NO_CALL if device else "") + f'#line 1 "{source}"\n'], 0
    for start, end, new in sorted(changes):
        out += [text[at:start], new]
        at = end
    with open(copy, "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write("".join(out + [text[at:]]))


def host_object(tools, opts, tmp):
    """Writes opts.host: the sources' host code, the operator, and what launches it."""
    from toolchain import find
    ld = shutil.which("ld") or find("ANPUCC_LLD", "ld.lld", "lld")
    objcopy = shutil.which("objcopy")
    if not objcopy:
        raise OperatorError("objcopy was not found, which --host needs; install it with: apt-get install binutils")
    image = os.path.join(tmp, "image")
    with open(opts.output, "rb") as file:
        data = file.read()
    with open(image, "wb") as file:
        file.write(struct.pack("<QQ", len(data), 0) + data)
    host = os.path.join(tmp, "host.o")
    source = opts.sources[0]
    if not has_calls(source) and not opts.cpu_mode:
        empty = os.path.join(tmp, "empty.c")
        with open(empty, "w", encoding="utf-8") as file:
            file.write("extern int anpu_no_host_code;\n")
        run([tools.clang, "-fPIC", "-c", empty, "-o", opts.host], source)
        return
    command = [tools.clang, "-x", "cuda", "--cuda-host-only", "-nocudainc", "-nocudalib",
               "-Wno-unknown-cuda-version", "-Wno-unused-command-line-argument", "-fPIC", opts.optimise,
               "-Xclang", "-fcuda-include-gpubinary", "-Xclang", image, "-Xclang", "-target-sdk-version=11.0",
               "-Xclang", "-fcuda-allow-variadic-functions",
               # clang's own wrappers of <algorithm>, <new> and <complex> need CUDA's headers
               "-nobuiltininc", "-isystem", os.path.join(resource_dir(tools), "include"),
               "-include", os.path.join(HERE, "launch.h"), "-idirafter", include_dir(),
               "-idirafter", os.path.join(include_dir(), "ascendc")]
    if not any(o.startswith("-std=") for o in opts.compiler):
        command.append("-std=c++17")
    copy = os.path.join(tmp, "host.cpp")
    rewrite(source, copy, False)
    run(command + opts.compiler + ["-iquote", os.path.dirname(source) or ".", "-c", copy, "-o", host], source)
    launch = os.path.join(tmp, "launch.o")
    mode = ["-DANPU_CPU_MODE"] if opts.cpu_mode else []
    run([tools.clang, *mode, "-fPIC", "-O2", "-Wall", "-Wextra", "-fno-builtin", "-I", HERE,
         "-I", include_dir(), "-c", os.path.join(HERE, "launch.c"), "-o", launch], source)
    both = os.path.join(tmp, "both.o")
    run([ld, "-r", "-o", both, host, launch], source)
    if opts.cpu_mode:
        functions_of_kernels(objcopy, both, source)
    run([objcopy] + [f"--localize-symbol={name}" for name in LOCAL] + [both, opts.host], source)


def functions_of_kernels(objcopy, path, source):
    """Gives the functions that launch kernels the kernels' own names, so that other files can call them: clang's have
    __device_stub__ in front of the name, which counts in the length that C++ writes before it."""
    from elftools.elf.elffile import ELFFile
    names = []
    with open(path, "rb") as file:
        for symbol in ELFFile(file).get_section_by_name(".symtab").iter_symbols():
            if STUB in symbol.name and symbol["st_shndx"] != "SHN_UNDEF":
                plain = re.sub(rf"(\d+){STUB}", lambda m: str(int(m.group(1)) - len(STUB)), symbol.name)
                names.append(f"--redefine-sym={symbol.name}={plain.replace(STUB, '')}")
    if names:
        run([objcopy, *names, path], source)


def resource_dir(tools):
    """Where clang has the headers that belong to it, like stddef.h."""
    return subprocess.run([tools.clang, "-print-resource-dir"], check=True, stdout=subprocess.PIPE,
                          encoding="utf-8").stdout.strip()


def run(command, source):
    if subprocess.run(command, check=False).returncode:
        raise OperatorError(f"the host's part of '{source}' cannot be compiled, see the messages above")
