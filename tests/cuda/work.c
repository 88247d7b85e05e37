// SPDX-License-Identifier: MIT
/* Memory, copies, streams, events, callbacks: work, and the order in which it happens. */
#include <pthread.h>
#include <stdatomic.h>

#include "cutest.h"

static void memory_is_allocated_and_freed(void)
{
	size_t free_before, free_now, total, pitch, size;
	CUdeviceptr p, q, base;

	start();
	CU(cuMemGetInfo(&free_before, &total));
	CU(cuMemAlloc(&p, 8 << 20));
	CU(cuMemGetInfo(&free_now, &total));
	CHECK_OP(free_now, <, free_before);
	CU(cuMemGetAddressRange(&base, &size, p + 100));
	CHECK(base == p);
	CHECK_EQ(size, 8 << 20);
	FAILS(cuMemFree(p + 64), CUDA_ERROR_INVALID_VALUE, "not the start");
	CU(cuMemFree(p));
	FAILS(cuMemFree(p), CUDA_ERROR_INVALID_VALUE, "");
	CU(cuMemFree(0));
	FAILS(cuMemAlloc(&p, 0), CUDA_ERROR_INVALID_VALUE, "0");
	FAILS(cuMemAlloc(&p, 1ull << 50), CUDA_ERROR_OUT_OF_MEMORY, "");
	FAILS(cuMemAlloc(NULL, 1), CUDA_ERROR_INVALID_VALUE, "dptr");
	CU(cuMemAllocPitch(&q, &pitch, 100, 10, 4));
	CHECK_EQ(pitch, 512);
	CU(cuMemFree(q));
	FAILS(cuMemAllocPitch(&q, &pitch, 100, 10, 3), CUDA_ERROR_INVALID_VALUE, "3");
	FAILS(cuMemGetAddressRange(&base, &size, 0x1000), CUDA_ERROR_NOT_FOUND, "");
}

static void memory_ends_with_its_context(void)
{
	size_t before, now, total;
	CUcontext a, b;
	CUdeviceptr p;
	void *host;

	CU(cuInit(0));
	CU(cuCtxCreate(&a, 0, 0));
	CU(cuMemGetInfo(&before, &total));
	CU(cuCtxCreate(&b, 0, 0));
	CU(cuMemAlloc(&p, 32 << 20));
	CU(cuMemAllocHost(&host, 100));
	CU(cuCtxDestroy(b));
	CU(cuMemGetInfo(&now, &total));
	CHECK_OP(before - now, <, 16 << 20);
	FAILS(cuMemFree(p), CUDA_ERROR_INVALID_VALUE, "");
}

static void host_memory_is_pinned(void)
{
	static char own[3 * 4096];
	char *mine = (char *)(((uintptr_t)own + 4095) & ~4095ull);
	unsigned int flags;
	CUdeviceptr d;
	uint64_t *p;

	start();
	CU(cuMemHostAlloc((void **)&p, 4096, CU_MEMHOSTALLOC_DEVICEMAP));
	CU(cuMemHostGetFlags(&flags, p));
	CHECK(flags & CU_MEMHOSTALLOC_DEVICEMAP);
	CU(cuMemHostGetDevicePointer(&d, p, 0));
	*p = 0;
	LAUNCH("store", 1, NULL, d, 77);
	CU(cuCtxSynchronize());
	CHECK_EQ(*p, 77);
	CU(cuMemsetD8((CUdeviceptr)(uintptr_t)p, 1, 8));
	CHECK_EQ(*p, 0x0101010101010101);
	CU(cuMemFreeHost(p));
	FAILS(cuMemFreeHost(p), CUDA_ERROR_INVALID_VALUE, "");
	FAILS(cuMemHostAlloc((void **)&p, 4096, 64), CUDA_ERROR_INVALID_VALUE, "0x40");
	CU(cuMemHostRegister(mine, 4096, CU_MEMHOSTREGISTER_DEVICEMAP));
	FAILS(cuMemHostRegister(mine, 4096, 0), CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, "");
	CU(cuMemHostGetDevicePointer(&d, mine, 0));
	LAUNCH("store", 1, NULL, d, 78);
	CU(cuCtxSynchronize());
	CHECK_EQ(*(uint64_t *)mine, 78);
	CU(cuMemHostUnregister(mine));
	FAILS(cuMemHostUnregister(mine), CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, "");
}

static void managed_memory_is_for_both_sides(void)
{
	CUdeviceptr p;

	start();
	CU(cuMemAllocManaged(&p, 1000, CU_MEM_ATTACH_GLOBAL));
	*(volatile uint64_t *)(uintptr_t)p = 5;
	CU(cuMemPrefetchAsync(p, 1000, 0, NULL));
	CU(cuMemAdvise(p, 1000, CU_MEM_ADVISE_SET_READ_MOSTLY, 0));
	CU(cuMemAdvise(p, 1000, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, CU_DEVICE_CPU));
	CU(cuStreamAttachMemAsync(NULL, p, 0, CU_MEM_ATTACH_GLOBAL));
	FAILS(cuStreamAttachMemAsync(NULL, dev_alloc(64), 0, CU_MEM_ATTACH_GLOBAL), CUDA_ERROR_INVALID_VALUE, "no managed memory");
	FAILS(cuStreamAttachMemAsync(NULL, 64, 0, CU_MEM_ATTACH_GLOBAL), CUDA_ERROR_INVALID_VALUE, "no managed memory");
	CU(cuStreamAttachMemAsync(NULL, p, 1000, CU_MEM_ATTACH_GLOBAL));
	FAILS(cuStreamAttachMemAsync(NULL, p, 999, CU_MEM_ATTACH_GLOBAL), CUDA_ERROR_INVALID_VALUE, "0 or the allocation's 1000");
	FAILS(cuStreamAttachMemAsync(NULL, p, 1001, CU_MEM_ATTACH_GLOBAL), CUDA_ERROR_INVALID_VALUE, "1001");
	LAUNCH("increment", 1, NULL, p);
	CU(cuCtxSynchronize());
	CHECK_EQ(*(volatile uint64_t *)(uintptr_t)p, 6);
	FAILS(cuMemAdvise(p, 1000, (CUmem_advise)9, 0), CUDA_ERROR_INVALID_VALUE, "9");
	FAILS(cuMemPrefetchAsync(0x1000, 1000, 0, NULL), CUDA_ERROR_INVALID_VALUE, "not managed");
	CU(cuMemFree(p));
	FAILS(cuStreamAttachMemAsync(NULL, p, 0, CU_MEM_ATTACH_GLOBAL), CUDA_ERROR_INVALID_VALUE, "no managed memory");
	FAILS(cuMemAllocManaged(&p, 1000, 9), CUDA_ERROR_INVALID_VALUE, "0x9");
}

static void an_address_tells_what_it_is(void)
{
	CUpointer_attribute list[] = { CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL };
	unsigned int type = 0, on = 1;
	int ordinal = 0, stack = 0;
	void *data[] = { &type, &ordinal };
	CUcontext ctx = start(), of;
	uint64_t id = 0, size = 0;
	CUdeviceptr p = dev_alloc(4096), start_addr;
	void *host;

	CU(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p + 8));
	CHECK_EQ(type, CU_MEMORYTYPE_DEVICE);
	CU(cuPointerGetAttribute(&of, CU_POINTER_ATTRIBUTE_CONTEXT, p));
	CHECK(of == ctx);
	CU(cuPointerGetAttribute(&start_addr, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, p + 8));
	CHECK(start_addr == p);
	CU(cuPointerGetAttribute(&size, CU_POINTER_ATTRIBUTE_RANGE_SIZE, p));
	CHECK_EQ(size, 4096);
	CU(cuPointerGetAttribute(&id, CU_POINTER_ATTRIBUTE_BUFFER_ID, p));
	CHECK(id);
	CU(cuPointerSetAttribute(&on, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, p));
	CU(cuMemAllocHost(&host, 64));
	CU(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)(uintptr_t)host));
	CHECK_EQ(type, CU_MEMORYTYPE_HOST);
	FAILS(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)(uintptr_t)&stack),
	      CUDA_ERROR_INVALID_VALUE, "neither");
	CU(cuPointerGetAttributes(2, list, data, (CUdeviceptr)(uintptr_t)&stack));
	CHECK_EQ(type, 0);
	CHECK_EQ(ordinal, -2);
	FAILS(cuPointerGetAttribute(&type, (CUpointer_attribute)99, p), CUDA_ERROR_INVALID_VALUE, "99");
}

static void copies_go_everywhere(void)
{
	static uint32_t from[4096], to[4096];
	CUdeviceptr a, b;
	CUstream s;
	CUcontext ctx = start();

	for (unsigned int i = 0; i < 4096; i++)
		from[i] = i * 7;
	a = dev_alloc(sizeof(from));
	b = dev_alloc(sizeof(from));
	s = new_stream(CU_STREAM_NON_BLOCKING);
	CU(cuMemcpyHtoD(a, from, sizeof(from)));
	CU(cuMemcpyDtoD(b, a, sizeof(from)));
	CU(cuMemcpyDtoH(to, b, sizeof(to)));
	CHECK(!memcmp(from, to, sizeof(to)));
	memset(to, 0, sizeof(to));
	CU(cuMemsetD8(b, 0, sizeof(from)));
	CU(cuMemcpy((CUdeviceptr)(uintptr_t)to, a, sizeof(to)));
	CHECK(!memcmp(from, to, sizeof(to)));
	memset(to, 0, sizeof(to));
	CU(cuCtxSynchronize());
	CU(cuMemcpyHtoDAsync(b, from, sizeof(from), s));
	CU(cuMemcpyDtoDAsync(a, b, sizeof(from), s));
	CU(cuMemcpyAsync(b, a, sizeof(from), s));
	CU(cuMemcpyDtoHAsync(to, b, sizeof(to), s));
	CU(cuStreamSynchronize(s));
	CHECK(!memcmp(from, to, sizeof(to)));
	CU(cuMemcpyPeer(b, ctx, a, ctx, 64));
	CU(cuMemcpyPeerAsync(b, ctx, a, ctx, 64, s));
	FAILS(cuMemcpyPeer((uintptr_t)to, ctx, a, ctx, 4), CUDA_ERROR_INVALID_VALUE, "dstDevice");
	FAILS(cuMemcpyPeerAsync(b, ctx, (uintptr_t)from, ctx, 4, s), CUDA_ERROR_INVALID_VALUE, "srcDevice");
	CU(cuMemcpyHtoD(a, from, 0));
	FAILS(cuMemcpyHtoD(a, NULL, 4), CUDA_ERROR_INVALID_VALUE, "srcHost");
	FAILS(cuMemcpyHtoD(0, from, 4), CUDA_ERROR_INVALID_VALUE, "dstDevice");
	FAILS(cuMemcpyDtoH(to, 0x1234, 4), CUDA_ERROR_INVALID_VALUE, "0x1234");
	FAILS(cuMemcpyHtoD(a + sizeof(from) - 4, from, 1 << 26), CUDA_ERROR_INVALID_VALUE, "");
}

/* From the host to the host in the order of a stream, pinned or not, also by calls that name a direction */
static void the_host_copies_in_streams(void)
{
	uint64_t *a, *b, plain[8] = { 5, 6, 7, 8, 9, 10, 11, 12 }, out[8] = { 0 };
	CUDA_MEMCPY2D rows = { .srcMemoryType = CU_MEMORYTYPE_HOST, .dstMemoryType = CU_MEMORYTYPE_HOST, .WidthInBytes = 16, .Height = 2 };
	CUgraphExec exec;
	CUdeviceptr d;
	CUgraph g;
	CUstream s;

	start();
	s = new_stream(CU_STREAM_NON_BLOCKING);
	d = dev_alloc(64);
	CU(cuMemAllocHost((void **)&a, 64));
	CU(cuMemHostAlloc((void **)&b, 64, CU_MEMHOSTALLOC_DEVICEMAP));
	CU(cuMemcpyHtoDAsync((uintptr_t)a, plain, 64, s));
	LAUNCH("store", 1, s, (uintptr_t)a + 8, 77);
	CU(cuMemcpyAsync((uintptr_t)b, (uintptr_t)a, 64, s));
	LAUNCH("store", 1, s, (uintptr_t)b + 16, 78);
	CU(cuMemcpyDtoHAsync(out, (uintptr_t)b, 64, s));
	CU(cuStreamSynchronize(s));
	CHECK(out[0] == 5 && out[1] == 77 && out[2] == 78 && out[7] == 12);
	rows.srcHost = a;
	rows.srcPitch = 24;
	rows.dstHost = out;
	rows.dstPitch = 32;
	CU(cuMemcpy2DAsync(&rows, s));
	CU(cuStreamSynchronize(s));
	CHECK(out[0] == 5 && out[1] == 77 && out[4] == 8 && out[5] == 9 && out[2] == 78);
	CU(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
	CU(cuMemcpyAsync((uintptr_t)a, (uintptr_t)b, 64, s));
	CU(cuMemcpyHtoDAsync(d, a, 64, s));
	CU(cuMemcpyDtoHAsync(plain, (uintptr_t)b, 8, s));
	CU(cuStreamEndCapture(s, &g));
	CU(cuGraphInstantiate(&exec, g, 0));
	b[0] = 99;
	CU(cuGraphLaunch(exec, s));
	CU(cuStreamSynchronize(s));
	CHECK(plain[0] == 99 && read_u64(d) == 99 && read_u64(d + 16) == 78);
	CU(cuGraphExecDestroy(exec));
	CU(cuGraphDestroy(g));
	CU(cuMemFreeHost(a));
	CU(cuMemFreeHost(b));
}

static void rows_and_boxes_are_copied(void)
{
	uint8_t from[8][16], to[4][8];
	CUdeviceptr d;
	size_t pitch;
	CUDA_MEMCPY2D c = { 0 };
	CUDA_MEMCPY3D b = { 0 };

	start();
	for (int i = 0; i < 128; i++)
		from[i / 16][i % 16] = (uint8_t)i;
	CU(cuMemAllocPitch(&d, &pitch, 16, 8, 4));
	CU(cuMemsetD2D8(d, pitch, 9, 16, 8));
	c.srcMemoryType = CU_MEMORYTYPE_HOST;
	c.srcHost = from;
	c.srcPitch = 16;
	c.dstMemoryType = CU_MEMORYTYPE_DEVICE;
	c.dstDevice = d;
	c.dstPitch = pitch;
	c.WidthInBytes = 16;
	c.Height = 8;
	CU(cuMemcpy2D(&c));
	memset(&c, 0, sizeof(c));
	c.srcMemoryType = CU_MEMORYTYPE_DEVICE;
	c.srcDevice = d;
	c.srcPitch = pitch;
	c.srcXInBytes = 4;
	c.srcY = 2;
	c.dstMemoryType = CU_MEMORYTYPE_HOST;
	c.dstHost = to;
	c.dstPitch = 8;
	c.WidthInBytes = 8;
	c.Height = 4;
	CU(cuMemcpy2DUnaligned(&c));
	for (int y = 0; y < 4; y++)
		for (int x = 0; x < 8; x++)
			CHECK_EQ(to[y][x], (y + 2) * 16 + x + 4);
	memset(to, 0, sizeof(to));
	CU(cuMemcpy2DAsync(&c, NULL));
	CU(cuStreamSynchronize(NULL));
	CHECK_EQ(to[3][7], from[5][11]);
	c.dstPitch = 4;
	FAILS(cuMemcpy2D(&c), CUDA_ERROR_INVALID_VALUE, "pitch");
	c.dstMemoryType = CU_MEMORYTYPE_ARRAY;
	FAILS(cuMemcpy2D(&c), CUDA_ERROR_NOT_SUPPORTED, "array");
	b.srcMemoryType = CU_MEMORYTYPE_DEVICE;
	b.srcDevice = d;
	b.srcPitch = pitch;
	b.srcHeight = 4;
	b.dstMemoryType = CU_MEMORYTYPE_HOST;
	b.dstHost = to;
	b.dstPitch = 8;
	b.dstHeight = 2;
	b.WidthInBytes = 8;
	b.Height = 2;
	b.Depth = 2;
	CU(cuMemcpy3D(&b));
	for (int z = 0; z < 2; z++)
		for (int y = 0; y < 2; y++)
			CHECK_EQ(to[2 * z + y][3], (4 * z + y) * 16 + 3);
	CU(cuMemcpy3DAsync(&b, NULL));
	CU(cuCtxSynchronize());
	FAILS(cuMemcpy3D(NULL), CUDA_ERROR_INVALID_VALUE, "pCopy");
}

static void fills_have_three_widths(void)
{
	uint16_t h[64];
	CUdeviceptr p;
	CUstream s;

	start();
	p = dev_alloc(4096);
	s = new_stream(0);
	CU(cuMemsetD16(p + 2, 0xabcd, 3));
	CU(cuMemsetD32Async(p + 8, 0x11223344, 2, s));
	CU(cuMemsetD8Async(p + 16, 0x55, 3, s));
	CU(cuMemsetD16Async(p + 20, 0x6677, 1, s));
	CU(cuMemsetD2D16Async(p + 32, 16, 0x8899, 2, 3, s));
	CU(cuMemsetD2D32Async(p + 96, 8, 5, 2, 2, s));
	CU(cuMemsetD2D8Async(p + 120, 4, 7, 1, 2, s));
	CU(cuStreamSynchronize(s));
	CU(cuMemcpyDtoH(h, p, sizeof(h)));
	CHECK_EQ(h[0], 0);
	CHECK_EQ(h[1], 0xabcd);
	CHECK_EQ(h[3], 0xabcd);
	CHECK_EQ(h[4], 0x3344);
	CHECK_EQ(h[7], 0x1122);
	CHECK_EQ(h[9], 0x0055);
	CHECK_EQ(h[10], 0x6677);
	CHECK_EQ(h[16], 0x8899);
	CHECK_EQ(h[18], 0);
	CHECK_EQ(h[24], 0x8899);
	CHECK_EQ(h[33], 0x8899);
	CHECK_EQ(h[54], 5);
	CHECK_EQ(h[60], 7);
	CHECK_EQ(h[62], 7);
	CU(cuMemsetD2D16(p, 8, 1, 2, 2));
	CU(cuMemsetD2D32(p, 8, 1, 2, 2));
	FAILS(cuMemsetD32(p + 2, 1, 1), CUDA_ERROR_INVALID_VALUE, "multiples");
	FAILS(cuMemsetD2D32(p, 4, 1, 2, 2), CUDA_ERROR_INVALID_VALUE, "");
	FAILS(cuMemsetD8(p, 1, 1 << 28), CUDA_ERROR_INVALID_VALUE, "");
}

static void streams_have_flags_priorities_and_a_context(void)
{
	unsigned long long a, b;
	unsigned int flags;
	CUcontext ctx = start(), of;
	aclrtStream theirs;
	CUstream s;
	int p;

	CU(cuStreamCreateWithPriority(&s, CU_STREAM_NON_BLOCKING, 3));
	CU(cuStreamGetPriority(s, &p));
	CHECK_EQ(p, 3);
	CU(cuStreamGetFlags(s, &flags));
	CHECK_EQ(flags, CU_STREAM_NON_BLOCKING);
	CU(cuStreamGetCtx(s, &of));
	CHECK(of == ctx);
	CU(cuStreamGetId(s, &a));
	CU(cuStreamGetId(NULL, &b));
	CHECK(a != b);
	CU(cuStreamGetFlags(NULL, &flags));
	CHECK_EQ(flags, CU_STREAM_DEFAULT);
	CU(cuStreamQuery(s));
	CU(cuStreamDestroy(s));
	FAILS(cuStreamDestroy(s), CUDA_ERROR_INVALID_HANDLE, "");
	FAILS(cuStreamSynchronize(s), CUDA_ERROR_INVALID_HANDLE, "");
	FAILS(cuStreamDestroy(NULL), CUDA_ERROR_INVALID_HANDLE, "default");
	FAILS(cuStreamCreate(&s, 4), CUDA_ERROR_INVALID_VALUE, "0x4");
	CU(cuStreamCreateWithPriority(&s, 0, 1000));
	CU(cuStreamGetPriority(s, &p));
	CHECK_EQ(p, 5);
	CHECK_EQ(aclrtCreateStream(&theirs), 0);
	CU(cuStreamGetFlags(theirs, &flags));
	CHECK_EQ(flags, CU_STREAM_NON_BLOCKING);
	LAUNCH("nothing", 1, theirs, 0);
	CU(cuStreamSynchronize(theirs));
	CHECK_EQ(aclrtSynchronizeStream(s), 0);
}

static void stream_attributes_are_kept(void)
{
	CUstreamAttrValue v = { .syncPolicy = CU_SYNC_POLICY_YIELD }, r;
	CUstream a, b;

	start();
	a = new_stream(0);
	b = new_stream(0);
	CU(cuStreamSetAttribute(a, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &v));
	v.priority = -1;
	CU(cuStreamSetAttribute(a, CU_STREAM_ATTRIBUTE_PRIORITY, &v));
	v.memSyncDomain = CU_LAUNCH_MEM_SYNC_DOMAIN_REMOTE;
	CU(cuStreamSetAttribute(a, CU_STREAM_ATTRIBUTE_MEM_SYNC_DOMAIN, &v));
	v.memSyncDomainMap = (CUlaunchMemSyncDomainMap){ 2, 3 };
	CU(cuStreamSetAttribute(a, CU_STREAM_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP, &v));
	v.accessPolicyWindow = (CUaccessPolicyWindow){ &v, 100, 0.5f, CU_ACCESS_PROPERTY_PERSISTING,
						       CU_ACCESS_PROPERTY_STREAMING };
	CU(cuStreamSetAttribute(a, CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW, &v));
	CU(cuStreamCopyAttributes(b, a));
	CU(cuStreamGetAttribute(b, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &r));
	CHECK_EQ(r.syncPolicy, CU_SYNC_POLICY_YIELD);
	CU(cuStreamGetAttribute(b, CU_STREAM_ATTRIBUTE_PRIORITY, &r));
	CHECK_EQ(r.priority, -1);
	CU(cuStreamGetAttribute(b, CU_STREAM_ATTRIBUTE_MEM_SYNC_DOMAIN, &r));
	CHECK_EQ(r.memSyncDomain, CU_LAUNCH_MEM_SYNC_DOMAIN_REMOTE);
	CU(cuStreamGetAttribute(b, CU_STREAM_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP, &r));
	CHECK_EQ(r.memSyncDomainMap.remote, 3);
	CU(cuStreamGetAttribute(b, CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW, &r));
	CHECK_EQ(r.accessPolicyWindow.num_bytes, 100);
	CU(cuStreamGetAttribute(NULL, CU_STREAM_ATTRIBUTE_PRIORITY, &r));
	v.syncPolicy = (CUsynchronizationPolicy)7;
	FAILS(cuStreamSetAttribute(a, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &v), CUDA_ERROR_INVALID_VALUE, "7");
	v.accessPolicyWindow.hitRatio = 2;
	FAILS(cuStreamSetAttribute(a, CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW, &v), CUDA_ERROR_INVALID_VALUE, "hitRatio");
	FAILS(cuStreamGetAttribute(a, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &r), CUDA_ERROR_INVALID_VALUE, "no stream");
}

static void the_legacy_stream_waits_and_is_waited_for(void)
{
	CUdeviceptr p;
	CUstream s, other, opens;

	start();
	p = dev_alloc(64);
	s = new_stream(CU_STREAM_DEFAULT);
	/* behind the other stream's kernel, although nothing says so */
	LAUNCH("spin_then_store", 1, s, 20000, p, 1);
	LAUNCH("load_store", 1, NULL, p + 8, p);
	CHECK_EQ(read_u64(p + 8), 1);
	LAUNCH("spin_then_store", 1, CU_STREAM_LEGACY, 20000, p, 2);
	LAUNCH("load_store", 1, s, p + 16, p);
	CHECK_EQ(read_u64(p + 16), 2);
	/* one that does not wait: the legacy stream stands still until the word at p + 32 is 1 */
	other = new_stream(CU_STREAM_NON_BLOCKING);
	opens = new_stream(CU_STREAM_NON_BLOCKING);
	CU(cuStreamWaitValue64(NULL, p + 32, 1, CU_STREAM_WAIT_VALUE_GEQ));
	LAUNCH("store", 1, NULL, p, 3);
	LAUNCH("load_store", 1, other, p + 24, p);
	CU(cuStreamSynchronize(other));
	CU(cuStreamWriteValue64(opens, p + 32, 1, 0));
	CU(cuCtxSynchronize());
	CHECK_EQ(read_u64(p + 24), 2);
	CHECK_EQ(read_u64(p), 3);
	/* a copy without a stream comes behind all of it */
	LAUNCH("spin_then_store", 1, s, 20000, p, 4);
	CHECK_EQ(read_u64(p), 4);
}

static void *in_thread(void *arg)
{
	CUcontext ctx = arg;
	unsigned long long *id = malloc(sizeof(*id));

	CU(cuCtxSetCurrent(ctx));
	CU(cuStreamGetId(CU_STREAM_PER_THREAD, id));
	LAUNCH("nothing", 1, CU_STREAM_PER_THREAD, 0);
	CU(cuStreamSynchronize(CU_STREAM_PER_THREAD));
	return id;
}

static void each_thread_has_a_stream(void)
{
	CUcontext ctx = start();
	unsigned long long mine, *its;
	pthread_t t;

	op("nothing");
	CU(cuStreamGetId(CU_STREAM_PER_THREAD, &mine));
	CHECK(!pthread_create(&t, NULL, in_thread, ctx));
	CHECK(!pthread_join(t, (void **)&its));
	CHECK(*its != mine);
	free(its);
	LAUNCH("nothing", 1, CU_STREAM_PER_THREAD, 0);
	CU(cuStreamSynchronize(CU_STREAM_PER_THREAD));
	CHECK_EQ(cuLaunchKernel_ptsz(op("nothing"), 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL), 0);
	CHECK_EQ(cuStreamSynchronize_ptsz(NULL), 0);
}

static void events_order_and_time(void)
{
	CUevent a, b, plain;
	CUstream s, t;
	CUdeviceptr p;
	float ms = -1;

	start();
	p = dev_alloc(64);
	s = new_stream(CU_STREAM_NON_BLOCKING);
	t = new_stream(CU_STREAM_NON_BLOCKING);
	CU(cuEventCreate(&a, CU_EVENT_DEFAULT));
	CU(cuEventCreate(&b, CU_EVENT_BLOCKING_SYNC));
	CU(cuEventCreate(&plain, CU_EVENT_DISABLE_TIMING));
	CU(cuEventQuery(a));
	FAILS(cuEventElapsedTime(&ms, a, b), CUDA_ERROR_INVALID_HANDLE, "");
	CU(cuEventRecord(a, s));
	/* what comes behind is pending until the word is 1 */
	CU(cuStreamWaitValue64(s, p + 16, 1, CU_STREAM_WAIT_VALUE_GEQ));
	CU(cuEventRecord(a, s));
	FAILS(cuEventElapsedTime(&ms, a, b), CUDA_ERROR_INVALID_HANDLE, "never recorded");
	FAILS(cuEventElapsedTime(&ms, b, a), CUDA_ERROR_INVALID_HANDLE, "never recorded");
	LAUNCH("spin_then_store", 1, s, 50000, p, 9);
	CU(cuEventRecordWithFlags(b, s, CU_EVENT_RECORD_DEFAULT));
	FAILS(cuEventQuery(b), CUDA_ERROR_NOT_READY, "");
	FAILS(cuStreamQuery(s), CUDA_ERROR_NOT_READY, "");
	FAILS(cuEventElapsedTime(&ms, a, b), CUDA_ERROR_NOT_READY, "");
	CU(cuStreamWriteValue64(t, p + 16, 1, 0));
	CU(cuStreamWaitEvent(t, b, 0));
	LAUNCH("load_store", 1, t, p + 8, p);
	CU(cuEventSynchronize(b));
	CU(cuEventElapsedTime(&ms, a, b));
	CHECK_OP(ms, >=, 49);
	CU(cuStreamSynchronize(t));
	CHECK_EQ(read_u64(p + 8), 9);
	CU(cuEventRecord(plain, s));
	CU(cuEventSynchronize(plain));
	FAILS(cuEventElapsedTime(&ms, a, plain), CUDA_ERROR_INVALID_HANDLE, "CU_EVENT_DISABLE_TIMING");
	CU(cuEventDestroy(plain));
	FAILS(cuEventDestroy(plain), CUDA_ERROR_INVALID_HANDLE, "");
	FAILS(cuEventRecord(NULL, s), CUDA_ERROR_INVALID_HANDLE, "NULL");
	FAILS(cuEventCreate(&plain, 64), CUDA_ERROR_INVALID_VALUE, "0x40");
	FAILS(cuEventCreate(&plain, CU_EVENT_INTERPROCESS), CUDA_ERROR_INVALID_VALUE, "DISABLE_TIMING");
	FAILS(cuStreamWaitEvent(s, a, 8), CUDA_ERROR_INVALID_VALUE, "0x8");
}

static void events_go_between_processes(void)
{
	CUipcEventHandle handle;
	CUevent e, plain;

	start();
	CU(cuEventCreate(&e, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING));
	CU(cuEventCreate(&plain, CU_EVENT_DISABLE_TIMING));
	CU(cuIpcGetEventHandle(&handle, e));
	CHECK(cuIpcGetEventHandle(&handle, plain) != CUDA_SUCCESS);
	memset(&handle, 1, sizeof(handle));
	CHECK(cuIpcOpenEventHandle(&plain, handle) != CUDA_SUCCESS);
}

/* In the other process: adds 1 to each word that it is given the handle of */
static void other_process(int from, int to)
{
	CUdeviceptr p, again;
	CUipcMemHandle h;
	uint64_t v;

	start();
	CHECK_EQ(read(from, &h, sizeof(h)), sizeof(h));
	CU(cuIpcOpenMemHandle(&p, h, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
	CU(cuIpcOpenMemHandle(&again, h, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
	CHECK(p == again);
	CU(cuIpcCloseMemHandle(again));
	v = read_u64(p) + 1;
	CU(cuMemcpyHtoD(p, &v, 8));
	CU(cuCtxSynchronize());
	CU(cuIpcCloseMemHandle(p));
	FAILS(cuIpcCloseMemHandle(p), CUDA_ERROR_INVALID_VALUE, "no memory of");
	CHECK_EQ(write(to, "x", 1), 1);
	_exit(0);
}

static void memory_goes_between_processes(void)
{
	CUipcMemHandle h, same;
	int there[2], back[2];
	uint64_t v = 41;
	CUdeviceptr p;
	char done = 0;

	if (getenv("ANPU_DEVICE") && !strcmp(getenv("ANPU_DEVICE"), "direct"))
		SKIP("each process has a device of its own");
	CHECK(!pipe(there) && !pipe(back));
	if (!fork())
		other_process(there[0], back[1]);
	close(back[1]);
	start();
	p = dev_alloc(4096);
	CU(cuMemcpyHtoD(p, &v, 8));
	CU(cuIpcGetMemHandle(&h, p));
	CU(cuIpcGetMemHandle(&same, p));
	CHECK(!memcmp(&h, &same, sizeof(h)));
	CHECK_EQ(write(there[1], &h, sizeof(h)), sizeof(h));
	CHECK_EQ(read(back[0], &done, 1), 1);
	CHECK_EQ(read_u64(p), 42);
	FAILS(cuIpcGetMemHandle(&same, 4096), CUDA_ERROR_INVALID_VALUE, "0x1000");
	FAILS(cuIpcOpenMemHandle(&p, h, 0), CUDA_ERROR_INVALID_VALUE, "LAZY");
	FAILS(cuIpcOpenMemHandle(&p, h, 1), CUDA_ERROR_INVALID_VALUE, "this process");
	memset(&h, 1, sizeof(h));
	FAILS(cuIpcOpenMemHandle(&p, h, 1), CUDA_ERROR_INVALID_VALUE, "none of");
	CU(cuMemFree(p));
}

static atomic_int called;

static void host_func(void *arg)
{
	CUdeviceptr p;

	*(int *)arg = (int)cuMemAlloc(&p, 8);
	called++;
}

static void stream_callback(CUstream s, CUresult status, void *arg)
{
	*(CUresult *)arg = status;
	called += s ? 10 : 100;
}

static void functions_of_the_program_run_in_streams(void)
{
	CUresult status = CUDA_ERROR_UNKNOWN;
	int inside = 0;
	CUstream s;

	start();
	s = new_stream(0);
	CU(cuLaunchHostFunc(s, host_func, &inside));
	CU(cuStreamAddCallback(s, stream_callback, &status, 0));
	CU(cuStreamSynchronize(s));
	CHECK_EQ(called, 11);
	CHECK_EQ(inside, CUDA_ERROR_NOT_PERMITTED);
	CHECK_EQ(status, 0);
	FAILS(cuLaunchHostFunc(s, NULL, NULL), CUDA_ERROR_INVALID_VALUE, "fn");
	FAILS(cuStreamAddCallback(s, stream_callback, NULL, 1), CUDA_ERROR_INVALID_VALUE, "0x1");
}

static void streams_store_and_wait_for_numbers(void)
{
	uint64_t *gate;
	CUdeviceptr p;
	CUstream s;

	start();
	p = dev_alloc(64);
	s = new_stream(CU_STREAM_NON_BLOCKING);
	CU(cuMemAllocHost((void **)&gate, 8));
	*gate = 0;
	CU(cuStreamWaitValue64(s, (CUdeviceptr)(uintptr_t)gate, 5, CU_STREAM_WAIT_VALUE_GEQ));
	CU(cuStreamWriteValue64(s, p, 77, 0));
	CU(cuStreamWriteValue32(s, p + 12, 78, 0));
	FAILS(cuStreamQuery(s), CUDA_ERROR_NOT_READY, "");
	__atomic_store_n(gate, 6, __ATOMIC_RELEASE);
	CU(cuStreamSynchronize(s));
	CHECK_EQ(read_u64(p), 77);
	CHECK_EQ(read_u64(p + 8), 78ull << 32);
	FAILS(cuStreamWaitValue64(s, p, 1, 64), CUDA_ERROR_INVALID_VALUE, "0x40");
	FAILS(cuStreamWriteValue32(s, p + 1, 1, 0), CUDA_ERROR_INVALID_VALUE, "multiple of 4");
	/* the word of 4 bytes, whatever is behind it */
	CU(cuStreamWaitValue32(s, p + 12, 78, CU_STREAM_WAIT_VALUE_EQ));
	CU(cuStreamWaitValue32(s, p + 12, 2, CU_STREAM_WAIT_VALUE_AND));
	CU(cuStreamSynchronize(s));
	FAILS(cuStreamWaitValue32(s, p + 2, 1, 0), CUDA_ERROR_INVALID_VALUE, "multiple of 4");
	FAILS(cuStreamWaitValue32(s, p, 1, 8), CUDA_ERROR_INVALID_VALUE, "0x8");
}

static void pools_give_memory_in_order(void)
{
	CUmemPoolProps props = { .allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
				 .location = { CU_MEM_LOCATION_TYPE_DEVICE, 0 } };
	CUmemoryPool own, pool, now;
	uint64_t v = 1 << 20;
	CUdeviceptr p, q;
	CUstream s;

	start();
	s = new_stream(0);
	CU(cuDeviceGetDefaultMemPool(&own, 0));
	CU(cuDeviceGetMemPool(&now, 0));
	CHECK(now == own);
	CU(cuMemAllocAsync(&p, 1000, s));
	LAUNCH("store", 1, s, p, 3);
	CHECK_EQ(read_u64(p), 3);
	CU(cuMemFreeAsync(p, s));
	CU(cuMemPoolCreate(&pool, &props));
	CU(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &v));
	v = 0;
	CU(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &v));
	CHECK_EQ(v, 1 << 20);
	CU(cuMemAllocFromPoolAsync(&p, 64, pool, s));
	CU(cuDeviceSetMemPool(0, pool));
	CU(cuMemAllocAsync(&q, 64, s));
	CU(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &v));
	CHECK_OP(v, >=, 128);
	CU(cuMemFreeAsync(p, s));
	CU(cuMemFree(q));
	CU(cuStreamSynchronize(s));
	CU(cuMemPoolTrimTo(pool, 0));
	CU(cuMemPoolDestroy(pool));
	FAILS(cuMemPoolDestroy(own), CUDA_ERROR_INVALID_VALUE, "own pool");
	FAILS(cuMemPoolDestroy(pool), CUDA_ERROR_INVALID_VALUE, "destroyed already");
	FAILS(cuMemAllocAsync(&p, 0, s), CUDA_ERROR_INVALID_VALUE, "0");
}

static void streams_are_recorded(void)
{
	CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
	CUstreamCaptureStatus status;
	cuuint64_t id = 0;
	CUdeviceptr p;
	CUgraph graph;
	CUstream s;

	start();
	p = dev_alloc(64);
	s = new_stream(0);
	op("increment");
	CU(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
	FAILS(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL), CUDA_ERROR_ILLEGAL_STATE, "");
	CU(cuStreamIsCapturing(s, &status));
	CHECK_EQ(status, CU_STREAM_CAPTURE_STATUS_ACTIVE);
	CU(cuStreamGetCaptureInfo(s, &status, &id, NULL, NULL, NULL));
	CHECK(id);
	LAUNCH("increment", 1, s, p);
	FAILS(cuLaunchHostFunc(NULL, host_func, NULL), CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, "legacy");
	FAILS(cuStreamAddCallback(s, stream_callback, NULL, 0), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "");
	CU(cuStreamEndCapture(s, &graph));
	CHECK(graph);
	CU(cuGraphDestroy(graph));
	CHECK_EQ(read_u64(p), 0);
	FAILS(cuStreamEndCapture(s, &graph), CUDA_ERROR_ILLEGAL_STATE, "");
	CHECK(!graph);
	FAILS(cuStreamBeginCapture(NULL, CU_STREAM_CAPTURE_MODE_GLOBAL), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "");
	CU(cuThreadExchangeStreamCaptureMode(&mode));
	CHECK_EQ(mode, CU_STREAM_CAPTURE_MODE_GLOBAL);
	/* what would wait for it makes it void */
	CU(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
	FAILS(cuStreamSynchronize(s), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "");
	FAILS(cuStreamEndCapture(s, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, "");
}

static void a_recorded_graph_runs_as_often_as_wanted(void)
{
	CUgraphNode nodes[8];
	CUgraphNodeType type;
	CUgraphExec exec;
	CUdeviceptr p;
	CUgraph graph;
	CUevent e;
	size_t n = 8;
	CUstream s;

	start();
	p = dev_alloc(64);
	s = new_stream(CU_STREAM_NON_BLOCKING);
	CU(cuEventCreate(&e, CU_EVENT_DISABLE_TIMING));
	op("increment");
	CU(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
	LAUNCH("increment", 1, s, p);
	CU(cuMemcpyDtoDAsync(p + 8, p, 8, s));
	CU(cuMemsetD32Async(p + 16, 7, 1, s));
	CU(cuEventRecord(e, s));
	CU(cuStreamEndCapture(s, &graph));
	CU(cuGraphGetNodes(graph, NULL, &n));
	CHECK_OP(n, >=, 3);
	n = 8;
	CU(cuGraphGetNodes(graph, nodes, &n));
	CU(cuGraphNodeGetType(nodes[0], &type));
	CHECK_EQ(type, CU_GRAPH_NODE_TYPE_KERNEL);
	CU(cuGraphNodeGetType(nodes[1], &type));
	CHECK_EQ(type, CU_GRAPH_NODE_TYPE_MEMCPY);
	FAILS(cuGraphInstantiate(&exec, graph, 64), CUDA_ERROR_INVALID_VALUE, "0x40");
	FAILS(cuGraphInstantiate(&exec, graph, CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH), CUDA_ERROR_NOT_SUPPORTED, "kernels");
	FAILS(cuGraphInstantiate(&exec, graph, 16), CUDA_ERROR_INVALID_VALUE, "flags is 0x10");
	CU(cuGraphInstantiate(&exec, graph, CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH | CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD));
	CU(cuGraphExecDestroy(exec));
	CU(cuGraphInstantiate(&exec, graph, 0));
	CU(cuGraphDestroy(graph));
	FAILS(cuGraphDestroy(graph), CUDA_ERROR_INVALID_VALUE, "");
	CU(cuGraphUpload(exec, s));
	for (int i = 0; i < 10; i++)
		CU(cuGraphLaunch(exec, s));
	CU(cuStreamSynchronize(s));
	CHECK_EQ(read_u64(p), 10);
	CHECK_EQ(read_u64(p + 8), 10);
	CHECK_EQ(read_u64(p + 16), 7);
	CU(cuGraphLaunch(exec, NULL));
	CU(cuGraphExecDestroy(exec));
	CHECK_EQ(read_u64(p), 11);
	FAILS(cuGraphLaunch(exec, s), CUDA_ERROR_INVALID_VALUE, "");
	FAILS(cuGraphExecDestroy(exec), CUDA_ERROR_INVALID_VALUE, "");
}

/* Device and pool are there before the program has made a context, and when it has one */
static void a_device_has_its_pool_before_contexts(void)
{
	CUmemoryPool own, made, again;
	CUmemPoolProps props = { .allocType = CU_MEM_ALLOCATION_TYPE_PINNED, .location = { CU_MEM_LOCATION_TYPE_DEVICE, 0 } };
	cuuint64_t keep = 1 << 20, got = 0;
	CUcontext now;
	CUdeviceptr p;

	CU(cuInit(0));
	CU(cuDeviceGetDefaultMemPool(&own, 0));
	CU(cuMemPoolSetAttribute(own, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &keep));
	CU(cuMemPoolCreate(&made, &props));
	CU(cuCtxGetCurrent(&now));
	CHECK(!now);
	start();
	CU(cuDeviceGetDefaultMemPool(&again, 0));
	CHECK(again == own);
	CU(cuMemPoolGetAttribute(again, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &got));
	CHECK_EQ(got, keep);
	CU(cuMemAllocFromPoolAsync(&p, 64, made, NULL));
	CU(cuMemFreeAsync(p, NULL));
	CU(cuStreamSynchronize(NULL));
	CU(cuMemPoolDestroy(made));
}

/* A function of the program that the library calls: what it calls names itself, and the call around it keeps its name */
static size_t asks_wrongly(int threads)
{
	(void)threads;
	FAILS(cuDeviceGetCount(NULL), CUDA_ERROR_INVALID_VALUE, "cuDeviceGetCount: count is NULL");
	return 1 << 30;
}

static void sentences_name_what_the_program_has_called(void)
{
	CUfunction f;
	CUgraph g;
	int blocks, threads;

	start();
	f = op("nothing");
	FAILS(cuOccupancyMaxPotentialBlockSize(&blocks, &threads, f, asks_wrongly, 0, 0), CUDA_ERROR_INVALID_VALUE,
	      "cuOccupancyMaxPotentialBlockSize: no block of");
	/* made of other functions of the API */
	FAILS(cuLaunchGridAsync(f, 0, 1, NULL), CUDA_ERROR_INVALID_VALUE, "cuLaunchGridAsync");
	CU(cuGraphCreate(&g, 0));
	FAILS(cuGraphAddEventRecordNode(&(CUgraphNode){ 0 }, g, NULL, 0, (CUevent)8), CUDA_ERROR_INVALID_HANDLE,
	      "cuGraphAddEventRecordNode");
}

TAP_MAIN(TEST(a_recorded_graph_runs_as_often_as_wanted),
	 TEST(memory_is_allocated_and_freed),
	 TEST(memory_ends_with_its_context),
	 TEST(host_memory_is_pinned),
	 TEST(managed_memory_is_for_both_sides),
	 TEST(an_address_tells_what_it_is),
	 TEST(copies_go_everywhere),
	 TEST(the_host_copies_in_streams), TEST(rows_and_boxes_are_copied),
	 TEST(fills_have_three_widths),
	 TEST(streams_have_flags_priorities_and_a_context),
	 TEST(stream_attributes_are_kept),
	 TEST(the_legacy_stream_waits_and_is_waited_for),
	 TEST(each_thread_has_a_stream),
	 TEST(events_order_and_time),
	 TEST(events_go_between_processes),
	 TEST(memory_goes_between_processes),
	 TEST(functions_of_the_program_run_in_streams),
	 TEST(streams_store_and_wait_for_numbers),
	 TEST(pools_give_memory_in_order),
	 TEST(streams_are_recorded),
	 TEST(a_device_has_its_pool_before_contexts), TEST(sentences_name_what_the_program_has_called))
