// Sorting: Sort32, MrgSort and what stands above them, and the region proposals of ascend310p.
// Documentation: 基础API/Memory矢量计算/排序组合（ISASI）, 高阶API/排序操作
#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <cstring>
#include <numeric>
#include <vector>

#include "half_lanes.h"
#include "instruction.h"
#include "sim/index.h"

namespace sim {
namespace {

#define SORT_PAGES "基础API/Memory矢量计算/排序组合（ISASI）/"

constexpr Rule kTimes = {"sort-times", "repeatTime is 0 to 255", SORT_PAGES "Sort32"};
constexpr Rule kScores = {"score-undefined", "scores decide the order: each has been written", SORT_PAGES "Sort32"};
constexpr Rule kLength = {"merge-length", "a list has 0 to 4095 elements", SORT_PAGES "MrgSort"};
constexpr DeviceRule kValid = {
    {"merge-lists", "validBit is 3, 7 or 15", SORT_PAGES "MrgSort"},
    "validBit 1 merges one list: it is copied",
    "CANN 8.1, op_impl/ai_core/tbe/impl/ascendc/top_k_v3/top_k_v3.h:207, moe_init_routing/moe_mrgsort.h:105"};
constexpr Rule kApart = {"sort-apart", "source and destination do not share memory", SORT_PAGES "MrgSort"};
constexpr Rule kListAligned = {"merge-alignment",
                               "a list starts at a multiple of 8 bytes; of region proposals, at one of 16 (half) or 32",
                               SORT_PAGES "MrgSort"};
constexpr Rule kRepeats = {"merge-repeats",
                           "repeatTimes above 1 takes four lists of one length, one behind the other, validBit 15 and "
                           "no ifExhaustedSuspension",
                           SORT_PAGES "MrgSort"};
constexpr Rule kSuspension = {"merge-result", "the result is that of a MrgSort with ifExhaustedSuspension",
                              SORT_PAGES "GetMrgSortResult"};
constexpr Rule kField = {"proposal-field", "modeNumber is 0 to 5", SORT_PAGES "ProposalConcat"};

constexpr uint32_t kFields = 8;  // elements of a region proposal
constexpr uint32_t kScoreField = 4;
constexpr uint32_t kProposalGroup = 16;
constexpr uint32_t kGroup = 32;
constexpr uint32_t kPair = 8;  // bytes of a score with its index

uint32_t Bytes(Dtype type) { return type == Dtype::kHalf ? 2 : 4; }

float ScoreAt(Dtype type, const uint8_t* at) {
    if (type == Dtype::kHalf) {
        uint16_t bits;
        std::memcpy(&bits, at, 2);
        return HalfValue(bits);
    }
    float value;
    std::memcpy(&value, at, 4);
    return value;
}

// Whether a score comes before another: the larger one, and a NaN before all numbers (高阶API/排序操作/TopK).
bool Before(float a, float b) {
    if (std::isnan(a) || std::isnan(b)) {
        return std::isnan(a) && !std::isnan(b);
    }
    return a > b;
}

void CheckTimes(const Instruction& in, int64_t times) {
    if (times < 0 || times > 255) {
        Fail(in.Where(), kTimes, "repeatTime is %" PRId64, times);
    }
}

// Sorted records: how long one is and where its score lies.
struct Layout {
    Dtype type;
    uint32_t bytes;
    uint32_t score;

    Layout(Dtype dtype, bool proposals)
        : type(dtype),
          bytes(proposals ? kFields * Bytes(dtype) : kPair),
          score(proposals ? kScoreField * Bytes(dtype) : 0) {}
};

void RequireScores(const Instruction& in, const char* role, const Layout& layout, const Ub& place, uint64_t count) {
    if (in.Known(place, 0, count * layout.bytes)) {
        return;
    }
    for (uint64_t i = 0; i < count; ++i) {
        if (!in.Known(place, i * layout.bytes + layout.score, Bytes(layout.type))) {
            const uint64_t at = place.addr + i * layout.bytes + layout.score;
            Fail(in.Where(), kScores, "score %" PRIu64 " of %s (UB address %" PRIu64 ") %s", i, role, at,
                 in.On().WhyLacking(static_cast<uint32_t>(at)).c_str());
        }
    }
}

// Moves records within one place, with what is known about their bytes: record i comes from order[i].
void Permute(const Instruction& in, const Layout& layout, const Ub& place, const std::vector<uint32_t>& order) {
    const auto move = [&](uint8_t* bytes) {
        const std::vector<uint8_t> old(bytes, bytes + order.size() * layout.bytes);
        for (size_t i = 0; i < order.size(); ++i) {
            std::memcpy(bytes + i * layout.bytes, old.data() + order[i] * static_cast<size_t>(layout.bytes),
                        layout.bytes);
        }
    };
    move(in.On().UbData(place.addr));
    if (in.On().Checks()) {
        move(in.On().memory.shadow.Defined(place.addr));
        if (in.On().memory.shadow.HasOrigins()) {
            move(in.On().memory.shadow.OriginAt(place.addr));
        }
    }
}

std::vector<uint32_t> Descending(const Layout& layout, const uint8_t* records, uint32_t count) {
    std::vector<float> scores(count);
    for (uint32_t i = 0; i < count; ++i) {
        scores[i] = ScoreAt(layout.type, records + static_cast<size_t>(i) * layout.bytes + layout.score);
    }
    std::vector<uint32_t> order(count);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return Before(scores[a], scores[b]); });
    return order;
}

// Sorts each group of records on its own.
void SortGroups(const Instruction& in, const Layout& layout, const Ub& place, uint32_t group, uint32_t groups) {
    for (uint32_t g = 0; g < groups; ++g) {
        Ub part = place;
        part.addr += g * group * layout.bytes;
        Permute(in, layout, part, Descending(layout, in.On().UbData(part.addr), group));
    }
}

}  // namespace

void CheckRepeats(const VectorCall& call, int64_t times) { CheckTimes(Instruction(call), times); }

void Sort32(const VectorCall& call, Dtype type, const Ub& dst, const Ub& score, const Ub& index, int64_t times) {
    Instruction in(call);
    CheckTimes(in, times);
    if (times == 0) {
        return;  // documented as no operation on Atlas A2 and A3
    }
    const uint64_t count = static_cast<uint64_t>(times) * kGroup;
    const uint32_t bytes = Bytes(type);
    const auto* scores = in.Reads("src0", score, count * bytes);
    const auto* indices = in.Reads("src1", index, count * 4);
    auto* pairs = in.Writes("dst", dst, count * kPair);
    const auto apart = [&](const char* role, const Ub& place, uint64_t length) {
        if (place.addr < dst.addr + count * kPair && dst.addr < place.addr + length) {
            Fail(in.Where(), kApart, "dst covers UB addresses %u to %" PRIu64 ", %s %u to %" PRIu64, dst.addr,
                 dst.addr + count * kPair, role, place.addr, place.addr + length);
        }
    };
    apart("src0", score, count * bytes);
    apart("src1", index, count * 4);
    in.Issue(count);
    in.Require("src0", score, count, bytes, kScores);
    for (uint64_t i = 0; i < count; ++i) {
        std::memset(pairs + i * kPair, 0, kPair);
        std::memcpy(pairs + i * kPair, scores + i * bytes, bytes);
        std::memcpy(pairs + i * kPair + 4, indices + i * 4, 4);
        in.Define(dst, 4, i * kPair);
        in.DefineAs(dst, 4, i * kPair + 4, in.OriginOf(index, i * 4, 4));
    }
    SortGroups(in, Layout(type, false), dst, kGroup, static_cast<uint32_t>(times));
}

void Merge(const VectorCall& call, Dtype type, const Ub& dst, const MergeArgs& args) {
    Instruction in(call);
    Core& core = in.On();
    const Layout layout(type, args.proposals);
    CheckTimes(in, args.times);
    if (args.valid == 1) {
        LetPass(in.Where(), kValid, "validBit is 1");
    } else if (args.valid != 3 && args.valid != 7 && args.valid != 15) {
        Fail(in.Where(), kValid.rule, "validBit is %u", args.valid);
    }
    const uint32_t lists = args.valid == 1 ? 1 : args.valid == 3 ? 2 : args.valid == 7 ? 3 : 4;
    uint64_t total = 0;
    bool regular = lists == 4 && !args.suspend;
    for (uint32_t i = 0; i < lists; ++i) {
        if (args.lengths[i] > 4095) {
            Fail(in.Where(), kLength, "list %u has %u", i + 1, args.lengths[i]);
        }
        regular = regular && args.lengths[i] == args.lengths[0] &&
                  args.lists[i].addr == args.lists[0].addr + total * layout.bytes;
        total += args.lengths[i];
    }
    if (args.times > 1 && !regular) {
        Fail(in.Where(), kRepeats, "repeatTimes is %" PRId64, args.times);
    }
    core.registers.index = {core.registers.index.gathered, {}, args.suspend};
    if (args.times == 0) {
        return;  // documented as no operation on Atlas A2 and A3
    }
    const uint64_t times = static_cast<uint64_t>(args.times);
    static constexpr const char* kRoles[] = {"src1", "src2", "src3", "src4"};
    const uint32_t align = args.proposals ? layout.bytes : kPair;
    const uint64_t dstBytes = times * total * layout.bytes;
    for (uint32_t i = 0; i < lists; ++i) {
        const Ub& list = args.lists[i];
        const uint64_t bytes = ((times - 1) * total + args.lengths[i]) * layout.bytes;
        if (list.addr % align != 0) {
            Fail(in.Where(), kListAligned, "%s starts at UB address %u", kRoles[i], list.addr);
        }
        if (bytes != 0 && list.addr < dst.addr + dstBytes && dst.addr < list.addr + bytes) {
            Fail(in.Where(), kApart, "dst covers UB addresses %u to %" PRIu64 ", %s %u to %" PRIu64, dst.addr,
                 dst.addr + dstBytes, kRoles[i], list.addr, list.addr + bytes);
        }
        if (bytes != 0) {
            Ub whole = list;
            whole.addr = list.addr / 32 * 32;
            in.Reads(kRoles[i], whole, bytes + (list.addr - whole.addr));
        }
    }
    in.Writes("dst", dst, dstBytes);
    in.Issue(times * total);
    for (uint32_t i = 0; i < lists; ++i) {
        Ub part = args.lists[i];
        for (uint64_t r = 0; r < times; ++r, part.addr += static_cast<uint32_t>(total * layout.bytes)) {
            RequireScores(in, kRoles[i], layout, part, args.lengths[i]);
        }
    }
    for (uint64_t r = 0; r < times; ++r) {
        const uint64_t shift = r * total * layout.bytes;
        uint32_t taken[4] = {};
        uint64_t to = dst.addr + shift;
        const auto at = [&](uint32_t list) {
            return args.lists[list].addr + shift + static_cast<uint64_t>(taken[list]) * layout.bytes;
        };
        const auto exhausted = [&] {
            for (uint32_t i = 0; i < lists; ++i) {
                if (taken[i] == args.lengths[i]) {
                    return true;
                }
            }
            return false;
        };
        for (uint64_t done = 0; done < total && !(args.suspend && exhausted()); ++done) {
            uint32_t best = lists;
            float score = 0;
            for (uint32_t i = 0; i < lists; ++i) {
                if (taken[i] == args.lengths[i]) {
                    continue;
                }
                const float head = ScoreAt(type, core.UbData(static_cast<uint32_t>(at(i))) + layout.score);
                if (best == lists || Before(head, score)) {
                    best = i;
                    score = head;
                }
            }
            std::memcpy(core.UbData(static_cast<uint32_t>(to)), core.UbData(static_cast<uint32_t>(at(best))),
                        layout.bytes);
            if (core.Checks()) {
                core.memory.shadow.Move(static_cast<uint32_t>(to), static_cast<uint32_t>(at(best)), layout.bytes);
            }
            to += layout.bytes;
            ++taken[best];
        }
        for (uint32_t i = 0; i < lists; ++i) {
            core.registers.index.merged[i] = static_cast<uint16_t>(taken[i]);
        }
    }
}

void MergeResult(uint16_t (&taken)[4], Site site) {
    const IndexRegisters& index = CurrentCore().registers.index;
    if (!index.suspended) {
        Fail({"GetMrgSortResult", site}, kSuspension, "the last MrgSort had none, or there was none");
    }
    std::memcpy(taken, index.merged, sizeof(taken));
}

void FullSort(const VectorCall& call, Dtype type, const Ub& dst, const Ub& tmp, int64_t times, bool proposals) {
    Instruction in(call);
    CheckTimes(in, times);
    if (times == 0) {
        return;
    }
    const Layout layout(type, proposals);
    const uint32_t count = static_cast<uint32_t>(times) * (proposals ? kProposalGroup : kGroup);
    const uint64_t bytes = static_cast<uint64_t>(count) * layout.bytes;
    in.Reads("dst", dst, bytes);
    in.Writes("dst", dst, bytes);
    in.Scratch("tmp", tmp, bytes);
    in.Issue(count);
    RequireScores(in, "dst", layout, dst, count);
    Permute(in, layout, dst, Descending(layout, in.On().UbData(dst.addr), count));
}

void ExtractSorted(const VectorCall& call, Dtype type, const Ub& value, const Ub& index, const Ub& sorted,
                   int64_t times) {
    Instruction in(call);
    CheckTimes(in, times);
    if (times == 0) {
        return;
    }
    const uint64_t count = static_cast<uint64_t>(times) * kGroup;
    const uint32_t bytes = Bytes(type);
    const auto* pairs = in.Reads("sorted", sorted, count * kPair);
    auto* values = in.Writes("dstValue", value, count * bytes);
    auto* indices = in.Writes("dstIndex", index, count * 4);
    in.Issue(2 * count);
    for (uint64_t i = 0; i < count; ++i) {
        std::memcpy(values + i * bytes, pairs + i * kPair, bytes);
        in.DefineAs(value, bytes, i * bytes, in.OriginOf(sorted, i * kPair, bytes));
    }
    for (uint64_t i = 0; i < count; ++i) {
        std::memcpy(indices + i * 4, pairs + i * kPair + 4, 4);
        in.DefineAs(index, 4, i * 4, in.OriginOf(sorted, i * kPair + 4, 4));
    }
}

namespace {

void CheckField(const Instruction& in, int32_t field) {
    if (field < 0 || field > 5) {
        Fail(in.Where(), kField, "modeNumber is %d", field);
    }
}

}  // namespace

void ProposalConcat(const VectorCall& call, Dtype type, const Ub& dst, const Ub& src, int64_t times, int32_t field) {
    Instruction in(call);
    CheckTimes(in, times);
    CheckField(in, field);
    if (times == 0) {
        return;
    }
    const uint64_t count = static_cast<uint64_t>(times) * kProposalGroup;
    const uint32_t bytes = Bytes(type);
    const auto* from = in.Reads("src", src, count * bytes);
    auto* to = in.Writes("dst", dst, count * kFields * bytes);
    in.Issue(count);
    for (uint64_t i = 0; i < count; ++i) {
        const uint64_t at = (i * kFields + static_cast<uint64_t>(field)) * bytes;
        std::memcpy(to + at, from + i * bytes, bytes);
        in.DefineAs(dst, bytes, at, in.OriginOf(src, i * bytes, bytes));
    }
}

void ProposalExtract(const VectorCall& call, Dtype type, const Ub& dst, const Ub& src, int64_t times, int32_t field) {
    Instruction in(call);
    CheckTimes(in, times);
    CheckField(in, field);
    if (times == 0) {
        return;
    }
    const uint64_t count = static_cast<uint64_t>(times) * kProposalGroup;
    const uint32_t bytes = Bytes(type);
    const auto* from = in.Reads("src", src, count * kFields * bytes);
    auto* to = in.Writes("dst", dst, count * bytes);
    in.Issue(count);
    for (uint64_t i = 0; i < count; ++i) {
        const uint64_t at = (i * kFields + static_cast<uint64_t>(field)) * bytes;
        std::memcpy(to + i * bytes, from + at, bytes);
        in.DefineAs(dst, bytes, i * bytes, in.OriginOf(src, at, bytes));
    }
}

void SortProposals(const VectorCall& call, Dtype type, const Ub& dst, const Ub& src, int64_t times) {
    Instruction in(call);
    CheckTimes(in, times);
    if (times == 0) {
        return;
    }
    const Layout layout(type, true);
    const uint64_t count = static_cast<uint64_t>(times) * kProposalGroup;
    const auto* from = in.Reads("src", src, count * layout.bytes);
    auto* to = in.Writes("dst", dst, count * layout.bytes);
    in.Issue(count);
    RequireScores(in, "src", layout, src, count);
    std::memmove(to, from, count * layout.bytes);
    if (in.On().Checks()) {
        in.On().memory.shadow.Move(dst.addr, src.addr, count * layout.bytes);
    }
    SortGroups(in, layout, dst, kProposalGroup, static_cast<uint32_t>(times));
}

}  // namespace sim
