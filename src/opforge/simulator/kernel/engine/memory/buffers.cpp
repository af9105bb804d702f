#include "buffers.h"

#include <algorithm>
#include <iterator>

#include "order/endless.h"
#include "local_memory.h"
#include "rounding.h"

namespace sim {
namespace {

using AscendC::TPosition;

constexpr const char* kInitBuffer =
    "asc-devkit 82b89a1, impl/basic_api/kernel_tpipe_impl.h:247 (sizes are asserted in debug builds alone)";
constexpr DeviceRule kCapacity = {
    {"ub-capacity", "all buffers together must fit into the unified buffer", "基础API/资源管理/TPipe/InitBuffer",
     "smaller tiles, or fewer buffers in the queues"},
    "InitBuffer counts addresses: a buffer behind the end of the memory does no harm as long as nobody touches it",
    kInitBuffer};
constexpr DeviceRule kCubeCapacity = {
    {"cube-capacity", "all buffers of a memory together must fit into it", "基础API/资源管理/TPipe/InitBuffer"},
    "InitBuffer counts addresses: a buffer behind the end of the memory does no harm as long as nobody touches it",
    kInitBuffer};
constexpr Rule kOwnMemory = {"memory-of-core",
                             "an AIV has the unified buffer, an AIC has L1, L0A, L0B, L0C and the bias table",
                             "guide/编程指南/高级编程/硬件实现/基本架构"};
constexpr DeviceRule kOnePipe = {
    {"one-pipe", "there is one TPipe at a time", "基础API/资源管理/TPipe/TPipe构造函数",
     "call Destroy of the one before it, or make it behind that"},
    "each TPipe has books of its own, which begin at the start of the memories",
    "asc-devkit 82b89a1, impl/basic_api/kernel_tpipe_impl.h:92 (asserted in debug builds alone); CANN 8.1, "
    "op_impl/ai_core/tbe/impl/ascendc/moe_token_permute/moe_token_permute.cpp (three, used one after the other)"};
constexpr Rule kBufferCount = {"buffer-count", "a kernel may use at most 64 buffers",
                               "基础API/资源管理/TPipe/InitBuffer"};
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
constexpr Rule kFreed = {"never-freed", "every tensor that was allocated is freed", "基础API/资源管理/TQue/FreeTensor"};
constexpr DeviceRule kReused = {
    {"use-after-free", "a tensor must not be used after FreeTensor", "基础API/资源管理/TQue/FreeTensor"},
    "FreeTensor sets a flag: the bytes stay until somebody writes to the buffer",
    "asc-devkit 82b89a1, impl/basic_api/kernel_tquebind_impl.h:509 (FreeBuffer); CANN 8.1, "
    "op_impl/ai_core/tbe/impl/ascendc/feeds_repeat/feeds_repeat.h:132"};

constexpr Rule kOwnPlace = {"buffer-place",
                            "a buffer at an address of the kernel's own starts and ends at multiples of 32 bytes",
                            "基础API/资源管理/TPipe/InitBuffer"};
constexpr Rule kPoolFirst = {"pool-init", "a TBufPool gets its place from InitBufPool before it is used",
                             "基础API/资源管理/TBufPool/TBufPool简介"};
constexpr Rule kPoolBuffers = {"pool-buffers", "a TBufPool has at most bufIDSize buffers",
                               "基础API/资源管理/TBufPool/InitBuffer"};
constexpr Rule kPoolRoom = {"pool-room", "all buffers of a TBufPool together fit into it",
                            "基础API/资源管理/TBufPool/InitBufPool"};
constexpr Rule kPoolShare = {"pool-share", "a pool that shares another's place is not longer than that",
                             "基础API/资源管理/TPipe/InitBufPool"};

constexpr uint32_t kMostBuffers = 64;
constexpr uint32_t kBlock = 32;

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

// CO2 is a position on cores with both units alone, whose kernels have been compiled for them.
Memory MemoryAt(TPosition position) { return position == TPosition::CO2 ? Memory::kUb : MemoryOf(position); }

}  // namespace

void Buffers::Begin(const sim_soc& soc, CoreKind kind) {
    soc_ = &soc;
    kind_ = kind;
    pipe_ = nullptr;
    owner_ = nullptr;
    pipes_.clear();
    peak_.fill(0);
    matmul_.fill(0);
    Reset();
}

void Buffers::Open(void* pipe, const Call& call) {
    const bool known = std::find(pipes_.begin(), pipes_.end(), pipe) != pipes_.end();
    if (pipes_.size() > (known ? 1 : 0)) {
        LetPass(call, kOnePipe, "another TPipe is there already, with %u buffers", blocks_);
    } else {
        Reset();
    }
    if (!known) {
        pipes_.push_back(pipe);
    }
    pipe_ = pipe;
}

void Buffers::Use(void* pipe, const Call& call) {
    if (owner_ != nullptr && owner_ != pipe && blocks_ != 0) {
        Fail(call, kOnePipe.rule, "another TPipe has %u buffers, which lie in the same place", blocks_);
    }
    owner_ = pipe;
}

void Buffers::Reset() {
    owner_ = nullptr;
    top_.fill(0);
    blocks_ = 0;
    buffers_.clear();
    queues_.clear();
    held_.fill(0);
    resting_.fill(0);
}

void Buffers::Close(void* pipe, const PipeClocks&) {
    const auto known = std::find(pipes_.begin(), pipes_.end(), pipe);
    if (known == pipes_.end()) {
        return;
    }
    pipes_.erase(known);
    pipe_ = pipe_ == pipe ? nullptr : pipe_;
    if (owner_ != nullptr && owner_ != pipe) {
        return;  // all buffers are another's
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
    Reset();
}

uint32_t Buffers::Take(Memory memory, uint64_t bytes, const Call& call) {
    const MemorySize capacity = SizeOf(*soc_, memory);
    uint32_t& top = top_[static_cast<size_t>(memory)];
    if (top + bytes > capacity.bytes) {
        LetPass(call, memory == Memory::kUb ? kCapacity : kCubeCapacity,
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
    return Has(memory) ? peak_[static_cast<size_t>(memory)] + matmul_[static_cast<size_t>(memory)] : 0;
}

bool Buffers::Has(Memory memory) const {
    return kind_ == CoreKind::kCoupled || (memory == Memory::kUb) == (kind_ == CoreKind::kVector);
}

void Buffers::TakeForMatmul(Memory memory, uint64_t bytes) {
    uint64_t& taken = matmul_[static_cast<size_t>(memory)];
    taken = std::max(taken, bytes);
}

// InitBuffer only counts and may name memories of the other kind of core; what uses them may not.
void Buffers::CheckMemory(Memory memory, const char* position, const Call& call) const {
    if (!Has(memory)) {
        Fail(call, kOwnMemory, "a tensor of position %s, which lies in the %s, on an %s", position,
             SizeOf(*soc_, memory).name, kind_ == CoreKind::kCube ? "AIC" : "AIV");
    }
}

int32_t Buffers::InitQueue(const QueueSpec& spec, uint32_t count, uint32_t bytes, const Call& call) {
    const uint64_t rounded = RoundUp(bytes, 32);
    blocks_ += count;
    if (blocks_ > kMostBuffers) {
        Fail(call, kBufferCount, "%u buffers are in use with this one's %u", blocks_, count);
    }
    if (count == 0 || bytes == 0) {
        Fail(call, kInitFirst, "%u buffers of %u bytes are no buffers", count, bytes);
    }
    const uint32_t addr = Take(MemoryAt(static_cast<TPosition>(spec.position)), rounded * count, call);
    return AddQueue(spec, addr, count, static_cast<uint32_t>(rounded));
}

int32_t Buffers::AddQueue(const QueueSpec& spec, uint32_t addr, uint32_t count, uint32_t bytes) {
    const QueuePipes pipes = PipesOf(spec, kind_);
    const Queue queue{
        spec, pipes.producer, pipes.consumer, static_cast<int32_t>(buffers_.size()), static_cast<int32_t>(count), {}};
    const int32_t id = static_cast<int32_t>(queues_.size());
    for (uint32_t i = 0; i < count; ++i) {
        Buffer buffer{};
        buffer.addr = addr + i * bytes;
        buffer.bytes = bytes;
        buffer.queue = id;
        buffers_.push_back(buffer);
    }
    queues_.push_back(queue);
    return id;
}

int32_t Buffers::QueueAt(const QueueSpec& spec, const uint64_t* places, uint32_t count, const Call& call) {
    blocks_ += count;
    if (blocks_ > kMostBuffers) {
        Fail(call, kBufferCount, "%u buffers are in use with this one's %u", blocks_, count);
    }
    const Memory memory = MemoryAt(static_cast<TPosition>(spec.position));
    const MemorySize capacity = SizeOf(*soc_, memory);
    const int32_t id = AddQueue(spec, 0, count, 0);
    for (uint32_t i = 0; i < count; ++i) {
        const uint64_t addr = i == 0 ? places[0] : places[1 + i];
        const uint64_t bytes = i == 0 ? places[1] : places[count + i];
        if (addr % kBlock != 0 || bytes == 0 || bytes % kBlock != 0) {
            Fail(call, kOwnPlace, "buffer %u has %llu bytes at address %llu", i, static_cast<unsigned long long>(bytes),
                 static_cast<unsigned long long>(addr));
        }
        if (addr + bytes > capacity.bytes) {
            LetPass(call, memory == Memory::kUb ? kCapacity : kCubeCapacity,
                    "buffer %u of %llu bytes at address %llu ends behind the %llu bytes of the %s", i,
                    static_cast<unsigned long long>(bytes), static_cast<unsigned long long>(addr),
                    static_cast<unsigned long long>(capacity.bytes), capacity.name);
        }
        Buffer& buffer = buffers_[buffers_.size() - count + i];
        buffer.addr = static_cast<uint32_t>(addr);
        buffer.bytes = static_cast<uint32_t>(bytes);
        uint32_t& peak = peak_[static_cast<size_t>(memory)];
        peak = std::max(peak, static_cast<uint32_t>(addr + bytes));
    }
    return id;
}

Ub Buffers::Pool(TPosition position, uint32_t bytes, const Call& call) {
    const Memory memory = MemoryAt(position);
    const uint64_t rounded = RoundUp(bytes, kBlock);
    const uint32_t addr = Take(memory, rounded, call);
    return Ub{addr, addr + static_cast<uint32_t>(rounded), -1, 0, memory};
}

Ub Buffers::Take(const Ub& pool, PoolUse& used, uint32_t most, uint32_t count, uint32_t bytes, const Call& call) {
    blocks_ += count;
    used.buffers += count;
    if (pool.end == pool.addr) {
        Fail(call, kPoolFirst, "this pool has no place");
    }
    if (blocks_ > kMostBuffers) {
        Fail(call, kBufferCount, "%u buffers are in use with this one's %u", blocks_, count);
    }
    if (used.buffers > most) {
        Fail(call, kPoolBuffers, "%u buffers with this one's %u, the pool is for %u", used.buffers, count, most);
    }
    const uint64_t rounded = RoundUp(bytes, kBlock);
    if (count == 0 || bytes == 0) {
        Fail(call, kInitFirst, "%u buffers of %u bytes are no buffers", count, bytes);
    }
    if (used.bytes + rounded * count > pool.end - pool.addr) {
        Fail(call, kPoolRoom, "%llu bytes after the %u already taken, the pool has %u",
             static_cast<unsigned long long>(rounded * count), used.bytes, pool.end - pool.addr);
    }
    const uint32_t addr = pool.addr + used.bytes;
    used.bytes += static_cast<uint32_t>(rounded * count);
    return Ub{addr, addr + static_cast<uint32_t>(rounded), -1, 0, pool.memory};
}

Ub Buffers::Share(const Ub& pool, uint32_t bytes, const Call& call) {
    const uint64_t rounded = RoundUp(bytes, kBlock);
    if (pool.end == pool.addr) {
        Fail(call, kPoolFirst, "the shared pool has no place");
    }
    if (rounded > pool.end - pool.addr) {
        Fail(call, kPoolShare, "%llu bytes in the place of a pool of %u", static_cast<unsigned long long>(rounded),
             pool.end - pool.addr);
    }
    return Ub{pool.addr, pool.addr + static_cast<uint32_t>(rounded), -1, 0, pool.memory};
}

Ub Buffers::Left(TPosition position) const {
    const Memory memory = MemoryAt(position);
    const uint32_t end = static_cast<uint32_t>(SizeOf(*soc_, memory).bytes);
    return Ub{std::min(top_[static_cast<size_t>(memory)], end), end, -1, 0, memory};
}

// What FreeTensor has signalled to AllocTensor is waited for by the pipe that would have.
void Buffers::Settle(PipeClocks& clocks, Buffer& buffer) {
    if (buffer.freed) {
        const Queue& queue = queues_[static_cast<size_t>(buffer.queue)];
        clocks.Join(queue.producer, buffer.emptied);
        buffer.freed = false;
        --resting_[queue.spec.position];
    }
}

void Buffers::FreeAllEvent(PipeClocks& clocks, int32_t id, const Call& call) {
    const Queue& queue = QueueOf(id, call);
    for (int32_t i = 0; i < queue.count; ++i) {
        Settle(clocks, buffers_[static_cast<size_t>(queue.first + i)]);
    }
}

void Buffers::SettleAll(PipeClocks& clocks) {
    for (Buffer& buffer : buffers_) {
        Settle(clocks, buffer);
    }
}

void Buffers::ResetPool(PipeClocks& clocks, const Ub& pool) {
    for (Buffer& buffer : buffers_) {
        const TPosition position = static_cast<TPosition>(queues_[static_cast<size_t>(buffer.queue)].spec.position);
        if (MemoryAt(position) == pool.memory && buffer.addr >= pool.addr && buffer.addr < pool.end) {
            Settle(clocks, buffer);
        }
    }
}

uint8_t Buffers::StateOf(int32_t id, const Ub& tensor, const Call& call) {
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

Ub Buffers::InitBuffer(TPosition position, uint32_t bytes, const Call& call) {
    if (++blocks_ > kMostBuffers) {
        Fail(call, kBufferCount, "this is buffer number %u", blocks_);
    }
    const uint64_t rounded = RoundUp(bytes, 32);
    const uint32_t addr = Take(MemoryAt(position), rounded, call);
    return Ub{addr, addr + static_cast<uint32_t>(rounded), -1, 0, MemoryAt(position)};
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
    const TPosition position = static_cast<TPosition>(queue.spec.position);
    const Memory memory = MemoryAt(position);
    if (position != TPosition::TSCM) {  // vector cores have a part of their cube core's L1
        CheckMemory(memory, PositionName(queue.spec.position), call);
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

void Buffers::EnQue(PipeClocks& clocks, int32_t id, const Ub& tensor, const Call& call) {
    EnQueBy(clocks, id, QueueOf(id, call).producer, tensor, call);
}

void Buffers::EnQueBetween(PipeClocks& clocks, int32_t id, TPosition source, TPosition destination, const Ub& tensor,
                           const Call& call) {
    const QueuePipes pipes = PipesOf(
        {static_cast<uint8_t>(source), static_cast<uint8_t>(destination), QueueOf(id, call).spec.position, 1}, kind_);
    EnQueBy(clocks, id, pipes.producer, tensor, call);
}

void Buffers::EnQueBy(PipeClocks& clocks, int32_t id, Pipe producer, const Ub& tensor, const Call& call) {
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

Ub Buffers::DeQue(PipeClocks& clocks, int32_t id, const Call& call) {
    return DeQueBy(clocks, id, QueueOf(id, call).consumer, call);
}

Ub Buffers::DeQueBetween(PipeClocks& clocks, int32_t id, TPosition source, TPosition destination, const Call& call) {
    const QueuePipes pipes = PipesOf(
        {static_cast<uint8_t>(source), static_cast<uint8_t>(destination), QueueOf(id, call).spec.position, 1}, kind_);
    return DeQueBy(clocks, id, pipes.consumer, call);
}

Ub Buffers::DeQueBy(PipeClocks& clocks, int32_t id, Pipe consumer, const Call& call) {
    Queue& queue = QueueOf(id, call);
    if (queue.waiting.empty()) {
        FailDeadlock(call, kNotEmpty, "this %s queue is empty", PositionName(queue.spec.position));
    }
    const int32_t index = queue.waiting.front();
    queue.waiting.erase(queue.waiting.begin());
    Buffer& buffer = buffers_[static_cast<size_t>(index)];
    buffer.state = State::kHeld;
    buffer.dequeued = true;
    clocks.Join(consumer, buffer.filled);
    return Ub{buffer.addr, buffer.addr + buffer.bytes, index, buffer.generation,
              MemoryAt(static_cast<TPosition>(queue.spec.position))};
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

void Buffers::CheckAlive(const Ub& tensor, const char* role, bool write, const Call& call) {
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
