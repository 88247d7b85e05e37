// SPDX-License-Identifier: MIT
/* The sample operators through libacl: the results are those of the host's wide arithmetic. */
#include "../../unit/operators/samples.h"
#include "../acltest.h"

static void run_sample(const struct sample *s, uint32_t blocks)
{
	unsigned int last = s->buffers - 1;
	uint64_t args[SAMPLE_SLOTS];
	void *dev[SAMPLE_BUFFERS], *result = malloc(s->size[last]);
	char path[256], why[256];
	aclrtFuncHandle func;
	aclrtBinHandle bin;

	snprintf(path, sizeof(path), "build/operators/%s.o", s->file);
	bin = load(path);
	ACL(aclrtBinaryGetFunction(bin, s->kernel, &func));
	for (unsigned int i = 0; i < s->buffers; i++) {
		dev[i] = dev_alloc(s->size[i]);
		if (i < last)
			ACL(aclrtMemcpy(dev[i], s->size[i], s->data[i], s->size[i],
					ACL_MEMCPY_HOST_TO_DEVICE));
	}
	memcpy(args, s->args, sizeof(args));
	for (unsigned int i = 0; i < s->slots; i++)
		if (s->buffer_of[i] >= 0)
			args[i] = U64(dev[s->buffer_of[i]]);
	ACL(aclrtLaunchKernelWithHostArgs(func, blocks, NULL, NULL, args, s->slots * 8, NULL, 0));
	ACL(aclrtSynchronizeStream(NULL));
	ACL(aclrtMemcpy(result, s->size[last], dev[last], s->size[last], ACL_MEMCPY_DEVICE_TO_HOST));
	if (!sample_check(s, result, why, sizeof(why)))
		FAIL("%s of %u x %u x %u: %s", s->kernel, s->rows, s->cols, s->k, why);
	for (unsigned int i = 0; i < s->buffers; i++)
		ACL(aclrtFree(dev[i]));
	ACL(aclrtBinaryUnLoad(bin));
	free(result);
}

/* So many numbers the VM's slow processor can check in a moment. */
#define LIMIT	2200000ULL

/* All samples of a file that are not too large */
static void run_file(const char *file)
{
	unsigned int found = 0;

	start();
	for (unsigned int i = 0; i < sample_count(); i++) {
		struct sample s;

		sample_make(&s, i);
		if (!strcmp(s.file, file) && (uint64_t)s.rows * s.cols * (s.k ? s.k : 1) < LIMIT) {
			found++;
			run_sample(&s, 1 + i % 9);
		}
		sample_free(&s);
	}
	CHECK(found > 0);
}

static void vadd(void)
{
	run_file("vadd");
}

static void matmul(void)
{
	run_file("matmul");
}

static void softmax(void)
{
	run_file("softmax");
}

static void layernorm(void)
{
	run_file("layernorm");
}

static void reduce(void)
{
	run_file("reduce");
}

TAP_MAIN(TEST(vadd), TEST_SECONDS(matmul, 120), TEST_SECONDS(softmax, 120), TEST(layernorm), TEST(reduce))
