#include <algorithm>
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"
#include "../op_kernel/top_k_rows_tiling.h"

namespace optiling {

static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    const auto& shape = context->GetInputShape(0)->GetStorageShape();
    const uint32_t rows = shape.GetDim(0);
    const uint32_t n = shape.GetDim(1);
    const uint32_t k = *context->GetAttrs()->GetInt(0);
    if (n > 2048 || k > n) {
        return ge::GRAPH_FAILED;
    }
    const uint32_t cores = platform_ascendc::PlatformAscendC(context->GetPlatformInfo()).GetCoreNumAiv();
    TopKRowsTilingData* tiling = context->GetTilingData<TopKRowsTilingData>();
    tiling->rows = rows;
    tiling->n = n;
    tiling->k = k;
    context->SetBlockDim(std::max(std::min(rows, cores), 1u));
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
    const int64_t k = *context->GetAttrs()->GetInt(0);
    for (int i = 0; i < 2; ++i) {
        gert::Shape* shape = context->GetOutputShape(i);
        *shape = *context->GetInputShape(0);
        shape->SetDim(1, k);
    }
    return GRAPH_SUCCESS;
}

static graphStatus InferDataType(gert::InferDataTypeContext* context) {
    context->SetOutputDataType(0, context->GetInputDataType(0));
    context->SetOutputDataType(1, ge::DT_INT32);
    return GRAPH_SUCCESS;
}

}  // namespace ge

namespace ops {

class TopKRows : public OpDef {
public:
    explicit TopKRows(const char* name) : OpDef(name) {
        const std::vector<ge::Format> formats(1, ge::FORMAT_ND);
        this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format(formats).UnknownShapeFormat(formats);
        this->Output("values").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format(formats).UnknownShapeFormat(formats);
        this->Output("indices")
            .ParamType(REQUIRED)
            .DataType({ge::DT_INT32})
            .Format(formats)
            .UnknownShapeFormat(formats);
        this->Attr("k").AttrType(REQUIRED).Int();
        this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};

OP_ADD(TopKRows);

}  // namespace ops
