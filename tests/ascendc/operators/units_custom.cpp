// SPDX-License-Identifier: MIT
/*
 * Kernels of several kinds in one source: for cube and vector cores together, for vector cores, for cube cores. The first one hands over
 * from the cube core to each of its two vector cores by flags of their own (mode 4), the second one first, and back.
 */
#include "kernel_operator.h"

using namespace AscendC;

constexpr uint16_t TOLD = 3, DONE = 4, SECOND = 16;

/* out has 8 numbers for each vector core; the cube core adds what both have written */
extern "C" __global__ __aicore__ void hand_over(GM_ADDR out, GM_ADDR sum)
{
	KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
	__gm__ int32_t *words = reinterpret_cast<__gm__ int32_t *>(out);

	if ASCEND_IS_AIC {
		__gm__ int32_t *first = words + 2 * GetBlockIdx() * 8, *second = first + 8;

		second[0] = 20;
		CrossCoreSetFlag<4, PIPE_FIX>(TOLD + SECOND);
		CrossCoreWaitFlag<4, PIPE_S>(DONE + SECOND);
		first[0] = second[0] + 1;
		CrossCoreSetFlag<4, PIPE_FIX>(TOLD);
		CrossCoreWaitFlag<4, PIPE_S>(DONE);
		/* a cube core counts itself only */
		reinterpret_cast<__gm__ int32_t *>(sum)[GetBlockIdx() * 8] =
			static_cast<int32_t>((first[0] + second[0]) * GetSubBlockNum());
	}
	if ASCEND_IS_AIV {
		__gm__ int32_t *own = words + GetBlockIdx() * 8;

		CrossCoreWaitFlag<4, PIPE_S>(TOLD);
		own[0] = own[0] * 10 + static_cast<int32_t>(GetSubBlockIdx());
		CrossCoreSetFlag<4, PIPE_MTE3>(DONE);
	}
}

extern "C" __global__ __aicore__ void on_vectors(GM_ADDR out)
{
	KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
	__gm__ int32_t *own = reinterpret_cast<__gm__ int32_t *>(out) + GetBlockIdx() * 8;

	if ASCEND_IS_AIV
		own[0] = static_cast<int32_t>(100 + GetBlockIdx() + 10 * GetSubBlockNum());
	if ASCEND_IS_AIC
		own[0] = -1;
}

extern "C" __global__ __aicore__ void on_cubes(GM_ADDR out)
{
	KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
	__gm__ int32_t *own = reinterpret_cast<__gm__ int32_t *>(out) + GetBlockIdx() * 8;

	if ASCEND_IS_AIC
		own[0] = static_cast<int32_t>(200 + GetBlockIdx());
}

extern "C" __global__ __vector__ void declared(GM_ADDR out)
{
	reinterpret_cast<__gm__ int32_t *>(out)[GetBlockIdx() * 8] = static_cast<int32_t>(300 + GetBlockIdx());
}
