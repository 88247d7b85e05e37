/* SPDX-License-Identifier: MIT */
/*
 * Every header of Ascend C needs these: address-space words, the attribute of its functions, scalar
 * types, and the number that the AI core has for each type.
 */
#ifndef ASCENDC_CORE_BASE_H
#define ASCENDC_CORE_BASE_H

#ifndef __cplusplus
#error "kernel_operator.h is C++; operators in C include <anpu/anpu_intrin.h>"
#endif

#include <stddef.h>
#include <stdint.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <tuple>
#include <utility>

#include <anpu/anpu_intrin.h>

#define __global__	ANPU_KERNEL_ATTR
#define __aicore__	/* code of an operator is always for the AI core */
#ifndef __forceinline__
#define __forceinline__	__attribute__((always_inline))
#endif
#define __inout_pipe__(...)
#define __in_pipe__(...)
#define __out_pipe__(...)
#define __cube__
#define __vector__
#define __mix__(...)
/*
 * A variable that each block has for itself, zero when it begins: thread-local storage of the block, to which anpucc
 * lets tp point behind the state (state.h). Debuggers do not find it.
 */
#define __BLOCK_LOCAL__	__attribute__((nodebug, section(".tbss.anpu_block"))) thread_local
#define __gm__		/* global memory, scratchpads and stack share one address space */
#define __ubuf__
#define __cbuf__
#define __ca__
#define __cb__
#define __cc__
#define __fbuf__
#define __biasbuf__
#define __ssbuf__
#define __kfc_workspace__
#define __workspace__

/* Bytes of UB in the generation that a source is compiled for. The window has those of the largest one. */
#if defined(__NPU_ARCH__) && __NPU_ARCH__ >= 3510
#define ASCENDC_UB_BYTES	ANPU_UB_3510
#elif defined(__NPU_ARCH__) && __NPU_ARCH__ == 2002
#define ASCENDC_UB_BYTES	ANPU_UB_2002
#else
#define ASCENDC_UB_BYTES	ANPU_UB_2201
#endif

/* nodebug: a fault in a function of these headers names the line of the operator that called it */
#define ASCENDC_FN	inline __attribute__((always_inline, nodebug))

#define ASCENDC_UNSUPPORTED(name, why) \
	static_assert(AscendC::detail::no<T>, "AscendC::" name " is not supported here: " why)

#ifndef GM_ADDR
#define GM_ADDR __gm__ uint8_t*	/* a macro, because operators define it for themselves, too */
#endif
typedef _Float16 half;
typedef half float16_t;
typedef float float32_t;
typedef double float64_t;

#include "bfloat16.h"
#include "float8.h"

namespace AscendC {

/* The library's own <utility> and <type_traits>: std's, with some names of its own */
namespace Std {
using namespace ::std;
template <class A, class B> using IsSame = is_same<A, B>;
template <class A, class B> using IsConvertible = is_convertible<A, B>;
template <bool c, class T = void> using EnableIf = enable_if<c, T>;
template <class T, class... Others> struct is_one_of : bool_constant<(is_same_v<T, Others> || ...)> {};
template <class T, class... Others> inline constexpr bool is_one_of_v = is_one_of<T, Others...>::value;
#if __cplusplus < 202002L
template <class T> struct remove_cvref { using type = remove_cv_t<remove_reference_t<T>>; };
template <class T> using remove_cvref_t = typename remove_cvref<T>::type;
#endif
template <class T> struct is_tuple : false_type {};
template <class... T> struct is_tuple<tuple<T...>> : true_type {};
template <class T> inline constexpr bool is_tuple_v = is_tuple<T>::value;
template <class T> struct is_integral_constant : false_type {};
template <class T, T value> struct is_integral_constant<integral_constant<T, value>> : true_type {};
template <class T> inline constexpr bool is_integral_constant_v = is_integral_constant<T>::value;
} // namespace Std
using ::half;
using ::bfloat16_t;

/** struct int4x2_t - two signed integers of 4 bits in a byte */
struct int4x2_t {
	uint8_t bits;
};

/** struct int4b_t - name of the 4-bit type; a tensor of n has n / 2 bytes */
struct int4b_t {
	uint8_t bits;
};

namespace detail {

template <class...> inline constexpr bool no = false;

/* The number of a type for the tile operations, -1 if they do not have it */
template <class T> inline constexpr int type_of = -1;
template <> inline constexpr int type_of<float> = ANPU_TYPE_F32;
template <> inline constexpr int type_of<half> = ANPU_TYPE_F16;
template <> inline constexpr int type_of<bfloat16_t> = ANPU_TYPE_BF16;
template <> inline constexpr int type_of<int8_t> = ANPU_TYPE_S8;
template <> inline constexpr int type_of<char> = ANPU_TYPE_S8;
template <> inline constexpr int type_of<uint8_t> = ANPU_TYPE_U8;
template <> inline constexpr int type_of<bool> = ANPU_TYPE_U8;
template <> inline constexpr int type_of<int16_t> = ANPU_TYPE_S16;
template <> inline constexpr int type_of<uint16_t> = ANPU_TYPE_U16;
template <> inline constexpr int type_of<int32_t> = ANPU_TYPE_S32;
template <> inline constexpr int type_of<uint32_t> = ANPU_TYPE_U32;
template <> inline constexpr int type_of<int64_t> = ANPU_TYPE_S64;
template <> inline constexpr int type_of<uint64_t> = ANPU_TYPE_U64;
template <> inline constexpr int type_of<long long> = ANPU_TYPE_S64;
template <> inline constexpr int type_of<unsigned long long> = ANPU_TYPE_U64;
template <> inline constexpr int type_of<int4b_t> = ANPU_TYPE_S4;

/* Moves of bits go by the size of a type alone */
template <class T>
inline constexpr int bits_type =
	sizeof(T) == 1 ? ANPU_TYPE_U8 : sizeof(T) == 2 ? ANPU_TYPE_U16 :
	sizeof(T) == 4 ? ANPU_TYPE_U32 : ANPU_TYPE_U64;

template <class T> inline constexpr bool is_float =
	std::is_same_v<T, float> || std::is_same_v<T, half> || std::is_same_v<T, bfloat16_t>;

/* The end of a kernel's UB: that of its generation, or where the part begins that the launch reserved */
ASCENDC_FN uint32_t ub_end()
{
	uint32_t end = static_cast<uint32_t>(anpu_ub_end());

	return end < ANPU_UB_BASE + ASCENDC_UB_BYTES ? end : ANPU_UB_BASE + ASCENDC_UB_BYTES;
}

/* Bytes that n elements of T take */
template <class T> constexpr ASCENDC_FN uint64_t bytes_of(uint64_t n)
{
	if constexpr (std::is_same_v<T, int4b_t>)
		return n / 2;
	else
		return n * sizeof(T);
}

/* Elements of T in n bytes */
template <class T> constexpr ASCENDC_FN uint64_t elements_in(uint64_t bytes)
{
	if constexpr (std::is_same_v<T, int4b_t>)
		return bytes * 2;
	else
		return bytes / sizeof(T);
}

/* The bits of a scalar operand */
template <class T> ASCENDC_FN uint64_t scalar_bits(T value)
{
	if constexpr (sizeof(T) == 8)
		return __builtin_bit_cast(uint64_t, value);
	else if constexpr (sizeof(T) == 4)
		return __builtin_bit_cast(uint32_t, value);
	else if constexpr (sizeof(T) == 2)
		return __builtin_bit_cast(uint16_t, value);
	else
		return __builtin_bit_cast(uint8_t, value);
}

} // namespace detail

/** ONE_BLK_SIZE and others - sizes of the vector unit in bytes */
constexpr uint32_t ONE_BLK_SIZE = 32;
/* words of fp32 */
constexpr uint32_t F32_INF = 0x7f800000;
constexpr uint32_t F32_NEG_INF = 0xff800000;
constexpr uint32_t F32_NAN = 0x7fc00000;
constexpr uint16_t ONE_BYTE_BIT_SIZE = 8;
constexpr uint32_t ONE_REPEAT_BYTE_SIZE = 256;
constexpr int32_t ONE_REPEAT_FLOAT_SIZE = 64;
constexpr int32_t ONE_REPEAT_HALF_SIZE = 128;
constexpr int32_t ONE_BLK_FLOAT_NUM = 8;
constexpr int32_t ONE_BLK_HALF_NUM = 16;
constexpr int32_t BLK_NUM_PER_REP = 8;
constexpr int32_t B8_BYTE_SIZE = 1;
constexpr int32_t B16_BYTE_SIZE = 2;
constexpr int32_t B32_BYTE_SIZE = 4;
constexpr int32_t B64_BYTE_SIZE = 8;
constexpr int32_t B8_DATA_NUM_PER_BLOCK = 32;
constexpr int32_t B16_DATA_NUM_PER_BLOCK = 16;
constexpr int32_t B32_DATA_NUM_PER_BLOCK = 8;
constexpr int32_t B64_DATA_NUM_PER_BLOCK = 4;
constexpr int32_t B8_DATA_NUM_PER_REPEAT = 256;
constexpr int32_t B16_DATA_NUM_PER_REPEAT = 128;
constexpr int32_t B32_DATA_NUM_PER_REPEAT = 64;
constexpr int32_t B64_DATA_NUM_PER_REPEAT = 32;
constexpr int32_t DEFAULT_BLK_NUM = 8;
constexpr int32_t DEFAULT_BLK_SIZE = 256;
constexpr int32_t DEFAULT_BLOCK_SIZE = 256;
constexpr int32_t DEFAULT_C0_SIZE = 32;
constexpr uint8_t DEFAULT_BLK_STRIDE = 1;
constexpr uint8_t DEFAULT_REPEAT_STRIDE = 8;
constexpr uint8_t HALF_DEFAULT_REPEAT_STRIDE = 4;
constexpr int32_t BLOCK_CUBE = 16;
constexpr int32_t CUBE_MAX_SIZE = 256;
constexpr int32_t BYTE_PER_FRACTAL = 512;
constexpr int32_t MAX_REPEAT_TIMES = 255;
constexpr uint64_t FULL_MASK = ~0ull;
constexpr uint64_t MASK_PLACEHOLDER = 0;
constexpr uint64_t MASK_PLACEHOLDER_LIST[2] = {0, 0};
constexpr uint32_t CACHE_LINE_SIZE = 64;
/* Numbers that operators take from here, too */
constexpr float PI = 3.14159265358979323846f;
constexpr uint32_t TWO = 2;
constexpr int32_t BRCB_BROADCAST_NUMBER = 8;
constexpr uint32_t TOTAL_VEC_LOCAL_SIZE = 184 * 1024;
constexpr int32_t TOTAL_UB_SIZE = ASCENDC_UB_BYTES;
constexpr int32_t TOTAL_L1_SIZE = ANPU_L1_SIZE;
constexpr int32_t TOTAL_L0A_SIZE = ANPU_L0A_SIZE;
constexpr int32_t TOTAL_L0B_SIZE = ANPU_L0B_SIZE;
constexpr int32_t TOTAL_L0C_SIZE = ANPU_L0C_SIZE;

template <class A, class B> struct IsSameType {
	static constexpr bool value = std::is_same_v<A, B>;
};

template <bool c, class A, class B> using Conditional = std::conditional<c, A, B>;

/** SizeOfBits - bits of an element */
template <class T> struct SizeOfBits {
	static constexpr int value = std::is_same_v<T, int4b_t> ? 4 : int(sizeof(T)) * 8;
};

template <class T> ASCENDC_FN constexpr uint32_t GetDataBlockSizeInBytes()
{
	return ONE_BLK_SIZE;
}

ASCENDC_FN constexpr uint32_t GetDataBlockSizeInBytes()
{
	return ONE_BLK_SIZE;
}

} // namespace AscendC

/* Sources of the library's first releases use its former name */
namespace tik2 {
using namespace AscendC;
}

#endif
