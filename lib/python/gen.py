#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What is made from lib/python/api.list:

  gen.py c          the functions of form 'auto', all docstrings and the lists of methods (C)
  gen.py constants  the constants of the headers (C)
  gen.py names      C name, Python name, one line each
"""

import glob
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import table  # noqa: E402  pylint: disable=wrong-import-position

# kind: C variable, function that fills it from an object, expression that makes an object of it
KINDS = {
    "i32": ("int32_t", "acl_py_i32", "PyLong_FromLong(%s)"),
    "enum": ("int32_t", "acl_py_i32", "PyLong_FromLong((long)%s)"),
    "u32": ("uint32_t", "acl_py_u32", "PyLong_FromUnsignedLong(%s)"),
    "u16": ("uint16_t", "acl_py_u16", "PyLong_FromUnsignedLong(%s)"),
    "i64": ("int64_t", "acl_py_i64", "PyLong_FromLongLong(%s)"),
    "u64": ("uint64_t", "acl_py_u64", "PyLong_FromUnsignedLongLong(%s)"),
    "size": ("size_t", "acl_py_size", "PyLong_FromSize_t(%s)"),
    "handle": ("void *", "acl_py_handle", "PyLong_FromVoidPtr((void *)%s)"),
    "ptr": ("void *", "acl_py_ptr", "PyLong_FromVoidPtr((void *)%s)"),
    "f32": ("float", "acl_py_f32", "PyFloat_FromDouble(%s)"),
    "str": ("const char *", "acl_py_str", "acl_py_text(%s)"),
    "path": ("const char *", "acl_py_path", None),
    "config": ("const char *", "acl_py_config", None),
}
# Kinds whose variable has to be given back
HELD = {"path", "config"}


def c_types(function):
    """The types of the arguments as the prototype has them."""
    if function.c.arguments == "void":
        return []
    return [re.match(r"(.*?)\w+$", a.strip())[1].strip() for a in function.c.arguments.split(",")]


def quoted(text):
    return '"%s"' % text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", '\\n"\n\t"')


def docstring(f):
    """Signature, what it does, parameters, what is returned, errors: from the manual of the C function."""
    lines = [f.name.rsplit(".", 1)[1] + f.signature(), "--", ""]
    manual = f.manual
    call = "%s = %s(%s)" % (", ".join(v.name for v in f.values) or "None", f.name, ", ".join(p.name for p in f.parameters))
    brief = manual.brief if manual and manual.brief else f.c.meaning
    lines += [brief[:1].upper() + brief[1:].rstrip(".") + ".", "", "    " + call, "", "C: " + f.c.prototype, ""]
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
    return "\n".join(lines).rstrip() + "\n"


def c_identifier(f):
    return "py_" + f.c_name


def emit_in(f):
    """Variables of the parameters, and their conversion."""
    least = len([p for p in f.parameters if not p.optional])
    declared = ["\t%s%s%s = 0;" % (KINDS[p.kind][0], "" if KINDS[p.kind][0].endswith("*") else " ", "p_" + p.name)
                for p in f.parameters]
    declared += ["\tPyObject *h_%s = NULL;" % p.name for p in f.parameters if p.kind in HELD]
    body = ["\tif (nargs < %d || nargs > %d)" % (least, len(f.parameters)) if least != len(f.parameters) else
            "\tif (nargs != %d)" % least,
            "\t\treturn acl_py_count(&site, nargs, %d, %d, %s);" %
            (least, len(f.parameters), quoted(", ".join(p.name for p in f.parameters)))]
    for i, p in enumerate(f.parameters):
        held = ", &h_" + p.name if p.kind in HELD else ""
        given = "nargs > %d && " % i if p.optional else ""
        body += ["\tif (%s!%s(args[%d], &p_%s%s, &site, \"%s\"))" % (given, KINDS[p.kind][1], i, p.name, held, p.name),
                 "\t\tgoto failed;"]
    return declared, body


def emit_call(f):
    """The call; lets other threads of Python run meanwhile unless the table says 'hold'."""
    arguments, declared = [], []
    for (what, value), ctype in zip(f.order, c_types(f)):
        if what == "in":
            arguments.append("(%s)p_%s" % (ctype, value.name))
        elif what == "out":
            inner = re.sub(r"\s*\*\s*(const)?$", "", ctype)
            inner = re.sub(r"^const (?=\w+ \*)", "", inner)
            declared.append("\t%s%so_%s = 0;" % (inner, "" if inner.endswith("*") else " ", value.name))
            arguments.append("&o_" + value.name)
        else:
            arguments.append(value)
    if f.c.returns != "void":
        declared.append("\t%s%sret = 0;" % (f.c.returns, "" if f.c.returns.endswith("*") else " "))
    call = "\t%s%s(%s);" % ("ret = " if f.c.returns != "void" else "", f.c_name, ", ".join(arguments))
    if "hold" in f.options:
        return declared, [call]
    return declared + ["\tPyThreadState *thread;"], ["\tthread = acl_py_leave();", call, "\tif (!acl_py_enter(thread))", "\t\tgoto failed;"]


def emit_result(f):
    if f.returned:
        return ["\tresult = %s;" % (KINDS[f.returned.kind][2] % "ret")]
    if not f.results:
        return ["\tresult = PyLong_FromLong(ret);"]
    lines = ["\tresult = acl_py_tuple(%d," % (len(f.results) + 1)]
    for value in f.results:
        lines.append("\t\t\t      %s," % (KINDS[value.kind][2] % ("o_" + value.name)))
    return lines + ["\t\t\t      PyLong_FromLong(ret));"]


def emit(f):
    """The function of form 'auto' in C."""
    declared, body = emit_in(f)
    more, call = emit_call(f)
    print("\nstatic PyObject *%s(PyObject *self, PyObject *const *args, Py_ssize_t nargs)\n{" % c_identifier(f))
    print("\tstatic const struct acl_py_site site = { \"%s\" };" % f.name)
    print("\n".join(declared + more + ["\tPyObject *result = NULL;", "", "\t(void)self;", "\t(void)args;"]))
    print("\n".join(body + call + emit_result(f)))
    text = "\n".join(body + call)
    if "goto failed" in text:
        print("failed:")
    for p in f.parameters:
        if p.kind in HELD:
            print("\tPy_XDECREF(h_%s);" % p.name)
    print("\treturn result;\n}")


def emit_c(rows):
    print("/* SPDX-License-Identifier: MIT */\n/* Made by lib/python/gen.py from lib/python/api.list. */")
    print('#include "acl_py.h"')
    rows = [f for f in rows if f.form in ("auto", "hand")]
    for f in rows:
        if f.form == "auto":
            emit(f)
    methods = {"acl": [], "acl.rt": [], "acl.mdl": [], "acl.util": []}
    for f in rows:
        for name in f.names:
            module, _, short = name.rpartition(".")
            methods[module].append((short, f))
    for module, functions in methods.items():
        if module == "acl.util":
            continue
        print("\nPyMethodDef %s_methods[] = {" % module.replace(".", "_"))
        for short, f in functions:
            doc = docstring(f)
            doc = short + doc[doc.index("("):]
            print("\t{ \"%s\", (PyCFunction)(void *)%s, METH_FASTCALL,\n\t%s },"
                  % (short, c_identifier(f), quoted(doc)))
        print("\t{ 0 }\n};")


CONSTANT = [
    re.compile(r"^#define\s+(ACL_\w+)[ \t]+\(?[-0-9A-Za-z_(]", re.M),
    re.compile(r"^static const int (ACL_\w+) = ", re.M),
]
ENUM = re.compile(r"typedef enum \w*\s*\{(.*?)\}", re.S)


def constants():
    """Names of the headers whose value is an integer."""
    names = {}
    root = os.path.join(table.LIB, "..", "include", "acl")
    for path in sorted(glob.glob(os.path.join(root, "*.h")) + glob.glob(os.path.join(root, "*", "*.h"))):
        with open(path, encoding="utf-8") as f:
            text = re.sub(r"/\*.*?\*/", "", f.read(), flags=re.S)
        for pattern in CONSTANT:
            names.update(dict.fromkeys(pattern.findall(text)))
        for body in ENUM.findall(text):
            names.update(dict.fromkeys(re.findall(r"^\s*(\w+)\s*(?:=|,|$)", body, re.M)))
    skipped = {"ACL_FUNC_VISIBILITY", "ACL_DEPRECATED"}
    return [n for n in names if n not in skipped and not n.endswith("_DEFINED")]


def emit_constants():
    print("/* SPDX-License-Identifier: MIT */\n/* Made by lib/python/gen.py from the headers in include/acl. */")
    print('#include "acl_py.h"\n\nconst struct acl_py_constant acl_py_constants[] = {')
    for name in constants():
        print("\t{ \"%s\", (long long)(%s) }," % (name, name))
    print("\t{ 0 }\n};")


def main():
    rows = table.read()
    if sys.argv[1:] == ["c"]:
        emit_c(rows)
    elif sys.argv[1:] == ["constants"]:
        emit_constants()
    elif sys.argv[1:] == ["names"]:
        for f in rows:
            print(f.c_name, f.name)
    else:
        raise SystemExit(__doc__)


if __name__ == "__main__":
    main()
