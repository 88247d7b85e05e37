// SPDX-License-Identifier: MIT
/* z = x * factor + y in half, by blocks; the factor is a structure's that is passed by value */
#include "kernel_operator.h"
#include "scale.h"

using namespace AscendC;

class KernelAdd {
public:
	__aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR z, uint32_t n)
	{
		part = n / GetBlockNum();
		xGm.SetGlobalBuffer((__gm__ half *)x + part * GetBlockIdx(), part);
		yGm.SetGlobalBuffer((__gm__ half *)y + part * GetBlockIdx(), part);
		zGm.SetGlobalBuffer((__gm__ half *)z + part * GetBlockIdx(), part);
		pipe.InitBuffer(xIn, 2, part * sizeof(half));
		pipe.InitBuffer(yIn, 2, part * sizeof(half));
		pipe.InitBuffer(zOut, 2, part * sizeof(half));
	}
	__aicore__ inline void Process(float factor)
	{
		LocalTensor<half> x = xIn.AllocTensor<half>(), y = yIn.AllocTensor<half>();

		DataCopy(x, xGm, part);
		DataCopy(y, yGm, part);
		xIn.EnQue(x);
		yIn.EnQue(y);
		x = xIn.DeQue<half>();
		y = yIn.DeQue<half>();
		LocalTensor<half> z = zOut.AllocTensor<half>();

		Muls(z, x, static_cast<half>(factor), part);
		Add(z, z, y, part);
		xIn.FreeTensor(x);
		yIn.FreeTensor(y);
		zOut.EnQue(z);
		z = zOut.DeQue<half>();
		DataCopy(zGm, z, part);
		zOut.FreeTensor(z);
	}

private:
	TPipe pipe;
	TQue<QuePosition::VECIN, 2> xIn, yIn;
	TQue<QuePosition::VECOUT, 2> zOut;
	GlobalTensor<half> xGm, yGm, zGm;
	uint32_t part;
};

extern "C" __global__ __aicore__ void add_custom(GM_ADDR x, GM_ADDR y, GM_ADDR z, ScaleTiling tiling)
{
	KernelAdd op;

	op.Init(x, y, z, tiling.n);
	op.Process(tiling.factor);
}

#ifndef ASCENDC_CPU_DEBUG
void add_custom_do(uint32_t blocks, void *stream, uint8_t *x, uint8_t *y, uint8_t *z, ScaleTiling tiling)
{
	add_custom<<<blocks, nullptr, stream>>>(x, y, z, tiling);
}
#endif
