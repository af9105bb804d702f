// Activations, element by element.
// Documentation: SIMD-API/高阶API/激活函数
#ifndef ASCENDC_ADV_ACTIVATION_KERNEL_OPERATOR_ACTIVATION_INTF_H
#define ASCENDC_ADV_ACTIVATION_KERNEL_OPERATOR_ACTIVATION_INTF_H

#ifndef ASCENDC_SIM_PUBLIC_HEADER
#define ASCENDC_SIM_PUBLIC_HEADER
#endif
#include "../math/kernel_operator_math_intf.h"

// The variants of Gelu take a count, and say how precisely they compute; this simulator rounds once in each.
#define ASCENDC_SIM_ADV_GELU(Function, page, ...)                                                           \
    template <typename T, bool highPrecision = false, bool highPerformance = false>                         \
    void Function(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal,                           \
                  const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t dataSize,                     \
                  sim::Site site = sim::Site::Here()) {                                                     \
        ASCENDC_SIM_ADV_DTYPE(Function, page, __VA_ARGS__);                                                 \
        sim::Math({#Function, "高阶API/" page, site}, sim::MathOp::k##Function, sim::kDtype<T>,             \
                  {dstLocal.Place(), &srcLocal.Place(), nullptr, 0.0, &sharedTmpBuffer.Place(), dataSize}); \
    }                                                                                                       \
    template <typename T, bool highPrecision = false, bool highPerformance = false>                         \
    void Function(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal, const uint32_t dataSize,  \
                  sim::Site site = sim::Site::Here()) {                                                     \
        ASCENDC_SIM_ADV_DTYPE(Function, page, __VA_ARGS__);                                                 \
        sim::Math({#Function, "高阶API/" page, site}, sim::MathOp::k##Function, sim::kDtype<T>,             \
                  {dstLocal.Place(), &srcLocal.Place(), nullptr, 0.0, nullptr, dataSize});                  \
    }

namespace AscendC {

ASCENDC_SIM_ADV_UNARY(Sigmoid, "激活函数/Sigmoid接口/Sigmoid", sim::A2<half, float>, sim::M200<half, float>)
ASCENDC_SIM_ADV_GELU(Gelu, "激活函数/Gelu接口/Gelu", sim::A2<half, float>, sim::M200<half, float>)
ASCENDC_SIM_ADV_GELU(FasterGelu, "激活函数/Gelu接口/FasterGelu", sim::A2<half, float>, sim::M200<half, float>)
ASCENDC_SIM_ADV_GELU(FasterGeluV2, "激活函数/Gelu接口/FasterGeluV2", sim::A2<half, float>, sim::M200<half, float>)
ASCENDC_SIM_ADV_PAIR(GeGLU, "激活函数/GeGLU接口/GeGLU", sim::A2<half, float>, sim::M200<half, float>)
ASCENDC_SIM_ADV_PAIR_COUNTED(ReGlu, "激活函数/ReGlu接口/ReGlu", sim::A2<half, bfloat16_t, float>,
                             sim::M200<half, float>)

template <typename T, bool isReuseSource = false>
void Silu(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal, uint32_t dataSize,
          sim::Site site = sim::Site::Here()) {
    ASCENDC_SIM_ADV_DTYPE(Silu, "激活函数/Silu接口/Silu", sim::A2<half, float>, sim::M200<half, float>);
    sim::Math({"Silu", "高阶API/激活函数/Silu接口/Silu", site}, sim::MathOp::kSilu, sim::kDtype<T>,
              {dstLocal.Place(), &srcLocal.Place(), nullptr, 0.0, nullptr, dataSize});
}

template <typename T, bool isReuseSource = false>
void Swish(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal, uint32_t dataSize, const T scalarValue,
           sim::Site site = sim::Site::Here()) {
    ASCENDC_SIM_ADV_DTYPE(Swish, "激活函数/Swish接口/Swish", sim::A2<half, float>, sim::M200<half, float>);
    sim::Math({"Swish", "高阶API/激活函数/Swish接口/Swish", site}, sim::MathOp::kSwish, sim::kDtype<T>,
              {dstLocal.Place(), &srcLocal.Place(), nullptr, sim::ScalarValue(scalarValue), nullptr, dataSize});
}

template <typename T, bool isReuseSource = false>
void SwiGLU(LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor0, const LocalTensor<T>& srcTensor1,
            const float& scalarValue, const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t calCount,
            sim::Site site = sim::Site::Here()) {
    ASCENDC_SIM_ADV_DTYPE(SwiGLU, "激活函数/SwiGLU接口/SwiGLU", sim::A2<half, float>, sim::M200<half, float>);
    sim::Math({"SwiGLU", "高阶API/激活函数/SwiGLU接口/SwiGLU", site}, sim::MathOp::kSwiGLU, sim::kDtype<T>,
              {dstTensor.Place(), &srcTensor0.Place(), &srcTensor1.Place(), static_cast<double>(scalarValue),
               &sharedTmpBuffer.Place(), calCount});
}
template <typename T, bool isReuseSource = false>
void SwiGLU(LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor0, const LocalTensor<T>& srcTensor1,
            const float& scalarValue, const LocalTensor<uint8_t>& sharedTmpBuffer, sim::Site site = sim::Site::Here()) {
    SwiGLU<T>(dstTensor, srcTensor0, srcTensor1, scalarValue, sharedTmpBuffer, srcTensor0.GetSize(), site);
}
template <typename T, bool isReuseSource = false>
void SwiGLU(LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor0, const LocalTensor<T>& srcTensor1,
            const float& scalarValue, const uint32_t calCount, sim::Site site = sim::Site::Here()) {
    ASCENDC_SIM_ADV_DTYPE(SwiGLU, "激活函数/SwiGLU接口/SwiGLU", sim::A2<half, float>, sim::M200<half, float>);
    sim::Math({"SwiGLU", "高阶API/激活函数/SwiGLU接口/SwiGLU", site}, sim::MathOp::kSwiGLU, sim::kDtype<T>,
              {dstTensor.Place(), &srcTensor0.Place(), &srcTensor1.Place(), static_cast<double>(scalarValue), nullptr,
               calCount});
}
template <typename T, bool isReuseSource = false>
void SwiGLU(LocalTensor<T>& dstTensor, LocalTensor<T>& srcTensor0, LocalTensor<T>& srcTensor1, const float& scalarValue,
            sim::Site site = sim::Site::Here()) {
    SwiGLU<T>(dstTensor, srcTensor0, srcTensor1, scalarValue, srcTensor0.GetSize(), site);
}

}  // namespace AscendC

#endif
