// SPDX-License-Identifier: MIT
/* One step of Adam in place: m and v are the moments, p the parameters; the corrections 1 / (1 - beta^t) come from the host. */
#include "kernel_operator.h"

using namespace AscendC;

struct AdamTiling {
	uint32_t n;
	float rate, beta1, beta2, epsilon, correct1, correct2;
};

extern "C" __global__ __aicore__ void adam_custom(GM_ADDR g, GM_ADDR m, GM_ADDR v, GM_ADDR p, GM_ADDR workspace, GM_ADDR tiling)
{
	constexpr uint32_t TILE = 3072;
	GET_TILING_DATA_WITH_STRUCT(AdamTiling, t, tiling);
	TPipe pipe;
	TQue<TPosition::VECIN, 1> in;
	TQue<TPosition::VECOUT, 1> out;
	GlobalTensor<float> gm[4];

	gm[0].SetGlobalBuffer((__gm__ float *)g);
	gm[1].SetGlobalBuffer((__gm__ float *)m);
	gm[2].SetGlobalBuffer((__gm__ float *)v);
	gm[3].SetGlobalBuffer((__gm__ float *)p);
	pipe.InitBuffer(in, 2, 4 * TILE * sizeof(float));
	pipe.InitBuffer(out, 2, 3 * TILE * sizeof(float));
	for (uint32_t at = GetBlockIdx() * TILE; at < t.n; at += GetBlockNum() * TILE) {
		uint32_t now = t.n - at < TILE ? t.n - at : TILE;
		DataCopyExtParams copy{1, static_cast<uint32_t>(now * sizeof(float)), 0, 0, 0};
		LocalTensor<float> a = in.AllocTensor<float>();

		for (uint32_t i = 0; i < 4; i++)
			DataCopyPad(a[i * TILE], gm[i][at], copy, {false, 0, 0, 0});
		in.EnQue(a);
		a = in.DeQue<float>();
		LocalTensor<float> b = out.AllocTensor<float>(), grad = a, mean = b, square = b[TILE], param = b[2 * TILE];
		Muls(mean, a[TILE], t.beta1, now);
		Axpy(mean, grad, 1.0f - t.beta1, now);
		Mul(grad, grad, grad, now);
		Muls(square, a[2 * TILE], t.beta2, now);
		Axpy(square, grad, 1.0f - t.beta2, now);
		Muls(grad, square, t.correct2, now);
		Sqrt(grad, grad, now);
		Adds(grad, grad, t.epsilon, now);
		Muls(param, mean, t.correct1 * t.rate, now);
		Div(param, param, grad, now);
		Sub(param, a[3 * TILE], param, now);
		in.FreeTensor(a);
		out.EnQue(b);
		b = out.DeQue<float>();
		for (uint32_t i = 0; i < 3; i++)
			DataCopyPad(gm[i + 1][at], b[i * TILE], copy);
		out.FreeTensor(b);
	}
}
