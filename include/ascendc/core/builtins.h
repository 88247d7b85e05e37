/* SPDX-License-Identifier: MIT */
/* Functions that the compiler of Ascend C knows without a header. */
#ifndef ASCENDC_CORE_BUILTINS_H
#define ASCENDC_CORE_BUILTINS_H

#include <math.h>

#include "state.h"

#ifndef likely
#define likely(condition)	__builtin_expect(!!(condition), 1)
#define unlikely(condition)	__builtin_expect(!!(condition), 0)
#endif

#ifndef __ANPU_HOST__
/* Two types and a list of none, so that a template of the operator's own for one or two types is preferred */
template <class A, class B, class... None> ASCENDC_FN constexpr std::common_type_t<A, B> min(const A a, const B b, None...)
{
	static_assert(sizeof...(None) == 0, "min() has two operands");
	return b < a ? b : a;
}

template <class A, class B, class... None> ASCENDC_FN constexpr std::common_type_t<A, B> max(const A a, const B b, None...)
{
	static_assert(sizeof...(None) == 0, "max() has two operands");
	return a < b ? b : a;
}

ASCENDC_FN float sqrt(float value) { return __builtin_sqrtf(value); }

/* Bits of a number: one set or cleared, the number of zeros and ones, the first zero and one from below (-1: none), zeros from above */
ASCENDC_FN constexpr uint64_t sbitset0(uint64_t value, int64_t bit) { return value & ~(1ull << bit); }
ASCENDC_FN constexpr uint64_t sbitset1(uint64_t value, int64_t bit) { return value | 1ull << bit; }
ASCENDC_FN constexpr int64_t bcnt0(uint64_t value) { return __builtin_popcountll(~value); }
ASCENDC_FN constexpr int64_t bcnt1(uint64_t value) { return __builtin_popcountll(value); }
ASCENDC_FN constexpr int64_t sff0(uint64_t value) { return ~value ? __builtin_ctzll(~value) : -1; }
ASCENDC_FN constexpr int64_t sff1(uint64_t value) { return value ? __builtin_ctzll(value) : -1; }
ASCENDC_FN constexpr int64_t clz(uint64_t value) { return value ? __builtin_clzll(value) : 64; }

namespace AscendC {
namespace detail {

/* An address that is below a scratchpad's size is a place in it: cores whose scratchpads begin at 0 have such addresses. */
ASCENDC_FN uint64_t scratchpad_place(const void *address, uint64_t base, uint64_t size)
{
	uint64_t place = reinterpret_cast<uintptr_t>(address);

	return place < size ? base + place : place;
}

template <bool in_ub> ASCENDC_FN uint64_t place_of(const void *address)
{
	return in_ub ? scratchpad_place(address, ANPU_UB_BASE, ANPU_UB_SIZE) : reinterpret_cast<uintptr_t>(address);
}

} // namespace detail
} // namespace AscendC

/* The first bytes of UB, and copies of blocks by their addresses */
#define get_imm(offset)	((void *)(uintptr_t)(ANPU_UB_BASE + (offset)))
#define ASCENDC_COPY_BUILTIN(name, to_ub, from_ub) \
	ASCENDC_FN void name(void *dst, void *src, uint8_t sid, uint16_t bursts, uint16_t len, uint16_t src_gap, \
			     uint16_t dst_gap) \
	{ \
		(void)sid; \
		anpu_tile_DMA_BURST(AscendC::detail::place_of<to_ub>(dst), AscendC::detail::place_of<from_ub>(src), \
				    ANPU_BURSTS(bursts, len, src_gap, dst_gap), 0); \
	}
ASCENDC_COPY_BUILTIN(copy_gm_to_ubuf, true, false)
ASCENDC_COPY_BUILTIN(copy_ubuf_to_gm, false, true)
ASCENDC_COPY_BUILTIN(copy_ubuf_to_ubuf, true, true)
#undef ASCENDC_COPY_BUILTIN

/* The same in bytes, with padding in elements; gaps in global memory are bytes, in UB blocks */
#define ASCENDC_ALIGN_BUILTIN(name, size, to_ub) \
	ASCENDC_FN void name(void *dst, const void *src, uint8_t sid, uint16_t bursts, uint32_t len, uint8_t left, \
			     uint8_t right, uint32_t src_gap, uint32_t dst_gap) \
	{ \
		(void)sid; \
		anpu_tile_DMA_PAD(AscendC::detail::place_of<to_ub>(dst), AscendC::detail::place_of<!(to_ub)>(src), \
				  ANPU_PAD_BURSTS(bursts, len, left * (size), right * (size)), \
				  ANPU_PAD_GAPS(src_gap, dst_gap)); \
	}
ASCENDC_ALIGN_BUILTIN(copy_gm_to_ubuf_align_b8, 1, true)
ASCENDC_ALIGN_BUILTIN(copy_gm_to_ubuf_align_b16, 2, true)
ASCENDC_ALIGN_BUILTIN(copy_gm_to_ubuf_align_b32, 4, true)
ASCENDC_ALIGN_BUILTIN(copy_ubuf_to_gm_align_b8, 1, false)
ASCENDC_ALIGN_BUILTIN(copy_ubuf_to_gm_align_b16, 2, false)
ASCENDC_ALIGN_BUILTIN(copy_ubuf_to_gm_align_b32, 4, false)
#undef ASCENDC_ALIGN_BUILTIN

/* Flags between cores and the vector mask by the words that instructions take */
ASCENDC_FN void ffts_cross_core_sync(pipe_t pipe, uint64_t config)
{
	anpu_sys_XSET(ANPU_CROSS(config >> 8 & 0x1f, config >> 4 & 0xf), AscendC::detail::cross_pipe(pipe));
}

ASCENDC_FN void wait_flag_dev(uint64_t flag) { anpu_sys_XWAIT(ANPU_CROSS(flag, ANPU_CROSS_ANY), 0); }
ASCENDC_FN void set_ffts_base_addr(uint64_t) {}
ASCENDC_FN void set_mask_count() { AscendC::detail::state()->counter = 1; }
ASCENDC_FN void set_mask_norm() { AscendC::detail::state()->counter = 0; }

ASCENDC_FN void set_vector_mask(uint64_t high, uint64_t low)
{
	if (AscendC::detail::state()->counter) {
		AscendC::detail::state()->count = static_cast<uint32_t>(low);
	} else {
		anpu_set_csr_vmask0(low);
		anpu_set_csr_vmask1(high);
	}
}

/* Numbers of global memory past the caches, which a core here does not have */
template <class T> ASCENDC_FN T ld_dev(__gm__ T *address, int16_t offset)
{
	return *reinterpret_cast<volatile T *>(reinterpret_cast<uintptr_t>(address) + static_cast<uintptr_t>(static_cast<int64_t>(offset)));
}

template <class T> ASCENDC_FN void st_dev(T value, __gm__ T *address, int16_t offset)
{
	*reinterpret_cast<volatile T *>(reinterpret_cast<uintptr_t>(address) + static_cast<uintptr_t>(static_cast<int64_t>(offset))) = value;
}

template <class T> ASCENDC_FN constexpr T abs(T value)
{
	return value < T(0) ? -value : value;
}
#endif

#endif
