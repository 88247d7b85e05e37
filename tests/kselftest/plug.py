#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Pulls the NPU behind a port out and puts it in, and has the bus report errors, when the VM asks for it.

The VM asks by a file in DIRECTORY, which goes when it is done: "unplug", "plug", and "aer" with the error's name. A new NPU
is put in once QEMU has let go of the last one: the guest does that in its own time after its driver is gone. What QEMU
refuses ends this program with a message, and the file stays. It ends, too, with QEMU, and when a file "done" appears.

usage: tests/kselftest/plug.py DIRECTORY (the monitor, QMP, is DIRECTORY/monitor, the first NPU npu0, the port rp0)
"""
import json
import os
import socket
import sys
import time

NPU = {"driver": "anpu", "bus": "rp0", "hbm": "64M", "cores": 2, "inject": True}


class Monitor:
    """QEMU's monitor: commands in turn, and the events that come meanwhile."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.lines = self.socket.makefile("r", encoding="utf-8")
        self.deleted = set()
        self.read()     # the greeting
        self.command("qmp_capabilities")

    def read(self):
        line = self.lines.readline()
        if not line:
            sys.exit(0)     # QEMU has ended
        message = json.loads(line)
        if message.get("event") == "DEVICE_DELETED":
            self.deleted.add(message["data"].get("device"))
        return message

    def command(self, name, **arguments):
        self.socket.sendall((json.dumps({"execute": name, "arguments": arguments}) + "\n").encode())
        while True:
            message = self.read()
            if "error" in message:
                sys.exit(f"plug.py: QEMU refuses {name} {arguments}: {message['error']['desc']}")
            if "return" in message:
                return message["return"]

    def wait_deleted(self, device):
        while device not in self.deleted:
            self.read()


class Port:
    """The port and the NPU behind it."""

    def __init__(self, monitor):
        self.monitor = monitor
        self.number = 0

    def npu(self):
        return f"npu{self.number}"

    def unplug(self, _):
        self.monitor.command("device_del", id=self.npu())

    def plug(self, _):
        self.monitor.wait_deleted(self.npu())
        self.number += 1
        self.monitor.command("device_add", id=self.npu(), **NPU)

    def aer(self, error):
        # The answer is "OK" and a line about the injected error, or else says what went wrong.
        line = f"pcie_aer_inject_error {self.npu()} {error}"
        said = self.monitor.command("human-monitor-command", **{"command-line": line})
        if not said.startswith("OK "):
            sys.exit(f"plug.py: QEMU refuses {line}: {said}")


def main():
    os.chdir(sys.argv[1])
    parent, port = os.getppid(), None
    while not os.path.exists("done") and os.getppid() == parent:
        for name in ("unplug", "plug", "aer"):
            if not os.path.exists(name):
                continue
            port = port or Port(Monitor("monitor"))
            with open(name, encoding="ascii") as f:
                getattr(port, name)(f.read())
            os.unlink(name)
        time.sleep(0.05)


main()
