// SPDX-License-Identifier: MIT
/*
 * Memory engines: copies between global memory and scratchpads, and fills.
 *
 * One side of a copy is always a scratchpad, which bounds its length. The scratchpad side is
 * checked as a whole before anything moves; global memory is found out piece by piece, so that a
 * fault there leaves the pieces before it done and names the first byte that is out of reach.
 */
#if defined(__x86_64__)
#include <emmintrin.h>
#endif

#include "../check/check.h"
#include "tile_int.h"

/* Paths ------------------------------------------------------------------------------------------ */

/* destinations that each source can reach; the pipe follows from the pair */
static const struct {
	uint16_t src;
	uint16_t dst;
} paths[] = {
	{ WIN_GM, WIN_UB | WIN_L1 },
	{ WIN_UB, WIN_GM | WIN_L1 | WIN_UB },
	{ WIN_L1, WIN_GM | WIN_UB | WIN_BT | WIN_FB | WIN_L0A | WIN_L0B },
};

static bool check_path(struct tile *t, unsigned int dst, unsigned int src)
{
	unsigned int cube = WIN_L1 | WIN_BT | WIN_FB | WIN_L0A | WIN_L0B;

	if (unlikely(t->b->core_type == ANPU_CORE_AIC && ((dst | src) & WIN_UB)))
		return tile_fail(t, "a cube core has no UB (dst 0x%llx, src 0x%llx)",
				 (unsigned long long)t->a->rs1, (unsigned long long)t->a->rs2);
	if (unlikely(t->b->no_cube && ((dst | src) & cube)))
		return tile_fail(t, "a vector core has no cube unit (dst 0x%llx, src 0x%llx)",
				 (unsigned long long)t->a->rs1, (unsigned long long)t->a->rs2);
	for (unsigned int i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		if (likely(paths[i].src & src && paths[i].dst & dst))
			return true;
	return tile_fail(t, "no path from %s (src 0x%llx) to %s (dst 0x%llx)",
			 tile_window_name(src), (unsigned long long)t->a->rs2,
			 tile_window_name(dst), (unsigned long long)t->a->rs1);
}

/* Global memory ---------------------------------------------------------------------------------- */

bool tile_gm_read(struct tile *t, uint8_t *d, uint64_t va, uint64_t size)
{
	while (size) {
		uint64_t span;
		const void *p = mmu_access(t->b->mmu, va, ANPU_ACCESS_READ, &span, t->fault);

		if (unlikely(!p))
			return false;
		if (span > size)
			span = size;
		memcpy(d, p, span);
		d += span;
		va += span;
		size -= span;
	}
	return true;
}

/*
 * Pieces of at least this many bytes are written past the host's caches: operators that move so much
 * at once work on tensors that no cache holds, and lines need not be read before they are written. Smaller
 * pieces are when they go on what has become as long as PAST_RUN.
 */
#define PAST_CACHES	(32 * 1024)
#define PAST_PIECE	(4 * 1024)
#define PAST_RUN	(512 * 1024)

static bool past_caches(struct core_block *b, uint64_t va, uint64_t size)
{
	b->written = va == b->written_to ? b->written + size : size;
	b->written_to = va + size;
	return size >= PAST_CACHES || (size >= PAST_PIECE && b->written >= PAST_RUN);
}

static void copy_out(uint8_t *d, const uint8_t *s, uint64_t size, bool past)
{
#if defined(__x86_64__)
	if (past && (uintptr_t)d % 16 == 0) {
		for (; size >= 64; size -= 64, d += 64, s += 64)
			for (int i = 0; i < 64; i += 16)
				_mm_stream_si128((__m128i *)(void *)(d + i),
						 _mm_loadu_si128((const __m128i *)(const void *)(s + i)));
		/*
		 * these stores bypass the order of others: a thread that sees a later store must
		 * see them, too
		 */
		_mm_sfence();
	}
#endif
	memcpy(d, s, size);
}

bool tile_gm_write(struct tile *t, uint64_t va, const uint8_t *s, uint64_t size)
{
	bool past = past_caches(t->b, va, size);

	while (size) {
		uint64_t span;
		void *p = mmu_access(t->b->mmu, va, ANPU_ACCESS_WRITE, &span, t->fault);

		if (unlikely(!p))
			return false;
		if (span > size)
			span = size;
		copy_out(p, s, span, past);
		s += span;
		va += span;
		size -= span;
	}
	return true;
}

/* No memory spans the end of the address space: a range that wraps around is refused. */
bool tile_gm_range(struct tile *t, const char *role, uint64_t va, uint64_t size)
{
	if (likely(va >= ANPU_GM_BASE && va + size >= va))
		return true;
	return tile_fail(t, "%s 0x%llx + %llu bytes is not a range of global memory", role,
			 (unsigned long long)va, (unsigned long long)size);
}

/* Bursts ----------------------------------------------------------------------------------------- */

/**
 * struct copy - @count bursts of @len bytes
 * @dst_step: bytes from one burst to the next
 * @dst_room: bytes of the destination that a burst touches
 * @src_room: bytes of the source that a burst occupies
 */
struct copy {
	uint64_t count;
	uint64_t len;
	uint64_t dst_step;
	uint64_t src_step;
	uint64_t dst_room;
	uint64_t src_room;
	unsigned int dst_window;
	unsigned int src_window;
	uint8_t *dst;
	uint8_t *src;
	struct tile_atomic atomic;
};

static bool check_atomic(struct tile *t, struct copy *c)
{
	uint64_t mode = t->b->csr.atomic;
	unsigned int bytes;

	c->atomic.fn = NULL;
	if (likely(!(mode & 0xff)) || c->dst_window != WIN_GM)
		return true;
	if (!tile_atomic_find(t, mode & 0xff, mode >> 8, &c->atomic))
		return false;
	bytes = c->atomic.bytes;
	if (t->a->rs1 % bytes || c->len % bytes || c->dst_step % bytes)
		return tile_fail(t, "dst 0x%llx, %llu bytes: not a multiple of CSR atomic's type, %u",
				 (unsigned long long)t->a->rs1, (unsigned long long)c->len, bytes);
	return true;
}

/* checks both sides of a copy that is not empty, and finds the scratchpads' memory */
static bool check_sides(struct tile *t, struct copy *c)
{
	uint64_t dst_size = (c->count - 1) * c->dst_step + c->dst_room;
	uint64_t src_size = (c->count - 1) * c->src_step + c->src_room;
	unsigned int from = WIN_UB | WIN_L1, to = from | WIN_BT | WIN_FB | WIN_L0A | WIN_L0B;

	c->dst_window = tile_window_of(t->a->rs1);
	c->src_window = tile_window_of(t->a->rs2);
	c->dst = NULL;
	c->src = NULL;
	if (c->dst_window == WIN_GM ? !tile_gm_range(t, "dst", t->a->rs1, dst_size) :
	    !tile_local(t, "dst", t->a->rs1, dst_size, ANPU_LOCAL_ALIGN, to, ANPU_ACCESS_WRITE,
			&c->dst))
		return false;
	if (c->src_window == WIN_GM ? !tile_gm_range(t, "src", t->a->rs2, src_size) :
	    !tile_local(t, "src", t->a->rs2, src_size, ANPU_LOCAL_ALIGN, from, ANPU_ACCESS_READ,
			&c->src))
		return false;
	if (!check_path(t, c->dst_window, c->src_window) || !check_atomic(t, c))
		return false;
	if (c->dst_window == c->src_window &&
	    !tile_overlap(t, t->a->rs1, dst_size, "src", t->a->rs2, src_size))
		return false;
	if (c->dst)
		local_dirty(t->b, t->a->rs1, dst_size);
	tile_time(t, c->count * (c->len + 32));
	return true;
}

/* Checking mode: with @skip bytes of padding on the left. What goes to the cube unit may be unwritten. */
static bool check_copy(struct tile *t, const struct copy *c, uint64_t skip)
{
	const uint32_t both = ANPU_ACCESS_READ | ANPU_ACCESS_WRITE;
	bool carry = c->src && !(c->dst_window & (WIN_UB | WIN_GM)), any = !carry;
	uint64_t d = t->a->rs1, s = t->a->rs2;

	for (uint64_t i = 0; !any && i < c->count; i++)
		any = check_is_written(t->b, s + i * c->src_step, c->len, true);
	if (!any)
		return check_unwritten(t->b, "src", s, c->len, t->fault);
	if (!c->src && !check_global(t->b, "src", s, c->len, c->src_step, c->count,
				     ANPU_ACCESS_READ, t->fault))
		return false;
	/* global memory is copied in fewer pieces if bursts that touch each other are one */
	if (!c->dst && !c->atomic.fn && (c->count == 1 || c->dst_step > c->len || c->src_step == c->len))
		check_value(t->b, c->src, c->src_step);
	if (!c->dst && !check_global(t->b, "dst", d, c->len, c->dst_step, c->count,
				     c->atomic.fn ? both : ANPU_ACCESS_WRITE, t->fault))
		return false;
	check_value(t->b, NULL, 0);
	for (uint64_t i = 0; i < c->count; i++, d += c->dst_step, s += c->src_step) {
		if (c->src && !(carry ? check_touch_read : check_read)(t->b, "src", s, c->len, t->fault))
			return false;
		if (c->dst && !check_write(t->b, "dst", d, c->dst_room, t->fault))
			return false;
		if (carry)
			check_carry(t->b, d + skip, s, c->len);
	}
	return true;
}

static bool copy_burst(struct tile *t, const struct copy *c, uint64_t i, uint64_t skip)
{
	uint64_t d = i * c->dst_step + skip;
	uint64_t s = i * c->src_step;

	if (c->src_window == WIN_GM) {
		if (!tile_gm_read(t, c->dst + d, t->a->rs2 + s, c->len))
			return false;
		if (unlikely(t->b->check))
			check_carry_global(t->b, t->a->rs1 + d, t->a->rs2 + s, c->dst + d, c->len);
		return true;
	}
	if (unlikely(c->atomic.fn))
		return tile_gm_atomic(t, t->a->rs1 + d, c->src + s, c->len, &c->atomic);
	if (c->dst_window == WIN_GM)
		return tile_gm_write(t, t->a->rs1 + d, c->src + s, c->len);
	memmove(c->dst + d, c->src + s, c->len);
	return true;
}

/* Bursts without a gap between them are one row. */
static void copy_ahead(struct tile *t, const struct copy *c)
{
	bool whole = c->src_step == c->len || c->count == 1;

	if (c->src_window != WIN_GM)
		return;
	if (whole)
		ahead_note(t, t->a->rs2, 0, 1, c->count * c->len, c->count * c->len);
	else
		ahead_note(t, t->a->rs2, c->src_step, c->count, c->len, 0);
}

static bool copy_all(struct tile *t, struct copy *c)
{
	if (!c->count || !c->len)
		return true;
	if (!check_sides(t, c) || (unlikely(t->b->check) && !check_copy(t, c, 0)))
		return false;
	/*
	 * bursts of one block within the core, which operators use to put the cube's operands in
	 * order
	 */
	if (c->dst && c->src && c->len == ANPU_LOCAL_ALIGN) {
		for (uint64_t i = 0; i < c->count; i++)
			memmove(c->dst + i * c->dst_step, c->src + i * c->src_step, ANPU_LOCAL_ALIGN);
		return true;
	}
	for (uint64_t i = 0; i < c->count; i++)
		if (!copy_burst(t, c, i, 0))
			return false;
	copy_ahead(t, c);
	return true;
}

bool tile_dma_lin(struct tile *t)
{
	uint64_t len = t->a->rs3;
	struct copy c = { .count = 1, .len = len, .dst_room = len, .src_room = len };

	if (!tile_ctl(t, "rd", t->a->rd, 0))
		return false;
	if (len % ANPU_LOCAL_ALIGN)
		return tile_fail(t, "%llu bytes is not a multiple of %u; DMA_PAD copies any length",
				 (unsigned long long)len, ANPU_LOCAL_ALIGN);
	if (len > ANPU_L1_SIZE)
		return tile_fail(t, "%llu bytes is more than any scratchpad holds",
				 (unsigned long long)len);
	return copy_all(t, &c);
}

bool tile_dma_burst(struct tile *t)
{
	uint64_t w = t->a->rs3;
	struct copy c = { .count = (uint16_t)w };

	if (!tile_ctl(t, "rd", t->a->rd, 0))
		return false;
	c.len = (w >> 16 & 0xffff) * ANPU_LOCAL_ALIGN;
	c.src_step = c.len + (w >> 32 & 0xffff) * ANPU_LOCAL_ALIGN;
	c.dst_step = c.len + (w >> 48) * ANPU_LOCAL_ALIGN;
	if (c.src_step == c.len && c.dst_step == c.len && c.count) {
		c.len *= c.count;
		c.count = 1;
	}
	c.src_room = c.len;
	c.dst_room = c.len;
	return copy_all(t, &c);
}

/* Padding copies --------------------------------------------------------------------------------- */

static uint64_t blocks_up(uint64_t bytes)
{
	return (bytes + ANPU_LOCAL_ALIGN - 1) & ~(uint64_t)(ANPU_LOCAL_ALIGN - 1);
}

/* the pattern at p, which stands at a multiple of 8 bytes plus skip */
static void put_pattern(uint8_t *p, uint64_t pattern, unsigned int skip, uint64_t size)
{
	for (uint64_t i = 0; i < size; i++)
		p[i] = (uint8_t)(pattern >> 8 * ((skip + i) % 8));
}

/* Eight bytes full of an element of 1 << log2 bytes */
static uint64_t element_pattern(const uint8_t *element, unsigned int log2)
{
	uint64_t pattern = 0;

	for (unsigned int i = 0; i < 8; i++)
		pattern |= (uint64_t)element[i & ((1u << log2) - 1)] << 8 * i;
	return pattern;
}

/* first: ANPU_PAD_FIRST(), or 0 if CSR padval fills what is left of a burst's place */
static bool copy_padded(struct tile *t, struct copy *c, unsigned int left, unsigned int first)
{
	uint64_t end = left + c->len, pattern = t->b->csr.padval;

	if (!check_sides(t, c) || (unlikely(t->b->check) && !check_copy(t, c, left)))
		return false;
	for (uint64_t i = 0; i < c->count; i++) {
		if (!copy_burst(t, c, i, left))
			return false;
		if (first)
			pattern = element_pattern(c->dst + i * c->dst_step, first & 3);
		put_pattern(c->dst + i * c->dst_step, pattern, 0, left);
		put_pattern(c->dst + i * c->dst_step + end, pattern, end % 8, c->dst_room - end);
	}
	copy_ahead(t, c);
	return true;
}

bool tile_dma_pad(struct tile *t)
{
	uint64_t w = t->a->rs3;
	unsigned int left = w >> 48 & 0xff;
	unsigned int right = w >> 56;
	unsigned int first = (right & ~3u) == ANPU_PAD_FIRST(0) ? right : 0;
	uint64_t src_gap = (uint32_t)t->a->rd;
	uint64_t dst_gap = t->a->rd >> 32;
	struct copy c = { .count = w >> 32 & 0xffff, .len = (uint32_t)w };

	if (first && (left || c.len < 1ull << (first & 3)))
		return tile_fail(t, "padding with the first element of %u bytes: %u bytes of padding left, %llu bytes in a burst",
				 1u << (first & 3), left, (unsigned long long)c.len);
	if (left > ANPU_LOCAL_ALIGN || (right > ANPU_LOCAL_ALIGN && !first))
		return tile_fail(t, "padding of %u bytes left and %u right; each is at most %u",
				 left, right, ANPU_LOCAL_ALIGN);
	if (!c.count || !c.len)
		return true;
	if (tile_window_of(t->a->rs2) == WIN_GM) {
		c.src_room = c.len;
		c.src_step = c.len + src_gap;
	} else {
		c.src_room = blocks_up(c.len);
		c.src_step = c.src_room + src_gap * ANPU_LOCAL_ALIGN;
	}
	if (tile_window_of(t->a->rs1) == WIN_GM) {
		if (left || right)
			return tile_fail(t, "padding (%u left, %u right) into global memory", left,
					 right);
		c.dst_room = c.len;
		c.dst_step = c.len + dst_gap;
		return copy_all(t, &c);
	}
	c.dst_room = blocks_up(left + c.len + (first ? 0 : right));
	c.dst_step = c.dst_room + dst_gap * ANPU_LOCAL_ALIGN;
	return copy_padded(t, &c, left, first);
}

bool tile_dma_fill(struct tile *t)
{
	uint64_t size = t->a->rs2;
	unsigned int any = t->b->core_type == ANPU_CORE_AIC ? 0 : WIN_UB;
	uint8_t *d;

	if (!t->b->no_cube)
		any |= WIN_L1 | WIN_L0A | WIN_L0B;
	if (!tile_ctl(t, "rd", t->a->rd, 0))
		return false;
	if (size % ANPU_LOCAL_ALIGN)
		return tile_fail(t, "%llu bytes is not a multiple of %u", (unsigned long long)size,
				 ANPU_LOCAL_ALIGN);
	if (!size)
		return true;
	if (!tile_local(t, "dst", t->a->rs1, size, ANPU_LOCAL_ALIGN, any, ANPU_ACCESS_WRITE, &d))
		return false;
	if (unlikely(t->b->check) && !check_write(t->b, "dst", t->a->rs1, size, t->fault))
		return false;
	local_dirty(t->b, t->a->rs1, size);
	tile_splat(d, t->a->rs3, 8, size / 8);
	tile_time(t, size);
	return true;
}
