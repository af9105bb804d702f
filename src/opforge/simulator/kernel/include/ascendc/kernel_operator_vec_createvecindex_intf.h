// CreateVecIndex.
// Documentation: SIMD-API/基础API/Memory矢量计算/数据填充/CreateVecIndex
#ifndef ASCENDC_KERNEL_OPERATOR_VEC_CREATEVECINDEX_INTF_H
#define ASCENDC_KERNEL_OPERATOR_VEC_CREATEVECINDEX_INTF_H

#ifndef ASCENDC_SIM_PUBLIC_HEADER
#define ASCENDC_SIM_PUBLIC_HEADER
#endif
#include "kernel_tensor.h"
#include "sim/index.h"

namespace sim {

template <typename T>
constexpr void CheckCreateVecIndex() {
    static_assert(
        kOneOf<T, int16_t, half, int32_t, float>,
        "CreateVecIndex: the data type is not one of int16_t, half, int32_t, float (数据填充/CreateVecIndex)");
}

}  // namespace sim

namespace AscendC {

// firstValue, firstValue + 1, ...
template <typename T>
void CreateVecIndex(LocalTensor<T> dst, const T& firstValue, uint32_t count, sim::Site site = sim::Site::Here()) {
    sim::CheckCreateVecIndex<T>();
    sim::CreateIndex({"CreateVecIndex", "数据填充/CreateVecIndex", site}, sim::kDtype<T>, dst.Place(),
                     sim::ScalarBits(firstValue), count);
}

template <typename T>
void CreateVecIndex(LocalTensor<T>& dst, const T& firstValue, uint64_t mask, const sim::RepeatTime repeatTime,
                    uint16_t dstBlkStride, uint8_t dstRepStride, sim::Site site = sim::Site::Here()) {
    sim::CheckCreateVecIndex<T>();
    sim::CreateIndexRepeats({"CreateVecIndex", "数据填充/CreateVecIndex", site}, sim::kDtype<T>, dst.Place(),
                            sim::ScalarBits(firstValue), {mask, nullptr}, repeatTime, dstBlkStride, dstRepStride);
}

template <typename T>
void CreateVecIndex(LocalTensor<T>& dst, const T& firstValue, uint64_t mask[], const sim::RepeatTime repeatTime,
                    uint16_t dstBlkStride, uint8_t dstRepStride, sim::Site site = sim::Site::Here()) {
    sim::CheckCreateVecIndex<T>();
    sim::CreateIndexRepeats({"CreateVecIndex", "数据填充/CreateVecIndex", site}, sim::kDtype<T>, dst.Place(),
                            sim::ScalarBits(firstValue), {0, mask}, repeatTime, dstBlkStride, dstRepStride);
}

}  // namespace AscendC

#endif
