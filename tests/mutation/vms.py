# SPDX-License-Identifier: MIT
"""What tries mutants, many in one VM or on this machine."""
import json
import os
import selectors
import signal
import subprocess
import sys
import time


def end_group(process):
    for kind, patience in ((signal.SIGTERM, 5), (signal.SIGKILL, 5)):
        try:
            os.killpg(process.pid, kind)
            process.wait(patience)
        except (ProcessLookupError, subprocess.TimeoutExpired):
            pass


class Machine:
    """A process that tells what it does, line by line, and for each line has its time."""

    def __init__(self, command, directory, environment):
        self.process = subprocess.Popen("exec " + command, shell=True, cwd=directory, text=True, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True, errors="replace",
                                        env=environment)
        os.set_blocking(self.process.stdout.fileno(), False)
        self.said = {self.process.stdout: "", self.process.stderr: ""}
        self.deadline = time.monotonic() + 300
        self.hangs = False
        self.status = None

    def lines(self):
        """The lines of its output until it ends, or until nothing comes before the deadline."""
        out = self.process.stdout
        with selectors.DefaultSelector() as selector:
            for stream in self.said:
                selector.register(stream, selectors.EVENT_READ)
            while selector.get_map():
                events = selector.select(max(0, self.deadline - time.monotonic()))
                if not events:
                    self.hangs = True
                    return
                for key, _ in events:
                    data = os.read(key.fd, 65536).decode("utf-8", "replace")
                    if not data:
                        selector.unregister(key.fileobj)
                    self.said[key.fileobj] += data
                *lines, self.said[out] = self.said[out].split("\n")
                yield from lines
        self.status = self.process.wait(60)

    def failure(self):
        if self.hangs:
            return "hangs"
        return "the VM ended with status %s: %s" % (self.status, self.said[self.process.stderr].strip()[-300:])


class Tried:
    """What became of a mutant: why it is killed, if it is, how long that took, and each test's time and what it reached."""

    def __init__(self, mutant):
        self.mutant, self.why, self.seconds = mutant, None, 0.0
        self.times, self.reached = {}, {}


class Vms:
    """Tries mutants of sources that are built already, many in one VM."""

    def __init__(self, copy):
        self.copy = copy
        self.plan = os.path.join(copy.home, "plan.json")

    def start(self, mutants, limits, show):
        tests, driver = self.copy.tests, os.path.join(self.copy.tree, "build/kernel/anpu.ko")
        of_driver = self.copy.layer.startswith("kernel")
        with open(self.plan, "w", encoding="utf-8") as f:
            json.dump({"tests": tests.tests, "limits": limits, "check": tests.check, "show": show, "vm": tests.vm,
                       "driver": driver if of_driver else None, "reached": self.copy.size, "mutants": mutants}, f)
        return Machine("%stests/mutation/inside %s" % (tests.command.format(driver=driver), self.plan), self.copy.tree,
                       dict(os.environ, LD_LIBRARY_PATH="{0}/build/lib:{0}/build/cuda".format(self.copy.tree)))

    def boot(self, mutants, limits, show):
        """Tries mutants until the VM ends. Yields what became of those that were tried."""
        by_id = {m["id"]: m for m in mutants}
        machine = self.start(mutants, limits, show)
        tried, test, begun = None, None, time.monotonic()
        try:
            for line in machine.lines():
                what = json.loads(line[2:]) if line.startswith("@ ") else {}
                if "mutant" in what:
                    tried, test, begun = Tried(by_id[what["mutant"]]), None, time.monotonic()
                    machine.deadline = begun + 120
                elif "begins" in what:
                    test = what["begins"]
                    machine.deadline = time.monotonic() + 5 * limits[test] + 60
                elif "reached" in what:
                    tried.reached[what["test"]] = what["reached"]
                elif "ends" in what:
                    tried.times[what["ends"]] = what["seconds"]
                elif "doubt" in what:
                    self.copy.say("%s fails without a mutant, too" % what["doubt"])
                elif "of" in what:
                    tried.why, tried.seconds = what["why"], what["seconds"]
                    yield tried
                    tried, machine.deadline = None, time.monotonic() + 120
                elif "spoilt" in what:
                    self.copy.say("the VM is started again: " + what["spoilt"])
                    tried = None
                elif show:
                    print("    " + line, flush=True)
        finally:
            end_group(machine.process)
        if tried is not None:
            tried.why, tried.seconds = "%s: %s" % (test or "it does not load", machine.failure()), time.monotonic() - begun
            yield tried

    def run(self, mutants, limits, show=False):
        left = list(mutants)
        while left:
            before = len(left)
            for tried in self.boot(left, limits, show):
                left.remove(tried.mutant)
                yield tried
            if len(left) == before:
                sys.exit("tests/mutants: the VM tests nothing")
