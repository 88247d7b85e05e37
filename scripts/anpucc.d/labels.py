# SPDX-License-Identifier: MIT
"""Takes the nameless labels that debug information leaves behind out of a linked operator's symbol table."""
import struct

SHT_SYMTAB = 2
SHF_ALLOC = 2
SYMBOL = struct.Struct("<IBBHQQ")
SECTION = struct.Struct("<IIQQQQIIQQ")
OFFSET, SIZE, INFO, ALIGN = 4, 5, 7, 8


def drop_labels(data):
    """The file without nameless labels; what follows the symbol table in the file moves up."""
    shoff, = struct.unpack_from("<Q", data, 40)
    shentsize, shnum = struct.unpack_from("<HH", data, 58)
    sections = [list(SECTION.unpack_from(data, shoff + i * shentsize)) for i in range(shnum)]
    table = next((s for s in sections if s[1] == SHT_SYMTAB), None)
    if table is None:
        return data
    symbols = [SYMBOL.unpack_from(data, table[OFFSET] + i) for i in range(0, table[SIZE], SYMBOL.size)]
    # The first entry is null; type 0 is a label; sections and files keep their place.
    kept = symbols[:1] + [s for s in symbols[1:] if s[0] or s[1] & 15]
    behind = sorted((s for s in sections if s[OFFSET] > table[OFFSET]), key=lambda s: s[OFFSET])
    if len(kept) == len(symbols) or any(s[2] & SHF_ALLOC for s in behind):
        return data
    out = bytearray(data[:table[OFFSET]])
    out += b"".join(SYMBOL.pack(*s) for s in kept)
    for section in behind:
        content = data[section[OFFSET]:section[OFFSET] + section[SIZE]]
        out += bytes(-len(out) % max(section[ALIGN], 1))
        section[OFFSET] = len(out)
        out += content
    table[SIZE] = len(kept) * SYMBOL.size
    # The index of the first symbol that is not local
    table[INFO] = sum(1 for s in kept if s[1] >> 4 == 0)
    out += bytes(-len(out) % 8)
    struct.pack_into("<Q", out, 40, len(out))
    return bytes(out) + b"".join(SECTION.pack(*s) for s in sections)
