// The name under which operator repositories include it.
#ifndef OPFORGE_OP_KERNEL_MATH_UTIL_H
#define OPFORGE_OP_KERNEL_MATH_UTIL_H
#include "op_common/op_kernel/math_util.h"
#endif
