// SPDX-License-Identifier: MIT
/* Operations with a conversion, numbers in front of tensors, masks of bits for moves, places of extremes, and newer names. */
#include "unit.h"

constexpr uint64_t BITS[2] = {0xf00ff00f12345678, 0x0123456789abcdef};

inline bool has(uint32_t i)
{
	return BITS[i / 64] >> i % 64 & 1;
}

TEST(arithmetic_and_conversion)
{
	TPipe pipe;
	LocalTensor<half> a = at<half>(0), b = at<half>(1);
	LocalTensor<int8_t> c = at<int8_t>(2);
	LocalTensor<int16_t> s = at<int16_t>(3), t = at<int16_t>(4);
	LocalTensor<float> x = at<float>(5), y = at<float>(6);
	LocalTensor<half> h = at<half>(7);

	fill(a, 300, 1);
	fill(b, 300, 2);
	PipeBarrier<PIPE_ALL>();
	AddReluCast(c, a, b, 300);
	PipeBarrier<PIPE_ALL>();
	for (uint32_t i = 0; i < 300; i++) {
		float sum = float(a.GetValue(i)) + float(b.GetValue(i));

		assert(c.GetValue(i) == (sum > 0 ? int8_t(__builtin_rintf(sum)) : 0));
	}
	MulCast(c, a, b, 300);
	PipeBarrier<PIPE_ALL>();
	for (uint32_t i = 0; i < 300; i++)
		assert(c.GetValue(i) == int8_t(__builtin_rintf(float(a.GetValue(i)) * float(b.GetValue(i)))));
	fill(s, 256, 3);
	fill(t, 256, 4);
	for (uint32_t i = 0; i < 512; i++)
		c.SetValue(i, -1);
	PipeBarrier<PIPE_ALL>();
	/* two repeats of 128 numbers, whose results stand 8 blocks apart */
	SubReluCast<int8_t, int16_t>(c, s, t, BITS, 2, BinaryRepeatParams(1, 1, 1, 8, 8, 8));
	PipeBarrier<PIPE_ALL>();
	for (uint32_t i = 0; i < 256; i++) {
		int32_t r = i / 128, j = i % 128, difference = s.GetValue(i) - t.GetValue(i);

		assert(c.GetValue(r * 256 + j) == (has(j) ? (difference > 0 ? difference : 0) : -1));
	}
	fill(x, 100, 5);
	fill(y, 100, 6);
	PipeBarrier<PIPE_ALL>();
	AddReluCast(h, x, y, 64, 1, BinaryRepeatParams());
	MulsCast(h[64], 3.0f, x, 36);
	PipeBarrier<PIPE_ALL>();
	for (uint32_t i = 0; i < 100; i++) {
		float sum = x.GetValue(i) + y.GetValue(i);

		assert(h.GetValue(i) == (i < 64 ? half(sum > 0 ? sum : 0) : half(x.GetValue(i - 64) * 3)));
	}
}

TEST(scales_of_integers)
{
	TPipe pipe;
	LocalTensor<int32_t> a = at<int32_t>(0), b = at<int32_t>(1);
	LocalTensor<half> h = at<half>(2);
	LocalTensor<int16_t> s = at<int16_t>(3);
	LocalTensor<int8_t> c = at<int8_t>(4);
	LocalTensor<uint8_t> u = at<uint8_t>(5);
	LocalTensor<uint64_t> words = at<uint64_t>(6);
	float scale[16];
	int16_t offset[16];
	bool sign[16];

	fill(a, 70, 1);
	fill(b, 70, 2);
	fill(s, 80, 3);
	for (uint32_t i = 0; i < 160; i++) {
		c.SetValue(i, 99);
		u.SetValue(i, 99);
	}
	for (int i = 0; i < 16; i++) {
		scale[i] = 0.5f * float(i + 1);
		offset[i] = int16_t(i % 2 ? -i : i);
		sign[i] = false;
	}
	SetDeqScale(half(0.25));
	PipeBarrier<PIPE_ALL>();
	AddDeqRelu(h, a, b, 70);
	PipeBarrier<PIPE_ALL>();
	for (uint32_t i = 0; i < 70; i++) {
		int32_t sum = a.GetValue(i) + b.GetValue(i);

		assert(h.GetValue(i) == half(sum > 0 ? float(sum) * 0.25f : 0.0f));
	}
	CastDequant<half, int32_t>(h, a, 64, 1, UnaryRepeatParams(1, 1, 4, 8));
	PipeBarrier<PIPE_ALL>();
	for (uint32_t i = 0; i < 64; i++)
		assert(h.GetValue(i) == half(float(a.GetValue(i)) * 0.25f));
	SetDeqScale(7.5f, -3, true);
	CastDeq<int8_t, int16_t, false, false>(c, s, 80);
	SetDeqScale(words, VdeqInfo(scale, offset, sign));
	CastDequant<uint8_t, int16_t>(u, s, 80);
	PipeBarrier<PIPE_ALL>();
	for (uint32_t i = 0; i < 80; i++) {
		float one = __builtin_rintf(float(s.GetValue(i)) * 7.5f - 3.0f);
		float each = __builtin_rintf(float(s.GetValue(i)) * scale[i % 16] + float(offset[i % 16]));

		/* the other halves of the blocks stay as they are */
		assert(c.GetValue(i / 16 * 32 + i % 16) == 99 && u.GetValue(i / 16 * 32 + 16 + i % 16) == 99);
		assert(c.GetValue(i / 16 * 32 + 16 + i % 16) == int8_t(one < -128 ? -128 : one > 127 ? 127 : one));
		assert(u.GetValue(i / 16 * 32 + i % 16) == uint8_t(each < 0 ? 0 : each > 255 ? 255 : each));
	}
	SetDeqScale(half(1));
}

TEST(functions_of_two)
{
	TPipe pipe;
	LocalTensor<half> a = at<half>(0), b = at<half>(1), c = at<half>(2), d = at<half>(3);
	LocalTensor<float> x = at<float>(4), e = at<float>(5);
	LocalTensor<int32_t> m = at<int32_t>(0), n = at<int32_t>(1), low = at<int32_t>(2), high = at<int32_t>(3);

	fill(a, 130, 1);
	fill(b, 130, 2);
	PipeBarrier<PIPE_ALL>();
	Prelu(c, a, b, 130);
	ExpSub(x, a, b, 130);
	PipeBarrier<PIPE_ALL>();
	for (uint32_t i = 0; i < 130; i++) {
		float p = float(a.GetValue(i)), q = float(b.GetValue(i));

		assert(float(c.GetValue(i)) == (p > 0 ? p : float(half(p * q))));
		e.SetValue(i, p - q);
	}
	PipeBarrier<PIPE_ALL>();
	Exp(e, e, 130);
	PipeBarrier<PIPE_ALL>();
	for (uint32_t i = 0; i < 130; i++)
		assert(same(x.GetValue(i), e.GetValue(i)));
	Interleave(c, d, a, b, 64);
	PipeBarrier<PIPE_ALL>();
	for (uint32_t i = 0; i < 128; i++)
		assert((i < 64 ? c : d).GetValue(i % 64) == (i % 2 ? b : a).GetValue(i / 2));
	DeInterleave(a, b, c, d, 64);
	PipeBarrier<PIPE_ALL>();
	for (uint32_t i = 0; i < 128; i++)
		assert((i < 64 ? c : d).GetValue(i % 64) == (i % 2 ? b : a).GetValue(i / 2));
	Truncate<half, RoundMode::CAST_FLOOR>(b, a, 64);
	PipeBarrier<PIPE_ALL>();
	for (uint32_t i = 0; i < 64; i++)
		assert(float(b.GetValue(i)) == __builtin_floorf(float(a.GetValue(i))));
	for (uint32_t i = 0; i < 9; i++) {
		m.SetValue(i, int32_t(i * 123456789));
		n.SetValue(i, int32_t(0x7fffffff - i * 987654321));
	}
	PipeBarrier<PIPE_ALL>();
	Mull(low, high, m, n, 9);
	for (uint32_t i = 0; i < 9; i++)
		assert(int64_t(uint64_t(uint32_t(high.GetValue(i))) << 32 | uint32_t(low.GetValue(i))) ==
		       int64_t(m.GetValue(i)) * n.GetValue(i));
}

constexpr BinaryConfig FIRST = {0};

TEST(numbers_in_front)
{
	TPipe pipe;
	LocalTensor<float> a = at<float>(0), b = at<float>(1), c = at<float>(2), d = at<float>(3);
	LocalTensor<uint8_t> bits = at<uint8_t>(4), more = at<uint8_t>(5);
	LocalTensor<int16_t> s = at<int16_t>(6), t = at<int16_t>(7);

	fill(a, 192, 1);
	fill(b, 192, 2);
	b.SetValue(3, 2.5f);
	PipeBarrier<PIPE_ALL>();
	Subs(c, 1.0f, a, 100);
	Divs(d, a, b[3], 100);
	PipeBarrier<PIPE_ALL>();
	for (uint32_t i = 0; i < 100; i++)
		assert(c.GetValue(i) == 1.0f - a.GetValue(i) && d.GetValue(i) == a.GetValue(i) / 2.5f);
	Subs<BinaryDefaultType, true, FIRST>(c, b[3], a, 64, 3, UnaryRepeatParams());
	PipeBarrier<PIPE_ALL>();
	for (uint32_t i = 0; i < 192; i++)
		assert(c.GetValue(i) == 2.5f - a.GetValue(i));
	Compares(bits, a, 1.0f, CMPMODE::LE, 192);
	Compares(more, 1.0f, a, CMPMODE::GE, 192);
	PipeBarrier<PIPE_ALL>();
	for (uint32_t i = 0; i < 192; i++)
		assert((bits.GetValue(i / 8) >> i % 8 & 1) == (a.GetValue(i) <= 1.0f) && bits.GetValue(i / 8) == more.GetValue(i / 8));
	for (uint32_t i = 0; i < 40; i++) {
		s.SetValue(i, int16_t(-1000 + int(i) * 77));
		t.SetValue(i, int16_t(i % 16));
	}
	PipeBarrier<PIPE_ALL>();
	ShiftRight(s[64], s, t, 40);
	ShiftLeft(s[128], s, t, 40);
	PipeBarrier<PIPE_ALL>();
	for (uint32_t i = 0; i < 40; i++)
		assert(s.GetValue(64 + i) == s.GetValue(i) >> i % 16 && s.GetValue(128 + i) == int16_t(uint16_t(s.GetValue(i)) << i % 16));
}

TEST(moves_by_bits)
{
	TPipe pipe;
	LocalTensor<half> a = at<half>(0), b = at<half>(1), c = at<half>(2);
	LocalTensor<uint32_t> offsets = at<uint32_t>(3);
	LocalTensor<int16_t> s = at<int16_t>(4);

	fill(a, 256, 1);
	for (uint32_t i = 0; i < 256; i++) {
		offsets.SetValue(i, (i * 37 + 5) % 256 * 2);
		b.SetValue(i, half(99));
		b.SetValue(256 + i, half(99));
		c.SetValue(i, half(99));
		c.SetValue(256 + i, half(99));
		s.SetValue(i, 99);
	}
	PipeBarrier<PIPE_ALL>();
	Gather(b, a, offsets, 0u, BITS, 2, 12);
	Scatter(c, a, offsets, 0u, BITS, 2, 8);
	CreateVecIndex(s, int16_t(5), BITS, 1, 2, 16);
	PipeBarrier<PIPE_ALL>();
	for (uint32_t i = 0; i < 256; i++) {
		uint32_t from = offsets.GetValue(i) / 2, j = i % 128;

		assert(b.GetValue(i / 128 * 192 + j) == (has(j) ? a.GetValue(from) : half(99)));
		assert(c.GetValue(from) == (has(j) ? a.GetValue(i) : half(99)));
		assert(i >= 128 || s.GetValue(i / 16 * 32 + i % 16) == (has(i) ? int16_t(5 + i) : int16_t(99)));
	}
	Scatter(c, a, offsets, 256u, uint64_t(100), 2, 8);
	PipeBarrier<PIPE_ALL>();
	for (uint32_t i = 0; i < 256; i++)
		assert(i % 128 >= 100 || c.GetValue(128 + offsets.GetValue(i) / 2) == a.GetValue(i));
}

template <class T> inline void places()
{
	constexpr uint32_t each = 256 / sizeof(T);
	using Bits = std::conditional_t<sizeof(T) == 2, uint16_t, uint32_t>;
	LocalTensor<T> a = at<T>(0), c = at<T>(1), d = at<T>(2);
	LocalTensor<uint32_t> alone = at<uint32_t>(3);

	fill(a, each * 3, 9);
	PipeBarrier<PIPE_ALL>();
	WholeReduceMax(c, a, int32_t(each), 3, 1, 1, 8);
	WholeReduceMax(d, a, int32_t(each), 3, 2, 1, 8, ReduceOrder::ORDER_INDEX_VALUE);
	ReduceRepeat<ReduceType::MAX, T, T>(alone.ReinterpretCast<T>(), a, int32_t(each), 3, 1, 1, 8, ReduceOrder::ORDER_ONLY_INDEX);
	PipeBarrier<PIPE_ALL>();
	for (uint32_t r = 0; r < 3; r++) {
		uint32_t best = 0;

		for (uint32_t i = 1; i < each; i++)
			if (a.GetValue(r * each + i) > a.GetValue(r * each + best))
				best = i;
		assert(c.GetValue(r * 2) == a.GetValue(r * each + best));
		assert(same(d.GetValue(r * 4 + 1), c.GetValue(r * 2)) && same(d.GetValue(r * 4), c.GetValue(r * 2 + 1)));
		assert(__builtin_bit_cast(Bits, d.GetValue(r * 4)) == best && alone.GetValue(r) == best);
	}
	ReduceDataBlock<ReduceType::MIN, T, T>(c, a, int32_t(each), 3, 1, 1, 8);
	BlockReduceMin(d, a, 3, int32_t(each), 1, 1, 8);
	PipeBarrier<PIPE_ALL>();
	for (uint32_t i = 0; i < 24; i++)
		assert(same(c.GetValue(i), d.GetValue(i)));
}

TEST(places_of_extremes)
{
	TPipe pipe;

	places<float>();
	places<half>();
}

TEST(selections_by_registers)
{
	TPipe pipe;
	LocalTensor<half> a = at<half>(0), b = at<half>(1), c = at<half>(2);
	LocalTensor<uint64_t> bits = at<uint64_t>(3), place = at<uint64_t>(4);
	LocalTensor<half> number = at<half>(5);

	fill(a, 256, 1);
	fill(b, 256, 2);
	for (uint32_t i = 0; i < 4; i++)
		bits.SetValue(i, i < 2 ? BITS[i] : ~BITS[i - 2]);
	for (uint32_t i = 0; i < 16; i++)
		number.SetValue(i, half(-7));
	place.SetValue(0, bits.GetPhyAddr());
	PipeBarrier<PIPE_ALL>();
	SetCmpMask(place);
	Select<half, SELMODE::VSEL_TENSOR_TENSOR_MODE>(c, a, b, 2, BinaryRepeatParams());
	PipeBarrier<PIPE_ALL>();
	for (uint32_t i = 0; i < 256; i++)
		assert(c.GetValue(i) == (has(i % 128) == (i < 128) ? a : b).GetValue(i));
	SetCmpMask(number);
	Select(c, bits, a, 2, BinaryRepeatParams());
	PipeBarrier<PIPE_ALL>();
	for (uint32_t i = 0; i < 256; i++)
		assert(c.GetValue(i) == (has(i % 128) == (i < 128) ? a.GetValue(i) : half(-7)));
}

TEST(comparisons_by_count)
{
	TPipe pipe;
	LocalTensor<float> a = at<float>(0), b = at<float>(1);
	LocalTensor<uint8_t> bits = at<uint8_t>(2), more = at<uint8_t>(3);

	fill(a, 200, 1);
	fill(b, 200, 2);
	for (uint32_t i = 200; i < 256; i++) {
		a.SetValue(i, 0);
		b.SetValue(i, 0);
	}
	PipeBarrier<PIPE_ALL>();
	SetMaskCount();
	Compare(bits, a, b, CMPMODE::LT, uint64_t(200), 1, BinaryRepeatParams());
	CompareScalar(more, a, 0.5f, CMPMODE::GT, uint64_t(200), 1, UnaryRepeatParams());
	SetMaskNorm();
	PipeBarrier<PIPE_ALL>();
	for (uint32_t i = 0; i < 200; i++) {
		assert((bits.GetValue(i / 8) >> i % 8 & 1) == (a.GetValue(i) < b.GetValue(i)));
		assert((more.GetValue(i / 8) >> i % 8 & 1) == (a.GetValue(i) > 0.5f));
	}
}

TEST(newer_names)
{
	TPipe pipe;
	TBuf<TPosition::VECCALC> buffer;
	LocalTensor<float> rest;
	LocalTensor<uint64_t> to = at<uint64_t>(4), from = at<uint64_t>(5);
	LocalTensor<half> a = at<half>(6), b = at<half>(7);
	uint32_t word = 5;

	pipe.InitBuffer(buffer, 8192 * 8);
	assert((PopStackBuffer<float, TPosition::LCM>(rest)) && rest.GetSize() * 4 + 8192 * 8 <= GetRuntimeUBSize());
	assert(rest.GetPhyAddr() - buffer.Get<float>().GetPhyAddr() == 8192 * 8 && GetRuntimeUBSize() <= GetUBSizeInBytes());
	assert(GetBitCount<1>(0xf0f0) == 8 && GetSFFValue<1>(8) == 3 && CountLeadingZero(1) == 63 && GetTaskRatio() == GetTaskRation());
	assert(NumericLimits<half>::Max() == half(65504) && NumericLimits<float>::NegativeInfinity() < NumericLimits<float>::Lowest());
	assert(Min(word, 3u) == 3 && Max(int64_t(word), int64_t(9)) == 9 && Min(2.5f, 3.0f) == 2.5f);
	WriteGmByPassDCache(&word, 7u);
	assert(ReadGmByPassDCache(&word) == 7 && (Cast<float, int32_t, RoundMode::CAST_CEIL>(1.25f)) == 2);
	assert((Cast<bfloat16_t, float>(bfloat16_t(1.5f))) == 1.5f);
	fill(a, 256, 1);
	for (uint32_t i = 0; i < 16; i++) {
		to.SetValue(i, b[i * 16].GetPhyAddr());
		from.SetValue(i, a[i * 16].GetPhyAddr());
	}
	PipeBarrier<PIPE_ALL>();
	TransDataTo5HD<half>(to, from, TransDataTo5HDParams(false, false, 1, 0, 0));
	PipeBarrier<PIPE_ALL>();
	for (uint32_t i = 0; i < 256; i++)
		assert(b.GetValue(i) == a.GetValue(i % 16 * 16 + i / 16));
}
