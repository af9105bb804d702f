// How the engine says no: an exception that unwinds the kernel, with the message of the report.
#ifndef OPFORGE_SIM_KERNEL_FAILURE_H
#define OPFORGE_SIM_KERNEL_FAILURE_H

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernel_api.h"

namespace sim {

// The code aclrtSynchronizeStream would return for the failure on hardware.
enum class Status : int {
    kTimeout = 507014,          // AI Core timeout: a deadlock
    kVectorException = 507035,  // vector core exception
};

// What was found, in parts.
struct Defect;

struct Failure {
    Status status;
    std::string message;
    std::shared_ptr<const Defect> defect = nullptr;  // null where no single call is to blame
};

// Thrown in the remaining blocks once one has failed.
struct Stopped {};

// The rule that was broken, the page of the Ascend C documentation that states it, and what helps, where the rule does
// not say that itself.
struct Rule {
    const char* text;
    const char* page;
    const char* hint = nullptr;
};

// What an instruction is called, where it stands in the kernel, and the pipe that runs it, where there is one.
struct Call {
    const char* api;
    Site site;
    Pipe pipe = Pipe::kCount;
};

struct Defect {
    std::string core;  // "block 3 of 8, AIV 1"
    uint32_t block;
    Call call;
    std::string detail;
    std::string rule;
    std::string page;
    std::string hint;          // "" without one
    std::vector<void*> stack;  // return addresses, innermost first
};

// "VectorAdd: block 3 of 8: /path/vector_add.cpp:41: Add: <detail>\n  rule: <text> [<page>]"
[[noreturn]] void Fail(const Call& call, const Rule& rule, const char* format, ...)
    __attribute__((format(printf, 3, 4)));
[[noreturn]] void FailDeadlock(const Call& call, const Rule& rule, const char* format, ...)
    __attribute__((format(printf, 3, 4)));

}  // namespace sim

#endif
