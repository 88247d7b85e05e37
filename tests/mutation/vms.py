# SPDX-License-Identifier: MIT
"""Libraries and drivers with a mutant each, and the VM that tests many of them."""
import json
import os
import re
import selectors
import subprocess
import sys
import time

from layers import LAYERS, read
from processes import end_group


class Build:
    """Compiles one source of the copy and links what the VM runs, without make, which would also look at everything else."""

    def __init__(self, layer, tree):
        self.of_lib, self.tree = layer in ("lib", "lib-vm"), tree
        self.commands = {}

    def make_says(self, target, wanted):
        """The command for @target that has @wanted in it."""
        out = subprocess.run(["make", "-nB", "V=1", "-C", "lib", "WARN=-Wall", target], cwd=self.tree, check=True,
                             capture_output=True, text=True).stdout.replace("\\\n", " ")
        return next(line for line in out.splitlines() if wanted in line)

    def kbuild_says(self, name):
        """The command that Kbuild has kept for a file."""
        saved = read("%s/build/kernel/.%s.cmd" % (self.tree, name))
        return re.match(r"savedcmd_\S+ := (.*)", saved)[1]

    def command(self, path, where):
        """The shell command that makes @where/object.o of a source, and then the library or the driver in @where."""
        name = os.path.basename(path)[:-2]
        if self.of_lib:
            target = "%s/%s" % (self.tree, LAYERS["lib"][2](path))
            library = self.tree + "/build/lib/libascendcl.so"
            if path not in self.commands:
                self.commands[path] = self.make_says(target, " -c -o "), self.make_says(library, " -shared ")
            compiles, links = self.commands[path]
            return (re.sub(r" -MMD| -MP| -MT \S+", "", compiles).replace(target, where + "/object.o"),
                    links.replace(target, where + "/object.o").replace("-o " + library, "-o %s/libascendcl.so" % where) +
                    " && strip -g {0}/libascendcl.so && ln -sf libascendcl.so {0}/libacl.so && ln -sf {1}/build/lib/libanpu-direct.so {0}".format(
                        where, self.tree))
        built = self.tree + "/build/kernel/"
        if path not in self.commands:
            self.commands[path] = [self.kbuild_says(n) for n in (name + ".o", "anpu.o", "anpu.ko")]
        compiles, joins, links = self.commands[path]
        compiles = re.sub(r"-Wp,-MMD,\S+", "", compiles).replace("-o %s%s.o" % (built, name), "-o %s/object.o" % where)
        compiles = compiles.replace(" %s%s.o" % (built, name), " %s/object.o" % where)
        objects = read(built + "anpu.mod").split()
        objects = [where + "/object.o" if o.endswith("/%s.o" % name) else o for o in objects]
        joins = joins.replace("@%sanpu.mod" % built, " ".join(objects)).replace(built + "anpu.o", where + "/anpu.o")
        links = links.replace(built + "anpu.o", where + "/anpu.o").replace(built + "anpu.ko", where + "/anpu.ko")
        return ("cd build/guest/kdir && " + compiles,
                "cd build/guest/kdir && export SRCARCH=x86 && %s && %s && strip -g %s/anpu.ko && rm %s/anpu.o" % (joins, links, where, where))

    def result(self, where):
        return where if self.of_lib else where + "/anpu.ko"


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


class Vms:
    """Runs mutants that are built already, many in one VM."""

    def __init__(self, copy):
        self.copy = copy
        self.plan = os.path.join(copy.home, "plan.json")

    def start(self, mutants, limits, show):
        tests, pristine = self.copy.tests, os.path.join(self.copy.home, "pristine")
        with open(self.plan, "w", encoding="utf-8") as f:
            json.dump({"layer": "lib" if self.copy.of_lib else "kernel", "native": tests.native, "directory": tests.directory, "limits": limits, "check": tests.check,
                       "show": show, "pristine": pristine + "/anpu.ko", "mutants": mutants}, f)
        libraries = self.copy.tree + "/build/lib" if tests.native else pristine
        return Machine("%s tests/mutation/inside %s" % (tests.command.format(pristine=pristine + "/anpu.ko"), self.plan),
                       self.copy.tree, dict(os.environ, LD_LIBRARY_PATH=libraries))

    def boot(self, mutants, limits, show):
        """Tests mutants until the VM ends. Yields (mutant, why or None, seconds, times of programs) of those that were tested."""
        by_id = {m["id"]: m for m in mutants}
        machine = self.start(mutants, limits, show)
        current, program, begun, times = None, None, time.monotonic(), {}
        try:
            for line in machine.lines():
                what = json.loads(line[2:]) if line.startswith("@ ") else {}
                if "mutant" in what:
                    current, program, begun, times = what["mutant"], None, time.monotonic(), {}
                    machine.deadline = begun + 120
                elif "begins" in what:
                    program = what["begins"]
                    machine.deadline = time.monotonic() + 5 * limits[program] + 60
                elif "ends" in what:
                    times[what["ends"]] = what["seconds"]
                elif "of" in what:
                    yield by_id[what["of"]], what["why"], what["seconds"], times
                    current, machine.deadline = None, time.monotonic() + 120
                elif "spoilt" in what:
                    self.copy.say("the VM is started again: " + what["spoilt"])
                    current = None
                elif show:
                    print("    " + line, flush=True)
        finally:
            end_group(machine.process)
        if current is not None:
            yield by_id[current], "%s: %s" % (program or "it does not load", machine.failure()), time.monotonic() - begun, times

    def run(self, mutants, limits, show=False):
        left = list(mutants)
        while left:
            before = len(left)
            for done in self.boot(left, limits, show):
                left.remove(done[0])
                yield done
            if len(left) == before:
                sys.exit("tests/mutants: the VM tests nothing")
