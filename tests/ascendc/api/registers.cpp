// SPDX-License-Identifier: MIT
/* Code on registers of 256 bytes: each form of loads and stores, masks, arithmetic, conversions, reductions. */
#include "unit.h"

namespace R = AscendC::Reg;
using R::MaskReg;
using R::RegTensor;

template <class T> inline __ubuf__ T *ub(uint32_t i)
{
	return reinterpret_cast<__ubuf__ T *>(at<T>(i).GetPhyAddr());
}

template <class T> inline void numbers(uint32_t i, uint32_t n, uint32_t seed)
{
	LocalTensor<T> x = at<T>(i);

	fill(x, n, seed);
}

static_assert(AscendC::VECTOR_REG_WIDTH == AscendC::GetVecLen() && AscendC::VECTOR_REG_WIDTH / sizeof(float) == 64);

/* y = (2 x + b) where x > 0, else -x, of a number of elements that no register divides, by the page's own loop */
template <class T> __simd_vf__ inline void Piecewise(__ubuf__ T *y, __ubuf__ T *x, uint32_t n, uint16_t loops)
{
	constexpr uint32_t lanes = GetVecLen() / sizeof(T);
	RegTensor<T> a, b, c;
	MaskReg mask, positive;

	for (uint16_t i = 0; i < loops; i++) {
		mask = R::UpdateMask<T>(n);
		R::LoadAlign<T, R::PostLiteral::POST_MODE_UPDATE>(a, x, lanes);
		R::Muls(b, a, static_cast<T>(2), mask);
		R::Adds(b, b, static_cast<T>(3), mask);
		R::Muls(c, a, static_cast<T>(-1), mask);
		R::CompareScalar<T, CMPMODE::GT>(positive, a, static_cast<T>(0), mask);
		R::Select(b, b, c, positive);
		R::StoreAlign<T, R::PostLiteral::POST_MODE_UPDATE>(y, b, lanes, mask);
	}
}

template <class T> inline void piecewise()
{
	constexpr uint32_t n = 333, lanes = 256 / sizeof(T);
	LocalTensor<T> x = at<T>(0), y = at<T>(1);

	numbers<T>(0, 1024, 7);
	numbers<T>(1, 1024, 9);
	T before = y.GetValue(n);
	asc_vf_call<Piecewise<T>>(ub<T>(1), ub<T>(0), n, static_cast<uint16_t>((n + lanes - 1) / lanes));
	for (uint32_t i = 0; i < n; i++) {
		T v = x.GetValue(i);
		T want = v > T(0) ? static_cast<T>(v * T(2) + T(3)) : static_cast<T>(v * T(-1));

		assert(same(y.GetValue(i), want), "%u\n", i);
	}
	assert(same(y.GetValue(n), before));
}

TEST(loops)
{
	piecewise<float>();
	piecewise<half>();
	piecewise<int32_t>();
	piecewise<int16_t>();
	piecewise<int8_t>();
	piecewise<bfloat16_t>();
}

/* where each form of a load puts the elements of memory, which are their own numbers */
/* As the vector unit: NaN if an element is, the first of them; +0 is greater than -0 */
template <class T> inline void extremes_of_real()
{
	RegTensor<T> a, b;
	MaskReg all = R::CreateMask<T>();

	for (uint32_t i = 0; i < a.count; i++)
		a.put(i, T(i % 2 ? 0.0f : -0.0f));
	R::ReduceMax(b, a, all);
	assert(!__builtin_signbit(float(b.get(0))) && __builtin_memcmp(&b.bytes[sizeof(T)], "\1\0\0", sizeof(T)) == 0);
	R::ReduceMin(b, a, all);
	assert(__builtin_signbit(float(b.get(0))) && __builtin_memcmp(&b.bytes[sizeof(T)], "\0\0\0", sizeof(T)) == 0);
	a.put(9, T(__builtin_nanf("")));
	a.put(11, T(__builtin_nanf("")));
	a.put(20, T(7));
	R::ReduceMax(b, a, all);
	assert(float(b.get(0)) != float(b.get(0)) && __builtin_memcmp(&b.bytes[sizeof(T)], "\11\0\0", sizeof(T)) == 0);
	R::ReduceMinWithDataBlock(b, a, all);
	for (uint32_t i = 0; i < 8; i++)
		assert((float(b.get(i)) != float(b.get(i))) == (i == 9 / (a.count / 8) || i == 11 / (a.count / 8)));
}

TEST(extremes)
{
	extremes_of_real<float>();
	extremes_of_real<half>();
	extremes_of_real<bfloat16_t>();
}

TEST(loads)
{
	RegTensor<uint16_t> a, b;
	RegTensor<float> f;
	RegTensor<uint8_t> c;
	LocalTensor<uint16_t> x = at<uint16_t>(0);
	LocalTensor<float> y = at<float>(1);
	LocalTensor<uint8_t> z = at<uint8_t>(2);
	MaskReg all = R::CreateMask<uint16_t>();

	for (uint32_t i = 0; i < 512; i++) {
		x.SetValue(i, static_cast<uint16_t>(i));
		y.SetValue(i, static_cast<float>(i));
		z.SetValue(i, static_cast<uint8_t>(i));
	}
	R::DataCopy<uint16_t, R::LoadDist::DIST_UNPACK_B16>(a, ub<uint16_t>(0));
	for (uint32_t i = 0; i < 128; i++)
		assert(a.get(i) == (i % 2 ? 0 : i / 2));
	R::LoadAlign<uint8_t, R::LoadDist::DIST_UNPACK4_B8>(c, ub<uint8_t>(2));
	for (uint32_t i = 0; i < 256; i++)
		assert(c.get(i) == (i % 4 ? 0 : i / 4));
	R::LoadAlign<uint16_t, R::LoadDist::DIST_BRC_B16>(a, ub<uint16_t>(0) + 5);
	R::LoadAlign<uint16_t, R::LoadDist::DIST_BLK>(b, ub<uint16_t>(0) + 16);
	for (uint32_t i = 0; i < 128; i++)
		assert(a.get(i) == 5 && b.get(i) == 16 + i % 16);
	R::LoadAlign<uint16_t, R::LoadDist::DIST_US_B16>(a, ub<uint16_t>(0));
	R::LoadAlign<uint16_t, R::LoadDist::DIST_DS_B16>(b, ub<uint16_t>(0));
	for (uint32_t i = 0; i < 128; i++)
		assert(a.get(i) == i / 2 && b.get(i) == 2 * i);
	R::LoadAlign<uint16_t, R::LoadDist::DIST_DINTLV_B16>(a, b, ub<uint16_t>(0));
	for (uint32_t i = 0; i < 128; i++)
		assert(a.get(i) == 2 * i && b.get(i) == 2 * i + 1);
	R::LoadAlign<float, R::LoadDist::DIST_E2B_B32>(f, ub<float>(1));
	for (uint32_t i = 0; i < 64; i++)
		assert(f.get(i) == static_cast<float>(i / 8));
	R::AddrReg offset = R::CreateAddrReg<float>(2, 32, 1, 3);
	R::DataCopy(f, ub<float>(1), offset);
	assert(f.get(1) == 68);
	R::LoadAlign<uint16_t, R::DataCopyMode::DATA_BLOCK_COPY>(a, ub<uint16_t>(0), 3, all);
	for (uint32_t i = 0; i < 128; i++)
		assert(a.get(i) == i / 16 * 48 + i % 16);
	R::UnalignReg u;
	__ubuf__ float *p = ub<float>(1) + 3;
	R::LoadUnAlignPre(u, p);
	R::LoadUnAlign(f, u, p, 10);
	assert(f.get(0) == 3 && f.get(63) == 66 && p == ub<float>(1) + 13);
}

TEST(stores)
{
	RegTensor<half> h;
	RegTensor<float> f, g;
	LocalTensor<half> x = at<half>(0);
	LocalTensor<float> y = at<float>(1);
	MaskReg some = R::CreateMask<float, R::MaskPattern::VL3>(), all = R::CreateMask<float>();

	for (uint32_t i = 0; i < 256; i++) {
		x.SetValue(i, (half)-1);
		y.SetValue(i, -1.0f);
	}
	for (uint32_t i = 0; i < 128; i++)
		h.put(i, static_cast<half>(i));
	R::Arange(f, 0.0f);
	R::Arange<float, IndexOrder::DECREASE_ORDER>(g, 0.0f);
	R::StoreAlign<half, R::StoreDist::DIST_PACK_B32>(ub<half>(0), h, some);
	assert(x.GetValue(0) == (half)0 && x.GetValue(2) == (half)4 && x.GetValue(3) == (half)-1);
	R::StoreAlign<float, R::StoreDist::DIST_FIRST_ELEMENT_B32>(ub<float>(1) + 9, g, all);
	assert(y.GetValue(9) == 63 && y.GetValue(10) == -1);
	R::DataCopy<float, R::StoreDist::DIST_INTLV_B32>(ub<float>(1), f, g, all);
	for (uint32_t i = 0; i < 128; i++)
		assert(y.GetValue(i) == static_cast<float>(i % 2 ? 63 - i / 2 : i / 2));
	__ubuf__ float *blocks = ub<float>(2);
	R::StoreAlign<float, R::DataCopyMode::DATA_BLOCK_COPY, R::PostLiteral::POST_MODE_UPDATE>(blocks, f, 2, 5, all);
	assert(blocks == ub<float>(2) + 40);
	LocalTensor<float> z = at<float>(2);
	assert(z.GetValue(16) == 8 && z.GetValue(7 * 16 + 7) == 63);

	/* a stream of what is left of each register */
	R::UnalignRegForStore u;
	__ubuf__ float *p = ub<float>(3) + 1;
	R::ClearSpr<SpecialPurposeReg::AR>();
	for (uint32_t i = 0; i < 3; i++) {
		MaskReg m;
		RegTensor<float> s;

		R::Compares<float, CMPMODE::LT>(m, f, static_cast<float>(i + 2), all);
		R::Squeeze<float, GatherMaskMode::STORE_REG>(s, f, m);
		R::StoreUnAlign(p, s, u);
	}
	R::StoreUnAlignPost(p, u);
	LocalTensor<float> w = at<float>(3);
	const float want[] = {0, 1, 0, 1, 2, 0, 1, 2, 3};
	for (uint32_t i = 0; i < 9; i++)
		assert(w.GetValue(1 + i) == want[i]);
	assert(R::GetSpr<SpecialPurposeReg::AR>() == 36);
}

TEST(masks)
{
	uint32_t left = 100;
	MaskReg a = R::UpdateMask<float>(left), b = R::UpdateMask<float>(left), c, d, all = R::CreateMask<float>();

	assert(left == 0 && a.get(63 * 4) && b.get(35 * 4) && !b.get(36 * 4) && !a.get(1));
	R::MaskNot(c, b, all);
	assert(!c.get(0) && c.get(36 * 4) && !c.get(1));
	R::MaskAnd(d, a, c, all);
	R::MaskXor(d, d, c, all);
	for (uint32_t i = 0; i < 4; i++)
		assert(d.bits[i] == 0);
	R::MaskSel(d, b, c, R::CreateMask<float, R::MaskPattern::H>());
	assert(d.get(0) && d.get(31 * 4) && !d.get(32 * 4) && d.get(40 * 4));
	R::MaskPack(c, all);
	assert(c.bits[0] == 0x5555555555555555 && c.bits[1] == c.bits[0] && !c.bits[2]);
	R::MaskUnPack(d, c);
	for (uint32_t i = 0; i < 4; i++)
		assert(d.bits[i] == all.bits[i]);
	R::Pack(d, all);
	assert(d.bits[0] == c.bits[0] && !d.bits[2]);
	R::UnPack(d, c);
	for (uint32_t i = 0; i < 4; i++)
		assert(d.bits[i] == all.bits[i]);
	SetVectorMask<float>(0, 0xff00ff);
	R::Move(c, R::MoveMask<float>(), all);
	ResetMask();
	for (uint32_t i = 0; i < 64; i++)
		assert(c.get(4 * i) == (0xff00ff >> i & 1 && i < 24) && !c.get(4 * i + 1));
	R::Interleave<float>(c, d, a, b);
	R::DeInterleave<float>(c, d, c, d);
	R::Select(d, d, c, all);
	for (uint32_t i = 0; i < 4; i++)
		assert(c.bits[i] == a.bits[i] && d.bits[i] == b.bits[i]);
	R::MaskInterleave<uint32_t>(c, d, a, R::CreateMask<uint32_t, R::MaskPattern::ALLF>());
	assert(c.get(0) && !c.get(4) && d.get(62 * 4));
	R::StoreAlign(ub<uint8_t>(0), b);
	R::LoadAlign(c, ub<uint8_t>(0));
	assert(c.bits[2] == b.bits[2] && c.bits[0] == b.bits[0]);
	assert((R::CreateMask<half, R::MaskPattern::M3>().bits[0] == 0x1041041041041041));
}

/* what the masks leave out is 0, or what it was */
TEST(merging)
{
	RegTensor<float> a, b;
	MaskReg two = R::CreateMask<float, R::MaskPattern::VL2>();

	R::Duplicate(a, 5.0f);
	R::Duplicate(b, 7.0f);
	R::Adds<float, R::MaskMergeMode::MERGING>(b, a, 1.0f, two);
	assert(b.get(1) == 6 && b.get(2) == 7);
	R::Abs(b, a, two);
	assert(b.get(1) == 5 && b.get(2) == 0);
	R::MulAddDst(a, a, a, two);
	assert(a.get(0) == 30 && a.get(2) == 0);
	R::Duplicate(a, b, R::CreateMask<float>());
	assert(a.get(63) == 5);
}

/* conversions of registers and of tensors give the same bits, in each rounding mode */
template <class D, class S, RoundMode mode> inline void converts(float scale)
{
	static constexpr R::CastTrait trait = {R::RegLayout::ZERO, R::SatMode::NO_SAT, R::MaskMergeMode::ZEROING, mode};
	constexpr uint32_t n = 64;
	LocalTensor<S> x = at<S>(0);
	LocalTensor<D> y = at<D>(1), z = at<D>(2);
	RegTensor<S> s;
	RegTensor<D> d;
	MaskReg all = R::CreateMask<float>();
	Random random;

	for (uint32_t i = 0; i < n; i++)
		x.SetValue(i, static_cast<S>(static_cast<float>(static_cast<int32_t>(random.next()) - (1 << 23)) * scale));
	Cast(y, x, mode, n);
	if constexpr (sizeof(S) < 4)
		R::LoadAlign<S, R::LoadDist::DIST_UNPACK_B16>(s, ub<S>(0));
	else
		R::LoadAlign(s, ub<S>(0));
	R::Cast<D, S, trait>(d, s, all);
	if constexpr (sizeof(D) < 4)
		R::StoreAlign<D, R::StoreDist::DIST_PACK_B32>(ub<D>(2), d, all);
	else
		R::StoreAlign(ub<D>(2), d, all);
	for (uint32_t i = 0; i < n; i++)
		assert(same(y.GetValue(i), z.GetValue(i)), "%u %f: %x, not %x\n", i, static_cast<float>(x.GetValue(i)),
		       static_cast<uint32_t>(AscendC::detail::scalar_bits(z.GetValue(i))), static_cast<uint32_t>(AscendC::detail::scalar_bits(y.GetValue(i))));
}

template <class D, class S> inline void rounds(float scale)
{
	converts<D, S, RoundMode::CAST_RINT>(scale);
	converts<D, S, RoundMode::CAST_FLOOR>(scale);
	converts<D, S, RoundMode::CAST_CEIL>(scale);
	converts<D, S, RoundMode::CAST_ROUND>(scale);
	converts<D, S, RoundMode::CAST_TRUNC>(scale);
}

TEST(conversions)
{
	rounds<half, float>(0.001f);
	rounds<half, float>(1e-12f);	/* subnormal numbers */
	rounds<half, float>(0.1f);	/* some beyond the range */
	rounds<bfloat16_t, float>(0.37f);
	rounds<int32_t, float>(0.0001f);
	rounds<float, int32_t>(100.0f);
	rounds<int16_t, float>(0.001f);
	converts<half, float, RoundMode::CAST_ODD>(0.001f);
	converts<float, half, RoundMode::CAST_NONE>(0.001f);
	converts<float, bfloat16_t, RoundMode::CAST_NONE>(0.37f);
	converts<float, int16_t, RoundMode::CAST_NONE>(0.003f);
}

/* the layouts, saturation, halves of registers */
TEST(layouts)
{
	static constexpr R::CastTrait one = {R::RegLayout::ONE, R::SatMode::SAT, R::MaskMergeMode::MERGING, RoundMode::CAST_RINT};
	static constexpr R::CastTrait three = {R::RegLayout::THREE, R::SatMode::SAT, R::MaskMergeMode::ZEROING, RoundMode::CAST_RINT};
	static constexpr R::CastTrait wrap = {R::RegLayout::ZERO, R::SatMode::NO_SAT, R::MaskMergeMode::ZEROING, RoundMode::CAST_RINT};
	RegTensor<float> f;
	RegTensor<half> h;
	RegTensor<int32_t> i32;
	RegTensor<uint8_t> u8;
	RegTensor<int16_t> i16;
	MaskReg all = R::CreateMask<float>();

	R::Duplicate(f, 1e6f);
	R::Duplicate(h, (half)2);
	R::Cast<half, float, one>(h, f, all);
	assert(h.get(0) == (half)2 && h.get(1) == (half)65504);
	R::Duplicate(i32, 300);
	R::Cast<uint8_t, int32_t, three>(u8, i32, all);
	assert(u8.get(3) == 255 && u8.get(2) == 0 && u8.get(255) == 255);
	R::Cast<uint8_t, int32_t, wrap>(u8, i32, all);
	assert(u8.get(0) == 44 && u8.get(3) == 0);
	R::Arange(i32, -3);
	R::Pack((RegTensor<uint16_t> &)i16, (RegTensor<uint32_t> &)i32);
	assert(i16.get(0) == -3 && i16.get(63) == 60 && i16.get(64) == 0);
	R::Pack<int16_t, int32_t, HighLowPart::HIGHEST>(i16, i32);
	assert(i16.get(0) == 0 && i16.get(64) == -3 && i16.get(127) == 60);
	R::UnPack<int32_t, int16_t, HighLowPart::HIGHEST>(i32, i16);
	assert(i32.get(0) == -3 && i32.get(63) == 60);
	R::Duplicate(f, -2.5f);
	R::Truncate<float, RoundMode::CAST_FLOOR>(f, f, all);
	assert(f.get(5) == -3);
	/* bits of a register as another type */
	R::Duplicate(f, 1.0f);
	R::ShiftRights((RegTensor<uint32_t> &)i32, (RegTensor<uint32_t> &)f, static_cast<int16_t>(23), all);
	assert(i32.get(9) == 127);
}

TEST(reductions)
{
	RegTensor<float> f, r;
	RegTensor<half> h;
	RegTensor<int32_t> i32, s;
	RegTensor<int16_t> i16;
	MaskReg all = R::CreateMask<float>(), forty = R::CreateMask<float, R::MaskPattern::VL32>(), of_half = R::CreateMask<half>();

	R::Arange(f, -10.0f);
	R::ReduceSum(r, f, all);
	assert(r.get(0) == 64 * 63 / 2 - 640 && r.get(1) == 0);
	R::ReduceMax(r, f, forty);
	assert(r.get(0) == 21 && __builtin_bit_cast(uint32_t, r.get(1)) == 31);
	R::Reduce<ReduceType::MIN>(r, f, all);
	assert(r.get(0) == -10 && __builtin_bit_cast(uint32_t, r.get(1)) == 0);
	R::ReduceSumWithDataBlock(r, f, all);
	assert(r.get(0) == 28 - 80 && r.get(7) == 64 * 7 + 28 - 80 && r.get(8) == 0);
	R::PairReduceSum(r, f, all);
	assert(r.get(0) == -19 && r.get(31) == 105 && r.get(32) == 0);
	R::Duplicate(h, (half)0.1f);
	R::ReduceSum(h, h, of_half);
	assert(h.get(0) == static_cast<half>(static_cast<float>((half)0.1f) * 128));
	R::Duplicate(i16, static_cast<int16_t>(30000));
	R::ReduceSum(s, i16, of_half);
	assert(s.get(0) == 30000 * 128);
	R::Arange(i32, 5);
	R::Squeeze(s, i32, forty);
	assert(s.get(31) == 36 && s.get(32) == 0);
}

TEST(arrangements)
{
	RegTensor<int32_t> a, b, c, d;
	RegTensor<uint32_t> index;
	MaskReg all = R::CreateMask<int32_t>(), odd = R::CreateMask<int32_t, R::MaskPattern::M4>();

	R::Arange(a, 0);
	R::Arange(b, 100);
	R::Interleave(c, d, a, b);
	assert(c.get(0) == 0 && c.get(1) == 100 && c.get(63) == 131 && d.get(0) == 32 && d.get(63) == 163);
	R::DeInterleave(c, d, c, d);
	for (uint32_t i = 0; i < 64; i++)
		assert(c.get(i) == a.get(i) && d.get(i) == b.get(i));
	R::Arange<uint32_t, IndexOrder::DECREASE_ORDER>(index, 0u);
	R::Gather(c, a, index);
	assert(c.get(0) == 63 && c.get(63) == 0);
	R::Unsqueeze(c, odd);
	assert(c.get(0) == 0 && c.get(1) == 1 && c.get(4) == 1 && c.get(5) == 2);
	R::StoreAlign(ub<int32_t>(0), b, all);
	R::DataCopyGather(c, ub<int32_t>(0), index, odd);
	assert(c.get(0) == 163 && c.get(4) == 159 && c.get(1) == 0);
	R::DataCopyGather(c, ub<int32_t>(0), index, 3u);
	assert(c.get(0) == 163 && c.get(2) == 161 && c.get(3) == 0);
	R::DataCopyScatter(ub<int32_t>(0), a, index, odd);
	assert(at<int32_t>(0).GetValue(63) == 0 && at<int32_t>(0).GetValue(59) == 4 && at<int32_t>(0).GetValue(62) == 162);
	R::Mull(c, d, b, b, all);
	assert(c.get(1) == 101 * 101 && d.get(1) == 0);
}

/* functions of float against those of the vector unit */
TEST(functions)
{
	constexpr uint32_t n = 64;
	RegTensor<float> x, y;
	MaskReg all = R::CreateMask<float>();
	LocalTensor<float> a = at<float>(0), b = at<float>(1);

	for (uint32_t i = 0; i < n; i++)
		a.SetValue(i, 0.05f + 0.37f * static_cast<float>(i));
	R::LoadAlign(x, ub<float>(0));
	Sqrt(b, a, n);
	R::Sqrt(y, x, all);
	for (uint32_t i = 0; i < n; i++)
		assert(same(y.get(i), b.GetValue(i)));
	Exp(b, a, n);
	R::Exp(y, x, all);
	for (uint32_t i = 0; i < n; i++)
		assert(__builtin_fabsf(y.get(i) - b.GetValue(i)) <= b.GetValue(i) * 2e-7f);
	Ln(b, a, n);
	R::Ln(y, x, all);
	for (uint32_t i = 0; i < n; i++)
		assert(__builtin_fabsf(y.get(i) - b.GetValue(i)) <= 4e-7f);
	static constexpr R::DivSpecificMode exact = {R::MaskMergeMode::ZEROING, true};
	R::RegTensor<float> two;

	R::Duplicate(two, 2.0f);
	R::Div<float, &exact>(y, x, two, all);
	for (uint32_t i = 0; i < n; i++)
		assert(y.get(i) == x.get(i) / 2);
	R::Div(y, x, x, all);
	R::FusedExpSub(y, x, x, all);
	assert(y.get(7) == 1);
}

inline float T_e4m3(uint8_t bits)
{
	return __builtin_bit_cast(fp8_e4m3fn_t, bits);
}

/* all numbers of 8 bits to float and back, and what lies half-way between two of them */
template <class T> inline void eights(float most)
{
	RegTensor<T> x;
	RegTensor<float> f;
	MaskReg all = R::CreateMask<float>();
	static constexpr R::CastTrait trait = {R::RegLayout::ONE, R::SatMode::SAT, R::MaskMergeMode::ZEROING, RoundMode::CAST_RINT};

	for (uint32_t i = 0; i < 127; i++) {
		T v = __builtin_bit_cast(T, static_cast<uint8_t>(i)), next = __builtin_bit_cast(T, static_cast<uint8_t>(i + 1));
		float a = v, b = next;

		if (a != a || b != b || a > most || b > most)
			continue;
		float middle = (a + b) / 2;
		T even = i % 2 ? next : v;

		assert(T(a).bits == i && T(-a).bits == (i | 128) && a < b && T(middle).bits == even.bits);
		uint32_t m = __builtin_bit_cast(uint32_t, middle);
		assert(T(__builtin_bit_cast(float, m - 1)).bits == i && T(__builtin_bit_cast(float, m + 1)).bits == i + 1);
	}
	R::Duplicate(f, 1e6f);
	R::Cast<T, float, trait>(x, f, all);
	assert(static_cast<float>(x.get(1)) == most && x.get(0).bits == 0);
	R::Cast<float, T, trait>(f, x, all);
	assert(f.get(63) == most);
}

TEST(numbers_of_8_bits)
{
	eights<fp8_e4m3fn_t>(448);
	eights<fp8_e5m2_t>(57344);
	assert(T_e4m3(0x08) == 0.015625f && T_e4m3(0x01) == 0.001953125f && T_e4m3(0x7e) == 448 && T_e4m3(0x38) == 1);
	assert(static_cast<float>(__builtin_bit_cast(fp8_e5m2_t, static_cast<uint8_t>(0x3c))) == 1);
	assert(static_cast<float>(__builtin_bit_cast(fp8_e8m0_t, static_cast<uint8_t>(130))) == 8);
	assert(fp8_e4m3fn_t(1e9f).bits == 0x7f && fp8_e5m2_t(-1e9f).bits == 0xfc);
}

/* Differences: the carry is 0 where something is borrowed, and one that comes in is subtracted, as the documents' examples have it */
template <class T> __simd_vf__ inline void Subtract(__ubuf__ T *y)
{
	R::MaskReg all = R::CreateMask<T>(), some = R::CreateMask<T, R::MaskPattern::VL32>(), none = R::CreateMask<T, R::MaskPattern::ALLF>();
	R::MaskReg carry, last;
	R::RegTensor<T> a, b, d;

	R::Duplicate(a, T(5), all);
	R::Arange(b, T(-7));
	R::Sub(carry, d, a, b, all);
	R::SubC(last, a, a, b, carry, some);
	for (uint32_t i = 0; i < 64; i++) {
		/* b is -7 + i: as an unsigned number it is greater than 5 but from 0 to 5 */
		bool kept = i >= 7 && i <= 12;

		assert(d.get(i) == T(12 - int(i)) && R::RegTensor<T>::on(carry, i) == kept, "%u", i);
		assert(a.get(i) == T(i < 32 ? 12 - int(i) - kept : 0) && R::RegTensor<T>::on(last, i) == (i >= 7 && i <= 11), "%u", i);
	}
	R::Duplicate(a, T(5), all);
	R::SubCarryOut(carry, d, a, b, all);
	R::SubCarryOuts(last, a, a, b, none, all);
	for (uint32_t i = 0; i < 64; i++)
		assert(a.get(i) == d.get(i) && R::RegTensor<T>::on(last, i) == R::RegTensor<T>::on(carry, i));
	R::StoreAlign(y, d, all);
}

TEST(differences_with_carries)
{
	asc_vf_call<Subtract<int32_t>>((__ubuf__ int32_t *)at<int32_t>(0).GetPhyAddr());
	asc_vf_call<Subtract<uint32_t>>((__ubuf__ uint32_t *)at<uint32_t>(0).GetPhyAddr());
}

/* Numbers of 64 bits in two registers each: the low halves carry into the high ones; and what is left out */
TEST(carries)
{
	R::RegTensor<uint32_t> a, b, low, high;
	R::MaskReg all = R::CreateMask<uint32_t>(), some = R::CreateMask<uint32_t, R::MaskPattern::VL32>(), carry, last;
	Random random;

	for (uint32_t i = 0; i < 64; i++) {
		a.put(i, random.next() << 10);
		b.put(i, i % 3 ? random.next() << 10 : 0u - a.get(i));
	}
	R::AddCarryOut(carry, low, a, b, all);
	R::AddCarryOuts(last, high, a, b, carry, some);
	for (uint32_t i = 0; i < 64; i++) {
		uint64_t sum = uint64_t(a.get(i)) + b.get(i), above = sum + (sum >> 32);

		assert(low.get(i) == uint32_t(sum) && R::RegTensor<uint32_t>::on(carry, i) == (sum >> 32 != 0));
		assert(high.get(i) == (i < 32 ? uint32_t(above) : 0) && R::RegTensor<uint32_t>::on(last, i) == (i < 32 && above >> 32));
	}
	R::Add(carry, high, a, b, some);
	R::AddC(last, low, a, b, carry, all);
	assert(high.get(40) == 0 && low.get(3) == a.get(3) + b.get(3) + R::RegTensor<uint32_t>::on(carry, 3));
}

TEST(histograms)
{
	R::RegTensor<uint8_t> values;
	R::RegTensor<uint16_t> low, high, sums;
	uint32_t n = 200, want[256] = {}, below = 0;
	R::MaskReg mask = R::UpdateMask<uint8_t>(n);
	Random random;

	for (uint32_t i = 0; i < 256; i++) {
		values.put(i, uint8_t(random.next() % (i % 2 ? 256 : 9)));
		if (i < 200)
			want[values.get(i)]++;
	}
	for (uint32_t i = 0; i < 128; i++) {
		low.put(i, uint16_t(i));
		high.put(i, 0);
		sums.put(i, 1);
	}
	R::Histograms<uint8_t, uint16_t, R::HistogramsBinType::BIN0, R::HistogramsType::FREQUENCY>(low, values, mask);
	R::Histograms<uint8_t, uint16_t, R::HistogramsBinType::BIN1, R::HistogramsType::FREQUENCY>(high, values, mask);
	R::Histograms<uint8_t, uint16_t, R::HistogramsBinType::BIN0, R::HistogramsType::ACCUMULATE>(sums, values, mask);
	for (uint32_t i = 0; i < 128; i++) {
		below += want[i];
		assert(low.get(i) == i + want[i] && high.get(i) == want[128 + i] && sums.get(i) == 1 + below);
	}
}

/* Masks by the names that operations on registers have */
TEST(operations_on_masks)
{
	R::MaskReg all = R::CreateMask<float>(), few = R::CreateMask<float, R::MaskPattern::VL8>(), third = R::CreateMask<float, R::MaskPattern::M3>();
	R::MaskReg both, any, one, none;
	R::RegTensor<float> a, squeezed;

	R::And(both, few, third, all);
	R::Or(any, few, third, all);
	R::Xor(one, few, third, all);
	R::Not(none, few, third);
	for (uint32_t i = 0; i < 64; i++) {
		bool x = i < 8, y = i % 3 == 0;

		assert(R::RegTensor<float>::on(both, i) == (x && y) && R::RegTensor<float>::on(any, i) == (x || y));
		assert(R::RegTensor<float>::on(one, i) == (x != y) && R::RegTensor<float>::on(none, i) == (!x && y));
		a.put(i, float(i));
	}
	ClearSpr<SpecialPurposeReg::AR>();
	R::GatherMask<float, R::GatherMaskMode::STORE_REG>(squeezed, a, third);
	assert(GetSpr<SpecialPurposeReg::AR>() == 22 * 4);
	for (uint32_t i = 0; i < 64; i++)
		assert(squeezed.get(i) == (i < 22 ? float(3 * i) : 0));
}

/* A trait inside a function of a class template: clang 14 ended by itself */
template <class T> class WithTrait {
public:
	inline void run()
	{
		static constexpr R::CastTrait down = {R::RegLayout::ZERO, R::SatMode::SAT, R::MaskMergeMode::ZEROING, RoundMode::CAST_FLOOR};
		R::MaskReg all = R::CreateMask<T>();
		R::RegTensor<T> from;
		R::RegTensor<int32_t> to;

		R::Duplicate(from, T(-1.5f), all);
		R::Cast<int32_t, T, down>(to, from, all);
		assert(to.get(5) == -2);
	}
};

TEST(trait_in_a_class_template)
{
	WithTrait<float>().run();
}
