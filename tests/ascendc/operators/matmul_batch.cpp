// SPDX-License-Identifier: MIT
/*
 * Batches of matrices by Matmul<>: IterateBatch() for matrices behind each other and for the layouts of attention, of which A may have fewer
 * matrices than B; and a batch that a MIX kernel's cube core multiplies step by step while its vector cores add the bias,
 * handing over by cross-core flags.
 */
#include "kernel_operator.h"
#define ASCENDC_CUBE_ONLY
#include "lib/matmul_intf.h"

using namespace AscendC;

__aicore__ inline void CopyTiling(TCubeTiling *tiling, GM_ADDR from)
{
	for (uint32_t i = 0; i < sizeof(TCubeTiling) / sizeof(uint32_t); i++)
		reinterpret_cast<uint32_t *>(tiling)[i] = reinterpret_cast<__gm__ uint32_t *>(from)[i];
}

template <LayoutMode layout> __aicore__ inline void Batch(GM_ADDR a, GM_ADDR b, GM_ADDR c, uint32_t batchA, uint32_t batchB,
							   const TCubeTiling *tiling)
{
	Matmul<MatmulType<TPosition::GM, CubeFormat::ND, half, false, layout>,
	       MatmulType<TPosition::GM, CubeFormat::ND, half, true, layout>,
	       MatmulType<TPosition::GM, CubeFormat::ND, float, false, layout>> mm;
	GlobalTensor<half> aGm, bGm;
	GlobalTensor<float> cGm;
	TPipe pipe;

	aGm.SetGlobalBuffer(reinterpret_cast<__gm__ half *>(a));
	bGm.SetGlobalBuffer(reinterpret_cast<__gm__ half *>(b));
	cGm.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(c));
	REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, tiling);
	mm.SetTensorA(aGm);
	mm.SetTensorB(bGm, true);
	mm.IterateBatch(cGm, batchA, batchB, false);
	mm.End();
}

extern "C" __global__ __aicore__ void batch_normal(GM_ADDR a, GM_ADDR b, GM_ADDR c, uint32_t batchA, uint32_t batchB, GM_ADDR t)
{
	KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
	TCubeTiling tiling;

	CopyTiling(&tiling, t);
	if ASCEND_IS_AIC
		Batch<LayoutMode::NORMAL>(a, b, c, batchA, batchB, &tiling);
}

extern "C" __global__ __aicore__ void batch_bsngd(GM_ADDR a, GM_ADDR b, GM_ADDR c, uint32_t batchA, uint32_t batchB, GM_ADDR t)
{
	KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
	TCubeTiling tiling;

	CopyTiling(&tiling, t);
	if ASCEND_IS_AIC
		Batch<LayoutMode::BSNGD>(a, b, c, batchA, batchB, &tiling);
}

/* c[i] = a[i] * b[i] + bias, @count matrices of one size shared out among blocks: the vector cores follow one matrix behind */
extern "C" __global__ __aicore__ void batch_steps(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR c, uint32_t count, GM_ADDR t)
{
	KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
	TPipe pipe;
	TCubeTiling tiling;
	constexpr uint16_t DONE = 3;

	CopyTiling(&tiling, t);
	uint32_t size = tiling.M * tiling.N;
	/* a cube core counts as one, so that both halves find the same number */
	uint32_t block = GetBlockIdx() / GetSubBlockNum();
	if ASCEND_IS_AIC {
		Matmul<MatmulType<TPosition::GM, CubeFormat::ND, half>, MatmulType<TPosition::GM, CubeFormat::ND, half>,
		       MatmulType<TPosition::GM, CubeFormat::ND, float>> mm;
		GlobalTensor<half> aGm, bGm;
		GlobalTensor<float> cGm;

		aGm.SetGlobalBuffer(reinterpret_cast<__gm__ half *>(a));
		bGm.SetGlobalBuffer(reinterpret_cast<__gm__ half *>(b));
		cGm.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(c));
		REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &tiling);
		for (uint32_t i = block; i < count; i += GetBlockNum()) {
			mm.SetTensorA(aGm[i * tiling.M * tiling.Ka]);
			mm.SetTensorB(bGm[i * tiling.N * tiling.Kb]);
			mm.IterateAll(cGm[i * size]);
			CrossCoreSetFlag<2, PIPE_FIX>(DONE);
		}
		mm.End();
	}
	if ASCEND_IS_AIV {
		/* each vector core has every other row */
		GlobalTensor<float> cGm, biasGm;
		TBuf<TPosition::VECCALC> rowBuf, biasBuf;
		uint32_t n = tiling.N, bytes = n * sizeof(float);

		pipe.InitBuffer(rowBuf, bytes);
		pipe.InitBuffer(biasBuf, bytes);
		LocalTensor<float> row = rowBuf.Get<float>(), add = biasBuf.Get<float>();
		cGm.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(c));
		biasGm.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(bias));
		DataCopyPad(add, biasGm, DataCopyExtParams(1, bytes, 0, 0, 0), DataCopyPadExtParams<float>(false, 0, 0, 0));
		for (uint32_t i = block; i < count; i += GetBlockNum()) {
			CrossCoreWaitFlag<2>(DONE);
			for (uint32_t r = GetSubBlockIdx(); r < uint32_t(tiling.M); r += GetSubBlockNum()) {
				DataCopyPad(row, cGm[i * size + r * n], DataCopyExtParams(1, bytes, 0, 0, 0),
					    DataCopyPadExtParams<float>(false, 0, 0, 0));
				SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
				WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
				Add(row, row, add, n);
				SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
				WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
				DataCopyPad(cGm[i * size + r * n], row, DataCopyExtParams(1, bytes, 0, 0, 0));
				SetFlag<HardEvent::MTE3_MTE2>(EVENT_ID0);
				WaitFlag<HardEvent::MTE3_MTE2>(EVENT_ID0);
			}
		}
	}
}
