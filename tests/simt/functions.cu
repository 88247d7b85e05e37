// SPDX-License-Identifier: MIT
/* What kernels call: functions of mathematics, cooperative groups, numbers of 16 bits, bits. check runs each kernel. */
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace cg = cooperative_groups;

#if __CUDA_ARCH__ != 800 || !defined(__CUDACC__)
#error "check compiles this file with -arch=sm_80"
#endif

/* How far @got is from @want in numbers between them */
__device__ static unsigned long long ulps(double got, double want)
{
	long long a = __double_as_longlong(got), b = __double_as_longlong(want);

	if (got != got && want != want)
		return 0;
	return (unsigned long long)(a > b ? a - b : b - a);
}

/* The double functions, each of which has a line of @want and the distance that it may have; @bad: one that has more, from 1 */
extern "C" __global__ void doubles(const double *x, const double *y, const double *want, const unsigned int *may, int *bad,
				   int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	double a, b, one;

	if (i >= n)
		return;
	a = x[i];
	b = y[i];
	one = a - floor(a); /* from 0 to 1 */
	double got[] = { pow(fabs(a), b), atan(a), atan2(a, b), asin(one), acos(one), hypot(a, b), cbrt(a), fmod(a, b),
			 expm1(one), log1p(one), erf(a / 8), erfc(a / 8), asinh(a), acosh(1 + fabs(a)), atanh(one / 2),
			 remainder(a, b), exp10(b), fdim(a, b) };

	for (int f = 0; f < (int)(sizeof(got) / sizeof(got[0])); f++)
		if (ulps(got[f], want[f * n + i]) > may[f])
			*bad = f + 1;
}

#define NEAR(got, want) (fabsf((float)(got) - (float)(want)) <= 1e-6f * fabsf((float)(want)))
#define CHECK(what) do { if (!(what)) atomicCAS(bad, 0, __LINE__); } while (0)

/* Is the fast form, of numbers of all sizes, the exact one or next to that? */
__device__ static bool alike(float (*fast)(float), float (*exact)(float))
{
	for (unsigned int n = 0; n < 4096; n++) {
		float x = __uint_as_float(n * 1048573u), got = fast(x), want = exact(x);

		if (!(isnan(got) && isnan(want)) && abs(__float_as_int(got) - __float_as_int(want)) > 1)
			return false;
	}
	return true;
}

/* The line of the first check that fails, or 0 */
extern "C" __global__ void overloads(int *bad)
{
	float third = 1.0f / 3;
	int e = 0;
	float whole = 0, s = 0, c = 0;

	static_assert(sizeof(sqrt(1.0f)) == 4 && sizeof(sqrt(1)) == 8 && sizeof(pow(1.0f, 1.0f)) == 4, "types of results");
	static_assert(sizeof(max(1, 2.0)) == 8 && sizeof(min(1u, 2)) == 4 && sizeof(fmax(1.0f, 2.0)) == 8, "types of results");
	CHECK(alike(__expf, expf) && alike(__logf, logf));
	CHECK(__expf(-INFINITY) == 0 && __expf(-104) == 0 && __expf(89) == INFINITY && __expf(0) == 1 && isnan(__expf(NAN)));
	CHECK(__logf(0) == -INFINITY && __logf(INFINITY) == INFINITY && __logf(1) == 0 && isnan(__logf(-1)) && isnan(__logf(NAN)));
	CHECK(NEAR(__expf(1), 2.7182818f) && NEAR(__logf(10), 2.3025851f) && NEAR(__powf(2, 0.5f), 1.4142136f));
	CHECK(NEAR(__sinf(third), 0.3271947f) && NEAR(__cosf(third), 0.9449569f) && NEAR(exp10f(2), 100));
	CHECK(NEAR(rsqrtf(4), 0.5f) && NEAR(sqrt(2), 1.4142136f) && NEAR(pow(third, 2), 1.0f / 9) && abs(-2.5f) == 2.5f);
	CHECK(NEAR(erfcf(1), 0.1572992f) && NEAR(lgammaf(5), 3.1780538f) && NEAR(tgammaf(5), 24) && NEAR(normcdff(1), 0.8413447f));
	CHECK(sinpif(0.5f) == 1 && cospif(1) == -1 && fdimf(3, 1) == 2 && remainderf(5, 3) == -1 && hypot(3.0f, 4.0f) == 5);
	CHECK(frexpf(12, &e) == 0.75f && e == 4 && ldexpf(0.75f, 4) == 12 && modff(2.75f, &whole) == 0.75f && whole == 2);
	sincosf(third, &s, &c);
	CHECK(NEAR(s, 0.3271947f) && NEAR(c, 0.9449569f) && ilogbf(8) == 3 && logbf(9) == 3);
	CHECK(__float2int_rn(2.5f) == 2 && __float2int_rz(-2.7f) == -2);
	CHECK(__float2int_ru(2.1f) == 3 && __float2int_rd(-2.1f) == -3);
	CHECK(__float2int_rn(1e20f) == 2147483647 && __float2uint_rz(-1) == 0);
	CHECK(__double2ll_rn(1e300) == 9223372036854775807LL);
	CHECK(min(3, 2u) == 2 && max(-1, 1L) == 1 && umax(1u, 0xffffffffu) == 0xffffffffu && min(1.5, 2) == 1.5);
	CHECK(__byte_perm(0x33221100, 0x77665544, 0x7531) == 0x77553311 && __byte_perm(0x80, 0, 0x4448) == 0xff);
	CHECK(__funnelshift_l(0x80000000, 1, 1) == 3 && __funnelshift_r(1, 3, 1) == 0x80000000 && __hadd(-3, 2) == -1);
	CHECK(__sad(-3, 4, 10) == 17 && __usad(4, 3, 1) == 2 && __mul64hi(-1, 1) == -1);
	CHECK(__hiloint2double(0x3ff00000, 0) == 1 && __double2hiint(2) == 0x40000000 && __double2loint(1) == 0);
	CHECK(isnan(CUDART_NAN_F) && isinf(CUDART_INF) && !isfinite(CUDART_INF_F) && signbit(-0.0f) && NEAR(CUDART_PI_F, M_PI));
	CHECK(__isGlobal(bad) && __isLocal(&e) && !__isShared(bad));
}

/* Each thread tells of the first check that fails; blocks of 64 threads */
extern "C" __global__ void groups(int *bad, const int *numbers)
{
	__shared__ int copy[64];
	cg::thread_block block = cg::this_thread_block();
	auto warp = cg::tiled_partition<32>(block);
	auto eight = cg::tiled_partition<8>(warp);
	cg::thread_block_tile<8> any_eight = eight;
	cg::thread_group four = cg::tiled_partition(block, 4);
	int t = (int)block.thread_rank();

	CHECK(cg::reduce(warp, t, cg::plus<int>()) == (t / 32 ? 1520 : 496));
	CHECK(cg::reduce(eight, t, cg::greater<int>()) == t / 8 * 8 + 7 && cg::reduce(eight, t, cg::less<int>()) == t / 8 * 8);
	CHECK(cg::reduce(warp, 1.5f, cg::plus<>()) == 48 && cg::reduce(eight, 1u << t % 8, cg::bit_or<unsigned int>()) == 255);
	CHECK(cg::inclusive_scan(warp, 1) == t % 32 + 1 && cg::exclusive_scan(eight, 2, cg::plus<int>()) == t % 8 * 2);
	CHECK(eight.meta_group_rank() == (unsigned)t / 8 % 4 && eight.meta_group_size() == 4 && warp.meta_group_size() == 2);
	CHECK(any_eight.thread_rank() == (unsigned)t % 8 && four.size() == 4 && four.thread_rank() == (unsigned)t % 4);
	CHECK(four.shfl(t, 2) == t / 4 * 4 + 2 && four.ballot(t % 2) == 10 && four.meta_group_rank() == (unsigned)t / 4);
	CHECK(cg::reduce(four, t, cg::plus<int>()) == t / 4 * 16 + 6);
	CHECK(cg::reduce(cg::labeled_partition(warp, t % 3), 1, cg::plus<int>()) == (t % 3 == 2 - t / 32 ? 10 : 11));
	if (t % 2) {
		cg::coalesced_group odd = cg::coalesced_threads();

		CHECK(odd.size() == 16 && odd.thread_rank() == (unsigned)t % 32 / 2);
		CHECK(odd.shfl_down(t, 1) == (t % 32 == 31 ? t : t + 2));
	}
	cg::memcpy_async(block, copy, numbers, sizeof(copy));
	cg::wait(block);
	CHECK(copy[63 - t] == numbers[63 - t]);
}

/* A number of 16 bits is as C's conversions have it, which @halves and @bfloats tell */
extern "C" __global__ void small_floats(int *bad, const float *in, const unsigned short *halves, const unsigned short *bfloats,
					__half *sum, __nv_bfloat162 *pair_sum)
{
	int t = (int)threadIdx.x;
	__half h = __float2half(in[t]), one = 1.0f;
	__nv_bfloat16 b = __float2bfloat16(in[t]);
	half2 p = __halves2half2(h, one);

	CHECK(__half_as_ushort(h) == halves[t] && __bfloat16_as_ushort(b) == bfloats[t]);
	CHECK(__hadd(h, one) == __half(__half2float(h) + 1.0f) && h * one == h && (h < one) == (__half2float(h) < 1));
	CHECK(__low2float(__hmul2(p, p)) == __half2float(h * h) && __high2float(__hadd2(p, p)) == 2);
	CHECK(__half2float(__hfma(h, one, one)) == __half2float(h + one) && __hmax(h, one) >= one);
	CHECK(__bfloat162float(b + b) == 2 * __bfloat162float(b) && __half2int_rz(__half(2.75f)) == 2);
	CHECK(__half22float2(p).y == 1 && __float22half2_rn(make_float2(3, 4)).y == __half(4.0f));
	atomicAdd(&sum[1], one);
	atomicAdd(pair_sum, __nv_bfloat162(1.0f, 2.0f));
}
