// SPDX-License-Identifier: MIT
/*
 * What kernels of public samples include beside CUDA's own headers: barriers, pipelines and atomic objects of libcu++, matrices
 * of a warp, tiles of several warps. tests/simt/check runs them; bad is the line of the first check that fails.
 */
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/std/type_traits>
#include <cmath>
#include <cuda_fp8.h>
#include <mma.h>
#include <cuda/std/algorithm>
#include <cuda/std/array>
#include <cuda/std/bit>
#include <cuda/std/cassert>
#include <cuda/std/cstdlib>
#include <cuda/std/cstring>
#include <cuda/std/functional>
#include <cuda/std/initializer_list>
#include <cuda/std/span>
#include <cuda/std/chrono>
#include <cuda/std/complex>
#include <cuda/std/iterator>
#include <cuda/std/numeric>
#include <cuda/std/optional>
#include <cuda/std/ratio>
#include <cuda/std/string_view>
#include <cuda/std/tuple>
#include <cuda/std/variant>
#define CHECK(...) do { if (!(__VA_ARGS__)) atomicCAS(bad, 0, __LINE__); } while (0)
namespace cg = cooperative_groups;

/* Blocks of 128 threads hand values to each other by a barrier that they arrive at before they wait */
extern "C" __global__ void a_barrier(int *bad, int *out)
{
	__shared__ cuda::barrier<cuda::thread_scope_block> bar;
	__shared__ int value[128], copied[128];
	int t = threadIdx.x;

	if (!t)
		init(&bar, blockDim.x);
	__syncthreads();
	for (int round = 0; round < 3; round++) {
		value[t] = t * 10 + round;
		auto token = bar.arrive();
		int own = t * 3; /* work that needs no other thread */

		bar.wait(std::move(token));
		own += value[(t + 37) % 128];
		CHECK(own == t * 3 + (t + 37) % 128 * 10 + round);
		bar.arrive_and_wait();
	}
	cuda::memcpy_async(&copied[t], &value[t], sizeof(int), bar);
	bar.arrive_and_wait();
	cuda::memcpy_async(cg::this_thread_block(), out, copied, cuda::aligned_size_t<4>(sizeof(copied)), bar);
	/* half of the threads leave, and the others go on without them */
	if (t >= 64) {
		bar.arrive_and_drop();
		return;
	}
	bar.arrive_and_wait();
	bar.arrive_and_wait();
}

/* 32 producers and 96 consumers share two stages; each value is used once */
extern "C" __global__ void a_pipeline(int *bad, const int *in, int *out, int rounds)
{
	__shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
	__shared__ int stage[2][96];
	auto block = cg::this_thread_block();
	int t = threadIdx.x;
	auto role = t < 32 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
	auto pipe = cuda::make_pipeline(block, &state, role);

	for (int i = 0; i < rounds; i++) {
		if (role == cuda::pipeline_role::producer) {
			pipe.producer_acquire();
			for (int k = t; k < 96; k += 32)
				cuda::memcpy_async(&stage[i % 2][k], in + i * 96 + k, sizeof(int), pipe);
			pipe.producer_commit();
		} else {
			pipe.consumer_wait();
			out[i * 96 + t - 32] = stage[i % 2][95 - (t - 32)];
			pipe.consumer_release();
		}
	}
	/* one thread's own pipeline, and one of all threads that both fill and empty it */
	auto own = cuda::make_pipeline();
	int mine = 0;

	own.producer_acquire();
	cuda::memcpy_async(&mine, in + t, cuda::aligned_size_t<4>(4), own);
	own.producer_commit();
	own.consumer_wait();
	CHECK(mine == in[t]);
	own.consumer_release();
	block.sync();
	auto both = cuda::make_pipeline(block, &state);

	for (int i = 0; i < 4; i++) {
		both.producer_acquire();
		if (t < 96)
			stage[i % 2][t] = i + t;
		both.producer_commit();
		cuda::pipeline_consumer_wait_prior<0>(both);
		CHECK(stage[i % 2][(t + 1) % 96] == i + (t + 1) % 96);
		both.consumer_release();
	}
	CHECK(both.quit());
}

__device__ cuda::atomic<int, cuda::thread_scope_device> total{5};
extern "C" __global__ void atomic_objects(int *bad, unsigned int *u, double *d)
{
	__shared__ cuda::atomic<unsigned long long, cuda::thread_scope_block> in_block;
	cuda::atomic_ref<unsigned int, cuda::thread_scope_device> ref(*u);
	cuda::atomic_ref<double> sum(*d);
	int t = threadIdx.x;

	if (!t)
		in_block.store(7, cuda::memory_order_relaxed);
	__syncthreads();
	total.fetch_add(2, cuda::std::memory_order_relaxed);
	total += 1;
	++in_block;
	ref.fetch_max(t);
	sum.fetch_add(0.5);
	sum.fetch_sub(0.25);
	__syncthreads();
	CHECK(total == 5 + 3 * 64 && in_block.load() == 7 + 64 && ref == 63 && sum.load(cuda::memory_order_acquire) == 16);
	__syncthreads();
	if (t)
		return;
	unsigned int expected = 3;

	CHECK(!ref.compare_exchange_strong(expected, 9) && expected == 63 && ref.compare_exchange_weak(expected, 9) && *u == 9);
	CHECK(ref.exchange(12) == 9 && (ref &= 6) == 4 && (ref |= 3) == 7 && ref-- == 7 && --ref == 5 && ref.fetch_min(2) == 5);
	CHECK(ref.fetch_xor(3) == 2 && (ref = 8) == 8 && in_block.is_lock_free());
	cuda::atomic<float> f(1.5f);
	cuda::atomic<short> s(3);

	CHECK(f.fetch_add(2) == 1.5f && f == 3.5f && f.fetch_min(1) == 3.5f && s.fetch_sub(5) == 3 && s == -2);
	cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_block);
	static_assert(cuda::std::is_same<cuda::atomic<int>::value_type, int>::value, "");
}

/* Blocks of 256 and 1024 threads in tiles of several warps, which go on by themselves */
template <unsigned int N, int THREADS = 256> __device__ static void tiles(int *bad, int rounds)
{
	__shared__ cg::block_tile_memory<THREADS> memory;
	__shared__ int value[THREADS];
	auto block = cg::this_thread_block(memory);
	auto tile = cg::tiled_partition<N>(block);
	int t = block.thread_rank(), rank = tile.thread_rank();

	CHECK(tile.size() == N && rank == t % (int)N && tile.meta_group_rank() == t / N && tile.meta_group_size() == THREADS / N);
	/* tiles synchronise a different number of times */
	for (int i = 0; i <= rounds + (int)tile.meta_group_rank(); i++) {
		value[t] = i * 1000 + t;
		tile.sync();
		CHECK(value[t / N * N + (rank + 40) % N] == i * 1000 + (int)(t / N * N + (rank + 40) % N));
		tile.sync();
	}
	CHECK(cg::reduce(tile, rank, cg::plus<int>()) == (int)(N * (N - 1) / 2) && cg::reduce(tile, rank, cg::greater<int>()) == N - 1);
	CHECK(cg::inclusive_scan(tile, rank, cg::plus<int>()) == rank * (rank + 1) / 2);
	CHECK(tile.shfl(t, 33) == (int)(t / N * N + 33) && tile.any(rank == 40) && !tile.any(rank == 600) && tile.all(rank < 512) && !tile.all(rank));
	auto warp = cg::tiled_partition<16>(tile);

	CHECK(warp.meta_group_rank() == rank / 16 && warp.meta_group_size() == N / 16 && cg::reduce(warp, 1, cg::plus<int>()) == 16);
	block.sync();
}
extern "C" __global__ void tiles_of_warps(int *bad, int rounds)
{
	tiles<64>(bad, rounds);
	tiles<128>(bad, rounds);
	tiles<256>(bad, rounds);
}

extern "C" __global__ void sixteen_tiles(int *bad, int rounds)
{
	tiles<64, 1024>(bad, rounds);
	tiles<512, 1024>(bad, rounds);
}

extern "C" __global__ void more_of_groups(int *bad, int *in)
{
	__shared__ cuda::atomic<int, cuda::thread_scope_block> sum;
	__shared__ int got[40];
	auto block = cg::this_thread_block();
	auto warp = cg::tiled_partition<32>(block);
	int t = block.thread_rank();

	if (!t)
		sum = 100;
	auto token = block.barrier_arrive();
	block.barrier_wait(std::move(token));
	cg::reduce_update_async(warp, sum, t, cg::plus<int>());
	block.sync();
	CHECK(sum == 100 + 64 * 63 / 2);
	CHECK(cg::invoke_one_broadcast(warp, [&] { return t + 5; }) == t / 32 * 32 + 5);
	block.sync();
	if (!t)
		sum = 10;
	block.sync();
	if (t < 32) {
		CHECK(cg::exclusive_scan_update(warp, sum, 2) == 10 + 2 * t && sum == 74);
		CHECK(cg::inclusive_scan_update(warp, sum, 1) == 75 + t && sum == 106);
	}
	/* 40 elements of which the source has 37 */
	cg::memcpy_async(block, got, 40, in, 37);
	cg::wait(block);
	if (t < 37)
		CHECK(got[t] == t);
	cg::memcpy_async(block, got, in + 1, cuda::aligned_size_t<4>(35 * sizeof(int)));
	cg::wait(block);
	if (t < 37)
		CHECK(got[t] == (t < 35 ? t + 1 : t));
}

/* A matrix of small whole numbers: every product and sum of them is exact */
__device__ static int number(int seed, int i) { return (i * 7 + seed * 5) % 11 - 5; }

template <int m, int n, int k, class T, class Out, class LA, class LB>
__device__ static void product(int *bad, int line, T *a, T *b, Out *c)
{
	using namespace nvcuda;
	wmma::fragment<wmma::matrix_a, m, n, k, typename std::conditional<std::is_same<T, float>::value, wmma::precision::tf32, T>::type, LA> fa;
	wmma::fragment<wmma::matrix_b, m, n, k, typename std::conditional<std::is_same<T, float>::value, wmma::precision::tf32, T>::type, LB> fb;
	wmma::fragment<wmma::accumulator, m, n, k, Out> fc;
	constexpr bool ra = std::is_same<LA, wmma::row_major>::value, rb = std::is_same<LB, wmma::row_major>::value;
	int t = threadIdx.x;

	for (int i = t; i < m * k; i += 32)
		a[ra ? i / k * (k + 8) + i % k : i % k * (m + 8) + i / k] = (T)(float)(std::is_same<T, unsigned char>::value ? i % 9 : number(1, i));
	for (int i = t; i < k * n; i += 32)
		b[rb ? i / n * (n + 8) + i % n : i % n * (k + 8) + i / n] = (T)(float)(std::is_same<T, unsigned char>::value ? i % 7 : number(2, i));
	for (int i = t; i < m * n; i += 32)
		c[i] = (Out)(float)number(3, i);
	__syncwarp();
	wmma::load_matrix_sync(fa, a, ra ? k + 8 : m + 8);
	wmma::load_matrix_sync(fb, b, rb ? n + 8 : k + 8);
	wmma::load_matrix_sync(fc, c, n, wmma::mem_row_major);
	for (int e = 0; e < fc.num_elements; e++)
		fc.x[e] = (Out)((float)fc.x[e] * 2);
	wmma::mma_sync(fc, fa, fb, fc);
	wmma::store_matrix_sync(c, fc, m, wmma::mem_col_major);
	for (int i = t; i < m * n; i += 32) {
		int row = i / n, col = i % n, want = 2 * number(3, i);

		for (int j = 0; j < k; j++)
			want += std::is_same<T, unsigned char>::value ? (row * k + j) % 9 * ((j * n + col) % 7)
								       : number(1, row * k + j) * number(2, j * n + col);
		if ((float)c[col * m + row] != (float)want)
			atomicCAS(bad, 0, line);
	}
	__syncwarp();
}
#define PRODUCT(m, n, k, T, Out, LA, LB) \
	product<m, n, k, T, Out, nvcuda::wmma::LA, nvcuda::wmma::LB>(bad, __LINE__, (T *)a, (T *)b, (Out *)c)
extern "C" __global__ void matrices(int *bad)
{
	using namespace nvcuda;
	__shared__ double a[512], b[512], c[256];

	PRODUCT(16, 16, 16, half, float, row_major, col_major);
	PRODUCT(16, 16, 16, half, half, col_major, row_major);
	PRODUCT(32, 8, 16, half, float, row_major, row_major);
	PRODUCT(8, 32, 16, __nv_bfloat16, float, col_major, col_major);
	PRODUCT(16, 16, 16, signed char, int, row_major, col_major);
	PRODUCT(32, 8, 16, unsigned char, int, row_major, col_major);
	PRODUCT(16, 16, 8, float, float, row_major, col_major);
	PRODUCT(8, 8, 4, double, double, row_major, col_major);
	/* the last 13 bits of a tf32 number do not count, and int saturates if that is asked for */
	wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> fa;
	wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::col_major> fb;
	wmma::fragment<wmma::accumulator, 16, 16, 8, float> fc;

	wmma::fill_fragment(fa, __uint_as_float(0x3f801fff));
	wmma::fill_fragment(fb, 1.0f);
	wmma::fill_fragment(fc, 0.5f);
	wmma::mma_sync(fc, fa, fb, fc);
	CHECK(fc.x[0] == 8.5f && wmma::__float_to_tf32(__uint_as_float(0x3f801000)) == __uint_as_float(0x3f802000));
	wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> ia;
	wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::col_major> ib;
	wmma::fragment<wmma::accumulator, 16, 16, 16, int> ic, id;

	wmma::fill_fragment(ia, 127);
	wmma::fill_fragment(ib, 127);
	wmma::fill_fragment(ic, 2147483000);
	wmma::mma_sync(id, ia, ib, ic, true);
	CHECK(id.x[3] == 2147483647);
	wmma::mma_sync(id, ia, ib, ic);
	CHECK(id.x[3] == (int)(2147483000u + 16u * 127 * 127));
}

#define NEAR(got, want, ulps) (fabs((got) - (want)) <= (ulps) * 1.2e-16 * fabs(want))
/* @one: 1, which the compiler does not know */
extern "C" __global__ void rarer_functions(int *bad, double one)
{
	double v[] = { 3e200 * one, 4e200, 0, 12e200 };
	float f[] = { 3e30f * (float)one, 4e30f, 12e30f };
	int q = 0;

	CHECK(sinpi(one) == 0 && sinpi(1e15 * one) == 0 && sinpi(0.5 * one) == 1 && sinpi(-1.5 * one) == 1 && cospi(1.5 * one) == 0);
	CHECK(cospi(one) == -1 && cospi(2 * one) == 1 && cospi(-3 * one) == -1 && sinpif(2.5f * (float)one) == 1 && std::signbit(sinpi(-0.0 * one)));
	CHECK(NEAR(sinpi(0.25 * one), 0.70710678118654752, 2) && NEAR(cospi(1.25 * one), -0.70710678118654752, 2));
	CHECK(NEAR(sinpi(1000000.25 * one), 0.70710678118654752, 2) && std::isnan(sinpi(INFINITY * one)) && std::isnan(cospi(INFINITY * one)));
	CHECK(NEAR(erfcx(1 * one), 0.42758357615580700, 8) && NEAR(erfcx(10 * one), 0.056140992743822587, 8) && NEAR(erfcx(1e6 * one), 5.6418958354747419e-07, 8));
	CHECK(NEAR(erfcx(-2 * one), 108.94090438997797, 24) && erfcx(1e308 * one) > 0 && fabsf(erfcxf(30.0f * (float)one) - 0.018795888f) < 2e-9f);
	CHECK(NEAR(norm3d(v[0], v[1], v[2]), 5e200, 2) && NEAR(norm(4, v), 13e200, 2) && NEAR(rnorm(4, v), 1 / 13e200, 2));
	CHECK(fabsf(normf(3, f) / 13e30f - 1) < 1e-7f && fabsf(norm3df(f[0], f[1], f[2]) / 13e30f - 1) < 1e-7f && norm4d(0, 0, 0, 0 * one) == 0);
	CHECK(NEAR(rhypot(3 * one, 4), 0.2, 2) && NEAR(rnorm4d(1 * one, 1, 1, 1), 0.5, 1) && std::isinf(norm3d(NAN, -INFINITY * one, 1)));
	CHECK(logb(0.375 * one) == -2 && ilogb(1e308 * one) == 1023 && ilogb(0 * one) == INT_MIN && scalbln(1.5 * one, 3) == 12);
	CHECK(remquo(29 * one, 8, &q) == -3 && q == 4 && remquo(-29 * one, 8, &q) == 3 && q == -4 && remquof(7 * (float)one, 2, &q) == -1 && q == 4);
}

#define IS(a, b) ((float)(a) == (float)(b))
template <class S, class P> __device__ static void small_numbers(int *bad, S three, S third, S none, S from_up, S from_down, S from_zero)
{
	P a(S(1.0f), S(2.0f)), b(S(1.0f), S(3.0f)), n(none, S(2.0f));
	S i = three;

	CHECK(IS(__hadd_sat(three, three), 1) && IS(__hsub_sat(S(1.0f), three), 0) && IS(__hmul_sat(S(0.5f), S(0.5f)), 0.25f));
	CHECK(IS(__hfma_sat(three, three, S(-8.5f)), 0.5f) && IS(__hfma_relu(three, three, S(-10.0f)), 0) && __hisnan(__hfma_relu(three, none, three)));
	CHECK(IS(__hcmadd(P(S(1.0f), S(2.0f)), P(S(3.0f), S(4.0f)), P(S(5.0f), S(6.0f))).x, 0) && IS(__hcmadd(a, b, a).y, 7));
	CHECK(IS(i++, 3) && IS(++i, 5) && IS(i--, 5) && IS(--i, 3) && IS(+i, 3));
	CHECK(IS(__heq2(a, b).x, 1) && IS(__heq2(a, b).y, 0) && IS(__hlt2(a, b).y, 1) && IS(__hgeu2(n, b).x, 1) && IS(__hge2(n, b).x, 0));
	CHECK(__heq2_mask(a, b) == 0xffff && __hlt2_mask(a, b) == 0xffff0000u && __hltu2_mask(n, b) == 0xffffffffu && __hne2_mask(n, n) == 0xffff);
	CHECK(!__hbne2(a, b) && __hble2(a, b) && !__hblt2(a, b) && __hbleu2(n, b) && !__hble2(n, b) && a != P(S(2.0f), S(3.0f)) && a <= b);
	CHECK(__hequ(none, three) && !__heq(none, three) && __hisnan(__hmax_nan(none, three)) && IS(__hmax(none, three), 3) && IS(__hmin2_nan(a, b).y, 2));
	CHECK(IS(__hisnan2(n).x, 1) && IS(__hisnan2(n).y, 0) && (float)from_down < (float)from_up && IS(from_zero, from_down));
	CHECK((float)third == (float)from_up || (float)third == (float)from_down);
	CHECK(IS(h2floor(P(S(2.5f), S(-2.5f))).y, -3) && IS(h2rint(P(S(2.5f), S(3.5f))).y, 4) && IS(h2exp2(a).y, 4) && IS(hexp10(S(2.0f)), 100));
	CHECK(IS(h2rcp(b).x, 1) && IS(h2log2(P(S(8.0f), S(2.0f))).x, 3) && IS(h2tanh(P(S(0.0f), S(0.0f))).x, 0));
}
/* @one: 1, which the compiler does not know */
extern "C" __global__ void small_floats(int *bad, float one)
{
	float third = one / 3;

	small_numbers<half, half2>(bad, half(3 * one), half(third), CUDART_NAN_FP16, __float2half_ru(third), __float2half_rd(third), __float2half_rz(third));
	small_numbers<__nv_bfloat16, __nv_bfloat162>(bad, __nv_bfloat16(3 * one), __nv_bfloat16(third), CUDART_NAN_BF16, __float2bfloat16_ru(third),
						     __float2bfloat16_rd(third), __float2bfloat16_rz(third));
	CHECK(IS(__float2half_rz(1e9f * one), 65504) && isinf((float)__float2half_ru(1e9f * one)) && IS(__float2half_rd(-1e-30f * one), -5.9604645e-08f));
	CHECK(IS(__float2half_ru(1e-30f * one), 5.9604645e-08f) && IS(__float2half_rz(1e-30f * one), 0) && IS(__int2half_rz(2051 * (int)one), 2050));
	CHECK(IS(__int2half_ru(2049 * (int)one), 2050) && IS(__int2half_rd(-2049 * (int)one), -2050) && IS(__float2half_rz(-third), -(float)__float2half_rz(third)));
	CHECK(__half2int_ru(half(2.25f * one)) == 3 && __half2int_rd(half(-2.25f * one)) == -3 && __half2ll_rz(half(-2.75f * one)) == -2);
	CHECK(__half2ull_rn(half(-one)) == 0 && __half2short_ru(CUDART_INF_FP16) == 32767 && IS(__ll2half_rn(1ll << 40), INFINITY));
	CHECK(__half_as_ushort(CUDART_MAX_NORMAL_FP16) == 0x7bff && IS(CUDART_ONE_BF16, 1) && IS(__float2bfloat16_rz(1.999999f * one), 1.9921875f));
}

/* What the bits of a number mean, digit by digit */
__device__ static float meaning(unsigned int bits, int fraction, int bias)
{
	int exponent = (int)(bits & 0x7f) >> fraction, digits = (int)(bits & ((1u << fraction) - 1));
	float v = (float)(exponent ? digits + (1 << fraction) : digits);

	for (int i = exponent ? exponent : 1; i < bias + fraction; i++)
		v /= 2;
	for (int i = bias + fraction; i < exponent; i++)
		v *= 2;
	return bits & 0x80 ? -v : v;
}

/* Thread t has the number t and the one behind it: both convert there and back, and what is between them goes to the nearest */
template <class E, class Pair, class Four> __device__ static void eight_bits(int *bad, int fraction, int bias, unsigned int largest, __nv_fp8_interpretation_t kind)
{
	unsigned int t = threadIdx.x, next = (t & 0x7f) + 1;
	E e;
	auto bits = [=](float v, __nv_saturation_t s = __NV_SATFINITE) { return __nv_cvt_float_to_fp8(v, s, kind); };

	e.__x = (__nv_fp8_storage_t)t;
	if ((t & 0x7f) > largest) {
		bool infinite = kind == __NV_E5M2 && (t & 0x7f) == 0x7c;

		CHECK(infinite ? std::isinf((float)e) && std::isinf((float)(half)e) : std::isnan((float)e) && (int)e == 0);
		CHECK(bits((float)e) == (infinite ? (t & 0x80) + largest : 0x7f) && bits((float)e, __NV_NOSAT) == (infinite ? t : 0x7f));
		return;
	}
	float v = meaning(t, fraction, bias), sign = t & 0x80 ? -1.0f : 1.0f;
	float after = sign * meaning(next, fraction, bias), middle = (v + after) / 2;
	unsigned int up = (t & 0x80) | next, even = t & 1 ? up : t;

	CHECK((float)e == v && std::signbit((float)e) == (t > 127) && (double)e == v && (float)(half)e == v && (float)(__nv_bfloat16)e == v && (bool)e == (v != 0));
	CHECK(bits(v) == t && E(half(v)).__x == t && E(__nv_bfloat16(v)).__x == t && E((double)v).__x == t && bits(v, __NV_NOSAT) == t);
	CHECK((int)e == (int)v && (short)e == (v < -32768 ? -32768 : v > 32767 ? 32767 : (int)v) && (unsigned int)e == (v < 0 ? 0 : (unsigned int)v));
	CHECK((signed char)e == (v < -128 ? -128 : v > 127 ? 127 : (int)v) && (unsigned char)e == (v < 0 ? 0 : v > 255 ? 255 : (int)v));
	if (next <= largest) {
		CHECK(bits(middle) == even && bits(nextafterf(middle, after)) == up && bits(nextafterf(middle, v)) == t);
		CHECK(E(middle + (double)(after - v) * 1e-12).__x == up && E(middle - (double)(after - v) * 1e-12).__x == t);
	} else {
		CHECK(bits(after * 2) == t && bits(INFINITY * sign) == t);
		CHECK(bits(after * 2, __NV_NOSAT) == (t & 0x80) + largest + 1 && E(sign > 0 ? 1ll << 62 : -(1ll << 62)).__x == t);
	}
	Pair p(float2{ v, 1.0f });
	Four f(float4{ 1.0f, v, -v, 2.0f });

	CHECK((p.__x & 0xff) == t && ((float2)p).y == 1 && ((__half2)p).x == half(v) && Pair(half2(half(1.0f), half(v))).__x >> 8 == t);
	CHECK((f.__x >> 8 & 0xff) == t && ((float4)f).z == -v && ((float4)f).w == 2 && Four(half2(half(v), half(v)), half2(half(1.0f), half(v))).__x >> 24 == t);
	CHECK(E((int)v).__x == bits((float)(int)v) && (float)E(3u) == 3 && (float)E((short)-2) == -2);
}
extern "C" __global__ void numbers_of_8_bits(int *bad)
{
	eight_bits<__nv_fp8_e4m3, __nv_fp8x2_e4m3, __nv_fp8x4_e4m3>(bad, 3, 7, 0x7e, __NV_E4M3);
	eight_bits<__nv_fp8_e5m2, __nv_fp8x2_e5m2, __nv_fp8x4_e5m2>(bad, 2, 15, 0x7b, __NV_E5M2);
}

/* Headers of the standard library in namespace cuda::std, and two that C++17 has not */
static __device__ int sum_of(cuda::std::span<const int> s)
{
	int sum = 0;

	for (int v : s)
		sum += v;
	return sum;
}
extern "C" __global__ void standard_headers(int *bad, int n)
{
	namespace cs = cuda::std;
	cs::array<int, 4> a = { 4, 1, 3, 2 };
	int plain[3] = { 5, 6, 7 };
	cs::span<int> all(plain);

	CHECK(cs::popcount(0xf0u) == 4 && cs::countl_zero((uint8_t)1) == 7 && cs::countl_zero((uint16_t)0) == 16 && cs::countr_zero(8ull) == 3);
	CHECK(cs::countl_one((uint8_t)0xe0) == 3 && cs::countr_one(7u) == 3 && cs::bit_width(9u) == 4 && cs::has_single_bit(64u) && !cs::has_single_bit(0u));
	CHECK(cs::bit_floor(9u) == 8 && cs::bit_ceil(9u) == 16 && cs::bit_ceil(0u) == 1 && cs::rotl((uint8_t)0x81, 1) == 3 && cs::rotr(1u, 1) == 1u << 31);
	CHECK(cs::bit_cast<uint32_t>(1.0f) == 0x3f800000 && cs::endian::native == cs::endian::little);
	CHECK(sum_of(all) == 18 && sum_of(a) == 10 && sum_of(all.subspan(1)) == 13 && sum_of(all.first(2)) == 11 && sum_of(all.last<1>()) == 7);
	CHECK(all.size_bytes() == 12 && all.back() == 7 && cs::span(plain).extent == 3 && cs::span<int>().empty());
	CHECK(cs::plus<>()(n, 1.5f) == n + 1.5f && cs::greater<int>()(2, 1) && !cs::less_equal<>()(3u, 2u) && cs::negate<>()(n) == -n);
	CHECK(cs::bit_xor<int>()(6, 3) == 5 && cs::logical_not<>()(0) && cs::identity()(n) == n && cs::modulus<>()(7, 4) == 3);
	CHECK(cs::max(n, 4) == 5 && cs::min(n, 2) == 2 && cs::clamp(n, 0, 3) == 3);
	cs::memcpy(plain, a.data(), 8);
	CHECK(plain[0] == 4 && plain[1] == 1 && plain[2] == 7);
}

/* Counts how many of it are there */
struct counted {
	int *alive, value;
	__device__ counted(int *alive, int value) : alive(alive), value(value) { ++*alive; }
	__device__ counted(const counted &from) : alive(from.alive), value(from.value) { ++*alive; }
	__device__ counted &operator=(const counted &from) { return value = from.value, *this; }
	__device__ ~counted() { --*alive; }
};
struct kind {
	__device__ int operator()(int) const { return 1; }
	__device__ int operator()(float) const { return 2; }
	__device__ int operator()(const counted &c) const { return c.value; }
};
extern "C" __global__ void values_that_may_be_absent(int *bad, int n)
{
	namespace cs = cuda::std;
	int alive = 0;

	{
		cs::optional<int> none, five(n), copy = five;
		cs::optional<counted> a, b(cs::in_place, &alive, n);

		CHECK(!none && none.value_or(3) == 3 && *five == 5 && copy == five && none == cs::nullopt && none != five && none < five && five == 5);
		copy = cs::nullopt;
		CHECK(!copy.has_value() && (copy = 7, copy.value() == 7) && cs::make_optional(2.5f).value() == 2.5f);
		a = b;
		CHECK(alive == 2 && a->value == n);
		b.reset();
		a.swap(b);
		CHECK(alive == 1 && !a && b->value == n);
	}
	CHECK(alive == 0 && cs::is_trivially_copyable_v<cs::optional<int>>);
	{
		cs::variant<int, float, counted> v(n), w(2.5f), c(counted(&alive, 9));
		cs::variant<cs::monostate, long> empty;

		CHECK(v.index() == 0 && cs::get<int>(v) == 5 && cs::get<1>(w) == 2.5f && cs::holds_alternative<float>(w) && !cs::get_if<int>(&w));
		CHECK(cs::visit(kind(), v) == 1 && cs::visit(kind(), w) == 2 && cs::visit(kind(), c) == 9 && alive == 1 && empty.index() == 0);
		v = c;
		CHECK(alive == 2 && cs::visit(kind(), v) == 9);
		w = 3;
		c = w;
		CHECK(alive == 1 && cs::get<0>(c) == 3 && (empty = 4l, cs::get<long>(empty) == 4));
		v.emplace<float>(1.0f);
		CHECK(alive == 0 && cs::visit([](auto a, auto b) { return (float)a + b; }, cs::variant<int, float>(n), cs::variant<int, float>(1.5f)) == 6.5f);
		CHECK((cs::variant<int, float>(1) == cs::variant<int, float>(1)) && (cs::variant<int, float>(1) != cs::variant<int, float>(1.0f)));
	}
	CHECK(alive == 0 && cs::is_trivially_copyable_v<cs::variant<int, float>>);
}

/* The rest of what C++17 has of these names */
extern "C" __global__ void ranges_and_units(int *bad, int n)
{
	namespace cs = cuda::std;
	using namespace cs::chrono;
	using namespace cs::literals;
	cs::array<int, 8> a = { 7, 3, 8, 1, 5, 2, 6, 4 }, b = a;
	int sums[8];

	CHECK(cs::accumulate(a.begin(), a.end(), 0) == 36 && cs::accumulate(a.begin(), a.end(), 1, cs::multiplies<>()) == 40320);
	CHECK(cs::inner_product(a.begin(), a.end(), b.begin(), 0) == 204 && cs::gcd(12, -18) == 6 && cs::lcm(4, 6u) == 12u && cs::midpoint(n, 9) == 7);
	cs::inclusive_scan(a.begin(), a.end(), sums);
	CHECK(sums[7] == 36 && sums[2] == 18);
	cs::exclusive_scan(a.begin(), a.end(), sums, 10);
	CHECK(sums[0] == 10 && sums[7] == 42);
	cs::sort(a.begin(), a.end());
	for (int i = 0; i < 8; i++)
		CHECK(a[i] == i + 1);
	CHECK(cs::is_sorted(a.begin(), a.end()) && *cs::lower_bound(a.begin(), a.end(), n) == 5 && *cs::upper_bound(a.begin(), a.end(), n) == 6);
	CHECK(cs::binary_search(a.begin(), a.end(), 8) && !cs::binary_search(a.begin(), a.end(), 9) && cs::count_if(a.begin(), a.end(), [](int x) { return x & 1; }) == 4);
	cs::sort(b.begin(), b.end(), cs::greater<>());
	CHECK(b[0] == 8 && b[7] == 1 && cs::equal(a.begin(), a.end(), b.rbegin()) && b > a && cs::max({ 3, n, 4 }) == 5);
	CHECK(cs::find(a.begin(), a.end(), 3) - a.begin() == 2 && cs::all_of(a.begin(), a.end(), [](int x) { return x > 0; }) && cs::minmax(4, n).second == 5);
	cs::reverse(a.begin(), a.end());
	cs::iota(sums, sums + 8, 1);
	CHECK(a == b && cs::size(sums) == 8 && *cs::next(cs::begin(sums), 3) == 4 && *cs::prev(cs::end(sums)) == 8 && cs::distance(sums, sums + n) == n);
	CHECK(cs::remove_if(sums, sums + 8, [](int x) { return x % 2; }) == sums + 4 && sums[3] == 8);

	CHECK((cs::is_same_v<cs::ratio_add<cs::ratio<1, 3>, cs::ratio<1, 6>>, cs::ratio<1, 2>>) && cs::ratio<6, -4>::num == -3 && cs::ratio_less_v<cs::micro, cs::milli>);
	CHECK(milliseconds(n) + 7us == microseconds(5007) && duration_cast<seconds>(2500ms).count() == 2 && hours(1) == minutes(60) && 1s > 999ms);
	CHECK(duration<double>(1500ms).count() == 1.5 && 10s / 3s == 3 && (n * 2s).count() == 10 && ceil<seconds>(2001ms).count() == 3 && floor<seconds>(-1ms).count() == -1);

	cs::string_view text = "kernel, block, thread";

	CHECK(text.size() == 21 && text.find("block") == 8 && text.find('z') == cs::string_view::npos && text.substr(8, 5) == "block" && text.rfind(',') == 13);
	CHECK(text.starts_with("kernel") && text.ends_with("thread") && text < "kernels" && cs::string_view() == "" && *text.rbegin() == 'd');
	text.remove_prefix(8);
	CHECK(text.front() == 'b' && text.length() == 13);
}

template <class T> __device__ bool near(cuda::std::complex<T> a, T re, T im)
{
	return fabs(a.real() - re) < T(1e-5) && fabs(a.imag() - im) < T(1e-5);
}
template <class T> __device__ void complex_numbers(int *bad, T n)
{
	namespace cs = cuda::std;
	cs::complex<T> a(3, 4), b(1, -2), i(0, 1);

	CHECK(a + b == cs::complex<T>(4, 2) && a - 1 == cs::complex<T>(2, 4) && a * b == cs::complex<T>(11, -2) && 2 * b == cs::complex<T>(2, -4));
	CHECK(near(a / b, T(-1), T(2)) && near(n / a, T(0.6), T(-0.8)) && cs::abs(a) == 5 && cs::norm(a) == 25 && cs::conj(a).imag() == -4 && i * i == T(-1));
	CHECK(near(cs::exp(i * T(3.14159265358979)), T(-1), T(0)) && near(cs::sqrt(cs::complex<T>(-4)), T(0), T(2)) && near(cs::sqrt(a), T(2), T(1)));
	CHECK(near(cs::log(cs::exp(b)), T(1), T(-2)) && near(cs::pow(a, T(2)), T(-7), T(24)) && near(cs::polar(T(2), cs::arg(i)), T(0), T(2)));
	CHECK(near(cs::sin(a) * cs::sin(a) + cs::cos(a) * cs::cos(a), T(1), T(0)) || sizeof(T) == 4);
	CHECK(near(cs::complex<T>(T(1e30), T(1e30)) / cs::complex<T>(T(1e30), T(0)), T(1), T(1)));
}
extern "C" __global__ void numbers_with_two_parts(int *bad, int n)
{
	namespace cs = cuda::std;

	complex_numbers<float>(bad, n);
	complex_numbers<double>(bad, n);

	cs::tuple<int, float> t(n, 2.5f);
	auto all = cs::tuple_cat(t, cs::make_tuple('c'), cs::tuple<long>(7l));
	int got;

	cs::tie(got, cs::ignore) = t;
	CHECK(got == n && cs::tuple_size_v<decltype(all)> == 4 && cs::get<3>(all) == 7 && cs::get<char>(all) == 'c' && t < cs::make_tuple(n, 3.0f));
	CHECK((cs::make_from_tuple<cs::pair<int, float>>(t) == cs::pair<int, float>(n, 2.5f)) && (cs::pair<int, int>(1, 2) < cs::pair<int, int>(1, 3)));
	CHECK(cs::get<float>(cs::pair<int, float>(1, 2.0f)) == 2 && (cs::is_invocable_r_v<float, decltype(kind()), int>) && !cs::is_invocable_v<kind, void *>);
	enum class e : short {};
	CHECK(cs::is_scoped_enum_v<e> && cs::is_bounded_array_v<int[2]> && !cs::is_bounded_array_v<int[]> && (cs::is_same_v<cs::type_identity_t<int>, int>));
	CHECK((cs::conjunction_v<cs::false_type, cs::optional<int>>) == false && cs::invoke(cs::plus<>(), n, 1) == 6 && &cs::ref(got).get() == &got);
}
