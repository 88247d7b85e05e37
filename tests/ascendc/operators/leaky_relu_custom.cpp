// SPDX-License-Identifier: MIT
/* y = x > 0 ? x : x * slope for float, of any length; the host says by tiling data how it is divided. */
#include "kernel_operator.h"

struct LeakyReluTiling {
	uint32_t total;
	uint32_t tile;
	float slope;
};

class LeakyRelu {
public:
	__aicore__ inline LeakyRelu(AscendC::TPipe *pipe, GM_ADDR x, GM_ADDR y, const LeakyReluTiling &tiling)
		: tiling(tiling)
	{
		uint32_t share = AscendC::DivCeil(tiling.total, static_cast<uint32_t>(AscendC::GetBlockNum()));

		first = share * AscendC::GetBlockIdx();
		last = first + share < tiling.total ? first + share : tiling.total;
		xGm.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(x), tiling.total);
		yGm.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(y), tiling.total);
		pipe->InitBuffer(in, 2, tiling.tile * sizeof(float));
		pipe->InitBuffer(out, 2, tiling.tile * sizeof(float));
	}

	__aicore__ inline void Process()
	{
		for (uint32_t at = first; at < last; at += tiling.tile)
			Tile(at, last - at < tiling.tile ? last - at : tiling.tile);
	}

private:
	__aicore__ inline void Tile(uint32_t at, uint32_t n)
	{
		AscendC::DataCopyExtParams copy{1, static_cast<uint32_t>(n * sizeof(float)), 0, 0, 0};
		AscendC::DataCopyPadExtParams<float> pad{false, 0, 0, 0};
		AscendC::LocalTensor<float> x = in.AllocTensor<float>();

		AscendC::DataCopyPad(x, xGm[at], copy, pad);
		in.EnQue(x);
		x = in.DeQue<float>();
		AscendC::LocalTensor<float> y = out.AllocTensor<float>();
		AscendC::LeakyRelu(y, x, tiling.slope, n);
		in.FreeTensor(x);
		out.EnQue(y);
		y = out.DeQue<float>();
		AscendC::DataCopyPad(yGm[at], y, copy);
		out.FreeTensor(y);
	}

	LeakyReluTiling tiling;
	AscendC::TQue<AscendC::TPosition::VECIN, 1> in;
	AscendC::TQue<AscendC::TPosition::VECOUT, 1> out;
	AscendC::GlobalTensor<float> xGm, yGm;
	uint32_t first, last;
};

extern "C" __global__ __aicore__ void leaky_relu_custom(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
	REGISTER_TILING_DEFAULT(LeakyReluTiling);
	GET_TILING_DATA(data, tiling);
	AscendC::TPipe pipe;
	LeakyRelu op(&pipe, x, y, data);

	op.Process();
}
