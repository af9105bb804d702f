// What op_host tells the kernel of LogSoftmaxAdv.
#ifndef LOG_SOFTMAX_ADV_TILING_H
#define LOG_SOFTMAX_ADV_TILING_H

#include <cstdint>
#include "kernel_tiling/kernel_tiling.h"

struct LogSoftmaxAdvTilingData {
    uint32_t rows;
    uint32_t cols;
    uint32_t padded;  // columns of a row in the unified buffer
    uint32_t rowsPerTile;
    uint32_t room;  // bytes
    LogSoftMaxTiling softmax;
};

#endif  // LOG_SOFTMAX_ADV_TILING_H
