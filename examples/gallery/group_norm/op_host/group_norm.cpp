#include <algorithm>
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"
#include "../op_kernel/group_norm_tiling.h"

namespace optiling {

constexpr uint32_t kTile = 2048;

static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    const gert::Shape& shape = context->GetInputShape(0)->GetStorageShape();
    const uint32_t perSample = static_cast<uint32_t>(*context->GetAttrs()->GetInt(0));
    const uint32_t channels = static_cast<uint32_t>(shape.GetDim(1));
    if (perSample == 0 || channels % perSample != 0) {
        return ge::GRAPH_FAILED;
    }
    const uint32_t groups = static_cast<uint32_t>(shape.GetDim(0)) * perSample;
    const uint32_t cores = platform_ascendc::PlatformAscendC(context->GetPlatformInfo()).GetCoreNumAiv();
    GroupNormTilingData* tiling = context->GetTilingData<GroupNormTilingData>();
    tiling->groups = groups;
    tiling->groupsPerSample = perSample;
    tiling->channels = channels / perSample;
    tiling->length = static_cast<uint32_t>(shape.GetDim(2));
    tiling->tile = kTile;
    tiling->epsilon = *context->GetAttrs()->GetFloat(1);
    context->SetBlockDim(std::max(std::min(groups, cores), 1u));
    context->SetTilingKey(0);
    context->GetWorkspaceSizes(1)[0] = 0;
    return ge::GRAPH_SUCCESS;
}

}  // namespace optiling

namespace ge {

static graphStatus InferShape(gert::InferShapeContext* context) {
    const gert::Shape* x = context->GetInputShape(0);
    if (x->GetDimNum() != 3 || context->GetInputShape(1)->GetDimNum() != 1 ||
        context->GetInputShape(2)->GetDimNum() != 1) {
        return GRAPH_FAILED;
    }
    *context->GetOutputShape(0) = *x;
    return GRAPH_SUCCESS;
}

static graphStatus InferDataType(gert::InferDataTypeContext* context) {
    context->SetOutputDataType(0, context->GetInputDataType(0));
    return GRAPH_SUCCESS;
}

}  // namespace ge

namespace ops {

class GroupNorm : public OpDef {
public:
    explicit GroupNorm(const char* name) : OpDef(name) {
        const std::vector<ge::DataType> types = {ge::DT_FLOAT};
        const std::vector<ge::Format> formats(1, ge::FORMAT_ND);
        this->Input("x").ParamType(REQUIRED).DataType(types).Format(formats).UnknownShapeFormat(formats);
        this->Input("gamma").ParamType(REQUIRED).DataType(types).Format(formats).UnknownShapeFormat(formats);
        this->Input("beta").ParamType(REQUIRED).DataType(types).Format(formats).UnknownShapeFormat(formats);
        this->Output("y").ParamType(REQUIRED).DataType(types).Format(formats).UnknownShapeFormat(formats);
        this->Attr("groups").AttrType(REQUIRED).Int();
        this->Attr("epsilon").AttrType(OPTIONAL).Float(1e-5f);
        this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};

OP_ADD(GroupNorm);

}  // namespace ops
