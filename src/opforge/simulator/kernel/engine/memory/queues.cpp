#include "queues.h"

#include <algorithm>
#include <iterator>

#include "order/endless.h"
#include "local_memory.h"

namespace sim {
namespace {

using AscendC::TPosition;

constexpr Rule kOwnMemory = {"memory-of-core",
                             "an AIV has the unified buffer, an AIC has L1, L0A, L0B, L0C and the bias table",
                             "guide/编程指南/高级编程/硬件实现/基本架构"};
constexpr DeviceRule kEmpty = {
    {"buffer-empty", "a queue's buffers have a length", "基础API/资源管理/TPipe/InitBuffer"},
    "InitBuffer counts addresses: buffers without a length are all at one, and what is written there lies in the next",
    "asc-devkit 82b89a1, impl/basic_api/kernel_tpipe_impl.h:269 (the length is asserted in debug builds alone)"};
constexpr Rule kInitFirst = {"queue-init", "a queue gets its buffers from InitBuffer before it is used",
                             "基础API/资源管理/TPipe/InitBuffer"};
constexpr Rule kIdle = {"alloc-exhausted", "a buffer is freed before it can be allocated again",
                        "基础API/资源管理/TQue/AllocTensor",
                        "FreeTensor as often as AllocTensor, on every way through the loop"};
constexpr Rule kPerPosition = {"position-events", "all queues of one TPosition share the events of its buffers",
                               "基础API/资源管理/TQue/AllocTensor"};
constexpr Rule kOwnTensor = {"foreign-tensor", "a queue takes back only tensors it gave out",
                             "基础API/资源管理/TQue/FreeTensor"};
constexpr Rule kEnQueOrder = {"queue-order", "a tensor goes AllocTensor, EnQue, DeQue, FreeTensor",
                              "基础API/资源管理/TQue/EnQue"};
constexpr Rule kDepth = {"queue-depth", "a queue holds at most `depth` tensors", "基础API/资源管理/TQue/EnQue"};
constexpr Rule kNotEmpty = {"queue-empty", "DeQue of an empty queue waits for ever", "基础API/资源管理/TQue/DeQue",
                            "EnQue as often as DeQue, and before it, on every way through the loop"};
constexpr DeviceRule kTakenAgain = {
    {"dequeued-again", "DeQue takes a tensor that EnQue has put into the queue", "基础API/资源管理/TQue/DeQue",
     "EnQue the tensor again before the next DeQue, or keep it"},
    "a queue of depth 1 remembers its last tensor: DeQue gives it out again and waits for nothing",
    "asc-devkit 82b89a1, impl/basic_api/kernel_tquebind_impl.h:365 (DeQue; the count is asserted in debug builds "
    "alone); ops-transformer c29bc106, gmm/grouped_matmul_swiglu_quant/op_kernel/grouped_matmul_swiglu_quant.h:519"};
constexpr DeviceRule kFreed = {
    {"never-freed", "every tensor that was allocated is freed", "基础API/资源管理/TQue/FreeTensor"},
    "at the end TPipe waits only for the events of buffers that are free: a tensor that is still held keeps nobody",
    "asc-devkit 82b89a1, impl/basic_api/kernel_tpipe_impl.h:566 (DestroyWithoutPipeAll); ops-nn e5c3fa93, "
    "norm/group_norm_silu_quant/op_kernel/group_norm_silu_quant_b16.h:168"};
constexpr DeviceRule kReused = {
    {"use-after-free", "a tensor must not be used after FreeTensor", "基础API/资源管理/TQue/FreeTensor"},
    "FreeTensor sets a flag: the bytes stay until somebody writes to the buffer",
    "asc-devkit 82b89a1, impl/basic_api/kernel_tquebind_impl.h:509 (FreeBuffer); CANN 8.1, "
    "op_impl/ai_core/tbe/impl/ascendc/feeds_repeat/feeds_repeat.h:132"};

const char* PositionName(uint8_t position) {
    static constexpr const char* kNames[] = {"GM",  "A1",   "A2",        "B1",          "B2",     "C1",
                                             "C2",  "CO1",  "CO2",       "VECIN",       "VECOUT", "VECCALC",
                                             "SPM", "TSCM", "C2PIPE2GM", "C2PIPE2LOCAL"};
    return position < std::size(kNames) ? kNames[position] : "?";
}

struct QueuePipes {
    Pipe producer;
    Pipe consumer;
};

// The pipes that a queue's EnQue and DeQue, AllocTensor and FreeTensor order. Documentation:
// 基础API/资源管理/TQue/EnQue
QueuePipes PipesOf(const QueueSpec& spec, CoreKind kind) {
    switch (static_cast<TPosition>(spec.position)) {
        case TPosition::A1:
        case TPosition::B1:
        case TPosition::C1:
            return {Pipe::kMte2, Pipe::kMte1};
        case TPosition::TSCM:
            return {static_cast<TPosition>(spec.source) == TPosition::GM ? Pipe::kMte2 : Pipe::kMte3, Pipe::kMte1};
        case TPosition::A2:
        case TPosition::B2:
        case TPosition::C2:
            return {Pipe::kMte1, Pipe::kMatrix};
        case TPosition::CO1:
            // the vector unit of a core with both takes products out of L0C itself
            return {Pipe::kMatrix, kind == CoreKind::kCoupled ? Pipe::kVector : Pipe::kFix};
        default:
            break;
    }
    const TPosition source = static_cast<TPosition>(spec.source);
    const TPosition destination = static_cast<TPosition>(spec.destination);
    return {source == TPosition::GM || source == TPosition::VECIN ? Pipe::kMte2 : Pipe::kVector,
            destination == TPosition::GM || destination == TPosition::VECOUT ? Pipe::kMte3 : Pipe::kVector};
}

// InitBuffer only counts and may name memories of the other kind of core; what uses them may not.
void CheckMemory(const sim_soc& soc, CoreKind kind, Memory memory, const char* position, const Call& call) {
    if (!HasMemory(kind, memory)) {
        Fail(call, kOwnMemory, "a tensor of position %s, which lies in the %s, on an %s", position,
             SizeOf(soc, memory).name, kind == CoreKind::kCube ? "AIC" : "AIV");
    }
}

}  // namespace

void Queues::Begin(const sim_soc& soc, CoreKind kind) {
    soc_ = &soc;
    kind_ = kind;
    Reset();
}

void Queues::Reset() {
    buffers_.clear();
    queues_.clear();
    held_.fill(0);
    resting_.fill(0);
}

void Queues::CheckFreed() const {
    for (const Buffer& buffer : buffers_) {
        if (buffer.state == State::kHeld || buffer.state == State::kQueued) {
            constexpr const char* kSays =
                "the tensor of %u bytes at UB address %u of the %s queue %s at the end of the kernel";
            const char* const position = PositionName(queues_[static_cast<size_t>(buffer.queue)].spec.position);
            if (buffer.state == State::kQueued) {  // its event stays set, and the next kernel finds it so
                Fail(buffer.allocated, kFreed.rule, kSays, buffer.bytes, buffer.addr, position, "is still queued");
            }
            LetPass(buffer.allocated, kFreed, kSays, buffer.bytes, buffer.addr, position, "has not been freed");
        }
    }
}

void Queues::CheckSizes(uint32_t buffers, uint32_t bytes, const Call& call) {
    if (buffers == 0) {
        Fail(call, kInitFirst, "%u buffers of %u bytes are no buffers", buffers, bytes);
    }
    if (bytes == 0) {
        LetPass(call, kEmpty, "%u buffers of 0 bytes lie where the next buffer begins", buffers);
    }
}

int32_t Queues::Add(const QueueSpec& spec, uint32_t addr, uint32_t count, uint32_t bytes) {
    std::vector<Place> places;
    for (uint32_t i = 0; i < count; ++i) {
        places.push_back({addr + i * bytes, bytes});
    }
    return Add(spec, places);
}

int32_t Queues::Add(const QueueSpec& spec, const std::vector<Place>& places) {
    const QueuePipes pipes = PipesOf(spec, kind_);
    const Queue queue{spec,
                      pipes.producer,
                      pipes.consumer,
                      static_cast<int32_t>(buffers_.size()),
                      static_cast<int32_t>(places.size()),
                      {}};
    const int32_t id = static_cast<int32_t>(queues_.size());
    for (const Place& place : places) {
        Buffer buffer{};
        buffer.addr = place.addr;
        buffer.bytes = place.bytes;
        buffer.queue = id;
        buffers_.push_back(buffer);
    }
    queues_.push_back(queue);
    return id;
}

// What FreeTensor has signalled to AllocTensor is waited for by the pipe that would have.
void Queues::Settle(PipeClocks& clocks, Buffer& buffer) {
    if (buffer.freed) {
        const Queue& queue = queues_[static_cast<size_t>(buffer.queue)];
        clocks.Join(queue.producer, buffer.emptied);
        buffer.freed = false;
        --resting_[queue.spec.position];
    }
}

void Queues::FreeAllEvent(PipeClocks& clocks, int32_t id, const Call& call) {
    const Queue& queue = QueueOf(id, call);
    for (int32_t i = 0; i < queue.count; ++i) {
        Settle(clocks, buffers_[static_cast<size_t>(queue.first + i)]);
    }
}

void Queues::SettleAll(PipeClocks& clocks) {
    for (Buffer& buffer : buffers_) {
        Settle(clocks, buffer);
    }
}

void Queues::SettlePool(PipeClocks& clocks, const Ub& pool) {
    for (Buffer& buffer : buffers_) {
        const TPosition position = static_cast<TPosition>(queues_[static_cast<size_t>(buffer.queue)].spec.position);
        if (MemoryAt(position) == pool.memory && buffer.addr >= pool.addr && buffer.addr < pool.end) {
            Settle(clocks, buffer);
        }
    }
}

uint8_t Queues::StateOf(int32_t id, const Ub& tensor, const Call& call) {
    QueueOf(id, call);
    if (tensor.buffer < 0 || static_cast<size_t>(tensor.buffer) >= buffers_.size() ||
        buffers_[static_cast<size_t>(tensor.buffer)].queue != id) {
        Fail(call, kOwnTensor, "the tensor at UB address %u does not come from this queue", tensor.addr);
    }
    const Buffer& buffer = buffers_[static_cast<size_t>(tensor.buffer)];
    switch (buffer.state) {
        case State::kIdle:
            return 0;
        case State::kQueued:
            return 2;
        case State::kHeld:
            break;
    }
    return buffer.dequeued ? 3 : 1;
}

Queues::Queue& Queues::QueueOf(int32_t queue, const Call& call) {
    if (queue < 0 || static_cast<size_t>(queue) >= queues_.size()) {
        Fail(call, kInitFirst, "this queue has no buffers");
    }
    return queues_[static_cast<size_t>(queue)];
}

Queues::Buffer& Queues::BufferOf(int32_t queue, const Ub& tensor, const Call& call) {
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

Ub Queues::Alloc(PipeClocks& clocks, int32_t id, const Call& call) {
    Queue& queue = QueueOf(id, call);
    const TPosition position = static_cast<TPosition>(queue.spec.position);
    const Memory memory = MemoryAt(position);
    if (position != TPosition::TSCM) {  // vector cores have a part of their cube core's L1
        CheckMemory(*soc_, kind_, memory, PositionName(queue.spec.position), call);
    }
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
    Settle(clocks, buffer);
    ++held;
    buffer.state = State::kHeld;
    buffer.dequeued = false;
    buffer.used = false;
    if (!watching.load(std::memory_order_relaxed)) {  // one number more in a tensor would hide that nothing changes
        ++buffer.generation;
    }
    buffer.allocated = call;
    return Ub{buffer.addr, buffer.addr + buffer.bytes, chosen, buffer.generation, memory};
}

void Queues::EnQue(PipeClocks& clocks, int32_t id, const Ub& tensor, const Call& call) {
    EnQueBy(clocks, id, QueueOf(id, call).producer, tensor, call);
}

void Queues::EnQueBetween(PipeClocks& clocks, int32_t id, TPosition source, TPosition destination, const Ub& tensor,
                          const Call& call) {
    const QueuePipes pipes = PipesOf(
        {static_cast<uint8_t>(source), static_cast<uint8_t>(destination), QueueOf(id, call).spec.position, 1}, kind_);
    EnQueBy(clocks, id, pipes.producer, tensor, call);
}

void Queues::EnQueBy(PipeClocks& clocks, int32_t id, Pipe producer, const Ub& tensor, const Call& call) {
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
    buffer.filled = clocks.Snapshot(producer);
    queue.waiting.push_back(tensor.buffer);
}

Ub Queues::DeQue(PipeClocks& clocks, int32_t id, const Call& call) {
    return DeQueBy(clocks, id, QueueOf(id, call).consumer, call);
}

Ub Queues::DeQueBetween(PipeClocks& clocks, int32_t id, TPosition source, TPosition destination, const Call& call) {
    const QueuePipes pipes = PipesOf(
        {static_cast<uint8_t>(source), static_cast<uint8_t>(destination), QueueOf(id, call).spec.position, 1}, kind_);
    return DeQueBy(clocks, id, pipes.consumer, call);
}

Ub Queues::DeQueBy(PipeClocks& clocks, int32_t id, Pipe consumer, const Call& call) {
    Queue& queue = QueueOf(id, call);
    const bool again = queue.waiting.empty() && queue.spec.depth == 1 && queue.taken >= 0 &&
                       buffers_[static_cast<size_t>(queue.taken)].state == State::kHeld &&
                       buffers_[static_cast<size_t>(queue.taken)].dequeued;
    if (queue.waiting.empty() && !again) {
        FailDeadlock(call, kNotEmpty, "this %s queue is empty", PositionName(queue.spec.position));
    }
    const int32_t index = again ? queue.taken : queue.waiting.front();
    Buffer& buffer = buffers_[static_cast<size_t>(index)];
    if (again) {
        LetPass(call, kTakenAgain, "this %s queue is empty, and its last tensor, at UB address %u, is taken again",
                PositionName(queue.spec.position), buffer.addr);
    } else {
        queue.waiting.erase(queue.waiting.begin());
        queue.taken = index;
        buffer.state = State::kHeld;
        buffer.dequeued = true;
        clocks.Join(consumer, buffer.filled);
    }
    return Ub{buffer.addr, buffer.addr + buffer.bytes, index, buffer.generation,
              MemoryAt(static_cast<TPosition>(queue.spec.position))};
}

void Queues::Free(PipeClocks& clocks, int32_t id, const Ub& tensor, const Call& call) {
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

int32_t Queues::Ask(int32_t id, QueueQuestion question, const Call& call) {
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

void Queues::CheckAlive(const Ub& tensor, const char* role, bool write, const Call& call) {
    if (tensor.buffer < 0) {
        return;
    }
    if (static_cast<size_t>(tensor.buffer) >= buffers_.size()) {
        Fail(call, kReused.rule, "%s is a tensor of a pipe that has been reset", role);
    }
    Buffer& buffer = buffers_[static_cast<size_t>(tensor.buffer)];
    if (buffer.generation != tensor.generation) {
        constexpr const char* kSays = "%s at UB address %u was freed, and its buffer has been allocated again at %s:%d";
        const Site& again = buffer.allocated.site;
        if (buffer.used || write) {
            Fail(call, kReused.rule, kSays, role, tensor.addr, again.file, again.line);
        }
        LetPass(call, kReused, kSays, role, tensor.addr, again.file, again.line);
        return;
    }
    if (buffer.state == State::kIdle) {
        LetPass(call, kReused, "%s at UB address %u was freed, and its buffer is for whoever allocates next", role,
                tensor.addr);
    }
    buffer.used = buffer.used || write;
}

}  // namespace sim
