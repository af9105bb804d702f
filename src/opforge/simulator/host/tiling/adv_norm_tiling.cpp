// The rooms and tilings of normalisation: how many rows fit the room as float.
// Pages: SIMD-API/高阶API/归一化操作: the *-Tiling pages
#include <algorithm>

#include "lib/adv_tiling_api.h"
#include "sim_adv_rooms.h"

namespace AscendC {
namespace {

uint32_t Dim(const TensorShape& shape, size_t i) { return static_cast<uint32_t>(shape.GetDim(i)); }

uint32_t Aligned(uint32_t length, uint32_t typeSize) {
    const uint32_t block = typeSize == 0 ? 32 : 32 / typeSize;
    return (length + block - 1) / block * block;
}

void RowSizes(uint64_t elements, uint32_t& most, uint32_t& least) {
    most = static_cast<uint32_t>(sim_adv_rows_most(elements));
    least = SIM_ADV_STEP_BYTES;
}

// Rows in rounds of those that fit the room, and a rest.
struct Rounds {
    Rounds(uint32_t rows, uint32_t length, uint32_t room)
        : one(rows == 0 || length == 0 ? 0 : std::min(std::max<uint32_t>(room / sizeof(float) / length, 1), rows)),
          count(one == 0 ? 0 : rows / one),
          rest(one == 0 ? 0 : rows % one) {}
    uint32_t one, count, rest;
};

// Page: 归一化操作/RmsNorm-Tiling
bool IsBasic(const TensorShape& shape) {
    const uint32_t rows = Dim(shape, 0) * Dim(shape, 1);
    return rows % 8 == 0 && Dim(shape, 2) % 64 == 0 && Dim(shape, 2) < 2048;
}

bool Shapes(const TensorShape& shape, const TensorShape& origin, uint32_t typeSize, bool basic) {
    if (shape.GetDimNum() != 3 || origin.GetDimNum() != 3 || typeSize == 0) {
        return false;
    }
    const uint32_t h = Dim(shape, 2);
    const uint32_t originH = Dim(origin, 2);
    return Dim(shape, 0) == Dim(origin, 0) && Dim(shape, 1) == Dim(origin, 1) && originH != 0 && originH <= h &&
           h * typeSize % 32 == 0 && (!basic || (IsBasic(shape) && originH * typeSize % 32 == 0));
}

// The lengths of a shape [B, S, H], and of H before it was filled up.
template <typename Tiling>
void SetLengths(Tiling& t, const TensorShape& shape, uint32_t originalH) {
    t.bLength = Dim(shape, 0);
    t.sLength = Dim(shape, 1);
    t.hLength = Dim(shape, 2);
    t.originalHLength = originalH;
}

tiling::RmsNormTiling RmsNorm(const TensorShape& shape, const TensorShape& origin, uint32_t room) {
    tiling::RmsNormTiling t;
    SetLengths(t, shape, Dim(origin, 2));
    t.reciprocalOfHLength = 1.0f / static_cast<float>(t.originalHLength);
    const Rounds rounds(t.bLength * t.sLength, t.hLength, room);
    t.mainBsLength = rounds.one;
    t.mainBshLength = rounds.one * t.hLength;
    t.mainBsLengthAlign = Aligned(rounds.one, sizeof(float));
    t.loopRound = rounds.count;
    t.inputTailPos = rounds.count * t.mainBshLength;
    t.tailBsLength = rounds.rest;
    t.tailBshLength = rounds.rest * t.hLength;
    return t;
}

template <typename Tiling>
void SetRounds(Tiling& t, uint32_t rows, uint32_t length, uint32_t room) {
    const Rounds rounds(rows, length, room);
    t.inputXSize = rows * length;
    t.meanVarSize = rows;
    t.numberOfTmpBuf = 1;
    t.tmpBufSize = room / static_cast<uint32_t>(sizeof(float));
    t.oneTmpSize = rounds.one * length;
    t.loopRound = rounds.count;
    t.inputRoundSize = rounds.one * length;
    t.inputTailSize = rounds.rest * length;
    t.inputTailPos = rounds.count * t.inputRoundSize;
    t.meanVarRoundSize = rounds.one;
    t.meanVarTailSize = rounds.rest;
    t.meanVarTailPos = rounds.count * rounds.one;
}

// Without the four dims of the page a tiling holds no shape, which the kernel refuses.
tiling::LayerNormTiling LayerNorm(const TensorShape& shape, uint32_t room) {
    tiling::LayerNormTiling t;
    if (shape.GetDimNum() != 4) {
        return t;
    }
    SetLengths(t, shape, Dim(shape, 3));
    SetRounds(t, t.bLength * t.sLength, t.hLength, room);
    t.bshCurLength = t.inputRoundSize;
    t.bsCurLength = t.meanVarRoundSize;
    t.lastDimValueBack = t.hLength == 0 ? 0.0f : 1.0f / static_cast<float>(t.hLength);
    return t;
}

tiling::LayerNormSeparateTiling LayerNormSeparate(const TensorShape& shape, uint32_t room, uint32_t typeSize) {
    tiling::LayerNormSeparateTiling t;
    if (shape.GetDimNum() != 2) {
        return t;
    }
    t.aLength = Dim(shape, 0);
    t.rLength = Dim(shape, 1);
    SetRounds(t, t.aLength, Aligned(t.rLength, typeSize), room);
    t.arCurLength = t.inputRoundSize;
    t.aCurLength = t.meanVarRoundSize;
    t.rValueBack = t.rLength == 0 ? 0.0f : 1.0f / static_cast<float>(t.rLength);
    return t;
}

uint32_t Product(const TensorShape& shape, size_t dims) {
    uint32_t product = 1;
    for (size_t i = 0; i < dims && i < shape.GetDimNum(); ++i) {
        product *= Dim(shape, i);
    }
    return product;
}

// The gradients take their shape as LayerNorm does; the room is given in elements.
tiling::LayerNormGradTiling LayerNormGrad(const TensorShape& shape, uint32_t room, uint32_t typeSize) {
    tiling::LayerNormGradTiling t;
    if (shape.GetDimNum() != 4) {
        return t;
    }
    const Rounds rounds(Dim(shape, 0) * Dim(shape, 1), Dim(shape, 2), room * typeSize);
    t.stackBufferSize = room;
    SetLengths(t, shape, Dim(shape, 3));
    t.oneCalSize = rounds.one * t.hLength;
    t.nohCalSize = rounds.one;
    t.loopNum = rounds.count;
    t.tailSize = rounds.rest * t.hLength;
    t.nohTailSize = rounds.rest;
    return t;
}

tiling::LayerNormGradBetaTiling LayerNormGradBeta(const TensorShape& shape, uint32_t room, uint32_t typeSize) {
    tiling::LayerNormGradBetaTiling t;
    if (shape.GetDimNum() != 4) {
        return t;
    }
    const Rounds rounds(Dim(shape, 0) * Dim(shape, 1), Dim(shape, 2), room * typeSize);
    t.stackBufferSize = room;
    SetLengths(t, shape, Dim(shape, 3));
    t.bsLength = t.bLength * t.sLength;
    t.bshLength = t.bsLength * t.hLength;
    t.oneCalSize = rounds.one * t.hLength;
    t.numberOfTmpBuf = 1;
    t.loopRound = rounds.count;
    t.inputTailSize = rounds.rest * t.hLength;
    t.inputTailPos = rounds.count * t.oneCalSize;
    t.bsTailSize = rounds.rest;
    t.bshCurLength = t.oneCalSize;
    t.bsCurLength = rounds.one;
    return t;
}

// Page: 归一化操作/DeepNorm-Tiling
bool IsDeepBasic(const TensorShape& shape) {
    return Dim(shape, 0) * Dim(shape, 1) % 8 == 0 && Dim(shape, 2) % 64 == 0 && Dim(shape, 2) <= 2040;
}

bool DeepShapes(const TensorShape& shape, const TensorShape& origin, uint32_t typeSize, bool basic) {
    return Shapes(shape, origin, typeSize, false) && Dim(shape, 2) <= 2040 &&
           (!basic || (IsDeepBasic(shape) && Dim(origin, 2) == Dim(shape, 2)));
}

tiling::DeepNormTiling DeepNorm(const TensorShape& shape, const TensorShape& origin, uint32_t room) {
    tiling::DeepNormTiling t;
    SetLengths(t, shape, Dim(origin, 2));
    SetRounds(t, t.bLength * t.sLength, t.hLength, room);
    t.bshCurLength = t.inputRoundSize;
    t.bsCurLength = t.meanVarRoundSize;
    t.lastDimValueBack = 1.0f / static_cast<float>(t.originalHLength);
    return t;
}

// Without the four dims of the page, or channels in whole groups, a tiling holds no shape, which the kernel refuses.
tiling::GroupNormTiling GroupNorm(const TensorShape& shape, uint32_t room, uint32_t typeSize, uint32_t groups) {
    tiling::GroupNormTiling t;
    if (shape.GetDimNum() != 4 || groups == 0 || Dim(shape, 1) % groups != 0) {
        return t;
    }
    t.n = Dim(shape, 0);
    t.c = Dim(shape, 1);
    t.hw = Dim(shape, 2) * Dim(shape, 3);
    t.g = groups;
    t.d = t.c / groups;
    t.hwAlignSize = Aligned(t.hw, typeSize);
    t.dhwAlignSize = t.d * t.hwAlignSize;
    SetRounds(t, t.n * t.g, t.dhwAlignSize, room);
    t.bshCurLength = t.inputRoundSize;
    t.bsCurLength = t.meanVarRoundSize;
    t.factor = t.d * t.hw == 0 ? 0.0f : 1.0f / static_cast<float>(t.d * t.hw);
    return t;
}

bool BatchShapes(const TensorShape& shape, const TensorShape& origin, uint32_t typeSize, bool basic) {
    if (shape.GetDimNum() != 3 || origin.GetDimNum() != 3 || typeSize == 0) {
        return false;
    }
    const uint32_t columns = Dim(shape, 1) * Dim(shape, 2);
    const uint32_t rows = Dim(origin, 0);
    return rows != 0 && rows <= Dim(shape, 0) && columns != 0 && columns * typeSize % 32 == 0 &&
           (!basic || (rows % 8 == 0 && columns % 64 == 0 && columns < 2048));
}

tiling::BatchNormTiling BatchNorm(const TensorShape& shape, const TensorShape& origin, uint32_t room) {
    tiling::BatchNormTiling t;
    t.originalBLength = Dim(origin, 0);
    t.meanVarSize = Dim(shape, 1) * Dim(shape, 2);
    // A round is as many whole blocks of columns as fit the room with all their rows.
    const Rounds rounds(t.meanVarSize / 8, t.originalBLength * 8, room);
    t.tmpBufSize = room / static_cast<uint32_t>(sizeof(float));
    t.shCurLength = rounds.one * 8;
    t.bshCurLength = t.originalBLength * t.shCurLength;
    t.oneTmpSize = t.bshCurLength;
    t.loopRound = rounds.count;
    t.meanVarTailSize = rounds.rest * 8;
    t.meanVarTailPos = rounds.count * t.shCurLength;
    t.inputTailSize = t.originalBLength * t.meanVarTailSize;
    t.inputTailPos = t.meanVarTailPos;
    t.firstDimValueBack = 1.0f / static_cast<float>(t.originalBLength);
    t.shCurLengthBlockNum = rounds.one;
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

bool GetRmsNormMaxMinTmpSize(const TensorShape& srcShape, const uint32_t, uint32_t& maxValue, uint32_t& minValue,
                             const bool isBasicBlock) {
    if (srcShape.GetDimNum() != 3 || (isBasicBlock && !IsBasic(srcShape))) {
        return false;
    }
    RowSizes(static_cast<uint64_t>(srcShape.GetShapeSize()), maxValue, minValue);
    return true;
}

void GetLayerNormMaxMinTmpSize(const TensorShape& srcShape, const uint32_t, const bool, uint32_t& maxValue,
                               uint32_t& minValue) {
    RowSizes(Product(srcShape, 3), maxValue, minValue);
}

void GetLayerNormGradMaxMinTmpSize(const TensorShape& srcShape, const uint32_t, const bool, uint32_t& maxValue,
                                   uint32_t& minValue) {
    RowSizes(Product(srcShape, 3), maxValue, minValue);
}

void GetLayerNormGradBetaMaxMinTmpSize(const TensorShape& srcShape, const uint32_t, const bool, uint32_t& maxValue,
                                       uint32_t& minValue) {
    RowSizes(Product(srcShape, 3), maxValue, minValue);
}

bool GetDeepNormMaxMinTmpSize(const TensorShape& srcShape, const uint32_t, const bool, const bool isBasicBlock,
                              uint32_t& maxValue, uint32_t& minValue) {
    if (srcShape.GetDimNum() != 3 || Dim(srcShape, 2) > 2040 || (isBasicBlock && !IsDeepBasic(srcShape))) {
        return false;
    }
    RowSizes(Product(srcShape, 3), maxValue, minValue);
    return true;
}

void GetGroupNormMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize, const bool, const uint32_t,
                               uint32_t& maxValue, uint32_t& minValue) {
    const uint32_t plane = srcShape.GetDimNum() < 4 ? 0 : Dim(srcShape, 2) * Dim(srcShape, 3);
    RowSizes(uint64_t{Product(srcShape, 2)} * Aligned(plane, typeSize), maxValue, minValue);
}

bool GetBatchNormMaxMinTmpSize(const TensorShape& srcShape, const TensorShape& originSrcShape, const uint32_t typeSize,
                               const bool, uint32_t& maxValue, uint32_t& minValue, const bool isBasicBlock) {
    if (!BatchShapes(srcShape, originSrcShape, typeSize, isBasicBlock)) {
        return false;
    }
    RowSizes(Product(srcShape, 3), maxValue, minValue);
    return true;
}

void GetLayerNormMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize, const bool, const bool, const bool,
                               uint32_t& maxValue, uint32_t& minValue) {
    GetNormalizeMaxMinTmpSize(srcShape, typeSize, typeSize, false, true, false, maxValue, minValue);
}

void GetNormalizeMaxMinTmpSize(const TensorShape& srcShape, const uint32_t, const uint32_t typeSizeT, const bool,
                               const bool, const bool, uint32_t& maxValue, uint32_t& minValue) {
    uint64_t elements = 1;
    for (size_t i = 0; i < srcShape.GetDimNum(); ++i) {
        elements *= i + 1 == srcShape.GetDimNum() ? Aligned(Dim(srcShape, i), typeSizeT) : Dim(srcShape, i);
    }
    RowSizes(elements, maxValue, minValue);
}

void GetWelfordUpdateMaxMinTmpSize(const TensorShape& srcShape, const uint32_t, const uint32_t, const bool, const bool,
                                   uint32_t& maxValue, uint32_t& minValue) {
    RowSizes(static_cast<uint64_t>(srcShape.GetShapeSize()), maxValue, minValue);
}

void GetWelfordFinalizeMaxMinTmpSize(const TensorShape& srcShape, const uint32_t, const bool, uint32_t& maxValue,
                                     uint32_t& minValue) {
    RowSizes(static_cast<uint64_t>(srcShape.GetShapeSize()), maxValue, minValue);
}

#define SIM_NORM(space)                                                                                                \
    bool GetRmsNormTilingInfo(const TensorShape& srcShape, const TensorShape& originSrcShape, const uint32_t room,     \
                              const uint32_t typeSize, space::RmsNormTiling& tiling, const bool isBasicBlock) {        \
        if (!Shapes(srcShape, originSrcShape, typeSize, isBasicBlock) || room < SIM_ADV_STEP_BYTES) {                  \
            return false;                                                                                              \
        }                                                                                                              \
        Fill(RmsNorm(srcShape, originSrcShape, room), tiling);                                                         \
        return true;                                                                                                   \
    }                                                                                                                  \
    void GetLayerNormNDTilingInfo(const TensorShape& srcShape, const uint32_t room, const uint32_t, const bool,        \
                                  space::LayerNormTiling& tiling) {                                                    \
        Fill(LayerNorm(srcShape, room), tiling);                                                                       \
    }                                                                                                                  \
    void GetLayerNormNDTilingInfo(const TensorShape& srcShape, const uint32_t room, const uint32_t typeSize,           \
                                  const bool, const bool, space::LayerNormSeparateTiling& tiling) {                    \
        Fill(LayerNormSeparate(srcShape, room, typeSize), tiling);                                                     \
    }                                                                                                                  \
    void GetLayerNormGradNDTilingInfo(const TensorShape srcShape, const uint32_t room, const uint32_t typeSize,        \
                                      const bool, space::LayerNormGradTiling& tiling) {                                \
        Fill(LayerNormGrad(srcShape, room, typeSize), tiling);                                                         \
    }                                                                                                                  \
    void GetLayerNormGradBetaNDTilingInfo(const TensorShape srcShape, const uint32_t room, const uint32_t typeSize,    \
                                          const bool, space::LayerNormGradBetaTiling& tiling) {                        \
        Fill(LayerNormGradBeta(srcShape, room, typeSize), tiling);                                                     \
    }                                                                                                                  \
    bool GetDeepNormTilingInfo(const TensorShape& srcShape, const TensorShape& originSrcShape, const uint32_t room,    \
                               const uint32_t typeSize, const bool, const bool isBasicBlock,                           \
                               space::DeepNormTiling& tiling) {                                                        \
        if (!DeepShapes(srcShape, originSrcShape, typeSize, isBasicBlock) || room < SIM_ADV_STEP_BYTES) {              \
            return false;                                                                                              \
        }                                                                                                              \
        Fill(DeepNorm(srcShape, originSrcShape, room), tiling);                                                        \
        return true;                                                                                                   \
    }                                                                                                                  \
    void GetGroupNormNDTilingInfo(const TensorShape& srcShape, const uint32_t room, const uint32_t typeSize,           \
                                  const bool, const uint32_t groupNum, space::GroupNormTiling& tiling) {               \
        Fill(GroupNorm(srcShape, room, typeSize, groupNum), tiling);                                                   \
    }                                                                                                                  \
    bool GetBatchNormNDTilingInfo(const TensorShape& srcShape, const TensorShape& originSrcShape, const uint32_t room, \
                                  const uint32_t typeSize, const bool, space::BatchNormTiling& tilling,                \
                                  const bool isBasicBlock) {                                                           \
        if (!BatchShapes(srcShape, originSrcShape, typeSize, isBasicBlock) || room < SIM_ADV_STEP_BYTES) {             \
            return false;                                                                                              \
        }                                                                                                              \
        Fill(BatchNorm(srcShape, originSrcShape, room), tilling);                                                      \
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
