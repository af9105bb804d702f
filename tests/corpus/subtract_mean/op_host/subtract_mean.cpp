#include <algorithm>
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"
#include "../op_kernel/subtract_mean_tiling.h"

namespace optiling {

constexpr int64_t kTile = 2048;
constexpr int64_t kFlagBytes = 32;  // of each core, in the workspace of SyncAll and behind it for its sum

static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    platform_ascendc::PlatformAscendC platform(context->GetPlatformInfo());
    const int64_t total = context->GetInputShape(0)->GetStorageShape().GetShapeSize();
    const int64_t cores = platform.GetCoreNumAiv();
    const int64_t each = (total + cores - 1) / cores;
    SubtractMeanTilingData* tiling = context->GetTilingData<SubtractMeanTilingData>();
    tiling->total = static_cast<uint32_t>(total);
    tiling->tile = kTile;
    tiling->perBlock = static_cast<uint32_t>(std::max<int64_t>((each + kTile - 1) / kTile, 1) * kTile);
    const int64_t blocks = std::max<int64_t>((total + tiling->perBlock - 1) / tiling->perBlock, 1);
    context->SetBlockDim(static_cast<uint32_t>(blocks));
    context->GetWorkspaceSizes(1)[0] = platform.GetLibApiWorkSpaceSize() + 2 * blocks * kFlagBytes;
    return ge::GRAPH_SUCCESS;
}

}  // namespace optiling

namespace ge {

static graphStatus InferShape(gert::InferShapeContext* context) {
    *context->GetOutputShape(0) = *context->GetInputShape(0);
    return GRAPH_SUCCESS;
}

static graphStatus InferDataType(gert::InferDataTypeContext* context) {
    context->SetOutputDataType(0, context->GetInputDataType(0));
    return GRAPH_SUCCESS;
}

}  // namespace ge

namespace ops {

class SubtractMean : public OpDef {
public:
    explicit SubtractMean(const char* name) : OpDef(name) {
        this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};

OP_ADD(SubtractMean);

}  // namespace ops
