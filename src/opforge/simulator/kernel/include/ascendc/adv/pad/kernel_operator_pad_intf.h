// Columns added to the rows of a matrix, and taken off.
// Documentation: SIMD-API/高阶API/张量变换/Pad, UnPad
#ifndef ASCENDC_ADV_PAD_KERNEL_OPERATOR_PAD_INTF_H
#define ASCENDC_ADV_PAD_KERNEL_OPERATOR_PAD_INTF_H

#ifndef ASCENDC_SIM_PUBLIC_HEADER
#define ASCENDC_SIM_PUBLIC_HEADER
#endif
#include "../../kernel_tensor.h"
#include "../../sim/adv_pad.h"
#include "../../../kernel_tiling/kernel_tiling.h"

namespace AscendC {

struct PadParams {
    PadParams() {}
    PadParams(uint16_t left, uint16_t right, int32_t value) : leftPad(left), rightPad(right), padValue(value) {}

    uint16_t leftPad = 0;
    uint16_t rightPad = 0;
    int32_t padValue = 0;
};
struct UnPadParams {
    UnPadParams() {}
    UnPadParams(uint16_t left, uint16_t right) : leftPad(left), rightPad(right) {}

    uint16_t leftPad = 0;
    uint16_t rightPad = 0;
};

}  // namespace AscendC

namespace sim {

// What the forms of a function have in common: those without sharedTmpBuffer have null for `room`.
template <typename T>
void Pad(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src, const AscendC::PadParams& params,
         const Ub* room, const PadTiling& tiling, Site site) {
    ASCENDC_SIM_ADV_DTYPE(Pad, "张量变换/Pad", A2<int16_t, uint16_t, half, int32_t, uint32_t, float>,
                          M200<int16_t, uint16_t, half, int32_t, uint32_t, float>);
    const T value = static_cast<T>(params.padValue);
    uint32_t bits = 0;
    __builtin_memcpy(&bits, &value, sizeof(T));
    Pad({"Pad", "高阶API/张量变换/Pad", site}, {sizeof(T), tiling.srcHeight, tiling.srcWidth, tiling.srcOriWidth,
                                                params.leftPad, params.rightPad, bits, dst.Place(), src.Place(), room});
}

template <typename T>
void UnPad(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src, const AscendC::UnPadParams& params,
           const Ub* room, const UnPadTiling& tiling, Site site) {
    ASCENDC_SIM_ADV_DTYPE(UnPad, "张量变换/UnPad", A2<int16_t, uint16_t, half, int32_t, uint32_t, float>,
                          M200<int16_t, uint16_t, half, int32_t, uint32_t, float>);
    UnPad({"UnPad", "高阶API/张量变换/UnPad", site},
          {sizeof(T), tiling.srcHeight, tiling.srcWidth, tiling.srcWidth, params.leftPad, params.rightPad, 0,
           dst.Place(), src.Place(), room});
}

}  // namespace sim

namespace AscendC {

template <typename T>
void Pad(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, PadParams& padParams,
         const LocalTensor<uint8_t>& sharedTmpBuffer, PadTiling& tiling, sim::Site site = sim::Site::Here()) {
    sim::Pad(dstTensor, srcTensor, padParams, &sharedTmpBuffer.Place(), tiling, site);
}

template <typename T>
void Pad(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, PadParams& padParams, PadTiling& tiling,
         sim::Site site = sim::Site::Here()) {
    sim::Pad(dstTensor, srcTensor, padParams, nullptr, tiling, site);
}

template <typename T>
void UnPad(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, UnPadParams& unPadParams,
           LocalTensor<uint8_t>& sharedTmpBuffer, UnPadTiling& tiling, sim::Site site = sim::Site::Here()) {
    sim::UnPad(dstTensor, srcTensor, unPadParams, &sharedTmpBuffer.Place(), tiling, site);
}

template <typename T>
void UnPad(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, UnPadParams& unPadParams,
           UnPadTiling& tiling, sim::Site site = sim::Site::Here()) {
    sim::UnPad(dstTensor, srcTensor, unPadParams, nullptr, tiling, site);
}

}  // namespace AscendC

#endif
