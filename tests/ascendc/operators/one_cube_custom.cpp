// SPDX-License-Identifier: MIT
/* A kernel that does nothing on vector cores and states no type: it is one for cube cores. */
#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void one_cube(GM_ADDR in, GM_ADDR out)
{
	TPipe pipe;
	TBuf<TPosition::A1> l1;
	GlobalTensor<half> from;

	if ASCEND_IS_NOT_AIC
		return;
	pipe.InitBuffer(l1, 512);
	from.SetGlobalBuffer(reinterpret_cast<__gm__ half *>(in));
	DataCopy(l1.Get<half>(), from, 256);
	reinterpret_cast<__gm__ int32_t *>(out)[GetBlockIdx() * 8] = static_cast<int32_t>(600 + GetBlockIdx());
}
