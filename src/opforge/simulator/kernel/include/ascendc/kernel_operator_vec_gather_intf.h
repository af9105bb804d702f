// Gather, Gatherb, GatherMask and Scatter.
// Documentation: SIMD-API/基础API/Memory矢量计算/离散与聚合, 比较与选择/GatherMask
#ifndef ASCENDC_KERNEL_OPERATOR_VEC_GATHER_INTF_H
#define ASCENDC_KERNEL_OPERATOR_VEC_GATHER_INTF_H

#ifndef ASCENDC_SIM_PUBLIC_HEADER
#define ASCENDC_SIM_PUBLIC_HEADER
#endif
#include "kernel_tensor.h"
#include "sim/index.h"

namespace AscendC {

struct GatherRepeatParams {
    GatherRepeatParams() = default;
    GatherRepeatParams(uint8_t dstBlock, uint8_t dstRepeat) : dstRepStride(dstRepeat), dstBlkStride(dstBlock) {}

    uint32_t blockNumber = 8;
    uint16_t dstRepStride = 8;
    uint8_t dstBlkStride = 1;
    // not used
    uint8_t src0BlkStride = 1;
    uint8_t src1BlkStride = 1;
    uint8_t src0RepStride = 8;
    uint8_t src1RepStride = 8;
    bool repeatStrideMode = false;
    bool strideSizeMode = false;
};

enum class GatherMaskMode : uint8_t { VERSION_V1 = 0, VERSION_V2 };
constexpr GatherMaskMode defaultGatherMaskMode = sim::kOnM200 ? GatherMaskMode::VERSION_V1 : GatherMaskMode::VERSION_V2;
constexpr GatherMaskMode defaultGahterMaskMode = defaultGatherMaskMode;

struct GatherMaskParams {
    GatherMaskParams() = default;
    GatherMaskParams(uint8_t block, uint16_t times, uint16_t repeat, uint8_t pattern)
        : src0BlockStride(block), repeatTimes(times), src0RepeatStride(repeat), src1RepeatStride(pattern) {}

    uint8_t src0BlockStride = 1;
    uint16_t repeatTimes = 0;
    uint16_t src0RepeatStride = 8;
    uint8_t src1RepeatStride = 8;
};

}  // namespace AscendC

namespace sim {

template <typename T>
constexpr void CheckGather() {
    static_assert(kListed<T, A2<int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float>,
                          M200<int16_t, uint16_t, half, int32_t, uint32_t, float>>,
                  "Gather: the data type is not in the list of 离散与聚合/Gather");
}

template <typename T>
constexpr void CheckScatter() {
    static_assert(kListed<T, A2<>, M200<uint16_t, half, uint32_t, float>>,
                  "Scatter: Atlas A2 and A3 have none, and the data type must be in the list of "
                  "离散与聚合/Scatter(ISASI)");
}

template <typename T>
constexpr void CheckGatherMask() {
    static_assert(kListed<T, A2<int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float>,
                          M200<int16_t, uint16_t, half, int32_t, uint32_t, float>>,
                  "GatherMask: the data type is not in the list of 比较与选择/GatherMask");
}

}  // namespace sim

namespace AscendC {

// dst[i] is the element of src at the byte srcBaseAddr + srcOffset[i].
template <typename T>
void Gather(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint32_t>& srcOffset,
            const uint32_t srcBaseAddr, const uint32_t count, sim::Site site = sim::Site::Here()) {
    sim::CheckGather<T>();
    sim::Gather({"Gather", "离散与聚合/Gather", site},
                {sizeof(T), dst.Place(), src.Place(), srcOffset.Place(), srcBaseAddr, count, nullptr, 0, 0});
}

template <typename T>
void Gather(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint32_t>& srcOffset,
            const uint32_t srcBaseAddr, const uint64_t mask, const sim::RepeatTime repeatTime,
            const uint16_t dstRepStride, sim::Site site = sim::Site::Here()) {
    sim::CheckGather<T>();
    const sim::MaskArgs lanes{mask, nullptr};
    sim::Gather({"Gather", "离散与聚合/Gather", site}, {sizeof(T), dst.Place(), src.Place(), srcOffset.Place(),
                                                        srcBaseAddr, -1, &lanes, repeatTime, dstRepStride});
}

template <typename T>
void Gather(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint32_t>& srcOffset,
            const uint32_t srcBaseAddr, const uint64_t mask[], const sim::RepeatTime repeatTime,
            const uint16_t dstRepStride, sim::Site site = sim::Site::Here()) {
    sim::CheckGather<T>();
    const sim::MaskArgs lanes{0, mask};
    sim::Gather({"Gather", "离散与聚合/Gather", site}, {sizeof(T), dst.Place(), src.Place(), srcOffset.Place(),
                                                        srcBaseAddr, -1, &lanes, repeatTime, dstRepStride});
}

// Blocks of 32 bytes from the bytes offset[i] of src, eight a repeat.
template <typename T>
void Gatherb(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint32_t>& offset,
             const sim::RepeatTime repeatTime, const GatherRepeatParams& repeatParams,
             sim::Site site = sim::Site::Here()) {
    static_assert(sim::kListed<T, sim::A2<uint16_t, uint32_t>, sim::M200<>>,
                  "Gatherb: the data type is not one of uint16_t, uint32_t, or the product has none "
                  "(离散与聚合/Gatherb(ISASI))");
    sim::GatherBlocks({"Gatherb", "离散与聚合/Gatherb(ISASI)", site}, dst.Place(), src.Place(), offset.Place(),
                      repeatTime, repeatParams.dstBlkStride, repeatParams.dstRepStride);
}

// The elements whose bit of the pattern is set, one behind the other.
template <typename T, GatherMaskMode mode = defaultGatherMaskMode>
void GatherMask(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const uint8_t src1Pattern, const bool reduceMode,
                const uint32_t mask, const GatherMaskParams& gatherMaskParams, uint64_t& rsvdCnt,
                sim::Site site = sim::Site::Here()) {
    sim::CheckGatherMask<T>();
    const GatherMaskParams& p = gatherMaskParams;
    rsvdCnt = sim::GatherMask({"GatherMask", "比较与选择/GatherMask", site}, dst.Place(), src0.Place(),
                              {sizeof(T), nullptr, src1Pattern, sim::kOnM200 ? 6u : 7u, reduceMode, sim::kOnM200, mask,
                               p.src0BlockStride, p.repeatTimes, p.src0RepeatStride, 0});
}

template <typename T, typename U, GatherMaskMode mode = defaultGatherMaskMode>
void GatherMask(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<U>& src1Pattern,
                const bool reduceMode, const uint32_t mask, const GatherMaskParams& gatherMaskParams, uint64_t& rsvdCnt,
                sim::Site site = sim::Site::Here()) {
    sim::CheckGatherMask<T>();
    static_assert(sizeof(T) == 2 ? sim::kOneOf<U, uint16_t> : sim::kOneOf<U, uint32_t>,
                  "GatherMask: the pattern is not of the unsigned type as wide as the data (比较与选择/GatherMask)");
    const GatherMaskParams& p = gatherMaskParams;
    rsvdCnt = sim::GatherMask({"GatherMask", "比较与选择/GatherMask", site}, dst.Place(), src0.Place(),
                              {sizeof(T), &src1Pattern.Place(), 0, 0, reduceMode, sim::kOnM200, mask, p.src0BlockStride,
                               p.repeatTimes, p.src0RepeatStride, p.src1RepeatStride});
}

// How many elements the last GatherMask has kept.
inline int64_t GetGatherMaskRemainCount() { return static_cast<int64_t>(sim::GatherMaskCount()); }

// The element of dst at the byte dstBaseAddr + dstOffset[i] becomes src[i].
template <typename T>
void Scatter(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint32_t>& dstOffset,
             const uint32_t dstBaseAddr, const uint32_t count, sim::Site site = sim::Site::Here()) {
    sim::CheckScatter<T>();
    sim::Scatter({"Scatter", "离散与聚合/Scatter(ISASI)", site},
                 {sizeof(T), dst.Place(), src.Place(), dstOffset.Place(), dstBaseAddr, count, nullptr, 0, 0});
}

template <typename T>
void Scatter(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint32_t>& dstOffset,
             const uint32_t dstBaseAddr, const uint64_t mask, const sim::RepeatTime repeatTime,
             const uint8_t srcRepStride, sim::Site site = sim::Site::Here()) {
    sim::CheckScatter<T>();
    const sim::MaskArgs lanes{mask, nullptr};
    sim::Scatter(
        {"Scatter", "离散与聚合/Scatter(ISASI)", site},
        {sizeof(T), dst.Place(), src.Place(), dstOffset.Place(), dstBaseAddr, -1, &lanes, repeatTime, srcRepStride});
}

template <typename T>
void Scatter(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint32_t>& dstOffset,
             const uint32_t dstBaseAddr, const uint64_t mask[], const sim::RepeatTime repeatTime,
             const uint8_t srcRepStride, sim::Site site = sim::Site::Here()) {
    sim::CheckScatter<T>();
    const sim::MaskArgs lanes{0, mask};
    sim::Scatter(
        {"Scatter", "离散与聚合/Scatter(ISASI)", site},
        {sizeof(T), dst.Place(), src.Place(), dstOffset.Place(), dstBaseAddr, -1, &lanes, repeatTime, srcRepStride});
}

}  // namespace AscendC

#endif
