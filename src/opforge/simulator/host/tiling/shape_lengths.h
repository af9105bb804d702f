// Lengths of a shape, as the tilings of functions above the instructions count them.
#ifndef OPFORGE_HOST_TILING_SHAPE_LENGTHS_H
#define OPFORGE_HOST_TILING_SHAPE_LENGTHS_H

#include "lib/adv_tiling_api.h"

namespace AscendC {

inline uint32_t Dim(const TensorShape& shape, size_t i) { return static_cast<uint32_t>(shape.GetDim(i)); }
inline uint32_t Up(uint32_t length, uint32_t step) { return (length + step - 1) / step * step; }

}  // namespace AscendC

#endif
