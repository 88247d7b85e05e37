// SPDX-License-Identifier: MIT
/* Allocations of this front, by address: who made them, and how. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/context/context.h"
#include "cuda/memory/memory.h"

#define CU_HOST_PAGE 4096

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct cu_mem **list; /* by address; ranges do not overlap */
static size_t count, room;
static unsigned long long last_id;

/* Number of the first allocation that begins behind the address */
static size_t behind(uint64_t addr)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (list[mid]->base <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static CUresult grow(void)
{
	size_t more = room ? room * 2 : 64;
	struct cu_mem **bigger = realloc(list, more * sizeof(*list));

	if (!bigger)
		return cu_fail(CUDA_ERROR_OUT_OF_MEMORY, "no memory for the record of an allocation");
	list = bigger;
	room = more;
	return CUDA_SUCCESS;
}

CUresult cu_mem_add(uint64_t base, uint64_t size, enum cu_mem_kind kind, unsigned int flags, struct cu_ctx *ctx)
{
	struct cu_mem *m = malloc(sizeof(*m));
	CUresult ret = CUDA_SUCCESS;
	size_t at;

	if (!m)
		return cu_fail(CUDA_ERROR_OUT_OF_MEMORY, "no memory for the record of an allocation");
	*m = (struct cu_mem){ .base = base, .size = size, .ctx = ctx->rec.key, .flags = flags, .kind = kind };
	pthread_mutex_lock(&lock);
	if (count == room)
		ret = grow();
	if (!ret) {
		m->id = ++last_id;
		at = behind(base);
		/* memory of a pool that the other front has freed, and that comes again */
		if (at && list[at - 1]->base == base) {
			free(list[at - 1]);
			list[at - 1] = m;
		} else {
			memmove(list + at + 1, list + at, (count - at) * sizeof(*list));
			list[at] = m;
			count++;
		}
	}
	pthread_mutex_unlock(&lock);
	if (ret)
		free(m);
	return ret;
}

bool cu_mem_find(uint64_t addr, struct cu_mem *out)
{
	bool found;
	size_t at;

	pthread_mutex_lock(&lock);
	at = behind(addr);
	found = at && addr - list[at - 1]->base < list[at - 1]->size;
	if (found)
		*out = *list[at - 1];
	pthread_mutex_unlock(&lock);
	return found;
}

bool cu_mem_next(uint64_t from, uint64_t to, unsigned int kinds, struct cu_mem *out)
{
	bool found;
	size_t at;

	pthread_mutex_lock(&lock);
	at = behind(from);
	if (at && from - list[at - 1]->base < list[at - 1]->size)
		at--;
	while (at < count && list[at]->base < to && !(kinds & 1u << list[at]->kind))
		at++;
	found = at < count && list[at]->base < to;
	if (found)
		*out = *list[at];
	pthread_mutex_unlock(&lock);
	return found;
}

CUresult cu_check_range(uint64_t addr, uint64_t n, const char *name)
{
	struct cu_mem m;
	uint64_t left;

	if (!cu_mem_find(addr, &m))
		return CUDA_SUCCESS;
	left = m.size - (addr - m.base);
	/* whole pages are registered */
	if (m.kind == CU_MEM_REGISTERED)
		left += -(m.base + m.size) & (CU_HOST_PAGE - 1);
	if (n <= left)
		return CUDA_SUCCESS;
	return cu_fail(CUDA_ERROR_INVALID_VALUE,
		       "%s is the %" PRIu64 " bytes at 0x%" PRIx64 ", but the allocation there, of %" PRIu64
		       " bytes at 0x%" PRIx64 ", has %" PRIu64 " bytes from that address on",
		       name, n, addr, m.size, m.base, left);
}

CUresult cu_check_rows(uint64_t addr, const struct cu_extent *e, const char *name)
{
	size_t rows, layers, n;

	if (!e->width || !e->rows || !e->layers)
		return CUDA_SUCCESS;
	if (__builtin_mul_overflow(e->rows - 1, e->pitch, &rows) ||
	    __builtin_mul_overflow(e->layers - 1, e->slice, &layers) ||
	    __builtin_add_overflow(rows, layers, &n) || __builtin_add_overflow(n, e->width, &n))
		n = SIZE_MAX;
	return cu_check_range(addr, n, name);
}

bool cu_is_place(const void *p, aclrtMemLocationType type)
{
	aclrtPtrAttributes a;

	return !aclrtPointerGetAttributes(p, &a) && a.location.type == type;
}

bool cu_mem_change(uint64_t addr, bool sync_memops)
{
	bool found;
	size_t at;

	pthread_mutex_lock(&lock);
	at = behind(addr);
	found = at && addr - list[at - 1]->base < list[at - 1]->size;
	if (found)
		list[at - 1]->sync_memops = sync_memops;
	pthread_mutex_unlock(&lock);
	return found;
}

bool cu_mem_take(uint64_t base, unsigned int kinds, struct cu_mem *out)
{
	bool found;
	size_t at;

	pthread_mutex_lock(&lock);
	at = behind(base);
	found = at && list[at - 1]->base == base && (kinds & 1u << list[at - 1]->kind);
	if (found) {
		*out = *list[at - 1];
		free(list[at - 1]);
		memmove(list + at - 1, list + at, (count - at) * sizeof(*list));
		count--;
	}
	pthread_mutex_unlock(&lock);
	return found;
}

void cu_mem_ended(uint64_t addr)
{
	struct cu_mem m;

	if (cu_run_ended(addr))
		return;
	/* memory of a pool is inside of what has ended, and has its own end */
	(void)cu_mem_take(addr, ~(1u << CU_MEM_POOL | 1u << CU_MEM_IMPORTED), &m);
}

/* Takes any allocation of the context; false: there is none left */
static bool take_of(uint64_t ctx, struct cu_mem *out)
{
	bool found = false;
	size_t i;

	pthread_mutex_lock(&lock);
	for (i = 0; i < count && !found; i++)
		found = list[i]->ctx == ctx;
	if (found) {
		*out = *list[i - 1];
		free(list[i - 1]);
		memmove(list + i - 1, list + i, (count - i) * sizeof(*list));
		count--;
	}
	pthread_mutex_unlock(&lock);
	return found;
}

void cu_mem_end(CUcontext ctx)
{
	uint64_t before = anpu_front_context();
	struct cu_mem m;

	anpu_front_set_context((uintptr_t)ctx);
	/* failures of tasks are not failures of this, and nothing can be done about one of freeing */
	(void)anpu_front_context_sync();
	while (take_of((uintptr_t)ctx, &m)) {
		bool last = false;

		cu_ipc_freed(m.base);
		while (m.kind == CU_MEM_IMPORTED && !last && !cu_ipc_close(m.base, &last))
			;
		if (m.kind == CU_MEM_DEVICE || m.kind == CU_MEM_HOST)
			anpu_front_leak(CU_PTR(m.base));
		if (m.kind == CU_MEM_DEVICE || m.kind == CU_MEM_MANAGED || m.kind == CU_MEM_GRAPH || m.kind == CU_MEM_HEAP)
			(void)aclrtFree(CU_PTR(m.base));
		else if (m.kind == CU_MEM_HOST)
			(void)aclrtFreeHost(CU_PTR(m.base));
		else if (m.kind == CU_MEM_REGISTERED)
			(void)cu_unregister(m.base, m.size);
	}
	anpu_front_set_context(before);
}

/* The first allocation behind the address; false: there is none */
static bool next_behind(uint64_t addr, struct cu_mem *out)
{
	bool found;
	size_t at;

	pthread_mutex_lock(&lock);
	at = behind(addr);
	found = at < count;
	if (found)
		*out = *list[at];
	pthread_mutex_unlock(&lock);
	return found;
}

void cu_mem_left(void)
{
	struct cu_mem m = { .base = 0 };

	while (next_behind(m.base, &m))
		if (m.kind == CU_MEM_DEVICE || m.kind == CU_MEM_HOST || m.kind == CU_MEM_POOL)
			anpu_front_leak(CU_PTR(m.base));
}

void cu_mem_forget(CUcontext ctx)
{
	struct cu_mem m;

	while (take_of((uintptr_t)ctx, &m))
		if (m.kind == CU_MEM_HOST)
			(void)aclrtFreeHost(CU_PTR(m.base));
}
