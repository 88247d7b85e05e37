// SPDX-License-Identifier: MIT
#include "kernel_operator.h"

#if !defined(KNOWN_CHIP) || defined(OTHER_CHIP)
#error generator expressions of ascendc_compile_definitions() have not been evaluated
#endif

extern "C" __global__ __aicore__ void halves(GM_ADDR out)
{
	KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
	if ASCEND_IS_AIV
		*(reinterpret_cast<__gm__ int32_t *>(out) + AscendC::GetSubBlockIdx()) = VALUE + static_cast<int32_t>(AscendC::GetSubBlockIdx());
}
