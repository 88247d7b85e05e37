# SPDX-License-Identifier: MIT
"""Which test of a layer executes which statement: kept from one run to the next in build/mutants/LAYER/map.json."""
import difflib
import glob
import hashlib
import json
import os

from layers import TOP, read


def digest_of(argv):
    """A digest of the sources of a test's program: what it executes is measured again when they change."""
    name, found = os.path.splitext(os.path.basename(argv[0]))[0], hashlib.sha256()
    for folder in ("", "unit/", "libacl/"):
        for path in sorted(glob.glob("%s/tests/%s*/%s*" % (TOP, folder, name))):
            if os.path.isfile(path) and os.path.splitext(os.path.basename(path))[0] == name:
                with open(path, "rb") as f:
                    found.update(f.read())
    return found.hexdigest()


class Map:
    """Statements that tests execute. A source that has changed since is found again by its lines that have not."""

    def __init__(self, file):
        self.file = file
        # Texts of the sources; number of each statement by its path, line and column; of each test what it reaches (bits of an
        # integer), its seconds, and the digest of its program
        self.sources, self.numbers, self.tests = {}, {}, {}
        self.lines_then = {}
        if os.path.exists(file):
            kept = json.loads(read(file))
            self.sources = kept["sources"]
            self.numbers = {(path, line, column): n for path, line, column, n in kept["statements"]}
            self.tests = {name: (int(bits, 16), seconds, digest) for name, (bits, seconds, digest) in kept["tests"].items()}

    def begin(self, watched):
        """Begins anew with sources that have probes: {path: Watched}."""
        self.sources = {path: w.source for path, w in watched.items()}
        self.numbers = {(path, *place): n for path, w in watched.items() for n, place in w.places()}
        self.tests = {}

    def add(self, name, argv, reached, seconds):
        self.tests[name] = sum(1 << n for n in set(reached)), seconds, digest_of(argv)

    def save(self):
        kept = {"sources": self.sources, "statements": [[*place, n] for place, n in self.numbers.items()],
                "tests": {name: ["%x" % bits, round(seconds, 3), digest] for name, (bits, seconds, digest) in self.tests.items()}}
        with open(self.file + ".new", "w", encoding="utf-8") as f:
            json.dump(kept, f)
        os.replace(self.file + ".new", self.file)

    def fresh(self, tests):
        """The names of the tests that the map knows as they are: {name: {"argv": ...}}."""
        digests = {}
        for name, test in tests.items():
            if name in self.tests:
                program = test["argv"][0]
                digests[program] = digests.get(program) or digest_of(test["argv"])
                if self.tests[name][2] == digests[program]:
                    yield name

    def then(self, path, source, line):
        """The line of the map's source that is @line now, or None."""
        if source == self.sources.get(path):
            return line
        if path not in self.lines_then:
            same = difflib.SequenceMatcher(None, self.sources.get(path, "").splitlines(), source.splitlines(), autojunk=False)
            self.lines_then[path] = {b + i + 1: a + i + 1 for a, b, size in same.get_matching_blocks() for i in range(size)}
        return self.lines_then[path].get(line)

    def reaching(self, path, source, place):
        """The tests that execute the statement at a place, and whether that is known: of a statement that is new since, or has no
        number, those that execute anything of its source."""
        line, column = place
        number = self.numbers.get((path, self.then(path, source, line), column))
        mask = sum(1 << n for (p, _, _), n in self.numbers.items() if p == path) if number is None else 1 << number
        return [name for name, (bits, _, _) in self.tests.items() if bits & mask]

    def lines(self, name):
        """How many statements a test executes."""
        return bin(self.tests[name][0]).count("1")
