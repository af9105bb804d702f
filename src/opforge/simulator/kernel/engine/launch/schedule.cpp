#include "schedule.h"

#include <algorithm>

#include "context.h"
#include "launch_threads.h"
#include "worker.h"

namespace sim {

Schedule::Schedule(Launch& launch, sim_kernel_entry_fn entry) : launch_(launch), entry_(entry) {
    launch.schedule = this;
}

Schedule::~Schedule() { launch_.schedule = nullptr; }

bool Schedule::Run(uint32_t wanted) {
    const Current here(*this);
    const uint32_t count = std::max(1u, std::min(wanted, launch_.request->block_dim));
    LaunchThreads::Job others{[this] { Join(); }, count - 1};
    LaunchThreads::OfProcess().Offer(others);
    Join();
    LaunchThreads::OfProcess().Withdraw(others);
    if (!deadlock_.empty()) {
        SayDeadlock();
    }
    return !failed_;
}

void Schedule::Join() {
    Worker* worker = nullptr;
    {
        // A thread counts before it takes a block, so that nobody who waits for that block's cores finds all asleep.
        const std::lock_guard<std::mutex> lock(mutex_);
        if (launch_.stop.load() || nextBlock_.load() >= launch_.request->block_dim) {
            return;
        }
        workers_.push_back(std::make_unique<Worker>(*this));
        worker = workers_.back().get();
        ++live_;
    }
    worker->Run();
}

void Schedule::Record(uint32_t core, Failure failure) {
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (!failed_ || core < failedCore_) {
            failed_ = true;
            failedCore_ = core;
            failure_ = std::move(failure);
        }
        launch_.stop.store(true);
    }
    wake_.notify_all();
}

void Schedule::Changed() {
    changes_.fetch_add(1);
    if (asleep_.load() != 0) {
        const std::lock_guard<std::mutex> lock(mutex_);
        wake_.notify_all();
    }
}

// A thread is asleep and what it last asked about is still so: nobody but an awake thread can change that.
bool Schedule::AllAsleep() const {
    const uint64_t changes = changes_.load();
    uint32_t count = 0;
    for (const std::unique_ptr<Worker>& worker : workers_) {
        count += worker->asleep && worker->asked == changes ? 1u : 0u;
    }
    return live_ > 0 && count == live_;
}

void Schedule::Sleep(Worker& worker, uint64_t asked) {
    std::unique_lock<std::mutex> lock(mutex_);
    worker.asked = asked;
    worker.asleep = true;
    asleep_.fetch_add(1);
    if (!launch_.stop.load() && AllAsleep()) {
        Deadlock();
    }
    wake_.wait(lock, [&] { return launch_.stop.load() || changes_.load() != asked; });
    worker.asleep = false;
    asleep_.fetch_sub(1);
}

void Schedule::Leave() {
    const std::lock_guard<std::mutex> lock(mutex_);
    --live_;
    if (!launch_.stop.load() && AllAsleep()) {
        Deadlock();
    }
}

bool Schedule::LetPoll() {
    bool any = false;
    for (const std::unique_ptr<Worker>& worker : workers_) {
        worker->EachWaiting([&](Context& context) {
            if (context.turn != nullptr && !context.turn->exchange(true)) {
                any = true;
            }
        });
    }
    if (any) {
        changes_.fetch_add(1);
        wake_.notify_all();
    }
    return any;
}

void Schedule::EachWaiting(const std::function<void(const Context&)>& visit) const {
    for (const std::unique_ptr<Worker>& worker : workers_) {
        worker->EachWaiting([&](const Context& context) { visit(context); });
    }
}

void Schedule::EachRunning(const std::function<void(const Context&, pthread_t)>& visit) const {
    for (const std::unique_ptr<Worker>& worker : workers_) {
        if (const Context* const context = worker->now.load()) {
            visit(*context, worker->thread);
        }
    }
}

}  // namespace sim
