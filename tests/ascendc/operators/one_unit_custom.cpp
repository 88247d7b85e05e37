// SPDX-License-Identifier: MIT
/* A kernel that leaves at once on cube cores and states no type: it is one for vector cores, which are numbered one by one. */
#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void one_unit(GM_ADDR out)
{
	TPipe pipe;
	TBuf<TPosition::VECCALC> buffer;
	GlobalTensor<int32_t> own;

	if (g_coreType == AIC)
		return;
	pipe.InitBuffer(buffer, 32);
	LocalTensor<int32_t> local = buffer.Get<int32_t>();
	own.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t *>(out) + GetBlockIdx() * 8);
	Duplicate(local, static_cast<int32_t>(500 + GetBlockIdx() + 10 * GetBlockNum()), 8);
	PipeBarrier<PIPE_ALL>();
	DataCopy(own, local, 8);
}
