// TPipe's buffers and queues on one core: who holds which buffer, and what a queue operation orders.
// Documentation: SIMD-API/基础API/资源管理/TPipe, TQue, TQueBind
#ifndef OPFORGE_SIM_KERNEL_MEMORY_BUFFERS_H
#define OPFORGE_SIM_KERNEL_MEMORY_BUFFERS_H

#include <array>
#include <cstdint>
#include <vector>

#include "order/clocks.h"
#include "core_kind.h"
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
    void Close(void* pipe, const PipeClocks& clocks);
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
    // Equal buffers that follow each other from `addr` on.
    int32_t AddQueue(const QueueSpec& spec, uint32_t addr, uint32_t buffers, uint32_t bytes);
    // TBufPool: its place, one that shares the place of another, and `count` buffers of it, of which the first is
    // returned.
    Ub Pool(AscendC::TPosition position, uint32_t bytes, const Call& call);
    Ub Share(const Ub& pool, uint32_t bytes, const Call& call);
    Ub Take(const Ub& pool, PoolUse& used, uint32_t most, uint32_t count, uint32_t bytes, const Call& call);
    void ResetPool(PipeClocks& clocks, const Ub& pool);
    // What nobody has taken of a position's memory.
    Ub Left(AscendC::TPosition position) const;
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
    };

    void EnQueBy(PipeClocks& clocks, int32_t queue, Pipe producer, const Ub& tensor, const Call& call);
    Ub DeQueBy(PipeClocks& clocks, int32_t queue, Pipe consumer, const Call& call);
    void Settle(PipeClocks& clocks, Buffer& buffer);
    Queue& QueueOf(int32_t queue, const Call& call);
    Buffer& BufferOf(int32_t queue, const Ub& tensor, const Call& call);
    uint32_t Take(Memory memory, uint64_t bytes, const Call& call);
    bool Has(Memory memory) const;
    // Fails where the memory is not one of this core's.
    void CheckMemory(Memory memory, const char* position, const Call& call) const;

    const sim_soc* soc_ = nullptr;
    CoreKind kind_ = CoreKind::kVector;
    void* pipe_ = nullptr;                                             // the last that was made
    void* owner_ = nullptr;                                            // whose buffers there are
    std::vector<void*> pipes_;                                         // all that have not been destroyed
    std::array<uint32_t, static_cast<size_t>(Memory::kCount)> top_{};  // first free byte of each memory
    std::array<uint32_t, static_cast<size_t>(Memory::kCount)> peak_{};
    std::array<uint64_t, static_cast<size_t>(Memory::kCount)> matmul_{};
    uint32_t blocks_ = 0;
    std::vector<Buffer> buffers_;
    std::vector<Queue> queues_;
    // Per TPosition, over all its queues: buffers that are allocated, and buffers whose flag of FreeTensor is pending.
    std::array<uint32_t, static_cast<size_t>(AscendC::TPosition::MAX)> held_{};
    std::array<uint32_t, static_cast<size_t>(AscendC::TPosition::MAX)> resting_{};
};

}  // namespace sim

#endif
