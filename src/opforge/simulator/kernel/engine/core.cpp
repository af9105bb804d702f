#include "core.h"

#include <algorithm>
#include <cinttypes>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "report/call_chain.h"

namespace sim {
namespace {

// Every call of the kernel API looks it up: the initial-exec model makes that one load.
thread_local Core* currentCore __attribute__((tls_model("initial-exec"))) = nullptr;

constexpr Rule kAligned = {"ub-alignment", "tensors in the unified buffer start at a multiple of 32 bytes",
                           "通用说明和约束, 通用地址对齐约束"};
constexpr Rule kAlignedLess = {"reduction-alignment",
                               "the result of a reduction starts at a multiple of what it writes",
                               "基础API/Memory矢量计算/归约计算/ReduceRepeat"};

constexpr DeviceRule kOldValue = {
    {"old-value", "what a tensor holds after AllocTensor is undefined", "基础API/资源管理/TQue/AllocTensor",
     "write what is read: the buffer is given out again, with what the last tensor in it has left"},
    "AllocTensor gives out an address and waits for a flag: what the buffer held is still there",
    "asc-devkit 82b89a1, impl/basic_api/kernel_tquebind_impl.h:586 (AllocBuffer)"};

constexpr Rule kOnVectorCore = {"vector-core-only",
                                "vector functions and tensors of the unified buffer are for AIVs: ASCEND_IS_AIV",
                                "guide/编程指南/高级编程/硬件实现/基本架构"};

Failure Found(Status status, const Call& call, const Rule& rule, const DeviceRule* let, const char* format,
              va_list args) {
    const Core& core = CurrentCore();
    char detail[1024];
    std::vsnprintf(detail, sizeof(detail), format, args);
    std::string message = core.Request().op_type;
    message += ": " + core.Name() + ": ";
    if (call.site.file != nullptr) {
        message += Where(call.site) + ": ";
    }
    message += std::string(call.api) + ": " + detail + LineOf(rule);
    return {status, std::move(message),
            std::make_shared<const Defect>(Defect{core.Name(), core.Block(), call, detail, rule.id, rule.text,
                                                  rule.page, rule.hint != nullptr ? rule.hint : "", let != nullptr,
                                                  let != nullptr ? let->does : "", let != nullptr ? let->source : "",
                                                  StackNow()})};
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
    Failure failure = Found(Status::kVectorException, call, rule, nullptr, format, args);
    va_end(args);
    throw failure;
}

void FailDeadlock(const Call& call, const Rule& rule, const char* format, ...) {
    va_list args;
    va_start(args, format);
    Failure failure = Found(Status::kTimeout, call, rule, nullptr, format, args);
    va_end(args);
    throw failure;
}

void LetPass(const Call& call, const DeviceRule& rule, const char* format, ...) {
    Core& core = CurrentCore();
    if (core.WasTold(rule.rule.id, call.site)) {
        return;
    }
    const Findings& findings = *core.Shared().findings;
    const Verdict verdict = findings.Of(rule.rule, call.site);
    if (verdict != Verdict::kSilent) {
        va_list args;
        va_start(args, format);
        Failure failure = Found(Status::kVectorException, call, rule.rule, &rule, format, args);
        va_end(args);
        if (verdict == Verdict::kRefuse) {
            throw failure;
        }
        findings.Warn(failure);
    }
    core.Told(rule.rule.id, call.site);
}

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
    : shadow(static_cast<uint32_t>(ubBytes)),
      ubBytes_(ubBytes),
      // room behind the end for the padding a transfer completes its last block with
      ub_(static_cast<uint8_t*>(std::aligned_alloc(4096, (ubBytes / 4096 + 2) * 4096))) {
    std::memset(ub_.get(), 0, ubBytes);
}

const KernelType* KernelTypeOf(uint32_t value) {
    static constexpr KernelType kTypes[] = {
        {SIM_KERNEL_AIV_ONLY, "KERNEL_TYPE_AIV_ONLY", 0, 1, false, false},
        {SIM_KERNEL_AIC_ONLY, "KERNEL_TYPE_AIC_ONLY", 1, 0, false, false},
        {SIM_KERNEL_MIX_AIC_1_1, "KERNEL_TYPE_MIX_AIC_1_1", 1, 1, true, false},
        {SIM_KERNEL_MIX_AIC_1_2, "KERNEL_TYPE_MIX_AIC_1_2", 1, 2, true, false},
        {SIM_KERNEL_MIX_AIV_1_0, "KERNEL_TYPE_MIX_AIV_1_0", 0, 1, true, false},
        {SIM_KERNEL_MIX_AIC_1_0, "KERNEL_TYPE_MIX_AIC_1_0", 1, 0, true, false},
        {SIM_KERNEL_AICORE, "KERNEL_TYPE_AICORE", 0, 0, false, true},
        {SIM_KERNEL_MIX_VECTOR_CORE, "KERNEL_TYPE_MIX_VECTOR_CORE", 0, 0, false, true},
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
    storing = nullptr;
    index_ = index;
    block_ = index / launch.type->Cores();
    const uint32_t place = index % launch.type->Cores();
    kind_ = launch.type->KindOf(place);
    subBlock_ = kind_ == CoreKind::kVector ? place - launch.type->cubes : 0;
    // arguments end with the workspace and the tiling data
    systemWorkspace = launch.args.size() < 2 ? 0 : launch.args[launch.args.size() - 2];
    atomic = Atomic::kNone;
    padValue.reset();
    control = uint64_t{1} << 48;
    saturates = false;
    registers = {};
    counters = {};
    told_.clear();
    timeline.Begin(launch.trace);
    polling.Reset();
    indexRegisters = {};
    cube = {};
    buffers.Begin(*launch.request->soc, kind_);
    events.Reset();
    gm.Begin(*launch.request);
    cache.Begin(launch, index);
    for (size_t i = 0; i < local_.size(); ++i) {
        const MemorySize size = SizeOf(*launch.request->soc, static_cast<Memory>(i));
        local_[i].Begin(size.brief, size.bytes, launch.checks);
    }
    if (launch.checks) {
        clocks.Reset(launch.autoSync);
        others.cores.clear();
        shadow.Reset();
    }
}

void Core::InitState() {
    atomic = Atomic::kNone;
    registers.counter = false;
    registers.mask[0] = registers.mask[1] = ~uint64_t{0};
}

void Core::End() {
    Stored();
    buffers.Close(buffers.Current(), clocks);
    events.Finish();
}

sim_core_counts Core::Counts() const {
    sim_core_counts counts{};
    counts.cube = static_cast<uint32_t>(kind_);
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

uint32_t Core::FirstLacking(uint32_t begin, uint32_t end, const Call& call) {
    for (uint32_t at = begin; at < end; ++at) {
        if (*shadow.Defined(at) == 0xff) {
            continue;
        }
        const Origin origin = shadow.OriginOf(at);
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

std::string Core::WhyLacking(uint32_t addr) const { return launch_->origins.Text(shadow.OriginOf(addr)); }

void CheckVectorCore(Core& core, const Ub& place, const Call& call) {
    if (!core.HasVector()) {
        Fail(call, kOnVectorCore, "called on an AIC, which has no vector unit and no unified buffer");
    }
    if (place.memory != Memory::kUb) {
        Fail(call, kOnVectorCore, "the tensor does not lie in the unified buffer");
    }
}

DeviceRule OperandRule(const char* page) {
    return {{"operand-length", "an operand lies inside its tensor", page},
            "the vector unit and the transfers take addresses: what lies behind the tensor in the same memory is read "
            "and written",
            "asc-devkit 82b89a1, impl/basic_api/kernel_tensor_impl.h:255 (lengths are asserted in debug builds alone); "
            "CANN 8.1, op_impl/ai_core/tbe/impl/ascendc/moe_gating_top_k/moe_gating_top_k_e_k_fullload.h"};
}

void CheckOperand(Core& core, const Operand& operand, const Call& call, const char* page) {
    const Ub& place = operand.place;
    CheckVectorCore(core, place, call);
    const uint64_t end = std::min<uint64_t>(place.end, core.UbBytes());
    const uint64_t needed = place.addr + operand.bytes;
    if (operand.bytes != 0 && needed > end) {
        const std::string whole = std::strncmp(page, "高阶API/", 10) == 0 ? page : kVectorPages + std::string(page);
        const DeviceRule rule = OperandRule(whole.c_str());
        constexpr const char* kSays =
            "%s needs %" PRIu64 " bytes from UB address %u, but its tensor ends at %" PRIu64 " (%" PRIu64 " too many)";
        if (needed > core.UbBytes() ||
            end == 0) {  // a buffer without InitBuffer has no place: its address means nothing
            Fail(call, rule.rule, kSays, operand.role, operand.bytes, place.addr, end, needed - end);
        }
        LetPass(call, rule, kSays, operand.role, operand.bytes, place.addr, end, needed - end);
    }
    if (core.Checks()) {
        core.shadow.Touch(core.Shared().origins, place, operand.bytes, operand.write, call);
    }
    if (!core.Limits()) {
        return;
    }
    if (place.addr % operand.alignment != 0) {
        Fail(call, operand.alignment == 32 ? kAligned : kAlignedLess,
             "%s starts at UB address %u, %u bytes behind a multiple of %u", operand.role, place.addr,
             place.addr % operand.alignment, operand.alignment);
    }
    core.buffers.CheckAlive(place, operand.role, operand.write, call);
}

}  // namespace sim
