/* SPDX-License-Identifier: MIT */
/*
 * A kernel that is called by its name: anpucc --launchers, or ascendc_library() in CMake, makes the header
 * and the library that has the operator inside, as a project of Ascend C has them.
 */
#include <vector>

#include "aclrtlaunch_add_custom.h"
#include "sample.h"

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

	CHECK(aclrtFree(xDevice));
	CHECK(aclrtFree(yDevice));
	CHECK(aclrtFree(zDevice));
	CHECK(aclrtDestroyStream(stream));
	CHECK(aclrtResetDevice(0));
	CHECK(aclFinalize());
	return 0;
}
