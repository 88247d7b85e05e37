/* SPDX-License-Identifier: MIT */
/*
 * CPU mode: a host program runs operators by ICPU_RUN_KF(). Operators are compiled for the AI core in this mode, too, and
 * run on the device model in the program's process (Documentation/cpu-mode.md).
 */
#ifndef ASCENDC_TIKICPULIB_H
#define ASCENDC_TIKICPULIB_H

#include <stddef.h>
#include <stdint.h>

#if defined(__riscv) || defined(__ANPU_HOST__)
#include "kernel_operator.h"
#else
#include "cpu/words.h"
#endif

#include "cpu/calls.h"

/** enum KernelMode - on which units an operator runs. The operator's own declaration decides that here, as on the NPU. */
enum class KernelMode {
	MIX_MODE = 0,
	AIC_MODE,
	AIV_MODE,
	MIX_AIC_1_1,
	MIX_AIV_1_0,
	MIX_AIC_1_0,
};

namespace AscendC {

inline void SetKernelMode(KernelMode)
{
}

inline void *GmAlloc(size_t size)
{
	return anpu_cpu_alloc(size);
}

inline void GmFree(void *ptr)
{
	anpu_cpu_free(ptr);
}

} // namespace AscendC

#define ICPU_SET_TILING_KEY(key)	anpu_cpu_tiling_key(key)

/* The operator runs when its function is called: by a function with the kernel's name that anpucc has made, or where the
 * kernel stands in this file by <<<>>>, with 0 blocks for those that anpu_cpu_begin() was told. In code for the AI core the call is left out, but the kernel is compiled. */
#if defined(__riscv)
template <class... A> inline void anpu_cpu_no_call(A &&...)
{
}
#define ICPU_RUN_KF(func, blocks, ...)	((void)&func, anpu_cpu_no_call(__VA_ARGS__))
#elif defined(__CUDA__)
#define ICPU_RUN_KF(func, blocks, ...) \
	do { \
		anpu_cpu_begin(#func, blocks, __FILE__, __LINE__); \
		func<<<0, nullptr, nullptr>>>(__VA_ARGS__); \
		anpu_cpu_end(); \
	} while (0)
#else
#define ICPU_RUN_KF(func, blocks, ...) \
	do { \
		anpu_cpu_begin(#func, blocks, __FILE__, __LINE__); \
		func(__VA_ARGS__); \
		anpu_cpu_end(); \
	} while (0)
#endif

#endif
