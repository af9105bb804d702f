#include "register/op_impl_registry.h"

namespace ops {

static ge::graphStatus InferShapeSoftmaxRows(gert::InferShapeContext* context) {
    *context->GetOutputShape(0) = *context->GetInputShape(0);
    return ge::GRAPH_SUCCESS;
}

static ge::graphStatus InferDataTypeSoftmaxRows(gert::InferDataTypeContext* context) {
    context->SetOutputDataType(0, context->GetInputDataType(0));
    return ge::GRAPH_SUCCESS;
}

IMPL_OP_INFERSHAPE(SoftmaxRows).InferShape(InferShapeSoftmaxRows).InferDataType(InferDataTypeSoftmaxRows);

}  // namespace ops
