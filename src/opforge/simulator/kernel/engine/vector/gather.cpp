// Gather, Gatherb, GatherMask and Scatter.
// Documentation: 基础API/Memory矢量计算/离散与聚合, 比较与选择/GatherMask
#include "index_registers.h"

#include <algorithm>
#include <cinttypes>
#include <cstring>
#include <vector>

#include "instruction.h"
#include "index_lanes.h"
#include "sim/index.h"
#include "memory/ub_operand.h"

namespace sim {
namespace {

constexpr uint32_t kBlockBytes = 32;
constexpr uint32_t kRepeatBytes = 256;

constexpr Rule kOffsetDefined = {"offset-undefined", "offsets are addresses: each has been written",
                                 "基础API/Memory矢量计算/离散与聚合/Gather"};
constexpr Rule kOffsetAligned = {"offset-alignment",
                                 "an offset and the base address are multiples of the element's size",
                                 "基础API/Memory矢量计算/离散与聚合/Gather"};
constexpr Rule kOffsetInside = {"offset-inside", "an offset leads to an element of the tensor",
                                "基础API/Memory矢量计算/离散与聚合/Gather"};
constexpr DeviceRule kApart = {
    {"gather-in-place", "the source and the destination of Gather and Gatherb do not share memory",
     "基础API/Memory矢量计算/离散与聚合/Gather"},
    "each repeat of 256 bytes is gathered before it is written",
    "CANN 8.1, op_impl/ai_core/tbe/impl/ascendc/rotary_position_embedding/rotate_interleaved_split_bsn.h:247"};
constexpr Rule kBlockAligned = {"gatherb-alignment", "an offset is a multiple of 32 bytes",
                                "基础API/Memory矢量计算/离散与聚合/Gatherb(ISASI)"};
constexpr Rule kOnce = {"scatter-once", "no two offsets are the same",
                        "基础API/Memory矢量计算/离散与聚合/Scatter(ISASI)"};
constexpr Rule kPattern = {"gather-mask-pattern", "src1Pattern is 1 to 7, on ascend310p 1 to 6",
                           "基础API/Memory矢量计算/比较与选择/GatherMask"};
constexpr Rule kPatternDefined = {"gather-mask-undefined",
                                  "the bits of a pattern decide what is gathered: each has been written",
                                  "基础API/Memory矢量计算/比较与选择/GatherMask"};
constexpr Rule kMaskCount = {"gather-mask-count", "mask is at least 1 in counter mode",
                             "基础API/Memory矢量计算/比较与选择/GatherMask"};
constexpr DeviceRule kSameOrApart = {
    {"gather-mask-apart", "dst is src0, or does not overlap it", "基础API/Memory矢量计算/比较与选择/GatherMask"},
    "256 bytes are read before what is kept of them is written",
    "ops-transformer c29bc106, moe/moe_gating_top_k/op_kernel/moe_gating_top_k_without_group.h:211 (dst begins 32 "
    "bytes "
    "before src0)"};

void MoveElement(uint8_t* to, const uint8_t* from, uint32_t element) {
    if (element == 2) {
        std::memcpy(to, from, 2);
    } else {
        std::memcpy(to, from, 4);
    }
}

// Bytes [begin, end) of a tensor as a place that starts at a block.
Ub Part(const Ub& place, uint64_t begin) {
    Ub part = place;
    part.addr = static_cast<uint32_t>((place.addr + begin) / kBlockBytes * kBlockBytes);
    return part;
}

bool Overlap(uint64_t a, uint64_t aBytes, uint64_t b, uint64_t bBytes) { return a < b + bBytes && b < a + aBytes; }

// Declares what of `place` the offsets in `lanes` touch: their whole span. Fails where one leads elsewhere.
template <typename Declare>
void Span(const Core& core, const Call& call, const char* role, const Indexed& args, const Ub& place,
          const std::vector<IndexLane>& lanes, Declare declare) {
    const auto* offsets = reinterpret_cast<const uint32_t*>(const_cast<Core&>(core).UbData(args.offsets.addr));
    uint64_t low = ~0ull;
    uint64_t high = 0;
    for (const IndexLane& lane : lanes) {
        const uint64_t at = static_cast<uint64_t>(args.base) + offsets[lane.index];
        if (at % args.element != 0) {
            Fail(call, kOffsetAligned, "offset %u is %u with the base address %u, and an element has %u bytes",
                 lane.index, offsets[lane.index], args.base, args.element);
        }
        if (place.addr + at + args.element > std::min<uint64_t>(place.end, core.UbBytes())) {
            Fail(call, kOffsetInside, "offset %u is %u with the base address %u, and %s has %u bytes", lane.index,
                 offsets[lane.index], args.base, role, BytesLeft(place));
        }
        low = std::min(low, at);
        high = std::max(high, at + args.element);
    }
    if (high != 0) {
        const Ub part = Part(place, low);
        declare(part, place.addr + high - part.addr);
    }
}

constexpr const char* kCover = "dst covers UB addresses %u to %" PRIu64 ", src %u to %" PRIu64;

// Fails where a repeat would gather what an earlier one has written: nobody knows which of the two comes first.
void CheckRepeats(const Instruction& in, const Indexed& args, const std::vector<IndexLane>& lanes) {
    const auto* offsets = reinterpret_cast<const uint32_t*>(in.On().UbData(args.offsets.addr));
    const uint32_t perRepeat = kRepeatBytes / args.element;
    std::vector<bool> written(in.On().UbBytes());
    for (size_t first = 0; first < lanes.size();) {
        size_t next = first;
        const uint32_t repeat = lanes[first].index / perRepeat;
        for (; next < lanes.size() && lanes[next].index / perRepeat == repeat; ++next) {
            const uint64_t from = uint64_t{args.src.addr} + args.base + offsets[lanes[next].index];
            if (written[from]) {
                Fail(in.Where(), kApart.rule,
                     "repeat %u reads UB address %" PRIu64 " (offset %u), which an earlier repeat has overwritten",
                     repeat, from, lanes[next].index);
            }
        }
        for (; first < next; ++first) {
            const size_t to = args.dst.addr + size_t{lanes[first].element} * args.element;
            std::fill_n(written.begin() + static_cast<std::ptrdiff_t>(to), args.element, true);
        }
    }
}

}  // namespace

void Gather(const VectorCall& vectorCall, const Indexed& args) {
    Instruction in(vectorCall);
    const std::vector<IndexLane> lanes = args.mask == nullptr
                                             ? CountLanes(in, args.count)
                                             : RepeatLanes(in, args.element, *args.mask, args.times, 1, args.stride);
    if (lanes.empty()) {
        return;  // documented as no operation on Atlas A2 and A3
    }
    const uint64_t last = lanes.back().index + 1ull;
    const uint64_t reach = Reach(lanes, args.element);
    in.Reads("srcOffset", args.offsets, last * 4);
    in.Writes("dst", args.dst, reach);
    const bool known = in.Known(args.offsets, 0, last * 4);
    if (known) {
        Span(in.On(), in.Where(), "src", args, args.src, lanes, [&](const Ub& part, uint64_t bytes) {
            in.Reads("src", part, bytes);
            if (Overlap(part.addr, bytes, args.dst.addr, reach)) {
                LetPass(in.Where(), kApart, kCover, args.dst.addr, args.dst.addr + reach, part.addr, part.addr + bytes);
                CheckRepeats(in, args, lanes);
            }
        });
    }
    in.Issue(lanes.size());
    in.Require("srcOffset", args.offsets, last, 4, kOffsetDefined);
    uint8_t* dst = in.On().UbData(args.dst.addr);
    const uint8_t* src = in.On().UbData(args.src.addr) + args.base;
    const auto* offsets = reinterpret_cast<const uint32_t*>(in.On().UbData(args.offsets.addr));
    const bool checks = in.On().Checks();
    const uint32_t perRepeat = kRepeatBytes / args.element;
    uint8_t values[kRepeatBytes];
    Origin origins[kRepeatBytes];
    for (size_t first = 0; first < lanes.size();) {  // a repeat is read before it is written: dst may lie over src
        size_t next = first;
        for (; next < lanes.size() && lanes[next].index / perRepeat == lanes[first].index / perRepeat; ++next) {
            const uint32_t offset = offsets[lanes[next].index];
            MoveElement(values + (next - first) * args.element, src + offset, args.element);
            if (checks) {
                origins[next - first] = in.OriginOf(args.src, uint64_t{args.base} + offset, args.element);
            }
        }
        for (size_t i = first; i < next; ++i) {
            const uint64_t to = args.element * static_cast<uint64_t>(lanes[i].element);
            MoveElement(dst + to, values + (i - first) * args.element, args.element);
            if (checks) {
                in.DefineAs(args.dst, args.element, to, origins[i - first]);
            }
        }
        first = next;
    }
}

void Scatter(const VectorCall& vectorCall, const Indexed& args) {
    Instruction in(vectorCall);
    const std::vector<IndexLane> lanes = args.mask == nullptr
                                             ? CountLanes(in, args.count)
                                             : RepeatLanes(in, args.element, *args.mask, args.times, 1, args.stride);
    if (lanes.empty()) {
        return;
    }
    const uint64_t last = lanes.back().index + 1ull;
    in.Reads("dstOffset", args.offsets, last * 4);
    in.Reads("src", args.src, Reach(lanes, args.element));
    if (in.Known(args.offsets, 0, last * 4)) {
        Span(in.On(), in.Where(), "dst", args, args.dst, lanes,
             [&](const Ub& part, uint64_t bytes) { in.Writes("dst", part, bytes); });
    }
    in.Issue(lanes.size());
    in.Require("dstOffset", args.offsets, last, 4, kOffsetDefined);
    uint8_t* dst = in.On().UbData(args.dst.addr) + args.base;
    const uint8_t* src = in.On().UbData(args.src.addr);
    const auto* offsets = reinterpret_cast<const uint32_t*>(in.On().UbData(args.offsets.addr));
    if (in.On().Checks()) {
        std::vector<std::pair<uint32_t, uint32_t>> seen;
        for (const IndexLane& lane : lanes) {
            seen.emplace_back(offsets[lane.index], lane.index);
        }
        std::sort(seen.begin(), seen.end());
        for (size_t i = 1; i < seen.size(); ++i) {
            if (seen[i].first == seen[i - 1].first) {
                Fail(in.Where(), kOnce, "offsets %u and %u are both %u", seen[i - 1].second, seen[i].second,
                     seen[i].first);
            }
        }
    }
    for (const IndexLane& lane : lanes) {
        const uint64_t from = args.element * static_cast<uint64_t>(lane.element);
        MoveElement(dst + offsets[lane.index], src + from, args.element);
        in.DefineAs(args.dst, args.element, static_cast<uint64_t>(args.base) + offsets[lane.index],
                    in.OriginOf(args.src, from, args.element));
    }
}

void GatherBlocks(const VectorCall& vectorCall, const Ub& dst, const Ub& src, const Ub& offsets, uint32_t times,
                  uint32_t dstBlock, uint32_t dstRepeat) {
    Instruction in(vectorCall);
    if (times == 0) {
        return;
    }
    dstBlock = std::max(dstBlock, 1u);  // documented: 0 is taken as 1
    const uint64_t count = 8ull * times;
    in.Reads("offset", offsets, count * 4);
    const uint64_t reach = (static_cast<uint64_t>(times - 1) * dstRepeat + 7ull * dstBlock + 1) * kBlockBytes;
    in.Writes("dst", dst, reach);
    const auto* at = reinterpret_cast<const uint32_t*>(in.On().UbData(offsets.addr));
    if (in.Known(offsets, 0, count * 4)) {
        uint64_t low = ~0ull;
        uint64_t high = 0;
        for (uint64_t i = 0; i < count; ++i) {
            if (at[i] % kBlockBytes != 0) {
                Fail(in.Where(), kBlockAligned, "offset %" PRIu64 " is %u", i, at[i]);
            }
            if (src.addr + static_cast<uint64_t>(at[i]) + kBlockBytes >
                std::min<uint64_t>(src.end, in.On().UbBytes())) {
                Fail(in.Where(), kOffsetInside, "offset %" PRIu64 " is %u, and src has %u bytes", i, at[i],
                     BytesLeft(src));
            }
            low = std::min<uint64_t>(low, at[i]);
            high = std::max<uint64_t>(high, at[i] + kBlockBytes);
        }
        const Ub part = Part(src, low);
        in.Reads("src", part, high - low);
        if (Overlap(part.addr, high - low, dst.addr, reach)) {
            Fail(in.Where(), kApart.rule, kCover, dst.addr, dst.addr + reach, part.addr, part.addr + high - low);
        }
    }
    in.Issue(count * kBlockBytes / 4);
    in.Require("offset", offsets, count, 4, kOffsetDefined);
    for (uint64_t i = 0; i < count; ++i) {
        const uint64_t to = (i / 8 * dstRepeat + i % 8 * dstBlock) * kBlockBytes;
        std::memcpy(in.On().UbData(dst.addr) + to, in.On().UbData(src.addr) + at[i], kBlockBytes);
        if (in.On().Checks()) {
            in.On().memory.shadow.Move(static_cast<uint32_t>(dst.addr + to), src.addr + at[i], kBlockBytes);
        }
    }
}

uint64_t GatherMask(const VectorCall& vectorCall, const Ub& dst, const Ub& src, const GatherMaskArgs& args) {
    static constexpr uint8_t kFixed[] = {0, 0x55, 0xaa, 0x11, 0x22, 0x44, 0x88, 0xff};
    Instruction in(vectorCall);
    Core& core = in.On();
    if (args.bits == nullptr && (args.pattern == 0 || args.pattern > args.patterns)) {
        Fail(in.Where(), kPattern, "src1Pattern is %u", args.pattern);
    }
    if (args.counter && args.mask == 0) {
        Fail(in.Where(), kMaskCount, "mask is 0");
    }
    const uint64_t lanes = kRepeatBytes / args.element;
    const uint64_t perBlock = kBlockBytes / args.element;
    uint64_t each = lanes;  // elements of a repeat
    uint64_t times = args.times;
    uint64_t all = each * times;
    if (args.counter && args.total) {
        all = args.mask;
        times = (all + lanes - 1) / lanes;
    } else if (args.counter) {
        each = args.mask;
        all = each * times;
    }
    core.registers.index.gathered = 0;
    core.registers.vector.counter = false;  // documented: the instruction leaves the normal mode behind
    if (all == 0) {
        return 0;
    }
    const auto byteOf = [&](uint64_t repeat, uint64_t i) {
        return (repeat * args.repeatStride + i / perBlock * args.blockStride) * kBlockBytes +
               i % perBlock * args.element;
    };
    uint64_t reach = 0;
    uint64_t patternReach = 0;
    const uint64_t tail = all - each * (times - 1);
    for (const uint64_t repeat : {uint64_t{0}, times - 1}) {
        const uint64_t n = repeat + 1 == times ? tail : each;
        reach = std::max(reach, byteOf(repeat, n - 1) + args.element);
        patternReach = std::max(patternReach, repeat * args.patternStride * kBlockBytes + (n + 7) / 8);
    }
    in.Reads("src0", src, reach);
    if (args.bits != nullptr) {
        in.Reads("src1Pattern", *args.bits, patternReach);
    }
    const uint8_t* bits = args.bits != nullptr ? core.UbData(args.bits->addr) : nullptr;
    const auto kept = [&](uint64_t repeat, uint64_t i) {
        const uint8_t byte =
            bits != nullptr ? bits[repeat * args.patternStride * kBlockBytes + i / 8] : kFixed[args.pattern];
        return (byte >> i % 8 & 1) != 0;
    };
    uint64_t count = 0;
    for (uint64_t repeat = 0; repeat < times; ++repeat) {
        for (uint64_t i = 0; i < (repeat + 1 == times ? tail : each); ++i) {
            count += kept(repeat, i) ? 1 : 0;
        }
    }
    in.Writes("dst", dst, count * args.element);
    if (dst.addr != src.addr && Overlap(dst.addr, count * args.element, src.addr, reach)) {
        LetPass(in.Where(), kSameOrApart, "dst covers UB addresses %u to %" PRIu64 ", src0 %u to %" PRIu64, dst.addr,
                dst.addr + count * args.element, src.addr, src.addr + reach);
    }
    in.Issue(all);
    if (args.bits != nullptr) {
        for (uint64_t repeat = 0; repeat < times; ++repeat) {
            Ub part = *args.bits;
            part.addr += static_cast<uint32_t>(repeat * args.patternStride * kBlockBytes);
            in.Require("src1Pattern", part, ((repeat + 1 == times ? tail : each) + 7) / 8, 1, kPatternDefined);
        }
    }
    uint8_t* to = core.UbData(dst.addr);
    const uint8_t* from = core.UbData(src.addr);
    uint64_t done = 0;
    uint8_t elements[kRepeatBytes];
    Origin origins[kRepeatBytes];
    for (uint64_t repeat = 0; repeat < times; ++repeat) {
        const uint64_t end = repeat + 1 == times ? tail : each;
        for (uint64_t first = 0; first < end; first += lanes) {
            uint64_t taken = 0;
            for (uint64_t i = first; i < std::min(end, first + lanes); ++i) {
                const uint64_t at = byteOf(repeat, i);
                const uint64_t place = src.addr + at;
                if (dst.addr != src.addr && place < dst.addr + done * args.element && dst.addr < place + args.element) {
                    Fail(in.Where(), kSameOrApart.rule,
                         "reads UB address %" PRIu64 " of src0, which it has overwritten", place);
                }
                if (kept(repeat, i)) {
                    MoveElement(elements + taken * args.element, from + at, args.element);
                    origins[taken++] = in.OriginOf(src, at, args.element);
                }
            }
            std::memcpy(to + done * args.element, elements, taken * args.element);
            for (uint64_t i = 0; i < taken; ++i) {
                in.DefineAs(dst, args.element, (done + i) * args.element, origins[i]);
            }
            done += taken;
        }
    }
    core.registers.index.gathered = count;
    return count;
}

uint64_t GatherMaskCount() { return CurrentCore().registers.index.gathered; }

}  // namespace sim
