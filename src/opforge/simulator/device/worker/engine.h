// The kernel engine, libascendc_sim.so of this toolkit.
#pragma once

#include <string>

#include "sim_launch.h"

namespace sim {

class Engine {
public:
    // Loads the engine so that kernel objects find it by its name. On failure says why.
    bool Load(std::string* why);
    int Run(const sim_launch* launch, sim_kernel_entry_fn entry, char* report, uint64_t reportCapacity,
            sim_counts* counts) const {
        return run_(launch, entry, report, reportCapacity, counts);
    }

    // What the engine needs other programs for; before the sandbox.
    void BeforeSandbox() const {
        if (beforeSandbox_ != nullptr) {
            beforeSandbox_();
        }
    }

    // "" where nothing is known.
    void Standing(char* text, uint64_t capacity) const {
        text[0] = '\0';
        if (standing_ != nullptr) {
            standing_(text, capacity);
        }
    }

private:
    decltype(&sim_engine_run) run_ = nullptr;
    decltype(&sim_engine_standing) standing_ = nullptr;
    decltype(&sim_engine_before_sandbox) beforeSandbox_ = nullptr;
};

}  // namespace sim
