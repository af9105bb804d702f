#include "crash_report.h"

#include <atomic>
#include <csignal>
#include <cstring>
#include <dlfcn.h>
#include <sys/socket.h>
#include <ucontext.h>
#include <unistd.h>

#include "launch_wire.h"

namespace sim {
namespace {

int report_socket = -1;
std::atomic<bool> kernel_running{false};
std::atomic_flag reported = ATOMIC_FLAG_INIT;

const void* instruction([[maybe_unused]] void* context) {
#if defined(__x86_64__)
    return reinterpret_cast<const void*>(static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
    return reinterpret_cast<const void*>(static_cast<ucontext_t*>(context)->uc_mcontext.pc);
#else
    return nullptr;
#endif
}

void on_crash(int signal, siginfo_t* info, void* context) {
    if (!reported.test_and_set()) {
        struct {
            wire::Prefix prefix;
            wire::CrashRecord record;
        } message{};
        message.prefix = {sizeof message.record, wire::Kind::kCrashed, 0};
        message.record.signal = signal;
        if (signal == SIGSEGV || signal == SIGBUS) {
            message.record.address = reinterpret_cast<uint64_t>(info->si_addr);
        }
        // dladdr takes no lock that a computing kernel could hold; for abort() it would only name abort itself.
        Dl_info where{};
        if (signal != SIGABRT && dladdr(instruction(context), &where) != 0 && where.dli_sname != nullptr) {
            std::strncpy(message.record.symbol, where.dli_sname, sizeof message.record.symbol - 1);
        }
        wire::send_all(report_socket, &message, sizeof message);
    }
    ::signal(signal, SIG_DFL);
    raise(signal);
}

void on_interrupt(int) {
    if (kernel_running) {
        ::signal(SIGINT, SIG_DFL);
        raise(SIGINT);
    }
}

}  // namespace

void set_kernel_running(bool running) { kernel_running = running; }

void report_crashes(int socket) {
    report_socket = socket;
    struct sigaction crash{};
    crash.sa_sigaction = on_crash;
    crash.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&crash.sa_mask);
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
        sigaction(signal, &crash, nullptr);
    }
    struct sigaction interrupt{};
    interrupt.sa_handler = on_interrupt;
    interrupt.sa_flags = SA_RESTART;
    sigemptyset(&interrupt.sa_mask);
    sigaction(SIGINT, &interrupt, nullptr);
}

}  // namespace sim
