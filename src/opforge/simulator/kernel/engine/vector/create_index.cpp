// CreateVecIndex and Arange: ascending values.
// Documentation: 基础API/Memory矢量计算/数据填充/CreateVecIndex, 高阶API/索引计算/Arange-94
#include <algorithm>
#include <cinttypes>
#include <cstring>

#include "arithmetic.h"
#include "half_lanes.h"
#include "index_lanes.h"
#include "instruction.h"
#include "loops.h"
#include "sim/index.h"

namespace sim {
namespace {

constexpr Rule kLength = {"arange-count", "count is at least 1", "高阶API/索引计算/Arange-94"};
constexpr Rule kStep = {"arange-step", "diffValue is at least 0", "高阶API/索引计算/Arange-94"};

uint16_t HalfOf(float value) {
    uint16_t bits;
    FloatToHalf(&value, &bits, 1);
    return bits;
}

// first + i in the type's arithmetic: half in float, rounded once.
void Put(Dtype type, uint8_t* at, uint64_t first, uint64_t i) {
    const auto put = [&](auto value) { std::memcpy(at, &value, sizeof(value)); };
    switch (type) {
        case Dtype::kHalf:
            put(HalfOf(HalfValue(static_cast<uint16_t>(first)) + static_cast<float>(i)));
            break;
        case Dtype::kFloat:
            put(ScalarOf<float>(first) + static_cast<float>(i));
            break;
        case Dtype::kInt16:
            put(static_cast<uint16_t>(first + i));
            break;
        default:
            put(static_cast<uint32_t>(first + i));
    }
}

void Fill(Instruction& in, Dtype type, const Ub& dst, uint64_t first, const std::vector<IndexLane>& lanes) {
    if (lanes.empty()) {
        return;  // documented as no operation on Atlas A2 and A3
    }
    const uint32_t bytes = BytesOf(type);
    auto* to = in.Writes("dst", dst, Reach(lanes, bytes));
    in.Issue(lanes.size());
    for (const IndexLane& lane : lanes) {
        Put(type, to + static_cast<uint64_t>(lane.element) * bytes, first, lane.index);
        in.Define(dst, bytes, static_cast<uint64_t>(lane.element) * bytes);
    }
}

// Blocks of 32 bytes grow out of each other as documented: `first` to `first + 7 * step` or so by the scalar unit, each
// further block of the first 256 bytes from the one before, each further 256 bytes from those before. half rounds each.
template <typename T, typename Read, typename Write>
void Grow(T* to, uint64_t count, Read read, Write write, const T& first, const T& step) {
    const uint64_t block = 32 / sizeof(T);
    const uint64_t repeat = 256 / sizeof(T);
    for (uint64_t i = 0; i < count; ++i) {
        if (i < block) {
            to[i] = write(read(first) + read(step) * static_cast<decltype(read(step))>(i));
        } else {
            const uint64_t back = i < repeat ? block : repeat;
            to[i] = write(read(to[i - back]) + read(write(read(step) * static_cast<decltype(read(step))>(back))));
        }
    }
}

}  // namespace

void CreateIndex(const VectorCall& call, Dtype type, const Ub& dst, uint64_t first, int64_t count) {
    Instruction in(call);
    Fill(in, type, dst, first, CountLanes(in, count));
}

void CreateIndexRepeats(const VectorCall& call, Dtype type, const Ub& dst, uint64_t first, const MaskArgs& mask,
                        uint32_t times, uint32_t block, uint32_t repeat) {
    Instruction in(call);
    Fill(in, type, dst, first, RepeatLanes(in, BytesOf(type), mask, times, block, repeat));
}

void Arange(const VectorCall& call, Dtype type, const Ub& dst, uint64_t first, uint64_t step, int64_t count) {
    Instruction in(call);
    if (count < 1) {
        Fail(in.Where(), kLength, "count is %" PRId64, count);
    }
    const uint64_t n = static_cast<uint64_t>(count);
    const uint32_t bytes = BytesOf(type);
    const auto negative = [&](double value) {
        if (value < 0) {
            Fail(in.Where(), kStep, "diffValue is %g", value);
        }
    };
    auto* to = in.Writes("dst", dst, n * bytes);
    in.Issue(n);
    const auto same = [](auto value) { return value; };
    switch (type) {
        case Dtype::kHalf:
            negative(static_cast<double>(HalfValue(static_cast<uint16_t>(step))));
            Grow<uint16_t>(
                reinterpret_cast<uint16_t*>(to), n, [](uint16_t bits) { return HalfValue(bits); }, HalfOf,
                static_cast<uint16_t>(first), static_cast<uint16_t>(step));
            break;
        case Dtype::kFloat:
            negative(static_cast<double>(ScalarOf<float>(step)));
            Grow<float>(reinterpret_cast<float*>(to), n, same, same, ScalarOf<float>(first), ScalarOf<float>(step));
            break;
        case Dtype::kInt16:
            negative(ScalarOf<int16_t>(step));
            Grow<uint16_t>(
                reinterpret_cast<uint16_t*>(to), n, [](uint16_t v) { return static_cast<uint32_t>(v); },
                [](uint32_t v) { return static_cast<uint16_t>(v); }, static_cast<uint16_t>(first),
                static_cast<uint16_t>(step));
            break;
        default:
            negative(ScalarOf<int32_t>(step));
            Grow<uint32_t>(reinterpret_cast<uint32_t*>(to), n, same, same, static_cast<uint32_t>(first),
                           static_cast<uint32_t>(step));
    }
    in.Define(dst, n * bytes);
}

}  // namespace sim
