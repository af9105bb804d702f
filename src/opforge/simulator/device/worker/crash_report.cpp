#include "crash_report.h"

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <sys/socket.h>
#include <ucontext.h>
#include <unistd.h>

#include "launch_wire.h"
#include "system_calls.h"

namespace sim {
namespace {

int reportSocket = -1;
std::atomic<bool> kernelRunning{false};
std::atomic_flag reported = ATOMIC_FLAG_INIT;

const void* Instruction([[maybe_unused]] void* context) {
#if defined(__x86_64__)
    return reinterpret_cast<const void*>(static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
    return reinterpret_cast<const void*>(static_cast<ucontext_t*>(context)->uc_mcontext.pc);
#else
    return nullptr;
#endif
}

// An argument of the system call that a context stopped at.
const char* TextArgument([[maybe_unused]] void* context, [[maybe_unused]] int number) {
#if defined(__x86_64__)
    constexpr int kRegisters[] = {REG_RDI, REG_RSI, REG_RDX};
    return reinterpret_cast<const char*>(static_cast<ucontext_t*>(context)->uc_mcontext.gregs[kRegisters[number]]);
#elif defined(__aarch64__)
    return reinterpret_cast<const char*>(static_cast<ucontext_t*>(context)->uc_mcontext.regs[number]);
#else
    return nullptr;
#endif
}

// What the sandbox has refused.
void DescribeCall(const siginfo_t* info, void* context, wire::CrashRecord* record) {
    if (info->si_code <= 0) {
        return;  // somebody sent the signal
    }
    const RefusedCall* const refused = FindRefusedCall(info->si_syscall);
    if (refused == nullptr) {
        std::snprintf(record->call, sizeof record->call, "number %d", info->si_syscall);
        return;
    }
    std::strncpy(record->call, refused->name, sizeof record->call - 1);
    std::strncpy(record->tried, refused->tried, sizeof record->tried - 1);
    if (refused->path >= 0 && TextArgument(context, refused->path) != nullptr) {
        std::strncpy(record->path, TextArgument(context, refused->path), sizeof record->path - 1);
    }
}

void OnCrash(int signal, siginfo_t* info, void* context) {
    struct {
        wire::Prefix prefix;
        wire::CrashRecord record;
    } message{};
    if (signal == SIGSYS) {  // a path outside of the memory comes back here as SIGSEGV, which then is what is reported
        DescribeCall(info, context, &message.record);
    }
    if (!reported.test_and_set()) {
        message.prefix = {sizeof message.record, wire::Kind::kCrashed, 0};
        message.record.signal = signal;
        if (signal == SIGSEGV || signal == SIGBUS) {
            message.record.address = reinterpret_cast<uint64_t>(info->si_addr);
        }
        // dladdr takes no lock that a computing kernel could hold; for abort() it would only name abort itself, and
        // libc for a system call.
        Dl_info where{};
        if (signal != SIGABRT && signal != SIGSYS && dladdr(Instruction(context), &where) != 0 &&
            where.dli_sname != nullptr) {
            std::strncpy(message.record.symbol, where.dli_sname, sizeof message.record.symbol - 1);
        }
        wire::send_all(reportSocket, &message, sizeof message);
    }
    ::signal(signal, SIG_DFL);
    raise(signal);
}

void OnInterrupt(int) {
    if (kernelRunning) {
        ::signal(SIGINT, SIG_DFL);
        raise(SIGINT);
    }
}

}  // namespace

void SetKernelRunning(bool running) { kernelRunning = running; }

void ReportCrashes(int socket) {
    reportSocket = socket;
    struct sigaction crash{};
    crash.sa_sigaction = OnCrash;
    crash.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&crash.sa_mask);
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS}) {
        sigaction(signal, &crash, nullptr);
    }
    struct sigaction interrupt{};
    interrupt.sa_handler = OnInterrupt;
    interrupt.sa_flags = SA_RESTART;
    sigemptyset(&interrupt.sa_mask);
    sigaction(SIGINT, &interrupt, nullptr);
}

}  // namespace sim
