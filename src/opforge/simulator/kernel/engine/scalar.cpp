// The scalar unit: single elements of tensors, buffers and queues, flags, system variables, tiling and printing.
#include <algorithm>
#include <cinttypes>
#include <cstring>
#include <exception>

#include "report/call_chain.h"
#include "launch/contexts.h"
#include "order/cross_core.h"
#include "memory/gm_values.h"

namespace sim {
namespace {

constexpr const char* kDebugAlone =
    "asc-devkit 82b89a1, impl/basic_api/kernel_tensor_impl.h:255, kernel_tbuf_impl.h:219 (asserted in debug builds "
    "alone)";
constexpr DeviceRule kElement = {
    {"element-index", "an element index lies inside the tensor", "基础API/数据结构/LocalTensor/GetValue"},
    "the scalar unit takes an address: what lies behind the tensor in the unified buffer is read and written",
    kDebugAlone};
constexpr Rule kUndefined = {"scalar-undefined", "a scalar read needs a defined value",
                             "基础API/资源管理/TQue/AllocTensor"};
constexpr DeviceRule kSlice = {{"view-bounds", "a view lies inside its buffer", "基础API/资源管理/TBuf/Get"},
                               "a view is an address and a length that nobody compares with the buffer",
                               kDebugAlone};
constexpr Rule kTiling = {"tiling-size", "the kernel's tiling struct is the one the tiling function filled",
                          "基础API/Kernel-Tiling/GET_TILING_DATA"};

void CheckElement(Core& core, const Ub& tensor, uint64_t index, uint32_t bytes, bool write, const Call& call) {
    CheckVectorCore(core, tensor, call);
    const uint64_t end = tensor.end < core.UbBytes() ? tensor.end : core.UbBytes();
    if (index >= (uint64_t{1} << 32) || tensor.addr + (index + 1) * bytes > end) {
        constexpr const char* kSays = "element %" PRIu64 " of a tensor of %" PRIu64 " elements";
        const uint64_t elements = end > tensor.addr ? (end - tensor.addr) / bytes : 0;
        if (index >= (uint64_t{1} << 32) || tensor.addr + (index + 1) * bytes > core.UbBytes()) {
            Fail(call, kElement.rule, kSays, index, elements);
        }
        LetPass(call, kElement, kSays, index, elements);
    }
    if (core.Checks()) {
        Ub element = tensor;
        element.addr = static_cast<uint32_t>(tensor.addr + index * bytes);
        core.shadow.Touch(core.Shared().origins, element, bytes, write, call);
        core.buffers.CheckAlive(tensor, "the tensor", write, call);
    }
}

// What is reserved at the workspace's start: GetLibApiWorkSpaceSize() of Atlas A2 and A3, and of AI Cores with both
// units.
uint64_t SystemBytes(const Core& core) { return uint64_t{core.Kind() == CoreKind::kCoupled ? 2u : 16u} << 20; }

// Bytes of the launch's memory from `workspace` on.
uint64_t WorkspaceRoom(const Core& core, uint64_t workspace) {
    const sim_launch& request = core.Request();
    uint64_t room = 0;
    for (uint32_t i = 0; i < request.region_count; ++i) {
        const sim_region& region = request.regions[i];
        if (region.addr <= workspace && workspace - region.addr < region.bytes) {
            room = region.bytes - (workspace - region.addr);
        }
    }
    return room;
}

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
    core.gm.Check(call, "writes", gm, needed, true);
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

}  // namespace

uint64_t ReadUb(const Ub& tensor, uint64_t index, uint32_t bytes, Site site) {
    Core& core = CurrentCore();
    core.Poll();
    const Call call{"GetValue", site, Pipe::kScalar};
    CheckElement(core, tensor, index, bytes, false, call);
    const uint32_t addr = static_cast<uint32_t>(tensor.addr + index * bytes);
    if (core.Checks()) {
        core.shadow.ReadScalar(core.clocks, addr, addr + bytes, call);
        if (!core.shadow.AllDefined(addr, bytes)) {
            const uint32_t lacking = core.FirstLacking(addr, addr + bytes, call);
            if (lacking != addr + bytes) {
                Fail(call, kUndefined, "element %" PRIu64 " at UB address %u %s", index, addr,
                     core.WhyLacking(lacking).c_str());
            }
        }
    }
    uint64_t value = 0;
    std::memcpy(&value, core.UbData(addr), bytes);
    if (watching.load(std::memory_order_relaxed)) {
        NoteRead(core, "UB address " + std::to_string(addr) + ", which stays " + std::to_string(value));
    }
    return value;
}

void WriteUb(const Ub& tensor, uint64_t index, uint32_t bytes, uint64_t value, Site site) {
    Core& core = CurrentCore();
    core.Poll();
    const Call call{"SetValue", site, Pipe::kScalar};
    CheckElement(core, tensor, index, bytes, true, call);
    const uint32_t addr = static_cast<uint32_t>(tensor.addr + index * bytes);
    if (core.Checks()) {
        core.shadow.WriteScalar(core.clocks, addr, addr + bytes, call);
        std::memset(core.shadow.Defined(addr), 0xff, bytes);
    }
    if (std::memcmp(core.UbData(addr), &value, bytes) != 0) {
        core.polling.Worked();
        std::memcpy(core.UbData(addr), &value, bytes);
    }
}

uint64_t ReadGm(uint64_t base, uint64_t index, uint32_t bytes, Site site) {
    Core& core = CurrentCore();
    core.Poll();
    const uint64_t addr = base + index * bytes;
    const Call call{"GetValue", site};
    core.gm.Check(call, "reads", addr, bytes, false);
    const uint32_t number = core.Issue(Pipe::kScalar, call, Work::Scalar(bytes, 0));
    if (core.Checks()) {
        core.gm.Scalar(core.clocks, addr, bytes, false, call);
        GmRead(core, Pipe::kScalar, number, {addr, bytes}, call);
        core.cache.CheckOthers(addr, bytes, "reads", call);
        RequireGm(core, addr, bytes, call);
    }
    uint64_t value = 0;
    std::memcpy(&value, reinterpret_cast<const void*>(addr), bytes);
    Polled(core, call, addr, bytes);
    return value;
}

void WriteGm(uint64_t base, uint64_t index, uint32_t bytes, uint64_t value, Site site) {
    Core& core = CurrentCore();
    core.Poll();
    const uint64_t addr = base + index * bytes;
    const Call call{"SetValue", site};
    core.gm.Check(call, "writes", addr, bytes, true);
    const uint32_t number = core.Issue(Pipe::kScalar, call, Work::Scalar(0, bytes));
    if (core.Checks()) {
        core.gm.Scalar(core.clocks, addr, bytes, true, call);
        core.cache.Write(addr, bytes, call);
        GmWrite(core, Pipe::kScalar, number, {addr, bytes, 1, 0, reinterpret_cast<const uint8_t*>(&value), 0}, call);
        MarkStored(core, addr, bytes);
    }
    std::memcpy(reinterpret_cast<void*>(addr), &value, bytes);
}

void CleanCache(uint64_t addr, bool all) { CurrentCore().cache.Clean(addr, all); }

// Behind the end of every memory.
constexpr uint64_t kNoPlace = uint64_t{1} << 30;

Ub Slice(const Ub& tensor, uint64_t bytes) {
    Ub view = tensor;
    // a view may start behind its tensor, as an address does; who touches it is told so at the own call site
    view.addr = static_cast<uint32_t>(std::min(tensor.addr + bytes, kNoPlace));
    return view;
}

Ub UbAt(Memory memory, uint64_t addr, uint64_t bytes, Site site) {
    Core& core = CurrentCore();
    const MemorySize size = SizeOf(*core.Request().soc, memory);
    if (addr + bytes > size.bytes) {
        Fail({"LocalTensor", site}, kSlice.rule,
             "%" PRIu64 " bytes at %s address %" PRIu64 " end behind the %" PRIu64 " of the %s", bytes, size.brief,
             addr, size.bytes, size.name);
    }
    return Ub{static_cast<uint32_t>(addr), static_cast<uint32_t>(addr + bytes), -1, 0, memory};
}

Ub BufferView(const Ub& buffer, uint64_t offset, uint64_t bytes, Site site) {
    const uint64_t size = buffer.end - buffer.addr;
    if (offset + bytes > size) {
        constexpr const char* kSays = "%" PRIu64 " bytes at offset %" PRIu64 " of a buffer of %" PRIu64 " bytes";
        const Core& core = CurrentCore();
        if (buffer.addr + offset + bytes > SizeOf(*core.Request().soc, buffer.memory).bytes) {
            Fail({"Get", site}, kSlice.rule, kSays, bytes, offset, size);
        }
        LetPass({"Get", site}, kSlice, kSays, bytes, offset, size);
    }
    Ub view = buffer;
    view.addr = static_cast<uint32_t>(buffer.addr + offset);
    view.end = static_cast<uint32_t>(view.addr + bytes);
    return view;
}

void SetAtomic(Atomic op, Dtype type) {
    Core& core = CurrentCore();
    if (op != Atomic::kKeep) {
        core.atomic = op;
    } else if (core.atomic == Atomic::kNone) {
        core.atomic = Atomic::kAdd;
    }
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

void PipeOpen(void* pipe, Site site) { CurrentCore().buffers.Open(pipe, {"TPipe", site}); }
void PipeUse(void* pipe, Site site) { CurrentCore().buffers.Use(pipe, {"InitBuffer", site}); }
void PipeReset() {
    Core& core = CurrentCore();
    core.buffers.SettleAll(core.clocks);
    core.buffers.Reset();
    core.events.Forget();
    core.InitState();
}
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
    const Call call{"AllocTensor", site};
    const Ub tensor = core.buffers.Alloc(core.clocks, queue, call);
    const uint32_t end = std::min(tensor.end, static_cast<uint32_t>(core.UbBytes()));
    if (core.Checks() && tensor.memory == Memory::kUb && tensor.addr < end) {
        const auto text = [&] { return "is from before AllocTensor at " + Where(site); };
        core.shadow.Age(tensor.addr, end, core.Shared().origins.Of(call, nullptr, text, true));
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

void Barrier(Pipe pipe, bool all, Site site) {
    Core& core = CurrentCore();
    core.Poll();
    if (all) {
        core.events.CheckBarrier({"PipeBarrier", site});
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

bool OnVectorCore() { return CurrentCore().Kind() == CoreKind::kVector; }
int64_t BlockIndex() { return CurrentCore().Block(); }
int64_t BlockCount() { return CurrentCore().Request().block_dim; }
int64_t SubBlockIndex() { return CurrentCore().SubBlock(); }
int64_t SubBlockCount() { return OnVectorCore() ? CurrentCore().Shared().type->vectors : 1; }

uint64_t SystemWorkspace(Site site) {
    const Core& core = CurrentCore();
    if (core.systemWorkspace == 0 && core.Request().logical_blocks != 0) {
        return 0;  // no __kfc_workspace__: who needs one says so
    }
    const uint64_t room = WorkspaceRoom(core, core.systemWorkspace);
    if (room < SystemBytes(core)) {
        GlobalMemory::FailWorkspace({"GetSysWorkSpacePtr", site}, room, SystemBytes(core));
    }
    return core.systemWorkspace;
}

void SetSystemWorkspace(uint64_t workspace, Site) { CurrentCore().systemWorkspace = workspace; }

uint64_t UserWorkspace(uint64_t workspace) {
    Core& core = CurrentCore();
    const uint64_t room = WorkspaceRoom(core, workspace);
    const uint64_t system = SystemBytes(core);
    return room < system ? core.gm.NoUserWorkspace(workspace, room, system) : workspace + system;
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

}  // namespace sim
