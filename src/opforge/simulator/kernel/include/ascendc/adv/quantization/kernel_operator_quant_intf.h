// To int8_t and back: AscendQuant, AscendDequant, AscendAntiQuant, by tensor and by channel.
// Documentation: SIMD-API/高阶API/量化操作
#ifndef ASCENDC_ADV_QUANTIZATION_KERNEL_OPERATOR_QUANT_INTF_H
#define ASCENDC_ADV_QUANTIZATION_KERNEL_OPERATOR_QUANT_INTF_H

#ifndef ASCENDC_SIM_PUBLIC_HEADER
#define ASCENDC_SIM_PUBLIC_HEADER
#endif
#include "../../kernel_tensor.h"
#include "../../sim/adv.h"

namespace AscendC {

struct DequantParams {
    uint32_t m;
    uint32_t n;
    uint32_t calCount;
};
enum class DeQuantMode : uint8_t { DEQUANT_WITH_SINGLE_ROW = 0, DEQUANT_WITH_MULTI_ROW };
struct AntiQuantShapeInfo {
    uint32_t offsetHeight{0};
    uint32_t offsetWidth{0};
    uint32_t scaleHeight{0};
    uint32_t scaleWidth{0};
};
struct AscendQuantConfig {
    constexpr AscendQuantConfig(uint32_t count, uint32_t offsets, uint32_t scales, uint32_t room)
        : calcCount(count), offsetCount(offsets), scaleCount(scales), workLocalSize(room) {}

    uint32_t calcCount = 0;
    uint32_t offsetCount = 0;
    uint32_t scaleCount = 0;
    uint32_t workLocalSize = 0;
};
inline constexpr AscendQuantConfig ASCEND_QUANT_DEFAULT_CFG = {0, 0, 0, 0};

}  // namespace AscendC

namespace sim {

// The pairs of 表5 and 表6; scales in a tensor also as uint64_t, for half.
template <typename To, typename Scale>
inline constexpr bool kDequantised = kOnM200 ? std::is_same<To, float>::value && std::is_same<Scale, float>::value
                                             : kOneOf<To, float, bfloat16_t> && kOneOf<Scale, float, bfloat16_t>;

}  // namespace sim

namespace AscendC {

template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
void AscendDequant(const LocalTensor<dstT>& dstTensor, const LocalTensor<int32_t>& srcTensor,
                   const LocalTensor<scaleT>& deqScale, const LocalTensor<uint8_t>& sharedTmpBuffer,
                   DequantParams params, sim::Site site = sim::Site::Here()) {
    static_assert(
        (sim::kDequantised<dstT, scaleT> || (std::is_same<dstT, half>::value && std::is_same<scaleT, uint64_t>::value)),
        "AscendDequant: the data types are not of the page's for this product (高阶API/量化操作/AscendDequant)");
    sim::Dequant({"AscendDequant", "高阶API/量化操作/AscendDequant", site},
                 {sim::kDtype<dstT>, sim::kDtype<scaleT>, params.m, params.n, params.calCount,
                  mode == DeQuantMode::DEQUANT_WITH_SINGLE_ROW, dstTensor.Place(), srcTensor.Place(), &deqScale.Place(),
                  0.0, &sharedTmpBuffer.Place()});
}
template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
void AscendDequant(const LocalTensor<dstT>& dstTensor, const LocalTensor<int32_t>& srcTensor,
                   const LocalTensor<scaleT>& deqScale, const LocalTensor<uint8_t>& sharedTmpBuffer,
                   const uint32_t calCount, sim::Site site = sim::Site::Here()) {
    static_assert(
        (sim::kDequantised<dstT, scaleT> || (std::is_same<dstT, half>::value && std::is_same<scaleT, uint64_t>::value)),
        "AscendDequant: the data types are not of the page's for this product (高阶API/量化操作/AscendDequant)");
    sim::Dequant({"AscendDequant", "高阶API/量化操作/AscendDequant", site},
                 {sim::kDtype<dstT>, sim::kDtype<scaleT>, 1, srcTensor.GetSize(), calCount,
                  mode == DeQuantMode::DEQUANT_WITH_SINGLE_ROW, dstTensor.Place(), srcTensor.Place(), &deqScale.Place(),
                  0.0, &sharedTmpBuffer.Place()});
}
template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
void AscendDequant(const LocalTensor<dstT>& dstTensor, const LocalTensor<int32_t>& srcTensor,
                   const LocalTensor<scaleT>& deqScale, const LocalTensor<uint8_t>& sharedTmpBuffer,
                   sim::Site site = sim::Site::Here()) {
    static_assert(
        (sim::kDequantised<dstT, scaleT> || (std::is_same<dstT, half>::value && std::is_same<scaleT, uint64_t>::value)),
        "AscendDequant: the data types are not of the page's for this product (高阶API/量化操作/AscendDequant)");
    sim::Dequant({"AscendDequant", "高阶API/量化操作/AscendDequant", site},
                 {sim::kDtype<dstT>, sim::kDtype<scaleT>, 1, srcTensor.GetSize(), deqScale.GetSize(),
                  mode == DeQuantMode::DEQUANT_WITH_SINGLE_ROW, dstTensor.Place(), srcTensor.Place(), &deqScale.Place(),
                  0.0, &sharedTmpBuffer.Place()});
}
template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
void AscendDequant(const LocalTensor<dstT>& dstTensor, const LocalTensor<int32_t>& srcTensor,
                   const LocalTensor<scaleT>& deqScale, DequantParams params, sim::Site site = sim::Site::Here()) {
    static_assert(
        (sim::kDequantised<dstT, scaleT> || (std::is_same<dstT, half>::value && std::is_same<scaleT, uint64_t>::value)),
        "AscendDequant: the data types are not of the page's for this product (高阶API/量化操作/AscendDequant)");
    sim::Dequant({"AscendDequant", "高阶API/量化操作/AscendDequant", site},
                 {sim::kDtype<dstT>, sim::kDtype<scaleT>, params.m, params.n, params.calCount,
                  mode == DeQuantMode::DEQUANT_WITH_SINGLE_ROW, dstTensor.Place(), srcTensor.Place(), &deqScale.Place(),
                  0.0, nullptr});
}
template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
void AscendDequant(const LocalTensor<dstT>& dstTensor, const LocalTensor<int32_t>& srcTensor,
                   const LocalTensor<scaleT>& deqScale, const uint32_t calCount, sim::Site site = sim::Site::Here()) {
    static_assert(
        (sim::kDequantised<dstT, scaleT> || (std::is_same<dstT, half>::value && std::is_same<scaleT, uint64_t>::value)),
        "AscendDequant: the data types are not of the page's for this product (高阶API/量化操作/AscendDequant)");
    sim::Dequant({"AscendDequant", "高阶API/量化操作/AscendDequant", site},
                 {sim::kDtype<dstT>, sim::kDtype<scaleT>, 1, srcTensor.GetSize(), calCount,
                  mode == DeQuantMode::DEQUANT_WITH_SINGLE_ROW, dstTensor.Place(), srcTensor.Place(), &deqScale.Place(),
                  0.0, nullptr});
}
template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
void AscendDequant(const LocalTensor<dstT>& dstTensor, const LocalTensor<int32_t>& srcTensor,
                   const LocalTensor<scaleT>& deqScale, sim::Site site = sim::Site::Here()) {
    static_assert(
        (sim::kDequantised<dstT, scaleT> || (std::is_same<dstT, half>::value && std::is_same<scaleT, uint64_t>::value)),
        "AscendDequant: the data types are not of the page's for this product (高阶API/量化操作/AscendDequant)");
    sim::Dequant({"AscendDequant", "高阶API/量化操作/AscendDequant", site},
                 {sim::kDtype<dstT>, sim::kDtype<scaleT>, 1, srcTensor.GetSize(), deqScale.GetSize(),
                  mode == DeQuantMode::DEQUANT_WITH_SINGLE_ROW, dstTensor.Place(), srcTensor.Place(), &deqScale.Place(),
                  0.0, nullptr});
}
template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
void AscendDequant(const LocalTensor<dstT>& dstTensor, const LocalTensor<int32_t>& srcTensor, const scaleT deqScale,
                   const LocalTensor<uint8_t>& sharedTmpBuffer, DequantParams params,
                   sim::Site site = sim::Site::Here()) {
    static_assert(
        (sim::kDequantised<dstT, scaleT>),
        "AscendDequant: the data types are not of the page's for this product (高阶API/量化操作/AscendDequant)");
    sim::Dequant({"AscendDequant", "高阶API/量化操作/AscendDequant", site},
                 {sim::kDtype<dstT>, sim::kDtype<scaleT>, params.m, params.n, params.calCount,
                  mode == DeQuantMode::DEQUANT_WITH_SINGLE_ROW, dstTensor.Place(), srcTensor.Place(), nullptr,
                  sim::ScalarValue(deqScale), &sharedTmpBuffer.Place()});
}
template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
void AscendDequant(const LocalTensor<dstT>& dstTensor, const LocalTensor<int32_t>& srcTensor, const scaleT deqScale,
                   DequantParams params, sim::Site site = sim::Site::Here()) {
    static_assert(
        (sim::kDequantised<dstT, scaleT>),
        "AscendDequant: the data types are not of the page's for this product (高阶API/量化操作/AscendDequant)");
    sim::Dequant({"AscendDequant", "高阶API/量化操作/AscendDequant", site},
                 {sim::kDtype<dstT>, sim::kDtype<scaleT>, params.m, params.n, params.calCount,
                  mode == DeQuantMode::DEQUANT_WITH_SINGLE_ROW, dstTensor.Place(), srcTensor.Place(), nullptr,
                  sim::ScalarValue(deqScale), nullptr});
}
template <typename T, bool isReuseSource = false, const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
void AscendQuant(const LocalTensor<int8_t>& dstTensor, const LocalTensor<T>& srcTensor,
                 const LocalTensor<uint8_t>& sharedTmpBuffer, const float scale, const float offset,
                 const uint32_t calCount, sim::Site site = sim::Site::Here()) {
    ASCENDC_SIM_ADV_DTYPE(AscendQuant, "量化操作/AscendQuant", sim::A2<half, float>, sim::M200<half, float>);
    sim::Quant({"AscendQuant", "高阶API/量化操作/AscendQuant", site},
               {sim::kDtype<T>, calCount, dstTensor.Place(), srcTensor.Place(), nullptr, nullptr,
                static_cast<double>(scale), static_cast<double>(offset), 0, 0, &sharedTmpBuffer.Place()});
}
template <typename T, bool isReuseSource = false, const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
void AscendQuant(const LocalTensor<int8_t>& dstTensor, const LocalTensor<T>& srcTensor,
                 const LocalTensor<uint8_t>& sharedTmpBuffer, const float scale, const float offset,
                 sim::Site site = sim::Site::Here()) {
    ASCENDC_SIM_ADV_DTYPE(AscendQuant, "量化操作/AscendQuant", sim::A2<half, float>, sim::M200<half, float>);
    sim::Quant({"AscendQuant", "高阶API/量化操作/AscendQuant", site},
               {sim::kDtype<T>, srcTensor.GetSize(), dstTensor.Place(), srcTensor.Place(), nullptr, nullptr,
                static_cast<double>(scale), static_cast<double>(offset), 0, 0, &sharedTmpBuffer.Place()});
}
template <typename T, bool isReuseSource = false, const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
void AscendQuant(const LocalTensor<int8_t>& dstTensor, const LocalTensor<T>& srcTensor,
                 const LocalTensor<uint8_t>& sharedTmpBuffer, const LocalTensor<T>& scaleTensor, const T offset,
                 const uint32_t scaleCount, const uint32_t calCount, sim::Site site = sim::Site::Here()) {
    ASCENDC_SIM_ADV_DTYPE(AscendQuant, "量化操作/AscendQuant", sim::A2<half, float>, sim::M200<half, float>);
    sim::Quant({"AscendQuant", "高阶API/量化操作/AscendQuant", site},
               {sim::kDtype<T>, calCount, dstTensor.Place(), srcTensor.Place(), &scaleTensor.Place(), nullptr, 0.0,
                sim::ScalarValue(offset), scaleCount, 0, &sharedTmpBuffer.Place()});
}
template <typename T, bool isReuseSource = false, const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
void AscendQuant(const LocalTensor<int8_t>& dstTensor, const LocalTensor<T>& srcTensor,
                 const LocalTensor<uint8_t>& sharedTmpBuffer, const LocalTensor<T>& scaleTensor, const T offset,
                 sim::Site site = sim::Site::Here()) {
    ASCENDC_SIM_ADV_DTYPE(AscendQuant, "量化操作/AscendQuant", sim::A2<half, float>, sim::M200<half, float>);
    sim::Quant({"AscendQuant", "高阶API/量化操作/AscendQuant", site},
               {sim::kDtype<T>, srcTensor.GetSize(), dstTensor.Place(), srcTensor.Place(), &scaleTensor.Place(),
                nullptr, 0.0, sim::ScalarValue(offset), scaleTensor.GetSize(), 0, &sharedTmpBuffer.Place()});
}
template <typename T, bool isReuseSource = false, const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
void AscendQuant(const LocalTensor<int8_t>& dstTensor, const LocalTensor<T>& srcTensor,
                 const LocalTensor<uint8_t>& sharedTmpBuffer, const LocalTensor<T>& scaleTensor,
                 const LocalTensor<T>& offsetTensor, const uint32_t scaleCount, const uint32_t offsetCount,
                 const uint32_t calCount, sim::Site site = sim::Site::Here()) {
    ASCENDC_SIM_ADV_DTYPE(AscendQuant, "量化操作/AscendQuant", sim::A2<half, float>, sim::M200<half, float>);
    sim::Quant({"AscendQuant", "高阶API/量化操作/AscendQuant", site},
               {sim::kDtype<T>, calCount, dstTensor.Place(), srcTensor.Place(), &scaleTensor.Place(),
                &offsetTensor.Place(), 0.0, 0.0, scaleCount, offsetCount, &sharedTmpBuffer.Place()});
}
template <typename T, bool isReuseSource = false, const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
void AscendQuant(const LocalTensor<int8_t>& dstTensor, const LocalTensor<T>& srcTensor,
                 const LocalTensor<uint8_t>& sharedTmpBuffer, const LocalTensor<T>& scaleTensor,
                 const LocalTensor<T>& offsetTensor, sim::Site site = sim::Site::Here()) {
    ASCENDC_SIM_ADV_DTYPE(AscendQuant, "量化操作/AscendQuant", sim::A2<half, float>, sim::M200<half, float>);
    sim::Quant(
        {"AscendQuant", "高阶API/量化操作/AscendQuant", site},
        {sim::kDtype<T>, srcTensor.GetSize(), dstTensor.Place(), srcTensor.Place(), &scaleTensor.Place(),
         &offsetTensor.Place(), 0.0, 0.0, scaleTensor.GetSize(), offsetTensor.GetSize(), &sharedTmpBuffer.Place()});
}
template <typename T, bool isReuseSource = false, const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
void AscendQuant(const LocalTensor<int8_t>& dstTensor, const LocalTensor<T>& srcTensor, const float scale,
                 const float offset, const uint32_t calCount, sim::Site site = sim::Site::Here()) {
    ASCENDC_SIM_ADV_DTYPE(AscendQuant, "量化操作/AscendQuant", sim::A2<half, float>, sim::M200<half, float>);
    sim::Quant({"AscendQuant", "高阶API/量化操作/AscendQuant", site},
               {sim::kDtype<T>, calCount, dstTensor.Place(), srcTensor.Place(), nullptr, nullptr,
                static_cast<double>(scale), static_cast<double>(offset), 0, 0, nullptr});
}
template <typename T, bool isReuseSource = false, const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
void AscendQuant(const LocalTensor<int8_t>& dstTensor, const LocalTensor<T>& srcTensor, const float scale,
                 const float offset, sim::Site site = sim::Site::Here()) {
    ASCENDC_SIM_ADV_DTYPE(AscendQuant, "量化操作/AscendQuant", sim::A2<half, float>, sim::M200<half, float>);
    sim::Quant({"AscendQuant", "高阶API/量化操作/AscendQuant", site},
               {sim::kDtype<T>, srcTensor.GetSize(), dstTensor.Place(), srcTensor.Place(), nullptr, nullptr,
                static_cast<double>(scale), static_cast<double>(offset), 0, 0, nullptr});
}
template <typename T, bool isReuseSource = false, const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
void AscendQuant(const LocalTensor<int8_t>& dstTensor, const LocalTensor<T>& srcTensor,
                 const LocalTensor<T>& scaleTensor, const T offset, const uint32_t scaleCount, const uint32_t calCount,
                 sim::Site site = sim::Site::Here()) {
    ASCENDC_SIM_ADV_DTYPE(AscendQuant, "量化操作/AscendQuant", sim::A2<half, float>, sim::M200<half, float>);
    sim::Quant({"AscendQuant", "高阶API/量化操作/AscendQuant", site},
               {sim::kDtype<T>, calCount, dstTensor.Place(), srcTensor.Place(), &scaleTensor.Place(), nullptr, 0.0,
                sim::ScalarValue(offset), scaleCount, 0, nullptr});
}
template <typename T, bool isReuseSource = false, const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
void AscendQuant(const LocalTensor<int8_t>& dstTensor, const LocalTensor<T>& srcTensor,
                 const LocalTensor<T>& scaleTensor, const T offset, sim::Site site = sim::Site::Here()) {
    ASCENDC_SIM_ADV_DTYPE(AscendQuant, "量化操作/AscendQuant", sim::A2<half, float>, sim::M200<half, float>);
    sim::Quant({"AscendQuant", "高阶API/量化操作/AscendQuant", site},
               {sim::kDtype<T>, srcTensor.GetSize(), dstTensor.Place(), srcTensor.Place(), &scaleTensor.Place(),
                nullptr, 0.0, sim::ScalarValue(offset), scaleTensor.GetSize(), 0, nullptr});
}
template <typename T, bool isReuseSource = false, const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
void AscendQuant(const LocalTensor<int8_t>& dstTensor, const LocalTensor<T>& srcTensor,
                 const LocalTensor<T>& scaleTensor, const LocalTensor<T>& offsetTensor, const uint32_t scaleCount,
                 const uint32_t offsetCount, const uint32_t calCount, sim::Site site = sim::Site::Here()) {
    ASCENDC_SIM_ADV_DTYPE(AscendQuant, "量化操作/AscendQuant", sim::A2<half, float>, sim::M200<half, float>);
    sim::Quant({"AscendQuant", "高阶API/量化操作/AscendQuant", site},
               {sim::kDtype<T>, calCount, dstTensor.Place(), srcTensor.Place(), &scaleTensor.Place(),
                &offsetTensor.Place(), 0.0, 0.0, scaleCount, offsetCount, nullptr});
}
template <typename T, bool isReuseSource = false, const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
void AscendQuant(const LocalTensor<int8_t>& dstTensor, const LocalTensor<T>& srcTensor,
                 const LocalTensor<T>& scaleTensor, const LocalTensor<T>& offsetTensor,
                 sim::Site site = sim::Site::Here()) {
    ASCENDC_SIM_ADV_DTYPE(AscendQuant, "量化操作/AscendQuant", sim::A2<half, float>, sim::M200<half, float>);
    sim::Quant({"AscendQuant", "高阶API/量化操作/AscendQuant", site},
               {sim::kDtype<T>, srcTensor.GetSize(), dstTensor.Place(), srcTensor.Place(), &scaleTensor.Place(),
                &offsetTensor.Place(), 0.0, 0.0, scaleTensor.GetSize(), offsetTensor.GetSize(), nullptr});
}
template <typename InputDataType, typename OutputDataType, bool isTranspose>
void AscendAntiQuant(const LocalTensor<OutputDataType>& dst, const LocalTensor<InputDataType>& src,
                     const LocalTensor<OutputDataType>& offset, const LocalTensor<OutputDataType>& scale,
                     const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t k, const AntiQuantShapeInfo& = {},
                     sim::Site site = sim::Site::Here()) {
    static_assert(
        sim::kOneOf<InputDataType, int8_t> && sim::kListed<OutputDataType, sim::A2<half, bfloat16_t>, sim::M200<half>>,
        "AscendAntiQuant: the data types are not int8_t to half or bfloat16_t, those of the page that are simulated "
        "(高阶API/量化操作/AscendAntiQuant)");
    sim::AntiQuant({"AscendAntiQuant", "高阶API/量化操作/AscendAntiQuant", site},
                   {sim::kDtype<OutputDataType>, isTranspose, k, src.GetSize(), dst.Place(), src.Place(),
                    &scale.Place(), &offset.Place(), 0.0, 0.0, &sharedTmpBuffer.Place()});
}
template <typename InputDataType, typename OutputDataType, bool isTranspose>
void AscendAntiQuant(const LocalTensor<OutputDataType>& dst, const LocalTensor<InputDataType>& src,
                     const LocalTensor<OutputDataType>& scale, const LocalTensor<uint8_t>& sharedTmpBuffer,
                     const uint32_t k, const AntiQuantShapeInfo& = {}, sim::Site site = sim::Site::Here()) {
    static_assert(
        sim::kOneOf<InputDataType, int8_t> && sim::kListed<OutputDataType, sim::A2<half, bfloat16_t>, sim::M200<half>>,
        "AscendAntiQuant: the data types are not int8_t to half or bfloat16_t, those of the page that are simulated "
        "(高阶API/量化操作/AscendAntiQuant)");
    sim::AntiQuant({"AscendAntiQuant", "高阶API/量化操作/AscendAntiQuant", site},
                   {sim::kDtype<OutputDataType>, isTranspose, k, src.GetSize(), dst.Place(), src.Place(),
                    &scale.Place(), nullptr, 0.0, 0.0, &sharedTmpBuffer.Place()});
}
template <typename InputDataType, typename OutputDataType, bool isTranspose>
void AscendAntiQuant(const LocalTensor<OutputDataType>& dst, const LocalTensor<InputDataType>& src,
                     const OutputDataType offset, const OutputDataType scale,
                     const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t k, const AntiQuantShapeInfo& = {},
                     sim::Site site = sim::Site::Here()) {
    static_assert(
        sim::kOneOf<InputDataType, int8_t> && sim::kListed<OutputDataType, sim::A2<half, bfloat16_t>, sim::M200<half>>,
        "AscendAntiQuant: the data types are not int8_t to half or bfloat16_t, those of the page that are simulated "
        "(高阶API/量化操作/AscendAntiQuant)");
    sim::AntiQuant({"AscendAntiQuant", "高阶API/量化操作/AscendAntiQuant", site},
                   {sim::kDtype<OutputDataType>, isTranspose, k, src.GetSize(), dst.Place(), src.Place(), nullptr,
                    nullptr, sim::ScalarValue(scale), sim::ScalarValue(offset), &sharedTmpBuffer.Place()});
}
template <typename InputDataType, typename OutputDataType, bool isTranspose>
void AscendAntiQuant(const LocalTensor<OutputDataType>& dst, const LocalTensor<InputDataType>& src,
                     const OutputDataType scale, const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t k,
                     const AntiQuantShapeInfo& = {}, sim::Site site = sim::Site::Here()) {
    static_assert(
        sim::kOneOf<InputDataType, int8_t> && sim::kListed<OutputDataType, sim::A2<half, bfloat16_t>, sim::M200<half>>,
        "AscendAntiQuant: the data types are not int8_t to half or bfloat16_t, those of the page that are simulated "
        "(高阶API/量化操作/AscendAntiQuant)");
    sim::AntiQuant({"AscendAntiQuant", "高阶API/量化操作/AscendAntiQuant", site},
                   {sim::kDtype<OutputDataType>, isTranspose, k, src.GetSize(), dst.Place(), src.Place(), nullptr,
                    nullptr, sim::ScalarValue(scale), 0.0, &sharedTmpBuffer.Place()});
}
template <typename InputDataType, typename OutputDataType, bool isTranspose>
void AscendAntiQuant(const LocalTensor<OutputDataType>& dst, const LocalTensor<InputDataType>& src,
                     const LocalTensor<OutputDataType>& offset, const LocalTensor<OutputDataType>& scale,
                     const uint32_t k, const AntiQuantShapeInfo& = {}, sim::Site site = sim::Site::Here()) {
    static_assert(
        sim::kOneOf<InputDataType, int8_t> && sim::kListed<OutputDataType, sim::A2<half, bfloat16_t>, sim::M200<half>>,
        "AscendAntiQuant: the data types are not int8_t to half or bfloat16_t, those of the page that are simulated "
        "(高阶API/量化操作/AscendAntiQuant)");
    sim::AntiQuant({"AscendAntiQuant", "高阶API/量化操作/AscendAntiQuant", site},
                   {sim::kDtype<OutputDataType>, isTranspose, k, src.GetSize(), dst.Place(), src.Place(),
                    &scale.Place(), &offset.Place(), 0.0, 0.0, nullptr});
}
template <typename InputDataType, typename OutputDataType, bool isTranspose>
void AscendAntiQuant(const LocalTensor<OutputDataType>& dst, const LocalTensor<InputDataType>& src,
                     const OutputDataType offset, const OutputDataType scale, const uint32_t k,
                     const AntiQuantShapeInfo& = {}, sim::Site site = sim::Site::Here()) {
    static_assert(
        sim::kOneOf<InputDataType, int8_t> && sim::kListed<OutputDataType, sim::A2<half, bfloat16_t>, sim::M200<half>>,
        "AscendAntiQuant: the data types are not int8_t to half or bfloat16_t, those of the page that are simulated "
        "(高阶API/量化操作/AscendAntiQuant)");
    sim::AntiQuant({"AscendAntiQuant", "高阶API/量化操作/AscendAntiQuant", site},
                   {sim::kDtype<OutputDataType>, isTranspose, k, src.GetSize(), dst.Place(), src.Place(), nullptr,
                    nullptr, sim::ScalarValue(scale), sim::ScalarValue(offset), nullptr});
}

}  // namespace AscendC

#endif
