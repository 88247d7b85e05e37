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
