// The rooms and tilings of Transpose's scenes.
// Page: SIMD-API/高阶API/张量变换/Transpose-Tiling
#include "shape_lengths.h"

namespace AscendC {
namespace {

constexpr uint32_t kSixteen = 16;
constexpr uint32_t kFractal = kSixteen * kSixteen;  // elements
constexpr uint32_t kSwapAxes = 2;                   // scenes 1 and 2
constexpr uint32_t kCutNz = 3;
constexpr uint32_t kCutNd = 4;
constexpr uint32_t kMatrix = 7;

uint32_t InSixteens(uint32_t length) { return Up(length, kSixteen); }

// Anything else leaves a tiling of zeros, which the kernel refuses.
bool Known(const TensorShape& shape, uint32_t typeSize, uint32_t scene) {
    return (typeSize == 2 || typeSize == 4) && scene >= 1 && scene <= kMatrix &&
           shape.GetDimNum() == (scene == kMatrix ? 2u : 4u);
}

void Sizes(const TensorShape& shape, uint32_t typeSize, uint32_t scene, uint32_t& most, uint32_t& least) {
    most = least = 0;
    if (!Known(shape, typeSize, scene) || scene == kMatrix) {
        return;
    }
    const uint32_t fractal = kFractal * typeSize;
    most = scene <= kSwapAxes ? InSixteens(Dim(shape, 2)) * kSixteen * typeSize : 2 * fractal;
    least = scene <= kSwapAxes ? fractal : 2 * fractal;
}

typedef tiling::ConfusionTransposeTiling Tiling;

// A shape [B, N, S, H/N] with its lengths in whole sixteens.
struct Lengths {
    Lengths(const TensorShape& shape, uint32_t size)
        : block(32 / size),
          n(Dim(shape, 1)),
          s(InSixteens(Dim(shape, 2))),
          h(Dim(shape, 3)),
          wide(InSixteens(h)),
          hidden(InSixteens(n * h)) {}
    uint32_t block, n, s, h, wide, hidden;
};

// Scenes 1 and 2: the room is filled from columns of `s` sixteens, in as many rounds as it takes.
void SetSwapped(Tiling& t, const Lengths& x, uint32_t room, uint32_t typeSize) {
    t.param3 = x.wide;
    t.param4 = x.s;
    t.param5 = x.wide / kSixteen;
    t.param6 = room / typeSize / kFractal * kFractal;
    t.param7 = t.param6 / kSixteen;
    t.param8 = x.s * kSixteen;
    t.param9 = t.param6 == 0 ? 0 : t.param8 / t.param6;
    t.param10 = t.param6 == 0 ? 0 : t.param8 % t.param6;
    t.param11 = x.wide * x.s;
    t.param12 = x.n * t.param11;
    t.param13 = x.n * x.wide;
    t.param14 = x.n * kSixteen;
    t.param15 = t.param9 * t.param7 * t.param13;
}

// Scene 3: the hidden axis cut into heads, fractal by fractal.
void SetCutNz(Tiling& t, const Lengths& x) {
    t.param3 = x.h;
    t.param4 = kSixteen / x.block;
    t.param5 = x.n * x.h;
    t.param6 = x.hidden / kSixteen;
    t.param7 = x.s / kSixteen;
    t.param8 = x.hidden;
    t.param9 = x.s;
    t.param10 = x.wide / kSixteen;
    t.param11 = x.wide;
    t.param12 = x.wide - x.h;
    t.param13 = kSixteen * x.s;
    t.param14 = x.n * t.param10;
    t.param15 = x.n * x.s * x.wide;
    t.param16 = x.s * x.hidden;
}

// Scene 4: the same, row by row.
void SetCutNd(Tiling& t, const Lengths& x) {
    t.param3 = x.h;
    t.param4 = x.n * x.h;
    t.param5 = x.hidden / kSixteen;
    t.param6 = x.s / kSixteen;
    t.param7 = x.wide / kSixteen;
    t.param8 = x.wide;
    t.param9 = x.wide - x.h;
    t.param10 = kSixteen * x.s;
    t.param11 = x.n * t.param7;
    t.param12 = x.s * x.wide;
    t.param13 = kSixteen * x.wide;
    t.param14 = x.block * x.wide;
    t.param15 = x.n * t.param12;
    t.param16 = x.s * x.hidden;
    t.param17 = kSixteen / x.block;
}

// Scenes 5 and 6: the heads merged into a hidden axis.
void SetMerged(Tiling& t, const Lengths& x) {
    t.param3 = x.h;
    t.param4 = x.n * x.h;
    t.param5 = x.hidden / kSixteen;
    t.param6 = x.s / kSixteen;
    t.param7 = x.wide / kSixteen;
    t.param8 = x.hidden;
    t.param9 = kSixteen * x.s;
    t.param10 = kSixteen * x.hidden;
    t.param11 = x.block * x.hidden;
    t.param12 = x.n * x.s * x.wide;
    t.param13 = x.s * x.hidden;
    t.param14 = kSixteen / x.block;
}

// Every field has the value that CANN's public library gives (measured: tests/fidelity/tiling).
Tiling TilingOf(const TensorShape& shape, uint32_t room, uint32_t typeSize, uint32_t scene) {
    Tiling t;
    if (!Known(shape, typeSize, scene)) {
        return t;
    }
    t.param0 = 32 / typeSize;
    t.param1 = Dim(shape, 0);
    t.param2 = Dim(shape, 1);
    if (scene == kMatrix) {
        t.param3 = t.param1 / kSixteen;
        t.param4 = t.param1;
        t.param5 = t.param2 / t.param0;
        return t;
    }
    const Lengths lengths(shape, typeSize);
    if (scene <= kSwapAxes) {
        SetSwapped(t, lengths, room, typeSize);
    } else if (scene == kCutNz) {
        SetCutNz(t, lengths);
    } else if (scene == kCutNd) {
        SetCutNd(t, lengths);
    } else {
        SetMerged(t, lengths);
    }
    return t;
}

#define SIM_SET(type, field) to.set_##field(from.field);
void Fill(const tiling::ConfusionTransposeTiling& from, optiling::ConfusionTransposeTiling& to) {
    SIM_CONFUSION_TRANSPOSE_TILING_FIELDS(SIM_SET)
}
#undef SIM_SET
void Fill(const tiling::ConfusionTransposeTiling& from, tiling::ConfusionTransposeTiling& to) { to = from; }

}  // namespace

void GetTransposeMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize, const uint32_t transposeTypeIn,
                               uint32_t& maxValue, uint32_t& minValue) {
    Sizes(srcShape, typeSize, transposeTypeIn, maxValue, minValue);
}

void GetConfusionTransposeMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize,
                                        const uint32_t transposeTypeIn, uint32_t& maxValue, uint32_t& minValue) {
    Sizes(srcShape, typeSize, transposeTypeIn, maxValue, minValue);
}

#define SIM_TRANSPOSE(space)                                                                                          \
    void GetTransposeTilingInfo(const TensorShape& srcShape, const uint32_t stackBufferSize, const uint32_t typeSize, \
                                const uint32_t transposeTypeIn, space::ConfusionTransposeTiling& tiling) {            \
        Fill(TilingOf(srcShape, stackBufferSize, typeSize, transposeTypeIn), tiling);                                 \
    }                                                                                                                 \
    void GetConfusionTransposeTilingInfo(const TensorShape& srcShape, const uint32_t stackBufferSize,                 \
                                         const uint32_t typeSize, const uint32_t transposeTypeIn,                     \
                                         space::ConfusionTransposeTiling& tiling) {                                   \
        Fill(TilingOf(srcShape, stackBufferSize, typeSize, transposeTypeIn), tiling);                                 \
    }                                                                                                                 \
    void GetConfusionTransposeOnlyTilingInfo(const TensorShape& srcShape, const uint32_t stackBufferSize,             \
                                             const uint32_t typeSize, space::ConfusionTransposeTiling& tiling) {      \
        Fill(TilingOf(srcShape, stackBufferSize, typeSize, kMatrix), tiling);                                         \
    }
SIM_TRANSPOSE(optiling)
SIM_TRANSPOSE(AscendC::tiling)
#undef SIM_TRANSPOSE

}  // namespace AscendC
