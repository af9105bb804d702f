// Filling of global memory. Documentation: 高阶API/张量变换/Fill-97
#include <algorithm>
#include <cstring>

#include "atomic.h"
#include "launch/contexts.h"

namespace sim {
namespace {

constexpr Rule kFillRoom = {"fill-room", "Fill goes through what no InitBuffer has taken of the unified buffer",
                            "高阶API/张量变换/Fill-97"};

constexpr uint32_t kMostFill = 255 * 256;  // one Duplicate

}  // namespace

void FillGm(const char* api, uint64_t gm, uint64_t count, uint32_t element, uint64_t value, Site site) {
    Core& core = CurrentCore();
    core.Poll();
    if (!core.HasVector() || count == 0) {
        return;
    }
    const Call call{api, site};
    const Ub left = core.memory.buffers.Left(AscendC::TPosition::VECCALC);
    const uint32_t room = std::min(left.end - left.addr, kMostFill) / 32 * 32;
    if (room == 0) {
        Fail(call, kFillRoom, "nothing is left of it");
    }
    core.memory.gm.Check(call, "writes", gm, count * element, true);
    const uint32_t filled = core.Issue(Pipe::kVector, call, Work::Vector(room / element));
    uint8_t* const data = core.UbData(left.addr);
    bool same = true;  // what an earlier one left there: it may still be on its way, for nothing changes
    for (uint32_t at = 0; at < room; at += element) {
        same = same && std::memcmp(data + at, &value, element) == 0;
        std::memcpy(data + at, &value, element);
    }
    if (core.Checks()) {
        if (!same) {
            core.memory.shadow.Write(core.order.clocks, Pipe::kVector, filled, left.addr, left.addr + room, call);
        }
        core.memory.shadow.Mark(left.addr, room, UbShadow::kValue);
        core.order.clocks.Join(Pipe::kMte3, core.order.clocks.Snapshot(Pipe::kVector));
    }
    uint64_t pattern;
    std::memcpy(&pattern, data, sizeof(pattern));
    for (uint64_t done = 0; done < count * element; done += room) {
        const uint64_t bytes = std::min<uint64_t>(room, count * element - done);
        const uint32_t number = core.Issue(Pipe::kMte3, call, Work::Store(bytes));
        const bool atomic = core.registers.atomic.op != Atomic::kNone;
        GmWrite(core, Pipe::kMte3, number, {gm + done, bytes, 1, 0, data, 0, &pattern}, call, atomic);
        if (core.Checks()) {
            core.memory.shadow.Read(core.order.clocks, Pipe::kMte3, number, left.addr,
                                    static_cast<uint32_t>(left.addr + bytes), call);
            core.memory.cache.CheckTransfer(gm + done, bytes, "writes", call);
            core.memory.gm.Write(core.order.clocks, number, gm + done, bytes, atomic, call);
        }
        StoreGm(core, gm + done, data, bytes, call);
    }
    core.order.clocks.Barrier(Pipe::kMte3);
}

}  // namespace sim
