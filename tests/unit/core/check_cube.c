// SPDX-License-Identifier: MIT
/* The checking mode: what the operations of the cube unit, and those that feed it, read and write. */
#include <stdio.h>

#include "check_case.h"

static void test_load2d(struct rig *r)
{
	operation("LOAD2D", ANPU_TILE_LOAD2D, ANPU_PIPE_MTE1, L0A(512), L1(32), ANPU_LOAD2D(1, 2, 2, 3),
		  CTL(0, F16, 0));
	c.moves = true;
	for (int i = 0; i < 2; i++) {
		need("src", L1(32 + 512 + i * 1024), 512);
		will(L0A(512 + i * 1536), 512);
	}
	try(r);
	operation("LOAD2D from GM", ANPU_TILE_LOAD2D, ANPU_PIPE_MTE2, L0B(512), GM(32), ANPU_LOAD2D(1, 2, 2, 3),
		  CTL(0, F16, 0));
	for (int i = 0; i < 2; i++)
		will(L0B(512 + i * 1536), 512);
	try(r);
}

/* a copy to the cube unit takes the state of each byte along */
static void test_carry(struct rig *r)
{
	unsigned int bad = 0;

	for (unsigned int transpose = 0; transpose < 2; transpose++) {
		ck_block(r, true);
		ck_mark(r, L1(0), 512, true);
		ck_mark(r, L1(40), 2, false);	/* row 1, column 4 */
		ck_mark(r, L0A(0), 512, true);
		ck_tile(r, ANPU_TILE_LOAD2D, L0A(0), L1(0), ANPU_LOAD2D(0, 1, 0, 0),
			CTL(0, F16, 0) | (transpose ? ANPU_CTL_TRANSPOSE : 0));
		for (uint64_t i = 0; i < 512; i++)
			bad += ck_written(r, L0A(i)) == (i / 2 == (transpose ? 4 * 16 + 1 : 16 + 4));
	}
	tap_ok(!bad, "LOAD2D: what is unwritten in L1 is in L0A, transposed or not (%u wrong)", bad);
	ck_block(r, true);
	tap_ok(!ck_tile(r, ANPU_TILE_LOAD2D, L0A(0), L1(0), ANPU_LOAD2D(0, 2, 1, 1), CTL(0, F16, 0)) &&
	       ck_fault(r, ANPU_FAULT_UNINITIALISED, CK_TILE(ANPU_TILE_LOAD2D), L1(0), "LOAD2D: src L1+0x0"),
	       "LOAD2D of nothing but unwritten bytes");
	ck_mark(r, L1(1023), 1, true);
	tap_ok(ck_tile(r, ANPU_TILE_LOAD2D, L0A(0), L1(0), ANPU_LOAD2D(0, 2, 1, 1), CTL(0, F16, 0)) &&
	       ck_written(r, L0A(1023)) && !ck_written(r, L0A(1022)), "one written byte makes it a matrix");
	ck_block(r, true);
	tap_ok(!ck_tile(r, ANPU_TILE_DMA_LIN, L0B(0), L1(0), 64, 0) &&
	       r->fault.cause == ANPU_FAULT_UNINITIALISED, "the same for copies to L0B");
	ck_mark(r, L1(5), 1, true);
	ck_mark(r, L0B(0), 64, true);
	tap_ok(ck_tile(r, ANPU_TILE_DMA_LIN, L0B(0), L1(0), 64, 0) && ck_written(r, L0B(5)) &&
	       !ck_written(r, L0B(4)) && !ck_written(r, L0B(63)), "and what is unwritten goes along");
	ck_bar(r, ANPU_PIPE_ALL);
	ck_mark(r, UB(0), 64, true);
	ck_mark(r, UB(3), 1, false);
	tap_ok(ck_tile(r, ANPU_TILE_DMA_PAD, L1(0), UB(0), ANPU_PAD_BURSTS(1, 20, 5, 0), 0) &&
	       !ck_written(r, L1(8)) && ck_written(r, L1(7)) && ck_written(r, L1(9)) && ck_written(r, L1(31)),
	       "DMA_PAD to L1: also when padding moves it; the padding is written");
	ck_mark(r, UB(64), 32, true);
	ck_mark(r, UB(70), 1, false);
	tap_ok(!ck_tile(r, ANPU_TILE_DMA_LIN, GM(0), UB(64), 32, 0) && r->fault.addr == UB(70) &&
	       !ck_tile(r, ANPU_TILE_DMA_LIN, UB(128), UB(64), 32, 0) && r->fault.addr == UB(70),
	       "but to GM and to UB every byte is needed");
}

static void test_load3d(struct rig *r)
{
	struct anpu_load3d_desc d = { .height = 3, .width = 4, .channels = 16, .k_step = 32, .m_step = 5,
				      .k_start = 16, .m_start = 1, .pad = { 1, 0, 0, 0 }, .kernel_w = 2,
				      .kernel_h = 2, .stride_w = 1, .stride_h = 1, .dilation_w = 1,
				      .dilation_h = 1 };
	unsigned int bad = 0;

	operation("LOAD3D", ANPU_TILE_LOAD3D, ANPU_PIPE_MTE1, L0A(512), L1(64), DESC, CTL(0, F16, 0));
	c.moves = true;
	memcpy(c.desc, &d, 32);
	/* rows 1 to 5 of 4 results each, filter columns (row 0, column 1) and (row 1, column 0) */
	for (int m = 1; m < 6; m++)
		for (int k = 1; k < 3; k++) {
			int x = m % 4 + k % 2 - 1, y = m / 4 + k / 2;

			if (x >= 0)
				need("src", L1(64 + (y * 4 + x) * 32), 32);
		}
	will(L0A(512), 1024);
	try(r);
	for (int i = 0; i < 12; i++) {
		bool used = c.role[1][64 + i * 32], ok;

		prepare(r);
		ck_mark(r, L1(64 + i * 32), 32, false);
		ok = go(r);
		bad += ok == used || (!ok && r->fault.addr != L1(64 + i * 32));
		prepare(r);
		ck_mark(r, L1(64 + i * 32), 30, false);
		ck_mark(r, L1(64 + i * 32 + 30), 2, true);
		bad += !go(r);
	}
	tap_ok(!bad, "LOAD3D: a block of channels may be unwritten in part (%u wrong)", bad);
}

/* element sizes, and whether padding matters to what */
static void test_mmad(struct rig *r)
{
	static const struct { const char *name; unsigned int type, bytes; } types[] = {
		{ "MMAD F16", ANPU_TYPE_F16, 2 }, { "MMAD F32", ANPU_TYPE_F32, 4 }, { "MMAD S8", ANPU_TYPE_S8, 1 },
	};

	for (unsigned int n = 0; n < 3; n++)
		for (unsigned int flags = 0; flags < 4; flags++) {
			unsigned int bytes = types[n].bytes, c0 = 32 / bytes, k1 = (21 + c0 - 1) / c0;

			operation(types[n].name, ANPU_TILE_MMAD, ANPU_PIPE_M, L0C(1024), L0A(512), L0B(512),
				  ANPU_MMAD(18, 5, 21, types[n].type, flags));
			c.csr.bias = BT(64);
			for (unsigned int p = 0; p < 21; p++) {
				for (unsigned int i = 0; i < 18; i++)
					need("src0", L0A(512 + (i / 16 * k1 + p / c0) * 512 + i % 16 * 32 +
							 p % c0 * bytes), bytes);
				need("src1", L0B(512 + p / c0 * 512 + p % c0 * 16 * bytes), 5 * bytes);
			}
			for (unsigned int i = 0; i < 18; i++) {
				if (!flags)
					need("dst", L0C(1024 + i * 64), 20);
				will(L0C(1024 + i * 64), 20);
			}
			if (flags & ANPU_MMAD_BIAS)
				need("CSR bias", BT(64), 20);
			remember();
			try_right(r);
			try_unwritten(r);
			try_pipe(r);
		}
}

/* L0A column by column of fractals, as one row, and halves of bytes */
static void test_mmad_layouts(struct rig *r)
{
	operation("MMAD F16, columns of fractals", ANPU_TILE_MMAD, ANPU_PIPE_M, L0C(1024), L0A(512), L0B(512),
		  ANPU_MMAD(18, 5, 21, ANPU_TYPE_F16, ANPU_MMAD_INIT | ANPU_MMAD_COLS));
	for (unsigned int p = 0; p < 21; p++) {
		for (unsigned int i = 0; i < 18; i++)
			need("src0", L0A(512 + (p / 16 * 2 + i / 16) * 512 + i % 16 * 32 + p % 16 * 2), 2);
		need("src1", L0B(512 + p / 16 * 512 + p % 16 * 32), 10);
	}
	for (unsigned int i = 0; i < 18; i++)
		will(L0C(1024 + i * 64), 20);
	remember();
	try_right(r);
	try_unwritten(r);
	operation("MMAD F16, a row", ANPU_TILE_MMAD, ANPU_PIPE_M, L0C(0), L0A(512), L0B(512),
		  ANPU_MMAD(1, 5, 21, ANPU_TYPE_F16, ANPU_MMAD_INIT | ANPU_MMAD_ROW));
	need("src0", L0A(512), 42);
	for (unsigned int p = 0; p < 21; p++)
		need("src1", L0B(512 + p / 16 * 512 + p % 16 * 32), 10);
	/* the other rows are what they start from */
	for (unsigned int i = 0; i < 16; i++)
		will(L0C(i * 64), 20);
	remember();
	try_right(r);
	try_unwritten(r);
	operation("MMAD S4", ANPU_TILE_MMAD, ANPU_PIPE_M, L0C(0), L0A(512), L0B(512),
		  ANPU_MMAD(3, 6, 66, ANPU_TYPE_S4, ANPU_MMAD_INIT));
	for (unsigned int p = 0; p < 66; p++) {
		for (unsigned int i = 0; i < 3; i++)
			need("src0", L0A(512 + p / 64 * 512 + i * 32 + p % 64 / 2), 1);
		need("src1", L0B(512 + p / 64 * 512 + p % 64 * 8), 3);
	}
	for (unsigned int i = 0; i < 3; i++)
		will(L0C(i * 64), 24);
	remember();
	try_right(r);
	try_unwritten(r);
}

static void test_mmad_padding(struct rig *r)
{
	const uint64_t op = ANPU_MMAD(10, 10, 16, ANPU_TYPE_F16, ANPU_MMAD_INIT);
	unsigned int bad = 0;

	/* all of the factors is written: so is all of the result */
	ck_block(r, true);
	ck_mark(r, L0A(0), 512, true);
	ck_mark(r, L0B(0), 512, true);
	tap_ok(ck_tile(r, ANPU_TILE_MMAD, L0C(0), L0A(0), L0B(0), op) && ck_written(r, L0C(0)) &&
	       check_is_written(r->b, L0C(0), 1024, false), "MMAD: written padding makes written padding");
	/* row 12 and column 14 are not */
	ck_mark(r, L0A(12 * 32 + 4), 2, false);
	ck_mark(r, L0B(3 * 32 + 14 * 2), 2, false);
	ck_tile(r, ANPU_TILE_MMAD, L0C(0), L0A(0), L0B(0), op);
	for (uint64_t i = 0; i < 256; i++)
		bad += check_is_written(r->b, L0C(i * 4), 4, false) == (i / 16 == 12 || i % 16 == 14);
	/* accumulation does not heal them */
	ck_mark(r, L0A(0), 512, true);
	ck_mark(r, L0B(0), 512, true);
	bad += !ck_tile(r, ANPU_TILE_MMAD, L0C(0), L0A(0), L0B(0), ANPU_MMAD(10, 10, 16, ANPU_TYPE_F16, 0));
	for (uint64_t i = 0; i < 256; i++)
		bad += check_is_written(r->b, L0C(i * 4), 4, false) == (i / 16 == 12 || i % 16 == 14);
	tap_ok(!bad, "MMAD: unwritten padding of its factors is unwritten in the result (%u wrong)", bad);
	/* the hardware reads and writes whole fractals */
	c.pipe = ANPU_PIPE_M;
	ck_bar(r, ANPU_PIPE_ALL);
	intrude(r, L0A(15 * 32 + 31), true);
	tap_ok(!ck_tile(r, ANPU_TILE_MMAD, L0C(0), L0A(0), L0B(0), op) && r->fault.cause == ANPU_FAULT_RACE &&
	       r->fault.addr == L0A(511), "MMAD: padding can race");
	ck_bar(r, ANPU_PIPE_ALL);
	intrude(r, L0C(1023), false);
	tap_ok(!ck_tile(r, ANPU_TILE_MMAD, L0C(0), L0A(0), L0B(0), op) && r->fault.addr == L0C(1023),
	       "MMAD: the result's padding, too");
}

static void test_fixpipe(struct rig *r)
{
	struct anpu_fix_desc d = { .m = 5, .n = 21, .src_stride = 16, .dst_stride = 40, .nd_num = 1,
				   .quant = ANPU_FIX_QUANT_VECTOR, .quant_addr = (uint32_t)FB(32) };
	const uint64_t f16 = ANPU_CTL(0, ANPU_TYPE_F16, 0);

	for (unsigned int to = 0; to < 3; to++) {
		static const uint64_t dst[] = { UB(64), L1(64), GM(64) };

		operation(to ? to == 1 ? "FIXPIPE to L1" : "FIXPIPE to GM" : "FIXPIPE to UB",
			  ANPU_TILE_FIXPIPE, ANPU_PIPE_FIX, dst[to], L0C(64), DESC, f16);
		d.layout = to == 1 ? ANPU_FIX_NZ : ANPU_FIX_ND;
		memcpy(c.desc, &d, 32);
		need("quant_addr", FB(32), 21 * 8);
		for (int i = 0; i < 5; i++) {
			need("src", L0C(64 + i * 64), 64);
			need("src", L0C(64 + 1024 + i * 64), 20);
			if (to == 0)
				will(UB(64 + i * 80), 42);
		}
		for (int j = 0; to == 1 && j < 2; j++)
			will(L1(64 + j * 40 * 32), 5 * 32);
		try(r);
	}
	d = (struct anpu_fix_desc){ .m = 2, .n = 3, .src_stride = 16, .dst_stride = 7, .nd_num = 2,
				    .src_nd_stride = 2, .dst_nd_stride = 33 };
	operation("FIXPIPE of two matrices", ANPU_TILE_FIXPIPE, ANPU_PIPE_FIX, UB(64), L0C(64), DESC,
		  ANPU_CTL(0, ANPU_TYPE_F32, 0));
	memcpy(c.desc, &d, 32);
	for (int k = 0; k < 2; k++)
		for (int i = 0; i < 2; i++) {
			need("src", L0C(64 + k * 2048 + i * 64), 12);
			will(UB(64 + k * 132 + i * 28), 12);
		}
	try(r);
}

void test_cube(struct rig *r)
{
	test_load2d(r);
	test_carry(r);
	test_load3d(r);
	test_mmad(r);
	test_mmad_layouts(r);
	test_mmad_padding(r);
	test_fixpipe(r);
}
