// Caches, special registers, what prepares a core, turns, and filling of global memory.
// Documentation: 基础API/缓存控制, 基础API/特殊寄存器访问, 基础API/工具接口, 高阶API/张量变换/Fill-97
#include <algorithm>
#include <chrono>
#include <cinttypes>
#include <cstring>

#include "memory/atomic.h"
#include "launch/contexts.h"
#include "order/cross_core.h"

namespace sim {
namespace {

constexpr Rule kPreload = {
    "preload-range", "ICachePreLoad asks for less than the instruction cache: 16 units of 2 KiB on an AIC, 8 on an AIV",
    "基础API/缓存控制/ICachePreLoad(ISASI)"};
constexpr Rule kSaturation = {"saturation", "infinities and NaN are kept: the saturating mode is not simulated",
                              "基础API/特殊寄存器访问/SetCtrlSpr(ISASI)"};
constexpr Rule kTrap = {"trap", "Trap ends the kernel", "基础API/调试接口/异常检测/Trap"};
constexpr Rule kFillRoom = {"fill-room", "Fill goes through what no InitBuffer has taken of the unified buffer",
                            "高阶API/张量变换/Fill-97"};
constexpr Rule kTurnRoom = {"turns-room", "gmWorkspace has 32 bytes for each AIV, ubWorkspace as many and 32 more",
                            "基础API/同步控制/核间同步/InitDetermineComputeWorkspace"};
constexpr Rule kTurnCore = {"turns-core", "turns are for AIVs", "基础API/同步控制/核间同步/WaitPreBlock"};

constexpr uint64_t kLine = 64;
constexpr uint32_t kMostFill = 255 * 256;  // one Duplicate

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
    core.gm.Check(call, "writes", gm, uint64_t{turns.count} * 32, true);
    return turns;
}

}  // namespace

void PreloadData(uint64_t addr, int64_t offset, Site site) {
    Core& core = CurrentCore();
    core.gm.Check({"DataCachePreload", site}, "reads", (addr + static_cast<uint64_t>(offset)) / kLine * kLine, 1,
                  false);
}

void PreloadInstructions(int64_t units, Site site) {
    const Core& core = CurrentCore();
    const int64_t most = core.Kind() == CoreKind::kVector ? 8 : 16;
    if (core.Kind() != CoreKind::kCoupled && (units < 0 || units >= most)) {
        Fail({"ICachePreLoad", site}, kPreload, "preFetchLen is %" PRId64, units);
    }
}

void InitSocState() { CurrentCore().InitState(); }

int64_t ControlBits(uint32_t first, uint32_t last) {
    const uint64_t mask = last - first == 63 ? ~uint64_t{0} : (uint64_t{1} << (last - first + 1)) - 1;
    return static_cast<int64_t>(CurrentCore().control >> first & mask);
}

void SetControlBits(uint32_t first, uint32_t last, int64_t value, Site site) {
    if (first <= 48 && last >= 48) {
        Core& core = CurrentCore();
        core.saturates = (value >> (48 - first) & 1) == 0;
        core.saturatesSince = site;
        core.control = (core.control & ~(uint64_t{1} << 48)) | uint64_t{!core.saturates} << 48;
    }
}

// A kernel may leave the register so at its end: nothing that follows a copy to global memory has a value.
void Core::RefuseSaturation(Pipe pipe, const Call& call) const {
    if (pipe == Pipe::kVector || pipe == Pipe::kMatrix || pipe == Pipe::kFix) {
        Fail(call, kSaturation, "computes with bit 48 of the control register 0, since %s:%d", saturatesSince.file,
             saturatesSince.line);
    }
}

bool AtomicNow() { return CurrentCore().atomic != Atomic::kNone; }
Dtype AtomicTypeNow() { return CurrentCore().atomicType; }

void FillGm(const char* api, uint64_t gm, uint64_t count, uint32_t element, uint64_t value, Site site) {
    Core& core = CurrentCore();
    core.Poll();
    if (!core.HasVector() || count == 0) {
        return;
    }
    const Call call{api, site};
    const Ub left = core.buffers.Left(AscendC::TPosition::VECCALC);
    const uint32_t room = std::min(left.end - left.addr, kMostFill) / 32 * 32;
    if (room == 0) {
        Fail(call, kFillRoom, "nothing is left of it");
    }
    core.gm.Check(call, "writes", gm, count * element, true);
    const uint32_t filled = core.Issue(Pipe::kVector, call, Work::Vector(room / element));
    uint8_t* const data = core.UbData(left.addr);
    for (uint32_t at = 0; at < room; at += element) {
        std::memcpy(data + at, &value, element);
    }
    if (core.Checks()) {
        core.shadow.Write(core.clocks, Pipe::kVector, filled, left.addr, left.addr + room, call);
        core.shadow.Mark(left.addr, room, UbShadow::kValue);
        core.clocks.Join(Pipe::kMte3, core.clocks.Snapshot(Pipe::kVector));
    }
    uint64_t pattern;
    std::memcpy(&pattern, data, sizeof(pattern));
    for (uint64_t done = 0; done < count * element; done += room) {
        const uint64_t bytes = std::min<uint64_t>(room, count * element - done);
        const uint32_t number = core.Issue(Pipe::kMte3, call, Work::Store(bytes));
        const bool atomic = core.atomic != Atomic::kNone;
        GmWrite(core, Pipe::kMte3, number, {gm + done, bytes, 1, 0, data, 0, &pattern}, call, atomic);
        if (core.Checks()) {
            core.shadow.Read(core.clocks, Pipe::kMte3, number, left.addr, static_cast<uint32_t>(left.addr + bytes),
                             call);
            core.cache.CheckTransfer(gm + done, bytes, "writes", call);
            core.gm.Write(core.clocks, number, gm + done, bytes, atomic, call);
        }
        StoreGm(core, gm + done, data, bytes, call);
    }
    core.clocks.Barrier(Pipe::kMte3);
}

// 50 MHz, as Atlas A2 and A3 count.
int64_t SystemCycle() {
    using std::chrono::steady_clock;
    return std::chrono::duration_cast<std::chrono::nanoseconds>(steady_clock::now().time_since_epoch()).count() / 20;
}

void TrapHere(Site site) { Fail({"Trap", site}, kTrap, "the kernel has called it"); }

void TurnInit(uint64_t gm, const Ub& ub, Site site) {
    Core& core = CurrentCore();
    CheckTurns(core, gm, ub, {"InitDetermineComputeWorkspace", site});
    core.Shared().crossCore->BeginTurns(gm);
}
void TurnWait(uint64_t gm, const Ub& ub, Site site) {
    Core& core = CurrentCore();
    const Call call{"WaitPreBlock", site};
    core.clocks.BarrierAll();  // all pipes wait for the turn and what was before it
    core.Shared().crossCore->WaitTurn(core, gm, CheckTurns(core, gm, ub, call).own, call);
}
void TurnPass(uint64_t gm, const Ub& ub, Site site) {
    Core& core = CurrentCore();
    const Call call{"NotifyNextBlock", site};
    const Turns turns = CheckTurns(core, gm, ub, call);
    core.Shared().crossCore->PassTurn(core, gm, (turns.own + 1) % turns.count, call);
}

}  // namespace sim
