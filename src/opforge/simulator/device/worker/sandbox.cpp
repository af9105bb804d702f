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

bool sandbox_wanted() {
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
        load(offsetof(seccomp_data, arch));
        only(kMachine, SECCOMP_RET_TRAP);
        load(offsetof(seccomp_data, nr));
    }

    void always(long number, uint32_t action) { equal(static_cast<uint32_t>(number), action); }

    // Allows the call where its argument has all bits of `mask` as in `value`; else it is trapped.
    void where_bits(long number, int argument, uint32_t mask, uint32_t value) {
        begin(number);
        load_argument(argument);
        code_.push_back(BPF_STMT(BPF_ALU | BPF_AND | BPF_K, mask));
        equal(value, SECCOMP_RET_ALLOW);
        end(SECCOMP_RET_TRAP);
    }

    // Allows the call where its argument is one of these; else `otherwise`.
    template <typename Values>
    void where_one_of(long number, int argument, const Values& values, uint32_t otherwise) {
        begin(number);
        load_argument(argument);
        for (const auto value : values) {
            equal(static_cast<uint32_t>(value), SECCOMP_RET_ALLOW);
        }
        end(otherwise);
    }

    // For good. All other calls fail with ENOSYS.
    bool install() {
        finish(SECCOMP_RET_ERRNO | ENOSYS);
        const sock_fprog program{static_cast<unsigned short>(code_.size()), code_.data()};
        return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
               prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
    }

private:
    void load(size_t offset) { code_.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<uint32_t>(offset))); }
    void load_argument(int argument) {
        load(offsetof(seccomp_data, args) + static_cast<size_t>(argument) * sizeof(uint64_t));
    }
    void finish(uint32_t action) { code_.push_back(BPF_STMT(BPF_RET | BPF_K, action)); }
    void equal(uint32_t value, uint32_t action) {
        code_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1));
        finish(action);
    }
    void only(uint32_t value, uint32_t otherwise) {
        code_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 1, 0));
        finish(otherwise);
    }
    // What is said of one number, up to end(), is jumped over for the others.
    void begin(long number) {
        code_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<uint32_t>(number), 0, 0));
        begin_ = code_.size();
    }
    void end(uint32_t otherwise) {
        finish(otherwise);
        code_[begin_ - 1].jf = static_cast<uint8_t>(code_.size() - begin_);
    }

    std::vector<sock_filter> code_;
    size_t begin_ = 0;
};

void by_arguments(Filter& filter) {
    constexpr uint32_t kOpening = O_ACCMODE | O_CREAT | O_TRUNC;
    filter.where_bits(SYS_openat, 2, kOpening, O_RDONLY);
#if defined(__x86_64__)
    filter.where_bits(SYS_open, 1, kOpening, O_RDONLY);
#endif
    filter.where_bits(SYS_clone, 0, CLONE_THREAD, CLONE_THREAD);
    // of a terminal only what isatty() asks; TIOCSTI would type into the user's shell, F_SETOWN have signals sent
    filter.where_one_of(SYS_ioctl, 1, std::vector<unsigned long>{TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIOCLEX},
                        SECCOMP_RET_TRAP);
    std::vector<int> commands = {F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD, F_SETFD, F_GETFL, F_SETFL};
    commands.insert(commands.end(), std::begin(kLocks), std::end(kLocks));
    filter.where_one_of(SYS_fcntl, 1, commands, SECCOMP_RET_TRAP);
    const std::vector<pid_t> self = {getpid()};
    for (const long call : {SYS_kill, SYS_tgkill, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo}) {
        filter.where_one_of(call, 0, self, SECCOMP_RET_TRAP);
    }
    filter.where_one_of(SYS_prlimit64, 0, std::vector<pid_t>{0, getpid()}, SECCOMP_RET_TRAP);
}

}  // namespace

void enter_sandbox() {
    Filter filter;
    const AllowedCalls allowed = allowed_calls();
    for (size_t i = 0; i < allowed.count; ++i) {
        filter.always(allowed.numbers[i], SECCOMP_RET_ALLOW);
    }
    by_arguments(filter);
    const RefusedCalls refused = refused_calls();
    for (size_t i = 0; i < refused.count; ++i) {
        filter.always(refused.calls[i].number, SECCOMP_RET_TRAP);
    }
    filter.install();
}
#else
void enter_sandbox() {}
#endif

}  // namespace sim
