// Select by the elements of a mask, not by its bits.
// Documentation: SIMD-API/高阶API/数据过滤/Select-95
#ifndef ASCENDC_ADV_SELECT_KERNEL_OPERATOR_SELECT_INTF_H
#define ASCENDC_ADV_SELECT_KERNEL_OPERATOR_SELECT_INTF_H

#ifndef ASCENDC_SIM_PUBLIC_HEADER
#define ASCENDC_SIM_PUBLIC_HEADER
#endif
#include "../../kernel_tensor.h"
#include "../../sim/adv.h"

namespace AscendC {

struct SelectWithBytesMaskShapeInfo {
    SelectWithBytesMaskShapeInfo() {}

    uint32_t firstAxis = 0;
    uint32_t srcLastAxis = 0;
    uint32_t maskLastAxis = 0;
};

template <typename T, typename U, bool isReuseMask = true>
void Select(const LocalTensor<T>& dst, const LocalTensor<T>& src0, T src1, const LocalTensor<U>& mask,
            const LocalTensor<uint8_t>& sharedTmpBuffer, const SelectWithBytesMaskShapeInfo& info,
            sim::Site site = sim::Site::Here()) {
    ASCENDC_SIM_ADV_DTYPE(Select, "数据过滤/Select-95", sim::A2<half, float>, sim::M200<half, float>);
    static_assert(sim::kOneOf<U, bool, int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t>,
                  "Select: the mask is not of bool or an integer type of up to 32 bits (高阶API/数据过滤/Select-95)");
    using Mask = std::conditional_t<std::is_same<U, bool>::value, uint8_t, U>;
    sim::SelectByBytes(
        {"Select", "高阶API/数据过滤/Select-95", site},
        {sim::kDtype<T>, sim::kDtype<Mask>, true, info.firstAxis, info.srcLastAxis, info.maskLastAxis, dst.Place(),
         src0.Place(), mask.Place(), sim::ScalarBits(src1), sharedTmpBuffer.Place(), isReuseMask});
}
template <typename T, typename U, bool isReuseMask = true>
void Select(const LocalTensor<T>& dst, T src0, const LocalTensor<T>& src1, const LocalTensor<U>& mask,
            const LocalTensor<uint8_t>& sharedTmpBuffer, const SelectWithBytesMaskShapeInfo& info,
            sim::Site site = sim::Site::Here()) {
    ASCENDC_SIM_ADV_DTYPE(Select, "数据过滤/Select-95", sim::A2<half, float>, sim::M200<half, float>);
    static_assert(sim::kOneOf<U, bool, int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t>,
                  "Select: the mask is not of bool or an integer type of up to 32 bits (高阶API/数据过滤/Select-95)");
    using Mask = std::conditional_t<std::is_same<U, bool>::value, uint8_t, U>;
    sim::SelectByBytes(
        {"Select", "高阶API/数据过滤/Select-95", site},
        {sim::kDtype<T>, sim::kDtype<Mask>, false, info.firstAxis, info.srcLastAxis, info.maskLastAxis, dst.Place(),
         src1.Place(), mask.Place(), sim::ScalarBits(src0), sharedTmpBuffer.Place(), isReuseMask});
}
// The name it had before.
template <typename T, typename U, bool isReuseMask = true>
void SelectWithBytesMask(const LocalTensor<T>& dst, const LocalTensor<T>& src0, T src1, const LocalTensor<U>& mask,
                         const LocalTensor<uint8_t>& sharedTmpBuffer, const SelectWithBytesMaskShapeInfo& info,
                         sim::Site site = sim::Site::Here()) {
    ASCENDC_SIM_ADV_DTYPE(SelectWithBytesMask, "数据过滤/Select-95", sim::A2<half, float>, sim::M200<half, float>);
    static_assert(sim::kOneOf<U, bool, int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t>,
                  "SelectWithBytesMask: the mask is not of bool or an integer type of up to 32 bits "
                  "(高阶API/数据过滤/Select-95)");
    using Mask = std::conditional_t<std::is_same<U, bool>::value, uint8_t, U>;
    sim::SelectByBytes(
        {"SelectWithBytesMask", "高阶API/数据过滤/Select-95", site},
        {sim::kDtype<T>, sim::kDtype<Mask>, true, info.firstAxis, info.srcLastAxis, info.maskLastAxis, dst.Place(),
         src0.Place(), mask.Place(), sim::ScalarBits(src1), sharedTmpBuffer.Place(), isReuseMask});
}
template <typename T, typename U, bool isReuseMask = true>
void SelectWithBytesMask(const LocalTensor<T>& dst, T src0, const LocalTensor<T>& src1, const LocalTensor<U>& mask,
                         const LocalTensor<uint8_t>& sharedTmpBuffer, const SelectWithBytesMaskShapeInfo& info,
                         sim::Site site = sim::Site::Here()) {
    ASCENDC_SIM_ADV_DTYPE(SelectWithBytesMask, "数据过滤/Select-95", sim::A2<half, float>, sim::M200<half, float>);
    static_assert(sim::kOneOf<U, bool, int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t>,
                  "SelectWithBytesMask: the mask is not of bool or an integer type of up to 32 bits "
                  "(高阶API/数据过滤/Select-95)");
    using Mask = std::conditional_t<std::is_same<U, bool>::value, uint8_t, U>;
    sim::SelectByBytes(
        {"SelectWithBytesMask", "高阶API/数据过滤/Select-95", site},
        {sim::kDtype<T>, sim::kDtype<Mask>, false, info.firstAxis, info.srcLastAxis, info.maskLastAxis, dst.Place(),
         src1.Place(), mask.Place(), sim::ScalarBits(src0), sharedTmpBuffer.Place(), isReuseMask});
}

}  // namespace AscendC

#endif
