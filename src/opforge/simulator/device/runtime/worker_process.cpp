#include "worker_process.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <string>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "device_memory.h"
#include "error_message.h"
#include "launch_wire.h"
#include "toolkit_root.h"

extern char** environ;

namespace sim {
namespace {

// The descriptors the worker finds open: see worker/main.cpp.
constexpr int kMemoryFd = 3;
constexpr int kSocketFd = 4;

// posix_spawn with the two descriptors in their places. Returns an errno value.
int SpawnWorker(const std::string& program, uint32_t device, const DeviceMemory& memory, int socket, pid_t* pid) {
    const std::string arguments[] = {program, std::to_string(device), std::to_string(memory.Base()),
                                     std::to_string(memory.WindowBytes())};
    std::vector<char*> argv;
    for (const std::string& argument : arguments) {
        argv.push_back(const_cast<char*>(argument.c_str()));
    }
    argv.push_back(nullptr);
    // Copies above the two target numbers: dup2 of one must not close the other.
    const int memoryCopy = fcntl(memory.Fd(), F_DUPFD_CLOEXEC, 10);
    const int socketCopy = fcntl(socket, F_DUPFD_CLOEXEC, 10);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, memoryCopy, kMemoryFd);
    posix_spawn_file_actions_adddup2(&files, socketCopy, kSocketFd);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawnattr_t attributes;  // the host's blocked and ignored signals are not the kernel's
    posix_spawnattr_init(&attributes);
    sigset_t none;
    sigset_t all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    const int error = memoryCopy < 0 || socketCopy < 0
                          ? EMFILE
                          : posix_spawn(pid, program.c_str(), &files, &attributes, argv.data(), environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    close(memoryCopy);
    close(socketCopy);
    return error;
}

}  // namespace

aclError WorkerProcess::Start(uint32_t device, const DeviceMemory& memory) {
    const std::string program = ToolkitRoot() + "/bin/sim_device_worker";
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
        return Fail(ACL_ERROR_RT_DEV_SETUP_ERROR, "no connection to the worker of simulated device %u: %s", device,
                    strerror(errno));
    }
    const int error = SpawnWorker(program, device, memory, pair[1], &pid_);
    close(pair[1]);
    if (error != 0) {
        close(pair[0]);
        pid_ = -1;
        return Fail(ACL_ERROR_RT_DEV_SETUP_ERROR, "the worker of simulated device %u does not start: %s: %s", device,
                    program.c_str(), strerror(error));
    }
    socket_ = pair[0];
    wire::Prefix prefix{};
    if (!wire::receive_all(socket_, &prefix, sizeof prefix)) {
        const int status = Reap();
        return Fail(ACL_ERROR_RT_DEV_SETUP_ERROR,
                    "the worker of simulated device %u ended at its start, wait status %d", device, status);
    }
    if (prefix.kind != wire::Kind::kReady) {
        std::string why(prefix.bytes, '\0');
        wire::receive_all(socket_, why.data(), why.size());
        Stop();
        return Fail(ACL_ERROR_RT_DEV_SETUP_ERROR, "the worker of simulated device %u: %s", device, why.c_str());
    }
    return ACL_SUCCESS;
}

int WorkerProcess::Reap() {
    int status = 0;
    if (pid_ > 0) {
        while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
        }
    }
    if (socket_ >= 0) {
        close(socket_);
    }
    Disown();
    return status;
}

void WorkerProcess::Stop() {
    if (socket_ >= 0) {
        shutdown(socket_, SHUT_RDWR);
        Reap();
    }
}

void WorkerProcess::Kill() {
    if (pid_ > 0) {
        ::kill(pid_, SIGKILL);
        Reap();
    }
}

void WorkerProcess::AskWhere() const {
    if (pid_ > 0) {
        ::kill(pid_, SIGUSR1);
    }
}

void WorkerProcess::Disown() {
    socket_ = -1;
    pid_ = -1;
}

}  // namespace sim
