// SPDX-License-Identifier: MIT
/* Operators of the catalogue in Ascend C: each is wrong in one line, which has a comment BUG with the case's name. */
#include "kernel_operator.h"

using namespace AscendC;

constexpr uint32_t TILE = 64;

/* Adds two tensors, tile by tile; right */
class KernelAdd {
public:
	__aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR z, uint32_t each)
	{
		uint64_t first = static_cast<uint64_t>(GetBlockIdx()) * each;

		xGm.SetGlobalBuffer((__gm__ float *)x + first, each);
		yGm.SetGlobalBuffer((__gm__ float *)y + first, each);
		zGm.SetGlobalBuffer((__gm__ float *)z + first, each);
		pipe.InitBuffer(inX, 2, TILE * sizeof(float));
		pipe.InitBuffer(inY, 2, TILE * sizeof(float));
		pipe.InitBuffer(outZ, 2, TILE * sizeof(float));
		tiles = each / TILE;
	}
	__aicore__ inline void Process()
	{
		for (uint32_t i = 0; i < tiles; i++) {
			LocalTensor<float> x = inX.AllocTensor<float>(), y = inY.AllocTensor<float>();

			DataCopy(x, xGm[i * TILE], TILE);
			DataCopy(y, yGm[i * TILE], TILE);
			inX.EnQue(x);
			inY.EnQue(y);
			x = inX.DeQue<float>();
			y = inY.DeQue<float>();
			LocalTensor<float> z = outZ.AllocTensor<float>();
			Compute(z, x, y);
			outZ.EnQue(z);
			inX.FreeTensor(x);
			inY.FreeTensor(y);
			z = outZ.DeQue<float>();
			DataCopy(zGm[i * TILE], z, TILE);
			outZ.FreeTensor(z);
		}
	}

private:
	__aicore__ inline void Compute(const LocalTensor<float> &z, const LocalTensor<float> &x, const LocalTensor<float> &y)
	{
		AscendC::Add(z, x, y, TILE); /* BUG asc_unwritten_input */
	}

	TPipe pipe;
	TQue<QuePosition::VECIN, 2> inX, inY;
	TQue<QuePosition::VECOUT, 2> outZ;
	GlobalTensor<float> xGm, yGm, zGm;
	uint32_t tiles;
};

extern "C" __global__ __aicore__ void asc_add(GM_ADDR x, GM_ADDR y, GM_ADDR z, uint32_t each)
{
	KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
	KernelAdd op;

	op.Init(x, y, z, each);
	op.Process();
}

/* Each block writes one tile more than it has */
extern "C" __global__ __aicore__ void asc_overlap(GM_ADDR x, GM_ADDR z, uint32_t each)
{
	KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
	TPipe pipe;
	TQue<QuePosition::VECIN, 1> in;
	TQue<QuePosition::VECOUT, 1> out;
	GlobalTensor<float> xGm, zGm;
	uint32_t first = GetBlockIdx() * each;

	xGm.SetGlobalBuffer((__gm__ float *)x + first);
	zGm.SetGlobalBuffer((__gm__ float *)z + first);
	pipe.InitBuffer(in, 1, 1024);
	pipe.InitBuffer(out, 1, 1024);
	LocalTensor<float> a = in.AllocTensor<float>();
	DataCopy(a, xGm, each);
	in.EnQue(a);
	a = in.DeQue<float>();
	LocalTensor<float> b = out.AllocTensor<float>();
	Duplicate(b, (float)GetBlockIdx(), each + 8);
	out.EnQue(b);
	b = out.DeQue<float>();
	DataCopy(zGm, b, each + 8); /* BUG asc_overlap */
	out.FreeTensor(b);
	in.FreeTensor(a);
}

/* Block 0 makes a value that all use, and nothing lets them wait for it */
extern "C" __global__ __aicore__ void asc_no_syncall(GM_ADDR shared, GM_ADDR z)
{
	KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
	TPipe pipe;
	TBuf<TPosition::VECCALC> buf;
	GlobalTensor<float> s, o;

	s.SetGlobalBuffer((__gm__ float *)shared);
	o.SetGlobalBuffer((__gm__ float *)z + 8 * GetBlockIdx());
	pipe.InitBuffer(buf, 64);
	LocalTensor<float> t = buf.Get<float>();
	if (GetBlockIdx() == 0) {
		Duplicate(t, 3.0f, 8);
		PipeBarrier<PIPE_ALL>();
		DataCopy(s, t, 8); /* MADE asc_no_syncall */
		PipeBarrier<PIPE_ALL>();
	}
	DataCopy(t, s, 8); /* BUG asc_no_syncall */
	PipeBarrier<PIPE_ALL>();
	DataCopy(o, t, 8);
}

/* A tensor of the scratchpad is longer than its buffer: its last elements are the next one's */
extern "C" __global__ __aicore__ void asc_flag_left(GM_ADDR x, GM_ADDR z)
{
	KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
	TPipe pipe;
	TBuf<TPosition::VECCALC> buf;
	GlobalTensor<float> in, out;

	in.SetGlobalBuffer((__gm__ float *)x);
	out.SetGlobalBuffer((__gm__ float *)z);
	pipe.InitBuffer(buf, 64);
	LocalTensor<float> t = buf.Get<float>();
	DataCopy(t, in, 8);
	SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
	WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
	DataCopy(out, t, 8);
	SetFlag<HardEvent::MTE3_V>(EVENT_ID1); /* BUG asc_flag_left */
}

/* The result is stored before the vector unit has surely made it */
extern "C" __global__ __aicore__ void asc_no_v_mte3(GM_ADDR x, GM_ADDR z)
{
	KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
	TPipe pipe;
	TBuf<TPosition::VECCALC> buf;
	GlobalTensor<float> in, out;

	in.SetGlobalBuffer((__gm__ float *)x);
	out.SetGlobalBuffer((__gm__ float *)z);
	pipe.InitBuffer(buf, 64);
	LocalTensor<float> t = buf.Get<float>();
	DataCopy(t, in, 8);
	SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
	WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
	Adds(t, t, 1.0f, 8);
	DataCopy(out, t, 8); /* BUG asc_no_v_mte3 */
}

/* A queue's tensor is read before anything was put into it */
extern "C" __global__ __aicore__ void asc_uninit(GM_ADDR z)
{
	KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
	TPipe pipe;
	TBuf<TPosition::VECCALC> buf, other;
	GlobalTensor<float> out;

	out.SetGlobalBuffer((__gm__ float *)z);
	pipe.InitBuffer(buf, 64);
	pipe.InitBuffer(other, 64);
	LocalTensor<float> t = buf.Get<float>(), u = other.Get<float>();
	Duplicate(t, 1.0f, 8);
	PipeBarrier<PIPE_V>();
	Add(t, t, u, 8); /* BUG asc_uninit */
	PipeBarrier<PIPE_ALL>();
	DataCopy(out, t, 8);
}
