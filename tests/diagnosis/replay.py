#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Recorded runs (ANPU_RECORD) of programs, and that anpu-replay finds the same memory behind each task.

usage: replay.py     (ANPU_DEVICE=direct), TAP
"""

import os
import re
import struct
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
REPLAY = "build/tools/anpu-replay"
BUGS = "build/tests/diagnosis/bugs"
results = []


def ok(good, name, note=""):
    results.append(good)
    if not good and note:
        print("".join(f"# {line}\n" for line in str(note)[:3000].splitlines()), end="")
    print(f"{'' if good else 'not '}ok {len(results)} - {name}", flush=True)


def run(*command, **env):
    return subprocess.run(command, cwd=TOP, env=dict(os.environ, **env), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, timeout=100, check=False)


def record(path, *command, **env):
    done = run(*command, ANPU_RECORD=path, **env)
    return done.returncode == 0, done.stdout


def same(path, tasks, name):
    done = run(REPLAY, path)
    found = re.match(r"(\d+) tasks, \d+ packets that synchronise: memory is the same behind each", done.stdout)
    ok(done.returncode == 0 and found and int(found[1]) >= tasks, name, done.stdout)


def damage(path):
    """The last operator, which was given 4.0, is given another number."""
    with open(path, "r+b") as file:
        data = bytearray(file.read())
        at = data.rindex(struct.pack("<fIQ", 4, 0, 256))
        data[at:at + 4] = struct.pack("<f", 5)
        file.seek(0)
        file.write(data)


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "run")
        good, text = record(path, "build/tests/diagnosis/steps")
        ok(good and text.count("0 wrong") == 4, "a program is recorded", text)
        same(path, 8, "its four operators and four copies are the same")
        done = run(REPLAY, "-v", "--to", "3", path)
        ok("task 3: kernel" in done.stdout and "task 4" not in done.stdout, "--to ends behind a task", done.stdout)
        out = os.path.join(folder, "memory")
        first = re.search(r"entry (0x[0-9a-f]+)", done.stdout)[1]
        done = run(REPLAY, "--dump", f"{first}:64={out}", path)
        ok(done.returncode == 0 and os.path.getsize(out) == 64 and any(open(out, "rb").read()), "--dump writes memory", done.stdout)
        damage(path)
        done = run(REPLAY, path)
        ok(done.returncode == 1 and "task 7: kernel" in done.stdout and "not what it was then" in done.stdout,
           "other inputs are found at the task", done.stdout)
        with open(path, "r+b") as file:
            file.truncate(os.path.getsize(path) - 50)
        done = run(REPLAY, "-k", path)
        ok(done.returncode in (0, 1) and "ends in the middle of a record" in done.stdout,
           "a file of a killed process is replayed as far as it goes, which is told", done.stdout)
        ok(run(REPLAY, "/dev/null").returncode == 2, "what is no recording is refused")

        for case, tasks in (("asc_add", 1), ("neighbour_sync", 1), ("kept_sum", 1), ("halves_flag", 1)):
            good, text = record(path, BUGS, case, ANPU_CHECK="1")
            same(path, tasks, f"{case}: the same, checked")
        # what fails, fails again; what time ends is left out
        record(path, BUGS, "op_assert")
        done = run(REPLAY, "-v", path)
        ok(done.returncode == 0 and "fails as it did then" in done.stdout, "an operator that fails does so again", done.stdout)
        record(path, BUGS, "op_timeout")
        done = run(REPLAY, path)
        ok(done.returncode == 0 and "were not run, as time" in done.stdout, "one that time ended is not run", done.stdout)
        record(path, "build/tests/libacl/reduce")
        same(path, 1, "reductions")
        for _ in range(2):
            record(os.path.join(folder, "%p"), BUGS, "asc_add", ANPU_CHECK="1")
        files = [name for name in os.listdir(folder) if name.isdigit()]
        ok(len(files) == 2 and all(run(REPLAY, os.path.join(folder, name)).returncode == 0 for name in files), "%p: one file for each process")
    print(f"1..{len(results)}")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
