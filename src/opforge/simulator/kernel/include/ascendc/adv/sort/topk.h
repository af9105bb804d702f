// TopK: the k largest or smallest of each row, with their indices.
// Documentation: SIMD-API/高阶API/排序操作/TopK
#ifndef ASCENDC_ADV_SORT_TOPK_H
#define ASCENDC_ADV_SORT_TOPK_H

#ifndef ASCENDC_SIM_PUBLIC_HEADER
#define ASCENDC_SIM_PUBLIC_HEADER
#endif
#include "../../kernel_tensor.h"
#include "../../sim/index.h"
#include "../../../kernel_tiling/topk_tiling.h"
#include "../../../kernel_tiling/topk_mode.h"

namespace AscendC {

struct TopKInfo {
    int32_t outter = 1;
    int32_t inner;  // n rounded up to a multiple of 32
    int32_t n;
};

}  // namespace AscendC

namespace sim {

template <typename T, bool isInitIndex, bool isHasfinish, AscendC::TopKMode mode>
void TopKOf(const Ub& value, const Ub& index, const Ub& src, const Ub& srcIndex, const Ub& finish, const Ub* tmp,
            int32_t k, const AscendC::tiling::TopkTiling& tiling, const AscendC::TopKInfo& info, bool largest,
            Site site) {
    constexpr bool kSmall = mode == AscendC::TopKMode::TOPK_NSMALL;
    static_assert(kOneOf<T, half, float>, "TopK: the data type is not one of half, float (排序操作/TopK)");
    static_assert(!(kSmall && isHasfinish), "TopK: TOPK_NSMALL takes no finishLocal (排序操作/TopK)");
    TopK({"TopK", "高阶API/排序操作/TopK", site}, kDtype<T>,
         {value, index, src, isInitIndex ? &srcIndex : nullptr, isHasfinish ? &finish : nullptr, tmp, kSmall, largest,
          k, info.outter, info.inner, info.n,
          kSmall || tiling.allDataSize != 0 ? tiling.allDataSize : tiling.innerDataSize / 8 * info.outter,
          tiling.tmpLocalSize});
}

}  // namespace sim

namespace AscendC {

template <typename T, bool isInitIndex = false, bool isHasfinish = false, bool isReuseSrc = false,
          enum TopKMode topkMode = TopKMode::TOPK_NORMAL>
void TopK(const LocalTensor<T>& dstValueLocal, const LocalTensor<int32_t>& dstIndexLocal,
          const LocalTensor<T>& srcLocal, const LocalTensor<int32_t>& srcIndexLocal,
          const LocalTensor<bool>& finishLocal, const LocalTensor<uint8_t>& tmpLocal, const int32_t k,
          const TopkTiling& tilling, const TopKInfo& topKInfo, const bool isLargest = true,
          sim::Site site = sim::Site::Here()) {
    sim::TopKOf<T, isInitIndex, isHasfinish, topkMode>(dstValueLocal.Place(), dstIndexLocal.Place(), srcLocal.Place(),
                                                       srcIndexLocal.Place(), finishLocal.Place(), &tmpLocal.Place(), k,
                                                       tilling, topKInfo, isLargest, site);
}

// The same in what TPipe has left.
template <typename T, bool isInitIndex = false, bool isHasfinish = false, bool isReuseSrc = false,
          enum TopKMode topkMode = TopKMode::TOPK_NORMAL>
void TopK(const LocalTensor<T>& dstValueLocal, const LocalTensor<int32_t>& dstIndexLocal,
          const LocalTensor<T>& srcLocal, const LocalTensor<int32_t>& srcIndexLocal,
          const LocalTensor<bool>& finishLocal, const int32_t k, const TopkTiling& tilling, const TopKInfo& topKInfo,
          const bool isLargest = true, sim::Site site = sim::Site::Here()) {
    sim::TopKOf<T, isInitIndex, isHasfinish, topkMode>(dstValueLocal.Place(), dstIndexLocal.Place(), srcLocal.Place(),
                                                       srcIndexLocal.Place(), finishLocal.Place(), nullptr, k, tilling,
                                                       topKInfo, isLargest, site);
}

}  // namespace AscendC

#endif
