// What kernels did, one line of JSON for each launch: of those that ended in the file that $OPFORGE_SIM_PROFILE names,
// of those that were refused in $OPFORGE_SIM_REPORT's; and for each warning, at once, in $OPFORGE_SIM_WARNINGS'.
// device/README.md describes the lines.
#pragma once

#include <string>
#include <vector>

#include "json_lines.h"
#include "sim_launch.h"

namespace sim {

class Profile {
public:
    // Takes the text of a warning, on the thread that runs the kernel.
    using Tell = void (*)(const char* text, size_t bytes);

    explicit Profile(Tell tell) : tell_(tell) {}

    // Opens the files that are named. False where one cannot be written: `why` says it.
    bool Open(std::string* why);
    // What the engine is to count of the next launch, and where its warnings go.
    sim_counts* CountsFor(const sim_launch& launch);
    // Writes the line of a launch that returned `status`.
    bool Append(const sim_launch& launch, int status, std::string* why);

private:
    void Warn(const char* text, uint64_t textBytes, const char* line, uint64_t lineBytes);

    JsonLines lines_{"OPFORGE_SIM_PROFILE"};
    JsonLines reports_{"OPFORGE_SIM_REPORT"};
    JsonLines traces_{"OPFORGE_SIM_TRACE"};
    JsonLines warnings_{"OPFORGE_SIM_WARNINGS"};
    Tell tell_;
    std::string lost_;  // why a warning could not be written
    std::string trace_;
    std::vector<sim_core_counts> cores_;
    std::vector<char> defect_;
    sim_counts counts_{};
};

}  // namespace sim
