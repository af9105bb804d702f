// Which axes a function reduces (R) and which it keeps (A), from the outermost on: tiling functions and kernels say it
// alike. Page: SIMD-API/高阶API, the functions that take a ReducePattern.
#ifndef OPFORGE_KERNEL_TILING_REDUCE_PATTERN_H
#define OPFORGE_KERNEL_TILING_REDUCE_PATTERN_H

#include <cstdint>

namespace AscendC {

enum class ReducePattern : uint32_t {
    AR = 0,
    RA = 1,
    R,
    ARA,
    ARAR,
    ARARA,
    ARARAR,
    ARARARA,
    ARARARAR,
    ARARARARA,
    RAR,
    RARA,
    RARAR,
    RARARA,
    RARARAR,
    RARARARA,
};

}  // namespace AscendC

#endif
