# SPDX-License-Identifier: MIT
"""The device's sources for one version of QEMU: what anpu_compat.h asks is answered, and the file itself goes.

usage: qemu_compat.py TREE DIRECTORY    DIRECTORY has anpu_compat.h and what includes it; TREE is QEMU's source
"""
import pathlib
import re
import sys

CONDITION = re.compile(r"#\s*(ifdef|ifndef|if|else|endif)\b(.*)")
DEFINE = re.compile(r"#define (\w+)(?:\(([\w, ]*)\))?(?:[ \t]+(.*))?$")


def holds(kind, text, tree, version):
    """Whether a condition of anpu_compat.h holds for this tree"""
    if kind == "ifndef":  # the guard of the file
        return True
    if kind == "ifdef":
        return any(re.search(rf"#define {text.strip()}\b", header.read_text(errors="replace"))
                   for header in (tree / "include").rglob("qdev-properties.h"))
    text = re.sub(r'__has_include\("([^"]*)"\)', lambda m: str((tree / "include" / m[1]).exists()), text)
    text = re.sub(r"ANPU_QEMU\((\d+), (\d+)\)", lambda m: str(version >= (int(m[1]), int(m[2]))), text)
    return bool(eval(text.replace("!", " not "), {}))


def resolve(lines, tree, version):
    """The includes, and the macros as name: (parameters, body)"""
    includes, macros, taken = [], {}, []
    for line in lines:
        condition = CONDITION.match(line)
        if condition and condition[1] == "else":
            taken[-1] = not taken[-1]
        elif condition and condition[1] == "endif":
            taken.pop()
        elif condition:
            taken.append(holds(condition[1], condition[2], tree, version))
        elif all(taken) and line.startswith("#include"):
            includes.append(line)
        elif all(taken) and (macro := DEFINE.match(line)) and macro[1] not in ("HW_MISC_ANPU_COMPAT_H", "ANPU_QEMU"):
            macros[macro[1]] = (macro[2], macro[3] or "")
    return includes, macros


def expand(text, macros):
    """Without the macros; a line that becomes empty goes"""
    for name, (parameters, body) in macros.items():
        if parameters is None:
            if not body:
                text = re.sub(rf"^\s*{name}\n", "", text, flags=re.M)
            text = re.sub(rf"\b{name}\b ?" if not body else rf"\b{name}\b", body, text)
            continue
        names = [n.strip() for n in parameters.split(",")]
        call = rf"\b{name}\(" + ", ".join([r"([^,()]*)"] * len(names)) + r"\)"

        def replaced(match, names=names, body=body):
            for i, one in enumerate(names):
                body = re.sub(rf"\(?\b{one}\b\)?", match[i + 1], body)
            return body.removeprefix("(").removesuffix(")") if body.startswith("(") else body

        text = re.sub(call, replaced, text)
    return text


def main():
    tree, folder = map(pathlib.Path, sys.argv[1:])
    version = tuple(map(int, (tree / "VERSION").read_text().split(".")[:2]))
    compat = folder / "anpu_compat.h"
    lines = compat.read_text().replace("\\\n", " ").splitlines()
    includes, macros = resolve(lines, tree, version)
    compat.unlink()
    for path in sorted(folder.glob("anpu_*.[ch]")):
        text = path.read_text().replace('#include "anpu_compat.h"', "\n".join(includes))
        path.write_text(expand(text, macros))


main()
