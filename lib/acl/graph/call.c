// SPDX-License-Identifier: MIT
/*
 * Host functions in graphs. Each has a word: the graph stores CALL_WANTED, sends a NOTIFY and waits
 * for CALL_DONE, which the thread stores when the function has returned.
 */
#include <stdlib.h>

#include "graph/inside.h"

enum { CALL_DONE = 1, CALL_WANTED = 2, CALL_RUNS = 3 };

static bool change(struct anpu_graph_call *c, uint64_t from, uint64_t to)
{
	return __atomic_compare_exchange_n(&c->slot.cpu->value, &from, to, false, __ATOMIC_ACQ_REL,
					   __ATOMIC_RELAXED);
}

/* In the thread of host functions, with a reference to the graph, which it drops */
static void run(void *arg)
{
	struct anpu_graph_call *c = arg;
	struct anpu_graph *g = c->graph;
	struct anpu_device *dev = g->obj.dev;
	struct anpu_stream *wake;
	union anpu_packet pkt;

	pthread_mutex_lock(&dev->events_lock);
	c->queued = false;
	pthread_mutex_unlock(&dev->events_lock);
	/* otherwise the execution that wanted the call was dropped */
	if (change(c, CALL_WANTED, CALL_RUNS)) {
		anpu_print_drain(dev);
		c->fn(c->arg);
		(void)change(c, CALL_RUNS, CALL_DONE);
		wake = __atomic_load_n(&dev->wake, __ATOMIC_ACQUIRE);
		/*
		 * makes the device look at the word now; if the packet fails, the device sees the
		 * store a little later
		 */
		pkt = anpu_signal_packet(c->slot.va + offsetof(struct anpu_slot_memory, waits), 0,
					 0, ANPU_SEM_ADD);
		if (wake)
			(void)anpu_stream_submit(wake, &pkt, NULL);
	}
	graph_put(g);
}

bool anpu_graph_call_pending(const struct anpu_graph_call *c)
{
	uint64_t value = __atomic_load_n(&c->slot.cpu->value, __ATOMIC_RELAXED);

	return value == CALL_WANTED || value == CALL_RUNS;
}

bool anpu_graph_call_runs(const struct anpu_graph_call *c)
{
	return __atomic_load_n(&c->slot.cpu->value, __ATOMIC_RELAXED) == CALL_RUNS;
}

static void queue(struct anpu_device *dev, struct anpu_graph_call *c)
{
	struct anpu_call *call = calloc(1, sizeof(*call));

	if (!call)
		return; /* the graph goes on waiting, until the stream is aborted */
	graph_get(c->graph);
	c->queued = true;
	call->fn = run;
	call->arg = c;
	call->context = c->graph->context;
	call->kind = ACL_IN_CALLBACK;
	anpu_reporter_push(dev->host, call);
}

void anpu_graph_call_reached(struct anpu_device *dev, uint64_t cookie)
{
	struct anpu_graph_call *c;

	for (c = dev->graph_calls; c; c = c->next)
		if ((!cookie || (uintptr_t)c == cookie) && !c->queued &&
		    __atomic_load_n(&c->slot.cpu->value, __ATOMIC_ACQUIRE) == CALL_WANTED)
			queue(dev, c);
}

void anpu_graph_call_end(struct anpu_graph_call *call)
{
	struct anpu_device *dev = call->graph->obj.dev;
	struct anpu_graph_call **p;

	pthread_mutex_lock(&dev->events_lock);
	for (p = &dev->graph_calls; *p && *p != call; p = &(*p)->next)
		;
	if (*p)
		*p = call->next;
	pthread_mutex_unlock(&dev->events_lock);
	anpu_slot_give(dev, &call->slot);
	anpu_slot_release(&call->slot);
	anpu_call_ended(call->fn, call->arg);
	free(call);
}

static aclError add_packets(struct anpu_graph *g, struct graph_task *t, struct anpu_graph_call *c)
{
	union anpu_packet pkts[] = {
		anpu_signal_packet(c->slot.va, CALL_WANTED, 0, ANPU_SEM_SET),
		{ .notify = { .hdr.opcode = ANPU_OP_NOTIFY, .cookie = (uintptr_t)c } },
		{ .sem_wait = { .hdr.opcode = ANPU_OP_SEM_WAIT,
				.addr = c->slot.va,
				.value = CALL_DONE,
				.mask = UINT64_MAX,
				.timeout_us = ANPU_TIMEOUT_NEVER,
				.cond = ANPU_SEM_EQ,
				.width = 8 } },
	};
	aclError ret = ACL_SUCCESS;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(pkts) && !ret; i++)
		ret = graph_task_add(g, t, &pkts[i]);
	return ret;
}

/* A function with a word of its own, NULL after acl_fail() */
static struct anpu_graph_call *new_call(struct anpu_graph *g, void (*fn)(void *), void *arg)
{
	struct anpu_graph_call *c = calloc(1, sizeof(*c));
	int err;

	if (!c) {
		acl_fail(ACL_ERROR_BAD_ALLOC, "no memory for a callback");
		return NULL;
	}
	err = anpu_slot_take(g->obj.dev, &c->slot);
	if (err) {
		free(c);
		anpu_fail_ioctl(g->obj.dev, err, "allocating room for callbacks");
		return NULL;
	}
	*c = (struct anpu_graph_call){ .graph = g, .fn = fn, .arg = arg, .slot = c->slot };
	return c;
}

/* It is task @t, or ends if that is NULL */
static aclError install(struct anpu_graph *g, struct graph_task *t, struct anpu_graph_call *c)
{
	aclError ret = t ? add_packets(g, t, c) : acl_last_failure();

	g->calls = true;
	if (t)
		t->call = c;
	pthread_mutex_lock(&g->obj.dev->events_lock);
	c->next = g->obj.dev->graph_calls;
	g->obj.dev->graph_calls = c;
	pthread_mutex_unlock(&g->obj.dev->events_lock);
	if (!t)
		anpu_graph_call_end(c);
	return ret;
}

aclError anpu_graph_host_func(struct anpu_stream *s, void (*fn)(void *), void *arg)
{
	struct anpu_graph_call *c = NULL;
	struct anpu_graph *g;
	aclError ret;

	ret = graph_lock_of(s);
	if (ret)
		return ret;
	g = s->graph;
	ret = graph_group_check(g, s->lane, NULL);
	if (!ret) {
		c = new_call(g, fn, arg);
		ret = c ? ACL_SUCCESS : acl_last_failure();
	}
	if (!ret) {
		g->context = s->context;
		ret = install(g, graph_task_new(g, s->lane, ACL_MODEL_RI_TASK_DEFAULT), c);
		if (!ret)
			ret = graph_order_task(g, &g->tasks[g->task_count - 1]);
	}
	if (ret)
		graph_void(g, ret);
	pthread_mutex_unlock(&g->lock);
	return ret;
}

aclError graph_call_copy(struct anpu_graph *g, struct graph_task *t, const struct anpu_graph_call *from)
{
	struct anpu_graph_call *c = new_call(g, from->fn, from->arg);

	return c ? install(g, t, c) : acl_last_failure();
}
