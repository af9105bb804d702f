// The scalar unit: single elements of tensors, buffers and queues, flags, system variables, tiling and printing.
#include <cinttypes>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <exception>
#include <mutex>

#include "contexts.h"
#include "cross_core.h"

namespace sim {
namespace {

constexpr Rule kElement = {"an element index lies inside the tensor", "基础API/数据结构/LocalTensor/GetValue"};
constexpr Rule kUndefined = {"a scalar read needs a defined value", "基础API/资源管理/TQue/AllocTensor"};
constexpr Rule kSlice = {"a view lies inside its buffer", "基础API/资源管理/TBuf/Get"};
constexpr Rule kTiling = {"the kernel's tiling struct is the one the tiling function filled",
                          "基础API/Kernel-Tiling/GET_TILING_DATA"};
constexpr Rule kWorkspace = {
    "the tiling function asks for a workspace of GetLibApiWorkSpaceSize() and the kernel's own part behind it",
    "基础API/资源管理/workspace/SetSysWorkSpace"};
constexpr Rule kAssert = {"ASCENDC_ASSERT holds", "基础API/调试接口/ASCENDC_ASSERT"};

void CheckElement(Core& core, const Ub& tensor, uint64_t index, uint32_t bytes, const Call& call) {
    CheckVectorCore(core, tensor, call);
    const uint64_t end = tensor.end < core.UbBytes() ? tensor.end : core.UbBytes();
    if (index >= (uint64_t{1} << 32) || tensor.addr + (index + 1) * bytes > end) {
        Fail(call, kElement, "element %" PRIu64 " of a tensor of %" PRIu64 " elements", index,
             end > tensor.addr ? (end - tensor.addr) / bytes : 0);
    }
    if (core.Checks()) {
        core.buffers.CheckAlive(tensor, "the tensor", call);
    }
}

// What Atlas A2 and A3 reserve at the workspace's start.
constexpr uint64_t kSystemWorkspace = uint64_t{16} << 20;

// `workspace`, which must have room for `bytes`.
uint64_t WorkspacePart(const Core& core, uint64_t workspace, uint64_t bytes, const Call& call) {
    const sim_launch& request = core.Request();
    uint64_t room = 0;
    for (uint32_t i = 0; i < request.region_count; ++i) {
        const sim_region& region = request.regions[i];
        if (region.addr <= workspace && workspace - region.addr < region.bytes) {
            room = region.bytes - (workspace - region.addr);
        }
    }
    if (room < bytes) {
        Fail(call, kWorkspace,
             "the workspace has %" PRIu64 " bytes, of which the first %" PRIu64
             " are the system's: the host has not asked for GetLibApiWorkSpaceSize()",
             room, bytes);
    }
    return workspace;
}

// Signals in global memory lie in data blocks of their own.
constexpr uint64_t kSlotBytes = 32;

constexpr Rule kSyncAllRoom = {"both workspaces of SyncAll have 32 bytes for each AIV",
                               "基础API/同步控制/核间同步/SyncAll"};
constexpr Rule kIbRoom = {"the workspaces of IBSet and IBWait have 32 bytes: in global memory for each core and event",
                          "基础API/同步控制/核间同步/IBSet"};
constexpr Rule kIbVector = {"IBSet and IBWait are for AIVs", "基础API/同步控制/核间同步/IBSet"};
constexpr Rule kIbBlock = {"blockIdx is 0 to the number of cores - 1, and eventID is not negative",
                           "基础API/同步控制/核间同步/IBSet"};

void CheckSlots(Core& core, uint64_t gm, uint64_t gmBytes, const Ub& ub, uint64_t needed, uint64_t ubNeeded,
                const Rule& rule, const Call& call) {
    CheckVectorCore(core, ub, call);
    if (gmBytes != 0 && gmBytes < needed) {
        Fail(call, rule, "gmWorkspace has %" PRIu64 " bytes, %" PRIu64 " are needed", gmBytes, needed);
    }
    if (ub.end - ub.addr < ubNeeded) {
        Fail(call, rule, "ubWorkspace has %u bytes, %" PRIu64 " are needed", ub.end - ub.addr, ubNeeded);
    }
    core.gm.Check(call, "writes", gm, needed, true);
}

// Where IBSet and IBWait with these arguments meet.
uint64_t SlotOf(Core& core, uint64_t gm, const Ub& ub, int32_t block, int32_t event, bool aivOnly, const Call& call) {
    if (core.Kind() == CoreKind::kCube) {
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

}  // namespace

uint64_t ReadUb(const Ub& tensor, uint64_t index, uint32_t bytes, Site site) {
    Core& core = CurrentCore();
    core.Poll();
    const Call call{"GetValue", site};
    CheckElement(core, tensor, index, bytes, call);
    const uint32_t addr = static_cast<uint32_t>(tensor.addr + index * bytes);
    if (core.Checks()) {
        core.shadow.ReadScalar(core.clocks, addr, addr + bytes);
        if (!core.shadow.AllDefined(addr, bytes)) {
            Fail(call, kUndefined, "element %" PRIu64 " at UB address %u has never been written", index, addr);
        }
    }
    uint64_t value = 0;
    std::memcpy(&value, core.UbData(addr), bytes);
    return value;
}

void WriteUb(const Ub& tensor, uint64_t index, uint32_t bytes, uint64_t value, Site site) {
    Core& core = CurrentCore();
    core.Poll();
    const Call call{"SetValue", site};
    CheckElement(core, tensor, index, bytes, call);
    const uint32_t addr = static_cast<uint32_t>(tensor.addr + index * bytes);
    if (core.Checks()) {
        core.shadow.WriteScalar(core.clocks, addr, addr + bytes);
        std::memset(core.shadow.Defined(addr), 0xff, bytes);
    }
    std::memcpy(core.UbData(addr), &value, bytes);
}

uint64_t ReadGm(uint64_t base, uint64_t index, uint32_t bytes, Site site) {
    Core& core = CurrentCore();
    core.Poll();
    const uint64_t addr = base + index * bytes;
    const Call call{"GetValue", site};
    core.gm.Check(call, "reads", addr, bytes, false);
    core.counters.gmRead += bytes;
    if (core.Checks()) {
        core.gm.Scalar(core.clocks, addr, bytes);
        if (core.Shared().gmOrder != nullptr) {
            GmRead(core, Pipe::kScalar, core.clocks.Issue(Pipe::kScalar, call), {addr, bytes}, call);
            core.cache.CheckOthers(addr, bytes, "reads", call);
        }
    }
    uint64_t value = 0;
    std::memcpy(&value, reinterpret_cast<const void*>(addr), bytes);
    return value;
}

void WriteGm(uint64_t base, uint64_t index, uint32_t bytes, uint64_t value, Site site) {
    Core& core = CurrentCore();
    core.Poll();
    const uint64_t addr = base + index * bytes;
    const Call call{"SetValue", site};
    core.gm.Check(call, "writes", addr, bytes, true);
    core.counters.gmWritten += bytes;
    if (core.Checks()) {
        core.gm.Scalar(core.clocks, addr, bytes);
        core.cache.Write(addr, bytes, call);
        if (core.Shared().gmOrder != nullptr) {
            GmWrite(core, Pipe::kScalar, core.clocks.Issue(Pipe::kScalar, call), {addr, bytes}, call);
        }
    }
    std::memcpy(reinterpret_cast<void*>(addr), &value, bytes);
}

void CleanCache(uint64_t addr, bool all) { CurrentCore().cache.Clean(addr, all); }

Ub Slice(const Ub& tensor, uint64_t bytes) {
    Ub view = tensor;
    // a view may start at the end; what touches it is refused with its own call site
    view.addr = bytes < tensor.end - tensor.addr ? static_cast<uint32_t>(tensor.addr + bytes) : tensor.end;
    return view;
}

Ub UbAt(Memory memory, uint64_t addr, uint64_t bytes, Site site) {
    Core& core = CurrentCore();
    if (memory != Memory::kUb) {
        CheckVectorCore(core, {0, 0, -1, 0, memory}, {"LocalTensor", site});
    }
    if (addr + bytes > core.UbBytes()) {
        Fail({"LocalTensor", site}, kSlice,
             "%" PRIu64 " bytes at UB address %" PRIu64 " end behind the %" PRIu64 " of the unified buffer", bytes,
             addr, core.UbBytes());
    }
    return Ub{static_cast<uint32_t>(addr), static_cast<uint32_t>(addr + bytes), -1, 0};
}

Ub BufferView(const Ub& buffer, uint64_t offset, uint64_t bytes, Site site) {
    const uint64_t size = buffer.end - buffer.addr;
    if (offset + bytes > size) {
        Fail({"Get", site}, kSlice, "%" PRIu64 " bytes at offset %" PRIu64 " of a buffer of %" PRIu64 " bytes", bytes,
             offset, size);
    }
    Ub view = buffer;
    view.addr = static_cast<uint32_t>(buffer.addr + offset);
    view.end = static_cast<uint32_t>(view.addr + bytes);
    return view;
}

void SetAtomic(Atomic op, Dtype type) {
    Core& core = CurrentCore();
    core.atomic = op;
    core.atomicType = type;
}

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

void PipeOpen(void* pipe) { CurrentCore().buffers.Open(pipe); }
void PipeReset() { CurrentCore().buffers.Reset(); }
void PipeClose(void* pipe) {
    if (std::uncaught_exceptions() == 0) {
        Core& core = CurrentCore();
        core.buffers.Close(pipe, core.clocks);
        core.clocks.BarrierAll();
    }
}
void* PipeCurrent() { return CurrentCore().buffers.Current(); }

int32_t QueueInit(const QueueSpec& spec, uint32_t buffers, uint32_t bytes, Site site) {
    return CurrentCore().buffers.InitQueue(spec, buffers, bytes, {"InitBuffer", site});
}
Ub BufferInit(uint8_t position, uint32_t bytes, Site site) {
    return CurrentCore().buffers.InitBuffer(static_cast<AscendC::TPosition>(position), bytes, {"InitBuffer", site});
}
Ub QueueAlloc(int32_t queue, Site site) {
    Core& core = CurrentCore();
    core.Poll();
    const Ub tensor = core.buffers.Alloc(core.clocks, queue, {"AllocTensor", site});
    if (core.Checks() && tensor.memory == Memory::kUb) {
        std::memset(core.shadow.Defined(tensor.addr), 0, tensor.end - tensor.addr);
    }
    return tensor;
}
void QueueEnQue(int32_t queue, const Ub& tensor, Site site) {
    Core& core = CurrentCore();
    core.buffers.EnQue(core.clocks, queue, tensor, {"EnQue", site});
}
Ub QueueDeQue(int32_t queue, Site site) {
    Core& core = CurrentCore();
    return core.buffers.DeQue(core.clocks, queue, {"DeQue", site});
}
void QueueFree(int32_t queue, const Ub& tensor, Site site) {
    Core& core = CurrentCore();
    core.buffers.Free(core.clocks, queue, tensor, {"FreeTensor", site});
}
int32_t QueueAsk(int32_t queue, QueueQuestion question, Site site) {
    return CurrentCore().buffers.Ask(queue, question, {"TQue", site});
}

void Barrier(Pipe pipe, bool all, Site) {
    Core& core = CurrentCore();
    core.Poll();
    if (all) {
        core.clocks.BarrierAll();
    } else {
        core.clocks.Barrier(pipe);
    }
}
void SetFlag(Pipe from, Pipe to, int32_t id, Site site) {
    Core& core = CurrentCore();
    core.events.Set(core.clocks, from, to, id, {"SetFlag", site});
}
void WaitFlag(Pipe from, Pipe to, int32_t id, Site site) {
    Core& core = CurrentCore();
    core.Poll();
    core.events.Wait(core.clocks, from, to, id, {"WaitFlag", site});
}
int32_t AllocEvent(Pipe from, Pipe to, bool occupy, Site site) {
    return CurrentCore().events.Alloc(from, to, occupy, {occupy ? "AllocEventID" : "FetchEventID", site});
}
void ReleaseEvent(Pipe from, Pipe to, int32_t id, Site site) {
    CurrentCore().events.Release(from, to, id, {"ReleaseEventID", site});
}

bool OnCubeCore() { return CurrentCore().Kind() == CoreKind::kCube; }
int64_t BlockIndex() { return CurrentCore().Block(); }
int64_t BlockCount() { return CurrentCore().Request().block_dim; }
int64_t SubBlockIndex() { return CurrentCore().SubBlock(); }
int64_t SubBlockCount() { return OnCubeCore() ? 1 : CurrentCore().Shared().type->vectors; }

uint64_t SystemWorkspace(Site site) {
    const Core& core = CurrentCore();
    return WorkspacePart(core, core.systemWorkspace, kSystemWorkspace, {"GetSysWorkSpacePtr", site});
}

void SetSystemWorkspace(uint64_t workspace, Site) { CurrentCore().systemWorkspace = workspace; }

uint64_t UserWorkspace(uint64_t workspace, Site site) {
    return WorkspacePart(CurrentCore(), workspace, kSystemWorkspace, {"GetUserWorkspace", site}) + kSystemWorkspace;
}
uint64_t TilingKey() { return CurrentCore().Request().tiling_key; }
uint32_t UbBytes() { return static_cast<uint32_t>(CurrentCore().UbBytes()); }

const void* TilingData(const void* tiling, uint64_t bytes, Site site) {
    const Core& core = CurrentCore();
    const sim_launch& request = core.Request();
    const uint64_t own = core.Shared().args.empty() ? 0 : core.Shared().args.back();
    if (reinterpret_cast<uint64_t>(tiling) != own || bytes > request.tiling_bytes) {
        Fail({"GET_TILING_DATA", site}, kTiling,
             "the kernel reads %" PRIu64 " bytes of tiling data, the launch has %" PRIu64 "%s", bytes,
             request.tiling_bytes,
             reinterpret_cast<uint64_t>(tiling) != own ? ", and the pointer is not the last argument of the kernel"
                                                       : "");
    }
    return tiling;
}

void AssertFailed(const char* condition, const char* text, Site site) {
    Fail({"ASCENDC_ASSERT", site}, kAssert, "%s%s%s", condition, *text != '\0' ? ": " : "", text);
}

void Print(const char* format, ...) {
    static std::mutex printing;
    const std::lock_guard<std::mutex> lock(printing);
    va_list args;
    va_start(args, format);
    std::vfprintf(stdout, format, args);
    va_end(args);
    std::fflush(stdout);
}

}  // namespace sim
