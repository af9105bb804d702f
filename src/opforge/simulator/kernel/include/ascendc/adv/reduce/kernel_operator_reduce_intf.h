// Reductions of matrices: Sum and Mean of rows, Reduce* of rows (AR) or columns (RA).
// Documentation: SIMD-API/高阶API/归约操作
#ifndef ASCENDC_ADV_REDUCE_KERNEL_OPERATOR_REDUCE_INTF_H
#define ASCENDC_ADV_REDUCE_KERNEL_OPERATOR_REDUCE_INTF_H

#ifndef ASCENDC_SIM_PUBLIC_HEADER
#define ASCENDC_SIM_PUBLIC_HEADER
#endif
#include "../../kernel_tensor.h"
#include "../../sim/adv.h"

// One of the reductions of a pattern; srcShape is that of the source, whose rows are padded to 32 bytes.
#define ASCENDC_SIM_ADV_REDUCE(Function, page, value, ...)                                                            \
    template <class T, class pattern, bool isReuseSource = false>                                                     \
    void Function(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,                                   \
                  const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t srcShape[], bool srcInnerPad,           \
                  sim::Site site = sim::Site::Here()) {                                                               \
        ASCENDC_SIM_ADV_DTYPE(Function, page, __VA_ARGS__);                                                           \
        sim::ReduceMatrix({#Function, "高阶API/" page, site},                                                         \
                          sim::ReduceOf<T, pattern, isReuseSource>(value, dstTensor.Place(), srcTensor.Place(),       \
                                                                   &sharedTmpBuffer.Place(), srcShape, srcInnerPad)); \
    }                                                                                                                 \
    template <class T, class pattern, bool isReuseSource = false>                                                     \
    void Function(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, const uint32_t srcShape[],        \
                  bool srcInnerPad, sim::Site site = sim::Site::Here()) {                                             \
        ASCENDC_SIM_ADV_DTYPE(Function, page, __VA_ARGS__);                                                           \
        sim::ReduceMatrix({#Function, "高阶API/" page, site},                                                         \
                          sim::ReduceOf<T, pattern, isReuseSource>(value, dstTensor.Place(), srcTensor.Place(),       \
                                                                   nullptr, srcShape, srcInnerPad));                  \
    }

namespace AscendC {
namespace Pattern {
namespace Reduce {

struct AR {};
struct RA {};

}  // namespace Reduce
}  // namespace Pattern
}  // namespace AscendC

namespace sim {

template <typename T, typename Pattern, bool reuse>
ReduceOperands ReduceOf(AdvReduceOp op, const Ub& dst, const Ub& src, const Ub* room, const uint32_t* shape,
                        bool padded) {
    constexpr bool kColumns = std::is_same<Pattern, AscendC::Pattern::Reduce::RA>::value;
    static_assert(kColumns || std::is_same<Pattern, AscendC::Pattern::Reduce::AR>::value,
                  "Reduce: the pattern is not AR or RA (高阶API/归约操作)");
    const uint64_t block = 32 / sizeof(T);
    // without padding the rows lie as they are, and the engine asks whether they are whole blocks
    const uint64_t stride = padded ? (shape[1] + block - 1) / block * block : shape[1];
    return {op, kDtype<T>, kColumns, shape[0], shape[1], stride, dst, src, room, reuse};
}

}  // namespace sim

namespace AscendC {

struct SumParams {
    uint32_t outter = 1;
    uint32_t inner;
    uint32_t n;
};
struct MeanParams {
    uint32_t outter = 1;
    uint32_t inner;
    uint32_t n;
};

ASCENDC_SIM_ADV_REDUCE(ReduceSum, "归约操作/ReduceSum接口/ReduceSum-90", sim::AdvReduceOp::kSum, sim::A2<float>,
                       sim::M200<>)
ASCENDC_SIM_ADV_REDUCE(ReduceMean, "归约操作/ReduceMean接口/ReduceMean", sim::AdvReduceOp::kMean, sim::A2<float>,
                       sim::M200<>)
ASCENDC_SIM_ADV_REDUCE(ReduceProd, "归约操作/ReduceProd接口/ReduceProd", sim::AdvReduceOp::kProd, sim::A2<float>,
                       sim::M200<>)
ASCENDC_SIM_ADV_REDUCE(ReduceMax, "归约操作/ReduceMax接口/ReduceMax-91", sim::AdvReduceOp::kMax, sim::A2<half, float>,
                       sim::M200<>)
ASCENDC_SIM_ADV_REDUCE(ReduceMin, "归约操作/ReduceMin接口/ReduceMin-92", sim::AdvReduceOp::kMin, sim::A2<half, float>,
                       sim::M200<>)
ASCENDC_SIM_ADV_REDUCE(ReduceAll, "归约操作/ReduceAll接口/ReduceAll", sim::AdvReduceOp::kAll, sim::A2<uint8_t, float>,
                       sim::M200<>)
ASCENDC_SIM_ADV_REDUCE(ReduceAny, "归约操作/ReduceAny接口/ReduceAny", sim::AdvReduceOp::kAny, sim::A2<uint8_t, float>,
                       sim::M200<>)

template <typename T, int32_t reduceDim = -1, bool isReuseSource = false, bool isBasicBlock = false>
void Sum(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, const LocalTensor<uint8_t>& sharedTmpBuffer,
         const SumParams& sumParams, sim::Site site = sim::Site::Here()) {
    ASCENDC_SIM_ADV_DTYPE(Sum, "归约操作/Sum接口/Sum", sim::A2<half, float>, sim::M200<half, float>);
    sim::ReduceMatrix({"Sum", "高阶API/归约操作/Sum接口/Sum", site},
                      {sim::AdvReduceOp::kSum, sim::kDtype<T>, false, sumParams.outter, sumParams.n, sumParams.inner,
                       dstTensor.Place(), srcTensor.Place(), &sharedTmpBuffer.Place()});
}
template <typename T, int32_t reduceDim = -1, bool isReuseSource = false, bool isBasicBlock = false>
void Sum(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, const SumParams& sumParams,
         sim::Site site = sim::Site::Here()) {
    ASCENDC_SIM_ADV_DTYPE(Sum, "归约操作/Sum接口/Sum", sim::A2<half, float>, sim::M200<half, float>);
    sim::ReduceMatrix({"Sum", "高阶API/归约操作/Sum接口/Sum", site},
                      {sim::AdvReduceOp::kSum, sim::kDtype<T>, false, sumParams.outter, sumParams.n, sumParams.inner,
                       dstTensor.Place(), srcTensor.Place(), nullptr});
}
template <typename T, typename accType = T, bool isReuseSource = false, bool isBasicBlock = false,
          int32_t reduceDim = -1>
void Mean(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, const LocalTensor<uint8_t>& sharedTmpBuffer,
          const MeanParams& meanParams, sim::Site site = sim::Site::Here()) {
    ASCENDC_SIM_ADV_DTYPE(Mean, "归约操作/Mean接口/Mean", sim::A2<half, float>, sim::M200<half, float>);
    sim::ReduceMatrix({"Mean", "高阶API/归约操作/Mean接口/Mean", site},
                      {sim::AdvReduceOp::kMean, sim::kDtype<T>, false, meanParams.outter, meanParams.n,
                       meanParams.inner, dstTensor.Place(), srcTensor.Place(), &sharedTmpBuffer.Place()});
}
template <typename T, typename accType = T, bool isReuseSource = false, bool isBasicBlock = false,
          int32_t reduceDim = -1>
void Mean(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, const MeanParams& meanParams,
          sim::Site site = sim::Site::Here()) {
    ASCENDC_SIM_ADV_DTYPE(Mean, "归约操作/Mean接口/Mean", sim::A2<half, float>, sim::M200<half, float>);
    sim::ReduceMatrix({"Mean", "高阶API/归约操作/Mean接口/Mean", site},
                      {sim::AdvReduceOp::kMean, sim::kDtype<T>, false, meanParams.outter, meanParams.n,
                       meanParams.inner, dstTensor.Place(), srcTensor.Place(), nullptr});
}
template <typename T, bool isReuseSource = false>
void ReduceXorSum(LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor, const LocalTensor<T>& src1Tensor,
                  LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t calCount, sim::Site site = sim::Site::Here()) {
    ASCENDC_SIM_ADV_DTYPE(ReduceXorSum, "归约操作/ReduceXorSum接口/ReduceXorSum", sim::A2<int16_t>, sim::M200<int16_t>);
    sim::ReduceXor({"ReduceXorSum", "高阶API/归约操作/ReduceXorSum接口/ReduceXorSum", site}, dstTensor.Place(),
                   src0Tensor.Place(), src1Tensor.Place(), &sharedTmpBuffer.Place(), calCount);
}
template <typename T, bool isReuseSource = false>
void ReduceXorSum(LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor, const LocalTensor<T>& src1Tensor,
                  const uint32_t calCount, sim::Site site = sim::Site::Here()) {
    ASCENDC_SIM_ADV_DTYPE(ReduceXorSum, "归约操作/ReduceXorSum接口/ReduceXorSum", sim::A2<int16_t>, sim::M200<int16_t>);
    sim::ReduceXor({"ReduceXorSum", "高阶API/归约操作/ReduceXorSum接口/ReduceXorSum", site}, dstTensor.Place(),
                   src0Tensor.Place(), src1Tensor.Place(), nullptr, calCount);
}

enum class CumSumAlgorithm { CUMSUM_ALGORITHM_LINEBYLINE = 0, CUMSUM_ALGORITHM_SKLANSKY = 1 };
struct CumSumConfig {
    bool isLastAxis{true};
    bool isReuseSource{false};
    bool outputLastRow{false};
    CumSumAlgorithm algorithm{CumSumAlgorithm::CUMSUM_ALGORITHM_LINEBYLINE};
};
inline constexpr CumSumConfig defaultCumSumConfig = {true, false, true};
struct CumSumInfo {
    uint32_t outter{0};
    uint32_t inner{0};
};

template <typename T, const CumSumConfig& config = defaultCumSumConfig>
void CumSum(LocalTensor<T>& dstTensor, LocalTensor<T>& lastRowTensor, const LocalTensor<T>& srcTensor,
            LocalTensor<uint8_t>& sharedTmpBuffer, const CumSumInfo& cumSumInfo, sim::Site site = sim::Site::Here()) {
    ASCENDC_SIM_ADV_DTYPE(CumSum, "数学计算/CumSum接口/CumSum", sim::A2<half, float>, sim::M200<half, float>);
    sim::CumulativeSum({"CumSum", "高阶API/数学计算/CumSum接口/CumSum", site}, sim::kDtype<T>, config.isLastAxis,
                       dstTensor.Place(), config.outputLastRow ? &lastRowTensor.Place() : nullptr, srcTensor.Place(),
                       &sharedTmpBuffer.Place(), cumSumInfo.outter, cumSumInfo.inner);
}
template <typename T, const CumSumConfig& config = defaultCumSumConfig>
void CumSum(LocalTensor<T>& dstTensor, LocalTensor<T>& lastRowTensor, const LocalTensor<T>& srcTensor,
            const CumSumInfo& cumSumInfo, sim::Site site = sim::Site::Here()) {
    ASCENDC_SIM_ADV_DTYPE(CumSum, "数学计算/CumSum接口/CumSum", sim::A2<half, float>, sim::M200<half, float>);
    sim::CumulativeSum({"CumSum", "高阶API/数学计算/CumSum接口/CumSum", site}, sim::kDtype<T>, config.isLastAxis,
                       dstTensor.Place(), config.outputLastRow ? &lastRowTensor.Place() : nullptr, srcTensor.Place(),
                       nullptr, cumSumInfo.outter, cumSumInfo.inner);
}

}  // namespace AscendC

#endif
