#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Core files of operators that fail (ANPU_CORE), looked at with gdb-multiarch as the sentence of the failure says.

usage: core.py     (ANPU_DEVICE=direct), TAP
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUGS = "build/tests/diagnosis/bugs"
results = []


def ok(good, name, note=""):
    results.append(good)
    if not good:
        print("".join(f"# {line}\n" for line in str(note)[:4000].splitlines()), end="")
    print(f"{'' if good else 'not '}ok {len(results)} - {name}", flush=True)


def fails(case, core):
    return subprocess.run([BUGS, case], cwd=TOP, env=dict(os.environ, ANPU_CORE=core), stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=60, check=False).stdout


def gdb(told, *commands):
    """What gdb says when it is called as the sentence tells."""
    call = re.search(r"gdb-multiarch -c (\S+) -ex '([^']*)'", told)
    if not call:
        return "the sentence does not tell how to look: " + told
    words = ["gdb-multiarch", "-nx", "-batch", "-c", call[1], "-ex", "set confirm off", "-ex", call[2]]
    for command in commands:
        words += ["-ex", command]
    return subprocess.run(words, cwd=TOP, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True,
                          timeout=60, check=False).stdout


def main():
    if not shutil.which("gdb-multiarch"):
        print("1..0 # SKIP gdb-multiarch is not installed")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        core = os.path.join(folder, "core")
        told = fails("op_read_behind", core)
        ok(f"core: {core} has the blocks of the kernel that failed; block 0" in told, "a failure writes a core file", told)
        addr = re.search(r"read of 4 bytes at (0x[0-9a-f]+)", told)[1]
        text = gdb(told, "bt", "info threads", "p $pc", f"x/1wx {addr} - 4", "x/2i $pc", "x/4xw 0x100000", f"x/1wx {addr}")
        ok(re.search(r"#0 .*copy \(.*\) at .*kernels\.c:\d+", text), "it has the line", text)
        ok(re.search(r"flw|lw", text), "and the code", text)
        ok(f"{addr}:\tCannot access memory" in text, "and memory, but not behind the tensor", text)
        ok("0x100000:" in text, "and the scratchpads", text)
        told = fails("op_deadlock", core)
        text = gdb(told, "info threads", "thread apply all bt 1")
        ok(len(re.findall(r"LWP \d", text.split("thread apply")[0])) >= 3 and text.count("one_leaves") >= 3,
           "blocks that wait for each other are threads", text)
        told = fails("op_timeout", core)
        ok("endless" in gdb(told, "bt"), "an operator that does not end", told)
        told = fails("op_assert", os.path.join(folder, "no", "such", "folder"))
        ok("cannot be written" in told, "a file that cannot be written is told", told)
    print(f"1..{len(results)}")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
