// SPDX-License-Identifier: MIT
/*
 * Memory of the program that is registered. Programs register any bytes, of malloc() mostly, and libacl registers whole pages, each once:
 * so a page belongs to all registrations that have bytes in it, and is registered by libacl as a part of a run of pages.
 */
#include <stdlib.h>

#include "cuda/context/context.h"
#include "cuda/memory/memory.h"

#define PAGE 4096ull

struct run {
	uint64_t from, to;
	struct run *next;
};

/* Registrations and their ends, one after the other */
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
/* Protects runs */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct run *runs;
/* libacl tells of the end of a run that this thread has asked for */
static __thread bool ending;

static uint64_t first_page(uint64_t addr)
{
	return addr & ~(PAGE - 1);
}

static uint64_t behind_pages(uint64_t addr)
{
	return first_page(addr + PAGE - 1);
}

/* Takes out any run that has one of these pages */
static struct run *take_run(uint64_t from, uint64_t to)
{
	struct run **at, *found;

	pthread_mutex_lock(&lock);
	for (at = &runs; *at && !((*at)->from < to && from < (*at)->to); at = &(*at)->next)
		;
	found = *at;
	if (found)
		*at = found->next;
	pthread_mutex_unlock(&lock);
	return found;
}

/* The pages from *@from on that are in no run, up to *@to; false: there are none */
static bool next_gap(uint64_t *from, uint64_t *to)
{
	bool moved = true;

	pthread_mutex_lock(&lock);
	while (moved) {
		moved = false;
		for (const struct run *r = runs; r; r = r->next)
			if (r->from <= *from && *from < r->to) {
				*from = r->to;
				moved = true;
			}
	}
	for (const struct run *r = runs; r; r = r->next)
		if (r->from > *from && r->from < *to)
			*to = r->from;
	pthread_mutex_unlock(&lock);
	return *from < *to;
}

static CUresult add_run(uint64_t from, uint64_t to, uint32_t flags)
{
	struct run *r = malloc(sizeof(*r));
	CUresult ret;
	aclError err;

	if (!r)
		return cu_fail(CUDA_ERROR_OUT_OF_MEMORY, "no memory for the record of registered memory");
	err = aclrtHostRegisterV2(CU_PTR(from), to - from, flags);
	/* a stack, or the heap of a program that is linked to low addresses: copies move it as they move all memory */
	if (err == ACL_ERROR_RT_FEATURE_NOT_SUPPORT) {
		free(r);
		return CUDA_SUCCESS;
	}
	ret = cu_code(err);
	if (ret) {
		free(r);
		return ret;
	}
	pthread_mutex_lock(&lock);
	*r = (struct run){ .from = from, .to = to, .next = runs };
	runs = r;
	pthread_mutex_unlock(&lock);
	return CUDA_SUCCESS;
}

static uint32_t flags_of(unsigned int flags)
{
	return ACL_HOST_REG_MAPPED | ACL_HOST_REG_PINNED | (flags & CU_MEMHOSTREGISTER_READ_ONLY ? ACL_HOST_REG_READONLY : 0);
}

static CUresult end_run(struct run *r)
{
	CUresult ret;

	ending = true;
	ret = cu_code(aclrtHostUnregister(CU_PTR(r->from)));
	ending = false;
	free(r);
	return ret;
}

/* Registers the pages of a range that are not registered yet */
static CUresult fill_gaps(uint64_t from, uint64_t end, uint32_t flags)
{
	CUresult ret = CUDA_SUCCESS;
	uint64_t to;

	for (; !ret && from < end; from = to) {
		to = end;
		if (!next_gap(&from, &to))
			break;
		ret = add_run(from, to, flags);
	}
	return ret;
}

/* The pages of a run that has ended and that other registrations still have */
static CUresult keep_others(uint64_t from, uint64_t to)
{
	CUresult ret = CUDA_SUCCESS;
	struct cu_mem m;

	for (uint64_t at = from; !ret && cu_mem_next(at, to, 1u << CU_MEM_REGISTERED, &m); at = behind_pages(m.base + m.size)) {
		uint64_t first = first_page(m.base), end = behind_pages(m.base + m.size);

		ret = fill_gaps(first > from ? first : from, end < to ? end : to, flags_of(m.flags));
	}
	return ret;
}

/* Ends the runs of a range; the device waits if pages of theirs have to be registered anew */
static CUresult end_runs(uint64_t from, uint64_t to)
{
	struct run *taken = NULL, *r;
	CUresult ret = CUDA_SUCCESS;
	struct cu_mem m;

	while ((r = take_run(from, to))) {
		r->next = taken;
		taken = r;
	}
	for (r = taken; r; r = r->next)
		if (cu_mem_next(r->from, r->to, 1u << CU_MEM_REGISTERED, &m))
			ret = ret ? ret : cu_await_work();
	while (taken) {
		uint64_t first = taken->from, end = taken->to;
		CUresult err;

		r = taken;
		taken = r->next;
		err = end_run(r);
		if (!err)
			err = keep_others(first, end);
		ret = ret ? ret : err;
	}
	return ret;
}

CUresult cu_register(uint64_t addr, uint64_t size, unsigned int flags, struct cu_ctx *ctx)
{
	struct cu_mem other;
	CUresult ret;

	if (size > UINT64_MAX - PAGE - addr)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "%llu bytes from %#llx are no memory of a process",
			       (unsigned long long)size, (unsigned long long)addr);
	pthread_mutex_lock(&turn);
	if (cu_mem_next(addr, addr + size, ~0u, &other))
		ret = cu_fail(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED,
			      "the %llu bytes from %#llx have memory that is pinned already, %llu bytes from %#llx",
			      (unsigned long long)size, (unsigned long long)addr, (unsigned long long)other.size,
			      (unsigned long long)other.base);
	else
		ret = fill_gaps(first_page(addr), behind_pages(addr + size), flags_of(flags));
	if (!ret)
		ret = cu_mem_add(addr, size, CU_MEM_REGISTERED, flags, ctx);
	if (ret && ret != CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED)
		(void)end_runs(first_page(addr), behind_pages(addr + size));
	pthread_mutex_unlock(&turn);
	return ret;
}

CUresult cu_unregister(uint64_t addr, uint64_t size)
{
	CUresult ret;

	pthread_mutex_lock(&turn);
	ret = end_runs(first_page(addr), behind_pages(addr + size));
	pthread_mutex_unlock(&turn);
	return ret;
}

bool cu_run_ended(uint64_t addr)
{
	struct run **at, *found;

	if (ending)
		return true;
	pthread_mutex_lock(&lock);
	for (at = &runs; *at && (*at)->from != addr; at = &(*at)->next)
		;
	found = *at;
	if (found)
		*at = found->next;
	pthread_mutex_unlock(&lock);
	free(found);
	return false;
}
