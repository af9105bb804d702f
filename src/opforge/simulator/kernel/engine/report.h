// What a launch that failed says: a text for people, and the same as JSON.
#ifndef OPFORGE_SIM_KERNEL_REPORT_H
#define OPFORGE_SIM_KERNEL_REPORT_H

#include "failure.h"
#include "sim_launch.h"

namespace sim {

struct Launch;

struct Report {
    std::string text;
    std::string json;  // one line
};

// `inKernel` is any address inside of the kernel object.
Report ReportOf(const sim_launch& launch, const Failure& failure, const void* inKernel);

// The time line of a launch that ended well, one line of JSON.
std::string TraceOf(const Launch& launch);

}  // namespace sim

#endif
