// SPDX-License-Identifier: MIT
/* Threads in vector kernels: Simt::VF_CALL, asc_vf_call, and what threads do. */
#include "unit.h"
#include "simt_api/cpp/kernel_simt_math_intf.h"
#include "simt_api/cpp/kernel_simt_warp_level_intf.h"

#include <cstdlib>

#if __NPU_ARCH__ != 2201 || __CCE_AICORE__ != 220 || !__CCE__
#error the macros that tell a generation of cores are those of the newest but one
#endif
static_assert(sizeof(half2) == 4 && alignof(half2) == 4 && sizeof(bfloat16x2_t) == 4 && std::is_same_v<__bf16, bfloat16_t>);
static_assert(Simt::Popc(0xf0f0u) == 8 && Simt::Popc(-1) == 32 && Simt::Popc(int64_t(-1)) == 64);
static_assert(Simt::Ffs(0) == 0 && Simt::Ffs(8) == 4 && Simt::Ffs(1ull << 63) == 64 && Simt::Clz(1u) == 31 &&
	      Simt::Clz(int64_t(0)) == 64 && Simt::Clz(-1) == 0);

constexpr uint32_t MANY = 2048, N = 1000;

__simt_vf__ __aicore__ LAUNCH_BOUND(MANY) inline void Square(__ubuf__ int32_t *x, int64_t n, const uint32_t &times)
{
	for (int64_t i = Simt::GetThreadIdx(); i < n; i += Simt::GetThreadNum<0>())
		x[i] = static_cast<int32_t>(i * i * times);
}

/* every thread of 2048, of 3, of one, with arguments that are converted */
extern "C" __global__ __aicore__ void calls()
{
	LocalTensor<int32_t> x = at<int32_t>(0);
	__ubuf__ int32_t *all = reinterpret_cast<__ubuf__ int32_t *>(x.GetPhyAddr());

	Simt::VF_CALL<Square>(Simt::Dim3(MANY), all, N, 3);
	for (uint32_t i = 0; i < N; i++)
		assert(x.GetValue(i) == int32_t(i * i * 3));
	Simt::VF_CALL<Square>(Simt::Dim3{3, 1, 1}, all, 10u, 2u);
	asc_vf_call<Square>(dim3(1), all, uint16_t(5), 7u);
	for (uint32_t i = 0; i < N; i++)
		assert(x.GetValue(i) == int32_t(i * i * (i < 5 ? 7 : i < 10 ? 2 : 3)));
}

__simt_vf__ inline void Hinted(__gm__ uint32_t *x, __ubuf__ uint32_t *y)
{
	y[threadIdx.x] = __ldg<LD_L2CacheType::L2_CACHE_HINT_NORMAL_FV, L1CacheType::NON_CACHEABLE>(x + threadIdx.x);
	__stg<ST_L2CacheType::L2_CACHE_HINT_NORMAL_FV>(x + threadIdx.x, threadIdx.x * 2);
}

/* loads and stores with hints for caches */
TEST(hints)
{
	static uint32_t words[32];
	LocalTensor<uint32_t> y = at<uint32_t>(0);

	for (uint32_t i = 0; i < 32; i++)
		words[i] = i * 7;
	Simt::VF_CALL<Hinted>(Simt::Dim3(32), (__gm__ uint32_t *)words, reinterpret_cast<__ubuf__ uint32_t *>(y.GetPhyAddr()));
	for (uint32_t i = 0; i < 32; i++)
		assert(y.GetValue(i) == i * 7 && words[i] == i * 2);
}

template <class T> __simt_vf__ inline void Reversed(volatile __gm__ T *from, __ubuf__ T *to, volatile __gm__ T *back)
{
	to[threadIdx.x] = from[31 - threadIdx.x];
	const T one = from[threadIdx.x];
	back[threadIdx.x] = one;
}

template <class T> inline void reversed()
{
	static uint32_t words[128], back[128];
	constexpr uint32_t each = sizeof(T) / 4;
	LocalTensor<uint32_t> y = at<uint32_t>(0);

	for (uint32_t i = 0; i < 128; i++)
		words[i] = i * 0x01010101;
	Simt::VF_CALL<Reversed<T>>(Simt::Dim3(32), (__gm__ T *)words, reinterpret_cast<__ubuf__ T *>(y.GetPhyAddr()), (__gm__ T *)back);
	for (uint32_t i = 0; i < 32 * each; i++)
		assert(y.GetValue(i) == words[(31 - i / each) * each + i % each] && back[i] == words[i], "%u", i);
}

/* vectors of numbers by pointers to volatile ones; they are made of numbers and passed in registers like structures without functions */
TEST(volatile_vectors)
{
	float2 pair = {1, 2};
	float4 four{1, 2, 3, 4}, none = {};

	static_assert(std::is_trivially_copyable_v<float4> && std::is_trivially_copyable_v<half2>);
	assert(pair.y == 2 && four.w == 4 && none.x == 0);
	reversed<float4>();
	reversed<int2>();
	reversed<half2>();
}

template <typename T> __simt_vf__ inline void Places(T *x)
{
	static_assert(std::is_same_v<decltype(blockDim.x - 1u), uint32_t> && std::is_same_v<std::decay_t<decltype(threadIdx.y)>, uint32_t>);
	uint32_t n = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);

	x[n] = T(threadIdx.x * 100 + threadIdx.y * 10 + threadIdx.z + (blockDim.x * 100 + blockDim.y * 10 + blockDim.z) * 1000);
	if (Simt::GetLaneId() != int32_t(n) || blockIdx.x != 0 || gridDim.x != 1 || blockIdx.y != 0 || gridDim.z != 1)
		x[n] = 0;
}

/* three axes; block_dim of a call after another one */
extern "C" __global__ __aicore__ void places()
{
	LocalTensor<int32_t> x = at<int32_t>(0);

	asc_vf_call<Places<int32_t>>(dim3{2, 3, 4}, reinterpret_cast<int32_t *>(x.GetPhyAddr()));
	for (uint32_t i = 0; i < 24; i++)
		assert(x.GetValue(i) == int32_t(i % 2 * 100 + i / 2 % 3 * 10 + i / 6 + 234000));
}

/* sums of all threads by atomic operations, each thread's neighbour behind a barrier */
__simt_vf__ inline void Sums(int32_t *all, float *f, half *h, int32_t *own)
{
	int32_t me = Simt::GetThreadIdx(), n = Simt::GetThreadNum();

	asc_atomic_add(all, me);
	Simt::AtomicSub(all + 1, 2);
	Simt::AtomicMax(all + 2, me);
	Simt::AtomicMin(all + 3, -me);
	Simt::AtomicInc(reinterpret_cast<uint32_t *>(all + 4), 9u);
	asc_atomic_or(all + 5, 1 << me % 31);
	Simt::AtomicAdd(f, 0.5f);
	Simt::AtomicMax(f + 1, static_cast<float>(me));
	Simt::AtomicAdd(h + 1, static_cast<half>(1));
	atomicAdd(all + 6, 1);
	if (Simt::AtomicCas(all + 7, 0, me + 1) == 0)
		Simt::AtomicExch(all + 8, me + 1);
	own[me] = me;
	Simt::ThreadBarrier();
	int32_t next = own[(me + 1) % n];
	asc_syncthreads();
	own[me] += next * 1000;
}

extern "C" __global__ __aicore__ void sums()
{
	constexpr int32_t T = 100;
	LocalTensor<int32_t> x = at<int32_t>(0);
	__ubuf__ int32_t *all = reinterpret_cast<__ubuf__ int32_t *>(x.GetPhyAddr());

	for (uint32_t i = 0; i < 512; i++)
		x.SetValue(i, 0);
	asc_vf_call<Sums>(dim3(T), all, reinterpret_cast<float *>(all + 16), reinterpret_cast<half *>(all + 24), all + 32);
	assert(all[0] == T * (T - 1) / 2 && all[1] == -2 * T && all[2] == T - 1 && all[3] == 1 - T);
	assert(all[4] == T % 10 && all[5] == 0x7fffffff && all[6] == T && all[7] == all[8] && all[7] > 0);
	assert(reinterpret_cast<float *>(all + 16)[0] == T / 2 && reinterpret_cast<float *>(all + 16)[1] == T - 1);
	assert(reinterpret_cast<half *>(all + 24)[1] == (half)T && reinterpret_cast<half *>(all + 24)[0] == (half)0);
	for (int32_t i = 0; i < T; i++)
		assert(all[32 + i] == i + (i + 1) % T * 1000);
}

/* lanes of whole warps, and of a warp in which some threads do something else */
__simt_vf__ inline void Lanes(int32_t *x)
{
	int32_t me = Simt::GetThreadIdx(), lane = Simt::GetLaneId(), ok = 1;

	ok &= Simt::WarpShflSync(me, 5, 8) == me / 8 * 8 + 5;
	ok &= asc_shfl_up(me, 1) == (lane ? me - 1 : me);
	ok &= Simt::WarpShflDownSync(me, 2u) == (lane < 30 ? me + 2 : me);
	ok &= Simt::WarpShflXorSync(static_cast<float>(me), 1) == static_cast<float>(me ^ 1);
	ok &= asc_ballot(lane % 2) == 0xaaaaaaaa;
	ok &= __shfl_xor(me, 1) == (me ^ 1) && __shfl_up(me, 1, 32) == (lane ? me - 1 : me) && __ballot(lane % 2) == 0xaaaaaaaa;
	ok &= __any(lane == 3) && !__all(lane == 3) && __shfl(me, 5) == me - lane + 5;
	ok &= Simt::WarpAllSync(1) && !Simt::WarpAllSync(lane != 3) && Simt::WarpAnySync(lane == 3);
	ok &= asc_reduce_add(me) == (me / 32 * 32) * 32 + 31 * 16;
	ok &= Simt::WarpReduceMaxSync(static_cast<float>(-me)) == static_cast<float>(-(me / 32 * 32));
	if (lane < 7)
		ok &= asc_reduce_add(lane) == 21 && asc_activemask() == 0x7f;
	x[me] = ok;
}

extern "C" __global__ __aicore__ void lanes()
{
	LocalTensor<int32_t> x = at<int32_t>(0);

	asc_vf_call<Lanes>(dim3(96), reinterpret_cast<int32_t *>(x.GetPhyAddr()));
	for (uint32_t i = 0; i < 96; i++)
		assert(x.GetValue(i) == 1);
}

template <typename T> __aicore__ inline void divides(T n, T by)
{
	T magic, shift;

	GetUintDivMagicAndShift(magic, shift, by);
	assert(Simt::UintDiv(n, magic, shift) == n / by);
}

extern "C" __global__ __aicore__ void numbers()
{
	const uint64_t some[] = {1, 2, 3, 7, 10, 255, 641, 65536, 0x7fffffff, 0x80000000, 0xffffffff, 1000000007};

	for (uint64_t a : some) {
		for (uint64_t b : some) {
			divides<uint32_t>(static_cast<uint32_t>(a), static_cast<uint32_t>(b));
			divides<uint32_t>(static_cast<uint32_t>(a - 1), static_cast<uint32_t>(b));
			divides<uint64_t>(a * a + 5, b);
			divides<uint64_t>(~a, b * b);
		}
	}
	assert(Simt::Abs(-3) == 3 && Simt::Max(2.0f, 5.0f) == 5 && Simt::Min(2, 5) == 2 && Simt::Floor(-0.5f) == -1);
	assert(Simt::IsNan(__builtin_nanf("")) && Simt::IsInf(__builtin_inff()) && !Simt::IsFinite(__builtin_inff()));
	assert(Simt::Sqrt((half)4) == (half)2 && Simt::Pow(2.0f, 3.0f) == 8);
}
