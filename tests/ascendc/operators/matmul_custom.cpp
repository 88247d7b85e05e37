// SPDX-License-Identifier: MIT
/* c = a * b with the basic API on the cube unit: half, float results; m, n, k are multiples of 16. */
#include "kernel_operator.h"

using namespace AscendC;

class Matmul {
public:
	__aicore__ inline void Init(GM_ADDR a, GM_ADDR b, GM_ADDR c, uint32_t m, uint32_t n, uint32_t k)
	{
		this->m = m;
		this->n = n;
		this->k = k;
		aGm.SetGlobalBuffer((__gm__ half *)a);
		bGm.SetGlobalBuffer((__gm__ half *)b);
		cGm.SetGlobalBuffer((__gm__ float *)c);
		pipe.InitBuffer(inA1, 1, m * k * sizeof(half));
		pipe.InitBuffer(inA2, 1, m * k * sizeof(half));
		pipe.InitBuffer(inB1, 1, n * k * sizeof(half));
		pipe.InitBuffer(inB2, 1, n * k * sizeof(half));
		pipe.InitBuffer(outCO1, 1, m * n * sizeof(float));
	}

	__aicore__ inline void Process()
	{
		CopyIn();
		Split();
		Compute();
		CopyOut();
	}

private:
	__aicore__ inline void ToNz(const LocalTensor<half> &to, const GlobalTensor<half> &from, uint32_t rows, uint32_t cols)
	{
		Nd2NzParams p;

		p.ndNum = 1;
		p.nValue = rows;
		p.dValue = cols;
		p.srcNdMatrixStride = 0;
		p.srcDValue = cols;
		p.dstNzC0Stride = rows;
		p.dstNzNStride = 1;
		p.dstNzMatrixStride = 0;
		DataCopy(to, from, p);
	}

	__aicore__ inline void CopyIn()
	{
		LocalTensor<half> a1 = inA1.AllocTensor<half>(), b1 = inB1.AllocTensor<half>();

		ToNz(a1, aGm, m, k);
		ToNz(b1, bGm, k, n);
		inA1.EnQue(a1);
		inB1.EnQue(b1);
	}

	__aicore__ inline void Split()
	{
		LocalTensor<half> a1 = inA1.DeQue<half>(), b1 = inB1.DeQue<half>();
		LocalTensor<half> a2 = inA2.AllocTensor<half>(), b2 = inB2.AllocTensor<half>();
		LoadData2DParams p;

		/* nZ in L1 to zZ in L0A: a row of fractals at a time */
		p.repeatTimes = k / 16;
		p.srcStride = m / 16;
		p.ifTranspose = false;
		for (uint32_t i = 0; i < m / 16; i++)
			LoadData(a2[i * 16 * k], a1[i * 256], p);
		/* and to L0B, where each fractal is transposed */
		p.repeatTimes = n / 16;
		p.srcStride = k / 16;
		p.ifTranspose = true;
		for (uint32_t i = 0; i < k / 16; i++)
			LoadData(b2[i * 16 * n], b1[i * 256], p);
		inA2.EnQue(a2);
		inB2.EnQue(b2);
		inA1.FreeTensor(a1);
		inB1.FreeTensor(b1);
	}

	__aicore__ inline void Compute()
	{
		LocalTensor<half> a2 = inA2.DeQue<half>(), b2 = inB2.DeQue<half>();
		LocalTensor<float> c = outCO1.AllocTensor<float>();
		MmadParams p;

		p.m = m;
		p.n = n;
		p.k = k;
		Mmad(c, a2, b2, p);
		outCO1.EnQue<float>(c);
		inA2.FreeTensor(a2);
		inB2.FreeTensor(b2);
	}

	__aicore__ inline void CopyOut()
	{
		LocalTensor<float> c = outCO1.DeQue<float>();
		FixpipeParamsV220 p;

		p.nSize = n;
		p.mSize = m;
		p.srcStride = m;
		p.dstStride = n;
		p.ndNum = 1;
		p.srcNdStride = 0;
		p.dstNdStride = 0;
		Fixpipe(cGm, c, p);
		outCO1.FreeTensor(c);
	}

	TPipe pipe;
	TQue<TPosition::A1, 1> inA1;
	TQue<TPosition::A2, 1> inA2;
	TQue<TPosition::B1, 1> inB1;
	TQue<TPosition::B2, 1> inB2;
	TQue<TPosition::CO1, 1> outCO1;
	GlobalTensor<half> aGm, bGm;
	GlobalTensor<float> cGm;
	uint32_t m, n, k;
};

extern "C" __global__ __aicore__ void matmul_custom(GM_ADDR a, GM_ADDR b, GM_ADDR c, uint32_t m, uint32_t n, uint32_t k)
{
	KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
	::Matmul op;

	op.Init(a, b, c, m, n, k);
	op.Process();
}
