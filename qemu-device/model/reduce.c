// SPDX-License-Identifier: MIT
/* REDUCE: dst = dst op src, element by element. */
#include "half.h"
#include "internal.h"

/* bytes between two looks at invalidations, kills and the clock; they take up to 100 us */
#define REDUCE_POLL	(64ULL << 10)

/* Floating-point numbers ----------------------------------------------------------------------- */

/*
 * Sums. A sum in binary32 has at least twice the digits of a half and two more, so that rounding
 * it again gives what rounding the exact sum once gives; subnormal sums are exact.
 */
static uint16_t sum_f16(uint16_t a, uint16_t b)
{
	return to_f16(from_f16(a) + from_f16(b));
}

static uint16_t sum_bf16(uint16_t a, uint16_t b)
{
	return to_bf16(from_bf16(a) + from_bf16(b));
}

static uint32_t sum_f32(uint32_t a, uint32_t b)
{
	uint32_t sum = bits_of(float_of(a) + float_of(b));

	return (sum & 0x7fffffff) > 0x7f800000 ? 0x7fc00000 : sum;
}

/* Signed integers that have the order of the numbers, -0 before +0 */
static int32_t order16(uint16_t bits)
{
	return bits & 0x8000 ? -1 - (bits & 0x7fff) : bits;
}

static int64_t order32(uint32_t bits)
{
	return bits & 0x80000000 ? -1 - (int64_t)(bits & 0x7fffffff) : bits;
}

/* @nan is the canonical one, whose mantissa is its highest bit alone */
static bool nan16(uint16_t a, uint16_t b, uint16_t nan, unsigned int digits)
{
	uint16_t infinity = nan ^ 1U << (digits - 1);

	return (a & 0x7fff) > infinity || (b & 0x7fff) > infinity;
}

static uint16_t select16(uint16_t a, uint16_t b, bool max, uint16_t nan, unsigned int digits)
{
	if (nan16(a, b, nan, digits))
		return nan;
	return (order16(a) < order16(b)) == max ? b : a;
}

static uint32_t select32(uint32_t a, uint32_t b, bool max)
{
	if ((a & 0x7fffffff) > 0x7f800000 || (b & 0x7fffffff) > 0x7f800000)
		return 0x7fc00000;
	return (order32(a) < order32(b)) == max ? b : a;
}

#define MAX_F16(a, b)	select16(a, b, true, 0x7e00, 10)
#define MIN_F16(a, b)	select16(a, b, false, 0x7e00, 10)
#define MAX_BF16(a, b)	select16(a, b, true, 0x7fc0, 7)
#define MIN_BF16(a, b)	select16(a, b, false, 0x7fc0, 7)
#define MAX_F32(a, b)	select32(a, b, true)
#define MIN_F32(a, b)	select32(a, b, false)

/* Integers. Sums wrap, so those of signed numbers are those of unsigned ones. */
#define SUM(a, b)	((a) + (b))
#define MAX(a, b)	((a) > (b) ? (a) : (b))
#define MIN(a, b)	((a) < (b) ? (a) : (b))

/* Arrays --------------------------------------------------------------------------------------- */

#define COMBINE(name, type, op) \
static void name(void *to, const void *from, uint64_t n) \
{ \
	type *d = to; \
	const type *s = from; \
\
	for (uint64_t i = 0; i < n / sizeof(type); i++) \
		d[i] = op(d[i], s[i]); \
}

COMBINE(sum_s8s, uint8_t, SUM)
COMBINE(max_s8s, int8_t, MAX)
COMBINE(min_s8s, int8_t, MIN)
COMBINE(sum_s16s, uint16_t, SUM)
COMBINE(max_s16s, int16_t, MAX)
COMBINE(min_s16s, int16_t, MIN)
COMBINE(sum_s32s, uint32_t, SUM)
COMBINE(max_s32s, int32_t, MAX)
COMBINE(min_s32s, int32_t, MIN)
COMBINE(sum_f16s, uint16_t, sum_f16)
COMBINE(max_f16s, uint16_t, MAX_F16)
COMBINE(min_f16s, uint16_t, MIN_F16)
COMBINE(sum_bf16s, uint16_t, sum_bf16)
COMBINE(max_bf16s, uint16_t, MAX_BF16)
COMBINE(min_bf16s, uint16_t, MIN_BF16)
COMBINE(sum_f32s, uint32_t, sum_f32)
COMBINE(max_f32s, uint32_t, MAX_F32)
COMBINE(min_f32s, uint32_t, MIN_F32)

static void (*const combine[ANPU_REDUCE_TYPE_COUNT][ANPU_REDUCE_OP_COUNT])(void *, const void *,
									    uint64_t) = {
	[ANPU_REDUCE_S8] = { sum_s8s, max_s8s, min_s8s },
	[ANPU_REDUCE_S16] = { sum_s16s, max_s16s, min_s16s },
	[ANPU_REDUCE_S32] = { sum_s32s, max_s32s, min_s32s },
	[ANPU_REDUCE_F16] = { sum_f16s, max_f16s, min_f16s },
	[ANPU_REDUCE_BF16] = { sum_bf16s, max_bf16s, min_bf16s },
	[ANPU_REDUCE_F32] = { sum_f32s, max_f32s, min_f32s },
};

/*
 * A part of the REDUCE in the queue's hand. Inside mmu_enter(); packet_check() has seen to it that
 * nothing wraps and that elements are aligned, so that each lies within a run.
 */
bool reduce_range(struct dma_slice *s, uint64_t src, uint64_t dst, uint64_t size,
		  struct core_fault *f)
{
	const struct anpu_pkt_reduce *p = &s->q->pkt.reduce;
	const struct dma_pass pass = { combine[p->type][p->op], REDUCE_POLL,
				       ANPU_ACCESS_READ | ANPU_ACCESS_WRITE };

	return dma_walk(s, &pass, src, dst, size, f);
}
