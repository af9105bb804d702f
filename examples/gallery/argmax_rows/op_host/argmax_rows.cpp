#include <algorithm>
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"
#include "../op_kernel/argmax_rows_tiling.h"

namespace optiling {

constexpr uint32_t kMostCols = 8192;
constexpr uint32_t kPerBlock = 8;  // indices in 32 bytes, which one core writes

static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    const gert::Shape& shape = context->GetInputShape(0)->GetStorageShape();
    const uint32_t cols = static_cast<uint32_t>(shape.GetDim(shape.GetDimNum() - 1));
    if (cols == 0 || cols > kMostCols) {
        return ge::GRAPH_FAILED;
    }
    const uint32_t rows = static_cast<uint32_t>(shape.GetShapeSize()) / cols;
    const uint32_t cores = platform_ascendc::PlatformAscendC(context->GetPlatformInfo()).GetCoreNumAiv();
    const uint32_t perCore = std::max((rows + cores - 1) / cores + kPerBlock - 1, kPerBlock) / kPerBlock * kPerBlock;
    ArgmaxRowsTilingData* tiling = context->GetTilingData<ArgmaxRowsTilingData>();
    tiling->rows = rows;
    tiling->cols = cols;
    tiling->perCore = perCore;
    context->SetBlockDim(std::max((rows + perCore - 1) / perCore, 1u));
    context->SetTilingKey(0);
    context->GetWorkspaceSizes(1)[0] = 0;
    return ge::GRAPH_SUCCESS;
}

}  // namespace optiling

namespace ge {

static graphStatus InferShape(gert::InferShapeContext* context) {
    const gert::Shape* x = context->GetInputShape(0);
    gert::Shape* index = context->GetOutputShape(0);
    index->SetDimNum(0);
    for (size_t dim = 0; dim + 1 < x->GetDimNum(); ++dim) {
        index->AppendDim(x->GetDim(dim));
    }
    return GRAPH_SUCCESS;
}

static graphStatus InferDataType(gert::InferDataTypeContext* context) {
    context->SetOutputDataType(0, DT_INT32);
    return GRAPH_SUCCESS;
}

}  // namespace ge

namespace ops {

class ArgmaxRows : public OpDef {
public:
    explicit ArgmaxRows(const char* name) : OpDef(name) {
        const std::vector<ge::Format> formats(1, ge::FORMAT_ND);
        this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format(formats).UnknownShapeFormat(formats);
        this->Output("index").ParamType(REQUIRED).DataType({ge::DT_INT32}).Format(formats).UnknownShapeFormat(formats);
        this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};

OP_ADD(ArgmaxRows);

}  // namespace ops
