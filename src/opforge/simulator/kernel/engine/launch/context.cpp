#include "context.h"

namespace sim {
namespace {

// The context the calling thread runs.
thread_local Context* runningContext __attribute__((tls_model("initial-exec"))) = nullptr;

}  // namespace

Context* RunningContext() { return runningContext; }
void SetRunningContext(Context* context) { runningContext = context; }

ContextPool& ContextPool::OfProcess() {
    static ContextPool pool;
    return pool;
}

std::unique_ptr<Context> ContextPool::Take(uint64_t ubBytes) {
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        for (auto it = idle_.rbegin(); it != idle_.rend(); ++it) {
            if ((*it)->core.UbBytes() == ubBytes) {
                std::unique_ptr<Context> context = std::move(*it);
                idle_.erase(std::next(it).base());
                return context;
            }
        }
    }
    return std::make_unique<Context>(ubBytes);
}

void ContextPool::Give(std::unique_ptr<Context> context) {
    const std::lock_guard<std::mutex> lock(mutex_);
    idle_.push_back(std::move(context));
}

}  // namespace sim
