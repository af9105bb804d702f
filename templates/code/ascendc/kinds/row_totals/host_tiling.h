// The tiling of {{ op_type }}: computes tiling data and
// launch from the inputs' shapes, without CANN's contexts. C++11.
#ifndef {{ guard }}_HOST_TILING_H
#define {{ guard }}_HOST_TILING_H

#include <algorithm>
#include <cstdint>
#include <string>
#include "../op_kernel/{{ stem }}_tiling.h"
#include "{{ stem }}_rows_host_tiling.h"
#include "{{ stem }}_totals_host_tiling.h"

namespace {{ stem }}_host_tiling {

constexpr size_t kInputs = {{ input_count }};
// What the rows leave in the workspace, for each of them: one float each.
constexpr size_t kValues = {{ value_count }};
constexpr int64_t kLineBytes = 512;  // the values begin at lines of the L2 cache

// For each supported combination of types, those of the rows and of the totals: indices of their kColumns.
const size_t kColumns[][2] = {
{% for column in columns %}
    { {{ column | wrap }} },
{% endfor %}
};

// The arguments of a call.
struct Call {
    host_tiling::Dims inputs[kInputs];
    // The index of the types in kColumns.
    size_t column;
{% if optional %}
    // False for an optional input that is left out.
    bool given[kInputs];
{% endif %}
{% for attr in attrs %}
    {{ attr.ctype }} {{ attr.member }};
{% endfor %}
};

inline {{ stem }}_rows_host_tiling::Call RowsOf(const Call& call) {
    {{ stem }}_rows_host_tiling::Call rowCall = {{ stem }}_rows_host_tiling::Call();
    std::copy_n(call.inputs, kInputs, rowCall.inputs);
    rowCall.column = kColumns[call.column][0];
{% if optional %}
    std::copy_n(call.given, kInputs, rowCall.given);
{% endif %}
{% for attr in row_attrs %}
    rowCall.{{ attr.member }} = call.{{ attr.member }};
{% endfor %}
    return rowCall;
}

// Every result has one element.
inline std::string OutputShapes(const Call& call, host_tiling::Dims (&results)[{{ output_count }}]) {
    std::fill_n(results, {{ output_count }}, host_tiling::Dims());
    host_tiling::Dims shape;
    return {{ stem }}_rows_host_tiling::OutputShape(RowsOf(call), &shape);
}

// Fills the tiling data and the launch parameters: those of the rows, with room for their values.
inline std::string Compute({{ compute_parameters | wrap }}) {
    const {{ stem }}_rows_host_tiling::Call rowCall = RowsOf(call);
    host_tiling::Dims values[kValues];
    std::string unfit = {{ stem }}_rows_host_tiling::OutputShapes(rowCall, values);
    if (!unfit.empty()) {
        return unfit;
    }
    *tiling = {{ op_type }}TilingData();
    unfit = {{ stem }}_rows_host_tiling::Compute(platform, rowCall, &tiling->rows, launch);
    if (!unfit.empty()) {
        return unfit;
    }
    {{ stem }}_totals_host_tiling::Call totalCall = {{ stem }}_totals_host_tiling::Call();
    std::copy_n(values, kValues, totalCall.inputs);
    totalCall.column = kColumns[call.column][1];
{% for attr in total_attrs %}
    totalCall.{{ attr.member }} = call.{{ attr.member }};
{% endfor %}
    host_tiling::Launch totalLaunch;
    unfit = {{ stem }}_totals_host_tiling::Compute(platform, totalCall, &tiling->totals, &totalLaunch);
    if (!unfit.empty()) {
        return unfit;
    }
    const int64_t bytes = host_tiling::ElementsOf(values[0]) * static_cast<int64_t>(sizeof(float));
    tiling->valueBytes = static_cast<uint64_t>(host_tiling::RoundUp(bytes, kLineBytes));
    const size_t others = std::max<size_t>(launch->workspaceBytes, platform.GetLibApiWorkSpaceSize());
    launch->workspaceBytes = others + kValues * tiling->valueBytes;
    return "";
}

}  // namespace {{ stem }}_host_tiling

#endif  // {{ guard }}_HOST_TILING_H
