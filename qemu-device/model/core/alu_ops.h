/* SPDX-License-Identifier: MIT */
/*
 * Integer instructions as expressions, for the interpreter of threads and that of lanes: A and B are the
 * operands, IMM the immediate, extended, and i->imm the amount of a shift. Those of W keep 32 bits, which
 * are sign-extended.
 */
#ifndef ANPU_ALU_OPS_H
#define ANPU_ALU_OPS_H

#include <stdint.h>

static inline uint64_t alu_mulh(int64_t a, int64_t b)
{
	return (uint64_t)(((__int128)a * b) >> 64);
}

static inline uint64_t alu_mulhsu(int64_t a, uint64_t b)
{
	return (uint64_t)(((__int128)a * b) >> 64);
}

static inline uint64_t alu_mulhu(uint64_t a, uint64_t b)
{
	return (uint64_t)(((unsigned __int128)a * b) >> 64);
}

static inline int64_t div_s64(int64_t a, int64_t b)
{
	if (!b)
		return -1;
	return b == -1 ? (int64_t)-(uint64_t)a : a / b;
}

static inline int64_t rem_s64(int64_t a, int64_t b)
{
	if (!b)
		return a;
	return b == -1 ? 0 : a % b;
}

static inline int32_t div_s32(int32_t a, int32_t b)
{
	if (!b)
		return -1;
	return b == -1 ? (int32_t)-(uint32_t)a : a / b;
}

static inline int32_t rem_s32(int32_t a, int32_t b)
{
	if (!b)
		return a;
	return b == -1 ? 0 : a % b;
}

/* register and immediate */
#define ALU_OPS_IMM(ALU, ALUW) \
	ALU(addi, A + IMM) \
	ALU(slti, (int64_t)A < (int64_t)IMM) \
	ALU(sltiu, A < IMM) \
	ALU(xori, A ^ IMM) \
	ALU(ori, A | IMM) \
	ALU(andi, A & IMM) \
	ALU(slli, A << i->imm) \
	ALU(srli, A >> i->imm) \
	ALU(srai, (int64_t)A >> i->imm) \
	ALUW(addiw, (uint32_t)A + (uint32_t)i->imm) \
	ALUW(slliw, (uint32_t)A << i->imm) \
	ALUW(srliw, (uint32_t)A >> i->imm) \
	ALUW(sraiw, (int32_t)A >> i->imm)

/* two registers */
#define ALU_OPS(ALU, ALUW) \
	ALU(add, A + B) \
	ALU(sub, A - B) \
	ALU(sll, A << (B & 63)) \
	ALU(slt, (int64_t)A < (int64_t)B) \
	ALU(sltu, A < B) \
	ALU(xor, A ^ B) \
	ALU(srl, A >> (B & 63)) \
	ALU(sra, (int64_t)A >> (B & 63)) \
	ALU(or, A | B) \
	ALU(and, A & B) \
	ALUW(addw, (uint32_t)A + (uint32_t)B) \
	ALUW(subw, (uint32_t)A - (uint32_t)B) \
	ALUW(sllw, (uint32_t)A << (B & 31)) \
	ALUW(srlw, (uint32_t)A >> (B & 31)) \
	ALUW(sraw, (int32_t)A >> (B & 31)) \
	ALU(mul, A * B) \
	ALU(mulh, alu_mulh((int64_t)A, (int64_t)B)) \
	ALU(mulhsu, alu_mulhsu((int64_t)A, B)) \
	ALU(mulhu, alu_mulhu(A, B)) \
	ALUW(mulw, (uint32_t)A * (uint32_t)B)

/* by zero: all ones, and the dividend as the rest */
#define DIVIDE_OPS(ALU, ALUW) \
	ALU(div, div_s64((int64_t)A, (int64_t)B)) \
	ALU(divu, B ? A / B : ~0ULL) \
	ALU(rem, rem_s64((int64_t)A, (int64_t)B)) \
	ALU(remu, B ? A % B : A) \
	ALUW(divw, div_s32((int32_t)A, (int32_t)B)) \
	ALUW(divuw, (uint32_t)B ? (uint32_t)A / (uint32_t)B : ~0u) \
	ALUW(remw, rem_s32((int32_t)A, (int32_t)B)) \
	ALUW(remuw, (uint32_t)B ? (uint32_t)A % (uint32_t)B : (uint32_t)A)

#endif /* ANPU_ALU_OPS_H */
