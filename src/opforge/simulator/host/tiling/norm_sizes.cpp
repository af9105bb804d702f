// The rooms of normalisation, by the shapes that its functions take.
// Pages: SIMD-API/高阶API/归一化操作: the *-Tiling pages
#include "norm_shapes.h"

namespace AscendC {
namespace {

uint32_t Product(const TensorShape& shape, size_t dims) {
    uint32_t product = 1;
    for (size_t i = 0; i < dims && i < shape.GetDimNum(); ++i) {
        product *= Dim(shape, i);
    }
    return product;
}

void Sizes(const sim_adv_sizes& sizes, uint32_t& most, uint32_t& least) {
    most = static_cast<uint32_t>(sizes.most);
    least = static_cast<uint32_t>(sizes.least);
}

uint32_t Columns(const TensorShape& shape) { return shape.GetDimNum() == 0 ? 0 : Dim(shape, shape.GetDimNum() - 1); }
uint32_t Rows(const TensorShape& shape) { return shape.GetDimNum() == 0 ? 0 : Product(shape, shape.GetDimNum() - 1); }

}  // namespace

bool IsBasicRmsNorm(const TensorShape& shape) {
    return Product(shape, 2) % 8 == 0 && Dim(shape, 2) % 64 == 0 && Dim(shape, 2) < 2048;
}

bool IsBasicDeepNorm(const TensorShape& shape) { return Product(shape, 2) % 8 == 0 && Dim(shape, 2) % 64 == 0; }

bool NormShapes(const TensorShape& shape, const TensorShape& origin, uint32_t typeSize, bool basic) {
    if (shape.GetDimNum() != 3 || origin.GetDimNum() != 3 || typeSize == 0) {
        return false;
    }
    const uint32_t h = Dim(shape, 2);
    const uint32_t originH = Dim(origin, 2);
    return Dim(shape, 0) == Dim(origin, 0) && Dim(shape, 1) == Dim(origin, 1) && originH != 0 && originH <= h &&
           h * typeSize % 32 == 0 && (!basic || IsBasicRmsNorm(shape));
}

bool DeepNormShapes(const TensorShape& shape, const TensorShape& origin, uint32_t typeSize, bool basic) {
    return NormShapes(shape, origin, typeSize, false) &&
           (!basic || (IsBasicDeepNorm(shape) && Dim(origin, 2) == Dim(shape, 2)));
}

bool BatchNormShapes(const TensorShape& shape, const TensorShape& origin, uint32_t typeSize, bool basic) {
    if (shape.GetDimNum() != 3 || origin.GetDimNum() != 3 || typeSize == 0) {
        return false;
    }
    const uint32_t columns = Dim(shape, 1) * Dim(shape, 2);
    const uint32_t rows = Dim(origin, 0);
    return rows != 0 && rows <= Dim(shape, 0) && columns != 0 && columns * typeSize % 32 == 0 &&
           (!basic || (rows % 8 == 0 && columns % 64 == 0 && Dim(shape, 2) < 2048));
}

sim_adv_sizes RmsNormSizes(const TensorShape& shape, uint32_t typeSize) {
    return sim_adv_rms_norm(Product(shape, 2), Dim(shape, 2), typeSize);
}

sim_adv_sizes DeepNormSizes(const TensorShape& shape, uint32_t typeSize, bool reuse) {
    return sim_adv_layer_norm(Product(shape, 2), Dim(shape, 2), typeSize, reuse);
}

sim_adv_sizes BatchNormSizes(const TensorShape& origin, uint32_t typeSize, bool basic) {
    return sim_adv_batch_norm(Dim(origin, 0), Dim(origin, 1) * Dim(origin, 2), typeSize, basic);
}

bool GetRmsNormMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize, uint32_t& maxValue,
                             uint32_t& minValue, const bool isBasicBlock) {
    if (srcShape.GetDimNum() != 3 || (isBasicBlock && !IsBasicRmsNorm(srcShape))) {
        return false;
    }
    Sizes(RmsNormSizes(srcShape, typeSize), maxValue, minValue);
    return true;
}

void GetLayerNormMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize, const bool isReuseSource,
                               uint32_t& maxValue, uint32_t& minValue) {
    Sizes(sim_adv_layer_norm(Product(srcShape, 2), srcShape.GetDimNum() < 3 ? 0 : Dim(srcShape, 2), typeSize,
                             isReuseSource),
          maxValue, minValue);
}

void GetLayerNormGradMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize, const bool isReuseSource,
                                   uint32_t& maxValue, uint32_t& minValue) {
    Sizes(sim_adv_layer_norm_grad(Product(srcShape, 2), srcShape.GetDimNum() < 3 ? 0 : Dim(srcShape, 2), typeSize,
                                  isReuseSource),
          maxValue, minValue);
}

void GetLayerNormGradBetaMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize, const bool,
                                       uint32_t& maxValue, uint32_t& minValue) {
    Sizes(sim_adv_layer_norm_grad_beta(Product(srcShape, 2), srcShape.GetDimNum() < 3 ? 0 : Dim(srcShape, 2), typeSize),
          maxValue, minValue);
}

bool GetDeepNormMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize, const bool isReuseSource,
                              const bool isBasicBlock, uint32_t& maxValue, uint32_t& minValue) {
    if (srcShape.GetDimNum() != 3 || (isBasicBlock && !IsBasicDeepNorm(srcShape))) {
        return false;
    }
    Sizes(DeepNormSizes(srcShape, typeSize, isReuseSource), maxValue, minValue);
    return true;
}

void GetGroupNormMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize, const bool isReuseSource,
                               const uint32_t groupNum, uint32_t& maxValue, uint32_t& minValue) {
    if (srcShape.GetDimNum() != 4 || groupNum == 0 || typeSize == 0) {
        maxValue = minValue = 0;
        return;
    }
    const uint32_t plane = Up(Dim(srcShape, 2) * Dim(srcShape, 3), 32 / typeSize);
    Sizes(sim_adv_layer_norm(uint64_t{Dim(srcShape, 0)} * groupNum, uint64_t{Dim(srcShape, 1) / groupNum} * plane,
                             typeSize, isReuseSource),
          maxValue, minValue);
}

bool GetBatchNormMaxMinTmpSize(const TensorShape& srcShape, const TensorShape& originSrcShape, const uint32_t typeSize,
                               const bool, uint32_t& maxValue, uint32_t& minValue, const bool isBasicBlock) {
    if (!BatchNormShapes(srcShape, originSrcShape, typeSize, isBasicBlock)) {
        return false;
    }
    Sizes(BatchNormSizes(originSrcShape, typeSize, isBasicBlock), maxValue, minValue);
    return true;
}

void GetLayerNormMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize, const bool, const bool, const bool,
                               uint32_t& maxValue, uint32_t& minValue) {
    Sizes(sim_adv_layer_norm_rstd(Rows(srcShape), Columns(srcShape), typeSize), maxValue, minValue);
}

void GetNormalizeMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSizeU, const uint32_t, const bool,
                               const bool, const bool, uint32_t& maxValue, uint32_t& minValue) {
    Sizes(sim_adv_normalize(Rows(srcShape), Columns(srcShape), typeSizeU), maxValue, minValue);
}

void GetWelfordUpdateMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSizeT, const uint32_t,
                                   const bool isReuseSource, const bool, uint32_t& maxValue, uint32_t& minValue) {
    Sizes(sim_adv_welford_update(static_cast<uint64_t>(srcShape.GetShapeSize()), typeSizeT, isReuseSource), maxValue,
          minValue);
}

// The page's shape has one dim of whole eights; any other leaves the sizes as they were.
void GetWelfordFinalizeMaxMinTmpSize(const TensorShape& srcShape, const uint32_t, const bool, uint32_t& maxValue,
                                     uint32_t& minValue) {
    if (srcShape.GetDimNum() == 1 && Dim(srcShape, 0) % 8 == 0) {
        Sizes(sim_adv_welford_finalize(Dim(srcShape, 0)), maxValue, minValue);
    }
}

}  // namespace AscendC
