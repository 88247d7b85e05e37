// SPDX-License-Identifier: MIT
/*
 * Which algorithm a call takes: what HCCL_ALGO asks for, else by size and number of ranks. All ranks must come to the
 * same answer, so it depends on nothing else.
 *
 * HCCL_ALGO is "level0:NA;level1:ring" for all calls or "allreduce=level0:NA;level1:ring/others=...". Level 1 counts; the
 * other levels may be there and say nothing.
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "hccl_inside.h"

/* Up to here, few steps count more than moving data only once */
#define MIDDLE_ALLREDUCE (256 << 10)
#define SMALL_TREE (256 << 10)

struct word {
	const char *at;
	size_t size;
};

static bool is(const struct word *w, const char *text)
{
	return w->size == strlen(text) && !strncasecmp(w->at, text, w->size);
}

static bool find_call(const struct word *w, enum hccl_call *call)
{
	static const struct {
		const char *name;
		enum hccl_call call;
	} names[] = {
		{ "allreduce", CALL_ALLREDUCE }, { "reduce", CALL_REDUCE }, { "broadcast", CALL_BROADCAST },
		{ "reducescatter", CALL_REDUCESCATTER }, { "reduce_scatter", CALL_REDUCESCATTER },
		{ "allgather", CALL_ALLGATHER }, { "scatter", CALL_SCATTER }, { "alltoall", CALL_ALLTOALL },
		{ "sendrecv", CALL_PAIR }, { "others", CALLS },
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		*call = names[i].call;
		if (is(w, names[i].name))
			return true;
	}
	return false;
}

static bool find_algo(const struct word *w, enum hccl_algo *algo)
{
	static const struct {
		const char *name;
		enum hccl_algo algo;
	} names[] = {
		{ "ring", HCCL_ALGO_RING }, { "H-D_R", HCCL_ALGO_HD }, { "tree", HCCL_ALGO_TREE },
		{ "pairwise", HCCL_ALGO_PAIRWISE }, { "NA", HCCL_ALGO_AUTO },
		/* for networks that are not here: chosen by size instead */
		{ "NHR", HCCL_ALGO_AUTO }, { "NHR_V1", HCCL_ALGO_AUTO }, { "NB", HCCL_ALGO_AUTO },
		{ "AHC", HCCL_ALGO_AUTO }, { "AHC_BROKE", HCCL_ALGO_AUTO }, { "pipeline", HCCL_ALGO_AUTO },
		{ "fullmesh", HCCL_ALGO_MESH }, { "doublering", HCCL_ALGO_AUTO }, { "null", HCCL_ALGO_AUTO },
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		*algo = names[i].algo;
		if (is(w, names[i].name))
			return true;
	}
	return false;
}

/* Up to one of @ends */
static struct word cut(const char **at, const char *ends)
{
	struct word w = { *at, strcspn(*at, ends) };

	*at += w.size;
	if (**at)
		(*at)++;
	return w;
}

/* "level0:NA;level1:ring" */
static bool read_levels(struct word levels, enum hccl_algo *out)
{
	char text[HCCL_COMM_ALGO_MAX_LENGTH];
	const char *at = text;
	enum hccl_algo algo;

	snprintf(text, sizeof(text), "%.*s", (int)levels.size, levels.at);
	if (!*at)
		return false;
	while (*at) {
		struct word name = cut(&at, ":"), value = cut(&at, ";");

		if (!is(&name, "level0") && !is(&name, "level1") && !is(&name, "level2") && !is(&name, "level3"))
			return false;
		if (!find_algo(&value, &algo))
			return false;
		if (is(&name, "level1"))
			*out = algo;
	}
	return true;
}

static HcclResult bad(const char *text)
{
	return hccl_fail(HCCL_E_PARA, "HCCL_ALGO or hcclAlgo is '%.160s' and must be like 'level0:NA;level1:ring' or "
			 "'allreduce=level0:NA;level1:H-D_R/others=level0:NA;level1:ring', with ring, H-D_R, tree, "
			 "pairwise or NA", text);
}

HcclResult hccl_algo_read(const char *text, enum hccl_algo algo[CALLS])
{
	const char *at = text;
	enum hccl_call call;
	bool named[CALLS] = { false };

	if (strlen(text) >= HCCL_COMM_ALGO_MAX_LENGTH)
		return bad(text);
	while (*at) {
		struct word part = cut(&at, "/"), name = { part.at, strcspn(part.at, "=/") };
		enum hccl_algo one = HCCL_ALGO_AUTO;

		call = CALLS;
		if (name.size < part.size) {
			if (!find_call(&name, &call))
				return bad(text);
			part.at += name.size + 1;
			part.size -= name.size + 1;
		}
		if (!read_levels(part, &one))
			return bad(text);
		for (unsigned int i = 0; i < CALLS; i++)
			if (call == i || (call == CALLS && !named[i]))
				algo[i] = one;
		if (call != CALLS)
			named[call] = true;
	}
	return HCCL_SUCCESS;
}

/* For large messages: everybody to everybody on one machine, which means that inside of each of several, too */
static enum hccl_algo by_place(const struct hccl_comm *c)
{
	return c->machines == 1 ? HCCL_ALGO_MESH : c->machines ? HCCL_ALGO_MACHINES : HCCL_ALGO_RING;
}

enum hccl_algo hccl_algo_of(const struct hccl_run *r, enum hccl_call call, uint64_t bytes)
{
	enum hccl_algo want = r->c->set.algo[call];

	switch (call) {
	case CALL_ALLREDUCE:
		if (want == HCCL_ALGO_RING || want == HCCL_ALGO_TREE || want == HCCL_ALGO_HD || want == HCCL_ALGO_MESH)
			return want;
		return bytes <= MIDDLE_ALLREDUCE ? HCCL_ALGO_HD : by_place(r->c);
	case CALL_REDUCE:
	case CALL_BROADCAST:
		if (want == HCCL_ALGO_RING || want == HCCL_ALGO_TREE)
			return want;
		return bytes <= SMALL_TREE || r->c->ranks < 3 ? HCCL_ALGO_TREE : HCCL_ALGO_RING;
	case CALL_REDUCESCATTER:
	case CALL_ALLGATHER:
		if (want == HCCL_ALGO_RING || want == HCCL_ALGO_MESH)
			return want;
		return by_place(r->c);
	default:
		return HCCL_ALGO_PAIRWISE;
	}
}

void hccl_parts(struct hccl_part *parts, uint32_t n, uint64_t bytes, uint32_t elem)
{
	/* whole cache lines, so that ranks of one device do not write to the same ones */
	uint64_t unit = elem > 64 ? elem : 64, units = (bytes + unit - 1) / unit;

	for (uint32_t i = 0; i < n; i++) {
		uint64_t from = units * i / n * unit, to = units * (i + 1) / n * unit;

		parts[i].at = from < bytes ? from : bytes;
		parts[i].bytes = (to < bytes ? to : bytes) - parts[i].at;
	}
}
