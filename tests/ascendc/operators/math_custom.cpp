// SPDX-License-Identifier: MIT
/* Functions of elements of the high-level API, one by number, in float and half: the results are compared on the host. */
#include "kernel_operator.h"

using namespace AscendC;

constexpr uint32_t TILE = 1200;

template <class T> class Math {
public:
	__aicore__ inline Math(TPipe &pipe, GM_ADDR x, GM_ADDR y, GM_ADDR z, uint32_t n)
	{
		xGm.SetGlobalBuffer((__gm__ T *)x, n);
		yGm.SetGlobalBuffer((__gm__ T *)y, n);
		zGm.SetGlobalBuffer((__gm__ T *)z, n);
		pipe.InitBuffer(queueX, 1, TILE * sizeof(T));
		pipe.InitBuffer(queueY, 1, TILE * sizeof(T));
		pipe.InitBuffer(queueZ, 1, TILE * sizeof(T));
		total = n;
	}

	__aicore__ inline void Process(uint32_t which)
	{
		for (uint32_t at = GetBlockIdx() * TILE; at < total; at += GetBlockNum() * TILE) {
			uint32_t now = total - at < TILE ? total - at : TILE;
			DataCopyExtParams copy{1, static_cast<uint32_t>(now * sizeof(T)), 0, 0, 0};
			DataCopyPadExtParams<T> pad{false, 0, 0, T(0)};
			LocalTensor<T> x = queueX.template AllocTensor<T>(), y = queueY.template AllocTensor<T>();

			DataCopyPad(x, xGm[at], copy, pad);
			DataCopyPad(y, yGm[at], copy, pad);
			queueX.EnQue(x);
			queueY.EnQue(y);
			x = queueX.template DeQue<T>();
			y = queueY.template DeQue<T>();
			LocalTensor<T> z = queueZ.template AllocTensor<T>();
			Compute(z, x, y, which, now);
			queueX.FreeTensor(x);
			queueY.FreeTensor(y);
			queueZ.EnQue(z);
			z = queueZ.template DeQue<T>();
			DataCopyPad(zGm[at], z, copy);
			queueZ.FreeTensor(z);
		}
	}

private:
	__aicore__ inline void Compute(LocalTensor<T> &z, LocalTensor<T> &x, LocalTensor<T> &y, uint32_t which, uint32_t n)
	{
		switch (which) {
		case 0: Atan(z, x, n); break;
		case 1: Asin(z, x, n); break;
		case 2: Acos(z, x, n); break;
		case 3: Sinh(z, x, n); break;
		case 4: Cosh(z, x, n); break;
		case 5: Asinh(z, x, n); break;
		case 6: Acosh(z, x, n); break;
		case 7: Atanh(z, x, n); break;
		case 8: Erfc(z, x, n); break;
		case 9: Lgamma(z, x, n); break;
		case 10: Digamma(z, x, n); break;
		case 11: Power(z, x, y, n); break;
		case 12: Power(z, x, T(2.5f), n); break;
		case 13: Power(z, T(1.5f), x, n); break;
		case 14: Sign(z, x, n); break;
		case 15: FasterGelu(z, x, n); break;
		case 16: FasterGeluV2(z, x, n); break;
		case 17: Gelu(z, x, n); break;
		case 18: GeGLU(z, x, y, n); break;
		case 19: ReGlu(z, x, y, n); break;
		case 20: SwiGLU(z, x, y, 1.5f, n); break;
		case 21: Swish(z, x, n, T(0.5f)); break;
		case 22: Silu(z, x, n); break;
		case 23: Sigmoid(z, x, n); break;
		case 24: Tan(z, x, n); break;
		case 25: Fmod(z, x, y, n); break;
		case 26: Log2(z, x, n); break;
		case 27: Log10(z, x, n); break;
		case 28: Frac(z, x, n); break;
		case 29: Round(z, x, n); break;
		case 30: Rint(z, x, n); break;
		case 31: Exp<T, 0>(z, x, n); break;
		case 32: Tanh(z, x, n); break;
		case 33: Erf(z, x, n); break;
		default: Log(z, x, n);
		}
	}

	TQue<TPosition::VECIN, 1> queueX, queueY;
	TQue<TPosition::VECOUT, 1> queueZ;
	GlobalTensor<T> xGm, yGm, zGm;
	uint32_t total;
};

extern "C" __global__ __aicore__ void math_float(GM_ADDR x, GM_ADDR y, GM_ADDR z, uint32_t n, uint32_t which)
{
	TPipe pipe;
	Math<float> op(pipe, x, y, z, n);

	op.Process(which);
}

extern "C" __global__ __aicore__ void math_half(GM_ADDR x, GM_ADDR y, GM_ADDR z, uint32_t n, uint32_t which)
{
	TPipe pipe;
	Math<half> op(pipe, x, y, z, n);

	op.Process(which);
}
