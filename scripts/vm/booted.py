# SPDX-License-Identifier: MIT
"""Machines that have booted, each kept as a file: the next start of the same machine goes on from there.

Under software emulation most of a start is the kernel's boot, which is the same each time. It ends when init waits for
VM_CONFIG, with nothing mounted and without the driver; QEMU can write the machine's memory and devices to a file there, as for
a migration. A machine that goes on from such a file is told the time, and gets random numbers of its own, with VM_CONFIG.

A file is made at the second start of a machine, so that one which is never started again costs nothing, and those of the
machines that were started least recently go.
"""
import contextlib
import hashlib
import json
import os
import shlex
import time

from errors import VmError

KEPT = 6                # files, of some 90 MB each
NOTED = 64              # machines that were started once
COMMAND_SECONDS = 20    # for a command of QEMU's monitor
SAVE_SECONDS = 60       # for writing a machine
# A kernel that measured its processor wrongly, in a boot on a busy host, has a clock that runs as wrongly for ever after:
# by how much it may differ from the host's, and in how many seconds at least that can be told.
CLOCK_FACTOR, CLOCK_SECONDS = 1.5, 2


class Monitor:
    """QEMU's monitor, on our end of a socket pair."""

    def __init__(self, sock):
        sock.settimeout(COMMAND_SECONDS)
        self.file = sock.makefile("rwb")
        self.file.readline()    # the greeting
        self.ask("qmp_capabilities")

    def ask(self, command, **arguments):
        self.file.write(json.dumps({"execute": command, "arguments": arguments}).encode() + b"\n")
        self.file.flush()
        while "event" in (answer := json.loads(self.file.readline() or b"{}")):
            pass
        if "return" not in answer:
            raise OSError(answer.get("error", {}).get("desc", "it has ended"))
        return answer["return"]


def place(cache):
    """The directory of the files, or None if there are to be none."""
    wish = os.environ.get("ANPU_BOOTED", "")
    return None if wish == "off" else wish or os.path.join(cache, "booted")


class Booted:
    """The file of one machine."""

    def __init__(self, directory, machine):
        """machine: all that its boot depends on. The host's own boot is a part of it, since the speed at which its processor
        counts time is what the VM's kernel has measured."""
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as f:
            text = json.dumps([f.read(), machine])
        self.directory = directory
        self.path = os.path.join(directory, hashlib.sha256(text.encode()).hexdigest()[:32])
        self.exists = os.path.exists(self.path)
        self.wanted = not self.exists and os.path.exists(self.path + ".seen")
        try:
            os.makedirs(directory, exist_ok=True)
            if self.exists:
                os.utime(self.path)
            else:
                with open(self.path + ".seen", "wb"):
                    pass
        except OSError:
            self.wanted = False     # a place where this user may not write

    def arguments(self):
        return ["-incoming", f"exec:cat {shlex.quote(self.path)}"]

    def forget(self):
        with contextlib.suppress(OSError):
            os.unlink(self.path)

    def save(self, sock):
        """Writes the machine, which goes on afterwards."""
        part = f"{self.path}.{os.getpid()}"
        try:
            monitor = Monitor(sock)
            monitor.ask("migrate-set-parameters", **{"max-bandwidth": 1 << 40})
            monitor.ask("migrate", uri=f"exec:cat >{shlex.quote(part)}")
            end = time.monotonic() + SAVE_SECONDS
            while (status := monitor.ask("query-migrate").get("status")) not in ("completed", "failed", "cancelled"):
                if time.monotonic() > end:
                    raise VmError(f"QEMU has not written the machine that has booted to {part} in {SAVE_SECONDS} s: "
                                  "try --cold")
                time.sleep(0.005)
            if status == "completed":
                os.replace(part, self.path)
                monitor.ask("cont")
        except (OSError, ValueError) as error:
            raise VmError(f"QEMU's monitor, asked to write the machine that has booted to {part}: {error}: try --cold") from error
        finally:
            with contextlib.suppress(OSError):
                os.unlink(part)
        self.make_room()

    def make_room(self):
        with contextlib.suppress(OSError):
            files = sorted(os.scandir(self.directory), key=lambda f: f.stat().st_mtime, reverse=True)
            old = [f for f in files if "." not in f.name][KEPT:] + [f for f in files if f.name.endswith(".seen")][NOTED:]
            for file in old:
                os.unlink(file.path)

    def compare_clocks(self, vm_seconds, host_seconds):
        """Forgets a machine whose clock is wrong."""
        if host_seconds >= CLOCK_SECONDS and not 1 / CLOCK_FACTOR < vm_seconds / host_seconds < CLOCK_FACTOR:
            self.forget()
