// The name of a part of lib/matmul_intf.h in older toolkits.
#ifndef ASCENDC_LIB_MATMUL_CONSTANT_TILING_H
#define ASCENDC_LIB_MATMUL_CONSTANT_TILING_H

#include "lib/matmul_intf.h"

#endif
