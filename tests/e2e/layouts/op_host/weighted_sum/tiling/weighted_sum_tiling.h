#ifndef WEIGHTED_SUM_TILING_H
#define WEIGHTED_SUM_TILING_H

#include "../../../op_kernel/weighted_sum/weighted_sum_tiling_data.h"

namespace optiling {
constexpr int64_t kLineElements = 128;  // of 512 bytes, which no two cores should share
}  // namespace optiling

#endif  // WEIGHTED_SUM_TILING_H
