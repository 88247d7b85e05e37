// SPDX-License-Identifier: MIT
/* Copies and fills of more bytes than an allocation has, which libacl rounds up. */
#include <sys/mman.h>

#include "cutest.h"

static char bytes[64];

/* The size that was asked for counts, from inner addresses, too */
static void no_copy_leaves_an_allocation(void)
{
	CUdeviceptr p, q;
	CUstream s;

	start();
	s = new_stream(CU_STREAM_NON_BLOCKING);
	p = dev_alloc(8);
	q = dev_alloc(64);
	CU(cuMemcpyHtoD(p, bytes, 8));
	CU(cuMemcpyDtoD(p, q, 8));
	CU(cuMemcpyHtoD(p + 7, bytes, 1));
	FAILS(cuMemcpyHtoD(p, bytes, 9), CUDA_ERROR_INVALID_VALUE, "the destination is the 9 bytes");
	FAILS(cuMemcpyHtoD(p + 7, bytes, 2), CUDA_ERROR_INVALID_VALUE, "has 1 bytes from that address on");
	FAILS(cuMemcpyDtoH(bytes, p, 9), CUDA_ERROR_INVALID_VALUE, "the source is the 9 bytes");
	FAILS(cuMemcpyDtoD(q, p, 9), CUDA_ERROR_INVALID_VALUE, "the source");
	FAILS(cuMemcpyDtoD(p, q, 9), CUDA_ERROR_INVALID_VALUE, "the destination");
	FAILS(cuMemcpy(p, q, 9), CUDA_ERROR_INVALID_VALUE, "of 8 bytes at");
	FAILS(cuMemcpyAsync(q, p, 9, s), CUDA_ERROR_INVALID_VALUE, "the source");
	FAILS(cuMemcpyHtoDAsync(p, bytes, 9, s), CUDA_ERROR_INVALID_VALUE, "the destination");
	FAILS(cuMemcpyDtoHAsync(bytes, p, 9, s), CUDA_ERROR_INVALID_VALUE, "the source");
	FAILS(cuMemcpyDtoDAsync(p, q, 9, s), CUDA_ERROR_INVALID_VALUE, "the destination");
	FAILS(cuMemcpyHtoD(p, bytes, SIZE_MAX), CUDA_ERROR_INVALID_VALUE, "the destination");
	CU(cuStreamSynchronize(s));
}

static void no_fill_leaves_an_allocation(void)
{
	CUdeviceptr p;

	start();
	p = dev_alloc(12);
	CU(cuMemsetD8(p, 1, 12));
	CU(cuMemsetD32(p, 1, 3));
	CU(cuMemsetD2D8(p, 8, 1, 4, 2));
	FAILS(cuMemsetD8(p, 1, 13), CUDA_ERROR_INVALID_VALUE, "the range to fill is the 13 bytes");
	FAILS(cuMemsetD16(p + 2, 1, 6), CUDA_ERROR_INVALID_VALUE, "12 bytes");
	FAILS(cuMemsetD32Async(p, 1, 4, NULL), CUDA_ERROR_INVALID_VALUE, "16 bytes");
	FAILS(cuMemsetD32(p, 1, SIZE_MAX / 2), CUDA_ERROR_INVALID_VALUE, "the range to fill");
	FAILS(cuMemsetD2D8(p, 8, 1, 5, 2), CUDA_ERROR_INVALID_VALUE, "13 bytes");
	FAILS(cuMemsetD2D32Async(p, 8, 1, 1, 3, NULL), CUDA_ERROR_INVALID_VALUE, "20 bytes");
	CU(cuCtxSynchronize());
}

static void no_rows_leave_an_allocation(void)
{
	CUDA_MEMCPY2D c = { .srcMemoryType = CU_MEMORYTYPE_HOST, .srcHost = bytes, .srcPitch = 8,
			    .dstMemoryType = CU_MEMORYTYPE_DEVICE, .dstPitch = 8, .WidthInBytes = 4, .Height = 2 };
	CUDA_MEMCPY3D box = { .srcMemoryType = CU_MEMORYTYPE_DEVICE, .dstMemoryType = CU_MEMORYTYPE_HOST,
			      .dstHost = bytes, .WidthInBytes = 2, .Height = 2, .Depth = 3 };
	CUDA_MEMSET_NODE_PARAMS fill = { .elementSize = 4, .width = 3, .height = 1 };
	CUgraphNode node;
	CUcontext now;
	CUgraph g;

	now = start();
	c.dstDevice = box.srcDevice = fill.dst = dev_alloc(12);
	CU(cuMemcpy2D(&c));
	c.WidthInBytes = 5;
	FAILS(cuMemcpy2D(&c), CUDA_ERROR_INVALID_VALUE, "the destination is the 13 bytes");
	FAILS(cuMemcpy2DAsync(&c, NULL), CUDA_ERROR_INVALID_VALUE, "13 bytes");
	CU(cuMemcpy3D(&box));
	box.Depth = 4;
	FAILS(cuMemcpy3D(&box), CUDA_ERROR_INVALID_VALUE, "the source is the 16 bytes");
	CU(cuGraphCreate(&g, 0));
	FAILS(cuGraphAddMemcpyNode(&node, g, NULL, 0, &box, now), CUDA_ERROR_INVALID_VALUE, "the source");
	CU(cuGraphAddMemsetNode(&node, g, NULL, 0, &fill, now));
	fill.width = 4;
	FAILS(cuGraphAddMemsetNode(&node, g, NULL, 0, &fill, now), CUDA_ERROR_INVALID_VALUE, "16 bytes");
	CU(cuGraphDestroy(g));
}

static void memory_of_each_kind_has_its_size(void)
{
	static char own[3 * 4096];
	char *mine = (char *)(((uintptr_t)own + 4095) & ~4095ull), *pinned;
	CUdeviceptr p, managed, pool;

	start();
	p = dev_alloc(16384);
	CU(cuMemAllocHost((void **)&pinned, 100));
	CU(cuMemcpyHtoD(p, pinned + 50, 50));
	FAILS(cuMemcpyHtoD(p, pinned + 50, 51), CUDA_ERROR_INVALID_VALUE, "the source");
	CU(cuMemAllocManaged(&managed, 100, CU_MEM_ATTACH_GLOBAL));
	CU(cuMemcpyDtoD(p, managed, 100));
	FAILS(cuMemcpyDtoD(p, managed, 101), CUDA_ERROR_INVALID_VALUE, "the source");
	CU(cuMemAllocAsync(&pool, 100, NULL));
	CU(cuMemsetD8Async(pool, 1, 100, NULL));
	FAILS(cuMemsetD8Async(pool, 1, 101, NULL), CUDA_ERROR_INVALID_VALUE, "101 bytes");
	CU(cuMemFreeAsync(pool, NULL));
	/* the rest of a registered page is registered, too */
	CU(cuMemHostRegister(mine, 100, 0));
	CU(cuMemcpyHtoD(p, mine, 4096));
	FAILS(cuMemcpyHtoD(p, mine, 4097), CUDA_ERROR_INVALID_VALUE, "the source");
	CU(cuMemHostUnregister(mine));
	CU(cuMemcpyHtoD(p, mine, 8192));
	CU(cuMemFreeHost(pinned));
}

/* Memory that aclrtFree() has freed says nothing about memory that comes to the same address */
static void memory_of_the_other_front_has_its_own_size(void)
{
	static char page[4096] __attribute__((aligned(4096)));
	unsigned int kind;
	CUdeviceptr p;
	void *other;

	start();
	CU(cuMemAlloc(&p, 8));
	CHECK(!aclrtFree((void *)(uintptr_t)p));
	CHECK(!aclrtMalloc(&other, 1000, ACL_MEM_MALLOC_NORMAL_ONLY));
	CU(cuMemsetD8((uintptr_t)other, 1, 1000));
	CU(cuMemcpyDtoD((uintptr_t)other, (uintptr_t)other + 500, 500));
	CHECK_EQ(read_u64((uintptr_t)other + 992), 0x0101010101010101);
	CHECK(!aclrtFree(other));
	/* allocations of 8 and of 32 bytes take the same room */
	CU(cuMemAlloc(&p, 8));
	CHECK(!aclrtFree((void *)(uintptr_t)p));
	CHECK(!aclrtMalloc(&other, 32, ACL_MEM_MALLOC_NORMAL_ONLY));
	CU(cuMemsetD8((uintptr_t)other, 2, 32));
	CHECK_EQ(read_u64((uintptr_t)other + 24), 0x0202020202020202);
	CHECK(!aclrtFree(other));
	/* the record ends with the memory, whoever frees it and in which way */
	CU(cuMemAlloc(&p, 8));
	CHECK(!aclrtFreeWithDevSync((void *)(uintptr_t)p));
	FAILS(cuMemFree(p), CUDA_ERROR_INVALID_VALUE, "");
	FAILS(cuPointerGetAttribute(&kind, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p), CUDA_ERROR_INVALID_VALUE, "neither");
	CU(cuMemAllocHost(&other, 100));
	CHECK(!aclrtFreeHost(other));
	FAILS(cuMemHostGetFlags(&kind, other), CUDA_ERROR_INVALID_VALUE, "");
	CU(cuMemHostRegister(page, sizeof(page), 0));
	CHECK(!aclrtHostUnregister(page));
	CU(cuMemHostRegister(page, sizeof(page), 0));
	CU(cuMemHostUnregister(page));
}

/* Any bytes are registered, also those that share a page with others, and each end leaves the others' pages */
static void registered_memory_begins_anywhere(void)
{
	uint64_t *all = aligned_alloc(4096, 4 * 4096), *a = all + 3, *b = all + 700, *c = all + 1100, *other;
	CUdeviceptr d;
	CUstream s;

	start();
	s = new_stream(0);
	memset(all, 0, 4 * 4096);
	/* a: most of the first page; b: from there into the third; c: the rest of the third, and the last one */
	CU(cuMemHostRegister(a, 8, 0));
	CU(cuMemHostRegister(b, 390 * 8, CU_MEMHOSTREGISTER_PORTABLE));
	CU(cuMemHostRegister(c, 900 * 8, CU_MEMHOSTREGISTER_DEVICEMAP));
	FAILS(cuMemHostRegister(b - 1, 16, 0), CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, "pinned already");
	FAILS(cuMemHostRegister(all, 4096, 0), CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, "pinned already");
	FAILS(cuMemHostUnregister(b + 1), CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, "not the start");
	for (int round = 0; round < 3; round++) {
		uint64_t *mine[] = { a, b, b + 389, c, c + 899 };

		for (int i = round ? round == 1 ? 1 : 3 : 0; i < 5; i++) {
			CU(cuMemHostGetDevicePointer(&d, mine[i], 0));
			LAUNCH("store", 1, s, d, 10 * round + i);
			CU(cuStreamSynchronize(s));
			CHECK_EQ(*mine[i], 10 * round + i);
		}
		CU(cuMemHostUnregister(round ? round == 1 ? b : c : a));
	}
	FAILS(cuMemHostGetDevicePointer(&d, c, 0), CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, "");
	/* what lies below the device's own addresses is registered for copies */
	other = mmap((void *)0x20000000, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	CHECK((uintptr_t)other == 0x20000000);
	CU(cuMemHostRegister(other, 16, 0));
	d = dev_alloc(16);
	LAUNCH("store", 1, s, d, 5);
	CU(cuMemcpyDtoHAsync(other, d, 8, s));
	CU(cuStreamSynchronize(s));
	CHECK_EQ(other[0], 5);
	FAILS(cuMemHostGetDevicePointer(&d, other, 0), CUDA_ERROR_NOT_SUPPORTED, "for copies only");
	CU(cuMemHostUnregister(other));
	/* what a context leaves registered ends with it */
	CU(cuMemHostRegister(a, 8, 0));
	CU(cuMemHostRegister(b, 8, 0));
	CU(cuCtxDestroy(start()));
	free(all);
}

/* Threads without a context end what they have: bindings of languages do, when they clean up */
static void memory_ends_without_a_context(void)
{
	static char page[4096] __attribute__((aligned(4096)));
	CUdeviceptr p, managed, q;
	CUcontext ctx = start();
	CUmodule m;
	void *host;

	p = dev_alloc(64);
	CU(cuMemAllocManaged(&managed, 64, CU_MEM_ATTACH_GLOBAL));
	CU(cuMemAllocHost(&host, 64));
	CU(cuMemHostRegister(page, 64, 0));
	CU(cuModuleLoad(&m, OPS));
	CU(cuCtxSetCurrent(NULL));
	CU(cuMemFree(p));
	CU(cuMemFree(managed));
	CU(cuMemFreeHost(host));
	CU(cuMemHostUnregister(page));
	CU(cuModuleUnload(m));
	CU(cuCtxGetCurrent(&ctx));
	CHECK(!ctx);
	FAILS(cuMemFree(p), CUDA_ERROR_INVALID_CONTEXT, "no context");
	FAILS(cuMemAlloc(&q, 64), CUDA_ERROR_INVALID_CONTEXT, "no context");
	FAILS(cuModuleUnload(m), CUDA_ERROR_INVALID_CONTEXT, "no context");
}

TAP_MAIN(TEST(registered_memory_begins_anywhere), TEST(memory_ends_without_a_context),
	 TEST(no_copy_leaves_an_allocation), TEST(no_fill_leaves_an_allocation), TEST(no_rows_leave_an_allocation),
	 TEST(memory_of_each_kind_has_its_size), TEST(memory_of_the_other_front_has_its_own_size))
