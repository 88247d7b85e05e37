// SPDX-License-Identifier: MIT
/*
 * Groups of a graph's tasks, which a stream changes in its own order.
 */
#include <stdlib.h>
#include <string.h>

#include "graph/inside.h"

struct graph_update {
	struct graph_group *group; /* referenced */
	uint32_t next;
	struct graph_args args; /* of the packet that comes next: where its arguments go */
	void *staging;
	uint64_t staging_va, size;
};

/* Groups -------------------------------------------------------------------------------------- */

static void group_release(struct acl_obj *obj)
{
	struct graph_group *grp = container_of(obj, struct graph_group, obj);

	free(grp->tasks);
	free(grp);
}

aclError graph_group_check(struct anpu_graph *g, uint32_t lane, const union anpu_packet *pkt)
{
	struct graph_group *grp = g->lanes[lane].group;
	uint32_t i, *tasks;

	for (i = 0; i < g->lane_count && !grp; i++)
		if (g->lanes[i].group)
			return graph_void(g,
					  acl_fail(ACL_ERROR_STREAM_TASK_GROUP_INTR,
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
			return graph_void(g,
					  acl_fail(ACL_ERROR_BAD_ALLOC, "no memory for a group"));
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

	ACL_ENTER_SHORT();
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
		s->graph->groups = grp; /* the list has the first reference */
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

	ACL_ENTER_SHORT();
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

/* Updates: packets that write packets --------------------------------------------------------- */

/* The group's graph with a reference, if it is ready for updates */
static aclError group_graph(struct graph_group *grp, struct anpu_graph **g)
{
	bool alive;

	pthread_mutex_lock(&graph_views_lock);
	*g = grp->graph;
	alive = graph_try_get(*g);
	pthread_mutex_unlock(&graph_views_lock);
	if (!alive)
		return acl_fail(ACL_ERROR_RT_INVALID_HANDLE, "the group's graph was destroyed");
	if ((*g)->list_va)
		return ACL_SUCCESS;
	graph_put(*g);
	return acl_fail(
		ACL_ERROR_RT_MODEL_CAPTURED,
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

	ACL_ENTER_SHORT();
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
	else if (!ret && (s->graph || anpu_stream_passive(s)))
		ret = acl_fail(ACL_ERROR_RT_STREAM_CAPTURED,
			       "stream %d is being recorded, or takes no tasks: updates are tasks that run",
			       s->number);
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

void graph_update_end(struct anpu_stream *s)
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

	ACL_ENTER_SHORT();
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
	graph_update_end(s);
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
	graph_unlock(*g);
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
	graph_unlock(g);
	if (!ret)
		ret = anpu_stream_ring_args(s, align_up(size, 64) + ANPU_PACKET_SIZE, cpu,
					    &ring_va);
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

aclError graph_update_refuse(const struct anpu_stream *s)
{
	return acl_fail(ACL_ERROR_RT_TASK_TYPE_NOT_SUPPORT,
			"stream %d updates a group of kernels: other tasks have to wait for "
			"aclmdlRICaptureTaskUpdateEnd()",
			s->number);
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
		return graph_update_refuse(s);
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
	graph_unlock(g);
	if (u->size)
		ret = copy(s, u->args.va, where, u->size);
	if (!ret && at)
		ret = copy(s, at, where + args, sizeof(*pkt));
	u->staging = NULL;
	u->size = 0;
	u->next++;
	return ret;
}
