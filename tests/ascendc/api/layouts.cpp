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
