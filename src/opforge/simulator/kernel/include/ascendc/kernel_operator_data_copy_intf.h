// DataCopy and DataCopyPad between global memory and the unified buffer.
// Documentation: SIMD-API/基础API/Memory矢量计算/数据搬运
#ifndef ASCENDC_KERNEL_OPERATOR_DATA_COPY_INTF_H
#define ASCENDC_KERNEL_OPERATOR_DATA_COPY_INTF_H

#ifndef ASCENDC_SIM_PUBLIC_HEADER
#define ASCENDC_SIM_PUBLIC_HEADER
#endif
#include "kernel_tensor.h"
#include "sim/cube.h"

namespace sim {

// bool is not in the tables of A2 and A3, but operators of CANN's for them copy it: it is one byte.
template <typename T>
inline constexpr bool kCopyable = kListed<
    T,
    A2<bool, int8_t, uint8_t, int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float, int64_t, uint64_t, double>,
    M200<bool, int8_t, uint8_t, int16_t, uint16_t, half, int32_t, uint32_t, float, int64_t, uint64_t, double>>;
// Nor is int4b_t for DataCopyPad, which moves bytes: operators of CANN's write results of two elements a byte with it.
template <typename T>
inline constexpr bool kPaddable = kCopyable<T> || kListed<T, A2<AscendC::int4b_t>, M200<>>;
template <typename T>
inline constexpr bool kCopyableInRows = kListed<T, A2<int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float>,
                                                M200<int16_t, uint16_t, half, int32_t, uint32_t, float>>;
template <typename T>
inline constexpr bool kSliceable =
    kListed<T, A2<int8_t, uint8_t, int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float>,
            M200<int8_t, uint8_t, int16_t, uint16_t, half, int32_t, uint32_t, float>>;

inline constexpr uint32_t kBlockBytes = 32;

// What moves by DataCopyPad, whatever it is called: blockLen in bytes; gaps in bytes in global memory, in 32-byte
// blocks in the unified buffer.
inline Bursts PaddedIn(const char* api, const AscendC::DataCopyExtParams& params, uint32_t element,
                       const AscendC::DataCopyPadParams& padding) {
    return {api,
            "数据搬运/DataCopyPad（GMToUB非对齐数据搬运）",
            params.blockCount,
            params.blockLen,
            params.srcStride,
            uint64_t{params.dstStride} * kBlockBytes,
            element,
            true,
            padding.isPad,
            padding.leftPadding,
            padding.rightPadding,
            padding.paddingValue};
}
inline Bursts PaddedOut(const char* api, const AscendC::DataCopyExtParams& params, uint32_t element) {
    return {api,
            "数据搬运/DataCopyPad（UBToGM非对齐数据搬运）",
            params.blockCount,
            params.blockLen,
            uint64_t{params.srcStride} * kBlockBytes,
            params.dstStride,
            element,
            true,
            false,
            0,
            0,
            0};
}
// Read from `src`, with its hint for the L2 cache.
template <typename T>
Bursts From(const AscendC::GlobalTensor<T>& src, Bursts bursts) {
    bursts.bypassesL2 = src.BypassesL2();
    return bursts;
}
template <typename T>
AscendC::DataCopyPadParams PaddingOf(const AscendC::DataCopyPadExtParams<T>& padding) {
    return {padding.isPad, padding.leftPadding, padding.rightPadding, ScalarBits(padding.paddingValue)};
}
// The older parameters, with 16-bit lengths.
inline AscendC::DataCopyExtParams Widened(const AscendC::DataCopyParams& params) {
    return {params.blockCount, params.blockLen, params.srcGap, params.dstGap, 0};
}

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

inline Slices SlicesOf(const AscendC::SliceInfo* local, const AscendC::SliceInfo* global, uint32_t dims) {
    Slices slices{};
    slices.dims = dims;
    for (uint32_t i = 0; i < dims && i < Slices::kMostDims; ++i) {
        slices.local[i] = {local[i].startIndex, local[i].endIndex, local[i].stride, local[i].burstLen,
                           local[i].shapeValue};
        slices.global[i] = {global[i].startIndex, global[i].endIndex, global[i].stride, global[i].burstLen,
                            global[i].shapeValue};
    }
    return slices;
}

inline bool IsEnhanced(const AscendC::DataCopyEnhancedParams& params) {
    return params.blockMode != AscendC::BlockMode::BLOCK_MODE_NORMAL ||
           params.deqScale != AscendC::DeqScale::DEQ_NONE || params.isRelu || params.padMode != pad_t::PAD_NONE;
}

// What L0C becomes on its way into the unified buffer of ascend310p. Documentation: 矩阵计算的搬出/
// DataCopy（L0C到UB数据搬运）
template <typename From, typename To>
inline constexpr bool kOutOfL0c =
    kOnM200 && (std::is_same<From, To>::value ? kOneOf<From, half, float, int32_t, uint32_t>
                                              : std::is_same<To, half>::value && kOneOf<From, float, int32_t>);

inline MatrixCopy MatrixOf(const AscendC::DataCopyParams& p, const AscendC::DataCopyEnhancedParams& way, Dtype from,
                           Dtype to) {
    return {p.blockCount,
            p.blockLen,
            p.srcGap,
            p.dstGap * kBlockBytes,
            static_cast<uint32_t>(way.blockMode),
            static_cast<uint32_t>(way.deqScale),
            static_cast<uint16_t>(way.deqValue),
            way.isRelu,
            from,
            to};
}

// Whether a copy within the core goes from L1 into the tables of bias or scales.
// A copy within the core also moves bool, which no instruction computes with.
template <typename T>
using Moved = std::conditional_t<std::is_same<T, bool>::value, uint8_t, T>;
inline bool IntoTable(const Ub& dst) { return dst.memory == Memory::kBiasTable || dst.memory == Memory::kFixpipe; }

// Lengths and the destination's gaps count 64 bytes for the BiasTable, 128 for the Fixpipe buffer
// (DataCopy（L1ToBiasTable-Buffer数据搬运）, DataCopy（L1ToFixpipe-Buffer数据搬运）).
template <typename T, typename U>
TableCopy TableOf(const AscendC::DataCopyParams& params, const Ub& dst) {
    const uint32_t unit = dst.memory == Memory::kBiasTable ? 64 : 128;
    return {params.blockCount, params.blockLen * unit, params.srcGap * kBlockBytes, params.dstGap * unit, kDtype<T>,
            kDtype<U>};
}

}  // namespace sim

namespace AscendC {

template <typename T>
void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const uint32_t count,
              sim::Site site = sim::Site::Here()) {
    static_assert(sim::kCopyable<T>,
                  "DataCopy: this data type cannot be copied (数据搬运/DataCopy（GM与UB连续数据搬运）)");
    sim::CopyGmToUb(sim::From(src, sim::RunOf(count, sizeof(T), "数据搬运/DataCopy（GM与UB连续数据搬运）")),
                    dst.Place(), src.Address(), site);
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
    if (sim::IntoTable(dst.Place())) {
        const uint32_t bytes = count * sizeof(T) / sim::kBlockBytes * sim::kBlockBytes;
        constexpr sim::Dtype type = sim::kDtype<sim::Moved<T>>;
        sim::CopyL1ToTable({1, bytes, 0, 0, type, type}, dst.Place(), src.Place(), site);
        return;
    }
    sim::CopyUbToUb(sim::RunOf(count, sizeof(T), "数据搬运/DataCopy（UBToUB连续数据搬运）"), dst.Place(), src.Place(),
                    site);
}

template <typename T>
void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const DataCopyParams& repeatParams,
              sim::Site site = sim::Site::Here()) {
    static_assert(sim::kCopyable<T>,
                  "DataCopy: this data type cannot be copied (数据搬运/DataCopy（GM与UB高维切分数据搬运）)");
    sim::CopyGmToUb(
        sim::From(src, sim::BlockBursts(repeatParams, sizeof(T), "数据搬运/DataCopy（GM与UB高维切分数据搬运）")),
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
    if (sim::IntoTable(dst.Place())) {
        sim::CopyL1ToTable(sim::TableOf<sim::Moved<T>, sim::Moved<T>>(repeatParams, dst.Place()), dst.Place(),
                           src.Place(), site);
        return;
    }
    sim::CopyUbToUb(sim::BlockBursts(repeatParams, sizeof(T), "数据搬运/DataCopy（UBToUB高维切分数据搬运）"),
                    dst.Place(), src.Place(), site);
}

// Bias of half becomes float on its way into the BiasTable.
template <typename T, typename U>
void DataCopy(const LocalTensor<T>& dst, const LocalTensor<U>& src, const DataCopyParams& repeatParams,
              sim::Site site = sim::Site::Here()) {
    static_assert(std::is_same<T, float>::value && std::is_same<U, half>::value,
                  "DataCopy: half becomes float on its way into C2, nothing else is converted "
                  "(DataCopy（L1ToBiasTable-Buffer数据搬运）)");
    sim::CopyL1ToTable(sim::TableOf<T, U>(repeatParams, dst.Place()), dst.Place(), src.Place(), site);
}

// Rows of global memory into fractals of L1.
template <typename T>
void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const Nd2NzParams& p,
              sim::Site site = sim::Site::Here()) {
    static_assert(
        sim::kListed<T,
                     sim::A2<int4b_t, int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, half, bfloat16_t, float>,
                     sim::M200<int16_t, uint16_t, int32_t, uint32_t, half, float>>,
        "DataCopy: this data type cannot be copied (DataCopy（GMToL1随路转换-ND2NZ搬运）)");
    sim::CopyNd2Nz({p.ndNum, p.nValue, p.dValue, p.srcNdMatrixStride, p.srcDValue, p.dstNzC0Stride, p.dstNzNStride,
                    p.dstNzMatrixStride, sizeof(T)},
                   dst.Place(), src.Address(), site);
}

// Fractals of the unified buffer into rows of global memory. Documentation:
// 数据搬运/DataCopy（UBToGM随路转换NZ2ND搬运）
template <typename T>
void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const Nz2NdParamsFull& p,
              sim::Site site = sim::Site::Here()) {
    static_assert(sim::kCopyableInRows<T>,
                  "DataCopy: this data type cannot be copied (数据搬运/DataCopy（UBToGM随路转换NZ2ND搬运）)");
    sim::CopyNz2Nd(
        {p.ndNum, p.nValue, p.dValue, p.srcNdMatrixStride, p.srcNStride, p.dstDStride, p.dstNdMatrixStride, sizeof(T)},
        dst.Address(), src.Place(), site);
}

// Pieces of a tensor of up to eight dims, the innermost first. Documentation: 数据搬运/DataCopy（GM与UB切片数据搬运）
template <typename T>
void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const SliceInfo dstSliceInfo[],
              const SliceInfo srcSliceInfo[], const uint32_t dimValue = 1, sim::Site site = sim::Site::Here()) {
    static_assert(sim::kSliceable<T>,
                  "DataCopy: this data type cannot be copied (数据搬运/DataCopy（GM与UB切片数据搬运）)");
    sim::CopySlices(sim::SlicesOf(dstSliceInfo, srcSliceInfo, dimValue), sizeof(T), true, dst.Place(), src.Address(),
                    site);
}
template <typename T>
void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const SliceInfo dstSliceInfo[],
              const SliceInfo srcSliceInfo[], const uint32_t dimValue = 1, sim::Site site = sim::Site::Here()) {
    static_assert(sim::kSliceable<T>,
                  "DataCopy: this data type cannot be copied (数据搬运/DataCopy（GM与UB切片数据搬运）)");
    sim::CopySlices(sim::SlicesOf(srcSliceInfo, dstSliceInfo, dimValue), sizeof(T), false, src.Place(), dst.Address(),
                    site);
}

// What the older products do to the data on its way is not simulated: with nothing chosen it is the plain copy.
template <typename T>
void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const DataCopyParams& intriParams,
              const DataCopyEnhancedParams& enhancedParams, sim::Site site = sim::Site::Here()) {
    sim::CheckEnhanced(sim::IsEnhanced(enhancedParams), site);
    DataCopy(dst, src, intriParams, site);
}
template <typename T>
void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyParams& intriParams,
              const DataCopyEnhancedParams& enhancedParams, sim::Site site = sim::Site::Here()) {
    sim::CheckEnhanced(sim::IsEnhanced(enhancedParams), site);
    DataCopy(dst, src, intriParams, site);
}
template <typename T, typename U>
void DataCopy(const LocalTensor<T>& dst, const LocalTensor<U>& src, const DataCopyParams& intriParams,
              const DataCopyEnhancedParams& enhancedParams, sim::Site site = sim::Site::Here()) {
    static_assert(std::is_same<T, U>::value || sim::kOutOfL0c<U, T>,
                  "DataCopy: L0C does not become this type (矩阵计算的搬出/DataCopy（L0C到UB数据搬运）)");
    if constexpr (sim::kOutOfL0c<U, T>) {
        if (!std::is_same<T, U>::value || src.Place().memory == sim::Memory::kL0C) {
            sim::CopyL0cToUb(sim::MatrixOf(intriParams, enhancedParams, sim::kDtype<U>, sim::kDtype<T>), dst.Place(),
                             src.Place(), site);
            return;
        }
    }
    if constexpr (std::is_same<T, U>::value) {
        sim::CheckEnhanced(sim::IsEnhanced(enhancedParams), site);
        DataCopy(dst, src, intriParams, site);
    }
}

// There is no way from global memory to global memory but through a core.
template <typename T, typename U, typename... Rest>
void DataCopy(const GlobalTensor<T>&, const GlobalTensor<U>&, const Rest&...) {
    static_assert(sim::kNever<T>,
                  "DataCopy: global memory is copied through a local tensor, never directly "
                  "(数据搬运导览/概览/数据通路)");
}
template <typename T, typename U, typename... Rest>
void DataCopyPad(const GlobalTensor<T>&, const GlobalTensor<U>&, const Rest&...) {
    static_assert(sim::kNever<T>,
                  "DataCopyPad: global memory is copied through a local tensor, never directly "
                  "(数据搬运导览/概览/数据通路)");
}

// The value of padding that is asked for with isPad = false. Documentation: 数据搬运辅助配置接口/SetPadValue(ISASI)
template <typename T, TPosition pos = TPosition::MAX>
void SetPadValue(T paddingValue) {
    static_assert(
        sim::kCopyable<T> && !sim::kOnM200,
        "SetPadValue: the data type is not one that DataCopyPad copies (数据搬运辅助配置接口/SetPadValue(ISASI))");
    static_assert(pos == TPosition::MAX || pos == TPosition::VECIN || pos == TPosition::VECOUT,
                  "SetPadValue: the position is VECIN, VECOUT or MAX (数据搬运辅助配置接口/SetPadValue(ISASI))");
    sim::SetPadValue(sim::ScalarBits(paddingValue));
}

// blockLen in bytes; strides in bytes on the GM side and in 32-byte blocks on the UB side.
template <typename T>
void DataCopyPad(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const DataCopyExtParams& dataCopyParams,
                 const DataCopyPadExtParams<T>& padParams, sim::Site site = sim::Site::Here()) {
    static_assert(sim::kPaddable<T>,
                  "DataCopyPad: this data type cannot be copied (数据搬运/DataCopyPad（GMToUB非对齐数据搬运）)");
    static_assert(sim::kNotOnM200<T>,
                  "DataCopyPad: not on the inference products with an M200 core "
                  "(数据搬运/DataCopyPad（GMToUB非对齐数据搬运）)");
    sim::CopyGmToUb(sim::From(src, sim::PaddedIn("DataCopyPad", dataCopyParams, sizeof(T), sim::PaddingOf(padParams))),
                    dst.Place(), src.Address(), site);
}

template <typename T>
void DataCopyPad(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyExtParams& dataCopyParams,
                 sim::Site site = sim::Site::Here()) {
    static_assert(sim::kPaddable<T>,
                  "DataCopyPad: this data type cannot be copied (数据搬运/DataCopyPad（UBToGM非对齐数据搬运）)");
    static_assert(sim::kNotOnM200<T>,
                  "DataCopyPad: not on the inference products with an M200 core "
                  "(数据搬运/DataCopyPad（UBToGM非对齐数据搬运）)");
    sim::CopyUbToGm(sim::PaddedOut("DataCopyPad", dataCopyParams, sizeof(T)), dst.Address(), src.Place(), site);
}

// The older forms with 16-bit lengths.
template <typename T>
void DataCopyPad(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const DataCopyParams& dataCopyParams,
                 const DataCopyPadParams& padParams, sim::Site site = sim::Site::Here()) {
    static_assert(sim::kPaddable<T>,
                  "DataCopyPad: this data type cannot be copied (数据搬运/DataCopyPad（GMToUB非对齐数据搬运）)");
    static_assert(sim::kNotOnM200<T>,
                  "DataCopyPad: not on the inference products with an M200 core "
                  "(数据搬运/DataCopyPad（GMToUB非对齐数据搬运）)");
    sim::CopyGmToUb(sim::From(src, sim::PaddedIn("DataCopyPad", sim::Widened(dataCopyParams), sizeof(T), padParams)),
                    dst.Place(), src.Address(), site);
}

template <typename T>
void DataCopyPad(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyParams& dataCopyParams,
                 sim::Site site = sim::Site::Here()) {
    DataCopyPad(dst, src, sim::Widened(dataCopyParams), site);
}

}  // namespace AscendC

#endif
