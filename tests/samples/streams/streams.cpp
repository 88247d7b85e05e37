/* SPDX-License-Identifier: MIT */
/*
 * Streams: a tensor is worked on in four parts, each in a stream of its own: copy to the device,
 * operator, copy back. Within a stream tasks run one after the other, the streams side by side.
 */
#include "sample.h"

#include <vector>

static constexpr size_t parts = 4;
static constexpr uint32_t part_size = 100000;
static constexpr size_t part_bytes = part_size * sizeof(float);

/* One part: pinned memory of the host, memory of the device, a stream */
struct Part {
	float *host_x, *host_y;
	void *x, *y;
	aclrtStream stream;

	explicit Part(uint32_t first)
	{
		CHECK(aclrtMallocHost(reinterpret_cast<void **>(&host_x), part_bytes));
		CHECK(aclrtMallocHost(reinterpret_cast<void **>(&host_y), part_bytes));
		x = sample_device_memory(part_bytes);
		y = sample_device_memory(part_bytes);
		CHECK(aclrtCreateStream(&stream));
		for (uint32_t i = 0; i < part_size; i++) {
			host_x[i] = static_cast<float>(first + i);
			host_y[i] = 1;
		}
	}

	void queue(aclrtFuncHandle axpy, float a) const
	{
		struct {
			void *x, *y;
			float a;
			uint32_t pad;
			uint64_t n;
		} args = { x, y, a, 0, part_size };

		CHECK(aclrtMemcpyAsync(x, part_bytes, host_x, part_bytes, ACL_MEMCPY_HOST_TO_DEVICE,
				       stream));
		CHECK(aclrtMemcpyAsync(y, part_bytes, host_y, part_bytes, ACL_MEMCPY_HOST_TO_DEVICE,
				       stream));
		/* the arguments are copied before the call returns */
		CHECK(aclrtLaunchKernelWithHostArgs(axpy, 4, stream, nullptr, &args, sizeof(args),
						    nullptr, 0));
		CHECK(aclrtMemcpyAsync(host_y, part_bytes, y, part_bytes, ACL_MEMCPY_DEVICE_TO_HOST,
				       stream));
	}

	void finish() const
	{
		CHECK(aclrtDestroyStream(stream));
		CHECK(aclrtFree(y));
		CHECK(aclrtFree(x));
		CHECK(aclrtFreeHost(host_y));
		CHECK(aclrtFreeHost(host_x));
	}
};

int main(int, char **argv)
{
	std::vector<Part> part;
	size_t wrong = 0;

	CHECK(aclInit(nullptr));
	CHECK(aclrtSetDevice(0));
	aclrtBinHandle binary = sample_load(argv[0], "streams");
	aclrtFuncHandle axpy = sample_function(binary, "axpy");
	for (size_t i = 0; i < parts; i++)
		part.emplace_back(static_cast<uint32_t>(i * part_size));

	for (const Part &p : part)
		p.queue(axpy, 2);
	for (const Part &p : part)
		CHECK(aclrtSynchronizeStream(p.stream));

	for (size_t i = 0; i < parts; i++) {
		aclrtStreamStatus status;
		CHECK(aclrtStreamQuery(part[i].stream, &status));
		printf("stream %zu: %s, y[1] is %g\n", i,
		       status == ACL_STREAM_STATUS_COMPLETE ? "idle" : "busy",
		       static_cast<double>(part[i].host_y[1]));
		for (uint32_t j = 0; j < part_size; j++)
			wrong += part[i].host_y[j] !=
				 2 * static_cast<float>(i * part_size + j) + 1;
	}
	printf("%zu of %zu results are wrong\n", wrong, parts * part_size);

	for (const Part &p : part)
		p.finish();
	CHECK(aclrtBinaryUnLoad(binary));
	CHECK(aclrtResetDevice(0));
	CHECK(aclFinalize());
	return 0;
}
