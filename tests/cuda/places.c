// SPDX-License-Identifier: MIT
/* Places of memory by structures, several stores and waits at a time, boxes between devices, kernels of libraries. */
#include "cutest.h"

#define MANAGED (2u << 20)

static void advice_by_places_is_answered(void)
{
	CUmemLocation device = { CU_MEM_LOCATION_TYPE_DEVICE, 0 }, host = { CU_MEM_LOCATION_TYPE_HOST, 0 },
		      none = { CU_MEM_LOCATION_TYPE_INVALID, 0 };
	CUmem_range_attribute which[] = { CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY };
	int value = 7, type = 7, by[2] = { 7, 7 };
	void *out[] = { &value, by };
	size_t sizes[] = { sizeof(value), sizeof(by) };
	CUdeviceptr p, q;

	start();
	CU(cuMemAllocManaged(&p, MANAGED, CU_MEM_ATTACH_GLOBAL));
	CU(cuMemRangeGetAttribute(&value, sizeof(value), CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, p, MANAGED));
	CHECK_EQ(value, CU_DEVICE_INVALID);
	CU(cuMemAdvise_v2(p, MANAGED, CU_MEM_ADVISE_SET_READ_MOSTLY, none));
	CU(cuMemAdvise_v2(p, MANAGED, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, device));
	CU(cuMemAdvise_v2(p, MANAGED, CU_MEM_ADVISE_SET_ACCESSED_BY, device));
	FAILS(cuMemAdvise_v2(p, MANAGED, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, none), CUDA_ERROR_INVALID_VALUE,
	      "location.type is 0");
	CU(cuMemRangeGetAttribute(&value, sizeof(value), CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, p, MANAGED));
	CHECK_EQ(value, 0);
	CU(cuMemRangeGetAttribute(&type, sizeof(type), CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE, p, MANAGED));
	CHECK_EQ(type, CU_MEM_LOCATION_TYPE_DEVICE);
	CU(cuMemRangeGetAttributes(out, sizes, which, 2, p, MANAGED));
	CHECK_EQ(value, 1);
	CHECK_EQ(by[0], 0);
	CHECK_EQ(by[1], CU_DEVICE_INVALID);
	CU(cuMemPrefetchAsync_v2(p, MANAGED, host, 0, NULL));
	CU(cuMemRangeGetAttribute(&value, sizeof(value), CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, p, MANAGED));
	CHECK_EQ(value, CU_DEVICE_CPU);
	CU(cuMemRangeGetAttribute(&type, sizeof(type), CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE, p, MANAGED));
	CHECK_EQ(type, CU_MEM_LOCATION_TYPE_HOST);
	FAILS(cuMemPrefetchAsync_v2(p, MANAGED, host, 1, NULL), CUDA_ERROR_INVALID_VALUE, "flags");
	FAILS(cuMemRangeGetAttribute(&value, 8, which[0], p, MANAGED), CUDA_ERROR_INVALID_VALUE, "dataSize is 8");
	FAILS(cuMemRangeGetAttribute(&value, 3, CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, p, MANAGED), CUDA_ERROR_INVALID_VALUE,
	      "dataSize is 3");
	FAILS(cuMemRangeGetAttribute(&value, 4, (CUmem_range_attribute)9, p, MANAGED), CUDA_ERROR_INVALID_VALUE,
	      "attribute is 9");
	FAILS(cuMemRangeGetAttributes(out, sizes, which, 0, p, MANAGED), CUDA_ERROR_INVALID_VALUE, "numAttributes");
	q = dev_alloc(64);
	FAILS(cuMemRangeGetAttribute(&value, 4, which[0], q, 64), CUDA_ERROR_INVALID_VALUE, "managed");
	CU(cuMemFree(p));
}

static void pools_are_of_one_device(void)
{
	CUmemLocation here = { CU_MEM_LOCATION_TYPE_DEVICE, 0 }, host = { CU_MEM_LOCATION_TYPE_HOST, 0 };
	CUmemAccessDesc map = { { CU_MEM_LOCATION_TYPE_DEVICE, 0 }, CU_MEM_ACCESS_FLAGS_PROT_READWRITE };
	CUmemAccess_flags flags = CU_MEM_ACCESS_FLAGS_PROT_NONE;
	CUmemoryPool pool;

	start();
	CU(cuDeviceGetDefaultMemPool(&pool, 0));
	CU(cuMemPoolGetAccess(&flags, pool, &here));
	CHECK_EQ(flags, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
	CU(cuMemPoolSetAccess(pool, &map, 1));
	map.flags = CU_MEM_ACCESS_FLAGS_PROT_NONE;
	FAILS(cuMemPoolSetAccess(pool, &map, 1), CUDA_ERROR_INVALID_VALUE, "own device");
	map.location.id = 77;
	FAILS(cuMemPoolSetAccess(pool, &map, 1), CUDA_ERROR_INVALID_DEVICE, "77");
	FAILS(cuMemPoolGetAccess(&flags, pool, &host), CUDA_ERROR_INVALID_VALUE, "location->type is 2");
}

static void stores_and_waits_come_in_order(void)
{
	CUstreamBatchMemOpParams ops_[] = {
		{ .writeValue = { .operation = CU_STREAM_MEM_OP_WRITE_VALUE_32, .value = 3 } },
		{ .waitValue = { .operation = CU_STREAM_MEM_OP_WAIT_VALUE_32, .value = 3,
				 .flags = CU_STREAM_WAIT_VALUE_EQ } },
		{ .memoryBarrier = { .operation = CU_STREAM_MEM_OP_BARRIER } },
		{ .writeValue = { .operation = CU_STREAM_MEM_OP_WRITE_VALUE_64, .value64 = 1ULL << 40 } },
		{ .waitValue = { .operation = CU_STREAM_MEM_OP_WAIT_VALUE_64, .value64 = 1ULL << 40,
				 .flags = CU_STREAM_WAIT_VALUE_GEQ } },
		{ .flushRemoteWrites = { .operation = CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES } },
	};
	CUdeviceptr p;
	CUstream s;

	start();
	p = dev_alloc(16);
	s = new_stream(CU_STREAM_NON_BLOCKING);
	ops_[0].writeValue.address = ops_[1].waitValue.address = p;
	ops_[3].writeValue.address = ops_[4].waitValue.address = p + 8;
	CU(cuStreamBatchMemOp(s, 6, ops_, 0));
	CU(cuStreamSynchronize(s));
	CHECK_EQ(read_u64(p) & 0xffffffff, 3);
	CHECK_EQ(read_u64(p + 8), 1ULL << 40);
	FAILS(cuStreamBatchMemOp(s, 257, ops_, 0), CUDA_ERROR_INVALID_VALUE, "count is 257");
	FAILS(cuStreamBatchMemOp(s, 1, ops_, 1), CUDA_ERROR_INVALID_VALUE, "flags");
	ops_[0].operation = (CUstreamBatchMemOpType)99;
	FAILS(cuStreamBatchMemOp(s, 1, ops_, 0), CUDA_ERROR_INVALID_VALUE, "paramArray[0].operation is 99");
}

/* Contexts of one device are peers, too */
static void boxes_are_copied_between_contexts(void)
{
	CUcontext a = start(), b;
	CUDA_MEMCPY3D_PEER c = { .srcMemoryType = CU_MEMORYTYPE_DEVICE, .dstMemoryType = CU_MEMORYTYPE_DEVICE,
				 .srcPitch = 8, .dstPitch = 4, .WidthInBytes = 4, .Height = 2, .Depth = 1 };
	uint32_t from[4] = { 1, 2, 3, 4 }, to[2] = { 0 };

	CU(cuCtxCreate(&b, 0, 0));
	c.dstDevice = dev_alloc(8);
	c.dstContext = b;
	CU(cuCtxSetCurrent(a));
	c.srcDevice = dev_alloc(16);
	c.srcContext = a;
	CU(cuMemcpyHtoD(c.srcDevice, from, sizeof(from)));
	CU(cuMemcpy3DPeer(&c));
	CU(cuCtxSynchronize());
	CU(cuMemcpyDtoH(to, c.dstDevice, 8));
	CHECK(to[0] == 1 && to[1] == 3);
	c.srcXInBytes = 4;
	CU(cuMemcpy3DPeerAsync(&c, NULL));
	CU(cuStreamSynchronize(NULL));
	CU(cuMemcpyDtoH(to, c.dstDevice, 8));
	CHECK(to[0] == 2 && to[1] == 4);
	c.srcContext = (CUcontext)0x1234;
	FAILS(cuMemcpy3DPeer(&c), CUDA_ERROR_INVALID_CONTEXT, "0x1234");
	FAILS(cuMemcpy3DPeerAsync(NULL, NULL), CUDA_ERROR_INVALID_VALUE, "pCopy");
	CU(cuCtxDestroy(b));
}

static void a_library_tells_its_kernels(void)
{
	unsigned int n = 0, in_module = 0, i, found = 0;
	CUkernel kernels[256], store;
	const char *name;
	CUlibrary lib;

	start();
	CU(cuLibraryLoadFromFile(&lib, OPS, NULL, NULL, 0, NULL, NULL, 0));
	CU(cuLibraryGetKernelCount(&n, lib));
	CU(cuModuleGetFunctionCount(&in_module, ops()));
	CHECK_EQ(n, in_module);
	CHECK(n > 1 && n < 256);
	CU(cuLibraryEnumerateKernels(kernels, 256, lib));
	CU(cuLibraryGetKernel(&store, lib, "store"));
	for (i = 0; i < n; i++) {
		CU(cuKernelGetName(&name, kernels[i]));
		found += !strcmp(name, "store") && kernels[i] == store;
	}
	CHECK_EQ(found, 1);
	CU(cuKernelSetCacheConfig(store, CU_FUNC_CACHE_PREFER_L1, 0));
	FAILS(cuKernelSetCacheConfig(store, (CUfunc_cache)9, 0), CUDA_ERROR_INVALID_VALUE, "config is 9");
	CU(cuLibraryUnload(lib));
	FAILS(cuLibraryGetKernelCount(&n, lib), CUDA_ERROR_INVALID_HANDLE, "has ended");
	FAILS(cuLibraryEnumerateKernels(kernels, 1, lib), CUDA_ERROR_INVALID_HANDLE, "has ended");
}

/* The program and kernels have them at one address, each sees what the other has stored */
static void managed_variables_are_reached_by_both(void)
{
	CUdeviceptr p = 0, table = 0, out;
	volatile uint64_t *counter;
	unsigned int managed = 0;
	void *args[] = { &out };
	CUfunction f;
	CUmodule m;
	uint64_t value = 0;
	size_t n = 0;

	start();
	out = dev_alloc(8);
	CU(cuModuleLoad(&m, MANAGED_OPS));
	CU(cuModuleGetFunction(&f, m, "swap_managed"));
	CU(cuModuleGetGlobal(&p, &n, m, "managed_counter"));
	CU(cuModuleGetGlobal(&table, NULL, m, "managed_table"));
	CHECK_EQ(n, 8);
	counter = (volatile uint64_t *)(uintptr_t)p;
	CHECK_EQ(*counter, 7);
	*counter = 40;
	*(volatile uint64_t *)(uintptr_t)table = 1;
	CU(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL));
	CU(cuCtxSynchronize());
	CHECK_EQ(read_u64(out), 40);
	CHECK_EQ(*counter, 45);
	CHECK_EQ(((volatile uint64_t *)(uintptr_t)table)[599], p + 1);
	/* they are memory of either side for copies and questions */
	CU(cuMemcpyDtoH(&value, p, 8));
	CHECK_EQ(value, 45);
	value = 3;
	CU(cuMemcpyHtoD(p, &value, 8));
	CU(cuMemcpy(out, p, 8));
	CHECK_EQ(*counter, 3);
	CHECK_EQ(read_u64(out), 3);
	CU(cuPointerGetAttribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, p));
	CHECK_EQ(managed, 1);
	CU(cuModuleGetGlobal(&p, NULL, m, "counter"));
	CU(cuPointerGetAttribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, p));
	CHECK_EQ(managed, 0);
	CU(cuModuleUnload(m));
	FAILS(cuMemcpyDtoH(&value, table, 8), CUDA_ERROR_INVALID_VALUE, "");
}

static void variables_that_no_kernel_uses_are_found(void)
{
	unsigned int value[3] = { 0 };
	CUdeviceptr p = 0;
	CUmodule m;
	size_t n = 0;

	start();
	CU(cuModuleLoad(&m, MANAGED_OPS));
	CU(cuModuleGetGlobal(&p, &n, m, "for_the_program_alone"));
	CHECK_EQ(n, 12);
	CU(cuMemcpyDtoH(value, p, 12));
	CHECK_EQ(value[0] * 100 + value[1] * 10 + value[2], 456);
	CU(cuModuleGetGlobal(&p, &n, m, "constant_for_the_program"));
	CHECK_EQ(n, 8);
	FAILS(cuModuleGetGlobal(&p, &n, m, "absent"), CUDA_ERROR_NOT_FOUND, "absent");
}

/* A static variable has its name for the program, and kernels see what that writes */
static void static_variables_are_written(void)
{
	static const char *const nameless[] = { "_ZN12_GLOBAL__N_118nameless_in_headerE", "_ZN12_GLOBAL__N_117nameless_variableE" };
	unsigned int value[4] = { 5, 6, 7, 8 }, got[5] = { 0 };
	CUdeviceptr p = 0, out;
	void *params[] = { &out };
	CUfunction f;
	CUmodule m;
	size_t n = 0;

	start();
	CU(cuModuleLoad(&m, MANAGED_OPS));
	CU(cuModuleGetFunction(&f, m, "read_static"));
	out = dev_alloc(sizeof(got));
	CU(cuModuleGetGlobal(&p, &n, m, "static_constant"));
	CHECK_EQ(n, 16);
	CU(cuMemcpyHtoD(p, value, 16));
	CU(cuModuleGetGlobal(&p, &n, m, "static_variable"));
	CHECK_EQ(n, 8);
	CU(cuMemcpyHtoD(p, value, 8));
	CU(cuModuleGetGlobal(&p, &n, m, "static_in_header"));
	CHECK_EQ(n, 4);
	CU(cuMemcpyHtoD(p, value + 2, 4));
	/* a namespace without a name makes a variable static, too */
	for (int i = 0; i < 2; i++) {
		CU(cuModuleGetGlobal(&p, &n, m, nameless[i]));
		CHECK_EQ(n, i ? 4 : 8);
		CU(cuMemcpyHtoD(p, value + i, n));
	}
	CU(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
	CU(cuMemcpyDtoH(got, out, sizeof(got)));
	CHECK_EQ(got[0], 8);
	CHECK_EQ(got[1], 6);
	CHECK_EQ(got[2], 7);
	CHECK_EQ(got[3], 6);
	CHECK_EQ(got[4], 6);
	CU(cuModuleGetGlobal(&p, &n, m, "_ZL15static_constant"));
	FAILS(cuModuleGetGlobal(&p, &n, m, "static_constan"), CUDA_ERROR_NOT_FOUND, "static_constan");
}

static void managed_variables_of_a_library(void)
{
	CUdeviceptr p = 0, same = 0;
	CUcontext first, second;
	CUfunction f;
	CUlibrary lib;
	CUmodule m;
	size_t n = 0;

	first = start();
	CU(cuLibraryLoadFromFile(&lib, MANAGED_OPS, NULL, NULL, 0, NULL, NULL, 0));
	CU(cuLibraryGetManaged(&p, &n, lib, "managed_table"));
	CHECK_EQ(n, 4800);
	*(volatile uint64_t *)(uintptr_t)p = 9;
	FAILS(cuLibraryGetManaged(&p, &n, lib, "counter"), CUDA_ERROR_NOT_FOUND, "no __managed__ variable");
	FAILS(cuLibraryGetManaged(&p, &n, lib, "no_such"), CUDA_ERROR_NOT_FOUND, "no_such");
	/* another context finds them, and no kernels of the library */
	CU(cuCtxCreate(&second, 0, 0));
	CU(cuLibraryGetManaged(&same, NULL, lib, "managed_table"));
	CHECK_EQ(same, p);
	FAILS(cuLibraryGetModule(&m, lib), CUDA_ERROR_NOT_SUPPORTED, "__managed__");
	CU(cuCtxDestroy(second));
	CU(cuCtxSetCurrent(first));
	CU(cuLibraryGetModule(&m, lib));
	CU(cuModuleGetFunction(&f, m, "swap_managed"));
	CU(cuLibraryUnload(lib));
	FAILS(cuLibraryGetManaged(&p, &n, lib, "managed_table"), CUDA_ERROR_INVALID_HANDLE, "has ended");
	FAILS(cuMemcpyDtoH(&n, p, 8), CUDA_ERROR_INVALID_VALUE, "");
}

static void devices_are_no_peers_of_themselves(void)
{
	int v;

	start();
	FAILS(cuDeviceGetP2PAttribute(&v, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, 0, 0), CUDA_ERROR_INVALID_DEVICE, "both 0");
	FAILS(cuDeviceGetP2PAttribute(&v, (CUdevice_P2PAttribute)9, 0, 0), CUDA_ERROR_INVALID_VALUE, "attrib is 9");
}

/* Natively, tests/cuda/host: the VM has one device */
static void two_devices_reach_each_other(void)
{
	CUmemLocation other = { CU_MEM_LOCATION_TYPE_DEVICE, 1 };
	CUmemAccessDesc map = { { CU_MEM_LOCATION_TYPE_DEVICE, 1 }, CU_MEM_ACCESS_FLAGS_PROT_READWRITE };
	CUmemAccess_flags flags;
	CUmemoryPool pool;
	int n = 0, v = -1;

	start();
	CU(cuDeviceGetCount(&n));
	if (n < 2)
		SKIP("one device");
	CU(cuDeviceGetP2PAttribute(&v, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, 0, 1));
	CHECK_EQ(v, 1);
	CU(cuDeviceGetP2PAttribute(&v, CU_DEVICE_P2P_ATTRIBUTE_CUDA_ARRAY_ACCESS_SUPPORTED, 0, 1));
	CHECK_EQ(v, 0);
	CU(cuDeviceGetDefaultMemPool(&pool, 0));
	FAILS(cuMemPoolSetAccess(pool, &map, 1), CUDA_ERROR_NOT_SUPPORTED, "gives device 1 access");
	CU(cuMemPoolGetAccess(&flags, pool, &other));
	CHECK_EQ(flags, CU_MEM_ACCESS_FLAGS_PROT_NONE);
}

TAP_MAIN(TEST(advice_by_places_is_answered), TEST(pools_are_of_one_device), TEST(stores_and_waits_come_in_order),
	 TEST(boxes_are_copied_between_contexts), TEST(a_library_tells_its_kernels), TEST(managed_variables_are_reached_by_both),
	 TEST(managed_variables_of_a_library), TEST(variables_that_no_kernel_uses_are_found), TEST(static_variables_are_written), TEST(devices_are_no_peers_of_themselves),
	 TEST(two_devices_reach_each_other))
