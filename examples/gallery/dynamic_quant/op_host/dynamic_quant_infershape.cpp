#include "register/op_impl_registry.h"

namespace ops {

static ge::graphStatus InferShapeDynamicQuant(gert::InferShapeContext* context) {
    const gert::Shape* x = context->GetInputShape(0);
    *context->GetOutputShape(0) = *x;
    gert::Shape* scale = context->GetOutputShape(1);
    scale->SetDimNum(0);
    for (size_t dim = 0; dim + 1 < x->GetDimNum(); ++dim) {
        scale->AppendDim(x->GetDim(dim));
    }
    return ge::GRAPH_SUCCESS;
}

static ge::graphStatus InferDataTypeDynamicQuant(gert::InferDataTypeContext* context) {
    context->SetOutputDataType(0, ge::DT_INT8);
    context->SetOutputDataType(1, ge::DT_FLOAT);
    return ge::GRAPH_SUCCESS;
}

IMPL_OP_INFERSHAPE(DynamicQuant).InferShape(InferShapeDynamicQuant).InferDataType(InferDataTypeDynamicQuant);

}  // namespace ops
