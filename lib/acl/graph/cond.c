// SPDX-License-Identifier: MIT
/*
 * Conditional tasks: words that programs set, and the bodies that run depending on them.
 */
#include <stdlib.h>

#include "graph/inside.h"

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
		return acl_fail(ACL_ERROR_RT_OVER_LIMIT, "a graph can have %d conditions",
				VARS / 8);
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
		return acl_fail(
			ACL_ERROR_INVALID_PARAM,
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

	ACL_ENTER_SHORT();
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
				"params.size is %u and must be 1 to %u for this type", p->size,
				most);
	if (!p->modelRIArray)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "params.modelRIArray is NULL");
	return ACL_SUCCESS;
}

/* Makes the bodies: new graphs, which the program records next */
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
		return acl_fail(
			ACL_ERROR_STREAM_CAPTURE_CONFLICT,
			"the condition belongs to another graph than stream %d records into",
			s->number);
	if (g->depth >= GRAPH_MAX_DEPTH)
		return acl_fail(ACL_ERROR_RT_OVER_LIMIT,
				"conditional tasks can be %d deep inside each other",
				GRAPH_MAX_DEPTH);
	ret = graph_group_check(g, s->lane, NULL);
	if (ret)
		return ret;
	j = graph_jump_new();
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
	if (!graph_add_control(s, GRAPH_COND, j))
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
	if (!s->graph || s->graph->built)
		ret = acl_fail(ACL_ERROR_RT_STREAM_NOT_CAPTURED, "stream %d is not being recorded",
			       s->number);
	else
		ret = graph_check_jumps(s->obj.dev);
	if (!ret) {
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
