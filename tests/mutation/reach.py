# SPDX-License-Identifier: MIT
"""Which programs reach which line of a source."""
import json
import os
import shutil
import subprocess
import sys


REACH_FLAGS = "-O1 -g --coverage -fprofile-update=atomic -DANPU_COVERAGE"


def lines_reached(directory, notes, tree):
    """{source: {line: whether it was reached}} of gcov's files in a directory."""
    files = []
    for where, _, names in os.walk(directory):
        files += [os.path.relpath(os.path.join(where, n), directory) for n in names if n.endswith(".gcda")]
    for name in files:
        shutil.copy(os.path.join(notes, name[:-5] + ".gcno"), os.path.join(directory, name[:-5] + ".gcno"))
    lines = {}
    if files:
        out = subprocess.run(["gcov", "--json-format", "--stdout", *files], check=True, cwd=directory, capture_output=True,
                             text=True).stdout
        for text in out.splitlines():
            for f in json.loads(text)["files"]:
                mine = lines.setdefault(os.path.relpath(os.path.join(tree, f["file"]), tree), {})
                for line in f["lines"]:
                    n = line["line_number"]
                    mine[n] = mine.get(n, False) or line["count"] > 0
    return lines


def reach_of_lib(copy):
    """Which program of libacl reaches which line: a library that counts, and the programs with it, one after the other."""
    out, data = copy.tree + "/build/coverage/lib", copy.tree + "/build/coverage/programs"
    shutil.rmtree(data, ignore_errors=True)
    if copy.shell("make -s -C lib OUT=%s 'CFLAGS=%s' LDFLAGS=-Wl,-z,undefs WARN=-Wall EXTRA=$PWD/tests/variant/exit.c EXPORT=_exit" %
                  (out, REACH_FLAGS)).returncode:
        sys.exit("tests/mutants: the library that counts is not built")
    prefix = copy.home + "/gcov" if copy.tests.native else "/tmp/gcov"
    if copy.tests.native:
        os.symlink(copy.tree + "/build/lib/libanpu-direct.so", out + "/libanpu-direct.so")
    plan = [{"id": p, "file": out, "programs": [p], "environment": {"GCOV_PREFIX": prefix},
             "keep": [prefix + out, "%s/%s" % (data, p)]} for p in copy.tests.programs]
    reach = {}
    for mutant, why, _, times in copy.vms.run(plan, {p: 900 for p in copy.tests.programs}):
        program = mutant["id"]
        if why:
            sys.exit("tests/mutants: without a mutant this fails: %s" % why)
        copy.durations.update(times)
        for path, lines in lines_reached("%s/%s" % (data, program), out, copy.tree).items():
            mine = reach.setdefault(path, {})
            for line, hit in lines.items():
                mine.setdefault(str(line), [])
                if hit:
                    mine[str(line)].append(program)
    return reach
