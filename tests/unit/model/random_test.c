// SPDX-License-Identifier: MIT
/* RANDOM: known answers, every element by its formula, distributions, what it refuses, faults. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "memory/half.h"

#define N	100000

static struct dev *d;
static struct tq *q;
static uint64_t counter, dst, params;

static union anpu_packet p_random(enum anpu_random_dist dist, enum anpu_random_type type,
				  uint64_t count)
{
	return (union anpu_packet){ .random = { .hdr.opcode = ANPU_OP_RANDOM, .dst = dst,
		.count = count, .counter = counter, .seed = 42, .dist = dist, .type = type } };
}

static void set_counter(uint64_t low, uint64_t high)
{
	uint64_t c[2] = { low, high };

	memcpy(hbm_ptr(d, counter), c, sizeof(c));
}

/* Words ---------------------------------------------------------------------------------------- */

/* The algorithm once more, by its authors' description: rounds of two products and a permutation */
static void philox(uint32_t c[4], uint64_t seed)
{
	uint32_t k[2] = { seed, seed >> 32 };

	for (int round = 0; round < 10; round++) {
		uint64_t m[2] = { 0xd2511f53ULL * c[0], 0xcd9e8d57ULL * c[2] };
		uint32_t next[4] = { (m[1] >> 32) ^ c[1] ^ k[0], m[1], (m[0] >> 32) ^ c[3] ^ k[1],
				     m[0] };

		memcpy(c, next, sizeof(next));
		k[0] += 0x9e3779b9;
		k[1] += 0xbb67ae85;
	}
}

static uint32_t word(uint64_t i, uint64_t low, uint64_t high, uint64_t seed)
{
	uint64_t at = low + i / 4;
	uint32_t c[4];

	high += at < low;
	c[0] = at;
	c[1] = at >> 32;
	c[2] = high;
	c[3] = high >> 32;
	philox(c, seed);
	return c[i % 4];
}

/* 32 bits from 0 up to 2^32 - 1 are the words, but for the greatest one */
static void raw(uint32_t out[4], uint64_t low, uint64_t high, uint64_t seed)
{
	union anpu_packet p = p_random(ANPU_RANDOM_UNIFORM, ANPU_RANDOM_U64, 2);
	uint64_t v[2];

	set_counter(low, high);
	p.random.seed = seed;
	p.random.b = ~0ULL;
	tq_run(q, &p);
	memcpy(v, hbm_ptr(d, dst), sizeof(v));
	/* floor(w * (2^64 - 1) / 2^64) is w - 1 unless w is 0 */
	for (int i = 0; i < 2; i++) {
		out[2 * i] = v[i] + 1;
		out[2 * i + 1] = (v[i] + 1) >> 32;
	}
}

static void test_known_answers(void)
{
	static const struct {
		uint64_t low, high, seed;
		uint32_t words[4];
	} known[] = {
		{ 0, 0, 0, { 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8 } },
		{ ~0ULL, ~0ULL, ~0ULL, { 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd } },
		{ 0x85a308d3243f6a88, 0x0370734413198a2e, 0x299f31d0a4093822,
		  { 0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1 } },
	};
	uint32_t out[4];

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		raw(out, known[i].low, known[i].high, known[i].seed);
		ok(!memcmp(out, known[i].words, sizeof(out)), "known answer %zu: %08x %08x %08x %08x",
		   i, out[0], out[1], out[2], out[3]);
	}
}

/* Elements ------------------------------------------------------------------------------------- */

static double value(const void *array, uint64_t i, unsigned int type)
{
	const uint16_t *half = array;

	return type == ANPU_RANDOM_F32 ? ((const float *)array)[i] :
	       type == ANPU_RANDOM_F16 ? from_f16(half[i]) : from_bf16(half[i]);
}

static uint64_t bits(double v, unsigned int type)
{
	float f = (float)v;

	return type == ANPU_RANDOM_F32 ? bits_of(f) : type == ANPU_RANDOM_F16 ? to_f16(f) :
	       to_bf16(f);
}

static double z_of(uint64_t i, uint64_t low, uint64_t high)
{
	double u = (word(i & ~1ULL, low, high, 42) + 1.0) / 0x1p32;
	double v = 2 * M_PI * word(i | 1, low, high, 42) / 0x1p32;

	return sqrt(-2 * log(u)) * (i & 1 ? sin(v) : cos(v));
}

static double expected(unsigned int dist, double a, double b, uint64_t i, uint64_t low)
{
	uint64_t turn = 0;

	if (dist == ANPU_RANDOM_UNIFORM)
		return a + (b - a) * word(i, low, 7, 42) / 0x1p32;
	if (dist == ANPU_RANDOM_TRUNCATED_NORMAL)
		while (fabs(z_of(i, low, 7 + turn)) > 2)
			turn++;
	return a + b * z_of(i, low, 7 + turn);
}

/* The exact formula for each element, and the moments of the whole */
static void test_floats(unsigned int dist, unsigned int type, double mean, double variance)
{
	static const double tolerance[] = { [ANPU_RANDOM_F16] = 0x1p-10, [ANPU_RANDOM_BF16] = 0x1p-7,
					    [ANPU_RANDOM_F32] = 0x1p-22 };
	union anpu_packet p = p_random(dist, type, N);
	double sum = 0, squares = 0, least = INFINITY, most = -INFINITY;
	/* the block number carries into the upper half on the way */
	uint64_t low = ~0ULL - N / 8, wrong = 0;

	set_counter(low, 7);
	p.random.a = bits(1, type);
	p.random.b = bits(3, type);
	memset(hbm_ptr(d, dst), 0xee, 4 * N + 8);
	tq_run(q, &p);
	for (uint64_t i = 0; i < N; i++) {
		double v = value(hbm_ptr(d, dst), i, type), e = expected(dist, 1, 3, i, low);

		wrong += fabs(v - e) > tolerance[type] * fmax(1, fabs(e));
		sum += v;
		squares += v * v;
		least = fmin(least, v);
		most = fmax(most, v);
	}
	is(wrong, 0, "every element is what its formula says");
	is(((uint8_t *)hbm_ptr(d, dst))[N * ANPU_RANDOM_SIZE(type)], 0xee, "and no more");
	sum /= N;
	squares = squares / N - sum * sum;
	ok(fabs(sum - mean) < 6 * sqrt(variance / N), "dist %u type %u: mean %g", dist, type, sum);
	ok(fabs(squares - variance) < 0.02 * variance, "variance %g, not %g", squares, variance);
	if (dist == ANPU_RANDOM_UNIFORM)
		ok(least >= 1 && most < 3 && least < 1.01 && most > 2.98, "%g to %g", least, most);
	if (dist == ANPU_RANDOM_TRUNCATED_NORMAL)
		ok(least >= -5.01 && most <= 7.01 && least < -4.9 && most > 6.9, "%g to %g", least,
		   most);
	if (dist == ANPU_RANDOM_NORMAL)
		ok(most > 1 + 3 * 3.5 && least < 1 - 3 * 3.5, "it has tails: %g to %g", least, most);
}

/* chi-square of ten values: 99.9999 % of right generators stay below 45 */
static void test_integers(void)
{
	unsigned int counts[10] = { 0 };
	union anpu_packet p = p_random(ANPU_RANDOM_UNIFORM, ANPU_RANDOM_S32, N);
	int32_t *v = hbm_ptr(d, dst);
	int64_t *w = hbm_ptr(d, dst);
	double chi = 0;
	uint64_t wrong = 0;

	set_counter(5, 7);
	p.random.a = (uint32_t)-5;
	p.random.b = 5;
	tq_run(q, &p);
	for (int i = 0; i < N; i++) {
		wrong += v[i] != -5 + (int32_t)(word(i, 5, 7, 42) * 10ULL >> 32);
		if (v[i] >= -5 && v[i] < 5)
			counts[v[i] + 5]++;
	}
	is(wrong, 0, "S32: every element is what its formula says");
	for (int i = 0; i < 10; i++)
		chi += pow(counts[i] - N / 10.0, 2) / (N / 10.0);
	ok(chi < 45, "chi-square %g", chi);
	p = p_random(ANPU_RANDOM_UNIFORM, ANPU_RANDOM_S64, 1000);
	p.random.a = INT64_MIN;
	p.random.b = INT64_MAX;
	tq_run(q, &p);
	wrong = 0;
	for (uint64_t i = 0; i < 1000; i++) {
		uint64_t r = word(2 * i, 5, 7, 42) | (uint64_t)word(2 * i + 1, 5, 7, 42) << 32;

		wrong += (uint64_t)w[i] - (uint64_t)INT64_MIN !=
			 (uint64_t)((unsigned __int128)r * UINT64_MAX >> 64);
	}
	is(wrong, 0, "S64 over all of its range");
	p = p_random(ANPU_RANDOM_UNIFORM, ANPU_RANDOM_U32, 100);
	p.random.a = p.random.b = 0xfffffff0;
	tq_run(q, &p);
	ok(v[0] == -16 && v[99] == -16, "minimum and maximum that are equal");
}

/* Where rounding would reach the maximum, the number below is taken */
static void test_upper_end(unsigned int type, double a, double b)
{
	union anpu_packet p = p_random(ANPU_RANDOM_UNIFORM, type, N);
	uint64_t bad = 0;

	set_counter(0, 0);
	p.random.a = bits(a, type);
	p.random.b = bits(b, type);
	tq_run(q, &p);
	for (int i = 0; i < N; i++) {
		double v = value(hbm_ptr(d, dst), i, type);

		bad += !(v >= a && v < b);
	}
	is(bad, 0, "never the maximum");
}

static void test_mask(void)
{
	union anpu_packet p = p_random(ANPU_RANDOM_BITMASK, ANPU_RANDOM_F32, N - 3);
	uint8_t *v = hbm_ptr(d, dst + 1);
	uint64_t wrong = 0, ones = 0;

	set_counter(5, 7);
	p.random.dst = dst + 1;
	p.random.a = bits(0.25, ANPU_RANDOM_F32);
	memset(v, 0xff, N / 8 + 1);
	tq_run(q, &p);
	for (uint64_t i = 0; i < N - 3; i++) {
		unsigned int bit = v[i / 8] >> (i % 8) & 1;

		wrong += bit != (word(i, 5, 7, 42) >= 0x40000000);
		ones += bit;
	}
	is(wrong, 0, "MASK: every bit is what its formula says");
	ok(fabs(ones / (double)N - 0.75) < 0.01, "three of four are kept");
	ok(!(v[(N - 3) / 8] >> ((N - 3) % 8)) && v[(N - 4) / 8 + 1] == 0xff, "0 behind the last bit");
	p.random.a = bits(0, ANPU_RANDOM_F32);
	tq_run(q, &p);
	ok(v[0] == 0xff && v[1000] == 0xff, "a ratio of 0 keeps all");
	p.random.a = bits(1, ANPU_RANDOM_F32);
	tq_run(q, &p);
	ok(!v[0] && !v[1000], "a ratio of 1 keeps none");
}

/* Numbers that several workers make are those that one worker makes */
static void test_split(void)
{
	enum { LARGE = 2 << 20 };
	union anpu_packet p = p_random(ANPU_RANDOM_NORMAL, ANPU_RANDOM_F32, LARGE / 4);
	float *v = hbm_ptr(d, dst);
	uint64_t wrong = 0;

	set_counter(5, 7);
	p.random.b = bits(1, ANPU_RANDOM_F32);
	tq_run(q, &p);
	for (uint64_t i = 0; i < LARGE / 4; i += 37)
		wrong += fabs(v[i] - z_of(i, 5, 7)) > 1e-5;
	is(wrong, 0, "a large one");
}

/* Parameters ----------------------------------------------------------------------------------- */

static void test_memory(void)
{
	union anpu_packet p = p_random(ANPU_RANDOM_UNIFORM, ANPU_RANDOM_F16, 0);
	struct __attribute__((packed)) {
		uint8_t odd;
		uint64_t count, seed;
		uint16_t a, b;
	} m = { 0, 1000, 42, to_f16(-1), to_f16(1) };
	uint16_t *v = hbm_ptr(d, dst), copy[1000];

	set_counter(5, 7);
	memcpy(hbm_ptr(d, params), &m, sizeof(m));
	p.random.count = params + 1;
	p.random.seed = params + 9;
	p.random.a = params + 17;
	p.random.b = params + 19;
	p.hdr.flags = ANPU_RANDOM_FLAGS;
	memset(v, 0, 2002);
	tq_run(q, &p);
	memcpy(copy, v, 2000);
	ok(v[999] && !v[1000], "count in memory");
	p = p_random(ANPU_RANDOM_UNIFORM, ANPU_RANDOM_F16, 1000);
	p.random.a = m.a;
	p.random.b = m.b;
	tq_run(q, &p);
	ok(!memcmp(copy, v, 2000), "parameters in memory are as those in the packet");
}

static void refused(union anpu_packet p, const char *why)
{
	tq_fails(q, &p, ANPU_FAULT_BAD_PACKET, why, "a refusal");
}

static void test_refused(void)
{
	union anpu_packet good = p_random(ANPU_RANDOM_UNIFORM, ANPU_RANDOM_F32, 8), p;

	p = good, p.random.dist = ANPU_RANDOM_DIST_COUNT;
	refused(p, "distribution 4 is unknown");
	p = good, p.random.type = ANPU_RANDOM_TYPE_COUNT;
	refused(p, "type 7 is unknown");
	p = p_random(ANPU_RANDOM_NORMAL, ANPU_RANDOM_S32, 8);
	refused(p, "has no type 0");
	p = p_random(ANPU_RANDOM_BITMASK, ANPU_RANDOM_F32, 8), p.random.b = 1;
	refused(p, "no second parameter");
	p = good, p.random.a = bits(2, ANPU_RANDOM_F32), p.random.b = bits(1, ANPU_RANDOM_F32);
	refused(p, "greater than the maximum");
	p = good, p.random.b = bits(INFINITY, ANPU_RANDOM_F32);
	refused(p, "not both finite");
	p = good, p.random.a = bits(NAN, ANPU_RANDOM_F32);
	refused(p, "not both finite");
	p = p_random(ANPU_RANDOM_NORMAL, ANPU_RANDOM_BF16, 8), p.random.b = bits(-1, ANPU_RANDOM_BF16);
	refused(p, "must not be negative");
	p = p_random(ANPU_RANDOM_BITMASK, ANPU_RANDOM_F16, 8), p.random.a = bits(1.5, ANPU_RANDOM_F16);
	refused(p, "from 0 to 1");
	p = p_random(ANPU_RANDOM_UNIFORM, ANPU_RANDOM_S64, 8), p.random.a = 1;
	refused(p, "greater than the maximum");
	p = good, p.random.count = 1ULL << 62;
	refused(p, "do not fit");
	p = good, p.random.count = 1ULL << 61, p.random.dst = 1ULL << 63;
	refused(p, "wrap around");
	p = good, p.random.dst += 2;
	tq_fails(q, &p, ANPU_FAULT_MISALIGNED, "4-byte element", "an address off the element");
	p = good, p.random.counter = 0x7000000000;
	tq_fails(q, &p, ANPU_FAULT_UNMAPPED, "", "a counter that is nowhere");
	p = good, p.random.seed = 0x7000000000, p.hdr.flags = ANPU_RANDOM_SEED_AT;
	tq_fails(q, &p, ANPU_FAULT_UNMAPPED, "", "a seed that is nowhere");
	p = good, p.random.dst = 0x7000000000;
	tq_fails(q, &p, ANPU_FAULT_UNMAPPED, "", "a result that is nowhere");
	p = good, p.random.count = 0, p.random.dst = 0x7000000000;
	tq_run(q, &p);
	ok(true, "no element needs no memory");
}

static void stop_one(uint64_t bits, unsigned int cmd)
{
	union anpu_packet p = p_random(ANPU_RANDOM_BITMASK, ANPU_RANDOM_F32, bits);
	struct tq *t = tq_started(d, 2, 0, 0);

	tq_push(t, &p);
	tq_ring(t);
	ok(eventually(load64(&t->st->started) == 1), "it has begun");
	if (cmd == ANPU_QUEUE_STOP) {
		tq_stop(t);
	} else {
		tq_command(t, cmd);
		ok(tq_wait(t, 1), "it ends");
	}
	/* who gets it depends on how far it had come since it began */
	ok(tq_errors(t) == 1 && t->st->fault[0].cause == ANPU_FAULT_KILLED &&
	   (strstr(t->st->fault[0].message, "generator") ||
	    strstr(t->st->fault[0].message, "was waiting")), "it was killed: %s",
	   t->st->fault[0].message);
	tq_free(t);
}

int main(void)
{
	d = dev_default();
	q = tq_started(d, 1, 0, 0);
	counter = hbm_alloc(d, 4096, 4096) + 5;
	params = hbm_alloc(d, 4096, 4096);
	dst = hbm_alloc(d, 6 << 20, 4096);
	test_known_answers();
	for (unsigned int type = ANPU_RANDOM_F16; type < ANPU_RANDOM_TYPE_COUNT; type++) {
		test_floats(ANPU_RANDOM_UNIFORM, type, 2, 1.0 / 3);
		test_floats(ANPU_RANDOM_NORMAL, type, 1, 9);
		test_floats(ANPU_RANDOM_TRUNCATED_NORMAL, type, 1, 9 * 0.774);
		test_upper_end(type, 1, 1.25);
		test_upper_end(type, -0.5, 0);
		test_upper_end(type, -2, -1);
	}
	/* two neighbours: every other value is rounded to the maximum */
	test_upper_end(ANPU_RANDOM_F32, 1, 1 + 0x1p-23);
	test_upper_end(ANPU_RANDOM_F32, -1 - 0x1p-23, -1);
	test_upper_end(ANPU_RANDOM_F32, -0x1p-149, 0);
	test_integers();
	test_mask();
	test_split();
	test_memory();
	test_refused();
	stop_one(40ULL << 20, ANPU_QUEUE_STOP);
	stop_one(40ULL << 20, ANPU_QUEUE_ABORT);
	tq_free(q);
	dev_free(d);
	return done_testing();
}
