// The Matmul object of the high-level API: what a kernel that multiplies matrices includes.
// Documentation: SIMD-API/高阶API/矩阵计算/Matmul-Kernel侧接口/Matmul使用说明
#ifndef ASCENDC_LIB_MATMUL_INTF_H
#define ASCENDC_LIB_MATMUL_INTF_H

#include "matmul/matmul_config.h"
#include "matmul/matmul_object.h"
#include "matmul/matmul_register.h"

#endif
