// SPDX-License-Identifier: MIT
/* Operations among the lanes of a warp. See threads.h. */
#include "check/team.h"
#include "threads.h"

static const uint64_t reserved_bits[] = {
	[ANPU_THREAD_WSYNC] = ~0xffffffffULL,
	[ANPU_THREAD_SHFL] = ~ANPU_SHFL(~0u, 3, 0xff, 0xff),
	[ANPU_THREAD_VOTE] = ~ANPU_WARP(~0u, 3),
	[ANPU_THREAD_MATCH] = ~ANPU_WARP(~0u, 1),
	[ANPU_THREAD_REDUCE] = ~ANPU_WARP(~0u, 7),
	[ANPU_THREAD_ACTIVE] = ~0ULL,
};

/* mask and mode, which all lanes of an operation have in common */
#define COMMON		ANPU_WARP(~0u, 0xff)

static unsigned int first_of(unsigned int w)
{
	return w * ANPU_WARP_SIZE;
}

static bool check(unsigned int op, uint64_t rs1, unsigned int lane, struct core_fault *fault)
{
	unsigned int width = rs1 >> 48 & 0xff;

	if (rs1 & reserved_bits[op])
		return core_fail(fault, ANPU_FAULT_OPERAND, "warp operation: operand 0x%llx has reserved bits",
				 (unsigned long long)rs1);
	if (op == ANPU_THREAD_ACTIVE)
		return true;
	if (!(rs1 >> lane & 1))
		return core_fail(fault, ANPU_FAULT_OPERAND,
				 "warp operation: the caller, lane %u, is not in its mask 0x%08x", lane,
				 (uint32_t)rs1);
	if (op == ANPU_THREAD_SHFL && (!width || width > 32 || width & (width - 1)))
		return core_fail(fault, ANPU_FAULT_OPERAND,
				 "SHFL: width %u is not 1, 2, 4, 8, 16 or 32", width);
	return true;
}

/* The lanes of the operation of lane @l, if all of them have come to it; else 0. */
static uint32_t complete(const struct threads *s, unsigned int w, unsigned int l)
{
	const struct thread_wait *mine = &s->wait[first_of(w) + l];
	uint32_t lanes = (uint32_t)mine->rs1 & warp_alive(s, w), left;

	if (lanes & ~s->waiting[w])
		return 0;
	for (left = lanes; left; left &= left - 1) {
		const struct thread_wait *other = &s->wait[first_of(w) + (unsigned int)__builtin_ctz(left)];

		if (other->op != mine->op || (other->rs1 & COMMON) != (mine->rs1 & COMMON))
			return 0;
	}
	return lanes;
}

/* The lane that a lane takes its value from: its own one, if the other is outside of its part */
static unsigned int source_of(uint64_t rs1, unsigned int lane)
{
	unsigned int width = rs1 >> 48 & 0xff, by = rs1 >> 40 & 0xff, part = lane & ~(width - 1);
	unsigned int at = lane - part;

	switch (rs1 >> 32 & 0xff) {
	case ANPU_SHFL_IDX:
		return part + (by & (width - 1));
	case ANPU_SHFL_UP:
		return by > at ? lane : lane - by;
	case ANPU_SHFL_DOWN:
		return at + by >= width ? lane : lane + by;
	default:
		return (at ^ by) >= width ? lane : part + (at ^ by);
	}
}

static uint64_t shuffle(const struct thread_wait *wait, uint32_t lanes, unsigned int lane)
{
	unsigned int from = source_of(wait[lane].rs1, lane);

	return lanes >> from & 1 ? wait[from].rs2 : 0;
}

/*
 * The checking mode tells a mistake in a shuffle of one of its lanes: which one does not depend on who came last. -1: all is right.
 * The sentences leave room for the thread, whose name thread_name() adds.
 */
#define RIGHT (-1)

/*
 * A shuffle whose lanes are at different instructions mixes what two branches mean. Votes and barriers may stand in two branches.
 */
static int check_places(const struct thread_wait *wait, uint32_t lanes, struct core_fault *fault)
{
	int last = 31 - __builtin_clz(lanes);
	uint32_t there = 0;

	for (uint32_t left = lanes; left; left &= left - 1)
		if (wait[__builtin_ctz(left)].pc != wait[last].pc)
			there |= left & -left;
	if (!there)
		return RIGHT;
	core_fail(fault, ANPU_FAULT_OPERAND,
		  "SHFL: lanes 0x%08x are at another shuffle, at 0x%llx: a mask names those that come", there,
		  (unsigned long long)wait[__builtin_ctz(there)].pc);
	return last;
}

/*
 * A sum over the halves of a warp asks lanes that have ended, or that a block of fewer threads does not have. A lane that asks for
 * its neighbour may know that it has none, and so may a lane behind the first one if the block ends there.
 */
static int check_partners(const struct threads *s, unsigned int w, uint32_t lanes, struct core_fault *fault)
{
	const struct thread_wait *wait = &s->wait[first_of(w)];
	unsigned int first = (unsigned int)__builtin_ctz(lanes), l, from;
	uint64_t rs1 = wait[first].rs1;
	unsigned int mode = rs1 >> 32 & 0xff;

	if ((mode != ANPU_SHFL_DOWN && mode != ANPU_SHFL_XOR) || (rs1 >> 40 & 0xff) < 2)
		return RIGHT;
	for (uint32_t left = lanes; left; left &= left - 1)
		if (wait[__builtin_ctz(left)].rs1 >> 32 != rs1 >> 32)
			return RIGHT;
	for (uint32_t left = lanes; left; left &= left - 1) {
		l = (unsigned int)__builtin_ctz(left);
		from = source_of(wait[l].rs1, l);
		if (!(wait[l].rs1 >> from & ~lanes >> from & 1) || (l != first && first_of(w) + from >= s->count))
			continue;
		core_fail(fault, ANPU_FAULT_OPERAND,
			  "SHFL: lane %u asks lane %u, which its mask 0x%08x names and which is not there: lanes 0x%08x are",
			  l, from, (uint32_t)rs1, lanes);
		return (int)l;
	}
	return RIGHT;
}

/* Is the lane there from which all @lanes take a value? Where each takes one of its own, it may not need it. */
static int check_source(const struct thread_wait *wait, uint32_t lanes, struct core_fault *fault)
{
	uint64_t first = wait[__builtin_ctz(lanes)].rs1;

	if ((first >> 32 & 0xff) != ANPU_SHFL_IDX)
		return RIGHT;
	for (uint32_t left = lanes; left; left &= left - 1)
		if (wait[__builtin_ctz(left)].rs1 != first)
			return RIGHT;
	for (uint32_t left = lanes; left; left &= left - 1) {
		unsigned int l = (unsigned int)__builtin_ctz(left), of = source_of(first, l);

		if (lanes >> of & 1)
			continue;
		core_fail(fault, ANPU_FAULT_OPERAND,
			  "SHFL: lane %u asks lane %u, which is none of the lanes 0x%08x that have come: look at the mask", l, of, lanes);
		return (int)l;
	}
	return RIGHT;
}

/* The checking mode's look at the lanes whose operation is complete */
static bool check_shuffle(struct core_block *b, unsigned int w, uint32_t lanes, struct core_fault *fault)
{
	const struct thread_wait *wait = &b->threads->wait[first_of(w)];
	int lane;

	if (wait[__builtin_ctz(lanes)].op != ANPU_THREAD_SHFL)
		return true;
	lane = check_places(wait, lanes, fault);
	if (lane == RIGHT)
		lane = check_partners(b->threads, w, lanes, fault);
	if (lane == RIGHT)
		lane = check_source(wait, lanes, fault);
	if (lane == RIGHT)
		return true;
	threads_show(b, first_of(w) + (unsigned int)lane);
	return false;
}

static uint64_t vote(const struct thread_wait *wait, uint32_t lanes, unsigned int mode)
{
	uint32_t left, set = 0, same = 1;
	uint64_t first = wait[__builtin_ctz(lanes)].rs2;

	for (left = lanes; left; left &= left - 1) {
		unsigned int l = (unsigned int)__builtin_ctz(left);

		set |= (uint32_t)(wait[l].rs2 != 0) << l;
		same &= wait[l].rs2 == first;
	}
	switch (mode) {
	case ANPU_VOTE_ANY: return set != 0;
	case ANPU_VOTE_ALL: return set == lanes;
	case ANPU_VOTE_EQUAL: return same;
	default: return set;
	}
}

static uint64_t match(const struct thread_wait *wait, uint32_t lanes, unsigned int lane, unsigned int mode)
{
	uint32_t left, same = 0;

	for (left = lanes; left; left &= left - 1) {
		unsigned int l = (unsigned int)__builtin_ctz(left);

		same |= (uint32_t)(wait[l].rs2 == wait[lane].rs2) << l;
	}
	return mode == ANPU_MATCH_ANY || same == lanes ? same : 0;
}

static uint32_t combine(unsigned int op, uint32_t a, uint32_t c)
{
	switch (op) {
	case ANPU_RED32_ADD: return a + c;
	case ANPU_RED32_MIN: return (int32_t)a < (int32_t)c ? a : c;
	case ANPU_RED32_MAX: return (int32_t)a > (int32_t)c ? a : c;
	case ANPU_RED32_MINU: return a < c ? a : c;
	case ANPU_RED32_MAXU: return a > c ? a : c;
	case ANPU_RED32_AND: return a & c;
	case ANPU_RED32_OR: return a | c;
	default: return a ^ c;
	}
}

static uint64_t reduce(const struct thread_wait *wait, uint32_t lanes, unsigned int op)
{
	uint32_t r = (uint32_t)wait[__builtin_ctz(lanes)].rs2, left = lanes & (lanes - 1);

	for (; left; left &= left - 1)
		r = combine(op, r, (uint32_t)wait[__builtin_ctz(left)].rs2);
	return (uint64_t)(int64_t)(int32_t)r;
}

static uint64_t result(const struct thread_wait *wait, uint32_t lanes, unsigned int lane)
{
	unsigned int mode = wait[lane].rs1 >> 32 & 0xff;

	switch (wait[lane].op) {
	case ANPU_THREAD_SHFL: return shuffle(wait, lanes, lane);
	case ANPU_THREAD_VOTE: return vote(wait, lanes, mode);
	case ANPU_THREAD_MATCH: return match(wait, lanes, lane, mode);
	case ANPU_THREAD_REDUCE: return reduce(wait, lanes, mode);
	default: return 0;
	}
}

/* All @lanes have come: give each its result. The lane @running, if any, has its registers in the block. */
static void finish(struct core_block *b, unsigned int w, uint32_t lanes, int running)
{
	struct threads *s = b->threads;
	struct thread_wait *wait = &s->wait[first_of(w)];
	uint64_t value[ANPU_WARP_SIZE];
	uint32_t left;

	if (unlikely(b->check))
		check_team_warp(b, w, lanes);
	for (left = lanes; left; left &= left - 1) {
		unsigned int l = (unsigned int)__builtin_ctz(left);

		value[l] = result(wait, lanes, l);
	}
	for (left = lanes; left; left &= left - 1) {
		unsigned int l = (unsigned int)__builtin_ctz(left);

		if ((int)l == running) {
			b->x[wait[l].rd] = value[l];
			wait[l].op = THREAD_RUNS;
		} else {
			thread_release(b, first_of(w) + l, value[l]);
		}
	}
	s->waiting[w] &= ~lanes;
}

bool warp_together(const struct threads *s, unsigned int w, uint32_t lanes, unsigned int op, const uint64_t *rs1,
		   const uint64_t *rs2, uint64_t *out)
{
	struct thread_wait wait[ANPU_WARP_SIZE];
	struct core_fault ignored;
	uint64_t first = rs1[__builtin_ctz(lanes)];
	uint32_t left;

	if (op == ANPU_THREAD_ACTIVE || ((uint32_t)first & warp_alive(s, w)) != lanes)
		return false;
	for (left = lanes; left; left &= left - 1) {
		unsigned int l = (unsigned int)__builtin_ctz(left);

		if ((rs1[l] & COMMON) != (first & COMMON) || !check(op, rs1[l], l, &ignored))
			return false;
		wait[l] = (struct thread_wait){ .op = (uint8_t)op, .rs1 = rs1[l], .rs2 = rs2[l] };
	}
	for (left = lanes; left; left &= left - 1) {
		unsigned int l = (unsigned int)__builtin_ctz(left);

		out[l] = result(wait, lanes, l);
	}
	return true;
}

/* A block of one thread is a warp of one lane. */
static void alone(struct core_block *b, const struct insn *i)
{
	struct thread_wait wait = { (uint8_t)i->imm, i->rd, b->x[i->rs1], b->x[i->rs2], b->pc };

	b->x[i->rd] = i->imm == ANPU_THREAD_ACTIVE ? 1 : result(&wait, 1, 0);
}

bool warp_arrive(struct core_block *b, const struct insn *i, struct core_fault *fault, bool *done)
{
	struct threads *s = b->threads;
	unsigned int lane = s ? s->current % ANPU_WARP_SIZE : 0, w;
	uint32_t lanes;

	if (!check((unsigned int)i->imm, b->x[i->rs1], lane, fault))
		return false;
	*done = true;
	if (!s) {
		alone(b, i);
		return true;
	}
	w = s->current / ANPU_WARP_SIZE;
	s->wait[s->current] = (struct thread_wait){ (uint8_t)i->imm, i->rd, b->x[i->rs1], b->x[i->rs2],
						    b->pc };
	s->waiting[w] |= 1u << lane;
	lanes = i->imm == ANPU_THREAD_ACTIVE ? 0 : complete(s, w, lane);
	if (lanes && unlikely(b->check) && !check_shuffle(b, w, lanes, fault))
		return false;
	if (lanes)
		finish(b, w, lanes, (int)lane);
	else
		*done = false;
	return true;
}

/* No lane of the warp can run: those that wait at the first one's ACTIVE have come together. */
static void gather(struct core_block *b, unsigned int w)
{
	struct threads *s = b->threads;
	struct thread_wait *wait = &s->wait[first_of(w)];
	uint32_t left, lanes = 0;
	uint64_t pc = 0;

	for (left = s->waiting[w]; left; left &= left - 1) {
		unsigned int l = (unsigned int)__builtin_ctz(left);

		if (wait[l].op == ANPU_THREAD_ACTIVE && (!lanes || wait[l].pc == pc)) {
			pc = wait[l].pc;
			lanes |= 1u << l;
		}
	}
	s->waiting[w] &= ~lanes;
	for (left = lanes; left; left &= left - 1)
		thread_release(b, first_of(w) + (unsigned int)__builtin_ctz(left), lanes);
}

void warp_settle(struct core_block *b, unsigned int w)
{
	struct threads *s = b->threads;
	uint32_t left = s->waiting[w], lanes;

	while (left) {
		unsigned int l = (unsigned int)__builtin_ctz(left);

		lanes = s->wait[first_of(w) + l].op == ANPU_THREAD_ACTIVE ? 0 : complete(s, w, l);
		left &= left - 1;
		if (lanes) {
			finish(b, w, lanes, -1);
			left &= ~lanes;
		}
	}
	if (s->waiting[w] && !warp_bits(s->ready, w))
		gather(b, w);
}
