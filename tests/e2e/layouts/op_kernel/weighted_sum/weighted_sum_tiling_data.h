#ifndef WEIGHTED_SUM_TILING_DATA_H
#define WEIGHTED_SUM_TILING_DATA_H

#include <cstdint>

struct WeightedSumTilingData {
    int64_t totalElements;
    int64_t elementsPerBlock;
    float alpha;
};

#endif  // WEIGHTED_SUM_TILING_DATA_H
