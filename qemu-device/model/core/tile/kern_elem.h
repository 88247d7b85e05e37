/* SPDX-License-Identifier: MIT */
/*
 * Kernels element by element: binary, unary, saturation. Part of kern.h.
 *
 * fp16 and bf16 are computed in fp32 and rounded once more; for + - * / and square root that gives
 * the correctly rounded result, because fp32 has more than twice their precision and two bits.
 */

/* Loops over vectors; the rest goes through the same code as a part of one. */
#define BIN_LOOP(name, ty, expr) \
static void name##_##ty(void *dp, const void *ap, const void *bp, size_t n) \
{ \
	uint8_t *d = dp; \
	const uint8_t *p = ap, *q = bp; \
	UNROLL \
	for (; n >= LANES; n -= LANES) { \
		vf a = load_##ty(p), b = load_##ty(q); \
		store_##ty(d, expr); \
		d += LANES * SIZE_##ty; \
		p += LANES * SIZE_##ty; \
		q += LANES * SIZE_##ty; \
	} \
	if (n) { \
		vf a = part_##ty(p, n), b = part_##ty(q, n); \
		store_part_##ty(d, expr, n); \
	} \
}

#define UN_LOOP(name, ty, expr)		UN_LOOP_(name, ty, expr, UNROLL)
/* for longer expressions */
#define UN_LOOP1(name, ty, expr)	UN_LOOP_(name, ty, expr,)
#define UN_LOOP_(name, ty, expr, unroll) \
static void name##_##ty(void *dp, const void *ap, size_t n, unsigned int round) \
{ \
	uint8_t *d = dp; \
	const uint8_t *p = ap; \
	(void)round; \
	unroll \
	for (; n >= LANES; n -= LANES) { \
		vf a = load_##ty(p); \
		store_##ty(d, expr); \
		d += LANES * SIZE_##ty; \
		p += LANES * SIZE_##ty; \
	} \
	if (n) { \
		vf a = part_##ty(p, n); \
		store_part_##ty(d, expr, n); \
	} \
}

#define BIN_FLOATS(name, expr) \
	BIN_LOOP(name, f32, expr) BIN_LOOP(name, f16, expr) BIN_LOOP(name, bf16, expr)
#define UN_FLOATS(name, expr) \
	UN_LOOP(name, f32, expr) UN_LOOP(name, f16, expr) UN_LOOP(name, bf16, expr)

/* +0 is greater than -0; NaN wins and is made canonical by the store */
FN vf fmax_v(vf a, vf b)
{
	vf m = sel(a > b, a, b);

	m = sel(a == b, (vf)((vi)a & (vi)b), m);
	return sel(is_nan(a), a, m);
}

FN vf fmin_v(vf a, vf b)
{
	vf m = sel(a < b, a, b);

	m = sel(a == b, (vf)((vi)a | (vi)b), m);
	return sel(is_nan(a), a, m);
}

/* max(a, 0): -0 becomes +0, NaN stays */
FN vf frelu_v(vf a)
{
	return (vf)((vi)a & ~(vi)(a <= splat(0)));
}

BIN_FLOATS(add, a + b)
BIN_FLOATS(sub, a - b)
BIN_FLOATS(mul, a * b)
BIN_FLOATS(div, a / b)
BIN_FLOATS(max, fmax_v(a, b))
BIN_FLOATS(min, fmin_v(a, b))
BIN_FLOATS(lrelu, sel(a > splat(0), a, a * b))
BIN_FLOATS(addrelu, frelu_v(a + b))
BIN_FLOATS(subrelu, frelu_v(a - b))
BIN_FLOATS(absdiff, absf(a - b))
UN_FLOATS(relu, frelu_v(a))
UN_FLOATS(sqrt, vsqrt(a))
UN_FLOATS(rec, splat(1) / a)

/* Integers ------------------------------------------------------------------------------------- */

/* w: type of intermediate results, unsigned and at least as wide as int, so that it wraps */
#define INT_TYPES(X) \
	X(s8, int8_t, uint8_t, uint32_t) X(u8, uint8_t, uint8_t, uint32_t) \
	X(s16, int16_t, uint16_t, uint32_t) X(u16, uint16_t, uint16_t, uint32_t) \
	X(s32, int32_t, uint32_t, uint32_t) X(u32, uint32_t, uint32_t, uint32_t) \
	X(s64, int64_t, uint64_t, uint64_t) X(u64, uint64_t, uint64_t, uint64_t)
#define SIGNED_TYPES(X) \
	X(s8, int8_t, uint8_t, uint32_t) X(s16, int16_t, uint16_t, uint32_t) \
	X(s32, int32_t, uint32_t, uint32_t) X(s64, int64_t, uint64_t, uint64_t)

#define INT_BIN(name, ty, c, w, expr) \
static void name##_##ty(void *dp, const void *ap, const void *bp, size_t n) \
{ \
	const c *p = ap, *q = bp; \
	c *d = dp; \
	INDEPENDENT \
	for (size_t i = 0; i < n; i++) { \
		c a = p[i], b = q[i]; \
		d[i] = (c)(expr); \
	} \
}

#define INT_UN(name, ty, c, expr) \
static void name##_##ty(void *dp, const void *ap, size_t n, unsigned int round) \
{ \
	const c *p = ap; \
	c *d = dp; \
	(void)round; \
	INDEPENDENT \
	for (size_t i = 0; i < n; i++) { \
		c a = p[i]; \
		d[i] = (c)(expr); \
	} \
}

#define X(ty, c, u, w) \
	INT_BIN(add, ty, c, w, (w)a + (w)b) \
	INT_BIN(sub, ty, c, w, (w)a - (w)b) \
	INT_BIN(mul, ty, c, w, (w)a * (w)b) \
	INT_BIN(max, ty, c, w, a > b ? a : b) \
	INT_BIN(min, ty, c, w, a < b ? a : b) \
	INT_BIN(and, ty, c, w, a & b) \
	INT_BIN(or, ty, c, w, a | b) \
	INT_BIN(xor, ty, c, w, a ^ b) \
	INT_BIN(shl, ty, c, w, (u)b < 8 * sizeof(c) ? (w)a << (b & (8 * sizeof(c) - 1)) : 0) \
	INT_BIN(shr, ty, c, w, a >> ((u)b < 8 * sizeof(c) ? (u)b : 8 * sizeof(c) - 1) >> \
		(c)((c)-1 > 0 && (u)b >= 8 * sizeof(c))) \
	INT_BIN(absdiff, ty, c, w, a > b ? (w)a - (w)b : (w)b - (w)a) \
	INT_UN(copy, ty, c, a) \
	INT_UN(not, ty, c, ~a)
INT_TYPES(X)
#undef X

#define X(ty, c, u, w) \
	INT_BIN(div, ty, c, w, !b ? (c)-1 : b == -1 ? (c)(0 - (w)a) : (c)(a / (b + !b))) \
	INT_BIN(addrelu, ty, c, w, (c)((w)a + (w)b) > 0 ? (w)a + (w)b : 0) \
	INT_BIN(subrelu, ty, c, w, (c)((w)a - (w)b) > 0 ? (w)a - (w)b : 0) \
	INT_UN(abs, ty, c, a < 0 ? (c)(0 - (w)a) : a) \
	INT_UN(neg, ty, c, 0 - (w)a) \
	INT_UN(relu, ty, c, a > 0 ? a : 0)
SIGNED_TYPES(X)
#undef X

INT_BIN(div, u8, uint8_t, uint32_t, b ? a / b : (uint8_t)-1)
INT_BIN(div, u16, uint16_t, uint32_t, b ? a / b : (uint16_t)-1)
INT_BIN(div, u32, uint32_t, uint32_t, b ? a / b : (uint32_t)-1)
INT_BIN(div, u64, uint64_t, uint64_t, b ? a / b : (uint64_t)-1)

/* Signs of floating-point numbers: bits only, NaN included */
INT_UN(abs, f32, uint32_t, a & 0x7fffffff)
INT_UN(abs, f16, uint16_t, a & 0x7fff)
INT_UN(abs, bf16, uint16_t, a & 0x7fff)
INT_UN(neg, f32, uint32_t, a ^ 0x80000000)
INT_UN(neg, f16, uint16_t, a ^ 0x8000)
INT_UN(neg, bf16, uint16_t, a ^ 0x8000)

/* Saturation: infinity becomes the largest finite number, NaN zero */
#define SAT(ty, c, inf, sign) \
static void sat_##ty(void *dp, size_t n) \
{ \
	c *d = dp; \
	INDEPENDENT \
	for (size_t i = 0; i < n; i++) { \
		c m = d[i] & (c)~(sign); \
		d[i] = (c)(m > (inf) ? 0 : d[i] - (m == (inf))); \
	} \
}
SAT(f32, uint32_t, 0x7f800000, 0x80000000)
SAT(f16, uint16_t, 0x7c00, 0x8000)
SAT(bf16, uint16_t, 0x7f80, 0x8000)
