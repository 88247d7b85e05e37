// SPDX-License-Identifier: MIT
/* Objects of the program that are counted. Uses of a graph count for what is instantiated from it, too. */
#include "cuda/graph/graph.h"

static CUresult find_object(CUuserObject handle, struct cu_object **out)
{
	*out = cu_find(CU_OBJECT, handle);
	return *out ? CUDA_SUCCESS
		    : cu_fail(CUDA_ERROR_INVALID_VALUE, "%p is no user object, or one that has ended", (void *)handle);
}

static CUresult check_count(unsigned int count)
{
	if (!count || count > INT32_MAX)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "count is %u and must be 1 to %d", count, INT32_MAX);
	return CUDA_SUCCESS;
}

/* The object of a call that counts its uses */
static CUresult find_counted(CUuserObject handle, unsigned int count, struct cu_object **out)
{
	CUresult ret = find_object(handle, out);

	return ret ? ret : check_count(count);
}

/* Under the lock: fewer uses, of which there are enough. The last one calls the program's function */
static void put(struct cu_object *o, unsigned int count)
{
	CUhostFn destroy = o->destroy;
	void *data = o->data;
	const char *name;

	o->refs -= count;
	if (o->refs)
		return;
	cu_drop(o);
	name = cu_pause();
	destroy(data);
	cu_resume(name);
}

static void put_one(void *data)
{
	put(data, 1);
}

static CUresult check_uses(const struct cu_object *o, unsigned int count)
{
	if (count > o->refs)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "count is %u and the object has %u uses", count, o->refs);
	return CUDA_SUCCESS;
}

CUresult cuUserObjectCreate(CUuserObject *object_out, void *ptr, CUhostFn destroy, unsigned int initialRefcount,
			    unsigned int flags)
{
	struct cu_object *o;
	CUresult ret;

	CU_ENTER();
	CU_CHECK_PTR(object_out);
	CU_CHECK_PTR(destroy);
	if (flags != CU_USER_OBJECT_NO_DESTRUCTOR_SYNC)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "flags is %#x and must be CU_USER_OBJECT_NO_DESTRUCTOR_SYNC", flags);
	ret = check_count(initialRefcount);
	if (ret)
		return ret;
	o = cu_add(CU_OBJECT, NULL);
	if (!o)
		return cu_fail(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a user object");
	o->data = ptr;
	o->destroy = destroy;
	o->refs = initialRefcount;
	*object_out = cu_handle(o);
	return CUDA_SUCCESS;
}

CUresult cuUserObjectRetain(CUuserObject object, unsigned int count)
{
	struct cu_object *o;
	CUresult ret;

	CU_ENTER();
	pthread_mutex_lock(&cu_graph_lock);
	ret = find_counted(object, count, &o);
	if (!ret)
		o->refs += count;
	pthread_mutex_unlock(&cu_graph_lock);
	return ret;
}

CUresult cuUserObjectRelease(CUuserObject object, unsigned int count)
{
	struct cu_object *o;
	CUresult ret;

	CU_ENTER();
	pthread_mutex_lock(&cu_graph_lock);
	ret = find_counted(object, count, &o);
	if (!ret)
		ret = check_uses(o, count);
	if (!ret)
		put(o, count);
	pthread_mutex_unlock(&cu_graph_lock);
	return ret;
}

CUresult cuGraphRetainUserObject(CUgraph graph, CUuserObject object, unsigned int count, unsigned int flags)
{
	struct cu_object *o = NULL;
	struct cu_graph *g;
	unsigned int i;
	CUresult ret;

	CU_ENTER();
	if (flags & ~(unsigned int)CU_GRAPH_USER_OBJECT_MOVE)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "flags is %#x and must be 0 or CU_GRAPH_USER_OBJECT_MOVE", flags);
	pthread_mutex_lock(&cu_graph_lock);
	ret = cu_graph_find(graph, &g);
	if (!ret)
		ret = find_counted(object, count, &o);
	/* moved ones are the caller's now */
	if (!ret && flags)
		ret = check_uses(o, count);
	for (i = 0; i < count && !ret; i++) {
		ret = cu_share_add(&g->shares, o, put_one);
		if (!ret && !flags)
			o->refs++;
	}
	pthread_mutex_unlock(&cu_graph_lock);
	return ret;
}

CUresult cuGraphReleaseUserObject(CUgraph graph, CUuserObject object, unsigned int count)
{
	struct cu_object *o = NULL;
	struct cu_graph *g;
	CUresult ret;

	CU_ENTER();
	pthread_mutex_lock(&cu_graph_lock);
	ret = cu_graph_find(graph, &g);
	if (!ret)
		ret = find_counted(object, count, &o);
	if (!ret && !cu_share_drop(&g->shares, o, count))
		ret = cu_fail(CUDA_ERROR_INVALID_VALUE, "count is %u and the graph has fewer uses of the object", count);
	pthread_mutex_unlock(&cu_graph_lock);
	return ret;
}
