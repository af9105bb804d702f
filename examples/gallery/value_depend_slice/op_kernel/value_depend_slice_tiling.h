// What op_host tells the kernel of ValueDependSlice.
#ifndef VALUE_DEPEND_SLICE_TILING_H
#define VALUE_DEPEND_SLICE_TILING_H

#include <cstdint>

struct ValueDependSliceTilingData {
    uint64_t first;  // row
    uint32_t rows;
    uint32_t width;
};

#endif  // VALUE_DEPEND_SLICE_TILING_H
