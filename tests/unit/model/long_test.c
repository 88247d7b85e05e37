// SPDX-License-Identifier: MIT
/*
 * Packets that take for ever: each opcode at its largest gives way to what is more urgent and to its equals, can
 * be stopped, ended and limited, wherever it is, and is right in the end.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"

#define ASID	3
#define HUGE	(1ULL << 47)

/* All 48 bits of virtual addresses show the same 2 MiB. */
static uint64_t map_everything(struct dev *d)
{
	uint64_t table[4], data = hbm_alloc(d, ANPU_PAGE_2M, ANPU_PAGE_2M);

	as_clear(d, ASID);
	table[0] = as_root(d, ASID);
	for (int level = 1; level < 3; level++)
		table[level] = hbm_alloc(d, ANPU_PT_SIZE, ANPU_PT_SIZE);
	for (int level = 0; level < 3; level++) {
		uint64_t *entry = hbm_ptr(d, table[level]);

		for (unsigned int i = 0; i < ANPU_PT_ENTRIES; i++)
			entry[i] = level == 2 ? data | ANPU_PTE_VALID | ANPU_PTE_LEAF | PTE_RW :
				   table[level + 1] | ANPU_PTE_VALID;
	}
	return data;
}

static struct tq *queue(struct dev *d, unsigned int id, unsigned int priority, uint32_t asid)
{
	struct tq *q = tq_new(d, id, 8);

	tq_context(q)->asid = asid;
	tq_context(q)->priority = priority;
	tq_start(q);
	return q;
}

/* The largest packets --------------------------------------------------------------------------- */

static union anpu_packet opcode(unsigned int op)
{
	union anpu_packet p = p_nop();

	p.hdr.opcode = op;
	return p;
}

static union anpu_packet rows(uint64_t width, uint64_t height, uint64_t pitch)
{
	union anpu_packet p = opcode(ANPU_OP_COPY_2D);

	p.copy_2d.dst = 1 << 20;
	p.copy_2d.width = width;
	p.copy_2d.height = height;
	p.copy_2d.src_pitch = pitch;
	p.copy_2d.dst_pitch = pitch;
	return p;
}

static union anpu_packet descriptor(struct dev *d, uint64_t data)
{
	union anpu_packet p = opcode(ANPU_OP_COPY_DESC);
	struct anpu_copy_desc *desc = hbm_ptr(d, data + 4096);

	/* where the copy writes zeros, too, when it has been read */
	*desc = (struct anpu_copy_desc){ .src = 0, .dst = 1 << 20, .size = HUGE };
	p.copy_desc.desc = 4096;
	return p;
}

static union anpu_packet numbers(enum anpu_random_dist dist, enum anpu_random_type type, uint64_t count)
{
	union anpu_packet p = opcode(ANPU_OP_RANDOM);

	p.random.dist = dist;
	p.random.type = type;
	p.random.count = count;
	/* of each type a standard deviation or a maximum */
	p.random.b = dist == ANPU_RANDOM_BITMASK ? 0 : type == ANPU_RANDOM_F32 ? 0x3f800000 : 0x3c00;
	/* the counter is what lies at 0 */
	return p;
}

/* An INDIRECT that jumps back to its first packet for ever, or whose packets are one copy each. */
static union anpu_packet loop(struct dev *d, uint32_t count, const union anpu_packet *body)
{
	uint64_t at = hbm_alloc(d, 64ULL * count, ANPU_PAGE_2M);
	union anpu_packet *p = hbm_ptr(d, at);

	for (uint32_t i = 0; i < count; i++)
		p[i] = *body;
	p[count - 1] = opcode(ANPU_OP_JUMP);
	p[count - 1].hdr.flags = ANPU_JUMP_ALWAYS;
	return p_indirect(at, count);
}

struct long_packet {
	const char *name;
	union anpu_packet p;
	uint32_t asid;
	bool limited;	/* by the device's default */
};

static unsigned int long_packets(struct dev *d, struct long_packet *l)
{
	/* each block is shorter than a turn, and all of them together take a minute */
	uint64_t data = map_everything(d), end = PROGRAM(d, { FAKE_BURN, 0, 900000 });
	union anpu_packet nop = p_nop(), copy = p_copy(data, data + (1 << 20), 200 << 10);
	unsigned int n = 0;

#define ADD(...) (l[n++] = (struct long_packet){ __VA_ARGS__ })
	ADD("COPY", p_copy(0, HUGE, HUGE), ASID, true);
	ADD("COPY_2D of rows of one byte", rows(1, HUGE / 4, 2), ASID, true);
	ADD("COPY_2D of rows far apart", rows(8, HUGE >> 21, 1 << 21), ASID, true);
	ADD("COPY_2D of long rows", rows(HUGE / 8, 4, HUGE / 8), ASID, true);
	ADD("COPY_DESC", descriptor(d, data), ASID, true);
	ADD("FILL", p_fill(0, HUGE, 0, 1), ASID, true);
	ADD("REDUCE", p_reduce(0, HUGE, HUGE, ANPU_REDUCE_SUM, ANPU_REDUCE_BF16), ASID, true);
	ADD("RANDOM, normal", numbers(ANPU_RANDOM_NORMAL, ANPU_RANDOM_F32, HUGE / 4), ASID, true);
	ADD("RANDOM, a mask", numbers(ANPU_RANDOM_BITMASK, ANPU_RANDOM_F16, HUGE), ASID, true);
	ADD("INDIRECT of NOPs", loop(d, 2, &nop), 0, false);
	ADD("INDIRECT of copies", loop(d, 1000, &copy), 0, false);
	ADD("KERNEL of many blocks", p_kernel(end, ANPU_MAX_BLOCKS), 0, true);
	ADD("KERNEL without an end", p_kernel(PROGRAM(d, { FAKE_FOREVER, 0, 0 }), 1), 0, true);
#undef ADD
	return n;
}

#define LONG_MAX	16

/*
 * On each worker one of the lowest priority; the highest does not wait for it, nor does an equal one. Then
 * each is ended: what a worker has, and what was set aside.
 */
static void test_each(unsigned int threads)
{
	struct anpu_config c = config_small();
	struct long_packet l[LONG_MAX];
	struct tq *low[4], *high, *equal;
	union anpu_packet nop = p_nop();
	unsigned int n;
	struct dev *d;

	c.threads = threads;
	d = dev_new(&c);
	n = long_packets(d, l);
	high = queue(d, 1, 0, 0);
	equal = queue(d, 2, 7, 0);
	for (unsigned int i = 0; i < n; i++) {
		bool good = true;

		for (unsigned int w = 0; w < threads; w++) {
			low[w] = queue(d, 3 + w, 7, l[i].asid);
			tq_push(low[w], &l[i].p);
			tq_ring(low[w]);
		}
		for (unsigned int w = 0; w < threads; w++)
			good = good && eventually(load64(&low[w]->st->started) == 1);
		for (unsigned int k = 0; k < 8; k++) {
			tq_run(high, &nop);
			tq_run(equal, &nop);
		}
		for (unsigned int w = 0; w < threads; w++)
			good = good && !load64(&low[w]->st->completed);
		ok(good, "%u threads, %s: NOPs of the highest and of its own priority pass by", threads,
		   l[i].name);
		good = true;
		for (unsigned int w = 0; w < threads; w++) {
			set_reg(d, ANPU_REG_QUEUE_CMD,
				ANPU_QUEUE_CMD_ARG(ANPU_QUEUE_END_TASK, low[w]->id, 1));
			good = good && tq_wait(low[w], 1) && tq_errors(low[w]) == 1 &&
			       tq_last_fault(low[w])->cause == ANPU_FAULT_ENDED;
			tq_stop(low[w]);
			tq_free(low[w]);
		}
		ok(good, "  END_TASK ends it");
	}
	tq_free(high);
	tq_free(equal);
	dev_free(d);
}

/* Also what no worker comes to, as more urgent work has all of them. */
static void test_outranked(void)
{
	struct anpu_config c = config_small();
	struct long_packet l[LONG_MAX];
	uint64_t go, rounds = 0;
	union anpu_packet p;
	struct tq *high;
	unsigned int n;
	struct dev *d;

	c.threads = 1;
	d = dev_new(&c);
	n = long_packets(d, l);
	go = hbm_alloc(d, 8, 8);
	high = queue(d, 1, 0, 0);
	for (unsigned int i = 0; i < n; i++) {
		struct tq *low = queue(d, 3, 7, l[i].asid);

		store64(hbm_ptr(d, go), 0);
		tq_push(low, &l[i].p);
		tq_ring(low);
		eventually(load64(&low->st->started) == 1);
		p = p_kernel(PROGRAM(d, { FAKE_UNTIL, 0, go }), 1);
		p.kernel.timeout_us = ANPU_TIMEOUT_NEVER;
		tq_push(high, &p);
		tq_ring(high);
		rounds++;
		eventually(load64(&high->st->started) == rounds);
		set_reg(d, ANPU_REG_QUEUE_CMD, ANPU_QUEUE_CMD_ARG(ANPU_QUEUE_END_TASK, low->id, 1));
		ok(tq_wait(low, 1) && tq_last_fault(low)->cause == ANPU_FAULT_ENDED &&
		   load64(&high->st->completed) == rounds - 1,
		   "%s that no worker comes to is ended", l[i].name);
		store64(hbm_ptr(d, go), 1);
		tq_wait(high, rounds);
		tq_stop(low);
		tq_free(low);
	}
	tq_free(high);
	dev_free(d);
}

/* Each has the device's limit, but an INDIRECT, whose packets have it. */
static void test_limit(void)
{
	struct anpu_config c = config_small();
	struct long_packet l[LONG_MAX];
	unsigned int n;
	struct dev *d;
	struct tq *q;

	c.threads = 1;
	d = dev_new(&c);
	n = long_packets(d, l);
	set_reg(d, ANPU_REG_TIMEOUT, 3000);
	for (unsigned int i = 0; i < n; i++) {
		if (!l[i].limited)
			continue;
		q = queue(d, 1, 3, l[i].asid);
		tq_fails(q, &l[i].p, ANPU_FAULT_TIMEOUT, "limit of 3000 us", l[i].name);
		tq_stop(q);
		tq_free(q);
	}
	dev_free(d);
}

/* Being set aside changes nothing --------------------------------------------------------------- */

/* Until it is told, keeps workers from what is less urgent, again and again. */
static void disturb(struct tq *high, struct tq *low, uint64_t seq, uint64_t entry)
{
	union anpu_packet p = p_kernel(entry, 3);

	while (load64(&low->st->completed) < seq) {
		tq_run(high, &p);
		sleep_us(100);
	}
}

struct disturbed {
	struct dev *d;
	struct tq *low, *high;
	uint64_t busy;
};

static struct disturbed disturbed_new(unsigned int threads)
{
	struct anpu_config c = config_small();
	struct disturbed t;

	c.threads = threads;
	t.d = dev_new(&c);
	t.low = queue(t.d, 1, 5, 0);
	t.high = queue(t.d, 2, 1, 0);
	t.busy = PROGRAM(t.d, { FAKE_BURN, 0, 50000 });
	return t;
}

static void disturbed_run(struct disturbed *t, const union anpu_packet *p)
{
	uint64_t seq = tq_push(t->low, p);

	tq_ring(t->low);
	disturb(t->high, t->low, seq, t->busy);
}

static void disturbed_free(struct disturbed *t)
{
	tq_free(t->low);
	tq_free(t->high);
	dev_free(t->d);
}

/* Each element of a sum exactly once, however often units are set aside. */
static void test_once(unsigned int threads)
{
	struct disturbed t = disturbed_new(threads);
	uint64_t size = 12 << 20, a = hbm_alloc(t.d, size, 4096), b = hbm_alloc(t.d, size, 4096), bad = 0;
	uint16_t *from = hbm_ptr(t.d, a), *to = hbm_ptr(t.d, b);
	union anpu_packet p = p_reduce(a, b, size, ANPU_REDUCE_SUM, ANPU_REDUCE_S16);
	struct anpu_stats stats;

	for (uint64_t i = 0; i < size / 2; i++) {
		from[i] = i;
		to[i] = 3 * i;
	}
	for (int i = 0; i < 4; i++)
		disturbed_run(&t, &p);
	for (uint64_t i = 0; i < size / 2; i++)
		bad += to[i] != (uint16_t)(7 * i);
	anpu_model_stats(t.d->m, &stats);
	printf("# %llu preemptions\n", (unsigned long long)stats.preemptions);
	ok(!bad && !tq_errors(t.low), "%u threads: a sum that is set aside again and again is right", threads);
	is(load64(&t.low->st->copy_bytes), 4 * size, "  and its bytes are counted once");
	disturbed_free(&t);
}

static void fill_random(uint8_t *p, uint64_t n, unsigned int *seed)
{
	for (uint64_t i = 0; i < n; i++)
		p[i] = next_random(seed);
}

/* Rows of all kinds, most of which are split or run in several turns */
static void test_rows(unsigned int threads)
{
	struct disturbed t = disturbed_new(threads);
	uint64_t size = 8 << 20, a = hbm_alloc(t.d, size, 4096), b = hbm_alloc(t.d, size, 4096);
	uint8_t *from = hbm_ptr(t.d, a), *to = hbm_ptr(t.d, b), *want = malloc(size);
	unsigned int seed = threads;
	bool good = true;

	fill_random(from, size, &seed);
	memset(to, 0, size);
	memset(want, 0, size);
	for (int i = 0; i < 40 && good; i++) {
		uint64_t width = 1 + next_random(&seed) % (i % 4 ? 100 : 100000);
		uint64_t src_pitch = width + next_random(&seed) % 50, dst_pitch = width + next_random(&seed) % 50;
		uint64_t most = size / (src_pitch > dst_pitch ? src_pitch : dst_pitch);
		uint64_t height = 1 + (next_random(&seed) * 65536ULL + next_random(&seed)) % most;
		union anpu_packet p = rows(width, height, src_pitch);

		p.copy_2d.src = a;
		p.copy_2d.dst = b;
		p.copy_2d.dst_pitch = dst_pitch;
		if (i & 1)
			tq_run(t.low, &p);
		else
			disturbed_run(&t, &p);
		for (uint64_t row = 0; row < height; row++)
			memcpy(want + row * dst_pitch, from + row * src_pitch, width);
		good = !memcmp(want, to, size);
		if (!good)
			printf("# %llu rows of %llu bytes, pitches %llu and %llu\n", (unsigned long long)height,
			       (unsigned long long)width, (unsigned long long)src_pitch,
			       (unsigned long long)dst_pitch);
	}
	ok(good && !tq_errors(t.low), "%u threads: rows of all lengths, and nothing between them", threads);
	free(want);
	disturbed_free(&t);
}

/* Of several places where a copy cannot go on, the one at the lowest address is told. */
static void test_lowest(unsigned int threads)
{
	struct disturbed t = disturbed_new(threads);
	uint64_t size = 16 << 20, data = hbm_alloc(t.d, size, ANPU_PAGE_2M), base = 1ULL << 32;
	union anpu_packet p;
	struct tq *low;
	bool good = true;

	as_clear(t.d, ASID);
	as_map(t.d, ASID, base, size, data, PTE_RW, ANPU_PAGE_4K);
	low = queue(t.d, 3, 5, ASID);
	for (unsigned int i = 0; i < 30; i++) {
		uint64_t hole[3], lowest = ~0ULL, seq;

		for (int h = 0; h < 3; h++) {
			hole[h] = base + (i * 1237 + h * 977 + 100) % 2048 * 4096;
			if (hole[h] < lowest)
				lowest = hole[h];
			*as_entry(t.d, ASID, hole[h], 3) &= ~ANPU_PTE_VALID;
		}
		invalidate(t.d, ASID);
		p = i % 2 ? p_reduce(base, base, size, ANPU_REDUCE_MAX, ANPU_REDUCE_F16) :
			    p_copy(base, base, size);
		seq = tq_push(low, &p);
		tq_ring(low);
		disturb(t.high, low, seq, t.busy);
		good = good && tq_errors(low) == i + 1 && tq_last_fault(low)->addr == lowest;
		for (int h = 0; h < 3; h++)
			*as_entry(t.d, ASID, hole[h], 3) |= ANPU_PTE_VALID;
		invalidate(t.d, ASID);
	}
	ok(good, "%u threads: the fault at the lowest address is told", threads);
	tq_free(low);
	disturbed_free(&t);
}

/* Equals ---------------------------------------------------------------------------------------- */

/*
 * Three kernels of many short blocks and one priority on one worker: when one of them ends, each of the
 * others has come far. What a queue does behind its kernel sees how far, before the worker goes on.
 */
static void test_alternate(void)
{
	struct anpu_config c = config_small();
	uint64_t go, count[3], seen[3];
	struct tq *q[3], *gate;
	union anpu_packet p;
	struct dev *d;
	bool good = true;

	c.threads = 1;
	d = dev_new(&c);
	go = hbm_alloc(d, 8, 8);
	gate = queue(d, 7, 0, 0);
	p = p_kernel(PROGRAM(d, { FAKE_UNTIL, 0, go }), 1);
	tq_push(gate, &p);
	tq_ring(gate);
	eventually(load64(&gate->st->started) == 1);
	for (int i = 0; i < 3; i++) {
		count[i] = hbm_alloc(d, 8, 8);
		seen[i] = hbm_alloc(d, 24, 8);
		q[i] = queue(d, 1 + i, 4, 0);
	}
	for (int i = 0; i < 3; i++) {
		p = p_kernel(PROGRAM(d, { FAKE_BURN, 0, 50000 }, { FAKE_INC, 0, count[i] }), 1000);
		tq_push(q[i], &p);
		for (int other = 0; other < 3; other++) {
			p = p_copy(count[other], seen[i] + 8 * other, 8);
			tq_push(q[i], &p);
		}
		tq_ring(q[i]);
	}
	store64(hbm_ptr(d, go), 1);
	for (int i = 0; i < 3; i++)
		good = good && tq_wait(q[i], 4) && !tq_errors(q[i]);
	ok(good, "three kernels of a thousand blocks end");
	for (int i = 0; i < 3; i++)
		for (int other = 0; other < 3; other++) {
			uint64_t n = load64(hbm_ptr(d, seen[i] + 8 * other));

			good = good && n >= 500;
			printf("# at the end of kernel %d, %llu blocks of kernel %d\n", i,
			       (unsigned long long)n, other);
		}
	ok(good, "they took turns");
	for (int i = 0; i < 3; i++)
		tq_free(q[i]);
	tq_free(gate);
	dev_free(d);
}

/* On one worker, kernels of several endless blocks that wait for each other; and queues that never rest. */
static void test_equals(void)
{
	struct anpu_config c = config_small();
	uint64_t flag[3];
	struct tq *q[3], *busy[2];
	union anpu_packet p, nop = p_nop();
	struct dev *d;
	bool good = true;

	c.threads = 1;
	d = dev_new(&c);
	for (int i = 0; i < 2; i++) {
		busy[i] = queue(d, 8 + i, 4, 0);
		p = loop(d, 64, &nop);
		tq_push(busy[i], &p);
		tq_ring(busy[i]);
	}
	for (int i = 0; i < 3; i++)
		flag[i] = hbm_alloc(d, 8, 8);
	for (int i = 0; i < 3; i++) {
		q[i] = queue(d, 1 + i, 4, 0);
		p = p_kernel(PROGRAM(d, { FAKE_INC, 0, flag[i] }, { FAKE_UNTIL, 0, flag[(i + 1) % 3] },
				     { FAKE_UNTIL, 0, flag[(i + 2) % 3] }), 6);
		tq_push(q[i], &p);
		tq_ring(q[i]);
	}
	for (int i = 0; i < 3; i++)
		good = good && tq_wait(q[i], 1) && !tq_errors(q[i]);
	ok(good, "kernels that wait for each other end, beside two queues of the same priority that never rest");
	for (int i = 0; i < 2; i++) {
		good = good && !load64(&busy[i]->st->completed);
		tq_stop(busy[i]);
		tq_free(busy[i]);
	}
	ok(good, "  these go on");
	for (int i = 0; i < 3; i++)
		tq_free(q[i]);
	dev_free(d);
}

/* One worker has two kernels whose turns are equally long, so that one of them has always waited for a turn. */
static void test_newcomer(void)
{
	uint64_t code;
	struct anpu_config c = config_small();
	union anpu_packet nop = p_nop(), p;
	struct tq *endless[2], *q;
	struct dev *d;

	c.threads = 1;
	d = dev_new(&c);
	code = PROGRAM(d, { FAKE_FOREVER, 0, 0 });
	p = p_kernel(code, 2);
	q = queue(d, 1, 4, 0);
	for (int i = 0; i < 2; i++) {
		endless[i] = queue(d, 2 + i, 4, 0);
		tq_push(endless[i], &p);
		tq_ring(endless[i]);
	}
	/* the first turns are brief, and none is lost */
	for (int i = 0; i < 2; i++)
		ok(eventually(load64(&endless[i]->st->started) == 1), "an endless kernel begins");
	sleep_us(20000);
	for (int i = 0; i < 50; i++)
		tq_run(q, &nop);
	is(load64(&q->st->completed), 50, "NOPs of the same priority complete beside two endless kernels");
	for (int i = 0; i < 2; i++) {
		tq_stop(endless[i]);
		tq_free(endless[i]);
	}
	tq_free(q);
	dev_free(d);
}

int main(void)
{
	test_each(1);
	/* two units that write to the same memory are a race, the guest's: ThreadSanitizer would tell of it */
#ifndef __SANITIZE_THREAD__
	test_each(3);
#endif
	test_outranked();
	test_limit();
	test_once(1);
	test_once(3);
	test_rows(1);
	test_rows(3);
	test_lowest(1);
	test_lowest(3);
	test_alternate();
	test_equals();
	test_newcomer();
	return done_testing();
}
