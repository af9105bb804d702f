// TPipe's queues on one core: who holds which buffer, and what a queue operation orders.
// Documentation: SIMD-API/基础API/资源管理/TQue, TQueBind
#ifndef OPFORGE_SIM_KERNEL_MEMORY_QUEUES_H
#define OPFORGE_SIM_KERNEL_MEMORY_QUEUES_H

#include <array>
#include <cstdint>
#include <vector>

#include "core_kind.h"
#include "order/clocks.h"
#include "sim_launch.h"

namespace sim {

// CO2 is a position on cores with both units alone, whose kernels have been compiled for them.
inline Memory MemoryAt(AscendC::TPosition position) {
    return position == AscendC::TPosition::CO2 ? Memory::kUb : MemoryOf(position);
}

// Whether a core of that kind has the memory.
inline bool HasMemory(CoreKind kind, Memory memory) {
    return kind == CoreKind::kCoupled || (memory == Memory::kUb) == (kind == CoreKind::kVector);
}

class Queues {
public:
    struct Place {
        uint32_t addr;
        uint32_t bytes;
    };

    void Begin(const sim_soc& soc, CoreKind kind);
    void Reset();
    // Fails for a tensor that was allocated and never freed.
    void CheckFreed() const;
    // Fails for no buffers, and for buffers of no bytes.
    static void CheckSizes(uint32_t buffers, uint32_t bytes, const Call& call);

    // The id of a new queue, over equal buffers that follow each other from `addr` on.
    int32_t Add(const QueueSpec& spec, uint32_t addr, uint32_t buffers, uint32_t bytes);
    int32_t Add(const QueueSpec& spec, const std::vector<Place>& places);
    Ub Alloc(PipeClocks& clocks, int32_t queue, const Call& call);
    void EnQue(PipeClocks& clocks, int32_t queue, const Ub& tensor, const Call& call);
    Ub DeQue(PipeClocks& clocks, int32_t queue, const Call& call);
    void Free(PipeClocks& clocks, int32_t queue, const Ub& tensor, const Call& call);
    void EnQueBetween(PipeClocks& clocks, int32_t queue, AscendC::TPosition source, AscendC::TPosition destination,
                      const Ub& tensor, const Call& call);
    Ub DeQueBetween(PipeClocks& clocks, int32_t queue, AscendC::TPosition source, AscendC::TPosition destination,
                    const Call& call);
    void FreeAllEvent(PipeClocks& clocks, int32_t queue, const Call& call);
    // The same for all queues: before a Reset.
    void SettleAll(PipeClocks& clocks);
    // What was freed in the pool is waited for.
    void SettlePool(PipeClocks& clocks, const Ub& pool);
    // An AscendC::TBufState.
    uint8_t StateOf(int32_t queue, const Ub& tensor, const Call& call);
    int32_t Ask(int32_t queue, QueueQuestion question, const Call& call);

    // An operand of an instruction. Fails when the buffer a tensor came from has been freed; devices go on as long as
    // nobody has written to the buffer since.
    void CheckAlive(const Ub& tensor, const char* role, bool write, const Call& call);

private:
    enum class State : uint8_t { kIdle, kHeld, kQueued };
    struct Buffer {
        uint32_t addr;
        uint32_t bytes;
        int32_t queue;
        State state = State::kIdle;
        uint32_t generation = 0;
        bool dequeued = false;
        bool freed = false;  // a flag of FreeTensor waits for the next AllocTensor
        bool used = false;   // written to since AllocTensor
        Clock filled{};      // when EnQue was called
        Clock emptied{};     // when FreeTensor was called
        Call allocated{};
    };
    struct Queue {
        QueueSpec spec;
        Pipe producer;
        Pipe consumer;
        int32_t first;
        int32_t count;
        std::vector<int32_t> waiting;  // never more than a few
        int32_t taken = -1;            // the buffer that DeQue gave out last
    };

    void EnQueBy(PipeClocks& clocks, int32_t queue, Pipe producer, const Ub& tensor, const Call& call);
    Ub DeQueBy(PipeClocks& clocks, int32_t queue, Pipe consumer, const Call& call);
    void Settle(PipeClocks& clocks, Buffer& buffer);
    Queue& QueueOf(int32_t queue, const Call& call);
    Buffer& BufferOf(int32_t queue, const Ub& tensor, const Call& call);

    const sim_soc* soc_ = nullptr;
    CoreKind kind_ = CoreKind::kVector;
    std::vector<Buffer> buffers_;
    std::vector<Queue> queues_;
    // Per TPosition, over all its queues: buffers that are allocated, and buffers whose flag of FreeTensor is pending.
    std::array<uint32_t, static_cast<size_t>(AscendC::TPosition::MAX)> held_{};
    std::array<uint32_t, static_cast<size_t>(AscendC::TPosition::MAX)> resting_{};
};

}  // namespace sim

#endif
