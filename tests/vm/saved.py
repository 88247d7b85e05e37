#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A machine is saved while its NPU has not been used, and after that it is not, with a sentence. usage: saved.py DIR

Prints what becomes of both, and QEMU's words."""
import os
import socket
import subprocess
import sys
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TOP, "scripts/vm"))
import booted  # noqa: E402  pylint: disable=wrong-import-position
import place  # noqa: E402  pylint: disable=wrong-import-position
import qemu  # noqa: E402  pylint: disable=wrong-import-position

COMMAND = 0x80000000 | 4 << 11 | 4      # of the NPU at slot 4, for the port of PCI configuration addresses
MEMORY, MASTER = 2, 4


def save(command_bits):
    """The end, completed or failed, of an attempt to save a machine whose NPU has these bits set in its command register."""
    ours, theirs = socket.socketpair()
    command = [*qemu.choose(place.find(os.path.join(TOP, "scripts/anpu-run")), True).command(), "-M", "q35", "-S", "-nodefaults",
               "-display", "none", "-device", "anpu,hbm=16M,addr=4",
               "-chardev", f"socket,id=monitor,fd={theirs.fileno()}", "-mon", "chardev=monitor,mode=control"]
    with subprocess.Popen(command, pass_fds=[theirs.fileno()], stderr=subprocess.STDOUT) as process:
        theirs.close()
        try:
            ask = booted.Monitor(ours).ask
            for number, value in ((0xcf8, COMMAND), (0xcfc, command_bits)):
                ask("human-monitor-command", **{"command-line": f"o /w {number:#x} {value:#x}"})
            ask("migrate", uri=f"exec:cat >{sys.argv[1]}/machine")
            while (status := ask("query-migrate").get("status")) not in ("completed", "failed"):
                time.sleep(0.01)
            return status
        finally:
            process.kill()


print(save(MEMORY), flush=True)
print(save(MEMORY | MASTER))
