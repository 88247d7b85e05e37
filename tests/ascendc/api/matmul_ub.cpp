// SPDX-License-Identifier: MIT
/* Matmul<> between tensors in UB: 20 x 32 times 32 x 48 to NZ, whose last fractals have rows that the result does not have, and a part of it. */
#include "unit.h"
#include "lib/matmul_intf.h"

constexpr uint32_t M = 20, N = 48, K = 32, ROWS = 32;

template <class T> inline void to_fractals(uint32_t base_n)
{
	using Left = MatmulType<TPosition::VECOUT, CubeFormat::ND, half>;
	using Result = MatmulType<TPosition::VECIN, CubeFormat::NZ, T>;
	LocalTensor<half> a = at<half>(0), b = at<half>(1);
	LocalTensor<T> c = at<T>(2);
	TCubeTiling tiling = {};
	Matmul<Left, Left, Result> mm;
	TPipe pipe;

	fill(a, M * K, 1);
	fill(b, K * N, 2);
	for (uint32_t i = 0; i < ROWS * N + 16; i++)
		c.SetValue(i, T(99.0f));
	PipeBarrier<PIPE_ALL>();
	tiling.usedCoreNum = 1;
	tiling.M = tiling.singleCoreM = M;
	tiling.N = tiling.singleCoreN = N;
	tiling.Ka = tiling.Kb = tiling.singleCoreK = tiling.baseK = K;
	tiling.baseM = 16;
	tiling.baseN = int32_t(base_n);
	mm.SetSubBlockIdx(0);
	mm.Init(&tiling, &pipe);
	mm.SetTensorA(a);
	mm.SetTensorB(b);
	mm.IterateAll(c);
	mm.End();
	PipeBarrier<PIPE_ALL>();
	for (uint32_t i = 0; i < ROWS; i++)
		for (uint32_t j = 0; j < N; j++) {
			float sum = 0;

			for (uint32_t p = 0; i < M && p < K; p++)
				sum += float(a(i * K + p)) * float(b(p * N + j));
			assert(float(c((j / 16 * ROWS + i) * 16 + j % 16)) == float(T(sum)), "%u %u", i, j);
		}
	for (uint32_t i = 0; i < 16; i++)
		assert(float(c(ROWS * N + i)) == 99);
}

TEST(fractals_of_float) { to_fractals<float>(48); }
TEST(fractals_of_half) { to_fractals<half>(32); }

/*
 * With SetTail() C has fewer rows and columns, whose rows stay as far apart as the tiling has columns: exactly so as ND, rounded up to
 * 32 bytes as ND_ALIGN
 */
template <CubeFormat format, uint32_t N> inline void tail(uint32_t pitch)
{
	using Left = MatmulType<TPosition::VECOUT, CubeFormat::ND, half>;
	using Result = MatmulType<TPosition::VECIN, format, float>;
	constexpr uint32_t TAIL_M = 7, TAIL_N = 21;
	LocalTensor<half> a = at<half>(0), b = at<half>(1);
	LocalTensor<float> c = at<float>(2);
	TCubeTiling tiling = {};
	Matmul<Left, Left, Result> mm;
	TPipe pipe;

	fill(a, M * K, 1);
	fill(b, K * N, 2);
	for (uint32_t i = 0; i < M * 48; i++)
		c.SetValue(i, 99.0f);
	PipeBarrier<PIPE_ALL>();
	tiling.usedCoreNum = 1;
	tiling.M = tiling.singleCoreM = M;
	tiling.N = tiling.singleCoreN = N;
	tiling.Ka = tiling.Kb = tiling.singleCoreK = tiling.baseK = K;
	tiling.baseM = tiling.baseN = 16;
	mm.SetSubBlockIdx(0);
	mm.Init(&tiling, &pipe);
	mm.SetTail(TAIL_M, TAIL_N, K);
	mm.SetTensorA(a);
	mm.SetTensorB(b);
	mm.IterateAll(c);
	mm.End();
	PipeBarrier<PIPE_ALL>();
	for (uint32_t i = 0; i < TAIL_M; i++)
		for (uint32_t j = 0; j < TAIL_N; j++) {
			float sum = 0;

			/* operands in UB are as small as the part is */
			for (uint32_t p = 0; p < K; p++)
				sum += float(a(i * K + p)) * float(b(p * 32 + j));
			assert(c(i * pitch + j) == sum, "%u %u", i, j);
		}
	for (uint32_t i = 0; i < 16; i++)
		assert(c(TAIL_M * pitch + i) == 99);
}

TEST(rows_of_a_tail) { tail<CubeFormat::ND, 48>(48); }
TEST(odd_rows_of_a_tail) { tail<CubeFormat::ND, 27>(27); }
TEST(padded_rows_of_a_tail) { tail<CubeFormat::ND_ALIGN, 27>(32); }
