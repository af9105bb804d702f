// Single elements of tensors, read and written by the scalar unit, and views of tensors.
#include <algorithm>
#include <cinttypes>
#include <cstring>

#include "launch/contexts.h"
#include "gm_values.h"
#include "ub_operand.h"

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
        core.memory.shadow.Touch(core.Shared().origins, element, bytes, write, call);
        core.memory.buffers.Queues().CheckAlive(tensor, "the tensor", write, call);
    }
}

}  // namespace

uint64_t ReadUb(const Ub& tensor, uint64_t index, uint32_t bytes, Site site) {
    Core& core = CurrentCore();
    core.Poll();
    const Call call{"GetValue", site, Pipe::kScalar};
    CheckElement(core, tensor, index, bytes, false, call);
    const uint32_t addr = static_cast<uint32_t>(tensor.addr + index * bytes);
    uint64_t value = 0;
    std::memcpy(&value, core.UbData(addr), bytes);
    if (core.Checks()) {
        core.memory.shadow.ReadScalar(core.order.clocks, addr, addr + bytes, call);
        if (!core.memory.shadow.AllDefined(addr, bytes)) {
            const uint32_t lacking = core.FirstLacking(addr, addr + bytes, call);
            if (lacking != addr + bytes) {
                core.Carry({FailureOf(call, kUndefined, "element %" PRIu64 " at UB address %u %s", index, addr,
                                      core.WhyLacking(lacking).c_str()),
                            value, bytes, addr});
            }
        }
    }
    if (watching.load(std::memory_order_relaxed)) {
        NoteRead(core, "UB address " + std::to_string(addr) + ", which stays " + std::to_string(value));
    }
    return value;
}

void WriteUb(const Ub& tensor, uint64_t index, uint32_t bytes, uint64_t value, Site site) {
    Core& core = CurrentCore();
    const std::unique_ptr<const Carried> carried = core.Carries(value, bytes);
    core.Poll();
    const Call call{"SetValue", site, Pipe::kScalar};
    CheckElement(core, tensor, index, bytes, true, call);
    const uint32_t addr = static_cast<uint32_t>(tensor.addr + index * bytes);
    if (core.Checks()) {
        core.memory.shadow.WriteScalar(core.order.clocks, addr, addr + bytes, call);
        std::memset(core.memory.shadow.Defined(addr), 0xff, bytes);
        if (carried != nullptr) {
            core.memory.shadow.Move(addr, carried->addr, bytes);
        }
    }
    if (std::memcmp(core.UbData(addr), &value, bytes) != 0) {
        core.order.polling.Worked();
        std::memcpy(core.UbData(addr), &value, bytes);
    }
}

uint64_t ReadGm(uint64_t base, uint64_t index, uint32_t bytes, Site site) {
    Core& core = CurrentCore();
    core.Poll();
    const uint64_t addr = base + index * bytes;
    const Call call{"GetValue", site};
    core.memory.gm.Check(call, "reads", addr, bytes, false);
    const uint32_t number = core.Issue(Pipe::kScalar, call, Work::Scalar(bytes, 0));
    if (core.Checks()) {
        core.memory.gm.Scalar(core.order.clocks, addr, bytes, false, call);
        GmRead(core, Pipe::kScalar, number, {addr, bytes}, call);
        core.memory.cache.CheckOthers(addr, bytes, "reads", call);
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
    core.memory.gm.Check(call, "writes", addr, bytes, true);
    const uint32_t number = core.Issue(Pipe::kScalar, call, Work::Scalar(0, bytes));
    if (core.Checks()) {
        core.memory.gm.Scalar(core.order.clocks, addr, bytes, true, call);
        core.memory.cache.Write(addr, bytes, call);
        GmWrite(core, Pipe::kScalar, number, {addr, bytes, 1, 0, reinterpret_cast<const uint8_t*>(&value), 0}, call);
        MarkStored(core, addr, bytes);
    }
    std::memcpy(reinterpret_cast<void*>(addr), &value, bytes);
}

void CleanCache(uint64_t addr, bool all) { CurrentCore().memory.cache.Clean(addr, all); }

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

}  // namespace sim
