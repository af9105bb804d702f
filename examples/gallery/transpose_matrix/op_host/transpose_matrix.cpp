#include <algorithm>
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"
#include "../op_kernel/transpose_matrix_tiling.h"

namespace optiling {

static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    const auto& shape = context->GetInputShape(0)->GetStorageShape();
    const uint32_t rows = shape.GetDim(0);
    const uint32_t n = shape.GetDim(1);
    const uint32_t cores = platform_ascendc::PlatformAscendC(context->GetPlatformInfo()).GetCoreNumAiv();
    TransposeMatrixTilingData* tiling = context->GetTilingData<TransposeMatrixTilingData>();
    tiling->rows = rows;
    tiling->columns = n;
    context->SetBlockDim(std::max(std::min((n + 15) / 16, cores), 1u));
    context->SetTilingKey(0);
    context->GetWorkspaceSizes(1)[0] = 0;
    return ge::GRAPH_SUCCESS;
}

}  // namespace optiling

namespace ge {

static graphStatus InferShape(gert::InferShapeContext* context) {
    if (context->GetInputShape(0)->GetDimNum() != 2) {
        return GRAPH_FAILED;
    }
    const gert::Shape* shape = context->GetInputShape(0);
    *context->GetOutputShape(0) = {shape->GetDim(1), shape->GetDim(0)};
    return GRAPH_SUCCESS;
}

static graphStatus InferDataType(gert::InferDataTypeContext* context) {
    context->SetOutputDataType(0, context->GetInputDataType(0));
    return GRAPH_SUCCESS;
}

}  // namespace ge

namespace ops {

class TransposeMatrix : public OpDef {
public:
    explicit TransposeMatrix(const char* name) : OpDef(name) {
        const std::vector<ge::Format> formats(1, ge::FORMAT_ND);
        this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT16}).Format(formats).UnknownShapeFormat(formats);
        this->Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT16}).Format(formats).UnknownShapeFormat(formats);
        this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};

OP_ADD(TransposeMatrix);

}  // namespace ops
