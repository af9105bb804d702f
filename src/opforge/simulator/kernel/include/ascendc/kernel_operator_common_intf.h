// Special registers, workspaces, and what prepares a core.
// Documentation: SIMD-API/基础API/工具接口, SIMD-API/基础API/特殊寄存器访问
#ifndef ASCENDC_KERNEL_OPERATOR_COMMON_INTF_H
#define ASCENDC_KERNEL_OPERATOR_COMMON_INTF_H

#ifndef ASCENDC_SIM_PUBLIC_HEADER
#define ASCENDC_SIM_PUBLIC_HEADER
#endif
#include "kernel_tensor.h"

namespace sim {

// What Fill takes. On Atlas A2 it fills by Duplicate and takes bfloat16_t too, as operators of CANN's repositories do.
template <typename T>
inline constexpr bool kFilled =
    kOneOf<T, uint16_t, int16_t, half, uint32_t, int32_t, float> || (kNotOnM200<T> && kOneOf<T, bfloat16_t>);

}  // namespace sim

namespace AscendC {

// The state a core begins with, which a TPipe brings about and kernels without one ask for.
// Documentation: 工具接口/系统初始化/InitSocState
inline void InitSocState() { sim::InitSocState(); }

// Bit 48 of the control register alone: 1, infinities and NaN stay what they are.
// Documentation: 特殊寄存器访问/SetCtrlSpr(ISASI), GetCtrlSpr(ISASI)
template <int8_t startBit, int8_t endBit>
void SetCtrlSpr(int64_t value, sim::Site site = sim::Site::Here()) {
    static_assert(startBit == 48 && endBit == 48,
                  "SetCtrlSpr: Atlas A2 and A3 have bit 48 alone (特殊寄存器访问/SetCtrlSpr(ISASI))");
    sim::SetControlBits(startBit, endBit, value, site);
}
template <int8_t startBit, int8_t endBit>
int64_t GetCtrlSpr() {
    static_assert(startBit >= 0 && startBit <= endBit && endBit <= 63,
                  "GetCtrlSpr: bits 0 to 63, the first not behind the last (特殊寄存器访问/GetCtrlSpr(ISASI))");
    return sim::ControlBits(startBit, endBit);
}

// Documentation: 特殊寄存器访问/SetSaturationFlag(ISASI), GetSaturationFlag(ISASI)
enum class SaturationMode : uint8_t { FLOAT, FLOAT8, INT, CAST };
template <SaturationMode mode>
void SetSaturationFlag(bool enableSat, sim::Site site = sim::Site::Here()) {
    static_assert(!sim::kOn950 || mode > SaturationMode::CAST,
                  "SetSaturationFlag: not there on ascend950 (特殊寄存器访问/SetSaturationFlag(ISASI))");
    static_assert(
        mode == SaturationMode::FLOAT,
        "SetSaturationFlag: only SaturationMode::FLOAT is simulated (特殊寄存器访问/SetSaturationFlag(ISASI))");
    sim::SetControlBits(48, 48, enableSat ? 0 : 1, site);
}
template <SaturationMode mode>
bool GetSaturationFlag() {
    static_assert(!sim::kOn950 || mode > SaturationMode::CAST,
                  "GetSaturationFlag: not there on ascend950 (特殊寄存器访问/GetSaturationFlag(ISASI))");
    static_assert(
        mode == SaturationMode::FLOAT,
        "GetSaturationFlag: only SaturationMode::FLOAT is simulated (特殊寄存器访问/GetSaturationFlag(ISASI))");
    return sim::ControlBits(48, 48) == 0;
}

// `size` elements become `value`, through what is left of the unified buffer; an AIC does nothing.
// Documentation: SIMD-API/高阶API/张量变换/Fill-97
template <typename T>
void Fill(GlobalTensor<T>& gmWorkspaceAddr, const uint64_t size, const T value, sim::Site site = sim::Site::Here()) {
    static_assert(sim::kFilled<T>,
                  "Fill: the data type is not one of uint16_t, int16_t, half, uint32_t, int32_t, float, "
                  "or bfloat16_t on Atlas A2 (张量变换/Fill-97)");
    sim::FillGm("Fill", gmWorkspaceAddr.Address(), size, sizeof(T), sim::ScalarBits(value), site);
}
// The older names.
template <typename T>
void InitGlobalMemory(GlobalTensor<T>& gmWorkspaceAddr, const uint64_t size, const T value,
                      sim::Site site = sim::Site::Here()) {
    static_assert(sim::kFilled<T>,
                  "InitGlobalMemory: the data type is not one of uint16_t, int16_t, half, uint32_t, int32_t, float, "
                  "or bfloat16_t on Atlas A2 (张量变换/Fill-97)");
    sim::FillGm("InitGlobalMemory", gmWorkspaceAddr.Address(), size, sizeof(T), sim::ScalarBits(value), site);
}
template <typename T>
void InitOutput(GlobalTensor<T> gmWorkspaceAddr, uint32_t size, T value = 0, sim::Site site = sim::Site::Here()) {
    static_assert(sim::kFilled<T>,
                  "InitOutput: the data type is not one of uint16_t, int16_t, half, uint32_t, int32_t, float, "
                  "or bfloat16_t on Atlas A2 (张量变换/Fill-97)");
    sim::FillGm("InitOutput", gmWorkspaceAddr.Address(), size, sizeof(T), sim::ScalarBits(value), site);
}

// Adds a range to those the device's own bounds check knows; here every range of a launch is known.
template <typename T>
void OOMCheckAddrRange(__gm__ T* gmAddr, const uint64_t gmSize) {
    (void)gmAddr;
    (void)gmSize;
}

// `funPtr` on cores of that kind alone. Documentation: 工具接口/执行模式/Async
enum class EngineType : int32_t { AIC = 1, AIV = 2 };
template <EngineType engine, auto funPtr, class... Args>
void Async(Args... args) {
    if ((engine == EngineType::AIV && sim::OnVectorCore()) || (engine == EngineType::AIC && sim::OnCubeCore())) {
        funPtr(args...);
    }
}

// The registers of memory exceptions are the simulator's checks. Documentation:
// 调试接口/异常检测/CheckLocalMemoryIA(ISASI)
template <typename Params>
void CheckLocalMemoryIA(const Params&) {
    static_assert(sim::kNever<Params>,
                  "CheckLocalMemoryIA is not simulated: every access is checked "
                  "(调试接口/异常检测/CheckLocalMemoryIA(ISASI))");
}
// Documentation: SIMD-API/高阶API/HCCL通信类
template <int index = 0>
GM_ADDR GetHcclContext() {
    static_assert(index < 0, "GetHcclContext: communication between devices is not simulated (高阶API/HCCL通信类)");
    return nullptr;
}

}  // namespace AscendC

#endif
