#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Finds the messages of a kernel that has found a bug in itself. A kernel made by scripts/build-debug-kernel finds many.

splats.py LOG: prints the log from the first of these on, and ends with 1 if there is one.
"""
import re
import sys

# Lockdep, UBSAN, kmemleak and KCSAN do not taint the kernel, so its taint bits do not tell of them.
SPLAT = re.compile(
    rb"Kernel panic|Oops: |general protection fault|soft lockup|hard LOCKUP"
    rb"|-\[ cut here \]-|list_(?:add|del) corruption|BUG:? |WARNING: |UBSAN: |ODEBUG: |unreferenced object 0x"
    rb"|INFO: (?:task |possible |rcu|trying to register|HARDIRQ|SOFTIRQ)|rcu: INFO: "
    rb"|DMA-API: .*(?:out of memory|disabled)|kmemleak: .*disabled"
    # the message of init, see checks.c
    rb"|anpu-vm: ")
KCSAN = b"BUG: KCSAN: "
RULE = b"=" * 66
ACCESS = re.compile(rb" of \d+ bytes by [^\n]*\n([^\n]*\n[^\n]*)")


def line_start(log, at):
    return log.rfind(b"\n", 0, at) + 1


def race_of_others(log, at):
    """Whether a report of KCSAN is about code that is none of ours: the kernel has many such races. Ours is what the driver
    does itself or has a helper do: it is one of the two innermost frames of an access."""
    end = log.find(RULE, at)
    return not any(b"[anpu" in frames for frames in ACCESS.findall(log[at:end if end >= 0 else len(log)]))


def first(log, start=0):
    """Where the line of the first splat begins, or -1."""
    for found in SPLAT.finditer(log, start):
        at = found.start()
        if not log.startswith(KCSAN, at) or not race_of_others(log, at):
            return line_start(log, at)
    return -1


def main():
    with open(sys.argv[1], "rb") as f:
        log = f.read()
    at = first(log)
    if at >= 0:
        sys.stdout.buffer.write(log[at:])
    return at >= 0


if __name__ == "__main__":
    sys.exit(main())
