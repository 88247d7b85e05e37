// SPDX-License-Identifier: MIT
/*
 * The tasks of a graph: what they are, changing them, groups of them that a stream changes in its own
 * order.
 */
#include <stdlib.h>
#include <string.h>

#include "graph.h"

/* What a task's parameters point to; lives as long as its handle */
struct task_view {
	aclrtLaunchKernelAttr attrs[2];
	aclrtLaunchKernelCfg cfg;
};

struct task_obj {
	struct graph_task_obj base;
	struct task_view view;
};

struct graph_update {
	struct graph_group *group; /* referenced */
	uint32_t next;
	struct graph_args args; /* of the packet to come: where they go */
	void *staging;
	uint64_t staging_va, size;
};

/* Handles --------------------------------------------------------------------------------------- */

static void task_release(struct acl_obj *obj)
{
	free(container_of(obj, struct task_obj, base.obj));
}

static void lane_release(struct acl_obj *obj)
{
	free(container_of(obj, struct lane_obj, obj));
}

static void group_release(struct acl_obj *obj)
{
	struct graph_group *grp = container_of(obj, struct graph_group, obj);

	free(grp->tasks);
	free(grp);
}

/*
 * A handle leads to its graph only while that is known: graph_put() from another thread would free it
 * else. So the pointer is read under this lock, which comes behind the graph's.
 */
static pthread_mutex_t views_lock = PTHREAD_MUTEX_INITIALIZER;

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

	pthread_mutex_lock(&views_lock);
	for (i = 0; i < g->task_count; i++)
		if (g->tasks[i].obj)
			g->tasks[i].obj->graph = NULL;
	for (i = 0; i < g->lane_count; i++)
		if (g->lanes[i].obj)
			g->lanes[i].obj->graph = NULL;
	for (grp = g->groups; grp; grp = grp->next)
		grp->graph = NULL;
	pthread_mutex_unlock(&views_lock);
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

/* A graph that is not on its way out, with a reference; views_lock held */
static bool try_get(struct anpu_graph *g)
{
	unsigned int refs = g ? atomic_load(&g->obj.refs) : 0;

	while (refs && !atomic_compare_exchange_weak(&g->obj.refs, &refs, refs + 1))
		;
	return refs != 0;
}

/* The graph of a task's handle with a reference and locked */
static aclError lock_task(aclmdlRITask handle, struct anpu_graph **g, struct graph_task **t)
{
	struct acl_obj *obj = acl_obj_find(handle, ACL_TYPE_TASK);
	struct graph_task_obj *view;
	bool alive;

	if (!handle)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "task is NULL");
	if (!obj)
		return acl_bad_handle(handle, ACL_TYPE_TASK, "task");
	view = container_of(obj, struct graph_task_obj, obj);
	pthread_mutex_lock(&views_lock);
	*g = view->graph;
	alive = try_get(*g);
	pthread_mutex_unlock(&views_lock);
	if (alive) {
		pthread_mutex_lock(&(*g)->lock);
		*t = &(*g)->tasks[view->task];
	}
	acl_obj_put(obj);
	return alive ? ACL_SUCCESS : acl_bad_handle(handle, ACL_TYPE_TASK, "task");
}

static void unlock(struct anpu_graph *g)
{
	pthread_mutex_unlock(&g->lock);
	graph_put(g);
}

/* The handle of a task, new if it has none; graph locked */
static aclError task_handle(struct anpu_graph *g, uint32_t i, aclmdlRITask *out)
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

	ACL_ENTER();
	ACL_CHECK_PTR(modelRI);
	ACL_CHECK_PTR(numStreams);
	g = graph_find(modelRI);
	if (!g)
		return ACL_ERROR_RT_INVALID_HANDLE;
	pthread_mutex_lock(&g->lock);
	if (streams && *numStreams < g->lane_count)
		ret = acl_fail(ACL_ERROR_RT_INSUFFICIENT_INPUT_ARRAY,
			       "numStreams is %u and the graph has %u streams", *numStreams,
			       g->lane_count);
	for (i = 0; streams && i < g->lane_count && !ret; i++)
		ret = lane_handle(g, i, &streams[i]);
	if (!ret)
		*numStreams = g->lane_count;
	unlock(g);
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
		pthread_mutex_lock(&views_lock);
		*g = container_of(obj, struct lane_obj, obj)->graph;
		*lane = container_of(obj, struct lane_obj, obj)->lane;
		alive = try_get(*g);
		pthread_mutex_unlock(&views_lock);
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
		return acl_fail(ACL_ERROR_RT_STREAM_MODEL,
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

	ACL_ENTER();
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
		if (g->tasks[i].lane == lane)
			ret = task_handle(g, i, &tasks[n++]);
	if (!ret)
		*numTasks = g->lanes[lane].tasks;
	unlock(g);
	return ret;
}

aclError aclmdlRITaskGetType(aclmdlRITask task, aclmdlRITaskType *type)
{
	struct anpu_graph *g;
	struct graph_task *t;
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(type);
	ret = lock_task(task, &g, &t);
	if (ret)
		return ret;
	*type = t->type;
	unlock(g);
	return ACL_SUCCESS;
}

aclError aclmdlRITaskGetSeqId(aclmdlRITask task, uint32_t *id)
{
	struct anpu_graph *g;
	struct graph_task *t;
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(id);
	ret = lock_task(task, &g, &t);
	if (ret)
		return ret;
	*id = t - g->tasks;
	unlock(g);
	return ACL_SUCCESS;
}

/* Parameters ------------------------------------------------------------------------------------ */

/* As it will be, or is if nothing was changed */
static const union anpu_packet *packet_of(const struct anpu_graph *g, const struct graph_task *t)
{
	return t->has_next ? &t->next : &g->packets[t->first];
}

static uint64_t limit_of(const union anpu_packet *pkt)
{
	return pkt->kernel.timeout_us == ANPU_TIMEOUT_NEVER ? 0 : pkt->kernel.timeout_us;
}

/* The handle of the function that begins there, or NULL */
static aclrtFuncHandle func_at(struct anpu_device *dev, uint64_t entry)
{
	size_t n = acl_obj_list(dev, ACL_TYPE_FUNC, NULL, 0), got, i;
	struct acl_obj **list = calloc(n + 1, sizeof(*list));
	aclrtFuncHandle found = NULL;

	got = list ? acl_obj_list(dev, ACL_TYPE_FUNC, list, n) : 0;
	for (i = 0; i < got && i < n; i++) {
		if (container_of(list[i], struct anpu_func, obj)->entry == entry)
			found = acl_obj_handle(list[i]);
		acl_obj_put(list[i]);
	}
	free(list);
	return found;
}

static void kernel_params(struct anpu_graph *g, struct graph_task *t, aclmdlRIKernelTaskParams *p)
{
	struct task_view *view = &container_of(t->obj, struct task_obj, base)->view;
	const union anpu_packet *pkt = packet_of(g, t);
	uint64_t us = limit_of(pkt);

	view->attrs[0] = (aclrtLaunchKernelAttr){ .id = ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE };
	view->attrs[0].value.schemMode = pkt->kernel.sched_mode == ANPU_SCHED_BATCH;
	view->attrs[1] = (aclrtLaunchKernelAttr){ .id = ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US };
	view->attrs[1].value.timeoutUs.timeoutLow = (uint32_t)us;
	view->attrs[1].value.timeoutUs.timeoutHigh = us >> 32;
	/* the device's own limit is none of the attributes */
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

	ACL_ENTER();
	ACL_CHECK_PTR(params);
	ret = lock_task(task, &g, &t);
	if (ret)
		return ret;
	memset(params, 0, sizeof(*params));
	params->type = t->type;
	params->taskGrp = t->group ? acl_obj_handle(&t->group->obj) : NULL;
	pkt = packet_of(g, t);
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
	unlock(g);
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

	ACL_ENTER();
	ACL_CHECK_PTR(attrValue);
	ret = lock_task(task, &g, &t);
	if (ret)
		return ret;
	pkt = packet_of(g, t);
	if (t->type != ACL_MODEL_RI_TASK_KERNEL) {
		unlock(g);
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
	unlock(g);
	return ret;
}

/* Changing tasks -------------------------------------------------------------------------------- */

static aclError check_changeable(const struct anpu_graph *g)
{
	if (__atomic_load_n(&g->state, __ATOMIC_ACQUIRE) == GRAPH_READY)
		return ACL_SUCCESS;
	return acl_fail(ACL_ERROR_RT_MODEL_CAPTURED, "the graph is still being recorded or built");
}

/* Into the block that aclmdlRIUpdate() will make the task's; graph locked */
static aclError next_args(struct anpu_graph *g, struct graph_task *t, const void *args, size_t size,
			  union anpu_packet *pkt)
{
	aclError ret = ACL_SUCCESS;

	if (t->spare.room < size)
		ret = graph_args_take(g, size, &t->spare);
	if (ret)
		return ret;
	memcpy(t->spare.cpu, args, size);
	pkt->kernel.args = t->spare.va;
	pkt->kernel.args_size = size;
	return ACL_SUCCESS;
}

static aclError kernel_packet(struct anpu_graph *g, struct graph_task *t,
			      const aclmdlRIKernelTaskParams *p, const struct anpu_launch *l,
			      union anpu_packet *pkt)
{
	uint32_t task_id = pkt->hdr.task_id, priority = pkt->kernel.priority;
	aclError ret = ACL_SUCCESS;

	if (l->stream->obj.dev != g->obj.dev)
		return acl_fail(ACL_ERROR_RT_STREAM_CONTEXT,
				"the graph belongs to device %d and this thread uses device %d",
				g->obj.dev->id, l->stream->obj.dev->id);
	if (p->argsSize < l->func->args_size)
		return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
				"argsSize is %zu and kernel '%s' has parameters that take %u bytes",
				p->argsSize, l->func->name, l->func->args_size);
	if (p->argsSize > ANPU_ARG_SEGMENT || (p->argsSize && !p->args))
		return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
				"argsSize is %zu, of at most %u, and args is %p", p->argsSize,
				ANPU_ARG_SEGMENT, p->args);
	if (p->isHostArgs > 1 || (!p->isHostArgs && (uintptr_t)p->args % 8))
		return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
				"isHostArgs is %u and must be 0 or 1, args is %p and must be a "
				"multiple of 8 in device memory",
				p->isHostArgs, p->args);
	pkt->kernel = l->pkt;
	pkt->hdr.task_id = task_id;
	pkt->kernel.priority = priority;
	pkt->kernel.args = p->argsSize ? (uintptr_t)p->args : 0;
	pkt->kernel.args_size = p->argsSize;
	if (p->isHostArgs && p->argsSize)
		ret = next_args(g, t, p->args, p->argsSize, pkt);
	return ret;
}

static aclError set_kernel(aclmdlRITask task, const aclmdlRIKernelTaskParams *p)
{
	union anpu_packet pkt;
	struct anpu_graph *g;
	struct graph_task *t;
	struct anpu_launch l;
	aclError ret;

	/* looks up a stream, whose lock comes before the graph's */
	ret = anpu_launch_begin(&l, p->funcHandle, p->numBlocks, p->cfg, NULL);
	if (ret)
		return ret;
	ret = lock_task(task, &g, &t);
	if (!ret) {
		pkt = *packet_of(g, t);
		ret = check_changeable(g);
		if (!ret)
			ret = kernel_packet(g, t, p, &l, &pkt);
		if (!ret) {
			t->next = pkt;
			t->has_next = true;
		}
		unlock(g);
	}
	anpu_launch_end(&l);
	return ret;
}

static aclError set_value(struct anpu_graph *g, struct graph_task *t, const aclmdlRITaskParams *p)
{
	static const uint32_t cond[] = {
		[ACL_STREAM_WAIT_VALUE_GEQ] = ANPU_SEM_GE,
		[ACL_STREAM_WAIT_VALUE_EQ] = ANPU_SEM_EQ,
		[ACL_STREAM_WAIT_VALUE_AND] = ANPU_SEM_ANY,
		[ACL_STREAM_WAIT_VALUE_NOR] = ANPU_SEM_NOR,
	};
	bool wait = p->type == ACL_MODEL_RI_TASK_VALUE_WAIT;
	void *addr = wait ? p->valueWaitTaskParams.devAddr : p->valueWriteTaskParams.devAddr;
	union anpu_packet pkt = *packet_of(g, t);

	if (!addr || (uintptr_t)addr % 8)
		return acl_fail(ACL_ERROR_RT_ADDR_UNALIGNED,
				"devAddr is %p and must be a multiple of 8", addr);
	if (wait) {
		if (p->valueWaitTaskParams.flag >= ARRAY_SIZE(cond))
			return acl_fail(ACL_ERROR_INVALID_PARAM, "flag is %#x and must be 0 to %zu",
					p->valueWaitTaskParams.flag, ARRAY_SIZE(cond) - 1);
		pkt.sem_wait.addr = (uintptr_t)addr;
		pkt.sem_wait.value = p->valueWaitTaskParams.value;
		pkt.sem_wait.cond = cond[p->valueWaitTaskParams.flag];
	} else {
		pkt.sem_signal.addr = (uintptr_t)addr;
		pkt.sem_signal.value = p->valueWriteTaskParams.value;
	}
	t->next = pkt;
	t->has_next = true;
	return ACL_SUCCESS;
}

aclError aclmdlRITaskSetParams(aclmdlRITask task, aclmdlRITaskParams *params)
{
	struct anpu_graph *g;
	struct graph_task *t;
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(params);
	ret = lock_task(task, &g, &t);
	if (ret)
		return ret;
	ret = check_changeable(g);
	if (!ret && params->type != t->type)
		ret = acl_fail(ACL_ERROR_RT_PARAM_INVALID,
			       "params->type is %d and the task's type is %d, which stays",
			       (int)params->type, (int)t->type);
	if (!ret && (t->type == ACL_MODEL_RI_TASK_VALUE_WRITE ||
		     t->type == ACL_MODEL_RI_TASK_VALUE_WAIT))
		ret = set_value(g, t, params);
	else if (!ret && t->type != ACL_MODEL_RI_TASK_KERNEL)
		ret = acl_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
			       "tasks of type %d cannot be changed: kernels, value writes and value "
			       "waits can",
			       (int)t->type);
	unlock(g);
	if (ret || params->type != ACL_MODEL_RI_TASK_KERNEL)
		return ret;
	return set_kernel(task, &params->kernelTaskParams);
}

aclError aclmdlRITaskDisable(aclmdlRITask task)
{
	struct anpu_graph *g;
	struct graph_task *t;
	aclError ret;

	ACL_ENTER();
	ret = lock_task(task, &g, &t);
	if (ret)
		return ret;
	ret = check_changeable(g);
	if (!ret && (t->control != GRAPH_PLAIN && t->control != GRAPH_COND))
		ret = acl_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
			       "labels, switches and ends of streams cannot be disabled");
	if (!ret)
		t->disable = true;
	unlock(g);
	return ret;
}

static void apply(struct anpu_graph *g, struct graph_task *t)
{
	struct graph_args used = t->args;

	t->disabled = t->disabled || t->disable;
	if (!t->has_next)
		return;
	g->packets[t->first] = t->next;
	if (t->next.hdr.opcode == ANPU_OP_KERNEL && t->spare.room &&
	    t->next.kernel.args == t->spare.va) {
		t->args = t->spare;
		t->spare = used;
	}
	t->has_next = false;
}

static void apply_all(struct anpu_graph *g)
{
	uint32_t i, b;

	for (i = 0; i < g->task_count; i++) {
		apply(g, &g->tasks[i]);
		if (g->tasks[i].control == GRAPH_COND)
			for (b = 0; b < g->tasks[i].jump->n; b++)
				apply_all(g->tasks[i].jump->bodies[b]);
	}
}

aclError aclmdlRIUpdate(aclmdlRI modelRI)
{
	struct anpu_graph *g;
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(modelRI);
	g = graph_find(modelRI);
	if (!g)
		return ACL_ERROR_RT_INVALID_HANDLE;
	pthread_mutex_lock(&g->lock);
	ret = check_changeable(g);
	if (!ret && g->body)
		ret = acl_fail(ACL_ERROR_RT_MODEL_UPDATE_FAILED,
			       "the graph is the body of a conditional task: update the graph that "
			       "has this");
	if (!ret && graph_running(g))
		ret = acl_fail(ACL_ERROR_RT_MODEL_UPDATE_FAILED,
			       "the graph is being executed: synchronise before");
	if (!ret) {
		apply_all(g);
		ret = graph_compile(g);
	}
	unlock(g);
	return ret;
}

/* Groups ---------------------------------------------------------------------------------------- */

aclError graph_group_check(struct anpu_graph *g, uint32_t lane, const union anpu_packet *pkt)
{
	struct graph_group *grp = g->lanes[lane].group;
	uint32_t i, *tasks;

	for (i = 0; i < g->lane_count && !grp; i++)
		if (g->lanes[i].group)
			return graph_void(g, acl_fail(ACL_ERROR_STREAM_TASK_GROUP_INTR,
						      "a group of tasks is being recorded in another "
						      "stream: only that takes tasks until "
						      "aclmdlRICaptureTaskGrpEnd()"));
	if (!grp)
		return ACL_SUCCESS;
	if (!pkt || pkt->hdr.opcode != ANPU_OP_KERNEL)
		return graph_void(g, acl_fail(ACL_ERROR_RT_TASK_TYPE_NOT_SUPPORT,
					      "a group of tasks can have kernels only"));
	if (grp->count == grp->room) {
		tasks = realloc(grp->tasks, (2 * grp->room + 16) * sizeof(*tasks));
		if (!tasks)
			return graph_void(g, acl_fail(ACL_ERROR_BAD_ALLOC, "no memory for a group"));
		grp->tasks = tasks;
		grp->room = 2 * grp->room + 16;
	}
	grp->tasks[grp->count++] = g->task_count;
	return ACL_SUCCESS;
}

/* The graph that a stream records into, with the stream's reference; both locked */
static aclError lock_recorded(aclrtStream stream, struct anpu_stream **s)
{
	aclError ret = anpu_stream_find(stream, s);

	if (ret)
		return ret;
	pthread_mutex_lock(&(*s)->lock);
	if (!(*s)->graph || (*s)->graph->built) {
		pthread_mutex_unlock(&(*s)->lock);
		ret = acl_fail(ACL_ERROR_RT_STREAM_NOT_CAPTURED, "stream %d is not being recorded",
			       (*s)->number);
		anpu_stream_put(*s);
		return ret;
	}
	pthread_mutex_lock(&(*s)->graph->lock);
	return ACL_SUCCESS;
}

static void unlock_recorded(struct anpu_stream *s)
{
	pthread_mutex_unlock(&s->graph->lock);
	pthread_mutex_unlock(&s->lock);
	anpu_stream_put(s);
}

aclError aclmdlRICaptureTaskGrpBegin(aclrtStream stream)
{
	struct graph_group *grp;
	struct anpu_stream *s;
	aclError ret;
	uint32_t i;

	ACL_ENTER();
	ret = lock_recorded(stream, &s);
	if (ret)
		return ret;
	for (i = 0; i < s->graph->lane_count && !ret; i++)
		if (s->graph->lanes[i].group)
			ret = acl_fail(ACL_ERROR_STREAM_TASK_GROUP_STATUS,
				       "a group of tasks is being recorded already: end it with "
				       "aclmdlRICaptureTaskGrpEnd()");
	grp = ret ? NULL : calloc(1, sizeof(*grp));
	if (grp) {
		acl_obj_init(&grp->obj, ACL_TYPE_TASK_GROUP, s->obj.dev, group_release);
		grp->graph = s->graph;
		grp->next = s->graph->groups;
		s->graph->groups = grp; /* with the first reference */
		s->graph->lanes[s->lane].group = grp;
	} else if (!ret) {
		ret = acl_fail(ACL_ERROR_BAD_ALLOC, "no memory for a group of tasks");
	}
	unlock_recorded(s);
	return ret;
}

aclError aclmdlRICaptureTaskGrpEnd(aclrtStream stream, aclrtTaskGrp *handle)
{
	struct graph_group *grp;
	struct anpu_stream *s;
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(handle);
	ret = lock_recorded(stream, &s);
	if (ret)
		return ret;
	grp = s->graph->lanes[s->lane].group;
	if (!grp) {
		ret = acl_fail(ACL_ERROR_STREAM_TASK_GROUP_STATUS,
			       "no group of tasks was begun in stream %d", s->number);
	} else {
		s->graph->lanes[s->lane].group = NULL;
		acl_obj_get(&grp->obj);
		if (!acl_obj_give(&grp->obj, handle)) {
			acl_obj_put(&grp->obj);
			ret = acl_fail(ACL_ERROR_RT_RESOURCE_ALLOC_FAIL,
				       "no handle is left for a group of tasks");
		}
	}
	unlock_recorded(s);
	return ret;
}

/* Updates: packets that write packets ----------------------------------------------------------- */

/* The group's graph with a reference, if it is ready for updates */
static aclError group_graph(struct graph_group *grp, struct anpu_graph **g)
{
	bool alive;

	pthread_mutex_lock(&views_lock);
	*g = grp->graph;
	alive = try_get(*g);
	pthread_mutex_unlock(&views_lock);
	if (!alive)
		return acl_fail(ACL_ERROR_RT_INVALID_HANDLE, "the group's graph was destroyed");
	if ((*g)->list_va)
		return ACL_SUCCESS;
	graph_put(*g);
	return acl_fail(ACL_ERROR_RT_MODEL_CAPTURED,
			"the group's graph is still being recorded, or its conditional task has gone");
}

aclError aclmdlRICaptureTaskUpdateBegin(aclrtStream stream, aclrtTaskGrp handle)
{
	struct graph_update *u;
	struct graph_group *grp;
	struct anpu_graph *g;
	struct anpu_stream *s;
	struct acl_obj *obj;
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(handle);
	ret = anpu_stream_find(stream, &s);
	if (ret)
		return ret;
	obj = acl_obj_find(handle, ACL_TYPE_TASK_GROUP);
	if (!obj) {
		anpu_stream_put(s);
		return acl_bad_handle(handle, ACL_TYPE_TASK_GROUP, "handle");
	}
	grp = container_of(obj, struct graph_group, obj);
	ret = group_graph(grp, &g);
	if (!ret)
		graph_put(g);
	u = ret ? NULL : calloc(1, sizeof(*u));
	pthread_mutex_lock(&s->lock);
	if (!ret && !u)
		ret = acl_fail(ACL_ERROR_BAD_ALLOC, "no memory for an update");
	else if (!ret && (s->graph || s->flags & ACL_STREAM_PERSISTENT))
		ret = acl_fail(ACL_ERROR_RT_STREAM_CAPTURED,
			       "stream %d is being recorded: updates are tasks that run", s->number);
	else if (!ret && s->update)
		ret = acl_fail(ACL_ERROR_STREAM_TASK_GROUP_STATUS,
			       "stream %d updates another group: call "
			       "aclmdlRICaptureTaskUpdateEnd() before",
			       s->number);
	else if (!ret && s->obj.dev != obj->dev)
		ret = acl_fail(ACL_ERROR_RT_STREAM_CONTEXT,
			       "the group belongs to device %d and the stream to device %d",
			       obj->dev->id, s->obj.dev->id);
	else if (!ret && __atomic_exchange_n(&grp->updating, true, __ATOMIC_ACQ_REL))
		ret = acl_fail(ACL_ERROR_STREAM_TASK_GROUP_STATUS,
			       "another stream updates this group");
	if (!ret) {
		acl_obj_get(obj);
		u->group = grp;
		s->update = u;
		u = NULL;
	}
	pthread_mutex_unlock(&s->lock);
	free(u);
	acl_obj_put(obj);
	anpu_stream_put(s);
	return ret;
}

void anpu_graph_update_end(struct anpu_stream *s)
{
	struct graph_update *u = s->update;

	s->update = NULL;
	if (!u)
		return;
	__atomic_store_n(&u->group->updating, false, __ATOMIC_RELEASE);
	acl_obj_put(&u->group->obj);
	free(u);
}

aclError aclmdlRICaptureTaskUpdateEnd(aclrtStream stream)
{
	struct anpu_stream *s;
	aclError ret;

	ACL_ENTER();
	ret = anpu_stream_find(stream, &s);
	if (ret)
		return ret;
	pthread_mutex_lock(&s->lock);
	if (!s->update)
		ret = acl_fail(ACL_ERROR_STREAM_TASK_GROUP_STATUS,
			       "stream %d updates no group of tasks", s->number);
	else if (s->update->next != s->update->group->count)
		ret = acl_fail(ACL_ERROR_STREAM_TASK_GROUP_STATUS,
			       "the group has %u tasks and %u were given: the others are as before",
			       s->update->group->count, s->update->next);
	anpu_graph_update_end(s);
	pthread_mutex_unlock(&s->lock);
	anpu_stream_put(s);
	return ret;
}

/* The task that is updated next, its graph locked and referenced */
static aclError next_task(struct anpu_stream *s, struct anpu_graph **g, struct graph_task **t)
{
	struct graph_update *u = s->update;
	aclError ret = group_graph(u->group, g);

	if (ret)
		return ret;
	if (u->next == u->group->count) {
		graph_put(*g);
		return acl_fail(ACL_ERROR_STREAM_TASK_GROUP_STATUS,
				"the group has %u tasks, and stream %d gives more", u->group->count,
				s->number);
	}
	pthread_mutex_lock(&(*g)->lock);
	*t = &(*g)->tasks[u->group->tasks[u->next]];
	if ((*g)->list_va)
		return ACL_SUCCESS;
	unlock(*g);
	return acl_fail(ACL_ERROR_RT_INVALID_HANDLE, "the group's graph was destroyed");
}

/* Arguments are written into the stream's ring, and go from there to the task's own place */
aclError graph_update_args(struct anpu_stream *s, uint64_t size, void **cpu, uint64_t *va)
{
	struct graph_update *u = s->update;
	struct anpu_graph *g;
	struct graph_task *t;
	uint64_t ring_va;
	aclError ret = next_task(s, &g, &t);

	if (ret)
		return ret;
	if (t->args.room < size)
		ret = graph_args_take(g, size, &t->args);
	u->args = t->args;
	unlock(g);
	if (!ret)
		ret = anpu_stream_ring_args(s, align_up(size, 64) + ANPU_PACKET_SIZE, cpu, &ring_va);
	if (ret)
		return ret;
	u->staging = *cpu;
	u->staging_va = ring_va;
	u->size = size;
	*va = u->args.va;
	return ACL_SUCCESS;
}

static aclError copy(struct anpu_stream *s, uint64_t dst, uint64_t src, uint64_t size)
{
	union anpu_packet pkt = { .copy = { .hdr.opcode = ANPU_OP_COPY,
					    .src = src,
					    .dst = dst,
					    .size = size } };

	return anpu_stream_submit_now(s, &pkt);
}

aclError graph_update_record(struct anpu_stream *s, const union anpu_packet *pkt)
{
	struct graph_update *u = s->update;
	uint64_t at, where = u->staging_va, args = align_up(u->size, 64);
	char *image = u->staging;
	struct anpu_graph *g;
	struct graph_task *t;
	void *cpu;
	aclError ret;

	if (pkt->hdr.opcode != ANPU_OP_KERNEL)
		return acl_fail(ACL_ERROR_RT_TASK_TYPE_NOT_SUPPORT,
				"stream %d updates a group of kernels: other tasks have to wait for "
				"aclmdlRICaptureTaskUpdateEnd()",
				s->number);
	if (!image) {
		ret = anpu_stream_ring_args(s, ANPU_PACKET_SIZE, &cpu, &where);
		if (ret)
			return ret;
		image = cpu;
		args = 0;
	}
	ret = next_task(s, &g, &t);
	if (ret)
		return ret;
	memcpy(image + args, pkt, sizeof(*pkt));
	g->packets[t->first] = *pkt;
	at = g->list_va + t->at * sizeof(*pkt);
	if (t->disabled)
		at = 0;
	unlock(g);
	if (u->size)
		ret = copy(s, u->args.va, where, u->size);
	if (!ret && at)
		ret = copy(s, at, where + args, sizeof(*pkt));
	u->staging = NULL;
	u->size = 0;
	u->next++;
	return ret;
}
