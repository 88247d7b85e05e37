// SPDX-License-Identifier: MIT
/*
 * Recursive halving and doubling, for a power of two of ranks; those beyond it give their data to a neighbour first
 * and get the result from it.
 *
 * Order of operations: with p the largest power of two in the number of ranks and e the ranks beyond it, the first 2e
 * ranks make e pairs, in which rank 2i's element is applied to rank 2i + 1's. The pairs and the other ranks are then
 * numbered 0 to p - 1. Doubling applies the partial result of number i ^ 1, then i ^ 2, i ^ 4, ... ; halving that of
 * i ^ p/2, ... i ^ 1. The operations are commutative, so partners get the same bits.
 */
#include "hccl_inside.h"

struct halves {
	uint32_t p, extra;
	int64_t number;	/* this rank's, or -1 */
};

static struct halves count(const struct hccl_comm *c)
{
	struct halves h = { .p = 1 };

	while (2 * h.p <= c->ranks)
		h.p *= 2;
	h.extra = c->ranks - h.p;
	if (c->rank >= 2 * h.extra)
		h.number = c->rank - h.extra;
	else
		h.number = c->rank % 2 ? (int64_t)c->rank / 2 : -1;
	return h;
}

static uint32_t rank_of(const struct halves *h, uint32_t number)
{
	return number < h->extra ? 2 * number + 1 : number + h->extra;
}

static void both_ways(struct hccl_run *r, uint32_t peer, struct hccl_piece out, struct hccl_piece in, bool reduce)
{
	struct hccl_flow tx = { peer, &out, 1, 0 }, rx = { peer, &in, 1, 0 };

	link_exchange(r, tx, rx, reduce);
}

/* Ranks without a number hand their data over, or get the result */
static void fold(struct hccl_run *r, const struct halves *h, char *buf, uint64_t bytes, bool result)
{
	struct hccl_piece all = { buf, bytes }, nothing = { buf, 0 };
	uint32_t rank = r->c->rank;

	if (rank >= 2 * h->extra)
		return;
	if ((rank % 2 == 0) == !result)
		both_ways(r, rank ^ 1, all, nothing, !result);
	else
		both_ways(r, rank ^ 1, nothing, all, !result);
}

void doubling_allreduce(struct hccl_run *r, char *recv, uint64_t bytes)
{
	struct halves h = count(r->c);
	struct hccl_piece all = { recv, bytes };

	fold(r, &h, recv, bytes, false);
	for (uint32_t d = 1; d < h.p && h.number >= 0; d *= 2)
		both_ways(r, rank_of(&h, (uint32_t)h.number ^ d), all, all, true);
	fold(r, &h, recv, bytes, true);
}

void halving_allreduce(struct hccl_run *r, char *recv, uint64_t bytes)
{
	struct halves h = count(r->c);
	uint64_t n = bytes / r->elem, low = 0, high = n, middle;
	/* how the range was before each step, for the way back */
	uint64_t lows[32], highs[32];
	uint32_t d, step = 0;

	fold(r, &h, recv, bytes, false);
	for (d = h.p / 2; d && h.number >= 0; d /= 2, step++) {
		struct hccl_piece half[2];
		bool up = (uint32_t)h.number & d;

		lows[step] = low;
		highs[step] = high;
		middle = low + (high - low) / 2;
		half[0] = (struct hccl_piece){ recv + low * r->elem, (middle - low) * r->elem };
		half[1] = (struct hccl_piece){ recv + middle * r->elem, (high - middle) * r->elem };
		both_ways(r, rank_of(&h, (uint32_t)h.number ^ d), half[!up], half[up], true);
		low = up ? middle : low;
		high = up ? high : middle;
	}
	for (d = 1; d < h.p && h.number >= 0; d *= 2) {
		uint64_t whole_low = lows[--step], whole_high = highs[step];
		struct hccl_piece mine = { recv + low * r->elem, (high - low) * r->elem };
		struct hccl_piece other = { recv + whole_low * r->elem, (low - whole_low) * r->elem };

		if (low == whole_low)
			other = (struct hccl_piece){ recv + high * r->elem, (whole_high - high) * r->elem };
		both_ways(r, rank_of(&h, (uint32_t)h.number ^ d), mine, other, false);
		low = whole_low;
		high = whole_high;
	}
	fold(r, &h, recv, bytes, true);
}
