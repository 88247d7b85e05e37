// SPDX-License-Identifier: MIT
/* Operators of the catalogue: small, and wrong in one line each, which has a comment BUG with the case's name. */
#include <anpu/anpu_intrin.h>

ANPU_KERNEL void fill(volatile float *out, float value, uint32_t n)
{
	for (uint32_t i = anpu_block_idx(); i < n; i += anpu_block_num())
		out[i] = value;
}

/* Copies n floats; right as long as both tensors have as many */
ANPU_KERNEL void copy(volatile float *out, const volatile float *in, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		out[i] = in[i]; /* BUG op_read_behind op_write_behind uninitialised */
}

static inline void store_at(volatile float *out, uint32_t i)
{
	out[i] = 1.0f; /* BUG op_inlined */
}

ANPU_KERNEL void far_store(volatile float *out, uint32_t i)
{
	store_at(out, i); /* CALL op_inlined */
}

ANPU_KERNEL void null_store(volatile float *out)
{
	*out = 1.0f; /* BUG op_null op_host_pointer op_low_host_pointer op_freed op_handle */
}

ANPU_KERNEL void divide(volatile uint32_t *out, uint32_t n)
{
	anpu_assert(n); /* BUG op_assert */
	*out = 100 / n;
}

ANPU_KERNEL void give_up(uint32_t n)
{
	if (n)
		anpu_trap("the tensor has no elements"); /* BUG op_trap */
}

ANPU_KERNEL void endless(volatile uint32_t *flag)
{
	while (!*flag)
		; /* the case op_timeout */
}

ANPU_KERNEL void one_leaves(uint32_t n)
{
	if (anpu_block_idx() < n)
		anpu_syncall(ANPU_SYNC_KIND); /* BUG op_deadlock */
}

/* For the checking mode: tiles of 8 floats, doubled */
#define DOUBLE(dst, src) anpu_vbin(dst, src, src, ANPU_CTL(8, ANPU_TYPE_F32, ANPU_BIN_ADD))

ANPU_KERNEL void no_flag(const float *in, float *out)
{
	anpu_dma_lin(ANPU_UB(0), in, 32);
	DOUBLE(ANPU_UB(32), ANPU_UB(0)); /* BUG chk_pipes */
	anpu_pipebar(ANPU_PIPE_ALL);
	anpu_dma_lin(out, ANPU_UB(32), 32);
}

/* The second load into the tile does not wait until the first result, in the same place, has been stored */
ANPU_KERNEL void early_load(const float *in, float *out)
{
	for (uint32_t i = 0; i < 2; i++) {
		anpu_dma_lin(ANPU_UB(0), in + 8 * i, 32); /* BUG chk_reuse */
		anpu_setflag(ANPU_PIPE_MTE2, ANPU_PIPE_V, 0);
		anpu_waitflag(ANPU_PIPE_MTE2, ANPU_PIPE_V, 0);
		DOUBLE(ANPU_UB(0), ANPU_UB(0));
		anpu_setflag(ANPU_PIPE_V, ANPU_PIPE_MTE3, 0);
		anpu_waitflag(ANPU_PIPE_V, ANPU_PIPE_MTE3, 0);
		anpu_dma_lin(out + 8 * i, ANPU_UB(0), 32);
	}
}

ANPU_KERNEL void half_loaded(const float *in, float *out)
{
	anpu_dma_lin(ANPU_UB(0), in, 32);
	anpu_pipebar(ANPU_PIPE_ALL);
	anpu_vbin(ANPU_UB(64), ANPU_UB(0), ANPU_UB(0), ANPU_CTL(16, ANPU_TYPE_F32, ANPU_BIN_ADD)); /* BUG chk_scratchpad */
	anpu_pipebar(ANPU_PIPE_ALL);
	anpu_dma_lin(out, ANPU_UB(64), 32);
}

/* The part of a tensor from an index on */
ANPU_KERNEL void fill_part(volatile float *out, uint32_t from, uint32_t n)
{
	for (uint32_t i = anpu_block_idx(); i < n; i += anpu_block_num())
		out[from + i] = (float)i;
}
