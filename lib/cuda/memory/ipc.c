// SPDX-License-Identifier: MIT
/* Device memory in several processes. A handle has libacl's key, the address inside of the allocation is its beginning. */
#include <stdlib.h>
#include <string.h>

#include "cuda/context/context.h"
#include "cuda/memory/memory.h"

struct handle {
	char mark[8];
	char key[CU_KEY_BYTES];
};

/* An allocation that has a handle, or that another process has */
struct shared {
	struct shared *next;
	uint64_t base;
	unsigned int uses; /* 0: it is this process's own */
	char key[CU_KEY_BYTES];
};

static const char mark[8] = "anpumem";
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct shared *list;

/* Under the lock: the place in the list of a record of that address and kind, where the list ends if there is none */
static struct shared **place_of(uint64_t base, bool opened)
{
	struct shared **at;

	for (at = &list; *at && ((*at)->base != base || !(*at)->uses == opened); at = &(*at)->next)
		;
	return at;
}

static struct shared *opened_by(const char *key)
{
	struct shared *s;

	for (s = list; s && (!s->uses || strcmp(s->key, key)); s = s->next)
		;
	return s;
}

void cu_ipc_freed(uint64_t base)
{
	struct shared **at, *s;

	pthread_mutex_lock(&lock);
	at = place_of(base, false);
	s = *at;
	if (s)
		*at = s->next;
	pthread_mutex_unlock(&lock);
	if (s)
		(void)aclrtIpcMemClose(s->key);
	free(s);
}

/* Under the lock: the record of an allocation of this process, new if it has none */
static CUresult name(uint64_t base, size_t size, struct shared **out)
{
	struct shared *s = *place_of(base, false);
	CUresult ret;

	if (!s) {
		s = calloc(1, sizeof(*s));
		if (!s)
			return cu_fail(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a handle");
		ret = cu_code(aclrtIpcMemGetExportKey(CU_PTR(base), size, s->key, sizeof(s->key),
						      ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION));
		if (ret) {
			free(s);
			return ret;
		}
		s->base = base;
		s->next = list;
		list = s;
	}
	*out = s;
	return CUDA_SUCCESS;
}

CUresult cu_ipc_name(uint64_t base, size_t size, char key[CU_KEY_BYTES])
{
	struct shared *s = NULL;
	CUresult ret;

	pthread_mutex_lock(&lock);
	ret = name(base, size, &s);
	if (!ret)
		memcpy(key, s->key, sizeof(s->key));
	pthread_mutex_unlock(&lock);
	return ret;
}

CUresult cuIpcGetMemHandle(CUipcMemHandle *pHandle, CUdeviceptr dptr)
{
	struct handle h = { 0 };
	struct cu_mem m;
	CUresult ret;

	CU_ENTER_CTX(ctx);
	CU_CHECK_PTR(pHandle);
	if (!cu_mem_find(dptr, &m) || m.kind != CU_MEM_DEVICE)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "dptr is 0x%llx, which is no memory of cuMemAlloc()", dptr);
	memcpy(h.mark, mark, sizeof(h.mark));
	ret = cu_ipc_name(m.base, m.size, h.key);
	if (ret)
		return ret;
	memset(pHandle, 0, sizeof(*pHandle));
	memcpy(pHandle->reserved, &h, sizeof(h));
	return CUDA_SUCCESS;
}

/* Under the lock */
static CUresult open_key(const char *key, CUdeviceptr *out)
{
	struct shared *s = opened_by(key);
	void *p = NULL;
	CUresult ret;

	if (s) {
		s->uses++;
		*out = s->base;
		return CUDA_SUCCESS;
	}
	s = calloc(1, sizeof(*s));
	if (!s)
		return cu_fail(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a handle");
	ret = cu_code(aclrtIpcMemImportByKey(&p, key, ACL_RT_IPC_MEM_IMPORT_FLAG_ENABLE_PEER_ACCESS));
	if (ret) {
		free(s);
		return ret;
	}
	*s = (struct shared){ .next = list, .base = (uintptr_t)p, .uses = 1 };
	memcpy(s->key, key, sizeof(s->key));
	list = s;
	*out = s->base;
	return CUDA_SUCCESS;
}

CUresult cu_ipc_open(const char key[CU_KEY_BYTES], CUdeviceptr *out)
{
	CUresult ret;

	pthread_mutex_lock(&lock);
	ret = open_key(key, out);
	pthread_mutex_unlock(&lock);
	return ret;
}

CUresult cuIpcOpenMemHandle(CUdeviceptr *pdptr, CUipcMemHandle handle, unsigned int Flags)
{
	struct handle h;

	CU_ENTER_CTX(ctx);
	CU_CHECK_PTR(pdptr);
	if (Flags != CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "Flags is %#x and must be CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS", Flags);
	memcpy(&h, handle.reserved, sizeof(h));
	if (memcmp(h.mark, mark, sizeof(h.mark)) || !memchr(h.key, 0, sizeof(h.key)))
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "the handle is none of cuIpcGetMemHandle()");
	return cu_ipc_open(h.key, pdptr);
}

CUresult cu_ipc_close(CUdeviceptr dptr, bool *last)
{
	struct shared **at, *s;
	CUresult ret, failure;

	*last = false;
	pthread_mutex_lock(&lock);
	at = place_of(dptr, true);
	s = *at;
	if (s && !--s->uses) {
		*at = s->next;
		*last = true;
	}
	pthread_mutex_unlock(&lock);
	if (!s)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "dptr is 0x%llx, which is no memory of cuIpcOpenMemHandle()", dptr);
	if (!*last)
		return CUDA_SUCCESS;
	/* work that still uses it ends first */
	failure = cu_await_work();
	ret = cu_code(aclrtIpcMemClose(s->key));
	free(s);
	return failure ? failure : ret;
}

CUresult cuIpcCloseMemHandle(CUdeviceptr dptr)
{
	bool last;

	CU_ENTER_CTX(ctx);
	return cu_ipc_close(dptr, &last);
}
