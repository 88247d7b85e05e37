// SPDX-License-Identifier: MIT
/* Pinned memory and objects of the program that graphs and all copies of them use. Under cu_graph_lock. */
#include <stdlib.h>

#include "cuda/graph/graph.h"

static CUresult add(struct cu_shares *to, struct cu_share *share)
{
	struct cu_share **more = realloc(to->list, (to->n + 1) * sizeof(*more));

	if (!more)
		return cu_fail(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a graph");
	to->list = more;
	more[to->n++] = share;
	share->refs++;
	return CUDA_SUCCESS;
}

static bool has(const struct cu_shares *s, const struct cu_share *share)
{
	size_t i;

	for (i = 0; i < s->n && s->list[i] != share; i++)
		;
	return i < s->n;
}

CUresult cu_share_all(struct cu_shares *to, const struct cu_shares *from)
{
	CUresult ret = CUDA_SUCCESS;
	size_t i;

	for (i = 0; i < from->n && !ret; i++)
		if (!has(to, from->list[i]))
			ret = add(to, from->list[i]);
	return ret;
}

CUresult cu_share_add(struct cu_shares *to, void *data, void (*end)(void *data))
{
	struct cu_share *share = calloc(1, sizeof(*share));
	CUresult ret;

	if (!share)
		return cu_fail(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a graph");
	share->data = data;
	share->end = end;
	ret = add(to, share);
	if (ret)
		free(share);
	return ret;
}

static void put(struct cu_share *share)
{
	if (--share->refs)
		return;
	share->end(share->data);
	free(share);
}

bool cu_share_drop(struct cu_shares *s, const void *data, size_t n)
{
	size_t i, have = 0, kept = 0;

	for (i = 0; i < s->n; i++)
		have += s->list[i]->data == data;
	if (have < n)
		return false;
	for (i = 0; i < s->n; i++) {
		if (n && s->list[i]->data == data) {
			n--;
			put(s->list[i]);
		} else {
			s->list[kept++] = s->list[i];
		}
	}
	s->n = kept;
	return true;
}

void cu_share_end(struct cu_shares *s)
{
	size_t i;

	for (i = 0; i < s->n; i++)
		put(s->list[i]);
	free(s->list);
	*s = (struct cu_shares){ 0 };
}
