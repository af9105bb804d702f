// The tiling of {{ op_type }}, for a kernel that reduces rows: change it as you change the kernel. C++11.
// {{ stem }}_call.h, which opforge generates, describes a call (shapes, attributes, values that the host reads).
#ifndef {{ guard }}_HOST_TILING_H
#define {{ guard }}_HOST_TILING_H

#include <algorithm>
#include <cstdint>
#include <string>
#include "../op_kernel/{{ stem }}_tiling.h"
#include "tiling/platform/platform_ascendc.h"
#include "{{ stem }}_call.h"

namespace {{ stem }}_host_tiling {

using host_tiling::CeilDiv;
using host_tiling::Number;
using host_tiling::Reason;
using host_tiling::RoundUp;
using TilingData = {{ op_type }}TilingData;

constexpr int64_t kColumnStep = 64;     // floats that the vector unit computes at once
constexpr int64_t kMostColumns = 1024;  // the distance between rows of a tile must be less than 256 blocks of 8 floats
constexpr int64_t kRowStep = 8;         // rows that {% if value %}fill a block with results{% else %}Brcb spreads at once{% endif %}

constexpr int64_t kMostRows = 128;      // the rows of a tile are the repeats of an instruction: at most 255
constexpr int64_t kRowFloats = kColumnStep + 16;  // for each row: partial results, and what is made of them
constexpr int64_t kFloatBytes = 4;
{% if value %}
constexpr int64_t kBlockBytes = 32;  // two cores should not write to the same block of {{ output.name }}
{% endif %}

// Splits the rows over the cores, and chooses a tile that fits into UB.
inline std::string Compute(const platform_ascendc::PlatformAscendC& platform, const Call& call, TilingData* tiling,
                           host_tiling::Launch* launch) {
    host_tiling::Dims results[kOutputs];
    const std::string unfit = OutputShapes(call, results);
    if (!unfit.empty()) {
        return unfit;
    }
    const host_tiling::Dims& shape = call.inputs[{{ constant }}][0];
    const int64_t columns = shape.back();
    if (columns == 0) {
        return Reason("a row of {{ input.name }} needs at least one element");
    }
    const int64_t rows = host_tiling::ElementsOf(shape) / columns;

    const int64_t cores = platform.GetCoreNumAiv();
    uint64_t ubSize = 0;
    platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, ubSize);
    // Two buffers for every tensor, and the tile as floats.
    const int64_t elementBytes = kColumns[call.column].bytesPerElement + kFloatBytes;
    const int64_t rowBytes = kRowFloats * kFloatBytes;
    const int64_t tileColumns = std::min(RoundUp(columns, kColumnStep), kMostColumns);
    const int64_t fitting = static_cast<int64_t>(ubSize) / (tileColumns * elementBytes + rowBytes);
    const int64_t tileRows = std::min(fitting / kRowStep * kRowStep, kMostRows);
    if (tileRows <= 0 || cores <= 0) {
        return Reason("a tile of %lld rows of %lld elements does not fit: %lld bytes of UB, %lld cores",
                      Number(kRowStep), Number(tileColumns), Number(static_cast<int64_t>(ubSize)), Number(cores));
    }

{% if value %}
    const int64_t rowStep = kBlockBytes / kColumns[call.column].resultBytes;
    const int64_t rowsPerBlock = std::max(RoundUp(CeilDiv(rows, cores), rowStep), rowStep);
{% else %}
    const int64_t rowsPerBlock = std::max<int64_t>(CeilDiv(rows, cores), 1);
{% endif %}
    *tiling = TilingData();
    SetArgs(call, host_tiling::ElementsOf(results[0]), &tiling->args);
    tiling->rowCount = rows;
    tiling->columnCount = columns;
    tiling->rowsPerBlock = rowsPerBlock;
    tiling->tileRows = static_cast<uint32_t>(tileRows);
    tiling->tileColumns = static_cast<uint32_t>(tileColumns);
    *launch = {0, static_cast<uint32_t>(std::max<int64_t>(CeilDiv(rows, rowsPerBlock), 1)), 0};
    return "";
}

}  // namespace {{ stem }}_host_tiling

#endif  // {{ guard }}_HOST_TILING_H
