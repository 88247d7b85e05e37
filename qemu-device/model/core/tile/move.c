// SPDX-License-Identifier: MIT
/*
 * Operations of the vector unit that move elements: gather, scatter, compress, broadcast,
 * transpose and sequences.
 */
#include "../check/check.h"
#include "tile_int.h"

/* an element of any type, by its size */
static inline void copy_element(uint8_t *d, const uint8_t *s, unsigned int bytes)
{
	switch (bytes) {
	case 1: *d = *s; break;
	case 2: memcpy(d, s, 2); break;
	case 4: memcpy(d, s, 4); break;
	case 8: memcpy(d, s, 8); break;
	default: memcpy(d, s, ANPU_LOCAL_ALIGN); break;
	}
}

static bool element_type(struct tile *t, uint64_t ctl, uint64_t allowed, unsigned int *bytes)
{
	unsigned int type = ANPU_CTL_GET_TYPE(ctl);

	if (!tile_ctl(t, "ctl", ctl, CTL_COUNT | CTL_TYPE | allowed))
		return false;
	if (unlikely(type >= TILE_TYPES || tile_type_bits[type] < 8))
		return tile_no_type(t, type);
	*bytes = tile_type_bits[type] / 8;
	return true;
}

/* Gather and scatter ----------------------------------------------------------------------------- */

/**
 * struct indexed - elements at a base plus an offset each
 * @role: of the base, in messages
 * @access: to the elements there
 * @limit: greatest offset that is inside UB
 */
struct indexed {
	const char *role;
	uint32_t access;
	const uint32_t *index;
	uint8_t *base;
	uint64_t va;
	uint64_t limit;
	uint32_t n;
	unsigned int bytes;
};

static bool good_offset(const struct indexed *x, uint32_t offset)
{
	return offset <= x->limit && offset % x->bytes == 0;
}

static bool bad_offset(struct tile *t, const struct indexed *x, uint32_t i, uint32_t offset)
{
	tile_fail(t, "index[%u] = 0x%x: %s 0x%llx is %s", i, offset, x->role,
		  (unsigned long long)(x->va + offset),
		  offset > x->limit ? "outside UB" : "not aligned to an element");
	t->fault->addr = x->va + offset;
	t->fault->size = x->bytes;
	t->fault->access = x->access;
	return false;
}

/* @top: out: the greatest offset */
static bool check_offsets(struct tile *t, const struct indexed *x, uint32_t *top)
{
	uint32_t low = 0;

	*top = 0;
	for (uint32_t i = 0; i < x->n; i++) {
		*top = x->index[i] > *top ? x->index[i] : *top;
		low |= x->index[i];
	}
	if (likely(*top <= x->limit && low % x->bytes == 0))
		return true;
	for (uint32_t i = 0; i < x->n; i++)
		if (!good_offset(x, x->index[i]))
			return bad_offset(t, x, i, x->index[i]);
	return true;
}

/* checks the base address and all offsets before anything moves; the caller has set role, access and bytes */
static bool find_indexed(struct tile *t, uint64_t va, uint64_t ctl, struct indexed *x)
{
	uint8_t *index;
	uint32_t top;

	x->va = va;
	x->n = ANPU_CTL_GET_COUNT(ctl);
	if (!tile_local(t, x->role, va, x->bytes, x->bytes, WIN_UB, x->access, &x->base) ||
	    !tile_src(t, "index", t->a->rs3, 4ULL * x->n, &index))
		return false;
	x->index = (const uint32_t *)(const void *)index;
	x->limit = ANPU_UB_BASE + ANPU_UB_SIZE - va - x->bytes;
	if (!check_offsets(t, x, &top))
		return false;
	if (x->access != ANPU_ACCESS_WRITE)
		return true;
	/* offsets that are overwritten on the way may be any inside UB */
	if (t->b->cluster ||
	    (va < t->a->rs3 + 4ULL * x->n && t->a->rs3 < va + top + x->bytes))
		top = (uint32_t)x->limit;
	local_dirty(t->b, va, top + x->bytes);
	return true;
}

/* Checking mode: in the order of move_indexed(), so that elements written on the way count. */
static bool check_indexed(struct tile *t, const struct indexed *x, uint64_t other, bool to)
{
	if (!check_read(t->b, "index", t->a->rs3, 4ULL * x->n, t->fault))
		return false;
	for (uint32_t i = 0; i < x->n; i++) {
		uint64_t here = other + (uint64_t)i * x->bytes, there = x->va + x->index[i];

		if (!check_read(t->b, "src", to ? here : there, x->bytes, t->fault) ||
		    !check_write(t->b, "dst", to ? there : here, x->bytes, t->fault))
			return false;
	}
	return true;
}

/*
 * An offset is read once and checked again: VSCATTER may have written over it since all were
 * checked, and so may another block of the cluster at any time.
 */
#define EACH(size) \
	for (uint32_t i = 0; i < x->n; i++, other += (size)) { \
		uint32_t offset = __atomic_load_n(&x->index[i], __ATOMIC_RELAXED); \
		if (unlikely(offset > x->limit || offset % (size))) \
			return bad_offset(t, x, i, offset); \
		copy_element(to ? x->base + offset : other, to ? other : x->base + offset, size); \
	}

/* to: other to indexed elements, in ascending order; else the other way */
static bool move_indexed(struct tile *t, const struct indexed *x, uint8_t *other, bool to)
{
	switch (x->bytes) {
	case 1: EACH(1); break;
	case 2: EACH(2); break;
	case 4: EACH(4); break;
	case 8: EACH(8); break;
	default: EACH(ANPU_LOCAL_ALIGN); break;
	}
	return true;
}
#undef EACH

bool tile_vgather(struct tile *t)
{
	uint64_t ctl = t->a->rd, size;
	struct indexed x = { .role = "src", .access = ANPU_ACCESS_READ };
	uint8_t *d;

	if (!element_type(t, ctl, CTL_SUB, &x.bytes))
		return false;
	if (ANPU_CTL_GET_SUB(ctl) > ANPU_GATHER_BLOCK)
		return tile_no_sub(t, ANPU_CTL_GET_SUB(ctl));
	if (ANPU_CTL_GET_SUB(ctl) == ANPU_GATHER_BLOCK)
		x.bytes = ANPU_LOCAL_ALIGN;
	if (!ANPU_CTL_GET_COUNT(ctl))
		return true;
	size = (uint64_t)ANPU_CTL_GET_COUNT(ctl) * x.bytes;
	if (!tile_dst(t, t->a->rs1, size, &d) ||
	    !find_indexed(t, t->a->rs2, ctl, &x) ||
	    !tile_overlap(t, t->a->rs1, size, "index", t->a->rs3, 4ULL * x.n))
		return false;
	if (unlikely(t->b->check) && !check_indexed(t, &x, t->a->rs1, false))
		return false;
	local_dirty(t->b, t->a->rs1, size);
	if (!move_indexed(t, &x, d, false))
		return false;
	tile_time(t, 16 * size / (x.bytes < 16 ? x.bytes : 16) + size);
	return true;
}

bool tile_vscatter(struct tile *t)
{
	uint64_t ctl = t->a->rd, size;
	struct indexed x = { .role = "dst", .access = ANPU_ACCESS_WRITE };
	uint8_t *s;

	if (!element_type(t, ctl, 0, &x.bytes))
		return false;
	if (!ANPU_CTL_GET_COUNT(ctl))
		return true;
	size = (uint64_t)ANPU_CTL_GET_COUNT(ctl) * x.bytes;
	if (!tile_src(t, "src", t->a->rs2, size, &s) ||
	    !find_indexed(t, t->a->rs1, ctl, &x))
		return false;
	if (unlikely(t->b->check) && !check_indexed(t, &x, t->a->rs2, true))
		return false;
	if (!move_indexed(t, &x, s, true))
		return false;
	tile_time(t, 16 * size / x.bytes + size);
	return true;
}

/* Compression ------------------------------------------------------------------------------------ */

static uint32_t count_bits(const uint8_t *mask, uint32_t n)
{
	uint32_t sum = 0, i = 0;

	for (; i + 64 <= n; i += 64) {
		uint64_t w;

		memcpy(&w, mask + i / 8, 8);
		sum += (uint32_t)__builtin_popcountll(w);
	}
	for (; i < n; i++)
		sum += mask[i / 8] >> (i % 8) & 1;
	return sum;
}

/* up to @out elements: another block of the cluster may have set bits since they were counted */
static void compress(uint8_t *d, const uint8_t *s, const uint8_t *mask, uint32_t n, uint32_t out,
		     unsigned int bytes)
{
	for (uint32_t i = 0; i < n && out; i++)
		if (mask[i / 8] >> (i % 8) & 1) {
			copy_element(d, s + (size_t)i * bytes, bytes);
			d += bytes;
			out--;
		}
}

/* Checking mode: only elements that are selected need to be written. */
static bool check_gmask(struct tile *t, const uint8_t *mask, uint32_t n, uint32_t first,
			uint32_t step, unsigned int bytes)
{
	uint64_t src = t->a->rs2;

	if (mask && !check_read(t->b, "mask", t->a->rs3, bits_bytes(n, 1), t->fault))
		return false;
	for (uint32_t i = first; i < n; i += step)
		if ((!mask || (mask[i / 8] >> (i % 8) & 1)) &&
		    !check_read(t->b, "src", src + (uint64_t)i * bytes, bytes, t->fault))
			return false;
	return true;
}

bool tile_vgmask(struct tile *t)
{
	/* first element and distance of each pattern */
	static const uint8_t patterns[][2] = {
		[ANPU_GMASK_EVEN] = { 0, 2 }, [ANPU_GMASK_ODD] = { 1, 2 },
		[ANPU_GMASK_QUAD0] = { 0, 4 }, [ANPU_GMASK_QUAD1] = { 1, 4 },
		[ANPU_GMASK_QUAD2] = { 2, 4 }, [ANPU_GMASK_QUAD3] = { 3, 4 },
		[ANPU_GMASK_ALL] = { 0, 1 },
	};
	uint64_t ctl = t->a->rd;
	unsigned int sub = ANPU_CTL_GET_SUB(ctl), bytes;
	uint32_t n = ANPU_CTL_GET_COUNT(ctl), first = 0, step = 1, out = 0;
	uint8_t *d = NULL, *s, *mask = NULL;

	if (!element_type(t, ctl, CTL_SUB, &bytes))
		return false;
	if (sub > ANPU_GMASK_ALL)
		return tile_no_sub(t, sub);
	if (sub != ANPU_GMASK_BITS && !tile_ctl(t, "rs3", t->a->rs3, 0))
		return false;
	if (n) {
		if (!tile_src(t, "src", t->a->rs2, (uint64_t)n * bytes, &s))
			return false;
		if (sub == ANPU_GMASK_BITS) {
			if (!tile_src(t, "mask", t->a->rs3, bits_bytes(n, 1), &mask))
				return false;
			out = count_bits(mask, n);
		} else {
			first = patterns[sub][0];
			step = patterns[sub][1];
			out = n > first ? (n - first - 1) / step + 1 : 0;
		}
		if (unlikely(t->b->check) && !check_gmask(t, mask, n, first, step, bytes))
			return false;
	}
	if (out) {
		uint64_t size = (uint64_t)out * bytes;

		/* an operation may write from the place on where the one before it ended */
		if (!tile_local(t, "dst", t->a->rs1, size, bytes, WIN_UB, ANPU_ACCESS_WRITE, &d) ||
		    !tile_overlap(t, t->a->rs1, size, "src", t->a->rs2, (uint64_t)n * bytes) ||
		    (mask && !tile_overlap(t, t->a->rs1, size, "mask", t->a->rs3,
					   bits_bytes(n, 1))))
			return false;
		if (mask && t->a->rs1 == t->a->rs3)
			return tile_fail(t, "dst and mask are the same address 0x%llx",
					 (unsigned long long)t->a->rs1);
		if (unlikely(t->b->check) && !check_write(t->b, "dst", t->a->rs1, size, t->fault))
			return false;
		local_dirty(t->b, t->a->rs1, size);
		if (mask)
			compress(d, s, mask, n, out, bytes);
		for (uint32_t i = 0; !mask && i < out; i++)
			copy_element(d + (size_t)i * bytes, s + (first + (size_t)i * step) * bytes,
				     bytes);
	}
	t->b->csr.vcount = out;
	tile_time(t, 16ULL * n);
	return true;
}

/* Broadcast and transposition -------------------------------------------------------------------- */

struct shape {
	uint64_t rows;
	uint64_t cols;
};

/* a shape that a scratchpad can hold; the count of the control word is 0 or the same */
static bool find_shape(struct tile *t, uint64_t word, uint64_t ctl, struct shape *s)
{
	uint32_t count = ANPU_CTL_GET_COUNT(ctl);

	s->rows = (uint32_t)word;
	s->cols = word >> 32;
	if (s->rows > ANPU_UB_SIZE || s->cols > ANPU_UB_SIZE)
		return tile_fail(t, "a shape of %llu x %llu is larger than UB",
				 (unsigned long long)s->rows, (unsigned long long)s->cols);
	if (count && count != s->rows * s->cols)
		return tile_fail(t, "count %u is neither 0 nor %llu x %llu", count,
				 (unsigned long long)s->rows, (unsigned long long)s->cols);
	return true;
}

static bool disjoint(struct tile *t, uint64_t dst, uint64_t dst_size, uint64_t src,
		     uint64_t src_size)
{
	if (dst >= src + src_size || src >= dst + dst_size)
		return true;
	return tile_fail(t, "dst 0x%llx + %llu overlaps src 0x%llx + %llu",
			 (unsigned long long)dst, (unsigned long long)dst_size,
			 (unsigned long long)src, (unsigned long long)src_size);
}

bool tile_vbrc(struct tile *t)
{
	uint64_t ctl = t->a->rd, src_size, dst_size;
	unsigned int sub = ANPU_CTL_GET_SUB(ctl), bytes;
	struct shape s;
	uint8_t *d, *p;

	if (!element_type(t, ctl, CTL_SUB, &bytes))
		return false;
	if (sub > ANPU_BRC_ROWS)
		return tile_no_sub(t, sub);
	if (sub == ANPU_BRC_BLOCK) {
		if (!tile_ctl(t, "rs3", t->a->rs3, 0))
			return false;
		s.rows = ANPU_CTL_GET_COUNT(ctl);
		s.cols = ANPU_LOCAL_ALIGN / bytes;
	} else if (!find_shape(t, t->a->rs3, ctl, &s)) {
		return false;
	}
	if (!s.rows || !s.cols)
		return true;
	dst_size = s.rows * s.cols * bytes;
	src_size = (sub == ANPU_BRC_ROWS ? s.cols : s.rows) * bytes;
	if (!tile_dst(t, t->a->rs1, dst_size, &d) ||
	    !tile_src(t, "src", t->a->rs2, src_size, &p) ||
	    !disjoint(t, t->a->rs1, dst_size, t->a->rs2, src_size))
		return false;
	if (unlikely(t->b->check) &&
	    (!check_read(t->b, "src", t->a->rs2, src_size, t->fault) ||
	     !check_write(t->b, "dst", t->a->rs1, dst_size, t->fault)))
		return false;
	local_dirty(t->b, t->a->rs1, dst_size);
	for (uint64_t r = 0; r < s.rows; r++, d += s.cols * bytes) {
		uint64_t v = 0;

		if (sub == ANPU_BRC_ROWS) {
			memcpy(d, p, src_size);
			continue;
		}
		memcpy(&v, p + r * bytes, bytes);
		tile_splat(d, v, bytes, s.cols);
	}
	tile_time(t, 2 * dst_size + 32 * s.rows);
	return true;
}

#define TRANSPOSE(size) \
	for (uint64_t r = r0; r < r1; r++) \
		for (uint64_t c = c0; c < c1; c++) \
			copy_element(d + (c * s->rows + r) * (size), \
				     p + (r * s->cols + c) * (size), size)

/* in squares that fit into the host's first cache */
static void transpose(uint8_t *d, const uint8_t *p, const struct shape *s, unsigned int bytes)
{
	for (uint64_t r0 = 0; r0 < s->rows; r0 += 32)
		for (uint64_t c0 = 0; c0 < s->cols; c0 += 32) {
			uint64_t r1 = r0 + 32 < s->rows ? r0 + 32 : s->rows;
			uint64_t c1 = c0 + 32 < s->cols ? c0 + 32 : s->cols;

			switch (bytes) {
			case 1: TRANSPOSE(1); break;
			case 2: TRANSPOSE(2); break;
			case 4: TRANSPOSE(4); break;
			default: TRANSPOSE(8); break;
			}
		}
}

bool tile_vtrans(struct tile *t)
{
	uint64_t ctl = t->a->rd, size;
	unsigned int bytes = 0;
	struct shape s;
	uint8_t *d, *p;

	if (!element_type(t, ctl, 0, &bytes) || !find_shape(t, t->a->rs3, ctl, &s))
		return false;
	if (!s.rows || !s.cols)
		return true;
	size = s.rows * s.cols * bytes;
	if (!tile_dst(t, t->a->rs1, size, &d) || !tile_src(t, "src", t->a->rs2, size, &p) ||
	    !disjoint(t, t->a->rs1, size, t->a->rs2, size))
		return false;
	if (unlikely(t->b->check) &&
	    (!check_read(t->b, "src", t->a->rs2, size, t->fault) ||
	     !check_write(t->b, "dst", t->a->rs1, size, t->fault)))
		return false;
	local_dirty(t->b, t->a->rs1, size);
	transpose(d, p, &s, bytes);
	tile_time(t, 8 * size);
	return true;
}

/* Sequences -------------------------------------------------------------------------------------- */

#define IOTA_CHUNK	256

/* first + i * step in fp32 with one rounding, then to the type */
static void float_iota(struct tile *t, uint8_t *d, unsigned int type, uint32_t n)
{
	_Alignas(32) float x[IOTA_CHUNK], i_f[IOTA_CHUNK], step[IOTA_CHUNK];
	uint32_t scalar[2] = { (uint32_t)t->a->rs2, (uint32_t)t->a->rs3 };
	unsigned int bytes = tile_type_bits[type] / 8;
	tile_un_fn widen = t->k->cvt[ANPU_TYPE_F32][type];
	tile_un_fn narrow = t->k->cvt[type][ANPU_TYPE_F32];

	for (int k = 0; widen && k < 2; k++) {
		uint32_t v = scalar[k];

		widen(&scalar[k], &v, 1, ANPU_ROUND_NONE);
	}
	tile_splat(step, scalar[1], 4, IOTA_CHUNK);
	for (uint32_t i = 0; i < n; i += IOTA_CHUNK) {
		uint32_t m = n - i < IOTA_CHUNK ? n - i : IOTA_CHUNK;

		tile_splat(x, scalar[0], 4, m);
		for (uint32_t j = 0; j < m; j++)
			i_f[j] = (float)(i + j);
		t->k->tri[ANPU_TRI_MLA][ANPU_TYPE_F32](x, i_f, step, m);
		if (narrow)
			narrow(d + (size_t)i * bytes, x, m, ANPU_ROUND_RINT);
		else
			memcpy(d + (size_t)i * bytes, x, m * 4);
	}
}

static void watch_iota(struct tile *t, const uint8_t *d, unsigned int type, uint32_t n)
{
	uint32_t step = (uint32_t)t->a->rs3, first = (uint32_t)t->a->rs2;
	uint8_t worst = tile_worst_of(&step, type, 1);
	unsigned int bytes = tile_type_bits[type] / 8;

	tile_worst(&worst, &first, type, 1);
	for (uint32_t i = 0; i < n; i++)
		t->b->overflow |= tile_worse(&worst, d + (size_t)i * bytes, type, 1);
}

bool tile_viota(struct tile *t)
{
	uint64_t ctl = t->a->rd, size, v = t->a->rs2;
	uint32_t n = ANPU_CTL_GET_COUNT(ctl);
	unsigned int type = ANPU_CTL_GET_TYPE(ctl), bytes;
	uint8_t *d;

	if (!element_type(t, ctl, 0, &bytes))
		return false;
	if (!n)
		return true;
	size = (uint64_t)n * bytes;
	if (!tile_dst(t, t->a->rs1, size, &d))
		return false;
	if (unlikely(t->b->check) && !check_write(t->b, "dst", t->a->rs1, size, t->fault))
		return false;
	if (tile_is_float(type))
		float_iota(t, d, type, n);
	if (unlikely(t->b->watch) && tile_is_float(type))
		watch_iota(t, d, type, n);
	for (uint32_t i = 0; type > ANPU_TYPE_BF16 && i < n; i++, v += t->a->rs3)
		memcpy(d + (size_t)i * bytes, &v, bytes);
	tile_finish(t, t->a->rs1, d, size, type, n);
	tile_time(t, 2 * size);
	return true;
}
