// SPDX-License-Identifier: MIT
/* Copies of up to five dimensions beside plain loops: padding, transposes, broadcasts and parts of tensors. */
#include "unit.h"

alignas(64) static uint8_t memory[512 * sizeof(int64_t)];

/* Global memory whose elements are all known */
template <class T> struct Source {
	T *value = reinterpret_cast<T *>(memory);
	GlobalTensor<T> tensor;

	Source()
	{
		for (uint32_t i = 0; i < 512; i++)
			value[i] = static_cast<T>(i % 97 + 1);
		tensor.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(memory), 512);
	}
};

/* What the copy means, element by element, beside what it does; places that it does not write keep 99. */
template <class T, uint8_t dim, const NdDmaConfig &config>
inline void copies(const NdDmaParams<T, dim> &params, uint32_t elements)
{
	Source<T> from;
	LocalTensor<T> to = at<T>(0), want = at<T>(1);
	const NdDmaLoopInfo<dim> &l = params.loopInfo;
	uint32_t total = 1;

	for (uint32_t i = 0; i < elements; i++) {
		to.SetValue(i, T(99));
		want.SetValue(i, T(99));
	}
	for (uint32_t d = 0; d < dim; d++)
		total *= l.loopLpSize[d] + l.loopSize[d] + l.loopRpSize[d];
	for (uint32_t n = 0; n < total; n++) {
		uint32_t rest = n, dst = 0, src = 0;
		bool pads = false;

		for (uint32_t d = 0; d < dim; d++) {
			uint32_t all = l.loopLpSize[d] + l.loopSize[d] + l.loopRpSize[d];
			int32_t place = int32_t(rest % all) - l.loopLpSize[d], most = int32_t(l.loopSize[d]) - 1;

			dst += rest % all * l.loopDstStride[d];
			src += uint32_t(place < 0 ? 0 : place > most ? most : place) * uint32_t(l.loopSrcStride[d]);
			pads |= place < 0 || place > most;
			rest /= all;
		}
		want.SetValue(dst, pads && !config.isNearestValueMode ? params.constantValue : from.value[src]);
	}
	NdDmaDci();
	DataCopy<T, dim, config>(to, from.tensor, params);
	for (uint32_t i = 0; i < elements; i++)
		assert(same(to(i), want(i)), "%u: %d, not %d", i, int(float(to(i))), int(float(want(i))));
}

static constexpr NdDmaConfig nearest = {true, NdDmaConfig::unsetPad, NdDmaConfig::unsetPad, false};

template <class T> inline void all_forms()
{
	/* padding around 8 columns of 2 rows, as in the documents, and of whole blocks */
	copies<T, 2, kDefaultNdDmaConfig>({{{1, 8}, {1, 16}, {8, 2}, {3, 1}, {5, 1}}, T(7)}, 80);
	copies<T, 2, kDefaultNdDmaConfig>({{{1, 70}, {1, 128}, {69, 3}, {32, 1}, {5, 0}}, T(7)}, 600);
	/* a transpose, a broadcast of a row and of a column, a part */
	copies<T, 2, kDefaultNdDmaConfig>({{{1, 20}, {17, 1}, {20, 16}, {0, 0}, {0, 0}}, T(0)}, 400);
	copies<T, 2, kDefaultNdDmaConfig>({{{1, 0}, {1, 64}, {33, 4}, {0, 0}, {0, 0}}, T(0)}, 300);
	copies<T, 2, kDefaultNdDmaConfig>({{{0, 3}, {1, 9}, {9, 5}, {0, 0}, {0, 0}}, T(0)}, 50);
	copies<T, 1, kDefaultNdDmaConfig>({{{5}, {2}, {75}, {1}, {2}}, T(1)}, 200);
	copies<T, 5, kDefaultNdDmaConfig>({{{1, 5, 20, 60, 120}, {1, 8, 40, 160, 480}, {5, 4, 3, 2, 2}, {1, 0, 1, 0, 0}, {0, 1, 0, 1, 0}}, T(3)}, 1000);
}

TEST(dimensions_bytes) { all_forms<uint8_t>(); }
TEST(dimensions_half) { all_forms<half>(); }
TEST(dimensions_float) { all_forms<float>(); }
TEST(dimensions_int64)
{
	copies<int64_t, 2, kDefaultMultiCopyConfig>({{{1, 4}, {9, 1}, {4, 9}, {1, 0}, {1, 0}}, 0}, 60);
}

/* Padding takes the nearest element of the part, in corners that of the corner */
TEST(dimensions_nearest)
{
	copies<float, 2, nearest>({{{1, 8}, {1, 16}, {8, 2}, {3, 1}, {5, 2}}, 7}, 90);
	copies<half, 3, nearest>({{{1, 40, 160}, {1, 64, 320}, {40, 3, 2}, {16, 1, 1}, {7, 1, 0}}, half(7)}, 960);
	copies<int8_t, 1, nearest>({{{3}, {1}, {30}, {2}, {2}}, 0}, 40);
}

/* The padding of a configuration stands for that of all dimensions */
TEST(dimensions_configured)
{
	static constexpr MultiCopyConfig config = {false, 1, 2, false};
	Source<int32_t> from;
	LocalTensor<int32_t> to = at<int32_t>(0);
	MultiCopyParams<int32_t, 2> params{MultiCopyLoopInfo<2>{{1, 4}, {1, 7}, {4, 2}, {9, 9}, {9, 9}}, -1};

	DataCopy<int32_t, 2, config>(to, from.tensor, params);
	for (int32_t i = 0; i < 35; i++) {
		int32_t row = i / 7 - 1, column = i % 7 - 1;

		assert(to(i) == (row < 0 || row > 1 || column < 0 || column > 3 ? -1 : from.value[row * 4 + column]), "%d", i);
	}
}
