// DataCacheCleanAndInvalid: what the scalar unit wrote becomes visible in global memory.
// Documentation: SIMD-API/基础API/缓存控制/DataCacheCleanAndInvalid
#ifndef ASCENDC_KERNEL_OPERATOR_CACHE_INTF_H
#define ASCENDC_KERNEL_OPERATOR_CACHE_INTF_H

#ifndef ASCENDC_SIM_PUBLIC_HEADER
#define ASCENDC_SIM_PUBLIC_HEADER
#endif
#include "kernel_tensor.h"

namespace AscendC {

enum class CacheLine : uint64_t { SINGLE_CACHE_LINE = 0, ENTIRE_DATA_CACHE };

enum class DcciDst : uint64_t { CACHELINE_ALL = 0, CACHELINE_UB, CACHELINE_OUT, CACHELINE_ATOMIC };

// Single lines are the 64 bytes in which the tensor starts.
template <typename T, CacheLine entireType, DcciDst dcciDst = DcciDst::CACHELINE_OUT>
void DataCacheCleanAndInvalid(const GlobalTensor<T>& dst) {
    static_assert(dcciDst == DcciDst::CACHELINE_ALL || dcciDst == DcciDst::CACHELINE_OUT,
                  "DataCacheCleanAndInvalid: only consistency with global memory is simulated");
    sim::CleanCache(dst.Address(), entireType == CacheLine::ENTIRE_DATA_CACHE);
}

}  // namespace AscendC

#endif
