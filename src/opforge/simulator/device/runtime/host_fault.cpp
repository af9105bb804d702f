#include "host_fault.h"

#include <csignal>
#include <cstdio>
#include <ucontext.h>
#include <unistd.h>

#include "device_memory.h"
#include "sim_division.h"

namespace sim {
namespace {

struct sigaction previous;

// The kernel tells on x86-64 whether the access was a write; elsewhere the message says "touched".
const char* AccessWord([[maybe_unused]] void* context) {
#if defined(__x86_64__)
    return (static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_ERR] & 2) != 0 ? "wrote to" : "read";
#else
    return "touched";
#endif
}

void OnFault(int signal, siginfo_t* info, void* context) {
    const int device = DeviceOfAddress(info->si_addr);
    if (device >= 0) {
        char text[512];
        const int length = std::snprintf(
            text, sizeof text,
            "opforge simulator: host code dereferenced a device pointer: it %s %p, memory of device %d.\n"
            "  On hardware this address means nothing to the CPU. Copy the data first (tensor.cpu(), aclrtMemcpy), or\n"
            "  do the work in a kernel.\n",
            AccessWord(context), info->si_addr, device);
        if (length > 0 && write(STDERR_FILENO, text, static_cast<size_t>(length)) < 0) {
            // Nothing more can be said; the process dies of the signal either way.
        }
    }
    PassSignalOn(previous, signal, info, context);
}

}  // namespace

void WatchHostFaults() {
    struct sigaction action{};
    action.sa_sigaction = OnFault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigemptyset(&action.sa_mask);
    sigaction(SIGSEGV, &action, &previous);
}

}  // namespace sim
