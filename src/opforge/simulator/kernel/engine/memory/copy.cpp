// DataCopy and DataCopyPad. Documentation: 基础API/Memory矢量计算/数据搬运
#include <cinttypes>
#include <cstring>

#include "atomic.h"
#include "launch/contexts.h"
#include "gm_values.h"
#include "rounding.h"
#include "sim/cube.h"
#include "ub_operand.h"
#include "report/rows.h"

namespace sim {
namespace {

constexpr uint32_t kBlockBytes = 32;
constexpr uint32_t kMostBlocks = 4095;
constexpr uint64_t kMostPadBytes = 2097151;
constexpr uint64_t kMostCopyBlocks = 65535;

// Stands for the value the hardware leaves in padding that nobody asked for.
constexpr uint8_t kRandomByte = 0xa5;

constexpr Rule kUndefined = {"undefined-stored",
                             "what is written to global memory must have been computed or copied before",
                             "基础API/资源管理/TQue/AllocTensor",
                             "compute or copy as many elements as are stored, or fill the tensor with Duplicate first"};

[[noreturn]] void Refuse(const Bursts& bursts, const Call& call, const char* id, const char* rule, const char* what,
                         uint64_t value) {
    const std::string page = kVectorPages + std::string(bursts.page);
    Fail(call, Rule{id, rule, page.c_str()}, "%s is %" PRIu64, what, value);
}

// DataCopy of a number of elements that fills no whole blocks.
void RoundDown(Bursts& bursts, const Call& call) {
    const std::string page = kVectorPages + std::string(bursts.page);
    const DeviceRule rule = {
        {"copy-length", "DataCopy moves whole blocks of 32 bytes; DataCopyPad moves the rest", page.c_str()},
        "the length is rounded down to whole blocks",
        "asc-devkit 82b89a1, "
        "docs/zh/api/SIMD-API/基础API/Memory矢量计算/数据搬运/DataCopy（GM与UB连续数据搬运）.md:133"};
    LetPass(call, rule, "the length in bytes is %" PRIu64, bursts.bytes);
    bursts.bytes -= bursts.bytes % kBlockBytes;
}

// The limits of the parameters; false where there is nothing to copy.
bool CheckBursts(Bursts& bursts, const Call& call) {
    if (bursts.count == 0 || bursts.bytes == 0) {
        return false;  // documented as no operation on Atlas A2 and A3
    }
    if (bursts.count > kMostBlocks) {
        Refuse(bursts, call, "burst-count", "blockCount is at most 4095", "blockCount", bursts.count);
    }
    if (bursts.padded) {
        if (bursts.bytes > kMostPadBytes) {
            Refuse(bursts, call, "burst-length", "blockLen is at most 2097151 bytes", "blockLen", bursts.bytes);
        }
        if (bursts.bytes % bursts.element != 0) {
            Refuse(bursts, call, "burst-elements", "blockLen is a multiple of sizeof(T)", "blockLen", bursts.bytes);
        }
        if (uint64_t{bursts.left} * bursts.element > kBlockBytes) {
            Refuse(bursts, call, "left-padding", "leftPadding is at most 32 bytes", "leftPadding in bytes",
                   uint64_t{bursts.left} * bursts.element);
        }
        if (uint64_t{bursts.right} * bursts.element > kBlockBytes) {
            Refuse(bursts, call, "right-padding", "rightPadding is at most 32 bytes", "rightPadding in bytes",
                   uint64_t{bursts.right} * bursts.element);
        }
        if (bursts.fill && bursts.element == 8 && bursts.value != 0) {
            Refuse(bursts, call, "padding-value", "paddingValue of a 64-bit type is 0", "paddingValue", bursts.value);
        }
    } else {
        if (bursts.bytes % kBlockBytes != 0) {
            RoundDown(bursts, call);
        }
        if (bursts.bytes / kBlockBytes > kMostCopyBlocks) {
            Refuse(bursts, call, "burst-blocks", "blockLen is at most 65535 blocks of 32 bytes", "the length in bytes",
                   bursts.bytes);
        }
    }
    return bursts.bytes != 0;
}

// Bytes from the first block's start to the last block's end.
uint64_t Span(uint32_t count, uint64_t block, uint64_t gap) { return (count - 1) * (block + gap) + block; }

void CheckElementAligned(const Bursts& bursts, const Call& call, uint64_t addr) {
    if (!bursts.padded && addr % bursts.element != 0) {
        Refuse(bursts, call, "gm-alignment", "a global memory address is a multiple of sizeof(T)",
               "the address modulo sizeof(T)", addr % bursts.element);
    }
}

// Fills the padding around one block of a DataCopyPad into the unified buffer.
void Pad(Core& core, const Bursts& bursts, uint32_t addr, uint64_t total) {
    const uint64_t left = uint64_t{bursts.left} * bursts.element;
    const uint64_t right = total - left - bursts.bytes;
    const bool asked = bursts.left != 0 || bursts.right != 0;
    const bool given = bursts.fill || core.registers.padValue.has_value();
    uint8_t pattern[8];
    Origin origin = asked && !given ? Origins::kNone : UbShadow::kValue;
    if (core.Checks() && !asked) {
        origin = core.memory.shadow.Weakest(addr, bursts.element);
    }
    // Nothing asked for: the block is completed with its own first element. Asked for without a value: random.
    if (!asked) {
        std::memcpy(pattern, core.UbData(addr), bursts.element);
    } else if (given) {
        const uint64_t value = bursts.fill ? bursts.value : *core.registers.padValue;
        std::memcpy(pattern, &value, bursts.element);
    } else {
        std::memset(pattern, kRandomByte, sizeof(pattern));
    }
    const auto put = [&](uint64_t offset, uint64_t bytes) {
        for (uint64_t i = 0; i < bytes; ++i) {
            *core.UbData(static_cast<uint32_t>(addr + offset + i)) = pattern[i % bursts.element];
        }
        if (core.Checks()) {
            core.memory.shadow.Mark(static_cast<uint32_t>(addr + offset), bytes, origin);
        }
    };
    put(0, left);
    put(left + bursts.bytes, right);
}

}  // namespace

void CopyGmToUb(const Bursts& given, const Ub& dst, uint64_t src, Site site) {
    if (dst.memory == Memory::kL1) {
        return CopyGmToL1(given, dst, src, site);
    }
    Bursts bursts = given;
    Core& core = CurrentCore();
    core.Poll();
    const Call call{bursts.api, site, Pipe::kMte2};
    if (!CheckBursts(bursts, call)) {
        return;
    }
    const uint64_t left = uint64_t{bursts.left} * bursts.element;
    const uint64_t total = RoundUp(left + bursts.bytes + uint64_t{bursts.right} * bursts.element, kBlockBytes);
    CheckElementAligned(bursts, call, src);
    CheckOperand(core, {"dst", dst, Span(bursts.count, total, bursts.dstGap), true}, call, bursts.page);
    Work work = Work::Load(bursts.bytes * bursts.count);
    work.bypassed = bursts.bypassesL2 ? work.read : 0;
    const uint32_t number = core.Issue(
        Pipe::kMte2, call, WithRows(core, work, {src, bursts.bytes, bursts.count, bursts.bytes + bursts.srcGap}));
    GmRead(core, Pipe::kMte2, number, {src, bursts.bytes, bursts.count, bursts.bytes + bursts.srcGap}, call);
    for (uint32_t i = 0; i < bursts.count; ++i) {
        const uint64_t from = src + i * (bursts.bytes + bursts.srcGap);
        const uint32_t to = static_cast<uint32_t>(dst.addr + i * (total + bursts.dstGap));
        core.memory.gm.Check(call, "reads", from, bursts.bytes, false);
        if (core.Checks()) {
            core.memory.cache.CheckTransfer(from, bursts.bytes, "reads", call);
            core.memory.gm.Read(core.order.clocks, number, from, bursts.bytes, call);
            core.memory.shadow.Write(core.order.clocks, Pipe::kMte2, number, to, static_cast<uint32_t>(to + total),
                                     call);
            MarkLoaded(core, from, bursts.bytes, static_cast<uint32_t>(to + left), call);
        }
        std::memcpy(core.UbData(static_cast<uint32_t>(to + left)), reinterpret_cast<const void*>(from), bursts.bytes);
        if (total != bursts.bytes) {
            Pad(core, bursts, to, total);
        }
    }
    Polled(core, call, src, Span(bursts.count, bursts.bytes, bursts.srcGap));
}

void CopyUbToGm(const Bursts& given, uint64_t dst, const Ub& src, Site site) {
    if (src.memory == Memory::kL1) {
        return CopyL1ToGm(given, dst, src, site);
    }
    Bursts bursts = given;
    Core& core = CurrentCore();
    core.Poll();
    const Call call{bursts.api, site, Pipe::kMte3};
    if (!CheckBursts(bursts, call)) {
        return;
    }
    const uint64_t total = RoundUp(bursts.bytes, kBlockBytes);
    CheckElementAligned(bursts, call, dst);
    // only the bytes that are copied must belong to the tensor
    CheckOperand(core, {"src", src, Span(bursts.count, total, bursts.srcGap) - (total - bursts.bytes), false}, call,
                 bursts.page);
    const uint32_t number = core.Issue(Pipe::kMte3, call,
                                       WithRows(core, Work::Store(bursts.bytes * bursts.count),
                                                {dst, bursts.bytes, bursts.count, bursts.bytes + bursts.dstGap}));
    GmWrite(
        core, Pipe::kMte3, number,
        {dst, bursts.bytes, bursts.count, bursts.bytes + bursts.dstGap, core.UbData(src.addr), total + bursts.srcGap},
        call, core.registers.atomic.op != Atomic::kNone);
    for (uint32_t i = 0; i < bursts.count; ++i) {
        const uint32_t from = static_cast<uint32_t>(src.addr + i * (total + bursts.srcGap));
        const uint64_t to = dst + i * (bursts.bytes + bursts.dstGap);
        core.memory.gm.Check(call, "writes", to, bursts.bytes, true);
        if (core.Checks()) {
            const uint32_t end = static_cast<uint32_t>(from + bursts.bytes);
            core.memory.shadow.Read(core.order.clocks, Pipe::kMte3, number, from, end, call);
            const Leaving leaving(core, from, end, to, call);
            if (leaving.refused) {
                Fail(call, kUndefined, "the byte at UB address %u (element %u of block %u) %s", *leaving.refused,
                     (*leaving.refused - from) / bursts.element, i, core.WhyLacking(*leaving.refused).c_str());
            }
            core.memory.cache.CheckTransfer(to, bursts.bytes, "writes", call);
            core.memory.gm.Write(core.order.clocks, number, to, bursts.bytes, core.registers.atomic.op != Atomic::kNone,
                                 call);
            StoreGm(core, to, core.UbData(from), bursts.bytes, call, leaving.Marks());
            continue;
        }
        StoreGm(core, to, core.UbData(from), bursts.bytes, call);
    }
}

void CopyUbToUb(const Bursts& given, const Ub& dst, const Ub& src, Site site) {
    if (dst.memory == Memory::kL1) {
        return CopyUbToL1(given, dst, src, site);
    }
    Bursts bursts = given;
    Core& core = CurrentCore();
    core.Poll();
    const Call call{bursts.api, site, Pipe::kVector};
    if (!CheckBursts(bursts, call)) {
        return;
    }
    CheckOperand(core, {"dst", dst, Span(bursts.count, bursts.bytes, bursts.dstGap), true}, call, bursts.page);
    CheckOperand(core, {"src", src, Span(bursts.count, bursts.bytes, bursts.srcGap), false}, call, bursts.page);
    const uint32_t number = core.Issue(Pipe::kVector, call, Work::Move(bursts.bytes * bursts.count));
    for (uint32_t i = 0; i < bursts.count; ++i) {
        const uint32_t from = static_cast<uint32_t>(src.addr + i * (bursts.bytes + bursts.srcGap));
        const uint32_t to = static_cast<uint32_t>(dst.addr + i * (bursts.bytes + bursts.dstGap));
        if (core.Checks()) {
            const uint32_t length = static_cast<uint32_t>(bursts.bytes);
            core.memory.shadow.Read(core.order.clocks, Pipe::kVector, number, from, from + length, call);
            core.memory.shadow.Write(core.order.clocks, Pipe::kVector, number, to, to + length, call);
            core.memory.shadow.Move(to, from, length);
        }
        std::memmove(core.UbData(to), core.UbData(from), bursts.bytes);
    }
}

}  // namespace sim
