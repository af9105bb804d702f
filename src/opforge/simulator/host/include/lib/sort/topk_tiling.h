// The temporary room and the tiling of TopK.
// Page: SIMD-API/高阶API/排序操作/TopK-Tiling
#ifndef OPFORGE_LIB_SORT_TOPK_TILING_H
#define OPFORGE_LIB_SORT_TOPK_TILING_H

#include "kernel_tiling/topk_mode.h"
#include "lib/sort/topk_tilingdata.h"
#include "tiling/platform/platform_ascendc.h"

namespace AscendC {

// Bytes of the tmpLocal that TopK takes. False where there is no such TopK.
__attribute__((visibility("default"))) bool GetTopKMaxMinTmpSize(
    const platform_ascendc::PlatformAscendC& ascendcPlatform, const int32_t inner, const int32_t outter,
    const bool isReuseSource, const bool isInitIndex, enum TopKMode mode, const bool isLargest,
    const uint32_t dataTypeSize, uint32_t& maxValue, uint32_t& minValue);

__attribute__((visibility("default"))) bool TopKTilingFunc(const platform_ascendc::PlatformAscendC& ascendcPlatform,
                                                           const int32_t inner, const int32_t outter, const int32_t k,
                                                           const uint32_t dataTypeSize, const bool isInitIndex,
                                                           enum TopKMode mode, const bool isLargest,
                                                           optiling::TopkTiling& topKTiling);
__attribute__((visibility("default"))) bool TopKTilingFunc(const platform_ascendc::PlatformAscendC& ascendcPlatform,
                                                           const int32_t inner, const int32_t outter, const int32_t k,
                                                           const uint32_t dataTypeSize, const bool isInitIndex,
                                                           enum TopKMode mode, const bool isLargest,
                                                           AscendC::tiling::TopkTiling& topKTiling);

}  // namespace AscendC
#endif
