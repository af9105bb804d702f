#include <algorithm>
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"
#include "where_select_tiling.h"

namespace optiling {

constexpr uint32_t kTile = 4096;

static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    const gert::Shape& shape = context->GetInputShape(0)->GetStorageShape();
    if (context->GetInputShape(1)->GetStorageShape() != shape || context->GetInputShape(2)->GetStorageShape() != shape) {
        return ge::GRAPH_FAILED;  // the kernel does not broadcast
    }
    const uint32_t total = static_cast<uint32_t>(shape.GetShapeSize());
    const uint32_t cores = platform_ascendc::PlatformAscendC(context->GetPlatformInfo()).GetCoreNumAiv();
    const uint32_t tiles = (total + kTile - 1) / kTile;
    WhereSelectTilingData tiling;
    tiling.set_total(total);
    tiling.set_tile(kTile);
    tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
    context->SetBlockDim(std::max(std::min(tiles, cores), 1u));
    context->SetTilingKey(0);
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
    context->SetOutputDataType(0, context->GetInputDataType(1));
    return GRAPH_SUCCESS;
}

}  // namespace ge

namespace ops {

class WhereSelect : public OpDef {
public:
    explicit WhereSelect(const char* name) : OpDef(name) {
        const std::vector<ge::Format> formats(2, ge::FORMAT_ND);
        this->Input("condition")
            .ParamType(REQUIRED)
            .DataType({ge::DT_BOOL, ge::DT_BOOL})
            .Format(formats)
            .UnknownShapeFormat(formats);
        this->Input("x")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_FLOAT})
            .Format(formats)
            .UnknownShapeFormat(formats);
        this->Input("y")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_FLOAT})
            .Format(formats)
            .UnknownShapeFormat(formats);
        this->Output("z")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_FLOAT})
            .Format(formats)
            .UnknownShapeFormat(formats);
        this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};

OP_ADD(WhereSelect);

}  // namespace ops
