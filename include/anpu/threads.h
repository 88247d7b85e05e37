/* SPDX-License-Identifier: MIT */
/*
 * Threads of a block, for operator code: one function per operation of anpu_isa_threads.h
 * (Documentation/isa-threads.md). cuda_runtime.h gives them the names that CUDA programmers know.
 */
#ifndef ANPU_THREADS_INTRIN_H
#define ANPU_THREADS_INTRIN_H

#include <anpu/anpu_intrin.h>

/* lanes of a warp; anpu_packet.h, which operators do not include, has the same number */
#ifndef ANPU_WARP_SIZE
#define ANPU_WARP_SIZE	32
#endif

/*
 * Optimisers must not give two paths of a program an operation each where the source has one for all
 * threads, nor make one of two: so each stands in a function that is neither inlined nor duplicated nor merged.
 * nodebug: a fault in one has the line of its caller.
 */
#define ANPU_CONVERGENT	static __attribute__((noinline, noduplicate, convergent, unused, nodebug))

#define ANPU_THREAD_INSN(number, rd, rs1, rs2) \
	__asm__ volatile(".insn r %3, 2, %4, %0, %z1, %z2" \
			 : "=r"(rd) : "rJ"((uint64_t)(rs1)), "rJ"((uint64_t)(rs2)), "i"(ANPU_OPC_SYS), \
			   "i"(number) : "memory")

#define ANPU_X_(name, number, ...) \
	ANPU_CONVERGENT uint64_t anpu_thread_##name(uint64_t rs1, uint64_t rs2) \
	{ \
		uint64_t rd; \
		ANPU_THREAD_INSN(number, rd, rs1, rs2); \
		return rd; \
	}
ANPU_THREAD_OPS(ANPU_X_)
#undef ANPU_X_

#define ANPU_X_(name, number, ...) \
	ANPU_INLINE uint64_t anpu_amo_##name(const volatile void *word, uint64_t value) \
	{ \
		uint64_t old; \
		__asm__ volatile(".insn r %3, 1, %4, %0, %1, %z2" \
				 : "=r"(old) : "r"(word), "rJ"(value), "i"(ANPU_OPC_SYS), "i"(number) \
				 : "memory"); \
		return old; \
	}
ANPU_AMO_OPS(ANPU_X_)
#undef ANPU_X_

/** anpu_info() - what the block knows of its place and sizes */
ANPU_INLINE const struct anpu_block_info *anpu_info(void)
{
	return (const struct anpu_block_info *)(uintptr_t)ANPU_INFO_BASE;
}

/* gp holds the thread's index; nothing writes it, so reads need no order */
ANPU_INLINE uint64_t anpu_thread_gp(void)
{
	uint64_t gp;

	__asm__("mv %0, gp" : "=r"(gp));
	return gp;
}

/** anpu_thread_x() - index of the thread in its block; _y, _z too */
ANPU_INLINE uint32_t anpu_thread_x(void)
{
	return (uint16_t)anpu_thread_gp();
}

ANPU_INLINE uint32_t anpu_thread_y(void)
{
	return (uint16_t)(anpu_thread_gp() >> 16);
}

ANPU_INLINE uint32_t anpu_thread_z(void)
{
	return (uint16_t)(anpu_thread_gp() >> 32);
}

/** anpu_thread_number() - the thread's number in its block, x fastest */
ANPU_INLINE uint32_t anpu_thread_number(void)
{
	const struct anpu_block_info *b = anpu_info();

	return anpu_thread_x() + b->block_dim[0] * (anpu_thread_y() + b->block_dim[1] * anpu_thread_z());
}

/** anpu_lane() - the thread's number in its warp */
ANPU_INLINE uint32_t anpu_lane(void)
{
	return anpu_thread_number() % ANPU_WARP_SIZE;
}

#endif /* ANPU_THREADS_INTRIN_H */
