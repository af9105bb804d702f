// The simulated SoC; its sizes are exported as sim_current_soc (sim_launch.h).
#pragma once

#include <string>

namespace sim {

// Why the SoC's file could not be read; empty when it could.
const std::string& SocError();

}  // namespace sim
