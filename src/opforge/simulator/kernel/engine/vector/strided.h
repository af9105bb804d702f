// One operand of repeats with strides: where its lanes lie, and what they hold.
// Documentation: 基础API/Memory矢量计算/SIMD计算说明
#ifndef OPFORGE_SIM_KERNEL_VECTOR_STRIDED_H
#define OPFORGE_SIM_KERNEL_VECTOR_STRIDED_H

#include "core.h"

namespace sim {

inline constexpr uint32_t kRepeatBytes = 256;
inline constexpr uint32_t kBlockBytes = 32;

struct LaneOperand {
    const char* role;
    Ub place;
    uint32_t bits;  // of an element: 4 for int4b_t, else a multiple of 8
};

inline uint64_t BytesFor(uint64_t count, uint32_t bits) { return (count * bits + 7) / 8; }

// Block and repeat stride are in blocks of 32 bytes.
struct Strided {
    LaneOperand operand;
    uint32_t block, repeat;
};
// Bytes from the operand's start to the end of the last lane that takes part.
uint64_t ExtentOf(const Strided& strided, const MaskedLanes& mask, uint32_t lanes);
// The lanes of one repeat, side by side; `origins` (one a lane: the weakest of what is there and of the lane's bytes)
// may be null. Only blocks with a selected lane are read.
void Gather(Core& core, const Strided& strided, uint32_t repeat, const uint64_t (&mask)[2], uint32_t lanes,
            uint8_t* values, Origin* origins);
// Tells the shadow of one repeat's reads.
void ReadRepeat(Core& core, const Strided& strided, uint32_t repeat, const uint64_t (&mask)[2], uint32_t lanes,
                uint32_t number, const Call& call);

// Where the byte of a repeat lies.
inline uint32_t AddrOf(const Strided& s, uint32_t repeat, uint32_t byte) {
    return s.operand.place.addr + (repeat * s.repeat + byte / kBlockBytes * s.block) * kBlockBytes + byte % kBlockBytes;
}

}  // namespace sim

#endif
