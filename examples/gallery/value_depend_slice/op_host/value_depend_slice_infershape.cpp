#include "register/op_impl_registry.h"

namespace ge {

static graphStatus InferShape(gert::InferShapeContext* context) {
    const gert::Shape* x = context->GetInputShape(0);
    if (x->GetDimNum() != 2) {
        return GRAPH_FAILED;
    }
    *context->GetOutputShape(0) = {*context->GetAttrs()->GetInt(0), x->GetDim(1)};
    return GRAPH_SUCCESS;
}

static graphStatus InferDataType(gert::InferDataTypeContext* context) {
    context->SetOutputDataType(0, context->GetInputDataType(0));
    return GRAPH_SUCCESS;
}

IMPL_OP_INFERSHAPE(ValueDependSlice).InferShape(InferShape).InferDataType(InferDataType);

}  // namespace ge
