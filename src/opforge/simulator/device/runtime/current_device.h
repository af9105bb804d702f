// Which device this thread works on.
#pragma once

#include <cstdint>

namespace sim {

// The device of this thread's context, or -1 when none was set.
int32_t CurrentDevice();

}  // namespace sim
