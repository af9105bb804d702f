// Streams: names for an order. Work is done when it is submitted, so every stream is always complete, unless
// it is captured (capture.h).
#pragma once

#include <cstdint>

#include "acl/acl_base.h"

namespace sim {

// Refuses a stream that is not alive. NULL is the default stream.
aclError CheckStream(const char* function, aclrtStream stream);

int64_t LiveStreams();

}  // namespace sim
