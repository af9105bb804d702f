#include "contexts.h"

#include <algorithm>
#include <cstring>
#include <exception>

#include "context.h"
#include "launch_threads.h"
#include "schedule.h"

namespace sim {
namespace {

constexpr uint64_t kReadsAlone = 1000;          // that bring nothing new, before others get a turn
constexpr uint64_t kReadsInVain = 1000 * 1000;  // from which on it can only be another core that ends the loop

}  // namespace

namespace {

class ContextPool {
public:
    std::unique_ptr<Context> Take(uint64_t ubBytes) {
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
    void Give(std::unique_ptr<Context> context) {
        const std::lock_guard<std::mutex> lock(mutex_);
        idle_.push_back(std::move(context));
    }

private:
    std::mutex mutex_;
    std::vector<std::unique_ptr<Context>> idle_;
};

ContextPool& Pool() {
    static ContextPool pool;
    return pool;
}

// The context the calling thread runs.
thread_local Context* running __attribute__((tls_model("initial-exec"))) = nullptr;

}  // namespace

const Context* RunningContext() { return running; }

// One thread of a launch, and the blocks that began on it.
class Worker {
public:
    explicit Worker(Schedule& schedule) : schedule_(schedule), launch_(schedule.launch_) {}
    ~Worker() {
        for (auto& contexts : spare_) {
            for (std::unique_ptr<Context>& context : contexts) {
                Pool().Give(std::move(context));
            }
        }
    }

    void Run() {
        UseSignalStack();
        for (;;) {
            const uint64_t asked = schedule_.changes_.load();
            if (ResumeReady(asked) || TryBeginBlock()) {
                continue;
            }
            if (blocks_.empty()) {
                break;
            }
            schedule_.Sleep(*this, asked);
        }
        schedule_.Leave();
    }

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
    bool ResumeReady(uint64_t changes) {
        bool any = false;
        for (size_t b = 0; b < blocks_.size();) {
            Block& block = *blocks_[b];
            for (size_t i = 0; i < block.waiting.size();) {
                std::unique_ptr<Context>& context = block.waiting[i];
                const bool stop = launch_.stop.load();
                if (!stop && (context->asked == changes || !Ready(*context, changes))) {
                    ++i;
                    continue;
                }
                any = true;
                if (Resume(block, *context)) {
                    Spare(std::move(context));
                    block.waiting.erase(block.waiting.begin() + static_cast<std::ptrdiff_t>(i));
                } else {
                    ++i;
                }
            }
            if (block.waiting.empty()) {
                blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(b));
            } else {
                ++b;
            }
        }
        return any;
    }

    // A core or its stack may find no memory; then the cores that run already are unwound as after any failure.
    bool TryBeginBlock() {
        try {
            return BeginBlock();
        } catch (const std::exception& error) {
            schedule_.Record(0, {Status::kVectorException, std::string(launch_.request->op_type) +
                                                               ": the simulator itself failed: " + error.what()});
            return true;
        }
    }

    // Runs the cores of the next block until each has returned or waits. False when no block is left.
    bool BeginBlock() {
        if (launch_.stop.load()) {
            return false;
        }
        const uint32_t number = schedule_.nextBlock_.fetch_add(1);
        if (number >= launch_.request->block_dim) {
            return false;
        }
        if (spareBlock_ == nullptr) {
            spareBlock_ = std::make_unique<Block>();
        }
        Block& block = *spareBlock_;
        block.group = Group{};
        block.group.block = number;
        const uint32_t cores = launch_.type->Cores();
        std::unique_ptr<Context> contexts[3];
        for (uint32_t place = 0; place < cores; ++place) {
            contexts[place] = Get(launch_.type->KindOf(place));
            Core& core = contexts[place]->core;
            core.Begin(launch_, number * cores + place, block.group);
            if (core.Kind() == CoreKind::kCube) {
                block.group.cube = &core;
            } else {
                block.group.vectors.push_back(&core);
            }
        }
        for (uint32_t place = 0; place < cores; ++place) {
            Context& context = *contexts[place];
            context.fiber.Start([this, &context] { Body(context); });
            if (Resume(block, context)) {
                Spare(std::move(contexts[place]));
            } else {
                block.waiting.push_back(std::move(contexts[place]));
            }
        }
        if (!block.waiting.empty()) {
            blocks_.push_back(std::move(spareBlock_));
        }
        return true;
    }

    // True when the core has returned from the kernel function.
    bool Resume(Block& block, Context& context) {
        Context* const outer = running;
        running = &context;
        SetCurrentCore(&context.core);
        now.store(&context, std::memory_order_relaxed);
        const bool done = context.fiber.Resume();
        now.store(nullptr, std::memory_order_relaxed);
        SetCurrentCore(nullptr);
        running = outer;
        if (schedule_.polling_.load() != 0) {
            schedule_.Changed();
        }
        if (done && launch_.counts != nullptr && context.core.Index() < launch_.counts->capacity) {
            launch_.counts->cores[context.core.Index()] = context.core.Counts();
        }
        if (done && launch_.trace) {
            launch_.traces[context.core.Index()] = context.core.timeline.Fields();
        }
        if (done && launch_.type->Cores() > 1) {
            if (context.core.Kind() == CoreKind::kCube) {
                block.group.endedCube = true;
            } else {
                ++block.group.endedVectors;
            }
            schedule_.Changed();
        }
        return done;
    }

    void Body(Context& context) {
        Core& core = context.core;
        try {
            schedule_.entry_(launch_.args.data());
            core.End();
        } catch (Failure& failure) {
            schedule_.Record(core.Index(), std::move(failure));
        } catch (const Stopped&) {
        } catch (const std::exception& error) {
            schedule_.Record(core.Index(),
                             {Status::kVectorException, std::string(launch_.request->op_type) + ": " + core.Name() +
                                                            ": the simulator itself failed: " + error.what()});
        }
    }

    bool Ready(Context& context, uint64_t changes) {
        context.asked = changes;
        SetCurrentCore(&context.core);
        const bool ready = (*context.ready)();
        SetCurrentCore(nullptr);
        return ready;
    }

    std::unique_ptr<Context> Get(CoreKind kind) {
        std::vector<std::unique_ptr<Context>>& spare = spare_[static_cast<size_t>(kind)];
        if (spare.empty()) {
            return Pool().Take(kind == CoreKind::kCube ? 0 : launch_.request->soc->ub_bytes);
        }
        std::unique_ptr<Context> context = std::move(spare.back());
        spare.pop_back();
        return context;
    }

    void Spare(std::unique_ptr<Context> context) {
        spare_[static_cast<size_t>(context->core.Kind())].push_back(std::move(context));
    }

    Schedule& schedule_;
    Launch& launch_;
    std::vector<std::unique_ptr<Block>> blocks_;  // those with cores that wait
    std::unique_ptr<Block> spareBlock_;
    std::vector<std::unique_ptr<Context>> spare_[3];  // by CoreKind
};

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

void Await(const Call& call, const std::function<bool()>& ready, const std::function<std::string()>& waitsFor) {
    Context& context = *running;
    Launch& launch = context.core.Shared();
    if (std::uncaught_exceptions() != 0) {
        return;  // called by a destructor while the kernel is being left
    }
    for (;;) {
        if (launch.stop.load()) {
            launch.schedule->WaitsInVain(context.core.Index());
        }
        context.core.Poll();
        context.asked = launch.schedule->changes_.load();
        if (ready()) {
            return;
        }
        context.call = &call;
        context.ready = &ready;
        context.waitsFor = &waitsFor;
        context.fiber.Suspend();
    }
}

void Polled(Core& core, const Call& call, uint64_t addr, uint64_t bytes) {
    Polling& polling = core.polling;
    polling.Read(addr, bytes);
    if (polling.Repeats() % kReadsAlone != 0 || polling.Repeats() == 0) {
        return;
    }
    Context& context = *running;
    Schedule& schedule = *core.Shared().schedule;
    const bool inVain = polling.Idle() >= kReadsInVain;
    std::atomic<bool> turn{false};
    const std::function<bool()> ready = [&] { return polling.Changed() || turn.load(); };
    context.turn = inVain ? nullptr : &turn;
    schedule.BeginPolling();
    const auto end = [&](void*) {
        context.turn = nullptr;
        schedule.EndPolling();
    };
    const std::unique_ptr<void, decltype(end)> ended(&turn, end);
    Await(call, ready, [&] { return polling.Text(core.gm); });
}

void LeaveKernel() { running->fiber.Leave(); }

void Changed() { CurrentCore().Shared().schedule->Changed(); }

}  // namespace sim
