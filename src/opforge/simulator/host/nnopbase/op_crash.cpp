#include "op_crash.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <spawn.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>

namespace nnopbase {

namespace {

constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
constexpr int kSignalCount = sizeof kSignals / sizeof kSignals[0];
constexpr int kMostFrames = 64;
constexpr uintptr_t kPage = 4096;  // a member of what a null pointer points to
constexpr uintptr_t kLargestFrame = uintptr_t{64} << 20;
constexpr size_t kSignalStack = size_t{64} << 10;

// Looked at by a signal handler: in static storage of the thread, which needs no memory at first use.
__attribute__((tls_model("initial-exec"))) thread_local const OpCrash* current = nullptr;

// Where a thread's handlers run: its own stack may be what is full.
thread_local std::unique_ptr<char[]> signalStack;

std::mutex mutex;
int users = 0;           // threads inside of an op's function
bool installed = false;  // stays so where others have put handlers on top of ours, which call ours in turn
struct sigaction previous[kSignalCount];
char addr2line[512];
posix_spawn_file_actions_t toStderr;

// What follows up to Say runs inside a signal handler: only functions that POSIX allows there.
void Write(const char* text) {
    if (write(STDERR_FILENO, text, std::strlen(text)) < 0) {
        return;  // nothing more can be said
    }
}

// Of the code that the signal came to; 0 on machines whose registers we do not know.
struct Registers {
    uintptr_t counter = 0;
    uintptr_t stack = 0;
};

Registers RegistersOf(void* context) {
    const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
    return {static_cast<uintptr_t>(machine.gregs[REG_RIP]), static_cast<uintptr_t>(machine.gregs[REG_RSP])};
#elif defined(__aarch64__)
    return {static_cast<uintptr_t>(machine.pc), static_cast<uintptr_t>(machine.sp)};
#else
    static_cast<void>(machine);
    return {};
#endif
}

// Whether an address that is not there belongs to the frame of who used it, which begins at the stack pointer.
bool IsOfFrame(const void* address, uintptr_t stack) {
    const auto used = reinterpret_cast<uintptr_t>(address);
    return stack != 0 && used + kPage >= stack && used < stack + kLargestFrame;
}

const char* SignalText(int signal, const siginfo_t* info, uintptr_t stack) {
    switch (signal) {
        case SIGFPE:
            return info->si_code == FPE_INTDIV ? "SIGFPE: an integer was divided by zero" : "SIGFPE";
        case SIGABRT:
            return "SIGABRT: abort() was called, as a failed assert and an exception in a noexcept function do";
        case SIGILL:
            return "SIGILL: there is no instruction here; g++ puts such an end behind a function without return";
        case SIGBUS:
            return "SIGBUS";
        default:
            if (info->si_code > 0 && IsOfFrame(info->si_addr, stack)) {
                return "SIGSEGV: the stack is full: a function calls itself without end, or has a very large array";
            }
            // No address is known of one that no processor has: it is not the null pointer that it says.
            return info->si_code == SEGV_MAPERR && reinterpret_cast<uintptr_t>(info->si_addr) < kPage
                       ? "SIGSEGV: a null pointer was used"
                       : "SIGSEGV: memory that is not there was used";
    }
}

// Whether the address is in the library of the op's function.
bool IsTheirs(const OpCrash& crash, const void* address, Dl_info* info) {
    Dl_info ofFunction;
    return dladdr(address, info) != 0 && dladdr(crash.Function(), &ofFunction) != 0 &&
           info->dli_fbase == ofFunction.dli_fbase;
}

// Has addr2line write "function at file:line" where there is one, from debug information.
void WritePlace(const Dl_info& info, const void* address) {
    char offset[24] = "0x";
    uint64_t left = reinterpret_cast<uintptr_t>(address) - reinterpret_cast<uintptr_t>(info.dli_fbase);
    char digits[16];
    int count = 0;
    do {
        digits[count++] = "0123456789abcdef"[left % 16];
        left /= 16;
    } while (left != 0);
    for (int i = 0; i < count; ++i) {
        offset[2 + i] = digits[count - 1 - i];
    }
    offset[2 + count] = '\0';
    Write("\n  in ");
    if (addr2line[0] != '\0') {
        const char* const words[] = {addr2line, "-C", "-f", "-i", "-p", "-e", info.dli_fname, offset, nullptr};
        char* const environment[] = {nullptr};
        pid_t child = 0;
        int status = 0;
        // Not fork, which takes the locks of malloc: the function may have died in it.
        if (posix_spawn(&child, addr2line, &toStderr, nullptr, const_cast<char* const*>(words), environment) == 0 &&
            waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0) {
            return;
        }
    }
    Write(info.dli_fname);
    Write(" at ");
    Write(offset);
    Write("\n");
}

void Say(const OpCrash& crash, int signal, const siginfo_t* info, void* context) {
    const Registers registers = RegistersOf(context);
    Write("opforge simulator: ");
    Write(crash.What().c_str());
    Write(" crashed.\n  ");
    Write(SignalText(signal, info, registers.stack));
    Dl_info library;
    const void* address = reinterpret_cast<const void*>(registers.counter);
    if (address != nullptr && IsTheirs(crash, address, &library)) {
        WritePlace(library, address);
    } else {
        // In a function of a library that the op has called: the innermost frame of the package is what people know.
        void* frames[kMostFrames];
        const int count = backtrace(frames, kMostFrames);
        bool found = false;
        for (int i = 0; i < count && !found; ++i) {
            const void* caller = static_cast<const char*>(frames[i]) - 1;  // the call, not what comes after it
            found = IsTheirs(crash, caller, &library);
            if (found) {
                WritePlace(library, caller);
            }
        }
        Write(found ? "" : "\n");
    }
    Write("  The function is the operator's own code in op_host: it runs in this process, which ends now.\n");
}

void OnSignal(int signal, siginfo_t* info, void* context) {
    const int saved = errno;
    const OpCrash* crash = current;
    current = nullptr;  // once, whatever the handlers before ours do, and whatever happens here
    if (crash != nullptr) {
        Say(*crash, signal, info, context);
    }
    errno = saved;
    const struct sigaction* before = nullptr;
    for (int i = 0; i < kSignalCount; ++i) {
        before = kSignals[i] == signal ? &previous[i] : before;
    }
    if ((before->sa_flags & SA_SIGINFO) != 0) {
        before->sa_sigaction(signal, info, context);
    } else if (before->sa_handler == SIG_DFL || before->sa_handler == SIG_IGN) {
        ::signal(signal, SIG_DFL);
        if (info->si_code <= 0) {
            raise(signal);  // somebody sent it: no instruction would run again and fail again
        }
    } else {
        before->sa_handler(signal);
    }
}

void FindAddr2line() {
    const char* path = std::getenv("PATH");
    for (const char* begin = path == nullptr ? "" : path; *begin != '\0';) {
        const char* end = begin + std::strcspn(begin, ":");
        const int length =
            std::snprintf(addr2line, sizeof addr2line, "%.*s/addr2line", static_cast<int>(end - begin), begin);
        if (length > 0 && static_cast<size_t>(length) < sizeof addr2line && access(addr2line, X_OK) == 0) {
            return;
        }
        begin = *end == ':' ? end + 1 : end;
    }
    addr2line[0] = '\0';
}

void Install() {
    static bool first = true;
    if (first) {
        FindAddr2line();
        posix_spawn_file_actions_init(&toStderr);
        posix_spawn_file_actions_adddup2(&toStderr, STDERR_FILENO, STDOUT_FILENO);
        void* frame[1];
        backtrace(frame, 1);  // its first call loads a library, which a signal handler must not
        first = false;
    }
    struct sigaction action{};
    action.sa_sigaction = OnSignal;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < kSignalCount; ++i) {
        sigaction(kSignals[i], &action, &previous[i]);
    }
    installed = true;
}

void Remove() {
    for (const int signal : kSignals) {
        struct sigaction now;
        sigaction(signal, nullptr, &now);
        if ((now.sa_flags & SA_SIGINFO) == 0 || now.sa_sigaction != OnSignal) {
            return;  // somebody's handler is on top and may call ours: ours stays, and what was before it with it
        }
    }
    for (int i = 0; i < kSignalCount; ++i) {
        sigaction(kSignals[i], &previous[i], nullptr);
    }
    installed = false;
}

}  // namespace

OpCrash::OpCrash(const void* function, const std::string& what) : function_(function), what_(what), outer_(current) {
    if (sigaltstack(nullptr, &before_) == 0 && (before_.ss_flags & SS_DISABLE) != 0) {
        if (signalStack == nullptr) {
            signalStack.reset(new char[kSignalStack]);
        }
        stack_t ours{};
        ours.ss_sp = signalStack.get();
        ours.ss_size = kSignalStack;
        sigaltstack(&ours, nullptr);
    }
    std::lock_guard<std::mutex> lock(mutex);
    if (users++ == 0 && !installed) {
        Install();
    }
    current = this;
}

OpCrash::~OpCrash() {
    current = outer_;
    if ((before_.ss_flags & SS_DISABLE) != 0) {
        sigaltstack(&before_, nullptr);
    }
    std::lock_guard<std::mutex> lock(mutex);
    if (--users == 0) {
        Remove();
    }
}

}  // namespace nnopbase
