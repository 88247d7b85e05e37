// SPDX-License-Identifier: MIT
/* Drop-out with a mask of bits: y = bit ? x / keep : 0 */
#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void dropout_custom(GM_ADDR x, GM_ADDR mask, GM_ADDR y, uint32_t n, float keep)
{
	constexpr uint32_t TILE = 4096;
	TPipe pipe;
	TQue<TPosition::VECIN, 1> in, bits;
	TQue<TPosition::VECOUT, 1> out;
	GlobalTensor<float> xGm, yGm;
	GlobalTensor<uint8_t> maskGm;

	xGm.SetGlobalBuffer((__gm__ float *)x);
	yGm.SetGlobalBuffer((__gm__ float *)y);
	maskGm.SetGlobalBuffer((__gm__ uint8_t *)mask);
	pipe.InitBuffer(in, 2, TILE * sizeof(float));
	pipe.InitBuffer(bits, 2, TILE / 8);
	pipe.InitBuffer(out, 2, TILE * sizeof(float));
	for (uint32_t at = GetBlockIdx() * TILE; at < n; at += GetBlockNum() * TILE) {
		uint32_t now = n - at < TILE ? n - at : TILE;
		DataCopyExtParams copy{1, static_cast<uint32_t>(now * sizeof(float)), 0, 0, 0};
		LocalTensor<float> a = in.AllocTensor<float>();
		LocalTensor<uint8_t> m = bits.AllocTensor<uint8_t>();

		DataCopyPad(a, xGm[at], copy, {false, 0, 0, 0});
		DataCopyPad(m, maskGm[at / 8], DataCopyExtParams{1, (now + 7) / 8, 0, 0, 0}, DataCopyPadExtParams<uint8_t>{false, 0, 0, 0});
		in.EnQue(a);
		bits.EnQue(m);
		a = in.DeQue<float>();
		m = bits.DeQue<uint8_t>();
		LocalTensor<float> b = out.AllocTensor<float>();
		DropOut<float, false, DROPOUT_MODE_BIT_ALIGN>(b, a, m, keep, DropOutShapeInfo{1, now, (now + 7) / 8});
		in.FreeTensor(a);
		bits.FreeTensor(m);
		out.EnQue(b);
		b = out.DeQue<float>();
		DataCopyPad(yGm[at], b, copy);
		out.FreeTensor(b);
	}
}
