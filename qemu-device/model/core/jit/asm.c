// SPDX-License-Identifier: MIT
/* Encodings of x86-64. A buffer that is full ignores what is written and is marked as full. */
#include <string.h>

#include "asm.h"

#define MAX_INSN 16	/* bytes of the longest instruction, rounded up */

static bool room(struct code *c)
{
	if (c->end - c->p >= MAX_INSN)
		return true;
	c->full = true;
	return false;
}

static void put(struct code *c, unsigned int v)
{
	*c->p++ = (uint8_t)v;
}

static void put32(struct code *c, int32_t v)
{
	memcpy(c->p, &v, 4);
	c->p += 4;
}

void emit_byte(struct code *c, uint8_t v)
{
	if (room(c))
		put(c, v);
}

void emit_u64(struct code *c, uint64_t v)
{
	if (!room(c))
		return;
	memcpy(c->p, &v, 8);
	c->p += 8;
}

void emit_align(struct code *c, unsigned int n)
{
	while ((uintptr_t)c->p % n && room(c))
		put(c, 0x90);
}

/* ModRM, SIB, displacement. @after: bytes of the instruction behind them. */
static void put_rm(struct code *c, unsigned int reg, struct rm m, unsigned int after)
{
	unsigned int mod, r = (reg & 7) << 3;

	if (m.kind == RM_REG) {
		put(c, 0xc0 | r | (m.reg & 7));
		return;
	}
	if (m.kind == RM_RIP) {
		put(c, r | 5);
		put32(c, (int32_t)(m.at - (c->p + 4 + after)));
		return;
	}
	/* rbp and r13 as base always have a displacement */
	mod = m.disp == 0 && (m.base & 7) != RBP ? 0 : m.disp == (int8_t)m.disp ? 1 : 2;
	if (m.index == RSP && (m.base & 7) != RSP) {
		put(c, mod << 6 | r | (m.base & 7));
	} else {
		put(c, mod << 6 | r | 4);
		put(c, (unsigned int)m.scale << 6 | (unsigned int)(m.index & 7) << 3 | (m.base & 7));
	}
	if (mod == 1)
		put(c, (uint8_t)m.disp);
	if (mod == 2)
		put32(c, m.disp);
}

static unsigned int rm_b(struct rm m)
{
	return m.kind == RM_REG ? m.reg >> 3 : m.kind == RM_MEM ? m.base >> 3 : 0;
}

static unsigned int rm_x(struct rm m)
{
	return m.kind == RM_MEM ? m.index >> 3 : 0;
}

static void op_rm_imm(struct code *c, unsigned int opcode, bool w, unsigned int reg, struct rm m,
		      unsigned int after)
{
	static const uint8_t prefix[4] = { 0, 0x66, 0xf3, 0xf2 };
	unsigned int rex = (unsigned int)w << 3 | reg >> 3 << 2 | rm_x(m) << 1 | rm_b(m);

	if (!room(c))
		return;
	if (opcode >> 12 & 3)
		put(c, prefix[opcode >> 12 & 3]);
	if (rex || opcode & BYTE_REG)
		put(c, 0x40 | rex);
	if (opcode >> 8 & 3)
		put(c, 0x0f);
	if ((opcode >> 8 & 3) == 2)
		put(c, 0x38);
	put(c, opcode & 0xff);
	put_rm(c, reg, m, after);
}

void op_rm(struct code *c, unsigned int opcode, bool w, unsigned int reg, struct rm m)
{
	op_rm_imm(c, opcode, w, reg, m, 0);
}

static void vop_rm_imm(struct code *c, unsigned int opcode, bool w, unsigned int reg,
		       unsigned int v, struct rm m, unsigned int after)
{
	unsigned int r = ~(reg >> 3) & 1, x = ~rm_x(m) & 1, b = ~rm_b(m) & 1;
	unsigned int map = opcode >> 8 & 3, pp = opcode >> 12 & 3;

	if (!room(c))
		return;
	put(c, 0xc4);
	put(c, r << 7 | x << 6 | b << 5 | map);
	put(c, (unsigned int)w << 7 | (~v & 15) << 3 | pp);
	put(c, opcode & 0xff);
	put_rm(c, reg, m, after);
}

void vop_rm(struct code *c, unsigned int opcode, bool w, unsigned int reg, unsigned int v,
	    struct rm m)
{
	vop_rm_imm(c, opcode, w, reg, v, m, 0);
}

void alu_rm(struct code *c, enum alu op, bool w, unsigned int reg, struct rm m)
{
	op_rm(c, (unsigned int)op << 3 | 3, w, reg, m);
}

void alu_imm(struct code *c, enum alu op, bool w, struct rm m, int32_t imm)
{
	bool small = imm == (int8_t)imm;

	op_rm_imm(c, small ? 0x83 : 0x81, w, op, m, small ? 1 : 4);
	if (c->full)
		return;
	if (small)
		put(c, (uint8_t)imm);
	else
		put32(c, imm);
}

void shift_imm(struct code *c, enum shift op, bool w, unsigned int reg, unsigned int n)
{
	if (!n)
		return;
	op_rm_imm(c, 0xc1, w, op, rm_reg(reg), 1);
	if (!c->full)
		put(c, n);
}

void shift_reg(struct code *c, enum shift op, bool w, unsigned int reg, struct rm m,
	       unsigned int by)
{
	unsigned int pp = op == SHIFT_LEFT ? P_66 : op == SHIFT_RIGHT ? P_F2 : P_F3;

	/* the BMI2 shifts: count in any register, flags untouched */
	vop_rm(c, MAP_0F38 | pp | 0xf7, w, reg, by, m);
}

void rorx(struct code *c, bool w, unsigned int reg, unsigned int from, unsigned int n)
{
	vop_rm_imm(c, MAP_0F3A | P_F2 | 0xf0, w, reg, 0, rm_reg(from), 1);
	if (!c->full)
		put(c, n);
}

void mov_imm(struct code *c, unsigned int reg, uint64_t imm)
{
	if (!imm) {
		zero(c, reg);
		return;
	}
	if (!room(c))
		return;
	if (imm <= UINT32_MAX) {
		if (reg >> 3)
			put(c, 0x41);
		put(c, 0xb8 | (reg & 7));
		put32(c, (int32_t)imm);
	} else if ((int64_t)imm == (int32_t)imm) {
		put(c, 0x48 | reg >> 3);
		put(c, 0xc7);
		put(c, 0xc0 | (reg & 7));
		put32(c, (int32_t)imm);
	} else {
		put(c, 0x48 | reg >> 3);
		put(c, 0xb8 | (reg & 7));
		emit_u64(c, imm);
	}
}

void mov_mem_imm(struct code *c, struct rm m, int32_t imm)
{
	op_rm_imm(c, 0xc7, true, 0, m, 4);
	if (!c->full)
		put32(c, imm);
}

void imul_imm(struct code *c, unsigned int reg, unsigned int from, uint32_t imm)
{
	op_rm_imm(c, 0x69, false, reg, rm_reg(from), 4);
	if (!c->full)
		put32(c, (int32_t)imm);
}

uint8_t *jump(struct code *c, enum cond cc)
{
	if (!room(c))
		return c->start;
	if (cc == CC_ALWAYS) {
		put(c, 0xe9);
	} else {
		put(c, 0x0f);
		put(c, 0x80 | (unsigned int)cc);
	}
	put32(c, 0);
	return c->p - 4;
}

void jump_patch(uint8_t *at, const uint8_t *to)
{
	int32_t distance = (int32_t)(to - (at + 4));

	memcpy(at, &distance, 4);
}

void jump_to(struct code *c, enum cond cc, const uint8_t *to)
{
	uint8_t *at = jump(c, cc);

	if (!c->full)
		jump_patch(at, to);
}

void call_to(struct code *c, const uint8_t *to)
{
	if (!room(c))
		return;
	put(c, 0xe8);
	put32(c, 0);
	jump_patch(c->p - 4, to);
}

void push(struct code *c, unsigned int reg)
{
	if (!room(c))
		return;
	if (reg >> 3)
		put(c, 0x41);
	put(c, 0x50 | (reg & 7));
}

void pop(struct code *c, unsigned int reg)
{
	if (!room(c))
		return;
	if (reg >> 3)
		put(c, 0x41);
	put(c, 0x58 | (reg & 7));
}
