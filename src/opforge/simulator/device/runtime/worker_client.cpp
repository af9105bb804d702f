#include "worker_client.h"

#include <cerrno>
#include <chrono>
#include <cinttypes>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <cxxabi.h>
#include <memory>
#include <mutex>
#include <poll.h>
#include <pthread.h>
#include <set>
#include <string>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "current_device.h"
#include "device_error.h"
#include "device_memory.h"
#include "error_message.h"
#include "exports.h"
#include "launch_wire.h"
#include "settings.h"
#include "worker_process.h"

namespace sim {
namespace {

using Clock = std::chrono::steady_clock;

// How long a worker may take to say where its launch is: with addr2line for each core.
constexpr std::chrono::seconds kPatience(10);

std::string Demangled(const char* symbol) {
    int status = 0;
    char* text = abi::__cxa_demangle(symbol, nullptr, nullptr, &status);
    const std::string result = status == 0 && text != nullptr ? text : symbol;
    std::free(text);
    return result;
}

// glibc has names for all of them (sigabbrev_np), but not before 2.32.
const char* SignalAbbreviation(int signal) {
    switch (signal) {
        case SIGSEGV:
            return "SIGSEGV";
        case SIGBUS:
            return "SIGBUS";
        case SIGFPE:
            return "SIGFPE";
        case SIGILL:
            return "SIGILL";
        case SIGABRT:
            return "SIGABRT";
        case SIGKILL:
            return "SIGKILL";
        case SIGTERM:
            return "SIGTERM";
        default:
            return "a signal";
    }
}

std::string SignalName(int signal) { return std::string(SignalAbbreviation(signal)) + " (" + strsignal(signal) + ")"; }

// A warning of a kernel, for whoever started this process: once, whichever worker says it.
void Warn(const std::string& text) {
    static auto* mutex = new std::mutex;
    static auto* told = new std::set<std::string>;
    const std::lock_guard<std::mutex> lock(*mutex);
    if (told->insert(text).second) {
        std::fprintf(stderr, "%s\n", text.c_str());
    }
}

// What a kernel has tried that the worker's sandbox refuses.
std::string RefusedCall(const wire::CrashRecord& crash) {
    std::string text = "the kernel tried ";
    if (crash.call[0] ==
        '\0') {  // no handler runs where signals are blocked, as libc does around the start of a program
        text += "what the sandbox of the simulated device refuses, most likely to start a program";
    } else {
        text += std::string("to ") + crash.tried;
        text += std::string(" (system call ") + crash.call;
        text += crash.path[0] == '\0' ? "" : std::string(" of '") + crash.path + "'";
        text += "), which the sandbox of the simulated device refuses";
    }
    return text +
           ". A kernel computes with the memory that it is given, and prints. OPFORGE_SIM_SANDBOX=off runs kernels "
           "without the sandbox, with all your rights";
}

// One device's worker. Launches on a device are in order, so one at a time holds the mutex.
class WorkerClient {
public:
    int Launch(uint32_t device, const sim_launch& launch) {
        std::lock_guard<std::mutex> lock(mutex_);
        const std::vector<char> message = wire::EncodeLaunch(launch);
        // A second try is for a worker that went away while idle, or that gave up its place for a changed kernel.
        for (int attempt = 0; attempt < 2; ++attempt) {
            if (!process_.Running()) {
                if (const aclError failed = process_.Start(device, MemoryOf(device)); failed != ACL_SUCCESS) {
                    return failed;
                }
            }
            if (!wire::send_all(process_.Socket(), message.data(), message.size())) {
                process_.Stop();
                continue;
            }
            bool again = false;
            const int status = Outcome(launch, &again);
            if (!again) {
                return status;
            }
        }
        return Fail(ACL_ERROR_RT_INTERNAL_ERROR, "%s: the worker of simulated device %u does not stay alive",
                    launch.op_type, device);
    }

    void Stop() {
        std::lock_guard<std::mutex> lock(mutex_);
        process_.Stop();
    }

    // After fork() in the child: the worker is the parent's.
    void Disown() { process_.Disown(); }

private:
    int Outcome(const sim_launch& launch, bool* again) {
        wire::CrashRecord crash{};
        const Clock::time_point end = Clock::now() + std::chrono::seconds(CurrentSettings().timeoutSeconds);
        for (;;) {
            if (!WaitReadable(end)) {
                const std::string where = Standing();
                process_.Kill();
                const std::string text =
                    std::string(launch.op_type) + ": the kernel did not end within " +
                    std::to_string(CurrentSettings().timeoutSeconds) + " s and was stopped" +
                    (where.empty() ? ". It may wait for an event or a queue that nobody serves, or loop for ever; "
                                     "OPFORGE_SIM_TIMEOUT sets the limit in seconds"
                                   : where);
                return FailWith(ACL_ERROR_RT_VECTOR_CORE_TIMEOUT, text.c_str());
            }
            wire::Prefix prefix{};
            if (!wire::receive_all(process_.Socket(), &prefix, sizeof prefix)) {
                return Died(launch, crash);
            }
            std::vector<char> body(prefix.bytes);
            if (!wire::receive_all(process_.Socket(), body.data(), body.size())) {
                return Died(launch, crash);
            }
            switch (prefix.kind) {
                case wire::Kind::kDone:
                    if (prefix.status != 0) {
                        body.push_back('\0');
                        FailWith(prefix.status, body.data());
                    }
                    return prefix.status;
                case wire::Kind::kRefused:
                    return Fail(ACL_ERROR_RT_INTERNAL_ERROR, "%s: %.*s", launch.op_type, static_cast<int>(body.size()),
                                body.data());
                case wire::Kind::kCrashed:
                    std::memcpy(&crash, body.data(), std::min(body.size(), sizeof crash));
                    break;  // the end of the process follows
                case wire::Kind::kWarning:
                    Warn(std::string(body.data(), body.size()));
                    break;
                case wire::Kind::kStale:
                    process_.Stop();
                    *again = true;
                    return ACL_SUCCESS;
                default:
                    return Died(launch, crash);
            }
        }
    }

    // Where the cores of a launch are that has run for too long; "" where the worker does not say.
    std::string Standing() {
        process_.AskWhere();
        for (;;) {
            wire::Prefix prefix{};
            if (!WaitReadable(Clock::now() + kPatience) ||
                !wire::receive_all(process_.Socket(), &prefix, sizeof prefix)) {
                return {};
            }
            std::string text(prefix.bytes, '\0');
            if (!wire::receive_all(process_.Socket(), text.data(), text.size()) ||
                (prefix.kind != wire::Kind::kStanding && prefix.kind != wire::Kind::kWarning)) {
                return {};
            }
            if (prefix.kind == wire::Kind::kStanding) {
                return text;
            }
            Warn(text);
        }
    }

    // False when the time is over.
    bool WaitReadable(Clock::time_point end) {
        for (;;) {
            int waitMs = -1;
            if (CurrentSettings().timeoutSeconds != 0) {
                const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
                waitMs = left > 0 ? static_cast<int>(std::min<int64_t>(left, 60000)) : 0;
            }
            pollfd pollFor{process_.Socket(), POLLIN, 0};
            const int ready = poll(&pollFor, 1, waitMs);
            if (ready > 0) {
                return true;
            }
            if (ready == 0 && Clock::now() >= end && CurrentSettings().timeoutSeconds != 0) {
                return false;
            }
        }
    }

    int Died(const sim_launch& launch, const wire::CrashRecord& crash) {
        const int status = process_.Reap();
        const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : crash.signal;
        std::string text = std::string(launch.op_type) + ": ";
        if (signal == SIGSYS) {
            text += RefusedCall(crash);
        } else if (signal == SIGINT) {
            text += "the kernel was interrupted from the keyboard";
        } else if (signal != 0) {
            text += "the kernel crashed with " + SignalName(signal);
        } else {
            text += "the kernel ended its process, exit status " + std::to_string(WEXITSTATUS(status));
        }
        if (crash.symbol[0] != '\0') {
            text += " in " + Demangled(crash.symbol);
        }
        if (signal == SIGSEGV || signal == SIGBUS) {
            char address[64];
            std::snprintf(address, sizeof address, ", address 0x%" PRIx64, crash.address);
            text += address;
            text +=
                ". It left the memory it was given: look for an index past an array, or a pointer that did not come "
                "from a tensor";
        } else if (signal == SIGKILL) {
            text += ". Something outside killed it; most often the machine ran out of memory";
        }
        text += "\n  kernel object: " + std::string(launch.object_path);
        return FailWith(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION, text.c_str());
    }

    std::mutex mutex_;
    WorkerProcess process_;
};

WorkerClient* Clients() {
    static WorkerClient* instances = [] {
        auto* made = new WorkerClient[kMaxDevices];
        pthread_atfork(nullptr, nullptr, [] {
            for (uint32_t device = 0; device < kMaxDevices; ++device) {
                Clients()[device].Disown();
            }
        });
        return made;
    }();
    return instances;
}

}  // namespace

void StopWorkers() {
    for (uint32_t device = 0; device < kMaxDevices; ++device) {
        Clients()[device].Stop();
    }
}

}  // namespace sim

SIM_EXPORT int sim_device_launch(const sim_launch* launch) {
    if (sim::ForkedAfterOpen()) {
        return sim::FailForked("sim_device_launch");
    }
    const int32_t device = sim::CurrentDevice();
    if (device < 0) {
        return sim::Fail(ACL_ERROR_RT_CONTEXT_NULL, "%s: no device was set on this thread (aclrtSetDevice)",
                         launch->op_type);
    }
    if (const aclError failed = sim::MemoryOf(static_cast<uint32_t>(device)).Open(); failed != ACL_SUCCESS) {
        return failed;
    }
    const int status = sim::Clients()[device].Launch(static_cast<uint32_t>(device), *launch);
    sim::NoteFault(static_cast<uint32_t>(device), status, launch->op_type);
    return status;
}
