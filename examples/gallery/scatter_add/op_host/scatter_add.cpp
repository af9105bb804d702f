#include <algorithm>
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"
#include "../op_kernel/scatter_add_tiling.h"

namespace optiling {

static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    const auto& shape = context->GetInputShape(0)->GetStorageShape();
    const uint32_t rows = shape.GetDim(0);
    const uint32_t n = shape.GetDim(1);
    const uint32_t size = *context->GetAttrs()->GetInt(0);
    if (n > 8192) {
        return ge::GRAPH_FAILED;
    }
    const uint32_t cores = platform_ascendc::PlatformAscendC(context->GetPlatformInfo()).GetCoreNumAiv();
    ScatterAddTilingData* tiling = context->GetTilingData<ScatterAddTilingData>();
    tiling->rows = rows;
    tiling->n = n;
    tiling->size = size;
    context->SetBlockDim(std::max(std::min(std::max(rows, size), cores), 1u));
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
    *context->GetOutputShape(0) = {*context->GetAttrs()->GetInt(0), context->GetInputShape(0)->GetDim(1)};
    return GRAPH_SUCCESS;
}

static graphStatus InferDataType(gert::InferDataTypeContext* context) {
    context->SetOutputDataType(0, context->GetInputDataType(0));
    return GRAPH_SUCCESS;
}

}  // namespace ge

namespace ops {

class ScatterAdd : public OpDef {
public:
    explicit ScatterAdd(const char* name) : OpDef(name) {
        const std::vector<ge::Format> formats(1, ge::FORMAT_ND);
        this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format(formats).UnknownShapeFormat(formats);
        this->Input("index").ParamType(REQUIRED).DataType({ge::DT_INT32}).Format(formats).UnknownShapeFormat(formats);
        this->Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format(formats).UnknownShapeFormat(formats);
        this->Attr("size").AttrType(REQUIRED).Int();
        this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};

OP_ADD(ScatterAdd);

}  // namespace ops
