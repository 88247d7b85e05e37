#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Everything that is derived from lib/api.list, the one table of the API.

  gen-api.py unbuilt   definitions of the functions that are not built yet (C)
  gen-api.py map       linker version script: exactly the API is exported
  gen-api.py redeclare every prototype of the list, for a compiler to compare with the headers
  gen-api.py names     names, one per line
  gen-api.py exported  the same and the private doors, front.h in lib/acl/core and lib/acl/copy
  gen-api.py status    Documentation/status.md
"""

import os
import re
import sys

STATES = {"built": "built", "-": "not yet"}
# A state that begins like this goes on with the reason why the device cannot have the function.
NEVER = "no: "
# The value that a function returns while it is not built, by the type that it returns instead of aclError.
# Exported, and no part of the API: for libraries in front of this one, see front.h in lib/acl/core, lib/acl/copy and lib/acl/graph
FRONT = ["anpu_front_" + n for n in (
    "abort", "add", "at", "await", "binary", "call_ended", "capture_ends", "capture_into", "capture_set_ends", "context", "context_device", "context_sync", "copy", "copy_any", "event", "event_begin", "event_end", "explain", "fail",
    "fault", "fill", "finding", "function", "gather", "graph_add", "graph_adopt", "graph_append", "graph_clone", "graph_copy", "graph_find", "graph_new", "graph_nodes", "graph_pair", "graph_pairs", "graph_recording", "graph_renew", "graph_sort",
    "graph_state", "graph_task", "bad_value", "in_callback", "interrupt", "kernel", "launch", "leak", "left", "graph_look", "checking", "latest", "launch_events", "looks", "name", "site", "malloc", "mark", "memory_ended", "graph_word", "node_choose", "node_enable", "node_enabled", "node_get",
    "node_graph", "node_last", "node_remove", "node_replace", "node_set", "node_stand_for", "node_type", "node_updatable", "now", "objects", "ordered", "param", "place", "physical_import", "pool_device", "say", "set_context", "shared", "sleep", "stream",
    "reads", "trace", "trace_prepare", "unsafe", "used", "users",
    "wait", "wait_begins", "wait_over", "words")]
ANSWERS = {"uint32_t": "0xFFFFFFFFU", "size_t": "0", "float": "0.0f", "aclFloat16": "0"}


class Function:
    def __init__(self, line):
        fields = line.split("\t")
        if len(fields) != 6:
            raise SystemExit("api.list: %d fields instead of 6: %s" % (len(fields), line))
        self.name, self.category, self.priority, self.state, self.prototype, self.meaning = fields
        self.reason = self.state[len(NEVER):] if self.state.startswith(NEVER) else None
        if self.state not in STATES and not self.reason:
            raise SystemExit("api.list: unknown state '%s' of %s" % (self.state, self.name))
        match = re.match(r"(.*?)" + self.name + r"\((.*)\)$", self.prototype)
        if not match:
            raise SystemExit("api.list: the prototype of %s does not name it" % self.name)
        self.returns, self.arguments = match[1].strip(), match[2]

    def argument_names(self):
        if self.arguments == "void":
            return []
        names = [re.search(r"(\w+|\.\.\.)$", a.strip())[1] for a in self.arguments.split(",")]
        return [n for n in names if n != "..."]

    def answer(self):
        if self.returns == "void":
            return None
        if self.returns.endswith("*") or self.returns == "aclrtAllocatorDesc" \
                or self.returns == "aclrtBinary":
            return "NULL"
        return ANSWERS[self.returns]


def read_list():
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "api.list")
    with open(path, encoding="utf-8") as f:
        rows = [Function(l.rstrip("\n")) for l in f if l.strip() and not l.startswith("#")]
    names = [r.name for r in rows]
    double = sorted({n for n in names if names.count(n) > 1})
    if double:
        raise SystemExit("api.list: more than one line for " + ", ".join(double))
    return rows


def unbuilt(rows):
    print("/* SPDX-License-Identifier: MIT */")
    print("/* Made by lib/gen-api.py from lib/api.list: the part of the API that is not built yet. */")
    print('#include "core/core.h"')
    for r in rows:
        if r.state == "built":
            continue
        print("\n%s\n{" % r.prototype)
        for n in r.argument_names():
            print("\t(void)%s;" % n)
        call = 'acl_refused("%s", "%s")' % (r.name, r.reason) if r.reason else \
            'acl_unbuilt("%s")' % r.name
        if r.returns == "aclError":
            print("\treturn %s;" % call)
        else:
            print("\t%s;" % call)
            if r.answer():
                print("\treturn %s;" % r.answer())
        print("}")


def version_script(rows):
    print("/* Made by lib/gen-api.py. No version node: programs link against plain names. */")
    print("{\nglobal:")
    for name in [r.name for r in rows] + FRONT:
        print("\t%s;" % name)
    print("local:\n\t*;\n};")


def redeclare(rows):
    print('#include "acl/acl.h"')
    for r in rows:
        print("%s;" % r.prototype)


def names(rows):
    for r in rows:
        print(r.name)


def exported(rows):
    names(rows)
    print("\n".join(FRONT))


def status(rows):
    built = [r for r in rows if r.state == "built"]
    print("<!-- Made by lib/gen-api.py from lib/api.list: edit the list, then `make -C lib status`. -->")
    print("# Status of the API\n")
    print("The headers declare %d functions. %d of them are built. The others exist in the library" %
          (len(rows), len(built)))
    print("and return `ACL_ERROR_RT_FEATURE_NOT_SUPPORT` (207000), or NULL, 0 or 0xFFFFFFFF where they")
    print("return something else, with a sentence in `aclGetRecentErrMsg()`.\n")
    print("P0 is what nearly every program uses, P1 what many do, P2 what some do, P3 what is bound to")
    print("particular chips.\n")
    print("| priority | functions | built |\n|---|---|---|")
    for p in sorted({r.priority for r in rows}):
        mine = [r for r in rows if r.priority == p]
        print("| %s | %d | %d |" % (p, len(mine), sum(r.state == "built" for r in mine)))
    category = None
    for r in rows:
        if r.category != category:
            category = r.category
            print("\n## %s\n\n| function | priority | state | what it does |\n|---|---|---|---|" % category)
        print("| `%s` | %s | %s | %s |" % (r.name, r.priority, STATES.get(r.state, r.state),
                                          r.meaning.replace("|", "\\|")))


def main():
    modes = {"unbuilt": unbuilt, "map": version_script, "redeclare": redeclare, "names": names,
             "exported": exported,
             "status": status}
    if len(sys.argv) != 2 or sys.argv[1] not in modes:
        raise SystemExit(__doc__)
    modes[sys.argv[1]](read_list())


if __name__ == "__main__":
    main()
