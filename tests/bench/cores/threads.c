// SPDX-License-Identifier: MIT
/* Threads of a block beside loops that do the same in one thread per block. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rows.h"

#define ELEMENTS	262144
#define WIDTH		512
#define THREADS		256
#define LOOP_BLOCKS	8
#define SHARED_BYTES	1024	/* of each kernel, at most */

void bench_threads(const struct bench *b)
{
	static const char *const names[] = { "saxpy", "stencil", "sum", "histogram" };
	enum { N = sizeof(names) / sizeof(names[0]) };
	uint32_t *values = memory_alloc(4 * ELEMENTS);
	uint64_t in = memory_va(values), out = memory_va(memory_alloc(4 * ELEMENTS));
	const uint64_t args[N][4] = {
		{ 0x40000000, in, out, ELEMENTS }, { in, out, WIDTH, ELEMENTS }, { in, out, ELEMENTS }, { in, out, ELEMENTS },
	};
	/* saxpy and stencil have a thread for each element, the others some for each thread */
	const uint32_t blocks[N] = { ELEMENTS / THREADS, ELEMENTS / THREADS, LOOP_BLOCKS, LOOP_BLOCKS };
	struct launch launches[2 * N];
	struct row rows[2 * N];

	for (uint32_t i = 0; i < ELEMENTS; i++)
		values[i] = 0x3f800000 | i * 2654435761u >> 9;
	for (int i = 0; i < 2 * N; i++) {
		char name[2][64];

		snprintf(name[0], sizeof(name[0]), "loop_%s", names[i / 2]);
		snprintf(name[1], sizeof(name[1]), "threads_%s", names[i / 2]);
		launches[i] = (struct launch){ .device = b->one, .kernel = kernel_load(b->threads_file, name[i % 2]),
					       .blocks = i % 2 ? blocks[i / 2] : LOOP_BLOCKS,
					       .slots = 4, .launches = 4 };
		launches[i].kernel.threads = i % 2 ? THREADS : 1;
		launches[i].kernel.shared = SHARED_BYTES;
		memcpy(launches[i].args, args[i / 2], sizeof(args[0]));
		rows[i] = (struct row){ strdup(name[i % 2]), BENCH_MELS, i % 2 ? strdup(name[0]) : NULL,
					4 * ELEMENTS, measure_launch, &launches[i], .threads = 1 };
	}
	measure_rows(rows, 2 * N, b->quick ? 1 : 31);
}
