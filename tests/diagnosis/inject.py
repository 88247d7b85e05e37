#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Faults from outside of a program: ANPU_INJECT, the property inject=, and plans in a file, while steps.c runs.

usage: inject.py     (the device is that of the environment: ANPU_DEVICE=direct, or the driver in the VM), TAP
"""

import os
import re
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
STEPS = "build/tests/diagnosis/steps"
results = []

# plan, the codes of the four steps, wrong elements (None: any number but 0), what the output has
PLANS = [
    ("fail@3", [0, 507016, 0, 0], [0, None, 0, 0], "kernel 'fill' (task 3) failed ... the failure was injected (fail@3) ... steps.c:"),
    ("fail@2:of=copy", [0, 507013, 0, 0], [0, None, 0, 0], "copy (task 4) failed ... the failure was injected (fail@2)"),
    ("fail@1-2:of=kernel:cause=bus", [507015, 507015, 0, 0], [None, None, 0, 0], "(fail@2)"),
    ("fail@3-:of=kernel:cause=internal", [0, 0, 507000, 507000], None, "(fail@4)"),
    ("hang@2:of=kernel", [0, 507014, 0, 0], [0, None, 0, 0], "limit of 500000 us; the hang was injected"),
    ("hang@2:of=kernel:ms=20", [0, 0, 0, 0], [0, 0, 0, 0], "inject: hang: task 2"),
    ("skip@3", [0, 0, 0, 0], [0, 256, 0, 0], "inject: skip: task 3"),
    ("untold@4", [0, 0, 0, 0], [0, 0, 0, 0], "inject: untold: task 4"),
    ("flip@2:of=copy:bits=20:seed=3", [0, 0, 0, 0], [0, None, 0, 0], "inject: flip: bit"),
    ("irq-lost@1-", [0, 0, 0, 0], [0, 0, 0, 0], ""),
    ("irq-late@1-:ms=30", [0, 0, 0, 0], [0, 0, 0, 0], ""),
    ("gone@3", [0, 507899, 507899, 507899], None, "device 0 ... is gone"),
    ("skip@1+fail@4:of=kernel", [0, 0, 0, 507016], [256, 0, 0, None], "inject: skip: task 1 ... (fail@4)"),
]


def ok(good, name, note=""):
    results.append(good)
    if not good and note:
        print("".join(f"# {line}\n" for line in str(note)[:3000].splitlines()), end="")
    print(f"{'' if good else 'not '}ok {len(results)} - {name}", flush=True)


def has(text, quote):
    return re.search(".*".join(re.escape(part) for part in quote.split(" ... ")), text, re.S) is not None


def run(plan, **env):
    env = dict(os.environ, **env)
    if plan is not None:
        env["ANPU_INJECT"] = plan
    return subprocess.run([STEPS], cwd=TOP, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60,
                          check=False).stdout


def steps(text):
    found = re.findall(r"^step \d: (\d+), (\d+) wrong", text, re.M)
    return [int(code) for code, _ in found], [int(wrong) for _, wrong in found]


def as_planned(text, codes, wrong, quote):
    got = steps(text)
    same = wrong is None or all(w == g if w is not None else g for w, g in zip(wrong, got[1]))
    return got[0] == codes and same and has(text, quote)


def in_a_file():
    """The program waits before each step; what the file has then concerns it."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "plan")
        with subprocess.Popen([STEPS, "pause"], cwd=TOP, env=dict(os.environ, ANPU_INJECT="@" + path), text=True,
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as program:
            output = ""

            def until(mark):
                nonlocal output
                for line in program.stdout:
                    output += line
                    if mark in line:
                        return

            for plan in (None, "fail@1:of=kernel", "skip@2", None):
                until("ready")
                if plan:
                    with open(path + ".new", "w", encoding="utf-8") as file:
                        file.write(plan + "\n")
                    os.rename(path + ".new", path)
                    until("the plan is now")
                program.stdin.write("\n")
                program.stdin.flush()
            output += program.stdout.read()
    # "skip@2" skips the copy of step 3, which leaves what step 1 has copied
    ok(as_planned(output, [0, 507016, 0, 0], [0, 256, 256, 0], "(fail@1)"), "a plan in a file, changed at run time", output)


def main():
    ok(steps(run(None)) == ([0] * 4, [0] * 4), "the program without faults")
    for plan, codes, wrong, quote in PLANS:
        text = run(plan)
        ok(as_planned(text, codes, wrong, quote), plan, text)
    if os.environ.get("ANPU_DEVICE") == "direct":
        text = run(None, ANPU_DIRECT="hbm=64M,inject=skip@1:of=kernel")
        ok(steps(text)[1] == [256, 0, 0, 0], "as a property of the device", text)
        text = run("foo@1")
        ok(steps(text)[0] == [], "a plan that is none is refused", text)
        text = run("@/nowhere/plan")
        ok(as_planned(text, [0] * 4, [0] * 4, "inject: '/nowhere/plan' cannot be read: No such file"), "a file that is not there is told", text)
        in_a_file()
    text = run("alloc@2")
    ok(has(text, "allocation: 0 ... allocation: 207001 ... allocation 2, of 1 KiB, fails because ANPU_INJECT"), "alloc@2", text)
    with tempfile.NamedTemporaryFile("w", suffix=".plan") as file:
        file.write("alloc@1\n")
        file.flush()
        text = run("@" + file.name)
    ok(has(text, "allocation: 207001 ... allocation 1, of"), "alloc@1 in a file", text)
    print(f"1..{len(results)}")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
