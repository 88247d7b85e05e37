/* SPDX-License-Identifier: MIT */
/*
 * Registers of 256 bytes and their masks (AscendC::MicroAPI, AscendC::Reg). This core has none: a register is a variable in
 * the block's stack, an operation is a loop of the scalar unit over its elements.
 */
#ifndef ASCENDC_REG_TYPES_H
#define ASCENDC_REG_TYPES_H

#include <math.h>

#include "../core/enums.h"
#include "../core/state.h"

/* Code on registers stands in a block of its own, whose instructions are one function of the vector unit elsewhere */
#define __VEC_SCOPE__
#define __local_mem__

namespace AscendC {

enum class HighLowPart { LOWEST = 0, HIGHEST };
enum class IndexOrder { INCREASE_ORDER = 0, DECREASE_ORDER };
enum class SpecialPurposeReg { AR = 0 };
enum class GatherMaskMode { NO_STORE_REG = 0, STORE_REG };
enum class MemType { VEC_STORE = 0, VEC_LOAD, SCALAR_STORE, SCALAR_LOAD, VEC_ALL, SCALAR_ALL };

namespace MicroAPI {

using AscendC::CMPMODE;
using AscendC::GatherMaskMode;
using AscendC::HighLowPart;
using AscendC::IndexOrder;
using AscendC::MemType;
using AscendC::ReduceType;
using AscendC::RoundMode;
using AscendC::SpecialPurposeReg;

enum class MaskPattern { ALL = 0, VL1, VL2, VL3, VL4, VL8, VL16, VL32, VL64, VL128, M3, M4, H, Q, ALLF = 15 };
enum class MaskMergeMode { UNKNOWN = -1, MERGING = 0, ZEROING = 1 };
enum class RegLayout { UNKNOWN = -1, ZERO = 0, ONE, TWO, THREE };
enum class SatMode { UNKNOWN = -1, NO_SAT = 0, SAT };
enum class PostLiteral { POST_MODE_NORMAL = 0, POST_MODE_UPDATE };
enum class DataCopyMode { NORM = 0, DATA_BLOCK_COPY };
enum class MaskDist { DIST_NORM = 0, DIST_US, DIST_DS, DIST_PACK };
enum class LoadDist {
	DIST_NORM = 0, DIST_BRC_B8, DIST_BRC_B16, DIST_BRC_B32, DIST_US_B8, DIST_US_B16, DIST_DS_B8, DIST_DS_B16,
	DIST_BDINTLV, DIST_DINTLV_B8, DIST_DINTLV_B16, DIST_DINTLV_B32, DIST_UNPACK_B8, DIST_UNPACK_B16, DIST_UNPACK_B32,
	DIST_BLK, DIST_E2B_B16, DIST_E2B_B32, DIST_UNPACK4_B8,
};
enum class StoreDist {
	DIST_NORM = 0, DIST_NORM_B8, DIST_NORM_B16, DIST_NORM_B32, DIST_FIRST_ELEMENT_B8, DIST_FIRST_ELEMENT_B16,
	DIST_FIRST_ELEMENT_B32, DIST_PACK_B16, DIST_PACK_B32, DIST_PACK_B64, DIST_INTLV_B8, DIST_INTLV_B16, DIST_INTLV_B32,
	DIST_PACK4_B32,
};

/** struct RegTrait - two registers can hold the elements of one with elements of 8 bytes */
struct RegTrait {
	int REG_NUM = 1;
};
inline constexpr RegTrait RegTraitNumOne = {1};
inline constexpr RegTrait RegTraitNumTwo = {2};

struct CastTrait {
	RegLayout layoutMode = RegLayout::ZERO;
	SatMode satMode = SatMode::UNKNOWN;
	MaskMergeMode mrgMode = MaskMergeMode::ZEROING;
	RoundMode roundMode = RoundMode::CAST_NONE;
};
inline constexpr CastTrait castTrait = {};

/** struct DivSpecificMode - of Div(): @precisionMode asks for quotients as exact as they are here in any case */
struct DivSpecificMode {
	MaskMergeMode mrgMode = MaskMergeMode::ZEROING;
	bool precisionMode = false;
};

/** struct MaskReg - a bit for each byte of a register; an element's is that of its first byte */
struct MaskReg {
	uint64_t bits[4];

	ASCENDC_FN bool get(uint32_t at) const { return bits[at / 64] >> at % 64 & 1; }
	ASCENDC_FN void put(uint32_t at, bool on)
	{
		bits[at / 64] = (bits[at / 64] & ~(1ull << at % 64)) | uint64_t(on) << at % 64;
	}
	ASCENDC_FN void clear() { bits[0] = bits[1] = bits[2] = bits[3] = 0; }
};

/**
 * struct RegTensor - a register
 * @count: its elements
 * @step: bits of a mask from one element to the next
 *
 * Programs cast a register to one of other elements, so that elements are read as what may be anything.
 */
template <class T, const RegTrait &trait = RegTraitNumOne> struct RegTensor {
	static_assert(sizeof(T) <= 8 && (trait.REG_NUM == 1 || sizeof(T) == 8),
		      "AscendC::MicroAPI::RegTensor: two registers are for elements of 8 bytes");
	using ActualT = T;
	using Alias __attribute__((may_alias)) = T;
	static constexpr uint32_t count = 256 * trait.REG_NUM / sizeof(T);
	static constexpr uint32_t step = 256 / count;

	alignas(32) uint8_t bytes[256 * trait.REG_NUM];

	ASCENDC_FN T get(uint32_t i) const { return reinterpret_cast<const Alias *>(bytes)[i]; }
	ASCENDC_FN void put(uint32_t i, T v) { reinterpret_cast<Alias *>(bytes)[i] = v; }
	ASCENDC_FN static bool on(const MaskReg &mask, uint32_t i) { return mask.get(i * step); }
};

/* Where a stream of elements goes that is not aligned: here each store writes what it has */
struct UnalignReg {};
using UnalignRegForLoad = UnalignReg;
using UnalignRegForStore = UnalignReg;

/** struct AddrReg - an offset in elements */
struct AddrReg {
	uint64_t offset;
};

template <class T> ASCENDC_FN AddrReg CreateAddrReg(uint32_t i, uint32_t stride)
{
	return {uint64_t(i) * stride};
}
template <class T> ASCENDC_FN AddrReg CreateAddrReg(uint32_t i0, uint32_t s0, uint32_t i1, uint32_t s1)
{
	return {uint64_t(i0) * s0 + uint64_t(i1) * s1};
}
template <class T>
ASCENDC_FN AddrReg CreateAddrReg(uint32_t i0, uint32_t s0, uint32_t i1, uint32_t s1, uint32_t i2, uint32_t s2)
{
	return {uint64_t(i0) * s0 + uint64_t(i1) * s1 + uint64_t(i2) * s2};
}
template <class T>
ASCENDC_FN AddrReg CreateAddrReg(uint32_t i0, uint32_t s0, uint32_t i1, uint32_t s1, uint32_t i2, uint32_t s2,
				 uint32_t i3, uint32_t s3)
{
	return {uint64_t(i0) * s0 + uint64_t(i1) * s1 + uint64_t(i2) * s2 + uint64_t(i3) * s3};
}

/** LocalMemBar() - operations of this core happen in order */
template <MemType before, MemType after> ASCENDC_FN void LocalMemBar()
{
}

/** ClearSpr() - register AR counts the bytes that Squeeze() has made for StoreUnAlign() */
template <SpecialPurposeReg reg> ASCENDC_FN void ClearSpr()
{
	detail::state()->squeezed = 0;
}

template <SpecialPurposeReg reg> ASCENDC_FN int64_t GetSpr()
{
	return detail::state()->squeezed;
}

namespace detail {
using AscendC::detail::state;
} // namespace detail

} // namespace MicroAPI

namespace Reg = MicroAPI;

using MicroAPI::ClearSpr;
using MicroAPI::GetSpr;

} // namespace AscendC

#endif
