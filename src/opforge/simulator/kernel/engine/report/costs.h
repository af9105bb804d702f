// How long instructions take, for the time line. Estimates: what the documentation says of the hardware's width, and
// our own guesses for what it does not say. Nothing else in the simulator looks at them.
#ifndef OPFORGE_SIM_KERNEL_REPORT_COSTS_H
#define OPFORGE_SIM_KERNEL_REPORT_COSTS_H

#include <string>

#include "counters.h"
#include "failure.h"

namespace sim {

// In cycles of the core.
uint64_t CyclesOf(const Call& call, Pipe pipe, const Work& work);
// Of the scalar unit, which issues each instruction.
uint64_t CyclesToIssue();

// The constants as a JSON list: name, value, unit, source.
std::string EstimatesAsJson();

}  // namespace sim

#endif
