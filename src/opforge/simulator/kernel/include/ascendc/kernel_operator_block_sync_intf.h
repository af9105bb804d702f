// Synchronisation between the pipes of one core.
// Documentation: SIMD-API/基础API/同步控制/核内同步
#ifndef ASCENDC_KERNEL_OPERATOR_BLOCK_SYNC_INTF_H
#define ASCENDC_KERNEL_OPERATOR_BLOCK_SYNC_INTF_H

#ifndef ASCENDC_SIM_PUBLIC_HEADER
#define ASCENDC_SIM_PUBLIC_HEADER
#endif
#include "kernel_type.h"

namespace sim {

struct PipePair {
    Pipe from;
    Pipe to;
};

constexpr PipePair PipesOf(AscendC::HardEvent event) {
    using E = AscendC::HardEvent;
    switch (event) {
        case E::MTE2_MTE1:
            return {Pipe::kMte2, Pipe::kMte1};
        case E::MTE1_MTE2:
            return {Pipe::kMte1, Pipe::kMte2};
        case E::MTE1_M:
            return {Pipe::kMte1, Pipe::kMatrix};
        case E::M_MTE1:
            return {Pipe::kMatrix, Pipe::kMte1};
        case E::MTE2_V:
            return {Pipe::kMte2, Pipe::kVector};
        case E::V_MTE2:
            return {Pipe::kVector, Pipe::kMte2};
        case E::MTE3_V:
            return {Pipe::kMte3, Pipe::kVector};
        case E::V_MTE3:
            return {Pipe::kVector, Pipe::kMte3};
        case E::M_V:
            return {Pipe::kMatrix, Pipe::kVector};
        case E::V_M:
            return {Pipe::kVector, Pipe::kMatrix};
        case E::V_V:
            return {Pipe::kVector, Pipe::kVector};
        case E::MTE3_MTE1:
            return {Pipe::kMte3, Pipe::kMte1};
        case E::MTE1_MTE3:
            return {Pipe::kMte1, Pipe::kMte3};
        case E::MTE1_V:
            return {Pipe::kMte1, Pipe::kVector};
        case E::MTE2_M:
            return {Pipe::kMte2, Pipe::kMatrix};
        case E::M_MTE2:
            return {Pipe::kMatrix, Pipe::kMte2};
        case E::V_MTE1:
            return {Pipe::kVector, Pipe::kMte1};
        case E::M_FIX:
            return {Pipe::kMatrix, Pipe::kFix};
        case E::FIX_M:
            return {Pipe::kFix, Pipe::kMatrix};
        case E::MTE3_MTE2:
            return {Pipe::kMte3, Pipe::kMte2};
        case E::MTE2_MTE3:
            return {Pipe::kMte2, Pipe::kMte3};
        case E::S_V:
            return {Pipe::kScalar, Pipe::kVector};
        case E::V_S:
            return {Pipe::kVector, Pipe::kScalar};
        case E::S_MTE2:
            return {Pipe::kScalar, Pipe::kMte2};
        case E::MTE2_S:
            return {Pipe::kMte2, Pipe::kScalar};
        case E::S_MTE3:
            return {Pipe::kScalar, Pipe::kMte3};
        case E::MTE3_S:
            return {Pipe::kMte3, Pipe::kScalar};
        case E::MAX:
            break;
    }
    return {Pipe::kCount, Pipe::kCount};
}

constexpr Pipe PipeOf(pipe_t pipe) {
    switch (pipe) {
        case PIPE_S:
            return Pipe::kScalar;
        case PIPE_V:
            return Pipe::kVector;
        case PIPE_M:
            return Pipe::kMatrix;
        case PIPE_MTE1:
            return Pipe::kMte1;
        case PIPE_MTE2:
            return Pipe::kMte2;
        case PIPE_MTE3:
            return Pipe::kMte3;
        case PIPE_FIX:
            return Pipe::kFix;
        case PIPE_ALL:
            break;
    }
    return Pipe::kCount;
}

}  // namespace sim

namespace AscendC {

// Documentation: 核内同步/PipeBarrier(ISASI); PIPE_S is ordered by the hardware and not accepted.
template <pipe_t pipe>
void PipeBarrier(sim::Site site = sim::Site::Here()) {
    static_assert(pipe != PIPE_S, "PipeBarrier: PIPE_S is ordered by the hardware and not accepted");
    sim::Barrier(sim::PipeOf(pipe), pipe == PIPE_ALL, site);
}

// Documentation: 核内同步/SetFlag-WaitFlag(ISASI); ids 0 to 7 on Atlas A2 and A3.
template <HardEvent event>
void SetFlag(int32_t eventID, sim::Site site = sim::Site::Here()) {
    sim::SetFlag(sim::PipesOf(event).from, sim::PipesOf(event).to, eventID, site);
}

template <HardEvent event>
void WaitFlag(int32_t eventID, sim::Site site = sim::Site::Here()) {
    sim::WaitFlag(sim::PipesOf(event).from, sim::PipesOf(event).to, eventID, site);
}

}  // namespace AscendC

#endif
