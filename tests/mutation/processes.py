# SPDX-License-Identifier: MIT
"""Commands whose output is watched for the first failure."""
import os
import re
import selectors
import signal
import subprocess
import time

FAILURE = re.compile(r"^\s*not ok\b(?!.*#\s*(?:skip|todo))", re.I)


def end_group(process):
    for kind, patience in ((signal.SIGTERM, 5), (signal.SIGKILL, 5)):
        try:
            os.killpg(process.pid, kind)
            process.wait(patience)
        except (ProcessLookupError, subprocess.TimeoutExpired):
            pass


def run(name, command, limits, tree, show=False):
    """Runs a shell command in @tree until its first failed test. The result is what failed, or None, and how long each
    program took. It begins as program @name; a line "# NAME" says that program NAME begins. @limits has their seconds."""
    process = subprocess.Popen(command, shell=True, cwd=tree, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, start_new_session=True)
    begun, times, pending, last = time.monotonic(), {}, b"", ""
    selector = selectors.DefaultSelector()
    selector.register(process.stdout, selectors.EVENT_READ)
    try:
        while True:
            left = begun + limits.get(name, limits[""]) - time.monotonic()
            if left <= 0:
                return "%s: hangs" % name, times
            if not selector.select(left):
                continue
            data = os.read(process.stdout.fileno(), 65536)
            if not data:
                break
            *lines, pending = (pending + data).split(b"\n")
            for line in (raw.decode("utf-8", "replace").rstrip() for raw in lines):
                if show:
                    print("    " + line, flush=True)
                if FAILURE.match(line):
                    return "%s: %s" % (name, line.strip()), times
                last = line or last
                if line[:2] == "# " and line[2:] in limits:
                    times[name] = time.monotonic() - begun
                    name, begun = line[2:], time.monotonic()
        status = process.wait()
        times[name] = time.monotonic() - begun
        return ("%s: ended with status %d: %s" % (name, status, last) if status else None), times
    finally:
        end_group(process)
        selector.close()
        process.stdout.close()
