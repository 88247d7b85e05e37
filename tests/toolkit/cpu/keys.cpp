// SPDX-License-Identifier: MIT
/* A kernel whose tiling key chooses what it adds, and one that is wrong */
#include "kernel_operator.h"

extern "C" __global__ __aicore__ void keys(GM_ADDR z, GM_ADDR tiling)
{
	AscendC::GlobalTensor<half> all;
	uint32_t n = *reinterpret_cast<__gm__ uint32_t *>(tiling);

	all.SetGlobalBuffer((__gm__ half *)z, n);
	for (uint32_t i = AscendC::GetBlockIdx(); i < n; i += AscendC::GetBlockNum()) {
		if (TILING_KEY_IS(1)) {
			all.SetValue(i, all.GetValue(i) + (half)1);
		} else if (TILING_KEY_IS(2)) {
			all.SetValue(i, all.GetValue(i) + (half)2);
		}
	}
}

#ifdef ASCENDC_CPU_DEBUG
extern "C" __global__ __aicore__ void outside(GM_ADDR z)
{
	*reinterpret_cast<__gm__ uint32_t *>(z) = 1;	/* line of the fault */
}
#else
void keys_do(uint32_t blocks, void *stream, uint8_t *z, uint8_t *tiling)
{
	keys<<<blocks, nullptr, stream>>>(z, tiling);
}
#endif
