#include "lanewise.h"
#include "held_block.h"
#include "memory/ub_operand.h"
#include "report/rows.h"

#include <cinttypes>
#include <cstring>
#include <vector>

namespace sim {
namespace {

constexpr Rule kCount = {"element-count", "count is the number of elements from the start of the tensors",
                         "基础API/Memory矢量计算/SIMD计算说明/连续计算"};
constexpr Rule kNothing950 = {"count-of-nothing", "on ascend950 a count of 0 is not documented to do nothing",
                              "基础API/Memory矢量计算/基础算术/Abs"};
constexpr Rule kOverlap = {"operand-overlap", "source and destination are the same tensor or do not overlap",
                           "通用说明和约束, 通用地址重叠约束"};
constexpr Rule kLaterRepeat = {"repeat-overlap", "no repeat overwrites what a later one reads",
                               "通用说明和约束, 通用地址重叠约束"};
constexpr Rule kDstStride = {"dst-stride", "dstBlkStride is at least 1",
                             "基础API/Memory矢量计算/SIMD计算说明/高维切分"};
constexpr Rule kPairs = {"int4-pairs", "elements of int4b_t go by pairs, two a byte",
                         "基础API/Memory矢量计算/类型转换/Cast"};

uint32_t HighestOf(const uint64_t (&mask)[2]) {
    return mask[1] != 0 ? 127 - static_cast<uint32_t>(__builtin_clzll(mask[1]))
                        : (mask[0] != 0 ? 63 - static_cast<uint32_t>(__builtin_clzll(mask[0])) : 0);
}

// Lanes that share a byte are looked at together.
uint32_t UnitOf(const Lanewise& in) {
    bool half = in.dst.bits < 8;
    for (int s = 0; s < in.sourceCount; ++s) {
        half = half || in.sources[s].bits < 8;
    }
    return half ? 2 : 1;
}

struct Stretch {
    uint32_t dst;
    uint32_t sources[2];
    uint64_t count;
    uint64_t first;
};

// Masks of Compare have defined bits beside undefined ones: those behind a tail.
void PropagateBits(Core& core, const Lanewise& in, const Stretch& at) {
    UbShadow& shadow = core.memory.shadow;
    const uint64_t bytes = BytesFor(at.count, in.dst.bits);
    std::vector<uint8_t> known(bytes, 0xff);
    std::vector<Origin> origins(bytes, UbShadow::kValue);
    for (int s = 0; s < in.sourceCount; ++s) {
        for (uint32_t i = 0; i < bytes; ++i) {
            known[i] &= *shadow.Defined(at.sources[s] + i);
            origins[i] = Weaker(origins[i], shadow.Weakest(at.sources[s] + i, 1));
        }
    }
    for (uint32_t i = 0; i < bytes; ++i) {
        shadow.Mark(at.dst + i, 1, origins[i]);
    }
    std::memcpy(shadow.Defined(at.dst), known.data(), bytes);
}

void PropagateDefined(Core& core, const Lanewise& in, const LaneBody& body, const Stretch& at) {
    bool all = body.NeedsAll();
    const bool zero = in.subtracts && at.sources[0] == at.sources[1];
    for (int s = 0; s < in.sourceCount && !zero; ++s) {
        all = all && core.memory.shadow.AllDefined(at.sources[s], BytesFor(at.count, in.sources[s].bits));
    }
    if (in.readsDst) {
        all = all && core.memory.shadow.AllDefined(at.dst, BytesFor(at.count, in.dst.bits));
    }
    if (all) {
        std::memset(core.memory.shadow.Defined(at.dst), 0xff, BytesFor(at.count, in.dst.bits));
        return;
    }
    if (in.bitwise) {
        PropagateBits(core, in, at);
        return;
    }
    const uint32_t unit = UnitOf(in);
    const uint32_t width = in.dst.bits * unit / 8;
    // dst may lie over a source: first the answers, then the marks
    std::vector<Origin> origins(at.count / unit, UbShadow::kValue);
    for (uint64_t n = 0; n < origins.size(); ++n) {
        const int needs = body.Needs(at.first + n * unit);
        Origin& origin = origins[n];
        if (needs < 0) {
            origin = Origins::kNone;
        }
        if (in.readsDst) {
            origin = Weaker(origin, core.memory.shadow.Weakest(at.dst + static_cast<uint32_t>(n * width), width));
        }
        for (int s = 0; s < in.sourceCount; ++s) {
            const uint32_t bytes = in.sources[s].bits * unit / 8;
            if ((needs >> s & 1) != 0) {
                origin =
                    Weaker(origin, core.memory.shadow.Weakest(at.sources[s] + static_cast<uint32_t>(n * bytes), bytes));
            }
        }
    }
    for (uint64_t n = 0; n < origins.size(); ++n) {
        core.memory.shadow.Mark(at.dst + static_cast<uint32_t>(n * width), width, origins[n]);
    }
}

bool Apart(uint32_t a, uint64_t aBytes, uint32_t b, uint64_t bBytes) { return a + aBytes <= b || b + bBytes <= a; }

// Lanes that lie side by side in memory.
void RunStretch(Core& core, const Lanewise& in, const LaneBody& body, const Stretch& at, uint32_t number) {
    const uint64_t dstBytes = BytesFor(at.count, in.dst.bits);
    if (number != 0) {
        for (int s = 0; s < in.sourceCount; ++s) {
            core.memory.shadow.Read(core.order.clocks, Pipe::kVector, number, at.sources[s],
                                    static_cast<uint32_t>(at.sources[s] + BytesFor(at.count, in.sources[s].bits)),
                                    in.call);
        }
        core.memory.shadow.Write(core.order.clocks, Pipe::kVector, number, at.dst,
                                 static_cast<uint32_t>(at.dst + dstBytes), in.call);
        PropagateDefined(core, in, body, at);
    }
    const void* sources[2] = {nullptr, nullptr};
    std::vector<uint8_t> copies[2];  // of a source that dst lies over askew
    for (int s = 0; s < in.sourceCount; ++s) {
        const uint64_t bytes = BytesFor(at.count, in.sources[s].bits);
        sources[s] = core.UbData(at.sources[s]);
        const bool same = at.sources[s] == at.dst && in.sources[s].bits == in.dst.bits;
        if (!same && !Apart(at.dst, dstBytes, at.sources[s], bytes)) {
            copies[s].assign(static_cast<const uint8_t*>(sources[s]), static_cast<const uint8_t*>(sources[s]) + bytes);
            sources[s] = copies[s].data();
        }
    }
    body.Compute({core.UbData(at.dst), sources[0], sources[1], 0, static_cast<size_t>(at.count)}, at.first);
}

// Fails where a repeat overwrites what a later one reads, which the hardware may have read before or after. `strict`:
// within a repeat, source and destination are the same or apart.
void CheckOverlap(const Lanewise& in, const Strided& dst, const Strided* sources, const MaskedLanes& mask,
                  uint32_t lanes, bool strict) {
    const uint64_t dstBytes = ExtentOf(dst, mask, lanes);
    std::vector<bool> written;
    const uint32_t unit = UnitOf(in);
    for (int s = 0; s < in.sourceCount; ++s) {
        const Strided& src = sources[s];
        const uint64_t srcBytes = ExtentOf(src, mask, lanes);
        if (Apart(dst.operand.place.addr, dstBytes, src.operand.place.addr, srcBytes)) {
            continue;
        }
        const uint32_t blocks = (lanes * dst.operand.bits / 8 + kBlockBytes - 1) / kBlockBytes;
        const bool same = src.operand.place.addr == dst.operand.place.addr && src.operand.bits == dst.operand.bits &&
                          src.block == dst.block && src.repeat == dst.repeat && dst.block != 0;
        if (same && (mask.times == 1 || dst.repeat >= (blocks - 1) * dst.block + 1)) {
            continue;
        }
        if (in.accumulates && s == 1 && (dst.repeat == 0 || src.repeat == 0)) {
            continue;
        }
        const uint32_t base = std::min(dst.operand.place.addr, src.operand.place.addr);
        written.assign(std::max(dst.operand.place.addr + dstBytes, src.operand.place.addr + srcBytes) - base, false);
        for (uint32_t r = 0; r < mask.times; ++r) {
            const uint64_t (&bits)[2] = r + 1 == mask.times ? mask.last : mask.bits;
            for (int pass = 0; pass < 2; ++pass) {
                const Strided& at = pass == 0 ? src : dst;
                const uint32_t width = at.operand.bits * unit / 8;
                for (uint32_t lane = 0; lane < lanes; lane += unit) {
                    if (!Selects(bits, lane)) {
                        continue;
                    }
                    const uint32_t addr = AddrOf(at, r, lane * at.operand.bits / 8);
                    for (uint32_t byte = 0; byte < width; ++byte) {
                        if (pass == 1) {
                            written[addr - base + byte] = true;
                        } else if (written[addr - base + byte]) {
                            Fail(in.call, kLaterRepeat,
                                 "repeat %u reads UB address %u of %s, which an earlier repeat has overwritten", r,
                                 addr, at.operand.role);
                        }
                    }
                }
            }
        }
        if (strict && !same) {
            for (uint32_t r = 0; r < mask.times; ++r) {
                const uint32_t d = AddrOf(dst, r, 0);
                const uint32_t a = AddrOf(src, r, 0);
                if (!Apart(d, ExtentOf({{"", {}, dst.operand.bits}, dst.block, 0}, mask, lanes), a,
                           ExtentOf({{"", {}, src.operand.bits}, src.block, 0}, mask, lanes)) &&
                    (d != a || src.operand.bits != dst.operand.bits || src.block != dst.block)) {
                    Fail(in.call, kOverlap, "dst covers UB addresses %u to %" PRIu64 ", %s %u to %" PRIu64,
                         dst.operand.place.addr, dst.operand.place.addr + dstBytes, src.operand.role,
                         src.operand.place.addr, src.operand.place.addr + srcBytes);
                }
            }
        }
    }
}

void CheckPairs(const Lanewise& in, bool even) {
    if (!even && UnitOf(in) == 2) {
        Fail(in.call, kPairs, "the mask or count parts a pair");
    }
}

bool PairsOf(const uint64_t (&mask)[2]) {
    constexpr uint64_t kEven = 0x5555555555555555ull;
    return ((mask[0] & kEven) << 1) == (mask[0] & ~kEven) && ((mask[1] & kEven) << 1) == (mask[1] & ~kEven);
}

}  // namespace

uint32_t LanesOf(const Lanewise& in) {
    uint32_t widest = in.dst.bits;
    for (int s = 0; s < in.sourceCount; ++s) {
        widest = std::max(widest, in.sources[s].bits);
    }
    return std::min(kRepeatBytes * 8 / widest, 128u);
}

void RunCount(const Lanewise& in, const LaneBody& body, int64_t count) {
    Core& core = CurrentCore();
    core.Poll();
    if (IsLeftOut(core, in.call)) {
        return;
    }
    if (count < 0) {
        Fail(in.call, kCount, "count is %" PRId64, count);
    }
    core.registers.vector.ResetMask();
    if (count == 0) {  // documented as no operation on Atlas A2 and A3
        if (std::strcmp(core.Request().soc->short_name, "ascend950") == 0) {
            Fail(in.call, kNothing950, "count is 0");
        }
        return;
    }
    const uint64_t n = static_cast<uint64_t>(count);
    CheckPairs(in, n % 2 == 0);
    CheckOperand(core, {"dst", in.dst.place, BytesFor(n, in.dst.bits), true}, in.call, in.page);
    for (int s = 0; s < in.sourceCount; ++s) {
        CheckOperand(core, {in.sources[s].role, in.sources[s].place, BytesFor(n, in.sources[s].bits), false}, in.call,
                     in.page);
    }
    if (in.whole.bits != 0) {
        CheckOperand(core, {in.whole.role, in.whole.place, BytesFor(1, in.whole.bits), false}, in.call, in.page);
    }
    bool askew = false;
    for (int s = 0; s < in.sourceCount; ++s) {
        const bool same = in.sources[s].place.addr == in.dst.place.addr && in.sources[s].bits == in.dst.bits;
        askew = askew || (!same && !Apart(in.dst.place.addr, BytesFor(n, in.dst.bits), in.sources[s].place.addr,
                                          BytesFor(n, in.sources[s].bits)));
    }
    const uint32_t lanes = LanesOf(in);
    const auto strided = [&](const LaneOperand& operand) {
        return Strided{operand, 1, lanes * operand.bits / 8 / kBlockBytes};
    };
    const Strided dst = strided(in.dst);
    const Strided sources[2] = {strided(in.sources[0]), strided(in.sources[1])};
    const uint64_t times = (n + lanes - 1) / lanes;
    if (core.Checks()) {
        if (askew) {
            MaskedLanes mask{};
            mask.times = static_cast<uint32_t>(times);
            FirstLanes(lanes, mask.bits);
            FirstLanes((n - 1) % lanes + 1, mask.last);
            // a cast into the other end of the same buffer is common, and each repeat reads before it writes
            CheckOverlap(in, dst, sources, mask, lanes, in.sources[0].bits == in.dst.bits);
        }
    }
    const Work work = Work::Vector(n, std::max(in.dst.bits, in.sources[0].bits));
    const uint32_t number =
        core.Issue(Pipe::kVector, in.call, WithConflicts(core, work, in, dst, sources, lanes, times));
    if (number != 0) {
        if (in.whole.bits != 0) {
            core.memory.shadow.Read(core.order.clocks, Pipe::kVector, number, in.whole.place.addr,
                                    static_cast<uint32_t>(in.whole.place.addr + BytesFor(1, in.whole.bits)), in.call);
        }
    }
    const uint64_t step = askew ? lanes : n;
    for (uint64_t done = 0; done < n; done += step) {
        const auto at = [done](const LaneOperand& operand) {
            return operand.place.addr + static_cast<uint32_t>(done * operand.bits / 8);
        };
        RunStretch(core, in, body, {at(in.dst), {at(in.sources[0]), at(in.sources[1])}, std::min(step, n - done), done},
                   number);
    }
}

void RunMasked(const Lanewise& in, const LaneBody& body, const Repeats& repeats, const MaskedLanes& mask,
               uint32_t lanes) {
    Core& core = CurrentCore();
    if (mask.times == 0 || IsLeftOut(core, in.call)) {
        return;
    }
    CheckPairs(in, PairsOf(mask.bits) && PairsOf(mask.last));
    const Strided dst{in.dst, repeats.dstBlock, repeats.dstRepeat};
    const Strided sources[2] = {{in.sources[0], repeats.srcBlock[0], repeats.srcRepeat[0]},
                                {in.sources[1], repeats.srcBlock[1], repeats.srcRepeat[1]}};
    if (repeats.dstBlock == 0 && HighestOf(mask.bits) * in.dst.bits / 8 >= kBlockBytes) {
        Fail(in.call, kDstStride, "dstBlkStride is 0");
    }
    CheckOperand(core, {"dst", in.dst.place, ExtentOf(dst, mask, lanes), true}, in.call, in.page);
    for (int s = 0; s < in.sourceCount; ++s) {
        CheckOperand(core, {in.sources[s].role, in.sources[s].place, ExtentOf(sources[s], mask, lanes), false}, in.call,
                     in.page);
    }
    if (in.whole.bits != 0) {
        CheckOperand(core, {in.whole.role, in.whole.place, BytesFor(1, in.whole.bits), false}, in.call, in.page);
    }
    if (core.Checks()) {
        CheckOverlap(in, dst, sources, mask, lanes, true);
    }
    const Work work = Work::Vector(mask.selected, std::max(in.dst.bits, in.sources[0].bits));
    const bool whole = dst.block == 1 && sources[0].block <= 1 && (in.sourceCount < 2 || sources[1].block <= 1);
    const uint32_t number = core.Issue(Pipe::kVector, in.call,
                                       whole ? WithConflicts(core, work, in, dst, sources, lanes, mask.times) : work);
    if (number != 0) {
        if (in.whole.bits != 0) {
            core.memory.shadow.Read(core.order.clocks, Pipe::kVector, number, in.whole.place.addr,
                                    static_cast<uint32_t>(in.whole.place.addr + BytesFor(1, in.whole.bits)), in.call);
        }
    }
    bool dense = dst.block == 1, seamless = true;
    const auto follows = [lanes](const Strided& s) { return s.repeat * kBlockBytes * 8 == lanes * s.operand.bits; };
    seamless = follows(dst);
    // A block that stays where it is, defined and apart from dst, does not keep the lanes from following each other.
    const uint32_t block = sources[1].operand.place.addr;
    const bool isHeld = in.sourceCount == 2 && IsHeld(sources[1]) && UnitOf(in) == 1 &&
                        Apart(dst.operand.place.addr, ExtentOf(dst, mask, lanes), block, kBlockBytes) &&
                        (number == 0 || core.memory.shadow.AllDefined(block, kBlockBytes));
    for (int s = 0; s < (isHeld ? 1 : in.sourceCount); ++s) {
        dense = dense && sources[s].block == 1;
        seamless =
            seamless && follows(sources[s]) &&
            (Apart(dst.operand.place.addr, ExtentOf(dst, mask, lanes), sources[s].operand.place.addr,
                   ExtentOf(sources[s], mask, lanes)) ||
             (sources[s].operand.place.addr == dst.operand.place.addr && sources[s].operand.bits == dst.operand.bits));
    }
    const int32_t prefix = PrefixOf(mask.bits);
    const int32_t lastPrefix = PrefixOf(mask.last);
    dense = dense && prefix >= 0 && lastPrefix >= 0;
    if (dense && seamless && static_cast<uint32_t>(prefix) == lanes) {
        const uint64_t count = static_cast<uint64_t>(mask.times - 1) * lanes + static_cast<uint64_t>(lastPrefix);
        const Stretch all{dst.operand.place.addr, {sources[0].operand.place.addr, block}, count, 0};
        if (!isHeld) {
            RunStretch(core, in, body, all, number);
            return;
        }
        if (number != 0) {
            core.memory.shadow.Read(core.order.clocks, Pipe::kVector, number, block, block + kBlockBytes, in.call);
        }
        Lanewise first = in;
        first.sourceCount = 1;
        first.subtracts = false;
        const WithHeldBlock held(body, core.UbData(block), BytesFor(count, in.sources[1].bits));
        RunStretch(core, first, held, all, number);
        return;
    }
    dense = dense && !isHeld;
    for (uint32_t r = 0; r < mask.times; ++r) {
        const bool isLast = r + 1 == mask.times;
        const uint64_t (&bits)[2] = isLast ? mask.last : mask.bits;
        const uint64_t first = static_cast<uint64_t>(r) * lanes;
        if (dense) {
            RunStretch(core, in, body,
                       {AddrOf(dst, r, 0),
                        {AddrOf(sources[0], r, 0), AddrOf(sources[1], r, 0)},
                        static_cast<uint64_t>(isLast ? lastPrefix : prefix),
                        first},
                       number);
            continue;
        }
        alignas(32) uint8_t values[3][kRepeatBytes] = {};
        Origin known[3][128];
        std::memset(known, UbShadow::kValue, sizeof(known));
        const bool checks = number != 0;
        for (int s = 0; s < in.sourceCount; ++s) {
            if (checks) {
                ReadRepeat(core, sources[s], r, bits, lanes, number, in.call);
            }
            Gather(core, sources[s], r, bits, lanes, values[s], checks ? known[s] : nullptr);
        }
        if (in.readsDst) {
            Gather(core, dst, r, bits, lanes, values[2], checks ? known[2] : nullptr);
        }
        body.Compute(
            {values[2], in.sourceCount > 0 ? values[0] : nullptr, in.sourceCount > 1 ? values[1] : nullptr, 0, lanes},
            first);
        const uint32_t unit = UnitOf(in);
        const uint32_t width = in.dst.bits * unit / 8;
        for (uint32_t lane = 0; lane < lanes; lane += unit) {
            if (!Selects(bits, lane)) {
                continue;
            }
            const uint32_t byte = lane * in.dst.bits / 8;
            const uint32_t addr = AddrOf(dst, r, byte);
            std::memcpy(core.UbData(addr), values[2] + byte, width);
            if (checks) {
                core.memory.shadow.Write(core.order.clocks, Pipe::kVector, number, addr, addr + width, in.call);
                const int needs = body.Needs(first + lane);
                Origin origin = needs < 0 ? Origins::kNone : Weaker(known[2][lane], known[2][lane + unit - 1]);
                for (int s = 0; s < in.sourceCount; ++s) {
                    if ((needs >> s & 1) != 0) {
                        origin = Weaker(origin, Weaker(known[s][lane], known[s][lane + unit - 1]));
                    }
                }
                core.memory.shadow.Mark(addr, width, origin);
            }
        }
    }
}

void RunRepeats(const Lanewise& in, const LaneBody& body, const Repeats& repeats) {
    Core& core = CurrentCore();
    core.Poll();
    const uint32_t lanes = LanesOf(in);
    RunMasked(in, body, repeats, core.registers.vector.Take(repeats, lanes, in.call), lanes);
}

}  // namespace sim
