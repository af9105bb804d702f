// What a core has done so far in its launch. Counted always: an addition costs less than asking whether anybody wants
// it.
#ifndef OPFORGE_SIM_KERNEL_COUNTERS_H
#define OPFORGE_SIM_KERNEL_COUNTERS_H

#include <cstdint>

namespace sim {

struct Counters {
    uint64_t gmRead = 0;  // bytes
    uint64_t gmWritten = 0;
    uint64_t vectorElements = 0;
    uint64_t macs = 0;
    uint64_t instructions = 0;

    void Load(uint64_t bytes, uint64_t transfers = 1) {
        gmRead += bytes;
        instructions += transfers;
    }
    void Store(uint64_t bytes) {
        gmWritten += bytes;
        ++instructions;
    }
    void Vector(uint64_t elements) {
        vectorElements += elements;
        ++instructions;
    }
};

}  // namespace sim

#endif
