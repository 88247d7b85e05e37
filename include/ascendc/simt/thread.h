/* SPDX-License-Identifier: MIT */
/* Functions of a thread: its place, barriers, atomic operations, its warp, small functions of numbers. */
#ifndef ASCENDC_SIMT_THREAD_H
#define ASCENDC_SIMT_THREAD_H

#include <math.h>

#include "../core/where.h"
#include "call.h"

namespace AscendC {
namespace detail {

/* A value of up to 8 bytes as the bits of a register, and back */
template <class T> ASCENDC_FN uint64_t lane_bits(T v)
{
	uint64_t bits = 0;

	static_assert(sizeof(T) <= 8, "AscendC::Simt: values of up to 8 bytes can be exchanged in a warp");
	__builtin_memcpy(&bits, &v, sizeof(T));
	return bits;
}

template <class T> ASCENDC_FN T lane_value(uint64_t bits)
{
	T v;

	__builtin_memcpy(&v, &bits, sizeof(T));
	return v;
}

/* These name no lanes: the ones that have come here together */
ASCENDC_FN uint32_t lanes()
{
	return static_cast<uint32_t>(anpu_thread_ACTIVE(0, 0));
}

template <class T> ASCENDC_FN T shuffle(T v, int mode, uint32_t lane, int32_t width)
{
	return lane_value<T>(anpu_thread_SHFL(ANPU_SHFL(lanes(), mode, lane, width), lane_bits(v)));
}

ASCENDC_FN uint64_t vote(int mode, uint64_t value)
{
	return anpu_thread_VOTE(ANPU_WARP(lanes(), mode), value);
}

/* The word of 4 bytes in which an element of 1 or 2 lies: atomic operations have words */
template <class T, class F> ASCENDC_FN T update(volatile T *p, F next)
{
	if constexpr (sizeof(T) >= 4) {
		using U = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
		volatile U *word = reinterpret_cast<volatile U *>(p);
		U old = *word;

		while (true) {
			U fresh = __builtin_bit_cast(U, static_cast<T>(next(__builtin_bit_cast(T, old))));

			if (__atomic_compare_exchange_n(word, &old, fresh, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
				return __builtin_bit_cast(T, old);
		}
	} else {
		uintptr_t at = reinterpret_cast<uintptr_t>(p);
		volatile uint32_t *word = reinterpret_cast<volatile uint32_t *>(at & ~uintptr_t(3));
		uint32_t shift = (at & 3) * 8, mask = ((1u << sizeof(T) * 8) - 1) << shift, old = *word;
		using U = std::conditional_t<sizeof(T) == 2, uint16_t, uint8_t>;

		while (true) {
			T now = __builtin_bit_cast(T, static_cast<U>(old >> shift));
			uint32_t bits = __builtin_bit_cast(U, static_cast<T>(next(now)));

			if (__atomic_compare_exchange_n(word, &old, (old & ~mask) | bits << shift, false,
							__ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
				return now;
		}
	}
}

template <class T> inline constexpr bool is_word =
	std::is_integral_v<T> && (sizeof(T) == 4 || sizeof(T) == 8);

} // namespace detail

namespace Simt {

ASCENDC_FN int32_t GetWarpSize()
{
	return ANPU_WARP_SIZE;
}

/** GetThreadNum() - threads of this VF call in one axis: 0 is x */
template <int32_t axis = 0> ASCENDC_FN int32_t GetThreadNum()
{
	static_assert(axis >= 0 && axis < 3, "AscendC::Simt::GetThreadNum: the axes are 0, 1 and 2");
	return static_cast<int32_t>(detail::state()->thread_dim[axis]);
}

template <int32_t axis = 0> ASCENDC_FN int32_t GetThreadIdx()
{
	static_assert(axis >= 0 && axis < 3, "AscendC::Simt::GetThreadIdx: the axes are 0, 1 and 2");
	return axis == 0 ? anpu_thread_x() : axis == 1 ? anpu_thread_y() : anpu_thread_z();
}

ASCENDC_FN int32_t GetBlockIdx()
{
	return static_cast<int32_t>(AscendC::GetBlockIdx());
}

ASCENDC_FN int32_t GetBlockNum()
{
	return static_cast<int32_t>(AscendC::GetBlockNum());
}

/** GetLaneId() - the thread's number in its warp */
ASCENDC_FN int32_t GetLaneId()
{
	const uint32_t *dim = detail::state()->thread_dim;

	return (anpu_thread_x() + dim[0] * (anpu_thread_y() + dim[1] * anpu_thread_z())) % ANPU_WARP_SIZE;
}

/** ThreadBarrier() - waits until all threads of the VF call are here */
ASCENDC_FN void ThreadBarrier()
{
	anpu_thread_BAR(ANPU_BAR(0, ANPU_BAR_SYNC, 0), 0);
}

ASCENDC_FN void ThreadFence()
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/* Atomic operations on global memory and UB; each returns the old value. */
template <class T, class V> ASCENDC_FN T AtomicAdd(volatile T *p, V value)
{
	T v = static_cast<T>(value);

	if constexpr (detail::is_word<T>)
		return __atomic_fetch_add(p, v, __ATOMIC_SEQ_CST);
	else if constexpr (std::is_same_v<T, float>)
		return __builtin_bit_cast(float, static_cast<uint32_t>(anpu_amo_FADD_S(p, __builtin_bit_cast(uint32_t, v))));
	else
		return detail::update(p, [v](T old) { return old + v; });
}

template <class T, class V> ASCENDC_FN T AtomicSub(volatile T *p, V value)
{
	T v = static_cast<T>(value);

	if constexpr (detail::is_word<T>)
		return __atomic_fetch_sub(p, v, __ATOMIC_SEQ_CST);
	else
		return detail::update(p, [v](T old) { return old - v; });
}

template <class T, class V> ASCENDC_FN T AtomicMax(volatile T *p, V value)
{
	T v = static_cast<T>(value);

	return detail::update(p, [v](T old) { return old < v ? v : old; });
}

template <class T, class V> ASCENDC_FN T AtomicMin(volatile T *p, V value)
{
	T v = static_cast<T>(value);

	return detail::update(p, [v](T old) { return v < old ? v : old; });
}

template <class T, class V> ASCENDC_FN T AtomicExch(volatile T *p, V value)
{
	T v = static_cast<T>(value);

	return detail::update(p, [v](T) { return v; });
}

template <class T, class V, class W> ASCENDC_FN T AtomicCas(volatile T *p, V compare, W value)
{
	T c = static_cast<T>(compare), v = static_cast<T>(value);

	return detail::update(p, [c, v](T old) { return old == c ? v : old; });
}

template <class T, class V> ASCENDC_FN T AtomicInc(volatile T *p, V limit)
{
	T v = static_cast<T>(limit);

	return detail::update(p, [v](T old) { return old >= v ? T(0) : T(old + 1); });
}

template <class T, class V> ASCENDC_FN T AtomicDec(volatile T *p, V limit)
{
	T v = static_cast<T>(limit);

	return detail::update(p, [v](T old) { return old == T(0) || old > v ? v : T(old - 1); });
}

#define ASCENDC_ATOMIC_BITS(name, op) \
	template <class T, class V> ASCENDC_FN T name(volatile T *p, V value) \
	{ \
		T v = static_cast<T>(value); \
		return detail::update(p, [v](T old) { return T(old op v); }); \
	}
ASCENDC_ATOMIC_BITS(AtomicAnd, &)
ASCENDC_ATOMIC_BITS(AtomicOr, |)
ASCENDC_ATOMIC_BITS(AtomicXor, ^)
#undef ASCENDC_ATOMIC_BITS

/* Among the threads of a warp that have come to the same operation together */
template <class T> ASCENDC_FN T WarpShflSync(T v, int32_t lane, int32_t width = 32)
{
	return detail::shuffle(v, ANPU_SHFL_IDX, static_cast<uint32_t>(lane) & 31, width);
}

template <class T> ASCENDC_FN T WarpShflUpSync(T v, uint32_t distance, int32_t width = 32)
{
	return detail::shuffle(v, ANPU_SHFL_UP, distance, width);
}

template <class T> ASCENDC_FN T WarpShflDownSync(T v, uint32_t distance, int32_t width = 32)
{
	return detail::shuffle(v, ANPU_SHFL_DOWN, distance, width);
}

template <class T> ASCENDC_FN T WarpShflXorSync(T v, int32_t mask, int32_t width = 32)
{
	return detail::shuffle(v, ANPU_SHFL_XOR, static_cast<uint32_t>(mask), width);
}

ASCENDC_FN int32_t WarpAllSync(int32_t predicate)
{
	return static_cast<int32_t>(detail::vote(ANPU_VOTE_ALL, predicate != 0));
}

ASCENDC_FN int32_t WarpAnySync(int32_t predicate)
{
	return static_cast<int32_t>(detail::vote(ANPU_VOTE_ANY, predicate != 0));
}

ASCENDC_FN uint32_t WarpBallotSync(int32_t predicate)
{
	return static_cast<uint32_t>(detail::vote(ANPU_VOTE_BALLOT, predicate != 0));
}

ASCENDC_FN uint32_t WarpActiveMaskSync()
{
	return detail::lanes();
}

/** WarpReduceAddSync() and others - the values of all lanes combined, in the order of the lanes; for each of them */
#define ASCENDC_WARP_REDUCE(name, combine) \
	template <class T> ASCENDC_FN T name(T v) \
	{ \
		uint32_t left = detail::lanes(), all = left; \
		T sum = v; \
		for (bool first = true; left; left &= left - 1, first = false) { \
			T other = detail::lane_value<T>(anpu_thread_SHFL( \
				ANPU_SHFL(all, ANPU_SHFL_IDX, __builtin_ctz(left), 32), detail::lane_bits(v))); \
			sum = first ? other : static_cast<T>(combine); \
		} \
		return sum; \
	}
ASCENDC_WARP_REDUCE(WarpReduceAddSync, sum + other)
ASCENDC_WARP_REDUCE(WarpReduceMaxSync, sum < other ? other : sum)
ASCENDC_WARP_REDUCE(WarpReduceMinSync, other < sum ? other : sum)
#undef ASCENDC_WARP_REDUCE

/** UintDiv() - division by the divisor of GetUintDivMagicAndShift() */
template <class T, class M, class S> ASCENDC_FN T UintDiv(T dividend, M magic, S shift)
{
	using U = std::make_unsigned_t<T>;
	using Wide = std::conditional_t<sizeof(T) == 8, unsigned __int128, uint64_t>;
	Wide high = Wide(U(dividend)) * U(magic) >> sizeof(T) * 8;

	return static_cast<T>((high + U(dividend)) >> static_cast<uint32_t>(shift));
}

template <class T> ASCENDC_FN T Abs(T v) { return v < T(0) ? T(-v) : v; }
template <class T> ASCENDC_FN T Min(T a, T b) { return b < a ? b : a; }
template <class T> ASCENDC_FN T Max(T a, T b) { return a < b ? b : a; }
template <class T> ASCENDC_FN bool IsNan(T v) { return __builtin_isnan(static_cast<float>(v)); }
template <class T> ASCENDC_FN bool IsInf(T v) { return __builtin_isinf(static_cast<float>(v)); }
template <class T> ASCENDC_FN bool IsFinite(T v) { return __builtin_isfinite(static_cast<float>(v)); }

/* Bits of integers of 32 and 64 bits: how many are set, the first one that is (from 1, 0 for none), zeros in front */
template <class T> constexpr ASCENDC_FN int32_t Popc(T v)
{
	return __builtin_popcountll(static_cast<std::make_unsigned_t<T>>(v));
}

template <class T> constexpr ASCENDC_FN int32_t Ffs(T v)
{
	return __builtin_ffsll(static_cast<int64_t>(static_cast<std::make_unsigned_t<T>>(v)));
}

template <class T> constexpr ASCENDC_FN int32_t Clz(T v)
{
	return v == T(0) ? int32_t(sizeof(T) * 8) :
	       __builtin_clzll(static_cast<std::make_unsigned_t<T>>(v)) - int32_t(64 - sizeof(T) * 8);
}

/* Functions of libm, computed in float */
#define ASCENDC_THREAD_MATH(name, function) \
	template <class T> ASCENDC_FN T name(T v) { return static_cast<T>(function(static_cast<float>(v))); }
ASCENDC_THREAD_MATH(Sqrt, __builtin_sqrtf)
ASCENDC_THREAD_MATH(Exp, ::expf)
ASCENDC_THREAD_MATH(Log, ::logf)
ASCENDC_THREAD_MATH(Log2, ::log2f)
ASCENDC_THREAD_MATH(Sin, ::sinf)
ASCENDC_THREAD_MATH(Cos, ::cosf)
ASCENDC_THREAD_MATH(Tan, ::tanf)
ASCENDC_THREAD_MATH(Tanh, ::tanhf)
ASCENDC_THREAD_MATH(Floor, ::floorf)
ASCENDC_THREAD_MATH(Ceil, ::ceilf)
ASCENDC_THREAD_MATH(Round, ::roundf)
ASCENDC_THREAD_MATH(Rint, ::rintf)
ASCENDC_THREAD_MATH(Trunc, ::truncf)
#undef ASCENDC_THREAD_MATH
template <class T> ASCENDC_FN T Pow(T base, T exponent)
{
	return static_cast<T>(::powf(static_cast<float>(base), static_cast<float>(exponent)));
}

} // namespace Simt

/** GetUintDivMagicAndShift() - what UintDiv() needs for a divisor that is not 0 */
template <class T> ASCENDC_FN void GetUintDivMagicAndShift(T &magic, T &shift, T divisor)
{
	using U = std::make_unsigned_t<T>;
	using Wide = std::conditional_t<sizeof(T) == 8, unsigned __int128, uint64_t>;
	uint32_t bits = 0;

	while (bits < sizeof(T) * 8 && (Wide(1) << bits) < Wide(U(divisor)))
		bits++;
	magic = static_cast<T>(((Wide(1) << sizeof(T) * 8) * ((Wide(1) << bits) - U(divisor))) / U(divisor) + 1);
	shift = static_cast<T>(bits);
}

} // namespace AscendC

#endif
