// SPDX-License-Identifier: MIT
/*
 * What CUDA's kernels are made of beyond kernels.cu and functions.cu: templates, lambdas, virtual functions, recursion, constants,
 * shared variables of many types, loops of compare-and-swap, formats of printf(). tests/simt/check runs them.
 */
#include <cuda_runtime.h>
#include <device_launch_parameters.h>
#include <cuda_fp16.h>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <stdio.h>
#include <math.h>
#include <assert.h>
#define CHECK(what) do { if (!(what)) atomicCAS(bad, 0, __LINE__); } while (0)
namespace cg = cooperative_groups;

/* classes that copy by a constructor of their own, or that the host alone makes: each thread has a copy */
struct Complex {
	float re, im;
	__host__ __device__ Complex(float r, float i) : re(r), im(i) {}
	__host__ __device__ Complex(const Complex &of) : re(of.re), im(of.im) {}
};
struct MadeByTheHost {
	int a[6];
	MadeByTheHost(int of);
	~MadeByTheHost();
};
extern "C" __global__ void classes_by_value(Complex c, int n, MadeByTheHost m, float *out)
{
	c.re += threadIdx.x;
	m.a[5] += threadIdx.x;
	__syncthreads();
	out[threadIdx.x] = c.re + 10 * c.im + 100 * n + 1000 * m.a[5];
}

/* numbers of a thread are unsigned int, also for printf() and templates */
template <class T> __device__ T larger(T a, T b) { return a < b ? b : a; }
extern "C" __global__ void prints_places(unsigned int *out)
{
	auto x = threadIdx.x;
	static_assert(sizeof(x) == sizeof(unsigned int), "");
	out[x] = larger(threadIdx.x, 1u) + (threadIdx.x > 2 ? threadIdx.x : blockDim.x);
	if (threadIdx.x == 3)
		printf("%d of %d at %u, %d\n", threadIdx.x, blockDim.x, threadIdx.y, blockIdx.x);
}

/* other compilers evaluate functions of <math.h> while they compile */
__device__ constexpr float inverse_log() { return 1.f / ::log(10.f); }
extern "C" __global__ void log10_by_hand(float *x) { x[threadIdx.x] = ::log(x[threadIdx.x]) * inverse_log(); }

__constant__ float coeff[4] = { 1.0f, 2.0f, 3.0f, 4.0f };
__constant__ struct { int a; double b; } conf = { 3, 2.5 };
__device__ int counter = 5;
__device__ float table_dev[8];
static __device__ unsigned int hits;
__device__ const char *const names[] = { "zero", "one" };

template <typename T, int N> struct Stack {
	T v[N]; int n;
	__device__ Stack() : n(0) {}
	__device__ void push(T x) { v[n++] = x; }
	__device__ T pop() { return v[--n]; }
};
template <typename T> __device__ __forceinline__ T warp_sum(T v)
{
#pragma unroll
	for (int o = warpSize / 2; o > 0; o >>= 1)
		v += __shfl_xor_sync(0xffffffffu, v, o);
	return v;
}
template <typename T> __device__ T block_sum(T v)
{
	static __shared__ T part[32];
	int lane = threadIdx.x & 31, w = threadIdx.x >> 5;
	v = warp_sum(v);
	if (lane == 0) part[w] = v;
	__syncthreads();
	v = threadIdx.x < blockDim.x / warpSize ? part[lane] : T(0);
	if (w == 0) v = warp_sum(v);
	return v;
}
__device__ __noinline__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
typedef int (*op_t)(int, int);
__device__ int add_(int a, int b) { return a + b; }
__device__ int mul_(int a, int b) { return a * b; }
__device__ op_t ops_[2] = { add_, mul_ };
struct Base { __device__ virtual int f() const { return 1; } };
struct Derived : Base { int k; __device__ Derived(int k) : k(k) {} __device__ int f() const override { return k; } };
template <typename F> __device__ void apply(int n, F f) { for (int i = 0; i < n; i++) f(i); }
__device__ double atomicAddOld(double *address, double val)
{
	unsigned long long int *p = (unsigned long long int *)address;
	unsigned long long int old = *p, assumed;
	do {
		assumed = old;
		old = atomicCAS(p, assumed, __double_as_longlong(val + __longlong_as_double(assumed)));
	} while (assumed != old);
	return __longlong_as_double(old);
}
__device__ float atomicMaxF(float *a, float v)
{
	int *p = (int *)a, old = *p, assumed;
	do { assumed = old; old = atomicCAS(p, assumed, __float_as_int(fmaxf(v, __int_as_float(assumed)))); } while (assumed != old);
	return __int_as_float(old);
}
enum class Mode : unsigned char { A, B, C };

extern "C" __global__ void __launch_bounds__(256, 2) features(int *bad, const float4 *__restrict__ in4, float4 *out4,
								double *dsum, float *fmaxp)
{
	__shared__ float sf[256];
	__shared__ double sd[16];
	__shared__ int2 si[64];
	__shared__ unsigned char sc[100];
	__shared__ alignas(16) float4 s4[8];
	int t = threadIdx.x;

	sf[t % 256] = t;
	if (t < 16)
		sd[t] = t * 0.5;
	if (t < 64)
		si[t] = make_int2(t, -t);
	if (t < 100)
		sc[t] = t;
	if (t < 8)
		s4[t] = make_float4(t, 1, 2, 3);
	__syncthreads();
	CHECK(sf[255 - t] == 255 - t && sd[t % 16] == (t % 16) * 0.5 && si[t % 64].y == -(t % 64) && sc[t % 100] == t % 100 && s4[t % 8].w == 3);
	float4 v = __ldg(&in4[t]);
	v.x += coeff[0]; v.y *= coeff[1]; v.z = fmaf(v.z, coeff[2], coeff[3]); v.w = rsqrtf(v.w);
	out4[t] = v;
	Stack<int, 16> st;
	for (int i = 0; i < 10; i++)
		st.push(i * t);
	CHECK(st.pop() == 9 * t);
	CHECK(block_sum(1) == 256 || t >= 32);
	CHECK(fib(10) == 55);
	CHECK(ops_[t & 1](3, 4) == (t & 1 ? 12 : 7));
	Derived d(t); const Base *b = &d; CHECK(b->f() == t);
	int acc = 0; apply(5, [&](int i) { acc += i * t; }); CHECK(acc == 10 * t);
	auto sq = [] __device__ (int x) { return x * x; }; CHECK(sq(t) == t * t);
	atomicAddOld(dsum, 0.5); atomicMaxF(fmaxp, (float)t);
	switch (t % 5) {
	case 0: acc = fib(3); break;
	case 1: acc = 7; /* fall through */
	case 2: acc += 1; break;
	case 3: for (int i = 0; i < t; i++) { if (i == 9) break; acc += i; } break;
	default: acc = -1;
	}
	CHECK(t % 5 != 4 || acc == -1); CHECK(t % 5 != 0 || acc == 2); CHECK(t % 5 != 1 || acc == 8);
	CHECK(conf.a == 3 && conf.b == 2.5);
	if (t == 0) { counter = 9; table_dev[3] = 1.5f; }
	atomicInc(&hits, 1000000);
	__threadfence(); __syncthreads();
	CHECK(counter == 9 && table_dev[3] == 1.5f && hits % 256 == 0);
	CHECK(names[t & 1][0] == (t & 1 ? 'o' : 'z'));
	Mode m = (Mode)(t % 3); CHECK((m == Mode::B) == (t % 3 == 1));
	long long c0 = clock64(); clock_t c1 = clock(); CHECK(clock64() >= c0); (void)c1;
	CHECK(__activemask() == 0xffffffffu);
	unsigned ball = __ballot_sync(~0u, t & 1); CHECK(ball == 0xaaaaaaaau && __popc(ball) == 16);
	CHECK(__all_sync(~0u, 1) && __any_sync(~0u, t == 5 || t > 31));
	CHECK(__reduce_add_sync(~0u, 1u) == 32);
	int3 i3 = make_int3(1, 2, 3); uchar4 u4 = make_uchar4(1, 2, 3, 255); double2 d2 = make_double2(1, 2); short2 s2 = make_short2(-1, 1); longlong2 l2 = make_longlong2(1, -1); ulonglong4 ul = {};
	CHECK(i3.z == 3 && u4.w == 255 && d2.y == 2 && s2.x == -1 && l2.y == -1 && ul.x == 0 && sizeof(float3) == 12 && alignof(float4) == 16);
	float si_, co_; __sincosf(0.5f, &si_, &co_); CHECK(fabsf(si_ - 0.4794255f) < 1e-6f);
	CHECK(__saturatef(1.5f) == 1 && __fdividef(6, 3) == 2 && __frcp_rn(4) == 0.25f && __fsqrt_rn(9) == 3 && __fmul_rn(2, 3) == 6 && __fadd_rn(1, 2) == 3 && __fmaf_rn(2, 3, 4) == 10);
	CHECK(__dadd_rn(1, 2) == 3 && __dmul_rn(2, 3) == 6 && __fma_rn(2., 3., 4.) == 10 && __drcp_rn(4) == 0.25 && __dsqrt_rn(9) == 3);
	CHECK(truncf(2.7f) == 2 && rintf(2.5f) == 2 && nearbyintf(3.5f) == 4 && roundf(2.5f) == 3 && copysignf(1, -2) == -1 && lrintf(2.5f) == 2 && llroundf(2.5f) == 3);
	CHECK(isnan(nanf("")) && isinf(INFINITY) && FLT_MAX > 1e38f && INT_MAX == 2147483647 && UINT_MAX == ~0u);
	CHECK(rcbrtf(8) == 0.5f && fabs(norm3df(1, 2, 2) - 3) < 1e-6 && fabs(rnorm3df(1,2,2) - 1/3.f) < 1e-6 && rhypotf(3, 4) > 0.19f);
}

extern "C" __global__ void halfs(int *bad, __half *sum, float *out)
{
	int t = threadIdx.x;
	__half a = __float2half(1.5f), b = __float2half_rn(2.0f);
	half2 h2 = __floats2half2_rn(1, 2);
	CHECK(__half2float(__hadd(a, b)) == 3.5f && __hgt(b, a) && __half2float(hexp(__float2half(0))) == 1);
	CHECK(__half2float(hsqrt(__float2half(4))) == 2 && __low2float(h2) == 1 && __half2float(__hdiv(b, a)) > 1.3f);
	h2 = __hfma2(h2, h2, h2); CHECK(__high2float(h2) == 6);
	CHECK(__half2float(__shfl_down_sync(~0u, a, 1)) == 1.5f && __hisnan(__float2half(NAN)));
	CHECK(__half2float(__int2half_rn(7)) == 7 && __half2short_rz(a) == 1 && __half2float(__habs(__hneg(a))) == 1.5f);
	unsigned short *p = (unsigned short *)sum, old = *p, assumed;
	do { assumed = old; old = atomicCAS(p, assumed, __half_as_ushort(__hadd(__ushort_as_half(assumed), __float2half(1)))); } while (old != assumed);
	atomicAdd((half2 *)(sum + 2), __floats2half2_rn(1, 2));
	if (t == 0) out[0] = __half2float(a);
}
extern __shared__ unsigned char dyn[];
template <typename T> __global__ void tmpl(const T *a, T *b, int n)
{
	T *s = reinterpret_cast<T *>(dyn);

	s[threadIdx.x] = a[threadIdx.x];
	__syncthreads();
	b[threadIdx.x] = s[n - 1 - threadIdx.x];
}
template __global__ void tmpl<float>(const float *, float *, int);
template __global__ void tmpl<double>(const double *, double *, int);

template <typename T> __device__ T first_of(T *p) { return p[0]; }

/* The same array, declared in a function, is a pointer there */
extern "C" __global__ void dynamic_in_function(int *out)
{
	extern __shared__ int s[];
	auto *p = s;
	float *f = reinterpret_cast<float *>(s) + blockDim.x;

	s[threadIdx.x] = threadIdx.x + 1;
	f[threadIdx.x] = 0.5f;
	__syncthreads();
	auto sum = [=](int i) { return p[i] + (int)(2 * f[i]) + first_of(s); };
	out[threadIdx.x] = sum(blockDim.x - 1 - threadIdx.x);
}

extern "C" __global__ void prints(int n)
{
	if (threadIdx.x == 0) {
		printf("%d %5d %-5d| %05d %+d %u %x %X %#x %o %c %s %%\n", 1, 2, 3, 4, 5, 6u, 255, 255, 255, 8, 'c', "str");
		printf("%f %.2f %e %g %10.3f %lld %llu %ld %hd %hhd %p\n", 1.5, 2.25, 1e10, 0.1, 3.14159, -5000000000LL, 5000000000ULL, 7L, (short)-3, (signed char)-4, (void *)0x1234);
		printf("%*d %.*f %s\n", 6, 42, 3, 2.0, n > 1 ? "many" : "one");
	}
}
extern "C" __global__ void groups_(int *bad, int *sum)
{
	cg::thread_block b = cg::this_thread_block();
	auto tile = cg::tiled_partition<32>(b);
	int v = cg::reduce(tile, 1, cg::plus<int>());
	if (tile.thread_rank() == 0) atomicAdd(sum, v);
	b.sync();
	CHECK(*sum == (int)b.size() && b.group_index().x == blockIdx.x && b.thread_index().x == threadIdx.x && b.dim_threads().x == blockDim.x);
	b.sync();
	auto c = cg::coalesced_threads(); CHECK(c.size() == 32 && tile.any(1) && tile.all(1) && tile.shfl_up(3, 1) == 3 && tile.match_any(1) == ~0u);
	cg::sync(b); cg::thread_rank(b);
	if (tile.meta_group_rank() == 0) { auto bin = cg::binary_partition(tile, threadIdx.x % 3 == 0); CHECK(bin.size() == (threadIdx.x % 3 == 0 ? 11 : 21)); }
	cg::invoke_one(tile, [&] { atomicAdd(sum, 1); });
}

/* Lanes that give a shuffle nothing leave their variable without a value */
static __device__ int places_of_active(int *count)
{
	unsigned int lanes = __activemask();
	int lane = threadIdx.x & 31, leader = __ffs(lanes) - 1, first;

	if (lane == leader)
		first = atomicAdd(count, __popc(lanes));
	first = __shfl_sync(lanes, first, leader);
	return first + __popc(lanes & ((1u << lane) - 1));
}
static __device__ int places_of_group(int *count)
{
	auto g = cg::coalesced_threads();
	int first;

	if (g.thread_rank() == 0)
		first = atomicAdd(count, g.size());
	return g.shfl(first, 0) + g.thread_rank();
}
extern "C" __global__ void compact(int *out, int *count, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		if (i % 3 == 0)
			out[blockIdx.x & 1 ? places_of_active(count) : places_of_group(count)] = 1;
}
