#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Type stubs of the exact layer, made from lib/python/api.list and the headers' constants.

usage: gen-stubs.py DIRECTORY     writes __init__.pyi, rt.pyi and mdl.pyi there
"""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import gen  # noqa: E402  pylint: disable=wrong-import-position
import table  # noqa: E402  pylint: disable=wrong-import-position

HEAD = "# SPDX-License-Identifier: MIT\n# Made by lib/python/gen-stubs.py from lib/python/api.list.\n"
IMPORTS = "import os\nfrom collections.abc import Callable, Sequence\nfrom typing import Any\n"


def returned(function):
    """What a call gives: a tuple with the error code last, the error code alone, or a value without one."""
    types = [value.python_type for value in function.values]
    if not types:
        return "None"
    return types[0] if len(types) == 1 else "tuple[%s]" % ", ".join(types)


def stub(function, name):
    """The line of one function; parameters have no names for the caller, as in C."""
    parameters = ["%s: %s%s" % (p.name, p.python_type, " = ..." if p.optional else "") for p in function.parameters]
    return "def %s(%s) -> %s: ..." % (name, ", ".join(parameters + ["/"] if parameters else []), returned(function))


def write(directory, name, lines):
    """Replaces a file at once, so that an interrupted run leaves none that is half."""
    path = os.path.join(directory, name)
    with open(path + ".tmp", "w", encoding="utf-8") as file:
        file.write(HEAD + "\n".join(lines) + "\n")
    os.replace(path + ".tmp", path)


def main():
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    parts = {"acl": [], "acl.rt": [], "acl.mdl": []}
    for function in table.read():
        if function.form not in ("auto", "hand"):
            continue
        for full in function.names:
            module, _, name = full.rpartition(".")
            if module in parts:
                parts[module].append(stub(function, name))
    constants = ["%s: int" % name for name in gen.constants()]
    os.makedirs(sys.argv[1], exist_ok=True)
    write(sys.argv[1], "__init__.pyi", [IMPORTS, "from . import mdl as mdl, media as media, rt as rt, util as util\n", *parts["acl"], "", *constants])
    write(sys.argv[1], "rt.pyi", [IMPORTS, *parts["acl.rt"]])
    write(sys.argv[1], "mdl.pyi", [IMPORTS, *parts["acl.mdl"]])


if __name__ == "__main__":
    main()
