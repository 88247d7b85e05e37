/* SPDX-License-Identifier: MIT */
/* printf, DumpTensor, assert and trap. */
#ifndef ASCENDC_CORE_DEBUG_H
#define ASCENDC_CORE_DEBUG_H

#include "tensor.h"

namespace AscendC {

namespace detail {

/* An argument in the type in which printf() takes it: formats have no letter for half and bfloat16_t */
template <class T> ASCENDC_FN auto printable(T value)
{
	if constexpr (std::is_same_v<T, half> || std::is_same_v<T, bfloat16_t>)
		return static_cast<double>(static_cast<float>(value));
	else
		return value;
}

template <class... Args> ASCENDC_FN void print(const char *format, Args... args)
{
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wformat-security"
#pragma clang diagnostic ignored "-Wformat-nonliteral"
	anpu_printf(format, printable(args)...);
#pragma clang diagnostic pop
}

/* Elements as text, 16 in a line */
template <class T> __attribute__((noinline)) void dump(const volatile T *from, uint32_t desc, uint32_t count,
						       const char *where)
{
	anpu_printf("DumpTensor: desc=%u, position=%s, elements=%u, block %u\n", desc, where, count,
		    anpu_block_idx());
	for (uint32_t i = 0; i < count; i++) {
		const char *end = i % 16 == 15 || i + 1 == count ? "\n" : " ";
		T value = const_cast<const T *>(from)[i];

		if constexpr (is_float<T>)
			anpu_printf("%f%s", static_cast<double>(static_cast<float>(value)), end);
		else if constexpr (std::is_integral_v<T> && std::is_signed_v<T>)
			anpu_printf("%lld%s", static_cast<long long>(value), end);
		else
			anpu_printf("%llu%s", static_cast<unsigned long long>(value), end);
	}
}

} // namespace detail

/** printf(), PRINTF() - to the host program */
template <class... Args> ASCENDC_FN void printf(const char *format, Args... args)
{
	detail::print(format, args...);
}

template <class... Args> ASCENDC_FN void PRINTF(const char *format, Args... args)
{
	detail::print(format, args...);
}

template <class T> ASCENDC_FN void DumpTensor(const LocalTensor<T> &tensor, uint32_t desc, uint32_t dumpSize)
{
	anpu_sys_PIPEBAR(ANPU_PIPE_ALL, 0);
	detail::dump(reinterpret_cast<const volatile T *>(uintptr_t(tensor.address)), desc, dumpSize, "scratchpad");
}

template <class T> ASCENDC_FN void DumpTensor(const GlobalTensor<T> &tensor, uint32_t desc, uint32_t dumpSize)
{
	anpu_sys_PIPEBAR(ANPU_PIPE_ALL, 0);
	detail::dump(static_cast<const volatile T *>(tensor.address_), desc, dumpSize, "GM");
}

template <class T> ASCENDC_FN void DumpAccChkPoint(const T &tensor, uint32_t index, uint32_t offset, uint32_t size)
{
	DumpTensor(tensor[offset], index, size);
}

template <class... Args> ASCENDC_FN void PrintTimeStamp(uint32_t id)
{
	anpu_printf("time stamp %u: %llu ns, block %u\n", id, static_cast<unsigned long long>(anpu_time_ns()),
		    anpu_block_idx());
}

ASCENDC_FN void Trap()
{
	anpu_trap("Trap()");
}

} // namespace AscendC

#ifndef __ANPU_HOST__
using AscendC::printf;	/* kernels call it without the namespace, too */

/** trap() - Trap() by the compiler's own name */
ASCENDC_FN void trap()
{
	AscendC::Trap();
}
#endif

/* assert(condition) or assert(condition, format, values...) */
#undef assert
#define ASCENDC_ASSERT_1(condition)	anpu_assert(condition)
#define ASCENDC_ASSERT_N(condition, ...) \
	((condition) ? (void)0 : (AscendC::detail::print(__VA_ARGS__), \
		anpu_assert_text(ANPU_ASSERT_TEXT(condition), sizeof(ANPU_ASSERT_TEXT(condition)) - 1)))
#define ASCENDC_PICK(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, \
		     a17, a18, a19, a20, a21, a22, a23, a24, a25, a26, a27, a28, a29, a30, a31, name, \
		     ...) name
#define assert(...) \
	ASCENDC_PICK(__VA_ARGS__, ASCENDC_ASSERT_N, ASCENDC_ASSERT_N, ASCENDC_ASSERT_N, \
		     ASCENDC_ASSERT_N, ASCENDC_ASSERT_N, ASCENDC_ASSERT_N, ASCENDC_ASSERT_N, \
		     ASCENDC_ASSERT_N, ASCENDC_ASSERT_N, ASCENDC_ASSERT_N, ASCENDC_ASSERT_N, \
		     ASCENDC_ASSERT_N, ASCENDC_ASSERT_N, ASCENDC_ASSERT_N, ASCENDC_ASSERT_N, \
		     ASCENDC_ASSERT_N, ASCENDC_ASSERT_N, ASCENDC_ASSERT_N, ASCENDC_ASSERT_N, \
		     ASCENDC_ASSERT_N, ASCENDC_ASSERT_N, ASCENDC_ASSERT_N, ASCENDC_ASSERT_N, \
		     ASCENDC_ASSERT_N, ASCENDC_ASSERT_N, ASCENDC_ASSERT_N, ASCENDC_ASSERT_N, \
		     ASCENDC_ASSERT_N, ASCENDC_ASSERT_N, ASCENDC_ASSERT_N, ASCENDC_ASSERT_1, )(__VA_ARGS__)
#define ascendc_assert(...)	assert(__VA_ARGS__)
#if defined(ASCENDC_CPU_DEBUG) || defined(__ANPU_HOST__)
#define ASSERT(...)		assert(__VA_ARGS__)
#define ASCENDC_ASSERT(condition, ...)	do { if (!(condition)) { __VA_ARGS__; } } while (0)
#else
/* Only CPU mode has them, and operators rely on that: one has ASSERT() behind a line without semicolon, one asserts names that do not exist */
#define ASSERT(...)
#define ASCENDC_ASSERT(...)
#endif
/* Errors are printed, as what an assertion says of itself often is one; the other levels are for CPU mode */
#define KERNEL_LOG(level, ...)	ASCENDC_LOG_##level(__VA_ARGS__)
#define ASCENDC_LOG_KERNEL_ERROR(...)	AscendC::detail::print(__VA_ARGS__)
#define ASCENDC_LOG_KERNEL_WARN(...)	static_cast<void>(0)
#define ASCENDC_LOG_KERNEL_INFO(...)	static_cast<void>(0)
#define ASCENDC_LOG_KERNEL_DEBUG(...)	static_cast<void>(0)
#define ASSERT_MSG(condition, ...)	ASCENDC_ASSERT_N(condition, __VA_ARGS__)

/* An instruction by its name there */
#ifndef __ANPU_HOST__
__asm__(".macro trap\n\tebreak\n.endm");
#endif

#endif
