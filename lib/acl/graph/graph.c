// SPDX-License-Identifier: MIT
/*
 * Graphs: tasks that are recorded instead of run, and run again as often as wanted. This file has
 * their life and their execution; graph.h tells how they are made.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <anpu/anpu_isa.h>

#include "graph/inside.h"

static _Atomic uint32_t next_id = 1;

/* Life ----------------------------------------------------------------------------------------- */

void graph_drop_region(struct anpu_region *region)
{
	anpu_region_end(region); /* does nothing if the device's end has freed it already */
	anpu_region_put(region);
}

static void free_tasks(struct anpu_graph *g)
{
	uint32_t i;

	for (i = 0; i < g->task_count; i++) {
		graph_info_free(&g->tasks[i]);
		if (g->tasks[i].jump)
			graph_jump_free(g->tasks[i].jump);
		if (g->tasks[i].call)
			anpu_graph_call_end(g->tasks[i].call);
		if (g->tasks[i].sub)
			graph_put(g->tasks[i].sub);
	}
	for (i = 0; i < g->external_count; i++)
		acl_obj_put(g->externals[i].event);
	free(g->externals);
	free(g->words);
	free(g->tasks);
	free(g->packets);
}

/* Device memory is freed when the graph ends, although events may still refer to the graph */
static void free_memory(struct anpu_graph *g)
{
	struct args_piece *piece;

	while ((piece = g->args ? g->args : g->nodes)) {
		if (g->args)
			g->args = piece->next;
		else
			g->nodes = piece->next;
		graph_drop_region(piece->region);
		free(piece);
	}
	if (g->region)
		graph_drop_region(g->region);
	g->region = NULL;
	g->list_va = 0;
	g->list_count = 0;
}

static void graph_release(struct acl_obj *obj)
{
	struct anpu_graph *g = container_of(obj, struct anpu_graph, obj);
	struct destroy_hook *hook;
	uint32_t i;

	graph_tasks_forget(g);
	free_tasks(g);
	graph_conds_free(g);
	free_memory(g);
	while ((hook = g->hooks)) {
		g->hooks = hook->next;
		free(hook);
	}
	if (g->vars)
		graph_drop_region(g->vars);
	for (i = 0; i < g->run_count; i++)
		anpu_stream_put(g->runs[i].stream);
	for (i = 0; i < g->lane_count; i++) {
		free(g->lanes[i].known);
		graph_ends_free(&g->lanes[i].ends);
	}
	free(g->pairs);
	if (g->last)
		anpu_stream_put(g->last);
	anpu_slot_release(&g->order);
	free(g->lanes);
	free(g->runs);
	pthread_mutex_destroy(&g->lock);
	free(g);
}

struct anpu_graph *graph_new(struct anpu_device *dev)
{
	struct anpu_graph *g = calloc(1, sizeof(*g));

	if (!g) {
		acl_fail(ACL_ERROR_BAD_ALLOC, "no memory for a graph");
		return NULL;
	}
	acl_obj_init(&g->obj, ACL_TYPE_GRAPH, dev, graph_release);
	pthread_mutex_init(&g->lock, NULL);
	g->id = atomic_fetch_add(&next_id, 1);
	graph_get(g); /* one reference of the registry, one of the caller */
	if (acl_obj_publish(&g->obj))
		return g;
	acl_fail(ACL_ERROR_RT_NO_MODEL_RESOURCE, "no handle is left for a graph");
	graph_put(g);
	graph_put(g);
	return NULL;
}

struct anpu_graph *graph_find(aclmdlRI handle)
{
	struct acl_obj *obj = acl_obj_find(handle, ACL_TYPE_GRAPH);

	if (obj)
		return container_of(obj, struct anpu_graph, obj);
	acl_record_bad_handle(handle, ACL_TYPE_GRAPH, "modelRI");
	return NULL;
}

struct anpu_graph *graph_find_locked(aclmdlRI handle)
{
	struct anpu_graph *g = graph_find(handle);

	if (g)
		pthread_mutex_lock(&g->lock);
	return g;
}

void graph_unpublish(struct anpu_graph *g)
{
	struct acl_obj *obj = acl_obj_remove(acl_obj_handle(&g->obj), ACL_TYPE_GRAPH);

	if (obj)
		acl_obj_put(obj);
}

/* Executions ----------------------------------------------------------------------------------- */

static bool ended(const struct run *r)
{
	return anpu_stream_reached(r->stream, r->seq);
}

bool graph_running(struct anpu_graph *g)
{
	size_t i;

	for (i = 0; i < g->run_count; i++)
		if (!ended(&g->runs[i]))
			return true;
	return false;
}

/* The place for an execution in a stream, before it is submitted; graph locked */
static struct run *run_in(struct anpu_graph *g, struct anpu_stream *s)
{
	struct run *runs;
	size_t i;

	for (i = 0; i < g->run_count; i++)
		if (g->runs[i].stream == s)
			return &g->runs[i];
	for (i = 0; i < g->run_count && !ended(&g->runs[i]); i++)
		;
	if (i == g->run_count) {
		runs = realloc(g->runs, (i + 1) * sizeof(*runs));
		if (!runs)
			return NULL;
		g->runs = runs;
		g->run_count++;
	} else {
		anpu_stream_put(g->runs[i].stream);
	}
	anpu_stream_get(s);
	g->runs[i] = (struct run){ s, 0 };
	return &g->runs[i];
}

/* Words in device memory change while it runs: two executions must not do so at the same time */
static bool has_state(const struct anpu_graph *g)
{
	return g->conds || g->word_count || g->skips || g->external_count || g->calls || g->built;
}

/* Makes the stream wait for the latest execution if that is in another stream; both locked */
static aclError wait_for_last(struct anpu_graph *g, struct anpu_stream *s)
{
	union anpu_packet pkt = { .sem_wait = {
					  .hdr.opcode = ANPU_OP_SEM_WAIT,
					  .value = g->ordered,
					  .mask = UINT64_MAX,
					  .timeout_us = ANPU_TIMEOUT_NEVER,
					  .cond = ANPU_SEM_GE,
					  .width = 8,
				  } };
	struct run last = { g->last, g->last_seq };
	int err;

	if (!g->order.region) {
		err = anpu_slot_take(g->obj.dev, &g->order);
		if (err)
			return anpu_fail_ioctl(g->obj.dev, err, "allocating room for a graph");
	}
	if (!g->last || g->last == s || ended(&last))
		return ACL_SUCCESS;
	pkt.sem_wait.addr = g->order.va;
	return anpu_stream_submit_internal(s, &pkt);
}

/* Tells those that wait in other streams; both locked */
static aclError tell_next(struct anpu_graph *g, struct anpu_stream *s)
{
	union anpu_packet pkt = anpu_signal_packet(g->order.va, g->ordered + 1, 0, ANPU_SEM_SET);
	uint64_t seq;
	aclError ret = anpu_stream_submit_locked(s, &pkt, &seq);

	if (ret)
		return ret;
	g->ordered++;
	if (g->last)
		anpu_stream_put(g->last);
	anpu_stream_get(s);
	g->last = s;
	g->last_seq = seq;
	return ACL_SUCCESS;
}

/*
 * A graph records and waits for events of the outside: these are the numbers that its packets store and
 * compare in this execution. NULL after acl_fail(). An event's lock comes before the graph's.
 */
static uint64_t *external_values(struct anpu_graph *g)
{
	uint64_t *values = calloc(g->external_count + 1, sizeof(*values));
	uint32_t i;

	if (!values)
		acl_fail(ACL_ERROR_BAD_ALLOC, "no memory for an execution");
	for (i = 0; values && i < g->external_count; i++)
		values[i] = anpu_event_value(g->externals[i].event, g->externals[i].record);
	return values;
}

/* Queues copies that write these values into the packets; stream and graph locked */
static aclError set_externals(struct anpu_graph *g, struct anpu_stream *s, const uint64_t *values)
{
	union anpu_packet pkt;
	uint64_t at;
	aclError ret = ACL_SUCCESS;
	uint32_t i;

	for (i = 0; i < g->external_count && !ret; i++) {
		const struct graph_external *x = &g->externals[i];

		at = g->region->va + g->tasks[x->task].at * sizeof(pkt);
		at += x->record ? offsetof(struct anpu_pkt_sem_signal, value)
				: offsetof(struct anpu_pkt_sem_wait, value);
		pkt = anpu_signal_packet(at, values[i], 0, ANPU_SEM_SET);
		ret = anpu_stream_submit_locked(s, &pkt, NULL);
	}
	return ret;
}

/* The events that this execution records are recorded when it has run */
static void tell_events(struct anpu_graph *g, struct anpu_stream *s, uint64_t seq)
{
	uint32_t i;

	for (i = 0; i < g->external_count; i++)
		if (g->externals[i].record)
			anpu_event_recorded(g->externals[i].event, s, seq);
}

/* Both locked */
static aclError submit(struct anpu_graph *g, struct anpu_stream *s, const uint64_t *values,
		       uint64_t *seq)
{
	union anpu_packet pkt = { .indirect = { .hdr.opcode = ANPU_OP_INDIRECT } };
	bool state = has_state(g);
	struct run *run = run_in(g, s);
	aclError ret = ACL_SUCCESS;

	if (!g->region)
		return acl_fail(ACL_ERROR_RT_INVALID_HANDLE,
				"the graph was destroyed by another thread meanwhile");
	if (!run)
		return acl_fail(ACL_ERROR_BAD_ALLOC, "no memory for a list of executions");
	if (state)
		ret = wait_for_last(g, s);
	if (!ret)
		ret = set_externals(g, s, values);
	pkt.indirect.addr = g->region->va;
	pkt.indirect.count = g->list_count;
	if (!ret)
		ret = anpu_stream_submit_locked(s, &pkt, &run->seq);
	if (!ret)
		*seq = run->seq;
	if (!ret && state)
		ret = tell_next(g, s);
	return ret;
}

static aclError check_ready(const struct anpu_graph *g)
{
	if (__atomic_load_n(&g->state, __ATOMIC_ACQUIRE) == GRAPH_READY)
		return ACL_SUCCESS;
	return acl_fail(ACL_ERROR_RT_MODEL_CAPTURED, "the graph is still being %s",
			g->built ? "built" : "recorded");
}

static aclError check_stream(struct anpu_stream *s)
{
	aclError ret = ACL_SUCCESS;

	pthread_mutex_lock(&s->lock);
	if (s->graph || s->update)
		ret = anpu_graph_cannot(s, "the execution of a graph");
	pthread_mutex_unlock(&s->lock);
	return ret;
}

/* Is it memory of the program, of which only that knows who writes there, and no word of the library's own */
static bool is_programs(uint64_t va)
{
	struct anpu_mem mem;
	bool yes;

	if (!anpu_in_device_range((void *)(uintptr_t)va))
		return true;
	if (!anpu_mem_at((void *)(uintptr_t)va, &mem))
		return false;
	yes = mem.region->guarded;
	anpu_mem_done(&mem);
	return yes;
}

/* Kernels of a graph that the device is asked about: notes of more would be lost before they are read */
#define ASKED 256

/* The checking mode asks what the kernels of this execution do with their memory. Graph locked */
static void ask_about_tasks(const struct anpu_graph *g)
{
	uint32_t i, kernels = 0;

	for (i = 0; i < g->task_count; i++)
		kernels += g->tasks[i].type == ACL_MODEL_RI_TASK_KERNEL;
	for (i = 0; i < g->task_count; i++) {
		const struct graph_task *t = &g->tasks[i];
		const struct anpu_pkt_kernel *pkt = &g->packets[t->first].kernel;
		uint64_t end;

		if (t->control != GRAPH_PLAIN || !t->count || pkt->hdr.opcode != ANPU_OP_KERNEL || t->node_cpu || !t->args.room ||
		    pkt->args != t->args.va)
			continue;
		/* behind what configures the launch, and the arguments */
		end = align_up((pkt->hdr.flags & ANPU_KERNEL_LAUNCH ? ANPU_LAUNCH_SIZE : 0) + pkt->args_size, 8);
		anpu_launch_replay(g->obj.dev, pkt, kernels <= ASKED && end + sizeof(struct anpu_check_ask) <= t->args.room ?
						    (char *)t->args.cpu + end : NULL);
	}
}

/* The checking mode: what the tasks of this execution use. Both locked */
static void look_at_tasks(const struct anpu_graph *g, struct anpu_stream *s, uint64_t seq)
{
	const union anpu_packet *pkt;
	uint32_t i, k;

	for (i = 0; i < g->task_count; i++) {
		const struct graph_task *t = &g->tasks[i];

		for (k = 0; !t->disabled && !t->removed && t->control == GRAPH_PLAIN && k < t->count; k++) {
			pkt = &g->packets[t->first + k];
			if (pkt->hdr.opcode == ANPU_OP_KERNEL)
				anpu_launch_replayed(s, pkt->kernel.args, seq);
			else if (pkt->hdr.opcode != ANPU_OP_SEM_WAIT)
				anpu_races_packet(s, pkt, seq);
			else if (is_programs(pkt->sem_wait.addr))
				anpu_races_wait(s->number, seq);
		}
	}
}

static aclError execute(struct anpu_graph *g, struct anpu_stream *s)
{
	uint64_t *values, seq = 0;
	aclError ret = check_ready(g);

	if (ret)
		return ret;
	if (g->body)
		return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
				"the graph is the body of a conditional task, which executes it");
	if (g->obj.dev != s->obj.dev)
		return acl_fail(
			ACL_ERROR_RT_STREAM_MODEL,
			"the graph was recorded on device %d and the stream is on device %d",
			g->obj.dev->id, s->obj.dev->id);
	ret = check_stream(s);
	if (ret)
		return ret;
	values = external_values(g);
	if (!values)
		return acl_last_failure();
	ret = anpu_stream_enter(s, 0);
	if (ret) {
		free(values);
		return ret;
	}
	if (s->graph || s->update) { /* another thread has begun meanwhile */
		ret = anpu_graph_cannot(s, "the execution of a graph");
	} else {
		pthread_mutex_lock(&g->lock);
		if (anpu_checking() && g->region) /* else another thread has destroyed it */
			ask_about_tasks(g);
		if (g->list_count) /* else there is nothing to run */
			ret = submit(g, s, values, &seq);
		if (!ret && seq && anpu_checking())
			look_at_tasks(g, s, seq);
		pthread_mutex_unlock(&g->lock);
	}
	pthread_mutex_unlock(&s->lock);
	if (!ret && seq)
		tell_events(g, s, seq);
	free(values);
	return ret;
}

aclError aclmdlRIExecuteAsync(aclmdlRI modelRI, aclrtStream stream)
{
	struct anpu_graph *g;
	struct anpu_stream *s;
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(modelRI);
	ret = anpu_stream_find(stream, &s);
	if (ret)
		return ret;
	g = graph_find(modelRI);
	ret = g ? execute(g, s) : ACL_ERROR_RT_INVALID_HANDLE;
	if (g)
		graph_put(g);
	anpu_stream_put(s);
	return ret;
}

aclError aclmdlRIExecute(aclmdlRI modelRI, int32_t timeout)
{
	int64_t deadline;
	struct anpu_graph *g;
	struct anpu_stream *s;
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(modelRI);
	ret = anpu_deadline(timeout, &deadline);
	if (!ret)
		ret = anpu_stream_find(NULL, &s);
	if (ret)
		return ret;
	ret = anpu_stream_may_wait(s);
	g = ret ? NULL : graph_find(modelRI);
	if (!ret)
		ret = g ? execute(g, s) : ACL_ERROR_RT_INVALID_HANDLE;
	if (g)
		graph_put(g);
	if (!ret)
		ret = anpu_stream_sync(s, deadline);
	anpu_stream_put(s);
	return ret;
}

/* The streams in which it runs, with references; NULL after acl_fail() */
static struct anpu_stream **streams_of_runs(struct anpu_graph *g, size_t *n)
{
	struct anpu_stream **list;
	size_t i;

	pthread_mutex_lock(&g->lock);
	list = calloc(g->run_count + 1, sizeof(*list));
	for (i = *n = 0; list && i < g->run_count; i++) {
		if (ended(&g->runs[i]))
			continue;
		anpu_stream_get(g->runs[i].stream);
		list[(*n)++] = g->runs[i].stream;
	}
	pthread_mutex_unlock(&g->lock);
	if (!list)
		acl_fail(ACL_ERROR_BAD_ALLOC, "no memory for a list of streams");
	return list;
}

aclError aclmdlRIAbort(aclmdlRI modelRI)
{
	struct anpu_stream **list;
	struct anpu_graph *g;
	aclError ret, one;
	size_t i, n;

	ACL_ENTER();
	ACL_CHECK_PTR(modelRI);
	g = graph_find(modelRI);
	if (!g)
		return ACL_ERROR_RT_INVALID_HANDLE;
	ret = check_ready(g);
	list = ret ? NULL : streams_of_runs(g, &n);
	if (!ret && !list)
		ret = acl_last_failure();
	for (i = 0; list && i < n; i++) {
		one = anpu_stream_abort(list[i]);
		ret = ret ? ret : one;
		anpu_stream_put(list[i]);
	}
	free(list);
	if (!ret && g->order.region)
		/* for streams that wait for an execution that was dropped */
		__atomic_store_n(&g->order.cpu->value, g->ordered, __ATOMIC_RELEASE);
	graph_put(g);
	return ret;
}

/* Ends it if that is possible, so that no execution begins from here on; graph locked */
static aclError close_graph(struct anpu_graph *g, struct destroy_hook **hooks)
{
	aclError ret = ACL_SUCCESS;

	if (g->state == GRAPH_VOID)
		ret = acl_fail(ACL_ERROR_RT_INVALID_HANDLE,
			       "the graph was destroyed by another thread meanwhile");
	else if (g->body)
		ret = acl_fail(
			ACL_ERROR_RT_PARAM_INVALID,
			"the graph is the body of a conditional task, and ends with its graph");
	else if (graph_running(g))
		ret = acl_fail(ACL_ERROR_RT_MODEL_RUNNING,
			       "the graph is being executed: synchronise before");
	else if (!g->built)
		ret = check_ready(g);
	if (ret)
		return ret;
	if (anpu_checking())
		graph_order_look_back(g);
	*hooks = g->hooks;
	g->hooks = NULL;
	__atomic_store_n(&g->state, GRAPH_VOID, __ATOMIC_RELEASE);
	graph_tasks_forget(g);
	free_memory(g);
	return ACL_SUCCESS;
}

aclError aclmdlRIDestroy(aclmdlRI modelRI)
{
	struct destroy_hook *hooks = NULL, *hook;
	struct anpu_graph *g;
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(modelRI);
	g = graph_find_locked(modelRI);
	if (!g)
		return ACL_ERROR_RT_INVALID_HANDLE;
	ret = close_graph(g, &hooks);
	pthread_mutex_unlock(&g->lock);
	if (!ret) {
		graph_release_streams(g);
		graph_unpublish(g);
	}
	while ((hook = hooks)) {
		hooks = hook->next;
		hook->fn(hook->data);
		free(hook);
	}
	graph_put(g);
	return ret;
}

/* Queries of graphs -------------------------------------------------------------------------- */

aclError aclmdlRIGetId(aclmdlRI modelRI, uint32_t *modelRIId)
{
	struct anpu_graph *g;

	ACL_ENTER_SHORT();
	ACL_CHECK_PTR(modelRI);
	ACL_CHECK_PTR(modelRIId);
	g = graph_find(modelRI);
	if (!g)
		return ACL_ERROR_RT_INVALID_HANDLE;
	*modelRIId = g->id;
	graph_put(g);
	return ACL_SUCCESS;
}

aclError aclmdlRISetName(aclmdlRI modelRI, const char *name)
{
	struct anpu_graph *g;

	ACL_ENTER_SHORT();
	ACL_CHECK_PTR(modelRI);
	ACL_CHECK_PTR(name);
	g = graph_find_locked(modelRI);
	if (!g)
		return ACL_ERROR_RT_INVALID_HANDLE;
	strncpy(g->name, name, sizeof(g->name) - 1);
	graph_unlock(g);
	return ACL_SUCCESS;
}

aclError aclmdlRIGetName(aclmdlRI modelRI, uint32_t maxLen, char *name)
{
	struct anpu_graph *g;

	ACL_ENTER_SHORT();
	ACL_CHECK_PTR(modelRI);
	ACL_CHECK_PTR(name);
	if (!maxLen)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "maxLen is 0");
	g = graph_find_locked(modelRI);
	if (!g)
		return ACL_ERROR_RT_INVALID_HANDLE;
	name[0] = 0;
	strncat(name, g->name, maxLen - 1);
	graph_unlock(g);
	return ACL_SUCCESS;
}

aclError aclmdlRIDestroyRegisterCallback(aclmdlRI modelRI, aclrtCallback func, void *userData)
{
	struct destroy_hook *hook, **p;
	struct anpu_graph *g;

	ACL_ENTER_SHORT();
	ACL_CHECK_PTR(modelRI);
	ACL_CHECK_PTR(func);
	g = graph_find(modelRI);
	if (!g)
		return ACL_ERROR_RT_INVALID_HANDLE;
	hook = calloc(1, sizeof(*hook));
	if (hook) {
		hook->fn = func;
		hook->data = userData;
		pthread_mutex_lock(&g->lock);
		for (p = &g->hooks; *p; p = &(*p)->next)
			;
		*p = hook;
		pthread_mutex_unlock(&g->lock);
	}
	graph_put(g);
	return hook ? ACL_SUCCESS : acl_fail(ACL_ERROR_BAD_ALLOC, "no memory for a callback");
}

aclError aclmdlRIDestroyUnregisterCallback(aclmdlRI modelRI, aclrtCallback func)
{
	struct destroy_hook *hook, **p;
	struct anpu_graph *g;

	ACL_ENTER_SHORT();
	ACL_CHECK_PTR(modelRI);
	ACL_CHECK_PTR(func);
	g = graph_find_locked(modelRI);
	if (!g)
		return ACL_ERROR_RT_INVALID_HANDLE;
	for (p = &g->hooks; *p && (*p)->fn != func; p = &(*p)->next)
		;
	hook = *p;
	if (hook)
		*p = hook->next;
	graph_unlock(g);
	free(hook);
	return hook ? ACL_SUCCESS
		    : acl_fail(ACL_ERROR_RT_PARAM_INVALID,
			       "func was not registered with this graph");
}
