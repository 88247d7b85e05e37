// SPDX-License-Identifier: MIT
/*
 * Memory that programs tell the library of, so that it need not copy: address ranges of the process with blocks in
 * use. What the program says is checked and kept, as it is documented; data go through the communicator's memory all
 * the same, as results do not depend on it.
 */
#include <stdlib.h>

#include "hccl_inside.h"

struct range {
	struct range *next;
	uintptr_t base;
	size_t size;
	bool block; /* a part of a range that has memory */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct range *ranges;

/* The one of a kind that has bytes of @base ... @base + @size - 1; lock held */
static struct range *find(bool block, uintptr_t base, size_t size)
{
	struct range *r = ranges;

	while (r && (r->block != block || base >= r->base + r->size || r->base >= base + size))
		r = r->next;
	return r;
}

static HcclResult add(bool block, uintptr_t base, size_t size)
{
	struct range *r = calloc(1, sizeof(*r)), *other;
	HcclResult ret = HCCL_SUCCESS;

	if (!r)
		return hccl_fail(HCCL_E_MEMORY, "no memory to keep a range");
	*r = (struct range){ NULL, base, size, block };
	pthread_mutex_lock(&lock);
	other = find(block, base, size);
	if (other)
		ret = hccl_fail(HCCL_E_PARA, "%p with %zu bytes overlaps %p with %zu bytes, which the library was told of before",
				(void *)base, size, (void *)other->base, other->size);
	other = block ? find(false, base, size) : NULL;
	if (!ret && block && (!other || base < other->base || base + size > other->base + other->size))
		ret = hccl_fail(HCCL_E_PARA, "%p with %zu bytes is not in a range that HcclCommSetMemoryRange() was told of",
				(void *)base, size);
	if (!ret) {
		r->next = ranges;
		ranges = r;
		r = NULL;
	}
	pthread_mutex_unlock(&lock);
	free(r);
	return ret;
}

/* As a whole, as it was added */
static HcclResult take_away(bool block, uintptr_t base)
{
	struct range **p = &ranges, *r, *used = NULL;

	pthread_mutex_lock(&lock);
	while (*p && ((*p)->block != block || (*p)->base != base))
		p = &(*p)->next;
	r = *p;
	if (r && !block)
		used = find(true, r->base, r->size);
	if (r && !used)
		*p = r->next;
	pthread_mutex_unlock(&lock);
	if (used)
		return hccl_fail(HCCL_E_UNAVAIL, "the range at %p has memory in use: call HcclCommDeactivateCommMemory() before",
				 (void *)base);
	free(r);
	return r ? HCCL_SUCCESS : hccl_fail(HCCL_E_PARA, "%p is not the address of a %s", (void *)base,
					    block ? "block that HcclCommActivateCommMemory() was told of" :
					    "range that HcclCommSetMemoryRange() was told of");
}

/* Arguments that all have; the range must end before the addresses do */
static HcclResult look(HcclComm comm, const char *name, const void *at, size_t size)
{
	HcclResult ret = HCCL_SUCCESS;
	struct hccl_comm *c = hccl_comm_get(comm, &ret);

	if (!c)
		return ret;
	if (!at)
		ret = hccl_fail(HCCL_E_PTR, "%s is NULL", name);
	else if (!size || (uintptr_t)at + size < (uintptr_t)at)
		ret = hccl_fail(HCCL_E_PARA, "size is %zu, which is none for memory at %p", size, at);
	else if (c->wire)
		ret = hccl_fail(HCCL_E_NOT_SUPPORT, "ranks of the communicator are on several machines: memory ranges are for "
				"communicators of one");
	hccl_comm_put(c);
	return ret;
}

static HcclResult zero(const char *name, uint64_t value)
{
	return value ? hccl_fail(HCCL_E_PARA, "%s is %llu and must be 0", name, (unsigned long long)value) : HCCL_SUCCESS;
}

HcclResult HcclCommSetMemoryRange(HcclComm comm, void *baseVirPtr, size_t size, size_t alignment, uint64_t flags)
{
	HcclResult ret;

	HCCL_ENTER();
	ret = look(comm, "baseVirPtr", baseVirPtr, size);
	if (!ret)
		ret = zero("alignment", alignment);
	if (!ret)
		ret = zero("flags", flags);
	return ret ? ret : add(false, (uintptr_t)baseVirPtr, size);
}

HcclResult HcclCommUnsetMemoryRange(HcclComm comm, void *baseVirPtr)
{
	HcclResult ret;

	HCCL_ENTER();
	ret = look(comm, "baseVirPtr", baseVirPtr, 1);
	return ret ? ret : take_away(false, (uintptr_t)baseVirPtr);
}

HcclResult HcclCommActivateCommMemory(HcclComm comm, void *virPtr, size_t size, size_t offset, aclrtDrvMemHandle handle,
				      uint64_t flags)
{
	HcclResult ret;

	HCCL_ENTER();
	ret = look(comm, "virPtr", virPtr, size);
	if (!ret)
		ret = zero("offset", offset);
	if (!ret)
		ret = zero("flags", flags);
	if (!ret && !handle)
		ret = hccl_fail(HCCL_E_PTR, "handle is NULL");
	return ret ? ret : add(true, (uintptr_t)virPtr, size);
}

HcclResult HcclCommDeactivateCommMemory(HcclComm comm, void *virPtr)
{
	HcclResult ret;

	HCCL_ENTER();
	ret = look(comm, "virPtr", virPtr, 1);
	return ret ? ret : take_away(true, (uintptr_t)virPtr);
}
