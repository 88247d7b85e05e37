// SPDX-License-Identifier: MIT
/*
 * Tasks that are recorded: what a graph grows by, and the streams that record into it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "graph/inside.h"

#define ARGS_PIECE (256 * 1024)

/* Parts of a graph, graph locked -------------------------------------------------------------- */

aclError graph_void(struct anpu_graph *g, aclError why)
{
	if (!g->why)
		__atomic_store_n(&g->why, why, __ATOMIC_RELAXED);
	return why;
}

void *graph_grow(void *array, uint32_t count, uint32_t *room, size_t size)
{
	uint32_t more = *room ? 2 * *room : 64;
	void *bigger;

	if (count < *room)
		return array;
	bigger = realloc(array, more * size);
	if (!bigger) {
		acl_fail(ACL_ERROR_BAD_ALLOC, "no memory for a graph");
		return NULL;
	}
	*room = more;
	return bigger;
}

struct graph_task *graph_task_new(struct anpu_graph *g, uint32_t lane, aclmdlRITaskType type)
{
	struct graph_task *tasks = graph_grow(g->tasks, g->task_count, &g->task_room, sizeof(*tasks));
	struct graph_task *t;

	if (!tasks) {
		graph_void(g, ACL_ERROR_BAD_ALLOC);
		return NULL;
	}
	g->tasks = tasks;
	t = &tasks[g->task_count++];
	*t = (struct graph_task){ .type = type, .lane = lane, .first = g->count };
	anpu_site_here(&t->site);
	graph_info_new(g, t);
	g->lanes[lane].tasks++;
	g->lanes[lane].last = g->task_count;
	g->lanes[lane].known[lane] = g->task_count;
	return t;
}

aclError graph_task_add(struct anpu_graph *g, struct graph_task *t, const union anpu_packet *pkt)
{
	union anpu_packet *packets;

	if (g->count == ANPU_MAX_INDIRECT) {
		graph_void(g, ACL_ERROR_RT_OVER_LIMIT);
		return acl_fail(ACL_ERROR_RT_OVER_LIMIT, "a graph can have %d tasks",
				ANPU_MAX_INDIRECT);
	}
	packets = graph_grow(g->packets, g->count, &g->room, sizeof(*packets));
	if (!packets)
		return graph_void(g, ACL_ERROR_BAD_ALLOC);
	g->packets = packets;
	packets[g->count++] = *pkt;
	t->count++;
	return ACL_SUCCESS;
}

/* Room in the newest piece of a list, or in a new one */
static aclError take(struct anpu_graph *g, struct args_piece **list, uint64_t size, struct graph_args *out)
{
	uint64_t need = align_up(size, 64);
	struct args_piece *piece = *list;
	void *cpu;
	int err = 0;

	if (!piece || piece->used + need > ARGS_PIECE) {
		piece = calloc(1, sizeof(*piece));
		err = piece ? anpu_region_new(g->obj.dev, ANPU_REGION_ARGS, DRM_ANPU_BO_SYSTEM,
					      ARGS_PIECE, DRM_ANPU_VM_READ | DRM_ANPU_VM_WRITE,
					      &piece->region)
			    : -ENOMEM;
		if (err) {
			free(piece);
			return graph_void(g, anpu_fail_ioctl(g->obj.dev, err,
							     "allocating room for arguments"));
		}
		anpu_region_get(piece->region);
		piece->next = *list;
		*list = piece;
	}
	cpu = anpu_region_window(piece->region);
	if (!cpu)
		return graph_void(g, acl_fail(ACL_ERROR_RT_MEMORY_ALLOCATION,
					      "room for arguments cannot be mapped"));
	*out = (struct graph_args){ (char *)cpu + piece->used, piece->region->va + piece->used,
				    need };
	piece->used += need;
	return ACL_SUCCESS;
}

aclError graph_args_take(struct anpu_graph *g, uint64_t size, struct graph_args *out)
{
	return take(g, &g->args, size, out);
}

aclError graph_node_take(struct anpu_graph *g, uint64_t size, struct graph_args *out)
{
	return take(g, &g->nodes, size, out);
}

aclError graph_lane_new(struct anpu_graph *g, struct anpu_stream *s, uint32_t *lane)
{
	uint32_t n = g->lane_count, i;
	struct graph_lane *lanes = realloc(g->lanes, (n + 1) * sizeof(*lanes));
	uint32_t *known;

	if (!lanes)
		return acl_fail(ACL_ERROR_BAD_ALLOC, "no memory for a graph");
	g->lanes = lanes;
	/* anpu_graph_leave() may have run already, and the graph and the stream would hold each other for ever */
	if (atomic_load(&s->leaving))
		return acl_fail(ACL_ERROR_RT_INVALID_HANDLE,
				"stream %d is being destroyed by another thread, or its device reset, and takes no more work", s->number);
	lanes[n] = (struct graph_lane){ 0 };
	/* a column for the new lane in each, and its own */
	for (i = 0; i <= n; i++) {
		known = realloc(lanes[i].known, (n + 1) * sizeof(*known));
		if (!known)
			return acl_fail(ACL_ERROR_BAD_ALLOC, "no memory for a graph");
		if (i == n)
			memset(known, 0, (n + 1) * sizeof(*known));
		known[n] = 0;
		lanes[i].known = known;
	}
	anpu_stream_get(s);
	lanes[n].stream = s;
	g->lane_count = n + 1;
	*lane = n;
	return ACL_SUCCESS;
}

/* Recording, with the stream's lock held ------------------------------------------------------ */

aclError graph_lock_of(struct anpu_stream *s)
{
	struct anpu_graph *g = s->graph;
	aclError why;

	if (!g && s->update)
		return graph_update_refuse(s);
	if (!g && !(s->flags & ACL_STREAM_PERSISTENT))
		return acl_fail(
			ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
			"stream %d was made with flags %#x: the device would put the tasks of "
			"CPU-scheduled and device-only streams there itself, and it has no CPU that "
			"does; use another stream",
			s->number, s->flags);
	if (!g)
		return acl_fail(
			ACL_ERROR_RT_STREAM_MODEL,
			"stream %d was made with ACL_STREAM_PERSISTENT and takes tasks only for "
			"a graph: bind it to one with aclmdlRIBindStream()",
			s->number);
	pthread_mutex_lock(&g->lock);
	why = __atomic_load_n(&g->why, __ATOMIC_RELAXED);
	if (g->state == GRAPH_RECORDING && !why && !g->lanes[s->lane].ended)
		return ACL_SUCCESS;
	pthread_mutex_unlock(&g->lock);
	if (g->built)
		return acl_fail(
			ACL_ERROR_RT_STREAM_MODEL,
			"stream %d takes no more tasks: %s was called for its graph", s->number,
			g->state == GRAPH_RECORDING ? "aclmdlRIEndTask()" : "aclmdlRIBuildEnd()");
	return acl_fail(ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED,
			"the recording of stream %d is void (%d): end it with aclmdlRICaptureEnd()",
			s->number, why);
}

void graph_unlock_of(struct anpu_stream *s)
{
	pthread_mutex_unlock(&s->graph->lock);
}

aclError anpu_graph_cannot(struct anpu_stream *s, const char *what)
{
	aclError ret = graph_lock_of(s);

	if (ret)
		return ret;
	ret = graph_void(s->graph,
			 acl_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
				  "%s cannot be recorded, and stream %d is: the recording is void",
				  what, s->number));
	graph_unlock_of(s);
	return ret;
}

/* Words in memory of the library belong to notifies, all others are the program's values */
static aclmdlRITaskType type_of(struct anpu_stream *s, const union anpu_packet *pkt)
{
	struct anpu_region *region;
	uint64_t addr;
	bool ours;

	if (pkt->hdr.opcode == ANPU_OP_KERNEL)
		return ACL_MODEL_RI_TASK_KERNEL;
	if (pkt->hdr.opcode == ANPU_OP_SEM_SIGNAL)
		addr = pkt->sem_signal.addr;
	else if (pkt->hdr.opcode == ANPU_OP_SEM_WAIT)
		addr = pkt->sem_wait.addr;
	else
		return ACL_MODEL_RI_TASK_DEFAULT;
	region = anpu_region_find(s->obj.dev, addr);
	ours = region && region->kind == ANPU_REGION_INTERNAL;
	if (region)
		anpu_region_put(region);
	if (ours)
		return ACL_MODEL_RI_TASK_DEFAULT;
	return pkt->hdr.opcode == ANPU_OP_SEM_SIGNAL ? ACL_MODEL_RI_TASK_VALUE_WRITE
						     : ACL_MODEL_RI_TASK_VALUE_WAIT;
}

aclError anpu_graph_record(struct anpu_stream *s, const union anpu_packet *pkt)
{
	struct anpu_graph *g;
	struct graph_task *t;
	aclError ret;

	if (s->update)
		return graph_update_record(s, pkt);
	if (pkt->hdr.opcode == ANPU_OP_INDIRECT)
		return anpu_graph_cannot(s, "the execution of a graph");
	if (pkt->hdr.opcode == ANPU_OP_NOTIFY)
		return anpu_graph_cannot(s, "a callback");
	ret = graph_lock_of(s);
	if (ret)
		return ret;
	g = s->graph;
	ret = graph_group_check(g, s->lane, pkt);
	t = ret ? NULL : graph_task_new(g, s->lane, type_of(s, pkt));
	if (t) {
		t->args = s->graph_args;
		t->group = g->lanes[s->lane].group;
		ret = graph_task_add(g, t, pkt);
		if (!ret)
			ret = graph_order_task(g, t);
	} else if (!ret) {
		ret = acl_last_failure();
	}
	s->graph_args = (struct graph_args){ 0 };
	graph_unlock_of(s);
	return ret;
}

aclError anpu_graph_args(struct anpu_stream *s, uint64_t size, void **cpu, uint64_t *va)
{
	struct graph_args args;
	aclError ret;

	if (s->update)
		return graph_update_args(s, size, cpu, va);
	ret = graph_lock_of(s);
	if (ret)
		return ret;
	ret = graph_args_take(s->graph, size, &args);
	graph_unlock_of(s);
	if (ret)
		return ret;
	s->graph_args = args;
	*cpu = args.cpu;
	*va = args.va;
	return ACL_SUCCESS;
}

aclError anpu_graph_refuse(struct anpu_stream *s, const char *what)
{
	aclError ret = ACL_SUCCESS;

	pthread_mutex_lock(&s->lock);
	if (s->graph) {
		ret = acl_fail(ACL_ERROR_RT_STREAM_CAPTURED,
			       "stream %d is being recorded, and its tasks do not run: %s. The "
			       "recording is void",
			       s->number, what);
		pthread_mutex_lock(&s->graph->lock);
		graph_void(s->graph, ret);
		pthread_mutex_unlock(&s->graph->lock);
	}
	pthread_mutex_unlock(&s->lock);
	return ret;
}

aclError anpu_graph_illegal(struct anpu_stream *s, aclError code, const char *what)
{
	aclError ret = ACL_SUCCESS;

	pthread_mutex_lock(&s->lock);
	if (s->graph && !s->graph->built) {
		ret = acl_fail(code,
			       "stream %d is being recorded, and its tasks do not run: %s. The "
			       "recording is void",
			       s->number, what);
		pthread_mutex_lock(&s->graph->lock);
		graph_void(s->graph, ret);
		pthread_mutex_unlock(&s->graph->lock);
	}
	pthread_mutex_unlock(&s->lock);
	return ret;
}

/* Takes the stream from its graph, and drops what it held of that; neither is locked */
static void leave(struct anpu_stream *s, struct anpu_graph *g)
{
	bool mine;

	pthread_mutex_lock(&s->lock);
	mine = s->graph == g;
	if (mine)
		s->graph = NULL;
	pthread_mutex_unlock(&s->lock);
	if (mine)
		graph_put(g);
}

void graph_release_stream(struct anpu_graph *g, struct anpu_stream *s)
{
	bool held = false;
	uint32_t i;

	pthread_mutex_lock(&g->lock);
	for (i = 0; i < g->lane_count && !held; i++) {
		held = g->lanes[i].stream == s;
		if (held)
			g->lanes[i].stream = NULL;
	}
	pthread_mutex_unlock(&g->lock);
	if (!held)
		return;
	leave(s, g);
	anpu_stream_put(s);
}

void graph_release_streams(struct anpu_graph *g)
{
	struct anpu_stream *s;
	uint32_t i;

	for (i = 0; i < g->lane_count; i++) {
		pthread_mutex_lock(&g->lock);
		s = g->lanes[i].stream;
		g->lanes[i].stream = NULL;
		pthread_mutex_unlock(&g->lock);
		if (!s)
			continue;
		leave(s, g);
		anpu_stream_put(s);
	}
}

/* The stream ends. The recording is void then, because tasks of the stream may be missing */
static void drop(struct anpu_stream *s)
{
	struct anpu_graph *g;
	struct anpu_stream *held = NULL;
	bool origin, ends;

	pthread_mutex_lock(&s->lock);
	g = s->graph;
	s->graph = NULL;
	pthread_mutex_unlock(&s->lock);
	if (!g)
		return;
	pthread_mutex_lock(&g->lock);
	origin = s->lane == g->origin && !g->built;
	ends = origin && g->state == GRAPH_RECORDING;
	if (g->state == GRAPH_RECORDING)
		graph_void(g, ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED);
	if (g->lanes[s->lane].stream == s) {
		held = s;
		g->lanes[s->lane].stream = NULL;
	}
	if (origin) {
		g->state = g->kept ? GRAPH_READY : GRAPH_VOID;
		if (g->kept)
			__atomic_store_n(&g->why, ACL_SUCCESS, __ATOMIC_RELAXED);
	}
	pthread_mutex_unlock(&g->lock);
	if (held)
		anpu_stream_put(s);
	if (ends)
		anpu_finding("recording", NULL,
			     "stream %d ends while it is recorded, and the recording with it, of which no graph comes: end the "
			     "recording before", s->number);
	if (origin) {
		graph_unlist_recording(g);
		graph_release_streams(g);
		if (!g->body && !g->kept)
			graph_unpublish(g);
	}
	graph_put(g);
}

void anpu_graph_leave(struct anpu_stream *s)
{
	drop(s);
	pthread_mutex_lock(&s->lock);
	graph_update_end(s);
	pthread_mutex_unlock(&s->lock);
}
