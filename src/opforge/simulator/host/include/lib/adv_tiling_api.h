// How much room the functions above the instructions need beside their operands, and their tiling structs.
// Pages: SIMD-API/高阶API: the pages GetXxxMaxMinTmpSize, GetXxxTmpBufferFactorSize and *-Tiling
//
// Sizes with a rule in sim_adv_rooms.h are CANN's; the others are this simulator's. An operator carries them in its
// tiling data and does not write them down.
#ifndef OPFORGE_LIB_ADV_TILING_API_H
#define OPFORGE_LIB_ADV_TILING_API_H

#include <cstdint>

#include "graph/tensor.h"
#include "graph/types.h"
#include "kernel_tiling/data_format.h"
#include "kernel_tiling/kernel_tiling.h"
#include "kernel_tiling/reduce_pattern.h"
#include "lib/adv_tilingdata.h"
#include "tiling/platform/platform_ascendc.h"

#define SIM_TILING_API __attribute__((visibility("default")))

namespace AscendC {

using TensorShape = ge::Shape;
using TensorDataType = ge::DataType;

// Get<Function>MaxMinTmpSize(srcShape, typeSize, isReuseSource, maxValue, minValue).
#define SIM_ADV_SIZES(Function)                                                                            \
    SIM_TILING_API void Get##Function##MaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize, \
                                                     const bool isReuseSource, uint32_t& maxValue,         \
                                                     uint32_t& minValue);
// Get<Function>TmpBufferFactorSize(typeSize, maxLiveNodeCount, extraBuf).
#define SIM_ADV_FACTOR(Function)                                                                                \
    SIM_TILING_API void Get##Function##TmpBufferFactorSize(const uint32_t typeSize, uint32_t& maxLiveNodeCount, \
                                                           uint32_t& extraBuf);
#define SIM_ADV_BOTH(Function) SIM_ADV_SIZES(Function) SIM_ADV_FACTOR(Function)

SIM_ADV_BOTH(Acos)
SIM_ADV_BOTH(Acosh)
SIM_ADV_BOTH(Asin)
SIM_ADV_BOTH(Asinh)
SIM_ADV_BOTH(Atan)
SIM_ADV_BOTH(Atanh)
SIM_ADV_BOTH(Axpy)
SIM_ADV_BOTH(Ceil)
SIM_ADV_BOTH(Clamp)
SIM_ADV_BOTH(Cos)
SIM_ADV_BOTH(Cosh)
SIM_ADV_BOTH(Digamma)
SIM_ADV_BOTH(Erf)
SIM_ADV_BOTH(Erfc)
SIM_ADV_BOTH(Floor)
SIM_ADV_BOTH(Fmod)
SIM_ADV_BOTH(Frac)
SIM_ADV_BOTH(GeGLU)
SIM_ADV_BOTH(Lgamma)
SIM_ADV_BOTH(Log)
SIM_ADV_BOTH(Log10)
SIM_ADV_BOTH(Log2)
SIM_ADV_BOTH(Sign)
SIM_ADV_BOTH(Sin)
SIM_ADV_BOTH(Sinh)
SIM_ADV_BOTH(Tan)
SIM_ADV_BOTH(Tanh)
SIM_ADV_BOTH(Trunc)
SIM_ADV_BOTH(Xor)
SIM_ADV_SIZES(ReGlu)
SIM_ADV_SIZES(ReduceXorSum)
SIM_ADV_SIZES(Sigmoid)
SIM_ADV_FACTOR(Exp)
SIM_ADV_FACTOR(SwiGLU)

#undef SIM_ADV_SIZES
#undef SIM_ADV_FACTOR
#undef SIM_ADV_BOTH

// With parameters of their own.
SIM_TILING_API bool GetExpMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize, const bool isReuseSource,
                                        uint32_t& maxValue, uint32_t& minValue);
SIM_TILING_API void GetGeluMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize, uint32_t& maxValue,
                                         uint32_t& minValue);
SIM_TILING_API uint32_t GetGeluMaxTmpSize(const TensorShape& srcShape, const uint32_t typeSize);
SIM_TILING_API uint32_t GetGeluMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize);
SIM_TILING_API void GetSwiGLUMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize, uint32_t& maxValue,
                                           uint32_t& minValue, const bool isReuseSource);
SIM_TILING_API void GetSiluTmpSize(const TensorShape& srcShape, const uint32_t typeSize, const bool isReuseSource,
                                   uint32_t& maxValue, uint32_t& minValue);
SIM_TILING_API void GetSwishTmpSize(const TensorShape& srcShape, const uint32_t typeSize, const bool isReuseSource,
                                    uint32_t& maxValue, uint32_t& minValue);
SIM_TILING_API void GetPowerMaxMinTmpSize(const TensorShape& srcShape1, const TensorShape& srcShape2,
                                          const bool typeIsInt, const uint32_t typeSize, const bool isReuseSource,
                                          uint32_t& maxValue, uint32_t& minValue);
SIM_TILING_API void GetPowerTmpBufferFactorSize(const bool baseIsTensor, const bool expIsTensor, const bool typeIsInt,
                                                const uint32_t typeSize, uint32_t& maxLiveNodeCount,
                                                uint32_t& extraBuffer);
SIM_TILING_API void GetRoundMaxMinTmpSize(const platform_ascendc::PlatformAscendC& ascendcPlatform,
                                          const TensorShape& srcShape, const uint32_t typeSize,
                                          const bool isReuseSource, uint32_t& maxValue, uint32_t& minValue);
SIM_TILING_API void GetRoundTmpBufferFactorSize(const platform_ascendc::PlatformAscendC& ascendcPlatform,
                                                const uint32_t typeSize, uint32_t& maxLiveNodeCount,
                                                uint32_t& extraBuf);

// Functions of rows.
SIM_TILING_API void GetSumMaxMinTmpSize(const uint32_t n, const uint32_t typeSize, const bool isReuseSource,
                                        uint32_t& maxSize, uint32_t& minSize);
SIM_TILING_API void GetMeanMaxMinTmpSize(const uint32_t n, const uint32_t srcTypeSize, const uint32_t accTypeSize,
                                         const bool isReuseSource, uint32_t& maxSize, uint32_t& minSize);
SIM_TILING_API void GetCumSumMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize, const bool isLastAxis,
                                           const bool isReuseSource, uint32_t& maxValue, uint32_t& minValue);
SIM_TILING_API void GetBroadCastMaxMinTmpSize(const platform_ascendc::PlatformAscendC& ascendcPlatform,
                                              const TensorShape& srcShape, const TensorShape& dstShape,
                                              uint32_t typeSize, const bool isReuseSource, uint32_t& maxValue,
                                              uint32_t& minValue);
#define SIM_ADV_REDUCE(Function)                                                                                    \
    SIM_TILING_API void Get##Function##MaxMinTmpSize(const TensorShape& srcShape, const TensorDataType dataType,    \
                                                     ReducePattern pattern, bool isSrcInnerPad, bool isReuseSource, \
                                                     uint32_t& maxValue, uint32_t& minValue);
SIM_ADV_REDUCE(ReduceSum)
SIM_ADV_REDUCE(ReduceMean)
SIM_ADV_REDUCE(ReduceProd)
SIM_ADV_REDUCE(ReduceMax)
SIM_ADV_REDUCE(ReduceMin)
SIM_ADV_REDUCE(ReduceAll)
SIM_ADV_REDUCE(ReduceAny)
#undef SIM_ADV_REDUCE

#define SIM_ADV_SELECT(Function)                                                                                  \
    SIM_TILING_API void Get##Function##MaxMinTmpSize(const TensorShape& src0Shape, const TensorShape& src1Shape,  \
                                                     const uint32_t srcTypeSize, const TensorShape& maskShape,    \
                                                     const uint32_t maskTypeSize, const bool isReuseMask,         \
                                                     uint32_t& maxValue, uint32_t& minValue);                     \
    SIM_TILING_API uint32_t Get##Function##MaxTmpSize(const TensorShape& src0Shape, const TensorShape& src1Shape, \
                                                      const uint32_t srcTypeSize, const TensorShape& maskShape,   \
                                                      const uint32_t maskTypeSize, const bool isReuseMask);       \
    SIM_TILING_API uint32_t Get##Function##MinTmpSize(const TensorShape& src0Shape, const TensorShape& src1Shape, \
                                                      const uint32_t srcTypeSize, const TensorShape& maskShape,   \
                                                      const uint32_t maskTypeSize, const bool isReuseMask);
SIM_ADV_SELECT(Select)
SIM_ADV_SELECT(SelectWithBytesMask)
#undef SIM_ADV_SELECT

SIM_TILING_API void GetAscendQuantMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize,
                                                uint32_t& maxValue, uint32_t& minValue);
SIM_TILING_API void GetAscendDequantMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize,
                                                  uint32_t& maxValue, uint32_t& minValue);
SIM_TILING_API void GetAscendAntiQuantMaxMinTmpSize(const TensorShape& srcShape, const TensorShape& scaleShape,
                                                    bool isTranspose, TensorDataType inputDataType,
                                                    TensorDataType outputDataType, uint32_t& maxValue,
                                                    uint32_t& minValue);
SIM_TILING_API uint32_t GetAscendAntiQuantMaxTmpSize(const TensorShape& srcShape, const TensorShape& scaleShape,
                                                     bool isTranspose, TensorDataType inputDataType,
                                                     TensorDataType outputDataType);
SIM_TILING_API uint32_t GetAscendAntiQuantMinTmpSize(const TensorShape& srcShape, const TensorShape& scaleShape,
                                                     bool isTranspose, TensorDataType inputDataType,
                                                     TensorDataType outputDataType);

// Softmax and its relatives.
SIM_TILING_API uint32_t GetSoftMaxMaxTmpSize(const TensorShape& srcShape, const uint32_t dataTypeSize,
                                             const bool isReuseSource);
SIM_TILING_API uint32_t GetSoftMaxMinTmpSize(const TensorShape& srcShape, const uint32_t dataTypeSize,
                                             const bool isReuseSource);
SIM_TILING_API uint32_t GetSoftMaxFlashMaxTmpSize(const TensorShape& srcShape, const uint32_t dataTypeSize,
                                                  const bool isUpdate, const bool isReuseSource);
SIM_TILING_API uint32_t GetSoftMaxFlashMinTmpSize(const TensorShape& srcShape, const uint32_t dataTypeSize,
                                                  const bool isUpdate, const bool isReuseSource);
SIM_TILING_API uint32_t GetSoftMaxFlashV2MaxTmpSize(const TensorShape& srcShape, const uint32_t dataTypeSize1,
                                                    const uint32_t dataTypeSize2, const bool isUpdate,
                                                    const bool isBasicBlock = false,
                                                    const bool isFlashOutputBrc = false);
SIM_TILING_API uint32_t GetSoftMaxFlashV2MinTmpSize(const TensorShape& srcShape, const uint32_t dataTypeSize1,
                                                    const uint32_t dataTypeSize2, const bool isUpdate,
                                                    const bool isBasicBlock = false,
                                                    const bool isFlashOutputBrc = false);
SIM_TILING_API void GetSoftMaxFlashV3MaxMinTmpSize(const TensorShape& srcShape, const uint32_t dataTypeSize1,
                                                   const uint32_t dataTypeSize2, uint32_t& maxValue, uint32_t& minValue,
                                                   const bool isUpdate, const bool isBasicBlock = false);
SIM_TILING_API uint32_t GetSoftMaxGradMaxTmpSize(const TensorShape& srcShape, const uint32_t dataTypeSize,
                                                 const bool isFront, const bool isReuseSource);
SIM_TILING_API uint32_t GetSoftMaxGradMinTmpSize(const TensorShape& srcShape, const uint32_t dataTypeSize,
                                                 const bool isFront, const bool isReuseSource);
SIM_TILING_API uint32_t GetLogSoftMaxMaxTmpSize(const TensorShape srcShape, const uint32_t dataTypeSize,
                                                const bool isReuseSource);
SIM_TILING_API uint32_t GetLogSoftMaxMinTmpSize(const TensorShape srcShape, const uint32_t dataTypeSize,
                                                const bool isReuseSource);
#define SIM_ADV_SOFTMAX(Tiling, LogTiling)                                                                        \
    SIM_TILING_API void SoftMaxTilingFunc(const TensorShape& srcShape, const uint32_t dataTypeSize,               \
                                          const uint32_t localWorkSpaceSize, Tiling& softmaxTiling);              \
    SIM_TILING_API void SoftMaxFlashTilingFunc(const TensorShape& srcShape, const uint32_t dataTypeSize,          \
                                               const uint32_t localWorkSpaceSize, Tiling& softmaxFlashTiling,     \
                                               const bool isUpdate = false);                                      \
    SIM_TILING_API void SoftMaxFlashV2TilingFunc(                                                                 \
        const TensorShape& srcShape, const uint32_t dataTypeSize1, const uint32_t dataTypeSize2,                  \
        const uint32_t localWorkSpaceSize, Tiling& softmaxFlashTiling, const bool isUpdate,                       \
        const bool isBasicBlock = false, const bool isFlashOutputBrc = false);                                    \
    SIM_TILING_API void SoftMaxFlashV3TilingFunc(const TensorShape& srcShape, const uint32_t dataTypeSize1,       \
                                                 const uint32_t dataTypeSize2, const uint32_t localWorkSpaceSize, \
                                                 Tiling& softmaxFlashV3Tiling, const bool isUpdate,               \
                                                 const bool isBasicBlock = false);                                \
    SIM_TILING_API void SoftMaxGradTilingFunc(const TensorShape& srcShape, const uint32_t dataTypeSize,           \
                                              const uint32_t localWorkSpaceSize, Tiling& softmaxGradTiling,       \
                                              const bool isFront = false);                                        \
    SIM_TILING_API bool IsBasicBlockInSoftMax(Tiling& tiling, const uint32_t dataTypeSize = 2);                   \
    SIM_TILING_API void LogSoftMaxTilingFunc(const TensorShape srcShape, const uint32_t dataTypeSize,             \
                                             const uint32_t localWorkSpaceSize, LogTiling& softmaxTiling);
SIM_ADV_SOFTMAX(optiling::SoftMaxTiling, optiling::LogSoftMaxTiling)
SIM_ADV_SOFTMAX(AscendC::tiling::SoftMaxTiling, AscendC::tiling::LogSoftMaxTiling)
#undef SIM_ADV_SOFTMAX

// Pad and UnPad have a matrix for their shape; originSrcShape is its part with data.
SIM_TILING_API void GetPadMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize, uint32_t& maxValue,
                                        uint32_t& minValue);
SIM_TILING_API void GetUnPadMaxMinTmpSize(const platform_ascendc::PlatformAscendC& ascendcPlatform,
                                          const TensorShape& srcShape, const uint32_t typeSize, uint32_t& maxValue,
                                          uint32_t& minValue);
SIM_TILING_API void GetDropOutMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize,
                                            const bool isReuseSource, uint32_t& maxValue, uint32_t& minValue);
SIM_TILING_API uint32_t GetDropOutMaxTmpSize(const TensorShape& srcShape, const uint32_t typeSize,
                                             const bool isReuseSource);
SIM_TILING_API uint32_t GetDropOutMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize,
                                             const bool isReuseSource);
SIM_TILING_API bool GetTransDataMaxMinTmpSize(const platform_ascendc::PlatformAscendC& platform,
                                              const TensorShape& srcShape, const TensorShape& dstShape,
                                              const TensorDataType dataType, const TransDataConfig& config,
                                              uint32_t& maxValue, uint32_t& minValue);
#define SIM_ADV_PAD(space)                                                                          \
    SIM_TILING_API void PadTilingFunc(const TensorShape srcShape, const TensorShape oriSrcShape,    \
                                      const uint32_t stackBufferSize, const uint32_t typeSize,      \
                                      space::PadTiling& tiling);                                    \
    SIM_TILING_API void UnPadTilingFunc(const TensorShape srcShape, const uint32_t stackBufferSize, \
                                        const uint32_t typeSize, space::UnPadTiling& tiling);
SIM_ADV_PAD(optiling)
SIM_ADV_PAD(AscendC::tiling)
#undef SIM_ADV_PAD

// Transpose: {B, N, S, H/N} for scenes 1 to 6, {H, W} for 7; the three with Confusion in their names are older ones.
SIM_TILING_API void GetTransposeMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize,
                                              const uint32_t transposeTypeIn, uint32_t& maxValue, uint32_t& minValue);
SIM_TILING_API void GetConfusionTransposeMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize,
                                                       const uint32_t transposeTypeIn, uint32_t& maxValue,
                                                       uint32_t& minValue);
#define SIM_ADV_TRANSPOSE(space)                                                                                     \
    SIM_TILING_API void GetTransposeTilingInfo(const TensorShape& srcShape, const uint32_t stackBufferSize,          \
                                               const uint32_t typeSize, const uint32_t transposeTypeIn,              \
                                               space::ConfusionTransposeTiling& tiling);                             \
    SIM_TILING_API void GetConfusionTransposeTilingInfo(const TensorShape& srcShape, const uint32_t stackBufferSize, \
                                                        const uint32_t typeSize, const uint32_t transposeTypeIn,     \
                                                        space::ConfusionTransposeTiling& tiling);                    \
    SIM_TILING_API void GetConfusionTransposeOnlyTilingInfo(const TensorShape& srcShape,                             \
                                                            const uint32_t stackBufferSize, const uint32_t typeSize, \
                                                            space::ConfusionTransposeTiling& tiling);
SIM_ADV_TRANSPOSE(optiling)
SIM_ADV_TRANSPOSE(AscendC::tiling)
#undef SIM_ADV_TRANSPOSE

// Normalisation. The forms with isComputeRstd have {A, R} for their shape, LayerNorm's others {B, S, storageHLength,
// originHLength}.
SIM_TILING_API bool GetRmsNormMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize, uint32_t& maxValue,
                                            uint32_t& minValue, const bool isBasicBlock = false);
SIM_TILING_API void GetLayerNormMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize,
                                              const bool isReuseSource, uint32_t& maxValue, uint32_t& minValue);
SIM_TILING_API void GetLayerNormMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize,
                                              const bool isReuseSource, const bool isComputeRstd,
                                              const bool isOnlyOutput, uint32_t& maxValue, uint32_t& minValue);
SIM_TILING_API void GetNormalizeMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSizeU,
                                              const uint32_t typeSizeT, const bool isReuseSource,
                                              const bool isComputeRstd, const bool isOnlyOutput, uint32_t& maxValue,
                                              uint32_t& minValue);
SIM_TILING_API void GetWelfordUpdateMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSizeT,
                                                  const uint32_t typeSizeU, const bool isReuseSource,
                                                  const bool isInplace, uint32_t& maxValue, uint32_t& minValue);
SIM_TILING_API void GetWelfordFinalizeMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize,
                                                    const bool isReuseSource, uint32_t& maxValue, uint32_t& minValue);
SIM_TILING_API void GetLayerNormGradMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize,
                                                  const bool isReuseSource, uint32_t& maxValue, uint32_t& minValue);
SIM_TILING_API void GetLayerNormGradBetaMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize,
                                                      const bool isReuseSource, uint32_t& maxValue, uint32_t& minValue);
SIM_TILING_API bool GetDeepNormMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize,
                                             const bool isReuseSource, const bool isBasicBlock, uint32_t& maxValue,
                                             uint32_t& minValue);
SIM_TILING_API void GetGroupNormMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize,
                                              const bool isReuseSource, const uint32_t groupNum, uint32_t& maxValue,
                                              uint32_t& minValue);
SIM_TILING_API bool GetBatchNormMaxMinTmpSize(const TensorShape& srcShape, const TensorShape& originSrcShape,
                                              const uint32_t typeSize, const bool isReuseSource, uint32_t& maxValue,
                                              uint32_t& minValue, const bool isBasicBlock = false);
#define SIM_ADV_NORM(space)                                                                                          \
    SIM_TILING_API bool GetRmsNormTilingInfo(const TensorShape& srcShape, const TensorShape& originSrcShape,         \
                                             const uint32_t stackBufferByteSize, const uint32_t typeSize,            \
                                             space::RmsNormTiling& tiling, const bool isBasicBlock = false);         \
    SIM_TILING_API void GetLayerNormNDTilingInfo(const TensorShape& srcShape, const uint32_t stackBufferSize,        \
                                                 const uint32_t typeSize, const bool isReuseSource,                  \
                                                 space::LayerNormTiling& tiling);                                    \
    SIM_TILING_API void GetLayerNormNDTilingInfo(const TensorShape& srcShape, const uint32_t stackBufferSize,        \
                                                 const uint32_t typeSize, const bool isReuseSource,                  \
                                                 const bool isComputeRstd, space::LayerNormSeparateTiling& tiling);  \
    SIM_TILING_API void GetLayerNormGradNDTilingInfo(const TensorShape srcShape, const uint32_t stackBufferSize,     \
                                                     const uint32_t typeSize, const bool isReuseSource,              \
                                                     space::LayerNormGradTiling& tiling);                            \
    SIM_TILING_API void GetLayerNormGradBetaNDTilingInfo(const TensorShape srcShape, const uint32_t stackBufferSize, \
                                                         const uint32_t typeSize, const bool isReuseSource,          \
                                                         space::LayerNormGradBetaTiling& tiling);                    \
    SIM_TILING_API bool GetDeepNormTilingInfo(                                                                       \
        const TensorShape& srcShape, const TensorShape& originSrcShape, const uint32_t stackBufferSize,              \
        const uint32_t typeSize, const bool isReuseSource, const bool isBasicBlock, space::DeepNormTiling& tiling);  \
    SIM_TILING_API void GetGroupNormNDTilingInfo(const TensorShape& srcShape, const uint32_t stackBufferSize,        \
                                                 const uint32_t typeSize, const bool isReuseSource,                  \
                                                 const uint32_t groupNum, space::GroupNormTiling& tiling);           \
    SIM_TILING_API bool GetBatchNormNDTilingInfo(const TensorShape& srcShape, const TensorShape& originSrcShape,     \
                                                 const uint32_t stackBufferByteSize, const uint32_t typeSize,        \
                                                 const bool isReuseSource, space::BatchNormTiling& tilling,          \
                                                 const bool isBasicBlock = false);
SIM_ADV_NORM(optiling)
SIM_ADV_NORM(AscendC::tiling)
#undef SIM_ADV_NORM
// The name it had before.
SIM_TILING_API void GetLayerNormNDTillingInfo(const TensorShape& srcShape, const uint32_t stackBufferSize,
                                              const uint32_t typeSize, const bool isReuseSource,
                                              optiling::LayerNormTiling& tilling);

}  // namespace AscendC

#endif
