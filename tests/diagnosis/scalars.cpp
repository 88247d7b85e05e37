// SPDX-License-Identifier: MIT
/* Operators of the catalogue in Ascend C: what the scalar unit stores, atomic copies that are not ended, flags by the wrong pipe. */
#include "kernel_operator.h"

using namespace AscendC;

#define KERNEL extern "C" __global__ __aicore__ void
#define VECTOR_ONLY KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY)

constexpr uint32_t N = 64;
constexpr uint32_t BYTES = N * sizeof(float);

static __aicore__ inline GlobalTensor<float> global(GM_ADDR p, uint32_t first = 0)
{
	GlobalTensor<float> t;

	t.SetGlobalBuffer((__gm__ float *)p + first);
	return t;
}

template <HardEvent event> static __aicore__ inline void after()
{
	SetFlag<event>(EVENT_ID0);
	WaitFlag<event>(EVENT_ID0);
}

/* A value is set in the input, and the vector unit does not wait for that */
KERNEL set_then_vector(GM_ADDR x, GM_ADDR z)
{
	VECTOR_ONLY;
	TPipe pipe;
	TQue<QuePosition::VECIN, 1> in;
	TQue<QuePosition::VECOUT, 1> out;

	pipe.InitBuffer(in, 1, BYTES);
	pipe.InitBuffer(out, 1, BYTES);
	LocalTensor<float> a = in.AllocTensor<float>();
	DataCopy(a, global(x), N);
	in.EnQue(a);
	a = in.DeQue<float>();
	after<HardEvent::MTE2_S>();
	a.SetValue(3, 7.0f); /* MADE set_then_vector */
	LocalTensor<float> b = out.AllocTensor<float>();
	Adds(b, a, 1.0f, N); /* BUG set_then_vector */
	out.EnQue(b);
	b = out.DeQue<float>();
	DataCopy(global(z), b, N);
	out.FreeTensor(b);
	in.FreeTensor(a);
}

/* All values are set, and stored at once */
KERNEL set_then_store(GM_ADDR x, GM_ADDR z)
{
	VECTOR_ONLY;
	TPipe pipe;
	TBuf<TPosition::VECCALC> buf;

	pipe.InitBuffer(buf, BYTES);
	LocalTensor<float> t = buf.Get<float>();
	for (uint32_t i = 0; i < N; i++)
		t.SetValue(i, (float)i); /* MADE set_then_store */
	DataCopy(global(z), t, N); /* BUG set_then_store */
}

/* A value is set in global memory, and copied while it is in the scalar unit's cache */
KERNEL global_set_early(GM_ADDR x, GM_ADDR z)
{
	VECTOR_ONLY;
	TPipe pipe;
	TBuf<TPosition::VECCALC> buf;

	pipe.InitBuffer(buf, BYTES);
	LocalTensor<float> t = buf.Get<float>();
	global(x).SetValue(5, 3.0f); /* MADE global_set_early */
	DataCopy(t, global(x), N); /* BUG global_set_early */
	after<HardEvent::MTE2_MTE3>();
	DataCopy(global(z), t, N);
}

/* The same by a loop of more stores than are remembered one by one */
KERNEL global_set_loop(GM_ADDR x, GM_ADDR z)
{
	VECTOR_ONLY;
	TPipe pipe;
	TBuf<TPosition::VECCALC> buf;

	pipe.InitBuffer(buf, BYTES);
	LocalTensor<float> t = buf.Get<float>();
	for (uint32_t i = 0; i < 2048; i++)
		global(x).SetValue(i, (float)i); /* MADE global_set_loop */
	DataCopy(t, global(x, N), N); /* BUG global_set_loop */
	after<HardEvent::MTE2_MTE3>();
	DataCopy(global(z), t, N);
}

/* Right: each of the three waits */
KERNEL scalars_right(GM_ADDR x, GM_ADDR z)
{
	VECTOR_ONLY;
	TPipe pipe;
	TBuf<TPosition::VECCALC> buf;

	pipe.InitBuffer(buf, BYTES);
	LocalTensor<float> t = buf.Get<float>();
	GlobalTensor<float> in = global(x);
	in.SetValue(5, 3.0f);
	DataCacheCleanAndInvalid<float, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(in);
	DataCopy(t, in, N);
	after<HardEvent::MTE2_S>();
	t.SetValue(3, 7.0f);
	after<HardEvent::S_V>();
	Adds(t, t, 1.0f, N);
	after<HardEvent::V_S>();
	t.SetValue(4, 7.0f);
	after<HardEvent::S_MTE3>();
	SetAtomicAdd<float>();
	DataCopy(global(x), t, N);
	SetAtomicNone();
	PipeBarrier<PIPE_MTE3>();
	DataCopy(global(z), t, N);
}

/* Elements of each part, where a tiling that nobody has filled in has no parts */
KERNEL divided(GM_ADDR x, GM_ADDR z)
{
	VECTOR_ONLY;
	uint32_t parts = *reinterpret_cast<__gm__ uint32_t *>(z), each = N / parts; /* BUG divided */

	global(x).SetValue(0, float(each));
}

/* Each round takes UB anew */
KERNEL init_in_loop(GM_ADDR x, GM_ADDR z)
{
	VECTOR_ONLY;
	TPipe pipe;
	TQue<TPosition::VECIN, 1> in;

	for (uint32_t i = 0; i < 8; i++) {
		pipe.InitBuffer(in, 2, 16384); /* BUG init_in_loop */
		LocalTensor<float> t = in.AllocTensor<float>();
		DataCopy(t, global(x), N);
		in.EnQue(t);
		t = in.DeQue<float>();
		in.FreeTensor(t);
	}
	(void)z;
}

/* The second copy adds as the first one does: nothing ends that */
KERNEL atomic_left(GM_ADDR x, GM_ADDR z)
{
	VECTOR_ONLY;
	TPipe pipe;
	TBuf<TPosition::VECCALC> buf;

	pipe.InitBuffer(buf, BYTES);
	LocalTensor<float> t = buf.Get<float>();
	DataCopy(t, global(x), N);
	after<HardEvent::MTE2_MTE3>();
	SetAtomicAdd<float>(); /* BUG atomic_left */
	DataCopy(global(x), t, N);
	PipeBarrier<PIPE_MTE3>();
	DataCopy(global(x, N), t, N); /* MADE atomic_left */
}

/* Each block stores its part, and loads that of the other one behind a flag of @pipe */
template <pipe_t pipe> static __aicore__ inline void exchange(GM_ADDR x, GM_ADDR z)
{
	TPipe pipes;
	TBuf<TPosition::VECCALC> buf;
	uint32_t mine = GetBlockIdx() * N, other = N - mine;

	pipes.InitBuffer(buf, 2 * BYTES);
	LocalTensor<float> t = buf.Get<float>();
	DataCopy(t, global(x, mine), N);
	after<HardEvent::MTE2_MTE3>();
	DataCopy(global(z, mine), t, N); /* MADE cross_other_pipe */
	CrossCoreSetFlag<0x0, pipe>(1);
	CrossCoreWaitFlag<0x0>(1);
	DataCopy(t[N], global(z, other), N); /* BUG cross_other_pipe */
	PipeBarrier<PIPE_ALL>();
	DataCopy(global(x, mine), t[N], N);
}

KERNEL cross_other_pipe(GM_ADDR x, GM_ADDR z)
{
	VECTOR_ONLY;
	exchange<PIPE_V>(x, z);
}

KERNEL cross_right(GM_ADDR x, GM_ADDR z)
{
	VECTOR_ONLY;
	exchange<PIPE_MTE3>(x, z);
}
