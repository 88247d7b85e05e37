/* SPDX-License-Identifier: MIT */
/* Where a block is: its number, the number of blocks, the unit that it runs on; time. */
#ifndef ASCENDC_CORE_WHERE_H
#define ASCENDC_CORE_WHERE_H

#include "state.h"

namespace AscendC {

namespace detail {

ASCENDC_FN uint64_t core_type()
{
	uint64_t value;

	/* not volatile: it never changes, so the compiler may read it once */
	__asm__("csrr %0, %1" : "=r"(value) : "i"(ANPU_CSR_coretype));
	return value;
}

/*
 * Which half of a MIX kernel this is. Where anpucc compiles both from one source, it is a constant, because operators use
 * g_coreType as an argument of templates.
 */
#if defined(__DAV_C220_CUBE__) || defined(__DAV_C220_VEC__)
#define ASCENDC_HALF_FN	ASCENDC_FN constexpr
#else
#define ASCENDC_HALF_FN	ASCENDC_FN
#endif

ASCENDC_HALF_FN bool is_cube()
{
#if defined(__DAV_C220_CUBE__)
	return true;
#elif defined(__DAV_C220_VEC__)
	return false;
#else
	return core_type() == 1;
#endif
}

ASCENDC_HALF_FN bool is_vector()
{
	return !is_cube();
}

#undef ASCENDC_HALF_FN

} // namespace detail

/** GetBlockIdx() - number of the core in the launch; the vector cores of a MIX kernel count on */
ASCENDC_FN int64_t GetBlockIdx()
{
	if (detail::is_cube())
		return anpu_block_idx();
	return int64_t(anpu_block_idx()) * anpu_sub_block_num() + anpu_sub_block_idx();
}

ASCENDC_FN int64_t GetBlockNum()
{
	return anpu_block_num();
}

ASCENDC_FN int64_t GetSubBlockIdx()
{
	return anpu_sub_block_idx();
}

/** GetSubBlockNum() - cores of the caller's kind that serve a block: vector cores, seen by one, and 1 for a cube core */
ASCENDC_FN int64_t GetSubBlockNum()
{
	return detail::is_cube() ? 1 : anpu_sub_block_num();
}

/** GetTaskRation() - vector cores beside a cube core, seen by a vector core; 1 for a cube core */
ASCENDC_FN int64_t GetTaskRation()
{
	return detail::is_cube() ? 1 : anpu_sub_block_num();
}

/** GetTaskRatio() - the newer name */
ASCENDC_FN int64_t GetTaskRatio()
{
	return GetTaskRation();
}

/** ParamOffset() - this core's part of a tensor, of @elements each; of the first releases */
template <class T> ASCENDC_FN uint8_t *ParamOffset(uint8_t *tensor, uint64_t elements)
{
	return tensor + static_cast<uint64_t>(GetBlockIdx()) * elements * sizeof(T);
}

ASCENDC_FN int64_t GetSystemCycle()
{
	return static_cast<int64_t>(anpu_cycles());
}

ASCENDC_FN int64_t GetProgramCounter()
{
	int64_t pc;

	__asm__ volatile("auipc %0, 0" : "=r"(pc));
	return pc;
}

} // namespace AscendC

/* Names that the compiler of Ascend C has built in */
struct AnpuBlockIdx {
	ASCENDC_FN operator int64_t() const { return AscendC::GetBlockIdx(); }
};
struct AnpuBlockNum {
	ASCENDC_FN operator int64_t() const { return AscendC::GetBlockNum(); }
};
/* Objects, because operators have variables of the same names */
inline constexpr AnpuBlockIdx block_idx{};
inline constexpr AnpuBlockNum block_num{};
ASCENDC_FN int64_t get_block_idx() { return anpu_block_idx(); }
ASCENDC_FN int64_t get_block_num() { return anpu_block_num(); }
ASCENDC_FN int64_t get_subblockid() { return anpu_sub_block_idx(); }
ASCENDC_FN int64_t get_subblockdim() { return anpu_sub_block_num(); }
ASCENDC_FN int64_t get_coreid() { return anpu_core_id(); }

#define ASCEND_IS_AIC	(AscendC::detail::is_cube())
#define ASCEND_IS_AIV	(AscendC::detail::is_vector())
#define ASCEND_IS_NOT_AIC	(!AscendC::detail::is_cube())
#define ASCEND_IS_NOT_AIV	(!AscendC::detail::is_vector())
#define g_coreType	(AscendC::detail::is_cube() ? AscendC::AIC : AscendC::AIV)

#endif
