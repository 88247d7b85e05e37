# SPDX-License-Identifier: MIT
"""Runs Python programs one after the other, each in a process of its own that has numpy and acl imported already: in the
emulated machine importing them takes longer than the programs.

usage: run_samples.py DIRECTORY NAME=PROGRAM[=ARGUMENT]...   writes DIRECTORY/NAME.out and NAME.err; prints NAME and status
"""

import os
import runpy
import sys
import traceback

import acl  # noqa: F401  pylint: disable=unused-import
try:
    import numpy  # noqa: F401  pylint: disable=unused-import
except ImportError:
    pass


def run(base, program, arguments):
    """The program, as Python's command line would run it; does not return."""
    for number, end in ((1, ".out"), (2, ".err")):
        file = os.open(base + end, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
        os.dup2(file, number)
        os.close(file)
    sys.argv = [program, *arguments]
    sys.path[0] = os.path.dirname(program)
    try:
        runpy.run_path(program, run_name="__main__")
    except SystemExit:
        raise
    except BaseException:  # pylint: disable=broad-except
        traceback.print_exc()
        sys.exit(1)
    sys.exit(0)


def main():
    for job in sys.argv[2:]:
        name, program, *arguments = job.split("=")
        child = os.fork()
        if not child:
            run(os.path.join(sys.argv[1], name), program, arguments)
        print(name, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


main()
