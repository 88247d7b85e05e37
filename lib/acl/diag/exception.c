// SPDX-License-Identifier: MIT
/*
 * Exception callbacks: functions of the program that a thread of the runtime calls when a task has
 * failed, whether or not anybody synchronises.
 */
#include <stdlib.h>

#include "diag/diag.h"

#define UNKNOWN UINT32_MAX

struct aclrtExceptionInfo {
	/* without a reference: the thread that runs the hooks ends before the device */
	struct anpu_device *dev;
	uint32_t stream;
	uint32_t task;
	uint32_t thread;
	uint32_t code;
	bool kernel;
	bool known; /* the stream still had its record of the task */
	struct anpu_fault fault; /* of a task */
	struct anpu_task record; /* the stream's, if it is known */
	uint64_t entry;
	uint64_t args;
	uint32_t args_size;
};

struct hook {
	struct hook *next;
	aclrtExceptionInfoCallback fn;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct hook *hooks;
static aclrtExceptionInfoCallback old_hook; /* aclrtSetExceptionInfoCallback() */
static atomic_uint wanted;

bool anpu_exceptions_wanted(void)
{
	return atomic_load(&wanted) != 0;
}

/* The hooks as they are now, a list ended by NULL that is to be freed; NULL without memory */
static aclrtExceptionInfoCallback *snapshot(void)
{
	aclrtExceptionInfoCallback *list;
	struct hook *h;
	size_t n = 0;

	pthread_mutex_lock(&lock);
	list = calloc(atomic_load(&wanted) + 1, sizeof(*list));
	if (list && old_hook)
		list[n++] = old_hook;
	for (h = hooks; list && h; h = h->next)
		list[n++] = h->fn;
	pthread_mutex_unlock(&lock);
	return list;
}

/* The binary that an address is in, with a reference, or NULL */
static struct anpu_binary *binary_at(struct anpu_device *dev, uint64_t entry)
{
	size_t n = acl_obj_list(dev, ACL_TYPE_BINARY, NULL, 0), got, i;
	struct acl_obj **list = calloc(n + 1, sizeof(*list));
	struct anpu_binary *found = NULL;

	got = list ? acl_obj_list(dev, ACL_TYPE_BINARY, list, n) : 0;
	for (i = 0; i < got && i < n; i++) {
		struct anpu_binary *bin = container_of(list[i], struct anpu_binary, obj);
		bool here;

		pthread_mutex_lock(&bin->lock);
		here = bin->region && entry - bin->region->va < bin->region->size;
		pthread_mutex_unlock(&bin->lock);
		if (here && !found)
			found = bin;
		else
			acl_obj_put(&bin->obj);
	}
	free(list);
	return found;
}

static void call_binary_hook(aclrtExceptionInfo *info)
{
	struct anpu_binary *bin = binary_at(info->dev, info->entry);
	aclrtOpExceptionCallback fn;
	void *data;

	if (!bin)
		return;
	pthread_mutex_lock(&lock);
	fn = bin->on_exception;
	data = bin->on_exception_data;
	pthread_mutex_unlock(&lock);
	if (fn)
		fn(info, data);
	acl_obj_put(&bin->obj);
}

static void set_binary_hook(struct anpu_binary *bin, aclrtOpExceptionCallback fn, void *data)
{
	pthread_mutex_lock(&lock);
	if (fn && !bin->on_exception)
		atomic_fetch_add(&wanted, 1);
	else if (!fn && bin->on_exception)
		atomic_fetch_sub(&wanted, 1);
	bin->on_exception = fn;
	bin->on_exception_data = data;
	pthread_mutex_unlock(&lock);
}

void anpu_exception_forget(struct anpu_binary *bin)
{
	set_binary_hook(bin, NULL, NULL);
}

/* In the device's thread for exceptions; the hooks may register and unregister */
static void call_hooks(void *arg)
{
	aclrtExceptionInfoCallback *list = snapshot();
	const aclrtExceptionInfo *info = arg;
	char text[2048];
	size_t i;

	/* so that what the operator printed before the failure is shown before it */
	anpu_print_drain(info->dev);
	if (info->task != UNKNOWN) {
		anpu_fault_text(info->dev, &info->fault, info->known ? &info->record : NULL, text,
				sizeof(text));
		acl_fail(info->code, "stream %u: %s", info->stream, text);
	}
	for (i = 0; list && list[i] && !anpu_exiting(); i++)
		list[i](arg);
	free(list);
	if (info->kernel && !anpu_exiting())
		call_binary_hook(arg);
	anpu_events_hooks_done(info->dev);
	free(arg);
}

void anpu_exception_tell(struct anpu_device *dev, const struct anpu_stream *s,
			 const struct anpu_fault *fault)
{
	struct anpu_reporter *r = __atomic_load_n(&dev->faults, __ATOMIC_ACQUIRE);
	struct aclrtExceptionInfo *info;
	struct anpu_call *call;
	struct anpu_task task;

	if (!r || !anpu_exceptions_wanted())
		return;
	info = calloc(1, sizeof(*info));
	call = calloc(1, sizeof(*call));
	if (!info || !call) {
		/* only the callback is lost: synchronising still returns the failure */
		free(info);
		free(call);
		return;
	}
	*info = (struct aclrtExceptionInfo){ .dev = dev,
					     .stream = UNKNOWN,
					     .task = UNKNOWN,
					     .thread = UNKNOWN,
					     .code = ACL_ERROR_RT_DRV_INTERNAL_ERROR };
	if (s) {
		info->stream = s->number;
		info->task = fault->task_id;
		info->code = anpu_fault_code(fault);
		info->kernel = fault->opcode == ANPU_OP_KERNEL;
		info->entry = fault->entry;
		info->args = fault->args;
		info->args_size = fault->args_size;
		info->fault = *fault;
		info->known = anpu_task_find(s, fault->seq, &task);
		call->context = s->context;
	}
	if (info->known) {
		info->record = task;
		info->thread = task.thread;
	}
	call->fn = call_hooks;
	call->arg = info;
	call->kind = ACL_IN_EXCEPTION;
	dev->hooks_told++;
	anpu_reporter_push(r, call);
}

aclError anpu_exceptions_opened(struct anpu_device *dev)
{
	return anpu_exceptions_wanted() ? anpu_events_start_faults(dev) : ACL_SUCCESS;
}

/*
 * Starts the threads of devices that are open already; the others' are started when they are opened
 */
static aclError start_devices(void)
{
	aclError ret = ACL_SUCCESS;
	int id;

	for (id = 0; id < ANPU_MAX_DEVICES && !ret; id++) {
		struct anpu_device *dev = anpu_device_find(id);

		if (!dev)
			continue;
		ret = anpu_events_start_faults(dev);
		if (ret && atomic_load(&dev->events_ended))
			ret = ACL_SUCCESS; /* another thread has just reset it */
		anpu_device_put(dev);
	}
	return ret;
}

aclError aclrtSetExceptionInfoCallback(aclrtExceptionInfoCallback callback)
{
	ACL_ENTER();
	pthread_mutex_lock(&lock);
	if (callback && !old_hook)
		atomic_fetch_add(&wanted, 1);
	else if (!callback && old_hook)
		atomic_fetch_sub(&wanted, 1);
	old_hook = callback;
	pthread_mutex_unlock(&lock);
	return callback ? start_devices() : ACL_SUCCESS;
}

/* The place of a hook in the list, or the list's end; lock held */
static struct hook **find_hook(aclrtExceptionInfoCallback fn)
{
	struct hook **p;

	for (p = &hooks; *p && (*p)->fn != fn; p = &(*p)->next)
		;
	return p;
}

aclError aclrtExceptionInfoCallbackRegister(aclrtExceptionInfoCallback callback)
{
	struct hook *new, **p;

	ACL_ENTER();
	if (!callback)
		return acl_fail(ACL_ERROR_RT_PARAM_INVALID, "callback is NULL");
	new = calloc(1, sizeof(*new));
	if (!new)
		return acl_fail(ACL_ERROR_BAD_ALLOC, "no memory for a callback");
	new->fn = callback;
	pthread_mutex_lock(&lock);
	p = find_hook(callback);
	if (!*p) {
		*p = new;
		new = NULL;
		atomic_fetch_add(&wanted, 1);
	}
	pthread_mutex_unlock(&lock);
	free(new); /* NULL, or the callback was registered already */
	return start_devices();
}

aclError aclrtExceptionInfoCallbackUnregister(aclrtExceptionInfoCallback callback)
{
	struct hook *h, **p;

	ACL_ENTER_SHORT();
	if (!callback)
		return acl_fail(ACL_ERROR_RT_PARAM_INVALID, "callback is NULL");
	pthread_mutex_lock(&lock);
	p = find_hook(callback);
	h = *p;
	if (h) {
		*p = h->next;
		atomic_fetch_sub(&wanted, 1);
	}
	pthread_mutex_unlock(&lock);
	free(h);
	return ACL_SUCCESS;
}

uint32_t aclrtGetTaskIdFromExceptionInfo(const aclrtExceptionInfo *info)
{
	return info ? info->task : UNKNOWN;
}

uint32_t aclrtGetStreamIdFromExceptionInfo(const aclrtExceptionInfo *info)
{
	return info ? info->stream : UNKNOWN;
}

uint32_t aclrtGetThreadIdFromExceptionInfo(const aclrtExceptionInfo *info)
{
	return info ? info->thread : UNKNOWN;
}

uint32_t aclrtGetDeviceIdFromExceptionInfo(const aclrtExceptionInfo *info)
{
	return info ? (uint32_t)info->dev->id : UNKNOWN;
}

uint32_t aclrtGetErrorCodeFromExceptionInfo(const aclrtExceptionInfo *info)
{
	return info ? info->code : UNKNOWN;
}

static aclError check_kernel(const aclrtExceptionInfo *info)
{
	if (info->kernel)
		return ACL_SUCCESS;
	if (info->task == UNKNOWN)
		return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
				"device %d failed as a whole: there is no kernel to tell about",
				info->dev->id);
	return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
			"task %u of stream %u, which failed, is no kernel", info->task,
			info->stream);
}

aclError aclrtGetArgsFromExceptionInfo(const aclrtExceptionInfo *info, void **devArgsPtr,
				       uint32_t *devArgsLen)
{
	aclError ret;

	ACL_ENTER_SHORT();
	ACL_CHECK_PTR(info);
	ACL_CHECK_PTR(devArgsPtr);
	ACL_CHECK_PTR(devArgsLen);
	ret = check_kernel(info);
	if (ret)
		return ret;
	if (!info->known)
		return acl_fail(ACL_ERROR_RT_INTERNAL_ERROR,
				"where the arguments of task %u were is no longer known: so many "
				"tasks were queued since it failed",
				info->task);
	*devArgsPtr = (void *)(uintptr_t)info->args;
	*devArgsLen = info->args_size;
	return ACL_SUCCESS;
}

/* A live function of the device that begins at an address: its handle, or NULL */
static void *func_at(struct anpu_device *dev, uint64_t entry)
{
	size_t n = acl_obj_list(dev, ACL_TYPE_FUNC, NULL, 0), got, i;
	struct acl_obj **list = calloc(n + 1, sizeof(*list));
	void *handle = NULL;

	if (!list)
		return NULL;
	got = acl_obj_list(dev, ACL_TYPE_FUNC, list, n);
	for (i = 0; i < got && i < n; i++) {
		if (container_of(list[i], struct anpu_func, obj)->entry == entry)
			handle = acl_obj_handle(list[i]);
		acl_obj_put(list[i]);
	}
	free(list);
	return handle;
}

aclError aclrtGetFuncHandleFromExceptionInfo(const aclrtExceptionInfo *info, aclrtFuncHandle *func)
{
	aclError ret;

	ACL_ENTER_SHORT();
	ACL_CHECK_PTR(info);
	ACL_CHECK_PTR(func);
	ret = check_kernel(info);
	if (ret)
		return ret;
	*func = func_at(info->dev, info->entry);
	if (*func)
		return ACL_SUCCESS;
	return acl_fail(ACL_ERROR_RT_INVALID_HANDLE,
			"the binary of the kernel that failed, at %#llx, was unloaded meanwhile",
			(unsigned long long)info->entry);
}

aclError aclrtBinarySetExceptionCallback(aclrtBinHandle binHandle,
					 aclrtOpExceptionCallback callback, void *userData)
{
	struct anpu_binary *bin;
	struct acl_obj *obj;
	aclError ret = ACL_SUCCESS;

	ACL_ENTER();
	ACL_CHECK_PTR(binHandle);
	obj = acl_obj_find(binHandle, ACL_TYPE_BINARY);
	if (!obj)
		return acl_bad_handle(binHandle, ACL_TYPE_BINARY, "binHandle");
	bin = container_of(obj, struct anpu_binary, obj);
	if (callback)
		ret = anpu_events_start_faults(obj->dev);
	if (!ret)
		set_binary_hook(bin, callback, userData);
	acl_obj_put(obj);
	return ret;
}
