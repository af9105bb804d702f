// Accesses of the scalar unit to global memory that do not pass its data cache.
// Documentation: 基础API/标量计算/ReadGmByPassDCache(ISASI), WriteGmByPassDCache(ISASI)
#include <cstring>

#include "launch/contexts.h"
#include "gm_values.h"

namespace sim {

uint64_t ReadGmPast(uint64_t addr, uint32_t bytes, Site site) {
    Core& core = CurrentCore();
    core.Poll();
    const Call call{"ReadGmByPassDCache", site};
    core.memory.gm.Check(call, "reads", addr, bytes, false);
    const uint32_t number = core.Issue(Pipe::kScalar, call, Work::Scalar(bytes, 0));
    if (core.Checks()) {
        core.memory.gm.Scalar(core.order.clocks, addr, bytes, false, call);
        core.memory.cache.CheckTransfer(addr, bytes, "reads", call);
        GmRead(core, Pipe::kScalar, number, {addr, bytes}, call);
        RequireGm(core, addr, bytes, call);
    }
    uint64_t value = 0;
    std::memcpy(&value, reinterpret_cast<const void*>(addr), bytes);
    Polled(core, call, addr, bytes);
    return value;
}

void WriteGmPast(uint64_t addr, uint32_t bytes, uint64_t value, Site site) {
    Core& core = CurrentCore();
    core.Poll();
    const Call call{"WriteGmByPassDCache", site};
    core.memory.gm.Check(call, "writes", addr, bytes, true);
    const uint32_t number = core.Issue(Pipe::kScalar, call, Work::Scalar(0, bytes));
    if (core.Checks()) {
        core.memory.gm.Scalar(core.order.clocks, addr, bytes, true, call);
        core.memory.cache.CheckTransfer(addr, bytes, "writes", call);
        GmWrite(core, Pipe::kScalar, number, {addr, bytes, 1, 0, reinterpret_cast<const uint8_t*>(&value), 0}, call);
        MarkStored(core, addr, bytes);
    }
    std::memcpy(reinterpret_cast<void*>(addr), &value, bytes);
}

}  // namespace sim
