// Caches, special registers, and what prepares a core.
// Documentation: 基础API/缓存控制, 基础API/特殊寄存器访问, 基础API/工具接口
#include <chrono>
#include <cinttypes>

#include "core.h"

namespace sim {
namespace {

constexpr Rule kPreload = {
    "preload-range", "ICachePreLoad asks for less than the instruction cache: 16 units of 2 KiB on an AIC, 8 on an AIV",
    "基础API/缓存控制/ICachePreLoad(ISASI)"};
constexpr Rule kSaturation = {"saturation", "infinities and NaN are kept: the saturating mode is not simulated",
                              "基础API/特殊寄存器访问/SetCtrlSpr(ISASI)"};
constexpr Rule kTrap = {"trap", "Trap ends the kernel", "基础API/调试接口/异常检测/Trap"};
constexpr uint64_t kLine = 64;
}  // namespace

void PreloadData(uint64_t addr, int64_t offset, Site site) {
    Core& core = CurrentCore();
    core.memory.gm.Check({"DataCachePreload", site}, "reads", (addr + static_cast<uint64_t>(offset)) / kLine * kLine, 1,
                         false);
}

void PreloadInstructions(int64_t units, Site site) {
    const Core& core = CurrentCore();
    const int64_t most = core.Kind() == CoreKind::kVector ? 8 : 16;
    if (core.Kind() != CoreKind::kCoupled && (units < 0 || units >= most)) {
        Fail({"ICachePreLoad", site}, kPreload, "preFetchLen is %" PRId64, units);
    }
}

void InitSocState() { CurrentCore().InitState(); }

int64_t ControlBits(uint32_t first, uint32_t last) {
    const uint64_t mask = last - first == 63 ? ~uint64_t{0} : (uint64_t{1} << (last - first + 1)) - 1;
    return static_cast<int64_t>(CurrentCore().registers.control.bits >> first & mask);
}

void SetControlBits(uint32_t first, uint32_t last, int64_t value, Site site) {
    if (first <= 48 && last >= 48) {
        ControlRegister& control = CurrentCore().registers.control;
        control.saturates = (value >> (48 - first) & 1) == 0;
        control.since = site;
        control.bits = (control.bits & ~(uint64_t{1} << 48)) | uint64_t{!control.saturates} << 48;
    }
}

// A kernel may leave the register so at its end: nothing that follows a copy to global memory has a value.
void RefuseSaturation(const ControlRegister& control, Pipe pipe, const Call& call) {
    if (pipe == Pipe::kVector || pipe == Pipe::kMatrix || pipe == Pipe::kFix) {
        Fail(call, kSaturation, "computes with bit 48 of the control register 0, since %s:%d", control.since.file,
             control.since.line);
    }
}

// 50 MHz, as Atlas A2 and A3 count.
int64_t SystemCycle() {
    using std::chrono::steady_clock;
    return std::chrono::duration_cast<std::chrono::nanoseconds>(steady_clock::now().time_since_epoch()).count() / 20;
}

void TrapHere(Site site) { Fail({"Trap", site}, kTrap, "the kernel has called it"); }

}  // namespace sim
