// Global memory as the pipes of a cube core read (MTE2) and write it (FIX, MTE3).
#ifndef OPFORGE_SIM_KERNEL_CUBE_GM_H
#define OPFORGE_SIM_KERNEL_CUBE_GM_H

#include "memory/atomic.h"
#include "launch/contexts.h"
#include "gemm.h"
#include "memory/gm_marks.h"
#include "memory/gm_values.h"
#include "memory/local_memory.h"

namespace sim {

// All rows at once; the access has been issued on MTE2.
inline void ReadGlobal(LocalAccess& access, const GmSpan& span) {
    Core& core = access.On();
    const Call& call = access.Where();
    GmRead(core, Pipe::kMte2, access.Number(), span, call);
    for (uint64_t row = 0; row < span.rows; ++row) {
        const uint64_t addr = span.addr + row * span.pitch;
        core.memory.gm.Check(call, "reads", addr, span.bytes, false);
        if (core.Checks()) {
            core.memory.cache.CheckTransfer(addr, span.bytes, "reads", call);
            core.memory.gm.Read(core.order.clocks, access.Number(), addr, span.bytes, call);
        }
    }
}

// What has been read of global memory is at `to` of the local memory now.
inline void DefineLoaded(LocalAccess& access, const Ub& dst, uint64_t to, uint64_t from, uint64_t bytes) {
    Core& core = access.On();
    if (!core.Checks()) {
        return;
    }
    if (dst.memory == Memory::kUb) {
        return MarkLoaded(core, from, bytes, static_cast<uint32_t>(dst.addr + to), access.Where());
    }
    access.Define(dst, to, bytes);
    if (DefinedInGm(core, from, bytes)) {
        return;
    }
    std::vector<Origin> marks(bytes);
    core.Shared().gmMarks->Read(from, bytes, marks.data());
    for (uint64_t i = 0; i < bytes; ++i) {
        access.Define(dst, to + i, 1, marks[i] == GmMarks::kValue);
    }
}

// `bytes` at `data` to `addr`, combined where an atomic operation is set. `marks` (GmMarks): which have no value.
inline void WriteGlobal(LocalAccess& access, uint64_t addr, const uint8_t* data, uint64_t bytes,
                        const Origin* marks = nullptr) {
    Core& core = access.On();
    const Call& call = access.Where();
    const bool atomic = core.registers.atomic.op != Atomic::kNone;
    core.memory.gm.Check(call, "writes", addr, bytes, true);
    GmWrite(core, access.Line(), access.Number(), {addr, bytes, 1, 0, data, 0}, call, atomic);
    if (core.Checks()) {
        core.memory.cache.CheckTransfer(addr, bytes, "writes", call);
        core.memory.gm.Write(core.order.clocks, access.Number(), addr, bytes, atomic, call, access.Line());
    }
    StoreGm(core, addr, data, bytes, call, marks);
}

}  // namespace sim

#endif
