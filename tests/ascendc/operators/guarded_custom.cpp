// SPDX-License-Identifier: MIT
/* A source for compilers that go over it once for each unit: its kernel is there for vector cores only. */
#include "kernel_operator.h"

#ifdef __DAV_C220_VEC__
extern "C" __global__ __aicore__ void guarded(GM_ADDR out)
{
	__gm__ int32_t *own = reinterpret_cast<__gm__ int32_t *>(out) + AscendC::GetBlockIdx() * 8;

	if ASCEND_IS_AIV
		own[0] = static_cast<int32_t>(400 + AscendC::GetBlockIdx());
}
#endif
