// SPDX-License-Identifier: MIT
/* The kernel of ScaleAddCustom; its tiling data comes from op_host. */
#include "kernel_operator.h"

using namespace AscendC;

template <class T> class ScaleAdd {
public:
	__aicore__ inline void Init(GM_ADDR x, GM_ADDR bias, GM_ADDR y, const ScaleAddCustomTilingData &data)
	{
		total = data.part.total;
		tile = data.tile;
		scale = data.scale;
		hasBias = data.part.hasBias;
		xGm.SetGlobalBuffer((__gm__ T *)x, total);
		biasGm.SetGlobalBuffer((__gm__ T *)bias, total);
		yGm.SetGlobalBuffer((__gm__ T *)y, total);
		pipe.InitBuffer(in, 1, tile * sizeof(T));
		pipe.InitBuffer(extra, 1, tile * sizeof(T));
		pipe.InitBuffer(out, 1, tile * sizeof(T));
	}

	__aicore__ inline void Process()
	{
		for (uint64_t at = GetBlockIdx() * tile; at < total; at += GetBlockNum() * tile) {
			uint32_t now = total - at < tile ? total - at : tile;
			DataCopyExtParams copy{1, static_cast<uint32_t>(now * sizeof(T)), 0, 0, 0};
			DataCopyPadExtParams<T> pad{false, 0, 0, T(0)};
			LocalTensor<T> a = in.template AllocTensor<T>();

			DataCopyPad(a, xGm[at], copy, pad);
			in.EnQue(a);
			a = in.template DeQue<T>();
			LocalTensor<T> b = out.template AllocTensor<T>();
			Muls(b, a, T(scale), now);
			in.FreeTensor(a);
			if (hasBias) {
				LocalTensor<T> c = extra.template AllocTensor<T>();

				DataCopyPad(c, biasGm[at], copy, pad);
				extra.EnQue(c);
				c = extra.template DeQue<T>();
				Add(b, b, c, now);
				extra.FreeTensor(c);
			}
			out.EnQue(b);
			b = out.template DeQue<T>();
			DataCopyPad(yGm[at], b, copy);
			out.FreeTensor(b);
		}
	}

private:
	TPipe pipe;
	TQue<QuePosition::VECIN, 1> in, extra;
	TQue<QuePosition::VECOUT, 1> out;
	GlobalTensor<T> xGm, biasGm, yGm;
	uint64_t total;
	uint32_t tile;
	float scale;
	bool hasBias;
};

extern "C" __global__ __aicore__ void scale_add_custom(GM_ADDR x, GM_ADDR bias, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
	GET_TILING_DATA_WITH_STRUCT(ScaleAddCustomTilingData, data, tiling);
	if (data.shifts[2] != 3 || data.last != (__NPU_ARCH__ == 3510 ? 35 : 7))
		return;
	if (TILING_KEY_IS(1)) {
		ScaleAdd<float> op;
		op.Init(x, bias, y, data);
		op.Process();
	} else if (TILING_KEY_IS(2)) {
		ScaleAdd<DTYPE_X> op;
		op.Init(x, bias, y, data);
		op.Process();
	}
}
