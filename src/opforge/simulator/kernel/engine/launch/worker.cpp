#include "worker.h"

#include <cstdlib>
#include <exception>

#include "schedule.h"

namespace sim {
namespace {

std::terminate_handler before = nullptr;

// In a function that may not throw, such as a destructor, the kernel API has failed or found the launch over.
[[noreturn]] void OnTerminate() {
    Context* const running = RunningContext();
    try {
        if (running != nullptr && std::current_exception() != nullptr) {
            std::rethrow_exception(std::current_exception());
        }
    } catch (Failure& failure) {
        running->core.Shared().schedule->Record(running->core.Index(), std::move(failure));
        LeaveKernel();
    } catch (const Stopped&) {
        LeaveKernel();
    } catch (...) {
        // the simulator itself, or the kernel
    }
    before();
    std::abort();
}

}  // namespace

Worker::Worker(Schedule& schedule) : schedule_(schedule), launch_(schedule.launch_) {
    static const bool watching = (before = std::set_terminate(&OnTerminate)) != nullptr;
    static_cast<void>(watching);
}

Worker::~Worker() {
    for (auto& contexts : spare_) {
        for (std::unique_ptr<Context>& context : contexts) {
            ContextPool::OfProcess().Give(std::move(context));
        }
    }
}

void Worker::Run() {
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

bool Worker::ResumeReady(uint64_t changes) {
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

bool Worker::TryBeginBlock() {
    try {
        return BeginBlock();
    } catch (const std::exception& error) {
        schedule_.Record(0, {Status::kVectorException,
                             std::string(launch_.request->op_type) + ": the simulator itself failed: " + error.what()});
        return true;
    }
}

bool Worker::BeginBlock() {
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

bool Worker::Resume(Block& block, Context& context) {
    Context* const outer = RunningContext();
    SetRunningContext(&context);
    SetCurrentCore(&context.core);
    now.store(&context, std::memory_order_relaxed);
    const bool done = context.fiber.Resume();
    now.store(nullptr, std::memory_order_relaxed);
    SetCurrentCore(nullptr);
    SetRunningContext(outer);
    if (schedule_.polling_.load() != 0) {
        schedule_.Changed();
    }
    if (done && launch_.counts != nullptr && context.core.Index() < launch_.counts->capacity) {
        launch_.counts->cores[context.core.Index()] = context.core.Counts();
    }
    if (done && launch_.times != nullptr) {
        launch_.touched[context.core.Index()] = std::move(context.core.memory.gm.touched);
    }
    if (done && launch_.trace) {
        launch_.traces[context.core.Index()] = context.core.order.timeline.Fields();
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

void Worker::Body(Context& context) {
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

bool Worker::Ready(Context& context, uint64_t changes) {
    context.asked = changes;
    SetCurrentCore(&context.core);
    const bool ready = (*context.ready)();
    SetCurrentCore(nullptr);
    return ready;
}

std::unique_ptr<Context> Worker::Get(CoreKind kind) {
    std::vector<std::unique_ptr<Context>>& spare = spare_[static_cast<size_t>(kind)];
    if (spare.empty()) {
        return ContextPool::OfProcess().Take(kind == CoreKind::kCube ? 0 : launch_.request->soc->ub_bytes);
    }
    std::unique_ptr<Context> context = std::move(spare.back());
    spare.pop_back();
    return context;
}

void Worker::Spare(std::unique_ptr<Context> context) {
    spare_[static_cast<size_t>(context->core.Kind())].push_back(std::move(context));
}

}  // namespace sim
