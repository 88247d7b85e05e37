// SPDX-License-Identifier: MIT
/* A worker's turn with a unit of a job: a block of a kernel or a piece of a copy. Nobody holds the lock meanwhile. */
#include <string.h>

#include "internal.h"
#include "diag/debug.h"
#include "diag/fault.h"
#include "diag/postmortem.h"
#include "diag/trace.h"
#include "launch/launch.h"
#include "memory/dma.h"
#include "memory/guard.h"

/* the clock is read before a slice only if the limit is no more than so many slices away */
#define FAR_SLICES		16ULL
/*
 * A turn with blocks that were taken along is over after so long, because what is urgent waits for its end. The clock is read behind
 * a block of so many instructions, or with tile operations: only these can take long.
 */
#define ALONG_TURN_NS		100000ULL
#define ALONG_INSNS		16384

/* Must a block be ended, although it could run on? Then @f is filled with the reason. */
static bool must_end(const struct job *job, const struct unit *u, struct core_fault *f)
{
	uint32_t block = job_block(job, u), cause = job_ends(job);

	if (cause) {
		fault_set(f, cause, 0, 0,
			  "the kernel was stopped while block %u was running", block);
		core_block_where(u->b, f);
		return true;
	}
	if (job->deadline != ~0ULL && model_clock(job->q->m) >= job->deadline &&
	    !(core_block_tool(u->b) && debug_attends(job->q->m))) {
		fault_set(f, ANPU_FAULT_TIMEOUT, 0, 0,
			  "the kernel ran longer than its limit of %llu us; block %u was running",
			  ull(job->limit_us), block);
		core_block_where(u->b, f);
		return true;
	}
	return false;
}

static void count_work(struct anpu_model *m, const struct core_counts *counts)
{
	count_add(&m->count.insns, counts->insns);
	if (counts->tiles)
		count_add(&m->count.tiles, counts->tiles);
}

void job_end_block(struct anpu_model *m, struct unit *u, bool completed)
{
	struct core_counts counts;

	if (!u->b)
		return;
	core_block_counts(u->b, &counts);
	if (unlikely(core_block_tool(u->b) != NULL))
		gdb_ends(u->b);
	core_block_free(u->b);
	u->b = NULL;
	count_work(m, &counts);
	if (completed)
		count_add(&m->count.blocks, 1);
}

static bool make_block(struct worker *w, struct job *job, struct unit *u)
{
	u->core = w->id;
	u->b = core_block_new(&job->k, job_block(job, u), u->number % job->subs, u->core);
	if (u->b) {
		atomic_fetch_add(&job->begun, 1);
		if (unlikely(w->m->gdb != NULL))
			debug_begins(w, job, u);
		return true;
	}
	fault_set(&w->fault, ANPU_FAULT_INTERNAL, 0, 0,
		  "the device's host has no memory for block %u; %u of %u units have begun",
		  job_block(job, u), atomic_load(&job->next), job->total);
	return false;
}

/*
 * Store into the overflow table what the block has noted in this slice. Return: false if the table
 * cannot be accessed: @f is filled.
 */
static bool note_overflow(struct worker *w, const struct job *job, struct unit *u,
			  struct core_fault *f)
{
	const uint16_t flags = job->k.pkt.hdr.flags;
	uint64_t va = job->q->ctx.overflow +
		      ANPU_KERNEL_GET_OVERFLOW_ENTRY(flags) * sizeof(struct anpu_overflow), span;
	uint32_t seen = core_block_overflow(u->b);
	struct anpu_overflow *entry;
	char why[sizeof(f->message)];

	if (!seen)
		return true;
	/* aligned to its size, so it lies in one page */
	entry = mmu_access(&w->mmu, va, ANPU_ACCESS_READ | ANPU_ACCESS_WRITE, &span, f);
	if (entry) {
		shared_or(&entry->status, seen);
		return true;
	}
	memcpy(why, f->message, sizeof(why));
	fault_set(f, f->cause, f->access, f->addr, "OVERFLOW: the overflow table 0x%llx: %.80s",
		  ull(job->q->ctx.overflow), why);
	core_block_where(u->b, f);
	return false;
}

static enum core_result run_slice(struct worker *w, struct job *job, struct unit *u,
				  uint64_t slice)
{
	struct core_fault other;
	enum core_result r;

	u->progress = core_kernel_progress(&job->k);
	if (!debug_turn(w, job, u))
		return CORE_MORE;
	/* must_end() looks at a limit that is far away, between slices */
	if (job->deadline != ~0ULL &&
	    (int64_t)(job->deadline - w->clock) < (int64_t)(FAR_SLICES * slice)) {
		uint64_t now = model_clock(w->m);
		uint64_t left = job->deadline > now ? job->deadline - now : 0;

		if (left < slice)
			slice = left;
	}
	if (unlikely(job->k.time_pipes))
		core_block_note(u->b, job->operations ? w->operations : NULL);
	mmu_enter(&w->mmu, job->q->ctx.asid);
	r = likely(!w->m->gdb) ? core_block_run(u->b, &w->mmu, slice, &w->fault) :
				 gdb_run(u->b, &w->mmu, slice, &w->fault);
	if (unlikely(job->k.pkt.hdr.flags & ANPU_KERNEL_OVERFLOW)) {
		/* if the block has failed, that is what is told */
		if (!note_overflow(w, job, u, r == CORE_FAULT ? &other : &w->fault))
			r = CORE_FAULT;
	}
	mmu_exit(&w->mmu);
	if (unlikely(job->k.time_pipes))
		core_block_pipes(u->b, w->pipe_ns);
	return r;
}

/* Have all blocks told that the kernel behind need not wait for them, and has nobody looked for it yet? */
static bool early_possible(const struct job *job)
{
	return atomic_load(&job->k.triggered) >= job->total && !job->looked;
}

/* In deterministic mode the clock decides nothing: a block runs until it ends or waits. */
static enum core_result run_block(struct worker *w, struct job *job, struct unit *u,
				  uint64_t slice)
{
	enum core_result r;

	do {
		r = run_slice(w, job, u, slice);
		if (r == CORE_MORE && must_end(job, u, &w->fault))
			r = CORE_FAULT;
	} while (r == CORE_MORE && w->m->cfg.deterministic && !early_possible(job));
	return r;
}

/**
 * job_takes_along() - may a worker take several blocks of the job at once? Not if something happens or is told between them
 */
bool job_takes_along(const struct job *job)
{
	const struct anpu_model *m = job->q->m;

	return job->type == JOB_KERNEL && job->subs == 1 && core_cluster_blocks(&job->k) == 1 &&
	       !atomic_load_explicit(&job->words, memory_order_relaxed) && !job->q->ctx.trace && !m->cfg.deterministic &&
	       !m->gdb && !(job->k.pkt.hdr.flags & ANPU_KERNEL_CHECK);
}

/* The block has ended, and the next one takes its place, and its AI core: false: there is none, or it has to wait. */
static bool next_along(struct anpu_model *m, struct job *job, struct unit *u, uint64_t until)
{
	struct core_counts counts;
	uint32_t number;

	if (!u->along || atomic_load_explicit(&job->k.stop, memory_order_relaxed))
		return false;
	core_block_counts(u->b, &counts);
	if (unlikely(counts.insns >= ALONG_INSNS || counts.tiles) && model_clock(m) >= until)
		return false;
	if (!job_next(job, &number))
		return false;
	count_work(m, &counts);
	count_add(&m->count.blocks, 1);
	u->along--;
	u->ended++;
	u->number = number;
	core_block_again(u->b, job_block(job, u));
	return true;
}

static enum core_result do_unit(struct worker *w, struct job *job, struct unit *u, uint64_t slice)
{
	uint64_t until = u->along ? model_clock(w->m) + ALONG_TURN_NS : 0;
	enum core_result r;

	if (job->type != JOB_KERNEL)
		return dma_unit(w, job, u, &w->fault);
	if (!u->b && (!make_block(w, job, u) || !launch_words(w->m, &w->mmu, job, false, &w->fault))) {
		job_end_block(w->m, u, false);
		return CORE_FAULT;
	}
	do
		r = run_block(w, job, u, slice);
	while (r == CORE_DONE && next_along(w->m, job, u, until));
	if (unlikely(r == CORE_FAULT))
		debug_failed(w, job, u, &w->fault);
	if (unlikely(r == CORE_FAULT && w->m->core_file))
		postmortem(w, job, u);
	if (r == CORE_DONE || r == CORE_FAULT)
		job_end_block(w->m, u, r == CORE_DONE);
	if (r != CORE_FAULT && !launch_words(w->m, &w->mmu, job, false, &w->fault)) {
		job_end_block(w->m, u, false);
		return CORE_FAULT;
	}
	return r;
}

struct turn {
	struct worker *w;
	struct job *job;
	struct unit *u;
	uint64_t slice;
	enum core_result r;
};

static void do_turn(void *arg)
{
	struct turn *t = arg;

	t->r = do_unit(t->w, t->job, t->u, t->slice);
}

/* Run a unit, without the lock, until it ends, waits for others, or its turn is over. */
static enum core_result run_turn(struct worker *w, struct job *job, struct unit *u, uint64_t slice)
{
	struct turn t = { w, job, u, slice, CORE_FAULT };
	uint64_t addr;

	if (!w->m->ops.guard)
		return do_unit(w, job, u, slice);
	if (guard_call(w->m, do_turn, &t, &addr))
		return t.r;
	guard_fault(w, addr);
	if (u->b) {
		core_block_where(u->b, &w->fault);
		debug_failed(w, job, u, &w->fault);
	}
	job_end_block(w->m, u, false);
	return CORE_FAULT;
}

enum core_result job_run_unit(struct worker *w, struct job *job, struct unit *u, uint64_t slice)
{
	enum core_result r;
	uint64_t begin;

	if (likely(!job->q->ctx.trace || job->type != JOB_KERNEL))
		return run_turn(w, job, u, slice);
	begin = model_clock(w->m);
	memset(w->pipe_ns, 0, sizeof(w->pipe_ns));
	if (job->operations)
		trace_make_room(w);
	r = run_turn(w, job, u, slice);
	trace_block(w, job, u, begin, r);
	return r;
}
