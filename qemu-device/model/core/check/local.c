// SPDX-License-Identifier: MIT
/*
 * The checking mode's record of accesses to scratchpads. A granule of 32 bytes has one record as
 * long as operations touch all of it, and one for each byte from then on until an operation writes
 * all of it again.
 */
#include "check.h"

int64_t check_number(uint64_t va, uint64_t size)
{
	uint64_t start = 0;

#define X(name, base, bytes, ...) \
	if ((base) != ANPU_STACK_BASE) { \
		if (va - (base) < (bytes)) \
			return size <= (bytes) - (va - (base)) ? \
				(int64_t)((start + (va - (base))) / CHECK_GRANULE) : -1; \
		start += (bytes); \
	}
	ANPU_WINDOWS(X)
#undef X
	(void)start;
	return -1;
}

/**
 * struct walk - the granules of a range, one by one
 * @mask: bytes of the granule that belong to the range
 * @va: address of the first of them
 */
struct walk {
	struct check *c;
	int64_t n;
	uint64_t va;
	uint64_t left;
	uint32_t mask;
};

static bool walk_mask(struct walk *w)
{
	unsigned int skip = w->va % CHECK_GRANULE;
	uint64_t bytes = CHECK_GRANULE - skip;

	if (!w->left)
		return false;
	if (bytes > w->left)
		bytes = w->left;
	w->mask = (uint32_t)((1ULL << bytes) - 1) << skip;
	return true;
}

static bool walk_start(struct walk *w, struct check *c, uint64_t va, uint64_t size)
{
	*w = (struct walk){ c, check_number(va, size), va, size, 0 };
	return w->n >= 0 && walk_mask(w);
}

/* The same where the granules' records may change */
static bool walk_change(struct walk *w, struct check *c, uint64_t va, uint64_t size)
{
	if (!walk_start(w, c, va, size))
		return false;
	check_used(c, w->n, (int64_t)((va % CHECK_GRANULE + size + CHECK_GRANULE - 1) / CHECK_GRANULE));
	return true;
}

static bool walk_next(struct walk *w)
{
	unsigned int bytes = (unsigned int)__builtin_popcount(w->mask);

	w->va += bytes;
	w->left -= bytes;
	w->n++;
	return walk_mask(w);
}

/* Written or not ----------------------------------------------------------------------------------- */

bool check_is_written(const struct core_block *b, uint64_t va, uint64_t size, bool any)
{
	struct walk w;

	if (!walk_start(&w, b->check, va, size))
		return true;
	do {
		uint32_t init = w.c->granule[w.n].init;

		if (any ? (w.mask & init) != 0 : (w.mask & ~init) != 0)
			return any;
	} while (walk_next(&w));
	return !any;
}

void check_set_written(struct core_block *b, uint64_t va, uint64_t size, bool written)
{
	struct walk w;

	if (!walk_change(&w, b->check, va, size))
		return;
	do {
		if (written)
			w.c->granule[w.n].init |= w.mask;
		else
			w.c->granule[w.n].init &= ~w.mask;
	} while (walk_next(&w));
}

void check_carry(struct core_block *b, uint64_t dst, uint64_t src, uint64_t size)
{
	struct walk d, s;

	if ((dst ^ src) % CHECK_GRANULE) {
		for (uint64_t i = 0; i < size; i++)
			check_set_written(b, dst + i, 1, check_is_written(b, src + i, 1, false));
		return;
	}
	if (!walk_change(&d, b->check, dst, size) || !walk_start(&s, b->check, src, size))
		return;
	do {
		uint32_t *init = &d.c->granule[d.n].init;

		*init = (*init & ~d.mask) | (s.c->granule[s.n].init & s.mask);
	} while (walk_next(&d) && walk_next(&s));
}

/* Buffers ------------------------------------------------------------------------------------------ */

static bool is_whole(uint64_t va, uint64_t size)
{
#define X(name, base, bytes, ...) \
	if (va == (base)) \
		return size == (bytes);
	ANPU_WINDOWS(X)
#undef X
	return false;
}

/* The buffer that begins there is used no more: what it has is nobody's */
static void give_back(struct core_block *b, uint64_t va)
{
	struct check *c = b->check;
	int64_t n = check_number(va, 1);
	uint32_t owner = n < 0 ? 0 : c->owner[n];

	for (; owner && n >= 0 && c->owner[n] == owner; va += CHECK_GRANULE, n = check_number(va, 1)) {
		c->owner[n] = owner | CHECK_GIVEN_BACK;
		check_set_written(b, va, CHECK_GRANULE, false);
	}
}

void check_buffer(struct core_block *b, uint64_t va, uint64_t size)
{
	struct check *c = b->check;
	int64_t n = check_number(va, size);
	uint32_t owner;

	if (!size)
		give_back(b, va);
	if (!size || n < 0)
		return;
	c->buffers++;
	owner = is_whole(va, size) ? 0 : c->buffers;
	if (!owner && !c->owned)
		return;
	if (owner) {
		c->owned = true;
		check_used(c, n, (int64_t)((va % CHECK_GRANULE + size + CHECK_GRANULE - 1) / CHECK_GRANULE));
	}
	for (uint64_t i = 0; i < (va % CHECK_GRANULE + size + CHECK_GRANULE - 1) / CHECK_GRANULE; i++)
		c->owner[(uint64_t)n + i] = owner;
}

/* Does the scalar unit write where a buffer has just ended, and nothing else begins or has been written */
static bool is_behind_buffer(const struct check *c, const struct walk *w)
{
	return c->buffers && c->engine == CHECK_S && !c->owner[w->n] && w->n && c->owner[w->n - 1] &&
	       !(c->granule[w->n].init & w->mask);
}

/* The buffer in which the operand begins whose next piece is granule @n, at @va */
static uint32_t owner_of(struct check *c, const char *role, int64_t n, uint64_t va)
{
	unsigned int k;

	for (k = 0; k < CHECK_OPERANDS && c->operand[k].stamp == c->stamp; k++)
		if (c->operand[k].role == role)
			return c->operand[k].owner;
	if (k < CHECK_OPERANDS) {
		c->operand[k].stamp = c->stamp;
		c->operand[k].role = role;
		c->operand[k].owner = c->owner[n];
		c->operand[k].va = va;
	}
	return c->owner[n];
}

static bool leaves_buffer(struct core_block *b, const char *role, uint32_t owner, int64_t n, uint64_t va, bool write,
			  struct core_fault *fault)
{
	struct check *c = b->check;
	char place[32], end[32];
	uint64_t begin = va;

	for (unsigned int k = 0; k < CHECK_OPERANDS; k++)
		if (c->operand[k].stamp == c->stamp && c->operand[k].role == role)
			begin = c->operand[k].va;
	for (uint64_t at = va; n >= 0 && c->owner[n] != owner; n--, at -= CHECK_GRANULE)
		va = at;
	check_place(begin, place, sizeof(place));
	check_place(va - va % CHECK_GRANULE, end, sizeof(end));
	core_fail(fault, ANPU_FAULT_OPERAND, "%s: %s%s%s leaves its buffer, which ends at %s: it is too small, or the count too large",
		  c->name, role, *role ? " " : "", place, end);
	fault->addr = va;
	fault->access = write ? ANPU_ACCESS_WRITE : ANPU_ACCESS_READ;
	return false;
}

static bool behind_buffer(struct core_block *b, uint64_t va, uint64_t size, struct core_fault *fault)
{
	char place[32];

	check_place(va, place, sizeof(place));
	core_fail(fault, ANPU_FAULT_SCRATCHPAD, "%s: %s is behind the end of a buffer, and in no other one: the index is too large",
		  b->check->name, place);
	fault->addr = va;
	fault->size = (uint32_t)size;
	fault->access = ANPU_ACCESS_WRITE;
	return false;
}

/* Races -------------------------------------------------------------------------------------------- */

/*
 * A byte has two possible readers: V, M or MTE1, depending on the window, and MTE3 or FIX. Returns
 * the number of the reader that @engine is.
 */
static unsigned int reader(unsigned int engine)
{
	return engine == CHECK_MTE3 || engine == CHECK_FIX;
}

/** struct conflict - the earlier access that an access races with */
struct conflict {
	uint64_t stamp;
	int32_t pc;
	bool wrote;
};

static inline bool conflicts(const struct check *c, const struct check_touch *t, bool write,
			     struct conflict *with)
{
	/*
	 * A read comes first: it was ordered behind the write, so who waits for the reader has waited for
	 * the writer, but not the other way round.
	 */
	for (unsigned int k = 2; write && k--;)
		if (unlikely(check_open(c, c->engine, t->read[k]))) {
			*with = (struct conflict){ t->read[k], t->read_pc[k], false };
			return true;
		}
	/* what the scalar unit has stored is only looked at where it is read: an engine's write comes behind it in practice */
	if (unlikely(check_open(c, c->engine, t->wrote)) && !(write && CHECK_ENGINE(t->wrote) == CHECK_S)) {
		*with = (struct conflict){ t->wrote, t->wrote_pc, true };
		return true;
	}
	return false;
}

static inline void remember(const struct check *c, struct check_touch *t, bool write)
{
	unsigned int k = reader(c->engine);

	if (write) {
		*t = (struct check_touch){ .wrote = c->stamp, .wrote_pc = c->pc };
	} else {
		t->read[k] = c->stamp;
		t->read_pc[k] = c->pc;
	}
}

/* May the write still matter to an operation that begins later? These know to be over what the scalar unit knows so. */
static bool matters(const struct check *c, uint64_t wrote)
{
	bool open = false;

	if (CHECK_ENGINE(wrote) != CHECK_S)
		return check_open(c, CHECK_S, wrote);
	for (unsigned int n = 0; n < CHECK_ENGINES; n++)
		open |= check_open(c, n, wrote);
	return open;
}

/* Go back to one record for all bytes, if their records differ in nothing that can still matter. */
static void unite(struct check *c, struct check_granule *g, struct check_touch *byte)
{
	for (unsigned int i = 0; i < CHECK_GRANULE; i++) {
		if (!matters(c, byte[i].wrote))
			byte[i].wrote = 0;
		for (unsigned int k = 0; k < 2; k++)
			if (!check_open(c, CHECK_S, byte[i].read[k]))
				byte[i].read[k] = 0;
		if (byte[i].wrote != byte[0].wrote || byte[i].read[0] != byte[0].read[0] ||
		    byte[i].read[1] != byte[0].read[1])
			return;
	}
	g->all = byte[0];
	g->split = false;
}

static void split(struct check *c, int64_t n)
{
	struct check_granule *g = &c->granule[n];

	for (unsigned int i = 0; !g->split && i < CHECK_GRANULE; i++)
		c->byte[n][i] = g->all;
	g->split = true;
}

static bool touch_bytes(struct check *c, int64_t n, uint32_t mask, bool write,
			struct conflict *with, unsigned int *at)
{
	struct check_granule *g = &c->granule[n];
	struct check_touch *byte = c->byte[n];

	split(c, n);
	for (uint32_t left = mask; left; left &= left - 1) {
		unsigned int i = (unsigned int)__builtin_ctz(left);

		*at = i;
		if (conflicts(c, &byte[i], write, with))
			return false;
		if (c->engine != CHECK_S)
			remember(c, &byte[i], write);
	}
	if (mask == UINT32_MAX)
		unite(c, g, byte);
	return true;
}

/* Check an access to a granule and remember it; @at is the first byte that is in conflict. */
static inline bool touch(struct check *c, int64_t n, uint32_t mask, bool write,
			 struct conflict *with, unsigned int *at)
{
	struct check_granule *g = &c->granule[n];
	bool whole = mask == UINT32_MAX;

	/* accesses of the scalar unit are not recorded, so they need not split the granule */
	if (unlikely(g->split || (!whole && c->engine != CHECK_S &&
				  (write ? g->all.wrote : g->all.read[reader(c->engine)]) != c->stamp)))
		return touch_bytes(c, n, mask, write, with, at);
	*at = (unsigned int)__builtin_ctz(mask);
	if (conflicts(c, &g->all, write, with))
		return false;
	if (c->engine != CHECK_S)
		remember(c, &g->all, write);
	return true;
}

static bool access(struct core_block *b, const char *role, uint64_t va, uint64_t size, bool write,
		   struct core_fault *fault)
{
	struct check *c = b->check;
	bool bounded = c->buffers && c->engine != CHECK_S;
	struct conflict with;
	uint32_t owner = 0;
	unsigned int at;
	struct walk w;

	/* what the scalar unit does leaves no record here */
	if (c->engine == CHECK_S ? !walk_start(&w, c, va, size) : !walk_change(&w, c, va, size))
		return true;
	if (bounded)
		owner = owner_of(c, role, w.n, va);
	if (unlikely(write && is_behind_buffer(c, &w)))
		return behind_buffer(b, va, size, fault);
	do {
		if (unlikely(bounded && c->owner[w.n] != owner))
			return leaves_buffer(b, role, owner, w.n, w.va, write, fault);
		if (unlikely(!touch(c, w.n, w.mask, write, &with, &at))) {
			uint64_t first = w.va - w.va % CHECK_GRANULE + at;

			return check_race(b, c->name, role, c->engine, first, size - (first - va),
					  write ? ANPU_ACCESS_WRITE : ANPU_ACCESS_READ, with.stamp,
					  with.pc, with.wrote, fault);
		}
	} while (walk_next(&w));
	return true;
}

void check_store_local(struct core_block *b, uint64_t va, uint64_t size)
{
	struct check *c = b->check;
	struct check_touch now = { .wrote_pc = (int32_t)((int64_t)(b->pc - b->kernel->pkt.entry) >> 2) };
	struct walk w;

	now.wrote = CHECK_STORE(check_store(c));
	if (!walk_change(&w, c, va, size))
		return;
	do {
		if (!c->owner[w.n])
			continue;
		split(c, w.n);
		for (uint32_t left = w.mask; left; left &= left - 1)
			c->byte[w.n][__builtin_ctz(left)] = now;
	} while (walk_next(&w));
}

bool check_touch_read(struct core_block *b, const char *role, uint64_t va, uint64_t size,
		      struct core_fault *fault)
{
	return access(b, role, va, size, false, fault);
}

bool check_touch_write(struct core_block *b, const char *role, uint64_t va, uint64_t size,
		       struct core_fault *fault)
{
	return access(b, role, va, size, true, fault);
}

bool check_read(struct core_block *b, const char *role, uint64_t va, uint64_t size,
		struct core_fault *fault)
{
	if (unlikely(!check_is_written(b, va, size, false)))
		return check_unwritten(b, role, va, size, fault);
	return access(b, role, va, size, false, fault);
}

bool check_write(struct core_block *b, const char *role, uint64_t va, uint64_t size,
		 struct core_fault *fault)
{
	if (!access(b, role, va, size, true, fault))
		return false;
	check_set_written(b, va, size, true);
	return true;
}
