#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The table of names in Documentation/ascendc.md, from the headers in include/ascendc and the tests in tests/ascendc.

gen-ascendc.py          writes the table into the page
gen-ascendc.py check    says what differs between page, headers and the names that operators use; exit status 1 if so"""
import os
import re
import sys

TOP = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
HEADERS = os.path.join(TOP, "include", "ascendc")
TESTS = os.path.join(TOP, "tests", "ascendc")
PAGE = os.path.join(TOP, "Documentation", "ascendc.md")
BEGIN, END = "<!-- begin: made by lib/gen-ascendc.py -->\n", "<!-- end -->\n"
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
# The element types that the functions of a header take
TYPES = {
    "vector/binary.h": "half, float, bfloat16_t, integers of 8 to 64 bits",
    "vector/scalar.h": "half, float, bfloat16_t, integers of 8 to 64 bits",
    "vector/fused.h": "half, float; AddReluCast, SubReluCast also int16_t; Mull integers of 32 bits; Interleave, DeInterleave all",
    "vector/flexible.h": "half, float, bfloat16_t, integers of 8 to 64 bits", "vector/dequant.h": "int16_t to int8_t and uint8_t, int32_t to half",
    "vector/unary.h": "half, float, bfloat16_t; Abs, Neg, Relu also signed integers; Not, Duplicate, Copy all",
    "vector/cast.h": "all pairs of half, float, bfloat16_t and integers of 8 to 64 bits; int4b_t with half and int8_t; fp8 and hifloat8_t with half, float, bfloat16_t",
    "vector/compare.h": "half, float, bfloat16_t, integers of 8 to 64 bits; masks 16 bits and more",
    "vector/reduce.h": "half, float, bfloat16_t, integers of 16 to 64 bits",
    "vector/gather.h": "all but int4b_t", "vector/sort.h": "half, float", "vector/transpose.h": "8, 16, 32 bits",
    "move/copy.h": "all", "move/pad.h": "all but int4b_t", "move/dimensions.h": "all but int4b_t",
    "move/atomic.h": "all but int4b_t",
    "cube/mmad.h": "half, bfloat16_t, float to float; int8_t to int32_t", "cube/load.h": "8, 16, 32 bits",
    "cube/image.h": "8, 16, 32 bits",
    "cube/fixpipe.h": "float and int32_t to float, half, bfloat16_t, integers of 8 to 32 bits",
    "adv/matmul.h": "half, bfloat16_t, float, int8_t",
    "adv/logic.h": "logical functions and Where all; Bitwise... integers; others half, float, bfloat16_t",
    "adv/math.h": "half, float, bfloat16_t", "adv/rows.h": "half, float, bfloat16_t",
    "adv/transcendental.h": "half, float, bfloat16_t; Power also int32_t", "adv/norm.h": "half, float, bfloat16_t",
    "adv/reduce.h": "half, float, bfloat16_t, integers", "adv/quant.h": "half, float, bfloat16_t with int8_t and int32_t",
    "adv/quantize.h": "half, float, bfloat16_t with int8_t, int32_t and fp8", "adv/random.h": "uint32_t, int32_t, float",
    "adv/interpolate.h": "half",
    "adv/topk.h": "half, float", "adv/transdata.h": "16 bits",
    "adv/softmax.h": "half, float, bfloat16_t",
}
FAMILIES = re.compile(r"^ASCENDC_(?:BINARY|TERNARY|SCALAR|FUSED|FLEXIBLE|UNARY|ATOMIC|WHOLE_REDUCE|PART_REDUCE|MATH2?|CLAMP|PATTERN)\((\w+)", re.M)
REFUSED = re.compile(r"^ASCENDC_(?:REG_)?REFUSE(?:_TYPE)?\((\w+), \"([^\"]*)\"\)", re.M)
FUNCTION = re.compile(r"ASCENDC_FN\s+(?:constexpr\s+)?(?:[\w:<>*&,\s]+?[\s*&])?([A-Z]\w+|printf)\(")
KIND = re.compile(r"^(?:template\s*<[^;{]*?>\s*)?(class|struct|enum class|enum|using)\s+([A-Z]\w+|half|bfloat16_t|int4b_t|fp[48]\w+_t|hifloat8_t)\b", re.M)
MACRO = re.compile(r"^#define\s+([A-Z][A-Z_]*(?:TILING|KERNEL_T|ASCEND_IS|ASSERT|GM_ADDR|MATMUL)\w*|assert)\b", re.M)
CONSTANT = re.compile(r"^constexpr\s+[\w:]+\s+([A-Z]\w+)(?:\[\d\])?\s*=", re.M)


def names():
    """{name: (kind, header, why it is refused or "")} of all headers."""
    found = {}
    for folder, subs, files in os.walk(HEADERS):
        # names that tensors have, too, stand there
        subs.sort(key=lambda name: (name in ("reg", "simt"), name))
        for name in sorted(files):
            where = os.path.relpath(os.path.join(folder, name), HEADERS)
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                read(file.read(), where, found)
    return found


def read(text, where, found):
    for name, why in REFUSED.findall(text):
        found.setdefault(name, ("function", where, why))
    text = COMMENT.sub(" ", text)
    for part in text.split("namespace detail {"):
        for kind, name in KIND.findall(part):
            found.setdefault(name, ("type", where, ""))
    for pattern, kind in ((FAMILIES, "function"), (FUNCTION, "function"), (MACRO, "macro"), (CONSTANT, "constant")):
        for name in pattern.findall(text):
            if not name.startswith(("ASCENDC_", "Anpu")) or kind == "macro" and name.startswith("ASCENDC_ASSERT"):
                found.setdefault(name, (kind, where, ""))
    for name, why in re.findall(r"^namespace (MicroAPI|Reg|Simt) \{\s*ASCENDC_REFUSE(?:_TYPE)?\(\w+, \"([^\"]*)\"", text, re.M):
        found[name] = ("namespace", where, why)
    for name in re.findall(r"^namespace (MicroAPI|Reg|Simt) (?:\{$|=)", text, re.M):
        found.setdefault(name, ("namespace", where, ""))
    for name in re.findall(r"\bA?I[CV]\b|\bAI[CV]\b", " ".join(re.findall(r"enum AnpuCoreKind \{([^}]*)\}", text))):
        found.setdefault(name, ("constant", where, ""))


def tests_of():
    """{name: names of the tests that use it}."""
    used = {}
    for folder in ("api", "operators"):
        for name in sorted(os.listdir(os.path.join(TESTS, folder))):
            with open(os.path.join(TESTS, folder, name), encoding="utf-8") as file:
                for word in set(re.findall(r"\w+", COMMENT.sub(" ", file.read()))):
                    used.setdefault(word, []).append(os.path.splitext(name)[0])
    return used


def table():
    found, used = names(), tests_of()
    works = {n for n, (_, _, why) in found.items() if not why}
    tested = {n for n in works if n in used}
    lines = [f"{len(works)} names work, {len(tested)} of them in the tests here; {len(found) - len(works)} are refused when compiling.", "",
             "| name | what | header | elements | state, test |", "|---|---|---|---|---|"]
    for name, (kind, where, why) in sorted(found.items(), key=lambda i: i[0].lower()):
        where_used = ", ".join(used.get(name, [])[:3])
        state = f"refused: {why}" if why else f"works; {where_used}" if where_used else "works, no test of its own"
        types = TYPES.get(where, "") if kind == "function" and not why else ""
        lines.append(f"| {name} | {kind} | {where} | {types} | {state} |")
    return "\n".join(lines) + "\n"


def main():
    with open(PAGE, encoding="utf-8") as file:
        page = file.read()
    before, rest = page.split(BEGIN)
    old, after = rest.split(END)
    new = table()
    if sys.argv[1:] != ["check"]:
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write(before + BEGIN + new + END + after)
        return 0
    problems = [] if old == new else ["Documentation/ascendc.md is not what the headers say: run lib/gen-ascendc.py"]
    with open(os.path.join(TESTS, "names.txt"), encoding="utf-8") as file:
        wanted = [w for line in file if not line.startswith("#") for w in line.split()]
    found = names()
    problems += [f"{name} is neither built nor refused" for name in wanted if name not in found]
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
