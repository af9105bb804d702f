// Ops::Base: axes, and shapes that are not known before the run: [-2] for any rank, -1 for any size.
#ifndef OPFORGE_OP_COMMON_OP_HOST_UTIL_SHAPE_UTIL_H
#define OPFORGE_OP_COMMON_OP_HOST_UTIL_SHAPE_UTIL_H

#include <cstdint>
#include "exe_graph/runtime/shape.h"

namespace Ops {
namespace Base {

// An axis may count from the end; a scalar has axis 0 only.
template <typename T1, typename T2>
bool CheckAxisBounds(const T1 dim_num, const T2 axis) {
    const int64_t rank = static_cast<int64_t>(dim_num);
    const int64_t index = static_cast<int64_t>(axis);
    return rank == 0 ? index == 0 : index >= -rank && index < rank;
}

inline void SetUnknownRank(gert::Shape& shape) {
    shape.SetDimNum(1);
    shape.SetDim(0, -2);
}
inline bool IsUnknownRank(const gert::Shape& shape) { return shape.GetDimNum() == 1 && shape.GetDim(0) == -2; }
inline void SetUnknownShape(int64_t rank, gert::Shape& shape) {
    shape.SetDimNum(static_cast<size_t>(rank));
    for (int64_t i = 0; i < rank; ++i) {
        shape.SetDim(static_cast<size_t>(i), -1);
    }
}
inline bool IsUnknownShape(const gert::Shape& shape) {
    for (size_t i = 0; i < shape.GetDimNum(); ++i) {
        if (shape.GetDim(i) < 0) {
            return true;
        }
    }
    return false;
}

}  // namespace Base
}  // namespace Ops
#endif
