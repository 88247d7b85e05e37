// SPDX-License-Identifier: MIT
#include "kernel_operator.h"

__global__ __aicore__ void double_all(GM_ADDR x, uint32_t n)
{
	AscendC::GlobalTensor<float> all;

	all.SetGlobalBuffer((__gm__ float *)x);
	for (uint32_t i = AscendC::GetBlockIdx(); i < n; i += AscendC::GetBlockNum())
		all.SetValue(i, all.GetValue(i) * 2);
}

int twice(void *stream, uint8_t *x, uint32_t n)
{
	return double_all<<<4, nullptr, stream>>>(x, n);
}
