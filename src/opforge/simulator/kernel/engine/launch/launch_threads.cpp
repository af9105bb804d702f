#include "launch_threads.h"

#include <algorithm>
#include <system_error>
#include <thread>

namespace sim {

LaunchThreads& LaunchThreads::OfProcess() {
    static auto* threads = new LaunchThreads;  // its threads never end
    return *threads;
}

void LaunchThreads::Offer(Job& job) {
    if (job.wanted == 0) {
        return;
    }
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        try {
            for (; threads_ < job.wanted; ++threads_) {
                std::thread([this] { Work(); }).detach();
            }
        } catch (const std::system_error&) {
            // the machine has no thread left for us: fewer help
        }
        jobs_.push_back(&job);
    }
    offered_.notify_all();
}

void LaunchThreads::Withdraw(Job& job) {
    std::unique_lock<std::mutex> lock(mutex_);
    jobs_.erase(std::remove(jobs_.begin(), jobs_.end(), &job), jobs_.end());
    done_.wait(lock, [&job] { return job.busy == 0; });
}

void LaunchThreads::Work() {
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
        offered_.wait(lock, [this] { return !jobs_.empty(); });
        Job& job = *jobs_.front();
        if (--job.wanted == 0) {
            jobs_.pop_front();
        }
        ++job.busy;
        lock.unlock();
        job.body();
        lock.lock();
        if (--job.busy == 0) {
            done_.notify_all();
        }
    }
}

}  // namespace sim
