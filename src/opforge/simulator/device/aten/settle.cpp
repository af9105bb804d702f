// Lets PyTorch's autograd threads finish with Python before the interpreter ends.
//
// After a backward pass the device's autograd thread still drops its references to Python objects while the main
// thread is already leaving. When it asks for the GIL of a finalizing interpreter, Python 3.11 ends the thread by
// unwinding, which C++ turns into "terminate called without an active exception". torch_npu shuts the device down from
// an atexit handler, before finalization: the moment to wait.
#include <dirent.h>
#include <dlfcn.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <string>
#include <thread>

namespace {

// True when a thread named by PyTorch's autograd engine is running or waiting for a lock it will get.
bool AutogradThreadsBusy() {
    DIR* tasks = opendir("/proc/self/task");
    if (tasks == nullptr) {
        return false;
    }
    bool busy = false;
    while (const dirent* task = readdir(tasks)) {
        const std::string statPath = std::string("/proc/self/task/") + task->d_name + "/stat";
        std::string line;
        std::getline(std::ifstream(statPath) >> std::ws, line);
        const size_t name = line.find('(');
        const size_t end = line.rfind(')');
        if (name == std::string::npos || end == std::string::npos || end + 2 >= line.size()) {
            continue;
        }
        busy = busy || (line.compare(name + 1, 11, "pt_autograd") == 0 && line[end + 2] != 'S');
    }
    closedir(tasks);
    return busy;
}

bool HasAutogradThreads() {
    DIR* tasks = opendir("/proc/self/task");
    if (tasks == nullptr) {
        return false;
    }
    bool found = false;
    while (const dirent* task = readdir(tasks)) {
        std::string name;
        std::getline(std::ifstream(std::string("/proc/self/task/") + task->d_name + "/comm"), name);
        found = found || name.rfind("pt_autograd", 0) == 0;
    }
    closedir(tasks);
    return found;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) void sim_aten_settle() {
    if (!HasAutogradThreads()) {
        return;
    }
    using Check = int (*)();
    using Save = void* (*)();
    using Restore = void (*)(void*);
    auto* holdsGil = reinterpret_cast<Check>(dlsym(RTLD_DEFAULT, "PyGILState_Check"));
    auto* save = reinterpret_cast<Save>(dlsym(RTLD_DEFAULT, "PyEval_SaveThread"));
    auto* restore = reinterpret_cast<Restore>(dlsym(RTLD_DEFAULT, "PyEval_RestoreThread"));
    const bool held = holdsGil != nullptr && save != nullptr && restore != nullptr && holdsGil() != 0;
    void* state = held ? save() : nullptr;
    // With the GIL free, a thread that sleeps is one that waits for work. Ask a few times in a row, 50 ms at most.
    int quiet = 0;
    for (int i = 0; i < 50 && quiet < 5; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        quiet = AutogradThreadsBusy() ? 0 : quiet + 1;
    }
    if (held) {
        restore(state);
    }
}
