// SPDX-License-Identifier: MIT
/* Every opcode: what it does and what it refuses. All in address space 0 or 1. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"

static struct dev *d;
static struct tq *q;

/* Every reserved byte and undefined flag of a valid packet must be refused. */
static void reserved(const union anpu_packet *good, const char *name, const char *zero_bytes)
{
	unsigned int bytes = 0, refused = 0;
	union anpu_packet p;
	uint64_t errors;

	tq_run(q, good);
	errors = tq_errors(q);
	for (int i = 0; i < 64; i++) {
		if (zero_bytes[i] != '.')
			continue;
		p = *good;
		((uint8_t *)&p)[i] = 0x80;
		bytes++;
		tq_run(q, &p);
		if (tq_last_fault(q) && tq_last_fault(q)->cause == ANPU_FAULT_BAD_PACKET &&
		    strstr(tq_last_fault(q)->message, name))
			refused++;
	}
	is(tq_errors(q), errors + bytes, "every reserved byte is refused");
	is(refused, bytes, name);
}

static void test_reserved(void)
{
	uint64_t at = hbm_alloc(d, 4096, 4096);
	uint64_t entry = PROGRAM(d, { FAKE_STORE, 0, at });
	union anpu_packet p;
	/* '.' marks bytes that must be zero; byte 1 and the flags belong to every header */
#define HDR "o...tttt"
#define Q "vvvvvvvv"
#define Z "........"
	p = p_nop();
	reserved(&p, "NOP", HDR Z Z Z Z Z Z Z);
	p = p_copy(at, at + 64, 8);
	reserved(&p, "COPY", HDR Q Q Q Z Z Z Z);
	p = p_fill(at, 64, 1, 8);
	reserved(&p, "FILL", HDR Q Q Q "vvvv...." Z Z Z);
	p = p_signal(at, 1, ANPU_SEM_SET);
	reserved(&p, "SEM_SIGNAL", HDR Q Q Q Q Z Z Z);
	p = p_wait(at, 1, ANPU_SEM_EQ, 0);
	reserved(&p, "SEM_WAIT", HDR Q Q Q Q Q Z Z);
	p = p_timestamp(at);
	reserved(&p, "TIMESTAMP", HDR Q Z Z Z Z Z Z);
	p = p_kernel(entry, 1);
	reserved(&p, "KERNEL", "o.v.tttt" Q Q Q Q "vvvvvvvv" Q Q);
	p = p_copy(at, at + 64, 8);
	p.hdr.opcode = ANPU_OP_COPY_2D;
	p.copy_2d.src_pitch = 8;
	p.copy_2d.dst_pitch = 8;
	p.copy_2d.width = 8;
	p.copy_2d.height = 1;
	reserved(&p, "COPY_2D", HDR Q Q Q Q Q Q Z);
	p = p_nop();
	p.hdr.opcode = ANPU_OP_COPY_DESC;
	p.copy_desc.desc = at + 2048;
	reserved(&p, "COPY_DESC", HDR Q Z Z Z Z Z Z);
	p = p_reduce(at, at + 64, 8, ANPU_REDUCE_SUM, ANPU_REDUCE_S8);
	reserved(&p, "REDUCE", HDR Q Q Q Q Z Z Z);
	p = p_nop();
	p.hdr.opcode = ANPU_OP_RANDOM;
	p.random.dist = ANPU_RANDOM_UNIFORM;
	p.random.dst = at + 64;
	p.random.counter = at;
	reserved(&p, "RANDOM", HDR Q Q Q Q Q Q "vv......");
	*(union anpu_packet *)hbm_ptr(d, at) = p_nop();
	p = p_indirect(at, 1);
	reserved(&p, "INDIRECT", HDR Q "vvvv...." Z Z Z Z Z);
	for (int op = 0; op < 256; op++) {
		if (op > ANPU_OP_INVALID && op < ANPU_OP_COUNT)
			continue;
		p = p_nop();
		p.hdr.opcode = op;
		tq_run(q, &p);
		if (tq_last_fault(q)->cause != ANPU_FAULT_BAD_OPCODE)
			die("opcode %d was not refused", op);
	}
	ok(true, "undefined opcodes are refused");
}

/* Is memory from @from to @to as it was filled? */
static bool untouched(const uint8_t *from, const uint8_t *to)
{
	return from >= to || (*from == 0xee && !memcmp(from, from + 1, (size_t)(to - from) - 1));
}

/* Among them one byte less and more than pieces that are split among workers */
static void test_copy(void)
{
	static const uint64_t sizes[] = { 0, 1, 7, 64, 4095, 4097, 300000, (4 << 20) - 1, 4 << 20, (4 << 20) + 1, (5 << 20) - 1,
					  5 << 20, (5 << 20) + 1, (8 << 20) - 1, 9000001 };
	uint64_t src = hbm_alloc(d, 10 << 20, 4096), dst = hbm_alloc(d, 10 << 20, 4096);
	uint8_t *from = hbm_ptr(d, src), *to = hbm_ptr(d, dst);
	union anpu_packet p;

	for (unsigned int i = 0; i < 10 << 20; i++)
		from[i] = i * 2654435761u >> 13;
	for (unsigned int i = 0; i < sizeof(sizes) / 8; i++) {
		uint64_t n = sizes[i], errors = tq_errors(q);

		memset(to, 0xee, 10 << 20);
		p = p_copy(src + 3, dst + 5, n);
		tq_run(q, &p);
		ok(tq_errors(q) == errors && !memcmp(to + 5, from + 3, n) && untouched(to, to + 5) &&
		   untouched(to + 5 + n, to + (10 << 20)), "COPY of %llu bytes", (unsigned long long)n);
	}
	p = p_copy(0, d->hbm_size - 4, 5);
	tq_fails(q, &p, ANPU_FAULT_UNMAPPED, "ends with the HBM", "COPY past the HBM");
	is(tq_last_fault(q)->addr, d->hbm_size, "names the first byte that is missing");
	is(tq_last_fault(q)->access, ANPU_ACCESS_WRITE, "and the access");
	p = p_copy(0, ~0ULL - 3, 8);
	tq_fails(q, &p, ANPU_FAULT_BAD_PACKET, "wrap", "COPY that wraps around");
	p = p_copy(~0ULL - 3, 0, 8);
	tq_fails(q, &p, ANPU_FAULT_BAD_PACKET, "wrap", "COPY whose source does");
	p = p_copy(~0ULL - 8, ~0ULL - 8, 8);
	tq_fails(q, &p, ANPU_FAULT_UNMAPPED, "read", "a COPY up to the last address does not wrap");
	p = p_copy(d->hbm_size - (5 << 20), dst, 10 << 20);
	tq_fails(q, &p, ANPU_FAULT_UNMAPPED, "read", "large COPY past the end of its source");
	is(tq_last_fault(q)->addr, d->hbm_size, "names the lowest address, though split");
	p = p_copy(d->hbm_size - 8192, d->hbm_size - 4096, ~d->hbm_size);
	tq_fails(q, &p, ANPU_FAULT_UNMAPPED, "ends with the HBM", "a COPY of nearly 2^64 bytes");
	p = p_fill(d->hbm_size - 4096, ~d->hbm_size & ~7ULL, 0, 8);
	tq_fails(q, &p, ANPU_FAULT_UNMAPPED, "ends with the HBM", "a FILL of as many");
}

static void test_copy_2d(void)
{
	uint64_t src = hbm_alloc(d, 1 << 20, 4096), dst = hbm_alloc(d, 1 << 20, 4096);
	uint8_t *from = hbm_ptr(d, src), *to = hbm_ptr(d, dst);
	union anpu_packet p = p_nop(), bad;
	bool good = true;

	p.hdr.opcode = ANPU_OP_COPY_2D;
	p.copy_2d = (struct anpu_pkt_copy_2d){ .hdr = p.hdr, .src = src + 1, .dst = dst + 2,
		.src_pitch = 1000, .dst_pitch = 777, .width = 333, .height = 1000 };
	for (int i = 0; i < 1 << 20; i++)
		from[i] = i * 2654435761u >> 11;
	memset(to, 0xee, 1 << 20);
	tq_run(q, &p);
	for (int row = 0; row < 1000; row++)
		good = good && !memcmp(to + 2 + row * 777, from + 1 + row * 1000, 333) &&
		       to[2 + row * 777 + 333] == 0xee;
	ok(good && to[1] == 0xee, "COPY_2D of 1000 rows");
	bad = p;
	bad.copy_2d.width = 800;
	tq_fails(q, &bad, ANPU_FAULT_BAD_PACKET, "pitch", "width above the pitch");
	bad = p;
	bad.copy_2d.height = 1ULL << 60;
	tq_fails(q, &bad, ANPU_FAULT_BAD_PACKET, "2^63", "pitch * height above 2^63");
	bad = p;
	bad.copy_2d.src = ~0ULL - 1000;
	tq_fails(q, &bad, ANPU_FAULT_BAD_PACKET, "wrap", "rows that wrap around");
	/* behind the last row's last byte there is no pitch */
	bad.copy_2d.src = ~0ULL - (999 * 1000 + 333);
	tq_fails(q, &bad, ANPU_FAULT_UNMAPPED, "read", "rows up to the last address do not wrap");
	bad.copy_2d.src++;
	tq_fails(q, &bad, ANPU_FAULT_BAD_PACKET, "wrap", "one byte more does");
	bad = p;
	bad.copy_2d.dst = ~0ULL - (999 * 777 + 333);
	tq_fails(q, &bad, ANPU_FAULT_UNMAPPED, "write", "the same of the destination");
	bad.copy_2d.dst++;
	tq_fails(q, &bad, ANPU_FAULT_BAD_PACKET, "wrap", "and one byte more");
	bad = p;
	bad.copy_2d.height = 1;
	bad.copy_2d.src_pitch = bad.copy_2d.dst_pitch = 1ULL << 63;
	tq_run(q, &bad);
	ok(!memcmp(to + 2, from + 1, 333) && tq_last_fault(q)->seq != load64(&q->st->completed), "a pitch of 2^63 for one row");
	bad.copy_2d.src_pitch++;
	tq_fails(q, &bad, ANPU_FAULT_BAD_PACKET, "2^63", "one more is too much");
	bad = p;
	bad.copy_2d.height = 0;
	bad.copy_2d.src = 1ULL << 50;
	tq_run(q, &bad);
	bad.copy_2d.height = 7;
	bad.copy_2d.width = 0;
	tq_run(q, &bad);
	ok(tq_errors(q) && tq_last_fault(q)->seq < load64(&q->st->completed) - 1,
	   "no rows or no columns touch nothing");
	bad = p;
	bad.copy_2d.dst = d->hbm_size - 777 * 3;
	tq_fails(q, &bad, ANPU_FAULT_UNMAPPED, "HBM", "COPY_2D past the HBM");
}

static void test_copy_desc(void)
{
	uint64_t at = hbm_alloc(d, 4096, 4096);
	struct anpu_copy_desc *desc = hbm_ptr(d, at);
	union anpu_packet p = p_nop(), first;

	p.hdr.opcode = ANPU_OP_COPY_DESC;
	p.copy_desc.desc = at;
	*desc = (struct anpu_copy_desc){ at + 100, at + 200, 50, 0 };
	memset(hbm_ptr(d, at + 100), 0x5a, 50);
	tq_run(q, &p);
	ok(!memcmp(hbm_ptr(d, at + 100), hbm_ptr(d, at + 200), 50), "COPY_DESC copies");
	/* the descriptor is written by the packet before it */
	*(struct anpu_copy_desc *)hbm_ptr(d, at + 512) =
		(struct anpu_copy_desc){ at + 100, at + 300, 50, 0 };
	first = p_copy(at + 512, at, 32);
	tq_push(q, &first);
	tq_run(q, &p);
	ok(!memcmp(hbm_ptr(d, at + 100), hbm_ptr(d, at + 300), 50),
	   "its descriptor is read when it executes");
	desc->reserved = 1;
	tq_fails(q, &p, ANPU_FAULT_BAD_PACKET, "reserved", "a reserved field in the descriptor");
	desc->reserved = 0;
	desc->size = ~0ULL;
	tq_fails(q, &p, ANPU_FAULT_BAD_PACKET, "wrap", "a descriptor that wraps around");
	*desc = (struct anpu_copy_desc){ at + 100, ~0ULL - 16, 50, 0 };
	tq_fails(q, &p, ANPU_FAULT_BAD_PACKET, "wrap", "one of which only the destination does");
	*desc = (struct anpu_copy_desc){ ~0ULL - 16, at + 200, 50, 0 };
	tq_fails(q, &p, ANPU_FAULT_BAD_PACKET, "wrap", "one of which only the source does");
	p.copy_desc.desc = at + 4;
	tq_fails(q, &p, ANPU_FAULT_MISALIGNED, "aligned", "a descriptor at an odd address");
	p.copy_desc.desc = d->hbm_size - 16;
	tq_fails(q, &p, ANPU_FAULT_UNMAPPED, "HBM", "a descriptor that is not all there");
}

static void test_fill(void)
{
	/* the last ones are a pattern shorter and longer than pieces that are split among workers */
	uint64_t sizes[] = { 8, 4096, 40, 1 << 20, (4 << 20) + 64, 4 << 20, 0, 0, 0 };
	uint64_t at = hbm_alloc(d, 6 << 20, 4096);
	uint8_t *to = hbm_ptr(d, at);
	uint64_t pattern = 0x1122334455667788;
	union anpu_packet p;

	for (int n = 1; n <= 8; n *= 2) {
		bool good = true;

		sizes[6] = (4 << 20) - (uint64_t)n;
		sizes[7] = (4 << 20) + (uint64_t)n;
		sizes[8] = (5 << 20) - (uint64_t)n;
		for (unsigned int s = 0; s < sizeof(sizes) / 8; s++) {
			memset(to, 0xee, 6 << 20);
			p = p_fill(at + 64, sizes[s], pattern, n);
			tq_run(q, &p);
			for (uint64_t i = 0; i < sizes[s] && good; i++)
				good = to[64 + i] == ((uint8_t *)&pattern)[i % n];
			good = good && untouched(to, to + 64) && untouched(to + 64 + sizes[s], to + (6 << 20));
		}
		ok(good, "FILL with %d bytes", n);
	}
	p = p_fill(at, 8, 0, 3);
	tq_fails(q, &p, ANPU_FAULT_BAD_PACKET, "pattern_size 3", "pattern_size 3");
	p = p_fill(at, 8, 0, 0);
	tq_fails(q, &p, ANPU_FAULT_BAD_PACKET, "pattern_size 0", "pattern_size 0");
	p = p_fill(at, 9, 0, 4);
	tq_fails(q, &p, ANPU_FAULT_BAD_PACKET, "multiple", "a size that is no multiple");
	p = p_fill(at + 2, 8, 0, 4);
	tq_fails(q, &p, ANPU_FAULT_MISALIGNED, "aligned", "a misaligned FILL");
	p = p_fill(~7ULL, 16, 0, 8);
	tq_fails(q, &p, ANPU_FAULT_BAD_PACKET, "wrap", "a FILL that wraps around");
	p = p_fill(d->hbm_size - 8, 16, 0, 8);
	tq_fails(q, &p, ANPU_FAULT_UNMAPPED, "HBM", "a FILL past the HBM");
}

static void test_semaphores(void)
{
	static const struct {
		enum anpu_sem_cond cond;
		uint64_t sem, value, mask;
		bool met;
	} t[] = {
		{ ANPU_SEM_EQ, 5, 5, ~0ULL, true }, { ANPU_SEM_EQ, 5, 6, ~0ULL, false },
		{ ANPU_SEM_EQ, 0xf5, 5, 0xf, true }, { ANPU_SEM_NE, 5, 5, ~0ULL, false },
		{ ANPU_SEM_NE, 5, 6, ~0ULL, true }, { ANPU_SEM_GT, 5, 5, ~0ULL, false },
		{ ANPU_SEM_GT, ~0ULL, 5, ~0ULL, true }, { ANPU_SEM_GE, 5, 5, ~0ULL, true },
		{ ANPU_SEM_GE, 4, 5, ~0ULL, false }, { ANPU_SEM_LT, 4, 5, ~0ULL, true },
		{ ANPU_SEM_LT, 5, 5, ~0ULL, false }, { ANPU_SEM_LE, 5, 5, ~0ULL, true },
		{ ANPU_SEM_LE, ~0ULL, 5, ~0ULL, false }, { ANPU_SEM_ANY, 6, 2, ~0ULL, true },
		{ ANPU_SEM_ANY, 6, 1, ~0ULL, false }, { ANPU_SEM_NOR, 0xf0, 0x0f, ~0ULL, true },
		{ ANPU_SEM_NOR, ~0ULL, 0, ~0ULL, false }, { ANPU_SEM_AFTER, 5, 5, ~0ULL, true },
		{ ANPU_SEM_AFTER, 4, 5, ~0ULL, false },
		{ ANPU_SEM_AFTER, 2, ~0ULL, ~0ULL, true },
		/* half a turn ahead and one less, in both widths */
		{ ANPU_SEM_AFTER, 0x8000000080000000, 0, ~0ULL, false },
		{ ANPU_SEM_AFTER, 0x7fffffff7fffffff, 0, ~0ULL, true },
		{ ANPU_SEM_LE, 4, 5, ~0ULL, true }, { ANPU_SEM_GE, 6, 5, ~0ULL, true },
		{ ANPU_SEM_LT, 6, 5, ~0ULL, false }, { ANPU_SEM_GT, 4, 5, ~0ULL, false },
		/* the mask is the semaphore's, not the value's */
		{ ANPU_SEM_EQ, 0xf5, 0x15, 0xf, false }, { ANPU_SEM_GE, 0xff, 0x10, 0xf, false },
		{ ANPU_SEM_LT, 0xff, 0x10, 0xf, true },
	};
	uint64_t at = hbm_alloc(d, 64, 64);
	uint64_t *sem = hbm_ptr(d, at);
	unsigned int good = 0;
	union anpu_packet p;

	for (unsigned int i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		for (int width = 4; width <= 8; width += 4) {
			uint64_t errors = tq_errors(q);

			store64(sem, t[i].sem);
			p = p_wait(at, t[i].value, t[i].cond, 0);
			p.sem_wait.mask = t[i].mask;
			p.sem_wait.width = width;
			tq_run(q, &p);
			if ((tq_errors(q) == errors) == t[i].met)
				good++;
			else
				printf("# condition %u, width %d, row %u\n", t[i].cond, width, i);
		}
	}
	is(good, 2 * sizeof(t) / sizeof(t[0]), "all conditions in both widths");

	store64(sem, 10);
	p = p_signal(at, 7, ANPU_SEM_ADD);
	tq_run(q, &p);
	is(load64(sem), 17, "ADD");
	p = p_signal(at, 0xff00, ANPU_SEM_OR);
	tq_run(q, &p);
	is(load64(sem), 0xff11, "OR");
	p = p_signal(at, 0xf0f0, ANPU_SEM_AND);
	tq_run(q, &p);
	is(load64(sem), 0xf010, "AND");
	p = p_signal(at, ~0ULL, ANPU_SEM_SET);
	tq_run(q, &p);
	is(load64(sem), ~0ULL, "SET");
	p = p_signal(at, 1, ANPU_SEM_ADD);
	p.sem_signal.width = 4;
	tq_run(q, &p);
	is(load64(sem), 0xffffffff00000000, "ADD of 4 bytes wraps in 4 bytes");
	p = p_signal(at, 3, ANPU_SEM_SET);
	p.sem_signal.timestamp = at + 8;
	store64(sem + 1, 0);
	tq_run(q, &p);
	ok(load64(sem + 1) && load64(sem + 1) <= reg(d, ANPU_REG_CLOCK), "SEM_SIGNAL's time stamp");
	good = 0;
	for (unsigned int i = 1; i <= 2000; i++) {
		uint64_t seq;

		store64(sem + 1, 0);
		p.sem_signal.value = 100 + i;
		seq = tq_push(q, &p);
		tq_ring(q);
		while (load64(sem) != 100 + i && load64(&q->st->completed) < seq)
			;
		good += load64(sem + 1) != 0;
		tq_wait(q, seq);
	}
	is(good, 2000, "who sees the semaphore sees the time stamp");
	store64(sem, 3);

	p = p_wait(at, 3, ANPU_SEM_EQ, 0);
	p.hdr.flags = ANPU_SEM_CLEAR;
	tq_run(q, &p);
	is(load64(sem), 0, "CLEAR writes zero");
	store64(sem, 0x100000003);
	p.sem_wait.width = 4;
	tq_run(q, &p);
	is(load64(sem), 0x100000000, "of the semaphore's width");

	p = p_wait(at, 99, ANPU_SEM_EQ, 3000);
	uint64_t start = now_ns();

	tq_fails(q, &p, ANPU_FAULT_WAIT_TIMEOUT, "did not meet", "an expired wait");
	is(tq_last_fault(q)->size, p.sem_wait.width, "  of so many bytes");
	ok(now_ns() - start >= 3000000, "takes its time, %llu us",
	   (unsigned long long)(now_ns() - start) / 1000);
	is(tq_last_fault(q)->addr, at, "and names the semaphore");
	/* in nanoseconds these are none, one more than there are, and as many as there are */
	for (int i = 0; i < 3; i++) {
		static const uint64_t limits[] = { 1ULL << 63, ~0ULL / 1000 + 1, ~0ULL / 1000 };
		uint64_t errors = tq_errors(q);

		store64(sem, 0);
		p = p_wait(at, 5, ANPU_SEM_EQ, limits[i]);
		tq_push(q, &p);
		tq_ring(q);
		ok(tq_wait_state(q, ANPU_QUEUE_PARKED) && tq_errors(q) == errors,
		   "a wait with a limit of %llu us", (unsigned long long)limits[i]);
		/* it is looked at again, now and then */
		sleep_us(5000);
		store64(sem, 5);
		ok(tq_wait(q, q->wptr) && tq_errors(q) == errors, "  lasts until it is satisfied");
	}
	p = p_wait(at, 1, ANPU_SEM_COND_COUNT, 0);
	tq_fails(q, &p, ANPU_FAULT_BAD_PACKET, "condition", "an unknown condition");
	p = p_signal(at, 1, ANPU_SEM_OP_COUNT);
	tq_fails(q, &p, ANPU_FAULT_BAD_PACKET, "operation", "an unknown operation");
	p = p_signal(at, 1, ANPU_SEM_SET);
	p.sem_signal.width = 2;
	tq_fails(q, &p, ANPU_FAULT_BAD_PACKET, "width", "width 2");
	p = p_signal(at + 4, 1, ANPU_SEM_SET);
	tq_fails(q, &p, ANPU_FAULT_MISALIGNED, "aligned", "a misaligned signal");
	p = p_wait(at + 2, 1, ANPU_SEM_EQ, 0);
	p.sem_wait.width = 4;
	tq_fails(q, &p, ANPU_FAULT_MISALIGNED, "aligned", "a misaligned wait");
	p = p_signal(at, 1, ANPU_SEM_SET);
	p.sem_signal.timestamp = at + 4;
	tq_fails(q, &p, ANPU_FAULT_MISALIGNED, "timestamp", "a misaligned time stamp");
	p = p_signal(d->hbm_size, 1, ANPU_SEM_SET);
	tq_fails(q, &p, ANPU_FAULT_UNMAPPED, "HBM", "a signal to nowhere");
	p = p_wait(d->hbm_size, 1, ANPU_SEM_EQ, 0);
	tq_fails(q, &p, ANPU_FAULT_UNMAPPED, "HBM", "a wait for nothing");
	store64(sem, 1);
	p = p_signal(at, 2, ANPU_SEM_SET);
	p.sem_signal.timestamp = d->hbm_size + 8;
	tq_fails(q, &p, ANPU_FAULT_UNMAPPED, "HBM", "a time stamp to nowhere");
	is(load64(sem), 1, "changes no semaphore");
}

static void test_sem_events(void)
{
	struct teq *e = teq_new(d, 0, 4);
	uint64_t at = hbm_alloc(d, 8, 8);
	union anpu_packet p = p_signal(at, 5, ANPU_SEM_ADD);
	struct anpu_event ev;
	uint64_t seq;

	store64(hbm_ptr(d, at), 37);
	p.hdr.flags = ANPU_SEM_IRQ;
	seq = tq_run(q, &p);
	ok(teq_wait(e, &ev) && ev.type == ANPU_EVENT_SIGNAL && ev.data0 == at && ev.data1 == 42 &&
	   ev.seq == seq, "SEM_SIGNAL with IRQ sends address and new value");
	p = p_nop();
	p.hdr.opcode = 99;
	seq = tq_run(q, &p);
	ok(teq_wait(e, &ev) && ev.type == ANPU_EVENT_FAULT && ev.code == ANPU_FAULT_BAD_OPCODE &&
	   ev.data0 == tq_errors(q) && ev.seq == seq, "a failure sends its ordinal");
	set_reg(d, ANPU_REG_EQ_SIZE(0), 0);
	teq_free(e);
}

static void test_timestamp(void)
{
	uint64_t at = hbm_alloc(d, 64, 64), before = reg(d, ANPU_REG_CLOCK);
	union anpu_packet p = p_timestamp(at);

	tq_run(q, &p);
	ok(load64(hbm_ptr(d, at)) >= before && load64(hbm_ptr(d, at)) <= reg(d, ANPU_REG_CLOCK),
	   "TIMESTAMP");
	p = p_timestamp(at + 1);
	tq_fails(q, &p, ANPU_FAULT_MISALIGNED, "aligned", "a misaligned TIMESTAMP");
	p = p_timestamp(d->hbm_size);
	tq_fails(q, &p, ANPU_FAULT_UNMAPPED, "HBM", "a TIMESTAMP to nowhere");
}

static void test_indirect(void)
{
	uint64_t at = hbm_alloc(d, 1000 * 64, 64), to = hbm_alloc(d, 8000, 64);
	union anpu_packet *list = hbm_ptr(d, at), p;
	struct tq *halt = tq_started(d, 20, 0, ANPU_QUEUE_STOP_ON_FAILURE);
	uint64_t errors, sum = 0;

	for (int i = 0; i < 1000; i++)
		list[i] = p_fill(to + 8 * i, 8, i + 1, 8);
	p = p_indirect(at, 1000);
	tq_run(q, &p);
	for (int i = 0; i < 1000; i++)
		sum += load64(hbm_ptr(d, to + 8 * i));
	is(sum, 500500, "INDIRECT runs 1000 packets");
	is(load64(&q->st->completed), q->wptr, "that are one packet of the ring");

	list[3].hdr.opcode = 200;
	list[5] = p_indirect(at, 1);
	errors = tq_errors(q);
	p = p_indirect(at, 8);
	tq_run(q, &p);
	is(tq_errors(q), errors + 2, "failures inside are recorded, the rest goes on");
	is(tq_last_fault(q)->ib_index, 5, "with the index");
	ok(strstr(tq_last_fault(q)->message, "INDIRECT inside") ||
	   strstr(tq_last_fault(q)->message, "inside an INDIRECT"), "an INDIRECT inside is refused");
	store64(hbm_ptr(d, to + 32), 0);
	tq_push(halt, &p);
	tq_ring(halt);
	ok(tq_wait_state(halt, ANPU_QUEUE_HALTED), "in the other mode the queue halts");
	ok(load64(&halt->st->completed) == 1 && halt->st->fault[0].ib_index == 3 &&
	   tq_errors(halt) == 1, "at the first failure");
	is(load64(hbm_ptr(d, to + 32)), 0, "and the rest is dropped");
	tq_command(halt, ANPU_QUEUE_RESUME);
	p = p_nop();
	tq_run(halt, &p);
	is(load64(&halt->st->completed), 2, "RESUME goes on behind the INDIRECT");

	p = p_indirect(d->hbm_size - 64, 1);
	memset(hbm_ptr(d, d->hbm_size - 64), 0, 64);
	errors = tq_errors(q);
	tq_run(q, &p);
	ok(tq_errors(q) == errors + 1 && tq_last_fault(q)->cause == ANPU_FAULT_BAD_OPCODE,
	   "zeroed memory is no packet");
	p = p_indirect(d->hbm_size - 64, 3);
	*(union anpu_packet *)hbm_ptr(d, d->hbm_size - 64) = p_nop();
	tq_fails(q, &p, ANPU_FAULT_UNMAPPED, "HBM", "packets that cannot be read end it");
	is(tq_last_fault(q)->ib_index, 1, "once, with the index");
	p = p_indirect(at, 0);
	tq_fails(q, &p, ANPU_FAULT_BAD_PACKET, "count", "count 0");
	p = p_indirect(at, ANPU_MAX_INDIRECT + 1);
	tq_fails(q, &p, ANPU_FAULT_BAD_PACKET, "count", "a count too large");
	p = p_indirect(at + 32, 1);
	tq_fails(q, &p, ANPU_FAULT_MISALIGNED, "aligned", "a misaligned INDIRECT");
	p = p_indirect(~63ULL, 2);
	tq_fails(q, &p, ANPU_FAULT_BAD_PACKET, "wrap", "an INDIRECT that wraps around");
	tq_free(halt);
}

static void test_kernel_checks(void)
{
	uint64_t out = hbm_alloc(d, 64, 64);
	union anpu_packet good = p_kernel(PROGRAM(d, { FAKE_STORE, 0, out }), 4), p;

#define TRY(what, text, cause, ...) do {					\
		p = good;							\
		__VA_ARGS__;							\
		tq_fails(q, &p, ANPU_FAULT_##cause, text, "KERNEL: " what);	\
	} while (0)
	TRY("grid 0", "zero", BAD_PACKET, p.kernel.grid_y = 0);
	TRY("2^31 blocks", "more than 2147483647", BAD_PACKET, p.kernel.grid_x = 1U << 31);
	TRY("65536 blocks of MIX", "more than 65535", BAD_PACKET, p.kernel.grid_x = 65536,
	    p.kernel.core_type = ANPU_CORE_MIX, p.kernel.mix_ratio = 1);
	TRY("65536 blocks in clusters", "more than 65535", BAD_PACKET, p.kernel.grid_x = 65536,
	    p.kernel.cluster_x = 2);
	TRY("2^96 blocks", "more than", BAD_PACKET,
	    p.kernel.grid_x = p.kernel.grid_y = p.kernel.grid_z = ~0U);
	TRY("2^64 blocks", "more than", BAD_PACKET,
	    p.kernel.grid_x = 1U << 31, p.kernel.grid_y = 1U << 31, p.kernel.grid_z = 4);
	TRY("cluster", "divide", BAD_PACKET, p.kernel.cluster_x = 3);
	TRY("cluster in y", "divide", BAD_PACKET, p.kernel.grid_x = 1, p.kernel.grid_y = 4, p.kernel.cluster_y = 3);
	TRY("cluster in z", "divide", BAD_PACKET, p.kernel.grid_x = 1, p.kernel.grid_z = 4, p.kernel.cluster_z = 3);
	TRY("schedule mode", "mode", BAD_PACKET, p.kernel.sched_mode = ANPU_SCHED_COUNT);
	TRY("batch", "batch", BAD_PACKET, p.kernel.sched_mode = ANPU_SCHED_BATCH,
	    p.kernel.grid_x = 5);
	TRY("core type", "core type", BAD_PACKET, p.kernel.core_type = ANPU_CORE_COUNT);
	TRY("mix_ratio of no MIX", "mix_ratio", BAD_PACKET, p.kernel.mix_ratio = 1);
	TRY("mix_ratio 0", "mix_ratio", BAD_PACKET, p.kernel.core_type = ANPU_CORE_MIX);
	TRY("mix_ratio 3", "mix_ratio", BAD_PACKET, p.kernel.core_type = ANPU_CORE_MIX,
	    p.kernel.mix_ratio = 3);
	TRY("aiv_entry", "aiv_entry", BAD_PACKET, p.kernel.aiv_entry = 8);
	TRY("odd aiv_entry", "aiv_entry", BAD_PACKET, p.kernel.core_type = ANPU_CORE_MIX,
	    p.kernel.mix_ratio = 1, p.kernel.aiv_entry = 2);
	TRY("priority", "priority", BAD_PACKET, p.kernel.priority = 8);
	TRY("args without size", "args", BAD_PACKET, p.kernel.args = out);
	TRY("args that wrap", "wrap", BAD_PACKET, p.kernel.args = ~7ULL, p.kernel.args_size = 64);
	TRY("odd entry", "aligned", MISALIGNED, p.kernel.entry += 2);
	TRY("odd args", "aligned", MISALIGNED, p.kernel.args = out + 4, p.kernel.args_size = 8);
#undef TRY
	is(load64(hbm_ptr(d, out)), 0, "none of them ran");
	good.kernel.cluster_x = 2;
	good.kernel.sched_mode = ANPU_SCHED_BATCH;
	good.kernel.args = out;
	good.kernel.args_size = 8;
	tq_run(q, &good);
	is(load64(hbm_ptr(d, out + 24)), 4, "a good one does");
}

/* The last value that each rule lets pass and the first that it does not: what passes fails later, for another reason. */
static void test_limits(void)
{
	uint64_t at = hbm_alloc(d, 4096, 4096), end = d->hbm_size;
	union anpu_packet p, kernel = p_kernel(PROGRAM(d, { FAKE_END, 0, 0 }), 1);

	p = p_fill(~8ULL, 8, 0, 1);
	tq_fails(q, &p, ANPU_FAULT_UNMAPPED, "HBM", "a FILL up to the last address does not wrap");
	p = p_fill(~7ULL, 8, 0, 1);
	tq_fails(q, &p, ANPU_FAULT_BAD_PACKET, "wrap", "one byte further");
	p = p_reduce(~8ULL, at, 8, ANPU_REDUCE_SUM, ANPU_REDUCE_S8);
	tq_fails(q, &p, ANPU_FAULT_UNMAPPED, "read", "a REDUCE from the last addresses does not wrap");
	p = p_reduce(~7ULL, at, 8, ANPU_REDUCE_SUM, ANPU_REDUCE_S8);
	tq_fails(q, &p, ANPU_FAULT_BAD_PACKET, "wrap", "one byte further");
	p = p_reduce(at, ~8ULL, 8, ANPU_REDUCE_SUM, ANPU_REDUCE_S8);
	tq_fails(q, &p, ANPU_FAULT_UNMAPPED, "HBM", "nor one to them");
	p = p_reduce(at, ~7ULL, 8, ANPU_REDUCE_SUM, ANPU_REDUCE_S8);
	tq_fails(q, &p, ANPU_FAULT_BAD_PACKET, "wrap", "one byte further");
	p = p_copy(at, ~7ULL, 8);
	tq_fails(q, &p, ANPU_FAULT_BAD_PACKET, "wrap", "a COPY one byte further");
	p = p_nop();
	p.hdr.opcode = ANPU_OP_COPY_DESC;
	p.copy_desc.desc = at;
	*(struct anpu_copy_desc *)hbm_ptr(d, at) = (struct anpu_copy_desc){ ~8ULL, at + 64, 8, 0 };
	tq_fails(q, &p, ANPU_FAULT_UNMAPPED, "read", "a descriptor up to the last address does not wrap");
	*(struct anpu_copy_desc *)hbm_ptr(d, at) = (struct anpu_copy_desc){ at + 64, ~8ULL, 8, 0 };
	tq_fails(q, &p, ANPU_FAULT_UNMAPPED, "write", "nor does its destination");
	p = p_indirect(end - 64, ANPU_MAX_INDIRECT);
	*(union anpu_packet *)hbm_ptr(d, end - 64) = p_nop();
	tq_fails(q, &p, ANPU_FAULT_UNMAPPED, "HBM", "the greatest count of an INDIRECT");
	is(tq_last_fault(q)->ib_index, 1, "has run its first packet");
	p = kernel;
	p.kernel.args = ~7ULL;
	p.kernel.args_size = 8;
	tq_fails(q, &p, ANPU_FAULT_BAD_PACKET, "wrap", "arguments up to the last address do not fit");
	p.hdr.flags = ANPU_KERNEL_LAUNCH;
	p.kernel.args = -(uint64_t)ANPU_LAUNCH_SIZE;
	p.kernel.args_size = 0;
	tq_fails(q, &p, ANPU_FAULT_BAD_PACKET, "wrap", "nor does a launch block");
	p.kernel.args -= 8;
	tq_fails(q, &p, ANPU_FAULT_UNMAPPED, "", "one that is in front of them does not wrap");
	/* so many blocks that batch mode alone refuses them */
	p = kernel;
	p.kernel.sched_mode = ANPU_SCHED_BATCH;
	p.kernel.grid_x = ANPU_MAX_BLOCKS;
	tq_fails(q, &p, ANPU_FAULT_BAD_PACKET, "needs 2147483647 AI cores", "the greatest number of blocks");
	p.kernel.grid_x = 1;
	p.kernel.grid_z = ANPU_MAX_BLOCKS;
	tq_fails(q, &p, ANPU_FAULT_BAD_PACKET, "needs 2147483647 AI cores", "in another dimension");
	p.kernel.grid_z = 1U << 16;
	p.kernel.grid_y = 1U << 15;
	tq_fails(q, &p, ANPU_FAULT_BAD_PACKET, "more than 2147483647", "one more, as a product");
	p = kernel;
	p.kernel.sched_mode = ANPU_SCHED_BATCH;
	p.kernel.grid_x = ANPU_MAX_RELATED_BLOCKS;
	p.kernel.core_type = ANPU_CORE_MIX;
	p.kernel.mix_ratio = 1;
	tq_fails(q, &p, ANPU_FAULT_BAD_PACKET, "needs 65535 AI cores", "the greatest number of MIX blocks");
	for (int i = 0; i < 3; i++) {
		p = kernel;
		p.kernel.sched_mode = ANPU_SCHED_BATCH;
		p.kernel.grid_x = p.kernel.grid_y = p.kernel.grid_z = 2;
		*(i == 0 ? &p.kernel.cluster_x : i == 1 ? &p.kernel.cluster_y : &p.kernel.cluster_z) = 1;
		p.kernel.grid_x = 65536;
		tq_fails(q, &p, ANPU_FAULT_BAD_PACKET, "needs 262144 AI cores", "clusters of one block are none");
		*(i == 0 ? &p.kernel.cluster_x : i == 1 ? &p.kernel.cluster_y : &p.kernel.cluster_z) = 2;
		tq_fails(q, &p, ANPU_FAULT_BAD_PACKET, "more than 65535", "those of two in each dimension are");
	}
}

/* What the device counts: each packet once, bytes of those alone that succeed */
static void test_counters(void)
{
	uint64_t at = hbm_alloc(d, 4096, 4096), bytes, packets, faults, kernels, blocks, mine, mine_kernels;
	union anpu_packet p[] = { p_copy(at, at + 1024, 100), p_fill(at, 24, 0, 8),
				  p_reduce(at, at + 1024, 16, ANPU_REDUCE_SUM, ANPU_REDUCE_S8),
				  p_copy(at, at + 1024, 0), p_nop(), p_copy(d->hbm_size - 8, at, 100),
				  p_kernel(PROGRAM(d, { FAKE_END, 0, 0 }), 3), p_kernel(2, 1), p_nop() };
	union anpu_packet rows = p_nop(), list = p_indirect(at + 2048, 3);

	rows.hdr.opcode = ANPU_OP_COPY_2D;
	rows.copy_2d = (struct anpu_pkt_copy_2d){ .hdr = rows.hdr, .src = at, .dst = at + 1024, .src_pitch = 64,
						  .dst_pitch = 64, .width = 10, .height = 5 };
	p[8] = rows;
	for (int i = 0; i < 3; i++)
		((union anpu_packet *)hbm_ptr(d, at + 2048))[i] = p_fill(at, 8, 0, 8);
	bytes = reg(d, ANPU_REG_COPY_BYTES);
	packets = reg(d, ANPU_REG_PACKETS);
	faults = reg(d, ANPU_REG_FAULTS);
	kernels = reg(d, ANPU_REG_KERNELS);
	blocks = reg(d, ANPU_REG_BLOCKS);
	mine = load64(&q->st->copy_bytes);
	mine_kernels = load64(&q->st->kernels);
	for (unsigned int i = 0; i < sizeof(p) / sizeof(p[0]); i++)
		tq_run(q, &p[i]);
	tq_run(q, &list);
	is(reg(d, ANPU_REG_PACKETS) - packets, sizeof(p) / sizeof(p[0]) + 1, "packets are counted, an INDIRECT as one");
	is(reg(d, ANPU_REG_COPY_BYTES) - bytes, 100 + 24 + 16 + 50 + 24, "so are the bytes that were written");
	is(load64(&q->st->copy_bytes) - mine, 100 + 24 + 16 + 50 + 24, "on the queue's status page, too");
	is(reg(d, ANPU_REG_FAULTS) - faults, 2, "faults");
	is(reg(d, ANPU_REG_KERNELS) - kernels, 1, "kernels, but not those that were refused");
	is(load64(&q->st->kernels) - mine_kernels, 1, "on the status page, too");
	is(reg(d, ANPU_REG_BLOCKS) - blocks, 3, "and their blocks");
}

int main(void)
{
	d = dev_default();
	q = tq_started(d, 0, 0, 0);
	test_reserved();
	test_copy();
	test_copy_2d();
	test_copy_desc();
	test_fill();
	test_semaphores();
	test_sem_events();
	test_timestamp();
	test_indirect();
	test_kernel_checks();
	test_limits();
	test_counters();
	tq_free(q);
	dev_free(d);
	return done_testing();
}
