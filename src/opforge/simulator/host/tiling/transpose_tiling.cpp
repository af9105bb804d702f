// The rooms and tilings of Transpose's scenes.
// Page: SIMD-API/高阶API/张量变换/Transpose-Tiling
#include "lib/adv_tiling_api.h"

namespace AscendC {
namespace {

constexpr uint32_t kSixteen = 16;
constexpr uint32_t kFractal = kSixteen * kSixteen;  // elements
constexpr uint32_t kSwapAxes = 2;                   // scenes 1 and 2
constexpr uint32_t kMatrix = 7;

uint32_t Dim(const TensorShape& shape, size_t i) { return static_cast<uint32_t>(shape.GetDim(i)); }
uint32_t Up(uint32_t length) { return (length + kSixteen - 1) / kSixteen * kSixteen; }

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
    most = scene <= kSwapAxes ? Up(Dim(shape, 2)) * kSixteen * typeSize : 2 * fractal;
    least = scene <= kSwapAxes ? fractal : 2 * fractal;
}

tiling::ConfusionTransposeTiling TilingOf(const TensorShape& shape, uint32_t room, uint32_t typeSize, uint32_t scene) {
    tiling::ConfusionTransposeTiling t;
    if (!Known(shape, typeSize, scene)) {
        return t;
    }
    t.param0 = 32 / typeSize;
    t.param1 = Dim(shape, 0);
    t.param2 = Dim(shape, 1);
    if (scene == kMatrix) {
        return t;
    }
    const uint32_t s = Dim(shape, 2), h = Dim(shape, 3);
    if (scene <= kSwapAxes) {
        t.param3 = Up(h);
        t.param4 = Up(s);
        t.param6 = room / typeSize / kFractal * kFractal;
    } else {
        t.param3 = h;
        t.param6 = Up(s) / kSixteen;
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
