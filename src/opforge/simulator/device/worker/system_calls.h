// The system calls of a worker in its sandbox: those that a kernel and the libraries below it need, and those whose
// refusal is told by name. All others fail with ENOSYS, as on a kernel that does not have them.
#pragma once

#include <cstddef>

namespace sim {

struct RefusedCall {
    long number;
    const char* name;   // "openat"
    const char* tried;  // "open a file for writing"
    int path;           // which argument is the path that it names; -1: none
};

struct AllowedCalls {
    const long* numbers;
    size_t count;
};

// Whatever their arguments are.
AllowedCalls FindAllowedCalls();
// Null for a call that is not in the table.
const RefusedCall* FindRefusedCall(long number);

struct RefusedCalls {
    const RefusedCall* calls;
    size_t count;
};
RefusedCalls AllRefusedCalls();

}  // namespace sim
