// The simulated machine's settings, read from the environment once.
#pragma once

#include <cstdint>
#include <string>

namespace sim {

constexpr uint32_t kMaxDevices = 16;

struct Settings {
    uint32_t devices;         // $OPFORGE_SIM_DEVICES, 1 unless set; those of $ASCEND_RT_VISIBLE_DEVICES, if set
    uint64_t memoryBytes;     // $OPFORGE_SIM_MEMORY per device, with K, M or G; 8G unless set
    uint32_t timeoutSeconds;  // $OPFORGE_SIM_TIMEOUT of one launch, 300 unless set; 0 waits for ever
    bool queued;              // $TASK_QUEUE_ENABLE, as torch_npu reads it: 0 means no queue; the default is 1
    std::string soc;          // $OPFORGE_SOC, Ascend910B1 unless set
    std::string error;        // why a value was refused; empty when all are good
};

const Settings& CurrentSettings();

}  // namespace sim
