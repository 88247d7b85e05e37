// SPDX-License-Identifier: MIT
/* A MIX kernel: a cube part and two vector parts. */
#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void parts(GM_ADDR z)
{
	KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
	if ASCEND_IS_AIC {
		CrossCoreSetFlag<0x2, PIPE_FIX>(3); /* CUBE */
	}
	if ASCEND_IS_AIV {
		CrossCoreWaitFlag(3);
		((__gm__ float *)z)[GetBlockIdx() * 8] = 2; /* PART */
	}
}
