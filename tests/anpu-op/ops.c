// SPDX-License-Identifier: MIT
/* Operators that show what anpu-op can do; not for imitation. */
#include <anpu/anpu_intrin.h>

/* z = x + y on the vector unit */
ANPU_KERNEL void add(const float *x, const float *y, float *z, uint32_t n)
{
	uint32_t bytes = n * 4;

	anpu_copy(ANPU_UB(0), x, bytes);
	anpu_copy(ANPU_UB(16384), y, bytes);
	anpu_setflag(ANPU_PIPE_MTE2, ANPU_PIPE_V, 3);
	anpu_waitflag(ANPU_PIPE_MTE2, ANPU_PIPE_V, 3);
	anpu_vbin(ANPU_UB(32768), ANPU_UB(0), ANPU_UB(16384), ANPU_CTL(n, ANPU_TYPE_F32, ANPU_BIN_ADD));
	anpu_pipebar(ANPU_PIPE_ALL);
	anpu_copy(z, ANPU_UB(32768), bytes);
}

/* every type of parameter */
ANPU_KERNEL void values(int64_t *out, int8_t a, uint16_t b, int32_t c, float d, double e)
{
	out[0] = a;
	out[1] = b;
	out[2] = c;
	out[3] = (int64_t)(d * 4);
	out[4] = (int64_t)(e * 4);
}

/* where a block is in the launch */
ANPU_KERNEL void places(uint32_t *out)
{
	uint32_t i = anpu_block_idx();

	out[i * 8 + 0] = (uint32_t)anpu_csr_gridx();
	out[i * 8 + 1] = (uint32_t)anpu_csr_gridy();
	out[i * 8 + 2] = (uint32_t)anpu_csr_gridz();
	out[i * 8 + 3] = (uint32_t)anpu_csr_cores();
	out[i * 8 + 4] = (uint32_t)anpu_csr_dynsize();
	out[i * 8 + 5] = (uint32_t)anpu_csr_fpctl();
	out[i * 8 + 6] = (uint32_t)anpu_csr_coreid();
	out[i * 8 + 7] = (uint32_t)anpu_csr_blocknum();
}

/* every block looks at what the next one has written before all arrived */
ANPU_KERNEL void neighbours(uint32_t *work, uint32_t *out)
{
	uint32_t me = (uint32_t)anpu_block_idx(), n = (uint32_t)anpu_block_num();

	work[me] = me * 3 + 1;
	anpu_syncall(ANPU_SYNC_KIND);
	out[me] = work[(me + 1) % n];
}

/* a chain: each block waits for the one before it */
ANPU_KERNEL void waits_for_nobody(void)
{
	if (anpu_block_idx() != 1)
		anpu_xwait(2, ANPU_CROSS_ALL);
}

/* two blocks that only get on if they run at the same time */
ANPU_KERNEL void together(volatile uint32_t *flag)
{
	uint32_t me = (uint32_t)anpu_block_idx() & 1;

	flag[16 * me] = 1;
	while (!flag[16 * (1 - me)])
		;
}

/* what the clock says */
ANPU_KERNEL void clock_reads(uint64_t *out)
{
	for (int i = 0; i < 4; i++)
		out[i] = anpu_time_ns();
}

static uint32_t calls;

/* how often it has been called since it was loaded; the first element counts, too */
ANPU_KERNEL void counts_calls(uint32_t *out)
{
	out[0]++;
	out[1] = ++calls;
	anpu_printf("call %u\n", calls);
}

__attribute__((noinline)) static uint32_t twice(uint32_t v)
{
	__asm__ volatile("" : "+r"(v));
	return v * 2;
}

/* loads, stores and arithmetic of all kinds, for traces */
ANPU_KERNEL void scalars(uint32_t *out, double x)
{
	float f = (float)x;
	_Float16 h = (_Float16)f;

	out[1] = twice(out[0]);
	*(volatile float *)(out + 2) = f + 1.0f;
	*(volatile _Float16 *)(out + 3) = h + (_Float16)1.0f;
	*(volatile double *)(out + 4) = x + 1.0;
	anpu_set_csr_padval(out[1]);
}

/* prints bytes that JSON has to quote */
ANPU_KERNEL void prints(void)
{
	anpu_printf("a \"quote\" \\ and\ttab, \xc3\xa9 and \xff\n");
}

/* a tensor of any type */
ANPU_KERNEL void takes(const void *x)
{
	(void)x;
}

/* 16-bit elements without a name in C, pointers to bytes, and to what anpu-op does not know */
struct pair {
	float x;
	int16_t n;
};

ANPU_KERNEL void pointers(const _Float16 *h, uint16_t *bits, const uint8_t *bytes, struct pair *p, _Bool yes)
{
	(void)h, (void)bits, (void)bytes, (void)p, (void)yes;
}

/* numbers by value */
ANPU_KERNEL void numbers(float *out, uint32_t n, float f, _Float16 h)
{
	out[0] = (float)n;
	out[1] = f;
	out[2] = (float)h;
}

/* one access, @at bytes from the start of a tensor */
enum { LOAD1, LOAD2, LOAD4, LOAD8, STORE1, STORE2, STORE4, STORE8, LOAD_DMA, STORE_DMA, ATOMIC4 };

ANPU_KERNEL void access(uint8_t *x, int32_t at, uint32_t how)
{
	uint8_t *p = x + at;

	switch (how) {
	case LOAD1: *(volatile uint8_t *)p; break;
	case LOAD2: *(volatile uint16_t *)(void *)p; break;
	case LOAD4: *(volatile uint32_t *)(void *)p; break;
	case LOAD8: *(volatile uint64_t *)(void *)p; break;
	case STORE1: *(volatile uint8_t *)p = 1; break;
	case STORE2: *(volatile uint16_t *)(void *)p = 1; break;
	case STORE4: *(volatile uint32_t *)(void *)p = 1; break;
	case STORE8: *(volatile uint64_t *)(void *)p = 1; break;
	case LOAD_DMA: anpu_dma_pad(ANPU_UB(0), p, ANPU_PAD_BURSTS(1, 20, 0, 0), 0); break;
	case STORE_DMA: anpu_dma_pad(p, ANPU_UB(0), ANPU_PAD_BURSTS(1, 20, 0, 0), 0); break;
	default: anpu_dma_atom(p, ANPU_UB(0), ANPU_CTL(3, ANPU_TYPE_F32, ANPU_ATOM_ADD));
	}
}

/* the same load again and again, as translated code does it, up to the byte before and behind */
ANPU_KERNEL void sum_bytes(const uint8_t *x, uint32_t *out, int32_t from, int32_t to)
{
	for (int32_t i = from; i < to; i++)
		*out += x[i];
}

/* writes one element too many, within the page */
ANPU_KERNEL void overrun(uint32_t *out, uint32_t n)
{
	for (uint32_t i = 0; i <= n; i++)
		out[i] = 7;
}

/* faults at a line that the test knows */
ANPU_KERNEL void faults(uint32_t *out)
{
	out[0] = 1;
	*(volatile uint32_t *)0x700000000 = 2; /* the faulting line */
}

/* computes with what nothing has written */
ANPU_KERNEL void unset(float *z)
{
	anpu_vbins(ANPU_UB(0), ANPU_UB(64), 0, ANPU_CTL(8, ANPU_TYPE_F32, ANPU_BIN_ADD));
	anpu_pipebar(ANPU_PIPE_ALL);
	anpu_copy(z, ANPU_UB(0), 32);
}

/* does not wait for its copy */
ANPU_KERNEL void no_flag(const float *x, float *z)
{
	anpu_copy(ANPU_UB(64), x, 32); /* what is not waited for */
	anpu_vbins(ANPU_UB(0), ANPU_UB(64), 0, ANPU_CTL(8, ANPU_TYPE_F32, ANPU_BIN_ADD));
	anpu_pipebar(ANPU_PIPE_ALL);
	anpu_copy(z, ANPU_UB(0), 32);
}

/* starts all its blocks together */
ANPU_KERNEL void batch(void)
{
	ANPU_KERNEL_META(ANPU_META_SCHED_MODE, 1);
}

/* only for the cube unit */
ANPU_KERNEL void cube_only(void)
{
	ANPU_KERNEL_META(ANPU_META_KERNEL_TYPE, ANPU_META_TYPE_AIC);
	anpu_vdup(ANPU_UB(0), 0, ANPU_CTL(8, ANPU_TYPE_F32, 0));
}

/* only for the vector unit */
ANPU_KERNEL void vector_only(uint32_t *out)
{
	ANPU_KERNEL_META(ANPU_META_KERNEL_TYPE, ANPU_META_TYPE_AIV);
	*out = (uint32_t)anpu_csr_coretype();
}
