// System variables: which block this is, how many there are.
// Documentation: SIMD-API/基础API/工具接口/系统资源与变量
#ifndef ASCENDC_KERNEL_OPERATOR_SYS_VAR_INTF_H
#define ASCENDC_KERNEL_OPERATOR_SYS_VAR_INTF_H

#ifndef ASCENDC_SIM_PUBLIC_HEADER
#define ASCENDC_SIM_PUBLIC_HEADER
#endif
#include "kernel_type.h"

namespace AscendC {

inline int64_t GetBlockIdx() { return sim::BlockIndex(); }
inline int64_t GetBlockNum() { return sim::BlockCount(); }
// One vector core per block: only AIV-only kernels are simulated.
inline int64_t GetSubBlockIdx() { return 0; }
inline int64_t GetSubBlockNum() { return 1; }
inline int64_t GetTaskRatio() { return 1; }
inline uint32_t GetUBSizeInBytes() { return sim::UbBytes(); }
inline constexpr uint32_t GetDataBlockSizeInBytes() { return 32; }

}  // namespace AscendC

// The raw names of the compiler, still met in older kernels.
inline int64_t get_block_idx() { return sim::BlockIndex(); }
inline int64_t get_block_num() { return sim::BlockCount(); }

#endif
