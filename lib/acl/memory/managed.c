// SPDX-License-Identifier: MIT
/*
 * Managed memory: system memory that the program and the device reach at one address (hostmem.c
 * makes it). It never moves, so advice and prefetches are remembered and answered, page by page of
 * 2 MiB, and change nothing else.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "memory/memory.h"

#define PAGE_SHIFT 21
#define PAGE	   (1ULL << PAGE_SHIFT)
#define SIZE_MAX_  (3ULL << 40)
#define NOWHERE	   (-2)
#define HOST_ID	   (-1)
#define HOST_BIT   ANPU_MAX_DEVICES
#define NUMA_BIT   (HOST_BIT + 1)
#define NUMA_MAX   32

/* A bit per device, for the host, per NUMA node: more than 64 */
typedef unsigned __int128 places_t;

struct page {
	bool read_mostly;
	aclrtMemManagedLocation preferred; /* INVALID: none */
	aclrtMemManagedLocation prefetched;
	places_t accessed_by;
};

struct managed {
	struct acl_node node; /* by address, under lock */
	uint64_t base;
	uint64_t pages;
	struct page page[];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct acl_node *ranges;

aclError aclrtMemAllocManaged(void **ptr, uint64_t size, uint32_t flag)
{
	struct managed *m;
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(ptr);
	if (!size || size > SIZE_MAX_)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "size is %llu and must be 1 to 3 TiB",
				(unsigned long long)size);
	if (flag != ACL_RT_MEM_ATTACH_GLOBAL)
		return acl_fail(ACL_ERROR_INVALID_PARAM,
				"flag is %#x and must be ACL_RT_MEM_ATTACH_GLOBAL (1)", flag);
	size = align_up(size, PAGE);
	m = calloc(1, sizeof(*m) + (size >> PAGE_SHIFT) * sizeof(m->page[0]));
	if (!m)
		return acl_fail(ACL_ERROR_BAD_ALLOC, "no memory for a range of managed memory");
	ret = anpu_managed_malloc(ptr, size);
	if (ret) {
		free(m);
		return ret;
	}
	m->base = (uintptr_t)*ptr;
	m->pages = size >> PAGE_SHIFT;
	pthread_mutex_lock(&lock);
	m->node = (struct acl_node){ .key = m->base };
	acl_tree_add(&ranges, &m->node);
	pthread_mutex_unlock(&lock);
	return ACL_SUCCESS;
}

void anpu_managed_forget(uint64_t base)
{
	struct acl_node *n;

	pthread_mutex_lock(&lock);
	n = acl_tree_find(ranges, base, 0);
	if (n)
		acl_tree_remove(&ranges, n);
	pthread_mutex_unlock(&lock);
	if (n)
		free(container_of(n, struct managed, node));
}

/* The pages of a range; lock held */
static aclError find(const void *ptr, uint64_t size, struct page **first, uint64_t *count)
{
	uint64_t addr = (uintptr_t)ptr, at;
	struct acl_node *n = acl_tree_floor(ranges, addr);
	struct managed *m = n ? container_of(n, struct managed, node) : NULL;

	if (!size || size > SIZE_MAX_)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "size is %llu and must be 1 to 3 TiB",
				(unsigned long long)size);
	if (!m || addr - m->base >= m->pages << PAGE_SHIFT)
		return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
				"ptr is %p, which is no memory of aclrtMemAllocManaged()", ptr);
	at = addr - m->base;
	if (size > (m->pages << PAGE_SHIFT) - at)
		return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
				"ptr with %llu bytes from %p leaves its managed memory, which "
				"begins at %#llx and has %llu bytes",
				(unsigned long long)size, ptr, (unsigned long long)m->base,
				(unsigned long long)m->pages << PAGE_SHIFT);
	*first = &m->page[at >> PAGE_SHIFT];
	*count = ((at + size - 1) >> PAGE_SHIFT) - (at >> PAGE_SHIFT) + 1;
	return ACL_SUCCESS;
}

static aclError check_pages(uint64_t size)
{
	if (size % PAGE)
		return acl_fail(ACL_ERROR_INVALID_PARAM,
				"size is %llu and must be a multiple of 2 MiB",
				(unsigned long long)size);
	return ACL_SUCCESS;
}

/* Locations ------------------------------------------------------------------------------------ */

static bool numa_exists(int node)
{
	char path[64];

	if (node < 0 || node >= NUMA_MAX)
		return false;
	snprintf(path, sizeof(path), "/sys/devices/system/node/node%d", node);
	return !node || !access(path, F_OK);
}

/* Checks a location and gives it its one form */
static aclError resolve(aclrtMemManagedLocation *l)
{
	unsigned int node = 0;
	char why[256];
	int count;

	switch (l->type) {
	case ACL_MEM_LOCATIONTYPE_DEVICE:
		count = anpu_device_count(why, sizeof(why));
		if (l->id >= 0 && l->id < count)
			return ACL_SUCCESS;
		return acl_fail(anpu_device_error(count, ACL_ERROR_RT_INVALID_DEVICEID),
				"location.id is %d and there are %d devices", (int)l->id,
				count < 0 ? 0 : count);
	case ACL_MEM_LOCATIONTYPE_HOST:
		l->id = HOST_ID;
		return ACL_SUCCESS;
	case ACL_MEM_LOCATIONTYPE_HOST_NUMA:
		if (numa_exists(l->id))
			return ACL_SUCCESS;
		return acl_fail(ACL_ERROR_INVALID_PARAM,
				"location.id is %d, a NUMA node that the machine does not have",
				(int)l->id);
	case ACL_MEM_LOCATIONTYPE_HOST_NUMA_CURRENT:
		if (syscall(SYS_getcpu, NULL, &node, NULL) || node >= NUMA_MAX)
			node = 0;
		*l = (aclrtMemManagedLocation){ ACL_MEM_LOCATIONTYPE_HOST_NUMA, (int32_t)node };
		return ACL_SUCCESS;
	default:
		return acl_fail(ACL_ERROR_INVALID_PARAM,
				"location.type is %d and must be a device (1), the host (2), or a NUMA "
				"node (3, 4)",
				(int)l->type);
	}
}

static places_t bit_of(const aclrtMemManagedLocation *l)
{
	if (l->type == ACL_MEM_LOCATIONTYPE_DEVICE)
		return (places_t)1 << l->id;
	if (l->type == ACL_MEM_LOCATIONTYPE_HOST)
		return (places_t)1 << HOST_BIT;
	return (places_t)1 << (NUMA_BIT + l->id);
}

/* Advice --------------------------------------------------------------------------------------- */

static void advise(struct page *p, aclrtMemManagedAdviseType type, aclrtMemManagedLocation l)
{
	switch (type) {
	case ACL_MEM_ADVISE_SET_READ_MOSTLY:
	case ACL_MEM_ADVISE_UNSET_READ_MOSTLY:
		p->read_mostly = type == ACL_MEM_ADVISE_SET_READ_MOSTLY;
		break;
	case ACL_MEM_ADVISE_SET_PREFERRED_LOCATION:
		p->preferred = l;
		break;
	case ACL_MEM_ADVISE_UNSET_PREFERRED_LOCATION:
		p->preferred = (aclrtMemManagedLocation){ 0 };
		break;
	case ACL_MEM_ADVISE_SET_ACCESSED_BY:
		p->accessed_by |= bit_of(&l);
		break;
	case ACL_MEM_ADVISE_UNSET_ACCESSED_BY:
		p->accessed_by &= ~bit_of(&l);
		break;
	}
}

aclError aclrtMemManagedAdvise(const void *const ptr, uint64_t size,
			       aclrtMemManagedAdviseType type, aclrtMemManagedLocation location)
{
	bool anywhere = type == ACL_MEM_ADVISE_SET_READ_MOSTLY ||
			type == ACL_MEM_ADVISE_UNSET_READ_MOSTLY ||
			type == ACL_MEM_ADVISE_UNSET_PREFERRED_LOCATION;
	struct page *page;
	uint64_t n, i;
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(ptr);
	if ((int)type < ACL_MEM_ADVISE_SET_READ_MOSTLY || type > ACL_MEM_ADVISE_UNSET_ACCESSED_BY)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "advise is %d and must be 0 to %d",
				(int)type, ACL_MEM_ADVISE_UNSET_ACCESSED_BY);
	ret = check_pages(size);
	if (!ret && !anywhere)
		ret = resolve(&location);
	if (ret)
		return ret;
	pthread_mutex_lock(&lock);
	ret = find(ptr, size, &page, &n);
	for (i = 0; !ret && i < n; i++)
		advise(&page[i], type, location);
	pthread_mutex_unlock(&lock);
	return ret;
}

/* Attributes ----------------------------------------------------------------------------------- */

/* The location that all pages have; NOWHERE, of type INVALID, if they have none or several */
static aclrtMemManagedLocation common(const struct page *page, uint64_t n, bool prefetched)
{
	const aclrtMemManagedLocation *a, *b;
	aclrtMemManagedLocation none = { ACL_MEM_LOCATIONTYPE_INVALID, NOWHERE };
	uint64_t i;

	a = prefetched ? &page[0].prefetched : &page[0].preferred;
	for (i = 1; i < n; i++) {
		b = prefetched ? &page[i].prefetched : &page[i].preferred;
		if (a->type != b->type || a->id != b->id)
			return none;
	}
	return a->type == ACL_MEM_LOCATIONTYPE_INVALID ? none : *a;
}

static void accessors(const struct page *page, uint64_t n, int32_t *out, size_t room)
{
	places_t bits = ~(places_t)0;
	size_t used = 0;
	uint64_t i;

	for (i = 0; i < n; i++)
		bits &= page[i].accessed_by;
	for (i = 0; i < NUMA_BIT + NUMA_MAX && used < room; i++)
		if (bits >> i & 1)
			out[used++] = i < HOST_BIT	  ? (int32_t)i
				      : i == HOST_BIT ? HOST_ID
						      : (int32_t)(i - NUMA_BIT);
	while (used < room)
		out[used++] = NOWHERE;
}

static aclError check_attribute(aclrtMemManagedRangeAttribute attribute, size_t size)
{
	bool list = attribute == ACL_MEM_RANGE_ATTRIBUTE_ACCESSED_BY;

	if (attribute < ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY ||
	    attribute > ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "attribute is %d and must be 1 to %d",
				(int)attribute, ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID);
	if (!size || (list ? size % 4 : size != 4))
		return acl_fail(ACL_ERROR_INVALID_PARAM,
				"dataSize is %zu and attribute %d needs %s", size, (int)attribute,
				list ? "a multiple of 4 bytes" : "4 bytes");
	return ACL_SUCCESS;
}

static aclError get_attribute(aclrtMemManagedRangeAttribute attribute, const void *ptr,
			      uint64_t size, void *data, size_t data_size)
{
	bool prefetched = attribute >= ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION;
	aclrtMemManagedLocation l;
	struct page *page;
	int32_t value = 1;
	uint64_t n, i;
	aclError ret;

	ACL_CHECK_PTR(ptr);
	ACL_CHECK_PTR(data);
	ret = check_attribute(attribute, data_size);
	if (ret)
		return ret;
	pthread_mutex_lock(&lock);
	ret = find(ptr, size, &page, &n);
	if (ret)
		goto out;
	l = common(page, n, prefetched);
	switch (attribute) {
	case ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY:
		for (i = 0; i < n; i++)
			value = value && page[i].read_mostly;
		break;
	case ACL_MEM_RANGE_ATTRIBUTE_ACCESSED_BY:
		accessors(page, n, data, data_size / 4);
		goto out;
	case ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE:
	case ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE:
		value = l.type;
		break;
	default:
		value = l.id;
	}
	memcpy(data, &value, sizeof(value));
out:
	pthread_mutex_unlock(&lock);
	return ret;
}

aclError aclrtMemManagedGetAttr(aclrtMemManagedRangeAttribute attribute, const void *ptr,
				size_t size, void *data, size_t dataSize)
{
	ACL_ENTER_SHORT();
	return get_attribute(attribute, ptr, size, data, dataSize);
}

aclError aclrtMemManagedGetAttrs(aclrtMemManagedRangeAttribute *attributes, size_t numAttributes,
				 const void *ptr, size_t size, void **data, size_t *dataSizes)
{
	aclError ret = ACL_SUCCESS;
	size_t i;

	ACL_ENTER_SHORT();
	ACL_CHECK_PTR(attributes);
	ACL_CHECK_PTR(data);
	ACL_CHECK_PTR(dataSizes);
	if (!numAttributes)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "numAttributes is 0");
	for (i = 0; i < numAttributes && !ret; i++)
		ret = get_attribute(attributes[i], ptr, size, data[i], dataSizes[i]);
	return ret;
}

/* Prefetches ----------------------------------------------------------------------------------- */

/* With @do_it false only checks; lock held */
static aclError prefetch(const void *ptr, uint64_t size, aclrtMemManagedLocation l, bool do_it)
{
	struct page *page;
	uint64_t n, i;
	aclError ret;

	ACL_CHECK_PTR(ptr);
	ret = check_pages(size);
	if (!ret)
		ret = resolve(&l);
	if (!ret)
		ret = find(ptr, size, &page, &n);
	for (i = 0; !ret && do_it && i < n; i++)
		page[i].prefetched = l;
	return ret;
}

aclError anpu_managed_prefetch(const void *const *ptrs, const size_t *sizes, size_t count,
			       const aclrtMemManagedLocation *locations, const size_t *firsts,
			       size_t location_count)
{
	aclError ret = ACL_SUCCESS;
	size_t i, at, pass;

	pthread_mutex_lock(&lock);
	/* all are looked at before the first one counts */
	for (pass = 0; pass < 2 && !ret; pass++) {
		for (i = 0, at = 0; i < count && !ret; i++) {
			if (at + 1 < location_count && firsts[at + 1] == i)
				at++;
			ret = prefetch(ptrs[i], sizes[i], locations[at], pass);
		}
	}
	pthread_mutex_unlock(&lock);
	return ret;
}
