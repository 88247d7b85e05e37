// SPDX-License-Identifier: MIT
/* Copies by aclrtMemcpy(), in each direction, from and to pinned and pageable memory. See copies.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <acl/acl.h>

#include "copies.h"
#include "stats.h"

#define MIB (1024UL * 1024)

#define ACL(call) do { \
	aclError err_ = (call); \
	if (err_ != ACL_SUCCESS) { \
		const char *msg_ = aclGetRecentErrMsg(); \
		fprintf(stderr, "bench: %s returned %d: %s\n", #call, err_, msg_ ? msg_ : ""); \
		exit(1); \
	} \
} while (0)

static void *memory(size_t size)
{
	void *p = malloc(size);

	if (!p) {
		perror("bench: memory");
		exit(1);
	}
	return p;
}

static const struct {
	const char *suffix;
	size_t bytes;
	size_t runs;
	enum bench_unit unit;
} sizes[] = {
	/* A small copy costs its call, a large one its bytes. The first to memory is slow, and is not to be one in a hundred. */
	{ "4K", 4096, 2000, BENCH_NS },
	{ "1M", MIB, 1000, BENCH_MBPS },
	{ "64M", 64 * MIB, 11, BENCH_MBPS },
};

struct copy_case {
	const char *direction;
	const char *memory;
	void *dst;
	void *src;
	aclrtMemcpyKind kind;
};

static void bench_copy(const struct copy_case *c, const char *const floors[])
{
	for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++) {
		size_t runs = bench_samples(sizes[k].runs);
		uint64_t *s = memory(runs * sizeof(*s));
		char name[64];

		for (size_t i = 0; i < runs; i++) {
			uint64_t t = bench_now();

			ACL(aclrtMemcpy(c->dst, 64 * MIB, c->src, sizes[k].bytes, c->kind));
			s[i] = bench_now() - t;
		}
		snprintf(name, sizeof(name), "copy_%s_%s_%s", c->direction, c->memory, sizes[k].suffix);
		bench_add(name, sizes[k].unit, s, runs, sizes[k].bytes, floors[k]);
		free(s);
	}
}

void bench_copies(const char *floor_4k, const char *floor_1m, const char *floor_64m)
{
	const char *const floors[] = { floor_4k, floor_1m, floor_64m };
	void *dev, *dev2, *pinned, *pageable = memory(64 * MIB);

	ACL(aclrtMalloc(&dev, 64 * MIB, ACL_MEM_MALLOC_HUGE_FIRST));
	ACL(aclrtMalloc(&dev2, 64 * MIB, ACL_MEM_MALLOC_HUGE_FIRST));
	ACL(aclrtMallocHost(&pinned, 64 * MIB));
	memset(pinned, 1, 64 * MIB);
	memset(pageable, 2, 64 * MIB);

	const struct copy_case cases[] = {
		{ "h2d", "pinned", dev, pinned, ACL_MEMCPY_HOST_TO_DEVICE },
		{ "h2d", "pageable", dev, pageable, ACL_MEMCPY_HOST_TO_DEVICE },
		{ "d2h", "pinned", pinned, dev, ACL_MEMCPY_DEVICE_TO_HOST },
		{ "d2h", "pageable", pageable, dev, ACL_MEMCPY_DEVICE_TO_HOST },
		/* No host memory takes part: two measurements of the same path. */
		{ "d2d", "pinned", dev2, dev, ACL_MEMCPY_DEVICE_TO_DEVICE },
		{ "d2d", "pageable", dev2, dev, ACL_MEMCPY_DEVICE_TO_DEVICE },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		bench_copy(&cases[i], floors);
	ACL(aclrtFree(dev));
	ACL(aclrtFree(dev2));
	ACL(aclrtFreeHost(pinned));
	free(pageable);
}
