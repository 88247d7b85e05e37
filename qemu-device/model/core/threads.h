/* SPDX-License-Identifier: MIT */
/*
 * Threads of a block (Documentation/isa-threads.md). A block is one unit of work for the scheduler, however
 * many threads it has. Their registers are kept in warps, which run in lockstep (lanes/lanes.h). For
 * instructions that lanes do not have, and in the checking mode, struct core_block has the registers of one
 * thread, which runs alone until it waits, ends or yields.
 */
#ifndef ANPU_THREADS_H
#define ANPU_THREADS_H

#include "core_int.h"
#include "lanes/lanes.h"

#define THREAD_WORDS	(ANPU_MAX_SPAWN / 64)
#define MAX_WARPS	(ANPU_MAX_SPAWN / ANPU_WARP_SIZE)
#define STACK_PIECE	(ANPU_THREAD_STACK + ANPU_THREAD_GUARD)
#define THREAD_STACKS_BYTES	((uint64_t)ANPU_MAX_SPAWN * STACK_PIECE)
#define ROW_PAD		16	/* so that rows start in different sets of the host's cache */
#define STACK_PAGES	(ANPU_THREAD_STACK / PAGE_SIZE)	/* of one thread */
/*
 * Host memory of one stack. Threads use the same place of their stacks at the same time: a line of the host's cache more
 * keeps these places in different sets of the cache, and stores apart from loads behind them.
 */
#define STACK_STRIDE	(ANPU_THREAD_STACK + 64)

/** struct context - registers of a thread that is not in a warp */
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
 * @count: threads; @live have not ended; @current runs, or is the last one that did
 * @settled: no thread of earlier blocks is left in @wait
 * @lanes: warps run in lockstep
 * @wide: all of them do, as one: @all; @warp means nothing then
 * @parted: how often they have parted in this block
 * @stride: elements of a row of @x, @words, @f and @s, which has a register of all threads
 * @loaded: the block has the registers of @current
 * @dim: threads in x, y, z
 * @spawned: made by SPAWN; then @parent goes on when all have ended
 * @begin: registers that a thread begins with, but for gp and sp
 * @ready: those that can run, but for the current one if it is loaded
 * @fresh: warps that have not begun
 * @ended: those that have
 * @arrived: barriers at which threads have arrived
 * @waiting: lanes of each warp that wait in an operation of warps
 * @grouped: lanes of each warp whose wait stands in @group, once for all of them, and not in @wait
 * @stacks: host memory of all stacks, without guards
 * @dirty: the threads whose n-th page of the stack may be other than zero; all of them are below 64 * @dirty_end
 */
struct threads {
	unsigned int count;
	unsigned int live;
	unsigned int current;
	uint32_t dim[3];
	bool settled;
	bool lanes;
	bool wide;
	bool loaded;
	bool spawned;
	struct context parent;
	struct context begin;
	uint64_t ready[THREAD_WORDS];
	uint64_t fresh;
	uint64_t ended[THREAD_WORDS];
	uint32_t waiting[MAX_WARPS];
	struct thread_barrier barrier[ANPU_BARRIERS];
	uint32_t arrived;
	struct thread_wait wait[ANPU_MAX_SPAWN];
	uint32_t grouped[MAX_WARPS];
	struct thread_wait group[MAX_WARPS];
	uint8_t *stacks;
	uint64_t dirty[STACK_PAGES][THREAD_WORDS];
	unsigned int dirty_end;
	unsigned int parted;
	unsigned int stride;
	struct warp all;
	struct warp warp[MAX_WARPS];
	uint64_t x[33 * (ANPU_MAX_SPAWN + ROW_PAD)] __attribute__((aligned(64)));
	uint32_t words[33 * (ANPU_MAX_SPAWN + ROW_PAD)] __attribute__((aligned(64)));
	uint64_t f[32 * (ANPU_MAX_SPAWN + ROW_PAD)] __attribute__((aligned(64)));
	uint32_t s[32 * (ANPU_MAX_SPAWN + ROW_PAD)] __attribute__((aligned(64)));
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

/** bits_take() - take lanes of warp @w out of a set, bits_put() - put them into it */
static inline void bits_take(uint64_t *set, unsigned int w, uint32_t lanes)
{
	set[w / 2] &= ~((uint64_t)lanes << (w % 2 * 32));
}

static inline void bits_put(uint64_t *set, unsigned int w, uint32_t lanes)
{
	set[w / 2] |= (uint64_t)lanes << (w % 2 * 32);
}

/** warp_bits() - the bits of @set for warp @w */
static inline uint32_t warp_bits(const uint64_t *set, unsigned int w)
{
	return (uint32_t)(set[w / 2] >> (w % 2 * 32));
}

/** warp_alive() - lanes that warp @w has and that have not ended */
static inline uint32_t warp_alive(const struct threads *s, unsigned int w)
{
	unsigned int have = s->count - w * ANPU_WARP_SIZE;

	return ~warp_bits(s->ended, w) & (have >= 32 ? ~0u : (1u << have) - 1);
}

/** thread_index() - x, y and z of thread @t, as register gp has them */
static inline uint64_t thread_index(unsigned int t, const uint32_t dim[3])
{
	uint64_t x = t % dim[0], rest = t / dim[0];

	return x | rest % dim[1] << 16 | (uint64_t)(rest / dim[1]) << 32;
}

/** warp_rows() - lanes from thread @first on have their rows */
static inline void warp_rows(struct threads *s, struct warp *w, unsigned int first, unsigned int lanes)
{
	w->x = s->x + first;
	w->words = s->words + first;
	w->f = s->f + first;
	w->s = s->s + first;
	w->stride = s->stride;
	w->last = lanes - 1;
}

/* All warps of a block as one (lanes/wide.c): they begin so if each is full, */
void wide_begin(struct threads *s);
/** wide_part() - each of them goes on alone, */
void wide_part(struct threads *s);
/** wide_join() - and all go on as one again if they have come to the same place */
void wide_join(struct threads *s);

/** thread_warp() - registers of warp @w, which begins if it has not begun */
static inline struct warp *thread_warp(struct threads *s, unsigned int w)
{
	if (unlikely(s->wide))
		wide_part(s);
	if (unlikely(s->fresh >> w & 1)) {
		s->fresh &= ~(1ULL << w);
		warp_rows(s, &s->warp[w], w * LANES, LANES);
		warp_begin(&s->warp[w], &s->begin, w * LANES, s->dim);
	}
	return &s->warp[w];
}

/** threads_begin() - a block that has been reset begins with @dim threads; false: no host memory */
bool threads_begin(struct core_block *b, const uint32_t dim[3]);
/** threads_clean() - forget threads, and what they have written to their stacks */
void threads_clean(struct core_block *b);
void threads_free(struct core_block *b);
/**
 * threads_stack_line() - host address of @size bytes at the same place of @n threads' stacks, whole warps; @va is that of the first one,
 * the others' follow STACK_PIECE apart, in the host STACK_STRIDE. NULL: they are to be looked up one by one.
 */
uint8_t *threads_stack_line(struct core_block *b, uint64_t va, size_t n, unsigned int size, bool write);
/** threads_stack() - host address of an address of the stacks; NULL: @fault is filled */
uint8_t *threads_stack(struct core_block *b, uint64_t va, unsigned int size, uint32_t access,
		       struct core_fault *fault);
/** thread_load() - thread @t gets its registers into the block, to run alone */
void thread_load(struct core_block *b, unsigned int t);
/** threads_alone() - from now on all threads run alone; one of them is loaded */
void threads_alone(struct core_block *b);
/** threads_ready() - a thread that can run, behind the current one if there is one; -1: none */
int threads_ready(const struct threads *s);
/** threads_stuck() - no thread can run: fill @fault, load a thread that waits */
enum sys_result threads_stuck(struct core_block *b, struct core_fault *fault);

/** threads_show() - a fault is told of thread @t, which waits, instead of the current one */
void threads_show(struct core_block *b, unsigned int t);

/** threads_registers() - of thread @t; false: it has ended */
bool threads_registers(const struct core_block *b, unsigned int t, struct core_state *s);
/** threads_choose() - let thread @t run next, instead of the current one; false: it waits or has ended */
bool threads_choose(struct core_block *b, unsigned int t);
/**
 * thread_exec() - execute operation @i of custom-1, funct3 2, at b->pc
 *
 * Return: SYS_NEXT, SYS_SWITCH, SYS_BLOCKED or SYS_FAULT
 */
enum sys_result thread_exec(struct core_block *b, const struct insn *i, struct core_fault *fault);
/** thread_end() - the running thread has ended: SYS_SWITCH, SYS_EXIT if it was the last, SYS_FAULT */
enum sys_result thread_end(struct core_block *b, struct core_fault *fault);
/** threads_end_all() - the same for all threads, of which none had ended */
enum sys_result threads_end_all(struct core_block *b);
/** threads_end() - the same for lanes of warp @w */
enum sys_result threads_end(struct core_block *b, unsigned int w, uint32_t lanes, struct core_fault *fault);
/**
 * threads_arrive() - lanes of warp @w execute BAR @operand at @pc
 * @rd: register for the result, which is 0: the caller puts it there
 *
 * Return: false: one by one; nothing has been done. @open: they need not wait
 */
bool threads_arrive(struct core_block *b, unsigned int w, uint32_t lanes, unsigned int rd, uint64_t operand,
		    uint64_t pc, bool *open);
/** thread_yield() - run another thread if one can; b->pc is where the present one goes on */
void thread_yield(struct core_block *b);
/** thread_name() - append the index of the thread that failed to the fault's message */
void thread_name(const struct core_block *b, struct core_fault *fault);

/* for warp.c: the thread @t, which waits, has its result and can go on */
void thread_release(struct core_block *b, unsigned int t, uint64_t value);
/* Operations of warps (warp.c): is the operation of the running thread complete? */
bool warp_arrive(struct core_block *b, const struct insn *i, struct core_fault *fault, bool *done);
/**
 * warp_together() - lanes of warp @w execute @op, all that it concerns: @out has their results
 *
 * Return: false: one by one; nothing has been done
 */
bool warp_together(const struct threads *s, unsigned int w, uint32_t lanes, unsigned int op, const uint64_t *rs1,
		   const uint64_t *rs2, uint64_t *out);
/* A thread of warp @w has ended or waits: complete what waits for it. */
void warp_settle(struct core_block *b, unsigned int w);

#endif /* ANPU_THREADS_H */
