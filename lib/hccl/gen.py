#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Everything that is derived from lib/hccl/api.list, the one table of hccl/hccl.h.

  gen.py unbuilt    definitions of the functions that are not built (C)
  gen.py map        linker version script: exactly the API is exported
  gen.py redeclare  every prototype of the list, for a compiler to compare with the header
  gen.py names      names, one per line
  gen.py exports    the same and what the library has in addition
  gen.py page       Documentation/hccl.md with its table made anew, in place
"""

import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
PAGE = os.path.join(TOP, "Documentation/hccl.md")
BEGIN = "<!-- Made by lib/hccl/gen.py from lib/hccl/api.list and tests/hccl: `make -C lib/hccl page` -->\n"
END = "<!-- End of what lib/hccl/gen.py made -->\n"
NEVER = "no: "
# Functions that the header defines; the library has them for programs that find them by dlsym()
INLINE = ["HcclCommConfigInit"]


class Function:
    def __init__(self, line):
        fields = line.split("\t")
        if len(fields) != 5:
            raise SystemExit("api.list: %d fields instead of 5: %s" % (len(fields), line))
        self.name, self.category, self.state, self.prototype, self.meaning = fields
        self.reason = self.state[len(NEVER):] if self.state.startswith(NEVER) else None
        if self.state != "built" and not self.reason:
            raise SystemExit("api.list: unknown state '%s' of %s" % (self.state, self.name))
        match = re.match(r"(.*?)" + self.name + r"\((.*)\)$", self.prototype)
        if not match:
            raise SystemExit("api.list: the prototype of %s does not name it" % self.name)
        self.arguments = match[2]

    def argument_names(self):
        return [re.search(r"(\w+)$", a.strip())[1] for a in self.arguments.split(",") if a != "void"]


def read_list():
    with open(os.path.join(HERE, "api.list"), encoding="utf-8") as f:
        rows = [Function(l.rstrip("\n")) for l in f if l.strip() and not l.startswith("#")]
    names = [r.name for r in rows]
    double = sorted({n for n in names if names.count(n) > 1})
    if double:
        raise SystemExit("api.list: more than one line for " + ", ".join(double))
    return rows


def unbuilt(rows):
    print("/* SPDX-License-Identifier: MIT */")
    print("/* Made by lib/hccl/gen.py from lib/hccl/api.list: the part of the API that is not built. */")
    print('#include "hccl_inside.h"')
    for r in rows:
        if r.reason:
            print("\n%s\n{" % r.prototype)
            for n in r.argument_names():
                print("\t(void)%s;" % n)
            print('\thccl_enter("%s");' % r.name)
            print('\treturn hccl_fail(HCCL_E_NOT_SUPPORT, "%s is not built: %s");\n}' % (r.name, r.reason))


def version_script(rows):
    print("/* Made by lib/hccl/gen.py. No version node: programs link against plain names. */")
    print("{\nglobal:")
    for name in [r.name for r in rows] + INLINE:
        print("\t%s;" % name)
    print("local:\n\t*;\n};")


def redeclare(rows):
    print('#include "hccl/hccl.h"')
    for r in rows:
        print("%s;" % r.prototype)


def names(rows):
    for r in rows:
        print(r.name)


def exports(rows):
    names(rows)
    print("\n".join(INLINE))


def tests_of(rows):
    """{function: names of test programs that call it}"""
    folder = os.path.join(TOP, "tests/hccl")
    found = {r.name: [] for r in rows}
    for name in sorted(os.listdir(folder)):
        if not name.endswith(".c"):
            continue
        with open(os.path.join(folder, name), encoding="utf-8") as f:
            words = set(re.findall(r"\bHccl\w+", f.read()))
        for function in words & set(found):
            found[function].append(name[:-2])
    return found


def table(rows):
    tests = tests_of(rows)
    built = sum(r.state == "built" for r in rows)
    lines = ["The header declares %d functions, all of which are built.\n" % len(rows)] if built == len(rows) else [
        "The header declares %d functions, and %d of them are built. The others return\n" % (len(rows), built),
        "`HCCL_E_NOT_SUPPORT` with a sentence in `aclGetRecentErrMsg()`.\n"]
    category = None
    for r in rows:
        if r.category != category:
            category = r.category
            lines.append("\n### Functions: %s\n\n| function | what it does | state | tests |\n|---|---|---|---|\n" % category)
        lines.append("| `%s` | %s | %s | %s |\n" % (r.name, r.meaning, r.state.replace("no: ", "not built: "),
                                                   ", ".join(tests[r.name])))
    return "".join(lines)


def page(rows):
    with open(PAGE, encoding="utf-8") as f:
        text = f.read()
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    with open(PAGE, "w", encoding="utf-8") as f:
        f.write(before + BEGIN + table(rows) + END + after)


def main():
    modes = {"unbuilt": unbuilt, "map": version_script, "redeclare": redeclare, "names": names, "exports": exports, "page": page}
    if len(sys.argv) != 2 or sys.argv[1] not in modes:
        raise SystemExit(__doc__)
    modes[sys.argv[1]](read_list())


if __name__ == "__main__":
    main()
