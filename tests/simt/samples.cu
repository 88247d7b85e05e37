// SPDX-License-Identifier: MIT
/*
 * What public samples' kernels have beyond words.cu: headers with shared memory and clusters, groups of any kind as arguments,
 * numbers in parts of words, directed roundings, atomics of every scope. tests/simt/check runs them.
 */
#include <cuda_runtime.h>
#include <crt/device_functions.h>
#include <sm_61_intrinsics.h>
#include <cuda_profiler_api.h>
#include <time.h>
#include <cmath>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_fp16.hpp>
#include <cuda_pipeline.h>
#include <cuComplex.h>
#include "samples.cuh"
#define CHECK(what) do { if (!(what)) atomicCAS(bad, 0, __LINE__); } while (0)
namespace cg = cooperative_groups;

/* 8 bytes of dynamic shared memory for each thread */
extern "C" __global__ void words_of_headers(int *out)
{
	int *p = SharedMemory<int>().get(), t = threadIdx.x, last = blockDim.x - 1;

	p[t] = t;
	aligned[t & 3] = 100;
	__syncthreads();
	SHARED_ARRAY(int, same);
	out[t] = same[last - t] + (int)aligned[0] + 1000 * ((char *)(of_the_header + 1) - (char *)SharedMemory<float>().get());
}

/* nvcc takes kernels that are static, and templates of them */
extern "C" { static __global__ void a_static_kernel(int *out) { out[threadIdx.x] = 5 + threadIdx.x; } }
template <int n> static
__global__ void static_template(int *out) { out[threadIdx.x] = n; }
template __global__ void static_template<7>(int *);

extern "C" __global__ void PAIRS pairs_of_a_macro(int *out) { out[blockIdx.x] = 3; }

/* The sum of the members' numbers by a tree, for a group of any kind; -1 but for the first member */
__device__ int sum_of(cg::thread_group g, int *x, int value)
{
	int rank = g.thread_rank();

	for (int i = g.size() / 2; i > 0; i /= 2) {
		x[rank] = value;
		g.sync();
		if (rank < i)
			value += x[rank + i];
		g.sync();
	}
	return rank ? -1 : value;
}

struct Triple { double a, b, c; };

/* Blocks of 64 threads with 256 bytes of dynamic shared memory, in a cooperative launch */
extern "C" __global__ void any_group(int *bad)
{
	extern __shared__ int work[];
	cg::thread_block block = cg::this_thread_block();
	auto tile = cg::tiled_partition<16>(block);
	auto warp = cg::tiled_partition<32>(block);
	cg::thread_group eight = cg::tiled_partition(block, 8), four = cg::tiled_partition(eight, 4);
	cg::thread_group grid = cg::this_grid(), whole = block, two = cg::tiled_partition(whole, 2);
	int t = block.thread_rank(), sum;

	sum = sum_of(block, work, t);
	CHECK(sum == (t ? -1 : 2016));
	block.sync();
	sum = sum_of(tile, work + t / 16 * 16, t % 16);
	CHECK(sum == (t % 16 ? -1 : 120));
	sum = sum_of(eight, work + t / 8 * 8, 1);
	CHECK(sum == (t % 8 ? -1 : 8));
	sum = sum_of(four, work + t / 4 * 4, 1);
	CHECK(sum == (t % 4 ? -1 : 4));
	CHECK(two.size() == 2 && two.thread_rank() == t % 2u && whole.size() == 64 && whole.is_valid());
	CHECK(grid.size() == 64ull * gridDim.x && grid.thread_rank() == blockIdx.x * 64ull + t && grid.is_valid());
	grid.sync();
	CHECK(cg::this_grid().dim_blocks().x == gridDim.x && cg::this_grid().block_index().x == blockIdx.x);
	/* values of more than 8 bytes */
	uint4 q = warp.shfl_xor(make_uint4(t, 1, 2, 3), 1);
	CHECK(q.x == (t ^ 1u) && q.w == 3);
	Triple three = warp.shfl_down(Triple{ t + 0.5, 2, 3.25 }, 2);
	CHECK(t % 32 >= 30 || three.a == t + 2.5);
	CHECK(three.c == 3.25);
	CHECK(warp.shfl(make_float3(t, 2, 9), 5).x == t / 32 * 32 + 5 && warp.shfl_up(make_int3(t, 0, 8), 40).z == 8);
	if (t % 3 == 0) {
		cg::coalesced_group some = cg::coalesced_threads();

		CHECK(some.shfl(Triple{ t * 1.0, 1, 2 }, 1).b == 1);
	}
}

extern "C" __global__ void every_scope(int *bad, unsigned int *u, float *f)
{
	int t = threadIdx.x;

	atomicInc_system(&u[0], 100);
	atomicDec_block(&u[1], 100);
	atomicInc_block(&u[2], 9);
	atomicDec_system(&u[3], 9);
	atomicAdd((float2 *)f, make_float2(1, 2));
	atomicAdd((float4 *)(f + 4), make_float4(1, 2, 3, 4));
	__syncthreads();
	if (t)
		return;
	CHECK(u[0] == 32 && u[1] == 69 && u[2] == 2 && u[3] == 8);
	CHECK(f[0] == 32 && f[1] == 64 && f[4] == 32 && f[7] == 128);
}

extern "C" __global__ void extremes(int *bad)
{
	const int most = 0x7fffffff, least = -most - 1;
	bool high, low;

	CHECK(__viaddmax_s32(3, 4, 9) == 9 && __viaddmax_s32(3, 4, -9) == 7 && __viaddmax_s32(most, 1, 0) == 0);
	CHECK(__viaddmin_s32(3, 4, 9) == 7 && __viaddmin_s32(most, 1, 0) == least && __viaddmin_s32_relu(-3, 1, 5) == 0);
	CHECK(__viaddmax_s32_relu(-3, 1, -5) == 0 && __viaddmax_s32_relu(3, 1, -5) == 4);
	CHECK(__viaddmax_u32(0xffffffff, 2, 0) == 1 && __viaddmin_u32(5, 6, 0xfffffff0) == 11 && __viaddmin_u32(0xffffffff, 2, 9) == 1);
	CHECK(__viaddmax_s16x2(0x0001ffff, 0x0001ffff, 0x00050003) == 0x00050003);
	CHECK(__viaddmin_s16x2(0x7fffffff, 0x0001ffff, 0x00050003) == 0x8000fffe);
	CHECK(__viaddmax_s16x2_relu(0x0003fffe, 0x00010001, 0xfff0fff0) == 0x00040000);
	CHECK(__viaddmin_s16x2_relu(0x0003fffe, 0x00010001, 0x00100010) == 0x00040000);
	CHECK(__viaddmax_u16x2(0xffff0001, 0x00020001, 0x00000009) == 0x00010009 && __viaddmin_u16x2(0xffff8000, 0, 0x8000ffff) == 0x80008000);
	CHECK(__vimax3_s32(-1, -7, -2) == -1 && __vimin3_s32(-1, -7, -2) == -7 && __vimax3_s32_relu(-1, -7, -2) == 0);
	CHECK(__vimin3_s32_relu(1, 7, 2) == 1 && __vimin3_s32_relu(1, -7, 2) == 0);
	CHECK(__vimax3_u32(1, 0xffffffff, 2) == 0xffffffff && __vimin3_u32(3, 0xffffffff, 2) == 2);
	CHECK(__vimax3_s16x2(0x0001ffff, 0x8000fffe, 0xfffffffd) == 0x0001ffff && __vimin3_s16x2(0x0001ffff, 0x8000fffe, 0xfffffffd) == 0x8000fffd);
	CHECK(__vimax3_s16x2_relu(0x8000ffff, 0x8000fffe, 0x0002fffd) == 0x00020000 && __vimin3_s16x2_relu(0x00020003, 0x00030004, 0xffff0009) == 3);
	CHECK(__vimax3_u16x2(0x0001ffff, 0x80000002, 3) == 0x8000ffff && __vimin3_u16x2(0x0001ffff, 0x80000002, 0x00020003) == 0x00010002);
	CHECK(__vimax_s32_relu(-3, -2) == 0 && __vimax_s32_relu(-3, 2) == 2 && __vimin_s32_relu(3, 2) == 2 && __vimin_s32_relu(3, -2) == 0);
	CHECK(__vimax_s16x2_relu(0xfffe0003, 0xffff0002) == 3 && __vimin_s16x2_relu(0xfffe0003, 0x00010002) == 2);
	CHECK(__vibmax_s32(-1, 1, &high) == 1 && !high && __vibmax_s32(2, 2, &high) == 2 && high);
	CHECK(__vibmin_s32(-1, 1, &high) == -1 && high && __vibmin_s32(3, 2, &high) == 2 && !high);
	CHECK(__vibmax_u32(0xffffffff, 1, &high) == 0xffffffff && high && __vibmin_u32(0xffffffff, 1, &high) == 1 && !high);
	CHECK(__vibmax_s16x2(0xffff0003, 0x00010002, &high, &low) == 0x00010003 && !high && low);
	CHECK(__vibmin_s16x2(0xffff0003, 0x00010002, &high, &low) == 0xffff0002 && high && !low);
	CHECK(__vibmax_u16x2(0xffff0003, 0x00010004, &high, &low) == 0xffff0004 && high && !low);
	CHECK(__vibmin_u16x2(0xffff0003, 0x00010004, &high, &low) == 0x00010003 && !high && low);
	/* a char has a sign, as on the host */
	char c = (char)(*bad - 1);
	CHECK(c < 0 && (char)-1 == -1);
	CHECK(llmin(-5, 3) == -5 && llmax(-5, 3) == 3 && ullmin(~0ull, 3) == 3 && ullmax(~0ull, 3) == ~0ull);
	CHECK(__fns(0xf0f0, 0, 1) == 4 && __fns(0xf0f0, 0, 5) == 12 && __fns(0xf0f0, 5, 1) == 5 && __fns(0xf0f0, 0, 9) == ~0u);
	CHECK(__fns(0xf0f0, 15, -1) == 15 && __fns(0xf0f0, 15, -5) == 7 && __fns(0xf0f0, 3, -1) == ~0u);
	CHECK(__fns(0xf0f0, 4, 0) == 4 && __fns(0xf0f0, 3, 0) == ~0u);
	CHECK(__fmaf_ieee_rn(2, 3, 4) == 10 && __fmaf_ieee_ru(1, 1, 1e-20f) > 1 && __fmaf_ieee_rd(1, 1, 1e-20f) == 1);
	CHECK(__half2char_rz(__float2half(-3.9f)) == -3 && __half2uchar_rz(__float2half(3.9f)) == 3 && __half2char_rz(__float2half(999)) == 127);
}

/* Addresses as numbers in a kind of memory, and back */
extern "C" __global__ void kinds_of_addresses(int *bad)
{
	__shared__ int shared[2];
	static __constant__ int constant = 3;
	int local = 1;

	CHECK(__cvta_shared_to_generic(__cvta_generic_to_shared(&shared[1])) == &shared[1]);
	CHECK(__cvta_global_to_generic(__cvta_generic_to_global(bad)) == bad && __isGlobal(bad) && !__isConstant(bad));
	CHECK(__cvta_local_to_generic(__cvta_generic_to_local(&local)) == &local && !__isGridConstant(&local));
	CHECK(__cvta_constant_to_generic(__cvta_generic_to_constant(&constant)) == &constant);
}

/* Grids of 2 x 3 clusters of 2 x 1 blocks */
extern "C" __global__ void __cluster_dims__(2, 1, 1) places_of_clusters(int *bad)
{
	CHECK(__clusterDimIsSpecified() && __clusterDim().x == 2 && __clusterDim().y == 1 && __clusterSizeInBlocks() == 2);
	CHECK(__clusterIdx().x == blockIdx.x / 2 && __clusterIdx().y == blockIdx.y && __clusterIdx().z == 0);
	CHECK(__clusterGridDimInClusters().x == 2 && __clusterGridDimInClusters().y == 3 && __clusterGridDimInClusters().z == 1);
	CHECK(__clusterRelativeBlockIdx().x == blockIdx.x % 2 && __clusterRelativeBlockRank() == blockIdx.x % 2);
	__cluster_barrier_arrive_relaxed();
	__cluster_barrier_wait();
}

extern "C" __global__ void parts_of_words(int *bad)
{
	CHECK(__vadd4(0x01020304, 0x010101ff) == 0x02030403 && __vsub4(0x02030400, 0x01010101) == 0x010203ff);
	CHECK(__vadd2(0x0001ffff, 0x00010001) == 0x00020000 && __vsub2(0x00010000, 0x00010001) == 0xffff);
	int wide = 0x0aff0001 + *bad;
	CHECK(__mul24(wide, 2) == -131070 && __umul24((unsigned int)wide, 2) == 0x01fe0002 && __mul24(wide, -wide) == 0x1ffff);
	CHECK(__vaddss4(0x7f80017f, 0x01ff017f) == 0x7f80027f && __vaddus4(0xff01fe80, 0x010101ff) == 0xff02ffff);
	CHECK(__vsubss2(0x80000005, 0x00010007) == 0x8000fffe && __vsubus2(0x00050007, 0x00070005) == 0x00000002);
	CHECK(__vhaddu4(0x03030303, 0x04040404) == 0x03030303 && __vavgu4(0x03030303, 0x04040404) == 0x04040404);
	CHECK(__vavgs4(0xff03fe80, 0xfe04ff80) == 0xfe04fe80);
	CHECK(__vmaxs4(0xff010080, 0x00000000) == 0x00010000 && __vmaxu4(0xff010080, 0x01020304) == 0xff020380);
	CHECK(__vmins2(0xffff0005, 0x00000007) == 0xffff0005 && __vminu2(0xffff0005, 0x00010007) == 0x00010005);
	CHECK(__vabsdiffs4(0x80ff0110, 0x7f010205) == 0xff02010b && __vabsdiffu4(0x80ff0110, 0x7f010205) == 0x01fe010b);
	CHECK(__vsads4(0x80ff0110, 0x7f010205) == 0xff + 2 + 1 + 0xb && __vsadu2(0x00050007, 0x00070004) == 5);
	CHECK(__vcmpeq4(0x01020304, 0x01030304) == 0xff00ffff && __vsetne4(0x01020304, 0x01030304) == 0x00010000);
	CHECK(__vcmpgts4(0xff010203, 0x00000303) == 0x00ff0000 && __vcmpgtu4(0xff010203, 0x00000303) == 0xffff0000);
	CHECK(__vsetles2(0xffff0001, 0x00000001) == 0x00010001 && __vsetltu2(0xffff0001, 0x00000001) == 0);
	CHECK(__vcmpges2(0xffff0001, 0xffff0002) == 0xffff0000 && __vcmpleu4(0x01020304, 0x02020202) == 0xffff0000);
	CHECK(__vneg4(0x01ff0080) == 0xff010080 && __vnegss4(0x01ff0080) == 0xff01007f);
	CHECK(__vabs4(0x80ff017f) == 0x8001017f && __vabsss4(0x80ff017f) == 0x7f01017f && __vabs2(0xffff0003) == 0x00010003);
	CHECK(__dp4a(0x01020304, 0x01010101, 5) == 15 && __dp4a((int)0xffffffff, 0x01010101, 5) == 1);
	CHECK(__dp4a(0xffffffffu, 0x01010101u, 1u) == 1021 && __dp4a(make_char4(-1, 2, 3, 4), make_char4(2, 1, 1, 1), 0) == 7);
	CHECK(__dp4a(make_uchar4(255, 0, 0, 1), make_uchar4(2, 9, 9, 3), 1u) == 514);
	CHECK(__dp2a_lo(0x00020003, 0x0101, 1) == 6 && __dp2a_hi((int)0xfffe0003, 0x02010000, 1) == 0);
	CHECK(__dp2a_lo(0xffff0001u, 0xff02u, 0u) == 0xffffu * 0xff + 2 && __dp2a_hi(make_short2(-1, 2), make_char4(9, 9, 5, 6), 0) == 7);
	CHECK(__funnelshift_lc(0x80000000, 1, 1) == 3 && __funnelshift_lc(5, 1, 32) == 5 && __funnelshift_lc(5, 1, 99) == 5);
	CHECK(__funnelshift_rc(2, 1, 1) == 0x80000001 && __funnelshift_rc(2, 1, 32) == 1 && __urhadd(3, 4) == 4);
	CHECK(__urhadd(0xffffffff, 0xfffffffe) == 0xffffffff);
}

/* @one: 1, which the compiler does not know */
extern "C" __global__ void directions(int *bad, float one)
{
	double d = one;
	float least = 1e-30f * one, third = __fdiv_rd(one, 3);

	CHECK(__fadd_rz(one, least) == 1 && __fadd_rd(one, least) == 1 && __fadd_ru(one, least) == nextafterf(1, 2));
	CHECK(__fsub_rz(one, least) == nextafterf(1, 0) && __fsub_ru(one, least) == 1 && __fsub_rd(-one, least) == nextafterf(-1, -2));
	CHECK(__fdiv_ru(one, 3) == nextafterf(third, 1) && __fdiv_rz(-one, 3) == -third);
	CHECK(__fmul_ru(third, 0.1f) == nextafterf(__fmul_rd(third, 0.1f), 1) && __fmul_rz(-third, 0.1f) == -__fmul_rd(third, 0.1f));
	CHECK(__fsqrt_ru(2 * one) == nextafterf(__fsqrt_rd(2 * one), 2) && __frcp_ru(3 * one) == nextafterf(third, 1));
	CHECK(__fmaf_rz(one, one, least) == 1 && __fmaf_ru(one, one, least) == nextafterf(1, 2) && __fmaf_rd(one, -one, -least) < -1);
	CHECK(__dadd_rz(d, -1e-30) == nextafter(1.0, 0.0) && __dadd_ru(d, -1e-30) == 1 && __dsub_rd(d, 1e-30) < 1);
	CHECK(__dmul_ru(0.1 * d, 0.1) == nextafter(__dmul_rd(0.1 * d, 0.1), 1.0) && __drcp_ru(3 * d) > __drcp_rz(3 * d));
	CHECK(__ddiv_ru(d, 3) == nextafter(__ddiv_rd(d, 3), 1.0) && __dsqrt_ru(2 * d) > __dsqrt_rz(2 * d) && __fma_ru(d, d, 1e-30) > 1);
	CHECK(__double2float_ru(d + 1e-12) == nextafterf(1, 2) && __double2float_rz(d + 1e-12) == 1 && __double2float_rd(-d - 1e-12) < -1);
	int whole = (int)(16777217 * d);
	CHECK(__int2float_ru(whole) == 16777218 && __int2float_rz(whole) == 16777216 && __int2float_rd(-whole) == -16777218);
	CHECK(__uint2float_rz(0xffffffffu * (unsigned int)one) == 4294967040.0f && __ull2float_ru(~0ull * (unsigned int)one) == 18446744073709551616.0f);
	CHECK(__ll2float_rd(-16777217ll * whole / whole) == -16777218 && __ll2double_ru((1ll << 53) + whole / whole) == 9007199254740994.0);
	CHECK(__ull2double_rz(~0ull * (unsigned int)one) < 18446744073709551616.0);
}

extern "C" __global__ void inverses(int *bad)
{
	double x = -5.5 + threadIdx.x * (11.0 / 256), p = erfc(x), err;

	/* the inverse of what a function gives is where it came from, as far as the function's own steps tell */
	err = fabs(erfcinv(p) - x) * (M_2_SQRTPI * exp(-x * x)) / (p * 2.3e-16);
	CHECK(err < 8);
	if (fabs(x) < 1)
		CHECK(fabs(erfinv(erf(x)) - x) < 1e-15 && fabsf(erfinvf(erff((float)x)) - (float)x) < 1e-6f);
	CHECK(fabs(erfinv(0.5) - 0.47693627620446987) < 1e-15 && fabs(erfcinv(1e-10) - 4.572824967389486) < 2e-14);
	CHECK(fabs(normcdfinv(0.975) - 1.9599639845400543) < 1e-14 && fabsf(normcdfinvf(0.025f) + 1.959964f) < 1e-6f);
	CHECK(std::isinf(erfinv(1)) && erfinv(-1) < 0 && std::isinf(erfcinv(0)) && std::isnan(erfinvf(2)) && std::isnan(erfcinv(-1)));
	CHECK(erfinv(0) == 0 && std::signbit(erfinv(-0.0)) && std::isinf(normcdfinv(0)) && std::abs(erfcinvf(1)) == 0);
	CHECK(nextafterf(0, 1) == 1.4e-45f && nextafterf(0, -1) == -1.4e-45f && nextafter(1.0, 1.0) == 1 && std::isnan(nextafter(NAN, 1.0)));
	CHECK(nextafterf(-1, 0) > -1 && nextafter(-1.0, -2.0) < -1);
	/* std has functions by their types, as the global names are */
	static_assert(sizeof(std::sqrt(2.0f)) == 4 && sizeof(std::pow(2.0f, 3.0f)) == 4 && sizeof(std::fma(1.0, 2.0, 3.0)) == 8, "");
	CHECK(std::abs(-2.5f) == 2.5f && std::pow(2.0, 3) == 8 && std::floor(2.5f) == 2 && std::hypot(3.0f, 4.0f) == 5);
}

struct Shape {
	__device__ virtual int corners() const = 0;
};
struct Square : Shape {
	int n;
	__device__ Square(int n) : n(n) {}
	__device__ int corners() const override { return n; }
};
extern "C" __global__ void made_in_place(int *out, const int *in)
{
	__shared__ __align__(16) char room[64];
	__shared__ int copied[32];
	const Shape *shape = new (room + threadIdx.x % 2 * 16) Square(4);

	__pipeline_memcpy_async(&copied[threadIdx.x], in + threadIdx.x, 4, threadIdx.x == 1 ? 4 : 0);
	__pipeline_commit();
	__pipeline_wait_prior(0);
	out[threadIdx.x] = shape->corners() + copied[threadIdx.x];
}

/* Everything of cuComplex.h with numbers whose results are exact, and divisors whose squares are out of range */
extern "C" __global__ void complex_numbers(int *bad, float two)
{
	cuComplex a = make_cuComplex(1, two), b = make_cuFloatComplex(3, -4), p = cuCmulf(a, b), q = cuCdivf(p, b);
	cuDoubleComplex d = make_cuDoubleComplex(1e200 * two, 1e200), e = cuCdiv(d, d);

	CHECK(cuCrealf(p) == 11 && cuCimagf(p) == 2 && cuCabsf(b) == 5);
	CHECK(fabsf(q.x - 1) < 1e-6f && fabsf(q.y - 2) < 1e-6f);
	CHECK(cuCaddf(a, b).y == -2 && cuCsubf(a, b).x == -2 && cuConjf(b).y == 4);
	CHECK(cuCfmaf(a, b, a).x == 12 && cuCfmaf(a, b, a).y == 4);
	CHECK(fabs(e.x - 1) < 1e-15 && fabs(e.y) < 1e-15 && cuCabs(d) > 2.2e200);
	CHECK(cuComplexDoubleToFloat(cuComplexFloatToDouble(b)).y == -4);
}
