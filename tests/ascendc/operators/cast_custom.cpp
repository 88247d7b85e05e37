// SPDX-License-Identifier: MIT
/* The cast family: one kernel for each pair of types, the rounding mode by number */
#include "kernel_operator.h"

using namespace AscendC;

template <class D, class S> __aicore__ inline void CastAll(GM_ADDR x, GM_ADDR y, uint32_t n, uint32_t mode)
{
	constexpr uint32_t TILE = 4096;
	TPipe pipe;
	TQue<TPosition::VECIN, 1> in;
	TQue<TPosition::VECOUT, 1> out;
	GlobalTensor<S> xGm;
	GlobalTensor<D> yGm;

	xGm.SetGlobalBuffer((__gm__ S *)x);
	yGm.SetGlobalBuffer((__gm__ D *)y);
	pipe.InitBuffer(in, 2, TILE * sizeof(S));
	pipe.InitBuffer(out, 2, TILE * sizeof(D));
	for (uint32_t at = GetBlockIdx() * TILE; at < n; at += GetBlockNum() * TILE) {
		uint32_t now = n - at < TILE ? n - at : TILE;
		LocalTensor<S> a = in.AllocTensor<S>();

		DataCopyPad(a, xGm[at], DataCopyExtParams{1, static_cast<uint32_t>(now * sizeof(S)), 0, 0, 0},
			    DataCopyPadExtParams<S>{false, 0, 0, S(0)});
		in.EnQue(a);
		a = in.DeQue<S>();
		LocalTensor<D> b = out.AllocTensor<D>();
		Cast(b, a, static_cast<RoundMode>(mode), now);
		in.FreeTensor(a);
		out.EnQue(b);
		b = out.DeQue<D>();
		DataCopyPad(yGm[at], b, DataCopyExtParams{1, static_cast<uint32_t>(now * sizeof(D)), 0, 0, 0});
		out.FreeTensor(b);
	}
}

#define CAST_KERNEL(name, D, S) \
	extern "C" __global__ __aicore__ void name(GM_ADDR x, GM_ADDR y, uint32_t n, uint32_t mode) \
	{ \
		CastAll<D, S>(x, y, n, mode); \
	}
CAST_KERNEL(cast_f32_f16, half, float)
CAST_KERNEL(cast_f32_s32, int32_t, float)
CAST_KERNEL(cast_f32_s16, int16_t, float)
CAST_KERNEL(cast_f16_s8, int8_t, half)
CAST_KERNEL(cast_s32_f32, float, int32_t)
CAST_KERNEL(cast_u8_f16, half, uint8_t)
CAST_KERNEL(cast_f16_f32, float, half)
