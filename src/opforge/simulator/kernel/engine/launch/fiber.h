// A stack of its own for code that must be able to stop in the middle and go on later, on the same thread.
#ifndef OPFORGE_SIM_KERNEL_LAUNCH_FIBER_H
#define OPFORGE_SIM_KERNEL_LAUNCH_FIBER_H

#include <cstddef>
#include <functional>

#if !defined(__x86_64__)
#include <ucontext.h>
#endif

namespace sim {

class Fiber {
public:
    Fiber();
    ~Fiber();
    Fiber(const Fiber&) = delete;
    Fiber& operator=(const Fiber&) = delete;

    // What the next Resume() starts. The function must not throw.
    void Start(std::function<void()> body);
    // Runs until the body returns or suspends itself. True when it has returned; then the stack can be used again,
    // from any thread.
    bool Resume();
    // From within the body: goes back to Resume()'s caller.
    void Suspend();
    // From within the body: as if it had returned, but what lives on the stack is left as it is.
    [[noreturn]] void Leave();
    // Where its stack begins, which grows down from there.
    const char* Top() const;

private:
    [[noreturn]] static void Main(Fiber* self);
    static void Entry();
    void Switch(bool intoFiber);
    // The next switch into the fiber starts Main() at the stack's top.
    void Rewind();

    std::function<void()> body_;
    bool done_ = true;
    char* map_ = nullptr;                      // guard page, then the stack
    void* fakeStack_[2] = {nullptr, nullptr};  // AddressSanitizer's, of the caller and of the fiber
    void* tsan_[2] = {nullptr, nullptr};       // ThreadSanitizer's, likewise
    const void* callerBottom_ = nullptr;
    size_t callerSize_ = 0;
    // The C++ runtime's per-thread list of exceptions in flight: each stack has its own.
    struct {
        void* caught = nullptr;
        unsigned int uncaught = 0;
    } exceptions_;
#if defined(__x86_64__)
    void* fiberSp_ = nullptr;
    void* callerSp_ = nullptr;
#else
    ucontext_t fiber_{};
    ucontext_t caller_{};
#endif
};

// Gives the calling thread a stack for signals, if it has none: a kernel that recurses without end has used up its own
// when the signal comes, and nobody could say what happened.
void UseSignalStack();

}  // namespace sim

#endif
