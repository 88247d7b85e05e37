// SPDX-License-Identifier: MIT
/*
 * Which lanes run together. See lanes.h.
 *
 * A group is the lanes of a warp that are at the same place. When its lanes part at a branch, the ones that
 * are furthest back run, until they come to where others are: compilers put the code behind an if or a loop
 * behind it, so the lanes meet there again. A poll gives the turn to another warp and another group, so that
 * lanes which wait for what others do come to an end.
 *
 * A block whose warps are all at the same place runs as one warp: see wide.c.
 */
#include <stdlib.h>

#include "../exec_ops.h"
#include "../host_sets.h"
#include "../jit/jit_int.h"
#include "../sync.h"
#include "../threads.h"

#define LANES_POLL_INSNS 1024	/* of up to 32 lanes: some microseconds */

typedef enum lanes_exit run_fn(struct lanes *g);

static atomic_int forced;	/* lanes_force() */

bool lanes_wanted(const struct core_block *b)
{
	static atomic_int wanted = -1;	/* asking twice at once does no harm */
	int answer = atomic_load_explicit(&wanted, memory_order_relaxed);

	if (answer < 0) {
		const char *mode = getenv("ANPU_LANES");

		answer = !mode || strcmp(mode, "off");
		atomic_store_explicit(&wanted, answer, memory_order_relaxed);
	}
	return answer && atomic_load_explicit(&forced, memory_order_relaxed) >= 0 && !b->check &&
	       !b->stepping && !b->attended;
}

/* The functions that this host can run, the fastest first. */
static unsigned int host_sets(run_fn *set[3])
{
	unsigned int n = 0;

#if HAVE_AVX512 && !defined(LANES_PLAIN)
	if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
	    __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
		set[n++] = lanes_run_avx512;
#endif
#if HAVE_AVX2 && !defined(LANES_PLAIN)
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2"))
		set[n++] = lanes_run_avx2;
#endif
#if HAVE_PLAIN
	set[n++] = lanes_run_plain;
#endif
	if (!n)
		host_unknown();
	return n;
}

static run_fn *host_run(void)
{
	int n = atomic_load_explicit(&forced, memory_order_relaxed);
	run_fn *set[3];

	host_sets(set);
	return set[n < 0 ? 0 : n];
}

unsigned int lanes_sets(void)
{
	run_fn *set[3];

	return host_sets(set);
}

void lanes_force(int set)
{
	atomic_store(&forced, set);
}

/* Code ------------------------------------------------------------------------------------------------ */

static void decode(struct lane_insn *to, uint64_t pc, uint32_t word)
{
	struct jinsn i = { .pc = pc, .word = word };
	unsigned int flags;

	jinsn_decode(&i);
	flags = jinsn_flags(&i);
	*to = (struct lane_insn){ (uint8_t)i.op, i.d.rd, i.d.rs1, i.d.rs2, i.d.rs3, i.d.imm };
	if (i.op == OP_fp_slow || i.op >= JOP_FIRST) {
		to->rd = word >> 7 & 31;
		to->rs1 = word >> 15 & 31;
		to->rs2 = word >> 20 & 31;
		to->rs3 = word >> 25 & 3;
		to->imm = i.op == OP_fp_slow ? (flags & OP_XD) != 0 : (int32_t)(word >> 12 & 7);
	}
	if (flags & OP_XD && !to->rd)
		to->rd = 32;
}

static const struct lane_page *lane_page(struct code_page *page)
{
	struct lane_page *p = atomic_load_explicit(&page->lanes, memory_order_acquire), *mine;
	unsigned int n;

	if (likely(p))
		return p;
	mine = malloc(sizeof(*mine));
	if (!mine)
		return NULL;
	for (n = 0; n < PAGE_INSNS; n++)
		decode(&mine->insn[n], page->va + 4ull * n, page->raw[n]);
	mine->insn[n] = (struct lane_insn){ .op = OP_page_end };
	if (atomic_compare_exchange_strong(&page->lanes, &p, mine))
		return mine;
	free(mine);
	return p;
}

static bool find_code(struct lanes *g)
{
	struct core_block *b = g->b;
	struct code_page *page = code_page_find(b->kernel->code, b->gen, b->mmu, g->pc, g->fault);

	if (!page)
		return false;
	g->page = page;
	g->code = lane_page(page);
	return g->code || core_fail(g->fault, ANPU_FAULT_INTERNAL, "no host memory to decode code");
}

/* Groups ---------------------------------------------------------------------------------------------- */

/* The lanes in @ready that are at the lowest place, or at that of the lane whose turn it is. */
static void choose_part(struct lanes *g, uint32_t ready)
{
	struct warp *w = g->w;
	uint64_t pc = ~0ULL;
	uint32_t left;

	g->mask = 0;
	g->join = ~0ULL;
	for (left = ready; left; left &= left - 1)
		if (w->pc[__builtin_ctz(left)] < pc)
			pc = w->pc[__builtin_ctz(left)];
	if (w->turn && ready >> (w->turn - 1) & 1)
		pc = w->pc[w->turn - 1];
	w->turn = 0;
	for (left = ready; left; left &= left - 1) {
		unsigned int l = (unsigned int)__builtin_ctz(left);

		if (w->pc[l] == pc)
			g->mask |= 1u << l;
		else if (w->pc[l] > pc && w->pc[l] < g->join)
			g->join = w->pc[l];
	}
	g->pc = pc;
}

/* The group of warp @n that runs next. */
static void choose(struct lanes *g, unsigned int n)
{
	struct threads *s = g->b->threads;
	uint32_t ready = warp_bits(s->ready, n), before = g->mask;

	g->w = thread_warp(s, n);
	if (g->w->together) {
		g->mask = ready;
		g->pc = g->w->at;
		g->join = ~0ULL;
	} else {
		choose_part(g, ready);
	}
	g->whole = !(warp_alive(s, n) & ~g->mask);
	if (g->mask == before)
		return;
	g->count = (unsigned int)__builtin_popcount(g->mask);
	for (unsigned int l = 0; l < LANES; l++)
		g->on[l] = g->mask >> l & 1 ? ~0ULL : 0;
}

/* All lanes of the group are at @pc. */
static void place(struct lanes *g, uint64_t pc)
{
	struct warp *w = g->w;

	if (g->whole) {
		w->together = true;
		w->at = pc;
		return;
	}
	warp_part(w);
	for (uint32_t left = g->mask; left; left &= left - 1)
		w->pc[__builtin_ctz(left)] = pc;
}

/* The warp behind @n, @n itself comes last, that has lanes which can run. There is one. */
static unsigned int next_warp(const struct threads *s, unsigned int n)
{
	do
		n = (n + 1) % MAX_WARPS;
	while (!warp_bits(s->ready, n));
	return n;
}

/* Let another group of the warp have its turn, if there is one. */
static void give_turn(struct lanes *g, uint32_t ready)
{
	uint32_t others = ready & ~g->mask;
	unsigned int last = 31 - (unsigned int)__builtin_clz(g->mask);
	uint32_t behind = others & ~((2u << last) - 1);

	if (others)
		g->w->turn = (uint8_t)(__builtin_ctz(behind ? behind : others) + 1);
}

/* Operations of threads --------------------------------------------------------------------------------- */

static const struct lane_insn *insn_at(const struct lanes *g)
{
	return &g->code->insn[(g->pc & (PAGE_SIZE - 1)) / 4];
}

/* Lane after lane: each has its operands and its result in registers of the block. */
static enum sys_result one_by_one(struct lanes *g, unsigned int n)
{
	struct core_block *b = g->b;
	struct threads *s = b->threads;
	const struct lane_insn *i = insn_at(g);
	struct insn insn = { .rd = i->rd, .rs1 = i->rs1, .rs2 = i->rs2, .imm = i->imm };
	enum sys_result r = SYS_SWITCH;

	place(g, g->pc);
	warp_part(g->w);
	for (uint32_t left = g->mask; left && r != SYS_FAULT; left &= left - 1) {
		unsigned int l = (unsigned int)__builtin_ctz(left);

		s->current = n * LANES + l;
		bit_clear(s->ready, s->current);
		if (i->rs1)
			b->x[i->rs1] = warp_value(g->w, i->rs1, l);
		if (i->rs2)
			b->x[i->rs2] = warp_value(g->w, i->rs2, l);
		b->pc = g->pc;
		r = thread_exec(b, &insn, g->fault);
		if (r == SYS_NEXT) {
			if (i->rd < 32)
				warp_own(g->w, i->rd)[l] = b->x[i->rd];
			g->w->pc[l] = g->pc + 4;
			bit_set(s->ready, s->current);
		}
	}
	return r;
}

/* x[@rd] becomes @v in the lanes of the group, NULL: zero. */
static void put_results(struct lanes *g, unsigned int rd, const uint64_t *v)
{
	uint64_t *d;

	if (rd == 32)
		return;
	if (!v && g->whole) {
		set_line(g->w, rd, 0, 0);
		return;
	}
	d = warp_own(g->w, rd);
	for (uint32_t left = g->mask; left; left &= left - 1)
		d[__builtin_ctz(left)] = v ? v[__builtin_ctz(left)] : 0;
}

/* BAR with the same operand in all lanes. */
static bool barrier(struct lanes *g, unsigned int n, enum sys_result *r)
{
	const struct lane_insn *i = insn_at(g);
	uint64_t operand = warp_value(g->w, i->rs1, (unsigned int)__builtin_ctz(g->mask));
	bool same = g->w->line[i->rs1] && !g->w->step[i->rs1], open;

	for (uint32_t left = same ? 0 : g->mask; left; left &= left - 1)
		if (warp_value(g->w, i->rs1, (unsigned int)__builtin_ctz(left)) != operand)
			return false;
	if (!threads_arrive(g->b, n, g->mask, i->rd, operand, g->pc, &open))
		return false;
	put_results(g, i->rd, NULL);
	place(g, g->pc + 4);
	if (open)
		wide_join(g->b->threads);
	*r = open || threads_ready(g->b->threads) >= 0 ? SYS_SWITCH : threads_stuck(g->b, g->fault);
	return true;
}

static enum sys_result operation(struct lanes *g, unsigned int n)
{
	const struct lane_insn *i = insn_at(g);
	enum sys_result r;
	lane_row out;

	g->b->retired += g->count;
	g->left--;
	g->delay += COST_THREAD;
	switch (i->imm) {
	case ANPU_THREAD_BAR:
		return barrier(g, n, &r) ? r : one_by_one(g, n);
	case ANPU_THREAD_YIELD:
		put_results(g, i->rd, NULL);
		place(g, g->pc + 4);
		give_turn(g, warp_bits(g->b->threads->ready, n));
		return SYS_NEXT;
	default:
		if (!warp_together(g->b->threads, n, g->mask, (unsigned int)i->imm, warp_row(g->w, i->rs1),
				   warp_row(g->w, i->rs2), out))
			return one_by_one(g, n);
		put_results(g, i->rd, out);
		place(g, g->pc + 4);
		return SYS_SWITCH;
	}
}

/* The operations that concern other blocks, and SPAWN, which threads may not: a thread does them alone. */
static bool is_for_lanes(const struct lane_insn *i)
{
	return i->imm == ANPU_THREAD_BAR || i->imm == ANPU_THREAD_YIELD ||
	       (i->imm >= ANPU_THREAD_WSYNC && i->imm <= ANPU_THREAD_ACTIVE);
}

/* Running --------------------------------------------------------------------------------------------------- */

/* The block fails in lane @l of warp @n, at the group's place. */
static enum core_result fail(struct lanes *g, unsigned int n, unsigned int l)
{
	thread_load(g->b, n * LANES + l);
	g->b->pc = g->pc;
	g->fault->pc = g->pc;
	return CORE_FAULT;
}

static enum core_result fail_insn(struct lanes *g, unsigned int n, unsigned int l)
{
	g->fault->insn = g->page->raw[(g->pc & (PAGE_SIZE - 1)) / 4];
	return fail(g, n, l);
}

/* Is there time left? Takes note of what has changed meanwhile. */
static bool poll(struct core_block *b, uint64_t *deadline, uint64_t budget)
{
	struct core_kernel *k = b->kernel;
	uint64_t now;

	if (atomic_load_explicit(&k->stop, memory_order_relaxed))
		return false;
	now = k->clock(k->clock_ctx);
	if (!*deadline)
		*deadline = now + budget;
	if (now >= *deadline)
		return false;
	if (mmu_poll(b->mmu))
		tlb_flush(b);
	if (unlikely(atomic_load_explicit(&k->code->serial, memory_order_relaxed) != b->gen_serial)) {
		if (!sync_kept(k, b->gen))
			code_gen_put(k->code, b->gen);
		b->gen = code_gen_get(k->code, &b->gen_serial);
	}
	return true;
}

/* Run the group until it needs a decision; at the end of the program g->pc is ANPU_EXIT_PC. */
static enum lanes_exit run_group(struct lanes *g, run_fn *run)
{
	enum lanes_exit r;

	do {
		g->begun = g->left;
		if (g->pc == ANPU_EXIT_PC)
			return LANES_JUMP;
		if (!find_code(g)) {
			g->bad = NO_LANE;
			return LANES_FAULT;
		}
		r = run(g);
		g->b->retired += (uint64_t)(g->begun - g->left) * g->count;
	} while (r == LANES_JUMP && g->left > g->delay);
	return r == LANES_JUMP && g->pc != ANPU_EXIT_PC ? LANES_POLL : r;
}

/* A thread of the group goes on alone. */
static enum core_result go_alone(struct lanes *g, unsigned int n)
{
	place(g, g->pc);
	thread_load(g->b, n * LANES + (unsigned int)__builtin_ctz(g->mask));
	return CORE_SWITCH;
}

/* A block that does not run shows the registers of the thread that goes on first. */
static enum core_result more(struct core_block *b, unsigned int n)
{
	struct threads *s = b->threads;

	if (s->wide) {
		s->current = 0;
		warp_load(&s->all, 0, b);
		return CORE_MORE;
	}
	if (!warp_bits(s->ready, n))
		n = next_warp(s, n);
	s->current = n * LANES + (unsigned int)__builtin_ctz(warp_bits(s->ready, n));
	warp_load(thread_warp(s, n), s->current % LANES, b);
	return CORE_MORE;
}

/* The block goes on without threads, or ends, if no thread is left. Return: true: its run returns *@result */
static bool ended(struct core_block *b, enum sys_result s, enum core_result *result)
{
	if (s == SYS_EXIT)
		b->pc = ANPU_EXIT_PC;
	else if (b->threads)
		return false;
	*result = s == SYS_EXIT ? CORE_DONE : CORE_SWITCH;
	return true;
}

/* Decides how the block goes on after a group has stopped; true: it does not, and its run returns *@result. */
static bool decide(struct lanes *g, unsigned int *n, enum lanes_exit r, enum core_result *result)
{
	enum sys_result s;

	switch (r) {
	case LANES_SPLIT:
		return false;
	case LANES_JOIN:
		place(g, g->pc);
		return false;
	case LANES_POLL:
		place(g, g->pc);
		give_turn(g, warp_bits(g->b->threads->ready, *n));
		*n = next_warp(g->b->threads, *n);
		return false;
	case LANES_FAULT:
		*result = g->bad == NO_LANE ? fail(g, *n, (unsigned int)__builtin_ctz(g->mask)) :
			  fail_insn(g, *n, g->bad);
		return true;
	case LANES_STEP:
		*result = go_alone(g, *n);
		return true;
	case LANES_THREAD:
		if (!is_for_lanes(insn_at(g))) {
			*result = go_alone(g, *n);
			return true;
		}
		s = operation(g, *n);
		if (s == SYS_NEXT)
			*n = next_warp(g->b->threads, *n);
		break;
	case LANES_JUMP:
		s = threads_end(g->b, *n, g->mask, g->fault);
		if (ended(g->b, s, result))
			return true;
		break;
	default:
		__builtin_unreachable();
	}
	if (s != SYS_FAULT)
		return false;
	if (!g->b->threads->loaded) {
		*result = fail_insn(g, *n, g->b->threads->current % LANES);
		return true;
	}
	g->fault->pc = g->b->pc;
	*result = CORE_FAULT;
	return true;
}

/* All warps of a block as one --------------------------------------------------------------------------------- */

static void choose_all(struct lanes *g)
{
	struct threads *s = g->b->threads;

	g->w = &s->all;
	g->mask = ALL_LANES;
	g->whole = true;
	g->count = s->count;
	g->pc = s->all.at;
	g->join = ~0ULL;
}

/* BAR of the block to which all threads come at once: none of them waits. Return: false: it is something else. */
static bool barrier_of_all(struct lanes *g)
{
	const struct lane_insn *i = insn_at(g);
	const struct warp *w = g->w;
	uint64_t operand = w->base[i->rs1], need = operand >> 16;
	struct threads *s = g->b->threads;

	if (i->imm != ANPU_THREAD_BAR || !w->line[i->rs1] || w->step[i->rs1] || (operand & 0xffff) >= ANPU_BARRIERS ||
	    (need && need != s->count) || s->arrived >> operand % ANPU_BARRIERS & 1)
		return false;
	g->b->retired += g->count;
	g->left--;
	g->delay += COST_THREAD;
	set_line(g->w, i->rd, 0, 0);
	g->w->at = g->pc + 4;
	return true;
}

/* As decide(), for the group of all threads. */
static bool decide_all(struct lanes *g, enum lanes_exit r, enum core_result *result)
{
	struct core_block *b = g->b;

	g->w->at = g->pc;
	g->mask = 0;
	switch (r) {
	case LANES_POLL:
		return false;
	case LANES_JUMP:
		return ended(b, threads_end_all(b), result);
	case LANES_FAULT:
		wide_part(b->threads);
		*result = g->bad == NO_LANE ? fail(g, 0, 0) : fail_insn(g, g->bad / LANES, g->bad % LANES);
		return true;
	case LANES_THREAD:
		if (barrier_of_all(g))
			return false;
		break;
	default:
		break;
	}
	wide_part(b->threads);
	return false;
}

/* Instructions until the next poll: fewer if they are for more lanes. */
static int64_t turn_of(const struct core_block *b)
{
	return b->threads->wide ? LANES_POLL_INSNS * LANES / b->threads->count : LANES_POLL_INSNS;
}

enum core_result lanes_run(struct core_block *b, uint64_t *deadline, uint64_t budget, struct core_fault *fault)
{
	struct lanes g;
	struct threads *s = b->threads;
	run_fn *run = host_run();
	unsigned int n = s->current / LANES;
	enum core_result result;
	enum lanes_exit r;
	bool in_time = true, wide;

	/* choose() fills the rest, which is long */
	clear(&g, offsetof(struct lanes, on));
	g.b = b;
	g.fault = fault;
	g.left = turn_of(b);
	do {
		wide = s->wide;
		if (wide) {
			choose_all(&g);
		} else {
			if (!warp_bits(s->ready, n))
				n = next_warp(s, n);
			choose(&g, n);
		}
		r = run_group(&g, run);
		if (r == LANES_POLL || g.left <= g.delay) {
			in_time = poll(b, deadline, budget);
			g.left = turn_of(b);
			g.delay = 0;
		}
		if (wide ? decide_all(&g, r, &result) : decide(&g, &n, r, &result))
			return result;
	} while (in_time);
	return more(b, n);
}
