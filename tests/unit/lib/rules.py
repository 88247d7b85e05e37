#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Every test that Documentation/semantics.md names exists. Prints those that do not."""

import glob
import os
import re
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
TESTS = os.path.join(TOP, "tests/libacl")


def tests_of(program, cache={}):
    if program not in cache:
        text = "".join(open(path, encoding="utf-8").read() for path in glob.glob(os.path.join(TESTS, "*", program + ".c")))
        cache[program] = set(re.findall(r"\bTEST(?:_SECONDS)?\((\w+)", text))
    return cache[program]


def suite_programs():
    """Programs that some suite runs."""
    with open(os.path.join(TOP, "tests/suites"), encoding="utf-8") as f:
        words = f.read()
    with open(os.path.join(TESTS, "device/nodevice.sh"), encoding="utf-8") as f:
        words += f.read()
    return set(re.findall(r"[\w]+", words))


def main():
    with open(os.path.join(TOP, "Documentation/semantics.md"), encoding="utf-8") as f:
        text = f.read()
    wrong, named = [], 0
    run = suite_programs()
    for line in text.split("## Rules that do not apply")[0].splitlines():
        if not line.startswith("|") or line.startswith(("|---", "| rule |")):
            continue
        found = re.findall(r"`(\w+)\.(\w+)`", line.split("|")[2])
        if not found:
            wrong.append("no test: " + line)
        for program, test in found:
            named += 1
            if test not in tests_of(program):
                wrong.append("no such test: %s.%s" % (program, test))
            elif program not in run:
                wrong.append("no suite runs %s" % program)
    if named < 100:
        wrong.append("only %d tests are named" % named)
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
