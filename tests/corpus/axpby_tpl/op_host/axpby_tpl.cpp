#include <algorithm>
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"
#include "../op_kernel/axpby_tpl_key.h"
#include "../op_kernel/axpby_tpl_tiling.h"

namespace optiling {

constexpr uint32_t kTile = 4096;

static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    const uint32_t total = static_cast<uint32_t>(context->GetInputShape(0)->GetStorageShape().GetShapeSize());
    const uint32_t cores = platform_ascendc::PlatformAscendC(context->GetPlatformInfo()).GetCoreNumAiv();
    AxpbyTplTilingData* tiling = context->GetTilingData<AxpbyTplTilingData>();
    tiling->total = total;
    tiling->tile = kTile;
    tiling->alpha = *context->GetAttrs()->GetFloat(0);
    tiling->beta = *context->GetAttrs()->GetFloat(1);
    const uint32_t D_T_X = static_cast<uint32_t>(context->GetInputDesc(0)->GetDataType());
    const uint32_t TERMS = tiling->beta == 0.0f ? 1 : 2;
    const uint32_t IS_SUM = tiling->alpha == 1.0f && tiling->beta == 1.0f ? 1 : 0;
    ASCENDC_TPL_SEL_PARAM(context, D_T_X, TERMS, IS_SUM);
    context->SetBlockDim(std::max(std::min((total + kTile - 1) / kTile, cores), 1u));
    context->GetWorkspaceSizes(1)[0] = 0;
    return ge::GRAPH_SUCCESS;
}

}  // namespace optiling

namespace ge {

static graphStatus InferShape(gert::InferShapeContext* context) {
    *context->GetOutputShape(0) = *context->GetInputShape(0);
    return GRAPH_SUCCESS;
}

static graphStatus InferDataType(gert::InferDataTypeContext* context) {
    context->SetOutputDataType(0, context->GetInputDataType(0));
    return GRAPH_SUCCESS;
}

}  // namespace ge

namespace ops {

class AxpbyTpl : public OpDef {
public:
    explicit AxpbyTpl(const char* name) : OpDef(name) {
        this->Input("x")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_FLOAT})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND});
        this->Input("y")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_FLOAT})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND});
        this->Output("z")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_FLOAT})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND});
        this->Attr("alpha").AttrType(OPTIONAL).Float(1.0);
        this->Attr("beta").AttrType(OPTIONAL).Float(1.0);
        this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};

OP_ADD(AxpbyTpl);

}  // namespace ops
