/* SPDX-License-Identifier: MIT */
/* Scales a tensor; the blocks share it. */
#include "kernel_operator.h"

extern "C" __global__ __aicore__ void scale(GM_ADDR data, float factor, uint32_t n)
{
	float *x = reinterpret_cast<float *>(data);

	for (int64_t i = AscendC::GetBlockIdx(); i < n; i += AscendC::GetBlockNum())
		x[i] *= factor;
}
