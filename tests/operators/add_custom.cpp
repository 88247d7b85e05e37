// SPDX-License-Identifier: MIT
/* A kernel declared as Ascend C does it, on the intrinsics. */
#include "kernel_operator.h"

extern "C" __global__ __aicore__ void add_custom(GM_ADDR x, GM_ADDR y, GM_ADDR z, uint32_t n)
{
	constexpr uint32_t tile = 8192;
	uint64_t first;
	uint64_t count = anpu_share(n, 16, &first);

	for (uint64_t at = first; at < first + count; at += tile) {
		uint64_t left = first + count - at;
		uint32_t now = left < tile ? left : tile;

		anpu_copy(ANPU_UB(0), x + at * sizeof(half), now * sizeof(half));
		anpu_copy(ANPU_UB(32768), y + at * sizeof(half), now * sizeof(half));
		anpu_pipebar(ANPU_PIPE_ALL);
		anpu_vbin(ANPU_UB(65536), ANPU_UB(0), ANPU_UB(32768),
			  ANPU_CTL(now, ANPU_TYPE_F16, ANPU_BIN_ADD));
		anpu_pipebar(ANPU_PIPE_ALL);
		anpu_copy(z + at * sizeof(half), ANPU_UB(65536), now * sizeof(half));
		anpu_pipebar(ANPU_PIPE_ALL);
	}
}
