// The tiling of {{ op_type }}, for a kernel that gathers rows: change it as you change the kernel. C++11.
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

constexpr int64_t kTileIndices = 1024;     // indices that are read together
constexpr int64_t kIndexBytes = 8;         // the largest index
constexpr int64_t kColumnStep = 32;        // tiles have whole blocks
constexpr int64_t kMostColumns = 1 << 14;  // of a row; a longer one is copied in parts

// Splits the rows of the output over the cores.
inline std::string Compute(const platform_ascendc::PlatformAscendC& platform, const Call& call, TilingData* tiling,
                           host_tiling::Launch* launch) {
    host_tiling::Dims results[kOutputs];
    const std::string unfit = OutputShapes(call, results);
    if (!unfit.empty()) {
        return unfit;
    }
    const int64_t columns = results[0].back();
    const int64_t rows = columns == 0 ? 0 : host_tiling::ElementsOf(results[0]) / columns;
    const int64_t cores = platform.GetCoreNumAiv();
    uint64_t ubSize = 0;
    platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, ubSize);
    const int64_t rowBytes = static_cast<int64_t>(ubSize) - kTileIndices * kIndexBytes;
    const int64_t fitting = rowBytes / kColumns[call.column].bytesPerElement / kColumnStep * kColumnStep;
    const int64_t wanted = RoundUp(std::max<int64_t>(columns, 1), kColumnStep);
    const int64_t tileColumns = std::min(std::min(wanted, kMostColumns), fitting);
    if (tileColumns <= 0 || cores <= 0) {
        return Reason("a row of %lld elements does not fit: %lld bytes of UB, %lld cores", Number(kColumnStep),
                      Number(static_cast<int64_t>(ubSize)), Number(cores));
    }

    const int64_t rowsPerBlock = std::max<int64_t>(CeilDiv(rows, cores), 1);
    *tiling = TilingData();
    SetArgs(call, host_tiling::ElementsOf(results[0]), &tiling->args);
    tiling->rowCount = rows;
    tiling->columnCount = columns;
    tiling->rowsPerBlock = rowsPerBlock;
    tiling->tileIndices = static_cast<uint32_t>(kTileIndices);
    tiling->tileColumns = static_cast<uint32_t>(tileColumns);
    *launch = {0, static_cast<uint32_t>(std::max<int64_t>(CeilDiv(rows, rowsPerBlock), 1)), 0};
    return "";
}

}  // namespace {{ stem }}_host_tiling

#endif  // {{ guard }}_HOST_TILING_H
