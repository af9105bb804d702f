// DataCopy and DataCopyPad between global memory and the unified buffer.
// Documentation: SIMD-API/基础API/Memory矢量计算/数据搬运
#ifndef ASCENDC_KERNEL_OPERATOR_DATA_COPY_INTF_H
#define ASCENDC_KERNEL_OPERATOR_DATA_COPY_INTF_H

#ifndef ASCENDC_SIM_PUBLIC_HEADER
#define ASCENDC_SIM_PUBLIC_HEADER
#endif
#include "kernel_tensor.h"

namespace sim {

template <typename T>
inline constexpr bool kCopyable = kOneOf<T, int8_t, uint8_t, int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t,
                                         float, int64_t, uint64_t, double>;

inline constexpr uint32_t kBlockBytes = 32;

// Lengths and gaps of `params` count 32-byte blocks (DataCopy（GM与UB高维切分数据搬运）).
inline Bursts BlockBursts(const AscendC::DataCopyParams& params, uint32_t element, const char* page) {
    return {"DataCopy",
            page,
            params.blockCount,
            uint64_t{params.blockLen} * kBlockBytes,
            uint64_t{params.srcGap} * kBlockBytes,
            uint64_t{params.dstGap} * kBlockBytes,
            element,
            false,
            false,
            0,
            0,
            0};
}

// `count` elements in one piece.
inline Bursts RunOf(uint32_t count, uint32_t element, const char* page) {
    return {"DataCopy", page, 1, uint64_t{count} * element, 0, 0, element, false, false, 0, 0, 0};
}

}  // namespace sim

namespace AscendC {

template <typename T>
void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const uint32_t count,
              sim::Site site = sim::Site::Here()) {
    static_assert(sim::kCopyable<T>,
                  "DataCopy: this data type cannot be copied (数据搬运/DataCopy（GM与UB连续数据搬运）)");
    sim::CopyGmToUb(sim::RunOf(count, sizeof(T), "数据搬运/DataCopy（GM与UB连续数据搬运）"), dst.Place(), src.Address(),
                    site);
}

template <typename T>
void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const uint32_t count,
              sim::Site site = sim::Site::Here()) {
    static_assert(sim::kCopyable<T>,
                  "DataCopy: this data type cannot be copied (数据搬运/DataCopy（GM与UB连续数据搬运）)");
    sim::CopyUbToGm(sim::RunOf(count, sizeof(T), "数据搬运/DataCopy（GM与UB连续数据搬运）"), dst.Address(), src.Place(),
                    site);
}

template <typename T>
void DataCopy(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint32_t count,
              sim::Site site = sim::Site::Here()) {
    static_assert(sim::kCopyable<T>,
                  "DataCopy: this data type cannot be copied (数据搬运/DataCopy（UBToUB连续数据搬运）)");
    sim::CopyUbToUb(sim::RunOf(count, sizeof(T), "数据搬运/DataCopy（UBToUB连续数据搬运）"), dst.Place(), src.Place(),
                    site);
}

template <typename T>
void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const DataCopyParams& repeatParams,
              sim::Site site = sim::Site::Here()) {
    static_assert(sim::kCopyable<T>,
                  "DataCopy: this data type cannot be copied (数据搬运/DataCopy（GM与UB高维切分数据搬运）)");
    sim::CopyGmToUb(sim::BlockBursts(repeatParams, sizeof(T), "数据搬运/DataCopy（GM与UB高维切分数据搬运）"),
                    dst.Place(), src.Address(), site);
}

template <typename T>
void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyParams& repeatParams,
              sim::Site site = sim::Site::Here()) {
    static_assert(sim::kCopyable<T>,
                  "DataCopy: this data type cannot be copied (数据搬运/DataCopy（GM与UB高维切分数据搬运）)");
    sim::CopyUbToGm(sim::BlockBursts(repeatParams, sizeof(T), "数据搬运/DataCopy（GM与UB高维切分数据搬运）"),
                    dst.Address(), src.Place(), site);
}

template <typename T>
void DataCopy(const LocalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyParams& repeatParams,
              sim::Site site = sim::Site::Here()) {
    static_assert(sim::kCopyable<T>,
                  "DataCopy: this data type cannot be copied (数据搬运/DataCopy（UBToUB高维切分数据搬运）)");
    sim::CopyUbToUb(sim::BlockBursts(repeatParams, sizeof(T), "数据搬运/DataCopy（UBToUB高维切分数据搬运）"),
                    dst.Place(), src.Place(), site);
}

// blockLen in bytes; strides in bytes on the GM side and in 32-byte blocks on the UB side.
template <typename T>
void DataCopyPad(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const DataCopyExtParams& dataCopyParams,
                 const DataCopyPadExtParams<T>& padParams, sim::Site site = sim::Site::Here()) {
    static_assert(sim::kCopyable<T>,
                  "DataCopyPad: this data type cannot be copied (数据搬运/DataCopyPad（GMToUB非对齐数据搬运）)");
    const sim::Bursts bursts{"DataCopyPad",
                             "数据搬运/DataCopyPad（GMToUB非对齐数据搬运）",
                             dataCopyParams.blockCount,
                             dataCopyParams.blockLen,
                             dataCopyParams.srcStride,
                             uint64_t{dataCopyParams.dstStride} * sim::kBlockBytes,
                             sizeof(T),
                             true,
                             padParams.isPad,
                             padParams.leftPadding,
                             padParams.rightPadding,
                             sim::ScalarBits(padParams.paddingValue)};
    sim::CopyGmToUb(bursts, dst.Place(), src.Address(), site);
}

template <typename T>
void DataCopyPad(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyExtParams& dataCopyParams,
                 sim::Site site = sim::Site::Here()) {
    static_assert(sim::kCopyable<T>,
                  "DataCopyPad: this data type cannot be copied (数据搬运/DataCopyPad（UBToGM非对齐数据搬运）)");
    const sim::Bursts bursts{"DataCopyPad",
                             "数据搬运/DataCopyPad（UBToGM非对齐数据搬运）",
                             dataCopyParams.blockCount,
                             dataCopyParams.blockLen,
                             uint64_t{dataCopyParams.srcStride} * sim::kBlockBytes,
                             dataCopyParams.dstStride,
                             sizeof(T),
                             true,
                             false,
                             0,
                             0,
                             0};
    sim::CopyUbToGm(bursts, dst.Address(), src.Place(), site);
}

// The older forms with 16-bit lengths.
template <typename T>
void DataCopyPad(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const DataCopyParams& dataCopyParams,
                 const DataCopyPadParams& padParams, sim::Site site = sim::Site::Here()) {
    static_assert(sim::kCopyable<T>,
                  "DataCopyPad: this data type cannot be copied (数据搬运/DataCopyPad（GMToUB非对齐数据搬运）)");
    const sim::Bursts bursts{"DataCopyPad",
                             "数据搬运/DataCopyPad（GMToUB非对齐数据搬运）",
                             dataCopyParams.blockCount,
                             dataCopyParams.blockLen,
                             dataCopyParams.srcGap,
                             uint64_t{dataCopyParams.dstGap} * sim::kBlockBytes,
                             sizeof(T),
                             true,
                             padParams.isPad,
                             padParams.leftPadding,
                             padParams.rightPadding,
                             padParams.paddingValue};
    sim::CopyGmToUb(bursts, dst.Place(), src.Address(), site);
}

template <typename T>
void DataCopyPad(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyParams& dataCopyParams,
                 sim::Site site = sim::Site::Here()) {
    DataCopyPad(dst, src,
                DataCopyExtParams(dataCopyParams.blockCount, dataCopyParams.blockLen, dataCopyParams.srcGap,
                                  dataCopyParams.dstGap, 0),
                site);
}

}  // namespace AscendC

#endif
