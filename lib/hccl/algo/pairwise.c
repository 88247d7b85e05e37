// SPDX-License-Identifier: MIT
/*
 * In step d, rank r sends to r + d and receives from r - d. All ranks go through the steps in the same order, so that
 * those that have nothing for each other hold up nobody. In a scatter the root alone sends, to the ranks behind it in turn.
 */
#include "hccl_inside.h"

static void to_itself(struct hccl_run *r, const struct hccl_piece *tx, uint32_t ntx, const struct hccl_piece *rx,
		      uint32_t nrx)
{
	for (uint32_t i = 0; i < ntx && i < nrx; i++)
		link_copy(r, rx[i].at, tx[i].at, tx[i].bytes < rx[i].bytes ? tx[i].bytes : rx[i].bytes);
}

void pairwise(struct hccl_run *r, struct hccl_piece **tx, const uint32_t *ntx, struct hccl_piece **rx,
	      const uint32_t *nrx)
{
	uint32_t n = r->c->ranks, me = r->c->rank;

	to_itself(r, tx[me], ntx[me], rx[me], nrx[me]);
	for (uint32_t d = 1; d < n && !r->ret; d++) {
		uint32_t to = (me + d) % n, from = (me + n - d) % n;
		struct hccl_flow out = { to, tx[to], ntx[to], 0 }, in = { from, rx[from], nrx[from], 0 };

		link_exchange(r, out, in, false);
	}
}

void scatter(struct hccl_run *r, char *send, char *recv, uint64_t bytes, uint32_t root)
{
	struct hccl_piece piece = { recv, bytes };
	struct hccl_flow nothing = { 0 }, flow = { root, &piece, 1, 0 };

	if (r->c->rank != root) {
		link_exchange(r, nothing, flow, false);
		return;
	}
	link_copy(r, recv, send + bytes * root, bytes);
	for (uint32_t d = 1; d < r->c->ranks; d++) {
		flow.peer = (root + d) % r->c->ranks;
		piece.at = send + bytes * flow.peer;
		link_exchange(r, flow, nothing, false);
	}
}
