// SPDX-License-Identifier: MIT
/* The cost of an empty block, by the number of blocks of its launch. */
#include "rows.h"

void bench_blocks(const struct bench *b)
{
	static const char *const names[] = { "block_of_1", "block_of_8", "block_of_64",
					     "block_of_1024" };
	static const uint32_t blocks[] = { 1, 8, 64, 1024 };
	struct launch launches[4];
	struct row rows[4];

	for (int i = 0; i < 4; i++) {
		launches[i] = (struct launch){
			.device = b->all,
			.kernel = bench_kernel(b, "empty", "empty"),
			.blocks = blocks[i],
			.launches = 4096 / blocks[i] < 1000 ? 4096 / blocks[i] : 1000,
		};
		rows[i] = (struct row){ names[i], BENCH_NS, i ? names[0] : NULL, 0, measure_launch,
					&launches[i],
					.parts = (uint64_t)launches[i].launches * blocks[i] };
	}
	measure_rows(rows, 4, b->quick ? 3 : 101);
}
