#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What is made from lib/python/api.list:

  gen.py c          the functions of form 'auto', all docstrings and the lists of methods (C)
  gen.py header     declarations of these, and of the functions of form 'hand' (C)
  gen.py constants  the constants of the headers (C)
  gen.py names      C name, Python name, one line each
  gen.py page       Documentation/python-api.md
"""

import glob
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import kinds  # noqa: E402  pylint: disable=wrong-import-position
import table  # noqa: E402  pylint: disable=wrong-import-position
from kinds import KINDS  # noqa: E402  pylint: disable=wrong-import-position

# Headers of the libraries beside libascendcl.so (lib/kit), which the module does not have
BESIDE = ("acl_op.h", "acl_op_compiler.h", "acl_prof.h", "ops/acl_dvpp.h")


def c_types(function):
    """The types of the arguments as the prototype has them."""
    if function.c.arguments == "void":
        return []
    return [re.match(r"(.*?)\w+$", a.strip())[1].strip() for a in function.c.arguments.split(",")]


def quoted(text):
    return '"%s"' % text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", '\\n"\n\t"')


STRUCTS = kinds.DICTS | {"aclrtUuid", "aclrtIpcEventHandle"}


def docstring(f):
    """Signature, what it does, parameters, what is returned, errors: from the manual of the C function."""
    lines = [f.name.rsplit(".", 1)[1] + f.signature(), "--", ""]
    manual = f.manual
    call = "%s(%s)" % (f.name, ", ".join(p.name for p in f.parameters))
    if f.values:
        call = "%s = %s" % (", ".join(v.name for v in f.values), call)
    brief = manual.brief if manual and manual.brief else f.c.meaning
    lines += [brief[:1].upper() + brief[1:].rstrip(".") + ".", "", "    " + call, ""]
    for value in f.parameters + [v for v in f.values if v.name != "ret"]:
        lines.append("    %s: %s" % (value.name, value.python_type))
    lines += ["", "C: " + f.c.prototype, ""]
    if manual:
        for parameter in manual.parameters:
            if parameter in manual.described:
                lines.append("%s: %s" % (parameter, manual.described[parameter]))
        for paragraph in manual.paragraphs:
            lines += ["", paragraph]
        if manual.returns:
            lines += ["", "Returns " + manual.returns]
    if not f.built:
        lines += ["", "Not built: " + (f.c.reason or "not yet") + "."]
    return re.sub(r"\n\n\n+", "\n\n", "\n".join(lines)).rstrip() + "\n"


def c_identifier(f):
    return "py_" + f.c_name


def emit_options(f):
    """Checks that concern several parameters."""
    body = []
    for option in f.options:
        name, _, rest = option.partition("=")
        parts = rest.split("/")
        if name == "same":
            body += ["\tif (!acl_py_same(&site, \"%s\", p_%s.count, \"%s\", p_%s.count))\n\t\tgoto failed;"
                     % (parts[0], parts[0], n, n) for n in parts[1:]]
        elif name == "room":
            body += ["\tif (!acl_py_room(&site, \"%s\", p_%s.count, \"%s\", p_%s))\n\t\tgoto failed;"
                     % (parts[0], parts[0], parts[1], parts[1])]
    return body


def emit_in(f):
    """Variables of the parameters, and their conversion."""
    least = len([p for p in f.parameters if not p.optional])
    declared = ["\t" + KINDS[p.kind].declare("p_" + p.name) for p in f.parameters]
    body = ["\tif (nargs < %d || nargs > %d)" % (least, len(f.parameters)) if least != len(f.parameters) else
            "\tif (nargs != %d)" % least,
            "\t\treturn acl_py_count(&site, nargs, %d, %d, %s);" %
            (least, len(f.parameters), quoted(", ".join(p.name for p in f.parameters)))]
    for i, p in enumerate(f.parameters):
        given = "nargs > %d && " % i if p.optional else ""
        body += ["\tif (%s!%s(args[%d], &p_%s, &site, \"%s\"))" % (given, KINDS[p.kind].take, i, p.name, p.name),
                 "\t\tgoto failed;"]
    return declared, body + emit_options(f)


def out_type(ctype):
    """The type of what a C argument points to."""
    inner = re.sub(r"\s*\*\s*(const)?$", "", ctype)
    return re.sub(r"^const (?=\w+ \*)", "", inner)


def declare_out(value, ctype):
    """The variable of a result."""
    if value.kind == "text":
        return "\tchar *o_%s = NULL;" % value.name
    inner = out_type(ctype)
    init = "{ 0 }" if inner in STRUCTS else "0"
    return "\t%s%so_%s = %s;" % (inner, "" if inner.endswith("*") else " ", value.name, init)


def argument(what, value, ctype):
    """What the C function gets in one place, and what is done before."""
    if what == "in":
        given = KINDS[value.kind].give % ("p_" + value.name)
        plain = KINDS[value.kind].c in STRUCTS
        return given if plain else "(%s)%s" % (ctype, given), []
    if what == "inout":
        return "&o_" + value.name, ["\to_%s = (%s)p_%s;" % (value.name, out_type(ctype), value.name)]
    if what == "is":
        return re.sub(r"count\((\w+)\)", r"p_\1.count", value), []
    if not value.room:
        return "&o_" + value.name, []
    room = value.room[1:] if value.room.startswith("=") else "p_" + value.room
    return "o_" + value.name, ["\tif (!acl_py_buffer(&o_%s, (int64_t)(%s), &site, \"%s\"))" % (value.name, room, value.room),
                               "\t\tgoto failed;"]


def emit_call(f):
    """The call; lets other threads of Python run meanwhile unless the table says 'hold'."""
    arguments, declared, before = [], [], []
    for (what, value), ctype in zip(f.order, c_types(f)):
        given, first = argument(what, value, ctype)
        arguments.append(given)
        before += first
        if what in ("out", "inout"):
            declared.append(declare_out(value, ctype))
    if f.c.returns != "void":
        declared.append("\t%s%sret = 0;" % (f.c.returns, "" if f.c.returns.endswith("*") else " "))
    call = "\t%s%s(%s);" % ("ret = " if f.c.returns != "void" else "", f.c_name, ", ".join(arguments))
    after = ["\tif (!ret)\n\t\t%s;" % re.sub(r"\$(\w+)", r"p_\1", o[6:]) for o in f.options if o.startswith("after=")]
    after += ["\tif (ret)\n\t\t%s;" % o[5:] for o in f.options if o.startswith("made=")]
    if "hold" in f.options:
        return declared, before + [call] + after
    if "keep" in f.options:
        return (declared + ["\tstruct acl_py_keep keep;"],
                before + ["\tacl_py_keep(&keep);", call, "\tif (!acl_py_kept(&keep))", "\t\tgoto failed;"] + after)
    leave = "acl_py_wait" if "wait" in f.options else "acl_py_leave"
    return (declared + ["\tPyThreadState *thread;"],
            before + ["\tthread = %s();" % leave, call, "\tif (!acl_py_enter(thread))", "\t\tgoto failed;"] + after)


def made(kind, variable):
    """The object of a C variable."""
    make = KINDS[kind].make
    return make % ((variable,) * make.count("%s"))


# Kinds that fit an int64_t, for acl_py_number()
SMALL = {"i32", "enum", "u8", "u16", "u32", "i64"}


def emit_result(f):
    if f.returned:
        return ["\tresult = %s;" % made(f.returned.kind, "ret")]
    if not f.results:
        return ["\tresult = PyLong_FromLong(ret);"]
    if len(f.results) == 1 and f.results[0].kind in SMALL:
        return ["\tresult = acl_py_number(o_%s, ret);" % f.results[0].name]
    lines = ["\tresult = acl_py_tuple(%d," % (len(f.results) + 1)]
    for value in f.results:
        lines.append("\t\t\t      %s," % made(value.kind, "o_" + value.name))
    return lines + ["\t\t\t      PyLong_FromLong(ret));"]


def emit(f):
    """The function of form 'auto' in C."""
    declared, body = emit_in(f)
    more, call = emit_call(f)
    print("\nstatic PyObject *%s(PyObject *self, PyObject *const *args, Py_ssize_t nargs)\n{" % c_identifier(f))
    print("\tstatic const struct acl_py_site site = { \"%s\" };" % f.name)
    print("\n".join(declared + more + ["\tPyObject *result = NULL;", "", "\t(void)self;", "\t(void)args;"]))
    print("\n".join(body + call + emit_result(f)))
    if "goto failed" in "\n".join(body + call):
        print("failed:")
    for p in f.parameters:
        if KINDS[p.kind].drop:
            print("\t%s;" % (KINDS[p.kind].drop % ("p_" + p.name)))
    for value in f.results:
        if value.kind == "text":
            print("\tPyMem_Free(o_%s);" % value.name)
    print("\treturn result;\n}")


def snake(name):
    """cubeUtilization: cube_utilization."""
    return re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", name).lower()


def emit_fill(name, ctype, fields):
    """A field of a structure from an item of a dict."""
    print("\nstatic bool fill_%s(void *to, const char *key, PyObject *o, const struct acl_py_site *site)\n{" % name)
    print("\t%s *v = to;\n\n\t(void)v;\n\t(void)o;" % ctype)
    for field, kind in fields:
        if kind == "chars":
            continue
        also = " || !strcmp(key, \"%s\")" % snake(field) if snake(field) != field else ""
        print("\tif (!strcmp(key, \"%s\")%s) {" % (field, also))
        if kind in kinds.STRUCTS:
            print("\t\treturn acl_py_take_%s(o, &v->%s, site, \"%s\");\n\t}" % (kind, field, field))
            continue
        print("\t\t%s\n" % KINDS[kind].declare("p"))
        print("\t\tif (!%s(o, &p, site, \"%s\"))\n\t\t\treturn false;" % (KINDS[kind].take, field))
        print("\t\tv->%s = p;\n\t\treturn true;\n\t}" % field)
    print("\treturn acl_py_unknown_key(key, \"%s\", site);\n}" % ", ".join(f for f, _ in fields))


def emit_struct(name, ctype, fields):
    """Conversions of a structure that is a dict in Python, and of a list of them."""
    emit_fill(name, ctype, fields)
    print("\nbool acl_py_take_%s(PyObject *o, %s *v, const struct acl_py_site *site, const char *name)\n{" % (name, ctype))
    print("\t*v = (%s){ 0 };\n\treturn acl_py_dict(o, v, fill_%s, site, name);\n}" % (ctype, name))
    print("\nbool acl_py_take_%ss(PyObject *o, struct acl_py_array *v, const struct acl_py_site *site, const char *name)\n{"
          % name)
    print("\treturn acl_py_dicts(o, v, sizeof(%s), fill_%s, site, name);\n}" % (ctype, name))
    print("\nPyObject *acl_py_make_%s(const %s *v)\n{" % (name, ctype))
    print("\tPyObject *d = PyDict_New();\n\n\tif (d")
    for field, kind in fields:
        value = "acl_py_make_%s(&v->%s)" % (kind, field) if kind in kinds.STRUCTS else made(kind, "v->" + field)
        print("\t    && acl_py_put(d, \"%s\", %s)" % (snake(field), value))
    print("\t   )\n\t\treturn d;\n\tPy_XDECREF(d);\n\treturn NULL;\n}")


def emit_header(rows):
    """Header of what is generated and of what is written by hand."""
    print("/* SPDX-License-Identifier: MIT */\n/* Made by lib/python/gen.py from lib/python/kinds.py and api.list. */")
    print("#ifndef ACL_PY_MADE_H\n#define ACL_PY_MADE_H\n\n#include \"acl_py.h\"\n")
    for name, (ctype, _) in kinds.STRUCTS.items():
        print("bool acl_py_take_%s(PyObject *o, %s *v, const struct acl_py_site *site, const char *name);" % (name, ctype))
        print("bool acl_py_take_%ss(PyObject *o, struct acl_py_array *v, const struct acl_py_site *site,\n\t\t const char *name);"
              % name)
        print("PyObject *acl_py_make_%s(const %s *v);" % (name, ctype))
    for f in rows:
        if f.form == "hand":
            print("PyObject *%s(PyObject *self, PyObject *const *args, Py_ssize_t nargs);" % c_identifier(f))
    print("\n#endif")


def emit_methods(rows):
    """The lists of functions of each module."""
    for module in ("acl", "acl.rt", "acl.mdl"):
        print("\nPyMethodDef %s_methods[] = {" % module.replace(".", "_"))
        for f in rows:
            for name in f.names:
                place, _, short = name.rpartition(".")
                if place != module:
                    continue
                doc = docstring(f)
                doc = short + doc[doc.index("("):]
                print("\t{ \"%s\", (PyCFunction)(void *)%s, METH_FASTCALL,\n\t%s }," % (short, c_identifier(f), quoted(doc)))
        print("\t{ 0 }\n};")


def emit_c(rows):
    print("/* SPDX-License-Identifier: MIT */\n/* Made by lib/python/gen.py from lib/python/api.list. */")
    print('#include <string.h>\n\n#include "made.h"')
    for name, (ctype, fields) in kinds.STRUCTS.items():
        emit_struct(name, ctype, fields)
    rows = [f for f in rows if f.form != "none"]
    for f in rows:
        if f.form == "auto":
            emit(f)
    emit_methods(rows)


CONSTANT = [
    re.compile(r"^#define\s+(ACL_\w+)[ \t]+\(?[-0-9A-Za-z_(]", re.M),
    re.compile(r"^static const int (ACL_\w+)\s*=", re.M),
]
ENUM = re.compile(r"typedef enum \w*\s*\{(.*?)\}", re.S)


def constants():
    """Names of the headers whose value is an integer."""
    names = {}
    root = os.path.join(table.LIB, "..", "include", "acl")
    for path in sorted(glob.glob(os.path.join(root, "*.h")) + glob.glob(os.path.join(root, "*", "*.h"))):
        if os.path.relpath(path, root) in BESIDE:
            continue
        with open(path, encoding="utf-8") as f:
            text = re.sub(r"/\*.*?\*/", "", f.read(), flags=re.S)
        for pattern in CONSTANT:
            names.update(dict.fromkeys(pattern.findall(text)))
        for body in ENUM.findall(text):
            names.update(dict.fromkeys(re.findall(r"^\s*(\w+)\s*(?:=|,|$)", body, re.M)))
    return [n for n in names if n != "ACL_FUNC_VISIBILITY" and not n.endswith("_DEFINED")]


def emit_constants():
    print("/* SPDX-License-Identifier: MIT */\n/* Made by lib/python/gen.py from the headers in include/acl. */")
    print('#include "acl_py.h"\n\nconst struct acl_py_constant acl_py_constants[] = {')
    for name in constants():
        print("\t{ \"%s\", (long long)(%s) }," % (name, name))
    print("\t{ 0 }\n};")


def emit_page(rows):
    """Every C function beside its Python name, state and tests."""
    have = [f for f in rows if f.form != "none"]
    print("<!-- Made by lib/python/gen.py from lib/python/api.list: edit the list, then `make -C lib/python page`. -->")
    print("# Functions of the Python module\n")
    print("Of the %d functions of the C API, %d are built and %d have a form in Python; %d of these are called by" %
          (len(rows), sum(f.built for f in rows), len(have), sum(bool(f.tests()) for f in have)))
    print("name in tests/python, and all of them by test_table.py. What [status.md](status.md) calls not built returns")
    print("207000 in Python, too. Where a function has two names, they mean the same. help(acl.rt.NAME) says more.\n")
    print("Beside them, `acl.media.dvpp_malloc(size)` and `acl.media.dvpp_free(dev_ptr)` are those of libacl_dvpp.so; the other functions of")
    print("acl.media need units for pictures and videos, which the device has not.\n")
    category = None
    for f in rows:
        if f.c.category != category:
            category = f.c.category
            print("\n## %s\n\n| C | Python | state | tests |\n|---|---|---|---|" % category)
        results = ", ".join(v.name for v in f.values)
        calls = " or ".join("`%s%s%s(%s)`" % (results, " = " if results else "", name, ", ".join(p.name for p in f.parameters))
                            for name in f.names) if f.form != "none" else "-"
        state = "no Python form: not built in C" if f.form == "none" else "built" if f.built else "not built in C"
        print("| `%s` | %s | %s | %s |" % (f.c_name, calls, state, ", ".join(f.tests()) or "-"))


def main():
    rows = table.read()
    if sys.argv[1:] == ["c"]:
        emit_c(rows)
    elif sys.argv[1:] == ["header"]:
        emit_header(rows)
    elif sys.argv[1:] == ["constants"]:
        emit_constants()
    elif sys.argv[1:] == ["page"]:
        emit_page(rows)
    elif sys.argv[1:] == ["names"]:
        for f in rows:
            print(f.c_name, f.name)
    else:
        raise SystemExit(__doc__)


if __name__ == "__main__":
    main()
