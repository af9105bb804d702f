// What a simulated core is made of.
#ifndef OPFORGE_SIM_KERNEL_CORE_KIND_H
#define OPFORGE_SIM_KERNEL_CORE_KIND_H

#include <cstdint>

namespace sim {

// Cores of split SoCs (Atlas A2, A3) have one unit, AI Cores of coupled ones (ascend310p) both.
enum class CoreKind : uint8_t { kVector, kCube, kCoupled };

}  // namespace sim

#endif
