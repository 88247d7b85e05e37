// SPDX-License-Identifier: MIT
/* Rows of float: y = (x - mean) / sqrt(variance + epsilon) * gamma + beta. */
#include "kernel_operator.h"

using namespace AscendC;

struct LayerNormShape {
	uint32_t rows, cols;
	float epsilon;
};

template <class T> class LayerNormKernel {
public:
	__aicore__ inline LayerNormKernel(GM_ADDR x, GM_ADDR gamma, GM_ADDR beta, GM_ADDR y, GM_ADDR shape)
	{
		GET_TILING_DATA_WITH_STRUCT(LayerNormShape, data, shape);
		this->shape = data;
		xGm.SetGlobalBuffer((__gm__ T *)x);
		yGm.SetGlobalBuffer((__gm__ T *)y);
		gammaGm.SetGlobalBuffer((__gm__ T *)gamma);
		betaGm.SetGlobalBuffer((__gm__ T *)beta);
		pipe.InitBuffer(in, 2, data.cols * sizeof(T));
		pipe.InitBuffer(out, 2, data.cols * sizeof(T));
		pipe.InitBuffer(weights, 1, 2 * AlignUp(data.cols * sizeof(T), 32));
		pipe.InitBuffer(work, AlignUp(data.cols * sizeof(T), 32) + 32);
	}

	__aicore__ inline void Process()
	{
		uint32_t n = shape.cols, wide = AlignUp(n * sizeof(T), 32) / sizeof(T);
		LocalTensor<T> both = weights.AllocTensor<T>();

		Load(both, gammaGm, n);
		Load(both[wide], betaGm, n);
		weights.EnQue(both);
		both = weights.DeQue<T>();
		for (uint32_t row = GetBlockIdx(); row < shape.rows; row += GetBlockNum()) {
			LocalTensor<T> x = in.AllocTensor<T>();

			Load(x, xGm[row * n], n);
			in.EnQue(x);
			x = in.DeQue<T>();
			LocalTensor<T> y = out.AllocTensor<T>(), w = work.Get<T>(), r = work.Get<T>()[wide];
			ReduceSum<T>(r, x, w, n);
			Adds(x, x, -First(r) / n, n);
			PipeBarrier<PIPE_V>();
			Mul(w, x, x, n);
			PipeBarrier<PIPE_V>();
			ReduceSum<T>(r, w, w, n);
			Muls(x, x, 1 / sqrt(First(r) / n + shape.epsilon), n);
			PipeBarrier<PIPE_V>();
			Mul(y, x, both, n);
			PipeBarrier<PIPE_V>();
			y.SetSize(n);
			y = y + both[wide];
			in.FreeTensor(x);
			out.EnQue(y);
			y = out.DeQue<T>();
			DataCopyPad(yGm[row * n], y, DataCopyParams(1, n * sizeof(T), 0, 0));
			out.FreeTensor(y);
		}
		weights.FreeTensor(both);
	}

private:
	__aicore__ inline void Load(const LocalTensor<T> &to, const GlobalTensor<T> &from, uint32_t n)
	{
		DataCopyPad(to, from, DataCopyParams(1, n * sizeof(T), 0, 0), DataCopyPadParams(false, 0, 0, 0));
	}

	__aicore__ inline T First(const LocalTensor<T> &tensor)
	{
		set_flag(PIPE_V, PIPE_S, EVENT_ID0);
		wait_flag(PIPE_V, PIPE_S, EVENT_ID0);
		return tensor.GetValue(0);
	}

	TPipe pipe;
	TQue<QuePosition::VECIN, 2> in;
	TQue<QuePosition::VECIN, 1> weights;
	TQue<QuePosition::VECOUT, 2> out;
	TBuf<QuePosition::VECCALC> work;
	GlobalTensor<T> xGm, yGm, gammaGm, betaGm;
	LayerNormShape shape;
};

extern "C" __global__ __aicore__ void layer_norm_custom(GM_ADDR x, GM_ADDR gamma, GM_ADDR beta, GM_ADDR y,
							GM_ADDR workspace, GM_ADDR tiling)
{
	LayerNormKernel<float> op(x, gamma, beta, y, tiling);

	op.Process();
}
