#include "register/op_impl_registry.h"

namespace ge {

static graphStatus InferShape(gert::InferShapeContext* context) {
    if (context->GetDynamicInputShape(0, 0)->GetDimNum() != 2) {
        return GRAPH_FAILED;
    }
    *context->GetOutputShape(0) = {*context->GetAttrs()->GetInt(0), *context->GetAttrs()->GetInt(1)};
    return GRAPH_SUCCESS;
}

static graphStatus InferDataType(gert::InferDataTypeContext* context) {
    context->SetOutputDataType(0, context->GetDynamicInputDataType(0, 0));
    return GRAPH_SUCCESS;
}

IMPL_OP_INFERSHAPE(ConcatRows).InferShape(InferShape).InferDataType(InferDataType);

}  // namespace ge
