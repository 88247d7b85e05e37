/* SPDX-License-Identifier: MIT */
/* Jobs: work of one packet that several workers may share. */
#ifndef ANPU_MODEL_JOB_H
#define ANPU_MODEL_JOB_H

#include "base.h"
#include "core.h"

enum exec_result {
	EXEC_DONE,
	EXEC_FAULT,	/* worker.fault and worker.where say what */
	EXEC_PARK,
	EXEC_ASYNC	/* a job has the queue now */
};

#define WORD_BEGUN	1U
#define WORD_TRIGGERED	2U

/**
 * struct unit - a piece of a job; linked when it is set aside
 * @b: the block (JOB_KERNEL), NULL until it is started
 * @number: block * sub-blocks + sub-block, or piece of a copy
 * @core: AI core it was started on
 * @progress: core_kernel_progress() before its last run
 * @written: bytes of the piece of a copy that are done
 * @along: how many more units the worker may take along, one behind the other, without the lock in between
 * @ended: how many have ended in its turn, before @number
 */
struct unit {
	struct unit *next;
	struct core_block *b;
	uint32_t number;
	uint32_t core;
	uint64_t progress;
	uint64_t written;
	uint32_t along;
	uint32_t ended;
};

struct unit_list {
	struct unit *head, *tail;
	unsigned int n;
};

enum job_type {
	JOB_KERNEL,
	JOB_COPY,	/* of one row or of many */
	JOB_FILL,
	JOB_REDUCE,
	JOB_RANDOM
};

union random_value {
	uint64_t integer;
	double real;
};

/**
 * struct random_job - what a RANDOM makes, its parameters read
 * @dst: where
 * @count: elements, or bits
 * @size: bytes
 * @seed: key of the sequence
 * @counter: its first block
 * @a: minimum, mean or ratio
 * @b: maximum or standard deviation
 * @dist: enum anpu_random_dist
 * @type: enum anpu_random_type
 */
struct random_job {
	uint64_t dst, count, size;
	uint64_t seed, counter[2];
	union random_value a, b;
	uint32_t dist, type;
};

/**
 * struct job - work of one packet that several workers may share
 * @k: the kernel (JOB_KERNEL)
 * @active: between its start and its end
 * @alone: no other workers have been woken for it: it may be too short for that
 * @started: device clock at its start, if @alone
 * @early: its packet is not in the queue's hand yet: the kernel in front still runs (early.h)
 * @looking: a worker begins with the kernel behind it
 * @looked: deterministic mode has looked whether the kernel behind it may begin
 * @operations: the process wants records of tile operations
 * @words: words of the launch that are still to be written: WORD_*
 * @begun: units that have begun
 * @seq: sequence number of its packet
 * @listed: it is in the list of jobs because it has units to hand out
 * @total: units: sub-blocks of all blocks, or pieces of a copy
 * @next: first unit not yet started: see job_next()
 * @cores: limit of @executing
 * @along: how many units a worker may take along with the next one, as the last ones were brief
 * @executing: units workers are running now
 * @done: units that ended well
 * @ready: units that were set aside for other work and can go on at any time
 * @blocked: units that wait for other blocks, the ones with the oldest progress first
 * @left: device clock when the last worker left it with units undone; if @executing is 0
 * @fault_unit: unit of @fault
 * @size: bytes to write (all but JOB_KERNEL); @piece: of them in a unit
 * @width: bytes of a row, @size if it is not a copy of rows; @src_pitch, @dst_pitch: from row to
 * 	row
 *
 * Embedded in the queue, which runs one packet at a time, and at most one more kernel early. Counts and lists are
 * under lock, but for @next.
 */
struct job {
	struct core_kernel k;
	enum job_type type;
	struct queue *q;
	struct job *next_job, *prev_job;
	bool active;
	bool listed;
	bool failed;
	bool alone;
	bool early;
	bool looking;
	bool looked;
	bool operations;
	atomic_uint words;
	atomic_uint begun;
	uint64_t started;
	uint64_t seq;
	uint32_t subs;
	uint32_t total;
	atomic_uint next;
	uint32_t cores;
	uint32_t along;
	uint32_t executing;
	uint32_t done;
	uint32_t priority;
	struct unit_list ready;
	struct unit_list blocked;
	uint64_t left;
	_Atomic uint64_t deadline;
	uint64_t limit_us;
	uint32_t fault_unit;
	uint32_t fault_core;
	struct core_fault fault;
	/* of copies, fills, reductions and random numbers */
	uint64_t src, dst, size, piece, pattern;
	uint64_t width, src_pitch, dst_pitch;
	uint32_t pattern_size;
	struct random_job random;
};

static inline uint32_t job_block(const struct job *job, const struct unit *u)
{
	return core_kernel_block(&job->k, u->number / job->subs);
}

static inline bool job_has_fresh(const struct job *job)
{
	return atomic_load_explicit(&job->next, memory_order_relaxed) < job->total;
}

/* The first unit that nobody has begun is the worker's. It needs no lock, if the job is active and the worker counts as executing. */
static inline bool job_next(struct job *job, uint32_t *number)
{
	uint32_t n = atomic_load_explicit(&job->next, memory_order_relaxed);

	do {
		if (n >= job->total)
			return false;
	} while (!atomic_compare_exchange_weak_explicit(&job->next, &n, n + 1, memory_order_relaxed, memory_order_relaxed));
	*number = n;
	return true;
}

enum exec_result job_start_kernel(struct worker *w, struct queue *q);
enum exec_result job_start_dma(struct worker *w, struct queue *q);
enum exec_result job_work(struct worker *w, struct job *job, struct queue **finished);
bool job_abort(struct queue *q);

/* unit.c */
enum core_result job_run_unit(struct worker *w, struct job *job, struct unit *u, uint64_t slice);
void job_end_block(struct anpu_model *m, struct unit *u, bool completed);
bool job_takes_along(const struct job *job);

/* for kernel.c and unit.c; lock held: job_set_aside(), job_over() */
void job_set_aside(struct worker *w, struct job *job, const struct unit *u, bool blocked, uint64_t now);
bool job_over(struct job *job);
uint32_t job_ends(const struct job *job);
void job_set_where(struct worker *w, const struct job *job, const struct unit *u);
enum exec_result job_begin(struct worker *w, struct job *job);
void job_reset(struct job *job, enum job_type type, uint32_t total, uint32_t cores);
uint64_t job_limit_of(struct anpu_model *m, uint64_t timeout_us);

/* kernel.c, for job.c */
bool job_make_kernel(struct worker *w, struct job *job, const struct anpu_pkt_kernel *pkt);
void job_set_deadline(const struct worker *w, struct job *job);
void job_update_listing(struct anpu_model *m, struct job *job);		/* lock held */
void job_drop(struct job *job);
enum exec_result job_end(struct worker *w, struct job *job);

#endif /* ANPU_MODEL_JOB_H */
