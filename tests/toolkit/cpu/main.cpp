// SPDX-License-Identifier: MIT
/* Runs the operators in either mode and writes the result to the file that is named; "wrong" instead shows a fault. */
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "scale.h"
#ifndef ASCENDC_CPU_DEBUG
#include "acl/acl.h"
#include "aclrtlaunch_add_custom.h"
extern void keys_do(uint32_t blocks, void *stream, uint8_t *z, uint8_t *tiling);
#else
#include "tikicpulib.h"
extern "C" void add_custom(uint8_t *x, uint8_t *y, uint8_t *z, ScaleTiling tiling);
extern "C" __global__ __aicore__ void keys(GM_ADDR z, GM_ADDR tiling);
extern "C" __global__ __aicore__ void outside(GM_ADDR z);
static void no_kernel(uint8_t *)
{
}
#endif

static const uint32_t N = 4096, SIZE = N * 2, BLOCKS = 8;

static void fill(uint16_t *x, uint16_t *y)
{
	for (uint32_t i = 0; i < N; i++) {
		x[i] = 0x3000 + i * 37 % 0x1800;
		y[i] = 0xb000 + i * 91 % 0x1400;
	}
}

static void keep(const char *path, const void *z)
{
	FILE *file = fopen(path, "wb");

	if (!file || fwrite(z, 1, SIZE, file) != SIZE || fclose(file))
		exit(2);
}

int main(int, char **argv)
{
	ScaleTiling tiling = { N, 0.75f };
#ifdef ASCENDC_CPU_DEBUG
	uint8_t *x = (uint8_t *)AscendC::GmAlloc(SIZE), *y = (uint8_t *)AscendC::GmAlloc(SIZE);
	uint8_t *z = (uint8_t *)AscendC::GmAlloc(SIZE), *count = (uint8_t *)AscendC::GmAlloc(4);

	fill((uint16_t *)x, (uint16_t *)y);
	memcpy(count, &N, 4);
	AscendC::SetKernelMode(KernelMode::AIV_MODE);
	if (!strcmp(argv[1], "wrong"))
		ICPU_RUN_KF(outside, 1, nullptr);
	if (!strcmp(argv[1], "host"))
		ICPU_RUN_KF(no_kernel, 1, z);
	ICPU_RUN_KF(add_custom, BLOCKS, x, y, z, tiling);
	ICPU_SET_TILING_KEY(3);
	ICPU_RUN_KF(keys, BLOCKS, z, count);
	ICPU_SET_TILING_KEY(2);
	ICPU_RUN_KF(keys, BLOCKS, z, count);
	keep(argv[1], z);
	AscendC::GmFree((void *)x);
	AscendC::GmFree((void *)y);
	AscendC::GmFree((void *)z);
	AscendC::GmFree((void *)count);
	return 0;
#else
	uint16_t host[3][N];
	uint8_t *x, *y, *z, *count;
	aclrtStream stream;
	int err;

	fill(host[0], host[1]);
	aclInit(nullptr);
	aclrtSetDevice(0);
	aclrtCreateStream(&stream);
	aclrtMalloc((void **)&x, SIZE, ACL_MEM_MALLOC_HUGE_FIRST);
	aclrtMalloc((void **)&y, SIZE, ACL_MEM_MALLOC_HUGE_FIRST);
	aclrtMalloc((void **)&z, SIZE, ACL_MEM_MALLOC_HUGE_FIRST);
	aclrtMalloc((void **)&count, 4, ACL_MEM_MALLOC_HUGE_FIRST);
	aclrtMemcpy(x, SIZE, host[0], SIZE, ACL_MEMCPY_HOST_TO_DEVICE);
	aclrtMemcpy(y, SIZE, host[1], SIZE, ACL_MEMCPY_HOST_TO_DEVICE);
	aclrtMemcpy(count, 4, &N, 4, ACL_MEMCPY_HOST_TO_DEVICE);
	ACLRT_LAUNCH_KERNEL(add_custom)(BLOCKS, stream, x, y, z, tiling);
	keys_do(BLOCKS, stream, z, count);
	err = aclrtSynchronizeStream(stream);
	aclrtMemcpy(host[2], SIZE, z, SIZE, ACL_MEMCPY_DEVICE_TO_HOST);
	keep(argv[1], host[2]);
	aclrtResetDevice(0);
	return aclFinalize() || err;
#endif
}
