# SPDX-License-Identifier: MIT
"""MIX kernels from one source: it is compiled for the cube unit and for the vector unit, and each kernel becomes the pair
NAME_mix_aic and NAME_mix_aiv. Also what __cube__, __vector__ and __mix__(c, v) say of a kernel."""
import os
import re
import struct

from elftools.elf.constants import SH_FLAGS
from elftools.elf.elffile import ELFFile

from errors import OperatorError
from kernels import CUBE_HALF, KERNEL_SECTION, KERNEL_TYPE, VECTOR_HALF, is_called

COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
RATIO = re.compile(r"\bKERNEL_TYPE_MIX_AI[CV]_([12])_([12])\b|__mix__\s*\(\s*([12])\s*,\s*([12])\s*\)")
INCLUDE = re.compile(r"^\s*#\s*include\s*\"([^\"]+)\"", re.M)
INCLUDE_ANY = re.compile(r"^\s*#\s*include\s*(?:\"([^\"]+)\"|<([^>]+)>)", re.M)
KEY_TYPE = re.compile(r"\bKERNEL_TASK_TYPE\s*\(\s*(\w+)\s*,\s*(KERNEL_TYPE_\w+)\s*\)")
PART = re.compile(r"\b__(cube|vector)__\b[^;{}()]*?\bvoid\s+(\w+)\s*\(")
CONDITION = re.compile(r"\s*#\s*(if|ifdef|ifndef|elif|else|endif)\b(.*)")
UNIT_GUARD = re.compile(r"^[^!]*\b(__DAV_C220_(?:CUBE|VEC)__)\b[^!]*$")
OTHER_UNIT = {"__DAV_C220_CUBE__": "__DAV_C220_VEC__", "__DAV_C220_VEC__": "__DAV_C220_CUBE__", "": ""}
ASKS_FOR_UNIT = re.compile(r"\bASCEND_IS_(?:NOT_)?AI[CV]\b|\bg_coreType\b|\b__DAV_C220_(?:CUBE|VEC)__\b")
THREAD_NAMES = re.compile(r"\bthreadIdx\b|\basc_(?:syncthreads|atomic|shfl)|\b__shfl(?:_xor|_up|_down)?\s*\(|\b__umul(?:64)?hi\b|\b__(?:ld|st)g\s*<")
RAW_NAMES = re.compile(r"\b(?:copy_gm_to_cbuf_multi_nd2nz_b(?:8|16|32s)|load_cbuf_to_c[ab](?:_transpose)?|copy_matrix_cc_to_gm|set_vector_mask|vector_dup|"
                       r"set_va_reg_sb|vbrcb|vconv_[a-z0-9]+|vcg?(?:add|max|min))\s*\(")
STATES_UNIT = re.compile(r"\bKERNEL_TYPE_|\b__(?:cube|vector)__\b|\b__mix__\s*\(")
CUBE_OPERATIONS = {"LOAD2D", "LOAD3D", "MMAD", "FIXPIPE", "DMA_ND2NZ"}
MIX_RATIO = 3
RETURN_SIZE = 4 # of the code of a function that does nothing
KEY_PARTS = {"KERNEL_TYPE_AICORE": 1, "KERNEL_TYPE_MIX_AICORE": 1, "KERNEL_TYPE_AIC_ONLY": 2, "KERNEL_TYPE_MIX_AIC_1_0": 2, "KERNEL_TYPE_AIV_ONLY": 3,
             "KERNEL_TYPE_VECTORCORE": 3, "KERNEL_TYPE_MIX_AIV_1_0": 3, "KERNEL_TYPE_MIX_VECTOR_CORE": 3}
# The two compilations: macros, suffix of the kernels, value of the record KERNEL_TYPE
HALVES = (("-D__DAV_C220_CUBE__=1", CUBE_HALF, 4), ("-D__DAV_C220_VEC__=1", VECTOR_HALF, 5))
SYMBOL = struct.Struct("<IBBHQQ")
SECTION = struct.Struct("<IIQQQQIIQQ")


def text_of(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return COMMENT.sub(" ", file.read())


def with_headers(path, folders, seen):
    """The text of a source and of the headers that it includes by name and that are beside it or in folders."""
    seen.add(os.path.realpath(path))
    text = text_of(path)
    for name in INCLUDE.findall(text):
        for folder in [os.path.dirname(path) or "."] + folders:
            header = os.path.join(folder, name)
            if os.path.isfile(header):
                if os.path.realpath(header) not in seen:
                    text += with_headers(header, folders, seen)
                break
    return text


def headers_of(path, folders, found):
    """The headers that a source includes and that are beside it or in folders: found, {the path that a compiler takes: text}."""
    for quoted, angled in INCLUDE_ANY.findall(text_of(path)):
        for folder in ([os.path.dirname(path) or "."] if quoted else []) + folders:
            header = os.path.abspath(os.path.join(folder, quoted or angled))
            if os.path.isfile(header):
                if header not in found:
                    with open(header, encoding="utf-8", errors="surrogateescape") as file:
                        found[header] = file.read()
                    headers_of(header, folders, found)
                break
    return found


def folders_of(options):
    """The folders that -I options name."""
    together = [o[2:] for o in options if o.startswith("-I") and len(o) > 2]
    return together + [after for before, after in zip(options, options[1:]) if before == "-I"]


def names_without_namespace(path, options):
    """Options for a source that has, or whose headers have, threads of Ascend C or instructions as functions of addresses: it wants their
    names without a namespace."""
    text = with_headers(path, folders_of(options), set())
    shared = re.search(r"\b__ubuf__\s+[\w:<>, ]+?\s+(\w+)\s*\[[^\]]*\]\s*[;=]", text) if "__simt_" in text else None
    if shared:
        raise OperatorError(f"'{path}' declares the array '{shared.group(1)}' in UB (__ubuf__) in a function of threads, which is not "
                            f"built: give the function the address of a tensor, TBuf<>::Get<T>().GetPhyAddr()")
    return ["-DANPU_SIMT_NAMES"] * bool(THREAD_NAMES.search(text)) + ["-DANPU_RAW_NAMES"] * bool(RAW_NAMES.search(text))


def multiplies(path, options):
    """Whether kernels of the source use Matmul<> from vector cores: it says nothing of cores, and not that the cube core
    does everything (ASCENDC_CUBE_ONLY)."""
    own = text_of(path)
    if "KERNEL_TYPE_" in own or PART.search(own) or any(o.startswith("-DASCENDC_CUBE_ONLY") for o in options):
        return False
    text = with_headers(path, folders_of(options), set())
    return "REGIST_MATMUL_OBJ" in text and not re.search(r"#\s*define\s+ASCENDC_CUBE_ONLY\b|\bKERNEL_TYPE_", text)


def units_of_kernels(path):
    """The macros of the units in whose conditions the source's kernels stand; "" for those that stand in none."""
    open_conditions, units = [], set()
    for line in text_of(path).splitlines():
        directive = CONDITION.match(line)
        if not directive:
            if "__global__" in line:
                units.add(next((u for u in reversed(open_conditions) if u), ""))
            continue
        word, condition = directive.groups()
        before = open_conditions.pop() if word in ("elif", "else", "endif") and open_conditions else ""
        if word == "else":
            open_conditions.append(OTHER_UNIT[before])
        elif word != "endif":
            unit = UNIT_GUARD.search(condition) if word != "ifndef" else None
            open_conditions.append(unit.group(1) if unit else "")
    return units


def guarded_unit(path):
    """The macro and the value of the record KERNEL_TYPE for a source whose kernels all stand between #ifdef and #endif of one unit, as
    compilers that go over a source once for each unit have it; else nothing."""
    units = units_of_kernels(path)
    if len(units) != 1 or "" in units:
        return None
    macro = units.pop()
    return f"-D{macro}=1", 2 if "CUBE" in macro else 3


def asks_for_unit(path, options, own):
    """Whether a source, or a header of its project, branches on the unit that it runs on and none says what its kernels are. own is
    the folder of our headers, which do both."""
    folders = [f for f in folders_of(options) if not os.path.realpath(f).startswith(os.path.realpath(own))]
    text = with_headers(path, folders, set())
    return bool(ASKS_FOR_UNIT.search(text)) and not STATES_UNIT.search(text)


def tile_operations(path, isa):
    """The names of tile operations in an object's code."""
    names = {int(row[1]): row[0] for row in isa.table("ANPU_TILE_OPS")}
    opcode, found = isa.constant("ANPU_OPC_TILE"), set()
    with open(path, "rb") as file:
        for section in ELFFile(file).iter_sections():
            if section["sh_flags"] & SH_FLAGS.SHF_EXECINSTR:
                for word, in struct.iter_unpack("<I", section.data()):
                    if word & 0x7f == opcode:
                        found.add(names.get(word >> 12 & 7 | (word >> 25 & 3) << 3, ""))
    return found


def empty_kernels(path):
    """Whether an object has a kernel that does nothing but return."""
    with open(path, "rb") as file:
        elf = ELFFile(file)
        places = {n for n, section in enumerate(elf.iter_sections()) if section.name == KERNEL_SECTION}
        return any(symbol["st_shndx"] in places and symbol["st_info"]["type"] == "STT_FUNC" and symbol["st_size"] == RETURN_SIZE
                   for symbol in elf.get_section_by_name(".symtab").iter_symbols())


def kind_of_work(cube, vector):
    """What kernels are whose code for the cube unit and whose code for the vector unit have these tile operations: the ratio of MIX
    kernels, the value of the record KERNEL_TYPE, or None if the source does not part its work by unit."""
    if any(name.startswith("V") for name in cube) or vector & CUBE_OPERATIONS:
        return None
    if cube and vector:
        return 1, 2
    return 2 if cube else 3 if vector else None


def type_of_key(path, options):
    """What KERNEL_TASK_TYPE(key, type) says of the tiling key that is compiled for, or nothing."""
    key = next((o.split("=", 1)[1] for o in options if o.startswith("-DANPU_TILING_KEY=")), None)
    return next((kind for k, kind in KEY_TYPE.findall(text_of(path)) if key and k.rstrip("ULul") == key.rstrip("ULul")), "")


def ratio_of(path, options=(), selected=""):
    """The numbers of cube and vector sub-blocks if the source's kernels are MIX kernels, else None. selected is the type of kernel
    that the selection of a template says, KERNEL_TYPE_..."""
    kind = selected or type_of_key(path, options)
    found = {tuple(int(n) for n in groups if n) for groups in RATIO.findall(kind or text_of(path))}
    if kind and not found:
        return None
    if not found and multiplies(path, options):
        return 1, 2
    if len(found) > 1:
        raise OperatorError(f"'{path}' has MIX kernels of different ratios; put them into files of their own")
    ratio = found.pop() if found else None
    if ratio and ratio[0] != 1:
        raise OperatorError(f"'{path}': a MIX kernel has one cube unit per block, not {ratio[0]}")
    return ratio


def parts_of(path, options=(), selected=""):
    """{kernel: value of its record KERNEL_TYPE} of kernels declared with __cube__ or __vector__; for the name "" that of
    all kernels, if the tiling key has a type of its own."""
    parts = {name: 2 if part == "cube" else 3 for part, name in PART.findall(text_of(path))}
    kind = selected or type_of_key(path, options)
    if kind in KEY_PARTS:
        parts[""] = KEY_PARTS[kind]
    return parts


def set_records(kernels, ratio, parts):
    """Gives kernels the records that their declarations ask for."""
    for kernel in kernels:
        if parts.get(""):
            kernel.records[KERNEL_TYPE] = struct.pack("<I", parts[""])
        for name, value in parts.items():
            if is_called(kernel, name):
                kernel.records.setdefault(KERNEL_TYPE, struct.pack("<I", value))
        for _, suffix, value in HALVES:
            if ratio and kernel.symbol.endswith(suffix):
                kernel.records[KERNEL_TYPE] = struct.pack("<I", value)
                kernel.records[MIX_RATIO] = struct.pack("<HH", *ratio)


def take_own_names(kernels, objects):
    """Gives kernels that are a half without the other one the names that they have in the source."""
    names = {kernel.symbol.encode(): kernel.alias.encode() for kernel in kernels if kernel.alias}
    for path in objects:
        change_names(path, lambda name, defined: names.get(name, name))
    for kernel in kernels:
        kernel.symbol, kernel.alias = kernel.alias or kernel.symbol, ""


def rename(path, suffix):
    """Appends suffix to all names that the object defines, so that the halves share nothing: an inline function is
    another one in each."""
    change_names(path, lambda name, defined: name + suffix.encode() if defined else name)


def change_names(path, change):
    """Gives the symbols of an object, but local ones, the names that change(name, whether it is defined) returns."""
    with open(path, "rb") as file:
        data = bytearray(file.read())
    headers, count = struct.unpack_from("<Q", data, 0x28)[0], struct.unpack_from("<H", data, 0x3c)[0]
    sections = [list(SECTION.unpack_from(data, headers + i * 64)) for i in range(count)]
    table = next(s for s in sections if s[1] == 2)
    strings = sections[table[6]]
    names = bytearray(data[strings[4]:strings[4] + strings[5]])
    for at in range(table[4], table[4] + table[5], SYMBOL.size):
        symbol = list(SYMBOL.unpack_from(data, at))
        if symbol[1] >> 4 == 0:
            continue
        name = bytes(names[symbol[0]:names.index(b"\0", symbol[0])])
        symbol[0] = len(names)
        names += change(name, symbol[3] != 0) + b"\0"
        SYMBOL.pack_into(data, at, *symbol)
    strings[4], strings[5] = len(data), len(names)
    SECTION.pack_into(data, headers + table[6] * 64, *strings)
    with open(path, "wb") as file:
        file.write(data + names)
