// SPDX-License-Identifier: MIT
/* More operators of the catalogue in Ascend C: queues, buffers, events, atomics, masks, barriers. */
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

/* A queue of depth 1, and two tensors are taken from it */
KERNEL que_depth(GM_ADDR x, GM_ADDR z)
{
	VECTOR_ONLY;
	TPipe pipe;
	TQue<QuePosition::VECIN, 1> in;

	pipe.InitBuffer(in, 1, BYTES);
	LocalTensor<float> a = in.AllocTensor<float>();
	DataCopy(a, global(x), N);
	LocalTensor<float> b = in.AllocTensor<float>(); /* BUG que_depth */
	DataCopy(b, global(x), N);
	PipeBarrier<PIPE_ALL>();
	DataCopy(global(z), b, N);
}

KERNEL que_no_enque(GM_ADDR x, GM_ADDR z)
{
	VECTOR_ONLY;
	TPipe pipe;
	TQue<QuePosition::VECIN, 1> in;

	pipe.InitBuffer(in, 1, BYTES);
	LocalTensor<float> a = in.AllocTensor<float>();
	DataCopy(a, global(x), N);
	LocalTensor<float> b = in.DeQue<float>(); /* BUG que_no_enque */
	PipeBarrier<PIPE_ALL>();
	DataCopy(global(z), b, N);
}

KERNEL que_no_free(GM_ADDR x, GM_ADDR z)
{
	VECTOR_ONLY;
	TPipe pipe;
	TQue<QuePosition::VECIN, 2> in;

	pipe.InitBuffer(in, 2, BYTES);
	for (int i = 0; i < 4; i++) {
		LocalTensor<float> a = in.AllocTensor<float>(); /* BUG que_no_free */
		DataCopy(a, global(x), N);
		in.EnQue(a);
		a = in.DeQue<float>();
		PipeBarrier<PIPE_ALL>();
		DataCopy(global(z), a, N);
	}
}

KERNEL que_free_twice(GM_ADDR x, GM_ADDR z)
{
	VECTOR_ONLY;
	TPipe pipe;
	TQue<QuePosition::VECIN, 1> in;

	pipe.InitBuffer(in, 1, BYTES);
	LocalTensor<float> a = in.AllocTensor<float>();
	DataCopy(a, global(x), N);
	in.EnQue(a);
	a = in.DeQue<float>();
	PipeBarrier<PIPE_ALL>();
	DataCopy(global(z), a, N);
	in.FreeTensor(a);
	in.FreeTensor(a); /* BUG que_free_twice */
}

/* Two operations go through one TBuf, and only queues have events */
KERNEL tbuf_no_sync(GM_ADDR x, GM_ADDR z)
{
	VECTOR_ONLY;
	TPipe pipe;
	TQue<QuePosition::VECIN, 1> in;
	TBuf<TPosition::VECCALC> buf;

	pipe.InitBuffer(in, 1, BYTES);
	pipe.InitBuffer(buf, BYTES);
	LocalTensor<float> t = buf.Get<float>();
	for (int i = 0; i < 2; i++) {
		LocalTensor<float> a = in.AllocTensor<float>();
		DataCopy(a, global(x, i * N), N);
		in.EnQue(a);
		a = in.DeQue<float>();
		Adds(t, a, 1.0f, N); /* BUG tbuf_no_sync */
		in.FreeTensor(a);
		SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
		WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
		DataCopy(global(z, i * N), t, N); /* MADE tbuf_no_sync */
	}
}

/* The buffer has half of what is computed */
KERNEL buffer_half(GM_ADDR x, GM_ADDR z)
{
	VECTOR_ONLY;
	TPipe pipe;
	TQue<QuePosition::VECIN, 1> in;
	TQue<QuePosition::VECOUT, 1> out;

	pipe.InitBuffer(in, 1, BYTES);
	pipe.InitBuffer(out, 1, BYTES / 2);
	LocalTensor<float> a = in.AllocTensor<float>();
	DataCopy(a, global(x), N);
	in.EnQue(a);
	a = in.DeQue<float>();
	LocalTensor<float> b = out.AllocTensor<float>();
	Adds(b, a, 1.0f, N); /* BUG buffer_half */
	out.EnQue(b);
	b = out.DeQue<float>();
	DataCopy(global(z), b, N);
	out.FreeTensor(b);
	in.FreeTensor(a);
}

/* The same, and another queue's buffer lies behind */
KERNEL buffer_next(GM_ADDR x, GM_ADDR z)
{
	VECTOR_ONLY;
	TPipe pipe;
	TQue<QuePosition::VECIN, 1> in;
	TBuf<TPosition::VECCALC> calc, ones;

	pipe.InitBuffer(calc, BYTES / 2);
	pipe.InitBuffer(ones, BYTES);
	pipe.InitBuffer(in, 1, BYTES);
	LocalTensor<float> a = in.AllocTensor<float>(), c = calc.Get<float>(), o = ones.Get<float>();
	Duplicate(o, 1.0f, N);
	DataCopy(a, global(x), N);
	in.EnQue(a);
	a = in.DeQue<float>();
	Adds(c, a, 1.0f, N); /* BUG buffer_next */
	PipeBarrier<PIPE_V>();
	Add(o, o, a, N);
	in.FreeTensor(a);
	PipeBarrier<PIPE_ALL>();
	DataCopy(global(z), o, N);
}

/* Converts into a buffer that was sized for the source's type */
KERNEL cast_size(GM_ADDR x, GM_ADDR z)
{
	VECTOR_ONLY;
	TPipe pipe;
	TBuf<TPosition::VECCALC> halves, floats;
	GlobalTensor<half> in;

	in.SetGlobalBuffer((__gm__ half *)x);
	pipe.InitBuffer(floats, N * sizeof(half));
	pipe.InitBuffer(halves, N * sizeof(half));
	LocalTensor<half> h = halves.Get<half>();
	LocalTensor<float> f = floats.Get<float>();
	DataCopy(h, in, N);
	PipeBarrier<PIPE_ALL>();
	Cast(f, h, RoundMode::CAST_NONE, N); /* BUG cast_size */
	PipeBarrier<PIPE_ALL>();
	DataCopy(global(z), f, N);
}

/* A result is read by the scalar unit, which waits for nothing */
KERNEL scalar_early(GM_ADDR x, GM_ADDR z)
{
	VECTOR_ONLY;
	TPipe pipe;
	TBuf<TPosition::VECCALC> buf, work;

	pipe.InitBuffer(buf, BYTES);
	pipe.InitBuffer(work, BYTES);
	LocalTensor<float> t = buf.Get<float>(), w = work.Get<float>();
	DataCopy(t, global(x), N);
	SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
	WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
	ReduceSum(t, t, w, N);
	float sum = t.GetValue(0); /* BUG scalar_early */
	Duplicate(t, sum, N);
	PipeBarrier<PIPE_ALL>();
	DataCopy(global(z), t, N);
}

/* The scalar unit writes a value that is stored before it is surely there */
KERNEL scalar_store(GM_ADDR z)
{
	VECTOR_ONLY;
	TPipe pipe;
	TBuf<TPosition::VECCALC> buf;

	pipe.InitBuffer(buf, 32);
	LocalTensor<float> t = buf.Get<float>();
	Duplicate(t, 0.0f, 8);
	t.SetValue(0, 1.0f); /* BUG scalar_store */
	PipeBarrier<PIPE_ALL>();
	DataCopy(global(z), t, 8);
}

/* What was stored to global memory is loaded again at once */
KERNEL reload_early(GM_ADDR x, GM_ADDR z)
{
	VECTOR_ONLY;
	TPipe pipe;
	TBuf<TPosition::VECCALC> buf, other;

	pipe.InitBuffer(buf, BYTES);
	pipe.InitBuffer(other, BYTES);
	LocalTensor<float> t = buf.Get<float>(), u = other.Get<float>();
	DataCopy(t, global(x), N);
	SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
	WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
	DataCopy(global(z), t, N);
	DataCopy(u, global(z), N); /* BUG reload_early */
	PipeBarrier<PIPE_ALL>();
	DataCopy(global(z, N), u, N);
}

/* An event that is set with another number than it is waited for */
KERNEL event_number(GM_ADDR x, GM_ADDR z)
{
	VECTOR_ONLY;
	TPipe pipe;
	TBuf<TPosition::VECCALC> buf;

	pipe.InitBuffer(buf, BYTES);
	LocalTensor<float> t = buf.Get<float>();
	DataCopy(t, global(x), N);
	SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
	WaitFlag<HardEvent::MTE2_V>(EVENT_ID1); /* BUG event_number */
	Adds(t, t, 1.0f, N);
	PipeBarrier<PIPE_ALL>();
	DataCopy(global(z), t, N);
}

/* The wrong pair of pipes */
KERNEL event_pair(GM_ADDR x, GM_ADDR z)
{
	VECTOR_ONLY;
	TPipe pipe;
	TBuf<TPosition::VECCALC> buf;

	pipe.InitBuffer(buf, BYTES);
	LocalTensor<float> t = buf.Get<float>();
	DataCopy(t, global(x), N);
	SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
	WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
	Adds(t, t, 1.0f, N);
	SetFlag<HardEvent::V_MTE2>(EVENT_ID0);
	WaitFlag<HardEvent::V_MTE2>(EVENT_ID0);
	DataCopy(global(z), t, N); /* BUG event_pair */
}

/* Only some blocks come to the barrier */
KERNEL sync_if(GM_ADDR z)
{
	VECTOR_ONLY;
	TPipe pipe;
	TBuf<TPosition::VECCALC> buf;

	pipe.InitBuffer(buf, 32);
	LocalTensor<float> t = buf.Get<float>();
	Duplicate(t, 1.0f, 8);
	PipeBarrier<PIPE_ALL>();
	DataCopy(global(z, 8 * GetBlockIdx()), t, 8);
	if (GetBlockIdx() < 2)
		SyncAll(); /* BUG sync_if */
}

/* Adds to memory that nothing has set to zero */
KERNEL atomic_no_zero(GM_ADDR x, GM_ADDR z)
{
	VECTOR_ONLY;
	TPipe pipe;
	TBuf<TPosition::VECCALC> buf;

	pipe.InitBuffer(buf, BYTES);
	LocalTensor<float> t = buf.Get<float>();
	DataCopy(t, global(x), N);
	PipeBarrier<PIPE_ALL>();
	SetAtomicAdd<float>();
	DataCopy(global(z), t, N); /* BUG atomic_no_zero */
	SetAtomicNone();
}

/* Stores plainly where other blocks add */
KERNEL atomic_forgotten(GM_ADDR x, GM_ADDR z)
{
	VECTOR_ONLY;
	TPipe pipe;
	TBuf<TPosition::VECCALC> buf;

	pipe.InitBuffer(buf, BYTES);
	LocalTensor<float> t = buf.Get<float>();
	DataCopy(t, global(x, N * GetBlockIdx()), N);
	PipeBarrier<PIPE_ALL>();
	DataCopy(global(z), t, N); /* BUG atomic_forgotten */
}

/* The part of a block is computed from the wrong number of blocks */
KERNEL tiling_blocks(GM_ADDR x, GM_ADDR z, uint32_t total)
{
	VECTOR_ONLY;
	TPipe pipe;
	TBuf<TPosition::VECCALC> buf;
	uint32_t each = total / 2, first = each * GetBlockIdx();

	pipe.InitBuffer(buf, each * sizeof(float));
	LocalTensor<float> t = buf.Get<float>();
	DataCopy(t, global(x, first), each); /* BUG tiling_blocks */
	PipeBarrier<PIPE_ALL>();
	DataCopy(global(z, first), t, each);
}

/* 60 of 64 elements are loaded: DataCopy() copies whole blocks of 32 bytes */
KERNEL count_no_block(GM_ADDR x, GM_ADDR z, uint32_t n)
{
	VECTOR_ONLY;
	TPipe pipe;
	TBuf<TPosition::VECCALC> buf;

	pipe.InitBuffer(buf, BYTES);
	LocalTensor<float> t = buf.Get<float>();
	DataCopy(t, global(x), n);
	PipeBarrier<PIPE_ALL>();
	Adds(t, t, 1.0f, n); /* BUG count_no_block */
	PipeBarrier<PIPE_ALL>();
	DataCopy(global(z), t, n);
}

/* A mask of fewer elements than are stored */
KERNEL mask_short(GM_ADDR x, GM_ADDR z)
{
	VECTOR_ONLY;
	TPipe pipe;
	TBuf<TPosition::VECCALC> buf, out;

	pipe.InitBuffer(buf, BYTES);
	pipe.InitBuffer(out, BYTES);
	LocalTensor<float> t = buf.Get<float>(), u = out.Get<float>();
	DataCopy(t, global(x), N);
	PipeBarrier<PIPE_ALL>();
	Adds(u, t, 1.0f, (uint64_t)60, 1, UnaryRepeatParams{ 1, 1, 8, 8 });
	PipeBarrier<PIPE_ALL>();
	DataCopy(global(z), u, N); /* BUG mask_short */
}

/* One repeat too many: the last one leaves the tensor */
KERNEL repeat_more(GM_ADDR x, GM_ADDR z)
{
	VECTOR_ONLY;
	TPipe pipe;
	TBuf<TPosition::VECCALC> buf, out;

	pipe.InitBuffer(buf, 2 * BYTES);
	pipe.InitBuffer(out, 2 * BYTES);
	LocalTensor<float> t = buf.Get<float>(), u = out.Get<float>();
	DataCopy(t, global(x), 2 * N);
	PipeBarrier<PIPE_ALL>();
	Adds(u, t, 1.0f, (uint64_t)64, 3, UnaryRepeatParams{ 1, 1, 8, 8 }); /* BUG repeat_more */
	PipeBarrier<PIPE_ALL>();
	DataCopy(global(z), u, 2 * N);
}

/* An index into global memory that is one too large */
KERNEL global_behind(GM_ADDR x, GM_ADDR z, uint32_t n)
{
	VECTOR_ONLY;
	GlobalTensor<float> in = global(x), out = global(z);
	float sum = 0;

	for (uint32_t i = 0; i <= n; i++)
		sum += in.GetValue(i); /* BUG global_behind */
	out.SetValue(0, sum);
}

/* More buffers than the unified buffer holds */
KERNEL ub_too_much(GM_ADDR x, GM_ADDR z)
{
	VECTOR_ONLY;
	TPipe pipe;
	TQue<QuePosition::VECIN, 2> in;
	TQue<QuePosition::VECOUT, 2> out;

	pipe.InitBuffer(in, 2, 65536);
	pipe.InitBuffer(out, 2, 65536); /* BUG ub_too_much */
	LocalTensor<float> a = in.AllocTensor<float>();
	DataCopy(a, global(x), N);
	in.EnQue(a);
	a = in.DeQue<float>();
	LocalTensor<float> b = out.AllocTensor<float>();
	Adds(b, a, 1.0f, N);
	out.EnQue(b);
	b = out.DeQue<float>();
	DataCopy(global(z), b, N);
	out.FreeTensor(b);
	in.FreeTensor(a);
}

/* The results of a vector operation overlap its operands, shifted */
KERNEL overlap_shift(GM_ADDR x, GM_ADDR z)
{
	VECTOR_ONLY;
	TPipe pipe;
	TBuf<TPosition::VECCALC> buf;

	pipe.InitBuffer(buf, 4 * BYTES);
	LocalTensor<float> t = buf.Get<float>();
	DataCopy(t, global(x), 2 * N);
	PipeBarrier<PIPE_ALL>();
	Adds(t[8], t, 1.0f, 2 * N - 8); /* BUG overlap_shift */
	PipeBarrier<PIPE_ALL>();
	DataCopy(global(z), t, 2 * N);
}

/* A workspace that the launch does not give */
KERNEL no_tiling(GM_ADDR z, GM_ADDR tiling)
{
	VECTOR_ONLY;
	uint32_t n = *(__gm__ uint32_t *)tiling; /* BUG no_tiling */
	GlobalTensor<float> out = global(z);

	for (uint32_t i = 0; i < n; i++)
		out.SetValue(i, 1.0f);
}

/* Pipe S has to wait for the store before it looks at global memory */
KERNEL scalar_global_early(GM_ADDR x, GM_ADDR z)
{
	VECTOR_ONLY;
	TPipe pipe;
	TBuf<TPosition::VECCALC> buf;
	GlobalTensor<float> out = global(z);

	pipe.InitBuffer(buf, BYTES);
	LocalTensor<float> t = buf.Get<float>();
	DataCopy(t, global(x), N);
	PipeBarrier<PIPE_ALL>();
	DataCopy(out, t, N);
	out.SetValue(N, out.GetValue(1) + 1); /* BUG scalar_global_early */
}

/* Two queues, and the tensor is taken from the other one */
KERNEL que_other(GM_ADDR x, GM_ADDR z)
{
	VECTOR_ONLY;
	TPipe pipe;
	TQue<QuePosition::VECIN, 1> in, other;

	pipe.InitBuffer(in, 1, BYTES);
	pipe.InitBuffer(other, 1, BYTES);
	LocalTensor<float> a = in.AllocTensor<float>();
	DataCopy(a, global(x), N);
	in.EnQue(a);
	a = other.DeQue<float>(); /* BUG que_other */
	DataCopy(global(z), a, N);
}

/* Gather() wants offsets in bytes: these are numbers of elements */
KERNEL gather_elements(GM_ADDR x, GM_ADDR z)
{
	VECTOR_ONLY;
	TPipe pipe;
	TBuf<TPosition::VECCALC> from, at, to;

	pipe.InitBuffer(from, BYTES);
	pipe.InitBuffer(at, BYTES);
	pipe.InitBuffer(to, BYTES);
	LocalTensor<float> a = from.Get<float>(), b = to.Get<float>();
	LocalTensor<int32_t> index = at.Get<int32_t>();
	DataCopy(a, global(x), N);
	CreateVecIndex(index, 0, N);
	PipeBarrier<PIPE_ALL>();
	Gather(b, a, index.ReinterpretCast<uint32_t>(), 0, N); /* BUG gather_elements */
	PipeBarrier<PIPE_ALL>();
	DataCopy(global(z), b, N);
}

/* Four rows of 16 numbers, of which the last one has 12 */
KERNEL pad_rows(GM_ADDR x, GM_ADDR z)
{
	VECTOR_ONLY;
	TPipe pipe;
	TBuf<TPosition::VECCALC> buf;
	DataCopyExtParams rows{4, 16 * sizeof(float), 0, 0, 0};
	DataCopyPadExtParams<float> none{false, 0, 0, 0};

	pipe.InitBuffer(buf, BYTES);
	LocalTensor<float> a = buf.Get<float>();
	DataCopyPad(a, global(x), rows, none); /* BUG pad_rows */
	PipeBarrier<PIPE_ALL>();
	DataCopy(global(z), a, N);
}

/* One element behind the tensor, by the scalar unit */
KERNEL set_behind(GM_ADDR x, GM_ADDR z)
{
	VECTOR_ONLY;
	TPipe pipe;
	TQue<QuePosition::VECIN, 1> in;

	pipe.InitBuffer(in, 1, BYTES);
	LocalTensor<float> a = in.AllocTensor<float>();
	DataCopy(a, global(x), N);
	PipeBarrier<PIPE_ALL>();
	a.SetValue(N, 1.0f); /* BUG set_behind */
	PipeBarrier<PIPE_ALL>();
	DataCopy(global(z), a, N);
	in.FreeTensor(a);
}

/* The same, and another buffer lies behind */
KERNEL value_next(GM_ADDR x, GM_ADDR z)
{
	VECTOR_ONLY;
	TPipe pipe;
	TBuf<TPosition::VECCALC> first, second;

	pipe.InitBuffer(first, BYTES);
	pipe.InitBuffer(second, BYTES);
	LocalTensor<float> t = first.Get<float>(), u = second.Get<float>();
	float sum = 0;
	DataCopy(t, global(x), N);
	DataCopy(u, global(x), N);
	PipeBarrier<PIPE_ALL>();
	for (uint32_t i = 1; i <= N; i++)
		sum += t.GetValue(i); /* BUG value_next */
	Duplicate(u, sum, N);
	PipeBarrier<PIPE_ALL>();
	DataCopy(global(z), u, N);
}

/* Five parts of 16, and the tensor has four */
KERNEL part_next(GM_ADDR x, GM_ADDR z)
{
	VECTOR_ONLY;
	TPipe pipe;
	TBuf<TPosition::VECCALC> first, second;

	pipe.InitBuffer(first, BYTES);
	pipe.InitBuffer(second, BYTES);
	LocalTensor<float> t = first.Get<float>(), u = second.Get<float>();
	Duplicate(u, 2.0f, N);
	for (int i = 0; i <= 4; i++)
		Duplicate(t[i * 16], (float)i, 16); /* BUG part_next */
	Add(u, u, t, N);
	PipeBarrier<PIPE_ALL>();
	DataCopy(global(z), u, N);
}

/* The input's tensor is not given back */
KERNEL free_forgotten(GM_ADDR x, GM_ADDR z)
{
	VECTOR_ONLY;
	TPipe pipe;
	TQue<QuePosition::VECIN, 1> in;
	TQue<QuePosition::VECOUT, 1> out;

	pipe.InitBuffer(in, 1, BYTES);
	pipe.InitBuffer(out, 1, BYTES);
	LocalTensor<float> a = in.AllocTensor<float>(); /* MADE free_forgotten */
	DataCopy(a, global(x), N);
	in.EnQue(a);
	a = in.DeQue<float>();
	LocalTensor<float> b = out.AllocTensor<float>();
	Adds(b, a, 1.0f, N);
	out.EnQue(b);
	b = out.DeQue<float>();
	DataCopy(global(z), b, N);
	out.FreeTensor(b);
} /* BUG free_forgotten */

/* A tensor is used when it has been given back */
KERNEL use_freed(GM_ADDR x, GM_ADDR z)
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
	in.FreeTensor(a);
	LocalTensor<float> b = out.AllocTensor<float>();
	Adds(b, a, 1.0f, N); /* BUG use_freed */
	out.EnQue(b);
	b = out.DeQue<float>();
	DataCopy(global(z), b, N);
	out.FreeTensor(b);
}

/* A length of a tiling that nobody has filled in */
KERNEL no_bytes(GM_ADDR x, GM_ADDR z)
{
	VECTOR_ONLY;
	TPipe pipe;
	TQue<QuePosition::VECIN, 1> in;
	volatile uint32_t tile = 0;

	pipe.InitBuffer(in, 1, tile * sizeof(float));
	LocalTensor<float> a = in.AllocTensor<float>(); /* BUG no_bytes */
	DataCopy(a, global(x), N);
	PipeBarrier<PIPE_ALL>();
	DataCopy(global(z), a, N);
}

KERNEL no_init_buffer(GM_ADDR x, GM_ADDR z)
{
	VECTOR_ONLY;
	TPipe pipe;
	TQue<QuePosition::VECIN, 1> in;

	LocalTensor<float> a = in.AllocTensor<float>(); /* BUG no_init_buffer */
	DataCopy(a, global(x), N);
	PipeBarrier<PIPE_ALL>();
	DataCopy(global(z), a, N);
}

/* The tensor of EnQue() is used, without DeQue(), which waits for the copy */
KERNEL que_no_deque(GM_ADDR x, GM_ADDR z)
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
	LocalTensor<float> b = out.AllocTensor<float>();
	Adds(b, a, 1.0f, N); /* BUG que_no_deque */
	out.EnQue(b);
	b = out.DeQue<float>();
	DataCopy(global(z), b, N);
	out.FreeTensor(b);
}

/* Bytes where DataCopyParams counts blocks of 32 bytes */
KERNEL block_length(GM_ADDR x, GM_ADDR z)
{
	VECTOR_ONLY;
	TPipe pipe;
	TQue<QuePosition::VECIN, 1> in;

	pipe.InitBuffer(in, 1, BYTES);
	LocalTensor<float> a = in.AllocTensor<float>();
	DataCopy(a, global(x), DataCopyParams{1, BYTES, 0, 0}); /* BUG block_length */
	PipeBarrier<PIPE_ALL>();
	DataCopy(global(z), a, N);
	in.FreeTensor(a);
}

/* Elements where DataCopyExtParams counts bytes */
KERNEL pad_elements(GM_ADDR x, GM_ADDR z)
{
	VECTOR_ONLY;
	TPipe pipe;
	TQue<QuePosition::VECIN, 1> in;
	TQue<QuePosition::VECOUT, 1> out;

	pipe.InitBuffer(in, 1, BYTES);
	pipe.InitBuffer(out, 1, BYTES);
	LocalTensor<float> a = in.AllocTensor<float>();
	DataCopyPad(a, global(x), DataCopyExtParams{1, N, 0, 0, 0}, DataCopyPadExtParams<float>{false, 0, 0, 0});
	in.EnQue(a);
	a = in.DeQue<float>();
	LocalTensor<float> b = out.AllocTensor<float>();
	Adds(b, a, 1.0f, N); /* BUG pad_elements */
	in.FreeTensor(a);
	out.EnQue(b);
	b = out.DeQue<float>();
	DataCopy(global(z), b, N);
	out.FreeTensor(b);
}

/* There are eight events for each pair of pipes */
KERNEL event_too_high(GM_ADDR x, GM_ADDR z)
{
	VECTOR_ONLY;

	(void)x;
	(void)z;
	SetFlag<HardEvent::V_MTE3>(9); /* BUG event_too_high */
	WaitFlag<HardEvent::V_MTE3>(9);
}

/* The tensor begins at no multiple of 32 bytes */
KERNEL offset_odd(GM_ADDR x, GM_ADDR z)
{
	VECTOR_ONLY;
	TPipe pipe;
	TQue<QuePosition::VECIN, 1> in;

	pipe.InitBuffer(in, 1, BYTES);
	LocalTensor<float> a = in.AllocTensor<float>();
	DataCopy(a, global(x), N);
	PipeBarrier<PIPE_ALL>();
	Adds(a[3], a[3], 1.0f, 32); /* BUG offset_odd */
	PipeBarrier<PIPE_ALL>();
	DataCopy(global(z), a, N);
	in.FreeTensor(a);
}

/* 64 results of repeats, and 32 elements for them */
KERNEL work_small(GM_ADDR x, GM_ADDR z)
{
	VECTOR_ONLY;
	TPipe pipe;
	TBuf<TPosition::VECCALC> all, scratch, sum;

	(void)x;
	pipe.InitBuffer(all, 64 * 256);
	pipe.InitBuffer(scratch, 32 * 4);
	pipe.InitBuffer(sum, 32);
	LocalTensor<float> a = all.Get<float>(), work = scratch.Get<float>(), b = sum.Get<float>();
	Duplicate(a, 1.0f, 64 * 64);
	PipeBarrier<PIPE_V>();
	ReduceSum(b, a, work, 64 * 64); /* BUG work_small */
	PipeBarrier<PIPE_ALL>();
	DataCopy(global(z), b, 8);
}

/* The working tensor is a later part of the source */
KERNEL work_in_source(GM_ADDR x, GM_ADDR z)
{
	VECTOR_ONLY;
	TPipe pipe;
	TBuf<TPosition::VECCALC> all, most;

	(void)x;
	pipe.InitBuffer(all, 64 * 256);
	pipe.InitBuffer(most, 32);
	LocalTensor<float> a = all.Get<float>(), b = most.Get<float>();
	Duplicate(a, 1.0f, 64 * 64);
	PipeBarrier<PIPE_V>();
	ReduceMax(b, a, a, 64 * 64, false); /* right: each result stands before what is read next */
	PipeBarrier<PIPE_V>();
	ReduceMax(b, a, a[512], 64 * 64, false); /* BUG work_in_source */
	PipeBarrier<PIPE_ALL>();
	DataCopy(global(z), b, 8);
}

/* A matrix of 16 x 16 elements from a tensor of 64 */
KERNEL transpose_small(GM_ADDR x, GM_ADDR z)
{
	VECTOR_ONLY;
	TPipe pipe;
	TBuf<TPosition::VECCALC> few, rest, whole;

	(void)x;
	pipe.InitBuffer(few, 64 * 2);
	pipe.InitBuffer(rest, 512);
	pipe.InitBuffer(whole, 512);
	LocalTensor<half> a = few.Get<half>(), b = whole.Get<half>();
	Duplicate(a, half(1), 64);
	Duplicate(rest.Get<half>(), half(0), 256);
	PipeBarrier<PIPE_V>();
	Transpose(b, a); /* BUG transpose_small */
	PipeBarrier<PIPE_ALL>();
	DataCopy(global(z), b.ReinterpretCast<float>(), 8);
}

/* An address that lies between two elements */
KERNEL tensor_odd(GM_ADDR x, GM_ADDR z)
{
	VECTOR_ONLY;
	TPipe pipe;
	TBuf<TPosition::VECCALC> buffer;

	pipe.InitBuffer(buffer, BYTES);
	LocalTensor<float> a = buffer.Get<float>();
	DataCopy(a, global(x + 2), N / 2); /* BUG tensor_odd */
	PipeBarrier<PIPE_ALL>();
	DataCopy(global(z), a, N / 2);
}

/* The same by the scalar unit */
KERNEL value_misaligned(GM_ADDR x, GM_ADDR z)
{
	VECTOR_ONLY;
	float value = global(x + 2).GetValue(3); /* BUG value_misaligned */

	global(z).SetValue(0, value);
}

/* More bursts than the instruction has bits for */
KERNEL bursts_many(GM_ADDR x, GM_ADDR z)
{
	VECTOR_ONLY;
	TPipe pipe;
	TBuf<TPosition::VECCALC> buffer;

	pipe.InitBuffer(buffer, 5000 * 32);
	DataCopy(buffer.Get<float>(), global(x), {5000, 1, 0, 0}); /* BUG bursts_many */
	(void)z;
}
