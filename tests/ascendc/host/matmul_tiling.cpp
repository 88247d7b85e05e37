// SPDX-License-Identifier: MIT
/* matmul_tiling M N K CORES TYPE BIAS BASE_M BASE_N: the tiling of the host's library as the bytes of a TCubeTiling */
#include <stdio.h>
#include <stdlib.h>

#include "tiling/tiling_api.h"

using namespace matmul_tiling;

static bool softmax_is_right()
{
	ge::Shape shape({4, 10, 30});
	optiling::SoftMaxTiling holder;

	AscendC::SoftMaxFlashV2TilingFunc(shape, 4, 4, 1024, holder, true);
	return holder.value.srcM == 40 && holder.value.srcK == 30 && holder.value.outMaxSize == 320 &&
	       AscendC::GetSoftMaxFlashV2MaxTmpSize(shape, 4u, 4u, true, false) == (32 + 8) * 4 &&
	       AscendC::GetSoftMaxGradMinTmpSize(shape, 4u, false, false) == (64 + 8) * 4;
}

int main(int argc, char **argv)
{
	MultiCoreMatmulTiling tiling(*platform_ascendc::PlatformAscendCManager::GetInstance());
	optiling::TCubeTiling data;
	TCubeTiling plain;
	int n[9];

	if (argc != 9)
		return 2;
	for (int i = 1; i < 9; i++)
		n[i] = atoi(argv[i]);
	DataType type = DataType(n[5]), sums = type == DataType::DT_INT8 ? DataType::DT_INT32 : DataType::DT_FLOAT;

	if (tiling.SetDim(n[4]) || tiling.SetAType(TPosition::GM, CubeFormat::ND, type) ||
	    tiling.SetBType(TPosition::GM, CubeFormat::ND, type) || tiling.SetCType(TPosition::GM, CubeFormat::ND, sums) ||
	    tiling.SetBiasType(TPosition::GM, CubeFormat::ND, sums) || tiling.SetOrgShape(n[1], n[2], n[3]) ||
	    tiling.SetShape(n[1], n[2], n[3]) || tiling.EnableBias(n[6]) || tiling.SetBufferSpace(-1, -1, -1) ||
	    tiling.SetFixSplit(n[7], n[8], -1) || tiling.SetTraverse(MatrixTraverse::FIRSTN) || tiling.GetTiling(data) || tiling.GetTiling(plain))
		return 1;
	data.set_stepM(1);
	if (!softmax_is_right())
		return 3;
	if (data.GetDataSize() != sizeof(plain) || memcmp(&data.value, &plain, sizeof(plain)) ||
	    data.get_baseM() != plain.baseM)
		return 4;
	data.SaveToBuffer(&plain, sizeof(plain));
	return fwrite(&plain, sizeof(plain), 1, stdout) != 1;
}
