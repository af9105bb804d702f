#include <algorithm>
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"
#include "../op_kernel/nonzero_count_tiling.h"

namespace optiling {

constexpr uint32_t kAtLeast = 256;  // elements a core is worth

static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    platform_ascendc::PlatformAscendC platform(context->GetPlatformInfo());
    const uint32_t cores = platform.GetCoreNumAiv();
    const uint32_t total = static_cast<uint32_t>(context->GetInputShape(0)->GetStorageShape().GetShapeSize());
    NonzeroCountTilingData* tiling = context->GetTilingData<NonzeroCountTilingData>();
    tiling->total = total;
    tiling->perBlock = std::max((total + cores - 1) / cores, kAtLeast);
    const uint32_t blocks = std::max((total + tiling->perBlock - 1) / tiling->perBlock, 1u);
    context->SetBlockDim(blocks);
    context->GetWorkspaceSizes(1)[0] = platform.GetLibApiWorkSpaceSize() + blocks * 64;
    return ge::GRAPH_SUCCESS;
}

}  // namespace optiling

namespace ge {

static graphStatus InferShape(gert::InferShapeContext* context) {
    *context->GetOutputShape(0) = {1};
    return GRAPH_SUCCESS;
}

static graphStatus InferDataType(gert::InferDataTypeContext* context) {
    context->SetOutputDataType(0, DT_INT32);
    return GRAPH_SUCCESS;
}

}  // namespace ge

namespace ops {

class NonzeroCount : public OpDef {
public:
    explicit NonzeroCount(const char* name) : OpDef(name) {
        this->Input("x")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_INT32})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND});
        this->Output("count")
            .ParamType(REQUIRED)
            .DataType({ge::DT_INT32, ge::DT_INT32})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND});
        this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};

OP_ADD(NonzeroCount);

}  // namespace ops
