// SPDX-License-Identifier: MIT
/* UB has what the generation has that the source is compiled for: a TPipe hands out all of it, and vectors reach its end. */
#include "unit.h"

#if __NPU_ARCH__ >= 3510
#define UB_BYTES	(248 << 10)
#elif __NPU_ARCH__ == 2002
#define UB_BYTES	(256 << 10)
#else
#define UB_BYTES	(192 << 10)
#endif

static_assert(GetUBSizeInBytes() == UB_BYTES && TOTAL_UB_SIZE == UB_BYTES);

TEST(all_of_it)
{
	TPipe pipe;
	TQue<TPosition::VECIN, 1> in;
	TQue<TPosition::VECOUT, 1> out;

	assert(GetRuntimeUBSize() == UB_BYTES);
	pipe.InitBuffer(in, 1, UB_BYTES / 2);
	pipe.InitBuffer(out, 1, UB_BYTES / 2);
	LocalTensor<int32_t> a = in.AllocTensor<int32_t>(), b = out.AllocTensor<int32_t>();
	Duplicate(a, 5, UB_BYTES / 8);
	Adds(b, a, 2, UB_BYTES / 8);
	PipeBarrier<PIPE_ALL>();
	assert(a(0) == 5 && a(UB_BYTES / 8 - 1) == 5 && b(0) == 7 && b(UB_BYTES / 8 - 1) == 7);
	assert(b.GetPhyAddr() + UB_BYTES / 2 == uintptr_t(ANPU_UB(UB_BYTES)));
	in.FreeTensor(a);
	out.FreeTensor(b);
}

/* Working memory of the high-level API is behind the buffers, at the end of this UB */
TEST(scratch_at_the_end)
{
	TPipe pipe;
	TBuf<TPosition::VECCALC> data;
	LocalTensor<uint8_t> rest;

	pipe.InitBuffer(data, 32768);
	assert((PopStackBuffer<uint8_t, TPosition::VECCALC>(rest)) && rest.GetSize() == UB_BYTES - 32768);
	rest.SetValue(UB_BYTES - 32768 - 1, 9);
	assert(*reinterpret_cast<__ubuf__ uint8_t *>(uintptr_t(ANPU_UB(UB_BYTES - 1))) == 9);
}
