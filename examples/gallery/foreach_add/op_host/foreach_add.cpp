#include <algorithm>
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"
#include "../op_kernel/foreach_add_tiling.h"

namespace optiling {

constexpr uint32_t kTile = 2048;

static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    const size_t count = context->GetComputeNodeInfo()->GetInputInstanceInfo(0)->GetInstanceNum();
    if (count > kForeachAddMostTensors) {
        return ge::GRAPH_FAILED;
    }
    const auto* others = context->GetComputeNodeInfo()->GetInputInstanceInfo(1);
    if (others->GetInstanceNum() != count) {
        return ge::GRAPH_FAILED;
    }
    ForeachAddTilingData* tiling = context->GetTilingData<ForeachAddTilingData>();
    tiling->count = static_cast<uint32_t>(count);
    tiling->tile = kTile;
    uint64_t tiles = 0, total = 0;
    for (size_t i = 0; i < count; ++i) {
        const uint64_t size = context->GetDynamicInputShape(0, i)->GetStorageShape().GetShapeSize();
        tiling->sizes[i] = size;
        tiles += (size + kTile - 1) / kTile;
        total += size;
    }
    if (total != static_cast<uint64_t>(*context->GetAttrs()->GetInt(0))) {
        return ge::GRAPH_FAILED;
    }
    const uint32_t cores = platform_ascendc::PlatformAscendC(context->GetPlatformInfo()).GetCoreNumAiv();
    context->SetBlockDim(std::max(std::min(static_cast<uint32_t>(tiles), cores), 1u));
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
    context->SetOutputDataType(0, context->GetDynamicInputDataType(0, 0));
    return GRAPH_SUCCESS;
}

}  // namespace ge

namespace ops {

class ForeachAdd : public OpDef {
public:
    explicit ForeachAdd(const char* name) : OpDef(name) {
        this->Input("x")
            .ParamType(DYNAMIC)
            .DataType({ge::DT_FLOAT16, ge::DT_FLOAT})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND});
        this->Input("y")
            .ParamType(DYNAMIC)
            .DataType({ge::DT_FLOAT16, ge::DT_FLOAT})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND});
        this->Output("z")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_FLOAT})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND});
        this->Attr("total").AttrType(REQUIRED).Int();
        this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};

OP_ADD(ForeachAdd);

}  // namespace ops
