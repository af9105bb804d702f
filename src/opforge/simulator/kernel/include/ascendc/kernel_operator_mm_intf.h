// LoadData, Mmad and what fills the cube core's memories.
// Documentation: SIMD-API/基础API/矩阵计算（ISASI）
#ifndef ASCENDC_KERNEL_OPERATOR_MM_INTF_H
#define ASCENDC_KERNEL_OPERATOR_MM_INTF_H

#ifndef ASCENDC_SIM_PUBLIC_HEADER
#define ASCENDC_SIM_PUBLIC_HEADER
#endif
#include "kernel_tensor.h"
#include "sim/cube.h"

namespace AscendC {

// left, right, top, bottom
constexpr uint8_t PAD_SIZE = 4;

struct LoadData2DParams {
    LoadData2DParams() = default;
    LoadData2DParams(uint16_t start, uint8_t repeats, uint16_t stride, uint8_t reserved, uint16_t gap, bool transpose,
                     uint8_t mode)
        : startIndex(start),
          dstGap(gap),
          srcStride(stride),
          ifTranspose(transpose),
          repeatTimes(repeats),
          sid(reserved),
          addrMode(mode) {}

    uint16_t startIndex = 0;
    uint16_t dstGap = 0;
    uint16_t srcStride = 0;
    bool ifTranspose = false;
    uint8_t repeatTimes = 0;
    uint8_t sid = 0;
    uint8_t addrMode = 0;
};
using LoadData2dParams = LoadData2DParams;

struct LoadData2dTransposeParams {
    LoadData2dTransposeParams() = default;
    LoadData2dTransposeParams(uint16_t start, uint8_t repeats, uint16_t stride, uint16_t gap, uint16_t fractalGap)
        : LoadData2dTransposeParams(start, repeats, stride, gap, fractalGap, 0) {}
    LoadData2dTransposeParams(uint16_t start, uint8_t repeats, uint16_t stride, uint16_t gap, uint16_t fractalGap,
                              uint8_t mode)
        : startIndex(start),
          repeatTimes(repeats),
          srcStride(stride),
          dstGap(gap),
          dstFracGap(fractalGap),
          addrMode(mode) {}

    uint16_t startIndex = 0;
    uint8_t repeatTimes = 0;
    uint16_t srcStride = 0;
    uint16_t dstGap = 0;
    uint16_t dstFracGap = 0;
    uint8_t addrMode = 0;
};

template <typename T>
struct LoadData3DParamsV2 {
    LoadData3DParamsV2() = default;
    LoadData3DParamsV2(const uint8_t pads[PAD_SIZE], uint16_t height, uint16_t width, uint16_t channels,
                       uint16_t kLength, uint16_t mLength, uint16_t kStart, uint16_t mStart, uint8_t stepW,
                       uint8_t stepH, uint8_t kernelW, uint8_t kernelH, uint8_t dilationW, uint8_t dilationH,
                       bool transpose, bool smallK, T padding)
        : LoadData3DParamsV2(pads, height, width, channels, kLength, mLength, kStart, mStart, stepW, stepH, kernelW,
                             kernelH, dilationW, dilationH, transpose, smallK, padding, false, false, false) {}
    LoadData3DParamsV2(const uint8_t pads[PAD_SIZE], uint16_t height, uint16_t width, uint16_t channels,
                       uint16_t kLength, uint16_t mLength, uint16_t kStart, uint16_t mStart, uint8_t stepW,
                       uint8_t stepH, uint8_t kernelW, uint8_t kernelH, uint8_t dilationW, uint8_t dilationH,
                       bool transpose, bool smallK, T padding, bool wideW, bool wideH, bool right)
        : padList{pads[0], pads[1], pads[2], pads[3]},
          l1H(height),
          l1W(width),
          channelSize(channels),
          kExtension(kLength),
          mExtension(mLength),
          kStartPt(kStart),
          mStartPt(mStart),
          strideW(stepW),
          strideH(stepH),
          filterW(kernelW),
          filterH(kernelH),
          dilationFilterW(dilationW),
          dilationFilterH(dilationH),
          enTranspose(transpose),
          enSmallK(smallK),
          padValue(padding),
          filterSizeW(wideW),
          filterSizeH(wideH),
          fMatrixCtrl(right) {}

    uint8_t padList[PAD_SIZE] = {0};
    uint16_t l1H = 0;
    uint16_t l1W = 0;
    uint16_t channelSize = 0;
    uint16_t kExtension = 0;
    uint16_t mExtension = 0;
    uint16_t kStartPt = 0;
    uint16_t mStartPt = 0;
    uint8_t strideW = 1;
    uint8_t strideH = 1;
    uint8_t filterW = 1;
    uint8_t filterH = 1;
    uint8_t dilationFilterW = 1;
    uint8_t dilationFilterH = 1;
    bool enTranspose = false;
    bool enSmallK = false;
    T padValue = T(0);
    bool filterSizeW = false;
    bool filterSizeH = false;
    bool fMatrixCtrl = false;
};

struct LoadData3DParamsV2Pro {
    LoadData3DParamsV2Pro() = default;
    LoadData3DParamsV2Pro(uint16_t channels, bool transpose, bool smallK, bool wideW, bool wideH, bool right,
                          uint64_t extension, uint64_t filter)
        : channelSize(channels),
          enTranspose(transpose),
          enSmallK(smallK),
          filterSizeW(wideW),
          filterSizeH(wideH),
          fMatrixCtrl(right),
          extConfig(extension),
          filterConfig(filter) {}

    uint16_t channelSize = 0;
    bool enTranspose = false;
    bool enSmallK = false;
    bool filterSizeW = false;
    bool filterSizeH = false;
    bool fMatrixCtrl = false;
    uint64_t extConfig = 0;  // kExtension, mExtension, kStartPt, mStartPt from the lowest 16 bits on
    // strideW, strideH, filterW, filterH, dilationFilterW, dilationFilterH from the lowest 8 bits on
    uint64_t filterConfig = 0x10101010101;
};

// Which of a LoadData's parameters it takes from its own structure.
struct IsResetLoad3dConfig {
    constexpr IsResetLoad3dConfig(bool setFMatrix, bool setPadding)
        : isSetFMatrix(setFMatrix), isSetPadding(setPadding) {}

    bool isSetFMatrix = true;
    bool isSetPadding = true;
};
inline constexpr IsResetLoad3dConfig IS_RESER_LOAD3D_DEFAULT_CONFIG = {true, true};

enum class FmatrixMode : uint8_t { FMATRIX_LEFT = 0, FMATRIX_RIGHT = 1 };

struct LoadDataRepeatParam {
    LoadDataRepeatParam() = default;
    LoadDataRepeatParam(uint16_t stride, uint8_t times, uint8_t mode)
        : repeatStride(stride), repeatTime(times), repeatMode(mode) {}

    uint16_t repeatStride = 0;
    uint8_t repeatTime = 1;
    uint8_t repeatMode = 0;
    uint8_t reserved = 0;
};

template <typename T>
struct InitConstValueParams {
    InitConstValueParams() = default;
    InitConstValueParams(uint16_t repeats, uint16_t blocks, uint16_t gap, T value)
        : repeatTimes(repeats), blockNum(blocks), dstGap(gap), initValue(value) {}
    InitConstValueParams(uint16_t repeats, T value) : repeatTimes(repeats), initValue(value) {}

    uint16_t repeatTimes = 0;
    uint16_t blockNum = 0;
    uint16_t dstGap = 0;
    T initValue = T(0);
};

struct MmadParams {
    MmadParams() = default;
    MmadParams(uint16_t rows, uint16_t columns, uint16_t depth, bool accumulate, int32_t offset, bool sparse,
               bool winogradA, bool winogradB)
        : m(rows),
          n(columns),
          k(depth),
          isBias(accumulate),
          fmOffset(offset),
          enSsparse(sparse),
          enWinogradA(winogradA),
          enWinogradB(winogradB) {}
    MmadParams(uint16_t rows, uint16_t columns, uint16_t depth, uint8_t flag, bool fromTable, bool zero)
        : m(rows), n(columns), k(depth), unitFlag(flag), cmatrixSource(fromTable), cmatrixInitVal(zero) {}

    uint16_t m = 0;
    uint16_t n = 0;
    uint16_t k = 0;
    bool isBias = false;  // deprecated: add to what dst holds
    int32_t fmOffset = 0;
    bool enSsparse = false;
    bool enWinogradA = false;
    bool enWinogradB = false;
    uint8_t unitFlag = 0;
    bool kDirectionAlign = false;
    bool cmatrixSource = false;
    bool cmatrixInitVal = true;
};

enum class HF32Mode { ENABLE, DISABLE };
enum class HF32TransMode { NEAREST_ZERO, NEAREST_EVEN };

}  // namespace AscendC

namespace sim {

// LoadData_2D and LoadData_3D.
template <typename T>
inline constexpr bool kLoadable =
    kListed<T, A2<AscendC::int4b_t, uint8_t, int8_t, uint16_t, int16_t, half, bfloat16_t, uint32_t, int32_t, float>,
            M200<AscendC::int4b_t, uint8_t, int8_t, uint16_t, int16_t, half>>;
template <typename T>
inline constexpr bool kImageLoadable =
    kListed<T, A2<AscendC::int4b_t, uint8_t, int8_t, half, bfloat16_t, uint32_t, int32_t, float>,
            M200<AscendC::int4b_t, uint8_t, int8_t, half>>;

// Mmad, 表7 to 表9.
template <typename C, typename A, typename B>
inline constexpr bool kMultiplied =
    (std::is_same<A, int8_t>::value && std::is_same<B, int8_t>::value && std::is_same<C, int32_t>::value) ||
    (std::is_same<A, AscendC::int4b_t>::value && std::is_same<B, A>::value && std::is_same<C, int32_t>::value) ||
    (std::is_same<A, half>::value && std::is_same<B, half>::value && std::is_same<C, float>::value) ||
    (!kOnM200 && kOneOf<A, float, bfloat16_t> && std::is_same<A, B>::value && std::is_same<C, float>::value) ||
    (kOnM200 && std::is_same<A, half>::value && std::is_same<B, A>::value && std::is_same<C, A>::value) ||
    (kOnM200 && std::is_same<A, uint8_t>::value && kOneOf<B, int8_t, uint8_t> && std::is_same<C, int32_t>::value);

inline FractalLoad FractalsOf(const AscendC::LoadData2DParams& params) {
    return {params.startIndex, params.repeatTimes,          params.srcStride,
            params.dstGap,     params.ifTranspose != false, params.addrMode != 0};
}

inline MmadCall MmadOf(const AscendC::MmadParams& p, Dtype c, Dtype a, Dtype b) {
    return {p.m, p.n, p.k, p.unitFlag, p.kDirectionAlign, p.cmatrixSource, p.cmatrixInitVal && !p.isBias, a, b, c, c};
}

}  // namespace sim

namespace AscendC {

// Ascend950 reads the left matrix in another order of fractals, so that kernels for Atlas A2 would multiply wrong ones.
#define ASCENDC_SIM_CUBE_OF_950 \
    ": on ascend950 L0A has the order NZ, which is not simulated: use the Matmul object (2201到3510架构变更)"

template <typename T>
void LoadData(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LoadData2DParams& loadDataParams,
              sim::Site site = sim::Site::Here()) {
    static_assert(sim::kNotOn950<T>, "LoadData" ASCENDC_SIM_CUBE_OF_950);
    static_assert(sim::kLoadable<T>, "LoadData: this data type is not loaded (矩阵计算的搬入/LoadData_2D)");
    sim::LoadFractals(sim::FractalsOf(loadDataParams), sim::kDtype<T>, dst.Place(), src.Place(), site);
}

template <typename T>
void LoadData(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const LoadData2DParams& loadDataParams,
              sim::Site site = sim::Site::Here()) {
    static_assert(sim::kNotOn950<T>,
                  "LoadData: on ascend950 global memory has no way to L0A and L0B: copy to L1 first "
                  "(2201到3510架构变更)");
    static_assert(sim::kLoadable<T> && !std::is_same<T, int4b_t>::value,
                  "LoadData: this data type is not loaded from global memory (矩阵计算的搬入/LoadData_2D)");
    sim::LoadFractals(sim::FractalsOf(loadDataParams), sim::kDtype<T>, dst.Place(), src.Address(), site);
}

template <typename T, const IsResetLoad3dConfig& defaultConfig = IS_RESER_LOAD3D_DEFAULT_CONFIG, typename U = T>
void LoadData(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LoadData3DParamsV2<U>& p,
              sim::Site site = sim::Site::Here()) {
    static_assert(sim::kNotOn950<T>, "LoadData" ASCENDC_SIM_CUBE_OF_950);
    static_assert(std::is_same<T, U>::value, "LoadData: padValue has the tensor's type (矩阵计算的搬入/LoadData_3D)");
    static_assert(sim::kImageLoadable<T>, "LoadData: this data type is not loaded (矩阵计算的搬入/LoadData_3D)");
    const sim::ImageLoad load{{p.l1H, p.l1W, {p.padList[0], p.padList[1], p.padList[2], p.padList[3]}},
                              p.channelSize,
                              p.kExtension,
                              p.mExtension,
                              p.kStartPt,
                              p.mStartPt,
                              p.strideW,
                              p.strideH,
                              static_cast<uint16_t>(p.filterW + (p.filterSizeW ? 256 : 0)),
                              static_cast<uint16_t>(p.filterH + (p.filterSizeH ? 256 : 0)),
                              p.dilationFilterW,
                              p.dilationFilterH,
                              p.enTranspose,
                              defaultConfig.isSetFMatrix,
                              defaultConfig.isSetPadding,
                              sim::ScalarBits(p.padValue)};
    sim::LoadImage(load, sim::kDtype<T>, dst.Place(), src.Place(), site);
}

// SetFmatrix and SetLoadDataPaddingValue say what this form leaves out.
template <typename T>
void LoadData(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LoadData3DParamsV2Pro& p,
              sim::Site site = sim::Site::Here()) {
    static_assert(sim::kNotOn950<T>, "LoadData" ASCENDC_SIM_CUBE_OF_950);
    static_assert(sim::kImageLoadable<T>, "LoadData: this data type is not loaded (矩阵计算的搬入/LoadData_3D)");
    const auto extension = [&](int at) { return static_cast<uint16_t>(p.extConfig >> at & 0xffff); };
    const auto filter = [&](int at) { return static_cast<uint8_t>(p.filterConfig >> at & 0xff); };
    const sim::ImageLoad load{{0, 0, {0, 0, 0, 0}},
                              p.channelSize,
                              extension(0),
                              extension(16),
                              extension(32),
                              extension(48),
                              filter(0),
                              filter(8),
                              static_cast<uint16_t>(filter(16) + (p.filterSizeW ? 256 : 0)),
                              static_cast<uint16_t>(filter(24) + (p.filterSizeH ? 256 : 0)),
                              filter(32),
                              filter(40),
                              p.enTranspose,
                              false,
                              false,
                              0};
    sim::LoadImage(load, sim::kDtype<T>, dst.Place(), src.Place(), site);
}

template <typename T>
void LoadDataWithTranspose(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LoadData2dTransposeParams& p,
                           sim::Site site = sim::Site::Here()) {
    static_assert(sim::kNotOn950<T>, "LoadDataWithTranspose" ASCENDC_SIM_CUBE_OF_950);
    static_assert(
        sim::kListed<T, sim::A2<int4b_t, int8_t, uint8_t, half, bfloat16_t, int32_t, uint32_t, float>, sim::M200<>>,
        "LoadDataWithTranspose: this data type is not loaded (矩阵计算的搬入/LoadDataWithTranspose)");
    sim::LoadTransposed({p.startIndex, p.repeatTimes, p.srcStride, p.dstGap, p.dstFracGap, p.addrMode != 0},
                        sim::kDtype<T>, dst.Place(), src.Place(), site);
}

// `fmatrixMode`: only the left register is documented for use.
inline void SetFmatrix(uint16_t l1H, uint16_t l1W, const uint8_t padList[4], const FmatrixMode& fmatrixMode,
                       sim::Site site = sim::Site::Here()) {
    (void)fmatrixMode;
    sim::SetImageShape({l1H, l1W, {padList[0], padList[1], padList[2], padList[3]}}, site);
}

// What SetFmatrix calls in CANN's headers.
inline void Load3DSetFMatrixCal(uint16_t l1H, uint16_t l1W, const uint8_t padList[4],
                                sim::Site site = sim::Site::Here()) {
    sim::SetImageShape({l1H, l1W, {padList[0], padList[1], padList[2], padList[3]}}, site);
}

template <typename T>
void SetLoadDataPaddingValue(const T padValue, sim::Site site = sim::Site::Here()) {
    sim::SetImagePadding(sim::ScalarBits(padValue), site);
}

inline void SetLoadDataBoundary(uint32_t boundaryValue, sim::Site site = sim::Site::Here()) {
    sim::SetImageBoundary(boundaryValue, site);
}

inline void SetLoadDataRepeat(const LoadDataRepeatParam& repeatParams, sim::Site site = sim::Site::Here()) {
    sim::SetImageRepeat(repeatParams.repeatStride, repeatParams.repeatTime, repeatParams.repeatMode, site);
}

template <typename T, typename U = T>
void Fill(const LocalTensor<T>& dst, const InitConstValueParams<U>& p, sim::Site site = sim::Site::Here()) {
    static_assert(std::is_same<T, U>::value, "Fill: the value has the tensor's type (矩阵搬入辅助配置接口/Fill)");
    static_assert(sim::kListed<T, sim::A2<half, bfloat16_t, int16_t, uint16_t, int32_t, uint32_t, float>,
                               sim::M200<half, int16_t, uint16_t>>,
                  "Fill: this data type is not filled with (矩阵搬入辅助配置接口/Fill)");
    sim::FillLocal(
        {p.repeatTimes, sim::kOnM200 ? uint16_t(1) : p.blockNum, p.dstGap, sim::ScalarBits(p.initValue), sizeof(T)},
        "Fill", dst.Place(), site);
}

// The older name of Fill.
template <typename T, typename U = T>
void InitConstValue(const LocalTensor<T>& dst, const InitConstValueParams<U>& initConstValueParams,
                    sim::Site site = sim::Site::Here()) {
    Fill(dst, initConstValueParams, site);
}

template <typename T, typename U, typename S>
void Mmad(const LocalTensor<T>& dst, const LocalTensor<U>& fm, const LocalTensor<S>& filter,
          const MmadParams& mmadParams, sim::Site site = sim::Site::Here()) {
    static_assert(sim::kNotOn950<T>, "Mmad" ASCENDC_SIM_CUBE_OF_950);
    static_assert(sim::kMultiplied<T, U, S>, "Mmad: these data types are not multiplied (Mmad计算/Mmad, 表7)");
    sim::MultiplyAdd(sim::MmadOf(mmadParams, sim::kDtype<T>, sim::kDtype<U>, sim::kDtype<S>), dst.Place(), fm.Place(),
                     filter.Place(), nullptr, site);
}

template <typename T, typename U, typename S, typename V>
void Mmad(const LocalTensor<T>& dst, const LocalTensor<U>& fm, const LocalTensor<S>& filter, const LocalTensor<V>& bias,
          const MmadParams& mmadParams, sim::Site site = sim::Site::Here()) {
    static_assert(sim::kNotOn950<T>, "Mmad" ASCENDC_SIM_CUBE_OF_950);
    static_assert(
        sim::kMultiplied<T, U, S> && std::is_same<T, V>::value && !std::is_same<U, int4b_t>::value && !sim::kOnM200,
        "Mmad: these data types are not multiplied and added (Mmad计算/Mmad, 表8)");
    sim::MultiplyAdd(sim::MmadOf(mmadParams, sim::kDtype<T>, sim::kDtype<U>, sim::kDtype<S>), dst.Place(), fm.Place(),
                     filter.Place(), &bias.Place(), site);
}

inline void SetHF32Mode(HF32Mode mode, sim::Site site = sim::Site::Here()) {
    sim::SetHf32(mode == HF32Mode::ENABLE, site);
}
inline void SetHF32Mode(bool hf32Mode, sim::Site site = sim::Site::Here()) { sim::SetHf32(hf32Mode, site); }
inline void SetHF32TransMode(HF32TransMode mode, sim::Site site = sim::Site::Here()) {
    sim::SetHf32Ties(mode == HF32TransMode::NEAREST_ZERO ? sim::Hf32::kTowardsZero : sim::Hf32::kEven, site);
}
inline void SetHF32TransMode(bool hf32TransMode, sim::Site site = sim::Site::Here()) {
    sim::SetHf32Ties(hf32TransMode ? sim::Hf32::kTowardsZero : sim::Hf32::kEven, site);
}

// A bias in L0C, to which Mmad adds: of ascend310p. Documentation: 矩阵计算的搬入/BroadCastVecToMM(ISASI)
template <typename T, typename U>
void BroadCastVecToMM(const LocalTensor<T>& dst, const LocalTensor<U>& src, const int32_t blockCount,
                      const uint8_t blockLen, const uint8_t srcGap, const uint8_t dstGap,
                      sim::Site site = sim::Site::Here()) {
    static_assert(std::is_same<T, U>::value && sim::kListed<T, sim::A2<>, sim::M200<half, int32_t, float>>,
                  "BroadCastVecToMM: only on the inference products, for half, int32_t and float, dst and src alike"
                  " (矩阵计算的搬入/BroadCastVecToMM(ISASI))");
    sim::CopyRowsToL0c({blockCount, blockLen, srcGap, dstGap, sizeof(T)}, dst.Place(), src.Place(), site);
}

// In which direction Mmad goes through C: a matter of time, not of results.
inline void SetMMRowMajor(sim::Site site = sim::Site::Here()) { sim::OnCubeCore("SetMMRowMajor", site); }
inline void SetMMColumnMajor(sim::Site site = sim::Site::Here()) { sim::OnCubeCore("SetMMColumnMajor", site); }
inline void SetMMLayoutTransform(bool, sim::Site site = sim::Site::Here()) {
    sim::OnCubeCore("SetMMLayoutTransform", site);
}

// Structured sparsity, compressed weights and image preprocessing, and what other products have.
ASCENDC_SIM_REFUSED(MmadWithSparse, "Mmad计算/MmadWithSparse");
ASCENDC_SIM_REFUSED(MmadMx, "Mmad计算/MmadMx");
ASCENDC_SIM_REFUSED(LoadDataWithSparse, "矩阵计算的搬入/LoadDataWithSparse");
ASCENDC_SIM_REFUSED(LoadDataWithStride, "矩阵计算的搬入/LoadDataWithStride");
ASCENDC_SIM_REFUSED(LoadDataUnzip, "矩阵搬入辅助配置接口/LoadDataUnzip");
ASCENDC_SIM_REFUSED(LoadUnzipIndex, "矩阵搬入辅助配置接口/LoadUnzipIndex");
ASCENDC_SIM_REFUSED(LoadImageToLocal, "矩阵搬入辅助配置接口/LoadImageToLocal");
ASCENDC_SIM_REFUSED(SetAippFunctions, "矩阵搬入辅助配置接口/SetAippFunctions");
ASCENDC_SIM_REFUSED(SetLoadDataRepeatWithStride, "矩阵搬入辅助配置接口/SetLoadDataRepeatWithStride");

}  // namespace AscendC

#endif
