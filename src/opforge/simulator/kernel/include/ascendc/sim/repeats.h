// From the mask and repeat parameters of the high-dimensional forms to what the engine runs.
// Documentation: SIMD-API/基础API/Memory矢量计算/SIMD计算说明/高维切分 and 掩码
#include "private.h"
#ifndef ASCENDC_SIM_REPEATS_H
#define ASCENDC_SIM_REPEATS_H

#include "vector.h"

namespace AscendC {

// What stands for a mask where isSetMask is false. Documentation: SIMD计算说明/掩码
constexpr uint64_t MASK_PLACEHOLDER = 0;
constexpr uint64_t MASK_PLACEHOLDER_LIST[2] = {0, 0};

// What kernels call the numbers of 高维切分: a repeat is 8 blocks of 32 bytes, and there are at most 255.
constexpr int32_t DEFAULT_BLK_NUM = 8;
constexpr int32_t DEFAULT_BLK_STRIDE = 1;
constexpr uint8_t DEFAULT_REPEAT_STRIDE = 8;
constexpr uint8_t HALF_DEFAULT_REPEAT_STRIDE = 4;
#ifndef ASCC_PARAM_ONE_BLK_SIZE
#define ASCC_PARAM_ONE_BLK_SIZE
constexpr uint16_t ONE_BLK_SIZE = 32;
#endif
constexpr uint16_t ONE_REPEAT_BYTE_SIZE = 256;
constexpr int32_t MAX_REPEAT_TIMES = 255;
constexpr uint64_t FULL_MASK = 0xffffffffffffffff;

}  // namespace AscendC

namespace sim {

// The parameter `mask` of a call's two forms: a number of lanes, or words with a bit for each. `Word` is const where
// the documented array is; a call that CANN refuses because of a const array is refused here too.
template <typename Word, typename Lanes>
struct MaskOf {
    constexpr MaskOf(Lanes count) : lanes(static_cast<uint64_t>(count)) {}
    constexpr MaskOf(Word* words) : bits(words) {}

    uint64_t lanes = 0;
    Word* bits = nullptr;
};
using Mask = MaskOf<uint64_t, uint64_t>;
using ConstMask = MaskOf<const uint64_t, uint64_t>;
using ConstMask32 = MaskOf<const uint64_t, int32_t>;

// A mask of either kind, as an argument of a call.
struct MaskArgument {
    template <typename Word, typename Lanes>
    MaskArgument(bool set, const MaskOf<Word, Lanes>& mask)
        : MaskArgument(mask.bits != nullptr ? MaskArgument(set, mask.bits) : MaskArgument(set, mask.lanes)) {}
    MaskArgument(bool set, uint64_t lanes) : mask{lanes, 0}, from(set ? MaskFrom::kLanes : MaskFrom::kRegister) {}
    MaskArgument(bool set, const uint64_t* bits)
        : mask{set ? bits[0] : 0, set ? bits[1] : 0}, from(set ? MaskFrom::kBits : MaskFrom::kRegister) {}

    uint64_t mask[2];
    MaskFrom from;
};

template <typename Params>
Repeats UnaryRepeats(const MaskArgument& mask, uint32_t times, const Params& params) {
    return {{mask.mask[0], mask.mask[1]},
            mask.from,
            times,
            params.dstBlkStride,
            {params.srcBlkStride, 0},
            params.dstRepStride,
            {params.srcRepStride, 0}};
}

template <typename Params>
Repeats BinaryRepeats(const MaskArgument& mask, uint32_t times, const Params& params) {
    return {{mask.mask[0], mask.mask[1]},
            mask.from,
            times,
            params.dstBlkStride,
            {params.src0BlkStride, params.src1BlkStride},
            params.dstRepStride,
            {params.src0RepStride, params.src1RepStride}};
}

// The form by count with isSetMask = false: what the register selects, from one repeat on or in counter mode as many as
// it says. `dstBytes` and `srcBytes` of an element.
inline Repeats RegisterRepeats(uint32_t dstBytes, uint32_t srcBytes) {
    const uint32_t widest = dstBytes > srcBytes ? dstBytes : srcBytes;
    const uint32_t dst = 8 * dstBytes / widest;
    const uint32_t src = 8 * srcBytes / widest;
    return {{0, 0}, MaskFrom::kRegister, 1, 1, {1, 1}, dst, {src, src}};
}

}  // namespace sim

#endif
