// The name under which operator repositories include it.
#ifndef OPFORGE_OP_KERNEL_PLATFORM_UTIL_H
#define OPFORGE_OP_KERNEL_PLATFORM_UTIL_H
#include "op_common/op_kernel/platform_util.h"
#endif
