// Threads that help with launches. They are kept from launch to launch: starting one takes longer than a small launch.
#ifndef OPFORGE_SIM_KERNEL_LAUNCH_THREADS_H
#define OPFORGE_SIM_KERNEL_LAUNCH_THREADS_H

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>

namespace sim {

class LaunchThreads {
public:
    // Of this process; they end with it.
    static LaunchThreads& OfProcess();

    // Work that up to `wanted` threads may take part in, each by one call of `body`, which must not throw.
    struct Job {
        std::function<void()> body;
        uint32_t wanted;
        uint32_t busy = 0;
    };
    // Whether and when a thread comes is not said: the caller does what none has taken.
    void Offer(Job& job);
    // No thread begins the job any more, and those that have are done.
    void Withdraw(Job& job);

private:
    void Work();

    std::mutex mutex_;  // guards what follows, and the jobs
    std::condition_variable offered_;
    std::condition_variable done_;
    std::deque<Job*> jobs_;
    uint32_t threads_ = 0;
};

}  // namespace sim

#endif
