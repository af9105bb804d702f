// Softmax and its relatives. Tensors have the shape [m, k] of SoftMaxShapeInfo, or of the tiling where that is empty.
// Documentation: SIMD-API/高阶API/激活函数/SoftMax接口, LogSoftMax接口
#ifndef ASCENDC_ADV_ACTIVATION_KERNEL_OPERATOR_SOFTMAX_INTF_H
#define ASCENDC_ADV_ACTIVATION_KERNEL_OPERATOR_SOFTMAX_INTF_H

#ifndef ASCENDC_SIM_PUBLIC_HEADER
#define ASCENDC_SIM_PUBLIC_HEADER
#endif
#include "../../kernel_tensor.h"
#include "../../sim/adv.h"
#include "../../../kernel_tiling/kernel_tiling.h"

namespace AscendC {

struct SoftMaxShapeInfo {
    uint32_t srcM = 0;
    uint32_t srcK = 0;
    uint32_t oriSrcM = 0;
    uint32_t oriSrcK = 0;
};
enum class SoftmaxMode { SOFTMAX_NORMAL = 0, SOFTMAX_OUTPUT_WITHOUT_BRC = 1 };
struct SoftmaxConfig {
    constexpr SoftmaxConfig(bool checkTiling) : isCheckTiling(checkTiling) {}
    constexpr SoftmaxConfig(bool checkTiling, uint32_t m, uint32_t k)
        : isCheckTiling(checkTiling), oriSrcM(m), oriSrcK(k) {}
    constexpr SoftmaxConfig(bool checkTiling, uint32_t m, uint32_t k, SoftmaxMode softmaxMode)
        : isCheckTiling(checkTiling), oriSrcM(m), oriSrcK(k), mode(softmaxMode) {}

    bool isCheckTiling = true;
    uint32_t oriSrcM = 0;
    uint32_t oriSrcK = 0;
    SoftmaxMode mode = SoftmaxMode::SOFTMAX_NORMAL;
};
constexpr SoftmaxConfig SOFTMAX_DEFAULT_CFG = {true, 0, 0, SoftmaxMode::SOFTMAX_NORMAL};

}  // namespace AscendC

namespace sim {

// What all functions have in common. The shape: of the call, or where it has none, of the tiling; config's constants
// stand for the used part. Forms without sharedTmpBuffer have null for `room`.
template <typename T, typename Tiling>
SoftmaxOperands SoftmaxOf(SoftmaxOp op, Dtype reduced, const AscendC::LocalTensor<T>& dst,
                          const AscendC::LocalTensor<T>& src, const Ub* room, const Tiling& tiling,
                          const AscendC::SoftMaxShapeInfo& info, const AscendC::SoftmaxConfig& config, bool basic) {
    const bool said = info.srcM != 0 && info.srcK != 0;
    SoftmaxOperands x{};
    x.op = op;
    x.type = kDtype<T>;
    x.reduced = reduced;
    x.basic = basic && config.oriSrcM == 0;
    x.m = said ? info.srcM : tiling.srcM;
    x.k = said ? info.srcK : tiling.srcK;
    x.usedM = config.oriSrcM != 0 ? config.oriSrcM : (said && info.oriSrcM != 0 ? info.oriSrcM : x.m);
    x.usedK = config.oriSrcK != 0 ? config.oriSrcK : (said && info.oriSrcK != 0 ? info.oriSrcK : x.k);
    x.alone = config.mode == AscendC::SoftmaxMode::SOFTMAX_OUTPUT_WITHOUT_BRC;
    x.dst = dst.Place();
    x.src = src.Place();
    x.room = room;
    return x;
}

// SoftmaxFlash and SoftmaxFlashV2, whose statistics go on from those of the blocks before.
template <typename T, typename U>
void SoftmaxOfBlocks(const VectorCall& call, SoftmaxOperands x, bool update, const AscendC::LocalTensor<U>& sum,
                     const AscendC::LocalTensor<U>& max, const AscendC::LocalTensor<T>& expMax,
                     const AscendC::LocalTensor<U>& inSum, const AscendC::LocalTensor<U>& inMax) {
    x.update = update;
    x.sum = &sum.Place();
    x.max = &max.Place();
    x.expMax = &expMax.Place();
    x.inSum = &inSum.Place();
    x.inMax = &inMax.Place();
    Softmax(call, x);
}

}  // namespace sim

#define ASCENDC_SIM_SOFTMAX_ND(Function) \
    static_assert(!isDataFormatNZ,       \
                  #Function ": tensors in the NZ format are not simulated (高阶API/激活函数/SoftMax接口)")

namespace AscendC {

template <typename T, bool isReuseSource = false, bool isBasicBlock = false, bool isDataFormatNZ = false,
          const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>
void SoftMax(const LocalTensor<T>& dstTensor, const LocalTensor<T>& sumTensor, const LocalTensor<T>& maxTensor,
             const LocalTensor<T>& srcTensor, const SoftMaxTiling& tiling,
             const SoftMaxShapeInfo& softmaxShapeInfo = {}, sim::Site site = sim::Site::Here()) {
    ASCENDC_SIM_SOFTMAX_ND(SoftMax);
    ASCENDC_SIM_ADV_DTYPE(SoftMax, "激活函数/SoftMax接口/SoftMax", sim::A2<half, float>, sim::M200<half, float>);
    sim::SoftmaxOperands x = sim::SoftmaxOf(sim::SoftmaxOp::kSoftMax, sim::kDtype<T>, dstTensor, srcTensor, nullptr,
                                            tiling, softmaxShapeInfo, config, isBasicBlock);
    x.sum = &sumTensor.Place();
    x.max = &maxTensor.Place();
    sim::Softmax({"SoftMax", "高阶API/激活函数/SoftMax接口/SoftMax", site}, x);
}

template <typename T, bool isReuseSource = false, bool isBasicBlock = false, bool isDataFormatNZ = false,
          const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>
void SoftMax(const LocalTensor<half>& dstTensor, const LocalTensor<float>& sumTensor,
             const LocalTensor<float>& maxTensor, const LocalTensor<half>& srcTensor, const SoftMaxTiling& tiling,
             const SoftMaxShapeInfo& softmaxShapeInfo = {}, sim::Site site = sim::Site::Here()) {
    ASCENDC_SIM_SOFTMAX_ND(SoftMax);
    sim::SoftmaxOperands x = sim::SoftmaxOf(sim::SoftmaxOp::kSoftMax, sim::kDtype<float>, dstTensor, srcTensor, nullptr,
                                            tiling, softmaxShapeInfo, config, isBasicBlock);
    x.sum = &sumTensor.Place();
    x.max = &maxTensor.Place();
    sim::Softmax({"SoftMax", "高阶API/激活函数/SoftMax接口/SoftMax", site}, x);
}

template <typename T, bool isReuseSource = false, bool isBasicBlock = false,
          const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>
void SoftMax(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, const SoftMaxTiling& tiling,
             const SoftMaxShapeInfo& softmaxShapeInfo = {}, sim::Site site = sim::Site::Here()) {
    ASCENDC_SIM_ADV_DTYPE(SoftMax, "激活函数/SoftMax接口/SoftMax", sim::A2<half, float>, sim::M200<half, float>);
    sim::SoftmaxOperands x = sim::SoftmaxOf(sim::SoftmaxOp::kSoftMax, sim::kDtype<T>, dstTensor, srcTensor, nullptr,
                                            tiling, softmaxShapeInfo, config, isBasicBlock);
    sim::Softmax({"SoftMax", "高阶API/激活函数/SoftMax接口/SoftMax", site}, x);
}

template <typename T, bool isReuseSource = false, bool isBasicBlock = false, bool isDataFormatNZ = false,
          const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>
void SoftMax(const LocalTensor<T>& dstTensor, const LocalTensor<T>& sumTensor, const LocalTensor<T>& maxTensor,
             const LocalTensor<T>& srcTensor, const LocalTensor<uint8_t>& sharedTmpBuffer, const SoftMaxTiling& tiling,
             const SoftMaxShapeInfo& softmaxShapeInfo = {}, sim::Site site = sim::Site::Here()) {
    ASCENDC_SIM_SOFTMAX_ND(SoftMax);
    ASCENDC_SIM_ADV_DTYPE(SoftMax, "激活函数/SoftMax接口/SoftMax", sim::A2<half, float>, sim::M200<half, float>);
    sim::SoftmaxOperands x = sim::SoftmaxOf(sim::SoftmaxOp::kSoftMax, sim::kDtype<T>, dstTensor, srcTensor,
                                            &sharedTmpBuffer.Place(), tiling, softmaxShapeInfo, config, isBasicBlock);
    x.sum = &sumTensor.Place();
    x.max = &maxTensor.Place();
    sim::Softmax({"SoftMax", "高阶API/激活函数/SoftMax接口/SoftMax", site}, x);
}

template <typename T, bool isReuseSource = false, bool isBasicBlock = false, bool isDataFormatNZ = false,
          const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>
void SoftMax(const LocalTensor<half>& dstTensor, const LocalTensor<float>& sumTensor,
             const LocalTensor<float>& maxTensor, const LocalTensor<half>& srcTensor,
             const LocalTensor<uint8_t>& sharedTmpBuffer, const SoftMaxTiling& tiling,
             const SoftMaxShapeInfo& softmaxShapeInfo = {}, sim::Site site = sim::Site::Here()) {
    ASCENDC_SIM_SOFTMAX_ND(SoftMax);
    sim::SoftmaxOperands x = sim::SoftmaxOf(sim::SoftmaxOp::kSoftMax, sim::kDtype<float>, dstTensor, srcTensor,
                                            &sharedTmpBuffer.Place(), tiling, softmaxShapeInfo, config, isBasicBlock);
    x.sum = &sumTensor.Place();
    x.max = &maxTensor.Place();
    sim::Softmax({"SoftMax", "高阶API/激活函数/SoftMax接口/SoftMax", site}, x);
}

template <typename T, bool isReuseSource = false, bool isBasicBlock = false,
          const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>
void SoftMax(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
             const LocalTensor<uint8_t>& sharedTmpBuffer, const SoftMaxTiling& tiling,
             const SoftMaxShapeInfo& softmaxShapeInfo = {}, sim::Site site = sim::Site::Here()) {
    ASCENDC_SIM_ADV_DTYPE(SoftMax, "激活函数/SoftMax接口/SoftMax", sim::A2<half, float>, sim::M200<half, float>);
    sim::SoftmaxOperands x = sim::SoftmaxOf(sim::SoftmaxOp::kSoftMax, sim::kDtype<T>, dstTensor, srcTensor,
                                            &sharedTmpBuffer.Place(), tiling, softmaxShapeInfo, config, isBasicBlock);
    sim::Softmax({"SoftMax", "高阶API/激活函数/SoftMax接口/SoftMax", site}, x);
}

template <typename T, bool isReuseSource = false, bool isBasicBlock = false, bool isDataFormatNZ = false,
          const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>
void SimpleSoftMax(const LocalTensor<T>& dstTensor, const LocalTensor<T>& inSumTensor,
                   const LocalTensor<T>& inMaxTensor, const LocalTensor<T>& srcTensor, const SoftMaxTiling& tiling,
                   const SoftMaxShapeInfo& softmaxShapeInfo = {}, sim::Site site = sim::Site::Here()) {
    ASCENDC_SIM_SOFTMAX_ND(SimpleSoftMax);
    ASCENDC_SIM_ADV_DTYPE(SimpleSoftMax, "激活函数/SoftMax接口/SimpleSoftMax", sim::A2<half, float>,
                          sim::M200<half, float>);
    sim::SoftmaxOperands x = sim::SoftmaxOf(sim::SoftmaxOp::kSimple, sim::kDtype<T>, dstTensor, srcTensor, nullptr,
                                            tiling, softmaxShapeInfo, config, isBasicBlock);
    x.inSum = &inSumTensor.Place();
    x.inMax = &inMaxTensor.Place();
    sim::Softmax({"SimpleSoftMax", "高阶API/激活函数/SoftMax接口/SimpleSoftMax", site}, x);
}

template <typename T, bool isReuseSource = false, bool isBasicBlock = false, bool isDataFormatNZ = false,
          const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>
void SimpleSoftMax(const LocalTensor<half>& dstTensor, const LocalTensor<float>& inSumTensor,
                   const LocalTensor<float>& inMaxTensor, const LocalTensor<half>& srcTensor,
                   const SoftMaxTiling& tiling, const SoftMaxShapeInfo& softmaxShapeInfo = {},
                   sim::Site site = sim::Site::Here()) {
    ASCENDC_SIM_SOFTMAX_ND(SimpleSoftMax);
    sim::SoftmaxOperands x = sim::SoftmaxOf(sim::SoftmaxOp::kSimple, sim::kDtype<float>, dstTensor, srcTensor, nullptr,
                                            tiling, softmaxShapeInfo, config, isBasicBlock);
    x.inSum = &inSumTensor.Place();
    x.inMax = &inMaxTensor.Place();
    sim::Softmax({"SimpleSoftMax", "高阶API/激活函数/SoftMax接口/SimpleSoftMax", site}, x);
}

template <typename T, bool isReuseSource = false, bool isBasicBlock = false, bool isDataFormatNZ = false,
          const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>
void SimpleSoftMax(const LocalTensor<T>& dstTensor, const LocalTensor<T>& inSumTensor,
                   const LocalTensor<T>& inMaxTensor, const LocalTensor<T>& srcTensor,
                   const LocalTensor<uint8_t>& sharedTmpBuffer, const SoftMaxTiling& tiling,
                   const SoftMaxShapeInfo& softmaxShapeInfo = {}, sim::Site site = sim::Site::Here()) {
    ASCENDC_SIM_SOFTMAX_ND(SimpleSoftMax);
    ASCENDC_SIM_ADV_DTYPE(SimpleSoftMax, "激活函数/SoftMax接口/SimpleSoftMax", sim::A2<half, float>,
                          sim::M200<half, float>);
    sim::SoftmaxOperands x = sim::SoftmaxOf(sim::SoftmaxOp::kSimple, sim::kDtype<T>, dstTensor, srcTensor,
                                            &sharedTmpBuffer.Place(), tiling, softmaxShapeInfo, config, isBasicBlock);
    x.inSum = &inSumTensor.Place();
    x.inMax = &inMaxTensor.Place();
    sim::Softmax({"SimpleSoftMax", "高阶API/激活函数/SoftMax接口/SimpleSoftMax", site}, x);
}

template <typename T, bool isReuseSource = false, bool isBasicBlock = false, bool isDataFormatNZ = false,
          const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>
void SimpleSoftMax(const LocalTensor<half>& dstTensor, const LocalTensor<float>& inSumTensor,
                   const LocalTensor<float>& inMaxTensor, const LocalTensor<half>& srcTensor,
                   const LocalTensor<uint8_t>& sharedTmpBuffer, const SoftMaxTiling& tiling,
                   const SoftMaxShapeInfo& softmaxShapeInfo = {}, sim::Site site = sim::Site::Here()) {
    ASCENDC_SIM_SOFTMAX_ND(SimpleSoftMax);
    sim::SoftmaxOperands x = sim::SoftmaxOf(sim::SoftmaxOp::kSimple, sim::kDtype<float>, dstTensor, srcTensor,
                                            &sharedTmpBuffer.Place(), tiling, softmaxShapeInfo, config, isBasicBlock);
    x.inSum = &inSumTensor.Place();
    x.inMax = &inMaxTensor.Place();
    sim::Softmax({"SimpleSoftMax", "高阶API/激活函数/SoftMax接口/SimpleSoftMax", site}, x);
}

template <typename T, bool isUpdate = false, bool isReuseSource = false, bool isBasicBlock = false,
          bool isDataFormatNZ = false, const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>
void SoftmaxFlashV2(const LocalTensor<T>& dstTensor, const LocalTensor<T>& expSumTensor,
                    const LocalTensor<T>& maxTensor, const LocalTensor<T>& srcTensor,
                    const LocalTensor<T>& expMaxTensor, const LocalTensor<T>& inExpSumTensor,
                    const LocalTensor<T>& inMaxTensor, const SoftMaxTiling& tiling,
                    const SoftMaxShapeInfo& softmaxShapeInfo = {}, sim::Site site = sim::Site::Here()) {
    ASCENDC_SIM_SOFTMAX_ND(SoftmaxFlashV2);
    ASCENDC_SIM_ADV_DTYPE(SoftmaxFlashV2, "激活函数/SoftMax接口/SoftmaxFlashV2", sim::A2<half, float>,
                          sim::M200<half, float>);
    sim::SoftmaxOperands x = sim::SoftmaxOf(sim::SoftmaxOp::kFlashV2, sim::kDtype<T>, dstTensor, srcTensor, nullptr,
                                            tiling, softmaxShapeInfo, config, isBasicBlock);
    sim::SoftmaxOfBlocks({"SoftmaxFlashV2", "高阶API/激活函数/SoftMax接口/SoftmaxFlashV2", site}, x, isUpdate,
                         expSumTensor, maxTensor, expMaxTensor, inExpSumTensor, inMaxTensor);
}

template <typename T, bool isUpdate = false, bool isReuseSource = false, bool isBasicBlock = false,
          bool isDataFormatNZ = false, const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>
void SoftmaxFlashV2(const LocalTensor<half>& dstTensor, const LocalTensor<float>& expSumTensor,
                    const LocalTensor<float>& maxTensor, const LocalTensor<half>& srcTensor,
                    const LocalTensor<half>& expMaxTensor, const LocalTensor<float>& inExpSumTensor,
                    const LocalTensor<float>& inMaxTensor, const SoftMaxTiling& tiling,
                    const SoftMaxShapeInfo& softmaxShapeInfo = {}, sim::Site site = sim::Site::Here()) {
    ASCENDC_SIM_SOFTMAX_ND(SoftmaxFlashV2);
    sim::SoftmaxOperands x = sim::SoftmaxOf(sim::SoftmaxOp::kFlashV2, sim::kDtype<float>, dstTensor, srcTensor, nullptr,
                                            tiling, softmaxShapeInfo, config, isBasicBlock);
    sim::SoftmaxOfBlocks({"SoftmaxFlashV2", "高阶API/激活函数/SoftMax接口/SoftmaxFlashV2", site}, x, isUpdate,
                         expSumTensor, maxTensor, expMaxTensor, inExpSumTensor, inMaxTensor);
}

template <typename T, bool isUpdate = false, bool isReuseSource = false, bool isBasicBlock = false,
          bool isDataFormatNZ = false, const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>
void SoftmaxFlashV2(const LocalTensor<T>& dstTensor, const LocalTensor<T>& outReduceMax,
                    const LocalTensor<T>& expSumTensor, const LocalTensor<T>& maxTensor,
                    const LocalTensor<T>& srcTensor, const LocalTensor<T>& expMaxTensor,
                    const LocalTensor<T>& inExpSumTensor, const LocalTensor<T>& inMaxTensor,
                    const SoftMaxTiling& tiling, const SoftMaxShapeInfo& softmaxShapeInfo = {},
                    sim::Site site = sim::Site::Here()) {
    ASCENDC_SIM_SOFTMAX_ND(SoftmaxFlashV2);
    ASCENDC_SIM_ADV_DTYPE(SoftmaxFlashV2, "激活函数/SoftMax接口/SoftmaxFlashV2", sim::A2<half, float>,
                          sim::M200<half, float>);
    sim::SoftmaxOperands x = sim::SoftmaxOf(sim::SoftmaxOp::kFlashV2, sim::kDtype<T>, dstTensor, srcTensor, nullptr,
                                            tiling, softmaxShapeInfo, config, isBasicBlock);
    static_assert(!sim::kOnM200 && config.mode == SoftmaxMode::SOFTMAX_OUTPUT_WITHOUT_BRC,
                  "SoftmaxFlashV2: the form with outReduceMax is for Atlas A2 and A3, and computes only with "
                  "SOFTMAX_OUTPUT_WITHOUT_BRC (高阶API/激活函数/SoftMax接口/SoftmaxFlashV2)");
    x.reduceMax = &outReduceMax.Place();
    sim::SoftmaxOfBlocks({"SoftmaxFlashV2", "高阶API/激活函数/SoftMax接口/SoftmaxFlashV2", site}, x, isUpdate,
                         expSumTensor, maxTensor, expMaxTensor, inExpSumTensor, inMaxTensor);
}

template <typename T, bool isUpdate = false, bool isReuseSource = false, bool isBasicBlock = false,
          bool isDataFormatNZ = false, const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>
void SoftmaxFlashV2(const LocalTensor<T>& dstTensor, const LocalTensor<T>& expSumTensor,
                    const LocalTensor<T>& maxTensor, const LocalTensor<T>& srcTensor,
                    const LocalTensor<T>& expMaxTensor, const LocalTensor<T>& inExpSumTensor,
                    const LocalTensor<T>& inMaxTensor, const LocalTensor<uint8_t>& sharedTmpBuffer,
                    const SoftMaxTiling& tiling, const SoftMaxShapeInfo& softmaxShapeInfo = {},
                    sim::Site site = sim::Site::Here()) {
    ASCENDC_SIM_SOFTMAX_ND(SoftmaxFlashV2);
    ASCENDC_SIM_ADV_DTYPE(SoftmaxFlashV2, "激活函数/SoftMax接口/SoftmaxFlashV2", sim::A2<half, float>,
                          sim::M200<half, float>);
    sim::SoftmaxOperands x = sim::SoftmaxOf(sim::SoftmaxOp::kFlashV2, sim::kDtype<T>, dstTensor, srcTensor,
                                            &sharedTmpBuffer.Place(), tiling, softmaxShapeInfo, config, isBasicBlock);
    sim::SoftmaxOfBlocks({"SoftmaxFlashV2", "高阶API/激活函数/SoftMax接口/SoftmaxFlashV2", site}, x, isUpdate,
                         expSumTensor, maxTensor, expMaxTensor, inExpSumTensor, inMaxTensor);
}

template <typename T, bool isUpdate = false, bool isReuseSource = false, bool isBasicBlock = false,
          bool isDataFormatNZ = false, const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>
void SoftmaxFlashV2(const LocalTensor<half>& dstTensor, const LocalTensor<float>& expSumTensor,
                    const LocalTensor<float>& maxTensor, const LocalTensor<half>& srcTensor,
                    const LocalTensor<half>& expMaxTensor, const LocalTensor<float>& inExpSumTensor,
                    const LocalTensor<float>& inMaxTensor, const LocalTensor<uint8_t>& sharedTmpBuffer,
                    const SoftMaxTiling& tiling, const SoftMaxShapeInfo& softmaxShapeInfo = {},
                    sim::Site site = sim::Site::Here()) {
    ASCENDC_SIM_SOFTMAX_ND(SoftmaxFlashV2);
    sim::SoftmaxOperands x = sim::SoftmaxOf(sim::SoftmaxOp::kFlashV2, sim::kDtype<float>, dstTensor, srcTensor,
                                            &sharedTmpBuffer.Place(), tiling, softmaxShapeInfo, config, isBasicBlock);
    sim::SoftmaxOfBlocks({"SoftmaxFlashV2", "高阶API/激活函数/SoftMax接口/SoftmaxFlashV2", site}, x, isUpdate,
                         expSumTensor, maxTensor, expMaxTensor, inExpSumTensor, inMaxTensor);
}

template <typename T, bool isUpdate = false, bool isReuseSource = false, bool isBasicBlock = false,
          bool isDataFormatNZ = false, const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>
void SoftmaxFlashV2(const LocalTensor<T>& dstTensor, const LocalTensor<T>& outReduceMax,
                    const LocalTensor<T>& expSumTensor, const LocalTensor<T>& maxTensor,
                    const LocalTensor<T>& srcTensor, const LocalTensor<T>& expMaxTensor,
                    const LocalTensor<T>& inExpSumTensor, const LocalTensor<T>& inMaxTensor,
                    const LocalTensor<uint8_t>& sharedTmpBuffer, const SoftMaxTiling& tiling,
                    const SoftMaxShapeInfo& softmaxShapeInfo = {}, sim::Site site = sim::Site::Here()) {
    ASCENDC_SIM_SOFTMAX_ND(SoftmaxFlashV2);
    ASCENDC_SIM_ADV_DTYPE(SoftmaxFlashV2, "激活函数/SoftMax接口/SoftmaxFlashV2", sim::A2<half, float>,
                          sim::M200<half, float>);
    sim::SoftmaxOperands x = sim::SoftmaxOf(sim::SoftmaxOp::kFlashV2, sim::kDtype<T>, dstTensor, srcTensor,
                                            &sharedTmpBuffer.Place(), tiling, softmaxShapeInfo, config, isBasicBlock);
    static_assert(!sim::kOnM200 && config.mode == SoftmaxMode::SOFTMAX_OUTPUT_WITHOUT_BRC,
                  "SoftmaxFlashV2: the form with outReduceMax is for Atlas A2 and A3, and computes only with "
                  "SOFTMAX_OUTPUT_WITHOUT_BRC (高阶API/激活函数/SoftMax接口/SoftmaxFlashV2)");
    x.reduceMax = &outReduceMax.Place();
    sim::SoftmaxOfBlocks({"SoftmaxFlashV2", "高阶API/激活函数/SoftMax接口/SoftmaxFlashV2", site}, x, isUpdate,
                         expSumTensor, maxTensor, expMaxTensor, inExpSumTensor, inMaxTensor);
}

template <typename T, bool isReuseSource = false, bool isBasicBlock = false>
void SoftmaxFlash(const LocalTensor<T>& dstTensor, const LocalTensor<T>& sumTensor, const LocalTensor<T>& maxTensor,
                  const LocalTensor<T>& srcTensor, const LocalTensor<T>& expMaxTensor,
                  const LocalTensor<T>& inSumTensor, const LocalTensor<T>& inMaxTensor, const SoftMaxTiling& tiling,
                  bool isUpdate = false, const SoftMaxShapeInfo& softmaxShapeInfo = {},
                  sim::Site site = sim::Site::Here()) {
    ASCENDC_SIM_ADV_DTYPE(SoftmaxFlash, "激活函数/SoftMax接口/SoftmaxFlash", sim::A2<half, float>,
                          sim::M200<half, float>);
    sim::SoftmaxOperands x = sim::SoftmaxOf(sim::SoftmaxOp::kFlash, sim::kDtype<T>, dstTensor, srcTensor, nullptr,
                                            tiling, softmaxShapeInfo, SOFTMAX_DEFAULT_CFG, isBasicBlock);
    sim::SoftmaxOfBlocks({"SoftmaxFlash", "高阶API/激活函数/SoftMax接口/SoftmaxFlash", site}, x, isUpdate, sumTensor,
                         maxTensor, expMaxTensor, inSumTensor, inMaxTensor);
}

template <typename T, bool isReuseSource = false, bool isBasicBlock = false>
void SoftmaxFlash(const LocalTensor<half>& dstTensor, const LocalTensor<float>& sumTensor,
                  const LocalTensor<float>& maxTensor, const LocalTensor<half>& srcTensor,
                  const LocalTensor<half>& expMaxTensor, const LocalTensor<float>& inSumTensor,
                  const LocalTensor<float>& inMaxTensor, const SoftMaxTiling& tiling, bool isUpdate = false,
                  const SoftMaxShapeInfo& softmaxShapeInfo = {}, sim::Site site = sim::Site::Here()) {
    sim::SoftmaxOperands x = sim::SoftmaxOf(sim::SoftmaxOp::kFlash, sim::kDtype<float>, dstTensor, srcTensor, nullptr,
                                            tiling, softmaxShapeInfo, SOFTMAX_DEFAULT_CFG, isBasicBlock);
    sim::SoftmaxOfBlocks({"SoftmaxFlash", "高阶API/激活函数/SoftMax接口/SoftmaxFlash", site}, x, isUpdate, sumTensor,
                         maxTensor, expMaxTensor, inSumTensor, inMaxTensor);
}

template <typename T, bool isReuseSource = false, bool isBasicBlock = false>
void SoftmaxFlash(const LocalTensor<T>& dstTensor, const LocalTensor<T>& sumTensor, const LocalTensor<T>& maxTensor,
                  const LocalTensor<T>& srcTensor, const LocalTensor<T>& expMaxTensor,
                  const LocalTensor<T>& inSumTensor, const LocalTensor<T>& inMaxTensor,
                  const LocalTensor<uint8_t>& sharedTmpBuffer, const SoftMaxTiling& tiling, bool isUpdate = false,
                  const SoftMaxShapeInfo& softmaxShapeInfo = {}, sim::Site site = sim::Site::Here()) {
    ASCENDC_SIM_ADV_DTYPE(SoftmaxFlash, "激活函数/SoftMax接口/SoftmaxFlash", sim::A2<half, float>,
                          sim::M200<half, float>);
    sim::SoftmaxOperands x =
        sim::SoftmaxOf(sim::SoftmaxOp::kFlash, sim::kDtype<T>, dstTensor, srcTensor, &sharedTmpBuffer.Place(), tiling,
                       softmaxShapeInfo, SOFTMAX_DEFAULT_CFG, isBasicBlock);
    sim::SoftmaxOfBlocks({"SoftmaxFlash", "高阶API/激活函数/SoftMax接口/SoftmaxFlash", site}, x, isUpdate, sumTensor,
                         maxTensor, expMaxTensor, inSumTensor, inMaxTensor);
}

template <typename T, bool isReuseSource = false, bool isBasicBlock = false>
void SoftmaxFlash(const LocalTensor<half>& dstTensor, const LocalTensor<float>& sumTensor,
                  const LocalTensor<float>& maxTensor, const LocalTensor<half>& srcTensor,
                  const LocalTensor<half>& expMaxTensor, const LocalTensor<float>& inSumTensor,
                  const LocalTensor<float>& inMaxTensor, const LocalTensor<uint8_t>& sharedTmpBuffer,
                  const SoftMaxTiling& tiling, bool isUpdate = false, const SoftMaxShapeInfo& softmaxShapeInfo = {},
                  sim::Site site = sim::Site::Here()) {
    sim::SoftmaxOperands x =
        sim::SoftmaxOf(sim::SoftmaxOp::kFlash, sim::kDtype<float>, dstTensor, srcTensor, &sharedTmpBuffer.Place(),
                       tiling, softmaxShapeInfo, SOFTMAX_DEFAULT_CFG, isBasicBlock);
    sim::SoftmaxOfBlocks({"SoftmaxFlash", "高阶API/激活函数/SoftMax接口/SoftmaxFlash", site}, x, isUpdate, sumTensor,
                         maxTensor, expMaxTensor, inSumTensor, inMaxTensor);
}

template <typename T, bool isReuseSource = false, bool isDataFormatNZ = false>
void SoftmaxGrad(const LocalTensor<T>& dstTensor, const LocalTensor<T>& gradTensor, const LocalTensor<T>& srcTensor,
                 const SoftMaxTiling& tiling, bool isFront = false, const SoftMaxShapeInfo& softmaxShapeInfo = {},
                 sim::Site site = sim::Site::Here()) {
    ASCENDC_SIM_SOFTMAX_ND(SoftmaxGrad);
    ASCENDC_SIM_ADV_DTYPE(SoftmaxGrad, "激活函数/SoftMax接口/SoftmaxGrad", sim::A2<half, float>,
                          sim::M200<half, float>);
    sim::SoftmaxOperands x = sim::SoftmaxOf(sim::SoftmaxOp::kGrad, sim::kDtype<T>, dstTensor, srcTensor, nullptr,
                                            tiling, softmaxShapeInfo, SOFTMAX_DEFAULT_CFG, false);
    x.front = isFront;
    x.grad = &gradTensor.Place();
    sim::Softmax({"SoftmaxGrad", "高阶API/激活函数/SoftMax接口/SoftmaxGrad", site}, x);
}

template <typename T, bool isReuseSource = false, bool isDataFormatNZ = false>
void SoftmaxGrad(const LocalTensor<T>& dstTensor, const LocalTensor<T>& gradTensor, const LocalTensor<T>& srcTensor,
                 const LocalTensor<uint8_t>& sharedTmpBuffer, const SoftMaxTiling& tiling, bool isFront = false,
                 const SoftMaxShapeInfo& softmaxShapeInfo = {}, sim::Site site = sim::Site::Here()) {
    ASCENDC_SIM_SOFTMAX_ND(SoftmaxGrad);
    ASCENDC_SIM_ADV_DTYPE(SoftmaxGrad, "激活函数/SoftMax接口/SoftmaxGrad", sim::A2<half, float>,
                          sim::M200<half, float>);
    sim::SoftmaxOperands x =
        sim::SoftmaxOf(sim::SoftmaxOp::kGrad, sim::kDtype<T>, dstTensor, srcTensor, &sharedTmpBuffer.Place(), tiling,
                       softmaxShapeInfo, SOFTMAX_DEFAULT_CFG, false);
    x.front = isFront;
    x.grad = &gradTensor.Place();
    sim::Softmax({"SoftmaxGrad", "高阶API/激活函数/SoftMax接口/SoftmaxGrad", site}, x);
}

template <typename T, bool isBasicBlock = false, bool isDataFormatNZ = false>
void SoftmaxGradFront(const LocalTensor<T>& dstTensor, const LocalTensor<T>& gradTensor,
                      const LocalTensor<T>& srcTensor, const SoftMaxTiling& tiling,
                      const SoftMaxShapeInfo& softmaxShapeInfo = {}, sim::Site site = sim::Site::Here()) {
    ASCENDC_SIM_SOFTMAX_ND(SoftmaxGradFront);
    ASCENDC_SIM_ADV_DTYPE(SoftmaxGradFront, "激活函数/SoftMax接口/SoftmaxGradFront", sim::A2<half, float>,
                          sim::M200<half, float>);
    sim::SoftmaxOperands x = sim::SoftmaxOf(sim::SoftmaxOp::kGradFront, sim::kDtype<T>, dstTensor, srcTensor, nullptr,
                                            tiling, softmaxShapeInfo, SOFTMAX_DEFAULT_CFG, isBasicBlock);
    x.grad = &gradTensor.Place();
    sim::Softmax({"SoftmaxGradFront", "高阶API/激活函数/SoftMax接口/SoftmaxGradFront", site}, x);
}

template <typename T, bool isBasicBlock = false, bool isDataFormatNZ = false>
void SoftmaxGradFront(const LocalTensor<T>& dstTensor, const LocalTensor<T>& gradTensor,
                      const LocalTensor<T>& srcTensor, const LocalTensor<uint8_t>& sharedTmpBuffer,
                      const SoftMaxTiling& tiling, const SoftMaxShapeInfo& softmaxShapeInfo = {},
                      sim::Site site = sim::Site::Here()) {
    ASCENDC_SIM_SOFTMAX_ND(SoftmaxGradFront);
    ASCENDC_SIM_ADV_DTYPE(SoftmaxGradFront, "激活函数/SoftMax接口/SoftmaxGradFront", sim::A2<half, float>,
                          sim::M200<half, float>);
    sim::SoftmaxOperands x =
        sim::SoftmaxOf(sim::SoftmaxOp::kGradFront, sim::kDtype<T>, dstTensor, srcTensor, &sharedTmpBuffer.Place(),
                       tiling, softmaxShapeInfo, SOFTMAX_DEFAULT_CFG, isBasicBlock);
    x.grad = &gradTensor.Place();
    sim::Softmax({"SoftmaxGradFront", "高阶API/激活函数/SoftMax接口/SoftmaxGradFront", site}, x);
}

template <typename T, bool isReuseSource = false, bool isDataFormatNZ = false>
void LogSoftMax(const LocalTensor<T>& dst, const LocalTensor<T>& sum, const LocalTensor<T>& max,
                const LocalTensor<T>& src, const LocalTensor<uint8_t>& sharedTmpBuffer, const LogSoftMaxTiling& tiling,
                const SoftMaxShapeInfo& softmaxShapeInfo = {}, sim::Site site = sim::Site::Here()) {
    ASCENDC_SIM_SOFTMAX_ND(LogSoftMax);
    ASCENDC_SIM_ADV_DTYPE(LogSoftMax, "激活函数/LogSoftMax接口/LogSoftMax", sim::A2<half, float>,
                          sim::M200<half, float>);
    sim::SoftmaxOperands x = sim::SoftmaxOf(sim::SoftmaxOp::kLog, sim::kDtype<T>, dst, src, &sharedTmpBuffer.Place(),
                                            tiling, softmaxShapeInfo, SOFTMAX_DEFAULT_CFG, false);
    x.sum = &sum.Place();
    x.max = &max.Place();
    sim::Softmax({"LogSoftMax", "高阶API/激活函数/LogSoftMax接口/LogSoftMax", site}, x);
}

// The tiling of a shape, reckoned in the kernel: the shape alone, since rows are cut by the simulated function itself.
__aicore__ inline constexpr SoftMaxTiling SoftMaxFlashV2TilingFunc(
    const SoftMaxShapeInfo& shapeInfo, const uint32_t dataTypeSize1, const uint32_t dataTypeSize2,
    const uint32_t localWorkSpaceSize, const bool isUpdate = false, const bool isBasicBlock = false,
    const bool isDataFormatNZ = false, const bool isFlashOutputBrc = false) {
    (void)localWorkSpaceSize, (void)isUpdate, (void)isBasicBlock, (void)isDataFormatNZ, (void)isFlashOutputBrc,
        (void)dataTypeSize1;
    SoftMaxTiling tiling{};
    tiling.srcM = tiling.splitM = tiling.reduceM = tiling.outMaxM = shapeInfo.srcM;
    tiling.srcK = tiling.splitK = shapeInfo.srcK;
    tiling.srcSize = tiling.splitSize = shapeInfo.srcM * shapeInfo.srcK;
    tiling.outMaxK = tiling.reduceK = 32 / dataTypeSize2;
    tiling.outMaxSize = tiling.reduceSize = tiling.outMaxM * tiling.outMaxK;
    tiling.rangeM = 1;
    return tiling;
}

// The same by its two lengths, as kernels call it that know the function behind the documented one.
__aicore__ inline constexpr SoftMaxTiling SoftMaxFlashV2TilingFuncImpl(
    const uint32_t srcM, const uint32_t srcK, const uint32_t dataTypeSize1, const uint32_t dataTypeSize2,
    const uint32_t localWorkSpaceSize, const bool isUpdate = false, const bool isBasicBlock = false,
    const bool isDataFormatNZ = false, const bool isFlashOutputBrc = false) {
    return SoftMaxFlashV2TilingFunc({srcM, srcK, srcM, srcK}, dataTypeSize1, dataTypeSize2, localWorkSpaceSize,
                                    isUpdate, isBasicBlock, isDataFormatNZ, isFlashOutputBrc);
}

// Where a row's maximum has the bits `from`, the row becomes `to`.
template <typename T1, typename T2, bool isDataFormatNZ = false, uint8_t stepSizeMode = 0>
bool AdjustSoftMaxRes(const LocalTensor<T1>& softMaxRes, const LocalTensor<T2>& maxTensor, const uint32_t from,
                      const T1 to, const SoftMaxShapeInfo& softmaxShapeInfo, sim::Site site = sim::Site::Here()) {
    ASCENDC_SIM_SOFTMAX_ND(AdjustSoftMaxRes);
    static_assert(
        sim::kOneOf<T1, half, float> && sim::kOneOf<T2, half, float>,
        "AdjustSoftMaxRes: the data types are not half or float (高阶API/激活函数/SoftMax接口/AdjustSoftMaxRes)");
    static_assert(stepSizeMode == 0,
                  "AdjustSoftMaxRes: stepSizeMode is not simulated (高阶API/激活函数/SoftMax接口/AdjustSoftMaxRes)");
    return sim::AdjustSoftmax({"AdjustSoftMaxRes", "高阶API/激活函数/SoftMax接口/AdjustSoftMaxRes", site},
                              sim::kDtype<T1>, sim::kDtype<T2>, softMaxRes.Place(), maxTensor.Place(), from,
                              sim::ScalarBits(to), softmaxShapeInfo.srcM, softmaxShapeInfo.srcK);
}

}  // namespace AscendC

#endif
