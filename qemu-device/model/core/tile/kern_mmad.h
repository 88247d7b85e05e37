/* SPDX-License-Identifier: MIT */
/*
 * Kernels of the cube unit. Part of kern.h.
 *
 * A result element is a chain of fused multiply-adds over ascending k, whatever the order in which
 * elements are worked on. A product of two fp16 numbers is exact in fp32, so that there a
 * multiplication and an addition do the same.
 */

#define FRACTAL		512	/* bytes of a fractal of L0A and L0B */
#define EDGE		16	/* rows of a fractal of L0A, columns of one of L0B and L0C */
#define SLAB		64	/* k of 16-bit types that is worked on at once */
#define SLAB_S8		32	/* the same of s8 */
#define TILE_F		(EDGE * EDGE)
#define VECS		(EDGE / LANES)

/* k of a fractal */
#define C0_f32		8
#define C0_f16		16
#define C0_bf16		16
#define C0_s8		32

#if TILE_AVX2
#define step_f16		vfma
#else
FN vf step_f16(vf a, vf b, vf c)
{
	return c + a * b;
}
#endif
#define step_bf16	vfma
#define step_f32	vfma

#define STEP(ty, rows) \
{ \
	vf y[VECS]; \
	_Pragma("GCC unroll 4") \
	for (int v = 0; v < VECS; v++) \
		y[v] = load_##ty(b + (k * EDGE + v * LANES) * SIZE_##ty); \
	_Pragma("GCC unroll 8") \
	for (int r = 0; r < rows; r++) { \
		vf x = splat(a[r * C0_##ty + k]); \
		_Pragma("GCC unroll 4") \
		for (int v = 0; v < VECS; v++) \
			acc[r][v] = step_##ty(x, y[v], acc[r][v]); \
	} \
}

/* c[rows][16] += a b over depth; a are fractals in fp32, b as they are, step bytes apart */
#define MICRO(ty, rows) \
static inline __attribute__((always_inline)) void micro_##ty##_##rows(float *c, const float *a, \
				const uint8_t *b, size_t step, uint32_t depth) \
{ \
	vf acc[rows][VECS]; \
	_Pragma("GCC unroll 8") \
	for (int r = 0; r < rows; r++) \
		_Pragma("GCC unroll 4") \
		for (int v = 0; v < VECS; v++) \
			acc[r][v] = load_f32(c + r * EDGE + v * LANES); \
	for (; depth >= C0_##ty; depth -= C0_##ty, a += EDGE * C0_##ty, b += step) \
		_Pragma("GCC unroll 4") \
		for (int k = 0; k < C0_##ty; k++) \
			STEP(ty, rows) \
	for (int k = 0; k < (int)depth; k++) \
		STEP(ty, rows) \
	_Pragma("GCC unroll 8") \
	for (int r = 0; r < rows; r++) \
		_Pragma("GCC unroll 4") \
		for (int v = 0; v < VECS; v++) \
			store_f32(c + r * EDGE + v * LANES, acc[r][v]); \
}

#if TILE_AVX2
/* as many rows as fit into the registers with their operands */
#define TILE_ROWS(ty) \
MICRO(ty, 6) MICRO(ty, 5) \
static void tile_##ty(float *c, const float *a, const uint8_t *b, size_t step, uint32_t depth) \
{ \
	micro_##ty##_6(c, a, b, step, depth); \
	micro_##ty##_5(c + 6 * EDGE, a + 6 * C0_##ty, b, step, depth); \
	micro_##ty##_5(c + 11 * EDGE, a + 11 * C0_##ty, b, step, depth); \
}
#else
#define TILE_ROWS(ty) \
MICRO(ty, 2) \
static void tile_##ty(float *c, const float *a, const uint8_t *b, size_t step, uint32_t depth) \
{ \
	for (int r = 0; r < EDGE; r += 2) \
		micro_##ty##_2(c + r * EDGE, a + r * C0_##ty, b, step, depth); \
}
#endif
TILE_ROWS(f32)
TILE_ROWS(f16)
TILE_ROWS(bf16)

#define MIN_OF(a, b)	((a) < (b) ? (a) : (b))

static void init_tile(float *c, const float *bias, unsigned int flags)
{
	for (int r = 0; r < EDGE; r++)
		for (int j = 0; j < EDGE; j++)
			c[r * EDGE + j] = flags & ANPU_MMAD_BIAS ? bias[j] : 0;
}

static void mmad_f32(void *cp, const void *ap, const void *bp, const void *bias,
		     const struct tile_mmad *s)
{
	size_t k1 = (s->k + C0_f32 - 1) / C0_f32;

	for (uint32_t n = 0; n < s->n1; n++)
		for (uint32_t m = 0; m < s->m1; m++) {
			float *c = (float *)cp + ((size_t)n * s->m1 + m) * TILE_F;

			if (s->flags)
				init_tile(c, (const float *)bias + n * EDGE, s->flags);
			tile_f32(c, (const float *)ap + m * k1 * (FRACTAL / 4),
				 (const uint8_t *)bp + n * FRACTAL, (size_t)s->n1 * FRACTAL, s->k);
		}
}

/* 16-bit types: a row of a's fractals to fp32, a slab at a time, then against all of b */
#define MMAD_16(ty) \
static void mmad_##ty(void *cp, const void *ap, const void *bp, const void *bias, \
		      const struct tile_mmad *s) \
{ \
	_Alignas(32) float a[EDGE * SLAB]; \
	size_t k1 = (s->k + C0_##ty - 1) / C0_##ty, step = (size_t)s->n1 * FRACTAL; \
	for (uint32_t m = 0; m < s->m1; m++) \
		for (uint32_t k = 0; k < s->k; k += SLAB) { \
			uint32_t depth = MIN_OF(s->k - k, SLAB); \
			size_t kf = k / C0_##ty; \
			const uint8_t *p = (const uint8_t *)ap + (m * k1 + kf) * FRACTAL; \
			for (uint32_t i = 0; i < (depth + C0_##ty - 1) / C0_##ty * TILE_F; i += LANES) \
				put_f32(a + i, load_##ty(p + i * SIZE_##ty)); \
			for (uint32_t n = 0; n < s->n1; n++) { \
				float *c = (float *)cp + ((size_t)n * s->m1 + m) * TILE_F; \
				if (!k && s->flags) \
					init_tile(c, (const float *)bias + n * EDGE, s->flags); \
				tile_##ty(c, a, (const uint8_t *)bp + kf * step + n * FRACTAL, step, depth); \
			} \
		} \
}
MMAD_16(f16)
MMAD_16(bf16)

/* s8 in pairs of k, as the hosts' multiply-add of 16-bit pairs wants them */
static void unpack_a_s8(int16_t *a, const int8_t *p, int depth)
{
	for (int k = 0; k < depth; k += C0_s8, p += FRACTAL)
		for (int r = 0; r < EDGE; r++)
			for (int j = 0; j < C0_s8; j++)
				a[r * SLAB_S8 + k + j] = p[r * C0_s8 + j];
}

static void unpack_b_s8(int16_t *b, const int8_t *p, size_t step, int depth)
{
	for (int k = 0; k < depth; k += C0_s8, p += step)
		for (int j = 0; j < C0_s8; j += 2)
			for (int n = 0; n < EDGE; n++) {
				int16_t *to = b + (k + j) * EDGE + 2 * n;

				to[0] = p[j * EDGE + n];
				to[1] = p[(j + 1) * EDGE + n];
			}
}

static void tile_s8(int32_t *c, const int16_t *a, const int16_t *b, int pairs)
{
	for (int r = 0; r < EDGE; r++) {
		int32_t *to = c + r * EDGE;
#if TILE_AVX2
		__m256i x0 = _mm256_loadu_si256((const __m256i *)(const void *)to);
		__m256i x1 = _mm256_loadu_si256((const __m256i *)(const void *)(to + 8));

		for (int k = 0; k < pairs; k++) {
			const int16_t *y = b + k * 2 * EDGE;
			int32_t pair;
			__m256i x;

			memcpy(&pair, a + r * SLAB_S8 + 2 * k, 4);
			x = _mm256_set1_epi32(pair);
			x0 = _mm256_add_epi32(x0, _mm256_madd_epi16(x,
				_mm256_loadu_si256((const __m256i *)(const void *)y)));
			x1 = _mm256_add_epi32(x1, _mm256_madd_epi16(x,
				_mm256_loadu_si256((const __m256i *)(const void *)(y + EDGE))));
		}
		_mm256_storeu_si256((__m256i *)(void *)to, x0);
		_mm256_storeu_si256((__m256i *)(void *)(to + 8), x1);
#else
		for (int k = 0; k < pairs; k++) {
			const int16_t *x = a + r * SLAB_S8 + 2 * k, *y = b + k * 2 * EDGE;

			for (int n = 0; n < EDGE; n++)
				to[n] = (int32_t)((uint32_t)to[n] +
						  (uint32_t)(x[0] * y[2 * n] + x[1] * y[2 * n + 1]));
		}
#endif
	}
}

static void mmad_s8(void *cp, const void *ap, const void *bp, const void *bias,
		    const struct tile_mmad *s)
{
	_Alignas(32) int16_t a[EDGE * SLAB_S8], b[SLAB_S8 * EDGE];
	size_t k1 = (s->k + C0_s8 - 1) / C0_s8;

	for (uint32_t n = 0; n < s->n1; n++)
		for (uint32_t k = 0; k < s->k; k += SLAB_S8) {
			int depth = (int)MIN_OF(s->k - k, SLAB_S8);
			size_t kf = k / C0_s8;

			unpack_b_s8(b, (const int8_t *)bp + (kf * s->n1 + n) * FRACTAL,
				    (size_t)s->n1 * FRACTAL, depth);
			/* an odd depth: what stands behind it counts nothing */
			for (int j = 0; depth % 2 && j < EDGE; j++)
				b[(depth - 1) * EDGE + 2 * j + 1] = 0;
			for (uint32_t m = 0; m < s->m1; m++) {
				int32_t *c = (int32_t *)cp + ((size_t)n * s->m1 + m) * TILE_F;

				for (int i = 0; !k && s->flags && i < TILE_F; i++)
					c[i] = s->flags & ANPU_MMAD_BIAS ?
					       ((const int32_t *)bias)[n * EDGE + i % EDGE] : 0;
				unpack_a_s8(a, (const int8_t *)ap + (m * k1 + kf) * FRACTAL, depth);
				tile_s8(c, a, b, (depth + 1) / 2);
			}
		}
}
