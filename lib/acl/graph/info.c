// SPDX-License-Identifier: MIT
/*
 * Notes of a program, or of a library above, about a task that it has recorded: information about the
 * task's operator, and a text. The task has a copy, which the graph's JSON text shows.
 */
#include <stdlib.h>
#include <string.h>

#include "graph/inside.h"

static _Atomic uint64_t next_number = 1;

/* The last task that this thread has recorded */
static __thread uint64_t last_graph, last_number;

void graph_info_new(struct anpu_graph *g, struct graph_task *t)
{
	t->number = atomic_fetch_add_explicit(&next_number, 1, memory_order_relaxed);
	last_graph = g->obj.handle;
	last_number = t->number;
}

void graph_info_free(struct graph_task *t)
{
	free(t->op_info.data);
	free(t->text.data);
	free(t->pointers);
	t->pointers = NULL;
	t->op_info = t->text = (struct graph_info){ 0 };
}

/* Bytes as a JSON string, each of them as the character of that number */
static void print_bytes(FILE *f, const char *name, const struct graph_info *info)
{
	const unsigned char *p = info->data;
	size_t i;

	if (!info->data)
		return;
	fprintf(f, ",\"%s\":\"", name);
	for (i = 0; i < info->size; i++) {
		if (p[i] < ' ' || p[i] > '~' || p[i] == '"' || p[i] == '\\')
			fprintf(f, "\\u%04x", p[i]);
		else
			fputc(p[i], f);
	}
	fputc('"', f);
}

void graph_info_print(FILE *f, const struct graph_task *t)
{
	print_bytes(f, "opInfo", &t->op_info);
	print_bytes(f, "extendInfo", &t->text);
}

/* The thread's last task, if its graph and it are there still; graph locked */
static struct graph_task *find_last(struct anpu_graph *g)
{
	uint32_t i;

	for (i = g->task_count; i > 0; i--)
		if (g->tasks[i - 1].number == last_number)
			return &g->tasks[i - 1];
	return NULL;
}

static aclError attach(const void *data, size_t size, bool text)
{
	struct graph_info info = { malloc(size), size }, *old;
	struct acl_obj *obj = last_graph ? acl_obj_find((void *)(uintptr_t)last_graph, ACL_TYPE_GRAPH)
					 : NULL;
	struct anpu_graph *g = obj ? container_of(obj, struct anpu_graph, obj) : NULL;
	struct graph_task *t = NULL;

	if (!info.data) {
		if (g)
			graph_put(g);
		return acl_fail(ACL_ERROR_BAD_ALLOC, "no memory for %zu bytes of information", size);
	}
	memcpy(info.data, data, size);
	if (g) {
		pthread_mutex_lock(&g->lock);
		t = find_last(g);
		if (t) {
			old = text ? &t->text : &t->op_info;
			free(old->data);
			*old = info;
		}
		graph_unlock(g);
	}
	if (t)
		return ACL_SUCCESS;
	free(info.data);
	return acl_fail(ACL_ERROR_RT_STREAM_NOT_CAPTURED,
			"this thread has recorded no task, or its graph is gone: launch it into a "
			"stream that is being recorded before");
}

aclError aclrtCacheLastTaskOpInfo(const void *const infoPtr, const size_t infoSize)
{
	ACL_ENTER_SHORT();
	ACL_CHECK_PTR(infoPtr);
	if (!infoSize)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "infoSize is 0");
	return attach(infoPtr, infoSize, false);
}

aclError aclrtCacheLastTaskExtendInfo(const char *const extendInfoPtr, const size_t infoSize)
{
	size_t length;

	ACL_ENTER_SHORT();
	ACL_CHECK_PTR(extendInfoPtr);
	if (!infoSize)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "infoSize is 0");
	/* a text may be shorter than its size */
	length = strnlen(extendInfoPtr, infoSize);
	return attach(extendInfoPtr, length ? length : 1, true);
}

aclError anpu_front_node_last(aclmdlRITask *out)
{
	struct anpu_graph *g;
	struct graph_task *t;
	aclError ret;

	ACL_ENTER();
	g = graph_find_locked((aclmdlRI)(uintptr_t)last_graph);
	if (!g)
		return ACL_ERROR_RT_INVALID_HANDLE;
	t = find_last(g);
	ret = t ? graph_task_handle(g, (uint32_t)(t - g->tasks), out)
		: acl_fail(ACL_ERROR_RT_STREAM_NOT_CAPTURED, "this thread has recorded no task");
	graph_unlock(g);
	return ret;
}
