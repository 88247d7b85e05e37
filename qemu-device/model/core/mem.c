// SPDX-License-Identifier: MIT
/*
 * Memory of the scalar unit: the windows of core-local memory, and the block's soft TLB, which
 * holds pages of both kinds in the same form.
 */
#include <stdio.h>

#include "check/check.h"
#include "sync.h"
#include "threads.h"
#include "outside.h"

struct window {
	const char *name;
	uint32_t base;
	uint32_t size;
};

#define ROW(n, base_, bytes, ...) { #n, base_, bytes },
static const struct window windows[] = { ANPU_WINDOWS(ROW) };
#undef ROW
#define WINDOWS (sizeof(windows) / sizeof(windows[0]))

bool core_fail(struct core_fault *fault, uint32_t cause, const char *format, ...)
{
	va_list ap;

	/* the whole record goes to a guest, and the worker's last failure may be another user's */
	memset(fault, 0, sizeof(*fault));
	fault->cause = cause;
	va_start(ap, format);
	vsnprintf(fault->message, sizeof(fault->message), format, ap);
	va_end(ap);
	return false;
}

static const struct window *find_window(uint64_t va)
{
	unsigned int n;

	for (n = 0; n < WINDOWS; n++)
		if (va - windows[n].base < windows[n].size)
			return &windows[n];
	return NULL;
}

const char *local_window(uint64_t va, uint64_t size)
{
	const struct window *w = find_window(va);

	return w && size <= w->base + w->size - va ? w->name : NULL;
}

void local_fault(uint64_t va, uint64_t size, uint32_t access, struct core_fault *fault)
{
	const char *what = access == ANPU_ACCESS_WRITE ? "write" : "read";
	const struct window *w = find_window(va);
	bool outside = core_is_outside(va);

	if (outside)
		va &= ~(uint64_t)ANPU_OUTSIDE;
	if (va >= ANPU_STACK_BASE - ANPU_STACK_GUARD && va < ANPU_STACK_BASE)
		core_fail(fault, ANPU_FAULT_STACK,
			  "stack overflow: %s at 0x%llx, below the %u KiB stack at 0x%x; use less stack",
			  what, (unsigned long long)va, ANPU_STACK_SIZE / 1024, ANPU_STACK_BASE);
	else if (va < PAGE_SIZE)
		core_fail(fault, ANPU_FAULT_SCRATCHPAD,
			  "null pointer: %s at address 0x%llx", what, (unsigned long long)va);
	else if (outside)
		core_fail(fault, ANPU_FAULT_SCRATCHPAD, "%s at 0x%llx, which " CORE_OUTSIDE, what, (unsigned long long)va);
	else if (w && !size)
		core_fail(fault, ANPU_FAULT_SCRATCHPAD, "%s at 0x%llx in %s of more bytes than there can be",
			  what, (unsigned long long)va, w->name);
	else if (w)
		core_fail(fault, ANPU_FAULT_SCRATCHPAD,
			  "%s of %llu byte%s at 0x%llx runs past the end of %s at 0x%x", what,
			  (unsigned long long)size, size == 1 ? "" : "s", (unsigned long long)va,
			  w->name, w->base + w->size);
	else
		core_fail(fault, ANPU_FAULT_SCRATCHPAD,
			  "%s at 0x%llx, which is in no scratchpad and below global memory", what,
			  (unsigned long long)va);
	fault->addr = va;
	fault->size = (uint32_t)size;
	fault->access = access;
}

void tlb_near_clear(struct core_block *b)
{
	unsigned int n;

	for (n = 0; n < NEAR_SLOTS; n++) {
		b->near[n].rbase = NEAR_NONE;
		b->near[n].wbase = NEAR_NONE;
	}
	b->near_used = 0;
}

static void tlb_forget(struct tlb_entry *e)
{
	e->rtag = TLB_NONE;
	e->wtag = TLB_NONE;
}

void tlb_flush(struct core_block *b)
{
	if (b->near_used)
		tlb_near_clear(b);
	while (b->tlb_count) {
		struct tlb_entry *e = &b->tlb[b->tlb_used[--b->tlb_count]];

		e->lists = 0;
		tlb_forget(e);
	}
	b->tlb_locals = 0;
}

void tlb_keep(struct core_block *b, const struct mmu *mmu)
{
	b->tlb_stamp = b->check ? 0 : mmu_stamp(mmu);
	b->tlb_mmu = mmu;
	if (!b->tlb_stamp) {
		tlb_flush(b);
		return;
	}
	if (b->near_used)
		tlb_near_clear(b);
	while (b->tlb_locals) {
		struct tlb_entry *e = &b->tlb[b->tlb_local[--b->tlb_locals]];

		e->lists &= ~TLB_IN_LOCAL;
		if (e->rtag < ANPU_GM_BASE >> PAGE_SHIFT)
			tlb_forget(e);
	}
}

static struct tlb_entry *tlb_slot(struct core_block *b, uint64_t va)
{
	unsigned int slot = tlb_index(va);
	struct tlb_entry *e = &b->tlb[slot];

	if (!(e->lists & TLB_IN_USED))
		b->tlb_used[b->tlb_count++] = (uint16_t)slot;
	if (va < ANPU_GM_BASE && !(e->lists & TLB_IN_LOCAL))
		b->tlb_local[b->tlb_locals++] = (uint16_t)slot;
	e->lists |= va < ANPU_GM_BASE ? TLB_IN_USED | TLB_IN_LOCAL : TLB_IN_USED;
	return e;
}

/* How much of an access lies before a page boundary. */
static unsigned int first_part(uint64_t va, unsigned int size)
{
	unsigned int room = PAGE_SIZE - (unsigned int)(va % PAGE_SIZE);

	return room < size ? room : size;
}

/* Global memory at @va; @size bytes up to the end of the page at most must be accessible. */
static uint8_t *global_ptr(struct core_block *b, uint64_t va, unsigned int size, uint32_t access,
			   struct core_fault *fault)
{
	uint64_t span, more;
	uint8_t *p = mmu_access(b->mmu, va, access, &span, fault);

	for (; p && unlikely(span < size); span += more)
		if (!mmu_access(b->mmu, va + span, access, &more, fault))
			return NULL;
	return p;
}

/* Host address of @size bytes of a page at @va for @access, or NULL; remembers the page. */
static uint8_t *translate(struct core_block *b, uint64_t va, unsigned int size, uint32_t access,
			  struct core_fault *fault)
{
	uint64_t page = va >> PAGE_SHIFT;
	struct tlb_entry *e;
	uint8_t *p;

	if (va - ANPU_THREAD_STACKS < THREAD_STACKS_BYTES) {
		p = threads_stack(b, va, size, access, fault);
		if (!p)
			return NULL;
	} else if (va - ANPU_PEER_BASE < (uint64_t)ANPU_MAX_CLUSTER * ANPU_PEER_STRIDE) {
		p = cluster_peer(b, va, access, fault);
		if (!p)
			return NULL;
	} else if (va < ANPU_GM_BASE) {
		if (!find_window(va)) {
			local_fault(va, 1, access, fault);
			return NULL;
		}
		p = local_ptr(b, va);
		if (access == ANPU_ACCESS_WRITE)
			local_dirty(b, va, first_part(va, 8));
	} else {
		p = global_ptr(b, va, size, access, fault);
		if (!p || !mmu_page_whole(b->mmu, va))
			return p;
	}
	/* pages that are not kept come here, and are checked, at each access */
	if (unlikely(b->check) && !check_cached(b, va, p, access))
		return p;
	e = tlb_slot(b, va);
	/* what may be written may be read; every write to L0A and L0B comes here to be noted */
	e->rtag = page;
	e->wtag = access == ANPU_ACCESS_WRITE && !local_is_l0(va) ? page : TLB_NONE;
	e->off = (uintptr_t)p - (uintptr_t)va;
	return p;
}

/* @part bytes at @va of an access to @size bytes at @start */
static uint8_t *translate_part(struct core_block *b, uint64_t va, unsigned int part, uint32_t access,
			       uint64_t start, unsigned int size, struct core_fault *fault)
{
	uint8_t *p = translate(b, va, part, access, fault);

	if (p)
		return p;
	if (fault->cause == ANPU_FAULT_SCRATCHPAD && start != va)
		local_fault(start, size, access, fault);
	fault->size = size;
	return NULL;
}

bool mem_load_slow(struct core_block *b, uint64_t va, unsigned int size, void *to,
		   struct core_fault *fault)
{
	unsigned int n = first_part(va, size);
	const uint8_t *p;

	if (unlikely(b->check) && (!check_aligned("scalar load", va, size, ANPU_ACCESS_READ, fault) ||
				   !check_scalar(b, "scalar load", va, size, ANPU_ACCESS_READ, fault)))
		return false;
	p = translate_part(b, va, n, ANPU_ACCESS_READ, va, size, fault);
	if (!p)
		return false;
	memcpy(to, p, n);
	if (n == size)
		return likely(!b->check) || check_loaded(b, "scalar load", va, size, p, fault);
	p = translate_part(b, va + n, size - n, ANPU_ACCESS_READ, va, size, fault);
	if (!p)
		return false;
	memcpy((uint8_t *)to + n, p, size - n);
	return true;
}

/* A page of global memory of whose stores the checking mode keeps a record, and needs nothing more: no tag that a store takes for its own */
static uint64_t recorded_tag(uint64_t va)
{
	return ~(va >> PAGE_SHIFT);
}

/* Stores to such a page, and keeps the record. Return: false if it is none */
static bool store_recorded(struct core_block *b, uint64_t va, unsigned int size, const void *from)
{
	const struct tlb_entry *e = &b->tlb[tlb_index(va)];

	/* the tag of the lowest page is that of a place without any */
	if (e->wtag != recorded_tag(va) || va < ANPU_GM_BASE || va & (size - 1))
		return false;
	memcpy((void *)(uintptr_t)(va + e->off), from, size);
	check_store_global(b, va, size);
	return true;
}

/* A store to @p, at @va, has been looked at: is a record all that the next ones to its page need? */
static void remember_recorded(struct core_block *b, uint64_t va, uint8_t *p)
{
	struct tlb_entry *e;

	if (va < ANPU_GM_BASE || !mmu_page_whole(b->mmu, va) || !check_records(b, va))
		return;
	e = tlb_slot(b, va);
	if (e->rtag != va >> PAGE_SHIFT)
		e->rtag = TLB_NONE;
	e->wtag = recorded_tag(va);
	e->off = (uintptr_t)p - (uintptr_t)va;
}

bool mem_store_slow(struct core_block *b, uint64_t va, unsigned int size, const void *from,
		    struct core_fault *fault)
{
	unsigned int n = first_part(va, size);
	uint8_t *p, *q = NULL;

	if (unlikely(b->check)) {
		bool ok;

		if (store_recorded(b, va, size, from))
			return true;

		check_value(b, from, 0);
		ok = check_aligned("scalar store", va, size, ANPU_ACCESS_WRITE, fault) &&
		     check_scalar(b, "scalar store", va, size, ANPU_ACCESS_WRITE, fault);
		check_value(b, NULL, 0);
		if (!ok)
			return false;
	}
	p = translate_part(b, va, n, ANPU_ACCESS_WRITE, va, size, fault);
	if (!p)
		return false;
	if (n < size) {
		/*
		 * look up both pages before the first byte is stored: a faulting store changes
		 * nothing
		 */
		q = translate_part(b, va + n, size - n, ANPU_ACCESS_WRITE, va, size, fault);
		if (!q)
			return false;
	}
	memcpy(p, from, n);
	if (q)
		memcpy(q, (const uint8_t *)from + n, size - n);
	else if (unlikely(b->check))
		remember_recorded(b, va, p);
	return true;
}

void *mem_atomic(struct core_block *b, uint64_t va, unsigned int size, uint32_t access,
		 struct core_fault *fault)
{
	const struct tlb_entry *e = &b->tlb[tlb_index(va)];
	void *p;

	if (likely((access == ANPU_ACCESS_WRITE ? e->wtag : e->rtag) == va >> PAGE_SHIFT))
		return (void *)(uintptr_t)(va + e->off);
	if (unlikely(b->check) && !check_amo(b, va, size, access, fault))
		return NULL;
	p = translate(b, va, size, access, fault);
	if (!p)
		fault->size = size;
	else if (unlikely(b->check) && !check_loaded(b, "atomic access", va, size, p, fault))
		return NULL;
	return p;
}

bool mem_read(struct core_block *b, uint64_t va, uint64_t size, void *to, struct core_fault *fault)
{
	uint8_t *out = to;

	while (size) {
		uint64_t n = PAGE_SIZE - va % PAGE_SIZE;
		const uint8_t *p;

		if (n > size)
			n = size;
		p = translate(b, va, (unsigned int)n, ANPU_ACCESS_READ, fault);
		if (!p)
			return false;
		memcpy(out, p, n);
		out += n;
		va += n;
		size -= n;
	}
	return true;
}

/* Zero what the block may have written, in runs of pages. */
void local_clean(struct core_block *b)
{
	unsigned int page, first, words = sizeof(b->dirty) / sizeof(b->dirty[0]);
	unsigned int w;

	clear(b->l0_type, sizeof(b->l0_type));
	if (b->launched)
		clear(local_ptr(b, ANPU_INFO_BASE), offsetof(struct anpu_block_info, reserved));
	b->launched = false;
	for (w = 0; w < words; w++) {
		while (b->dirty[w]) {
			page = w * 64 + (unsigned int)__builtin_ctzll(b->dirty[w]);
			for (first = page; page < LOCAL_PAGES &&
			     b->dirty[page / 64] >> (page % 64) & 1; page++)
				b->dirty[page / 64] &= ~(1ULL << (page % 64));
			memset(b->local + ((size_t)first << PAGE_SHIFT), 0,
			       (size_t)(page - first) << PAGE_SHIFT);
		}
	}
}
