// SPDX-License-Identifier: MIT
/*
 * Graphs that are built by hand from bound streams, jumps within and between those, and conditional
 * tasks. graphlist.c makes packets of all this.
 */
#include <stdlib.h>
#include <string.h>

#include "graph.h"

#define MAX_LABELS 65535

static atomic_uint label_count;

/* What steers ----------------------------------------------------------------------------------- */

void graph_jump_free(struct graph_jump *j)
{
	uint32_t i;

	for (i = 0; i < j->n && j->bodies; i++) {
		if (!j->bodies[i])
			continue;
		j->bodies[i]->list_va = 0;
		graph_unpublish(j->bodies[i]);
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

/* The stream of a call, bound to a graph that is being built; both locked */
static aclError lock_bound(aclrtStream stream, struct anpu_stream **s)
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

static void unlock_bound(struct anpu_stream *s)
{
	pthread_mutex_unlock(&s->graph->lock);
	pthread_mutex_unlock(&s->lock);
	anpu_stream_put(s);
}

/* A task that steers, both locked; NULL after acl_fail(). It takes @j over */
static struct graph_task *add_control(struct anpu_stream *s, enum graph_control control,
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

static struct graph_jump *new_jump(void)
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

/* Building -------------------------------------------------------------------------------------- */

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
		return acl_fail(ACL_ERROR_RT_STREAM_MODEL,
				"stream %d is bound to a graph already: aclmdlRIUnbindStream() undoes "
				"it",
				s->number);
	pthread_mutex_lock(&g->lock);
	if (g->state != GRAPH_RECORDING)
		ret = acl_fail(ACL_ERROR_RT_STREAM_MODEL,
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

	ACL_ENTER();
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

/* Does the graph have this stream; the graph's lock is taken, the stream's not held */
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

	ACL_ENTER();
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

	ACL_ENTER();
	ACL_CHECK_PTR(stream);
	ret = find_built(modelRI, &g);
	if (ret)
		return ret;
	ret = lock_bound(stream, &s);
	if (!ret && s->graph != g) {
		ret = acl_fail(ACL_ERROR_RT_STREAM_MODEL, "stream %d is bound to another graph",
			       s->number);
		unlock_bound(s);
	} else if (!ret) {
		if (add_control(s, GRAPH_END, NULL))
			g->lanes[s->lane].ended = true;
		else
			ret = acl_last_failure();
		unlock_bound(s);
	}
	graph_put(g);
	return ret;
}

/* What was refused while tasks were given, and what only the end shows; graph locked */
static aclError check_built(struct anpu_graph *g)
{
	bool control = graph_has_control(g), head = !g->lane_count;
	uint32_t i, n;

	if (g->why)
		return acl_fail(ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED,
				"a task of the graph was refused (%d)", g->why);
	if (control && !(g->obj.dev->info.flags & DRM_ANPU_INFO_JUMP))
		return acl_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
				"device %d or its driver does not know jumps (JUMP, since 1.2)",
				g->obj.dev->id);
	for (i = 0; i < g->lane_count; i++)
		head = head || g->lanes[i].head;
	if (!head)
		return acl_fail(ACL_ERROR_RT_STREAM_MODEL,
				"no stream of the graph runs from its start: bind one with "
				"ACL_MODEL_STREAM_FLAG_HEAD");
	for (i = 0; i < g->task_count; i++) {
		const struct graph_task *t = &g->tasks[i];

		if (control && t->type == ACL_MODEL_RI_TASK_EVENT_WAIT && !t->count)
			return acl_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
					"a graph whose streams start each other, or jump, cannot have "
					"events between them: use aclrtActiveStream()");
		for (n = 0; t->control == GRAPH_SWITCH_LABEL && n < t->jump->n; n++)
			if (t->jump->labels->label[n]->graph != g)
				return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
						"label %u of a switch was not set in this graph", n);
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
	pthread_mutex_unlock(&g->lock);
	graph_put(g);
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

/* Labels ---------------------------------------------------------------------------------------- */

static void label_release(struct acl_obj *obj)
{
	atomic_fetch_sub(&label_count, 1);
	free(container_of(obj, struct graph_label, obj));
}

static void labels_release(struct acl_obj *obj)
{
	struct graph_labels *l = container_of(obj, struct graph_labels, obj);
	uint32_t i;

	for (i = 0; i < l->n; i++)
		acl_obj_put(&l->label[i]->obj);
	free(l);
}

aclError aclrtCreateLabel(aclrtLabel *label)
{
	struct anpu_context *ctx;
	struct graph_label *l;
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(label);
	ret = anpu_context_current(&ctx);
	if (ret)
		return ret;
	if (atomic_fetch_add(&label_count, 1) >= MAX_LABELS)
		ret = acl_fail(ACL_ERROR_RT_OVER_LIMIT, "a process can have %d labels", MAX_LABELS);
	l = ret ? NULL : calloc(1, sizeof(*l));
	if (!ret && !l)
		ret = acl_fail(ACL_ERROR_BAD_ALLOC, "no memory for a label");
	if (ret) {
		atomic_fetch_sub(&label_count, 1);
		anpu_context_put(ctx);
		return ret;
	}
	acl_obj_init(&l->obj, ACL_TYPE_LABEL, ctx->obj.dev, label_release);
	anpu_context_put(ctx);
	if (acl_obj_give(&l->obj, label))
		return ACL_SUCCESS;
	acl_obj_put(&l->obj);
	return acl_fail(ACL_ERROR_RT_RESOURCE_ALLOC_FAIL, "no handle is left for a label");
}

static aclError destroy(void *handle, enum acl_type type, const char *name)
{
	struct acl_obj *obj;

	if (!handle)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "%s is NULL", name);
	obj = acl_obj_remove(handle, type);
	if (!obj)
		return acl_bad_handle(handle, type, name);
	acl_obj_put(obj);
	return ACL_SUCCESS;
}

aclError aclrtDestroyLabel(aclrtLabel label)
{
	ACL_ENTER();
	return destroy(label, ACL_TYPE_LABEL, "label");
}

aclError aclrtDestroyLabelList(aclrtLabelList labelList)
{
	ACL_ENTER();
	return destroy(labelList, ACL_TYPE_LABEL_LIST, "labelList");
}

aclError aclrtSetLabel(aclrtLabel label, aclrtStream stream)
{
	struct graph_label *l;
	struct graph_jump *j;
	struct anpu_stream *s;
	struct acl_obj *obj;
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(label);
	obj = acl_obj_find(label, ACL_TYPE_LABEL);
	if (!obj)
		return acl_bad_handle(label, ACL_TYPE_LABEL, "label");
	l = container_of(obj, struct graph_label, obj);
	ret = lock_bound(stream, &s);
	if (!ret) {
		j = new_jump();
		if (!j) {
			ret = acl_last_failure();
		} else if (l->graph) {
			ret = acl_fail(ACL_ERROR_RT_PARAM_INVALID,
				       "the label was set already: it marks one place");
			graph_jump_free(j);
		} else {
			acl_obj_get(obj);
			j->label = l;
			l->task = s->graph->task_count;
			if (add_control(s, GRAPH_LABEL, j))
				l->graph = s->graph;
			else
				ret = acl_last_failure();
		}
		unlock_bound(s);
	}
	acl_obj_put(obj);
	return ret;
}

aclError aclrtCreateLabelList(aclrtLabel *labels, size_t num, aclrtLabelList *labelList)
{
	struct anpu_context *ctx;
	struct graph_labels *l;
	struct acl_obj *obj;
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(labels);
	ACL_CHECK_PTR(labelList);
	if (!num || num > MAX_LABELS)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "num is %zu and must be 1 to %d", num,
				MAX_LABELS);
	ret = anpu_context_current(&ctx);
	if (ret)
		return ret;
	l = calloc(1, sizeof(*l) + num * sizeof(l->label[0]));
	if (!l) {
		anpu_context_put(ctx);
		return acl_fail(ACL_ERROR_BAD_ALLOC, "no memory for a list of labels");
	}
	acl_obj_init(&l->obj, ACL_TYPE_LABEL_LIST, ctx->obj.dev, labels_release);
	anpu_context_put(ctx);
	for (; l->n < num && !ret; l->n += !ret) {
		obj = acl_obj_find(labels[l->n], ACL_TYPE_LABEL);
		if (obj)
			l->label[l->n] = container_of(obj, struct graph_label, obj);
		else
			ret = acl_bad_handle(labels[l->n], ACL_TYPE_LABEL, "labels");
	}
	if (!ret && !acl_obj_give(&l->obj, labelList))
		ret = acl_fail(ACL_ERROR_RT_RESOURCE_ALLOC_FAIL,
			       "no handle is left for a list of labels");
	if (ret)
		acl_obj_put(&l->obj);
	return ret;
}

/* An aligned word in memory of the stream's device */
static aclError check_word(const void *ptr, uint32_t width, const char *name,
			   const struct anpu_stream *s)
{
	struct anpu_mem mem;
	aclError ret;

	if (!ptr)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "%s is NULL", name);
	if ((uintptr_t)ptr % width)
		return acl_fail(ACL_ERROR_RT_ADDR_UNALIGNED, "%s is %p and must be a multiple of %u",
				name, ptr, width);
	ret = anpu_mem_look(ptr, width, name, &mem);
	if (!ret && !anpu_reachable(&mem, s))
		ret = acl_fail(ACL_ERROR_RT_PARAM_INVALID,
			       "%s is %p, which is no memory of the stream's device %d", name, ptr,
			       s->obj.dev->id);
	anpu_mem_done(&mem);
	return ret;
}

aclError aclrtSwitchLabelByIndex(void *ptr, uint32_t maxValue, aclrtLabelList labelList,
				 aclrtStream stream)
{
	struct graph_labels *l;
	struct graph_jump *j;
	struct anpu_stream *s;
	struct acl_obj *obj;
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(labelList);
	obj = acl_obj_find(labelList, ACL_TYPE_LABEL_LIST);
	if (!obj)
		return acl_bad_handle(labelList, ACL_TYPE_LABEL_LIST, "labelList");
	l = container_of(obj, struct graph_labels, obj);
	ret = lock_bound(stream, &s);
	if (!ret) {
		ret = check_word(ptr, 4, "ptr", s);
		if (!ret && (!maxValue || maxValue > l->n))
			ret = acl_fail(ACL_ERROR_RT_PARAM_INVALID,
				       "maxValue is %u and must be 1 to %u, the number of labels in the "
				       "list",
				       maxValue, l->n);
		j = ret ? NULL : new_jump();
		if (j) {
			acl_obj_get(obj);
			j->labels = l;
			j->n = maxValue;
			j->left = (uintptr_t)ptr;
		}
		if (!ret && (!j || !add_control(s, GRAPH_SWITCH_LABEL, j)))
			ret = acl_last_failure();
		unlock_bound(s);
	}
	acl_obj_put(obj);
	return ret;
}

/* Streams that start each other ----------------------------------------------------------------- */

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
	return i < g->lane_count ? ACL_SUCCESS
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
	ret = lock_bound(stream, &s);
	if (ret)
		return ret;
	ret = lane_of(s->graph, activeStream, "activeStream", &lane);
	if (!ret)
		j = new_jump();
	if (j)
		j->lane = lane;
	if (!ret && (!j || !add_control(s, GRAPH_ACTIVE, j)))
		ret = acl_last_failure();
	unlock_bound(s);
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
		return acl_fail(ACL_ERROR_INVALID_PARAM, "cond is %d and must be 0 to 5", (int)cond);
	if (type != ACL_RT_SWITCH_INT32 && type != ACL_RT_SWITCH_INT64)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "dataType is %d and must be 0 or 1",
				(int)type);
	j->op = op[cond];
	j->width = type == ACL_RT_SWITCH_INT64 ? 8 : 4;
	j->left = (uintptr_t)left;
	j->right = (uintptr_t)right;
	ret = check_word(left, j->width, "leftValue", s);
	return ret ? ret : check_word(right, j->width, "rightValue", s);
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
	ret = lock_bound(stream, &s);
	if (ret)
		return ret;
	j = new_jump();
	ret = j ? switch_task(s, j, leftValue, cond, rightValue, dataType) : acl_last_failure();
	if (!ret)
		ret = lane_of(s->graph, trueStream, "trueStream", &j->lane);
	if (!ret && falseStream)
		ret = lane_of(s->graph, falseStream, "falseStream", &j->other);
	if (!ret && !add_control(s, GRAPH_SWITCH_STREAM, j))
		ret = acl_last_failure();
	else if (ret && j)
		graph_jump_free(j);
	unlock_bound(s);
	return ret;
}

/* Conditions ------------------------------------------------------------------------------------ */

static void cond_release(struct acl_obj *obj)
{
	free(container_of(obj, struct graph_cond, obj));
}

void graph_conds_free(struct anpu_graph *g)
{
	struct graph_cond *c;
	struct acl_obj *known;

	while ((c = g->conds)) {
		g->conds = c->next;
		known = acl_obj_remove(acl_obj_handle(&c->obj), ACL_TYPE_COND);
		if (known)
			acl_obj_put(known);
		acl_obj_put(&c->obj);
	}
}

/* Eight bytes of device memory that the program may write, too; graph locked */
static aclError take_var(struct anpu_graph *g, struct graph_cond *c)
{
	enum { VARS = 4096 };
	int err;

	if (!g->vars) {
		err = anpu_region_new(g->obj.dev, ANPU_REGION_BIG, DRM_ANPU_BO_HBM, VARS,
				      DRM_ANPU_VM_READ | DRM_ANPU_VM_WRITE, &g->vars);
		if (err)
			return anpu_fail_ioctl(g->obj.dev, err, "allocating room for conditions");
		anpu_region_get(g->vars);
		g->vars->user_size = VARS;
	}
	if (g->vars_used == VARS)
		return acl_fail(ACL_ERROR_RT_OVER_LIMIT, "a graph can have %d conditions", VARS / 8);
	c->cpu = anpu_region_window(g->vars);
	if (!c->cpu)
		return acl_fail(ACL_ERROR_RT_MEMORY_ALLOCATION,
				"room for conditions cannot be mapped");
	c->cpu += g->vars_used / 8;
	c->va = g->vars->va + g->vars_used;
	__atomic_store_n(c->cpu, c->initial, __ATOMIC_RELEASE);
	g->vars_used += 8;
	return ACL_SUCCESS;
}

aclError aclmdlRICondHandleCreate(aclmdlRI modelRI, uint32_t defaultLaunchValue,
				  aclmdlRICondHandleFlag flag, aclmdlRICondHandle *handle)
{
	struct graph_cond *c;
	struct anpu_graph *g;
	aclError ret = ACL_SUCCESS;

	ACL_ENTER();
	ACL_CHECK_PTR(modelRI);
	ACL_CHECK_PTR(handle);
	if (flag && flag != ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT)
		return acl_fail(ACL_ERROR_INVALID_PARAM,
				"flag is %d and must be 0 or ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT "
				"(1)",
				(int)flag);
	g = graph_find(modelRI);
	if (!g)
		return ACL_ERROR_RT_INVALID_HANDLE;
	c = calloc(1, sizeof(*c));
	if (!c) {
		graph_put(g);
		return acl_fail(ACL_ERROR_BAD_ALLOC, "no memory for a condition");
	}
	acl_obj_init(&c->obj, ACL_TYPE_COND, g->obj.dev, cond_release);
	c->graph = g;
	c->initial = defaultLaunchValue;
	c->assign = flag;
	pthread_mutex_lock(&g->lock);
	if (g->state != GRAPH_RECORDING || g->built)
		ret = acl_fail(ACL_ERROR_RT_STREAM_NOT_CAPTURED,
			       "the graph is not being recorded: make its conditions meanwhile");
	if (!ret)
		ret = take_var(g, c);
	acl_obj_get(&c->obj); /* the graph's */
	if (!ret && !acl_obj_give(&c->obj, handle))
		ret = acl_fail(ACL_ERROR_RT_RESOURCE_ALLOC_FAIL,
			       "no handle is left for a condition");
	if (!ret) {
		c->next = g->conds;
		g->conds = c;
	}
	pthread_mutex_unlock(&g->lock);
	if (ret) {
		acl_obj_put(&c->obj);
		acl_obj_put(&c->obj);
	}
	graph_put(g);
	return ret;
}

aclError aclmdlRICondHandleGetCondPtr(aclmdlRICondHandle handle, uint64_t **ptr)
{
	struct acl_obj *obj;

	ACL_ENTER();
	ACL_CHECK_PTR(handle);
	ACL_CHECK_PTR(ptr);
	obj = acl_obj_find(handle, ACL_TYPE_COND);
	if (!obj)
		return acl_bad_handle(handle, ACL_TYPE_COND, "handle");
	*ptr = (uint64_t *)(uintptr_t)container_of(obj, struct graph_cond, obj)->va;
	acl_obj_put(obj);
	return ACL_SUCCESS;
}

static aclError check_cond(const aclmdlRICondTaskParams *p, uint32_t flags)
{
	uint32_t most = p->type == ACL_MODEL_RI_COND_TYPE_IF	  ? 2
			: p->type == ACL_MODEL_RI_COND_TYPE_WHILE ? 1
								  : ANPU_MAX_INDIRECT;

	if (flags)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "flags is %#x and must be 0", flags);
	if ((unsigned int)p->type > ACL_MODEL_RI_COND_TYPE_SWITCH)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "params.type is %d and must be 0 to 2",
				(int)p->type);
	if (!p->size || p->size > most)
		return acl_fail(ACL_ERROR_INVALID_PARAM,
				"params.size is %u and must be 1 to %u for this type", p->size, most);
	if (!p->modelRIArray)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "params.modelRIArray is NULL");
	return ACL_SUCCESS;
}

/* The bodies are new graphs that wait to be recorded */
static aclError make_bodies(struct graph_jump *j, const struct anpu_graph *g, uint32_t n)
{
	uint32_t i;

	j->bodies = calloc(n, sizeof(*j->bodies));
	if (!j->bodies)
		return acl_fail(ACL_ERROR_BAD_ALLOC, "no memory for a conditional task");
	j->n = n;
	for (i = 0; i < n; i++) {
		j->bodies[i] = graph_new(g->obj.dev);
		if (!j->bodies[i])
			return acl_last_failure();
		j->bodies[i]->body = true;
		j->bodies[i]->depth = g->depth + 1;
		j->bodies[i]->state = GRAPH_RECORDING;
	}
	return ACL_SUCCESS;
}

/* Stream and graph locked */
static aclError add_cond(struct anpu_stream *s, const aclmdlRICondTaskParams *p,
			 struct graph_cond *c)
{
	struct anpu_graph *g = s->graph;
	struct graph_jump *j;
	aclError ret;
	uint32_t i;

	if (c->graph != g && !g->body)
		return acl_fail(ACL_ERROR_STREAM_CAPTURE_CONFLICT,
				"the condition belongs to another graph than stream %d records into",
				s->number);
	if (g->depth >= GRAPH_MAX_DEPTH)
		return acl_fail(ACL_ERROR_RT_OVER_LIMIT,
				"conditional tasks can be %d deep inside each other", GRAPH_MAX_DEPTH);
	ret = graph_group_check(g, s->lane, NULL);
	if (ret)
		return ret;
	j = new_jump();
	if (!j)
		return acl_last_failure();
	acl_obj_get(&c->obj);
	j->cond = c;
	j->cond_type = p->type;
	ret = make_bodies(j, g, p->size);
	if (ret) {
		graph_jump_free(j);
		return ret;
	}
	if (!add_control(s, GRAPH_COND, j))
		return acl_last_failure();
	for (i = 0; i < p->size; i++)
		p->modelRIArray[i] = acl_obj_handle(&j->bodies[i]->obj);
	return ACL_SUCCESS;
}

aclError aclmdlRIAddCondTask(aclmdlRICondTaskParams params, aclrtStream stream, uint32_t flags)
{
	struct anpu_stream *s;
	struct acl_obj *obj;
	aclError ret;

	ACL_ENTER();
	ret = check_cond(&params, flags);
	if (ret)
		return ret;
	obj = acl_obj_find(params.handle, ACL_TYPE_COND);
	if (!obj)
		return acl_bad_handle(params.handle, ACL_TYPE_COND, "params.handle");
	ret = anpu_stream_find(stream, &s);
	if (ret) {
		acl_obj_put(obj);
		return ret;
	}
	pthread_mutex_lock(&s->lock);
	if (!s->graph || s->graph->built) {
		ret = acl_fail(ACL_ERROR_RT_STREAM_NOT_CAPTURED, "stream %d is not being recorded",
			       s->number);
	} else if (!(s->obj.dev->info.flags & DRM_ANPU_INFO_JUMP)) {
		ret = acl_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
			       "device %d or its driver does not know jumps (JUMP, since 1.2)",
			       s->obj.dev->id);
	} else {
		pthread_mutex_lock(&s->graph->lock);
		ret = s->graph->state == GRAPH_RECORDING
			      ? add_cond(s, &params, container_of(obj, struct graph_cond, obj))
			      : acl_fail(ACL_ERROR_RT_STREAM_CAPTURE_UNMATCHED,
					 "the recording was ended meanwhile");
		if (ret)
			graph_void(s->graph, ret);
		pthread_mutex_unlock(&s->graph->lock);
	}
	pthread_mutex_unlock(&s->lock);
	anpu_stream_put(s);
	acl_obj_put(obj);
	return ret;
}
