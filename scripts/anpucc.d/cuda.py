# SPDX-License-Identifier: MIT
"""Sources NAME.cu: kernels with threads, in CUDA's words (include/anpu/cudart). What clang needs for them beyond C++."""
import json
import os
import re
import struct

from elftools.elf.elffile import ELFFile

from errors import OperatorError
from mix import folders_of, headers_of

# Shared variables are the block's thread-local ones: tp is the beginning of the unified buffer (isa-threads.md).
FLAGS = ["-fsigned-char", # which char is in the program of the host, too
         "-ftls-model=local-exec", "-fdeclspec", "-Wno-unused-function",
         "-Wno-unknown-attributes", "-Wno-duplicate-decl-specifier",
         # functions of <math.h> in constexpr ones, which other compilers evaluate
         "-Wno-invalid-constexpr"]
MAX_THREADS = 1024
# For a source that is preprocessed before it is rewritten: words that stay, and what they mean behind that
KEEP, KEPT = ["-DANPU_KEEP_WORDS"], ["-D__shared__=static __thread", "-D__align__(n)=__attribute__((aligned(n)))"]
QUOTED = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'', re.S)
# words that may have arguments in brackets, as those of __attribute__((aligned(16)))
WORDS = r'(?:[^;{}()"]|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))*?'
DYNAMIC = re.compile(r'\bextern\b(' + WORDS + r'\b__shared__\b' + WORDS + r')\b(\w+)\s*\[\s*\]\s*;', re.S)
CLUSTER = re.compile(r'\b__cluster_dims__\s*\(')
ALIGNMENT = re.compile(r'\b__align__\s*\([^()]*\)|\balignas\s*\([^()]*\)|__attribute__\s*\(\([^()]*(?:\([^()]*\))?\)\)')


def is_cuda(source):
    return source.endswith((".cu", ".asc.cu"))


def include_flags(include):
    return ["-isystem", os.path.join(include, "anpu", "cudart")]


def first_header():
    return ["-include", "anpu/cudart/cuda_runtime.h"]


def is_toolkit(folder):
    """Whether a folder has CUDA's headers for the host, as that of -I$(CUDA_PATH)/include in a Makefile, or those of its C library."""
    return any(os.path.exists(os.path.join(folder, name)) for name in ("cuda.h", "cuda_runtime.h", "features.h"))


def behind(options):
    """Options that search folders of CUDA's headers for the host behind all others: those for kernels have the same names."""
    out, at = [], 0
    while at < len(options):
        option, at = options[at], at + 1
        if option in ("-I", "-isystem") and at < len(options):
            folder, at = options[at], at + 1
            out += ["-idirafter", folder] if is_toolkit(folder) else [option, folder]
        elif option.startswith("-I") and is_toolkit(option[2:]):
            out += ["-idirafter", option[2:]]
        else:
            out.append(option)
    return out


def environment():
    """Takes such folders out of CPATH, which clang searches in front of its own; the options for them."""
    folders = os.environ.get("CPATH", "").split(":")
    late = [folder for folder in folders if folder and is_toolkit(folder)]
    if late:
        os.environ["CPATH"] = ":".join(folder for folder in folders if folder not in late)
    return [word for folder in late for word in ("-idirafter", folder)]


def blanked(text):
    """text with comments and strings as blanks, of the same length."""
    return QUOTED.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)


def in_function(plain, at):
    """Is that place of a text without comments and strings inside of a function: between the brackets behind a ')'."""
    before = []
    for found in re.finditer(r"[{}]", plain[:at]):
        if found.group() == "{":
            before.append(re.search(r"\)\s*(const|noexcept|mutable)?\s*$", plain[max(0, found.start() - 200):found.start()]))
        elif before:
            before.pop()
    return any(before)


def dynamic_shared(text):
    """Replaces 'extern __shared__ T name[];', an array whose place is known when the kernel runs."""
    out, at, names, plain = [], 0, set(), blanked(text)
    for found in DYNAMIC.finditer(plain):
        words = ALIGNMENT.sub(" ", found.group(1))
        kind = " ".join(re.sub(r"\b__shared__\b", " ", words).split())
        lines, name = "\n" * found.group().count("\n"), found.group(2)
        if in_function(plain, found.start()):
            new = f"[[maybe_unused]] {kind} *const {name} = anpu_dynamic_shared<{kind}>::at();{lines}"
        else:
            new = f"static constexpr anpu_dynamic_shared<{kind}> {name}{{}};{lines}"
            names.add(name)
        out += [text[at:found.start()], new]
        at = found.end()
    return decayed("".join(out + [text[at:]]), names)


def decayed(text, names):
    """Casts of such arrays outside of functions, which are objects: the operator + makes them pointers, as arrays become."""
    if not names:
        return text
    cast = re.compile(r"\b(?:reinterpret|static|const)_cast\s*<[^;(){}]*>\s*\(\s*(?=(?:" + "|".join(names) + r")\b(?!\s*\[))")
    places = [m.end() for m in cast.finditer(blanked(text))]
    for place in reversed(places):
        text = text[:place] + "+" + text[place:]
    return text


def aligned_shared(text):
    """'__shared__ alignas(n) T v' has the words in an order that C++ refuses once __shared__ is a storage class."""
    places = list(re.finditer(r"\b__shared__(\s+)(alignas\s*\((?:[^()]|\([^()]*\))*\))", blanked(text)))
    for found in reversed(places):
        text = text[:found.start()] + found.group(2) + found.group(1) + "__shared__" + text[found.end():]
    return text


def closing(text, at):
    """The place behind the bracket that closes the one in front of at, or the end of the text."""
    depth = 1
    while at < len(text) and depth:
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        at += 1
    return at


def cluster_dims(text, said="ANPU_CLUSTER_DIMS({});"):
    """Moves '__cluster_dims__(x, y, z)' into the body of its kernel, which says what the attribute does, in the form of said."""
    plain, out, at = blanked(text), [], 0
    for found in CLUSTER.finditer(plain):
        end = closing(plain, found.end())
        bracket = plain.find("(", end)
        # other attributes with arguments may stand between it and the parameters
        while bracket >= 0 and re.search(r'\b(__launch_bounds__|__attribute__|__align__)\s*$', plain[end:bracket]):
            bracket = plain.find("(", closing(plain, bracket + 1))
        body = re.compile(r'\s*\{').match(plain, closing(plain, bracket + 1)) if bracket >= 0 else None
        if body and not plain[:found.start()].rstrip().endswith("define"):
            lines = "\n" * text[found.start():end].count("\n")
            out += [text[at:found.start()], lines, text[end:body.end()], " " + said.format(text[found.end():end - 1]).replace("\n", " ")]
            at = body.end()
    return "".join(out + [text[at:]])


def static_kernels(text):
    """Kernels are found by programs, also those that are 'static', which means in CUDA that other files may have one of that name."""
    plain, out, at = blanked(text), [], 0
    for found in re.finditer(r"\bstatic\b(?=\s+(?:(?:inline|__inline__|__forceinline__|void)\s+)*__global__\b)|"
                             r"(?<=\b__global__)\s+static\b", plain):
        out += [text[at:found.start()], re.sub(r"\S", " ", found.group())]
        at = found.end()
    return "".join(out) + text[at:]


NAMELESS = re.compile(r"\bnamespace\s*$")


def around(plain, at):
    """What stands in front of each bracket that is open at that place of a text without comments and strings, the outermost first."""
    heads = []
    for found in re.finditer(r"[{}]", plain[:at]):
        if found.group() == "{":
            heads.append(re.split(r"[;{}]", plain[max(0, found.start() - 300):found.start()])[-1])
        elif heads:
            heads.pop()
    return heads


def static_variables(text):
    """__device__ variables that are static or in a namespace without a name are written by programs, so the compiler must not take them
    for constants that nobody writes; __constant__ says so itself."""
    plain = ALIGNMENT.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), blanked(text))
    nameless = re.search(r"\bnamespace\s*\{", plain)
    out, at = [], 0
    for found in re.finditer(r"\b__device__\b", plain):
        begin = max(plain.rfind(c, 0, found.start()) for c in ";{}") + 1
        end = re.compile(r"[;={(\[]").search(plain, found.end())
        words = plain[begin:end.start()] if end else ""
        static = re.search(r"\bstatic\b", words)
        if not end or end.group() == "(" or re.search(r"\b(constexpr|struct|class|extern|using|typedef)\b", words) or not (static or nameless):
            continue
        heads = around(plain, found.start())
        inside = heads and re.search(r"\b(struct|class|union)\b", heads[-1])  # a member is declared there, and defined elsewhere
        if not inside and (static or any(NAMELESS.search(head) for head in heads)):
            out += [text[at:found.end()], " __attribute__((used))"]
            at = found.end()
    return "".join(out) + text[at:]


def overlay(source, options, tmp, number):
    """Options by which clang reads copies of the source's own headers that have such variables, under the headers' names."""
    copies = []
    for header, text in headers_of(source, folders_of(options), {}).items():
        changed = static_variables(text)
        if changed == text:
            continue
        copy = os.path.join(tmp, f"{number}-header{len(copies)}")
        with open(copy, "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write(changed)
        copies.append({"name": header, "type": "file", "external-contents": copy})
    if not copies:
        return []
    path = os.path.join(tmp, f"{number}-headers.yaml")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"version": 0, "use-external-names": "false", "roots": copies}, file)
    return ["-ivfsoverlay", path]


def rewrite(source, given, copy):
    """Writes copy: the source, or given which has been made of it, in words that clang knows."""
    with open(given, encoding="utf-8", errors="surrogateescape") as file:
        text = file.read()
    first = "" if given != source else f'#line 1 "{source}"\n'
    with open(copy, "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write(first + cluster_dims(aligned_shared(dynamic_shared(static_kernels(static_variables(text))))))
    return copy


def kept_words(text):
    """Whether messages of clang are about a word that rewrite() has to change, and which is in a header or in a macro."""
    return bool(re.search(r"cannot combine with previous 'extern' declaration specifier|anpu_cluster_dims_of_a_header|"
                          r"an attribute list cannot appear here", text))


def rewrite_expanded(path, copy):
    """The same as rewrite() for a preprocessed source that has been made with KEEP."""
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        text = file.read()
    with open(copy, "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write(cluster_dims(aligned_shared(dynamic_shared(static_kernels(text))), "{}"))


def assembly_errors(source, text):
    """Explains clang's messages about PTX in asm statements, which it takes for RISC-V's instructions."""
    found = re.search(r"^(\S+?:\d+):\d+: error: (?:[^\n]*\n){3}<inline asm>|"
                      r"^(\S+?:\d+):\d+: error: invalid (?:(?:input|output) constraint|% escape in inline assembly)", text, re.M)
    if is_cuda(source) and found:
        where = found.group(1) or found.group(2)
        raise OperatorError(f"{where}: the instructions of an asm statement are those of the AI core (RISC-V), and PTX is not "
                            f"compiled: say it in C++, where barriers, warps, atomics and fences have functions")


def shared_size(image):
    """Bytes of static shared variables of a linked image."""
    with open(image, "rb") as file:
        for segment in ELFFile(file).iter_segments():
            if segment["p_type"] != "PT_TLS":
                continue
            if segment["p_filesz"]:
                raise OperatorError("a __shared__ variable has an initial value, but shared memory has none when a "
                                    "block begins: assign it in the kernel, by one thread, before __syncthreads()")
            return segment["p_memsz"]
    return 0


def set_records(kernels, image, isa):
    """The records that tell a launcher of threads and shared memory."""
    size = shared_size(image)
    limit = isa.constant("ANPU_UB_SIZE")
    if size > limit:
        raise OperatorError(f"the __shared__ variables take {size} bytes, a block has {limit}")
    for kernel in kernels:
        kernel.records.setdefault(isa.meta("THREADS"), struct.pack("<I", MAX_THREADS))
        kernel.records[isa.meta("SHARED_SIZE")] = struct.pack("<I", size)
