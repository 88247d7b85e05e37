/* SPDX-License-Identifier: MIT */
/*
 * Graphs: what is queued between aclmdlRICaptureBegin() and aclmdlRICaptureEnd() does not run but
 * becomes a graph, which runs as often as wanted with one call each.
 */
#include "sample.h"

/* x is read when the graph runs, the numbers are those of the recording */
static void queue_step(aclrtFuncHandle step, void *x, int64_t a, int64_t b, aclrtStream stream)
{
	struct {
		void *x;
		int64_t a, b;
	} args = { x, a, b };

	CHECK(aclrtLaunchKernelWithHostArgs(step, 1, stream, nullptr, &args, sizeof(args), nullptr,
					    0));
}

int main(int, char **argv)
{
	aclmdlRICaptureStatus status;
	aclrtStream stream = nullptr;
	aclmdlRI graph = nullptr;
	int64_t *result = nullptr;

	CHECK(aclInit(nullptr));
	CHECK(aclrtSetDevice(0));
	aclrtBinHandle binary = sample_load(argv[0], "graph");
	aclrtFuncHandle step = sample_function(binary, "step");
	CHECK(aclrtCreateStream(&stream));
	CHECK(aclrtMallocHost(reinterpret_cast<void **>(&result), sizeof(*result)));
	void *x = sample_device_memory(sizeof(*result));

	CHECK(aclrtMemset(x, sizeof(*result), 0, sizeof(*result)));
	*result = -1;
	CHECK(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
	queue_step(step, x, 1, 3, stream); /* x + 3 */
	queue_step(step, x, 2, 0, stream); /* times 2 */
	CHECK(aclrtMemcpyAsync(result, sizeof(*result), x, sizeof(*result), ACL_MEMCPY_DEVICE_TO_HOST,
			       stream));
	CHECK(aclmdlRICaptureGetInfo(stream, &status, nullptr));
	printf("while recording the stream is %s\n",
	       status == ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE ? "recorded" : "as ever");
	CHECK(aclmdlRICaptureEnd(stream, &graph));
	printf("nothing has run yet: %lld\n", static_cast<long long>(*result));

	for (int i = 1; i <= 3; i++) {
		CHECK(aclmdlRIExecuteAsync(graph, stream));
		CHECK(aclrtSynchronizeStream(stream));
		printf("run %d: %lld\n", i, static_cast<long long>(*result));
	}

	CHECK(aclmdlRIDestroy(graph));
	CHECK(aclrtFree(x));
	CHECK(aclrtFreeHost(result));
	CHECK(aclrtDestroyStream(stream));
	CHECK(aclrtBinaryUnLoad(binary));
	CHECK(aclrtResetDevice(0));
	CHECK(aclFinalize());
	return 0;
}
