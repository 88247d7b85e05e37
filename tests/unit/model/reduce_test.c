// SPDX-License-Identifier: MIT
/* REDUCE: exact results of every type and operation, what it refuses, faults, and that it stops. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "reduce_expected.h"

#define MIB	(1ULL << 20)

static struct dev *d;
static struct tq *q;
static uint64_t src, dst;		/* 6 MiB each */

/* Every type and operation --------------------------------------------------------------------- */

static uint32_t get(const void *array, uint64_t i, unsigned int type)
{
	uint32_t v = 0;

	memcpy(&v, (const char *)array + i * ANPU_REDUCE_SIZE(type), ANPU_REDUCE_SIZE(type));
	return v;
}

static void put(void *array, uint64_t i, unsigned int type, uint32_t v)
{
	memcpy((char *)array + i * ANPU_REDUCE_SIZE(type), &v, ANPU_REDUCE_SIZE(type));
}

static uint32_t rnd(void)
{
	static uint64_t state = 12345;

	state = state * 6364136223846793005ULL + 1442695040888963407ULL;
	return state >> 32;
}

/* Boundaries of the type, and random numbers of similar size, which round in every way */
static uint32_t some(unsigned int type, uint32_t other)
{
	static const uint32_t of32[] = { 0, 1, 0x80000000, 0x80000001, 0x7fffff, 0x800000,
		0x3f800000, 0xbf800000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000,
		0x7f800001, 0xffc00000, 0x7fffffff, 0x73000000, 0x33800000, 0x33800001 };

	if (rnd() & 1 && type == ANPU_REDUCE_F32)
		return of32[rnd() % (sizeof(of32) / sizeof(of32[0]))];
	return rnd() & 1 ? rnd() : other + (rnd() & 0x8fffffff) % 0x10000000;
}

/* 8 bits: all pairs. 16 bits: all numbers with 40 others. 32 bits: boundaries and random ones. */
static uint64_t prepare(unsigned int type, char *a, char *b)
{
	uint64_t n = ANPU_REDUCE_SIZE(type) == 2 ? 40 * 65536 : ANPU_REDUCE_SIZE(type) == 1 ?
		     65536 : 1300000;
	static const uint16_t of16[] = { 0, 0x8000, 1, 0x8001, 0x3ff, 0x400, 0x7bff, 0xfbff, 0x7c00,
		0xfc00, 0x7c01, 0xfe00, 0x7f7f, 0xff7f, 0x7f80, 0xff80, 0x7f81, 0xffc0, 0x3c00,
		0x1000, 0x4c00, 0x7fff, 0x80, 0x7f, 0x7380, 0x5000 };

	for (uint64_t i = 0; i < n; i++) {
		uint32_t v = i, w = i >> 8;

		if (ANPU_REDUCE_SIZE(type) == 4)
			v = some(type, 0x40000000), w = some(type, v);
		else if (ANPU_REDUCE_SIZE(type) == 2)
			w = i >> 16 < sizeof(of16) / 2 ? of16[i >> 16] : rnd();
		put(a, i, type, v);
		put(b, i, type, w);
	}
	return n;
}

static void test_results(void)
{
	static const char *const ops[] = { "SUM", "MAX", "MIN" };
	static const char *const types[] = { "S8", "S16", "S32", "F16", "BF16", "F32" };
	char *a = malloc(6 * MIB), *b = malloc(6 * MIB);
	uint8_t *to = hbm_ptr(d, dst);

	for (unsigned int type = 0; type < ANPU_REDUCE_TYPE_COUNT; type++) {
		uint64_t n = prepare(type, a, b), bytes = n * ANPU_REDUCE_SIZE(type);

		for (unsigned int op = 0; op < ANPU_REDUCE_OP_COUNT; op++) {
			/* off a page, so that runs end at different places */
			union anpu_packet p = p_reduce(src + 4, dst + 64, bytes, op, type);
			uint64_t bad = 0, errors = tq_errors(q);

			memset(to, 0xee, 6 * MIB);
			memcpy(hbm_ptr(d, src + 4), b, bytes);
			memcpy(to + 64, a, bytes);
			tq_run(q, &p);
			for (uint64_t i = 0; i < n; i++) {
				uint32_t x = get(a, i, type), y = get(b, i, type);
				uint32_t got = get(to + 64, i, type);

				if (got == expected(op, type, x, y))
					continue;
				if (!bad++)
					printf("# %#x and %#x make %#x, not %#x\n", x, y, got,
					       expected(op, type, x, y));
			}
			ok(!bad && tq_errors(q) == errors && to[63] == 0xee &&
			   to[64 + bytes] == 0xee && !memcmp(hbm_ptr(d, src + 4), b, bytes),
			   "%s of %s: %llu pairs", ops[op], types[type], (unsigned long long)n);
		}
	}
	free(a);
	free(b);
}

static void test_edges(void)
{
	int8_t *from = hbm_ptr(d, src), *to = hbm_ptr(d, dst);
	union anpu_packet p = p_reduce(1ULL << 50, 1ULL << 51, 0, ANPU_REDUCE_SUM, ANPU_REDUCE_F32);
	uint64_t errors = tq_errors(q), bytes = reg(d, ANPU_REG_COPY_BYTES);
	bool good = true;

	tq_run(q, &p);
	is(tq_errors(q), errors, "size 0 touches nothing");
	for (int i = 0; i < 300; i++)
		from[i] = to[i] = 1;
	p = p_reduce(src + 1, dst + 3, 3, ANPU_REDUCE_SUM, ANPU_REDUCE_S8);
	tq_run(q, &p);
	ok(to[2] == 1 && to[3] == 2 && to[5] == 2 && to[6] == 1, "three bytes, at odd addresses");
	is(reg(d, ANPU_REG_COPY_BYTES), bytes + 3, "which are counted");
	p = p_reduce(src, src, 300, ANPU_REDUCE_SUM, ANPU_REDUCE_S8);
	tq_run(q, &p);
	for (int i = 0; i < 300; i++)
		good = good && from[i] == 2;
	ok(good, "src may be dst");
	p = p_reduce(src, src + 1, 5 * MIB, ANPU_REDUCE_SUM, ANPU_REDUCE_S8);
#ifndef __SANITIZE_THREAD__		/* threads meet at the ends of units, as is unspecified */
	tq_run(q, &p);
	is(tq_errors(q), errors, "an overlap is no failure");
#endif
}

static void test_refusals(void)
{
	union anpu_packet p = p_reduce(src, dst, 64, ANPU_REDUCE_OP_COUNT, ANPU_REDUCE_F32);
	static const unsigned int sizes[] = { 1, 2, 4, 2, 2, 4 };

	tq_fails(q, &p, ANPU_FAULT_BAD_PACKET, "operation 3", "an unknown operation");
	p = p_reduce(src, dst, 64, ANPU_REDUCE_SUM, ANPU_REDUCE_TYPE_COUNT);
	tq_fails(q, &p, ANPU_FAULT_BAD_PACKET, "type 6", "an unknown type");
	for (unsigned int t = 0; t < ANPU_REDUCE_TYPE_COUNT; t++) {
		is(ANPU_REDUCE_SIZE(t), sizes[t], "size of a type");
		for (unsigned int off = 1; off < sizes[t]; off++) {
			p = p_reduce(src, dst, 64 + off, ANPU_REDUCE_SUM, t);
			tq_fails(q, &p, ANPU_FAULT_BAD_PACKET, "multiple", "a part of an element");
			p = p_reduce(src + off, dst, 64, ANPU_REDUCE_SUM, t);
			tq_fails(q, &p, ANPU_FAULT_MISALIGNED, "src", "a misaligned source");
			p = p_reduce(src, dst + off, 64, ANPU_REDUCE_SUM, t);
			tq_fails(q, &p, ANPU_FAULT_MISALIGNED, "dst", "a misaligned destination");
		}
	}
	p = p_reduce(~7ULL, dst, 16, ANPU_REDUCE_SUM, ANPU_REDUCE_F32);
	tq_fails(q, &p, ANPU_FAULT_BAD_PACKET, "wrap", "a source that wraps around");
	p = p_reduce(src, ~7ULL, 16, ANPU_REDUCE_SUM, ANPU_REDUCE_F32);
	tq_fails(q, &p, ANPU_FAULT_BAD_PACKET, "wrap", "a destination that wraps around");
	p = p_reduce(d->hbm_size - 8192, d->hbm_size - 4096, ~d->hbm_size & ~3ULL, ANPU_REDUCE_SUM,
		     ANPU_REDUCE_S16);
	tq_fails(q, &p, ANPU_FAULT_UNMAPPED, "ends with the HBM", "nearly 2^64 bytes");
}

/* Faults in an address space ------------------------------------------------------------------- */

#define VA	0x40000000ULL

static void test_address_space(void)
{
	struct tq *user = tq_started(d, 2, 1, 0);
	uint64_t a = hbm_alloc(d, 4 * 4096, 4096), b = hbm_alloc(d, 4 * 4096, 4096);
	int16_t *from = hbm_ptr(d, a), *to = hbm_ptr(d, b);
	union anpu_packet p;

	/* four pages each; the third of the destination is missing, then of the source */
	as_map(d, 1, VA, 4 * 4096, a, ANPU_PTE_READ, ANPU_PAGE_4K);
	as_map(d, 1, VA + MIB, 4 * 4096, b, PTE_RW, ANPU_PAGE_4K);
	*as_entry(d, 1, VA + MIB + 2 * 4096, 3) = 0;
	for (int i = 0; i < 4 * 2048; i++)
		from[i] = to[i] = i;
	p = p_reduce(VA, VA + MIB, 4 * 4096, ANPU_REDUCE_SUM, ANPU_REDUCE_S16);
	tq_fails(user, &p, ANPU_FAULT_UNMAPPED, "", "a page is missing in the middle");
	is(tq_last_fault(user)->addr, VA + MIB + 2 * 4096, "its address is told");
	ok(to[2 * 2048 - 1] == 2 * (2 * 2048 - 1) && to[2 * 2048] == 2 * 2048 &&
	   to[3 * 2048] == 3 * 2048, "what stands before it was combined, nothing behind it");
	as_map(d, 1, VA + MIB, 4 * 4096, b, PTE_RW, ANPU_PAGE_4K);
	*as_entry(d, 1, VA + 2 * 4096, 3) = 0;
	invalidate(d, 1);
	tq_fails(user, &p, ANPU_FAULT_UNMAPPED, "", "a page of the source is missing");
	is(tq_last_fault(user)->addr, VA + 2 * 4096, "its address is told");
	is(tq_last_fault(user)->access, ANPU_ACCESS_READ, "and the access");
	p = p_reduce(VA + MIB, VA, 8, ANPU_REDUCE_SUM, ANPU_REDUCE_S16);
	tq_fails(user, &p, ANPU_FAULT_PERMISSION, "", "a destination that may only be read");
	p = p_reduce(a, b, 8, ANPU_REDUCE_SUM, ANPU_REDUCE_S16);
	tq_fails(user, &p, ANPU_FAULT_UNMAPPED, "", "memory that is not the address space's");
	/* system memory whose mappings are returned */
	as_map(d, 1, VA + 3 * MIB, 8192, DMA_TRANSIENT, PTE_RW | ANPU_PTE_SYSTEM, ANPU_PAGE_4K);
	as_map(d, 1, VA + 4 * MIB, 8192, DMA_PLAIN + 65536, PTE_RW | ANPU_PTE_SYSTEM, ANPU_PAGE_4K);
	memset(d->ram, 3, 8192);
	memset(d->ram + 65536, 4, 8192);
	p = p_reduce(VA + 3 * MIB + 100, VA + 4 * MIB + 4, 8000, ANPU_REDUCE_MIN, ANPU_REDUCE_S32);
	tq_run(user, &p);
	ok(tq_last_fault(user)->seq < load64(&user->st->completed) && d->ram[65536 + 8003] == 3 &&
	   d->ram[65536 + 8004] == 4 && d->ram[65536 + 3] == 4,
	   "system memory");
	p = p_reduce(VA + 4 * MIB + 4, VA + 3 * MIB + 100, 8000, ANPU_REDUCE_SUM, ANPU_REDUCE_S8);
	tq_run(user, &p);
	ok(d->ram[99] == 3 && d->ram[100] == 6 && d->ram[8099] == 6 && d->ram[8100] == 3 &&
	   !atomic_load(&d->transient),
	   "in both directions");
	tq_free(user);
}

/* It wakes who waits for what it writes. */
static void test_wakes(void)
{
	struct tq *waiter = tq_started(d, 3, 0, 0);
	union anpu_packet wait = p_wait(dst, 5, ANPU_SEM_EQ, ANPU_TIMEOUT_NEVER), p;

	*(uint64_t *)hbm_ptr(d, dst) = 2;
	*(uint64_t *)hbm_ptr(d, src) = 3;
	tq_push(waiter, &wait);
	tq_ring(waiter);
	p = p_reduce(src, dst, 8, ANPU_REDUCE_SUM, ANPU_REDUCE_S32);
	tq_run(q, &p);
	ok(tq_wait(waiter, 1) && !tq_errors(waiter), "a SEM_WAIT sees the sum");
	tq_free(waiter);
}

/*
 * Stopping. 4 GiB, for which the same 2 MiB stand again and again, take seconds: long after the
 * queue has begun with them, it is in the middle.
 */
static void stop_one(bool deterministic, enum anpu_queue_cmd cmd)
{
	struct anpu_config cfg = config_small();
	struct dev *other;
	struct tq *t;
	union anpu_packet p = p_reduce(VA, 64 * VA, 4096 * MIB, ANPU_REDUCE_SUM, ANPU_REDUCE_BF16);
	uint64_t a, b;

	cfg.deterministic = deterministic;
	if (deterministic)
		cfg.threads = 1;
	other = dev_new(&cfg);
	t = tq_started(other, 1, 1, 0);
	a = hbm_alloc(other, 2 * MIB, 2 * MIB);
	b = hbm_alloc(other, 2 * MIB, 2 * MIB);
	for (uint64_t at = 0; at < 4096 * MIB; at += 2 * MIB) {
		as_map(other, 1, VA + at, 2 * MIB, a, ANPU_PTE_READ, ANPU_PAGE_2M);
		as_map(other, 1, 64 * VA + at, 2 * MIB, b, PTE_RW, ANPU_PAGE_2M);
	}
	tq_push(t, &p);
	tq_ring(t);
	ok(eventually(load64(&t->st->started) == 1), "it has begun");
	if (cmd == ANPU_QUEUE_STOP) {
		tq_stop(t);
	} else {
		tq_command(t, cmd);
		ok(tq_wait(t, 1), "it ends");
	}
	ok(tq_errors(t) == 1 && t->st->fault[0].cause == ANPU_FAULT_KILLED &&
	   t->st->fault[0].opcode == ANPU_OP_REDUCE, "it was killed: %s", t->st->fault[0].message);
	tq_free(t);
	dev_free(other);
}

static void test_stop(void)
{
	stop_one(true, ANPU_QUEUE_STOP);
	stop_one(true, ANPU_QUEUE_ABORT);
#ifndef __SANITIZE_THREAD__		/* several threads write to the same place here */
	stop_one(false, ANPU_QUEUE_STOP);
	stop_one(false, ANPU_QUEUE_ABORT);
#endif
}

int main(void)
{
	d = dev_default();
	q = tq_started(d, 1, 0, 0);
	src = hbm_alloc(d, 6 * MIB, 4096);
	dst = hbm_alloc(d, 6 * MIB, 4096);
	test_results();
	test_edges();
	test_refusals();
	test_address_space();
	test_wakes();
	test_stop();
	tq_free(q);
	dev_free(d);
	return done_testing();
}
