// What a launch that failed, or is warned of, says: a text for people, and the same as JSON.
#ifndef OPFORGE_SIM_KERNEL_REPORT_H
#define OPFORGE_SIM_KERNEL_REPORT_H

#include <string>

#include "failure.h"
#include "sim_launch.h"

namespace sim {

struct Launch;

struct Report {
    std::string text;
    std::string json;  // one line
};

enum class Level : uint8_t { kError, kWarning };

// `inKernel` is any address inside of the kernel object.
Report ReportOf(const sim_launch& launch, const Failure& failure, const void* inKernel, Level level = Level::kError);

// The time line of a launch that ended well, one line of JSON.
std::string TraceOf(const Launch& launch);

}  // namespace sim

#endif
