// SPDX-License-Identifier: MIT
/*
 * Everybody to everybody: where all ranks are reached alike, as on one machine, a part of the message goes to the rank that
 * reduces it at once, and not from rank to rank. As many bytes as in a ring, in two steps.
 *
 * Order of operations: that of the ring. Part p of a reduction begins with the element of rank p + 1, and those of p + 2,
 * p + 3, ... are applied to it, rank p's last.
 *
 * Where ranks read each other's slots, an all-reduce of large messages leaves the result of a part in a slot of the rank that has
 * made it, and all others copy it from there. Of two ranks, the one that copies it has filled the slot and fills it again, so nobody is
 * told that it was read.
 *
 * Over machines with as many ranks each: inside a machine parts are reduced, then each part between the ranks of all machines
 * that have it, then everybody in a machine gets all parts.
 */
#include <string.h>

#include "hccl_inside.h"

/* Of a part: for less, that others have to say when they have read costs more than a copy for each of them */
#define SHARED_LEAST (64 << 10)

/* Of those ranks between which something goes, number @i, counted round */
static uint32_t rank_of(const struct hccl_group *g, uint32_t i)
{
	return g->ranks[i % g->n * g->step];
}

/* Bytes of the chunk at @at of a part; parts that are shorter have none at the end */
static uint64_t chunk(const struct hccl_run *r, const struct hccl_part *p, uint64_t at)
{
	uint64_t rest = p->bytes > at ? p->bytes - at : 0;

	return rest < r->c->slot_bytes ? rest : r->c->slot_bytes;
}

static uint64_t largest(const struct hccl_group *g, const struct hccl_part *parts)
{
	uint64_t most = 0;

	for (uint32_t i = 0; i < g->n; i++)
		most = parts[i].bytes > most ? parts[i].bytes : most;
	return most;
}

/* The others' chunks of this rank's part have come, or will; returns where their sum is, in a slot of the next rank's */
static char *sum_up(struct hccl_run *r, const struct hccl_group *g, const char *mine, uint64_t bytes)
{
	char *first = link_wait(r, rank_of(g, g->me + 1));

	for (uint32_t d = 2; d < g->n; d++)
		link_recv_reduce(r, rank_of(g, g->me + d), first, bytes);
	hccl_reduce(r, first, mine, bytes);
	return first;
}

/* To each rank the chunk at @at of its part */
static void send_chunks(struct hccl_run *r, const struct hccl_group *g, const char *send, const struct hccl_part *parts,
			uint64_t at)
{
	for (uint32_t d = 1; d < g->n; d++) {
		const struct hccl_part *p = &parts[(g->me + d) % g->n];
		uint64_t bytes = chunk(r, p, at);

		if (bytes)
			link_send(r, rank_of(g, g->me + d), send + p->at + at, bytes);
	}
}

void mesh_reducescatter(struct hccl_run *r, const struct hccl_group *g, char *send, const struct hccl_part *parts, char *recv)
{
	uint64_t most = largest(g, parts), bytes;

	if (g->n == 1) {
		link_copy(r, recv, send + parts[0].at, parts[0].bytes);
		return;
	}
	for (uint64_t at = 0; at < most && !r->ret; at += r->c->slot_bytes) {
		send_chunks(r, g, send, parts, at);
		bytes = chunk(r, &parts[g->me], at);
		if (bytes) {
			link_copy(r, recv + at, sum_up(r, g, send + parts[g->me].at + at, bytes), bytes);
			link_release(r, rank_of(g, g->me + 1));
		}
	}
}

void mesh_allgather(struct hccl_run *r, const struct hccl_group *g, char *recv, const struct hccl_part *parts)
{
	const struct hccl_part *mine = &parts[g->me];
	uint64_t most = largest(g, parts), bytes;

	for (uint64_t at = 0; at < most && !r->ret; at += r->c->slot_bytes) {
		bytes = chunk(r, mine, at);
		for (uint32_t d = 1; d < g->n && bytes; d++)
			link_send(r, rank_of(g, g->me + d), recv + mine->at + at, bytes);
		for (uint32_t d = 1; d < g->n; d++) {
			uint32_t from = (g->me + g->n - d) % g->n;

			bytes = chunk(r, &parts[from], at);
			if (bytes)
				link_recv(r, rank_of(g, from), recv + parts[from].at + at, bytes);
		}
	}
}

static void allreduce(struct hccl_run *r, const struct hccl_group *g, char *send, char *recv, uint64_t bytes)
{
	struct hccl_part parts[HCCL_MAX_RANKS];

	hccl_parts(parts, g->n, bytes, r->elem);
	mesh_reducescatter(r, g, send, parts, recv + parts[g->me].at);
	mesh_allgather(r, g, recv, parts);
}

/* The chunk at @at of this rank's part, for which all others wait */
static void show_sum(struct hccl_run *r, const struct hccl_group *g, const char *mine, char *recv, uint64_t bytes)
{
	uint32_t next = rank_of(g, g->me + 1);
	char *result = sum_up(r, g, mine, bytes);

	/* the only one that reads the slot is the one that fills it next, and it asks nobody before it does */
	if (g->n == 2)
		link_copy(r, recv, result, bytes);
	for (uint32_t d = 1; d < g->n; d++)
		link_show(r, next, rank_of(g, g->me + d));
	if (g->n > 2)
		link_copy(r, recv, result, bytes);
}

static void end_show(struct hccl_run *r, const struct hccl_group *g)
{
	uint32_t next = rank_of(g, g->me + 1);

	if (g->n == 2) {
		link_pass(r, next);
		return;
	}
	for (uint32_t d = 1; d < g->n; d++)
		link_shown(r, next, rank_of(g, g->me + d));
	link_release(r, next);
}

/* Copies the sums that rank @owner has made of its part, in a slot that the rank behind it fills */
static void see_sum(struct hccl_run *r, const struct hccl_group *g, uint32_t owner, uint64_t turn, char *recv, uint64_t bytes)
{
	if (g->n == 2)
		link_see_own(r, rank_of(g, owner), turn, recv, bytes);
	else
		link_see(r, rank_of(g, owner), rank_of(g, owner + 1), turn, recv, bytes);
}

/* Ranks send a chunk ahead, so that whoever is early has something to do */
static void shared_allreduce(struct hccl_run *r, const struct hccl_group *g, char *send, char *recv, uint64_t bytes)
{
	struct hccl_part parts[HCCL_MAX_RANKS];
	const struct hccl_part *mine = &parts[g->me];
	uint64_t most, step = r->c->slot_bytes;

	hccl_parts(parts, g->n, bytes, r->elem);
	most = largest(g, parts);
	send_chunks(r, g, send, parts, 0);
	for (uint64_t at = 0; at < most && !r->ret; at += step) {
		send_chunks(r, g, send, parts, at + step);
		if (chunk(r, mine, at))
			show_sum(r, g, send + mine->at + at, recv + mine->at + at, chunk(r, mine, at));
		for (uint32_t d = 1; d < g->n; d++) {
			uint32_t owner = (g->me + g->n - d) % g->n;
			uint64_t n = chunk(r, &parts[owner], at);

			if (n)
				see_sum(r, g, owner, at / step, recv + parts[owner].at + at, n);
		}
		if (chunk(r, mine, at))
			end_show(r, g);
	}
}

void mesh_allreduce(struct hccl_run *r, char *send, char *recv, uint64_t bytes)
{
	if (r->c->wire || bytes / r->c->ranks < SHARED_LEAST)
		allreduce(r, &r->c->all, send, recv, bytes);
	else
		shared_allreduce(r, &r->c->all, send, recv, bytes);
}

/* Over machines ---------------------------------------------------------------------------------- */

void machines_allreduce(struct hccl_run *r, char *send, char *recv, uint64_t bytes)
{
	const struct hccl_group *here = &r->c->here;
	struct hccl_part parts[HCCL_MAX_RANKS];
	char *mine;

	hccl_parts(parts, here->n, bytes, r->elem);
	mine = recv + parts[here->me].at;
	mesh_reducescatter(r, here, send, parts, mine);
	allreduce(r, &r->c->across, mine, mine, parts[here->me].bytes);
	mesh_allgather(r, here, recv, parts);
}

/* As sum_up(), also for a rank that is alone on its machine; end_here() gives the slot back */
static const char *sum_here(struct hccl_run *r, const char *mine, uint64_t bytes)
{
	return r->c->here.n > 1 ? sum_up(r, &r->c->here, mine, bytes) : mine;
}

static void end_here(struct hccl_run *r)
{
	if (r->c->here.n > 1)
		link_release(r, rank_of(&r->c->here, r->c->here.me + 1));
}

/*
 * For one machine after the other, this rank's comes last: the ranks here add up what they have of the parts of that machine's ranks, and
 * the sum goes from the slot that it is in to the rank there. So partial results need no memory of their own.
 */
void machines_reducescatter(struct hccl_run *r, char *send, const struct hccl_part *parts, char *recv)
{
	const struct hccl_group *here = &r->c->here, *across = &r->c->across;
	uint64_t most = largest(&r->c->all, parts), bytes;
	struct hccl_part some[HCCL_MAX_RANKS];
	const char *sum;

	for (uint64_t at = 0; at < most && !r->ret; at += r->c->slot_bytes) {
		for (uint32_t d = 1; d <= across->n; d++) {
			uint32_t machine = (across->me + d) % across->n;

			for (uint32_t i = 0; i < here->n; i++)
				some[i] = parts[r->c->grid[machine * here->n + i]];
			send_chunks(r, here, send, some, at);
			bytes = chunk(r, &some[here->me], at);
			if (!bytes)
				continue;
			sum = sum_here(r, send + some[here->me].at + at, bytes);
			if (d < across->n) {
				link_send(r, rank_of(across, machine), sum, bytes);
			} else {
				link_copy(r, recv + at, sum_up(r, across, sum, bytes), bytes);
				link_release(r, rank_of(across, across->me + 1));
			}
			end_here(r);
		}
	}
}

/* Each part goes once to each machine, and there to all */
void machines_allgather(struct hccl_run *r, char *recv, const struct hccl_part *parts)
{
	struct hccl_part some[HCCL_MAX_RANKS];
	const struct hccl_comm *c = r->c;

	for (uint32_t i = 0; i < c->across.n; i++)
		some[i] = parts[rank_of(&c->across, i)];
	mesh_allgather(r, &c->across, recv, some);
	for (uint32_t machine = 0; machine < c->machines; machine++) {
		for (uint32_t i = 0; i < c->here.n; i++)
			some[i] = parts[c->grid[machine * c->here.n + i]];
		mesh_allgather(r, &c->here, recv, some);
	}
}

/* Places of ranks -------------------------------------------------------------------------------- */

/* Machines in the order of their first ranks; 0: they do not have as many ranks each */
static uint32_t count_machines(const uint64_t *machines, uint32_t ranks, uint32_t *each)
{
	uint32_t n = 0, size;

	*each = 0;
	for (uint32_t i = 0; i < ranks; i++) {
		bool seen = false;

		for (uint32_t k = 0; k < i && !seen; k++)
			seen = machines[k] == machines[i];
		if (seen)
			continue;
		size = 0;
		for (uint32_t k = i; k < ranks; k++)
			size += machines[k] == machines[i];
		if (n++ && size != *each)
			return 0;
		*each = size;
	}
	return n;
}

static void fill_row(struct hccl_comm *c, const uint64_t *machines, uint32_t first, uint32_t *row)
{
	uint32_t used = 0;

	for (uint32_t i = first; i < c->ranks; i++)
		if (machines[i] == machines[first])
			row[used++] = i;
}

void hccl_find_groups(struct hccl_comm *c, const uint64_t *machines)
{
	uint32_t each, row = 0;

	c->grid = c->places + c->ranks;
	for (uint32_t i = 0; i < c->ranks; i++)
		c->places[i] = i;
	c->all = (struct hccl_group){ c->places, 1, c->ranks, c->rank };
	c->machines = count_machines(machines, c->ranks, &each);
	for (uint32_t i = 0; i < c->ranks && c->machines; i++) {
		bool seen = false;

		for (uint32_t k = 0; k < i && !seen; k++)
			seen = machines[k] == machines[i];
		if (!seen)
			fill_row(c, machines, i, c->grid + each * row++);
	}
	for (uint32_t i = 0; i < c->ranks && c->machines; i++) {
		if (c->grid[i] != c->rank)
			continue;
		c->here = (struct hccl_group){ c->grid + i / each * each, 1, each, i % each };
		c->across = (struct hccl_group){ c->grid + i % each, each, c->machines, i / each };
	}
}
