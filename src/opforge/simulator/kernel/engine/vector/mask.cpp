// The mask of the vector unit: which lanes of a repeat, or in counter mode how many elements, take part.
// Documentation: 基础API/Memory矢量计算/SIMD计算说明/掩码, 基础API/Memory矢量计算/掩码操作
#include <cinttypes>

#include "core.h"
#include "sim/vector.h"

namespace sim {
namespace {

constexpr Rule kRepeats = {"repeat-times", "repeatTime is 0 to 255", "基础API/Memory矢量计算/SIMD计算说明/高维切分",
                           "a loop over calls of at most 255 repeats, or the form by count"};
constexpr Rule kMask = {"mask-lanes", "a mask selects at most 256 / sizeof(T) lanes",
                        "基础API/Memory矢量计算/SIMD计算说明/掩码"};

uint64_t Count(const uint64_t (&mask)[2]) {
    return static_cast<uint64_t>(__builtin_popcountll(mask[0])) + static_cast<uint64_t>(__builtin_popcountll(mask[1]));
}

}  // namespace

int32_t PrefixOf(const uint64_t (&mask)[2]) {
    if (mask[0] == ~0ull) {
        return (mask[1] & (mask[1] + 1)) == 0 ? 64 + __builtin_popcountll(mask[1]) : -1;
    }
    return mask[1] == 0 && (mask[0] & (mask[0] + 1)) == 0 ? __builtin_popcountll(mask[0]) : -1;
}

MaskedLanes VectorRegisters::Take(const Repeats& repeats, uint32_t lanes, const Call& call) {
    if (repeats.from == MaskFrom::kBits || (repeats.from == MaskFrom::kLanes && counter)) {
        mask[0] = repeats.mask[0];
        mask[1] = repeats.mask[1];
    } else if (repeats.from == MaskFrom::kLanes) {
        if (repeats.mask[0] > lanes) {
            Fail(call, kMask, "the mask selects %" PRIu64 " lanes, a repeat has %u", repeats.mask[0], lanes);
        }
        FirstLanes(repeats.mask[0], mask);
    }
    uint64_t all[2];
    FirstLanes(lanes, all);
    MaskedLanes result{};
    if (counter) {
        const uint64_t elements = mask[0] & 0xffffffffu;
        result.times = static_cast<uint32_t>((elements + lanes - 1) / lanes);
        result.selected = elements;
        FirstLanes(lanes, result.bits);
        FirstLanes(elements == 0 ? 0 : (elements - 1) % lanes + 1, result.last);
        return result;
    }
    result.times = repeats.times;
    for (int i = 0; i < 2; ++i) {
        result.bits[i] = result.last[i] = mask[i] & all[i];
    }
    result.selected = Count(result.bits) * repeats.times;
    if (result.selected == 0) {
        result.times = 0;  // documented as no operation
    }
    return result;
}

// Masks of a cube core mean nothing and harm nothing.
void SetMaskMode(bool counter) { CurrentCore().registers.vector.counter = counter; }

void SetMask(uint64_t high, uint64_t low) {
    VectorRegisters& registers = CurrentCore().registers.vector;
    registers.mask[0] = low;
    registers.mask[1] = high;
}

void SetMaskLength(int64_t length, bool counter, uint32_t bytes, const VectorCall& vectorCall) {
    const Call call{vectorCall.api, vectorCall.site};
    if (length < 0 || (!counter && length > 256 / static_cast<int64_t>(bytes))) {
        Fail(call, kMask, "the mask selects %" PRId64 " lanes, a repeat has %u", length, 256 / bytes);
    }
    const uint64_t lanes = static_cast<uint64_t>(length);
    uint64_t bits[2] = {lanes, 0};
    if (!counter) {
        FirstLanes(lanes, bits);
    }
    SetMask(bits[1], bits[0]);
}

void TooManyRepeats(int64_t times, Site site) {
    Fail({"repeatTime", site, Pipe::kVector}, kRepeats, "%" PRId64 " would be %u in the parameter's 8 bits", times,
         static_cast<unsigned>(times & 0xff));
}

}  // namespace sim
