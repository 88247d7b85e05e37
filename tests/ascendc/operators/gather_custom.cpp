// SPDX-License-Identifier: MIT
/* y[i] = table[index[i]], rows of dim elements of half; an index outside of the table gives zeroes */
#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void gather_custom(GM_ADDR table, GM_ADDR index, GM_ADDR y, uint32_t entries, uint32_t n, uint32_t dim)
{
	TPipe pipe;
	TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
	GlobalTensor<half> tableGm, yGm;
	GlobalTensor<int32_t> indexGm;
	DataCopyExtParams copy{1, static_cast<uint32_t>(dim * sizeof(half)), 0, 0, 0};
	DataCopyPadExtParams<half> pad{false, 0, 0, half(0)};

	tableGm.SetGlobalBuffer((__gm__ half *)table);
	indexGm.SetGlobalBuffer((__gm__ int32_t *)index);
	yGm.SetGlobalBuffer((__gm__ half *)y);
	pipe.InitBuffer(queue, 2, AlignUp(dim, 16) * sizeof(half));
	for (uint32_t i = GetBlockIdx(); i < n; i += GetBlockNum()) {
		int32_t at = indexGm.GetValue(i);
		LocalTensor<half> row = queue.AllocTensor<half>();

		if (at >= 0 && static_cast<uint32_t>(at) < entries) {
			DataCopyPad(row, tableGm[static_cast<uint64_t>(at) * dim], copy, pad);
		} else {
			/* the queue's flags order the copies, not the vector unit: it waits for all, and all for it */
			PipeBarrier<PIPE_ALL>();
			Duplicate(row, half(0), static_cast<int32_t>(dim));
			PipeBarrier<PIPE_ALL>();
		}
		queue.EnQue(row);
		row = queue.DeQue<half>();
		DataCopyPad(yGm[static_cast<uint64_t>(i) * dim], row, copy);
		queue.FreeTensor(row);
	}
}
