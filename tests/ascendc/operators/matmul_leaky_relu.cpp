// SPDX-License-Identifier: MIT
/*
 * A MIX kernel: the cube unit multiplies 32 x k by k x 32, its two vector units take half of the rows each and apply
 * leaky relu. They hand over by cross-core flags.
 */
#include "kernel_operator.h"

using namespace AscendC;

constexpr uint32_t M = 32, N = 32;

/* Each half knows its kind of core when it is compiled. */
static_assert(g_coreType == (ASCEND_IS_AIC ? AIC : AIV));

class MatmulLeakyRelu {
public:
	__aicore__ inline void Cube(GM_ADDR a, GM_ADDR b, GM_ADDR c, uint32_t k)
	{
		GlobalTensor<half> aGm, bGm;
		GlobalTensor<float> cGm;
		LocalMemAllocator<Hardware::L1> l1;
		LocalMemAllocator<Hardware::L0A> l0a;
		LocalMemAllocator<Hardware::L0B> l0b;
		LocalMemAllocator<Hardware::L0C> l0c;
		LocalTensor<half> a1 = l1.Alloc<TPosition::A1, half>(M * k), b1 = l1.Alloc<TPosition::B1, half>(k * N);
		LocalTensor<half> a2 = l0a.Alloc<TPosition::A2, half>(M * k), b2 = l0b.Alloc<TPosition::B2, half>(k * N);
		LocalTensor<float> c1 = l0c.Alloc<TPosition::CO1, float>(M * N);

		aGm.SetGlobalBuffer((__gm__ half *)a + GetBlockIdx() * M * k);
		bGm.SetGlobalBuffer((__gm__ half *)b);
		cGm.SetGlobalBuffer((__gm__ float *)c + GetBlockIdx() * M * N);
		DataCopy(a1, aGm, Nd2NzParams(1, M, k, 0, k, M, 1, 0));
		DataCopy(b1, bGm, Nd2NzParams(1, k, N, 0, N, k, 1, 0));
		SetFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
		WaitFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
		for (uint32_t i = 0; i < M / 16; i++)
			LoadData(a2[i * 16 * k], a1[i * 256], LoadData2DParams(0, k / 16, M / 16, 0, 0, false, 0));
		for (uint32_t i = 0; i < k / 16; i++)
			LoadData(b2[i * 16 * N], b1[i * 256], LoadData2DParams(0, N / 16, k / 16, 0, 0, true, 0));
		SetFlag<HardEvent::MTE1_M>(EVENT_ID0);
		WaitFlag<HardEvent::MTE1_M>(EVENT_ID0);
		MmadParams p;
		p.m = M;
		p.n = N;
		p.k = k;
		Mmad(c1, a2, b2, p);
		SetFlag<HardEvent::M_FIX>(EVENT_ID0);
		WaitFlag<HardEvent::M_FIX>(EVENT_ID0);
		Fixpipe(cGm, c1, FixpipeParamsV220(N, M, M, N, false));
		CrossCoreSetFlag<2, PIPE_FIX>(5);
	}

	__aicore__ inline void Vector(GM_ADDR c, float slope)
	{
		TPipe pipe;
		TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> through;
		GlobalTensor<float> cGm;
		constexpr uint32_t part = M * N / 2;

		pipe.InitBuffer(through, 1, part * sizeof(float));
		cGm.SetGlobalBuffer((__gm__ float *)c + GetBlockIdx() * part);
		CrossCoreWaitFlag(5);
		LocalTensor<float> x = through.AllocTensor<float>();
		DataCopy(x, cGm, part);
		SetFlag<HardEvent::MTE2_V>(EVENT_ID1);
		WaitFlag<HardEvent::MTE2_V>(EVENT_ID1);
		LeakyRelu(x, x, slope, part);
		SetFlag<HardEvent::V_MTE3>(EVENT_ID1);
		WaitFlag<HardEvent::V_MTE3>(EVENT_ID1);
		through.EnQue(x);
		x = through.DeQue<float>();
		DataCopy(cGm, x, part);
		through.FreeTensor(x);
	}
};

extern "C" __global__ __aicore__ void matmul_leaky_relu(GM_ADDR a, GM_ADDR b, GM_ADDR c, uint32_t k, float slope)
{
	KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
	MatmulLeakyRelu op;

	if ASCEND_IS_AIC {
		op.Cube(a, b, c, k);
	}
	if ASCEND_IS_AIV {
		op.Vector(c, slope);
	}
}
