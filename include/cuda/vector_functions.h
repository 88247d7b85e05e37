/* SPDX-License-Identifier: MIT */
/* make_float4() and its relatives for host programs. */
#ifndef ANPU_CUDA_VECTOR_FUNCTIONS_H
#define ANPU_CUDA_VECTOR_FUNCTIONS_H

#include "vector_types.h"

#define ANPU_VECTORS(type, name) \
	static inline name##1 make_##name##1(type x) { name##1 v = { x }; return v; } \
	static inline name##2 make_##name##2(type x, type y) { name##2 v = { x, y }; return v; } \
	static inline name##3 make_##name##3(type x, type y, type z) { name##3 v = { x, y, z }; return v; } \
	static inline name##4 make_##name##4(type x, type y, type z, type w) { name##4 v = { x, y, z, w }; return v; }

ANPU_VECTORS(signed char, char)
ANPU_VECTORS(unsigned char, uchar)
ANPU_VECTORS(short, short)
ANPU_VECTORS(unsigned short, ushort)
ANPU_VECTORS(int, int)
ANPU_VECTORS(unsigned int, uint)
ANPU_VECTORS(long, long)
ANPU_VECTORS(unsigned long, ulong)
ANPU_VECTORS(long long, longlong)
ANPU_VECTORS(unsigned long long, ulonglong)
ANPU_VECTORS(float, float)
ANPU_VECTORS(double, double)
#undef ANPU_VECTORS

#endif /* ANPU_CUDA_VECTOR_FUNCTIONS_H */
