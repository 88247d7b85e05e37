# SPDX-License-Identifier: MIT
"""Turns the DWARF description of a parameter's type into a C++ type with the same layout and the
same place in registers, so that clang itself applies the calling convention to the entry thunk."""
from dataclasses import dataclass

from errors import OperatorError

POINTERS = ("DW_TAG_pointer_type", "DW_TAG_reference_type", "DW_TAG_rvalue_reference_type",
            "DW_TAG_subroutine_type")
WRAPPERS = ("DW_TAG_typedef", "DW_TAG_const_type", "DW_TAG_volatile_type", "DW_TAG_restrict_type",
            "DW_TAG_atomic_type")
RECORDS = ("DW_TAG_structure_type", "DW_TAG_class_type", "DW_TAG_union_type")
ATE_COMPLEX, ATE_FLOAT = 0x03, 0x04
ATE_SIGNED = (0x05, 0x06, 0x0d)
ATE_BOOL = 0x02
FLOATS = {2: "_Float16", 4: "float", 8: "double", 16: "long double"}
BY_REFERENCE = 4        # DW_CC_pass_by_reference
REGISTER_BYTES = 16     # larger records travel by reference, whatever is in them


@dataclass
class CType:
    """A C type: text declares it, label is how the user wrote it."""
    text: str
    size: int
    align: int
    pointer: bool
    label: str


class CTypes:
    """The types that a thunk file declares."""

    def __init__(self):
        self.declarations = []
        self.known = {}
        self.tags = 0

    def of(self, die, what):
        """The CType of a DWARF type; what names the parameter in an error."""
        label = name_of(die)
        while die.tag in WRAPPERS:
            if "DW_AT_type" not in die.attributes:
                raise OperatorError(f"{what} has type void")
            die = die.get_DIE_from_attribute("DW_AT_type")
        if die.tag in POINTERS:
            return CType("void *", 8, 8, True, label)
        if die.tag == "DW_TAG_unspecified_type":
            return CType("void *", 8, 8, False, label)
        if die.tag == "DW_TAG_base_type":
            return base(die, what, label)
        if die.tag == "DW_TAG_enumeration_type":
            # The sign of the underlying type decides how the value is extended in its register.
            if "DW_AT_type" in die.attributes:
                return self.of(die.get_DIE_from_attribute("DW_AT_type"), what)
            return integer(die.attributes["DW_AT_byte_size"].value, False, label)
        if die.tag in RECORDS:
            return self.record(die, what, label)
        if die.tag == "DW_TAG_array_type":
            raise OperatorError(f"{what} is a vector type, which cannot be a kernel's parameter; "
                                f"pass a pointer to it")
        raise OperatorError(f"{what} has a type that cannot be a kernel's parameter ({die.tag[7:]}); "
                            f"pass a pointer to it")

    def record(self, die, what, label):
        if die.offset in self.known:
            return self.known[die.offset]
        if "DW_AT_declaration" in die.attributes:
            raise OperatorError(f"{what} is of the incomplete type '{label}'; include its definition")
        if has_virtual_functions(die):
            raise OperatorError(f"{what} is of class '{label}' that has virtual functions, which are the host's "
                                f"in an object from there; pass plain data, or a pointer to memory of the device")
        size = die.attributes["DW_AT_byte_size"].value
        tag = f"anpu_t{self.tags}"
        self.tags += 1
        align = value_of(die, "DW_AT_alignment") or 0
        if value_of(die, "DW_AT_calling_convention") == BY_REFERENCE:
            # Its own constructor for copies, or destructor, is not called: each thread gets a copy of the bytes.
            self.declarations.append(f"struct alignas({alignment(die)}) {tag} {{ unsigned char b[{size}]; {tag}(const {tag} &of) "
                                     f"{{ __builtin_memcpy(b, of.b, {size}); }} }};")
            ctype = CType(f"struct {tag}", size, alignment(die), False, label)
        elif size > REGISTER_BYTES:
            align = max(align, 8)
            self.declarations.append(f"struct alignas({align}) {tag} {{ unsigned char b[{size}]; }};")
            ctype = CType(f"struct {tag}", size, alignment(die), False, label)
        else:
            ctype = CType(self.declare(die, what, tag, align, size), size, alignment(die), False, label)
        self.known[die.offset] = ctype
        return ctype

    def declare(self, die, what, tag, align, size):
        """Declares a record of up to 16 bytes member by member, for these decide on registers."""
        union = die.tag == "DW_TAG_union_type"
        word = "union" if union else "struct"
        bases, members, checks = [], [], []
        for number, (child, offset) in enumerate(sorted(fields(die), key=lambda f: f[1])):
            text, bits = self.member(child, what, number)
            if child.tag == "DW_TAG_inheritance":
                bases.append(text.split()[1])
                continue
            members.append(text)
            if not bits and not union:
                checks.append(f"static_assert(__builtin_offsetof(struct {tag}, m{number}) == {offset}, "
                              f"\"layout\");")
        if not members and not bases:
            raise OperatorError(f"{what} is of a type without members; leave the parameter out")
        attrs = f" alignas({align})" if align else ""
        parents = " : " + ", ".join(bases) if bases else ""
        self.declarations.append(f"{word}{attrs} {tag}{parents} {{ {' '.join(members)} }};")
        self.declarations += checks
        self.declarations.append(f"static_assert(sizeof({word} {tag}) == {size}, \"layout\");")
        return f"{word} {tag}"

    def member(self, die, what, number):
        bits = value_of(die, "DW_AT_bit_size")
        inner = die.get_DIE_from_attribute("DW_AT_type")
        dims = ""
        while inner.tag in WRAPPERS + ("DW_TAG_array_type",):
            if inner.tag == "DW_TAG_array_type":
                if "DW_AT_GNU_vector" in inner.attributes:
                    raise OperatorError(f"{what} contains a vector type; pass a pointer to it")
                dims += "".join(f"[{count(d)}]" for d in inner.iter_children()
                                if d.tag == "DW_TAG_subrange_type")
            inner = inner.get_DIE_from_attribute("DW_AT_type")
        ctype = self.of(inner, what)
        if bits:
            return f"{ctype.text} m{number} : {bits};", True
        return f"{ctype.text} m{number}{dims};", False


def name_of(die):
    """How a type is written in C."""
    if "DW_AT_name" in die.attributes:
        return die.attributes["DW_AT_name"].value.decode(errors="replace")
    inner = name_of(die.get_DIE_from_attribute("DW_AT_type")) if "DW_AT_type" in die.attributes else "void"
    marks = {"DW_TAG_pointer_type": inner + " *", "DW_TAG_reference_type": inner + " &",
             "DW_TAG_rvalue_reference_type": inner + " &&", "DW_TAG_const_type": "const " + inner,
             "DW_TAG_volatile_type": "volatile " + inner, "DW_TAG_restrict_type": inner,
             "DW_TAG_structure_type": "struct", "DW_TAG_union_type": "union", "DW_TAG_class_type": "class",
             "DW_TAG_enumeration_type": "enum", "DW_TAG_subroutine_type": inner + " ()"}
    return marks.get(die.tag, inner)


def value_of(die, attribute):
    return die.attributes[attribute].value if attribute in die.attributes else None


def count(subrange):
    if "DW_AT_count" in subrange.attributes:
        return subrange.attributes["DW_AT_count"].value
    upper = value_of(subrange, "DW_AT_upper_bound")
    return 0 if upper is None else upper + 1


def alignment(die):
    """Alignment of a type in a C structure, in bytes."""
    while die.tag in WRAPPERS + ("DW_TAG_array_type",):
        die = die.get_DIE_from_attribute("DW_AT_type")
    if die.tag in RECORDS:
        inside = [alignment(child.get_DIE_from_attribute("DW_AT_type")) for child, _ in fields(die)]
        return max([value_of(die, "DW_AT_alignment") or 1] + inside)
    return 8 if die.tag in POINTERS else value_of(die, "DW_AT_byte_size") or 8


def fields(die):
    """Base classes and data members with their offsets."""
    for child in die.iter_children():
        if child.tag == "DW_TAG_inheritance":
            yield child, value_of(child, "DW_AT_data_member_location") or 0
        elif child.tag == "DW_TAG_member" and "DW_AT_external" not in child.attributes:
            bit = value_of(child, "DW_AT_data_bit_offset")
            at = value_of(child, "DW_AT_data_member_location") or 0
            yield child, at if bit is None else bit / 8


def has_virtual_functions(die):
    return any("DW_AT_vtable_elem_location" in c.attributes or
               "DW_AT_name" in c.attributes and c.attributes["DW_AT_name"].value.startswith(b"_vptr")
               for c in die.iter_children())


def base(die, what, label):
    size = die.attributes["DW_AT_byte_size"].value
    encoding = die.attributes["DW_AT_encoding"].value
    if encoding == ATE_FLOAT:
        if label == "__bf16":
            raise OperatorError(f"{what} is a __bf16, which cannot be a kernel's parameter by value; "
                                f"pass it as uint16_t")
        return CType(FLOATS[size], size, size, False, label)
    if encoding == ATE_COMPLEX:
        return CType(f"_Complex {FLOATS[size // 2]}", size, size // 2, False, label)
    if encoding == ATE_BOOL:
        return CType("bool", size, size, False, label)
    return integer(size, encoding in ATE_SIGNED, label)


def integer(size, signed, label):
    names = {1: "char", 2: "short", 4: "int", 8: "long", 16: "__int128"}
    return CType(("signed " if signed else "unsigned ") + names[size], size, size, False, label)
