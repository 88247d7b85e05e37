// SPDX-License-Identifier: MIT
/*
 * y[i] = table[index[i]], rows of dim elements of half; an index outside of the table gives zeroes. As many rows as a buffer holds are
 * loaded one by one and stored together.
 */
#include "kernel_operator.h"

using namespace AscendC;

constexpr uint32_t ROOM = 16384; // elements of a buffer, a row at least
constexpr uint32_t ROWS = 256;	 // of a buffer at most

extern "C" __global__ __aicore__ void gather_custom(GM_ADDR table, GM_ADDR index, GM_ADDR y, uint32_t entries, uint32_t n, uint32_t dim)
{
	TPipe pipe;
	TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
	GlobalTensor<half> tableGm, yGm;
	GlobalTensor<int32_t> indexGm;
	uint32_t wide = AlignUp(dim, 16), fit = ROOM / wide, most = fit < 1 ? 1 : fit < ROWS ? fit : ROWS;
	DataCopyExtParams load{1, static_cast<uint32_t>(dim * sizeof(half)), 0, 0, 0};
	DataCopyPadExtParams<half> pad{false, 0, 0, half(0)};

	tableGm.SetGlobalBuffer((__gm__ half *)table);
	indexGm.SetGlobalBuffer((__gm__ int32_t *)index);
	yGm.SetGlobalBuffer((__gm__ half *)y);
	pipe.InitBuffer(queue, 2, most * wide * sizeof(half));
	for (uint32_t first = GetBlockIdx() * most; first < n; first += GetBlockNum() * most) {
		uint32_t rows = n - first < most ? n - first : most;
		DataCopyExtParams store{static_cast<uint16_t>(rows), static_cast<uint32_t>(dim * sizeof(half)), 0, 0, 0};
		LocalTensor<half> tile = queue.AllocTensor<half>();

		for (uint32_t i = 0; i < rows; i++) {
			int32_t at = indexGm.GetValue(first + i);

			if (at >= 0 && static_cast<uint32_t>(at) < entries) {
				DataCopyPad(tile[i * wide], tableGm[static_cast<uint64_t>(at) * dim], load, pad);
			} else {
				/* the queue's flags order the copies, not the vector unit: it waits for all, and all for it */
				PipeBarrier<PIPE_ALL>();
				Duplicate(tile[i * wide], half(0), static_cast<int32_t>(dim));
				PipeBarrier<PIPE_ALL>();
			}
		}
		queue.EnQue(tile);
		tile = queue.DeQue<half>();
		DataCopyPad(yGm[static_cast<uint64_t>(first) * dim], tile, store);
		queue.FreeTensor(tile);
	}
}
