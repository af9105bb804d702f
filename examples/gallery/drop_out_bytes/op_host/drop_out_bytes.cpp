#include <algorithm>
#include "register/op_def_registry.h"
#include "tiling/tiling_api.h"
#include "tiling/platform/platform_ascendc.h"
#include "drop_out_bytes_tiling.h"

namespace optiling {

constexpr uint32_t kTile = 2048;

static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    const float keepProb = *context->GetAttrs()->GetFloat(0);
    if (keepProb <= 0.0f || keepProb >= 1.0f) {
        return ge::GRAPH_FAILED;
    }
    const uint32_t count = static_cast<uint32_t>(context->GetInputShape(0)->GetStorageShape().GetShapeSize());
    const uint32_t size = context->GetInputDesc(0)->GetDataType() == ge::DT_FLOAT ? 4 : 2;
    const uint32_t tiles = (count + kTile - 1) / kTile;
    DropOutBytesTilingData tiling;
    tiling.set_count(count);
    tiling.set_tile(kTile);
    tiling.set_room(AscendC::GetDropOutMinTmpSize(ge::Shape({kTile}), size, false));
    tiling.set_keepProb(keepProb);
    tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
    const uint32_t cores = platform_ascendc::PlatformAscendC(context->GetPlatformInfo()).GetCoreNumAiv();
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
    context->SetOutputDataType(0, context->GetInputDataType(0));
    return GRAPH_SUCCESS;
}

}  // namespace ge

namespace ops {

class DropOutBytes : public OpDef {
public:
    explicit DropOutBytes(const char* name) : OpDef(name) {
        const std::vector<ge::DataType> types = {ge::DT_FLOAT16, ge::DT_FLOAT};
        const std::vector<ge::DataType> bytes(2, ge::DT_UINT8);
        const std::vector<ge::Format> formats(2, ge::FORMAT_ND);
        this->Input("x").ParamType(REQUIRED).DataType(types).Format(formats).UnknownShapeFormat(formats);
        this->Input("mask").ParamType(REQUIRED).DataType(bytes).Format(formats).UnknownShapeFormat(formats);
        this->Output("y").ParamType(REQUIRED).DataType(types).Format(formats).UnknownShapeFormat(formats);
        this->Attr("keep_prob").AttrType(REQUIRED).Float();
        this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};

OP_ADD(DropOutBytes);

}  // namespace ops
