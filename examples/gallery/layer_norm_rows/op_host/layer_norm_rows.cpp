#include <algorithm>
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"
#include "layer_norm_rows_tiling.h"

namespace optiling {

constexpr uint32_t kMostCols = 6144;

static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    const gert::Shape& shape = context->GetInputShape(0)->GetStorageShape();
    const uint32_t cols = static_cast<uint32_t>(shape.GetDim(shape.GetDimNum() - 1));
    if (cols == 0 || cols > kMostCols) {
        return ge::GRAPH_FAILED;
    }
    const uint32_t rows = static_cast<uint32_t>(shape.GetShapeSize()) / cols;
    const uint32_t cores = platform_ascendc::PlatformAscendC(context->GetPlatformInfo()).GetCoreNumAiv();
    // The statistics of 8 rows are a block of 32 bytes: no two cores write the same one.
    const uint32_t perCore = std::max((rows + cores - 1) / cores + 7, 8u) / 8 * 8;
    LayerNormRowsTilingData tiling;
    tiling.set_rows(rows);
    tiling.set_cols(cols);
    tiling.set_perCore(perCore);
    tiling.set_epsilon(*context->GetAttrs()->GetFloat(0));
    tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
    context->SetBlockDim(std::max((rows + perCore - 1) / perCore, 1u));
    context->SetTilingKey(0);
    context->GetWorkspaceSizes(1)[0] = 0;
    return ge::GRAPH_SUCCESS;
}

}  // namespace optiling

namespace ge {

static graphStatus InferShape(gert::InferShapeContext* context) {
    const gert::Shape* x = context->GetInputShape(0);
    if (x->GetDimNum() != 2 || context->GetInputShape(1)->GetDimNum() != 1 ||
        context->GetInputShape(2)->GetDimNum() != 1) {
        return GRAPH_FAILED;
    }
    *context->GetOutputShape(0) = *x;
    for (size_t i = 1; i <= 2; ++i) {
        gert::Shape* statistic = context->GetOutputShape(i);
        statistic->SetDimNum(0);
        statistic->AppendDim(x->GetDim(0));
    }
    return GRAPH_SUCCESS;
}

static graphStatus InferDataType(gert::InferDataTypeContext* context) {
    context->SetOutputDataType(0, context->GetInputDataType(0));
    context->SetOutputDataType(1, context->GetInputDataType(0));
    context->SetOutputDataType(2, context->GetInputDataType(0));
    return GRAPH_SUCCESS;
}

}  // namespace ge

namespace ops {

class LayerNormRows : public OpDef {
public:
    explicit LayerNormRows(const char* name) : OpDef(name) {
        const std::vector<ge::DataType> types = {ge::DT_FLOAT};
        const std::vector<ge::Format> formats(1, ge::FORMAT_ND);
        this->Input("x").ParamType(REQUIRED).DataType(types).Format(formats).UnknownShapeFormat(formats);
        this->Input("gamma").ParamType(REQUIRED).DataType(types).Format(formats).UnknownShapeFormat(formats);
        this->Input("beta").ParamType(REQUIRED).DataType(types).Format(formats).UnknownShapeFormat(formats);
        this->Output("y").ParamType(REQUIRED).DataType(types).Format(formats).UnknownShapeFormat(formats);
        this->Output("mean").ParamType(REQUIRED).DataType(types).Format(formats).UnknownShapeFormat(formats);
        this->Output("rstd").ParamType(REQUIRED).DataType(types).Format(formats).UnknownShapeFormat(formats);
        this->Attr("epsilon").AttrType(OPTIONAL).Float(1e-5f);
        this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};

OP_ADD(LayerNormRows);

}  // namespace ops
