#include <algorithm>
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"
#include "rope_tiling.h"

namespace optiling {

static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    const gert::Shape& shape = context->GetInputShape(0)->GetStorageShape();
    const uint32_t tokens = static_cast<uint32_t>(shape.GetDim(0));
    const uint32_t heads = static_cast<uint32_t>(shape.GetDim(1));
    const uint32_t dim = static_cast<uint32_t>(shape.GetDim(2));
    // Half a head is whole blocks and at most one repeat, and so are the heads of a token for the repeats.
    if (shape.GetDimNum() != 3 || dim % 16 != 0 || dim > 128 || heads * dim > 6144 || heads > 255) {
        return ge::GRAPH_FAILED;
    }
    const uint32_t cores = platform_ascendc::PlatformAscendC(context->GetPlatformInfo()).GetCoreNumAiv();
    const uint32_t perCore = std::max((tokens + cores - 1) / cores, 1u);
    RopeTilingData tiling;
    tiling.set_tokens(tokens);
    tiling.set_heads(heads);
    tiling.set_dim(dim);
    tiling.set_perCore(perCore);
    tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
    context->SetBlockDim(std::max((tokens + perCore - 1) / perCore, 1u));
    context->SetTilingKey(0);
    context->GetWorkspaceSizes(1)[0] = 0;
    return ge::GRAPH_SUCCESS;
}

}  // namespace optiling

namespace ge {

static graphStatus InferShape(gert::InferShapeContext* context) {
    const gert::Shape* x = context->GetInputShape(0);
    if (x->GetDimNum() != 3 || context->GetInputShape(1)->GetDimNum() != 2 ||
        context->GetInputShape(2)->GetDimNum() != 2) {
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

class Rope : public OpDef {
public:
    explicit Rope(const char* name) : OpDef(name) {
        const std::vector<ge::DataType> types = {ge::DT_FLOAT};
        const std::vector<ge::Format> formats(1, ge::FORMAT_ND);
        this->Input("x").ParamType(REQUIRED).DataType(types).Format(formats).UnknownShapeFormat(formats);
        this->Input("cos").ParamType(REQUIRED).DataType(types).Format(formats).UnknownShapeFormat(formats);
        this->Input("sin").ParamType(REQUIRED).DataType(types).Format(formats).UnknownShapeFormat(formats);
        this->Output("y").ParamType(REQUIRED).DataType(types).Format(formats).UnknownShapeFormat(formats);
        this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93").AddConfig("ascend310p");
    }
};

OP_ADD(Rope);

}  // namespace ops
