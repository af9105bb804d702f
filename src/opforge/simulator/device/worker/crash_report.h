// Last words of a worker whose kernel crashed.
#pragma once

namespace sim {

// Sends a CrashRecord over the socket on SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT and on SIGSYS, by which the
// sandbox refuses a system call, then dies of the signal.
// SIGINT from the keyboard ends the worker while a kernel runs and does nothing while it is idle.
void ReportCrashes(int socket);

void SetKernelRunning(bool running);

}  // namespace sim
