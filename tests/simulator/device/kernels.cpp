// Kernel objects of the tests; -DKERNEL= chooses one. Arguments: x, z, the tiling data (count, first of all).
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#if KERNEL == 5
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

// What a kernel does that wants more than to compute; what the sandbox stands against, and what it lets be.
void escape(int64_t way) {
    char name[] = "escaped";
    char* const words[] = {name, nullptr};
    switch (way) {
        case 1:
            std::ofstream("escaped") << "here";
            break;
        case 2:
            creat("escaped", 0600);
            break;
        case 3:
            open("made.txt", O_RDONLY | O_CREAT, 0600);
            break;
        case 4:
            open("made.txt", O_RDONLY | O_TRUNC);
            break;
        case 5:
            std::remove("escaped");
            break;
        case 6:
            rename("escaped", "elsewhere");
            break;
        case 7:
            chmod("escaped", 0777);
            break;
        case 8:
            truncate("escaped", 0);
            break;
        case 9:
            socket(AF_INET, SOCK_STREAM, 0);
            break;
        case 10:
            execv("/bin/true", words);
            break;
        case 11:
            if (std::system("true > escaped") != 0) {
                std::puts("no shell");
            }
            break;
        case 12:
            fork();
            break;
        case 13:
            kill(getppid(), SIGTERM);
            break;
        case 14:
            ioctl(STDOUT_FILENO, TIOCSTI, name);
            break;
        case 15:
            fcntl(STDOUT_FILENO, F_SETOWN, getppid());
            break;
        case 16:
            open(reinterpret_cast<const char*>(16), O_WRONLY);
            break;
        case 17:
            symlink("escaped", "elsewhere");
            break;
        case 18:
            mkdir("escaped", 0700);
            break;
        case 19:
            (void)!chroot("elsewhere");
            break;
        case 100: {  // what goes on as before
            const int file = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
            char status[8192];
            const ssize_t got = read(file, status, sizeof status - 1);
            status[got > 0 ? got : 0] = '\0';
            std::ifstream lines("/proc/self/status");
            int memory = memfd_create("scratch", MFD_CLOEXEC);
            const bool grown = ftruncate(memory, 4096) == 0;
            bool threaded = false;
            std::thread([&] { threaded = true; }).join();
            errno = 0;
            const bool missing = syscall(SYS_io_uring_setup, 1, nullptr) == -1 && errno == ENOSYS;
            std::printf("reads %d %d, memory %d, threads %d, no io_uring %d\n", got > 0, lines.good(), grown, threaded,
                        missing);
            break;
        }
        default:
            break;
    }
}
#endif

extern "C" __attribute__((visibility("default"), noinline)) void follow_wild_index(const float* x, int64_t index) {
    const_cast<volatile float*>(x)[index] = 1.0F;
}

extern "C" __attribute__((visibility("default"))) void sim_kernel_entry(const uint64_t* args) {
    auto* x = reinterpret_cast<const float*>(args[0]);
    auto* z = reinterpret_cast<float*>(args[1]);
    const int64_t count = *reinterpret_cast<const int64_t*>(args[2]);
#if KERNEL == 0  // z = x + STEP
#ifndef STEP
#define STEP 1.0F
#endif
    for (int64_t i = 0; i < count; ++i) {
        z[i] = x[i] + STEP;
    }
#elif KERNEL == 1  // writes far outside
    (void)z;
    (void)count;
    std::puts("a line before the crash");
    follow_wild_index(x, int64_t{1} << 40);
#elif KERNEL == 2
    (void)x, (void)z, (void)count;
    std::abort();
#elif KERNEL == 3
    (void)x, (void)z;
    for (volatile int64_t i = count; i >= 0;) {
    }
#elif KERNEL == 4
    (void)x, (void)z, (void)count;
    std::puts("a line from the kernel");
    std::exit(3);
#elif KERNEL == 5
    (void)x, (void)z;
    escape(count);
    std::puts("the kernel ended");
#endif
}
