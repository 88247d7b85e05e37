// SPDX-License-Identifier: MIT
/* The host's part of ScaleAddCustom: y = x * scale + bias, as an operator project has it. */
#include "scale_add_custom_tiling.h"
#if __has_include("acl/acl.h") /* with the tools alone there is no runtime */
#include "acl/acl.h"
#endif
#include "base/alog_pub.h"
#include "base/dlog_pub.h"
#include "base/err_msg.h"
#include "error/ops_error.h"
#include "exe_graph/runtime/shape.h"
#include "exe_graph/runtime/storage_shape.h"
#include "graph/ge_error_codes.h"
#include "graph/tensor.h"
#include "log/log.h"
#include "register/op_def_registry.h"
#include "securec.h"
#include "tiling/platform/platform_ascendc.h"
#include "tiling/tiling_api.h"
#include "toolchain/slog.h"

namespace optiling {
/* Asks for attributes as another type than they have, as operators do: a list's length, whether a number is not 0 */
static bool OtherTypes(const gert::RuntimeAttrs *attrs)
{
	return *attrs->GetBool(0) && *attrs->GetInt(0) == static_cast<int64_t>(*attrs->GetFloat(0)) && *attrs->GetBool(1) &&
	       *attrs->GetInt(1) == 3 && *attrs->GetFloat(1) == 3 && attrs->GetStr(1) == nullptr && attrs->GetListInt(0) == nullptr;
}

/* Messages and checks of the toolkit's headers */
static ge::graphStatus Checked(gert::TilingContext *context)
{
	const float *scale = context->GetAttrs()->GetFloat(0);
	char room[4] = "abc";

	OP_CHECK_NULL_WITH_CONTEXT(context, scale);
	OPS_LOG_E_IF_NULL(context, scale, return ge::GRAPH_FAILED);
	OPS_LOG_E_IF(*scale == -4, context, return ge::GRAPH_FAILED, "scale is %s", "minus four");
	OPS_CHECK(*scale == -5, OPS_LOG_E(context, "scale is minus five"), return ge::GRAPH_FAILED);
	OP_LOGD(context->GetNodeName(), "scale is %f", *scale);
	OP_CHECK_IF(*scale == -1, OP_LOGE(context, "scale is %d", -1), return ge::GRAPH_FAILED);
	OPS_ERR_IF(*scale == -2, OPS_LOG_E(context->GetNodeName(), "scale is minus two"), return ge::GRAPH_FAILED);
	if (*scale == -3) {
		DlogSub(OP, "tiling", DLOG_INFO, "this is not printed");
		DlogSub(OP, "tiling", DLOG_ERROR, "scale is minus %s", "three");
		if (AlogCheckDebugLevel(OP, DLOG_ERROR) == 1 && AlogCheckDebugLevel(OP, DLOG_INFO) == 0)
			AlogRecord(OP, DLOG_TYPE_DEBUG, DLOG_ERROR, "recorded %d", 3);
		DlogRecord(OP, DLOG_INFO, "this is not printed, too");
#if __has_include("acl/acl.h")
		aclAppLog(ACL_ERROR, "Checked", __FILE__, __LINE__, "logged %d", 3);
		aclAppLog(ACL_INFO, "Checked", __FILE__, __LINE__, "this is not printed either");
#endif
		REPORT_INNER_ERR_MSG("E99999", "scale is %d", -3);
		REPORT_INNER_ERR_MSG("E89999", nullptr);
		REPORT_PREDEFINED_ERR_MSG("E10003", std::vector<const char *>({"name", "value"}), std::vector<const char *>({"scale", "-3"}));
		return ge::GRAPH_FAILED;
	}
	if (memcpy_s(room, sizeof(room), "hello", 6) == EOK || memset_s(room, 4, 0, 5) == EOK || room[0] != 'a')
		return ge::GRAPH_FAILED;
	return strcpy_s(room, sizeof(room), "xyz") == EOK && room[2] == 'z' ? ge::GRAPH_SUCCESS : ge::GRAPH_FAILED;
}

static bool TopKSizes(const platform_ascendc::PlatformAscendC &platform)
{
	optiling::TopkTiling tiling;
	uint32_t most = 0, least = 0;

	return AscendC::TopKTilingFunc(platform, 64, 1, 8, 4, false, AscendC::TopKMode::TOPK_NORMAL, true, tiling) &&
	       AscendC::GetTopKMaxMinTmpSize(platform, 64, 1, false, false, AscendC::TopKMode::TOPK_NSMALL, true, 4, most, least) &&
	       tiling.value.allDataSize == 64 && least == 64 * 24 && most >= least;
}

static ge::graphStatus TilingFunc(gert::TilingContext *context)
{
	ScaleAddCustomTilingData tiling;
	auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
	uint64_t ub = 0, total = context->GetInputShape(0)->GetStorageShape().GetShapeSize();
	const int16_t shifts[3] = {1, 2, 3};

	platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, ub);
	if (context->GetAttrs() == nullptr || ub == 0 || !OtherTypes(context->GetAttrs()) || !TopKSizes(platform))
		return ge::GRAPH_FAILED;
	if (Checked(context) != ge::GRAPH_SUCCESS)
		return ge::GRAPH_FAILED;
	uint32_t tile = context->GetInputDesc(0)->GetDataType() == ge::DT_FLOAT ? 512 : 1024;

	tiling.set_tile(tile);
	tiling.set_scale(*context->GetAttrs()->GetFloat(0));
	tiling.set_shifts(shifts);
	tiling.part.set_hasBias(context->GetOptionalInputShape(1) != nullptr);
	tiling.part.set_total(total);
	tiling.set_last(platform.GetSocVersion() == platform_ascendc::SocVersion::ASCEND950 ? 35 : 7);
	context->SetTilingKey(context->GetInputDesc(0)->GetDataType() == ge::DT_FLOAT ? 1 : 2);
	uint64_t tiles = (total + tile - 1) / tile;

	context->SetLocalMemorySize(1024);
	if (context->GetLocalMemorySize() != 1024 || AscendC::GetSortTmpSize(platform, 64, 4) != 512 || AscendC::GetConcatTmpSize(platform, 32, 2) != 256)
		return ge::GRAPH_FAILED;
	context->SetBlockDim(static_cast<uint32_t>(tiles < platform.GetCoreNumAiv() ? tiles : platform.GetCoreNumAiv()));
	tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
	context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
	size_t *workspace = context->GetWorkspaceSizes(1);

	workspace[0] = 0;
	return ge::GRAPH_SUCCESS;
}
}

namespace ops {
class ScaleAddCustom : public OpDef {
public:
	explicit ScaleAddCustom(const char *name) : OpDef(name)
	{
		this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT, ge::DT_FLOAT16}).Format({ge::FORMAT_ND, ge::FORMAT_ND});
		this->Input("bias").ParamType(OPTIONAL).DataType({ge::DT_FLOAT, ge::DT_FLOAT16}).Format({ge::FORMAT_ND, ge::FORMAT_ND});
		this->Comment(CommentSection::BRIEF, "scales and adds");
		this->Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT, ge::DT_FLOAT16}).Format({ge::FORMAT_ND, ge::FORMAT_ND})
			.Follow("x", FollowType::SHAPE).InitValue({ScalarVar(0.25f), ScalarVar(7)});
		this->Attr("scale").AttrType(OPTIONAL).Float(2.0f);
		this->Attr("axes").AttrType(OPTIONAL).ListInt({1, 2, 3});
		this->AICore().SetTiling(optiling::TilingFunc);
		this->AICore().AddConfig("ascend910b");
	}
};
OP_ADD(ScaleAddCustom);
}
