/* SPDX-License-Identifier: MIT */
/*
 * Kernels of the cube unit. Part of kern.h.
 *
 * A result element is a chain of fused multiply-adds over ascending k, whatever the order in which
 * elements are worked on. A product of two fp16 numbers is exact in fp32, so that there a
 * multiplication and an addition do the same.
 *
 * Factors come as l0.c keeps them: fp32, or for s8 numbers of 16 bits. A block of results stays in
 * registers over the whole depth. Each vector of b meets broadcast elements of a: of 16 rows, or
 * where there are two fractals of columns, of 8 rows with both, which takes fewer loads.
 */

#define EDGE		16	/* rows of a fractal of L0A, columns of one of L0B and L0C */
#define TILE_F		(EDGE * EDGE)

/* k of a fractal */
#define C0_f32		8
#define C0_f16		16
#define C0_s8		32
#define C0_s4		64

/**
 * struct strip - a fractal of results, and what is multiplied for it
 * @c: the results
 * @c_next: numbers from there to the next fractal of columns
 * @a: 16 rows, their fractals of k a_step numbers apart
 * @b: its fractals of k, b_step numbers apart
 * @bias: row to start from, NULL: start from 0 if init is set, or from c
 */
struct strip {
	float *c;
	size_t c_next;
	const float *a;
	size_t a_step;
	const float *b;
	size_t b_step;
	uint32_t depth;
	const float *bias;
	bool init;
};

#if TILE_AVX512
/* a vector is a row of a fractal; the second one is in the next fractal */
#define C_AT(v)		((size_t)(v) * s->c_next)
#define B_AT(v, c0)	((size_t)(v) * (c0) * EDGE)
#define BIAS_AT(v)	((size_t)(v) * EDGE)
#else
/* vectors are parts of a row */
#define C_AT(v)		((size_t)(v) * LANES)
#define B_AT(v, c0)	((size_t)(v) * LANES)
#define BIAS_AT(v)	((size_t)(v) * LANES)
#endif

#if TILE_AVX2 || TILE_AVX512
#define step_f16	vfma
#else
FN vf step_f16(vf a, vf b, vf c)
{
	return c + a * b;
}
#endif
#define step_f32	vfma

#define STEP(ty, rows, vecs) \
{ \
	vf y[vecs]; \
	_Pragma("GCC unroll 4") \
	for (int v = 0; v < vecs; v++) \
		y[v] = load_f32(b + B_AT(v, C0_##ty) + k * EDGE); \
	_Pragma("GCC unroll 16") \
	for (int r = 0; r < rows; r++) { \
		vf x = splat(a[r * C0_##ty + k]); \
		_Pragma("GCC unroll 4") \
		for (int v = 0; v < vecs; v++) \
			acc[r][v] = step_##ty(x, y[v], acc[r][v]); \
	} \
}

/* rows of a strip from row first on */
#define MICRO(name, ty, rows, vecs) \
static inline __attribute__((always_inline)) void micro_##name(const struct strip *s, int first) \
{ \
	float *c = s->c + first * EDGE; \
	const float *a = s->a + first * C0_##ty, *b = s->b; \
	uint32_t depth = s->depth; \
	vf acc[rows][vecs]; \
	if (s->bias || s->init) { \
		_Pragma("GCC unroll 4") \
		for (int v = 0; v < vecs; v++) { \
			vf x = s->bias ? load_f32(s->bias + BIAS_AT(v)) : splat(0); \
			_Pragma("GCC unroll 16") \
			for (int r = 0; r < rows; r++) \
				acc[r][v] = x; \
		} \
	} else { \
		_Pragma("GCC unroll 16") \
		for (int r = 0; r < rows; r++) \
			_Pragma("GCC unroll 4") \
			for (int v = 0; v < vecs; v++) \
				acc[r][v] = load_f32(c + r * EDGE + C_AT(v)); \
	} \
	for (; depth >= C0_##ty; depth -= C0_##ty, a += s->a_step, b += s->b_step) \
		_Pragma("GCC unroll 4") \
		for (int k = 0; k < C0_##ty; k++) \
			STEP(ty, rows, vecs) \
	for (int k = 0; k < (int)depth; k++) \
		STEP(ty, rows, vecs) \
	_Pragma("GCC unroll 16") \
	for (int r = 0; r < rows; r++) \
		_Pragma("GCC unroll 4") \
		for (int v = 0; v < vecs; v++) \
			store_f32(c + r * EDGE + C_AT(v), acc[r][v]); \
}

#if TILE_AVX512
#define FRACTALS(ty) \
MICRO(ty, ty, 16, 1) MICRO(ty##_two, ty, 8, 2) \
static void one_##ty(const struct strip *s) \
{ \
	micro_##ty(s, 0); \
} \
static void two_##ty(const struct strip *s) \
{ \
	micro_##ty##_two(s, 0); \
	micro_##ty##_two(s, 8); \
}
#define AT_ONCE		2
#elif TILE_AVX2
/* the number of rows that fit into the registers together with their operands */
#define FRACTALS(ty) \
MICRO(ty##_6, ty, 6, 2) MICRO(ty##_5, ty, 5, 2) \
static void one_##ty(const struct strip *s) \
{ \
	micro_##ty##_6(s, 0); \
	micro_##ty##_5(s, 6); \
	micro_##ty##_5(s, 11); \
}
#define AT_ONCE		1
#else
#define FRACTALS(ty) \
MICRO(ty, ty, 2, 4) \
static void one_##ty(const struct strip *s) \
{ \
	for (int r = 0; r < EDGE; r += 2) \
		micro_##ty(s, r); \
}
#define AT_ONCE		1
#endif
FRACTALS(f32)
FRACTALS(f16)
#if AT_ONCE == 1
#define two_f32		one_f32
#define two_f16		one_f16
#endif

/* Lines that are fetched ahead for each fractal of results: enough for the operands of 128 x 256 of them */
static inline unsigned int lines_ahead(uint32_t k)
{
	return k / 4 < 16 ? k / 4 : 16;
}

#define MMAD(ty) \
static void mmad_##ty(void *cp, const void *ap, const void *bp, const void *bias, \
		      const struct tile_mmad *shape) \
{ \
	struct strip s = { .a_step = (size_t)shape->a_right * EDGE * C0_##ty, \
			   .c_next = (size_t)shape->m1 * TILE_F, .depth = shape->k, \
			   .b_step = (size_t)shape->n1 * EDGE * C0_##ty, \
			   .init = shape->flags & ANPU_MMAD_INIT }; \
	unsigned int lines = lines_ahead(shape->k); \
	for (uint32_t n = 0, at_once; n < shape->n1; n += at_once) { \
		at_once = shape->n1 - n >= AT_ONCE ? AT_ONCE : 1; \
		s.b = (const float *)bp + (size_t)n * EDGE * C0_##ty; \
		s.bias = shape->flags & ANPU_MMAD_BIAS ? (const float *)bias + n * EDGE : NULL; \
		for (uint32_t m = 0; m < shape->m1; m++) { \
			s.c = (float *)cp + n * s.c_next + (size_t)m * TILE_F; \
			s.a = (const float *)ap + (size_t)m * shape->a_down * EDGE * C0_##ty; \
			ahead_fetch(shape->ahead, lines); \
			if (at_once == 1) \
				one_##ty(&s); \
			else \
				two_##ty(&s); \
		} \
	} \
}
MMAD(f32)
MMAD(f16)

/* bf16: the same as fp16 on hosts where that takes fused multiply-adds, too */
#if TILE_AVX2 || TILE_AVX512
#define mmad_bf16	mmad_f16
#else
#define C0_bf16		C0_f16
#define step_bf16	vfma
FRACTALS(bf16)
#define two_bf16	one_bf16
MMAD(bf16)
#endif

/* s8 in pairs of k, for the hosts' multiply-add of 16-bit pairs ---------------------------------- */

#if TILE_AVX512
#define ROWS_S8		16
#define VECS_S8		1
typedef __m512i vpair;
#define madd_s8(x, y, c) _mm512_add_epi32(c, _mm512_madd_epi16(x, y))
#define splat_s8(x)	_mm512_set1_epi32(x)
#elif TILE_AVX2
#define ROWS_S8		4
#define VECS_S8		2
typedef __m256i vpair;
#define madd_s8(x, y, c) _mm256_add_epi32(c, _mm256_madd_epi16(x, y))
#define splat_s8(x)	_mm256_set1_epi32(x)
#else
#define ROWS_S8		1
#define VECS_S8		4
typedef vi vpair;
#define splat_s8(x)	isplat(x)
/* the low and the high half of each lane */
FN vi madd_s8(vi x, vi y, vi c)
{
	return c + (x << 16 >> 16) * (y << 16 >> 16) + (x >> 16) * (y >> 16);
}
#endif
#define LANES_S8	(EDGE / VECS_S8)

#define STEP_S8(mask) \
{ \
	vpair y[VECS_S8]; \
	_Pragma("GCC unroll 4") \
	for (int v = 0; v < VECS_S8; v++) \
		memcpy(&y[v], b + k * 2 * EDGE + v * 2 * LANES_S8, sizeof(y[v])); \
	_Pragma("GCC unroll 16") \
	for (int r = 0; r < ROWS_S8; r++) { \
		int32_t pair; \
		vpair x; \
		memcpy(&pair, a + r * C0_s8 + k * 2, 4); \
		x = splat_s8(pair & (mask)); \
		_Pragma("GCC unroll 4") \
		for (int v = 0; v < VECS_S8; v++) \
			acc[r][v] = madd_s8(x, y[v], acc[r][v]); \
	} \
}

static void rows_s8(int32_t *c, const int16_t *a, size_t a_step, const int16_t *b, size_t b_step, uint32_t depth)
{
	vpair acc[ROWS_S8][VECS_S8];

	_Pragma("GCC unroll 16")
	for (int r = 0; r < ROWS_S8; r++)
		_Pragma("GCC unroll 4")
		for (int v = 0; v < VECS_S8; v++)
			memcpy(&acc[r][v], c + r * EDGE + v * LANES_S8, sizeof(acc[r][v]));
	for (; depth >= C0_s8; depth -= C0_s8, a += a_step, b += b_step)
		_Pragma("GCC unroll 2")
		for (int k = 0; k < C0_s8 / 2; k++)
			STEP_S8(-1)
	for (int k = 0; k < (int)depth / 2; k++)
		STEP_S8(-1)
	/* an odd depth: the number behind the last one is multiplied by zero */
	if (depth % 2) {
		int k = (int)depth / 2;

		STEP_S8(0xffff)
	}
	_Pragma("GCC unroll 16")
	for (int r = 0; r < ROWS_S8; r++)
		_Pragma("GCC unroll 4")
		for (int v = 0; v < VECS_S8; v++)
			memcpy(c + r * EDGE + v * LANES_S8, &acc[r][v], sizeof(acc[r][v]));
}

/* Sets a fractal of sums in column @n of fractals to the bias or to zeros, if it does not start from itself; @bias is NULL without one */
static void start_s32(int32_t *c, const int32_t *bias, uint32_t n, const struct tile_mmad *s)
{
	for (int i = 0; s->flags && i < TILE_F; i++)
		c[i] = s->flags & ANPU_MMAD_BIAS ? bias[n * EDGE + i % EDGE] : 0;
}

static void mmad_s8(void *cp, const void *ap, const void *bp, const void *bias,
		    const struct tile_mmad *s)
{
	for (uint32_t n = 0; n < s->n1; n++)
		for (uint32_t m = 0; m < s->m1; m++) {
			int32_t *c = (int32_t *)cp + ((size_t)n * s->m1 + m) * TILE_F;
			const int16_t *a = (const int16_t *)ap + (size_t)m * s->a_down * EDGE * C0_s8;
			const int16_t *b = (const int16_t *)bp + (size_t)n * EDGE * C0_s8;

			ahead_fetch(s->ahead, lines_ahead(s->k / 2));
			start_s32(c, (const int32_t *)bias, n, s);
			for (int r = 0; r < EDGE; r += ROWS_S8)
				rows_s8(c + r * EDGE, a + r * C0_s8, (size_t)s->a_right * EDGE * C0_s8, b,
					(size_t)s->n1 * EDGE * C0_s8, s->k);
		}
}

/* s4 as it is in L0A and L0B: there is no room for a wide form, and few multiply such numbers ------ */

FN int32_t half_byte(const uint8_t *p, uint32_t i)
{
	return (int8_t)(p[i / 2] << (i % 2 ? 0 : 4)) >> 4;
}

static void strip_s4(int32_t *c, const uint8_t *a, const uint8_t *b, const struct tile_mmad *s)
{
	const size_t fractal = EDGE * C0_s4 / 2;
	int32_t row[EDGE];

	for (uint32_t p = 0; p < s->k; p++) {
		const uint8_t *left = a + p / C0_s4 * s->a_right * fractal;
		const uint8_t *right = b + p / C0_s4 * s->n1 * fractal + p % C0_s4 * (EDGE / 2);

		for (uint32_t j = 0; j < EDGE; j++)
			row[j] = half_byte(right, j);
		for (uint32_t i = 0; i < EDGE; i++) {
			int32_t x = half_byte(left + i * (C0_s4 / 2), p % C0_s4);

			INDEPENDENT
			for (int j = 0; j < EDGE; j++)
				c[i * EDGE + (uint32_t)j] = (int32_t)((uint32_t)c[i * EDGE + (uint32_t)j] + (uint32_t)(x * row[j]));
		}
	}
}

static void mmad_s4(void *cp, const void *ap, const void *bp, const void *bias, const struct tile_mmad *s)
{
	const size_t fractal = EDGE * C0_s4 / 2;

	for (uint32_t n = 0; n < s->n1; n++)
		for (uint32_t m = 0; m < s->m1; m++) {
			int32_t *c = (int32_t *)cp + ((size_t)n * s->m1 + m) * TILE_F;

			start_s32(c, (const int32_t *)bias, n, s);
			strip_s4(c, (const uint8_t *)ap + (size_t)m * s->a_down * fractal, (const uint8_t *)bp + n * fractal, s);
		}
}

/* Fractals as the kernels above take them --------------------------------------------------------- */

#define WIDEN(ty) \
static void l0_##ty(void *d, const void *s) \
{ \
	for (int i = 0; i < TILE_F; i += LANES) \
		put_f32((float *)d + i, load_##ty((const uint8_t *)s + i * SIZE_##ty)); \
}
WIDEN(f16)
WIDEN(bf16)

static void l0a_s8(void *dp, const void *sp)
{
	const int8_t *s = sp;
	int16_t *d = dp;

	INDEPENDENT
	for (int i = 0; i < EDGE * C0_s8; i++)
		d[i] = s[i];
}

/* pairs of k behind each other */
static void l0b_s8(void *dp, const void *sp)
{
	const int8_t *s = sp;
	int16_t *d = dp;

	for (int k = 0; k < C0_s8; k += 2, s += 2 * EDGE, d += 2 * EDGE) {
		INDEPENDENT
		for (int n = 0; n < EDGE; n++) {
			d[2 * n] = s[n];
			d[2 * n + 1] = s[EDGE + n];
		}
	}
}
