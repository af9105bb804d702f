// How the engine says no: an exception that unwinds the kernel, with the message of the report.
#ifndef OPFORGE_SIM_KERNEL_REPORT_FAILURE_H
#define OPFORGE_SIM_KERNEL_REPORT_FAILURE_H

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

// The rule that was broken: a short name that stays, the page of the Ascend C documentation that states it, and what
// helps, where the rule does not say that itself.
struct Rule {
    constexpr Rule(const char* name, const char* says, const char* stands, const char* helps = nullptr)
        : id(name), text(says), page(stands), hint(helps) {}
    const char* id;
    const char* text;
    const char* page;
    const char* hint;
};

// "\n  rule: <text> [<page>]"
inline std::string LineOf(const Rule& rule) { return std::string("\n  rule: ") + rule.text + " [" + rule.page + "]"; }

// A rule that devices do not enforce, what they do instead, and where that can be read.
struct DeviceRule {
    Rule rule;
    const char* does;
    const char* source;
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
    std::string id;
    std::string rule;
    std::string page;
    std::string hint;  // "" without one
    bool open;         // opforge.yaml may allow it
    std::string does;  // of a rule that devices do not enforce
    std::string source;
    std::vector<void*> stack;  // return addresses, innermost first
};

// "VectorAdd: block 3 of 8: /path/vector_add.cpp:41: Add: <detail>\n  rule: <text> [<page>]"
[[noreturn]] void Fail(const Call& call, const Rule& rule, const char* format, ...)
    __attribute__((format(printf, 3, 4)));
// The same failure, for the caller to throw later.
Failure FailureOf(const Call& call, const Rule& rule, const char* format, ...) __attribute__((format(printf, 3, 4)));
[[noreturn]] void FailDeadlock(const Call& call, const Rule& rule, const char* format, ...)
    __attribute__((format(printf, 3, 4)));

// The kernel does what devices let pass. Fails where the launch is judged by the documentation and opforge.yaml does
// not allow it; else there is a warning, once for each line of the kernel, and the caller goes on as a device does.
void LetPass(const Call& call, const DeviceRule& rule, const char* format, ...) __attribute__((format(printf, 3, 4)));

}  // namespace sim

#endif
