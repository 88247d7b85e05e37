// SPDX-License-Identifier: MIT
/* The sum of n numbers of float: every block adds its share to one place by an atomic copy. */
#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void reduce_sum_custom(GM_ADDR x, GM_ADDR sum, uint32_t n)
{
	constexpr uint32_t tile = 8192;
	TPipe pipe;
	TQue<TPosition::VECIN, 1> in;
	TBuf<TPosition::VECCALC> work, total;
	GlobalTensor<float> xGm, sumGm;
	uint32_t share = AlignUp(DivCeil(n, uint32_t(GetBlockNum())), 8u);
	uint32_t first = share * GetBlockIdx(), last = first + share < n ? first + share : n;

	xGm.SetGlobalBuffer((__gm__ float *)x, n);
	sumGm.SetGlobalBuffer((__gm__ float *)sum, 1);
	pipe.InitBuffer(in, 2, tile * sizeof(float));
	pipe.InitBuffer(work, tile * sizeof(float));
	pipe.InitBuffer(total, 64);
	LocalTensor<float> t = total.Get<float>();
	Duplicate(t, 0.0f, 16);
	for (uint32_t at = first; at < last; at += tile) {
		uint32_t now = last - at < tile ? last - at : tile;
		LocalTensor<float> x = in.AllocTensor<float>();

		DataCopyPad(x, xGm[at], {1, uint32_t(now * sizeof(float)), 0, 0, 0}, {false, 0, 0, 0});
		in.EnQue(x);
		x = in.DeQue<float>();
		ReduceSum(t[8], x, work.Get<float>(), now);
		PipeBarrier<PIPE_V>();
		Add(t, t, t[8], 1);
		in.FreeTensor(x);
	}
	event_t ready = static_cast<event_t>(pipe.AllocEventID<HardEvent::V_MTE3>());
	SetFlag<HardEvent::V_MTE3>(ready);
	WaitFlag<HardEvent::V_MTE3>(ready);
	pipe.ReleaseEventID<HardEvent::V_MTE3>(ready);
	SetAtomicAdd<float>();
	DataCopyPad(sumGm, t, DataCopyExtParams(1, sizeof(float), 0, 0, 0));
	SetAtomicNone();
}
