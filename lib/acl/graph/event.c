// SPDX-License-Identifier: MIT
/*
 * Events in recordings: tasks of events, and streams that join by waiting for them.
 */
#include <stdlib.h>
#include <string.h>

#include "graph/inside.h"

bool anpu_capture_live(const struct anpu_capture_point *p)
{
	return p->graph && __atomic_load_n(&p->graph->state, __ATOMIC_ACQUIRE) == GRAPH_RECORDING;
}

void anpu_capture_forget(struct anpu_capture_point *p)
{
	if (p->graph)
		graph_put(p->graph);
	free(p->known);
	free(p->ends);
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

/* The event remembers which tasks the stream's lane has waited for */
static aclError make_point(struct anpu_stream *s, struct anpu_capture_point *p)
{
	struct anpu_graph *g = s->graph;
	uint32_t *known = malloc(g->lane_count * sizeof(*known));
	struct graph_ends ends = { 0 };

	if (!known || graph_ends_add(&ends, &g->lanes[s->lane].ends)) {
		free(known);
		graph_ends_free(&ends);
		return acl_fail(ACL_ERROR_BAD_ALLOC, "no memory for a graph");
	}
	memcpy(known, g->lanes[s->lane].known, g->lane_count * sizeof(*known));
	graph_get(g);
	anpu_capture_forget(p);
	*p = (struct anpu_capture_point){ g, known, g->lane_count, ends.task, ends.count };
	return ACL_SUCCESS;
}

aclError anpu_capture_event(struct anpu_stream *s, const struct anpu_event_task *info,
			    struct anpu_capture_point *p, bool *recorded)
{
	aclError ret;

	*recorded = false;
	pthread_mutex_lock(&s->lock);
	if (!s->graph && !anpu_stream_passive(s)) {
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
		if (!ret && info->obj)
			ret = graph_order_task(s->graph, &s->graph->tasks[s->graph->task_count - 1]);
		if (!ret && p)
			ret = make_point(s, p);
		if (ret)
			graph_void(s->graph, ret);
		graph_unlock_of(s);
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
	if (s->update || anpu_stream_passive(s))
		return acl_fail(ACL_ERROR_STREAM_CAPTURE_CONFLICT,
				"stream %d %s, and cannot join a recording", s->number,
				s->update				 ? "updates tasks"
				: s->flags & ACL_STREAM_PERSISTENT ? "is bound to a graph"
								   : "takes no tasks of the program");
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
	const struct graph_ends ends = { p->ends, p->end_count };
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
		if (!ret)
			ret = graph_ends_add(&s->graph->lanes[s->lane].ends, &ends);
		if (ret)
			graph_void(s->graph, ret);
		graph_unlock_of(s);
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
		ret = acl_fail(
			ACL_ERROR_RT_CAPTURE_DEPENDENCY,
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
