// SPDX-License-Identifier: MIT
/* y = x / sqrt(mean of squares + 1e-5) * gamma for rows of half, by RmsNorm() with working memory of its own */
#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void rms_norm_custom(GM_ADDR x, GM_ADDR gamma, GM_ADDR y, uint32_t rows, uint32_t cols)
{
	TPipe pipe;
	TQue<TPosition::VECIN, 1> in;
	TQue<TPosition::VECOUT, 1> out;
	TBuf<TPosition::VECCALC> scale, work;
	GlobalTensor<half> xGm, gammaGm, yGm;
	uint32_t width = AlignUp(cols, 16);
	DataCopyExtParams copy{1, static_cast<uint32_t>(cols * sizeof(half)), 0, 0, 0};
	DataCopyPadExtParams<half> pad{false, 0, 0, half(0)};
	RmsNormTiling tiling = {};

	xGm.SetGlobalBuffer((__gm__ half *)x);
	gammaGm.SetGlobalBuffer((__gm__ half *)gamma);
	yGm.SetGlobalBuffer((__gm__ half *)y);
	pipe.InitBuffer(in, 2, width * sizeof(half));
	pipe.InitBuffer(out, 2, width * sizeof(half));
	pipe.InitBuffer(scale, width * sizeof(half));
	pipe.InitBuffer(work, (2 * width + 8) * sizeof(float));
	tiling.bLength = 1;
	tiling.sLength = 1;
	tiling.hLength = width;
	tiling.originalHLength = cols;

	LocalTensor<half> g = scale.Get<half>();
	TEventID loaded = pipe.FetchEventID(HardEvent::MTE2_V);

	DataCopyPad(g, gammaGm, copy, pad);
	SetFlag<HardEvent::MTE2_V>(loaded);
	WaitFlag<HardEvent::MTE2_V>(loaded);
	for (uint32_t row = GetBlockIdx(); row < rows; row += GetBlockNum()) {
		LocalTensor<half> a = in.AllocTensor<half>();

		DataCopyPad(a, xGm[row * cols], copy, pad);
		in.EnQue(a);
		a = in.DeQue<half>();
		LocalTensor<half> b = out.AllocTensor<half>();
		RmsNorm(b, a, g, work.Get<uint8_t>(), half(1e-5f), tiling);
		in.FreeTensor(a);
		out.EnQue(b);
		b = out.DeQue<half>();
		DataCopyPad(yGm[row * cols], b, copy);
		out.FreeTensor(b);
	}
}
