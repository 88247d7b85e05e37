// SPDX-License-Identifier: MIT
/* Rows of float: y = exp(x - max) / sum; a row of any length up to 4096, a row at a time. */
#include "kernel_operator.h"

using namespace AscendC;

class Softmax {
public:
	__aicore__ inline void Init(GM_ADDR x, GM_ADDR y, uint32_t rows, uint32_t cols)
	{
		this->rows = rows;
		this->cols = cols;
		xGm.SetGlobalBuffer((__gm__ float *)x);
		yGm.SetGlobalBuffer((__gm__ float *)y);
		pipe.InitBuffer(in, 2, cols * sizeof(float));
		pipe.InitBuffer(out, 2, cols * sizeof(float));
		pipe.InitBuffer(work, cols * sizeof(float));
		pipe.InitBuffer(result, 32);
	}

	__aicore__ inline void Process()
	{
		for (uint32_t row = GetBlockIdx(); row < rows; row += GetBlockNum()) {
			CopyIn(row);
			Compute();
			CopyOut(row);
		}
	}

private:
	__aicore__ inline void CopyIn(uint32_t row)
	{
		LocalTensor<float> x = in.AllocTensor<float>();

		DataCopyPad(x, xGm[uint64_t(row) * cols], {1, uint32_t(cols * sizeof(float)), 0, 0, 0},
			    DataCopyPadExtParams<float>{false, 0, 0, 0});
		in.EnQue(x);
	}

	/* the value that a reduction left in the first element */
	__aicore__ inline float First(const LocalTensor<float> &tensor)
	{
		event_t done = static_cast<event_t>(GetTPipePtr()->FetchEventID(HardEvent::V_S));

		SetFlag<HardEvent::V_S>(done);
		WaitFlag<HardEvent::V_S>(done);
		float value = tensor.GetValue(0);
		event_t back = static_cast<event_t>(GetTPipePtr()->FetchEventID(HardEvent::S_V));

		SetFlag<HardEvent::S_V>(back);
		WaitFlag<HardEvent::S_V>(back);
		return value;
	}

	__aicore__ inline void Compute()
	{
		LocalTensor<float> x = in.DeQue<float>(), y = out.AllocTensor<float>();
		LocalTensor<float> w = work.Get<float>(), r = result.Get<float>();

		ReduceMax<float>(r, x, w, cols);
		Adds(y, x, -First(r), cols);
		PipeBarrier<PIPE_V>();
		Exp(y, y, cols);
		PipeBarrier<PIPE_V>();
		ReduceSum<float>(r, y, w, cols);
		Muls(y, y, 1.0f / First(r), cols);
		in.FreeTensor(x);
		out.EnQue(y);
	}

	__aicore__ inline void CopyOut(uint32_t row)
	{
		LocalTensor<float> y = out.DeQue<float>();

		DataCopyPad(yGm[uint64_t(row) * cols], y, DataCopyExtParams(1, cols * sizeof(float), 0, 0, 0));
		out.FreeTensor(y);
	}

	TPipe pipe;
	TQue<TPosition::VECIN, 2> in;
	TQue<TPosition::VECOUT, 2> out;
	TBuf<TPosition::VECCALC> work, result;
	GlobalTensor<float> xGm, yGm;
	uint32_t rows, cols;
};

extern "C" __global__ __aicore__ void softmax_custom(GM_ADDR x, GM_ADDR y, uint32_t rows, uint32_t cols)
{
	Softmax op;

	op.Init(x, y, rows, cols);
	op.Process();
}
