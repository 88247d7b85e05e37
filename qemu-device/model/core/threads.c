// SPDX-License-Identifier: MIT
/* Threads of a block: their life, who runs next, barriers of the block. See threads.h. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "amo.h"
#include "check.h"
#include "sync.h"
#include "threads.h"

#define STACKS_BYTES	((size_t)ANPU_MAX_SPAWN * ANPU_THREAD_STACK)

static const char *const op_names[] = {
#define ROW(name, number, ...) [number] = #name,
	ANPU_THREAD_OPS(ROW)
#undef ROW
};

/* Memory ------------------------------------------------------------------------------------------- */

static struct threads *threads_new(void)
{
	struct threads *s = mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
				 -1, 0);

	if (s == MAP_FAILED)
		return NULL;
	s->stacks = mmap(NULL, STACKS_BYTES, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (s->stacks == MAP_FAILED) {
		munmap(s, sizeof(*s));
		return NULL;
	}
	return s;
}

void threads_free(struct core_block *b)
{
	if (!b->spare_threads)
		return;
	munmap(b->spare_threads->stacks, STACKS_BYTES);
	munmap(b->spare_threads, sizeof(*b->spare_threads));
	b->spare_threads = NULL;
}

void threads_clean(struct core_block *b)
{
	struct threads *s = b->spare_threads;

	b->threads = NULL;
	if (!s)
		return;
	for (unsigned int w = 0; w < STACK_PAGES / 64; w++) {
		for (; s->dirty[w]; s->dirty[w] &= s->dirty[w] - 1)
			memset(s->stacks + (size_t)(w * 64 + (unsigned int)__builtin_ctzll(s->dirty[w])) *
			       PAGE_SIZE, 0, PAGE_SIZE);
	}
}

uint8_t *threads_stack(struct core_block *b, uint64_t va, unsigned int size, uint32_t access,
		       struct core_fault *fault)
{
	struct threads *s = b->threads;
	unsigned int t = (unsigned int)((va - ANPU_THREAD_STACKS) / STACK_PIECE);
	uint64_t at = (va - ANPU_THREAD_STACKS) % STACK_PIECE;

	if (!s || t >= s->count) {
		local_fault(va, size, access, fault);
		return NULL;
	}
	if (at < ANPU_THREAD_GUARD) {
		core_fail(fault, ANPU_FAULT_STACK,
			  "stack overflow: 0x%llx is below the %u KiB stack of thread %u; use less stack",
			  (unsigned long long)va, ANPU_THREAD_STACK / 1024, t);
		fault->addr = va;
		fault->size = size;
		fault->access = access;
		return NULL;
	}
	at = at - ANPU_THREAD_GUARD + (uint64_t)t * ANPU_THREAD_STACK;
	if (access == ANPU_ACCESS_WRITE)
		bit_set(s->dirty, (unsigned int)(at / PAGE_SIZE));
	return s->stacks + at;
}

/* Life --------------------------------------------------------------------------------------------- */

uint64_t threads_gp(const struct threads *s, unsigned int t)
{
	uint64_t x = t % s->dim[0], rest = t / s->dim[0];

	return x | rest % s->dim[1] << 16 | (uint64_t)(rest / s->dim[1]) << 32;
}

static void begin_thread(struct core_block *b, unsigned int t)
{
	struct threads *s = b->threads;

	memcpy(b->x, s->begin.x, sizeof(b->x));
	clear(b->f, sizeof(b->f));
	b->x[2] = ANPU_THREAD_STACKS + (uint64_t)(t + 1) * STACK_PIECE;
	b->x[3] = threads_gp(s, t);
	b->x[4] = ANPU_UB_BASE;
	b->pc = s->begin.pc;
}

bool threads_begin(struct core_block *b, const uint32_t dim[3])
{
	struct threads *s = b->spare_threads;
	unsigned int n;

	if (!s)
		s = b->spare_threads = threads_new();
	if (!s)
		return false;
	b->threads = s;
	s->count = dim[0] * dim[1] * dim[2];
	s->live = s->count;
	s->current = 0;
	memcpy(s->dim, dim, sizeof(s->dim));
	s->spawned = false;
	memcpy(s->begin.x, b->x, sizeof(b->x));
	s->begin.pc = b->pc;
	memset(s->ready, 0, sizeof(s->ready));
	memset(s->ended, 0, sizeof(s->ended));
	memset(s->waiting, 0, sizeof(s->waiting));
	memset(s->barrier, 0, sizeof(s->barrier));
	for (n = 0; n < s->count; n++) {
		s->wait[n].op = THREAD_RUNS;
		bit_set(s->ready, n);
	}
	memcpy(s->fresh, s->ready, sizeof(s->fresh));
	bit_clear(s->ready, 0);
	bit_clear(s->fresh, 0);
	begin_thread(b, 0);
	return true;
}

static void save(const struct core_block *b, struct context *c)
{
	memcpy(c->x, b->x, sizeof(c->x));
	memcpy(c->f, b->f, sizeof(c->f));
	c->pc = b->pc;
}

static void restore(struct core_block *b, const struct context *c)
{
	memcpy(b->x, c->x, sizeof(c->x));
	memcpy(b->f, c->f, sizeof(c->f));
	b->pc = c->pc;
}

/* The next thread that can run, from the one behind the current one on; -1: none. */
static int next_ready(const struct threads *s)
{
	unsigned int from = s->current + 1, w = from / 64 % THREAD_WORDS, n;
	uint64_t word = s->ready[w] & (~0ULL << (from % 64));

	for (n = 0; n <= THREAD_WORDS; n++) {
		if (word)
			return (int)(w * 64 + (unsigned int)__builtin_ctzll(word));
		w = (w + 1) % THREAD_WORDS;
		word = s->ready[w];
	}
	return -1;
}

static void run(struct core_block *b, unsigned int t)
{
	struct threads *s = b->threads;

	bit_clear(s->ready, t);
	s->current = t;
	amo_forget(b);
	if (bit_get(s->fresh, t)) {
		bit_clear(s->fresh, t);
		begin_thread(b, t);
	} else {
		restore(b, &s->context[t]);
	}
}

/* Name what each kind of waiting thread waits for; the first of each, and how many there are. */
static enum sys_result stuck(struct core_block *b, struct core_fault *fault)
{
	struct threads *s = b->threads;
	unsigned int number[ANPU_THREAD_OP_COUNT] = { 0 }, t, op, first = s->count;
	char text[96] = "";
	size_t len = 0;

	for (t = 0; t < s->count; t++) {
		if (s->wait[t].op == THREAD_RUNS)
			continue;
		number[s->wait[t].op]++;
		if (first == s->count)
			first = t;
	}
	for (op = 0; op < ANPU_THREAD_OP_COUNT && len < sizeof(text); op++)
		if (number[op])
			len += (size_t)snprintf(text + len, sizeof(text) - len, "%s %u in %s",
						len ? "," : "", number[op], op_names[op]);
	core_fail(fault, ANPU_FAULT_SYNC, "no thread can run:%s, %u of %u ended; block %u", text,
		  s->count - s->live, s->count, b->block);
	if (first < s->count) {
		s->current = first;
		restore(b, &s->context[first]);
		b->pc = s->wait[first].pc;
	}
	return SYS_FAULT;
}

static enum sys_result go_on(struct core_block *b, struct core_fault *fault)
{
	int t = next_ready(b->threads);

	if (t < 0)
		return stuck(b, fault);
	run(b, (unsigned int)t);
	return SYS_SWITCH;
}

void thread_yield(struct core_block *b)
{
	struct threads *s = b->threads;
	int t = next_ready(s);

	if (t < 0)
		return;
	save(b, &s->context[s->current]);
	bit_set(s->ready, s->current);
	run(b, (unsigned int)t);
}

void thread_result(struct core_block *b, unsigned int t, unsigned int rd, uint64_t value)
{
	if (t == b->threads->current)
		b->x[rd] = value;
	else
		b->threads->context[t].x[rd] = value;
}

void thread_release(struct core_block *b, unsigned int t, uint64_t value)
{
	struct threads *s = b->threads;

	s->context[t].x[s->wait[t].rd] = value;
	s->wait[t].op = THREAD_RUNS;
	bit_set(s->ready, t);
}

/* The running thread waits, in the instruction at b->pc; others run. */
static enum sys_result wait_for(struct core_block *b, const struct insn *i, struct core_fault *fault)
{
	struct threads *s = b->threads;
	unsigned int t = s->current;

	s->wait[t] = (struct thread_wait){ (uint8_t)i->imm, i->rd, b->x[i->rs1], b->x[i->rs2], b->pc };
	b->pc += 4;
	save(b, &s->context[t]);
	warp_settle(b, t / ANPU_WARP_SIZE);
	return go_on(b, fault);
}

/* Barriers of the block ------------------------------------------------------------------------------- */

static uint64_t barrier_value(const struct thread_barrier *r, unsigned int mode)
{
	switch (mode) {
	case ANPU_BAR_COUNT: return r->votes;
	case ANPU_BAR_AND: return r->votes == r->waits;
	case ANPU_BAR_OR: return r->votes != 0;
	default: return 0;
	}
}

static void barrier_open(struct core_block *b, struct thread_barrier *r)
{
	struct threads *s = b->threads;

	for (unsigned int w = 0; w < THREAD_WORDS; w++) {
		for (; r->waiting[w]; r->waiting[w] &= r->waiting[w] - 1) {
			unsigned int t = w * 64 + (unsigned int)__builtin_ctzll(r->waiting[w]);

			thread_release(b, t, barrier_value(r, s->wait[t].rs1 >> 8 & 0xff));
		}
	}
	*r = (struct thread_barrier){ 0 };
}

static bool barrier_complete(const struct threads *s, const struct thread_barrier *r)
{
	return r->arrived >= (r->need ? r->need : s->live);
}

static enum sys_result bad_barrier(const struct threads *s, uint64_t operand, struct core_fault *fault)
{
	core_fail(fault, ANPU_FAULT_OPERAND,
		  "BAR: 0x%llx: barriers are below %u, modes below 5, threads 0 or a multiple of %u up to %u",
		  (unsigned long long)operand, ANPU_BARRIERS, ANPU_WARP_SIZE, s ? s->count : 1);
	return SYS_FAULT;
}

static enum sys_result barrier(struct core_block *b, const struct insn *i, struct core_fault *fault)
{
	struct threads *s = b->threads;
	uint64_t operand = b->x[i->rs1], need = operand >> 16;
	unsigned int mode = operand >> 8 & 0xff, vote = b->x[i->rs2] != 0;
	struct thread_barrier *r;

	if ((operand & 0xff) >= ANPU_BARRIERS || mode > ANPU_BAR_OR || need % ANPU_WARP_SIZE ||
	    need > (s ? s->count : 1))
		return bad_barrier(s, operand, fault);
	if (!s) {
		b->x[i->rd] = mode >= ANPU_BAR_COUNT ? vote : 0;
		return SYS_NEXT;
	}
	r = &s->barrier[operand & 0xff];
	if (r->arrived && r->need != need) {
		core_fail(fault, ANPU_FAULT_SYNC,
			  "BAR %u for %u threads: others wait there for a barrier of %u",
			  (unsigned int)operand & 0xff, (unsigned int)need, r->need);
		return SYS_FAULT;
	}
	r->need = (unsigned int)need;
	r->arrived++;
	if (mode != ANPU_BAR_ARRIVE) {
		r->waits++;
		r->votes += vote;
	}
	if (barrier_complete(s, r)) {
		b->x[i->rd] = barrier_value(r, mode);
		barrier_open(b, r);
		return SYS_NEXT;
	}
	if (mode == ANPU_BAR_ARRIVE) {
		b->x[i->rd] = 0;
		return SYS_NEXT;
	}
	bit_set(r->waiting, s->current);
	return wait_for(b, i, fault);
}

/* Ends ------------------------------------------------------------------------------------------------- */

/* The checking mode: some threads wait for all, and this one has ended without them. */
static bool checked_end(const struct threads *s, struct core_fault *fault)
{
	for (unsigned int n = 0; n < ANPU_BARRIERS; n++) {
		const struct thread_barrier *r = &s->barrier[n];

		if (!r->waits || r->need)
			continue;
		return core_fail(fault, ANPU_FAULT_SYNC,
				 "the thread ended while %u threads of its block wait for all in BAR %u",
				 r->waits, n);
	}
	return true;
}

enum sys_result thread_end(struct core_block *b, struct core_fault *fault)
{
	struct threads *s = b->threads;
	unsigned int n;

	if (unlikely(b->check) && !checked_end(s, fault))
		return SYS_FAULT;
	bit_set(s->ended, s->current);
	s->live--;
	if (!s->live) {
		if (!s->spawned)
			return SYS_EXIT;
		restore(b, &s->parent);
		b->threads = NULL;
		return SYS_SWITCH;
	}
	for (n = 0; n < ANPU_BARRIERS; n++)
		if (s->barrier[n].arrived && barrier_complete(s, &s->barrier[n]))
			barrier_open(b, &s->barrier[n]);
	warp_settle(b, s->current / ANPU_WARP_SIZE);
	return go_on(b, fault);
}

void thread_name(const struct core_block *b, struct core_fault *fault)
{
	size_t len = strlen(fault->message), keep;
	uint64_t gp = threads_gp(b->threads, b->threads->current);
	char text[40];
	int n = snprintf(text, sizeof(text), "; thread (%u, %u, %u)", (unsigned int)gp & 0xffff,
			 (unsigned int)(gp >> 16) & 0xffff, (unsigned int)(gp >> 32) & 0xffff);

	keep = sizeof(fault->message) - 1 - (size_t)n;
	if (len > keep)
		len = keep;
	memcpy(fault->message + len, text, (size_t)n + 1);
}

/* Operations ------------------------------------------------------------------------------------------- */

static enum sys_result spawn(struct core_block *b, const struct insn *i, struct core_fault *fault)
{
	uint64_t d = b->x[i->rs1];
	uint32_t dim[3] = { d & 0xffff, d >> 16 & 0xffff, d >> 32 & 0xffff };
	uint64_t product = (uint64_t)dim[0] * dim[1] * dim[2];
	struct anpu_spawn s;
	struct context parent;

	if (b->threads || d >> 48 || !product || product > ANPU_MAX_SPAWN) {
		core_fail(fault, ANPU_FAULT_OPERAND,
			  b->threads ? "SPAWN: a thread, which threads do not start" :
			  "SPAWN: %ux%ux%u threads; 1 to %u in all", dim[0], dim[1], dim[2],
			  ANPU_MAX_SPAWN);
		return SYS_FAULT;
	}
	if (!mem_read(b, b->x[i->rs2], sizeof(s), &s, fault))
		return SYS_FAULT;
	if (s.pc & 3) {
		core_fail(fault, ANPU_FAULT_OPERAND, "SPAWN: entry 0x%llx is not 4-byte aligned",
			  (unsigned long long)s.pc);
		return SYS_FAULT;
	}
	b->x[i->rd] = 0;
	b->pc += 4;
	save(b, &parent);
	clear(b->x, sizeof(b->x));
	b->x[1] = ANPU_EXIT_PC;
	b->x[10] = s.arg;
	b->pc = s.pc;
	if (!threads_begin(b, dim)) {
		restore(b, &parent);
		core_fail(fault, ANPU_FAULT_INTERNAL, "no host memory for threads");
		return SYS_FAULT;
	}
	b->threads->spawned = true;
	b->threads->parent = parent;
	return SYS_SWITCH;
}

static enum sys_result warp(struct core_block *b, const struct insn *i, struct core_fault *fault)
{
	bool done;

	if (!warp_arrive(b, i, fault, &done))
		return SYS_FAULT;
	return done ? SYS_NEXT : wait_for(b, i, fault);
}

/* Operations that concern other blocks: a thread that waits there lets its whole block wait. */
static enum sys_result between_blocks(struct core_block *b, const struct insn *i, enum sys_result r)
{
	if (r != SYS_NEXT && r != SYS_LEAVE)
		return r;
	b->x[i->rd] = 0;
	if (unlikely(b->check))
		check_barrier(b);
	return r;
}

enum sys_result thread_exec(struct core_block *b, const struct insn *i, struct core_fault *fault)
{
	switch (i->imm) {
	case ANPU_THREAD_BAR: return barrier(b, i, fault);
	case ANPU_THREAD_WSYNC: case ANPU_THREAD_SHFL: case ANPU_THREAD_VOTE: case ANPU_THREAD_MATCH:
	case ANPU_THREAD_REDUCE: case ANPU_THREAD_ACTIVE:
		return warp(b, i, fault);
	case ANPU_THREAD_YIELD:
		b->x[i->rd] = 0;
		if (!b->threads || next_ready(b->threads) < 0)
			return SYS_NEXT;
		b->pc += 4;
		thread_yield(b);
		return SYS_SWITCH;
	case ANPU_THREAD_SPAWN: return spawn(b, i, fault);
	case ANPU_THREAD_CLUSTER: return between_blocks(b, i, cluster_barrier(b, b->x[i->rs1], fault));
	case ANPU_THREAD_TRIGGER: return between_blocks(b, i, sync_trigger(b));
	case ANPU_THREAD_GRIDWAIT: return between_blocks(b, i, sync_front(b));
	default:
		core_fail(fault, ANPU_FAULT_ILLEGAL, "custom-1 operation %u of threads does not exist",
			  (unsigned int)i->imm);
		return SYS_FAULT;
	}
}
