/* SPDX-License-Identifier: MIT */
/*
 * Kernels of the functions that are not exact. Part of kern.h.
 *
 * exp is computed in fp32 with fused multiply-adds, which hosts without them compute in software, with the same
 * bits. The others are computed in double, whose rounding errors vanish in fp32, without them. The polynomials are Chebyshev
 * fits made for this file; their errors stand beside them. Documentation/isa-tiles.md states the
 * maximal errors of the functions; tests/unit/tile/tile_math.c holds them to it.
 */

typedef double vd __attribute__((vector_size(4 * LANES)));
typedef int64_t vl __attribute__((vector_size(4 * LANES)));
typedef uint64_t vul __attribute__((vector_size(4 * LANES)));
typedef float vfh __attribute__((vector_size(2 * LANES)));

FN vd dsplat(double x)
{
	return x - (vd){ 0 };
}

FN vl lsplat(int64_t x)
{
	return x - (vl){ 0 };
}

FN vd dsel(vl mask, vd yes, vd no)
{
#if TILE_AVX2
	return (vd)_mm256_blendv_pd((__m256d)no, (__m256d)yes, (__m256d)mask);
#else
	return (vd)((mask & (vl)yes) | (~mask & (vl)no));
#endif
}

FN void widen(vf x, vd *lo, vd *hi)
{
	vfh h[2];

	memcpy(h, &x, sizeof(x));
	*lo = __builtin_convertvector(h[0], vd);
	*hi = __builtin_convertvector(h[1], vd);
}

FN vf narrow(vd lo, vd hi)
{
	vfh h[2] = { __builtin_convertvector(lo, vfh), __builtin_convertvector(hi, vfh) };
	vf x;

	memcpy(&x, h, sizeof(x));
	return x;
}

/* f(x) in double */
#define IN_DOUBLE(name) \
FN vf name##_v(vf x) \
{ \
	vd lo, hi; \
	widen(x, &lo, &hi); \
	return narrow(name##_d(lo), name##_d(hi)); \
}

#define POLY(x, type, ...) poly_##type(x, (const type##_one[]){ __VA_ARGS__ }, \
	sizeof((const type##_one[]){ __VA_ARGS__ }) / sizeof(type##_one))
typedef double vd_one;

/* c[0] + c[1] x + ..., even and odd powers apart: two short chains instead of a long one */
#define POLY_FN(v, one, splat_it) \
FN v poly_##v(v x, const one *c, int n) \
{ \
	v z = x * x, even = splat_it(c[(n - 1) / 2 * 2]), odd = splat_it(c[n / 2 * 2 - 1]); \
	_Pragma("GCC unroll 16") \
	for (int i = (n - 1) / 2 * 2 - 2; i >= 0; i -= 2) \
		even = even * z + c[i]; \
	_Pragma("GCC unroll 16") \
	for (int i = n / 2 * 2 - 3; i >= 1; i -= 2) \
		odd = odd * z + c[i]; \
	return even + x * odd; \
}
POLY_FN(vd, double, dsplat)

/* odd functions: f of the magnitude, with the number's sign */
FN vf with_sign(vf magnitude, vf x)
{
	return (vf)((vi)magnitude | ((vi)x & isplat(INT32_MIN)));
}

/* Exponential ------------------------------------------------------------------------------------ */

#define LOG2E	0x1.71547652b82fep+0
#define LN2	0x1.62e42fefa39efp-1

/* (e^r - 1 - r) / r^2 for |r| < 0.347 within 1.5e-9 */
#define EXP_0	0x1p-1f
#define EXP_1	0x1.555556p-3f
#define EXP_2	0x1.5554e8p-5f
#define EXP_3	0x1.1110ep-7f
#define EXP_4	0x1.6d43d2p-10f
#define EXP_5	0x1.a1258cp-13f

/* p 2^k, k from -151 to 129: by two powers of two, of which neither overflows where p 2^k does not */
FN vf scale(vf p, vf n, vi k)
{
#if TILE_AVX512
	(void)k;
	return (vf)_mm512_scalef_ps((__m512)p, (__m512)n);
#else
	vi half = k >> 1;

	(void)n;
	return p * (vf)((half + 127) << 23) * (vf)((k - half + 127) << 23);
#endif
}

/* vectors that exp works on side by side, so that the processor need not wait for one to be ready */
#define ABREAST		2
#define EACH		_Pragma("GCC unroll 2") for (int i = 0; i < ABREAST; i++)

/* x = e^r for x = n ln 2 + r; the last bits of t are n */
FN void exp_reduced(vf *x, vf *t, vf *n)
{
	const vf magic = splat(0x1.8p23f);
	vf r[ABREAST], rest[ABREAST], z[ABREAST], even[ABREAST], odd[ABREAST];

	/* the sum's last bits are the nearest integer */
	EACH t[i] = vfma(x[i], splat((float)LOG2E), magic);
	EACH n[i] = t[i] - magic;
	/* ln 2 in two parts, the first of 15 bits, so that its product is exact; rest: by how much r is wrong */
	EACH x[i] = vfma(n[i], splat(-0x1.62e4p-1f), x[i]);
	EACH r[i] = vfma(n[i], splat(-0x1.7f7d1cp-20f), x[i]);
	EACH rest[i] = vfma(n[i], splat(-0x1.7f7d1cp-20f), x[i] - r[i]);
	EACH z[i] = r[i] * r[i];
	EACH even[i] = vfma(splat(EXP_4), z[i], splat(EXP_2));
	EACH odd[i] = vfma(splat(EXP_5), z[i], splat(EXP_3));
	EACH even[i] = vfma(even[i], z[i], splat(EXP_0));
	EACH odd[i] = vfma(odd[i], z[i], splat(EXP_1));
	EACH even[i] = vfma(r[i], odd[i], even[i]);
	EACH x[i] = splat(1) + (r[i] + vfma(z[i], even[i], rest[i]));
}

/* Not inlined: it is for ends of operands and numbers out of the usual range, and takes long to compile */
static __attribute__((noinline)) void exp_any(vf *x)
{
	vf t[ABREAST], n[ABREAST];

	/* NaN stays and goes through everything */
	EACH x[i] = greater(splat(-104.5f), lesser(splat(89), x[i]));
	exp_reduced(x, t, n);
	EACH x[i] = scale(x[i], n[i], (vi)t[i] - (vi)splat(0x1.8p23f));
}

/* exp_any() of numbers whose magnitude is below 86: the result is a normal number, so that n is just added to its exponent */
FN void exp_small(vf *x)
{
	vf t[ABREAST], n[ABREAST];

	exp_reduced(x, t, n);
	EACH x[i] = (vf)((vi)x[i] + ((vi)t[i] << 23));
}

FN vf exp_v(vf x)
{
	vf y[ABREAST] = { x, x };

	exp_any(y);
	return y[0];
}

/* e^y - 1 for |y| < 700 */
FN vd expm1_d(vd y)
{
	const vd magic = dsplat(0x1.8p52);
	vd t = y * LOG2E + magic;
	vd r = y - (t - magic) * LN2;
	vd scale = (vd)(((vl)t + 1023) << 52);
	/* (e^r - 1) / r within 2.5e-10 */
	vd p = r * POLY(r, vd, 0x1p+0, 0x1.00000028c616cp-1, 0x1.5555556772829p-3,
			0x1.5554ac0c457f7p-5, 0x1.1110c5dbc2ef9p-7, 0x1.6d760f2e108d1p-10,
			0x1.a1522e6f83916p-13);

	return scale * p + (scale - 1);
}

FN vd tanh_d(vd x)
{
	vd e = expm1_d(dsel(x > dsplat(20), dsplat(40), x + x));

	return e / (e + 2);
}
IN_DOUBLE(tanh)

/* Logarithm -------------------------------------------------------------------------------------- */

FN vd ln_d(vd x)
{
	/* x = 2^e m with m from sqrt(1/2) to sqrt(2); x is positive and, in double, normal */
	vul bits = (vul)x + (uint64_t)(0x3ff0000000000000 - 0x3fe6a09e667f3bcd);
	vul e = bits >> 52;
	vd m = (vd)((vul)x - ((e - 1023) << 52));
	vd n = (vd)(e | 0x4330000000000000) - (0x1p52 + 1023);
	vd s = (m - 1) / (m + 1);
	vd z = s * s;

	/* (ln m - 2 s) / s^3 within 1.2e-9 */
	return n * LN2 + (s + s + s * z * POLY(z, vd, 0x1.5555554ba3da3p-1, 0x1.9999ebbc4edd6p-2,
					       0x1.245c198954896p-2, 0x1.ddd7c1bbedaep-3));
}

FN vf ln_v(vf x)
{
	vi plain = (x > splat(0)) & (x < splat(INFINITY));
	vf safe = sel(plain, x, splat(1));
	vf special;
	vd lo, hi;

	widen(safe, &lo, &hi);
	special = sel(x == splat(0), splat(-INFINITY), sel(x < splat(0), (vf)isplat(F32_NAN), x));
	return sel(plain, narrow(ln_d(lo), ln_d(hi)), special);
}

/* Error function --------------------------------------------------------------------------------- */

FN vd erf_d(vd x)
{
	/* from 4 on it is 1 in fp32 */
	vd y = dsel(x > dsplat(4), dsplat(4), x);

	/* erf(y) / y over t = y^2 / 8 - 1 within 2e-10 */
	return y * POLY(y * y * 0.125 - 1, vd,
		0x1.6a040781a499cp-2, -0x1.69a0cd301b91ep-3, 0x1.0dabaf245a337p-3,
		-0x1.b92e6d963dfaap-4, 0x1.717eee4e076f7p-4, -0x1.3218984cd195ap-4,
		0x1.ea99e1ae9780fp-5, -0x1.76bcc6dec6fadp-5, 0x1.0ec5c6e1688d8p-5,
		-0x1.71aa3a7454ee2p-6, 0x1.d73ce53e159ffp-7, -0x1.12ba7628ceb6p-7,
		0x1.38ee4f02d9147p-8, -0x1.7d61c3299c579p-9, 0x1.71a9bd2a54af3p-10,
		-0x1.555506765c526p-12, 0x1.6b49f96c0d06fp-13, -0x1.026466e217773p-12,
		0x1.8a6caab470c6fp-14);
}
IN_DOUBLE(erf)

/* Sine and cosine -------------------------------------------------------------------------------- */

/* below it, n = x 2/pi has at most 20 bits and n PIO2_HI is exact */
#define TRIG_BIG	0x1p20f
#define PIO2		0x1.921fb54442d18p+0
#define PIO2_HI		0x1.921fb544p+0
#define PIO2_LO		0x1.0b4611a626331p-34

/* sin (r + q pi/2) for |r| <= pi/4 */
FN vd sin_quarter(vd r, vl q)
{
	vd z = r * r;
	/* (sin r - r) / r^3 within 3e-11, (cos r - 1) / r^2 within 4e-13 */
	vd s = r + r * z * POLY(z, vd, -0x1.555555545c0f8p-3, 0x1.11110dea5e8cp-7,
				-0x1.a013a11619d1bp-13, 0x1.6dbbee1f24647p-19);
	vd c = 1 + z * POLY(z, vd, -0x1.fffffffffe656p-2, 0x1.5555555147373p-5,
			    -0x1.6c16badbea939p-10, 0x1.a01291464359ep-16,
			    -0x1.2473214f428b9p-22);
	vd y = dsel(0 - (q & 1), c, s);

	return (vd)((vl)y ^ ((q & 2) << 62));
}

FN vd trig_d(vd x, int64_t quarter)
{
	const vd magic = dsplat(0x1.8p52);
	vd t = x * 0x1.45f306dc9c883p-1 + magic;
	vd n = t - magic;

	return sin_quarter(x - n * PIO2_HI - n * PIO2_LO, (vl)t + quarter);
}

/* sine or cosine of a large number: x 2/pi modulo 4 in 128-bit integers */
static __attribute__((noinline)) float trig_big(float x, int64_t quarter)
{
	/* the bits of 2/pi behind the point, after 64 zeros */
	static const uint64_t bits[7] = { 0, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0,
		0xdb6295993c439041, 0xfe5163abdebbc561, 0xb7246e3a424dd2e0, 0 };
	uint32_t word;
	unsigned __int128 w, p, hi;
	unsigned int at, i, shift, q;
	vd r;

	memcpy(&word, &x, 4);
	/* x = m 2^k, k from -3 to 104; 2/pi 2^k modulo 4 begins at bit k - 1 behind the point */
	at = 64 + (word >> 23) - 150 - 2;
	i = at / 64;
	shift = at % 64;
	w = (unsigned __int128)bits[i] << 64 | bits[i + 1];
	hi = bits[i + 2];
	if (shift)
		w = w << shift | hi >> (64 - shift);
	p = w * ((word & 0x7fffff) | 0x800000);
	q = (unsigned int)((p + ((unsigned __int128)1 << 125)) >> 126);
	r = dsplat((double)(__int128)(p - ((unsigned __int128)q << 126)) * (0x1p-126 * PIO2));
	return (float)sin_quarter(r, lsplat((int64_t)q + quarter))[0];
}

FN vf trig_v(vf m, int64_t quarter)
{
	vi big = (m >= splat(TRIG_BIG)) & (m < splat(INFINITY));
	vf y, safe = sel(m < splat(TRIG_BIG), m, splat(0));
	vd lo, hi;

	widen(safe, &lo, &hi);
	y = narrow(trig_d(lo, quarter), trig_d(hi, quarter));
	for (int i = 0; i < LANES; i++)
		if (__builtin_expect(big[i], 0))
			y[i] = trig_big(m[i], quarter);
	return sel(m < splat(INFINITY), y, (vf)isplat(F32_NAN));
}

FN vf sin_v(vf x)
{
	vf y = trig_v(absf(x), 0);

	return (vf)((vi)y ^ ((vi)x & isplat(INT32_MIN)));
}

/* Loops ------------------------------------------------------------------------------------------ */

#define MATH(name, expr) \
	UN_LOOP1(name, f32, expr) UN_LOOP1(name, f16, expr) UN_LOOP1(name, bf16, expr)

MATH(rsqrt, splat(1) / vsqrt(a))
MATH(ln, ln_v(a))
MATH(tanh, with_sign(tanh_v(absf(a)), a))
MATH(sin, sin_v(a))
MATH(cos, trig_v(absf(a), 1))
MATH(erf, with_sign(erf_v(absf(a)), a))

/* @put: a store for results that are not NaN */
#define EXP_LOOP(ty, put) \
static void exp_##ty(void *dp, const void *ap, size_t n, unsigned int round) \
{ \
	const size_t step = LANES * SIZE_##ty; \
	const uint8_t *p = ap; \
	uint8_t *d = dp; \
	(void)round; \
	for (; n >= ABREAST * LANES; n -= ABREAST * LANES, d += ABREAST * step, p += ABREAST * step) { \
		vi small = isplat(-1); \
		vf x[ABREAST]; \
		EACH x[i] = load_##ty(p + i * step); \
		EACH small &= absf(x[i]) < splat(86); \
		if (all_of(small)) { \
			exp_small(x); \
			EACH put(d + i * step, x[i]); \
		} else { \
			exp_any(x); \
			EACH store_##ty(d + i * step, x[i]); \
		} \
	} \
	for (; n >= LANES; n -= LANES, d += step, p += step) \
		store_##ty(d, exp_v(load_##ty(p))); \
	if (n) \
		store_part_##ty(d, exp_v(part_##ty(p, n)), n); \
}
EXP_LOOP(f32, put_f32)
EXP_LOOP(f16, store_f16)
EXP_LOOP(bf16, store_bf16)
