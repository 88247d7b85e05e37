// SPDX-License-Identifier: MIT
/*
 * Pools in several processes. A handle of a pool says which one it is, no more: the process that imports it has a pool
 * with nothing in it, from which it cannot allocate, as the API has it. Memory goes over allocation by allocation, by the
 * keys of ipc.c; its addresses in both processes are not the same.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "cuda/context/context.h"
#include "cuda/memory/memory.h"

/* A pool that was made for other processes, or is another one's */
struct shared_pool {
	struct shared_pool *next;
	CUmemoryPool pool;
	unsigned int number, types; /* 0 types: it is another process's */
	uint64_t id;
};

/* In CUmemPoolPtrExportData */
struct parcel {
	char what[8];
	uint64_t id, size;
	char key[CU_KEY_BYTES];
};

_Static_assert(sizeof(struct parcel) <= sizeof(CUmemPoolPtrExportData), "what is exported of an allocation");

static const char what_pool[16] = "anpu-pool";
static const char what_parcel[8] = "anpupp1";
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects what follows */
static struct shared_pool *list;
static unsigned int numbers;

/* Copies of a record; false: there is none */
static bool find_pool(CUmemoryPool pool, struct shared_pool *out)
{
	struct shared_pool *s;

	pthread_mutex_lock(&lock);
	for (s = list; s && s->pool != pool; s = s->next)
		;
	if (s)
		*out = *s;
	pthread_mutex_unlock(&lock);
	return s;
}

static bool find_number(unsigned int number, struct shared_pool *out)
{
	struct shared_pool *s;

	pthread_mutex_lock(&lock);
	for (s = list; s && s->number != number; s = s->next)
		;
	if (s)
		*out = *s;
	pthread_mutex_unlock(&lock);
	return s;
}

static CUresult add(CUmemoryPool pool, unsigned int types, uint64_t id)
{
	struct shared_pool *s = malloc(sizeof(*s));

	if (!s)
		return cu_fail(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a record of a pool");
	pthread_mutex_lock(&lock);
	*s = (struct shared_pool){ list, pool, ++numbers, types, id };
	list = s;
	pthread_mutex_unlock(&lock);
	return CUDA_SUCCESS;
}

CUresult cu_pool_shared(CUmemoryPool pool, unsigned int types)
{
	uint64_t id;

	if (getrandom(&id, sizeof(id), 0) != sizeof(id))
		return cu_fail(CUDA_ERROR_OPERATING_SYSTEM, "no random number for a pool: %m");
	return add(pool, types, id);
}

void cu_pool_ended(CUmemoryPool pool)
{
	struct shared_pool **at, *s;

	pthread_mutex_lock(&lock);
	for (at = &list; *at && (*at)->pool != pool; at = &(*at)->next)
		;
	s = *at;
	if (s)
		*at = s->next;
	pthread_mutex_unlock(&lock);
	free(s);
}

unsigned int cu_pool_number(CUmemoryPool pool)
{
	struct shared_pool s;

	return find_pool(pool, &s) ? s.number : 0;
}

CUresult cu_pool_own(CUmemoryPool pool)
{
	struct shared_pool s;

	if (!find_pool(pool, &s) || s.types)
		return CUDA_SUCCESS;
	return cu_fail(CUDA_ERROR_INVALID_VALUE,
		       "%p is the pool of another process, from which only that allocates: import its memory with "
		       "cuMemPoolImportPointer()", (void *)pool);
}

CUresult cuMemPoolExportToShareableHandle(void *handle_out, CUmemoryPool pool, CUmemAllocationHandleType handleType,
					  unsigned long long flags)
{
	struct cu_ticket t = { .number = 0 };
	struct shared_pool s;
	CUresult ret;

	CU_ENTER();
	CU_CHECK_PTR(handle_out);
	if (flags)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "flags is %#llx and must be 0", flags);
	ret = cu_check_handle_type(handleType);
	if (ret)
		return ret;
	if (!find_pool(pool, &s) || !(s.types & handleType))
		return cu_fail(CUDA_ERROR_INVALID_VALUE,
			       "%p is no pool of this process that was made for handles of type %#x: set handleTypes of "
			       "cuMemPoolCreate()", (void *)pool, (unsigned int)handleType);
	memcpy(t.what, what_pool, sizeof(t.what));
	t.number = s.id;
	t.device = anpu_front_pool_device(pool);
	if (handleType == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
		return cu_ticket_file(&t, handle_out);
	memset(handle_out, 0, sizeof(CUmemFabricHandle));
	memcpy(handle_out, &t, sizeof(t));
	return CUDA_SUCCESS;
}

CUresult cuMemPoolImportFromShareableHandle(CUmemoryPool *pool_out, void *handle, CUmemAllocationHandleType handleType,
					    unsigned long long flags)
{
	struct cu_ticket t = { .number = 0 };
	CUmemoryPool pool;
	CUresult ret;

	CU_ENTER();
	CU_CHECK_PTR(pool_out);
	if (flags)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "flags is %#llx and must be 0", flags);
	ret = cu_check_handle_type(handleType);
	if (ret)
		return ret;
	if (handleType == CU_MEM_HANDLE_TYPE_FABRIC && handle)
		memcpy(&t, handle, sizeof(t));
	if (handleType == CU_MEM_HANDLE_TYPE_FABRIC ? memcmp(t.what, what_pool, sizeof(t.what)) :
						      !cu_ticket_read((int)(intptr_t)handle, what_pool, &t))
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "handle is %p, which is none of cuMemPoolExportToShareableHandle()", handle);
	ret = cu_check_device(t.device);
	if (!ret)
		ret = cu_pool_make(t.device, 0, &pool);
	if (ret)
		return ret;
	ret = add(pool, 0, t.number);
	if (ret)
		(void)aclrtMemPoolDestroy(pool);
	else
		*pool_out = pool;
	return ret;
}

CUresult cuMemPoolExportPointer(CUmemPoolPtrExportData *shareData_out, CUdeviceptr ptr)
{
	struct parcel p = { .id = 0 };
	struct shared_pool s;
	struct cu_mem m;
	CUresult ret;

	CU_ENTER_CTX(ctx);
	CU_CHECK_PTR(shareData_out);
	if (!cu_mem_find(ptr, &m) || m.kind != CU_MEM_POOL || m.base != ptr || !find_number(m.flags, &s))
		return cu_fail(CUDA_ERROR_INVALID_VALUE,
			       "ptr is 0x%llx, which is no memory of cuMemAllocFromPoolAsync() from a pool with handleTypes", ptr);
	ret = cu_ipc_name(m.base, m.size, p.key);
	if (ret)
		return ret;
	memcpy(p.what, what_parcel, sizeof(p.what));
	p.id = s.id;
	p.size = m.size;
	memset(shareData_out, 0, sizeof(*shareData_out));
	memcpy(shareData_out->reserved, &p, sizeof(p));
	return CUDA_SUCCESS;
}

CUresult cuMemPoolImportPointer(CUdeviceptr *ptr_out, CUmemoryPool pool, CUmemPoolPtrExportData *shareData)
{
	struct shared_pool s;
	struct parcel p;
	CUdeviceptr ptr;
	CUresult ret;
	bool last;

	CU_ENTER_CTX(ctx);
	CU_CHECK_PTR(ptr_out);
	CU_CHECK_PTR(shareData);
	memcpy(&p, shareData->reserved, sizeof(p));
	if (memcmp(p.what, what_parcel, sizeof(p.what)) || !memchr(p.key, 0, sizeof(p.key)))
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "shareData is none of cuMemPoolExportPointer()");
	if (!find_pool(pool, &s) || s.types || s.id != p.id)
		return cu_fail(CUDA_ERROR_INVALID_VALUE,
			       "%p is not the pool of cuMemPoolImportFromShareableHandle() that the memory was exported from",
			       (void *)pool);
	ret = cu_ipc_open(p.key, &ptr);
	if (ret)
		return ret;
	/* once more is the same address, and the same record */
	if (!cu_imported(ptr))
		ret = cu_mem_add(ptr, p.size, CU_MEM_IMPORTED, s.number, ctx);
	if (ret)
		(void)cu_ipc_close(ptr, &last);
	else
		*ptr_out = ptr;
	return ret;
}

bool cu_imported(uint64_t ptr)
{
	struct cu_mem m;

	return cu_mem_find(ptr, &m) && m.base == ptr && m.kind == CU_MEM_IMPORTED;
}

CUresult cu_imported_free(uint64_t ptr)
{
	struct cu_mem m;
	bool last;
	CUresult ret = cu_ipc_close(ptr, &last);

	if (last)
		(void)cu_mem_take(ptr, 1u << CU_MEM_IMPORTED, &m);
	return ret;
}
