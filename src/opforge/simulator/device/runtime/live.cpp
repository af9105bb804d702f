// What a program has taken from the runtime and not given back.
#include <cstring>

#include "capture.h"
#include "device_memory.h"
#include "events.h"
#include "exports.h"
#include "settings.h"
#include "streams.h"

namespace {

struct Memory {
    int64_t allocations = 0;
    int64_t bytes = 0;
};

Memory LiveMemory() {
    Memory all;
    for (uint32_t device = 0; device < sim::kMaxDevices; ++device) {
        Memory one;
        sim::MemoryOf(device).Live(&one.allocations, &one.bytes);
        all.allocations += one.allocations;
        all.bytes += one.bytes;
    }
    return all;
}

const struct {
    const char* name;
    int64_t (*count)();
} kKinds[] = {
    {"device_allocation", [] { return LiveMemory().allocations; }},
    {"device_bytes", [] { return LiveMemory().bytes; }},
    {"stream", sim::LiveStreams},
    {"event", sim::LiveEvents},
    {"graph", sim::LiveGraphs},
};

}  // namespace

SIM_EXPORT int64_t opforgeSimLiveDevice(const char* kind) {
    for (const auto& known : kKinds) {
        if (kind != nullptr && std::strcmp(kind, known.name) == 0) {
            return known.count();
        }
    }
    return -1;
}
