#include <algorithm>
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"
#include "../op_kernel/histogram_tiling.h"

namespace optiling {

static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    const uint32_t count = context->GetInputShape(0)->GetStorageShape().GetShapeSize();
    const uint32_t bins = *context->GetAttrs()->GetInt(0);
    if (bins > 4096) {
        return ge::GRAPH_FAILED;
    }
    const uint32_t cores = platform_ascendc::PlatformAscendC(context->GetPlatformInfo()).GetCoreNumAiv();
    HistogramTilingData* tiling = context->GetTilingData<HistogramTilingData>();
    tiling->count = count;
    tiling->bins = bins;
    context->SetBlockDim(std::max(std::min((count + 255) / 256, cores), 1u));
    context->SetTilingKey(0);
    context->GetWorkspaceSizes(1)[0] = 0;
    return ge::GRAPH_SUCCESS;
}

}  // namespace optiling

namespace ge {

static graphStatus InferShape(gert::InferShapeContext* context) {
    *context->GetOutputShape(0) = {*context->GetAttrs()->GetInt(0)};
    return GRAPH_SUCCESS;
}

static graphStatus InferDataType(gert::InferDataTypeContext* context) {
    context->SetOutputDataType(0, ge::DT_INT32);
    return GRAPH_SUCCESS;
}

}  // namespace ge

namespace ops {

class Histogram : public OpDef {
public:
    explicit Histogram(const char* name) : OpDef(name) {
        const std::vector<ge::Format> formats(1, ge::FORMAT_ND);
        this->Input("x").ParamType(REQUIRED).DataType({ge::DT_INT32}).Format(formats).UnknownShapeFormat(formats);
        this->Output("y").ParamType(REQUIRED).DataType({ge::DT_INT32}).Format(formats).UnknownShapeFormat(formats);
        this->Attr("bins").AttrType(REQUIRED).Int();
        this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};

OP_ADD(Histogram);

}  // namespace ops
