// Synchronisation between the pipes of one core, and between cores.
// Documentation: SIMD-API/基础API/同步控制/核内同步, SIMD-API/基础API/同步控制/核间同步
#ifndef ASCENDC_KERNEL_OPERATOR_BLOCK_SYNC_INTF_H
#define ASCENDC_KERNEL_OPERATOR_BLOCK_SYNC_INTF_H

#ifndef ASCENDC_SIM_PUBLIC_HEADER
#define ASCENDC_SIM_PUBLIC_HEADER
#endif
#include "kernel_tensor.h"

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
        case E::MTE2_FIX:
            return {Pipe::kMte2, Pipe::kFix};
        case E::FIX_MTE2:
            return {Pipe::kFix, Pipe::kMte2};
        case E::FIX_S:
            return {Pipe::kFix, Pipe::kScalar};
        case E::M_S:
            return {Pipe::kMatrix, Pipe::kScalar};
        case E::FIX_MTE3:
            return {Pipe::kFix, Pipe::kMte3};
        case E::MTE1_FIX:
            return {Pipe::kMte1, Pipe::kFix};
        case E::FIX_MTE1:
            return {Pipe::kFix, Pipe::kMte1};
        case E::FIX_FIX:
            return {Pipe::kFix, Pipe::kFix};
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
        default:  // PIPE_ALL, and those of other products
            return Pipe::kCount;
    }
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

// The scalar unit waits for accesses of global memory, of the unified buffer, or of both, whichever pipe makes them.
// Documentation: 核内同步/DataSyncBarrier(ISASI)
template <MemDsbT arg0>
void DataSyncBarrier(sim::Site site = sim::Site::Here()) {
    static_assert(arg0 == MemDsbT::ALL || arg0 == MemDsbT::DDR || arg0 == MemDsbT::UB,
                  "DataSyncBarrier: SEQ is reserved (核内同步/DataSyncBarrier(ISASI))");
    sim::Barrier(sim::Pipe::kCount, true, site);
}

// Mode 0: all cores of this kind; 1: the AIVs of this block; 2: the AIC and the AIVs of this block. The signal is
// behind what `pipe` has done before. Documentation: 核间同步/CrossCoreSetFlag(ISASI)
template <uint8_t modeId, pipe_t pipe>
void CrossCoreSetFlag(uint16_t flagId, sim::Site site = sim::Site::Here()) {
    static_assert(modeId <= 2, "CrossCoreSetFlag: Atlas A2 and A3 have the modes 0, 1 and 2");
    static_assert(pipe != PIPE_S && pipe != PIPE_ALL, "CrossCoreSetFlag: PIPE_S and PIPE_ALL are not accepted");
    sim::CrossCoreSet(modeId, sim::PipeOf(pipe), flagId, site);
}

// Holds back all pipes of this core, whatever mode and pipe are given. Documentation: CrossCoreWaitFlag(ISASI)
template <uint8_t modeId = 0, pipe_t pipe = PIPE_S>
void CrossCoreWaitFlag(uint16_t flagId, sim::Site site = sim::Site::Here()) {
    static_assert(modeId <= 2, "CrossCoreWaitFlag: Atlas A2 and A3 have the modes 0, 1 and 2");
    static_assert(pipe != PIPE_ALL, "CrossCoreWaitFlag: PIPE_ALL is not accepted");
    sim::CrossCoreWait(flagId, site);
}
// The older name, still called beside ffts_cross_core_sync.
template <pipe_t pipe = PIPE_S>
void WaitEvent(uint16_t flagId, sim::Site site = sim::Site::Here()) {
    sim::CrossCoreWait(flagId, site);
}
// Where the hardware's flags lie: the launch knows.
inline void SetSyncBaseAddr(uint64_t config) { (void)config; }

// Documentation: 核间同步/SyncAll; by the hardware's flags, and by counters in global memory that are 0 at first.
template <bool isAIVOnly = true>
void SyncAll(sim::Site site = sim::Site::Here()) {
    sim::SyncAllHard(isAIVOnly, site);
}
template <bool isAIVOnly = true>
void SyncAll(const GlobalTensor<int32_t>& gmWorkspace, const LocalTensor<int32_t>& ubWorkspace,
             const int32_t usedCores = 0, sim::Site site = sim::Site::Here()) {
    static_assert(isAIVOnly, "SyncAll: over global memory only AIVs can be synchronised");
    sim::SyncAllSoft(gmWorkspace.Address(), gmWorkspace.GetSize() * sizeof(int32_t), ubWorkspace.Place(),
                     static_cast<uint32_t>(usedCores), site);
}

// One core says, another waits, in words of global memory that are 0 at first. Documentation: 核间同步/IBSet, IBWait
template <bool isAIVOnly = true>
void IBSet(const GlobalTensor<int32_t>& gmWorkspace, const LocalTensor<int32_t>& ubWorkspace, int32_t blockIdx,
           int32_t eventID, sim::Site site = sim::Site::Here()) {
    sim::IbSet(gmWorkspace.Address(), ubWorkspace.Place(), blockIdx, eventID, isAIVOnly, site);
}
template <bool isAIVOnly = true>
void IBWait(const GlobalTensor<int32_t>& gmWorkspace, const LocalTensor<int32_t>& ubWorkspace, int32_t blockIdx,
            int32_t eventID, sim::Site site = sim::Site::Here()) {
    sim::IbWait(gmWorkspace.Address(), ubWorkspace.Place(), blockIdx, eventID, isAIVOnly, site);
}

// Cores in the order of their indices: each waits for its turn and passes it on. gmWorkspace has 32 bytes for each AIV,
// ubWorkspace 32 more. Documentation: 核间同步/InitDetermineComputeWorkspace, WaitPreBlock, NotifyNextBlock
inline void InitDetermineComputeWorkspace(GlobalTensor<int32_t>& gmWorkspace, LocalTensor<int32_t>& ubWorkspace,
                                          sim::Site site = sim::Site::Here()) {
    sim::TurnInit(gmWorkspace.Address(), ubWorkspace.Place(), site);
}
inline void WaitPreBlock(GlobalTensor<int32_t>& gmWorkspace, LocalTensor<int32_t>& ubWorkspace,
                         sim::Site site = sim::Site::Here()) {
    sim::TurnWait(gmWorkspace.Address(), ubWorkspace.Place(), site);
}
inline void NotifyNextBlock(GlobalTensor<int32_t>& gmWorkspace, LocalTensor<int32_t>& ubWorkspace,
                            sim::Site site = sim::Site::Here()) {
    sim::TurnPass(gmWorkspace.Address(), ubWorkspace.Place(), site);
}

// Where operators of one super kernel may overlap: a launch of ours is alone, so nothing waits.
// Documentation: 同步控制/任务间同步/SetNextTaskStart, WaitPreTaskEnd
template <pipe_t AIV_PIPE = PIPE_MTE3, pipe_t AIC_PIPE = PIPE_FIX, bool FORCE = false>
void SetNextTaskStart() {}
template <bool FORCE = false>
void WaitPreTaskEnd() {}

}  // namespace AscendC

#endif
