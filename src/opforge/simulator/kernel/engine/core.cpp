#include "core.h"

#include <cinttypes>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace sim {
namespace {

// Every call of the kernel API looks it up: the initial-exec model makes that one load.
thread_local Core* currentCore __attribute__((tls_model("initial-exec"))) = nullptr;

constexpr Rule kAligned = {"tensors in the unified buffer start at a multiple of 32 bytes",
                           "通用说明和约束, 通用地址对齐约束"};

constexpr Rule kOnVectorCore = {"vector functions and tensors of the unified buffer are for AIVs: ASCEND_IS_AIV",
                                "guide/编程指南/高级编程/硬件实现/基本架构"};

std::string Format(const Call& call, const Rule& rule, const char* format, va_list args) {
    const Core& core = CurrentCore();
    char detail[1024];
    std::vsnprintf(detail, sizeof(detail), format, args);
    std::string message = core.Request().op_type;
    message += ": " + core.Name() + ": ";
    if (call.site.file != nullptr) {
        message += std::string(call.site.file) + ":" + std::to_string(call.site.line) + ": ";
    }
    message += std::string(call.api) + ": " + detail + "\n  rule: " + rule.text + " [" + rule.page + "]";
    return message;
}

}  // namespace

const char* Name(Pipe pipe) {
    switch (pipe) {
        case Pipe::kScalar:
            return "S";
        case Pipe::kVector:
            return "V";
        case Pipe::kMte1:
            return "MTE1";
        case Pipe::kMte2:
            return "MTE2";
        case Pipe::kMte3:
            return "MTE3";
        case Pipe::kMatrix:
            return "M";
        case Pipe::kFix:
            return "FIX";
        case Pipe::kCount:
            break;
    }
    return "?";
}

void Fail(const Call& call, const Rule& rule, const char* format, ...) {
    va_list args;
    va_start(args, format);
    std::string message = Format(call, rule, format, args);
    va_end(args);
    throw Failure{Status::kVectorException, std::move(message)};
}

void FailDeadlock(const Call& call, const Rule& rule, const char* format, ...) {
    va_list args;
    va_start(args, format);
    std::string message = Format(call, rule, format, args);
    va_end(args);
    throw Failure{Status::kTimeout, std::move(message)};
}

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
    : shadow(static_cast<uint32_t>(ubBytes)),
      ubBytes_(ubBytes),
      // room behind the end for the padding a transfer completes its last block with
      ub_(static_cast<uint8_t*>(std::aligned_alloc(4096, (ubBytes / 4096 + 2) * 4096))) {
    std::memset(ub_.get(), 0, ubBytes);
}

const KernelType* KernelTypeOf(uint32_t value) {
    static constexpr KernelType kTypes[] = {
        {SIM_KERNEL_AIV_ONLY, "KERNEL_TYPE_AIV_ONLY", 0, 1, false},
        {SIM_KERNEL_AIC_ONLY, "KERNEL_TYPE_AIC_ONLY", 1, 0, false},
        {SIM_KERNEL_MIX_AIC_1_1, "KERNEL_TYPE_MIX_AIC_1_1", 1, 1, true},
        {SIM_KERNEL_MIX_AIC_1_2, "KERNEL_TYPE_MIX_AIC_1_2", 1, 2, true},
        {SIM_KERNEL_MIX_AIV_1_0, "KERNEL_TYPE_MIX_AIV_1_0", 0, 1, true},
        {SIM_KERNEL_MIX_AIC_1_0, "KERNEL_TYPE_MIX_AIC_1_0", 1, 0, true},
    };
    for (const KernelType& type : kTypes) {
        if (static_cast<uint32_t>(type.value) == value) {
            return &type;
        }
    }
    return nullptr;
}

static std::string Name(const Launch& launch, uint32_t core, const std::string& of) {
    const uint32_t cores = launch.type->Cores();
    std::string name = "block " + std::to_string(core / cores) + of;
    if (launch.type->cubes != 0) {
        const uint32_t place = core % cores;
        name += place == 0 ? ", AIC" : ", AIV " + std::to_string(place - 1);
    }
    return name;
}

std::string Launch::NameOf(uint32_t core) const {
    return sim::Name(*this, core, " of " + std::to_string(request->block_dim));
}

std::string Launch::ShortNameOf(uint32_t core) const { return sim::Name(*this, core, ""); }

void Core::Begin(Launch& launch, uint32_t index, sim::Group& group) {
    launch_ = &launch;
    group_ = &group;
    index_ = index;
    block_ = index / launch.type->Cores();
    const uint32_t place = index % launch.type->Cores();
    kind_ = place < launch.type->cubes ? CoreKind::kCube : CoreKind::kVector;
    subBlock_ = kind_ == CoreKind::kVector ? place - launch.type->cubes : 0;
    // arguments end with the workspace and the tiling data
    systemWorkspace = launch.args.size() < 2 ? 0 : launch.args[launch.args.size() - 2];
    atomic = Atomic::kNone;
    counters = {};
    buffers.Begin(*launch.request->soc, kind_ == CoreKind::kCube);
    events.Reset();
    gm.Begin(*launch.request);
    cache.Begin(launch, index);
    if (launch.checks) {
        clocks.Reset();
        others.cores.clear();
        shadow.Reset();
    }
}

void Core::End() {
    buffers.Close(buffers.Current(), clocks);
    events.Finish();
}

sim_core_counts Core::Counts() const {
    sim_core_counts counts{};
    counts.cube = kind_ == CoreKind::kCube ? 1 : 0;
    counts.block = block_;
    counts.sub = subBlock_;
    counts.gm_read = counters.gmRead;
    counts.gm_written = counters.gmWritten;
    counts.vector_elements = counters.vectorElements;
    counts.macs = counters.macs;
    counts.instructions = counters.instructions;
    static constexpr Memory kMemories[] = {Memory::kUb, Memory::kL1, Memory::kL0A, Memory::kL0B, Memory::kL0C};
    for (size_t i = 0; i < SIM_MEMORIES; ++i) {
        counts.peak[i] = buffers.Peak(kMemories[i]);
    }
    return counts;
}

void CheckVectorCore(Core& core, const Ub& place, const Call& call) {
    if (core.Kind() == CoreKind::kCube) {
        Fail(call, kOnVectorCore, "called on an AIC, which has no vector unit and no unified buffer");
    }
    if (place.memory != Memory::kUb) {
        Fail(call, kOnVectorCore, "the tensor does not lie in the unified buffer");
    }
}

void CheckOperand(Core& core, const Operand& operand, const Call& call, const char* page) {
    const Ub& place = operand.place;
    CheckVectorCore(core, place, call);
    const uint64_t end = place.end < core.UbBytes() ? place.end : core.UbBytes();
    if (place.addr + operand.bytes > end) {
        const std::string whole = kVectorPages + std::string(page);
        const Rule rule = {"an operand lies inside its tensor", whole.c_str()};
        Fail(call, rule,
             "%s needs %" PRIu64 " bytes from UB address %u, but its tensor ends at %" PRIu64 " (%" PRIu64 " too many)",
             operand.role, operand.bytes, place.addr, end, place.addr + operand.bytes - end);
    }
    if (place.addr % 32 != 0) {
        Fail(call, kAligned, "%s starts at UB address %u, %u bytes behind a multiple of 32", operand.role, place.addr,
             place.addr % 32);
    }
    if (core.Checks()) {
        core.buffers.CheckAlive(place, operand.role, call);
    }
}

}  // namespace sim
