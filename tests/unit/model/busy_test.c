// SPDX-License-Identifier: MIT
/* How busy the AI cores are: BUSY_AT, BUSY_CUBE, BUSY_VECTOR, exact by construction. */
#include <stdio.h>

#include "harness.h"

struct taken {
	uint64_t at, cube, vector;
};

static struct dev *d;

static struct taken take(void)
{
	struct taken t = { .at = reg(d, ANPU_REG_BUSY_AT) };

	t.cube = reg(d, ANPU_REG_BUSY_CUBE);
	t.vector = reg(d, ANPU_REG_BUSY_VECTOR);
	return t;
}

/* In a window in which nothing begins or ends, so many AI cores are busy all the time. */
static void busy(unsigned int cube, unsigned int vector, const char *what)
{
	struct taken a = take(), b;

	sleep_us(2000);
	b = take();
	is(b.cube - a.cube, cube * (b.at - a.at), what);
	is(b.vector - a.vector, vector * (b.at - a.at), "  and of the vector unit");
}

static union anpu_packet endless(uint64_t count, uint32_t blocks, enum anpu_core_type type)
{
	union anpu_packet p = p_kernel(PROGRAM(d, { FAKE_INC, 0, count }, { FAKE_FOREVER, 0, 0 }), blocks);

	p.kernel.timeout_us = ANPU_TIMEOUT_NEVER;
	p.kernel.core_type = type;
	p.kernel.mix_ratio = type == ANPU_CORE_MIX ? 2 : 0;
	return p;
}

/* Runs it until so many blocks have begun. */
static struct tq *begun(unsigned int queue, const union anpu_packet *p, uint64_t count, uint64_t blocks)
{
	struct tq *q = tq_started(d, queue, 0, 0);

	tq_push(q, p);
	tq_ring(q);
	if (!eventually(load64(hbm_ptr(d, count)) == blocks))
		die("%llu of %llu blocks have begun", (unsigned long long)load64(hbm_ptr(d, count)),
		    (unsigned long long)blocks);
	return q;
}

static void gone(struct tq *q)
{
	tq_stop(q);
	tq_free(q);
}

static const struct {
	enum anpu_core_type type;
	uint32_t blocks, begin, cube, vector;
	const char *what;
} kernels[] = {
	{ ANPU_CORE_ANY, 1, 1, 1, 1, "a kernel of one block has one AI core" },
	{ ANPU_CORE_AIC, 1, 1, 1, 0, "one without the vector unit" },
	{ ANPU_CORE_AIV, 1, 1, 0, 1, "one without the cube unit" },
	{ ANPU_CORE_ANY, 3, 3, 3, 3, "three blocks" },
	{ ANPU_CORE_ANY, 4, 4, 4, 4, "as many blocks as AI cores" },
	{ ANPU_CORE_AIV, 100, 4, 0, 4, "more blocks" },
	{ ANPU_CORE_MIX, 1, 3, 1, 2, "a block with a cube and two vector sub-blocks" },
};

static void test_kernels(void)
{
	uint64_t count = hbm_alloc(d, 8, 8);

	busy(0, 0, "a device that nobody uses");
	for (unsigned int i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++) {
		union anpu_packet p = endless(count, kernels[i].blocks, kernels[i].type);
		struct tq *q;

		store64(hbm_ptr(d, count), 0);
		q = begun(1, &p, count, kernels[i].begin);
		busy(kernels[i].cube, kernels[i].vector, kernels[i].what);
		if (i & 1)
			tq_command(q, ANPU_QUEUE_ABORT);
		else
			set_reg(d, ANPU_REG_QUEUE_CMD, ANPU_QUEUE_CMD_ARG(ANPU_QUEUE_END_TASK, 1, 1));
		tq_wait(q, 1);
		busy(0, 0, "  when it has ended");
		gone(q);
	}
}

/*
 * The times in the status pages of stopped queues add up to the gain of the registers, to less than a nanosecond for each change.
 * @single: a kernel of one block may have been executed besides as many blocks as there are AI cores
 */
static void told(struct taken first, uint64_t cube, uint64_t vector, bool single, const char *what)
{
	struct taken now = take();
	int64_t more = now.cube - first.cube - cube, more_vector = now.vector - first.vector - vector;

	ok((more >= 0 || single) && more < 1000 && more_vector >= 0 && more_vector < 1000,
	   "%s: %llu and %llu ns of AI cores, %lld and %lld ns more in the registers", what,
	   (unsigned long long)cube, (unsigned long long)vector, (long long)more, (long long)more_vector);
}

/* Kernels of two queues, one of which is set aside for the other: never more cores are busy than exist. */
static void test_two(void)
{
	uint64_t count = hbm_alloc(d, 16, 8);

	for (uint32_t blocks = 1; blocks <= 4; blocks += 3) {
		union anpu_packet p = endless(count, blocks, ANPU_CORE_AIC);
		union anpu_packet other = endless(count + 8, 4, ANPU_CORE_ANY);
		struct taken first = take();
		struct tq *q, *more;

		store64(hbm_ptr(d, count), 0);
		store64(hbm_ptr(d, count + 8), 0);
		q = begun(1, &p, count, blocks);
		more = begun(2, &other, count + 8, 4);
		/* a kernel of one block goes on as long as its worker does not look for others */
		sleep_us(20000);
		busy(4, 4, "with two kernels all AI cores are busy");
		ok(eventually(load64(&q->st->cube_ns) && load64(&more->st->cube_ns) && load64(&more->st->vector_ns)),
		   "  and the status pages say so while they run");
		tq_stop(more);
		busy(blocks, 0, "  and those of one when the other has ended");
		tq_stop(q);
		is(load64(&q->st->vector_ns), 0, "  none with a vector unit");
		ok(load64(&q->st->cube_ns) && load64(&more->st->cube_ns) <= load64(&more->st->vector_ns),
		   "  the one that may use both has the vector units for itself");
		told(first, load64(&q->st->cube_ns) + load64(&more->st->cube_ns), load64(&more->st->vector_ns),
		     blocks == 1, "  each queue has its part");
		tq_free(q);
		tq_free(more);
	}
	busy(0, 0, "nothing when both have");
}

/* A queue's part of a nanosecond ends with it: the next one's status page would say more than the registers. */
static void test_rests(void)
{
	uint64_t count = hbm_alloc(d, 16, 8);
	union anpu_packet p = endless(count, 3, ANPU_CORE_AIC), other = endless(count + 8, 4, ANPU_CORE_AIC);
	unsigned int more = 0;

	for (int round = 0; round < 60; round++) {
		struct taken first = take();
		struct tq *q, *second;
		uint64_t told;

		store64(hbm_ptr(d, count), 0);
		store64(hbm_ptr(d, count + 8), 0);
		q = begun(1, &p, count, 3);
		second = begun(2, &other, count + 8, 4);
		tq_stop(second);
		tq_stop(q);
		told = load64(&q->st->cube_ns) + load64(&second->st->cube_ns);
		more += told > take().cube - first.cube;
		tq_free(q);
		tq_free(second);
	}
	is(more, 0, "queues are never told more than the registers");
}

/* The blocks that a worker runs itself and those that it gives to others add up. */
static void test_small(void)
{
	union anpu_packet p[] = { p_kernel(PROGRAM(d, { FAKE_BURN, 0, 2000 }), 1),
				  p_kernel(PROGRAM(d, { FAKE_BURN, 0, 3000000 }), 1),
				  p_kernel(PROGRAM(d, { FAKE_BURN, 0, 4000 }), 6),
				  p_kernel(PROGRAM(d, { FAKE_ILLEGAL, 0, 1 }), 3) };
	struct taken first = take(), last = first, now;
	uint64_t seq[4] = { 0 }, busy_ns = 0;
	struct tq *q[4];
	bool good = true;

	for (int i = 0; i < 4; i++)
		q[i] = tq_started(d, 10 + i, 0, 0);
	for (int n = 0; n < 400; n++) {
		for (int i = 0; i < 4; i++) {
			seq[i] = tq_push(q[i], &p[(n + i) % 4]);
			tq_ring(q[i]);
		}
		if (n % 16 == 15)
			for (int i = 0; i < 4; i++)
				tq_wait(q[i], seq[i]);
		now = take();
		good &= now.at >= last.at && now.cube >= last.cube && now.vector >= last.vector &&
			now.cube - last.cube <= 4 * (now.at - last.at) &&
			now.vector - last.vector <= 4 * (now.at - last.at);
		last = now;
	}
	ok(good, "the numbers never go back, nor ahead of the clock");
	for (int i = 0; i < 4; i++) {
		tq_wait(q[i], seq[i]);
		busy_ns += load64(&q[i]->st->busy_ns);
	}
	now = take();
	is(now.cube - first.cube, now.vector - first.vector, "both units alike");
	/* each of the long ones alone, on one AI core */
	ok(now.cube - first.cube >= 400 * 2000ULL + 400 * 3000000ULL / 2, "what has run is there: %llu of %llu ns",
	   (unsigned long long)(now.cube - first.cube), (unsigned long long)busy_ns);
	busy(0, 0, "nothing is left over");
	for (int i = 0; i < 4; i++)
		gone(q[i]);
}

/* Copies and fills are made in pieces by several workers, but by no AI core. */
static void test_copies(void)
{
	const uint64_t size = 8 << 20;
	uint64_t src = hbm_alloc(d, size, 4096), dst = hbm_alloc(d, size, 4096);
	union anpu_packet fill = p_fill(src, size, 0x1234567890abcdefULL, 8), copy = p_copy(src, dst, size);
	struct tq *q = tq_started(d, 3, 0, 0);
	struct taken before = take(), after;

	for (int i = 0; i < 3; i++) {
		tq_run(q, &fill);
		tq_run(q, &copy);
	}
	after = take();
	is(after.cube, before.cube, "copies and fills have no cube unit");
	is(after.vector, before.vector, "  and no vector unit");
	busy(0, 0, "  nor does anything stay busy behind them");
	is(load64(&q->st->cube_ns) + load64(&q->st->vector_ns), 0, "  and the status page has nothing of them");
	gone(q);
}

static void test_reset(void)
{
	uint64_t count = hbm_alloc(d, 8, 8);
	union anpu_packet p = endless(count, 4, ANPU_CORE_ANY);
	struct tq *q = begun(1, &p, count, 4);
	struct taken before = take(), after;

	set_reg(d, ANPU_REG_CONTROL, ANPU_CONTROL_RESET);
	ok(eventually(!(reg(d, ANPU_REG_CONTROL) & ANPU_CONTROL_RESET)), "the device is reset");
	after = take();
	ok(after.cube >= before.cube && after.vector >= before.vector, "a reset keeps the numbers");
	busy(0, 0, "and ends what ran");
	tq_free(q);
}

int main(void)
{
	d = dev_default();
	test_kernels();
	test_two();
	test_rests();
	test_small();
	test_copies();
	test_reset();
	dev_free(d);
	return done_testing();
}
