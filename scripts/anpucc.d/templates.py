# SPDX-License-Identifier: MIT
"""Kernels that are templates whose arguments a tiling key stands for (ascendc/host_api/tiling/template_argument.h): the preprocessed
source is read for the declaration and the selections, and a copy of the source gets a kernel with the arguments of the key."""
import ast
import operator
import os
import re
import subprocess

from errors import OperatorError
from mix import with_headers

COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
KERNEL = re.compile(r"\btemplate\s*<(?P<parameters>[^;{}()]*?)>\s*(?P<head>(?:[^;{}()<>]|__mix__\s*\([^)]*\))*?\b__global__\b"
                    r"(?:[^;{}()]|__mix__\s*\([^)]*\))*?\bvoid\s+)(?P<name>\w+)\s*\((?P<arguments>[^{};]*)\)\s*\{")
WORDS = re.compile(r"\s*(anpu_tpl\s*\(|[(),]|[^(),]+)")
NUMBER = re.compile(r"\b(0[xX][0-9a-fA-F]+|\d+)[uUlL]+\b")
DTYPE, UINT = "DTYPE", "UINT"
BITS = {"DTYPE": 8, "FORMAT": 8, "BOOL": 1}
# Numbers of ge::DataType, and the types of kernels
TYPES = {"FLOAT": (0, "float"), "FLOAT16": (1, "half"), "INT8": (2, "int8_t"), "INT32": (3, "int32_t"), "UINT8": (4, "uint8_t"), "INT16": (6, "int16_t"),
         "UINT16": (7, "uint16_t"), "UINT32": (8, "uint32_t"), "INT64": (9, "int64_t"), "UINT64": (10, "uint64_t"), "DOUBLE": (11, "double"),
         "BOOL": (12, "bool"), "BF16": (27, "bfloat16_t"), "INT4": (29, "AscendC::int4b_t"), "HIFLOAT8": (34, "hifloat8_t"),
         "FLOAT8_E5M2": (35, "fp8_e5m2_t"), "FLOAT8_E4M3FN": (36, "fp8_e4m3fn_t")}
FORMATS = {"NCHW": 0, "NHWC": 1, "ND": 2, "NC1HWC0": 3, "FRACTAL_Z": 4, "FRACTAL_NZ": 29, "NCDHW": 30, "NDC1HWC0": 32}
NAMES = {**{"C_DT_" + name: number for name, (number, _) in TYPES.items()}, **{"C_FORMAT_" + name: n for name, n in FORMATS.items()},
         "true": 1, "false": 0}
TYPE_OF = dict(TYPES.values())
OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.FloorDiv: operator.floordiv, ast.Div: operator.floordiv,
             ast.LShift: operator.lshift, ast.RShift: operator.rshift, ast.BitOr: operator.or_, ast.BitAnd: operator.and_, ast.USub: operator.neg}


class Parameter:
    """A parameter of the template, or a selection's values of one: name, kind, bits of the key, values."""

    def __init__(self, kind, words):
        self.kind, self.name = kind, words[0].strip()
        if kind == UINT:
            self.bits = number(words[1])
            self.values = spread([number(w) for w in words[2:]])
        else:
            self.bits = BITS[kind]
            self.values = [number(w) for w in words[1:] if not isinstance(w, tuple)]


class Selection:
    """One combination of arguments: values in the order of the declaration, the key, and what is said of such kernels."""

    def __init__(self, values, key, kind, structure):
        self.values, self.key, self.kind, self.structure = values, key, kind, structure


def number(text):
    """The value of a constant expression; the macros in it have been expanded."""
    text = NUMBER.sub(r"\1", " ".join(text.split()))
    text = re.sub(r"\bstatic_cast\s*<[^>]*>|\(\s*u?int\d*(?:_t)?\s*\)", "", text)

    def value(node):
        if isinstance(node, ast.Constant) and isinstance(node.value, int):
            return node.value
        if isinstance(node, ast.Name) and node.id in NAMES:
            return NAMES[node.id]
        if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
            return OPERATORS[type(node.op)](value(node.left), value(node.right))
        if isinstance(node, ast.UnaryOp) and type(node.op) in OPERATORS:
            return OPERATORS[type(node.op)](value(node.operand))
        raise ValueError
    try:
        return value(ast.parse(text.strip(), mode="eval").body)
    except (SyntaxError, ValueError) as bad:
        raise OperatorError(f"the value '{text.strip()}' of a template's parameter (ASCENDC_TPL_...) is not known before compiling; "
                            f"write it as a number or a macro") from bad


def spread(text):
    """The values of a UINT: pairs of first and last (0), single values (1), or a number of pairs, these, and single values (2)."""
    if not text or text[0] == 1:
        return text[1:]
    pairs, rest = text[1], text[2:]
    found = [v for i in range(pairs) for v in range(rest[2 * i], rest[2 * i + 1] + 1)]
    return found + rest[2 * pairs:]


def tree(words):
    """anpu_tpl(a, b, anpu_tpl(c)) behind its first parenthesis: ["a", "b", ("c",)]; commas in other parentheses belong to their word."""
    out, now, depth = [], "", 0
    for word in words:
        if word.startswith("anpu_tpl") and not now.strip():
            out.append(tuple(tree(words)))
            now = None
        elif word in (",", ")") and not depth:
            if now is not None and now.strip():
                out.append(now.strip())
            if word == ")":
                return out
            now = ""
        elif now is not None:
            depth += (word == "(") - (word == ")")
            now += word
    return out


def read_lists(text):
    """(parameters, [Selection]) of a preprocessed source, or None if it declares no template."""
    blocks = {}
    text = re.sub(r"^[ \t]*#[^\n]*$", "", text, flags=re.M)
    for body in re.findall(r"\banpu_tpl\s*\((.*?)\banpu_tpl_end\b", text, re.S):
        words = (m.group(1).strip() if m.group(1).startswith("anpu_tpl") else m.group(1) for m in WORDS.finditer(body))
        block = tree(words)
        blocks[block[0]] = block[1:]
    if "declaration" not in blocks:
        return None
    declared = [Parameter(p[0], p[1:]) for p in blocks["declaration"][1:] if p[0] in BITS or p[0] == UINT]
    return declared, [s for one in blocks.get("selections", []) for s in combinations(declared, one[1:])]


def combinations(declared, parts):
    """The selections that one ASCENDC_TPL_ARGS_SEL stands for: all combinations of its values."""
    given = {p[1].strip(): Parameter(p[0], p[1:]) for p in parts if p[0] in BITS or p[0] == UINT}
    said = {p[0]: p[1].strip() for p in parts if p[0] in ("kernel_type", "structure")}
    kind = "KERNEL_TYPE_" + said["kernel_type"].rsplit("ASCENDC_TPL_", 1)[-1] if "kernel_type" in said else ""
    found = [((), 0, 0)]
    for p in declared:
        values = given[p.name].values if p.name in given else p.values
        wrong = [v for v in values if v not in p.values]
        if wrong:
            raise OperatorError(f"the selection of '{p.name}' has the value {wrong[0]}, which its declaration lacks: {p.values}")
        found = [(before + (v,), key | (p.values.index(v) if p.kind == UINT else v) << shift, shift + p.bits)
                 for before, key, shift in found for v in values]
    return [Selection(values, key, kind, said.get("structure", "")) for values, key, _ in found]


def names_of(arguments):
    """The names of a kernel's parameters."""
    parts = [p for p in re.split(r",(?![^<(]*[>)])", COMMENT.sub(" ", arguments)) if p.strip()]
    return [re.search(r"(\w+)\s*(?:\[\s*\]\s*)?(?:=.*)?$", p.strip(), re.S).group(1) for p in parts]


def argument(parameter, kind, value):
    """A value as the template wants it: a type for typename, else a number."""
    if not re.match(r"\s*(?:typename|class)\b", parameter):
        return str(value)
    if value not in TYPE_OF:
        raise OperatorError(f"'{parameter.strip()}' is a type in the kernel's template, and {value} is no number of one (C_DT_FLOAT ...)")
    return TYPE_OF[value]


def entry(kernel, declared, chosen, known):
    """The text of a kernel with the plain name that runs the template with the arguments of the chosen selections."""
    parameters = re.split(r",(?![^<]*>)", kernel["parameters"])
    if len(parameters) < len(declared):
        raise OperatorError(f"the template of kernel '{kernel['name']}' has {len(parameters)} parameters, ASCENDC_TPL_ARGS_DECL declares {len(declared)}")
    name, given = kernel["name"], ", ".join(names_of(kernel["arguments"]))
    calls = "".join(f"{name}<{', '.join(argument(p, d.kind, v) for p, d, v in zip(parameters, declared, one.values))}>({given}); " for one in chosen)
    stop = "" if known else "AscendC::detail::no_tiling_key(); "
    head, arguments = (" ".join(COMMENT.sub(" ", kernel[part]).split()) for part in ("head", "arguments"))
    return f'\nextern "C" {head} {name}({arguments}) {{ {stop}{calls}}}\n'


def has_template(source, options):
    """Whether a source has a kernel that is a template, and declares the template's values."""
    with open(source, encoding="utf-8", errors="surrogateescape") as file:
        text = file.read()
    if not KERNEL.search(COMMENT.sub(" ", text)):
        return False
    folders = [o[2:] for o in options if o.startswith("-I") and len(o) > 2]
    folders += [after for before, after in zip(options, options[1:]) if before in ("-I", "-include")]
    return "template_argument.h" in with_headers(source, folders, set())


class Templates:
    """A source with such a kernel: what is selected, and the copy to compile."""

    def __init__(self, source, command, trace):
        expand = list(command)
        expand[expand.index("-c")] = "-E"
        expand[expand.index("-o") + 1] = "-"
        expand = [w for i, w in enumerate(expand) if w not in ("-MD", "-MMD", "-MF", "-MT") and expand[max(0, i - 1)] not in ("-MF", "-MT")]
        expand += ["-P", "-DANPU_TPL_TEXT"]
        trace(expand)
        done = subprocess.run(expand, capture_output=True, encoding="utf-8", errors="surrogateescape", check=False)
        # what the preprocessor refuses, the compilation behind it tells
        self.lists = read_lists(done.stdout) if done.returncode == 0 else None
        self.expanded = done.stdout
        self.source, self.chosen, self.known = source, [], False

    def choose(self, options):
        """The selection of the tiling key, without one the first and the last, so that errors in them are found."""
        key = next((o.split("=", 1)[1] for o in options if o.startswith("-DANPU_TILING_KEY=")), None)
        found = self.lists[1]
        if not found:
            raise OperatorError(f"'{self.source}' declares a template's parameters, and no ASCENDC_TPL_SEL says which combinations exist")
        if key is None:
            self.chosen = [found[0]] + found[-1:] * (len(found) > 1 and found[-1].kind == found[0].kind)
            return
        self.known, wanted = True, int(key.rstrip("ULul"), 0)
        self.chosen = [s for s in found if s.key == wanted][:1]
        if not self.chosen:
            raise OperatorError(f"'{self.source}' has no selection (ASCENDC_TPL_ARGS_SEL) with the tiling key {wanted}; it has "
                                f"{', '.join(str(s.key) for s in found[:12])}{' ...' if len(found) > 12 else ''}")

    def kind(self):
        """The type of kernel of the selection, KERNEL_TYPE_..., or nothing."""
        return self.chosen[0].kind if self.chosen else ""

    def taken(self, kernel):
        """The parts of a kernel without lines of the preprocessor, with the parameters that are left where it chose between several."""
        parts = {k: re.sub(r"^[ \t]*#[^\n]*$", "", v, flags=re.M) for k, v in kernel.groupdict().items() if v is not None}
        left = re.search(rf"\btemplate\s*<([^;{{}}()]*?)>[^;{{}}]*?\b{parts['name']}\s*\(", self.expanded)
        return {**parts, "parameters": left[1] if left else parts["parameters"]}

    def write(self, given, copy):
        """A copy of the source whose template is inlined into a kernel of the template's name."""
        with open(given, encoding="utf-8", errors="surrogateescape") as file:
            text = file.read()
        entries, at, out = "", 0, [] if text.startswith("#line") or "\n#line 1 " in text[:2000] else [f'#line 1 "{self.source}"\n']
        for kernel in KERNEL.finditer(text):
            head = re.sub(r"\b__global__\b", "__attribute__((always_inline)) inline", kernel["head"])
            structure = self.chosen[0].structure
            if structure and "REGISTER_TILING_DEFAULT" not in text:
                out += [text[at:kernel.start()], f"REGISTER_TILING_DEFAULT({structure}); "]
                at = kernel.start()
            out += [text[at:kernel.start("head")], head]
            at = kernel.end("head")
            entries += entry(self.taken(kernel), self.lists[0], self.chosen, self.known)
        with open(copy, "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write("".join(out + [text[at:], entries]))


__all__ = ["Templates", "has_template"]
