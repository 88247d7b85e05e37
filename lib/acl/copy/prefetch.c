// SPDX-License-Identifier: MIT
/*
 * Prefetches of managed memory in a stream. All of it is where the device and the CPU both reach it,
 * so a prefetch is noted at once, for aclrtMemManagedGetAttr(), and gives the stream nothing to do.
 */
#include "copy/copy.h"

static aclError check_prefetch(uint64_t flags, aclrtStream stream)
{
	struct anpu_stream *s;
	aclError ret;

	if (flags)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "flags is %#llx and must be 0",
				(unsigned long long)flags);
	ret = anpu_stream_find(stream, &s);
	if (!ret)
		anpu_stream_put(s);
	return ret;
}

aclError aclrtMemManagedPrefetchAsync(const void *ptr, size_t size,
				      aclrtMemManagedLocation location, uint32_t flags,
				      aclrtStream stream)
{
	aclError ret;

	ACL_ENTER();
	ret = check_prefetch(flags, stream);
	return ret ? ret : anpu_managed_prefetch(&ptr, &size, 1, &location, NULL, 1);
}

static aclError check_batch(size_t count, const size_t *indexes, size_t locations)
{
	size_t i;

	if (!count || !locations || locations > count)
		return acl_fail(ACL_ERROR_INVALID_PARAM,
				"count is %zu and numPrefetchLocs is %zu: there must be one location "
				"at least, and one range for each",
				count, locations);
	for (i = 0; i < locations; i++)
		if (i ? indexes[i] <= indexes[i - 1] || indexes[i] >= count : indexes[i])
			return acl_fail(ACL_ERROR_INVALID_PARAM,
					"prefetchLocIdxs[%zu] is %zu: the first must be 0, and they must "
					"ascend to below count (%zu)",
					i, indexes[i], count);
	return ACL_SUCCESS;
}

aclError aclrtMemManagedPrefetchBatchAsync(const void **ptrs, size_t *sizes, size_t count,
					   aclrtMemManagedLocation *prefetchLocs,
					   size_t *prefetchLocIdxs, size_t numPrefetchLocs,
					   uint64_t flags, aclrtStream stream)
{
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(ptrs);
	ACL_CHECK_PTR(sizes);
	ACL_CHECK_PTR(prefetchLocs);
	ACL_CHECK_PTR(prefetchLocIdxs);
	ret = check_batch(count, prefetchLocIdxs, numPrefetchLocs);
	if (!ret)
		ret = check_prefetch(flags, stream);
	return ret ? ret : anpu_managed_prefetch(ptrs, sizes, count, prefetchLocs, prefetchLocIdxs,
						 numPrefetchLocs);
}
