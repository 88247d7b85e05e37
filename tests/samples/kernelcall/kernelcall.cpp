/* SPDX-License-Identifier: MIT */
/*
 * A kernel that is called by its name, in both ways of Ascend C: ACLRT_LAUNCH_KERNEL() of a header that
 * anpucc --launchers makes, and kernel<<<...>>>(...) in the kernel's own file (anpucc --host).
 * ascendc_library() in CMake does both. The operator is inside the program.
 */
#include <vector>

#include "aclrtlaunch_add_custom.h"
#include "sample.h"

void add_custom_do(uint32_t blocks, void *stream, uint8_t *x, uint8_t *y, uint8_t *z, uint32_t n);

int main()
{
	constexpr uint32_t count = 8 * 2048, blocks = 8;
	constexpr size_t bytes = count * sizeof(uint16_t);
	std::vector<uint16_t> x(count), y(count), z(count);
	aclrtStream stream = nullptr;

	CHECK(aclInit(nullptr));
	CHECK(aclrtSetDevice(0));
	CHECK(aclrtCreateStream(&stream));
	for (uint32_t i = 0; i < count; i++) {
		x[i] = aclFloatToFloat16(static_cast<float>(i % 100));
		y[i] = aclFloatToFloat16(0.5F);
	}

	auto *xDevice = static_cast<uint8_t *>(sample_device_memory(bytes));
	auto *yDevice = static_cast<uint8_t *>(sample_device_memory(bytes));
	auto *zDevice = static_cast<uint8_t *>(sample_device_memory(bytes));
	CHECK(aclrtMemcpy(xDevice, bytes, x.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE));
	CHECK(aclrtMemcpy(yDevice, bytes, y.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE));

	CHECK(static_cast<aclError>(
		ACLRT_LAUNCH_KERNEL(add_custom)(blocks, stream, xDevice, yDevice, zDevice, count)));
	CHECK(aclrtSynchronizeStream(stream));

	CHECK(aclrtMemcpy(z.data(), bytes, zDevice, bytes, ACL_MEMCPY_DEVICE_TO_HOST));
	uint32_t wrong = 0;
	for (uint32_t i = 0; i < count; i++)
		wrong += aclFloat16ToFloat(z[i]) != static_cast<float>(i % 100) + 0.5F;
	printf("%g %g %g ... %u of %u sums are wrong\n", static_cast<double>(aclFloat16ToFloat(z[0])),
	       static_cast<double>(aclFloat16ToFloat(z[1])),
	       static_cast<double>(aclFloat16ToFloat(z[2])), wrong, count);

	/* z = z + y */
	add_custom_do(blocks, stream, zDevice, yDevice, zDevice, count);
	CHECK(aclrtSynchronizeStream(stream));
	CHECK(aclrtMemcpy(z.data(), bytes, zDevice, bytes, ACL_MEMCPY_DEVICE_TO_HOST));
	printf("%g %g %g ...\n", static_cast<double>(aclFloat16ToFloat(z[0])),
	       static_cast<double>(aclFloat16ToFloat(z[1])),
	       static_cast<double>(aclFloat16ToFloat(z[2])));

	CHECK(aclrtFree(xDevice));
	CHECK(aclrtFree(yDevice));
	CHECK(aclrtFree(zDevice));
	CHECK(aclrtDestroyStream(stream));
	CHECK(aclrtResetDevice(0));
	CHECK(aclFinalize());
	return 0;
}
