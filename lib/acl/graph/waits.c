// SPDX-License-Identifier: MIT
/*
 * The waits of streams and of executions of graphs. Reports of hangs name them; the device does not tell which of a graph's packets it
 * is at, so all of its waits are named; of host functions only those that have not returned.
 */
#include <stdlib.h>

#include "graph/inside.h"

static void add_wait(struct anpu_text *t, const struct anpu_graph *g, const struct graph_task *task, uint32_t number,
		     const union anpu_packet *pkt)
{
	char what[600], where[400];

	anpu_site_text(&task->site, where, sizeof(where));
	anpu_text_add(t, "; task %u, recorded by %s, waits for ", number, where);
	if (anpu_sync_text(g->obj.dev, NULL, pkt->sem_wait.addr, pkt->sem_wait.value, what, sizeof(what)))
		anpu_text_add(t, "%s", what);
	else
		anpu_text_add(t, "the value %llu at %#llx", (unsigned long long)pkt->sem_wait.value,
			      (unsigned long long)pkt->sem_wait.addr);
}

static void add_call(struct anpu_text *t, const struct graph_task *task, uint32_t number)
{
	char place[300], where[400];

	anpu_site_text(&task->site, where, sizeof(where));
	anpu_front_place((const uint8_t *)(uintptr_t)task->call->fn + 1, place, sizeof(place));
	anpu_text_add(t, "; task %u, recorded by %s, waits for the host function %s, which %s", number, where, place,
		      anpu_graph_call_runs(task->call) ? "has not returned" : "has not begun");
}

/* Graph locked */
static void describe(struct anpu_text *t, const struct anpu_graph *g)
{
	anpu_text_add(t, "graph %u of %u tasks, and is at or before one of its waits", g->id, g->task_count);
	for (uint32_t i = 0; i < g->task_count; i++) {
		const struct graph_task *task = &g->tasks[i];

		if (task->disabled || task->removed || task->control != GRAPH_PLAIN)
			continue;
		if (task->call && anpu_graph_call_pending(task->call))
			add_call(t, task, i);
		for (uint32_t k = 0; k < task->count && !task->call; k++) {
			const union anpu_packet *pkt = &g->packets[task->first + k];

			if (pkt->hdr.opcode == ANPU_OP_SEM_WAIT)
				add_wait(t, g, task, i, pkt);
		}
	}
}

/* Graph locked: does the stream execute it */
static bool executes(const struct anpu_graph *g, const struct anpu_stream *s, uint64_t seq)
{
	for (size_t i = 0; i < g->run_count; i++)
		if (g->runs[i].stream == s && g->runs[i].seq >= seq)
			return true;
	return false;
}

bool anpu_graph_waits_text(struct anpu_stream *s, uint64_t seq, char *buf, size_t size)
{
	size_t n = acl_obj_list(s->obj.dev, ACL_TYPE_GRAPH, NULL, 0), got, i;
	struct acl_obj **list = calloc(n + 1, sizeof(*list));
	struct anpu_text t = { .buf = buf, .size = size };
	bool found = false;

	got = list ? acl_obj_list(s->obj.dev, ACL_TYPE_GRAPH, list, n) : 0;
	for (i = 0; i < got && i < n; i++) {
		struct anpu_graph *g = container_of(list[i], struct anpu_graph, obj);

		/* a thread that sleeps for room in a stream may hold the lock */
		if (!found && !pthread_mutex_trylock(&g->lock)) {
			found = executes(g, s, seq);
			if (found)
				describe(&t, g);
			pthread_mutex_unlock(&g->lock);
		}
		acl_obj_put(list[i]);
	}
	free(list);
	return found;
}

/* Words of a front, and the streams whose tasks use them */
struct users {
	uint64_t base, size;
	aclrtStream *list;
	size_t room, n;
};

static void add_user(struct users *u, const struct anpu_stream *s)
{
	aclrtStream handle = acl_obj_handle(&s->obj);

	for (size_t i = 0; i < u->n && i < u->room; i++)
		if (u->list[i] == handle)
			return;
	if (!handle) /* of the library */
		return;
	if (u->n < u->room)
		u->list[u->n] = handle;
	u->n++;
}

static void look_at_stream(struct users *u, const struct anpu_stream *s)
{
	uint64_t seq = anpu_stream_completed(s) + 1, last = atomic_load(&s->last_seq);
	struct anpu_task t;

	for (; seq <= last; seq++) {
		if (!anpu_task_find(s, seq, &t) || (t.opcode != ANPU_OP_SEM_WAIT && t.opcode != ANPU_OP_SEM_SIGNAL) ||
		    t.args - u->base >= u->size)
			continue;
		add_user(u, s);
		return;
	}
}

/* Graph locked */
static bool graph_uses(const struct anpu_graph *g, uint64_t base, uint64_t size)
{
	for (uint32_t i = 0; i < g->count; i++) {
		const union anpu_packet *pkt = &g->packets[i];

		if ((pkt->hdr.opcode == ANPU_OP_SEM_WAIT && pkt->sem_wait.addr - base < size) ||
		    (pkt->hdr.opcode == ANPU_OP_SEM_SIGNAL && pkt->sem_signal.addr - base < size))
			return true;
	}
	return false;
}

static void look_at_graph(struct users *u, struct anpu_graph *g)
{
	pthread_mutex_lock(&g->lock);
	if (g->run_count && graph_uses(g, u->base, u->size))
		for (size_t i = 0; i < g->run_count; i++)
			if (!anpu_stream_reached(g->runs[i].stream, g->runs[i].seq))
				add_user(u, g->runs[i].stream);
	pthread_mutex_unlock(&g->lock);
}

static void look_at_graphs(struct users *u, struct anpu_device *dev)
{
	size_t n = acl_obj_list(dev, ACL_TYPE_GRAPH, NULL, 0), got;
	struct acl_obj **list = calloc(n + 1, sizeof(*list));

	got = list ? acl_obj_list(dev, ACL_TYPE_GRAPH, list, n) : 0;
	for (size_t i = 0; i < got && i < n; i++) {
		look_at_graph(u, container_of(list[i], struct anpu_graph, obj));
		acl_obj_put(list[i]);
	}
	free(list);
}

size_t anpu_front_users(const void *base, size_t size, aclrtStream *list, size_t room)
{
	struct users u = { .base = (uintptr_t)base, .size = size, .list = list, .room = room };
	struct anpu_context *ctx;
	struct anpu_stream **streams;
	size_t n = 0;

	ACL_ENTER_SHORT();
	if (anpu_context_current(&ctx))
		return 0;
	streams = anpu_stream_list(ctx->obj.dev, &n);
	for (size_t i = 0; streams && i < n; i++) {
		look_at_stream(&u, streams[i]);
		anpu_stream_put(streams[i]);
	}
	free(streams);
	look_at_graphs(&u, ctx->obj.dev);
	anpu_context_put(ctx);
	return u.n;
}
