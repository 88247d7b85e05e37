// SPDX-License-Identifier: MIT
/* Every integer instruction against arithmetic that is wider than its own. */
#include "batch.h"

typedef __int128 i128;
typedef unsigned __int128 u128;

static int64_t sx(uint64_t v)
{
	return (int64_t)v;
}

static uint64_t word(u128 v)	/* the low 32 bits, sign-extended */
{
	uint64_t low = (uint64_t)v & 0xffffffff;

	return low >= 0x80000000 ? low - 0x100000000 : low;
}

static i128 s32(uint64_t v)
{
	return (i128)(int64_t)word(v);
}

#define REF(name, expr) static uint64_t ref_##name(uint64_t a, uint64_t b) { (void)b; return (uint64_t)(expr); }
REF(add, (u128)a + b)
REF(sub, (u128)a - b)
REF(sll, (u128)a << (b % 64))
REF(slt, sx(a) < sx(b))
REF(sltu, a < b)
REF(xor, (a | b) - (a & b))
REF(srl, a / ((u128)1 << (b % 64)))
REF(sra, (i128)sx(a) >> (b % 64))
REF(or, (a & b) + (a ^ b))
REF(and, (u128)a + b - (a | b))
REF(addw, word((u128)a + b))
REF(subw, word((u128)a - b))
REF(sllw, word((u128)a << (b % 32)))
REF(srlw, word((a & 0xffffffff) >> (b % 32)))
REF(sraw, word((u128)(s32(a) >> (b % 32))))
REF(mul, (u128)a * b)
REF(mulw, word((u128)a * b))

/* high halves from 32-bit pieces */
static uint64_t ref_mulhu(uint64_t a, uint64_t b)
{
	uint64_t al = a & 0xffffffff, ah = a >> 32, bl = b & 0xffffffff, bh = b >> 32;
	uint64_t mid = (al * bl >> 32) + (ah * bl & 0xffffffff) + (al * bh & 0xffffffff);

	return ah * bh + (ah * bl >> 32) + (al * bh >> 32) + (mid >> 32);
}

static uint64_t ref_mulh(uint64_t a, uint64_t b)
{
	return ref_mulhu(a, b) - (sx(a) < 0 ? b : 0) - (sx(b) < 0 ? a : 0);
}

static uint64_t ref_mulhsu(uint64_t a, uint64_t b)
{
	return ref_mulhu(a, b) - (sx(a) < 0 ? b : 0);
}

REF(div, b ? (i128)sx(a) / sx(b) : -1)
REF(divu, b ? a / b : ~0ULL)
REF(rem, b ? (i128)sx(a) % sx(b) : (i128)a)
REF(remu, b ? a % b : a)
REF(divw, word(s32(b) ? (u128)(s32(a) / s32(b)) : ~(u128)0))
REF(divuw, word((uint32_t)b ? (u128)((uint32_t)a / (uint32_t)b) : ~(u128)0))
REF(remw, word(s32(b) ? (u128)(s32(a) % s32(b)) : (u128)a))
REF(remuw, word((uint32_t)b ? (u128)((uint32_t)a % (uint32_t)b) : (u128)a))

struct op {
	const char *name;
	uint32_t opcode, f3, f7;
	uint64_t (*ref)(uint64_t a, uint64_t b);
};

static const struct op reg_ops[] = {
#define OP(name, opcode, f3, f7) { #name, opcode, f3, f7, ref_##name }
	OP(add, 0x33, 0, 0), OP(sub, 0x33, 0, 0x20), OP(sll, 0x33, 1, 0), OP(slt, 0x33, 2, 0),
	OP(sltu, 0x33, 3, 0), OP(xor, 0x33, 4, 0), OP(srl, 0x33, 5, 0), OP(sra, 0x33, 5, 0x20),
	OP(or, 0x33, 6, 0), OP(and, 0x33, 7, 0),
	OP(addw, 0x3b, 0, 0), OP(subw, 0x3b, 0, 0x20), OP(sllw, 0x3b, 1, 0), OP(srlw, 0x3b, 5, 0),
	OP(sraw, 0x3b, 5, 0x20),
	OP(mul, 0x33, 0, 1), OP(mulh, 0x33, 1, 1), OP(mulhsu, 0x33, 2, 1), OP(mulhu, 0x33, 3, 1),
	OP(div, 0x33, 4, 1), OP(divu, 0x33, 5, 1), OP(rem, 0x33, 6, 1), OP(remu, 0x33, 7, 1),
	OP(mulw, 0x3b, 0, 1), OP(divw, 0x3b, 4, 1), OP(divuw, 0x3b, 5, 1), OP(remw, 0x3b, 6, 1),
	OP(remuw, 0x3b, 7, 1),
};

/* immediate forms: opcode, funct3, high bits of the immediate, and whether it is a shift of n bits */
static const struct {
	struct op op;
	unsigned int shift_bits;
} imm_ops[] = {
	{ { "addi", 0x13, 0, 0, ref_add }, 0 }, { { "slti", 0x13, 2, 0, ref_slt }, 0 },
	{ { "sltiu", 0x13, 3, 0, ref_sltu }, 0 }, { { "xori", 0x13, 4, 0, ref_xor }, 0 },
	{ { "ori", 0x13, 6, 0, ref_or }, 0 }, { { "andi", 0x13, 7, 0, ref_and }, 0 },
	{ { "slli", 0x13, 1, 0, ref_sll }, 6 }, { { "srli", 0x13, 5, 0, ref_srl }, 6 },
	{ { "srai", 0x13, 5, 0x400, ref_sra }, 6 },
	{ { "addiw", 0x1b, 0, 0, ref_addw }, 0 }, { { "slliw", 0x1b, 1, 0, ref_sllw }, 5 },
	{ { "srliw", 0x1b, 5, 0, ref_srlw }, 5 }, { { "sraiw", 0x1b, 5, 0x400, ref_sraw }, 5 },
};

static uint64_t pick(unsigned int i)
{
	static const uint64_t edge[] = { 0, 1, 2, 31, 32, 63, 64, ~0ULL, ~1ULL, 0x7fffffff, 0x80000000,
					 0xffffffff, 0x100000000, 0x7fffffffffffffff,
					 0x8000000000000000, 0xffffffff80000000 };
	uint64_t v = rnd();

	if (i % 4 < 2)
		return edge[v % (sizeof(edge) / sizeof(edge[0]))];
	return i % 4 == 2 ? v : (uint64_t)((int64_t)v >> (rnd() % 64));
}

static void fill(struct batch_in *in, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		in[i] = (struct batch_in){ pick(i), pick(i / 4), 0 };
}

static void test_regs(struct rig *r, struct batch_in *in, struct batch_out *out)
{
	for (unsigned int k = 0; k < sizeof(reg_ops) / sizeof(reg_ops[0]); k++) {
		const struct op *o = &reg_ops[k];
		unsigned int bad = 0;

		fill(in, BATCH_MAX);
		if (batch_run(r, R_TYPE(o->opcode, o->f3, o->f7, 13, 10, 11), 0, in, out, BATCH_MAX))
			for (unsigned int i = 0; i < BATCH_MAX; i++) {
				if (out[i].x != o->ref(in[i].a, in[i].b) && !bad++)
					tap_note("%s %016llx %016llx: %016llx, expected %016llx", o->name,
						 (unsigned long long)in[i].a, (unsigned long long)in[i].b,
						 (unsigned long long)out[i].x,
						 (unsigned long long)o->ref(in[i].a, in[i].b));
			}
		else
			bad++;
		tap_ok(!bad, "%s: %u cases", o->name, BATCH_MAX);
	}
}

static void test_imms(struct rig *r, struct batch_in *in, struct batch_out *out)
{
	static const int imms[] = { 0, 1, -1, 2047, -2048, 5, 31, 33, 63, 1365, -1366 };

	for (unsigned int k = 0; k < sizeof(imm_ops) / sizeof(imm_ops[0]); k++) {
		const struct op *o = &imm_ops[k].op;
		unsigned int bad = 0, n = 512, j;

		for (j = 0; j < sizeof(imms) / sizeof(imms[0]); j++) {
			int imm = imms[j];
			uint64_t b;

			if (imm_ops[k].shift_bits)
				imm &= (1 << imm_ops[k].shift_bits) - 1;
			b = (uint64_t)(int64_t)imm;
			fill(in, n);
			if (!batch_run(r, I_TYPE(o->opcode, o->f3, 13, 10, imm | (int)o->f7), 0, in, out, n))
				bad++;
			else
				for (unsigned int i = 0; i < n; i++)
					bad += out[i].x != o->ref(in[i].a, b);
		}
		tap_ok(!bad, "%s: %u immediates", o->name, j);
	}
}

static void set_all(struct core_block *b, void *ctx)
{
	(void)ctx;
	for (unsigned int n = 3; n < 32; n++)
		b->x[n] = n * 0x0101010101010101ULL;
}

static void test_forms(struct rig *r)
{
	tap_ok(rig_one(r, U_TYPE(0x37, 13, 0x80000), set_all, NULL) == CORE_DONE &&
	       r->b->x[13] == 0xffffffff80000000, "lui sign-extends");
	tap_ok(rig_one(r, U_TYPE(0x37, 13, 0x12345), set_all, NULL) == CORE_DONE &&
	       r->b->x[13] == 0x12345000, "lui");
	tap_ok(rig_one(r, U_TYPE(0x17, 13, 0xfffff), set_all, NULL) == CORE_DONE &&
	       r->b->x[13] == CODE_VA - 0x1000, "auipc backwards");
	tap_ok(rig_one(r, U_TYPE(0x17, 13, 0x7ffff), set_all, NULL) == CORE_DONE &&
	       r->b->x[13] == CODE_VA + 0x7ffff000, "auipc forwards");
	tap_ok(rig_one(r, ADDI(0, 10, 5), set_all, NULL) == CORE_DONE && r->b->x[0] == 0,
	       "addi to x0 changes nothing");
	tap_ok(rig_one(r, R_TYPE(0x33, 0, 0, 0, 10, 11), set_all, NULL) == CORE_DONE && r->b->x[0] == 0,
	       "add to x0 changes nothing");
	tap_ok(rig_one(r, U_TYPE(0x37, 0, 1), set_all, NULL) == CORE_DONE && r->b->x[0] == 0,
	       "lui to x0 changes nothing");
	tap_ok(rig_one(r, ADDI(13, 0, -7), set_all, NULL) == CORE_DONE && r->b->x[13] == ~6ULL,
	       "addi from x0 (li)");
	tap_ok(rig_one(r, ADDI(13, 11, 0), set_all, NULL) == CORE_DONE &&
	       r->b->x[13] == 11 * 0x0101010101010101ULL, "addi 0 (mv)");
	tap_ok(rig_one(r, R_TYPE(0x33, 0, 0x20, 10, 10, 10), set_all, NULL) == CORE_DONE &&
	       r->b->x[10] == 0, "sub with one register for all");
}

/* every register in every role */
static void test_registers(struct rig *r)
{
	unsigned int bad = 0;

	for (unsigned int rd = 3; rd < 32; rd++)
		for (unsigned int rs = 3; rs < 32; rs += 7)
			bad += rig_one(r, R_TYPE(0x33, 4, 0, rd, rs, 3), set_all, NULL) != CORE_DONE ||
			       r->b->x[rd] != (rs ^ 3) * 0x0101010101010101ULL;
	tap_ok(!bad, "every register as destination and source");
}

/* The checking mode has a fault for divisors of zero; without it there are results, as of other divisors */
static void test_zero(struct rig *r)
{
	static const struct {
		uint32_t insn;
		uint64_t plain;
		const char *says;
	} rows[] = {
		{ R_TYPE(0x33, 4, 1, 13, 10, 11), ~0ULL, "division of 7 by zero" }, { R_TYPE(0x33, 5, 1, 13, 10, 11), ~0ULL, "of 7 by" },
		{ R_TYPE(0x33, 6, 1, 13, 10, 11), 7, "of 7 by" }, { R_TYPE(0x33, 7, 1, 13, 10, 11), 7, "of 7 by" },
		{ R_TYPE(0x3b, 4, 1, 13, 10, 12), ~0ULL, "of 7 by" }, { R_TYPE(0x3b, 5, 1, 13, 10, 12), ~0ULL, "of 7 by" },
		{ R_TYPE(0x3b, 6, 1, 13, 10, 12), 7, "of 7 by" }, { R_TYPE(0x3b, 7, 1, 13, 10, 12), 7, "of 7 by" },
	};

	for (unsigned int n = 0; n < sizeof(rows) / sizeof(rows[0]); n++) {
		/* x11 is 0, x12 is 2^32, whose lower half is */
		const uint32_t code[] = { ADDI(10, 0, 7), ADDI(11, 0, 0), ADDI(12, 0, 1), I_TYPE(0x13, 1, 12, 12, 32), rows[n].insn, RET };
		bool ok;

		rig_code(r, 0, code, 6);
		rig_block(r, CODE_VA);
		ok = rig_run(r) == CORE_DONE && r->b->x[13] == rows[n].plain;
		r->k.pkt.hdr.flags = ANPU_KERNEL_CHECK;
		rig_block(r, CODE_VA);
		ok = ok && rig_run(r) == CORE_FAULT && r->fault.cause == ANPU_FAULT_TRAP && strstr(r->fault.message, rows[n].says) &&
		     r->fault.pc == CODE_VA + 16;
		r->k.pkt.hdr.flags = 0;
		tap_ok(ok, "division %u by zero", n);
	}
}

int main(void)
{
	static struct rig r;
	static struct batch_in in[BATCH_MAX];
	static struct batch_out out[BATCH_MAX];

	rig_init(&r);
	test_regs(&r, in, out);
	test_imms(&r, in, out);
	test_forms(&r);
	test_registers(&r);
	test_zero(&r);
	rig_fini(&r);
	return tap_done();
}
