// SPDX-License-Identifier: MIT
/*
 * Overflows of the scalar unit: what core_block_overflow() tells of blocks of a kernel with
 * ANPU_KERNEL_OVERFLOW, in all three ways of running code. Tile operations have tile_overflow.c.
 */
#include "rig.h"
#include "model/core/fp.h"

enum { ADD, SUB, MUL, DIV, SQRT = 11 };
enum { S, D, H };

#define FP_OP(funct5, fmt, rd, rs1, rs2)	R_TYPE(0x53, 7, (funct5) << 2 | (fmt), rd, rs1, rs2)
#define FMA(fmt, rd, rs1, rs2, rs3)		R4_TYPE(0x43, 7, fmt, rd, rs1, rs2, rs3)
#define FCVT(to, from, rd, rs1)			FP_OP(8, to, rd, rs1, from)
#define FCVT_H_W(rd, rs1)			FP_OP(26, H, rd, rs1, 0)
#define FLT_S(rd, rs1, rs2)			R_TYPE(0x53, 1, 20 << 2, rd, rs1, rs2)
#define FCVT_W_S(rd, rs1)			R_TYPE(0x53, 7, 24 << 2, rd, rs1, 0)
#define BNE(rs1, rs2, imm)			B_TYPE(1, rs1, rs2, imm)

static uint64_t box(uint64_t bits, unsigned int fmt)
{
	return fmt == S ? bits | ~0ULL << 32 : fmt == H ? bits | ~0ULL << 16 : bits;
}

/* zeros, ones, extremes, infinity, the canonical NaN, and what lies between */
static uint64_t number(unsigned int fmt)
{
	static const uint64_t special[3][7] = {
		{ 0, 0x3f800000, 0x7f7fffff, 0x7f800000, 0x7fc00000, 0x00800000, 0x5f000000 },
		{ 0, 0x3ff0000000000000, 0x7fefffffffffffff, 0x7ff0000000000000, 0x7ff8000000000000,
		  0x0010000000000000, 0x7000000000000000 },
		{ 0, 0x3c00, 0x7bff, 0x7c00, 0x7e00, 0x0400, 0x5c00 },
	};
	static const uint64_t sign[] = { 1ULL << 31, 1ULL << 63, 1ULL << 15 };
	uint64_t bits = special[fmt][rnd() % 7];

	return box(bits != special[fmt][4] && rnd() & 1 ? bits | sign[fmt] : bits, fmt);
}

/* 0 finite, 1 infinite, 2 NaN */
static unsigned int class(uint64_t v, unsigned int fmt)
{
	static const uint64_t infinity[] = { 0x7f800000, 0x7ff0000000000000, 0x7c00 };
	static const uint64_t all[] = { 0x7fffffff, 0x7fffffffffffffff, 0x7fff };

	return ((v & all[fmt]) >= infinity[fmt]) + ((v & all[fmt]) > infinity[fmt]);
}

static bool infinite_by_zero(uint64_t a, uint64_t b, unsigned int fmt)
{
	static const uint64_t magnitude[] = { 0x7fffffff, 0x7fffffffffffffff, 0x7fff };

	return (class(a, fmt) == 1 && !(b & magnitude[fmt])) ||
	       (class(b, fmt) == 1 && !(a & magnitude[fmt]));
}

static unsigned int worst(unsigned int a, unsigned int b)
{
	return a > b ? a : b;
}

static void watched(struct rig *r, const uint32_t *code, unsigned int n)
{
	rig_code(r, 0, code, n);
	r->k.pkt.hdr.flags = ANPU_KERNEL_OVERFLOW;
	rig_block(r, CODE_VA);
}

/* An instruction, of which it is known what its operands and result are */
static bool one(struct rig *r, uint32_t word, unsigned int to, unsigned int from, unsigned int operands)
{
	const uint32_t code[] = { word, RET };
	unsigned int c = 0, got, want;

	watched(r, code, 2);
	for (unsigned int i = 0; i < operands; i++) {
		r->b->f[10 + i] = number(from);
		c = worst(c, class(r->b->f[10 + i], from));
	}
	if (rig_run(r) != CORE_DONE)
		return false;
	got = core_block_overflow(r->b);
	want = class(r->b->f[13], to) > c ? class(r->b->f[13], to) : 0;
	/* infinity times 0 raises NV, also if NaN is added */
	if (operands == 3 && infinite_by_zero(r->b->f[10], r->b->f[11], from))
		want = ANPU_OVERFLOW_INVALID;
	if (got != want)
		tap_note("0x%08x of %016llx %016llx %016llx is %016llx: %u, want %u", word,
			 (unsigned long long)r->b->f[10], (unsigned long long)r->b->f[11],
			 (unsigned long long)r->b->f[12], (unsigned long long)r->b->f[13], got, want);
	return got == want && !core_block_overflow(r->b);
}

static void test_instructions(struct rig *r)
{
	static const char *const names[] = { "single", "double", "half" };
	static const unsigned int ops[] = { ADD, SUB, MUL, DIV };

	for (unsigned int fmt = S; fmt <= H; fmt++) {
		bool ok = true;

		for (unsigned int i = 0; ok && i < 2000; i++) {
			ok = one(r, FP_OP(ops[i % 4], fmt, 13, 10, 11), fmt, fmt, 2) &&
			     one(r, FP_OP(SQRT, fmt, 13, 10, 0), fmt, fmt, 1) &&
			     one(r, FMA(fmt, 13, 10, 11, 12), fmt, fmt, 3);
		}
		tap_ok(ok, "arithmetic, %s: infinity and NaN that come from nothing worse", names[fmt]);
		ok = true;
		for (unsigned int i = 0; ok && i < 500; i++)
			ok = fmt == D || one(r, FCVT(fmt, D, 13, 10), fmt, D, 1);
		tap_ok(ok, "conversions from double to %s", names[fmt]);
	}
}

static void test_others(struct rig *r)
{
	const uint32_t narrow[] = { FCVT_H_W(13, 10), RET };
	const uint32_t compare[] = { FLT_S(10, 10, 11), FCVT_W_S(10, 12), RET };

	watched(r, narrow, 2);
	r->b->x[10] = 70000;
	tap_ok(rig_run(r) == CORE_DONE && core_block_overflow(r->b) == ANPU_OVERFLOW_INFINITE,
	       "an integer that is too large for half precision");
	watched(r, compare, 3);
	r->b->f[10] = box(0x7fc00000, S);
	r->b->f[12] = box(0, S);
	tap_ok(rig_run(r) == CORE_DONE && core_block_overflow(r->b) == ANPU_OVERFLOW_INVALID,
	       "a comparison that raises NV");
	watched(r, compare + 1, 2);
	r->b->f[12] = box(0x7f800000, S);
	tap_ok(rig_run(r) == CORE_DONE && core_block_overflow(r->b) == ANPU_OVERFLOW_INVALID,
	       "a conversion to an integer that raises NV");
}

/* A loop that runs often: the last turn overflows */
static void test_loop(struct rig *r)
{
	const uint32_t code[] = { FP_OP(ADD, S, 10, 10, 10), ADDI(10, 10, -1), BNE(10, 0, -8), RET };
	const float half = 0x1p-149f;
	uint32_t bits;

	memcpy(&bits, &half, 4);
	for (unsigned int turns = 275; turns <= 277; turns++) {
		watched(r, code, 4);
		r->b->f[10] = box(bits, S);
		r->b->x[10] = turns;
		tap_ok(rig_run(r) == CORE_DONE &&
		       core_block_overflow(r->b) == (turns > 276 ? ANPU_OVERFLOW_INFINITE : 0),
		       "%u doublings of the smallest number", turns);
	}
	/* far more than a poll's worth, the overflow in the middle */
	watched(r, code, 4);
	r->b->f[10] = box(bits, S);
	r->b->x[10] = 300000;
	tap_ok(rig_run(r) == CORE_DONE && core_block_overflow(r->b) == ANPU_OVERFLOW_INFINITE,
	       "a long loop");
}

static void test_flags(struct rig *r)
{
	const uint32_t cleared[] = { FP_OP(DIV, S, 13, 10, 11), CSRW(ANPU_CSR_fflags, 0), RET };
	const uint32_t fcsr[] = { FP_OP(DIV, S, 13, 10, 11), CSRW(ANPU_CSR_fcsr, 0), RET };
	const uint32_t set[] = { CSRW(ANPU_CSR_fflags, 10), FP_OP(ADD, S, 13, 12, 12), RET };

	watched(r, cleared, 3);
	r->b->f[10] = box(0x3f800000, S);
	r->b->f[11] = box(0, S);
	tap_ok(rig_run(r) == CORE_DONE && !r->b->fflags &&
	       core_block_overflow(r->b) == ANPU_OVERFLOW_INFINITE, "flags that the operator clears");
	watched(r, fcsr, 3);
	r->b->f[10] = box(0, S);
	r->b->f[11] = box(0, S);
	tap_ok(rig_run(r) == CORE_DONE && !r->b->fflags &&
	       core_block_overflow(r->b) == ANPU_OVERFLOW_INVALID, "or by fcsr");
	watched(r, set, 3);
	r->b->x[10] = 31;
	r->b->f[12] = box(0x3f800000, S);
	tap_ok(rig_run(r) == CORE_DONE && r->b->fflags == 31 && !core_block_overflow(r->b),
	       "flags that the operator sets are no overflow");
}

/* Each overflow is told once, wherever the block was stopped */
static void test_steps(struct rig *r)
{
	const uint32_t code[] = {
		FP_OP(DIV, S, 13, 10, 11), CSRW(ANPU_CSR_fflags, 0), FP_OP(DIV, S, 13, 10, 11),
		TILE_INSN(ANPU_TILE_VUN, 7, 5, 5, 0), RET
	};
	static const unsigned int want[] = { ANPU_OVERFLOW_INFINITE, 0, ANPU_OVERFLOW_INFINITE,
					     ANPU_OVERFLOW_INVALID, 0 };
	bool ok = true;

	watched(r, code, 5);
	r->b->f[10] = box(0x3f800000, S);
	r->b->f[11] = box(0, S);
	r->b->x[5] = ANPU_UB_BASE;
	r->b->x[7] = ANPU_CTL(1, ANPU_TYPE_F32, ANPU_UN_SQRT);
	memcpy(local_ptr(r->b, ANPU_UB_BASE), &(float){ -1 }, 4);
	for (unsigned int i = 0; i < 5; i++) {
		core_block_step(r->b, &r->mmu, &r->fault);
		if (core_block_overflow(r->b) != want[i]) {
			tap_note("step %u", i);
			ok = false;
		}
	}
	tap_ok(ok, "each is told once");
}

static void test_unwatched(struct rig *r)
{
	const uint32_t code[] = { FP_OP(DIV, S, 13, 10, 11), TILE_INSN(ANPU_TILE_VUN, 7, 5, 5, 0), RET };

	rig_code(r, 0, code, 3);
	r->k.pkt.hdr.flags = 0;
	rig_block(r, CODE_VA);
	r->b->x[5] = ANPU_UB_BASE;
	r->b->x[7] = ANPU_CTL(1, ANPU_TYPE_F32, ANPU_UN_LN);
	r->b->f[10] = box(0x3f800000, S);
	r->b->f[11] = box(0, S);
	tap_ok(rig_run(r) == CORE_DONE && r->b->fflags && !core_block_overflow(r->b) && !r->b->overflow,
	       "nothing is noted without the flag");
	r->k.pkt.hdr.flags = ANPU_KERNEL_OVERFLOW;
	rig_block(r, CODE_VA);
	tap_ok(!core_block_overflow(r->b), "nor is there anything in a block that is used again");
}

int main(void)
{
	static struct rig r;

	rig_init(&r);
	test_instructions(&r);
	test_others(&r);
	test_loop(&r);
	test_flags(&r);
	test_steps(&r);
	test_unwatched(&r);
	rig_fini(&r);
	return tap_done();
}
