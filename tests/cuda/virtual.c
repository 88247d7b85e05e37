// SPDX-License-Identifier: MIT
/* Addresses and physical memory apart: ranges, mappings, access. */
#include <sys/syscall.h>

#include "cutest.h"

static void memory_grows_at_one_address(void)
{
	CUmemAllocationProp prop = { .type = CU_MEM_ALLOCATION_TYPE_PINNED, .location = { CU_MEM_LOCATION_TYPE_DEVICE, 0 } }, got;
	CUmemAccessDesc rw = { { CU_MEM_LOCATION_TYPE_DEVICE, 0 }, CU_MEM_ACCESS_FLAGS_PROT_READWRITE };
	CUmemGenericAllocationHandle a, b, again;
	unsigned long long flags = 9;
	size_t unit = 0;
	CUdeviceptr p;

	start();
	CU(cuMemGetAllocationGranularity(&unit, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
	CHECK_OP(unit, >=, 4096);
	CU(cuMemAddressReserve(&p, 4 * unit, 0, 0, 0));
	CU(cuMemCreate(&a, unit, &prop, 0));
	CU(cuMemCreate(&b, 2 * unit, &prop, 0));
	CU(cuMemMap(p, unit, 0, a, 0));
	CU(cuMemMap(p + unit, 2 * unit, 0, b, 0));
	CU(cuMemGetAccess(&flags, &rw.location, p));
	CHECK_EQ(flags, CU_MEM_ACCESS_FLAGS_PROT_NONE);
	CU(cuMemSetAccess(p, 3 * unit, &rw, 1));
	CU(cuMemGetAccess(&flags, &rw.location, p + unit));
	CHECK_EQ(flags, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
	/* a kernel, a fill and a copy over both */
	CU(cuMemsetD8(p, 1, 3 * unit));
	LAUNCH("store", 1, NULL, p + unit, 77);
	LAUNCH("load_store", 1, NULL, p + unit - 8, p + unit);
	CHECK_EQ(read_u64(p + unit - 8), 77);
	CHECK_EQ(read_u64(p + 3 * unit - 8), 0x0101010101010101);
	CU(cuMemGetAllocationPropertiesFromHandle(&got, a));
	CHECK_EQ(got.location.type, CU_MEM_LOCATION_TYPE_DEVICE);
	CU(cuMemRetainAllocationHandle(&again, (void *)(uintptr_t)p));
	CU(cuMemRelease(again));
	CU(cuMemRelease(a));
	CU(cuMemRelease(b));
	/* it lives on while it is mapped */
	CHECK_EQ(read_u64(p + unit - 8), 77);
	FAILS(cuMemAddressFree(p, 4 * unit), CUDA_ERROR_INVALID_VALUE, "");
	FAILS(cuMemUnmap(p, 2 * unit), CUDA_ERROR_INVALID_VALUE, "whole mappings");
	CU(cuMemUnmap(p, 3 * unit));
	FAILS(cuMemUnmap(p, unit), CUDA_ERROR_INVALID_VALUE, "whole mappings");
	FAILS(cuMemAddressFree(p, unit), CUDA_ERROR_INVALID_VALUE, "no range");
	CU(cuMemAddressFree(p, 4 * unit));
}

/* Memory and addresses are there before the first context, and when the last one has ended */
static void memory_needs_no_context(void)
{
	CUmemAllocationProp prop = { .type = CU_MEM_ALLOCATION_TYPE_PINNED, .location = { CU_MEM_LOCATION_TYPE_DEVICE, 0 },
				     .requestedHandleTypes = CU_MEM_HANDLE_TYPE_FABRIC };
	CUmemAccessDesc rw = { { CU_MEM_LOCATION_TYPE_DEVICE, 0 }, CU_MEM_ACCESS_FLAGS_PROT_READWRITE };
	CUmemGenericAllocationHandle h, same;
	CUmemFabricHandle fabric;
	size_t unit = 0;
	CUdeviceptr p;
	CUcontext now;

	CU(cuInit(0));
	CU(cuMemGetAllocationGranularity(&unit, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
	CU(cuMemCreate(&h, unit, &prop, 0));
	CU(cuMemExportToShareableHandle(&fabric, h, CU_MEM_HANDLE_TYPE_FABRIC, 0));
	CU(cuMemCreate(&same, unit, &prop, 0));
	CU(cuMemAddressReserve(&p, 2 * unit, 0, 0, 0));
	CU(cuMemMap(p, unit, 0, h, 0));
	CU(cuMemMap(p + unit, unit, 0, same, 0));
	CU(cuMemSetAccess(p, 2 * unit, &rw, 1));
	CU(cuCtxGetCurrent(&now));
	CHECK(!now);
	FAILS(cuMemsetD8(p, 1, unit), CUDA_ERROR_INVALID_CONTEXT, "");
	now = start();
	LAUNCH("store", 1, NULL, p + 8, 77);
	CHECK_EQ(read_u64(p + 8), 77);
	CU(cuCtxDestroy(now));
	start();
	CHECK_EQ(read_u64(p + 8), 77);
	CU(cuCtxSetCurrent(NULL));
	CU(cuMemUnmap(p, 2 * unit));
	CU(cuMemRelease(h));
	CU(cuMemRelease(same));
	CU(cuMemAddressFree(p, 2 * unit));
	prop.location.id = 99;
	FAILS(cuMemCreate(&h, unit, &prop, 0), CUDA_ERROR_INVALID_DEVICE, "99");
}

static void addresses_tell_of_mappings(void)
{
	CUmemAllocationProp prop = { .type = CU_MEM_ALLOCATION_TYPE_PINNED, .location = { CU_MEM_LOCATION_TYPE_DEVICE, 0 } };
	CUmemAccessDesc rw = { { CU_MEM_LOCATION_TYPE_DEVICE, 0 }, CU_MEM_ACCESS_FLAGS_PROT_READWRITE };
	CUpointer_attribute asked[] = { CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, CU_POINTER_ATTRIBUTE_RANGE_SIZE,
					CU_POINTER_ATTRIBUTE_CONTEXT };
	CUmemGenericAllocationHandle h;
	unsigned int type = 0, access = 9;
	CUdeviceptr p, base = 0;
	CUcontext ctx = (CUcontext)&p;
	size_t unit = 0, size = 0;
	int dev = -1;

	start();
	CU(cuMemGetAllocationGranularity(&unit, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
	CU(cuMemAddressReserve(&p, 2 * unit, 0, 0, 0));
	CU(cuMemCreate(&h, unit, &prop, 0));
	FAILS(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p), CUDA_ERROR_INVALID_VALUE, "neither");
	CU(cuMemMap(p, unit, 0, h, 0));
	CU(cuPointerGetAttribute(&access, CU_POINTER_ATTRIBUTE_ACCESS_FLAGS, p));
	CHECK_EQ(access, CU_MEM_ACCESS_FLAGS_PROT_NONE);
	CU(cuMemSetAccess(p, unit, &rw, 1));
	CU(cuPointerGetAttribute(&access, CU_POINTER_ATTRIBUTE_ACCESS_FLAGS, p));
	CHECK_EQ(access, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
	CU(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p + unit - 1));
	CHECK_EQ(type, CU_MEMORYTYPE_DEVICE);
	CU(cuPointerGetAttribute(&dev, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, p));
	CHECK_EQ(dev, 0);
	CU(cuPointerGetAttributes(3, asked, (void *[]){ &base, &size, &ctx }, p + 8));
	CHECK(base == p && size == unit && !ctx);
	FAILS(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p + unit), CUDA_ERROR_INVALID_VALUE, "neither");
	CU(cuMemUnmap(p, unit));
	FAILS(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p), CUDA_ERROR_INVALID_VALUE, "neither");
	CU(cuMemRelease(h));
	CU(cuMemAddressFree(p, 2 * unit));
}

static void wrong_ranges_and_properties_are_refused(void)
{
	CUmemAllocationProp prop = { .type = CU_MEM_ALLOCATION_TYPE_PINNED, .location = { CU_MEM_LOCATION_TYPE_DEVICE, 0 } };
	CUmemAccessDesc rw = { { CU_MEM_LOCATION_TYPE_DEVICE, 0 }, CU_MEM_ACCESS_FLAGS_PROT_READWRITE };
	CUmemGenericAllocationHandle h;
	size_t unit = 0;
	CUdeviceptr p;

	start();
	CU(cuMemGetAllocationGranularity(&unit, &prop, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED));
	FAILS(cuMemCreate(&h, unit + 1, &prop, 0), CUDA_ERROR_INVALID_VALUE, "");
	FAILS(cuMemCreate(&h, 1UL << 50, &prop, 0), CUDA_ERROR_OUT_OF_MEMORY, "");
	prop.requestedHandleTypes = CU_MEM_HANDLE_TYPE_WIN32;
	FAILS(cuMemCreate(&h, unit, &prop, 0), CUDA_ERROR_NOT_SUPPORTED, "POSIX_FILE_DESCRIPTOR");
	prop.requestedHandleTypes = CU_MEM_HANDLE_TYPE_NONE;
	prop.type = CU_MEM_ALLOCATION_TYPE_INVALID;
	FAILS(cuMemCreate(&h, unit, &prop, 0), CUDA_ERROR_INVALID_VALUE, "PINNED");
	prop = (CUmemAllocationProp){ .type = CU_MEM_ALLOCATION_TYPE_PINNED, .location = { CU_MEM_LOCATION_TYPE_DEVICE, 77 } };
	FAILS(cuMemCreate(&h, unit, &prop, 0), CUDA_ERROR_INVALID_DEVICE, "77");
	FAILS(cuMemAddressReserve(&p, unit, 0, 0, 1), CUDA_ERROR_INVALID_VALUE, "flags");
	FAILS(cuMemAddressReserve(&p, 0, 0, 0, 0), CUDA_ERROR_INVALID_VALUE, "");
	FAILS(cuMemAddressReserve(&p, unit, 3 * unit, 0, 0), CUDA_ERROR_INVALID_VALUE, "alignment");
	FAILS(cuMemAddressReserve(&p, unit, 1ull << 60, 0, 0), CUDA_ERROR_OUT_OF_MEMORY, "");
	for (size_t alignment = unit; alignment <= 16 * unit; alignment *= 2) {
		CU(cuMemAddressReserve(&p, unit, alignment, 0, 0));
		CHECK_EQ(p % alignment, 0);
		CU(cuMemAddressFree(p, unit));
	}
	FAILS(cuMemRelease(5), CUDA_ERROR_INVALID_VALUE, "handle is 0x5");
	FAILS(cuMemSetAccess(0, unit, &rw, 0), CUDA_ERROR_INVALID_VALUE, "count");
	rw.location.type = CU_MEM_LOCATION_TYPE_HOST;
	FAILS(cuMemSetAccess(unit, unit, &rw, 1), CUDA_ERROR_INVALID_VALUE, "location.type");
	FAILS(cuMemRetainAllocationHandle(&h, &unit), CUDA_ERROR_INVALID_VALUE, "");
}

/* Maps memory of a handle, readable and writable */
static CUdeviceptr map_all(CUmemGenericAllocationHandle h, size_t size)
{
	CUmemAccessDesc rw = { { CU_MEM_LOCATION_TYPE_DEVICE, 0 }, CU_MEM_ACCESS_FLAGS_PROT_READWRITE };
	CUdeviceptr p;

	CU(cuMemAddressReserve(&p, size, 0, 0, 0));
	CU(cuMemMap(p, size, 0, h, 0));
	CU(cuMemSetAccess(p, size, &rw, 1));
	return p;
}

static void unmap_all(CUdeviceptr p, size_t size)
{
	CU(cuMemUnmap(p, size));
	CU(cuMemAddressFree(p, size));
}

/* In the other process: the parent's memory by a descriptor that was inherited, and by number */
static void other_process(int from, int to)
{
	CUmemGenericAllocationHandle by_fd, by_number;
	struct { int fd; size_t size; CUmemFabricHandle fabric; } got;
	CUdeviceptr p, q;

	start();
	CHECK_EQ(read(from, &got, sizeof(got)), sizeof(got));
	/* its descriptors came after the fork: from the parent's */
	got.fd = (int)syscall(SYS_pidfd_getfd, syscall(SYS_pidfd_open, getppid(), 0), got.fd, 0);
	CHECK(got.fd >= 0);
	CU(cuMemImportFromShareableHandle(&by_fd, (void *)(intptr_t)got.fd, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
	CU(cuMemImportFromShareableHandle(&by_number, &got.fabric, CU_MEM_HANDLE_TYPE_FABRIC));
	p = map_all(by_fd, got.size);
	q = map_all(by_number, got.size);
	CHECK_EQ(read_u64(p), 0x0101010101010101);
	CU(cuMemsetD8(p, 2, 8));
	CHECK_EQ(read_u64(q), 0x0202020202020202);
	unmap_all(p, got.size);
	unmap_all(q, got.size);
	CU(cuMemRelease(by_fd));
	CU(cuMemRelease(by_number));
	CHECK_EQ(write(to, "x", 1), 1);
	_exit(0);
}

static void memory_has_handles_for_other_processes(void)
{
	CUmemAllocationProp prop = { .type = CU_MEM_ALLOCATION_TYPE_PINNED, .location = { CU_MEM_LOCATION_TYPE_DEVICE, 0 },
				     .requestedHandleTypes = (CUmemAllocationHandleType)(CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR |
											 CU_MEM_HANDLE_TYPE_FABRIC) };
	struct { int fd; size_t size; CUmemFabricHandle fabric; } give = { 0 };
	CUmemGenericAllocationHandle h;
	int there[2], back[2];
	CUdeviceptr p;
	char done = 0;

	if (getenv("ANPU_DEVICE") && !strcmp(getenv("ANPU_DEVICE"), "direct"))
		SKIP("each process has a device of its own");
	CHECK(!pipe(there) && !pipe(back));
	if (!fork())
		other_process(there[0], back[1]);
	close(back[1]);
	start();
	CU(cuMemGetAllocationGranularity(&give.size, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
	CU(cuMemCreate(&h, give.size, &prop, 0));
	p = map_all(h, give.size);
	CU(cuMemsetD8(p, 1, give.size));
	CU(cuCtxSynchronize());
	CU(cuMemExportToShareableHandle(&give.fd, h, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
	CU(cuMemExportToShareableHandle(&give.fabric, h, CU_MEM_HANDLE_TYPE_FABRIC, 0));
	CHECK_EQ(write(there[1], &give, sizeof(give)), sizeof(give));
	CHECK_EQ(read(back[0], &done, 1), 1);
	CHECK_EQ(read_u64(p), 0x0202020202020202);
	CHECK_EQ(read_u64(p + 8), 0x0101010101010101);
	unmap_all(p, give.size);
	CU(cuMemRelease(h));
	close(give.fd);
}

/* A program may open what it has exported: the memory is the same, and lives until the last use of its handle has ended */
static void the_exporter_may_import(void)
{
	CUmemAllocationProp prop = { .type = CU_MEM_ALLOCATION_TYPE_PINNED, .location = { CU_MEM_LOCATION_TYPE_DEVICE, 0 },
				     .requestedHandleTypes = (CUmemAllocationHandleType)(CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR |
											 CU_MEM_HANDLE_TYPE_FABRIC) };
	CUmemGenericAllocationHandle h, by_fd, by_number, later;
	CUmemFabricHandle fabric, again;
	size_t unit = 0;
	CUdeviceptr p, q;
	int fd = -1;

	start();
	CU(cuMemGetAllocationGranularity(&unit, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
	CU(cuMemCreate(&h, unit, &prop, 0));
	CU(cuMemExportToShareableHandle(&fd, h, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
	CU(cuMemExportToShareableHandle(&fabric, h, CU_MEM_HANDLE_TYPE_FABRIC, 0));
	CU(cuMemImportFromShareableHandle(&by_fd, (void *)(intptr_t)fd, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
	CU(cuMemImportFromShareableHandle(&by_number, &fabric, CU_MEM_HANDLE_TYPE_FABRIC));
	CU(cuMemExportToShareableHandle(&again, by_fd, CU_MEM_HANDLE_TYPE_FABRIC, 0));
	CU(cuMemRelease(h));
	p = map_all(by_fd, unit);
	q = map_all(by_number, unit);
	CU(cuMemsetD8(p, 1, unit));
	LAUNCH("store", 1, NULL, q + 8, 77);
	CHECK_EQ(read_u64(p + 8), 77);
	CHECK_EQ(read_u64(q + 16), 0x0101010101010101);
	CU(cuMemRelease(by_fd));
	CU(cuMemRelease(by_number));
	FAILS(cuMemRelease(by_number), CUDA_ERROR_INVALID_VALUE, "");
	/* the mappings keep it, and by them the numbers it was exported under */
	CU(cuMemImportFromShareableHandle(&later, &again, CU_MEM_HANDLE_TYPE_FABRIC));
	unmap_all(q, unit);
	q = map_all(later, unit);
	CHECK_EQ(read_u64(q + 8), 77);
	unmap_all(p, unit);
	unmap_all(q, unit);
	CU(cuMemRelease(later));
	FAILS(cuMemImportFromShareableHandle(&later, &again, CU_MEM_HANDLE_TYPE_FABRIC), CUDA_ERROR_INVALID_VALUE, "(any more)");
	close(fd);
}

/* Stands before the C library's, for its libraries, too: while @no_writes there is no room for what is written */
static bool no_writes;

ssize_t write(int fd, const void *data, size_t size)
{
	if (!no_writes)
		return syscall(SYS_write, fd, data, size);
	errno = ENOSPC;
	return -1;
}

/* How many descriptors of memory the process has open, of which each is a file of that name */
static int descriptors(void)
{
	char path[64], file[64];
	int n = 0;

	for (int fd = 0; fd < 1024; fd++) {
		ssize_t size;

		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		size = readlink(path, file, sizeof(file) - 1);
		file[size < 0 ? 0 : size] = 0;
		n += strstr(file, "anpu-memory") ? 1 : 0;
	}
	return n;
}

static void handles_for_other_processes_have_rules(void)
{
	CUmemAllocationProp prop = { .type = CU_MEM_ALLOCATION_TYPE_PINNED, .location = { CU_MEM_LOCATION_TYPE_DEVICE, 0 } }, got;
	CUmemGenericAllocationHandle plain, h, other;
	CUmemFabricHandle none = { { 1 } };
	CUmemFabricHandle fabric;
	int fd = -1, untouched = -2, pair[2], v = 0;
	size_t unit = 0;

	start();
	CU(cuDeviceGetAttribute(&v, CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED, 0));
	CHECK_EQ(v, 1);
	CU(cuMemGetAllocationGranularity(&unit, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
	CU(cuMemCreate(&plain, unit, &prop, 0));
	prop.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
	CU(cuMemCreate(&h, unit, &prop, 0));
	CU(cuMemGetAllocationPropertiesFromHandle(&got, h));
	CHECK_EQ(got.requestedHandleTypes, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
	FAILS(cuMemExportToShareableHandle(&fd, plain, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0), CUDA_ERROR_INVALID_VALUE,
	      "requestedHandleTypes");
	FAILS(cuMemExportToShareableHandle(&fabric, h, CU_MEM_HANDLE_TYPE_FABRIC, 0), CUDA_ERROR_INVALID_VALUE,
	      "requestedHandleTypes");
	FAILS(cuMemExportToShareableHandle(&fd, h, CU_MEM_HANDLE_TYPE_WIN32, 0), CUDA_ERROR_INVALID_VALUE, "handleType");
	FAILS(cuMemExportToShareableHandle(&fd, h, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 1), CUDA_ERROR_INVALID_VALUE, "flags");
	CU(cuMemExportToShareableHandle(&fd, h, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
	CHECK_EQ(write(fd, "x", 1), -1);
	/* a file that cannot be written is none, and its descriptor is not kept */
	no_writes = true;
	FAILS(cuMemExportToShareableHandle(&untouched, h, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0), CUDA_ERROR_OPERATING_SYSTEM,
	      "cannot be written");
	no_writes = false;
	CHECK_EQ(untouched, -2);
	CHECK_EQ(descriptors(), 1);
	CHECK(!pipe(pair));
	FAILS(cuMemImportFromShareableHandle(&other, (void *)(intptr_t)pair[0], CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR),
	      CUDA_ERROR_INVALID_VALUE, "no descriptor");
	FAILS(cuMemImportFromShareableHandle(&other, (void *)(intptr_t)-1, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR),
	      CUDA_ERROR_INVALID_VALUE, "no descriptor");
	FAILS(cuMemImportFromShareableHandle(&other, NULL, CU_MEM_HANDLE_TYPE_FABRIC), CUDA_ERROR_INVALID_VALUE, "NULL");
	CHECK(cuMemImportFromShareableHandle(&other, &none, CU_MEM_HANDLE_TYPE_FABRIC) != CUDA_SUCCESS);
	CU(cuMemRelease(plain));
	CU(cuMemRelease(h));
	CHECK(cuMemImportFromShareableHandle(&other, (void *)(intptr_t)fd, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) != CUDA_SUCCESS);
	FAILS(cuMemExportToShareableHandle(&fd, h, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0), CUDA_ERROR_INVALID_VALUE, "");
	close(fd);
	close(pair[0]);
	close(pair[1]);
}

/* Pools ----------------------------------------------------------------------------------------------- */

struct pool_gift {
	int fd;
	CUmemFabricHandle fabric;
	CUmemPoolPtrExportData data[2];
};

static CUmemoryPool shared_pool(void)
{
	CUmemPoolProps props = { .allocType = CU_MEM_ALLOCATION_TYPE_PINNED, .location = { CU_MEM_LOCATION_TYPE_DEVICE, 0 },
				 .handleTypes = (CUmemAllocationHandleType)(CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR |
									    CU_MEM_HANDLE_TYPE_FABRIC) };
	CUmemoryPool pool;

	CU(cuMemPoolCreate(&pool, &props));
	return pool;
}

/* In the other process */
static void importer(int from, int to)
{
	CUmemoryPool by_fd, by_fabric;
	struct pool_gift got;
	CUdeviceptr p, q, again;

	start();
	CHECK_EQ(read(from, &got, sizeof(got)), sizeof(got));
	got.fd = (int)syscall(SYS_pidfd_getfd, syscall(SYS_pidfd_open, getppid(), 0), got.fd, 0);
	CHECK(got.fd >= 0);
	CU(cuMemPoolImportFromShareableHandle(&by_fd, (void *)(intptr_t)got.fd, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
	CU(cuMemPoolImportFromShareableHandle(&by_fabric, &got.fabric, CU_MEM_HANDLE_TYPE_FABRIC, 0));
	FAILS(cuMemAllocFromPoolAsync(&p, 64, by_fd, NULL), CUDA_ERROR_INVALID_VALUE, "pool of another process");
	FAILS(cuDeviceSetMemPool(0, by_fd), CUDA_ERROR_INVALID_VALUE, "pool of another process");
	CU(cuMemPoolImportPointer(&p, by_fd, &got.data[0]));
	CU(cuMemPoolImportPointer(&q, by_fabric, &got.data[1]));
	CHECK_EQ(read_u64(p), 0x0101010101010101);
	CHECK_EQ(read_u64(q + 4096 - 8), 0x0202020202020202);
	LAUNCH("store", 1, NULL, p + 8, 77);
	CU(cuCtxSynchronize());
	/* each import is freed once; the address is the same */
	CU(cuMemPoolImportPointer(&again, by_fd, &got.data[0]));
	CHECK_EQ(again, p);
	CU(cuMemFreeAsync(p, NULL));
	CHECK_EQ(read_u64(p + 8), 77);
	CU(cuMemFree(p));
	CHECK(cuMemFreeAsync(p, NULL) != CUDA_SUCCESS);
	CU(cuMemFree(q));
	CU(cuMemPoolDestroy(by_fd));
	CU(cuMemPoolDestroy(by_fabric));
	CHECK_EQ(write(to, "x", 1), 1);
	_exit(0);
}

static void pools_have_handles_for_other_processes(void)
{
	int there[2], back[2];
	struct pool_gift give;
	CUmemoryPool pool;
	CUdeviceptr p, q;
	char done = 0;

	if (getenv("ANPU_DEVICE") && !strcmp(getenv("ANPU_DEVICE"), "direct"))
		SKIP("each process has a device of its own");
	CHECK(!pipe(there) && !pipe(back));
	if (!fork())
		importer(there[0], back[1]);
	close(back[1]);
	start();
	pool = shared_pool();
	CU(cuMemAllocFromPoolAsync(&p, 64, pool, NULL));
	CU(cuMemAllocFromPoolAsync(&q, 4096, pool, NULL));
	CU(cuMemsetD8Async(p, 1, 64, NULL));
	CU(cuMemsetD8Async(q, 2, 4096, NULL));
	CU(cuCtxSynchronize());
	CU(cuMemPoolExportToShareableHandle(&give.fd, pool, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
	CU(cuMemPoolExportToShareableHandle(&give.fabric, pool, CU_MEM_HANDLE_TYPE_FABRIC, 0));
	CU(cuMemPoolExportPointer(&give.data[0], p));
	CU(cuMemPoolExportPointer(&give.data[1], q));
	CHECK_EQ(write(there[1], &give, sizeof(give)), sizeof(give));
	CHECK_EQ(read(back[0], &done, 1), 1);
	CHECK_EQ(read_u64(p + 8), 77);
	CHECK_EQ(read_u64(p + 16), 0x0101010101010101);
	CU(cuMemFreeAsync(p, NULL));
	CU(cuMemFree(q));
	CU(cuCtxSynchronize());
	CU(cuMemPoolDestroy(pool));
	close(give.fd);
}

/* Of this process alone: it may import its pool, and has the memory already */
static void handles_of_pools_have_rules(void)
{
	CUmemPoolProps props = { .allocType = CU_MEM_ALLOCATION_TYPE_PINNED, .location = { CU_MEM_LOCATION_TYPE_DEVICE, 0 } };
	CUmemoryPool plain, pool, other, imported;
	CUmemPoolPtrExportData data = { { 0 } };
	CUmemFabricHandle fabric;
	int fd = -1, pair[2], v = 0;
	CUdeviceptr p, q, alias;

	start();
	CU(cuDeviceGetAttribute(&v, CU_DEVICE_ATTRIBUTE_MEMPOOL_SUPPORTED_HANDLE_TYPES, 0));
	CHECK_EQ(v, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR | CU_MEM_HANDLE_TYPE_FABRIC);
	CU(cuMemPoolCreate(&plain, &props));
	props.handleTypes = CU_MEM_HANDLE_TYPE_WIN32;
	FAILS(cuMemPoolCreate(&pool, &props), CUDA_ERROR_NOT_SUPPORTED, "handleTypes is 0x2");
	props.handleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
	CU(cuMemPoolCreate(&pool, &props));
	other = shared_pool();
	FAILS(cuMemPoolExportToShareableHandle(&fd, plain, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0), CUDA_ERROR_INVALID_VALUE,
	      "handleTypes");
	FAILS(cuMemPoolExportToShareableHandle(&fabric, pool, CU_MEM_HANDLE_TYPE_FABRIC, 0), CUDA_ERROR_INVALID_VALUE, "handleTypes");
	FAILS(cuMemPoolExportToShareableHandle(&fd, pool, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 1), CUDA_ERROR_INVALID_VALUE, "flags");
	CU(cuMemPoolExportToShareableHandle(&fd, pool, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
	CU(cuMemPoolExportToShareableHandle(&fabric, other, CU_MEM_HANDLE_TYPE_FABRIC, 0));
	CHECK(!pipe(pair));
	FAILS(cuMemPoolImportFromShareableHandle(&imported, (void *)(intptr_t)pair[0], CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0),
	      CUDA_ERROR_INVALID_VALUE, "none of cuMemPoolExportToShareableHandle()");
	FAILS(cuMemPoolImportFromShareableHandle(&imported, NULL, CU_MEM_HANDLE_TYPE_FABRIC, 0), CUDA_ERROR_INVALID_VALUE, "none");
	CU(cuMemPoolImportFromShareableHandle(&imported, (void *)(intptr_t)fd, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
	CU(cuMemAllocFromPoolAsync(&p, 64, pool, NULL));
	CU(cuMemAllocFromPoolAsync(&q, 64, plain, NULL));
	FAILS(cuMemPoolExportPointer(&data, q), CUDA_ERROR_INVALID_VALUE, "handleTypes");
	FAILS(cuMemPoolExportPointer(&data, p + 8), CUDA_ERROR_INVALID_VALUE, "ptr");
	FAILS(cuMemPoolImportPointer(&alias, imported, &data), CUDA_ERROR_INVALID_VALUE, "none of cuMemPoolExportPointer()");
	CU(cuMemPoolExportPointer(&data, p));
	FAILS(cuMemPoolImportPointer(&alias, pool, &data), CUDA_ERROR_INVALID_VALUE, "not the pool");
	FAILS(cuMemPoolImportPointer(&alias, imported, &data), CUDA_ERROR_INVALID_VALUE, "made by this process");
	CU(cuMemFreeAsync(p, NULL));
	CU(cuMemFreeAsync(q, NULL));
	CU(cuCtxSynchronize());
	FAILS(cuMemPoolExportPointer(&data, p), CUDA_ERROR_INVALID_VALUE, "ptr");
	CU(cuMemPoolDestroy(imported));
	CU(cuMemPoolDestroy(plain));
	CU(cuMemPoolDestroy(pool));
	CU(cuMemPoolDestroy(other));
	close(fd);
	close(pair[0]);
	close(pair[1]);
}

TAP_MAIN(TEST(memory_grows_at_one_address), TEST(memory_needs_no_context), TEST(addresses_tell_of_mappings), TEST(wrong_ranges_and_properties_are_refused),
	 TEST(memory_has_handles_for_other_processes), TEST(the_exporter_may_import), TEST(handles_for_other_processes_have_rules),
	 TEST(pools_have_handles_for_other_processes), TEST(handles_of_pools_have_rules))
