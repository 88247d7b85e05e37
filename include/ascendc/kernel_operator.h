/* SPDX-License-Identifier: MIT */
/*
 * Ascend C, first part: how kernels are declared, scalar types and where a block is. The classes
 * (TPipe, TQue, LocalTensor ...) are not built yet; until then operators use anpu/anpu_intrin.h,
 * which this header includes. Documentation/operators.md tells what there is.
 */
#ifndef ASCENDC_KERNEL_OPERATOR_H
#define ASCENDC_KERNEL_OPERATOR_H

#ifndef __cplusplus
#error "kernel_operator.h is C++; operators in C include <anpu/anpu_intrin.h>"
#endif

#include <anpu/anpu_intrin.h>

#define __global__	ANPU_KERNEL_ATTR
#define __aicore__	/* code of an operator is always for the AI core */
#define __gm__		/* global memory, scratchpads and stack share one address space */
#define __ubuf__
#define __cbuf__
#define __ca__
#define __cb__
#define __cc__

typedef unsigned char *GM_ADDR;
typedef _Float16 half;

namespace AscendC {

ANPU_INLINE int64_t GetBlockIdx()
{
	return anpu_block_idx();
}

ANPU_INLINE int64_t GetBlockNum()
{
	return anpu_block_num();
}

ANPU_INLINE int64_t GetSubBlockIdx()
{
	return anpu_sub_block_idx();
}

ANPU_INLINE int64_t GetSystemCycle()
{
	return static_cast<int64_t>(anpu_cycles());
}

/** printf() - to the host program, as anpu_printf(); no result */
template <typename... Args> ANPU_INLINE void printf(const char *format, Args... args)
{
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wformat-security"
#pragma clang diagnostic ignored "-Wformat-nonliteral"
	anpu_printf(format, args...);
#pragma clang diagnostic pop
}

#define PRINTF(...) AscendC::printf(__VA_ARGS__)

} // namespace AscendC

/* Names that the compiler of Ascend C has built in */
#define block_idx (AscendC::GetBlockIdx())
#define block_num (AscendC::GetBlockNum())

/* And an instruction by its name there */
#ifndef __ANPU_HOST__
__asm__(".macro trap\n\tebreak\n.endm");
#endif

#endif /* ASCENDC_KERNEL_OPERATOR_H */
