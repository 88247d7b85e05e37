// SPDX-License-Identifier: MIT
/*
 * Matrices through L0A and L0B with parameters that name rows and columns (LoadData2DParamsV2), vectors in L0A, integers of 4 bits. It is
 * compiled for two generations, whose L0A has its fractals in another order.
 */
#include "unit.h"

template <class T> constexpr uint32_t per_block = std::is_same_v<T, int4b_t> ? 64 : 32 / sizeof(T);
template <class T> using Result = std::conditional_t<std::is_integral_v<T> || std::is_same_v<T, int4b_t>, int32_t, float>;

template <class T> inline void set(const LocalTensor<T> &to, uint32_t i, int32_t value)
{
	if constexpr (std::is_same_v<T, int4b_t>)
		to.SetValue(i, int4b_t{uint8_t(value & 15)});
	else
		to.SetValue(i, T(float(value)));
}

inline int32_t a_of(uint32_t m, uint32_t k)
{
	return int32_t((m * 5 + k * 3 + m * k) % 13) - 6;
}

inline int32_t b_of(uint32_t k, uint32_t n)
{
	return int32_t((k * 7 + n * 2 + k * n) % 11) - 5;
}

/* A matrix of rows x cols in L1: columns of fractals, room for @room rows */
template <class T, class F> inline void to_l1(const LocalTensor<T> &to, uint32_t rows, uint32_t cols, uint32_t room, F value)
{
	constexpr uint32_t c0 = per_block<T>;

	for (uint32_t i = 0; i < rows; i++)
		for (uint32_t j = 0; j < cols; j++)
			set(to, (j / c0 * room + i) * c0 + j % c0, value(i, j));
}

template <class T> inline void is_product(const LocalTensor<Result<T>> &c, uint32_t m, uint32_t n, uint32_t k, uint32_t k_from, uint32_t times)
{
	LocalTensor<Result<T>> out(TPosition::VECIN, 0, m * n);
	FixpipeParamsV220 fix(uint16_t(n), uint16_t(m), uint16_t((m + 15) / 16 * 16), n, false);

	PipeBarrier<PIPE_ALL>();
	Fixpipe<Result<T>, Result<T>, CFG_ROW_MAJOR>(out, c, fix);
	PipeBarrier<PIPE_ALL>();
	for (uint32_t i = 0; i < m; i++)
		for (uint32_t j = 0; j < n; j++) {
			int32_t sum = 0;

			for (uint32_t p = k_from; p < k_from + k; p++)
				sum += a_of(i, p) * b_of(p, j);
			assert(out(i * n + j) == Result<T>(int32_t(times) * sum), "%u %u: want %d", i, j, int32_t(times) * sum);
		}
}

constexpr bool newest =
#if __NPU_ARCH__ >= 3510
	true;
#else
	false;
#endif

/*
 * m = 48, n = 64, k from the second block or square on: A stored m x k or k x m, B stored n x k or k x n. The older generations, which
 * have fractals of L0A row by row, load A row of fractals by row.
 */
template <class T> inline void multiply(bool left, bool right)
{
	constexpr uint32_t c0 = per_block<T>, M = 64, N = 64, side = c0 > 16 ? c0 : 16, K = 3 * side, k = K - side;
	LocalTensor<T> a1(TPosition::A1, 0, M * K), b1(TPosition::B1, 0x40000, N * K), a2(TPosition::A2, 0, M * k), b2(TPosition::B2, 0, N * k);
	LocalTensor<Result<T>> c(TPosition::CO1, 0, M * N);
	LoadData2DParamsV2 a, b(0, side / c0, N / 16, k / c0, N / 16, N / 16, false, 0);

	if (left)
		to_l1(a1, K, M, K, [](uint32_t i, uint32_t j) { return a_of(j, i); });
	else
		to_l1(a1, M, K, M, a_of);
	if (right)
		to_l1(b1, K, N, K, b_of);
	else
		to_l1(b1, N, K, N, [](uint32_t i, uint32_t j) { return b_of(j, i); });
	if (right)
		b = LoadData2DParamsV2(side / 16, 0, k / 16, N / c0, K / 16, N / 16, true, 0);
	PipeBarrier<PIPE_ALL>();
	LoadData(b2, b1, b);
	if (newest && left) {
		a = LoadData2DParamsV2(side / 16, 0, k / 16, M / c0, K / 16, M / 16, true, 0);
		LoadData(a2, a1, a);
	} else if (newest) {
		a = LoadData2DParamsV2(0, side / c0, M / 16, k / c0, M / 16, M / 16, false, 0);
		LoadData(a2, a1, a);
	} else {
		for (uint32_t row = 0; row < M / 16; row++)
			LoadData(a2[row * 16 * k], a1, LoadData2DParamsV2(row, side / c0, 1, k / c0, M / 16, 1, false, 0));
	}
	PipeBarrier<PIPE_ALL>();
	Mmad(c, a2, b2, {M, N, uint16_t(k), 0, false, true});
	Mmad(c, a2, b2, {M, N, uint16_t(k), 0, false, false});
	is_product<T>(c, M, N, k, side, 2);
}

template <class T> inline void multiply_all()
{
	multiply<T>(false, false);
	multiply<T>(false, true);
	if (newest) {
		multiply<T>(true, false);
		multiply<T>(true, true);
	}
}

TEST(fractals_of_half) { multiply_all<half>(); }
TEST(fractals_of_bfloat16) { multiply_all<bfloat16_t>(); }
TEST(fractals_of_float) { multiply_all<float>(); }
TEST(fractals_of_bytes) { multiply_all<int8_t>(); }
TEST(fractals_of_half_bytes) { multiply_all<int4b_t>(); }

/* Squares of which the fractals do not lie one behind the other */
TEST(squares_apart)
{
	LocalTensor<float> in(TPosition::B1, 0, 4096), out(TPosition::B2, 0, 4096), same_as(TPosition::B2, 0x4000, 4096);

	for (uint32_t i = 0; i < 2048; i++)
		in.SetValue(i, float(i));
	PipeBarrier<PIPE_ALL>();
	/* k x n = 32 x 32: two fractals of k in each of four columns of fractals */
	for (uint32_t i = 0; i < 2; i++)
		LoadDataWithTranspose(out[i * 512], in[i * 128], LoadData2dTransposeParamsV2(0, 2, 4, 0, 1, 1));
	LoadData(same_as, in, LoadData2DParamsV2(0, 0, 2, 4, 2, 2, true, 0));
	PipeBarrier<PIPE_ALL>();
	for (uint32_t i = 0; i < 1024; i++)
		assert(out(i) == same_as(i), "%u", i);
	assert(out(0) == 0 && out(1) == 1 && out(16) == 8);
}

/* One row of A lies in L0A as it is; with disableGemv it is the first row of fractals */
template <class T> inline void vector(uint32_t k, uint32_t n)
{
	constexpr uint32_t c0 = per_block<T>;
	uint32_t k1 = (k + c0 - 1) / c0, n1 = n / 16;
	LocalTensor<T> a1(TPosition::A1, 0, 16384), b1(TPosition::B1, 0x40000, 65536), a2(TPosition::A2, 0, 16384), b2(TPosition::B2, 0, 65536);
	LocalTensor<Result<T>> c(TPosition::CO1, 0, 1024);
	MmadParams p;

	for (uint32_t i = 0; i < k; i++)
		set(a1, i, a_of(0, i));
	to_l1(b1, n, k, n, [](uint32_t i, uint32_t j) { return b_of(j, i); });
	PipeBarrier<PIPE_ALL>();
	LoadData(a2, a1, LoadData2DParams(0, uint8_t((k1 + 15) / 16), 1, 0, 0, false, 0));
	LoadData(b2, b1, LoadData2DParamsV2(0, 0, uint16_t(n1), uint16_t(k1), int32_t(n1), uint16_t(n1), false, 0));
	PipeBarrier<PIPE_ALL>();
	p.m = 1;
	p.n = uint16_t(n);
	p.k = uint16_t(k);
	Mmad(c, a2, b2, p);
	is_product<T>(c, 1, n, k, 0, 1);
	to_l1(a1, 1, k, 16, a_of);
	PipeBarrier<PIPE_ALL>();
	LoadData(a2, a1, LoadData2DParams(0, uint8_t(k1), 1, 0, 0, false, 0));
	PipeBarrier<PIPE_ALL>();
	p.disableGemv = true;
	Mmad(c, a2, b2, p);
	is_product<T>(c, 1, n, k, 0, 1);
}

TEST(vectors)
{
	vector<half>(1, 16);
	vector<half>(333, 48);
	vector<float>(77, 32);
	vector<int8_t>(500, 16);
	vector<int4b_t>(130, 32);
}

/* An image of 5 x 6 with 32 channels, a filter of 2 x 1: the same product in both orders of fractals, with and without a value of padding */
TEST(image_order)
{
	constexpr uint32_t M = 36, K = 64, N = 16;
	LocalTensor<half> image(TPosition::A1, 0, 1024), b1(TPosition::B1, 0x40000, K * N), a2(TPosition::A2, 0, 48 * K), b2(TPosition::B2, 0, K * N);
	LocalTensor<float> c(TPosition::CO1, 0, 48 * N), out(TPosition::VECIN, 0, M * N);
	LoadData3DParamsV2<half> p;

	for (uint32_t i = 0; i < 960; i++)
		image.SetValue(i, half(float(i % 7) - 3));
	to_l1(b1, N, K, N, [](uint32_t i, uint32_t j) { return b_of(j, i); });
	PipeBarrier<PIPE_ALL>();
	p.padList[2] = p.padList[3] = 1;
	p.l1H = 5;
	p.l1W = 6;
	p.channelSize = 32;
	p.kExtension = K;
	p.mExtension = M;
	p.filterH = 2;
	LoadData(b2, b1, LoadData2DParamsV2(0, 0, 1, K / 16, 1, 1, false, 0));
	for (float padding : {0.0f, 2.0f}) {
		p.padValue = half(padding);
		LoadData(a2, image, p);
		PipeBarrier<PIPE_ALL>();
		Mmad(c, a2, b2, {M, N, K, 0, false, true});
		PipeBarrier<PIPE_ALL>();
		Fixpipe<float, float, CFG_ROW_MAJOR>(out, c, FixpipeParamsV220(N, M, 48, N, false));
		PipeBarrier<PIPE_ALL>();
		for (uint32_t i = 0; i < M; i++)
			for (uint32_t j = 0; j < N; j++) {
				float sum = 0;

				for (uint32_t k = 0; k < K; k++) {
					int32_t y = int32_t(i / 6 + k / 16 % 2) - 1;
					uint32_t at = ((k / 32 * 5 + uint32_t(y)) * 6 + i % 6) * 16 + k % 16;

					sum += (y < 0 || y >= 5 ? padding : float(image.GetValue(at))) * float(b_of(k, j));
				}
				assert(out(i * N + j) == sum, "%u %u", i, j);
			}
	}
}

/* FixpipeParamsArch3510 counts elements from a column of fractals to the next; rows as FixpipeParamsV220 does */
TEST(newest_fixpipe)
{
	LocalTensor<half> left(TPosition::A2, 0, 1024), right(TPosition::B2, 0, 1024), ones(TPosition::A1, 0, 1024);
	LocalTensor<float> sums(TPosition::CO1, 0, 1024), rows(TPosition::VECCALC, 0, 2048);
	LocalTensor<half> nz(TPosition::VECCALC, 16384, 2048);
	FixpipeParamsArch3510<CO2Layout::ROW_MAJOR> p(32, 16, 16, 40);
	FixpipeParamsC310<CO2Layout::NZ> q(32, 16, 16, 512);

	InitConstValue(ones, InitConstValueParams<half>(1, 32, 0, half(0.5f)));
	Duplicate(rows, -1.0f, 2048);
	Duplicate(nz, half(-1), 2048);
	PipeBarrier<PIPE_ALL>();
	LoadData(left, ones, LoadData2DParams(0, 1, 1, 0, 0, false, 0));
	LoadData(right, ones, LoadData2DParams(0, 2, 1, 0, 0, false, 0));
	PipeBarrier<PIPE_ALL>();
	Mmad(sums, left, right, MmadParams(16, 32, 16, false, 0, true));
	PipeBarrier<PIPE_ALL>();
	p.reluEn = true;
	q.quantPre = F322F16;
	Fixpipe<float, float, CFG_ROW_MAJOR>(rows, sums, p);
	Fixpipe<half, float, CFG_NZ>(nz, sums, q);
	PipeBarrier<PIPE_ALL>();
	for (uint32_t i = 0; i < 16; i++)
		for (uint32_t j = 0; j < 40; j++)
			assert(rows.GetValue(i * 40 + j) == (j < 32 ? 4 : -1));
	for (uint32_t i = 0; i < 1024; i++)
		assert(nz.GetValue(i) == half(i % 512 < 256 ? 4 : -1));
}
