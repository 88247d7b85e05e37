// SPDX-License-Identifier: MIT
/* Output of operators: records in the print buffer, what has no room, buffers that make no sense. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "harness.h"

#define VA	0x7f0000000000ULL
#define RING	4096

static struct dev *d;
static struct anpu_print_buffer *buf;
static uint8_t *ring;

/* The text that was read last */
static struct anpu_print_record rec;
static char text[8192];

static void get(void *to, uint64_t pos, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		((uint8_t *)to)[i] = ring[(pos + i) % buf->size];
}

/* Take one record; false if there is none */
static bool next(void)
{
	uint64_t tail = load64(&buf->tail), pad;

	if (load64(&buf->head) == tail)
		return false;
	get(&rec, tail, sizeof(rec));
	get(text, tail + sizeof(rec), rec.size);
	text[rec.size] = '\0';
	pad = -(uint64_t)rec.size % 8;
	store64(&buf->tail, tail + sizeof(rec) + rec.size + pad);
	return true;
}

/* A buffer in HBM; in address space 0 or, at VA, in space 1 */
static struct tq *queue_with_buffer(unsigned int id, uint32_t asid, uint64_t size)
{
	static uint64_t buf_at, ring_at;
	struct tq *q = tq_new(d, id, 6);

	if (!buf) {
		buf_at = hbm_alloc(d, 4096, 4096);
		ring_at = hbm_alloc(d, 65536, 65536);
		buf = hbm_ptr(d, buf_at);
		ring = hbm_ptr(d, ring_at);
		memset(buf, 0, sizeof(*buf));
		buf->size = size;
		buf->ring = ring_at;
	}
	if (asid) {
		as_map(d, asid, VA, 4096, buf_at, PTE_RW, ANPU_PAGE_4K);
		as_map(d, asid, VA + ANPU_PAGE_64K, 65536, ring_at, PTE_RW, ANPU_PAGE_64K);
		buf->ring = VA + ANPU_PAGE_64K;
	}
	tq_context(q)->asid = asid;
	tq_context(q)->print = asid ? VA : buf_at;
	tq_start(q);
	return q;
}

static void setup(void)
{
	d = dev_default();
	buf = NULL;
}

static void test_records(void)
{
	struct tq *q;
	union anpu_packet p;
	uint64_t words;
	unsigned int n = 0;

	setup();
	q = queue_with_buffer(3, 0, RING);
	words = hbm_alloc(d, 64, 64);
	memcpy(hbm_ptr(d, words), "eight by", 8);
	p = p_kernel(PROGRAM(d, { FAKE_PRINT, 0, 0 }, { FAKE_PRINT, 8, words }), 1);
	p.hdr.task_id = 0x1234;
	tq_run(q, &p);
	ok(next() && !strcmp(text, "hello"), "the first text");
	is(rec.size, 5, "  its size");
	is(rec.queue, 3, "  its queue");
	is(rec.task_id, 0x1234, "  its task");
	is(rec.block, 0, "  its block");
	ok(rec.time_ns && rec.time_ns <= reg(d, ANPU_REG_CLOCK), "  its time");
	is(buf->tail % 8, 0, "  is padded");
	ok(next() && !strcmp(text, "eight by"), "the second text");
	ok(!next(), "no other");
	is(atomic_load(&d->prints), 1, "the host's log has it, too");

	/* more than the ring holds, read in time: it wraps anywhere */
	for (int i = 0; i < 200; i++) {
		p = p_kernel(PROGRAM(d, { FAKE_PRINT, 0, 0 }), 3);
		tq_run(q, &p);
		while (next())
			n += !strcmp(text, "hello") && rec.block < 3;
		d->hbm_next -= 32;
	}
	is(n, 600, "texts around the ring");
	is(load64(&buf->lost), 0, "none is lost");
	tq_free(q);
	dev_free(d);
}

static void test_overflow(void)
{
	union anpu_packet p;
	struct tq *q;
	unsigned int n = 0;

	setup();
	q = queue_with_buffer(1, 1, 40 * 10);
	as_map(d, 1, 0x200000000ULL, 2 << 20, 0, PTE_RX, ANPU_PAGE_2M);
	p = p_kernel(0x200000000ULL + PROGRAM(d, { FAKE_PRINT, 0, 0 }), 1000);
	ok(p.kernel.entry < 0x200000000ULL + (2 << 20), "the program is mapped");
	tq_run(q, &p);
	is(tq_errors(q), 0, "an operator that prints too much succeeds");
	while (next())
		n += !strcmp(text, "hello");
	is(n, 10, "what fits is there");
	is(load64(&buf->lost), 990, "the others are counted");
	is(load64(&buf->lost_bytes), 5 * 990, "with their bytes");
	tq_run(q, &p);
	ok(next(), "after reading there is room again");

	/* another ring, and none */
	buf->tail = buf->head;
	buf->size = 0;
	tq_run(q, &p);
	is(load64(&buf->lost), 990 + 990 + 1000, "without a ring everything is lost, and counted");
	buf->size = RING;
	buf->head = buf->tail = 0;
	tq_run(q, &p);
	ok(next() && !strcmp(text, "hello"), "a new ring while no operator runs");
	tq_free(q);
	dev_free(d);
}

/* Numbers that no honest reader writes: no room, and nothing outside of the ring is touched */
static void test_nonsense(void)
{
	static const struct { uint64_t size, head, tail; } bad[] = {
		{ RING + 4, 0, 0 }, { ANPU_PRINT_MAX + 8, 0, 0 }, { ~0ULL, 0, 0 },
		{ RING, 4, 0 }, { RING, 0, 8 }, { RING, 0, ~0ULL }, { RING, RING + 8, 0 },
		{ RING, 1ULL << 63, 0 }, { 8, 0, 0 }, { 32, 0, 0 },
	};
	union anpu_packet p;
	struct tq *q;
	bool kept = true;

	setup();
	q = queue_with_buffer(1, 0, RING);
	p = p_kernel(PROGRAM(d, { FAKE_PRINT, 0, 0 }), 1);
	memset(ring, 0xee, 65536);
	for (unsigned int i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		buf->size = bad[i].size;
		buf->head = bad[i].head;
		buf->tail = bad[i].tail;
		tq_run(q, &p);
		is(load64(&buf->lost), i + 1, "a buffer that makes no sense has no room");
		kept = kept && load64(&buf->head) == bad[i].head;
	}
	for (unsigned int i = 0; i < 65536; i++)
		kept = kept && ring[i] == 0xee;
	ok(kept, "nothing is written");
	/* indices may be anywhere as long as they fit each other */
	buf->size = 72;
	buf->head = buf->tail = ~0ULL << 3;
	tq_run(q, &p);
	is(load64(&buf->lost), sizeof(bad) / sizeof(bad[0]), "indices at the end of 64 bits are fine");
	is(ring[72], 0xee, "the ring's end is respected");
	tq_free(q);
	dev_free(d);
}

static void test_unreachable(void)
{
	union anpu_packet p;
	struct tq *q;

	setup();
	q = queue_with_buffer(1, 1, RING);
	as_map(d, 1, 0x200000000ULL, 2 << 20, 0, PTE_RX, ANPU_PAGE_2M);
	p = p_kernel(0x200000000ULL + PROGRAM(d, { FAKE_PRINT, 0, 0 }), 1);
	buf->ring = VA + (1 << 30);
	tq_fails(q, &p, ANPU_FAULT_UNMAPPED, "PRINT: the print buffer 0x7f0000000000: write of",
		 "a ring that is not mapped");
	is(tq_last_fault(q)->addr, VA + (1 << 30), "  at its address");
	buf->ring = ~0ULL - 4096;
	tq_fails(q, &p, ANPU_FAULT_UNMAPPED, "48 bits", "a ring beyond all addresses");
	is(load64(&buf->head), 0, "nothing counts as written");
	/* the end of the record is where the mapping ends */
	buf->ring = VA + ANPU_PAGE_64K;
	buf->size = 65536 + 4096;
	buf->head = buf->tail = 65536 - 32;
	tq_fails(q, &p, ANPU_FAULT_UNMAPPED, "PRINT", "a ring of which a part is mapped");
	as_map(d, 1, VA, 4096, hbm_alloc(d, 4096, 4096), ANPU_PTE_READ, ANPU_PAGE_4K);
	invalidate(d, 1);
	tq_fails(q, &p, ANPU_FAULT_PERMISSION, "PRINT", "a buffer that may not be written");
	*as_entry(d, 1, VA, 3) = 0;
	invalidate(d, 1);
	tq_fails(q, &p, ANPU_FAULT_UNMAPPED, "PRINT", "a buffer that is gone");
	tq_free(q);
	dev_free(d);
}

/* In system memory, through mappings that are returned, while the operator is killed */
static void test_system_memory(void)
{
	union anpu_packet p;
	struct tq *q;

	setup();
	q = tq_new(d, 1, 6);
	buf = (void *)d->ram;
	ring = d->ram + 4096;
	*buf = (struct anpu_print_buffer){ .ring = VA + 4096, .size = RING };
	as_map(d, 1, VA, 8192, DMA_TRANSIENT, PTE_RW | ANPU_PTE_SYSTEM, ANPU_PAGE_4K);
	as_map(d, 1, 0x200000000ULL, 2 << 20, 0, PTE_RX, ANPU_PAGE_2M);
	tq_context(q)->asid = 1;
	tq_context(q)->print = VA;
	tq_start(q);
	p = p_kernel(0x200000000ULL + PROGRAM(d, { FAKE_PRINT, 0, 0 }, { FAKE_FOREVER, 0, 0 }), 1);
	p.kernel.timeout_us = 20000;
	tq_fails(q, &p, ANPU_FAULT_TIMEOUT, "limit", "an operator that prints and hangs");
	ok(next() && !strcmp(text, "hello"), "its text is there");
	p.kernel.timeout_us = ANPU_TIMEOUT_NEVER;
	tq_push(q, &p);
	tq_ring(q);
	ok(eventually(load64(&buf->head) != load64(&buf->tail)), "a text arrives while it runs");
	tq_stop(q);
	ok(next() && !strcmp(text, "hello"), "and stays when it is killed");
	tq_free(q);
	dev_free(d);
}

static void *drain(void *counts)
{
	unsigned int *count = counts;

	for (unsigned int n = 0; n < 8000;) {
		if (!next())
			continue;
		/* every text whole and of its queue */
		if (strcmp(text, "hello") || rec.queue < 1 || rec.queue > 4 || rec.block >= 100)
			die("a record of '%s', queue %u, block %u", text, rec.queue, rec.block);
		count[rec.queue]++;
		n++;
	}
	return NULL;
}

/* Four queues and many workers share a buffer with a reader at their heels */
static void test_shared(void)
{
	unsigned int count[5] = { 0 };
	union anpu_packet p;
	struct tq *q[4];
	uint64_t seq[4];
	pthread_t reader;

	setup();
	for (int i = 0; i < 4; i++)
		q[i] = queue_with_buffer(1 + i, 0, 65536);
	pthread_create(&reader, NULL, drain, count);
	p = p_kernel(PROGRAM(d, { FAKE_PRINT, 0, 0 }), 100);
	/* 400 records fit the ring, so nothing is lost if each round waits for the reader */
	for (int k = 0; k < 20; k++) {
		for (int i = 0; i < 4; i++) {
			seq[i] = tq_push(q[i], &p);
			tq_ring(q[i]);
		}
		for (int i = 0; i < 4; i++)
			tq_wait(q[i], seq[i]);
		eventually(load64(&buf->head) == load64(&buf->tail));
	}
	pthread_join(reader, NULL);
	is(load64(&buf->lost), 0, "none is lost");
	for (int i = 1; i <= 4; i++)
		is(count[i], 2000, "all texts of a queue");
	for (int i = 0; i < 4; i++)
		tq_free(q[i]);
	dev_free(d);
}

static void test_none(void)
{
	struct tq *q;
	union anpu_packet p;

	setup();
	q = tq_started(d, 1, 0, 0);
	p = p_kernel(PROGRAM(d, { FAKE_PRINT, 0, 0 }), 2);
	tq_run(q, &p);
	is(tq_errors(q), 0, "a queue without a buffer prints to the log only");
	is(atomic_load(&d->prints), 2, "  which has it");
	tq_free(q);
	dev_free(d);
}

int main(void)
{
	test_records();
	test_overflow();
	test_nonsense();
	test_unreachable();
	test_system_memory();
	test_shared();
	test_none();
	return done_testing();
}
