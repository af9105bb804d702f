// Execution contexts: every core of a launch runs the kernel function on a stack of its own, in program order, and may
// wait for other cores. The cores of one block share a thread; a core never changes its thread during a launch.
//
// What the engine's parts that work across cores need (cross-core flags, SyncAll, the Matmul object):
//   Await / Changed     wait for another core, say that something others wait for has changed
//   Core::Group()       what the AIC and the AIVs of one block share
//   Release / Acquire   what a core's pipe has completed, and another core's knowing it
//   GmRead / GmWrite    accesses of global memory, checked against those of other cores
#ifndef OPFORGE_SIM_KERNEL_LAUNCH_CONTEXTS_H
#define OPFORGE_SIM_KERNEL_LAUNCH_CONTEXTS_H

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core.h"

namespace sim {

// The cores of one block. All of them run on one thread: no lock is needed for what only they share.
struct Group {
    uint32_t block = 0;
    Core* cube = nullptr;        // null in launches without cube cores
    std::vector<Core*> vectors;  // by sub block; empty in launches without vector cores
    uint32_t endedVectors = 0;   // how many of `vectors` have returned from the kernel function (each calls Changed)
    bool endedCube = false;
    std::shared_ptr<void> matmul;  // the Matmul object's message queues
};

// Blocks this core until ready() holds. Throws Stopped when the launch ends before that, because another core has
// failed or because no core can go on: then each waiting core is reported (507014) with its call's place and
// waitsFor(), as in "waits for flag 3 of AIC". Returns at once where a destructor calls it during an exception.
// ready() is asked on this core's thread, maybe off its stack, again after each Changed(); it must not throw or wait,
// and guards what cores of other blocks change. waitsFor() may be called on another thread while every core waits.
void Await(const Call& call, const std::function<bool()>& ready, const std::function<std::string()>& waitsFor);

// The core reads `bytes` at `addr`, by whichever unit. One that reads the same again and again lets the others run now
// and then. One that does nothing else for a million reads counts as one that waits for ever as long as nothing changes
// there: when nobody else can go on, nobody is left who could write.
void Polled(Core& core, const Call& call, uint64_t addr, uint64_t bytes);

// Ends the calling core where it stands, without unwinding: from where nothing may be thrown, once the launch is over.
[[noreturn]] void LeaveKernel();

// Something that ready() of a waiting core looks at has changed. From within a launch only.
void Changed();

// What a signal sent by `pipe` of the core says once it has arrived: all that the pipe has issued or waited for.
CoreClock Release(const Core& core, Pipe pipe);
// The core has waited for a signal: all its later instructions are ordered behind what the signal says.
void Acquire(Core& core, const CoreClock& clock);

// Rows of `bytes` bytes whose starts are `pitch` bytes apart.
struct GmSpan {
    uint64_t addr;
    uint64_t bytes;
    uint64_t rows = 1;
    uint64_t pitch = 0;
    // Of a write, where it is known: what is written, whose rows are `dataPitch` bytes apart.
    const uint8_t* data = nullptr;
    uint64_t dataPitch = 0;
    // Of Fill: eight bytes of what it repeats.
    const uint64_t* fill = nullptr;
};
// Instruction `number` (of PipeClocks::Issue) of the core's pipe reads or writes global memory: fails where another
// core's write (for writes: or read) of the same bytes has not been acquired. Looks only at memory that the launch may
// write, with all checks and more than one core. Bounds are GlobalMemory::Check's.
void GmRead(Core& core, Pipe pipe, uint32_t number, const GmSpan& span, const Call& call);
// Atomic writes (SetAtomicAdd and the like) of several cores need no order among themselves.
void GmWrite(Core& core, Pipe pipe, uint32_t number, const GmSpan& span, const Call& call, bool atomic = false);

}  // namespace sim

#endif
