// Reductions of repeats, blocks, pairs and whole tensors, and the registers they leave behind.
// Documentation: 基础API/Memory矢量计算/归约计算, 归约计算辅助配置接口
#include <cinttypes>
#include <cstring>

#include "instruction.h"
#include "lanewise.h"
#include "reduce_numbers.h"
#include "memory/ub_operand.h"

namespace sim {
namespace {

using AscendC::ReduceOrder;

constexpr Rule kTimes = {"reduce-times", "repeatTime is 0 to 255", "基础API/Memory矢量计算/归约计算/ReduceRepeat"};
constexpr Rule kStride = {"reduce-stride", "dstRepStride, srcBlkStride and srcRepStride are 0 to 65535",
                          "基础API/Memory矢量计算/归约计算/ReduceRepeat"};
constexpr Rule kOrder = {"reduce-order", "ascend310p gives value and index together",
                         "基础API/Memory矢量计算/归约计算/ReduceRepeat"};
constexpr Rule kDefined = {"reduced-lane-undefined", "a reduction reads elements that hold a value",
                           "基础API/数据结构/LocalTensor"};
constexpr Rule kCount = {"reduce-count", "count and repeatTime are not negative",
                         "基础API/Memory矢量计算/归约计算/ReduceSum"};
constexpr Rule kWork = {"reduce-work", "sharedTmpBuffer has room for the results of each round",
                        "基础API/Memory矢量计算/归约计算/ReduceMax"};
constexpr Rule kHalfIndex = {"reduce-half-index", "the index of half values is at most 65535",
                             "基础API/Memory矢量计算/归约计算/ReduceMax"};
constexpr Rule kNothing = {"reduce-register", "the register holds the result of a reduction in normal mode",
                           "基础API/Memory矢量计算/归约计算辅助配置接口/GetReduceRepeatMaxMinSpr(ISASI)"};
constexpr Rule kNoIndex = {"reduce-register-index",
                           "the index is that of ReduceRepeat; ReduceMax and ReduceMin return theirs in dst",
                           "基础API/Memory矢量计算/归约计算辅助配置接口/GetReduceRepeatMaxMinSpr(ISASI)"};
uint64_t DivideUp(uint64_t value, uint64_t by) { return (value + by - 1) / by; }

void CheckStrides(const Call& call, uint64_t dst, uint64_t block, uint64_t repeat) {
    const uint64_t most = std::max(dst, std::max(block, repeat));
    if (most > 65535) {
        Fail(call, kStride, "a stride is %" PRId64, static_cast<int64_t>(static_cast<int32_t>(most)));
    }
}

// A device reduces what is there; the result is as much worth as that.
void LetReduce(const Core& core, const Call& call, Origin origin, uint32_t repeat, uint32_t lane) {
    const std::string what = "lane " + std::to_string(lane) + " of repeat " + std::to_string(repeat) + " of src";
    if (Origins::IsOld(origin)) {
        core.LetOld(origin, what, call);
    } else if (!core.AsDevice()) {
        Fail(call, kDefined, "%s %s", what.c_str(), core.Shared().origins.Text(origin).c_str());
    }
}

// What one repeat writes, relative to its start.
struct Written {
    uint32_t unit;       // bytes between repeats where dstRepStride is 1
    uint32_t bytes;      // the most that a repeat writes
    uint32_t alignment;  // of dst
};

Written WrittenBy(const Reduction& reduction, uint32_t element) {
    if (reduction.unit == ReduceUnit::kBlock) {
        return {8 * element, 8 * element, 8 * element};
    }
    if (reduction.unit == ReduceUnit::kPair) {
        return {128, 128, 32};
    }
    const auto order = static_cast<ReduceOrder>(reduction.order);
    if (reduction.op == ReduceOp::kSum || order == ReduceOrder::ORDER_ONLY_VALUE) {
        return {element, element, element};
    }
    if (order == ReduceOrder::ORDER_ONLY_INDEX) {
        return {4, 4, 4};
    }
    return {2 * element, 2 * element, 2 * element};
}

// Puts down results and their defined bits.
struct Writer {
    Core& core;
    const Call& call;
    uint32_t number;

    void Put(uint32_t addr, uint64_t bits, uint32_t bytes, Origin origin) const {
        std::memcpy(core.UbData(addr), &bits, bytes);
        if (number != 0) {
            core.memory.shadow.Write(core.order.clocks, Pipe::kVector, number, addr, addr + bytes, call);
            core.memory.shadow.Mark(addr, bytes, origin);
        }
    }
};

}  // namespace

void ReduceRepeats(const VectorCall& vectorCall, const Reduction& reduction, Dtype type, const Ub& dst, const Ub& src,
                   const Repeats& given, int64_t times) {
    const Call call = Of(vectorCall);
    Core& core = CurrentCore();
    core.Poll();
    if (times < 0 || times > 255) {
        Fail(call, kTimes, "repeatTime is %" PRId64, times);
    }
    CheckStrides(call, given.dstRepeat, given.srcBlock[0], given.srcRepeat[0]);
    const auto order = static_cast<ReduceOrder>(reduction.order);
    const bool together = order == ReduceOrder::ORDER_VALUE_INDEX || order == ReduceOrder::ORDER_INDEX_VALUE;
    const bool sum = reduction.op == ReduceOp::kSum;
    if (reduction.unit == ReduceUnit::kRepeat && !together && !sum &&
        std::strcmp(core.Request().soc->short_name, "ascend310p") == 0) {
        Fail(call, kOrder, "the order is ORDER_ONLY_%s", order == ReduceOrder::ORDER_ONLY_INDEX ? "INDEX" : "VALUE");
    }
    const Number number{type == Dtype::kHalf};
    const uint32_t element = number.Bytes();
    const uint32_t lanes = number.Lanes();
    Repeats repeats = given;
    repeats.times = static_cast<uint32_t>(times);
    const MaskedLanes mask = core.registers.vector.Take(repeats, lanes, call);
    if (mask.times == 0) {
        return;
    }
    const Written written = WrittenBy(reduction, element);
    const Strided strided{{"src", src, element * 8}, given.srcBlock[0], given.srcRepeat[0]};
    uint32_t used = written.bytes;  // of the last repeat: blocks and pairs without a lane are not written
    if (reduction.unit != ReduceUnit::kRepeat) {
        const uint32_t per = reduction.unit == ReduceUnit::kBlock ? lanes / 8 : 2;
        uint32_t highest = 0;
        for (uint32_t lane = 0; lane < lanes; ++lane) {
            highest = Selects(mask.last, lane) || (mask.times > 1 && given.dstRepeat == 0 && Selects(mask.bits, lane))
                          ? lane
                          : highest;
        }
        used = (highest / per + 1) * element;
    }
    if (IsLeftOut(core, call)) {
        return;
    }
    const uint64_t extent = static_cast<uint64_t>(mask.times - 1) * given.dstRepeat * written.unit + used;
    CheckOperand(core, {"dst", dst, extent, true, written.alignment}, call, vectorCall.page);
    CheckOperand(core, {"src", src, ExtentOf(strided, mask, lanes), false}, call, vectorCall.page);
    const uint32_t issued = core.Issue(Pipe::kVector, call, Work::Vector(mask.selected));
    const Writer writer{core, call, issued};
    Best all;
    for (uint32_t r = 0; r < mask.times; ++r) {
        const uint64_t (&bits)[2] = r + 1 == mask.times ? mask.last : mask.bits;
        alignas(32) uint8_t raw[kRepeatBytes] = {};
        Origin known[128];
        bool present[128];
        std::memset(known, UbShadow::kValue, sizeof(known));
        if (issued != 0) {
            ReadRepeat(core, strided, r, bits, lanes, issued, call);
        }
        Gather(core, strided, r, bits, lanes, raw, issued != 0 ? known : nullptr);
        float values[128];
        for (uint32_t lane = 0; lane < lanes; ++lane) {
            present[lane] = Selects(bits, lane);
            values[lane] = number.Get(raw + lane * element);
        }
        const uint32_t start = dst.addr + r * given.dstRepeat * written.unit;
        if (reduction.unit != ReduceUnit::kRepeat) {
            const uint32_t per = reduction.unit == ReduceUnit::kBlock ? lanes / 8 : 2;
            for (uint32_t first = 0; first < lanes; first += per) {
                bool any = false;
                Origin origin = UbShadow::kValue;
                Best best;
                for (uint32_t lane = first; lane < first + per; ++lane) {
                    any = any || present[lane];
                    origin = present[lane] ? Weaker(origin, known[lane]) : origin;
                    if (present[lane] && !sum) {
                        best.Offer(values[lane], lane, reduction.op == ReduceOp::kMax);
                    }
                }
                if (any) {
                    const float value = sum ? TreeSum(number, values + first, present + first, per) : best.value;
                    writer.Put(start + first / per * element, number.Bits(value), element, origin);
                }
            }
            continue;
        }
        Origin origin = UbShadow::kValue;
        for (uint32_t lane = 0; lane < lanes; ++lane) {
            if (present[lane] && known[lane] != UbShadow::kValue) {
                LetReduce(core, call, known[lane], r, lane);
                origin = Origins::IsOld(known[lane]) ? origin : Weaker(origin, known[lane]);
            }
        }
        if (sum) {
            writer.Put(start, number.Bits(TreeSum(number, values, present, lanes)), element, origin);
            continue;
        }
        Best best;
        for (uint32_t lane = 0; lane < lanes; ++lane) {
            if (present[lane]) {
                best.Offer(values[lane], lane, reduction.op == ReduceOp::kMax);
                all.Offer(values[lane], static_cast<uint64_t>(r) * lanes + lane, reduction.op == ReduceOp::kMax);
            }
        }
        const uint32_t valueAt = order == ReduceOrder::ORDER_INDEX_VALUE ? element : 0;
        if (order != ReduceOrder::ORDER_ONLY_INDEX) {
            writer.Put(start + valueAt, number.Bits(best.value), element, origin);
        }
        if (order == ReduceOrder::ORDER_ONLY_INDEX) {
            writer.Put(start, best.index, 4, origin);
        } else if (together) {
            writer.Put(start + (element - valueAt), best.index, element, origin);
        }
    }
    if (!sum && reduction.unit == ReduceUnit::kRepeat) {
        VectorRegisters& registers = core.registers.vector;
        registers.hasExtreme = all.any && !registers.counter && given.srcBlock[0] == 1 && given.srcRepeat[0] == 8;
        registers.hasExtremeIndex = registers.hasExtreme;
        registers.extreme = number.Bits(all.value);
        registers.extremeIndex = all.index;
    }
}

void ReduceAll(const VectorCall& vectorCall, ReduceOp op, Dtype type, const Ub& dst, const Ub& src, const Ub& work,
               int64_t count, const Repeats* given, int64_t times, bool calIndex) {
    const Call call = Of(vectorCall);
    Core& core = CurrentCore();
    core.Poll();
    const bool byCount = count >= 0 || given == nullptr;
    if (byCount ? count < 0 : times < 0) {
        Fail(call, kCount, "%s is %" PRId64, byCount ? "count" : "repeatTime", byCount ? count : times);
    }
    const Number number{type == Dtype::kHalf};
    const uint32_t element = number.Bytes();
    const uint32_t lanes = number.Lanes();
    MaskedLanes mask{};
    Strided strided{{"src", src, element * 8}, 1, 8};
    if (given != nullptr) {
        CheckStrides(call, 0, 0, given->srcRepeat[0]);
        Repeats repeats = *given;
        repeats.times = static_cast<uint32_t>(times);
        mask = core.registers.vector.Take(repeats, lanes, call);
        strided.repeat = given->srcRepeat[0];
    } else {
        core.registers.vector.ResetMask();
        const uint64_t n = static_cast<uint64_t>(count);
        mask.times = static_cast<uint32_t>(DivideUp(n, lanes));
        mask.selected = n;
        FirstLanes(lanes, mask.bits);
        FirstLanes(n == 0 ? 0 : (n - 1) % lanes + 1, mask.last);
    }
    if (mask.times == 0 || IsLeftOut(core, call)) {
        return;  // no repeats are documented as no operation on Atlas A2 and A3
    }
    const bool sum = op == ReduceOp::kSum;
    const bool m200 = std::strcmp(core.Request().soc->short_name, "ascend310p") == 0;
    const bool inOrder = sum && byCount && !m200;  // 方式一: sums of repeats are added one after another
    // what the page says of sharedTmpBuffer, in elements
    const uint64_t whole = byCount ? mask.selected / lanes : mask.times;
    const uint64_t perBlock = kBlockBytes / element;
    uint64_t needed = 0;
    if (sum) {
        needed = inOrder ? 0 : DivideUp(std::max<uint64_t>(whole, 1), perBlock) * perBlock;
    } else if (!calIndex) {
        needed = DivideUp(std::max<uint64_t>(whole, 1) * 2, perBlock) * perBlock;
    } else if (whole > 1) {
        uint64_t outputs = whole * 2;
        needed = DivideUp(outputs, perBlock) * perBlock;
        do {
            outputs = DivideUp(outputs, lanes) * 2;
            needed += DivideUp(outputs, perBlock) * perBlock;
        } while (outputs > 2);
    }
    const uint64_t room = needed * element;
    const uint64_t has = BytesLeft(work);
    if (has < room) {
        Fail(call, kWork, "%" PRIu64 " bytes are needed, sharedTmpBuffer has %" PRIu64, room, has);
    }
    CheckOperand(core, {"src", src, ExtentOf(strided, mask, lanes), false}, call, vectorCall.page);
    if (room != 0) {
        CheckOperand(core, {"sharedTmpBuffer", work, room, true}, call, vectorCall.page);
    }
    const uint32_t written = element * (calIndex ? 2 : 1);
    CheckOperand(core, {"dst", dst, written, true, written}, call, vectorCall.page);
    const uint32_t issued = core.Issue(Pipe::kVector, call, Work::Vector(mask.selected));
    std::vector<float> sums;
    Best best;
    Origin origin = UbShadow::kValue;
    for (uint32_t r = 0; r < mask.times; ++r) {
        const uint64_t (&bits)[2] = r + 1 == mask.times ? mask.last : mask.bits;
        alignas(32) uint8_t raw[kRepeatBytes] = {};
        Origin known[128];
        bool present[128];
        std::memset(known, UbShadow::kValue, sizeof(known));
        if (issued != 0) {
            ReadRepeat(core, strided, r, bits, lanes, issued, call);
        }
        Gather(core, strided, r, bits, lanes, raw, issued != 0 ? known : nullptr);
        float values[128];
        for (uint32_t lane = 0; lane < lanes; ++lane) {
            present[lane] = Selects(bits, lane);
            if (present[lane] && known[lane] != UbShadow::kValue) {
                LetReduce(core, call, known[lane], r, lane);
                origin = Origins::IsOld(known[lane]) ? origin : Weaker(origin, known[lane]);
            }
            values[lane] = number.Get(raw + lane * element);
            if (present[lane] && !sum) {
                best.Offer(values[lane], static_cast<uint64_t>(r) * strided.repeat * perBlock + lane,
                           op == ReduceOp::kMax);
            }
        }
        if (sum) {
            sums.push_back(TreeSum(number, values, present, lanes));
        }
    }
    if (calIndex && number.half && best.index > 65535) {
        Fail(call, kHalfIndex, "the index is %" PRIu64, best.index);
    }
    float value = best.value;
    if (inOrder) {
        value = sums[0];
        for (size_t i = 1; i < sums.size(); ++i) {
            value = number.Rounded(value + sums[i]);
        }
    } else if (sum) {
        value = TreeSum(number, sums);
    }
    if (issued != 0 && room != 0) {
        core.memory.shadow.Write(core.order.clocks, Pipe::kVector, issued, work.addr,
                                 static_cast<uint32_t>(work.addr + room), call);
        core.memory.shadow.Undefine(work.addr, room);
    }
    const Writer writer{core, call, issued};
    writer.Put(dst.addr, number.Bits(value), element, origin);
    if (calIndex) {
        writer.Put(dst.addr + element, best.index, element, origin);
    }
    VectorRegisters& registers = core.registers.vector;
    if (sum && byCount) {
        registers.hasSum = true;
        registers.sum = number.Bits(value);
    } else if (!sum) {
        registers.hasExtreme = strided.repeat == 8;
        registers.hasExtremeIndex = false;
        registers.extreme = number.Bits(value);
    }
}

uint64_t ReducedSum(Dtype, const VectorCall& vectorCall) {
    const Core& core = CurrentCore();
    if (!core.registers.vector.hasSum) {
        Fail(Of(vectorCall), kNothing, "no ReduceSum by count has been called");
    }
    return core.registers.vector.sum;
}

uint64_t ReducedExtreme(Dtype, uint64_t* index, const VectorCall& vectorCall) {
    const Core& core = CurrentCore();
    if (!core.registers.vector.hasExtreme) {
        Fail(Of(vectorCall), kNothing, "no reduction to the greatest or least of contiguous repeats has been called");
    }
    if (index != nullptr) {
        if (!core.registers.vector.hasExtremeIndex) {
            Fail(Of(vectorCall), kNoIndex, "the last reduction was ReduceMax or ReduceMin");
        }
        *index = core.registers.vector.extremeIndex;
    }
    return core.registers.vector.extreme;
}

}  // namespace sim
