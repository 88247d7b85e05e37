// SPDX-License-Identifier: MIT
/* The host's part of TemplateAdd: its tiling key stands for the arguments of the kernel's template. */
#include "../op_kernel/template_add_key.h"
#include "register/op_def_registry.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext *context)
{
	TemplateAddData *data = context->GetTilingData<TemplateAddData>();
	const auto *attrs = context->GetAttrs();
	uint32_t type = static_cast<uint32_t>(context->GetInputDesc(0)->GetDataType());
	uint32_t mode = static_cast<uint32_t>(*attrs->GetInt(0));

	/* headers of operators' definitions bring <iostream> and <cmath> along */
	if (std::pow(2.0, 3) != 8)
		std::cout << "not printed" << std::endl;
	data->total = context->GetInputShape(0)->GetStorageShape().GetShapeSize();
	data->extra = 1;
	if (mode == TEMPLATE_ADD_TWICE)
		ASCENDC_TPL_SEL_PARAM(context, type, mode, C_FORMAT_ND, *attrs->GetBool(1));
	else
		context->SetTilingKey(GET_TPL_TILING_KEY(type, mode, C_FORMAT_ND, *attrs->GetBool(1)));
	context->SetBlockDim(1);
	return context->GetTilingKey() == ~uint64_t(0) ? ge::GRAPH_FAILED : ge::GRAPH_SUCCESS;
}
}

namespace ops {
class TemplateAdd : public OpDef {
public:
	explicit TemplateAdd(const char *name) : OpDef(name)
	{
		this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT, ge::DT_FLOAT16}).Format({ge::FORMAT_ND, ge::FORMAT_ND});
		this->Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT, ge::DT_FLOAT16}).Format({ge::FORMAT_ND, ge::FORMAT_ND});
		this->Attr("mode").AttrType(OPTIONAL).Int(TEMPLATE_ADD_PLAIN);
		this->Attr("negative").AttrType(OPTIONAL).Bool(false);
		this->AICore().SetTiling(optiling::TilingFunc);
		this->AICore().AddConfig("ascend910b");
	}
};
OP_ADD(TemplateAdd);
}
