// SPDX-License-Identifier: MIT
#include <cstdio>

#include "acl/acl.h"
#include "aclrtlaunch_halves.h"
#include "kernel_tiling/kernel_tiling.h"
#include "tiling/platform/platform_ascendc.h"
#include "tiling/tiling_api.h"

int main()
{
	auto *platform = platform_ascendc::PlatformAscendCManager::GetInstance("Ascend910B1");
	matmul_tiling::MultiCoreMatmulTiling api(*platform);
	optiling::TCubeTiling tiling;
	aclrtStream stream;
	int32_t values[2];
	void *out;

	api.SetDim(1);
	api.SetAType(matmul_tiling::TPosition::GM, matmul_tiling::CubeFormat::ND, matmul_tiling::DataType::DT_FLOAT16, false);
	api.SetBType(matmul_tiling::TPosition::GM, matmul_tiling::CubeFormat::ND, matmul_tiling::DataType::DT_FLOAT16, false);
	api.SetCType(matmul_tiling::TPosition::GM, matmul_tiling::CubeFormat::ND, matmul_tiling::DataType::DT_FLOAT);
	api.SetShape(64, 64, 64);
	api.SetOrgShape(64, 64, 64);
	api.SetBias(false);
	api.SetBufferSpace(-1, -1, -1);
	if (api.GetTiling(tiling) == -1 || tiling.get_singleCoreM() != 64)
		return 1;
	if (aclInit(nullptr) || aclrtSetDevice(0) || aclrtCreateStream(&stream) ||
	    aclrtMalloc(&out, sizeof(values), ACL_MEM_MALLOC_HUGE_FIRST))
		return 2;
	if (ACLRT_LAUNCH_KERNEL(halves)(1, stream, out) || aclrtSynchronizeStream(stream) ||
	    aclrtMemcpy(values, sizeof(values), out, sizeof(values), ACL_MEMCPY_DEVICE_TO_HOST))
		return 3;
	printf("%d %d\n", values[0], values[1]);
	return aclrtFree(out) || aclrtDestroyStream(stream) || aclrtResetDevice(0) || aclFinalize() ? 4 : 0;
}
