#include "divisions.h"

#include "context.h"
#include "loaded_part.h"
#include "report/call_chain.h"
#include "schedule.h"
#include "sim_division.h"

namespace sim {
namespace {

constexpr DeviceRule kDivision = {
    {"division-by-zero", "an integer is not divided by zero", "基础API/调试接口/异常检测/Trap"},
    "the result has no value",
    "catlass 0dfcf9df, include/catlass/gemm/block/block_mmad_preload.hpp:163: kTileCountNext is 0 in a core's last "
    "block"};

struct sigaction before;

uintptr_t Instruction([[maybe_unused]] void* context) {
#if defined(__x86_64__)
    return static_cast<uintptr_t>(static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
#else
    return 0;
#endif
}

// On the kernel's stack, in the middle of its code: it may be left from here.
void OnSignal(int signal, siginfo_t* info, void* context) {
    Context* const running = RunningContext();
    const uintptr_t at = Instruction(context);
    const bool kernels = running != nullptr &&
                         LoadedPartOf(at).begin != LoadedPartOf(reinterpret_cast<uintptr_t>(&WatchDivisions)).begin;
    Launch* const launch = kernels ? &running->core.Shared() : nullptr;
    if (launch == nullptr || !SkipDivisionByZero(context, &launch->divisions.result)) {
        return PassSignalOn(before, signal, info, context);
    }
    const Site site = SiteOf(reinterpret_cast<const void*>(at + 1));
    const char* none = nullptr;
    launch->divisions.first.compare_exchange_strong(none, site.file);
    if (launch->divisions.silent) {
        return;
    }
    try {
        LetPass({"a division", site}, kDivision, "the divisor is 0");
        return;
    } catch (Failure& failure) {
        launch->schedule->Record(running->core.Index(), std::move(failure));
    }
    LeaveKernel();
}

}  // namespace

std::string UsesDivision(const char* behind) {
    return Where(SiteOf(behind)) +
           ": the divisor is 0, and the kernel does something else when the result is another one" +
           LineOf(kDivision.rule);
}

void WatchDivisions() {
    static const bool watching = [] {
        struct sigaction action{};
        action.sa_sigaction = OnSignal;
        action.sa_flags = SA_SIGINFO | SA_NODEFER;
        sigemptyset(&action.sa_mask);
        return sigaction(SIGFPE, &action, &before) == 0;
    }();
    static_cast<void>(watching);
}

}  // namespace sim
