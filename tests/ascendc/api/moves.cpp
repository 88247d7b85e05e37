// SPDX-License-Identifier: MIT
/* Gather, Scatter, GatherMask, Brcb, Transpose, Sort32 and MrgSort. */
#include "unit.h"

TEST(gather_and_scatter)
{
	LocalTensor<half> a = at<half>(0), c = at<half>(2);
	LocalTensor<uint32_t> index = at<uint32_t>(1);
	Random random;

	fill(a, 300, 1);
	for (int i = 0; i < 217; i++)
		index.SetValue(i, random.next() % 300 * sizeof(half));
	Gather(c, a, index, 0, 217);
	for (int i = 0; i < 217; i++)
		assert(same(c(i), a(index(i) / 2)));
	for (int i = 0; i < 217; i++)
		index.SetValue(i, (i * 5 % 217) * sizeof(half));
	Scatter(c, a, index, 64, 217);
	for (int i = 0; i < 217; i++)
		assert(same(c(32 + i * 5 % 217), a(i)));
}

/* A TPipe that takes over from another one hands out what is behind the other's buffers. */
TEST(pipe_takes_over)
{
	TPipe first, second;
	TBuf<> a, b;

	first.InitBuffer(a, 64);
	second.InitBuffer(b, 32);
	second = first;
	second.InitBuffer(b, 32);
	assert(b.Get<float>().GetPhyAddr() == a.Get<float>().GetPhyAddr() + 64);
	assert(GetTPipePtr() == &second);
}

TEST(gather_blocks)
{
	LocalTensor<float> a = at<float>(0), c = at<float>(2);
	LocalTensor<uint32_t> index = at<uint32_t>(1);

	fill(a, 512, 1);
	for (int i = 0; i < 16; i++)
		index.SetValue(i, i * 7 % 32 * 32);
	Gatherb(c, a, index, 2, GatherRepeatParams(1, 8));
	for (int i = 0; i < 128; i++)
		assert(same(c(i), a(i / 8 * 7 % 32 * 8 + i % 8)));
	Gatherb(c, a, index, 2, GatherRepeatParams(2, 16));
	for (int i = 0; i < 128; i++)
		assert(same(c(i / 8 * 16 + i % 8), a(i / 8 * 7 % 32 * 8 + i % 8)));
}

TEST(gather_mask)
{
	LocalTensor<float> a = at<float>(0), c = at<float>(2);
	LocalTensor<uint32_t> bits = at<uint32_t>(1);
	uint64_t kept = 0;

	fill(a, 512, 1);
	GatherMask(c, a, 2, false, 0, GatherMaskParams(1, 2, 8, 0), kept);
	assert(kept == 64);
	for (int i = 0; i < 64; i++)
		assert(same(c(i), a(2 * i + 1)));
	/* counter mode: 10 elements of each repeat, which are 4 blocks apart */
	GatherMask(c, a, 3, true, 10, GatherMaskParams(1, 3, 4, 0), kept);
	assert(kept == 9);
	for (int i = 0; i < 9; i++)
		assert(same(c(i), a(i / 3 * 32 + i % 3 * 4)));
	bits.SetValue(0, 0x80000013);
	bits.SetValue(1, 0x00000100);
	GatherMask(c, a, bits, false, 0, GatherMaskParams(1, 2, 8, 0), kept);
	assert(kept == 10);
	for (int r = 0; r < 2; r++) {
		const int places[] = {0, 1, 4, 31, 40};

		for (int i = 0; i < 5; i++)
			assert(same(c(r * 5 + i), a(r * 64 + places[i])));
	}
	GatherMask(c, a, bits, true, 70, GatherMaskParams(1, 1, 8, 0), kept);
	assert(kept == 5);
}

TEST(brcb)
{
	LocalTensor<half> a = at<half>(0), c = at<half>(2);

	fill(a, 16, 1);
	Brcb(c, a, 2, {1, 8});
	for (int i = 0; i < 256; i++)
		assert(same(c(i), a(i / 16)));
	Brcb(c, a, 2, {2, 16});
	for (int i = 0; i < 256; i++)
		assert(same(c(i / 16 * 32 + i % 16), a(i / 16)));
}

TEST(transpose)
{
	LocalTensor<half> a = at<half>(0), c = at<half>(2);
	uint64_t to[16], from[16];

	fill(a, 256, 1);
	Transpose(c, a);
	for (int i = 0; i < 256; i++)
		assert(same(c(i), a(i % 16 * 16 + i / 16)));
	for (int i = 0; i < 16; i++) {
		to[i] = c[(15 - i) * 16].GetPhyAddr();
		from[i] = a[i * 16].GetPhyAddr();
	}
	TransDataTo5HD<half>(to, from, TransDataTo5HDParams(false, false, 1, 0, 0));
	for (int i = 0; i < 256; i++)
		assert(same(c((15 - i / 16) * 16 + i % 16), a(i % 16 * 16 + i / 16)));

	/* between operations of the vector unit, whose order is enough */
	Adds(a, a, half(1), 256);
	PipeBarrier<PIPE_V>();
	TransDataTo5HD<half>(to, from, TransDataTo5HDParams(false, false, 1, 0, 0));
	PipeBarrier<PIPE_V>();
	Adds(c, c, half(1), 256);
	PipeBarrier<PIPE_ALL>();
	for (int i = 0; i < 256; i++)
		assert(same(c((15 - i / 16) * 16 + i % 16), half(float(a(i % 16 * 16 + i / 16)) + 1)));

	half *rows[16], *columns[16];
	for (int i = 0; i < 16; i++) {
		rows[i] = (half *)a[i * 16].GetPhyAddr();
		columns[i] = (half *)c[i * 16].GetPhyAddr();
	}
	TransDataTo5HDImpl(columns, rows, TransDataTo5HDParams(false, false, 1, 0, 0));
	for (int i = 0; i < 256; i++)
		assert(same(c(i), a(i % 16 * 16 + i / 16)));
}

TEST(index)
{
	LocalTensor<int32_t> c = at<int32_t>(2);

	CreateVecIndex(c, 5, 100);
	for (int i = 0; i < 100; i++)
		assert(c(i) == 5 + i);
	ArithProgression<int32_t>(c, 7, -3, 50);
	for (int i = 0; i < 50; i++)
		assert(c(i) == 7 - 3 * i);
}

TEST(sort)
{
	LocalTensor<float> a = at<float>(0), c = at<float>(2), d = at<float>(4), value = at<float>(6);
	LocalTensor<uint32_t> index = at<uint32_t>(1), place = at<uint32_t>(7);
	Random random;

	for (int i = 0; i < 128; i++) {
		a.SetValue(i, float(random.next() % 1000000));
		index.SetValue(i, i);
	}
	Sort32(c, a, index, 4);
	for (int g = 0; g < 4; g++)
		for (int i = 1; i < 32; i++)
			assert(c(g * 64 + i * 2) <= c(g * 64 + i * 2 - 2));
	const uint16_t lengths[4] = {32, 32, 32, 32};
	MrgSort<float>(d, MrgSortSrcList<float>(c[0], c[64], c[128], c[192]), MrgSort4Info(lengths, false, 15, 1));
	Extract(value, place, d, 4);
	for (int i = 0; i < 128; i++)
		assert(same(value(i), a(place(i))) && (!i || value(i) <= value(i - 1)));
	LocalTensor<float> concat, tmp = at<float>(8);
	Concat(concat, a, tmp, 4);
	Sort<float, true>(c, concat, index, tmp, 4);
	for (int i = 0; i < 256; i++)
		assert(same(c(i), d(i)));
}

TEST(copies_in_ub)
{
	LocalTensor<int16_t> a = at<int16_t>(0), c = at<int16_t>(2);

	fill(a, 256, 1);
	Duplicate<int16_t>(c, 9, 256);
	DataCopy(c, a, DataCopyParams(3, 1, 1, 2));
	for (int i = 0; i < 256; i++)
		assert(c(i) == (i % 48 < 16 && i < 112 ? a(i / 48 * 32 + i % 48) : 9));
}

/* Whole blocks of 32 bytes are copied; what is behind the last one is not */
TEST(copies_of_whole_blocks)
{
	LocalTensor<int16_t> a = at<int16_t>(0), c = at<int16_t>(2);

	fill(a, 256, 1);
	for (uint32_t count : {1u, 15u, 16u, 17u, 47u, 100u}) {
		Duplicate<int16_t>(c, 99, 256);
		DataCopy(c, a, count);
		for (uint32_t i = 0; i < 256; i++)
			assert(c(i) == (i < count / 16 * 16 ? a(i) : 99));
	}
}

/* Bursts one behind the other in UB, and what copies out of CO1 need said of copies that need nothing */
alignas(32) static int16_t memory[256];

TEST(compact)
{
	LocalTensor<int16_t> a = at<int16_t>(0), c = at<int16_t>(2);
	GlobalTensor<int16_t> all;

	all.SetGlobalBuffer(memory, 256);
	fill(a, 256, 1);
	DataCopy(all, a, DataCopyParams(2, 8, 0, 0), {});
	Duplicate<int16_t>(c, 9, 256);
	DataCopyPad<int16_t, PaddingMode::Compact>(c, all, {5, 14, 6, 0, 0}, {});
	PipeBarrier<PIPE_ALL>();
	for (int i = 0; i < 64; i++)
		assert(c(i) == (i < 35 ? a(i / 7 * 10 + i % 7) : 9));
	DataCopyPad<int16_t, PaddingMode::Compact>(all, c, {4, 10, 0, 4, 0});
	DataCopyPad<int16_t, PaddingMode::Normal>(c, all, {1, 512, 0, 0, 0});
	PipeBarrier<PIPE_ALL>();
	for (int i = 0; i < 28; i++)
		assert(c(i) == (i % 7 < 5 ? a((i / 7 * 5 + i % 7) / 7 * 10 + (i / 7 * 5 + i % 7) % 7) : a(i)));
	Duplicate<int16_t>(c, 9, 256);
	DataCopy(c, all[128], DataCopyParams(1, 8, 0, 0), DataCopyEnhancedParams());
	PipeBarrier<PIPE_ALL>();
	for (int i = 0; i < 256; i++)
		assert(c(i) == (i < 128 ? a(128 + i) : 9));
}

/* What the rest of a burst's last block holds: its first element, or the padding that is asked for */
template <class T> static void rest_of_block()
{
	LocalTensor<T> a = at<T>(0), c = at<T>(2);
	GlobalTensor<T> all;
	constexpr uint32_t block = 32 / sizeof(T), n = block + 3;

	all.SetGlobalBuffer(reinterpret_cast<T *>(memory), 512 / sizeof(T));
	fill(a, 512 / sizeof(T), 5);
	DataCopy(all, a, 512 / sizeof(T));
	PipeBarrier<PIPE_ALL>();
	for (bool pads : {false, true}) {
		DataCopyPad(c, all, {3, uint32_t(n * sizeof(T)), int64_t(sizeof(T)), 0, 0}, {pads, 0, 0, T(7)});
		PipeBarrier<PIPE_ALL>();
		for (uint32_t i = 0; i < 6 * block; i++)
			assert(same(c(i), all(i / (2 * block) * (n + 1) + (i % (2 * block) < n ? i % (2 * block) : 0))));
	}
	DataCopyPad(c, all[n + 1], {2, uint32_t(n * sizeof(T)), -2 * int64_t(n * sizeof(T)) - int64_t(sizeof(T)), 0, 0}, {true, 0, 0, T(7)});
	PipeBarrier<PIPE_ALL>();
	for (uint32_t i = n; i < 2 * block; i++)
		assert(same(c(i), all(n + 1)) && same(c(2 * block + i), all(0)));
	DataCopyPad(c, all, {1, uint32_t(n * sizeof(T)), 0, 0, 0}, {true, 0, 1, T(7)});
	PipeBarrier<PIPE_ALL>();
	for (uint32_t i = 0; i < 2 * block; i++)
		assert(same(c(i), i < n ? all(i) : T(7)));
}

/* Padding of a whole block on each side of bursts of any length, also with gaps in global memory that are negative */
template <class T> static void padded_by_blocks(uint32_t n, uint32_t left, uint32_t right)
{
	LocalTensor<T> a = at<T>(0), c = at<T>(2);
	GlobalTensor<T> all;
	constexpr uint32_t block = 32 / sizeof(T);
	uint32_t row = (left + n + right + block - 1) / block * block;

	all.SetGlobalBuffer(reinterpret_cast<T *>(memory), 512 / sizeof(T));
	fill(a, 512 / sizeof(T), 5);
	DataCopy(all, a, 512 / sizeof(T));
	PipeBarrier<PIPE_ALL>();
	for (int64_t gap : {int64_t(sizeof(T)), -int64_t(sizeof(T))}) {
		int64_t step = n + gap / int64_t(sizeof(T));

		Duplicate(c, T(3), 4 * row);
		PipeBarrier<PIPE_ALL>();
		DataCopyPad(c, all, {3, uint32_t(n * sizeof(T)), gap, 0, 0}, {true, uint8_t(left), uint8_t(right), T(7)});
		PipeBarrier<PIPE_ALL>();
		for (uint32_t i = 0; i < 4 * row; i++) {
			uint32_t r = i / row, e = i % row;
			T want = e >= left && e < left + n ? all(uint64_t(r * step) + e - left) : T(7);

			assert(same(c(i), r < 3 ? want : T(3)));
		}
	}
}

TEST(padding_of_whole_blocks)
{
	padded_by_blocks<half>(5, 16, 16);
	padded_by_blocks<half>(16, 0, 16);
	padded_by_blocks<float>(9, 3, 8);
	padded_by_blocks<int32_t>(8, 8, 1);
}

TEST(rest_of_the_block)
{
	rest_of_block<int8_t>();
	rest_of_block<half>();
	rest_of_block<float>();
	rest_of_block<int32_t>();
}

/* Two queues whose tensors are given back to the other one each: each has its buffers again */
TEST(given_back_elsewhere)
{
	TPipe pipe;
	TQue<TPosition::VECIN, 1> in;
	TQue<TPosition::VECOUT, 2> out;

	pipe.InitBuffer(in, 1, 1024);
	pipe.InitBuffer(out, 2, 1024);
	for (int i = 0; i < 5; i++) {
		LocalTensor<float> a = in.AllocTensor<float>(), b = out.AllocTensor<float>();

		Duplicate(a, 1.0f, 64);
		in.EnQue(a);
		a = in.DeQue<float>();
		assert(!in.HasIdleBuffer() && out.HasIdleBuffer());
		in.FreeTensor(b);
		out.FreeTensor(a);
		assert(in.HasIdleBuffer());
	}
}

/* The result begins in the last repeat of the source, which is read when the first ones have been written */
TEST(gather_mask_into_the_tail)
{
	LocalTensor<float> a = at<float>(0), c = at<float>(0)[208], d = at<float>(1);
	uint64_t kept = 0;

	fill(a, 512, 1);
	fill(d, 512, 1);
	GatherMask(c, a, 1, false, 0, {1, 4, 8, 0}, kept);
	for (uint32_t i = 0; i < 128; i++)
		d.SetValue(208 + i, d(2 * i));
	assert(kept == 128);
	for (uint32_t i = 0; i < 512; i++)
		assert(same(a(i), d(i)));
}

/* A proposal is eight elements; the score is the fifth one. */
template <class T> inline void proposals()
{
	LocalTensor<T> scores = at<T>(0), labels = at<T>(1), a = at<T>(2), b = at<T>(3), c = at<T>(4), d = at<T>(5);
	constexpr uint32_t n = 64;
	uint16_t taken[4], lengths[4] = {16, 16, 16, 16}, uneven[4] = {5, 0, 16, 1};

	for (uint32_t i = 0; i < n; i++) {
		scores.SetValue(i, static_cast<T>(static_cast<float>(i * 37 % 19)));
		labels.SetValue(i, static_cast<T>(static_cast<float>(i)));
	}
	Duplicate<T>(a, static_cast<T>(7), n * 8);
	ProposalConcat(a, scores, n / 16, 4);
	Concat(a, labels, n / 16, 5);
	for (uint32_t i = 0; i < n * 8; i++)
		assert(same(a(i), i % 8 == 4 ? scores(i / 8) : i % 8 == 5 ? labels(i / 8) : static_cast<T>(7)));
	RpSort16(b, a, n / 16);
	for (uint32_t i = 0; i < n; i++) {
		assert(i % 16 == 0 || b((i - 1) * 8 + 4) > b(i * 8 + 4) ||
		       (b((i - 1) * 8 + 4) == b(i * 8 + 4) && b((i - 1) * 8 + 5) < b(i * 8 + 5)));
		assert(same(b(i * 8 + 4), scores(static_cast<uint32_t>(float(b(i * 8 + 5))))));
	}
	MrgSort4(c, {b[0], b[128], b[256], b[384]}, MrgSort4Info(lengths, false, 15, 1));
	Extract(d, c, n / 16, 4);
	for (uint32_t i = 0; i < n; i++)
		assert(same(d(i), c(i * 8 + 4)) && (i == 0 || d(i - 1) >= d(i)));
	for (uint32_t i = 1; i < n; i++)
		assert(d(i - 1) > d(i) || c((i - 1) * 8 + 5) < c(i * 8 + 5));
	/* the lists end when the one of one proposal does */
	MrgSort4(c, {b[0], b[128], b[256], b[384]}, MrgSort4Info(uneven, true, 13, 1));
	GetMrgSortResult(taken[0], taken[1], taken[2], taken[3]);
	assert(taken[1] == 0 && (taken[0] == 5 || taken[2] == 16 || taken[3] == 1));
	for (uint32_t i = 1; i < uint32_t(taken[0] + taken[2] + taken[3]); i++)
		assert(c((i - 1) * 8 + 4) >= c(i * 8 + 4));
}

TEST(proposals_of_float)
{
	proposals<float>();
}

TEST(proposals_of_half)
{
	proposals<half>();
}

static uint8_t half_bytes[64];

/* 32 elements of 4 bits are half a block, which is copied as a whole one, to and from global memory */
TEST(half_a_block_of_four_bits)
{
	GlobalTensor<int4b_t> gm;
	LocalTensor<int4b_t> a = at<int4b_t>(0), b = at<int4b_t>(1);
	LocalTensor<half> wide = at<half>(2);

	for (uint32_t i = 0; i < 64; i++)
		half_bytes[i] = static_cast<uint8_t>(i * 37);
	gm.SetGlobalBuffer(reinterpret_cast<__gm__ int4b_t *>(half_bytes));
	DataCopy(a, gm[64], 32);
	DataCopy(b, a, 32);
	PipeBarrier<PIPE_ALL>();
	for (uint32_t i = 0; i < 32; i++)
		assert(b.GetValue(i).bits == (half_bytes[32 + i / 2] >> i % 2 * 4 & 15), "%u", i);
	Cast(wide, b, RoundMode::CAST_NONE, 32);
	PipeBarrier<PIPE_ALL>();
	for (uint32_t i = 0; i < 32; i++)
		assert(float(wide(i)) == float(int8_t(b.GetValue(i).bits << 4) >> 4), "%u", i);
}

TEST(atomic_configuration)
{
	uint16_t type = 9, op = 9;

	GetStoreAtomicConfig(type, op);
	assert(type == 0 && op == 0);
	SetStoreAtomicConfig<AtomicDtype::ATOMIC_BF16, AtomicOp::ATOMIC_MIN>();
	GetStoreAtomicConfig(type, op);
	assert(type == uint16_t(AtomicDtype::ATOMIC_BF16) && op == uint16_t(AtomicOp::ATOMIC_MIN));
	SetAtomicAdd<int32_t>();
	GetStoreAtomicConfig(type, op);
	assert(type == uint16_t(AtomicDtype::ATOMIC_S32) && op == uint16_t(AtomicOp::ATOMIC_SUM));
	SetAtomicNone();
	GetStoreAtomicConfig(type, op);
	assert(type == 0 && op == 0);
}
