#!/bin/bash
# SPDX-License-Identifier: MIT
# The disassembler: it knows what the core knows, and an assembler makes the same words of its text.
. "$(dirname "$0")/common.sh"

check "the test builds" ${CC:-cc} -std=gnu11 -D_GNU_SOURCE -I"$TOP/include" -o disasm_test "$HERE/disasm_test.c" "$OP.a" "$MODEL" -lm -pthread
check "what the core refuses is no instruction, and nothing else" ./disasm_test check
./disasm_test text >text
clang=$(command -v clang-14 clang-15 clang-16 clang-17 clang-18 clang-19 clang | head -n 1)
cut -f1 text >text.s
if "$clang" --target=riscv64 -march=rv64imafd_zfh -mno-relax -x assembler -c text.s -o text.o 2>err ||
	"$clang" --target=riscv64 -menable-experimental-extensions -march=rv64imafd_zfh1p0 -mno-relax -x assembler -c text.s -o text.o 2>err; then
	/usr/bin/python3 - <<-'END' >words
	from elftools.elf.elffile import ELFFile
	data = ELFFile(open("text.o", "rb")).get_section_by_name(".text").data()
	for at in range(0, len(data), 4):
	    print("%08x" % int.from_bytes(data[at:at + 4], "little"))
	END
	cut -f2 text | paste text.s - words | awk -F'\t' '$2 != $3 { if (n++ < 10) print "#", $0 } END { exit n > 0 }'
	result $? "clang makes the same $(wc -l <words) words of the text"
	check "all of them" test "$(wc -l <words)" = "$(wc -l <text)" -a "$(wc -l <words)" -gt 5000
else
	head -n 20 err | sed 's/^/# /'
	check "clang takes the text" false
fi
finish
