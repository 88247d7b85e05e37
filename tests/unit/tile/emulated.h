/* SPDX-License-Identifier: MIT */
/*
 * The AVX-512 instructions that the tile kernels use, out of those of AVX2, for tests: so the kernels for
 * AVX-512, with their sixteen lanes and masks, run on hosts without it, beside the others. What the
 * processor's own instructions do is not tested by this.
 */
#ifndef ANPU_EMULATED_H
#define ANPU_EMULATED_H

#include <immintrin.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

typedef union {
	__m512 all;
	__m512i bits;
	__m256 half[2];
	__m256i half_bits[2];
	float lane[16];
	int32_t word[16];
} emulated;

#define BOTH(name, instruction) \
static inline __attribute__((always_inline)) __m512 emulated_##name(__m512 a, __m512 b) \
{ \
	emulated x = { .all = a }, y = { .all = b }; \
\
	for (int i = 0; i < 2; i++) \
		x.half[i] = instruction(x.half[i], y.half[i]); \
	return x.all; \
}
BOTH(min, _mm256_min_ps)
BOTH(max, _mm256_max_ps)
#undef BOTH

#define BOTH(name, instruction) \
static inline __attribute__((always_inline)) __m512i emulated_##name(__m512i a, __m512i b) \
{ \
	emulated x = { .bits = a }, y = { .bits = b }; \
\
	for (int i = 0; i < 2; i++) \
		x.half_bits[i] = instruction(x.half_bits[i], y.half_bits[i]); \
	return x.bits; \
}
BOTH(add, _mm256_add_epi32)
BOTH(madd, _mm256_madd_epi16)
#undef BOTH

static inline __attribute__((always_inline)) __m512 emulated_sqrt(__m512 a)
{
	emulated x = { .all = a };

	for (int i = 0; i < 2; i++)
		x.half[i] = _mm256_sqrt_ps(x.half[i]);
	return x.all;
}

static inline __attribute__((always_inline)) __m512 emulated_fmadd(__m512 a, __m512 b, __m512 c)
{
	emulated x = { .all = a }, y = { .all = b }, z = { .all = c };

	for (int i = 0; i < 2; i++)
		x.half[i] = _mm256_fmadd_ps(x.half[i], y.half[i], z.half[i]);
	return x.all;
}

static inline __attribute__((always_inline)) __m512 emulated_cvtph(__m256i h)
{
	emulated x;

	x.half[0] = _mm256_cvtph_ps(_mm256_castsi256_si128(h));
	x.half[1] = _mm256_cvtph_ps(_mm256_extracti128_si256(h, 1));
	return x.all;
}

static inline __attribute__((always_inline)) __m256i emulated_cvtps(__m512 a)
{
	emulated x = { .all = a };

	return _mm256_set_m128i(_mm256_cvtps_ph(x.half[1], _MM_FROUND_TO_NEAREST_INT),
				_mm256_cvtps_ph(x.half[0], _MM_FROUND_TO_NEAREST_INT));
}

/* the scale of 0, which all callers have, is that of whole numbers */
#define emulated_roundscale(a, mode) __extension__({ \
	emulated rounded_ = { .all = (a) }; \
	rounded_.half[0] = _mm256_round_ps(rounded_.half[0], mode); \
	rounded_.half[1] = _mm256_round_ps(rounded_.half[1], mode); \
	rounded_.all; })

static inline __attribute__((always_inline)) __m512 emulated_scalef(__m512 a, __m512 b)
{
	emulated x = { .all = a }, y = { .all = b };

	for (int i = 0; i < 16; i++) {
		/* no single has exponents beyond these */
		float n = y.lane[i] < -600 ? -600 : y.lane[i] > 600 ? 600 : floorf(y.lane[i]);

		x.lane[i] = y.lane[i] != y.lane[i] ? y.lane[i] : scalbnf(x.lane[i], (int)n);
	}
	return x.all;
}

static inline __attribute__((always_inline)) __m512 emulated_load_ps(unsigned int mask, const void *p)
{
	emulated x = { .lane = { 0 } };

	/* byte by byte of what the mask has, so that sanitizers see each access */
	for (int i = 0; i < 16; i++)
		if (mask >> i & 1)
			memcpy(&x.word[i], (const char *)p + 4 * i, 4);
	return x.all;
}

static inline __attribute__((always_inline)) __m256i emulated_load_16(unsigned int mask, const void *p)
{
	union { __m256i all; int16_t lane[16]; } x = { .lane = { 0 } };

	for (int i = 0; i < 16; i++)
		if (mask >> i & 1)
			memcpy(&x.lane[i], (const char *)p + 2 * i, 2);
	return x.all;
}

static inline __attribute__((always_inline)) void emulated_store_ps(void *p, unsigned int mask, __m512 a)
{
	emulated x = { .all = a };

	for (int i = 0; i < 16; i++)
		if (mask >> i & 1)
			memcpy((char *)p + 4 * i, &x.word[i], 4);
}

static inline __attribute__((always_inline)) void emulated_store_16(void *p, unsigned int mask, __m256i a)
{
	union { __m256i all; int16_t lane[16]; } x = { .all = a };

	for (int i = 0; i < 16; i++)
		if (mask >> i & 1)
			memcpy((char *)p + 2 * i, &x.lane[i], 2);
}

static inline __attribute__((always_inline)) __m512i emulated_set1(int32_t v)
{
	emulated x;

	for (int i = 0; i < 16; i++)
		x.word[i] = v;
	return x.bits;
}

static inline __attribute__((always_inline)) unsigned int emulated_signs(__m512i a)
{
	emulated x = { .bits = a };

	return (unsigned int)_mm256_movemask_ps(x.half[0]) |
	       (unsigned int)_mm256_movemask_ps(x.half[1]) << 8;
}

/* the only comparison that is used: one of them is NaN */
static inline __attribute__((always_inline)) unsigned int emulated_unordered(__m512 a, __m512 b)
{
	emulated x = { .all = a }, y = { .all = b };

	return (unsigned int)_mm256_movemask_ps(_mm256_cmp_ps(x.half[0], y.half[0], _CMP_UNORD_Q)) |
	       (unsigned int)_mm256_movemask_ps(_mm256_cmp_ps(x.half[1], y.half[1], _CMP_UNORD_Q)) << 8;
}

static inline __attribute__((always_inline)) __m512 emulated_permute(__m512 a, __m512i lanes, __m512 b)
{
	emulated x = { .all = a }, y = { .all = b }, n = { .bits = lanes }, r;

	for (int i = 0; i < 16; i++)
		r.word[i] = n.word[i] & 16 ? y.word[n.word[i] & 15] : x.word[n.word[i] & 15];
	return r.all;
}

#define _mm512_min_ps		emulated_min
#define _mm512_max_ps		emulated_max
#define _mm512_sqrt_ps		emulated_sqrt
#define _mm512_fmadd_ps		emulated_fmadd
#define _mm512_cvtph_ps		emulated_cvtph
#undef _mm512_cvtps_ph
#define _mm512_cvtps_ph(a, mode)	emulated_cvtps(a)
#define _mm512_maskz_loadu_ps	emulated_load_ps
#define _mm256_maskz_loadu_epi16	emulated_load_16
#define _mm512_mask_storeu_ps	emulated_store_ps
#define _mm256_mask_storeu_epi16	emulated_store_16
#undef _mm512_roundscale_ps
#define _mm512_roundscale_ps	emulated_roundscale
#define _mm512_scalef_ps	emulated_scalef
#define _mm512_add_epi32	emulated_add
#define _mm512_madd_epi16	emulated_madd
#define _mm512_set1_epi32	emulated_set1
#define _mm512_movepi32_mask	emulated_signs
#undef _mm512_cmp_ps_mask
#define _mm512_cmp_ps_mask(a, b, how)	emulated_unordered(a, b)
#define _mm512_permutex2var_ps	emulated_permute

#endif /* ANPU_EMULATED_H */
