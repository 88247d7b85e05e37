/* SPDX-License-Identifier: MIT */
/*
 * Several lanes at a time: the compiler's vector types, and the few functions that differ between
 * hosts. Everything here is exact or correctly rounded, so all hosts give the same bits. NaN is
 * made canonical where results are stored, because hosts differ in the payloads they propagate.
 */
#ifndef ANPU_TILE_SIMD_H
#define ANPU_TILE_SIMD_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#if TILE_AVX2 || TILE_AVX512
#include <immintrin.h>
#endif

#if defined(__clang__)
#pragma clang fp contract(off)
#pragma clang diagnostic ignored "-Wpass-failed"
#define UNROLL		_Pragma("clang loop unroll_count(4)")
#define INDEPENDENT	_Pragma("clang loop vectorize(assume_safety)")
#else
#define UNROLL		_Pragma("GCC unroll 4")
#define INDEPENDENT	_Pragma("GCC ivdep")
#endif

#define LANES	(TILE_AVX512 ? 16 : TILE_AVX2 ? 8 : 4)
#define FN	static inline __attribute__((always_inline))

typedef float vf __attribute__((vector_size(4 * LANES)));
typedef int32_t vi __attribute__((vector_size(4 * LANES)));
typedef uint32_t vu __attribute__((vector_size(4 * LANES)));
typedef uint16_t vh __attribute__((vector_size(2 * LANES)));
typedef int16_t vs16 __attribute__((vector_size(2 * LANES)));
typedef int8_t vs8 __attribute__((vector_size(LANES)));
typedef uint8_t vu8 __attribute__((vector_size(LANES)));

#define F32_NAN		0x7fc00000
#define F16_NAN		0x7e00
#define BF16_NAN	0x7fc0

FN vf splat(float x)
{
	return x - (vf){ 0 };
}

FN vi isplat(int32_t x)
{
	return x - (vi){ 0 };
}

/* with AVX-512 the compiler makes one masked move of the comparison and this */
FN vf sel(vi mask, vf yes, vf no)
{
#if TILE_AVX2
	return (vf)_mm256_blendv_ps((__m256)no, (__m256)yes, (__m256)mask);
#else
	return (vf)((mask & (vi)yes) | (~mask & (vi)no));
#endif
}

FN vi isel(vi mask, vi yes, vi no)
{
	return (vi)sel(mask, (vf)yes, (vf)no);
}

/* a < b ? a : b and a > b ? a : b; b if one of them is NaN */
FN vf lesser(vf a, vf b)
{
#if TILE_AVX512
	return (vf)_mm512_min_ps((__m512)a, (__m512)b);
#elif TILE_AVX2
	return (vf)_mm256_min_ps((__m256)a, (__m256)b);
#else
	return sel(a < b, a, b);
#endif
}

FN vf greater(vf a, vf b)
{
#if TILE_AVX512
	return (vf)_mm512_max_ps((__m512)a, (__m512)b);
#elif TILE_AVX2
	return (vf)_mm256_max_ps((__m256)a, (__m256)b);
#else
	return sel(a > b, a, b);
#endif
}

FN vf absf(vf x)
{
	return (vf)((vi)x & isplat(0x7fffffff));
}

FN vi is_nan(vf x)
{
	return x != x;
}

FN vf canon(vf x)
{
	return sel(is_nan(x), (vf)isplat(F32_NAN), x);
}

FN vf vsqrt(vf x)
{
#if TILE_AVX512
	return (vf)_mm512_sqrt_ps((__m512)x);
#elif TILE_AVX2
	return (vf)_mm256_sqrt_ps((__m256)x);
#else
	vf r;

	for (int i = 0; i < LANES; i++)
		r[i] = __builtin_sqrtf(x[i]);
	return r;
#endif
}

/* true if every lane of a comparison is */
FN bool all_of(vi mask)
{
#if TILE_AVX512
	return _mm512_movepi32_mask((__m512i)mask) == 0xffff;
#elif TILE_AVX2
	return _mm256_movemask_ps((__m256)mask) == 0xff;
#else
	return mask[0] & mask[1] & mask[2] & mask[3];
#endif
}

/* a * b + c in one rounding */
FN vf vfma(vf a, vf b, vf c)
{
#if TILE_AVX512
	return (vf)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
#elif TILE_AVX2
	return (vf)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#else
	vf r;

	for (int i = 0; i < LANES; i++)
		r[i] = fmaf(a[i], b[i], c[i]);
	return r;
#endif
}

/* towards zero; only for values that fit */
FN vi to_int(vf x)
{
	return __builtin_convertvector(x, vi);
}

FN vf to_float(vi x)
{
	return __builtin_convertvector(x, vf);
}

/* Loads and stores ----------------------------------------------------------------------------- */

FN vf load_f32(const void *p)
{
	vf x;

	memcpy(&x, p, sizeof(x));
	return x;
}

FN void put_f32(void *p, vf x)
{
	memcpy(p, &x, sizeof(x));
}

FN void store_f32(void *p, vf x)
{
	put_f32(p, canon(x));
}

FN vf f16_widen(vh h)
{
#if TILE_AVX512
	return (vf)_mm512_cvtph_ps((__m256i)h);
#elif TILE_AVX2
	return (vf)_mm256_cvtph_ps((__m128i)h);
#else
	vi x = (vi)__builtin_convertvector(h, vu);
	vi mag = (x & isplat(0x7fff)) << 13;
	/* as a float the magnitude is 2^112 too small, subnormal or not */
	vi fin = (vi)((vf)mag * splat(0x1p112f));
	vi r = isel(mag >= isplat(0x7c00 << 13), mag | isplat(0x7f800000), fin);

	return (vf)(r | (x & isplat(0x8000)) << 16);
#endif
}

/* to nearest even; NaN becomes the canonical one */
FN vh f16_narrow(vf x)
{
#if TILE_AVX512
	return (vh)_mm512_cvtps_ph((__m512)canon(x), _MM_FROUND_TO_NEAREST_INT);
#elif TILE_AVX2
	return (vh)_mm256_cvtps_ph((__m256)canon(x), _MM_FROUND_TO_NEAREST_INT);
#else
	vi bits = (vi)canon(x);
	vi sign = (bits >> 16) & isplat(0x8000);
	vi mag = bits & isplat(0x7fffffff);
	/* below 2^-14 the addition of 0.5 does the rounding, its last bit being worth 2^-24 */
	vi small = (vi)((vf)mag + splat(0.5f)) - isplat(0x3f000000);
	vi norm = (mag - isplat((127 - 15) << 23) + isplat(0xfff) + ((mag >> 13) & 1)) >> 13;
	vi r = isel(mag < isplat((127 - 14) << 23), small, norm);

	r = isel(mag >= isplat((127 + 16) << 23), isplat(0x7c00), r);
	r = isel(mag > isplat(0x7f800000), isplat(F16_NAN), r) | sign;
	return __builtin_convertvector((vu)r, vh);
#endif
}

FN vf load_f16(const void *p)
{
	vh h;

	memcpy(&h, p, sizeof(h));
	return f16_widen(h);
}

FN void store_f16(void *p, vf x)
{
	vh h = f16_narrow(x);

	memcpy(p, &h, sizeof(h));
}

FN vh low_halves(vu x)
{
#if TILE_AVX2
	__m256i p = _mm256_packus_epi32((__m256i)x, (__m256i)x);

	return (vh)_mm256_castsi256_si128(_mm256_permute4x64_epi64(p, 0x08));
#else
	return __builtin_convertvector(x, vh);
#endif
}

FN vf bf16_widen(vh h)
{
	return (vf)(__builtin_convertvector(h, vu) << 16);
}

FN vf load_bf16(const void *p)
{
	vh h;

	memcpy(&h, p, sizeof(h));
	return bf16_widen(h);
}

FN vh bf16_narrow(vf x)
{
	vu b = (vu)canon(x);
	vu r = (b + 0x7fff + ((b >> 16) & 1)) >> 16;

	/* the canonical NaN does not change under this rounding */
	return low_halves(r);
}

FN void store_bf16(void *p, vf x)
{
	vh h = bf16_narrow(x);

	memcpy(p, &h, sizeof(h));
}

/* what to do with element types in macros */
#define SIZE_f32	4
#define SIZE_f16	2
#define SIZE_bf16	2

/* The last n elements, fewer than LANES: no byte beyond them is touched; missing lanes are zero. */
#if TILE_AVX512
FN vf part_f32(const void *p, size_t n)
{
	return (vf)_mm512_maskz_loadu_ps((__mmask16)((1u << n) - 1), p);
}

FN vh part_16(const void *p, size_t n)
{
	return (vh)_mm256_maskz_loadu_epi16((__mmask16)((1u << n) - 1), p);
}

FN void put_part_f32(void *p, vf x, size_t n)
{
	_mm512_mask_storeu_ps(p, (__mmask16)((1u << n) - 1), (__m512)x);
}

FN void put_part_16(void *p, vh x, size_t n)
{
	_mm256_mask_storeu_epi16(p, (__mmask16)((1u << n) - 1), (__m256i)x);
}
#else
FN vf part_f32(const void *p, size_t n)
{
	vf x = { 0 };

	memcpy(&x, p, n * 4);
	return x;
}

FN vh part_16(const void *p, size_t n)
{
	vh x = { 0 };

	memcpy(&x, p, n * 2);
	return x;
}

FN void put_part_f32(void *p, vf x, size_t n)
{
	memcpy(p, &x, n * 4);
}

FN void put_part_16(void *p, vh x, size_t n)
{
	memcpy(p, &x, n * 2);
}
#endif

FN void store_part_f32(void *p, vf x, size_t n)
{
	put_part_f32(p, canon(x), n);
}

FN vf part_f16(const void *p, size_t n)
{
	return f16_widen(part_16(p, n));
}

FN void store_part_f16(void *p, vf x, size_t n)
{
	put_part_16(p, f16_narrow(x), n);
}

FN vf part_bf16(const void *p, size_t n)
{
	return bf16_widen(part_16(p, n));
}

FN void store_part_bf16(void *p, vf x, size_t n)
{
	put_part_16(p, bf16_narrow(x), n);
}

#endif /* ANPU_TILE_SIMD_H */
