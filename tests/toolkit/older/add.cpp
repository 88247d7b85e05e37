// SPDX-License-Identifier: MIT
#include "kernel_operator.h"

extern "C" __global__ __aicore__ void scale_all(GM_ADDR x, uint32_t n)
{
	AscendC::GlobalTensor<float> all;

	all.SetGlobalBuffer((__gm__ float *)x);
	for (uint32_t i = AscendC::GetBlockIdx(); i < n; i += AscendC::GetBlockNum())
		all.SetValue(i, all.GetValue(i) * TIMES);
}
