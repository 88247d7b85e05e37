// SPDX-License-Identifier: MIT
/*
 * RANDOM: arrays of random numbers. Word i of a sequence is word i mod 4 of the block that
 * Philox4x32-10 makes of counter + i / 4 under the seed. So any worker can make any element, and it
 * is the same each time.
 */
#include <math.h>

#include "internal.h"
#include "diag/fault.h"
#include "memory/dma.h"
#include "memory/half.h"
#include "memory/random.h"

/* bytes between two looks at invalidations, kills and the clock; they take up to 200 us */
#define RANDOM_POLL	(4ULL << 10)

/* A sequence, and the block made last */
struct sequence {
	const struct random_job *r;
	uint64_t block, turn;
	bool has_block;
	uint32_t word[4];
};

/* Words ---------------------------------------------------------------------------------------- */

void random_block(uint32_t out[4], const uint64_t counter[2], uint64_t seed)
{
	uint32_t c0 = counter[0], c1 = counter[0] >> 32, c2 = counter[1], c3 = counter[1] >> 32;
	uint32_t k0 = seed, k1 = seed >> 32;

	for (int round = 0; round < 10; round++) {
		uint64_t a = (uint64_t)0xd2511f53 * c0, b = (uint64_t)0xcd9e8d57 * c2;

		c0 = (uint32_t)(b >> 32) ^ c1 ^ k0;
		c1 = b;
		c2 = (uint32_t)(a >> 32) ^ c3 ^ k1;
		c3 = a;
		k0 += 0x9e3779b9;
		k1 += 0xbb67ae85;
	}
	out[0] = c0;
	out[1] = c1;
	out[2] = c2;
	out[3] = c3;
}

/* Word @i of the sequence whose counter has @turn added to its upper half */
static uint32_t word_of(struct sequence *s, uint64_t i, uint64_t turn)
{
	uint64_t block = i / 4;

	if (!s->has_block || s->block != block || s->turn != turn) {
		uint64_t low = s->r->counter[0] + block;
		uint64_t counter[2] = { low, s->r->counter[1] + (low < block) + turn };

		random_block(s->word, counter, s->r->seed);
		s->block = block;
		s->turn = turn;
		s->has_block = true;
	}
	return s->word[i % 4];
}

/* Elements ------------------------------------------------------------------------------------- */

/* Element @i and its neighbour are the two coordinates of one point (Box and Muller) */
static double normal(struct sequence *s, uint64_t i, uint64_t turn)
{
	double u = (word_of(s, i & ~1ULL, turn) + 1.0) * 0x1p-32;
	double v = word_of(s, i | 1, turn) * 0x1p-32 * (2 * 3.14159265358979323846);
	double radius = sqrt(-2 * log(u));

	return radius * (i & 1 ? sin(v) : cos(v));
}

static double truncated_normal(struct sequence *s, uint64_t i)
{
	double z = normal(s, i, 0);

	for (uint64_t turn = 1; fabs(z) > 2; turn++)
		z = normal(s, i, turn);
	return z;
}

static float to_type(double value, uint32_t type)
{
	float f = (float)value;

	if (type == ANPU_RANDOM_F16)
		return from_f16(to_f16(f));
	return type == ANPU_RANDOM_BF16 ? from_bf16(to_bf16(f)) : f;
}

/* The greatest number of the type below @f, which is finite */
static float below(float f, uint32_t type)
{
	uint32_t step = type == ANPU_RANDOM_F32 ? 1 : 1U << 16, bits = bits_of(f);
	uint16_t half = to_f16(f);

	if (type == ANPU_RANDOM_F16)
		return from_f16(!(half & 0x7fff) ? 0x8001 : half & 0x8000 ? half + 1 : half - 1);
	if (!(bits & 0x7fffffff))
		return float_of(0x80000000 | step);
	return float_of(bits & 0x80000000 ? bits + step : bits - step);
}

static float real(struct sequence *s, uint64_t i)
{
	const struct random_job *r = s->r;
	double a = r->a.real, b = r->b.real;
	float f;

	if (r->dist == ANPU_RANDOM_NORMAL)
		return to_type(a + b * normal(s, i, 0), r->type);
	if (r->dist == ANPU_RANDOM_TRUNCATED_NORMAL)
		return to_type(a + b * truncated_normal(s, i), r->type);
	f = to_type(a + (b - a) * (word_of(s, i, 0) * 0x1p-32), r->type);
	return f >= b && b > a ? below(b, r->type) : f;
}

/* A random integer from a to b - 1; sums wrap, so the same code serves both signs. */
static uint64_t integer(struct sequence *s, uint64_t i)
{
	const struct random_job *r = s->r;
	uint64_t span = r->b.integer - r->a.integer, value;

	if (ANPU_RANDOM_SIZE(r->type) == 4)
		return r->a.integer + (word_of(s, i, 0) * (span & UINT32_MAX) >> 32);
	value = word_of(s, 2 * i, 0) | (uint64_t)word_of(s, 2 * i + 1, 0) << 32;
	return r->a.integer + (uint64_t)((unsigned __int128)value * span >> 64);
}

/* Bits from @first on that are 1 where an element is kept; those behind the last one are 0 */
static void mask_bytes(struct sequence *s, uint8_t *to, uint64_t at, uint64_t n)
{
	uint64_t dropped = (uint64_t)(s->r->a.real * 0x1p32);

	for (uint64_t i = 0; i < n; i++) {
		to[i] = 0;
		for (uint64_t bit = 0; bit < 8 && (at + i) * 8 + bit < s->r->count; bit++)
			to[i] |= (word_of(s, (at + i) * 8 + bit, 0) >= dropped) << bit;
	}
}

/* @n bytes from byte @at of the result on, whole elements */
static void make(const struct random_job *r, uint8_t *to, uint64_t at, uint64_t n)
{
	uint32_t size = ANPU_RANDOM_SIZE(r->type);
	struct sequence s = { .r = r };

	if (r->dist == ANPU_RANDOM_BITMASK) {
		mask_bytes(&s, to, at, n);
		return;
	}
	for (uint64_t i = 0; i < n; i += size) {
		uint64_t element = (at + i) / size, value;
		float f;

		if (r->type < ANPU_RANDOM_F16) {
			value = integer(&s, element);
		} else {
			f = real(&s, element);
			value = r->type == ANPU_RANDOM_F16 ? to_f16(f) :
				r->type == ANPU_RANDOM_BF16 ? to_bf16(f) : bits_of(f);
		}
		memcpy(to + i, &value, size);
	}
}

/**
 * random_range() - make a part of the result
 * @at: its first byte
 * @size: bytes; both are multiples of the element
 *
 * Inside mmu_enter(). Return: false if it failed; else @s tells how far the turn went.
 */
bool random_range(struct dma_slice *s, const struct random_job *r, uint64_t at, uint64_t size,
		  struct core_fault *f)
{
	while (size) {
		uint64_t n;
		void *to;

		if (!dma_look(s, RANDOM_POLL, r->dst + at, f))
			return false;
		if (s->over)
			return true;
		to = mmu_access(s->mmu, r->dst + at, ANPU_ACCESS_WRITE, &n, f);
		if (!to)
			return false;
		if (n > size)
			n = size;
		if (n > RANDOM_POLL)
			n = RANDOM_POLL;
		make(r, to, at, n);
		at += n;
		size -= n;
		s->since += n;
		s->written += n;
	}
	return true;
}

/* Parameters ----------------------------------------------------------------------------------- */

#define REFUSE(f, ...) (fault_set(f, ANPU_FAULT_BAD_PACKET, 0, 0, __VA_ARGS__), false)

/* Read a parameter: a field of the packet, or the memory that the field is the address of. */
static bool fetch(struct worker *w, const struct anpu_pkt_random *p, uint16_t in_memory,
		  uint64_t field, uint32_t size, uint64_t *value)
{
	*value = field;
	if (!(p->hdr.flags & in_memory))
		return true;
	*value = 0;
	return mmu_read_mem(&w->mmu, value, field, size, &w->fault);
}

static void decode(uint32_t type, uint64_t bits, union random_value *v)
{
	switch (type) {
	case ANPU_RANDOM_F16:
		v->real = from_f16(bits);
		break;
	case ANPU_RANDOM_BF16:
		v->real = from_bf16(bits);
		break;
	case ANPU_RANDOM_F32:
		v->real = float_of(bits);
		break;
	default:
		v->integer = bits;
	}
}

static bool ordered(const struct random_job *r)
{
	switch (r->type) {
	case ANPU_RANDOM_S32:
		return (int32_t)r->a.integer <= (int32_t)r->b.integer;
	case ANPU_RANDOM_U32:
		return (uint32_t)r->a.integer <= (uint32_t)r->b.integer;
	case ANPU_RANDOM_S64:
		return (int64_t)r->a.integer <= (int64_t)r->b.integer;
	case ANPU_RANDOM_U64:
		return r->a.integer <= r->b.integer;
	}
	return r->a.real <= r->b.real;
}

static bool check_values(const struct random_job *r, struct core_fault *f)
{
	if (r->type >= ANPU_RANDOM_F16 && (!isfinite(r->a.real) || !isfinite(r->b.real)))
		return REFUSE(f, "RANDOM: the parameters %g and %g are not both finite", r->a.real,
			      r->b.real);
	switch (r->dist) {
	case ANPU_RANDOM_UNIFORM:
		return ordered(r) || REFUSE(f, "RANDOM: the minimum is greater than the maximum");
	case ANPU_RANDOM_BITMASK:
		return (r->a.real >= 0 && r->a.real <= 1) ||
		       REFUSE(f, "RANDOM: the ratio is %g and must be from 0 to 1", r->a.real);
	default:
		return r->b.real >= 0 ||
		       REFUSE(f, "RANDOM: the standard deviation is %g and must not be negative",
			      r->b.real);
	}
}

static bool random_read(struct worker *w, const struct anpu_pkt_random *p, struct random_job *r)
{
	uint32_t size = ANPU_RANDOM_SIZE(p->type);
	uint64_t a, b;

	*r = (struct random_job){ .dst = p->dst, .dist = p->dist, .type = p->type };
	if (!fetch(w, p, ANPU_RANDOM_COUNT_AT, p->count, 8, &r->count) ||
	    !fetch(w, p, ANPU_RANDOM_SEED_AT, p->seed, 8, &r->seed) ||
	    !fetch(w, p, ANPU_RANDOM_A_AT, p->a, size, &a) ||
	    !fetch(w, p, ANPU_RANDOM_B_AT, p->b, size, &b) ||
	    !mmu_read_mem(&w->mmu, r->counter, p->counter, sizeof(r->counter), &w->fault))
		return false;
	decode(p->type, a, &r->a);
	decode(p->type, b, &r->b);
	if (!check_values(r, &w->fault))
		return false;
	if (r->dist == ANPU_RANDOM_BITMASK)
		r->size = r->count / 8 + !!(r->count % 8);
	else if (__builtin_mul_overflow(r->count, (uint64_t)size, &r->size))
		return REFUSE(&w->fault, "RANDOM: 0x%llx elements do not fit into memory",
			      (unsigned long long)r->count);
	if (r->size > ~r->dst)
		return REFUSE(&w->fault, "RANDOM: 0x%llx bytes from 0x%llx on wrap around",
			      (unsigned long long)r->size, (unsigned long long)r->dst);
	return true;
}

/** random_prepare() - read and check what the RANDOM in the queue's hand is to make */
bool random_prepare(struct worker *w, struct queue *q, struct random_job *r)
{
	bool ok;

	mmu_enter(&w->mmu, q->ctx.asid);
	ok = random_read(w, &q->pkt.random, r);
	mmu_exit(&w->mmu);
	return ok;
}
