#include "core.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace sim {
namespace {

// Every call of the kernel API looks it up: the initial-exec model makes that one load.
thread_local Core* currentCore __attribute__((tls_model("initial-exec"))) = nullptr;

constexpr DeviceRule kOldValue = {
    {"old-value", "what a tensor holds after AllocTensor is undefined", "基础API/资源管理/TQue/AllocTensor",
     "write what is read: the buffer is given out again, with what the last tensor in it has left"},
    "AllocTensor gives out an address and waits for a flag: what the buffer held is still there",
    "asc-devkit 82b89a1, impl/basic_api/kernel_tquebind_impl.h:586 (AllocBuffer)"};

}  // namespace

Core* RunningCore() { return currentCore; }

Core& CurrentCore() {
    if (currentCore == nullptr) {
        std::fputs("ascendc_sim: a kernel function was called outside of a launch\n", stderr);
        std::abort();
    }
    return *currentCore;
}

void SetCurrentCore(Core* core) { currentCore = core; }

void Core::Release::operator()(uint8_t* memory) const { std::free(memory); }

Core::Core(uint64_t ubBytes)
    : memory(static_cast<uint32_t>(ubBytes)),
      ubBytes_(ubBytes),
      // room behind the end for the padding a transfer completes its last block with
      ub_(static_cast<uint8_t*>(std::aligned_alloc(4096, (ubBytes / 4096 + 2) * 4096))) {
    std::memset(ub_.get(), 0, ubBytes);
}

void Core::Begin(Launch& launch, uint32_t index, sim::Group& group) {
    launch_ = &launch;
    group_ = &group;
    storing_ = nullptr;
    carried_.reset();
    index_ = index;
    block_ = index / launch.type->Cores();
    const uint32_t place = index % launch.type->Cores();
    kind_ = launch.type->KindOf(place);
    subBlock_ = kind_ == CoreKind::kVector ? place - launch.type->cubes : 0;
    registers = {};
    // arguments end with the workspace and the tiling data
    registers.systemWorkspace = launch.args.size() < 2 ? 0 : launch.args[launch.args.size() - 2];
    counters_ = {};
    told_.clear();
    order.timeline.Begin(launch.trace, launch.times);
    order.polling.Reset();
    memory.buffers.Begin(*launch.request->soc, kind_);
    order.events.Reset();
    memory.gm.Begin(*launch.request, launch.args.empty() ? 0 : launch.args.back());
    memory.gm.touched.Begin(launch.times != nullptr);
    memory.cache.Begin(launch, index);
    for (size_t i = 0; i < local_.size(); ++i) {
        const MemorySize size = SizeOf(*launch.request->soc, static_cast<Memory>(i));
        local_[i].Begin(size.brief, size.bytes, launch.checks);
    }
    if (launch.checks) {
        order.clocks.Reset(launch.autoSync);
        order.others.cores.clear();
        memory.shadow.Reset();
    }
}

void Core::InitState() {
    registers.atomic.op = Atomic::kNone;
    registers.vector.counter = false;
    registers.vector.mask[0] = registers.vector.mask[1] = ~uint64_t{0};
}

void Core::End() {
    RefuseCarried();
    Stored();
    memory.buffers.Close(memory.buffers.Current());
    order.events.Finish();
}

sim_core_counts Core::Counts() const {
    sim_core_counts counts{};
    counts.cube = static_cast<uint32_t>(kind_);
    counts.block = block_;
    counts.sub = subBlock_;
    counts.gm_read = counters_.gmRead;
    counts.gm_written = counters_.gmWritten;
    counts.vector_elements = counters_.vectorElements;
    counts.macs = counters_.macs;
    counts.instructions = counters_.instructions;
    static constexpr Memory kMemories[] = {Memory::kUb, Memory::kL1, Memory::kL0A, Memory::kL0B, Memory::kL0C};
    order.timeline.Tell(&counts);
    for (size_t i = 0; i < SIM_MEMORIES; ++i) {
        counts.peak[i] = memory.buffers.Peak(kMemories[i]);
    }
    return counts;
}

uint32_t Core::FirstLacking(uint32_t begin, uint32_t end, const Call& call) {
    for (uint32_t at = begin; at < end; ++at) {
        if (*memory.shadow.Defined(at) == 0xff) {
            continue;
        }
        const Origin origin = memory.shadow.OriginOf(at);
        if (!Origins::IsOld(origin)) {
            return at;
        }
        LetOld(origin, "the byte at UB address " + std::to_string(at), call);
    }
    return end;
}

void Core::LetOld(Origin origin, const std::string& what, const Call& call) const {
    LetPass(call, kOldValue, "%s %s", what.c_str(), launch_->origins.Text(origin).c_str());
}

std::string Core::WhyLacking(uint32_t addr) const { return launch_->origins.Text(memory.shadow.OriginOf(addr)); }

}  // namespace sim
