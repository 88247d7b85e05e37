// SPDX-License-Identifier: MIT
/*
 * Graphs: a stream's tasks, recorded instead of run, and run again as often as wanted. A graph is an
 * array of packets in device memory that one INDIRECT packet executes, with the kernels' arguments
 * behind it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "anpu_lib.h"

#define ARGS_PIECE (256 * 1024)

struct args_piece {
	struct args_piece *next;
	struct anpu_region *region; /* referenced */
	uint32_t used;
};

/* An execution that may not have ended */
struct run {
	struct anpu_stream *stream; /* referenced */
	uint64_t seq;
};

struct anpu_graph {
	struct acl_obj obj;
	pthread_mutex_t lock; /* of runs */
	aclmdlRICaptureMode mode;
	pid_t thread; /* that began the recording */
	bool recording;
	bool invalid; /* a task was refused: the recording is not what the program meant */
	union anpu_packet *packets;
	uint32_t count, room;
	struct args_piece *args;
	struct anpu_region *region; /* the packets on the device, referenced; NULL while recording */
	struct run *runs;
	size_t run_count;
};

/* Life ----------------------------------------------------------------------------------------- */

static void drop_region(struct anpu_region *region)
{
	anpu_region_end(region); /* nothing, if the device has done so */
	anpu_region_put(region);
}

static void graph_release(struct acl_obj *obj)
{
	struct anpu_graph *g = container_of(obj, struct anpu_graph, obj);
	struct args_piece *piece;
	size_t i;

	while ((piece = g->args)) {
		g->args = piece->next;
		drop_region(piece->region);
		free(piece);
	}
	if (g->region)
		drop_region(g->region);
	for (i = 0; i < g->run_count; i++)
		anpu_stream_put(g->runs[i].stream);
	free(g->runs);
	free(g->packets);
	pthread_mutex_destroy(&g->lock);
	free(g);
}

static struct anpu_graph *new_graph(struct anpu_device *dev, aclmdlRICaptureMode mode)
{
	struct anpu_graph *g = calloc(1, sizeof(*g));

	if (!g) {
		acl_fail(ACL_ERROR_BAD_ALLOC, "no memory for a graph");
		return NULL;
	}
	acl_obj_init(&g->obj, ACL_TYPE_GRAPH, dev, graph_release);
	pthread_mutex_init(&g->lock, NULL);
	g->mode = mode;
	g->thread = gettid();
	g->recording = true;
	if (acl_obj_publish(&g->obj))
		return g;
	acl_fail(ACL_ERROR_RT_NO_MODEL_RESOURCE, "no handle is left for a graph");
	acl_obj_put(&g->obj);
	return NULL;
}

static struct anpu_graph *find_graph(aclmdlRI handle)
{
	struct acl_obj *obj = acl_obj_find(handle, ACL_TYPE_GRAPH);

	if (obj)
		return container_of(obj, struct anpu_graph, obj);
	acl_record_bad_handle(handle, ACL_TYPE_GRAPH, "modelRI");
	return NULL;
}

/* Recording, with the stream's lock held ------------------------------------------------------- */

static aclError refuse(struct anpu_stream *s, const char *what)
{
	s->graph->invalid = true;
	return acl_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
			"%s cannot be recorded, and stream %d is: the recording is void, end it with "
			"aclmdlRICaptureEnd()",
			what, s->number);
}

/* Events and callbacks count in the library, which a task that runs again would upset */
static const char *unrecordable(struct anpu_stream *s, const union anpu_packet *pkt)
{
	struct anpu_region *region;
	uint64_t addr = 0;
	bool ours;

	switch (pkt->hdr.opcode) {
	case ANPU_OP_NOTIFY:
		return "a callback";
	case ANPU_OP_INDIRECT:
		return "the execution of a graph";
	case ANPU_OP_SEM_SIGNAL:
		addr = pkt->sem_signal.addr;
		break;
	case ANPU_OP_SEM_WAIT:
		addr = pkt->sem_wait.addr;
		break;
	case ANPU_OP_TIMESTAMP:
		addr = pkt->timestamp.addr;
		break;
	}
	region = addr ? anpu_region_find(s->obj.dev, addr) : NULL;
	ours = region && region->kind == ANPU_REGION_INTERNAL;
	if (region)
		anpu_region_put(region);
	return ours ? "an event or notify" : NULL;
}

aclError anpu_graph_record(struct anpu_stream *s, const union anpu_packet *pkt)
{
	const char *what = unrecordable(s, pkt);
	struct anpu_graph *g = s->graph;
	union anpu_packet *more;

	if (what)
		return refuse(s, what);
	if (g->count == ANPU_MAX_INDIRECT) {
		g->invalid = true;
		return acl_fail(ACL_ERROR_RT_OVER_LIMIT, "a graph can have %d tasks",
				ANPU_MAX_INDIRECT);
	}
	if (g->count == g->room) {
		more = realloc(g->packets, (g->room ? 2 * g->room : 64) * sizeof(*more));
		if (!more) {
			g->invalid = true;
			return acl_fail(ACL_ERROR_BAD_ALLOC, "no memory for a graph");
		}
		g->packets = more;
		g->room = g->room ? 2 * g->room : 64;
	}
	g->packets[g->count++] = *pkt;
	return ACL_SUCCESS;
}

aclError anpu_graph_args(struct anpu_stream *s, uint64_t size, void **cpu, uint64_t *va)
{
	uint64_t need = align_up(size, 64);
	struct args_piece *piece = s->graph->args;
	int err = 0;

	if (!piece || piece->used + need > ARGS_PIECE) {
		piece = calloc(1, sizeof(*piece));
		err = piece ? anpu_region_new(s->obj.dev, ANPU_REGION_INTERNAL, DRM_ANPU_BO_SYSTEM,
					      ARGS_PIECE, DRM_ANPU_VM_READ | DRM_ANPU_VM_WRITE,
					      &piece->region)
			    : -ENOMEM;
		if (err) {
			free(piece);
			s->graph->invalid = true;
			return anpu_fail_ioctl(s->obj.dev, err, "allocating room for arguments");
		}
		anpu_region_get(piece->region);
		piece->next = s->graph->args;
		s->graph->args = piece;
	}
	*cpu = anpu_region_window(piece->region);
	if (!*cpu) {
		s->graph->invalid = true;
		return acl_fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "room for arguments cannot be mapped");
	}
	*cpu = (char *)*cpu + piece->used;
	*va = piece->region->va + piece->used;
	piece->used += need;
	return ACL_SUCCESS;
}

aclError anpu_graph_refuse(struct anpu_stream *s, const char *what)
{
	aclError ret = ACL_SUCCESS;

	pthread_mutex_lock(&s->lock);
	if (s->graph)
		ret = acl_fail(ACL_ERROR_RT_STREAM_CAPTURED,
			       "stream %d is being recorded, and its tasks do not run: %s",
			       s->number, what);
	pthread_mutex_unlock(&s->lock);
	return ret;
}

void anpu_graph_drop(struct anpu_stream *s)
{
	struct anpu_graph *g;
	struct acl_obj *obj;

	pthread_mutex_lock(&s->lock);
	g = s->graph;
	s->graph = NULL;
	pthread_mutex_unlock(&s->lock);
	if (!g)
		return;
	obj = acl_obj_remove(acl_obj_handle(&g->obj), ACL_TYPE_GRAPH);
	if (obj)
		acl_obj_put(obj);
	acl_obj_put(&g->obj);
}

/* The API -------------------------------------------------------------------------------------- */

aclError aclmdlRICaptureBegin(aclrtStream stream, aclmdlRICaptureMode mode)
{
	struct anpu_graph *g;
	struct anpu_stream *s;
	aclError ret;

	ACL_ENTER();
	if ((int)mode < ACL_MODEL_RI_CAPTURE_MODE_GLOBAL ||
	    mode > ACL_MODEL_RI_CAPTURE_MODE_RELAXED)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "mode is %d and must be 0 to 2", (int)mode);
	ret = anpu_stream_find(stream, &s);
	if (ret)
		return ret;
	g = new_graph(s->obj.dev, mode);
	if (!g) {
		anpu_stream_put(s);
		return acl_last_failure();
	}
	pthread_mutex_lock(&s->lock);
	if (s->graph) {
		ret = acl_fail(ACL_ERROR_RT_STREAM_CAPTURED, "stream %d is being recorded already",
			       s->number);
	} else {
		acl_obj_get(&g->obj);
		s->graph = g;
	}
	pthread_mutex_unlock(&s->lock);
	if (ret)
		acl_obj_put(acl_obj_remove(acl_obj_handle(&g->obj), ACL_TYPE_GRAPH));
	anpu_stream_put(s);
	return ret;
}

/* The packets go to the device */
static aclError upload(struct anpu_graph *g)
{
	struct anpu_device *dev = g->obj.dev;
	size_t size = g->count * sizeof(*g->packets);
	void *window;
	int err;

	if (!g->count)
		return ACL_SUCCESS; /* it does nothing, as often as wanted */
	err = anpu_region_new(dev, ANPU_REGION_INTERNAL, DRM_ANPU_BO_SYSTEM, size,
			      DRM_ANPU_VM_READ | DRM_ANPU_VM_WRITE, &g->region);
	if (err)
		return anpu_fail_ioctl(dev, err, "allocating room for a graph");
	anpu_region_get(g->region);
	window = anpu_region_window(g->region);
	if (!window)
		return acl_fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "room for a graph cannot be mapped");
	memcpy(window, g->packets, size);
	return ACL_SUCCESS;
}

/* Takes the graph from the stream, with the stream's reference */
static aclError stop_recording(struct anpu_stream *s, struct anpu_graph **out)
{
	struct anpu_graph *g;
	aclError ret = ACL_SUCCESS;

	pthread_mutex_lock(&s->lock);
	g = s->graph;
	if (!g)
		ret = acl_fail(ACL_ERROR_RT_STREAM_NOT_CAPTURED, "stream %d is not being recorded",
			       s->number);
	else if (g->mode != ACL_MODEL_RI_CAPTURE_MODE_RELAXED && g->thread != gettid())
		ret = acl_fail(ACL_ERROR_RT_STREAM_CAPTURE_WRONG_THREAD,
			       "thread %d began to record stream %d, and has to end it: "
			       "ACL_MODEL_RI_CAPTURE_MODE_RELAXED allows others to",
			       (int)g->thread, s->number);
	else
		s->graph = NULL;
	pthread_mutex_unlock(&s->lock);
	*out = ret ? NULL : g;
	return ret;
}

aclError aclmdlRICaptureEnd(aclrtStream stream, aclmdlRI *modelRI)
{
	struct anpu_graph *g;
	struct anpu_stream *s;
	struct acl_obj *obj;
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(modelRI);
	ret = anpu_stream_find(stream, &s);
	if (ret)
		return ret;
	ret = stop_recording(s, &g);
	if (!ret) {
		if (g->invalid)
			ret = acl_fail(ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED,
				       "a task of stream %d could not be recorded, so there is no "
				       "graph",
				       s->number);
		else
			ret = upload(g);
		if (ret) {
			obj = acl_obj_remove(acl_obj_handle(&g->obj), ACL_TYPE_GRAPH);
			if (obj)
				acl_obj_put(obj);
		} else {
			__atomic_store_n(&g->recording, false, __ATOMIC_RELEASE);
			*modelRI = acl_obj_handle(&g->obj);
		}
		acl_obj_put(&g->obj);
	}
	anpu_stream_put(s);
	return ret;
}

aclError aclmdlRICaptureGetInfo(aclrtStream stream, aclmdlRICaptureStatus *status,
				aclmdlRI *modelRI)
{
	struct anpu_stream *s;
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(status);
	ret = anpu_stream_find(stream, &s);
	if (ret)
		return ret;
	pthread_mutex_lock(&s->lock);
	*status = !s->graph	     ? ACL_MODEL_RI_CAPTURE_STATUS_NONE
		  : s->graph->invalid ? ACL_MODEL_RI_CAPTURE_STATUS_INVALIDATED
				      : ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE;
	if (modelRI)
		*modelRI = s->graph ? acl_obj_handle(&s->graph->obj) : NULL;
	pthread_mutex_unlock(&s->lock);
	anpu_stream_put(s);
	return ACL_SUCCESS;
}

static bool ended(const struct run *r)
{
	return r->stream->dead ||
	       __atomic_load_n(&r->stream->status->completed, __ATOMIC_ACQUIRE) >= r->seq;
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

static aclError execute(struct anpu_graph *g, struct anpu_stream *s)
{
	union anpu_packet pkt = { .indirect = { .hdr.opcode = ANPU_OP_INDIRECT } };
	struct run *run;
	aclError ret;

	if (__atomic_load_n(&g->recording, __ATOMIC_ACQUIRE))
		return acl_fail(ACL_ERROR_RT_MODEL_CAPTURED, "the graph is still being recorded");
	if (g->obj.dev != s->obj.dev)
		return acl_fail(ACL_ERROR_RT_STREAM_MODEL,
				"the graph was recorded on device %d and the stream is on device %d",
				g->obj.dev->id, s->obj.dev->id);
	if (!g->count)
		return ACL_SUCCESS;
	pkt.indirect.addr = g->region->va;
	pkt.indirect.count = g->count;
	pthread_mutex_lock(&g->lock);
	run = run_in(g, s);
	ret = run ? anpu_stream_submit(s, &pkt, &run->seq)
		  : acl_fail(ACL_ERROR_BAD_ALLOC, "no memory for a list of executions");
	pthread_mutex_unlock(&g->lock);
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
	g = find_graph(modelRI);
	ret = g ? execute(g, s) : ACL_ERROR_RT_INVALID_HANDLE;
	if (g)
		acl_obj_put(&g->obj);
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
	g = find_graph(modelRI);
	ret = g ? execute(g, s) : ACL_ERROR_RT_INVALID_HANDLE;
	if (g)
		acl_obj_put(&g->obj);
	if (!ret)
		ret = anpu_stream_sync(s, deadline);
	anpu_stream_put(s);
	return ret;
}

aclError aclmdlRIDestroy(aclmdlRI modelRI)
{
	struct anpu_graph *g;
	struct acl_obj *obj;
	bool running = false;
	size_t i;

	ACL_ENTER();
	ACL_CHECK_PTR(modelRI);
	g = find_graph(modelRI);
	if (!g)
		return ACL_ERROR_RT_INVALID_HANDLE;
	pthread_mutex_lock(&g->lock);
	for (i = 0; i < g->run_count; i++)
		running = running || !ended(&g->runs[i]);
	pthread_mutex_unlock(&g->lock);
	if (running || __atomic_load_n(&g->recording, __ATOMIC_ACQUIRE)) {
		acl_obj_put(&g->obj);
		return running ? acl_fail(ACL_ERROR_RT_MODEL_RUNNING,
					  "the graph is being executed: synchronise before")
			       : acl_fail(ACL_ERROR_RT_MODEL_CAPTURED,
					  "the graph is still being recorded");
	}
	obj = acl_obj_remove(modelRI, ACL_TYPE_GRAPH);
	if (obj)
		acl_obj_put(obj);
	acl_obj_put(&g->obj);
	return ACL_SUCCESS;
}
