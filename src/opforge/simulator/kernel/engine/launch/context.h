// A core with a stack of its own. Kept for later launches, because its buffers cost more than a small launch.
#ifndef OPFORGE_SIM_KERNEL_LAUNCH_CONTEXT_H
#define OPFORGE_SIM_KERNEL_LAUNCH_CONTEXT_H

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core.h"
#include "fiber.h"

namespace sim {

class Context {
public:
    explicit Context(uint64_t ubBytes) : core(ubBytes) {}

    // "block 1 of 2: file:3: IBWait: waits for ...". While it waits.
    std::string Waits() const;

    Core core;
    Fiber fiber;
    // while it waits
    const Call* call = nullptr;
    const std::function<bool()>* ready = nullptr;
    const std::function<std::string()>* waitsFor = nullptr;
    uint64_t asked = 0;                 // what Schedule::changes_ was when ready() was last asked
    std::atomic<bool>* turn = nullptr;  // while it polls and could go on: set to let it
};

// The one that the calling thread runs, or null.
Context* RunningContext();
void SetRunningContext(Context* context);

// Contexts of earlier launches.
class ContextPool {
public:
    // Of this process.
    static ContextPool& OfProcess();

    std::unique_ptr<Context> Take(uint64_t ubBytes);
    void Give(std::unique_ptr<Context> context);

private:
    std::mutex mutex_;
    std::vector<std::unique_ptr<Context>> idle_;
};

}  // namespace sim

#endif
