/* SPDX-License-Identifier: MIT */
/*
 * The names of threads without a namespace: threadIdx, blockDim, blockIdx, gridDim, asc_...(), atomicAdd() and its
 * relatives. Programs use some of them as names of their own, so that kernel_operator.h has them only for sources with
 * threadIdx in them (anpucc defines ANPU_SIMT_NAMES), and simt_api/ always.
 */
#ifndef ASCENDC_SIMT_NAMES_H
#define ASCENDC_SIMT_NAMES_H

#include "thread.h"

#define ANPU_VECTORS_OF_VOLATILE
#include <anpu/cudart/device/vector_types.h>
#include <anpu/cudart/device/atomic.h>
#include <anpu/cudart/device/bits.h>
#include <anpu/cudart/device/warp.h>

/* Two numbers of 16 bits as one word, for loads and stores */
struct __attribute__((aligned(4))) half2 {
	half x, y;
	ANPU_VECTOR_COPIES(half2, (half a, half b), x(a) ANPU_COMMA y(b), x(from.x) ANPU_COMMA y(from.y), x = from.x; y = from.y)
};

struct __attribute__((aligned(4))) bfloat16x2_t {
	bfloat16_t x, y;
};

/* Hints for caches, which this core has none of: a load or store with them is one without. */
enum class LD_L2CacheType {
	L2_CACHE_HINT_NORMAL_FV,
	L2_CACHE_HINT_NORMAL_LV,
	L2_CACHE_HINT_PERSISTENT,
	L2_CACHE_HINT_NOTALLOC_KEEP,
	L2_CACHE_HINT_NOTALLOC_CLEAN,
	L2_CACHE_HINT_NOTALLOC_DROP,
};
enum class ST_L2CacheType {
	L2_CACHE_HINT_NORMAL_FV,
	L2_CACHE_HINT_NORMAL_LV,
	L2_CACHE_HINT_PERSISTENT,
	L2_CACHE_HINT_NOTALLOC_KEEP,
	L2_CACHE_HINT_NOTALLOC_CLEAN,
	L2_CACHE_HINT_NOTALLOC_DROP,
};
enum class L1CacheType { NON_CACHEABLE, CACHEABLE };

template <LD_L2CacheType, L1CacheType = L1CacheType::NON_CACHEABLE, class T> ASCENDC_FN T __ldg(const __gm__ T *address)
{
	return *address;
}

template <class T> ASCENDC_FN T __ldg(const T *address)
{
	return *address;
}

template <ST_L2CacheType, L1CacheType = L1CacheType::NON_CACHEABLE, class T, class V>
ASCENDC_FN void __stg(__gm__ T *address, V value)
{
	*address = static_cast<T>(value);
}

namespace AscendC {
namespace detail {

/* x, y and z are numbers that are read where they are used, of the type uint32_t (anpucc compiles these sources with -fdeclspec). */
#define ASCENDC_NUMBER(name, value) \
	ASCENDC_FN uint32_t get_##name() const { return value; } \
	__declspec(property(get = get_##name)) uint32_t name;
struct ThreadIndex {
	ASCENDC_NUMBER(x, anpu_thread_x())
	ASCENDC_NUMBER(y, anpu_thread_y())
	ASCENDC_NUMBER(z, anpu_thread_z())
};

struct ThreadCount {
	ASCENDC_NUMBER(x, state()->thread_dim[0])
	ASCENDC_NUMBER(y, state()->thread_dim[1])
	ASCENDC_NUMBER(z, state()->thread_dim[2])
};

struct BlockIndex {
	ASCENDC_NUMBER(x, static_cast<uint32_t>(GetBlockIdx()))
	ASCENDC_NUMBER(y, 0)
	ASCENDC_NUMBER(z, 0)
};

struct BlockCount {
	ASCENDC_NUMBER(x, static_cast<uint32_t>(GetBlockNum()))
	ASCENDC_NUMBER(y, 1)
	ASCENDC_NUMBER(z, 1)
};
#undef ASCENDC_NUMBER

} // namespace detail
} // namespace AscendC

[[maybe_unused]] static constexpr AscendC::detail::ThreadIndex threadIdx = {};
[[maybe_unused]] static constexpr AscendC::detail::ThreadCount blockDim = {};
[[maybe_unused]] static constexpr AscendC::detail::BlockIndex blockIdx = {};
[[maybe_unused]] static constexpr AscendC::detail::BlockCount gridDim = {};
[[maybe_unused]] static constexpr int32_t warpSize = ANPU_WARP_SIZE;

ASCENDC_FN void asc_syncthreads()
{
	AscendC::Simt::ThreadBarrier();
}

ASCENDC_FN void __sync_workitems()
{
	AscendC::Simt::ThreadBarrier();
}

ASCENDC_FN void asc_threadfence()
{
	AscendC::Simt::ThreadFence();
}

ASCENDC_FN void asc_threadfence_block()
{
	AscendC::Simt::ThreadFence();
}

/* CUDA's own names of them, which sources that came from there have left */
ASCENDC_FN void __threadfence()
{
	AscendC::Simt::ThreadFence();
}

ASCENDC_FN void __threadfence_block()
{
	AscendC::Simt::ThreadFence();
}

#define ASCENDC_ASC_ATOMIC(name, function) \
	template <class T, class... V> ASCENDC_FN T asc_atomic_##name(volatile T *p, V... v) \
	{ \
		return AscendC::Simt::function(p, v...); \
	}
ASCENDC_ASC_ATOMIC(add, AtomicAdd)
ASCENDC_ASC_ATOMIC(sub, AtomicSub)
ASCENDC_ASC_ATOMIC(exch, AtomicExch)
ASCENDC_ASC_ATOMIC(max, AtomicMax)
ASCENDC_ASC_ATOMIC(min, AtomicMin)
ASCENDC_ASC_ATOMIC(inc, AtomicInc)
ASCENDC_ASC_ATOMIC(dec, AtomicDec)
ASCENDC_ASC_ATOMIC(cas, AtomicCas)
ASCENDC_ASC_ATOMIC(and, AtomicAnd)
ASCENDC_ASC_ATOMIC(or, AtomicOr)
ASCENDC_ASC_ATOMIC(xor, AtomicXor)
#undef ASCENDC_ASC_ATOMIC

#define ASCENDC_ASC_WARP(name, function) \
	template <class T, class... V> ASCENDC_FN auto asc_##name(T v, V... more) \
	{ \
		return AscendC::Simt::function(v, more...); \
	}
#define ASCENDC_SHORT_WARP(name, function) \
	template <class T, class... V> ASCENDC_FN auto name(T v, V... more) \
	{ \
		return AscendC::Simt::function(v, more...); \
	}
ASCENDC_SHORT_WARP(__shfl, WarpShflSync)
ASCENDC_SHORT_WARP(__shfl_up, WarpShflUpSync)
ASCENDC_SHORT_WARP(__shfl_down, WarpShflDownSync)
ASCENDC_SHORT_WARP(__shfl_xor, WarpShflXorSync)
ASCENDC_SHORT_WARP(__ballot, WarpBallotSync)
ASCENDC_SHORT_WARP(__any, WarpAnySync)
ASCENDC_SHORT_WARP(__all, WarpAllSync)
ASCENDC_SHORT_WARP(__reduce_add, WarpReduceAddSync)
ASCENDC_SHORT_WARP(__reduce_max, WarpReduceMaxSync)
ASCENDC_SHORT_WARP(__reduce_min, WarpReduceMinSync)
#undef ASCENDC_SHORT_WARP
ASCENDC_ASC_WARP(shfl, WarpShflSync)
ASCENDC_ASC_WARP(shfl_up, WarpShflUpSync)
ASCENDC_ASC_WARP(shfl_down, WarpShflDownSync)
ASCENDC_ASC_WARP(shfl_xor, WarpShflXorSync)
ASCENDC_ASC_WARP(all, WarpAllSync)
ASCENDC_ASC_WARP(any, WarpAnySync)
ASCENDC_ASC_WARP(ballot, WarpBallotSync)
ASCENDC_ASC_WARP(reduce_add, WarpReduceAddSync)
ASCENDC_ASC_WARP(reduce_max, WarpReduceMaxSync)
ASCENDC_ASC_WARP(reduce_min, WarpReduceMinSync)
#undef ASCENDC_ASC_WARP

ASCENDC_FN uint32_t asc_activemask()
{
	return AscendC::Simt::WarpActiveMaskSync();
}

/* Loads and stores with a hint for caches that this core does not have */
#define ASCENDC_ASC_CACHED(load, store) \
	template <class T> ASCENDC_FN T asc_##load(const T *p) { return *p; } \
	template <class T> ASCENDC_FN void asc_##store(T *p, T v) { *p = v; }
ASCENDC_ASC_CACHED(ldca, stcg)
ASCENDC_ASC_CACHED(ldcg, stwb)
ASCENDC_ASC_CACHED(ldcs, stcs)
ASCENDC_ASC_CACHED(ldcv, stwt)
#undef ASCENDC_ASC_CACHED

#endif
