/* SPDX-License-Identifier: MIT */
/*
 * Types of one to four numbers and dim3, for host programs that share structures with kernels. Names and layouts are
 * those of kernels (anpu/cudart/device/vector_types.h). The functions of CUDA's runtime API do not exist here.
 */
#ifndef ANPU_CUDA_VECTOR_TYPES_H
#define ANPU_CUDA_VECTOR_TYPES_H

#include <stdint.h>

#if defined(__cplusplus) && __cplusplus >= 201103L
#define ANPU_VECTOR_ALIGN(n) alignas(n)
#else
#define ANPU_VECTOR_ALIGN(n) __attribute__((aligned(n)))
#endif

#define ANPU_VECTORS(type, name, align2, align4) \
	struct name##1 { type x; }; \
	struct ANPU_VECTOR_ALIGN(align2) name##2 { type x, y; }; \
	struct name##3 { type x, y, z; }; \
	struct ANPU_VECTOR_ALIGN(align4) name##4 { type x, y, z, w; }; \
	typedef struct name##1 name##1; \
	typedef struct name##2 name##2; \
	typedef struct name##3 name##3; \
	typedef struct name##4 name##4;

ANPU_VECTORS(signed char, char, 2, 4)
ANPU_VECTORS(unsigned char, uchar, 2, 4)
ANPU_VECTORS(short, short, 4, 8)
ANPU_VECTORS(unsigned short, ushort, 4, 8)
ANPU_VECTORS(int, int, 8, 16)
ANPU_VECTORS(unsigned int, uint, 8, 16)
ANPU_VECTORS(long, long, 16, 16)
ANPU_VECTORS(unsigned long, ulong, 16, 16)
ANPU_VECTORS(long long, longlong, 16, 16)
ANPU_VECTORS(unsigned long long, ulonglong, 16, 16)
ANPU_VECTORS(float, float, 8, 16)
ANPU_VECTORS(double, double, 16, 16)
#undef ANPU_VECTORS

#ifndef ACL_DIM3_DEFINED /* acl/acl.h has it, too */
#define ACL_DIM3_DEFINED
/* Extent of a grid or of a block; what a C++ program leaves out is 1 */
typedef struct dim3 {
	uint32_t x;
	uint32_t y;
	uint32_t z;
#ifdef __cplusplus
#if __cplusplus >= 201103L
	constexpr
#endif
	dim3(uint32_t xx = 1, uint32_t yy = 1, uint32_t zz = 1) : x(xx), y(yy), z(zz)
	{
	}
#endif
} dim3;
#endif

#endif /* ANPU_CUDA_VECTOR_TYPES_H */
