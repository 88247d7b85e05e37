/* SPDX-License-Identifier: MIT */
/*
 * Kernels as CUDA programmers write them. anpucc includes this in front of every source NAME.cu; the
 * names and meanings are those of the public CUDA C++ documentation, the text is ours.
 * Documentation/simt.md says what is there.
 */
#pragma once

#include <anpu/threads.h>

#include <assert.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * Sources ask by these names for a compiler that knows kernels, and for the code of the device. anpucc -arch=sm_XX gives
 * __CUDA_ARCH__ another number; without it the number is what cuDeviceGetAttribute() tells of the compute capability.
 */
#define __CUDACC__ 1
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 4
#define CUDART_VERSION 12040
#ifndef __CUDA_ARCH__
#define __CUDA_ARCH__ 900
#endif

#define __global__	ANPU_KERNEL_ATTR
#define __device__
#define __host__
/* programs write it, so a static one, too, is no constant for the compiler; anpucc does the same for static __device__ variables */
#define __constant__	__attribute__((used))
#define __managed__	__attribute__((section(ANPU_MANAGED_SECTION), used))
#ifndef ANPU_KEEP_WORDS /* anpucc preprocesses a source whose headers have words that it has to change */
#define __shared__	static __thread
#define __align__(n)	__attribute__((aligned(n)))
#define __cluster_dims__(...)	anpu_cluster_dims_of_a_header
#else
#define __cluster_dims__(...)	__cluster_dims__(ANPU_CLUSTER_DIMS(__VA_ARGS__);)
#endif
#define __forceinline__	inline __attribute__((always_inline))
#define __noinline__	__attribute__((noinline))
#define __launch_bounds__(...)
#define __grid_constant__
/* anpucc puts ANPU_CLUSTER_DIMS(x, y, z) into the body of a kernel that has __cluster_dims__(x, y, z) */
static constexpr unsigned int anpu_cluster(unsigned int x, unsigned int y = 1, unsigned int z = 1)
{
	return x && y && z && x <= 16 && y <= 16 && z <= 16 && x * y * z <= 16 ? x | y << 8 | z << 16 : 0;
}
#define ANPU_CLUSTER_DIMS(...) \
	static_assert(anpu_cluster(__VA_ARGS__) != 0, "__cluster_dims__: a cluster has 1 to 16 blocks"); \
	enum { anpu_cluster_dims = anpu_cluster(__VA_ARGS__) }; \
	ANPU_KERNEL_META(ANPU_META_CLUSTER, anpu_cluster_dims)
#define __inline_hint__	inline
#define __builtin_align__(n)	__align__(n)
#define __device_builtin__
#define __cudart_builtin__
#define __maxnreg__(...)
#define warpSize	((int)ANPU_WARP_SIZE)
#define printf		anpu_printf

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef long clock_t;

/* an object at a place that the kernel has; device/heap.h has the other forms */
inline void *operator new(size_t, void *place) noexcept { return place; }
inline void *operator new[](size_t, void *place) noexcept { return place; }

#include "math_constants.h"
#include "device/vector_types.h"
#include "device/index.h"
#include "device/atomic.h"
#include "device/warp.h"
#include "device/bits.h"
#include "device/functions.h"
#include "device/rounding.h"
#include "device/parts.h"
#include "device/extremes.h"
#include "device/absent.h"
#include "device/heap.h"
#include "device/graph.h"
