// Brcb and Copy: they fill data blocks.
// Documentation: SIMD-API/基础API/Memory矢量计算/数据填充, 数据搬运/Copy（UBToUB掩码式高维数据搬运）
#ifndef ASCENDC_KERNEL_OPERATOR_VEC_BRCB_INTF_H
#define ASCENDC_KERNEL_OPERATOR_VEC_BRCB_INTF_H

#ifndef ASCENDC_SIM_PUBLIC_HEADER
#define ASCENDC_SIM_PUBLIC_HEADER
#endif
#include "kernel_tensor.h"
#include "sim/repeats.h"

namespace AscendC {

// Numbers of CANN's own headers that operators use: the elements of a block, and those that a Brcb spreads.
constexpr uint32_t ONE_BLK_HALF_NUM = ONE_BLK_SIZE / sizeof(uint16_t);
constexpr uint32_t ONE_BLK_FLOAT_NUM = ONE_BLK_SIZE / sizeof(float);
constexpr uint32_t BRCB_BROADCAST_NUMBER = 8;

struct BrcbRepeatParams {
    BrcbRepeatParams() = default;
    BrcbRepeatParams(const uint16_t dstBlock, const uint16_t dstRepeat)
        : dstRepStride(dstRepeat), dstBlkStride(dstBlock) {}

    uint32_t blockNumber = 8;
    uint16_t dstRepStride = 8;
    uint16_t dstBlkStride = 1;
};

// Each of eight elements a repeat fills a block of dst.
template <typename T>
void Brcb(const LocalTensor<T>& dst, const LocalTensor<T>& src, const sim::RepeatTime repeatTime,
          const BrcbRepeatParams& repeatParams, sim::Site site = sim::Site::Here()) {
    static_assert(sim::kListed<T, sim::A2<int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float>,
                               sim::M200<int16_t, uint16_t, half, int32_t, uint32_t, float>>,
                  "Brcb: the data type is not one of int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float "
                  "(数据填充/Brcb)");
    sim::BroadcastBlocks({"Brcb", "数据填充/Brcb", site}, sizeof(T), dst.Place(), src.Place(), repeatTime,
                         repeatParams.dstBlkStride, repeatParams.dstRepStride);
}

template <typename T, bool isSetMask = true>
void Copy(const LocalTensor<T>& dst, const LocalTensor<T>& src, const sim::ConstMask& mask,
          const sim::RepeatTime repeatTime, const CopyRepeatParams& repeatParams, sim::Site site = sim::Site::Here()) {
    static_assert(sim::kOneOf<T, int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float>,
                  "Copy: the data type is not one of int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float "
                  "(数据搬运/Copy（UBToUB掩码式高维数据搬运）)");
    static_assert(sim::kNotOnM200<T>, "Copy: not there on ascend310p (数据搬运/Copy（UBToUB掩码式高维数据搬运）)");
    const sim::MaskArgument argument(isSetMask, mask);
    sim::CopyLanes({"Copy", "数据搬运/Copy（UBToUB掩码式高维数据搬运）", site}, sizeof(T), dst.Place(), src.Place(),
                   {{argument.mask[0], argument.mask[1]},
                    argument.from,
                    repeatTime,
                    repeatParams.dstStride,
                    {repeatParams.srcStride, 0},
                    repeatParams.dstRepeatSize,
                    {repeatParams.srcRepeatSize, 0}});
}

}  // namespace AscendC

#endif
