// The tiling of {{ op_type }}, for a kernel that computes element by element: change it as you change the kernel. C++11.
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
constexpr int64_t kFloatBytes = 4;
constexpr int64_t kFloatTiles = 2;  // the kernel's buffers of floats: the sum, and the input that is added

// Splits the elements over the cores in whole cache lines, and chooses a tile that fits into UB.
inline std::string Compute(const platform_ascendc::PlatformAscendC& platform, const Call& call, TilingData* tiling,
                           host_tiling::Launch* launch) {
    host_tiling::Dims results[kOutputs];
    const std::string unfit = OutputShapes(call, results);
    if (!unfit.empty()) {
        return unfit;
    }
    for (const std::vector<host_tiling::Dims>& input : call.inputs) {
        if (input[0] != results[0]) {
            return Reason("the kernel does not broadcast %s to %s", host_tiling::ShapeText(input[0]).c_str(),
                          host_tiling::ShapeText(results[0]).c_str());
        }
    }
    const Column& column = kColumns[call.column];
    const int64_t cores = platform.GetCoreNumAiv();
    uint64_t ubSize = 0;
    platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, ubSize);
    const int64_t elementBytes = column.bytesPerElement + kFloatTiles * kFloatBytes;
    const int64_t tileElements = static_cast<int64_t>(ubSize) / elementBytes / kTileStep * kTileStep;
    if (tileElements <= 0 || cores <= 0) {
        return Reason("a tile of %lld elements at %lld bytes does not fit: %lld bytes of UB, %lld cores",
                      Number(kTileStep), Number(elementBytes), Number(static_cast<int64_t>(ubSize)), Number(cores));
    }

    const int64_t elements = host_tiling::ElementsOf(results[0]);
    const int64_t lineElements = kCacheLine / column.resultBytes;
    const int64_t elementsPerBlock = std::max(RoundUp(CeilDiv(elements, cores), lineElements), lineElements);
    *tiling = TilingData();
    SetArgs(call, elements, &tiling->args);
    tiling->elementsPerBlock = elementsPerBlock;
    tiling->tileElements = static_cast<uint32_t>(tileElements);
    *launch = {0, static_cast<uint32_t>(std::max<int64_t>(CeilDiv(elements, elementsPerBlock), 1)), 0};
    return "";
}

}  // namespace {{ stem }}_host_tiling

#endif  // {{ guard }}_HOST_TILING_H
