#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Everything that is derived from lib/cuda/api.list, the one table of the driver-API front.

  gen.py header    include/cuda/cuda.h
  gen.py code      what is not built, variants for streams of threads, the table of cuGetProcAddress() (C)
  gen.py map       linker version script: exactly the API is exported
  gen.py symbols   exported symbols, one per line
  gen.py page      the table in Documentation/cuda.md, written in its place
"""

import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
STATES = {"built": "built", "-": "refused"}
VARIANTS = ("-", "ptsz", "ptds")
CHAPTERS = {
    "start": "Start", "device": "Devices", "context": "Contexts", "module": "Modules, libraries, kernels",
    "function": "Functions", "memory": "Memory", "copy": "Copies and fills", "stream": "Streams", "event": "Events",
    "launch": "Launches", "occupancy": "Occupancy", "graph": "Graphs", "misc": "Other",
    "array": "Arrays, textures, surfaces", "outside": "Memory and semaphores of other APIs",
    "part": "Parts of a device, several devices at one address",
}
# Why functions of a chapter are refused, and what to do instead
REASONS = {
    "array": "this device has no arrays, textures, surfaces and tensor maps: keep the data in memory of cuMemAlloc(), "
             "and let kernels compute the addresses",
    "outside": "no other API shares memory or semaphores with this device",
    "part": "this device is used as a whole, and each device has its own memory",
    "graph": "graphs here have no conditions and no semaphores",
}


class Row:
    def __init__(self, line):
        fields = line.split("\t")
        if len(fields) != 7:
            raise SystemExit("api.list: %d fields instead of 7: %s" % (len(fields), line))
        self.name, self.category, self.state, self.suffix, self.variant, self.arguments, self.meaning = fields
        if self.state not in STATES or self.variant not in VARIANTS or self.category not in CHAPTERS:
            raise SystemExit("api.list: unknown state, variant or category: " + line)
        self.form, suffix, self.since = re.fullmatch(r"([-+=]?)(\w*)(?:@(\d+))?", self.suffix).groups()
        self.suffix = suffix
        self.symbol = self.name + suffix
        self.since = int(self.since or 0)

    def is_old(self):
        """Exported for programs that look the name up; cuda.h has a newer form."""
        return self.form in ("-", "=")

    def variant_symbol(self):
        return None if self.variant == "-" else "%s_%s" % (self.symbol, self.variant)

    def argument_names(self):
        if self.arguments == "void":
            return []
        return [re.search(r"(\w+)$", a.strip())[1] for a in self.arguments.split(",")]


def read_list():
    with open(os.path.join(HERE, "api.list"), encoding="utf-8") as f:
        rows = [Row(l.rstrip("\n")) for l in f if l.strip() and not l.startswith("#")]
    symbols = [r.symbol for r in rows]
    double = sorted({s for s in symbols if symbols.count(s) > 1})
    if double:
        raise SystemExit("api.list: more than one line for " + ", ".join(double))
    return rows


def wrapped(head, arguments, width=100):
    """A declaration, broken between arguments, with tabs of 8."""
    lines, line = [], head + "("
    parts = arguments.split(", ")
    for i, part in enumerate(parts):
        part += ", " if i + 1 < len(parts) else ")"
        if len(line.expandtabs(8).rstrip()) + len(part.rstrip()) > width:
            lines.append(line.rstrip())
            line = "\t\t"
        line += part
    return "\n".join(lines + [line])


HEAD = """/* SPDX-License-Identifier: MIT */
/*
 * The driver-API front of libacl: CUDA's names and numbers over libacl's devices, memory, streams and events.
 * Documentation/cuda.md says what is different.
 *
 * Made by lib/cuda/gen.py from lib/cuda/api.list: change the list.
 */
#ifndef ANPU_CUDA_H
#define ANPU_CUDA_H

/* Programs and other headers look at this name to know that the header was included */
#ifndef __cuda_cuda_h__
#define __cuda_cuda_h__
#endif

#include <stdlib.h> /* programs take exit() and malloc() from this header */

#include "cuda_types.h"
#include "cuda_outside.h"

/* 1000 * major + 10 * minor: what cuDriverGetVersion() tells */
#define CUDA_VERSION 12040
"""

BEFORE = """
#ifdef __cplusplus
extern "C" {
#endif"""

TAIL = """
#ifdef __cplusplus
}
#endif

#include "cuda_newer.h"

#endif /* ANPU_CUDA_H */"""


def defines(rows, guard):
    """Names that the preprocessor turns into symbols."""
    last = {r.name: r for r in rows if not r.form}
    named = [r for r in rows if guard and r.form == "+" and r.variant_symbol()]
    for r in named:
        print("#define %s %s" % (r.symbol, r.variant_symbol()))
    for r in last.values():
        if guard and r.variant != "-":
            print("#define %s %s" % (r.name, r.variant_symbol()))
        elif not guard and r.suffix and r.variant == "-":
            print("#define %s %s" % (r.name, r.symbol))
        elif not guard and r.suffix:
            print("#ifndef %s\n#define %s %s\n#endif" % (r.name, r.name, r.symbol))


def header(rows):
    print(HEAD)
    print("/* Programs that are compiled with this name mean the calling thread's stream by stream 0 */")
    print("#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM")
    defines(rows, True)
    print("#endif\n")
    print("/* Functions whose symbols have a version */")
    defines(rows, False)
    print(BEFORE)
    category = None
    for r in rows:
        if r.is_old():
            continue
        if r.category != category:
            category = r.category
            print("\n/* %s */" % (CHAPTERS[category] + " " + "-" * (92 - len(CHAPTERS[category]))))
        print("\n/* %s%s%s */" % (r.meaning[0].upper(), r.meaning[1:], " (refused)" if r.state == "-" else ""))
        print(wrapped("CUresult CUDAAPI " + r.symbol, r.arguments) + ";")
        if r.variant_symbol():
            print(wrapped("CUresult CUDAAPI " + r.variant_symbol(), r.arguments) + ";")
    print(TAIL)


def refuse(r):
    """A function that is not built."""
    if r.is_old():
        print("\n" + wrapped("CUresult " + r.symbol, r.arguments) + ";", end="")
    print("\n" + wrapped("CUresult " + r.symbol, r.arguments) + "\n{")
    for n in r.argument_names():
        print("\t(void)%s;" % n)
    reason = REASONS.get(r.category)
    print('\treturn cu_unbuilt("%s", %s);\n}' % (r.symbol, '"%s"' % reason if reason else "NULL"))


def code(rows):
    print("/* SPDX-License-Identifier: MIT */")
    print("/* Made by lib/cuda/gen.py from lib/cuda/api.list. */")
    print('#include "cuda/core/core.h"\n\n#pragma GCC visibility push(default)')
    for r in rows:
        if r.state == "-":
            refuse(r)
    for r in rows:
        if r.variant_symbol():
            if r.is_old():
                print("\n#undef %s\n%s;" % (r.symbol, wrapped("CUresult " + r.symbol, r.arguments)), end="")
                print("\n" + wrapped("CUresult " + r.variant_symbol(), r.arguments) + ";", end="")
            print("\n" + wrapped("CUresult " + r.variant_symbol(), r.arguments) + "\n{")
            print("\tbool before = cu_default_begin();")
            print("\tCUresult ret = %s(%s);\n" % (r.symbol, ", ".join(r.argument_names())))
            print("\tcu_default_end(before);\n\treturn ret;\n}")
    print("\n/* Old names: what is below is not declared in cuda.h */")
    newest = {r.name: r for r in rows if not r.form}
    for r in rows:
        if r.is_old():
            print("\n#undef %s\n%s;" % (r.name, wrapped("CUresult " + r.symbol, r.arguments)))
        if r.form == "=":
            print(wrapped("CUresult " + r.symbol, r.arguments) + "\n{")
            print("\treturn %s(%s);\n}" % (newest[r.name].symbol, ", ".join(r.argument_names())))
    print("\nconst struct cu_proc cu_procs[] = {")
    procs = [(r.name, r.since, r) for r in rows if r.form != "="]
    # a suffix that is no version makes another name
    procs += [(r.symbol, 0, r) for r in rows if r.suffix and not r.suffix.startswith("_v")]
    for name, since, r in sorted(procs, key=lambda p: p[:2]):
        print('\t{ "%s", %d, (void (*)(void))%s, %s },' % (
            name, since, r.symbol, "(void (*)(void))" + r.variant_symbol() if r.variant_symbol() else "NULL"))
    print("};\nconst unsigned int cu_proc_count = %d;" % len(procs))
    written = sorted((r.symbol, r.name) for r in rows if r.suffix.startswith("_") and r.form != "+")
    print("\nconst struct cu_word cu_symbols[] = {")
    for symbol, name in written:
        print('\t{ "%s", "%s" },' % (symbol, name))
    print("};\nconst unsigned int cu_symbol_count = %d;" % len(written))


def symbols_of(rows):
    for r in rows:
        yield r.symbol
        if r.variant_symbol():
            yield r.variant_symbol()


def version_script(rows):
    print("/* Made by lib/cuda/gen.py. No version node: programs link against plain names. */")
    print("{\nglobal:")
    for s in symbols_of(rows):
        print("\t%s;" % s)
    print("local:\n\t*;\n};")


def symbols(rows):
    print("\n".join(symbols_of(rows)))


def table(rows):
    same = [r.name for r in rows if r.form == "="]
    rows = [r for r in rows if r.form != "="]
    built = sum(r.state == "built" for r in rows)
    yield "%d functions, of which %d are built. The others answer `CUDA_ERROR_NOT_SUPPORTED` with a sentence." % (
        len(rows), built)
    yield "For programs that look names up, %s exist without their suffix, too." % ", ".join("`%s`" % n for n in same)
    category = None
    for r in rows:
        if r.category != category:
            category = r.category
            yield "\n### %s\n\n| function | state | what it does |\n|---|---|---|" % CHAPTERS[category]
        yield "| `%s` | %s | %s |" % (r.symbol, STATES[r.state], r.meaning)


def page(rows):
    path = os.path.join(TOP, "Documentation/cuda.md")
    with open(path, encoding="utf-8") as f:
        text = f.read()
    begin, end = "<!-- made by lib/cuda/gen.py: begin -->\n", "<!-- made by lib/cuda/gen.py: end -->\n"
    before, rest = text.split(begin)
    after = rest.split(end)[1]
    with open(path, "w", encoding="utf-8") as f:
        f.write(before + begin + "\n".join(table(rows)) + "\n" + end + after)


def main():
    modes = {"header": header, "code": code, "map": version_script, "symbols": symbols, "page": page}
    if len(sys.argv) != 2 or sys.argv[1] not in modes:
        raise SystemExit(__doc__)
    modes[sys.argv[1]](read_list())


if __name__ == "__main__":
    main()
