#include "fiber.h"

#include <csignal>
#include <cxxabi.h>
#include <sys/mman.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

namespace sim {
namespace {

constexpr size_t kPage = 4096;
// Address space only: pages are taken when they are touched. Kernels keep their data in buffers, the engine's deepest
// call is the formatting of a message.
constexpr size_t kStackBytes = size_t{1} << 20;

}  // namespace

#if defined(__x86_64__)
// Saves the registers the ABI lets a callee keep on the running stack and takes them from the other one.
extern "C" void opforge_sim_switch_stack(void** saveSp, void* toSp);
asm(R"(
.text
.globl opforge_sim_switch_stack
.hidden opforge_sim_switch_stack
.type opforge_sim_switch_stack, @function
.align 16
opforge_sim_switch_stack:
    .cfi_startproc
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
    .cfi_endproc
.size opforge_sim_switch_stack, .-opforge_sim_switch_stack
)");
#endif

// The fiber that Entry() shall run: it has no arguments of its own.
static thread_local Fiber* entering = nullptr;

Fiber::Fiber() {
    void* memory = mmap(nullptr, kPage + kStackBytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (memory == MAP_FAILED || mprotect(memory, kPage, PROT_NONE) != 0) {
        throw std::bad_alloc();
    }
    map_ = static_cast<char*>(memory);
#if defined(__SANITIZE_THREAD__)
    tsan_[1] = __tsan_create_fiber(0);
#endif
    Rewind();
}

void Fiber::Rewind() {
#if defined(__x86_64__)
    // as if Entry had been called: an aligned stack with a return address of 0, where unwinding ends
    uint64_t* top = reinterpret_cast<uint64_t*>(map_ + kPage + kStackBytes) - 1;
    top[0] = 0;
    uint64_t* sp = top - 7;
    std::memset(sp, 0, 6 * sizeof(uint64_t));
    sp[6] = reinterpret_cast<uint64_t>(&Fiber::Entry);
    fiberSp_ = sp;
#else
    getcontext(&fiber_);
    fiber_.uc_stack.ss_sp = map_ + kPage;
    fiber_.uc_stack.ss_size = kStackBytes;
    fiber_.uc_link = nullptr;
    makecontext(&fiber_, &Fiber::Entry, 0);
#endif
}

const char* Fiber::Top() const { return map_ + kPage + kStackBytes; }

Fiber::~Fiber() {
#if defined(__SANITIZE_THREAD__)
    __tsan_destroy_fiber(tsan_[1]);
#endif
    munmap(map_, kPage + kStackBytes);
}

void Fiber::Start(std::function<void()> body) {
    body_ = std::move(body);
    done_ = false;
}

void Fiber::Entry() { Main(entering); }

void Fiber::Main(Fiber* self) {
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(self->fakeStack_[1], &self->callerBottom_, &self->callerSize_);
#endif
    for (;;) {
        self->body_();
        self->done_ = true;
        self->Switch(false);
    }
}

void Fiber::Switch(bool intoFiber) {
#if defined(__SANITIZE_ADDRESS__)
    if (intoFiber) {
        __sanitizer_start_switch_fiber(&fakeStack_[0], map_ + kPage, kStackBytes);
    } else {
        __sanitizer_start_switch_fiber(&fakeStack_[1], callerBottom_, callerSize_);
    }
#endif
#if defined(__SANITIZE_THREAD__)
    if (intoFiber) {
        tsan_[0] = __tsan_get_current_fiber();
    }
    __tsan_switch_to_fiber(tsan_[intoFiber ? 1 : 0], 0);
#endif
#if defined(__x86_64__)
    if (intoFiber) {
        opforge_sim_switch_stack(&callerSp_, fiberSp_);
    } else {
        opforge_sim_switch_stack(&fiberSp_, callerSp_);
    }
#else
    if (intoFiber) {
        swapcontext(&caller_, &fiber_);
    } else {
        swapcontext(&fiber_, &caller_);
    }
#endif
#if defined(__SANITIZE_ADDRESS__)
    if (intoFiber) {
        __sanitizer_finish_switch_fiber(fakeStack_[0], nullptr, nullptr);
    } else {
        __sanitizer_finish_switch_fiber(fakeStack_[1], &callerBottom_, &callerSize_);
    }
#endif
}

bool Fiber::Resume() {
    entering = this;
    // swapped on this side, because this side never changes its thread: the fiber's stack may, between two bodies
    void* globals = abi::__cxa_get_globals();
    auto own = exceptions_;
    std::memcpy(&own, globals, sizeof(own));
    std::memcpy(globals, &exceptions_, sizeof(exceptions_));
    Switch(true);
    std::memcpy(&exceptions_, globals, sizeof(exceptions_));
    std::memcpy(globals, &own, sizeof(own));
    return done_;
}

void Fiber::Suspend() { Switch(false); }

void Fiber::Leave() {
    done_ = true;
    std::memset(abi::__cxa_get_globals(), 0, sizeof(exceptions_));  // those in flight are left, too
#if defined(__SANITIZE_ADDRESS__)
    __asan_unpoison_memory_region(map_ + kPage, kStackBytes);
    __sanitizer_start_switch_fiber(nullptr, callerBottom_, callerSize_);
#endif
#if defined(__SANITIZE_THREAD__)
    __tsan_switch_to_fiber(tsan_[0], 0);
#endif
#if defined(__x86_64__)
    Rewind();
    void* left = nullptr;
    opforge_sim_switch_stack(&left, callerSp_);
#else
    Rewind();
    setcontext(&caller_);
#endif
    __builtin_unreachable();
}

void UseSignalStack() {
    constexpr size_t kBytes = size_t{64} << 10;
    thread_local std::unique_ptr<char[]> memory;
    stack_t now{};
    if (memory != nullptr || sigaltstack(nullptr, &now) != 0 || (now.ss_flags & SS_DISABLE) == 0) {
        return;
    }
    memory = std::make_unique<char[]>(kBytes);
    stack_t mine{};
    mine.ss_sp = memory.get();
    mine.ss_size = kBytes;
    if (sigaltstack(&mine, nullptr) != 0) {
        memory.reset();
    }
}

}  // namespace sim
