// SPDX-License-Identifier: MIT
/*
 * The private door (graph/front.h): tasks that are made of what was recorded elsewhere, tasks that stand for whole
 * graphs, and the order of tasks.
 */
#include <stdlib.h>
#include <string.h>

#include "graph/inside.h"

/* Can one task have all that the graph has; graph locked */
static aclError check_content(const struct anpu_graph *from)
{
	uint32_t i, calls = 0;

	for (i = 0; i < from->task_count; i++) {
		calls += from->tasks[i].call != NULL;
		if (from->task_count > 1 && (from->tasks[i].args.room || calls > 1))
			return acl_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
					"a node has one host function, or copies and fills that have no arguments");
	}
	return ACL_SUCCESS;
}

/* Appends what all tasks do; both graphs locked */
static aclError fill_task(struct anpu_graph *g, struct graph_task *t, const struct anpu_graph *from)
{
	aclError ret = check_content(from);
	uint32_t i;

	for (i = 0; i < from->task_count && !ret; i++)
		ret = graph_content_copy(g, t, from, &from->tasks[i]);
	return ret;
}

/* Graph @g gets work of @from; both locked */
static aclError check_device(const struct anpu_graph *g, const struct anpu_graph *from)
{
	if (from->obj.dev == g->obj.dev)
		return ACL_SUCCESS;
	return acl_fail(ACL_ERROR_RT_PARAM_INVALID, "the graph belongs to device %d and the node to device %d",
			g->obj.dev->id, from->obj.dev->id);
}

static aclError append(struct anpu_graph *g, struct anpu_graph *from, aclmdlRITask *out)
{
	struct graph_task *t = NULL;
	uint32_t before = g->task_count;
	aclError ret;

	if (from && from->task_count == 1) {
		ret = graph_task_copy(g, from, 0, true, false);
		t = ret ? NULL : &g->tasks[g->task_count - 1];
	} else {
		t = graph_task_new(g, 0, ACL_MODEL_RI_TASK_DEFAULT);
		ret = !t ? acl_last_failure() : from ? fill_task(g, t, from) : ACL_SUCCESS;
	}
	if (!ret)
		ret = graph_task_handle(g, (uint32_t)(t - g->tasks), out);
	/* a copy that failed may have left its task, too */
	if (ret && g->task_count > before)
		g->tasks[before].removed = true;
	return ret;
}

aclError anpu_front_graph_append(aclmdlRI graph, aclmdlRI from, aclmdlRITask *out)
{
	struct anpu_graph *g, *f = NULL;
	aclError ret = ACL_SUCCESS;

	ACL_ENTER();
	g = graph_find(graph);
	if (!g)
		return ACL_ERROR_RT_INVALID_HANDLE;
	if (from) {
		f = graph_find(from);
		ret = f ? ACL_SUCCESS : ACL_ERROR_RT_INVALID_HANDLE;
	}
	pthread_mutex_lock(&g->lock);
	if (f)
		pthread_mutex_lock(&f->lock); /* nobody else knows this graph */
	if (f)
		ret = check_device(g, f);
	if (!ret)
		ret = append(g, f, out);
	if (f)
		graph_unlock(f);
	graph_unlock(g);
	return ret;
}

/* The new packets stand behind all others; those that fit take the place of the old ones, so that graphs do not grow */
static void settle(struct anpu_graph *g, struct graph_task *t, const struct graph_task *old)
{
	if (t->count > old->count)
		return;
	memmove(&g->packets[old->first], &g->packets[t->first], t->count * sizeof(*g->packets));
	g->count = t->first;
	t->first = old->first;
}

static aclError replace(struct anpu_graph *g, struct graph_task *t, const struct anpu_graph *from)
{
	struct graph_task old = *t;
	uint32_t before = g->count;
	aclError ret;

	t->first = before;
	t->count = 0;
	t->call = NULL;
	t->call_at = 0;
	ret = fill_task(g, t, from);
	if (!ret) {
		settle(g, t, &old);
		if (old.call)
			anpu_graph_call_end(old.call);
		return ACL_SUCCESS;
	}
	if (t->call)
		anpu_graph_call_end(t->call);
	*t = old;
	g->count = before;
	return ret;
}

aclError anpu_front_node_replace(aclmdlRITask task, aclmdlRI from)
{
	struct anpu_graph *g, *f;
	struct graph_task *t;
	aclError ret;

	ACL_ENTER();
	f = graph_find(from);
	if (!f)
		return ACL_ERROR_RT_INVALID_HANDLE;
	ret = graph_lock_task(task, &g, &t);
	if (ret) {
		graph_put(f);
		return ret;
	}
	pthread_mutex_lock(&f->lock);
	ret = check_device(g, f);
	if (!ret)
		ret = replace(g, t, f);
	graph_unlock(f);
	graph_unlock(g);
	return ret;
}

aclError anpu_front_node_stand_for(aclmdlRITask task, aclmdlRI graph)
{
	struct anpu_graph *g, *sub, *before;
	struct graph_task *t;
	aclError ret;

	ACL_ENTER();
	sub = graph_find(graph);
	if (!sub)
		return ACL_ERROR_RT_INVALID_HANDLE;
	ret = graph_lock_task(task, &g, &t);
	if (ret) {
		graph_put(sub);
		return ret;
	}
	if (g->obj.dev != sub->obj.dev) {
		ret = acl_fail(ACL_ERROR_RT_PARAM_INVALID, "the graphs belong to devices %d and %d", g->obj.dev->id,
			       sub->obj.dev->id);
	} else {
		/* the task's reference moves to this graph, and that of the one before is given up */
		before = t->sub;
		t->sub = sub;
		sub = before;
	}
	graph_unlock(g);
	if (sub)
		graph_put(sub);
	return ret;
}

/* Order ------------------------------------------------------------------------------------------------ */

/* Task @from has the number @to now */
static void renumber(struct anpu_graph *g, const uint32_t *to)
{
	uint32_t i;

	for (i = 0; i < g->task_count; i++)
		if (g->tasks[i].obj)
			g->tasks[i].obj->task = i;
	for (i = 0; i < g->external_count; i++)
		g->externals[i].task = to[g->externals[i].task];
}

/* Those that are no nodes, which have no effect, come first */
static void permute(struct anpu_graph *g, const uint32_t *order, uint32_t n, struct graph_task *room, uint32_t *to)
{
	uint32_t i, used = 0;

	for (i = 0; i < g->task_count; i++)
		to[i] = UINT32_MAX;
	for (i = 0; i < n; i++)
		to[order[i]] = 0;
	for (i = 0; i < g->task_count; i++)
		if (to[i] == UINT32_MAX)
			to[i] = used++;
	for (i = 0; i < n; i++)
		to[order[i]] = used++;
	for (i = 0; i < g->task_count; i++)
		room[to[i]] = g->tasks[i];
	memcpy(g->tasks, room, g->task_count * sizeof(*room));
	renumber(g, to);
}

static aclError places_of(const struct anpu_graph *g, const aclmdlRITask *tasks, uint32_t n, uint32_t *order)
{
	uint32_t i, k;

	for (i = 0; i < n; i++) {
		for (k = 0; k < g->task_count; k++)
			if (g->tasks[k].obj && acl_obj_handle(&g->tasks[k].obj->obj) == tasks[i])
				break;
		if (k == g->task_count)
			return acl_fail(ACL_ERROR_RT_INVALID_HANDLE, "%p is no node of the graph", tasks[i]);
		order[i] = k;
	}
	return ACL_SUCCESS;
}

aclError anpu_front_graph_sort(aclmdlRI graph, const aclmdlRITask *tasks, uint32_t n)
{
	struct anpu_graph *g;
	struct graph_task *room;
	uint32_t *order, *to;
	aclError ret;

	ACL_ENTER();
	g = graph_find_locked(graph);
	if (!g)
		return ACL_ERROR_RT_INVALID_HANDLE;
	room = calloc(g->task_count + 1, sizeof(*room));
	order = calloc(n + 1, sizeof(*order));
	to = calloc(g->task_count + 1, sizeof(*to));
	ret = room && order && to ? places_of(g, tasks, n, order)
				  : acl_fail(ACL_ERROR_BAD_ALLOC, "no memory for the order of a graph");
	if (!ret)
		permute(g, order, n, room, to);
	free(room);
	free(order);
	free(to);
	graph_unlock(g);
	return ret;
}
