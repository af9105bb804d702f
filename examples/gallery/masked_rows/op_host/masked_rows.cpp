#include <algorithm>
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"
#include "../op_kernel/masked_rows_tiling.h"

namespace optiling {

constexpr uint32_t kTileBytes = 32 * 1024;

static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    platform_ascendc::PlatformAscendC platform(context->GetPlatformInfo());
    const gert::Shape& shape = context->GetInputShape(0)->GetStorageShape();
    const gert::Shape& keep = context->GetInputShape(1)->GetStorageShape();
    if (shape.GetDimNum() != 2 || keep.GetDimNum() != 1 || keep.GetDim(0) != shape.GetDim(0)) {
        return ge::GRAPH_FAILED;
    }
    const ge::DataType type = context->GetInputDesc(0)->GetDataType();
    MaskedRowsTilingData* tiling = context->GetTilingData<MaskedRowsTilingData>();
    tiling->rows = static_cast<uint32_t>(shape.GetDim(0));
    tiling->columns = static_cast<uint32_t>(shape.GetDim(1));
    const uint32_t cores = platform.GetCoreNumAiv();
    tiling->perBlock = std::max((tiling->rows + cores - 1) / cores, 1u);
    tiling->tile = kTileBytes / static_cast<uint32_t>(ge::GetSizeByDataType(type));
    context->SetBlockDim(std::max((tiling->rows + tiling->perBlock - 1) / tiling->perBlock, 1u));
    context->GetWorkspaceSizes(1)[0] = platform.GetLibApiWorkSpaceSize();
    return ge::GRAPH_SUCCESS;
}

}  // namespace optiling

namespace ge {

// How many rows are kept is known when the kernel has run: until then all may be.
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

class MaskedRows : public OpDef {
public:
    explicit MaskedRows(const char* name) : OpDef(name) {
        this->Input("x")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND});
        this->Input("keep")
            .ParamType(REQUIRED)
            .DataType({ge::DT_BOOL, ge::DT_BOOL})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND});
        this->Output("y")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND})
            .OutputShapeDependOnCompute();
        this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};

OP_ADD(MaskedRows);

}  // namespace ops
