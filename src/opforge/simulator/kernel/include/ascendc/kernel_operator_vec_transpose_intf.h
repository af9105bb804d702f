// Transpose and TransDataTo5HD.
// Documentation: SIMD-API/基础API/Memory矢量计算/数据排布转换
#ifndef ASCENDC_KERNEL_OPERATOR_VEC_TRANSPOSE_INTF_H
#define ASCENDC_KERNEL_OPERATOR_VEC_TRANSPOSE_INTF_H

#ifndef ASCENDC_SIM_PUBLIC_HEADER
#define ASCENDC_SIM_PUBLIC_HEADER
#endif
#include "kernel_tensor.h"
#include "sim/index.h"

namespace AscendC {

constexpr int32_t NCHW_CONV_ADDR_LIST_SIZE = 16;

enum class TransposeType : uint8_t {
    TRANSPOSE_TYPE_NONE,
    TRANSPOSE_NZ2ND_0213,
    TRANSPOSE_NZ2NZ_0213,
    TRANSPOSE_NZ2NZ_012_WITH_N,
    TRANSPOSE_NZ2ND_012_WITH_N,
    TRANSPOSE_NZ2ND_012_WITHOUT_N,
    TRANSPOSE_NZ2NZ_012_WITHOUT_N,
    TRANSPOSE_ND2ND_ONLY,
    TRANSPOSE_ND_UB_GM,
    TRANSPOSE_GRAD_ND_UB_GM,
    TRANSPOSE_ND2ND_B16,
    TRANSPOSE_NCHW2NHWC,
    TRANSPOSE_NHWC2NCHW,
};

struct TransposeParamsExt {
    TransposeParamsExt() = default;
    constexpr TransposeParamsExt(uint16_t n, uint16_t c, uint16_t h, uint16_t w, TransposeType type)
        : nSize(n), cSize(c), hSize(h), wSize(w), transposeType(type) {}

    uint16_t nSize = 0;
    uint16_t cSize = 0;
    uint16_t hSize = 0;
    uint16_t wSize = 0;
    TransposeType transposeType = TransposeType::TRANSPOSE_ND2ND_B16;
};

struct TransDataTo5HDParams {
    TransDataTo5HDParams() = default;
    constexpr TransDataTo5HDParams(bool dstHigh, bool srcHigh, uint8_t times, uint16_t dstRepeat, uint16_t srcRepeat)
        : dstHighHalf(dstHigh),
          srcHighHalf(srcHigh),
          repeatTimes(times),
          dstRepStride(dstRepeat),
          srcRepStride(srcRepeat) {}

    bool dstHighHalf = false;
    bool srcHighHalf = false;
    uint8_t repeatTimes = 1;
    uint16_t dstRepStride = 0;
    uint16_t srcRepStride = 0;
};

}  // namespace AscendC

namespace sim {

template <typename T>
constexpr bool kTo5Hd = kOneOf<T, int8_t, uint8_t, int16_t, uint16_t, half, int32_t, uint32_t, float>;

// By addresses CANN compiles it for every data type, as kernels have it in branches that never run for theirs: those
// of the list alone have an element.
template <typename T>
void To5Hd(To5HdArgs& args, const AscendC::TransDataTo5HDParams& params, Site site) {
    args.element = kTo5Hd<T> ? sizeof(T) : 0;
    args.dstHigh = params.dstHighHalf;
    args.srcHigh = params.srcHighHalf;
    args.times = params.repeatTimes;
    args.dstRepeat = params.dstRepStride;
    args.srcRepeat = params.srcRepStride;
    TransDataTo5Hd({"TransDataTo5HD", "数据排布转换/TransDataTo5HD", site}, args);
}

// An address as GetPhyAddr gives it: what lies behind it up to the end of the unified buffer.
inline Ub UbFrom(uint64_t addr) { return {static_cast<uint32_t>(addr), UbBytes()}; }

}  // namespace sim

namespace AscendC {

// A 16 x 16 matrix; dst may be src.
template <typename T>
void Transpose(const LocalTensor<T>& dst, const LocalTensor<T>& src, sim::Site site = sim::Site::Here()) {
    static_assert(sim::kOneOf<T, int16_t, uint16_t, half>,
                  "Transpose: the data type is not one of int16_t, uint16_t, half (数据排布转换/Transpose)");
    sim::Transpose16({"Transpose", "数据排布转换/Transpose", site}, dst.Place(), src.Place());
}

// By transposeType: a 16 x 16 matrix, or [n, c, h, w] to [n, h, w, c] and back.
template <typename T>
void Transpose(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint8_t>& sharedTmpBuffer,
               const TransposeParamsExt& transposeParams, sim::Site site = sim::Site::Here()) {
    static_assert(sim::kOneOf<T, int8_t, uint8_t, int16_t, uint16_t, half, int32_t, uint32_t, float>,
                  "Transpose: the data type is not one of int8_t, uint8_t, int16_t, uint16_t, half, int32_t, uint32_t, "
                  "float (数据排布转换/Transpose)");
    const TransposeParamsExt& p = transposeParams;
    sim::TransposeBy({"Transpose", "数据排布转换/Transpose", site}, static_cast<uint32_t>(p.transposeType),
                     sim::kDtype<T>, dst.Place(), src.Place(), sim::kOnM200 ? nullptr : &sharedTmpBuffer.Place(),
                     p.nSize, p.cSize, static_cast<uint32_t>(p.hSize) * p.wSize);
}

// Lane i of 16 blocks becomes a row, eight or sixteen lanes a repeat.
template <typename T>
void TransDataTo5HD(const LocalTensor<T> (&dstList)[NCHW_CONV_ADDR_LIST_SIZE],
                    const LocalTensor<T> (&srcList)[NCHW_CONV_ADDR_LIST_SIZE],
                    const TransDataTo5HDParams& nchwconvParams, sim::Site site = sim::Site::Here()) {
    static_assert(sim::kTo5Hd<T>,
                  "TransDataTo5HD: the data type is not one of int8_t, uint8_t, int16_t, uint16_t, half, int32_t, "
                  "uint32_t, float (数据排布转换/TransDataTo5HD)");
    sim::To5HdArgs args{};
    for (int i = 0; i < NCHW_CONV_ADDR_LIST_SIZE; ++i) {
        args.dst[i] = dstList[i].Place();
        args.src[i] = srcList[i].Place();
    }
    sim::To5Hd<T>(args, nchwconvParams, site);
}

// The same by addresses.
template <typename T>
void TransDataTo5HD(uint64_t dstList[NCHW_CONV_ADDR_LIST_SIZE], uint64_t srcList[NCHW_CONV_ADDR_LIST_SIZE],
                    const TransDataTo5HDParams& nchwconvParams, sim::Site site = sim::Site::Here()) {
    sim::To5HdArgs args{};
    for (int i = 0; i < NCHW_CONV_ADDR_LIST_SIZE; ++i) {
        args.dst[i] = sim::UbFrom(dstList[i]);
        args.src[i] = sim::UbFrom(srcList[i]);
    }
    sim::To5Hd<T>(args, nchwconvParams, site);
}

// The same by addresses that stand in tensors.
template <typename T>
void TransDataTo5HD(const LocalTensor<uint64_t>& dst, const LocalTensor<uint64_t>& src,
                    const TransDataTo5HDParams& nchwconvParams, sim::Site site = sim::Site::Here()) {
    static_assert(sim::kTo5Hd<T>,
                  "TransDataTo5HD: the data type is not one of int8_t, uint8_t, int16_t, uint16_t, half, int32_t, "
                  "uint32_t, float (数据排布转换/TransDataTo5HD)");
    sim::To5HdArgs args{};
    for (uint32_t i = 0; i < NCHW_CONV_ADDR_LIST_SIZE; ++i) {
        args.dst[i] = sim::UbFrom(dst.GetValue(i, site));
        args.src[i] = sim::UbFrom(src.GetValue(i, site));
    }
    sim::To5Hd<T>(args, nchwconvParams, site);
}

}  // namespace AscendC

#endif
