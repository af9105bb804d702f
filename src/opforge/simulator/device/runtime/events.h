#pragma once

#include <cstdint>

namespace sim {

int64_t LiveEvents();

}  // namespace sim
