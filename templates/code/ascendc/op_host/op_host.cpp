// What the op is (OpDef), what shape and type its results have (inference), and how its work is cut for the cores
// (tiling). Compiled as C++11.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>
#include "../op_kernel/{{ stem }}_tiling.h"
#include "elementwise.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace {

constexpr const char* kOpType = "{{ op_type }}";
constexpr size_t kInputs = {{ input_count }};
constexpr size_t kOutputs = {{ output_count }};
constexpr size_t kTilingBytes = sizeof({{ op_type }}TilingData);

// A supported combination of input types, the bytes of UB that one element of a tile costs in all buffers of the
// kernel (see its Init), and the bytes of the narrowest element.
struct Column {
    ge::DataType inputs[kInputs];
    int64_t bytesPerElement;
    int64_t narrowest;
};

const Column kColumns[] = {
{% for column in columns %}
    {{ column }}
{% endfor %}
};

{% if reserved %}
// UB at its end that Select uses for itself.
constexpr int64_t kReservedUb = {{ reserved }};

{% endif %}
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

{% if scalar_lines %}
// What the expression computes from attributes alone, in float32.
ge::graphStatus SetScalars(gert::TilingContext* context, {{ op_type }}TilingData* tiling) {
    const gert::RuntimeAttrs* theAttrs = context->GetAttrs();
    if (theAttrs == nullptr) {
        return elementwise::Refuse(kOpType, "its attributes are missing");
    }
{% for line in scalar_lines %}
    {{ line }}
{% endfor %}
    return ge::GRAPH_SUCCESS;
}

{% endif %}
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
{% if reserved %}
    const int64_t ubBytes = static_cast<int64_t>(ubSize) - kReservedUb;
{% else %}
    const int64_t ubBytes = static_cast<int64_t>(ubSize);
{% endif %}
    const int64_t elements = ubBytes / column->bytesPerElement;
    const int64_t tileElements = elements / elementwise::kTileStep * elementwise::kTileStep;
    if (tileElements <= 0 || cores <= 0) {
        return elementwise::Refuse(
            kOpType, "a tile of %lld elements at %lld bytes does not fit: %lld bytes of UB, %lld cores",
            static_cast<long long>(elementwise::kTileStep), static_cast<long long>(column->bytesPerElement),
            static_cast<long long>(ubBytes), static_cast<long long>(cores));
    }

    auto* tiling = context->GetTilingData<{{ op_type }}TilingData>();
    if (tiling == nullptr) {
        return elementwise::Refuse(kOpType, "there is no room for %zu bytes of tiling data", kTilingBytes);
    }
    const bool broadcast = collapsed.broadcast && collapsed.elements > 0;
    const elementwise::Split split =
        broadcast ? elementwise::SplitBroadcast(collapsed.shape, collapsed.elements, cores, tileElements)
                  : elementwise::SplitFlat(collapsed.elements, cores, tileElements, column->narrowest);
    *tiling = {{ op_type }}TilingData();
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
{% for strides in strides %}
    std::copy_n(collapsed.strides[{{ strides.index }}], elementwise::kMaxDims, tiling->{{ strides.name }});
{% endfor %}
{% if scalar_lines %}
    if (SetScalars(context, tiling) != ge::GRAPH_SUCCESS) {
        return ge::GRAPH_FAILED;
    }
{% endif %}
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
{% for output in outputs %}
    context->SetOutputDataType({{ output.index }}, {{ output.infer }});
{% endfor %}
    return ge::GRAPH_SUCCESS;
}

}  // namespace

namespace ops {

class {{ op_type }} : public OpDef {
public:
    explicit {{ op_type }}(const char* name) : OpDef(name) {
        const std::vector<ge::Format> formats({{ column_count }}, ge::FORMAT_ND);
{% for input in inputs %}
        this->Input("{{ input.name }}")
            .ParamType(REQUIRED)
            .DataType({{ input.dtypes }})
            .Format(formats)
            .UnknownShapeFormat(formats)
            .AutoContiguous();
{% endfor %}
{% for attr in attrs %}
        this->Attr("{{ attr.name }}").AttrType({{ attr.option }}).{{ attr.setter }};
{% endfor %}
{% for output in outputs %}
        this->Output("{{ output.name }}")
            .ParamType(REQUIRED)
            .DataType({{ output.dtypes }})
            .Format(formats)
            .UnknownShapeFormat(formats);
{% endfor %}

        this->SetInferShape(InferShape).SetInferDataType(InferDataType);

        OpAICoreConfig config;
        config.DynamicCompileStaticFlag(true)
            .DynamicFormatFlag(true)
            .DynamicRankSupportFlag(true)
            .DynamicShapeSupportFlag(true)
            .NeedCheckSupportFlag(false);
        this->AICore().SetTiling(Tiling);
{% for soc in socs %}
        this->AICore().AddConfig("{{ soc }}", config);
{% endfor %}
    }
};

OP_ADD({{ op_type }});

}  // namespace ops
