// System variables: which block this is, how many there are, and which of its cores.
// Documentation: SIMD-API/基础API/工具接口/系统资源与变量
#ifndef ASCENDC_KERNEL_OPERATOR_SYS_VAR_INTF_H
#define ASCENDC_KERNEL_OPERATOR_SYS_VAR_INTF_H

#ifndef ASCENDC_SIM_PUBLIC_HEADER
#define ASCENDC_SIM_PUBLIC_HEADER
#endif
#include "kernel_type.h"

namespace AscendC {

// AIC: 0 to block dim - 1. AIV: 0 to GetTaskRatio() * block dim - 1.
inline int64_t GetBlockIdx() { return sim::BlockIndex() * sim::SubBlockCount() + sim::SubBlockIndex(); }
inline int64_t GetBlockNum() { return sim::BlockCount(); }
// Which AIV of its block this is; 0 on an AIC.
inline int64_t GetSubBlockIdx() { return sim::SubBlockIndex(); }
// How many cores of this core's kind a block has.
inline int64_t GetSubBlockNum() { return sim::SubBlockCount(); }
inline int64_t GetTaskRatio() { return sim::SubBlockCount(); }
// The older spelling.
inline int64_t GetTaskRation() { return sim::SubBlockCount(); }
inline uint32_t GetUBSizeInBytes() { return sim::UbBytes(); }
inline constexpr uint32_t GetDataBlockSizeInBytes() { return 32; }

}  // namespace AscendC

// The raw names of the compiler, still met in older kernels.
inline int64_t get_block_idx() { return sim::BlockIndex(); }
inline int64_t get_block_num() { return sim::BlockCount(); }
inline int64_t get_subblockid() { return sim::SubBlockIndex(); }
inline int64_t get_subblockdim() { return sim::SubBlockCount(); }

#endif
