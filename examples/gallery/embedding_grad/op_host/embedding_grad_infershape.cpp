#include "register/op_impl_registry.h"

namespace ge {

static graphStatus InferShape(gert::InferShapeContext* context) {
    const gert::Shape* grad = context->GetInputShape(0);
    if (grad->GetDimNum() != 2 || context->GetInputShape(1)->GetDimNum() != 1) {
        return GRAPH_FAILED;
    }
    *context->GetOutputShape(0) = {*context->GetAttrs()->GetInt(0), grad->GetDim(1)};
    return GRAPH_SUCCESS;
}

static graphStatus InferDataType(gert::InferDataTypeContext* context) {
    context->SetOutputDataType(0, context->GetInputDataType(0));
    return GRAPH_SUCCESS;
}

IMPL_OP_INFERSHAPE(EmbeddingGrad).InferShape(InferShape).InferDataType(InferDataType);

}  // namespace ge
