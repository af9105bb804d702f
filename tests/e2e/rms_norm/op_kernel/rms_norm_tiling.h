#ifndef RMS_NORM_TILING_H
#define RMS_NORM_TILING_H

#include "rms_norm_args.h"

struct RMSNormTilingData {
    RMSNormArgs args;
    int64_t rows;
    int64_t hidden;
    int64_t rowsPerBlock;
};

#endif  // RMS_NORM_TILING_H
