// SPDX-License-Identifier: MIT
/* Kernels that use queues wrongly. Each stops with a sentence, and the line that is named has the mark "here". */
#include "kernel_operator.h"

using namespace AscendC;

/* EnQue: the queue's depth is 1 */
extern "C" __global__ __aicore__ void too_deep(GM_ADDR)
{
	TPipe pipe;
	TQue<TPosition::VECIN, 1> queue;

	pipe.InitBuffer(queue, 2, 1024);
	LocalTensor<float> a = queue.AllocTensor<float>();
	LocalTensor<float> b = queue.AllocTensor<float>();
	queue.EnQue(a);
	queue.EnQue(b);	/* here */
}

/* EnQue: this tensor is in the queue already */
extern "C" __global__ __aicore__ void twice(GM_ADDR)
{
	TPipe pipe;
	TQue<TPosition::VECIN, 2> queue;

	pipe.InitBuffer(queue, 2, 1024);
	LocalTensor<float> a = queue.AllocTensor<float>();
	queue.EnQue(a);
	queue.EnQue(a);	/* here */
}

/* EnQue: this tensor was given back */
extern "C" __global__ __aicore__ void after_free(GM_ADDR)
{
	TPipe pipe;
	TQue<TPosition::VECOUT, 1> queue;

	pipe.InitBuffer(queue, 1, 1024);
	LocalTensor<float> a = queue.AllocTensor<float>();
	queue.FreeTensor(a);
	queue.EnQue(a);	/* here */
}

/* InitBuffer 3: 60000 bytes wanted, of 196608 there are 44544 left */
extern "C" __global__ __aicore__ void no_room(GM_ADDR)
{
	TPipe pipe;
	TQue<TPosition::VECIN, 1> in;
	TBuf<TPosition::VECCALC> big, more;

	pipe.InitBuffer(in, 2, 1024);
	pipe.InitBuffer(big, 150000);
	pipe.InitBuffer(more, 60000);	/* here */
}

/* DataCopy: 44 bytes are no multiple of 32: the first 32 would be copied */
extern "C" __global__ __aicore__ void odd_copy(GM_ADDR)
{
	LocalTensor<float> a(TPosition::VECCALC, 0, 64), b(TPosition::VECCALC, 256, 64);

	Duplicate(a, 1.0f, 64);
	PipeBarrier<PIPE_ALL>();
	DataCopy(b, a, 11);	/* here */
}

/* Hccl::Init: kernels cannot communicate with other devices here */
extern "C" __global__ __aicore__ void communicates(GM_ADDR p)
{
	Hccl<HCCL_SERVER_TYPE_AICPU> hccl;

	hccl.Init(p);	/* here */
}

/* FreeTensor: the tensor is not from AllocTensor() or DeQue() of this queue */
extern "C" __global__ __aicore__ void other_queue(GM_ADDR)
{
	TPipe pipe;
	TQue<TPosition::VECIN, 1> in, other;

	pipe.InitBuffer(in, 1, 1024);
	pipe.InitBuffer(other, 1, 1024);
	LocalTensor<float> a = in.AllocTensor<float>();
	other.FreeTensor(a);	/* here */
}

/* DeQue() is missing: the tensor of AllocTensor() at 0x */
extern "C" __global__ __aicore__ void never_taken(GM_ADDR)
{
	TPipe pipe;
	TQue<TPosition::VECIN, 1> queue;

	pipe.InitBuffer(queue, 1, 1024);
	LocalTensor<float> a = queue.AllocTensor<float>();
	queue.EnQue(a);
}	/* here */

/* FreeTensor() is missing: the tensor of AllocTensor() at 0x */
extern "C" __global__ __aicore__ void left(GM_ADDR)
{
	TPipe pipe;
	TQue<TPosition::VECIN, 1> queue;

	pipe.InitBuffer(queue, 2, 1024);
	queue.FreeTensor(queue.AllocTensor<float>());
	queue.AllocTensor<float>();
}	/* here */

/* UB+0x400: the index is too large, the tensor's buffer ends at UB+0x400 */
extern "C" __global__ __aicore__ void index_too_large(GM_ADDR)
{
	TPipe pipe;
	TBuf<TPosition::VECCALC> first, second;

	pipe.InitBuffer(first, 1024);
	pipe.InitBuffer(second, 1024);
	LocalTensor<float> a = first.Get<float>(128);
	a.SetValue(255, 1.0f); /* more than the tensor has, and in its buffer */
	a.SetValue(256, 1.0f);	/* here */
}

/* VDUP: dst 0x100400 is a part of a tensor that begins outside of the tensor's buffer */
extern "C" __global__ __aicore__ void offset_too_large(GM_ADDR)
{
	TPipe pipe;
	TQue<TPosition::VECIN, 1> queue;

	pipe.InitBuffer(queue, 2, 1024);
	LocalTensor<float> a = queue.AllocTensor<float>(), end = a[256];
	Duplicate(a[128][-128], 1.0f, 64); /* the way back, which is in the buffer */
	Duplicate(a[248], 1.0f, 8);
	Duplicate(end, 1.0f, 8);	/* here */
}

/* write at 0x100400, which is a part of a tensor that begins outside of the tensor's buffer */
extern "C" __global__ __aicore__ void value_of_part(GM_ADDR)
{
	TPipe pipe;
	TBuf<TPosition::VECCALC> first, second;

	pipe.InitBuffer(first, 1024);
	pipe.InitBuffer(second, 1024);
	first.Get<float>()[256].SetValue(0, 1.0f);	/* here */
}

/* AllocTensor: all buffers of the queue are in use; FreeTensor() gives one back */
extern "C" __global__ __aicore__ void never_freed(GM_ADDR)
{
	TPipe pipe;
	TQue<TPosition::VECIN, 1> queue;

	pipe.InitBuffer(queue, 2, 1024);
	for (int i = 0; i < 3; i++) {
		LocalTensor<float> a = queue.AllocTensor<float>();	/* here */
		queue.EnQue(a);
		a = queue.DeQue<float>();
	}
}

/* DeQue: the queue is empty; EnQue() a tensor first */
extern "C" __global__ __aicore__ void taken_too_often(GM_ADDR)
{
	TPipe pipe;
	TQue<TPosition::VECIN, 1> queue;

	pipe.InitBuffer(queue, 2, 1024);
	LocalTensor<float> a = queue.AllocTensor<float>();
	queue.EnQue(a);
	a = queue.DeQue<float>();
	queue.FreeTensor(a);
	a = queue.DeQue<float>();	/* here */
}

/* SETFLAG MTE2 to V event 3: still set at the block's end */
extern "C" __global__ __aicore__ void flag_left(GM_ADDR)
{
	SetFlag<HardEvent::MTE2_V>(EVENT_ID3);	/* here */
}

/* ProposalConcat, ProposalExtract: the mode is 0 to 5 */
extern "C" __global__ __aicore__ void no_such_field(GM_ADDR)
{
	LocalTensor<half> a(TPosition::VECCALC, 0, 128), b(TPosition::VECCALC, 256, 16);

	Duplicate(b, half(1), 16);
	Duplicate(a, half(1), 128);
	ProposalConcat(a, b, 1, 6);	/* here */
}
