// SPDX-License-Identifier: MIT
/*
 * The cube unit: layouts, loads, multiplication of every type with the plain and the host's
 * kernels, FIXPIPE; and a whole matrix multiplication out of these parts.
 */
#include "tile_test.h"

#define L0A(off)	(ANPU_L0A_BASE + (uint64_t)(off))
#define L0B(off)	(ANPU_L0B_BASE + (uint64_t)(off))
#define L0C(off)	(ANPU_L0C_BASE + (uint64_t)(off))
#define DESC		0x2f000

/* to be read */
static const uint8_t *peek(uint64_t va)
{
	return test_block->local + (va - LOCAL_BASE);
}

/* to be written before the next operation */
static uint8_t *local(uint64_t va)
{
	if (local_is_l0(va))
		memset(test_block->l0_type, 0, sizeof(test_block->l0_type));
	return test_block->local + (va - LOCAL_BASE);
}

static unsigned int c0_of(unsigned int type)
{
	return 32 * 8 / tile_type_bits[type];
}

/* get() and put() of types with halves of bytes, too; of those the sign is extended */
static uint64_t get_bits(const uint8_t *p, unsigned int type, size_t i)
{
	if (type == ANPU_TYPE_S4)
		return (uint64_t)(int64_t)((int8_t)(p[i / 2] << (i % 2 ? 0 : 4)) >> 4);
	return get(p, type, i);
}

static void put_bits(uint8_t *p, unsigned int type, size_t i, uint64_t bits)
{
	if (type == ANPU_TYPE_S4)
		p[i / 2] = (uint8_t)((p[i / 2] & 0xf0 >> i % 2 * 4) | (bits & 15) << i % 2 * 4);
	else
		put(p, type, i, bits);
}

/* numbers that make sums which need rounding, but seldom infinities */
static uint64_t value(unsigned int type)
{
	if (!type_float(type))
		return rnd() & ~0ULL >> (64 - tile_type_bits[type]);
	if (rnd() % 64 == 0)
		return rnd_bits(type);
	return round_to((long double)(int32_t)rnd() * 0x1p-30L, type, ANPU_ROUND_RINT);
}

/* MMAD ------------------------------------------------------------------------------------------- */

/* how L0A is read: ANPU_MMAD_COLS with that many rows, ANPU_MMAD_ROW */
static uint32_t a_flags, a_rows;

static uint64_t a_at(unsigned int type, uint32_t k, uint32_t i, uint32_t p)
{
	uint32_t c0 = c0_of(type), k1 = (k + c0 - 1) / c0;
	size_t fractal = a_flags & ANPU_MMAD_COLS ? p / c0 * ((a_rows + 15) / 16) + i / 16 : i / 16 * k1 + p / c0;

	return get_bits(peek(ANPU_L0A_BASE), type, a_flags & ANPU_MMAD_ROW ? p : (fractal * 16 + i % 16) * c0 + p % c0);
}

static uint64_t b_at(unsigned int type, uint32_t n, uint32_t p, uint32_t j)
{
	uint32_t c0 = c0_of(type), n1 = (n + 15) / 16;

	return get_bits(peek(ANPU_L0B_BASE), type,
			((size_t)(p / c0 * n1 + j / 16) * c0 + p % c0) * 16 + j % 16);
}

static size_t c_at(uint32_t m, uint32_t i, uint32_t j)
{
	return ((size_t)(j / 16 * ((m + 15) / 16) + i / 16) * 16 + i % 16) * 16 + j % 16;
}

static uint64_t mmad_ref(unsigned int type, uint32_t n, uint32_t k, uint32_t i, uint32_t j,
			 uint32_t start)
{
	float acc;

	if (type == ANPU_TYPE_S8 || type == ANPU_TYPE_S4) {
		for (uint32_t p = 0; p < k; p++)
			start += (uint32_t)(int8_t)a_at(type, k, i, p) *
				 (uint32_t)(int8_t)b_at(type, n, p, j);
		return start;
	}
	memcpy(&acc, &start, 4);
	for (uint32_t p = 0; p < k; p++)
		acc = fmaf((float)real(a_at(type, k, i, p), type),
			   (float)real(b_at(type, n, p, j), type), acc);
	return round_to(acc, ANPU_TYPE_F32, ANPU_ROUND_RINT);
}

static void test_mmad(unsigned int type, uint32_t m, uint32_t n, uint32_t k, unsigned int flags)
{
	unsigned int sum = type == ANPU_TYPE_S8 || type == ANPU_TYPE_S4 ? ANPU_TYPE_S32 : ANPU_TYPE_F32;
	size_t a_n = ANPU_L0A_SIZE * 8 / tile_type_bits[type], size = (size_t)(m + 15) / 16 * ((n + 15) / 16) * 256;
	static uint32_t before[ANPU_L0C_SIZE / 4];
	uint32_t *c = (uint32_t *)(void *)local(ANPU_L0C_BASE);
	bool ok;

	for (size_t i = 0; i < a_n; i++) {
		put_bits(local(ANPU_L0A_BASE), type, i, value(type));
		put_bits(local(ANPU_L0B_BASE), type, i, value(type));
	}
	for (size_t i = 0; i < size + 256 && i < ANPU_L0C_SIZE / 4; i++)
		c[i] = (uint32_t)value(sum);
	for (size_t i = 0; i < 1024; i++)
		put(local(ANPU_BT_BASE), ANPU_TYPE_F32, i, value(sum));
	memcpy(before, c, sizeof(before));
	a_flags = flags;
	a_rows = m;
	test_block->csr.bias = ANPU_BT_BASE + 64;
	ok = run(ANPU_TILE_MMAD, L0C(0), L0A(0), L0B(0), ANPU_MMAD(m, n, k, type, flags));
	for (uint32_t i = 0; ok && i < m; i++)
		for (uint32_t j = 0; ok && j < n; j++) {
			size_t at = c_at(m, i, j);
			uint32_t start = flags & ANPU_MMAD_BIAS ?
				(uint32_t)get(local(ANPU_BT_BASE + 64), ANPU_TYPE_U32, j) :
				flags & ANPU_MMAD_INIT ? 0 : before[at];
			uint64_t want = mmad_ref(type, n, k, i, j, start);

			ok = c[at] == want;
			if (!ok)
				tap_diag("row %u column %u is 0x%x, want 0x%" PRIx64, i, j, c[at], want);
		}
	ok = ok && (size >= ANPU_L0C_SIZE / 4 || c[size] == before[size]);
	tap_ok(ok, "MMAD %s %u x %u x %u flags %u, %s: %s", tile_type_name(type), m, n, k, flags,
	       tile_kernels()->name, test_fault.message);
	a_flags = 0;
}

static bool multiplies(unsigned int type)
{
	bool ok = run(ANPU_TILE_MMAD, L0C(0), L0A(0), L0B(0), ANPU_MMAD(16, 32, 40, type, ANPU_MMAD_INIT));

	for (uint32_t i = 0; ok && i < 16; i++)
		for (uint32_t j = 0; ok && j < 32; j++)
			ok = get(peek(ANPU_L0C_BASE), ANPU_TYPE_U32, c_at(16, i, j)) ==
			     mmad_ref(type, 32, 40, i, j, 0);
	return ok;
}

/* MMAD keeps a wide form of fractals: whatever writes to L0A and L0B must be seen */
static void test_rewritten(unsigned int type)
{
	uint64_t ctl = ANPU_CTL(0, type, 0);
	uint32_t word = 0x3c013c02;
	bool ok;

	for (size_t i = 0; i < 0x4000; i++) {
		local(ANPU_L0A_BASE)[i] = (uint8_t)(rnd() & 0xbf);
		local(ANPU_L0B_BASE)[i] = (uint8_t)(rnd() & 0xbf);
		local(ANPU_L1_BASE)[i] = (uint8_t)(rnd() & 0xbf);
	}
	ok = multiplies(type) && multiplies(type);
	tap_ok(ok, "MMAD %s twice", tile_type_name(type));
	ok = run(ANPU_TILE_LOAD2D, L0A(512), L1(0), ANPU_LOAD2D(0, 1, 1, 1), ctl) && multiplies(type);
	tap_ok(ok, "MMAD %s after LOAD2D to L0A", tile_type_name(type));
	ok = run(ANPU_TILE_DMA_LIN, L0B(512 - 32), L1(512), 64, 0) && multiplies(type);
	tap_ok(ok, "MMAD %s after DMA_LIN across two fractals of L0B", tile_type_name(type));
	ok = run(ANPU_TILE_DMA_FILL, L0A(64), 32, 0x3c003c003c003c00, 0) && multiplies(type);
	tap_ok(ok, "MMAD %s after DMA_FILL of L0A", tile_type_name(type));
	for (unsigned int i = 0; i < 2; i++) {
		word ^= 0x10101 << i;
		ok = mem_store_slow(test_block, L0B(510), 4, &word, &test_fault) && multiplies(type);
		tap_ok(ok, "MMAD %s after a scalar store to L0B", tile_type_name(type));
	}
	tlb_flush(test_block);
	local_clean(test_block);
	tap_ok(multiplies(type), "MMAD %s after the block was cleaned", tile_type_name(type));
}

static void test_rewrites(void)
{
	test_rewritten(ANPU_TYPE_F16);
	/* the same fractals as another type */
	tap_ok(multiplies(ANPU_TYPE_BF16) && multiplies(ANPU_TYPE_S8) && multiplies(ANPU_TYPE_F16),
	       "MMAD of the same fractals as other types");
	test_rewritten(ANPU_TYPE_BF16);
	test_rewritten(ANPU_TYPE_S8);
	test_rewritten(ANPU_TYPE_F32);
}

static void test_mmads(void)
{
	static const unsigned int types[] = { ANPU_TYPE_F32, ANPU_TYPE_F16, ANPU_TYPE_BF16,
					      ANPU_TYPE_S8, ANPU_TYPE_S4 };

	for (unsigned int i = 0; i < 5; i++) {
		test_mmad(types[i], 16, 16, 16, 0);
		test_mmad(types[i], 16, 16, 130, ANPU_MMAD_INIT);
		test_mmad(types[i], 16, 16, 1, ANPU_MMAD_BIAS);
		test_mmad(types[i], 33, 50, 77, 0);
		test_mmad(types[i], 1, 1, 1021, ANPU_MMAD_INIT);
		test_mmad(types[i], 100, 17, 140, ANPU_MMAD_BIAS);
		test_mmad(types[i], 64, 128, 128, 0);
		test_mmad(types[i], 50, 33, 77, ANPU_MMAD_COLS);
		test_mmad(types[i], 64, 128, 128, ANPU_MMAD_COLS | ANPU_MMAD_INIT);
		test_mmad(types[i], 1, 40, 1, ANPU_MMAD_ROW);
		test_mmad(types[i], 1, 33, 333, ANPU_MMAD_ROW | ANPU_MMAD_BIAS);
		test_mmad(types[i], 1, 16, 1021, ANPU_MMAD_ROW | ANPU_MMAD_INIT | ANPU_MMAD_COLS);
	}
}

static void test_mmad_refusals(void)
{
	uint64_t word = ANPU_MMAD(16, 16, 16, ANPU_TYPE_F32, 0);

	refuse(ANPU_FAULT_OPERAND, "must be in L0A", ANPU_TILE_MMAD, L0C(0), L0B(0), L0B(0), word);
	refuse(ANPU_FAULT_OPERAND, "must be in L0C", ANPU_TILE_MMAD, UB(0), L0A(0), L0B(0), word);
	refuse(ANPU_FAULT_OPERAND, "multiple of 512", ANPU_TILE_MMAD, L0C(0), L0A(32), L0B(0), word);
	refuse(ANPU_FAULT_SCRATCHPAD, "leaves L0B", ANPU_TILE_MMAD, L0C(0), L0A(0), L0B(0xfe00), word);
	refuse(ANPU_FAULT_SCRATCHPAD, "leaves L0", ANPU_TILE_MMAD, L0C(0), L0A(0), L0B(0),
	       ANPU_MMAD(4095, 16, 65535, ANPU_TYPE_S8, 0));
	refuse(ANPU_FAULT_OPERAND, "k to 65535", ANPU_TILE_MMAD, L0C(0), L0A(0), L0B(0),
	       ANPU_MMAD(16, 16, 0, ANPU_TYPE_F32, 0));
	refuse(ANPU_FAULT_OPERAND, "no form for type S32", ANPU_TILE_MMAD, L0C(0), L0A(0), L0B(0),
	       ANPU_MMAD(16, 16, 16, ANPU_TYPE_S32, 0));
	refuse(ANPU_FAULT_OPERAND, "flags 0x10", ANPU_TILE_MMAD, L0C(0), L0A(0), L0B(0),
	       ANPU_MMAD(16, 16, 16, ANPU_TYPE_F32, 16));
	refuse(ANPU_FAULT_OPERAND, "m is 2", ANPU_TILE_MMAD, L0C(0), L0A(0), L0B(0),
	       ANPU_MMAD(2, 16, 16, ANPU_TYPE_F32, ANPU_MMAD_ROW));
	test_block->csr.bias = 0;
	refuse(ANPU_FAULT_SCRATCHPAD, "CSR bias", ANPU_TILE_MMAD, L0C(0), L0A(0), L0B(0),
	       ANPU_MMAD(16, 16, 16, ANPU_TYPE_F32, ANPU_MMAD_BIAS));
	test_block->no_cube = true;
	refuse(ANPU_FAULT_ILLEGAL, "vector core", ANPU_TILE_MMAD, L0C(0), L0A(0), L0B(0), word);
	test_block->no_cube = false;
}

/* Loads ------------------------------------------------------------------------------------------ */

static void test_nd2nz(unsigned int type)
{
	struct anpu_nd2nz_desc n = { .nd_num = 3, .n = 21, .d = 45, .src_nd_stride = 2000, .src_d = 51,
		.dst_c0_stride = 32, .dst_n_stride = 1, .dst_nz_stride = 16384 / type_size(type) };
	unsigned int size = type_size(type), c0 = c0_of(type);
	bool ok;

	rnd_fill(gm(0), ANPU_TYPE_U8, 0x10000);
	memset(local(ANPU_L1_BASE), 0xcc, 0x10000);
	memcpy(ub(DESC), &n, sizeof(n));
	ok = run(ANPU_TILE_DMA_ND2NZ, L1(0), GM_BASE + 4, UB(DESC), ANPU_CTL(0, type, 0));
	for (unsigned int k = 0; ok && k < 3; k++)
		for (unsigned int i = 0; ok && i < 21; i++)
			for (unsigned int j = 0; ok && j < (45 + c0 - 1) / c0 * c0; j++) {
				uint64_t got = get(local(L1(k * 16384 + j / c0 * 1024 + i * 32)), type, j % c0);

				ok = got == (j < 45 ? get(gm(4), type, k * 2000 + i * 51 + j) : 0);
			}
	ok = ok && *local(L1(21 * 32)) == 0xcc;
	tap_ok(ok, "DMA_ND2NZ of %u-byte elements", size);
}

static void test_nd2nz_refusals(void)
{
	struct anpu_nd2nz_desc n = { 1, 16, 16, 0, 16, 16, 1, 0 };

	memcpy(ub(DESC), &n, sizeof(n));
	refuse(ANPU_FAULT_OPERAND, "must be in L1", ANPU_TILE_DMA_ND2NZ, UB(0), GM_BASE, UB(DESC), 0);
	refuse(ANPU_FAULT_OPERAND, "must be in global", ANPU_TILE_DMA_ND2NZ, L1(0), L1(0), UB(DESC), 0);
	refuse(ANPU_FAULT_UNMAPPED, "", ANPU_TILE_DMA_ND2NZ, L1(0), GM_HOLE - 128, UB(DESC), 0);
	tap_ok(test_fault.addr == GM_HOLE, "DMA_ND2NZ names the byte it cannot read");
	refuse(ANPU_FAULT_OPERAND, "must be zero", ANPU_TILE_DMA_ND2NZ, L1(0), GM_BASE, UB(DESC), 1);
	tap_ok(run(ANPU_TILE_DMA_ND2NZ, L1(ANPU_L1_SIZE - 512), GM_BASE, UB(DESC), ANPU_CTL(0, ANPU_TYPE_F16, 0)),
	       "DMA_ND2NZ up to the end of L1");
	refuse(ANPU_FAULT_SCRATCHPAD, "leaves L1", ANPU_TILE_DMA_ND2NZ, L1(ANPU_L1_SIZE - 480), GM_BASE, UB(DESC),
	       ANPU_CTL(0, ANPU_TYPE_F16, 0));
	n.n = ~0u;
	n.d = ~0u;
	n.nd_num = ~0u;
	memcpy(ub(DESC), &n, sizeof(n));
	refuse(ANPU_FAULT_OPERAND, "more than L1 holds", ANPU_TILE_DMA_ND2NZ, L1(0), GM_BASE, UB(DESC),
	       0);
}

static void test_load2d(unsigned int type)
{
	unsigned int c0 = c0_of(type);
	bool ok;

	rnd_fill(local(ANPU_L1_BASE), ANPU_TYPE_U8, 0x8000);
	ok = run(ANPU_TILE_LOAD2D, L0A(0x400), L1(0x200), ANPU_LOAD2D(1, 5, 3, 2),
		 ANPU_CTL(0, type, 0));
	for (unsigned int i = 0; i < 5; i++)
		ok = ok && !memcmp(local(L0A(0x400 + i * 1024)), local(L1(0x400 + i * 1536)), 512);
	ok = ok && run(ANPU_TILE_LOAD2D, L0B(0), L1(0), ANPU_LOAD2D(0, 4, 1, 1),
		       ANPU_CTL(0, type, 0) | ANPU_CTL_TRANSPOSE);
	for (unsigned int i = 0; ok && i < 4; i++)
		for (unsigned int r = 0; ok && r < 16; r++)
			for (unsigned int c = 0; ok && c < c0; c++)
				ok = get_bits(local(L0B(i * 512)), type, c * 16 + r) ==
				     get_bits(local(L1(i * 512)), type, r * c0 + c);
	rnd_fill(gm(0), ANPU_TYPE_U8, 0x8000);
	ok = ok && run(ANPU_TILE_LOAD2D, L0B(0), GM_BASE + 3, ANPU_LOAD2D(2, 2, 4, 1),
		       ANPU_CTL(0, type, 0));
	ok = ok && !memcmp(local(L0B(0)), gm(3 + 1024), 512) && !memcmp(local(L0B(512)), gm(3 + 3072), 512);
	tap_ok(ok, "LOAD2D of %s", tile_type_name(type));
}

/* a 2 x 3 grid of squares with k in the rows, column by column of fractals in L1, to L0A and L0B */
static void test_squares(unsigned int type)
{
	bool narrow = tile_type_bits[type] <= 8;
	unsigned int c0 = c0_of(type), side = narrow ? c0 : 16, most = narrow ? c0 / 16 : 2;
	uint32_t k = 2 * side, n = 3 * side, rows = k / 16, src_pair = narrow ? 1 : rows;
	/* fractals of L0A: 16 m x c0 k, of L0B: c0 k x 16 n */
	uint32_t k1 = k / c0, n1 = n / 16;
	bool ok = true;

	rnd_fill(local(ANPU_L1_BASE), ANPU_TYPE_U8, 0x8000);
	for (uint32_t i = 0; ok && i < 3; i++)
		for (uint32_t j = 0; ok && j < 2; j++) {
			uint64_t src = L1(512 * (narrow ? i * rows + most * j : 2 * i * rows + j));
			uint32_t a = narrow ? most * i * k1 + j : i * k1 + 2 * j;
			uint32_t b = narrow ? j * n1 + most * i : 2 * j * n1 + i;

			ok = run(ANPU_TILE_LOAD2D, L0A(a * 512), src, ANPU_LOAD2D(0, 1, 0, 0),
				 ANPU_CTL(ANPU_LOAD_PAIR(src_pair, narrow ? k1 : 1), type, ANPU_LOAD_SQUARE)) &&
			     run(ANPU_TILE_LOAD2D, L0B(b * 512), src, ANPU_LOAD2D(0, 1, 0, 0),
				 ANPU_CTL(ANPU_LOAD_PAIR(src_pair, narrow ? 1 : n1), type, ANPU_LOAD_SQUARE));
		}
	for (uint32_t p = 0; ok && p < k; p++)
		for (uint32_t j = 0; ok && j < n; j++) {
			uint64_t want = get_bits(peek(ANPU_L1_BASE), type,
						 ((j / c0 * rows + p / 16) * 16 + p % 16) * c0 + j % c0);

			ok = a_at(type, k, j, p) == want && b_at(type, n, p, j) == want;
			if (!ok)
				tap_diag("row %u column %u", p, j);
		}
	tap_ok(ok, "LOAD2D of squares of %s: %s", tile_type_name(type), test_fault.message);
	/* strides between squares: the same as one by one */
	rnd_fill(local(ANPU_L0A_BASE), ANPU_TYPE_U8, 0x4000);
	ok = run(ANPU_TILE_LOAD2D, L0A(0), L1(0), ANPU_LOAD2D(2, 3, 5, 7),
		 ANPU_CTL(ANPU_LOAD_PAIR(3, 2), type, ANPU_LOAD_SQUARE)) &&
	     run(ANPU_TILE_LOAD2D, L0A(0x8000), L1(0), ANPU_LOAD2D(12, 1, 0, 0),
		 ANPU_CTL(ANPU_LOAD_PAIR(3, 2), type, ANPU_LOAD_SQUARE)) &&
	     !memcmp(peek(L0A(14 * 512)), peek(L0A(0x8000)), 512) &&
	     !memcmp(peek(L0A(16 * 512)), peek(L0A(0x8000 + 1024)), 512);
	tap_ok(ok, "LOAD2D of several squares of %s: %s", tile_type_name(type), test_fault.message);
}

static void test_load2d_refusals(void)
{
	refuse(ANPU_FAULT_OPERAND, "squares are for types of 4, 8 and 32 bits", ANPU_TILE_LOAD2D, L0A(0), L1(0),
	       ANPU_LOAD2D(0, 1, 0, 0), ANPU_CTL(ANPU_LOAD_PAIR(1, 1), ANPU_TYPE_F16, ANPU_LOAD_SQUARE));
	refuse(ANPU_FAULT_SCRATCHPAD, "leaves L0B", ANPU_TILE_LOAD2D, L0B(0), L1(0),
	       ANPU_LOAD2D(0, 1, 0, 0), ANPU_CTL(ANPU_LOAD_PAIR(1, 128), ANPU_TYPE_F32, ANPU_LOAD_SQUARE));
	refuse(ANPU_FAULT_OPERAND, "must be in L0A/L0B", ANPU_TILE_LOAD2D, UB(0), L1(0),
	       ANPU_LOAD2D(0, 1, 0, 0), 0);
	refuse(ANPU_FAULT_SCRATCHPAD, "leaves L0A", ANPU_TILE_LOAD2D, L0A(0), L1(0),
	       ANPU_LOAD2D(0, 129, 0, 1), 0);
	refuse(ANPU_FAULT_OPERAND, "stride of 0", ANPU_TILE_LOAD2D, L0A(0), L1(0),
	       ANPU_LOAD2D(0, 2, 0, 0), 0);
	refuse(ANPU_FAULT_OPERAND, "no form for type S64", ANPU_TILE_LOAD2D, L0A(0), L1(0),
	       ANPU_LOAD2D(0, 1, 0, 0), ANPU_CTL(0, ANPU_TYPE_S64, 0));
}

/* the element of the padded image that row m, column k of the matrix stands for */
static uint64_t pixel(const struct anpu_load3d_desc *d, unsigned int type, uint32_t m, uint32_t k)
{
	uint32_t c0 = c0_of(type), wo, kk = k / c0;
	int32_t x, y;

	wo = (uint32_t)(d->width + d->pad[0] + d->pad[1] - (d->kernel_w - 1) * d->dilation_w - 1) /
	     d->stride_w + 1;
	x = (int32_t)(m % wo * d->stride_w + kk % d->kernel_w * d->dilation_w) - d->pad[0];
	y = (int32_t)(m / wo * d->stride_h + kk / d->kernel_w % d->kernel_h * d->dilation_h) - d->pad[2];
	if (x < 0 || y < 0 || x >= d->width || y >= d->height)
		return 0;
	return get(local(ANPU_L1_BASE), type, (((kk / d->kernel_w / d->kernel_h) * d->height +
		   (uint32_t)y) * d->width + (uint32_t)x) * c0 + k % c0);
}

static void test_load3d(unsigned int type, uint16_t m_start, uint16_t m_step)
{
	unsigned int c0 = c0_of(type);
	/* the last row of pixels is in no result: rows beyond the image's are zero, and not that row */
	struct anpu_load3d_desc d = { .height = 10, .width = 7, .channels = (uint16_t)(2 * c0),
		.k_step = (uint16_t)(7 * c0), .m_step = m_step, .k_start = (uint16_t)(4 * c0),
		.m_start = m_start, .pad = { 2, 1, 1, 2 }, .kernel_w = 3, .kernel_h = 2, .stride_w = 1,
		.stride_h = 2, .dilation_w = 2, .dilation_h = 3 };
	uint32_t rows = ((7 + 3 - 4 - 1) / 1 + 1) * ((10 + 3 - 3 - 1) / 2 + 1);
	bool ok;

	rnd_fill(local(ANPU_L1_BASE), ANPU_TYPE_U8, 0x4000);
	memcpy(ub(DESC), &d, sizeof(d));
	ok = run(ANPU_TILE_LOAD3D, L0A(0), L1(0), UB(DESC), ANPU_CTL(0, type, 0));
	for (uint32_t m = 0; ok && m < (m_step + 15u) / 16 * 16; m++)
		for (uint32_t k = 0; ok && k < d.k_step; k++) {
			uint64_t want = m < m_step && m + m_start < rows ?
				pixel(&d, type, m + m_start, k + d.k_start) : 0;

			ok = get(local(ANPU_L0A_BASE), type, ((m / 16 * 7 + k / c0) * 16 + m % 16) * c0 +
				 k % c0) == want;
		}
	tap_ok(ok, "LOAD3D of %u-byte elements, rows %u to %u of %u: %s", type_size(type), m_start,
	       m_start + m_step - 1, rows, test_fault.message);
	refuse(ANPU_FAULT_OPERAND, "L0A", ANPU_TILE_LOAD3D, ANPU_L0B_BASE, L1(0), UB(DESC),
	       ANPU_CTL(0, type, 0));
	d.channels++;
	memcpy(ub(DESC), &d, sizeof(d));
	refuse(ANPU_FAULT_OPERAND, "channels", ANPU_TILE_LOAD3D, L0A(0), L1(0), UB(DESC),
	       ANPU_CTL(0, type, 0));
	d.channels--;
	d.kernel_w = 200;
	memcpy(ub(DESC), &d, sizeof(d));
	refuse(ANPU_FAULT_OPERAND, "larger than the padded", ANPU_TILE_LOAD3D, L0A(0), L1(0), UB(DESC),
	       ANPU_CTL(0, type, 0));
	d.kernel_w = 0;
	memcpy(ub(DESC), &d, sizeof(d));
	refuse(ANPU_FAULT_OPERAND, "of 0", ANPU_TILE_LOAD3D, L0A(0), L1(0), UB(DESC),
	       ANPU_CTL(0, type, 0));
}

/* FIXPIPE ---------------------------------------------------------------------------------------- */

static uint64_t fix_ref(uint32_t bits, unsigned int from, unsigned int to, bool relu,
			unsigned int quant, uint64_t word)
{
	long double v = from == ANPU_TYPE_F32 ? real(bits, from) : (long double)(int32_t)bits;
	uint32_t scale = (uint32_t)word;
	float s;

	/* nothing to do: the bits pass */
	if (!relu && !quant && from == to)
		return bits;
	if (relu && v <= 0)
		v = 0;
	memcpy(&s, &scale, 4);
	if (quant)
		v = (float)v * s + (float)(int16_t)(word >> 32);
	return type_float(to) ? round_to(v, to, ANPU_ROUND_RINT) :
	       clamp_to(round_whole(v, ANPU_ROUND_RINT), to);
}

static void test_fix(unsigned int from, unsigned int to, unsigned int quant, bool relu, bool nz)
{
	struct anpu_fix_desc d = { .m = 37, .n = 41, .src_stride = 48, .dst_stride = nz ? 40 : 50,
		.quant = (uint8_t)quant, .relu = relu, .layout = nz, .nd_num = nz ? 1 : 2,
		.src_nd_stride = 12, .dst_nd_stride = 3000, .quant_addr = ANPU_FB_BASE + 64 };
	uint64_t ctl = ANPU_CTL_CVT(0, to, from, 0), dst = nz ? L1(64) : GM_BASE + 8;
	const uint8_t *out = nz ? local(L1(64)) : gm(8);
	unsigned int c0 = c0_of(to);
	bool ok;

	for (size_t i = 0; i < 0x4000; i++)
		put(local(ANPU_L0C_BASE), from, i, value(from));
	for (size_t i = 0; i < 64; i++)
		put(local(ANPU_FB_BASE), ANPU_TYPE_U64, i,
		    (round_to(rnd() % 1000 / 300.0L, ANPU_TYPE_F32, 1) >> (from == ANPU_TYPE_S32 ? 0 : 0)) |
		    (rnd() & 0xff) << 32);
	test_block->csr.quant = get(local(ANPU_FB_BASE), ANPU_TYPE_U64, 5);
	memset(gm(0), 0x77, 0x10000);
	memcpy(ub(DESC), &d, sizeof(d));
	ok = run(ANPU_TILE_FIXPIPE, dst, L0C(0), UB(DESC), ctl);
	for (uint32_t k = 0; ok && k < d.nd_num; k++)
		for (uint32_t i = 0; ok && i < d.m; i++)
			for (uint32_t j = 0; ok && j < (nz ? (41 + c0 - 1) / c0 * c0 : 41); j++) {
				size_t at = nz ? (j / c0 * 40 + i) * c0 + j % c0 : k * 3000 + i * 50 + j;
				uint32_t bits = (uint32_t)get(local(ANPU_L0C_BASE + k * 12 * 1024), ANPU_TYPE_U32,
						(j / 16 * 48 + i) * 16 + j % 16);
				uint64_t word = quant == ANPU_FIX_QUANT_VECTOR ?
					get(local(ANPU_FB_BASE + 64), ANPU_TYPE_U64, j) : test_block->csr.quant;
				uint64_t want = j < 41 ? fix_ref(bits, from, to, relu, quant, word) : 0;

				ok = get(out, to, at) == want;
				if (!ok)
					tap_diag("row %u column %u is 0x%" PRIx64 ", want 0x%" PRIx64, i, j,
						 get(out, to, at), want);
			}
	ok = ok && (nz || get(gm(8), ANPU_TYPE_U8, 41 * type_size(to)) == 0x77);
	tap_ok(ok, "FIXPIPE %s to %s quant %u relu %u %s: %s", tile_type_name(from),
	       tile_type_name(to), quant, relu, nz ? "fractals" : "row-major", test_fault.message);
}

static void test_fixes(void)
{
	static const unsigned int to[] = { ANPU_TYPE_F32, ANPU_TYPE_F16, ANPU_TYPE_BF16, ANPU_TYPE_S8,
					   ANPU_TYPE_U8, ANPU_TYPE_S32 };

	for (unsigned int i = 0; i < 6; i++)
		for (unsigned int quant = 0; quant < 3; quant++)
			for (unsigned int k = 0; k < 4; k++) {
				test_fix(ANPU_TYPE_F32, to[i], quant, k & 1, k & 2);
				test_fix(ANPU_TYPE_S32, to[i], quant, k & 1, k & 2);
			}
}

static void test_fix_more(void)
{
	struct anpu_fix_desc d = { .m = 16, .n = 16, .src_stride = 16, .dst_stride = 16, .nd_num = 1 };
	float *p = (float *)(void *)gm(0);
	uint64_t ctl = ANPU_CTL_CVT(0, ANPU_TYPE_F32, ANPU_TYPE_F32, 0);
	bool ok;

	for (uint32_t i = 0; i < 256; i++) {
		p[i] = (float)i;
		put(local(ANPU_L0C_BASE), ANPU_TYPE_F32, i, round_to(0.5L, ANPU_TYPE_F32, 1));
	}
	memcpy(ub(DESC), &d, sizeof(d));
	test_block->csr.atomic = ANPU_ATOMIC(ANPU_ATOM_ADD, ANPU_TYPE_F32);
	ok = run(ANPU_TILE_FIXPIPE, GM_BASE, L0C(0), UB(DESC), ctl);
	for (uint32_t i = 0; i < 256; i++)
		ok = ok && p[i] == (float)i + 0.5f;
	tap_ok(ok, "FIXPIPE adds atomically to GM");
	refuse(ANPU_FAULT_OPERAND, "another type", ANPU_TILE_FIXPIPE, GM_BASE, L0C(0), UB(DESC),
	       ANPU_CTL_CVT(0, ANPU_TYPE_F16, ANPU_TYPE_F32, 0));
	test_block->csr.atomic = 0;
	tap_ok(run(ANPU_TILE_FIXPIPE, UB(0), L0C(0), UB(DESC), ctl) && get(ub(0), ANPU_TYPE_U32, 255) ==
	       0x3f000000, "FIXPIPE to UB");
	refuse(ANPU_FAULT_OPERAND, "must be in L0C", ANPU_TILE_FIXPIPE, UB(0), UB(0), UB(DESC), ctl);
	refuse(ANPU_FAULT_UNMAPPED, "", ANPU_TILE_FIXPIPE, GM_HOLE, L0C(0), UB(DESC), ctl);
	refuse(ANPU_FAULT_OPERAND, "no form for type S16", ANPU_TILE_FIXPIPE, UB(0), L0C(0), UB(DESC),
	       ANPU_CTL_CVT(0, ANPU_TYPE_F32, ANPU_TYPE_S16, 0));
	d.src_stride = 24;
	memcpy(ub(DESC), &d, sizeof(d));
	refuse(ANPU_FAULT_OPERAND, "src_stride 24", ANPU_TILE_FIXPIPE, UB(0), L0C(0), UB(DESC), ctl);
	d.src_stride = 16;
	d.nd_num = 255;
	memcpy(ub(DESC), &d, sizeof(d));
	refuse(ANPU_FAULT_OPERAND, "more than L0C holds", ANPU_TILE_FIXPIPE, UB(0), L0C(0), UB(DESC),
	       ctl);
}

/* A matrix multiplication from GM to GM ------------------------------------------------------------ */

static void desc_nd2nz(uint32_t rows, uint32_t cols, uint32_t pitch)
{
	struct anpu_nd2nz_desc n = { 1, rows, cols, 0, pitch, (rows + 15) / 16 * 16, 1, 0 };

	memcpy(ub(DESC), &n, sizeof(n));
}

/*
 * c = a b with a of m x k and b of k x n, or n x k if @bt, all row-major: what an operator does.
 * The matrices of L1 are columns of fractals; those of L0A rows of them, those of L0B too.
 */
static bool matmul(unsigned int type, uint32_t m, uint32_t n, uint32_t k, bool bt)
{
	uint32_t c0 = c0_of(type), k1 = k / c0, m1 = m / 16, n1 = n / 16;
	struct anpu_fix_desc f = { .m = (uint16_t)m, .n = (uint16_t)n, .src_stride = m, .dst_stride = n,
				   .nd_num = 1 };
	uint64_t ctl = ANPU_CTL(0, type, 0);
	bool ok;

	desc_nd2nz(m, k, k);
	ok = run(ANPU_TILE_DMA_ND2NZ, L1(0), GM_BASE, UB(DESC), ctl);
	desc_nd2nz(bt ? n : k, bt ? k : n, bt ? k : n);
	ok = ok && run(ANPU_TILE_DMA_ND2NZ, L1(0x40000), GM_BASE + 0x20000, UB(DESC), ctl);
	for (uint32_t i = 0; ok && i < m1; i++)
		ok = run(ANPU_TILE_LOAD2D, L0A(i * k1 * 512), L1(0), ANPU_LOAD2D(i, k1, m1, 1), ctl);
	if (bt)	/* fractals of L1 are 16 n x c0 k, in columns of n1 */
		ok = ok && run(ANPU_TILE_LOAD2D, L0B(0), L1(0x40000), ANPU_LOAD2D(0, k1 * n1, 1, 1),
			       ctl | ANPU_CTL_TRANSPOSE);
	else if (c0 == 16)	/* 16 k x 16 n, in columns of k1 */
		for (uint32_t p = 0; ok && p < k1; p++)
			ok = run(ANPU_TILE_LOAD2D, L0B(p * n1 * 512), L1(0x40000),
				 ANPU_LOAD2D(p, n1, k1, 1), ctl);
	else	/* fp32: columns of 8 n; every other block of a row of L0B, 8 rows at a time */
		for (uint32_t p = 0; ok && p < k1 * n1 * 2; p++)
			ok = run(ANPU_TILE_DMA_BURST, L0B((p / (2 * n1) * n1 + p % (2 * n1) / 2) * 512 +
							  p % 2 * 32),
				 L1(0x40000 + (p % (2 * n1) * k + p / (2 * n1) * 8) * 32),
				 ANPU_BURSTS(8, 1, 0, 1), 0);
	memcpy(ub(DESC), &f, sizeof(f));
	return ok && run(ANPU_TILE_MMAD, L0C(0), L0A(0), L0B(0),
			 ANPU_MMAD(m, n, k, type, ANPU_MMAD_INIT)) &&
	       run(ANPU_TILE_FIXPIPE, GM_BASE + 0x40000, L0C(0), UB(DESC),
		   ANPU_CTL_CVT(0, ANPU_TYPE_F32, ANPU_TYPE_F32, 0));
}

static void test_matmul(unsigned int type, bool bt)
{
	const uint32_t m = 48, n = 64, k = 96;
	bool ok;

	for (uint32_t i = 0; i < m * k; i++)
		put(gm(0), type, i, round_to((int)(rnd() % 17) - 8, type, 1));
	for (uint32_t i = 0; i < n * k; i++)
		put(gm(0x20000), type, i, round_to((int)(rnd() % 17) - 8, type, 1));
	ok = matmul(type, m, n, k, bt);
	for (uint32_t i = 0; ok && i < m; i++)
		for (uint32_t j = 0; ok && j < n; j++) {
			long double sum = 0;

			for (uint32_t p = 0; p < k; p++)
				sum += real(get(gm(0), type, i * k + p), type) *
				       real(get(gm(0x20000), type, bt ? j * k + p : p * n + j), type);
			ok = real(get(gm(0x40000), ANPU_TYPE_F32, i * n + j), ANPU_TYPE_F32) == sum;
		}
	tap_ok(ok, "matrix multiplication %s, b %s", tile_type_name(type), bt ? "transposed" : "plain");
}

int main(void)
{
	test_init();
	for (unsigned int set = 0; tile_kernel_set(set); set++) {
		tile_force(set);
		test_mmads();
		test_fixes();
	}
	tile_force(0);
	test_rewrites();
	test_mmad_refusals();
	test_nd2nz(ANPU_TYPE_S8);
	test_nd2nz(ANPU_TYPE_F16);
	test_nd2nz(ANPU_TYPE_F32);
	test_nd2nz_refusals();
	test_load2d(ANPU_TYPE_S8);
	test_load2d(ANPU_TYPE_F16);
	test_load2d(ANPU_TYPE_F32);
	test_squares(ANPU_TYPE_S8);
	test_squares(ANPU_TYPE_F32);
	test_squares(ANPU_TYPE_S4);
	test_load2d_refusals();
	test_load3d(ANPU_TYPE_F16, 0, 30);
	test_load3d(ANPU_TYPE_F16, 5, 40);
	test_load3d(ANPU_TYPE_F32, 3, 16);
	test_load3d(ANPU_TYPE_S8, 0, 7);
	test_fix_more();
	test_matmul(ANPU_TYPE_F16, false);
	test_matmul(ANPU_TYPE_F16, true);
	test_matmul(ANPU_TYPE_BF16, false);
	test_matmul(ANPU_TYPE_F32, false);
	test_matmul(ANPU_TYPE_F32, true);
	return tap_end();
}
