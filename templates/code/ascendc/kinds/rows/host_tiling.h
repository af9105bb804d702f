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
#include "opforge/rows.h"
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
// Init), the kernel's kRowStep, and the bytes of GM per element of all tensors with tiles.
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

{% if along_columns %}
// As kColumns, of the kernel for rows along the innermost dimension.
const Column kAlongColumns[] = {
{% for column in along_columns %}
    // {{ column.dtypes }}
    { {{ column.values | wrap }} },
{% endfor %}
};

constexpr int64_t kAlongReservedUb = {{ along_reserved }};
constexpr int64_t kAlongKept = {{ along_kept }};

// Tiling keys of rows across the innermost dimension come after those of rows along it.
constexpr uint64_t kAcross = 3;
constexpr uint64_t kSpreadAcrossKey = kAcross + rows::kSpread;

{% endif %}
// The bytes of UB that tiles cannot use: values of rows, and work space of instructions.
constexpr int64_t kReservedUb = {{ reserved }};

// The kernel's buffers of a whole row that stays in UB while it is read in parts.
constexpr int64_t kKept = {{ kept }};

{% if sums %}
// The results that are sums over all rows.
constexpr int64_t kSums = {{ sums }};

{% endif %}
{% if passes %}
// The passes over rows in parts, those of them that reduce, and their reductions.
constexpr rows::Passes kPasses = { {{ passes | wrap }} };

// Cores of this tiling key wait for each other.
constexpr uint64_t kSpreadKey = rows::kSpread;

{% endif %}
{% if axes %}
// The dimensions that are reduced: bits, counted from the innermost, or all.
const rows::Axes kAxes = { {{ axes }} };
{% endif %}

{% if unsqueezed %}
// The inputs with one element for each row that lack its dimension.
const bool kUnsqueezed[kInputs] = { {{ unsqueezed | wrap }} };

// The shape of an input as it meets the others.
inline host_tiling::Dims InputShape(const Call& call, size_t i) {
    host_tiling::Dims shape = call.inputs[i];
    if (kUnsqueezed[i] && !host_tiling::HasUnknownRank(shape)) {
        shape.push_back(1);
    }
    return shape;
}

{% endif %}
{% if results %}
// The broadcast shape of all inputs. Dimensions and ranks that are not known stay unknown.
{% else %}
// Every result has the broadcast shape of all inputs. Dimensions and ranks that are not known stay unknown.
{% endif %}
inline std::string OutputShape(const Call& call, host_tiling::Dims* shape) {
{% if binds %}
    symbols::Shapes shapes(symbols::Leading::{{ leading }});
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
        if (call.given[i] && !host_tiling::BroadcastWith({{ input_shape }}, shape)) {
{% else %}
        if (!host_tiling::BroadcastWith({{ input_shape }}, shape)) {
{% endif %}
            return Reason("input %zu of shape %s does not broadcast with %s", i, ShapeText({{ input_shape }}).c_str(),
                          ShapeText(*shape).c_str());
        }
    }
{% if axis %}
    if (!rows::HasAxis(*shape, {{ axis }})) {
        return Reason("{{ axis_name }} is %lld, which is not a dimension of the shape %s", Number({{ axis }}),
                      ShapeText(*shape).c_str());
    }
{% endif %}
    return "";
}

{% if results %}
inline std::string OutputShapes(const Call& call, host_tiling::Dims (&results)[{{ output_count }}]) {
    host_tiling::Dims shape;
    const std::string unfit = OutputShape(call, &shape);
{% for result in results %}
    results[{{ loop.index0 }}] = {{ result }};
{% endfor %}
    return unfit;
}

{% endif %}
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
        inputs[i] = call.given[i] ? {{ input_shape }} : shape;
    }
{% elif unsqueezed %}
    host_tiling::Dims inputs[kInputs];
    for (size_t i = 0; i < kInputs; i++) {
        inputs[i] = InputShape(call, i);
    }
{% endif %}
    rows::Shape<kInputs + 1> rowShape;
    if (!rows::ReadShape(shape, {{ input_shapes }}, {{ reduced }}, &rowShape)) {
        return Reason("shape %s alternates between more than %zu broadcast patterns", ShapeText(shape).c_str(),
                      rows::kMaxDims);
    }
{% if numbers_elements %}
    if (rowShape.length > rows::kMostNumbered) {
        return Reason("a row has %lld elements; the limit is %lld, since the kernel numbers them in float32",
                      Number(rowShape.length), Number(rows::kMostNumbered));
    }
{% endif %}
{% if along_columns %}
    const Column& column = (rowShape.along ? kAlongColumns : kColumns)[call.column];
    const int64_t reservedUb = rowShape.along ? kAlongReservedUb : kReservedUb;
{% else %}
    const Column& column = kColumns[call.column];
{% endif %}
    const int64_t cores = host_tiling::Limited(platform.GetCoreNumAiv(), call.plan.cores);
    uint64_t ubSize = 0;
    platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, ubSize);
    const int64_t ubBytes = static_cast<int64_t>(ubSize) - {{ reserved_ub }};
    if (ubBytes < column.bytesPerElement * rows::kTileStep || cores <= 0) {
        return Reason("a tile of %lld elements at %lld bytes does not fit: %lld bytes of UB, %lld cores",
                      Number(rows::kTileStep), Number(column.bytesPerElement), Number(ubBytes), Number(cores));
    }

{% if along_columns %}
    const rows::Room room{ubBytes, column.bytesPerElement, rowShape.along ? kAlongKept : kKept, {{ plan_rows }}};
{% else %}
    const rows::Room room{ubBytes, column.bytesPerElement, kKept, {{ plan_rows }}};
{% endif %}
{% if sums %}
    const rows::Split split = rows::SplitSums(rowShape, cores, room, column.rowStep, {kPasses, kSums});
{% elif passes %}
    const rows::Split split = rows::SplitRows(rowShape, cores, room, column.rowStep, kPasses);
{% else %}
    const rows::Split split = rows::SplitRows(rowShape, cores, room, column.rowStep);
{% endif %}
    *tiling = {{ op_type }}TilingData();
    rows::SetSplit(split, rowShape, tiling);
{% if passes %}
    tiling->partialFloats = split.partialFloats;
    tiling->partsPerBlock = split.partsPerBlock;
{% endif %}
{% if sums %}
    tiling->sumElements = split.sumElements;
    tiling->sumPitch = split.sumPitch;
    tiling->sumColumns = split.sumColumns;
    tiling->shareCount = split.shareCount;
{% endif %}
{% for strides in strides %}
    std::copy_n(rowShape.strides[{{ strides.index }}], rows::kMaxDims, tiling->{{ strides.name }});
{% endfor %}
{% for flag in flags %}
    tiling->{{ flag.member }} = call.given[{{ flag.index }}] ? 1 : 0;
{% endfor %}
{% if scalars.members %}
    SetScalars(call, tiling);
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
{% else %}
    const int64_t gmBytes = column.gmBytes;
{% endif %}
    const int64_t elements = rowShape.count * rowShape.length;
    bool bypasses = l2Size > 0 && elements * gmBytes > static_cast<int64_t>(l2Size) && split.tilingKey == rows::kWhole;
{% for input in bypassing %}
    bypasses = bypasses && rows::IsWhole(rowShape, {{ input }});
{% endfor %}
    tiling->bypassL2 = bypasses ? 1 : 0;
{% endif %}
{% if along_columns %}
    *launch = {split.tilingKey + (rowShape.along ? 0 : kAcross), split.blocks, 0};
{% else %}
    *launch = {split.tilingKey, split.blocks, 0};
{% endif %}
{% if sums %}
    launch->workspaceBytes = platform.GetLibApiWorkSpaceSize() + rows::SumBytes(split, kSums);
    if (split.tilingKey == kSpreadKey) {
        launch->workspaceBytes += rows::PartialBytes(split, kPasses);
    }
{% elif passes %}
    if (split.tilingKey == kSpreadKey) {
        launch->workspaceBytes = platform.GetLibApiWorkSpaceSize() + rows::PartialBytes(split, kPasses);
    }
{% endif %}
    return "";
}

}  // namespace {{ stem }}_host_tiling

#endif  // {{ guard }}_HOST_TILING_H
