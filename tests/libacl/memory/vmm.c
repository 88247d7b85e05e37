// SPDX-License-Identifier: MIT
/* Reserved addresses, physical memory, mapping, rights. */
#include "../acltest.h"

#define MIB	(1UL << 20)
#define PAGE	(2 * MIB)

static const aclrtPhysicalMemProp on_device = {
	.handleType = ACL_MEM_HANDLE_TYPE_NONE,
	.allocationType = ACL_MEM_ALLOCATION_TYPE_PINNED,
	.memAttr = ACL_HBM_MEM_HUGE,
	.location = { .id = 0, .type = ACL_MEM_LOCATION_TYPE_DEVICE },
};

static char *reserve(size_t size)
{
	void *p = NULL;

	ACL(aclrtReserveMemAddress(&p, size, 0, NULL, 1));
	CHECK(p && (uintptr_t)p % PAGE == 0);
	return p;
}

static aclrtDrvMemHandle physical(size_t size)
{
	aclrtDrvMemHandle h = NULL;

	ACL(aclrtMallocPhysical(&h, size, &on_device, 0));
	CHECK(h);
	return h;
}

/* Free memory but for page tables */
static bool near(size_t got, size_t want)
{
	return got + MIB > want && want + MIB > got;
}

static void map_use_unmap(void)
{
	size_t before, granularity = 0;
	aclrtPhysicalMemProp prop = on_device;
	aclrtDrvMemHandle h;
	char *p;

	SKIP_IN_CHECK("what was freed stays away for a while");
	start();
	ACL(aclrtMemGetAllocationGranularity(&prop, ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM,
					     &granularity));
	CHECK_EQ(granularity, PAGE);
	op("store");
	before = free_hbm();
	p = reserve(16 * PAGE);
	CHECK(near(free_hbm(), before));
	h = physical(2 * PAGE);
	CHECK(near(free_hbm(), before - 2 * PAGE));
	ACL(aclrtMapMem(p + PAGE, 2 * PAGE, 0, h, 0));
	put_pattern(p + PAGE, 2 * PAGE, 3);
	CHECK_DEVICE(p + PAGE, 2 * PAGE, 3);
	LAUNCH(op("store"), 1, NULL, U64(p + PAGE + 80), 77);
	ACL(aclrtSynchronizeStream(NULL));
	CHECK_EQ(read_u64(p + PAGE + 80), 77);
	/* the memory is behind the handle: unmapped and mapped elsewhere it is the same */
	ACL(aclrtUnmapMem(p + PAGE));
	LAUNCH(op("store"), 1, NULL, U64(p + PAGE), 1);
	FAILS(aclrtSynchronizeStream(NULL), ACL_ERROR_RT_AICORE_EXCEPTION);
	ACL(aclrtMapMem(p + 8 * PAGE, 2 * PAGE, 0, h, 0));
	CHECK_EQ(read_u64(p + 8 * PAGE + 80), 77);
	/* and lives while it is mapped */
	ACL(aclrtFreePhysical(h));
	FAILS(aclrtFreePhysical(h), ACL_ERROR_RT_INVALID_HANDLE);
	CHECK_EQ(read_u64(p + 8 * PAGE + 80), 77);
	CHECK(near(free_hbm(), before - 2 * PAGE));
	ACL(aclrtUnmapMem(p + 8 * PAGE));
	ACL(aclrtReleaseMemAddress(p));
	UNTIL(near(free_hbm(), before));
	CHECK(near(free_hbm(), before));
}

/* A tensor in a range that grows: what follows each other is one piece of memory */
static void across_mappings(void)
{
	enum { N = 5 };
	aclrtDrvMemHandle h[N];
	char *p, *host, *pinned;
	aclrtStream stream;

	start();
	stream = new_stream();
	p = reserve(N * PAGE);
	for (int i = 0; i < N; i++) {
		h[i] = physical(PAGE);
		ACL(aclrtMapMem(p + i * PAGE, PAGE, 0, h[i], 0));
	}
	put_pattern(p, N * PAGE, 8);
	CHECK_DEVICE(p, N * PAGE, 8);
	/* small copies over an edge, which the CPU could do for one mapping */
	host = host_alloc(4096);
	fill_pattern(host, 4096, 9);
	ACL(aclrtMemcpy(p + PAGE - 1000, 4096, host, 4096, ACL_MEMCPY_HOST_TO_DEVICE));
	CHECK_DEVICE(p + PAGE - 1000, 4096, 9);
	pinned = pinned_alloc(N * PAGE);
	ACL(aclrtMemcpyAsync(pinned, N * PAGE, p, N * PAGE, ACL_MEMCPY_DEVICE_TO_HOST, stream));
	ACL(aclrtSynchronizeStream(stream));
	CHECK_PATTERN(pinned, PAGE - 1000, 8);
	ACL(aclrtMemset(p + PAGE / 2, N * PAGE, 0x5a, 3 * PAGE));
	CHECK_EQ(read_u64(p + 3 * PAGE), 0x5a5a5a5a5a5a5a5a);
	ACL(aclrtMemcpy(p, PAGE * 2, p + 3 * PAGE, 2 * PAGE, ACL_MEMCPY_DEVICE_TO_DEVICE));
	/* over the end, and over a hole */
	FAILS(aclrtMemcpy(p + PAGE, N * PAGE, p, N * PAGE, ACL_MEMCPY_DEVICE_TO_DEVICE),
	      ACL_ERROR_RT_PARAM_INVALID);
	ACL(aclrtUnmapMem(p + 2 * PAGE));
	FAILS(aclrtMemset(p, N * PAGE, 0, N * PAGE), ACL_ERROR_RT_PARAM_INVALID, "leaves");
	FAILS(aclrtMemset(p + 2 * PAGE, PAGE, 0, 8), ACL_ERROR_RT_PARAM_INVALID);
	ACL(aclrtMemset(p, N * PAGE, 0, 2 * PAGE));
	for (int i = 0; i < N; i++)
		ACL(aclrtFreePhysical(h[i]));
}

static void rights(void)
{
	aclrtMemAccessDesc desc = { .flags = ACL_RT_MEM_ACCESS_FLAGS_READ,
				    .location = { 0, ACL_MEM_LOCATION_TYPE_DEVICE } };
	aclrtMemLocation here = { 0, ACL_MEM_LOCATION_TYPE_DEVICE };
	aclrtDrvMemHandle a, b;
	uint64_t flag, *out;
	char *p;

	start();
	out = dev_alloc(8);
	p = reserve(4 * PAGE);
	a = physical(PAGE);
	b = physical(PAGE);
	ACL(aclrtMapMem(p, PAGE, 0, a, 0));
	ACL(aclrtMemMapNoAccess(p + PAGE, PAGE, 0, b, 0));
	ACL(aclrtMemGetAccess(p + 100, &here, &flag));
	CHECK_EQ(flag, ACL_RT_MEM_ACCESS_FLAGS_READWRITE);
	ACL(aclrtMemGetAccess(p + PAGE, &here, &flag));
	CHECK_EQ(flag, ACL_RT_MEM_ACCESS_FLAGS_NONE);
	here.type = ACL_MEM_LOCATION_TYPE_HOST; /* memory of the device is not the CPU's */
	ACL(aclrtMemGetAccess(p, &here, &flag));
	CHECK_EQ(flag, ACL_RT_MEM_ACCESS_FLAGS_NONE);
	here.type = ACL_MEM_LOCATION_TYPE_DEVICE;
	LAUNCH(op("store"), 1, NULL, U64(p + PAGE), 1);
	FAILS(aclrtSynchronizeStream(NULL), ACL_ERROR_RT_AICORE_EXCEPTION);
	/* both mappings at once */
	ACL(aclrtMemSetAccess(p, 2 * PAGE, &desc, 1));
	ACL(aclrtMemGetAccess(p + PAGE, &here, &flag));
	CHECK_EQ(flag, ACL_RT_MEM_ACCESS_FLAGS_READ);
	LAUNCH(op("load_store"), 1, NULL, U64(out), U64(p + PAGE));
	ACL(aclrtSynchronizeStream(NULL));
	LAUNCH(op("store"), 1, NULL, U64(p), 1);
	FAILS(aclrtSynchronizeStream(NULL), ACL_ERROR_RT_AICORE_EXCEPTION, "write");
	desc.flags = ACL_RT_MEM_ACCESS_FLAGS_READWRITE;
	ACL(aclrtMemSetAccess(p + PAGE, PAGE, &desc, 1));
	LAUNCH(op("store"), 1, NULL, U64(p + PAGE), 5);
	ACL(aclrtSynchronizeStream(NULL));
	CHECK_EQ(read_u64(p + PAGE), 5);
	desc.flags = ACL_RT_MEM_ACCESS_FLAGS_NONE;
	ACL(aclrtMemSetAccess(p + PAGE, PAGE, &desc, 1));
	LAUNCH(op("store"), 1, NULL, U64(p + PAGE), 5);
	FAILS(aclrtSynchronizeStream(NULL), ACL_ERROR_RT_AICORE_EXCEPTION);
	desc.flags = (aclrtMemAccessFlags)2;
	FAILS(aclrtMemSetAccess(p, PAGE, &desc, 1), ACL_ERROR_INVALID_PARAM, "2");
	desc.flags = ACL_RT_MEM_ACCESS_FLAGS_READ;
	FAILS(aclrtMemSetAccess(p, PAGE / 2, &desc, 1), ACL_ERROR_RT_PARAM_INVALID, "ends inside");
	FAILS(aclrtMemSetAccess(p + 64, PAGE, &desc, 1), ACL_ERROR_RT_PARAM_INVALID, "inside");
	FAILS(aclrtMemSetAccess(p, 3 * PAGE, &desc, 1), ACL_ERROR_RT_PARAM_INVALID,
	      "mapped nothing");
	FAILS(aclrtMemSetAccess(p, 0, &desc, 1), ACL_ERROR_INVALID_PARAM);
	FAILS(aclrtMemSetAccess(p, PAGE, &desc, 0), ACL_ERROR_INVALID_PARAM);
	FAILS(aclrtMemSetAccess(p, PAGE, NULL, 1), ACL_ERROR_INVALID_PARAM);
	desc.location.id = 1;
	FAILS(aclrtMemSetAccess(p, PAGE, &desc, 1), ACL_ERROR_RT_INVALID_DEVICEID, "1");
	desc.location.type = ACL_MEM_LOCATION_TYPE_HOST;
	FAILS(aclrtMemSetAccess(p, PAGE, &desc, 1), ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "by copies");
	FAILS(aclrtMemGetAccess(p + 3 * PAGE, &here, &flag), ACL_ERROR_RT_PARAM_INVALID);
}

static aclrtDrvMemHandle host_physical(size_t size, aclrtMemLocationType type)
{
	aclrtPhysicalMemProp prop = { .location = { 0, type } };
	aclrtDrvMemHandle h = NULL;

	prop.memAttr = ACL_DDR_MEM_HUGE;
	ACL(aclrtMallocPhysical(&h, size, &prop, 0));
	return h;
}

/* An access that the mapping forbids ends the process */
static bool faults(char *p, bool write)
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		signal(SIGSEGV, SIG_DFL);
		if (write)
			*(volatile char *)p = 1;
		else
			(void)*(volatile char *)p;
		_exit(0);
	}
	CHECK(waitpid(pid, &status, 0) == pid);
	return WIFSIGNALED(status);
}

static void host_access(char *p, aclrtMemAccessFlags flags)
{
	aclrtMemAccessDesc desc = { .flags = flags, .location = { 0, ACL_MEM_LOCATION_TYPE_HOST } };
	uint64_t now;

	ACL(aclrtMemSetAccess(p, PAGE, &desc, 1));
	ACL(aclrtMemGetAccess(p, &desc.location, &now));
	CHECK_EQ(now, flags);
	desc.location.type = ACL_MEM_LOCATION_TYPE_MANAGED; /* which is no place that has rights */
	ACL(aclrtMemGetAccess(p, &desc.location, &now));
	CHECK_EQ(now, ACL_RT_MEM_ACCESS_FLAGS_NONE);
}

static void memory_of_the_host_is_there_for_the_cpu(void)
{
	static const aclrtMemLocationType types[] = { ACL_MEM_LOCATION_TYPE_HOST,
						      ACL_MEM_LOCATION_TYPE_HOST_NUMA };
	aclrtPtrAttributes attributes;
	aclrtDrvMemHandle h;
	char *p, *copy;

	start();
	p = reserve(3 * PAGE);
	copy = host_alloc(PAGE);
	for (int i = 0; i < 2; i++) {
		h = host_physical(PAGE, types[i]);
		ACL(aclrtMapMem(p + PAGE, PAGE, 0, h, 0));
		fill_pattern(p + PAGE, PAGE, 3 + i);
		ACL(aclrtPointerGetAttributes(p + PAGE + 100, &attributes));
		CHECK_EQ(attributes.location.type, ACL_MEM_LOCATION_TYPE_HOST);
		CHECK(faults(p, false) && faults(p + 2 * PAGE, true));
		/* the device sees it at the same address, and copies take it as memory of either side */
		LAUNCH(op("store"), 1, NULL, U64(p + PAGE), 0x1234);
		ACL(aclrtSynchronizeStream(NULL));
		CHECK_EQ(*(uint64_t *)(p + PAGE), 0x1234);
		fill_pattern(p + PAGE, PAGE, 3 + i);
		ACL(aclrtMemcpy(copy, PAGE, p + PAGE, PAGE, ACL_MEMCPY_DEFAULT));
		CHECK_PATTERN(copy, PAGE, 3 + i);
		ACL(aclrtMemcpyAsync(dev_alloc(PAGE), PAGE, p + PAGE, PAGE, ACL_MEMCPY_HOST_TO_DEVICE, NULL));
		ACL(aclrtSynchronizeStream(NULL));
		host_access(p + PAGE, ACL_RT_MEM_ACCESS_FLAGS_READ);
		CHECK(!faults(p + PAGE, false) && faults(p + PAGE, true));
		host_access(p + PAGE, ACL_RT_MEM_ACCESS_FLAGS_NONE);
		CHECK(faults(p + PAGE, false));
		host_access(p + PAGE, ACL_RT_MEM_ACCESS_FLAGS_READWRITE);
		CHECK_PATTERN(p + PAGE, PAGE, 3 + i);
		ACL(aclrtUnmapMem(p + PAGE));
		CHECK(faults(p + PAGE, false));
		ACL(aclrtFreePhysical(h));
	}
	h = host_physical(PAGE, ACL_MEM_LOCATION_TYPE_HOST);
	ACL(aclrtMemMapNoAccess(p, PAGE, 0, h, 0));
	CHECK(faults(p, false));
	ACL(aclrtResetDevice(0));
	CHECK(faults(p, false));
}

static void refuses(void *dst, void *src, size_t size, const char *name)
{
	FAILS(aclrtMemcpy(dst, size, src, size, ACL_MEMCPY_DEFAULT), ACL_ERROR_RT_PARAM_INVALID);
	aclrtMemcpy(dst, size, src, size, ACL_MEMCPY_DEFAULT);
	check_facts(aclGetRecentErrMsg(), name, "aclrtMemSetAccess", NULL);
}

/* The CPU does what is small, and has all rights itself */
static void rights_are_those_of_every_size(void)
{
	static const size_t sizes[] = { 1, 4096, 32768, 32769, PAGE };
	aclrtMemAccessDesc desc = { .location = { 0, ACL_MEM_LOCATION_TYPE_DEVICE } };
	char *p, *host, *pinned, *dev;

	start();
	p = reserve(2 * PAGE);
	ACL(aclrtMapMem(p, PAGE, 0, physical(PAGE), 0));
	host = host_alloc(PAGE);
	pinned = pinned_alloc(PAGE);
	dev = dev_alloc(PAGE);
	ACL(aclrtMemset(p, PAGE, 7, PAGE));
	desc.flags = ACL_RT_MEM_ACCESS_FLAGS_READ;
	for (int none = 0; none < 2; none++) {
		ACL(aclrtMemSetAccess(p, PAGE, &desc, 1));
		for (int i = 0; i < 5; i++) {
			refuses(p, host, sizes[i], "dst");
			refuses(p, pinned, sizes[i], "dst");
			refuses(p, dev, sizes[i], "write");
			FAILS(aclrtMemset(p, PAGE, 1, sizes[i]), ACL_ERROR_RT_PARAM_INVALID, "devPtr");
			if (none) {
				refuses(host, p, sizes[i], "src");
				refuses(dev, p, sizes[i], "read");
			} else {
				ACL(aclrtMemcpy(host, PAGE, p, sizes[i], ACL_MEMCPY_DEVICE_TO_HOST));
				CHECK(host[0] == 7 && host[sizes[i] - 1] == 7);
			}
		}
		desc.flags = ACL_RT_MEM_ACCESS_FLAGS_NONE;
	}
	/* what only the host may touch is memory of the host */
	ACL(aclrtMapMem(p + PAGE, PAGE, 0, host_physical(PAGE, ACL_MEM_LOCATION_TYPE_HOST), 0));
	ACL(aclrtMemSetAccess(p + PAGE, PAGE, &desc, 1));
	memset(p + PAGE, 9, PAGE);
	for (int i = 0; i < 5; i++) {
		ACL(aclrtMemcpy(dev, PAGE, p + PAGE, sizes[i], ACL_MEMCPY_HOST_TO_DEVICE));
		ACL(aclrtMemset(p + PAGE, PAGE, 9, sizes[i]));
	}
	ACL(aclrtMemcpy(host, PAGE, dev, PAGE, ACL_MEMCPY_DEVICE_TO_HOST));
	CHECK(host[0] == 9 && host[PAGE - 1] == 9);
}

/* A copy over the edge of two mappings needs the right for both, of one side for all of it. */
static void rights_over_an_edge(void)
{
	static const struct {
		aclrtMemAccessFlags dev[2], cpu[2];
		bool reads, writes;
	} rows[] = {
#define N ACL_RT_MEM_ACCESS_FLAGS_NONE
#define R ACL_RT_MEM_ACCESS_FLAGS_READ
#define W ACL_RT_MEM_ACCESS_FLAGS_READWRITE
		{ { W, W }, { N, N }, true, true }, { { N, N }, { W, W }, true, true },
		{ { N, W }, { N, N }, false, false }, { { W, N }, { N, N }, false, false },
		{ { N, N }, { N, W }, false, false }, { { N, N }, { W, N }, false, false },
		{ { W, N }, { N, W }, false, false }, { { N, W }, { W, N }, false, false },
		{ { R, W }, { N, N }, true, false }, { { W, R }, { N, N }, true, false },
		{ { N, N }, { R, W }, true, false }, { { N, N }, { W, R }, true, false },
		{ { R, R }, { W, W }, true, true }, { { W, W }, { R, R }, true, true },
#undef N
#undef R
#undef W
	};
	aclrtMemAccessDesc desc = { .location = { 0, ACL_MEM_LOCATION_TYPE_DEVICE } };
	char *p, *edge, *host;

	start();
	p = reserve(2 * PAGE);
	host = host_alloc(4096);
	edge = p + PAGE - 2048;
	for (int i = 0; i < 2; i++)
		ACL(aclrtMapMem(p + i * PAGE, PAGE, 0, host_physical(PAGE, ACL_MEM_LOCATION_TYPE_HOST), 0));
	fill_pattern(edge, 4096, 5);
	for (size_t n = 0; n < sizeof(rows) / sizeof(rows[0]); n++) {
		for (int i = 0; i < 2; i++) {
			desc.flags = rows[n].dev[i];
			ACL(aclrtMemSetAccess(p + i * PAGE, PAGE, &desc, 1));
			host_access(p + i * PAGE, rows[n].cpu[i]);
		}
		memset(host, 0, 4096);
		if (rows[n].reads)
			ACL(aclrtMemcpy(host, 4096, edge, 4096, ACL_MEMCPY_DEFAULT));
		else
			FAILS(aclrtMemcpy(host, 4096, edge, 4096, ACL_MEMCPY_DEFAULT), ACL_ERROR_RT_PARAM_INVALID, "read");
		if (rows[n].reads)
			CHECK_PATTERN(host, 4096, 5);
		fill_pattern(host, 4096, 5);
		if (rows[n].writes)
			ACL(aclrtMemcpy(edge, 4096, host, 4096, ACL_MEMCPY_DEFAULT));
		else
			FAILS(aclrtMemcpy(edge, 4096, host, 4096, ACL_MEMCPY_DEFAULT), ACL_ERROR_RT_PARAM_INVALID, "write");
	}
}

static int open_files(void)
{
	char path[64];
	int n = 0;

	for (int fd = 0; fd < 1024; fd++) {
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		n += !access(path, F_OK);
	}
	return n;
}

/* A number stands for memory as long as that has a handle or a mapping here */
static void shared_memory_ends_with_its_last_use(void)
{
	aclrtDrvMemHandle h;
	uint64_t number;
	size_t before;
	int files;
	char *p;

	start();
	p = reserve(PAGE);
	h = physical(PAGE);
	ACL(aclrtMemExportToShareableHandle(h, ACL_MEM_HANDLE_TYPE_NONE, 0, &number));
	ACL(aclrtFreePhysical(h));
	before = free_hbm();
	files = open_files();
	for (int i = 0; i < 20; i++) {
		h = physical(PAGE);
		ACL(aclrtMemExportToShareableHandle(h, ACL_MEM_HANDLE_TYPE_NONE, 0, &number));
		ACL(aclrtMemExportToShareableHandle(h, ACL_MEM_HANDLE_TYPE_NONE, 0, &number));
		ACL(aclrtMapMem(p, PAGE, 0, h, 0));
		ACL(aclrtFreePhysical(h));
		CHECK_EQ(open_files(), files + 2);
		ACL(aclrtUnmapMem(p));
		CHECK_EQ(open_files(), files);
	}
	CHECK(near(free_hbm(), before));
}

static void handles(void)
{
	aclrtDrvMemHandle h, again = NULL, third = NULL;
	aclrtPhysicalMemProp prop;
	char *p;

	start();
	p = reserve(PAGE);
	h = physical(PAGE);
	ACL(aclrtMapMem(p, PAGE, 0, h, 0));
	ACL(aclrtMemRetainAllocationHandle(p + 5000, &again));
	CHECK(again == h);
	ACL(aclrtFreePhysical(h));
	ACL(aclrtMemGetAllocationPropertiesFromHandle(again, &prop));
	CHECK_EQ(prop.location.type, ACL_MEM_LOCATION_TYPE_DEVICE);
	CHECK_EQ(prop.location.id, 0);
	ACL(aclrtFreePhysical(again));
	FAILS(aclrtMemGetAllocationPropertiesFromHandle(h, &prop), ACL_ERROR_RT_INVALID_HANDLE);
	/* the mapping still has it */
	ACL(aclrtMemRetainAllocationHandle(p, &third));
	ACL(aclrtUnmapMem(p));
	ACL(aclrtMapMem(p, PAGE, 0, third, 0));
	ACL(aclrtFreePhysical(third));
	FAILS(aclrtMemRetainAllocationHandle(dev_alloc(64), &h), ACL_ERROR_RT_PARAM_INVALID);
	FAILS(aclrtMemRetainAllocationHandle(&h, &h), ACL_ERROR_RT_PARAM_INVALID);
	FAILS(aclrtMemRetainAllocationHandle(NULL, &h), ACL_ERROR_INVALID_PARAM);
	FAILS(aclrtMemRetainAllocationHandle(p, NULL), ACL_ERROR_INVALID_PARAM);
	FAILS(aclrtFreePhysical(NULL), ACL_ERROR_INVALID_PARAM);
	FAILS(aclrtFreePhysical(p), ACL_ERROR_RT_INVALID_HANDLE);
}

static void reserved_addresses(void)
{
	aclrtPtrAttributes attr;
	void *p, *wanted, *q;

	start();
	p = reserve(3 * PAGE);
	FAILS(aclrtMemcpy(p, 8, &p, 8, ACL_MEMCPY_HOST_TO_DEVICE), ACL_ERROR_RT_PARAM_INVALID);
	FAILS(aclrtFree(p), ACL_ERROR_RT_PARAM_INVALID);
	FAILS(aclrtPointerGetAttributes(p, &attr), ACL_ERROR_RT_PARAM_INVALID);
	wanted = (char *)p + 64 * PAGE;
	ACL(aclrtReserveMemAddress(&q, 100, 0, wanted, 0));
	CHECK(q == wanted);
	/* taken: somewhere else then */
	ACL(aclrtReserveMemAddress(&q, PAGE, PAGE, wanted, 0));
	CHECK(q != wanted);
	ACL(aclrtReleaseMemAddress(wanted));
	ACL(aclrtReserveMemAddressNoUCMemory(&q, PAGE, 0, wanted, 0));
	CHECK(q == wanted);
	FAILS(aclrtReleaseMemAddress((char *)p + PAGE), ACL_ERROR_RT_PARAM_INVALID, "start");
	ACL(aclrtReleaseMemAddress(p));
	FAILS(aclrtReleaseMemAddress(p), ACL_ERROR_RT_PARAM_INVALID);
	FAILS(aclrtReleaseMemAddress(dev_alloc(PAGE)), ACL_ERROR_RT_PARAM_INVALID);
	FAILS(aclrtReleaseMemAddress(NULL), ACL_ERROR_INVALID_PARAM);
	FAILS(aclrtReserveMemAddress(NULL, PAGE, 0, NULL, 0), ACL_ERROR_INVALID_PARAM, "virPtr");
	FAILS(aclrtReserveMemAddress(&p, 0, 0, NULL, 0), ACL_ERROR_INVALID_PARAM, "size");
	FAILS(aclrtReserveMemAddress(&p, PAGE, 3, NULL, 0), ACL_ERROR_INVALID_PARAM, "alignment");
	FAILS(aclrtReserveMemAddress(&p, PAGE, 2 * PAGE, NULL, 0), ACL_ERROR_INVALID_PARAM);
	FAILS(aclrtReserveMemAddress(&p, PAGE, 0, NULL, 2), ACL_ERROR_INVALID_PARAM, "flags");
	FAILS(aclrtReserveMemAddress(&p, 1UL << 50, 0, NULL, 0), ACL_ERROR_RT_MEMORY_ALLOCATION);
	FAILS(aclrtReserveMemAddress(&p, ~0UL, 0, NULL, 0), ACL_ERROR_RT_MEMORY_ALLOCATION);
}

/* Ranges of half the size, and of half that, until there is none; all come back */
static void addresses_run_out(void)
{
	void *p[64], *all;
	size_t size = 1UL << 46, n = 0;
	aclError ret;

	start();
	do
		ret = aclrtReserveMemAddress(&p[0], size /= 2, 0, NULL, 0);
	while (ret == ACL_ERROR_RT_MEMORY_ALLOCATION);
	CHECK_EQ(ret, ACL_SUCCESS);
	for (n = 1; size >= PAGE && n < 64; n++)
		while (aclrtReserveMemAddress(&p[n], size, 0, NULL, 0) && size >= PAGE)
			size /= 2;
	CHECK(n < 64);
	FAILS(aclrtReserveMemAddress(&all, PAGE, 0, NULL, 0), ACL_ERROR_RT_MEMORY_ALLOCATION, "no range of 2 MiB left");
	for (size_t i = 1; i < n; i++) /* none is given twice */
		for (size_t k = 0; k < i; k++)
			CHECK(p[i] != p[k] || size < PAGE);
	ACL(aclrtReleaseMemAddress(p[0]));
	ACL(aclrtReserveMemAddress(&all, PAGE, 0, NULL, 0));
}

static void errors_of_physical_memory(void)
{
	aclrtPhysicalMemProp prop = on_device;
	aclrtDrvMemHandle h;
	size_t n;

	start();
	FAILS(aclrtMallocPhysical(NULL, PAGE, &prop, 0), ACL_ERROR_INVALID_PARAM, "handle");
	FAILS(aclrtMallocPhysical(&h, PAGE, NULL, 0), ACL_ERROR_INVALID_PARAM, "prop");
	FAILS(aclrtMallocPhysical(&h, PAGE, &prop, 1), ACL_ERROR_INVALID_PARAM, "flags");
	FAILS(aclrtMallocPhysical(&h, PAGE + 4096, &prop, 0), ACL_ERROR_INVALID_PARAM, "2097152");
	FAILS(aclrtMallocPhysical(&h, 0, &prop, 0), ACL_ERROR_INVALID_PARAM);
	FAILS(aclrtMallocPhysical(&h, 1UL << 40, &prop, 0), ACL_ERROR_RT_MEMORY_ALLOCATION,
	      "1 TiB");
	for (prop.location.type = ACL_MEM_LOCATION_TYPE_HOST;
	     prop.location.type <= ACL_MEM_LOCATION_TYPE_DEVICE; prop.location.type++)
		for (int bit = 50; bit < 64; bit++)
			FAILS(aclrtMallocPhysical(&h, 1UL << bit, &prop, 0),
			      ACL_ERROR_RT_MEMORY_ALLOCATION, "TiB");
	prop = on_device;
	prop.location.id = 1;
	FAILS(aclrtMallocPhysical(&h, PAGE, &prop, 0), ACL_ERROR_RT_INVALID_DEVICEID, "1");
	prop.location.type = ACL_MEM_LOCATION_TYPE_MANAGED;
	FAILS(aclrtMallocPhysical(&h, PAGE, &prop, 0), ACL_ERROR_INVALID_PARAM, "location");
	prop = on_device;
	prop.memAttr = (aclrtMemAttr)99;
	FAILS(aclrtMallocPhysical(&h, PAGE, &prop, 0), ACL_ERROR_INVALID_PARAM, "99");
	prop = on_device;
	prop.allocationType = (aclrtMemAllocationType)5;
	FAILS(aclrtMallocPhysical(&h, PAGE, &prop, 0), ACL_ERROR_INVALID_PARAM, "5");
	prop = on_device;
	prop.handleType = (aclrtMemHandleType)1;
	FAILS(aclrtMemGetAllocationGranularity(&prop, 0, &n), ACL_ERROR_INVALID_PARAM, "handleType");
	prop = on_device;
	FAILS(aclrtMemGetAllocationGranularity(&prop, (aclrtMemGranularityOptions)7, &n),
	      ACL_ERROR_INVALID_PARAM, "7");
	FAILS(aclrtMemGetAllocationGranularity(NULL, 0, &n), ACL_ERROR_INVALID_PARAM);
	FAILS(aclrtMemGetAllocationGranularity(&prop, 0, NULL), ACL_ERROR_INVALID_PARAM);
}

static void errors_of_mapping(void)
{
	aclrtDrvMemHandle h;
	char *p;

	start();
	p = reserve(4 * PAGE);
	h = physical(2 * PAGE);
	FAILS(aclrtMapMem(NULL, PAGE, 0, h, 0), ACL_ERROR_INVALID_PARAM, "virPtr");
	FAILS(aclrtMapMem(p, PAGE, 0, NULL, 0), ACL_ERROR_INVALID_PARAM, "handle");
	FAILS(aclrtMapMem(p, PAGE, 0, p, 0), ACL_ERROR_RT_INVALID_HANDLE);
	FAILS(aclrtMapMem(p, PAGE, 0, h, 1), ACL_ERROR_INVALID_PARAM, "flags");
	FAILS(aclrtMapMem(p, PAGE, PAGE, h, 0), ACL_ERROR_INVALID_PARAM, "offset");
	FAILS(aclrtMapMem(p + 4096, PAGE, 0, h, 0), ACL_ERROR_INVALID_PARAM);
	FAILS(aclrtMapMem(p, 4096, 0, h, 0), ACL_ERROR_INVALID_PARAM);
	FAILS(aclrtMapMem(p, 3 * PAGE, 0, h, 0), ACL_ERROR_INVALID_PARAM, "has 4194304");
	FAILS(aclrtMapMem(p + 3 * PAGE, 2 * PAGE, 0, h, 0), ACL_ERROR_RT_PARAM_INVALID, "leave");
	FAILS(aclrtMapMem(dev_alloc(PAGE), PAGE, 0, h, 0), ACL_ERROR_RT_PARAM_INVALID);
	ACL(aclrtMapMem(p + PAGE, PAGE, 0, h, 0));
	FAILS(aclrtMapMem(p, 2 * PAGE, 0, h, 0), ACL_ERROR_RT_PARAM_INVALID, "already");
	FAILS(aclrtMapMem(p + PAGE, PAGE, 0, h, 0), ACL_ERROR_RT_PARAM_INVALID);
	FAILS(aclrtReleaseMemAddress(p), ACL_ERROR_RT_PARAM_INVALID, "aclrtUnmapMem");
	FAILS(aclrtFree(p + PAGE), ACL_ERROR_RT_PARAM_INVALID, "aclrtUnmapMem");
	FAILS(aclrtUnmapMem(p), ACL_ERROR_RT_PARAM_INVALID);
	FAILS(aclrtUnmapMem(p + PAGE + 64), ACL_ERROR_RT_PARAM_INVALID, "start");
	FAILS(aclrtUnmapMem(NULL), ACL_ERROR_INVALID_PARAM);
	ACL(aclrtUnmapMem(p + PAGE));
	FAILS(aclrtUnmapMem(p + PAGE), ACL_ERROR_RT_PARAM_INVALID);
}

static void on_the_host(void)
{
	aclrtPhysicalMemProp prop = on_device;
	aclrtDrvMemHandle h;
	size_t before;
	char *p;

	start();
	before = free_hbm();
	prop.location.type = ACL_MEM_LOCATION_TYPE_HOST;
	ACL(aclrtMallocPhysical(&h, PAGE, &prop, 0));
	p = reserve(PAGE);
	ACL(aclrtMapMem(p, PAGE, 0, h, 0));
	CHECK(near(free_hbm(), before));
	put_pattern(p, PAGE, 4);
	CHECK_DEVICE(p, PAGE, 4);
	ACL(aclrtMemGetAllocationPropertiesFromHandle(h, &prop));
	CHECK_EQ(prop.location.type, ACL_MEM_LOCATION_TYPE_HOST);
}

/* A reset takes everything, whatever was still mapped */
static void a_reset_ends_it_all(void)
{
	size_t before;

	start();
	before = free_hbm();
	for (int i = 0; i < 20; i++) {
		aclrtDrvMemHandle h = physical(4 * PAGE);
		char *p = reserve(8 * PAGE);

		ACL(aclrtMapMem(p + (i % 4) * PAGE, 4 * PAGE, 0, h, 0));
		if (i & 1)
			ACL(aclrtFreePhysical(h));
		ACL(aclrtMemset(p + (i % 4) * PAGE, 4 * PAGE, 0, 4 * PAGE));
		ACL(aclrtResetDevice(0));
		FAILS(aclrtUnmapMem(p), ACL_ERROR_RT_PARAM_INVALID);
		ACL(aclrtSetDevice(0));
	}
	UNTIL(near(free_hbm(), before));
	CHECK(near(free_hbm(), before));
}

TAP_MAIN(TEST(map_use_unmap),
	 TEST(across_mappings),
	 TEST(rights),
	 TEST(handles),
	 TEST(memory_of_the_host_is_there_for_the_cpu),
	 TEST(rights_are_those_of_every_size), TEST(rights_over_an_edge),
	 TEST(shared_memory_ends_with_its_last_use),
	 TEST(reserved_addresses), TEST(addresses_run_out),
	 TEST(errors_of_physical_memory),
	 TEST(errors_of_mapping),
	 TEST(on_the_host),
	 TEST(a_reset_ends_it_all))
