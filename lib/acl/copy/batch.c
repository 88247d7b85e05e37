// SPDX-License-Identifier: MIT
/*
 * Batches: many copies of one direction by one call. All are checked before the first is done, so a
 * batch with a bad one copies nothing.
 */
#include "copy/copy.h"

struct batch {
	void **dsts;
	size_t *dest_maxs;
	void **srcs;
	size_t *sizes;
	size_t count;
	aclrtMemcpyBatchAttr *attrs;
	size_t *attr_indexes;
	size_t attr_count;
};

static aclError check_arrays(const struct batch *b)
{
	size_t i;

	if (!b->dsts || !b->dest_maxs || !b->srcs || !b->sizes)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "%s is NULL",
				!b->dsts	? "dsts"
				: !b->dest_maxs ? "destMaxs"
				: !b->srcs	? "srcs"
						: "sizes");
	if (!b->attrs || !b->attr_indexes)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "%s is NULL",
				!b->attrs ? "attrs" : "attrsIndexes");
	if (!b->count)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "numBatches is 0: there is nothing to do");
	if (!b->attr_count || b->attr_count > b->count)
		return acl_fail(ACL_ERROR_INVALID_PARAM,
				"numAttrs is %zu and must be 1 to numBatches, %zu", b->attr_count,
				b->count);
	if (b->attr_indexes[0])
		return acl_fail(ACL_ERROR_INVALID_PARAM,
				"attrsIndexes[0] is %zu and must be 0: the first attribute holds "
				"from the first copy on",
				b->attr_indexes[0]);
	for (i = 1; i < b->attr_count; i++)
		if (b->attr_indexes[i] <= b->attr_indexes[i - 1] || b->attr_indexes[i] >= b->count)
			return acl_fail(ACL_ERROR_INVALID_PARAM,
					"attrsIndexes[%zu] is %zu after %zu: the indexes must "
					"ascend and be less than numBatches, %zu",
					i, b->attr_indexes[i], b->attr_indexes[i - 1], b->count);
	return ACL_SUCCESS;
}

static aclError check_place(const struct anpu_mem *mem, const aclrtMemLocation *loc,
			    const char *name)
{
	bool device = loc->type == ACL_MEM_LOCATION_TYPE_DEVICE;

	if (!device && loc->type != ACL_MEM_LOCATION_TYPE_HOST &&
	    loc->type != ACL_MEM_LOCATION_TYPE_UNREGISTERED)
		return acl_fail(ACL_ERROR_INVALID_PARAM,
				"%sLoc.type is %d and must be host (0), device (1) or unregistered "
				"(2)",
				name, (int)loc->type);
	if (device != (mem->place == ANPU_PLACE_DEVICE))
		return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
				"%sLoc says %s memory and %#llx is %s memory", name,
				device ? "device" : "host", (unsigned long long)mem->addr,
				device ? "host" : "device");
	if (device && loc->id != (uint32_t)mem->dev->id)
		return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
				"%sLoc says device %u and %#llx is memory of device %d", name,
				loc->id, (unsigned long long)mem->addr, mem->dev->id);
	return ACL_SUCCESS;
}

static aclError check_one(const struct batch *b, size_t i, const aclrtMemcpyBatchAttr *attr)
{
	bool to = b->attrs[0].dstLoc.type == ACL_MEM_LOCATION_TYPE_DEVICE;
	bool from = b->attrs[0].srcLoc.type == ACL_MEM_LOCATION_TYPE_DEVICE;
	struct anpu_mem d, s;
	aclError ret;

	if (!b->dsts[i] || !b->srcs[i])
		return acl_fail(ACL_ERROR_INVALID_PARAM, "%s[%zu] is NULL",
				b->dsts[i] ? "srcs" : "dsts", i);
	ret = anpu_check_copy(b->dsts[i], b->dest_maxs[i], b->srcs[i], b->sizes[i], &d, &s);
	if (ret)
		return ret;
	ret = check_place(&d, &attr->dstLoc, "dst");
	if (!ret)
		ret = check_place(&s, &attr->srcLoc, "src");
	if (!ret && d.place != ANPU_PLACE_DEVICE && s.place != ANPU_PLACE_DEVICE)
		ret = acl_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
			       "dst and src are both host memory, which only aclrtMemcpy() copies");
	else if (!ret &&
		 (to != (d.place == ANPU_PLACE_DEVICE) || from != (s.place == ANPU_PLACE_DEVICE)))
		ret = acl_fail(ACL_ERROR_RT_PARAM_INVALID,
			       "its direction is another than that of copy 0, and a batch has one");
	anpu_mem_done(&d);
	anpu_mem_done(&s);
	return ret;
}

/* Queues the copy if there is a stream, and otherwise copies at once */
static aclError copy_one(const struct batch *b, size_t i, struct anpu_stream *stream)
{
	struct anpu_mem d, s;
	aclError ret =
		anpu_check_copy(b->dsts[i], b->dest_maxs[i], b->srcs[i], b->sizes[i], &d, &s);

	if (ret || !b->sizes[i]) {
		if (!ret) {
			anpu_mem_done(&d);
			anpu_mem_done(&s);
		}
		return ret;
	}
	ret = stream ? anpu_copy_async(&d, &s, b->sizes[i], stream)
		     : anpu_copy_sync(&d, &s, b->sizes[i]);
	anpu_mem_done(&d);
	anpu_mem_done(&s);
	return ret;
}

static aclError blame(const struct batch *b, size_t i, size_t *fail, aclError ret)
{
	*fail = i;
	acl_record(ret, "copy %zu of the batch of %zu failed", i, b->count);
	return ret;
}

static aclError copy_all(const struct batch *b, size_t *fail, struct anpu_stream *stream)
{
	size_t i, attr = 0;
	aclError ret;

	for (i = 0; i < b->count; i++) {
		if (attr + 1 < b->attr_count && i == b->attr_indexes[attr + 1])
			attr++;
		ret = check_one(b, i, &b->attrs[attr]);
		if (ret)
			return blame(b, i, fail, ret);
	}
	for (i = 0; i < b->count; i++) {
		ret = copy_one(b, i, stream);
		if (ret)
			return blame(b, i, fail, ret);
	}
	return ACL_SUCCESS;
}

static aclError run_sync(const struct batch *b, size_t *fail)
{
	struct anpu_context *ctx;
	aclError ret = check_arrays(b);

	*fail = SIZE_MAX;
	if (!ret)
		ret = anpu_recorder.unsafe("aclrtMemcpyBatch()");
	if (!ret)
		ret = anpu_context_current(&ctx);
	if (ret)
		return ret;
	ret = copy_all(b, fail, NULL);
	anpu_context_put(ctx);
	return ret;
}

static aclError run_async(const struct batch *b, size_t *fail, aclrtStream stream)
{
	struct anpu_stream *s;
	aclError ret = check_arrays(b);

	*fail = SIZE_MAX;
	if (!ret)
		ret = anpu_stream_find(stream, &s);
	if (ret)
		return ret;
	ret = copy_all(b, fail, s);
	anpu_stream_put(s);
	return ret;
}

aclError aclrtMemcpyBatch(void **dsts, size_t *destMaxs, void **srcs, size_t *sizes,
			  size_t numBatches, aclrtMemcpyBatchAttr *attrs, size_t *attrsIndexes,
			  size_t numAttrs, size_t *failIndex)
{
	struct batch b = { dsts, destMaxs, srcs, sizes, numBatches, attrs, attrsIndexes, numAttrs };

	ACL_ENTER();
	ACL_CHECK_PTR(failIndex);
	return run_sync(&b, failIndex);
}

aclError aclrtMemcpyBatchV2(void **dsts, size_t *destMaxs, void **srcs, size_t *sizes,
			    size_t numBatches, aclrtMemcpyBatchAttr *attrs, size_t *attrsIndexes,
			    size_t numAttrs)
{
	struct batch b = { dsts, destMaxs, srcs, sizes, numBatches, attrs, attrsIndexes, numAttrs };
	size_t fail;

	ACL_ENTER();
	return run_sync(&b, &fail);
}

aclError aclrtMemcpyBatchAsync(void **dsts, size_t *destMaxs, void **srcs, size_t *sizes,
			       size_t numBatches, aclrtMemcpyBatchAttr *attrs, size_t *attrsIndexes,
			       size_t numAttrs, size_t *failIndex, aclrtStream stream)
{
	struct batch b = { dsts, destMaxs, srcs, sizes, numBatches, attrs, attrsIndexes, numAttrs };

	ACL_ENTER();
	ACL_CHECK_PTR(failIndex);
	return run_async(&b, failIndex, stream);
}

aclError aclrtMemcpyBatchAsyncV2(void **dsts, size_t *destMaxs, void **srcs, size_t *sizes,
				 size_t numBatches, aclrtMemcpyBatchAttr *attrs,
				 size_t *attrsIndexes, size_t numAttrs, aclrtStream stream)
{
	struct batch b = { dsts, destMaxs, srcs, sizes, numBatches, attrs, attrsIndexes, numAttrs };
	size_t fail;

	ACL_ENTER();
	return run_async(&b, &fail, stream);
}
