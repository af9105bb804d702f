#include "register/op_impl_registry.h"

namespace ops {
static ge::graphStatus InferShapeWeightedSum(gert::InferShapeContext* context) {
    const gert::Shape* x = context->GetInputShape(0);
    gert::Shape* z = context->GetOutputShape(0);
    if (x == nullptr || z == nullptr) {
        return ge::GRAPH_FAILED;
    }
    *z = *x;
    return ge::GRAPH_SUCCESS;
}

static ge::graphStatus InferDataTypeWeightedSum(gert::InferDataTypeContext* context) {
    return context->SetOutputDataType(0, context->GetInputDataType(0));
}

IMPL_OP_INFERSHAPE(WeightedSum).InferShape(InferShapeWeightedSum).InferDataType(InferDataTypeWeightedSum);
}  // namespace ops
