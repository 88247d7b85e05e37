/* SPDX-License-Identifier: MIT */
/* Instructions of the AI core as text. */
#ifndef OP_DISASM_H
#define OP_DISASM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* kinds of instructions, by the values that a trace shows beside the text */
enum op_insn_kind {
	OP_INSN_PLAIN,
	OP_INSN_LOAD,
	OP_INSN_STORE,
	OP_INSN_BRANCH, /* conditional or not, target known */
	OP_INSN_CSR,
	OP_INSN_TILE,
	OP_INSN_SYS,
	OP_INSN_ILLEGAL
};

enum op_insn_dst { OP_DST_NONE, OP_DST_X, OP_DST_F };

/**
 * struct op_disasm - one instruction
 * @text: mnemonic and operands, as an assembler takes them; tile and custom-1 operations by the
 *	names of anpu_isa.h, operands in the order rs1, rs2, rs3, rd
 * @kind: which of the following count
 * @dst: kind of the register that is written, @rd its number
 * @rs1: register of the address of loads and stores, operand of others
 * @rs2: register that a store stores; @store_fp: a floating-point one
 * @size: bytes of a load or store
 * @imm: offset of a load or store
 * @target: of a branch
 * @op: number of the tile or custom-1 operation, or of the CSR
 */
struct op_disasm {
	char text[80];
	enum op_insn_kind kind;
	enum op_insn_dst dst;
	uint8_t rd;
	uint8_t rs1;
	uint8_t rs2;
	uint8_t rs3;
	bool store_fp;
	uint8_t size;
	int32_t imm;
	uint64_t target;
	unsigned int op;
};

/** op_disassemble() - the instruction @word at address @pc */
void op_disassemble(uint32_t word, uint64_t pc, struct op_disasm *d);

/** op_xreg_name() - ABI name of an integer register; op_freg_name() - of a floating-point one */
const char *op_xreg_name(unsigned int n);
const char *op_freg_name(unsigned int n);

#endif /* OP_DISASM_H */
