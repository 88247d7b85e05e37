/* SPDX-License-Identifier: MIT */
/* y = a * x + y, declared as in Ascend C; every block takes its share. */
#include "kernel_operator.h"

extern "C" __global__ __aicore__ void axpy(GM_ADDR x_gm, GM_ADDR y_gm, float a, uint32_t n)
{
	const float *x = reinterpret_cast<const float *>(x_gm);
	float *y = reinterpret_cast<float *>(y_gm);
	constexpr uint32_t tile = 4096;
	uint64_t first;
	uint64_t count = anpu_share(n, 8, &first);

	for (uint64_t at = first; at < first + count; at += tile) {
		uint64_t left = first + count - at;
		uint32_t now = left < tile ? left : tile;

		anpu_copy(ANPU_UB(0), x + at, now * sizeof(float));
		anpu_copy(ANPU_UB(32768), y + at, now * sizeof(float));
		anpu_pipebar(ANPU_PIPE_ALL);
		anpu_vbins(ANPU_UB(0), ANPU_UB(0), anpu_bits_f32(a),
			   ANPU_CTL(now, ANPU_TYPE_F32, ANPU_BIN_MUL));
		anpu_vbin(ANPU_UB(65536), ANPU_UB(0), ANPU_UB(32768),
			  ANPU_CTL(now, ANPU_TYPE_F32, ANPU_BIN_ADD));
		anpu_pipebar(ANPU_PIPE_ALL);
		anpu_copy(y + at, ANPU_UB(65536), now * sizeof(float));
		anpu_pipebar(ANPU_PIPE_ALL);
	}
}
