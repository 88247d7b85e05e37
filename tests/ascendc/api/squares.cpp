// SPDX-License-Identifier: MIT
/* LoadDataWithTranspose: squares from L1 to L0A and L0B, looked at by the scalar unit; Mmad with results of type half. */
#include "unit.h"

/* Two squares of side x side elements in L1, as fractals: the first elements of their rows, then the others */
template <class T> inline void squares(TPosition to)
{
	constexpr uint32_t side = sizeof(T) == 1 ? 32 : 16, c0 = 32 / sizeof(T), fractal = 512 / sizeof(T);
	constexpr uint32_t pair = sizeof(T) == 2 ? 1 : 2;
	LocalTensor<T> in(to == TPosition::A2 ? TPosition::A1 : TPosition::B1, 0, 4096), out(to, 0, 4096);
	LoadData2dTransposeParams p;
	Random random;

	for (uint32_t i = 0; i < 2 * side * side; i++)
		in.SetValue(i, T(random.next() % 100));
	p.repeatTimes = 2;
	p.srcStride = 1;
	p.dstGap = pair - 1;
	LoadDataWithTranspose(out, in, p);
	PipeBarrier<PIPE_ALL>();
	for (uint32_t s = 0; s < 2; s++)
		for (uint32_t r = 0; r < side; r++)
			for (uint32_t c = 0; c < side; c++) {
				/* L1: fractals of 16 rows of 32 bytes */
				T want = in.GetValue(s * side * side + (r / 16 + c / c0) * fractal + r % 16 * c0 + c % c0);
				/* L0A has rows of c with r in blocks of 32 bytes, L0B rows of r with 16 columns of c */
				uint32_t at = to == TPosition::A2 ? (c / 16 + r / c0) * fractal + c % 16 * c0 + r % c0 :
								    (r / c0 + c / 16) * fractal + r % c0 * 16 + c % 16;

				assert(same(out.GetValue(s * pair * fractal + at), want));
			}
}

TEST(squares_of_bytes)
{
	squares<int8_t>(TPosition::A2);
	squares<int8_t>(TPosition::B2);
}

TEST(squares_of_half)
{
	squares<half>(TPosition::A2);
	squares<half>(TPosition::B2);
}

TEST(squares_of_float)
{
	squares<float>(TPosition::A2);
	squares<float>(TPosition::B2);
}

/* 32 x 48 of half in CO1 from 32 x 32 times 32 x 48, twice: all of it, and the first row of each fractal */
TEST(results_of_half)
{
	LocalTensor<half> a1(TPosition::A1, 0, 1024), b1(TPosition::A1, 4096, 1536), a2(TPosition::A2, 0, 1024), b2(TPosition::B2, 0, 1536);
	LocalTensor<half> c1(TPosition::CO1, 1024, 1536), all = at<half>(0), row = at<half>(2);
	LoadData2DParams load;
	Random random;

	for (uint32_t i = 0; i < 1536; i++) {
		if (i < 1024)
			a1.SetValue(i, static_cast<half>(static_cast<float>(random.next() % 9) - 4));
		b1.SetValue(i, static_cast<half>(static_cast<float>(random.next() % 9) - 4));
	}
	load.srcStride = 1;
	load.repeatTimes = 4;
	LoadData(a2, a1, load);
	load.repeatTimes = 6;
	LoadData(b2, b1, load);
	PipeBarrier<PIPE_ALL>();
	Mmad(c1, a2, b2, {32, 48, 32, false, 0, false, false, false});
	Mmad(c1, a2, b2, {32, 48, 32, true, 0, false, false, false});
	DataCopyParams copy;
	DataCopyEnhancedParams how;

	copy.blockLen = 6;
	how.blockMode = BlockMode::BLOCK_MODE_MATRIX;
	DataCopy(all, c1, copy, how);
	how.blockMode = BlockMode::BLOCK_MODE_VECTOR;
	DataCopy(row, c1, copy, how);
	PipeBarrier<PIPE_ALL>();
	for (uint32_t m = 0; m < 32; m++)
		for (uint32_t n = 0; n < 48; n++) {
			float sum = 0;

			/* L0A: fractals of 16 x 16, rows of fractals; L0B: a fractal has a row for each column of the matrix */
			for (uint32_t k = 0; k < 32; k++)
				sum += float(a1.GetValue((m / 16 * 2 + k / 16) * 256 + m % 16 * 16 + k % 16)) *
				       float(b1.GetValue((k / 16 * 3 + n / 16) * 256 + n % 16 * 16 + k % 16));
			assert(float(all.GetValue((n / 16 * 2 + m / 16) * 256 + m % 16 * 16 + n % 16)) == 2 * sum);
			if (m % 16 == 0)
				assert(float(row.GetValue((n / 16 * 2 + m / 16) * 16 + n % 16)) == 2 * sum);
		}
}
