// SPDX-License-Identifier: MIT
/*
 * Overflows of tile operations: each runs as usual, which gives the results; then it runs again with
 * results looked at, and must note exactly the results that are worse than their operands, and give
 * the same bits. Documentation/isa.md has the rule.
 */
#include "tile_test.h"

#define A	0x0000
#define B	0x4000
#define D	0x8000
#define E	0xb800
#define END	0xc000
#define GM_BYTES	0x4000
#define L0A(off)	(ANPU_L0A_BASE + (uint64_t)(off))
#define L0B(off)	(ANPU_L0B_BASE + (uint64_t)(off))
#define L0C(off)	(ANPU_L0C_BASE + (uint64_t)(off))

static const unsigned int floats[] = { ANPU_TYPE_F32, ANPU_TYPE_F16, ANPU_TYPE_BF16 };

/* 0 finite, 1 infinite, 2 NaN; integers are finite */
static unsigned int class(const void *p, unsigned int type, size_t i)
{
	long double v;

	if (!type_float(type))
		return 0;
	v = real(get(p, type, i), type);
	return isnan(v) ? 2 : isinf(v) ? 1 : 0;
}

static unsigned int worse(unsigned int a, unsigned int b)
{
	return a > b ? a : b;
}

/* The overflow that the rule demands for an operation, of elements that the caller goes through. */
struct expect {
	unsigned int status;
};

static void result(struct expect *x, unsigned int class, unsigned int operands)
{
	if (class > operands)
		x->status |= class;
}

/* Statuses that were met, so that a test that meets none of a kind is found out. */
static unsigned int met[4];

/*
 * The operation again, from the same memory @before, watched: it has to note @x, and give the bits
 * @after, or what saturation makes of them, in @type at @d.
 */
struct again {
	unsigned int op;
	uint64_t rs1, rs2, rs3, rd;
	uint8_t *d;
	unsigned int type;
	size_t n;
};

/* what an operation may read and write, in one piece, and copies of it */
static uint8_t *space;
static size_t space_size;
static uint8_t before[0x180000], after[0x180000];

static void use_space(uint8_t *from, size_t size)
{
	space = from;
	space_size = size;
}

/* what was at @p before the operation */
static const uint8_t *was(const uint8_t *p)
{
	return before + (p - space);
}

static void keep_before(void)
{
	memcpy(before, space, space_size);
	memset(test_block->l0_type, 0, sizeof(test_block->l0_type));
}

static void restore(void)
{
	memcpy(space, before, space_size);
	memset(test_block->l0_type, 0, sizeof(test_block->l0_type));
}

static bool once(const struct again *g)
{
	test_block->overflow = 0;
	return run(g->op, g->rs1, g->rs2, g->rs3, g->rd);
}

static bool as_saturated(const struct again *g)
{
	const uint8_t *want = after + (g->d - space);

	for (size_t i = 0; i < g->n; i++)
		if (get(g->d, g->type, i) != saturated(get(want, g->type, i), g->type)) {
			tap_diag("element %zu is 0x%" PRIx64 " of 0x%" PRIx64, i, get(g->d, g->type, i),
				 get(want, g->type, i));
			return false;
		}
	return true;
}

static bool check_again(const struct again *g, const struct expect *x)
{
	bool ok;

	met[x->status]++;
	memcpy(after, space, space_size);
	restore();
	test_block->watch = true;
	ok = once(g) && test_block->overflow == x->status;
	if (!ok)
		tap_diag("status %u, want %u; %s", test_block->overflow, x->status,
			 test_fault.message);
	if (ok && memcmp(space, after, space_size)) {
		tap_diag("other results than without");
		ok = false;
	}
	if (ok && g->n && type_float(g->type)) {
		restore();
		test_block->csr.fpctl = ANPU_FPCTL_SATURATE;
		ok = once(g) && test_block->overflow == x->status && as_saturated(g);
		if (!ok)
			tap_diag("saturating: status %u, want %u", test_block->overflow, x->status);
		test_block->csr.fpctl = 0;
	}
	test_block->watch = false;
	return ok;
}

/* lengths around those that are looked at together */
static size_t length(unsigned int round)
{
	static const size_t lengths[] = { 1, 2, 3, 7, 16, 255, 256, 257, 1000 };

	return lengths[round % (sizeof(lengths) / sizeof(lengths[0]))];
}

/* mostly harmless numbers, some at the limits */
static void fill(uint8_t *p, unsigned int type, size_t n, unsigned int round)
{
	for (size_t i = 0; i < n; i++) {
		bool special = round % 3 == 0 ? n < 8 || rnd() % n == 0 : rnd() % 4 == 0;

		put(p, type, i, type_float(type) && !special ?
		    round_to((long double)(int32_t)rnd() * 0x1p-30L, type, ANPU_ROUND_RINT) :
		    rnd_bits(type));
	}
}

#define ROUNDS	45

/* Vector operations ------------------------------------------------------------------------------ */

/* element by element over contiguous operands; @place: 0 apart, 1 on src0 */
static bool flat(unsigned int op, uint64_t ctl, unsigned int to, unsigned int from, bool two, bool scalar,
		 bool dst, unsigned int extra, unsigned int round)
{
	size_t n = length(round);
	bool in_place = round & 1 && type_size(to) <= type_size(from) && !dst;
	uint32_t d = in_place ? A : D;
	struct again g = { op, UB(d), UB(A), 0, ctl + n, ub(d), to, n };
	struct expect x = { 0 };
	uint64_t value;

	fill(ub(A), from, n, round);
	fill(ub(B), from, n, round);
	fill(ub(D), to, n, round);
	value = get(ub(B), from, 0);
	g.rs3 = scalar ? value : two ? UB(B) : 0;
	keep_before();
	if (!once(&g))
		return false;
	for (size_t i = 0; i < n; i++) {
		unsigned int c = worse(class(was(ub(A)), from, i), extra);

		if (two || scalar)
			c = worse(c, class(was(ub(B)), from, scalar ? 0 : i));
		if (dst)
			c = worse(c, class(was(ub(D)), to, i));
		result(&x, class(ub(d), to, i), c);
	}
	return check_again(&g, &x);
}

static void test_flat(const char *name, unsigned int op, uint64_t ctl, unsigned int to,
		      unsigned int from, bool two, bool scalar, bool dst, unsigned int extra)
{
	bool ok = true;

	for (unsigned int round = 0; ok && round < ROUNDS; round++)
		ok = flat(op, ctl, to, from, two, scalar, dst, extra, round);
	tap_ok(ok, "%s to %s from %s, %s", name, tile_type_name(to), tile_type_name(from),
	       tile_kernels()->name);
}

static void test_flats(unsigned int type)
{
	for (unsigned int sub = 0; sub < TILE_BINS; sub++) {
		uint64_t ctl = ANPU_CTL(0, type, sub);

		if (!tile_kernels()->bin[sub][type])
			continue;
		test_flat("VBIN", ANPU_TILE_VBIN, ctl, type, type, true, false, false, 0);
		test_flat("VBINS", ANPU_TILE_VBINS, ctl, type, type, false, true, false, 0);
		test_flat("VBINS reversed", ANPU_TILE_VBINS, ctl | ANPU_CTL_REVERSE, type, type, false, true,
			  false, 0);
	}
	for (unsigned int sub = 1; sub < TILE_UNS; sub++)
		if (tile_kernels()->un[sub][type])
			test_flat("VUN", ANPU_TILE_VUN, ANPU_CTL(0, type, sub), type, type, false, false, false,
				  0);
	for (unsigned int sub = 0; sub < TILE_TRIS; sub++) {
		uint64_t ctl = ANPU_CTL(0, type, sub);

		test_flat("VTRI", ANPU_TILE_VTRI, ctl, type, type, true, false, true, 0);
		test_flat("VTRI scalar", ANPU_TILE_VTRI, ctl | ANPU_CTL_SCALAR, type, type, false, true,
			  true, 0);
	}
}

static void test_cvts(unsigned int to)
{
	/* 2^127 with no offset, infinity, 3 */
	static const uint32_t scales[] = { 0x7f000000, 0x7f800000, 0x40400000 };

	for (unsigned int from = 0; from < TILE_TYPES; from++)
		if (tile_kernels()->cvt[to][from] && from != ANPU_TYPE_S4)
			test_flat("VCVT", ANPU_TILE_VCVT, ANPU_CTL_CVT(0, to, from, ANPU_ROUND_RINT), to, from,
				  false, false, false, 0);
	for (unsigned int k = 0; k < 3; k++) {
		test_block->csr.quant = scales[k];
		if (tile_kernels()->cvt[to][ANPU_TYPE_F32])
			test_flat("VCVT quantising", ANPU_TILE_VCVT,
				  ANPU_CTL_CVT(0, to, ANPU_TYPE_S32, ANPU_ROUND_RINT) | ANPU_CTL_QUANT, to,
				  ANPU_TYPE_S32, false, false, false, class(&scales[k], ANPU_TYPE_F32, 0));
	}
}

/* operations that only move bits note no overflow, whatever the bits mean */
static void test_moves(unsigned int type)
{
	const struct again g[] = {
		{ ANPU_TILE_VUN, UB(D), UB(A), 0, ANPU_CTL(64, type, ANPU_UN_COPY), ub(D), 0, 0 },
		{ ANPU_TILE_VDUP, UB(D), 0x7fffffff, 0, ANPU_CTL(64, type, 0), ub(D), 0, 0 },
		{ ANPU_TILE_VCMP, UB(D), UB(A), UB(B), ANPU_CTL(64, type, 0), ub(D), 0, 0 },
		{ ANPU_TILE_VSEL, UB(D), UB(A), UB(B), ANPU_CTL(64, type, ANPU_SEL_CMPMASK), ub(D), 0, 0 },
		{ ANPU_TILE_DMA_LIN, UB(D), UB(A), 64, 0, ub(D), 0, 0 },
		{ ANPU_TILE_VBIN, UB(D), UB(A), UB(B), ANPU_CTL(64, ANPU_TYPE_S16, ANPU_BIN_MUL), ub(D), 0, 0 },
	};
	struct expect x = { 0 };
	bool ok = true;

	for (unsigned int k = 0; ok && k < sizeof(g) / sizeof(g[0]); k++) {
		rnd_fill(ub(A), type, 64);
		rnd_fill(ub(B), type, 64);
		keep_before();
		ok = once(&g[k]) && check_again(&g[k], &x);
	}
	tap_ok(ok, "moves, comparisons and integers of %s: nothing", tile_type_name(type));
}

/* VREP: elements that the mask leaves out do not count */
static void test_rep(unsigned int op, unsigned int sub, unsigned int type)
{
	const unsigned int size = type_size(type), lanes = 256 / size;
	struct anpu_rep_desc desc = { .op = (uint8_t)op, .repeat = 3, .dst_block = 1, .src0_block = 1,
		.src1_block = op == ANPU_TILE_VUN ? 0 : 2, .dst_repeat = 8, .src0_repeat = 8,
		.src1_repeat = op == ANPU_TILE_VUN ? 0 : 16,
		.ctl = ANPU_CTL(0, type, sub) | ANPU_CTL_MASK };
	struct again g = { ANPU_TILE_VREP, UB(D), UB(A), op == ANPU_TILE_VUN ? 0 : UB(B), UB(E), ub(D),
			   type, 0 };
	bool ok = true;

	for (unsigned int round = 0; ok && round < ROUNDS; round++) {
		struct expect x = { 0 };

		fill(ub(A), type, 3 * lanes, round);
		fill(ub(B), type, 6 * lanes, round);
		fill(ub(D), type, 3 * lanes, round);
		memcpy(ub(E), &desc, sizeof(desc));
		test_block->csr.vmask[0] = rnd() & rnd() & rnd();
		test_block->csr.vmask[1] = rnd() & rnd() & rnd();
		keep_before();
		ok = once(&g);
		for (unsigned int i = 0; ok && i < 3 * lanes; i++) {
			unsigned int lane = i % lanes, c = class(was(ub(A)), type, i);

			if (!(test_block->csr.vmask[lane / 64] >> (lane % 64) & 1))
				continue;
			if (op != ANPU_TILE_VUN) /* blocks of src1 are two apart */
				c = worse(c, class(was(ub(B)), type,
						   i / (32 / size) * (64 / size) + i % (32 / size)));
			if (op == ANPU_TILE_VTRI)
				c = worse(c, class(was(ub(D)), type, i));
			result(&x, class(ub(D), type, i), c);
		}
		ok = ok && check_again(&g, &x);
	}
	test_block->csr.vmask[0] = ~0ULL;
	test_block->csr.vmask[1] = ~0ULL;
	tap_ok(ok, "VREP of operation %u %u, %s, masked", op, sub, tile_type_name(type));
}

static void test_red(unsigned int sub, unsigned int scope, unsigned int type, bool index)
{
	bool ok = true;

	for (unsigned int round = 0; ok && round < ROUNDS; round++) {
		size_t n = length(round) * (scope == ANPU_RED_PAIR ? 3 : 1);
		size_t group = scope == ANPU_RED_WHOLE ? n : scope == ANPU_RED_PAIR ? 2 :
			       (scope == ANPU_RED_BLOCK ? 32u : 256u) / type_size(type);
		size_t groups = (n + group - 1) / group;
		uint32_t d = round & 1 && !index ? A : D;
		struct again g = { ANPU_TILE_VRED, UB(d), UB(A), 0,
				   ANPU_CTL(n, type, sub | scope) | (index ? ANPU_CTL_INDEX : 0), ub(d), type,
				   index ? 0 : groups };
		struct expect x = { 0 };

		fill(ub(A), type, n, round);
		keep_before();
		ok = once(&g);
		for (size_t i = 0; ok && i < groups; i++) {
			unsigned int c = 0;

			for (size_t j = i * group; j < n && j < (i + 1) * group; j++)
				c = worse(c, class(was(ub(A)), type, j));
			result(&x, class(ub(d), type, i * (index ? 2 : 1)), c);
		}
		ok = ok && check_again(&g, &x);
	}
	tap_ok(ok, "VRED %u scope %u, %s%s, %s", sub, scope, tile_type_name(type), index ? " index" : "",
	       tile_kernels()->name);
}

static void test_iota(unsigned int type)
{
	bool ok = true;

	for (unsigned int round = 0; ok && round < ROUNDS; round++) {
		size_t n = length(round);
		struct again g = { ANPU_TILE_VIOTA, UB(D), rnd_bits(type), rnd_bits(type),
				   ANPU_CTL(n, type, 0), ub(D), type, n };
		struct expect x = { 0 };

		keep_before();
		ok = once(&g);
		for (size_t i = 0; ok && i < n; i++)
			result(&x, class(ub(D), type, i),
			       worse(class(&g.rs2, type, 0), class(&g.rs3, type, 0)));
		ok = ok && check_again(&g, &x);
	}
	tap_ok(ok, "VIOTA %s", tile_type_name(type));
}

/* Atomic copies to global memory, whose words are exchanged one by one */
static void test_atomic(unsigned int atom, unsigned int type, bool csr)
{
	bool ok = true;

	use_space(gm(0), GM_BYTES);
	for (unsigned int round = 0; ok && round < ROUNDS; round++) {
		size_t n = length(round) / 16 * 16 + 16, bytes = n * type_size(type);
		uint64_t at = round % 5 * type_size(type);
		struct again g = { ANPU_TILE_DMA_ATOM, GM_BASE + at, UB(A), 0, ANPU_CTL(n, type, atom), gm(at),
				   type, n };
		struct expect x = { 0 };

		if (csr) {
			g = (struct again){ ANPU_TILE_DMA_LIN, GM_BASE + at, UB(A), bytes, 0, gm(at), type, n };
			test_block->csr.atomic = ANPU_ATOMIC(atom, type);
		}
		fill(ub(A), type, n, round);
		fill(gm(at), type, n, round);
		keep_before();
		ok = once(&g);
		for (size_t i = 0; ok && i < n; i++)
			result(&x, class(gm(at), type, i),
			       worse(class(was(gm(at)), type, i), class(ub(A), type, i)));
		ok = ok && check_again(&g, &x);
		test_block->csr.atomic = 0;
	}
	use_space(ub(0), END);
	tap_ok(ok, "atomic operation %u of %s%s: %s", atom, tile_type_name(type), csr ? " by CSR" : "",
	       test_fault.message);
}

/* The cube unit ---------------------------------------------------------------------------------- */

static uint8_t *local(uint64_t va)
{
	return test_block->local + (va - LOCAL_BASE);
}

/* places of elements: row i, column j, term p */
static size_t a_at(unsigned int type, uint32_t k, uint32_t i, uint32_t p)
{
	uint32_t c0 = 32 / type_size(type), k1 = (k + c0 - 1) / c0;

	return ((size_t)(i / 16 * k1 + p / c0) * 16 + i % 16) * c0 + p % c0;
}

static size_t b_at(unsigned int type, uint32_t n, uint32_t p, uint32_t j)
{
	uint32_t c0 = 32 / type_size(type), n1 = (n + 15) / 16;

	return ((size_t)(p / c0 * n1 + j / 16) * c0 + p % c0) * 16 + j % 16;
}

static size_t c_at(uint32_t m, uint32_t i, uint32_t j)
{
	return ((size_t)(j / 16 * ((m + 15) / 16) + i / 16) * 16 + i % 16) * 16 + j % 16;
}

/* numbers whose products seldom overflow, with a few at the limits */
static void fill_cube(uint64_t va, unsigned int type, size_t n, unsigned int rare)
{
	for (size_t i = 0; i < n; i++)
		put(local(va), type, i, rnd() % rare ?
		    round_to((long double)(int32_t)rnd() * 0x1p-30L, type, ANPU_ROUND_RINT) :
		    rnd_bits(type));
}

static void mmad_once(unsigned int type, uint32_t m, uint32_t n, uint32_t k, unsigned int flags, bool *ok)
{
	struct again g = { ANPU_TILE_MMAD, L0C(0), L0A(0), L0B(0), ANPU_MMAD(m, n, k, type, flags), local(L0C(0)),
			   ANPU_TYPE_F32, 0 };
	unsigned int row[64] = { 0 }, col[64] = { 0 };
	struct expect x = { 0 };

	keep_before();
	*ok = once(&g);
	for (uint32_t p = 0; p < k; p++) {
		for (uint32_t i = 0; i < m; i++)
			row[i] = worse(row[i], class(local(L0A(0)), type, a_at(type, k, i, p)));
		for (uint32_t j = 0; j < n; j++)
			col[j] = worse(col[j], class(local(L0B(0)), type, b_at(type, n, p, j)));
	}
	for (uint32_t i = 0; i < m; i++)
		for (uint32_t j = 0; j < n; j++) {
			unsigned int c = worse(row[i], col[j]);

			if (flags & ANPU_MMAD_BIAS)
				c = worse(c, class(local(ANPU_BT_BASE), ANPU_TYPE_F32, j));
			else if (!(flags & ANPU_MMAD_INIT))
				c = worse(c, class(was(local(L0C(0))), ANPU_TYPE_F32, c_at(m, i, j)));
			result(&x, class(local(L0C(0)), ANPU_TYPE_F32, c_at(m, i, j)), c);
		}
	*ok = *ok && check_again(&g, &x);
}

static void test_mmad(unsigned int type, unsigned int flags)
{
	bool ok = true;

	use_space(local(L0A(0)), ANPU_BT_BASE + ANPU_BT_SIZE - ANPU_L0A_BASE);
	for (unsigned int round = 0; ok && round < 20; round++) {
		uint32_t m = 1 + rnd() % 40, n = 1 + rnd() % 40, k = 1 + rnd() % 70;
		unsigned int rare = round % 3 ? 100000 : 2000;

		/* padding holds the largest numbers everywhere, but is no result: no overflow may be noted for it */
		fill_cube(L0A(0), type, 0x2000, round % 3 == 1 ? 20 : rare);
		fill_cube(L0B(0), type, 0x2000, rare);
		fill_cube(L0C(0), ANPU_TYPE_F32, 0x1000, round % 2 ? 100 : 100000);
		fill_cube(ANPU_BT_BASE, ANPU_TYPE_F32, 64, round % 2 ? 10 : 100000);
		test_block->csr.bias = ANPU_BT_BASE;
		mmad_once(type, m, n, k, flags, &ok);
	}
	use_space(ub(0), END);
	tap_ok(ok, "MMAD %s, flags %u, %s", tile_type_name(type), flags, tile_kernels()->name);
}

/* rows and columns of the padding overflow, and only they */
static void test_padding(void)
{
	struct again g = { ANPU_TILE_MMAD, L0C(0), L0A(0), L0B(0), ANPU_MMAD(3, 5, 2, ANPU_TYPE_F32, 1),
			   local(L0C(0)), ANPU_TYPE_F32, 0 };
	struct expect x = { 0 };
	bool ok;

	use_space(local(L0A(0)), ANPU_BT_BASE + ANPU_BT_SIZE - ANPU_L0A_BASE);
	for (size_t i = 0; i < 256; i++) {
		put(local(L0A(0)), ANPU_TYPE_F32, i, 0x7f000000);
		put(local(L0B(0)), ANPU_TYPE_F32, i, 0x7f000000);
	}
	for (uint32_t p = 0; p < 2; p++) {
		for (uint32_t i = 0; i < 3; i++)
			put(local(L0A(0)), ANPU_TYPE_F32, a_at(ANPU_TYPE_F32, 2, i, p), 0);
		for (uint32_t j = 0; j < 5; j++)
			put(local(L0B(0)), ANPU_TYPE_F32, b_at(ANPU_TYPE_F32, 5, p, j), 0);
	}
	keep_before();
	ok = once(&g) && class(local(L0C(0)), ANPU_TYPE_F32, c_at(3, 3, 5)) == 1 && check_again(&g, &x);
	use_space(ub(0), END);
	tap_ok(ok, "MMAD: what overflows in the padding is nothing");
}

static void test_fix(unsigned int from, unsigned int to, bool quant, bool relu, bool nz)
{
	const struct anpu_fix_desc d = { .m = 37, .n = 41, .src_stride = 48, .dst_stride = nz ? 40 : 50,
		.quant = quant, .relu = relu, .layout = nz, .nd_num = 1 };
	static const uint32_t scales[] = { 0x3f800000, 0x7f000000, 0x7f800000, 0x7fc00000 };
	bool ok = true;

	for (unsigned int round = 0; ok && round < 12; round++) {
		struct again g = { ANPU_TILE_FIXPIPE, UB(0), L0C(0), UB(E), ANPU_CTL_CVT(0, to, from, 0), ub(0), to,
				   0 };
		uint32_t c0 = 32 / type_size(to);
		struct expect x = { 0 };

		fill_cube(L0C(0), from, 0x1000, round % 2 ? 100000 : 500);
		memcpy(ub(E), &d, sizeof(d));
		test_block->csr.quant = scales[round % 4];
		keep_before();
		ok = once(&g);
		for (uint32_t i = 0; ok && i < d.m; i++)
			for (uint32_t j = 0; j < d.n; j++) {
				unsigned int c = class(local(L0C(0)), from, (j / 16 * 48 + i) * 16 + j % 16);
				size_t at = nz ? (j / c0 * 40 + i) * c0 + j % c0 : i * 50 + j;

				if (quant)
					c = worse(c, class(&test_block->csr.quant, ANPU_TYPE_F32, 0));
				result(&x, class(ub(0), to, at), c);
			}
		ok = ok && check_again(&g, &x);
	}
	tap_ok(ok, "FIXPIPE %s to %s%s%s, %s: %s", tile_type_name(from), tile_type_name(to),
	       quant ? " quantised" : "", relu ? " relu" : "", nz ? "fractals" : "row-major",
	       test_fault.message);
}

static void test_fixes(unsigned int to)
{
	for (unsigned int k = 0; k < 8; k++) {
		test_fix(ANPU_TYPE_F32, to, k & 1, k & 2, k & 4);
		if (k & 1)
			test_fix(ANPU_TYPE_S32, to, true, k & 2, k & 4);
	}
}

int main(void)
{
	test_init();
	use_space(ub(0), END);
	for (unsigned int set = 0; tile_kernel_set(set); set++) {
		tile_force(set);
		for (unsigned int f = 0; f < 3; f++) {
			unsigned int type = floats[f];

			test_flats(type);
			test_cvts(type);
			test_moves(type);
			test_rep(ANPU_TILE_VBIN, ANPU_BIN_MUL, type);
			test_rep(ANPU_TILE_VUN, ANPU_UN_EXP, type);
			test_rep(ANPU_TILE_VTRI, ANPU_TRI_MLA, type);
			for (unsigned int scope = 0; scope <= ANPU_RED_PAIR; scope += 16)
				for (unsigned int sub = 0; sub < TILE_REDS; sub++) {
					test_red(sub, scope, type, false);
					if (sub && scope < ANPU_RED_PAIR)
						test_red(sub, scope, type, true);
				}
			test_iota(type);
			for (unsigned int atom = ANPU_ATOM_ADD; atom <= ANPU_ATOM_MIN; atom++) {
				test_atomic(atom, type, false);
				test_atomic(atom, type, true);
			}
			for (unsigned int flags = 0; flags < 4; flags++)
				test_mmad(type, flags);
			test_fixes(type);
		}
		test_padding();
	}
	tap_ok(met[0] && met[1] && met[2] && met[3], "statuses met: %u of 0, %u of 1, %u of 2, %u of 3", met[0],
	       met[1], met[2], met[3]);
	return tap_end();
}
