// SPDX-License-Identifier: MIT
/*
 * VTRI, VCMP, VSEL, VRED, VREP and the operations that move, sort and merge elements, against
 * references written from Documentation/isa-tiles.md.
 */
#include "tile_test.h"

#define N	1531
#define A	0x00000
#define B	0x08000
#define D	0x10000
#define M	0x18000
#define E	0x20000

static bool same(const char *what, unsigned int type, uint64_t got, uint64_t want, size_t i)
{
	if (got == want)
		return true;
	tap_diag("%s %s: element %zu is 0x%" PRIx64 ", want 0x%" PRIx64, what,
		 tile_type_name(type), i, got, want);
	return false;
}

/* VTRI ------------------------------------------------------------------------------------------- */

/* to odd long double: what a later rounding to at most 62 bits needs */
static long double odd(__float128 s, __float128 err)
{
	long double l = (long double)s;
	__float128 rest = (s - (__float128)l) + err;
	uint64_t m;

	if (isnan(l) || isinf(l) || rest == 0)
		return l;
	/* towards zero, then the last bit set */
	if ((rest < 0) == (l > 0))
		l = nextafterl(l, 0);
	memcpy(&m, &l, 8);
	m |= 1;
	memcpy(&l, &m, 8);
	return l;
}

static uint64_t fma_ref(uint64_t a, uint64_t b, uint64_t c, unsigned int type, bool relu)
{
	__float128 p, s, t, err;
	long double r;

	if (type == ANPU_TYPE_F32) {
		r = fmaf((float)real(a, type), (float)real(b, type), (float)real(c, type));
	} else {
		p = (__float128)real(a, type) * (__float128)real(b, type);
		s = p + (__float128)real(c, type);
		t = s - p;
		err = (p - (s - t)) + ((__float128)real(c, type) - t);
		r = isinf((long double)s) || isnan((long double)s) ? (long double)s : odd(s, err);
	}
	if (relu && r <= 0)
		r = 0;
	return round_to(r, type, ANPU_ROUND_RINT);
}

static uint64_t tri_ref(unsigned int op, uint64_t d, uint64_t a, uint64_t b, unsigned int type)
{
	uint64_t all = ~0ULL >> (64 - tile_type_bits[type]), r;

	if (type_float(type))
		return op == ANPU_TRI_MLA ? fma_ref(a, b, d, type, false) :
		       fma_ref(d, a, b, type, op == ANPU_TRI_MADRELU);
	r = (op == ANPU_TRI_MLA ? d + a * b : d * a + b) & all;
	return op == ANPU_TRI_MADRELU && whole(r, type) < 0 ? 0 : r;
}

static void test_tri(unsigned int op, unsigned int type)
{
	bool ok = true;

	for (int round = 0; ok && round < 12; round++) {
		bool scalar = round % 2;
		uint64_t want[N], s = rnd_bits(type);

		rnd_fill(ub(A), type, N);
		rnd_fill(ub(B), type, N);
		rnd_fill(ub(D), type, N);
		for (size_t i = 0; i < N; i++)
			want[i] = tri_ref(op, get(ub(D), type, i), get(ub(A), type, i),
					  scalar ? s : get(ub(B), type, i), type);
		ok = run_within(D, N * type_size(type), ANPU_TILE_VTRI, UB(D), UB(A), scalar ? s : UB(B),
			 ANPU_CTL(N, type, op) | (scalar ? ANPU_CTL_SCALAR : 0));
		for (size_t i = 0; ok && i < N; i++)
			ok = same("VTRI", type, get(ub(D), type, i), want[i], i);
	}
	tap_ok(ok, "VTRI %u %s, %s", op, tile_type_name(type), tile_kernels()->name);
}

/* cancellation to one last place, where a second rounding would show */
static void test_tri_hard(void)
{
	bool ok = true;

	for (unsigned int type = ANPU_TYPE_F16; type <= ANPU_TYPE_BF16; type++) {
		for (int round = 0; ok && round < 40; round++) {
			uint64_t want[N];

			for (size_t i = 0; i < N; i++) {
				uint64_t a = rnd_bits(type), b = rnd_bits(type);
				uint64_t c = fma_ref(a, b, 0, type, false) ^
					     1ULL << (tile_type_bits[type] - 1);

				c += rnd() % 3 - 1;
				c &= 0xffff;
				if (rnd() % 4 == 0)
					c = rnd() % 8;
				put(ub(A), type, i, a);
				put(ub(B), type, i, b);
				put(ub(D), type, i, c);
				want[i] = tri_ref(ANPU_TRI_MLA, c, a, b, type);
			}
			ok = run(ANPU_TILE_VTRI, UB(D), UB(A), UB(B),
				 ANPU_CTL(N, type, ANPU_TRI_MLA));
			for (size_t i = 0; ok && i < N; i++)
				ok = same("VTRI", type, get(ub(D), type, i), want[i], i);
		}
	}
	tap_ok(ok, "VTRI MLA rounds once, %s", tile_kernels()->name);
}

/* VCMP, VSEL ------------------------------------------------------------------------------------- */

static bool cmp_ref(unsigned int op, uint64_t a, uint64_t b, unsigned int type)
{
	long double x = type_float(type) ? real(a, type) : 0, y = type_float(type) ? real(b, type) : 0;
	__int128 i = type_float(type) ? 0 : whole(a, type), j = type_float(type) ? 0 : whole(b, type);
	bool f = type_float(type);

	switch (op) {
	case ANPU_CMP_LT: return f ? x < y : i < j;
	case ANPU_CMP_GT: return f ? x > y : i > j;
	case ANPU_CMP_EQ: return f ? x == y : i == j;
	case ANPU_CMP_LE: return f ? x <= y : i <= j;
	case ANPU_CMP_GE: return f ? x >= y : i >= j;
	default: return f ? x != y : i != j;
	}
}

static void test_cmp(unsigned int op, unsigned int type)
{
	bool ok = true;

	for (int scalar = 0; scalar < 2; scalar++) {
		uint64_t s = rnd_bits(type);

		rnd_fill(ub(A), type, N);
		rnd_fill(ub(B), type, N);
		for (size_t i = 0; i < N; i += 3)
			put(ub(B), type, i, get(ub(A), type, i));
		memset(ub(D), 0xee, 0x1000);
		ok = ok && run(ANPU_TILE_VCMP, UB(D), UB(A), scalar ? s : UB(B),
			       ANPU_CTL(N, type, op) | (scalar ? ANPU_CTL_SCALAR : 0));
		for (size_t i = 0; ok && i < (N + 7) / 8 * 8; i++)
			ok = same("VCMP", type, ub(D)[i / 8] >> (i % 8) & 1,
				  i < N && cmp_ref(op, get(ub(A), type, i), scalar ? s :
						   get(ub(B), type, i), type), i);
		ok = ok && ub(D)[(N + 7) / 8] == 0xee;
	}
	tap_ok(ok, "VCMP %u %s, %s", op, tile_type_name(type), tile_kernels()->name);
}

static void test_sel(unsigned int type)
{
	unsigned int period = 256 / type_size(type);
	bool ok = true;

	for (unsigned int mode = 0; mode < 4; mode++) {
		bool cmpmask = mode & 1, scalar = mode & 2;
		uint64_t s = rnd_bits(type);

		if (cmpmask && type_size(type) == 1)
			continue;
		rnd_fill(ub(A), type, N);
		rnd_fill(ub(B), type, N);
		for (size_t i = 0; i < N; i++)
			ub(M)[i] = (uint8_t)rnd();
		test_block->csr.selmask = UB(M);
		test_block->csr.cmpmask[0] = rnd();
		test_block->csr.cmpmask[1] = rnd();
		ok = ok && run_within(D, N * type_size(type), ANPU_TILE_VSEL, UB(D), UB(A), scalar ? s : UB(B),
			       ANPU_CTL(N, type, cmpmask) | (scalar ? ANPU_CTL_SCALAR : 0));
		for (size_t i = 0; ok && i < N; i++) {
			size_t j = i % period;
			bool bit = cmpmask ? test_block->csr.cmpmask[j / 64] >> (j % 64) & 1 :
					     ub(M)[i / 8] >> (i % 8) & 1;

			ok = same("VSEL", type, get(ub(D), type, i),
				  bit ? get(ub(A), type, i) : scalar ? s : get(ub(B), type, i), i);
		}
	}
	tap_ok(ok, "VSEL %s, %s", tile_type_name(type), tile_kernels()->name);
}

/* VRED ------------------------------------------------------------------------------------------- */

static uint64_t sum_ref(const uint8_t *p, unsigned int type, size_t n)
{
	float acc[64];
	uint64_t sum = 0;

	if (!type_float(type)) {
		for (size_t i = 0; i < n; i++)
			sum += get(p, type, i);
		return sum & ~0ULL >> (64 - tile_type_bits[type]);
	}
	for (int i = 0; i < 64; i++)
		acc[i] = -0.0f;
	for (size_t i = 0; i < n; i++)
		acc[i % 64] += (float)real(get(p, type, i), type);
	for (int w = 32; w; w /= 2)
		for (int i = 0; i < w; i++)
			acc[i] += acc[i + w];
	return round_to(acc[0], type, ANPU_ROUND_RINT);
}

static uint64_t extreme_ref(const uint8_t *p, unsigned int type, size_t n, bool min, size_t *at)
{
	*at = 0;
	for (size_t i = 0; i < n; i++) {
		uint64_t x = get(p, type, i), best = get(p, type, *at);

		if (type_float(type)) {
			long double v = real(x, type), b = real(best, type);

			if (isnan(b))
				break;
			if (isnan(v) || (min ? v < b : v > b) ||
			    (v == b && v == 0 && (min ? signbit(v) > signbit(b) :
							signbit(v) < signbit(b))))
				*at = i;
		} else if (min ? whole(x, type) < whole(best, type) :
				 whole(x, type) > whole(best, type)) {
			*at = i;
		}
	}
	if (type_float(type) && isnan(real(get(p, type, *at), type)))
		return nan_of(type);
	return get(p, type, *at);
}

static void test_red(unsigned int op, unsigned int type, bool index)
{
	static const unsigned int scopes[] = { ANPU_RED_WHOLE, ANPU_RED_REPEAT, ANPU_RED_BLOCK,
					       ANPU_RED_PAIR };
	unsigned int size = type_size(type);
	bool ok = true;

	for (unsigned int k = 0; ok && k < 4 * 30; k++) {
		unsigned int scope = scopes[k % 4];
		size_t n = k < 40 ? N : 1 + rnd() % 400, at = 0;
		size_t group = scope == ANPU_RED_WHOLE ? n : scope == ANPU_RED_REPEAT ? 256 / size :
			       scope == ANPU_RED_BLOCK ? 32 / size : 2;

		rnd_fill(ub(A), type, n);
		for (size_t i = 0; type_float(type) && k % 8 >= 4 && i < n; i++)
			put(ub(A), type, i, round_to((double)(int)(rnd() % 2001 - 1000) / 8, type, 1));
		/* zeros of one sign and few of the other */
		for (size_t i = 0; type_float(type) && k % 16 >= 12 && i < n; i++)
			put(ub(A), type, i, (uint64_t)(k / 16 % 2 ^ !(rnd() % n)) << (8 * size - 1));
		ok = run_within(D, (n + group - 1) / group * size * (index ? 2 : 1), ANPU_TILE_VRED, UB(D), UB(A), 0,
			 ANPU_CTL(n, type, op | scope) | (index ? ANPU_CTL_INDEX : 0));
		for (size_t i = 0; ok && i * group < n; i++) {
			size_t m = n - i * group < group ? n - i * group : group;
			const uint8_t *p = ub(A) + i * group * size;
			uint64_t want = op == ANPU_RED_SUM ? sum_ref(p, type, m) :
					extreme_ref(p, type, m, op == ANPU_RED_MIN, &at);

			ok = same("VRED", type, get(ub(D), type, index ? 2 * i : i), want, i);
			ok = ok && (!index || same("VRED index", type, get(ub(D), type, 2 * i + 1), at, i));
			if (scope == ANPU_RED_WHOLE)
				ok = ok && test_block->csr.accval ==
					   ((uint32_t)want | (index ? (uint64_t)at << 32 : 0));
		}
	}
	tap_ok(ok, "VRED %u %s%s, %s", op, tile_type_name(type), index ? " with index" : "",
	       tile_kernels()->name);
}

/* VREP ------------------------------------------------------------------------------------------- */

/* element e of repeat r in an operand */
static uint8_t *element(uint32_t base, unsigned int bytes, unsigned int e, unsigned int r,
			unsigned int block, unsigned int repeat)
{
	unsigned int per = 32 / bytes;

	return ub(base) + (r * repeat + e / per * block) * 32 + e % per * bytes;
}

static void test_rep(unsigned int db, unsigned int ab, unsigned int bb, unsigned int dr,
		     unsigned int ar, unsigned int br, unsigned int repeat, unsigned int count,
		     unsigned int type)
{
	struct anpu_rep_desc desc = { .op = ANPU_TILE_VBIN, .repeat = (uint16_t)repeat,
		.dst_block = (uint16_t)db, .src0_block = (uint16_t)ab, .src1_block = (uint16_t)bb,
		.dst_repeat = (uint16_t)dr, .src0_repeat = (uint16_t)ar, .src1_repeat = (uint16_t)br,
		.ctl = ANPU_CTL(count, type, ANPU_BIN_ADD) | (count ? 0 : ANPU_CTL_MASK) };
	unsigned int size = type_size(type), n = count ? count : 256 / size;
	static uint8_t want[0x8000];
	bool ok;

	rnd_fill(ub(A), ANPU_TYPE_U16, 0x4000);
	rnd_fill(ub(B), ANPU_TYPE_U16, 0x4000);
	memset(ub(D), 0x5a, 0x8000);
	test_block->csr.vmask[0] = rnd();
	test_block->csr.vmask[1] = rnd();
	memcpy(ub(E), &desc, sizeof(desc));
	for (unsigned int r = 0; r < repeat; r++)
		for (unsigned int e = 0; e < n; e++) {
			uint64_t sum = get(element(A, size, e, r, ab, ar), type, 0) +
				       get(element(B, size, e, r, bb, br), type, 0);

			if (count || test_block->csr.vmask[e / 64] >> (e % 64) & 1)
				put(element(D, size, e, r, db, dr), type, 0, sum);
		}
	memcpy(want, ub(D), sizeof(want));
	memset(ub(D), 0x5a, 0x8000);
	ok = run(ANPU_TILE_VREP, UB(D), UB(A), UB(B), UB(E)) && !memcmp(want, ub(D), sizeof(want));
	tap_ok(ok, "VREP ADD %s blocks %u %u %u repeats %u %u %u, %u times %u%s",
	       tile_type_name(type), db, ab, bb, dr, ar, br, repeat, n, count ? "" : " masked");
}

static struct anpu_rep_desc rep_desc(unsigned int op, uint64_t ctl, unsigned int repeat)
{
	return (struct anpu_rep_desc){ .op = (uint8_t)op, .ctl = ctl, .repeat = (uint16_t)repeat,
		.dst_block = 1, .src0_block = 1, .dst_repeat = 8, .src0_repeat = 8 };
}

static void put_desc(const struct anpu_rep_desc *desc)
{
	memcpy(ub(E), desc, sizeof(*desc));
}

/* chains that only work if repeats run in order: a running sum over rows */
static void test_rep_order(void)
{
	struct anpu_rep_desc desc = rep_desc(ANPU_TILE_VBIN, ANPU_CTL(64, ANPU_TYPE_S32,
								      ANPU_BIN_ADD), 20);
	bool ok;

	desc.src1_block = 1;
	desc.src1_repeat = 8;
	put_desc(&desc);
	for (uint32_t i = 0; i < 64 * 21; i++)
		put(ub(A), ANPU_TYPE_S32, i, i);
	ok = run(ANPU_TILE_VREP, UB(A + 256), UB(A + 256), UB(A), UB(E));
	for (uint32_t r = 0; r < 21; r++)
		for (uint32_t i = 0; i < 64; i++)
			ok = ok && get(ub(A), ANPU_TYPE_S32, r * 64 + i) ==
				   64 * r * (r + 1) / 2 + i * (r + 1);
	tap_ok(ok, "VREP: a repeat sees the results of the one before");
	/* all repeats into one row */
	desc = rep_desc(ANPU_TILE_VTRI, ANPU_CTL(64, ANPU_TYPE_S32, ANPU_TRI_MLA) | ANPU_CTL_SCALAR,
			10);
	desc.dst_repeat = 0;
	put_desc(&desc);
	for (uint32_t i = 0; i < 640; i++)
		put(ub(A), ANPU_TYPE_S32, i, i);
	memset(ub(D), 0, 256);
	ok = run(ANPU_TILE_VREP, UB(D), UB(A), 3, UB(E));
	for (uint32_t i = 0; i < 64; i++)
		ok = ok && get(ub(D), ANPU_TYPE_S32, i) == 3 * (10 * i + 64 * 45);
	tap_ok(ok, "VREP: repeats add up in one destination");
}

#define ROW_BYTES 256

/* A destination that overlaps its source by all but @by bytes: each repeat reads before it writes */
static void test_rep_overlap(int by)
{
	enum { REPEATS = 20, ROW = ROW_BYTES };
	struct anpu_rep_desc desc = rep_desc(ANPU_TILE_VUN, ANPU_CTL(64, ANPU_TYPE_S32, ANPU_UN_NEG), REPEATS);
	uint8_t want[(REPEATS + 4) * ROW], *to = want + ROW + by;
	bool ok;

	put_desc(&desc);
	rnd_fill(ub(A), ANPU_TYPE_S32, sizeof(want) / 4);
	memcpy(want, ub(A), sizeof(want));
	for (int r = 0; r < REPEATS; r++) {
		int32_t row[ROW / 4];

		memcpy(row, want + ROW + r * ROW, ROW);
		for (int i = 0; i < ROW / 4; i++)
			row[i] = (int32_t)-(uint32_t)row[i];
		memcpy(to + r * ROW, row, ROW);
	}
	ok = run(ANPU_TILE_VREP, UB(A + ROW + by), UB(A + ROW), 0, UB(E));
	tap_ok(ok && !memcmp(ub(A), want, sizeof(want)), "VREP: a destination %d bytes behind its source", by);
}

static void test_rep_kinds(void)
{
	struct anpu_rep_desc desc = rep_desc(ANPU_TILE_VCVT, ANPU_CTL_CVT(64, ANPU_TYPE_F32,
						ANPU_TYPE_F16, 0), 5);
	bool ok;

	desc.src0_repeat = 4;
	put_desc(&desc);
	rnd_fill(ub(A), ANPU_TYPE_F16, 320);
	ok = run(ANPU_TILE_VREP, UB(D), UB(A), 0, UB(E)) &&
	     run(ANPU_TILE_VCVT, UB(B), UB(A), 0, ANPU_CTL_CVT(320, ANPU_TYPE_F32, ANPU_TYPE_F16, 0));
	tap_ok(ok && !memcmp(ub(D), ub(B), 320 * 4), "VREP VCVT F16 to F32");
	desc = rep_desc(ANPU_TILE_VDUP, ANPU_CTL(40, ANPU_TYPE_U16, 0), 3);
	desc.src0_block = 0;
	desc.src0_repeat = 0;
	put_desc(&desc);
	memset(ub(D), 0, 1024);
	ok = run(ANPU_TILE_VREP, UB(D), 0x1234, 0, UB(E));
	for (uint32_t i = 0; i < 384; i++)
		ok = ok && get(ub(D), ANPU_TYPE_U16, i) == (i % 128 < 40 ? 0x1234 : 0);
	tap_ok(ok, "VREP VDUP");
	desc = rep_desc(ANPU_TILE_VCMP, ANPU_CTL(64, ANPU_TYPE_F32, ANPU_CMP_LT), 6);
	desc.dst_block = 0;
	desc.dst_repeat = 0;
	desc.src1_block = 1;
	desc.src1_repeat = 8;
	put_desc(&desc);
	rnd_fill(ub(A), ANPU_TYPE_F32, 384);
	rnd_fill(ub(B), ANPU_TYPE_F32, 384);
	ok = run(ANPU_TILE_VREP, UB(D), UB(A), UB(B), UB(E)) &&
	     run(ANPU_TILE_VCMP, UB(M), UB(A), UB(B), ANPU_CTL(384, ANPU_TYPE_F32, ANPU_CMP_LT));
	tap_ok(ok && !memcmp(ub(D), ub(M), 48), "VREP VCMP packs the bits of repeats");
	desc.op = ANPU_TILE_VSEL;
	desc.ctl = ANPU_CTL(64, ANPU_TYPE_F32, ANPU_SEL_TENSOR);
	desc.dst_block = 1;
	desc.dst_repeat = 8;
	put_desc(&desc);
	test_block->csr.selmask = UB(M);
	ok = run(ANPU_TILE_VREP, UB(D), UB(A), UB(B), UB(E)) &&
	     run(ANPU_TILE_VSEL, UB(D + 0x4000), UB(A), UB(B), ANPU_CTL(384, ANPU_TYPE_F32, 0));
	tap_ok(ok && !memcmp(ub(D), ub(D + 0x4000), 384 * 4), "VREP VSEL goes on in the mask");
}

static void test_rep_refusals(void)
{
	struct anpu_rep_desc desc = rep_desc(ANPU_TILE_VUN, ANPU_CTL(64, ANPU_TYPE_F32, ANPU_UN_ABS), 1);

#define BAD(change, text) do { \
	struct anpu_rep_desc old = desc; \
	change; \
	put_desc(&desc); \
	refuse(ANPU_FAULT_OPERAND, text, ANPU_TILE_VREP, UB(D), UB(A), 0, UB(E)); \
	desc = old; \
} while (0)
	BAD(desc.repeat = 0, "repeat 0");
	BAD(desc.repeat = 5000, "repeat 5000");
	BAD(desc.reserved = 1, "reserved");
	BAD(desc.op = ANPU_TILE_MMAD, "cannot be repeated");
	BAD(desc.ctl++, "count 65");
	BAD(desc.ctl |= ANPU_CTL_MASK, "must be 0");
	BAD(desc.src1_block = 1, "src1 must be 0");
	BAD(desc.ctl = ANPU_CTL(0, ANPU_TYPE_S8, ANPU_UN_ABS) | ANPU_CTL_MASK, "8 bits");
	put_desc(&desc);
	refuse(ANPU_FAULT_OPERAND, "multiple of 8", ANPU_TILE_VREP, UB(D), UB(A), 0, UB(E + 4));
	refuse(ANPU_FAULT_UNMAPPED, "", ANPU_TILE_VREP, UB(D), UB(A), 0, GM_HOLE);
	desc.repeat = 4095;
	desc.dst_repeat = 65535;
	put_desc(&desc);
	refuse(ANPU_FAULT_SCRATCHPAD, "leaves UB", ANPU_TILE_VREP, UB(D), UB(A), 0, UB(E));
}

static void test_reps(void)
{
	test_rep(1, 1, 1, 8, 8, 8, 10, 64, ANPU_TYPE_U32);
	test_rep(1, 1, 1, 8, 8, 8, 10, 61, ANPU_TYPE_U32);
	test_rep(1, 1, 1, 8, 8, 0, 10, 64, ANPU_TYPE_U32);
	test_rep(1, 0, 2, 8, 1, 16, 10, 64, ANPU_TYPE_U32);
	test_rep(2, 3, 1, 1, 5, 9, 20, 50, ANPU_TYPE_U32);
	test_rep(1, 1, 1, 8, 8, 8, 12, 0, ANPU_TYPE_U32);
	test_rep(1, 2, 1, 8, 16, 8, 12, 0, ANPU_TYPE_U16);
	test_rep(1, 1, 1, 8, 8, 8, 12, 0, ANPU_TYPE_U64);
	test_rep(1, 1, 1, 8, 8, 8, 12, 256, ANPU_TYPE_U8);
	test_rep(1, 1, 1, 8, 8, 8, 12, 255, ANPU_TYPE_U8);
	test_rep(4, 1, 1, 1, 8, 8, 4, 128, ANPU_TYPE_U16);
	test_rep_order();
	for (int by = -ROW_BYTES; by <= ROW_BYTES; by += 32)
		test_rep_overlap(by);
	test_rep_kinds();
	test_rep_refusals();
}

/* Moves ------------------------------------------------------------------------------------------ */

static void test_gather(unsigned int type)
{
	unsigned int size = type_size(type);
	uint32_t index[N];
	bool ok;

	rnd_fill(ub(A), type, N);
	for (uint32_t i = 0; i < N; i++)
		index[i] = (uint32_t)(rnd() % N) * size;
	memcpy(ub(M), index, sizeof(index));
	ok = run_within(D, N * size, ANPU_TILE_VGATHER, UB(D), UB(A), UB(M), ANPU_CTL(N, type, ANPU_GATHER_ELEMENT));
	for (uint32_t i = 0; i < N; i++)
		ok = ok && !memcmp(ub(D + i * size), ub(A + index[i]), size);
	memset(ub(D), 0, N * size);
	ok = ok && run(ANPU_TILE_VSCATTER, UB(D), UB(A), UB(M), ANPU_CTL(N, type, 0));
	for (uint32_t i = 0; i < N; i++) {
		uint32_t last = i;

		for (uint32_t j = i; j < N; j++)
			last = index[j] == index[i] ? j : last;
		ok = ok && !memcmp(ub(D + index[i]), ub(A + last * size), size);
	}
	tap_ok(ok, "VGATHER and VSCATTER %s", tile_type_name(type));
}

/* Operations that move bits take every type whose elements are whole bytes. */
static void test_moves_of_s4(void)
{
	refuse(ANPU_FAULT_OPERAND, "S4", ANPU_TILE_VGATHER, UB(D), UB(A), UB(M), ANPU_CTL(8, ANPU_TYPE_S4, 0));
	refuse(ANPU_FAULT_OPERAND, "S4", ANPU_TILE_VSCATTER, UB(D), UB(A), UB(M), ANPU_CTL(8, ANPU_TYPE_S4, 0));
	refuse(ANPU_FAULT_OPERAND, "S4", ANPU_TILE_VGMASK, UB(D), UB(A), UB(M), ANPU_CTL(8, ANPU_TYPE_S4, 0));
	refuse(ANPU_FAULT_OPERAND, "S4", ANPU_TILE_VBRC, UB(D), UB(A), 0, ANPU_CTL(8, ANPU_TYPE_S4, 0));
	refuse(ANPU_FAULT_OPERAND, "S4", ANPU_TILE_VTRANS, UB(D), UB(A), ANPU_SHAPE(2, 4), ANPU_CTL(8, ANPU_TYPE_S4, 0));
}

/* Bits of ctl that an operation does not define are refused, wherever they are. */
static void test_undefined_bits_of_moves(void)
{
	const uint64_t last = 1ULL << 63;

	refuse(ANPU_FAULT_OPERAND, "ctl", ANPU_TILE_VGATHER, UB(D), UB(A), UB(M), ANPU_CTL(8, ANPU_TYPE_F32, 0) | last);
	refuse(ANPU_FAULT_OPERAND, "ctl", ANPU_TILE_VSCATTER, UB(D), UB(A), UB(M), ANPU_CTL(8, ANPU_TYPE_F32, 0) | last);
	refuse(ANPU_FAULT_OPERAND, "ctl", ANPU_TILE_VGMASK, UB(D), UB(A), UB(M), ANPU_CTL(8, ANPU_TYPE_F32, 0) | last);
	refuse(ANPU_FAULT_OPERAND, "ctl", ANPU_TILE_VBRC, UB(D), UB(A), 0, ANPU_CTL(8, ANPU_TYPE_F32, 0) | last);
	refuse(ANPU_FAULT_OPERAND, "ctl", ANPU_TILE_VTRANS, UB(D), UB(A), ANPU_SHAPE(2, 4), ANPU_CTL(8, ANPU_TYPE_F32, 0) | last);
}

static void test_gather_more(void)
{
	uint32_t index[8] = { 64, 0, 32, 128, ANPU_UB_SIZE - 32, 96, 32, 0 };
	bool ok;

	memcpy(ub(M), index, sizeof(index));
	rnd_fill(ub(A), ANPU_TYPE_U64, 64);
	ok = run(ANPU_TILE_VGATHER, UB(D), UB(A), UB(M), ANPU_CTL(8, ANPU_TYPE_F16, ANPU_GATHER_BLOCK));
	for (int i = 0; i < 8; i++)
		ok = ok && !memcmp(ub(D + (unsigned int)i * 32), ub(A + index[i]), 32);
	tap_ok(ok, "VGATHER of blocks");
	refuse(ANPU_FAULT_OPERAND, "index[4] = 0x3ffe0", ANPU_TILE_VGATHER, UB(D), UB(A + 32), UB(M),
	       ANPU_CTL(8, ANPU_TYPE_F16, ANPU_GATHER_BLOCK));
	index[2] = 33;
	memcpy(ub(M), index, sizeof(index));
	refuse(ANPU_FAULT_OPERAND, "index[2] = 0x21", ANPU_TILE_VSCATTER, UB(D), UB(A), UB(M),
	       ANPU_CTL(3, ANPU_TYPE_F16, 0));
	tap_ok(test_fault.addr == UB(D + 33) && test_fault.access == ANPU_ACCESS_WRITE,
	       "the fault names the address");
	index[2] = 0xfffffffe;
	memcpy(ub(M), index, sizeof(index));
	refuse(ANPU_FAULT_OPERAND, "outside UB", ANPU_TILE_VSCATTER, UB(D), UB(A), UB(M),
	       ANPU_CTL(3, ANPU_TYPE_F16, 0));
}

/* VSCATTER writes over offset 1, which was good when it began, with what element 0 holds. */
static void test_scatter_over_offsets(void)
{
	static const uint32_t index[] = { 4, 0 }, value[][2] = { { 0xfffffff0, 7 }, { 6, 7 }, { 0x10000, 7 } };

	for (unsigned int i = 0; i < 3; i++) {
		memcpy(ub(M), index, sizeof(index));
		memcpy(ub(A), value[i], sizeof(value[i]));
		if (i < 2)
			refuse(ANPU_FAULT_OPERAND, i ? "not aligned" : "outside UB", ANPU_TILE_VSCATTER, UB(M), UB(A),
			       UB(M), ANPU_CTL(2, ANPU_TYPE_F32, 0));
	}
	tap_ok(run(ANPU_TILE_VSCATTER, UB(M), UB(A), UB(M), ANPU_CTL(2, ANPU_TYPE_F32, 0)) &&
	       !memcmp(ub(M + 0x10000), &value[2][1], 4), "VSCATTER takes an offset that it has written");
}

static void test_gmask(void)
{
	static const uint32_t first[] = { 0, 0, 1, 0, 1, 2, 3, 0 }, step[] = { 0, 2, 2, 4, 4, 4, 4, 1 };
	bool ok = true;

	for (unsigned int sub = 0; sub <= ANPU_GMASK_ALL; sub++)
		for (unsigned int type = 0; type < TILE_TYPES; type++) {
			unsigned int size = type_size(type), out = 0;

			if (!size)
				continue;
			rnd_fill(ub(A), type, N);
			for (uint32_t i = 0; i < N; i++)
				ub(M)[i] = (uint8_t)rnd();
			ok = ok && run(ANPU_TILE_VGMASK, UB(D), UB(A), sub ? 0 : UB(M),
				       ANPU_CTL(N, type, sub));
			for (uint32_t i = 0; ok && i < N; i++)
				if (sub ? i % step[sub] == first[sub] : ub(M)[i / 8] >> (i % 8) & 1)
					ok = !memcmp(ub(D + out++ * size), ub(A + i * size), size);
			ok = ok && test_block->csr.vcount == out;
		}
	tap_ok(ok, "VGMASK with bits and patterns");
	tap_ok(run(ANPU_TILE_VGMASK, UB(D), UB(A), 0, ANPU_CTL(0, ANPU_TYPE_F32, 1)) &&
	       !test_block->csr.vcount, "VGMASK of nothing");
}

static void test_shapes(void)
{
	bool brc = true, trans = true;

	for (unsigned int type = 0; type < TILE_TYPES; type++) {
		unsigned int size = type_size(type), rows = 37, cols = 33;

		if (!size)
			continue;
		rnd_fill(ub(A), type, rows * cols);
		brc = brc && run_within(D, 50 * 32, ANPU_TILE_VBRC, UB(D), UB(A), 0, ANPU_CTL(50, type, ANPU_BRC_BLOCK));
		for (unsigned int i = 0; i < 50 * 32 / size; i++)
			brc = brc && get(ub(D), type, i) == get(ub(A), type, i / (32 / size));
		brc = brc && run_within(D, rows * cols * size, ANPU_TILE_VBRC, UB(D), UB(A), ANPU_SHAPE(rows, cols),
					ANPU_CTL(0, type, ANPU_BRC_COLS));
		for (unsigned int i = 0; i < rows * cols; i++)
			brc = brc && get(ub(D), type, i) == get(ub(A), type, i / cols);
		brc = brc && run_within(D, rows * cols * size, ANPU_TILE_VBRC, UB(D), UB(A), ANPU_SHAPE(rows, cols),
					ANPU_CTL(rows * cols, type, ANPU_BRC_ROWS));
		for (unsigned int i = 0; i < rows * cols; i++)
			brc = brc && get(ub(D), type, i) == get(ub(A), type, i % cols);
		trans = trans && run_within(D, rows * cols * size, ANPU_TILE_VTRANS, UB(D), UB(A),
					    ANPU_SHAPE(rows, cols), ANPU_CTL(0, type, 0));
		for (unsigned int i = 0; i < rows * cols; i++)
			trans = trans && get(ub(D), type, i % cols * rows + i / cols) ==
					 get(ub(A), type, i);
	}
	tap_ok(brc, "VBRC to blocks, columns and rows");
	tap_ok(trans, "VTRANS");
	refuse(ANPU_FAULT_OPERAND, "larger than UB", ANPU_TILE_VTRANS, UB(D), UB(A), ~0ULL,
	       ANPU_CTL(0, ANPU_TYPE_F32, 0));
	refuse(ANPU_FAULT_OPERAND, "overlaps", ANPU_TILE_VTRANS, UB(A), UB(A), ANPU_SHAPE(4, 4),
	       ANPU_CTL(0, ANPU_TYPE_F32, 0));
	refuse(ANPU_FAULT_OPERAND, "neither 0 nor", ANPU_TILE_VBRC, UB(D), UB(A), ANPU_SHAPE(4, 4),
	       ANPU_CTL(15, ANPU_TYPE_F32, ANPU_BRC_ROWS));
}

static void test_iota(void)
{
	bool ok = true;

	for (unsigned int type = 0; type < TILE_TYPES; type++) {
		uint64_t first, step;

		if (!type_size(type))
			continue;
		first = type_float(type) ? round_to(3.25L, type, 1) : rnd_bits(type);
		step = type_float(type) ? round_to(0.1L, type, 1) : rnd_bits(type);
		ok = ok && run_within(D, N * type_size(type), ANPU_TILE_VIOTA, UB(D), first, step, ANPU_CTL(N, type, 0));
		for (uint64_t i = 0; ok && i < N; i++) {
			uint64_t want = (first + i * step) & ~0ULL >> (64 - tile_type_bits[type]);

			if (type_float(type))
				want = round_to(fmaf((float)i, (float)real(step, type), 3.25f), type, 1);
			ok = same("VIOTA", type, get(ub(D), type, i), want, i);
		}
	}
	tap_ok(ok, "VIOTA, %s", tile_kernels()->name);
}

/* Sorting ---------------------------------------------------------------------------------------- */

/* whether a comes before b in descending order, if it is not equal */
static bool before(uint64_t a, uint64_t b, unsigned int type)
{
	long double x = real(a, type), y = real(b, type);

	return isnan(x) ? !isnan(y) : !isnan(y) && x > y;
}

static bool sorted(const uint8_t *p, unsigned int type, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++) {
		uint64_t a = get(p + (i - 1) * 8, type, 0), b = get(p + i * 8, type, 0);
		uint32_t ai = (uint32_t)get(p + (i - 1) * 8, ANPU_TYPE_U32, 1);
		uint32_t bi = (uint32_t)get(p + i * 8, ANPU_TYPE_U32, 1);

		if (before(b, a, type) || (!before(a, b, type) && ai > bi))
			return false;
	}
	return true;
}

/* sort 256 numbers as an operator does: groups of 32, then merges */
static void test_sort(unsigned int type)
{
	struct anpu_mrg_desc desc;
	bool ok = true, merged;

	for (int round = 0; round < 20; round++) {
		rnd_fill(ub(A), type, 256);
		for (uint32_t i = 0; i < 256; i++) {
			if (i % 5 == 0)
				put(ub(A), type, i, rnd() % 4 << (type == ANPU_TYPE_F16 ? 14 : 30));
			put(ub(B), ANPU_TYPE_U32, i, i);
		}
		ok = ok && run_within(D, 2048, ANPU_TILE_VSORT, UB(D), UB(A), UB(B), ANPU_CTL(256, type, 0));
		for (uint32_t i = 0; i < 256; i++) {
			uint32_t at = (uint32_t)get(ub(D + i * 8), ANPU_TYPE_U32, 1);

			ok = ok && at / 32 == i / 32 && get(ub(D + i * 8), ANPU_TYPE_U32, 0) ==
				   get(ub(A), type, at);
		}
		for (uint32_t i = 0; i < 256; i += 32)
			ok = ok && sorted(ub(D + i * 8), type, 32);
		for (unsigned int k = 0; k < 2; k++) {
			for (unsigned int j = 0; j < 4; j++) {
				desc.list[j].addr = (uint32_t)UB(D + (k * 4 + j) * 256);
				desc.list[j].count = 32;
			}
			memcpy(ub(E), &desc, sizeof(desc));
			ok = ok && run(ANPU_TILE_VMRG, UB(M + k * 1024), 0, UB(E), ANPU_CTL(0, type, 0));
			ok = ok && test_block->csr.vcount == 0x0020002000200020;
		}
		memset(&desc, 0, sizeof(desc));
		desc.list[1].addr = (uint32_t)UB(M);
		desc.list[1].count = 128;
		desc.list[3].addr = (uint32_t)UB(M + 1024);
		desc.list[3].count = 128;
		memcpy(ub(E), &desc, sizeof(desc));
		ok = ok && run(ANPU_TILE_VMRG, UB(D), 0, UB(E), ANPU_CTL(0, type, 0));
		ok = ok && sorted(ub(D), type, 256);
	}
	tap_ok(ok, "VSORT and VMRG %s sort 256 numbers, stably", tile_type_name(type));
	memset(ub(D), 0, 4096);
	merged = run(ANPU_TILE_VMRG, UB(D), 0, UB(E), ANPU_CTL(0, type, ANPU_MRG_SUSPEND));
	ok = merged && ((test_block->csr.vcount >> 16 & 0xffff) == 128 ||
			test_block->csr.vcount >> 48 == 128);
	tap_ok(ok && test_block->csr.vcount >> 48 && (test_block->csr.vcount >> 16 & 0xffff),
	       "VMRG stops when a list is exhausted");
}

/* VTRANSB: blocks in any order, repeats, and the halves of blocks that bytes have */
static void test_blocks(unsigned int type, bool dst_high, bool src_high)
{
	unsigned int size = type_size(type), part = size == 1 ? 16 : 32, wide = part / size, repeats = 3;
	uint64_t dst[16], src[16], flags = (dst_high ? ANPU_REPEATS_DST_HIGH : 0) | (src_high ? ANPU_REPEATS_SRC_HIGH : 0);
	static uint8_t want[16 * 5 * 32];
	bool ok;

	rnd_fill(ub(A), type, 16 * 5 * 32 / size);
	rnd_fill(ub(D), type, sizeof(want) / size);
	memcpy(want, ub(D), sizeof(want));
	/* block i of repeat r: of src at 5 i' + r, of dst at 5 i'' + r */
	for (unsigned int i = 0; i < 16; i++) {
		src[i] = UB(A + i * 7 % 16 * 5 * 32);
		dst[i] = UB(D + i * 3 % 16 * 5 * 32);
	}
	for (unsigned int r = 0; r < repeats; r++)
		for (unsigned int i = 0; i < 16; i++)
			for (unsigned int j = 0; j < wide; j++) {
				const uint8_t *from = ub(A) + (src[i] - UB(A)) + r * 32 + (src_high ? 16 : 0) + j * size;
				unsigned int block = size == 4 ? 2 * j + i / 8 : j, at = size == 4 ? i % 8 : i;

				memcpy(want + (dst[block] - UB(D)) + r * 32 + (dst_high ? 16 : 0) + at * size, from, size);
			}
	memcpy(ub(E), dst, sizeof(dst));
	memcpy(ub(E + 128), src, sizeof(src));
	ok = run_within(D, sizeof(want), ANPU_TILE_VTRANSB, UB(E), UB(E + 128), ANPU_REPEATS(repeats, 1, 1) | flags, ANPU_CTL(0, type, 0));
	tap_ok(ok && !memcmp(ub(D), want, sizeof(want)), "VTRANSB %s%s%s", tile_type_name(type), dst_high ? " to high halves" : "",
	       src_high ? " from high halves" : "");
}

static void test_blocks_more(void)
{
	uint64_t ctl = ANPU_CTL(0, ANPU_TYPE_U16, 0), one = ANPU_REPEATS(1, 0, 0), list[16];
	bool ok = true;

	/* in place, and a repeat reads what the one before it has written */
	rnd_fill(ub(A), ANPU_TYPE_U16, 256);
	memcpy(ub(B), ub(A), 512);
	for (unsigned int i = 0; i < 16; i++)
		list[i] = UB(A + i * 32);
	memcpy(ub(E), list, sizeof(list));
	ok = run(ANPU_TILE_VTRANSB, UB(E), UB(E), one, ctl);
	for (unsigned int i = 0; i < 256; i++)
		ok = ok && get(ub(A), ANPU_TYPE_U16, i) == get(ub(B), ANPU_TYPE_U16, i % 16 * 16 + i / 16);
	ok = ok && run(ANPU_TILE_VTRANSB, UB(E), UB(E), ANPU_REPEATS(3, 0, 0), ctl) && !memcmp(ub(A), ub(B), 512);
	tap_ok(ok, "VTRANSB in place");
	tap_ok(run(ANPU_TILE_VTRANSB, UB(E), UB(E), ANPU_REPEATS(0, 9, 9), ctl) && !memcmp(ub(A), ub(B), 512), "VTRANSB without repeats");

	refuse(ANPU_FAULT_OPERAND, "bits 0x100 of repeats", ANPU_TILE_VTRANSB, UB(E), UB(E), one | 0x100, ctl);
	refuse(ANPU_FAULT_OPERAND, "of repeats", ANPU_TILE_VTRANSB, UB(E), UB(E), one | ANPU_REPEATS_DST_HIGH, ctl);
	refuse(ANPU_FAULT_OPERAND, "of ctl", ANPU_TILE_VTRANSB, UB(E), UB(E), one, ctl | 1);
	refuse(ANPU_FAULT_OPERAND, "U64", ANPU_TILE_VTRANSB, UB(E), UB(E), one, ANPU_CTL(0, ANPU_TYPE_U64, 0));
	refuse(ANPU_FAULT_OPERAND, "S4", ANPU_TILE_VTRANSB, UB(E), UB(E), one, ANPU_CTL(0, ANPU_TYPE_S4, 0));
	refuse(ANPU_FAULT_OPERAND, "list srcs", ANPU_TILE_VTRANSB, UB(E), UB(E + 4), one, ctl);
	refuse(ANPU_FAULT_UNMAPPED, "", ANPU_TILE_VTRANSB, GM_HOLE, UB(E), one, ctl);
	list[15] += 8;
	memcpy(ub(E), list, sizeof(list));
	refuse(ANPU_FAULT_OPERAND, "multiple of 32", ANPU_TILE_VTRANSB, UB(E), UB(E), one, ctl);
	list[15] = UB(ANPU_UB_SIZE - 32);
	memcpy(ub(E), list, sizeof(list));
	refuse(ANPU_FAULT_SCRATCHPAD, "", ANPU_TILE_VTRANSB, UB(E), UB(E), ANPU_REPEATS(2, 1, 0), ctl);
	tap_ok(!memcmp(ub(A), ub(B), 512), "  of whose first repeat nothing is done");
}

/* For each operation with sub-operations: the first number behind those that exist */
static void test_unknown_subs(void)
{
#define NUMBER(name, number, ...) + 1
	static const struct {
		unsigned int op, subs, count, type;
		uint64_t rs3;
	} ops[] = {
		{ ANPU_TILE_VBIN, ANPU_BIN_OPS(NUMBER), 64, ANPU_TYPE_F32, UB(B) },
		{ ANPU_TILE_VUN, ANPU_UN_OPS(NUMBER), 64, ANPU_TYPE_F32, 0 },
		{ ANPU_TILE_VTRI, ANPU_TRI_OPS(NUMBER), 64, ANPU_TYPE_F32, UB(B) },
		{ ANPU_TILE_VCMP, ANPU_CMP_OPS(NUMBER), 64, ANPU_TYPE_F32, UB(B) },
		{ ANPU_TILE_VRED, ANPU_RED_OPS(NUMBER), 64, ANPU_TYPE_F32, 0 },
		{ ANPU_TILE_VGATHER, ANPU_GATHER_OPS(NUMBER), 8, ANPU_TYPE_F32, UB(M) },
		{ ANPU_TILE_VGMASK, ANPU_GMASK_OPS(NUMBER), 64, ANPU_TYPE_F32, 0 },
		{ ANPU_TILE_VBRC, ANPU_BRC_OPS(NUMBER), 8, ANPU_TYPE_F32, 0 },
		{ ANPU_TILE_VMRG, ANPU_MRG_OPS(NUMBER), 0, ANPU_TYPE_F32, UB(E) },
	};
#undef NUMBER
	char text[40];

	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
		snprintf(text, sizeof(text), "sub-operation %u does not exist", ops[i].subs);
		refuse(ANPU_FAULT_OPERAND, text, ops[i].op, UB(D), ops[i].count ? UB(A) : 0, ops[i].rs3,
		       ANPU_CTL(ops[i].count, ops[i].type, ops[i].subs));
	}
}

int main(void)
{
	test_init();
	for (unsigned int set = 0; tile_kernel_set(set); set++) {
		tile_force(set);
		for (unsigned int type = 0; type < ANPU_TYPE_S4; type++) {
			if (type == 3)
				continue;
			for (unsigned int op = 0; op < TILE_TRIS; op++)
				if (tile_kernels()->tri[op][type])
					test_tri(op, type);
			for (unsigned int op = 0; op < TILE_CMPS; op++)
				test_cmp(op, type);
			test_sel(type);
			for (unsigned int op = 0; op < TILE_REDS; op++)
				test_red(op, type, false);
			if (type_size(type) == 1)
				continue;
			test_red(ANPU_RED_MAX, type, true);
			test_red(ANPU_RED_MIN, type, true);
		}
		test_tri_hard();
		test_iota();
	}
	tile_force(0);
	test_reps();
	for (unsigned int type = 0; type < ANPU_TYPE_S4; type++)
		if (type != 3)
			test_gather(type);
	test_moves_of_s4();
	test_undefined_bits_of_moves();
	test_gather_more();
	test_scatter_over_offsets();
	test_gmask();
	test_shapes();
	test_blocks(ANPU_TYPE_F32, false, false);
	test_blocks(ANPU_TYPE_S16, false, false);
	for (unsigned int halves = 0; halves < 4; halves++)
		test_blocks(ANPU_TYPE_U8, halves & 1, halves & 2);
	test_blocks_more();
	test_sort(ANPU_TYPE_F32);
	test_sort(ANPU_TYPE_F16);
	test_unknown_subs();
	refuse(ANPU_FAULT_OPERAND, "multiple of 32", ANPU_TILE_VSORT, UB(D), UB(A), UB(B),
	       ANPU_CTL(33, ANPU_TYPE_F32, 0));
	refuse(ANPU_FAULT_OPERAND, "no index", ANPU_TILE_VRED, UB(D), UB(A), 0,
	       ANPU_CTL(33, ANPU_TYPE_F32, ANPU_RED_SUM) | ANPU_CTL_INDEX);
	refuse(ANPU_FAULT_OPERAND, "too narrow", ANPU_TILE_VRED, UB(D), UB(A), 0,
	       ANPU_CTL(33, ANPU_TYPE_S8, ANPU_RED_MAX) | ANPU_CTL_INDEX);
	test_block->csr.selmask = UB(ANPU_UB_SIZE - 32);
	refuse(ANPU_FAULT_SCRATCHPAD, "CSR selmask", ANPU_TILE_VSEL, UB(D), UB(A), UB(B),
	       ANPU_CTL(1024, ANPU_TYPE_F16, 0));
	return tap_end();
}
