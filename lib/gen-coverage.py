#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Documentation/coverage.md: which tests call which function of the API.

  gen-coverage.py          prints the page
  gen-coverage.py NAME     prints all tests of a function
  gen-coverage.py --check  fails when the page is wrong, or no test calls a function that is built

A test calls a function when its own text does, or that of a function of the same file that it uses.
Calls by the helpers of acltest.c count for no test.
"""

import glob
import os
import re
import sys

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGE = os.path.join(TOP, "Documentation/coverage.md")
SHOWN = 3
DEFINITION = re.compile(r"^[a-z][\w \t*]*?\b(\w+)\([^;{}]*\)\s*\n\{\n(.*?)^\}", re.S | re.M)
MACRO = re.compile(r"^#define (\w+)\(.*?\)(.*?(?:\\\n.*?)*)$", re.M)


def functions():
    with open(os.path.join(TOP, "lib/api.list"), encoding="utf-8") as f:
        rows = [line.split("\t") for line in f if line.strip() and not line.startswith("#")]
    return [(r[0], r[3] == "built") for r in rows]


def words(text):
    return set(re.findall(r"\b[A-Za-z_]\w*\b", re.sub(r'"(?:[^"\\]|\\.)*"|/\*.*?\*/', " ", text, flags=re.S)))


def tests_of(path):
    """{test: names in its text and in that of what it uses} of one program."""
    with open(path, encoding="utf-8") as f:
        text = f.read()
    used = {name: words(body) for name, body in DEFINITION.findall(text)}
    used.update({name: words(body) for name, body in MACRO.findall(text)})
    # tables of functions and values are used by whoever names them
    for name, body in re.findall(r"^static [^;{}()]*?\b(\w+)(?:\[\w*\])? = \{(.*?)^\};", text, re.S | re.M):
        used[name] = words(body)
    tests = {}
    for test in re.findall(r"\bTEST(?:_SECONDS)?\((\w+)", text):
        reached, todo = set(), [test]
        while todo:
            name = todo.pop()
            for word in used.get(name, ()):
                if word not in reached:
                    reached.add(word)
                    todo.append(word)
        tests[test] = reached
    return tests


def collect():
    callers = {name: [] for name, _ in functions()}
    for path in sorted(glob.glob(os.path.join(TOP, "tests/libacl/*/*.c")), key=os.path.basename):
        program = os.path.basename(path)[:-2]
        for test, reached in tests_of(path).items():
            for name in reached & set(callers):
                callers[name].append("%s.%s" % (program, test))
    return callers


def page(callers):
    out = ["<!-- Made by lib/gen-coverage.py from tests/libacl: `make -C lib status`. -->",
           "# Functions and their tests\n",
           "Every function that is built, with some of the tests in `tests/libacl` that call it; `lib/gen-coverage.py NAME` lists all.",
           "`api.built_ones_survive_zeros`, which calls every function with NULL and zeros, and",
           "`forks.every_function_is_refused_in_the_child` are not counted. `make coverage` measures the lines of `lib/acl` that the",
           "tests reach.\n",
           "| function | tests |\n|---|---|"]
    for name, built in functions():
        if built:
            out.append("| `%s` | %s |" % (name, " ".join("`%s`" % t for t in callers[name][:SHOWN])))
    return "\n".join(out) + "\n"


def check(callers):
    """What is wrong with the page; tests that it does not name yet are not."""
    with open(PAGE, encoding="utf-8") as f:
        rows = dict(re.findall(r"^\| `(\w+)` \| (.*) \|$", f.read(), re.M))
    built = [name for name, state in functions() if state]
    wrong = ["%s is built and no test calls it" % name for name in built if not callers[name]]
    wrong += ["%s is built and not in the page" % name for name in built if name not in rows]
    wrong += ["%s is in the page and not built" % name for name in rows if name not in built]
    for name, text in rows.items():
        wrong += ["%s does not call %s" % (test, name) for test in re.findall(r"`([\w.]+)`", text)
                  if test not in callers.get(name, ())]
    return wrong


def main():
    callers = collect()
    if len(sys.argv) == 1:
        sys.stdout.write(page(callers))
    elif sys.argv[1:] == ["--check"]:
        wrong = check(callers)
        if wrong:
            raise SystemExit("\n".join(wrong) + "\nDocumentation/coverage.md: make -C lib status renews it")
    elif len(sys.argv) == 2 and sys.argv[1] in callers:
        print("\n".join(callers[sys.argv[1]]))
    else:
        raise SystemExit(__doc__)


if __name__ == "__main__":
    main()
