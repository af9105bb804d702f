// Printing, assertions and tensors' contents from a kernel. -DASCENDC_DUMP=0 takes them all away.
// Documentation: SIMD-API/基础API/调试接口, Utils-API/调测接口
#ifndef ASCENDC_KERNEL_OPERATOR_DUMP_TENSOR_INTF_H
#define ASCENDC_KERNEL_OPERATOR_DUMP_TENSOR_INTF_H

#ifndef ASCENDC_SIM_PUBLIC_HEADER
#define ASCENDC_SIM_PUBLIC_HEADER
#endif
#include "kernel_tensor.h"

#ifndef ASCENDC_DUMP
#define ASCENDC_DUMP 1
#endif

namespace sim {

// A printf's text and where it stands: what follows it are arguments, so a default one has no other place.
struct Format {
    Format(const char* format, Site place = Site::Here()) : text(format), site(place) {}
    const char* text;
    Site site;
};

template <typename T>
Printed PrintedOf(const T& value) {
    Printed printed{};
    if constexpr (std::is_same<T, float>::value || std::is_same<T, half>::value || std::is_same<T, bfloat16_t>::value ||
                  std::is_same<T, double>::value) {
        printed.kind = Printed::kFloat;
        if constexpr (std::is_same<T, double>::value) {
            printed.real = value;
        } else {
            printed.real = static_cast<double>(static_cast<float>(value));
        }
    } else if constexpr (std::is_enum<T>::value || (std::is_integral<T>::value && std::is_signed<T>::value)) {
        printed.kind = Printed::kSigned;
        printed.number = static_cast<int64_t>(value);
    } else if constexpr (std::is_integral<T>::value) {
        printed.kind = Printed::kUnsigned;
        printed.bits = static_cast<uint64_t>(value);
    } else if constexpr (std::is_convertible<T, const char*>::value) {
        printed.kind = Printed::kText;
        printed.text = value;
    } else {
        static_assert(std::is_pointer<T>::value || std::is_array<T>::value,
                      "printf: an argument is a number, a text or an address (调测接口/printf)");
        printed.kind = Printed::kPointer;
        printed.bits = reinterpret_cast<uint64_t>(&*value);
    }
    return printed;
}

template <typename... Args>
void PrintAll(const Format& format, const Args&... args) {
#if ASCENDC_DUMP
    const Printed values[] = {PrintedOf(args)..., Printed{}};
    Print(format.text, values, sizeof...(args), format.site);
#else
    (void)format;
    ((void)args, ...);
#endif
}

[[noreturn]] inline void AssertSays(const char* api, const char* condition, Site site) {
    AssertFailed(api, condition, "", site);
}
template <typename... Args>
[[noreturn]] void AssertSays(const char* api, const char* condition, Site site, const char* format,
                             const Args&... args) {
    const Printed values[] = {PrintedOf(args)..., Printed{}};
    AssertSaid(api, condition, format, values, sizeof...(args), site);
}

template <typename T>
inline constexpr bool kDumped =
    kOneOf<T, bool, int8_t, uint8_t, int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float, int64_t, uint64_t>;
template <typename T>
inline constexpr Dtype kDumpDtype = kDtype<std::conditional_t<std::is_same<T, bool>::value, uint8_t, T>>;

}  // namespace sim

namespace AscendC {

template <typename... Args>
void PRINTF(sim::Format format, const Args&... args) {
    sim::PrintAll(format, args...);
}
template <typename... Args>
void printf(sim::Format format, const Args&... args) {
    sim::PrintAll(format, args...);
}

// The first dumpSize elements, by the shape's rows where one is given.
// Documentation: 调试接口/上板打印/DumpTensor, DumpAccChkPoint
template <typename T>
void DumpTensor(const LocalTensor<T>& tensor, uint32_t desc, uint32_t dumpSize, sim::Site site = sim::Site::Here()) {
    static_assert(sim::kDumped<T>, "DumpTensor: this data type cannot be printed (调试接口/上板打印/DumpTensor)");
    sim::DumpLocal("DumpTensor", {desc, dumpSize, nullptr, 0}, sim::kDumpDtype<T>, std::is_same<T, bool>::value,
                   tensor.Place(), site);
}
template <typename T>
void DumpTensor(const GlobalTensor<T>& tensor, uint32_t desc, uint32_t dumpSize, sim::Site site = sim::Site::Here()) {
    static_assert(sim::kDumped<T>, "DumpTensor: this data type cannot be printed (调试接口/上板打印/DumpTensor)");
    sim::DumpGlobal("DumpTensor", {desc, dumpSize, nullptr, 0}, sim::kDumpDtype<T>, std::is_same<T, bool>::value,
                    tensor.Address(), site);
}
template <typename T>
void DumpTensor(const LocalTensor<T>& tensor, uint32_t desc, uint32_t dumpSize, const ShapeInfo& shapeInfo,
                sim::Site site = sim::Site::Here()) {
    static_assert(sim::kDumped<T>, "DumpTensor: this data type cannot be printed (调试接口/上板打印/DumpTensor)");
    sim::DumpLocal("DumpTensor", {desc, dumpSize, shapeInfo.shape, shapeInfo.shapeDim}, sim::kDumpDtype<T>,
                   std::is_same<T, bool>::value, tensor.Place(), site);
}
template <typename T>
void DumpTensor(const GlobalTensor<T>& tensor, uint32_t desc, uint32_t dumpSize, const ShapeInfo& shapeInfo,
                sim::Site site = sim::Site::Here()) {
    static_assert(sim::kDumped<T>, "DumpTensor: this data type cannot be printed (调试接口/上板打印/DumpTensor)");
    sim::DumpGlobal("DumpTensor", {desc, dumpSize, shapeInfo.shape, shapeInfo.shapeDim}, sim::kDumpDtype<T>,
                    std::is_same<T, bool>::value, tensor.Address(), site);
}
template <typename T>
void DumpAccChkPoint(const LocalTensor<T>& tensor, uint32_t index, uint32_t countOff, uint32_t dumpSize,
                     sim::Site site = sim::Site::Here()) {
    static_assert(sim::kDumped<T>,
                  "DumpAccChkPoint: this data type cannot be printed (调试接口/上板打印/DumpAccChkPoint)");
    sim::DumpLocal("DumpAccChkPoint", {index, dumpSize, nullptr, 0}, sim::kDumpDtype<T>, std::is_same<T, bool>::value,
                   tensor[countOff].Place(), site);
}
template <typename T>
void DumpAccChkPoint(const GlobalTensor<T>& tensor, uint32_t index, uint32_t countOff, uint32_t dumpSize,
                     sim::Site site = sim::Site::Here()) {
    static_assert(sim::kDumped<T>,
                  "DumpAccChkPoint: this data type cannot be printed (调试接口/上板打印/DumpAccChkPoint)");
    sim::DumpGlobal("DumpAccChkPoint", {index, dumpSize, nullptr, 0}, sim::kDumpDtype<T>, std::is_same<T, bool>::value,
                    tensor[countOff].Address(), site);
}

// What the device's profiler collects begins and ends here; the simulator has counters instead.
// Documentation: 调试接口/性能统计/MetricsProfStart, MetricsProfStop
inline void MetricsProfStart() {}
inline void MetricsProfStop() {}

// A line with the cycle, where the source is compiled with -DASCENDC_TIME_STAMP_ON.
// Documentation: 调试接口/上板打印/PrintTimeStamp
inline void PrintTimeStamp(uint32_t descId) {
#ifdef ASCENDC_TIME_STAMP_ON
    PRINTF("descId is %u, rsv is 0, timeStamp is %ld, pcPtr is 0, entry is 0.\n", descId, sim::SystemCycle());
#else
    (void)descId;
#endif
}

}  // namespace AscendC

// With -DASCENDC_DUMP=0 conditions are not looked at. The second argument, where given, is the text of the failure.
#if ASCENDC_DUMP
#define ASCENDC_SIM_ASSERT(api, condition, ...)                                             \
    do {                                                                                    \
        if (!(condition)) {                                                                 \
            sim::AssertSays(api, #condition, sim::Site::Here() __VA_OPT__(, ) __VA_ARGS__); \
        }                                                                                   \
    } while (false)
#else
#define ASCENDC_SIM_ASSERT(api, condition, ...) \
    do {                                        \
    } while (false)
#endif
#define ascendc_assert(...) ASCENDC_SIM_ASSERT("ascendc_assert", __VA_ARGS__)
#undef assert
#ifdef NDEBUG
#define assert(...) static_cast<void>(0)
#else
#define assert(...) ASCENDC_SIM_ASSERT("assert", __VA_ARGS__)
#endif
// The second argument is a block of statements for the CPU's debugging, shown as written.
#define ASCENDC_ASSERT(condition, ...)                                                           \
    do {                                                                                         \
        if (!(condition)) {                                                                      \
            sim::AssertFailed("ASCENDC_ASSERT", #condition, "" #__VA_ARGS__, sim::Site::Here()); \
        }                                                                                        \
    } while (false)

// The older name: a check of the CPU's debugging alone. For the device it is nothing, and may name what is not
// declared.
#ifndef ASSERT
#define ASSERT(condition)
#endif

// Marks for the device's cycle simulator, off unless a project asks for them.
// Documentation: Utils-API/调测接口/TRACE_START, TRACE_STOP
#define TRACE_START(...) static_cast<void>(0)
#define TRACE_STOP(...) static_cast<void>(0)

#endif
