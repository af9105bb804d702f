// How the engine says no: an exception that unwinds the kernel, with the message of the report.
#ifndef OPFORGE_SIM_KERNEL_FAILURE_H
#define OPFORGE_SIM_KERNEL_FAILURE_H

#include <string>

#include "kernel_api.h"

namespace sim {

// The code aclrtSynchronizeStream would return for the failure on hardware.
enum class Status : int {
    kTimeout = 507014,          // AI Core timeout: a deadlock
    kVectorException = 507035,  // vector core exception
};

struct Failure {
    Status status;
    std::string message;
};

// Thrown in the remaining blocks once one has failed.
struct Stopped {};

// The rule that was broken and the page of the Ascend C documentation that states it.
struct Rule {
    const char* text;
    const char* page;
};

// What an instruction is called, and where it stands in the kernel.
struct Call {
    const char* api;
    Site site;
};

// "VectorAdd: block 3 of 8: /path/vector_add.cpp:41: Add: <detail>\n  rule: <text> [<page>]"
[[noreturn]] void Fail(const Call& call, const Rule& rule, const char* format, ...)
    __attribute__((format(printf, 3, 4)));
[[noreturn]] void FailDeadlock(const Call& call, const Rule& rule, const char* format, ...)
    __attribute__((format(printf, 3, 4)));

}  // namespace sim

#endif
