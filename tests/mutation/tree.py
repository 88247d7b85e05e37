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

from coverage import Map
from layers import LAYERS, NEAREST, TOP, callers_of, read
from schema import Schema, Watched, errors_of, space_for
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
        # Seconds of each test, the numbers that those reach which were measured for this run, and how many bytes the numbers need
        self.durations, self.reached, self.size = {}, {}, space_for(0)
        self.vms = Vms(self)
        self.map = Map(os.path.join(self.home, "map.json"))
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
        schemas, driver = {}, self.layer.startswith("kernel")
        for path, source in self.with_parameters(sources).items():
            own = {n: m for n, m in mutants.items() if m.path == path}
            parameters = path == PARAMETERS_IN
            if own or parameters:
                schemas[path] = Schema(source, own, self.size, driver, parameters)
        wrong = self.compile(schemas)
        self.probes = {n: probe for schema in schemas.values() for n, probe in schema.probes.items()}
        self.places = {n: (path, schema.source, place) for path, schema in schemas.items() for n, place in schema.places.items()}
        return wrong

    def with_parameters(self, sources):
        """Sources, and of the driver the one that gets the parameters of the module."""
        if not self.layer.startswith("kernel"):
            return sources
        return dict(sources, **{PARAMETERS_IN: read(os.path.join(TOP, PARAMETERS_IN))})

    def compile(self, schemas):
        """Builds sources with what is put into them: {path: Schema or Watched}. Returns what had to be dropped."""
        for path, schema in schemas.items():
            self.write(path, schema.text())
        wrong = set()
        while True:
            done = subprocess.run(self.build.replace("make -s", "make -sk -j2"), shell=True, cwd=self.tree, stdin=subprocess.DEVNULL,
                                  capture_output=True, text=True, errors="replace", check=False)
            if not done.returncode:
                break
            dropped = self.drop(schemas, done.stderr)
            if not dropped:
                sys.exit("tests/mutants: '%s' failed:\n%s" % (self.build, done.stderr[-3000:]))
            wrong |= {number for _, number in dropped}
        for command in self.tests.prepare:
            if self.shell(command).returncode:
                sys.exit("tests/mutants: '%s' failed" % command)
        return wrong

    def watch(self, sources):
        """Makes the map: builds everything with a probe at each statement and runs every test by itself."""
        watched, begin, driver = {}, 0, self.layer.startswith("kernel")
        sources = self.with_parameters(sources)
        for path, source in sources.items():
            watched[path] = Watched(source, begin, 0, driver, path == PARAMETERS_IN)
            begin = watched[path].end
        self.size = space_for(begin)
        for schema in watched.values():
            schema.size = self.size
        print("building with %d probes" % begin, flush=True)
        dropped = self.compile(watched)
        self.map.begin(watched)
        self.measure(list(self.tests.tests))
        for name, numbers in self.reached.items():
            self.map.add(name, self.tests.tests[name]["argv"], numbers, self.durations[name])
        self.map.save()
        executed = 0
        for bits, _, _ in self.map.tests.values():
            executed |= bits
        print("%d of %d statements are executed by %d tests; %d functions are not watched, as they do not compile so" % (
            bin(executed).count("1"), len(self.map.numbers), len(self.map.tests), len(dropped)))

    def drop(self, schemas, said):
        """Leaves out what a compiler complains about: (path, number) of mutants, or of functions that are watched."""
        dropped, changed = set(), set()
        for name, line in errors_of(said):
            same = [p for p in schemas if os.path.basename(p) == os.path.basename(name)]
            path = max(same, key=lambda p: len(os.path.commonprefix([p[::-1], name[::-1]])), default=None)
            number = schemas[path].at(line) if path else None
            if number is not None and schemas[path].numbered.pop(number, None) is not None:
                dropped.add((path, number))
                changed.add(path)
        for path in changed:
            self.write(path, schemas[path].text())
        return dropped

    def baseline(self):
        """Without a mutant tests pass; how long each takes is kept, and what each reaches. What the map knows is not measured again."""
        known = set(self.map.fresh(self.tests.tests))
        self.durations.update((name, self.map.tests[name][1]) for name in known)
        self.measure([name for name in self.tests.tests if name not in known])
        if known:
            print("the map knows %d tests; %d others have run without a mutant" % (len(known), len(self.reached)), flush=True)
        else:
            print("without a mutant all %d tests pass, in %.0f s" % (len(self.tests.tests), sum(self.durations.values())), flush=True)

    def measure(self, names):
        """Runs tests without a mutant. A few that fail are left out: on a busy machine a test may take a wait of seconds for a hang."""
        plan = [{"id": name, "number": 0, "tests": [name], "watch": True} for name in names]
        self.reached, failures, done, count = {}, [], 0, len(plan)
        for attempt in range(2):
            failures = []
            for tried in self.vms.run(plan, dict.fromkeys(self.tests.tests, AT_FIRST)):
                self.durations.update(tried.times)
                failures += [tried.why] if tried.why else []
                self.reached.update((name, set(numbers)) for name, numbers in tried.reached.items())
                done += 1
                if done % 100 == 0 and not attempt:
                    self.say("%d of %d tests have run" % (done, count))
            plan = [p for p in plan if any(f.startswith(p["id"] + ": ") for f in failures)]
            if not plan:
                break
        if len(plan) * 20 > len(self.tests.tests):
            sys.exit("tests/mutants: without a mutant this fails: %s (--without leaves programs out)" % ", ".join(failures))
        for why in failures:
            self.say("left out, as it fails without a mutant: " + why[:200])
        for name in (p["id"] for p in plan):
            del self.tests.tests[name]
            self.reached.pop(name, None)

    def reaching(self, number):
        """The tests that reach a mutant's statement: what the map knows of them, and what was measured for this run."""
        measured = {name for name, numbers in self.reached.items() if self.probes.get(number) in numbers}
        mapped = self.map.reaching(*self.places[number]) if self.map.tests and number in self.places else ()
        return measured.union(name for name in mapped if name in self.tests.tests and name not in self.reached)

    def chosen(self, number, mutant, budget):
        """The tests to run for a mutant, in their order, and whether that is every one that could matter. Those come first that execute
        little else: they are about that statement. A quick one has the better chance for its time."""
        near = self.near(mutant.path)

        def cost(name):
            lines = self.map.lines(name) if name in self.map.tests else 1
            return max(self.durations.get(name, 1), 0.02) * lines * (0.1 if name.split()[0] in near else 1)

        taken, spent, complete = [], 0, True
        for name in sorted(sorted(self.reaching(number)), key=cost):
            seconds = self.durations.get(name, 1)
            # One that takes too long leaves the time to those behind it.
            if taken and spent + seconds > budget:
                complete = False
                continue
            spent += seconds
            taken.append(name)
        return taken, complete

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
        return "not covered: no test executes it"
    return "%d tests pass%s" % (len(tests), "" if complete else ", others have not run")
