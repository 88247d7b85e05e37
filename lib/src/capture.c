// SPDX-License-Identifier: MIT
/*
 * Recording streams into graphs: what becomes of a task, how other streams join by events, and which
 * calls are refused meanwhile.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "graph.h"

#define ARGS_PIECE (256 * 1024)

/* Graphs whose recording was begun and not ended: what unsafe calls look at */
static pthread_mutex_t recordings_lock = PTHREAD_MUTEX_INITIALIZER;
static struct anpu_graph *recordings;
static atomic_uint recording_count;
/* aclmdlRICaptureThreadExchangeMode() */
static __thread aclmdlRICaptureMode thread_mode = ACL_MODEL_RI_CAPTURE_MODE_GLOBAL;

/* Graph locked */
static void list_recording(struct anpu_graph *g)
{
	pthread_mutex_lock(&recordings_lock);
	g->next_recording = recordings;
	recordings = g;
	atomic_fetch_add(&recording_count, 1);
	pthread_mutex_unlock(&recordings_lock);
}

static void unlist_recording(struct anpu_graph *g)
{
	struct anpu_graph **p;

	pthread_mutex_lock(&recordings_lock);
	for (p = &recordings; *p && *p != g; p = &(*p)->next_recording)
		;
	if (*p) {
		*p = g->next_recording;
		atomic_fetch_sub(&recording_count, 1);
	}
	pthread_mutex_unlock(&recordings_lock);
}

/* Does the recording forbid this thread an unsafe call */
static bool forbids(const struct anpu_graph *g)
{
	if (g->mode == ACL_MODEL_RI_CAPTURE_MODE_RELAXED ||
	    thread_mode == ACL_MODEL_RI_CAPTURE_MODE_RELAXED)
		return false;
	if (g->thread == gettid())
		return true;
	return g->mode == ACL_MODEL_RI_CAPTURE_MODE_GLOBAL &&
	       thread_mode == ACL_MODEL_RI_CAPTURE_MODE_GLOBAL;
}

aclError anpu_capture_unsafe(const char *what)
{
	struct anpu_graph *g, *found = NULL;

	if (!atomic_load_explicit(&recording_count, memory_order_relaxed))
		return ACL_SUCCESS;
	pthread_mutex_lock(&recordings_lock);
	for (g = recordings; g; g = g->next_recording) {
		if (!forbids(g))
			continue;
		found = g;
		__atomic_store_n(&g->why, ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT, __ATOMIC_RELAXED);
	}
	pthread_mutex_unlock(&recordings_lock);
	if (!found)
		return ACL_SUCCESS;
	return acl_fail(ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT,
			"%s is refused while a stream is recorded in a mode that forbids it, and the "
			"recording is void: record in ACL_MODEL_RI_CAPTURE_MODE_RELAXED, or let this "
			"thread switch to it with aclmdlRICaptureThreadExchangeMode()",
			what);
}

aclError anpu_capture_device(struct anpu_device *dev, const char *what)
{
	struct anpu_graph *g;
	bool found = false;

	if (!atomic_load_explicit(&recording_count, memory_order_relaxed))
		return ACL_SUCCESS;
	pthread_mutex_lock(&recordings_lock);
	for (g = recordings; g; g = g->next_recording) {
		if (g->obj.dev != dev)
			continue;
		found = true;
		__atomic_store_n(&g->why, ACL_ERROR_RT_STREAM_CAPTURED, __ATOMIC_RELAXED);
	}
	pthread_mutex_unlock(&recordings_lock);
	if (!found)
		return ACL_SUCCESS;
	return acl_fail(ACL_ERROR_RT_STREAM_CAPTURED,
			"%s waits for all streams of device %d, one of which is being recorded: the "
			"recording is void, end it first",
			what, dev->id);
}

/* Parts of a graph, graph locked ---------------------------------------------------------------- */

aclError graph_void(struct anpu_graph *g, aclError why)
{
	if (!g->why)
		__atomic_store_n(&g->why, why, __ATOMIC_RELAXED);
	return why;
}

static void *grow(void *array, uint32_t count, uint32_t *room, size_t size)
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
	struct graph_task *tasks = grow(g->tasks, g->task_count, &g->task_room, sizeof(*tasks));
	struct graph_task *t;

	if (!tasks) {
		graph_void(g, ACL_ERROR_BAD_ALLOC);
		return NULL;
	}
	g->tasks = tasks;
	t = &tasks[g->task_count++];
	*t = (struct graph_task){ .type = type, .lane = lane, .first = g->count };
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
	packets = grow(g->packets, g->count, &g->room, sizeof(*packets));
	if (!packets)
		return graph_void(g, ACL_ERROR_BAD_ALLOC);
	g->packets = packets;
	packets[g->count++] = *pkt;
	t->count++;
	return ACL_SUCCESS;
}

aclError graph_args_take(struct anpu_graph *g, uint64_t size, struct graph_args *out)
{
	uint64_t need = align_up(size, 64);
	struct args_piece *piece = g->args;
	void *cpu;
	int err = 0;

	if (!piece || piece->used + need > ARGS_PIECE) {
		piece = calloc(1, sizeof(*piece));
		err = piece ? anpu_region_new(g->obj.dev, ANPU_REGION_INTERNAL, DRM_ANPU_BO_SYSTEM,
					      ARGS_PIECE, DRM_ANPU_VM_READ | DRM_ANPU_VM_WRITE,
					      &piece->region)
			    : -ENOMEM;
		if (err) {
			free(piece);
			return graph_void(g, anpu_fail_ioctl(g->obj.dev, err,
							     "allocating room for arguments"));
		}
		anpu_region_get(piece->region);
		piece->next = g->args;
		g->args = piece;
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

aclError graph_lane_new(struct anpu_graph *g, struct anpu_stream *s, uint32_t *lane)
{
	uint32_t n = g->lane_count, i;
	struct graph_lane *lanes = realloc(g->lanes, (n + 1) * sizeof(*lanes));
	uint32_t *known;

	if (!lanes)
		return acl_fail(ACL_ERROR_BAD_ALLOC, "no memory for a graph");
	g->lanes = lanes;
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

/* Recording, with the stream's lock held ------------------------------------------------------- */

/* Locks the graph of a stream that is recorded; fails if no more can be recorded */
aclError graph_lock_of(struct anpu_stream *s)
{
	struct anpu_graph *g = s->graph;
	aclError why;

	if (!g)
		return acl_fail(ACL_ERROR_RT_STREAM_MODEL,
				"stream %d was made with ACL_STREAM_PERSISTENT and takes tasks only for "
				"a graph: bind it to one with aclmdlRIBindStream()",
				s->number);
	pthread_mutex_lock(&g->lock);
	why = __atomic_load_n(&g->why, __ATOMIC_RELAXED);
	if (g->state == GRAPH_RECORDING && !why && !g->lanes[s->lane].ended)
		return ACL_SUCCESS;
	pthread_mutex_unlock(&g->lock);
	if (g->built)
		return acl_fail(ACL_ERROR_RT_STREAM_MODEL,
				"stream %d takes no more tasks: %s was called for its graph", s->number,
				g->state == GRAPH_RECORDING ? "aclmdlRIEndTask()"
							    : "aclmdlRIBuildEnd()");
	return acl_fail(ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED,
			"the recording of stream %d is void (%d): end it with aclmdlRICaptureEnd()",
			s->number, why);
}

static void unlock_graph(struct anpu_stream *s)
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
	unlock_graph(s);
	return ret;
}

/* Words of the library's own memory are those of notifies */
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
	} else if (!ret) {
		ret = acl_last_failure();
	}
	s->graph_args = (struct graph_args){ 0 };
	unlock_graph(s);
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
	unlock_graph(s);
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
	if (s->graph)
		ret = acl_fail(ACL_ERROR_RT_STREAM_CAPTURED,
			       "stream %d is being recorded, and its tasks do not run: %s", s->number,
			       what);
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

/* The stream ends. Without it the recording cannot be what the program means */
void anpu_graph_drop(struct anpu_stream *s)
{
	struct anpu_graph *g;
	struct anpu_stream *held = NULL;
	bool origin;

	pthread_mutex_lock(&s->lock);
	g = s->graph;
	s->graph = NULL;
	pthread_mutex_unlock(&s->lock);
	if (!g)
		return;
	pthread_mutex_lock(&g->lock);
	origin = !s->lane && !g->built;
	if (g->state == GRAPH_RECORDING)
		graph_void(g, ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED);
	if (g->lanes[s->lane].stream == s) {
		held = s;
		g->lanes[s->lane].stream = NULL;
	}
	if (origin)
		g->state = GRAPH_VOID;
	pthread_mutex_unlock(&g->lock);
	if (held)
		anpu_stream_put(s);
	if (origin) {
		unlist_recording(g);
		graph_release_streams(g);
		if (!g->body)
			graph_unpublish(g);
	}
	graph_put(g);
}

/* Events ---------------------------------------------------------------------------------------- */

bool anpu_capture_live(const struct anpu_capture_point *p)
{
	return p->graph && __atomic_load_n(&p->graph->state, __ATOMIC_ACQUIRE) == GRAPH_RECORDING;
}

void anpu_capture_forget(struct anpu_capture_point *p)
{
	if (p->graph)
		graph_put(p->graph);
	free(p->known);
	*p = (struct anpu_capture_point){ 0 };
}

aclError anpu_capture_refuse_event(struct anpu_capture_point *p, const char *what)
{
	aclError ret;

	if (!anpu_capture_live(p))
		return ACL_SUCCESS;
	ret = acl_fail(ACL_ERROR_RT_EVENT_CAPTURED,
		       "the event was recorded in a stream that is being recorded, and does not "
		       "happen: it cannot be %s. The recording is void",
		       what);
	pthread_mutex_lock(&p->graph->lock);
	graph_void(p->graph, ret);
	pthread_mutex_unlock(&p->graph->lock);
	return ret;
}

/* A task of an event, with the packets that it has; graph locked */
static aclError event_task(struct anpu_stream *s, const struct anpu_event_task *info)
{
	struct anpu_graph *g = s->graph;
	aclError ret = graph_group_check(g, s->lane, NULL);
	struct graph_task *t;
	uint32_t i;

	t = ret ? NULL : graph_task_new(g, s->lane, info->type);
	if (!t)
		return ret ? ret : acl_last_failure();
	t->event = info->event;
	t->event_flags = info->event_flags;
	t->flag = info->flag;
	for (i = 0; i < info->count && !ret; i++)
		ret = graph_task_add(g, t, &info->packets[i]);
	return ret;
}

static aclError add_external(struct anpu_graph *g, const struct anpu_event_task *info)
{
	struct graph_external *more;
	uint32_t i;

	for (i = 0; i < g->external_count; i++)
		if (g->externals[i].event == info->obj &&
		    g->externals[i].record != (info->type == ACL_MODEL_RI_TASK_EVENT_RECORD))
			return acl_fail(ACL_ERROR_STREAM_CAPTURE_CONFLICT,
					"event %p is recorded and waited for in the same graph, as "
					"an event outside of it",
					info->event);
	more = realloc(g->externals, (g->external_count + 1) * sizeof(*more));
	if (!more)
		return acl_fail(ACL_ERROR_BAD_ALLOC, "no memory for a graph");
	g->externals = more;
	acl_obj_get(info->obj);
	more[g->external_count++] = (struct graph_external){
		info->obj, g->task_count - 1, info->type == ACL_MODEL_RI_TASK_EVENT_RECORD };
	return ACL_SUCCESS;
}

/* What the lane of a stream knows is remembered with the event */
static aclError make_point(struct anpu_stream *s, struct anpu_capture_point *p)
{
	struct anpu_graph *g = s->graph;
	uint32_t *known = malloc(g->lane_count * sizeof(*known));

	if (!known)
		return acl_fail(ACL_ERROR_BAD_ALLOC, "no memory for a graph");
	memcpy(known, g->lanes[s->lane].known, g->lane_count * sizeof(*known));
	graph_get(g);
	anpu_capture_forget(p);
	*p = (struct anpu_capture_point){ g, known, g->lane_count };
	return ACL_SUCCESS;
}

aclError anpu_capture_event(struct anpu_stream *s, const struct anpu_event_task *info,
			    struct anpu_capture_point *p, bool *recorded)
{
	aclError ret;

	*recorded = false;
	pthread_mutex_lock(&s->lock);
	if (!s->graph && !(s->flags & ACL_STREAM_PERSISTENT)) {
		pthread_mutex_unlock(&s->lock);
		return ACL_SUCCESS;
	}
	*recorded = true;
	ret = graph_lock_of(s);
	if (!ret) {
		if (p && p->graph && p->graph != s->graph && anpu_capture_live(p))
			ret = acl_fail(ACL_ERROR_STREAM_CAPTURE_CONFLICT,
				       "the event belongs to the recording of another graph than "
				       "stream %d does",
				       s->number);
		if (!ret)
			ret = event_task(s, info);
		if (!ret && info->obj)
			ret = add_external(s->graph, info);
		if (!ret && p)
			ret = make_point(s, p);
		if (ret)
			graph_void(s->graph, ret);
		unlock_graph(s);
	}
	pthread_mutex_unlock(&s->lock);
	return ret;
}

/* The stream is to be recorded from now on, because it waits for one that is; stream locked */
static aclError join(struct anpu_stream *s, struct anpu_graph *g)
{
	uint32_t lane = 0;
	aclError ret;

	if (s->is_default)
		return acl_fail(ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT,
				"the default stream cannot be recorded: wait in a stream of "
				"aclrtCreateStream()");
	if (s->update || s->flags & ACL_STREAM_PERSISTENT)
		return acl_fail(ACL_ERROR_STREAM_CAPTURE_CONFLICT,
				"stream %d %s, and cannot join a recording", s->number,
				s->update ? "updates tasks" : "is bound to a graph");
	pthread_mutex_lock(&g->lock);
	ret = g->state == GRAPH_RECORDING
		      ? graph_lane_new(g, s, &lane)
		      : acl_fail(ACL_ERROR_RT_STREAM_CAPTURE_UNMATCHED,
				 "the recording was ended by another thread meanwhile");
	pthread_mutex_unlock(&g->lock);
	if (ret)
		return ret;
	graph_get(g);
	s->graph = g;
	s->lane = lane;
	return ACL_SUCCESS;
}

aclError anpu_capture_wait(struct anpu_stream *s, const struct anpu_event_task *info,
			   struct anpu_capture_point *p)
{
	aclError ret = ACL_SUCCESS;
	uint32_t *known, i;

	pthread_mutex_lock(&s->lock);
	if (!s->graph)
		ret = join(s, p->graph);
	else if (s->graph != p->graph)
		ret = acl_fail(ACL_ERROR_STREAM_CAPTURE_CONFLICT,
			       "the event belongs to the recording of another graph than stream %d "
			       "does",
			       s->number);
	if (ret) {
		pthread_mutex_lock(&p->graph->lock);
		graph_void(p->graph, ret);
		pthread_mutex_unlock(&p->graph->lock);
	}
	if (ret && s->graph && s->graph != p->graph) {
		pthread_mutex_lock(&s->graph->lock);
		graph_void(s->graph, ret);
		pthread_mutex_unlock(&s->graph->lock);
	}
	if (!ret) {
		ret = graph_lock_of(s);
	}
	if (!ret) {
		ret = event_task(s, info);
		known = s->graph->lanes[s->lane].known;
		for (i = 0; i < p->lanes; i++)
			known[i] = known[i] > p->known[i] ? known[i] : p->known[i];
		if (ret)
			graph_void(s->graph, ret);
		unlock_graph(s);
	}
	pthread_mutex_unlock(&s->lock);
	return ret;
}

aclError anpu_capture_dependency(struct anpu_stream *s, aclrtEvent event, bool *captured)
{
	aclError ret = ACL_SUCCESS;

	pthread_mutex_lock(&s->lock);
	*captured = s->graph && !s->update;
	if (*captured) {
		ret = acl_fail(ACL_ERROR_RT_CAPTURE_DEPENDENCY,
			       "event %p was not recorded in the recording that stream %d belongs to: "
			       "record it there, or wait with ACL_EVENT_WAIT_EXTERNAL. The recording is "
			       "void",
			       event, s->number);
		pthread_mutex_lock(&s->graph->lock);
		graph_void(s->graph, ret);
		pthread_mutex_unlock(&s->graph->lock);
	}
	pthread_mutex_unlock(&s->lock);
	return ret;
}

/* The API -------------------------------------------------------------------------------------- */

static aclError check_mode(aclmdlRICaptureMode mode)
{
	if ((int)mode >= ACL_MODEL_RI_CAPTURE_MODE_GLOBAL &&
	    mode <= ACL_MODEL_RI_CAPTURE_MODE_RELAXED)
		return ACL_SUCCESS;
	return acl_fail(ACL_ERROR_INVALID_PARAM, "mode is %d and must be 0 to 2", (int)mode);
}

/* Neither is locked */
static aclError begin(struct anpu_stream *s, struct anpu_graph *g, aclmdlRICaptureMode mode)
{
	uint32_t lane;
	aclError ret = ACL_SUCCESS;

	pthread_mutex_lock(&s->lock);
	if (s->is_default)
		ret = acl_fail(ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT,
			       "the default stream cannot be recorded: make one with "
			       "aclrtCreateStream()");
	else if (s->graph || s->update || s->flags & ACL_STREAM_PERSISTENT)
		ret = acl_fail(ACL_ERROR_RT_STREAM_CAPTURED, "stream %d %s already", s->number,
			       s->flags & ACL_STREAM_PERSISTENT ? "is for graphs that are built, and "
								  "in use"
			       : s->update			  ? "updates tasks"
								  : "is being recorded");
	if (!ret) {
		pthread_mutex_lock(&g->lock);
		if (g->used)
			ret = acl_fail(ACL_ERROR_RT_MODEL_CAPTURED,
				       "the graph was recorded already, as a body can be once");
		if (!ret)
			ret = graph_lane_new(g, s, &lane);
		if (!ret) {
			g->mode = mode;
			g->thread = gettid();
			g->used = true;
			s->lane = lane;
			s->graph = g;
			graph_get(g);
			list_recording(g); /* before another thread can end it */
		}
		pthread_mutex_unlock(&g->lock);
	}
	pthread_mutex_unlock(&s->lock);
	return ret;
}

aclError aclmdlRICaptureBegin(aclrtStream stream, aclmdlRICaptureMode mode)
{
	struct anpu_graph *g;
	struct anpu_stream *s;
	aclError ret;

	ACL_ENTER();
	ret = check_mode(mode);
	if (!ret)
		ret = anpu_stream_find(stream, &s);
	if (ret)
		return ret;
	g = graph_new(s->obj.dev);
	ret = g ? begin(s, g, mode) : acl_last_failure();
	if (g && ret)
		graph_unpublish(g);
	if (g)
		graph_put(g);
	anpu_stream_put(s);
	return ret;
}

aclError aclmdlRICaptureToModelRIBegin(aclrtStream stream, aclmdlRI modelRI,
				       aclmdlRICaptureMode mode)
{
	struct anpu_graph *g;
	struct anpu_stream *s;
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(modelRI);
	ret = check_mode(mode);
	if (!ret)
		ret = anpu_stream_find(stream, &s);
	if (ret)
		return ret;
	g = graph_find(modelRI);
	if (!g) {
		ret = ACL_ERROR_RT_INVALID_HANDLE;
	} else if (!g->body) {
		ret = acl_fail(ACL_ERROR_RT_MODEL_CAPTURED,
			       "the graph is no body of a conditional task: only what "
			       "aclmdlRIAddCondTask() has made can be recorded into, once");
	} else if (g->obj.dev != s->obj.dev) {
		ret = acl_fail(ACL_ERROR_RT_STREAM_MODEL,
			       "the graph belongs to device %d and the stream to device %d",
			       g->obj.dev->id, s->obj.dev->id);
	} else {
		ret = begin(s, g, mode);
	}
	if (g)
		graph_put(g);
	anpu_stream_put(s);
	return ret;
}

aclError aclmdlRICaptureThreadExchangeMode(aclmdlRICaptureMode *mode)
{
	aclmdlRICaptureMode before = thread_mode;
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(mode);
	ret = check_mode(*mode);
	if (ret)
		return ret;
	thread_mode = *mode;
	*mode = before;
	return ACL_SUCCESS;
}

/* May this stream and thread end the recording; with a reference to the graph */
static aclError may_end(struct anpu_stream *s, struct anpu_graph **out)
{
	struct anpu_graph *g;
	aclError ret = ACL_SUCCESS;

	pthread_mutex_lock(&s->lock);
	g = s->graph;
	if (!g || g->built)
		ret = acl_fail(ACL_ERROR_RT_STREAM_NOT_CAPTURED, "stream %d is not being recorded",
			       s->number);
	else if (s->lane)
		ret = acl_fail(ACL_ERROR_RT_STREAM_CAPTURE_UNMATCHED,
			       "stream %d has joined the recording by an event: it is ended in the "
			       "stream in which it was begun",
			       s->number);
	else if (g->mode != ACL_MODEL_RI_CAPTURE_MODE_RELAXED && g->thread != gettid())
		ret = acl_fail(ACL_ERROR_RT_STREAM_CAPTURE_WRONG_THREAD,
			       "thread %d began to record stream %d, and has to end it: "
			       "ACL_MODEL_RI_CAPTURE_MODE_RELAXED allows others to",
			       (int)g->thread, s->number);
	else
		graph_get(g);
	pthread_mutex_unlock(&s->lock);
	*out = ret ? NULL : g;
	return ret;
}

/* Does the first lane wait for everything that the others have done; graph locked */
static aclError check_joined(struct anpu_graph *g)
{
	uint32_t i;

	for (i = 1; i < g->lane_count; i++)
		if (g->lanes[0].known[i] < g->lanes[i].last)
			return acl_fail(ACL_ERROR_RT_STREAM_UNJOINED,
					"the recording's stream does not wait for the last task of "
					"stream %d, which has joined it: record an event there and wait "
					"for it before the end",
					g->lanes[i].stream ? g->lanes[i].stream->number : -1);
	return ACL_SUCCESS;
}

/* Graph locked */
static aclError finish(struct anpu_graph *g)
{
	aclError why = __atomic_load_n(&g->why, __ATOMIC_RELAXED);
	aclError ret = ACL_SUCCESS;
	uint32_t i;

	for (i = 0; i < g->lane_count && !why; i++)
		if (g->lanes[i].group)
			why = ACL_ERROR_STREAM_TASK_GROUP_STATUS;
	if (why)
		ret = acl_fail(ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED,
			       "the recording is void, so there is no graph: %s (%d)",
			       why == ACL_ERROR_STREAM_TASK_GROUP_STATUS
				       ? "aclmdlRICaptureTaskGrpEnd() is missing"
				       : "a call was refused meanwhile",
			       why);
	if (!ret)
		ret = check_joined(g);
	if (!ret && !g->body)
		ret = graph_compile(g);
	__atomic_store_n(&g->state, ret ? GRAPH_VOID : GRAPH_READY, __ATOMIC_RELEASE);
	return ret;
}

/* Two threads may have found that they may; nothing is locked */
static aclError end(struct anpu_stream *s, struct anpu_graph *g)
{
	aclError ret;
	bool mine;

	pthread_mutex_lock(&g->lock);
	mine = g->state == GRAPH_RECORDING;
	ret = mine ? finish(g)
		   : acl_fail(ACL_ERROR_RT_STREAM_NOT_CAPTURED,
			      "the recording of stream %d was ended by another thread meanwhile",
			      s->number);
	pthread_mutex_unlock(&g->lock);
	if (!mine)
		return ret;
	unlist_recording(g);
	graph_release_streams(g);
	if (ret && !g->body)
		graph_unpublish(g);
	return ret;
}

aclError aclmdlRICaptureEnd(aclrtStream stream, aclmdlRI *modelRI)
{
	struct anpu_graph *g;
	struct anpu_stream *s;
	aclError ret;

	ACL_ENTER();
	ret = anpu_stream_find(stream, &s);
	if (ret)
		return ret;
	ret = may_end(s, &g);
	if (!ret && !modelRI && !g->body) {
		graph_put(g);
		ret = acl_fail(ACL_ERROR_INVALID_PARAM, "modelRI is NULL");
	} else if (!ret) {
		ret = end(s, g);
		if (!ret && modelRI)
			*modelRI = acl_obj_handle(&g->obj);
		graph_put(g);
	}
	anpu_stream_put(s);
	return ret;
}

aclError aclmdlRICaptureGetInfo(aclrtStream stream, aclmdlRICaptureStatus *status,
				aclmdlRI *modelRI)
{
	struct anpu_graph *g;
	struct anpu_stream *s;
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(status);
	ret = anpu_stream_find(stream, &s);
	if (ret)
		return ret;
	pthread_mutex_lock(&s->lock);
	g = s->graph && !s->graph->built ? s->graph : NULL;
	*status = !g ? ACL_MODEL_RI_CAPTURE_STATUS_NONE
		  : __atomic_load_n(&g->why, __ATOMIC_RELAXED)
			  ? ACL_MODEL_RI_CAPTURE_STATUS_INVALIDATED
			  : ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE;
	if (modelRI)
		*modelRI = g ? acl_obj_handle(&g->obj) : NULL;
	pthread_mutex_unlock(&s->lock);
	anpu_stream_put(s);
	return ACL_SUCCESS;
}
