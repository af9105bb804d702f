// The host's end of a device's worker process; launches go through sim_device_launch (sim_launch.h).
#pragma once

namespace sim {

// Ends all workers of this process and waits for them. A later launch starts new ones.
void StopWorkers();

}  // namespace sim
