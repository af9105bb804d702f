#pragma once

#include <cstdint>

namespace sim {

int64_t live_events();

}  // namespace sim
