// TPipe's buffers and queues on one core: who holds which buffer, and what a queue operation orders.
// Documentation: SIMD-API/基础API/资源管理/TPipe, TQue, TQueBind
#ifndef OPFORGE_SIM_KERNEL_BUFFERS_H
#define OPFORGE_SIM_KERNEL_BUFFERS_H

#include <array>
#include <cstdint>
#include <vector>

#include "clocks.h"
#include "sim_launch.h"

namespace sim {

class Buffers {
public:
    void Begin(const sim_soc& soc, bool cube);

    void Open(void* pipe);
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
    Ub Alloc(PipeClocks& clocks, int32_t queue, const Call& call);
    void EnQue(PipeClocks& clocks, int32_t queue, const Ub& tensor, const Call& call);
    Ub DeQue(PipeClocks& clocks, int32_t queue, const Call& call);
    void Free(PipeClocks& clocks, int32_t queue, const Ub& tensor, const Call& call);
    int32_t Ask(int32_t queue, QueueQuestion question, const Call& call);

    // Fails when the buffer a tensor came from has been freed and given out again.
    void CheckAlive(const Ub& tensor, const char* role, const Call& call) const;

private:
    enum class State : uint8_t { kIdle, kHeld, kQueued };
    struct Buffer {
        uint32_t addr;
        uint32_t bytes;
        int32_t queue;
        State state = State::kIdle;
        uint32_t generation = 0;
        bool freed = false;  // a flag of FreeTensor waits for the next AllocTensor
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

    Queue& QueueOf(int32_t queue, const Call& call);
    Buffer& BufferOf(int32_t queue, const Ub& tensor, const Call& call);
    uint32_t Take(Memory memory, uint64_t bytes, const Call& call);
    // Fails where the memory is not one of this core's.
    void CheckMemory(Memory memory, const char* position, const Call& call) const;

    const sim_soc* soc_ = nullptr;
    bool cube_ = false;  // on an AIC
    void* pipe_ = nullptr;
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
