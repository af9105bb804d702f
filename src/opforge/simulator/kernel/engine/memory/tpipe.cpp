// What the headers call of TPipe: its buffers, queues and pools.
// Documentation: 基础API/资源管理
#include <algorithm>
#include <exception>

#include "launch/contexts.h"
#include "report/call_chain.h"

namespace sim {

using AscendC::TPosition;

void PipeOpen(void* pipe, Site site) { CurrentCore().memory.buffers.Open(pipe, {"TPipe", site}); }
void PipeUse(void* pipe, Site site) { CurrentCore().memory.buffers.Use(pipe, {"InitBuffer", site}); }
void PipeReset() {
    Core& core = CurrentCore();
    core.memory.buffers.Queues().SettleAll(core.order.clocks);
    core.memory.buffers.Reset();
    core.order.events.Forget();
    core.InitState();
}
void PipeClose(void* pipe) {
    if (std::uncaught_exceptions() == 0) {
        Core& core = CurrentCore();
        core.memory.buffers.Close(pipe);
        core.order.clocks.BarrierAll();
    }
}
void* PipeCurrent() { return CurrentCore().memory.buffers.Current(); }

int32_t QueueInit(const QueueSpec& spec, uint32_t buffers, uint32_t bytes, Site site) {
    return CurrentCore().memory.buffers.InitQueue(spec, buffers, bytes, {"InitBuffer", site});
}
Ub BufferInit(uint8_t position, uint32_t bytes, Site site) {
    return CurrentCore().memory.buffers.InitBuffer(static_cast<AscendC::TPosition>(position), bytes,
                                                   {"InitBuffer", site});
}
Ub QueueAlloc(int32_t queue, Site site) {
    Core& core = CurrentCore();
    core.Poll();
    const Call call{"AllocTensor", site};
    const Ub tensor = core.memory.buffers.Queues().Alloc(core.order.clocks, queue, call);
    const uint32_t end = std::min(tensor.end, static_cast<uint32_t>(core.UbBytes()));
    if (core.Checks() && tensor.memory == Memory::kUb && tensor.addr < end) {
        const auto text = [&] { return "is from before AllocTensor at " + Where(site); };
        core.memory.shadow.Age(tensor.addr, end, core.Shared().origins.Of(call, nullptr, text, true));
    }
    return tensor;
}
void QueueEnQue(int32_t queue, const Ub& tensor, Site site) {
    Core& core = CurrentCore();
    core.memory.buffers.Queues().EnQue(core.order.clocks, queue, tensor, {"EnQue", site});
}
Ub QueueDeQue(int32_t queue, Site site) {
    Core& core = CurrentCore();
    return core.memory.buffers.Queues().DeQue(core.order.clocks, queue, {"DeQue", site});
}
void QueueFree(int32_t queue, const Ub& tensor, Site site) {
    Core& core = CurrentCore();
    core.memory.buffers.Queues().Free(core.order.clocks, queue, tensor, {"FreeTensor", site});
}
int32_t QueueAsk(int32_t queue, QueueQuestion question, Site site) {
    return CurrentCore().memory.buffers.Queues().Ask(queue, question, {"TQue", site});
}

void QueueEnQueBetween(int32_t queue, uint8_t source, uint8_t destination, const Ub& tensor, Site site) {
    Core& core = CurrentCore();
    core.memory.buffers.Queues().EnQueBetween(core.order.clocks, queue, static_cast<TPosition>(source),
                                              static_cast<TPosition>(destination), tensor, {"EnQue", site});
}
Ub QueueDeQueBetween(int32_t queue, uint8_t source, uint8_t destination, Site site) {
    Core& core = CurrentCore();
    return core.memory.buffers.Queues().DeQueBetween(core.order.clocks, queue, static_cast<TPosition>(source),
                                                     static_cast<TPosition>(destination), {"DeQue", site});
}
void QueueFreeAllEvent(int32_t queue, Site site) {
    Core& core = CurrentCore();
    core.memory.buffers.Queues().FreeAllEvent(core.order.clocks, queue, {"FreeAllEvent", site});
}
uint8_t QueueState(int32_t queue, const Ub& tensor, Site site) {
    return CurrentCore().memory.buffers.Queues().StateOf(queue, tensor, {"GetState", site});
}
int32_t QueueAt(const QueueSpec& spec, const uint64_t* places, uint32_t count, Site site) {
    return CurrentCore().memory.buffers.QueueAt(spec, places, count, {"InitBuffer", site});
}
void PipeCloseUnordered(void* pipe) {
    Core& core = CurrentCore();
    core.memory.buffers.Close(pipe);
}

Ub PoolInit(uint8_t position, uint32_t bytes, Site site) {
    return CurrentCore().memory.buffers.Pool(static_cast<TPosition>(position), bytes, {"InitBufPool", site});
}
Ub PoolShare(const Ub& pool, uint32_t bytes, Site site) {
    return CurrentCore().memory.buffers.Share(pool, bytes, {"InitBufPool", site});
}
Ub PoolTake(const Ub& pool, PoolUse& used, uint32_t most, uint32_t bytes, Site site) {
    return CurrentCore().memory.buffers.Take(pool, used, most, 1, bytes, {"InitBuffer", site});
}
int32_t PoolQueue(const Ub& pool, PoolUse& used, uint32_t most, const QueueSpec& spec, uint32_t buffers, uint32_t bytes,
                  Site site) {
    Buffers& all = CurrentCore().memory.buffers;
    const Ub first = all.Take(pool, used, most, buffers, bytes, {"InitBuffer", site});
    return all.Queues().Add(spec, first.addr, buffers, first.end - first.addr);
}
// Switching pools is documented to be synchronised by Reset: all that was begun before is complete.
void PoolReset(const Ub& pool) {
    if (std::uncaught_exceptions() == 0 && pool.end != pool.addr) {
        Core& core = CurrentCore();
        core.memory.buffers.Queues().SettlePool(core.order.clocks, pool);
        core.order.clocks.BarrierAll();
    }
}
Ub StackBuffer(uint8_t position, Site) { return CurrentCore().memory.buffers.Left(static_cast<TPosition>(position)); }

}  // namespace sim
