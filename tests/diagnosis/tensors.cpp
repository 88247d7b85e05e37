// SPDX-License-Identifier: MIT
/* Operators of the catalogue in Ascend C: what calls were told of tensors, types and repeats, and what is done then. */
#include "kernel_operator.h"

using namespace AscendC;

#define KERNEL extern "C" __global__ __aicore__ void
#define VECTOR_ONLY KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY)

constexpr uint32_t N = 64;
constexpr uint32_t BYTES = N * sizeof(float);

template <class T = float> static __aicore__ inline GlobalTensor<T> global(GM_ADDR p, uint64_t size)
{
	GlobalTensor<T> t;

	t.SetGlobalBuffer((__gm__ T *)p, size);
	return t;
}

/* Two objects that hand out the same memory, and each has a queue */
KERNEL pipe_second(GM_ADDR x, GM_ADDR z)
{
	VECTOR_ONLY;
	TPipe pipe, other;
	TQue<TPosition::VECIN, 1> in;
	TQue<TPosition::VECOUT, 1> out;

	pipe.InitBuffer(in, 1, BYTES);
	other.InitBuffer(out, 1, BYTES);
	LocalTensor<float> a = in.AllocTensor<float>(); /* BUG pipe_second */
	DataCopy(a, global(x, N), N);
	in.EnQue(a);
	a = in.DeQue<float>();
	LocalTensor<float> b = out.AllocTensor<float>();
	Duplicate(b, 1.0f, N);
	Add(b, b, a, N);
	out.EnQue(b);
	b = out.DeQue<float>();
	DataCopy(global(z, N), b, N);
	out.FreeTensor(b);
	in.FreeTensor(a);
}

/* The same with buffers without queues */
KERNEL pipe_second_buf(GM_ADDR x, GM_ADDR z)
{
	VECTOR_ONLY;
	TPipe pipe, other;
	TBuf<TPosition::VECCALC> first, second;

	pipe.InitBuffer(first, BYTES);
	other.InitBuffer(second, BYTES);
	LocalTensor<float> b = second.Get<float>();
	LocalTensor<float> a = first.Get<float>(); /* BUG pipe_second_buf */
	DataCopy(a, global(x, N), N);
	PipeBarrier<PIPE_ALL>();
	Duplicate(b, 1.0f, N);
	Add(b, b, a, N);
	PipeBarrier<PIPE_ALL>();
	DataCopy(global(z, N), b, N);
}

/* 260 repeats */
KERNEL repeats_many(GM_ADDR x, GM_ADDR z, uint32_t n)
{
	VECTOR_ONLY;
	TPipe pipe;
	TBuf<TPosition::VECCALC> buf;

	pipe.InitBuffer(buf, n * sizeof(float));
	LocalTensor<float> t = buf.Get<float>();
	Duplicate(t, 0.0f, n);
	PipeBarrier<PIPE_V>();
	Adds(t, t, 1.0f, (uint64_t)N, n / N, UnaryRepeatParams{ 1, 1, 8, 8 }); /* BUG repeats_many */
	PipeBarrier<PIPE_ALL>();
	DataCopy(global(z, n), t, n);
	(void)x;
}

/* A sum of halves into a tensor of floats */
KERNEL atomic_other_type(GM_ADDR x, GM_ADDR z)
{
	VECTOR_ONLY;
	TPipe pipe;
	TBuf<TPosition::VECCALC> buf;

	pipe.InitBuffer(buf, BYTES);
	LocalTensor<float> t = buf.Get<float>();
	DataCopy(t, global(x, N), N);
	PipeBarrier<PIPE_ALL>();
	SetAtomicAdd<half>();
	DataCopy(global(x, N), t, N); /* BUG atomic_other_type */
	SetAtomicNone();
	(void)z;
}

/* The tensor's own size is 32, though there is memory behind */
KERNEL global_index(GM_ADDR x, GM_ADDR z)
{
	VECTOR_ONLY;
	GlobalTensor<float> in = global(x, 32);
	float sum = 0;

	for (uint32_t i = 0; i <= in.GetSize(); i++)
		sum += in.GetValue(i); /* BUG global_index */
	global(z, 1).SetValue(0, sum);
}

/* The same by a copy of a part */
KERNEL global_copy(GM_ADDR x, GM_ADDR z)
{
	VECTOR_ONLY;
	TPipe pipe;
	TBuf<TPosition::VECCALC> buf;

	pipe.InitBuffer(buf, BYTES);
	LocalTensor<float> t = buf.Get<float>();
	GlobalTensor<float> in = global(x, 32);
	DataCopy(t, in[16], 32); /* BUG global_copy */
	PipeBarrier<PIPE_ALL>();
	DataCopy(global(z, 32), t, 32);
}

/* The workspace of the barrier has what was in memory */
KERNEL barrier_workspace(GM_ADDR x, GM_ADDR z)
{
	VECTOR_ONLY;
	TPipe pipe;
	TBuf<TPosition::VECCALC> buf;

	pipe.InitBuffer(buf, 32 * GetBlockNum());
	GlobalTensor<int32_t> workspace = global<int32_t>(x + 32, 8 * GetBlockNum());
	LocalTensor<int32_t> words = buf.Get<int32_t>();
	SyncAll(workspace, words); /* BUG barrier_workspace */
	(void)z;
}

static __aicore__ inline void plus_one(GlobalTensor<float> z, GlobalTensor<float> x, uint32_t n)
{
	TPipe pipe;
	TBuf<TPosition::VECCALC> buf;

	pipe.InitBuffer(buf, BYTES);
	LocalTensor<float> t = buf.Get<float>();
	DataCopy(t, x, (n + 7) / 8 * 8);
	PipeBarrier<PIPE_ALL>();
	Adds(t, t, 1.0f, (uint64_t)n, (int32_t)1, UnaryRepeatParams{ 1, 1, 8, 8 });
	PipeBarrier<PIPE_ALL>();
	DataCopyPad(z, t, DataCopyExtParams{ 1, (uint32_t)(n * sizeof(float)), 0, 0, 0 });
	PipeBarrier<PIPE_ALL>();
	pipe.Destroy();
}

/* Right: TPipes behind each other, the last block of a tensor, views of another type, 300 repeats in the counter mode */
KERNEL told_right(GM_ADDR x, GM_ADDR z)
{
	VECTOR_ONLY;
	GlobalTensor<float> in = global(x, 60), out = global(z, N);

	plus_one(out, in, 32);
	plus_one(out[32], in[32], 28);
	TPipe pipe;
	TBuf<TPosition::VECCALC> buf;
	pipe.InitBuffer(buf, BYTES);
	LocalTensor<float> t = buf.Get<float>();
	SetMaskCount();
	Duplicate(t, 2.0f, (uint64_t)N, 300, 1, 8);
	SetMaskNorm();
	PipeBarrier<PIPE_ALL>();
	DataCopy(out[56], t, 8);
	PipeBarrier<PIPE_ALL>();
	SetAtomicAdd<float>();
	DataCopy(out[8], t, 8);
	DataCopy(out.ReinterpretCast<uint32_t>(), t.ReinterpretCast<uint32_t>(), 8);
	SetAtomicNone();
	PipeBarrier<PIPE_ALL>();
	uint32_t bits = in[52].ReinterpretCast<uint32_t>().GetValue(7);
	out.SetValue(0, bits ? 3.0f : 1.0f);
}
