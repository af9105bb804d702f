// The tiling of RMSNorm: each core gets a range of whole rows.
#ifndef RMS_NORM_HOST_TILING_H
#define RMS_NORM_HOST_TILING_H

#include <algorithm>
#include <cstdint>
#include <string>
#include "../op_kernel/rms_norm_tiling.h"
#include "tiling/platform/platform_ascendc.h"
#include "rms_norm_call.h"

namespace rms_norm_host_tiling {

using host_tiling::CeilDiv;
using TilingData = RMSNormTilingData;

inline std::string Compute(const platform_ascendc::PlatformAscendC& platform, const Call& call, TilingData* tiling,
                           host_tiling::Launch* launch) {
    host_tiling::Dims results[kOutputs];
    const std::string unfit = OutputShapes(call, results);
    if (!unfit.empty()) {
        return unfit;
    }
    const int64_t cores = platform.GetCoreNumAiv();
    const int64_t elements = host_tiling::ElementsOf(results[0]);
    const int64_t hidden = results[0].empty() ? 1 : results[0].back();
    const int64_t rows = hidden == 0 ? 0 : elements / hidden;
    *tiling = TilingData();
    SetArgs(call, elements, &tiling->args);
    tiling->rows = rows;
    tiling->hidden = hidden;
    tiling->rowsPerBlock = std::max<int64_t>(CeilDiv(rows, cores), 1);
    *launch = {0, static_cast<uint32_t>(std::max<int64_t>(CeilDiv(rows, tiling->rowsPerBlock), 1)), 0};
    return "";
}

}  // namespace rms_norm_host_tiling

#endif  // RMS_NORM_HOST_TILING_H
