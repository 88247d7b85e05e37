// SPDX-License-Identifier: MIT
/* y = transposed x, a matrix of half of any size, in tiles of 16 x 16 */
#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void transpose_custom(GM_ADDR x, GM_ADDR y, uint32_t rows, uint32_t cols)
{
	constexpr uint32_t TILE = 16;
	TPipe pipe;
	TQue<TPosition::VECIN, 1> in;
	TQue<TPosition::VECOUT, 1> out;
	GlobalTensor<half> xGm, yGm;
	uint32_t across = (cols + TILE - 1) / TILE, tiles = across * ((rows + TILE - 1) / TILE);

	xGm.SetGlobalBuffer((__gm__ half *)x);
	yGm.SetGlobalBuffer((__gm__ half *)y);
	pipe.InitBuffer(in, 2, TILE * TILE * sizeof(half));
	pipe.InitBuffer(out, 2, TILE * TILE * sizeof(half));
	for (uint32_t tile = GetBlockIdx(); tile < tiles; tile += GetBlockNum()) {
		uint32_t row = tile / across * TILE, col = tile % across * TILE;
		uint32_t height = rows - row < TILE ? rows - row : TILE, width = cols - col < TILE ? cols - col : TILE;
		DataCopyExtParams load{static_cast<uint16_t>(height), static_cast<uint32_t>(width * sizeof(half)),
				       static_cast<int64_t>((cols - width) * sizeof(half)), 0, 0};
		DataCopyExtParams store{static_cast<uint16_t>(width), static_cast<uint32_t>(height * sizeof(half)), 0,
					static_cast<int64_t>((rows - height) * sizeof(half)), 0};
		LocalTensor<half> a = in.AllocTensor<half>();

		/* the rows that a tile at the edge lacks are zeroes, which nobody reads */
		Duplicate(a, half(0), static_cast<int32_t>(TILE * TILE));
		TEventID cleared = pipe.FetchEventID(HardEvent::V_MTE2);
		SetFlag<HardEvent::V_MTE2>(cleared);
		WaitFlag<HardEvent::V_MTE2>(cleared);
		DataCopyPad(a, xGm[static_cast<uint64_t>(row) * cols + col], load, {false, 0, 0, half(0)});
		in.EnQue(a);
		a = in.DeQue<half>();
		LocalTensor<half> b = out.AllocTensor<half>();
		Transpose(b, a);
		in.FreeTensor(a);
		out.EnQue(b);
		b = out.DeQue<half>();
		DataCopyPad(yGm[static_cast<uint64_t>(col) * rows + row], b, store);
		out.FreeTensor(b);
	}
}
