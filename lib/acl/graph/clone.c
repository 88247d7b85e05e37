// SPDX-License-Identifier: MIT
/*
 * The private door (graph/front.h): whole graphs. The driver API's front keeps a graph and runs copies of it, so that
 * each can be changed without the others.
 */
#include <stdlib.h>
#include <string.h>

#include "graph/inside.h"

static aclError check_plain(const struct anpu_graph *g)
{
	uint32_t i;

	if (__atomic_load_n(&g->state, __ATOMIC_ACQUIRE) != GRAPH_READY)
		return acl_fail(ACL_ERROR_RT_MODEL_CAPTURED, "the graph is still being recorded");
	for (i = 0; i < g->task_count; i++)
		if (g->tasks[i].control != GRAPH_PLAIN && g->tasks[i].control != GRAPH_CHOICE && g->tasks[i].control != GRAPH_SKIP)
			break;
	if (i == g->task_count && !g->conds && !g->built && !g->body)
		return ACL_SUCCESS;
	return acl_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
			"the graph has labels, switches or conditions, of which no copy can be made");
}

/* One lane, which no stream records into */
static aclError add_lane(struct anpu_graph *g)
{
	g->lanes = calloc(1, sizeof(*g->lanes));
	if (g->lanes)
		g->lanes[0].known = calloc(1, sizeof(*g->lanes[0].known));
	if (!g->lanes || !g->lanes[0].known)
		return acl_fail(ACL_ERROR_BAD_ALLOC, "no memory for a graph");
	g->lane_count = 1;
	return ACL_SUCCESS;
}

/* Words that are addresses in one block of arguments become addresses in another */
static void move_words(void *at, size_t size, const struct graph_args *from, const struct graph_args *to)
{
	uint64_t word;
	size_t i;

	for (i = 0; i + 8 <= size; i += 8) {
		memcpy(&word, (char *)at + i, 8);
		if (word < from->va || word >= from->va + from->room)
			continue;
		word += to->va - from->va;
		memcpy((char *)at + i, &word, 8);
	}
}

aclError graph_content_copy(struct anpu_graph *c, struct graph_task *n, const struct anpu_graph *g,
			    const struct graph_task *t)
{
	union anpu_packet pkt;
	aclError ret = ACL_SUCCESS;
	uint32_t i = 0, before;

	while (i < t->count && !ret) {
		if (t->call && i == t->call_at) {
			before = n->count;
			ret = graph_call_copy(c, n, t->call);
			n->call_at = before;
			i += n->count - before;
			continue;
		}
		pkt = g->packets[t->first + i++];
		if (t->args.room)
			move_words(&pkt, sizeof(pkt), &t->args, &n->args);
		if (anpu_checking() && pkt.hdr.opcode == ANPU_OP_KERNEL)
			anpu_launch_copied(g->packets[t->first + i - 1].kernel.args, pkt.kernel.args);
		ret = graph_task_add(c, n, &pkt);
	}
	return ret;
}

static aclError copy_args(struct anpu_graph *c, struct graph_task *n, const struct graph_task *t)
{
	aclError ret;

	if (!t->args.room)
		return ACL_SUCCESS;
	ret = graph_args_take(c, t->args.room, &n->args);
	if (ret)
		return ret;
	memcpy(n->args.cpu, t->args.cpu, t->args.room);
	move_words(n->args.cpu, t->args.room, &t->args, &n->args);
	return ACL_SUCCESS;
}

static aclError copy_externals(struct anpu_graph *c, const struct anpu_graph *g, uint32_t task)
{
	struct graph_external *x;
	uint32_t k;

	for (k = 0; k < g->external_count; k++) {
		if (g->externals[k].task != task)
			continue;
		x = realloc(c->externals, (c->external_count + 1) * sizeof(*x));
		if (!x)
			return acl_fail(ACL_ERROR_BAD_ALLOC, "no memory for a graph");
		c->externals = x;
		x[c->external_count] = g->externals[k];
		x[c->external_count++].task = c->task_count - 1;
		acl_obj_get(g->externals[k].event);
	}
	return ACL_SUCCESS;
}

aclError graph_sub_copy(struct anpu_graph *c, struct anpu_graph *sub, bool same)
{
	aclError ret;
	uint32_t i;

	pthread_mutex_lock(&sub->lock);
	ret = check_plain(sub);
	if (!ret)
		ret = graph_words_copy(c, sub);
	for (i = 0; i < sub->task_count && !ret; i++)
		if (!sub->tasks[i].removed)
			ret = graph_task_copy(c, sub, i, same, false);
	pthread_mutex_unlock(&sub->lock);
	return ret;
}

aclError graph_task_copy(struct anpu_graph *c, struct anpu_graph *g, uint32_t i, bool same, bool keep)
{
	const struct graph_task *t = &g->tasks[i];
	struct graph_task *n;
	aclError ret;

	if (t->control == GRAPH_CHOICE && !keep)
		return graph_choice_copy(c, t, same);
	if (t->control == GRAPH_SKIP)
		return graph_skip_copy(c, t);
	if (t->control != GRAPH_PLAIN)
		return acl_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "the graph has conditional nodes: it cannot be cloned");
	n = graph_task_new(c, 0, t->type);
	if (!n)
		return acl_last_failure();
	n->disabled = t->disabled;
	n->event = t->event;
	n->event_flags = t->event_flags;
	n->flag = t->flag;
	n->origin = same ? t->origin : t->number;
	n->node = t->node;
	ret = copy_externals(c, g, i);
	if (!ret)
		ret = copy_args(c, n, t);
	if (!ret)
		ret = graph_content_copy(c, n, g, t);
	if (ret || !t->sub)
		return ret;
	if (!keep)
		return graph_sub_copy(c, t->sub, same);
	graph_get(t->sub);
	n->sub = t->sub;
	return ACL_SUCCESS;
}

/* The records by which kernels change tasks move to the copy, which has all tasks in the same order, and perhaps more. */
static void move_nodes(struct anpu_graph *c, struct anpu_graph *g)
{
	uint32_t i, n = 0;

	c->nodes = g->nodes;
	g->nodes = NULL;
	for (i = 0; i < g->task_count; i++) {
		if (g->tasks[i].removed || !g->tasks[i].node_cpu)
			continue;
		while (c->tasks[n].node != g->tasks[i].node)
			n++;
		c->tasks[n].node_cpu = g->tasks[i].node_cpu;
		g->tasks[i].node_cpu = NULL;
	}
}

static aclError copy_all(struct anpu_graph *c, struct anpu_graph *g, bool same, bool take, bool keep)
{
	aclError ret = check_plain(g);
	uint32_t i;

	if (ret)
		return ret;
	graph_nodes_read(g);
	ret = add_lane(c);
	c->context = g->context;
	memcpy(c->name, g->name, sizeof(c->name));
	if (!ret)
		ret = graph_words_copy(c, g);
	for (i = 0; i < g->task_count && !ret; i++)
		if (!g->tasks[i].removed)
			ret = graph_task_copy(c, g, i, same, keep);
	if (!ret && take)
		move_nodes(c, g);
	if (!ret)
		ret = graph_compile(c);
	__atomic_store_n(&c->state, ret ? GRAPH_VOID : GRAPH_READY, __ATOMIC_RELEASE);
	return ret;
}

aclError anpu_front_graph_new(aclmdlRI *out)
{
	struct anpu_stream *s;
	struct anpu_graph *g;
	aclError ret;

	ACL_ENTER();
	ret = anpu_stream_find(NULL, &s);
	if (ret)
		return ret;
	g = graph_new(s->obj.dev);
	ret = g ? add_lane(g) : acl_last_failure();
	if (g) {
		g->context = s->context;
		*out = acl_obj_handle(&g->obj);
		__atomic_store_n(&g->state, ret ? GRAPH_VOID : GRAPH_READY, __ATOMIC_RELEASE);
		if (ret)
			graph_unpublish(g);
		graph_put(g);
	}
	anpu_stream_put(s);
	return ret;
}

static aclError copy(aclmdlRI from, bool same, bool take, bool keep, aclmdlRI *out)
{
	struct anpu_graph *g, *c;
	aclError ret;

	g = graph_find(from);
	if (!g)
		return ACL_ERROR_RT_INVALID_HANDLE;
	c = graph_new(g->obj.dev);
	pthread_mutex_lock(&g->lock);
	ret = c ? copy_all(c, g, same, take, keep) : acl_last_failure();
	graph_unlock(g);
	if (!c)
		return ret;
	if (ret)
		graph_unpublish(c);
	else
		*out = acl_obj_handle(&c->obj);
	graph_put(c);
	return ret;
}

aclError anpu_front_graph_copy(aclmdlRI from, bool same, bool take, aclmdlRI *out)
{
	ACL_ENTER();
	return copy(from, same, take, false, out);
}

aclError anpu_front_graph_clone(aclmdlRI from, aclmdlRI *out)
{
	ACL_ENTER();
	return copy(from, false, false, true, out);
}

/* Both with references and locked, the lower address first; NULL if one is none */
static aclError lock_both(aclmdlRI a, aclmdlRI b, struct anpu_graph **ga, struct anpu_graph **gb)
{
	*ga = graph_find(a);
	*gb = *ga ? graph_find(b) : NULL;
	if (!*gb) {
		if (*ga)
			graph_put(*ga);
		return ACL_ERROR_RT_INVALID_HANDLE;
	}
	pthread_mutex_lock(*ga < *gb ? &(*ga)->lock : &(*gb)->lock);
	if (*ga != *gb)
		pthread_mutex_lock(*ga < *gb ? &(*gb)->lock : &(*ga)->lock);
	return ACL_SUCCESS;
}

static bool alike(const struct anpu_graph *a, const struct graph_task *t, const struct anpu_graph *b,
		  const struct graph_task *u)
{
	uint32_t i;

	if (t->control != u->control || (t->control == GRAPH_SKIP && !graph_skips_alike(t, u)))
		return false;
	if (t->type != u->type || t->count != u->count || !t->call != !u->call)
		return false;
	for (i = 0; i < t->count; i++)
		if (a->packets[t->first + i].hdr.opcode != b->packets[u->first + i].hdr.opcode)
			return false;
	return true;
}

aclError anpu_front_graph_adopt(aclmdlRI a, aclmdlRI b, uint32_t *bad)
{
	struct anpu_graph *ga, *gb;
	aclError ret;
	uint32_t i;

	ACL_ENTER_SHORT();
	*bad = UINT32_MAX;
	ret = lock_both(a, b, &ga, &gb);
	if (ret)
		return ret;
	if (ga->task_count != gb->task_count)
		ret = acl_fail(ACL_ERROR_RT_MODEL_UPDATE_FAILED, "one graph has %u nodes, and the other %u", ga->task_count,
			       gb->task_count);
	for (i = 0; i < ga->task_count && !ret; i++) {
		if (alike(ga, &ga->tasks[i], gb, &gb->tasks[i]))
			continue;
		*bad = i;
		ret = acl_fail(ACL_ERROR_RT_MODEL_UPDATE_FAILED, "node %u of the graphs is not of the same kind", i);
	}
	for (i = 0; i < ga->task_count && !ret; i++) {
		gb->tasks[i].origin = ga->tasks[i].origin;
		gb->tasks[i].disabled = ga->tasks[i].disabled;
	}
	if (ga != gb)
		pthread_mutex_unlock(&gb->lock);
	pthread_mutex_unlock(&ga->lock);
	graph_put(ga);
	graph_put(gb);
	return ret;
}

aclError anpu_front_graph_renew(aclmdlRI graph)
{
	struct anpu_graph *g;
	aclError ret;

	ACL_ENTER();
	g = graph_find_locked(graph);
	if (!g)
		return ACL_ERROR_RT_INVALID_HANDLE;
	if (graph_running(g))
		ret = acl_fail(ACL_ERROR_RT_MODEL_RUNNING, "the graph is being executed: synchronise before");
	else
		ret = graph_compile(g);
	graph_unlock(g);
	return ret;
}

bool anpu_front_graph_recording(aclmdlRI graph, bool *recording)
{
	ACL_UNCANCELLED();
	struct acl_obj *obj = acl_obj_find(graph, ACL_TYPE_GRAPH);
	struct anpu_graph *g;

	if (!obj)
		return false;
	g = container_of(obj, struct anpu_graph, obj);
	*recording = __atomic_load_n(&g->state, __ATOMIC_ACQUIRE) == GRAPH_RECORDING;
	graph_put(g);
	return true;
}

aclError anpu_front_graph_state(aclmdlRI graph, bool *running, bool *updatable)
{
	struct anpu_graph *g;
	uint32_t i;

	ACL_ENTER_SHORT();
	g = graph_find_locked(graph);
	if (!g)
		return ACL_ERROR_RT_INVALID_HANDLE;
	*running = graph_running(g);
	*updatable = false;
	for (i = 0; i < g->task_count; i++)
		*updatable |= g->tasks[i].node != 0;
	graph_unlock(g);
	return ACL_SUCCESS;
}

/* Events of other graphs and of the program are nodes; those that a recording orders its own streams by are not */
bool graph_is_node(const struct anpu_graph *g, uint32_t i)
{
	const struct graph_task *t = &g->tasks[i];
	uint32_t k;

	if (t->removed || (t->type != ACL_MODEL_RI_TASK_EVENT_RECORD && t->type != ACL_MODEL_RI_TASK_EVENT_WAIT))
		return !t->removed;
	for (k = 0; k < g->external_count && g->externals[k].task != i; k++)
		;
	return k < g->external_count;
}

aclError anpu_front_graph_nodes(aclmdlRI graph, aclmdlRITask *tasks, uint32_t room, uint32_t *n)
{
	struct anpu_graph *g;
	aclError ret = ACL_SUCCESS;
	uint32_t i;

	ACL_ENTER();
	g = graph_find_locked(graph);
	if (!g)
		return ACL_ERROR_RT_INVALID_HANDLE;
	for (i = *n = 0; i < g->task_count && !ret; i++) {
		if (!graph_is_node(g, i))
			continue;
		if (*n < room)
			ret = graph_task_handle(g, i, &tasks[*n]);
		++*n;
	}
	graph_unlock(g);
	return ret;
}

aclError anpu_front_graph_task(aclmdlRI graph, uint32_t i, aclmdlRITask *out)
{
	struct anpu_graph *g;
	aclError ret = ACL_ERROR_RT_PARAM_INVALID;
	uint32_t k;

	ACL_ENTER();
	g = graph_find_locked(graph);
	if (!g)
		return ACL_ERROR_RT_INVALID_HANDLE;
	for (k = 0; k < g->task_count; k++)
		if (!g->tasks[k].removed && !i--)
			break;
	if (k < g->task_count)
		ret = graph_task_handle(g, k, out);
	graph_unlock(g);
	return ret;
}

static uint64_t number_of(aclmdlRITask task)
{
	struct anpu_graph *g;
	struct graph_task *t;
	uint64_t number;

	if (graph_lock_task(task, &g, &t))
		return 0;
	number = t->number;
	graph_unlock(g);
	return number;
}

aclError anpu_front_graph_find(aclmdlRI graph, aclmdlRITask of, aclmdlRITask *out)
{
	struct anpu_graph *g;
	uint64_t number;
	aclError ret;
	uint32_t i;

	ACL_ENTER();
	number = number_of(of);
	if (!number)
		return ACL_ERROR_RT_INVALID_HANDLE;
	g = graph_find_locked(graph);
	if (!g)
		return ACL_ERROR_RT_INVALID_HANDLE;
	for (i = 0; i < g->task_count && (g->tasks[i].removed || g->tasks[i].origin != number); i++)
		;
	if (i < g->task_count)
		ret = graph_task_handle(g, i, out);
	else
		ret = acl_fail(ACL_ERROR_RT_PARAM_INVALID, "the graph has no copy of that node");
	graph_unlock(g);
	return ret;
}
