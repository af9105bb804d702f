#include <algorithm>
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"
#include "../op_kernel/adam_in_place_tiling.h"

namespace optiling {

constexpr uint32_t kTile = 2048;

static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    const auto* attrs = context->GetAttrs();
    const uint32_t total = static_cast<uint32_t>(context->GetInputShape(0)->GetStorageShape().GetShapeSize());
    const uint32_t cores = platform_ascendc::PlatformAscendC(context->GetPlatformInfo()).GetCoreNumAiv();
    AdamInPlaceTilingData* tiling = context->GetTilingData<AdamInPlaceTilingData>();
    tiling->total = total;
    tiling->tile = kTile;
    tiling->lr = *attrs->GetFloat(0);
    tiling->beta1 = *attrs->GetFloat(1);
    tiling->beta2 = *attrs->GetFloat(2);
    tiling->eps = *attrs->GetFloat(3);
    context->SetBlockDim(std::max(std::min((total + kTile - 1) / kTile, cores), 1u));
    context->GetWorkspaceSizes(1)[0] = 0;
    return ge::GRAPH_SUCCESS;
}

}  // namespace optiling

namespace ge {

static graphStatus InferShape(gert::InferShapeContext* context) {
    for (size_t i = 0; i < 3; ++i) {
        *context->GetOutputShape(i) = *context->GetInputShape(i);
    }
    return GRAPH_SUCCESS;
}

static graphStatus InferDataType(gert::InferDataTypeContext* context) {
    for (size_t i = 0; i < 3; ++i) {
        context->SetOutputDataType(i, context->GetInputDataType(i));
    }
    return GRAPH_SUCCESS;
}

}  // namespace ge

namespace ops {

class AdamInPlace : public OpDef {
public:
    explicit AdamInPlace(const char* name) : OpDef(name) {
        this->Input("var").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->Input("m").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->Input("v").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->Input("grad").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->Output("var").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->Output("m").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->Output("v").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->Attr("lr").AttrType(OPTIONAL).Float(0.001);
        this->Attr("beta1").AttrType(OPTIONAL).Float(0.9);
        this->Attr("beta2").AttrType(OPTIONAL).Float(0.999);
        this->Attr("eps").AttrType(OPTIONAL).Float(1e-8);
        this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};

OP_ADD(AdamInPlace);

}  // namespace ops
