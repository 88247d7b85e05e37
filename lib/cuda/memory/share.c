// SPDX-License-Identifier: MIT
/*
 * Physical memory in several processes. libacl shares it under a number that cannot be guessed, and the process that
 * has exported it answers those that ask. A file descriptor is a small file in memory with that number: whoever has got the
 * descriptor, by a socket, fork() or /proc, may import the memory. A fabric handle is the number itself.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <fcntl.h>

#include "cuda/context/context.h"
#include "cuda/memory/memory.h"

#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL)

static const char what_memory[16] = "anpu-memory";

/* Memory that was made for other processes */
struct shared {
	struct shared *next;
	CUmemGenericAllocationHandle handle;
	unsigned int types;
	int uses;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects the list */
static struct shared *list;

/* Where the record of a handle is linked, or NULL; locked */
static struct shared **find(CUmemGenericAllocationHandle handle)
{
	struct shared **at = &list;

	while (*at && (*at)->handle != handle)
		at = &(*at)->next;
	return *at ? at : NULL;
}

CUresult cu_shared_new(CUmemGenericAllocationHandle handle, unsigned int types)
{
	struct shared *s = malloc(sizeof(*s));

	if (!s)
		return cu_fail(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a record of physical memory");
	pthread_mutex_lock(&lock);
	*s = (struct shared){ .next = list, .handle = handle, .types = types, .uses = 1 };
	list = s;
	pthread_mutex_unlock(&lock);
	return CUDA_SUCCESS;
}

void cu_shared_use(CUmemGenericAllocationHandle handle, int more)
{
	struct shared **at, *s;

	pthread_mutex_lock(&lock);
	at = find(handle);
	s = at ? *at : NULL;
	if (s) {
		s->uses += more;
		if (!s->uses) {
			*at = s->next;
			free(s);
		}
	}
	pthread_mutex_unlock(&lock);
}

unsigned int cu_shared_types(CUmemGenericAllocationHandle handle)
{
	struct shared **at;
	unsigned int types;

	pthread_mutex_lock(&lock);
	at = find(handle);
	types = at ? (*at)->types : 0;
	pthread_mutex_unlock(&lock);
	return types;
}

CUresult cu_check_handle_type(CUmemAllocationHandleType type)
{
	if (type == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR || type == CU_MEM_HANDLE_TYPE_FABRIC)
		return CUDA_SUCCESS;
	return cu_fail(CUDA_ERROR_INVALID_VALUE, "handleType is %#x and must be CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR (1) or _FABRIC (8)",
		       (unsigned int)type);
}

CUresult cu_ticket_file(const struct cu_ticket *t, int *out)
{
	int fd = memfd_create(t->what, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	CUresult ret = CUDA_SUCCESS;

	if (fd < 0)
		return cu_fail(CUDA_ERROR_OPERATING_SYSTEM, "no descriptor for memory: %m");
	if (write(fd, t, sizeof(*t)) != sizeof(*t) || fcntl(fd, F_ADD_SEALS, SEALS))
		ret = cu_fail(CUDA_ERROR_OPERATING_SYSTEM, "the file for a descriptor of memory cannot be written: %m");
	if (ret)
		close(fd);
	else
		*out = fd;
	return ret;
}

bool cu_ticket_read(int fd, const char what[16], struct cu_ticket *out)
{
	return pread(fd, out, sizeof(*out), 0) == sizeof(*out) && !memcmp(out->what, what, sizeof(out->what));
}

CUresult cuMemExportToShareableHandle(void *shareableHandle, CUmemGenericAllocationHandle handle,
				      CUmemAllocationHandleType handleType, unsigned long long flags)
{
	struct cu_ticket t = { .number = 0 };
	CUresult ret;

	CU_ENTER();
	CU_CHECK_PTR(shareableHandle);
	if (flags)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "flags is %#llx and must be 0", flags);
	ret = cu_check_handle_type(handleType);
	if (!ret && !(cu_shared_types(handle) & handleType))
		ret = cu_fail(CUDA_ERROR_INVALID_VALUE,
			      "handle %#llx is no physical memory that was made for handles of type %#x: set "
			      "prop->requestedHandleTypes of cuMemCreate()",
			      handle, (unsigned int)handleType);
	if (!ret)
		ret = cu_code(aclrtMemExportToShareableHandle(CU_PTR(handle), ACL_MEM_HANDLE_TYPE_NONE,
							      ACL_RT_VMM_EXPORT_FLAG_DISABLE_PID_VALIDATION, &t.number));
	if (ret)
		return ret;
	memcpy(t.what, what_memory, sizeof(t.what));
	if (handleType == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
		return cu_ticket_file(&t, shareableHandle);
	memset(shareableHandle, 0, sizeof(CUmemFabricHandle));
	memcpy(shareableHandle, &t.number, sizeof(t.number));
	return CUDA_SUCCESS;
}

static CUresult read_file(int fd, uint64_t *number)
{
	struct cu_ticket t;

	if (!cu_ticket_read(fd, what_memory, &t))
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "osHandle is %d, which is no descriptor of cuMemExportToShareableHandle()", fd);
	*number = t.number;
	return CUDA_SUCCESS;
}

/* A handle that was imported may be exported again. What this process has exported comes back with the handle that it has */
static CUresult imported(CUmemGenericAllocationHandle handle)
{
	if (!cu_shared_types(handle))
		return cu_shared_new(handle, CU_SHARED_TYPES);
	cu_shared_use(handle, 1);
	return CUDA_SUCCESS;
}

CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle *handle, void *osHandle,
					CUmemAllocationHandleType shHandleType)
{
	aclrtDrvMemHandle h = NULL;
	uint64_t number = 0;
	CUdevice dev;
	CUresult ret;

	CU_ENTER();
	CU_CHECK_PTR(handle);
	ret = cu_check_handle_type(shHandleType);
	if (!ret && shHandleType == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
		ret = read_file((int)(intptr_t)osHandle, &number);
	else if (!ret && !osHandle)
		ret = cu_fail(CUDA_ERROR_INVALID_VALUE, "osHandle is NULL");
	else if (!ret)
		memcpy(&number, osHandle, sizeof(number));
	if (!ret)
		ret = cu_usual_device(&dev);
	if (!ret)
		ret = cu_keep_device(dev);
	if (!ret)
		ret = cu_code(anpu_front_physical_import(number, dev, &h));
	if (!ret) {
		ret = imported((uintptr_t)h);
		if (ret)
			(void)aclrtFreePhysical(h);
	}
	if (!ret)
		*handle = (uintptr_t)h;
	return ret;
}
