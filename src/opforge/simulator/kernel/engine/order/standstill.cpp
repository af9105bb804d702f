// What is said of a launch that comes to no end: which core waits for what, and where the others are.
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>

#include "report/call_chain.h"
#include "launch/context.h"
#include "launch/schedule.h"

namespace sim {
namespace {

constexpr Rule kDeadlock = {"deadlock", "what a core waits for is sent by another core that can still run",
                            "基础API/同步控制/核间同步/核间同步能力概述"};
constexpr size_t kMostReported = 12;
constexpr std::chrono::milliseconds kPatience(1000);  // until a thread has said where it is
constexpr std::chrono::milliseconds kWatched(1500);   // for cores that may loop for ever

// "f (file:3) <- g (file:9)"
std::string ChainText(const std::vector<Frame>& chain) {
    std::string text;
    for (const Frame& frame : chain) {
        text +=
            (text.empty() ? "" : " <- ") + frame.function + " (" + frame.file + ":" + std::to_string(frame.line) + ")";
    }
    return text;
}

// The launch that runs in this process.
std::atomic<Schedule*> current{nullptr};

// A thread that has been halted, and where.
struct Halt {
    std::atomic<bool> done{false};
    std::atomic<bool> released{false};
    std::vector<void*> stack;
};
std::atomic<Halt*> halting{nullptr};

// On the thread that is halted, for good unless it is released: the process ends once all has been said.
void OnHalt(int) {
    if (Halt* const halt = halting.exchange(nullptr)) {
        halt->stack = StackNow();
        halt->done.store(true);
        while (!halt->released.load()) {
            usleep(1000);
        }
        return;
    }
    for (;;) {
        pause();
    }
}

bool UseHandler(void (*handler)(int)) {
    struct sigaction action{};
    action.sa_handler = handler;
    action.sa_flags = SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    return sigaction(SIGUSR2, &action, nullptr) == 0;
}

template <typename F>
bool Within(std::chrono::milliseconds patience, F holds) {
    const auto end = std::chrono::steady_clock::now() + patience;
    while (!holds()) {
        if (std::chrono::steady_clock::now() > end) {
            return false;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return true;
}

// "; it turns over f:3, f:5, and all that it computes with is the same after each turn"
std::string LoopText(const EndlessLoop& loop, const void* inKernel) {
    constexpr size_t kMostLines = 8;
    std::vector<std::string> lines;
    for (void* place : loop.places) {
        const std::vector<Frame> chain = CallChain({place}, inKernel);
        const std::string line = chain.empty() ? "" : chain[0].file + ":" + std::to_string(chain[0].line);
        if (!line.empty() && std::find(lines.begin(), lines.end(), line) == lines.end()) {
            lines.push_back(line);
        }
    }
    std::sort(lines.begin(), lines.end());
    std::string text = ";";
    for (size_t i = 0; i < lines.size() && i < kMostLines; ++i) {
        text += (i == 0 ? " it turns over " : ", ") + lines[i];
    }
    text += lines.size() > kMostLines ? " and more" : "";
    text += lines.empty() ? " all" : ", and all";
    text += " that it computes with is the same after each turn";
    for (const std::string& read : loop.reads) {
        text += "; it reads " + read;
    }
    return text;
}

// The stack of a thread, which stays where it is. A function of libc may hide who called it: then the thread goes on
// for a moment, and is looked at again.
std::vector<void*> Halted(pthread_t thread, const void* inKernel) {
    constexpr int kLooks = 50;
    for (int look = 1;; look++) {
        Halt& halt = *new Halt();  // a thread may come to its halt after we have gone on
        halting.store(&halt);
        if (pthread_kill(thread, SIGUSR2) != 0 || !Within(kPatience, [&] { return halt.done.load(); })) {
            return {};
        }
        if (look == kLooks || !CallChain(halt.stack, inKernel).empty()) {
            return halt.stack;
        }
        halt.released.store(true);
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
}

}  // namespace

std::string Context::Waits() const {
    std::string text = core.Name() + ": ";
    if (call->site.file != nullptr) {
        text += Where(call->site) + ": ";
    }
    return text + call->api + ": " + (*waitsFor)();
}

void Schedule::Deadlock() {
    if (LetPoll()) {
        return;
    }
    EachWaiting([&](const Context& context) { deadlock_.push_back({context.core.Index(), context.Waits(), {}}); });
    std::sort(deadlock_.begin(), deadlock_.end(), [](const Waiting& a, const Waiting& b) { return a.core < b.core; });
    failed_ = true;
    failedCore_ = 0;
    launch_.stop.store(true);
    wake_.notify_all();
}

void Schedule::WaitsInVain(uint32_t core) {
    for (Waiting& waiting : deadlock_) {
        if (waiting.core == core) {
            waiting.stack = StackNow();
        }
    }
}

void Schedule::SayDeadlock() {
    const size_t all = static_cast<size_t>(launch_.request->block_dim) * launch_.type->Cores();
    std::string message = std::string(launch_.request->op_type) + ": deadlock: " + std::to_string(deadlock_.size()) +
                          " of the " + std::to_string(all) + " cores wait for ever, the others have returned";
    std::string chains;
    for (size_t i = 0; i < deadlock_.size() && i < kMostReported; ++i) {
        message += "\n  " + deadlock_[i].text;
        const std::string chain = ChainText(CallChain(deadlock_[i].stack, reinterpret_cast<const void*>(entry_)));
        if (!chain.empty()) {
            chains += "\n  in: " + launch_.NameOf(deadlock_[i].core) + ": " + chain;
        }
    }
    if (deadlock_.size() > kMostReported) {
        message += "\n  and " + std::to_string(deadlock_.size() - kMostReported) + " more";
    }
    message += LineOf(kDeadlock) + chains;
    failure_ = {Status::kTimeout, std::move(message)};
}

namespace {
std::mutex looking;  // held while somebody looks at the launch, which stays so long
}  // namespace

Schedule::Current::Current(Schedule& schedule) { current.store(&schedule); }
Schedule::Current::~Current() {
    const std::lock_guard<std::mutex> lock(looking);
    current.store(nullptr);
}

std::string Schedule::Standing() {
    const auto* const inKernel = reinterpret_cast<const void*>(entry_);
    Watch& watch = *new Watch(inKernel);
    std::unique_lock<std::mutex> lock(mutex_, std::defer_lock);
    if (!Within(kPatience, [&] { return lock.try_lock(); })) {
        return {};
    }
    EachRunning([&](const Context& context, pthread_t thread) { watch.Add(context, thread); });
    EachWaiting([&](const Context& context) {
        if (context.turn != nullptr) {
            watch.Add(context, std::nullopt);
        }
    });
    lock.unlock();
    watch.Look(kWatched);
    if (!UseHandler(OnHalt) || !Within(kPatience, [&] { return lock.try_lock(); })) {
        return {};
    }
    std::vector<Stand> stands;
    EachRunning([&](const Context& context, pthread_t thread) {
        const std::vector<void*> stack = Halted(thread, inKernel);
        const std::string chain = ChainText(CallChain(stack, inKernel));
        stands.push_back({&context, chain.empty() ? "runs" : "in " + chain,
                          stack.empty() ? nullptr : watch.LoopOf(context), context.core.order.polling.Repeats() != 0,
                          false});
    });
    const size_t running = stands.size();
    EachWaiting([&](const Context& context) {
        const auto runs = [&](const Stand& stand) { return stand.context == &context; };
        if (std::none_of(stands.begin(), stands.begin() + static_cast<std::ptrdiff_t>(running), runs)) {
            stands.push_back({&context, context.Waits(), watch.LoopOf(context), context.turn != nullptr, true});
        }
    });
    return TextOf(stands, inKernel);
}

std::string Schedule::TextOf(std::vector<Stand>& stands, const void* inKernel) const {
    if (stands.empty()) {
        return {};
    }
    // one that reads global memory again and again may be let out of its loop by another that still computes
    const bool others = std::any_of(stands.begin(), stands.end(),
                                    [](const Stand& stand) { return stand.loop == nullptr && !stand.waits; });
    bool endless = false;
    for (Stand& stand : stands) {
        const std::string name = stand.context->core.Name() + ": ";
        if (stand.loop == nullptr || (stand.polls && others)) {
            stand.text = stand.waits ? stand.text : name + stand.text;
            continue;
        }
        endless = true;
        const std::string turns = LoopText(*stand.loop, inKernel);
        if (stand.waits) {
            stand.text += turns;
        } else {
            const Core& core = stand.context->core;
            stand.text = name + "loops for ever " + stand.text + turns +
                         (stand.polls ? "; it " + core.order.polling.Text(core.memory.gm) : "");
        }
    }
    std::sort(stands.begin(), stands.end(),
              [](const Stand& a, const Stand& b) { return a.context->core.Index() < b.context->core.Index(); });
    std::string text = endless ? ": an endless loop"
                               : ". It still computes, as far as can be seen; OPFORGE_SIM_TIMEOUT sets the limit in "
                                 "seconds";
    for (size_t i = 0; i < stands.size() && i < kMostReported; ++i) {
        text += "\n  " + stands[i].text;
    }
    if (stands.size() > kMostReported) {
        text += "\n  and " + std::to_string(stands.size() - kMostReported) + " more";
    }
    const uint32_t blocks = launch_.request->block_dim;
    if (const uint32_t begun = std::min(nextBlock_.load(), blocks); begun < blocks) {
        text +=
            "\n  " + std::to_string(blocks - begun) + " of the " + std::to_string(blocks) + " blocks have not begun";
    }
    return text;
}

}  // namespace sim

extern "C" __attribute__((visibility("default"))) void sim_engine_standing(char* text, uint64_t capacity) {
    text[0] = '\0';
    const std::lock_guard<std::mutex> lock(sim::looking);
    if (sim::Schedule* const schedule = sim::current.load(); schedule != nullptr) {
        const std::string standing = schedule->Standing();
        const size_t bytes = std::min<uint64_t>(standing.size(), capacity - 1);
        std::memcpy(text, standing.data(), bytes);
        text[bytes] = '\0';
    }
}
