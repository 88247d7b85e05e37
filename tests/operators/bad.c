// SPDX-License-Identifier: MIT
/* Operators with mistakes, to see that each ends in a precise fault and harms nobody else. */
#include <stdint.h>

#include <anpu/anpu_intrin.h>

/* Reads four bytes at the given address. */
ANPU_KERNEL void bad_read(const volatile uint32_t *where, uint32_t *out)
{
	*out = *where;
}

ANPU_KERNEL void bad_write(volatile uint32_t *where, uint32_t value)
{
	*where = value;
}

/* Only one block of the grid does it. */
ANPU_KERNEL void bad_block(volatile uint32_t *where, uint32_t block)
{
	if (anpu_block_idx() == block)
		*where = block;
}

/* A tile copy from an address that nothing maps. */
ANPU_KERNEL void bad_dma(const void *where, uint32_t bytes)
{
	anpu_dma_lin(ANPU_UB(0), where, bytes);
}

/* A tile operation whose operands are not in the unified buffer. */
ANPU_KERNEL void bad_operand(void)
{
	anpu_vbin(ANPU_L1(0), ANPU_UB(0), ANPU_UB(0), ANPU_CTL(8, ANPU_TYPE_F32, ANPU_BIN_ADD));
}

/* An access between the scratchpads. */
ANPU_KERNEL void bad_scratchpad(void)
{
	*(volatile uint32_t *)ANPU_UB(ANPU_UB_SIZE) = 1;
}

ANPU_KERNEL void bad_misaligned_jump(void)
{
	__asm__ volatile("la t0, 1f\naddi t0, t0, 2\njr t0\n1:" : : : "t0", "memory");
}

ANPU_KERNEL void bad_instruction(void)
{
	__asm__ volatile(".word 0");
}

ANPU_KERNEL void bad_ebreak(void)
{
	__asm__ volatile("ebreak");
}

/* Jumps to an address, which usually is data or nothing. */
ANPU_KERNEL void bad_jump(void *where)
{
	((void (*)(void))where)();
}

/* Jumps into its own stack, where code may be written but not run. */
ANPU_KERNEL void bad_jump_stack(void)
{
	uint32_t code[4] = { 0x00000013, 0x00000013, 0x00000013, 0x00008067 };

	__asm__ volatile("" : : "r"(code) : "memory");
	((void (*)(void))(uintptr_t)code)();
}

ANPU_KERNEL void bad_endless(void)
{
	for (;;)
		__asm__ volatile("");
}

static __attribute__((noinline)) uint32_t deeper(uint32_t depth)
{
	volatile char local[256];

	local[0] = (char)depth;
	return depth ? deeper(depth - 1) + (uint32_t)local[0] : 0;
}

ANPU_KERNEL void bad_stack(uint32_t *out)
{
	*out = deeper(1000000);
}

ANPU_KERNEL void bad_trap(void)
{
	anpu_trap("the operator gave up");
}

ANPU_KERNEL void bad_assert(uint32_t n)
{
	anpu_assert(n % 32 == 0);
}

/*
 * The next operation works here, as operations run in order, and fails in checking mode, as it may on a core
 * whose pipes run side by side. y = x + x for up to 8 numbers.
 */

/* The vector unit does not wait for the copy to UB. */
ANPU_KERNEL void bad_race(const float *x, float *y)
{
	anpu_dma_lin(ANPU_UB(0), x, 32);
	anpu_vbin(ANPU_UB(32), ANPU_UB(0), ANPU_UB(0), ANPU_CTL(8, ANPU_TYPE_F32, ANPU_BIN_ADD));
	anpu_pipebar(ANPU_PIPE_ALL);
	anpu_dma_lin(y, ANPU_UB(32), 32);
}

/* The second copy may overwrite what the vector unit still reads. */
ANPU_KERNEL void bad_reuse(const float *x, float *y)
{
	for (uint32_t i = 0; i < 2; i++) {
		anpu_dma_lin(ANPU_UB(0), x + 8 * i, 32);
		anpu_setflag(ANPU_PIPE_MTE2, ANPU_PIPE_V, 0);
		anpu_waitflag(ANPU_PIPE_MTE2, ANPU_PIPE_V, 0);
		anpu_vbin(ANPU_UB(32 + 32 * i), ANPU_UB(0), ANPU_UB(0),
			  ANPU_CTL(8, ANPU_TYPE_F32, ANPU_BIN_ADD));
	}
	anpu_pipebar(ANPU_PIPE_ALL);
	anpu_dma_lin(y, ANPU_UB(32), 64);
}

/* The scalar unit reads a sum that the vector unit may not have written yet. */
ANPU_KERNEL void bad_early(const float *x, float *y)
{
	anpu_dma_lin(ANPU_UB(0), x, 32);
	anpu_pipebar(ANPU_PIPE_ALL);
	anpu_vred(ANPU_UB(32), ANPU_UB(0), ANPU_CTL(8, ANPU_TYPE_F32, ANPU_RED_SUM | ANPU_RED_WHOLE));
	*y = *(volatile float *)ANPU_UB(32);
}

/* Seven numbers are loaded and eight are added. */
ANPU_KERNEL void bad_unwritten(const float *x, float *y)
{
	for (uint32_t i = 0; i < 7; i++)
		((volatile float *)ANPU_UB(0))[i] = x[i];
	anpu_vbin(ANPU_UB(32), ANPU_UB(0), ANPU_UB(0), ANPU_CTL(8, ANPU_TYPE_F32, ANPU_BIN_ADD));
	anpu_pipebar(ANPU_PIPE_ALL);
	anpu_dma_lin(y, ANPU_UB(32), 32);
}

/* Waits for an event that nothing sets, which would hang real hardware. */
ANPU_KERNEL void bad_wait(void)
{
	anpu_waitflag(ANPU_PIPE_MTE2, ANPU_PIPE_V, 3);
}
