// The registers of the vector unit that calls leave behind: the mask, what Compare and SetCmpMask have written, the
// scale of SetDeqScale, and the results of the last reductions.
// Documentation: 基础API/Memory矢量计算/SIMD计算说明/掩码, 比较与选择, 类型转换辅助配置接口 and 归约计算辅助配置接口
#ifndef OPFORGE_SIM_KERNEL_VECTOR_REGISTERS_H
#define OPFORGE_SIM_KERNEL_VECTOR_REGISTERS_H

#include <cstdint>

#include "report/failure.h"

namespace sim {

struct Repeats;

// The lanes that take part in one call.
struct MaskedLanes {
    uint32_t times;     // repeats
    uint64_t bits[2];   // of each repeat but the last
    uint64_t last[2];   // of the last one
    uint64_t selected;  // lanes in all
};

struct VectorRegisters {
    bool counter = false;  // counter mode: mask[0] is the number of elements of a call
    uint64_t mask[2] = {~0ull, ~0ull};

    uint64_t cmpMask[2] = {0, 0};
    uint64_t cmpKnown[2] = {0, 0};  // its defined bits

    enum class Deq : uint8_t { kNone, kHalf };
    Deq deq = Deq::kNone;
    uint16_t deqHalf = 0;

    bool hasSum = false;
    uint64_t sum = 0;
    bool hasExtreme = false;
    bool hasExtremeIndex = false;
    uint64_t extreme = 0, extremeIndex = 0;

    // Sets the mask as the call's arguments say and returns what it selects of repeats of `lanes`.
    MaskedLanes Take(const Repeats& repeats, uint32_t lanes, const Call& call);
    // After a form by count: all lanes, normal mode.
    void ResetMask() {
        counter = false;
        mask[0] = mask[1] = ~0ull;
    }
};

// The first `lanes` lanes.
inline void FirstLanes(uint64_t lanes, uint64_t (&mask)[2]) {
    mask[0] = lanes >= 64 ? ~0ull : (1ull << lanes) - 1;
    mask[1] = lanes >= 128 ? ~0ull : (lanes > 64 ? (1ull << (lanes - 64)) - 1 : 0);
}

inline bool Selects(const uint64_t (&mask)[2], uint32_t lane) { return (mask[lane / 64] >> (lane % 64) & 1) != 0; }

// How many lanes, if they are the first ones; else -1.
int32_t PrefixOf(const uint64_t (&mask)[2]);

}  // namespace sim

#endif
