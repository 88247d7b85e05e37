// SPDX-License-Identifier: MIT
/*
 * Graphs that are built by hand from bound streams. switch.c and label.c have the jumps
 * within and between those; list.c makes packets of all this.
 */

#include "graph/inside.h"

aclError aclmdlRIBuildBegin(aclmdlRI *modelRI, uint32_t flag)
{
	struct anpu_context *ctx;
	struct anpu_graph *g;
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(modelRI);
	if (flag)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "flag is %#x and must be 0", flag);
	ret = anpu_context_current(&ctx);
	if (ret)
		return ret;
	g = graph_new(ctx->obj.dev);
	anpu_context_put(ctx);
	if (!g)
		return acl_last_failure();
	g->built = true;
	*modelRI = acl_obj_handle(&g->obj);
	graph_put(g);
	return ACL_SUCCESS;
}

/* A graph of aclmdlRIBuildBegin() with a reference */
static aclError find_built(aclmdlRI modelRI, struct anpu_graph **g)
{
	ACL_CHECK_PTR(modelRI);
	*g = graph_find(modelRI);
	if (!*g)
		return ACL_ERROR_RT_INVALID_HANDLE;
	if ((*g)->built)
		return ACL_SUCCESS;
	graph_put(*g);
	return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
			"the graph was not made by aclmdlRIBuildBegin(), but recorded");
}

static aclError bind(struct anpu_graph *g, struct anpu_stream *s, uint32_t flag)
{
	uint32_t lane;
	aclError ret = ACL_SUCCESS;

	if (!(s->flags & ACL_STREAM_PERSISTENT))
		return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
				"stream %d was not made with ACL_STREAM_PERSISTENT", s->number);
	if (s->obj.dev != g->obj.dev)
		return acl_fail(ACL_ERROR_RT_STREAM_MODEL,
				"the graph belongs to device %d and the stream to device %d",
				g->obj.dev->id, s->obj.dev->id);
	if (s->graph)
		return acl_fail(
			ACL_ERROR_RT_STREAM_MODEL,
			"stream %d is bound to a graph already: aclmdlRIUnbindStream() undoes "
			"it",
			s->number);
	pthread_mutex_lock(&g->lock);
	if (g->state != GRAPH_RECORDING)
		ret = acl_fail(
			ACL_ERROR_RT_STREAM_MODEL,
			"aclmdlRIBuildEnd() was called for the graph: it takes no more streams");
	if (!ret)
		ret = graph_lane_new(g, s, &lane);
	if (!ret) {
		g->lanes[lane].head = flag == ACL_MODEL_STREAM_FLAG_HEAD;
		s->lane = lane;
		s->graph = g;
		graph_get(g);
	}
	pthread_mutex_unlock(&g->lock);
	return ret;
}

aclError aclmdlRIBindStream(aclmdlRI modelRI, aclrtStream stream, uint32_t flag)
{
	struct anpu_graph *g;
	struct anpu_stream *s;
	aclError ret;

	ACL_ENTER_SHORT();
	ACL_CHECK_PTR(stream);
	if (flag != ACL_MODEL_STREAM_FLAG_HEAD && flag != ACL_MODEL_STREAM_FLAG_DEFAULT)
		return acl_fail(ACL_ERROR_INVALID_PARAM,
				"flag is %#x and must be ACL_MODEL_STREAM_FLAG_HEAD (0) or "
				"ACL_MODEL_STREAM_FLAG_DEFAULT (0x7fffffff)",
				flag);
	ret = find_built(modelRI, &g);
	if (ret)
		return ret;
	ret = anpu_stream_find(stream, &s);
	if (!ret) {
		pthread_mutex_lock(&s->lock);
		ret = bind(g, s, flag);
		pthread_mutex_unlock(&s->lock);
		anpu_stream_put(s);
	}
	graph_put(g);
	return ret;
}

/* Is the stream bound to the graph; takes the graph's lock, the stream's is not held */
static aclError check_bound(struct anpu_graph *g, struct anpu_stream *s)
{
	bool mine;

	pthread_mutex_lock(&s->lock);
	mine = s->graph == g;
	pthread_mutex_unlock(&s->lock);
	return mine ? ACL_SUCCESS
		    : acl_fail(ACL_ERROR_RT_STREAM_MODEL, "stream %d is not bound to this graph",
			       s->number);
}

aclError aclmdlRIUnbindStream(aclmdlRI modelRI, aclrtStream stream)
{
	struct anpu_graph *g;
	struct anpu_stream *s;
	bool running;
	aclError ret;

	ACL_ENTER_SHORT();
	ACL_CHECK_PTR(stream);
	ret = find_built(modelRI, &g);
	if (ret)
		return ret;
	ret = anpu_stream_find(stream, &s);
	if (ret) {
		graph_put(g);
		return ret;
	}
	ret = check_bound(g, s);
	pthread_mutex_lock(&g->lock);
	running = graph_running(g);
	pthread_mutex_unlock(&g->lock);
	if (!ret && running)
		ret = acl_fail(ACL_ERROR_RT_MODEL_RUNNING,
			       "the graph is being executed: synchronise before");
	if (!ret)
		graph_release_stream(g, s);
	anpu_stream_put(s);
	graph_put(g);
	return ret;
}

aclError aclmdlRIEndTask(aclmdlRI modelRI, aclrtStream stream)
{
	struct anpu_graph *g;
	struct anpu_stream *s;
	aclError ret;

	ACL_ENTER_SHORT();
	ACL_CHECK_PTR(stream);
	ret = find_built(modelRI, &g);
	if (ret)
		return ret;
	ret = graph_lock_bound(stream, &s);
	if (!ret && s->graph != g) {
		ret = acl_fail(ACL_ERROR_RT_STREAM_MODEL, "stream %d is bound to another graph",
			       s->number);
		graph_unlock_bound(s);
	} else if (!ret) {
		if (graph_add_control(s, GRAPH_END, NULL))
			g->lanes[s->lane].ended = true;
		else
			ret = acl_last_failure();
		graph_unlock_bound(s);
	}
	graph_put(g);
	return ret;
}

/*
 * Errors that were noted while tasks were added, and those that only the whole graph shows; graph
 * locked
 */
static aclError check_built(struct anpu_graph *g)
{
	bool control = graph_has_control(g), head = !g->lane_count;
	uint32_t i, n;

	if (g->why)
		return acl_fail(ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED,
				"a task of the graph was refused (%d)", g->why);
	if (control && graph_check_jumps(g->obj.dev))
		return acl_last_failure();
	for (i = 0; i < g->lane_count; i++)
		head = head || g->lanes[i].head;
	if (!head)
		return acl_fail(ACL_ERROR_RT_STREAM_MODEL,
				"no stream of the graph runs from its start: bind one with "
				"ACL_MODEL_STREAM_FLAG_HEAD");
	for (i = 0; i < g->task_count; i++) {
		const struct graph_task *t = &g->tasks[i];

		if (control && t->type == ACL_MODEL_RI_TASK_EVENT_WAIT && !t->count)
			return acl_fail(
				ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
				"a graph whose streams start each other, or jump, cannot have "
				"events between them: use aclrtActiveStream()");
		for (n = 0; t->control == GRAPH_SWITCH_LABEL && n < t->jump->n; n++)
			if (t->jump->labels->label[n]->graph != g)
				return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
						"label %u of a switch was not set in this graph",
						n);
	}
	return ACL_SUCCESS;
}

aclError aclmdlRIBuildEnd(aclmdlRI modelRI, void *reserve)
{
	struct anpu_graph *g;
	aclError ret;

	ACL_ENTER();
	if (reserve)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "reserve is %p and must be NULL", reserve);
	ret = find_built(modelRI, &g);
	if (ret)
		return ret;
	pthread_mutex_lock(&g->lock);
	if (g->state != GRAPH_RECORDING)
		ret = acl_fail(ACL_ERROR_RT_STREAM_MODEL,
			       "aclmdlRIBuildEnd() was called for the graph already");
	if (!ret)
		ret = check_built(g);
	if (!ret)
		ret = graph_compile(g);
	if (!ret)
		__atomic_store_n(&g->state, GRAPH_READY, __ATOMIC_RELEASE);
	graph_unlock(g);
	return ret;
}

/* Takes the tasks of a lane away: those behind move up; graph locked and not running */
static void clean_lane(struct anpu_graph *g, uint32_t lane)
{
	uint32_t i, n = 0;

	graph_tasks_forget(g);
	for (i = 0; i < g->task_count; i++) {
		struct graph_task *t = &g->tasks[i];

		if (t->lane != lane) {
			if (t->control == GRAPH_LABEL)
				t->jump->label->task = n;
			g->tasks[n++] = *t;
			continue;
		}
		if (t->control == GRAPH_LABEL)
			t->jump->label->graph = NULL;
		graph_info_free(t);
		if (t->jump)
			graph_jump_free(t->jump);
		if (t->call)
			anpu_graph_call_end(t->call);
	}
	g->task_count = n;
	g->lanes[lane].tasks = 0;
	g->lanes[lane].ended = false;
	g->state = GRAPH_RECORDING;
}

aclError aclrtPersistentTaskClean(aclrtStream stream)
{
	struct anpu_stream *s;
	struct anpu_graph *g;
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(stream);
	ret = anpu_stream_find(stream, &s);
	if (ret)
		return ret;
	pthread_mutex_lock(&s->lock);
	g = s->graph;
	if (!(s->flags & ACL_STREAM_PERSISTENT)) {
		ret = acl_fail(ACL_ERROR_RT_PARAM_INVALID,
			       "stream %d was not made with ACL_STREAM_PERSISTENT", s->number);
	} else if (g) {
		pthread_mutex_lock(&g->lock);
		if (graph_running(g))
			ret = acl_fail(ACL_ERROR_RT_MODEL_RUNNING,
				       "the stream's graph is being executed: synchronise before");
		else if (g->external_count)
			ret = acl_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
				       "the stream's graph has events outside of it, which stay");
		else
			clean_lane(g, s->lane);
		pthread_mutex_unlock(&g->lock);
	}
	pthread_mutex_unlock(&s->lock);
	anpu_stream_put(s);
	return ret;
}
