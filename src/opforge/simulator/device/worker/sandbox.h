// What keeps a kernel from more than computing: a seccomp filter, which the process cannot take off again.
#pragma once

namespace sim {

// False where $OPFORGE_SIM_SANDBOX is `off`.
bool SandboxWanted();

// From here on this process and its threads open files for reading only, start no programs, and reach neither the
// network nor another process. One of system_calls.h's refused calls raises SIGSYS. Does nothing where the kernel or
// the machine has no such filter: `opforge doctor` says so (opforge/doctor/sandbox_check.py).
void EnterSandbox();

}  // namespace sim
