// SPDX-License-Identifier: MIT
/*
 * A MIX kernel: the cube part multiplies two matrices of 16 x 16 fp16 per block, the vector parts
 * wait for it, add one to their half, and tell the cube part, which then stamps the block.
 */
#include <anpu/anpu_intrin.h>

#define N 16

ANPU_KERNEL void mul1_mix_aic(const _Float16 *a, const _Float16 *b, float *c, uint32_t *stamp)
{
	uint32_t me = (uint32_t)anpu_block_idx();
	struct anpu_fix_desc fix = { .m = N, .n = N, .src_stride = N, .dst_stride = N, .nd_num = 1 };

	ANPU_KERNEL_META(ANPU_META_KERNEL_TYPE, ANPU_META_TYPE_MIX_AIC);
	ANPU_KERNEL_META(ANPU_META_MIX_RATIO, 1 | 2 << 16);
	anpu_copy(ANPU_L1(0), a + me * N * N, N * N * 2);
	anpu_copy(ANPU_L1(512), b + me * N * N, N * N * 2);
	anpu_pipebar(ANPU_PIPE_ALL);
	anpu_load2d(ANPU_L0A(0), ANPU_L1(0), ANPU_LOAD2D(0, 1, 1, 0), ANPU_CTL(0, ANPU_TYPE_F16, 0));
	anpu_load2d(ANPU_L0B(0), ANPU_L1(512), ANPU_LOAD2D(0, 1, 1, 0),
		    ANPU_CTL(0, ANPU_TYPE_F16, 0) | ANPU_CTL_TRANSPOSE);
	anpu_pipebar(ANPU_PIPE_ALL);
	anpu_mmad(ANPU_L0C(0), ANPU_L0A(0), ANPU_L0B(0), ANPU_MMAD(N, N, N, ANPU_TYPE_F16, ANPU_MMAD_INIT));
	anpu_pipebar(ANPU_PIPE_ALL);
	anpu_fixpipe(c + me * N * N, ANPU_L0C(0), &fix, ANPU_CTL_CVT(0, ANPU_TYPE_F32, ANPU_TYPE_F32, 0));
	anpu_xset(1, ANPU_CROSS_GROUP);
	anpu_xwait(2, ANPU_CROSS_GROUP);
	stamp[me] = 100 + me;
}

ANPU_KERNEL void mul1_mix_aiv(const _Float16 *a, const _Float16 *b, float *c, uint32_t *stamp)
{
	uint64_t half = N * N / 2, part = anpu_csr_subblockidx();
	float *mine = c + anpu_block_idx() * N * N + part * half;

	ANPU_KERNEL_META(ANPU_META_KERNEL_TYPE, ANPU_META_TYPE_MIX_AIV);
	(void)a;
	(void)b;
	(void)stamp;
	anpu_xwait(1, ANPU_CROSS_GROUP);
	anpu_copy(ANPU_UB(0), mine, half * 4);
	anpu_pipebar(ANPU_PIPE_ALL);
	anpu_vbins(ANPU_UB(0), ANPU_UB(0), anpu_bits_f32(1), ANPU_CTL(half, ANPU_TYPE_F32, ANPU_BIN_ADD));
	anpu_pipebar(ANPU_PIPE_ALL);
	anpu_copy(mine, ANPU_UB(0), half * 4);
	anpu_xset(2, ANPU_CROSS_GROUP);
}

/* one vector part, which waits for what the cube part never sets */
ANPU_KERNEL void stuck_mix_aic(void)
{
	ANPU_KERNEL_META(ANPU_META_KERNEL_TYPE, ANPU_META_TYPE_MIX_AIC);
}

ANPU_KERNEL void stuck_mix_aiv(void)
{
	ANPU_KERNEL_META(ANPU_META_KERNEL_TYPE, ANPU_META_TYPE_MIX_AIV);
	anpu_xwait(5, ANPU_CROSS_GROUP);
}
