// SPDX-License-Identifier: MIT
/*
 * The sample operators on the model's own scheduler: on one thread and on several, with few and many
 * blocks, and in the checking mode, which finds reads of what nobody wrote and races between pipes.
 * Tensors begin at odd elements, and nothing beside the result may change.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <anpu/anpu_packet.h>

#include "../../bench/cores/device.h"
#include "samples.h"

#define BUFFER_BYTES	(4ULL << 20)
#define CANARY		0xc5

static uint8_t *buffers[SAMPLE_BUFFERS];
static char *operators;

/* how often and where each sample runs */
static const struct {
	const char *how;
	unsigned int threads;
	uint32_t blocks;
	uint16_t flags;
} ways[] = {
	{ "one block", 1, 1, 0 },
	{ "7 blocks on 3 threads", 3, 7, 0 },
	{ "2 blocks, checked", 1, 2, ANPU_KERNEL_CHECK },
};

static bool run(const struct sample *s, struct device *d, unsigned int way, char *why, size_t size)
{
	unsigned int last = s->buffers - 1;
	uint64_t args[SAMPLE_SLOTS];
	char path[4096];
	struct kernel k;

	snprintf(path, sizeof(path), "%s/%s.o", operators, s->file);
	k = kernel_load(path, s->kernel);
	k.flags = ways[way].flags;
	memcpy(args, s->args, sizeof(args));
	for (unsigned int i = 0; i < s->slots; i++)
		if (s->buffer_of[i] >= 0)
			args[i] = memory_va(buffers[s->buffer_of[i]] + 4);
	for (unsigned int i = 0; i < last; i++)
		memcpy(buffers[i] + 4, s->data[i], s->size[i]);
	memset(buffers[last], CANARY, s->size[last] + 64);
	device_run(d, &k, ways[way].blocks, args, s->slots, 1);
	for (size_t i = 0; i < s->size[last] + 64; i++)
		if ((i < 4 || i >= s->size[last] + 4) && buffers[last][i] != CANARY) {
			snprintf(why, size, "byte %zd of %zu was written", (ssize_t)i - 4,
				 s->size[last]);
			return false;
		}
	return sample_check(s, buffers[last] + 4, why, size);
}

/* Of the bytes of a result, to compare what two machines have computed */
static uint64_t sum(const struct sample *s)
{
	const uint8_t *result = buffers[s->buffers - 1] + 4;
	uint64_t h = 0xcbf29ce484222325;

	for (size_t i = 0; i < s->size[s->buffers - 1]; i++)
		h = (h ^ result[i]) * 0x100000001b3;
	return h;
}

/* samples_test [DIRECTORY OF OPERATORS [N]]: every Nth sample only, and a checksum of each result */
int main(int argc, char **argv)
{
	enum { WAYS = sizeof(ways) / sizeof(ways[0]) };
	unsigned int test = 0, bad = 0, every = argc > 2 ? (unsigned int)atoi(argv[2]) : 1;
	struct device *devices[WAYS];
	char why[256];

	operators = argc > 1 ? argv[1] : "build/operators";
	memory_init(128ULL << 20);
	for (unsigned int i = 0; i < SAMPLE_BUFFERS; i++)
		buffers[i] = memory_alloc(BUFFER_BYTES);
	for (unsigned int i = 0; i < WAYS; i++)
		devices[i] = device_new(ways[i].threads);
	printf("1..%u\n", (sample_count() + every - 1) / every * WAYS);
	for (unsigned int i = 0; i < sample_count(); i += every) {
		struct sample s;

		sample_make(&s, i);
		for (unsigned int w = 0; w < WAYS; w++) {
			bool good = run(&s, devices[w], w, why, sizeof(why));

			bad += !good;
			printf("%sok %u - %s of %u x %u x %u, %s\n", good ? "" : "not ", ++test,
			       s.kernel, s.rows, s.cols, s.k, ways[w].how);
			if (!good)
				printf("# %s\n", why);
			else if (argc > 2)
				printf("# sum %016llx\n", (unsigned long long)sum(&s));
		}
		sample_free(&s);
	}
	for (unsigned int i = 0; i < WAYS; i++)
		device_free(devices[i]);
	return bad != 0;
}
