// Which elements an instruction of lanes takes part with, as a list: for functions that go element by element anyway.
#ifndef OPFORGE_SIM_KERNEL_VECTOR_INDEX_LANES_H
#define OPFORGE_SIM_KERNEL_VECTOR_INDEX_LANES_H

#include <cstdint>
#include <vector>

#include "instruction.h"
#include "sim/index.h"

namespace sim {

struct IndexLane {
    uint32_t index;    // counted over repeats, with all lanes of each
    uint32_t element;  // of the tensor with strides, from its start
};

// The first `count` elements.
std::vector<IndexLane> CountLanes(const Instruction& in, int64_t count);
// The lanes of a mask in `times` repeats of 256 bytes, whose blocks and repeats lie strides of 32 bytes apart.
std::vector<IndexLane> RepeatLanes(const Instruction& in, uint32_t elementBytes, const MaskArgs& mask, uint32_t times,
                                   uint32_t block, uint32_t repeat);
// Bytes from the tensor's start to the end of the last lane.
uint64_t Reach(const std::vector<IndexLane>& lanes, uint32_t elementBytes);

}  // namespace sim

#endif
