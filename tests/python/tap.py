#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Runs pytest and prints a line of TAP for each test, with what explains a failure before it.

usage: tests/python/tap.py [PYTEST-ARGUMENT...]     (in the VM; tests/python/check starts it there)
"""

import os
import sys

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))


class Tap:
    """A plugin for pytest; writes to the standard output as it was before pytest caught it."""

    def __init__(self, out):
        self.out = out
        self.number = 0

    def say(self, text):
        self.out.write(text + "\n")
        self.out.flush()

    def explain(self, text):
        for line in text.rstrip().split("\n"):
            self.say("# " + line)

    def result(self, good, name, more=""):
        self.number += 1
        self.say("%sok %d - %s%s" % ("" if good else "not ", self.number, name, more))

    def pytest_configure(self, config):
        # Options of the terminal's plugin, which others ask for
        config.option.tbstyle, config.option.verbose = "short", 1

    def pytest_collection_finish(self, session):
        self.say("TAP version 13\n1..%d" % len(session.items))

    def pytest_collectreport(self, report):
        """A file that cannot be read is a failed test, one that asks for a missing package a skipped one."""
        if report.failed:
            self.explain(report.longreprtext)
            self.result(False, report.nodeid)
        elif report.skipped:
            self.result(True, report.nodeid, " # skip " + report.longrepr[2].replace("Skipped: ", ""))

    def pytest_runtest_logreport(self, report):
        name = os.path.basename(report.nodeid).replace("#", "")
        if report.failed:
            self.explain(report.longreprtext)
            for title, text in report.sections:
                self.explain("%s:\n%s" % (title, text))
            self.result(False, name + ("" if report.when == "call" else " (%s)" % report.when))
        elif report.skipped:
            self.result(True, name, " # skip " + report.longrepr[2].replace("Skipped: ", ""))
        elif report.when == "call":
            self.result(True, name)


def main():
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.chdir(HERE)
    arguments = sys.argv[1:] or [HERE]
    status = pytest.main(["-p", "no:terminal", "-p", "no:cacheprovider", "-p", "no:doctest", "-p", "no:junitxml",
                          "-p", "no:pastebin", "-p", "no:unittest", "-p", "no:nose", "--rootdir", HERE,
                          "-c", "/dev/null", *arguments], plugins=[Tap(out)])
    return 1 if status not in (0, 5) else 0


if __name__ == "__main__":
    sys.exit(main())
