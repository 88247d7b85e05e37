// SPDX-License-Identifier: MIT
/* The kernel of AddLists: adds one number, and the tensor's number of dimensions and last dimension, to each tensor of a list. */
#include "kernel_operator.h"

using namespace AscendC;

/* The host's part has a constant by this name, of another type. */
constexpr uint64_t LONGEST_LIST = 4;

extern "C" __global__ __aicore__ void add_lists(GM_ADDR x, GM_ADDR add, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
	GET_TILING_DATA(data, tiling);
	ListTensorDesc from((__gm__ void *)x), to((__gm__ void *)y);
	TPipe pipe;
	TBuf<TPosition::VECCALC> buffer;
	uint64_t dims[8];

	pipe.InitBuffer(buffer, 4096);
	LocalTensor<float> local = buffer.Get<float>();
	for (uint32_t i = 0; i < data.count && i < LONGEST_LIST; i++) {
		GlobalTensor<float> in, out;
		TensorDesc<float> shape;
		DataCopyExtParams copy{1, static_cast<uint32_t>(data.sizes[i] * sizeof(float)), 0, 0, 0};

		shape.SetShapeAddr(dims);
		from.GetDesc(shape, i);
		in.SetGlobalBuffer(from.GetDataPtr<float>(i));
		out.SetGlobalBuffer(to.GetDataPtr<float>(i));
		float number = *(__gm__ float *)add + 100 * shape.GetDim() + 1000 * shape.GetShape(shape.GetDim() - 1);

		DataCopyPad(local, in, copy, {false, 0, 0, 0});
		PipeBarrier<PIPE_ALL>();
		Adds(local, local, number, static_cast<int32_t>(data.sizes[i]));
		PipeBarrier<PIPE_ALL>();
		DataCopyPad(out, local, copy);
		PipeBarrier<PIPE_ALL>();
	}
}
