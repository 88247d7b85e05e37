// SPDX-License-Identifier: MIT
/*
 * Binomial trees. Ranks are numbered from the root, which is 0; the parent of number v is v without its lowest 1.
 *
 * Order of operations: a rank's own element, to which the results of its children v + 1, v + 2, v + 4, ... are applied.
 */
#include "hccl_inside.h"

struct tree {
	uint32_t n, number, root;
	uint32_t above; /* children are number + d for powers of two d below it */
};

static struct tree grow(const struct hccl_comm *c, uint32_t root)
{
	struct tree t = { .n = c->ranks, .root = root, .number = (c->rank + c->ranks - root) % c->ranks };

	t.above = t.number ? t.number & -t.number : 1;
	while (!t.number && t.above < t.n)
		t.above *= 2;
	return t;
}

static uint32_t rank_of(const struct tree *t, uint32_t number)
{
	return (number + t->root) % t->n;
}

static uint32_t parent(const struct tree *t)
{
	return rank_of(t, t->number & (t->number - 1));
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

void tree_broadcast(struct hccl_run *r, char *buf, uint64_t bytes, uint32_t root)
{
	struct tree t = grow(r->c, root);

	for (uint64_t at = 0; at < bytes && !r->ret; at += r->c->slot_bytes) {
		uint64_t n = least(bytes - at, r->c->slot_bytes);

		if (t.number)
			link_recv(r, parent(&t), buf + at, n);
		/* the child with the largest tree first */
		for (uint32_t d = t.above / 2; d; d /= 2)
			if (t.number + d < t.n)
				link_send(r, rank_of(&t, t.number + d), buf + at, n);
	}
}

/* Without a buffer for results, which only the root has: in the slot of the first child's chunk */
static void reduce_in_slot(struct hccl_run *r, const struct tree *t, char *send, uint64_t n)
{
	uint32_t first = rank_of(t, t->number + 1);
	char *slot = link_wait(r, first);

	hccl_reduce(r, slot, send, n);
	for (uint32_t d = 2; d < t->above && t->number + d < t->n; d *= 2)
		link_recv_reduce(r, rank_of(t, t->number + d), slot, n);
	link_send(r, parent(t), slot, n);
	link_release(r, first);
}

void tree_reduce(struct hccl_run *r, char *send, char *recv, uint64_t bytes, uint32_t root)
{
	struct tree t = grow(r->c, root);
	bool leaf = t.above == 1 || t.number + 1 >= t.n;

	if (!t.number)
		link_copy(r, recv, send, bytes);
	for (uint64_t at = 0; at < bytes && !r->ret; at += r->c->slot_bytes) {
		uint64_t n = least(bytes - at, r->c->slot_bytes);

		if (!t.number)
			for (uint32_t d = 1; d < t.n; d *= 2)
				link_recv_reduce(r, rank_of(&t, d), recv + at, n);
		else if (leaf)
			link_send(r, parent(&t), send + at, n);
		else
			reduce_in_slot(r, &t, send + at, n);
	}
}

/* After round d a rank knows of 2d others; log2 of the ranks' number */
void tree_barrier(struct hccl_run *r)
{
	uint32_t n = r->c->ranks, me = r->c->rank;

	for (uint32_t d = 1; d < n; d *= 2) {
		link_send(r, (me + d) % n, NULL, 0);
		link_recv(r, (me + n - d) % n, NULL, 0);
	}
}
