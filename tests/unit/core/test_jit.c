// SPDX-License-Identifier: MIT
/*
 * Translated code against the interpreter: random programs of everything the scalar unit has, run
 * translated and then instruction by instruction; then what only translation can get wrong: code that
 * changes, faults amid a block, polls, memory that must not be executed.
 */
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "model/core/jit/jit.h"
#include "rig.h"

#define PROGRAMS	4000
#define WORDS		96
#define DATA_BYTES	8192

/* Random code -------------------------------------------------------------------------------------- */

static uint32_t pick(const uint32_t *from, unsigned int n)
{
	return from[rnd() % n];
}

static unsigned int reg(void)
{
	/* more than have homes; 3 and 4 are bases; x0 now and then */
	return rnd() % 16 ? 5 + rnd() % 20 : 0;
}

static uint32_t random_alu(void)
{
	static const uint32_t w_f3[] = { 0, 1, 5 }, mw_f3[] = { 0, 4, 5, 6, 7 };
	uint32_t f3 = rnd() % 8, alt = rnd() % 2 ? 0x20 : 0;

	switch (rnd() % 8) {
	case 0: return R_TYPE(0x33, f3, f3 == 0 || f3 == 5 ? alt : 0, reg(), reg(), reg());
	case 1:
		f3 = pick(w_f3, 3);
		return R_TYPE(0x3b, f3, f3 != 1 ? alt : 0, reg(), reg(), reg());
	case 2: return R_TYPE(0x33, f3, 1, reg(), reg(), reg());
	case 3: return R_TYPE(0x3b, pick(mw_f3, 5), 1, reg(), reg(), reg());
	case 4:
		if (f3 == 1 || f3 == 5)
			return I_TYPE(0x13, f3, reg(), reg(), (rnd() & 63) | (f3 == 5 && alt ? 0x400 : 0));
		return I_TYPE(0x13, f3, reg(), reg(), rnd());
	case 5:
		f3 = pick(w_f3, 3);
		return I_TYPE(0x1b, f3, reg(), reg(), f3 ? (rnd() & 31) | (f3 == 5 && alt ? 0x400 : 0) : rnd());
	case 6: return ADDI(reg(), reg(), rnd() % 2 ? (int)(rnd() % 16) - 8 : 0);
	default: return U_TYPE(rnd() % 2 ? 0x37 : 0x17, reg(), rnd() & 0xfffff);
	}
}

/* The bases point into data, a window, read-only memory; all accesses, also across pages. */
static uint32_t random_memory(void)
{
	unsigned int base = rnd() % 200 ? 2 + rnd() % 3 : reg(), f3 = rnd() % 7;
	int imm = (int)(rnd() % 3200) - 1600;

	switch (rnd() % 4) {
	case 0: return I_TYPE(0x03, f3, reg(), base, imm);
	case 1: return S_TYPE(0x23, f3 & 3, base, reg(), imm);
	case 2: return I_TYPE(0x07, 1 + f3 % 3, rnd() % 20, base, imm);
	default: return S_TYPE(0x27, 1 + f3 % 3, base, rnd() % 20, imm);
	}
}

static uint32_t random_fp(void)
{
	static const uint32_t f5s[] = { 0, 1, 2, 3, 4, 5, 8, 0x0b, 0x14, 0x18, 0x1a, 0x1c, 0x1e,
					0, 1, 2, 4, 5, 0x14, 0x18, 0x1a, 8 };
	uint32_t fmt = rnd() % 8 ? rnd() % 2 : 2, rm = rnd() % 4 ? 7 : rnd() % 5, f5, rs2 = rnd() % 20;

	if (rnd() % 4 == 0)
		return R4_TYPE(0x43 + 4 * (rnd() % 4), rm, fmt, rnd() % 20, rnd() % 20, rs2, rnd() % 20);
	f5 = pick(f5s, sizeof(f5s) / sizeof(f5s[0]));
	if (f5 == 4 || f5 == 0x14)
		rm = rnd() % 3;
	if (f5 == 4 && rnd() % 2)
		return R_TYPE(0x53, rm, f5 << 2 | fmt, rnd() % 20, rs2, rs2);
	if (f5 == 5 || f5 == 0x1c)
		rm = rnd() % 2;
	if (f5 == 0x0b || f5 == 0x1c || f5 == 0x1e)
		rs2 = 0;
	if (f5 == 0x1e)
		rm = 0;
	if (f5 == 8)
		rs2 = (fmt + 1 + rnd() % 2) % 3;
	if (f5 == 0x18 || f5 == 0x1a) {
		rs2 = rnd() % 4;
		if (rnd() % 2)
			rm = 1;
	}
	return R_TYPE(0x53, rm, f5 << 2 | fmt, f5 == 0x14 || f5 == 0x18 || f5 == 0x1c ? reg() : rnd() % 20,
		      f5 == 0x1a || f5 == 0x1e ? reg() : rnd() % 20, rs2);
}

static uint32_t random_jump(unsigned int at)
{
	static const uint32_t f3s[] = { 0, 1, 4, 5, 6, 7 };
	int distance = ((int)(rnd() % WORDS) - (int)at) * 4;

	if (rnd() % 100 == 0)
		distance += 2;		/* not aligned: a fault */
	switch (rnd() % 8) {
	case 0: return J_TYPE(0, distance);
	case 1: return J_TYPE(1, distance);
	case 2: return rnd() % 2 ? RET : I_TYPE(0x67, 0, reg(), 1, 0);
	default: return B_TYPE(pick(f3s, 6), reg(), rnd() % 4 ? reg() : 0, distance);
	}
}

/* auipc and jalr, a pair to the translator; its second half may be jumped to */
static unsigned int far_call(uint32_t *code, unsigned int n)
{
	unsigned int link = rnd() % 4 ? 1 : 30, via = rnd() % 4 ? link : 31;
	int distance = ((int)(rnd() % WORDS) - (int)n) * 4 + (rnd() % 50 ? (int)(rnd() & 1) : 2);

	code[n] = U_TYPE(0x17, via, 0);
	code[n + 1] = I_TYPE(0x67, 0, rnd() % 4 ? link : 0, via, distance);
	return n + 1;
}

/* shifts and sums that are one to the translator, and others that nearly are; the second may be jumped to */
static unsigned int random_pair(uint32_t *code, unsigned int n)
{
	unsigned int rd = reg(), rs = rnd() % 8 ? rd : reg();

	code[n] = I_TYPE(0x13, 1, rd, reg(), rnd() % 2 ? 32 : rnd() % 5);
	switch (rnd() % 4) {
	case 0: code[n + 1] = R_TYPE(0x33, 0, 0, rnd() % 8 ? rd : reg(), rs, reg()); break;
	case 1: code[n + 1] = R_TYPE(0x33, 0, 0, rnd() % 8 ? rd : reg(), reg(), rs); break;
	case 2: code[n + 1] = I_TYPE(0x13, 7, reg(), reg(), 255); break;
	default: code[n + 1] = I_TYPE(0x13, 5, rnd() % 8 ? rd : reg(), rs, 28 + rnd() % 6); break;
	}
	return n + 1;
}

static uint32_t random_rare(void)
{
	static const uint32_t rare[] = {
		CSRR(7, ANPU_CSR_instret), CSRR(8, ANPU_CSR_fflags), CSRR(9, ANPU_CSR_fcsr), CSRR(11, ANPU_CSR_cycle),
		CSRR(12, ANPU_CSR_blockidx), CSRW(ANPU_CSR_fflags, 0), 0x0ff0000f, 0x0000100f,
		SYS_INSN(ANPU_SYS_PIPEBAR, 0, 0), SYS_INSN(ANPU_SYS_SETFLAG, 5, 0), TILE_INSN(0, 5, 6, 7, 8),
		0x00100073, 0xffffffff, I_TYPE(0x73, 5, 10, 4, ANPU_CSR_frm), I_TYPE(0x73, 5, 10, 2, ANPU_CSR_frm),
		I_TYPE(0x73, 5, 10, 0, ANPU_CSR_frm),
	};
	unsigned int n = rnd() % 100 ? rnd() % 8 : rnd() % 16;

	return rare[n];
}

static void random_program(uint32_t *code)
{
	unsigned int fp = rnd() % 3, n;

	for (n = 0; n < WORDS; n++) {
		unsigned int kind = rnd() % 16;

		if (kind < 3)
			code[n] = random_memory();
		else if (kind == 4 && n + 1 < WORDS && rnd() % 2)
			n = far_call(code, n);
		else if (kind < 5)
			code[n] = random_jump(n);
		else if (kind == 14 && n + 1 < WORDS)
			n = random_pair(code, n);
		else if (kind < 5 + 3 * fp)
			code[n] = random_fp();
		else if (kind == 15 && rnd() % 4 == 0)
			code[n] = random_rare();
		else
			code[n] = random_alu();
	}
	code[WORDS - 1] = RET;
}

static uint64_t random_float(void)
{
	static const uint64_t special[] = { 0, 1ull << 63, 0x7ff0000000000000, 0x7ff8000000000001, 0x7ff0000000000001,
					    0x3ff0000000000000, 0x41dfffffffc00000, 0x41efffffffe00000,
					    0x43e0000000000000, 1 };
	static const uint32_t small[] = { 0, 0x80000000, 0x7f800000, 0x7fc00001, 0x7f800001, 0x3f800000, 0x4effffff,
					  0x4f800000, 0x5f000000, 1, 0xffff3c00, 0xffff0001 };

	switch (rnd() % 7) {
	case 6: return rnd() % 2 << 63 | (rnd() % 2 ? 0xffffffff00000000 | rnd() % 2 << 31 : 0);
	case 0: return special[rnd() % 10];
	case 1: return 0x3f00000000000000 + (rnd() >> 8 & 0x01ffffffffffffff);
	case 2: return 0xffffffff00000000 | small[rnd() % 12];
	case 3: return 0xffffffff00000000 | (0x3e000000 + (rnd() & 0x03ffffff));
	case 4: return rnd();
	default: return 0xffffffff00000000 | (uint32_t)rnd();
	}
}

/* Comparing ---------------------------------------------------------------------------------------- */

struct state {
	uint64_t x[33];
	uint64_t f[32];
	uint64_t csrs[4];	/* frm, fflags, pc, retired */
	struct core_fault fault;
	uint8_t data[DATA_BYTES];
	uint8_t local[2 * PAGE_SIZE];
};

static struct state start, translated, stepped;

#define LOCAL_AT	(ANPU_UB_BASE + PAGE_SIZE)

static void put(struct rig *r, const struct state *s)
{
	rig_block(r, CODE_VA);
	memcpy(r->b->x, s->x, sizeof(s->x));
	memcpy(r->b->f, s->f, sizeof(s->f));
	memcpy(rig_data(r), s->data, DATA_BYTES);
	r->b->frm = (uint32_t)s->csrs[0];
	r->b->fflags = (uint32_t)s->csrs[1];
}

static void get(struct rig *r, struct state *s, enum core_result result)
{
	memset(s, 0, sizeof(*s));
	memcpy(s->x, r->b->x, sizeof(s->x));
	s->x[32] = 0;
	memcpy(s->f, r->b->f, sizeof(s->f));
	s->csrs[0] = r->b->frm;
	s->csrs[1] = r->b->fflags;
	s->csrs[2] = result == CORE_FAULT ? r->fault.pc : r->b->pc;
	s->csrs[3] = r->b->retired;
	if (result == CORE_FAULT)
		s->fault = r->fault;
	memcpy(s->data, rig_data(r), DATA_BYTES);
	memcpy(s->local, r->b->local + (LOCAL_AT - LOCAL_BASE), sizeof(s->local));
}

static void random_state(struct state *s)
{
	unsigned int n;

	memset(s, 0, sizeof(*s));
	for (n = 5; n < 32; n++)
		s->x[n] = rnd() % 3 ? rnd() : rnd() % 64 - 32;
	for (n = 0; n < 32; n++)
		s->f[n] = random_float();
	s->x[1] = ANPU_EXIT_PC;
	s->x[2] = LOCAL_AT + PAGE_SIZE + rnd() % 16;
	s->x[3] = DATA_VA + PAGE_SIZE + rnd() % 16;
	s->x[4] = rnd() % 16 ? DATA_VA + 3000 : RO_VA + 2000;
	s->csrs[0] = rnd() % 8 ? 0 : rnd() % 6;		/* 5 is reserved */
	for (n = 0; n < DATA_BYTES; n += 8)
		memcpy(s->data + n, &(uint64_t){ rnd() % 2 ? rnd() : random_float() }, 8);
}

static const char *difference(const struct state *a, const struct state *b)
{
	if (memcmp(a->x, b->x, sizeof(a->x)))
		return "x";
	if (memcmp(a->f, b->f, sizeof(a->f)))
		return "f";
	if (memcmp(a->csrs, b->csrs, sizeof(a->csrs)))
		return "frm, fflags, pc or retired";
	if (memcmp(&a->fault, &b->fault, sizeof(a->fault)))
		return "fault";
	return memcmp(a->data, b->data, sizeof(a->data)) || memcmp(a->local, b->local, sizeof(a->local)) ?
	       "memory" : NULL;
}

/* Where does it end, and is it there instruction by instruction? */
static const char *one_program(struct rig *r, unsigned int *ends)
{
	enum core_result result, ref;

	put(r, &start);
	result = core_block_run(r->b, &r->mmu, 4000, &r->fault);
	get(r, &translated, result);
	ends[result]++;
	put(r, &start);
	do
		ref = core_block_step(r->b, &r->mmu, &r->fault);
	while (ref == CORE_MORE && (result != CORE_MORE || r->b->retired < translated.csrs[3]) &&
	       r->b->retired < 100000);
	get(r, &stepped, ref);
	return ref != result ? "the end" : difference(&translated, &stepped);
}

static void dump(const struct state *a, const struct state *b)
{
	unsigned int n;

	for (n = 0; n < 32; n++) {
		if (a->x[n] != b->x[n])
			tap_note("x%u 0x%llx, not 0x%llx", n, (unsigned long long)a->x[n],
				 (unsigned long long)b->x[n]);
		if (a->f[n] != b->f[n])
			tap_note("f%u 0x%llx, not 0x%llx", n, (unsigned long long)a->f[n],
				 (unsigned long long)b->f[n]);
	}
	for (n = 0; n < 4; n++)
		if (a->csrs[n] != b->csrs[n])
			tap_note("csr %u 0x%llx, not 0x%llx", n, (unsigned long long)a->csrs[n],
				 (unsigned long long)b->csrs[n]);
	tap_note("fault %u %s, %u %s", a->fault.cause, a->fault.message, b->fault.cause, b->fault.message);
}

static void test_programs(struct rig *r, unsigned int programs)
{
	unsigned int bad = 0, ends[4] = { 0 }, n;
	uint32_t code[WORDS];

	r->mmu.region[1].size = DATA_BYTES;
	for (n = 0; n < programs; n++) {
		const char *what;

		random_program(code);
		random_state(&start);
		rig_code(r, 0, code, WORDS);
		what = one_program(r, ends);
		if (!what)
			continue;
		if (bad++)
			continue;
		tap_note("program %u differs in %s", n, what);
		dump(&translated, &stepped);
		for (unsigned int k = 0; k < WORDS; k++)
			tap_note("%3x: %08x", 4 * k, code[k]);
	}
	r->mmu.region[1].size = REGION_BYTES;
	tap_ok(!bad, "%u random programs, %u returned, %u endless, %u faulted: as step by step", programs,
	       ends[CORE_DONE], ends[CORE_MORE], ends[CORE_FAULT]);
	tap_ok(ends[CORE_DONE] > programs / 20 && ends[CORE_MORE] > programs / 50 &&
	       ends[CORE_FAULT] > programs / 20, "and enough of each kind");
}

/* Single behaviours -------------------------------------------------------------------------------- */

/* Code in writable memory overwrites an instruction of its own loop and says fence.i. */
static void test_self_modifying(struct rig *r)
{
	const uint32_t code[] = {
		ADDI(12, 0, 200),
		ADDI(13, 13, 1),			/* 4: the victim, then ADDI(13, 13, 3) */
		ADDI(12, 12, -1),
		B_TYPE(1, 12, 14, 16),			/* not yet at the half: over the store */
		S_TYPE(0x23, 2, 10, 15, 4),
		0x0000100f,				/* fence.i */
		ADDI(0, 0, 0),
		B_TYPE(1, 12, 0, -24),
		RET,
	};
	struct region *data = &r->mmu.region[1];

	data->rights |= ANPU_ACCESS_FETCH;
	memcpy(data->host, code, sizeof(code));
	code_cache_invalidate(r->k.code);
	rig_block(r, DATA_VA);
	r->b->x[14] = 100;
	r->b->x[15] = ADDI(13, 13, 3);
	tap_ok(rig_run(r) == CORE_DONE && r->b->x[13] == 100 + 300, "code that changes itself and says fence.i");
	data->rights &= ~(uint32_t)ANPU_ACCESS_FETCH;
}

/* The n-th turn of a hot loop loads from behind the end of memory. */
static void test_fault_in_loop(struct rig *r)
{
	const uint32_t code[] = {
		ADDI(13, 13, 1), I_TYPE(3, 3, 14, 10, 0), ADDI(10, 10, 8), R_TYPE(0x33, 0, 0, 15, 15, 14),
		ADDI(16, 16, 2), J_TYPE(0, -20),
	};
	uint64_t turns = REGION_BYTES / 8;

	rig_code(r, 0, code, 6);
	rig_block(r, CODE_VA);
	r->b->x[10] = DATA_VA;
	tap_ok(rig_run(r) == CORE_FAULT && r->fault.cause == ANPU_FAULT_UNMAPPED &&
	       r->fault.addr == DATA_VA + REGION_BYTES && r->fault.pc == CODE_VA + 4 && r->fault.insn == code[1] &&
	       r->fault.x[13] == turns + 1 && r->fault.x[10] == DATA_VA + REGION_BYTES && r->fault.x[16] == 2 * turns &&
	       r->fault.x[0] == 6 * turns + 1, "a fault amid a block: registers, pc and count are those before it");
}

/* Steps of one access towards the end of memory, misaligned: the one that crosses it faults. */
static void test_end_of_page(struct rig *r)
{
	static const struct { uint32_t word; unsigned int bytes; } access[] = {
		{ I_TYPE(0x03, 3, 14, 10, 0), 8 }, { I_TYPE(0x03, 2, 14, 10, 0), 4 }, { I_TYPE(0x03, 5, 14, 10, 0), 2 },
		{ S_TYPE(0x23, 3, 10, 14, 0), 8 }, { S_TYPE(0x23, 2, 10, 14, 0), 4 }, { S_TYPE(0x23, 1, 10, 14, 0), 2 },
		{ I_TYPE(0x07, 3, 14, 10, 0), 8 }, { I_TYPE(0x07, 2, 14, 10, 0), 4 }, { I_TYPE(0x07, 1, 14, 10, 0), 2 },
		{ S_TYPE(0x27, 3, 10, 14, 0), 8 }, { S_TYPE(0x27, 2, 10, 14, 0), 4 }, { S_TYPE(0x27, 1, 10, 14, 0), 2 },
	};
	unsigned int n, bad = 0;

	for (n = 0; n < sizeof(access) / sizeof(access[0]); n++) {
		const uint32_t code[] = { access[n].word, ADDI(10, 10, 1), J_TYPE(0, -8) };
		uint64_t last = DATA_VA + REGION_BYTES - access[n].bytes;

		rig_code(r, 0, code, 3);
		rig_block(r, CODE_VA);
		r->b->x[10] = DATA_VA + REGION_BYTES - 64;
		bad += rig_run(r) != CORE_FAULT || r->fault.pc != CODE_VA || r->fault.x[10] != last + 1 ||
		       r->fault.addr != DATA_VA + REGION_BYTES;
	}
	tap_ok(!bad, "accesses that cross the end of memory fault, all sizes");
}

/* A base register that takes turns: a page of data is written through it, one of the window read. */
static void test_two_pages(struct rig *r)
{
	const uint32_t code[] = {
		S_TYPE(0x23, 3, 10, 12, 0), ADDI(16, 10, 0), ADDI(10, 17, 0), ADDI(17, 16, 0), J_TYPE(0, 4),
		I_TYPE(0x03, 3, 14, 10, 0), ADDI(16, 10, 0), ADDI(10, 17, 0), ADDI(17, 16, 0),
		R_TYPE(0x33, 0, 0, 15, 15, 14), ADDI(12, 12, -1), B_TYPE(1, 12, 0, -44), RET,
	};
	uint64_t left = 0, seven = 7;

	rig_code(r, 0, code, 13);
	rig_block(r, CODE_VA);
	r->b->x[10] = DATA_VA;
	r->b->x[17] = LOCAL_AT;
	r->b->x[12] = 100;
	memcpy(local_ptr(r->b, LOCAL_AT), &seven, 8);
	local_dirty(r->b, LOCAL_AT, 8);
	tap_ok(rig_run(r) == CORE_DONE && r->b->x[15] == 700, "one register reads one page and writes another");
	memcpy(&left, rig_data(r), 8);
	memcpy(&seven, local_ptr(r->b, LOCAL_AT), 8);
	tap_ok(left == 1 && seven == 7, "and each store goes to the right one");
}

/*
 * Two arrays as aclrtMalloc() gives them, a large power of 2 apart: the low bits of their pages' numbers
 * are the same. Each page may be looked up once to be read and once to be written, whoever runs the code.
 */
static void test_far_apart(struct rig *r)
{
	const uint32_t code[] = {
		I_TYPE(0x03, 3, 13, 10, 0), I_TYPE(0x03, 3, 14, 11, 0), R_TYPE(0x33, 0, 0, 14, 13, 14),
		S_TYPE(0x23, 3, 11, 14, 0), ADDI(10, 10, 8), ADDI(11, 11, 8), B_TYPE(1, 11, 12, -24), RET,
	};
	uint64_t *from = (uint64_t *)(void *)r->mmu.region[2].host, *to = (uint64_t *)(void *)rig_data(r);
	unsigned int n, words = REGION_BYTES / 8, bad = 0, before;

	_Static_assert((RO_VA - DATA_VA) % (2 << 20) == 0, "as far apart as two allocations");
	for (n = 0; n < words; n++) {
		from[n] = 3 * n;
		to[n] = n;
	}
	rig_code(r, 0, code, 8);
	rig_block(r, CODE_VA);
	r->b->x[10] = RO_VA;
	r->b->x[11] = DATA_VA;
	r->b->x[12] = DATA_VA + REGION_BYTES;
	before = r->mmu.accesses;
	tap_ok(rig_run(r) == CORE_DONE && r->b->retired == 7 * words + 1, "arrays a power of 2 apart");
	for (n = 0; n < words; n++)
		bad += to[n] != 4 * (uint64_t)n || from[n] != 3 * (uint64_t)n;
	tap_ok(!bad, "and what they hold");
	tap_ok(r->mmu.accesses - before <= 3 * (REGION_BYTES / PAGE_SIZE) + 1,
	       "%u look-ups for %u pages", r->mmu.accesses - before, 2 * (REGION_BYTES / PAGE_SIZE));
}

/* One place that reads two pages in turn, not at their beginnings: the TLB has them after the first look-up. */
static void test_in_turn(struct rig *r)
{
	const uint32_t code[] = {
		I_TYPE(0x03, 3, 14, 10, 0), R_TYPE(0x33, 4, 0, 10, 10, 11), ADDI(12, 12, -1), B_TYPE(1, 12, 0, -12), RET,
	};
	enum core_result result;
	unsigned int before, looked;

	rig_code(r, 0, code, 5);
	rig_block(r, CODE_VA);
	r->b->x[10] = DATA_VA + 1048;
	r->b->x[11] = PAGE_SIZE;
	r->b->x[12] = 1000;
	before = r->mmu.accesses;
	result = rig_run(r);
	looked = r->mmu.accesses - before;
	tap_ok(result == CORE_DONE && looked <= 4, "%u look-ups for two pages in turn", looked);
}

/* Pages at such distances spread over the TLB. */
static void test_index(void)
{
	bool used[TLB_SIZE] = { false };
	unsigned int n, different = 0;

	for (n = 0; n < 64; n++) {
		unsigned int slot = tlb_index(DATA_VA + ((uint64_t)n << 21));

		different += !used[slot];
		used[slot] = true;
	}
	tap_ok(different >= 48, "64 pages 2 MiB apart have %u slots of the TLB", different);
}

/*
 * Tile operations count as so many instructions that all polls come behind it, while the loop has more code than one
 * region: what is behind the region is translated, too, and once.
 */
static void test_long_loop(struct rig *r)
{
	enum { TURNS = 500, SUMS = 900 };
	static uint32_t code[SUMS + 6];
	struct code_page *page;
	unsigned int n = 0, entries = 0, last = 0, first, k;

	code[n++] = TILE_INSN(ANPU_TILE_VDUP, 14, 10, 11, 0);
	code[n++] = TILE_INSN(ANPU_TILE_VDUP, 14, 10, 11, 0);
	code[n++] = J_TYPE(0, 4);
	first = n;
	for (k = 0; k < SUMS; k++)
		code[n++] = ADDI(5 + k % 2, 5 + k % 2, 1);
	code[n++] = ADDI(12, 12, -1);
	code[n] = B_TYPE(1, 12, 0, -4 * (int)n);
	code[n + 1] = RET;
	rig_code(r, 0, code, n + 2);
	rig_block(r, CODE_VA);
	r->b->x[10] = ANPU_UB_BASE;
	r->b->x[12] = TURNS;
	r->b->x[14] = ANPU_CTL(16384, ANPU_TYPE_U32, 0);
	tap_ok(rig_run(r) == CORE_DONE && r->b->x[5] == TURNS * SUMS / 2 && r->b->x[6] == TURNS * SUMS / 2 &&
	       r->b->retired == (uint64_t)TURNS * (n + 1) + 1, "a loop of more than a region, around tile operations");
	for (k = first; k <= n; k++) {
		page = code_page_lookup(r->k.code->gen, (CODE_VA + 4 * k) & ~(uint64_t)(PAGE_SIZE - 1));
		if (page && jit_entry_at(page, k % PAGE_INSNS)) {
			entries++;
			last = k;
		}
	}
	tap_ok(entries == 2 && last - first > SUMS / 2, "it is translated in parts: %u entries, the last at %u of %u sums", entries,
	       last - first, SUMS);
}

/* instret read by every turn of a loop that is translated around it */
static void test_counting(struct rig *r)
{
	const uint32_t code[] = {
		ADDI(12, 0, 1000), ADDI(5, 5, 1), CSRR(14, ANPU_CSR_instret), ADDI(12, 12, -1), ADDI(6, 6, 1),
		B_TYPE(1, 12, 0, -16), RET,
	};

	rig_code(r, 0, code, 7);
	rig_block(r, CODE_VA);
	tap_ok(rig_run(r) == CORE_DONE && r->b->x[14] == 1 + 999 * 5 + 1 && r->b->retired == 2 + 5 * 1000,
	       "instret amid translated code");
}

/* A register of the launch is read amid translated code, which does not end there; one that does not exist is told of. */
static void test_csrs(struct rig *r)
{
	const uint32_t code[] = {
		ADDI(12, 0, 1000), ADDI(5, 5, 1), CSRR(14, ANPU_CSR_args), ADDI(6, 6, 1), ADDI(12, 12, -1), B_TYPE(1, 12, 0, -16), RET,
	};
	const uint32_t none[] = { ADDI(5, 5, 1), CSRR(14, 0x7c0), RET };
	struct code_page *page;

	rig_code(r, 0, code, 7);
	rig_block(r, CODE_VA);
	r->k.pkt.args = 0x123456789;
	tap_ok(rig_run(r) == CORE_DONE && r->b->x[14] == 0x123456789 && r->b->retired == 2 + 5 * 1000, "a CSR amid translated code");
	page = code_page_lookup(r->k.code->gen, CODE_VA);
	tap_ok(page && jit_entry_at(page, 1) && !jit_entry_at(page, 3), "translated code goes on behind it");
	rig_code(r, 0, none, 3);
	rig_block(r, CODE_VA);
	tap_ok(rig_run(r) == CORE_FAULT && r->fault.cause == ANPU_FAULT_ILLEGAL && r->fault.pc == CODE_VA + 4 && r->b->x[5] == 1,
	       "a CSR that does not exist amid translated code");
}

/* A register that held a single and then gets a double is no valid single any more, in the same block of code. */
static void test_double_after_single(struct rig *r)
{
	enum { FADD_S = 0, FADD_D = 1, FMV_W_X = 0x78, DYN = 7 };
	const uint32_t code[] = {
		R_TYPE(0x53, 0, FMV_W_X, 1, 10, 0), R_TYPE(0x53, DYN, FADD_S, 2, 1, 1),
		R_TYPE(0x53, DYN, FADD_D, 1, 3, 3), R_TYPE(0x53, DYN, FADD_S, 4, 1, 1), RET,
	};

	rig_code(r, 0, code, 5);
	rig_block(r, CODE_VA);
	r->b->x[10] = 0x3f800000;		/* 1.0 */
	r->b->f[3] = 0x3ff0000040000000;	/* its lower half is 2.0 as a single */
	tap_ok(rig_run(r) == CORE_DONE && r->b->f[2] == 0xffffffff40000000 && r->b->f[1] == 0x4000000040000000 &&
	       r->b->f[4] == 0xffffffff7fc00000, "a double is no single");
}

/* An endless loop ends by its budget, wherever it is entered again; and by stop. */
static void test_polls(struct rig *r)
{
	const uint32_t code[] = { ADDI(5, 5, 1), ADDI(6, 6, 1), ADDI(7, 7, 1), J_TYPE(0, -12) };
	bool right = true;
	unsigned int n;

	rig_code(r, 0, code, 4);
	rig_block(r, CODE_VA);
	for (n = 0; n < 50; n++) {
		right = core_block_run(r->b, &r->mmu, 3000, &r->fault) == CORE_MORE && right;
		right = r->b->x[5] * 4 - r->b->retired < 4 && r->b->x[5] - r->b->x[7] <= 1 && right;
	}
	tap_ok(right && r->b->retired > 50 * 4096, "an endless loop in slices");
	for (n = 0; n < 50; n++) {
		/* what another block left is less than the loop's first block has */
		uint64_t before = r->b->retired;

		r->b->credit = 1 + n % 4;
		right = core_block_run(r->b, &r->mmu, 0, &r->fault) == CORE_MORE && right;
		right = core_block_run(r->b, &r->mmu, 0, &r->fault) == CORE_MORE && right;
		right = r->b->retired > before && right;
	}
	tap_ok(right, "and slices without time get on, too");
	atomic_store(&r->k.stop, 1);
	tap_ok(rig_run(r) == CORE_MORE, "stop ends it");
	atomic_store(&r->k.stop, 0);
}

/* Another thread changes code that runs. */
static struct rig *shared;

static void *changer(void *arg)
{
	const uint32_t leave = ADDI(12, 0, 0);

	(void)arg;
	for (unsigned int n = 0; n < 200; n++)
		code_cache_invalidate(shared->k.code);
	/* the running block reads this word only after the invalidation that follows */
	__atomic_store_n((uint32_t *)(void *)(shared->mmu.region[0].host + 8), leave, __ATOMIC_RELEASE);
	code_cache_invalidate(shared->k.code);
	return NULL;
}

static void test_invalidation(struct rig *r)
{
	const uint32_t code[] = { ADDI(12, 0, 1), ADDI(5, 5, 1), ADDI(6, 6, 1), ADDI(7, 7, 1), B_TYPE(1, 12, 0, -12),
				  RET };
	struct code_gen *held;
	unsigned int serial;
	pthread_t t;

	rig_code(r, 0, code, 6);
	rig_block(r, CODE_VA);
	shared = r;
	held = code_gen_get(r->k.code, &serial);
	code_cache_invalidate(r->k.code);
	code_gen_put(r->k.code, held);
	tap_ok(atomic_load(&r->k.code->serial) != serial, "what a block may be reading just now is forgotten");
	pthread_create(&t, NULL, changer, NULL);
	tap_ok(rig_run(r) == CORE_DONE && r->b->x[5] == r->b->x[7], "code changed by another thread");
	pthread_join(t, NULL);
}

/* The host refuses the memory: everything still runs. */
static void test_refused(void)
{
	static struct rig r;
	const uint32_t code[] = { ADDI(12, 0, 1000), ADDI(12, 12, -1), B_TYPE(1, 12, 0, -4), RET };
	struct rlimit limit, none;

	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &limit);
	none = limit;
	none.rlim_cur = 0;
	setrlimit(RLIMIT_FSIZE, &none);
	rig_init(&r);
	code_cache_set_jit(r.k.code, CORE_JIT_EAGER);
	rig_code(&r, 0, code, 4);
	rig_block(&r, CODE_VA);
	tap_ok(rig_run(&r) == CORE_DONE && r.b->retired == 2002, "no memory for translated code: interpreted");
	tap_ok(code_cache_jit(r.k.code) == CORE_JIT_REFUSED, "and it says so");
	rig_fini(&r);
	setrlimit(RLIMIT_FSIZE, &limit);
}

/* More code than there is room for its translation: the rest is interpreted. */
static void test_full(struct rig *r)
{
	static uint32_t code[REGION_BYTES / 4];
	unsigned int n, words = REGION_BYTES / 4;

	for (n = 0; n < words - 1; n++)
		code[n] = n % 2 ? I_TYPE(0x03, 3, 14, 10, 0) : R_TYPE(0x33, 0, 0, 15, 15, 14);
	code[n] = RET;
	rig_code(r, 0, code, words);
	rig_block(r, CODE_VA);
	memcpy(rig_data(r), &(uint64_t){ 3 }, 8);
	r->b->x[10] = DATA_VA;
	tap_ok(rig_run(r) == CORE_DONE && r->b->retired == words && r->b->x[15] == 3 * (words / 2 - 1),
	       "more code than there is room for");
}

static void test_modes(struct rig *r)
{
	enum core_jit mode = code_cache_jit(r->k.code);

	code_cache_set_jit(r->k.code, CORE_JIT_OFF);
	tap_ok(code_cache_jit(r->k.code) == CORE_JIT_OFF, "turned off");
	test_counting(r);
	test_far_apart(r);
	code_cache_set_jit(r->k.code, CORE_JIT_ON);
	tap_ok(code_cache_jit(r->k.code) == CORE_JIT_ON, "turned on");
	test_polls(r);
	test_long_loop(r);
	code_cache_set_jit(r->k.code, mode);
}

int main(int argc, char **argv)
{
	static struct rig r;

	unsetenv("ANPU_JIT");
	rig_init(&r);
	if (code_cache_jit(r.k.code) == CORE_JIT_OFF) {
		tap_skip("translated code", "this host has no translator");
		return tap_done();
	}
	code_cache_set_jit(r.k.code, CORE_JIT_EAGER);
	test_programs(&r, argc > 1 ? (unsigned int)atoi(argv[1]) : PROGRAMS);
	test_self_modifying(&r);
	test_fault_in_loop(&r);
	test_end_of_page(&r);
	test_two_pages(&r);
	test_far_apart(&r);
	test_in_turn(&r);
	test_index();
	test_counting(&r);
	test_csrs(&r);
	test_double_after_single(&r);
	test_polls(&r);
	test_invalidation(&r);
	test_full(&r);
	test_modes(&r);
	test_refused();
	rig_fini(&r);
	return tap_done();
}
