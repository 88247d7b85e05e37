/* SPDX-License-Identifier: MIT */
/* platform_ascendc: what functions of op_host ask of the device. */
#ifndef ASCENDC_HOST_PLATFORM_H
#define ASCENDC_HOST_PLATFORM_H

#include <cstring>

#include "../../anpu/anpu_isa.h"
#include "context.h"

/** enum class NpuArch - generations of AI cores, as __NPU_ARCH__ has them in kernels */
enum class NpuArch : uint32_t {
	DAV_1001 = 1001, DAV_2002 = 2002, DAV_2201 = 2201, DAV_3002 = 3002, DAV_3102 = 3102, DAV_3510 = 3510, DAV_5102 = 5102,
	DAV_RESV = 0xffff,
};

namespace platform_ascendc {

enum class CoreMemType { L0_A = 0, L0_B = 1, L0_C = 2, L1 = 3, L2 = 4, UB = 5, HBM = 6, FB = 7, BT = 8, RESERVED };
enum class SocVersion {
	ASCEND910 = 0, ASCEND910B = 1, ASCEND310P = 2, ASCEND310B = 3, ASCEND910_93 = 4, ASCEND910_95 = 5, ASCEND910_55 = 6, RESERVED_VERSION = 99999,
	ASCEND950 = ASCEND910_95,
};

/* The generation that a device's name tells */
inline SocVersion version_of(const std::string &soc)
{
	static const struct {
		const char *begins;
		SocVersion version;
	} names[] = {
		{"Ascend950", SocVersion::ASCEND950}, {"Ascend910_95", SocVersion::ASCEND910_95}, {"Ascend910_93", SocVersion::ASCEND910_93},
		{"Ascend310P", SocVersion::ASCEND310P}, {"Ascend310B", SocVersion::ASCEND310B},
	};

	for (const auto &name : names)
		if (soc.compare(0, std::strlen(name.begins), name.begins) == 0)
			return name.version;
	return SocVersion::ASCEND910B;
}

/* Bytes of UB that kernels for a generation find */
inline uint64_t ub_of(SocVersion version)
{
	return version == SocVersion::ASCEND950 ? ANPU_UB_3510 : version == SocVersion::ASCEND310P ? ANPU_UB_2002 : ANPU_UB_2201;
}

/** PlatformAscendC - one cube and two vector cores for each AI core, with the sizes that kernels find */
class PlatformAscendC {
public:
	explicit PlatformAscendC(fe::PlatFormInfos *infos)
		: cores_(infos ? infos->cores : 8), version_(infos ? version_of(infos->soc) : SocVersion::ASCEND910B)
	{
	}

	uint32_t GetCoreNum() const { return cores_; }
	uint32_t GetCoreNumAic() const { return cores_; }
	uint32_t GetCoreNumAiv() const { return cores_ * 2; }
	uint32_t GetCoreNumVector() const { return 0; }
	uint32_t CalcTschBlockDim(uint32_t slices, uint32_t, uint32_t vectors) const { return vectors == 2 * cores_ ? (slices + 1) / 2 : slices; }
	SocVersion GetSocVersion() const { return version_; }
	/* The generation that kernels of the same operator are compiled for (anpucc --cpu) */
	NpuArch GetCurNpuArch() const
	{
		return version_ == SocVersion::ASCEND950 ? NpuArch::DAV_3510 : version_ == SocVersion::ASCEND310P ? NpuArch::DAV_2002 : NpuArch::DAV_2201;
	}
	/* The library needs none, but kernels give up when they are given no workspace at all. */
	uint32_t GetLibApiWorkSpaceSize() const { return 65536; }
	uint32_t GetResCubeGroupWorkSpaceSize() const { return 0; }
	uint32_t GetResGroupBarrierWorkSpaceSize() const { return 0; }

	void GetCoreMemSize(const CoreMemType &type, uint64_t &size) const
	{
		const uint64_t sizes[] = {ANPU_L0A_SIZE, ANPU_L0B_SIZE, ANPU_L0C_SIZE, ANPU_L1_SIZE, 192ull << 20, ub_of(version_), 0,
					  ANPU_FB_SIZE, ANPU_BT_SIZE, 0};

		size = sizes[static_cast<int>(type)];
	}

	void GetCoreMemBw(const CoreMemType &type, uint64_t &bandwidth) const
	{
		bandwidth = type == CoreMemType::HBM ? 32 : 110;
	}

private:
	uint32_t cores_;
	SocVersion version_;
};

class PlatformAscendCManager {
public:
	static PlatformAscendC *GetInstance()
	{
		static fe::PlatFormInfos infos;
		static PlatformAscendC platform(&infos);

		return &platform;
	}
	static PlatformAscendC *GetInstance(const char *) { return GetInstance(); }
};

} // namespace platform_ascendc

#endif
