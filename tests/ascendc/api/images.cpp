// SPDX-License-Identifier: MIT
/* LoadData of images to L0A and L0B, a bias on its way to C2, and fractals in UB. */
#include "unit.h"

/* An image of 5 x 4 points and 32 bytes of channels twice, with a filter of 2 x 3 and padding; @pad is what padding becomes */
template <class T, const IsResetLoad3dConfig &config> inline void image(TPosition to, T pad)
{
	constexpr uint32_t c0 = 32 / sizeof(T), h = 5, w = 4, columns = 2 * c0 * 6;
	LocalTensor<T> in(TPosition::A1, 0, 8192), out(to, 0, 8192);
	LoadData3DParamsV2<T> p;
	bool right = to == TPosition::B2;
	uint32_t wo = w + 3 - 3 + 1, ho = h + 1 - 2 + 1, edge = right ? c0 : 16, across = columns / (right ? 16 : c0);

	fill(in, h * w * 2 * c0, 3);
	p.channelSize = 2 * c0;
	p.kExtension = columns;
	p.mExtension = 16;
	p.mStartPt = 8;
	p.filterW = 3;
	p.filterH = 2;
	p.padValue = pad;
	if (config.isSetFMatrix) {
		p.l1H = h;
		p.l1W = w;
		p.padList[0] = 1;
		p.padList[1] = 2;
		p.padList[2] = 1;
	} else {
		const uint8_t list[4] = {1, 2, 1, 0};

		SetFmatrix(h, w, list, FmatrixMode::FMATRIX_RIGHT);
		p.fMatrixCtrl = true;
	}
	SetLoadDataPaddingValue<T>(T(3));
	PipeBarrier<PIPE_ALL>();
	LoadData<T, config>(out, in, p);
	PipeBarrier<PIPE_ALL>();
	for (uint32_t m = 0; m < 16; m++)
		for (uint32_t k = 0; k < columns; k++) {
			uint32_t block = k / c0, point = m + 8, at;
			int32_t x = int32_t(point % wo + block % 3) - 1, y = int32_t(point / wo + block / 3 % 2) - 1;
			T want = point >= wo * ho ? T(0) : config.isSetPadding ? pad : T(3);

			if (point < wo * ho && x >= 0 && y >= 0 && x < int32_t(w) && y < int32_t(h))
				want = in.GetValue(((block / 6 * h + uint32_t(y)) * w + uint32_t(x)) * c0 + k % c0);
			/* L0A: 16 rows of 32 bytes in a fractal; L0B: c0 rows of 16 elements */
			at = right ? (m / edge * across + k / 16) * 16 * c0 + m % edge * 16 + k % 16 :
				     (m / edge * across + block) * 16 * c0 + m % edge * c0 + k % c0;
			assert(same(out.GetValue(at), want));
		}
}

constexpr IsResetLoad3dConfig BY_REGISTERS = {false, false};

TEST(images)
{
	image<half, IS_RESER_LOAD3D_DEFAULT_CONFIG>(TPosition::A2, half(0));
	image<half, IS_RESER_LOAD3D_DEFAULT_CONFIG>(TPosition::A2, half(2));
	image<int8_t, BY_REGISTERS>(TPosition::A2, int8_t(0));
	image<half, BY_REGISTERS>(TPosition::B2, half(0));
	image<float, IS_RESER_LOAD3D_DEFAULT_CONFIG>(TPosition::B2, -1.0f);
}

/* B of 32 x 16 as an image of 32 points, times A of 16 x 32, plus a bias of half that becomes float in C2 */
TEST(bias_and_matrix_from_an_image)
{
	LocalTensor<half> a1(TPosition::A1, 0, 512), b1(TPosition::B1, 4096, 512), bias1(TPosition::C1, 8192, 32);
	LocalTensor<half> a2(TPosition::A2, 0, 512), b2(TPosition::B2, 0, 512);
	LocalTensor<float> bias2(TPosition::C2, 0, 32), words1(TPosition::C1, 12288, 32), c1(TPosition::CO1, 0, 256), c = at<float>(0);
	LoadData2DParams load;
	LoadData3DParamsV2<half> image;
	FixpipeParamsV220 fix(16, 16, 16, 16, false);
	MmadParams mmad;

	fill(a1, 512, 1);
	fill(b1, 512, 2);
	fill(bias1, 32, 3);
	fill(words1, 32, 4);
	load.srcStride = 1;
	load.repeatTimes = 2;
	image.l1H = 1;
	image.l1W = 32;
	image.channelSize = image.kExtension = 16;
	image.mExtension = 32;
	PipeBarrier<PIPE_ALL>();
	LoadData(a2, a1, load);
	LoadData(b2, b1, image);
	DataCopy(bias2, bias1, DataCopyParams(1, 1, 0, 0));
	PipeBarrier<PIPE_ALL>();
	mmad.m = 16;
	mmad.n = 16;
	mmad.k = 32;
	for (int round = 0; round < 2; round++) {
		Mmad(c1, a2, b2, bias2, mmad);
		PipeBarrier<PIPE_ALL>();
		Fixpipe(c, c1, fix);
		PipeBarrier<PIPE_ALL>();
		for (uint32_t m = 0; m < 16; m++)
			for (uint32_t n = 0; n < 16; n++) {
				float sum = round ? words1.GetValue(n) : float(bias1.GetValue(n));

				for (uint32_t k = 0; k < 32; k++)
					sum += float(a1.GetValue(k / 16 * 256 + m * 16 + k % 16)) * float(b1.GetValue(k * 16 + n));
				assert(c.GetValue(m * 16 + n) == sum);
			}
		/* one unit of 64 bytes is the whole bias of float */
		DataCopy(bias2, words1, DataCopyParams(1, 1, 0, 0));
		PipeBarrier<PIPE_ALL>();
	}
}

static half memory[2 * 300 + 512];

/* Two matrices of 5 rows of 40 numbers, 50 apart, as columns of 16 numbers in UB, and back as rows of 48 */
TEST(fractals_in_ub)
{
	TPipe pipe;
	GlobalTensor<half> in, out;
	LocalTensor<half> a = at<half>(0), ub = at<half>(1);

	in.SetGlobalBuffer(memory, 600);
	out.SetGlobalBuffer(memory + 600, 512);
	fill(a, 608, 1);
	PipeBarrier<PIPE_ALL>();
	DataCopyPad(in, a, DataCopyExtParams(1, 1200, 0, 0, 0));
	PipeBarrier<PIPE_ALL>();
	DataCopy(ub, in, Nd2NzParams(2, 5, 40, 300, 50, 8, 1, 512));
	PipeBarrier<PIPE_ALL>();
	DataCopy(out, ub, Nz2NdParamsFull(2, 5, 48, 2, 8, 48, 256));
	PipeBarrier<PIPE_ALL>();
	for (uint32_t i = 0; i < 2 * 5 * 48; i++) {
		uint32_t nd = i / 240, row = i / 48 % 5, col = i % 48;
		half want = col < 40 ? a.GetValue(nd * 300 + row * 50 + col) : half(0);

		assert(ub.GetValue(nd * 512 + col / 16 * 128 + row * 16 + col % 16) == want);
		assert(out.GetValue(nd * 256 + row * 48 + col) == want);
	}
}

/* The older parameters of Fixpipe: 20 rows in columns of 32 rows, rows of 30 numbers that begin 32 apart, then columns of fractals with a gap */
TEST(older_parameters_of_fixpipe)
{
	LocalTensor<half> a1(TPosition::A1, 0, 512), b1(TPosition::B1, 4096, 512), a2(TPosition::A2, 0, 512), b2(TPosition::B2, 0, 512);
	LocalTensor<float> c1(TPosition::CO1, 0, 1024), rows = at<float>(0), columns = at<float>(1);
	LocalTensor<half> halves = at<half>(2);
	LoadData2DParams load;
	MmadParams mmad;
	FixpipeParams<float> nd(2, 40, 0, 32), nz(2, 40, 0, 4), scaled(2, 40, 0, 0);

	fill(a1, 512, 1);
	fill(b1, 512, 2);
	Duplicate(rows, -1.0f, 4096);
	load.srcStride = 1;
	load.repeatTimes = 2;
	PipeBarrier<PIPE_ALL>();
	LoadData(a2, a1, load);
	LoadData(b2, b1, load);
	mmad.m = 20;
	mmad.n = 32;
	mmad.k = 16;
	nd.reluEn = true;
	nd.nz2ndParams.nz2ndEn = true;
	nd.nz2ndParams.originalNSize = 30;
	PipeBarrier<PIPE_ALL>();
	Mmad(c1, a2, b2, mmad);
	PipeBarrier<PIPE_ALL>();
	Fixpipe(rows, c1, nd);
	Fixpipe(columns, c1, nz);
	scaled.quantParams = {QF322F16_PRE, 0x3f000000 /* 0.5 */};
	Fixpipe(halves, c1, scaled);
	PipeBarrier<PIPE_ALL>();
	for (uint32_t m = 0; m < 20; m++)
		for (uint32_t n = 0; n < 32; n++) {
			float sum = 0;

			for (uint32_t k = 0; k < 16; k++)
				sum += float(a1.GetValue(m * 16 + k)) * float(b1.GetValue(n * 16 + k));
			assert(rows.GetValue(m * 32 + n) == (n < 30 ? (sum > 0 ? sum : 0) : -1));
			assert(columns.GetValue(n / 16 * (20 * 16 + 4 * 8) + m * 16 + n % 16) == sum);
			assert(same(halves.GetValue(n / 16 * 20 * 16 + m * 16 + n % 16), half(sum * 0.5f)));
		}
	assert(columns.GetValue(20 * 16) == -1 && rows.GetValue(20 * 32) == -1);
}

/* The same with a word of quantisation for each column: the number's bits as float */
TEST(older_parameters_of_fixpipe_by_column)
{
	LocalTensor<int8_t> a1(TPosition::A1, 0, 512), b1(TPosition::B1, 4096, 1024), a2(TPosition::A2, 0, 512), b2(TPosition::B2, 0, 1024);
	LocalTensor<uint64_t> words(TPosition::A1, 16384, 32);
	LocalTensor<int32_t> c1(TPosition::CO1, 0, 512);
	LocalTensor<half> columns = at<half>(0);
	LoadData2DParams load;
	MmadParams mmad;
	FixpipeParams<int32_t> nz(2, 32, 0, 0);

	fill(a1, 512, 1);
	fill(b1, 1024, 2);
	for (uint32_t n = 0; n < 32; n++) {
		float scale = n % 2 ? 0.5f : 0.25f;
		uint32_t bits;

		__builtin_memcpy(&bits, &scale, 4);
		words.SetValue(n, bits);
	}
	load.srcStride = 1;
	load.repeatTimes = 1;
	PipeBarrier<PIPE_ALL>();
	LoadData(a2, a1, load);
	load.repeatTimes = 2;
	LoadData(b2, b1, load);
	mmad.m = 16;
	mmad.n = 32;
	mmad.k = 32;
	nz.quantParams = {QuantMode_t::VDEQF16};
	PipeBarrier<PIPE_ALL>();
	Mmad(c1, a2, b2, mmad);
	PipeBarrier<PIPE_ALL>();
	Fixpipe(columns, c1, words, nz);
	PipeBarrier<PIPE_ALL>();
	for (uint32_t m = 0; m < 16; m++)
		for (uint32_t n = 0; n < 32; n++) {
			int32_t sum = 0;

			for (uint32_t k = 0; k < 32; k++)
				sum += a1.GetValue(m * 32 + k) * b1.GetValue(n * 32 + k);
			assert(columns.GetValue(n / 16 * 256 + m * 16 + n % 16) == half(float(sum) * (n % 2 ? 0.5f : 0.25f)));
		}
}
