// SPDX-License-Identifier: MIT
/*
 * leaky relu of a * b + bias as a MIX kernel by Matmul<>: nothing says of what type the kernel is, so each block has one
 * cube core and two vector cores. Each vector core computes a part of C, tile by tile, in UB.
 */
#include "kernel_operator.h"
#include "lib/matmul_intf.h"

using namespace AscendC;

template <typename T> class MatmulLeaky {
public:
	__aicore__ inline void Init(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR c, const TCubeTiling &tiling, TPipe *pipe)
	{
		int32_t blocksM = (tiling.M + tiling.singleCoreM - 1) / tiling.singleCoreM;
		int32_t i = GetBlockIdx() % blocksM, j = GetBlockIdx() / blocksM;

		this->tiling = tiling;
		aGlobal.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(a) + i * tiling.singleCoreM * tiling.Ka);
		bGlobal.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(b) + j * tiling.singleCoreN);
		biasGlobal.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(bias) + j * tiling.singleCoreN);
		cGlobal.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(c) + i * tiling.singleCoreM * tiling.N +
					j * tiling.singleCoreN);
		pipe->InitBuffer(outQueue, 1, tiling.baseM * tiling.baseN * sizeof(float));
	}

	__aicore__ inline void Process(float slope)
	{
		uint32_t step = 0, rounds = tiling.singleCoreM / tiling.baseM;

		mm.SetTensorA(aGlobal);
		mm.SetTensorB(bGlobal);
		mm.SetBias(biasGlobal);
		while (mm.template Iterate<true>()) {
			LocalTensor<float> tile = outQueue.AllocTensor<float>();

			mm.template GetTensorC<true>(tile, false, true);
			LeakyRelu(tile, tile, slope, tiling.baseM * tiling.baseN);
			outQueue.EnQue(tile);
			CopyOut(step % rounds, step / rounds);
			step++;
		}
		mm.End();
	}

	Matmul<MatmulType<TPosition::GM, CubeFormat::ND, T>, MatmulType<TPosition::GM, CubeFormat::ND, T>,
	       MatmulType<TPosition::VECIN, CubeFormat::ND, float>, MatmulType<TPosition::GM, CubeFormat::ND, float>> mm;
	TCubeTiling tiling;

private:
	__aicore__ inline void CopyOut(uint32_t i, uint32_t j)
	{
		LocalTensor<float> tile = outQueue.DeQue<float>();
		constexpr uint32_t perBlock = 32 / sizeof(float);

		DataCopy(cGlobal[i * tiling.baseM * tiling.N + j * tiling.baseN], tile,
			 DataCopyParams(tiling.baseM, tiling.baseN / perBlock, 0, (tiling.N - tiling.baseN) / perBlock));
		outQueue.FreeTensor(tile);
	}

	GlobalTensor<T> aGlobal, bGlobal;
	GlobalTensor<float> cGlobal, biasGlobal;
	TQue<QuePosition::VECOUT, 1> outQueue;
};

extern "C" __global__ __aicore__ void matmul_leaky_relu_api(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR c, float slope,
							    GM_ADDR workspace, GM_ADDR tilingGm)
{
	TPipe pipe;
	TCubeTiling tiling;
	MatmulLeaky<half> op;

	for (uint32_t i = 0; i < sizeof(TCubeTiling) / sizeof(uint32_t); i++)
		reinterpret_cast<uint32_t *>(&tiling)[i] = reinterpret_cast<__gm__ uint32_t *>(tilingGm)[i];
	op.Init(a, b, bias, c, tiling, &pipe);
	REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), op.mm, &op.tiling);
	if (GetBlockIdx() >= tiling.usedCoreNum)
		return;
	op.Process(slope);
}
