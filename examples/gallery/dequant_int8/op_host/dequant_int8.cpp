#include <algorithm>
#include "register/op_def_registry.h"
#include "tiling/tiling_api.h"
#include "tiling/platform/platform_ascendc.h"
#include "dequant_int8_tiling.h"

namespace optiling {

constexpr uint32_t kBlock = 16;
constexpr uint32_t kTile = 4096;
constexpr uint32_t kMostCols = kTile;

static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    const gert::Shape& shape = context->GetInputShape(0)->GetStorageShape();
    const uint32_t cols = static_cast<uint32_t>(shape.GetDim(shape.GetDimNum() - 1));
    if (cols == 0 || cols > kMostCols) {
        return ge::GRAPH_FAILED;
    }
    const uint32_t rows = static_cast<uint32_t>(shape.GetShapeSize()) / cols;
    const uint32_t cores = platform_ascendc::PlatformAscendC(context->GetPlatformInfo()).GetCoreNumAiv();
    // A row of half begins at a block of 32 bytes.
    const uint32_t padded = (cols + kBlock - 1) / kBlock * kBlock;
    const uint32_t rowsPerTile = kTile / padded;
    const uint32_t tiles = (rows + rowsPerTile - 1) / rowsPerTile;
    uint32_t most = 0;
    uint32_t least = 0;
    AscendC::GetAscendDequantMaxMinTmpSize(ge::Shape({rowsPerTile, padded}), sizeof(int32_t), most, least);
    DequantInt8TilingData tiling;
    tiling.set_rows(rows);
    tiling.set_cols(cols);
    tiling.set_padded(padded);
    tiling.set_rowsPerTile(rowsPerTile);
    tiling.set_room(least);
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
    const gert::Shape* x = context->GetInputShape(0);
    if (x->GetDimNum() != 2 || context->GetInputShape(1)->GetDimNum() != 1) {
        return GRAPH_FAILED;
    }
    *context->GetOutputShape(0) = *x;
    return GRAPH_SUCCESS;
}

static graphStatus InferDataType(gert::InferDataTypeContext* context) {
    context->SetOutputDataType(0, DT_BF16);
    return GRAPH_SUCCESS;
}

}  // namespace ge

namespace ops {

class DequantInt8 : public OpDef {
public:
    explicit DequantInt8(const char* name) : OpDef(name) {
        const std::vector<ge::Format> formats(1, ge::FORMAT_ND);
        this->Input("x").ParamType(REQUIRED).DataType({ge::DT_INT32}).Format(formats).UnknownShapeFormat(formats);
        this->Input("scale").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format(formats).UnknownShapeFormat(formats);
        this->Output("y").ParamType(REQUIRED).DataType({ge::DT_BF16}).Format(formats).UnknownShapeFormat(formats);
        this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};

OP_ADD(DequantInt8);

}  // namespace ops
