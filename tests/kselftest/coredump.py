#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Gives anpu-coredump what is nearly a coredump: coredump.py SCRIPT DUMP

Every prefix of a dump with a line of each kind, and random changes of it: each is printed or refused with a sentence
and exit status 1, and nothing that a terminal obeys comes out. On a kernel that is ANPU_SLOW times slower every
ANPU_SLOWth prefix has to do: they try the script, not the kernel.
"""
import importlib.machinery
import importlib.util
import io
import os
import random
import sys
import tempfile
from contextlib import redirect_stderr, redirect_stdout

SEED = int(os.environ.get("ANPU_COREDUMP_SEED", "1"))
CHANGES = 300
STEP = int(os.environ.get("ANPU_SLOW") or 1)


def load(path):
    loader = importlib.machinery.SourceFileLoader("anpu_coredump", path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("anpu_coredump", loader))
    loader.exec_module(module)
    return module


def one_of_each(text):
    """The dump with the first line of each kind only, which is as hard to read and much shorter."""
    kinds, lines = set(), []
    for line in text.splitlines():
        kind = line.split(" ", 1)[0] if not line.startswith("  ") else "  "
        if kind not in kinds:
            kinds.add(kind)
            lines.append(line)
    return "\n".join(lines) + "\n"


def run(module, path, data):
    """What main() makes of it: (exit status, what it printed, its last words)."""
    with open(path, "wb") as f:
        f.write(data)
    out, words = io.StringIO(), ""
    sys.argv = ["anpu-coredump", path]
    status = 0
    with redirect_stdout(out), redirect_stderr(out):
        try:
            module.main()
        except SystemExit as end:
            status, words = (1, end.code) if isinstance(end.code, str) else (end.code or 0, "")
    return status, out.getvalue(), words


def changed(rng, data):
    lines = data.split(b"\n")
    at = rng.randrange(len(lines))
    what = rng.randrange(6)
    if what == 0:
        del lines[at]
    elif what == 1:
        lines.insert(at, lines[rng.randrange(len(lines))])
    elif what == 2:
        words = lines[at].split(b" ")
        words[rng.randrange(len(words))] = rng.choice(
            [b"", b"-1", b"9" * 5000, b"f" * 5000, b"0x", b"1e9", b"\x1b[2J", b"18446744073709551616", b"_", b"\xc2\xb2"])
        lines[at] = b" ".join(words)
    elif what == 3:
        words = lines[at].split(b" ")
        lines[at] = b" ".join(words[:rng.randrange(len(words) + 1)])
    else:
        data = bytearray(data)
        for _ in range(rng.randrange(1, 6)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        return bytes(data)
    return b"\n".join(lines)


def check(what, result, good=None):
    status, out, words = result
    strange = [c for c in out + words if not c.isprintable() and c != "\n"]
    if strange or status not in (0, 1) or (status == 1) != words.startswith("anpu-coredump: ") or "\n" in words or \
            (good is not None and good != (status == 0)):
        sys.exit(f"coredump.py: {what}: status {status}, {strange[:3]}, {words!r}")


def main():
    module = load(sys.argv[1])
    with open(sys.argv[2], encoding="ascii") as f:
        data = one_of_each(f.read()).encode()
    rng = random.Random(SEED)
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "dump")
        check("whole", run(module, path, data), True)
        for n in range(0, len(data), STEP):
            check(f"the first {n} bytes", run(module, path, data[:n]), False)
        for n in range(0, CHANGES, STEP):
            check(f"change {n} of seed {SEED}", run(module, path, changed(rng, data)))
    print(f"every {STEP}. of {len(data)} prefixes, of {CHANGES} changes")


main()
