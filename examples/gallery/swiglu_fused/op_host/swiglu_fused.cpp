#include <algorithm>
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"
#include "swiglu_fused_tiling.h"

namespace optiling {

constexpr uint32_t kTile = 4096;      // elements
constexpr uint32_t kMostRows = 4095;  // blocks of one DataCopyPad

static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    const gert::Shape& shape = context->GetInputShape(0)->GetStorageShape();
    const uint32_t both = static_cast<uint32_t>(shape.GetDim(shape.GetDimNum() - 1));
    if (both == 0 || both % 2 != 0 || both > 2 * kTile) {
        return ge::GRAPH_FAILED;
    }
    const uint32_t cols = both / 2;
    const uint32_t rows = static_cast<uint32_t>(shape.GetShapeSize()) / both;
    // In the unified buffer each row begins at a block of 32 bytes.
    const uint32_t rowsPerTile = std::min(kTile / ((cols + 15) / 16 * 16), kMostRows);
    const uint32_t tiles = (rows + rowsPerTile - 1) / rowsPerTile;
    const uint32_t cores = platform_ascendc::PlatformAscendC(context->GetPlatformInfo()).GetCoreNumAiv();
    SwigluFusedTilingData tiling;
    tiling.set_rows(rows);
    tiling.set_cols(cols);
    tiling.set_rowsPerTile(rowsPerTile);
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
    gert::Shape* y = context->GetOutputShape(0);
    *y = *context->GetInputShape(0);
    const size_t last = y->GetDimNum() - 1;
    y->SetDim(last, y->GetDim(last) < 0 ? y->GetDim(last) : y->GetDim(last) / 2);
    return GRAPH_SUCCESS;
}

static graphStatus InferDataType(gert::InferDataTypeContext* context) {
    context->SetOutputDataType(0, context->GetInputDataType(0));
    return GRAPH_SUCCESS;
}

}  // namespace ge

namespace ops {

class SwigluFused : public OpDef {
public:
    explicit SwigluFused(const char* name) : OpDef(name) {
        const std::vector<ge::DataType> types = {ge::DT_FLOAT16, ge::DT_FLOAT};
        const std::vector<ge::Format> formats(2, ge::FORMAT_ND);
        this->Input("x").ParamType(REQUIRED).DataType(types).Format(formats).UnknownShapeFormat(formats);
        this->Output("y").ParamType(REQUIRED).DataType(types).Format(formats).UnknownShapeFormat(formats);
        this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};

OP_ADD(SwigluFused);

}  // namespace ops
