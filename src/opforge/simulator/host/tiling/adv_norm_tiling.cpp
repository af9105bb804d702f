// The tilings of normalisation: how many rows fit the room as float, and where their buffers lie in it.
// Pages: SIMD-API/高阶API/归一化操作: the *-Tiling pages
//
// Every field has the value that CANN's public library gives (measured: tests/fidelity/tiling). A tiling for a room
// that not even one row fits into holds zeros: no shape, which the kernel refuses.
#include <algorithm>
#include <cstring>

#include "lib/adv_tiling_api.h"
#include "norm_shapes.h"
#include "sim_adv_norm_rooms.h"

namespace AscendC {
namespace {

// Rows in rounds of `fitting` ones, and a rest.
struct Rounds {
    Rounds(uint32_t rows, uint32_t fitting)
        : one(std::min(fitting, rows)), count(one == 0 ? 0 : rows / one), rest(one == 0 ? 0 : rows % one) {}
    uint32_t one, count, rest;
};

// Basic blocks have eight rows.
uint32_t InEights(uint32_t rows) { return rows < 8 ? rows : rows / 8 * 8; }

// The lengths of a shape [B, S, H], and of H before it was filled up.
template <typename Tiling>
void SetLengths(Tiling& t, const TensorShape& shape, uint32_t originalH) {
    t.bLength = Dim(shape, 0);
    t.sLength = Dim(shape, 1);
    t.hLength = Dim(shape, 2);
    t.originalHLength = originalH;
}

tiling::RmsNormTiling RmsNorm(const TensorShape& shape, const TensorShape& origin, uint32_t room, uint32_t typeSize,
                              bool basic) {
    tiling::RmsNormTiling t;
    const uint32_t rows = Dim(shape, 0) * Dim(shape, 1);
    const uint32_t h = Dim(shape, 2);
    uint32_t fitting = 0;
    const uint64_t row = sim_adv_rms_norm_row(h, typeSize);
    while (fitting < rows && (fitting + 1) * row + Up(fitting + 1, 8) * sizeof(float) <= room) {
        ++fitting;
    }
    const Rounds rounds(rows, basic ? InEights(fitting) : fitting);
    SetLengths(t, shape, Dim(origin, 2));
    t.reciprocalOfHLength = 1.0f / static_cast<float>(t.originalHLength);
    t.mainBsLength = rounds.one;
    t.mainBshLength = rounds.one * h;
    t.mainBsLengthAlign = Up(rounds.one, 8);
    t.loopRound = rounds.count;
    t.inputTailPos = rounds.count * t.mainBshLength;
    t.tailBsLength = rounds.rest;
    t.tailBshLength = rounds.rest * h;
    return t;
}

// Rows of `length` in the room beside `held` floats that the moments take; false where none fits.
template <typename Tiling>
bool SetRounds(Tiling& t, uint32_t rows, uint32_t length, uint32_t buffers, uint32_t held, bool basic = false) {
    const uint32_t left = t.tmpBufSize < held || length == 0 ? 0 : t.tmpBufSize - held;
    const uint32_t fitting = length == 0 ? 0 : left / buffers / length;
    const Rounds rounds(rows, basic ? InEights(fitting) : fitting);
    t.inputXSize = rows * length;
    t.meanVarSize = rows;
    t.numberOfTmpBuf = buffers;
    t.varianceTmpTensorSize = Up(rows, 8);
    t.oneTmpSize = rounds.one * length;
    t.firstTmpStartPos = held;
    t.secondTmpStartPos = held + t.oneTmpSize;
    t.thirdTmpStartPos = t.secondTmpStartPos + t.oneTmpSize;
    t.loopRound = rounds.count;
    t.inputRoundSize = t.oneTmpSize;
    t.inputTailSize = rounds.rest * length;
    t.inputTailPos = rounds.count * t.inputRoundSize;
    t.meanVarRoundSize = rounds.one;
    t.meanVarTailSize = rounds.rest;
    t.meanVarTailPos = rounds.count * rounds.one;
    return rounds.one != 0;
}

// The same for functions that hold the moments of half in the room: of float the results are the place for them.
template <typename Tiling>
bool SetMomentRounds(Tiling& t, uint32_t rows, uint32_t length, uint32_t typeSize, bool reuse, bool basic = false) {
    const uint32_t moments = Up(rows, 8);
    t.meanTmpTensorSize = moments;
    t.varianceTmpTensorPos = moments;
    const bool fits =
        SetRounds(t, rows, length, sim_adv_norm_buffers(typeSize, reuse), typeSize == 2 ? 2 * moments : 0, basic);
    t.bshCurLength = t.inputRoundSize;
    t.bsCurLength = t.meanVarRoundSize;
    return fits;
}

template <typename Tiling>
Tiling LayerOrDeepNorm(const TensorShape& shape, uint32_t originalH, uint32_t room, uint32_t typeSize, bool reuse,
                       bool basic = false) {
    Tiling t;
    SetLengths(t, shape, originalH);
    t.tmpBufSize = room / static_cast<uint32_t>(sizeof(float));
    t.lastDimValueBack = originalH == 0 ? 0.0f : 1.0f / static_cast<float>(originalH);
    return SetMomentRounds(t, t.bLength * t.sLength, t.hLength, typeSize, reuse, basic) ? t : Tiling();
}

tiling::LayerNormTiling LayerNorm(const TensorShape& shape, uint32_t room, uint32_t typeSize, bool reuse) {
    return shape.GetDimNum() == 4
               ? LayerOrDeepNorm<tiling::LayerNormTiling>(shape, Dim(shape, 3), room, typeSize, reuse)
               : tiling::LayerNormTiling();
}

tiling::LayerNormSeparateTiling LayerNormSeparate(const TensorShape& shape, uint32_t room, uint32_t typeSize) {
    tiling::LayerNormSeparateTiling t;
    if (shape.GetDimNum() != 2 || typeSize == 0) {
        return t;
    }
    t.aLength = Dim(shape, 0);
    t.rLength = Dim(shape, 1);
    t.tmpBufSize = room / static_cast<uint32_t>(sizeof(float));
    const bool fits = SetRounds(t, t.aLength, Up(t.rLength, 32 / typeSize), 2, Up(t.aLength, 8));
    t.thirdTmpStartPos = 0;
    t.arCurLength = t.inputRoundSize;
    t.aCurLength = t.meanVarRoundSize;
    t.rValueBack = t.rLength == 0 ? 0.0f : 1.0f / static_cast<float>(t.rLength);
    return fits ? t : tiling::LayerNormSeparateTiling();
}

uint32_t Bits(float value) {
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof(bits));
    return bits;
}

// Rows are rounded up to whole blocks, above the room that the page asks for; all of a row's buffers are one length.
tiling::LayerNormGradTiling LayerNormGrad(const TensorShape& shape, uint32_t room, uint32_t typeSize, bool reuse) {
    tiling::LayerNormGradTiling t;
    const bool half = typeSize == 2;
    const bool floatReuse = !half && reuse;
    const uint32_t buffers = half ? 9 : floatReuse ? 4 : 6;
    const uint32_t h = shape.GetDimNum() == 4 && typeSize != 0 ? Dim(shape, 2) : 0;
    const uint32_t fitting = h == 0 ? 0 : room / (buffers * static_cast<uint32_t>(sizeof(float)) * h);
    if (fitting == 0) {
        return t;
    }
    SetLengths(t, shape, Dim(shape, 3));
    const uint32_t rows = t.bLength * t.sLength;
    const uint32_t one = Up(fitting, 32 / typeSize);
    t.stackBufferSize = room;
    t.oneCalSize = one * h;
    t.nohCalSize = one;
    t.loopNum = rows / one;
    t.tailSize = rows % one * h;
    t.nohTailSize = rows % one;
    t.tmpTensorBSHSize = t.pdVarTensorSize = t.pdMeanTensorSize = t.x1TensorSize = t.x2TensorSize = t.oneCalSize;
    t.x3TensorSize = t.tmpTensorSize = t.tmpTensor1Size = t.tmpTensor2Size = t.oneCalSize;
    t.pdVarTensorPos = t.oneCalSize;
    t.pdMeanTensorPos = 2 * t.oneCalSize;
    t.x1TensorPos = floatReuse ? 0 : 3 * t.oneCalSize;
    t.x2TensorPos = floatReuse ? 0 : 4 * t.oneCalSize;
    t.x3TensorPos = (floatReuse ? 3 : 5) * t.oneCalSize;
    if (half) {
        t.tmpTensorPos = 6 * t.oneCalSize;
        t.tmpTensor1Pos = 7 * t.oneCalSize;
        t.tmpTensor2Pos = 8 * t.oneCalSize;
    }
    t.lastDimValueBack = Bits(1.0f / static_cast<float>(t.originalHLength));
    t.lastDimValueBackMulTwo = Bits(2.0f / static_cast<float>(t.originalHLength));
    return t;
}

// Half has gamma and beta, and its two operands, as float in the room.
tiling::LayerNormGradBetaTiling LayerNormGradBeta(const TensorShape& shape, uint32_t room, uint32_t typeSize) {
    tiling::LayerNormGradBetaTiling t;
    if (shape.GetDimNum() != 4 || Dim(shape, 2) == 0 ||
        room < sim_adv_layer_norm_grad_beta(1, Dim(shape, 2), typeSize).least) {
        return t;
    }
    const bool half = typeSize == 2;
    const uint32_t h = Dim(shape, 2);
    const uint32_t floats = room / static_cast<uint32_t>(sizeof(float));
    const uint32_t held = half ? 2 * h : 0;
    const uint32_t rows = Dim(shape, 0) * Dim(shape, 1);
    const Rounds rounds(rows, (floats - held) / (half ? 2 : 1) / h);
    SetLengths(t, shape, Dim(shape, 3));
    t.stackBufferSize = floats;
    t.bsLength = rows;
    t.bshLength = rows * h;
    t.oneCalSize = rounds.one * h;
    t.numberOfTmpBuf = half ? 2 : 1;
    t.loopRound = rounds.count;
    t.inputTailSize = rounds.rest * h;
    t.inputTailPos = rounds.count * t.oneCalSize;
    t.bsTailSize = rounds.rest;
    t.bshCurLength = t.oneCalSize;
    t.bsCurLength = rounds.one;
    if (half) {
        t.betaTempTensorPos = h;
        t.inputDyTmpTensorPos = 2 * h;
        t.resForGammaTmpTensorPos = 2 * h + t.oneCalSize;
    }
    return t;
}

tiling::GroupNormTiling GroupNorm(const TensorShape& shape, uint32_t room, uint32_t typeSize, bool reuse,
                                  uint32_t groups) {
    tiling::GroupNormTiling t;
    if (shape.GetDimNum() != 4 || groups == 0 || Dim(shape, 1) % groups != 0 || typeSize == 0) {
        return t;
    }
    t.n = Dim(shape, 0);
    t.c = Dim(shape, 1);
    t.hw = Dim(shape, 2) * Dim(shape, 3);
    t.g = groups;
    t.d = t.c / groups;
    t.hwAlignSize = Up(t.hw, 32 / typeSize);
    t.dhwAlignSize = t.d * t.hwAlignSize;
    t.tmpBufSize = room / 32 * 8;
    t.factor = t.d * t.hw == 0 ? 0.0f : 1.0f / static_cast<float>(t.d * t.hw);
    t.smallShape = t.hwAlignSize <= 64;
    return SetMomentRounds(t, t.n * t.g, t.dhwAlignSize, typeSize, reuse) ? t : tiling::GroupNormTiling();
}

tiling::BatchNormTiling BatchNorm(const TensorShape& shape, const TensorShape& origin, uint32_t room, uint32_t typeSize,
                                  bool basic) {
    tiling::BatchNormTiling t;
    const uint32_t columns = Dim(shape, 1) * Dim(shape, 2);
    const uint32_t rows = Dim(origin, 0);
    const uint32_t block = sim_adv_batch_norm_block(typeSize, basic);
    t.originalBLength = rows;
    t.meanVarSize = columns;
    t.varianceTmpTensorPos = columns;
    t.tmpBufSize = room / static_cast<uint32_t>(sizeof(float));
    t.firstTmpStartPos = typeSize == 2 ? 2 * columns : 0;
    // A round is as many whole blocks of columns as fit the room with all their rows.
    const Rounds rounds(columns, (t.tmpBufSize - t.firstTmpStartPos) / 3 / rows / block * block);
    t.shCurLength = rounds.one;
    t.bshCurLength = rows * rounds.one;
    t.oneTmpSize = t.bshCurLength;
    t.secondTmpStartPos = t.firstTmpStartPos + t.oneTmpSize;
    t.thirdTmpStartPos = t.secondTmpStartPos + t.oneTmpSize;
    t.loopRound = rounds.count;
    t.meanVarTailSize = rounds.rest;
    t.meanVarTailPos = rounds.count * rounds.one;
    t.inputTailSize = rows * rounds.rest;
    t.inputTailPos = t.meanVarTailPos;
    t.firstDimValueBack = 1.0f / static_cast<float>(rows);
    t.castHalfRepStride = 4;
    t.shCurLengthBlockNum = rounds.one / 8;
    t.castHalfOutRepStride = columns / 16;
    return t;
}

#define SIM_SET(type, field) to.set_##field(from.field);
#define SIM_FILL(Tiling, FIELDS)                                                    \
    void Fill(const tiling::Tiling& from, optiling::Tiling& to) { FIELDS(SIM_SET) } \
    void Fill(const tiling::Tiling& from, tiling::Tiling& to) { to = from; }
SIM_FILL(RmsNormTiling, SIM_RMS_NORM_TILING_FIELDS)
SIM_FILL(LayerNormTiling, SIM_LAYER_NORM_TILING_FIELDS)
SIM_FILL(LayerNormSeparateTiling, SIM_LAYER_NORM_SEPARATE_TILING_FIELDS)
SIM_FILL(LayerNormGradTiling, SIM_LAYER_NORM_GRAD_TILING_FIELDS)
SIM_FILL(LayerNormGradBetaTiling, SIM_LAYER_NORM_GRAD_BETA_TILING_FIELDS)
SIM_FILL(DeepNormTiling, SIM_DEEP_NORM_TILING_FIELDS)
SIM_FILL(GroupNormTiling, SIM_GROUP_NORM_TILING_FIELDS)
SIM_FILL(BatchNormTiling, SIM_BATCH_NORM_TILING_FIELDS)
#undef SIM_FILL
#undef SIM_SET

}  // namespace

#define SIM_NORM(space)                                                                                                \
    bool GetRmsNormTilingInfo(const TensorShape& srcShape, const TensorShape& originSrcShape, const uint32_t room,     \
                              const uint32_t typeSize, space::RmsNormTiling& tiling, const bool isBasicBlock) {        \
        if (!NormShapes(srcShape, originSrcShape, typeSize, isBasicBlock) ||                                           \
            room < RmsNormSizes(srcShape, typeSize).least) {                                                           \
            return false;                                                                                              \
        }                                                                                                              \
        Fill(RmsNorm(srcShape, originSrcShape, room, typeSize, isBasicBlock), tiling);                                 \
        return true;                                                                                                   \
    }                                                                                                                  \
    void GetLayerNormNDTilingInfo(const TensorShape& srcShape, const uint32_t room, const uint32_t typeSize,           \
                                  const bool reuse, space::LayerNormTiling& tiling) {                                  \
        Fill(LayerNorm(srcShape, room, typeSize, reuse), tiling);                                                      \
    }                                                                                                                  \
    void GetLayerNormNDTilingInfo(const TensorShape& srcShape, const uint32_t room, const uint32_t typeSize,           \
                                  const bool, const bool, space::LayerNormSeparateTiling& tiling) {                    \
        Fill(LayerNormSeparate(srcShape, room, typeSize), tiling);                                                     \
    }                                                                                                                  \
    void GetLayerNormGradNDTilingInfo(const TensorShape srcShape, const uint32_t room, const uint32_t typeSize,        \
                                      const bool reuse, space::LayerNormGradTiling& tiling) {                          \
        Fill(LayerNormGrad(srcShape, room, typeSize, reuse), tiling);                                                  \
    }                                                                                                                  \
    void GetLayerNormGradBetaNDTilingInfo(const TensorShape srcShape, const uint32_t room, const uint32_t typeSize,    \
                                          const bool, space::LayerNormGradBetaTiling& tiling) {                        \
        Fill(LayerNormGradBeta(srcShape, room, typeSize), tiling);                                                     \
    }                                                                                                                  \
    bool GetDeepNormTilingInfo(const TensorShape& srcShape, const TensorShape& originSrcShape, const uint32_t room,    \
                               const uint32_t typeSize, const bool reuse, const bool isBasicBlock,                     \
                               space::DeepNormTiling& tiling) {                                                        \
        if (!DeepNormShapes(srcShape, originSrcShape, typeSize, isBasicBlock) || Dim(srcShape, 2) > 2040 ||            \
            room < DeepNormSizes(srcShape, typeSize, reuse).least) {                                                   \
            return false;                                                                                              \
        }                                                                                                              \
        Fill(LayerOrDeepNorm<tiling::DeepNormTiling>(srcShape, Dim(originSrcShape, 2), room, typeSize, reuse,          \
                                                     isBasicBlock),                                                    \
             tiling);                                                                                                  \
        return true;                                                                                                   \
    }                                                                                                                  \
    void GetGroupNormNDTilingInfo(const TensorShape& srcShape, const uint32_t room, const uint32_t typeSize,           \
                                  const bool reuse, const uint32_t groupNum, space::GroupNormTiling& tiling) {         \
        Fill(GroupNorm(srcShape, room, typeSize, reuse, groupNum), tiling);                                            \
    }                                                                                                                  \
    bool GetBatchNormNDTilingInfo(const TensorShape& srcShape, const TensorShape& originSrcShape, const uint32_t room, \
                                  const uint32_t typeSize, const bool, space::BatchNormTiling& tilling,                \
                                  const bool isBasicBlock) {                                                           \
        if (!BatchNormShapes(srcShape, originSrcShape, typeSize, isBasicBlock) ||                                      \
            room < BatchNormSizes(originSrcShape, typeSize, isBasicBlock).least) {                                     \
            return false;                                                                                              \
        }                                                                                                              \
        Fill(BatchNorm(srcShape, originSrcShape, room, typeSize, isBasicBlock), tilling);                              \
        return true;                                                                                                   \
    }
SIM_NORM(optiling)
SIM_NORM(AscendC::tiling)
#undef SIM_NORM

void GetLayerNormNDTillingInfo(const TensorShape& srcShape, const uint32_t stackBufferSize, const uint32_t typeSize,
                               const bool isReuseSource, optiling::LayerNormTiling& tilling) {
    GetLayerNormNDTilingInfo(srcShape, stackBufferSize, typeSize, isReuseSource, tilling);
}

}  // namespace AscendC
