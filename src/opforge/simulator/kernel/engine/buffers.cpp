#include "buffers.h"

#include <algorithm>
#include <iterator>

namespace sim {
namespace {

using AscendC::TPosition;

constexpr Rule kCapacity = {"all buffers together must fit into the unified buffer",
                            "基础API/资源管理/TPipe/InitBuffer"};
constexpr Rule kCubeCapacity = {"all buffers of a memory together must fit into it",
                                "基础API/资源管理/TPipe/InitBuffer"};
constexpr Rule kOwnMemory = {"an AIV has the unified buffer, an AIC has L1, L0A, L0B, L0C and the bias table",
                             "guide/编程指南/高级编程/硬件实现/基本架构"};
constexpr Rule kBufferCount = {"a kernel may use at most 64 buffers", "基础API/资源管理/TPipe/InitBuffer"};
constexpr Rule kInitFirst = {"a queue gets its buffers from InitBuffer before it is used",
                             "基础API/资源管理/TPipe/InitBuffer"};
constexpr Rule kIdle = {"a buffer is freed before it can be allocated again", "基础API/资源管理/TQue/AllocTensor"};
constexpr Rule kPerPosition = {"all queues of one TPosition share the events of its buffers",
                               "基础API/资源管理/TQue/AllocTensor"};
constexpr Rule kOwnTensor = {"a queue takes back only tensors it gave out", "基础API/资源管理/TQue/FreeTensor"};
constexpr Rule kEnQueOrder = {"a tensor goes AllocTensor, EnQue, DeQue, FreeTensor", "基础API/资源管理/TQue/EnQue"};
constexpr Rule kDepth = {"a queue holds at most `depth` tensors", "基础API/资源管理/TQue/EnQue"};
constexpr Rule kNotEmpty = {"DeQue of an empty queue waits for ever", "基础API/资源管理/TQue/DeQue"};
constexpr Rule kFreed = {"every tensor that was allocated is freed", "基础API/资源管理/TQue/FreeTensor"};
constexpr Rule kReused = {"a tensor must not be used after FreeTensor", "基础API/资源管理/TQue/FreeTensor"};

constexpr uint32_t kMostBuffers = 64;

const char* PositionName(uint8_t position) {
    static constexpr const char* kNames[] = {"GM",  "A1",   "A2",        "B1",          "B2",     "C1",
                                             "C2",  "CO1",  "CO2",       "VECIN",       "VECOUT", "VECCALC",
                                             "SPM", "TSCM", "C2PIPE2GM", "C2PIPE2LOCAL"};
    return position < std::size(kNames) ? kNames[position] : "?";
}

struct Capacity {
    const char* name;
    uint64_t bytes;
};

Capacity CapacityOf(const sim_soc& soc, Memory memory) {
    switch (memory) {
        case Memory::kUb:
            return {"unified buffer", soc.ub_bytes};
        case Memory::kL1:
            return {"L1 buffer", soc.l1_bytes};
        case Memory::kL0A:
            return {"L0A buffer", soc.l0a_bytes};
        case Memory::kL0B:
            return {"L0B buffer", soc.l0b_bytes};
        case Memory::kL0C:
            return {"L0C buffer", soc.l0c_bytes};
        case Memory::kBiasTable:
            return {"bias table buffer", 1024};
        case Memory::kFixpipe:
            return {"fixpipe buffer", 7 * 1024};
        case Memory::kCount:
            break;
    }
    return {"global memory", 0};
}

}  // namespace

void Buffers::Begin(const sim_soc& soc, bool cube) {
    soc_ = &soc;
    cube_ = cube;
    pipe_ = nullptr;
    peak_.fill(0);
    matmul_.fill(0);
    Reset();
}

void Buffers::Open(void* pipe) {
    pipe_ = pipe;
    Reset();
}

void Buffers::Reset() {
    top_.fill(0);
    blocks_ = 0;
    buffers_.clear();
    queues_.clear();
    held_.fill(0);
    resting_.fill(0);
}

void Buffers::Close(void* pipe, const PipeClocks&) {
    if (pipe_ != pipe) {
        return;
    }
    for (const Buffer& buffer : buffers_) {
        if (buffer.state == State::kHeld || buffer.state == State::kQueued) {
            const Queue& queue = queues_[static_cast<size_t>(buffer.queue)];
            Fail(buffer.allocated, kFreed,
                 "the tensor of %u bytes at UB address %u of the %s queue %s at the end of the kernel", buffer.bytes,
                 buffer.addr, PositionName(queue.spec.position),
                 buffer.state == State::kQueued ? "is still queued" : "has not been freed");
        }
    }
    pipe_ = nullptr;
    Reset();
}

uint32_t Buffers::Take(Memory memory, uint64_t bytes, const Call& call) {
    const Capacity capacity = CapacityOf(*soc_, memory);
    uint32_t& top = top_[static_cast<size_t>(memory)];
    if (top + bytes > capacity.bytes) {
        Fail(call, memory == Memory::kUb ? kCapacity : kCubeCapacity,
             "%llu bytes after the %u already taken need %llu, but %s has %llu bytes of %s",
             static_cast<unsigned long long>(bytes), top, static_cast<unsigned long long>(top + bytes),
             soc_->short_name, static_cast<unsigned long long>(capacity.bytes), capacity.name);
    }
    const uint32_t addr = top;
    top += static_cast<uint32_t>(bytes);
    peak_[static_cast<size_t>(memory)] = std::max(peak_[static_cast<size_t>(memory)], top);
    return addr;
}

uint64_t Buffers::Peak(Memory memory) const {
    // a TPipe counts the memories of the other kind of core too
    return (memory == Memory::kUb) == cube_ ? 0
                                            : peak_[static_cast<size_t>(memory)] + matmul_[static_cast<size_t>(memory)];
}

void Buffers::TakeForMatmul(Memory memory, uint64_t bytes) {
    uint64_t& taken = matmul_[static_cast<size_t>(memory)];
    taken = std::max(taken, bytes);
}

// InitBuffer only counts and may name memories of the other kind of core; what uses them may not.
void Buffers::CheckMemory(Memory memory, const char* position, const Call& call) const {
    if ((memory == Memory::kUb) == cube_) {
        Fail(call, kOwnMemory, "a tensor of position %s, which lies in the %s, on an %s", position,
             CapacityOf(*soc_, memory).name, cube_ ? "AIC" : "AIV");
    }
}

int32_t Buffers::InitQueue(const QueueSpec& spec, uint32_t count, uint32_t bytes, const Call& call) {
    const uint64_t rounded = (uint64_t{bytes} + 31) / 32 * 32;
    blocks_ += count;
    if (blocks_ > kMostBuffers) {
        Fail(call, kBufferCount, "%u buffers are in use with this one's %u", blocks_, count);
    }
    if (count == 0 || bytes == 0) {
        Fail(call, kInitFirst, "%u buffers of %u bytes are no buffers", count, bytes);
    }
    const uint32_t addr = Take(MemoryOf(static_cast<TPosition>(spec.position)), rounded * count, call);
    Queue queue{spec, Pipe::kVector, Pipe::kVector, static_cast<int32_t>(buffers_.size()), static_cast<int32_t>(count),
                {}};
    const TPosition source = static_cast<TPosition>(spec.source);
    const TPosition destination = static_cast<TPosition>(spec.destination);
    if (source == TPosition::GM || source == TPosition::VECIN) {
        queue.producer = Pipe::kMte2;
    }
    if (destination == TPosition::GM || destination == TPosition::VECOUT) {
        queue.consumer = Pipe::kMte3;
    }
    const int32_t id = static_cast<int32_t>(queues_.size());
    for (uint32_t i = 0; i < count; ++i) {
        Buffer buffer{};
        buffer.addr = addr + i * static_cast<uint32_t>(rounded);
        buffer.bytes = static_cast<uint32_t>(rounded);
        buffer.queue = id;
        buffers_.push_back(buffer);
    }
    queues_.push_back(queue);
    return id;
}

Ub Buffers::InitBuffer(TPosition position, uint32_t bytes, const Call& call) {
    if (++blocks_ > kMostBuffers) {
        Fail(call, kBufferCount, "this is buffer number %u", blocks_);
    }
    const uint64_t rounded = (uint64_t{bytes} + 31) / 32 * 32;
    const uint32_t addr = Take(MemoryOf(position), rounded, call);
    return Ub{addr, addr + static_cast<uint32_t>(rounded), -1, 0, MemoryOf(position)};
}

Buffers::Queue& Buffers::QueueOf(int32_t queue, const Call& call) {
    if (queue < 0 || static_cast<size_t>(queue) >= queues_.size()) {
        Fail(call, kInitFirst, "this queue has no buffers");
    }
    return queues_[static_cast<size_t>(queue)];
}

Buffers::Buffer& Buffers::BufferOf(int32_t queue, const Ub& tensor, const Call& call) {
    QueueOf(queue, call);
    if (tensor.buffer < 0 || static_cast<size_t>(tensor.buffer) >= buffers_.size() ||
        buffers_[static_cast<size_t>(tensor.buffer)].queue != queue) {
        Fail(call, kOwnTensor, "the tensor at UB address %u does not come from this queue", tensor.addr);
    }
    Buffer& buffer = buffers_[static_cast<size_t>(tensor.buffer)];
    if (buffer.generation != tensor.generation || buffer.state == State::kIdle) {
        Fail(call, kOwnTensor, "the tensor at UB address %u was freed before", tensor.addr);
    }
    return buffer;
}

Ub Buffers::Alloc(PipeClocks& clocks, int32_t id, const Call& call) {
    Queue& queue = QueueOf(id, call);
    const Memory memory = MemoryOf(static_cast<TPosition>(queue.spec.position));
    CheckMemory(memory, PositionName(queue.spec.position), call);
    int32_t chosen = -1;
    for (int32_t i = 0; i < queue.count; ++i) {
        // the buffer that has rested longest comes next, so that double buffering alternates
        Buffer& buffer = buffers_[static_cast<size_t>(queue.first + i)];
        if (buffer.state == State::kIdle &&
            (chosen < 0 || buffer.generation < buffers_[static_cast<size_t>(chosen)].generation)) {
            chosen = queue.first + i;
        }
    }
    if (chosen < 0) {
        FailDeadlock(call, kIdle, "all %d buffers of this %s queue are in use", queue.count,
                     PositionName(queue.spec.position));
    }
    Buffer& buffer = buffers_[static_cast<size_t>(chosen)];
    uint32_t& held = held_[queue.spec.position];
    if (held + 1 > soc_->queue_buffers) {
        FailDeadlock(call, kPerPosition, "%u tensors of position %s would be allocated at once, %s has events for %u",
                     held + 1, PositionName(queue.spec.position), soc_->short_name, soc_->queue_buffers);
    }
    if (buffer.freed) {
        clocks.Join(queue.producer, buffer.emptied);
        buffer.freed = false;
        --resting_[queue.spec.position];
    }
    ++held;
    buffer.state = State::kHeld;
    ++buffer.generation;
    buffer.allocated = call;
    return Ub{buffer.addr, buffer.addr + buffer.bytes, chosen, buffer.generation, memory};
}

void Buffers::EnQue(PipeClocks& clocks, int32_t id, const Ub& tensor, const Call& call) {
    Queue& queue = QueueOf(id, call);
    Buffer& buffer = BufferOf(id, tensor, call);
    if (buffer.state == State::kQueued) {
        Fail(call, kEnQueOrder, "the tensor at UB address %u is already in the queue", tensor.addr);
    }
    const int32_t depth = std::max(queue.spec.depth, 1);
    if (static_cast<int32_t>(queue.waiting.size()) >= depth) {
        FailDeadlock(call, kDepth, "this %s queue of depth %d already holds %zu tensors",
                     PositionName(queue.spec.position), queue.spec.depth, queue.waiting.size());
    }
    buffer.state = State::kQueued;
    buffer.filled = clocks.Snapshot(queue.producer);
    queue.waiting.push_back(tensor.buffer);
}

Ub Buffers::DeQue(PipeClocks& clocks, int32_t id, const Call& call) {
    Queue& queue = QueueOf(id, call);
    if (queue.waiting.empty()) {
        FailDeadlock(call, kNotEmpty, "this %s queue is empty", PositionName(queue.spec.position));
    }
    const int32_t index = queue.waiting.front();
    queue.waiting.erase(queue.waiting.begin());
    Buffer& buffer = buffers_[static_cast<size_t>(index)];
    buffer.state = State::kHeld;
    clocks.Join(queue.consumer, buffer.filled);
    return Ub{buffer.addr, buffer.addr + buffer.bytes, index, buffer.generation,
              MemoryOf(static_cast<TPosition>(queue.spec.position))};
}

void Buffers::Free(PipeClocks& clocks, int32_t id, const Ub& tensor, const Call& call) {
    Queue& queue = QueueOf(id, call);
    Buffer& buffer = BufferOf(id, tensor, call);
    if (buffer.state == State::kQueued) {
        Fail(call, kEnQueOrder, "the tensor at UB address %u is in the queue: DeQue it first", tensor.addr);
    }
    buffer.state = State::kIdle;
    buffer.freed = true;
    buffer.emptied = clocks.Snapshot(queue.consumer);
    --held_[queue.spec.position];
    const uint32_t resting = ++resting_[queue.spec.position];
    if (resting > soc_->queue_buffers) {
        FailDeadlock(call, kPerPosition,
                     "%u buffers of position %s are freed and wait for AllocTensor, %s has events for %u", resting,
                     PositionName(queue.spec.position), soc_->short_name, soc_->queue_buffers);
    }
}

int32_t Buffers::Ask(int32_t id, QueueQuestion question, const Call& call) {
    const Queue& queue = QueueOf(id, call);
    const int32_t waiting = static_cast<int32_t>(queue.waiting.size());
    switch (question) {
        case QueueQuestion::kVacant:
            return waiting < std::max(queue.spec.depth, 1) ? 1 : 0;
        case QueueQuestion::kHasTensor:
            return waiting > 0 ? 1 : 0;
        case QueueQuestion::kTensorCount:
            return waiting;
        case QueueQuestion::kHasIdle:
            for (int32_t i = 0; i < queue.count; ++i) {
                if (buffers_[static_cast<size_t>(queue.first + i)].state == State::kIdle) {
                    return 1;
                }
            }
            return 0;
    }
    return 0;
}

void Buffers::CheckAlive(const Ub& tensor, const char* role, const Call& call) const {
    if (tensor.buffer < 0) {
        return;
    }
    if (static_cast<size_t>(tensor.buffer) >= buffers_.size()) {
        Fail(call, kReused, "%s is a tensor of a pipe that has been reset", role);
    }
    const Buffer& buffer = buffers_[static_cast<size_t>(tensor.buffer)];
    if (buffer.generation != tensor.generation) {
        Fail(call, kReused, "%s at UB address %u was freed, and its buffer has been allocated again at %s:%d", role,
             tensor.addr, buffer.allocated.site.file, buffer.allocated.site.line);
    }
}

}  // namespace sim
