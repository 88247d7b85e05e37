// SPDX-License-Identifier: MIT
/* MIX kernels of the catalogue in Ascend C. */
#include "kernel_operator.h"

using namespace AscendC;

#define KERNEL extern "C" __global__ __aicore__ void

constexpr uint32_t N = 64;
constexpr uint32_t BYTES = N * sizeof(float);

static __aicore__ inline GlobalTensor<float> global(GM_ADDR p, uint32_t first = 0)
{
	GlobalTensor<float> t;

	t.SetGlobalBuffer((__gm__ float *)p + first);
	return t;
}

/* Waits for a flag of the other half that it sets under another number */
KERNEL mix_flag_number(GM_ADDR mid, GM_ADDR z)
{
	KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
	TPipe pipe;

	if ASCEND_IS_AIC {
		CrossCoreSetFlag<0x2, PIPE_FIX>(3);
	}
	if ASCEND_IS_AIV {
		TBuf<TPosition::VECCALC> buf;

		pipe.InitBuffer(buf, BYTES);
		LocalTensor<float> t = buf.Get<float>();
		CrossCoreWaitFlag(4); /* BUG mix_flag_number */
		DataCopy(t, global(mid), N);
		PipeBarrier<PIPE_ALL>();
		DataCopy(global(z), t, N);
	}
}

/* Both vector cores of a block write the same part */
KERNEL mix_same_part(GM_ADDR z)
{
	KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
	TPipe pipe;

	if ASCEND_IS_AIV {
		TBuf<TPosition::VECCALC> buf;

		pipe.InitBuffer(buf, BYTES);
		LocalTensor<float> t = buf.Get<float>();
		Duplicate(t, (float)GetSubBlockIdx(), N);
		PipeBarrier<PIPE_ALL>();
		DataCopy(global(z, N * (GetBlockIdx() / GetTaskRation())), t, N); /* BUG mix_same_part */
	}
}
