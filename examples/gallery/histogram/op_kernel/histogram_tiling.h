// What op_host tells the kernel of Histogram.
#ifndef HISTOGRAM_TILING_H
#define HISTOGRAM_TILING_H

#include <cstdint>

struct HistogramTilingData {
    uint32_t count;  // elements of x
    uint32_t bins;
};

#endif  // HISTOGRAM_TILING_H
