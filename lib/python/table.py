# SPDX-License-Identifier: MIT
"""The table lib/python/api.list as objects. The generated C, the docstrings, Documentation/python-api.md and the type
stubs are made from it."""

import functools
import glob
import importlib.util
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
LIB = os.path.dirname(HERE)
sys.path.insert(0, HERE)
import kinds  # noqa: E402  pylint: disable=wrong-import-position


FORMS = ("auto", "hand", "none")
VALUE = re.compile(r"(?P<name>[a-z]\w*):(?P<kind>\w+)(\[(?P<room>[^\]]*)\])?$")


@functools.lru_cache
def test_files():
    """The tests of this layer, and what stands in them."""
    texts = {}
    for path in sorted(glob.glob(os.path.join(LIB, "..", "tests", "python", "test_*.py"))):
        name = os.path.basename(path)
        if name != "test_table.py" and not name.startswith("test_easy"):
            with open(path, encoding="utf-8") as f:
                texts[name] = f.read()
    return texts


def load(path, name):
    """A Python file with a name that import does not take, such as gen-api.py."""
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Value:
    """One parameter or result: name:kind, with a ? behind the name if it may be left out. The room of a text is the
    number of characters that the C function is given for it."""

    def __init__(self, text, result=False):
        self.optional = "?" in text
        self.result = result
        match = VALUE.match(text.replace("?", ""))
        if not match:
            raise SystemExit("python/api.list: '%s' is not NAME:KIND" % text)
        self.name, self.kind, self.room = match["name"], match["kind"], match["room"]
        if self.kind not in kinds.KINDS and self.kind not in kinds.HAND:
            raise SystemExit("python/api.list: unknown kind '%s'" % self.kind)

    @property
    def python_type(self):
        return kinds.python_type(self.kind, self.result)


class Function:
    """A line of api.list, beside the line of lib/api.list of the same function."""

    def __init__(self, fields, c_function, manual):
        self.c_name, names, form, values = fields
        self.c = c_function
        self.manual = manual
        self.names = ["acl." + n for n in names.split(",")]
        self.form, _, self.options = form.partition(" ")
        self.options = self.options.split()
        if self.form not in FORMS:
            raise SystemExit("python/api.list: unknown form '%s' of %s" % (form, self.c_name))
        # What stands for the arguments in C, in their order: ("in", Value), ("inout", Value), ("out", Value),
        # ("is", text)
        self.order, self.parameters, self.results, self.returned = [], [], [], None
        for item in ([] if values == "-" else values.split(", ")):
            self.add(item)

    def add(self, item):
        if item.startswith(">"):
            self.results.append(Value(item[1:], True))
            self.order.append(("out", self.results[-1]))
        elif item.startswith("<>"):
            # the C function reads it and writes it
            self.parameters.append(Value(item[2:]))
            self.results.append(Value(item[2:], True))
            self.order.append(("inout", self.parameters[-1]))
        elif item.startswith("=") and ":" in item:
            self.returned = Value(item[1:], True)
        elif item.startswith("="):
            self.order.append(("is", item[1:]))
        else:
            self.parameters.append(Value(item))
            self.order.append(("in", self.parameters[-1]))

    @property
    def name(self):
        """The Python name, such as acl.rt.create_event; others in names mean the same."""
        return self.names[0]

    @property
    def built(self):
        return self.c.state == "built"

    @property
    def values(self):
        """What the function returns, in order: one value, or a tuple of several."""
        if self.returned:
            return [self.returned] if self.returned.kind != "none" else []
        return self.results + [Value("ret:i32", True)]

    def tests(self):
        """The files of tests/python that call it by name; test_table.py calls all."""
        wanted = [re.compile(r"\b(?:%s)\.%s\b" % (n.split(".")[-2] if n.count(".") > 1 else "acl", n.rsplit(".", 1)[1]))
                  for n in self.names]
        return [name for name, text in test_files().items() if any(w.search(text) for w in wanted)]

    def signature(self):
        """As Python prints it behind the name."""
        given = [p.name + ("=None" if p.optional else "") for p in self.parameters]
        return "(" + ", ".join(given + ["/"] if given else []) + ")"


def read():
    """All functions of lib/python/api.list, in its order."""
    gen_api = load(os.path.join(LIB, "gen-api.py"), "gen_api")
    gen_man = load(os.path.join(LIB, "gen-man.py"), "gen_man")
    c_functions = {f.name: f for f in gen_api.read_list()}
    manual = {}
    directory = os.path.join(LIB, "..", "include", "acl")
    for header in sorted(os.listdir(directory)):
        if header.endswith(".h"):
            _, functions = gen_man.read_header(os.path.join(directory, header), set())
            manual.update({f.name: f for f in functions})
    rows = []
    with open(os.path.join(HERE, "api.list"), encoding="utf-8") as f:
        for line in f:
            if not line.strip() or line.startswith("#"):
                continue
            fields = line.rstrip("\n").split("\t")
            if len(fields) != 4 or fields[0] not in c_functions:
                raise SystemExit("python/api.list: no line of a C function: %s" % line)
            rows.append(Function(fields, c_functions[fields[0]], manual.get(fields[0])))
    missing = sorted(set(c_functions) - {r.c_name for r in rows})
    if missing:
        raise SystemExit("python/api.list: not in the table: " + ", ".join(missing))
    return rows
