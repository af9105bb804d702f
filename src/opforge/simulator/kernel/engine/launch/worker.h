// One thread of a launch, and the blocks that began on it.
#ifndef OPFORGE_SIM_KERNEL_LAUNCH_WORKER_H
#define OPFORGE_SIM_KERNEL_LAUNCH_WORKER_H

#include <pthread.h>

#include <atomic>
#include <memory>
#include <vector>

#include "context.h"
#include "contexts.h"

namespace sim {

class Schedule;

class Worker {
public:
    explicit Worker(Schedule& schedule);
    ~Worker();

    void Run();

    uint64_t asked = 0;  // guarded by the schedule's mutex
    bool asleep = false;
    const pthread_t thread = pthread_self();
    std::atomic<const Context*> now{nullptr};  // the one that runs

    // Every core that waits on this thread. While the thread sleeps, or on itself.
    template <typename F>
    void EachWaiting(F visit) {
        for (const std::unique_ptr<Block>& block : blocks_) {
            for (const std::unique_ptr<Context>& context : block->waiting) {
                visit(*context);
            }
        }
    }

private:
    struct Block {
        Group group;
        std::vector<std::unique_ptr<Context>> waiting;
    };

    // Runs every waiting core whose condition holds now. False when there was none.
    bool ResumeReady(uint64_t changes);
    // A core or its stack may find no memory; then the cores that run already are unwound as after any failure.
    bool TryBeginBlock();
    // Runs the cores of the next block until each has returned or waits. False when no block is left.
    bool BeginBlock();
    // True when the core has returned from the kernel function.
    bool Resume(Block& block, Context& context);
    void Body(Context& context);
    bool Ready(Context& context, uint64_t changes);
    std::unique_ptr<Context> Get(CoreKind kind);
    void Spare(std::unique_ptr<Context> context);

    Schedule& schedule_;
    Launch& launch_;
    std::vector<std::unique_ptr<Block>> blocks_;  // those with cores that wait
    std::unique_ptr<Block> spareBlock_;
    std::vector<std::unique_ptr<Context>> spare_[3];  // by CoreKind
};

}  // namespace sim

#endif
