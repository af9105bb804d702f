// Elements dropped by a mask.
// Documentation: SIMD-API/高阶API/数据过滤/DropOut
#ifndef ASCENDC_ADV_FILTER_KERNEL_OPERATOR_DROPOUT_INTF_H
#define ASCENDC_ADV_FILTER_KERNEL_OPERATOR_DROPOUT_INTF_H

#ifndef ASCENDC_SIM_PUBLIC_HEADER
#define ASCENDC_SIM_PUBLIC_HEADER
#endif
#include "../../kernel_tensor.h"
#include "../../sim/adv_pad.h"

namespace AscendC {

struct DropOutShapeInfo {
    DropOutShapeInfo() {}

    uint32_t firstAxis = 0;
    uint32_t srcLastAxis = 0;
    uint32_t maskLastAxis = 0;
};

}  // namespace AscendC

namespace sim {

// What the forms of a function have in common: those without sharedTmpBuffer have null for `room`.
template <typename T, uint32_t mode>
void DropOut(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src,
             const AscendC::LocalTensor<uint8_t>& mask, const Ub* room, float keepProb,
             const AscendC::DropOutShapeInfo& info, Site site) {
    ASCENDC_SIM_ADV_DTYPE(DropOut, "数据过滤/DropOut", A2<half, float>, M200<half, float>);
    static_assert(mode <= 4, "DropOut: dropOutMode is 0 to 4 (高阶API/数据过滤/DropOut)");
    DropOut({"DropOut", "高阶API/数据过滤/DropOut", site},
            {kDtype<T>, mode, info.firstAxis, info.srcLastAxis, info.maskLastAxis, static_cast<double>(keepProb),
             dst.Place(), src.Place(), mask.Place(), room});
}

}  // namespace sim

namespace AscendC {

template <typename T, bool isInitBitMode = false, uint32_t dropOutMode = 0>
void DropOut(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal, const LocalTensor<uint8_t>& maskLocal,
             const LocalTensor<uint8_t>& sharedTmpBuffer, const float keepProb, const DropOutShapeInfo& info,
             sim::Site site = sim::Site::Here()) {
    sim::DropOut<T, dropOutMode>(dstLocal, srcLocal, maskLocal, &sharedTmpBuffer.Place(), keepProb, info, site);
}

template <typename T, bool isInitBitMode = false, uint32_t dropOutMode = 0>
void DropOut(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal, const LocalTensor<uint8_t>& maskLocal,
             const float keepProb, const DropOutShapeInfo& info, sim::Site site = sim::Site::Here()) {
    sim::DropOut<T, dropOutMode>(dstLocal, srcLocal, maskLocal, nullptr, keepProb, info, site);
}

}  // namespace AscendC

#endif
