// SPDX-License-Identifier: MIT
/*
 * Pinned host memory: buffer objects in system memory, mapped into the process by mmap() and into
 * the device at the same address. The table is sorted by address.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "anpu_lib.h"

struct host_memory {
	uint64_t addr;
	uint64_t size; /* mapped */
	uint64_t user_size;
	uint32_t handle;
	struct anpu_device *dev; /* referenced; NULL once the device was reset */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct host_memory *table;
static size_t count, room;

/* Index of the last entry that begins at or below @addr, or -1; lock held */
static ssize_t search(uint64_t addr)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (table[mid].addr <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return (ssize_t)low - 1;
}

static struct host_memory *find(uint64_t addr)
{
	ssize_t i = search(addr);

	return i >= 0 && addr - table[i].addr < table[i].size ? &table[i] : NULL;
}

/* Lock held */
static bool make_room(void)
{
	size_t more = room ? room * 2 : 64;
	struct host_memory *t;

	if (count < room)
		return true;
	t = realloc(table, more * sizeof(*t));
	if (!t)
		return false;
	table = t;
	room = more;
	return true;
}

static int insert(const struct host_memory *m)
{
	int err = -ENOMEM;
	ssize_t at;

	pthread_mutex_lock(&lock);
	if (make_room()) {
		at = search(m->addr) + 1;
		memmove(table + at + 1, table + at, (count - at) * sizeof(*table));
		table[at] = *m;
		count++;
		err = 0;
	}
	pthread_mutex_unlock(&lock);
	return err;
}

static int bind_at(struct host_memory *m)
{
	struct drm_anpu_vm_bind_op op = {
		.op = DRM_ANPU_VM_MAP,
		.flags = DRM_ANPU_VM_READ | DRM_ANPU_VM_WRITE,
		.va = m->addr,
		.size = m->size,
		.handle = m->handle,
	};

	return anpu_vm_bind(m->dev, &op, 1);
}

/* Gives the device's part back; the process keeps its mapping */
static void let_go(struct host_memory *m)
{
	struct drm_anpu_vm_bind_op op = { .op = DRM_ANPU_VM_UNMAP, .va = m->addr, .size = m->size };

	/* fails only with the device gone, and then nothing is mapped */
	(void)anpu_vm_bind(m->dev, &op, 1);
	anpu_bo_close(m->dev, m->handle);
	anpu_device_put(m->dev);
	m->dev = NULL;
}

static int make(struct host_memory *m)
{
	struct drm_anpu_bo_create create = { .size = m->user_size, .type = DRM_ANPU_BO_SYSTEM };
	void *p;
	int err = anpu_ioctl(m->dev->fd, DRM_IOCTL_ANPU_BO_CREATE, &create);

	if (err)
		return err;
	m->handle = create.handle;
	m->size = create.size;
	p = anpu_bo_map(m->dev, m->handle, m->size);
	if (!p) {
		anpu_bo_close(m->dev, m->handle);
		return -ENOMEM;
	}
	m->addr = (uintptr_t)p;
	err = bind_at(m);
	if (!err) {
		anpu_device_get(m->dev);
		err = insert(m);
		if (!err)
			return 0;
		let_go(m);
	} else {
		anpu_bo_close(m->dev, m->handle);
	}
	munmap(p, m->size);
	return err;
}

static uint64_t physical_memory(void)
{
	return (uint64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
}

aclError aclrtMallocHost(void **hostPtr, size_t size)
{
	struct host_memory m = { .user_size = size };
	struct anpu_context *ctx;
	char want[16];
	aclError ret;
	int err;

	ACL_ENTER();
	ACL_CHECK_PTR(hostPtr);
	if (!size)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "size is 0");
	ret = anpu_context_current(&ctx);
	if (ret)
		return ret;
	m.dev = ctx->obj.dev;
	err = size > physical_memory() ? -ENOMEM : make(&m);
	if (err == -ENOMEM)
		ret = acl_fail(ACL_ERROR_RT_MEMORY_ALLOCATION,
			       "the system has no %s left that can be pinned: free some, or give "
			       "the machine more memory",
			       acl_bytes(size, want));
	else if (err)
		ret = anpu_fail_ioctl(ctx->obj.dev, err, "allocating pinned host memory");
	else
		*hostPtr = (void *)(uintptr_t)m.addr;
	anpu_context_put(ctx);
	return ret;
}

static aclError host_free(void *hostPtr)
{
	struct host_memory m = { 0 };
	struct host_memory *found;

	pthread_mutex_lock(&lock);
	found = find((uintptr_t)hostPtr);
	if (found && found->addr == (uintptr_t)hostPtr) {
		m = *found;
		memmove(found, found + 1, (table + count - found - 1) * sizeof(*table));
		count--;
	}
	pthread_mutex_unlock(&lock);
	if (found && !m.addr)
		return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
				"hostPtr is %p, which is inside pinned memory: pass the start, "
				"which aclrtMallocHost() returned",
				hostPtr);
	if (!found)
		return acl_fail(ACL_ERROR_RT_PARAM_INVALID, "hostPtr is %p, which is %s", hostPtr,
				anpu_in_device_range(hostPtr)
					? "device memory: free it with aclrtFree()"
					: "no pinned memory: it was freed already, or "
					  "aclrtMallocHost() did not return it");
	if (m.dev)
		let_go(&m);
	munmap(hostPtr, m.size);
	return ACL_SUCCESS;
}

aclError aclrtFreeHost(void *hostPtr)
{
	ACL_ENTER();
	ACL_CHECK_PTR(hostPtr);
	return host_free(hostPtr);
}

aclError aclrtFreeHostWithDevSync(void *hostPtr)
{
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(hostPtr);
	ret = anpu_sync_current_device();
	return ret ? ret : host_free(hostPtr);
}

bool anpu_is_pinned(const void *ptr)
{
	bool pinned;

	pthread_mutex_lock(&lock);
	pinned = find((uintptr_t)ptr) != NULL;
	pthread_mutex_unlock(&lock);
	return pinned;
}

aclError anpu_mem_look_host(struct anpu_mem *mem, uint64_t len, const char *name)
{
	struct host_memory *m;
	bool fits = true;

	pthread_mutex_lock(&lock);
	m = find(mem->addr);
	if (m) {
		mem->base = m->addr;
		mem->size = m->user_size;
		fits = mem->addr - m->addr <= m->user_size &&
		       len <= m->user_size - (mem->addr - m->addr);
		/* after a reset it is memory like any other */
		mem->place = m->dev ? ANPU_PLACE_PINNED : ANPU_PLACE_PAGEABLE;
		mem->pinned_for = m->dev ? m->dev->id : -1;
	}
	pthread_mutex_unlock(&lock);
	if (fits)
		return ACL_SUCCESS;
	return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
			"%s with %llu bytes from %#llx leaves its pinned allocation, which begins "
			"at %#llx and has %llu bytes",
			name, (unsigned long long)len, (unsigned long long)mem->addr,
			(unsigned long long)mem->base, (unsigned long long)mem->size);
}

void anpu_host_memory_orphan(struct anpu_device *dev)
{
	size_t i;

	pthread_mutex_lock(&lock);
	for (i = 0; i < count; i++)
		if (table[i].dev == dev)
			let_go(&table[i]);
	pthread_mutex_unlock(&lock);
}
