/* SPDX-License-Identifier: MIT */
/* dim3, and vectors of two to four numbers with their make_ functions. */
#pragma once

#ifndef ACL_DIM3_DEFINED /* kernel_operator.h and acl/acl.h have it, too */
#define ACL_DIM3_DEFINED
struct dim3 {
	unsigned int x, y, z;
	constexpr dim3(unsigned int x = 1, unsigned int y = 1, unsigned int z = 1) : x(x), y(y), z(z) {}
};
#endif

#define ANPU_VECTORS(type, name, align2, align4) \
	struct name##1 { type x; }; \
	struct alignas(align2) name##2 { type x, y; }; \
	struct name##3 { type x, y, z; }; \
	struct alignas(align4) name##4 { type x, y, z, w; }; \
	static inline name##1 make_##name##1(type x) { return { x }; } \
	static inline name##2 make_##name##2(type x, type y) { return { x, y }; } \
	static inline name##3 make_##name##3(type x, type y, type z) { return { x, y, z }; } \
	static inline name##4 make_##name##4(type x, type y, type z, type w) { return { x, y, z, w }; }

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

