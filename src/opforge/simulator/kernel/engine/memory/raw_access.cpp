// Accesses of the kernel's own code to global memory by plain C++ pointers, which no function of the API sees. Kernels
// are compiled with -fsanitize=thread, so that g++ puts a call before every access that may leave the stack; the
// functions it calls are these, and not ThreadSanitizer's. They are declared as functions that do not throw: what is
// refused here ends the core's stack where it is.
// Documentation: 基础API/数据结构/GlobalTensor/SetGlobalBuffer, 基础API/缓存控制/DataCacheCleanAndInvalid
#include "raw_access.h"

#include <atomic>
#include <cstddef>
#include <exception>

#include "report/call_chain.h"
#include "launch/contexts.h"
#include "gm_values.h"
#include "launch/schedule.h"

namespace sim {
namespace {

std::atomic<uint64_t> watchedBegin{0};
std::atomic<uint64_t> watchedBytes{0};

void Access(Core& core, uint64_t addr, uint64_t bytes, bool write, const void* returnsTo) {
    core.Poll();
    const Call call{"a __gm__ pointer", SiteOf(returnsTo)};
    core.memory.gm.Check(call, write ? "writes" : "reads", addr, bytes, write);
    const Work work = write ? Work::Scalar(0, bytes) : Work::Scalar(bytes, 0);
    const uint32_t number = core.Issue(Pipe::kScalar, call, work);
    if (core.Checks()) {
        core.memory.gm.Scalar(core.order.clocks, addr, bytes, write, call);
        if (write) {
            core.memory.cache.Write(addr, bytes, call);
            GmWrite(core, Pipe::kScalar, number, {addr, bytes}, call);
            MarkStored(core, addr, bytes);
        } else {
            GmRead(core, Pipe::kScalar, number, {addr, bytes}, call);
            core.memory.cache.CheckOthers(addr, bytes, "reads", call);
            RequireGm(core, addr, bytes, call);
        }
    }
    if (!write) {
        Polled(core, call, addr, bytes);
    }
}

__attribute__((noinline, cold)) void Meet(uint64_t addr, uint64_t bytes, bool write, const void* returnsTo) {
    Core* const core = RunningCore();
    // a destructor while the kernel is being left must not look at what others do
    if (core == nullptr || std::uncaught_exceptions() != 0) {
        return;
    }
    if (core->Request().gm_bytes == 0 && !core->memory.gm.Has(addr)) {
        return;  // between the arrays that are global memory lies other memory of the process
    }
    try {
        Access(*core, addr, bytes, write, returnsTo);
        return;
    } catch (Failure& failure) {
        core->Shared().schedule->Record(core->Index(), std::move(failure));
    } catch (const Stopped&) {
    }
    LeaveKernel();
}

inline __attribute__((always_inline)) void Touch(const void* pointer, uint64_t bytes, bool write) {
    const uint64_t addr = reinterpret_cast<uint64_t>(pointer);
    if (__builtin_expect(
            addr - watchedBegin.load(std::memory_order_relaxed) < watchedBytes.load(std::memory_order_relaxed), 0)) {
        Meet(addr, bytes, write, __builtin_return_address(0));
    }
}

}  // namespace

WatchedMemory::WatchedMemory(const sim_launch& launch) {
    uint64_t begin = launch.gm_begin;
    uint64_t end = launch.gm_begin + launch.gm_bytes;
    for (uint32_t i = 0; launch.gm_bytes == 0 && i < launch.region_count; ++i) {
        const sim_region& region = launch.regions[i];
        begin = i == 0 || region.addr < begin ? region.addr : begin;
        end = region.addr + region.bytes > end ? region.addr + region.bytes : end;
    }
    watchedBegin.store(begin);
    watchedBytes.store(end - begin);
}

WatchedMemory::~WatchedMemory() { watchedBytes.store(0); }

}  // namespace sim

// ThreadSanitizer's own library has them too, where the engine itself is built with it.
#if !defined(__SANITIZE_THREAD__)

// Defined under names of their own: g++ knows the hooks' names as built-in functions, of types that differ by version.
#define SIM_HOOK_OF(name, ...)                                                                                   \
    extern "C" __attribute__((visibility("default"))) void SimHook_##name(__VA_ARGS__) __asm__("__tsan_" #name); \
    extern "C" void SimHook_##name(__VA_ARGS__)
#define SIM_HOOK(name, bytes, write) \
    SIM_HOOK_OF(name, const void* pointer) { sim::Touch(pointer, bytes, write); }
#define SIM_HOOKS(bytes)                \
    SIM_HOOK(read##bytes, bytes, false) \
    SIM_HOOK(write##bytes, bytes, true)
#define SIM_UNALIGNED(bytes)                      \
    SIM_HOOKS(bytes)                              \
    SIM_HOOK(unaligned_read##bytes, bytes, false) \
    SIM_HOOK(unaligned_write##bytes, bytes, true)

SIM_HOOKS(1)
SIM_UNALIGNED(2)
SIM_UNALIGNED(4)
SIM_UNALIGNED(8)
SIM_UNALIGNED(16)
SIM_HOOK_OF(read_range, const void* pointer, uint64_t bytes) { sim::Touch(pointer, bytes, false); }
SIM_HOOK_OF(write_range, const void* pointer, uint64_t bytes) { sim::Touch(pointer, bytes, true); }
SIM_HOOK_OF(init, void) {}
// Of virtual functions, which only the host's half of a source may have.
SIM_HOOK_OF(vptr_update, void**, void*) {}
SIM_HOOK_OF(vptr_read, void**) {}

#endif
