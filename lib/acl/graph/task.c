// SPDX-License-Identifier: MIT
/*
 * The tasks of a graph: their handles, and what they are. change.c changes them, group.c
 * has groups of them.
 */
#include <stdlib.h>
#include <string.h>

#include "graph/inside.h"

/* Data that a task's parameters point to; it is freed with the task's handle */
struct task_view {
	aclrtLaunchKernelAttr attrs[2];
	aclrtLaunchKernelCfg cfg;
};

struct task_obj {
	struct graph_task_obj base;
	struct task_view view;
};

/* Handles ------------------------------------------------------------------------------------- */

static void task_release(struct acl_obj *obj)
{
	free(container_of(obj, struct task_obj, base.obj));
}

static void lane_release(struct acl_obj *obj)
{
	free(container_of(obj, struct lane_obj, obj));
}

pthread_mutex_t graph_views_lock = PTHREAD_MUTEX_INITIALIZER;

static void unpublish(struct acl_obj *obj)
{
	struct acl_obj *known = acl_obj_remove(acl_obj_handle(obj), obj->type);

	if (known)
		acl_obj_put(known);
	acl_obj_put(obj);
}

void graph_tasks_forget(struct anpu_graph *g)
{
	struct graph_group *grp;
	uint32_t i;

	pthread_mutex_lock(&graph_views_lock);
	for (i = 0; i < g->task_count; i++)
		if (g->tasks[i].obj)
			g->tasks[i].obj->graph = NULL;
	for (i = 0; i < g->lane_count; i++)
		if (g->lanes[i].obj)
			g->lanes[i].obj->graph = NULL;
	for (grp = g->groups; grp; grp = grp->next)
		grp->graph = NULL;
	pthread_mutex_unlock(&graph_views_lock);
	for (i = 0; i < g->task_count; i++) {
		if (g->tasks[i].obj)
			unpublish(&g->tasks[i].obj->obj);
		g->tasks[i].obj = NULL;
		g->tasks[i].group = NULL;
	}
	for (i = 0; i < g->lane_count; i++) {
		if (g->lanes[i].obj)
			unpublish(&g->lanes[i].obj->obj);
		g->lanes[i].obj = NULL;
		g->lanes[i].group = NULL;
	}
	while ((grp = g->groups)) {
		g->groups = grp->next;
		unpublish(&grp->obj);
	}
}

void graph_task_forget(struct anpu_graph *g, struct graph_task *t)
{
	struct graph_task_obj *obj = t->obj;

	pthread_mutex_lock(&graph_views_lock);
	if (obj)
		obj->graph = NULL;
	pthread_mutex_unlock(&graph_views_lock);
	t->obj = NULL;
	g->lanes[t->lane].tasks--;
	if (obj)
		unpublish(&obj->obj);
}

bool graph_try_get(struct anpu_graph *g)
{
	unsigned int refs = g ? atomic_load(&g->obj.refs) : 0;

	while (refs && !atomic_compare_exchange_weak(&g->obj.refs, &refs, refs + 1))
		;
	return refs != 0;
}

aclError graph_lock_task(aclmdlRITask handle, struct anpu_graph **g, struct graph_task **t)
{
	struct acl_obj *obj = acl_obj_find(handle, ACL_TYPE_TASK);
	struct graph_task_obj *view;
	bool alive;

	if (!handle)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "task is NULL");
	if (!obj)
		return acl_bad_handle(handle, ACL_TYPE_TASK, "task");
	view = container_of(obj, struct graph_task_obj, obj);
	pthread_mutex_lock(&graph_views_lock);
	*g = view->graph;
	alive = graph_try_get(*g);
	pthread_mutex_unlock(&graph_views_lock);
	if (alive) {
		pthread_mutex_lock(&(*g)->lock);
		*t = &(*g)->tasks[view->task];
	}
	acl_obj_put(obj);
	return alive ? ACL_SUCCESS : acl_bad_handle(handle, ACL_TYPE_TASK, "task");
}

void graph_unlock(struct anpu_graph *g)
{
	pthread_mutex_unlock(&g->lock);
	graph_put(g);
}

aclError graph_task_handle(struct anpu_graph *g, uint32_t i, aclmdlRITask *out)
{
	struct task_obj *o;

	if (!g->tasks[i].obj) {
		o = calloc(1, sizeof(*o));
		if (!o)
			return acl_fail(ACL_ERROR_BAD_ALLOC, "no memory for a task's handle");
		acl_obj_init(&o->base.obj, ACL_TYPE_TASK, g->obj.dev, task_release);
		o->base.graph = g;
		o->base.task = i;
		acl_obj_get(&o->base.obj); /* the graph's */
		if (!acl_obj_publish(&o->base.obj)) {
			acl_obj_put(&o->base.obj);
			acl_obj_put(&o->base.obj);
			return acl_fail(ACL_ERROR_RT_RESOURCE_ALLOC_FAIL,
					"no handle is left for a task");
		}
		g->tasks[i].obj = &o->base;
	}
	*out = acl_obj_handle(&g->tasks[i].obj->obj);
	return ACL_SUCCESS;
}

static aclError lane_handle(struct anpu_graph *g, uint32_t lane, aclrtStream *out)
{
	struct lane_obj *o = g->lanes[lane].obj;

	if (g->built && g->lanes[lane].stream) {
		*out = acl_obj_handle(&g->lanes[lane].stream->obj);
		return ACL_SUCCESS;
	}
	if (!o) {
		o = calloc(1, sizeof(*o));
		if (!o)
			return acl_fail(ACL_ERROR_BAD_ALLOC, "no memory for a stream's handle");
		acl_obj_init(&o->obj, ACL_TYPE_LANE, g->obj.dev, lane_release);
		o->graph = g;
		o->lane = lane;
		acl_obj_get(&o->obj);
		if (!acl_obj_publish(&o->obj)) {
			acl_obj_put(&o->obj);
			acl_obj_put(&o->obj);
			return acl_fail(ACL_ERROR_RT_RESOURCE_ALLOC_FAIL,
					"no handle is left for a graph's stream");
		}
		g->lanes[lane].obj = o;
	}
	*out = acl_obj_handle(&o->obj);
	return ACL_SUCCESS;
}

aclError aclmdlRIGetStreams(aclmdlRI modelRI, aclrtStream *streams, uint32_t *numStreams)
{
	struct anpu_graph *g;
	aclError ret = ACL_SUCCESS;
	uint32_t i;

	ACL_ENTER_SHORT();
	ACL_CHECK_PTR(modelRI);
	ACL_CHECK_PTR(numStreams);
	g = graph_find_locked(modelRI);
	if (!g)
		return ACL_ERROR_RT_INVALID_HANDLE;
	if (streams && *numStreams < g->lane_count)
		ret = acl_fail(ACL_ERROR_RT_INSUFFICIENT_INPUT_ARRAY,
			       "numStreams is %u and the graph has %u streams", *numStreams,
			       g->lane_count);
	for (i = 0; streams && i < g->lane_count && !ret; i++)
		ret = lane_handle(g, i, &streams[i]);
	if (!ret)
		*numStreams = g->lane_count;
	graph_unlock(g);
	return ret;
}

/* The lane of a graph's stream, or of one that records into a graph; graph locked and referenced */
static aclError lock_lane(aclrtStream stream, struct anpu_graph **g, uint32_t *lane)
{
	struct acl_obj *obj = acl_obj_find(stream, ACL_TYPE_LANE);
	struct anpu_stream *s;
	bool alive;
	aclError ret;

	if (obj) {
		pthread_mutex_lock(&graph_views_lock);
		*g = container_of(obj, struct lane_obj, obj)->graph;
		*lane = container_of(obj, struct lane_obj, obj)->lane;
		alive = graph_try_get(*g);
		pthread_mutex_unlock(&graph_views_lock);
		acl_obj_put(obj);
	} else {
		ret = anpu_stream_find(stream, &s);
		if (ret)
			return ret;
		pthread_mutex_lock(&s->lock);
		*g = s->graph;
		*lane = s->lane;
		alive = *g != NULL;
		if (alive)
			graph_get(*g);
		pthread_mutex_unlock(&s->lock);
		anpu_stream_put(s);
	}
	if (!alive)
		return acl_fail(
			ACL_ERROR_RT_STREAM_MODEL,
			"stream %p is no stream of a graph: aclmdlRIGetStreams() tells those",
			stream);
	pthread_mutex_lock(&(*g)->lock);
	return ACL_SUCCESS;
}

aclError aclmdlRIGetTasksByStream(aclrtStream stream, aclmdlRITask *tasks, uint32_t *numTasks)
{
	struct anpu_graph *g;
	uint32_t lane, i, n = 0;
	aclError ret;

	ACL_ENTER_SHORT();
	ACL_CHECK_PTR(stream);
	ACL_CHECK_PTR(numTasks);
	ret = lock_lane(stream, &g, &lane);
	if (ret)
		return ret;
	if (tasks && *numTasks < g->lanes[lane].tasks)
		ret = acl_fail(ACL_ERROR_RT_INSUFFICIENT_INPUT_ARRAY,
			       "numTasks is %u and the stream has %u tasks", *numTasks,
			       g->lanes[lane].tasks);
	for (i = 0; tasks && i < g->task_count && !ret; i++)
		if (g->tasks[i].lane == lane && !g->tasks[i].removed)
			ret = graph_task_handle(g, i, &tasks[n++]);
	if (!ret)
		*numTasks = g->lanes[lane].tasks;
	graph_unlock(g);
	return ret;
}

aclError aclmdlRITaskGetType(aclmdlRITask task, aclmdlRITaskType *type)
{
	struct anpu_graph *g;
	struct graph_task *t;
	aclError ret;

	ACL_ENTER_SHORT();
	ACL_CHECK_PTR(type);
	ret = graph_lock_task(task, &g, &t);
	if (ret)
		return ret;
	*type = t->type;
	graph_unlock(g);
	return ACL_SUCCESS;
}

aclError aclmdlRITaskGetSeqId(aclmdlRITask task, uint32_t *id)
{
	struct anpu_graph *g;
	struct graph_task *t;
	aclError ret;

	ACL_ENTER_SHORT();
	ACL_CHECK_PTR(id);
	ret = graph_lock_task(task, &g, &t);
	if (ret)
		return ret;
	*id = t - g->tasks;
	graph_unlock(g);
	return ACL_SUCCESS;
}

/* Parameters ---------------------------------------------------------------------------------- */

const union anpu_packet *graph_packet_of(const struct anpu_graph *g, const struct graph_task *t)
{
	return t->has_next ? &t->next : &g->packets[t->first];
}

static uint64_t limit_of(const union anpu_packet *pkt)
{
	return pkt->kernel.timeout_us == ANPU_TIMEOUT_NEVER ? 0 : pkt->kernel.timeout_us;
}

struct anpu_func *graph_func_at(struct anpu_device *dev, uint64_t entry)
{
	size_t n = acl_obj_list(dev, ACL_TYPE_FUNC, NULL, 0), got, i;
	struct acl_obj **list = calloc(n + 1, sizeof(*list));
	struct anpu_func *found = NULL, *f;

	got = list ? acl_obj_list(dev, ACL_TYPE_FUNC, list, n) : 0;
	for (i = 0; i < got && i < n; i++) {
		f = container_of(list[i], struct anpu_func, obj);
		if (!found && f->entry == entry)
			found = f;
		else
			acl_obj_put(list[i]);
	}
	free(list);
	return found;
}

/* The handle of the function that begins there, or NULL */
static aclrtFuncHandle func_at(struct anpu_device *dev, uint64_t entry)
{
	struct anpu_func *f = graph_func_at(dev, entry);
	aclrtFuncHandle found = f ? acl_obj_handle(&f->obj) : NULL;

	if (f)
		acl_obj_put(&f->obj);
	return found;
}

static void kernel_params(struct anpu_graph *g, struct graph_task *t, aclmdlRIKernelTaskParams *p)
{
	struct task_view *view = &container_of(t->obj, struct task_obj, base)->view;
	const union anpu_packet *pkt = graph_packet_of(g, t);
	uint64_t us = limit_of(pkt);

	view->attrs[0] = (aclrtLaunchKernelAttr){ .id = ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE };
	view->attrs[0].value.schemMode = pkt->kernel.sched_mode == ANPU_SCHED_BATCH;
	view->attrs[1] = (aclrtLaunchKernelAttr){ .id = ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US };
	view->attrs[1].value.timeoutUs.timeoutLow = (uint32_t)us;
	view->attrs[1].value.timeoutUs.timeoutHigh = us >> 32;
	/* ANPU_TIMEOUT_DEFAULT is the device's own limit, which no attribute has set */
	view->cfg.attrs = view->attrs;
	view->cfg.numAttrs = pkt->kernel.timeout_us == ANPU_TIMEOUT_DEFAULT ? 1 : 2;
	p->funcHandle = func_at(g->obj.dev, pkt->kernel.entry);
	p->cfg = &view->cfg;
	p->args = (void *)(uintptr_t)pkt->kernel.args;
	p->argsSize = pkt->kernel.args_size;
	p->numBlocks = pkt->kernel.grid_x;
}

aclError aclmdlRITaskGetParams(aclmdlRITask task, aclmdlRITaskParams *params)
{
	static const uint32_t flag_of[] = {
		[ANPU_SEM_GE] = ACL_STREAM_WAIT_VALUE_GEQ,
		[ANPU_SEM_EQ] = ACL_STREAM_WAIT_VALUE_EQ,
		[ANPU_SEM_ANY] = ACL_STREAM_WAIT_VALUE_AND,
		[ANPU_SEM_NOR] = ACL_STREAM_WAIT_VALUE_NOR,
	};
	const union anpu_packet *pkt;
	struct anpu_graph *g;
	struct graph_task *t;
	aclError ret;

	ACL_ENTER_SHORT();
	ACL_CHECK_PTR(params);
	ret = graph_lock_task(task, &g, &t);
	if (ret)
		return ret;
	memset(params, 0, sizeof(*params));
	params->type = t->type;
	params->taskGrp = t->group ? acl_obj_handle(&t->group->obj) : NULL;
	params->opInfoPtr = t->op_info.data;
	params->opInfoSize = t->op_info.size;
	pkt = graph_packet_of(g, t);
	switch (t->type) {
	case ACL_MODEL_RI_TASK_KERNEL:
		kernel_params(g, t, &params->kernelTaskParams);
		break;
	case ACL_MODEL_RI_TASK_EVENT_RECORD:
	case ACL_MODEL_RI_TASK_EVENT_WAIT:
	case ACL_MODEL_RI_TASK_EVENT_RESET:
		/* the three have one layout */
		params->eventRecordTaskParams = (aclmdlRIEventRecordTaskParams){
			t->event, t->event_flags, t->flag };
		break;
	case ACL_MODEL_RI_TASK_VALUE_WRITE:
		params->valueWriteTaskParams.devAddr = (void *)(uintptr_t)pkt->sem_signal.addr;
		params->valueWriteTaskParams.value = pkt->sem_signal.value;
		break;
	case ACL_MODEL_RI_TASK_VALUE_WAIT:
		params->valueWaitTaskParams.devAddr = (void *)(uintptr_t)pkt->sem_wait.addr;
		params->valueWaitTaskParams.value = pkt->sem_wait.value;
		params->valueWaitTaskParams.flag = flag_of[pkt->sem_wait.cond];
		break;
	default:
		break;
	}
	graph_unlock(g);
	return ACL_SUCCESS;
}

aclError aclmdlRIKernelTaskGetAttribute(aclmdlRITask task, aclrtLaunchKernelAttrId attrId,
					aclrtLaunchKernelAttrValue *attrValue)
{
	const union anpu_packet *pkt;
	struct anpu_graph *g;
	struct graph_task *t;
	uint64_t us;
	aclError ret;

	ACL_ENTER_SHORT();
	ACL_CHECK_PTR(attrValue);
	if (attrId >= ACL_RT_LAUNCH_KERNEL_ATTR_ANPU_COOPERATIVE && attrId <= ACL_RT_LAUNCH_KERNEL_ATTR_ANPU_UPDATABLE)
		return graph_own_attribute(task, attrId, attrValue);
	ret = graph_lock_task(task, &g, &t);
	if (ret)
		return ret;
	pkt = graph_packet_of(g, t);
	if (t->type != ACL_MODEL_RI_TASK_KERNEL) {
		graph_unlock(g);
		return acl_fail(ACL_ERROR_RT_PARAM_INVALID, "the task is no kernel, its type is %d",
				(int)t->type);
	}
	us = limit_of(pkt);
	memset(attrValue, 0, sizeof(*attrValue));
	switch (attrId) {
	case ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE:
		attrValue->schemMode = pkt->kernel.sched_mode == ANPU_SCHED_BATCH;
		break;
	case ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT:
		attrValue->timeout = us / 1000000;
		break;
	case ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US:
		attrValue->timeoutUs.timeoutLow = (uint32_t)us;
		attrValue->timeoutUs.timeoutHigh = us >> 32;
		break;
	case ACL_RT_LAUNCH_KERNEL_ATTR_DYN_UBUF_SIZE:
	case ACL_RT_LAUNCH_KERNEL_ATTR_DATA_DUMP:
	case ACL_RT_LAUNCH_KERNEL_ATTR_ENABLE_PROFILING:
		break; /* 0 is the only value that launches take */
	default:
		ret = acl_fail(ACL_ERROR_INVALID_PARAM, "attrId is %d, which cannot be asked for",
			       (int)attrId);
	}
	graph_unlock(g);
	return ret;
}
