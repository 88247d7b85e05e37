// SPDX-License-Identifier: MIT
/*
 * What a runtime tells the checking mode in global memory itself: marks at the beginning and at the end of a
 * page (struct anpu_check_mark) say which of its bytes are allocated, and a pattern says that nothing has
 * been written. Memory without them is as without the checking mode.
 */
#include <stddef.h>
#include <stdio.h>

#include "check.h"

/* Two neighbouring words of the pattern: one alone may be a number */
#define PATTERN	((uint64_t)ANPU_UNWRITTEN << 32 | ANPU_UNWRITTEN)

/* The page of @va as the block may read it, or NULL: it cannot, or it is not a whole one */
static const uint8_t *page_of(struct core_block *b, uint64_t va)
{
	struct core_fault ignored = { 0 };
	const uint8_t *p;
	uint64_t span;

	p = mmu_access(b->mmu, va, ANPU_ACCESS_READ, &span, &ignored);
	return p && mmu_page_whole(b->mmu, va) ? p - va % PAGE_SIZE : NULL;
}

static bool mark(const uint8_t *at, uint64_t page, unsigned int *bound)
{
	struct anpu_check_mark m;

	memcpy(&m, at, sizeof(m));
	if (likely(m.key != ANPU_MARK_KEY(page) || m.bound - m.key > PAGE_SIZE))
		return false;
	*bound = (unsigned int)(m.bound - m.key);
	return true;
}

/* The bytes of a page that are allocated, from @first to before @end. Return: true if these are not all */
static bool bounds(const uint8_t *p, uint64_t page, unsigned int *first, unsigned int *end)
{
	*first = 0;
	*end = PAGE_SIZE;
	return mark(p, page, first) | mark(p + PAGE_SIZE - sizeof(struct anpu_check_mark), page, end);
}

static bool outside(uint64_t va, uint64_t size, uint64_t first, uint32_t access, struct core_fault *fault)
{
	uint64_t left = va + size - first;

	core_fail(fault, ANPU_FAULT_UNMAPPED, "0x%llx is not allocated, though memory near it is",
		  (unsigned long long)first);
	fault->addr = first;
	fault->size = left > UINT32_MAX ? UINT32_MAX : (uint32_t)left;
	fault->access = access & ANPU_ACCESS_WRITE ? ANPU_ACCESS_WRITE : ANPU_ACCESS_READ;
	return false;
}

/* Returns which bytes of a page are allocated, NULL if that is not known. Marks do not change while a kernel runs. */
static const struct check_page *known_page(struct core_block *b, uint64_t page)
{
	struct check_page *k = &b->check->page[page / PAGE_SIZE % CHECK_KNOWN];
	const uint8_t *p;

	if (likely(k->page == page))
		return k;
	p = page_of(b, page);
	if (!p)
		return NULL;
	bounds(p, page, &k->first, &k->end);
	k->page = page;
	return k;
}

/* Memory of the runtime's, as far as it lies in one piece */
static void *piece(struct core_block *b, uint64_t va, uint64_t size, uint32_t access)
{
	struct core_fault ignored = { 0 };
	uint64_t span;
	void *p = va >= ANPU_GM_BASE && va % 8 == 0 ? mmu_access(b->mmu, va, access, &span, &ignored) : NULL;

	return p && span >= size ? p : NULL;
}

/* Does the runtime ask what the kernel does with some ranges? */
static void read_uses(struct core_block *b)
{
	const struct anpu_pkt_kernel *pkt = &b->kernel->pkt;
	uint64_t va = (pkt->args + pkt->args_size + 7) & ~7ULL;
	struct check *c = b->check;
	struct anpu_check_uses head;
	struct anpu_check_ask ask;
	const void *p = piece(b, va, sizeof(ask), ANPU_ACCESS_READ);

	c->asked = true;
	if (!p)
		return;
	memcpy(&ask, p, sizeof(ask));
	p = ask.key == ANPU_MARK_KEY(pkt->args) ? piece(b, ask.uses, sizeof(head), ANPU_ACCESS_READ) : NULL;
	if (!p)
		return;
	memcpy(&head, p, sizeof(head));
	p = piece(b, ask.uses + sizeof(head), head.count * sizeof(c->uses.use[0]), ANPU_ACCESS_READ);
	if (!p || head.count > ANPU_CHECK_USES_MAX)
		return;
	c->uses.at = ask.uses + sizeof(head);
	c->uses.count = head.count;
	c->uses.parts = head.flags & ANPU_CHECK_PARTS;
	memcpy(c->uses.use, p, head.count * sizeof(c->uses.use[0]));
	memset(c->uses.part, 0, head.count * sizeof(c->uses.part[0]));
}

static void raise(uint64_t *most, uint64_t value)
{
	if (value > *most)
		*most = value;
}

/* @first to @end are offsets in the range */
static void widen(struct anpu_check_part *part, uint64_t first, uint64_t end, uint32_t access)
{
	raise(&part->low, ~first);
	raise(&part->high, end);
	if (access & ANPU_ACCESS_WRITE) {
		raise(&part->write_low, ~first);
		raise(&part->write_high, end);
	}
}

/* Other blocks do the same to the words of @to */
static void merge(struct anpu_check_part *to, const struct anpu_check_part *from)
{
	uint64_t *words[] = { &to->low, &to->high, &to->write_low, &to->write_high };
	const uint64_t values[] = { from->low, from->high, from->write_low, from->write_high };

	for (unsigned int i = 0; i < 4; i++) {
		uint64_t now = __atomic_load_n(words[i], __ATOMIC_RELAXED);

		while (now < values[i] && !__atomic_compare_exchange_n(words[i], &now, values[i], true, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
			;
	}
}

void check_parts(struct core_block *b)
{
	const struct check *c = b->check;
	uint64_t at = c->uses.at + c->uses.count * sizeof(c->uses.use[0]);

	if (!c->asked || !c->uses.parts)
		return;
	for (uint32_t n = 0; n < c->uses.count; n++) {
		struct anpu_check_part *p = c->uses.part[n].high ? piece(b, at + n * sizeof(*p), sizeof(*p), ANPU_ACCESS_WRITE) : NULL;

		if (p)
			merge(p, &c->uses.part[n]);
	}
}

/* Tells the runtime what it asks for, once. */
static void note_use(struct core_block *b, uint64_t va, uint64_t size, uint32_t access)
{
	struct check *c = b->check;

	if (unlikely(!c->asked))
		read_uses(b);
	for (uint32_t n = 0; n < c->uses.count; n++) {
		const struct anpu_check_use *u = &c->uses.use[n];
		uint32_t *p;

		if (va >= u->va + u->size || va + size <= u->va)
			continue;
		widen(&c->uses.part[n], va > u->va ? va - u->va : 0, va + size - u->va < u->size ? va + size - u->va : u->size, access);
		if (!(access & ~c->uses.noted[n]))
			continue;
		c->uses.noted[n] |= access;
		p = piece(b, c->uses.at + n * sizeof(*u) + offsetof(struct anpu_check_use, access) / 8 * 8, 8,
			  ANPU_ACCESS_WRITE);
		if (p)
			__atomic_fetch_or(p + offsetof(struct anpu_check_use, access) % 8 / 4, access,
					  __ATOMIC_RELEASE);
	}
}

bool check_allocated(struct core_block *b, uint64_t va, uint64_t size, uint32_t access, struct core_fault *fault)
{
	uint64_t at = va, end = va + size;

	note_use(b, va, size, access);
	while (at < end) {
		uint64_t page = at & ~(uint64_t)(PAGE_SIZE - 1), stop = page + PAGE_SIZE;
		const struct check_page *k = known_page(b, page);

		if (stop > end)
			stop = end;
		if (k && at < page + k->first)
			return outside(va, size, at, access, fault);
		if (k && stop > page + k->end)
			return outside(va, size, at > page + k->end ? at : page + k->end, access, fault);
		at = stop;
	}
	return true;
}

bool check_page_allocated(struct core_block *b, uint64_t va)
{
	const struct check_page *k = known_page(b, va & ~(uint64_t)(PAGE_SIZE - 1));

	return k && !k->first && k->end == PAGE_SIZE;
}

static bool has_pattern(const uint8_t *p, unsigned int size)
{
	uint64_t two;

	for (unsigned int n = 0; n + 8 <= size; n += 4) {
		memcpy(&two, p + n, 8);
		if (unlikely(two == PATTERN))
			return true;
	}
	return false;
}

bool check_plain_page(const uint8_t *p, uint64_t va)
{
	unsigned int first, end;

	p -= va % PAGE_SIZE;
	return !bounds(p, va & ~(uint64_t)(PAGE_SIZE - 1), &first, &end) && !has_pattern(p, PAGE_SIZE);
}

/* Is the word all that is allocated around there? */
static bool alone(struct core_block *b, uint64_t page, unsigned int at)
{
	const struct check_page *k = known_page(b, page);

	return k && at < k->first + 4 && at + 8 > k->end;
}

bool check_loaded(struct core_block *b, const char *name, uint64_t va, uint64_t size, const uint8_t *p,
		  struct core_fault *fault)
{
	unsigned int at = va % PAGE_SIZE / 4 * 4, from = at ? at - 4 : 0;
	unsigned int to = at + 8 < PAGE_SIZE ? at + 8 : PAGE_SIZE;
	uint32_t word;

	if (va < ANPU_GM_BASE || !mmu_page_whole(b->mmu, va))
		return true;
	p -= va % PAGE_SIZE;
	memcpy(&word, p + at, 4);
	if (likely(word != ANPU_UNWRITTEN) || (!has_pattern(p + from, to - from) && !alone(b, va - va % PAGE_SIZE, at)))
		return true;
	core_fail(fault, ANPU_FAULT_UNINITIALISED,
		  "%s: nothing has written the global memory at 0x%llx; copy or compute it first", name,
		  (unsigned long long)va);
	fault->addr = va;
	fault->size = (uint32_t)size;
	fault->access = ANPU_ACCESS_READ;
	return false;
}

bool check_updated(struct core_block *b, uint64_t va, uint64_t size, struct core_fault *fault)
{
	uint64_t at = va + (-va & 3), end = va + size, two;

	while (at + 8 <= end) {
		uint64_t page = at & ~(uint64_t)(PAGE_SIZE - 1);
		const uint8_t *p = page_of(b, at);

		for (; p && at + 8 <= end && at + 8 <= page + PAGE_SIZE; at += 4) {
			memcpy(&two, p + (at - page), 8);
			if (likely(two != PATTERN))
				continue;
			core_fail(fault, ANPU_FAULT_UNINITIALISED,
				  "%s: it adds to the global memory at 0x%llx, which nothing has written; set it, to 0 perhaps, first",
				  b->check->name, (unsigned long long)at);
			fault->addr = at;
			fault->size = (uint32_t)(end - at);
			fault->access = ANPU_ACCESS_READ;
			return false;
		}
		if (at < page + PAGE_SIZE - 4 || !p)
			at = page + PAGE_SIZE;
		else
			at += 4; /* no pair lies across two pages */
	}
	return true;
}

void check_carry_global(struct core_block *b, uint64_t dst, uint64_t src, const uint8_t *p, uint64_t size)
{
	uint64_t two, n = -src % 4, known = 0;

	for (; n + 8 <= size; n += 4) {
		memcpy(&two, p + n, 8);
		if (likely(two != PATTERN))
			continue;
		/* the pairs overlap */
		if (known < n)
			known = n;
		check_set_written(b, dst + known, n + 8 - known, false);
		known = n + 8;
	}
}
