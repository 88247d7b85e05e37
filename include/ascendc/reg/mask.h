/* SPDX-License-Identifier: MIT */
/* Masks of registers: made, combined, moved. */
#ifndef ASCENDC_REG_MASK_H
#define ASCENDC_REG_MASK_H

#include "types.h"

namespace AscendC {
namespace MicroAPI {
namespace detail {

template <MaskPattern pattern> ASCENDC_FN constexpr bool in_pattern(uint32_t i, uint32_t n)
{
	switch (pattern) {
	case MaskPattern::ALL: return true;
	case MaskPattern::VL1: return i < 1;
	case MaskPattern::VL2: return i < 2;
	case MaskPattern::VL3: return i < 3;
	case MaskPattern::VL4: return i < 4;
	case MaskPattern::VL8: return i < 8;
	case MaskPattern::VL16: return i < 16;
	case MaskPattern::VL32: return i < 32;
	case MaskPattern::VL64: return i < 64;
	case MaskPattern::VL128: return i < 128;
	case MaskPattern::M3: return i % 3 == 0;
	case MaskPattern::M4: return i % 4 == 0;
	case MaskPattern::H: return i < n / 2;
	case MaskPattern::Q: return i < n / 4;
	default: return false;
	}
}

} // namespace detail

template <class T, MaskPattern pattern = MaskPattern::ALL, const RegTrait &trait = RegTraitNumOne> ASCENDC_FN MaskReg CreateMask()
{
	constexpr uint32_t n = RegTensor<T, trait>::count;
	MaskReg mask = {};

	for (uint32_t i = 0; i < n; i++)
		mask.put(i * 256 / n, detail::in_pattern<pattern>(i, n));
	return mask;
}

/** UpdateMask() - the first @left elements, as many as a register has; @left becomes what remains */
template <class T, const RegTrait &trait = RegTraitNumOne> ASCENDC_FN MaskReg UpdateMask(uint32_t &left)
{
	constexpr uint32_t n = RegTensor<T, trait>::count;
	MaskReg mask = {};

	for (uint32_t i = 0; i < n && i < left; i++)
		mask.put(i * 256 / n, true);
	left = left < n ? 0 : left - n;
	return mask;
}

#define ASCENDC_MASK_OP(name, expression) \
	ASCENDC_FN void name(MaskReg &dst, const MaskReg &a, const MaskReg &b, const MaskReg &mask) \
	{ \
		for (uint32_t i = 0; i < 4; i++) { \
			uint64_t x = a.bits[i], y = b.bits[i], m = mask.bits[i]; \
			dst.bits[i] = expression; \
		} \
	}
ASCENDC_MASK_OP(MaskAnd, x & y & m)
ASCENDC_MASK_OP(MaskOr, (x | y) & m)
ASCENDC_MASK_OP(MaskXor, (x ^ y) & m)
ASCENDC_MASK_OP(MaskSel, (x & m) | (y & ~m))
ASCENDC_MASK_OP(And, x & y & m)
ASCENDC_MASK_OP(Or, (x | y) & m)
ASCENDC_MASK_OP(Xor, (x ^ y) & m)
#undef ASCENDC_MASK_OP

ASCENDC_FN void MaskNot(MaskReg &dst, const MaskReg &src, const MaskReg &mask)
{
	for (uint32_t i = 0; i < 4; i++)
		dst.bits[i] = ~src.bits[i] & mask.bits[i];
}

ASCENDC_FN void Not(MaskReg &dst, const MaskReg &src, const MaskReg &mask)
{
	MaskNot(dst, src, mask);
}

ASCENDC_FN void MaskMov(MaskReg &dst, const MaskReg &src, const MaskReg &mask)
{
	for (uint32_t i = 0; i < 4; i++)
		dst.bits[i] = src.bits[i] & mask.bits[i];
}

ASCENDC_FN void MaskMov(MaskReg &dst, const MaskReg &src)
{
	dst = src;
}

/** MaskPack() - every second bit of @src, in one half of @dst; the other half is 0 */
template <HighLowPart part = HighLowPart::LOWEST> ASCENDC_FN void MaskPack(MaskReg &dst, const MaskReg &src)
{
	MaskReg out = {};

	for (uint32_t i = 0; i < 128; i++)
		out.put(i + (part == HighLowPart::HIGHEST ? 128 : 0), src.get(2 * i));
	dst = out;
}

/** MaskUnPack() - the bits of one half of @src, each with a 0 behind it */
template <HighLowPart part = HighLowPart::LOWEST> ASCENDC_FN void MaskUnPack(MaskReg &dst, const MaskReg &src)
{
	MaskReg out = {};

	for (uint32_t i = 0; i < 128; i++)
		out.put(2 * i, src.get(i + (part == HighLowPart::HIGHEST ? 128 : 0)));
	dst = out;
}

template <class T> ASCENDC_FN void MaskInterleave(MaskReg &dst0, MaskReg &dst1, const MaskReg &src0, const MaskReg &src1)
{
	constexpr uint32_t n = 256 / sizeof(T), step = sizeof(T);
	MaskReg out[2] = {};

	for (uint32_t i = 0; i < 2 * n; i++)
		out[i / n].put(i % n * step, (i % 2 ? src1 : src0).get(i / 2 * step));
	dst0 = out[0];
	dst1 = out[1];
}

template <class T> ASCENDC_FN void MaskDeInterleave(MaskReg &dst0, MaskReg &dst1, const MaskReg &src0, const MaskReg &src1)
{
	constexpr uint32_t n = 256 / sizeof(T), step = sizeof(T);
	MaskReg out[2] = {};

	for (uint32_t i = 0; i < 2 * n; i++)
		out[i % 2].put(i / 2 * step, (i < n ? src0 : src1).get(i % n * step));
	dst0 = out[0];
	dst1 = out[1];
}

/* The same by the names that registers' functions have */
ASCENDC_FN void Move(MaskReg &dst, const MaskReg &src, const MaskReg &mask) { MaskMov(dst, src, mask); }
ASCENDC_FN void Move(MaskReg &dst, const MaskReg &src) { dst = src; }
ASCENDC_FN void Select(MaskReg &dst, const MaskReg &src0, const MaskReg &src1, const MaskReg &mask) { MaskSel(dst, src0, src1, mask); }

template <HighLowPart part = HighLowPart::LOWEST> ASCENDC_FN void Pack(MaskReg &dst, const MaskReg &src)
{
	MaskPack<part>(dst, src);
}

template <HighLowPart part = HighLowPart::LOWEST> ASCENDC_FN void UnPack(MaskReg &dst, const MaskReg &src)
{
	MaskUnPack<part>(dst, src);
}

template <class T> ASCENDC_FN void Interleave(MaskReg &dst0, MaskReg &dst1, const MaskReg &src0, const MaskReg &src1)
{
	MaskInterleave<T>(dst0, dst1, src0, src1);
}

template <class T> ASCENDC_FN void DeInterleave(MaskReg &dst0, MaskReg &dst1, const MaskReg &src0, const MaskReg &src1)
{
	MaskDeInterleave<T>(dst0, dst1, src0, src1);
}

/** MoveMask() - the mask of SetVectorMask(): bit i of its 128 is that of element i of 16 or 32 bits */
template <class T> ASCENDC_FN MaskReg MoveMask()
{
	static_assert(sizeof(T) == 2 || sizeof(T) == 4, "AscendC::MicroAPI::MoveMask is for elements of 16 and 32 bits");
	const uint64_t words[2] = {anpu_csr_vmask0(), anpu_csr_vmask1()};
	MaskReg mask = {};

	for (uint32_t i = 0; i < 256 / sizeof(T); i++)
		mask.put(i * sizeof(T), words[i / 64] >> i % 64 & 1);
	return mask;
}

} // namespace MicroAPI
} // namespace AscendC

#endif
