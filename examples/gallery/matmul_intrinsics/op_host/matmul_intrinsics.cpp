#include <algorithm>
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"
#include "../op_kernel/matmul_intrinsics_tiling.h"

namespace optiling {

constexpr uint32_t kRows = 64;
constexpr uint32_t kColumns = 64;
constexpr int64_t kMostStride = 65535;  // elements from one row to the next, for DataCopy with Nd2NzParams

static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    const gert::Shape& x = context->GetInputShape(0)->GetStorageShape();
    const gert::Shape& y = context->GetInputShape(1)->GetStorageShape();
    if (x.GetDimNum() != 2 || y.GetDimNum() != 2 || x.GetDim(1) != y.GetDim(0)) {
        return ge::GRAPH_FAILED;
    }
    if (x.GetDim(1) == 0 || x.GetDim(1) > kMostStride || y.GetDim(1) > kMostStride) {
        return ge::GRAPH_FAILED;
    }
    MatmulIntrinsicsTilingData* tiling = context->GetTilingData<MatmulIntrinsicsTilingData>();
    tiling->m = static_cast<uint32_t>(x.GetDim(0));
    tiling->k = static_cast<uint32_t>(x.GetDim(1));
    tiling->n = static_cast<uint32_t>(y.GetDim(1));
    const uint32_t tiles = (tiling->m + kRows - 1) / kRows * ((tiling->n + kColumns - 1) / kColumns);
    platform_ascendc::PlatformAscendC platform(context->GetPlatformInfo());
    context->SetBlockDim(std::max(std::min(tiles, platform.GetCoreNumAic()), 1u));
    context->GetWorkspaceSizes(1)[0] = 0;
    return ge::GRAPH_SUCCESS;
}

}  // namespace optiling

namespace ge {

static graphStatus InferShape(gert::InferShapeContext* context) {
    const gert::Shape& x = *context->GetInputShape(0);
    const gert::Shape& y = *context->GetInputShape(1);
    if (x.GetDimNum() != 2 || y.GetDimNum() != 2 || x.GetDim(1) != y.GetDim(0)) {
        return GRAPH_FAILED;
    }
    *context->GetOutputShape(0) = {x.GetDim(0), y.GetDim(1)};
    return GRAPH_SUCCESS;
}

static graphStatus InferDataType(gert::InferDataTypeContext* context) {
    context->SetOutputDataType(0, DT_FLOAT);
    return GRAPH_SUCCESS;
}

}  // namespace ge

namespace ops {

class MatmulIntrinsics : public OpDef {
public:
    explicit MatmulIntrinsics(const char* name) : OpDef(name) {
        this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT16}).Format({ge::FORMAT_ND});
        this->Input("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT16}).Format({ge::FORMAT_ND});
        this->Output("z").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};

OP_ADD(MatmulIntrinsics);

}  // namespace ops
