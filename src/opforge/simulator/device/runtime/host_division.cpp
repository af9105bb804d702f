// Integer divisions by zero in the host code of .asc sources: in constructors of layouts that are filled later, for
// one. bisheng leaves a division out where it sees the 0, and aarch64 goes on with 0; g++'s code would end the program
// on x86.
#include <atomic>
#include <csignal>
#include <cstdio>
#include <dlfcn.h>
#include <unistd.h>

#include "exports.h"
#include "sim_division.h"

namespace sim {
namespace {

struct sigaction before;

// Once for a place, as long as it is the last one.
void Warn(const void* at) {
    static std::atomic<const void*> told{nullptr};
    if (told.exchange(at) == at) {
        return;
    }
    Dl_info where{};
    const bool found = dladdr(at, &where) != 0 && where.dli_fname != nullptr;
    char text[512];
    const int length =
        std::snprintf(text, sizeof text,
                      "opforge simulator: host code divides an integer by zero, and goes on with 0: %s+0x%zx\n"
                      "  An x86 host ends the program here, unless bisheng has seen the 0 and left the division out.\n",
                      found ? where.dli_fname : "?",
                      static_cast<size_t>(static_cast<const char*>(at) -
                                          static_cast<const char*>(found ? where.dli_fbase : nullptr)));
    if (length > 0 && write(STDERR_FILENO, text, static_cast<size_t>(length)) < 0) {
        return;  // nothing can be said
    }
}

void OnSignal(int signal, siginfo_t* info, void* context) {
    if (SkipDivisionByZero(context, nullptr)) {
        return Warn(info->si_addr);
    }
    PassSignalOn(before, signal, info, context);
}

}  // namespace
}  // namespace sim

// Called by each object that bisheng makes of an .asc source.
SIM_EXPORT void sim_watch_divisions() {
    static const bool watching = [] {
        struct sigaction action{};
        action.sa_sigaction = sim::OnSignal;
        action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
        sigemptyset(&action.sa_mask);
        return sigaction(SIGFPE, &action, &sim::before) == 0;
    }();
    static_cast<void>(watching);
}
