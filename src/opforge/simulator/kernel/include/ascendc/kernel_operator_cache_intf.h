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

// Single lines are the 64 bytes in which the tensor starts. Documentation: 缓存控制/DataCacheCleanAndInvalid
template <typename T, CacheLine entireType, DcciDst dcciDst>
void DataCacheCleanAndInvalid(const GlobalTensor<T>& dst) {
    static_assert(
        dcciDst != DcciDst::CACHELINE_ATOMIC,
        "DataCacheCleanAndInvalid: CACHELINE_ATOMIC is not supported yet (缓存控制/DataCacheCleanAndInvalid)");
    static_assert(dcciDst != DcciDst::CACHELINE_UB,
                  "DataCacheCleanAndInvalid: CACHELINE_UB is for a LocalTensor (缓存控制/DataCacheCleanAndInvalid)");
    sim::CleanCache(dst.Address(), entireType == CacheLine::ENTIRE_DATA_CACHE);
}
template <typename T, CacheLine entireType>
void DataCacheCleanAndInvalid(const GlobalTensor<T>& dst) {
    DataCacheCleanAndInvalid<T, entireType, DcciDst::CACHELINE_OUT>(dst);
}
// The scalar unit reaches local memory without a cache that could differ from it.
template <typename T, CacheLine entireType, DcciDst dcciDst>
void DataCacheCleanAndInvalid(const LocalTensor<T>& dst) {
    static_assert(dcciDst == DcciDst::CACHELINE_ALL || dcciDst == DcciDst::CACHELINE_UB,
                  "DataCacheCleanAndInvalid: CACHELINE_OUT is for a GlobalTensor (缓存控制/DataCacheCleanAndInvalid)");
    (void)dst;
}

// 64 bytes at `cacheOffset` bytes behind src. Documentation: 缓存控制/DataCachePreload
template <typename T>
void DataCachePreload(const GlobalTensor<uint64_t>& src, const T cacheOffset, sim::Site site = sim::Site::Here()) {
    static_assert(sim::kOneOf<T, int16_t, int64_t>,
                  "DataCachePreload: cacheOffset is an int16_t or int64_t (缓存控制/DataCachePreload)");
    sim::PreloadData(src.Address(), cacheOffset, site);
}
// Instructions, in units of 2 KiB. Documentation: 缓存控制/ICachePreLoad(ISASI)
inline void ICachePreLoad(const int64_t preFetchLen, sim::Site site = sim::Site::Here()) {
    sim::PreloadInstructions(preFetchLen, site);
}
// 0: complete. Documentation: 缓存控制/GetICachePreloadStatus(ISASI)
inline int64_t GetICachePreloadStatus() { return 0; }

}  // namespace AscendC

// ICachePreLoad from here on.
#define PRELOAD(len) sim::PreloadInstructions(len, sim::Site::Here())

#endif
