// SPDX-License-Identifier: MIT
/* matmul_tiling M N K CORES TYPE BIAS BASE_M BASE_N: the tiling of the host's library as the bytes of a TCubeTiling */
#include <stdio.h>
#include <stdlib.h>

#include "platform/soc_spec.h"
#include "tiling/hccl/hccl_tiling.h"
#include "tiling/matrix/matmul_tiling.h"
#include "tiling/matrix/matmul_tilingdata.h"
#include "tiling/tiling_api.h"

using namespace matmul_tiling;

static bool softmax_is_right()
{
	ge::Shape shape({4, 10, 30});
	optiling::SoftMaxTiling holder;

	optiling::LogSoftMaxTiling log;
	optiling::SoftMaxTiling third;
	uint32_t most, least;

	AscendC::SoftMaxFlashV2TilingFunc(shape, 4, 4, 1024, holder, true);
	AscendC::LogSoftMaxTilingFunc(shape, 2, AscendC::GetLogSoftMaxMinTmpSize(shape, 2, false), log);
	AscendC::SoftMaxFlashV3TilingFunc(shape, 2, 4, 1024, third, true);
	AscendC::GetSoftMaxFlashV3MaxMinTmpSize(shape, 2, 4, most, least, true);
	return log.value.srcM == 40 && log.value.outMaxK == 16 && third.value.srcK == 30 && most == (64 + 8) * 4 && least <= most && holder.value.srcM == 40 && holder.value.srcK == 30 && holder.value.outMaxSize == 320 &&
	       AscendC::GetSoftMaxFlashV2MaxTmpSize(shape, 4u, 4u, true, false) == (64 + 8) * 4 &&
	       AscendC::GetSoftMaxGradMinTmpSize(shape, 4u, false, false) == (96 + 8) * 4;
}

/* A device of each generation by its name: its cores' generation and their UB, and the Matmul<> that plans with it */
static bool generations_are_right()
{
	static const struct {
		const char *soc;
		NpuArch arch;
		uint64_t ub;
	} devices[] = {
		{"Ascend910B3", NpuArch::DAV_2201, 192 << 10}, {"Ascend910_93", NpuArch::DAV_2201, 192 << 10}, {"Ascend310P3", NpuArch::DAV_2002, 256 << 10},
		{"Ascend950", NpuArch::DAV_3510, 248 << 10},
	};

	for (const auto &device : devices) {
		fe::PlatFormInfos infos{};
		uint64_t ub = 0;

		infos.cores = 8;
		infos.soc = device.soc;
		platform_ascendc::PlatformAscendC platform(&infos);
		platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, ub);
		if (platform.GetCurNpuArch() != device.arch || ub != device.ub)
			return false;
	}
	return true;
}

BEGIN_TILING_DATA_DEF(InnerData)
	TILING_DATA_FIELD_DEF(uint64_t, wide);
END_TILING_DATA_DEF;
BEGIN_TILING_DATA_DEF(OuterData)
	TILING_DATA_FIELD_DEF(uint8_t, narrow);
	TILING_DATA_FIELD_DEF_STRUCT(InnerData, inner);
	TILING_DATA_FIELD_DEF_ARR(uint16_t, 2, pair);
END_TILING_DATA_DEF;

/* What SetDataPtr() names has each field as soon as it is set, as SaveToBuffer() would write it; a copy of the object writes nothing there */
static bool fields_go_to_buffer()
{
	const uint16_t pair[2] = {7, 8};
	uint64_t live[3] = {}, saved[3] = {};
	OuterData data;

	data.SetDataPtr(live);
	data.set_narrow(5);
	data.inner.set_wide(6);
	data.set_pair(pair);
	OuterData copy = data;
	copy.set_narrow(9);
	data.SaveToBuffer(saved, sizeof(saved));
	return data.GetDataSize() == sizeof(live) && saved[1] == 6 && !memcmp(live, saved, sizeof(live));
}

/* Communication: nothing is written, and nothing fails */
static bool communication_is_told()
{
	AscendC::Mc2CcTilingConfig config("group", 8, "AlltoAll=level0:fullmesh;level1:pairwise", 0);
	Mc2InitTiling begin = {};
	Mc2CcTiling one = {};

	one.reserved[0] = 7;
	return !config.SetGroupName("other") && !config.SetOpType(2) && !config.SetAlgConfig("") && !config.SetStepSize(1) &&
	       !config.GetTiling(begin) && !config.GetTiling(one) && one.reserved[0] == 7;
}

/* Working memory that the kernel's side takes: whole rows in fp32 and a block, for half alone where float needs none */
static bool sizes_are_right()
{
	const platform_ascendc::PlatformAscendC &platform = *platform_ascendc::PlatformAscendCManager::GetInstance();
	ge::Shape shape({16, 100});
	uint32_t most = 0, least = 0, all[6];

	AscendC::GetMeanMaxMinTmpSize(100, 2, 4, false, all[0], least);
	AscendC::GetMeanMaxMinTmpSize(100, 4, 4, false, all[1], least);
	AscendC::GetCumSumMaxMinTmpSize(shape, 2, false, false, all[2], least);
	AscendC::GetReduceSumMaxMinTmpSize(shape, ge::DataType::DT_FLOAT16, AscendC::ReducePattern::RA, true, false, all[3], least);
	AscendC::GetGeluMaxMinTmpSize(shape, 2, all[4], least);
	AscendC::GetRoundMaxMinTmpSize(platform, shape, 2, false, all[5], most);
	/* as many rows as for the form that gives both numbers */
	if (AscendC::GetSelectWithBytesMaskMinTmpSize(shape, ge::Shape({1}), 2, shape, 1, false) != (2 * 104 + 8) * 4 ||
	    AscendC::GetSelectWithBytesMaskMaxTmpSize(ge::Shape({1}), shape, 2, shape, 1, true) != (2 * 104 + 8) * 4)
		return false;
	return all[0] == (104 + 8) * 4 && all[1] == 32 && all[2] == (2 * 104 + 8) * 4 && all[3] == all[2] && all[4] >= least && least == 3 * 64 * 4 &&
	       all[5] >= most && most == 64 * 4 && AscendC::GetSortOffset(platform, 32, 2) == 256 && AscendC::GetSortLen(platform, 32, 2) == 128;
}

/* Sizes and tilings of the normalisations and of transposes of heads */
static bool norms_are_right()
{
	ge::Shape bsh({4, 10, 30}), nchw({2, 6, 5, 5}), ar({7, 40});
	optiling::LayerNormGradTiling grad;
	optiling::LayerNormGradBetaTiling beta;
	optiling::LayerNormSeparateTiling separate;
	optiling::ConfusionTransposeTiling heads;
	/* the kernel's structures by their own names */
	AscendC::tiling::LayerNormTiling plain_norm;
	AscendC::tiling::SoftMaxTiling plain_softmax;
	AscendC::tiling::GroupNormTiling plain_group;
	AscendC::tiling::TCubeTiling plain_cube = {};
	SysTilingTempBufSize sizes;
	uint32_t all[7], least;

	AscendC::GetLayerNormNDTilingInfo(bsh, 1024, 4, false, plain_norm);
	AscendC::SoftMaxTilingFunc(ar, 4, 1024, plain_softmax);
	AscendC::GetGroupNormNDTilingInfo(nchw, 1024, 4, false, 3, plain_group);
	plain_cube.baseM = plain_cube.baseN = 16;
	MatmulGetTmpBufSize(plain_cube, sizes);
	if (plain_norm.hLength != 30 || plain_softmax.srcM != 7 || plain_group.d != 2 || sizes.l0cSize != 1024 ||
	    sizeof(plain_cube) != 200 || AscendC::IsBasicBlockInSoftMax(plain_softmax))
		return false;
	AscendC::GetLayerNormGradNDTilingInfo(bsh, 1024, 4, false, grad);
	AscendC::GetLayerNormGradBetaNDTilingInfo(bsh, 1024, 4, false, beta);
	AscendC::GetLayerNormNDTilingInfo(ar, 1024, 4, false, true, separate);
	AscendC::GetConfusionTransposeTilingInfo(nchw, 0, 2, 3, heads);
	AscendC::GetConfusionTransposeMaxMinTmpSize(nchw, 2, 3, all[0], least);
	AscendC::GetBatchNormMaxMinTmpSize(bsh, bsh, 4, false, all[1], least);
	AscendC::GetGroupNormMaxMinTmpSize(nchw, 4, false, 3, all[2], least);
	AscendC::GetLayerNormGradMaxMinTmpSize(bsh, 4, false, all[3], least);
	AscendC::GetLayerNormMaxMinTmpSize(ar, 4, false, true, false, all[4], least);
	AscendC::GetWelfordFinalizeMaxMinTmpSize(ar, 4, false, all[5], least);
	AscendC::GetUnPadMaxMinTmpSize(*platform_ascendc::PlatformAscendCManager::GetInstance(), ar, 4, all[6], least);
	return grad.value.bLength == 4 && beta.value.sLength == 10 && grad.value.originalHLength == 30 && separate.value.aLength == 7 &&
	       separate.value.rLength == 40 && heads.value.param1 == 6 && heads.value.param3 == 5 && all[1] == (4 * 304 + 8) * 4 &&
	       all[2] == (2 * 32 + 8) * 4 && all[3] == (4 * 32 + 8) * 4 && all[4] == (2 * 40 + 8) * 4 && all[5] == (3 * 40 + 8) * 4 &&
	       all[0] == 32 && all[6] == 32;
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
	if (!softmax_is_right() || !sizes_are_right() || !norms_are_right() || !communication_is_told() || !generations_are_right())
		return 3;
	if (data.GetDataSize() != sizeof(plain) || memcmp(&data.value, &plain, sizeof(plain)) ||
	    data.get_baseM() != plain.baseM)
		return 4;
	if (!fields_go_to_buffer())
		return 6;
	SysTilingTempBufSize size;

	if (MultiCoreMatmulGetTmpBufSize(data, size) || size.ubSize || size.l0cSize != int32_t(plain.baseM * plain.baseN * 4))
		return 5;
	data.SaveToBuffer(&plain, sizeof(plain));
	return fwrite(&plain, sizeof(plain), 1, stdout) != 1;
}
