// What the op is (OpDef), what shape and type its results have (inference), and how its work is cut for the cores
// (tiling). Compiled as C++11.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>
#include "../op_kernel/vector_add_tiling.h"
#include "elementwise.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace {

constexpr const char* kOpType = "VectorAdd";
constexpr size_t kInputs = 2;
constexpr size_t kOutputs = 1;
constexpr size_t kTilingBytes = sizeof(VectorAddTilingData);

// A supported combination of input types, the bytes of UB that one element of a tile costs in all buffers of the
// kernel (see its Init), and the bytes of the narrowest element.
struct Column {
    ge::DataType inputs[kInputs];
    int64_t bytesPerElement;
    int64_t narrowest;
};

const Column kColumns[] = {
    {{ge::DT_FLOAT16, ge::DT_FLOAT16}, 20, 2},
    {{ge::DT_BF16, ge::DT_BF16}, 20, 2},
    {{ge::DT_FLOAT, ge::DT_FLOAT}, 24, 4},
};

const Column* FindColumn(gert::TilingContext* context) {
    for (const Column& column : kColumns) {
        bool matches = true;
        for (size_t i = 0; i < kInputs; i++) {
            const gert::CompileTimeTensorDesc* desc = context->GetInputDesc(i);
            matches = matches && desc != nullptr && desc->GetDataType() == column.inputs[i];
        }
        if (matches) {
            return &column;
        }
    }
    return nullptr;
}

ge::graphStatus Tiling(gert::TilingContext* context) {
    const gert::Shape* inputs[kInputs];
    gert::Shape shape;
    for (size_t i = 0; i < kInputs; i++) {
        if (context->GetInputShape(i) == nullptr) {
            return elementwise::Refuse(kOpType, "input %zu has no shape", i);
        }
        inputs[i] = &context->GetInputShape(i)->GetOriginShape();
        if (!elementwise::BroadcastWith(*inputs[i], shape)) {
            return elementwise::Refuse(kOpType, "input %zu of shape %s does not broadcast with %s", i,
                                       elementwise::ShapeText(*inputs[i]).text, elementwise::ShapeText(shape).text);
        }
    }
    for (size_t i = 0; i < kOutputs; i++) {
        const gert::StorageShape* output = context->GetOutputShape(i);
        if (output == nullptr || output->GetOriginShape().GetShapeSize() != shape.GetShapeSize()) {
            return elementwise::Refuse(kOpType, "output %zu must have the shape %s of the broadcast inputs", i,
                                       elementwise::ShapeText(shape).text);
        }
    }
    elementwise::Collapsed<kInputs> collapsed;
    if (!elementwise::Collapse(shape, inputs, collapsed)) {
        return elementwise::Refuse(kOpType, "shape %s alternates between more than %zu broadcast patterns",
                                   elementwise::ShapeText(shape).text, elementwise::kMaxDims);
    }

    const Column* column = FindColumn(context);
    if (column == nullptr) {
        return elementwise::Refuse(kOpType, "this combination of input types has no kernel");
    }
    platform_ascendc::PlatformAscendC platform(context->GetPlatformInfo());
    const int64_t cores = platform.GetCoreNumAiv();
    uint64_t ubSize = 0;
    platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, ubSize);
    const int64_t ubBytes = static_cast<int64_t>(ubSize);
    const int64_t elements = ubBytes / column->bytesPerElement;
    const int64_t tileElements = elements / elementwise::kTileStep * elementwise::kTileStep;
    if (tileElements <= 0 || cores <= 0) {
        return elementwise::Refuse(
            kOpType, "a tile of %lld elements at %lld bytes does not fit: %lld bytes of UB, %lld cores",
            static_cast<long long>(elementwise::kTileStep), static_cast<long long>(column->bytesPerElement),
            static_cast<long long>(ubBytes), static_cast<long long>(cores));
    }

    auto* tiling = context->GetTilingData<VectorAddTilingData>();
    if (tiling == nullptr) {
        return elementwise::Refuse(kOpType, "there is no room for %zu bytes of tiling data", kTilingBytes);
    }
    const bool broadcast = collapsed.broadcast && collapsed.elements > 0;
    const elementwise::Split split =
        broadcast ? elementwise::SplitBroadcast(collapsed.shape, collapsed.elements, cores, tileElements)
                  : elementwise::SplitFlat(collapsed.elements, cores, tileElements, column->narrowest);
    *tiling = VectorAddTilingData();
    tiling->totalElements = collapsed.elements;
    tiling->tileElements = split.tileElements;
    tiling->tileRows = split.tileRows;
    tiling->tileColumns = split.tileColumns;
    tiling->elementsPerBlock = split.elementsPerBlock;
    tiling->tileCount = split.tileCount;
    tiling->tilesPerBlock = split.tilesPerBlock;
    tiling->rowTiles = split.rowTiles;
    tiling->columnTiles = split.columnTiles;
    std::copy_n(collapsed.shape, elementwise::kMaxDims, tiling->outputShape);
    std::copy_n(collapsed.strides[0], elementwise::kMaxDims, tiling->xStrides);
    std::copy_n(collapsed.strides[1], elementwise::kMaxDims, tiling->yStrides);
    context->SetTilingKey(broadcast ? 1 : 0);
    context->SetBlockDim(split.blocks);
    context->GetWorkspaceSizes(1)[0] = 0;
    return ge::GRAPH_SUCCESS;
}

// Every result has the shape of all inputs, broadcast; unknown dimensions and ranks stay unknown where they must.
ge::graphStatus InferShape(gert::InferShapeContext* context) {
    gert::Shape shape;
    for (size_t i = 0; i < kInputs; i++) {
        const gert::Shape* input = context->GetInputShape(i);
        if (input == nullptr || !elementwise::BroadcastWith(*input, shape)) {
            return elementwise::Refuse(kOpType, "the shape of input %zu does not broadcast with those before it", i);
        }
    }
    for (size_t i = 0; i < kOutputs; i++) {
        *context->GetOutputShape(i) = shape;
    }
    return ge::GRAPH_SUCCESS;
}

ge::graphStatus InferDataType(gert::InferDataTypeContext* context) {
    context->SetOutputDataType(0, context->GetInputDataType(0));
    return ge::GRAPH_SUCCESS;
}

}  // namespace

namespace ops {

class VectorAdd : public OpDef {
public:
    explicit VectorAdd(const char* name) : OpDef(name) {
        const std::vector<ge::Format> formats(3, ge::FORMAT_ND);
        this->Input("x")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_BF16, ge::DT_FLOAT})
            .Format(formats)
            .UnknownShapeFormat(formats)
            .AutoContiguous();
        this->Input("y")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_BF16, ge::DT_FLOAT})
            .Format(formats)
            .UnknownShapeFormat(formats)
            .AutoContiguous();
        this->Output("z")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_BF16, ge::DT_FLOAT})
            .Format(formats)
            .UnknownShapeFormat(formats);

        this->SetInferShape(InferShape).SetInferDataType(InferDataType);

        OpAICoreConfig config;
        config.DynamicCompileStaticFlag(true)
            .DynamicFormatFlag(true)
            .DynamicRankSupportFlag(true)
            .DynamicShapeSupportFlag(true)
            .NeedCheckSupportFlag(false);
        this->AICore().SetTiling(Tiling);
        this->AICore().AddConfig("ascend910b", config);
        this->AICore().AddConfig("ascend910_93", config);
    }
};

OP_ADD(VectorAdd);

}  // namespace ops
