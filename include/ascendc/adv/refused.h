/* SPDX-License-Identifier: MIT */
/*
 * Functions of Ascend C that are not built: calling one is an error when compiling that names it and says why. The
 * table in Documentation/ascendc.md lists them from here.
 */
#ifndef ASCENDC_ADV_REFUSED_H
#define ASCENDC_ADV_REFUSED_H

#include "../core/enums.h"

namespace AscendC {

#define ASCENDC_REFUSE(name, why) \
	template <class... T> ASCENDC_FN void name(T &&...) \
	{ \
		static_assert(detail::no<T...>, "AscendC::" #name " is not supported here: " why); \
	}
ASCENDC_REFUSE(VectorPadding, "use DataCopyPad()")
ASCENDC_REFUSE(BilinearInterpolationV2, "it is not built yet")
ASCENDC_REFUSE(LoadDataUnzip, "the core has no compressed weights")
ASCENDC_REFUSE(LoadDataWithSparse, "the core has no sparse matrices")
ASCENDC_REFUSE(MmadWithSparse, "the core has no sparse matrices")
ASCENDC_REFUSE(Conv2D, "use LoadData(), Mmad() and Fixpipe()")
ASCENDC_REFUSE(Gemm, "use LoadData(), Mmad() and Fixpipe()")
ASCENDC_REFUSE(GetArchVersion, "cores of this kind have no such number; ask __NPU_ARCH__")
ASCENDC_REFUSE(LoadImageToLocal, "the core does not convert pictures; use DataCopy() and Cast()")
ASCENDC_REFUSE(SetAippFunctions, "the core does not convert pictures; use DataCopy() and Cast()")
ASCENDC_REFUSE(CheckLocalMemoryIA, "the checking mode looks at all accesses: anpu-op --check")
ASCENDC_REFUSE(SetLoadDataRepeat, "images have no repeats here; call LoadData() for each")
ASCENDC_REFUSE(BroadCastVecToMM, "the cube unit reads UB through global memory or L1")

/* An object of such a type is the error. */
#define ASCENDC_REFUSE_TYPE(name, why) \
	template <class... T> struct name { \
		static_assert(detail::no<T...>, "AscendC::" #name " is not supported here: " why); \
	};
ASCENDC_REFUSE_TYPE(Load2DBitModeParam, "use LoadData2DParamsV2")
ASCENDC_REFUSE_TYPE(LoadData2DMxParams, "the cube unit has no scaled matrices")
ASCENDC_REFUSE_TYPE(AippParams, "the core does not convert pictures; use DataCopy() and Cast()")
ASCENDC_REFUSE_TYPE(LoadDataRepeatParam, "images have no repeats here; call LoadData() for each")
ASCENDC_REFUSE_TYPE(Conv3D, "use LoadData() with LoadData3DParamsV2, Mmad() and Fixpipe()")

#undef ASCENDC_REFUSE_TYPE
#undef ASCENDC_REFUSE

/** VECTOR_REG_WIDTH - bytes of a register of Reg:: */
static constexpr uint32_t VECTOR_REG_WIDTH = 256;

/** GetVecLen() - bytes of a repeat */
ASCENDC_FN constexpr uint32_t GetVecLen()
{
	return 256;
}

/* Communication between devices inside a kernel: the host library does it */
template <uint32_t group> ASCENDC_FN GM_ADDR GetHcclContext()
{
	anpu_trap("GetHcclContext: kernels have no communication contexts here");
}

template <uint32_t group> ASCENDC_FN void SetHcclContext(GM_ADDR) {}

/* The class that does it, and names that stand beside it */
enum HcclServerType { HCCL_SERVER_TYPE_AICPU = 0, HCCL_SERVER_TYPE_CCU, HCCL_SERVER_TYPE_END };
enum HcclDataType {
	HCCL_DATA_TYPE_INT8 = 0, HCCL_DATA_TYPE_INT16, HCCL_DATA_TYPE_INT32, HCCL_DATA_TYPE_FP16, HCCL_DATA_TYPE_FP32, HCCL_DATA_TYPE_INT64,
	HCCL_DATA_TYPE_UINT64, HCCL_DATA_TYPE_UINT8, HCCL_DATA_TYPE_UINT16, HCCL_DATA_TYPE_UINT32, HCCL_DATA_TYPE_FP64, HCCL_DATA_TYPE_BFP16,
};
enum HcclReduceOp { HCCL_REDUCE_SUM = 0, HCCL_REDUCE_PROD, HCCL_REDUCE_MAX, HCCL_REDUCE_MIN };
using HcclHandle = int8_t;

/* Operators that communicate compile, because many do so only when there are several devices; a call is a fault that says why. */
#define ASCENDC_NO_HCCL(result, name) \
	template <bool commit = false, class... A> ASCENDC_FN result name(A &&...) \
	{ \
		anpu_trap("Hccl::" #name ": kernels cannot communicate with other devices here; the host's hccl does"); \
	}
template <HcclServerType server = HCCL_SERVER_TYPE_AICPU> class Hccl {
public:
	ASCENDC_NO_HCCL(void, Init)
	ASCENDC_NO_HCCL(void, InitV2)
	ASCENDC_NO_HCCL(int32_t, SetCcTiling)
	ASCENDC_NO_HCCL(int32_t, SetCcTilingV2)
	ASCENDC_NO_HCCL(HcclHandle, AllReduce)
	ASCENDC_NO_HCCL(HcclHandle, AllGather)
	ASCENDC_NO_HCCL(HcclHandle, ReduceScatter)
	ASCENDC_NO_HCCL(HcclHandle, AlltoAll)
	ASCENDC_NO_HCCL(HcclHandle, AlltoAllV)
	ASCENDC_NO_HCCL(HcclHandle, AlltoAllvWrite)
	ASCENDC_NO_HCCL(HcclHandle, BatchWrite)
	ASCENDC_NO_HCCL(int32_t, Iterate)
	ASCENDC_NO_HCCL(void, Commit)
	ASCENDC_NO_HCCL(int32_t, Wait)
	ASCENDC_NO_HCCL(int32_t, Query)
	ASCENDC_NO_HCCL(void, InterHcclGroupSync)
	ASCENDC_NO_HCCL(void, QueueBarrier)
	ASCENDC_NO_HCCL(void, Finalize)
	ASCENDC_NO_HCCL(GM_ADDR, GetWindowsInAddr)
	ASCENDC_NO_HCCL(GM_ADDR, GetWindowsOutAddr)
	ASCENDC_NO_HCCL(uint32_t, GetRankId)
	ASCENDC_NO_HCCL(uint32_t, GetRankDim)
	ASCENDC_NO_HCCL(uint16_t, GetQueueNum)
};
#undef ASCENDC_NO_HCCL

struct IbVerbsData;

/* GetHcclContext() would point to these structures: the call itself is a fault that says why. */
namespace HcclContextDef {

struct HcclRankRelationResV2 {
	uint32_t remoteUsrRankId, remoteWorldRank;
	uint64_t windowsIn, windowsOut, windowsExp;
};

struct RemoteResPtr {
	uint64_t nextHostPtr, nextDevicePtr;
};

struct HcclOpResParam {
	uint32_t localUsrRankId, rankSize, rankId, rankNum;
	uint64_t winSize, localWindowsIn, localWindowsOut, localWindowsExp, winExpSize;
	RemoteResPtr remoteRes[1];
};

} // namespace HcclContextDef

constexpr uint32_t HCCL_GROUP_ID_0 = 0;
constexpr uint32_t HCCL_GROUP_ID_1 = 1;
constexpr uint32_t HCCL_MAX_RANK_NUM = 64;

} // namespace AscendC

using AscendC::HcclDataType;
using AscendC::HcclHandle;

#endif
