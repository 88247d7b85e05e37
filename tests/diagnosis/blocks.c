// SPDX-License-Identifier: MIT
/* Operators of the catalogue whose blocks disturb each other, or leave something behind. */
#include <anpu/anpu_intrin.h>

/* One element more than there are */
ANPU_KERNEL void sum(volatile float *out, const volatile float *in, uint32_t n)
{
	float s = 0;

	for (uint32_t i = 0; i <= n; i++)
		s += in[i]; /* BUG read_one_more read_one_more_page */
	*out = s;
}

ANPU_KERNEL void ramp(volatile float *out, uint32_t n)
{
	for (uint32_t i = 0; i <= n; i++)
		out[i] = (float)i; /* BUG write_one_more */
}

ANPU_KERNEL void bytes(volatile uint8_t *out, const volatile uint8_t *in, uint32_t n)
{
	for (uint32_t i = 0; i <= n; i++)
		out[i] = in[i]; /* BUG byte_more */
}

ANPU_KERNEL void before(volatile float *out, const volatile float *in, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		out[i] = in[(int64_t)i - 1]; /* BUG read_before */
}

/* Copies tiles, the last one as long as the others */
ANPU_KERNEL void tiles(float *out, const float *in, uint32_t n)
{
	for (uint32_t i = 0; i < n; i += 32) {
		anpu_dma_lin(ANPU_UB(0), in + i, 128); /* BUG tile_behind */
		anpu_pipebar(ANPU_PIPE_ALL);
		anpu_dma_lin(out + i, ANPU_UB(0), 128);
		anpu_pipebar(ANPU_PIPE_ALL);
	}
}

/* Each block adds its number to one sum */
ANPU_KERNEL void lost_sum(volatile uint32_t *out)
{
	*out = *out + anpu_block_idx() + 1; /* BUG lost_sum */
}

/* Right: an atomic sum */
ANPU_KERNEL void kept_sum(uint32_t *out)
{
	__atomic_fetch_add(out, anpu_block_idx() + 1, __ATOMIC_RELAXED);
}

/* Each block reads what its neighbour writes */
ANPU_KERNEL void neighbour(volatile float *data, volatile float *out)
{
	uint32_t i = anpu_block_idx(), n = anpu_block_num();

	data[i] = (float)i;
	out[i] = data[(i + 1) % n]; /* BUG neighbour */
}

/* Right: the same with a barrier */
ANPU_KERNEL void neighbour_sync(volatile float *data, volatile float *out)
{
	uint32_t i = anpu_block_idx(), n = anpu_block_num();

	data[i] = (float)i;
	anpu_syncall(ANPU_SYNC_KIND);
	out[i] = data[(i + 1) % n];
}

/* Only the block at the end forgets the second barrier */
ANPU_KERNEL void second_barrier(volatile float *data, volatile float *out)
{
	uint32_t i = anpu_block_idx(), n = anpu_block_num();

	data[i] = (float)i;
	anpu_syncall(ANPU_SYNC_KIND);
	out[i] = data[(i + 1) % n]; /* BUG second_barrier */
	data[i] = 0; /* MADE second_barrier */
}

/* Atomic and plain accesses in one place */
ANPU_KERNEL void half_atomic(uint32_t *out)
{
	if (anpu_block_idx())
		__atomic_fetch_add(out, 1, __ATOMIC_RELAXED); /* BUG half_atomic */
	else
		*(volatile uint32_t *)out = 0;
}

ANPU_KERNEL void set_only(const float *in, float *out)
{
	anpu_dma_lin(ANPU_UB(0), in, 32);
	anpu_pipebar(ANPU_PIPE_ALL);
	anpu_dma_lin(out, ANPU_UB(0), 32);
	anpu_setflag(ANPU_PIPE_MTE3, ANPU_PIPE_MTE2, 3); /* BUG set_only */
}

ANPU_KERNEL void wait_only(void)
{
	anpu_waitflag(ANPU_PIPE_MTE2, ANPU_PIPE_V, 2); /* BUG wait_only */
}

/* Sets a cross flag that nobody waits for */
ANPU_KERNEL void cross_left(void)
{
	anpu_xset(5, ANPU_CROSS_ALL); /* BUG cross_left */
}

ANPU_KERNEL void ping_pong(void)
{
	uint32_t other = 1 - anpu_block_idx();

	anpu_xwait(other, ANPU_CROSS_ALL); /* BUG ping_pong */
	anpu_xset(other, ANPU_CROSS_ALL);
}

/* The cube half makes a tensor, the vector half reads it: with a flag, and without */
static void cube_half(float *mid, uint32_t flag)
{
	anpu_dma_fill(ANPU_L1(0), 512, 0);
	anpu_pipebar(ANPU_PIPE_ALL);
	anpu_dma_lin(mid + 128 * anpu_block_idx(), ANPU_L1(0), 512); /* MADE halves */
	anpu_pipebar(ANPU_PIPE_ALL);
	if (flag)
		anpu_xset(1, ANPU_CROSS_GROUP);
}

static void vector_half(float *mid, float *out, uint32_t flag)
{
	if (flag)
		anpu_xwait(1, ANPU_CROSS_GROUP);
	anpu_dma_lin(ANPU_UB(0), mid + 128 * anpu_block_idx(), 512); /* BUG halves */
	anpu_pipebar(ANPU_PIPE_ALL);
	if (!anpu_sub_block_idx())
		anpu_dma_lin(out + 128 * anpu_block_idx(), ANPU_UB(0), 512);
}

ANPU_KERNEL void halves_mix_aic(float *mid, float *out, uint32_t flag)
{
	(void)out;
	cube_half(mid, flag);
}

ANPU_KERNEL void halves_mix_aiv(float *mid, float *out, uint32_t flag)
{
	vector_half(mid, out, flag);
}
