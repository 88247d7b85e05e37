/* SPDX-License-Identifier: MIT */
/* Operations among the lanes of a warp. */
#pragma once

ANPU_INLINE void __syncwarp(unsigned int mask = 0xffffffff) { anpu_thread_WSYNC(mask, 0); }

/*
 * Lanes at different instructions are not together. The number in the text keeps the compiler from making one
 * instruction of two that stand in different branches.
 */
#define ANPU_ACTIVE_AT(site) ({ \
	uint64_t lanes_; \
	__asm__ volatile(".insn r %1, 2, %2, %0, x0, x0 # " #site \
			 : "=r"(lanes_) : "i"(ANPU_OPC_SYS), "i"(ANPU_THREAD_ACTIVE) : "memory"); \
	(unsigned int)lanes_; })
#define ANPU_ACTIVE_SITE(site)	ANPU_ACTIVE_AT(site)
#define __activemask()	ANPU_ACTIVE_SITE(__COUNTER__)
ANPU_INLINE int __any_sync(unsigned int mask, int p)
{
	return (int)anpu_thread_VOTE(ANPU_WARP(mask, ANPU_VOTE_ANY), p != 0);
}
ANPU_INLINE int __all_sync(unsigned int mask, int p)
{
	return (int)anpu_thread_VOTE(ANPU_WARP(mask, ANPU_VOTE_ALL), p != 0);
}
ANPU_INLINE int __uni_sync(unsigned int mask, int p)
{
	return (int)anpu_thread_VOTE(ANPU_WARP(mask, ANPU_VOTE_EQUAL), p != 0);
}
ANPU_INLINE unsigned int __ballot_sync(unsigned int mask, int p)
{
	return (unsigned int)anpu_thread_VOTE(ANPU_WARP(mask, ANPU_VOTE_BALLOT), p != 0);
}

/* A value of up to 8 bytes as the bits of a register, and back */
template <class T> ANPU_INLINE uint64_t anpu_bits_of(T v)
{
	uint64_t bits = 0;

	static_assert(sizeof(T) <= 8, "values of up to 8 bytes can be exchanged in a warp");
	__builtin_memcpy(&bits, &v, sizeof(T));
	return bits;
}
template <class T> ANPU_INLINE T anpu_bits_as(uint64_t bits)
{
	T v;

	__builtin_memcpy(&v, &bits, sizeof(T));
	return v;
}

#define ANPU_SHUFFLE(name, mode, operand) \
	template <class T> ANPU_INLINE T name(unsigned int mask, T v, operand lane, int width = 32) \
	{ \
		return anpu_bits_as<T>(anpu_thread_SHFL(ANPU_SHFL(mask, mode, (unsigned int)lane, width), \
							anpu_bits_of(v))); \
	}
ANPU_SHUFFLE(__shfl_up_sync, ANPU_SHFL_UP, unsigned int)
ANPU_SHUFFLE(__shfl_down_sync, ANPU_SHFL_DOWN, unsigned int)
ANPU_SHUFFLE(__shfl_xor_sync, ANPU_SHFL_XOR, int)
#undef ANPU_SHUFFLE
template <class T> ANPU_INLINE T __shfl_sync(unsigned int mask, T v, int lane, int width = 32)
{
	return anpu_bits_as<T>(anpu_thread_SHFL(ANPU_SHFL(mask, ANPU_SHFL_IDX, (unsigned int)lane & 31, width),
						anpu_bits_of(v)));
}

template <class T> ANPU_INLINE unsigned int __match_any_sync(unsigned int mask, T v)
{
	return (unsigned int)anpu_thread_MATCH(ANPU_WARP(mask, ANPU_MATCH_ANY), anpu_bits_of(v));
}
template <class T> ANPU_INLINE unsigned int __match_all_sync(unsigned int mask, T v, int *equal)
{
	unsigned int lanes = (unsigned int)anpu_thread_MATCH(ANPU_WARP(mask, ANPU_MATCH_ALL), anpu_bits_of(v));

	*equal = lanes != 0;
	return lanes;
}

#define ANPU_REDUCE(name, type, op) \
	ANPU_INLINE type name(unsigned int mask, type v) \
	{ \
		return (type)anpu_thread_REDUCE(ANPU_WARP(mask, op), (uint32_t)v); \
	}
ANPU_REDUCE(__reduce_add_sync, int, ANPU_RED32_ADD)
ANPU_REDUCE(__reduce_add_sync, unsigned int, ANPU_RED32_ADD)
ANPU_REDUCE(__reduce_min_sync, int, ANPU_RED32_MIN)
ANPU_REDUCE(__reduce_min_sync, unsigned int, ANPU_RED32_MINU)
ANPU_REDUCE(__reduce_max_sync, int, ANPU_RED32_MAX)
ANPU_REDUCE(__reduce_max_sync, unsigned int, ANPU_RED32_MAXU)
ANPU_REDUCE(__reduce_and_sync, unsigned int, ANPU_RED32_AND)
ANPU_REDUCE(__reduce_or_sync, unsigned int, ANPU_RED32_OR)
ANPU_REDUCE(__reduce_xor_sync, unsigned int, ANPU_RED32_XOR)
#undef ANPU_REDUCE
