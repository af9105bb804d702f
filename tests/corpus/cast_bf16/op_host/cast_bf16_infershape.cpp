#include "register/op_impl_registry.h"

namespace ops {

static ge::graphStatus InferShapeCastBf16(gert::InferShapeContext* context) {
    *context->GetOutputShape(0) = *context->GetInputShape(0);
    return ge::GRAPH_SUCCESS;
}

static ge::graphStatus InferDataTypeCastBf16(gert::InferDataTypeContext* context) {
    context->SetOutputDataType(0, ge::DT_BF16);
    return ge::GRAPH_SUCCESS;
}

IMPL_OP_INFERSHAPE(CastBf16).InferShape(InferShapeCastBf16).InferDataType(InferDataTypeCastBf16);

}  // namespace ops
