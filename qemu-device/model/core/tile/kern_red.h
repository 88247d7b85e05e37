/* SPDX-License-Identifier: MIT */
/*
 * Kernels with three sources, comparisons, selections and reductions. Part of kern.h.
 */

/* a * b + c ---------------------------------------------------------------------------------------- */

FN vf fma_f32(vf a, vf b, vf c)
{
	return vfma(a, b, c);
}

/* s, the rounded value of s + err, becomes the neighbour with an odd last bit unless exact */
FN vf to_odd(vf s, vf err)
{
	vi down = (vi)(((vi)err ^ (vi)s) >> 31) | 1;
	vi inexact = (err < splat(0)) | (err > splat(0));

	return (vf)((vi)s + (inexact & ((((vi)s & 1) - 1) & down)));
}

/*
 * For fp16: the product is exact in fp32 and the sum is rounded to odd, so that the rounding to
 * fp16 when it is stored is the only one that matters.
 */
FN vf fma_f16(vf a, vf b, vf c)
{
	vf p = a * b;
	vf s = p + c;
	vf t = s - p;

	return to_odd(s, (p - (s - t)) + (c - t));
}

/* For bf16, whose products leave the range of fp32: the same in double, then to odd fp32. */
FN vd fma_odd_d(vd a, vd b, vd c)
{
	vd p = a * b;
	vd s = p + c;
	vd t = s - p;
	vd err = (p - (s - t)) + (c - t);
	vl inexact = (err < dsplat(0)) | (err > dsplat(0));
	vl opposite = (err < dsplat(0)) ^ (s < dsplat(0));
	vl even = ((vl)s & 1) - 1;

	return (vd)((vl)s + (inexact & even & (opposite | 1)));
}

FN vf fma_bf16(vf a, vf b, vf c)
{
	vd a0, a1, b0, b1, c0, c1, e0, e1;
	vf s;

	widen(a, &a0, &a1);
	widen(b, &b0, &b1);
	widen(c, &c0, &c1);
	a0 = fma_odd_d(a0, b0, c0);
	a1 = fma_odd_d(a1, b1, c1);
	s = narrow(a0, a1);
	widen(s, &e0, &e1);
	/* only the sign of the error counts, which may underflow in fp32 */
	e0 = a0 - e0;
	e1 = a1 - e1;
	e0 = (vd)(((e0 > dsplat(0)) & (vl)dsplat(1)) | ((e0 < dsplat(0)) & (vl)dsplat(-1)));
	e1 = (vd)(((e1 > dsplat(0)) & (vl)dsplat(1)) | ((e1 < dsplat(0)) & (vl)dsplat(-1)));
	return to_odd(s, narrow(e0, e1));
}

#define TRI_LOOP(name, ty, expr) \
static void name##_##ty(void *dp, const void *ap, const void *bp, size_t n) \
{ \
	const uint8_t *p = ap, *q = bp; \
	uint8_t *d = dp; \
	for (; n >= LANES; n -= LANES) { \
		vf a = load_##ty(p), b = load_##ty(q), c = load_##ty(d); \
		store_##ty(d, expr); \
		d += LANES * SIZE_##ty; \
		p += LANES * SIZE_##ty; \
		q += LANES * SIZE_##ty; \
	} \
	if (n) { \
		vf a = part_##ty(p, n), b = part_##ty(q, n), c = part_##ty(d, n); \
		store_part_##ty(d, expr, n); \
	} \
}
#define TRI_FLOAT(ty) \
	TRI_LOOP(mla, ty, fma_##ty(a, b, c)) \
	TRI_LOOP(mad, ty, fma_##ty(c, a, b)) \
	TRI_LOOP(madrelu, ty, frelu_v(fma_##ty(c, a, b)))
TRI_FLOAT(f32)
TRI_FLOAT(f16)
TRI_FLOAT(bf16)

#define INT_TRI(name, ty, c, w, expr) \
static void name##_##ty(void *dp, const void *ap, const void *bp, size_t n) \
{ \
	const c *p = ap, *q = bp; \
	c *t = dp; \
	INDEPENDENT \
	for (size_t i = 0; i < n; i++) { \
		w a = (w)p[i], b = (w)q[i], d = (w)t[i]; \
		t[i] = (c)(expr); \
	} \
}
#define X(ty, c, u, w) \
	INT_TRI(mla, ty, c, w, d + a * b) \
	INT_TRI(mad, ty, c, w, d * a + b)
INT_TYPES(X)
#undef X
#define X(ty, c, u, w) INT_TRI(madrelu, ty, c, w, (c)(d * a + b) > 0 ? d * a + b : 0)
SIGNED_TYPES(X)
#undef X

/* Comparisons -------------------------------------------------------------------------------------- */

/* elements whose bits are made at once: whole bytes of them */
#define CMP_STEP	(LANES < 8 ? 8 : LANES)

FN unsigned int mask_bits(vi m)
{
#if TILE_AVX512
	return _mm512_movepi32_mask((__m512i)m);
#elif TILE_AVX2
	return (unsigned int)_mm256_movemask_ps((__m256)m);
#else
	return (m[0] & 1) | (m[1] & 2) | (m[2] & 4) | (m[3] & 8);
#endif
}

#define LOAD_INT(ty, v) \
FN vi iload_##ty(const void *p) \
{ \
	v x; \
	memcpy(&x, p, sizeof(x)); \
	return __builtin_convertvector(x, vi); \
}
LOAD_INT(s8, vs8)
LOAD_INT(u8, vu8)
LOAD_INT(s16, vs16)
LOAD_INT(u16, vh)

FN vi iload_s32(const void *p)
{
	vi x;

	memcpy(&x, p, sizeof(x));
	return x;
}

/* unsigned numbers in the order of signed ones */
FN vi iload_u32(const void *p)
{
	return iload_s32(p) ^ isplat(INT32_MIN);
}

#define CMP_LOOP(name, ty, size, v, load, op) \
static void name##_##ty(uint8_t *d, const void *ap, const void *bp, size_t n) \
{ \
	const uint8_t *p = ap, *q = bp; \
	for (; n >= CMP_STEP; n -= CMP_STEP) { \
		unsigned int m = 0; \
		for (int k = 0; k < CMP_STEP; k += LANES) { \
			v a = load(p), b = load(q); \
			m |= mask_bits(a op b) << k; \
			p += LANES * (size); \
			q += LANES * (size); \
		} \
		memcpy(d, &m, CMP_STEP / 8); \
		d += CMP_STEP / 8; \
	} \
	if (n) { \
		uint8_t t[2][CMP_STEP * 4] = { { 0 } }; \
		unsigned int m = 0; \
		memcpy(t[0], p, n * (size)); \
		memcpy(t[1], q, n * (size)); \
		for (int k = 0; k < CMP_STEP; k += LANES) { \
			v a = load(t[0] + k * (size)), b = load(t[1] + k * (size)); \
			m |= mask_bits(a op b) << k; \
		} \
		m &= (1u << n) - 1; \
		memcpy(d, &m, (n + 7) / 8); \
	} \
}

#define CMP_WIDE(name, ty, c, op) \
static void name##_##ty(uint8_t *d, const void *ap, const void *bp, size_t n) \
{ \
	const c *p = ap, *q = bp; \
	for (; n >= 8; n -= 8) { \
		unsigned int m = 0; \
		for (unsigned int k = 0; k < 8; k++) \
			m |= (unsigned int)(p[k] op q[k]) << k; \
		*d++ = (uint8_t)m; \
		p += 8; \
		q += 8; \
	} \
	if (n) { \
		unsigned int m = 0; \
		for (unsigned int k = 0; k < n; k++) \
			m |= (unsigned int)(p[k] op q[k]) << k; \
		*d = (uint8_t)m; \
	} \
}

#define CMP_ALL(name, op) \
	CMP_LOOP(name, f32, 4, vf, load_f32, op) CMP_LOOP(name, f16, 2, vf, load_f16, op) \
	CMP_LOOP(name, bf16, 2, vf, load_bf16, op) \
	CMP_LOOP(name, s8, 1, vi, iload_s8, op) CMP_LOOP(name, u8, 1, vi, iload_u8, op) \
	CMP_LOOP(name, s16, 2, vi, iload_s16, op) CMP_LOOP(name, u16, 2, vi, iload_u16, op) \
	CMP_LOOP(name, s32, 4, vi, iload_s32, op) CMP_LOOP(name, u32, 4, vi, iload_u32, op) \
	CMP_WIDE(name, s64, int64_t, op) CMP_WIDE(name, u64, uint64_t, op)
CMP_ALL(lt, <)
CMP_ALL(gt, >)
CMP_ALL(eq, ==)
CMP_ALL(le, <=)
CMP_ALL(ge, >=)
CMP_ALL(ne, !=)

/* Selections: bit i of m chooses a[i] ------------------------------------------------------------- */

#define SEL_FN(size, c, v) \
typedef c v __attribute__((vector_size(8 * size))); \
static void sel_##size(void *dp, const void *ap, const void *bp, const uint8_t *m, size_t n) \
{ \
	const c *p = ap, *q = bp; \
	c *d = dp; \
	for (; n >= 8; n -= 8) { \
		const v bit = { 1, 2, 4, 8, 16, 32, 64, 128 }; \
		v a, b, k = ((c)*m++ - (v){ 0 }) & bit; \
		memcpy(&a, p, sizeof(a)); \
		memcpy(&b, q, sizeof(b)); \
		k = (v)(k == bit); \
		a = (a & k) | (b & ~k); \
		memcpy(d, &a, sizeof(a)); \
		d += 8; \
		p += 8; \
		q += 8; \
	} \
	for (size_t i = 0; i < n; i++) \
		d[i] = *m >> i & 1 ? p[i] : q[i]; \
}
SEL_FN(1, uint8_t, sel8)
SEL_FN(2, uint16_t, sel16)
SEL_FN(4, uint32_t, sel32)
SEL_FN(8, uint64_t, sel64)

/* Reductions --------------------------------------------------------------------------------------- */

/* numbers of a row: element i of the source is added to sum i mod ROW, in ascending order */
#define ROW	64
#define ROW_VECS (ROW / LANES)

/* then the upper half of the sums is added to the lower half, until one sum is left */
FN float sum_row(vf *acc, size_t n)
{
	float t[LANES];
	int w = ROW_VECS;

	/* sums that nothing was added to are -0, which changes nothing */
	while (w > 1 && n <= (size_t)w / 2 * LANES)
		w /= 2;
	for (w /= 2; w; w /= 2)
		for (int j = 0; j < w; j++)
			acc[j] += acc[j + w];
	memcpy(t, acc, sizeof(t));
	for (w = LANES / 2; w; w /= 2)
		for (int j = 0; j < w; j++)
			t[j] += t[j + w];
	return t[0];
}

#define SUM_FN(ty, c, minus_zero, narrow_it) \
static uint64_t sum_##ty(const void *ap, size_t n) \
{ \
	const uint8_t *p = ap; \
	size_t left = n; \
	vf acc[ROW_VECS], r; \
	c bits; \
	int j; \
	for (j = 0; j < ROW_VECS; j++) \
		acc[j] = splat(-0.0f); \
	for (; left >= ROW; left -= ROW) { \
		for (j = 0; j < ROW_VECS; j++) \
			acc[j] += load_##ty(p + j * LANES * SIZE_##ty); \
		p += ROW * SIZE_##ty; \
	} \
	for (j = 0; left >= LANES; left -= LANES, j++) { \
		acc[j] += load_##ty(p); \
		p += LANES * SIZE_##ty; \
	} \
	if (left) { \
		c t[LANES]; \
		for (int k = 0; k < LANES; k++) \
			t[k] = minus_zero; \
		memcpy(t, p, left * SIZE_##ty); \
		acc[j] += load_##ty(t); \
	} \
	r = splat(sum_row(acc, n)); \
	narrow_it; \
	return bits; \
}
#define NARROW_16(fn) do { vh h = fn(r); bits = h[0]; } while (0)
#define NARROW_32 do { vu u = (vu)canon(r); bits = u[0]; } while (0)
SUM_FN(f32, uint32_t, 0x80000000, NARROW_32)
SUM_FN(f16, uint16_t, 0x8000, NARROW_16(f16_narrow))
SUM_FN(bf16, uint16_t, 0x8000, NARROW_16(bf16_narrow))

/* whether an element of a or of b was NaN, for vectors at a time */
#if TILE_AVX512
typedef unsigned int vnan;
FN vnan no_number(vf a, vf b)
{
	return _mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_UNORD_Q);
}

FN bool any_nan(vnan n)
{
	return n;
}
#else
typedef vi vnan;
FN vnan no_number(vf a, vf b)
{
#if TILE_AVX2
	return (vi)_mm256_cmp_ps((__m256)a, (__m256)b, _CMP_UNORD_Q);
#else
	return (a != a) | (b != b);
#endif
}

FN bool any_nan(vnan n)
{
	int32_t any = 0;

	for (int i = 0; i < LANES; i++)
		any |= n[i];
	return any;
}
#endif

/*
 * Here NaN is only noticed, and zeros are equal: if the result is one, its sign is that of @zero if
 * there is such a zero.
 */
#define EXTREME_FN(name, ty, c, fn, zero, narrow_it) \
static uint64_t name##_##ty(const void *ap, size_t count) \
{ \
	const uint8_t *p = ap; \
	size_t n = count; \
	vf acc[4], r, x[4]; \
	c first[LANES], bits; \
	vnan nan; \
	for (int k = 0; k < LANES; k++) \
		memcpy(&first[k], p, sizeof(c)); \
	acc[0] = acc[1] = acc[2] = acc[3] = load_##ty(first); \
	nan = no_number(acc[0], acc[0]); \
	for (; n >= 4 * LANES; n -= 4 * LANES) { \
		_Pragma("GCC unroll 4") \
		for (int j = 0; j < 4; j++) { \
			x[j] = load_##ty(p + j * LANES * SIZE_##ty); \
			acc[j] = fn(x[j], acc[j]); \
		} \
		nan |= no_number(x[0], x[1]) | no_number(x[2], x[3]); \
		p += 4 * LANES * SIZE_##ty; \
	} \
	for (; n >= LANES; n -= LANES) { \
		x[0] = load_##ty(p); \
		acc[0] = fn(x[0], acc[0]); \
		nan |= no_number(x[0], x[0]); \
		p += LANES * SIZE_##ty; \
	} \
	memcpy(first, p, n * SIZE_##ty); \
	x[0] = load_##ty(first); \
	nan |= no_number(x[0], x[0]); \
	r = fn(fn(acc[0], acc[1]), fn(fn(acc[2], acc[3]), x[0])); \
	for (int w = LANES / 2; w; w /= 2) { \
		vf s = r; \
		for (int k = 0; k < w; k++) \
			s[k] = r[k + w]; \
		r = fn(r, s); \
	} \
	if (any_nan(nan)) \
		r = splat(NAN); \
	narrow_it; \
	if (r[0] == 0) { \
		const c *q = ap, sign = (c)1 << (8 * sizeof(c) - 1); \
		c found = 0; \
		for (size_t i = 0; i < count; i++) \
			found |= q[i] == (c)((zero) * sign); \
		bits = found == (zero) ? sign : 0; \
	} \
	return bits; \
}
EXTREME_FN(rmax, f32, uint32_t, greater, 0, NARROW_32)
EXTREME_FN(rmax, f16, uint16_t, greater, 0, NARROW_16(f16_narrow))
EXTREME_FN(rmax, bf16, uint16_t, greater, 0, NARROW_16(bf16_narrow))
EXTREME_FN(rmin, f32, uint32_t, lesser, 1, NARROW_32)
EXTREME_FN(rmin, f16, uint16_t, lesser, 1, NARROW_16(f16_narrow))
EXTREME_FN(rmin, bf16, uint16_t, lesser, 1, NARROW_16(bf16_narrow))

/*
 * Many groups of a power of two elements: the upper half of each is combined with the lower one,
 * until one number is left. That is the order of a sum, and any order does for extremes.
 */
#define FOLD_ROOM	1024

/* lanes of a and b, which are numbered on */
FN vf pick(vf a, vf b, vi lane)
{
#if TILE_AVX512
	return (vf)_mm512_permutex2var_ps((__m512)a, (__m512i)lane, (__m512)b);
#elif TILE_AVX2
	__m256 x = _mm256_permutevar8x32_ps((__m256)a, (__m256i)lane);
	__m256 y = _mm256_permutevar8x32_ps((__m256)b, (__m256i)lane);

	return sel(lane >= LANES, (vf)y, (vf)x);
#else
	vf r;

	for (int i = 0; i < LANES; i++)
		r[i] = lane[i] < LANES ? a[lane[i]] : b[lane[i] - LANES];
	return r;
#endif
}

FN vf add_v(vf a, vf b)
{
	return a + b;
}

/* halves of w numbers to n results; whole vectors, x has room for them */
#define HALVE(name, fn) \
static void halve_##name(float *x, size_t n, size_t w) \
{ \
	vi low; \
	if (w >= LANES) { \
		for (size_t o = 0; o < n; o += LANES) { \
			const float *p = x + 2 * o - o % w; \
			put_f32(x + o, fn(load_f32(p), load_f32(p + w))); \
		} \
		return; \
	} \
	for (int i = 0; i < LANES; i++) \
		low[i] = (int)((size_t)i / w * 2 * w + (size_t)i % w); \
	for (size_t o = 0; o < n; o += LANES) { \
		vf a = load_f32(x + 2 * o), b = load_f32(x + 2 * o + LANES); \
		put_f32(x + o, fn(pick(a, b, low), pick(a, b, low + (int)w))); \
	} \
}
HALVE(sum, add_v)
HALVE(rmax, fmax_v)
HALVE(rmin, fmin_v)

#define FOLD(name, ty) \
static void fold_##name##_##ty(void *dp, const void *ap, size_t groups, size_t group) \
{ \
	_Alignas(64) float x[FOLD_ROOM + 2 * LANES] = { 0 }; \
	const uint8_t *p = ap; \
	uint8_t *d = dp; \
	while (groups) { \
		size_t some = groups < FOLD_ROOM / group ? groups : FOLD_ROOM / group, n = some * group, i; \
		for (i = 0; i + LANES <= n; i += LANES) \
			put_f32(x + i, load_##ty(p + i * SIZE_##ty)); \
		if (i < n) \
			put_f32(x + i, part_##ty(p + i * SIZE_##ty, n - i)); \
		for (size_t w = group / 2; w; w /= 2) \
			halve_##name(x, some * w, w); \
		for (i = 0; i + LANES <= some; i += LANES) \
			store_##ty(d + i * SIZE_##ty, load_f32(x + i)); \
		if (i < some) \
			store_part_##ty(d + i * SIZE_##ty, load_f32(x + i), some - i); \
		p += n * SIZE_##ty; \
		d += some * SIZE_##ty; \
		groups -= some; \
	} \
}
#define FOLDS(name)	FOLD(name, f32) FOLD(name, f16) FOLD(name, bf16)
FOLDS(sum)
FOLDS(rmax)
FOLDS(rmin)

#define INT_RED(name, ty, c, u, w, start, step) \
static uint64_t name##_##ty(const void *ap, size_t n) \
{ \
	const c *p = ap; \
	w r = (w)(start); \
	for (size_t i = 0; i < n; i++) \
		r = step; \
	return (u)r; \
}
#define X(ty, c, u, w) \
	INT_RED(sum, ty, c, u, w, 0, r + (w)p[i]) \
	INT_RED(rmax, ty, c, u, c, p[0], p[i] > r ? p[i] : r) \
	INT_RED(rmin, ty, c, u, c, p[0], p[i] < r ? p[i] : r)
INT_TYPES(X)
#undef X

/* position of the first element with these bits, or if they are NaN of the first NaN */
#define FIND_FN(name, c, inf) \
static size_t find_##name(const void *ap, size_t n, uint64_t bits) \
{ \
	const c *p = ap; \
	c want = (c)bits; \
	bool nan = (inf) && (want & ~((c)1 << (8 * sizeof(c) - 1))) > (c)(inf); \
	size_t i = 0; \
	for (; !nan && i + 32 <= n; i += 32) { \
		c any = 0; \
		for (int j = 0; j < 32; j++) \
			any |= p[i + j] == want; \
		if (any) \
			break; \
	} \
	for (; i < n; i++) \
		if (nan ? (c)(p[i] << 1) > (c)((c)(inf) << 1) : p[i] == want) \
			return i; \
	return 0; \
}
FIND_FN(f32, uint32_t, 0x7f800000)
FIND_FN(f16, uint16_t, 0x7c00)
FIND_FN(bf16, uint16_t, 0x7f80)
FIND_FN(16, uint16_t, 0)
FIND_FN(32, uint32_t, 0)
FIND_FN(64, uint64_t, 0)
