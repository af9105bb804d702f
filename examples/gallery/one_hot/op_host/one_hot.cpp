#include <algorithm>
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"
#include "one_hot_tiling.h"

namespace optiling {

static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    const uint32_t rows = context->GetInputShape(0)->GetStorageShape().GetShapeSize();
    const uint32_t depth = *context->GetAttrs()->GetInt(0);
    if (depth > 8192) {
        return ge::GRAPH_FAILED;
    }
    const uint32_t cores = platform_ascendc::PlatformAscendC(context->GetPlatformInfo()).GetCoreNumAiv();
    OneHotTilingData tiling;
    tiling.set_rows(rows);
    tiling.set_depth(depth);
    tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
    context->SetBlockDim(std::max(std::min(rows, cores), 1u));
    context->SetTilingKey(0);
    context->GetWorkspaceSizes(1)[0] = 0;
    return ge::GRAPH_SUCCESS;
}

}  // namespace optiling

namespace ge {

static graphStatus InferShape(gert::InferShapeContext* context) {
    if (context->GetInputShape(0)->GetDimNum() != 1) {
        return GRAPH_FAILED;
    }
    *context->GetOutputShape(0) = {context->GetInputShape(0)->GetDim(0), *context->GetAttrs()->GetInt(0)};
    return GRAPH_SUCCESS;
}

static graphStatus InferDataType(gert::InferDataTypeContext* context) {
    context->SetOutputDataType(0, ge::DT_FLOAT);
    return GRAPH_SUCCESS;
}

}  // namespace ge

namespace ops {

class OneHot : public OpDef {
public:
    explicit OneHot(const char* name) : OpDef(name) {
        const std::vector<ge::Format> formats(1, ge::FORMAT_ND);
        this->Input("index").ParamType(REQUIRED).DataType({ge::DT_INT32}).Format(formats).UnknownShapeFormat(formats);
        this->Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format(formats).UnknownShapeFormat(formats);
        this->Attr("depth").AttrType(REQUIRED).Int();
        this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};

OP_ADD(OneHot);

}  // namespace ops
