#include "register/op_impl_registry.h"

namespace ge {

static graphStatus InferShape(gert::InferShapeContext* context) {
    const gert::Shape& x = *context->GetInputShape(0);
    const gert::Shape& y = *context->GetInputShape(1);
    if (x.GetDimNum() != 2 || y.GetDimNum() != 2 || x.GetDim(1) != y.GetDim(1)) {
        return GRAPH_FAILED;
    }
    *context->GetOutputShape(0) = {x.GetDim(0), y.GetDim(0)};
    return GRAPH_SUCCESS;
}

static graphStatus InferDataType(gert::InferDataTypeContext* context) {
    context->SetOutputDataType(0, DT_FLOAT16);
    return GRAPH_SUCCESS;
}

IMPL_OP_INFERSHAPE(QuantMatmul).InferShape(InferShape).InferDataType(InferDataType);

}  // namespace ge
