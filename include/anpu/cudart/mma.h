/* SPDX-License-Identifier: MIT */
/*
 * Products of small matrices by a warp (nvcuda::wmma). Element e of lane l is number 32 * e + l of the matrix, row by row,
 * whatever its layout in memory. A result is the element of c, to which products are added in the order of k: in float, each sum
 * rounded once (fused), for half, bfloat16 and tf32; in double the same; in int exactly, modulo 2^32 or saturated at the end. A
 * result of type half is rounded to it at the end.
 */
#pragma once
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <type_traits>

namespace nvcuda {
namespace wmma {

struct row_major {};
struct col_major {};
struct matrix_a {};
struct matrix_b {};
struct accumulator {};
enum layout_t { mem_row_major, mem_col_major };
namespace precision {
struct tf32 {};
}

/* The type that an element is kept as, the type of its sums, and the number that it is multiplied as */
template <class T> struct anpu_element { typedef T kept; typedef float sum; static float of(T v) { return (float)v; } };
template <> struct anpu_element<double> { typedef double kept, sum; static double of(double v) { return v; } };
template <> struct anpu_element<int> { typedef int kept, sum; static int of(int v) { return v; } };
template <> struct anpu_element<signed char> { typedef signed char kept; typedef int sum; static int of(signed char v) { return v; } };
template <> struct anpu_element<unsigned char> { typedef unsigned char kept; typedef int sum; static int of(unsigned char v) { return v; } };
/* a float of which the last 13 bits do not count */
template <> struct anpu_element<precision::tf32> {
	typedef float kept, sum;
	static float of(float v) { return __uint_as_float(__float_as_uint(v) & ~0x1fffu); }
};
static inline float __float_to_tf32(float v) { return v == v ? __uint_as_float((__float_as_uint(v) + 0x1000u) & ~0x1fffu) : v; }

/* Rows and columns of a matrix by its use */
template <class Use, int m, int n, int k> struct anpu_extent { enum { rows = m, cols = n }; };
template <int m, int n, int k> struct anpu_extent<matrix_a, m, n, k> { enum { rows = m, cols = k }; };
template <int m, int n, int k> struct anpu_extent<matrix_b, m, n, k> { enum { rows = k, cols = n }; };

template <class T, int m, int n, int k> constexpr bool anpu_shape_exists()
{
	return sizeof(typename anpu_element<T>::kept) == 8 ? m == 8 && n == 8 && k == 4
	       : m * n == 256 && (n == 16 || n == 32 || n == 8) && (k == 16 || (k == 8 && n == 16));
}

template <class Use, int m, int n, int k, class T, class Layout = void> class fragment {
	static_assert(anpu_shape_exists<T, m, n, k>(),
		      "fragments are 16x16x16, 32x8x16, 8x32x16, with tf32 16x16x8, with double 8x8x4");
public:
	typedef typename anpu_element<T>::kept element_type;
	typedef element_type storage_element_type;
	enum { anpu_rows = anpu_extent<Use, m, n, k>::rows, anpu_cols = anpu_extent<Use, m, n, k>::cols };
	static constexpr int num_elements = anpu_rows * anpu_cols / 32;
	static constexpr int num_storage_elements = num_elements;
	element_type x[num_elements];
};

template <class F, class V> static inline void fill_fragment(F &f, V v)
{
	for (int e = 0; e < F::num_elements; e++)
		f.x[e] = (typename F::element_type)v;
}

/* Where the lane's element @e is in memory */
template <class F> static inline size_t anpu_place(int e, unsigned int ldm, bool by_columns)
{
	unsigned int i = (unsigned int)e * 32 + anpu_lane(), row = i / F::anpu_cols, col = i % F::anpu_cols;

	return by_columns ? (size_t)col * ldm + row : (size_t)row * ldm + col;
}

template <class Use, int m, int n, int k, class T, class P>
static inline void load_matrix_sync(fragment<Use, m, n, k, T, row_major> &f, const P *p, unsigned int ldm)
{
	for (int e = 0; e < f.num_elements; e++)
		f.x[e] = p[anpu_place<fragment<Use, m, n, k, T, row_major>>(e, ldm, false)];
	__syncwarp();
}
template <class Use, int m, int n, int k, class T, class P>
static inline void load_matrix_sync(fragment<Use, m, n, k, T, col_major> &f, const P *p, unsigned int ldm)
{
	for (int e = 0; e < f.num_elements; e++)
		f.x[e] = p[anpu_place<fragment<Use, m, n, k, T, col_major>>(e, ldm, true)];
	__syncwarp();
}
template <int m, int n, int k, class T, class P>
static inline void load_matrix_sync(fragment<accumulator, m, n, k, T> &f, const P *p, unsigned int ldm, layout_t layout)
{
	for (int e = 0; e < f.num_elements; e++)
		f.x[e] = p[anpu_place<fragment<accumulator, m, n, k, T>>(e, ldm, layout == mem_col_major)];
	__syncwarp();
}
template <int m, int n, int k, class T, class P>
static inline void store_matrix_sync(P *p, const fragment<accumulator, m, n, k, T> &f, unsigned int ldm, layout_t layout)
{
	for (int e = 0; e < f.num_elements; e++)
		p[anpu_place<fragment<accumulator, m, n, k, T>>(e, ldm, layout == mem_col_major)] = f.x[e];
	__syncwarp();
}

static inline float anpu_add_product(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
static inline double anpu_add_product(double a, double b, double c) { return __builtin_fma(a, b, c); }
static inline long long anpu_add_product(int a, int b, long long c) { return c + (long long)a * b; }

static inline int anpu_to_int(long long v) { return (int)(v < INT_MIN ? INT_MIN : v > INT_MAX ? INT_MAX : v); }

/* A row of a, whose element @kk each lane needs for its element @e of the result: from the lanes and elements that have it */
template <int n, class A> static inline auto anpu_of_a(const A &a, int e, int kk) -> typename A::element_type
{
	constexpr int k = A::anpu_cols;
	int mine = (e * 32 + (int)anpu_lane()) / n * k + kk;
	typename A::element_type got{};

	for (int part = (e * 32 / n * k + kk) / 32; part <= ((e * 32 + 31) / n * k + kk) / 32; part++) {
		auto v = __shfl_sync(~0u, a.x[part], mine % 32);

		if (part == mine / 32)
			got = v;
	}
	return got;
}

template <int m, int n, int k, class D, class A, class LA, class B, class LB, class C>
static inline void mma_sync(fragment<accumulator, m, n, k, D> &d, const fragment<matrix_a, m, n, k, A, LA> &a,
			    const fragment<matrix_b, m, n, k, B, LB> &b, const fragment<accumulator, m, n, k, C> &c, bool satf = false)
{
	typedef typename anpu_element<A>::sum product;
	constexpr bool whole = (product)0.5 == 0;
	typename std::conditional<whole, long long, product>::type sum[d.num_elements];

	for (int e = 0; e < d.num_elements; e++)
		sum[e] = (product)c.x[e];
	for (int kk = 0; kk < k; kk++) {
		/* n divides 32, so the lanes' columns of a row of b are one element of each */
		auto right = anpu_element<B>::of(__shfl_sync(~0u, b.x[kk * n / 32], kk * n % 32 + (int)anpu_lane() % n));

		for (int e = 0; e < d.num_elements; e++)
			sum[e] = anpu_add_product(anpu_element<A>::of(anpu_of_a<n>(a, e, kk)), right, sum[e]);
	}
	for (int e = 0; e < d.num_elements; e++) {
		if constexpr (whole)
			d.x[e] = satf ? anpu_to_int(sum[e]) : (int)(unsigned int)sum[e];
		else
			d.x[e] = (typename anpu_element<D>::kept)sum[e];
	}
}

} /* namespace wmma */
} /* namespace nvcuda */
