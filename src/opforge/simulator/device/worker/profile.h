// What kernels did, one line of JSON for each launch: of those that ended in the file that $OPFORGE_SIM_PROFILE names,
// of those that were refused in $OPFORGE_SIM_REPORT's. device/README.md describes the lines.
#pragma once

#include <string>
#include <vector>

#include "json_lines.h"
#include "sim_launch.h"

namespace sim {

class Profile {
public:
    // Opens the files that are named. False where one cannot be written: `why` says it.
    bool open(std::string* why);
    // Where the engine counts the next launch, or null where nobody asks.
    sim_counts* counts_for(const sim_launch& launch);
    // Writes the line of a launch that returned `status`.
    bool append(const sim_launch& launch, int status, std::string* why);

private:
    JsonLines lines_{"OPFORGE_SIM_PROFILE"};
    JsonLines reports_{"OPFORGE_SIM_REPORT"};
    JsonLines traces_{"OPFORGE_SIM_TRACE"};
    std::string trace_;
    std::vector<sim_core_counts> cores_;
    std::vector<char> defect_;
    sim_counts counts_{};
};

}  // namespace sim
