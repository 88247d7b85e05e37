// SPDX-License-Identifier: MIT
/*
 * Changing the tasks of a graph that does not run.
 */
#include <string.h>

#include "graph/inside.h"

static aclError check_changeable(const struct anpu_graph *g)
{
	if (__atomic_load_n(&g->state, __ATOMIC_ACQUIRE) == GRAPH_READY)
		return ACL_SUCCESS;
	return acl_fail(ACL_ERROR_RT_MODEL_CAPTURED, "the graph is still being recorded or built");
}

/* Writes into the block that becomes the task's at aclmdlRIUpdate(); graph locked */
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
	uint8_t max_cores = pkt->kernel.max_cores;
	aclError ret;

	if (l->stream->obj.dev != g->obj.dev)
		return acl_fail(ACL_ERROR_RT_STREAM_CONTEXT,
				"the graph belongs to device %d and this thread uses device %d",
				g->obj.dev->id, l->stream->obj.dev->id);
	if (p->argsSize < l->func->args_size)
		return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
				"argsSize is %zu and kernel '%s' has parameters that take %u bytes",
				p->argsSize, l->func->name, l->func->args_size);
	if (p->argsSize > ANPU_ARGS_MAX || (p->argsSize && !p->args))
		return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
				"argsSize is %zu, of at most %u, and args is %p", p->argsSize,
				ANPU_ARGS_MAX, p->args);
	if (p->isHostArgs > 1 || (!p->isHostArgs && (uintptr_t)p->args % 8))
		return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
				"isHostArgs is %u and must be 0 or 1, args is %p and must be a "
				"multiple of 8 in device memory",
				p->isHostArgs, p->args);
	pkt->kernel = l->pkt;
	pkt->hdr.task_id = task_id;
	pkt->kernel.priority = priority;
	pkt->kernel.max_cores = max_cores;
	pkt->kernel.args = p->argsSize ? (uintptr_t)p->args : 0;
	pkt->kernel.args_size = p->argsSize;
	ret = anpu_launch_check_limit(&pkt->kernel, l->func->name);
	if (!ret && p->isHostArgs && p->argsSize)
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
	ret = anpu_launch_prepare(&l, p->funcHandle, p->numBlocks, p->cfg, NULL);
	if (ret)
		return ret;
	ret = anpu_launch_check_plain(&l);
	if (!ret)
		ret = graph_lock_task(task, &g, &t);
	if (!ret) {
		pkt = *graph_packet_of(g, t);
		ret = check_changeable(g);
		if (!ret)
			ret = kernel_packet(g, t, p, &l, &pkt);
		if (!ret) {
			t->next = pkt;
			t->has_next = true;
		}
		graph_unlock(g);
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
	union anpu_packet pkt = *graph_packet_of(g, t);

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
	ret = graph_lock_task(task, &g, &t);
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
		ret = acl_fail(
			ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
			"tasks of type %d cannot be changed: kernels, value writes and value "
			"waits can",
			(int)t->type);
	graph_unlock(g);
	if (ret || params->type != ACL_MODEL_RI_TASK_KERNEL)
		return ret;
	return set_kernel(task, &params->kernelTaskParams);
}

aclError aclmdlRITaskDisable(aclmdlRITask task)
{
	struct anpu_graph *g;
	struct graph_task *t;
	aclError ret;

	ACL_ENTER_SHORT();
	ret = graph_lock_task(task, &g, &t);
	if (ret)
		return ret;
	ret = check_changeable(g);
	if (!ret && (t->control != GRAPH_PLAIN && t->control != GRAPH_COND))
		ret = acl_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
			       "labels, switches and ends of streams cannot be disabled");
	if (!ret)
		t->disable = true;
	graph_unlock(g);
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
	g = graph_find_locked(modelRI);
	if (!g)
		return ACL_ERROR_RT_INVALID_HANDLE;
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
	graph_unlock(g);
	return ret;
}
