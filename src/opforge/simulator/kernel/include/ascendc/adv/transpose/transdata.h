// Formats of convolutions.
// Documentation: SIMD-API/高阶API/张量变换/TransData
#ifndef ASCENDC_ADV_TRANSPOSE_TRANSDATA_H
#define ASCENDC_ADV_TRANSPOSE_TRANSDATA_H

#ifndef ASCENDC_SIM_PUBLIC_HEADER
#define ASCENDC_SIM_PUBLIC_HEADER
#endif
#include "../../kernel_operator_layout.h"
#include "../../kernel_tensor.h"
#include "../../sim/adv_pad.h"
#include "../../../kernel_tiling/data_format.h"

namespace AscendC {

template <typename T, typename U>
struct TransDataParams {
    T srcLayout;
    U dstLayout;
};

}  // namespace AscendC

namespace sim {

template <typename T>
void DimsOf(const T& layout, uint32_t* dims) {
    std::apply([&](const auto&... dim) { ((*dims++ = static_cast<uint32_t>(dim)), ...); }, layout.GetShape());
}

// What both forms have in common: without sharedTmpBuffer `room` is null.
template <const AscendC::TransDataConfig& config, typename T, typename U, typename S>
void TransData(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src, const Ub* room,
               const AscendC::TransDataParams<U, S>& params, Site site) {
    using AscendC::DataFormat;
    ASCENDC_SIM_ADV_DTYPE(TransData, "张量变换/TransData", A2<int16_t, uint16_t, half, bfloat16_t>, M200<>);
    constexpr bool back = config.dstFormat == DataFormat::NCDHW;
    constexpr DataFormat plain = back ? config.dstFormat : config.srcFormat;
    constexpr DataFormat other = back ? config.srcFormat : config.dstFormat;
    constexpr bool fractal = other == DataFormat::FRACTAL_Z_3D;
    static_assert(plain == DataFormat::NCDHW && (fractal || other == DataFormat::NDC1HWC0),
                  "TransData: config is not between NCDHW and NDC1HWC0 or FRACTAL_Z_3D"
                  " (高阶API/张量变换/TransData)");
    constexpr size_t from = std::tuple_size<std::decay_t<decltype(params.srcLayout.GetShape())>>::value;
    constexpr size_t to = std::tuple_size<std::decay_t<decltype(params.dstLayout.GetShape())>>::value;
    static_assert((back ? to : from) == 5 && (back ? from : to) == (fractal ? 7 : 6),
                  "TransData: the layouts have not the dims of config's formats (高阶API/张量变换/TransData)");
    uint32_t dims[2][7] = {};
    DimsOf(params.srcLayout, dims[0]);
    DimsOf(params.dstLayout, dims[1]);
    const uint32_t* ncdhw = dims[back];
    TransData({"TransData", "高阶API/张量变换/TransData", site},
              {sizeof(T), fractal, back, ncdhw[0], ncdhw[1], ncdhw[2], ncdhw[3], ncdhw[4], dims[!back], dst.Place(),
               src.Place(), room});
}

}  // namespace sim

namespace AscendC {

template <const TransDataConfig& config, typename T, typename U, typename S>
void TransData(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
               const LocalTensor<uint8_t>& sharedTmpBuffer, const TransDataParams<U, S>& params,
               sim::Site site = sim::Site::Here()) {
    sim::TransData<config>(dstTensor, srcTensor, &sharedTmpBuffer.Place(), params, site);
}

template <const TransDataConfig& config, typename T, typename U, typename S>
void TransData(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, const TransDataParams<U, S>& params,
               sim::Site site = sim::Site::Here()) {
    sim::TransData<config>(dstTensor, srcTensor, nullptr, params, site);
}

}  // namespace AscendC

#endif
