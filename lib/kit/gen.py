#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What is derived from libraries.list, the table of the libraries beside libascendcl.so.

  gen.py unbuilt LIBRARY   definitions of the functions that are not built (C)
  gen.py map LIBRARY       linker version script: exactly the listed functions are exported
  gen.py names [LIBRARY]   names, one per line
  gen.py redeclare         every prototype, for a compiler to compare with the headers
  gen.py status            Documentation/toolkit-api.md
"""
import os
import re
import sys

HERE = os.path.dirname(os.path.realpath(__file__))
# What a function that is not built returns, by its type; others return the code that was recorded.
ANSWERS = {"size_t": "0", "drvError_t": "DRV_ERROR_NOT_SUPPORT"}
HEADERS = ("aclnn/acl_meta.h", "aclnn/aclnn_base.h", "runtime/rt.h", "ascend_hal.h", "acl/acl_op_compiler.h",
           "acl/acl_prof.h", "acl/ops/acl_dvpp.h", "ascendc/cpu/calls.h")


class Function:
    """A line of the list."""

    def __init__(self, line):
        self.library, self.header, self.state, self.prototype = line.split("\t")
        match = re.match(r"(.*?)(\w+)\((.*)\)$", self.prototype)
        self.returns, self.name, self.arguments = match[1].strip(), match[2], match[3]
        self.reason = None if self.state == "built" else self.state.removeprefix("no: ")
        if self.reason == self.state:
            raise SystemExit(f"libraries.list: unknown state '{self.state}' of {self.name}")

    def argument_names(self):
        if self.arguments == "void":
            return []
        return [re.search(r"(\w+)(\[\])?$", a.strip())[1] for a in self.arguments.split(",")]


def read_list(library=None):
    with open(os.path.join(HERE, "libraries.list"), encoding="utf-8") as file:
        rows = [Function(line.rstrip("\n")) for line in file if line.strip() and not line.startswith("#")]
    found = [r for r in rows if library in (None, r.library)]
    if not found:
        raise SystemExit(f"libraries.list: there is no library {library}")
    return found


def unbuilt(rows):
    print("/* Made by lib/kit/gen.py from lib/kit/libraries.list. */")
    print('#include "front.h"')
    for header in sorted({r.header for r in rows}):
        print(f"#include <{header}>")
    for row in rows:
        if not row.reason:
            continue
        print(f"\n{row.prototype}\n{{")
        for name in row.argument_names():
            print(f"\t(void){name};")
        call = f'anpu_front_fail("{row.name}", ACL_ERROR_RT_FEATURE_NOT_SUPPORT,\n\t\t' \
               f'"{row.name} is not supported: {row.reason}")'
        answer = "NULL" if row.returns.endswith("*") else ANSWERS.get(row.returns)
        if row.returns == "void":
            print(f"\t{call};")
        elif answer:
            print(f"\t{call};\n\treturn {answer};")
        else:
            print(f"\treturn {call};")
        print("}")


def version_script(rows):
    print("/* Made by lib/kit/gen.py. */\n{\nglobal:")
    for row in rows:
        print(f"\t{row.name};")
    print("local:\n\t*;\n};")


def redeclare(rows):
    for header in HEADERS:
        print(f"#include <{header}>")
    print('#ifdef __cplusplus\nextern "C" {\n#endif')
    for row in rows:
        print(f"{row.prototype};")
    print("#ifdef __cplusplus\n}\n#endif")


def status(rows):
    print("<!-- Made by lib/kit/gen.py from lib/kit/libraries.list: edit the list, then `make -C lib status`. -->")
    print("# Libraries beside libascendcl.so\n")
    print("What the libraries of the [toolkit tree](toolkit.md) have. A function that is not built returns")
    print("`ACL_ERROR_RT_FEATURE_NOT_SUPPORT` (207000), or NULL, 0 or `DRV_ERROR_NOT_SUPPORT`, and")
    print("`aclGetRecentErrMsg()` has the reason that stands here.\n")
    for library in dict.fromkeys(r.library for r in rows):
        mine = [r for r in rows if r.library == library]
        headers = ", ".join(f"`{h}`" for h in dict.fromkeys(r.header for r in mine))
        print(f"## lib{library}.so\n\n{headers}; {sum(not r.reason for r in mine)} of {len(mine)} are built.\n")
        print("| function | state |\n|---|---|")
        for row in mine:
            print(f"| `{row.name}` | {'not built: ' + row.reason if row.reason else 'built'} |")
        print()


def main():
    actions = {"unbuilt": unbuilt, "map": version_script, "redeclare": redeclare, "status": status,
               "names": lambda rows: print("\n".join(r.name for r in rows))}
    if len(sys.argv) not in (2, 3) or sys.argv[1] not in actions:
        sys.exit(__doc__)
    actions[sys.argv[1]](read_list(*sys.argv[2:]))


main()
