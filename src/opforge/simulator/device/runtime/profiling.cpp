// The profiler's reporting calls. torch_npu makes them around every operator; nobody listens here.
#include <chrono>

#include "exports.h"

SIM_EXPORT int MsprofRegisterCallback(uint32_t, void*) { return 0; }
SIM_EXPORT int MsprofReportApi(uint32_t, const void*) { return 0; }
SIM_EXPORT int MsprofReportCompactInfo(uint32_t, const void*, uint32_t) { return 0; }
SIM_EXPORT int MsprofReportAdditionalInfo(uint32_t, const void*, uint32_t) { return 0; }
SIM_EXPORT uint64_t MsprofGetHashId(const char* text, size_t length) {
    uint64_t hash = 14695981039346656037U;  // FNV-1a; any stable hash does
    for (size_t i = 0; i < length; ++i) {
        hash = (hash ^ static_cast<unsigned char>(text[i])) * 1099511628211U;
    }
    return hash;
}
SIM_EXPORT uint64_t MsprofSysCycleTime(void) {
    return static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
}
