/* SPDX-License-Identifier: MIT */
/*
 * A small assembler for x86-64: the instructions that the translator uses, one function per form.
 * Registers are numbers as the processor counts them; the second operand of most instructions is a
 * struct rm, a register or memory.
 */
#ifndef ANPU_JIT_ASM_H
#define ANPU_JIT_ASM_H

#include <stdbool.h>
#include <stdint.h>

enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R9, R10, R11, R12, R13, R14, R15 };

/**
 * struct code - where code goes
 * @start: first byte, as it is written
 * @p: next byte
 * @end: first byte that must not be written
 * @full: something did not fit: what has been written is useless
 */
struct code {
	uint8_t *start;
	uint8_t *p;
	uint8_t *end;
	bool full;
};

enum rm_kind { RM_REG, RM_MEM, RM_RIP };

/**
 * struct rm - a register, [base + (index << scale) + disp], or a place in the code itself
 * @index: RSP stands for none
 */
struct rm {
	enum rm_kind kind;
	uint8_t reg;
	uint8_t base;
	uint8_t index;
	uint8_t scale;
	int32_t disp;
	const uint8_t *at;
};

static inline struct rm rm_reg(unsigned int reg)
{
	return (struct rm){ .kind = RM_REG, .reg = (uint8_t)reg };
}

static inline struct rm rm_mem(unsigned int base, int32_t disp)
{
	return (struct rm){ .kind = RM_MEM, .base = (uint8_t)base, .index = RSP, .disp = disp };
}

static inline struct rm rm_index(unsigned int base, unsigned int index, int32_t disp)
{
	return (struct rm){ .kind = RM_MEM, .base = (uint8_t)base, .index = (uint8_t)index,
			    .disp = disp };
}

/* @scale: 0 to 3 */
static inline struct rm rm_scaled(unsigned int base, unsigned int index, unsigned int scale)
{
	return (struct rm){ .kind = RM_MEM, .base = (uint8_t)base, .index = (uint8_t)index,
			    .scale = (uint8_t)scale };
}

/* a constant that was written among the code */
static inline struct rm rm_rip(const uint8_t *at)
{
	return (struct rm){ .kind = RM_RIP, .at = at };
}

/* Opcodes: low byte the number, then the map (1: 0F, 2: 0F 38, 3: 0F 3A), then a prefix. */
#define MAP_0F		0x100
#define MAP_0F38	0x200
#define MAP_0F3A	0x300
#define P_66		0x1000
#define P_F3		0x2000
#define P_F2		0x3000
#define BYTE_REG	0x4000		/* the register is a byte: sil, dil need a prefix */

/* op reg, r/m; the forms with 64 operate on whole registers */
void op_rm(struct code *c, unsigned int opcode, bool w, unsigned int reg, struct rm m);
/* VEX-encoded op reg, v, r/m */
void vop_rm(struct code *c, unsigned int opcode, bool w, unsigned int reg, unsigned int v,
	    struct rm m);

/* the two-operand arithmetic, in the order of its encodings */
enum alu { ALU_ADD, ALU_OR, ALU_ADC, ALU_SBB, ALU_AND, ALU_SUB, ALU_XOR, ALU_CMP };
void alu_rm(struct code *c, enum alu op, bool w, unsigned int reg, struct rm m);
void alu_imm(struct code *c, enum alu op, bool w, struct rm m, int32_t imm);

enum shift { SHIFT_LEFT = 4, SHIFT_RIGHT = 5, SHIFT_ARITH = 7 };
void shift_imm(struct code *c, enum shift op, bool w, unsigned int reg, unsigned int n);
/* reg = r/m shifted by @by, modulo the width */
void shift_reg(struct code *c, enum shift op, bool w, unsigned int reg, struct rm m,
	       unsigned int by);
/* reg = r/m rotated to the right */
void rorx(struct code *c, bool w, unsigned int reg, unsigned int from, unsigned int n);

void mov_imm(struct code *c, unsigned int reg, uint64_t imm);
void mov_mem_imm(struct code *c, struct rm m, int32_t imm);
/* @reg = low half of @from times @imm */
void imul_imm(struct code *c, unsigned int reg, unsigned int from, uint32_t imm);
static inline void mov_load(struct code *c, unsigned int reg, struct rm m)
{
	op_rm(c, 0x8b, true, reg, m);
}

/* the lower half, zero-extended */
static inline void mov_load_w(struct code *c, unsigned int reg, struct rm m)
{
	op_rm(c, 0x8b, false, reg, m);
}

static inline void mov_store(struct code *c, struct rm m, unsigned int reg)
{
	op_rm(c, 0x89, true, reg, m);
}

static inline void mov_reg(struct code *c, unsigned int to, unsigned int from)
{
	if (to != from)
		op_rm(c, 0x8b, true, to, rm_reg(from));
}

static inline void lea(struct code *c, bool w, unsigned int reg, struct rm m)
{
	op_rm(c, 0x8d, w, reg, m);
}

/* sign-extended from 32 bits */
static inline void movsxd(struct code *c, unsigned int reg, struct rm m)
{
	op_rm(c, 0x63, true, reg, m);
}

static inline void zero(struct code *c, unsigned int reg)
{
	op_rm(c, 0x33, false, reg, rm_reg(reg));
}

static inline void test_reg(struct code *c, bool w, unsigned int reg)
{
	op_rm(c, 0x85, w, reg, rm_reg(reg));
}

/* the one-operand group of multiplication and division; works on rdx:rax */
enum muldiv { MUL_NOT = 2, MUL_NEG = 3, MUL_U = 4, MUL_S = 5, DIV_U = 6, DIV_S = 7 };
static inline void muldiv(struct code *c, enum muldiv op, bool w, struct rm m)
{
	op_rm(c, 0xf7, w, op, m);
}

/* Conditions as the processor counts them. */
enum cond { CC_O, CC_NO, CC_B, CC_AE, CC_E, CC_NE, CC_BE, CC_A, CC_S, CC_NS, CC_P, CC_NP, CC_L, CC_GE,
	    CC_LE, CC_G, CC_ALWAYS };

static inline void setcc(struct code *c, enum cond cc, unsigned int reg)
{
	op_rm(c, MAP_0F | BYTE_REG | 0x90 | (unsigned int)cc, false, 0, rm_reg(reg));
}

/* the byte in @from, zero-extended */
static inline void movzx_byte(struct code *c, unsigned int reg, unsigned int from)
{
	op_rm(c, MAP_0F | BYTE_REG | 0xb6, false, reg, rm_reg(from));
}

/**
 * jump() - a jump to be patched: the address of its distance
 * jump_to() - a jump to code that is already there
 * jump_here() - patch a jump to lead to the next byte
 * jump_patch() - patch a jump to lead to @to
 */
uint8_t *jump(struct code *c, enum cond cc);
void jump_to(struct code *c, enum cond cc, const uint8_t *to);
void jump_patch(uint8_t *jump, const uint8_t *to);
static inline void jump_here(struct code *c, uint8_t *at)
{
	if (!c->full)
		jump_patch(at, c->p);
}

void call_to(struct code *c, const uint8_t *to);
static inline void call_mem(struct code *c, struct rm m)
{
	op_rm(c, 0xff, false, 2, m);
}

static inline void jump_mem(struct code *c, struct rm m)
{
	op_rm(c, 0xff, false, 4, m);
}

void push(struct code *c, unsigned int reg);
void pop(struct code *c, unsigned int reg);
void emit_byte(struct code *c, uint8_t v);
void emit_u64(struct code *c, uint64_t v);
void emit_align(struct code *c, unsigned int n);

/* Scalar floating point; s: single, else double -------------------------------------------------- */

enum fop { F_SQRT = 0x51, F_ADD = 0x58, F_MUL = 0x59, F_SUB = 0x5c, F_MIN = 0x5d, F_DIV = 0x5e,
	   F_MAX = 0x5f };
static inline void fop(struct code *c, enum fop op, bool s, unsigned int to, unsigned int a,
		       struct rm b)
{
	vop_rm(c, MAP_0F | (s ? P_F3 : P_F2) | (unsigned int)op, false, to, a, b);
}

/* to = +-(to * a) +- b */
enum fma { FMA_MADD = 0xa9, FMA_MSUB = 0xab, FMA_NMADD = 0xad, FMA_NMSUB = 0xaf };
static inline void fma213(struct code *c, enum fma op, bool s, unsigned int to, unsigned int a,
			  struct rm b)
{
	vop_rm(c, MAP_0F38 | P_66 | (unsigned int)op, !s, to, a, b);
}

/* sets the integer flags; quiet: only signalling NaNs raise an exception */
static inline void fcmp(struct code *c, bool quiet, bool s, unsigned int a, struct rm b)
{
	vop_rm(c, MAP_0F | (s ? 0 : P_66) | (quiet ? 0x2e : 0x2f), false, a, 0, b);
}

enum flogic { F_AND = 0x54, F_ANDN = 0x55, F_OR = 0x56, F_XOR = 0x57 };
static inline void flogic(struct code *c, enum flogic op, unsigned int to, unsigned int a,
			  struct rm b)
{
	vop_rm(c, MAP_0F | (unsigned int)op, false, to, a, b);
}

static inline void fmov(struct code *c, unsigned int to, unsigned int from)
{
	if (to != from)
		vop_rm(c, MAP_0F | 0x28, false, to, 0, rm_reg(from));
}

static inline void fload(struct code *c, bool s, unsigned int to, struct rm m)
{
	vop_rm(c, MAP_0F | (s ? P_F3 : P_F2) | 0x10, false, to, 0, m);
}

static inline void fstore(struct code *c, bool s, struct rm m, unsigned int from)
{
	vop_rm(c, MAP_0F | (s ? P_F3 : P_F2) | 0x11, false, from, 0, m);
}

/* between an integer register (or memory) and an xmm register; w: all 64 bits */
static inline void fmov_from_int(struct code *c, bool w, unsigned int xmm, struct rm m)
{
	vop_rm(c, MAP_0F | P_66 | 0x6e, w, xmm, 0, m);
}

static inline void fmov_to_int(struct code *c, bool w, struct rm m, unsigned int xmm)
{
	vop_rm(c, MAP_0F | P_66 | 0x7e, w, xmm, 0, m);
}

#endif /* ANPU_JIT_ASM_H */
