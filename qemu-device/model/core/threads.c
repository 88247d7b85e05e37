// SPDX-License-Identifier: MIT
/* Threads of a block: their life, who runs next, barriers of the block. See threads.h. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "amo.h"
#include "check/check.h"
#include "check/team.h"
#include "sync.h"
#include "threads.h"

_Static_assert(ANPU_BARRIERS <= 32, "struct threads.arrived has a bit for each");

#define STACKS_BYTES	((size_t)ANPU_MAX_SPAWN * STACK_STRIDE)

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
	for (unsigned int n = 0; n < STACK_PAGES * s->dirty_end; n++) {
		unsigned int page = n % STACK_PAGES, first = n / STACK_PAGES * 64;

		for (uint64_t *set = &s->dirty[page][first / 64]; *set; *set &= *set - 1) {
			size_t t = first + (unsigned int)__builtin_ctzll(*set);

			memset(s->stacks + t * STACK_STRIDE + page * PAGE_SIZE, 0, PAGE_SIZE);
		}
	}
	s->dirty_end = 0;
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
		/* the guard lies between the stacks of two threads */
		if (t == s->current + 1)
			core_fail(fault, ANPU_FAULT_STACK,
				  "0x%llx is behind the end of the stack of thread %u: an index of a local array is too large",
				  (unsigned long long)va, s->current);
		else if (t && t != s->current) /* lanes run together: nobody says which thread it is */
			core_fail(fault, ANPU_FAULT_STACK,
				  "0x%llx is between the stacks of threads %u and %u: a wrong index of a local array, or too deep a stack",
				  (unsigned long long)va, t - 1, t);
		else
			core_fail(fault, ANPU_FAULT_STACK,
				  "stack overflow: 0x%llx is below the %u KiB stack of thread %u; use less stack",
				  (unsigned long long)va, ANPU_THREAD_STACK / 1024, t);
		fault->addr = va;
		fault->size = size;
		fault->access = access;
		return NULL;
	}
	at -= ANPU_THREAD_GUARD;
	if (access == ANPU_ACCESS_WRITE) {
		bit_set(s->dirty[at / PAGE_SIZE], t);
		if (s->dirty_end <= t / 64)
			s->dirty_end = t / 64 + 1;
	}
	return s->stacks + (size_t)t * STACK_STRIDE + at;
}

uint8_t *threads_stack_line(struct core_block *b, uint64_t va, size_t n, unsigned int size, bool write)
{
	struct threads *s = b->threads;
	size_t t = (va - ANPU_THREAD_STACKS) / STACK_PIECE, end = t + n;
	uint64_t at = (va - ANPU_THREAD_STACKS) % STACK_PIECE - ANPU_THREAD_GUARD, page = at / PAGE_SIZE;

	/* what crosses the end of a page has another page to be noted, or none */
	if (end > s->count || at >= ANPU_THREAD_STACK || (at + size - 1) / PAGE_SIZE != page || t % LANES || n % LANES)
		return NULL;
	for (size_t w = t; write && w < end; w += LANES)
		s->dirty[page][w / 64] |= (uint64_t)ALL_LANES << w % 64;
	if (write && s->dirty_end < (end + 63) / 64)
		s->dirty_end = (unsigned int)((end + 63) / 64);
	return s->stacks + t * STACK_STRIDE + at;
}

/* Life --------------------------------------------------------------------------------------------- */

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
	s->lanes = lanes_wanted(b);
	s->loaded = false;
	memcpy(s->dim, dim, sizeof(s->dim));
	s->spawned = false;
	copy(s->begin.x, b->x, sizeof(b->x));
	s->begin.pc = b->pc;
	clear(s->ready, sizeof(s->ready));
	clear(s->ended, sizeof(s->ended));
	clear(s->waiting, sizeof(s->waiting));
	for (; s->arrived; s->arrived &= s->arrived - 1)
		s->barrier[__builtin_ctz(s->arrived)] = (struct thread_barrier){ 0 };
	for (n = 0; n < ANPU_MAX_SPAWN && !s->settled; n++)
		s->wait[n].op = THREAD_RUNS;
	s->settled = false;
	clear(s->grouped, sizeof(s->grouped));
	for (n = 0; n * ANPU_WARP_SIZE < s->count; n++)
		bits_put(s->ready, n, warp_alive(s, n));
	s->fresh = ~0ULL;
	s->stride = (s->count + LANES - 1) / LANES * LANES + ROW_PAD;
	s->parted = 0;
	s->wide = false;
	if (unlikely(b->check))
		check_team_begin(b, s->count);
	if (s->lanes)
		wide_begin(s);
	else
		thread_load(b, 0);
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

int threads_ready(const struct threads *s)
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

void thread_load(struct core_block *b, unsigned int t)
{
	struct threads *s = b->threads;

	bit_clear(s->ready, t);
	s->current = t;
	s->loaded = true;
	amo_forget(b);
	warp_load(thread_warp(s, t / LANES), t % LANES, b);
}

/* The current thread goes on at b->pc when it runs again; it may be a lane, whose registers are where they belong. */
static void park(struct core_block *b)
{
	struct threads *s = b->threads;
	struct warp *w = thread_warp(s, s->current / LANES);

	if (s->loaded) {
		warp_save(w, s->current % LANES, b);
	} else {
		warp_part(w);
		w->pc[s->current % LANES] = b->pc;
	}
	s->loaded = false;
}

void threads_alone(struct core_block *b)
{
	struct threads *s = b->threads;

	s->lanes = false;
	if (!s->loaded)
		thread_load(b, (unsigned int)threads_ready(s));
}

/* Returns the wait of thread @t, NULL: it waits for nothing. */
static const struct thread_wait *wait_of(const struct threads *s, unsigned int t)
{
	if (s->grouped[t / LANES] >> t % LANES & 1)
		return &s->group[t / LANES];
	return s->wait[t].op == THREAD_RUNS ? NULL : &s->wait[t];
}

bool threads_registers(const struct core_block *b, unsigned int t, struct core_state *state)
{
	struct threads *s = b->threads;
	const struct thread_wait *wait;
	struct warp *w;

	if (t >= s->count || bit_get(s->ended, t))
		return false;
	if (s->loaded && t == s->current)
		return true;
	w = thread_warp(s, t / LANES);
	wait = wait_of(s, t);
	for (unsigned int r = 1; r < 32; r++)
		state->x[r] = warp_value(w, r, t % LANES);
	for (unsigned int r = 0; r < 32; r++)
		state->f[r] = warp_f_value(w, r, t % LANES);
	state->pc = wait ? wait->pc : warp_pc(w, t % LANES);
	return true;
}

bool threads_choose(struct core_block *b, unsigned int t)
{
	struct threads *s = b->threads;

	if (s->loaded && t == s->current)
		return true;
	if (t >= s->count || !bit_get(s->ready, t))
		return false;
	if (s->loaded) {
		park(b);
		bit_set(s->ready, s->current);
	}
	thread_load(b, t);
	return true;
}

void threads_show(struct core_block *b, unsigned int t)
{
	if (b->threads->loaded)
		park(b);
	thread_load(b, t);
	b->pc = wait_of(b->threads, t)->pc;
}

/* Name what each kind of waiting thread waits for; the first of each, and how many there are. */
enum sys_result threads_stuck(struct core_block *b, struct core_fault *fault)
{
	struct threads *s = b->threads;
	unsigned int number[ANPU_THREAD_OP_COUNT] = { 0 }, t, op, first = s->count;
	char text[96] = "";
	size_t len = 0;

	for (t = 0; t < s->count; t++) {
		if (!wait_of(s, t))
			continue;
		number[wait_of(s, t)->op]++;
		if (first == s->count)
			first = t;
	}
	for (op = 0; op < ANPU_THREAD_OP_COUNT && len < sizeof(text); op++)
		if (number[op])
			len += (size_t)snprintf(text + len, sizeof(text) - len, "%s %u in %s",
						len ? "," : "", number[op], op_names[op]);
	core_fail(fault, ANPU_FAULT_SYNC, "no thread can run:%s, %u of %u ended; block %u", text,
		  s->count - s->live, s->count, b->block);
	if (first < s->count)
		threads_show(b, first);
	return SYS_FAULT;
}

static enum sys_result go_on(struct core_block *b, struct core_fault *fault)
{
	int t = threads_ready(b->threads);

	if (t < 0)
		return threads_stuck(b, fault);
	if (!b->threads->lanes)
		thread_load(b, (unsigned int)t);
	return SYS_SWITCH;
}

void thread_yield(struct core_block *b)
{
	struct threads *s = b->threads;
	int t = threads_ready(s);

	if (t < 0)
		return;
	park(b);
	bit_set(s->ready, s->current);
	if (!s->lanes)
		thread_load(b, (unsigned int)t);
}

void thread_release(struct core_block *b, unsigned int t, uint64_t value)
{
	struct threads *s = b->threads;

	if (s->wait[t].rd < 32)
		warp_own(&s->warp[t / LANES], s->wait[t].rd)[t % LANES] = value;
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
	park(b);
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

/* The lanes of warp @w that wait as a group, and have their result, can go on. */
static uint32_t release_group(struct threads *s, unsigned int w, uint32_t lanes)
{
	uint32_t group = lanes & s->grouped[w];

	if (!group)
		return lanes;
	s->grouped[w] = 0;
	bits_put(s->ready, w, group);
	return lanes & ~group;
}

/*
 * The checking mode: who has waited there knows what those did that have come. The thread that has come last is not among
 * them.
 */
static void check_open_barrier(struct core_block *b, const struct thread_barrier *r)
{
	const struct threads *s = b->threads;
	unsigned int n = (unsigned int)(r - s->barrier), t;

	if (!r->need && r->waits == r->arrived) {
		check_team_meets(b);
		return;
	}
	for (t = 0; t < s->count; t++)
		if (bit_get(r->waiting, t))
			check_team_leaves(b, n, t);
}

static void barrier_open(struct core_block *b, struct thread_barrier *r)
{
	struct threads *s = b->threads;

	if (unlikely(b->check))
		check_open_barrier(b, r);
	for (unsigned int w = 0; w * LANES < s->count; w++) {
		uint32_t lanes = warp_bits(r->waiting, w);

		if (!lanes)
			continue;
		for (lanes = release_group(s, w, lanes); lanes; lanes &= lanes - 1) {
			unsigned int t = w * LANES + (unsigned int)__builtin_ctz(lanes);

			thread_release(b, t, barrier_value(r, s->wait[t].rs1 >> 8 & 0xff));
		}
	}
	*r = (struct thread_barrier){ 0 };
	s->arrived &= ~(1u << (r - s->barrier));
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
	s->arrived |= 1u << (operand & 0xff);
	r->need = (unsigned int)need;
	r->arrived++;
	if (mode != ANPU_BAR_ARRIVE) {
		r->waits++;
		r->votes += vote;
	}
	if (unlikely(b->check))
		check_team_arrives(b, operand & 0xff);
	if (barrier_complete(s, r)) {
		b->x[i->rd] = barrier_value(r, mode);
		if (unlikely(b->check) && mode != ANPU_BAR_ARRIVE)
			check_team_leaves(b, operand & 0xff, s->current);
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

bool threads_arrive(struct core_block *b, unsigned int w, uint32_t lanes, unsigned int rd, uint64_t operand,
		    uint64_t pc, bool *open)
{
	struct threads *s = b->threads;
	struct thread_barrier *r = &s->barrier[operand % ANPU_BARRIERS];
	uint64_t need = operand >> 16;
	unsigned int n = (unsigned int)__builtin_popcount(lanes);

	if ((operand & 0xffff) >= ANPU_BARRIERS || need % ANPU_WARP_SIZE || need > s->count ||
	    (r->arrived && r->need != need) || (need && r->arrived + n > need) || s->grouped[w])
		return false;
	s->arrived |= 1u << operand % ANPU_BARRIERS;
	r->need = (unsigned int)need;
	r->arrived += n;
	r->waits += n;
	*open = barrier_complete(s, r);
	if (*open) {
		barrier_open(b, r);
		return true;
	}
	s->group[w] = (struct thread_wait){ ANPU_THREAD_BAR, (uint8_t)rd, operand, 0, pc };
	s->grouped[w] = lanes;
	bits_put(r->waiting, w, lanes);
	bits_take(s->ready, w, lanes);
	if (s->waiting[w])
		warp_settle(b, w);
	return true;
}

/* Ends ------------------------------------------------------------------------------------------------- */

/*
 * The checking mode: some threads wait for all, and this one has ended without them. The place is where they wait.
 */
static bool checked_end(struct core_block *b, struct core_fault *fault)
{
	const struct threads *s = b->threads;
	unsigned int t = 0;

	for (unsigned int n = 0; n < ANPU_BARRIERS; n++) {
		const struct thread_barrier *r = &s->barrier[n];

		if (!r->waits || r->need)
			continue;
		while (!bit_get(r->waiting, t))
			t++;
		core_fail(fault, ANPU_FAULT_SYNC,
			  "the thread ended while %u threads of its block wait for all in BAR %u", r->waits, n);
		b->pc = wait_of(s, t)->pc;
		return false;
	}
	return true;
}

static enum sys_result all_ended(struct core_block *b)
{
	struct threads *s = b->threads;

	s->settled = true;
	if (!s->spawned)
		return SYS_EXIT;
	restore(b, &s->parent);
	b->threads = NULL;
	return SYS_SWITCH;
}

enum sys_result threads_end_all(struct core_block *b)
{
	struct threads *s = b->threads;

	clear(s->ready, sizeof(s->ready));
	s->live = 0;
	s->loaded = false;
	return all_ended(b);
}

enum sys_result threads_end(struct core_block *b, unsigned int w, uint32_t lanes, struct core_fault *fault)
{
	struct threads *s = b->threads;
	uint32_t left;

	bits_put(s->ended, w, lanes);
	bits_take(s->ready, w, lanes);
	s->loaded = false;
	s->live -= (unsigned int)__builtin_popcount(lanes);
	if (!s->live)
		return all_ended(b);
	for (left = s->arrived; left; left &= left - 1)
		if (barrier_complete(s, &s->barrier[__builtin_ctz(left)]))
			barrier_open(b, &s->barrier[__builtin_ctz(left)]);
	warp_settle(b, w);
	return go_on(b, fault);
}

enum sys_result thread_end(struct core_block *b, struct core_fault *fault)
{
	const struct threads *s = b->threads;

	if (unlikely(b->check) && !checked_end(b, fault))
		return SYS_FAULT;
	return threads_end(b, s->current / LANES, 1u << s->current % LANES, fault);
}

void thread_name(const struct core_block *b, struct core_fault *fault)
{
	size_t len = strlen(fault->message), keep;
	uint64_t gp = thread_index(b->threads->current, b->threads->dim);
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
		if (!b->threads || threads_ready(b->threads) < 0)
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
