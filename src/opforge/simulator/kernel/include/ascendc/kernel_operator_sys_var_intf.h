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
inline constexpr uint32_t GetUBSizeInBytes() { return sim::kOnM200 ? 256 * 1024 : 192 * 1024; }
inline constexpr int16_t GetDataBlockSizeInBytes() { return 32; }
// 50 MHz on Atlas A2 and A3; here the host's time. Documentation: 系统资源与变量/GetSystemCycle(ISASI)
inline int64_t GetSystemCycle() { return sim::SystemCycle(); }
// Documentation: 系统资源与变量/GetArchVersion
inline void GetArchVersion(uint32_t& coreVersion) { coreVersion = sim::kOnM200 ? 0x200 : 0x220; }
// Documentation: 系统资源与变量/GetProgramCounter(ISASI)
inline int64_t GetProgramCounter() { return reinterpret_cast<int64_t>(__builtin_return_address(0)); }
// Ends the kernel with an error. Documentation: 调试接口/异常检测/Trap
[[noreturn]] inline void Trap(sim::Site site = sim::Site::Here()) { sim::TrapHere(site); }
// Of the vector registers, which Atlas A2 and A3 do not show. Documentation: 系统资源与变量/GetVecLen
template <typename T = void>
constexpr uint32_t GetVecLen() {
    static_assert(sim::kNever<T>, "GetVecLen: Atlas A2 and A3 have no registers of vectors (系统资源与变量/GetVecLen)");
    return 0;
}

}  // namespace AscendC

// The raw names of the compiler, still met in older kernels.
inline int64_t get_block_idx() { return sim::BlockIndex(); }
inline int64_t get_block_num() { return sim::BlockCount(); }
inline int64_t get_subblockid() { return sim::SubBlockIndex(); }
inline int64_t get_subblockdim() { return sim::SubBlockCount(); }

// Built-in variables. Documentation: guide/编程指南/语言扩展层/SIMD-BuiltIn关键字, 内置变量
namespace sim {
template <int64_t (*Value)()>
struct BuiltIn {
    operator int64_t() const { return Value(); }
};
}  // namespace sim
inline constexpr sim::BuiltIn<&get_block_idx> block_idx{};
inline constexpr sim::BuiltIn<&get_block_num> block_num{};

#endif
