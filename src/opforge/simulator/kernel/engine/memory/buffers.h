// TPipe's buffers on one core: what it has given out of each memory, also to queues and pools.
// Documentation: SIMD-API/基础API/资源管理/TPipe, TBufPool
#ifndef OPFORGE_SIM_KERNEL_MEMORY_BUFFERS_H
#define OPFORGE_SIM_KERNEL_MEMORY_BUFFERS_H

#include <array>
#include <cstdint>
#include <vector>

#include "core_kind.h"
#include "queues.h"
#include "sim_launch.h"

namespace sim {

class Buffers {
public:
    void Begin(const sim_soc& soc, CoreKind kind);

    // Fails where another TPipe has not been destroyed, unless the launch is judged as on a device.
    void Open(void* pipe, const Call& call);
    // `pipe` gives out what follows. Of several only one can have buffers: there is one set of books.
    void Use(void* pipe, const Call& call);
    void Reset();
    // Fails for a tensor that was allocated and never freed.
    void Close(void* pipe);
    void* Current() const { return pipe_; }
    // Whether InitBuffer has been called since the TPipe was made.
    bool Any() const { return blocks_ != 0; }
    // Most bytes of one of this core's memories that were taken at once.
    uint64_t Peak(Memory memory) const;
    // What the Matmul object takes of the memories beside the TPipe.
    void TakeForMatmul(Memory memory, uint64_t bytes);

    int32_t InitQueue(const QueueSpec& spec, uint32_t buffers, uint32_t bytes, const Call& call);
    Ub InitBuffer(AscendC::TPosition position, uint32_t bytes, const Call& call);
    // A queue at places of the kernel's own (sim/engine.h: QueueAt).
    int32_t QueueAt(const QueueSpec& spec, const uint64_t* places, uint32_t count, const Call& call);
    // TBufPool: its place, one that shares the place of another, and `count` buffers of it, of which the first is
    // returned.
    Ub Pool(AscendC::TPosition position, uint32_t bytes, const Call& call);
    Ub Share(const Ub& pool, uint32_t bytes, const Call& call);
    Ub Take(const Ub& pool, PoolUse& used, uint32_t most, uint32_t count, uint32_t bytes, const Call& call);
    // What nobody has taken of a position's memory.
    Ub Left(AscendC::TPosition position) const;
    sim::Queues& Queues() { return queues_; }

private:
    uint32_t Take(Memory memory, uint64_t bytes, const Call& call);

    const sim_soc* soc_ = nullptr;
    CoreKind kind_ = CoreKind::kVector;
    void* pipe_ = nullptr;                                             // the last that was made
    void* owner_ = nullptr;                                            // whose buffers there are
    std::vector<void*> pipes_;                                         // all that have not been destroyed
    std::array<uint32_t, static_cast<size_t>(Memory::kCount)> top_{};  // first free byte of each memory
    std::array<uint32_t, static_cast<size_t>(Memory::kCount)> peak_{};
    std::array<uint64_t, static_cast<size_t>(Memory::kCount)> matmul_{};
    uint32_t blocks_ = 0;
    sim::Queues queues_;
};

}  // namespace sim

#endif
