// SPDX-License-Identifier: MIT
/*
 * The scheduler: a launch's blocks on one thread or several, as the device does it. A unit is a
 * block, or a sub-block of a MIX kernel. Units start in order; one that waits for others goes to
 * the end of a queue and is tried again when its kernel has made progress. One thread alone
 * therefore does the same in the same order every time, but for units that run for a tenth of a second
 * and let others run then.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <anpu/anpu_isa.h>

#include "op/run.h"

#define BUDGET_NS 2000000
/*
 * How many times a unit's budget may end before others run: it may wait for them by looking at
 * memory
 */
#define TURNS 50
#define TURNS_STEPPING 20000
/* Steps between two looks at the time limit */
#define STEPS 1024
/*
 * Units that have started and not ended before waiting ones are preferred to new ones; the core
 * allows some thousands at once.
 */
#define WINDOW 1024
/* With a deterministic clock: nanoseconds from one look to the next */
#define TICK 1000

enum next { NEXT_UNIT, NEXT_LATER, NEXT_DEADLOCK, NEXT_END };

/**
 * struct run - one launch
 * @unit: blocks that have started and not ended, NULL otherwise
 * @seen: progress of the kernel when the unit ran last
 * @queue: units that wait, from @first on, @waiting of them
 * @total: units of the launch
 * @running: units that threads are at
 * @deadline: time at which the run is too long, 0: never
 * @ticks: the deterministic clock
 */
struct run {
	struct core_kernel kernel;
	struct mmu mmu;
	const struct op_launch *launch;
	struct op_result *result;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct core_block **unit;
	uint64_t *seen;
	uint32_t *queue;
	uint32_t first;
	uint32_t waiting;
	uint32_t subs;
	uint32_t total;
	uint32_t started;
	uint32_t ended;
	uint32_t running;
	bool failed;
	uint64_t deadline;
	uint64_t ticks;
};

uint64_t op_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

uint32_t op_blocks(const struct op_launch *l)
{
	return l->grid[0] * l->grid[1] * l->grid[2];
}

static uint64_t host_clock(void *ctx)
{
	(void)ctx;
	return op_now();
}

static uint64_t own_clock(void *ctx)
{
	struct run *run = ctx;

	return run->ticks += TICK;
}

static void fault_of(struct core_fault *fault, uint32_t cause, const char *message)
{
	memset(fault, 0, sizeof(*fault));
	fault->cause = cause;
	snprintf(fault->message, sizeof(fault->message), "%s", message);
}

static bool print_text(void *ctx, struct mmu *mmu, const struct core_text *text,
		       struct core_fault *fault)
{
	struct run *run = ctx;
	bool taken;

	(void)mmu;
	pthread_mutex_lock(&run->lock);
	taken = run->launch->print(run->launch->print_ctx, text);
	pthread_mutex_unlock(&run->lock);
	if (!taken)
		fault_of(fault, ANPU_FAULT_TIMEOUT, "the operator printed more than its limit, see --output");
	return taken;
}

static void set_up_kernel(struct run *run)
{
	const struct op_launch *l = run->launch;
	struct core_kernel *k = &run->kernel;

	k->pkt.hdr.opcode = ANPU_OP_KERNEL;
	k->pkt.hdr.flags = l->flags;
	k->pkt.hdr.task_id = 1;
	k->pkt.entry = l->entry;
	k->pkt.args = l->args_size ? l->args : 0;
	k->pkt.args_size = l->args_size;
	k->pkt.grid_x = l->grid[0];
	k->pkt.grid_y = l->grid[1];
	k->pkt.grid_z = l->grid[2];
	if (l->block[0])
		k->launch = (struct anpu_kernel_launch){ .size = ANPU_LAUNCH_SIZE, .block_x = l->block[0],
							 .block_y = l->block[1], .block_z = l->block[2],
							 .static_scratch = l->static_scratch };
	k->pkt.cluster_x = (uint8_t)l->cluster[0];
	k->pkt.cluster_y = (uint8_t)l->cluster[1];
	k->pkt.cluster_z = (uint8_t)l->cluster[2];
	k->pkt.core_type = (uint8_t)l->core_type;
	k->pkt.sched_mode = l->cooperative ? ANPU_SCHED_BATCH : ANPU_SCHED_NORMAL;
	k->pkt.dyn_scratch = l->dyn_scratch;
	k->pkt.timeout_us = ANPU_TIMEOUT_NEVER;
	if (l->core_type == ANPU_CORE_MIX) {
		k->pkt.mix_ratio = (uint8_t)l->mix_ratio;
		k->pkt.aiv_entry = (int32_t)(l->aiv_entry - l->entry);
	}
	k->clock = l->deterministic ? own_clock : host_clock;
	k->clock_ctx = run;
	k->cores = l->cores;
	k->print = print_text;
	k->print_ctx = run;
	k->observer = l->observer;
}

/* Faults --------------------------------------------------------------------------------------- */

/* Called with the lock held. The first fault counts: later ones are its consequence. */
static void fail(struct run *run, uint32_t number, const struct core_fault *fault)
{
	struct op_result *r = run->result;

	if (run->failed)
		return;
	run->failed = true;
	r->fault = *fault;
	r->block = number / run->subs;
	r->sub_block = number % run->subs;
	r->core = r->block % run->launch->cores;
	atomic_store(&run->kernel.stop, 1);
}

static bool timed_out(const struct run *run, const struct core_block *b, struct core_fault *fault)
{
	if (!run->deadline || op_now() < run->deadline)
		return false;
	fault_of(fault, ANPU_FAULT_TIMEOUT, "the kernel ran longer than its limit, see --timeout");
	core_block_where(b, fault);
	return true;
}

/* A unit --------------------------------------------------------------------------------------- */

static enum core_result step(struct run *run, struct core_block *b, struct core_fault *fault)
{
	const struct op_watcher *w = run->launch->watcher;
	enum core_result r = CORE_MORE;

	for (unsigned int n = 0; n < STEPS && r == CORE_MORE; n++) {
		if (!w->before(w->ctx, b, &run->mmu))
			return core_block_run(b, &run->mmu, BUDGET_NS, fault);
		r = core_block_step(b, &run->mmu, fault);
		w->after(w->ctx, b, &run->mmu, r, fault);
	}
	return r;
}

/* Time limits do not count while a person looks */
static bool never_ends(void *arg)
{
	(void)arg;
	return false;
}

static enum core_result run_in_gdb(struct run *run, struct core_block *b, struct core_fault *fault)
{
	enum core_result r;

	if (!gdb_turn(b, never_ends, NULL))
		return CORE_MORE;
	r = gdb_run(b, &run->mmu, BUDGET_NS, fault);
	if (r == CORE_FAULT)
		gdb_failed(b, fault, never_ends, NULL);
	return r;
}

static enum core_result run_slice(struct run *run, struct core_block *b, struct core_fault *fault)
{
	if (run->launch->gdb)
		return run_in_gdb(run, b, fault);
	return run->launch->watcher ? step(run, b, fault) : core_block_run(b, &run->mmu, BUDGET_NS, fault);
}

/* Runs a unit until it ends or waits; CORE_MORE: another one has failed. */
static enum core_result run_unit(struct run *run, struct core_block *b, bool *yields, struct core_fault *fault)
{
	unsigned int turns = run->launch->watcher ? TURNS_STEPPING : TURNS;
	enum core_result r;

	do {
		r = run_slice(run, b, fault);
		if (r == CORE_MORE && atomic_load(&run->kernel.stop))
			return r;
		if (r == CORE_MORE && run->total > 1 && !--turns) {
			*yields = true;
			return r;
		}
		if (r == CORE_MORE && timed_out(run, b, fault))
			return CORE_FAULT;
	} while (r == CORE_MORE);
	return r;
}

static bool start_unit(struct run *run, uint32_t number)
{
	uint32_t block = number / run->subs;
	struct core_fault fault;

	run->unit[number] =
		core_block_new(&run->kernel, block, number % run->subs, block % run->launch->cores);
	if (run->unit[number]) {
		if (run->launch->gdb)
			gdb_begins(run->launch->gdb, run->unit[number],
				   &(struct gdb_place){ .parts = run->subs, .first = !number });
		return true;
	}
	fault_of(&fault, ANPU_FAULT_INTERNAL, "");
	snprintf(fault.message, sizeof(fault.message),
		 "no room for another block: %u have started and wait for others",
		 run->started - run->ended - 1);
	fail(run, number, &fault);
	return false;
}

/* The queue ------------------------------------------------------------------------------------ */

static void push(struct run *run, uint32_t number)
{
	run->queue[(run->first + run->waiting++) % run->total] = number;
}

static uint32_t pop(struct run *run)
{
	uint32_t number = run->queue[run->first];

	run->first = (run->first + 1) % run->total;
	run->waiting--;
	return number;
}

/* The first waiting unit whose kernel has made progress since it waits */
static bool ready(struct run *run, uint32_t *number)
{
	uint64_t progress = core_kernel_progress(&run->kernel);

	for (uint32_t n = run->waiting; n; n--) {
		*number = pop(run);
		if (run->seen[*number] != progress)
			return true;
		push(run, *number);
	}
	return false;
}

static enum next choose(struct run *run, uint32_t *number)
{
	bool more = run->started < run->total;

	if (run->failed || run->ended == run->total)
		return NEXT_END;
	if (!(more && run->started - run->ended < WINDOW) && ready(run, number))
		return NEXT_UNIT;
	if (more) {
		*number = run->started++;
		return start_unit(run, *number) ? NEXT_UNIT : NEXT_END;
	}
	return run->running ? NEXT_LATER : NEXT_DEADLOCK;
}

/* Called with the lock held, which it gives up while the unit runs. */
static void work_at(struct run *run, uint32_t number)
{
	struct core_block *b = run->unit[number];
	struct core_fault fault = { 0 };
	struct core_counts counts;
	enum core_result r;
	uint64_t start = 0, busy = 0;
	bool yields = false;

	run->seen[number] = core_kernel_progress(&run->kernel);
	run->running++;
	pthread_mutex_unlock(&run->lock);
	if (run->launch->timed)
		start = op_now();
	r = run_unit(run, b, &yields, &fault);
	if (run->launch->timed)
		busy = op_now() - start;
	pthread_mutex_lock(&run->lock);
	run->running--;
	run->result->busy_ns += busy;
	if (r == CORE_BLOCKED) {
		push(run, number);
	} else if (yields) {
		/* a unit that has not asked to wait can go on at any time */
		run->seen[number] = ~0ULL;
		push(run, number);
	} else {
		core_block_counts(b, &counts);
		run->result->insns += counts.insns;
		run->result->tiles += counts.tiles;
		run->result->overflow |= core_block_overflow(b);
		gdb_ends(b);
		core_block_free(b);
		run->unit[number] = NULL;
		run->ended++;
		if (r == CORE_FAULT)
			fail(run, number, &fault);
	}
	pthread_cond_broadcast(&run->changed);
}

static void *work(void *ctx)
{
	struct run *run = ctx;
	struct core_fault fault;
	enum next next;
	uint32_t number = 0;

	pthread_mutex_lock(&run->lock);
	while ((next = choose(run, &number)) != NEXT_END) {
		if (next == NEXT_UNIT) {
			work_at(run, number);
		} else if (next == NEXT_LATER) {
			pthread_cond_wait(&run->changed, &run->lock);
		} else {
			memset(&fault, 0, sizeof(fault));
			number = core_kernel_deadlock(&run->kernel, &fault);
			if (run->launch->gdb)
				gdb_failed(run->unit[number], &fault, never_ends, NULL);
			fail(run, number, &fault);
		}
	}
	pthread_cond_broadcast(&run->changed);
	pthread_mutex_unlock(&run->lock);
	return NULL;
}

/* A launch ------------------------------------------------------------------------------------- */

static void run_threads(struct run *run)
{
	unsigned int wanted = run->launch->watcher || run->launch->gdb ? 1 : run->launch->threads, n = 0;
	pthread_t *thread;

	if (wanted > run->total)
		wanted = run->total;
	thread = calloc(wanted, sizeof(*thread));
	/* fewer threads than wished for do the same work */
	while (thread && n + 1 < wanted && !pthread_create(&thread[n], NULL, work, run))
		n++;
	work(run);
	while (n)
		pthread_join(thread[--n], NULL);
	free(thread);
}

static bool start_run(struct run *run)
{
	struct op_result *r = run->result;
	uint64_t start;

	if (!core_kernel_init(&run->kernel, &r->fault))
		return false;
	start = op_now();
	if (run->launch->timeout > 0)
		run->deadline = start + (uint64_t)(run->launch->timeout * 1e9);
	run_threads(run);
	r->ns = op_now() - start;
	for (uint32_t i = 0; i < run->started; i++) {
		if (run->unit[i])
			gdb_ends(run->unit[i]);
		core_block_free(run->unit[i]);
	}
	core_kernel_fini(&run->kernel);
	return !run->failed;
}

bool op_run(const struct op_memory *memory, struct code_cache *code, const struct op_launch *launch,
	    struct op_result *result)
{
	struct run run = { .launch = launch, .result = result, .mmu.memory = memory };
	bool good = false;

	memset(result, 0, sizeof(*result));
	set_up_kernel(&run);
	run.kernel.code = code;
	run.subs = core_sub_blocks(&run.kernel.pkt);
	run.total = op_blocks(launch) * run.subs;
	run.unit = calloc(run.total, sizeof(*run.unit));
	run.seen = calloc(run.total, sizeof(*run.seen));
	run.queue = calloc(run.total, sizeof(*run.queue));
	pthread_mutex_init(&run.lock, NULL);
	pthread_cond_init(&run.changed, NULL);
	if (code && run.unit && run.seen && run.queue)
		good = start_run(&run);
	else
		fault_of(&result->fault, ANPU_FAULT_INTERNAL, "out of memory");
	pthread_cond_destroy(&run.changed);
	pthread_mutex_destroy(&run.lock);
	free(run.unit);
	free(run.seen);
	free(run.queue);
	return good;
}
