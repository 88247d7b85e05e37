// SPDX-License-Identifier: MIT
/*
 * y = transposed x, a matrix of half of any size, in tiles of 64 x 64: an instruction turns 16 rows, and its repeats go along them, 16 columns
 * each.
 */
#include "kernel_operator.h"

using namespace AscendC;

constexpr uint32_t TILE = 64, GROUP = 16;

/* b = a turned: columns of @rows rows become rows */
__aicore__ inline void Turn(const LocalTensor<half> &b, const LocalTensor<half> &a, uint32_t rows)
{
	/* from a repeat to the next: 16 columns in a are a block of 32 bytes; 16 rows in b lie as far apart as they are long */
	TransDataTo5HDParams along{false, false, TILE / GROUP, GROUP * TILE / GROUP, 1};

	for (uint32_t row = 0; row < rows; row += GROUP) {
		LocalTensor<half> to[GROUP], from[GROUP];

		for (uint32_t i = 0; i < GROUP; i++) {
			to[i] = b[i * TILE + row];
			from[i] = a[(row + i) * TILE];
		}
		TransDataTo5HD<half>(to, from, along);
	}
}

extern "C" __global__ __aicore__ void transpose_custom(GM_ADDR x, GM_ADDR y, uint32_t rows, uint32_t cols)
{
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
		/* rows of the tile lie TILE apart in UB, in blocks of 32 bytes */
		DataCopyExtParams load{static_cast<uint16_t>(height), static_cast<uint32_t>(width * sizeof(half)),
				       static_cast<int64_t>((cols - width) * sizeof(half)),
				       static_cast<int64_t>((TILE - width) / GROUP), 0};
		DataCopyExtParams store{static_cast<uint16_t>(width), static_cast<uint32_t>(height * sizeof(half)),
					static_cast<int64_t>((TILE - height) / GROUP),
					static_cast<int64_t>((rows - height) * sizeof(half)), 0};
		LocalTensor<half> a = in.AllocTensor<half>();

		if (height < TILE || width < TILE) {
			/* what a tile at the edge lacks is zero, and is not stored */
			Duplicate(a, half(0), static_cast<int32_t>(TILE * TILE));
			TEventID cleared = pipe.FetchEventID(HardEvent::V_MTE2);
			SetFlag<HardEvent::V_MTE2>(cleared);
			WaitFlag<HardEvent::V_MTE2>(cleared);
		}
		DataCopyPad(a, xGm[static_cast<uint64_t>(row) * cols + col], load, {false, 0, 0, half(0)});
		in.EnQue(a);
		a = in.DeQue<half>();
		LocalTensor<half> b = out.AllocTensor<half>();
		Turn(b, a, height);
		in.FreeTensor(a);
		out.EnQue(b);
		b = out.DeQue<half>();
		DataCopyPad(yGm[static_cast<uint64_t>(col) * rows + row], b, store);
		out.FreeTensor(b);
	}
}
