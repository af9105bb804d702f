#include <algorithm>
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"
#include "pad_rows_tiling.h"

namespace optiling {

static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    const gert::Shape& x = context->GetInputShape(0)->GetStorageShape();
    const int64_t pad = *context->GetAttrs()->GetInt(0);
    const uint32_t from = static_cast<uint32_t>(x.GetDim(x.GetDimNum() - 1));
    if (pad < 0 || from + pad > 8192) {
        return ge::GRAPH_FAILED;
    }
    uint32_t rows = 1;  // rows without elements count, too: they become rows of padding
    for (size_t dim = 0; dim + 1 < x.GetDimNum(); ++dim) {
        rows *= static_cast<uint32_t>(x.GetDim(dim));
    }
    const uint32_t cores = platform_ascendc::PlatformAscendC(context->GetPlatformInfo()).GetCoreNumAiv();
    PadRowsTilingData tiling;
    tiling.set_rows(rows);
    tiling.set_from(from);
    tiling.set_to(from + static_cast<uint32_t>(pad));
    tiling.set_value(*context->GetAttrs()->GetFloat(1));
    tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
    context->SetBlockDim(std::max(std::min(rows, cores), 1u));
    context->GetWorkspaceSizes(1)[0] = 0;
    return ge::GRAPH_SUCCESS;
}

}  // namespace optiling

namespace ge {

static graphStatus InferShape(gert::InferShapeContext* context) {
    gert::Shape& y = *context->GetOutputShape(0);
    y = *context->GetInputShape(0);
    const size_t last = y.GetDimNum() - 1;
    y.SetDim(last, y.GetDim(last) + *context->GetAttrs()->GetInt(0));
    return GRAPH_SUCCESS;
}

static graphStatus InferDataType(gert::InferDataTypeContext* context) {
    context->SetOutputDataType(0, context->GetInputDataType(0));
    return GRAPH_SUCCESS;
}

}  // namespace ge

namespace ops {

class PadRows : public OpDef {
public:
    explicit PadRows(const char* name) : OpDef(name) {
        this->Input("x")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_FLOAT})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND});
        this->Output("y")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_FLOAT})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND});
        this->Attr("pad").AttrType(REQUIRED).Int();
        this->Attr("value").AttrType(OPTIONAL).Float(0.0);
        this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};

OP_ADD(PadRows);

}  // namespace ops
