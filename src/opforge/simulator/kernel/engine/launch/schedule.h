// Runs the cores of one launch on a few threads until all have returned, one has failed, or none can go on.
#ifndef OPFORGE_SIM_KERNEL_LAUNCH_SCHEDULE_H
#define OPFORGE_SIM_KERNEL_LAUNCH_SCHEDULE_H

#include <pthread.h>

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

    // The core has failed: the others are stopped.
    void Record(uint32_t core, Failure failure);
    void Changed();
    // For as long as a core polls, others say when they have stopped: they may have written where it reads.
    void BeginPolling() { polling_.fetch_add(1); }
    void EndPolling() { polling_.fetch_sub(1); }
    // A core that waits for ever says where, while it is stopped.
    void WaitsInVain(uint32_t core);
    // Where each core is, a line for each. Halts them: the launch cannot go on.
    std::string Standing();

private:
    friend class Worker;
    friend void Await(const Call&, const std::function<bool()>&, const std::function<std::string()>&);
    friend void Polled(Core&, const Call&, uint64_t, uint64_t);

    // Takes part in the launch, as long as there are blocks that have not begun.
    void Join();
    // Nothing left to do on this thread until something changes. `asked`: what changes_ was when all were asked.
    void Sleep(Worker& worker, uint64_t asked);
    void Leave();
    bool AllAsleep() const;
    // Lets cores that poll go on. False where all of them have done so in vain.
    bool LetPoll();
    void Deadlock();
    void SayDeadlock();
    void EachWaiting(const std::function<void(const Context&)>& visit) const;
    void EachRunning(const std::function<void(const Context&, pthread_t)>& visit) const;

    // Where a core is, or what it waits for.
    struct Stand {
        const Context* context;
        std::string text;
        const EndlessLoop* loop;  // null where it has not been seen to loop for ever
        bool polls;               // it reads global memory again and again
        bool waits;
    };
    std::string TextOf(std::vector<Stand>& stands, const void* inKernel) const;

    // For as long as it lives, the launch is the one that sim_engine_standing speaks of.
    struct Current {
        explicit Current(Schedule& schedule);
        ~Current();
    };
    // A core that waits for ever.
    struct Waiting {
        uint32_t core;
        std::string text;
        std::vector<void*> stack;
    };

    Launch& launch_;
    sim_kernel_entry_fn entry_;
    std::atomic<uint32_t> nextBlock_{0};
    std::atomic<uint64_t> changes_{0};
    std::atomic<uint32_t> asleep_{0};
    std::atomic<uint32_t> polling_{0};

    std::mutex mutex_;  // guards what follows
    std::condition_variable wake_;
    std::vector<std::unique_ptr<Worker>> workers_;  // all that have joined
    uint32_t live_ = 0;
    bool failed_ = false;
    uint32_t failedCore_ = 0;
    Failure failure_{};
    std::vector<Waiting> deadlock_;
};

}  // namespace sim

#endif
