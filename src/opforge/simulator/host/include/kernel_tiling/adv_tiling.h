// The tiling structs of functions above the instructions, as plain structs of host and kernel.
// Pages: SIMD-API/高阶API/激活函数, 归一化操作, 张量变换: the *-Tiling pages
//
// optiling has classes of the same names and fields (lib/adv_tilingdata.h). Their values are those of CANN's public
// library (tests/fidelity/tiling); the simulated kernels read the shapes of them.
#ifndef OPFORGE_KERNEL_TILING_ADV_TILING_H
#define OPFORGE_KERNEL_TILING_ADV_TILING_H

#include <cstdint>

// X(type, field), in the order of the bytes.
#define SIM_SOFTMAX_TILING_FIELDS(X) \
    X(uint32_t, srcM)                \
    X(uint32_t, srcK)                \
    X(uint32_t, srcSize)             \
    X(uint32_t, outMaxM)             \
    X(uint32_t, outMaxK)             \
    X(uint32_t, outMaxSize)          \
    X(uint32_t, splitM)              \
    X(uint32_t, splitK)              \
    X(uint32_t, splitSize)           \
    X(uint32_t, reduceM)             \
    X(uint32_t, reduceK)             \
    X(uint32_t, reduceSize)          \
    X(uint32_t, rangeM)              \
    X(uint32_t, tailM)               \
    X(uint32_t, tailSplitSize)       \
    X(uint32_t, tailReduceSize)

#define SIM_RMS_NORM_TILING_FIELDS(X) \
    X(uint32_t, bLength)              \
    X(uint32_t, sLength)              \
    X(uint32_t, hLength)              \
    X(uint32_t, originalHLength)      \
    X(float, reciprocalOfHLength)     \
    X(uint32_t, mainBshLength)        \
    X(uint32_t, mainBsLength)         \
    X(uint32_t, mainBsLengthAlign)    \
    X(uint32_t, loopRound)            \
    X(uint32_t, inputTailPos)         \
    X(uint32_t, tailBshLength)        \
    X(uint32_t, tailBsLength)
#define SIM_LAYER_NORM_TILING_FIELDS(X) \
    X(uint32_t, bLength)                \
    X(uint32_t, sLength)                \
    X(uint32_t, hLength)                \
    X(uint32_t, originalHLength)        \
    X(uint32_t, inputXSize)             \
    X(uint32_t, meanVarSize)            \
    X(uint32_t, numberOfTmpBuf)         \
    X(uint32_t, meanTmpTensorPos)       \
    X(uint32_t, meanTmpTensorSize)      \
    X(uint32_t, varianceTmpTensorPos)   \
    X(uint32_t, varianceTmpTensorSize)  \
    X(uint32_t, tmpBufSize)             \
    X(uint32_t, oneTmpSize)             \
    X(uint32_t, firstTmpStartPos)       \
    X(uint32_t, secondTmpStartPos)      \
    X(uint32_t, thirdTmpStartPos)       \
    X(uint32_t, loopRound)              \
    X(uint32_t, inputRoundSize)         \
    X(uint32_t, inputTailSize)          \
    X(uint32_t, inputTailPos)           \
    X(uint32_t, meanVarRoundSize)       \
    X(uint32_t, meanVarTailSize)        \
    X(uint32_t, meanVarTailPos)         \
    X(uint32_t, bshCurLength)           \
    X(uint32_t, bsCurLength)            \
    X(float, lastDimValueBack)
#define SIM_LAYER_NORM_SEPARATE_TILING_FIELDS(X) \
    X(uint32_t, aLength)                         \
    X(uint32_t, rLength)                         \
    X(uint32_t, halfAddRepeatTimes)              \
    X(uint32_t, rHeadLength)                     \
    X(float, k2Rec)                              \
    X(float, k2RRec)                             \
    X(uint32_t, inputXSize)                      \
    X(uint32_t, meanVarSize)                     \
    X(uint32_t, numberOfTmpBuf)                  \
    X(uint32_t, varianceTmpTensorPos)            \
    X(uint32_t, varianceTmpTensorSize)           \
    X(uint32_t, tmpBufSize)                      \
    X(uint32_t, oneTmpSize)                      \
    X(uint32_t, firstTmpStartPos)                \
    X(uint32_t, secondTmpStartPos)               \
    X(uint32_t, thirdTmpStartPos)                \
    X(uint32_t, loopRound)                       \
    X(uint32_t, inputRoundSize)                  \
    X(uint32_t, inputTailSize)                   \
    X(uint32_t, inputTailPos)                    \
    X(uint32_t, meanVarRoundSize)                \
    X(uint32_t, meanVarTailSize)                 \
    X(uint32_t, meanVarTailPos)                  \
    X(uint32_t, arCurLength)                     \
    X(uint32_t, aCurLength)                      \
    X(float, rValueBack)
#define SIM_LAYER_NORM_GRAD_TILING_FIELDS(X) \
    X(uint32_t, stackBufferSize)             \
    X(uint32_t, bLength)                     \
    X(uint32_t, sLength)                     \
    X(uint32_t, hLength)                     \
    X(uint32_t, originalHLength)             \
    X(uint32_t, oneCalSize)                  \
    X(uint32_t, nohCalSize)                  \
    X(uint32_t, loopNum)                     \
    X(uint32_t, tailSize)                    \
    X(uint32_t, nohTailSize)                 \
    X(uint32_t, tmpTensorBSHPos)             \
    X(uint32_t, tmpTensorBSHSize)            \
    X(uint32_t, pdVarTensorPos)              \
    X(uint32_t, pdVarTensorSize)             \
    X(uint32_t, pdMeanTensorPos)             \
    X(uint32_t, pdMeanTensorSize)            \
    X(uint32_t, x1TensorPos)                 \
    X(uint32_t, x1TensorSize)                \
    X(uint32_t, x2TensorPos)                 \
    X(uint32_t, x2TensorSize)                \
    X(uint32_t, x3TensorPos)                 \
    X(uint32_t, x3TensorSize)                \
    X(uint32_t, tmpTensorPos)                \
    X(uint32_t, tmpTensorSize)               \
    X(uint32_t, tmpTensor1Pos)               \
    X(uint32_t, tmpTensor1Size)              \
    X(uint32_t, tmpTensor2Pos)               \
    X(uint32_t, tmpTensor2Size)              \
    X(uint32_t, lastDimValueBack)            \
    X(uint32_t, lastDimValueBackMulTwo)
#define SIM_LAYER_NORM_GRAD_BETA_TILING_FIELDS(X) \
    X(uint32_t, stackBufferSize)                  \
    X(uint32_t, bLength)                          \
    X(uint32_t, sLength)                          \
    X(uint32_t, hLength)                          \
    X(uint32_t, originalHLength)                  \
    X(uint32_t, bshLength)                        \
    X(uint32_t, bsLength)                         \
    X(uint32_t, oneCalSize)                       \
    X(uint32_t, numberOfTmpBuf)                   \
    X(uint32_t, loopRound)                        \
    X(uint32_t, inputTailSize)                    \
    X(uint32_t, inputTailPos)                     \
    X(uint32_t, bsTailSize)                       \
    X(uint32_t, bshCurLength)                     \
    X(uint32_t, bsCurLength)                      \
    X(uint32_t, gammaTempTensorPos)               \
    X(uint32_t, betaTempTensorPos)                \
    X(uint32_t, inputDyTmpTensorPos)              \
    X(uint32_t, resForGammaTmpTensorPos)          \
    X(uint32_t, reserved)
// The same members as LayerNorm's.
#define SIM_DEEP_NORM_TILING_FIELDS(X) SIM_LAYER_NORM_TILING_FIELDS(X)
#define SIM_GROUP_NORM_TILING_FIELDS(X) \
    X(uint32_t, n)                      \
    X(uint32_t, c)                      \
    X(uint32_t, hw)                     \
    X(uint32_t, g)                      \
    X(uint32_t, d)                      \
    X(uint32_t, hwAlignSize)            \
    X(uint32_t, dhwAlignSize)           \
    X(uint32_t, inputXSize)             \
    X(uint32_t, meanVarSize)            \
    X(uint32_t, numberOfTmpBuf)         \
    X(uint32_t, meanTmpTensorPos)       \
    X(uint32_t, meanTmpTensorSize)      \
    X(uint32_t, varianceTmpTensorPos)   \
    X(uint32_t, varianceTmpTensorSize)  \
    X(uint32_t, tmpBufSize)             \
    X(uint32_t, oneTmpSize)             \
    X(uint32_t, firstTmpStartPos)       \
    X(uint32_t, secondTmpStartPos)      \
    X(uint32_t, thirdTmpStartPos)       \
    X(uint32_t, loopRound)              \
    X(uint32_t, inputRoundSize)         \
    X(uint32_t, inputTailSize)          \
    X(uint32_t, inputTailPos)           \
    X(uint32_t, meanVarRoundSize)       \
    X(uint32_t, meanVarTailSize)        \
    X(uint32_t, meanVarTailPos)         \
    X(uint32_t, bshCurLength)           \
    X(uint32_t, bsCurLength)            \
    X(float, factor)                    \
    X(bool, smallShape)
#define SIM_BATCH_NORM_TILING_FIELDS(X) \
    X(uint32_t, originalBLength)        \
    X(uint32_t, meanVarSize)            \
    X(uint32_t, meanTmpTensorPos)       \
    X(uint32_t, varianceTmpTensorPos)   \
    X(uint32_t, tmpBufSize)             \
    X(uint32_t, oneTmpSize)             \
    X(uint32_t, firstTmpStartPos)       \
    X(uint32_t, secondTmpStartPos)      \
    X(uint32_t, thirdTmpStartPos)       \
    X(uint32_t, loopRound)              \
    X(uint32_t, inputTailSize)          \
    X(uint32_t, inputTailPos)           \
    X(uint32_t, meanVarTailSize)        \
    X(uint32_t, meanVarTailPos)         \
    X(uint32_t, bshCurLength)           \
    X(uint32_t, shCurLength)            \
    X(float, firstDimValueBack)         \
    X(uint32_t, castHalfRepStride)      \
    X(uint32_t, shCurLengthBlockNum)    \
    X(uint32_t, castHalfOutRepStride)
#define SIM_PAD_TILING_FIELDS(X)                \
    X(uint32_t, srcHeight)                      \
    X(uint32_t, srcWidth)                       \
    X(uint32_t, srcOriWidth)                    \
    X(uint32_t, widthWithoutLastBlock)          \
    X(uint32_t, blocksPerRow)                   \
    X(uint32_t, heightTiling)                   \
    X(uint32_t, heightFractal)                  \
    X(uint32_t, heightFractalTail)              \
    X(uint32_t, mainLoopOffset)                 \
    X(uint32_t, tailBlockOffset)                \
    X(uint32_t, tmpBuffer1BlockNum)             \
    X(uint32_t, tmpBuffer1RowNum)               \
    X(uint32_t, tmpBuffer2Offset)               \
    X(uint32_t, widthTiling)                    \
    X(uint32_t, widthFractal)                   \
    X(uint32_t, widthFractalTail)               \
    X(uint32_t, widthFractalTailAlingned)       \
    X(uint32_t, brcbTiling)                     \
    X(uint32_t, brcbFractal)                    \
    X(uint32_t, brcbFractalTail)                \
    X(uint32_t, maxRepeatTimes)                 \
    X(uint32_t, brcbTilingRepeatTimes)          \
    X(uint32_t, brcbTilingRepeatTimesTail)      \
    X(uint32_t, brcbFractalTailRepeatTimes)     \
    X(uint32_t, brcbFractalTailRepeatTimesTail) \
    X(uint32_t, reserved)
#define SIM_UN_PAD_TILING_FIELDS(X) \
    X(uint32_t, srcHeight)          \
    X(uint32_t, srcWidth)           \
    X(uint32_t, tmpBuffer1BlockNum) \
    X(uint32_t, tmpBuffer1RowNum)   \
    X(uint32_t, tmpBuffer2Offset)   \
    X(uint32_t, widthTiling)        \
    X(uint32_t, widthFractal)       \
    X(uint32_t, widthFractalTail)

// The page names no field; kernels that transpose a matrix fill param0 to param2 by themselves: elements of 32 bytes,
// rows, columns. What the kernel reads of the other scenes, adv/transpose/confusion_transpose.h says.
#define SIM_CONFUSION_TRANSPOSE_TILING_FIELDS(X) \
    X(uint32_t, param0)                          \
    X(uint32_t, param1)                          \
    X(uint32_t, param2)                          \
    X(uint32_t, param3)                          \
    X(uint32_t, param4)                          \
    X(uint32_t, param5)                          \
    X(uint32_t, param6)                          \
    X(uint32_t, param7)                          \
    X(uint32_t, param8)                          \
    X(uint32_t, param9)                          \
    X(uint32_t, param10)                         \
    X(uint32_t, param11)                         \
    X(uint32_t, param12)                         \
    X(uint32_t, param13)                         \
    X(uint32_t, param14)                         \
    X(uint32_t, param15)                         \
    X(uint32_t, param16)                         \
    X(uint32_t, param17)

#define SIM_TILING_FIELD(type, field) type field = 0;

namespace AscendC {
namespace tiling {

struct SoftMaxTiling {
    SIM_SOFTMAX_TILING_FIELDS(SIM_TILING_FIELD)
};
struct LogSoftMaxTiling {
    SIM_SOFTMAX_TILING_FIELDS(SIM_TILING_FIELD)
};
struct RmsNormTiling {
    SIM_RMS_NORM_TILING_FIELDS(SIM_TILING_FIELD)
};
struct LayerNormTiling {
    SIM_LAYER_NORM_TILING_FIELDS(SIM_TILING_FIELD)
};
struct LayerNormSeparateTiling {
    SIM_LAYER_NORM_SEPARATE_TILING_FIELDS(SIM_TILING_FIELD)
};
struct LayerNormGradTiling {
    SIM_LAYER_NORM_GRAD_TILING_FIELDS(SIM_TILING_FIELD)
};
struct LayerNormGradBetaTiling {
    SIM_LAYER_NORM_GRAD_BETA_TILING_FIELDS(SIM_TILING_FIELD)
};
struct DeepNormTiling {
    SIM_DEEP_NORM_TILING_FIELDS(SIM_TILING_FIELD)
};
struct GroupNormTiling {
    SIM_GROUP_NORM_TILING_FIELDS(SIM_TILING_FIELD)
};
struct BatchNormTiling {
    SIM_BATCH_NORM_TILING_FIELDS(SIM_TILING_FIELD)
};
struct PadTiling {
    SIM_PAD_TILING_FIELDS(SIM_TILING_FIELD)
};
struct UnPadTiling {
    SIM_UN_PAD_TILING_FIELDS(SIM_TILING_FIELD)
};
struct ConfusionTransposeTiling {
    SIM_CONFUSION_TRANSPOSE_TILING_FIELDS(SIM_TILING_FIELD)
};

}  // namespace tiling
}  // namespace AscendC

// The names by which kernels written for BEGIN_TILING_DATA_DEF's structs know them.
using AscendC::tiling::BatchNormTiling;
using AscendC::tiling::ConfusionTransposeTiling;
using AscendC::tiling::DeepNormTiling;
using AscendC::tiling::GroupNormTiling;
using AscendC::tiling::LayerNormGradBetaTiling;
using AscendC::tiling::LayerNormGradTiling;
using AscendC::tiling::LayerNormSeparateTiling;
using AscendC::tiling::LayerNormTiling;
using AscendC::tiling::LogSoftMaxTiling;
using AscendC::tiling::PadTiling;
using AscendC::tiling::RmsNormTiling;
using AscendC::tiling::SoftMaxTiling;
using AscendC::tiling::UnPadTiling;

#endif
