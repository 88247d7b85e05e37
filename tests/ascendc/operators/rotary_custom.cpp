// SPDX-License-Identifier: MIT
/*
 * Rotary position embedding: y = x * cos + (-second half of x, first half of x) * sin, for rows of dim floats; 16 divides dim, which is at
 * most 128. Several rows at a time: an instruction goes from row to row by its repeats.
 */
#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void rotary_custom(GM_ADDR x, GM_ADDR cos, GM_ADDR sin, GM_ADDR y, uint32_t rows, uint32_t dim)
{
	constexpr uint32_t TILE = 4096;
	TPipe pipe;
	TQue<TPosition::VECIN, 1> in;
	TQue<TPosition::VECOUT, 1> out;
	TBuf<TPosition::VECCALC> turned;
	GlobalTensor<float> xGm, cosGm, sinGm, yGm;
	uint32_t half_dim = dim / 2, step = TILE / dim;
	uint8_t pitch = dim / 8;

	xGm.SetGlobalBuffer((__gm__ float *)x);
	cosGm.SetGlobalBuffer((__gm__ float *)cos);
	sinGm.SetGlobalBuffer((__gm__ float *)sin);
	yGm.SetGlobalBuffer((__gm__ float *)y);
	pipe.InitBuffer(in, 2, 3 * TILE * sizeof(float));
	pipe.InitBuffer(out, 2, TILE * sizeof(float));
	pipe.InitBuffer(turned, TILE * sizeof(float));
	step = step > 255 ? 255 : step;
	for (uint32_t row = GetBlockIdx() * step; row < rows; row += GetBlockNum() * step) {
		uint32_t now = rows - row < step ? rows - row : step, n = now * dim;
		LocalTensor<float> a = in.AllocTensor<float>(), t = turned.Get<float>();

		DataCopy(a, xGm[row * dim], n);
		DataCopy(a[TILE], cosGm[row * dim], n);
		DataCopy(a[2 * TILE], sinGm[row * dim], n);
		in.EnQue(a);
		a = in.DeQue<float>();
		LocalTensor<float> b = out.AllocTensor<float>();
		Muls(t, a[half_dim], -1.0f, half_dim, now, {1, 1, pitch, pitch});
		Adds(t[half_dim], a, 0.0f, half_dim, now, {1, 1, pitch, pitch});
		PipeBarrier<PIPE_V>();
		Mul(t, t, a[2 * TILE], n);
		Mul(b, a, a[TILE], n);
		PipeBarrier<PIPE_V>();
		Add(b, b, t, n);
		in.FreeTensor(a);
		out.EnQue(b);
		b = out.DeQue<float>();
		DataCopy(yGm[row * dim], b, n);
		out.FreeTensor(b);
	}
}
