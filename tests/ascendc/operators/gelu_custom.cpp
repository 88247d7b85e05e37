// SPDX-License-Identifier: MIT
/* y = x / (1 + exp(-1.5957691 * (x + 0.044715 * x^3))) for half, computed in float. */
#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void gelu_custom(GM_ADDR x, GM_ADDR y, uint32_t n)
{
	constexpr uint32_t tile = 4096;
	TPipe pipe;
	TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> through;
	TBuf<> tmp;
	GlobalTensor<half> xGm, yGm;

	xGm.SetGlobalBuffer((__gm__ half *)x, n);
	yGm.SetGlobalBuffer((__gm__ half *)y, n);
	pipe.InitBuffer(through, 2, tile * sizeof(half));
	pipe.InitBuffer(tmp, 2 * tile * sizeof(float));
	for (uint32_t at = GetBlockIdx() * tile; at < n; at += GetBlockNum() * tile) {
		uint32_t now = n - at < tile ? n - at : tile;
		LocalTensor<half> data = through.AllocTensor<half>();
		LocalTensor<float> a = tmp.Get<float>(tile), b = tmp.GetWithOffset<float>(tile, tile * sizeof(float));

		DataCopyPad(data, xGm[at], {1, uint32_t(now * sizeof(half)), 0, 0, 0}, {true, 0, 0, half(0)});
		SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
		WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
		Cast(a, data, RoundMode::CAST_NONE, now);
		Mul(b, a, a, now);
		Muls(b, b, 0.044715f, now);
		Adds(b, b, 1.0f, now);
		Mul(b, b, a, now);
		Muls(b, b, -1.5957691f, now);
		Exp(b, b, now);
		Adds(b, b, 1.0f, now);
		Div(a, a, b, now);
		Cast(data, a, RoundMode::CAST_RINT, now);
		SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
		WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
		through.EnQue(data);
		data = through.DeQue<half>();
		DataCopyPad(yGm[at], data, DataCopyExtParams(1, now * sizeof(half), 0, 0, 0));
		through.FreeTensor(data);
	}
}
