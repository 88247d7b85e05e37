// SPDX-License-Identifier: MIT
/* SoftMax in parts gives what SoftMax of whole rows gives; its derivative by the formula on the scalar unit. */
#include "unit.h"

constexpr uint32_t ROWS = 3, COLS = 40, FIRST = 24, REST = COLS - FIRST;
constexpr float NEAR = 2e-6f;

inline bool near(float a, float b, float tolerance = NEAR)
{
	float difference = a < b ? b - a : a - b;

	return difference <= tolerance;
}

/* Rows of numbers, their first and their last columns, and SoftMax of all; @block: 32 bytes for each row */
struct Rows {
	LocalTensor<float> all = at<float>(0), first = at<float>(1), rest = at<float>(2), whole = at<float>(3);
	LocalTensor<float> sum = at<float>(4), max = at<float>(4)[64], factor = at<float>(4)[128];
	LocalTensor<float> sum2 = at<float>(4)[192], max2 = at<float>(4)[256];
	SoftMaxTiling tiling = {};

	inline Rows()
	{
		fill(all, ROWS * COLS, 7);
		for (uint32_t i = 0; i < ROWS; i++)
			for (uint32_t j = 0; j < COLS; j++)
				(j < FIRST ? first : rest).SetValue(j < FIRST ? i * FIRST + j : i * REST + j - FIRST,
								     all.GetValue(i * COLS + j));
		PipeBarrier<PIPE_ALL>();
		SoftMax<float>(whole, sum, max, all, tiling, SoftMaxShapeInfo{ROWS, COLS, ROWS, COLS});
		PipeBarrier<PIPE_ALL>();
	}
};

TEST(flash_v2)
{
	TPipe pipe;
	Rows r;
	SoftMaxShapeInfo a = {ROWS, FIRST, ROWS, FIRST}, b = {ROWS, REST, ROWS, REST};
	float exp[ROWS];

	SoftmaxFlashV2<float>(r.first, r.sum2, r.max2, r.first, r.factor, r.sum2, r.max2, r.tiling, a);
	SoftmaxFlashV2<float, true>(r.rest, r.sum2, r.max2, r.rest, r.factor, r.sum2, r.max2, r.tiling, b);
	for (uint32_t i = 0; i < ROWS; i++) {
		float all = r.sum2.GetValue(i * 8);

		exp[i] = r.factor.GetValue(i * 8);
		assert(r.max2.GetValue(i * 8 + 7) == r.max.GetValue(i * 8) && near(all, r.sum.GetValue(i * 8), 1e-4f));
		for (uint32_t j = 0; j < COLS; j++)
			assert(near(j < FIRST ? r.first.GetValue(i * FIRST + j) * exp[i] / all :
						r.rest.GetValue(i * REST + j - FIRST) / all, r.whole.GetValue(i * COLS + j)));
	}
}

constexpr SoftmaxConfig ONE_EACH = {false, 0, 0, SoftmaxMode::SOFTMAX_OUTPUT_WITHOUT_BRC};

TEST(flash_v2_one_each)
{
	TPipe pipe;
	Rows r;
	SoftMaxShapeInfo a = {ROWS, FIRST, ROWS, FIRST}, b = {ROWS, REST, ROWS, REST};

	SoftmaxFlashV2<float, false, false, false, false, ONE_EACH>(r.first, r.sum2, r.max2, r.first, r.factor, r.sum2, r.max2,
								    r.tiling, a);
	SoftmaxFlashV2<float, true, false, false, false, ONE_EACH>(r.rest, r.sum2, r.max2, r.rest, r.factor, r.sum2, r.max2,
								   r.tiling, b);
	for (uint32_t i = 0; i < ROWS; i++)
		assert(r.max2.GetValue(i) == r.max.GetValue(i * 8) && near(r.sum2.GetValue(i), r.sum.GetValue(i * 8), 1e-4f));
}

TEST(flash_v1)
{
	TPipe pipe;
	Rows r;
	SoftMaxShapeInfo a = {ROWS, FIRST, ROWS, FIRST}, b = {ROWS, REST, ROWS, REST};

	SoftmaxFlash<float>(r.first, r.sum2, r.max2, r.first, r.factor, r.sum2, r.max2, r.tiling, false, a);
	SoftmaxFlash<float>(r.rest, r.sum2, r.max2, r.rest, r.factor, r.sum2, r.max2, r.tiling, true, b);
	for (uint32_t i = 0; i < ROWS; i++)
		for (uint32_t j = 0; j < COLS; j++)
			assert(near(j < FIRST ? r.first.GetValue(i * FIRST + j) * r.factor.GetValue(i * 8) :
						r.rest.GetValue(i * REST + j - FIRST), r.whole.GetValue(i * COLS + j)));
}

TEST(simple)
{
	TPipe pipe;
	Rows r;
	LocalTensor<float> out = at<float>(5);

	SimpleSoftMax<float>(out, r.sum, r.max, r.all, r.tiling, SoftMaxShapeInfo{ROWS, COLS, ROWS, COLS});
	PipeBarrier<PIPE_ALL>();
	for (uint32_t i = 0; i < ROWS * COLS; i++)
		assert(near(out.GetValue(i), r.whole.GetValue(i)));
}

template <class T> inline void gradient(float tolerance)
{
	TPipe pipe;
	LocalTensor<T> grad = at<T>(0), src = at<T>(1), out = at<T>(2), front = at<T>(3);
	SoftMaxTiling tiling = {};
	SoftMaxShapeInfo shape = {ROWS, 48, ROWS, COLS};

	fill(grad, ROWS * 48, 3);
	fill(src, ROWS * 48, 5);
	PipeBarrier<PIPE_ALL>();
	SoftmaxGrad<T>(out, grad, src, tiling, false, shape);
	SoftmaxGradFront<T>(front, grad, src, tiling, shape);
	for (uint32_t i = 0; i < ROWS; i++) {
		float sum = 0;

		for (uint32_t j = 0; j < COLS; j++)
			sum += float(grad.GetValue(i * 48 + j)) * float(src.GetValue(i * 48 + j));
		assert(near(float(front.GetValue((i + 1) * 32 / sizeof(T) - 1)), sum, tolerance));
		for (uint32_t j = 0; j < COLS; j++) {
			float x = float(src.GetValue(i * 48 + j));

			assert(near(float(out.GetValue(i * 48 + j)), (float(grad.GetValue(i * 48 + j)) - sum) * x, tolerance));
		}
	}
}

TEST(gradient_float)
{
	gradient<float>(1e-3f);
}

TEST(gradient_half)
{
	gradient<half>(1.0f);
}

TEST(adjust)
{
	TPipe pipe;
	Rows r;
	SoftMaxShapeInfo shape = {ROWS, COLS, ROWS, COLS};
	float most = r.max.GetValue(8);
	uint32_t bits;

	__builtin_memcpy(&bits, &most, sizeof(bits));
	r.max.SetValue(0, most + 1);
	r.max.SetValue(16, most - 1);
	assert(!(AdjustSoftMaxRes<float, float>(r.whole, r.max, 0x12345678, 0.5f, shape)));
	assert((AdjustSoftMaxRes<float, float>(r.whole, r.max, bits, 0.5f, shape)));
	for (uint32_t i = 0; i < ROWS * COLS; i++)
		assert((r.whole.GetValue(i) == 0.5f) == (i / COLS == 1));
}

TEST(mutex)
{
	TPipe pipe;
	LocalTensor<float> a = at<float>(0);
	MutexID id = AllocMutexID(), other = AllocMutexID();

	assert(id != other);
	Mutex::Lock<PIPE_V>(id);
	Duplicate(a, 3.0f, 64);
	Mutex::Unlock<PIPE_V>(id);
	Mutex::Lock<PIPE_S>(id);
	assert(a.GetValue(63) == 3.0f);
	Mutex::Unlock<PIPE_S>(id);
	ReleaseMutexID(id);
	ReleaseMutexID(other);
	assert(AllocMutexID() == id);
}

/* A tiling that the kernel makes itself says all that there is to say of the shape */
TEST(tiling_in_the_kernel)
{
	TPipe pipe;
	Rows r;
	LocalTensor<float> out = at<float>(5);
	AscendC::tiling::SoftMaxTiling tiling;
	SoftMaxShapeInfo info = {ROWS, COLS, ROWS, COLS};

	assert(SoftMaxTilingFunc(4096, info, tiling, sizeof(float), sizeof(float)));
	SoftMax<float>(out, r.all, at<uint8_t>(6), tiling);
	PipeBarrier<PIPE_ALL>();
	for (uint32_t i = 0; i < ROWS * COLS; i++)
		assert(same(out.GetValue(i), r.whole.GetValue(i)));
	assert(SoftMaxFlashV2TilingFunc(4096, info, tiling, 4, 4, true, false) && tiling.srcM == ROWS && tiling.outMaxK == 8);
}

constexpr SoftmaxConfig KNOWN_SHAPE = {false, ROWS, COLS};

/* half is computed in fp32: differences of large numbers and long sums do not lose bits of half */
TEST(halves_in_float)
{
	TPipe pipe;
	LocalTensor<half> x = at<half>(0), y = at<half>(1), z = at<half>(2), hsum = at<half>(3), hmax = at<half>(3)[64];
	LocalTensor<float> f = at<float>(4), g = at<float>(5), sum = at<float>(6), max = at<float>(6)[64], fsum = at<float>(7), fmax = at<float>(7)[64];
	SoftMaxTiling tiling = {};
	SoftMaxShapeInfo info = {ROWS, 48, ROWS, COLS};
	Random random;

	for (uint32_t i = 0; i < ROWS * 48; i++) {
		x.SetValue(i, half(-30.0f + float(random.next() % 1000) / 50));
		f.SetValue(i, float(x.GetValue(i)));
	}
	PipeBarrier<PIPE_ALL>();
	SoftMax<float>(g, fsum, fmax, f, tiling, info);
	SoftMax<half, false, false, false, KNOWN_SHAPE>(y, sum, max, x, tiling, info);
	SoftMax<half>(z, hsum, hmax, x, tiling, info);
	PipeBarrier<PIPE_ALL>();
	for (uint32_t i = 0; i < ROWS; i++) {
		assert(same(sum.GetValue(i * 8 + 5), fsum.GetValue(i * 8)) && same(max.GetValue(i * 8 + 5), fmax.GetValue(i * 8)));
		assert(hsum.GetValue(i * 16 + 15) == half(fsum.GetValue(i * 8)) && hmax.GetValue(i * 16) == half(fmax.GetValue(i * 8)));
		for (uint32_t j = 0; j < COLS; j++)
			assert(y.GetValue(i * 48 + j) == half(g.GetValue(i * 48 + j)) && y.GetValue(i * 48 + j) == z.GetValue(i * 48 + j));
	}
	SoftMax<half>(z, x, tiling, info);
	SimpleSoftMax<half>(x, sum, max, x, tiling, info);
	PipeBarrier<PIPE_ALL>();
	for (uint32_t i = 0; i < ROWS; i++)
		for (uint32_t j = 0; j < COLS; j++)
			assert(y.GetValue(i * 48 + j) == z.GetValue(i * 48 + j) && y.GetValue(i * 48 + j) == x.GetValue(i * 48 + j));
}

/* Place of an element in fractals: columns of 16, ROWS_NZ high */
constexpr uint32_t ROWS_NZ = 16;
inline uint32_t nz(uint32_t i, uint32_t j)
{
	return j / 16 * ROWS_NZ * 16 + i * 16 + j % 16;
}

/* Every function gives of NZ what it gives of ND: 16 rows of 40 of 48 columns */
template <class T> inline void fractals()
{
	TPipe pipe;
	LocalTensor<T> rows = at<T>(0), x = at<T>(1), y = at<T>(2), out = at<T>(3), grad = at<T>(4);
	LocalTensor<float> stats[] = {at<float>(5), at<float>(5)[256], at<float>(5)[512], at<float>(5)[768], at<float>(5)[1024], at<float>(5)[1280]};
	LocalTensor<uint8_t> tmp = at<uint8_t>(6);
	SoftMaxTiling tiling = {};
	LogSoftMaxTiling log = {};
	SoftMaxShapeInfo info = {ROWS_NZ, 48, ROWS_NZ, COLS};

	fill(rows, ROWS_NZ * 48, 3);
	fill(grad, ROWS_NZ * 48, 9);
	for (uint32_t i = 0; i < ROWS_NZ; i++)
		for (uint32_t j = 0; j < 48; j++)
			x.SetValue(nz(i, j), rows.GetValue(i * 48 + j));
	PipeBarrier<PIPE_ALL>();
	auto same_all = [&](int line) {
		PipeBarrier<PIPE_ALL>();
		for (uint32_t i = 0; i < ROWS_NZ; i++)
			for (uint32_t j = 0; j < COLS; j++)
				assert(same(out.GetValue(nz(i, j)), y.GetValue(i * 48 + j)), "line %d: %u %u", line, i, j);
	};
	SoftMax<T>(y, stats[0], stats[1], rows, tiling, info);
	SoftMax<T, false, false, true>(out, stats[2], stats[3], x, tmp, tiling, info);
	same_all(__LINE__);
	for (uint32_t i = 0; i < ROWS_NZ * 8; i++)
		assert(same(stats[0].GetValue(i), stats[2].GetValue(i)) && same(stats[1].GetValue(i), stats[3].GetValue(i)));
	SimpleSoftMax<T, false, false, true>(out, stats[2], stats[3], x, tmp, tiling, info);
	same_all(__LINE__);
	/* an update with the same columns once more */
	SoftmaxFlashV2<T, true>(y, stats[0], stats[1], rows, stats[4], stats[0], stats[1], tiling, info);
	SoftmaxFlashV2<T, true, false, false, true>(out, stats[2], stats[3], x, stats[5], stats[2], stats[3], tmp, tiling, info);
	same_all(__LINE__);
	for (uint32_t i = 0; i < ROWS_NZ * 8; i++)
		assert(same(stats[0].GetValue(i), stats[2].GetValue(i)) && stats[4].GetValue(i) == 1 && stats[5].GetValue(i) == 1);
	LogSoftMax<T>(y, stats[0].ReinterpretCast<T>(), stats[1].ReinterpretCast<T>(), rows, tmp, log, info);
	LogSoftMax<T, false, true>(out, stats[2].ReinterpretCast<T>(), stats[3].ReinterpretCast<T>(), x, tmp, log, info);
	same_all(__LINE__);
	assert((!AdjustSoftMaxRes<T, T, true>(out, stats[3].ReinterpretCast<T>(), 0x7777, T(5), info)));
	assert((AdjustSoftMaxRes<T, T, true>(out, stats[3].ReinterpretCast<T>(), uint32_t(detail::scalar_bits(stats[3].ReinterpretCast<T>().GetValue(0))),
					     T(5), info)));
	assert(out.GetValue(nz(0, 47)) == T(5) && out.GetValue(0) == T(5));
	/* the gradient takes x for the result of the SoftMax */
	for (uint32_t i = 0; i < ROWS_NZ; i++)
		for (uint32_t j = 0; j < 48; j++)
			out.SetValue(nz(i, j), grad.GetValue(i * 48 + j));
	SoftmaxGrad<T>(y, grad, rows, tiling, false, info);
	SoftmaxGrad<T, false, false, true>(out, out, x, tmp, tiling, false, info);
	same_all(__LINE__);
}

TEST(fractals_float) { fractals<float>(); }
TEST(fractals_half) { fractals<half>(); }

/* The example of the document: the decimal logarithm */
TEST(log_softmax)
{
	TPipe pipe;
	LocalTensor<float> x = at<float>(0), y = at<float>(1), sum = at<float>(2), max = at<float>(3);
	const float in[] = {-9, -8, -7, -6, -5, -4, -3, -2};
	const float want[] = {-3.2391157f, -2.8048213f, -2.3705268f, -1.9362322f, -1.5019379f, -1.0676433f, -0.6333489f, -0.19905435f};
	LogSoftMaxTiling tiling = {};

	for (uint32_t i = 0; i < 8; i++)
		x.SetValue(i, in[i]);
	tiling.srcM = 1;
	tiling.srcK = 8;
	LogSoftMax<float>(y, sum, max, x, at<uint8_t>(4), tiling);
	for (uint32_t i = 0; i < 8; i++)
		assert(near(y.GetValue(i), want[i], 1e-6f) && max.GetValue(i) == -2 && near(sum.GetValue(i), 1.5814459f, 1e-6f));
}

/* Rows of 512: parts of 64 lose what the row's mean has above theirs, 15 times (alpha 0.9375) */
TEST(flash_v3)
{
	TPipe pipe;
	LocalTensor<half> x = at<half>(0), y = at<half>(1), factor = at<half>(2);
	LocalTensor<float> mean = at<float>(3), sum = at<float>(3)[64], max = at<float>(3)[128];
	SoftMaxTiling tiling = {};
	SoftMaxParams params = {8, 512, 8, 512, 1, 8, 0.9375f};
	Random random;
	float before[3] = {};

	static_assert(sizeof(params) == 28);
	for (uint32_t step = 1; step <= 2; step++) {
		for (uint32_t i = 0; i < 8 * 512; i++)
			x.SetValue(i, half(float(random.next() % 256) / 256));
		PipeBarrier<PIPE_ALL>();
		params.loopCnt = step;
		if (step == 1)
			SoftmaxFlashV3<half, float>(y, mean, sum, max, x, factor, mean, sum, max, tiling, params);
		else
			SoftmaxFlashV3<half, float, true>(y, mean, sum, max, x, factor, mean, sum, max, at<uint8_t>(4), tiling, params);
		PipeBarrier<PIPE_ALL>();
		/* the last row by the document's formula */
		LocalTensor<half> in = x[7 * 512], out = y[7 * 512];
		float own = 0, most = -1e9f, parts[8], shifted[512], total = 0;

		for (uint32_t p = 0; p < 8; p++) {
			parts[p] = 0;
			for (uint32_t i = 0; i < 64; i++)
				parts[p] += float(in(p * 64 + i));
			own += parts[p] / 512;
			parts[p] /= 64;
		}
		for (uint32_t i = 0; i < 512; i++) {
			shifted[i] = float(in(i)) - (own - parts[i / 64]) * 15;
			most = shifted[i] > most ? shifted[i] : most;
		}
		float all = step == 1 ? own : (own + before[0]) / 2, shift = (own - all) * 15, old = before[2] + (before[0] - all) * 15;

		most += shift;
		most = step == 2 && old > most ? old : most;
		assert(near(mean.GetValue(63), all, 1e-5f) && near(max.GetValue(63), most, 1e-4f));
		LocalTensor<float> e = at<float>(5);
		for (uint32_t i = 0; i < 512; i++)
			e.SetValue(i, shifted[i] - (most - shift));
		e.SetValue(512, old - most);
		PipeBarrier<PIPE_ALL>();
		Exp(e, e, 520);
		PipeBarrier<PIPE_ALL>();
		for (uint32_t i = 0; i < 512; i++) {
			total += e.GetValue(i);
			assert(near(float(out(i)), e.GetValue(i), 1e-3f));
		}
		total += step == 2 ? e.GetValue(512) * before[1] : 0;
		assert(near(sum.GetValue(63), total, 1e-3f * total) && (step == 1 || near(float(factor(127)), e.GetValue(512), 1e-3f)));
		before[0] = all;
		before[1] = total;
		before[2] = most;
	}
}
