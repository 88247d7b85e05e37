#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Rooms of lib/acl use each other in one direction only.

A room is a folder of lib/acl. Its header, <room>/<room>.h, says which rooms it uses ("Uses: core, device."). Those lines
must have no circle; files include of another room only its header, and only if their room uses that one; objects in
build/lib/acl refer to no symbol of a room that theirs does not use. lib/acl/rooms.c stands above all rooms: it may use
each, and defines nothing but the tables that rooms walk. TAP.
"""

import glob
import os
import re
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
SOURCES = os.path.join(TOP, "lib/acl")
OBJECTS = os.path.join(TOP, "build/lib/acl")
# The file above all rooms
ABOVE = "rooms"


def room_of(path):
    """The first part of a path relative to lib/acl, or ABOVE."""
    return path.split("/")[0] if "/" in path else ABOVE


def read_uses(headers):
    """{room: set of rooms} from the texts {room: header}, and what is wrong with them."""
    uses, wrong = {}, []
    for room, text in headers.items():
        line = re.search(r"^ \* Uses: ([a-z, \n*]+)\.$", text, re.M)
        words = re.findall(r"[a-z]+", line.group(1)) if line else []
        uses[room] = set() if words == ["no", "other", "room"] else set(words)
        if not line:
            wrong.append("%s/%s.h does not say which rooms it uses" % (room, room))
        for other in sorted(uses[room] - set(headers)):
            wrong.append("%s/%s.h: there is no room '%s'" % (room, room, other))
    left = dict(uses)
    while left:
        done = [room for room in left if not left[room] & set(left)]
        if not done:
            wrong.append("rooms use each other in a circle: " + ", ".join(sorted(left)))
            break
        for room in done:
            del left[room]
    return uses, wrong


def check_includes(files, uses):
    """What is wrong with the #include lines of {path: text}."""
    wrong = []
    for path, text in sorted(files.items()):
        room = room_of(path)
        for name in re.findall(r'^\s*#\s*include\s+"([^"]+)"', text, re.M):
            other = name.split("/")[0] if "/" in name else room
            if room == other or room == ABOVE and name == "%s/%s.h" % (other, other):
                continue
            if room != ABOVE and other not in uses[room]:
                wrong.append("%s includes %s, and %s does not use %s" % (path, name, room, other))
            elif name != "%s/%s.h" % (other, other):
                wrong.append("%s includes %s, which is private to %s" % (path, name, other))
    return wrong


def check_symbols(objects, uses):
    """What is wrong with {path: (defined, undefined)}, where defined is {symbol: type} and undefined a set."""
    wrong, home = [], {}
    for path, (defined, _) in objects.items():
        home.update({symbol: path for symbol in defined})
    for path, (defined, undefined) in sorted(objects.items()):
        room = room_of(path)
        if room == ABOVE:
            wrong += ["%s defines %s(): it is for tables only" % (path, s) for s in defined if defined[s] == "T"]
            continue
        for symbol in sorted(undefined):
            other = room_of(home.get(symbol, path))
            if other not in (room, ABOVE) and other not in uses[room]:
                wrong.append("%s uses %s of %s, and %s does not use %s" % (path, symbol, home[symbol], room, other))
    return wrong


def read_objects():
    objects = {}
    for path in glob.glob(os.path.join(OBJECTS, "*.o")) + glob.glob(os.path.join(OBJECTS, "*/*.o")):
        name = os.path.relpath(path, OBJECTS)
        # An object of a file that was moved or renamed stays in the build's folder
        if not os.path.exists(os.path.join(SOURCES, name[:-2] + ".c")):
            continue
        defined, undefined = {}, set()
        out = subprocess.run(["nm", "-P", path], check=True, capture_output=True, text=True).stdout
        for symbol, kind in (line.split()[:2] for line in out.splitlines()):
            if kind == "U":
                undefined.add(symbol)
            elif kind.isupper():
                defined[symbol] = kind
        objects[name] = (defined, undefined)
    return objects


def found_by_themselves():
    """The checks find what they are for."""
    headers = {"low": " * Uses: no other room.\n", "high": " * Uses: low.\n", "loop": " * Uses: ring.\n",
               "ring": " * Uses: loop.\n", "mute": "", "lost": " * Uses: nowhere.\n"}
    uses, wrong = read_uses(headers)
    found = ["in a circle: loop, ring" in " ".join(wrong), "mute/mute.h does not say" in " ".join(wrong),
             "no room 'nowhere'" in " ".join(wrong)]
    files = {"low/a.c": '#include "high/high.h"\n', "high/b.c": '#include "low/secret.h"\n#include "low/low.h"\n',
             "high/c.c": '#include "high/own.h"\n', "rooms.c": '#include "high/high.h"\n#include "low/secret.h"\n'}
    wrong = check_includes(files, uses)
    found += [len(wrong) == 3, "low/a.c includes high/high.h" in wrong[1], "private to low" in wrong[0]]
    objects = {"low/a.o": ({"low_a": "T"}, {"high_b", "malloc", "table"}), "high/b.o": ({"high_b": "T"}, {"low_a"}),
               "rooms.o": ({"table": "D", "function": "T"}, {"low_a", "high_b"})}
    wrong = check_symbols(objects, uses)
    found += [len(wrong) == 2, "low/a.o uses high_b of high/b.o" in wrong[0], "rooms.o defines function()" in wrong[1]]
    return [] if all(found) else ["the checks do not find a made-up offence: %s" % found]


def main():
    names = sorted(n for n in os.listdir(SOURCES) if os.path.isdir(os.path.join(SOURCES, n)))
    headers, files = {}, {}
    for path in glob.glob(os.path.join(SOURCES, "**/*.[ch]"), recursive=True):
        with open(path, encoding="utf-8") as f:
            files[os.path.relpath(path, SOURCES)] = f.read()
    for name in names:
        headers[name] = files.get("%s/%s.h" % (name, name), "")
    uses, wrong = read_uses(headers)
    objects = read_objects()
    missing = ["%s was not built" % f for f in files if f.endswith(".c") and f[:-2] + ".o" not in objects]
    tests = [
        ("the checks find what they are for", found_by_themselves()),
        ("every room's header says which rooms it uses, without a circle", wrong),
        ("files include only what their room uses", check_includes(files, uses)),
        ("objects refer only to rooms that theirs uses", missing + check_symbols(objects, uses)),
    ]
    for n, (name, faults) in enumerate(tests, 1):
        for fault in faults:
            print("# " + fault)
        print("%s %d - rooms: %s" % ("not ok" if faults else "ok", n, name))
    print("1..%d" % len(tests))
    return 1 if any(faults for _, faults in tests) else 0


if __name__ == "__main__":
    sys.exit(main())
