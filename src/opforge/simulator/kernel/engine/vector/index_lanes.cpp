#include "index_lanes.h"

#include <algorithm>
#include <cinttypes>

#include "sim/vector.h"

namespace sim {
namespace {

constexpr Rule kCount = {"element-count", "count is the number of elements from the start of the tensors",
                         "基础API/Memory矢量计算/SIMD计算说明/连续计算"};

}  // namespace

std::vector<IndexLane> CountLanes(const Instruction& in, int64_t count) {
    // no unified buffer has so many, and the operands' bounds would be looked at only after all of them are listed
    if (count < 0 || static_cast<uint64_t>(count) > in.On().UbBytes()) {
        Fail(in.Where(), kCount, "count is %" PRId64, count);
    }
    std::vector<IndexLane> lanes(static_cast<size_t>(count));
    for (uint32_t i = 0; i < lanes.size(); ++i) {
        lanes[i] = {i, i};
    }
    return lanes;
}

std::vector<IndexLane> RepeatLanes(const Instruction& in, uint32_t elementBytes, const MaskArgs& mask, uint32_t times,
                                   uint32_t block, uint32_t repeat) {
    const uint32_t each = 256 / elementBytes;
    const uint32_t perBlock = 32 / elementBytes;
    Repeats repeats{};
    repeats.from = mask.bits != nullptr ? MaskFrom::kBits : MaskFrom::kLanes;
    repeats.mask[0] = mask.bits != nullptr ? mask.bits[0] : mask.lanes;
    repeats.mask[1] = mask.bits != nullptr && elementBytes == 2 ? mask.bits[1] : 0;
    repeats.times = times;
    const MaskedLanes taken = in.On().registers.vector.Take(repeats, each, in.Where());
    std::vector<IndexLane> lanes;
    for (uint32_t r = 0; r < taken.times; ++r) {
        for (uint32_t i = 0; i < each; ++i) {
            if (Selects(r + 1 == taken.times ? taken.last : taken.bits, i)) {
                lanes.push_back({r * each + i, (r * repeat + i / perBlock * block) * perBlock + i % perBlock});
            }
        }
    }
    return lanes;
}

uint64_t Reach(const std::vector<IndexLane>& lanes, uint32_t elementBytes) {
    uint64_t last = 0;
    for (const IndexLane& lane : lanes) {
        last = std::max<uint64_t>(last, lane.element + 1ull);
    }
    return last * elementBytes;
}

}  // namespace sim
