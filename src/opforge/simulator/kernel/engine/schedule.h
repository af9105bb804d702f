// Runs the cores of one launch on a few threads until all have returned, one has failed, or none can go on.
#ifndef OPFORGE_SIM_KERNEL_SCHEDULE_H
#define OPFORGE_SIM_KERNEL_SCHEDULE_H

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include "contexts.h"

namespace sim {

class Context;
class Worker;

class Schedule {
public:
    Schedule(Launch& launch, sim_kernel_entry_fn entry);
    ~Schedule();

    // On this thread and up to `threads` - 1 others. False when a core has failed; then Failed() says how the first of
    // them did, by its place in the launch.
    bool Run(uint32_t threads);
    const Failure& Failed() const { return failure_; }

    void Changed();

private:
    friend class Worker;
    friend void Await(const Call&, const std::function<bool()>&, const std::function<std::string()>&);

    // Takes part in the launch, as long as there are blocks that have not begun.
    void Join();
    void Record(uint32_t core, Failure failure);
    // Nothing left to do on this thread until something changes. `asked`: what changes_ was when all were asked.
    void Sleep(Worker& worker, uint64_t asked);
    void Leave();
    bool AllAsleep() const;
    void Deadlock();

    Launch& launch_;
    sim_kernel_entry_fn entry_;
    std::atomic<uint32_t> nextBlock_{0};
    std::atomic<uint64_t> changes_{0};
    std::atomic<uint32_t> asleep_{0};

    std::mutex mutex_;  // guards what follows
    std::condition_variable wake_;
    std::vector<std::unique_ptr<Worker>> workers_;  // all that have joined
    uint32_t live_ = 0;
    bool failed_ = false;
    uint32_t failedCore_ = 0;
    Failure failure_{};
};

}  // namespace sim

#endif
