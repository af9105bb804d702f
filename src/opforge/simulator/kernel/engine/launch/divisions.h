// Integer divisions by zero in a kernel's own code: their results have no value, and devices go on.
#ifndef OPFORGE_SIM_KERNEL_LAUNCH_DIVISIONS_H
#define OPFORGE_SIM_KERNEL_LAUNCH_DIVISIONS_H

#include <atomic>
#include <cstdint>
#include <string>

namespace sim {

// What is to become of them in a launch.
struct Divisions {
    // Nobody is told: the launch is run again with another result, and what uses one shows there. Else LetPass decides.
    bool silent = false;
    uint64_t result = 0x5a5a5a5a5a5a5a5a;
    std::atomic<const char*> first{nullptr};  // behind the first of them
};

// "f:3: the divisor is 0, and the kernel ...", of the division before `behind`.
std::string UsesDivision(const char* behind);

// From now on they come to the launch that runs. Only x86 tells of them; elsewhere they give 0.
void WatchDivisions();

}  // namespace sim

#endif
