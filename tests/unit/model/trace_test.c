// SPDX-License-Identifier: MIT
/* Trace buffers: what packets and blocks leave there, when there is no room, and what is refused. */
#include <stdio.h>
#include <string.h>

#include <anpu/anpu_isa.h>

#include "harness.h"

#define VA	0x7f0000000000ULL
#define RING	(VA + 4096)
#define CODE	0x200000000ULL
#define SIZE	64ULL

static struct dev *d;
static struct anpu_trace_buffer *buf;
static struct anpu_trace_record *ring;

static struct tq *queue_with_trace(unsigned int id)
{
	struct tq *q = tq_new(d, id, 6);

	if (!buf) {
		uint64_t at = hbm_alloc(d, 8192, 4096);

		buf = hbm_ptr(d, at);
		ring = hbm_ptr(d, at + 4096);
		as_map(d, 1, VA, 8192, at, PTE_RW, ANPU_PAGE_4K);
		as_map(d, 1, CODE, 2 << 20, 0, PTE_RX, ANPU_PAGE_2M);
	}
	tq_context(q)->asid = 1;
	tq_context(q)->trace = VA;
	tq_start(q);
	return q;
}

static void begin(uint64_t size)
{
	memset(buf, 0, sizeof(*buf));
	memset(ring, 0, SIZE * sizeof(*ring));
	buf->ring = RING;
	buf->size = size;
}

/* Records of a kind from @from on; the first is left in @first */
static unsigned int count(unsigned int kind, struct anpu_trace_record *first)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < buf->head; i++) {
		if (ring[i].turn != i + 1 || ring[i].kind != kind)
			continue;
		if (!n++ && first)
			*first = ring[i];
	}
	return n;
}

static void test_kernel(struct tq *q)
{
	union anpu_packet p = p_kernel(CODE + PROGRAM(d, { FAKE_END, 0, 0 }), 5);
	struct anpu_trace_record r, b;
	uint64_t seq, before = reg(d, ANPU_REG_CLOCK);

	begin(SIZE);
	p.hdr.task_id = 77;
	seq = tq_run(q, &p);
	is(count(ANPU_TRACE_PACKET, &r), 1, "a kernel has a record");
	is(count(ANPU_TRACE_BLOCK, &b), 5, "and each of its blocks one");
	ok(r.task_id == 77 && b.task_id == 77 && r.seq == seq && b.seq == seq, "of that task");
	ok(r.queue == 1 && b.queue == 1 && r.code == ANPU_OP_KERNEL, "of that queue, with its opcode");
	ok(before <= r.begin_ns && r.begin_ns <= b.begin_ns && b.begin_ns <= b.end_ns && b.end_ns <= r.end_ns &&
	   r.end_ns <= reg(d, ANPU_REG_CLOCK), "with times of the device's clock that are in order");
	ok(!r.cause && !b.cause && r.amount == p.kernel.entry && b.amount == p.kernel.entry + 1 && b.core < 8, "that ended well");
}

static const struct anpu_trace_pipes *pipes_at(unsigned int i)
{
	return (const struct anpu_trace_pipes *)&ring[i];
}

/* Whether a block's pipes were at work for so long, in all of its turns together: a busy host gives a block more than one */
static bool pipes_are(unsigned int block, uint64_t vector, uint64_t cube, uint64_t mte1, uint64_t mte2, uint64_t mte3, uint64_t fix)
{
	struct anpu_trace_pipes sum = { 0 };

	for (unsigned int i = 0; i < buf->head; i++) {
		const struct anpu_trace_pipes *t = pipes_at(i);

		if (t->kind != ANPU_TRACE_PIPES || t->block != block)
			continue;
		sum.vector_ns += t->vector_ns;
		sum.cube_ns += t->cube_ns;
		sum.mte1_ns += t->mte1_ns;
		sum.mte2_ns += t->mte2_ns;
		sum.mte3_ns += t->mte3_ns;
		sum.fix_ns += t->fix_ns;
	}
	return sum.vector_ns == vector && sum.cube_ns == cube && sum.mte1_ns == mte1 && sum.mte2_ns == mte2 &&
	       sum.mte3_ns == mte3 && sum.fix_ns == fix;
}

static void test_pipes(struct tq *q)
{
	union anpu_packet p = p_kernel(CODE + PROGRAM(d, { FAKE_PIPE, ANPU_PIPE_V, 1 }, { FAKE_PIPE, ANPU_PIPE_M, 2 },
						      { FAKE_PIPE, ANPU_PIPE_MTE1, 3 }, { FAKE_PIPE, ANPU_PIPE_MTE2, 4 },
						      { FAKE_PIPE, ANPU_PIPE_MTE3, 1ULL << 40 },
						      { FAKE_PIPE, ANPU_PIPE_FIX, 6 }, { FAKE_END, 0, 0 }), 3);
	bool pairs = true;

	begin(SIZE);
	tq_run(q, &p);
	ok(count(ANPU_TRACE_BLOCK, NULL) >= 3 && count(ANPU_TRACE_PIPES, NULL) >= 3, "blocks have a record of their pipes' time");
	for (unsigned int i = 0; i + 1 < buf->head; i++)
		if (ring[i].kind == ANPU_TRACE_PIPES)
			pairs &= ring[i + 1].kind == ANPU_TRACE_BLOCK && ring[i + 1].block == pipes_at(i)->block;
	ok(pairs, "in front of the block's");
	pairs = true;
	for (unsigned int i = 0; i < 3; i++)
		pairs &= pipes_are(i, 1, 2, 3, 4, 1ULL << 40, 6);
	ok(pairs, "with what each was at work");
	/* the kernel's own record, and one slot is left for two */
	begin(2);
	p.kernel.grid_x = 1;
	buf->head = 5;
	buf->tail = 4;
	tq_run(q, &p);
	ok(buf->head == 6 && buf->lost >= 2 && ring[1].kind != ANPU_TRACE_PIPES, "both have room, or both are lost");
}

/* Is there such a record of each block? */
static bool has_operation(unsigned int blocks, unsigned int pipe, uint64_t took, const struct tq *q)
{
	unsigned int seen = 0;

	for (unsigned int i = 0; i < buf->head; i++) {
		const struct anpu_trace_record *r = &ring[i];

		if (r->kind == ANPU_TRACE_OPERATION && r->code == pipe && r->turn == i + 1 && r->begin_ns == 1000 &&
		    r->end_ns == 1000 + took && r->queue == 1 && r->task_id == 77 && r->core < 8 && !r->cause && r->block < blocks &&
		    r->seq == q->wptr && ANPU_TRACE_AMOUNT_OP(r->amount) == ANPU_TILE_VBIN &&
		    ANPU_TRACE_AMOUNT_PC(r->amount) >= CODE && ANPU_TRACE_AMOUNT_PC(r->amount) < CODE + (2 << 20))
			seen |= 1u << r->block;
	}
	return seen == (1u << blocks) - 1;
}

static void test_operations(struct tq *q)
{
	union anpu_packet p = p_kernel(CODE + PROGRAM(d, { FAKE_PIPE, ANPU_PIPE_V, 7 }, { FAKE_PIPE, ANPU_PIPE_MTE2, 1ULL << 40 },
						      { FAKE_END, 0, 0 }), 3);
	struct anpu_trace_record block;

	begin(SIZE);
	p.hdr.task_id = 77;
	tq_run(q, &p);
	is(count(ANPU_TRACE_OPERATION, NULL), 0, "operations have records only if the buffer's flags want them");
	begin(SIZE);
	buf->flags = ANPU_TRACE_OPERATIONS;
	tq_run(q, &p);
	is(count(ANPU_TRACE_OPERATION, NULL), 6, "then each has one");
	ok(has_operation(3, ANPU_PIPE_V, 7, q) && has_operation(3, ANPU_PIPE_MTE2, 1ULL << 40, q), "with its block, pipe, place and time");
	/* a busy host gives a block more than one turn */
	ok(count(ANPU_TRACE_BLOCK, &block) >= 3, "beside those of the blocks");
	ok(ring[0].kind == ANPU_TRACE_OPERATION && block.kind == ANPU_TRACE_BLOCK, "in front of them");
}

/* More than a turn has room for: those that are left, and the packet's and the block's records, have no room in the ring */
static void test_many_operations(struct tq *q)
{
	enum { MANY = 5000 };
	static struct fake_insn list[MANY + 1];
	union anpu_packet p;

	for (unsigned int i = 0; i < MANY; i++)
		list[i] = (struct fake_insn){ FAKE_PIPE, ANPU_PIPE_V, 1 };
	list[MANY] = (struct fake_insn){ FAKE_END, 0, 0 };
	p = p_kernel(CODE + program(d, list, MANY + 1), 1);
	begin(SIZE);
	buf->flags = ANPU_TRACE_OPERATIONS;
	tq_run(q, &p);
	ok(buf->head + buf->lost >= MANY + 3 && buf->head <= SIZE, "operations that have no room are counted as lost");
	buf->flags = 0;
}

static void test_failure(struct tq *q)
{
	union anpu_packet p = p_kernel(CODE + PROGRAM(d, { FAKE_ILLEGAL, 0xffffffff, 0 }), 1);
	struct anpu_trace_record r;

	begin(SIZE);
	tq_run(q, &p);
	ok(count(ANPU_TRACE_PACKET, &r) == 1 && r.cause == ANPU_FAULT_ILLEGAL, "a kernel that fails says why");
	ok(count(ANPU_TRACE_BLOCK, &r) == 1 && r.cause == ANPU_FAULT_ILLEGAL, "and its block, too");
}

static void test_bytes(struct tq *q)
{
	union anpu_packet p = p_copy(VA, VA + 2048, 100), list[2] = { p, p_copy(VA, VA + 2048, 24) };
	uint64_t at = hbm_alloc(d, 4096, 4096), seq;
	struct anpu_trace_record r;

	begin(SIZE);
	memcpy(hbm_ptr(d, at), list, sizeof(list));
	tq_run(q, &p);
	ok(count(ANPU_TRACE_PACKET, &r) == 1 && r.amount == 100 && r.code == ANPU_OP_COPY, "a copy tells its bytes");
	begin(SIZE);
	p = p_indirect(CODE + at, 2);
	seq = tq_run(q, &p);
	is(count(ANPU_TRACE_PACKET, &r), 2, "an INDIRECT has a record for each of its packets");
	ok(r.seq == seq && ring[1].seq == seq && ring[1].amount == 24 && ring[1].begin_ns >= r.end_ns, "with its number");
}

static void test_room(struct tq *q)
{
	union anpu_packet p = p_copy(VA, VA + 2048, 8);

	begin(4);
	for (int i = 0; i < 6; i++)
		tq_run(q, &p);
	ok(buf->head == 4 && buf->lost == 2, "records without room are counted as lost");
	buf->tail = 3;
	tq_run(q, &p);
	ok(buf->head == 5 && ring[0].turn == 5, "slots that were read are used again");
	begin(3);
	tq_run(q, &p);
	begin(2ULL * ANPU_TRACE_MAX);
	tq_run(q, &p);
	begin(SIZE);
	buf->ring += 8;
	tq_run(q, &p);
	begin(SIZE);
	buf->tail = 1;
	tq_run(q, &p);
	ok(!buf->head, "nothing is recorded with numbers that make no sense");
}

static void test_unreachable(struct tq *q)
{
	union anpu_packet p = p_kernel(CODE + PROGRAM(d, { FAKE_END, 0, 0 }), 2);
	uint64_t errors = tq_errors(q);

	begin(SIZE);
	buf->ring = VA + (1 << 20);
	tq_run(q, &p);
	as_map(d, 1, VA, 4096, hbm_alloc(d, 4096, 4096), ANPU_PTE_READ, ANPU_PAGE_4K);
	invalidate(d, 1);
	tq_run(q, &p);
	is(tq_errors(q), errors, "a buffer or a ring that cannot be written fails nothing");
}

static void test_refused(struct anpu_config c, uint64_t trace, const char *name)
{
	struct dev *other = dev_new(&c);
	struct tq *q = tq_new(other, 2, 6);

	tq_context(q)->trace = trace;
	tq_command(q, ANPU_QUEUE_START);
	ok(tq_wait_state(q, ANPU_QUEUE_REFUSED), "%s", name);
	tq_stop(q);
	tq_free(q);
	dev_free(other);
}

/* A queue that was started anew counts its bytes from none. */
static void test_restarted(struct tq *q)
{
	union anpu_packet p = p_copy(VA, VA + 2048, 24);
	struct anpu_trace_record r = { 0 };

	tq_stop(q);
	tq_start(q);
	begin(SIZE);
	tq_run(q, &p);
	ok(count(ANPU_TRACE_PACKET, &r) == 1 && r.amount == 24 && r.seq == 1, "the first copy behind a restart: %llu bytes",
	   (unsigned long long)r.amount);
}

int main(void)
{
	struct anpu_config old = config_small();
	struct tq *q;

	d = dev_default();
	q = queue_with_trace(1);
	test_kernel(q);
	test_pipes(q);
	test_operations(q);
	test_many_operations(q);
	test_failure(q);
	test_bytes(q);
	test_room(q);
	test_restarted(q);
	test_unreachable(q);
	tq_free(q);
	dev_free(d);
	test_refused(config_small(), VA + 8, "a buffer that is not aligned is refused");
	test_refused(config_small(), 1ULL << 48, "and one beyond virtual addresses");
	old.hide_caps = ANPU_CAP_TRACE;
	test_refused(old, VA, "and any by an older device");
	return done_testing();
}
