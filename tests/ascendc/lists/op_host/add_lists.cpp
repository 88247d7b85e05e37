// SPDX-License-Identifier: MIT
/* The host's part of AddLists, whose input and output are lists of tensors. */
#include "add_lists_tiling.h"
#include "register/op_def_registry.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext *context)
{
	AddListsTilingData data;
	uint32_t count = 0;
	int64_t sizes[LONGEST_LIST] = {};

	for (; count < LONGEST_LIST && context->GetDynamicInputTensor(0, count); count++)
		sizes[count] = context->GetDynamicInputShape(0, count)->GetStorageShape().GetShapeSize();
	data.set_count(count);
	data.set_sizes(sizes);
	data.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
	context->GetRawTilingData()->SetDataSize(data.GetDataSize());
	context->SetBlockDim(1);
	return ge::GRAPH_SUCCESS;
}
}

namespace ops {
class AddLists : public OpDef {
public:
	explicit AddLists(const char *name) : OpDef(name)
	{
		this->Input("x").ParamType(DYNAMIC).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
		this->Input("add").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
		this->Output("y").ParamType(DYNAMIC).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
		this->AICore().SetTiling(optiling::TilingFunc);
		this->AICore().AddConfig("ascend910b");
	}
};
OP_ADD(AddLists);
}
