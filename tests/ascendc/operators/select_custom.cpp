// SPDX-License-Identifier: MIT
/*
 * The smaller and the larger of two numbers each, by bits in the compare register: rows of 64 numbers, whose bits come from a tensor
 * (VSEL_CMPMASK_SPR) or from the register (GetCmpMask). The vector unit's own barriers are all the order that this needs.
 */
#include "kernel_operator.h"

using namespace AscendC;

constexpr uint32_t ROW = 64;

class Extremes {
public:
	__aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR small, GM_ADDR large, uint32_t n, TPipe *pipe)
	{
		count = n;
		xGm.SetGlobalBuffer((__gm__ float *)x, n);
		yGm.SetGlobalBuffer((__gm__ float *)y, n);
		smallGm.SetGlobalBuffer((__gm__ float *)small, n);
		largeGm.SetGlobalBuffer((__gm__ float *)large, n);
		pipe->InitBuffer(in, 2, 2 * ROW * sizeof(float));
		pipe->InitBuffer(out, 2, 2 * ROW * sizeof(float));
		pipe->InitBuffer(bits, 64);
	}

	__aicore__ inline void Process()
	{
		for (uint32_t at = GetBlockIdx() * ROW; at < count; at += GetBlockNum() * ROW)
			Row(at, count - at < ROW ? count - at : ROW);
	}

private:
	__aicore__ inline void Row(uint32_t at, uint32_t n)
	{
		DataCopyExtParams copy{1, static_cast<uint32_t>(n * sizeof(float)), 0, 0, 0};
		LocalTensor<float> xy = in.AllocTensor<float>();

		/* comparisons look at whole rows */
		Duplicate(xy, 0.0f, 2 * ROW);
		event_t filled = static_cast<event_t>(GetTPipePtr()->FetchEventID(HardEvent::V_MTE2));
		SetFlag<HardEvent::V_MTE2>(filled);
		WaitFlag<HardEvent::V_MTE2>(filled);
		DataCopyPad(xy, xGm[at], copy, {false, 0, 0, 0});
		DataCopyPad(xy[ROW], yGm[at], copy, {false, 0, 0, 0});
		in.EnQue(xy);
		xy = in.DeQue<float>();
		LocalTensor<float> both = out.AllocTensor<float>(), x = xy, y = xy[ROW];
		LocalTensor<uint8_t> less = bits.Get<uint8_t>(), more = less[32];
		Compare(less, x, y, CMPMODE::LT, n, 1, {1, 1, 1, 8, 8, 8});
		PipeBarrier<PIPE_V>();
		Select(both, less, x, y, SELMODE::VSEL_CMPMASK_SPR, n);
		/* bits of the register, which another comparison has set since */
		Compare(x, y, CMPMODE::GT, n, {1, 1, 1, 8, 8, 8});
		GetCmpMask(more);
		PipeBarrier<PIPE_V>();
		Select(both[ROW], more, x, y, SELMODE::VSEL_TENSOR_TENSOR_MODE, n);
		in.FreeTensor(xy);
		out.EnQue(both);
		both = out.DeQue<float>();
		DataCopyPad(smallGm[at], both, copy);
		DataCopyPad(largeGm[at], both[ROW], copy);
		out.FreeTensor(both);
	}

	TQue<TPosition::VECIN, 1> in;
	TQue<TPosition::VECOUT, 1> out;
	TBuf<TPosition::VECCALC> bits;
	GlobalTensor<float> xGm, yGm, smallGm, largeGm;
	uint32_t count;
};

extern "C" __global__ __aicore__ void select_custom(GM_ADDR x, GM_ADDR y, GM_ADDR small, GM_ADDR large, uint32_t n)
{
	TPipe pipe;
	Extremes op;

	op.Init(x, y, small, large, n, &pipe);
	op.Process();
}
