// SPDX-License-Identifier: MIT
/*
 * Rings: rank r sends to r + 1 and receives from r - 1.
 *
 * Order of operations: part p of a reduction begins with the element of rank p + 1, and those of p + 2, p + 3, ... are
 * applied to it, rank p's last. That is so whatever the size of chunks is, and whoever is late.
 */
#include "hccl_inside.h"

static uint32_t turn(const struct hccl_run *r, uint32_t back)
{
	return (r->c->rank + 2 * r->c->ranks - back) % r->c->ranks;
}

static uint32_t next(const struct hccl_run *r)
{
	return (r->c->rank + 1) % r->c->ranks;
}

static uint32_t previous(const struct hccl_run *r)
{
	return turn(r, 1);
}

/* Bytes of the chunk at @at of a part; parts that are shorter have none at the end */
static uint64_t chunk(const struct hccl_run *r, const struct hccl_part *p, uint64_t at)
{
	uint64_t rest = p->bytes > at ? p->bytes - at : 0;

	return rest < r->c->slot_bytes ? rest : r->c->slot_bytes;
}

static uint64_t largest(const struct hccl_run *r, const struct hccl_part *parts)
{
	uint64_t most = 0;

	for (uint32_t i = 0; i < r->c->ranks; i++)
		most = parts[i].bytes > most ? parts[i].bytes : most;
	return most;
}

/*
 * One chunk of each part goes round once and is reduced on its way. It ends at the rank with the part's number: in
 * @recv, and if @on at the next rank, too.
 */
static void reduce_round(struct hccl_run *r, char *send, const struct hccl_part *parts, uint64_t at, char *recv, bool on)
{
	uint32_t n = r->c->ranks, b = turn(r, 1);
	uint64_t bytes = chunk(r, &parts[b], at);
	char *slot;

	if (bytes)
		link_send(r, next(r), send + parts[b].at + at, bytes);
	for (uint32_t s = 1; s < n; s++) {
		b = turn(r, s + 1);
		bytes = chunk(r, &parts[b], at);
		if (!bytes)
			continue;
		slot = link_wait(r, previous(r));
		hccl_reduce(r, slot, send + parts[b].at + at, bytes);
		if (s == n - 1)
			link_copy(r, recv + at, slot, bytes);
		if (s < n - 1 || on)
			link_send(r, next(r), slot, bytes);
		link_release(r, previous(r));
	}
}

/* One chunk of each part goes round; this rank's has been sent */
static void gather_round(struct hccl_run *r, char *recv, const struct hccl_part *parts, uint64_t at)
{
	uint32_t n = r->c->ranks, b;
	uint64_t bytes;
	char *slot;

	for (uint32_t s = 0; s < n - 1; s++) {
		b = turn(r, s + 1);
		bytes = chunk(r, &parts[b], at);
		if (!bytes)
			continue;
		slot = link_wait(r, previous(r));
		link_copy(r, recv + parts[b].at + at, slot, bytes);
		if (s < n - 2)
			link_send(r, next(r), slot, bytes);
		link_release(r, previous(r));
	}
}

void ring_allreduce(struct hccl_run *r, char *send, char *recv, uint64_t bytes)
{
	struct hccl_part parts[HCCL_MAX_RANKS];
	uint64_t most;

	hccl_parts(parts, r->c->ranks, bytes, r->elem);
	most = largest(r, parts);
	for (uint64_t at = 0; at < most && !r->ret; at += r->c->slot_bytes) {
		reduce_round(r, send, parts, at, recv + parts[r->c->rank].at, true);
		gather_round(r, recv, parts, at);
	}
}

void ring_reducescatter(struct hccl_run *r, char *send, const struct hccl_part *parts, char *recv)
{
	uint64_t most = largest(r, parts);

	for (uint64_t at = 0; at < most && !r->ret; at += r->c->slot_bytes)
		reduce_round(r, send, parts, at, recv, false);
}

void ring_allgather(struct hccl_run *r, char *recv, const struct hccl_part *parts)
{
	const struct hccl_part *mine = &parts[r->c->rank];
	uint64_t most = largest(r, parts);

	for (uint64_t at = 0; at < most && !r->ret; at += r->c->slot_bytes) {
		if (chunk(r, mine, at))
			link_send(r, next(r), recv + mine->at + at, chunk(r, mine, at));
		gather_round(r, recv, parts, at);
	}
}

/* From the root along the ring to the rank before it */
void ring_broadcast(struct hccl_run *r, char *buf, uint64_t bytes, uint32_t root)
{
	struct hccl_part all = { 0, bytes };
	bool last = next(r) == root;
	uint64_t n;
	char *slot;

	for (uint64_t at = 0; at < bytes && !r->ret; at += n) {
		n = chunk(r, &all, at);
		if (r->c->rank == root) {
			link_send(r, next(r), buf + at, n);
			continue;
		}
		slot = link_wait(r, previous(r));
		link_copy(r, buf + at, slot, n);
		if (!last)
			link_send(r, next(r), slot, n);
		link_release(r, previous(r));
	}
}

/* From the rank behind the root along the ring to the root, whose element is applied last */
void ring_reduce(struct hccl_run *r, char *send, char *recv, uint64_t bytes, uint32_t root)
{
	struct hccl_part all = { 0, bytes };
	bool first = previous(r) == root;
	uint64_t n;
	char *slot;

	for (uint64_t at = 0; at < bytes && !r->ret; at += n) {
		n = chunk(r, &all, at);
		if (first) {
			link_send(r, next(r), send + at, n);
			continue;
		}
		slot = link_wait(r, previous(r));
		hccl_reduce(r, slot, send + at, n);
		if (r->c->rank == root)
			link_copy(r, recv + at, slot, n);
		else
			link_send(r, next(r), slot, n);
		link_release(r, previous(r));
	}
}
