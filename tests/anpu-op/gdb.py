#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""anpu-op --gdb with gdb-multiarch in batch mode: stops, source, registers, memory, blocks as threads, faults.

usage: gdb.py ANPU_OP ANPUCC FOLDER, TAP
"""

import os
import re
import shutil
import subprocess
import sys

SOURCE = """#include <anpu/anpu_intrin.h>

static float scaled(float v, float factor)
{
	return v * factor;
}

ANPU_KERNEL void scale(float *x, float factor, uint32_t n)
{
	for (uint32_t i = anpu_block_idx(); i < n; i += anpu_block_num()) {
		float v = scaled(x[i], factor);

		x[i] = v;
	}
}

ANPU_KERNEL void meet(volatile uint32_t *x)
{
	*(volatile uint32_t *)0x100040 = 7 + anpu_block_idx();
	anpu_syncall(ANPU_SYNC_KIND);
	x[anpu_block_idx()] = 1;
}
"""
results = []


def ok(good, name, note=""):
    results.append(good)
    if not good:
        print("".join(f"# {line}\n" for line in str(note)[:4000].splitlines()), end="")
    print(f"{'' if good else 'not '}ok {len(results)} - {name}", flush=True)


def has(text, *quotes):
    at = 0
    for quote in quotes:
        found = re.compile(quote).search(text, at)
        if not found:
            return False
        at = found.end()
    return True


def gdb(op, target, *commands, file="scale.o"):
    words = ["gdb-multiarch", "-nx", "-batch", "-ex", "set confirm off", "-ex", "set pagination off", "-ex",
             f"target remote | {op} --gdb=- {target}"]
    for command in commands:
        words += ["-ex", command]
    return subprocess.run(words + [file], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120, check=False).stdout


def main():
    op, cc, folder = (os.path.abspath(arg) for arg in sys.argv[1:4])
    if not shutil.which("gdb-multiarch"):
        print("1..0 # SKIP gdb-multiarch is not installed")
        return 0
    os.makedirs(folder, exist_ok=True)
    os.chdir(folder)
    with open("scale.c", "w", encoding="utf-8") as file:
        file.write(SOURCE)
    subprocess.run([cc, "-g", "-O0", "-o", "scale.o", "scale.c"], check=True)

    scale = "--expect=x=0,2,4,12 scale.o scale f32[4]=iota 2 4"
    text = gdb(op, scale, "break scale", "continue", "info args", "next", "step", "bt", "p v", "info registers pc", "delete",
               "break 13 if i == 3", "continue", "p v", "set var v = 12", "p *x@4", "delete", "continue")
    ok(has(text, "Breakpoint 1.*scale \\(x=0x", "factor = 2", "n = 4", "scaled \\(v=0, factor=2\\) at .*scale.c:5",
           "#1 .* in scale .*scale.c:11", "= 0", "scaled\\+", "Breakpoint 2, scale", "= 6", "= \\{0, 2, 4, 3\\}", "exited normally"),
       "breakpoints, steps, source, arguments, registers, conditions, a variable that is set", text)

    text = gdb(op, "scale.o scale f32[4]=iota 2 6", "continue", "bt", "p i", "p $fa0.float", "continue")
    ok(has(text, "the operator fails in block 0: 0x[0-9a-f]+ is the first byte behind argument 0 \\(x\\)", "SIGSEGV",
           "scale.c:11", "#0 .*scale", "= 4", "exited with code 03"), "a fault stops at its line, then the operator ends", text)

    text = gdb(op, "--blocks=3 scale.o meet u32[3]", "break 21", "continue", "info threads", "thread apply all x/1uw 0x100040",
               "monitor", "delete", "continue")
    ok(all(re.search(f"\\(block {i}\\).* meet", text) and f"0x100040:\t{7 + i}\n" in text for i in range(3)) and
       has(text, "UB 0x100000", "exited normally"), "blocks are threads, each with its scratchpads", text)

    text = gdb(op, scale, "watch *(float *)0x100080", "set var *(float *)0x100080 = 3", "p *(float *)0x100080", "break scale",
               "continue", "watch x[2]", "continue", "continue")
    ok(has(text, "= 3", "Breakpoint", "atchpoint .*x\\[2\\]", "Old value = 2", "New value = 4"), "memory is set and watched", text)

    text = gdb(op, scale, "break scaled", "continue", "detach")
    ok(has(text, "Breakpoint", "etach"), "gdb lets the operator go", text)

    done = subprocess.run([op, "--gdb=-", "--threads=2", "scale.o", "scale", "f32[4]", "2", "4"], capture_output=True, text=True,
                          check=False)
    ok(done.returncode == 2 and "--gdb runs an operator once" in done.stderr, "--threads is refused", done.stderr)
    print(f"1..{len(results)}")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
