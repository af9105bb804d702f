// What the headers call to order pipes and cores: flags, barriers, SyncAll, IBSet and IBWait, turns.
#include <algorithm>
#include <cinttypes>

#include "launch/contexts.h"
#include "cross_core.h"
#include "memory/ub_operand.h"

namespace sim {
namespace {

// Signals in global memory lie in data blocks of their own.
constexpr uint64_t kSlotBytes = 32;

constexpr Rule kSyncAllRoom = {"sync-all-room", "both workspaces of SyncAll have 32 bytes for each AIV",
                               "基础API/同步控制/核间同步/SyncAll"};
constexpr Rule kIbRoom = {"ib-room",
                          "the workspaces of IBSet and IBWait have 32 bytes: in global memory for each core and event",
                          "基础API/同步控制/核间同步/IBSet"};
constexpr Rule kIbVector = {"ib-vector", "IBSet and IBWait are for AIVs", "基础API/同步控制/核间同步/IBSet"};
constexpr Rule kIbBlock = {"ib-block", "blockIdx is 0 to the number of cores - 1, and eventID is not negative",
                           "基础API/同步控制/核间同步/IBSet"};

void CheckSlots(Core& core, uint64_t gm, uint64_t gmBytes, const Ub& ub, uint64_t needed, uint64_t ubNeeded,
                const Rule& rule, const Call& call) {
    CheckVectorCore(core, ub, call);
    if (gmBytes != 0 && gmBytes < needed) {
        Fail(call, rule, "gmWorkspace has %" PRIu64 " bytes, %" PRIu64 " are needed", gmBytes, needed);
    }
    if (BytesLeft(ub) < ubNeeded) {
        Fail(call, rule, "ubWorkspace has %u bytes, %" PRIu64 " are needed", BytesLeft(ub), ubNeeded);
    }
    core.memory.gm.Check(call, "writes", gm, needed, true);
}

// Where IBSet and IBWait with these arguments meet.
uint64_t SlotOf(Core& core, uint64_t gm, const Ub& ub, int32_t block, int32_t event, bool aivOnly, const Call& call) {
    if (!core.HasVector()) {
        Fail(call, kIbVector, "called on an AIC");
    }
    const int64_t cores = int64_t{core.Request().block_dim} * (aivOnly ? 1 : 2);
    if (block < 0 || block >= cores || event < 0) {
        Fail(call, kIbBlock, "blockIdx is %d and eventID is %d, there are %" PRId64 " cores", block, event, cores);
    }
    const uint64_t offset = static_cast<uint64_t>(cores * event + block) * kSlotBytes;
    CheckSlots(core, gm, 0, ub, offset + kSlotBytes, kSlotBytes, kIbRoom, call);
    return gm + offset;
}

constexpr Rule kTurnRoom = {"turns-room", "gmWorkspace has 32 bytes for each AIV, ubWorkspace as many and 32 more",
                            "基础API/同步控制/核间同步/InitDetermineComputeWorkspace"};
constexpr Rule kTurnCore = {"turns-core", "turns are for AIVs", "基础API/同步控制/核间同步/WaitPreBlock"};

// The AIVs of the launch, and which of them this is.
struct Turns {
    uint32_t own;
    uint32_t count;
};

Turns CheckTurns(Core& core, uint64_t gm, const Ub& ub, const Call& call) {
    if (!core.HasVector()) {
        Fail(call, kTurnCore, "called on an AIC");
    }
    const uint32_t vectors = std::max(core.Shared().type->CountOf(core.Kind()), 1u);
    const Turns turns{core.Block() * vectors + core.SubBlock(), core.Request().block_dim * vectors};
    if (BytesLeft(ub) < (turns.count + 1) * 32) {
        Fail(call, kTurnRoom, "ubWorkspace has %u bytes, %u are needed", BytesLeft(ub), (turns.count + 1) * 32);
    }
    core.memory.gm.Check(call, "writes", gm, uint64_t{turns.count} * 32, true);
    return turns;
}

}  // namespace

void CrossCoreSet(uint32_t mode, Pipe pipe, uint32_t flag, Site site) {
    Core& core = CurrentCore();
    core.Poll();
    core.Shared().crossCore->Set(core, mode, pipe, flag, {"CrossCoreSetFlag", site});
}
void CrossCoreWait(uint32_t flag, Site site) {
    Core& core = CurrentCore();
    core.Shared().crossCore->Wait(core, flag, {"CrossCoreWaitFlag", site});
}
void SyncAllHard(bool aivOnly, Site site) {
    Core& core = CurrentCore();
    core.Shared().crossCore->SyncAll(core, !aivOnly, {"SyncAll", site});
}
void SyncAllSoft(uint64_t gm, uint64_t gmBytes, const Ub& ub, uint32_t used, Site site) {
    Core& core = CurrentCore();
    const Call call{"SyncAll", site};
    const uint64_t bytes = uint64_t{core.Request().block_dim} * core.Shared().type->vectors * kSlotBytes;
    CheckSlots(core, gm, gmBytes, ub, bytes, bytes, kSyncAllRoom, call);
    core.Shared().crossCore->SyncAll(core, gm, used, call);
}
void IbSet(uint64_t gm, const Ub& ub, int32_t block, int32_t event, bool aivOnly, Site site) {
    Core& core = CurrentCore();
    const Call call{"IBSet", site};
    core.Shared().crossCore->Set(core, SlotOf(core, gm, ub, block, event, aivOnly, call), call);
}
void IbWait(uint64_t gm, const Ub& ub, int32_t block, int32_t event, bool aivOnly, Site site) {
    Core& core = CurrentCore();
    const Call call{"IBWait", site};
    core.Shared().crossCore->Wait(core, SlotOf(core, gm, ub, block, event, aivOnly, call), call);
}

void Barrier(Pipe pipe, bool all, Site site) {
    Core& core = CurrentCore();
    core.Poll();
    if (all) {
        core.order.events.CheckBarrier({"PipeBarrier", site});
        core.order.clocks.BarrierAll();
    } else {
        core.order.clocks.Barrier(pipe);
    }
}
void SetFlag(Pipe from, Pipe to, int32_t id, Site site) {
    Core& core = CurrentCore();
    core.order.events.Set(core.order.clocks, from, to, id, {"SetFlag", site});
}
void WaitFlag(Pipe from, Pipe to, int32_t id, Site site) {
    Core& core = CurrentCore();
    core.Poll();
    core.order.events.Wait(core.order.clocks, from, to, id, {"WaitFlag", site});
}
int32_t AllocEvent(Pipe from, Pipe to, bool occupy, Site site) {
    return CurrentCore().order.events.Alloc(from, to, occupy, {occupy ? "AllocEventID" : "FetchEventID", site});
}
void ReleaseEvent(Pipe from, Pipe to, int32_t id, Site site) {
    CurrentCore().order.events.Release(from, to, id, {"ReleaseEventID", site});
}

void TurnInit(uint64_t gm, const Ub& ub, Site site) {
    Core& core = CurrentCore();
    CheckTurns(core, gm, ub, {"InitDetermineComputeWorkspace", site});
    core.Shared().crossCore->BeginTurns(gm);
}
void TurnWait(uint64_t gm, const Ub& ub, Site site) {
    Core& core = CurrentCore();
    const Call call{"WaitPreBlock", site};
    core.order.clocks.BarrierAll();  // all pipes wait for the turn and what was before it
    core.Shared().crossCore->WaitTurn(core, gm, CheckTurns(core, gm, ub, call).own, call);
}
void TurnPass(uint64_t gm, const Ub& ub, Site site) {
    Core& core = CurrentCore();
    const Call call{"NotifyNextBlock", site};
    const Turns turns = CheckTurns(core, gm, ub, call);
    core.Shared().crossCore->PassTurn(core, gm, (turns.own + 1) % turns.count, call);
}

}  // namespace sim
