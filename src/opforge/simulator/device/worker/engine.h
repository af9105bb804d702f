// The kernel engine, libascendc_sim.so of this toolkit.
#pragma once

#include <string>

#include "sim_launch.h"

namespace sim {

class Engine {
public:
    // Loads the engine so that kernel objects find it by its name. On failure says why.
    bool load(std::string* why);
    int run(const sim_launch* launch, sim_kernel_entry_fn entry, char* report, uint64_t report_capacity,
            sim_counts* counts) const {
        return run_(launch, entry, report, report_capacity, counts);
    }

private:
    decltype(&sim_engine_run) run_ = nullptr;
};

}  // namespace sim
