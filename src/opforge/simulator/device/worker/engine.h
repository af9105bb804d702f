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

    // What the engine needs other programs for; before the sandbox.
    void before_sandbox() const {
        if (before_sandbox_ != nullptr) {
            before_sandbox_();
        }
    }

    // "" where nothing is known.
    void standing(char* text, uint64_t capacity) const {
        text[0] = '\0';
        if (standing_ != nullptr) {
            standing_(text, capacity);
        }
    }

private:
    decltype(&sim_engine_run) run_ = nullptr;
    decltype(&sim_engine_standing) standing_ = nullptr;
    decltype(&sim_engine_before_sandbox) before_sandbox_ = nullptr;
};

}  // namespace sim
