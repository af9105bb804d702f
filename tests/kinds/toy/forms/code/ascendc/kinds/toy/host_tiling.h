// How {{ op_type }} is tiled: whole rows for each core. C++11.
#ifndef {{ guard }}_HOST_TILING_H
#define {{ guard }}_HOST_TILING_H

#include <algorithm>
#include <string>
#include "../op_kernel/{{ stem }}_tiling.h"
#include "opforge/host_tiling.h"
#include "tiling/platform/platform_ascendc.h"

namespace {{ stem }}_host_tiling {

constexpr size_t kInputs = 1;
constexpr int64_t kLine = 128;  // sums in a cache line, which no two cores share

struct Call {
    host_tiling::Dims inputs[kInputs];
    size_t column;
};

inline std::string OutputShape(const Call& call, host_tiling::Dims* shape) {
    *shape = call.inputs[0];
    if (host_tiling::HasUnknownRank(*shape)) {
        return "";
    }
    if (shape->empty()) {
        return host_tiling::Reason("{{ x }} has no dimension to sum over");
    }
    shape->pop_back();
    return "";
}

inline std::string Compute(const platform_ascendc::PlatformAscendC& platform, const Call& call,
                           {{ op_type }}TilingData* tiling, host_tiling::Launch* launch) {
    host_tiling::Dims sums;
    const std::string unfit = OutputShape(call, &sums);
    if (!unfit.empty()) {
        return unfit;
    }
    tiling->rows = host_tiling::ElementsOf(sums);
    tiling->columns = call.inputs[0].back();
    const int64_t share = host_tiling::CeilDiv(tiling->rows, platform.GetCoreNumAiv());
    tiling->rowsPerBlock = std::max<int64_t>(host_tiling::RoundUp(share, kLine), 1);
    const int64_t blocks = host_tiling::CeilDiv(tiling->rows, tiling->rowsPerBlock);
    *launch = {0, static_cast<uint32_t>(std::max<int64_t>(blocks, 1)), 0};
    return "";
}

}  // namespace {{ stem }}_host_tiling

#endif  // {{ guard }}_HOST_TILING_H
