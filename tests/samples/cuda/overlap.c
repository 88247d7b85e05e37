// SPDX-License-Identifier: MIT
/*
 * A producer and a consumer under programmatic stream serialisation: the consumer begins while the producer
 * runs, and waits for its data itself. The producer tells whether it has seen the consumer.
 */
#include "common.h"

#define N 1000

static int run(CUfunction produce, CUfunction consume, unsigned int attributes)
{
	CUlaunchAttribute early = { .id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
				    .value = { .programmaticStreamSerializationAllowed = 1 } };
	CUlaunchConfig config = { .gridDimX = 1, .gridDimY = 1, .gridDimZ = 1, .blockDimX = 1, .blockDimY = 1,
				  .blockDimZ = 1, .attrs = &early };
	CUdeviceptr data = device_memory(4 * N), words = device_memory(16), begun = words, met = words + 4, sum = words + 8;
	struct { int begun, met; long long sum; } result;
	int n = N;

	CHECK(cuStreamCreate(&config.hStream, CU_STREAM_NON_BLOCKING));
	CHECK(cuLaunchKernelEx(&config, produce, (void *[]){ &data, &n, &begun, &met }, NULL));
	config.numAttrs = attributes;
	CHECK(cuLaunchKernelEx(&config, consume, (void *[]){ &data, &n, &begun, &sum }, NULL));
	CHECK(cuStreamSynchronize(config.hStream));
	CHECK(cuMemcpyDtoH(&result, words, sizeof(result)));
	printf("%s: the consumer began %s, its sum is %lld\n", attributes ? "with the attribute" : "without it",
	       result.met ? "while the producer ran" : "behind the producer", result.sum);
	return result.sum == 3LL * N * (N - 1) / 2 && result.met == (int)attributes;
}

int main(int argc, char **argv)
{
	CUfunction produce, consume;
	CUmodule module;
	int right;

	(void)argc;
	produce = begin(argv[0], "produce", &module);
	CHECK(cuModuleGetFunction(&consume, module, "consume"));
	right = run(produce, consume, 1);
	right &= run(produce, consume, 0);
	return !right;
}
