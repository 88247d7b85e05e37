#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Write the first inputs of a fuzz target.

usage: tests/fuzz/seeds.py TARGET DIRECTORY [OPERATOR.o...]

An input of elf is an operator file: a small one made here, and those given. Inputs of the others are
scripts of random bytes (always the same ones), which the target turns into something sensible, and
a few texts and programs.
"""

import os
import random
import shutil
import struct
import sys

EM_RISCV = 243


def elf(symbols, meta, reloc=True):
    """A file as the linker makes it: code at 0x1000, data at 0x3000, its tables behind."""
    code = struct.pack("<I", 0x00008067) * 16
    strings = b"\0"
    syms = bytes(24)
    for name, value, kind in symbols:
        syms += struct.pack("<IBBHQQ", len(strings), 0x10 | kind, 0, 1, value, 8)
        strings += name.encode() + b"\0"
    names = b"\0.shstrtab\0.symtab\0.strtab\0"
    sections = [bytes(64)]
    ehdr, phdrs = 64, 3 * 56
    code_at = ehdr + phdrs
    data_at = code_at + len(code)
    rela = struct.pack("<QQq", 0x3000, 3, 0x1004)
    dyn = struct.pack("<qQqQqQqQ", 7, 0x3010, 8, 24 if reloc else 0, 9, 24, 0, 0)
    data = bytes(16) + rela + dyn
    sym_at = data_at + len(data)
    str_at = sym_at + len(syms)
    at = str_at + len(strings)
    sections.append(struct.pack("<IIQQQQIIQQ", 11, 2, 0, 0, sym_at, len(syms), 2, 1, 8, 24))
    sections.append(struct.pack("<IIQQQQIIQQ", 19, 3, 0, 0, str_at, len(strings), 0, 0, 1, 0))
    bodies = b""
    for kernel, records in meta:
        body = b"".join(struct.pack("<HH", t, len(v)) + v for t, v in records)
        sections.append(struct.pack("<IIQQQQIIQQ", len(names), 1, 0, 0, at, len(body), 0, 0, 1, 0))
        names += b".ascend.meta." + kernel.encode() + b"\0"
        bodies += body
        at += len(body)
    sections.append(struct.pack("<IIQQQQIIQQ", 1, 3, 0, 0, at, len(names), 0, 0, 1, 0))
    head = b"\x7fELF\x02\x01\x01" + bytes(9) + struct.pack(
        "<HHIQQQIHHHHHH", 3, EM_RISCV, 1, 0x1000, ehdr, at + len(names), 4, 64, 56, 3, 64,
        len(sections), len(sections) - 1)
    head += struct.pack("<IIQQQQQQ", 1, 5, code_at, 0x1000, 0x1000, len(code), len(code), 4096)
    head += struct.pack("<IIQQQQQQ", 1, 6, data_at, 0x3000, 0x3000, len(data), len(data) + 64, 4096)
    head += struct.pack("<IIQQQQQQ", 2, 6, data_at + 40, 0x3028, 0x3028, len(dyn), len(dyn), 8)
    return head + code + data + syms + strings + bodies + names + b"".join(sections)


def make_elf(files):
    entry = "__anpu_entry_"
    u32 = struct.Struct("<I").pack
    plain = [("add", 0x1000, 2), (entry + "add", 0x1008, 2), ("table", 0x3000, 1)]
    pair = [("p_mix_aic", 0x1000, 2), ("p_mix_aiv", 0x1004, 2), (entry + "p_mix_aic", 0x1010, 2),
            (entry + "p_mix_aiv", 0x1020, 2)]
    params = struct.pack("<HHB3xHHB3x", 0, 8, 1, 8, 4, 0)
    yield elf(plain, [("add", [(1, u32(3)), (0x8000, u32(0x100)), (0x8001, params)])])
    yield elf(pair, [("p", [(1, u32(5)), (3, struct.pack("<HH", 1, 2)), (8, u32(4096))])], False)
    yield elf(plain + pair, [("add", [(n, struct.pack("<Q", n)) for n in range(1, 20)])])
    for name in files:
        with open(name, "rb") as f:
            data = f.read()
        if len(data) <= 16384:
            yield data


def make_json(_files):
    for text in ('{}', '[]', '{"dump":{"dump_path":"x","dump_list":[]},"a":[1,-2.5e7,"\\u1234\\"",'
                 '{"b":null}],"c":false}', '{"a":' * 10 + '1' + '}' * 10, '"\\uD834\\uDD1E"',
                 '[true,false,null,0,-0.1E-2]'):
        yield b"\0" + text.encode()
        yield b"\2" + text.encode()


def make_hccl(_files):
    """Rank tables, and scripts of connections: three ranks that join and exchange, and noise."""
    rank = '{ "rank_id": "%d", "device_id": "%d" }'
    for n in (1, 2, 3):
        device = ", ".join(rank % (i, i) for i in range(n))
        text = ('{ "version": "1.0", "status": "completed", "server_count": "1", "server_list": [ { "server_id": "10.0.0.1", '
                '"host_ip": "10.0.0.2", "device": [ %s ] } ] }' % device)
        yield b"\1\0" + text.encode()
        yield b"\1\1" + text.replace('"1", "server_list"', '"2", "server_list"').replace(
            "] } ] }", '] }, { "server_id": "b", "device": [ %s ] } ] }' % (rank % (n, 0))).encode()
    yield (b'\1\0{ "version": "1.0", "status": "completed", "server_count": "2", "server_list": [ { "device": [ '
           b'{ "rank_id": "0", "device_id": "0" } ] }, { "server_id": "b", "device": [ { "rank_id": "1", "device_id": "0" } ] } ] }')
    joined = b"".join(bytes([8 * i, 8 * i + 3, 0, i]) for i in range(3))
    yield b"\0" + joined + b"".join(bytes([8 * i + 3, 1, i, 4]) for i in range(3)) + bytes([0, 8])
    yield from (b"\0" + joined + script for script in noise(6, 12, 300))
    yield from (b"\0" + script for script in noise(7, 12, 600))


def make_exec(_files):
    """Sixteen bytes that choose registers, then instructions."""
    rng = random.Random(2)
    words = [0x00a28293, 0x40628533, 0x0002b303, 0x0062b023, 0xfe029ee3, 0x02628533, 0x0262c533,
             0x00532053, 0x02730353, 0xc20302d3, 0x580300d3, 0x60c37d53, 0xcc0022f3, 0x0000100f,
             0x0000000b, 0x0062810b, 0x0000002b, 0x0c02802b, 0x0e00002b, 0x00100073]
    for n in (8, 40, 120):
        for _ in range(6):
            code = bytearray()
            for _ in range(n):
                word = rng.choice(words)
                if rng.random() < 0.5:
                    word = word & 0xfe00707f | rng.getrandbits(32) & 0x01ff8f80
                code += struct.pack("<I", word)
            yield rng.randbytes(16) + bytes(code)


def noise(seed, count, longest):
    rng = random.Random(seed)
    for n in range(count):
        size = 16 + n * (longest - 16) // count
        # many small numbers, as most fields want
        yield bytes(rng.getrandbits(8) if rng.random() < 0.6 else rng.randrange(16)
                    for _ in range(size))


MAKERS = {
    "elf": make_elf,
    "json": make_json,
    "hccl": make_hccl,
    "exec": make_exec,
    "mmu": lambda files: noise(3, 24, 600),
    "device": lambda files: noise(4, 24, 1200),
    "tile": lambda files: noise(5, 32, 512),
}


def main():
    if len(sys.argv) < 3 or sys.argv[1] not in MAKERS:
        sys.exit(__doc__.strip())
    target, directory = sys.argv[1:3]
    new = directory + ".new"
    shutil.rmtree(new, ignore_errors=True)
    os.makedirs(new)
    for number, data in enumerate(MAKERS[target](sorted(sys.argv[3:]))):
        with open(os.path.join(new, "%03d" % number), "wb") as f:
            f.write(data)
    shutil.rmtree(directory, ignore_errors=True)
    os.rename(new, directory)


if __name__ == "__main__":
    main()
