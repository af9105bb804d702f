// The name of lib/matmul_intf.h in older toolkits.
#ifndef ASCENDC_LIB_MATRIX_MATMUL_MATMUL_H
#define ASCENDC_LIB_MATRIX_MATMUL_MATMUL_H

#include "lib/matmul_intf.h"

#endif
