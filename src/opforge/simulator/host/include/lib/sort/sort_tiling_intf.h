// The temporary room of Concat and Sort, in bytes; Arange needs none.
// Pages: SIMD-API/高阶API/排序操作/GetConcatTmpSize, GetSortTmpSize, 索引计算/GetArangeMaxMinTmpSize
#ifndef OPFORGE_LIB_SORT_SORT_TILING_INTF_H
#define OPFORGE_LIB_SORT_SORT_TILING_INTF_H

#include "tiling/platform/platform_ascendc.h"

namespace AscendC {

__attribute__((visibility("default"))) uint32_t GetConcatTmpSize(
    const platform_ascendc::PlatformAscendC& ascendcPlatform, const uint32_t elemCount, const uint32_t dataTypeSize);
__attribute__((visibility("default"))) uint32_t GetSortTmpSize(const platform_ascendc::PlatformAscendC& ascendcPlatform,
                                                               const uint32_t elemCount, const uint32_t dataTypeSize);

inline void GetArangeMaxMinTmpSize(uint32_t& maxValue, uint32_t& minValue) { maxValue = minValue = 0; }
inline void GetArithProgressionMaxMinTmpSize(uint32_t& maxValue, uint32_t& minValue) { maxValue = minValue = 0; }

}  // namespace AscendC
#endif
