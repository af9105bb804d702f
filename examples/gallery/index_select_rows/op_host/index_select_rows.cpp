#include <algorithm>
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"
#include "../op_kernel/index_select_rows_tiling.h"

namespace optiling {

static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    const uint32_t rows = context->GetInputShape(1)->GetStorageShape().GetShapeSize();
    const uint32_t n = context->GetInputShape(0)->GetStorageShape().GetDim(1);
    if (n > 16384) {
        return ge::GRAPH_FAILED;
    }
    const uint32_t cores = platform_ascendc::PlatformAscendC(context->GetPlatformInfo()).GetCoreNumAiv();
    IndexSelectRowsTilingData* tiling = context->GetTilingData<IndexSelectRowsTilingData>();
    tiling->rows = rows;
    tiling->n = n;
    context->SetBlockDim(std::max(std::min(rows, cores), 1u));
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
    *context->GetOutputShape(0) = {context->GetInputShape(1)->GetDim(0), context->GetInputShape(0)->GetDim(1)};
    return GRAPH_SUCCESS;
}

static graphStatus InferDataType(gert::InferDataTypeContext* context) {
    context->SetOutputDataType(0, context->GetInputDataType(0));
    return GRAPH_SUCCESS;
}

}  // namespace ge

namespace ops {

class IndexSelectRows : public OpDef {
public:
    explicit IndexSelectRows(const char* name) : OpDef(name) {
        const std::vector<ge::Format> formats(2, ge::FORMAT_ND);
        this->Input("x")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT16})
            .Format(formats)
            .UnknownShapeFormat(formats);
        this->Input("index")
            .ParamType(REQUIRED)
            .DataType({ge::DT_INT32, ge::DT_INT32})
            .Format(formats)
            .UnknownShapeFormat(formats);
        this->Output("y")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT16})
            .Format(formats)
            .UnknownShapeFormat(formats);
        this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};

OP_ADD(IndexSelectRows);

}  // namespace ops
