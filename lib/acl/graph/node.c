// SPDX-License-Identifier: MIT
/*
 * The private door (graph/front.h): kernels of a graph that the driver API's front asks for and changes one by one, and
 * those that running kernels change.
 */
#include <stdlib.h>
#include <string.h>

#include <anpu/anpu_isa.h>
#include <anpu/graph_node.h>

#include "graph/inside.h"

_Static_assert(sizeof(struct anpu_pkt_kernel) == 4 * ANPU_NODE_WORDS, "the image is a packet");
_Static_assert(offsetof(struct anpu_pkt_kernel, grid_x) == 4 * ANPU_NODE_GRID, "the grid's place");
_Static_assert(offsetof(struct anpu_pkt_kernel, cluster_x) == 4 * ANPU_NODE_CLUSTER, "the cluster's place");
_Static_assert(ANPU_NODE_NOP == ANPU_OP_NOP, "a packet that does nothing");

/* Changes by kernels ------------------------------------------------------------------------------ */

static struct anpu_meta_param param_at(const struct anpu_func *func, uint32_t i)
{
	struct anpu_meta_param p;

	memcpy(&p, func->params + i * sizeof(p), sizeof(p));
	return p;
}

static uint32_t head_of(const union anpu_packet *pkt)
{
	return pkt->hdr.flags & ANPU_KERNEL_LAUNCH ? ANPU_LAUNCH_SIZE : 0;
}

static uint32_t most_blocks(const struct anpu_graph *g, const struct anpu_pkt_kernel *pkt)
{
	uint32_t cores = g->obj.dev->info.cores;

	if (pkt->sched_mode != ANPU_SCHED_BATCH)
		return pkt->core_type == ANPU_CORE_MIX || pkt->cluster_x || pkt->cluster_y || pkt->cluster_z ?
			       ANPU_MAX_RELATED_BLOCKS : g->obj.dev->info.max_blocks;
	return pkt->max_cores && pkt->max_cores < cores ? pkt->max_cores : cores;
}

void graph_nodes_place(struct anpu_graph *g)
{
	struct anpu_graph_node *n;
	struct graph_task *t;
	uint32_t i;

	for (i = 0; i < g->task_count; i++) {
		t = &g->tasks[i];
		n = t->node_cpu;
		if (!n)
			continue;
		memcpy(n->image, &g->packets[t->first], sizeof(n->image));
		n->args = g->packets[t->first].kernel.args + head_of(&g->packets[t->first]);
		n->most_blocks = most_blocks(g, &g->packets[t->first].kernel);
		n->enabled = !t->disabled;
		n->packet = g->region->va + (uint64_t)t->at * ANPU_PACKET_SIZE;
	}
}

void graph_nodes_read(struct anpu_graph *g)
{
	const struct anpu_graph_node *n;
	struct graph_task *t;
	uint32_t i;

	for (i = 0; i < g->task_count; i++) {
		t = &g->tasks[i];
		n = t->node_cpu;
		if (!n || !n->packet)
			continue;
		memcpy(&g->packets[t->first], n->image, sizeof(n->image));
		t->disabled = !n->enabled;
	}
}

/* Kernels write parameters by their places in a C struct, which is how programs count them */
static void list_params(struct anpu_graph_node *n, const struct anpu_func *func)
{
	uint32_t i, used = 0;

	for (i = 0; i < func->param_count; i++) {
		struct anpu_meta_param p = param_at(func, i);

		used = align_up(used, p.align ? p.align : 8);
		n->param[i] = (struct anpu_node_param){ used, p.offset, p.size };
		used += p.size;
	}
	n->params = func->param_count;
}

static aclError make_updatable(struct anpu_graph *g, struct graph_task *t)
{
	struct anpu_func *func = graph_func_at(g->obj.dev, g->packets[t->first].kernel.entry);
	struct graph_args room = { 0 };
	aclError ret;

	if (!func || !func->params)
		ret = acl_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
			       "the binary of the kernel was unloaded, or does not tell its parameters");
	else
		ret = graph_node_take(g, sizeof(struct anpu_graph_node) +
						 func->param_count * sizeof(struct anpu_node_param), &room);
	if (!ret) {
		t->node_cpu = room.cpu;
		t->node = room.va;
		*t->node_cpu = (struct anpu_graph_node){ .magic = ANPU_NODE_MAGIC };
		list_params(t->node_cpu, func);
	}
	if (func)
		acl_obj_put(&func->obj);
	return ret;
}

/* Nodes -------------------------------------------------------------------------------------------- */

static bool own_args(const struct anpu_graph *g, const struct graph_task *t)
{
	const union anpu_packet *pkt = &g->packets[t->first];

	return !pkt->kernel.args || (t->args.room && pkt->kernel.args == t->args.va);
}

/* A kernel whose arguments the graph has, its graph locked and referenced */
static aclError lock_kernel(aclmdlRITask task, struct anpu_graph **g, struct graph_task **t)
{
	aclError ret = graph_lock_task(task, g, t);

	if (ret)
		return ret;
	if ((*t)->type != ACL_MODEL_RI_TASK_KERNEL)
		ret = acl_fail(ACL_ERROR_RT_PARAM_INVALID, "task %u of the graph is no kernel",
			       (uint32_t)(*t - (*g)->tasks));
	else if (!own_args(*g, *t))
		ret = acl_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
			       "the kernel was launched with arguments in device memory, which are the program's");
	if (ret)
		graph_unlock(*g);
	return ret;
}

/* Pointers to the task's values, in memory of the task */
static aclError point(struct graph_task *t, const struct anpu_func *func, uint32_t head)
{
	uint32_t i;

	free(t->pointers);
	t->pointers = calloc(func->param_count + 1, sizeof(*t->pointers));
	if (!t->pointers)
		return acl_fail(ACL_ERROR_BAD_ALLOC, "no memory for the parameters of a kernel");
	for (i = 0; i < func->param_count; i++)
		t->pointers[i] = (char *)t->args.cpu + head + param_at(func, i).offset;
	return ACL_SUCCESS;
}

static void describe(const struct anpu_graph *g, struct graph_task *t, const struct anpu_func *func,
		     struct anpu_front_launch *l)
{
	const struct anpu_pkt_kernel *pkt = &g->packets[t->first].kernel;
	struct anpu_kernel_launch head = { .block_x = 1, .block_y = 1, .block_z = 1 };

	if (pkt->hdr.flags & ANPU_KERNEL_LAUNCH)
		memcpy(&head, t->args.cpu, sizeof(head));
	*l = (struct anpu_front_launch){
		.func = acl_obj_handle(&func->obj),
		.grid = { pkt->grid_x, pkt->grid_y, pkt->grid_z },
		.block = { head.block_x, head.block_y, head.block_z },
		.cluster = { pkt->cluster_x, pkt->cluster_y, pkt->cluster_z },
		.shared = pkt->dyn_scratch,
		.cooperative = pkt->sched_mode == ANPU_SCHED_BATCH && func->sched_mode != ANPU_SCHED_BATCH,
		.overlap = head.flags & ANPU_LAUNCH_OVERLAP,
		.trigger_at_start = head.flags & ANPU_LAUNCH_TRIGGER_AT_START,
		.has_priority = true,
		.priority = pkt->priority,
		.params = t->pointers,
	};
}

aclError anpu_front_node_get(aclmdlRITask task, struct anpu_front_launch *l)
{
	struct anpu_func *func;
	struct anpu_graph *g;
	struct graph_task *t;
	aclError ret;

	ACL_ENTER_SHORT();
	ret = lock_kernel(task, &g, &t);
	if (ret)
		return ret;
	graph_nodes_read(g);
	func = graph_func_at(g->obj.dev, g->packets[t->first].kernel.entry);
	if (!func)
		ret = acl_fail(ACL_ERROR_RT_INVALID_HANDLE, "the kernel's binary was unloaded");
	else
		ret = point(t, func, head_of(&g->packets[t->first]));
	if (!ret)
		describe(g, t, func, l);
	if (func)
		acl_obj_put(&func->obj);
	graph_unlock(g);
	return ret;
}

aclError graph_own_attribute(aclmdlRITask task, aclrtLaunchKernelAttrId id, aclrtLaunchKernelAttrValue *value)
{
	struct anpu_front_launch l = { 0 };
	uint64_t node = 0;
	aclError ret = anpu_front_node_get(task, &l);

	memset(value, 0, sizeof(*value));
	if (ret)
		return ret;
	switch ((int)id) {
	case ACL_RT_LAUNCH_KERNEL_ATTR_ANPU_COOPERATIVE:
		value->rsv[0] = l.cooperative;
		return ACL_SUCCESS;
	case ACL_RT_LAUNCH_KERNEL_ATTR_ANPU_CLUSTER:
		memcpy(value->rsv, l.cluster, sizeof(l.cluster));
		return ACL_SUCCESS;
	case ACL_RT_LAUNCH_KERNEL_ATTR_ANPU_OVERLAP:
		value->rsv[0] = l.overlap;
		return ACL_SUCCESS;
	case ACL_RT_LAUNCH_KERNEL_ATTR_ANPU_PRIORITY:
		value->rsv[0] = l.priority;
		return ACL_SUCCESS;
	case ACL_RT_LAUNCH_KERNEL_ATTR_ANPU_UPDATABLE:
		ret = anpu_front_node_updatable(task, false, &node);
		value->rsv[0] = node != 0;
		value->rsv[2] = (uint32_t)node;
		value->rsv[3] = (uint32_t)(node >> 32);
		return ret;
	default:
		return acl_fail(ACL_ERROR_INVALID_PARAM,
				"attrId is %#x, which no task has: events of a recorded launch are tasks behind it", (unsigned int)id);
	}
}

/* The checking mode: which memory the task uses */
static void note(const struct anpu_launch *l, const struct anpu_front_launch *f, const void *block, uint64_t va)
{
	union anpu_packet pkt = { .kernel = l->pkt };
	uint32_t head = head_of(&pkt);
	struct anpu_kernel_args known = { .data = (const char *)block + head, .size = l->pkt.args_size,
					  .holders = f->holders, .holder_count = f->slots ? f->holder_count : 0 };

	anpu_launch_recorded(l, &known, va);
}

/* Writes a launch into the task's packet and arguments; graph locked */
static aclError write(struct anpu_graph *g, struct graph_task *t, struct anpu_launch *l,
		      const struct anpu_front_launch *f)
{
	uint32_t task_id = g->packets[t->first].hdr.task_id, bytes = anpu_launch_bytes(l, f);
	struct graph_args room = t->args;
	void *block = NULL;
	aclError ret = ACL_SUCCESS;

	/* the checking mode has a question to the device behind them */
	if (room.room < bytes)
		ret = graph_args_take(g, align_up(bytes, 8) + (anpu_checking() ? sizeof(struct anpu_check_ask) : 0), &room);
	/* values may come from the block that they go to */
	if (!ret && bytes)
		block = calloc(1, bytes);
	if (!ret && bytes && !block)
		ret = acl_fail(ACL_ERROR_BAD_ALLOC, "no memory for arguments");
	if (ret)
		return ret;
	anpu_launch_write(l, f, block, bytes ? room.va : 0);
	if (bytes)
		memcpy(room.cpu, block, bytes);
	if (bytes && anpu_checking())
		note(l, f, block, room.va);
	free(block);
	t->args = room;
	g->packets[t->first].kernel = l->pkt;
	g->packets[t->first].hdr.task_id = task_id;
	return ACL_SUCCESS;
}

aclError anpu_front_node_set(aclmdlRITask task, const struct anpu_front_launch *wanted, enum anpu_front_why *why)
{
	struct anpu_front_launch f = *wanted;
	struct anpu_launch l;
	struct anpu_graph *g;
	struct graph_task *t;
	aclError ret;

	ACL_ENTER();
	/* looks up a stream, whose lock comes before the graph's */
	ret = anpu_launch_configure(&l, &f, why);
	if (ret)
		return ret;
	ret = lock_kernel(task, &g, &t);
	if (!ret) {
		graph_nodes_read(g);
		if (l.stream->obj.dev != g->obj.dev)
			ret = acl_fail(ACL_ERROR_RT_STREAM_CONTEXT,
				       "the graph belongs to device %d and the function to device %d", g->obj.dev->id,
				       l.stream->obj.dev->id);
		else if (t->node && l.pkt.entry != g->packets[t->first].kernel.entry)
			ret = acl_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
				       "the node is device-updatable: its function stays, and only parameters and grid change");
		else
			ret = write(g, t, &l, &f);
		/* what kernels have changed is known to @g now, and the next reading must not bring it back */
		if (!ret && t->node_cpu)
			memcpy(t->node_cpu->image, &g->packets[t->first], sizeof(t->node_cpu->image));
		graph_unlock(g);
	}
	anpu_launch_end(&l);
	return ret;
}

aclError anpu_front_graph_add(aclmdlRI graph, const struct anpu_front_launch *wanted, enum anpu_front_why *why,
			      aclmdlRITask *out)
{
	struct anpu_front_launch f = *wanted;
	struct graph_task *t = NULL;
	struct anpu_launch l;
	struct anpu_graph *g;
	aclError ret;

	ACL_ENTER();
	ret = anpu_launch_configure(&l, &f, why);
	if (ret)
		return ret;
	g = graph_find(graph);
	if (!g) {
		anpu_launch_end(&l);
		return ACL_ERROR_RT_INVALID_HANDLE;
	}
	pthread_mutex_lock(&g->lock);
	if (g->obj.dev != l.stream->obj.dev)
		ret = acl_fail(ACL_ERROR_RT_STREAM_CONTEXT,
			       "the graph belongs to device %d and the function to device %d", g->obj.dev->id,
			       l.stream->obj.dev->id);
	if (!ret) {
		union anpu_packet pkt = { .kernel = l.pkt };

		t = graph_task_new(g, 0, ACL_MODEL_RI_TASK_KERNEL);
		ret = t ? graph_task_add(g, t, &pkt) : acl_last_failure();
	}
	if (!ret)
		ret = write(g, t, &l, &f);
	if (!ret)
		ret = graph_task_handle(g, (uint32_t)(t - g->tasks), out);
	if (ret && t)
		t->removed = true;
	graph_unlock(g);
	anpu_launch_end(&l);
	return ret;
}

aclError anpu_front_node_type(aclmdlRITask task, enum anpu_front_node_type *type)
{
	struct anpu_graph *g;
	struct graph_task *t;
	aclError ret;

	ACL_ENTER_SHORT();
	ret = graph_lock_task(task, &g, &t);
	if (ret)
		return ret;
	if (t->type == ACL_MODEL_RI_TASK_KERNEL)
		*type = ANPU_NODE_KERNEL;
	else if (t->call)
		*type = ANPU_NODE_HOST;
	else if (t->type == ACL_MODEL_RI_TASK_EVENT_RECORD)
		*type = ANPU_NODE_RECORD;
	else if (t->type == ACL_MODEL_RI_TASK_EVENT_WAIT)
		*type = ANPU_NODE_WAIT;
	else if (t->type == ACL_MODEL_RI_TASK_VALUE_WRITE || t->type == ACL_MODEL_RI_TASK_VALUE_WAIT)
		*type = ANPU_NODE_VALUE;
	else if (t->count && g->packets[t->first].hdr.opcode == ANPU_OP_FILL)
		*type = ANPU_NODE_FILL;
	else if (t->count && (g->packets[t->first].hdr.opcode == ANPU_OP_COPY ||
			      g->packets[t->first].hdr.opcode == ANPU_OP_COPY_2D))
		*type = ANPU_NODE_COPY;
	else
		*type = ANPU_NODE_OTHER;
	graph_unlock(g);
	return ACL_SUCCESS;
}

aclError anpu_front_node_graph(aclmdlRITask task, aclmdlRI *graph)
{
	struct anpu_graph *g;
	struct graph_task *t;
	aclError ret;

	ACL_ENTER_SHORT();
	ret = graph_lock_task(task, &g, &t);
	if (ret)
		return ret;
	*graph = acl_obj_handle(&g->obj);
	graph_unlock(g);
	return ACL_SUCCESS;
}

aclError anpu_front_node_remove(aclmdlRITask task)
{
	struct anpu_graph *g;
	struct graph_task *t;
	aclError ret;

	ACL_ENTER_SHORT();
	ret = graph_lock_task(task, &g, &t);
	if (ret)
		return ret;
	if (t->node) {
		ret = acl_fail(ACL_ERROR_RT_PARAM_INVALID,
			       "the node is device-updatable, and such nodes stay in their graph");
	} else {
		t->removed = true;
		graph_task_forget(g, t);
	}
	graph_unlock(g);
	return ret;
}

aclError anpu_front_node_enable(aclmdlRITask task, bool enable)
{
	struct anpu_graph *g;
	struct graph_task *t;
	aclError ret;

	ACL_ENTER_SHORT();
	ret = graph_lock_task(task, &g, &t);
	if (ret)
		return ret;
	graph_nodes_read(g);
	t->disabled = !enable;
	if (t->node_cpu)
		t->node_cpu->enabled = enable;
	graph_unlock(g);
	return ACL_SUCCESS;
}

aclError anpu_front_node_enabled(aclmdlRITask task, bool *enabled)
{
	struct anpu_graph *g;
	struct graph_task *t;
	aclError ret;

	ACL_ENTER_SHORT();
	ret = graph_lock_task(task, &g, &t);
	if (ret)
		return ret;
	graph_nodes_read(g);
	*enabled = !t->disabled;
	graph_unlock(g);
	return ACL_SUCCESS;
}

aclError anpu_front_node_updatable(aclmdlRITask task, bool make, uint64_t *node)
{
	struct anpu_graph *g;
	struct graph_task *t;
	aclError ret;

	ACL_ENTER();
	ret = lock_kernel(task, &g, &t);
	if (ret)
		return ret;
	if (make && !t->node)
		ret = make_updatable(g, t);
	*node = t->node;
	graph_unlock(g);
	return ret;
}
