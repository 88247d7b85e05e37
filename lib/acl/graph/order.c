// SPDX-License-Identifier: MIT
/*
 * The order of a recording's tasks. The device runs them in the order of their calls; programs of the driver
 * API ask which of them wait for which, while the recording goes on, too, and may change what the next one waits for.
 *
 * Each lane has ends: the tasks behind which its next one comes. Events that order the streams of a recording carry ends
 * from lane to lane, and are no tasks here.
 */
#include <stdlib.h>
#include <string.h>

#include "graph/inside.h"

static bool has(const struct graph_ends *e, uint32_t task)
{
	uint32_t i;

	for (i = 0; i < e->count && e->task[i] != task; i++)
		;
	return i < e->count;
}

/* One end more, unless it is there; graph locked */
static aclError add_end(struct graph_ends *e, uint32_t task)
{
	uint32_t *more;

	if (has(e, task))
		return ACL_SUCCESS;
	more = realloc(e->task, (e->count + 1) * sizeof(*more));
	if (!more)
		return acl_fail(ACL_ERROR_BAD_ALLOC, "no memory for a graph");
	e->task = more;
	more[e->count++] = task;
	return ACL_SUCCESS;
}

aclError graph_ends_add(struct graph_ends *to, const struct graph_ends *from)
{
	aclError ret = ACL_SUCCESS;
	uint32_t i;

	for (i = 0; i < from->count && !ret; i++)
		ret = add_end(to, from->task[i]);
	return ret;
}

void graph_ends_free(struct graph_ends *e)
{
	free(e->task);
	*e = (struct graph_ends){ 0 };
}

static aclError add_pair(struct anpu_graph *g, uint32_t from, uint32_t to)
{
	struct graph_pair *pairs = graph_grow(g->pairs, g->pair_count, &g->pair_room, sizeof(*pairs));

	if (!pairs)
		return ACL_ERROR_BAD_ALLOC;
	g->pairs = pairs;
	pairs[g->pair_count++] = (struct graph_pair){ from, to };
	return ACL_SUCCESS;
}

aclError graph_order_task(struct anpu_graph *g, const struct graph_task *t)
{
	uint32_t task = (uint32_t)(t - g->tasks), i;
	struct graph_ends *ends = &g->lanes[t->lane].ends;
	aclError ret = ACL_SUCCESS;

	for (i = 0; i < ends->count && !ret; i++)
		ret = add_pair(g, ends->task[i], task);
	ends->count = 0;
	if (!ret)
		ret = add_end(ends, task);
	return ret ? graph_void(g, ret) : ACL_SUCCESS;
}

/* Up to which task of its lane a task stands for: what follows there and is no node is events, without any effect */
static uint32_t reach_of(const struct anpu_graph *g, uint32_t task)
{
	uint32_t lane = g->tasks[task].lane, i;

	for (i = task + 1; i < g->task_count; i++)
		if (g->tasks[i].lane == lane && graph_is_node(g, i))
			return task + 1;
	return g->lanes[lane].last;
}

/* Marks what marked tasks come behind, directly or not */
static void mark_before(const struct anpu_graph *g, bool *marked)
{
	bool more = true;
	uint32_t i;

	while (more) {
		more = false;
		for (i = g->pair_count; i--;)
			if (marked[g->pairs[i].to] && !marked[g->pairs[i].from])
				more = marked[g->pairs[i].from] = true;
	}
}

/* The lane knows what its ends come behind, directly or not: streams that have recorded these have joined it */
static aclError know_ends(struct anpu_graph *g, struct graph_lane *lane)
{
	bool *behind = calloc(g->task_count + 1, sizeof(*behind));
	uint32_t i, reach;

	if (!behind)
		return acl_fail(ACL_ERROR_BAD_ALLOC, "no memory for a graph");
	for (i = 0; i < lane->ends.count; i++)
		behind[lane->ends.task[i]] = true;
	mark_before(g, behind);
	for (i = 0; i < g->task_count; i++) {
		if (!behind[i])
			continue;
		reach = reach_of(g, i);
		if (lane->known[g->tasks[i].lane] < reach)
			lane->known[g->tasks[i].lane] = reach;
	}
	free(behind);
	return ACL_SUCCESS;
}

/* The checking mode --------------------------------------------------------------------------------------- */

/* Memory that a task uses, as far as it is known */
struct use {
	uint32_t task;
	struct anpu_access a;
};

#define USES 1024 /* of a graph that are looked at */

/* How many uses @list has of the first tasks. Graph locked */
static uint32_t list_uses(const struct anpu_graph *g, struct use *list)
{
	struct anpu_access a[ANPU_LAUNCH_USES];
	uint32_t n = 0, i, k, j, more;

	for (i = 0; i < g->task_count; i++) {
		const struct graph_task *t = &g->tasks[i];

		for (k = 0; !t->disabled && !t->removed && t->control == GRAPH_PLAIN && k < t->count; k++) {
			const union anpu_packet *pkt = &g->packets[t->first + k];

			more = pkt->hdr.opcode == ANPU_OP_KERNEL ? anpu_launch_uses(pkt->kernel.args, a) : anpu_races_uses(pkt, a);
			for (j = 0; j < more && n < USES; j++)
				list[n++] = (struct use){ i, a[j] };
			for (j = 0; pkt->hdr.opcode == ANPU_OP_COPY_2D && j < pkt->copy_2d.height && n + 2 <= USES; j++, n += 2) {
				anpu_races_row(&pkt->copy_2d, j, a);
				list[n] = (struct use){ i, a[0] };
				list[n + 1] = (struct use){ i, a[1] };
			}
		}
	}
	return n;
}

/* Marks @task and the tasks that come before it */
static void find_before(const struct anpu_graph *g, uint32_t task, bool *before)
{
	memset(before, 0, g->task_count * sizeof(*before));
	before[task] = true;
	mark_before(g, before);
}

static void tell_use(const struct anpu_graph *g, const struct use *first, const struct use *second)
{
	char where[1000];

	anpu_site_text(&g->tasks[first->task].site, where, sizeof(where));
	anpu_finding("race", &g->tasks[second->task].site,
		     "%s %s memory at %#llx, and %s, which %s it, has no order with it in the graph: let one depend on the other. That one "
		     "was made by %s, this one by",
		     second->a.what, second->a.write ? "writes" : "reads", (unsigned long long)second->a.va, first->a.what,
		     first->a.write ? "writes" : "reads", where);
}

/* @ran: the graph has run, and kernels of which only that tells what they do are compared */
static bool look(const struct anpu_graph *g, bool ran)
{
	struct use *list = calloc(USES, sizeof(*list));
	bool *before = calloc(g->task_count + 1, sizeof(*before)), *after = calloc(g->task_count + 1, sizeof(*after));
	uint32_t n = list && before && after ? list_uses(g, list) : 0, i, j;
	bool told = false;

	for (i = 0; i < n; i++) {
		bool marked = false;

		for (j = 0; j < i; j++) {
			if (list[i].task == list[j].task || !anpu_races_meet(&list[i].a, &list[j].a))
				continue;
			if (ran && !anpu_races_met(g->obj.dev, &list[i].a, &list[j].a))
				continue;
			if (!marked)
				find_before(g, list[i].task, before);
			marked = true;
			/* a node may have been added behind one that waits for it */
			if (!before[list[j].task])
				find_before(g, list[j].task, after);
			if (before[list[j].task] || after[list[i].task])
				continue;
			tell_use(g, &list[j], &list[i]);
			told = true;
		}
	}
	free(list);
	free(before);
	free(after);
	return told;
}

void graph_order_look(struct anpu_graph *g)
{
	g->in_order = !look(g, false);
}

void graph_order_look_back(const struct anpu_graph *g)
{
	if (g->in_order)
		(void)look(g, true);
}

/* The door ------------------------------------------------------------------------------------------------ */

static aclError task_of(const struct anpu_graph *g, aclmdlRITask task, uint32_t *out);

aclError anpu_front_graph_look(aclmdlRI graph, const aclmdlRITask (*pairs)[2], size_t n)
{
	struct graph_pair *list = calloc(n + 1, sizeof(*list));
	struct anpu_graph *g, ordered;
	aclError ret = ACL_SUCCESS;
	size_t i;

	ACL_ENTER();
	g = graph_find_locked(graph);
	if (g && list) {
		for (i = 0; i < n && !ret; i++) {
			ret = task_of(g, pairs[i][0], &list[i].from);
			if (!ret)
				ret = task_of(g, pairs[i][1], &list[i].to);
		}
		ordered = *g; /* the pairs are not the graph's own, which has its tasks in an order that fits them */
		ordered.pairs = list;
		ordered.pair_count = (uint32_t)n;
		if (!ret)
			graph_order_look(&ordered);
	}
	if (g)
		graph_unlock(g);
	free(list);
	return g ? ret : ACL_ERROR_RT_INVALID_HANDLE;
}

/* The recording of a stream that goes on, both locked and referenced */
static aclError lock_recording(aclrtStream stream, struct anpu_stream **s)
{
	aclError ret = anpu_stream_find(stream, s);

	if (ret)
		return ret;
	pthread_mutex_lock(&(*s)->lock);
	if (!(*s)->graph || (*s)->graph->built)
		ret = acl_fail(ACL_ERROR_RT_STREAM_NOT_CAPTURED, "stream %d is not being recorded", (*s)->number);
	else
		ret = graph_lock_of(*s);
	if (!ret)
		return ACL_SUCCESS;
	pthread_mutex_unlock(&(*s)->lock);
	anpu_stream_put(*s);
	return ret;
}

static void unlock_recording(struct anpu_stream *s)
{
	graph_unlock_of(s);
	pthread_mutex_unlock(&s->lock);
	anpu_stream_put(s);
}

aclError anpu_front_capture_ends(aclrtStream stream, aclmdlRITask *tasks, uint32_t room, uint32_t *n)
{
	const struct graph_ends *ends;
	struct anpu_stream *s;
	aclError ret;
	uint32_t i;

	ACL_ENTER();
	ret = lock_recording(stream, &s);
	if (ret)
		return ret;
	ends = &s->graph->lanes[s->lane].ends;
	*n = ends->count;
	for (i = 0; i < ends->count && i < room && !ret; i++)
		ret = graph_task_handle(s->graph, ends->task[i], &tasks[i]);
	unlock_recording(s);
	return ret;
}

/* The number of a task of the graph, which is locked */
static aclError task_of(const struct anpu_graph *g, aclmdlRITask task, uint32_t *out)
{
	uint32_t i;

	for (i = 0; i < g->task_count; i++)
		if (g->tasks[i].obj && !g->tasks[i].removed && acl_obj_handle(&g->tasks[i].obj->obj) == task)
			break;
	*out = i;
	return i < g->task_count ? ACL_SUCCESS
				 : acl_fail(ACL_ERROR_RT_PARAM_INVALID, "%p is no node of the graph that is recorded", task);
}

aclError anpu_front_capture_set_ends(aclrtStream stream, const aclmdlRITask *tasks, uint32_t n, bool add)
{
	struct graph_ends ends = { 0 };
	struct graph_lane *lane;
	struct anpu_stream *s;
	uint32_t i, task = 0;
	aclError ret;

	ACL_ENTER();
	ret = lock_recording(stream, &s);
	if (ret)
		return ret;
	lane = &s->graph->lanes[s->lane];
	if (add)
		ret = graph_ends_add(&ends, &lane->ends);
	for (i = 0; i < n && !ret; i++) {
		ret = task_of(s->graph, tasks[i], &task);
		if (!ret)
			ret = add_end(&ends, task);
	}
	if (ret) {
		graph_ends_free(&ends);
	} else {
		graph_ends_free(&lane->ends);
		lane->ends = ends;
		ret = know_ends(s->graph, lane);
	}
	unlock_recording(s);
	return ret;
}

aclError anpu_front_graph_pair(aclmdlRI graph, aclmdlRITask from, aclmdlRITask to)
{
	struct anpu_graph *g;
	uint32_t a = 0, b = 0;
	aclError ret;

	ACL_ENTER();
	g = graph_find_locked(graph);
	if (!g)
		return ACL_ERROR_RT_INVALID_HANDLE;
	ret = task_of(g, from, &a);
	if (!ret)
		ret = task_of(g, to, &b);
	if (!ret)
		ret = add_pair(g, a, b);
	graph_unlock(g);
	return ret;
}

aclError anpu_front_graph_pairs(aclmdlRI graph, uint32_t first, aclmdlRITask (*pairs)[2], uint32_t room, uint32_t *n)
{
	struct anpu_graph *g;
	aclError ret = ACL_SUCCESS;
	uint32_t i;

	ACL_ENTER();
	g = graph_find_locked(graph);
	if (!g)
		return ACL_ERROR_RT_INVALID_HANDLE;
	*n = g->pair_count;
	for (i = first; i < g->pair_count && i - first < room && !ret; i++) {
		ret = graph_task_handle(g, g->pairs[i].from, &pairs[i - first][0]);
		if (!ret)
			ret = graph_task_handle(g, g->pairs[i].to, &pairs[i - first][1]);
	}
	graph_unlock(g);
	return ret;
}
