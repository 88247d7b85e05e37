// SPDX-License-Identifier: MIT
/*
 * The checking mode's record of accesses to global memory: the latest ones of the block's engines,
 * in a ring of fixed length. So a race with an access that lies far back is not found. For accesses of
 * other blocks see blocks.c, for what is allocated marks.c.
 */
#include "check.h"
#include "blocks.h"

static uint64_t end_of(const struct check_range *r)
{
	return r->va + (r->count - 1) * r->step + r->len;
}

/* Does [va, end) meet one of the pieces of @r? They do not overlap each other. */
static bool meets(const struct check_range *r, uint64_t va, uint64_t end)
{
	uint64_t n;

	if (end <= r->va || va >= end_of(r))
		return false;
	if (va <= r->va || r->count == 1)
		return true;
	/* the last piece that begins at or before va, and the one after it */
	n = (va - r->va) / r->step;
	if (n >= r->count)
		n = r->count - 1;
	return va < r->va + n * r->step + r->len ||
	       (n + 1 < r->count && end > r->va + (n + 1) * r->step);
}

static bool overlap(const struct check_range *a, const struct check_range *b, uint64_t *first)
{
	const struct check_range *few = a->count <= b->count ? a : b;
	const struct check_range *many = few == a ? b : a;

	if (end_of(a) <= b->va || end_of(b) <= a->va)
		return false;
	for (uint64_t i = 0; i < few->count; i++) {
		uint64_t va = few->va + i * few->step;

		if (meets(many, va, va + few->len)) {
			*first = va > many->va ? va : many->va;
			return true;
		}
	}
	return false;
}

/*
 * Do two accesses conflict? Atomic updates do not, in any order; else one of them must be a write.
 */
static bool ordered(uint32_t a, uint32_t b)
{
	const uint32_t both = ANPU_ACCESS_READ | ANPU_ACCESS_WRITE;

	return (a == both && b == both) || !((a | b) & ANPU_ACCESS_WRITE);
}

static unsigned int known(const struct check *c)
{
	return c->ranges < CHECK_RANGES ? (unsigned int)c->ranges : CHECK_RANGES;
}

static bool find_race(struct core_block *b, const char *name, const char *role, unsigned int engine,
		      const struct check_range *now, struct core_fault *fault)
{
	const struct check *c = b->check;
	uint64_t first;

	for (unsigned int n = 0; n < known(c); n++) {
		const struct check_range *r = &c->range[n];

		if (!check_open(c, engine, r->stamp) || ordered(now->access, r->access) ||
		    !overlap(now, r, &first))
			continue;
		return check_race(b, name, role, engine, first, now->len, now->access, r->stamp, r->pc,
				  r->access & ANPU_ACCESS_WRITE, fault);
	}
	return true;
}

/* Does the operation read what the scalar unit has stored and its engine may not see yet? */
static bool find_store(struct core_block *b, const char *role, const struct check_range *now, struct core_fault *fault)
{
	const struct check *c = b->check;
	uint64_t first;

	if (!(now->access & ANPU_ACCESS_READ))
		return true;
	for (unsigned int n = 0; n < c->stores_global && n < CHECK_STORES; n++) {
		const struct check_store *s = &c->store[n];
		const struct check_range r = { .va = s->va, .len = s->size, .count = 1 };

		if (check_open(c, c->engine, CHECK_STORE(s->number)) && overlap(now, &r, &first))
			return check_race(b, c->name, role, c->engine, first, now->len, now->access, CHECK_STORE(s->number),
					  s->pc, true, fault);
	}
	return true;
}

void check_store_global(struct core_block *b, uint64_t va, uint64_t size)
{
	struct check *c = b->check;
	struct check_store now = {
		.va = va, .size = (uint32_t)size, .number = check_store(c),
		.pc = (int32_t)((int64_t)(b->pc - b->kernel->pkt.entry) >> 2),
	}, *last = &c->store[(c->stores_global - 1) % CHECK_STORES];

	/* a loop's stores are one run */
	if (c->stores_global && last->va + last->size == va && last->pc == now.pc && last->number == now.number &&
	    last->size < 1u << 31)
		last->size += now.size;
	else
		c->store[c->stores_global++ % CHECK_STORES] = now;
}

void check_global_left(struct core_block *b, unsigned int engine)
{
	const uint32_t both = ANPU_ACCESS_READ | ANPU_ACCESS_WRITE;
	const struct check *c = b->check;

	for (unsigned int n = 0; n < known(c); n++) {
		const struct check_range *r = &c->range[n];

		if (!check_open(c, CHECK_S, r->stamp) || !check_open(c, engine, r->stamp))
			continue;
		for (uint64_t i = 0; i < r->count; i++)
			check_blocks_again(b, r->pc, r->va + i * r->step, r->len, r->access, r->access == both);
	}
}

bool check_global(struct core_block *b, const char *role, uint64_t va, uint64_t len, uint64_t step,
		  uint64_t count, uint32_t access, struct core_fault *fault)
{
	const uint32_t both = ANPU_ACCESS_READ | ANPU_ACCESS_WRITE;
	struct check *c = b->check;
	struct check_range now = { va, len, step, count, c->stamp, c->pc, access };

	if (!len || !count)
		return true;
	if (step <= len) {
		now.len += (count - 1) * step;
		now.count = 1;
	}
	for (uint64_t n = 0; n < now.count; n++)
		if (!check_allocated(b, va + n * step, now.len, access, fault) ||
		    (access == both && !check_updated(b, va + n * step, now.len, fault)))
			return false;
	if (!find_race(b, c->name, role, c->engine, &now, fault) || !find_store(b, role, &now, fault))
		return false;
	if (access == both)
		c->atomic_copy = b->pc;
	for (uint64_t n = 0; check_has_others(b) && n < now.count; n++) {
		if (!check_blocks_access(b, c->name, b->pc, va + n * step, now.len, access,
					 access == both, fault))
			return false;
		if (c->value)
			c->value += c->value_step;
	}
	c->range[c->ranges++ % CHECK_RANGES] = now;
	/* the scalar unit's next access to these pages is to be looked at */
	tlb_flush(b);
	return true;
}

bool check_global_scalar(struct core_block *b, const char *name, uint64_t va, uint64_t size,
			 uint32_t access, struct core_fault *fault)
{
	const struct check_range now = { .va = va, .len = size, .count = 1, .access = access };

	return find_race(b, name, "", CHECK_S, &now, fault);
}

bool check_global_live(const struct core_block *b, uint64_t va)
{
	const struct check *c = b->check;
	uint64_t page = va & ~(uint64_t)(PAGE_SIZE - 1);

	for (unsigned int n = 0; n < known(c); n++) {
		const struct check_range *r = &c->range[n];

		if (check_open(c, CHECK_S, r->stamp) && r->va < page + PAGE_SIZE && end_of(r) > page)
			return true;
	}
	return false;
}
