// SPDX-License-Identifier: MIT
/*
 * Argument lists: built parameter by parameter, then launched.
 *
 * A list lives in memory of its thread (aclrtKernelArgsInit(), one per thread) or of the caller
 * (aclrtKernelArgsInitByUserMem()). Its handle is its address, which is checked before it is
 * believed: lists of threads are known, and the caller's memory is looked at through the kernel.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "launch/launch.h"

#define MAX_PARAMS 128
#define LIST_MAGIC 0x414e50554c495354ULL
#define PARAM_MARK 0xac2ULL /* in bits 63:52 of a parameter's handle */

struct param {
	uint32_t offset;
	uint32_t size;
	uint32_t data; /* placeholder: offset of its data, 0 until it has some */
	uint32_t data_size;
	bool holder;
};

struct args_list {
	uint64_t magic;
	struct args_list *self;
	uint8_t *data;
	uint32_t capacity;
	uint32_t used;
	uint32_t count;
	/* placeholder data follows the parameters: no more parameters can be added */
	bool has_data;
	bool finalized; /* the list was complete once: no more parameters can be added */
	bool changed;	/* updated since */
	struct param param[MAX_PARAMS];
};

/* Lists of threads, so that one thread can hand its list to another */
struct thread_list {
	struct args_list list;
	struct acl_node node; /* by address of the list, which is its handle */
	uint8_t data[ANPU_ARGS_MAX];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct acl_node *threads;
static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static __thread struct thread_list *mine;

static void thread_ends(void *arg)
{
	struct thread_list *t = arg;

	pthread_mutex_lock(&lock);
	acl_tree_remove(&threads, &t->node);
	pthread_mutex_unlock(&lock);
	free(arg);
}

static void make_key(void)
{
	/* without a key a thread's list is not freed when the thread ends; nothing else is lost */
	(void)pthread_key_create(&key, thread_ends);
}

static bool is_thread_list(const void *handle)
{
	bool found;

	if (mine && handle == &mine->list)
		return true;
	pthread_mutex_lock(&lock);
	found = acl_tree_find(threads, (uintptr_t)handle, 0);
	pthread_mutex_unlock(&lock);
	return found;
}

/* Reads memory of the process that may not be mapped */
static bool peek(const void *from, void *to, size_t size)
{
	struct iovec local = { .iov_base = to, .iov_len = size };
	struct iovec remote = { .iov_base = (void *)(uintptr_t)from, .iov_len = size };

	return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == (ssize_t)size;
}

static aclError find_list(aclrtArgsHandle handle, struct args_list **out)
{
	struct args_list head;

	if (!handle)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "argsHandle is NULL");
	*out = handle;
	if (is_thread_list(handle))
		return ACL_SUCCESS;
	if ((uintptr_t)handle % 8 || !peek(handle, &head, offsetof(struct args_list, param)) ||
	    head.magic != LIST_MAGIC || head.self != handle)
		return acl_fail(ACL_ERROR_RT_INVALID_HANDLE,
				"argsHandle is %p, which is no argument list: make one with "
				"aclrtKernelArgsInit()",
				handle);
	return ACL_SUCCESS;
}

static void start_list(struct args_list *list, void *data, uint32_t capacity)
{
	memset(list, 0, sizeof(*list));
	list->data = data;
	list->capacity = capacity;
	list->self = list;
	list->magic = LIST_MAGIC;
}

static aclError check_func(aclrtFuncHandle handle)
{
	struct anpu_func *func;

	if (!handle)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "funcHandle is NULL");
	func = anpu_func_find(handle);
	if (!func)
		return ACL_ERROR_RT_INVALID_HANDLE;
	acl_obj_put(&func->obj);
	return ACL_SUCCESS;
}

aclError aclrtKernelArgsInit(aclrtFuncHandle funcHandle, aclrtArgsHandle *argsHandle)
{
	aclError ret;

	ACL_ENTER_SHORT();
	ACL_CHECK_PTR(argsHandle);
	ret = check_func(funcHandle);
	if (ret)
		return ret;
	if (!mine) {
		mine = malloc(sizeof(*mine));
		if (!mine)
			return acl_fail(ACL_ERROR_BAD_ALLOC, "no memory for an argument list");
		pthread_mutex_lock(&lock);
		mine->node = (struct acl_node){ .key = (uintptr_t)&mine->list };
		acl_tree_add(&threads, &mine->node);
		pthread_mutex_unlock(&lock);
		if (!pthread_once(&key_once, make_key))
			(void)pthread_setspecific(key, mine);
	}
	start_list(&mine->list, mine->data, sizeof(mine->data));
	*argsHandle = &mine->list;
	return ACL_SUCCESS;
}

aclError aclrtKernelArgsGetHandleMemSize(aclrtFuncHandle funcHandle, size_t *memSize)
{
	aclError ret;

	ACL_ENTER_SHORT();
	ACL_CHECK_PTR(memSize);
	ret = check_func(funcHandle);
	if (!ret)
		*memSize = sizeof(struct args_list);
	return ret;
}

aclError aclrtKernelArgsGetMemSize(aclrtFuncHandle funcHandle, size_t userArgsSize,
				   size_t *actualArgsSize)
{
	aclError ret;

	ACL_ENTER_SHORT();
	ACL_CHECK_PTR(actualArgsSize);
	if (userArgsSize > ANPU_ARGS_MAX)
		return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
				"userArgsSize is %zu and a launch can carry %u bytes", userArgsSize,
				ANPU_ARGS_MAX);
	ret = check_func(funcHandle);
	if (!ret)
		/* a kernel without parameters has a block, too, which malloc() can give */
		*actualArgsSize = max_u64(align_up(userArgsSize, 8), 8);
	return ret;
}

aclError aclrtKernelArgsInitByUserMem(aclrtFuncHandle funcHandle, aclrtArgsHandle argsHandle,
				      void *userHostMem, size_t actualArgsSize)
{
	aclError ret;

	ACL_ENTER_SHORT();
	ACL_CHECK_PTR(argsHandle);
	ACL_CHECK_PTR(userHostMem);
	if (!actualArgsSize || actualArgsSize > ANPU_ARGS_MAX)
		return acl_fail(ACL_ERROR_INVALID_PARAM,
				"actualArgsSize is %zu and must be 1 to %u", actualArgsSize,
				ANPU_ARGS_MAX);
	if ((uintptr_t)argsHandle % 8 || (uintptr_t)userHostMem % 8)
		return acl_fail(ACL_ERROR_RT_ADDR_UNALIGNED,
				"argsHandle %p and userHostMem %p must be multiples of 8",
				argsHandle, userHostMem);
	if (anpu_in_device_range(argsHandle) || anpu_in_device_range(userHostMem))
		return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
				"argsHandle %p and userHostMem %p must be host memory, and one is "
				"device memory",
				argsHandle, userHostMem);
	ret = check_func(funcHandle);
	if (!ret)
		start_list(argsHandle, userHostMem, actualArgsSize);
	return ret;
}

/* Handle of parameter @i: its number, never an address */
static aclrtParamHandle param_handle(uint32_t i)
{
	return (void *)(uintptr_t)(PARAM_MARK << 52 | i);
}

static aclError find_param(struct args_list *list, aclrtParamHandle handle, struct param **out)
{
	uint64_t h = (uintptr_t)handle;

	if (!handle)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "paramHandle is NULL");
	if (h >> 52 != PARAM_MARK || (h & ~(PARAM_MARK << 52)) >= list->count)
		return acl_fail(ACL_ERROR_RT_INVALID_HANDLE,
				"paramHandle is %p, which is no parameter of this list with its %u "
				"parameters",
				handle, list->count);
	*out = &list->param[h & ~(PARAM_MARK << 52)];
	return ACL_SUCCESS;
}

/* Takes room behind what the list has, at a multiple of 8 */
static aclError take_room(struct args_list *list, size_t size, uint32_t *offset)
{
	if (size > list->capacity || align_up(list->used, 8) > list->capacity - size)
		return acl_fail(
			ACL_ERROR_RT_PARAM_INVALID,
			"%zu more bytes do not fit into the list: %u of its %u bytes are used",
			size, list->used, list->capacity);
	*offset = align_up(list->used, 8);
	list->used = *offset + size;
	return ACL_SUCCESS;
}

static aclError append(struct args_list *list, size_t size, bool holder, aclrtParamHandle *handle)
{
	uint32_t offset = 0;
	aclError ret;

	if (list->finalized)
		return acl_fail(
			ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
			"the list is finalized and takes no more parameters: start a new one");
	if (list->has_data)
		return acl_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
				"a placeholder buffer was taken already, and parameters come "
				"before those: append them all first");
	if (list->count == MAX_PARAMS)
		return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
				"the list has %u parameters, which is the limit", MAX_PARAMS);
	ret = take_room(list, size, &offset);
	if (ret)
		return ret;
	list->param[list->count] =
		(struct param){ .offset = offset, .size = size, .holder = holder };
	*handle = param_handle(list->count++);
	return ACL_SUCCESS;
}

aclError aclrtKernelArgsAppend(aclrtArgsHandle argsHandle, void *param, size_t paramSize,
			       aclrtParamHandle *paramHandle)
{
	struct args_list *list;
	uint32_t end;
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(param);
	ACL_CHECK_PTR(paramHandle);
	if (!paramSize)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "paramSize is 0");
	ret = find_list(argsHandle, &list);
	if (!ret)
		ret = append(list, paramSize, false, paramHandle);
	if (ret)
		return ret;
	end = list->param[list->count - 1].offset;
	memcpy(list->data + end, param, paramSize);
	return ACL_SUCCESS;
}

aclError aclrtKernelArgsAppendPlaceHolder(aclrtArgsHandle argsHandle, aclrtParamHandle *paramHandle)
{
	struct args_list *list;
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(paramHandle);
	ret = find_list(argsHandle, &list);
	if (!ret)
		ret = append(list, 8, true, paramHandle);
	if (!ret)
		memset(list->data + list->param[list->count - 1].offset, 0, 8);
	return ret;
}

aclError aclrtKernelArgsGetPlaceHolderBuffer(aclrtArgsHandle argsHandle,
					     aclrtParamHandle paramHandle, size_t dataSize,
					     void **bufferAddr)
{
	struct args_list *list;
	struct param *p = NULL;
	uint32_t offset = 0;
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(bufferAddr);
	if (!dataSize)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "dataSize is 0");
	ret = find_list(argsHandle, &list);
	if (!ret)
		ret = find_param(list, paramHandle, &p);
	if (ret)
		return ret;
	if (!p->holder)
		return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
				"parameter %ld is a value and no placeholder: it has no buffer",
				(long)(p - list->param));
	if (list->finalized)
		return acl_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
				"the list is finalized: take placeholder buffers before");
	if (p->data_size)
		return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
				"parameter %ld has a buffer of %u bytes already",
				(long)(p - list->param), p->data_size);
	ret = take_room(list, dataSize, &offset);
	if (ret)
		return ret;
	list->has_data = true;
	p->data = offset;
	p->data_size = dataSize;
	*bufferAddr = list->data + offset;
	return ACL_SUCCESS;
}

aclError aclrtKernelArgsFinalize(aclrtArgsHandle argsHandle)
{
	struct args_list *list;
	aclError ret;
	uint32_t i;

	ACL_ENTER();
	ret = find_list(argsHandle, &list);
	if (ret)
		return ret;
	for (i = 0; i < list->count; i++)
		if (list->param[i].holder && !list->param[i].data_size)
			return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
					"parameter %u is a placeholder without data: call "
					"aclrtKernelArgsGetPlaceHolderBuffer()",
					i);
	list->finalized = true;
	list->changed = false;
	return ACL_SUCCESS;
}

aclError aclrtKernelArgsParaUpdate(aclrtArgsHandle argsHandle, aclrtParamHandle paramHandle,
				   void *param, size_t paramSize)
{
	struct args_list *list;
	struct param *p = NULL;
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(param);
	ret = find_list(argsHandle, &list);
	if (!ret)
		ret = find_param(list, paramHandle, &p);
	if (ret)
		return ret;
	if (p->holder)
		return acl_fail(
			ACL_ERROR_RT_PARAM_INVALID,
			"parameter %ld is a placeholder, and only appended values are updated",
			(long)(p - list->param));
	if (paramSize != p->size)
		return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
				"paramSize is %zu and parameter %ld has %zu bytes: an update keeps "
				"the size",
				paramSize, (long)(p - list->param), (size_t)p->size);
	memcpy(list->data + p->offset, param, paramSize);
	list->changed = true;
	return ACL_SUCCESS;
}

static aclError launch_list(struct anpu_launch *l, const struct args_list *list)
{
	aclrtPlaceHolderInfo holder[MAX_PARAMS];
	size_t holders = 0;
	uint32_t i;

	if (!list->finalized || list->changed)
		return acl_fail(
			ACL_ERROR_RT_PARAM_INVALID,
			"the argument list %s: call aclrtKernelArgsFinalize() before the launch",
			list->finalized ? "was updated since it was finalized"
					: "is not finalized");
	for (i = 0; i < list->count; i++)
		anpu_launch_check_param(l, i, list->param[i].size);
	for (i = 0; i < list->count; i++)
		if (list->param[i].holder)
			holder[holders++] = (aclrtPlaceHolderInfo){
				.addrOffset = list->param[i].offset,
				.dataOffset = list->param[i].data,
			};
	return anpu_launch_host_args(l, list->data, list->used, holder, holders);
}

aclError aclrtLaunchKernelWithConfig(aclrtFuncHandle funcHandle, uint32_t numBlocks,
				     aclrtStream stream, aclrtLaunchKernelCfg *cfg,
				     aclrtArgsHandle argsHandle, void *reserve)
{
	struct args_list *list;
	struct anpu_launch l;
	aclError ret;

	ACL_ENTER();
	if (reserve)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "reserve is %p and must be NULL", reserve);
	ret = find_list(argsHandle, &list);
	if (!ret)
		ret = anpu_launch_begin(&l, funcHandle, numBlocks, cfg, stream);
	if (ret)
		return ret;
	ret = launch_list(&l, list);
	anpu_launch_end(&l);
	return ret;
}
