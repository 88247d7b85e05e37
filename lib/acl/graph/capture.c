// SPDX-License-Identifier: MIT
/*
 * Recording streams into graphs: begin and end, and which calls are refused meanwhile. record.c
 * has what becomes of a task, event.c how other streams join by events.
 */
#include <stdio.h>
#include <unistd.h>

#include "graph/inside.h"

/* Graphs that are being recorded; calls that a recording may forbid look here */
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

void graph_unlist_recording(struct anpu_graph *g)
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
	return acl_fail(
		ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT,
		"%s is refused while a stream is recorded in a mode that forbids it, and the "
		"recording is void: record in ACL_MODEL_RI_CAPTURE_MODE_RELAXED, or let this "
		"thread switch to it with aclmdlRICaptureThreadExchangeMode()",
		what);
}

aclError anpu_front_unsafe(void)
{
	char what[80];

	snprintf(what, sizeof(what), "%s()", acl_current_api());
	return anpu_capture_unsafe(what);
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
	return acl_fail(
		ACL_ERROR_RT_STREAM_CAPTURED,
		"%s waits for all streams of device %d, one of which is being recorded: the "
		"recording is void, end it first",
		what, dev->id);
}

/* The API ------------------------------------------------------------------------------------- */

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
	else if (anpu_stream_recorded(s))
		ret = acl_fail(ACL_ERROR_RT_STREAM_CAPTURED, "stream %d %s", s->number,
			       s->flags & ACL_STREAM_PERSISTENT ? "is for graphs that are built"
			       : anpu_stream_passive(s)		? "takes no tasks of the program"
			       : s->update			? "updates tasks already"
								: "is being recorded already");
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
			g->used = !g->kept;
			g->origin = lane;
			g->pair_count = 0; /* of an earlier recording into it, whose tasks may stand elsewhere now */
			__atomic_store_n(&g->state, GRAPH_RECORDING, __ATOMIC_RELEASE);
			s->lane = lane;
			s->graph = g;
			graph_get(g);
			list_recording(g); /* before another thread can end the recording */
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

/* Records into a graph that there is: the body of a conditional task or, @kept, a graph that the program goes on with */
static aclError begin_in(aclrtStream stream, aclmdlRI graph, aclmdlRICaptureMode mode, bool kept)
{
	struct anpu_stream *s;
	struct anpu_graph *g;
	aclError ret = anpu_stream_find(stream, &s);

	if (ret)
		return ret;
	g = graph_find(graph);
	if (!g) {
		ret = ACL_ERROR_RT_INVALID_HANDLE;
	} else if (!kept && !g->body) {
		ret = acl_fail(ACL_ERROR_RT_MODEL_CAPTURED,
			       "the graph is no body of a conditional task: only what "
			       "aclmdlRIAddCondTask() has made can be recorded into, once");
	} else if (g->obj.dev != s->obj.dev) {
		ret = acl_fail(ACL_ERROR_RT_STREAM_MODEL,
			       "the graph belongs to device %d and the stream to device %d",
			       g->obj.dev->id, s->obj.dev->id);
	} else if (kept && __atomic_load_n(&g->state, __ATOMIC_ACQUIRE) != GRAPH_READY) {
		ret = acl_fail(ACL_ERROR_RT_MODEL_CAPTURED, "the graph is being recorded into already");
	} else {
		g->kept = g->kept || kept;
		ret = begin(s, g, mode);
	}
	if (g)
		graph_put(g);
	anpu_stream_put(s);
	return ret;
}

aclError aclmdlRICaptureToModelRIBegin(aclrtStream stream, aclmdlRI modelRI,
				       aclmdlRICaptureMode mode)
{
	aclError ret;

	ACL_ENTER_SHORT();
	ACL_CHECK_PTR(modelRI);
	ret = check_mode(mode);
	return ret ? ret : begin_in(stream, modelRI, mode, false);
}

aclError anpu_front_capture_into(aclrtStream stream, aclmdlRI graph, aclmdlRICaptureMode mode)
{
	ACL_ENTER();
	return begin_in(stream, graph, mode, true);
}

aclError aclmdlRICaptureThreadExchangeMode(aclmdlRICaptureMode *mode)
{
	aclmdlRICaptureMode before = thread_mode;
	aclError ret;

	ACL_ENTER_SHORT();
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
	else if (s->lane != g->origin)
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

/* Does the lane in which it was begun wait for everything that the others have done; graph locked */
static aclError check_joined(struct anpu_graph *g)
{
	uint32_t i;

	for (i = g->origin + 1; i < g->lane_count; i++)
		if (g->lanes[g->origin].known[i] < g->lanes[i].last)
			return acl_fail(
				ACL_ERROR_RT_STREAM_UNJOINED,
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
	/* the program goes on with its own graph, which has what was recorded up to the failure */
	if (ret && g->kept)
		__atomic_store_n(&g->why, ACL_SUCCESS, __ATOMIC_RELAXED);
	if (!ret && anpu_checking())
		graph_order_look(g);
	__atomic_store_n(&g->state, ret && !g->kept ? GRAPH_VOID : GRAPH_READY, __ATOMIC_RELEASE);
	return ret;
}

/* Ends the recording, unless another thread was faster; nothing is locked */
static aclError end(struct anpu_stream *s, struct anpu_graph *g)
{
	aclError ret;
	bool mine, empty;

	pthread_mutex_lock(&g->lock);
	mine = g->state == GRAPH_RECORDING;
	empty = !g->task_count && !g->body;
	ret = mine ? finish(g)
		   : acl_fail(ACL_ERROR_RT_STREAM_NOT_CAPTURED,
			      "the recording of stream %d was ended by another thread meanwhile",
			      s->number);
	pthread_mutex_unlock(&g->lock);
	if (!mine)
		return ret;
	if (!ret && empty)
		anpu_finding("recording", NULL,
			     "the recording of stream %d has no tasks: those of other streams, the default stream among them, are not "
			     "in it, unless an event of this one comes before them", s->number);
	graph_unlist_recording(g);
	graph_release_streams(g);
	if (ret && !g->body && !g->kept)
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

	ACL_ENTER_SHORT();
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
