// SPDX-License-Identifier: MIT
/*
 * Atomic copies to global memory: each element is read, combined and written as one, with respect
 * to the atomic copies of all other blocks. Elements of one copy are not one unit.
 */
#include "../check/check.h"
#include "tile_int.h"

/* a whole word that elements lie in, exchanged at once */
#define WORD	8
/* words that are computed together before they are exchanged one by one */
#define BATCH	64

bool tile_atomic_find(struct tile *t, uint64_t op, uint64_t type, struct tile_atomic *at)
{
	static const uint8_t bin_of[] = {
		[ANPU_ATOM_ADD] = ANPU_BIN_ADD,
		[ANPU_ATOM_MAX] = ANPU_BIN_MAX,
		[ANPU_ATOM_MIN] = ANPU_BIN_MIN,
	};

	if (op < ANPU_ATOM_ADD || op > ANPU_ATOM_MIN)
		return tile_fail(t, "atomic operation %llu does not exist", (unsigned long long)op);
	at->fn = type < TILE_TYPES ? t->k->bin[bin_of[op]][type] : NULL;
	if (!at->fn)
		return tile_fail(t, "no atomic operation for type %s (%llu)",
				 tile_type_name((unsigned int)(type < 16 ? type : 15)),
				 (unsigned long long)type);
	at->sat = t->b->csr.fpctl & ANPU_FPCTL_SATURATE ? t->k->sat[type] : NULL;
	at->watch = t->b->watch && tile_is_float((unsigned int)type) ? t->b : NULL;
	at->type = (unsigned int)type;
	at->bytes = tile_type_bits[type] / 8;
	return true;
}

static void combine(const struct tile_atomic *at, void *d, const void *old, const void *src,
		    uint64_t size)
{
	at->fn(d, old, src, size / at->bytes);
	if (unlikely(at->sat))
		at->sat(d, size / at->bytes);
}

/* the same for up to a word; returns the overflows, which are none if the word is not exchanged */
static uint8_t combine_watched(const struct tile_atomic *at, void *d, const void *old,
			       const void *src, unsigned int size)
{
	unsigned int n = size / at->bytes;
	uint8_t worst[WORD] = { 0 }, seen;

	tile_worst(worst, old, at->type, n);
	tile_worst(worst, src, at->type, n);
	at->fn(d, old, src, n);
	seen = tile_worse(worst, d, at->type, n);
	if (at->sat)
		at->sat(d, n);
	return seen;
}

static bool exchange(uint8_t *p, void *old, const void *new, unsigned int bytes)
{
	switch (bytes) {
#define X(size, c) \
	case size: { \
		c n; \
		memcpy(&n, new, size); \
		return __atomic_compare_exchange_n((c *)(void *)p, (c *)old, n, false, \
						   __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
	}
	X(8, uint64_t)
	X(4, uint32_t)
	X(2, uint16_t)
	default:
	X(1, uint8_t)
#undef X
	}
}

/* one aligned unit of 1, 2, 4 or 8 bytes; old is what was read from it */
static void update(const struct tile_atomic *at, uint8_t *p, uint64_t old, const uint8_t *src,
		   unsigned int bytes)
{
	uint64_t new = 0;
	uint8_t seen = 0;

	do {
		if (unlikely(at->watch))
			seen = combine_watched(at, &new, &old, src, bytes);
		else
			combine(at, &new, &old, src, bytes);
	} while (!exchange(p, &old, &new, bytes));
	if (unlikely(at->watch))
		at->watch->overflow |= seen;
}

static uint64_t load(const uint8_t *p, unsigned int bytes)
{
	switch (bytes) {
	case 8: return __atomic_load_n((const uint64_t *)(const void *)p, __ATOMIC_RELAXED);
	case 4: return __atomic_load_n((const uint32_t *)(const void *)p, __ATOMIC_RELAXED);
	case 2: return __atomic_load_n((const uint16_t *)(const void *)p, __ATOMIC_RELAXED);
	default: return __atomic_load_n(p, __ATOMIC_RELAXED);
	}
}

/* whole aligned words, many at a time */
static void update_words(const struct tile_atomic *at, uint8_t *p, const uint8_t *src, uint64_t n)
{
	_Alignas(32) uint64_t old[BATCH], new[BATCH];

	for (; unlikely(at->watch) && n; n--, p += WORD, src += WORD)
		update(at, p, load(p, WORD), src, WORD);
	while (n) {
		unsigned int m = n < BATCH ? (unsigned int)n : BATCH;

		for (unsigned int i = 0; i < m; i++)
			old[i] = load(p + i * WORD, WORD);
		combine(at, new, old, src, m * WORD);
		for (unsigned int i = 0; i < m; i++)
			if (unlikely(!exchange(p + i * WORD, &old[i], &new[i], WORD)))
				update(at, p + i * WORD, old[i], src + i * WORD, WORD);
		p += m * WORD;
		src += m * WORD;
		n -= m;
	}
}

/* host memory that is as aligned as the elements are */
static void update_run(const struct tile_atomic *at, uint8_t *p, const uint8_t *src, uint64_t size)
{
	uint64_t words;

	for (; size && (uintptr_t)p % WORD; size -= at->bytes) {
		update(at, p, load(p, at->bytes), src, at->bytes);
		p += at->bytes;
		src += at->bytes;
	}
	words = size / WORD;
	update_words(at, p, src, words);
	p += words * WORD;
	src += words * WORD;
	for (size -= words * WORD; size; size -= at->bytes) {
		update(at, p, load(p, at->bytes), src, at->bytes);
		p += at->bytes;
		src += at->bytes;
	}
}

/* The fault of an element of which only the first bytes can be accessed */
static bool last_part(struct tile *t, uint64_t va, unsigned int bytes)
{
	const uint32_t access = ANPU_ACCESS_READ | ANPU_ACCESS_WRITE;
	uint64_t span, end = va + bytes;

	for (; va < end; va += span)
		if (!mmu_access(t->b->mmu, va, access, &span, t->fault))
			return false;
	return tile_fail(t, "an element that two pieces of memory share cannot be updated at once");
}

bool tile_gm_atomic(struct tile *t, uint64_t va, const uint8_t *s, uint64_t size,
		    const struct tile_atomic *at)
{
	tile_time(t, 8 * size);
	/* pages are aligned, so an aligned element never stands in two runs */
	while (size) {
		uint64_t span;
		uint8_t *p = mmu_access(t->b->mmu, va, ANPU_ACCESS_READ | ANPU_ACCESS_WRITE, &span,
					t->fault);

		if (unlikely(!p))
			return false;
		if (span > size)
			span = size;
		/* memory that is given by the byte may end within an element, which then is out of reach */
		span -= span % at->bytes;
		if (unlikely(!span))
			return last_part(t, va, at->bytes);
		update_run(at, p, s, span);
		s += span;
		va += span;
		size -= span;
	}
	return true;
}

/* DMA_ATOM: the same with the mode in the control word */
bool tile_dma_atom(struct tile *t)
{
	uint64_t ctl = t->a->rd;
	uint32_t n = ANPU_CTL_GET_COUNT(ctl);
	struct tile_atomic at;
	uint64_t size;
	uint8_t *p;

	if (!tile_ctl(t, "ctl", ctl, CTL_COUNT | CTL_TYPE | CTL_SUB) ||
	    !tile_ctl(t, "rs3", t->a->rs3, 0) ||
	    !tile_atomic_find(t, ANPU_CTL_GET_SUB(ctl), ANPU_CTL_GET_TYPE(ctl), &at))
		return false;
	if (!n)
		return true;
	size = (uint64_t)n * at.bytes;
	if (tile_window_of(t->a->rs1) != WIN_GM)
		return tile_fail(t, "dst 0x%llx is in %s; it must be in global memory",
				 (unsigned long long)t->a->rs1,
				 tile_window_name(tile_window_of(t->a->rs1)));
	if (!tile_src(t, "src", t->a->rs2, size, &p) ||
	    !tile_gm_range(t, "dst", t->a->rs1, size))
		return false;
	if (t->a->rs1 % at.bytes)
		return tile_fail(t, "dst 0x%llx is not a multiple of %u, the size of an element",
				 (unsigned long long)t->a->rs1, at.bytes);
	if (unlikely(t->b->check) &&
	    (!check_read(t->b, "src", t->a->rs2, size, t->fault) ||
	     !check_global(t->b, "dst", t->a->rs1, size, size, 1, ANPU_ACCESS_READ | ANPU_ACCESS_WRITE,
			   t->fault)))
		return false;
	return tile_gm_atomic(t, t->a->rs1, p, size, &at);
}
