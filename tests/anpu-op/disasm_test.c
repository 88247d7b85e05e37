// SPDX-License-Identifier: MIT
/*
 * The disassembler beside the core's decoder and beside an assembler.
 *
 * disasm_test check: random words, of which most are near to instructions: what the core refuses
 * must be shown as .word, and nothing else.
 * disasm_test text: the same words as text for an assembler, a line each, with the word behind it.
 */
#include <stdio.h>
#include <string.h>

#include "../../lib/tools/op/view/disasm.h"
#include "../../qemu-device/model/core/core_int.h"
#include "../../qemu-device/model/core/insn_ops.h"

static uint64_t state = 88172645463325252ULL;

static uint32_t rnd(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state >> 16);
}

/* A word with a known opcode; half of them with fields that are likely to mean something */
static uint32_t word(void)
{
	static const uint8_t opcodes[] = { 0x03, 0x07, 0x0b, 0x0f, 0x13, 0x17, 0x1b, 0x23, 0x27,
					   0x2b, 0x2f, 0x33, 0x37, 0x3b, 0x43, 0x47, 0x4b, 0x4f, 0x53,
					   0x53, 0x53, 0x53, 0x63, 0x67, 0x6f, 0x73 };
	static const uint8_t f7[] = { 0, 1, 32, 0x20, 0x21, 0x22, 0x10, 0x11, 0x12 };
	uint32_t w = (rnd() & ~0x7fu) | opcodes[rnd() % sizeof(opcodes)];

	if (rnd() % 2)
		w = (w & 0x01ffffff) | (uint32_t)(rnd() % 2 ? f7[rnd() % sizeof(f7)] : rnd() % 128) << 25;
	if (rnd() % 2)
		w = (w & ~0x01f00000u) | rnd() % 5 << 20;
	if (rnd() % 4 == 0)
		w &= ~0xf8000u;
	if (rnd() % 4 == 0)
		w &= ~0xf80u;
	return rnd() % 64 ? w : rnd();
}

static int check(void)
{
	static struct code_page page;
	const void *const *handlers = exec_handlers();
	unsigned int wrong = 0, known = 0, n = 0;
	struct op_disasm d;

	for (unsigned int round = 0; round < 300; round++) {
		for (unsigned int i = 0; i < PAGE_INSNS; i++)
			page.raw[i] = word();
		decode_page(&page, handlers);
		for (unsigned int i = 0; i < PAGE_INSNS; i++, n++) {
			uint32_t w = page.raw[i];
			bool refused = page.insn[i].go == handlers[OP_illegal];

			op_disassemble(w, 0x1000, &d);
			/* operations that do not exist are found out when they run */
			if (!refused && d.kind == OP_INSN_ILLEGAL &&
			    ((w & 0x7f) == ANPU_OPC_TILE || (w & 0x7f) == ANPU_OPC_SYS))
				continue;
			known += !refused;
			if (refused == (d.kind == OP_INSN_ILLEGAL))
				continue;
			if (wrong++ < 10)
				printf("# 0x%08x: the core %s it, shown as %s\n", w,
				       refused ? "refuses" : "knows", d.text);
		}
	}
	printf("# %u words, %u instructions\n", n, known);
	return wrong || known < n / 4;
}

/* An assembler knows the ANPU's own operations by their numbers only, and its CSRs, too. */
static void text(void)
{
	for (unsigned int i = 0; i < 20000; i++) {
		uint32_t w = word();
		struct op_disasm d;

		op_disassemble(w, 0, &d);
		if (d.kind == OP_INSN_ILLEGAL || d.kind == OP_INSN_TILE || d.kind == OP_INSN_SYS)
			continue;
		/* clang 14 has no amocas */
		if ((w & 0x7f) == ANPU_OPC_SYS || !strncmp(d.text, "amocas", 6))
			continue;
		/* fields that have no meaning are not in the text */
		if ((w & 0x7f) == 0x0f)
			w = (w & 0x7000) ? 0x100f : (w & 0x0ff0000f) | 0x01100000;
		/* nor do assemblers take a rounding mode where nothing is rounded */
		if (!strncmp(d.text, "fcvt.d.", 7) || !strncmp(d.text, "fcvt.s.h", 8))
			if (d.text[7] == 's' || d.text[7] == 'h' || d.text[7] == 'w')
				w &= ~0x7000u;
		op_disassemble(w, 0, &d);
		if (d.kind == OP_INSN_CSR) {
			char *comma = strchr(d.text, ','), *space = strchr(d.text, ' ');
			bool first = !strncmp(d.text, "csrw", 4);
			char *from = first ? space + 1 : comma + 2;
			char *rest = from + strcspn(from, ",");

			printf("%.*s0x%x%s\t%08x\n", (int)(from - d.text), d.text, d.op, rest, w);
		} else if (d.kind == OP_INSN_BRANCH) {
			printf("%.*s%lld\t%08x\n", (int)(strstr(d.text, "0x") - d.text), d.text,
			       (long long)d.target, w);
		} else {
			printf("%s\t%08x\n", d.text, w);
		}
	}
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "text")) {
		text();
		return 0;
	}
	return check();
}
