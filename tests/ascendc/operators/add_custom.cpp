// SPDX-License-Identifier: MIT
/* z = x + y for half, in tiles with double buffers: each block has length elements, a multiple of 16. */
#include "kernel_operator.h"

using namespace AscendC;

constexpr int32_t BUFFER_NUM = 2;

class KernelAdd {
public:
	__aicore__ inline KernelAdd() {}
	__aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR z, uint32_t length, uint32_t tile)
	{
		blockLength = length;
		tileLength = tile;
		xGm.SetGlobalBuffer((__gm__ half *)x + length * GetBlockIdx(), length);
		yGm.SetGlobalBuffer((__gm__ half *)y + length * GetBlockIdx(), length);
		zGm.SetGlobalBuffer((__gm__ half *)z + length * GetBlockIdx(), length);
		pipe.InitBuffer(inQueueX, BUFFER_NUM, tile * sizeof(half));
		pipe.InitBuffer(inQueueY, BUFFER_NUM, tile * sizeof(half));
		pipe.InitBuffer(outQueueZ, BUFFER_NUM, tile * sizeof(half));
	}

	__aicore__ inline void Process()
	{
		for (uint32_t at = 0; at < blockLength; at += tileLength) {
			uint32_t now = blockLength - at < tileLength ? blockLength - at : tileLength;

			CopyIn(at, now);
			Compute(now);
			CopyOut(at, now);
		}
	}

private:
	__aicore__ inline void CopyIn(uint32_t at, uint32_t now)
	{
		LocalTensor<half> xLocal = inQueueX.AllocTensor<half>();
		LocalTensor<half> yLocal = inQueueY.AllocTensor<half>();

		DataCopy(xLocal, xGm[at], now);
		DataCopy(yLocal, yGm[at], now);
		inQueueX.EnQue(xLocal);
		inQueueY.EnQue(yLocal);
	}

	__aicore__ inline void Compute(uint32_t now)
	{
		LocalTensor<half> xLocal = inQueueX.DeQue<half>();
		LocalTensor<half> yLocal = inQueueY.DeQue<half>();
		LocalTensor<half> zLocal = outQueueZ.AllocTensor<half>();

		Add(zLocal, xLocal, yLocal, now);
		outQueueZ.EnQue<half>(zLocal);
		inQueueX.FreeTensor(xLocal);
		inQueueY.FreeTensor(yLocal);
	}

	__aicore__ inline void CopyOut(uint32_t at, uint32_t now)
	{
		LocalTensor<half> zLocal = outQueueZ.DeQue<half>();

		DataCopy(zGm[at], zLocal, now);
		outQueueZ.FreeTensor(zLocal);
	}

	TPipe pipe;
	TQue<QuePosition::VECIN, BUFFER_NUM> inQueueX, inQueueY;
	TQue<QuePosition::VECOUT, BUFFER_NUM> outQueueZ;
	GlobalTensor<half> xGm, yGm, zGm;
	uint32_t blockLength, tileLength;
};

extern "C" __global__ __aicore__ void add_custom(GM_ADDR x, GM_ADDR y, GM_ADDR z, uint32_t length, uint32_t tile)
{
	KernelAdd op;

	op.Init(x, y, z, length, tile);
	op.Process();
}
