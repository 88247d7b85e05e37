// SPDX-License-Identifier: MIT
/* LoadDataWithTranspose: squares from L1 to L0A and L0B, looked at by the scalar unit. */
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
