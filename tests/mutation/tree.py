# SPDX-License-Identifier: MIT
"""The copy of the tree that mutants are applied to."""
import contextlib
import fcntl
import fnmatch
import glob
import hashlib
import os
import shutil
import subprocess
import sys

from layers import InVm, LAYERS, LIB_UNITS, NEAREST, TOP, callers_of
from processes import run
from reach import reach_of_lib
from vms import Build, Vms


class Copy:
    """The copy of the tree that mutants are applied to, and what is known of it."""

    def __init__(self, layer, patience, without):
        self.layer, self.patience = layer, patience
        self.home = os.path.join(TOP, "build/mutants", layer)
        self.tree = os.path.join(self.home, "tree")
        self.sources, self.build, self.object, self.prepare, tests = LAYERS[layer]
        self.tests = tests()
        self.tests.programs = [p for p in self.tests.programs if p not in without]
        self.durations, self.digests, self.reach = {}, {}, None
        self.of_lib, self.in_vm = layer in ("lib", "lib-vm"), isinstance(self.tests, InVm)
        self.vms, self.builder = Vms(self), Build(layer, self.tree)
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

    def digest(self, path, file=None):
        """Of the code and data of a source's object file, without what is for debuggers."""
        stripped = os.path.join(self.home, "stripped.o")
        subprocess.run(["strip", "-g", "-o", stripped, file or os.path.join(self.tree, self.object(path))], check=True)
        with open(stripped, "rb") as f:
            return hashlib.sha256(f.read()).hexdigest()

    def say(self, text):
        print("            " + text, flush=True)

    def reaching(self, mutant):
        """The programs that reach a mutant's line, or None if that is not known."""
        lines = (self.reach or {}).get(mutant.path)
        if lines is None:
            return None
        # What stands on several lines counts for the first one.
        for line in range(mutant.line, max(0, mutant.line - 8), -1):
            if str(line) in lines:
                return lines[str(line)]
        return None

    def chosen(self, mutant, budget):
        """The programs to run for a mutant, in their order, and whether that is every one that could matter."""
        programs, reaching = self.ordered(mutant.path), self.reaching(mutant)
        if reaching is not None:
            programs = [p for p in programs if p in reaching]
        taken, spent = [], 0
        for program in programs:
            spent += self.durations.get(program, 1)
            if taken and spent > budget:
                return taken, False
            taken.append(program)
        return taken, True

    def ordered(self, path):
        """Every program of the layer: the nearest ones to a source, then the others, fast ones first."""
        near = callers_of(path, self.tests.programs) if self.of_lib else []
        for pattern, names in NEAREST[self.layer]:
            if fnmatch.fnmatch(path, pattern):
                near += [p for name in names.split() for p in self.tests.programs if fnmatch.fnmatch(p, name) and p not in near]
                break
        if self.of_lib and "keeps" in self.tests.programs and "keeps" not in near:
            near.append("keeps")
        rest = [p for p in self.tests.programs if p not in near]
        return near + sorted(rest, key=lambda p: self.durations.get(p, 0))

    def limits(self):
        """Seconds after which a program hangs; "" stands for what the VM does before the first one."""
        limits = {p: self.patience + 5 * self.durations.get(p, 0) for p in self.tests.programs}
        limits[""] = 300
        return limits

    def test(self, programs, show=False):
        """Runs programs of the host until the first failure, which is told."""
        for name, build, command in self.tests.steps(programs, self.tree):
            if self.shell(build, subprocess.DEVNULL).returncode:
                sys.exit("tests/mutants: '%s' failed" % build)
            failure, _ = run(name, command, self.limits(), self.tree, show)
            if failure:
                return failure
        return None

    def shell(self, command, out=None):
        return subprocess.run(command, shell=True, cwd=self.tree, stdin=subprocess.DEVNULL, stdout=out, stderr=out, check=False)

    def begin(self):
        """Builds everything without a mutant."""
        for command in (self.build, self.prepare):
            if self.shell(command).returncode:
                sys.exit("tests/mutants: '%s' failed without a mutant" % command)

        if self.in_vm:
            pristine = os.path.join(self.home, "pristine")
            os.makedirs(pristine, exist_ok=True)
            if self.layer == "kernel":
                shutil.copy(self.tree + "/build/kernel/anpu.ko", pristine)

    def baseline(self):
        """Without a mutant every program passes; how long each takes is kept, and of libacl what each reaches."""
        if self.of_lib:
            self.reach = reach_of_lib(self)
        elif self.in_vm:
            plan = [{"id": p, "file": os.path.join(self.home, "pristine/anpu.ko"), "programs": [p]} for p in self.tests.programs]
            failures = []
            for _, why, _, times in self.vms.run(plan, {p: 900 for p in self.tests.programs}):
                self.durations.update(times)
                failures += [why] if why else []
            if failures:
                sys.exit("tests/mutants: without a mutant this fails (see --without): %s" % ", ".join(failures))
        else:
            self.baseline_on_host()
        print("without a mutant all %d programs pass, in %.0f s" % (len(self.tests.programs), sum(self.durations.values())),
              flush=True)

    def baseline_on_host(self):
        for name, build, command in self.tests.steps(self.tests.programs, self.tree):
            if self.shell(build).returncode:
                sys.exit("tests/mutants: '%s' failed without a mutant" % build)
            failure, times = run(name, command, {p: 900 for p in ["", *self.tests.programs]}, self.tree)
            if failure:
                sys.exit("tests/mutants: without a mutant this fails: %s" % failure)
            self.durations.update(times)

    def judge(self, mutant, source, programs, complete, show=False):
        """What becomes of a mutant whose tests run on the host: its state, the reason, whether every program has run."""
        try:
            self.write(mutant.path, mutant.apply(source))
            built = subprocess.run(self.build, shell=True, cwd=self.tree, stdin=subprocess.DEVNULL, capture_output=True, check=False)
            if built.returncode:
                if show:
                    print(built.stderr.decode("utf-8", "replace"))
                return "invalid", "does not compile", True
            if self.digest(mutant.path) == self.digests[mutant.path]:
                return "same", "the object file is the same", True
            failure = self.test(programs, show)
            return ("killed", failure, True) if failure else ("survived", survival(programs, complete), complete)
        finally:
            self.write(mutant.path, source)

    @contextlib.contextmanager
    def applied(self, mutant, source):
        """The copy has the mutant meanwhile. Its time is restored, as nothing that make builds afterwards is of the mutant."""
        path = os.path.join(self.tree, mutant.path)
        times = os.stat(path)
        try:
            self.write(mutant.path, mutant.apply(source))
            yield
        finally:
            self.write(mutant.path, source)
            os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))

    def unit_fails(self, mutant, source):
        """What a test of libacl on the host says of a mutant, if there is one for its source."""
        program = next((p for pattern, p in LIB_UNITS if self.of_lib and fnmatch.fnmatch(mutant.path, pattern)), None)
        if not program:
            return None
        target = self.tree + "/build/tests/unit-lib/" + program
        with self.applied(mutant, source):
            if os.path.exists(target):
                os.unlink(target)
            if self.shell("make -s -C tests/unit/lib " + target, subprocess.DEVNULL).returncode:
                return None
            return run("unit/" + program, target, {"": 60}, self.tree)[0]

    def build_for_vm(self, mutant, source, where):
        """Makes the library or the driver of a mutant. Returns its state if it is not to be tested."""
        shutil.rmtree(where, ignore_errors=True)
        os.makedirs(where)
        compiles, links = self.builder.command(mutant.path, where)
        with self.applied(mutant, source):
            done = subprocess.run(compiles, shell=True, cwd=self.tree, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                  check=False)
        if done.returncode:
            return "invalid"
        if self.digest(mutant.path, where + "/object.o") == self.digests[mutant.path]:
            return "same"
        done = subprocess.run(links, shell=True, cwd=self.tree, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit("tests/mutants: %s is not linked: %s" % (mutant.id, done.stderr))
        return None


def survival(programs, complete):
    if not programs:
        return "no program reaches it"
    return "%d programs pass%s" % (len(programs), "" if complete else ", others have not run")
