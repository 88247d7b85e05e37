// SPDX-License-Identifier: MIT
/*
 * Graphs that are built by hand steer themselves: jumps lead to places in bound streams, switches compare
 * words, and streams start each other.
 */
#include <stdlib.h>

#include "graph/inside.h"

void graph_jump_free(struct graph_jump *j)
{
	uint32_t i;

	for (i = 0; i < j->n && j->bodies; i++) {
		if (!j->bodies[i])
			continue;
		if (j->bodies[i]->body) { /* the task has made it */
			j->bodies[i]->list_va = 0;
			graph_unpublish(j->bodies[i]);
		}
		graph_put(j->bodies[i]);
	}
	free(j->bodies);
	if (j->cond)
		acl_obj_put(&j->cond->obj);
	if (j->label)
		acl_obj_put(&j->label->obj);
	if (j->labels)
		acl_obj_put(&j->labels->obj);
	free(j);
}

bool graph_has_control(const struct anpu_graph *g)
{
	uint32_t i;

	if (!g->built)
		return false;
	for (i = 0; i < g->task_count; i++)
		if (g->tasks[i].control != GRAPH_PLAIN && g->tasks[i].control != GRAPH_END)
			return true;
	for (i = 0; i < g->lane_count; i++)
		if (!g->lanes[i].head)
			return true;
	return false;
}

aclError graph_lock_bound(aclrtStream stream, struct anpu_stream **s)
{
	struct anpu_graph *g;
	aclError ret = anpu_stream_find(stream, s);

	if (ret)
		return ret;
	pthread_mutex_lock(&(*s)->lock);
	g = (*s)->graph;
	if (g && g->built) {
		pthread_mutex_lock(&g->lock);
		if (g->state == GRAPH_RECORDING && !g->lanes[(*s)->lane].ended)
			return ACL_SUCCESS;
		pthread_mutex_unlock(&g->lock);
	}
	ret = acl_fail(ACL_ERROR_RT_STREAM_MODEL,
		       "stream %d %s: this call is for streams of aclmdlRIBindStream(), before "
		       "aclmdlRIEndTask()",
		       (*s)->number,
		       g && g->built ? "takes no more tasks" : "is bound to no graph");
	pthread_mutex_unlock(&(*s)->lock);
	anpu_stream_put(*s);
	return ret;
}

void graph_unlock_bound(struct anpu_stream *s)
{
	pthread_mutex_unlock(&s->graph->lock);
	pthread_mutex_unlock(&s->lock);
	anpu_stream_put(s);
}

struct graph_task *graph_add_control(struct anpu_stream *s, enum graph_control control,
				      struct graph_jump *j)
{
	struct graph_task *t = graph_task_new(s->graph, s->lane, ACL_MODEL_RI_TASK_DEFAULT);

	if (!t) {
		if (j)
			graph_jump_free(j);
		return NULL;
	}
	t->control = control;
	t->jump = j;
	return t;
}

struct graph_jump *graph_jump_new(void)
{
	struct graph_jump *j = calloc(1, sizeof(*j));

	if (!j) {
		acl_fail(ACL_ERROR_BAD_ALLOC, "no memory for a graph");
		return NULL;
	}
	j->lane = NO_LANE;
	j->other = NO_LANE;
	return j;
}

aclError graph_check_jumps(const struct anpu_device *dev)
{
	if (dev->info.flags & DRM_ANPU_INFO_JUMP)
		return ACL_SUCCESS;
	return acl_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "device %d or its driver does not know jumps (JUMP, since 1.2)", dev->id);
}

aclError graph_check_word(const void *ptr, uint32_t width, const char *name,
			   const struct anpu_stream *s)
{
	struct anpu_mem mem;
	aclError ret;

	if (!ptr)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "%s is NULL", name);
	if ((uintptr_t)ptr % width)
		return acl_fail(ACL_ERROR_RT_ADDR_UNALIGNED,
				"%s is %p and must be a multiple of %u", name, ptr, width);
	ret = anpu_mem_look(ptr, width, name, &mem);
	if (!ret && !anpu_reachable(&mem, s))
		ret = acl_fail(ACL_ERROR_RT_PARAM_INVALID,
			       "%s is %p, which is no memory of the stream's device %d", name, ptr,
			       s->obj.dev->id);
	anpu_mem_done(&mem);
	return ret;
}

/* Streams that start each other --------------------------------------------------------------- */

/* The lane of another stream of the same graph, which is locked */
static aclError lane_of(struct anpu_graph *g, aclrtStream stream, const char *name, uint32_t *lane)
{
	struct acl_obj *obj = acl_obj_find(stream, ACL_TYPE_STREAM);
	struct anpu_stream *s;
	uint32_t i;

	if (!obj)
		return acl_bad_handle(stream, ACL_TYPE_STREAM, name);
	s = container_of(obj, struct anpu_stream, obj);
	for (i = 0; i < g->lane_count && g->lanes[i].stream != s; i++)
		;
	anpu_stream_put(s);
	*lane = i;
	return i < g->lane_count
		       ? ACL_SUCCESS
		       : acl_fail(ACL_ERROR_RT_STREAM_MODEL,
				  "%s is not bound to the graph that stream is bound to", name);
}

aclError aclrtActiveStream(aclrtStream activeStream, aclrtStream stream)
{
	struct graph_jump *j = NULL;
	struct anpu_stream *s;
	uint32_t lane;
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(activeStream);
	ret = graph_lock_bound(stream, &s);
	if (ret)
		return ret;
	ret = lane_of(s->graph, activeStream, "activeStream", &lane);
	if (!ret)
		j = graph_jump_new();
	if (j)
		j->lane = lane;
	if (!ret && (!j || !graph_add_control(s, GRAPH_ACTIVE, j)))
		ret = acl_last_failure();
	graph_unlock_bound(s);
	return ret;
}

/* Fills a switch in; stream and graph locked */
static aclError switch_task(struct anpu_stream *s, struct graph_jump *j, void *left,
			    aclrtCondition cond, void *right, aclrtCompareDataType type)
{
	static const uint32_t op[] = {
		[ACL_RT_EQUAL] = ANPU_SEM_EQ,		[ACL_RT_NOT_EQUAL] = ANPU_SEM_NE,
		[ACL_RT_GREATER] = ANPU_SEM_GT,		[ACL_RT_GREATER_OR_EQUAL] = ANPU_SEM_GE,
		[ACL_RT_LESS] = ANPU_SEM_LT,		[ACL_RT_LESS_OR_EQUAL] = ANPU_SEM_LE,
	};
	aclError ret;

	if ((unsigned int)cond >= ARRAY_SIZE(op))
		return acl_fail(ACL_ERROR_INVALID_PARAM, "cond is %d and must be 0 to 5",
				(int)cond);
	if (type != ACL_RT_SWITCH_INT32 && type != ACL_RT_SWITCH_INT64)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "dataType is %d and must be 0 or 1",
				(int)type);
	j->op = op[cond];
	j->width = type == ACL_RT_SWITCH_INT64 ? 8 : 4;
	j->left = (uintptr_t)left;
	j->right = (uintptr_t)right;
	ret = graph_check_word(left, j->width, "leftValue", s);
	return ret ? ret : graph_check_word(right, j->width, "rightValue", s);
}

aclError aclrtSwitchStream(void *leftValue, aclrtCondition cond, void *rightValue,
			   aclrtCompareDataType dataType, aclrtStream trueStream,
			   aclrtStream falseStream, aclrtStream stream)
{
	struct graph_jump *j;
	struct anpu_stream *s;
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(trueStream);
	ret = graph_lock_bound(stream, &s);
	if (ret)
		return ret;
	j = graph_jump_new();
	ret = j ? switch_task(s, j, leftValue, cond, rightValue, dataType) : acl_last_failure();
	if (!ret)
		ret = lane_of(s->graph, trueStream, "trueStream", &j->lane);
	if (!ret && falseStream)
		ret = lane_of(s->graph, falseStream, "falseStream", &j->other);
	if (!ret && !graph_add_control(s, GRAPH_SWITCH_STREAM, j))
		ret = acl_last_failure();
	else if (ret && j)
		graph_jump_free(j);
	graph_unlock_bound(s);
	return ret;
}
