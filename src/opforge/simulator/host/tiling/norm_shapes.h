// What functions of normalisation take: shapes [B, S, H] with the original one beside them, and the rooms for them.
// Pages: SIMD-API/高阶API/归一化操作: the *-Tiling pages
#ifndef OPFORGE_HOST_TILING_NORM_SHAPES_H
#define OPFORGE_HOST_TILING_NORM_SHAPES_H

#include "shape_lengths.h"
#include "sim_adv_norm_rooms.h"

namespace AscendC {

// The page's basic blocks; DeepNorm's tiling has rows of 2040 elements at most.
bool IsBasicRmsNorm(const TensorShape& shape);
bool IsBasicDeepNorm(const TensorShape& shape);

bool NormShapes(const TensorShape& shape, const TensorShape& origin, uint32_t typeSize, bool basic);
bool DeepNormShapes(const TensorShape& shape, const TensorShape& origin, uint32_t typeSize, bool basic);
bool BatchNormShapes(const TensorShape& shape, const TensorShape& origin, uint32_t typeSize, bool basic);

sim_adv_sizes RmsNormSizes(const TensorShape& shape, uint32_t typeSize);
sim_adv_sizes DeepNormSizes(const TensorShape& shape, uint32_t typeSize, bool reuse);
sim_adv_sizes BatchNormSizes(const TensorShape& origin, uint32_t typeSize, bool basic);

}  // namespace AscendC

#endif
