/* SPDX-License-Identifier: MIT */
/* The vector mask, set by itself: for calls with isSetMask = false, and the counter mode. */
#ifndef ASCENDC_VECTOR_MASK_H
#define ASCENDC_VECTOR_MASK_H

#include "engine.h"

namespace AscendC {

ASCENDC_FN void SetMaskCount()
{
	detail::state()->counter = 1;
}

ASCENDC_FN void SetMaskNorm()
{
	detail::state()->counter = 0;
}

ASCENDC_FN void ResetMask()
{
	anpu_set_csr_vmask0(~0ull);
	anpu_set_csr_vmask1(~0ull);
}

template <class T, MaskMode mode = MaskMode::NORMAL>
ASCENDC_FN void SetVectorMask(const uint64_t high, const uint64_t low)
{
	if (mode == MaskMode::COUNTER || detail::state()->counter) {
		detail::state()->count = static_cast<uint32_t>(low);
	} else {
		anpu_set_csr_vmask0(low);
		anpu_set_csr_vmask1(high);
	}
}

template <class T, MaskMode mode = MaskMode::NORMAL> ASCENDC_FN void SetVectorMask(int32_t len)
{
	uint64_t n = static_cast<uint64_t>(len);

	if (mode == MaskMode::COUNTER || detail::state()->counter)
		SetVectorMask<T, MaskMode::COUNTER>(0, n);
	else
		SetVectorMask<T, mode>(n >= 128 ? ~0ull : n > 64 ? (1ull << (n - 64)) - 1 : 0,
				       n >= 64 ? ~0ull : (1ull << n) - 1);
}

/** AscendCUtils - functions below the API that operators call */
class AscendCUtils {
public:
	template <class T, bool isSetMask = true> static ASCENDC_FN void SetMask(const uint64_t &high, const uint64_t &low)
	{
		if constexpr (isSetMask)
			SetVectorMask<T>(high, low);
	}

	template <class T, bool isSetMask = true> static ASCENDC_FN void SetMask(int32_t len)
	{
		if constexpr (isSetMask)
			SetVectorMask<T>(len);
	}

	static ASCENDC_FN void ResetMask()
	{
		AscendC::ResetMask();
	}

	/* 1: overflows become infinite, and infinities and NaN stay; 0: results are saturated */
	static ASCENDC_FN void SetOverflow(uint64_t infinite)
	{
		anpu_set_csr_fpctl(infinite ? 0 : ANPU_FPCTL_SATURATE);
	}

	static constexpr ASCENDC_FN int32_t GetC0Count(const int32_t size)
	{
		return static_cast<int32_t>(ONE_BLK_SIZE) / size;
	}

	static constexpr ASCENDC_FN int32_t GetBitSize(int32_t bytes)
	{
		return bytes * ONE_BYTE_BIT_SIZE;
	}

	static constexpr ASCENDC_FN int32_t GetC0Size()
	{
		return static_cast<int32_t>(ONE_BLK_SIZE);
	}
};

} // namespace AscendC

#endif
