#include <algorithm>
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"
#include "../op_kernel/row_sum_workspace_tiling.h"

namespace optiling {

constexpr uint32_t kTile = 2048;

static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    const gert::Shape& x = context->GetInputShape(0)->GetStorageShape();
    if (x.GetDimNum() != 2) {
        return ge::GRAPH_FAILED;
    }
    platform_ascendc::PlatformAscendC platform(context->GetPlatformInfo());
    RowSumWorkspaceTilingData* tiling = context->GetTilingData<RowSumWorkspaceTilingData>();
    tiling->rows = static_cast<uint32_t>(x.GetDim(0));
    tiling->columns = static_cast<uint32_t>(x.GetDim(1));
    // few long rows: each core has some columns of all of them
    const uint32_t each = (tiling->columns + platform.GetCoreNumAiv() - 1) / platform.GetCoreNumAiv();
    tiling->perBlock = std::max((each + kTile - 1) / kTile, 1u) * kTile;
    const uint32_t blocks = std::max((tiling->columns + tiling->perBlock - 1) / tiling->perBlock, 1u);
    context->SetBlockDim(blocks);
    context->GetWorkspaceSizes(1)[0] = platform.GetLibApiWorkSpaceSize() + blocks * tiling->rows * sizeof(float);
    return ge::GRAPH_SUCCESS;
}

}  // namespace optiling

namespace ge {

static graphStatus InferShape(gert::InferShapeContext* context) {
    const gert::Shape* x = context->GetInputShape(0);
    if (x->GetDimNum() != 2) {
        return GRAPH_FAILED;
    }
    *context->GetOutputShape(0) = {x->GetDim(0)};
    return GRAPH_SUCCESS;
}

static graphStatus InferDataType(gert::InferDataTypeContext* context) {
    context->SetOutputDataType(0, context->GetInputDataType(0));
    return GRAPH_SUCCESS;
}

}  // namespace ge

namespace ops {

class RowSumWorkspace : public OpDef {
public:
    explicit RowSumWorkspace(const char* name) : OpDef(name) {
        this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};

OP_ADD(RowSumWorkspace);

}  // namespace ops
