// SPDX-License-Identifier: MIT
/* Blocks as gdb has them: when they run, when they stand, what stops them. Called by the threads that run blocks. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <anpu/anpu_isa.h>

#include "stub.h"

#define LOOK_NS		20000000L	/* between two looks whether a block that stands has to end */
#define HOLD_NS		1000000L	/* that a block which is not to run now keeps its thread */
#define STEPS		4096		/* instructions between two looks at the clock and at other threads */

/* Stops ------------------------------------------------------------------------------------------ */

void gdb_wake(struct gdb *g)
{
	uint64_t one = 1;

	/* it cannot fail: an eventfd that is full is readable */
	(void)!write(g->wake, &one, sizeof(one));
}

void gdb_stop(struct gdb *g, struct gdb_block *u, int signal, const char *fmt, ...)
{
	va_list ap;

	if (g->stopped)
		return;
	g->stopped = true;
	g->announce = true;
	g->at = u;
	g->at_thread = u ? core_block_current(u->b) : 0;
	g->shown = NULL;
	g->signal = signal;
	g->hit = 0;
	g->broke = false;
	g->library = false;
	va_start(ap, fmt);
	vsnprintf(g->why, sizeof(g->why), fmt, ap);
	va_end(ap);
	gdb_wake(g);
}

void gdb_resume(struct gdb *g)
{
	g->stopped = false;
	g->announce = false;
	g->at = NULL;
	pthread_cond_broadcast(&g->changed);
}

void gdb_release(struct gdb *g)
{
	g->connected = false;
	g->waits = false;
	g->each_launch = false;
	g->next_launch = false;
	g->watches = 0;
	memset(g->watch, 0, sizeof(g->watch));
	g->breaks.n = 0;
	g->breaks.serial = 0;
	g->rest = ACT_GO;
	for (struct gdb_block *u = g->blocks; u; u = u->next)
		u->action = ACT_GO;
	gdb_resume(g);
}

bool gdb_attends(struct gdb *g)
{
	bool attends;

	pthread_mutex_lock(&g->lock);
	attends = g->connected || g->waits || g->stopped;
	pthread_mutex_unlock(&g->lock);
	return attends;
}

/* Numbers ---------------------------------------------------------------------------------------- */

void gdb_number(struct gdb *g, struct gdb_block *u)
{
	unsigned int n = core_block_threads(u->b);

	n = n ? n : 1;
	if (u->number && u->threads == n)
		return;
	u->number = g->next_number;
	u->threads = n;
	g->next_number += n;
}

struct gdb_block *gdb_find(struct gdb *g, unsigned int n, unsigned int *thread)
{
	for (struct gdb_block *u = g->blocks; u; u = u->next) {
		if (n - u->number >= u->threads || !u->number)
			continue;
		*thread = n - u->number;
		return u;
	}
	return NULL;
}

/* Life ------------------------------------------------------------------------------------------- */

void gdb_look_gone(struct gdb *g)
{
	if (!atomic_exchange(&g->any_gone, 0))
		return;
	for (uint32_t i = 0; i < ANPU_MAX_ASIDS / 64; i++) {
		uint64_t bits = atomic_exchange(&g->gone[i], 0);

		for (; bits; bits &= bits - 1) {
			uint32_t space = 64 * i + (uint32_t)__builtin_ctzll(bits);

			gdb_drop_code(g, space);
			if (!g->program || g->program != space)
				continue;
			g->program = 0;
			g->over = true;
			gdb_wake(g);
		}
	}
}

void gdb_space_gone(struct gdb *g, uint32_t space)
{
	atomic_fetch_or(&g->gone[space / 64], 1ULL << space % 64);
	atomic_store(&g->any_gone, 1);
	gdb_wake(g);
}

/* Is the block one of gdb's program, which it may be the first of? */
static bool choose_program(struct gdb *g, const struct gdb_place *place)
{
	bool is;

	if (!g->config.several)
		return true;
	pthread_mutex_lock(&g->lock);
	gdb_look_gone(g);
	if (!g->program && (g->config.wait == GDB_WAIT_LAUNCH || g->connected || place->fails))
		g->program = place->space;
	is = g->program == place->space;
	pthread_mutex_unlock(&g->lock);
	return is;
}

void gdb_begins(struct gdb *g, struct core_block *b, const struct gdb_place *place)
{
	struct gdb_block *u = calloc(1, sizeof(*u));

	if (!u)
		return;
	if (!choose_program(g, place)) {
		free(u);
		return;
	}
	u->g = g;
	u->b = b;
	u->place = *place;
	u->fresh = place->first;
	core_block_set_tool(b, u);
	pthread_mutex_lock(&g->lock);
	gdb_number(g, u);
	g->space = place->space;
	u->action = g->connected ? g->rest : ACT_GO;
	u->prev = g->last;
	*(g->last ? &g->last->next : &g->blocks) = u;
	g->last = u;
	pthread_mutex_unlock(&g->lock);
}

void gdb_ends(struct core_block *b)
{
	struct gdb_block *u = core_block_tool(b);
	struct gdb *g;

	if (!u)
		return;
	g = u->g;
	pthread_mutex_lock(&g->lock);
	*(u->prev ? &u->prev->next : &g->blocks) = u->next;
	*(u->next ? &u->next->prev : &g->last) = u->prev;
	if (g->at == u)
		g->at = NULL;
	if (g->shown == u)
		g->shown = NULL;
	/* a step that ends the block has nothing to stop in: gdb gets the next one that is there */
	if (u->action == ACT_STEP && g->connected)
		gdb_stop(g, g->blocks, SIG_TRAP, "the block has ended\n");
	pthread_mutex_unlock(&g->lock);
	core_block_set_tool(b, NULL);
	free(u);
}

/* Turns ------------------------------------------------------------------------------------------ */

static void wait_for_change(struct gdb *g, long ns)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += ns;
	until.tv_sec += until.tv_nsec / 1000000000L;
	until.tv_nsec %= 1000000000L;
	pthread_cond_timedwait(&g->changed, &g->lock, &until);
}

/* The user may not know yet that something waits */
static void tell_waiting(struct gdb *g, const char *what)
{
	char text[300];

	if (g->told || g->connected)
		return;
	g->told = true;
	snprintf(text, sizeof(text), "gdb: %s, and waits: gdb-multiarch -ex 'target remote :%u' -ex sharedlibrary", what, g->config.port);
	if (!g->config.streams)
		g->ops.note(g->ctx, text);
}

/* Lock held: @u stands until nothing stops it. Return: false: it has to end */
static bool stand(struct gdb *g, bool (*ends)(void *arg), void *arg)
{
	while (g->stopped || (g->waits && !g->connected)) {
		if (ends(arg))
			return false;
		wait_for_change(g, LOOK_NS);
	}
	return true;
}

/* Lock held: as stand(), but of several programs the others get the thread meanwhile. Return: false: not now */
static bool stand_aside(struct gdb *g, bool (*ends)(void *arg), void *arg)
{
	if (!g->config.several)
		return stand(g, ends, arg);
	if ((g->stopped || (g->waits && !g->connected)) && !ends(arg))
		wait_for_change(g, HOLD_NS);
	return !g->stopped && !(g->waits && !g->connected);
}

bool gdb_turn(struct core_block *b, bool (*ends)(void *arg), void *arg)
{
	struct gdb_block *u = core_block_tool(b);
	struct gdb *g;
	bool go;

	if (!u)
		return true;
	g = u->g;
	pthread_mutex_lock(&g->lock);
	if (g->waits)
		tell_waiting(g, "the first operator is about to begin");
	go = stand_aside(g, ends, arg);
	if (go && u->fresh && g->connected && (g->each_launch || g->next_launch)) {
		g->next_launch = false;
		gdb_stop(g, u, SIG_TRAP, "launch: queue %u, task %u\n", u->place.queue, u->place.task);
		u->fresh = false;
		go = stand_aside(g, ends, arg);
	}
	if (go && u->action == ACT_STAND) {
		wait_for_change(g, HOLD_NS);
		go = u->action != ACT_STAND && !g->stopped;
	}
	if (go) {
		core_block_attend(b, &g->breaks);
		u->fresh = false;
		u->free = !g->connected;
		u->inside = true;
		g->inside++;
	}
	pthread_mutex_unlock(&g->lock);
	return go;
}

/* Lock held */
static void comes_out(struct gdb_block *u)
{
	if (!u->inside)
		return;
	u->inside = false;
	if (!--u->g->inside)
		pthread_cond_broadcast(&u->g->changed);
}

void gdb_left(struct core_block *b)
{
	struct gdb_block *u = core_block_tool(b);

	if (!u)
		return;
	pthread_mutex_lock(&u->g->lock);
	comes_out(u);
	pthread_mutex_unlock(&u->g->lock);
}

/* Running ---------------------------------------------------------------------------------------- */

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000ULL + (uint64_t)t.tv_nsec;
}

/* An address whose contents are others than at the last look; 0: none */
static uint64_t changed_word(struct gdb *g, struct core_block *b, struct mmu *mmu)
{
	uint8_t now[WATCH_BYTES];
	uint64_t hit = 0;

	for (struct watch *w = g->watch; w < g->watch + WATCHES; w++) {
		if (!w->size || (w->of && w->of != b) || !core_block_peek(b, mmu, w->va, w->size, now) || !memcmp(now, w->old, w->size))
			continue;
		memcpy(w->old, now, w->size);
		hit = w->va;
	}
	return hit;
}

static bool at_break(const struct gdb *g, const struct core_block *b)
{
	struct core_state s;
	unsigned int i = 0;

	core_block_state(b, &s);
	while (i < g->breaks.n && g->breaks.pc[i] != s.pc)
		i++;
	return i < g->breaks.n;
}

/* Instruction by instruction, as long as no watched word changes */
static enum core_result run_watched(struct gdb *g, struct core_block *b, struct mmu *mmu, uint64_t budget,
				    struct core_fault *fault, uint64_t *hit)
{
	uint64_t until = now_ns() + budget;
	enum core_result r;
	unsigned int n = 0;

	*hit = 0;
	do {
		if (n && at_break(g, b))
			return CORE_MORE;
		r = core_block_step(b, mmu, fault);
		if (r != CORE_DONE)
			*hit = changed_word(g, b, mmu);
		if (r != CORE_MORE || *hit)
			return r;
		if (!(++n % STEPS))
			core_block_yield(b);
	} while (n % STEPS || now_ns() < until);
	return r;
}

/* Thread @u->step executes instructions until its pc is outside of the range; *@done: it has */
static enum core_result run_steps(struct gdb_block *u, struct mmu *mmu, uint64_t budget, struct core_fault *fault, bool *done,
				  uint64_t *hit)
{
	uint64_t until = now_ns() + budget;
	struct core_state s;
	enum core_result r;
	unsigned int n = 0;
	bool mine;

	*hit = 0;
	*done = false;
	do {
		/* while it waits for other threads, these run */
		mine = core_block_choose(u->b, u->step);
		r = core_block_step(u->b, mmu, fault);
		if (u->g->watches && r != CORE_DONE)
			*hit = changed_word(u->g, u->b, mmu);
		if (r != CORE_MORE || *hit)
			return r;
		*done = mine && (!core_block_thread(u->b, u->step, &s) || s.pc < u->from || s.pc >= u->to);
		/* others may have to do something, for which it looks again and again */
		if (!(++n % STEPS))
			core_block_yield(u->b);
	} while (!*done && (n % STEPS || now_ns() < until));
	return r;
}

/* Lock held: does what has come out of a run stop all? */
static void judge(struct gdb_block *u, enum core_result r, bool stepped, uint64_t hit)
{
	struct gdb *g = u->g;

	if (hit) {
		gdb_stop(g, u, SIG_TRAP, "%s", "");
		g->hit = hit;
	} else if (stepped) {
		gdb_stop(g, u, SIG_TRAP, "%s", "");
		g->at_thread = u->step;
	} else if (r == CORE_MORE && g->breaks.n && at_break(g, u->b)) {
		/* it is met again if another one has stopped all just before */
		if (!g->stopped) {
			gdb_stop(g, u, SIG_TRAP, "%s", "");
			g->broke = true;
		}
	}
}

enum core_result gdb_run(struct core_block *b, struct mmu *mmu, uint64_t budget, struct core_fault *fault)
{
	struct gdb_block *u = core_block_tool(b);
	enum core_result r;
	uint64_t hit = 0;
	bool stepped = false;
	struct gdb *g;

	if (!u)
		return core_block_run(b, mmu, budget, fault);
	g = u->g;
	/* while it is inside, nobody changes what gdb wants: that happens when all have come out */
	if (u->free)
		r = core_block_run(b, mmu, budget, fault);
	else if (u->action == ACT_STEP)
		r = run_steps(u, mmu, budget, fault, &stepped, &hit);
	else if (g->watches)
		r = run_watched(g, b, mmu, budget, fault, &hit);
	else
		r = core_block_run(b, mmu, budget, fault);
	pthread_mutex_lock(&g->lock);
	if (!u->free && r != CORE_FAULT)
		judge(u, r, stepped, hit);
	comes_out(u);
	pthread_mutex_unlock(&g->lock);
	return r;
}

/* Faults ----------------------------------------------------------------------------------------- */

int gdb_signal(uint32_t cause)
{
	switch (cause) {
	case ANPU_FAULT_ILLEGAL:
		return SIG_ILL;
	case ANPU_FAULT_BREAKPOINT:
	case ANPU_FAULT_TRAP:
		return SIG_TRAP;
	case ANPU_FAULT_ASSERT:
		return SIG_ABRT;
	case ANPU_FAULT_TIMEOUT:
	case ANPU_FAULT_DEADLOCK:
		return SIG_XCPU;
	default:
		return SIG_SEGV;
	}
}

void gdb_failed(struct core_block *b, const struct core_fault *fault, bool (*ends)(void *arg), void *arg)
{
	struct gdb_block *u = core_block_tool(b);
	struct core_state s;
	bool waits = true;
	struct gdb *g;

	if (!u || fault->cause == ANPU_FAULT_KILLED || fault->cause == ANPU_FAULT_ENDED)
		return;
	g = u->g;
	core_block_state(b, &s);
	pthread_mutex_lock(&g->lock);
	comes_out(u);
	u->fault = fault;
	u->action = ACT_GO;
	if (g->config.wait == GDB_WAIT_FAULT && !g->told && !g->connected) {
		/* the gdb that comes is shown this block, see gdb_connected() */
		g->waits = true;
		tell_waiting(g, "an operator fails");
		stand(g, ends, arg);
	} else {
		while (waits && g->stopped)
			waits = stand(g, ends, arg);
		if (waits && g->connected) {
			gdb_stop(g, u, gdb_signal(fault->cause), "the operator fails in block %u: %s\n", s.block, fault->message);
			stand(g, ends, arg);
		}
	}
	u->fault = NULL;
	pthread_mutex_unlock(&g->lock);
}
