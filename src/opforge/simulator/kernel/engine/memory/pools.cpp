// What the headers call for queues at places of the kernel's own, pools, and tensors whose positions the call names.
// Documentation: 基础API/资源管理
#include <exception>

#include "launch/contexts.h"

namespace sim {

using AscendC::TPosition;

void QueueEnQueBetween(int32_t queue, uint8_t source, uint8_t destination, const Ub& tensor, Site site) {
    Core& core = CurrentCore();
    core.buffers.EnQueBetween(core.clocks, queue, static_cast<TPosition>(source), static_cast<TPosition>(destination),
                              tensor, {"EnQue", site});
}
Ub QueueDeQueBetween(int32_t queue, uint8_t source, uint8_t destination, Site site) {
    Core& core = CurrentCore();
    return core.buffers.DeQueBetween(core.clocks, queue, static_cast<TPosition>(source),
                                     static_cast<TPosition>(destination), {"DeQue", site});
}
void QueueFreeAllEvent(int32_t queue, Site site) {
    Core& core = CurrentCore();
    core.buffers.FreeAllEvent(core.clocks, queue, {"FreeAllEvent", site});
}
uint8_t QueueState(int32_t queue, const Ub& tensor, Site site) {
    return CurrentCore().buffers.StateOf(queue, tensor, {"GetState", site});
}
int32_t QueueAt(const QueueSpec& spec, const uint64_t* places, uint32_t count, Site site) {
    return CurrentCore().buffers.QueueAt(spec, places, count, {"InitBuffer", site});
}
void PipeCloseUnordered(void* pipe) {
    Core& core = CurrentCore();
    core.buffers.Close(pipe, core.clocks);
}

Ub PoolInit(uint8_t position, uint32_t bytes, Site site) {
    return CurrentCore().buffers.Pool(static_cast<TPosition>(position), bytes, {"InitBufPool", site});
}
Ub PoolShare(const Ub& pool, uint32_t bytes, Site site) {
    return CurrentCore().buffers.Share(pool, bytes, {"InitBufPool", site});
}
Ub PoolTake(const Ub& pool, PoolUse& used, uint32_t most, uint32_t bytes, Site site) {
    return CurrentCore().buffers.Take(pool, used, most, 1, bytes, {"InitBuffer", site});
}
int32_t PoolQueue(const Ub& pool, PoolUse& used, uint32_t most, const QueueSpec& spec, uint32_t buffers, uint32_t bytes,
                  Site site) {
    Buffers& all = CurrentCore().buffers;
    const Ub first = all.Take(pool, used, most, buffers, bytes, {"InitBuffer", site});
    return all.AddQueue(spec, first.addr, buffers, first.end - first.addr);
}
// Switching pools is documented to be synchronised by Reset: all that was begun before is complete.
void PoolReset(const Ub& pool) {
    if (std::uncaught_exceptions() == 0 && pool.end != pool.addr) {
        Core& core = CurrentCore();
        core.buffers.ResetPool(core.clocks, pool);
        core.clocks.BarrierAll();
    }
}
Ub StackBuffer(uint8_t position, Site) { return CurrentCore().buffers.Left(static_cast<TPosition>(position)); }

}  // namespace sim
