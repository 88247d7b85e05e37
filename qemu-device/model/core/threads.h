/* SPDX-License-Identifier: MIT */
/*
 * Threads of a block (Documentation/isa-threads.md). struct core_block has the registers of the thread that
 * runs; those of the others are kept here. A thread runs until it waits, ends or yields, then the next one
 * that can run gets its registers into the block. So a block is one unit of work for the scheduler,
 * however many threads it has.
 */
#ifndef ANPU_THREADS_H
#define ANPU_THREADS_H

#include "core_int.h"

#define THREAD_WORDS	(ANPU_MAX_SPAWN / 64)
#define MAX_WARPS	(ANPU_MAX_SPAWN / ANPU_WARP_SIZE)
#define STACK_PIECE	(ANPU_THREAD_STACK + ANPU_THREAD_GUARD)
#define THREAD_STACKS_BYTES	((uint64_t)ANPU_MAX_SPAWN * STACK_PIECE)
#define STACK_PAGES	(ANPU_MAX_SPAWN * ANPU_THREAD_STACK / PAGE_SIZE)

/** struct context - registers of a thread that does not run */
struct context {
	uint64_t x[33];
	uint64_t f[32];
	uint64_t pc;
};

/** THREAD_RUNS - struct thread_wait.op of a thread that waits for nothing */
#define THREAD_RUNS	0xff

/**
 * struct thread_wait - what a thread waits for
 * @op: enum anpu_thread_op or THREAD_RUNS
 * @rd: register for the result
 * @pc: of the instruction
 */
struct thread_wait {
	uint8_t op;
	uint8_t rd;
	uint64_t rs1;
	uint64_t rs2;
	uint64_t pc;
};

/**
 * struct thread_barrier - a barrier of the block
 * @need: threads that it is for, 0: all
 * @arrived: threads that have arrived
 * @votes: how many of those that wait have rs2 != 0
 * @waits: how many wait
 * @waiting: which
 */
struct thread_barrier {
	unsigned int need;
	unsigned int arrived;
	unsigned int votes;
	unsigned int waits;
	uint64_t waiting[THREAD_WORDS];
};

/**
 * struct threads - the threads of a block
 * @count: threads; @live have not ended; @current runs
 * @dim: threads in x, y, z
 * @spawned: made by SPAWN; then @parent goes on when all have ended
 * @begin: registers that a thread begins with, but for gp and sp
 * @ready: those that can run, the current one not among them
 * @fresh: those that have not begun
 * @ended: those that have
 * @waiting: lanes of each warp that wait in an operation of warps
 * @stacks: host memory of all stacks, without guards
 * @dirty: pages of @stacks that may be other than zero
 */
struct threads {
	unsigned int count;
	unsigned int live;
	unsigned int current;
	unsigned int dim[3];
	bool spawned;
	struct context parent;
	struct context begin;
	uint64_t ready[THREAD_WORDS];
	uint64_t fresh[THREAD_WORDS];
	uint64_t ended[THREAD_WORDS];
	uint32_t waiting[MAX_WARPS];
	struct thread_barrier barrier[ANPU_BARRIERS];
	struct thread_wait wait[ANPU_MAX_SPAWN];
	uint8_t *stacks;
	uint64_t dirty[STACK_PAGES / 64];
	struct context context[ANPU_MAX_SPAWN];
};

static inline bool bit_get(const uint64_t *set, unsigned int n)
{
	return set[n / 64] >> (n % 64) & 1;
}

static inline void bit_set(uint64_t *set, unsigned int n)
{
	set[n / 64] |= 1ULL << (n % 64);
}

static inline void bit_clear(uint64_t *set, unsigned int n)
{
	set[n / 64] &= ~(1ULL << (n % 64));
}

/** warp_bits() - the bits of @set for warp @w */
static inline uint32_t warp_bits(const uint64_t *set, unsigned int w)
{
	return (uint32_t)(set[w / 2] >> (w % 2 * 32));
}

/** threads_begin() - a block that has been reset begins with @dim threads; false: no host memory */
bool threads_begin(struct core_block *b, const uint32_t dim[3]);
/** threads_clean() - forget threads, and what they have written to their stacks */
void threads_clean(struct core_block *b);
void threads_free(struct core_block *b);
/** threads_stack() - host address of an address of the stacks; NULL: @fault is filled */
uint8_t *threads_stack(struct core_block *b, uint64_t va, unsigned int size, uint32_t access,
		       struct core_fault *fault);
/** threads_gp() - register gp of thread @t */
uint64_t threads_gp(const struct threads *s, unsigned int t);

/**
 * thread_exec() - execute operation @i of custom-1, funct3 2, at b->pc
 *
 * Return: SYS_NEXT, SYS_SWITCH, SYS_BLOCKED or SYS_FAULT
 */
enum sys_result thread_exec(struct core_block *b, const struct insn *i, struct core_fault *fault);
/** thread_end() - the running thread has ended: SYS_SWITCH, SYS_EXIT if it was the last, SYS_FAULT */
enum sys_result thread_end(struct core_block *b, struct core_fault *fault);
/** thread_yield() - run another thread if one can; b->pc is where the present one goes on */
void thread_yield(struct core_block *b);
/** thread_name() - append the index of the thread that failed to the fault's message */
void thread_name(const struct core_block *b, struct core_fault *fault);

/* for warp.c: the thread @t, which waits, or the running one, has its result and can go on */
void thread_result(struct core_block *b, unsigned int t, unsigned int rd, uint64_t value);
void thread_release(struct core_block *b, unsigned int t, uint64_t value);
/* Operations of warps (warp.c): is the operation of the running thread complete? */
bool warp_arrive(struct core_block *b, const struct insn *i, struct core_fault *fault, bool *done);
/* A thread of warp @w has ended or waits: complete what waits for it. */
void warp_settle(struct core_block *b, unsigned int w);

#endif /* ANPU_THREADS_H */
