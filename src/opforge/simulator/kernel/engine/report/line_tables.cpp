#include "line_tables.h"

#include <dirent.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <sstream>

#include "sim_launch.h"
#include "sim_socket.h"

namespace sim {
namespace {

bool apart = false;  // a helper process runs addr2line, and this one starts no programs
int helper = -1;     // the connection to it; -1 where it could not be started

// What the program prints, or "" where it cannot be run.
std::string OutputOf(std::vector<std::string> words) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return {};
    }
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    std::vector<char*> argv;
    for (std::string& word : words) {
        argv.push_back(word.data());
    }
    argv.push_back(nullptr);
    pid_t child = 0;
    const int failed = posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    std::string output;
    if (failed == 0) {
        char part[4096];
        for (;;) {
            const ssize_t got = read(ends[0], part, sizeof(part));
            if (got > 0) {
                output.append(part, static_cast<size_t>(got));
            } else if (got == 0 || errno != EINTR) {
                break;
            }
        }
        int status = 0;
        while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
        }
    }
    close(ends[0]);
    return output;
}

std::string RunAddr2line(const std::string& object, const std::vector<uint64_t>& offsets) {
    if (object.empty() || object[0] == '@') {  // addr2line would take its options from that file
        return {};
    }
    std::vector<std::string> words = {"addr2line", "-a", "-i", "-f", "-C", "-e", object};
    for (const uint64_t offset : offsets) {
        std::ostringstream word;
        word << "0x" << std::hex << offset;
        words.push_back(word.str());
    }
    return OutputOf(std::move(words));
}

// Between this process and its helper: a message is its size and its bytes.

constexpr uint64_t kMostBytes = uint64_t{16} << 20;

bool SendMessage(int socket, const std::string& text) {
    const uint64_t size = text.size();
    return wire::send_all(socket, &size, sizeof(size)) && wire::send_all(socket, text.data(), text.size());
}

bool ReceiveMessage(int socket, std::string* text) {
    uint64_t size = 0;
    if (!wire::receive_all(socket, &size, sizeof(size)) || size > kMostBytes) {
        return false;
    }
    text->resize(size);
    return wire::receive_all(socket, text->data(), size);
}

// Nothing of what the parent has open but `socket`: a copy of its connection would keep the parent's host waiting.
void KeepOnly(int socket) {
    const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        dup2(null, standard);
    }
    std::vector<int> others;
    if (DIR* const open_files = opendir("/proc/self/fd")) {
        while (const dirent* const entry = readdir(open_files)) {
            const int file = std::atoi(entry->d_name);
            if (file > STDERR_FILENO && file != socket && file != dirfd(open_files)) {
                others.push_back(file);
            }
        }
        closedir(open_files);
    }
    for (const int file : others) {
        close(file);
    }
}

// Until the parent ends. It takes what the parent sends for an object and offsets, and nothing else: a kernel that
// writes to the connection reaches addr2line alone.
[[noreturn]] void Serve(int socket) {
    KeepOnly(socket);
    signal(SIGINT, SIG_IGN);  // the keyboard's is for the parent
    std::string request;
    while (ReceiveMessage(socket, &request)) {
        const std::string object = request.c_str();  // NUL behind it, then the offsets
        std::vector<uint64_t> offsets((request.size() - std::min(request.size(), object.size() + 1)) /
                                      sizeof(uint64_t));
        if (!offsets.empty()) {
            std::memcpy(offsets.data(), request.data() + object.size() + 1, offsets.size() * sizeof(uint64_t));
        }
        if (!SendMessage(socket, RunAddr2line(object, offsets))) {
            break;
        }
    }
    _exit(0);
}

}  // namespace

std::string LinesOf(const std::string& object, const std::vector<uint64_t>& offsets) {
    if (!apart) {
        return RunAddr2line(object, offsets);
    }
    std::string request = object + '\0';
    request.append(reinterpret_cast<const char*>(offsets.data()), offsets.size() * sizeof(uint64_t));
    static std::mutex mutex;
    const std::lock_guard<std::mutex> lock(mutex);
    std::string lines;
    return helper >= 0 && SendMessage(helper, request) && ReceiveMessage(helper, &lines) ? lines : std::string();
}

}  // namespace sim

extern "C" __attribute__((visibility("default"))) int sim_engine_before_sandbox(void) {
    sim::apart = true;
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
        return errno;
    }
    const pid_t child = fork();
    if (child == 0) {
        sim::Serve(pair[1]);
    }
    const int failed = child < 0 ? errno : 0;
    close(pair[1]);
    if (failed != 0) {
        close(pair[0]);
        return failed;
    }
    sim::helper = pair[0];
    return 0;
}
