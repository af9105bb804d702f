// How long instructions take, by the constants of time_constants.inc. Nothing else in the simulator looks at them.
#ifndef OPFORGE_SIM_KERNEL_REPORT_COSTS_H
#define OPFORGE_SIM_KERNEL_REPORT_COSTS_H

#include <string>

#include "core_kind.h"
#include "counters.h"
#include "failure.h"

namespace sim {

// The constants of one SoC, by their names in time_constants.inc.
struct TimeConstants {
#define TIME_CONSTANT(name, ...) double name;
#include "time_constants.inc"
#undef TIME_CONSTANT
};

const TimeConstants& TimeConstantsOf(const char* soc);

// What a core moves from and to global memory in a cycle, in bytes, while all cores of the launch do the same. A vector
// core reads from HBM what it reads for the first time. Cube cores read what other cores read as well: from L2.
struct TransferRates {
    double vectorRead;
    double vectorAgain;
    double vectorBypass;  // past L2
    double vectorWrite;
    double cubeRead;
    double cubeWrite;
};
TransferRates TransferRatesOf(const TimeConstants& times, uint32_t vectors, uint32_t cubes, uint32_t chipCores);

// In cycles of the core.
struct Cost {
    uint64_t busy = 0;     // of the pipe
    uint64_t latency = 0;  // from the end of that until who waits for it goes on
};
Cost CostOf(const TimeConstants& times, const TransferRates& rates, CoreKind kind, const Call& call, Pipe pipe,
            const Work& work);

// The constants as a JSON list: name, value, unit, kind, source.
std::string EstimatesAsJson(const char* soc);

}  // namespace sim

#endif
