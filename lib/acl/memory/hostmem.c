// SPDX-License-Identifier: MIT
/*
 * Host memory that the device reaches, at the same address as the process: pinned memory, which is
 * a buffer object in system memory, and memory of the program's own that it has registered. The
 * table is a tree by address.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "memory/memory.h"

struct host_memory {
	struct acl_node node;		  /* in the table, by address; these three under lock */
	struct host_memory *next, *prev; /* all of them */
	uint64_t addr;
	uint64_t size; /* mapped */
	uint64_t user_size;
	uint32_t handle;
	struct anpu_device *dev; /* referenced; NULL once the device was reset */
	bool registered;	 /* the program's own memory, which outlives its entry */
	bool again;		 /* of aclrtMallocHost(), and registered besides */
	bool for_kernels;	 /* registered with a device pointer */
	bool readonly;
	bool managed; /* aclrtMemAllocManaged(): freed by aclrtFree() */
	bool ordered; /* anpu_host_memory_ordered() */
	struct anpu_site site; /* the checking mode: the call that made it */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Registrations, one after the other: they look at the table first and enter it last */
static pthread_mutex_t register_lock = PTHREAD_MUTEX_INITIALIZER;
static struct acl_node *table; /* by address */
static struct host_memory *entries;

/* Lock held */
static struct host_memory *find(uint64_t addr)
{
	struct acl_node *n = acl_tree_floor(table, addr);
	struct host_memory *m = n ? container_of(n, struct host_memory, node) : NULL;

	return m && addr - m->addr < m->size ? m : NULL;
}

static int insert(const struct host_memory *m)
{
	struct host_memory *new = malloc(sizeof(*new));

	if (!new)
		return -ENOMEM;
	*new = *m;
	if (anpu_checking())
		anpu_site_here(&new->site);
	/* what the program unmapped and has not unregistered may lie at the same address */
	new->node = (struct acl_node){ .key = m->addr, .tie = (uintptr_t)new };
	pthread_mutex_lock(&lock);
	acl_tree_add(&table, &new->node);
	new->prev = NULL;
	new->next = entries;
	if (entries)
		entries->prev = new;
	entries = new;
	pthread_mutex_unlock(&lock);
	return 0;
}

/* Takes an entry out of the table and frees it; lock held */
static void remove_entry(struct host_memory *m)
{
	acl_tree_remove(&table, &m->node);
	*(m->prev ? &m->prev->next : &entries) = m->next;
	if (m->next)
		m->next->prev = m->prev;
	free(m);
}

static int bind_at(struct host_memory *m)
{
	struct drm_anpu_vm_bind_op op = {
		.op = DRM_ANPU_VM_MAP,
		.flags = DRM_ANPU_VM_READ | (m->readonly ? 0 : DRM_ANPU_VM_WRITE),
		.va = m->addr,
		.size = m->size,
		.handle = m->handle,
	};

	return anpu_vm_bind(m->dev, &op, 1);
}

/* Unmaps the memory from the device; the process keeps its own mapping */
static void let_go(struct host_memory *m)
{
	struct drm_anpu_vm_bind_op op = { .op = DRM_ANPU_VM_UNMAP, .va = m->addr, .size = m->size };

	/* this fails only when the device is gone, and then nothing is mapped */
	(void)anpu_vm_bind(m->dev, &op, 1);
	anpu_bo_close(m->dev, m->handle);
	anpu_device_put(m->dev);
	m->dev = NULL;
}

static int make(struct host_memory *m)
{
	struct drm_anpu_bo_create create = { .size = m->user_size, .type = DRM_ANPU_BO_SYSTEM };
	void *p;
	int err = anpu_ioctl(m->dev, DRM_IOCTL_ANPU_BO_CREATE, &create);

	if (err)
		return err;
	m->handle = create.handle;
	m->size = create.size;
	p = anpu_bo_map(m->dev, m->handle, 0, m->size);
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

static aclError host_malloc(void **hostPtr, uint64_t size, bool managed)
{
	struct host_memory m = { .user_size = size, .managed = managed };
	struct anpu_context *ctx;
	char want[16], all[16];
	aclError ret;
	int err;

	if (!size)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "size is 0");
	ret = anpu_planned_failure(size);
	if (!ret)
		ret = anpu_context_current(&ctx);
	if (ret)
		return ret;
	m.dev = ctx->obj.dev;
	err = size > physical_memory() ? -ENOMEM : make(&m);
	if (err == -ENOMEM)
		ret = acl_fail(ACL_ERROR_RT_MEMORY_ALLOCATION,
			       "the system has no %s left that can be pinned, of %s in all: free some, or "
			       "give the machine more memory (in the VM: anpu-run --mem 4G)",
			       acl_bytes(size, want), acl_bytes(physical_memory(), all));
	else if (err)
		ret = anpu_fail_ioctl(ctx->obj.dev, err, "allocating pinned host memory");
	else
		*hostPtr = (void *)(uintptr_t)m.addr;
	anpu_context_put(ctx);
	return ret;
}

aclError aclrtMallocHost(void **hostPtr, size_t size)
{
	ACL_ENTER();
	ACL_CHECK_PTR(hostPtr);
	return host_malloc(hostPtr, size, false);
}

aclError anpu_managed_malloc(void **ptr, uint64_t size)
{
	return host_malloc(ptr, size, true);
}

/* Pinned memory has one address on both sides anyway, and the module is for other tools' statistics */
static aclError check_attributes(const aclrtMallocConfig *cfg)
{
	size_t i;

	if (!cfg)
		return ACL_SUCCESS;
	if (cfg->numAttrs && !cfg->attrs)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "cfg->attrs is NULL and numAttrs is %zu",
				cfg->numAttrs);
	for (i = 0; i < cfg->numAttrs; i++) {
		const aclrtMallocAttribute *a = &cfg->attrs[i];

		if (a->attr != ACL_RT_MEM_ATTR_MODULE_ID && a->attr != ACL_RT_MEM_ATTR_VA_FLAG)
			return acl_fail(ACL_ERROR_INVALID_PARAM,
					"attribute %zu is %d: host memory has ACL_RT_MEM_ATTR_MODULE_ID "
					"and ACL_RT_MEM_ATTR_VA_FLAG",
					i, (int)a->attr);
		if (a->attr == ACL_RT_MEM_ATTR_VA_FLAG && a->value.vaFlag > 1)
			return acl_fail(ACL_ERROR_INVALID_PARAM,
					"vaFlag is %u and must be 0 or 1", a->value.vaFlag);
	}
	return ACL_SUCCESS;
}

aclError aclrtMallocHostWithCfg(void **ptr, uint64_t size, aclrtMallocConfig *cfg)
{
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(ptr);
	ret = check_attributes(cfg);
	return ret ? ret : host_malloc(ptr, size, false);
}

static aclError host_free(void *hostPtr, bool managed)
{
	struct host_memory m = { 0 };
	struct host_memory *found;
	bool registered, other;

	pthread_mutex_lock(&lock);
	found = find((uintptr_t)hostPtr);
	registered = found && found->registered;
	other = found && found->managed != managed;
	if (found && !registered && !other && found->addr == (uintptr_t)hostPtr) {
		m = *found;
		remove_entry(found);
	}
	pthread_mutex_unlock(&lock);
	if (other && !registered)
		return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
				"hostPtr is %p, which is managed memory: free it with aclrtFree()",
				hostPtr);
	if (registered)
		return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
				"hostPtr is %p, which is the program's own memory that it has "
				"registered: end that with aclrtHostUnregister()",
				hostPtr);
	if (found && !m.addr)
		return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
				"%s is %p, which is inside %s memory: pass the start, which %s() "
				"returned",
				managed ? "devPtr" : "hostPtr", hostPtr,
				managed ? "managed" : "pinned",
				managed ? "aclrtMemAllocManaged" : "aclrtMallocHost");
	if (!found)
		return acl_fail(ACL_ERROR_RT_PARAM_INVALID, "hostPtr is %p, which is %s", hostPtr,
				anpu_in_device_range(hostPtr)
					? "device memory: free it with aclrtFree()"
					: "no pinned memory: it was freed already, or "
					  "aclrtMallocHost() did not return it");
	if (managed)
		anpu_managed_forget(m.addr);
	if (anpu_checking())
		anpu_touch_freed(m.addr, m.size);
	if (m.dev)
		let_go(&m);
	anpu_ended_note(m.addr, m.size, ANPU_ENDED_HOST, NULL);
	munmap(hostPtr, m.size);
	return ACL_SUCCESS;
}

bool anpu_managed_free(void *ptr, aclError *ret)
{
	struct host_memory *found;
	bool managed;

	pthread_mutex_lock(&lock);
	found = find((uintptr_t)ptr);
	managed = found && found->managed;
	pthread_mutex_unlock(&lock);
	if (managed)
		*ret = host_free(ptr, true);
	return managed;
}

aclError aclrtFreeHost(void *hostPtr)
{
	ACL_ENTER();
	ACL_CHECK_PTR(hostPtr);
	return host_free(hostPtr, false);
}

aclError aclrtFreeHostWithDevSync(void *hostPtr)
{
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(hostPtr);
	ret = anpu_memory_hooks.await_tasks();
	return ret ? ret : host_free(hostPtr, false);
}

void anpu_host_memory_ordered(const void *pinned)
{
	struct host_memory *m;

	pthread_mutex_lock(&lock);
	m = find((uintptr_t)pinned);
	if (m)
		m->ordered = true;
	pthread_mutex_unlock(&lock);
}

void anpu_host_memory_shared(const void *registered)
{
	const struct host_memory *m;

	pthread_mutex_lock(&lock);
	m = find((uintptr_t)registered);
	if (m)
		anpu_tell_shared(m->dev, registered, m->addr + m->size - (uintptr_t)registered);
	pthread_mutex_unlock(&lock);
}

bool anpu_mallocd_host(const void *ptr, uint64_t *base, uint64_t *end)
{
	const struct host_memory *m;
	bool ours;

	pthread_mutex_lock(&lock);
	m = find((uintptr_t)ptr);
	ours = m && !m->registered && !m->again && !m->managed && !m->ordered;
	if (ours) {
		*base = m->addr;
		*end = m->addr + m->user_size;
	}
	pthread_mutex_unlock(&lock);
	return ours;
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
		/* after a reset of the device it is pageable memory */
		mem->place = m->dev ? ANPU_PLACE_PINNED : ANPU_PLACE_PAGEABLE;
		mem->pinned_for = m->dev ? m->dev->id : -1;
		mem->managed = m->managed;
		/* copies may run over the edges of a registration, and write where kernels may not */
		if (m->registered && (!fits || m->readonly)) {
			mem->place = ANPU_PLACE_PAGEABLE;
			mem->pinned_for = -1;
			fits = true;
		}
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

/* Lock held */
static void tell_leak(const struct host_memory *m)
{
	char bytes[16];

	if (m->registered)
		anpu_finding("leak", &m->site,
			     "%s of memory at %#llx were registered and never unregistered, which has to come before the memory is "
			     "freed: see aclrtHostUnregister(); the call that registered them is",
			     acl_bytes(m->user_size, bytes), (unsigned long long)m->addr);
	else
		anpu_finding("leak", &m->site,
			     "%s of pinned memory at %#llx were never freed: see aclrtFreeHost(); the call that made them is",
			     acl_bytes(m->user_size, bytes), (unsigned long long)m->addr);
}

/* Did the program ask for it, and not one of the libraries above? */
static bool is_programs(const struct host_memory *m)
{
	return m->site.api &&
	       (!strncmp(m->site.api, "aclrtMallocHost", 15) || !strncmp(m->site.api, "aclrtHostRegister", 17));
}

aclError anpu_host_memory_tell_left(aclError ret)
{
	const struct host_memory *m;

	pthread_mutex_lock(&lock);
	for (m = entries; anpu_checking() && m; m = m->next)
		if (is_programs(m))
			tell_leak(m);
	pthread_mutex_unlock(&lock);
	return ret;
}

void anpu_host_memory_tell_leak(uint64_t addr)
{
	const struct host_memory *m;

	pthread_mutex_lock(&lock);
	m = find(addr);
	if (m && !m->registered)
		tell_leak(m);
	pthread_mutex_unlock(&lock);
}

void anpu_host_memory_orphan(struct anpu_device *dev)
{
	struct host_memory *m, *next;

	pthread_mutex_lock(&lock);
	for (m = entries; m; m = next) {
		next = m->next;
		if (m->dev != dev)
			continue;
		if (anpu_checking() && is_programs(m) && m->registered)
			tell_leak(m);
		let_go(m);
		if (m->registered)
			remove_entry(m);
	}
	pthread_mutex_unlock(&lock);
}

/* Registered memory ---------------------------------------------------------------------------- */

/* Does anything in the table overlap the range */
static bool known(uint64_t addr, uint64_t size)
{
	const struct acl_node *n;
	const struct host_memory *m;
	bool overlaps;

	pthread_mutex_lock(&lock);
	n = acl_tree_floor(table, addr + size - 1);
	m = n ? container_of(n, struct host_memory, node) : NULL;
	overlaps = m && m->addr + m->size > addr;
	pthread_mutex_unlock(&lock);
	return overlaps;
}

static int make_registered(struct host_memory *m)
{
	struct drm_anpu_bo_create create = {
		.size = m->size,
		.type = DRM_ANPU_BO_USERPTR,
		.flags = m->readonly ? DRM_ANPU_BO_READONLY : 0,
		.user_ptr = m->addr,
	};
	int err = anpu_ioctl(m->dev, DRM_IOCTL_ANPU_BO_CREATE, &create);

	if (err)
		return err;
	m->handle = create.handle;
	err = bind_at(m);
	if (err) {
		anpu_bo_close(m->dev, m->handle);
		return err;
	}
	anpu_device_get(m->dev);
	err = insert(m);
	if (err)
		let_go(m);
	return err;
}

static aclError check_range(const struct anpu_device *dev, const struct host_memory *m)
{
	if (m->addr % 4096)
		return acl_fail(ACL_ERROR_RT_ADDR_UNALIGNED,
				"ptr is %#llx and must be a multiple of 4096",
				(unsigned long long)m->addr);
	if (m->user_size > dev->info.va_end || m->addr > dev->info.va_end - m->size)
		return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
				"%llu bytes from %#llx are no memory of a process",
				(unsigned long long)m->user_size, (unsigned long long)m->addr);
	if (anpu_in_device_range((void *)(uintptr_t)m->addr))
		return acl_fail(ACL_ERROR_RT_PARAM_INVALID, "ptr is %#llx, which is device memory",
				(unsigned long long)m->addr);
	if (m->addr < dev->info.va_start)
		return acl_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
				"ptr is %#llx and the device cannot show memory below %#llx at its "
				"own address: build the program with -fPIE -pie, or take memory "
				"from mmap()",
				(unsigned long long)m->addr,
				(unsigned long long)dev->info.va_start);
	return ACL_SUCCESS;
}

static aclError register_failed(const struct host_memory *m, int err)
{
	char want[16];

	switch (err) {
	case -EFAULT:
		return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
				"%llu bytes from %#llx are not all mapped%s",
				(unsigned long long)m->user_size, (unsigned long long)m->addr,
				m->readonly ? "" : " and writable");
	case -EEXIST:
		return acl_fail(ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED,
				"part of the %llu bytes from %#llx is known to the device already",
				(unsigned long long)m->user_size, (unsigned long long)m->addr);
	case -ENOMEM:
		return acl_fail(ACL_ERROR_RT_MEMORY_ALLOCATION,
				"%s cannot be pinned: the limit of locked memory (ulimit -l) is "
				"reached, or the system has no memory left",
				acl_bytes(m->size, want));
	case -EOPNOTSUPP:
		return acl_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
				"%s from %#llx are a stack, huge pages, or a mapped file that cannot be shared with "
				"anpu-server: register memory of malloc() or mmap(), or use aclrtMallocHost()",
				acl_bytes(m->size, want), (unsigned long long)m->addr);
	default:
		return anpu_fail_ioctl(m->dev, err, "registering host memory");
	}
}

/*
 * Programs register memory of aclrtMallocHost() to ask for its device pointer, which it has anyway. Returns
 * whether it is that, all of it, for the first time.
 */
static bool register_pinned(const struct host_memory *m)
{
	struct host_memory *found;
	bool ok;

	pthread_mutex_lock(&lock);
	found = find(m->addr);
	ok = found && !found->registered && !found->managed && !found->again &&
	     found->dev == m->dev && found->addr == m->addr &&
	     align_up(m->user_size, 4096) == found->size;
	if (ok)
		found->again = true;
	pthread_mutex_unlock(&lock);
	return ok;
}

/* register_lock held */
static aclError register_own(struct host_memory *m)
{
	struct anpu_device *dev = m->dev;
	aclError ret = check_range(dev, m);
	int err;

	if (ret)
		return ret;
	m->size = align_up(m->user_size, 4096);
	m->registered = true;
	err = known(m->addr, m->size) ? -EEXIST : make_registered(m);
	m->dev = dev;
	return err ? register_failed(m, err) : ACL_SUCCESS;
}

static aclError host_register(struct host_memory *m)
{
	struct anpu_context *ctx;
	aclError ret;

	ret = anpu_context_current(&ctx);
	if (ret)
		return ret;
	m->dev = ctx->obj.dev;
	pthread_mutex_lock(&register_lock);
	ret = register_pinned(m) ? ACL_SUCCESS : register_own(m);
	pthread_mutex_unlock(&register_lock);
	anpu_context_put(ctx);
	return ret;
}

aclError aclrtHostRegister(void *ptr, uint64_t size, aclrtHostRegisterType type, void **devPtr)
{
	struct host_memory m = { .addr = (uintptr_t)ptr,
				 .user_size = size,
				 .for_kernels = true,
				 .readonly = type == ACL_HOST_REGISTER_READONLY };
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(ptr);
	ACL_CHECK_PTR(devPtr);
	if (!size)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "size is 0");
	if (type == ACL_HOST_REGISTER_IOMEMORY)
		return acl_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
				"registers of other devices cannot be registered");
	if (type != ACL_HOST_REGISTER_MAPPED && type != ACL_HOST_REGISTER_READONLY)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "type is %d, which is none", (int)type);
	ret = host_register(&m);
	if (!ret)
		*devPtr = ptr;
	return ret;
}

aclError aclrtHostRegisterV2(void *ptr, uint64_t size, uint32_t flag)
{
	const uint32_t all = ACL_HOST_REG_MAPPED | ACL_HOST_REG_IOMEMORY | ACL_HOST_REG_READONLY |
			     ACL_HOST_REG_PINNED;
	struct host_memory m = { .addr = (uintptr_t)ptr,
				 .user_size = size,
				 .for_kernels = flag & (ACL_HOST_REG_MAPPED | ACL_HOST_REG_READONLY),
				 .readonly = flag & ACL_HOST_REG_READONLY };

	ACL_ENTER();
	ACL_CHECK_PTR(ptr);
	if (!size)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "size is 0");
	if (!flag || flag & ~all)
		return acl_fail(ACL_ERROR_INVALID_PARAM,
				"flag is %#x and must be made of ACL_HOST_REG_* bits", flag);
	if (flag & ACL_HOST_REG_IOMEMORY)
		return acl_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
				"registers of other devices cannot be registered");
	return host_register(&m);
}

aclError aclrtHostUnregister(void *ptr)
{
	const char *what = "not registered";
	struct host_memory m = { 0 };
	struct host_memory *found;
	bool again;

	ACL_ENTER();
	ACL_CHECK_PTR(ptr);
	pthread_mutex_lock(&lock);
	found = find((uintptr_t)ptr);
	if (found)
		what = found->registered ? "inside a registered range: pass its start"
					 : "memory of aclrtMallocHost()";
	again = found && found->again && found->addr == (uintptr_t)ptr;
	if (again) {
		found->again = false;
	} else if (found && found->registered && found->addr == (uintptr_t)ptr) {
		m = *found;
		remove_entry(found);
	}
	pthread_mutex_unlock(&lock);
	if (again)
		return ACL_SUCCESS;
	if (m.dev) {
		anpu_ended_note(m.addr, m.size, ANPU_ENDED_HOST, NULL);
		let_go(&m);
		return ACL_SUCCESS;
	}
	return acl_fail(ACL_ERROR_HOST_MEMORY_NOT_REGISTERED, "ptr is %p, which is %s", ptr, what);
}

aclError aclrtHostGetDevicePointer(void *pHost, void **pDevice, uint32_t flag)
{
	const struct host_memory *m;
	bool there, usable;

	ACL_ENTER_SHORT();
	ACL_CHECK_PTR(pHost);
	ACL_CHECK_PTR(pDevice);
	if (flag)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "flag is %#x and must be 0", flag);
	pthread_mutex_lock(&lock);
	m = find((uintptr_t)pHost);
	there = m && m->dev;
	usable = there && (!m->registered || m->for_kernels);
	pthread_mutex_unlock(&lock);
	if (!there)
		return acl_fail(ACL_ERROR_HOST_MEMORY_NOT_REGISTERED,
				"pHost is %p, which is not registered: call aclrtHostRegisterV2()",
				pHost);
	if (!usable)
		return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
				"pHost is %p, which was registered without ACL_HOST_REG_MAPPED",
				pHost);
	*pDevice = pHost;
	return ACL_SUCCESS;
}
