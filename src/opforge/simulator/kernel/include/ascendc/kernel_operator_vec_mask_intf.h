// The vector unit's mask and its modes.
// Documentation: SIMD-API/基础API/Memory矢量计算/掩码操作, SIMD计算说明/掩码
#ifndef ASCENDC_KERNEL_OPERATOR_VEC_MASK_INTF_H
#define ASCENDC_KERNEL_OPERATOR_VEC_MASK_INTF_H

#ifndef ASCENDC_SIM_PUBLIC_HEADER
#define ASCENDC_SIM_PUBLIC_HEADER
#endif
#include "kernel_tensor.h"
#include "sim/index.h"
#include "sim/repeats.h"

namespace AscendC {

enum class MaskMode : uint8_t { NORMAL = 0, COUNTER };

inline void SetMaskNorm() { sim::SetMaskMode(false); }
inline void SetMaskCount() { sim::SetMaskMode(true); }
inline void ResetMask() { sim::SetMask(~0ull, ~0ull); }

// A bit for each lane; in counter mode maskLow is the number of elements.
template <typename T, MaskMode mode = MaskMode::NORMAL>
void SetVectorMask(const uint64_t maskHigh, const uint64_t maskLow) {
    sim::SetMask(mode == MaskMode::COUNTER ? 0 : maskHigh, maskLow);
}
// The first `len` lanes, or so many elements.
template <typename T, MaskMode mode = MaskMode::NORMAL>
void SetVectorMask(int32_t len, sim::Site site = sim::Site::Here()) {
    sim::SetMaskLength(len, mode == MaskMode::COUNTER, sizeof(T), {"SetVectorMask", "掩码操作/SetVectorMask", site});
}

// What the device's own headers set masks by; kernels call it too.
class AscendCUtils {
public:
    template <typename T, bool isSetMask = true>
    static void SetMask(int32_t len) {
        if (isSetMask) {
            SetVectorMask<T>(len);
        }
    }
    template <typename T, bool isSetMask = true>
    static void SetMask(const uint64_t& maskHigh, const uint64_t& maskLow) {
        if (isSetMask) {
            sim::SetMask(maskHigh, maskLow);
        }
    }
    template <bool isSetMask = true>
    static void ResetMask() {
        if (isSetMask) {
            AscendC::ResetMask();
        }
    }
    // 1: infinities and NaN stay what they are; 0: results saturate.
    static void SetOverflow(uint64_t ctrlValue, sim::Site site = sim::Site::Here()) {
        sim::SetControlBits(48, 48, ctrlValue == 1, site);
    }
    // What the last GatherMask of the core has kept.
    static int64_t GetRsvdCnt() { return static_cast<int64_t>(sim::GatherMaskCount()); }
};

}  // namespace AscendC

#endif
