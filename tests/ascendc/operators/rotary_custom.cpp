// SPDX-License-Identifier: MIT
/* Rotary position embedding: y = x * cos + (-second half of x, first half of x) * sin, for rows of dim floats; 16 divides dim. */
#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void rotary_custom(GM_ADDR x, GM_ADDR cos, GM_ADDR sin, GM_ADDR y, uint32_t rows, uint32_t dim)
{
	TPipe pipe;
	TQue<TPosition::VECIN, 1> in;
	TQue<TPosition::VECOUT, 1> out;
	TBuf<TPosition::VECCALC> turned;
	GlobalTensor<float> xGm, cosGm, sinGm, yGm;
	uint32_t half_dim = dim / 2;

	xGm.SetGlobalBuffer((__gm__ float *)x);
	cosGm.SetGlobalBuffer((__gm__ float *)cos);
	sinGm.SetGlobalBuffer((__gm__ float *)sin);
	yGm.SetGlobalBuffer((__gm__ float *)y);
	pipe.InitBuffer(in, 2, 3 * dim * sizeof(float));
	pipe.InitBuffer(out, 2, dim * sizeof(float));
	pipe.InitBuffer(turned, dim * sizeof(float));
	for (uint32_t row = GetBlockIdx(); row < rows; row += GetBlockNum()) {
		LocalTensor<float> a = in.AllocTensor<float>(), t = turned.Get<float>();

		DataCopy(a, xGm[row * dim], dim);
		DataCopy(a[dim], cosGm[row * dim], dim);
		DataCopy(a[2 * dim], sinGm[row * dim], dim);
		in.EnQue(a);
		a = in.DeQue<float>();
		LocalTensor<float> b = out.AllocTensor<float>();
		Muls(t, a[half_dim], -1.0f, half_dim);
		Adds(t[half_dim], a, 0.0f, half_dim);
		PipeBarrier<PIPE_V>();
		Mul(t, t, a[2 * dim], dim);
		Mul(b, a, a[dim], dim);
		PipeBarrier<PIPE_V>();
		Add(b, b, t, dim);
		in.FreeTensor(a);
		out.EnQue(b);
		b = out.DeQue<float>();
		DataCopy(yGm[row * dim], b, dim);
		out.FreeTensor(b);
	}
}
