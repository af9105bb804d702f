// sim_device_worker: one simulated device's processor. Started by libascendcl at the first launch, as
//     sim_device_worker <device> <window address> <window bytes>
// with the device's memory open as descriptor 3 and the connection to the host process as descriptor 4. It maps the
// memory at the address that is the host's device pointers, runs launches one by one, and ends when the host goes.
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <csignal>
#include <mutex>
#include <poll.h>
#include <semaphore.h>
#include <string>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "crash_report.h"
#include "engine.h"
#include "kernel_cache.h"
#include "launch_wire.h"
#include "profile.h"
#include "sandbox.h"

namespace {

using sim::wire::Kind;

constexpr int kMemoryFd = 3;
constexpr int kSocketFd = 4;
constexpr size_t kReportBytes = 64 * 1024;

bool Reply(Kind kind, int status, const char* text, size_t bytes) {
    const sim::wire::Prefix prefix{bytes, kind, status};
    std::vector<char> message(sizeof prefix + bytes);
    std::memcpy(message.data(), &prefix, sizeof prefix);
    std::memcpy(message.data() + sizeof prefix, text, bytes);
    static std::mutex mutex;  // a kernel's warning, and the thread that says where it is
    const std::lock_guard<std::mutex> lock(mutex);
    return sim::wire::send_all(kSocketFd, message.data(), message.size());
}

bool Refuse(const std::string& why) { return Reply(Kind::kRefused, 0, why.data(), why.size()); }

// Where the device's memory is mapped.
struct Window {
    uint64_t address;
    uint64_t bytes;
};

bool MapMemory(const Window& window, std::string* why) {
    const auto [address, bytes] = window;
    void* wanted = reinterpret_cast<void*>(address);
    void* mapped =
        mmap(wanted, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE, kMemoryFd, 0);
    if (mapped != wanted) {
        *why = "cannot map the device's memory at its address: " + std::string(std::strerror(errno));
        return false;
    }
    madvise(mapped, bytes, MADV_DONTDUMP);
    madvise(mapped, bytes, MADV_DONTFORK);  // the engine's helper process has no use for it
    close(kMemoryFd);
    return true;
}

// A kernel that never ends must not outlive the host. The parent-death signal would not do: it is sent when the thread
// that started us ends, and threads of the host come and go.
void EndWithHost() {
    std::thread([] {
        pollfd host{kSocketFd, POLLRDHUP, 0};
        while (poll(&host, 1, -1) < 0 && errno == EINTR) {
        }
        _exit(0);
    }).detach();
}

sem_t askedWhere;

// The host asks by SIGUSR1 where a launch is that has run for too long, and ends this process when it has the answer.
void AnswerWhere(const sim::Engine& engine) {
    sem_init(&askedWhere, 0, 0);
    std::thread([&engine] {
        while (sem_wait(&askedWhere) != 0) {
        }
        std::vector<char> text(kReportBytes);
        engine.Standing(text.data(), text.size());
        Reply(Kind::kStanding, 0, text.data(), strnlen(text.data(), text.size()));
    }).detach();
    struct sigaction ask{};
    ask.sa_handler = [](int) { sem_post(&askedWhere); };
    ask.sa_flags = SA_RESTART | SA_ONSTACK;
    sigemptyset(&ask.sa_mask);
    sigaction(SIGUSR1, &ask, nullptr);
}

// Runs one launch and answers it. False when the host is gone.
bool Serve(const sim::wire::DecodedLaunch& decoded, const Window& window, sim::KernelCache& kernels,
           const sim::Engine& engine, sim::Profile& profile, std::vector<char>& report) {
    sim_launch launch = decoded.Launch();
    launch.gm_begin = window.address;
    launch.gm_bytes = window.bytes;
    std::string why;
    sim_kernel_entry_fn entry = nullptr;
    switch (kernels.Find(launch.object_path, &entry, &why)) {
        case sim::KernelCache::Result::kStale:
            Reply(Kind::kStale, 0, "", 0);
            _exit(0);
        case sim::KernelCache::Result::kFailed:
            return Refuse(why);
        case sim::KernelCache::Result::kFound:
            break;
    }
    report[0] = '\0';
    sim::SetKernelRunning(true);
    const int status = engine.Run(&launch, entry, report.data(), report.size(), profile.CountsFor(launch));
    sim::SetKernelRunning(false);
    std::fflush(stdout);  // a line the kernel did not end comes before the host goes on
    if (!profile.Append(launch, status, &why)) {
        return Refuse(why);
    }
    return Reply(Kind::kDone, status, report.data(), status == 0 ? 0 : strnlen(report.data(), report.size()));
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 4) {
        std::fprintf(stderr, "sim_device_worker is started by the simulated Ascend runtime, not by hand\n");
        return 2;
    }
    std::string why;
    sim::Engine engine;
    sim::Profile profile([](const char* text, size_t bytes) { Reply(Kind::kWarning, 0, text, bytes); });
    const Window window{std::strtoull(argv[2], nullptr, 10), std::strtoull(argv[3], nullptr, 10)};
    if (!MapMemory(window, &why) || !engine.Load(&why) || !profile.Open(&why)) {
        Refuse(why);
        return 1;
    }
    std::setvbuf(stdout, nullptr, _IOLBF, 0);  // what a kernel printed before it crashed is not lost
    const bool confined = sim::SandboxWanted();
    if (confined) {
        engine.BeforeSandbox();  // forks: the first thread of this process starts below
    }
    sim::ReportCrashes(kSocketFd);
    if (confined) {
        sim::EnterSandbox();
    }
    EndWithHost();
    AnswerWhere(engine);
    if (!Reply(Kind::kReady, 0, "", 0)) {
        return 1;
    }
    sim::KernelCache kernels;
    sim::wire::DecodedLaunch launch;
    std::vector<char> body;
    std::vector<char> report(kReportBytes);
    for (;;) {
        sim::wire::Prefix prefix{};
        if (!sim::wire::receive_all(kSocketFd, &prefix, sizeof prefix)) {
            return 0;
        }
        body.resize(prefix.bytes);
        if (!sim::wire::receive_all(kSocketFd, body.data(), body.size())) {
            return 0;
        }
        const bool understood = prefix.kind == Kind::kLaunch && launch.Decode(body);
        if (!(understood ? Serve(launch, window, kernels, engine, profile, report)
                         : Refuse("a message from the host is cut"))) {
            return 0;
        }
    }
}
