// What the op is (OpDef), what shape and type its results have (inference), and how its work is cut for the cores
// (tiling). The numbers are made in {{ stem }}_host_tiling.h. Compiled as C++11.
#include <string>
#include <vector>
#include "{{ stem }}_host_tiling.h"
#include "op_context.h"

namespace {

namespace host = {{ stem }}_host_tiling;

using host_tiling::Reason;
using op_context::Refuse;

constexpr const char* kOpType = "{{ op_type }}";
constexpr size_t kInputs = host::kInputs;
constexpr size_t kOutputs = {{ output_count }};
constexpr size_t kTilingBytes = sizeof({{ op_type }}TilingData);
{% if optional %}
const bool kOptional[kInputs] = {{ optional }};
{% endif %}

// The supported combinations of input types, as kColumns has them.
const ge::DataType kTypes[][kInputs] = {
{% for types in types %}
    {{ types }}
{% endfor %}
};

bool FindColumn(gert::TilingContext* context, size_t* column) {
    for (*column = 0; *column < sizeof(kTypes) / sizeof(kTypes[0]); ++*column) {
        bool matches = true;
        for (size_t i = 0; i < kInputs; i++) {
{% if optional %}
            const gert::CompileTimeTensorDesc* desc = context->GetOptionalInputDesc(i);
            matches = matches && (desc == nullptr ? kOptional[i] : desc->GetDataType() == kTypes[*column][i]);
{% else %}
            const gert::CompileTimeTensorDesc* desc = context->GetInputDesc(i);
            matches = matches && desc != nullptr && desc->GetDataType() == kTypes[*column][i];
{% endif %}
        }
        if (matches) {
            return true;
        }
    }
    return false;
}

{% if attr_lines %}
ge::graphStatus ReadAttributes(gert::TilingContext* context, host::Call* call) {
    const gert::RuntimeAttrs* theAttrs = context->GetAttrs();
    if (theAttrs == nullptr) {
        return Refuse(kOpType, "its attributes are missing");
    }
{% for line in attr_lines %}
    {{ line }}
{% endfor %}
    return ge::GRAPH_SUCCESS;
}

{% endif %}
ge::graphStatus Tiling(gert::TilingContext* context) {
    host::Call call = host::Call();
    for (size_t i = 0; i < kInputs; i++) {
{% if optional %}
        const gert::StorageShape* input = context->GetOptionalInputShape(i);
        call.given[i] = input != nullptr;
        if (input == nullptr && !kOptional[i]) {
            return Refuse(kOpType, Reason("input %zu has no shape", i));
        }
        if (input != nullptr) {
            call.inputs[i] = op_context::DimsOf(input->GetOriginShape());
        }
{% else %}
        const gert::StorageShape* input = context->GetInputShape(i);
        if (input == nullptr) {
            return Refuse(kOpType, Reason("input %zu has no shape", i));
        }
        call.inputs[i] = op_context::DimsOf(input->GetOriginShape());
{% endif %}
    }
    host_tiling::Dims shape;
    std::string reason = host::OutputShape(call, &shape);
    if (!reason.empty()) {
        return Refuse(kOpType, reason);
    }
    for (size_t i = 0; i < kOutputs; i++) {
        const gert::StorageShape* output = context->GetOutputShape(i);
        if (output == nullptr || output->GetOriginShape().GetShapeSize() != host_tiling::ElementsOf(shape)) {
            return Refuse(kOpType, Reason("output %zu must have the shape %s that its inputs give", i,
                                          host_tiling::ShapeText(shape).c_str()));
        }
    }
    if (!FindColumn(context, &call.column)) {
        return Refuse(kOpType, "this combination of input types has no kernel");
    }
{% if attr_lines %}
    if (ReadAttributes(context, &call) != ge::GRAPH_SUCCESS) {
        return ge::GRAPH_FAILED;
    }
{% endif %}
    auto* tiling = context->GetTilingData<{{ op_type }}TilingData>();
    if (tiling == nullptr) {
        return Refuse(kOpType, Reason("there is no room for %zu bytes of tiling data", kTilingBytes));
    }
    const platform_ascendc::PlatformAscendC platform(context->GetPlatformInfo());
    host_tiling::Launch launch;
    reason = host::Compute(platform, call, tiling, &launch);
    if (!reason.empty()) {
        return Refuse(kOpType, reason);
    }
    context->SetTilingKey(launch.tilingKey);
    context->SetBlockDim(launch.blockDim);
    context->GetWorkspaceSizes(1)[0] = launch.workspaceBytes;
    return ge::GRAPH_SUCCESS;
}

ge::graphStatus InferShape(gert::InferShapeContext* context) {
    host::Call call = host::Call();
    for (size_t i = 0; i < kInputs; i++) {
{% if optional %}
        const gert::Shape* input = context->GetOptionalInputShape(i);
        call.given[i] = input != nullptr;
        if (input == nullptr && !kOptional[i]) {
            return Refuse(kOpType, Reason("input %zu has no shape", i));
        }
        if (input != nullptr) {
            call.inputs[i] = op_context::DimsOf(*input);
        }
{% else %}
        const gert::Shape* input = context->GetInputShape(i);
        if (input == nullptr) {
            return Refuse(kOpType, Reason("input %zu has no shape", i));
        }
        call.inputs[i] = op_context::DimsOf(*input);
{% endif %}
    }
    host_tiling::Dims shape;
    const std::string reason = host::OutputShape(call, &shape);
    if (!reason.empty()) {
        return Refuse(kOpType, reason);
    }
    for (size_t i = 0; i < kOutputs; i++) {
        op_context::SetDims(shape, context->GetOutputShape(i));
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
            .ParamType({{ input.param }})
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
