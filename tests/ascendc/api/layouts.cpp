// SPDX-License-Identifier: MIT
/* Shapes, strides and coordinates: the documents' examples, as constants and from values that the compiler does not know. */
#include "unit.h"

static_assert(Crd2Idx(MakeCoord(1, 2, 3), MakeShape(3, 4, 5), MakeStride(20, 5, 1)) == 33);
static_assert(Crd2Idx(MakeCoord(11, 12), MakeShape(MakeShape(2, 4), MakeShape(3, 5)), MakeStride(MakeStride(3, 6), MakeStride(1, 24))) == 129);
static_assert(MakeLayout(MakeShape(4, Std::Int<8>{}), MakeStride(Std::Int<8>{}, 1))(MakeCoord(2, Std::Int<3>{})) == 19);
/* a number counts the first dimension first */
static_assert(Crd2Idx(7, MakeShape(3, 4), MakeStride(1, 100)) == 201 && Crd2Idx(5, 9, 2) == 10);
static_assert(Crd2Idx(MakeCoord(MakeCoord(1, 2), 5), MakeShape(MakeShape(2, 4), 9), MakeStride(MakeStride(10, 100), 1)) == 215);
static_assert(is_layout_v<decltype(MakeLayout(MakeShape(1), MakeStride(1)))> && !is_layout_v<Shape<int>>);

TEST(layouts)
{
	uint32_t n = GetBlockNum();
	Shape<int, int, int> shape = MakeShape(10, 20, 30);
	Stride<int, int, int> stride = MakeStride(int(n), 100, 200);
	auto made = MakeLayout(shape, stride);
	Layout<Shape<int, int, int>, Stride<int, int, int>> initialised(shape, stride);

	assert(Std::get<0>(made.GetShape()) == 10 && Std::get<2>(made.layout().GetShape()) == 30 && Std::get<1>(initialised.GetStride()) == 100);
	for (uint32_t i = 0; i < 3; i++)
		assert(made(MakeCoord(i, 1u, 2u)) == i * n + 500);
	assert(Crd2Idx(MakeCoord(1, 2, 3), initialised) == n + 800);
}

static_assert(Std::is_one_of_v<half, float, half> && !Std::is_one_of_v<int, float, half> && Std::is_same_v<Std::remove_cvref_t<const int &>, int>);
static_assert(Std::is_tuple_v<Shape<int>> && !Std::is_tuple_v<int> && Std::is_integral_constant_v<Std::Int<3>>);

/* A tensor of a TensorTrait is one of its elements; the object has the layout */
TEST(traits)
{
	LocalTensor<TensorTrait<float>> x(TPosition::VECCALC, 0, 64);
	LocalTensor<TensorTrait<float, TPosition::VECCALC, Layout<Shape<int>, Stride<int>>>> y(TPosition::VECCALC, 256, 64);
	auto trait = MakeTensorTrait<float, TPosition::VECIN>(MakeLayout(MakeShape(10, 20), MakeStride(1, 100)));

	static_assert(Std::is_same_v<decltype(trait)::LiteType, float> && trait.tPos == TPosition::VECIN);
	assert(Std::get<1>(trait.GetLayout().GetShape()) == 20 && trait.GetLayout()(MakeCoord(3, 2)) == 203);
	trait.SetLayout(MakeLayout(MakeShape(1, 2), MakeStride(2, 1)));
	assert(Std::get<0>(trait.GetLayout().GetStride()) == 2);
	Duplicate(x, 1.5f, 64);
	Add(y, x, x, 64);
	PipeBarrier<PIPE_ALL>();
	assert(y.GetValue(63) == 3);
}

constexpr TransDataConfig to_images = {DataFormat::NCDHW, DataFormat::NDC1HWC0}, from_images = {DataFormat::NDC1HWC0, DataFormat::NCDHW};
constexpr TransDataConfig to_filters = {DataFormat::NCDHW, DataFormat::FRACTAL_Z_3D}, from_filters = {DataFormat::FRACTAL_Z_3D, DataFormat::NCDHW};

/* Rows that lie @room elements apart per plane; 20 channels and 18 outputs are no multiples of 16 */
template <const TransDataConfig &to, const TransDataConfig &from, class Rows> inline void there_and_back(const Rows &rows, uint32_t room, bool filters)
{
	constexpr uint32_t n = 18, c = 20, d = 2, h = 2, w = 3;
	LocalTensor<half> x(TPosition::VECCALC, 0, 8192), blocks(TPosition::VECCALC, 32768, 16384), back(TPosition::VECCALC, 98304, 8192);
	TransDataParams<Rows, decltype(MakeLayout(MakeShape(1), MakeStride(1)))> params = {rows, MakeLayout(MakeShape(1), MakeStride(1))};
	TransDataParams<decltype(MakeLayout(MakeShape(1), MakeStride(1))), Rows> other = {MakeLayout(MakeShape(1), MakeStride(1)), rows};
	uint32_t size = filters ? d * 2 * h * w * 2 * 256 : n * d * 2 * h * w * 16;

	for (uint32_t i = 0; i < n * c * d; i++)
		for (uint32_t j = 0; j < h * w; j++)
			x.SetValue(i * room + j, half(1 + (i * 6 + j) % 2000));
	Duplicate(blocks, half(-1), 16384);
	Duplicate(back, half(-1), 8192);
	TransData<to>(blocks, x, params);
	TransData<from>(back, blocks, LocalTensor<uint8_t>(), other);
	for (uint32_t at = 0; at < size; at++) {
		uint32_t c0 = at % 16, q = at / 16, n0 = 0, n1 = 0, i;

		if (filters) {
			n0 = q % 16;
			n1 = q / 16 % 2;
			q /= 32;
		}
		uint32_t ww = q % w, hh = q / w % h, c1 = q / (w * h) % 2, dd = q / (w * h * 2) % d, nn = filters ? n1 * 16 + n0 : q / (w * h * 2 * d);
		uint32_t cc = c1 * 16 + c0;

		i = (nn * c + cc) * d + dd;
		assert(blocks.GetValue(at) == (nn < n && cc < c ? half(1 + (i * 6 + hh * w + ww) % 2000) : half(0)), "%u\n", at);
	}
	assert(blocks.GetValue(size) == half(-1));
	for (uint32_t i = 0; i < n * c * d * room; i++)
		assert(back.GetValue(i) == (i % room < h * w ? x.GetValue(i) : half(-1)), "%u\n", i);
}

TEST(images_and_filters)
{
	auto rows = MakeLayout(MakeShape(18, 20, 2, 2, 3), MakeStride(20 * 2 * 8, 2 * 8, 8, 3, 1));

	there_and_back<to_images, from_images>(rows, 8, false);
	there_and_back<to_filters, from_filters>(MakeLayout(MakeShape(18, 20, 2, 2, 3), MakeStride(20 * 2 * 6, 2 * 6, 6, 3, 1)), 6, true);
}

/* Without strides: 16 x 16 x 1 x 4 x 4 elements one behind the other */
TEST(contiguous_filters)
{
	LocalTensor<half> x = at<half>(0), z = at<half>(1);
	auto rows = MakeLayout(MakeShape(16, 16, 1, 4, 4), Stride<>());
	TransDataParams<decltype(rows), decltype(rows)> params = {rows, rows};

	for (uint32_t i = 0; i < 4096; i++)
		x.SetValue(i, half(i % 2048));
	TransData<to_filters>(z, x, params);
	for (uint32_t i = 0; i < 4096; i++)
		assert(z.GetValue(i) == x.GetValue((i / 16 % 16 * 16 + i % 16) * 16 + i / 256));
}
