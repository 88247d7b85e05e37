/* SPDX-License-Identifier: MIT */
/*
 * Two devices: a thread uses one at a time. aclrtSetDevice() switches and counts, to be undone by
 * as many aclrtResetDevice(); aclrtSetCurrentContext() only switches. Streams, memory and operators
 * belong to the device they were made on; data goes between devices by copies.
 */
#include "sample.h"

enum { N = 1000, DEVICES = 2 };

struct part {
	aclrtContext context;
	aclrtBinHandle binary;
	aclrtFuncHandle sum;
	aclrtStream stream;
	void *words;
	uint64_t *result;
};

static void prepare(struct part *p, int device, const char *argv0)
{
	CHECK(aclrtSetDevice(device));
	CHECK(aclrtGetCurrentContext(&p->context));
	p->binary = sample_load(argv0, "devices");
	p->sum = sample_function(p->binary, "sum");
	CHECK(aclrtCreateStream(&p->stream));
	p->words = sample_device_memory(N * sizeof(uint32_t));
	p->result = sample_device_memory(sizeof(*p->result));
}

static void queue_sum(struct part *p)
{
	struct {
		void *words;
		uint64_t n;
		void *result;
	} args = { p->words, N, p->result };

	CHECK(aclrtLaunchKernelWithHostArgs(p->sum, 1, p->stream, NULL, &args, sizeof(args), NULL,
					    0));
}

static void finish(struct part *p, int device)
{
	uint64_t result;

	CHECK(aclrtSetCurrentContext(p->context));
	CHECK(aclrtSynchronizeStream(p->stream));
	CHECK(aclrtMemcpy(&result, sizeof(result), p->result, sizeof(result),
			  ACL_MEMCPY_DEVICE_TO_HOST));
	printf("device %d: the sum is %llu\n", device, (unsigned long long)result);
	CHECK(aclrtFree(p->result));
	CHECK(aclrtFree(p->words));
	CHECK(aclrtDestroyStream(p->stream));
	CHECK(aclrtBinaryUnLoad(p->binary));
	CHECK(aclrtResetDevice(device));
}

int main(int argc, char **argv)
{
	struct part part[DEVICES];
	uint32_t words[N], count;
	int32_t reachable;

	(void)argc;
	CHECK(aclInit(NULL));
	CHECK(aclrtGetDeviceCount(&count));
	if (count < DEVICES) {
		fprintf(stderr, "devices: this sample needs two devices, and there %s\n",
			count ? "is one" : "is none");
		return 1;
	}
	for (int i = 0; i < DEVICES; i++)
		prepare(&part[i], i, argv[0]);

	for (uint32_t i = 0; i < N; i++)
		words[i] = i;
	CHECK(aclrtMemcpy(part[0].words, sizeof(words), words, sizeof(words),
			  ACL_MEMCPY_HOST_TO_DEVICE));
	CHECK(aclrtDeviceCanAccessPeer(&reachable, 1, 0));
	printf("device 1 %s device 0\n", reachable ? "reaches" : "does not reach");
	CHECK(aclrtDeviceEnablePeerAccess(0, 0)); /* from the thread's device, 1, to 0 */
	CHECK(aclrtMemcpy(part[1].words, sizeof(words), part[0].words, sizeof(words),
			  ACL_MEMCPY_DEVICE_TO_DEVICE));

	/* both work at the same time */
	for (int i = 0; i < DEVICES; i++) {
		CHECK(aclrtSetCurrentContext(part[i].context));
		queue_sum(&part[i]);
	}
	CHECK(aclrtDeviceDisablePeerAccess(0));
	for (int i = 0; i < DEVICES; i++)
		finish(&part[i], i);
	CHECK(aclFinalize());
	return 0;
}
