// Ops::Base in kernels: sizes of the vector unit, in bytes.
#ifndef OPFORGE_OP_COMMON_OP_KERNEL_PLATFORM_UTIL_H
#define OPFORGE_OP_COMMON_OP_KERNEL_PLATFORM_UTIL_H

#include "kernel_operator.h"

namespace Ops {
namespace Base {

__aicore__ inline constexpr uint32_t GetUbBlockSize() { return 32U; }

__aicore__ inline constexpr uint32_t GetVRegSize() { return 256U; }

}  // namespace Base
}  // namespace Ops
#endif
