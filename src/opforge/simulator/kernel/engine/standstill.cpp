// What is said of a launch that comes to no end: which core waits for what, and where the others are.
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>

#include "call_chain.h"
#include "context.h"
#include "schedule.h"

namespace sim {
namespace {

constexpr Rule kDeadlock = {"what a core waits for is sent by another core that can still run",
                            "基础API/同步控制/核间同步/核间同步能力概述"};
constexpr size_t kMostReported = 12;
constexpr std::chrono::milliseconds kPatience(1000);  // until a thread has said where it is

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
    std::vector<void*> stack;
};
std::atomic<Halt*> halting{nullptr};

// On the thread that is halted, for good: the process ends once all has been said.
void OnHalt(int) {
    if (Halt* const halt = halting.exchange(nullptr)) {
        halt->stack = StackNow();
        halt->done.store(true);
    }
    for (;;) {
        pause();
    }
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

std::vector<void*> Halted(pthread_t thread) {
    static Halt halts[256];  // a thread may come to its halt after we have gone on
    static size_t used = 0;
    if (used == std::size(halts)) {
        return {};
    }
    Halt& halt = halts[used++];
    halting.store(&halt);
    if (pthread_kill(thread, SIGUSR2) != 0 || !Within(kPatience, [&] { return halt.done.load(); })) {
        return {};
    }
    return halt.stack;
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
    message += std::string("\n  rule: ") + kDeadlock.text + " [" + kDeadlock.page + "]" + chains;
    failure_ = {Status::kTimeout, std::move(message)};
}

Schedule::Current::Current(Schedule& schedule) { current.store(&schedule); }
Schedule::Current::~Current() { current.store(nullptr); }

std::string Schedule::Standing() {
    struct Line {
        uint32_t core;
        std::string text;
    };
    std::vector<Line> lines;
    std::unique_lock<std::mutex> lock(mutex_, std::defer_lock);
    if (!Within(kPatience, [&] { return lock.try_lock(); })) {
        return {};
    }
    EachRunning([&](const Context& context, pthread_t thread) {
        const std::vector<void*> stack = Halted(thread);
        const std::string chain = ChainText(CallChain(stack, reinterpret_cast<const void*>(entry_)));
        const std::string where = chain.empty() ? "runs" : "in " + chain;
        lines.push_back({context.core.Index(), context.core.Name() + ": " + where});
    });
    EachWaiting([&](const Context& context) { lines.push_back({context.core.Index(), context.Waits()}); });
    std::sort(lines.begin(), lines.end(), [](const Line& a, const Line& b) { return a.core < b.core; });
    std::string text;
    for (size_t i = 0; i < lines.size() && i < kMostReported; ++i) {
        text += "\n  " + lines[i].text;
    }
    if (lines.size() > kMostReported) {
        text += "\n  and " + std::to_string(lines.size() - kMostReported) + " more";
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
    struct sigaction halt{};
    halt.sa_handler = sim::OnHalt;
    halt.sa_flags = SA_ONSTACK;
    sigemptyset(&halt.sa_mask);
    sim::Schedule* const schedule = sim::current.load();
    if (schedule != nullptr && sigaction(SIGUSR2, &halt, nullptr) == 0) {
        const std::string standing = schedule->Standing();
        const size_t bytes = std::min<uint64_t>(standing.size(), capacity - 1);
        std::memcpy(text, standing.data(), bytes);
        text[bytes] = '\0';
    }
}
