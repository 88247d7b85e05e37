/* SPDX-License-Identifier: MIT */
/*
 * Kernels that convert types. Part of kern.h.
 *
 * Conversions with a floating-point side go through fp32 lanes; a source that fp32 cannot
 * hold is rounded to odd first, which keeps what a second rounding to fp16 or bf16 needs to know.
 */

/* Rounding --------------------------------------------------------------------------------------- */

/**
 * struct rounding - a rounding mode as masks, so that loops need no branches
 * @up_pos: a magnitude's fraction above it rounds up, for positive numbers
 * @up_neg: the same for negative numbers
 * @tie_any: a fraction of one half rounds up
 * @tie_odd: a fraction of one half rounds up if the integral part is odd
 * @not_odd: nothing rounds up if the integral part is odd
 */
struct rounding {
	vf up_pos;
	vf up_neg;
	vi tie_any;
	vi tie_odd;
	vi not_odd;
};

#define NEVER	2.0f

static struct rounding rounding_of(unsigned int mode)
{
	bool near = mode == ANPU_ROUND_RINT || mode == ANPU_ROUND_ROUND;
	bool odd = mode == ANPU_ROUND_ODD;
	struct rounding r;

	r.up_pos = splat(near ? 0.5f : odd || mode == ANPU_ROUND_CEIL ? 0 : NEVER);
	r.up_neg = splat(near ? 0.5f : odd || mode == ANPU_ROUND_FLOOR ? 0 : NEVER);
	r.tie_any = isplat(mode == ANPU_ROUND_ROUND ? -1 : 0);
	r.tie_odd = isplat(mode == ANPU_ROUND_RINT ? -1 : 0);
	r.not_odd = isplat(odd ? -1 : 0);
	return r;
}

/* |x| below 2^23 to an integral magnitude; neg is the sign of the number it stands for */
FN vf round_small(vf m, vi neg, const struct rounding *r)
{
	vi whole = to_int(m);
	vf t = to_float(whole);
	vf frac = m - t;
	vi odd = -(whole & 1);
	vi up = (frac > sel(neg, r->up_neg, r->up_pos)) & ~(r->not_odd & odd);

	up |= (frac == splat(0.5f)) & (r->tie_any | (r->tie_odd & odd));
	return t + (vf)((vi)splat(1) & up);
}

/* to an integral value; infinities and NaN stay */
FN vf round_int(vf x, const struct rounding *r)
{
	vi sign = (vi)x & isplat(INT32_MIN);
	vf m = absf(x);
	vi small = m < splat(0x1p23f);
	vf y = round_small(sel(small, m, splat(0)), (vi)x >> 31, r);

	return sel(small, (vf)((vi)y | sign), x);
}

/* to an fp16 value in fp32 form */
FN vf round_f16(vf x, const struct rounding *r)
{
	vi sign = (vi)x & isplat(INT32_MIN);
	vi neg = (vi)x >> 31;
	vf m = absf(x);
	vi finite = m < (vf)isplat(0x7f800000);
	vi small = m < splat(65536);
	vi e = (vi)m & isplat(0x7f800000);
	vi floor = isplat((127 - 14) << 23);
	vi unit, inf;
	vf y, top;

	/* the unit in the last place, a power of two, and its inverse scale exactly */
	e = isel(e > floor, e, floor);
	unit = e - isplat(10 << 23);
	y = round_small(sel(small, m * (vf)(isplat(254 << 23) - unit), splat(0)), neg, r);
	y = y * (vf)unit;
	/* above all fp16 numbers: infinity, or the greatest one if the mode does not round up */
	inf = (r->tie_any | r->tie_odd) | (~r->not_odd & (sel(neg, r->up_neg, r->up_pos) == splat(0)));
	top = sel(inf, (vf)isplat(0x7f800000), splat(65504));
	y = sel(small, y, top);
	return sel(finite, (vf)((vi)y | sign), x);
}

/* to a bf16 value in fp32 form */
FN vf round_bf16(vf x, const struct rounding *r)
{
	vi neg = (vi)x >> 31;
	vi low = (vi)x & isplat(0xffff);
	vi odd = -(((vi)x >> 16) & 1);
	vf frac = to_float(low) * splat(0x1p-16f);
	vi up = (frac > sel(neg, r->up_neg, r->up_pos)) & ~(r->not_odd & odd);
	vi y;

	up |= (frac == splat(0.5f)) & (r->tie_any | (r->tie_odd & odd));
	y = ((vi)x & isplat((int32_t)0xffff0000)) + (up & isplat(0x10000));
	return sel(is_nan(x), x, (vf)y);
}

FN vf round_f32(vf x, const struct rounding *r)
{
	(void)r;
	return x;
}

/* neg ? -mag : mag in fp32 */
static __attribute__((noinline)) float wide_to_f32(uint64_t mag, bool neg, unsigned int mode)
{
	unsigned int drop;
	uint64_t keep, rest, half;
	bool up;

	if (mag < 1u << 24)
		return neg ? -(float)mag : (float)mag;
	drop = 64 - 24 - (unsigned int)__builtin_clzll(mag);
	if (!drop)
		return neg ? -(float)mag : (float)mag;
	keep = mag >> drop;
	rest = mag & ((1ULL << drop) - 1);
	half = 1ULL << (drop - 1);
	switch (mode) {
	case ANPU_ROUND_FLOOR: up = neg && rest; break;
	case ANPU_ROUND_CEIL: up = !neg && rest; break;
	case ANPU_ROUND_ROUND: up = rest >= half; break;
	case ANPU_ROUND_TRUNC: up = false; break;
	case ANPU_ROUND_ODD: up = rest && !(keep & 1); break;
	default: up = rest > half || (rest == half && (keep & 1)); break;
	}
	/* 25 bits at most, and then the last one is zero: exact */
	return (float)(keep + up) * (float)(1ULL << drop) * (neg ? -1 : 1);
}

/* Lanes from and to any type --------------------------------------------------------------------- */

#define SIZE_s8		1
#define SIZE_u8		1
#define SIZE_s16	2
#define SIZE_u16	2
#define SIZE_s32	4
#define SIZE_u32	4
#define SIZE_s64	8
#define SIZE_u64	8


#define LOAD_SMALL(ty, v) \
FN vf load_##ty(const void *p) \
{ \
	v x; \
	memcpy(&x, p, sizeof(x)); \
	return to_float(__builtin_convertvector(x, vi)); \
}
LOAD_SMALL(s8, vs8)
LOAD_SMALL(u8, vu8)
LOAD_SMALL(s16, vs16)
LOAD_SMALL(u16, vh)

/* types that fp32 cannot hold: rounded by mode */
#define LOAD_WIDE(ty, c, neg) \
FN vf wide_##ty(const void *p, unsigned int mode) \
{ \
	c x[LANES]; \
	vf r; \
	memcpy(x, p, sizeof(x)); \
	for (int i = 0; i < LANES; i++) \
		r[i] = wide_to_f32((neg) ? 0 - (uint64_t)x[i] : (uint64_t)x[i], neg, mode); \
	return r; \
}
LOAD_WIDE(u32, uint32_t, false)
LOAD_WIDE(s64, int64_t, x[i] < 0)
LOAD_WIDE(u64, uint64_t, false)

FN vf wide_s32(const void *p, unsigned int mode)
{
	vi x;
	vf r;

	memcpy(&x, p, sizeof(x));
	if (mode == ANPU_ROUND_RINT)
		return to_float(x);
	for (int i = 0; i < LANES; i++)
		r[i] = wide_to_f32(x[i] < 0 ? 0u - (uint32_t)x[i] : (uint32_t)x[i], x[i] < 0, mode);
	return r;
}

/* an integral value into an integer type, clamped; NaN is 0 */
#define STORE_SMALL(ty, v, lo, hi) \
FN void clamp_##ty(void *p, vf x) \
{ \
	vf y = (vf)((vi)x & ~is_nan(x)); \
	v r; \
	y = sel(y > splat(hi), splat(hi), y); \
	y = sel(y < splat(lo), splat(lo), y); \
	r = __builtin_convertvector(to_int(y), v); \
	memcpy(p, &r, sizeof(r)); \
}
STORE_SMALL(s8, vs8, -128, 127)
STORE_SMALL(u8, vu8, 0, 255)
STORE_SMALL(s16, vs16, -32768, 32767)
STORE_SMALL(u16, vh, 0, 65535)

FN void clamp_s32(void *p, vf x)
{
	vf y = (vf)((vi)x & ~is_nan(x));
	vi big = y >= splat(0x1p31f);
	vi r;

	y = sel(big, splat(0), y);
	y = sel(y < splat(-0x1p31f), splat(-0x1p31f), y);
	r = isel(big, isplat(INT32_MAX), to_int(y));
	memcpy(p, &r, sizeof(r));
}

#define STORE_WIDE(ty, c, lo, hi, min, max) \
FN void clamp_##ty(void *p, vf x) \
{ \
	c r[LANES]; \
	for (int i = 0; i < LANES; i++) \
		r[i] = x[i] >= (hi) ? (max) : x[i] <= (lo) ? (min) : \
			x[i] != x[i] ? 0 : (c)x[i]; \
	memcpy(p, r, sizeof(r)); \
}
STORE_WIDE(u32, uint32_t, 0.0f, 0x1p32f, 0, UINT32_MAX)
STORE_WIDE(s64, int64_t, -0x1p63f, 0x1p63f, INT64_MIN, INT64_MAX)
STORE_WIDE(u64, uint64_t, 0.0f, 0x1p64f, 0, UINT64_MAX)

/* Loops ------------------------------------------------------------------------------------------ */

#define CVT_STEP(to, from, expr, store) \
	for (; n >= LANES; n -= LANES) { \
		const void *s = p; \
		store(d, expr); \
		d += LANES * SIZE_##to; \
		p += LANES * SIZE_##from; \
	} \
	if (n) { \
		uint8_t s[8 * LANES] = { 0 }; \
		memcpy(s, p, n * SIZE_##from); \
		store(s, expr); \
		memcpy(d, s, n * SIZE_##to); \
	}

#define CVT_FN(to, from, body) \
static void cvt_##to##_##from(void *dp, const void *ap, size_t n, unsigned int round) \
{ \
	uint8_t *d = dp; \
	const uint8_t *p = ap; \
	struct rounding r = rounding_of(round); \
	(void)r; \
	body \
}

#define IS_NEAR(round)	((round) == ANPU_ROUND_RINT || (round) == ANPU_ROUND_NONE)
#define WIDE_MODE(round) ((round) == ANPU_ROUND_NONE ? ANPU_ROUND_RINT : (round))

/* fp32 can hold every source value */
#define TO_FLOAT(to, from) \
CVT_FN(to, from, \
	if (IS_NEAR(round)) { \
		CVT_STEP(to, from, load_##from(s), store_##to) \
	} else { \
		CVT_STEP(to, from, round_##to(load_##from(s), &r), store_##to) \
	})
#define TO_FLOAT_WIDE(to, from) \
CVT_FN(to, from, \
	if (IS_NEAR(round)) \
		r = rounding_of(ANPU_ROUND_RINT); \
	CVT_STEP(to, from, round_##to(wide_##from(s, ANPU_ROUND_ODD), &r), store_##to))
#define TO_F32_WIDE(from) \
CVT_FN(f32, from, \
	if (IS_NEAR(round)) { \
		CVT_STEP(f32, from, wide_##from(s, ANPU_ROUND_RINT), put_f32) \
	} else { \
		CVT_STEP(f32, from, wide_##from(s, round), put_f32) \
	})
/* the two common modes have instructions on some hosts; the others go the general way */
#if TILE_AVX512
#define NEAREST(x)	((vf)_mm512_roundscale_ps((__m512)(x), _MM_FROUND_TO_NEAREST_INT))
#define CUT(x)		((vf)_mm512_roundscale_ps((__m512)(x), _MM_FROUND_TO_ZERO))
#elif TILE_AVX2
#define NEAREST(x)	((vf)_mm256_round_ps((__m256)(x), _MM_FROUND_TO_NEAREST_INT))
#define CUT(x)		((vf)_mm256_round_ps((__m256)(x), _MM_FROUND_TO_ZERO))
#endif
#if TILE_AVX2 || TILE_AVX512
#define FROM_FLOAT(to, from) \
CVT_FN(to, from, \
	if (round == ANPU_ROUND_RINT) { \
		CVT_STEP(to, from, NEAREST(load_##from(s)), clamp_##to) \
	} else if (round == ANPU_ROUND_TRUNC || round == ANPU_ROUND_NONE) { \
		CVT_STEP(to, from, CUT(load_##from(s)), clamp_##to) \
	} else { \
		CVT_STEP(to, from, round_int(load_##from(s), &r), clamp_##to) \
	})
#else
#define FROM_FLOAT(to, from) \
	CVT_FN(to, from, CVT_STEP(to, from, round_int(load_##from(s), &r), clamp_##to))
#endif

#define TO_FLOATS(from) TO_FLOAT(f32, from) TO_FLOAT(f16, from) TO_FLOAT(bf16, from)
#define TO_FLOATS_WIDE(from) \
	TO_F32_WIDE(from) TO_FLOAT_WIDE(f16, from) TO_FLOAT_WIDE(bf16, from)
#define FROM_FLOATS(to) FROM_FLOAT(to, f32) FROM_FLOAT(to, f16) FROM_FLOAT(to, bf16)

TO_FLOAT(f16, f32)
TO_FLOAT(bf16, f32)
TO_FLOAT(f32, f16)
TO_FLOAT(bf16, f16)
TO_FLOAT(f32, bf16)
TO_FLOAT(f16, bf16)
TO_FLOATS(s8)
TO_FLOATS(u8)
TO_FLOATS(s16)
TO_FLOATS(u16)
TO_FLOATS_WIDE(s32)
TO_FLOATS_WIDE(u32)
TO_FLOATS_WIDE(s64)
TO_FLOATS_WIDE(u64)
FROM_FLOATS(s8)
FROM_FLOATS(u8)
FROM_FLOATS(s16)
FROM_FLOATS(u16)
FROM_FLOATS(s32)
FROM_FLOATS(u32)
FROM_FLOATS(s64)
FROM_FLOATS(u64)

/* VUN ROUND */
#define ROUND_FN(ty) \
static void rint_##ty(void *dp, const void *ap, size_t n, unsigned int round) \
{ \
	uint8_t *d = dp; \
	const uint8_t *p = ap; \
	struct rounding r = rounding_of(WIDE_MODE(round)); \
	CVT_STEP(ty, ty, round_int(load_##ty(s), &r), store_##ty) \
}
ROUND_FN(f32)
ROUND_FN(f16)
ROUND_FN(bf16)

/* Integers to integers: clamped in the source's type */
#define MIN_s8		INT8_MIN
#define MAX_s8		INT8_MAX
#define MIN_u8		0
#define MAX_u8		UINT8_MAX
#define MIN_s16		INT16_MIN
#define MAX_s16		INT16_MAX
#define MIN_u16		0
#define MAX_u16		UINT16_MAX
#define MIN_s32		INT32_MIN
#define MAX_s32		INT32_MAX
#define MIN_u32		0
#define MAX_u32		UINT32_MAX
#define MIN_s64		INT64_MIN
#define MAX_s64		INT64_MAX
#define MIN_u64		0
#define MAX_u64		UINT64_MAX
#define TYPE_s8		int8_t
#define TYPE_u8		uint8_t
#define TYPE_s16	int16_t
#define TYPE_u16	uint16_t
#define TYPE_s32	int32_t
#define TYPE_u32	uint32_t
#define TYPE_s64	int64_t
#define TYPE_u64	uint64_t

#define INT_INT(to, from) \
static void cvt_##to##_##from(void *dp, const void *ap, size_t n, unsigned int round) \
{ \
	const TYPE_##from hi = (uint64_t)MAX_##to < (uint64_t)MAX_##from ? \
		(TYPE_##from)MAX_##to : (TYPE_##from)MAX_##from; \
	const TYPE_##from lo = (int64_t)MIN_##to > (int64_t)MIN_##from ? \
		(TYPE_##from)MIN_##to : (TYPE_##from)MIN_##from; \
	const TYPE_##from *p = ap; \
	TYPE_##to *d = dp; \
	(void)round; \
	INDEPENDENT \
	for (size_t i = 0; i < n; i++) { \
		TYPE_##from v = p[i]; \
		v = v > hi ? hi : v; \
		d[i] = (TYPE_##to)(v < lo ? lo : v); \
	} \
}

#define TO_INT(to, a, b, c, d, e, f, g) \
	INT_INT(to, a) INT_INT(to, b) INT_INT(to, c) INT_INT(to, d) INT_INT(to, e) \
	INT_INT(to, f) INT_INT(to, g)
TO_INT(s8, u8, s16, u16, s32, u32, s64, u64)
TO_INT(u8, s8, s16, u16, s32, u32, s64, u64)
TO_INT(s16, s8, u8, u16, s32, u32, s64, u64)
TO_INT(u16, s8, u8, s16, s32, u32, s64, u64)
TO_INT(s32, s8, u8, s16, u16, u32, s64, u64)
TO_INT(u32, s8, u8, s16, u16, s32, s64, u64)
TO_INT(s64, s8, u8, s16, u16, s32, u32, u64)
TO_INT(u64, s8, u8, s16, u16, s32, u32, s64)

/* Four-bit integers: two in a byte, low half first; n is even */
static void cvt_s8_s4(void *dp, const void *ap, size_t n, unsigned int round)
{
	const uint8_t *p = ap;
	int8_t *d = dp;

	(void)round;
	/* backwards, so that the destination may be the source */
	for (size_t i = n / 2; i-- > 0;) {
		uint8_t v = p[i];

		d[2 * i + 1] = (int8_t)v >> 4;
		d[2 * i] = (int8_t)(v << 4) >> 4;
	}
}

static void cvt_s4_s8(void *dp, const void *ap, size_t n, unsigned int round)
{
	const int8_t *p = ap;
	uint8_t *d = dp;

	(void)round;
	for (size_t i = 0; i < n / 2; i++) {
		int a = p[2 * i], b = p[2 * i + 1];

		a = a > 7 ? 7 : a < -8 ? -8 : a;
		b = b > 7 ? 7 : b < -8 ? -8 : b;
		d[i] = (uint8_t)((a & 15) | (b & 15) << 4);
	}
}

#define S4_CHUNK	256

static void cvt_f16_s4(void *dp, const void *ap, size_t n, unsigned int round)
{
	for (size_t i = 0; i < n; i += S4_CHUNK) {
		size_t m = n - i < S4_CHUNK ? n - i : S4_CHUNK;
		int8_t t[S4_CHUNK];

		cvt_s8_s4(t, (const uint8_t *)ap + i / 2, m, round);
		cvt_f16_s8((uint8_t *)dp + 2 * i, t, m, round);
	}
}

static void cvt_s4_f16(void *dp, const void *ap, size_t n, unsigned int round)
{
	for (size_t i = 0; i < n; i += S4_CHUNK) {
		size_t m = n - i < S4_CHUNK ? n - i : S4_CHUNK;
		int8_t t[S4_CHUNK];

		cvt_s8_f16(t, (const uint8_t *)ap + 2 * i, m, round);
		cvt_s4_s8((uint8_t *)dp + i / 2, t, m, round);
	}
}

/* A row of the table; a conversion of a type to itself is left out and stays NULL */
#define CVT_FROM(to, from, type) [ANPU_TYPE_##type] = cvt_##to##_##from
#define CVT_ROW_f32 \
	CVT_FROM(f32, f16, F16), CVT_FROM(f32, bf16, BF16), CVT_FROM(f32, s8, S8), \
	CVT_FROM(f32, u8, U8), CVT_FROM(f32, s16, S16), CVT_FROM(f32, u16, U16), \
	CVT_FROM(f32, s32, S32), CVT_FROM(f32, u32, U32), CVT_FROM(f32, s64, S64), \
	CVT_FROM(f32, u64, U64)
#define CVT_ROW_f16 \
	CVT_FROM(f16, f32, F32), CVT_FROM(f16, bf16, BF16), CVT_FROM(f16, s8, S8), \
	CVT_FROM(f16, u8, U8), CVT_FROM(f16, s16, S16), CVT_FROM(f16, u16, U16), \
	CVT_FROM(f16, s32, S32), CVT_FROM(f16, u32, U32), CVT_FROM(f16, s64, S64), \
	CVT_FROM(f16, u64, U64), CVT_FROM(f16, s4, S4)
#define CVT_ROW_bf16 \
	CVT_FROM(bf16, f32, F32), CVT_FROM(bf16, f16, F16), CVT_FROM(bf16, s8, S8), \
	CVT_FROM(bf16, u8, U8), CVT_FROM(bf16, s16, S16), CVT_FROM(bf16, u16, U16), \
	CVT_FROM(bf16, s32, S32), CVT_FROM(bf16, u32, U32), CVT_FROM(bf16, s64, S64), \
	CVT_FROM(bf16, u64, U64)
#define CVT_ROW_s8 \
	CVT_FROM(s8, f32, F32), CVT_FROM(s8, f16, F16), CVT_FROM(s8, bf16, BF16), \
	CVT_FROM(s8, u8, U8), CVT_FROM(s8, s16, S16), CVT_FROM(s8, u16, U16), \
	CVT_FROM(s8, s32, S32), CVT_FROM(s8, u32, U32), CVT_FROM(s8, s64, S64), \
	CVT_FROM(s8, u64, U64), CVT_FROM(s8, s4, S4)
#define CVT_ROW_u8 \
	CVT_FROM(u8, f32, F32), CVT_FROM(u8, f16, F16), CVT_FROM(u8, bf16, BF16), \
	CVT_FROM(u8, s8, S8), CVT_FROM(u8, s16, S16), CVT_FROM(u8, u16, U16), \
	CVT_FROM(u8, s32, S32), CVT_FROM(u8, u32, U32), CVT_FROM(u8, s64, S64), \
	CVT_FROM(u8, u64, U64)
#define CVT_ROW_s16 \
	CVT_FROM(s16, f32, F32), CVT_FROM(s16, f16, F16), CVT_FROM(s16, bf16, BF16), \
	CVT_FROM(s16, s8, S8), CVT_FROM(s16, u8, U8), CVT_FROM(s16, u16, U16), \
	CVT_FROM(s16, s32, S32), CVT_FROM(s16, u32, U32), CVT_FROM(s16, s64, S64), \
	CVT_FROM(s16, u64, U64)
#define CVT_ROW_u16 \
	CVT_FROM(u16, f32, F32), CVT_FROM(u16, f16, F16), CVT_FROM(u16, bf16, BF16), \
	CVT_FROM(u16, s8, S8), CVT_FROM(u16, u8, U8), CVT_FROM(u16, s16, S16), \
	CVT_FROM(u16, s32, S32), CVT_FROM(u16, u32, U32), CVT_FROM(u16, s64, S64), \
	CVT_FROM(u16, u64, U64)
#define CVT_ROW_s32 \
	CVT_FROM(s32, f32, F32), CVT_FROM(s32, f16, F16), CVT_FROM(s32, bf16, BF16), \
	CVT_FROM(s32, s8, S8), CVT_FROM(s32, u8, U8), CVT_FROM(s32, s16, S16), \
	CVT_FROM(s32, u16, U16), CVT_FROM(s32, u32, U32), CVT_FROM(s32, s64, S64), \
	CVT_FROM(s32, u64, U64)
#define CVT_ROW_u32 \
	CVT_FROM(u32, f32, F32), CVT_FROM(u32, f16, F16), CVT_FROM(u32, bf16, BF16), \
	CVT_FROM(u32, s8, S8), CVT_FROM(u32, u8, U8), CVT_FROM(u32, s16, S16), \
	CVT_FROM(u32, u16, U16), CVT_FROM(u32, s32, S32), CVT_FROM(u32, s64, S64), \
	CVT_FROM(u32, u64, U64)
#define CVT_ROW_s64 \
	CVT_FROM(s64, f32, F32), CVT_FROM(s64, f16, F16), CVT_FROM(s64, bf16, BF16), \
	CVT_FROM(s64, s8, S8), CVT_FROM(s64, u8, U8), CVT_FROM(s64, s16, S16), \
	CVT_FROM(s64, u16, U16), CVT_FROM(s64, s32, S32), CVT_FROM(s64, u32, U32), \
	CVT_FROM(s64, u64, U64)
#define CVT_ROW_u64 \
	CVT_FROM(u64, f32, F32), CVT_FROM(u64, f16, F16), CVT_FROM(u64, bf16, BF16), \
	CVT_FROM(u64, s8, S8), CVT_FROM(u64, u8, U8), CVT_FROM(u64, s16, S16), \
	CVT_FROM(u64, u16, U16), CVT_FROM(u64, s32, S32), CVT_FROM(u64, u32, U32), \
	CVT_FROM(u64, s64, S64)
#define CVT_ROW_s4 \
	CVT_FROM(s4, s8, S8), CVT_FROM(s4, f16, F16)
