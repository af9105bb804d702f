#include <algorithm>
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"
#include "../op_kernel/moe_token_permute_tiling.h"

namespace optiling {

constexpr uint32_t kMostElements = 49152;  // of a token: two of them fill UB

static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    const uint32_t rows = context->GetInputShape(1)->GetStorageShape().GetShapeSize();
    const uint32_t n = context->GetInputShape(0)->GetStorageShape().GetDim(1);
    if (n > kMostElements) {
        return ge::GRAPH_FAILED;
    }
    const uint32_t cores = platform_ascendc::PlatformAscendC(context->GetPlatformInfo()).GetCoreNumAiv();
    MoeTokenPermuteTilingData* tiling = context->GetTilingData<MoeTokenPermuteTilingData>();
    tiling->rows = rows;
    tiling->n = n;
    context->SetBlockDim(std::max(std::min(rows, cores), 1u));
    context->SetTilingKey(0);
    context->GetWorkspaceSizes(1)[0] = 0;
    return ge::GRAPH_SUCCESS;
}

}  // namespace optiling

namespace ge {

static graphStatus InferShape(gert::InferShapeContext* context) {
    if (context->GetInputShape(0)->GetDimNum() != 2 || context->GetInputShape(1)->GetDimNum() != 1) {
        return GRAPH_FAILED;
    }
    *context->GetOutputShape(0) = *context->GetInputShape(0);
    context->GetOutputShape(0)->SetDim(0, context->GetInputShape(1)->GetDim(0));
    return GRAPH_SUCCESS;
}

static graphStatus InferDataType(gert::InferDataTypeContext* context) {
    context->SetOutputDataType(0, context->GetInputDataType(0));
    return GRAPH_SUCCESS;
}

}  // namespace ge

namespace ops {

class MoeTokenPermute : public OpDef {
public:
    explicit MoeTokenPermute(const char* name) : OpDef(name) {
        const std::vector<ge::Format> formats(1, ge::FORMAT_ND);
        this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT16}).Format(formats).UnknownShapeFormat(formats);
        this->Input("order").ParamType(REQUIRED).DataType({ge::DT_INT32}).Format(formats).UnknownShapeFormat(formats);
        this->Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT16}).Format(formats).UnknownShapeFormat(formats);
        this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};

OP_ADD(MoeTokenPermute);

}  // namespace ops
