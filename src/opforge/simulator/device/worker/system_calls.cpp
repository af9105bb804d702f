#include "system_calls.h"

#include <sys/syscall.h>

namespace sim {
namespace {

// Newer than the headers of some systems that we build on; these numbers are the same on every machine.
constexpr long kFaccessat2 = 439;
constexpr long kFutexWaitv = 449;

// The first are the ones that a launch makes.
constexpr long kAllowed[] = {
    SYS_futex,
    SYS_read,
    SYS_write,
    SYS_recvfrom,
    SYS_sendto,
    SYS_mmap,
    SYS_munmap,
    SYS_mprotect,
    SYS_madvise,
    SYS_brk,
    SYS_mremap,
    SYS_msync,
    SYS_mincore,
    SYS_mlock,
    SYS_munlock,
    SYS_membarrier,
    SYS_rseq,
    SYS_close,
    // files that are open, or that are read
    SYS_lseek,
    SYS_pread64,
    SYS_pwrite64,
    SYS_readv,
    SYS_writev,
    SYS_preadv,
    SYS_pwritev,
    SYS_fsync,
    SYS_fdatasync,
    SYS_ftruncate,
    SYS_fadvise64,
    SYS_readahead,
    SYS_flock,
    SYS_fstat,
    SYS_newfstatat,
    SYS_statx,
    SYS_statfs,
    SYS_fstatfs,
    SYS_faccessat,
    kFaccessat2,
    SYS_readlinkat,
    SYS_getdents64,
    SYS_getcwd,
    SYS_dup,
    SYS_dup3,
    SYS_pipe2,
    SYS_memfd_create,
    SYS_eventfd2,
    SYS_ppoll,
    SYS_pselect6,
    SYS_epoll_create1,
    SYS_epoll_ctl,
    SYS_epoll_pwait,
    SYS_timerfd_create,
    SYS_timerfd_settime,
    SYS_timerfd_gettime,
    // threads, signals and clocks
    SYS_sched_yield,
    SYS_sched_getaffinity,
    SYS_sched_getparam,
    SYS_sched_getscheduler,
    SYS_getcpu,
    SYS_gettid,
    SYS_set_tid_address,
    SYS_set_robust_list,
    SYS_get_robust_list,
    kFutexWaitv,
    SYS_restart_syscall,
    SYS_exit,
    SYS_exit_group,
    SYS_rt_sigaction,
    SYS_rt_sigprocmask,
    SYS_rt_sigreturn,
    SYS_rt_sigpending,
    SYS_rt_sigsuspend,
    SYS_rt_sigtimedwait,
    SYS_sigaltstack,
    SYS_nanosleep,
    SYS_clock_nanosleep,
    SYS_clock_gettime,
    SYS_clock_getres,
    SYS_gettimeofday,
    SYS_times,
    SYS_timer_create,
    SYS_timer_settime,
    SYS_timer_gettime,
    SYS_timer_getoverrun,
    SYS_timer_delete,
    SYS_getitimer,
    SYS_setitimer,
    // what the process is
    SYS_getpid,
    SYS_getppid,
    SYS_getpgid,
    SYS_getsid,
    SYS_getuid,
    SYS_geteuid,
    SYS_getgid,
    SYS_getegid,
    SYS_getgroups,
    SYS_uname,
    SYS_sysinfo,
    SYS_getrusage,
    SYS_getpriority,
    SYS_getrandom,
    SYS_prctl,
    SYS_wait4,
    SYS_waitid,
#if defined(__x86_64__)
    // older forms, which other machines do not have
    SYS_stat,
    SYS_lstat,
    SYS_access,
    SYS_readlink,
    SYS_poll,
    SYS_select,
    SYS_pipe,
    SYS_dup2,
    SYS_epoll_create,
    SYS_epoll_wait,
    SYS_eventfd,
    SYS_pause,
    SYS_alarm,
    SYS_time,
    SYS_getpgrp,
    SYS_getrlimit,
    SYS_arch_prctl,
#endif
};

constexpr const char* kWriting = "open a file for writing";
constexpr const char* kChanging = "change files";
constexpr const char* kNetwork = "use the network";
constexpr const char* kStarting = "start a program";
constexpr const char* kProcesses = "reach another process";
constexpr const char* kSystem = "change the system";

// Some are refused by their arguments alone: see sandbox.cpp.
constexpr RefusedCall kRefused[] = {
    {SYS_openat, "openat", kWriting, 1},
    {SYS_ioctl, "ioctl", "control a device", -1},
    {SYS_fcntl, "fcntl", "have signals sent", -1},
    {SYS_truncate, "truncate", kChanging, 0},
    {SYS_unlinkat, "unlinkat", kChanging, 1},
    {SYS_renameat, "renameat", kChanging, 1},
    {SYS_renameat2, "renameat2", kChanging, 1},
    {SYS_linkat, "linkat", kChanging, 1},
    {SYS_symlinkat, "symlinkat", kChanging, 2},
    {SYS_mkdirat, "mkdirat", kChanging, 1},
    {SYS_mknodat, "mknodat", kChanging, 1},
    {SYS_fchmod, "fchmod", kChanging, -1},
    {SYS_fchmodat, "fchmodat", kChanging, 1},
    {SYS_fchown, "fchown", kChanging, -1},
    {SYS_fchownat, "fchownat", kChanging, 1},
    {SYS_utimensat, "utimensat", kChanging, 1},
    {SYS_setxattr, "setxattr", kChanging, 0},
    {SYS_lsetxattr, "lsetxattr", kChanging, 0},
    {SYS_fsetxattr, "fsetxattr", kChanging, -1},
    {SYS_removexattr, "removexattr", kChanging, 0},
    {SYS_lremovexattr, "lremovexattr", kChanging, 0},
    {SYS_fremovexattr, "fremovexattr", kChanging, -1},
    {SYS_socket, "socket", kNetwork, -1},
    {SYS_socketpair, "socketpair", kNetwork, -1},
    {SYS_connect, "connect", kNetwork, -1},
    {SYS_bind, "bind", kNetwork, -1},
    {SYS_listen, "listen", kNetwork, -1},
    {SYS_accept, "accept", kNetwork, -1},
    {SYS_accept4, "accept4", kNetwork, -1},
    {SYS_execve, "execve", kStarting, 0},
    {SYS_execveat, "execveat", kStarting, 1},
    {SYS_clone, "clone", "start a process", -1},
    {SYS_kill, "kill", kProcesses, -1},
    {SYS_tkill, "tkill", kProcesses, -1},
    {SYS_tgkill, "tgkill", kProcesses, -1},
    {SYS_rt_sigqueueinfo, "rt_sigqueueinfo", kProcesses, -1},
    {SYS_rt_tgsigqueueinfo, "rt_tgsigqueueinfo", kProcesses, -1},
    {SYS_prlimit64, "prlimit64", kProcesses, -1},
    {SYS_ptrace, "ptrace", kProcesses, -1},
    {SYS_process_vm_readv, "process_vm_readv", kProcesses, -1},
    {SYS_process_vm_writev, "process_vm_writev", kProcesses, -1},
    {SYS_mount, "mount", kSystem, 1},
    {SYS_umount2, "umount2", kSystem, 0},
    {SYS_chroot, "chroot", kSystem, 0},
    {SYS_pivot_root, "pivot_root", kSystem, 0},
    {SYS_unshare, "unshare", kSystem, -1},
    {SYS_setns, "setns", kSystem, -1},
    {SYS_reboot, "reboot", kSystem, -1},
#if defined(__x86_64__)
    {SYS_open, "open", kWriting, 0},
    {SYS_creat, "creat", kWriting, 0},
    {SYS_unlink, "unlink", kChanging, 0},
    {SYS_rename, "rename", kChanging, 0},
    {SYS_link, "link", kChanging, 0},
    {SYS_symlink, "symlink", kChanging, 1},
    {SYS_mkdir, "mkdir", kChanging, 0},
    {SYS_rmdir, "rmdir", kChanging, 0},
    {SYS_mknod, "mknod", kChanging, 0},
    {SYS_chmod, "chmod", kChanging, 0},
    {SYS_chown, "chown", kChanging, 0},
    {SYS_lchown, "lchown", kChanging, 0},
    {SYS_utime, "utime", kChanging, 0},
    {SYS_utimes, "utimes", kChanging, 0},
    {SYS_futimesat, "futimesat", kChanging, 1},
    {SYS_fork, "fork", "start a process", -1},
    {SYS_vfork, "vfork", "start a process", -1},
#endif
};

}  // namespace

AllowedCalls FindAllowedCalls() { return {kAllowed, sizeof kAllowed / sizeof kAllowed[0]}; }

RefusedCalls AllRefusedCalls() { return {kRefused, sizeof kRefused / sizeof kRefused[0]}; }

const RefusedCall* FindRefusedCall(long number) {
    for (const RefusedCall& call : kRefused) {
        if (call.number == number) {
            return &call;
        }
    }
    return nullptr;
}

}  // namespace sim
