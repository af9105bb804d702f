#include "cross_core.h"

#include <algorithm>
#include <cinttypes>
#include <cstring>

#include "memory/gm_values.h"

namespace sim {
namespace {

#define CROSS_CORE_PAGES "基础API/同步控制/核间同步/"
constexpr Rule kKernelType = {
    "cross-core-type",
    "only kernels of KERNEL_TYPE_MIX_AIV_1_0, MIX_AIC_1_0, MIX_AIC_1_1 and MIX_AIC_1_2 have flags between cores",
    CROSS_CORE_PAGES "CrossCoreSetFlag(ISASI)",
    "KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0) in a kernel of vector cores alone; SyncAll with "
    "two workspaces needs no flags, as on ascend310p"};
constexpr Rule kMixOnly = {"cross-core-mix", "modes 1 and 2 are for kernels of KERNEL_TYPE_MIX_AIC_1_1 and MIX_AIC_1_2",
                           CROSS_CORE_PAGES "CrossCoreSetFlag(ISASI)"};
constexpr Rule kVectorOnly = {"cross-core-mode1", "mode 1 is between the AIVs of a block",
                              CROSS_CORE_PAGES "CrossCoreSetFlag(ISASI)"};
constexpr Rule kFlagId = {"cross-core-id", "flag ids are 0 to 15", CROSS_CORE_PAGES "CrossCoreSetFlag(ISASI)"};
constexpr Rule kCounter = {"cross-core-counter", "a flag's counter is 0 to 15",
                           CROSS_CORE_PAGES "CrossCoreSetFlag(ISASI)"};
constexpr Rule kOneMode = {"cross-core-mode", "a flag changes its mode only after all its signals have been waited for",
                           CROSS_CORE_PAGES "CrossCoreSetFlag(ISASI)"};
constexpr Rule kPaired = {"cross-core-pairs", "CrossCoreSetFlag and CrossCoreWaitFlag come in pairs",
                          CROSS_CORE_PAGES "CrossCoreSetFlag(ISASI)"};
constexpr Rule kSyncAllMix = {"sync-all-mix", "isAIVOnly is true in kernels without cube cores",
                              CROSS_CORE_PAGES "SyncAll"};
constexpr Rule kSyncAllUsed = {"sync-all-cores", "usedCores is at most the number of AIVs, and those AIVs call SyncAll",
                               CROSS_CORE_PAGES "SyncAll"};
constexpr Rule kSyncAllZero = {"sync-all-zero", "the counters of SyncAll are 0 before the first call",
                               CROSS_CORE_PAGES "SyncAll"};
constexpr Rule kTurns = {"turns-init", "InitDetermineComputeWorkspace comes before WaitPreBlock and NotifyNextBlock",
                         CROSS_CORE_PAGES "InitDetermineComputeWorkspace"};
#undef CROSS_CORE_PAGES

constexpr size_t kMostSignals = 15;
constexpr size_t kMostNamed = 4;

int32_t Load(uint64_t addr) {
    int32_t value;
    std::memcpy(&value, reinterpret_cast<const void*>(addr), sizeof(value));
    return value;
}

void Store(uint64_t addr, int32_t value) { std::memcpy(reinterpret_cast<void*>(addr), &value, sizeof(value)); }

uint32_t CoreAt(const KernelType& type, uint32_t block, CoreKind kind, uint32_t subBlock) {
    return block * type.Cores() + (kind == CoreKind::kCube ? 0 : type.cubes + subBlock);
}

// A signal after PipeBarrier<PIPE_ALL>.
CoreClock ReleaseAll(Core& core) {
    core.order.clocks.BarrierAll();
    return Release(core, Pipe::kScalar);
}

}  // namespace

// The cores whose signals make one: all of the core's kind (mode 0), the AIVs of its block (1 and, from an AIV, 2),
// the AIC alone (2).
std::vector<uint32_t> CrossCore::Participants(const Core& core, uint32_t mode) const {
    const KernelType& type = *launch_.type;
    std::vector<uint32_t> cores;
    const uint32_t count = type.CountOf(core.Kind());
    const uint32_t first = mode == 0 ? 0 : core.Block();
    const uint32_t last = mode == 0 ? launch_.request->block_dim : core.Block() + 1;
    for (uint32_t block = first; block < last; ++block) {
        for (uint32_t sub = 0; sub < count; ++sub) {
            cores.push_back(CoreAt(type, block, core.Kind(), sub));
        }
    }
    return cores;
}

void CrossCore::RequireFlags(const Core&, const Call& call) const {
    if (!launch_.type->synchronises) {
        Fail(call, kKernelType, "this kernel is of %s", launch_.type->name);
    }
}

CrossCore::Flags& CrossCore::FlagsOf(uint32_t core) { return flags_[core]; }

void CrossCore::Set(Core& core, uint32_t mode, Pipe pipe, uint32_t id, const Call& call) {
    RequireFlags(core, call);
    if (mode != 0 && !launch_.type->Mix()) {
        Fail(call, kMixOnly, "mode %u in a kernel of %s", mode, launch_.type->name);
    }
    if (mode == 1 && core.Kind() == CoreKind::kCube) {
        Fail(call, kVectorOnly, "mode 1 on an AIC");
    }
    if (id >= kFlags) {
        Fail(call, kFlagId, "flag id %u: the hardware takes its low 4 bits, %u", id, id % kFlags);
    }
    const std::vector<uint32_t> senders = Participants(core, mode);
    std::vector<uint32_t> receivers = senders;
    if (mode == 2) {
        const bool toVectors = core.Kind() == CoreKind::kCube;
        receivers.clear();
        for (uint32_t sub = 0; sub < (toVectors ? launch_.type->vectors : 1u); ++sub) {
            receivers.push_back(
                CoreAt(*launch_.type, core.Block(), toVectors ? CoreKind::kVector : CoreKind::kCube, sub));
        }
    }
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        Gathering& gathering =
            gatherings_[{mode, static_cast<uint32_t>(core.Kind()), mode == 0 ? 0 : core.Block(), id}];
        gathering.sent[core.Index()].emplace_back(Release(core, pipe), call);
        const bool complete = std::all_of(senders.begin(), senders.end(), [&](uint32_t sender) {
            const auto sent = gathering.sent.find(sender);
            return sent != gathering.sent.end() && !sent->second.empty();
        });
        if (!complete) {
            return;
        }
        CoreClock clock;
        for (uint32_t sender : senders) {
            clock.Join(gathering.sent[sender].front().first);
            gathering.sent[sender].pop_front();
        }
        for (uint32_t receiver : receivers) {
            Flag& flag = FlagsOf(receiver)[id];
            if (!flag.signals.empty() && flag.mode != mode) {
                Fail(call, kOneMode, "flag %u of %s still counts %zu signals of mode %u, this one is of mode %u", id,
                     launch_.ShortNameOf(receiver).c_str(), flag.signals.size(), flag.mode, mode);
            }
            if (flag.signals.size() == kMostSignals) {
                Fail(call, kCounter, "flag %u of %s would count %zu signals that nobody has waited for", id,
                     launch_.ShortNameOf(receiver).c_str(), kMostSignals + 1);
            }
            flag.mode = mode;
            flag.setter = core.Index();
            flag.call = call;
            flag.signals.push_back(clock);
        }
    }
    Changed();
}

void CrossCore::Wait(Core& core, uint32_t id, const Call& call) {
    RequireFlags(core, call);
    if (id >= kFlags) {
        Fail(call, kFlagId, "flag id %u: the hardware takes its low 4 bits, %u", id, id % kFlags);
    }
    const auto ready = [&] {
        const std::lock_guard<std::mutex> lock(mutex_);
        return !FlagsOf(core.Index())[id].signals.empty();
    };
    const auto waitsFor = [&] {
        const std::lock_guard<std::mutex> lock(mutex_);
        std::string text = "waits for flag " + std::to_string(id);
        size_t named = 0;
        for (const auto& [key, gathering] : gatherings_) {
            const bool forThis = key[3] == id && (key[0] == 0 || key[2] == core.Block()) &&
                                 (key[0] == 2) == (key[1] != static_cast<uint32_t>(core.Kind()));
            for (const auto& [sender, sent] : gathering.sent) {
                if (forThis && !sent.empty() && named++ < kMostNamed) {
                    text += (named == 1 ? ", which " : " and ") + launch_.ShortNameOf(sender) + " has set by mode " +
                            std::to_string(key[0]);
                }
            }
        }
        return text + (named == 0 ? ", which nobody has set" : ", but not all that take part");
    };
    Await(call, ready, waitsFor);
    const std::lock_guard<std::mutex> lock(mutex_);
    Flag& flag = FlagsOf(core.Index())[id];
    Acquire(core, flag.signals.front());
    flag.signals.pop_front();
}

std::string CrossCore::Missing(const Barrier& barrier, const std::vector<uint32_t>& cores) const {
    std::string text;
    size_t missing = 0;
    for (uint32_t core : cores) {
        if (!barrier.here[core] && ++missing <= kMostNamed) {
            text += (missing == 1 ? "" : ", ") + launch_.ShortNameOf(core);
        }
    }
    if (missing > kMostNamed) {
        text += " and " + std::to_string(missing - kMostNamed) + " more";
    }
    return "waits for " + text;
}

void CrossCore::Meet(Core& core, Barrier& barrier, const std::vector<uint32_t>& cores, const Call& call) {
    uint32_t round = 0;
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        barrier.here.resize(static_cast<size_t>(launch_.request->block_dim) * launch_.type->Cores());
        barrier.here[core.Index()] = true;
        barrier.clock.Join(ReleaseAll(core));
        round = barrier.round;
        if (++barrier.arrived == cores.size()) {
            barrier.told[round] = std::move(barrier.clock);
            barrier.told.erase(round - 2);
            barrier.clock = CoreClock{};
            barrier.arrived = 0;
            barrier.here.assign(barrier.here.size(), false);
            ++barrier.round;
        }
    }
    Changed();
    const auto ready = [&] {
        const std::lock_guard<std::mutex> lock(mutex_);
        return barrier.round != round;
    };
    const auto waitsFor = [&] {
        const std::lock_guard<std::mutex> lock(mutex_);
        return Missing(barrier, cores);
    };
    Await(call, ready, waitsFor);
    const std::lock_guard<std::mutex> lock(mutex_);
    Acquire(core, barrier.told[round]);
}

void CrossCore::SyncAll(Core& core, bool mix, const Call& call) {
    RequireFlags(core, call);
    if (!mix) {
        Meet(core, core.Kind() == CoreKind::kCube ? cubes_ : vectors_, Participants(core, 0), call);
        return;
    }
    if (!launch_.type->Mix()) {
        Fail(call, kSyncAllMix, "SyncAll<false> in a kernel of %s waits for ever", launch_.type->name);
    }
    std::vector<uint32_t> cores(static_cast<size_t>(launch_.request->block_dim) * launch_.type->Cores());
    for (uint32_t i = 0; i < cores.size(); ++i) {
        cores[i] = i;
    }
    Meet(core, all_, cores, call);
}

void CrossCore::SyncAll(Core& core, uint64_t counters, uint32_t used, const Call& call) {
    std::vector<uint32_t> cores = Participants(core, 0);
    const uint32_t own = core.Block() * launch_.type->CountOf(core.Kind()) + core.SubBlock();
    if (used > cores.size()) {
        Fail(call, kSyncAllUsed, "usedCores is %u, the launch has %zu AIVs", used, cores.size());
    }
    cores.resize(used != 0 ? used : cores.size());
    if (own >= cores.size()) {
        Fail(call, kSyncAllUsed, "usedCores is %zu, this is AIV %u", cores.size(), own);
    }
    Barrier* barrier = nullptr;
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        const auto [it, first] = soft_.try_emplace(counters);
        barrier = &it->second;
        const uint64_t slot = counters + uint64_t{own} * 32;
        if (core.Checks() && !DefinedInGm(core, slot, sizeof(int32_t))) {
            Fail(call, kSyncAllZero, "the counter of AIV %u has never been written", own);
        }
        const int32_t count = Load(slot);
        if (count != static_cast<int32_t>(barrier->round)) {
            Fail(call, kSyncAllZero, "the counter of AIV %u is %d before its call number %u", own, count,
                 barrier->round + 1);
        }
        Store(slot, count + 1);
    }
    Meet(core, *barrier, cores, call);
}

// IBSet and IBWait have a barrier of all pipes inside.
void CrossCore::Set(Core& core, uint64_t slot, const Call& call) {
    const auto value = [this, slot] {
        const std::lock_guard<std::mutex> lock(mutex_);
        return Load(slot);
    };
    Await(
        call, [&] { return value() == 0; },
        [&] {
            return "waits until the last IBSet of this event has been waited for; its value is " +
                   std::to_string(value());
        });
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        Acquire(core, slots_[slot]);
        slots_[slot] = ReleaseAll(core);
        Store(slot, 1);
        if (core.Checks()) {
            MarkStored(core, slot, sizeof(int32_t));
        }
    }
    Changed();
}

void CrossCore::Wait(Core& core, uint64_t slot, const Call& call) {
    const auto value = [this, slot] {
        const std::lock_guard<std::mutex> lock(mutex_);
        return Load(slot);
    };
    Await(
        call, [&] { return value() == 1; },
        [&] { return "waits for an IBSet with the same arguments; the event's value is " + std::to_string(value()); });
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        Acquire(core, slots_[slot]);
        slots_[slot] = ReleaseAll(core);
        Store(slot, 0);
    }
    Changed();
}

void CrossCore::BeginTurns(uint64_t gm) {
    const std::lock_guard<std::mutex> lock(mutex_);
    turns_.try_emplace(gm);
}

void CrossCore::WaitTurn(Core& core, uint64_t gm, uint32_t own, const Call& call) {
    Turn* turn = nullptr;
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        const auto found = turns_.find(gm);
        turn = found == turns_.end() ? nullptr : &found->second;
    }
    if (turn == nullptr) {
        Fail(call, kTurns, "no turns have begun in this workspace");
    }
    const auto next = [this, turn] {
        const std::lock_guard<std::mutex> lock(mutex_);
        return turn->next;
    };
    Await(
        call, [&] { return next() == own; },
        [&] { return "waits for its turn; it is that of AIV " + std::to_string(next()); });
    const std::lock_guard<std::mutex> lock(mutex_);
    Acquire(core, turn->clock);
}

void CrossCore::PassTurn(Core& core, uint64_t gm, uint32_t next, const Call& call) {
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        const auto found = turns_.find(gm);
        if (found == turns_.end()) {
            Fail(call, kTurns, "no turns have begun in this workspace");
        }
        found->second.clock.Join(ReleaseAll(core));
        found->second.next = next;
    }
    Changed();
}

std::optional<Failure> CrossCore::Unpaired() const {
    const auto failure = [&](uint32_t setter, const Call& call, const std::string& what) {
        std::string message = std::string(launch_.request->op_type) + ": " + launch_.NameOf(setter) + ": ";
        if (call.site.file != nullptr) {
            message += std::string(call.site.file) + ":" + std::to_string(call.site.line) + ": ";
        }
        return Failure{Status::kVectorException, message + call.api + ": " + what + LineOf(kPaired)};
    };
    for (const auto& [core, flags] : flags_) {
        for (uint32_t id = 0; id < kFlags; ++id) {
            const Flag& flag = flags[id];
            if (!flag.signals.empty()) {
                return failure(
                    flag.setter, flag.call,
                    "flag " + std::to_string(id) + " of " + launch_.ShortNameOf(core) + " is set and never waited for");
            }
        }
    }
    for (const auto& [key, gathering] : gatherings_) {
        for (const auto& [sender, sent] : gathering.sent) {
            if (!sent.empty()) {
                return failure(sender, sent.front().second,
                               "flag " + std::to_string(key[3]) + " is set by mode " + std::to_string(key[0]) +
                                   ", but not by all cores that take part");
            }
        }
    }
    return std::nullopt;
}

}  // namespace sim
