// SPDX-License-Identifier: MIT
/*
 * The checking mode: what each tile operation of the memory engines and the vector unit reads and
 * writes, byte by byte, accesses to global memory, and random programs of all operations.
 */
#include <stdio.h>

#include "check_case.h"

/* Memory engines ------------------------------------------------------------------------------------ */

static void test_copies(struct rig *r)
{
	operation("DMA_LIN GM to UB", ANPU_TILE_DMA_LIN, ANPU_PIPE_MTE2, UB(64), GM(3), 96, 0);
	will(UB(64), 96);
	try(r);
	operation("DMA_LIN UB to GM", ANPU_TILE_DMA_LIN, ANPU_PIPE_MTE3, GM(3), UB(64), 96, 0);
	need("src", UB(64), 96);
	try(r);
	operation("DMA_LIN UB to UB", ANPU_TILE_DMA_LIN, ANPU_PIPE_V, UB(512), UB(64), 96, 0);
	need("src", UB(64), 96);
	will(UB(512), 96);
	try(r);
	operation("DMA_LIN L1 to UB", ANPU_TILE_DMA_LIN, ANPU_PIPE_MTE1, UB(512), L1(64), 96, 0);
	need("src", L1(64), 96);
	will(UB(512), 96);
	try(r);
	operation("DMA_LIN L1 to GM", ANPU_TILE_DMA_LIN, ANPU_PIPE_MTE3, GM(512), L1(64), 96, 0);
	need("src", L1(64), 96);
	try(r);
	operation("DMA_LIN UB to L1", ANPU_TILE_DMA_LIN, ANPU_PIPE_MTE3, L1(512), UB(64), 96, 0);
	c.moves = true;
	need("src", UB(64), 96);
	will(L1(512), 96);
	try(r);
	operation("DMA_BURST GM to L1", ANPU_TILE_DMA_BURST, ANPU_PIPE_MTE2, L1(64), GM(3),
		  ANPU_BURSTS(3, 2, 1, 5), 0);
	for (int i = 0; i < 3; i++)
		will(L1(64 + i * 7 * 32), 64);
	try(r);
	operation("DMA_BURST UB to GM", ANPU_TILE_DMA_BURST, ANPU_PIPE_MTE3, GM(3), UB(64),
		  ANPU_BURSTS(3, 2, 1, 0), 0);
	for (int i = 0; i < 3; i++)
		need("src", UB(64 + i * 3 * 32), 64);
	try(r);
	operation("DMA_PAD GM to UB", ANPU_TILE_DMA_PAD, ANPU_PIPE_MTE2, UB(64), GM(3),
		  ANPU_PAD_BURSTS(3, 37, 4, 2), ANPU_PAD_GAPS(9, 1));
	for (int i = 0; i < 3; i++)
		will(UB(64 + i * 96), 64);
	try(r);
	operation("DMA_PAD UB to GM", ANPU_TILE_DMA_PAD, ANPU_PIPE_MTE3, GM(3), UB(64),
		  ANPU_PAD_BURSTS(3, 37, 0, 0), ANPU_PAD_GAPS(1, 9));
	for (int i = 0; i < 3; i++)
		need("src", UB(64 + i * 96), 37);
	try(r);
	operation("DMA_ATOM", ANPU_TILE_DMA_ATOM, ANPU_PIPE_MTE3, GM(64), UB(64), 0,
		  CTL(9, F32, ANPU_ATOM_ADD));
	need("src", UB(64), 36);
	try(r);
}

static void test_fills(struct rig *r)
{
	static const struct { uint64_t va; unsigned int pipe; } to[] = {
		{ UB(96), ANPU_PIPE_V }, { L1(96), ANPU_PIPE_MTE2 }, { L0A(96), ANPU_PIPE_MTE1 },
		{ L0B(96), ANPU_PIPE_MTE1 },
	};

	for (unsigned int n = 0; n < 4; n++) {
		operation("DMA_FILL", ANPU_TILE_DMA_FILL, to[n].pipe, to[n].va, 160, 7, 0);
		will(to[n].va, 160);
		try(r);
	}
}

static void test_nd2nz(struct rig *r)
{
	struct anpu_nd2nz_desc d = { .nd_num = 2, .n = 5, .d = 19, .src_nd_stride = 200, .src_d = 30,
				     .dst_c0_stride = 8, .dst_n_stride = 1, .dst_nz_stride = 512 };

	operation("DMA_ND2NZ", ANPU_TILE_DMA_ND2NZ, ANPU_PIPE_MTE2, L1(64), GM(2), DESC, CTL(0, F16, 0));
	memcpy(c.desc, &d, 32);
	for (int p = 0; p < 2; p++)
		for (int j = 0; j < 2; j++)
			will(L1(64 + p * 1024 + j * 256), 5 * 32);
	try(r);
}

/* Vector unit --------------------------------------------------------------------------------------- */

static void test_elements(struct rig *r)
{
	operation("VBIN", ANPU_TILE_VBIN, ANPU_PIPE_V, UB(1024), UB(0), UB(512), CTL(21, F32, ANPU_BIN_MUL));
	need("src0", UB(0), 84);
	need("src1", UB(512), 84);
	will(UB(1024), 84);
	try(r);
	operation("VBIN in place", ANPU_TILE_VBIN, ANPU_PIPE_V, UB(0), UB(0), UB(512), CTL(21, F16, ANPU_BIN_ADD));
	need("src0", UB(0), 42);
	need("src1", UB(512), 42);
	will(UB(0), 42);
	try(r);
	operation("VBINS", ANPU_TILE_VBINS, ANPU_PIPE_V, UB(1024), UB(0), 3, CTL(21, S8, ANPU_BIN_ADD));
	need("src0", UB(0), 21);
	will(UB(1024), 21);
	try(r);
	operation("VUN", ANPU_TILE_VUN, ANPU_PIPE_V, UB(1024), UB(0), 0, CTL(21, F16, ANPU_UN_ABS));
	need("src", UB(0), 42);
	will(UB(1024), 42);
	try(r);
	operation("VTRI", ANPU_TILE_VTRI, ANPU_PIPE_V, UB(1024), UB(0), UB(512), CTL(21, F32, ANPU_TRI_MLA));
	need("src0", UB(0), 84);
	need("src1", UB(512), 84);
	need("dst", UB(1024), 84);
	will(UB(1024), 84);
	try(r);
	operation("VTRI with a scalar", ANPU_TILE_VTRI, ANPU_PIPE_V, UB(1024), UB(0), 5,
		  CTL(21, F32, ANPU_TRI_MLA) | ANPU_CTL_SCALAR);
	need("src0", UB(0), 84);
	need("dst", UB(1024), 84);
	will(UB(1024), 84);
	try(r);
	operation("VCVT", ANPU_TILE_VCVT, ANPU_PIPE_V, UB(1024), UB(0), 0,
		  ANPU_CTL_CVT(21, ANPU_TYPE_F32, ANPU_TYPE_F16, ANPU_ROUND_NONE));
	need("src", UB(0), 42);
	will(UB(1024), 84);
	try(r);
	operation("VCVT of half bytes", ANPU_TILE_VCVT, ANPU_PIPE_V, UB(1024), UB(0), 0,
		  ANPU_CTL_CVT(22, ANPU_TYPE_S4, ANPU_TYPE_S8, ANPU_ROUND_NONE));
	need("src", UB(0), 22);
	will(UB(1024), 11);
	try(r);
	operation("VDUP", ANPU_TILE_VDUP, ANPU_PIPE_V, UB(1024), 7, 0, CTL(21, S64, 0));
	will(UB(1024), 168);
	try(r);
	operation("VIOTA", ANPU_TILE_VIOTA, ANPU_PIPE_V, UB(1024), 7, 1, CTL(21, S16, 0));
	will(UB(1024), 42);
	try(r);
	operation("VCMP", ANPU_TILE_VCMP, ANPU_PIPE_V, UB(1024), UB(0), UB(512), CTL(21, F32, ANPU_CMP_LT));
	need("src0", UB(0), 84);
	need("src1", UB(512), 84);
	will(UB(1024), 3);
	try(r);
}

static void test_select(struct rig *r)
{
	static const uint8_t mask[] = { 0x35, 0x00, 0xff };

	operation("VSEL by bits in UB", ANPU_TILE_VSEL, ANPU_PIPE_V, UB(1024), UB(0), UB(512),
		  CTL(21, F32, ANPU_SEL_TENSOR));
	c.csr.selmask = UB(2048);
	put(UB(2048), mask, 3);
	need("CSR selmask", UB(2048), 3);
	for (int i = 0; i < 21; i++)
		mask[i / 8] >> i % 8 & 1 ? need("src0", UB(i * 4), 4) : need("src1", UB(512 + i * 4), 4);
	will(UB(1024), 84);
	try(r);
	operation("VSEL by CSR, and a scalar", ANPU_TILE_VSEL, ANPU_PIPE_V, UB(1024), UB(0), 3,
		  CTL(100, S64, ANPU_SEL_CMPMASK) | ANPU_CTL_SCALAR);
	c.csr.cmpmask[0] = 0x0f000001;
	for (int i = 0; i < 100; i++)
		if (0x0f000001u >> i % 32 & 1)
			need("src0", UB(i * 8), 8);
	will(UB(1024), 800);
	try(r);
}

static void test_reduce(struct rig *r)
{
	operation("VRED", ANPU_TILE_VRED, ANPU_PIPE_V, UB(1028), UB(0), 0,
		  CTL(75, F32, ANPU_RED_SUM | ANPU_RED_WHOLE));
	need("src", UB(0), 300);
	will(UB(1028), 4);
	try(r);
	operation("VRED with index", ANPU_TILE_VRED, ANPU_PIPE_V, UB(1024), UB(0), 0,
		  CTL(75, F32, ANPU_RED_MAX | ANPU_RED_BLOCK) | ANPU_CTL_INDEX);
	need("src", UB(0), 300);
	will(UB(1024), 80);
	try(r);
}

static void test_moves(struct rig *r)
{
	static const uint32_t index[] = { 0, 64, 4, 4, 300, 128 };
	static const uint8_t mask[] = { 0x35, 0x02 };

	operation("VGATHER", ANPU_TILE_VGATHER, ANPU_PIPE_V, UB(1024), UB(4), UB(512),
		  CTL(6, F32, ANPU_GATHER_ELEMENT));
	put(UB(512), index, sizeof(index));
	need("index", UB(512), 24);
	for (int i = 0; i < 6; i++)
		need("src", UB(4 + index[i]), 4);
	will(UB(1024), 24);
	try(r);
	operation("VGATHER of blocks", ANPU_TILE_VGATHER, ANPU_PIPE_V, UB(1024), UB(32), UB(512),
		  CTL(2, F32, ANPU_GATHER_BLOCK));
	put(UB(512), index, sizeof(index));
	need("index", UB(512), 8);
	need("src", UB(32), 32);
	need("src", UB(96), 32);
	will(UB(1024), 64);
	try(r);
	operation("VSCATTER", ANPU_TILE_VSCATTER, ANPU_PIPE_V, UB(1026), UB(0), UB(512), CTL(6, S16, 0));
	put(UB(512), index, sizeof(index));
	need("index", UB(512), 24);
	need("src", UB(0), 12);
	for (int i = 0; i < 6; i++)
		will(UB(1026 + index[i]), 2);
	try(r);
	operation("VGMASK", ANPU_TILE_VGMASK, ANPU_PIPE_V, UB(1024), UB(0), UB(512),
		  CTL(13, F32, ANPU_GMASK_BITS));
	put(UB(512), mask, 2);
	need("mask", UB(512), 2);
	for (int i = 0; i < 13; i++)
		if (mask[i / 8] >> i % 8 & 1)
			need("src", UB(i * 4), 4);
	will(UB(1024), 20);
	try(r);
	operation("VGMASK by a pattern", ANPU_TILE_VGMASK, ANPU_PIPE_V, UB(1024), UB(0), 0,
		  CTL(13, S16, ANPU_GMASK_QUAD1));
	for (int i = 1; i < 13; i += 4)
		need("src", UB(i * 2), 2);
	will(UB(1024), 6);
	try(r);
	operation("VBRC to blocks", ANPU_TILE_VBRC, ANPU_PIPE_V, UB(1024), UB(0), 0, CTL(5, F16, ANPU_BRC_BLOCK));
	need("src", UB(0), 10);
	will(UB(1024), 160);
	try(r);
	operation("VBRC to columns", ANPU_TILE_VBRC, ANPU_PIPE_V, UB(1024), UB(0), ANPU_SHAPE(5, 3),
		  CTL(0, F16, ANPU_BRC_COLS));
	need("src", UB(0), 10);
	will(UB(1024), 30);
	try(r);
	operation("VBRC to rows", ANPU_TILE_VBRC, ANPU_PIPE_V, UB(1024), UB(0), ANPU_SHAPE(5, 3),
		  CTL(0, F16, ANPU_BRC_ROWS));
	need("src", UB(0), 6);
	will(UB(1024), 30);
	try(r);
	operation("VTRANS", ANPU_TILE_VTRANS, ANPU_PIPE_V, UB(1024), UB(0), ANPU_SHAPE(5, 3), CTL(0, F32, 0));
	need("src", UB(0), 60);
	will(UB(1024), 60);
	try(r);
}

static void test_blocks(struct rig *r)
{
	for (unsigned int repeats = 1; repeats < 3; repeats++) {
		uint64_t list[2][16];

		operation(repeats > 1 ? "VTRANSB with repeats" : "VTRANSB", ANPU_TILE_VTRANSB, ANPU_PIPE_V, DESC, DESC + 128,
			  ANPU_REPEATS(repeats, 1, 1), CTL(0, U16, 0));
		c.late = repeats > 1;
		for (unsigned int i = 0; i < 16; i++) {
			list[0][i] = UB(1024 + i * 64);
			list[1][i] = UB(i * 64);
			need("src", UB(i * 64), 32 * repeats);
			will(UB(1024 + i * 64), 32 * repeats);
		}
		memcpy(c.desc, list, sizeof(list));
		try(r);
	}
}

static void test_sorts(struct rig *r)
{
	struct anpu_mrg_desc d = { { { (uint32_t)UB(0), 3 }, { (uint32_t)UB(256), 4 }, { 0, 0 }, { 0, 0 } } };
	static const uint64_t first[] = { 9 | 1ULL << 32, 8, 7 }, second[] = { 6, 5, 4, 3 };

	operation("VSORT", ANPU_TILE_VSORT, ANPU_PIPE_V, UB(1024), UB(0), UB(512), CTL(32, F16, 0));
	need("src", UB(0), 64);
	need("index", UB(512), 128);
	will(UB(1024), 256);
	try(r);
	for (unsigned int sub = 0; sub < 2; sub++) {
		operation(sub ? "VMRG until one is empty" : "VMRG", ANPU_TILE_VMRG, ANPU_PIPE_V, UB(1024), 0,
			  DESC, CTL(0, F32, sub ? ANPU_MRG_SUSPEND : ANPU_MRG_ALL));
		c.late = true;
		memcpy(c.desc, &d, 32);
		put(UB(0), first, sizeof(first));
		put(UB(256), second, sizeof(second));
		need("list", UB(0), 24);
		need("list", UB(256), sub ? 8 : 32);
		will(UB(1024), sub ? 24 : 56);
		try(r);
	}
}

/* VREP ------------------------------------------------------------------------------------------------ */

static void repeat(const char *name, const struct anpu_rep_desc *d, uint64_t rs1, uint64_t rs2, uint64_t rs3)
{
	operation(name, ANPU_TILE_VREP, ANPU_PIPE_V, rs1, rs2, rs3, DESC);
	memcpy(c.desc, d, 32);
}

static void test_repeats(struct rig *r)
{
	struct anpu_rep_desc d = { .ctl = CTL(20, F32, ANPU_BIN_ADD), .op = ANPU_TILE_VBIN, .repeat = 3,
				   .dst_block = 2, .src0_block = 1, .src1_block = 0, .dst_repeat = 10,
				   .src0_repeat = 4, .src1_repeat = 1 };
	static const uint8_t bits[] = { 0x35, 0x00, 0xff, 0x81 };

	repeat("VREP of VBIN", &d, UB(2048), UB(0), UB(1024));
	for (int i = 0; i < 3; i++) {
		need("src0", UB(i * 128), 80);
		need("src1", UB(1024 + i * 32), 32);
		for (int j = 0; j < 3; j++)
			will(UB(2048 + i * 320 + j * 64), j < 2 ? 32 : 16);
	}
	try(r);
	d.ctl = CTL(0, F32, ANPU_BIN_ADD) | ANPU_CTL_MASK;
	d.src1_block = 1;
	d.src1_repeat = 8;
	repeat("VREP with the vector mask", &d, UB(2048), UB(0), UB(1024));
	c.csr.vmask[0] = 0x8000000000030401;
	for (int i = 0; i < 3; i++)
		for (int j = 0; j < 64; j++)
			if (c.csr.vmask[0] >> j & 1) {
				need("src0", UB(i * 128 + j * 4), 4);
				need("src1", UB(1024 + i * 256 + j * 4), 4);
				will(UB(2048 + i * 320 + j / 8 * 64 + j % 8 * 4), 4);
			}
	try(r);
	d.op = ANPU_TILE_VTRI;
	repeat("VREP of VTRI", &d, UB(2048), UB(0), UB(1024));
	c.csr.vmask[0] = 0xff00;
	for (int i = 0; i < 3; i++) {
		need("src0", UB(i * 128 + 32), 32);
		need("src1", UB(1024 + i * 256 + 32), 32);
		need("dst", UB(2048 + i * 320 + 64), 32);
		will(UB(2048 + i * 320 + 64), 32);
	}
	try(r);
	d = (struct anpu_rep_desc){ .ctl = CTL(0, F16, ANPU_CMP_LT) | ANPU_CTL_MASK, .op = ANPU_TILE_VCMP,
				    .repeat = 2, .src0_block = 1, .src1_block = 1, .src0_repeat = 8,
				    .src1_repeat = 8 };
	repeat("VREP of VCMP", &d, UB(2048), UB(0), UB(1024));
	c.csr.vmask[0] = 0xff;
	c.csr.vmask[1] = 0;
	for (int i = 0; i < 2; i++) {
		need("src0", UB(i * 256), 16);
		need("src1", UB(1024 + i * 256), 16);
	}
	will(UB(2048), 32);
	try(r);
	d = (struct anpu_rep_desc){ .ctl = CTL(16, F16, ANPU_SEL_TENSOR), .op = ANPU_TILE_VSEL, .repeat = 2,
				    .dst_block = 1, .src0_block = 1, .src1_block = 1, .dst_repeat = 1,
				    .src0_repeat = 1, .src1_repeat = 2 };
	repeat("VREP of VSEL", &d, UB(2048), UB(0), UB(1024));
	c.csr.selmask = UB(3072);
	put(UB(3072), bits, 4);
	need("CSR selmask", UB(3072), 4);
	for (int i = 0; i < 32; i++)
		bits[i / 8] >> i % 8 & 1 ? need("src0", UB(i * 2), 2) :
					   need("src1", UB(1024 + i / 16 * 64 + i % 16 * 2), 2);
	will(UB(2048), 64);
	try(r);
	d = (struct anpu_rep_desc){ .ctl = CTL(8, S32, ANPU_BIN_ADD), .op = ANPU_TILE_VBIN, .repeat = 4,
				    .dst_block = 1, .src0_block = 1, .src1_block = 1, .dst_repeat = 1,
				    .src0_repeat = 1, .src1_repeat = 0 };
	repeat("VREP that reads what it wrote", &d, UB(32), UB(0), UB(1024));
	need("src0", UB(0), 32);
	need("src1", UB(1024), 32);
	will(UB(32), 128);
	try(r);
}

/* A result of each repeat, of each block of which a lane is selected, and of each pair, with an index behind it */
static void test_repeated_reductions(struct rig *r)
{
	struct anpu_rep_desc d = { .ctl = CTL(20, F32, ANPU_RED_SUM | ANPU_RED_REPEAT), .op = ANPU_TILE_VRED, .repeat = 3,
				   .src0_block = 2, .src0_repeat = 9, .dst_repeat = 2 };

	repeat("VREP of VRED", &d, UB(2048), UB(0), 0);
	for (int i = 0; i < 3; i++) {
		for (int j = 0; j < 3; j++)
			need("src0", UB(i * 288 + j * 64), j < 2 ? 32 : 16);
		will(UB(2048 + i * 8), 4);
	}
	try(r);
	d = (struct anpu_rep_desc){ .ctl = CTL(0, F32, ANPU_RED_MAX | ANPU_RED_BLOCK) | ANPU_CTL_MASK, .op = ANPU_TILE_VRED, .repeat = 2,
				    .src0_block = 1, .src0_repeat = 8, .dst_repeat = 1 };
	repeat("VREP of VRED with the vector mask", &d, UB(2048), UB(0), 0);
	c.csr.vmask[0] = 0x8100000000000012;
	for (int i = 0; i < 2; i++)
		for (int j = 0; j < 64; j++)
			if (c.csr.vmask[0] >> j & 1) {
				need("src0", UB(i * 256 + j * 4), 4);
				will(UB(2048 + i * 32 + j / 8 * 4), 4);
			}
	try(r);
	d = (struct anpu_rep_desc){ .ctl = CTL(9, F32, ANPU_RED_MIN | ANPU_RED_BLOCK) | ANPU_CTL_INDEX, .op = ANPU_TILE_VRED, .repeat = 2,
				    .src0_block = 1, .src0_repeat = 3, .dst_repeat = 1 };
	repeat("VREP of VRED with index", &d, UB(2048), UB(0), 0);
	for (int i = 0; i < 2; i++) {
		need("src0", UB(i * 96), 36);
		will(UB(2048 + i * 64), 16);
	}
	try(r);
}

/* Global memory --------------------------------------------------------------------------------------- */

/* each operation's accesses to global memory: bytes that race and bytes beside them that do not */
static void global(struct rig *r, bool reads, const uint64_t *at, const bool *races, unsigned int count)
{
	unsigned int bad = 0;

	for (unsigned int n = 0; n < count; n++)
		for (unsigned int write = 0; write < 2; write++) {
			bool want = races[n] && (write || !reads), ok;

			prepare(r);
			r->b->mmu = &r->mmu;
			check_begin(r->b, c.pipe == ANPU_PIPE_MTE3 ? ANPU_PIPE_FIX : ANPU_PIPE_MTE3, "other");
			check_global(r->b, "dst", GM(at[n]), 1, 1, 1,
				     write ? ANPU_ACCESS_WRITE : ANPU_ACCESS_READ, &r->fault);
			ok = go(r);
			if (ok == want || (!ok && r->fault.cause != ANPU_FAULT_RACE)) {
				bad++;
				tap_note("GM+%llu: %s", (unsigned long long)at[n], r->fault.message);
			}
		}
	tap_ok(!bad, "%s: global memory (%u wrong)", c.name, bad);
}

static void test_global(struct rig *r)
{
	static const uint64_t lin[] = { 2, 3, 98, 99 };
	static const bool lin_races[] = { false, true, true, false };
	static const uint64_t pad[] = { 2, 3, 39, 40, 48, 49, 85, 86 };
	static const bool pad_races[] = { false, true, true, false, false, true, true, false };
	static const uint64_t fix[] = { 63, 64, 105, 106, 143, 144, 425, 426 };
	static const bool fix_races[] = { false, true, true, false, false, true, true, false };
	static const uint64_t frac[] = { 543, 544, 1055, 1056, 1567, 1568, 2079, 2080 };
	struct anpu_fix_desc d = { .m = 5, .n = 21, .src_stride = 16, .dst_stride = 40, .nd_num = 1 };
	struct anpu_nd2nz_desc z = { .nd_num = 1, .n = 2, .d = 37, .src_nd_stride = 0, .src_d = 46,
				     .dst_c0_stride = 16, .dst_n_stride = 1 };

	operation("DMA_LIN GM to UB", ANPU_TILE_DMA_LIN, ANPU_PIPE_MTE2, UB(64), GM(3), 96, 0);
	global(r, true, lin, lin_races, 4);
	operation("DMA_LIN UB to GM", ANPU_TILE_DMA_LIN, ANPU_PIPE_MTE3, GM(3), UB(64), 96, 0);
	need("src", UB(64), 96);
	global(r, false, lin, lin_races, 4);
	operation("DMA_PAD GM to UB", ANPU_TILE_DMA_PAD, ANPU_PIPE_MTE2, UB(64), GM(3),
		  ANPU_PAD_BURSTS(2, 37, 4, 2), ANPU_PAD_GAPS(9, 1));
	global(r, true, pad, pad_races, 8);
	operation("DMA_PAD UB to GM", ANPU_TILE_DMA_PAD, ANPU_PIPE_MTE3, GM(3), UB(64),
		  ANPU_PAD_BURSTS(2, 37, 0, 0), ANPU_PAD_GAPS(0, 9));
	need("src", UB(64), 37 + 64);
	global(r, false, pad, pad_races, 8);
	operation("DMA_ND2NZ", ANPU_TILE_DMA_ND2NZ, ANPU_PIPE_MTE2, L1(0), GM(3), DESC, CTL(0, S8, 0));
	memcpy(c.desc, &z, 32);
	global(r, true, pad, pad_races, 8);
	operation("LOAD2D", ANPU_TILE_LOAD2D, ANPU_PIPE_MTE2, L0A(0), GM(32), ANPU_LOAD2D(1, 2, 2, 1),
		  CTL(0, F16, 0));
	global(r, true, frac, fix_races, 8);
	operation("FIXPIPE", ANPU_TILE_FIXPIPE, ANPU_PIPE_FIX, GM(64), L0C(64), DESC, ANPU_CTL(0, ANPU_TYPE_F16, 0));
	memcpy(c.desc, &d, 32);
	need("src", L0C(64), 2048);
	global(r, false, fix, fix_races, 8);
	operation("DMA_ATOM", ANPU_TILE_DMA_ATOM, ANPU_PIPE_MTE3, GM(4), UB(64), 0, CTL(24, U32, ANPU_ATOM_ADD));
	need("src", UB(64), 96);
	global(r, false, (const uint64_t[]){ 3, 4, 99, 100 }, lin_races, 4);
}

/* two operations that add to one place are no race, in whatever way they do it */
static void test_atomic(struct rig *r)
{
	ck_block(r, true);
	ck_mark(r, UB(0), 64, true);
	ck_mark(r, L0C(0), 1024, true);
	r->b->csr.atomic = ANPU_ATOMIC(ANPU_ATOM_ADD, ANPU_TYPE_F32);
	memcpy(rig_data(r) + (DESC - DATA_VA),
	       &(struct anpu_fix_desc){ .m = 1, .n = 16, .src_stride = 16, .dst_stride = 16, .nd_num = 1 }, 32);
	tap_ok(ck_tile(r, ANPU_TILE_DMA_LIN, GM(0), UB(0), 64, 0) &&
	       ck_tile(r, ANPU_TILE_FIXPIPE, GM(0), L0C(0), DESC, ANPU_CTL(0, ANPU_TYPE_F32, 0)) &&
	       ck_tile(r, ANPU_TILE_DMA_ATOM, GM(0), UB(0), 0, CTL(16, F32, ANPU_ATOM_ADD)),
	       "atomic copies of two pipes to one place");
	r->b->csr.atomic = 0;
	tap_ok(!ck_tile(r, ANPU_TILE_FIXPIPE, GM(0), L0C(0), DESC, ANPU_CTL(0, ANPU_TYPE_F32, 0)) &&
	       r->fault.cause == ANPU_FAULT_RACE, "and a plain one");
}

/* Random programs ------------------------------------------------------------------------------------- */

#define STEPS	60

/* the same operations, memory and random numbers; @sum: of all memory afterwards */
static unsigned int play(struct rig *r, const unsigned int *step, bool check, uint64_t *sum)
{
	static const uint64_t sizes[WINDOWS] = { ANPU_UB_SIZE, ANPU_L1_SIZE, ANPU_L0A_SIZE, ANPU_L0B_SIZE,
						 ANPU_L0C_SIZE, ANPU_BT_SIZE, ANPU_FB_SIZE };
	unsigned int wrong = 0;

	ck_block(r, check);
	for (uint64_t i = 0; i < REGION_BYTES; i++)
		rig_data(r)[i] = (uint8_t)(i * 37 >> 3);
	for (unsigned int w = 0; w < WINDOWS; w++) {
		for (uint64_t i = 0; i < area(w); i++)
			ck_host(r, bases[w])[i] = (uint8_t)(i * 29 >> 2) & 0x3c;
		local_dirty(r->b, bases[w], area(w));
		if (check)
			ck_mark(r, bases[w], sizes[w], true);
	}
	for (unsigned int n = 0; n < STEPS; n++) {
		r->b->csr = every[step[n]].csr;
		memcpy(rig_data(r) + (DESC - DATA_VA), every[step[n]].desc, sizeof(every[step[n]].desc));
		/* indexes may be anything by now: what is refused is refused in both modes */
		if (!ck_tile(r, every[step[n]].op, every[step[n]].rs1, every[step[n]].rs2,
			     every[step[n]].rs3, every[step[n]].rd) &&
		    r->fault.cause != ANPU_FAULT_OPERAND) {
			wrong++;
			tap_note("%s", r->fault.message);
		}
		ck_bar(r, ANPU_PIPE_ALL);
	}
	*sum = 0;
	for (unsigned int w = 0; w < WINDOWS; w++)
		for (uint64_t i = 0; i < area(w); i++)
			*sum = *sum * 0x100000001b3 + ck_host(r, bases[w])[i];
	for (uint64_t i = 0; i < REGION_BYTES; i++)
		*sum = *sum * 0x100000001b3 + rig_data(r)[i];
	return wrong;
}

/* all is written, and all waits for all: nothing to complain of, and the same bits */
static void test_calm(struct rig *r)
{
	unsigned int wrong = 0, differ = 0, runs = 200, step[STEPS];
	uint64_t with, without;

	for (unsigned int n = 0; n < runs; n++) {
		for (unsigned int i = 0; i < STEPS; i++)
			step[i] = (unsigned int)(rnd() % everies);
		wrong += play(r, step, true, &with);
		wrong += play(r, step, false, &without);
		differ += with != without;
	}
	tap_ok(!wrong && !differ, "%u random programs of %u operations, of %u: %u complaints, %u differ",
	       runs, STEPS, everies, wrong, differ);
}

int main(void)
{
	static struct rig r;

	ck_init(&r);
	test_copies(&r);
	test_fills(&r);
	test_nd2nz(&r);
	test_elements(&r);
	test_select(&r);
	test_reduce(&r);
	test_moves(&r);
	test_blocks(&r);
	test_sorts(&r);
	test_repeats(&r);
	test_repeated_reductions(&r);
	test_cube(&r);
	test_global(&r);
	test_atomic(&r);
	test_calm(&r);
	rig_fini(&r);
	return tap_done();
}
