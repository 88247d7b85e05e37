// SPDX-License-Identifier: MIT
/* Operators of the catalogue that compute addresses, lengths or shapes wrongly. */
#include <anpu/anpu_intrin.h>

struct tiling {
	uint32_t length;
	uint32_t tile;
};

/* Right if the tiling is */
ANPU_KERNEL void tiled(volatile float *out, const volatile struct tiling *tiling)
{
	uint32_t length = tiling->length, tile = tiling->tile; /* BUG small_tiling */
	uint32_t tiles;

	anpu_assert(tile); /* BUG zero_tiling wrong_tiling */
	tiles = length / tile;
	for (uint32_t i = 0; i < tiles * tile; i++)
		out[i] = 1;
}

/* The offset in bytes is computed with 32 bits. */
ANPU_KERNEL void overflow(volatile char *out, uint32_t rows)
{
	int32_t offset = (int32_t)(rows * 2u);

	*(volatile float *)(out + offset) = 1; /* BUG overflow */
}

/* Tiles of 32 floats; the last one is computed as whole. */
ANPU_KERNEL void last_tile(float *out, const float *in, uint32_t n)
{
	for (uint32_t i = 0; i < n; i += 32) {
		uint32_t bytes = n - i < 32 ? (n - i) / 8 * 32 : 128;

		anpu_dma_lin(ANPU_UB(0), in + i, bytes);
		anpu_setflag(ANPU_PIPE_MTE2, ANPU_PIPE_V, 0);
		anpu_waitflag(ANPU_PIPE_MTE2, ANPU_PIPE_V, 0);
		anpu_vbin(ANPU_UB(1024 + 4 * i), ANPU_UB(0), ANPU_UB(0), ANPU_CTL(32, ANPU_TYPE_F32, ANPU_BIN_ADD));
		anpu_pipebar(ANPU_PIPE_ALL);
		anpu_dma_lin(out + i, ANPU_UB(1024 + 4 * i), 128); /* BUG last_tile */
		anpu_pipebar(ANPU_PIPE_ALL);
	}
}

ANPU_KERNEL void unaligned(float *out, const float *in)
{
	anpu_dma_lin(ANPU_UB(0), in, 64);
	anpu_pipebar(ANPU_PIPE_ALL);
	anpu_vbin(ANPU_UB(64), ANPU_UB(4), ANPU_UB(0), ANPU_CTL(8, ANPU_TYPE_F32, ANPU_BIN_ADD)); /* BUG unaligned */
	anpu_pipebar(ANPU_PIPE_ALL);
	anpu_dma_lin(out, ANPU_UB(64), 32);
}

/* More than the left operand's scratchpad holds */
ANPU_KERNEL void too_large(const float *in)
{
	anpu_dma_lin(ANPU_L1(0), in, 1024);
	anpu_pipebar(ANPU_PIPE_ALL);
	anpu_load2d(ANPU_L0A(0), ANPU_L1(0), ANPU_LOAD2D(0, 200, 0, 1), ANPU_CTL(0, ANPU_TYPE_F32, 0)); /* BUG too_large */
}

ANPU_KERNEL void matrix_large(const float *in, float *out)
{
	anpu_dma_fill(ANPU_L1(0), 65536, 0);
	anpu_pipebar(ANPU_PIPE_ALL);
	anpu_load2d(ANPU_L0A(0), ANPU_L1(0), ANPU_LOAD2D(0, 16, 1, 1), ANPU_CTL(0, ANPU_TYPE_F16, 0));
	anpu_load2d(ANPU_L0B(0), ANPU_L1(0), ANPU_LOAD2D(0, 16, 1, 1), ANPU_CTL(0, ANPU_TYPE_F16, 0));
	anpu_pipebar(ANPU_PIPE_ALL);
	anpu_mmad(ANPU_L0C(0), ANPU_L0A(0), ANPU_L0B(0), /* BUG matrix_large */
		  ANPU_MMAD(1024, 1024, 64, ANPU_TYPE_F16, ANPU_MMAD_INIT));
	(void)in;
	(void)out;
}

/* The tile begins in the unified buffer and ends behind it. */
ANPU_KERNEL void ub_end(float *out, const float *in)
{
	anpu_dma_lin(ANPU_UB(ANPU_UB_SIZE - 64), in, 128); /* BUG ub_end */
	anpu_pipebar(ANPU_PIPE_ALL);
	anpu_dma_lin(out, ANPU_UB(ANPU_UB_SIZE - 64), 64);
}

/* The left operand comes from a part of L1 that this kernel has not filled. */
ANPU_KERNEL void stale_l1(const float *in, float *out)
{
	struct anpu_fix_desc desc = {
		.m = 16, .n = 16, .src_stride = 16, .dst_stride = 16, .layout = ANPU_FIX_ND, .nd_num = 1,
	};

	anpu_dma_lin(ANPU_L1(0), in, 512);
	anpu_pipebar(ANPU_PIPE_ALL);
	anpu_load2d(ANPU_L0A(0), ANPU_L1(4096), ANPU_LOAD2D(0, 1, 1, 1), ANPU_CTL(0, ANPU_TYPE_F16, 0)); /* BUG stale_l1 */
	anpu_load2d(ANPU_L0B(0), ANPU_L1(0), ANPU_LOAD2D(0, 1, 1, 1), ANPU_CTL(0, ANPU_TYPE_F16, 0));
	anpu_pipebar(ANPU_PIPE_ALL);
	anpu_mmad(ANPU_L0C(0), ANPU_L0A(0), ANPU_L0B(0), ANPU_MMAD(16, 16, 16, ANPU_TYPE_F16, ANPU_MMAD_INIT));
	anpu_pipebar(ANPU_PIPE_ALL);
	anpu_fixpipe(out, ANPU_L0C(0), &desc, ANPU_CTL_CVT(0, ANPU_TYPE_F32, ANPU_TYPE_F32, ANPU_ROUND_NONE));
}

ANPU_KERNEL void null_tile(float *out, const float *in)
{
	anpu_dma_lin(ANPU_UB(0), in, 64); /* BUG null_tile */
	anpu_pipebar(ANPU_PIPE_ALL);
	anpu_dma_lin(out, ANPU_UB(0), 64);
}

/* Block 0 has nothing to do and goes before the barrier. */
ANPU_KERNEL void barrier_left(volatile float *out)
{
	if (!anpu_block_idx())
		return;
	out[8 * anpu_block_idx()] = 1;
	anpu_syncall(ANPU_SYNC_KIND); /* BUG barrier_left */
}

/* A flag is set twice and waited for once. */
ANPU_KERNEL void flag_twice(const float *in, float *out)
{
	for (uint32_t i = 0; i < 2; i++) {
		anpu_dma_lin(ANPU_UB(32 * i), in + 8 * i, 32);
		anpu_setflag(ANPU_PIPE_MTE2, ANPU_PIPE_MTE3, 1); /* BUG flag_twice */
	}
	anpu_waitflag(ANPU_PIPE_MTE2, ANPU_PIPE_MTE3, 1);
	anpu_dma_lin(out, ANPU_UB(0), 32);
}

/* The matrix that goes to the cube unit was never written. */
ANPU_KERNEL void cube_unwritten(const uint16_t *a, const uint16_t *b, float *out)
{
	struct anpu_nd2nz_desc nz = {
		.nd_num = 1, .n = 16, .d = 16, .src_d = 16, .dst_c0_stride = 16, .dst_n_stride = 1,
	};
	struct anpu_fix_desc desc = {
		.m = 16, .n = 16, .src_stride = 16, .dst_stride = 16, .layout = ANPU_FIX_ND, .nd_num = 1,
	};

	anpu_dma_nd2nz(ANPU_L1(0), a, &nz, ANPU_CTL(0, ANPU_TYPE_F16, 0));
	anpu_dma_nd2nz(ANPU_L1(512), b, &nz, ANPU_CTL(0, ANPU_TYPE_F16, 0));
	anpu_pipebar(ANPU_PIPE_ALL);
	anpu_load2d(ANPU_L0A(0), ANPU_L1(0), ANPU_LOAD2D(0, 1, 1, 1), ANPU_CTL(0, ANPU_TYPE_F16, 0));
	anpu_load2d(ANPU_L0B(0), ANPU_L1(512), ANPU_LOAD2D(0, 1, 1, 1), ANPU_CTL(0, ANPU_TYPE_F16, 0)); /* BUG cube_unwritten */
	anpu_pipebar(ANPU_PIPE_ALL);
	anpu_mmad(ANPU_L0C(0), ANPU_L0A(0), ANPU_L0B(0), /* BUG cube_unwritten_rows */
		  ANPU_MMAD(16, 16, 16, ANPU_TYPE_F16, ANPU_MMAD_INIT));
	anpu_pipebar(ANPU_PIPE_ALL);
	anpu_fixpipe(out, ANPU_L0C(0), &desc, ANPU_CTL_CVT(0, ANPU_TYPE_F32, ANPU_TYPE_F32, ANPU_ROUND_NONE));
}

/* A function pointer of a table that nothing has set */
ANPU_KERNEL void null_function(volatile uint32_t *out, uint32_t n)
{
	static void (*volatile table[4])(uint32_t);

	table[n & 3](n); /* BUG null_function */
	*out = n;
}

/* The text of a %s is an offset */
ANPU_KERNEL void print_wild(const char *text, uint32_t offset)
{
	anpu_printf("the text is %s, the offset %u\n", /* BUG print_wild */
		    text + offset, offset);
}
