// The definition of the op (OpDef), the shapes and types of its results (inference), and the split of its work over
// the cores (tiling, computed in {{ stem }}_host_tiling.h). Compiled as C++11.
#include <string>
#include <vector>
#include "{{ stem }}_host_tiling.h"
#include "opforge/op_context.h"
{% if tunable %}
#if __has_include("opforge/tuned_plans.h")  // the build writes it from tuning/*.json
#include "opforge/tuned_plans.h"
#endif
{% endif %}

namespace {

namespace host = {{ stem }}_host_tiling;

using host_tiling::Reason;
using op_context::Refuse;

constexpr const char* kOpType = "{{ op_type }}";
constexpr size_t kInputs = host::kInputs;
constexpr size_t kOutputs = {{ output_count }};
{% if optional %}
const bool kOptional[kInputs] = { {{ optional | wrap }} };
{% endif %}

// The supported combinations of types, inputs first, in the order of kColumns.
const ge::DataType kTypes[][kInputs + kOutputs] = {
{% for types in types %}
    { {{ types | wrap }} },
{% endfor %}
};
constexpr size_t kColumnCount = sizeof(kTypes) / sizeof(kTypes[0]);

// The first column, starting at `first`, that has the inputs' types; kColumnCount if there is none.
template <typename Context>
size_t ColumnOf(const Context* context, size_t first) {
    for (size_t column = first; column < kColumnCount; column++) {
        bool matches = true;
        for (size_t i = 0; i < kInputs; i++) {
            matches = matches && op_context::HasType(context, i, kTypes[column][i]);
        }
        if (matches) {
            return column;
        }
    }
    return kColumnCount;
}

{% if listed %}
// The index of an output's first tensor among those of the call, and their number, which is 1 unless it is a list.
template <typename Context>
gert::AnchorInstanceInfo TensorsOf(const Context* context, size_t output) {
    const gert::AnchorInstanceInfo* tensors = context->GetIrOutputInstanceInfo(output);
    return tensors == nullptr ? gert::AnchorInstanceInfo() : *tensors;
}

// The reason why the call does not have as many tensors as the inputs give; empty if it does.
template <typename Context>
std::string WrongNumber(const Context* context, const host::Shapes (&shapes)[kOutputs]) {
    for (size_t i = 0; i < kOutputs; i++) {
        if (TensorsOf(context, i).GetInstanceNum() != shapes[i].size()) {
            return Reason("output %zu has %zu tensors, but its inputs give %zu", i,
                          TensorsOf(context, i).GetInstanceNum(), shapes[i].size());
        }
    }
    return "";
}

bool HasOutputs(const gert::TilingContext* context, size_t column) {
    bool matches = true;
    for (size_t i = 0; i < kOutputs; i++) {
        const gert::AnchorInstanceInfo tensors = TensorsOf(context, i);
        for (size_t j = 0; j < tensors.GetInstanceNum(); j++) {
            const gert::CompileTimeTensorDesc* desc = context->GetOutputDesc(tensors.GetInstanceStart() + j);
            matches = matches && desc != nullptr && desc->GetDataType() == kTypes[column][kInputs + i];
        }
    }
    return matches;
}
{% else %}
bool HasOutputs(const gert::TilingContext* context, size_t column) {
    bool matches = true;
    for (size_t i = 0; i < kOutputs; i++) {
        const gert::CompileTimeTensorDesc* desc = context->GetOutputDesc(i);
        matches = matches && desc != nullptr && desc->GetDataType() == kTypes[column][kInputs + i];
    }
    return matches;
}
{% endif %}

bool FindColumn(const gert::TilingContext* context, size_t* column) {
    *column = ColumnOf(context, 0);
    while (*column < kColumnCount && !HasOutputs(context, *column)) {
        *column = ColumnOf(context, *column + 1);
    }
    return *column < kColumnCount;
}

// The shapes and attributes for both tiling and shape inference.
template <typename Context>
ge::graphStatus ReadCall(const Context* context, host::Call* call) {
    for (size_t i = 0; i < kInputs; i++) {
        const std::vector<host_tiling::Dims> shapes = op_context::ShapesOf(context, i);
{% if optional %}
        if (shapes.empty() && !kOptional[i]) {
{% else %}
        if (shapes.empty()) {
{% endif %}
            return Refuse(kOpType, Reason("input %zu is missing", i));
        }
{% if lists %}
        call->inputs[i] = shapes;
{% else %}
{% if optional %}
        call->given[i] = !shapes.empty();
        call->inputs[i] = shapes.empty() ? host_tiling::Dims() : shapes[0];
{% else %}
        call->inputs[i] = shapes[0];
{% endif %}
{% endif %}
    }
{% if read %}
    const gert::RuntimeAttrs* attrs = context->GetAttrs();
    if (attrs == nullptr) {
        return Refuse(kOpType, "its attributes are missing");
    }
{% for attr in read %}
    if (!op_context::ReadAttribute(*attrs, {{ attr.index }}, &call->{{ attr.member }})) {
        return Refuse(kOpType, "attribute {{ attr.name }} is missing");
    }
{% if attr.least %}
    if (call->{{ attr.member }}.size() < {{ attr.least }}) {
        return Refuse(kOpType, "attribute {{ attr.name }} needs {{ attr.least }} or more elements");
    }
{% endif %}
{% for value in attr.whole %}
    if (!op_context::FitsInt32(call->{{ value }})) {
        return Refuse(kOpType, "attribute {{ attr.name }} does not fit int32");
    }
{% endfor %}
{% endfor %}
{% endif %}
    return ge::GRAPH_SUCCESS;
}

// Infers the output shapes from the input shapes.
{% if listed %}
std::string FindShapes(const host::Call& call, host::Shapes (&shapes)[kOutputs]) {
{% else %}
std::string FindShapes(const host::Call& call, host_tiling::Dims (&shapes)[kOutputs]) {
{% endif %}
{% if own_shapes %}
    return host::OutputShapes(call, shapes);
{% else %}
    const std::string unfit = host::OutputShape(call, &shapes[0]);
    std::fill(shapes + 1, shapes + kOutputs, shapes[0]);
    return unfit;
{% endif %}
}

ge::graphStatus Tiling(gert::TilingContext* context) {
    host::Call call = host::Call();
    if (ReadCall(context, &call) != ge::GRAPH_SUCCESS) {
        return ge::GRAPH_FAILED;
    }
{% for input in values %}
    if (!op_context::ReadValues(context, {{ input.index }}, &call.{{ input.member }})) {
        return Refuse(kOpType, "the host does not know the values of {{ input.name }}");
    }
{% endfor %}
{% if listed %}
    host::Shapes shapes[kOutputs];
    std::string reason = FindShapes(call, shapes);
    reason = reason.empty() ? WrongNumber(context, shapes) : reason;
    if (!reason.empty()) {
        return Refuse(kOpType, reason);
    }
    for (size_t i = 0; i < kOutputs; i++) {
        for (size_t j = 0; j < shapes[i].size(); j++) {
            const gert::StorageShape* output = context->GetOutputShape(TensorsOf(context, i).GetInstanceStart() + j);
            if (output == nullptr || output->GetOriginShape().GetShapeSize() != host_tiling::ElementsOf(shapes[i][j])) {
                return Refuse(kOpType, Reason("tensor %zu of output %zu must have the shape %s that its inputs give", j, i,
                                              host_tiling::ShapeText(shapes[i][j]).c_str()));
            }
        }
    }
{% else %}
    host_tiling::Dims shapes[kOutputs];
    std::string reason = FindShapes(call, shapes);
    if (!reason.empty()) {
        return Refuse(kOpType, reason);
    }
    for (size_t i = 0; i < kOutputs; i++) {
        const gert::StorageShape* output = context->GetOutputShape(i);
        if (output == nullptr || output->GetOriginShape().GetShapeSize() != host_tiling::ElementsOf(shapes[i])) {
            return Refuse(kOpType, Reason("output %zu must have the shape %s that its inputs give", i,
                                          host_tiling::ShapeText(shapes[i]).c_str()));
        }
    }
{% endif %}
    if (!FindColumn(context, &call.column)) {
        return Refuse(kOpType, "this combination of types has no kernel");
    }
    auto* tiling = context->GetTilingData<{{ op_type }}TilingData>();
    if (tiling == nullptr) {
        return Refuse(kOpType, Reason("there is no room for %zu bytes of tiling data", sizeof(*tiling)));
    }
    const platform_ascendc::PlatformAscendC platform(context->GetPlatformInfo());
{% if tunable %}
#ifdef TUNED_PLANS_H
    call.plan = tuned_plans::PlanOf(kOpType, platform, call);
#endif
{% endif %}
    host_tiling::Launch launch;
    reason = host::Compute(platform, call, tiling, &launch);
    if (!reason.empty()) {
        return Refuse(kOpType, reason);
    }
    context->SetTilingKey(launch.tilingKey);
    context->SetBlockDim(launch.blockDim);
{% if waits_for_all %}
    // The cores wait for each other (SyncAll), so the kernel starts only when all of them are free.
    context->SetScheduleMode(1);
{% endif %}
{% for key in spread_keys %}
    if (launch.tilingKey == host::{{ key }}) {
        context->SetScheduleMode(1);  // cores that wait for each other must start together
    }
{% endfor %}
{% if initialized %}
    context->SetNeedAtomic(true);
{% endif %}
    context->GetWorkspaceSizes(1)[0] = launch.workspaceBytes;
    return ge::GRAPH_SUCCESS;
}

ge::graphStatus InferShape(gert::InferShapeContext* context) {
    host::Call call = host::Call();
    if (ReadCall(context, &call) != ge::GRAPH_SUCCESS) {
        return ge::GRAPH_FAILED;
    }
{% if reads_for_shapes %}
{% for input in values %}
    if (!op_context::ReadValues(context, {{ input.index }}, &call.{{ input.member }})) {
        return Refuse(kOpType, "its shapes depend on the values of {{ input.name }}, which the host does not know");
    }
{% endfor %}
{% endif %}
{% if listed %}
    host::Shapes shapes[kOutputs];
    std::string reason = FindShapes(call, shapes);
    reason = reason.empty() ? WrongNumber(context, shapes) : reason;
    if (!reason.empty()) {
        return Refuse(kOpType, reason);
    }
    for (size_t i = 0; i < kOutputs; i++) {
        for (size_t j = 0; j < shapes[i].size(); j++) {
            gert::Shape* output = context->GetOutputShape(TensorsOf(context, i).GetInstanceStart() + j);
            op_context::SetDims(shapes[i][j], output);
        }
    }
{% else %}
    host_tiling::Dims shapes[kOutputs];
    const std::string reason = FindShapes(call, shapes);
    if (!reason.empty()) {
        return Refuse(kOpType, reason);
    }
    for (size_t i = 0; i < kOutputs; i++) {
        op_context::SetDims(shapes[i], context->GetOutputShape(i));
    }
{% endif %}
    return ge::GRAPH_SUCCESS;
}

ge::graphStatus InferDataType(gert::InferDataTypeContext* context) {
{% if by_column %}
    const size_t column = ColumnOf(context, 0);
    if (column == kColumnCount) {
        return Refuse(kOpType, "this combination of input types has no kernel");
    }
{% endif %}
{% for output in inferred %}
{% if listed %}
    for (size_t j = 0; j < TensorsOf(context, {{ output.index }}).GetInstanceNum(); j++) {
        context->SetOutputDataType(TensorsOf(context, {{ output.index }}).GetInstanceStart() + j, {{ output.infer }});
    }
{% else %}
    context->SetOutputDataType({{ output.index }}, {{ output.infer }});
{% endif %}
{% endfor %}
    return ge::GRAPH_SUCCESS;
}

}  // namespace

namespace ops {

class {{ op_type }} : public OpDef {
public:
    explicit {{ op_type }}(const char* name) : OpDef(name) {
{% if plain_formats %}
        const std::vector<ge::Format> formats({{ column_count }}, ge::FORMAT_ND);
{% endif %}
{% for input in inputs %}
        this->Input("{{ input.name }}"){{ input.calls | wrap }};
{% endfor %}
{% for attr in attrs %}
        this->Attr("{{ attr.name }}").AttrType({{ attr.option }}){{ attr.calls }}.{{ attr.type }}({{ attr.value }});
{% endfor %}
{% for output in outputs %}
        this->Output("{{ output.name }}"){{ output.calls | wrap }};
{% endfor %}

        this->SetInferShape(InferShape).SetInferDataType(InferDataType);
{% for call in calls %}
        {{ call.owner }}{{ call.method }}({{ call.argument }});
{% endfor %}
        this->AICore().SetTiling(Tiling);
{% for config in configs %}

        OpAICoreConfig {{ config.name }};
        {{ config.name }}.{{ config.first }}{{ config.flags | wrap }};
{% for input in config.inputs %}
        {{ config.name }}.Input("{{ input.name }}"){{ input.calls | wrap }};
{% endfor %}
{% for output in config.outputs %}
        {{ config.name }}.Output("{{ output.name }}"){{ output.calls | wrap }};
{% endfor %}
{% for soc in config.socs %}
        this->AICore().AddConfig("{{ soc }}", {{ config.name }});
{% endfor %}
{% endfor %}
    }
};

OP_ADD({{ op_type }});

}  // namespace ops
