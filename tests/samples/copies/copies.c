/* SPDX-License-Identifier: MIT */
/*
 * Copies: to the device and back, from ordinary and from pinned memory, at once and in a stream, of
 * a rectangle, of many pieces in one call, and filling.
 */
#include "sample.h"

enum { N = 1 << 20 };

static void fill(unsigned char *data, size_t n)
{
	for (size_t i = 0; i < n; i++)
		data[i] = (unsigned char)(i * 7 + i / 256);
}

static void report(const char *what, const void *got, const void *want, size_t n)
{
	printf("%s: %s\n", what, memcmp(got, want, n) ? "DIFFERENT" : "the same bytes");
}

/* Ordinary memory: the copy is done when the call returns */
static void at_once(unsigned char *device)
{
	unsigned char *out = malloc(N), *in = calloc(1, N);

	if (!out || !in)
		exit(EXIT_FAILURE);
	fill(out, N);
	CHECK(aclrtMemcpy(device, N, out, N, ACL_MEMCPY_HOST_TO_DEVICE));
	CHECK(aclrtMemcpy(in, N, device, N, ACL_MEMCPY_DEVICE_TO_HOST));
	report("ordinary memory", in, out, N);
	free(out);
	free(in);
}

/* Pinned memory: the calls only queue the copies, which run in the stream's order */
static void in_a_stream(unsigned char *device, unsigned char *other)
{
	unsigned char *out, *in;
	aclrtStream stream;

	CHECK(aclrtMallocHost((void **)&out, N));
	CHECK(aclrtMallocHost((void **)&in, N));
	CHECK(aclrtCreateStream(&stream));
	fill(out, N);
	memset(in, 0, N);
	CHECK(aclrtMemcpyAsync(device, N, out, N, ACL_MEMCPY_HOST_TO_DEVICE, stream));
	CHECK(aclrtMemcpyAsync(other, N, device, N, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
	CHECK(aclrtMemcpyAsync(in, N, other, N, ACL_MEMCPY_DEVICE_TO_HOST, stream));
	/* the host may do something else here */
	CHECK(aclrtSynchronizeStream(stream));
	report("pinned memory", in, out, N);
	CHECK(aclrtDestroyStream(stream));
	CHECK(aclrtFreeHost(in));
	CHECK(aclrtFreeHost(out));
}

/* 3 rows of 4 bytes, out of rows of 10 into rows of 256 */
static void a_rectangle(unsigned char *device)
{
	char picture[3][11] = { "abcd......", "efgh......", "ijkl......" };
	char line[4];

	CHECK(aclrtMemcpy2d(device, 256, picture, 11, 4, 3, ACL_MEMCPY_HOST_TO_DEVICE));
	printf("rectangle:");
	for (int row = 0; row < 3; row++) {
		CHECK(aclrtMemcpy(line, 4, device + row * 256, 4, ACL_MEMCPY_DEVICE_TO_HOST));
		printf(" %.4s", line);
	}
	printf("\n");
}

/* Many pieces of one direction in one call; who lies where is told once per run of pieces */
static void a_batch(unsigned char *device)
{
	enum { PIECES = 4 };
	int numbers[PIECES] = { 10, 20, 30, 40 }, back[PIECES];
	aclrtMemcpyBatchAttr attr = {
		.dstLoc = { .id = 0, .type = ACL_MEM_LOCATION_TYPE_DEVICE },
		.srcLoc = { .id = 0, .type = ACL_MEM_LOCATION_TYPE_HOST },
	};
	size_t sizes[PIECES], first = 0, failed;
	void *to[PIECES], *from[PIECES];

	for (int i = 0; i < PIECES; i++) {
		sizes[i] = sizeof(numbers[i]);
		from[i] = &numbers[i];
		to[i] = device + (PIECES - 1 - i) * sizeof(numbers[i]);
	}
	CHECK(aclrtMemcpyBatch(to, sizes, from, sizes, PIECES, &attr, &first, 1, &failed));
	CHECK(aclrtMemcpy(back, sizeof(back), device, sizeof(back), ACL_MEMCPY_DEVICE_TO_HOST));
	printf("batch: %d %d %d %d\n", back[0], back[1], back[2], back[3]);
}

static void a_fill(unsigned char *device)
{
	unsigned char bytes[8];

	CHECK(aclrtMemset(device, N, 0xab, N));
	CHECK(aclrtMemset(device + 2, N - 2, 0, 4));
	CHECK(aclrtMemcpy(bytes, 8, device, 8, ACL_MEMCPY_DEVICE_TO_HOST));
	printf("fill:");
	for (int i = 0; i < 8; i++)
		printf(" %02x", bytes[i]);
	printf("\n");
}

int main(void)
{
	unsigned char *device, *other;

	CHECK(aclInit(NULL));
	CHECK(aclrtSetDevice(0));
	device = sample_device_memory(N);
	other = sample_device_memory(N);
	at_once(device);
	in_a_stream(device, other);
	a_rectangle(device);
	a_batch(device);
	a_fill(device);
	CHECK(aclrtFree(other));
	CHECK(aclrtFree(device));
	CHECK(aclrtResetDevice(0));
	CHECK(aclFinalize());
	return 0;
}
