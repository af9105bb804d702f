// What one operand of an instruction touches in the unified buffer: bounds, alignment, liveness.
#ifndef OPFORGE_SIM_KERNEL_MEMORY_UB_OPERAND_H
#define OPFORGE_SIM_KERNEL_MEMORY_UB_OPERAND_H

#include <cstdint>

#include "report/failure.h"

namespace sim {

class Core;

// From where a view begins to the end of its tensor; none where it begins behind that.
inline uint32_t BytesLeft(const Ub& view) { return view.end > view.addr ? view.end - view.addr : 0; }

// What one operand of an instruction touches.
struct Operand {
    const char* role;  // "dst", "src0"
    Ub place;
    uint64_t bytes;
    bool write;
    uint32_t alignment = 32;
};

// Where the pages of the vector functions and copies lie.
inline constexpr const char* kVectorPages = "基础API/Memory矢量计算/";

// Fails unless this is an AIV and `place` lies in its unified buffer.
void CheckVectorCore(Core& core, const Ub& place, const Call& call);

// Whether a vector function does nothing, because this is a cube core: an error by the documentation.
bool IsLeftOut(const Core& core, const Call& call);

// An operand lies inside its tensor, as the page has it.
DeviceRule OperandRule(const char* page);

// Bounds, and with all checks alignment and liveness. `page` is below kVectorPages.
void CheckOperand(Core& core, const Operand& operand, const Call& call, const char* page);

}  // namespace sim

#endif
