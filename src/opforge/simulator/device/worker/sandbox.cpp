#include "sandbox.h"

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

#include "system_calls.h"

namespace sim {

bool SandboxWanted() {
    const char* asked = std::getenv("OPFORGE_SIM_SANDBOX");
    return asked == nullptr || std::strcmp(asked, "off") != 0;
}

#if defined(__x86_64__) || defined(__aarch64__)
namespace {

#if defined(__x86_64__)
constexpr uint32_t kMachine = AUDIT_ARCH_X86_64;
#else
constexpr uint32_t kMachine = AUDIT_ARCH_AARCH64;
#endif

// fcntl's commands beside those of <fcntl.h> that have two spellings
constexpr int kLocks[] = {F_GETLK, F_SETLK, F_SETLKW, 36, 37, 38};  // and the F_OFD_ ones

// The filter, in the order that it is asked in. Both machines are little-endian: an argument's lower half is first.
class Filter {
public:
    Filter() {
        Load(offsetof(seccomp_data, arch));
        Only(kMachine, SECCOMP_RET_TRAP);
        Load(offsetof(seccomp_data, nr));
    }

    void Always(long number, uint32_t action) { Equal(static_cast<uint32_t>(number), action); }

    // Allows the call where its argument has all bits of `mask` as in `value`; else it is trapped.
    void WhereBits(long number, int argument, uint32_t mask, uint32_t value) {
        begin(number);
        LoadArgument(argument);
        code_.push_back(BPF_STMT(BPF_ALU | BPF_AND | BPF_K, mask));
        Equal(value, SECCOMP_RET_ALLOW);
        end(SECCOMP_RET_TRAP);
    }

    // Allows the call where its argument is one of these; else `otherwise`.
    template <typename Values>
    void WhereOneOf(long number, int argument, const Values& values, uint32_t otherwise) {
        begin(number);
        LoadArgument(argument);
        for (const auto value : values) {
            Equal(static_cast<uint32_t>(value), SECCOMP_RET_ALLOW);
        }
        end(otherwise);
    }

    // For good. All other calls fail with ENOSYS.
    bool Install() {
        Finish(SECCOMP_RET_ERRNO | ENOSYS);
        const sock_fprog program{static_cast<unsigned short>(code_.size()), code_.data()};
        return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
               prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
    }

private:
    void Load(size_t offset) { code_.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<uint32_t>(offset))); }
    void LoadArgument(int argument) {
        Load(offsetof(seccomp_data, args) + static_cast<size_t>(argument) * sizeof(uint64_t));
    }
    void Finish(uint32_t action) { code_.push_back(BPF_STMT(BPF_RET | BPF_K, action)); }
    void Equal(uint32_t value, uint32_t action) {
        code_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1));
        Finish(action);
    }
    void Only(uint32_t value, uint32_t otherwise) {
        code_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 1, 0));
        Finish(otherwise);
    }
    // What is said of one number, up to end(), is jumped over for the others.
    void begin(long number) {
        code_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<uint32_t>(number), 0, 0));
        begin_ = code_.size();
    }
    void end(uint32_t otherwise) {
        Finish(otherwise);
        code_[begin_ - 1].jf = static_cast<uint8_t>(code_.size() - begin_);
    }

    std::vector<sock_filter> code_;
    size_t begin_ = 0;
};

void ByArguments(Filter& filter) {
    constexpr uint32_t kOpening = O_ACCMODE | O_CREAT | O_TRUNC;
    filter.WhereBits(SYS_openat, 2, kOpening, O_RDONLY);
#if defined(__x86_64__)
    filter.WhereBits(SYS_open, 1, kOpening, O_RDONLY);
#endif
    filter.WhereBits(SYS_clone, 0, CLONE_THREAD, CLONE_THREAD);
    // of a terminal only what isatty() asks; TIOCSTI would type into the user's shell, F_SETOWN have signals sent
    filter.WhereOneOf(SYS_ioctl, 1, std::vector<unsigned long>{TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIOCLEX},
                      SECCOMP_RET_TRAP);
    std::vector<int> commands = {F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD, F_SETFD, F_GETFL, F_SETFL};
    commands.insert(commands.end(), std::begin(kLocks), std::end(kLocks));
    filter.WhereOneOf(SYS_fcntl, 1, commands, SECCOMP_RET_TRAP);
    const std::vector<pid_t> self = {getpid()};
    for (const long call : {SYS_kill, SYS_tgkill, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo}) {
        filter.WhereOneOf(call, 0, self, SECCOMP_RET_TRAP);
    }
    filter.WhereOneOf(SYS_prlimit64, 0, std::vector<pid_t>{0, getpid()}, SECCOMP_RET_TRAP);
}

}  // namespace

void EnterSandbox() {
    Filter filter;
    const AllowedCalls allowed = FindAllowedCalls();
    for (size_t i = 0; i < allowed.count; ++i) {
        filter.Always(allowed.numbers[i], SECCOMP_RET_ALLOW);
    }
    ByArguments(filter);
    const RefusedCalls refused = AllRefusedCalls();
    for (size_t i = 0; i < refused.count; ++i) {
        filter.Always(refused.calls[i].number, SECCOMP_RET_TRAP);
    }
    filter.Install();
}
#else
void EnterSandbox() {}
#endif

}  // namespace sim
