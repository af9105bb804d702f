#include "endless.h"

#include <ucontext.h>
#include <unwind.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <ctime>
#include <iterator>
#include <mutex>
#include <thread>

#include "launch/context.h"
#include "launch/loaded_part.h"

namespace sim {
namespace {

constexpr size_t kMostStack = size_t{1} << 16;  // bytes in use of a core that is looked at
constexpr size_t kMostPlaces = 64;
constexpr size_t kMostReads = 4;
constexpr uintptr_t kRedZone = 128;  // below the stack pointer, for functions that call nothing
constexpr size_t kRegisters = 64;    // room for those of either machine
constexpr std::chrono::milliseconds kBetween(2);

std::atomic<Watch*> watch{nullptr};

// All that decides what a core does next, but for the unified buffer and global memory.
struct State {
    uintptr_t at = 0;
    uintptr_t sp = 0;
    std::array<uint64_t, kRegisters> registers{};
    std::vector<char> stack;

    bool Is(const State& other) const {
        return at == other.at && sp == other.sp && registers == other.registers && stack == other.stack;
    }
};

bool TakeStack(State* state, uintptr_t from, const char* top) {
    const uintptr_t end = reinterpret_cast<uintptr_t>(top);
    if (from > end || end - from > kMostStack) {
        return false;
    }
    state->stack.resize(end - from);
    std::memcpy(state->stack.data(), reinterpret_cast<const void*>(from), end - from);
    return true;
}

// ---- at calls of the kernel API: what a function of the kernel keeps across a call ---------------------------------

#if defined(__x86_64__)
constexpr int kKept[] = {3, 6, 12, 13, 14, 15};  // rbx, rbp, r12 to r15, by DWARF's numbers
#elif defined(__aarch64__)
constexpr int kKept[] = {19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29};
#else
constexpr int kKept[] = {0};
#endif

struct Search {
    uintptr_t begin, end;  // the kernel's code
    State* state;
    bool found = false;
};

_Unwind_Reason_Code Visit(_Unwind_Context* context, void* into) {
    Search& search = *static_cast<Search*>(into);
    const uintptr_t ip = _Unwind_GetIP(context);
    if (ip == 0) {
        return _URC_END_OF_STACK;
    }
    if (ip < search.begin || ip >= search.end) {
        return _URC_NO_REASON;
    }
    search.state->at = ip;
    search.state->sp = _Unwind_GetCFA(context);
    for (size_t i = 0; i < std::size(kKept); ++i) {
        search.state->registers[i] = _Unwind_GetGR(context, kKept[i]);
    }
    search.found = true;
    return _URC_END_OF_STACK;
}

uint64_t HashOf(const uint8_t* bytes, uint64_t count) {
    uint64_t hash = 0;
    for (uint64_t at = 0; at + sizeof(uint64_t) <= count; at += sizeof(uint64_t)) {
        uint64_t word = 0;
        std::memcpy(&word, bytes + at, sizeof(word));
        hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 29;
    }
    return hash;
}

// ---- in code that calls nothing: signals ---------------------------------------------------------------------------

using Time = std::chrono::nanoseconds;

struct Sample {
    State state;
    Time begun{}, ended{};  // of the thread's processor time
    const char* top = nullptr;
    bool whole = false;
    std::atomic<bool> done{false};
};
std::atomic<Sample*> sampling{nullptr};

// The registers of interrupted code, those that hold floating point too. False on machines that we do not know.
bool Interrupted(const ucontext_t& context, State* state) {
    const auto& machine = context.uc_mcontext;
#if defined(__x86_64__)
    constexpr int kGeneral[] = {REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15,
                                REG_RDI, REG_RSI, REG_RBP, REG_RBX, REG_RDX, REG_RAX, REG_RCX, REG_EFL};
    for (size_t i = 0; i < std::size(kGeneral); ++i) {
        state->registers[i] = static_cast<uint64_t>(machine.gregs[kGeneral[i]]);
    }
    if (machine.fpregs != nullptr) {
        std::memcpy(&state->registers[std::size(kGeneral)], machine.fpregs->_xmm, sizeof(machine.fpregs->_xmm));
    }
    state->at = static_cast<uintptr_t>(machine.gregs[REG_RIP]);
    state->sp = static_cast<uintptr_t>(machine.gregs[REG_RSP]);
    return true;
#elif defined(__aarch64__)
    for (size_t i = 0; i < 31; ++i) {
        state->registers[i] = machine.regs[i];
    }
    state->at = machine.pc;
    state->sp = machine.sp;
    fpsimd_context vectors;
    std::memcpy(&vectors, machine.__reserved, sizeof(vectors));
    if (vectors.head.magic == FPSIMD_MAGIC) {  // their lower halves: 64-bit floating point at most
        for (size_t i = 0; i < 32; ++i) {
            state->registers[31 + i] = static_cast<uint64_t>(vectors.vregs[i]);
        }
    }
    return true;
#else
    (void)machine;
    (void)state;
    return false;
#endif
}

// What a thread has computed, or with CLOCK_PROCESS_CPUTIME_ID all threads of the process together.
Time ProcessorTime(clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return std::chrono::seconds(time.tv_sec) + Time(time.tv_nsec);
}

void OnSample(int, siginfo_t*, void* context) {
    Sample* const sample = sampling.exchange(nullptr);
    if (sample == nullptr) {
        return;
    }
    sample->begun = ProcessorTime(CLOCK_THREAD_CPUTIME_ID);
    State& state = sample->state;
    sample->whole = Interrupted(*static_cast<const ucontext_t*>(context), &state);
    const uintptr_t from = state.sp - kRedZone, end = reinterpret_cast<uintptr_t>(sample->top);
    if (sample->whole && from < end && end - from <= state.stack.size()) {
        std::memcpy(state.stack.data(), reinterpret_cast<const void*>(from), end - from);
    } else {
        sample->whole = false;
    }
    sample->ended = ProcessorTime(CLOCK_THREAD_CPUTIME_ID);
    sample->done.store(true);
}

// What `thread` is about; false where it does not say, or has hardly computed since `*last`, which becomes the end of
// this sample: on a busy machine it may not have had its turn since.
bool TakeSample(pthread_t thread, const char* top, State* state, Time* last) {
    constexpr Time kComputed = std::chrono::microseconds(200);
    static Sample samples[256];  // a thread may come to it after we have gone on
    static size_t used = 0;
    Sample& sample = samples[used++ % std::size(samples)];
    sample.top = top;
    sample.state.stack.resize(kMostStack);
    sample.done.store(false);
    sampling.store(&sample);
    if (pthread_kill(thread, SIGUSR2) != 0) {
        return false;
    }
    for (int i = 0; i < 100 && !sample.done.load(); ++i) {
        std::this_thread::sleep_for(kBetween);
    }
    if (!sample.done.load() || !sample.whole) {
        return false;
    }
    const Time computed = sample.begun - *last;
    *last = sample.ended;
    if (computed < kComputed) {
        return false;
    }
    *state = sample.state;
    state->stack.resize(reinterpret_cast<uintptr_t>(top) - state->sp + kRedZone);
    return true;
}

template <typename T>
void AddOnce(std::vector<T>* all, const T& one, size_t most) {
    if (all->size() < most && std::find(all->begin(), all->end(), one) == all->end()) {
        all->push_back(one);
    }
}

}  // namespace

std::atomic<bool> watching{false};

// What has been seen of one core.
class Watch::Seen {
public:
    Seen(const Context& watched, std::optional<pthread_t> runs) : context(watched), thread(runs) {}

    const Context& context;
    const std::optional<pthread_t> thread;

    // A call of the kernel API. States are compared with one of before, and that is a later one each time twice as many
    // calls have gone by, until one comes back (Brent).
    void Call(uintptr_t begin, uintptr_t end) {
        State now;
        Search search{begin, end, &now};
        _Unwind_Backtrace(&Visit, &search);
        const std::lock_guard<std::mutex> lock(mutex_);
        ++calls_;
        if (!search.found || !TakeStack(&now, now.sp, context.fiber.Top())) {
            return;
        }
        ++steps_;
        if (turns_ == 0) {
            AddOnce(&loop_.places, reinterpret_cast<void*>(now.at), kMostPlaces);
        }
        if (kept_.Is(now) && buffer_ == Buffer()) {
            period_ = steps_;
            steps_ = 0;
            ++turns_;
        } else if (turns_ != 0 ? steps_ > period_ : steps_ >= power_) {
            power_ *= turns_ != 0 ? 1 : 2;
            steps_ = 0;
            turns_ = 0;
            kept_ = std::move(now);
            buffer_ = Buffer();
            loop_ = {};
        }
    }

    void Read(const std::string& what) {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (turns_ == 0) {
            AddOnce(&loop_.reads, what, kMostReads);
        }
    }

    // For a core that calls nothing. False where nobody knows what it is about.
    void Interrupt() {
        State now;
        if (!CallsNothing() || !thread.has_value() || !TakeSample(*thread, context.fiber.Top(), &now, &sampled_)) {
            return;
        }
        const std::lock_guard<std::mutex> lock(mutex_);
        if (calls_ != 0) {
            return;
        }
        if (turns_ == 0) {
            turns_ = std::any_of(samples_.begin(), samples_.end(), [&](const State& state) { return state.Is(now); });
        }
        if (turns_ != 0) {
            AddOnce(&loop_.places, reinterpret_cast<void*>(now.at + 1), kMostPlaces);
            ++after_;
        } else {
            samples_.push_back(std::move(now));
        }
    }

    // It loops for ever, and where has been seen.
    bool Known() const {
        constexpr uint64_t kEnough = 8;
        const std::lock_guard<std::mutex> lock(mutex_);
        return turns_ != 0 && (calls_ != 0 || after_ >= kEnough);
    }
    std::optional<EndlessLoop> Found() const {
        const std::lock_guard<std::mutex> lock(mutex_);
        return turns_ != 0 ? std::optional<EndlessLoop>(loop_) : std::nullopt;
    }

private:
    bool CallsNothing() const {
        const std::lock_guard<std::mutex> lock(mutex_);
        return calls_ == 0;
    }
    uint64_t Buffer() const { return HashOf(context.core.UbData(0), context.core.UbBytes()); }

    mutable std::mutex mutex_;
    uint64_t calls_ = 0;
    State kept_;
    uint64_t buffer_ = 0;
    uint64_t steps_ = 0;  // since `kept_`
    uint64_t power_ = 1;
    uint64_t period_ = 0;
    uint64_t turns_ = 0;
    std::vector<State> samples_;
    Time sampled_{};      // the thread's processor time at the end of the last one
    uint64_t after_ = 0;  // samples of a loop that is known to be one
    EndlessLoop loop_;
};

Watch::Watch(const void* inKernel) {
    const LoadedPart code = LoadedPartOf(reinterpret_cast<uintptr_t>(inKernel));
    begin_ = code.begin;
    end_ = code.end;
}

void Watch::Add(const Context& context, std::optional<pthread_t> thread) {
    const std::lock_guard<std::mutex> lock(mutex_);
    cores_.push_back(std::make_unique<Seen>(context, thread));
}

void Watch::Look(std::chrono::milliseconds patience) {
    constexpr int kBusiest = 6;  // times as long as alone on a processor
    const auto end = std::chrono::steady_clock::now() + kBusiest * patience;
    const auto used = ProcessorTime(CLOCK_PROCESS_CPUTIME_ID) + patience;
    struct sigaction act{};
    act.sa_sigaction = OnSample;
    act.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
    sigemptyset(&act.sa_mask);
    if (sigaction(SIGUSR2, &act, nullptr) != 0) {
        return;
    }
    watch.store(this);
    watching.store(true);
    std::this_thread::sleep_for(10 * kBetween);
    for (bool all = false;
         !all && ProcessorTime(CLOCK_PROCESS_CPUTIME_ID) < used && std::chrono::steady_clock::now() < end;) {
        std::vector<Seen*> cores;
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            std::transform(cores_.begin(), cores_.end(), std::back_inserter(cores),
                           [](const std::unique_ptr<Seen>& seen) { return seen.get(); });
        }
        all = !cores.empty();
        for (Seen* const seen : cores) {
            if (!seen->Known()) {
                all = false;
                seen->Interrupt();
            }
        }
        std::this_thread::sleep_for(kBetween);
    }
    watching.store(false);
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const std::unique_ptr<Seen>& seen : cores_) {
        if (std::optional<EndlessLoop> loop = seen->Found()) {
            found_.emplace_back(&seen->context, *std::move(loop));
        }
    }
}

const EndlessLoop* Watch::LoopOf(const Context& context) const {
    for (const auto& [of, loop] : found_) {
        if (of == &context) {
            return &loop;
        }
    }
    return nullptr;
}

Watch::Seen* Watch::SeenOf(const Core& core) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const std::unique_ptr<Seen>& seen : cores_) {
        if (&seen->context.core == &core) {
            return seen.get();
        }
    }
    return nullptr;
}

void LookAgain(const Core& core) {
    Watch* const now = watch.load();
    const Context* const context = RunningContext();
    if (now == nullptr || context == nullptr) {
        return;
    }
    if (now->SeenOf(core) == nullptr) {
        now->Add(*context, std::nullopt);
    }
    now->SeenOf(core)->Call(now->begin_, now->end_);
}

void NoteRead(const Core& core, const std::string& what) {
    const Watch* const now = watch.load();
    if (Watch::Seen* const seen = now != nullptr ? now->SeenOf(core) : nullptr) {
        seen->Read(what);
    }
}

}  // namespace sim
