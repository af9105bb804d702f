// From the mask and repeat parameters of the high-dimensional forms to what the engine runs.
// Documentation: SIMD-API/基础API/Memory矢量计算/SIMD计算说明/高维切分 and 掩码
#include "private.h"
#ifndef ASCENDC_SIM_REPEATS_H
#define ASCENDC_SIM_REPEATS_H

#include "engine.h"

namespace sim {

// The first `lanes` lanes.
inline void FirstLanes(uint64_t lanes, uint64_t (&mask)[2]) {
    mask[0] = lanes >= 64 ? ~0ull : (1ull << lanes) - 1;
    mask[1] = lanes >= 128 ? ~0ull : (lanes > 64 ? (1ull << (lanes - 64)) - 1 : 0);
}

template <typename Params>
Repeats UnaryRepeats(const uint64_t* mask, uint64_t lanes, uint8_t times, const Params& params) {
    Repeats repeats{
        {0, 0}, times, params.dstBlkStride, {params.srcBlkStride, 0}, params.dstRepStride, {params.srcRepStride, 0}};
    if (mask != nullptr) {
        repeats.mask[0] = mask[0];
        repeats.mask[1] = mask[1];
    } else {
        FirstLanes(lanes, repeats.mask);
    }
    repeats.lanes = mask != nullptr ? 0 : lanes;
    return repeats;
}

template <typename Params>
Repeats BinaryRepeats(const uint64_t* mask, uint64_t lanes, uint8_t times, const Params& params) {
    Repeats repeats{{0, 0},
                    times,
                    params.dstBlkStride,
                    {params.src0BlkStride, params.src1BlkStride},
                    params.dstRepStride,
                    {params.src0RepStride, params.src1RepStride}};
    if (mask != nullptr) {
        repeats.mask[0] = mask[0];
        repeats.mask[1] = mask[1];
    } else {
        FirstLanes(lanes, repeats.mask);
    }
    repeats.lanes = mask != nullptr ? 0 : lanes;
    return repeats;
}

}  // namespace sim

#endif
