#include "buffers.h"

#include <algorithm>

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
constexpr DeviceRule kOnePipe = {
    {"one-pipe", "there is one TPipe at a time", "基础API/资源管理/TPipe/TPipe构造函数",
     "call Destroy of the one before it, or make it behind that"},
    "each TPipe has books of its own, which begin at the start of the memories",
    "asc-devkit 82b89a1, impl/basic_api/kernel_tpipe_impl.h:92 (asserted in debug builds alone); CANN 8.1, "
    "op_impl/ai_core/tbe/impl/ascendc/moe_token_permute/moe_token_permute.cpp (three, used one after the other)"};
constexpr Rule kBufferCount = {"buffer-count", "a kernel may use at most 64 buffers",
                               "基础API/资源管理/TPipe/InitBuffer"};
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

}  // namespace

void Buffers::Begin(const sim_soc& soc, CoreKind kind) {
    soc_ = &soc;
    kind_ = kind;
    queues_.Begin(soc, kind);
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
    queues_.Reset();
}

void Buffers::Close(void* pipe) {
    const auto known = std::find(pipes_.begin(), pipes_.end(), pipe);
    if (known == pipes_.end()) {
        return;
    }
    pipes_.erase(known);
    pipe_ = pipe_ == pipe ? nullptr : pipe_;
    if (owner_ != nullptr && owner_ != pipe) {
        return;  // all buffers are another's
    }
    queues_.CheckFreed();
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
    return HasMemory(kind_, memory) ? peak_[static_cast<size_t>(memory)] + matmul_[static_cast<size_t>(memory)] : 0;
}

void Buffers::TakeForMatmul(Memory memory, uint64_t bytes) {
    uint64_t& taken = matmul_[static_cast<size_t>(memory)];
    taken = std::max(taken, bytes);
}

int32_t Buffers::InitQueue(const QueueSpec& spec, uint32_t count, uint32_t bytes, const Call& call) {
    const uint64_t rounded = RoundUp(bytes, 32);
    blocks_ += count;
    if (blocks_ > kMostBuffers) {
        Fail(call, kBufferCount, "%u buffers are in use with this one's %u", blocks_, count);
    }
    sim::Queues::CheckSizes(count, bytes, call);
    const uint32_t addr = Take(MemoryAt(static_cast<TPosition>(spec.position)), rounded * count, call);
    return queues_.Add(spec, addr, count, static_cast<uint32_t>(rounded));
}

int32_t Buffers::QueueAt(const QueueSpec& spec, const uint64_t* places, uint32_t count, const Call& call) {
    blocks_ += count;
    if (blocks_ > kMostBuffers) {
        Fail(call, kBufferCount, "%u buffers are in use with this one's %u", blocks_, count);
    }
    const Memory memory = MemoryAt(static_cast<TPosition>(spec.position));
    const MemorySize capacity = SizeOf(*soc_, memory);
    std::vector<sim::Queues::Place> checked;
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
        checked.push_back({static_cast<uint32_t>(addr), static_cast<uint32_t>(bytes)});
        uint32_t& peak = peak_[static_cast<size_t>(memory)];
        peak = std::max(peak, static_cast<uint32_t>(addr + bytes));
    }
    return queues_.Add(spec, checked);
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
    sim::Queues::CheckSizes(count, bytes, call);
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

Ub Buffers::InitBuffer(TPosition position, uint32_t bytes, const Call& call) {
    if (++blocks_ > kMostBuffers) {
        Fail(call, kBufferCount, "this is buffer number %u", blocks_);
    }
    const uint64_t rounded = RoundUp(bytes, 32);
    const uint32_t addr = Take(MemoryAt(position), rounded, call);
    return Ub{addr, addr + static_cast<uint32_t>(rounded), -1, 0, MemoryAt(position)};
}

}  // namespace sim
