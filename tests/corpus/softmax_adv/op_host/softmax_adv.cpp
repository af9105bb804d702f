#include <algorithm>
#include "register/op_def_registry.h"
#include "tiling/tiling_api.h"
#include "tiling/platform/platform_ascendc.h"
#include "softmax_adv_tiling.h"

namespace optiling {

constexpr uint32_t kTile = 4096;
constexpr uint32_t kMostCols = kTile;
constexpr uint32_t kMostRows = 128;

static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    const gert::Shape& shape = context->GetInputShape(0)->GetStorageShape();
    const uint32_t cols = static_cast<uint32_t>(shape.GetDim(shape.GetDimNum() - 1));
    if (cols == 0 || cols > kMostCols) {
        return ge::GRAPH_FAILED;
    }
    const uint32_t rows = static_cast<uint32_t>(shape.GetShapeSize()) / cols;
    const uint32_t cores = platform_ascendc::PlatformAscendC(context->GetPlatformInfo()).GetCoreNumAiv();
    const uint32_t size = context->GetInputDesc(0)->GetDataType() == ge::DT_FLOAT ? 4 : 2;
    const uint32_t block = 32 / size;
    const uint32_t padded = (cols + block - 1) / block * block;
    const uint32_t rowsPerTile = std::min(kTile / padded, kMostRows);
    const uint32_t tiles = (rows + rowsPerTile - 1) / rowsPerTile;
    const ge::Shape tile({rowsPerTile, padded});
    const uint32_t room = AscendC::GetSoftMaxMinTmpSize(tile, size, false);
    SoftmaxAdvTilingData tiling;
    tiling.set_rows(rows);
    tiling.set_cols(cols);
    tiling.set_padded(padded);
    tiling.set_rowsPerTile(rowsPerTile);
    tiling.set_room(room);
    AscendC::SoftMaxTilingFunc(tile, size, room, tiling.softmax);
    tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
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

class SoftmaxAdv : public OpDef {
public:
    explicit SoftmaxAdv(const char* name) : OpDef(name) {
        const std::vector<ge::DataType> types = {ge::DT_FLOAT16, ge::DT_FLOAT};
        const std::vector<ge::Format> formats(2, ge::FORMAT_ND);
        this->Input("x").ParamType(REQUIRED).DataType(types).Format(formats).UnknownShapeFormat(formats);
        this->Output("y").ParamType(REQUIRED).DataType(types).Format(formats).UnknownShapeFormat(formats);
        this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};

OP_ADD(SoftmaxAdv);

}  // namespace ops
