// SPDX-License-Identifier: MIT
/*
 * A kernel that parts its work by unit and states no type: it is a MIX kernel, because its code for the cube unit and its code for the
 * vector unit both have tile operations. Each vector core doubles 64 numbers, each cube core multiplies two fractals.
 */
#include "kernel_operator.h"

using namespace AscendC;

constexpr int NUMBERS = 64, SIDE = 16, FRACTAL = SIDE * SIDE;

__aicore__ inline void double_numbers(TPipe &pipe, GM_ADDR numbers)
{
	TBuf<TPosition::VECCALC> buffer;
	GlobalTensor<float> own;

	pipe.InitBuffer(buffer, NUMBERS * sizeof(float));
	LocalTensor<float> local = buffer.Get<float>();
	own.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(numbers) + NUMBERS * GetBlockIdx());
	DataCopy(local, own, NUMBERS);
	PipeBarrier<PIPE_ALL>();
	Muls(local, local, 2.0f, NUMBERS);
	PipeBarrier<PIPE_ALL>();
	DataCopy(own, local, NUMBERS);
}

__aicore__ inline void multiply(TPipe &pipe, GM_ADDR left, GM_ADDR right, GM_ADDR product)
{
	TBuf<TPosition::A1> l1;
	TBuf<TPosition::A2> l0a;
	TBuf<TPosition::B2> l0b;
	TBuf<TPosition::CO1> l0c;
	GlobalTensor<half> a, b;
	GlobalTensor<float> c;
	LoadData2DParams load;
	MmadParams mmad;

	pipe.InitBuffer(l1, 2 * FRACTAL * sizeof(half));
	pipe.InitBuffer(l0a, FRACTAL * sizeof(half));
	pipe.InitBuffer(l0b, FRACTAL * sizeof(half));
	pipe.InitBuffer(l0c, FRACTAL * sizeof(float));
	a.SetGlobalBuffer(reinterpret_cast<__gm__ half *>(left));
	b.SetGlobalBuffer(reinterpret_cast<__gm__ half *>(right));
	c.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(product) + FRACTAL * GetBlockIdx());
	LocalTensor<half> both = l1.Get<half>();
	DataCopy(both, a, FRACTAL);
	DataCopy(both[FRACTAL], b, FRACTAL);
	PipeBarrier<PIPE_ALL>();
	load.repeatTimes = 1;
	LoadData(l0a.Get<half>(), both, load);
	LoadData(l0b.Get<half>(), both[FRACTAL], load);
	PipeBarrier<PIPE_ALL>();
	mmad.m = mmad.n = mmad.k = SIDE;
	Mmad(l0c.Get<float>(), l0a.Get<half>(), l0b.Get<half>(), mmad);
	PipeBarrier<PIPE_ALL>();
	Fixpipe(c, l0c.Get<float>(), FixpipeParamsV220(SIDE, SIDE, SIDE, SIDE, false));
}

extern "C" __global__ __aicore__ void parted(GM_ADDR numbers, GM_ADDR left, GM_ADDR right, GM_ADDR product)
{
	TPipe pipe;

	if ASCEND_IS_AIV
		double_numbers(pipe, numbers);
	if ASCEND_IS_AIC
		multiply(pipe, left, right, product);
}
