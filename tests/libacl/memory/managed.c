// SPDX-License-Identifier: MIT
/* Managed memory, and what can be asked about memory. */
#include "../acltest.h"

#define MIB	(1UL << 20)
#define PAGE	(2 * MIB)

static const aclrtMemManagedLocation device = { ACL_MEM_LOCATIONTYPE_DEVICE, 0 };
static const aclrtMemManagedLocation host = { ACL_MEM_LOCATIONTYPE_HOST, 5 };
static const aclrtMemManagedLocation node = { ACL_MEM_LOCATIONTYPE_HOST_NUMA, 0 };
static const aclrtMemManagedLocation here = { ACL_MEM_LOCATIONTYPE_HOST_NUMA_CURRENT, 99 };
static const aclrtMemManagedLocation nowhere = { ACL_MEM_LOCATIONTYPE_INVALID, 0 };

static void *managed(uint64_t size)
{
	void *p = NULL;

	ACL(aclrtMemAllocManaged(&p, size, ACL_RT_MEM_ATTACH_GLOBAL));
	CHECK(p);
	return p;
}

static int32_t ask(const void *p, size_t size, aclrtMemManagedRangeAttribute attribute)
{
	int32_t value = -77;

	ACL(aclrtMemManagedGetAttr(attribute, p, size, &value, 4));
	return value;
}

static void both_sides_use_it(void)
{
	aclrtPtrAttributes attributes;
	uint64_t *p;
	char *dev;
	void *base;
	size_t size;

	start();
	p = managed(100);
	p[0] = 40;
	p[PAGE / 8 - 1] = 3; /* the size is rounded to pages of 2 MiB */
	LAUNCH(op("increment"), 1, NULL, U64(p));
	ACL(aclrtSynchronizeStream(NULL));
	CHECK_EQ(p[0], 41);
	LAUNCH(op("load_store"), 1, NULL, U64(p), U64(&p[PAGE / 8 - 1]));
	ACL(aclrtSynchronizeStream(NULL));
	CHECK_EQ(p[0], 3);
	ACL(aclrtPointerGetAttributes(p, &attributes));
	CHECK_EQ(attributes.location.type, ACL_MEM_LOCATION_TYPE_MANAGED);
	ACL(aclrtMemGetAddressRange(p, &base, &size));
	CHECK(base == p && size == PAGE);
	ACL(aclrtMemset(p, PAGE, 0x11, PAGE));
	CHECK_EQ(p[77], 0x1111111111111111);
	ACL(aclrtMemsetAsync(p, PAGE, 0x22, 64, NULL));
	ACL(aclrtSynchronizeStream(NULL));
	CHECK_EQ(p[7], 0x2222222222222222);
	/* copies may call it host or device, as they like */
	dev = dev_alloc(PAGE);
	fill_pattern(p, PAGE, 3);
	ACL(aclrtMemcpyAsync(dev, PAGE, p, PAGE, ACL_MEMCPY_HOST_TO_DEVICE, NULL));
	ACL(aclrtMemcpyAsync(p, PAGE, dev, 8, ACL_MEMCPY_DEVICE_TO_HOST, NULL));
	ACL(aclrtMemcpyAsync(dev, PAGE, p, PAGE, ACL_MEMCPY_DEVICE_TO_DEVICE, NULL));
	ACL(aclrtMemcpyAsync(p, PAGE / 2, (char *)p + PAGE / 2, 4096, ACL_MEMCPY_DEFAULT, NULL));
	ACL(aclrtSynchronizeStream(NULL));
	CHECK_DEVICE(dev, PAGE, 3);
	CHECK(!memcmp(p, (char *)p + PAGE / 2, 4096));
	ACL(aclrtMemcpy(p, PAGE, dev, PAGE, ACL_MEMCPY_DEVICE_TO_HOST));
	CHECK_PATTERN(p, PAGE, 3);
	ACL(aclrtFree(p));
	FAILS(aclrtFree(p), ACL_ERROR_RT_PARAM_INVALID);
}

static void many_come_and_go(void)
{
	start();
	for (int i = 0; i < 50; i++) {
		uint64_t *p = managed(PAGE), *q = managed(3 * PAGE);

		p[0] = 1;
		q[3 * PAGE / 8 - 1] = 2;
		ACL(aclrtMemManagedAdvise(q, 3 * PAGE, ACL_MEM_ADVISE_SET_READ_MOSTLY, nowhere));
		ACL(aclrtFree(p));
		ACL(aclrtFree(q));
		FAILS(aclrtMemManagedAdvise(q, PAGE, ACL_MEM_ADVISE_SET_READ_MOSTLY, nowhere),
		      ACL_ERROR_RT_PARAM_INVALID, "aclrtMemAllocManaged");
	}
}

static void wrong_allocations(void)
{
	void *p, *pinned;
	char *m;

	FAILS(aclrtMemAllocManaged(&p, 8, 1), ACL_ERROR_RT_CONTEXT_NULL);
	start();
	FAILS(aclrtMemAllocManaged(NULL, 8, 1), ACL_ERROR_INVALID_PARAM, "ptr");
	FAILS(aclrtMemAllocManaged(&p, 0, 1), ACL_ERROR_INVALID_PARAM, "size");
	FAILS(aclrtMemAllocManaged(&p, 4UL << 40, 1), ACL_ERROR_INVALID_PARAM, "3 TiB");
	FAILS(aclrtMemAllocManaged(&p, 1UL << 40, 1), ACL_ERROR_RT_MEMORY_ALLOCATION, "1 TiB");
	FAILS(aclrtMemAllocManaged(&p, 8, 0), ACL_ERROR_INVALID_PARAM, "flag");
	FAILS(aclrtMemAllocManaged(&p, 8, 2), ACL_ERROR_INVALID_PARAM, "flag");
	m = managed(8);
	FAILS(aclrtFree(m + 8), ACL_ERROR_RT_PARAM_INVALID, "inside", "aclrtMemAllocManaged");
	FAILS(aclrtFreeHost(m), ACL_ERROR_RT_PARAM_INVALID, "aclrtFree()");
	pinned = pinned_alloc(8);
	FAILS(aclrtFree(pinned), ACL_ERROR_RT_PARAM_INVALID, "aclrtFreeHost");
	ACL(aclrtFree(m));
}

static void a_reset_leaves_the_program_its_memory(void)
{
	uint64_t *p;

	start();
	p = managed(8);
	p[0] = 9;
	ACL(aclrtResetDeviceForce(0));
	CHECK_EQ(p[0], 9);
	ACL(aclrtFree(p));
}

static void advice_is_remembered_by_page(void)
{
	int32_t who[4];
	char *p;

	start();
	p = managed(4 * PAGE);
	CHECK_EQ(ask(p, 4 * PAGE, ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY), 0);
	CHECK_EQ(ask(p, 4 * PAGE, ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION), -2);
	CHECK_EQ(ask(p, 4 * PAGE, ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE),
		 ACL_MEM_LOCATIONTYPE_INVALID);
	ACL(aclrtMemManagedAdvise(p + PAGE, 2 * PAGE, ACL_MEM_ADVISE_SET_READ_MOSTLY, nowhere));
	CHECK_EQ(ask(p + PAGE, 2 * PAGE, ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY), 1);
	CHECK_EQ(ask(p + PAGE - 1, 2, ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY), 0);
	CHECK_EQ(ask(p + 3 * PAGE - 1, 1, ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY), 1);
	ACL(aclrtMemManagedAdvise(p + PAGE, PAGE, ACL_MEM_ADVISE_UNSET_READ_MOSTLY, nowhere));
	CHECK_EQ(ask(p + PAGE, 2 * PAGE, ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY), 0);
	ACL(aclrtMemManagedAdvise(p, PAGE, ACL_MEM_ADVISE_SET_PREFERRED_LOCATION, device));
	ACL(aclrtMemManagedAdvise(p + PAGE, PAGE, ACL_MEM_ADVISE_SET_PREFERRED_LOCATION, host));
	ACL(aclrtMemManagedAdvise(p + 2 * PAGE, PAGE, ACL_MEM_ADVISE_SET_PREFERRED_LOCATION, here));
	CHECK_EQ(ask(p, PAGE, ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION), 0);
	CHECK_EQ(ask(p, PAGE, ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID), 0);
	CHECK_EQ(ask(p, PAGE, ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE),
		 ACL_MEM_LOCATIONTYPE_DEVICE);
	CHECK_EQ(ask(p + PAGE, PAGE, ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION), -1);
	CHECK_EQ(ask(p + PAGE, PAGE, ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE),
		 ACL_MEM_LOCATIONTYPE_HOST);
	CHECK_EQ(ask(p + 2 * PAGE, PAGE, ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE),
		 ACL_MEM_LOCATIONTYPE_HOST_NUMA);
	/* pages that do not agree prefer nothing */
	CHECK_EQ(ask(p, 2 * PAGE, ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION), -2);
	ACL(aclrtMemManagedAdvise(p, PAGE, ACL_MEM_ADVISE_UNSET_PREFERRED_LOCATION, nowhere));
	CHECK_EQ(ask(p, PAGE, ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION), -2);
	ACL(aclrtMemManagedAdvise(p, 2 * PAGE, ACL_MEM_ADVISE_SET_ACCESSED_BY, device));
	ACL(aclrtMemManagedAdvise(p, PAGE, ACL_MEM_ADVISE_SET_ACCESSED_BY, host));
	ACL(aclrtMemManagedGetAttr(ACL_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, p, PAGE, who, 16));
	CHECK(who[0] == 0 && who[1] == -1 && who[2] == -2 && who[3] == -2);
	ACL(aclrtMemManagedGetAttr(ACL_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, p, 2 * PAGE, who, 8));
	CHECK(who[0] == 0 && who[1] == -2);
	ACL(aclrtMemManagedAdvise(p, PAGE, ACL_MEM_ADVISE_UNSET_ACCESSED_BY, device));
	ACL(aclrtMemManagedGetAttr(ACL_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, p, PAGE, who, 8));
	CHECK(who[0] == -1 && who[1] == -2);
}

static void prefetches_are_remembered(void)
{
	aclrtMemManagedLocation where[2] = { device, node };
	size_t sizes[3] = { PAGE, PAGE, 2 * PAGE }, indexes[2] = { 0, 2 };
	aclrtMemManagedRangeAttribute attributes[2] = {
		ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE,
		ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY
	};
	size_t data_sizes[2] = { 4, 4 };
	int32_t type = 0, mostly = 9;
	void *data[2] = { &type, &mostly };
	const void *ptrs[3];
	aclrtStream stream;
	char *p;

	start();
	stream = new_stream();
	p = managed(4 * PAGE);
	ptrs[0] = p;
	ptrs[1] = p + PAGE;
	ptrs[2] = p + 2 * PAGE;
	CHECK_EQ(ask(p, PAGE, ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION), -2);
	ACL(aclrtMemManagedPrefetchAsync(p, PAGE, host, 0, stream));
	CHECK_EQ(ask(p, PAGE, ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION), -1);
	ACL(aclrtMemManagedPrefetchBatchAsync(ptrs, sizes, 3, where, indexes, 2, 0, NULL));
	CHECK_EQ(ask(p, 2 * PAGE, ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID), 0);
	CHECK_EQ(ask(p, 2 * PAGE, ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE),
		 ACL_MEM_LOCATIONTYPE_DEVICE);
	ACL(aclrtMemManagedGetAttrs(attributes, 2, p + 2 * PAGE, 2 * PAGE, data, data_sizes));
	CHECK_EQ(type, ACL_MEM_LOCATIONTYPE_HOST_NUMA);
	CHECK_EQ(mostly, 0);
	ACL(aclrtSynchronizeStream(stream));
	/* all or nothing */
	sizes[2] = 3 * PAGE;
	where[0] = host;
	FAILS(aclrtMemManagedPrefetchBatchAsync(ptrs, sizes, 3, where, indexes, 2, 0, NULL),
	      ACL_ERROR_RT_PARAM_INVALID, "leaves");
	CHECK_EQ(ask(p, PAGE, ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION), 0);
}

static void wrong_advice(void)
{
	aclrtMemManagedLocation bad = { ACL_MEM_LOCATIONTYPE_DEVICE, 9 };
	aclrtMemManagedRangeAttribute attributes[1] = { ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY };
	size_t sizes[2] = { PAGE, PAGE }, indexes[2] = { 0, 1 }, data_size = 4;
	aclrtMemManagedLocation where[2];
	const void *ptrs[2];
	int32_t value;
	void *data = &value;
	char *p;

	start();
	p = managed(PAGE);
	ptrs[0] = ptrs[1] = p;
	where[0] = where[1] = host;
	FAILS(aclrtMemManagedAdvise(NULL, PAGE, ACL_MEM_ADVISE_SET_READ_MOSTLY, host),
	      ACL_ERROR_INVALID_PARAM, "ptr");
	FAILS(aclrtMemManagedAdvise(p, 0, ACL_MEM_ADVISE_SET_READ_MOSTLY, host),
	      ACL_ERROR_INVALID_PARAM, "size");
	FAILS(aclrtMemManagedAdvise(p, 4096, ACL_MEM_ADVISE_SET_READ_MOSTLY, host),
	      ACL_ERROR_INVALID_PARAM, "2 MiB");
	FAILS(aclrtMemManagedAdvise(p, 2 * PAGE, ACL_MEM_ADVISE_SET_READ_MOSTLY, host),
	      ACL_ERROR_RT_PARAM_INVALID, "leaves");
	FAILS(aclrtMemManagedAdvise(dev_alloc(PAGE), PAGE, ACL_MEM_ADVISE_SET_READ_MOSTLY, host),
	      ACL_ERROR_RT_PARAM_INVALID, "aclrtMemAllocManaged");
	FAILS(aclrtMemManagedAdvise(p, PAGE, (aclrtMemManagedAdviseType)6, host),
	      ACL_ERROR_INVALID_PARAM, "advise");
	FAILS(aclrtMemManagedAdvise(p, PAGE, ACL_MEM_ADVISE_SET_PREFERRED_LOCATION, nowhere),
	      ACL_ERROR_INVALID_PARAM, "location.type");
	FAILS(aclrtMemManagedAdvise(p, PAGE, ACL_MEM_ADVISE_SET_ACCESSED_BY, bad),
	      ACL_ERROR_RT_INVALID_DEVICEID, "9");
	bad = (aclrtMemManagedLocation){ ACL_MEM_LOCATIONTYPE_HOST_NUMA, 31 };
	FAILS(aclrtMemManagedAdvise(p, PAGE, ACL_MEM_ADVISE_SET_ACCESSED_BY, bad),
	      ACL_ERROR_INVALID_PARAM, "NUMA");
	bad.type = (aclrtMemManagedLocationType)7;
	FAILS(aclrtMemManagedPrefetchAsync(p, PAGE, bad, 0, NULL), ACL_ERROR_INVALID_PARAM, "type");
	FAILS(aclrtMemManagedPrefetchAsync(NULL, PAGE, host, 0, NULL), ACL_ERROR_INVALID_PARAM,
	      "ptr");
	FAILS(aclrtMemManagedPrefetchAsync(p, 1, host, 0, NULL), ACL_ERROR_INVALID_PARAM, "2 MiB");
	FAILS(aclrtMemManagedPrefetchAsync(p, PAGE, host, 1, NULL), ACL_ERROR_INVALID_PARAM, "flags");
	FAILS(aclrtMemManagedPrefetchAsync(p, PAGE, host, 0, p), ACL_ERROR_RT_INVALID_HANDLE);
	FAILS(aclrtMemManagedGetAttr(ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, NULL, PAGE, &value, 4),
	      ACL_ERROR_INVALID_PARAM, "ptr");
	FAILS(aclrtMemManagedGetAttr(ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, p, PAGE, NULL, 4),
	      ACL_ERROR_INVALID_PARAM, "data");
	FAILS(aclrtMemManagedGetAttr(ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, p, PAGE, &value, 8),
	      ACL_ERROR_INVALID_PARAM, "dataSize", "4 bytes");
	FAILS(aclrtMemManagedGetAttr(ACL_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, p, PAGE, &value, 0),
	      ACL_ERROR_INVALID_PARAM, "multiple of 4");
	FAILS(aclrtMemManagedGetAttr((aclrtMemManagedRangeAttribute)0, p, PAGE, &value, 4),
	      ACL_ERROR_INVALID_PARAM, "attribute");
	FAILS(aclrtMemManagedGetAttr((aclrtMemManagedRangeAttribute)9, p, PAGE, &value, 4),
	      ACL_ERROR_INVALID_PARAM, "attribute");
	FAILS(aclrtMemManagedGetAttr(ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, p, 0, &value, 4),
	      ACL_ERROR_INVALID_PARAM, "size");
	FAILS(aclrtMemManagedGetAttr(ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, p, PAGE + 1, &value, 4),
	      ACL_ERROR_RT_PARAM_INVALID, "leaves");
	FAILS(aclrtMemManagedGetAttrs(NULL, 1, p, PAGE, &data, &data_size), ACL_ERROR_INVALID_PARAM,
	      "attributes");
	FAILS(aclrtMemManagedGetAttrs(attributes, 0, p, PAGE, &data, &data_size),
	      ACL_ERROR_INVALID_PARAM, "numAttributes");
	FAILS(aclrtMemManagedGetAttrs(attributes, 1, p, PAGE, NULL, &data_size),
	      ACL_ERROR_INVALID_PARAM, "data");
	FAILS(aclrtMemManagedGetAttrs(attributes, 1, p, PAGE, &data, NULL), ACL_ERROR_INVALID_PARAM,
	      "dataSizes");
#define PREFETCH(p, s, n, l, i, m) aclrtMemManagedPrefetchBatchAsync(p, s, n, l, i, m, 0, NULL)
	FAILS(PREFETCH(NULL, sizes, 2, where, indexes, 2), ACL_ERROR_INVALID_PARAM, "ptrs");
	FAILS(PREFETCH(ptrs, NULL, 2, where, indexes, 2), ACL_ERROR_INVALID_PARAM, "sizes");
	FAILS(PREFETCH(ptrs, sizes, 2, NULL, indexes, 2), ACL_ERROR_INVALID_PARAM, "prefetchLocs");
	FAILS(PREFETCH(ptrs, sizes, 2, where, NULL, 2), ACL_ERROR_INVALID_PARAM, "prefetchLocIdxs");
	FAILS(PREFETCH(ptrs, sizes, 0, where, indexes, 2), ACL_ERROR_INVALID_PARAM, "count");
	FAILS(PREFETCH(ptrs, sizes, 2, where, indexes, 0), ACL_ERROR_INVALID_PARAM,
	      "numPrefetchLocs");
	FAILS(PREFETCH(ptrs, sizes, 1, where, indexes, 2), ACL_ERROR_INVALID_PARAM, "count");
	indexes[0] = 1;
	FAILS(PREFETCH(ptrs, sizes, 2, where, indexes, 2), ACL_ERROR_INVALID_PARAM, "must be 0");
	indexes[0] = indexes[1] = 0;
	FAILS(PREFETCH(ptrs, sizes, 2, where, indexes, 2), ACL_ERROR_INVALID_PARAM, "ascend");
	indexes[1] = 2;
	FAILS(PREFETCH(ptrs, sizes, 2, where, indexes, 2), ACL_ERROR_INVALID_PARAM, "below count");
}

/* Questions ------------------------------------------------------------------------------------ */

static aclrtMemUsageInfo use_of(const char *name)
{
	aclrtMemUsageInfo all[8];
	size_t n = 0;

	ACL(aclrtGetMemUsageInfo(0, all, 8, &n));
	CHECK_EQ(n, 5);
	for (size_t i = 1; i < n; i++)
		CHECK(all[i].curMemSize <= all[i - 1].curMemSize);
	for (size_t i = 0; i < n; i++)
		if (!strcmp(all[i].name, name))
			return all[i];
	FAIL("no component %s", name);
}

static void who_uses_the_memory(void)
{
	aclrtPhysicalMemProp prop = { .memAttr = ACL_HBM_MEM_HUGE,
				      .location = { 0, ACL_MEM_LOCATION_TYPE_DEVICE } };
	aclrtMemPoolProps pool_props = { .location = { 0, ACL_MEM_LOCATION_TYPE_DEVICE } };
	uint64_t malloc_before, pool_before;
	aclrtMemUsageInfo one[1];
	aclrtDrvMemHandle physical;
	aclrtStream stream;
	aclrtMemPool pool;
	void *p, *q;
	size_t n;

	start();
	op("store");
	CHECK(use_of("operators").curMemSize > 0);
	malloc_before = use_of("malloc").curMemSize;
	p = dev_alloc(32 * MIB);
	CHECK(use_of("malloc").curMemSize >= malloc_before + 32 * MIB);
	ACL(aclrtFree(p));
	CHECK_EQ(use_of("malloc").curMemSize, malloc_before);
	CHECK(use_of("malloc").memPeakSize >= malloc_before + 32 * MIB);
	ACL(aclrtMallocPhysical(&physical, 4 * MIB, &prop, 0));
	CHECK_EQ(use_of("physical").curMemSize, 4 * MIB);
	ACL(aclrtFreePhysical(physical));
	CHECK_EQ(use_of("physical").curMemSize, 0);
	CHECK_EQ(use_of("physical").memPeakSize, 4 * MIB);
	stream = new_stream();
	ACL(aclrtMemPoolCreate(&pool, &pool_props));
	pool_before = use_of("pool").curMemSize;
	CHECK_EQ(pool_before, 0);
	ACL(aclrtMemPoolMallocAsync(&q, 64 * MIB, pool, stream));
	CHECK_EQ(use_of("pool").curMemSize, 64 * MIB);
	ACL(aclrtGetMemUsageInfo(0, one, 1, &n));
	CHECK(n == 1 && !strcmp(one[0].name, "pool"));
	FAILS(aclrtGetMemUsageInfo(0, NULL, 1, &n), ACL_ERROR_INVALID_PARAM, "memUsageInfo");
	FAILS(aclrtGetMemUsageInfo(0, one, 0, &n), ACL_ERROR_INVALID_PARAM, "inputNum");
	FAILS(aclrtGetMemUsageInfo(0, one, 1, NULL), ACL_ERROR_INVALID_PARAM, "outputNum");
	FAILS(aclrtGetMemUsageInfo(5, one, 1, &n), ACL_ERROR_RT_INVALID_DEVICEID, "5");
	FAILS(aclrtGetMemUsageInfo(-1, one, 1, &n), ACL_ERROR_RT_INVALID_DEVICEID, "-1");
}

static void types_of_addresses(void)
{
	void *list[3], *reserved = NULL;
	uint32_t result = 7, all;

	start();
	all = ACL_RT_MEM_TYPE_DEV | ACL_RT_MEM_TYPE_RSVD | ACL_RT_MEM_TYPE_DVPP;
	ACL(aclrtReserveMemAddress(&reserved, PAGE, 0, NULL, 0));
	list[0] = dev_alloc(64);
	list[1] = (char *)dev_alloc(4 * MIB) + 100;
	list[2] = reserved;
	ACL(aclrtCheckMemType(list, 2, ACL_RT_MEM_TYPE_DEV, &result, 0));
	CHECK_EQ(result, 1);
	ACL(aclrtCheckMemType(list, 3, ACL_RT_MEM_TYPE_DEV, &result, 0));
	CHECK_EQ(result, 0);
	ACL(aclrtCheckMemType(list, 3, ACL_RT_MEM_TYPE_DEV | ACL_RT_MEM_TYPE_RSVD, &result, 0));
	CHECK_EQ(result, 1);
	ACL(aclrtCheckMemType(&list[2], 1, ACL_RT_MEM_TYPE_RSVD, &result, 0));
	CHECK_EQ(result, 1);
	ACL(aclrtCheckMemType(list, 1, ACL_RT_MEM_TYPE_DVPP, &result, 0));
	CHECK_EQ(result, 0);
	list[0] = &all;
	ACL(aclrtCheckMemType(list, 1, all, &result, 0));
	CHECK_EQ(result, 0);
	list[0] = NULL;
	ACL(aclrtCheckMemType(list, 1, all, &result, 0));
	CHECK_EQ(result, 0);
	/* behind an allocation, and where one was: the library has more memory there than it has given out */
	list[0] = dev_alloc(64);
	list[1] = dev_alloc(64);
	ACL(aclrtFree(list[1]));
	for (int i = 0; i < 2; i++) {
		list[0] = i ? list[1] : (char *)list[0] + MIB;
		ACL(aclrtCheckMemType(list, 1, all, &result, 0));
		CHECK_EQ(result, 0);
	}
	FAILS(aclrtCheckMemType(NULL, 1, all, &result, 0), ACL_ERROR_INVALID_PARAM, "addrList");
	FAILS(aclrtCheckMemType(list, 0, all, &result, 0), ACL_ERROR_INVALID_PARAM, "size");
	FAILS(aclrtCheckMemType(list, 1, 0, &result, 0), ACL_ERROR_INVALID_PARAM, "memType");
	FAILS(aclrtCheckMemType(list, 1, 1, &result, 0), ACL_ERROR_INVALID_PARAM, "memType");
	FAILS(aclrtCheckMemType(list, 1, all, NULL, 0), ACL_ERROR_INVALID_PARAM, "checkResult");
	FAILS(aclrtCheckMemType(list, 1, all, &result, 1), ACL_ERROR_INVALID_PARAM, "reserve");
}

static void which_engines_reach_the_host(void)
{
	aclrtHostMemMapCapability c = ACL_RT_HOST_MEM_MAP_NOT_SUPPORTED;

	start();
	ACL(aclrtHostMemMapCapabilities(0, ACL_RT_HAC_TYPE_AIV, &c));
	CHECK_EQ(c, ACL_RT_HOST_MEM_MAP_SUPPORTED);
	ACL(aclrtHostMemMapCapabilities(0, ACL_RT_HAC_TYPE_RDMA, &c));
	CHECK_EQ(c, ACL_RT_HOST_MEM_MAP_NOT_SUPPORTED);
	ACL(aclrtHostMemMapCapabilities(0, ACL_RT_HAC_TYPE_SDMA, &c));
	CHECK_EQ(c, ACL_RT_HOST_MEM_MAP_SUPPORTED);
	FAILS(aclrtHostMemMapCapabilities(0, (aclrtHacType)10, &c), ACL_ERROR_INVALID_PARAM,
	      "hacType");
	FAILS(aclrtHostMemMapCapabilities(0, (aclrtHacType)-1, &c), ACL_ERROR_INVALID_PARAM,
	      "hacType");
	FAILS(aclrtHostMemMapCapabilities(0, ACL_RT_HAC_TYPE_AIC, NULL), ACL_ERROR_INVALID_PARAM,
	      "capabilities");
	FAILS(aclrtHostMemMapCapabilities(6, ACL_RT_HAC_TYPE_AIC, &c), ACL_ERROR_RT_INVALID_DEVICEID,
	      "6");
}

static void memory_for_the_scheduler(void)
{
	aclrtMallocAttribute attr = { ACL_RT_MEM_ATTR_DEVICE_ID, { .deviceId = 3 } };
	aclrtMallocConfig cfg = { &attr, 1 };
	uint64_t *p = NULL;

	start();
	ACL(aclrtMallocForTaskScheduler((void **)&p, 8, ACL_MEM_MALLOC_HUGE_FIRST, NULL));
	write_u64(p, 0);
	ACL(aclrtValueWait(p, 5, ACL_STREAM_WAIT_VALUE_EQ, NULL));
	write_u64(p, 5);
	ACL(aclrtSynchronizeStream(NULL));
	ACL(aclrtFree(p));
	FAILS(aclrtMallocForTaskScheduler(NULL, 8, ACL_MEM_MALLOC_HUGE_FIRST, NULL),
	      ACL_ERROR_INVALID_PARAM, "devPtr");
	FAILS(aclrtMallocForTaskScheduler((void **)&p, 0, ACL_MEM_MALLOC_HUGE_FIRST, NULL),
	      ACL_ERROR_INVALID_PARAM, "size");
	FAILS(aclrtMallocForTaskScheduler((void **)&p, 8, ACL_MEM_MALLOC_HUGE_FIRST, &cfg),
	      ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "deviceId");
	FAILS(aclrtMallocForTaskScheduler((void **)&p, 8, ACL_MEM_ACCESS_USER_SPACE_READONLY, NULL),
	      ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "policy");
}

TAP_MAIN(TEST(both_sides_use_it),
	 TEST(many_come_and_go),
	 TEST(wrong_allocations),
	 TEST(a_reset_leaves_the_program_its_memory),
	 TEST(advice_is_remembered_by_page),
	 TEST(prefetches_are_remembered),
	 TEST(wrong_advice),
	 TEST(who_uses_the_memory),
	 TEST(types_of_addresses),
	 TEST(which_engines_reach_the_host),
	 TEST(memory_for_the_scheduler))
