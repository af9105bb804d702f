// The tiling of {{ op_type }}: computes tiling data and
// launch from the inputs' shapes, without CANN's contexts. C++11.
#ifndef {{ guard }}_HOST_TILING_H
#define {{ guard }}_HOST_TILING_H

#include <algorithm>
{% if scalars.members %}
#include <cmath>
{% endif %}
#include <cstdint>
{% if scalars.members %}
#include <limits>
{% endif %}
#include <string>
#include "../op_kernel/{{ stem }}_tiling.h"
#include "opforge/collapse.h"
#include "opforge/elementwise.h"
{% if axis %}
#include "opforge/rows.h"
{% endif %}
{% if binds %}
#include "opforge/symbols.h"
{% endif %}
#include "tiling/platform/platform_ascendc.h"

namespace {{ stem }}_host_tiling {

using host_tiling::Number;
using host_tiling::Reason;
using host_tiling::ShapeText;

constexpr size_t kInputs = {{ input_count }};
{% if numbers %}
// The inputs that are numbers; they do not take part in broadcasting.
const bool kNumbers[kInputs] = { {{ numbers | wrap }} };
{% endif %}

// The arguments of a call.
struct Call {
    host_tiling::Dims inputs[kInputs];
    // The index of the types in kColumns.
    size_t column;
    host_tiling::Plan plan;
{% if optional %}
    // False for an optional input that is left out.
    bool given[kInputs];
{% endif %}
{% for attr in attrs %}
    {{ attr.ctype }} {{ attr.member }};
{% endfor %}
};

// For a supported combination of types: the bytes of UB per element of a tile over all buffers of the kernel (see its
// Init), the kernel's kRowStep, and the bytes of GM per element of all tensors that the kernel reads or writes.
struct Column {
    int64_t bytesPerElement;
    int64_t rowStep;
    int64_t gmBytes;
{% if optional %}
    // Of GM as well: those of the optional inputs, which gmBytes leaves out.
    int64_t optionalBytes[{{ optional_count }}];
{% endif %}
};

const Column kColumns[] = {
{% for column in columns %}
    // {{ column.dtypes }}
    { {{ column.values | wrap }} },
{% endfor %}
};

{% if reserved %}
// The bytes of UB that tiles cannot use: the shift between them, coefficients, and what Select needs at the end.
constexpr int64_t kReservedUb = {{ reserved }};

{% endif %}
// Every result has the broadcast shape of all inputs. Dimensions and ranks that are not known stay unknown.
inline std::string OutputShape(const Call& call, host_tiling::Dims* shape) {
{% if binds %}
    symbols::Shapes shapes(symbols::Leading::kBroadcast);
{% for bind in binds %}
{% if bind.optional %}
    if (call.given[{{ bind.index }}]) {
        shapes.Bind({{ bind.pattern }}, call.inputs[{{ bind.index }}]);
    }
{% else %}
    shapes.Bind({{ bind.pattern }}, call.inputs[{{ bind.index }}]);
{% endif %}
{% endfor %}
    if (!shapes.Unfit().empty()) {
        return shapes.Unfit();
    }
{% endif %}
    shape->clear();
    for (size_t i = 0; i < kInputs; i++) {
{% if numbers %}
        if (kNumbers[i]) {
            continue;
        }
{% endif %}
{% if optional %}
        if (call.given[i] && !host_tiling::BroadcastWith(call.inputs[i], shape)) {
{% else %}
        if (!host_tiling::BroadcastWith(call.inputs[i], shape)) {
{% endif %}
            return Reason("input %zu of shape %s does not broadcast with %s", i, ShapeText(call.inputs[i]).c_str(),
                          ShapeText(*shape).c_str());
        }
    }
    return "";
}

{% if scalars.members %}
// Computes the parts of the expression that depend only on attributes, with the kernel's arithmetic.
inline void SetScalars(const Call& call, {{ op_type }}TilingData* tiling) {
{% for variable in scalars.variables %}
    const {{ variable.type }} {{ variable.name }} = {{ variable.value | wrap }};
{% endfor %}
{% for scalar in scalars.members %}
    tiling->{{ scalar.member }} = {{ scalar.value }};
{% endfor %}
}

{% endif %}
// Fills the tiling data and the launch parameters.
inline std::string Compute({{ compute_parameters | wrap }}) {
    host_tiling::Dims shape;
    const std::string unfit = OutputShape(call, &shape);
    if (!unfit.empty()) {
        return unfit;
    }
{% if optional %}
    // A missing input counts as having the results' shape.
    host_tiling::Dims inputs[kInputs];
    for (size_t i = 0; i < kInputs; i++) {
        inputs[i] = call.given[i] ? call.inputs[i] : shape;
    }
{% endif %}
    collapse::Collapsed<kInputs> collapsed;
{% if optional %}
    if (!collapse::Collapse(shape, inputs, collapsed)) {
{% else %}
    if (!collapse::Collapse(shape, call.inputs, collapsed)) {
{% endif %}
        return Reason("shape %s alternates between more than %zu broadcast patterns", ShapeText(shape).c_str(),
                      collapse::kMaxDims);
    }
    const Column& column = kColumns[call.column];
    const int64_t cores = host_tiling::Limited(platform.GetCoreNumAiv(), call.plan.cores);
    uint64_t ubSize = 0;
    platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, ubSize);
{% if reserved %}
    const int64_t ubBytes = static_cast<int64_t>(ubSize) - kReservedUb;
{% else %}
    const int64_t ubBytes = static_cast<int64_t>(ubSize);
{% endif %}
    const int64_t elements = host_tiling::Limited(ubBytes / column.bytesPerElement, call.plan.tileElements);
    const int64_t tileElements = elements / elementwise::kTileStep * elementwise::kTileStep;
    if (tileElements <= 0 || cores <= 0) {
        return Reason("a tile of %lld elements at %lld bytes does not fit: %lld bytes of UB, %lld cores",
                      Number(elementwise::kTileStep), Number(column.bytesPerElement), Number(ubBytes), Number(cores));
    }

    *tiling = {{ op_type }}TilingData();
    tiling->totalElements = collapsed.elements;
    tiling->tileElements = static_cast<uint32_t>(tileElements);
    std::copy_n(collapsed.shape, collapse::kMaxDims, tiling->outputShape);
{% for strides in strides %}
    std::copy_n(collapsed.strides[{{ strides.index }}], collapse::kMaxDims, tiling->{{ strides.name }});
{% endfor %}
{% for flag in flags %}
    tiling->{{ flag.member }} = call.given[{{ flag.index }}] ? 1 : 0;
{% endfor %}
{% if scalars.members %}
    SetScalars(call, tiling);
{% endif %}
    const bool broadcast = collapsed.broadcast && collapsed.elements > 0;
{% if coupled %}
    uint32_t blocks = broadcast ? elementwise::SplitBroadcast(collapsed, cores, column.rowStep, tiling)
                                : elementwise::SplitFlat(collapsed.elements, cores, column.rowStep, tiling);
    const bool shares = broadcast && collapsed.shape[0] % column.rowStep != 0;
    if (shares && platform.GetSocVersion() == platform_ascendc::SocVersion::ASCEND310P) {
        blocks = elementwise::KeepLinesApart(tiling);
    }
{% else %}
    const uint32_t blocks = broadcast ? elementwise::SplitBroadcast(collapsed, cores, column.rowStep, tiling)
                                      : elementwise::SplitFlat(collapsed.elements, cores, column.rowStep, tiling);
{% endif %}
{% if bypassing %}
    // More than L2 holds: inputs that are read once would only drive out what is still to be written or read again.
    uint64_t l2Size = 0;
    platform.GetCoreMemSize(platform_ascendc::CoreMemType::L2, l2Size);
{% if optional %}
    int64_t gmBytes = column.gmBytes;
{% for flag in flags %}
    gmBytes += call.given[{{ flag.index }}] ? column.optionalBytes[{{ loop.index0 }}] : 0;
{% endfor %}
    const bool overflows = l2Size > 0 && collapsed.elements * gmBytes > static_cast<int64_t>(l2Size);
{% else %}
    const bool overflows = l2Size > 0 && collapsed.elements * column.gmBytes > static_cast<int64_t>(l2Size);
{% endif %}
    tiling->bypassL2 = overflows && !broadcast ? 1 : 0;
{% endif %}
    *launch = {broadcast ? 1U : 0U, blocks, 0};
    return "";
}

}  // namespace {{ stem }}_host_tiling

#endif  // {{ guard }}_HOST_TILING_H
