// SPDX-License-Identifier: MIT
/* Atomic instructions against a reference, their faults, and increments of many threads of the host at once. */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

#include "rig.h"

#define AMO(f5, f3, rd, rs1, rs2)	R_TYPE(0x2f, f3, (f5) << 2, rd, rs1, rs2)
#define OWN(number, rd, rs1, rs2)	R_TYPE(ANPU_OPC_SYS, 1, number, rd, rs1, rs2)
#define LR 0x02
#define SC 0x03

struct operands {
	uint64_t va, value, expected;
};

static void set_operands(struct core_block *b, void *ctx)
{
	const struct operands *o = ctx;

	b->x[11] = o->va;
	b->x[12] = o->value;
	b->x[10] = o->expected;
}

static uint64_t sign(uint64_t v, unsigned int bytes)
{
	return bytes == 4 ? (uint64_t)(int64_t)(int32_t)v : v;
}

static uint64_t standard(unsigned int f5, unsigned int bytes, uint64_t old, uint64_t v, uint64_t expected)
{
	int64_t so = (int64_t)sign(old, bytes), sv = (int64_t)sign(v, bytes);
	uint64_t mask = bytes == 4 ? 0xffffffff : ~0ULL;

	switch (f5) {
	case 0x00: return old + v;
	case 0x01: return v;
	case 0x04: return old ^ v;
	case 0x05: return (old & mask) == (expected & mask) ? v : old;
	case 0x08: return old | v;
	case 0x0c: return old & v;
	case 0x10: return so < sv ? old : v;
	case 0x14: return so > sv ? old : v;
	case 0x18: return (old & mask) < (v & mask) ? old : v;
	default: return (old & mask) > (v & mask) ? old : v;
	}
}

static uint64_t word(struct rig *r, uint64_t va, unsigned int bytes)
{
	const uint8_t *p = va < ANPU_GM_BASE ? local_ptr(r->b, va) : rig_data(r) + (va - DATA_VA);
	uint64_t v = 0;

	memcpy(&v, p, bytes);
	return v;
}

/* numbers that often meet: small ones, and the ends of the ranges */
static uint64_t number(void)
{
	static const uint64_t few[] = { 0, 1, ~0ULL, 1ULL << 31, 1ULL << 63, 0x7fffffff, ~0ULL >> 1 };

	return rnd() & 1 ? few[rnd() % 7] : rnd() & 1 ? rnd() : rnd() % 4;
}

static void test_standard(struct rig *r)
{
	static const uint8_t f5[] = { 0x00, 0x01, 0x04, 0x05, 0x08, 0x0c, 0x10, 0x14, 0x18, 0x1c };

	for (unsigned int n = 0; n < sizeof(f5); n++) {
		bool ok = true;

		for (unsigned int k = 0; k < 400 && ok; k++) {
			unsigned int bytes = k & 1 ? 8 : 4;
			struct operands o = { DATA_VA + 64, number(), number() };
			uint64_t old = number(), mask = bytes == 4 ? 0xffffffff : ~0ULL, want, beside = rnd();

			memcpy(rig_data(r) + 64, &old, bytes);
			memcpy(rig_data(r) + 64 + bytes, &beside, 8);
			want = standard(f5[n], bytes, old & mask, o.value, o.expected) & mask;
			ok = rig_one(r, AMO(f5[n], bytes == 8 ? 3 : 2, 10, 11, 12), set_operands, &o) == CORE_DONE &&
			     r->b->x[10] == sign(old, bytes) && word(r, o.va, bytes) == want &&
			     !memcmp(rig_data(r) + 64 + bytes, &beside, 8);
			if (!ok)
				tap_note("old %llx value %llx: %llx, wanted %llx", (unsigned long long)old,
					 (unsigned long long)o.value, (unsigned long long)word(r, o.va, bytes),
					 (unsigned long long)want);
		}
		tap_ok(ok, "funct5 0x%02x: old value, new value, nothing beside it", f5[n]);
	}
}

static float f_number(void)
{
	static const float few[] = { 0.f, -0.f, 1.f, INFINITY, -INFINITY, 1e-45f, 3.4e38f };

	return rnd() & 1 ? few[rnd() % 7] : rnd() % 8 ? (float)(int64_t)rnd() * 0x1p-40f : NAN;
}

static double f_want(unsigned int op, double a, double c)
{
	if (op <= ANPU_AMO_FADD_D)
		return a + c;
	if (a == 0 && c == 0)
		return (op <= ANPU_AMO_FMIN_D) == !!signbit(a) ? a : c;
	return op <= ANPU_AMO_FMIN_D ? fmin(a, c) : fmax(a, c);
}

static bool same_double(double a, double c)
{
	return a != a ? c != c : a == c && !signbit(a) == !signbit(c);
}

static void test_float(struct rig *r)
{
	for (unsigned int op = ANPU_AMO_FADD_S; op <= ANPU_AMO_FMAX_D; op++) {
		bool single = !(op & 1), ok = true;

		for (unsigned int k = 0; k < 400 && ok; k++) {
			float a = f_number(), c = f_number(), got4;
			double a8 = (double)a, c8 = (double)c, got;
			struct operands o = { DATA_VA + 64, 0, 0 };

			memcpy(rig_data(r) + 64, single ? (void *)&a : &a8, single ? 4 : 8);
			memcpy(&o.value, single ? (void *)&c : &c8, single ? 4 : 8);
			ok = rig_one(r, OWN(op, 10, 11, 12), set_operands, &o) == CORE_DONE;
			memcpy(&got4, rig_data(r) + 64, 4);
			memcpy(&got, rig_data(r) + 64, 8);
			if (single)
				ok = ok && same_double((double)got4, op == ANPU_AMO_FADD_S ? (double)(a + c) : f_want(op, a8, c8));
			else
				ok = ok && same_double(got, f_want(op, a8, c8));
			ok = ok && !r->b->fflags;
			if (!ok)
				tap_note("%g and %g give %g", a8, c8, single ? (double)got4 : got);
		}
		tap_ok(ok, "floating-point operation %u", op);
	}
}

static void test_wrap(struct rig *r)
{
	static const uint32_t cases[][4] = {
		{ ANPU_AMO_INC_W, 3, 5, 4 }, { ANPU_AMO_INC_W, 5, 5, 0 }, { ANPU_AMO_INC_W, 9, 5, 0 },
		{ ANPU_AMO_INC_W, ~0u, ~0u, 0 }, { ANPU_AMO_DEC_W, 3, 5, 2 }, { ANPU_AMO_DEC_W, 0, 5, 5 },
		{ ANPU_AMO_DEC_W, 9, 5, 5 },
	};

	for (unsigned int n = 0; n < sizeof(cases) / sizeof(cases[0]); n++) {
		struct operands o = { DATA_VA + 64, cases[n][2], 0 };

		memcpy(rig_data(r) + 64, &cases[n][1], 4);
		tap_ok(rig_one(r, OWN(cases[n][0], 10, 11, 12), set_operands, &o) == CORE_DONE &&
		       word(r, o.va, 4) == cases[n][3] && r->b->x[10] == sign(cases[n][1], 4),
		       "counter %u from %u, limit %u", cases[n][0], cases[n][1], cases[n][2]);
	}
}

static void test_reserved(struct rig *r)
{
	const uint32_t pair[] = { AMO(LR, 3, 13, 11, 0), ADDI(14, 13, 1), AMO(SC, 3, 15, 11, 14),
				  AMO(SC, 3, 16, 11, 12), RET };
	const uint32_t changed[] = { AMO(LR, 2, 13, 11, 0), S_TYPE(0x23, 2, 11, 12, 0), AMO(SC, 2, 15, 11, 13), RET };
	const uint32_t other[] = { AMO(LR, 2, 13, 11, 0), ADDI(17, 11, 4), AMO(SC, 2, 15, 17, 12), RET };
	struct operands o = { DATA_VA + 64, 99, 0 };
	uint64_t old = 41;

	memcpy(rig_data(r) + 64, &old, 8);
	rig_code(r, 0, pair, 5);
	rig_block(r, CODE_VA);
	set_operands(r->b, &o);
	tap_ok(rig_run(r) == CORE_DONE && !r->b->x[15] && r->b->x[16] == 1 && word(r, o.va, 8) == 42,
	       "lr and sc: the first store is done, a second one is not");
	rig_code(r, 0, changed, 4);
	rig_block(r, CODE_VA);
	set_operands(r->b, &o);
	tap_ok(rig_run(r) == CORE_DONE && r->b->x[15] == 1 && word(r, o.va, 4) == 99,
	       "sc fails when the word has changed");
	rig_code(r, 0, other, 4);
	rig_block(r, CODE_VA);
	set_operands(r->b, &o);
	tap_ok(rig_run(r) == CORE_DONE && r->b->x[15] == 1, "and at another address");
}

static void test_places(struct rig *r)
{
	struct operands o = { ANPU_UB_BASE + 128, 7, 0 };

	tap_ok(rig_one(r, AMO(0, 2, 10, 11, 12), set_operands, &o) == CORE_DONE && word(r, o.va, 4) == 7,
	       "in the unified buffer");
	o.va = DATA_VA + 2;
	tap_ok(rig_one(r, AMO(0, 2, 10, 11, 12), set_operands, &o) == CORE_FAULT &&
	       r->fault.cause == ANPU_FAULT_MISALIGNED && r->fault.addr == o.va && r->fault.pc == CODE_VA &&
	       r->fault.x[12] == 7, "a misaligned one faults, precisely");
	o.va = DATA_VA + 4;
	tap_ok(rig_one(r, AMO(0, 3, 10, 11, 12), set_operands, &o) == CORE_FAULT &&
	       r->fault.cause == ANPU_FAULT_MISALIGNED, "8 bytes at a multiple of 4, too");
	o.va = RO_VA;
	tap_ok(rig_one(r, AMO(0, 2, 10, 11, 12), set_operands, &o) == CORE_FAULT &&
	       r->fault.cause == ANPU_FAULT_PERMISSION && r->fault.addr == RO_VA, "read-only memory");
	tap_ok(rig_one(r, AMO(LR, 2, 10, 11, 0), set_operands, &o) == CORE_DONE, "which lr may read");
	o.va = 64;
	tap_ok(rig_one(r, AMO(0, 2, 10, 11, 12), set_operands, &o) == CORE_FAULT &&
	       r->fault.cause == ANPU_FAULT_SCRATCHPAD, "a null pointer");
	tap_ok(rig_one(r, AMO(0, 1, 10, 11, 12), set_operands, &o) == CORE_FAULT &&
	       r->fault.cause == ANPU_FAULT_ILLEGAL, "2 bytes are illegal");
	tap_ok(rig_one(r, AMO(LR, 2, 10, 11, 12), set_operands, &o) == CORE_FAULT &&
	       r->fault.cause == ANPU_FAULT_ILLEGAL, "lr with a second operand is illegal");
	tap_ok(rig_one(r, AMO(0x1f, 2, 10, 11, 12), set_operands, &o) == CORE_FAULT &&
	       r->fault.cause == ANPU_FAULT_ILLEGAL, "and so is an unknown one");
	tap_ok(rig_one(r, OWN(ANPU_AMO_OP_COUNT, 10, 11, 12), set_operands, &o) == CORE_FAULT &&
	       r->fault.cause == ANPU_FAULT_ILLEGAL, "of our own, too");
}

/* The rules of the checking mode: an atomic access reads and writes. */
static void test_checked(struct rig *r)
{
	struct operands o = { ANPU_UB_BASE + 256, 7, 0 };

	r->k.pkt.hdr.flags |= ANPU_KERNEL_CHECK;
	tap_ok(rig_one(r, AMO(0, 2, 10, 11, 12), set_operands, &o) == CORE_FAULT &&
	       r->fault.cause == ANPU_FAULT_UNINITIALISED && r->fault.addr == o.va,
	       "checking mode: a word that was never written");
	o.va = DATA_VA + 64;
	tap_ok(rig_one(r, AMO(0, 2, 10, 11, 12), set_operands, &o) == CORE_DONE, "global memory is taken as written");
	r->k.pkt.hdr.flags = 0;
}

#define WORKERS	4
#define BLOCKS	8
#define ROUNDS	2000

static struct rig shared;
static atomic_uint failed;

static void *worker(void *arg)
{
	struct mmu mmu = shared.mmu;
	struct core_fault fault;

	(void)arg;
	for (unsigned int n = 0; n < BLOCKS; n++) {
		struct core_block *b = core_block_new(&shared.k, n, 0, 0);
		enum core_result result;

		do
			result = core_block_run(b, &mmu, 10000, &fault);
		while (result == CORE_MORE);
		if (result != CORE_DONE)
			atomic_fetch_add(&failed, 1);
		core_block_free(b);
	}
	return NULL;
}

/* Each block adds 1 to four words ROUNDS times: amoadd, lr and sc, a floating-point sum, amocas. */
static void test_concurrent(void)
{
	const uint32_t code[] = {
		ADDI(5, 0, ROUNDS / 2), ADDI(5, 5, ROUNDS / 2), ADDI(6, 0, 1), U_TYPE(0x37, 7, 0x3f800),
		AMO(0, 3, 0, 10, 6),
		ADDI(11, 10, 64), AMO(LR, 2, 12, 11, 0), ADDI(12, 12, 1), AMO(SC, 2, 13, 11, 12), B_TYPE(1, 13, 0, -12),
		ADDI(11, 10, 128), OWN(ANPU_AMO_FADD_S, 0, 11, 7),
		ADDI(11, 10, 192), AMO(LR, 3, 12, 11, 0), ADDI(13, 12, 1), ADDI(14, 12, 0), AMO(5, 3, 12, 11, 13),
		B_TYPE(1, 12, 14, -16),
		ADDI(5, 5, -1), B_TYPE(1, 5, 0, -60), RET
	};
	uint64_t want = (uint64_t)WORKERS * BLOCKS * ROUNDS;
	pthread_t thread[WORKERS];
	float sum;

	rig_init(&shared);
	rig_code(&shared, 0, code, sizeof(code) / 4);
	for (unsigned int n = 0; n < WORKERS; n++)
		pthread_create(&thread[n], NULL, worker, NULL);
	for (unsigned int n = 0; n < WORKERS; n++)
		pthread_join(thread[n], NULL);
	memcpy(&sum, rig_data(&shared) + 128, 4);
	tap_ok(!failed, "all blocks end");
	tap_ok(word(&shared, DATA_VA, 8) == want, "amoadd: %llu increments", (unsigned long long)word(&shared, DATA_VA, 8));
	tap_ok(word(&shared, DATA_VA + 64, 4) == want, "lr and sc: %llu", (unsigned long long)word(&shared, DATA_VA + 64, 4));
	tap_ok(sum == (float)want, "sums of binary32: %g", (double)sum);
	tap_ok(word(&shared, DATA_VA + 192, 8) == want, "amocas: %llu", (unsigned long long)word(&shared, DATA_VA + 192, 8));
	rig_fini(&shared);
}

static atomic_uint meetings;

/* Adds 1, too, at any moment of a block's sum */
static void meet(int signal)
{
	uint32_t *word = (uint32_t *)rig_data(&shared), old = __atomic_load_n(word, __ATOMIC_RELAXED), new;
	float sum;

	(void)signal;
	do {
		memcpy(&sum, &old, 4);
		sum += 1;
		memcpy(&new, &sum, 4);
	} while (!__atomic_compare_exchange_n(word, &old, new, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
	atomic_fetch_add(&meetings, 1);
}

/*
 * A number that is added between the load and the store of a sum is lost if the sum is not tried again. Signals meet sums there on any
 * number of processors, which threads do in some runs only.
 */
static void test_sums_that_are_met(void)
{
	enum { TURNS = 2048, IN_A_ROW = 8, MEETINGS = 400, BLOCKS_AT_MOST = 200 };
	const struct itimerval often = { { 0, 50 }, { 0, 50 } }, never = { { 0, 0 }, { 0, 0 } };
	uint32_t code[6 + IN_A_ROW] = { ADDI(5, 0, TURNS / 2), ADDI(5, 5, TURNS / 2), U_TYPE(0x37u, 7, 0x3f800) };
	unsigned int n = 3, blocks = 0;
	struct core_fault fault;
	float sum;

	while (n < 3 + IN_A_ROW)
		code[n++] = OWN(ANPU_AMO_FADD_S, 0, 10, 7);
	code[n++] = ADDI(5, 5, -1);
	code[n++] = B_TYPE(1, 5, 0, -4 * (IN_A_ROW + 1));
	code[n++] = RET;
	rig_init(&shared);
	rig_code(&shared, 0, code, n);
	signal(SIGALRM, meet);
	setitimer(ITIMER_REAL, &often, NULL);
	while (blocks < BLOCKS_AT_MOST && atomic_load(&meetings) < MEETINGS) {
		struct core_block *b = core_block_new(&shared.k, blocks++, 0, 0);

		while (core_block_run(b, &shared.mmu, 10000, &fault) == CORE_MORE)
			;
		core_block_free(b);
	}
	setitimer(ITIMER_REAL, &never, NULL);
	signal(SIGALRM, SIG_IGN);
	memcpy(&sum, rig_data(&shared), 4);
	tap_ok(sum == (float)(blocks * TURNS * IN_A_ROW + meetings), "sums that are met by others: %.0f, of %u blocks and %u others",
	       (double)sum, blocks, meetings);
	rig_fini(&shared);
}

int main(void)
{
	static struct rig r;

	rig_init(&r);
	test_standard(&r);
	test_float(&r);
	test_wrap(&r);
	test_reserved(&r);
	test_places(&r);
	test_checked(&r);
	rig_fini(&r);
	test_concurrent();
	test_sums_that_are_met();
	return tap_done();
}
