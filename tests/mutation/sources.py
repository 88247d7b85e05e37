# SPDX-License-Identifier: MIT
"""Where and how C sources are changed: the mutants of a source."""
import difflib
import re

TOKEN = re.compile(r"""
    (?P<space>\s+|\\\n|//[^\n]*|/\*.*?\*/)
  | (?P<hash>^[ \t]*\#(?:[^\n\\]|\\.|\\\n)*)
  | (?P<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')
  | (?P<number>\.?[0-9](?:[eEpP][+-]|[\w.])*)
  | (?P<name>[A-Za-z_]\w*)
  | (?P<punct><<=|>>=|->|\+\+|--|<<|>>|&&|\|\||[-+*/%&|^<>=!]=|\.\.\.|.)
""", re.X | re.S | re.M)

SWAPS = {
    "compare": {"==": ["!="], "!=": ["=="], "<": ["<=", ">="], "<=": ["<", ">"], ">": [">=", "<="], ">=": [">", "<"]},
    "logic": {"&&": ["||"], "||": ["&&"]},
    "arithmetic": {"+": ["-"], "-": ["+"], "+=": ["-="], "-=": ["+="], "*": ["+"], "/": ["*"], "%": ["/"],
                   "++": ["--"], "--": ["++"]},
    "bits": {"&": ["|"], "|": ["&"], "^": ["|"], "<<": [">>"], ">>": ["<<"], "|=": ["&="], "&=": ["|="]},
}
# As a prefix these mean something else: they are changed only behind an operand.
ALSO_PREFIX = {"+", "-", "*", "&"}
KEYWORDS = {"return", "case", "if", "while", "for", "switch", "sizeof", "else", "do", "goto", "typeof", "break", "continue"}
TYPES = re.compile(r"(void|char|short|int|long|unsigned|signed|float|double|bool|const|[us](8|16|32|64)|\w+_t|FILE|acl[A-Z]\w*)$")
ORDERS = {"memory_order_acquire", "memory_order_release", "memory_order_acq_rel", "memory_order_seq_cst",
          "__ATOMIC_ACQUIRE", "__ATOMIC_RELEASE", "__ATOMIC_ACQ_REL", "__ATOMIC_SEQ_CST"}
GUARDS = re.compile(r"(^|_)(un)?lock|^guard$|^scoped_guard$|(^|_)[rwm]+b$|barrier|fence$|^smp_|_(acquire|release)$")
# What these say is for people: no test should have to read it.
SAYS = re.compile(r"^(drm|dev|pr)_(err|warn|info|notice|dbg)|^trace_|^assert$|^static_assert$|^_Static_assert$|^WARN_ON|"
                  r"^fprintf$|^lockdep_assert|^might_")
# These give others their turn, or save a moment: without them everything is the same, later.
HINTS = re.compile(r"^(cond_resched|cpu_relax|prefetchw?|__builtin_prefetch|sched_yield)$")
ERRORS = re.compile(r"^-\s*E[A-Z]+|^ACL_ERROR_|^ANPU_(FAULT|ERR)_|^\w+\(\s*ACL_ERROR_")


class Token:
    def __init__(self, match):
        self.kind = match.lastgroup
        self.text = match.group()
        self.start, self.end = match.span()


class Mutant:
    def __init__(self, path, source, operator, start, end, text):
        self.path, self.operator, self.start, self.end = path, operator, start, end
        # Lines keep their numbers: __LINE__ is part of an object file.
        self.text = text + "\n" * source.count("\n", start, end)
        self.line = source.count("\n", 0, start) + 1
        self.id = None

    def apply(self, source):
        return source[:self.start] + self.text + source[self.end:]

    def diff(self, source):
        return "".join(difflib.unified_diff(source.splitlines(True), self.apply(source).splitlines(True),
                                            "a/" + self.path, "b/" + self.path))


def tokens_of(source):
    return [t for t in map(Token, TOKEN.finditer(source)) if t.kind not in ("space", "hash")]


def partner(tokens, i):
    """The index of the parenthesis that closes tokens[i]."""
    depth = 0
    for j in range(i, len(tokens)):
        if tokens[j].text in "([{" and tokens[j].kind == "punct":
            depth += 1
        elif tokens[j].text in ")]}" and tokens[j].kind == "punct":
            depth -= 1
            if not depth:
                return j
    return len(tokens) - 1


def bodies(tokens):
    """Where function bodies begin and end: a brace behind a parenthesis, outside of everything."""
    i = 0
    while i < len(tokens):
        if tokens[i].text in ("(", "{"):
            end = partner(tokens, i)
            if tokens[i].text == "{" and i and tokens[i - 1].text == ")":
                yield i, end
            i = end
        i += 1


def within_function(source, mutant):
    """Whether all that a mutant changes is in the body of one function."""
    tokens = tokens_of(source)
    return any(tokens[i].start < mutant.start and mutant.end <= tokens[end].start for i, end in bodies(tokens))


def ends_operand(tokens, i):
    """Whether a value ends with tokens[i], and not a type: behind it a star multiplies."""
    if tokens[i].kind == "name":
        return tokens[i].text not in KEYWORDS and not TYPES.match(tokens[i].text) and \
            tokens[i - 1].text not in ("struct", "union", "enum")
    return tokens[i].kind in ("number", "text") or tokens[i].text in (")", "]")


def number_mutants(text):
    match = re.fullmatch(r"(0[xX][0-9a-fA-F]+|0[0-7]*|[1-9][0-9]*)([uUlL]*)", text)
    if not match:
        return []
    value = int(match[1], 16 if match[1][:2] in ("0x", "0X") else 8 if match[1][0] == "0" else 10)
    shown = hex if match[1][:2] in ("0x", "0X") else str
    return [shown(v) + match[2] for v in (value + 1, value - 1) if v >= 0]


def statement_operator(tokens, i, end):
    """How to call the removal of the statement tokens[i:end], or None if it is not one to remove."""
    first, second = tokens[i], tokens[i + 1]
    if first.text in ("break", "continue", "goto"):
        return "jump"
    if first.kind == "name":
        if first.text in KEYWORDS or SAYS.match(first.text) or HINTS.match(first.text):
            return None
        # A declaration: two names, or a name and a star with something assigned or not
        if second.kind == "name" or (second.text == "*" and tokens[i + 2].kind == "name" or tokens[i + 2].text == "*"):
            return None
        if second.text == "(":
            return "lock" if GUARDS.search(first.text) else "statement"
        return None if second.text == ":" else "statement"
    return "statement" if first.text in ("*", "(", "++", "--") else None


def statement_mutants(tokens, i):
    """The statement that begins at tokens[i] is removed, the value that it returns or its condition changed."""
    first = tokens[i]
    if first.text == "if" and tokens[i + 1].text == "(":
        close = tokens[partner(tokens, i + 1)]
        condition = tokens[i + 1]
        yield "never", condition.start, condition.end, "(0 && ("
        yield "never", close.start, close.end, "))"
        return
    end = i
    while end < len(tokens) and tokens[end].text not in (";", "{", "}"):
        end = partner(tokens, end) + 1 if tokens[end].text in ("(", "[") else end + 1
    if end + 1 >= len(tokens) or tokens[end].text != ";" or end < i + 1:
        return
    if first.text == "return" and end > i + 1:
        value = tokens[i + 1]
        if ERRORS.match("".join(t.text for t in tokens[i + 1:end])):
            yield "error", value.start, tokens[end].start, "0"
        elif end == i + 2 and value.text in ("true", "false"):
            yield "error", value.start, value.end, "false" if value.text == "true" else "true"
        return
    operator = statement_operator(tokens, i, end)
    if operator:
        yield operator, first.start, tokens[end].start, ""


def starts_statement(tokens, i):
    before = tokens[i - 1].text
    if before in (";", "{", "}", "else", "do"):
        return tokens[i].text not in ("}", ";", "{", "else")
    if before == ":":
        return i >= 2 and tokens[i - 2].kind in ("name", "number")
    if before != ")":
        return False
    depth = 0
    for j in range(i - 1, 0, -1):
        depth += {")": 1, "(": -1}.get(tokens[j].text, 0)
        if not depth:
            return tokens[j - 1].text in ("if", "while", "for", "switch") or "for_each" in tokens[j - 1].text
    return False


def mutants_of(path, source):
    """Every mutant of a source, in its order, with names that stay the same while the source does."""
    found = []
    tokens = tokens_of(source)
    for first, last in bodies(tokens):
        i = first + 1
        while i < last:
            if SAYS.match(tokens[i].text) and tokens[i + 1].text == "(":
                i = partner(tokens, i + 1) + 1
                continue
            found += changes_at(path, source, tokens, i)
            i += 1
    count = {}
    for mutant in found:
        key = (mutant.line, mutant.operator)
        count[key] = count.get(key, 0) + 1
        mutant.id = "%s:%d:%s:%d" % (path, mutant.line, mutant.operator, count[key])
    return found


def declares_size(tokens, i):
    """Whether a number is the size of an array that is declared there: one more or less is nothing that could be seen."""
    return tokens[i - 1].text == "[" and tokens[i + 1].text == "]" and tokens[i - 2].kind == "name" and (
        tokens[i - 3].kind == "name" and tokens[i - 3].text not in KEYWORDS or tokens[i - 3].text == ",") and \
        tokens[i + 2].text in (";", ",", "=")


def changes_at(path, source, tokens, i):
    token = tokens[i]

    def make(operator, start, end, text):
        return Mutant(path, source, operator, start, end, text)

    if starts_statement(tokens, i):
        edits = list(statement_mutants(tokens, i))
        if edits and edits[0][0] == "never":
            # Two edits that are one: everything between them stays.
            (_, start, inner, opening), (_, outer, end, closing) = edits
            yield make("never", start, end, opening + source[inner:outer] + closing)
            yield make("always", start, end, "(1 || (" + source[inner:outer] + closing)
        elif edits:
            yield make(*edits[0])
    if token.kind == "punct":
        behind_operand = ends_operand(tokens, i - 1)
        for operator, swaps in SWAPS.items():
            if token.text in swaps and (behind_operand or token.text not in ALSO_PREFIX):
                for text in swaps[token.text]:
                    yield make(operator, token.start, token.end, text)
        if token.text == "!":
            yield make("negation", token.start, token.end, "")
    elif token.kind == "number" and not declares_size(tokens, i):
        for text in number_mutants(token.text):
            yield make("constant", token.start, token.end, text)
    elif token.text in ORDERS:
        yield make("order", token.start, token.end, re.sub("(order|ATOMIC)_.*", lambda m: m[1] + (
            "_relaxed" if m[1] == "order" else "_RELAXED"), token.text))
