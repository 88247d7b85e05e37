// SPDX-License-Identifier: MIT
/*
 * Names what an execution of a graph may wait for, for reports of hangs. The device does not tell which of a graph's packets it is at, so
 * all of its waits are named; of host functions only those that have not returned.
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
