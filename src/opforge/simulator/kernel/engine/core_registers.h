// The registers of one core: what calls leave for later ones.
#ifndef OPFORGE_SIM_KERNEL_CORE_REGISTERS_H
#define OPFORGE_SIM_KERNEL_CORE_REGISTERS_H

#include <cstdint>
#include <optional>

#include "cube/cube_registers.h"
#include "vector/index_registers.h"
#include "vector/vector_registers.h"

namespace sim {

// SetAtomicAdd and the like.
struct AtomicRegister {
    Atomic op = Atomic::kNone;
    Dtype type = Dtype::kFloat;
};

struct ControlRegister {
    uint64_t bits = uint64_t{1} << 48;  // infinities and NaN are kept
    bool saturates = false;             // bit 48 is 0
    Site since{};                       // where that was said
};

struct CoreRegisters {
    VectorRegisters vector;
    IndexRegisters index;
    CubeRegisters cube;
    AtomicRegister atomic;
    ControlRegister control;
    std::optional<uint64_t> padValue;  // SetPadValue
    uint64_t systemWorkspace = 0;      // the launch's workspace, or what SetSysWorkspace has said
};

}  // namespace sim

#endif
