// What kernels did, one line of JSON for each launch that ended, in the file that $OPFORGE_SIM_PROFILE names.
// device/README.md describes the lines.
#pragma once

#include <string>
#include <vector>

#include "sim_launch.h"

namespace sim {

class Profile {
public:
    // Opens the file, if one is named. False where it cannot be written: `why` says it.
    bool open(std::string* why);
    // Where the engine counts the next launch, or null where nobody asks.
    sim_counts* counts_for(const sim_launch& launch);
    // Writes the line of a launch that has been counted.
    bool append(const sim_launch& launch, std::string* why);

private:
    int file_ = -1;
    std::string path_;
    std::vector<sim_core_counts> cores_;
    sim_counts counts_{};
};

}  // namespace sim
