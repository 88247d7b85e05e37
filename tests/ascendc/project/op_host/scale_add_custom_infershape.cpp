// SPDX-License-Identifier: MIT
/* Shapes and types of the results of ScaleAddCustom, in a file of its own that includes one header. */
#include "register/op_impl_registry.h"

namespace ge {
static graphStatus InferShape(gert::InferShapeContext *context)
{
	const gert::Shape *x = context->GetInputShape(0);

	OPS_CHECK_NULL_WITH_CONTEXT(context, x);
	*context->GetOutputShape(0) = *x;
	return GRAPH_SUCCESS;
}

static graphStatus InferDataType(gert::InferDataTypeContext *context)
{
	return context->SetOutputDataType(0, context->GetInputDataType(0));
}

IMPL_OP_INFERSHAPE(ScaleAddCustom).InferShape(InferShape).InferDataType(InferDataType);
}
