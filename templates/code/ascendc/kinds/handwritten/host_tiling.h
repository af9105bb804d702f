// The tiling of {{ op_type }}: write it here. opforge never changes this file once you have edited it. C++11.
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

constexpr int64_t kTileStep = 256;   // tile sizes are multiples of this
constexpr int64_t kCacheLine = 512;  // bytes of GM that should not be shared by two cores

// Fills the tiling data and the launch parameters: each core gets a range of whole cache lines of the first output.
inline std::string Compute(const platform_ascendc::PlatformAscendC& platform, const Call& call, TilingData* tiling,
                           host_tiling::Launch* launch) {
{% if listed %}
    Shapes results[kOutputs];
{% else %}
    host_tiling::Dims results[kOutputs];
{% endif %}
    const std::string unfit = OutputShapes(call, results);
    if (!unfit.empty()) {
        return unfit;
    }
    const Column& column = kColumns[call.column];
    const int64_t cores = platform.GetCoreNumAiv();
    uint64_t ubSize = 0;
    platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, ubSize);
    const int64_t ubBytes = static_cast<int64_t>(ubSize);
    const int64_t tileElements = ubBytes / column.bytesPerElement / kTileStep * kTileStep;
    if (tileElements <= 0 || cores <= 0) {
        return Reason("a tile of %lld elements at %lld bytes does not fit: %lld bytes of UB, %lld cores",
                      Number(kTileStep), Number(column.bytesPerElement), Number(ubBytes), Number(cores));
    }

{% if listed %}
    const int64_t elements = ElementsOf(results[0]);
{% else %}
    const int64_t elements = host_tiling::ElementsOf(results[0]);
{% endif %}
    const int64_t lineElements = kCacheLine / column.resultBytes;
    const int64_t elementsPerBlock = std::max<int64_t>(RoundUp(CeilDiv(elements, cores), lineElements), 1);
    *tiling = TilingData();
    SetArgs(call, elements, &tiling->args);
    tiling->elementsPerBlock = elementsPerBlock;
    tiling->tileElements = static_cast<uint32_t>(tileElements);
    *launch = {0, static_cast<uint32_t>(std::max<int64_t>(CeilDiv(elements, elementsPerBlock), 1)), 0};
    return "";
}

}  // namespace {{ stem }}_host_tiling

#endif  // {{ guard }}_HOST_TILING_H
