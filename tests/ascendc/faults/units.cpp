// SPDX-License-Identifier: MIT
/* Cube and vector cores that hand over wrongly, by flags that one of them has for itself (mode 4), and a trap. As in queues.cpp, "here" is the line. */
#include "kernel_operator.h"

using namespace AscendC;

/* XSET of cross flag 2, mode PAIR, by block 0's cube part: set 1 times, waited for 0 times at the kernel's end */
extern "C" __global__ __aicore__ void pair_left(GM_ADDR)
{
	KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
	if ASCEND_IS_AIC
		CrossCoreSetFlag<4, PIPE_FIX>(18);	/* here */
}

/* the others ended: block 0.0 for cross flag 18 */
extern "C" __global__ __aicore__ void pair_waits(GM_ADDR)
{
	KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
	if ASCEND_IS_AIC
		CrossCoreWaitFlag<4, PIPE_FIX>(18);	/* here */
}

/* DataCopyPad: leftPadding or rightPadding is more than 32 bytes; each fills up to one block */
extern "C" __global__ __aicore__ void padded_too_far(GM_ADDR x)
{
	LocalTensor<float> to(TPosition::VECIN, 0, 256);
	GlobalTensor<float> from;

	from.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(x));
	DataCopyPad(to, from, {1, 32, 0, 0, 0}, {true, 0, uint8_t(GetBlockNum() * 32), 0.0f});	/* here */
}

/* Trap() */
extern "C" __global__ __aicore__ void trapped(GM_ADDR)
{
	trap();	/* here */
}
