// SPDX-License-Identifier: MIT
/* The k greatest of up to 1024 numbers and their places: Sort32, then MrgSort of four lists at a time. */
#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void topk_custom(GM_ADDR x, GM_ADDR values, GM_ADDR places, uint32_t n, uint32_t k)
{
	constexpr uint32_t most = 1024;
	TPipe pipe;
	TQue<TPosition::VECIN, 1> in;
	TQue<TPosition::VECOUT, 1> out;
	TBuf<TPosition::VECCALC> buffer;
	GlobalTensor<float> xGm, valuesGm;
	GlobalTensor<uint32_t> placesGm;

	xGm.SetGlobalBuffer((__gm__ float *)x, n);
	valuesGm.SetGlobalBuffer((__gm__ float *)values, k);
	placesGm.SetGlobalBuffer((__gm__ uint32_t *)places, k);
	pipe.InitBuffer(in, 1, most * sizeof(float));
	pipe.InitBuffer(out, 1, 2 * most * sizeof(float));
	pipe.InitBuffer(buffer, 5 * most * sizeof(float));
	LocalTensor<float> x32 = in.AllocTensor<float>();
	LocalTensor<float> a = buffer.Get<float>(2 * most), b = buffer.GetWithOffset<float>(2 * most, 2 * most * 4);
	LocalTensor<int32_t> index = buffer.GetWithOffset<int32_t>(most, 4 * most * 4);
	/* what is not there is smaller than everything */
	Duplicate(x32, -3.0e38f, most);
	SetFlag<HardEvent::V_MTE2>(EVENT_ID1);
	WaitFlag<HardEvent::V_MTE2>(EVENT_ID1);
	DataCopyPad(x32, xGm, {1, uint32_t(n * sizeof(float)), 0, 0, 0}, {true, 0, uint8_t(-n % 8), -3.0e38f});
	in.EnQue(x32);
	x32 = in.DeQue<float>();
	CreateVecIndex(index, 0, most);
	PipeBarrier<PIPE_V>();
	Sort32(a, x32, index.ReinterpretCast<uint32_t>(), most / 32);
	in.FreeTensor(x32);
	for (uint16_t run = 32; run < most; run *= 4) {
		const uint16_t lengths[4] = {run, run, run, run};
		bool whole = run * 4 <= int(most);

		PipeBarrier<PIPE_V>();
		for (uint32_t at = 0; at < most; at += run * 4)
			MrgSort<float>(b[at * 2], {a[at * 2], a[(at + run) * 2], a[(at + (whole ? 2 : 0) * run) * 2],
					 a[(at + (whole ? 3 : 0) * run) * 2]},
				       MrgSort4Info(lengths, false, whole ? 15 : 3, 1));
		LocalTensor<float> swap = a;

		a = b;
		b = swap;
	}
	LocalTensor<float> result = out.AllocTensor<float>();
	PipeBarrier<PIPE_V>();
	Extract(result, result[most].ReinterpretCast<uint32_t>(), a, most / 32);
	out.EnQue(result);
	result = out.DeQue<float>();
	DataCopyPad(valuesGm, result, DataCopyExtParams(1, k * sizeof(float), 0, 0, 0));
	DataCopyPad(placesGm, result[most].ReinterpretCast<uint32_t>(), DataCopyExtParams(1, k * sizeof(float), 0, 0, 0));
	out.FreeTensor(result);
}
