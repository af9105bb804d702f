// What kernels include beside kernel_operator.h for AlignUp, DivCeil and the like.
// Documentation: SIMD-API/基础API/标量计算
#ifndef ASCENDC_KERNEL_UTILS_H
#define ASCENDC_KERNEL_UTILS_H

#include "kernel_operator.h"

#endif
