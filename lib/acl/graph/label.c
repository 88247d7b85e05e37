// SPDX-License-Identifier: MIT
/*
 * Labels: places in the bound streams of a graph, and jumps to them by index.
 */
#include <stdlib.h>

#include "graph/inside.h"

#define MAX_LABELS 65535

static atomic_uint label_count;

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
	ACL_ENTER_SHORT();
	return destroy(label, ACL_TYPE_LABEL, "label");
}

aclError aclrtDestroyLabelList(aclrtLabelList labelList)
{
	ACL_ENTER_SHORT();
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
	ret = graph_lock_bound(stream, &s);
	if (!ret) {
		j = graph_jump_new();
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
			if (graph_add_control(s, GRAPH_LABEL, j))
				l->graph = s->graph;
			else
				ret = acl_last_failure();
		}
		graph_unlock_bound(s);
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
	ret = graph_lock_bound(stream, &s);
	if (!ret) {
		ret = graph_check_word(ptr, 4, "ptr", s);
		if (!ret && (!maxValue || maxValue > l->n))
			ret = acl_fail(
				ACL_ERROR_RT_PARAM_INVALID,
				"maxValue is %u and must be 1 to %u, the number of labels in the "
				"list",
				maxValue, l->n);
		j = ret ? NULL : graph_jump_new();
		if (j) {
			acl_obj_get(obj);
			j->labels = l;
			j->n = maxValue;
			j->left = (uintptr_t)ptr;
		}
		if (!ret && (!j || !graph_add_control(s, GRAPH_SWITCH_LABEL, j)))
			ret = acl_last_failure();
		graph_unlock_bound(s);
	}
	acl_obj_put(obj);
	return ret;
}
