// Mathematics above the instructions, element by element: each with sharedTmpBuffer or without, and, where the page has
// them, forms for the whole source.
// Documentation: SIMD-API/高阶API/数学计算
#ifndef ASCENDC_ADV_MATH_KERNEL_OPERATOR_MATH_INTF_H
#define ASCENDC_ADV_MATH_KERNEL_OPERATOR_MATH_INTF_H

#ifndef ASCENDC_SIM_PUBLIC_HEADER
#define ASCENDC_SIM_PUBLIC_HEADER
#endif
#include "../../kernel_tensor.h"
#include "../../sim/adv.h"

// The form with a count once more, for operators that hand it to templates of theirs. A call never takes it, because it
// does not deduce `Void`, which the type of a pointer does.
#define ASCENDC_SIM_ADV_POINTED(Function)                                                                             \
    template <typename T, bool isReuseSource = false, typename Void, std::enable_if_t<std::is_void_v<Void>, int> = 0> \
    Void Function(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, const uint32_t calCount) {        \
        Function<T, isReuseSource>(dstTensor, srcTensor, calCount, sim::Site::Here());                                \
    }

// A function of one tensor, with a count and for the whole source. `Room` is how the temporary buffer is taken.
#define ASCENDC_SIM_ADV_COUNTED_FORMS(Room, Function, page, ...)                                                       \
    template <typename T, bool isReuseSource = false>                                                                  \
    void Function(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, Room sharedTmpBuffer,              \
                  const uint32_t calCount, sim::Site site = sim::Site::Here()) {                                       \
        ASCENDC_SIM_ADV_DTYPE(Function, page, __VA_ARGS__);                                                            \
        sim::Math(                                                                                                     \
            {#Function, "高阶API/" page, site}, sim::MathOp::k##Function, sim::kDtype<T>,                              \
            {dstTensor.Place(), &srcTensor.Place(), nullptr, 0.0, &sharedTmpBuffer.Place(), calCount, isReuseSource}); \
    }                                                                                                                  \
    ASCENDC_SIM_ADV_POINTED(Function)                                                                                  \
    template <typename T, bool isReuseSource = false>                                                                  \
    void Function(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, const uint32_t calCount,           \
                  sim::Site site = sim::Site::Here()) {                                                                \
        ASCENDC_SIM_ADV_DTYPE(Function, page, __VA_ARGS__);                                                            \
        sim::Math({#Function, "高阶API/" page, site}, sim::MathOp::k##Function, sim::kDtype<T>,                        \
                  {dstTensor.Place(), &srcTensor.Place(), nullptr, 0.0, nullptr, calCount, isReuseSource});            \
    }
#define ASCENDC_SIM_ADV_WHOLE_FORMS(Function, page, ...)                                              \
    template <typename T, bool isReuseSource = false>                                                 \
    void Function(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,                   \
                  const LocalTensor<uint8_t>& sharedTmpBuffer, sim::Site site = sim::Site::Here()) {  \
        Function<T, isReuseSource>(dstTensor, srcTensor, sharedTmpBuffer, srcTensor.GetSize(), site); \
    }                                                                                                 \
    template <typename T, bool isReuseSource = false>                                                 \
    void Function(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,                   \
                  sim::Site site = sim::Site::Here()) {                                               \
        Function<T, isReuseSource>(dstTensor, srcTensor, srcTensor.GetSize(), site);                  \
    }
#define ASCENDC_SIM_ADV_COUNTED(Function, page, ...) \
    ASCENDC_SIM_ADV_COUNTED_FORMS(const LocalTensor<uint8_t>&, Function, page, __VA_ARGS__)
// Digamma alone takes the temporary buffer as a variable.
#define ASCENDC_SIM_ADV_COUNTED_ROOM(Function, page, ...) \
    ASCENDC_SIM_ADV_COUNTED_FORMS(LocalTensor<uint8_t>&, Function, page, __VA_ARGS__)
#define ASCENDC_SIM_ADV_UNARY(Function, page, ...)       \
    ASCENDC_SIM_ADV_COUNTED(Function, page, __VA_ARGS__) \
    ASCENDC_SIM_ADV_WHOLE_FORMS(Function, page, __VA_ARGS__)
// Without sharedTmpBuffer.
#define ASCENDC_SIM_ADV_ROOMLESS(Function, page, ...)                                                  \
    template <typename T, bool isReuseSource = false>                                                  \
    void Function(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, uint32_t calCount, \
                  sim::Site site = sim::Site::Here()) {                                                \
        ASCENDC_SIM_ADV_DTYPE(Function, page, __VA_ARGS__);                                            \
        sim::Math({#Function, "高阶API/" page, site}, sim::MathOp::k##Function, sim::kDtype<T>,        \
                  {dstTensor.Place(), &srcTensor.Place(), nullptr, 0.0, nullptr, calCount});           \
    }                                                                                                  \
    ASCENDC_SIM_ADV_POINTED(Function)                                                                  \
    template <typename T, bool isReuseSource = false>                                                  \
    void Function(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,                    \
                  sim::Site site = sim::Site::Here()) {                                                \
        Function<T>(dstTensor, srcTensor, srcTensor.GetSize(), site);                                  \
    }
// With a scalar.
#define ASCENDC_SIM_ADV_CLAMP(Function, page, ...)                                                                     \
    template <typename T, bool isReuseSource = false>                                                                  \
    void Function(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,                                    \
                  const LocalTensor<uint8_t>& sharedTmpBuffer, const T scalar, const uint32_t calCount,                \
                  sim::Site site = sim::Site::Here()) {                                                                \
        ASCENDC_SIM_ADV_DTYPE(Function, page, __VA_ARGS__);                                                            \
        sim::Math({#Function, "高阶API/" page, site}, sim::MathOp::k##Function, sim::kDtype<T>,                        \
                  {dstTensor.Place(), &srcTensor.Place(), nullptr, sim::ScalarValue(scalar), &sharedTmpBuffer.Place(), \
                   calCount});                                                                                         \
    }                                                                                                                  \
    template <typename T, bool isReuseSource = false>                                                                  \
    void Function(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, const T scalar,                    \
                  const uint32_t calCount, sim::Site site = sim::Site::Here()) {                                       \
        ASCENDC_SIM_ADV_DTYPE(Function, page, __VA_ARGS__);                                                            \
        sim::Math({#Function, "高阶API/" page, site}, sim::MathOp::k##Function, sim::kDtype<T>,                        \
                  {dstTensor.Place(), &srcTensor.Place(), nullptr, sim::ScalarValue(scalar), nullptr, calCount});      \
    }
// Of two tensors.
#define ASCENDC_SIM_ADV_PAIR_COUNTED(Function, page, ...)                                                              \
    template <typename T, bool isReuseSource = false>                                                                  \
    void Function(const LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor, const LocalTensor<T>& src1Tensor, \
                  const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t calCount,                                \
                  sim::Site site = sim::Site::Here()) {                                                                \
        ASCENDC_SIM_ADV_DTYPE(Function, page, __VA_ARGS__);                                                            \
        sim::Math(                                                                                                     \
            {#Function, "高阶API/" page, site}, sim::MathOp::k##Function, sim::kDtype<T>,                              \
            {dstTensor.Place(), &src0Tensor.Place(), &src1Tensor.Place(), 0.0, &sharedTmpBuffer.Place(), calCount});   \
    }                                                                                                                  \
    template <typename T, bool isReuseSource = false>                                                                  \
    void Function(const LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor, const LocalTensor<T>& src1Tensor, \
                  const uint32_t calCount, sim::Site site = sim::Site::Here()) {                                       \
        ASCENDC_SIM_ADV_DTYPE(Function, page, __VA_ARGS__);                                                            \
        sim::Math({#Function, "高阶API/" page, site}, sim::MathOp::k##Function, sim::kDtype<T>,                        \
                  {dstTensor.Place(), &src0Tensor.Place(), &src1Tensor.Place(), 0.0, nullptr, calCount});              \
    }
#define ASCENDC_SIM_ADV_PAIR(Function, page, ...)                                                                      \
    ASCENDC_SIM_ADV_PAIR_COUNTED(Function, page, __VA_ARGS__)                                                          \
    template <typename T, bool isReuseSource = false>                                                                  \
    void Function(const LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor, const LocalTensor<T>& src1Tensor, \
                  const LocalTensor<uint8_t>& sharedTmpBuffer, sim::Site site = sim::Site::Here()) {                   \
        Function<T>(dstTensor, src0Tensor, src1Tensor, sharedTmpBuffer, src0Tensor.GetSize(), site);                   \
    }                                                                                                                  \
    template <typename T, bool isReuseSource = false>                                                                  \
    void Function(const LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor, const LocalTensor<T>& src1Tensor, \
                  sim::Site site = sim::Site::Here()) {                                                                \
        Function<T>(dstTensor, src0Tensor, src1Tensor, src0Tensor.GetSize(), site);                                    \
    }

namespace AscendC {

// Algorithms that the functions of later products choose from by a template argument. Those of Atlas A2 and A3 and of
// the inference products have one each and take no such argument; the types are there on all.
enum class AtanAlgo { TAYLOR_EXPANSION = 0, POLYNOMIAL_APPROXIMATION };
struct AtanConfig {
    AtanAlgo algo = AtanAlgo::TAYLOR_EXPANSION;
};
inline constexpr AtanConfig defaultAtanConfig = {AtanAlgo::TAYLOR_EXPANSION};
enum class CosAlgo { POLYNOMIAL_APPROXIMATION = 0, RADIAN_REDUCTION };
struct CosConfig {
    CosAlgo algo = CosAlgo::POLYNOMIAL_APPROXIMATION;
};
inline constexpr CosConfig defaultCosConfig;
enum class ErfAlgo { PADE_APPROXIMATION = 0, SUBSECTION_POLYNOMIAL_APPROXIMATION };
struct ErfConfig {
    ErfAlgo algo = ErfAlgo::PADE_APPROXIMATION;
};
inline constexpr ErfConfig defaultErfConfig = {ErfAlgo::PADE_APPROXIMATION};
enum class SinAlgo { POLYNOMIAL_APPROXIMATION = 0, RADIAN_REDUCTION };
struct SinConfig {
    SinAlgo algo = SinAlgo::POLYNOMIAL_APPROXIMATION;
};
inline constexpr SinConfig defaultSinConfig;
enum class TanhAlgo { INTRINSIC = 0, SUBSECTION_COMPENSATION };
struct TanhConfig {
    TanhAlgo algo = TanhAlgo::INTRINSIC;
};
inline constexpr TanhConfig DEFAULT_TANH_CONFIG = {TanhAlgo::INTRINSIC};
enum class FmodAlgo { NORMAL = 0, ITERATION_COMPENSATION };
struct FmodConfig {
    FmodAlgo algo = FmodAlgo::NORMAL;
    uint32_t iterationNum = 11;
};
inline constexpr FmodConfig DEFAULT_FMOD_CONFIG = {FmodAlgo::NORMAL, 11};
enum class PowerAlgo { INTRINSIC = 0, DOUBLE_FLOAT_TECH };
struct PowerConfig {
    PowerAlgo algo = PowerAlgo::INTRINSIC;
};
inline constexpr PowerConfig defaultPowerConfig = {PowerAlgo::INTRINSIC};

ASCENDC_SIM_ADV_UNARY(Acosh, "数学计算/Acosh接口/Acosh", sim::A2<half, float>, sim::M200<half, float>)
ASCENDC_SIM_ADV_UNARY(Acos, "数学计算/Acos接口/Acos", sim::A2<half, float>, sim::M200<half, float>)
ASCENDC_SIM_ADV_UNARY(Asinh, "数学计算/Asinh接口/Asinh", sim::A2<half, float>, sim::M200<half, float>)
ASCENDC_SIM_ADV_UNARY(Asin, "数学计算/Asin接口/Asin", sim::A2<half, float>, sim::M200<half, float>)
ASCENDC_SIM_ADV_UNARY(Atanh, "数学计算/Atanh接口/Atanh", sim::A2<half, float>, sim::M200<half, float>)
ASCENDC_SIM_ADV_UNARY(Cosh, "数学计算/Cosh接口/Cosh", sim::A2<half, float>, sim::M200<half, float>)
ASCENDC_SIM_ADV_UNARY(Erfc, "数学计算/Erfc接口/Erfc", sim::A2<half, float>, sim::M200<half, float>)
ASCENDC_SIM_ADV_UNARY(Frac, "数学计算/Frac接口/Frac", sim::A2<half, float>, sim::M200<half, float>)
ASCENDC_SIM_ADV_UNARY(Log2, "数学计算/Log接口/Log-79", sim::A2<half, float>, sim::M200<half, float>)
ASCENDC_SIM_ADV_UNARY(Sign, "数学计算/Sign接口/Sign", sim::A2<half, float>, sim::M200<half, float>)
ASCENDC_SIM_ADV_UNARY(Sinh, "数学计算/Sinh接口/Sinh", sim::A2<half, float>, sim::M200<half, float>)
ASCENDC_SIM_ADV_UNARY(Tan, "数学计算/Tan接口/Tan", sim::A2<half, float>, sim::M200<half, float>)
ASCENDC_SIM_ADV_UNARY(Trunc, "数学计算/Trunc接口/Trunc", sim::A2<half, float>, sim::M200<half, float>)
ASCENDC_SIM_ADV_UNARY(Atan, "数学计算/Atan接口/Atan", sim::A2<half, float>, sim::M200<half, float>)
ASCENDC_SIM_ADV_UNARY(Cos, "数学计算/Cos接口/Cos", sim::A2<half, float>, sim::M200<half, float>)
ASCENDC_SIM_ADV_UNARY(Erf, "数学计算/Erf接口/Erf", sim::A2<half, float>, sim::M200<half, float>)
ASCENDC_SIM_ADV_UNARY(Sin, "数学计算/Sin接口/Sin", sim::A2<half, float>, sim::M200<half, float>)
ASCENDC_SIM_ADV_UNARY(Tanh, "数学计算/Tanh接口/Tanh", sim::A2<half, float>, sim::M200<half, float>)
ASCENDC_SIM_ADV_COUNTED(Ceil, "数学计算/Ceil接口/Ceil", sim::A2<half, float>, sim::M200<half, float>)
ASCENDC_SIM_ADV_COUNTED_ROOM(Digamma, "数学计算/Digamma接口/Digamma", sim::A2<half, float>, sim::M200<half, float>)
ASCENDC_SIM_ADV_COUNTED(Floor, "数学计算/Floor接口/Floor", sim::A2<half, float>, sim::M200<half, float>)
ASCENDC_SIM_ADV_COUNTED(Lgamma, "数学计算/Lgamma接口/Lgamma", sim::A2<half, float>, sim::M200<half, float>)
ASCENDC_SIM_ADV_COUNTED(Round, "数学计算/Round接口/Round", sim::A2<half, float>, sim::M200<half, float>)
ASCENDC_SIM_ADV_ROOMLESS(Log, "数学计算/Log接口/Log-79", sim::A2<half, float>, sim::M200<half, float>)
ASCENDC_SIM_ADV_ROOMLESS(Log10, "数学计算/Log接口/Log-79", sim::A2<half, float>, sim::M200<half, float>)
ASCENDC_SIM_ADV_CLAMP(ClampMax, "数学计算/Clamp接口/ClampMax", sim::A2<half, float>, sim::M200<half, float>)
ASCENDC_SIM_ADV_CLAMP(ClampMin, "数学计算/Clamp接口/ClampMin", sim::A2<half, float>, sim::M200<half, float>)
ASCENDC_SIM_ADV_PAIR(Fmod, "数学计算/Fmod接口/Fmod", sim::A2<half, float>, sim::M200<half, float>)
ASCENDC_SIM_ADV_PAIR(Xor, "数学计算/Xor接口/Xor-82", sim::A2<int16_t, uint16_t>, sim::M200<int16_t, uint16_t>)
ASCENDC_SIM_ADV_PAIR(Power, "数学计算/Power接口/Power", sim::A2<half, float, int32_t>, sim::M200<half, float, int32_t>)

// A tensor to the power of a scalar, and a scalar to the power of a tensor.
template <typename T, bool isReuseSource = false>
void Power(const LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor, const T& src1Scalar,
           const LocalTensor<uint8_t>& sharedTmpBuffer, uint32_t calCount, sim::Site site = sim::Site::Here()) {
    ASCENDC_SIM_ADV_DTYPE(Power, "数学计算/Power接口/Power", sim::A2<half, float, int32_t>,
                          sim::M200<half, float, int32_t>);
    sim::Math({"Power", "高阶API/数学计算/Power接口/Power", site}, sim::MathOp::kPower, sim::kDtype<T>,
              {dstTensor.Place(), &src0Tensor.Place(), nullptr, sim::ScalarValue(src1Scalar), &sharedTmpBuffer.Place(),
               calCount});
}
template <typename T, bool isReuseSource = false>
void Power(const LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor, const T& src1Scalar,
           const LocalTensor<uint8_t>& sharedTmpBuffer, sim::Site site = sim::Site::Here()) {
    Power<T>(dstTensor, src0Tensor, src1Scalar, sharedTmpBuffer, src0Tensor.GetSize(), site);
}
template <typename T, bool isReuseSource = false>
void Power(const LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor, const T& src1Scalar, uint32_t calCount,
           sim::Site site = sim::Site::Here()) {
    ASCENDC_SIM_ADV_DTYPE(Power, "数学计算/Power接口/Power", sim::A2<half, float, int32_t>,
                          sim::M200<half, float, int32_t>);
    sim::Math({"Power", "高阶API/数学计算/Power接口/Power", site}, sim::MathOp::kPower, sim::kDtype<T>,
              {dstTensor.Place(), &src0Tensor.Place(), nullptr, sim::ScalarValue(src1Scalar), nullptr, calCount});
}
template <typename T, bool isReuseSource = false>
void Power(const LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor, const T& src1Scalar,
           sim::Site site = sim::Site::Here()) {
    Power<T>(dstTensor, src0Tensor, src1Scalar, src0Tensor.GetSize(), site);
}
template <typename T, bool isReuseSource = false>
void Power(const LocalTensor<T>& dstTensor, const T& src0Scalar, const LocalTensor<T>& src1Tensor,
           const LocalTensor<uint8_t>& sharedTmpBuffer, uint32_t calCount, sim::Site site = sim::Site::Here()) {
    ASCENDC_SIM_ADV_DTYPE(Power, "数学计算/Power接口/Power", sim::A2<half, float, int32_t>,
                          sim::M200<half, float, int32_t>);
    sim::Math({"Power", "高阶API/数学计算/Power接口/Power", site}, sim::MathOp::kPower, sim::kDtype<T>,
              {dstTensor.Place(), nullptr, &src1Tensor.Place(), sim::ScalarValue(src0Scalar), &sharedTmpBuffer.Place(),
               calCount});
}
template <typename T, bool isReuseSource = false>
void Power(const LocalTensor<T>& dstTensor, const T& src0Scalar, const LocalTensor<T>& src1Tensor,
           const LocalTensor<uint8_t>& sharedTmpBuffer, sim::Site site = sim::Site::Here()) {
    Power<T>(dstTensor, src0Scalar, src1Tensor, sharedTmpBuffer, src1Tensor.GetSize(), site);
}
template <typename T, bool isReuseSource = false>
void Power(const LocalTensor<T>& dstTensor, const T& src0Scalar, const LocalTensor<T>& src1Tensor, uint32_t calCount,
           sim::Site site = sim::Site::Here()) {
    ASCENDC_SIM_ADV_DTYPE(Power, "数学计算/Power接口/Power", sim::A2<half, float, int32_t>,
                          sim::M200<half, float, int32_t>);
    sim::Math({"Power", "高阶API/数学计算/Power接口/Power", site}, sim::MathOp::kPower, sim::kDtype<T>,
              {dstTensor.Place(), nullptr, &src1Tensor.Place(), sim::ScalarValue(src0Scalar), nullptr, calCount});
}
template <typename T, bool isReuseSource = false>
void Power(const LocalTensor<T>& dstTensor, const T& src0Scalar, const LocalTensor<T>& src1Tensor,
           sim::Site site = sim::Site::Here()) {
    Power<T>(dstTensor, src0Scalar, src1Tensor, src1Tensor.GetSize(), site);
}

// e^x, by the first taylorExpandLevel + 1 terms of its series above the integer part, or as it is for level 0.
template <typename T, uint8_t taylorExpandLevel, bool isReuseSource = false>
void Exp(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal, const LocalTensor<uint8_t>& sharedTmpBuffer,
         const uint32_t calCount, sim::Site site = sim::Site::Here()) {
    ASCENDC_SIM_ADV_DTYPE(Exp, "数学计算/Exp接口/Exp-81", sim::A2<half, float>, sim::M200<>);
    sim::Math({"Exp", "高阶API/数学计算/Exp接口/Exp-81", site}, sim::MathOp::kExp, sim::kDtype<T>,
              {dstLocal.Place(), &srcLocal.Place(), nullptr, static_cast<double>(taylorExpandLevel),
               &sharedTmpBuffer.Place(), calCount, isReuseSource});
}
template <typename T, uint8_t taylorExpandLevel, bool isReuseSource = false>
void Exp(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal, const uint32_t calCount,
         sim::Site site = sim::Site::Here()) {
    ASCENDC_SIM_ADV_DTYPE(Exp, "数学计算/Exp接口/Exp-81", sim::A2<half, float>, sim::M200<>);
    sim::Math({"Exp", "高阶API/数学计算/Exp接口/Exp-81", site}, sim::MathOp::kExp, sim::kDtype<T>,
              {dstLocal.Place(), &srcLocal.Place(), nullptr, static_cast<double>(taylorExpandLevel), nullptr, calCount,
               isReuseSource});
}

// dst += scalar * src, by a product and a sum.
template <typename T, typename U, bool isReuseSource = false>
void Axpy(const LocalTensor<T>& dstTensor, const LocalTensor<U>& srcTensor, const U scalarValue,
          const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t calCount, sim::Site site = sim::Site::Here()) {
    static_assert(sim::kOneOf<T, half, float> && (std::is_same<T, U>::value || sim::kOneOf<U, half>),
                  "Axpy: the data types are not half to half, float to float or half to float "
                  "(高阶API/数学计算/Axpy接口/Axpy-80)");
    sim::AxpyInTwoSteps({"Axpy", "高阶API/数学计算/Axpy接口/Axpy-80", site}, sim::kDtype<T>, sim::kDtype<U>,
                        dstTensor.Place(), srcTensor.Place(), sim::ScalarBits(scalarValue), sharedTmpBuffer.Place(),
                        calCount);
}

}  // namespace AscendC

#endif
