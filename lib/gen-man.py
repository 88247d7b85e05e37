#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Manual pages from the headers' comments: one page per header in include/acl, a link per function.

  gen-man.py DIRECTORY   writes DIRECTORY/*.3
  gen-man.py --check     only looks for functions without a comment that says what a manual must say

A function that is built (lib/api.list) must have a comment of this form in its header:

  /**
   * name - what it does
   * @parameter: meaning; every parameter has one
   *
   * Paragraphs.
   *
   * Return: what comes back.
   */
"""

import glob
import os
import re
import sys
import textwrap

LIB = os.path.dirname(os.path.abspath(__file__))
HEADERS = os.path.join(LIB, "..", "include", "acl")
# Of the version of the API; a page that is made again is the same
DATE = "2026-11-22"
FUNCTION = re.compile(r"/\*\*?((?:(?!\*/).)*?)\*/\s*(ACL_FUNC_VISIBILITY [^;]*;)", re.S)


class Function:
    def __init__(self, comment, prototype, built):
        self.prototype = re.sub(r"\s+", " ", prototype.replace("ACL_FUNC_VISIBILITY ", ""))
        self.name, arguments = re.match(r".*?(\w+)\((.*)\);$", self.prototype).groups()
        self.parameters = [re.search(r"(\w+)(?:\[\w*\])?$", a.strip())[1]
                           for a in arguments.split(",") if a.strip() not in ("void", "...")]
        self.built = self.name in built
        self.brief, self.described, self.paragraphs, self.returns = "", {}, [], ""
        self.read([re.sub(r"^\s*\* ?", "", line).rstrip() for line in comment.strip().split("\n")])

    def read(self, lines):
        paragraph = None
        for line in lines:
            parameter = re.match(r"@(\w+): (.*)", line)
            if parameter:
                self.described[parameter[1]] = parameter[2]
                paragraph = parameter[1]
            elif line.startswith("Return: "):
                self.returns = line[8:]
                paragraph = "Return"
            elif line.startswith(self.name + " - "):
                self.brief = line[len(self.name) + 3:]
                paragraph = "brief"
            elif not line:
                paragraph = None
            elif paragraph == "Return":
                self.returns += " " + line.strip()
            elif paragraph == "brief":
                self.brief += " " + line.strip()
            elif paragraph in self.described:
                self.described[paragraph] += " " + line.strip()
            elif paragraph == "text":
                self.paragraphs[-1] += " " + line.strip()
            else:
                self.paragraphs.append(line.strip())
                paragraph = "text"

    def complaints(self):
        if not self.brief:
            return ["no comment that begins with '%s - '" % self.name]
        found = ["parameter '%s' is not described" % p for p in self.parameters
                 if p not in self.described]
        found += ["there is no parameter '%s'" % p for p in self.described
                  if p not in self.parameters and p != "..."]
        if not self.prototype.startswith("void ") and not self.returns:
            found.append("no 'Return:'")
        return found


def built_functions():
    with open(os.path.join(LIB, "api.list"), encoding="utf-8") as f:
        rows = [line.split("\t") for line in f if not line.startswith("#")]
    return {row[0] for row in rows if len(row) == 6 and row[3] == "built"}


def read_header(path, built):
    """What the header is about, and its functions."""
    with open(path, encoding="utf-8") as f:
        text = f.read()
    about = re.search(r"/\*\n((?: \*(?!/).*\n)+) \*/", text)
    about = " ".join(line.strip(" *") for line in about[1].strip().split("\n"))
    functions = [Function(m[1], m[2], built) for m in FUNCTION.finditer(text)]
    return about, functions


def roff(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    text = re.sub(r"\b(acl\w+)\(\)", r"\\fB\1\\fP()", text)
    text = re.sub(r"@(\w+)", r"\\fI\1\\fP", text)
    return "\\&" + text if text[:1] in (".", "'") else text


def lines(text):
    """A paragraph in short lines; none may begin like a request."""
    wrapped = textwrap.wrap(text, 79, break_long_words=False, break_on_hyphens=False)
    return ["\\&" + l if l[:1] in (".", "'") else l for l in wrapped]


def synopsis(f):
    """The prototype, wrapped after commas."""
    head, arguments = re.match(r"(.*?\w+\()(.*\);)$", f.prototype).groups()
    lines, line = [], head
    for i, argument in enumerate(arguments.split(", ")):
        piece = ("" if not i else " ") + argument + ("," if not argument.endswith(");") else "")
        if len(line) + len(piece) > 76:
            lines.append(line)
            line = "    " + piece.strip()
        else:
            line += piece
    return [roff(text) for text in lines + [line]]


def describe(f):
    out = [".SS " + f.name + "()"] + lines(roff(f.brief[:1].upper() + f.brief[1:] + "."))
    for parameter in f.parameters:
        out += [".TP", "\\fI%s\\fP" % parameter] + lines(roff(f.described[parameter]))
    for paragraph in f.paragraphs:
        out += [".PP"] + lines(roff(paragraph))
    if f.returns:
        out += [".PP"] + lines("Returns " + roff(f.returns))
    return out


def page(name, about, functions):
    shown = [f for f in functions if f.built]
    out = ['.\\" Made by lib/gen-man.py from include/acl/%s.h.' % name,
           '.TH %s 3 "%s" "ANPU" "AscendCL runtime"' % (name.upper(), DATE), ".SH NAME"]
    out += lines("%s \\- %s" % (", ".join([name] + [f.name for f in shown]), roff(about.rstrip("."))))
    out += [".SH SYNOPSIS", ".nf", ".B #include <acl/acl.h>"]
    for f in shown:
        out += [".PP"] + synopsis(f)
    out += [".fi", ".PP", "Link with \\fI\\-lascendcl\\fP.", ".SH DESCRIPTION"]
    for f in shown:
        out += describe(f)
    missing = [f.name for f in functions if not f.built]
    if missing:
        out += [".SH NOT BUILT YET", "These return ACL_ERROR_RT_FEATURE_NOT_SUPPORT:"]
        out += lines(", ".join("\\fB%s\\fP()" % n for n in missing) + ".")
    return "\n".join(out) + "\n"


def write(directory, pages):
    os.makedirs(directory, exist_ok=True)
    for name, (about, functions) in pages.items():
        with open(os.path.join(directory, name + ".3"), "w", encoding="utf-8") as f:
            f.write(page(name, about, functions))
        for function in functions:
            if function.built:
                with open(os.path.join(directory, function.name + ".3"), "w", encoding="utf-8") as f:
                    f.write(".so man3/%s.3\n" % name)


def main():
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    built = built_functions()
    pages = {}
    for path in sorted(glob.glob(os.path.join(HEADERS, "*.h"))):
        about, functions = read_header(path, built)
        if functions:
            pages[os.path.basename(path)[:-2]] = about, functions
    found = {f.name for _, functions in pages.values() for f in functions}
    wrong = ["%s is built and in no header" % n for n in sorted(built - found)]
    wrong += ["%s.h: %s: %s" % (name, f.name, c) for name, (_, functions) in pages.items()
              for f in functions if f.built for c in f.complaints()]
    if wrong:
        raise SystemExit("\n".join(wrong))
    if sys.argv[1] != "--check":
        write(sys.argv[1], pages)


if __name__ == "__main__":
    main()
