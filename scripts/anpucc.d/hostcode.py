# SPDX-License-Identifier: MIT
"""Sources with code of the host beside kernels, as .asc files have it: main(), std::vector, aclrt calls. For the AI core
functions, classes and variables that do not compile there are left out, if nothing marks them as the AI core's."""
import json
import os
import re

from isa import include_dir
from mix import folders_of, with_headers

TOKENS = re.compile(r'//[^\n]*|/\*.*?\*/|R"([^ ()\\]{0,16})\(.*?\)\1"|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|'
                    r'(?:^|(?<=\n))[ \t]*#(?:[^\n\\]|\\.|\\\n)*|[{};()]', re.S)
MARK = re.compile(r"__aicore__|__global__|__(?:simt|SIMT)\w*__|__simd\w*__|__device__|ANPU_KERNEL|\[aicore\]")
# Code that can be nothing but the host's
HOST = re.compile(r"anpu_host_calls\(|\bICPU_RUN_KF\(|\bmain\s*\(|\bacl(?:rt)?[A-Z]\w*\s*\(|\baclrt?[A-Z]\w*\b|"
                  r"\b(?:torch|at|c10|c10_npu|at_npu|pybind11)::|\b(?:TORCH_LIBRARY|PYBIND11_MODULE)\w*\s*\(|"
                  r"\bstd::(?:vector|string|cout|cerr|endl|ifstream|ofstream|fstream|unique_ptr|map|unordered_map|chrono)\b")
ERROR = re.compile(r"^(.+?):(\d+):(\d+): (?:fatal )?error: (.*)$", re.M)
# Headers that only the host's code needs: all in angle brackets that are not there, and those of the frameworks that call operators
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:<([^>\n]+)>|"((?:torch|torch_npu|ATen|c10|pybind11)/[^"\n]+)")[^\n]*$', re.M)
PARTS = ["chrono", "functional", "iterator", "numeric", "optional", "ratio", "string_view", "variant"]
CALLED = re.compile(r"(?:anpu_host_calls|ICPU_RUN_KF)\(((?:[^<>(),]|<[^()]*?>)+),")
ROUNDS = 12
SPACE = re.compile(r'(?:\bnamespace\b[^;{}()=]*|\bextern\s*"C(?:\+\+)?"\s*)$')
CLASS = re.compile(r"\s*(?:typedef\s+)?(?:struct|class|union|enum)\b[^()]*$")


def has_host_code(path, options):
    """Whether a source, or a header that it includes from the folders of the options, looks as if it had code of the host."""
    text = with_headers(path, folders_of(options), set())
    # headers of C++ that the AI core does not have: they are empty, in a folder of their own; and those that it has a part of
    headers = "|".join(sorted(os.listdir(os.path.join(include_dir(), "anpu", "libc", "host"))) + PARTS)
    return bool(re.search(rf"#\s*include\s*<(?:{headers})>", text) or
                re.search(r"<<<|\bint(?:32_t)?\s+main\s*\(|#\s*include\s*[<\"](?:acl/acl|torch/|torch_npu/|ATen/)", text))


def units(text):
    """Where the declarations of a file are: (start, end) of each function, class, variable, at any depth of namespaces."""
    found, at, depth, parens, function = [], 0, 0, 0, False
    for token in TOKENS.finditer(text):
        word = token.group()
        if word not in ("{", "}", ";", "(", ")"):
            continue
        if word in "()":
            parens += 1 if word == "(" else -1
        elif word == "{":
            if depth == 0:
                head = without_comments(text[at:token.start()])
                if not parens and SPACE.search(head):
                    at = token.end()
                    continue
                function = bool(re.search(r"\)[^=]*$", head)) and not CLASS.match(head)
            depth += 1
        elif word == "}" and depth == 0:
            at = token.end()    # of a namespace
        elif word == "}":
            depth -= 1
            if depth == 0 and function and not parens:
                found.append((first_code(text, at, token.start()), token.end()))
                at = token.end()
        elif depth == 0 and not parens:
            begin = first_code(text, at, token.start())
            if begin < token.start():
                found.append((begin, token.end()))
            at = token.end()
    return found


def first_code(text, at, end):
    """The first place from at that is no space, comment or line of the preprocessor."""
    while at < end:
        space = re.compile(r"\s+|//[^\n]*|/\*.*?\*/", re.S).match(text, at)
        line = re.compile(r"[ \t]*#(?:[^\n\\]|\\.|\\\n)*", re.S).match(text, at)
        if line and (at == 0 or text[:at].rpartition("\n")[2].strip() == ""):
            at = line.end()
        elif space:
            at = space.end()
        else:
            break
    return at


def without_comments(text):
    return re.sub(r"//[^\n]*|/\*.*?\*/|^[ \t]*#(?:[^\n\\]|\\.|\\\n)*", " ", text, flags=re.S | re.M)


class Stripped:
    """A file of the user's, of which parts are left out; lines stay where they are."""

    def __init__(self, path):
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            self.text = file.read()
        self.kept = 0

    def remove(self, start, end):
        """Leaves a part out, but for lines of the preprocessor; the kernels that it calls are named, so that templates of
        them are compiled."""
        part = self.text[start:end]
        lines = [line if re.match(r"[ \t]*#", line) or (i and before.endswith("\\") and re.match(r"[ \t]*#", before)) else ""
                 for i, (line, before) in enumerate(zip(part.split("\n"), [""] + part.split("\n")))]
        keep = ""
        for name in dict.fromkeys(CALLED.findall(part)):
            keep += f"[[maybe_unused]] static void anpu_keep{self.kept}_{start}() {{ (void)&{name.strip()}; }} "
            self.kept += 1
        self.text = self.text[:start] + keep + "\n".join(lines) + self.text[end:]

    def host_units(self):
        """Leaves out what can be nothing but the host's; whether there was something."""
        found = [(s, e) for s, e in units(self.text) if not MARK.search(self.text[s:e]) and
                 HOST.search(without_comments(self.text[s:e]))]
        for start, end in reversed(found):
            self.remove(start, end)
        return bool(found)

    def at(self, places):
        """Leaves out the declarations at these (line, column), if they are not the AI core's; whether all could be."""
        lines = [0]
        for line in self.text.split("\n"):
            lines.append(lines[-1] + len(line.encode("utf-8", "surrogateescape")) + 1)
        offsets = {lines[line - 1] + column - 1 for line, column in places if line <= len(lines)}
        data, gone, done = self.text, set(), set()
        for start, end in reversed(units(data)):
            first, last = len(data[:start].encode("utf-8", "surrogateescape")), len(data[:end].encode("utf-8", "surrogateescape"))
            mine = {o for o in offsets if first <= o < last}
            if mine and (start, end) not in done and not MARK.search(data[start:end]):
                self.remove(start, end)
                gone |= mine
                done.add((start, end))
        return gone == offsets

    def includes(self, folders):
        """Leaves out #include of headers of the host that are in none of the folders; whether there was one."""
        missing = [m for m in INCLUDE.finditer(self.text) if not any(os.path.isfile(os.path.join(f, m.group(1) or m.group(2))) for f in folders)]
        for found in reversed(missing):
            self.text = self.text[:found.start()] + self.text[found.end():]
        return bool(missing)


class Strip:
    """Finds by compiling what of a source and its headers is the host's."""

    def __init__(self, tmp, source, given, ours):
        self.tmp, self.source, self.given = tmp, source, given
        self.ours = os.path.realpath(ours)
        self.files, self.seen = {}, set()
        self.shift = 0
        if given != source:
            with open(given, encoding="utf-8", errors="surrogateescape") as file:
                self.shift = file.read().split("\n").index(f'#line 1 "{source}"') + 1

    def file_of(self, path):
        """The file that a message names, if it is the user's."""
        real = self.given if os.path.realpath(path) == os.path.realpath(self.source) else path
        if not os.path.isfile(real) or os.path.realpath(real).startswith(self.ours + os.sep):
            return None
        if real not in self.files:
            self.files[real] = Stripped(real)
        return real

    def options(self):
        """For clang: other texts of the files that have been changed, under their names."""
        roots = []
        for number, (path, stripped) in enumerate(self.files.items()):
            copy = os.path.join(self.tmp, f"host-{number}-{os.path.basename(path)}")
            with open(copy, "w", encoding="utf-8", errors="surrogateescape") as file:
                file.write(stripped.text)
            roots.append({"name": os.path.abspath(path), "type": "file", "external-contents": copy})
        overlay = os.path.join(self.tmp, "host.yaml")
        with open(overlay, "w", encoding="utf-8") as file:
            json.dump({"version": 0, "use-external-names": False, "case-sensitive": True, "roots": roots}, file)
        return ["-ivfsoverlay", overlay, "-ferror-limit=0"]

    def learn(self, messages, folders):
        """Leaves more out by what the compiler said; False if that names something that has to be there."""
        places, changed = {}, False
        for path, line, column, text in ERROR.findall(messages):
            real = self.file_of(path)
            if not real:
                return False
            if text.endswith("file not found"):
                changed |= self.files[real].includes(folders)
                continue
            shift = self.shift if real == self.given else 0
            places.setdefault(real, set()).add((int(line) + shift, int(column)))
        for real, wrong in places.items():
            if real not in self.seen:
                self.seen.add(real)
                if self.files[real].host_units():
                    changed = True
                    continue
            if not self.files[real].at(wrong):
                return False
            changed = True
        return changed
