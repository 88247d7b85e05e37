// SPDX-License-Identifier: MIT
/*
 * The cube unit and what feeds it: layouts, image to column, matrix multiplication.
 *
 * A fractal is 512 bytes. One of L1 and L0A is 16 rows of 32 bytes; one of L0B is as many rows as
 * 32 bytes have elements, of 16 elements each; one of L0C is 16 x 16 elements of 4 bytes.
 * Documentation/isa-tiles.md has the pictures.
 */
#include "../check/check.h"
#include "tile_int.h"

#define FRACTAL		512
#define EDGE		16
#define C_FRACTAL	1024
#define BLOCK		ANPU_LOCAL_ALIGN

static bool cube_type(struct tile *t, uint64_t ctl, uint64_t allowed, unsigned int *bytes)
{
	unsigned int type = ANPU_CTL_GET_TYPE(ctl);

	if (!tile_ctl(t, "ctl", ctl, CTL_TYPE | allowed))
		return false;
	if (unlikely(type >= TILE_TYPES || tile_type_bits[type] < 8 || tile_type_bits[type] > 32))
		return tile_no_type(t, type);
	*bytes = tile_type_bits[type] / 8;
	return true;
}

/* DMA_ND2NZ ---------------------------------------------------------------------------------------- */

/* bytes of a row that are read at once */
#define PIECE	4096

/* one row: blocks of 32 bytes, each step bytes behind the other; the last is filled with zeros */
static bool nz_row(struct tile *t, uint8_t *d, uint64_t step, uint64_t va, uint64_t size)
{
	_Alignas(32) uint8_t row[PIECE];

	while (size) {
		uint64_t n = size < PIECE ? size : PIECE;

		if (!tile_gm_read(t, row, va, n))
			return false;
		memset(row + n, 0, -n % BLOCK);
		for (uint64_t i = 0; i < n; i += BLOCK, d += step)
			memcpy(d, row + i, BLOCK);
		va += n;
		size -= n;
	}
	return true;
}

/*
 * Rows whose blocks are written one behind the other where the strides allow it. Rows are often a
 * power of two apart, where the host's caches have few places for them: these must be enough.
 */
#define ROWS	8
/* bytes of a row that are prefetched */
#define AHEAD	512

/* rows that the host can reach, pitch bytes apart; size is not 0 */
static void nz_rows(uint8_t *d, const struct anpu_nd2nz_desc *n, const uint8_t *p, uint64_t pitch,
		    uint32_t rows, uint64_t size)
{
	uint64_t down = (uint64_t)n->dst_n_stride * BLOCK, across = (uint64_t)n->dst_c0_stride * BLOCK;

	/* a line of the host's caches at a time */
	for (; size >= 2 * BLOCK; size -= 2 * BLOCK, d += 2 * across, p += 2 * BLOCK)
		for (uint32_t r = 0; r < rows; r++) {
			/*
			 * few hosts prefetch rows that are far apart by themselves; the next matrix
			 * often follows
			 */
			__builtin_prefetch(p + r * pitch + AHEAD);
			memcpy(d + r * down, p + r * pitch, BLOCK);
			memcpy(d + r * down + across, p + r * pitch + BLOCK, BLOCK);
		}
	for (; size >= BLOCK; size -= BLOCK, d += across, p += BLOCK)
		for (uint32_t r = 0; r < rows; r++)
			memcpy(d + r * down, p + r * pitch, BLOCK);
	for (uint32_t r = 0; size && r < rows; r++) {
		memcpy(d + r * down, p + r * pitch, size);
		memset(d + r * down + size, 0, BLOCK - size);
	}
}

/* rows from i on, up to ROWS of them, of the matrix at va */
static bool nz_strip(struct tile *t, struct tile_span *span, uint8_t *d,
		     const struct anpu_nd2nz_desc *n, uint64_t va, uint32_t i, unsigned int bytes)
{
	uint64_t size = (uint64_t)n->d * bytes, pitch = (uint64_t)n->src_d * bytes;
	uint64_t down = (uint64_t)n->dst_n_stride * BLOCK, across = (uint64_t)n->dst_c0_stride * BLOCK;
	uint32_t rows = n->n - i < ROWS ? n->n - i : ROWS;
	const uint8_t *p = tile_span(t, span, va + i * pitch, (rows - 1) * pitch + size,
				     ANPU_ACCESS_READ);

	d += i * down;
	if (likely(p)) {
		nz_rows(d, n, p, pitch, rows, size);
		return true;
	}
	for (uint32_t r = 0; r < rows; r++)
		if (!nz_row(t, d + r * down, across, va + (i + r) * pitch, size))
			return false;
	return true;
}

/*
 * Strips of all matrices in turn, because matrices are often parts of the same rows, unless one
 * overwrites another.
 */
static bool nz_all(struct tile *t, uint8_t *d, const struct anpu_nd2nz_desc *n, unsigned int bytes)
{
	uint64_t blocks = ((uint64_t)n->d * bytes + BLOCK - 1) / BLOCK;
	uint64_t room = ((blocks - 1) * n->dst_c0_stride + (uint64_t)(n->n - 1) * n->dst_n_stride + 1) *
			BLOCK;
	uint64_t src = (uint64_t)n->src_nd_stride * bytes, dst = (uint64_t)n->dst_nz_stride * bytes;
	uint32_t step = dst >= room ? ROWS : n->n;
	struct tile_span span = { .size = 0 };

	for (uint32_t i = 0; i < n->n; i += step)
		for (uint32_t k = 0; k < n->nd_num; k++)
			for (uint32_t j = i; j < n->n && j - i < step; j += ROWS)
				if (!nz_strip(t, &span, d + k * dst, n, t->a->rs2 + k * src, j, bytes))
					return false;
	return true;
}

static bool check_nd2nz(struct tile *t, const struct anpu_nd2nz_desc *n, unsigned int bytes)
{
	uint64_t row = ((uint64_t)n->d * bytes + BLOCK - 1) / BLOCK;
	uint64_t size, gm;
	const uint64_t limit = ANPU_L1_SIZE / BLOCK;
	uint8_t *d;

	/* each factor first, so that the product cannot overflow */
	if (row > limit || n->n > limit || n->nd_num > limit || row * n->n > limit ||
	    row * n->n * n->nd_num > limit)
		return tile_fail(t, "%u matrices of %u x %u are more than L1 holds", n->nd_num, n->n,
				 n->d);
	if ((n->nd_num > 1 && (uint64_t)n->dst_nz_stride * bytes % BLOCK))
		return tile_fail(t, "dst_nz_stride of %u elements is not a multiple of %u bytes",
				 n->dst_nz_stride, BLOCK);
	size = (uint64_t)(n->nd_num - 1) * n->dst_nz_stride * bytes +
	       (row - 1) * n->dst_c0_stride * BLOCK + (uint64_t)(n->n - 1) * n->dst_n_stride * BLOCK +
	       BLOCK;
	gm = ((uint64_t)(n->nd_num - 1) * n->src_nd_stride + (uint64_t)(n->n - 1) * n->src_d + n->d) *
	     bytes;
	if (tile_window_of(t->a->rs2) != WIN_GM)
		return tile_fail(t, "src 0x%llx is in %s; it must be in global memory",
				 (unsigned long long)t->a->rs2,
				 tile_window_name(tile_window_of(t->a->rs2)));
	if (!tile_gm_range(t, "src", t->a->rs2, gm) ||
	    !tile_local(t, "dst", t->a->rs1, size, BLOCK, WIN_L1, ANPU_ACCESS_WRITE, &d))
		return false;
	local_dirty(t->b, t->a->rs1, size);
	return true;
}

/* Matrices that lie side by side are one wider one, matrices that follow each other a longer one. */
static void nz_ahead(struct tile *t, const struct anpu_nd2nz_desc *n, unsigned int bytes)
{
	bool wide = n->nd_num > 1 && n->src_nd_stride < n->src_d;
	uint64_t row = wide ? (uint64_t)(n->nd_num - 1) * n->src_nd_stride + n->d : n->d;

	ahead_note(t, t->a->rs2, (uint64_t)n->src_d * bytes, wide ? n->n : (uint64_t)n->n * n->nd_num,
		   row * bytes, 0);
}

bool tile_dma_nd2nz(struct tile *t)
{
	struct anpu_nd2nz_desc n;
	unsigned int bytes = 0;
	uint8_t *d;

	if (!cube_type(t, t->a->rd, 0, &bytes) || !tile_desc(t, t->a->rs3, &n))
		return false;
	if (!n.nd_num || !n.n || !n.d)
		return true;
	if (unlikely(t->b->no_cube))
		return tile_fail(t, "a vector core has no L1");
	if (!check_nd2nz(t, &n, bytes) ||
	    (unlikely(t->b->check) && !tile_check_nd2nz(t, &n, bytes)))
		return false;
	d = local_ptr(t->b, t->a->rs1);
	if (!nz_all(t, d, &n, bytes))
		return false;
	if (unlikely(t->b->check))
		tile_carry_nd2nz(t, d, &n, bytes);
	nz_ahead(t, &n, bytes);
	tile_time(t, (uint64_t)n.nd_num * n.n * (n.d * bytes * 2 + 64));
	return true;
}

/* LOAD2D ------------------------------------------------------------------------------------------- */

/* LOAD2D takes elements of 4 bits, too */
static bool load_type(struct tile *t, uint64_t allowed, unsigned int *bits)
{
	unsigned int type = ANPU_CTL_GET_TYPE(t->a->rd), bytes = 0;

	if (type != ANPU_TYPE_S4) {
		*bits = tile_type_bits[type < TILE_TYPES ? type : 0];
		return cube_type(t, t->a->rd, allowed, &bytes);
	}
	*bits = 4;
	return tile_ctl(t, "ctl", t->a->rd, CTL_TYPE | allowed);
}

/* element @to of @d becomes element @from of @s */
static void move_half_byte(uint8_t *d, unsigned int to, const uint8_t *s, unsigned int from)
{
	uint8_t x = s[from / 2] >> from % 2 * 4 & 15;

	d[to / 2] = (uint8_t)((d[to / 2] & 0xf0 >> to % 2 * 4) | x << to % 2 * 4);
}

/* rows of 32 bytes become rows of 16 elements */
static void transpose_fractal(uint8_t *d, const uint8_t *s, unsigned int bits)
{
#define TRANSPOSE(size) \
	for (unsigned int r = 0; r < EDGE; r++) \
		for (unsigned int c = 0; c < BLOCK / (size); c++) \
			memcpy(d + (c * EDGE + r) * (size), s + (r * (BLOCK / (size)) + c) * (size), size)

	switch (bits) {
	case 4:
		for (unsigned int i = 0; i < 2 * FRACTAL; i++)
			move_half_byte(d, i % 64 * EDGE + i / 64, s, i);
		break;
	case 8: TRANSPOSE(1); break;
	case 16: TRANSPOSE(2); break;
	default: TRANSPOSE(4); break;
	}
#undef TRANSPOSE
}

/*
 * A square of 16 x 16 elements of 32 bits, 32 x 32 of 8 bits or 64 x 64 of 4 bits is two or four fractals of
 * L1, with k in its rows. L0A has m in its rows, so that the square is transposed; L0B has k there, in other
 * pieces of rows. @at: number of the element in L0A or L0B that row r, column c of the square becomes.
 */
static unsigned int square_at(unsigned int bits, bool l0b, unsigned int r, unsigned int c)
{
	unsigned int row = l0b ? r : c, col = l0b ? c : r;
	unsigned int size = FRACTAL * 8 / bits, cols = l0b ? EDGE : BLOCK * 8 / bits, rows = size / cols;

	/* one of the two divisions is by the whole side of the square */
	return (row / rows + col / cols) * size + row % rows * cols + col % cols;
}

/* the number of the element in L1 that row r, column c of the square comes from */
static unsigned int square_from(unsigned int bits, unsigned int r, unsigned int c)
{
	unsigned int c0 = BLOCK * 8 / bits;

	return (r / EDGE + c / c0) * EDGE * c0 + r % EDGE * c0 + c % c0;
}

static unsigned int square_side(unsigned int bits)
{
	return bits == 32 ? EDGE : BLOCK * 8 / bits;
}

static unsigned int square_fractals(unsigned int bits)
{
	return bits == 4 ? 4 : 2;
}

/* @d_next, @s_next: bytes from a fractal of the square to the next one */
static void load_square(uint8_t *d, uint64_t d_next, const uint8_t *s, uint64_t s_next, unsigned int bits, bool l0b)
{
	unsigned int side = square_side(bits), size = FRACTAL * 8 / bits;

	for (unsigned int r = 0; r < side; r++)
		for (unsigned int c = 0; c < side; c++) {
			unsigned int to = square_at(bits, l0b, r, c), from = square_from(bits, r, c);
			uint8_t *dst = d + to / size * d_next;
			const uint8_t *src = s + from / size * s_next;

			if (bits == 4)
				move_half_byte(dst, to % size, src, from % size);
			else
				memcpy(dst + to % size * bits / 8, src + from % size * bits / 8, bits / 8);
		}
}

/* LOAD2D of squares: the fractals of each are one ANPU_LOAD_PAIR apart in L1 and in L0A or L0B */
static bool load_squares(struct tile *t, unsigned int bits)
{
	uint64_t w = t->a->rs3, count = w >> 16 & 0xffff, from = t->a->rs2 + (w & 0xffff) * FRACTAL;
	uint64_t src_step = (w >> 32 & 0xffff) * FRACTAL, dst_step = (w >> 48) * FRACTAL;
	uint64_t src_next = (t->a->rd & 0xffff) * FRACTAL, dst_next = (t->a->rd >> 16 & 0xffff) * FRACTAL;
	uint64_t more = square_fractals(bits) - 1, d_size = (count - 1) * dst_step + more * dst_next + FRACTAL;
	bool l0b = tile_window_of(t->a->rs1) == WIN_L0B;
	uint8_t *d, *s;

	if (bits == 16 || !src_next || !dst_next)
		return tile_fail(t, "squares are for types of 4, 8 and 32 bits, their fractals %llu and %llu apart",
				 (unsigned long long)(src_next / FRACTAL), (unsigned long long)(dst_next / FRACTAL));
	if (!tile_local(t, "dst", t->a->rs1, d_size, FRACTAL, WIN_L0A | WIN_L0B, ANPU_ACCESS_WRITE, &d) ||
	    !tile_local(t, "src", from, (count - 1) * src_step + more * src_next + FRACTAL, BLOCK, WIN_L1,
			ANPU_ACCESS_READ, &s))
		return false;
	for (uint64_t i = 0; unlikely(t->b->check) && i < count; i++)
		if (!tile_check_square(t, t->a->rs1 + i * dst_step, dst_next, from + i * src_step, src_next, bits, l0b))
			return false;
	local_dirty(t->b, t->a->rs1, d_size);
	for (uint64_t i = 0; i < count; i++, d += dst_step, s += src_step)
		load_square(d, dst_next, s, src_next, bits, l0b);
	tile_time(t, count * FRACTAL * 16);
	return true;
}

/* Checking mode: a square may be unwritten in part; what is unwritten stays so in its new place. */
bool tile_check_square(struct tile *t, uint64_t dst, uint64_t dst_next, uint64_t src, uint64_t src_next,
		       unsigned int bits, bool l0b)
{
	unsigned int side = square_side(bits), size = FRACTAL * 8 / bits, n = square_fractals(bits);
	bool any = false;

	for (unsigned int i = 0; i < n; i++)
		any = any || check_is_written(t->b, src + i * src_next, FRACTAL, true);
	if (!any)
		return check_unwritten(t->b, "src", src, FRACTAL, t->fault);
	for (unsigned int i = 0; i < n; i++) {
		if (!check_touch_read(t->b, "src", src + i * src_next, FRACTAL, t->fault) ||
		    !check_touch_write(t->b, "dst", dst + i * dst_next, FRACTAL, t->fault))
			return false;
		check_set_written(t->b, dst + i * dst_next, FRACTAL, true);
	}
	/* a byte of two halves is written if both are */
	for (unsigned int r = 0; r < side; r++)
		for (unsigned int c = 0; c < side; c++) {
			unsigned int to = square_at(bits, l0b, r, c), from = square_from(bits, r, c);
			unsigned int bytes = bits == 4 ? 1 : bits / 8;

			if (!check_is_written(t->b, src + from / size * src_next + from % size * bits / 8, bytes, false))
				check_set_written(t->b, dst + to / size * dst_next + to % size * bits / 8, bytes, false);
		}
	return true;
}

bool tile_load2d(struct tile *t)
{
	uint64_t w = t->a->rs3, first = w & 0xffff, count = w >> 16 & 0xffff;
	uint64_t src_step = (w >> 32 & 0xffff) * FRACTAL, dst_step = (w >> 48) * FRACTAL;
	uint64_t from = t->a->rs2 + first * FRACTAL;
	bool gm = tile_window_of(t->a->rs2) == WIN_GM;
	uint8_t *d, *s = NULL, fractal[FRACTAL];
	unsigned int bits;

	if (ANPU_CTL_GET_SUB(t->a->rd) == ANPU_LOAD_SQUARE)
		return load_type(t, CTL_SUB | CTL_COUNT, &bits) && (!count || load_squares(t, bits));
	if (!load_type(t, ANPU_CTL_TRANSPOSE, &bits))
		return false;
	if (!count)
		return true;
	if (count > 1 && !dst_step)
		return tile_fail(t, "%llu fractals with a destination stride of 0",
				 (unsigned long long)count);
	if (!tile_local(t, "dst", t->a->rs1, (count - 1) * dst_step + FRACTAL, FRACTAL,
			WIN_L0A | WIN_L0B, ANPU_ACCESS_WRITE, &d))
		return false;
	if (gm ? !tile_gm_range(t, "src", from, (count - 1) * src_step + FRACTAL) :
	    !tile_local(t, "src", from, (count - 1) * src_step + FRACTAL, BLOCK, WIN_L1,
			ANPU_ACCESS_READ, &s))
		return false;
	if (unlikely(t->b->check) &&
	    !tile_check_load2d(t, from, count, src_step, dst_step, bits))
		return false;
	local_dirty(t->b, t->a->rs1, (count - 1) * dst_step + FRACTAL);
	if (!gm && src_step == FRACTAL && dst_step == FRACTAL && !(t->a->rd & ANPU_CTL_TRANSPOSE)) {
		memcpy(d, s, count * FRACTAL);
		count = 0;
	}
	for (uint64_t i = 0; i < count; i++, d += dst_step) {
		const uint8_t *p = gm ? fractal : s + i * src_step;

		if (gm && !tile_gm_read(t, fractal, from + i * src_step, FRACTAL))
			return false;
		if (t->a->rd & ANPU_CTL_TRANSPOSE)
			transpose_fractal(d, p, bits);
		else
			memcpy(d, p, FRACTAL);
		if (unlikely(t->b->check) && gm && !(t->a->rd & ANPU_CTL_TRANSPOSE))
			check_carry_global(t->b, t->a->rs1 + i * dst_step, from + i * src_step, d, FRACTAL);
	}
	tile_time(t, (w >> 16 & 0xffff) * FRACTAL * (t->a->rd & ANPU_CTL_TRANSPOSE ? 8 : 2));
	return true;
}

/* LOAD3D ------------------------------------------------------------------------------------------- */

/**
 * struct image - an NC1HWC0 image in L1 and the matrix it becomes
 * @wo: results in a row of the image
 * @rows: of the matrix: results
 * @cols: of the matrix, in blocks of c0 elements: channels / c0 x filter
 */
struct image {
	struct anpu_load3d_desc d;
	const uint8_t *p;
	uint64_t wo;
	uint64_t rows;
	uint64_t cols;
};

static bool check_filter(struct tile *t, const struct anpu_load3d_desc *d, unsigned int c0)
{
	if (!d->height || !d->width || !d->channels || d->channels % c0)
		return tile_fail(t, "an image of %u x %u x %u; channels are a multiple of %u", d->height,
				 d->width, d->channels, c0);
	if (!d->kernel_w || !d->kernel_h || !d->stride_w || !d->stride_h || !d->dilation_w ||
	    !d->dilation_h)
		return tile_fail(t, "filter, stride or dilation of 0");
	for (int i = 0; i < 8; i++)
		if (d->reserved[i])
			return tile_fail(t, "a reserved field of the descriptor is not zero");
	return true;
}

static bool find_image(struct tile *t, struct image *im, unsigned int c0)
{
	const struct anpu_load3d_desc *d = &im->d;
	int64_t w = d->width + d->pad[0] + d->pad[1] - ((d->kernel_w - 1) * d->dilation_w + 1);
	int64_t h = d->height + d->pad[2] + d->pad[3] - ((d->kernel_h - 1) * d->dilation_h + 1);
	uint64_t size = (uint64_t)d->height * d->width * d->channels / c0 * BLOCK;
	uint8_t *p;

	if (w < 0 || h < 0)
		return tile_fail(t, "the filter is larger than the padded image");
	im->wo = (uint64_t)w / d->stride_w + 1;
	im->rows = im->wo * ((uint64_t)h / d->stride_h + 1);
	im->cols = (uint64_t)d->channels / c0 * d->kernel_h * d->kernel_w;
	if (d->k_start % c0 || d->k_step % c0 || (d->k_start + d->k_step) / c0 > im->cols)
		return tile_fail(t, "columns %u + %u: multiples of %u, together up to %llu", d->k_start,
				 d->k_step, c0, (unsigned long long)im->cols * c0);
	if (!tile_local(t, "src", t->a->rs2, size, BLOCK, WIN_L1, ANPU_ACCESS_READ, &p))
		return false;
	im->p = p;
	return true;
}

/* the block in row m and column block k of the matrix, NULL: zeros */
static const uint8_t *image_block(const struct image *im, uint64_t m, uint64_t k)
{
	const struct anpu_load3d_desc *d = &im->d;
	uint64_t kw = k % d->kernel_w, kh = k / d->kernel_w % d->kernel_h;
	uint64_t c1 = k / d->kernel_w / d->kernel_h;
	int64_t x = (int64_t)(m % im->wo * d->stride_w + kw * d->dilation_w) - d->pad[0];
	int64_t y = (int64_t)(m / im->wo * d->stride_h + kh * d->dilation_h) - d->pad[2];

	if (m >= im->rows || x < 0 || y < 0 || x >= d->width || y >= d->height)
		return NULL;
	return im->p + ((c1 * d->height + (uint64_t)y) * d->width + (uint64_t)x) * BLOCK;
}

/* Checking mode: a block of channels may be unwritten in part, as LOAD2D's fractals may. */
static bool check_image(struct tile *t, const struct image *im, uint64_t m1, uint64_t k1,
			unsigned int c0)
{
	if (!check_write(t->b, "dst", t->a->rs1, m1 * k1 * FRACTAL, t->fault))
		return false;
	for (uint64_t m = 0; m < im->d.m_step; m++)
		for (uint64_t k = 0; k < k1; k++) {
			const uint8_t *p = image_block(im, im->d.m_start + m, im->d.k_start / c0 + k);
			uint64_t to = t->a->rs1 + ((m / EDGE * k1 + k) * EDGE + m % EDGE) * BLOCK;
			uint64_t va;

			if (!p)
				continue;
			va = t->a->rs2 + (uint64_t)(p - im->p);
			if (!check_is_written(t->b, va, BLOCK, true))
				return check_unwritten(t->b, "src", va, BLOCK, t->fault);
			if (!check_touch_read(t->b, "src", va, BLOCK, t->fault))
				return false;
			check_carry(t->b, to, va, BLOCK);
		}
	return true;
}

bool tile_load3d(struct tile *t)
{
	static const uint8_t zeros[BLOCK];
	unsigned int bytes, c0;
	uint64_t m1, k1, size;
	struct image im;
	uint8_t *d;

	if (!cube_type(t, t->a->rd, 0, &bytes) || !tile_desc(t, t->a->rs3, &im.d))
		return false;
	c0 = BLOCK / bytes;
	if (!check_filter(t, &im.d, c0) || !find_image(t, &im, c0))
		return false;
	m1 = (im.d.m_step + EDGE - 1u) / EDGE;
	k1 = im.d.k_step / c0;
	size = m1 * k1 * FRACTAL;
	if (!size)
		return true;
	if (!tile_local(t, "dst", t->a->rs1, size, FRACTAL, WIN_L0A, ANPU_ACCESS_WRITE, &d))
		return false;
	if (unlikely(t->b->check) && !check_image(t, &im, m1, k1, c0))
		return false;
	local_dirty(t->b, t->a->rs1, size);
	for (uint64_t m = 0; m < m1 * EDGE; m++)
		for (uint64_t k = 0; k < k1; k++) {
			const uint8_t *s = m < im.d.m_step ?
				image_block(&im, im.d.m_start + m, im.d.k_start / c0 + k) : NULL;

			memcpy(d + ((m / EDGE * k1 + k) * EDGE + m % EDGE) * BLOCK, s ? s : zeros,
			       BLOCK);
		}
	tile_time(t, 4 * size);
	return true;
}

/* MMAD --------------------------------------------------------------------------------------------- */

static bool mmad_word(struct tile *t, uint32_t m, uint32_t n, uint32_t k, unsigned int type, uint32_t flags)
{
	const uint32_t known = ANPU_MMAD_INIT | ANPU_MMAD_BIAS | ANPU_MMAD_COLS | ANPU_MMAD_ROW;

	if (unlikely(type >= TILE_TYPES || !t->k->mmad[type]))
		return tile_no_type(t, type);
	if (unlikely(flags & ~known))
		return tile_fail(t, "flags 0x%x do not exist", flags);
	if (unlikely(!m || !n || !k || m > 4095 || n > 4095))
		return tile_fail(t, "m %u, n %u, k %u: m and n are from 1 to 4095, k to 65535", m, n, k);
	if (unlikely(flags & ANPU_MMAD_ROW && m != 1))
		return tile_fail(t, "m is %u; with one row in L0A it is 1", m);
	return true;
}

bool tile_mmad(struct tile *t)
{
	uint64_t w = t->a->rd;
	uint32_t m = w & 0xffff, n = w >> 16 & 0xffff, k = w >> 32 & 0xffff;
	unsigned int type = w >> 48 & 0xff;
	uint32_t flags = w >> 56, c0, k1;
	struct tile_mmad s = { (m + EDGE - 1) / EDGE, (n + EDGE - 1) / EDGE, k, flags & (ANPU_MMAD_INIT | ANPU_MMAD_BIAS),
			       .ahead = &t->b->ahead };
	uint8_t *a, *b, *c, *bias = NULL;
	const void *left, *right;
	uint64_t c_size = (uint64_t)s.m1 * s.n1 * C_FRACTAL;
	tile_mmad_fn fn;

	if (!mmad_word(t, m, n, k, type, flags))
		return false;
	fn = t->k->mmad[type];
	c0 = BLOCK * 8 / tile_type_bits[type];
	k1 = (k + c0 - 1) / c0;
	s.a_down = flags & ANPU_MMAD_COLS ? 1 : k1;
	s.a_right = flags & ANPU_MMAD_COLS ? s.m1 : 1;
	if (!tile_local(t, "dst", t->a->rs1, c_size, C_FRACTAL, WIN_L0C, ANPU_ACCESS_WRITE, &c) ||
	    !tile_local(t, "src0", t->a->rs2, (uint64_t)s.m1 * k1 * (flags & ANPU_MMAD_ROW ? BLOCK : FRACTAL), FRACTAL,
			WIN_L0A, ANPU_ACCESS_READ, &a) ||
	    !tile_local(t, "src1", t->a->rs3, (uint64_t)s.n1 * k1 * FRACTAL, FRACTAL, WIN_L0B,
			ANPU_ACCESS_READ, &b))
		return false;
	if ((s.flags & ANPU_MMAD_BIAS) &&
	    !tile_local(t, "CSR bias", t->b->csr.bias, s.n1 * EDGE * 4, BLOCK, WIN_BT,
			ANPU_ACCESS_READ, &bias))
		return false;
	if (unlikely(t->b->check) && !tile_check_mmad(t, m, n, k, type, flags))
		return false;
	local_dirty(t->b, t->a->rs1, c_size);
	left = flags & ANPU_MMAD_ROW ? l0_row(t, t->a->rs2, k1, type) : l0_wide(t, t->a->rs2, (uint64_t)s.m1 * k1, type);
	right = l0_wide(t, t->a->rs3, (uint64_t)s.n1 * k1, type);
	if (unlikely(t->b->watch) && tile_is_float(type))
		tile_mmad_watch(t, &(struct tile_watch_mmad){ a, b, bias, c, m, n, k, type, !s.flags, flags & ANPU_MMAD_ROW },
				fn, left, right, &s);
	else
		fn(c, left, right, bias, &s);
	/* about 16 multiplications take as long as copying 8 bytes */
	tile_time(t, (uint64_t)s.m1 * s.n1 * EDGE * EDGE * k / 2);
	return true;
}
