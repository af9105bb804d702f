#include <algorithm>
#include "register/op_def_registry.h"
#include "tiling/tiling_api.h"
#include "tiling/platform/platform_ascendc.h"
#include "layer_norm_grad_rows_tiling.h"

namespace optiling {

constexpr uint32_t kTile = 2048;  // elements

static void SetTile(uint32_t rows, uint32_t cols, uint32_t room, LayerNormGradTiling& grad,
                    LayerNormGradBetaTiling& beta) {
    const ge::Shape shape({1, rows, cols, cols});
    AscendC::GetLayerNormGradNDTilingInfo(shape, room / sizeof(float), sizeof(float), false, grad);
    AscendC::GetLayerNormGradBetaNDTilingInfo(shape, room / sizeof(float), sizeof(float), false, beta);
}

static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    const gert::Shape& shape = context->GetInputShape(0)->GetStorageShape();
    const uint32_t cols = static_cast<uint32_t>(shape.GetDim(shape.GetDimNum() - 1));
    // The library takes rows of whole blocks only, and makes no step in a room of fewer than four of them.
    if (cols == 0 || cols > kTile / 4 || cols % 8 != 0) {
        return ge::GRAPH_FAILED;
    }
    const uint32_t rows = static_cast<uint32_t>(shape.GetShapeSize()) / cols;
    const uint32_t rowsPerTile = kTile / cols;
    const uint32_t tiles = (rows + rowsPerTile - 1) / rowsPerTile;
    const uint32_t rest = rows % rowsPerTile == 0 ? rowsPerTile : rows % rowsPerTile;
    const ge::Shape tile({1, rowsPerTile, cols, cols});
    uint32_t most = 0, least = 0, mostOfBeta = 0, leastOfBeta = 0;
    AscendC::GetLayerNormGradMaxMinTmpSize(tile, sizeof(float), false, most, least);
    AscendC::GetLayerNormGradBetaMaxMinTmpSize(tile, sizeof(float), false, mostOfBeta, leastOfBeta);
    const uint32_t room = std::max(least, leastOfBeta);
    LayerNormGradRowsTilingData tiling;
    tiling.set_rows(rows);
    tiling.set_cols(cols);
    tiling.set_rowsPerTile(rowsPerTile);
    tiling.set_room(room);
    tiling.set_epsilon(*context->GetAttrs()->GetFloat(0));
    SetTile(rowsPerTile, cols, room, tiling.gradOfTile, tiling.betaOfTile);
    SetTile(rest, cols, room, tiling.gradOfRest, tiling.betaOfRest);
    tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
    const uint32_t cores = platform_ascendc::PlatformAscendC(context->GetPlatformInfo()).GetCoreNumAiv();
    context->SetBlockDim(std::max(std::min(tiles, cores), 1u));
    context->SetTilingKey(0);
    context->GetWorkspaceSizes(1)[0] = 0;
    return ge::GRAPH_SUCCESS;
}

}  // namespace optiling

namespace ge {

static graphStatus InferShape(gert::InferShapeContext* context) {
    *context->GetOutputShape(0) = *context->GetInputShape(1);
    *context->GetOutputShape(1) = *context->GetInputShape(4);
    *context->GetOutputShape(2) = *context->GetInputShape(4);
    return GRAPH_SUCCESS;
}

static graphStatus InferDataType(gert::InferDataTypeContext* context) {
    for (uint32_t i = 0; i < 3; ++i) {
        context->SetOutputDataType(i, context->GetInputDataType(1));
    }
    return GRAPH_SUCCESS;
}

}  // namespace ge

namespace ops {

class LayerNormGradRows : public OpDef {
public:
    explicit LayerNormGradRows(const char* name) : OpDef(name) {
        for (const char* input : {"dy", "x", "variance", "mean", "gamma"}) {
            this->Input(input).ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        }
        for (const char* output : {"dx", "dgamma", "dbeta"}) {
            this->Output(output).ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        }
        this->Attr("epsilon").AttrType(OPTIONAL).Float(1e-5f);
        this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};

OP_ADD(LayerNormGradRows);

}  // namespace ops
