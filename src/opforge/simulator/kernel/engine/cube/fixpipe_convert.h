// What the way out of L0C does to a row of sums. Documentation: 基础API/矩阵计算（ISASI）/矩阵搬出关键特性说明/随路量化
#ifndef OPFORGE_SIM_KERNEL_CUBE_FIXPIPE_CONVERT_H
#define OPFORGE_SIM_KERNEL_CUBE_FIXPIPE_CONVERT_H

#include <cstdint>

#include "kernel_api.h"

namespace sim {

// QuantMode_t by its values.
enum Quant : uint32_t {
    kNone = NoQuant,
    kToHalf = F322F16,
    kToBfloat = F322BF16,
    kDeq = DEQF16,
    kVectorDeq = VDEQF16,
    kToByte = QF322B8_PRE,
    kVectorToByte = VQF322B8_PRE,
    kReq = REQ8,
    kVectorReq = VREQ8,
};

// `count` sums, float or int32_t, to the destination's type. `scales`: one word for all, or with `each` one a column.
void ConvertSums(uint32_t quant, bool relu, Dtype from, Dtype to, const void* sums, uint64_t count,
                 const uint64_t* scales, bool each, void* result);

}  // namespace sim

#endif
