# SPDX-License-Identifier: MIT
"""The copy of the tree that mutants are applied to."""
import contextlib
import fcntl
import fnmatch
import hashlib
import os
import re
import shutil
import subprocess
import sys

from layers import LAYERS, NEAREST, TOP, callers_of, read
from schema import Schema, errors_of, space_for
from vms import Vms

# Without a mutant a test may take this long.
AT_FIRST = 900
# The source of the driver that gets the parameters of the module
PARAMETERS_IN = "kernel/device/anpu_drv.c"


class Copy:
    """The copy of the tree that mutants are applied to, and what is known of it."""

    def __init__(self, layer, patience, without):
        self.layer, self.patience = layer, patience
        self.home = os.path.join(TOP, "build/mutants", layer)
        self.tree = os.path.join(self.home, "tree")
        self.sources, self.build, self.object, tests = LAYERS[layer]
        self.tests = tests()
        self.tests.without(without)
        # Seconds of each test, the tests that reach each number, and how many bytes the numbers need
        self.durations, self.reach, self.size = {}, {}, space_for(0)
        self.vms = Vms(self)
        os.makedirs(os.path.join(self.tree, "build"), exist_ok=True)
        self.lock = open(os.path.join(self.home, "lock"), "w", encoding="ascii")
        try:
            fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            sys.exit("tests/mutants: another run uses %s" % self.home)

    def update(self):
        """Makes the copy what the tree is, which also takes back a mutant that a killed run has left."""
        names = subprocess.run(["git", "-C", TOP, "ls-files", "-zco", "--exclude-standard"], check=True,
                               capture_output=True).stdout.decode().split("\0")
        names = {n for n in names if n and os.path.isfile(os.path.join(TOP, n)) and not n.startswith("build/")}
        for name in names:
            source, target = os.path.join(TOP, name), os.path.join(self.tree, name)
            with open(source, "rb") as f:
                content = f.read()
            if os.path.exists(target):
                with open(target, "rb") as f:
                    if f.read() == content:
                        continue
            os.makedirs(os.path.dirname(target), exist_ok=True)
            shutil.copy(source, target)
        for where, directories, files in os.walk(self.tree):
            if where == self.tree:
                directories.remove("build")
            for name in files:
                path = os.path.join(where, name)
                if os.path.relpath(path, self.tree) not in names and not name.endswith(".pyc"):
                    os.unlink(path)
        # What is fetched or made once is not made again.
        for name in ("cache", "guest", "qemu"):
            link = os.path.join(self.tree, "build", name)
            if not os.path.lexists(link):
                os.symlink(os.path.join(TOP, "build", name), link)

    def write(self, path, text):
        with open(os.path.join(self.tree, path), "w", encoding="utf-8") as f:
            f.write(text)

    def say(self, text):
        print("            " + text, flush=True)

    def shell(self, command):
        return subprocess.run(command, shell=True, cwd=self.tree, stdin=subprocess.DEVNULL, check=False)

    def install(self, mutants, sources):
        """Builds everything with mutants: {number: mutant}. Returns the numbers of those that do not compile."""
        self.size = space_for(max(mutants, default=0) + 1)
        schemas, wrong = {}, set()
        if self.layer.startswith("kernel"):
            sources = dict(sources, **{PARAMETERS_IN: read(os.path.join(TOP, PARAMETERS_IN))})
        for path, source in sources.items():
            own = {n: m for n, m in mutants.items() if m.path == path}
            parameters = path == PARAMETERS_IN
            if own or parameters:
                schemas[path] = Schema(source, own, self.size, self.layer.startswith("kernel"), parameters)
                self.write(path, schemas[path].text())
        while True:
            done = subprocess.run(self.build.replace("make -s", "make -sk -j2"), shell=True, cwd=self.tree, stdin=subprocess.DEVNULL,
                                  capture_output=True, text=True, errors="replace", check=False)
            if not done.returncode:
                break
            dropped = self.drop(schemas, done.stderr)
            if not dropped:
                sys.exit("tests/mutants: '%s' failed:\n%s" % (self.build, done.stderr[-3000:]))
            wrong |= dropped
        for command in self.tests.prepare:
            if self.shell(command).returncode:
                sys.exit("tests/mutants: '%s' failed" % command)
        self.probes = {n: probe for schema in schemas.values() for n, probe in schema.probes.items()}
        return wrong

    def drop(self, schemas, said):
        """Leaves out the mutants that a compiler complains about."""
        dropped, changed = set(), set()
        for name, line in errors_of(said):
            same = [p for p in schemas if os.path.basename(p) == os.path.basename(name)]
            path = max(same, key=lambda p: len(os.path.commonprefix([p[::-1], name[::-1]])), default=None)
            number = path and schemas[path].at(line)
            if number:
                dropped.add(number)
                changed.add(path)
        for number in dropped:
            for schema in schemas.values():
                schema.numbered.pop(number, None)
        for path in changed:
            self.write(path, schemas[path].text())
        return dropped

    def baseline(self):
        """Without a mutant tests pass; how long each takes is kept, and what each reaches. A few that fail are left out: on a busy
        machine a test may take a wait of seconds for a hang."""
        plan = [{"id": name, "number": 0, "tests": [name], "watch": True} for name in self.tests.tests]
        self.reach, failures = {}, []
        for attempt in range(2):
            failures = []
            for tried in self.vms.run(plan, dict.fromkeys(self.tests.tests, AT_FIRST)):
                self.durations.update(tried.times)
                failures += [tried.why] if tried.why else []
                for name, numbers in tried.reached.items():
                    for number in numbers:
                        self.reach.setdefault(number, []).append(name)
            plan = [p for p in plan if any(f.startswith(p["id"] + ": ") for f in failures)]
            if not plan:
                break
        if len(plan) * 20 > len(self.tests.tests):
            sys.exit("tests/mutants: without a mutant this fails: %s (--without leaves programs out)" % ", ".join(failures))
        for why in failures:
            self.say("left out, as it fails without a mutant: " + why[:200])
        for name in (p["id"] for p in plan):
            del self.tests.tests[name]
            self.reach = {number: [n for n in names if n != name] for number, names in self.reach.items()}
        print("without a mutant all %d tests pass, in %.0f s" % (len(self.tests.tests), sum(self.durations.values())), flush=True)

    def chosen(self, number, mutant, budget):
        """The tests to run for a mutant, in their order, and whether that is every one that could matter."""
        near = self.near(mutant.path)

        def cost(name):
            return self.durations.get(name, 1) * (0.1 if name.split()[0] in near else 1)

        taken, spent = [], 0
        for name in sorted(set(self.reach.get(self.probes.get(number), ())), key=cost):
            spent += self.durations.get(name, 1)
            if taken and spent > budget:
                return taken, False
            taken.append(name)
        return taken, True

    def near(self, path):
        """The programs that are nearest to a source."""
        programs = self.tests.programs()
        near = callers_of(path, programs) if self.layer in ("lib", "lib-vm") else []
        for pattern, names in NEAREST[self.layer]:
            if fnmatch.fnmatch(path, pattern):
                return near + [p for name in names.split() for p in programs if fnmatch.fnmatch(p, name)]
        return near

    def limits(self):
        """Seconds after which a test hangs."""
        return {name: self.patience + 5 * self.durations.get(name, AT_FIRST) for name in self.tests.tests}

    @contextlib.contextmanager
    def applied(self, path, text):
        """The copy has another text of a source meanwhile."""
        before = read(os.path.join(self.tree, path))
        try:
            self.write(path, text)
            yield
        finally:
            self.write(path, before)

    def compiled(self, path, text):
        """A digest of the code and data of a source, without what is for debuggers."""
        made = os.path.join(self.home, "alone.o")
        with self.applied(path, text):
            done = subprocess.run(self.compiler(path, made), shell=True, cwd=self.tree, stdin=subprocess.DEVNULL, capture_output=True,
                                  text=True, check=False)
        if done.returncode:
            sys.exit("tests/mutants: %s does not compile: %s" % (path, done.stderr))
        subprocess.run(["strip", "-g", made], check=True)
        with open(made, "rb") as f:
            return hashlib.sha256(f.read()).hexdigest()

    def compiler(self, path, made):
        """The shell command that compiles a source of the copy."""
        target = os.path.join(self.tree, self.object(path))
        if self.layer.startswith("kernel"):
            saved = read(os.path.join(os.path.dirname(target), ".%s.cmd" % os.path.basename(target)))
            command = re.sub(r"-Wp,-MMD,\S+", "", re.match(r"savedcmd_\S+ := (.*)", saved)[1])
            own = target[:-2]
            return "cd build/guest/kdir && " + re.sub(r"(-o |\s)%s\.o" % re.escape(own), r"\g<1>" + made, command)
        directory = re.search(r"-C (\S+)", self.build)[1]
        said = subprocess.run(["make", "-nB", "V=1", "-C", directory, "WARN=-w", target], cwd=self.tree, check=True,
                              capture_output=True, text=True).stdout.replace("\\\n", " ")
        command = next(line for line in said.splitlines() if " -c -o " in line and os.path.basename(path) in line)
        return "cd %s && %s" % (directory, re.sub(r" -MMD| -MP| -MT \S+", "", command).replace(target, made))

    def is_same(self, mutant, source):
        """Whether a mutant compiles to what the source does without it."""
        return self.compiled(mutant.path, source) == self.compiled(mutant.path, mutant.apply(source))


def survival(tests, complete):
    if not tests:
        return "no test reaches it"
    return "%d tests pass%s" % (len(tests), "" if complete else ", others have not run")
