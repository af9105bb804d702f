#include <algorithm>
#include "register/op_def_registry.h"
#include "tiling/tiling_api.h"
#include "tiling/platform/platform_ascendc.h"
#include "../op_kernel/log_softmax_adv_tiling.h"

namespace optiling {

constexpr uint32_t kTile = 4096;
constexpr uint32_t kMostCols = kTile;
constexpr uint32_t kMostRows = 64;

static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    const gert::Shape& shape = context->GetInputShape(0)->GetStorageShape();
    const uint32_t cols = static_cast<uint32_t>(shape.GetDim(shape.GetDimNum() - 1));
    if (cols == 0 || cols > kMostCols) {
        return ge::GRAPH_FAILED;
    }
    const uint32_t rows = static_cast<uint32_t>(shape.GetShapeSize()) / cols;
    const uint32_t cores = platform_ascendc::PlatformAscendC(context->GetPlatformInfo()).GetCoreNumAiv();
    const uint32_t size = sizeof(float);
    const uint32_t block = 32 / size;
    const uint32_t padded = (cols + block - 1) / block * block;
    const uint32_t rowsPerTile = std::min(kTile / padded, kMostRows);
    const uint32_t tiles = (rows + rowsPerTile - 1) / rowsPerTile;
    const ge::Shape tile({rowsPerTile, padded});
    const uint32_t room = AscendC::GetLogSoftMaxMinTmpSize(tile, size, false);
    LogSoftmaxAdvTilingData* tiling = context->GetTilingData<LogSoftmaxAdvTilingData>();
    tiling->rows = rows;
    tiling->cols = cols;
    tiling->padded = padded;
    tiling->rowsPerTile = rowsPerTile;
    tiling->room = room;
    AscendC::LogSoftMaxTilingFunc(tile, size, room, tiling->softmax);
    context->SetBlockDim(std::max(std::min(tiles, cores), 1u));
    context->SetTilingKey(0);
    context->GetWorkspaceSizes(1)[0] = 0;
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

class LogSoftmaxAdv : public OpDef {
public:
    explicit LogSoftmaxAdv(const char* name) : OpDef(name) {
        const std::vector<ge::DataType> types = {ge::DT_FLOAT};
        const std::vector<ge::Format> formats(1, ge::FORMAT_ND);
        this->Input("x").ParamType(REQUIRED).DataType(types).Format(formats).UnknownShapeFormat(formats);
        this->Output("y").ParamType(REQUIRED).DataType(types).Format(formats).UnknownShapeFormat(formats);
        this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};

OP_ADD(LogSoftmaxAdv);

}  // namespace ops
