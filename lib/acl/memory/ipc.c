// SPDX-License-Identifier: MIT
/*
 * Memory of one process in another: by a key for what aclrtMalloc() returned, by a number for
 * physical memory. Both stand for a dma-buf, see share.c.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "memory/memory.h"

#define ull(x)	   ((unsigned long long)(x))
#define PAGE	   4096ULL

/* GEM handles of imported objects: the driver gives one number for one object, however often */
struct import {
	struct acl_node node; /* by GEM handle and device, which is not counted: it is there */
	unsigned int uses;
};

/* Memory imported by key */
struct opened {
	struct acl_node node; /* by number */
	struct opened *next, *prev;
	struct anpu_device *dev; /* not counted: ends before the device */
	struct anpu_region *reserve;
	uint64_t va; /* of the mapping */
	struct anpu_site site; /* the call that made it */
};

static pthread_mutex_t import_lock = PTHREAD_MUTEX_INITIALIZER;
static struct acl_node *imports;
static pthread_mutex_t opened_lock = PTHREAD_MUTEX_INITIALIZER;
static struct acl_node *opened; /* one after the other if a key was imported again */
static struct opened *all_opened;

/* Objects ------------------------------------------------------------------------------------- */

int anpu_import_fd(struct anpu_device *dev, int fd, uint32_t *gem)
{
	struct import *new = calloc(1, sizeof(*new));
	struct acl_node *n;
	int err;

	if (!new)
		return -ENOMEM;
	pthread_mutex_lock(&import_lock);
	err = anpu_import_gem(dev, fd, gem);
	n = err ? NULL : acl_tree_find(imports, *gem, (uintptr_t)dev);
	if (n) {
		container_of(n, struct import, node)->uses++;
	} else if (!err) {
		new->node = (struct acl_node){ .key = *gem, .tie = (uintptr_t)dev };
		new->uses = 1;
		acl_tree_add(&imports, &new->node);
		new = NULL;
	}
	pthread_mutex_unlock(&import_lock);
	free(new);
	return err;
}

void anpu_import_drop(struct anpu_device *dev, uint32_t gem)
{
	struct acl_node *n;
	struct import *i;

	pthread_mutex_lock(&import_lock);
	n = acl_tree_find(imports, gem, (uintptr_t)dev);
	i = n ? container_of(n, struct import, node) : NULL;
	if (i && !--i->uses) {
		acl_tree_remove(&imports, n);
		free(i);
		anpu_bo_close(dev, gem);
	}
	pthread_mutex_unlock(&import_lock);
}

aclError anpu_share_gem(struct anpu_device *dev, uint32_t gem, enum anpu_share_kind kind,
			struct anpu_shared *what, bool anybody, uint64_t *number)
{
	int err = anpu_export_gem(dev, gem, &what->fd);

	if (err)
		return anpu_fail_ioctl(dev, err, "exporting memory");
	err = anpu_share_add(dev, kind, what, anybody, number);
	if (!err)
		return ACL_SUCCESS;
	close(what->fd);
	return acl_fail(ACL_ERROR_RT_IPC_ERROR, "sharing memory with other processes failed: %s",
			strerror(-err));
}

static const char *const names_processes[] = {
	[ANPU_SHARE_MEMORY] = "aclrtIpcMemSetImportPid",
	[ANPU_SHARE_PHYSICAL] = "aclrtMemSetPidToShareableHandle",
	[ANPU_SHARE_EVENT] = "no function", /* anybody may have it */
	[ANPU_SHARE_NOTIFY] = "aclrtNotifySetImportPid",
};

aclError anpu_share_find(uint64_t number, enum anpu_share_kind kind, const char *name,
			 struct anpu_shared *what)
{
	pid_t owner = anpu_share_owner(number);
	int err;

	if (owner == getpid())
		return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
				"%s was made by this process: it is for others, use the memory itself",
				name);
	err = anpu_share_open(number, kind, what);
	switch (err) {
	case 0:
		break;
	case -EACCES:
		return acl_fail(ACL_ERROR_RT_NO_PERMISSION,
				"process %d does not let this process, %d, have what %s stands for: it "
				"has to name it by %s(), or to export with the flag that disables the validation of processes",
				(int)owner, (int)getpid(), name, names_processes[kind]);
	case -ENOENT:
	case -EPROTO:
		return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
				"%s stands for nothing of that kind in process %d (any more)", name,
				(int)owner);
	default:
		return acl_fail(ACL_ERROR_RT_IPC_ERROR,
				"process %d, which made %s, is gone or does not answer: %s", (int)owner,
				name, strerror(-err));
	}
	return ACL_SUCCESS;
}

static void fail_import(struct anpu_device *dev, const struct anpu_shared *what, int err)
{
	if (err == -EOPNOTSUPP)
		acl_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
			 "device %d cannot reach %s of the device at PCI address %llx: use the device "
			 "that the memory was allocated for",
			 dev->id, what->host ? "system memory" : "the memory",
			 ull(what->pci_address));
	else if ((err == -ENODEV || err == -EBUSY) && what->pci_address != dev->info.pci_address)
		anpu_fail_ioctl(dev, -EXDEV, "importing memory");
	else
		anpu_fail_ioctl(dev, err, "importing memory");
}

/* Does the driver map it for the CPU? It does not for what another device exports */
static bool has_window(struct anpu_device *dev, uint32_t gem)
{
	struct drm_anpu_bo_mmap_offset offset = { .handle = gem };

	return !anpu_ioctl(dev, DRM_IOCTL_ANPU_BO_MMAP_OFFSET, &offset);
}

struct anpu_physical *anpu_share_import(struct anpu_device *dev, const struct anpu_shared *what)
{
	uint32_t gem = 0;
	int err = anpu_import_fd(dev, what->fd, &gem);
	struct anpu_physical *p = NULL;

	if (err)
		fail_import(dev, what, err);
	else
		p = anpu_physical_make(dev, gem, what->size, what->host, true);
	if (!p && !err)
		anpu_import_drop(dev, gem);
	if (p && !has_window(dev, gem))
		p->fd = what->fd;
	else
		close(what->fd);
	return p;
}

aclError anpu_share_enable_peer(struct anpu_device *dev, const struct anpu_shared *what)
{
	aclError ret = ACL_SUCCESS;

	if (what->pci_address != dev->info.pci_address)
		ret = anpu_peer_open_by_pci(dev, what->pci_address);
	if (ret)
		close(what->fd);
	return ret;
}

/* By key --------------------------------------------------------------------------------------- */

aclError anpu_share_parse(const char *key, const char *maker, uint64_t *number)
{
	unsigned long long n;
	int used = 0;

	if (strnlen(key, ANPU_KEY_SIZE) == ANPU_KEY_SIZE - 1 &&
	    sscanf(key, "anpu-%16llx%n", &n, &used) == 1 && used == ANPU_KEY_SIZE - 1) {
		*number = n;
		return ACL_SUCCESS;
	}
	return acl_fail(ACL_ERROR_RT_PARAM_INVALID, "key is '%.32s', which is none of %s()", key,
			maker);
}

static aclError parse_key(const char *key, uint64_t *number)
{
	return anpu_share_parse(key, "aclrtIpcMemGetExportKey", number);
}

aclError aclrtIpcMemGetExportKey(void *devPtr, size_t size, char *key, size_t len, uint64_t flags)
{
	struct anpu_shared what = { 0 };
	struct anpu_mem mem;
	uint64_t number = 0;
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(devPtr);
	ACL_CHECK_PTR(key);
	if (!size || len < ANPU_KEY_SIZE)
		return acl_fail(ACL_ERROR_INVALID_PARAM,
				"size is %zu and len is %zu: give some memory, and %d bytes for the key",
				size, len, ANPU_KEY_SIZE);
	if (flags & ~ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION)
		return acl_fail(ACL_ERROR_INVALID_PARAM,
				"flags is %#llx and must be made of ACL_RT_IPC_MEM_EXPORT_FLAG_* bits",
				ull(flags));
	ret = anpu_mem_look(devPtr, size, "devPtr", &mem);
	if (ret)
		return ret;
	if (mem.place != ANPU_PLACE_DEVICE || mem.pieces ||
	    mem.region->kind == ANPU_REGION_STATUS) {
		ret = acl_fail(ACL_ERROR_RT_PARAM_INVALID,
			       "devPtr is %p, which is not device memory of one piece", devPtr);
	} else {
		what.size = size;
		what.offset = mem.addr - mem.region->va + mem.region->bo_offset;
		ret = anpu_share_gem(mem.dev, mem.region->handle, ANPU_SHARE_MEMORY, &what,
				 flags & ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION, &number);
	}
	anpu_mem_done(&mem);
	if (!ret)
		snprintf(key, len, ANPU_KEY_FORMAT, ull(number));
	return ret;
}

aclError aclrtIpcMemSetImportPid(const char *key, int32_t *pid, size_t num)
{
	uint64_t number;
	aclError ret;
	int err;

	ACL_ENTER();
	ACL_CHECK_PTR(key);
	ACL_CHECK_PTR(pid);
	if (!num || num > 65536)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "num is %zu and must be 1 to 65536", num);
	ret = parse_key(key, &number);
	if (ret)
		return ret;
	err = anpu_share_allow(number, ANPU_SHARE_MEMORY, pid, num);
	if (!err)
		return ACL_SUCCESS;
	return err == -ENOMEM ? acl_fail(ACL_ERROR_BAD_ALLOC, "no memory for a list of processes")
			      : acl_fail(ACL_ERROR_RT_PARAM_INVALID,
					 "key '%s' was closed, or made by another process", key);
}

/* Maps the pages that the memory lies in */
static aclError map_import(struct anpu_device *dev, struct anpu_physical *p, uint64_t number,
			   const struct anpu_shared *what, void **devPtr)
{
	uint64_t first = what->offset & ~(PAGE - 1), skip = what->offset - first;
	uint64_t size = align_up(skip + what->size, PAGE);
	struct opened *o = calloc(1, sizeof(*o));
	int err = -ENOMEM;

	/* the program has no handle of it unless it calls aclrtMemRetainAllocationHandle() */
	atomic_store(&p->uses, 0);
	if (o)
		err = anpu_region_reserve(dev, align_up(size, ANPU_CHUNK_SIZE), 0, &o->reserve);
	if (err) {
		free(o);
		return anpu_fail_ioctl(dev, err, "finding addresses for imported memory");
	}
	err = anpu_region_map(o->reserve, o->reserve->va, size, p->handle, &p->obj, first, true);
	if (err) {
		(void)anpu_region_release(o->reserve);
		free(o);
		return anpu_fail_ioctl(dev, err, "mapping imported memory");
	}
	o->dev = dev;
	o->va = o->reserve->va;
	anpu_site_here(&o->site);
	*devPtr = (void *)(uintptr_t)(o->va + skip);
	o->node = (struct acl_node){ .key = number, .tie = o->va };
	pthread_mutex_lock(&opened_lock);
	acl_tree_add(&opened, &o->node);
	o->next = all_opened;
	if (all_opened)
		all_opened->prev = o;
	all_opened = o;
	pthread_mutex_unlock(&opened_lock);
	return ACL_SUCCESS;
}

aclError aclrtIpcMemImportByKey(void **devPtr, const char *key, uint64_t flags)
{
	struct anpu_physical *p = NULL;
	struct anpu_context *ctx;
	struct anpu_shared what;
	uint64_t number;
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(devPtr);
	ACL_CHECK_PTR(key);
	if (flags & ~ACL_RT_IPC_MEM_IMPORT_FLAG_ENABLE_PEER_ACCESS)
		return acl_fail(ACL_ERROR_INVALID_PARAM,
				"flags is %#llx and must be made of ACL_RT_IPC_MEM_IMPORT_FLAG_* bits",
				ull(flags));
	ret = parse_key(key, &number);
	if (!ret)
		ret = anpu_context_current(&ctx);
	if (ret)
		return ret;
	ret = anpu_share_find(number, ANPU_SHARE_MEMORY, key, &what);
	if (!ret && flags & ACL_RT_IPC_MEM_IMPORT_FLAG_ENABLE_PEER_ACCESS)
		ret = anpu_share_enable_peer(ctx->obj.dev, &what);
	if (!ret) {
		p = anpu_share_import(ctx->obj.dev, &what);
		ret = p ? map_import(ctx->obj.dev, p, number, &what, devPtr) : acl_last_failure();
	}
	if (p) /* the mapping holds a reference now */
		acl_obj_put(&p->obj);
	anpu_context_put(ctx);
	return ret;
}

/* opened_lock held */
static void close_opened(struct opened *o)
{
	struct anpu_region *region = anpu_region_find(o->dev, o->va);

	acl_tree_remove(&opened, &o->node);
	*(o->prev ? &o->prev->next : &all_opened) = o->next;
	if (o->next)
		o->next->prev = o->prev;
	if (region) {
		anpu_region_end(region);
		anpu_region_put(region);
	}
	(void)anpu_region_release(o->reserve);
	free(o);
}

void anpu_imports_end(struct anpu_device *dev)
{
	struct opened *o, *next;

	pthread_mutex_lock(&opened_lock);
	for (o = all_opened; o; o = next) {
		next = o->next;
		if (o->dev != dev)
			continue;
		if (anpu_checking())
			anpu_finding("leak", &o->site, "memory of process %d was never closed: see aclrtIpcMemClose(); the call that "
				     "imported it is", (int)anpu_share_owner(o->node.key));
		close_opened(o);
	}
	pthread_mutex_unlock(&opened_lock);
	anpu_shares_end(dev);
}

/*
 * A key may be imported by several devices, each of which has a mapping: the calling thread means its own device's, so
 * that threads that work for different devices do not end each other's. opened_lock held
 */
static struct opened *find_opened(uint64_t number, int device)
{
	struct acl_node *n = acl_tree_floor(opened, number);
	struct opened *any, *o;

	if (!n || n->key != number)
		return NULL;
	any = container_of(n, struct opened, node);
	if (any->dev->id == device)
		return any;
	for (o = all_opened; o; o = o->next)
		if (o->node.key == number && o->dev->id == device)
			return o;
	return any;
}

/* The exporter takes the key back, the importer its mapping */
aclError aclrtIpcMemClose(const char *key)
{
	struct opened *o;
	uint64_t number;
	aclError ret;
	int device;

	ACL_ENTER();
	ACL_CHECK_PTR(key);
	ret = parse_key(key, &number);
	if (ret || anpu_share_end(number, ANPU_SHARE_MEMORY))
		return ret;
	/* -1 in a thread without a context, which may close keys, too */
	device = anpu_context_device();
	pthread_mutex_lock(&opened_lock);
	o = find_opened(number, device);
	if (o)
		close_opened(o);
	pthread_mutex_unlock(&opened_lock);
	if (o)
		return ACL_SUCCESS;
	return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
			"key '%s' was closed already, or neither made nor imported by this process",
			key);
}

/* Physical memory ------------------------------------------------------------------------------ */

static aclError export_physical(aclrtDrvMemHandle handle, uint64_t flags, uint64_t *number)
{
	struct anpu_shared what = { 0 };
	struct anpu_physical *p;
	aclError ret;

	if (flags & ~ACL_RT_VMM_EXPORT_FLAG_DISABLE_PID_VALIDATION)
		return acl_fail(ACL_ERROR_INVALID_PARAM,
				"flags is %#llx and must be made of ACL_RT_VMM_EXPORT_FLAG_* bits",
				ull(flags));
	p = anpu_physical_find(handle);
	if (!p)
		return ACL_ERROR_RT_INVALID_HANDLE;
	what.size = p->size;
	what.host = p->host;
	what.owner = &p->obj;
	ret = anpu_share_gem(p->obj.dev, p->handle, ANPU_SHARE_PHYSICAL, &what,
			 flags & ACL_RT_VMM_EXPORT_FLAG_DISABLE_PID_VALIDATION, number);
	acl_obj_put(&p->obj);
	return ret;
}

aclError aclrtMemExportToShareableHandle(aclrtDrvMemHandle handle, aclrtMemHandleType handleType,
					 uint64_t flags, uint64_t *shareableHandle)
{
	ACL_ENTER();
	ACL_CHECK_PTR(handle);
	ACL_CHECK_PTR(shareableHandle);
	if (handleType != ACL_MEM_HANDLE_TYPE_NONE)
		return acl_fail(ACL_ERROR_INVALID_PARAM,
				"handleType is %d and must be ACL_MEM_HANDLE_TYPE_NONE (0)",
				(int)handleType);
	return export_physical(handle, flags, shareableHandle);
}

static aclError check_share_type(aclrtMemSharedHandleType shareType)
{
	if (shareType == ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT ||
	    shareType == ACL_MEM_SHARE_HANDLE_TYPE_FABRIC)
		return ACL_SUCCESS;
	return acl_fail(ACL_ERROR_INVALID_PARAM,
			"shareType is %d and must be DEFAULT (1) or FABRIC (2)", (int)shareType);
}

/* A fabric handle is the number and zeros */
aclError aclrtMemExportToShareableHandleV2(aclrtDrvMemHandle handle, uint64_t flags,
					   aclrtMemSharedHandleType shareType, void *shareableHandle)
{
	uint64_t number = 0;
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(handle);
	ACL_CHECK_PTR(shareableHandle);
	ret = check_share_type(shareType);
	if (!ret)
		ret = export_physical(handle, flags, &number);
	if (ret)
		return ret;
	if (shareType == ACL_MEM_SHARE_HANDLE_TYPE_FABRIC)
		memset(shareableHandle, 0, sizeof(aclrtMemFabricHandle));
	memcpy(shareableHandle, &number, sizeof(number));
	return ACL_SUCCESS;
}

static aclError import_physical(uint64_t number, struct anpu_device *dev, aclrtDrvMemHandle *handle)
{
	struct anpu_shared what;
	struct anpu_physical *p;
	char name[48];
	aclError ret;

	snprintf(name, sizeof(name), "shareableHandle %#llx", ull(number));
	ret = anpu_share_find(number, ANPU_SHARE_PHYSICAL, name, &what);
	if (ret)
		return ret;
	p = anpu_share_import(dev, &what);
	if (!p)
		return acl_last_failure();
	if (acl_obj_give(&p->obj, handle))
		return ACL_SUCCESS;
	acl_obj_put(&p->obj);
	return acl_fail(ACL_ERROR_RT_RESOURCE_ALLOC_FAIL,
			"no handle is left for physical memory, or its device was reset");
}

static aclError import_for(uint64_t shareableHandle, int32_t deviceId, aclrtDrvMemHandle *handle)
{
	struct anpu_device *dev = anpu_device_find(deviceId);
	aclError ret;

	if (!dev)
		return acl_fail(ACL_ERROR_RT_INVALID_DEVICEID,
				"deviceId is %d, a device that this process does not use: call "
				"aclrtSetDevice() before",
				deviceId);
	ret = import_physical(shareableHandle, dev, handle);
	anpu_device_put(dev);
	return ret;
}

aclError aclrtMemImportFromShareableHandle(uint64_t shareableHandle, int32_t deviceId,
					   aclrtDrvMemHandle *handle)
{
	ACL_ENTER();
	ACL_CHECK_PTR(handle);
	return import_for(shareableHandle, deviceId, handle);
}

aclError anpu_front_physical_import(uint64_t number, int32_t device, aclrtDrvMemHandle *handle)
{
	struct acl_obj *own;
	aclError ret;

	ACL_ENTER();
	own = anpu_share_owned(number, ANPU_SHARE_PHYSICAL);
	if (!own && anpu_share_owner(number) == getpid())
		return acl_fail(ACL_ERROR_RT_PARAM_INVALID, "shareableHandle %#llx stands for no physical memory of this process (any more)",
				ull(number));
	if (!own)
		return import_for(number, device, handle);
	ret = anpu_physical_use(container_of(own, struct anpu_physical, obj), handle);
	acl_obj_put(own);
	return ret;
}

aclError aclrtMemImportFromShareableHandleV2(void *shareableHandle,
					     aclrtMemSharedHandleType shareType, uint64_t flags,
					     aclrtDrvMemHandle *handle)
{
	struct anpu_context *ctx;
	uint64_t number;
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(shareableHandle);
	ACL_CHECK_PTR(handle);
	if (flags)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "flags is %#llx and must be 0", ull(flags));
	ret = check_share_type(shareType);
	if (ret)
		return ret;
	memcpy(&number, shareableHandle, sizeof(number));
	ret = anpu_context_current(&ctx);
	if (ret)
		return ret;
	ret = import_physical(number, ctx->obj.dev, handle);
	anpu_context_put(ctx);
	return ret;
}

static aclError allow(uint64_t number, const int32_t *pid, size_t n)
{
	int err;

	if (!n || n > 65536)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "pidNum is %zu and must be 1 to 65536", n);
	err = anpu_share_allow(number, ANPU_SHARE_PHYSICAL, pid, n);
	if (!err)
		return ACL_SUCCESS;
	return err == -ENOMEM ? acl_fail(ACL_ERROR_BAD_ALLOC, "no memory for a list of processes")
			      : acl_fail(ACL_ERROR_RT_PARAM_INVALID,
					 "shareableHandle %#llx was not made by this process",
					 ull(number));
}

aclError aclrtMemSetPidToShareableHandle(uint64_t shareableHandle, int32_t *pid, size_t pidNum)
{
	ACL_ENTER_SHORT();
	ACL_CHECK_PTR(pid);
	return allow(shareableHandle, pid, pidNum);
}

aclError aclrtMemSetPidToShareableHandleV2(void *shareableHandle,
					   aclrtMemSharedHandleType shareType, int32_t *pid,
					   size_t pidNum)
{
	uint64_t number;
	aclError ret;

	ACL_ENTER_SHORT();
	ACL_CHECK_PTR(shareableHandle);
	ACL_CHECK_PTR(pid);
	ret = check_share_type(shareType);
	if (ret)
		return ret;
	memcpy(&number, shareableHandle, sizeof(number));
	return allow(number, pid, pidNum);
}

aclError aclrtDeviceGetBareTgid(int32_t *pid)
{
	ACL_ENTER_SHORT();
	ACL_CHECK_PTR(pid);
	*pid = getpid();
	return ACL_SUCCESS;
}
