// SPDX-License-Identifier: MIT
/* <tuple> and <array> on the AI core, and tuples by the names of AscendC::Std. */
#include "unit.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <numeric>
#include <optional>
#include <string_view>
#include <tuple>
#include <variant>

static_assert(std::tuple_size_v<std::tuple<int, float, half>> == 3 && std::tuple_size<const std::array<int, 5>>::value == 5);
static_assert(std::is_same_v<std::tuple_element_t<1, std::tuple<int, half>>, half>);
static_assert(std::is_same_v<std::tuple_element_t<1, const std::pair<int, float>>, const float>);
static_assert(std::get<2>(std::make_tuple(1, 2.0f, 3L)) == 3 && std::array{1, 2, 3}.size() == 3);

TEST(tuples)
{
	AscendC::Std::tuple<int32_t, float, uint8_t> a = AscendC::Std::make_tuple(-5, 2.5f, uint8_t(7));
	auto [number, fraction, small] = a;
	int32_t x = 0;
	float y = 0;
	uint8_t z = 0;

	assert(number == -5 && fraction == 2.5f && small == 7);
	AscendC::Std::get<0>(a) = 9;
	std::tie(x, y, z) = a;
	assert(x == 9 && y == 2.5f && z == 7);
	assert(std::apply([](int i, float f, int u) { return i + f + u; }, a) == 18.5f);
	auto both = std::tuple_cat(a, std::make_tuple(1, 2));
	assert(std::get<4>(both) == 2 && std::get<1>(both) == 2.5f && std::tuple_size_v<decltype(both)> == 5);
	assert(a == std::make_tuple(9, 2.5f, 7) && a != std::make_tuple(9, 2.5f, 8));
	std::tuple<int, LocalTensor<float>> tensor(1, at<float>(2));
	assert(std::get<1>(tensor).GetPhyAddr() == at<float>(2).GetPhyAddr());
	std::pair<int, float> pair{3, 4.5f};
	auto [first, second] = pair;
	assert(first == 3 && std::get<1>(pair) == second && second == 4.5f);
}

/* tests/simt/library.cu has more of these; here they have no header of CUDA in front */
TEST(other_headers)
{
	std::array<int32_t, 5> a{4, 1, 3, 0, 2};
	std::optional<int32_t> none, some(7);
	std::variant<int32_t, float> either(2.5f);

	std::sort(a.begin(), a.end(), std::greater<>());
	assert(a[0] == 4 && a[4] == 0 && std::accumulate(a.begin(), a.end(), 5) == 15 && std::gcd(12, 18) == 6);
	assert(some.value_or(1) == 7 && none.value_or(1) == 1 && std::get<float>(either) == 2.5f && either.index() == 1);
	assert(std::visit([](auto x) { return float(x) * 2; }, either) == 5);
	assert(std::string_view("tile, block").substr(6) == "block" && std::chrono::milliseconds(std::chrono::seconds(2)).count() == 2000);
}

TEST(arrays)
{
	std::array<int32_t, 5> a{4, 3, 2, 1, 0}, b = a;
	int32_t sum = 0;

	for (int32_t value : a)
		sum = sum * 10 + value;
	assert(sum == 43210 && a == b && a.front() == 4 && a.back() == 0 && !a.empty());
	b.fill(7);
	assert(b[4] == 7 && std::get<2>(b) == 7 && a != b && *(a.begin() + 1) == 3 && a.end() - a.begin() == 5);
	auto [p, q, r, s, t] = a;
	assert(p * 10000 + q * 1000 + r * 100 + s * 10 + t == 43210);
}

/* The position that is set behind InitBuffer() says in which scratchpad the tensor is. */
TEST(init_buffer_by_hand)
{
	LocalTensor<uint8_t> x;
	LocalTensor<half> y;
	TBuffAddr copied;

	x.InitBuffer(64, 1024);
	x.address_.logicPos = static_cast<uint8_t>(TPosition::VECIN);
	assert(x.GetPhyAddr() == LocalTensor<uint8_t>(TPosition::VECIN, 64, 1024).GetPhyAddr() && x.GetSize() == 1024);
	x.address_.logicPos = static_cast<uint8_t>(TPosition::A1);
	assert(x.GetPhyAddr() == LocalTensor<uint8_t>(TPosition::A1, 64, 1024).GetPhyAddr());
	x.address_.logicPos = static_cast<uint8_t>(TPosition::CO1);
	copied = x.address_;
	assert(x.GetPhyAddr() == LocalTensor<uint8_t>(TPosition::CO1, 64, 1024).GetPhyAddr());
	assert(copied.bufferAddr == x.GetPhyAddr() && static_cast<TPosition>(copied.logicPos) == TPosition::CO1 && copied.logicPos == x.GetPosition());
	y.InitBuffer(32, 100);
	assert(y.GetLength() == 200 && y.GetPhyAddr() == LocalTensor<half>(TPosition::VECCALC, 32, 100).GetPhyAddr());
}

/* A TBuf passes on the tensor that EnQue() gave it last, with the vector unit's results in it, or itself. */
TEST(buffer_passes_tensors_on)
{
	TPipe pipe;
	TBuf<TPosition::VECCALC> buffer;
	LocalTensor<float> x, y, z;

	pipe.InitBuffer(buffer, 1024);
	assert(buffer.DeQue<float>().GetPhyAddr() == buffer.Get<float>().GetPhyAddr() && buffer.DeQue<float>().GetSize() == 256);
	x = buffer.Get<float>(64);
	y = buffer.GetWithOffset<float>(32, 512);
	fill(x, 64);
	assert(buffer.EnQue(y));
	z = buffer.DeQue<float>();
	assert(z.GetPhyAddr() == y.GetPhyAddr() && z.GetSize() == 32 && buffer.DeQue<half>().GetSize() == 64);
	PipeBarrier<PIPE_ALL>();
	Adds(x, x, 1.0f, 64);
	buffer.EnQue(x);
	z = buffer.DeQue<float>();
	Muls(z, z, 2.0f, 64);
	PipeBarrier<PIPE_ALL>();
	Random random;
	random.state = 1;
	for (uint32_t i = 0; i < 64; i++)
		assert(x.GetValue(i) == (number<float>(random) + 1) * 2);
}
