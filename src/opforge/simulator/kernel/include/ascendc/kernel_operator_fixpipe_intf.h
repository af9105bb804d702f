// Fixpipe: out of L0C, converted on the way.
// Documentation: SIMD-API/基础API/矩阵计算（ISASI）/矩阵计算的搬出
#ifndef ASCENDC_KERNEL_OPERATOR_FIXPIPE_INTF_H
#define ASCENDC_KERNEL_OPERATOR_FIXPIPE_INTF_H

#ifndef ASCENDC_SIM_PUBLIC_HEADER
#define ASCENDC_SIM_PUBLIC_HEADER
#endif
#include "kernel_tensor.h"
#include "sim/cube.h"

namespace AscendC {

enum class CO2Layout : uint8_t { NZ = 0, ROW_MAJOR, COLUMN_MAJOR };

// What the second and third arguments say is of architectures on which L0C reaches the unified buffer.
struct FixpipeConfig {
    constexpr FixpipeConfig(CO2Layout layout) : format(layout) {}
    constexpr FixpipeConfig(CO2Layout layout, bool) : format(layout) {}
    constexpr FixpipeConfig(CO2Layout layout, bool, bool) : format(layout) {}

    CO2Layout format;
};
inline constexpr FixpipeConfig CFG_NZ = {CO2Layout::NZ};
inline constexpr FixpipeConfig CFG_ROW_MAJOR = {CO2Layout::ROW_MAJOR};

// What DataCopy out of L0C and kernels for older products say; Fixpipe here takes FixpipeParamsV220.
struct QuantParams {
    QuantParams() {}
    QuantParams(const QuantMode_t quantPreIn) : quantPre(quantPreIn) {}
    QuantParams(const QuantMode_t quantPreIn, const uint64_t deqScalarIn)
        : quantPre(quantPreIn), deqScalar(deqScalarIn) {}

    QuantMode_t quantPre = QuantMode_t::NoQuant;
    uint64_t deqScalar;  // of the scalar modes alone
};

struct Nz2NdParams {
    Nz2NdParams() {}
    Nz2NdParams(const bool nz2ndEnIn, const uint16_t ndNumIn, const uint16_t srcNdStrideIn,
                const uint16_t dstNdStrideIn, const uint16_t originalNSizeIn)
        : nz2ndEn(nz2ndEnIn),
          ndNum(ndNumIn),
          srcNdStride(srcNdStrideIn),
          dstNdStride(dstNdStrideIn),
          originalNSize(originalNSizeIn) {}

    bool nz2ndEn = false;
    uint16_t ndNum = 1;
    uint16_t srcNdStride = 0;
    uint16_t dstNdStride = 0;
    uint16_t originalNSize = 0;
};

template <typename T = int32_t>
struct FixpipeParams {
    FixpipeParams() : cburstNum(1), burstLen(1) {}
    FixpipeParams(const uint16_t count, const uint16_t len, const uint16_t srcStrideIn, const uint32_t dstStrideIn)
        : cburstNum(count), burstLen(len), dstStride(dstStrideIn), srcStride(srcStrideIn) {}

    uint16_t cburstNum = 0;
    uint16_t burstLen = 0;
    uint32_t dstStride = 0;
    uint16_t srcStride = 0;
    QuantParams quantParams;
    bool reluEn = false;
    Nz2NdParams nz2ndParams;
    uint8_t unitFlag = 0;
};

struct FixpipeParamsV220 {
    FixpipeParamsV220() {}
    FixpipeParamsV220(uint16_t columns, uint16_t rows, uint16_t from, uint32_t to, bool relu)
        : nSize(columns), mSize(rows), srcStride(from), dstStride(to), reluEn(relu) {}
    FixpipeParamsV220(uint16_t columns, uint16_t rows, uint16_t from, uint32_t to, bool relu, QuantMode_t quant,
                      int64_t scale, uint16_t matrices, uint16_t fromMatrix, uint16_t toMatrix, uint8_t flag)
        : FixpipeParamsV220(columns, rows, from, to, relu, quant, scale, matrices, fromMatrix, toMatrix, flag, false) {}
    FixpipeParamsV220(uint16_t columns, uint16_t rows, uint16_t from, uint32_t to, bool relu, QuantMode_t quant,
                      int64_t scale, uint16_t matrices, uint16_t fromMatrix, uint16_t toMatrix, uint8_t flag,
                      bool split)
        : nSize(columns),
          mSize(rows),
          srcStride(from),
          dstStride(to),
          quantPre(quant),
          deqScalar(static_cast<uint64_t>(scale)),
          ndNum(matrices),
          srcNdStride(fromMatrix),
          dstNdStride(toMatrix),
          reluEn(relu),
          unitFlag(flag),
          isChannelSplit(split) {}

    uint16_t nSize = 0;
    uint16_t mSize = 0;
    uint16_t srcStride = 0;
    uint32_t dstStride = 0;
    QuantMode_t quantPre = QuantMode_t::NoQuant;
    uint64_t deqScalar;  // of the scalar modes alone
    uint16_t ndNum = 1;
    uint16_t srcNdStride = 0;
    uint16_t dstNdStride = 0;
    bool reluEn = false;
    uint8_t unitFlag = 0;
    bool isChannelSplit = false;
};
using FixpipeParamsM300 = FixpipeParamsV220;
using FixpipeParamsM310 = FixpipeParamsV220;

}  // namespace AscendC

namespace sim {

// The pairs of L0C's type and the destination's.
template <typename From, typename To>
inline constexpr bool kFixed =
    !kOnM200 && ((std::is_same<From, float>::value && kOneOf<To, int8_t, uint8_t, half, bfloat16_t, float>) ||
                 (std::is_same<From, int32_t>::value && kOneOf<To, int8_t, uint8_t, half, int32_t>));

inline FixpipeCall FixpipeOf(const AscendC::FixpipeParamsV220& p, bool rows, Dtype from, Dtype to, const char* page) {
    return {"Fixpipe",
            page,
            p.nSize,
            p.mSize,
            p.srcStride,
            p.dstStride,
            static_cast<uint32_t>(p.quantPre),
            p.deqScalar,
            true,
            p.ndNum,
            p.srcNdStride,
            p.dstNdStride,
            true,
            rows,
            p.reluEn,
            p.isChannelSplit,
            p.unitFlag,
            from,
            to};
}

inline constexpr const char* kFixpipeToGm = "基础API/矩阵计算（ISASI）/矩阵计算的搬出/Fixpipe（L0C到GM数据搬运）";
inline constexpr const char* kFixpipeToL1 = "基础API/矩阵计算（ISASI）/矩阵计算的搬出/Fixpipe（L0C到L1数据搬运）";

}  // namespace sim

namespace AscendC {

template <typename T, typename U, const FixpipeConfig& config = CFG_ROW_MAJOR>
void Fixpipe(const GlobalTensor<T>& dst, const LocalTensor<U>& src, const FixpipeParamsV220& intriParams,
             sim::Site site = sim::Site::Here()) {
    static_assert(sim::kFixed<U, T>,
                  "Fixpipe: L0C does not become this type (矩阵计算的搬出/Fixpipe（L0C到GM数据搬运）)");
    sim::FixpipeToGm(sim::FixpipeOf(intriParams, config.format == CO2Layout::ROW_MAJOR, sim::kDtype<U>, sim::kDtype<T>,
                                    sim::kFixpipeToGm),
                     dst.Address(), src.Place(), nullptr, site);
}

// With the scales of the columns in L1.
template <typename T, typename U, const FixpipeConfig& config = CFG_ROW_MAJOR, typename S = uint64_t>
void Fixpipe(const GlobalTensor<T>& dst, const LocalTensor<U>& src, const LocalTensor<S>& cbufWorkspace,
             const FixpipeParamsV220& intriParams, sim::Site site = sim::Site::Here()) {
    static_assert(sim::kFixed<U, T>,
                  "Fixpipe: L0C does not become this type (矩阵计算的搬出/Fixpipe（L0C到GM数据搬运）)");
    static_assert(std::is_same<S, uint64_t>::value, "Fixpipe: scales are uint64_t (Fixpipe（L0C到GM数据搬运）)");
    sim::FixpipeToGm(sim::FixpipeOf(intriParams, config.format == CO2Layout::ROW_MAJOR, sim::kDtype<U>, sim::kDtype<T>,
                                    sim::kFixpipeToGm),
                     dst.Address(), src.Place(), &cbufWorkspace.Place(), site);
}

// Into L1 go fractals, whatever the format says: CFG_ROW_MAJOR, which it is by default, does nothing there.
template <typename T, typename U, const FixpipeConfig& config = CFG_ROW_MAJOR>
void Fixpipe(const LocalTensor<T>& dst, const LocalTensor<U>& src, const FixpipeParamsV220& intriParams,
             sim::Site site = sim::Site::Here()) {
    static_assert(sim::kFixed<U, T> && sizeof(T) < 4 && config.format != CO2Layout::COLUMN_MAJOR,
                  "Fixpipe: into L1 go half, bfloat16_t, int8_t and uint8_t as fractals (Fixpipe（L0C到L1数据搬运）)");
    sim::FixpipeToL1(sim::FixpipeOf(intriParams, false, sim::kDtype<U>, sim::kDtype<T>, sim::kFixpipeToL1), dst.Place(),
                     src.Place(), nullptr, site);
}

template <typename T, typename U, const FixpipeConfig& config = CFG_ROW_MAJOR, typename S = uint64_t>
void Fixpipe(const LocalTensor<T>& dst, const LocalTensor<U>& src, const LocalTensor<S>& cbufWorkspace,
             const FixpipeParamsV220& intriParams, sim::Site site = sim::Site::Here()) {
    static_assert(sim::kFixed<U, T> && sizeof(T) < 4 && config.format != CO2Layout::COLUMN_MAJOR,
                  "Fixpipe: into L1 go half, bfloat16_t, int8_t and uint8_t as fractals (Fixpipe（L0C到L1数据搬运）)");
    static_assert(std::is_same<S, uint64_t>::value, "Fixpipe: scales are uint64_t (Fixpipe（L0C到L1数据搬运）)");
    sim::FixpipeToL1(sim::FixpipeOf(intriParams, false, sim::kDtype<U>, sim::kDtype<T>, sim::kFixpipeToL1), dst.Place(),
                     src.Place(), &cbufWorkspace.Place(), site);
}

// What DataCopy from L0C takes of registers.
inline void SetFixpipeNz2ndFlag(uint16_t ndNum, uint16_t srcNdStride, uint16_t dstNdStride,
                                sim::Site site = sim::Site::Here()) {
    sim::SetFixpipeMatrices(ndNum, srcNdStride, dstNdStride, site);
}

inline void SetFixpipePreQuantFlag(uint64_t config, sim::Site site = sim::Site::Here()) {
    sim::SetFixpipeScale(config, site);
}

template <typename T>
void SetFixPipeConfig(const LocalTensor<T>& reluPre, const LocalTensor<T>& quantPre, bool isUnitFlag = false,
                      sim::Site site = sim::Site::Here()) {
    static_assert(std::is_same<T, uint64_t>::value, "SetFixPipeConfig: scales are uint64_t (SetFixPipeConfig)");
    (void)reluPre;
    sim::SetFixpipeScales(&quantPre.Place(), isUnitFlag, site);
}

// With a tensor of L0C it only clears the unit flags.
template <typename T, bool setRelu = false>
void SetFixPipeConfig(const LocalTensor<T>& preData, bool isUnitFlag = false, sim::Site site = sim::Site::Here()) {
    static_assert(!setRelu, "SetFixPipeConfig: setRelu is false, other values are reserved (SetFixPipeConfig)");
    sim::SetFixpipeScales(preData.Place().memory == sim::Memory::kL0C ? nullptr : &preData.Place(), isUnitFlag, site);
}

ASCENDC_SIM_REFUSED(SetFixPipeClipRelu, "矩阵搬出辅助配置接口/SetFixPipeClipRelu");
ASCENDC_SIM_REFUSED(SetFixPipeAddr, "矩阵搬出辅助配置接口/SetFixPipeAddr");

}  // namespace AscendC

namespace AscendC {

struct DataCopyCO12DstParams {
    DataCopyCO12DstParams() = default;
    DataCopyCO12DstParams(uint16_t columns, uint16_t rows, uint32_t to, uint16_t from, QuantMode_t quant, uint8_t relu,
                          bool split, bool nz2nd)
        : nSize(columns),
          mSize(rows),
          dstStride(to),
          srcStride(from),
          quantPre(quant),
          reluPre(relu),
          channelSplit(split),
          nz2ndEn(nz2nd) {}

    uint8_t sid = 0;
    uint16_t nSize = 0;
    uint16_t mSize = 0;
    uint32_t dstStride = 0;
    uint16_t srcStride = 0;
    uint8_t unitFlag = 0;
    uint8_t clipReluPre = 0;
    uint8_t eltWiseOp = 0;
    QuantMode_t quantPre = QuantMode_t::NoQuant;
    uint8_t reluPre = 0;
    bool channelSplit = false;
    bool nz2ndEn = false;
};

}  // namespace AscendC

namespace sim {

inline FixpipeCall FixpipeOf(const AscendC::DataCopyCO12DstParams& p, Dtype from, Dtype to, const char* page) {
    return {"DataCopy",
            page,
            p.nSize,
            p.mSize,
            p.srcStride,
            p.dstStride,
            static_cast<uint32_t>(p.quantPre),
            0,
            false,
            1,
            0,
            0,
            false,
            p.nz2ndEn,
            p.reluPre != 0,
            p.channelSplit,
            p.unitFlag,
            from,
            to};
}

}  // namespace sim

namespace AscendC {

// What L0C holds to global memory or L1, by what SetFixpipe... and SetFixPipeConfig have said.
template <typename T, typename U>
void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<U>& src, const DataCopyCO12DstParams& intriParams,
              sim::Site site = sim::Site::Here()) {
    static_assert(sim::kFixed<U, T>, "DataCopy: L0C does not become this type (DataCopy（L0C到GM数据搬运）)");
    sim::FixpipeToGm(sim::FixpipeOf(intriParams, sim::kDtype<U>, sim::kDtype<T>,
                                    "基础API/矩阵计算（ISASI）/矩阵计算的搬出/DataCopy（L0C到GM数据搬运）"),
                     dst.Address(), src.Place(), nullptr, site);
}

template <typename T, typename U>
void DataCopy(const LocalTensor<T>& dst, const LocalTensor<U>& src, const DataCopyCO12DstParams& intriParams,
              sim::Site site = sim::Site::Here()) {
    static_assert(sim::kFixed<U, T> && sizeof(T) < 4,
                  "DataCopy: L0C does not become this type in L1 (DataCopy（L0C到L1数据搬运）)");
    sim::FixpipeToL1(sim::FixpipeOf(intriParams, sim::kDtype<U>, sim::kDtype<T>,
                                    "基础API/矩阵计算（ISASI）/矩阵计算的搬出/DataCopy（L0C到L1数据搬运）"),
                     dst.Place(), src.Place(), nullptr, site);
}

}  // namespace AscendC

#endif
