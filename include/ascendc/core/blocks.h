/* SPDX-License-Identifier: MIT */
/*
 * Synchronisation of blocks through global memory: IBSet() and IBWait(), SyncAll() with a workspace,
 * and the forms that wait in turn.
 */
#ifndef ASCENDC_CORE_BLOCKS_H
#define ASCENDC_CORE_BLOCKS_H

#include "../move/copy.h"
#include "../move/atomic.h"
#include "sync.h"

namespace AscendC {

/* With a workspace: all blocks of the launch; a part of them would need a wait that lets others run */
template <bool vector_only = true, class G, class U>
ASCENDC_FN void SyncAll(const G &, const U &, const int32_t usedCores = 0)
{
	if (usedCores && usedCores != GetBlockNum() * (detail::is_cube() ? 1 : GetSubBlockNum()))
		anpu_trap("SyncAll: usedCores is not the number of blocks of the launch, and a barrier of a part of them is not built");
	anpu_sys_SYNCALL(ANPU_SYNC_KIND, 0);
}

/** InitOutput() - fills global memory with a value; Fill() and InitGlobalMemory() are the same */
template <class T> ASCENDC_FN void InitGlobalMemory(const GlobalTensor<T> &tensor, const uint64_t size, const T value)
{
	/* by the scalar unit in words, which needs no scratchpad */
	T *at = const_cast<T *>(tensor.GetPhyAddr());

	for (uint64_t i = 0; i < size; i++)
		at[i] = value;
}

template <class T> ASCENDC_FN void InitOutput(const GlobalTensor<T> &tensor, uint32_t size, T value = T{})
{
	InitGlobalMemory(tensor, uint64_t(size), value);
}

template <class T> ASCENDC_FN void Fill(const GlobalTensor<T> &tensor, const uint64_t size, const T value)
{
	InitGlobalMemory(tensor, size, value);
}

/* The special registers of the control word: saturation is the one that this core has */
template <int8_t first, int8_t last> ASCENDC_FN int64_t GetCtrlSpr()
{
	return first <= 60 && 60 <= last ? int64_t(!(anpu_csr_fpctl() & ANPU_FPCTL_SATURATE)) << (60 - first) : 0;
}

template <int8_t first, int8_t last> ASCENDC_FN void SetCtrlSpr(int64_t value)
{
	/* bit 60: 1 gives infinities and NaN, 0 saturates; bit 48: the same for conversions; others have no meaning here */
	if (first <= 60 && 60 <= last)
		anpu_set_csr_fpctl(value >> (60 - first) & 1 ? 0 : ANPU_FPCTL_SATURATE);
}

ASCENDC_FN void ICachePreLoad(const int64_t) {}
ASCENDC_FN int64_t GetICachePreloadStatus() { return 0; }

template <int32_t cycles> ASCENDC_FN void Nop()
{
	__asm__ volatile("nop");
}

} // namespace AscendC

#endif
