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

/*
 * Ascend C's functions of threads take pointers to volatile vectors, which a structure cannot be copied from. Templates make such copies
 * without a copy constructor of the structure's own, so that it is passed in registers as before. CUDA's vectors stay aggregates.
 */
#ifdef ANPU_VECTORS_OF_VOLATILE
template <class T, class V> constexpr bool anpu_is_volatile = std::is_same_v<V, volatile T> || std::is_same_v<V, const volatile T>;
#define ANPU_VECTOR_COPIES(name, params, members, reads, writes) \
	name() = default; \
	constexpr name params : members {} \
	template <class V, class = std::enable_if_t<anpu_is_volatile<name, V>>> name(V &from) : reads {} \
	template <class V> std::enable_if_t<anpu_is_volatile<name, V>, name &> operator=(V &from) { writes; return *this; } \
	template <class V> std::enable_if_t<std::is_same_v<V, name>> operator=(const V &from) volatile { writes; }
#define ANPU_COMMA	,
#else
#define ANPU_VECTOR_COPIES(...)
#endif

#define ANPU_VECTORS(type, name, align2, align4) \
	struct name##1 { type x; }; \
	struct alignas(align2) name##2 { \
		type x, y; \
		ANPU_VECTOR_COPIES(name##2, (type a, type b), x(a) ANPU_COMMA y(b), x(from.x) ANPU_COMMA y(from.y), \
				   x = from.x; y = from.y) \
	}; \
	struct name##3 { type x, y, z; }; \
	struct alignas(align4) name##4 { \
		type x, y, z, w; \
		ANPU_VECTOR_COPIES(name##4, (type a, type b, type c, type d), x(a) ANPU_COMMA y(b) ANPU_COMMA z(c) ANPU_COMMA w(d), \
				   x(from.x) ANPU_COMMA y(from.y) ANPU_COMMA z(from.z) ANPU_COMMA w(from.w), \
				   x = from.x; y = from.y; z = from.z; w = from.w) \
	}; \
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

