# SPDX-License-Identifier: MIT
"""Sources that hold many mutants at once, and choose one when they run.

A function that has mutants gets a copy of its body for each of them. Which copy runs is the number in anpu_mutant: 0 is the
function as it is. That body tells which statements run, so that a mutant is tried only with tests that reach its statement.
"""
import re

from sources import KEYWORDS, TYPES, bodies, partner, tokens_of

# For a program or a library: the number is in the environment, what is reached goes to a file that all its processes share.
# Every source has this, so that nothing has to be linked with them; the functions have other names, as a source may include
# their headers.
PROGRAM = """
__attribute__((weak, visibility("hidden"))) int anpu_mutant;
__attribute__((weak, visibility("hidden"))) unsigned char anpu_unwatched[{size}];
__attribute__((weak, visibility("hidden"))) unsigned char *anpu_reached = anpu_unwatched;
extern char *anpu_mutant_getenv(const char *) __asm__("getenv");
extern int anpu_mutant_atoi(const char *) __asm__("atoi");
extern int anpu_mutant_open(const char *, int, ...) __asm__("open");
extern void *anpu_mutant_mmap(void *, unsigned long, int, int, int, long) __asm__("mmap");
extern void anpu_mutant_abort(void) __asm__("abort");
__attribute__((weak, visibility("hidden"), constructor(101))) void anpu_mutant_begin(void)
{{
	char *number = anpu_mutant_getenv("ANPU_MUTANT"), *file = anpu_mutant_getenv("ANPU_MUTANT_REACHED");
	int fd = file && anpu_reached == anpu_unwatched ? anpu_mutant_open(file, 02) : -1;
	anpu_mutant = number ? anpu_mutant_atoi(number) : 0;
	if (fd < 0)
		return;
	anpu_reached = anpu_mutant_mmap((void *)0, sizeof(anpu_unwatched), 3, 1, fd, 0);
	if (anpu_reached == (unsigned char *)-1)
		anpu_mutant_abort();
}}
"""
# For the driver: parameters of the module. What is reached is read as hexadecimal digits; writing begins anew.
DRIVER = """
extern int anpu_mutant;
extern unsigned char anpu_reached[{size}];
"""
DRIVER_PARAMETERS = """
int anpu_mutant;
module_param_named(mutant, anpu_mutant, int, 0444);
unsigned char anpu_reached[{size}];
static int anpu_reached_get(char *buffer, const struct kernel_param *kp)
{{
	int n = 0;

	for (int i = 0; i < {size}; i += 4)
		n += sprintf(buffer + n, "%x", anpu_reached[i] | anpu_reached[i + 1] << 1 | anpu_reached[i + 2] << 2 | anpu_reached[i + 3] << 3);
	return n;
}}
static int anpu_reached_set(const char *text, const struct kernel_param *kp)
{{
	memset(anpu_reached, 0, sizeof(anpu_reached));
	return 0;
}}
static const struct kernel_param_ops anpu_reached_ops = {{ .get = anpu_reached_get, .set = anpu_reached_set }};
module_param_cb(reached, &anpu_reached_ops, NULL, 0644);
"""
REACH = """
static inline __attribute__((unused)) int anpu_reach(int statement)
{
	if (!anpu_reached[statement])
		anpu_reached[statement] = 1;
	return 0;
}
"""


def space_for(count):
    """How many bytes @count mutants need; the driver shows four in each digit."""
    return (count + 4) // 4 * 4


# What begins a declaration, guards of the kernel's cleanup.h among them
DECLARE = {"struct", "union", "enum", "static", "extern", "register", "typeof", "volatile", "guard", "_Alignas", "alignas"}


class Statements:
    """Where the statements of a function's body begin and end. A macro that is no statement of C ends the search, and what
    contains it counts for all of it."""

    def __init__(self, tokens, first):
        self.tokens = tokens
        # (first token, token behind the last one, whether a block)
        self.found = []
        try:
            self.block(first)
        except IndexError:
            pass

    def block(self, i, probed=True):
        end = partner(self.tokens, i)
        if probed:
            self.found.append((i, end + 1, True))
        i += 1
        while i < end:
            i = self.statement(i)
        return end + 1

    def statement(self, i):
        token, following = self.tokens[i], self.tokens[i + 1]
        if token.text == "{":
            return self.block(i)
        if token.text in ("case", "default"):
            while self.tokens[i].text != ":":
                i += 1
            return i + 1
        if token.kind == "name" and following.text == ":":
            return i + 2
        end = self.end_of(i)
        if not self.declares(i):
            self.found.append((i, end, False))
        return end

    def end_of(self, i):
        token, following = self.tokens[i], self.tokens[i + 1]
        if token.text == "do":
            end = self.statement(i + 1)
            return partner(self.tokens, end + 1) + 2
        if following.text == "(" and token.kind == "name":
            behind = partner(self.tokens, i + 1) + 1
            if token.text == "switch" and self.tokens[behind].text == "{":
                return self.block(behind, False)
            if token.text == "if":
                end = self.statement(behind)
                return self.statement(end + 1) if self.tokens[end].text == "else" else end
            if token.text in ("while", "for", "switch") or "for_each" in token.text or \
                    token.text not in KEYWORDS and self.tokens[behind].text == "{":
                return self.statement(behind)
        while self.tokens[i].text != ";":
            i = partner(self.tokens, i) + 1 if self.tokens[i].text in ("(", "[", "{") else i + 1
        return i + 1

    def declares(self, i):
        """Whether a declaration begins at tokens[i]: in doubt it does."""
        token, following = self.tokens[i], self.tokens[i + 1]
        if token.kind != "name" or token.text in KEYWORDS - {"typeof", "sizeof"}:
            return token.text in (";", "#")
        if TYPES.match(token.text) or token.text in DECLARE:
            return True
        behind = self.tokens[i + 2]
        return following.kind == "name" or following.text == "*" and (behind.kind == "name" or behind.text == "*") or \
            following.text == "(" and token.text.isupper()

    def around(self, token):
        """The smallest statement that has a token: (first token, whether a block)"""
        inside = [(last - first, first, block) for first, last, block in self.found if first <= token < last]
        return min(inside)[1:] if inside else None


class Schema:
    """A source and its mutants. Mutants that do not compile can be dropped."""

    def __init__(self, source, numbered, size, driver=False, parameters=False):
        self.source, self.size, self.driver, self.parameters = source, size, driver, parameters
        self.numbered = dict(numbered)
        # The number that says in anpu_reached whether a mutant's statement was reached
        # and where that statement begins
        self.probes, self.places = {}, {}
        # Lines of the text and the number of the mutant there; the text's parts, and the line behind them
        self.lines, self.out, self.line = [], [], 1

    def at(self, line):
        """The number of the mutant at a line of the text, or None."""
        return next((n for first, last, n in self.lines if first <= line <= last), None)

    def text(self):
        self.lines, self.out, self.line, self.probes, self.places = [], [], 1, {}, {}
        self.emit((DRIVER if self.driver else PROGRAM).format(size=self.size) + REACH.lstrip("\n"))
        end, tokens = 0, tokens_of(self.source)
        for first, last in bodies(tokens):
            begin, behind = tokens[first].start, tokens[last].end
            inside = {n: m for n, m in self.numbered.items() if begin < m.start < behind}
            if inside:
                self.emit(self.source[end:begin])
                self.function(tokens, first, last, inside)
                end = behind
        self.emit(self.source[end:])
        if self.parameters:
            self.emit(DRIVER_PARAMETERS.format(size=self.size))
        return "".join(self.out)

    def emit(self, text):
        self.out.append(text)
        self.line += text.count("\n")

    def function(self, tokens, first, last, mutants):
        begin, behind = tokens[first].start, tokens[last].end
        targets = {tokens[i + 1].text for i in range(first, last) if tokens[i].text == "goto" and tokens[i + 1].kind == "name"}
        labels = "__label__ %s; " % ", ".join(sorted(targets)) if targets else ""
        numbers = sorted(mutants)
        self.emit("{ if (__builtin_expect(anpu_mutant >= %d && anpu_mutant <= %d, 0)) switch (anpu_mutant) {\n" % (
            numbers[0], numbers[-1]))
        for number in numbers:
            mutant, line = mutants[number], self.line
            # The last one stands for all others: the compiler sees that each path returns.
            self.emit("%s: { %s\n" % ("default" if number == numbers[-1] else "case %d" % number, labels))
            self.emit(self.source[begin:mutant.start] + mutant.text + self.source[mutant.end:behind])
            self.emit("\n} break;\n")
            self.lines.append((line, self.line - 1, number))
        self.emit("} else { %s\n%s\n} }" % (labels, self.probed(tokens, first, last, mutants)))

    def probed(self, tokens, first, last, mutants):
        """The body without a mutant, which tells what is reached."""
        statements, edits = Statements(tokens, first), {}
        starts = [t.start for t in tokens[first:last + 1]]
        for number, mutant in sorted(mutants.items()):
            token = first + max(i for i, start in enumerate(starts) if start <= mutant.start)
            where, block = statements.around(token) or (first, True)
            if where not in edits:
                edits[where] = number, block
            self.probes[number] = edits[where][0]
            self.places[number] = place_of(self.source, tokens[where])
        return with_probes(self.source, tokens, first, last, edits)


class Watched:
    """A source without mutants that tells which of its statements run: each has a number, from @begin on. Functions whose probes do
    not compile can be dropped, as mutants can: then nothing is known of what is in them."""

    def __init__(self, source, begin, size, driver=False, parameters=False):
        self.source, self.size, self.driver, self.parameters = source, size, driver, parameters
        self.tokens = tokens_of(source)
        # {first token of a function's body: its last one}, {number: (first token of its statement, whether a block)} of each
        self.bodies = dict(bodies(self.tokens))
        self.numbered, self.lines = {}, []
        for first in self.bodies:
            found = sorted({(where, block) for where, _, block in Statements(self.tokens, first).found})
            self.numbered[first] = dict(enumerate(found, begin))
            begin += len(found)
        self.end = begin

    def at(self, line):
        """The function at a line of the text, or None."""
        return next((first for begin, end, first in self.lines if begin <= line <= end), None)

    def text(self):
        """The source with probes."""
        head = (DRIVER if self.driver else PROGRAM).format(size=self.size) + REACH.lstrip("\n")
        line, end, out, self.lines = 1 + head.count("\n"), 0, [head], []
        for first, edits in self.numbered.items():
            last = self.bodies[first]
            before = self.source[end:self.tokens[first].start]
            body = with_probes(self.source, self.tokens, first, last, {where: (n, block) for n, (where, block) in edits.items()})
            line += before.count("\n")
            self.lines.append((line, line + body.count("\n"), first))
            line += body.count("\n")
            out += [before, body]
            end = self.tokens[last].end
        return "".join(out) + self.source[end:] + (DRIVER_PARAMETERS.format(size=self.size) if self.parameters else "")

    def places(self):
        """(number, (line, column)) of each statement that has a probe."""
        for edits in self.numbered.values():
            for number, (where, _) in edits.items():
                yield number, place_of(self.source, self.tokens[where])


def place_of(source, token):
    """The line and the column where a token begins."""
    return source.count("\n", 0, token.start) + 1, token.start - source.rfind("\n", 0, token.start)


def with_probes(source, tokens, first, last, edits):
    """A function's body whose statements tell their numbers: {first token: (number, whether a block)}."""
    out, end = [], tokens[first].start
    for where, (number, block) in sorted(edits.items()):
        at = tokens[where].end if block else tokens[where].start
        out.append(source[end:at])
        out.append(" anpu_reach(%d);" % number if block else "if (anpu_reach(%d)) {} else " % number)
        end = at
    return "".join(out) + source[end:tokens[last].end]


def errors_of(said):
    """(path, line) of each error of a compiler, and of the macros that it is in."""
    return [(path, int(line)) for path, line in
            re.findall(r"^(\S+?):(\d+):(?:\d+:)? (?:(?:fatal )?error:|note: in expansion of macro)", said, re.M)]
