// The place of newer toolkits for lib/matmul_intf.h.
// Documentation: SIMD-API/高阶API/矩阵计算/Matmul-Kernel侧接口/Matmul使用说明
#ifndef ASCENDC_LIB_MATMUL_MATMUL_INTF_H
#define ASCENDC_LIB_MATMUL_MATMUL_INTF_H

#include "../matmul_intf.h"

#endif
