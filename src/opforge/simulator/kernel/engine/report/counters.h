// What a core has done so far in its launch. Counted always: an addition costs less than asking whether anybody wants
// it.
#ifndef OPFORGE_SIM_KERNEL_REPORT_COUNTERS_H
#define OPFORGE_SIM_KERNEL_REPORT_COUNTERS_H

#include <cstdint>

namespace sim {

// What one instruction does.
struct Work {
    uint64_t elements = 0;  // results of the vector unit
    uint64_t read = 0;      // bytes of global memory
    uint64_t written = 0;
    uint64_t macs = 0;
    uint64_t instructions = 1;  // 0 for accesses of the scalar unit
    uint64_t moved = 0;         // bytes of the largest operand, or between memories of the core: for the time line
    // For the model of time only, and only where somebody asks for it (Core::Timed):
    uint64_t rows = 0;        // of a transfer from or to global memory
    uint64_t crossed = 0;     // bytes of sectors that rows touch because they are not aligned
    uint64_t bypassed = 0;    // bytes of `read` that stay out of the L2 cache
    float readConflict = 0;   // share of the repeats whose operands are read in one bank group
    float writeConflict = 0;  // share of those that write a bank that is read
    float bytesOfCube = 2;    // of an operand's element, as the cube unit's speed goes: float counts as 8
    bool isAgain = false;     // a transfer of what the core has read before
    bool isFunction = false;  // above the instructions

    // `bits` are those of the widest operand's elements.
    static Work Vector(uint64_t elements, uint32_t bits = 32) {
        Work work = Of(&Work::elements, elements);
        work.moved = elements * bits / 8;
        return work;
    }
    static Work Load(uint64_t bytes) { return Of(&Work::read, bytes); }
    static Work Store(uint64_t bytes) { return Of(&Work::written, bytes); }
    static Work Move(uint64_t bytes) { return Of(&Work::moved, bytes); }
    // Accesses of the scalar unit, and what only asks for a number: no instruction of a pipe.
    static Work Scalar(uint64_t read, uint64_t written) {
        Work work;
        work.read = read;
        work.written = written;
        work.instructions = 0;
        return work;
    }
    static Work None() { return Scalar(0, 0); }

private:
    static Work Of(uint64_t Work::* what, uint64_t value) {
        Work work;
        work.*what = value;
        return work;
    }
};

struct Counters {
    uint64_t gmRead = 0;  // bytes
    uint64_t gmWritten = 0;
    uint64_t vectorElements = 0;
    uint64_t macs = 0;
    uint64_t instructions = 0;

    void Add(const Work& work) {
        gmRead += work.read;
        gmWritten += work.written;
        vectorElements += work.elements;
        macs += work.macs;
        instructions += work.instructions;
    }
};

}  // namespace sim

#endif
