/* SPDX-License-Identifier: MIT */
/*
 * Warps in lockstep (Documentation/model.md, "Threads"). The registers of a warp's 32 threads stand side by
 * side, so that an instruction is decoded once for all lanes that are at it, and computed with the host's
 * vectors.
 */
#ifndef ANPU_LANES_H
#define ANPU_LANES_H

#include "../core_int.h"

#define LANES		ANPU_WARP_SIZE
#define ALL_LANES	(~0u)

/** lane_row - a register of all lanes */
typedef uint64_t lane_row[LANES] __attribute__((aligned(64)));

/** union lane_singles - singles of all lanes */
union lane_singles {
	uint32_t u[LANES];
	float f[LANES];
} __attribute__((aligned(64)));

/** enum lane_f - where a floating-point register is: nowhere, as it is 0 in all lanes; struct warp.f; struct warp.s */
enum lane_f { LANE_F_ZERO, LANE_F_ROW, LANE_F_SINGLES };

/**
 * struct warp - registers of a warp, or of a block whose warps run as a single one (wide.c)
 * @x: row of integer register 0; that of the next one is @stride lanes further; x[32] takes writes to x0
 * @words: the same of integers that are sign-extended from 32 bits in all lanes, without their upper halves
 * @f: floating-point registers
 * @s: those that are NaN-boxed singles in all lanes, without their upper halves
 * @last: number of the last lane
 * @pc: where each lane goes on
 * @base: x[r] of lane l is base + l * step for registers with @line: mostly all lanes have the same value,
 *	or neighbouring indices or addresses, and computing with these two is computing with all
 * @row: registers whose row in @x is valid
 * @word: registers whose row in @words is valid; a register has one of the three or several
 * @bits: of registers with @word: how many bits they have at most, none of them negative; 32: that is not known
 * @place: enum lane_f of each floating-point register
 * @together: all lanes go on at @at, and @pc is not valid
 * @turn: number of the lane to go on first, plus 1; 0: those that are furthest back
 */
struct warp {
	uint64_t *x;
	uint32_t *words;
	uint64_t *f;
	uint32_t *s;
	unsigned int stride;
	unsigned int last;
	lane_row pc;
	uint64_t base[33];
	uint64_t step[33];
	uint8_t line[33];
	uint8_t row[33];
	uint8_t word[33];
	uint8_t bits[33];
	uint8_t place[32];
	uint64_t at;
	bool together;
	uint8_t turn;
};

static inline uint64_t *x_row(const struct warp *w, unsigned int r)
{
	return w->x + (size_t)r * w->stride;
}

static inline uint32_t *word_row(const struct warp *w, unsigned int r)
{
	return w->words + (size_t)r * w->stride;
}

static inline uint64_t *f_row(const struct warp *w, unsigned int r)
{
	return w->f + (size_t)r * w->stride;
}

static inline uint32_t *s_row(const struct warp *w, unsigned int r)
{
	return w->s + (size_t)r * w->stride;
}

/**
 * struct lane_insn - an instruction for lanes
 * @op: enum insn_op as decode_far() has it
 * @imm: immediate, in bytes for jumps, or rounding mode
 */
struct lane_insn {
	uint8_t op;
	uint8_t rd;
	uint8_t rs1;
	uint8_t rs2;
	uint8_t rs3;
	int32_t imm;
};

/** struct lane_page - a page of code for lanes; immutable once it can be found */
struct lane_page {
	struct lane_insn insn[PAGE_INSNS + 1];
};

/**
 * enum lanes_exit - why a group of lanes stopped; struct lanes.pc is where all of them are
 * @LANES_SPLIT: they are at different places, which struct warp.pc has
 * @LANES_JOIN: they have come to where other lanes of the warp wait to go on
 * @LANES_JUMP: the place is on another page, or the end
 * @LANES_POLL: time to poll
 * @LANES_THREAD: at an operation of threads
 * @LANES_STEP: at an instruction that threads execute one by one
 * @LANES_NARROW: at an instruction that the warps of a block execute one by one
 * @LANES_FAULT: lane struct lanes.bad has failed
 */
enum lanes_exit { LANES_SPLIT, LANES_JOIN, LANES_JUMP, LANES_POLL, LANES_THREAD, LANES_STEP, LANES_NARROW,
		  LANES_FAULT };

#define NO_LANE		(~0u)

/**
 * struct lanes - a group of lanes of one warp, which runs
 * @mask: them; @count of them. All lanes of a block's warps that run as a single one
 * @whole: no other lane of the warp has registers that matter
 * @pc: of the group
 * @join: the lowest place above @pc at which other lanes of the warp can go on
 * @begun: @left when the group began
 * @left: instructions until the next poll, but for @delay: what took longer than one does
 * @bad: lane that has failed; NO_LANE: there is no code
 * @on: ~0 for each lane in @mask, else 0
 */
struct lanes {
	struct core_block *b;
	struct warp *w;
	const struct code_page *page;
	const struct lane_page *code;
	struct core_fault *fault;
	uint32_t mask;
	unsigned int count;
	bool whole;
	uint64_t pc;
	uint64_t join;
	int64_t begun;
	int64_t left;
	int64_t delay;
	unsigned int bad;
	lane_row on;
};

/** lanes_run_plain() and relatives - run a group with the instructions that a host has; LANES_PLAIN: without the others */
enum lanes_exit lanes_run_plain(struct lanes *g);
#if defined(__x86_64__)
enum lanes_exit lanes_run_avx2(struct lanes *g);
enum lanes_exit lanes_run_avx512(struct lanes *g);
#endif

struct context;

/* Registers (regs.c) ------------------------------------------------------------------------------ */

/**
 * warp_begin() - lanes begin with the registers @begin but for gp, sp and tp
 * @w: its rows are there
 * @first: thread of the first lane
 */
void warp_begin(struct warp *w, const struct context *begin, unsigned int first, const uint32_t dim[3]);
/** warp_load() - put the registers of lane @l into the block, or warp_save() them */
void warp_load(struct warp *w, unsigned int l, struct core_block *b);
void warp_save(struct warp *w, unsigned int l, const struct core_block *b);
/** warp_f_value() - f[r] of lane @l */
uint64_t warp_f_value(const struct warp *w, unsigned int r, unsigned int l);
/** warp_part() - the lanes go on at different places from now on */
void warp_part(struct warp *w);
/** warp_spread() - make the row of x[r], warp_f_spread() that of f[r] */
void warp_spread(struct warp *w, unsigned int r);
void warp_f_spread(struct warp *w, unsigned int r);

/** warp_row() - x[r] of all lanes, to be read, or changed after warp_own() */
static inline uint64_t *warp_row(struct warp *w, unsigned int r)
{
	if (unlikely(!w->row[r]))
		warp_spread(w, r);
	return x_row(w, r);
}

/** warp_own() - x[r] of all lanes, to be changed */
static inline uint64_t *warp_own(struct warp *w, unsigned int r)
{
	warp_row(w, r);
	w->line[r] = false;
	w->word[r] = false;
	return x_row(w, r);
}

/** set_line() - x[r] of lane l becomes @base + l * @step */
static inline void set_line(struct warp *w, unsigned int r, uint64_t base, uint64_t step)
{
	w->base[r] = base;
	w->step[r] = step;
	w->line[r] = true;
	w->row[r] = false;
	w->word[r] = false;
}

/** warp_value() - x[r] of one lane */
static inline uint64_t warp_value(const struct warp *w, unsigned int r, unsigned int l)
{
	if (w->line[r])
		return w->base[r] + l * w->step[r];
	return w->row[r] ? x_row(w, r)[l] : (uint64_t)(int64_t)(int32_t)word_row(w, r)[l];
}

/** warp_pc() - where a lane goes on */
static inline uint64_t warp_pc(const struct warp *w, unsigned int l)
{
	return w->together ? w->at : w->pc[l];
}

/** warp_f_row() - f[r] of all lanes, to be read or changed */
static inline uint64_t *warp_f_row(struct warp *w, unsigned int r)
{
	if (unlikely(w->place[r] != LANE_F_ROW))
		warp_f_spread(w, r);
	return f_row(w, r);
}

/* The engine (lanes.c) ------------------------------------------------------------------------------ */

/* of exec_run()'s two interpreters: the other one goes on */
#define CORE_SWITCH	((enum core_result)(CORE_FAULT + 1))

/** lanes_wanted() - are warps of this block to run in lockstep? ANPU_LANES=off in the environment: no */
bool lanes_wanted(const struct core_block *b);

/** lanes_sets() - how many of the functions above this host can run */
unsigned int lanes_sets(void);
/** lanes_force() - for tests: use another one than the first, number 0; -1: none, threads run alone */
void lanes_force(int set);

/**
 * lanes_run() - run the threads of the block
 * @deadline: when to return; 0: @budget from the first poll on
 *
 * Return: as core_block_run(), or CORE_SWITCH: the block has the registers of a thread, or of the one that
 * has spawned the threads, which is to be run alone
 */
enum core_result lanes_run(struct core_block *b, uint64_t *deadline, uint64_t budget, struct core_fault *fault);

#endif /* ANPU_LANES_H */
